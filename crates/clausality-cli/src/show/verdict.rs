//! What can be said of every column, in the words of the tables and of the sentence below them.

use clausality::bn::dynamic::Lagged;
use clausality::strengths::Strengths;
pub(crate) use clausality::tell::Verdict;

/// The lines below a table: what accuracy means, and how many columns have which verdict.
pub(crate) fn summary(found: &Strengths) -> String {
    let all = found.targets.len();
    let count =
        |verdict| found.targets.iter().filter(|&target| Verdict::of(target.accuracy) == verdict).count();
    let (held_out, from) = predictors(found);
    let mut text = format!("Accuracy: balanced, on {held_out}.\n");
    if count(Verdict::Signal) == all {
        return text + &format!("Every column can be predicted from {from} better than by chance.\n");
    }
    if count(Verdict::NoSignal) == all {
        return text + &format!("No signal: no column can be predicted from {from} better than by chance.\n");
    }
    for (verdict, name, meaning) in [
        (Verdict::NoSignal, "No signal", "predicted no better than by chance"),
        (Verdict::TooFewRows, "Too few rows", "above chance, but it may be luck"),
        (Verdict::Unmeasured, "Unmeasured", "too few rows in all but one state"),
    ] {
        let columns = count(verdict);
        if columns > 0 {
            text.push_str(&format!("{name} in {columns} of {all} columns: {meaning}.\n"));
        }
    }
    text
}

/// How columns were predicted, and from what: over time also what was before, and of one column nothing else.
fn predictors(found: &Strengths) -> (&'static str, &'static str) {
    let mut features = found.targets.iter().flat_map(|target| {
        target.features.iter().map(|feature| (target.name.as_str(), Lagged::parse(&feature.name)))
    });
    if !features.clone().any(|(_, feature)| feature.step.is_some()) {
        ("rows held out, with all other columns as predictors", "the others")
    } else if features.any(|(target, feature)| feature.name != target) {
        ("windows held out, from the past and all other columns", "past and others")
    } else {
        ("windows held out, from its own past", "its own past")
    }
}
