//! Roles and arcs in tables: their marks, and what the marks mean; what the rules were completed by.

use crate::session::Session;
use clausality::bn::Schema;
use clausality::learn::{LearnedArc, Way};
use clausality::rules::Role;
use clausality::settings::Ruled;
use clausality::words::quoted;
use std::collections::BTreeSet;

/// Says what nobody asked for: calendar parts that are parameters, and columns that stand in no tier.
pub(crate) fn note_rules(ruled: &Ruled, schema: &Schema, session: &Session) {
    if !ruled.calendar.is_empty() {
        session.note(format!(
            "from dates, and so parameters that nothing points into: {} (to have one inferred: --unobserved)",
            quoted(&ruled.calendar, 6)
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
        Role::Unobserved => " (unobserved)",
    }
}

/// What a table says behind an arc: whether it is required, and what its direction rests on.
pub(crate) fn arc_mark(arc: &LearnedArc) -> &'static str {
    match (arc.required, arc.way()) {
        (false, Way::Data) => "",
        (false, Way::Rules) => "^",
        (false, Way::Open) => "~",
        (true, _) => "!",
    }
}

/// What the marks of these arcs mean, as far as they occur: a line each.
pub(crate) fn arc_legend<'a>(arcs: impl IntoIterator<Item = &'a LearnedArc>) -> String {
    let arcs: Vec<&LearnedArc> = arcs.into_iter().collect();
    let marks: BTreeSet<&str> = arcs.iter().map(|arc| arc_mark(arc)).collect();
    let legends = [
        ("~", "~ the data cannot tell this arc's direction.\n"),
        ("^", "^ the rules leave this arc no other direction.\n"),
        ("!", "! the rules require this arc.\n"),
    ];
    let mut text: String =
        legends.into_iter().filter(|(mark, _)| marks.contains(mark)).map(|(_, text)| text).collect();
    if arcs.iter().any(|arc| arc.or.is_some()) {
        text.push_str("(or X): X says nearly the same; which of the two the arc joins is chance.\n");
    }
    text
}
