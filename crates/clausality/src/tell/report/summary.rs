//! What was learned, in three sentences for somebody who will read no more.

use super::title;
use crate::assemble::Assembler;
use crate::data::{Relation, Twin};
use crate::learn::{LearnedArc, Way};
use crate::rules::Role;
use crate::run::{NodeClauses, Run, RunFolder};
use crate::strengths::Feature;
use crate::tell::explain::uses;
use crate::tell::{Rule, Verdict};
use crate::words::{counted, percent, quoted};
use std::collections::BTreeSet;

/// Variables named as the best predicted.
const BEST: usize = 3;
/// Features named for one of them.
const FEATURES: usize = 2;
/// The share of all strength from which on a second feature is named.
const TELLING: f64 = 0.15;
/// Fewer rows than this may hide what is there.
const FEW_ROWS: usize = 500;
/// An arc whose parent beats luck no more often than this is weakly supported.
pub(super) const WEAK: f64 = 0.5;

/// What there is, what can be predicted, and what must not be read into it.
pub(super) fn sentences(folder: &RunFolder) -> [String; 3] {
    [network(folder), prediction(folder), caution(folder)]
}

/// What the run is about in one sentence, with its most telling rule: the target if there is one, else what can be predicted best. A column
/// that repeats others is no finding.
pub(super) fn finding(folder: &RunFolder) -> Option<String> {
    let nodes = &folder.clauses.targets;
    let asked = folder.run.predictions.first().map(|prediction| prediction.target.as_str());
    let sought = |node: &&NodeClauses| match asked {
        Some(target) => node.name == target,
        None => role(folder, &node.name) == Role::Unobserved,
    };
    let node = nodes.iter().find(sought).or_else(|| best(folder, &[]).first().copied())?;
    let accuracy = node.accuracy.filter(|_| Verdict::of(node.accuracy) == Verdict::Signal)?;
    let repeated = |feature: &&Feature| repeats(&folder.run, &node.name, &feature.name);
    let mut strong = node.features.iter().filter(|feature| feature.strength > 0.0);
    let copy = strong.clone().find(repeated).filter(|copy| features(node).contains(&copy.name.as_str()));
    let mut text = match copy {
        // How well a copy tells it is no finding: what else goes with it may be one.
        Some(copy) => format!("{} is told by {}, which repeats it", node.name, copy.name),
        None => String::new(),
    };
    let from: Vec<&str> = match copy {
        Some(_) => strong
            .by_ref()
            .filter(|feature| !repeated(feature))
            .take(FEATURES)
            .map(|f| f.name.as_str())
            .collect(),
        None => features(node),
    };
    let (right, chance) = (percent(accuracy.mean), percent(accuracy.chance));
    text.push_str(&match (copy, from.is_empty()) {
        (Some(_), true) => ": leave that out to see what else goes with it.".to_string(),
        (Some(_), false) => format!(". Beside that it goes with {}.", from.join(" and ")),
        (None, true) => format!(
            "{} can be told from {}: right {right} of the time, where guessing is {chance}.",
            node.name,
            others(&folder.run)
        ),
        (None, false) => format!(
            "{} goes with {}: right {right} of the time, where guessing is {chance}.",
            node.name,
            from.join(" and ")
        ),
    });
    let own = |rule: &&Rule| {
        let of_copy = copy.is_some_and(|copy| uses(&rule.clause, &copy.name));
        !of_copy && from.iter().any(|feature| uses(&rule.clause, feature))
    };
    if let Some(Rule { text: rule, clause }) = folder.explain_node(&node.name).ok()?.rules.iter().find(own) {
        text.push_str(&format!(
            " {rule}: {} of {}, against {} of all.",
            percent(clause.precision),
            counted(clause.support, "row"),
            percent(clause.base)
        ));
    }
    Some(text)
}

/// Whether two columns are tied because one repeats the other, or what repeats it: of `flag = claim`, which follows from `amount`, flag and amount are.
pub(super) fn repeats(run: &Run, one: &str, other: &str) -> bool {
    let has = |twin: &Twin, name: &str| twin.name == name || twin.of.iter().any(|of| of == name);
    run.twins.iter().any(|twin| has(twin, one) && has(twin, other))
        || follows(run, one, other)
        || follows(run, other, one)
}

