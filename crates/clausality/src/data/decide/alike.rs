//! Columns whose names a person would take for one: they differ only by case, spaces, the form of their Unicode letters, or signs that nobody sees.
//!
//! Two names are alike if they are equal once put in one form (NFKC, Unicode Standard Annex 15), in lower case, without blanks and invisible signs.
//! Each stays a column of its own; the user is told.

use crate::data::report::{Notice, NoticeKind};
use crate::words::grouped;
use std::collections::BTreeMap;
use unicode_normalization::UnicodeNormalization;

/// Groups that are named one by one.
const NAMED: usize = 8;

/// A notice for every group of columns that look alike.
pub(in crate::data) fn alike<'n>(names: impl Iterator<Item = &'n str>) -> Vec<Notice> {
    let mut groups: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for name in names {
        groups.entry(plain(name)).or_default().push(name);
    }
    let groups: Vec<Vec<&str>> = groups.into_values().filter(|group| group.len() > 1).collect();
    let told = |group: &Vec<&str>| {
        let shown: Vec<String> = group.iter().take(NAMED).map(|name| format!("'{}'", shown(name))).collect();
        let more = if group.len() > NAMED {
            format!(" and {} more", grouped(group.len() - NAMED))
        } else {
            String::new()
        };
        let why = difference(group[0], group[1]);
        format!(
            "columns {}{more} differ only by {why}: are they one? They are read as different columns",
            shown.join(" and ")
        )
    };
    let mut notices: Vec<Notice> =
        groups.iter().take(NAMED).map(|group| about(group[0], told(group))).collect();
    if let Some(rest) = groups.len().checked_sub(NAMED).filter(|&rest| rest > 0) {
        let message = format!(
            "{} more groups of columns have names that look alike, '{}' among them",
            grouped(rest),
            shown(groups[NAMED][0])
        );
        notices.push(about(groups[NAMED][0], message));
    }
    notices
}

/// A notice about values of a column that look alike, if there are any.
pub(in crate::data) fn alike_values<'v>(
    column: &str,
    values: impl Iterator<Item = &'v str>,
) -> Option<Notice> {
    let mut groups: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for value in values {
        groups.entry(plain(value)).or_default().push(value);
    }
    let mut groups = groups.into_values().filter(|group| group.len() > 1);
    let first = groups.next()?;
    let named: Vec<String> = first.iter().take(NAMED).map(|value| format!("'{}'", shown(value))).collect();
    let more = match groups.count() {
        0 => String::new(),
        more => format!(" (and {} more such)", grouped(more)),
    };
    let (named, why) = (named.join(" and "), difference(first[0], first[1]));
    let message = format!(
        "column '{column}': {named} differ only by {why}{more}: are they one? They are states of their own"
    );
    Some(about(column, message))
}

fn about(column: &str, message: String) -> Notice {
    Notice {
        kind: NoticeKind::Column,
        column: Some(column.to_string()),
        message,
        figure: String::new(),
        advice: vec![],
    }
}

/// What is left of a name to the eye.
fn plain(name: &str) -> String {
    let lower = name.nfkc().filter(|&c| !is_invisible(c) && !c.is_whitespace()).flat_map(char::to_lowercase);
    lower.nfkc().collect()
}

/// The first difference that explains all of it.
fn difference(a: &str, b: &str) -> &'static str {
    let without = |name: &str, is_dropped: fn(char) -> bool| {
        name.chars().filter(|&c| !is_dropped(c)).collect::<String>()
    };
    if a.to_lowercase() == b.to_lowercase() {
        "upper and lower case"
    } else if without(a, char::is_whitespace) == without(b, char::is_whitespace) {
        "spaces"
    } else if without(a, is_invisible) == without(b, is_invisible) {
        "signs that nobody sees"
    } else if a.nfkc().eq(b.nfkc()) {
        "the form of their Unicode letters"
    } else {
        "case, spaces, Unicode form or signs that nobody sees"
    }
}

/// Characters without width or ink: joiners, marks of direction, variation selectors, soft hyphens, controls.
fn is_invisible(c: char) -> bool {
    matches!(c, '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}'
        | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}'
        | '\u{ffa0}' | '\u{e0000}'..='\u{e0fff}')
        || c.is_control()
}

/// A name in which the invisible can be seen.
fn shown(name: &str) -> String {
    let is_strange = |c: char| is_invisible(c) || c.is_whitespace() && c != ' ';
    name.chars()
        .flat_map(|c| if is_strange(c) { c.escape_unicode().collect::<Vec<_>>() } else { vec![c] })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_that_look_alike_are_told() {
        let told = |values: &[&str]| alike_values("won", values.iter().copied()).map(|notice| notice.message);
        assert_eq!(
            told(&["yes", "Yes", "no", "NO", "maybe"]).unwrap(),
            "column 'won': 'no' and 'NO' differ only by upper and lower case (and 1 more such): are they one? They are states of their own"
        );
        assert_eq!(told(&["yes", "no", "maybe"]), None);
    }

    #[test]
    fn names_that_look_alike_are_told() {
        for (one, other, why) in [
            ("Rain", "rain", "upper and lower case"),
            ("\u{c4}RZTE", "\u{e4}rzte", "upper and lower case"),
            ("a b", "a  b", "spaces"),
            ("a b", "a\u{a0}b", "spaces"),
            ("caf\u{e9}", "cafe\u{301}", "the form of their Unicode letters"),
            ("\u{fb01}n", "fin", "the form of their Unicode letters"),
            ("x", "x\u{200b}", "signs that nobody sees"),
            ("x", "\u{202e}x", "signs that nobody sees"),
            ("Rain fall", "rainfall", "case, spaces, Unicode form or signs that nobody sees"),
        ] {
            let notices = alike(["other", one, other].into_iter());
            let [notice] = &notices[..] else { panic!("{one:?} {other:?}: {notices:?}") };
            assert!(notice.message.contains(&format!("differ only by {why}")), "{}", notice.message);
            assert!(!notice.message.contains(is_invisible), "{:?}", notice.message);
        }
        assert!(alike(["x1", "x_1", "x-1", "y", "X2"].into_iter()).is_empty());
        let many: Vec<String> = (0..20).flat_map(|i| [format!("a{i}"), format!("A{i}")]).collect();
        assert_eq!(alike(many.iter().map(String::as_str)).len(), NAMED + 1);
    }
}
