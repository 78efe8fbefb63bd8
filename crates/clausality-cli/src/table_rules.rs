//! The user's rules over the columns that a table really has.
//!
//! Month and weekday that come from a date are parameters unless the user says otherwise: nothing in a table makes it March.

use crate::failure::Failure;
use crate::model::listed;
use crate::session::Session;
use clausality::bn::Schema;
use clausality::data::{self, ColumnReport, Decision, Kind};
use clausality::learn::{LearnedArc, Way};
use clausality::rules::{Role, RuleParams, Rules, RulesError};
use std::collections::BTreeSet;

/// Checks the rules against the columns, completes them with the roles that the columns suggest, and says what was not asked
/// for. `report` has what became of the columns of the file.
pub(crate) fn rules_for(
    schema: &Schema,
    report: &[ColumnReport],
    params: &mut RuleParams,
    session: &Session,
) -> Result<Rules, Failure> {
    let suggested = suggested_parameters(schema, report, params);
    params.parameter.extend(suggested.iter().cloned());
    let rules = Rules::new(schema, params).map_err(|error| left_out(error, report))?;
    if !suggested.is_empty() {
        session.note(format!(
            "from dates, and so parameters that nothing points into: {} (to have one inferred: --unobserved)",
            listed(&suggested, 6)
        ));
    }
    let tiers: Vec<&String> = params.tiers.iter().flatten().collect();
    let free = |name: &&str| !tiers.iter().any(|other| other == name);
    let free: Vec<&str> = schema.variables().iter().map(|v| v.name.as_str()).filter(free).collect();
    if !tiers.is_empty() && !free.is_empty() {
        session.note(format!("in no tier, so their arcs may run either way: {}", listed(&free, 6)));
    }
    Ok(rules)
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
    let marks: BTreeSet<&str> = arcs.into_iter().map(arc_mark).collect();
    let legends = [
        ("~", "~ the data cannot tell this arc's direction.\n"),
        ("^", "^ the rules leave this arc no other direction.\n"),
        ("!", "! the rules require this arc.\n"),
    ];
    legends.into_iter().filter(|(mark, _)| marks.contains(mark)).map(|(_, text)| text).collect()
}

/// Variables that come from dates and of which the user wants nothing else.
fn suggested_parameters(schema: &Schema, report: &[ColumnReport], params: &RuleParams) -> Vec<String> {
    let known = |name: &str| schema.index(name).is_some();
    let required: Vec<String> =
        params.require.iter().filter_map(|arc| arc.among(known).ok()).map(|arc| arc.child).collect();
    let spoken_of =
        |name: &String| [&params.parameter, &params.unobserved, &required].iter().any(|l| l.contains(name));
    report
        .iter()
        .filter(|column| column.decision == Decision::Derived && column.role == Some(data::Role::Parameter))
        .flat_map(|column| column.variables.iter().map(|variable| variable.name.clone()))
        .filter(|name| !spoken_of(name))
        .collect()
}

/// A rule about a column that the file has and the table has not says what became of it.
fn left_out(error: RulesError, report: &[ColumnReport]) -> Failure {
    let RulesError::Unknown { option, name, .. } = &error else {
        return clausality::Error::from(error).into();
    };
    let Some(column) = report.iter().find(|column| column.name == *name) else {
        return clausality::Error::from(error).into();
    };
    let became: Vec<&str> = column.variables.iter().map(|variable| variable.name.as_str()).collect();
    let what = match (column.decision, column.kind) {
        (Decision::Dropped, Kind::Ignored) => "was left out, as --type asks".to_string(),
        (Decision::Dropped, Kind::Id) => {
            format!("was left out as an id ({}); keep it with --type '{name}=keep'", column.reason)
        }
        (Decision::Dropped, _) => format!("was left out ({})", column.reason),
        _ => format!("became {}: name one of these", listed(&became, 4)),
    };
    Failure::Input(format!("{option}: column '{name}' {what}"))
}