/// Whether a column can be told from another alone, step by step. Two that follow from a third need not tell each other.
fn follows(run: &Run, one: &str, other: &str) -> bool {
    let mut reached = vec![one];
    let mut at = 0;
    while let Some(&name) = reached.get(at) {
        at += 1;
        for twin in &run.twins {
            // A sum and a part of it say different things: only ties of two lead on.
            let [of] = twin.of.as_slice() else { continue };
            let both_ways = matches!(twin.relation, Relation::Copy | Relation::NearCopy | Relation::Line);
            let next = match () {
                () if twin.name == name => of.as_str(),
                () if of == name && both_ways => twin.name.as_str(),
                () => continue,
            };
            if next == other {
                return true;
            }
            if !reached.contains(&next) {
                reached.push(next);
            }
        }
    }
    false
}

fn network(folder: &RunFolder) -> String {
    let run = &folder.run;
    let (table, rows) = (title(&run.table), run.counted_rows());
    let size = match run.columns.len() {
        0 => rows,
        columns => format!("{rows} and {}", counted(columns, "column")),
    };
    let variables = match &run.time {
        Some(course) => {
            let steps = counted(course.lags, "step");
            format!(
                "{}, looking back {steps},",
                counted(run.targets.len() + course.statics.len(), "variable")
            )
        }
        None => counted(run.nodes.len(), "variable"),
    };
    match run.arcs.len() {
        0 if run.has_rules() => {
            format!(
                "From the {size} of {table} no arc between its {variables} was learned: none that the rules allow is worth it."
            )
        }
        0 => format!(
            "In the {size} of {table} no two of its {variables} are tied closely enough to be worth an arc."
        ),
        arcs => format!(
            "From the {size} of {table} a network of {variables} and {} was learned: an arc joins {}.",
            counted(arcs, "arc"),
            meaning(run)
        ),
    }
}

/// What an arc says, which depends on who chose the arcs.
fn meaning(run: &Run) -> &'static str {
    match run.params.network.assembler {
        Some(Assembler::Paper) => "a variable with one of those that say most about it",
        Some(Assembler::ChowLiu) => "two variables that say much about each other, as far as a tree has room",
        _ => "two variables of which one says something about the other that no third one explains",
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
        (1, 1) => "The one variable can".to_string(),
        (all, of) if all == of => format!("All {} can", counted(all, "variable")),
        (some, of) => format!("{some} of {} can", counted(of, "variable")),
    };
    text.push_str(&format!(" be predicted from {} better than by guessing", others(&folder.run)));
    let sought: Vec<&NodeClauses> =
        nodes.iter().filter(|node| role(folder, &node.name) == Role::Unobserved).collect();
    if let [one] = sought.as_slice() {
        match Verdict::of(one.accuracy) {
            Verdict::Signal => {
                text.push_str(&format!(", and {}, which is to be inferred, is", measured(one, true)))
            }
            _ => text.push_str(&format!(", but {}, which is to be inferred, is not", one.name)),
        }
        text.push_str(" one of them");
    }
    // How it was measured is said where the first figure stands.
    let said = matches!(sought.as_slice(), [one] if Verdict::of(one.accuracy) == Verdict::Signal);
    let best = best(folder, &sought).into_iter().enumerate();
    let best: Vec<String> = best.map(|(place, node)| measured(node, place == 0 && !said)).collect();
    let which = if sought.is_empty() { "best" } else { "best of the others" };
    match best.as_slice() {
        [] => {}
        [one] => text.push_str(&format!("; {which} is {one}")),
        [most @ .., last] => text.push_str(&format!("; {which} are {} and {last}", most.join(", "))),
    }
    text + "."
}

/// What a variable is predicted from: over time also what was before, and of one column nothing else.
fn others(run: &Run) -> &'static str {
    match &run.time {
        None => "the others",
        Some(course) if run.targets.len() == 1 && course.statics.is_empty() => "its own past",
        Some(_) => "the past and the others",
    }
}

fn without_signal(folder: &RunFolder, too_few: usize, unmeasured: bool) -> String {
    if unmeasured {
        return format!(
            "How well a variable can be predicted from {} could not be measured: all but one of the states of every one are too rare.",
            others(&folder.run)
        );
    }
    let mut text = format!(
        "There is no signal here: no variable can be predicted from {} better than by guessing",
        others(&folder.run)
    );
    if too_few > 0 {
        text.push_str(&format!(
            ", though for {} there are too few rows to be sure",
            counted(too_few, "variable")
        ));
    } else if folder.run.rows < FEW_ROWS {
        text.push_str(&format!(", at least not from {}", counted(folder.run.rows, "row")));
    }
    if !folder.run.arcs.is_empty() {
        text.push_str("; do not build on the arcs below");
    }
    text + "."
}

