//! What can be said of every column, in the words of the tables and of the sentence below them.

use clausality::strengths::{Strengths, Target};

/// How well a column can be predicted from all others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// Better than by chance.
    Signal,
    /// No better than by chance.
    NoSignal,
    /// Above chance, but on too few rows to be sure.
    TooFewRows,
    /// Nobody knows: too few of its states have rows enough.
    Unmeasured,
}

/// An accuracy so far above chance that only the number of rows can be to blame for the missing signal.
const CLEARLY_ABOVE: f64 = 0.1;

impl Verdict {
    pub(crate) fn of(target: &Target) -> Self {
        match target.accuracy {
            Some(a) if a.signal => Verdict::Signal,
            Some(a) if a.mean > a.chance + CLEARLY_ABOVE => Verdict::TooFewRows,
            Some(_) => Verdict::NoSignal,
            None => Verdict::Unmeasured,
        }
    }

    /// The word in a table; none where there is signal.
    pub(crate) fn word(self) -> Option<&'static str> {
        match self {
            Verdict::Signal => None,
            Verdict::NoSignal => Some("no signal"),
            Verdict::TooFewRows => Some("too few rows to be sure"),
            Verdict::Unmeasured => Some("unmeasured"),
        }
    }
}

/// The lines below a table: what accuracy means, and how many columns have which verdict.
pub(crate) fn summary(found: &Strengths) -> String {
    let all = found.targets.len();
    let count = |verdict| found.targets.iter().filter(|&target| Verdict::of(target) == verdict).count();
    let mut text =
        String::from("Accuracy: balanced, on rows held out, with all other columns as predictors.\n");
    if count(Verdict::Signal) == all {
        return text + "Every column can be predicted from the others better than by chance.\n";
    }
    if count(Verdict::NoSignal) == all {
        return text + "No signal: no column can be predicted from the others better than by chance.\n";
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
