//! What was learned, in three sentences for somebody who will read no more.

use super::title;
use crate::explain::Verdict;
use crate::rules::Role;
use crate::run::{NodeClauses, Run, RunFolder};
use crate::words::{counted, percent};

/// Columns named as the best predicted.
const BEST: usize = 3;
/// Features named for one of them.
const FEATURES: usize = 2;
/// The share of all strength from which on a second feature is named.
const TELLING: f64 = 0.15;
/// Fewer rows than this may hide what is there.
const FEW_ROWS: usize = 500;

/// What there is, what can be predicted, and what must not be read into it.
pub(super) fn sentences(folder: &RunFolder) -> [String; 3] {
    [network(folder), prediction(folder), caution(folder)]
}

fn network(folder: &RunFolder) -> String {
    let run = &folder.run;
    let table = title(&run.table);
    let (rows, columns) = (counted(run.rows, "row"), counted(run.nodes.len(), "column"));
    match run.arcs.len() {
        0 => format!(
            "In the {rows} of {table} no two of its {columns} are tied closely enough to be worth an arc."
        ),
        arcs => format!(
            "From the {rows} of {table} a network of {columns} and {} was learned: an arc joins {}.",
            counted(arcs, "arc"),
            meaning(run)
        ),
    }
}

/// What an arc says, which depends on who chose the arcs.
fn meaning(run: &Run) -> &'static str {
    match run.params.get("assembler").and_then(|name| name.as_str()) {
        Some("paper") => "a column with one of those that say most about it",
        Some("chow-liu") => "two columns that say much about each other, as far as a tree has room",
        _ => "two columns of which one says something about the other that no third column explains",
    }
}

fn prediction(folder: &RunFolder) -> String {
    let nodes = &folder.clauses.targets;
    let count = |verdict| nodes.iter().filter(|node| Verdict::of(node.accuracy) == verdict).count();
    let (signal, all) = (count(Verdict::Signal), nodes.len());
    if signal == 0 {
        return without_signal(folder, count(Verdict::TooFewRows), count(Verdict::Unmeasured) == all);
    }
    let mut text = match (signal, all) {
        (1, 1) => "The one column can".to_string(),
        (all, of) if all == of => format!("All {} can", counted(all, "column")),
        (some, of) => format!("{some} of {} can", counted(of, "column")),
    };
    text.push_str(" be predicted from the others better than by guessing");
    let sought: Vec<&NodeClauses> =
        nodes.iter().filter(|node| role(folder, &node.name) == Role::Unobserved).collect();
    if let [one] = sought.as_slice() {
        match Verdict::of(one.accuracy) {
            Verdict::Signal => {
                text.push_str(&format!(", and {}, which is to be inferred, is", measured(one)))
            }
            _ => text.push_str(&format!(", but {}, which is to be inferred, is not", one.name)),
        }
        text.push_str(" one of them");
    }
    let best: Vec<String> = best(nodes, &sought).into_iter().map(measured).collect();
    let which = if sought.is_empty() { "best" } else { "best of the others" };
    match best.as_slice() {
        [] => {}
        [one] => text.push_str(&format!("; {which} is {one}")),
        [most @ .., last] => text.push_str(&format!("; {which} are {} and {last}", most.join(", "))),
    }
    text + "."
}

fn without_signal(folder: &RunFolder, too_few: usize, unmeasured: bool) -> String {
    if unmeasured {
        return "How well a column can be predicted from the others could not be measured: all but one of the states of every \
                column are too rare."
            .into();
    }
    let mut text = String::from(
        "There is no signal here: no column can be predicted from the others better than by guessing",
    );
    if too_few > 0 {
        text.push_str(&format!(
            ", though for {} there are too few rows to be sure",
            counted(too_few, "column")
        ));
    } else if folder.run.rows < FEW_ROWS {
        text.push_str(&format!(", at least not from {}", counted(folder.run.rows, "row")));
    }
    if !folder.run.arcs.is_empty() {
        text.push_str("; do not build on the arcs below");
    }
    text + "."
}

/// "Exited (77% right where guessing is 50%, mostly from A and B)".
fn measured(node: &NodeClauses) -> String {
    let Some(accuracy) = node.accuracy else { return node.name.clone() };
    let from = match features(node).as_slice() {
        [] => String::new(),
        several => format!(", mostly from {}", several.join(" and ")),
    };
    let (right, chance) = (percent(accuracy.mean), percent(accuracy.chance));
    format!("{} ({right} right where guessing is {chance}{from})", node.name)
}

/// The features that speak loudest about a node.
pub(super) fn features(node: &NodeClauses) -> Vec<&str> {
    let strong = node.features.iter().filter(|feature| feature.strength > 0.0).take(FEATURES);
    let told = strong.enumerate().filter(|(place, feature)| *place == 0 || feature.share >= TELLING);
    told.map(|(_, feature)| feature.name.as_str()).collect()
}

/// How far a node is from guessing, where 1 is always right.
pub(super) fn skill(node: &NodeClauses) -> f64 {
    node.accuracy.map_or(0.0, |a| (a.mean - a.chance) / (1.0 - a.chance).max(f64::EPSILON))
}

/// The best predicted nodes, but for those that are spoken of already.
fn best<'n>(nodes: &'n [NodeClauses], spoken_of: &[&NodeClauses]) -> Vec<&'n NodeClauses> {
    let signal = |node: &&NodeClauses| Verdict::of(node.accuracy) == Verdict::Signal;
    let new = |node: &&NodeClauses| !spoken_of.iter().any(|other| other.name == node.name);
    let mut found: Vec<&NodeClauses> = nodes.iter().filter(signal).filter(new).collect();
    // Equals stay in the order of names.
    found.sort_by(|a, b| skill(b).total_cmp(&skill(a)));
    found.truncate(BEST);
    found
}

/// The part that a node plays.
pub(super) fn role(folder: &RunFolder, name: &str) -> Role {
    folder.run.targets.iter().find(|target| target.name == name).map_or(Role::Observed, |target| target.role)
}

fn caution(folder: &RunFolder) -> String {
    let arcs = &folder.run.arcs;
    let open = arcs.iter().filter(|arc| !arc.compelled).count();
    let unless = "only if no common cause is missing from the table";
    let told = match (arcs.len(), open) {
        (0, _) => {
            return "That is a finding too: what is listed below for single columns is no more than a hint, and may be noise."
                .into();
        }
        (1, 1) => "the data cannot tell which way the one arc runs".to_string(),
        (1, _) => format!("the direction of the one arc holds {unless}"),
        (all, 0) => format!("the directions of all {all} arcs hold {unless}"),
        (all, open) if all == open => format!("the data cannot tell which way any of the {all} arcs runs"),
        (all, open) => {
            let others = match all - open {
                1 => "direction of the other one holds".to_string(),
                several => format!("directions of the other {several} hold"),
            };
            format!(
                "the data cannot tell which way {open} of the {all} arcs run{}, and the {others} {unless}",
                if open == 1 { "s" } else { "" }
            )
        }
    };
    format!("An arc is not yet a cause: {told}.")
}