/// "Exited (right 77% of the time, each state counting alike, where guessing is 50%, mostly from A and B)"; not in full:
/// "Exited (77% against 50%, mostly from A and B)".
fn measured(node: &NodeClauses, in_full: bool) -> String {
    let Some(accuracy) = node.accuracy else { return node.name.clone() };
    let from = match features(node).as_slice() {
        [] => String::new(),
        several => format!(", mostly from {}", several.join(" and ")),
    };
    let (right, chance) = (percent(accuracy.mean), percent(accuracy.chance));
    let figures = match in_full {
        true => format!("right {right} of the time, each state counting alike, where guessing is {chance}"),
        false => format!("{right} against {chance}"),
    };
    format!("{} ({figures}{from})", node.name)
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
fn best<'n>(folder: &'n RunFolder, spoken_of: &[&NodeClauses]) -> Vec<&'n NodeClauses> {
    let nodes = &folder.clauses.targets;
    // What mostly repeats another column is predicted well, and that is no finding.
    let own = |node: &&NodeClauses| {
        !features(node).first().is_some_and(|feature| repeats(&folder.run, &node.name, feature))
    };
    let signal = |node: &&NodeClauses| Verdict::of(node.accuracy) == Verdict::Signal;
    let new = |node: &&NodeClauses| !spoken_of.iter().any(|other| other.name == node.name);
    let mut found: Vec<&NodeClauses> = nodes.iter().filter(signal).filter(new).filter(own).collect();
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
    if arcs.is_empty() && folder.run.has_rules() {
        return "Other rules may allow what these forbid: what is listed below for single variables does not look at them.".into();
    }
    if arcs.is_empty() {
        return "That is a finding too: what is listed below for single variables is no more than a hint, and may be noise."
            .into();
    }
    let open = arcs.iter().filter(|arc| arc.way() == Way::Open).count();
    let ways = |way: Way| arcs.iter().filter(|arc| arc.way() == way).count();
    let ruled = match (ways(Way::Rules), ways(Way::Calendar)) {
        (0, 0) => String::new(),
        (rules, 0) => format!("; the rules set {rules} of them, not the data"),
        (0, calendar) => format!("; {}, not because of the data", from_dates(arcs, calendar)),
        (rules, calendar) => {
            format!(
                "; the rules set {rules} of them and {}, not because of the data",
                from_dates(arcs, calendar)
            )
        }
    };
    let weak = arcs.iter().filter(|arc| arc.hit_rate.is_some_and(|rate| rate <= WEAK)).count();
    let support = match (arcs.len(), weak) {
        (_, 0) => String::new(),
        (1, _) => "the one arc is weakly supported; ".into(),
        (all, weak) if all == weak => format!("all {all} arcs are weakly supported; "),
        (all, 1) => format!("1 of the {all} arcs is weakly supported; "),
        (all, weak) => format!("{weak} of the {all} arcs are weakly supported; "),
    };
    format!("An arc is not yet a cause: {support}{}{ruled}.", directions(arcs.len(), open))
}

/// How many arcs run as they do because of which calendar parts.
fn from_dates(arcs: &[LearnedArc], count: usize) -> String {
    let run = if count == 1 { "runs" } else { "run" };
    format!("{count} {run} as shown because {}", are_calendar_parts(&calendar_parts(arcs)))
}

/// The calendar parts that direct arcs.
pub(super) fn calendar_parts(arcs: &[LearnedArc]) -> Vec<&str> {
    let directs = arcs.iter().filter(|arc| arc.way() == Way::Calendar);
    directs.map(|arc| arc.parent.as_str()).collect::<BTreeSet<_>>().into_iter().collect()
}

/// That these are calendar parts.
pub(super) fn are_calendar_parts(parts: &[&str]) -> String {
    let are = if parts.len() == 1 { "is a calendar part" } else { "are calendar parts" };
    format!("{} {are}", quoted(parts, 4))
}

/// Which directions are open, and what the others rest on.
fn directions(all: usize, open: usize) -> String {
    let unless = |arcs: &str| format!("only if {arcs} right and no common cause is missing from the table");
    match (all, open) {
        (1, 1) => "the data cannot tell which way the one arc runs".into(),
        (1, _) => format!("the direction of the one arc holds {}", unless("it is")),
        (all, 0) => format!("the directions of all {all} arcs hold {}", unless("the arcs are")),
        (all, open) if all == open => format!("the data cannot tell which way any of the {all} arcs runs"),
        (all, open) => {
            let others = match all - open {
                1 => "direction of the other one holds".to_string(),
                several => format!("directions of the other {several} hold"),
            };
            let runs = if open == 1 { "runs" } else { "run" };
            let unless = unless("the arcs are");
            format!(
                "the data cannot tell which way {open} of the {all} arcs {runs}, and the {others} {unless}"
            )
        }
    }
}
