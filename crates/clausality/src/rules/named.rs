//! Arcs as people write them: by names that may hold the signs of an arc themselves.

use serde::{Deserialize, Serialize};
use std::fmt;

/// An arc by names, written `parent>child`, `parent -> child`, `parent → child` or the other way round (`child <- parent`).
///
/// Names may hold these signs themselves: which one stands between them is settled by [`NamedArc::among`], when the names are known, or by
/// double quotes around a name.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct NamedArc {
    /// Where it starts.
    pub parent: String,
    /// Where it ends.
    pub child: String,
}

impl NamedArc {
    /// Two nodes that are joined, as they are printed where nothing tells the direction: `a - b`, `a -- b`, `a – b`. Nothing if the text is
    /// something else, or if names hold the sign too.
    pub fn undirected(text: &str) -> Option<Self> {
        let ends = [" -- ", " - ", " – ", " — ", "--"].into_iter().find_map(|sign| {
            let (a, b) = text.split_once(sign).filter(|(_, b)| !b.contains(sign))?;
            Some((a.trim(), b.trim()))
        });
        let (a, b) = ends.filter(|(a, b)| !a.is_empty() && !b.is_empty())?;
        Some(NamedArc { parent: a.to_string(), child: b.to_string() })
    }

    /// The arc with its ends among known names: of the ways to read it the one in which both ends are known. As it stands
    /// if there is none.
    ///
    /// # Errors
    /// The two readings, if there is more than one.
    pub fn among(&self, known: impl Fn(&str) -> bool) -> Result<NamedArc, [NamedArc; 2]> {
        let arc = |parent: &str, child: &str| NamedArc { parent: parent.into(), child: child.into() };
        let both = |arc: &NamedArc| known(&arc.parent) && known(&arc.child);
        // What was taken for the sign may have been a part of a name, however it was written.
        let mut found: Vec<NamedArc> = Vec::new();
        for sign in [">", " > ", " -> ", "->", " → ", "→"] {
            let text = format!("{}{sign}{}", self.parent, self.child);
            for (parent, child) in readings(&text) {
                let bare = parent.strip_suffix('-').map(|bare| arc(bare.trim_end(), child));
                let ways = [Some(arc(parent, child)), bare].into_iter().flatten();
                found.extend(ways.filter(both));
            }
        }
        found.sort_unstable();
        found.dedup();
        // The hyphen that was taken for a part of the sign may have been one of the name.
        let text = self.to_string();
        let hyphened = || readings(&text).map(|(parent, child)| arc(&format!("{parent}-"), child)).find(both);
        match <[NamedArc; 2]>::try_from(found) {
            Ok(two) => Err(two),
            Err(mut found) if found.len() > 1 => Err([found.remove(0), found.remove(0)]),
            Err(mut found) => Ok(found.pop().or_else(hyphened).unwrap_or_else(|| self.clone())),
        }
    }
}

/// An arc between names in double quotes, of which either may stand without: `"x > y" > z`. A quote within quotes is doubled.
fn quoted_ends(text: &str) -> Option<NamedArc> {
    let (parent, rest) = match text.trim().strip_prefix('"') {
        Some(rest) => unquoted(rest)?,
        None => {
            let end = text.find(['>', '→']).filter(|&at| text[at..].contains('"'))?;
            (text[..end].trim_end().trim_end_matches('-').trim().to_string(), &text[end..])
        }
    };
    let rest = rest.trim_start();
    let child = ["->", ">", "→"].iter().find_map(|sign| rest.strip_prefix(sign))?.trim();
    let child = match child.strip_prefix('"') {
        Some(rest) => unquoted(rest).filter(|(_, rest)| rest.trim().is_empty())?.0,
        None => child.to_string(),
    };
    (!parent.is_empty() && !child.is_empty()).then_some(NamedArc { parent, child })
}

/// A name up to the quote that ends it, and what follows.
fn unquoted(text: &str) -> Option<(String, &str)> {
    let mut from = 0;
    loop {
        let at = from + text[from..].find('"')?;
        if !text[at + 1..].starts_with('"') {
            return Some((text[..at].replace("\"\"", "\""), &text[at + 1..]));
        }
        from = at + 2;
    }
}

/// An arc that is written from its end: `child <- parent`, `child ← parent`.
fn turned(text: &str) -> Option<NamedArc> {
    let (child, parent) = text.split_once("<-").or_else(|| text.split_once('←'))?;
    let (child, parent) = (child.trim(), parent.trim());
    (!child.is_empty() && !parent.is_empty())
        .then(|| NamedArc { parent: parent.to_string(), child: child.to_string() })
}

/// The ways to cut a text in two at the sign of an arc; a hyphen before `>` stays with the first part.
fn readings(text: &str) -> impl Iterator<Item = (&str, &str)> {
    text.match_indices(['>', '→']).map(|(at, sign)| (text[..at].trim(), text[at + sign.len()..].trim()))
}

impl fmt::Display for NamedArc {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}>{}", self.parent, self.child)
    }
}

impl From<NamedArc> for String {
    fn from(arc: NamedArc) -> String {
        arc.to_string()
    }
}

impl TryFrom<String> for NamedArc {
    type Error = String;
    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

impl std::str::FromStr for NamedArc {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        let bare = |parent| match str::strip_suffix(parent, '-').map(str::trim_end) {
            Some(bare) if !bare.is_empty() => bare,
            _ => parent,
        };
        if let Some(arc) = quoted_ends(text) {
            return Ok(arc);
        }
        match readings(text).find(|(parent, child)| !parent.is_empty() && !child.is_empty()) {
            Some((parent, child)) => Ok(NamedArc { parent: bare(parent).into(), child: child.into() }),
            None => match (turned(text), NamedArc::undirected(text)) {
                (Some(arc), _) => Ok(arc),
                (None, Some(NamedArc { parent, child })) => Err(format!(
                    "'{text}' has no direction; write '{parent}>{child}' or '{child}>{parent}', or each of them"
                )),
                (None, None) => Err(format!("'{text}' is no arc; write PARENT>CHILD")),
            },
        }
    }
}
