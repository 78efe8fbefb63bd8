//! Names close to one that was mistyped.

use strsim::osa_distance;

/// The known name most similar to an unknown one, if any is similar enough to be what was meant.
///
/// Similar means: equal but for case, or at most a third of the characters inserted, deleted, replaced or swapped with
/// their neighbour. Ties go to the first in name order.
pub fn closest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let beginning = |name: &str| -> String { name.to_lowercase().chars().take(MAX_LENGTH).collect() };
    let wanted = beginning(name);
    let length = wanted.chars().count();
    let allowed = (length / 3).max(1);
    known
        .into_iter()
        .map(|candidate| (osa_distance(&wanted, &beginning(candidate)), candidate))
        .filter(|&(edits, _)| edits <= allowed && edits < length)
        .min()
        .map(|(_, candidate)| candidate)
}

/// The end of a message about an unknown name: the one that may have been meant, if there is any.
pub fn meant(closest: Option<&str>) -> String {
    closest.map_or(String::new(), |name| format!("; did you mean '{name}'?"))
}

/// Longer names are compared by their beginning, to bound the work on hostile headers.
const MAX_LENGTH: usize = 64;

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
    fn counts_characters_and_swaps_of_neighbours() {
        assert_eq!(closest("ba", ["ab", "xy"]), Some("ab"), "one swap");
        assert_eq!(closest("sitting", ["kitten"]), None, "three edits are more than a third of seven");
        assert_eq!(closest("kittne", ["kitten"]), Some("kitten"));
        assert_eq!(closest("größe", ["grösse", "Größe"]), Some("Größe"));
        assert_eq!(closest("a", ["b", ""]), None, "nothing is left of a name that is all edits");
        assert_eq!(closest("abd", ["abe", "abc"]), Some("abc"), "ties by name");
        let long = "x".repeat(100);
        assert_eq!(
            closest(&format!("{long}1"), [format!("{long}2").as_str()]),
            Some(format!("{long}2").as_str())
        );
    }
}
