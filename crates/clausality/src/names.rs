//! Names close to one that was mistyped.

/// The known name most similar to an unknown one, if any is similar enough to be what was meant.
///
/// Similar means: equal but for case, or at most a third of the characters inserted, deleted, replaced or swapped with
/// their neighbour. Ties go to the first in name order.
pub fn closest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let wanted: Vec<char> = name.to_lowercase().chars().take(MAX_LENGTH).collect();
    let allowed = (wanted.len() / 3).max(1);
    let distance = |candidate: &str| {
        let candidate: Vec<char> = candidate.to_lowercase().chars().take(MAX_LENGTH).collect();
        edits(&wanted, &candidate)
    };
    known
        .into_iter()
        .map(|candidate| (distance(candidate), candidate))
        .filter(|&(edits, _)| edits <= allowed && edits < wanted.len())
        .min()
        .map(|(_, candidate)| candidate)
}

/// The end of a message about an unknown name: the one that may have been meant, if there is any.
pub(crate) fn meant(closest: Option<&str>) -> String {
    closest.map_or(String::new(), |name| format!("; did you mean '{name}'?"))
}

/// Longer names are compared by their beginning, to bound the work on hostile headers.
const MAX_LENGTH: usize = 64;

/// Insertions, deletions, replacements and swaps of neighbours that turn one text into the other.
fn edits(a: &[char], b: &[char]) -> usize {
    let mut before: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for i in 1..=a.len() {
        let mut row = vec![i];
        for j in 1..=b.len() {
            let replaced = last[j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut best = replaced.min(last[j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                best = best.min(before[j - 2] + 1);
            }
            row.push(best);
        }
        before = std::mem::replace(&mut last, row);
    }
    last[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_what_was_meant() {
        let names = ["Exited", "Geography", "CreditScore", "Age"];
        assert_eq!(closest("exited", names), Some("Exited"));
        assert_eq!(closest("Geogrpahy", names), Some("Geography"));
        assert_eq!(closest("Credit Score", names), Some("CreditScore"));
        assert_eq!(closest("Tenure", names), None);
    }

    #[test]
    fn counts_edits() {
        let count = |a: &str, b: &str| edits(&a.chars().collect::<Vec<_>>(), &b.chars().collect::<Vec<_>>());
        assert_eq!(count("", "abc"), 3);
        assert_eq!(count("kitten", "sitting"), 3);
        assert_eq!(count("ab", "ba"), 1);
    }
}
