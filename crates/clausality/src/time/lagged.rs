//! Rules about columns, said of windows: the past is given, the future never points back, and arcs may name lags.
//!
//! | rule | means |
//! |---|---|
//! | `forbid Rain@-1>Sales` | not from one step ago |
//! | `forbid Rain@-*>Sales` | from no step ago |
//! | `forbid Rain@0>Sales` | not within a step |
//! | `forbid Rain>Sales` | none of these |
//! | `require Rain>Sales` | within a step; `Rain@-2>Sales` two steps on |
//! | `parameter Rain` | nothing but its own past points into it |
//! | `tiers` | within a step; what was before may act on everything |

use super::{TimeSettings, Windows, Within};
use crate::Error;
use crate::rules::{NamedArc, RuleSettings};
use crate::words::counted;
use clausality_bn::Variable;
use clausality_bn::dynamic::Lagged;
use std::collections::BTreeSet;

/// The rules that a user gave about the columns of a table, over its windows.
///
/// # Errors
/// An arc that ends in the past; a required lag deeper than the windows.
pub fn over_windows(
    given: &RuleSettings,
    windows: &Windows,
    settings: &TimeSettings,
) -> Result<RuleSettings, Error> {
    let lags = windows.lags();
    let process = |name: &str| windows.processes.iter().any(|v| v.name == name);
    let known = |text: &str| process(parent(text).name) || windows.statics.iter().any(|v| v.name == text);
    let past = |v: &Variable, from: usize| -> Vec<String> {
        (from..=lags).map(|lag| Lagged::ago(&v.name, lag).to_string()).collect()
    };
    let mut rules =
        RuleSettings { parameter: Vec::new(), forbid: Vec::new(), require: Vec::new(), ..given.clone() };
    rules.parameter.extend(windows.statics.iter().map(|v| v.name.clone()));
    rules.parameter.extend(windows.processes.iter().flat_map(|v| past(v, 1)));
    let mut forbidden: BTreeSet<(String, String)> = BTreeSet::new();
    for name in &given.parameter {
        if !process(name) {
            // A static is given anyway; of anything else the rules say what is wrong with it.
            rules.parameter.extend(Some(name.clone()).filter(|name| !known(name)));
            continue;
        }
        let others = windows.processes.iter().filter(|v| v.name != *name).flat_map(|v| past(v, 0));
        let statics = windows.statics.iter().map(|v| v.name.clone());
        forbidden.extend(others.chain(statics).map(|other| (other, name.clone())));
    }
    if settings.instant == Some(Within::No) {
        for child in &windows.processes {
            let others = windows.processes.iter().filter(|v| v.name != child.name);
            forbidden.extend(others.map(|v| (v.name.clone(), child.name.clone())));
        }
    }
    for arc in &given.forbid {
        let arc = arc.among(known).unwrap_or_else(|[first, _]| first);
        let child = now("forbid", &arc)?;
        let Parent { name, lag } = parent(&arc.parent);
        let steps = match lag {
            _ if !process(name) => vec![arc.parent.clone()],
            Lag::Any => {
                windows.processes.iter().filter(|v| v.name == name).flat_map(|v| past(v, 0)).collect()
            }
            Lag::Past => {
                windows.processes.iter().filter(|v| v.name == name).flat_map(|v| past(v, 1)).collect()
            }
            Lag::Exactly(lag) if lag <= lags => vec![Lagged::ago(name, lag).to_string()],
            // Nothing looks back so far anyway.
            Lag::Exactly(_) => Vec::new(),
        };
        forbidden.extend(steps.into_iter().filter(|step| *step != child).map(|step| (step, child.clone())));
    }
    rules.forbid = forbidden.into_iter().map(|(parent, child)| NamedArc { parent, child }).collect();
    for arc in &given.require {
        let arc = arc.among(known).unwrap_or_else(|[first, _]| first);
        let child = now("require", &arc)?;
        let Parent { name, lag } = parent(&arc.parent);
        let step = match lag {
            Lag::Any => name.to_string(),
            Lag::Exactly(lag) if lag <= lags => Lagged::ago(name, lag).to_string(),
            Lag::Exactly(_) | Lag::Past => {
                let expected = "an arc from one step, no further back than lags";
                return Err(Error::Setting { name: "require", value: format!("'{arc}'"), expected });
            }
        };
        rules.require.push(NamedArc { parent: step, child });
    }
    Ok(rules)
}

/// The rules of which nothing can come, in sentences: arcs from steps that nothing looks back to.
pub(crate) fn idle(given: &RuleSettings, windows: &Windows) -> Vec<String> {
    let process = |name: &str| windows.processes.iter().any(|v| v.name == name);
    let why = |arc: &NamedArc| {
        let Parent { name, lag } = parent(&arc.parent);
        match lag {
            Lag::Exactly(usize::MAX) if process(name) => {
                Some("it starts in a later step, and nothing comes from there anyway".to_string())
            }
            Lag::Exactly(lag) if process(name) && lag > windows.lags() => {
                Some(format!("columns look back {} only", counted(windows.lags(), "step")))
            }
            _ => None,
        }
    };
    let told = given.forbid.iter().filter_map(|arc| Some((arc, why(arc)?)));
    told.map(|(arc, why)| format!("the rule that forbids '{arc}' changes nothing: {why}")).collect()
}

/// The end of an arc, which is now.
fn now(option: &'static str, arc: &NamedArc) -> Result<String, Error> {
    match Lagged::parse(&arc.child) {
        Lagged { name, step: None | Some(0) } => Ok(name.to_string()),
        _ => {
            let expected = "an arc into the present: write PARENT@-1>CHILD";
            Err(Error::Setting { name: option, value: format!("'{arc}'"), expected })
        }
    }
}

struct Parent<'a> {
    name: &'a str,
    lag: Lag,
}

#[derive(Clone, Copy)]
enum Lag {
    Any,
    Past,
    Exactly(usize),
}

/// The start of an arc: a column, now or before.
fn parent(text: &str) -> Parent<'_> {
    if let Some(name) = text.strip_suffix("@-*") {
        return Parent { name, lag: Lag::Past };
    }
    match Lagged::parse(text) {
        Lagged { name, step: None } => Parent { name, lag: Lag::Any },
        // A later step is deeper than any: nothing comes from there.
        Lagged { name, step: Some(step) } => {
            Parent { name, lag: Lag::Exactly(usize::try_from(-step).unwrap_or(usize::MAX)) }
        }
    }
}
