//! What can be said of every column, in the words of the tables and of the sentence below them.

use clausality::strengths::Strengths;
pub(crate) use clausality::tell::Verdict;

/// The lines below a table: what accuracy means, and how many columns have which verdict.
pub(crate) fn summary(found: &Strengths) -> String {
    let all = found.targets.len();
    let count =
        |verdict| found.targets.iter().filter(|&target| Verdict::of(target.accuracy) == verdict).count();
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
