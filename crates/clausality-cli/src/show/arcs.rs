//! Roles and arcs in tables: their marks, and what the marks mean; what the rules were completed by.

use crate::session::Session;
use crate::text::wrap;
use clausality::bn::Schema;
use clausality::learn::{LearnedArc, Way};
use clausality::rules::Role;
use clausality::settings::Ruled;
use clausality::words::quoted;
use std::collections::BTreeSet;

/// Says what nobody asked for: calendar parts that other columns do not point into, and columns that stand in no tier.
pub(crate) fn note_rules(ruled: &Ruled, schema: &Schema, session: &Session) {
    let calendar = |v: &usize| ruled.rules.role(*v) == Role::Calendar;
    let calendar: Vec<&str> = (0..schema.len()).filter(calendar).map(|v| schema.name(v)).collect();
    if !calendar.is_empty() {
        session.note(format!(
            "calendar parts, which other columns do not point into: {} (to have one inferred: --unobserved)",
            quoted(&calendar, 6)
        ));
    }
    let tiers: Vec<&String> = ruled.settings.rules.tiers.iter().flatten().collect();
    let free = |name: &&str| !tiers.iter().any(|other| other == name);
    let free: Vec<&str> = schema.variables().iter().map(|v| v.name.as_str()).filter(free).collect();
    if !tiers.is_empty() && !free.is_empty() {
        session.note(format!("in no tier, so their arcs may run either way: {}", quoted(&free, 6)));
    }
}

/// What a table says behind a column that is not an ordinary one.
pub(crate) fn mark(role: Role) -> &'static str {
    match role {
        Role::Observed => "",
        Role::Parameter => " (parameter)",
        Role::Calendar => " (calendar)",
        Role::Unobserved => " (unobserved)",
    }
}

/// What a table says behind an arc: whether it is required, and what its direction rests on.
pub(crate) fn arc_mark(arc: &LearnedArc) -> &'static str {
    match (arc.required, arc.way()) {
        (false, Way::Data | Way::Time) => "",
        (false, Way::Rules) => "^",
        (false, Way::Calendar) => "*",
        (false, Way::Open) => "~",
        (true, _) => "!",
    }
}

/// What a table says behind an arc's mark: a copy that would serve as well, and that it lives mostly from gaps.
pub(crate) fn asides(arc: &LearnedArc) -> String {
    let or = arc.or.iter().map(|other| match arc.or_for.as_ref().filter(|end| **end == arc.child) {
        Some(child) => format!(" (or into {other} instead of {child})"),
        None => format!(" (or {other})"),
    });
    or.chain(arc.gaps.then_some(" (gaps)".to_string())).collect()
}

/// Arcs into one node in words, each followed by its asides; what several say of the node itself is said once, behind all.
pub(crate) fn with_asides(arcs: &[&LearnedArc], word: impl Fn(&LearnedArc) -> String) -> String {
    let other_child = |arc: &LearnedArc| arc.or.clone().filter(|_| arc.or_for.as_ref() == Some(&arc.child));
    let alike: Vec<Option<String>> = arcs.iter().map(|arc| other_child(arc)).collect();
    let shared =
        alike.iter().flatten().find(|&or| alike.iter().flatten().filter(|other| *other == or).count() > 1);
    let said = |(arc, or): (&&LearnedArc, &Option<String>)| match shared.is_some() && or.as_ref() == shared {
        true => word(arc) + &asides(&LearnedArc { or: None, ..(*arc).clone() }),
        false => word(arc) + &asides(arc),
    };
    let mut text = arcs.iter().zip(&alike).map(said).collect::<Vec<_>>().join(", ");
    if let Some(other) = shared {
        let whose: Vec<&str> = arcs
            .iter()
            .zip(&alike)
            .filter(|(_, or)| or.as_ref() == shared)
            .map(|(arc, _)| arc.parent.as_str())
            .collect();
        let whose = if whose.len() == arcs.len() { "each".to_string() } else { whose.join(", ") };
        text.push_str(&format!(" ({whose}: or into {other} instead of {})", arcs[0].child));
    }
    text
}

/// Columns of a legend.
const LEGEND: usize = 80;

/// What the marks of these arcs mean, as far as they occur: a line each.
pub(crate) fn arc_legend<'a>(arcs: impl IntoIterator<Item = &'a LearnedArc>) -> String {
    let (mut marks, mut parts, mut twins, mut gaps) = (BTreeSet::new(), BTreeSet::new(), false, false);
    for arc in arcs {
        let mark = arc_mark(arc);
        marks.insert(mark);
        parts.extend((mark == "*").then_some(arc.parent.as_str()));
        twins |= arc.or.is_some();
        gaps |= arc.gaps;
    }
    let parts: Vec<&str> = parts.into_iter().collect();
    let are = if parts.len() == 1 { "is a calendar part" } else { "are calendar parts" };
    let legends = [
        ("~", "~ the data cannot tell this arc's direction.\n".to_string()),
        ("^", "^ the rules leave this arc no other direction.\n".to_string()),
        (
            "*",
            wrap(&format!("* runs this way because {} {are}.", quoted(&parts, 4)), LEGEND).join("\n") + "\n",
        ),
        ("!", "! the rules require this arc.\n".to_string()),
    ];
    let mut text: String =
        legends.into_iter().filter(|(mark, _)| marks.contains(mark)).map(|(_, text)| text).collect();
    if twins {
        text.push_str("(or X): X is nearly a copy of the column before it; which is joined is\nchance.\n");
    }
    if gaps {
        text.push_str(
            "(gaps): lives mostly from gaps; less than half is gained where both columns have\nvalues.\n",
        );
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_all_arcs_say_of_their_child_is_said_once() {
        let arc = |parent: &str, or: Option<&str>, or_for: &str| -> LearnedArc {
            serde_json::from_value(json!({
                "parent": parent, "child": "ads", "compelled": true, "strength": 1.0, "share": 0.5, "hit_rate": null,
                "gain": 3.0, "confidence": null, "direction": null, "or": or, "or_for": or.map(|_| or_for),
            }))
            .unwrap()
        };
        let said = |arcs: &[LearnedArc]| {
            with_asides(&arcs.iter().collect::<Vec<_>>(), |arc: &LearnedArc| arc.parent.clone())
        };
        let [a, b, c] = ["a", "b", "c"].map(|parent| arc(parent, Some("trend"), "ads"));
        assert_eq!(said(&[a.clone(), b.clone(), c]), "a, b, c (each: or into trend instead of ads)");
        let other = arc("d", Some("e"), "d");
        assert_eq!(said(&[a.clone(), other, b]), "a, d (or e), b (a, b: or into trend instead of ads)");
        assert_eq!(said(&[a]), "a (or into trend instead of ads)");
    }
}
