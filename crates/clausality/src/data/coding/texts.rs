//! Back from a state to a text that a person would have recorded.

use super::{CodedVariable, StateRule};
use crate::data::cells::number::{self, DecimalComma, Numeral};
use std::borrow::Cow;

impl CodedVariable {
    /// Of the texts that were recorded in one state, the place of the one that stands for it: of numbers that were cut the
    /// median (of two the lower), of anything else the most frequent; of equals the first in the order of texts.
    pub fn typical(&self, texts: &[Cow<'_, [u8]>], separator: char) -> Option<usize> {
        if let StateRule::Cuts(_) = self.rule {
            let numbers = self.in_order(texts, separator);
            if !numbers.is_empty() {
                return Some(numbers[(numbers.len() - 1) / 2]);
            }
        }
        let mut order: Vec<usize> = (0..texts.len()).collect();
        order.sort_by(|&a, &b| texts[a].cmp(&texts[b]).then(a.cmp(&b)));
        let runs = order.chunk_by(|&a, &b| texts[a] == texts[b]);
        runs.reduce(|best, run| if run.len() > best.len() { run } else { best }).map(|run| run[0])
    }

    /// The places of those texts that are numbers, from the lowest to the highest; of equals the first in the order of texts.
    pub fn in_order(&self, texts: &[Cow<'_, [u8]>], separator: char) -> Vec<usize> {
        let value = |text: &[u8]| match number::read_declared(text, DecimalComma(separator == ';')) {
            Numeral::Finite(value) => Some(value),
            _ => None,
        };
        let mut numbers: Vec<(f64, usize)> =
            texts.iter().enumerate().filter_map(|(place, text)| Some((value(text)?, place))).collect();
        numbers.sort_by(|a, b| a.0.total_cmp(&b.0).then_with(|| texts[a.1].cmp(&texts[b.1])));
        numbers.into_iter().map(|(_, place)| place).collect()
    }

    /// What to write for a state in which nothing was recorded: the middle of a bin (of an outer one a place near its cut), a
    /// level, a number; the label where none of these is to be had.
    pub fn written(&self, state: u8) -> String {
        let label = || self.variable.states.get(usize::from(state)).cloned().unwrap_or_default();
        match &self.rule {
            StateRule::Cuts(cuts) => {
                let at = |place: usize| cuts.at.get(place).copied();
                let place = usize::from(state);
                let below = place.checked_sub(1).and_then(at);
                let value = match (below, at(place)) {
                    (Some(low), Some(high)) => Some(0.5 * low + 0.5 * high),
                    (None, Some(high)) => {
                        Some(high - at(1).map_or_else(|| near(high), |next| 0.5 * (next - high)))
                    }
                    (Some(low), None) => {
                        let last = place.checked_sub(2).and_then(at);
                        Some(low + last.map_or_else(|| near(low), |last| 0.5 * (low - last)))
                    }
                    (None, None) => None,
                };
                let short = value.map(|value| number::round_to(value, 6)).into_iter().chain(value);
                let right = |value: &f64| value.is_finite() && cuts.state(*value) == state;
                let found = short.into_iter().find(right).map(number::write);
                found.unwrap_or_else(label)
            }
            StateRule::Numbers(values) => {
                values.get(usize::from(state)).map_or_else(label, |&v| number::write(v))
            }
            StateRule::Levels { levels, other, .. } => {
                let level = usize::from(state).checked_sub(usize::from(*other)).and_then(|k| levels.get(k));
                level.cloned().unwrap_or_else(label)
            }
            StateRule::Date { .. } | StateRule::Periods { .. } => label(),
        }
    }
}

/// A small step beside a number.
fn near(cut: f64) -> f64 {
    if cut == 0.0 { 1.0 } else { number::unit(cut.abs(), 2) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Cuts, Side};
    use clausality_bn::Variable;

    fn coded(rule: StateRule, states: &[&str]) -> CodedVariable {
        let variable = Variable::new("v", states.iter().copied());
        CodedVariable { column: "v".into(), variable, rule }
    }

    fn typical(coded: &CodedVariable, texts: &[&str], separator: char) -> Option<String> {
        let cells: Vec<Cow<'_, [u8]>> = texts.iter().map(|text| text.as_bytes().into()).collect();
        coded.typical(&cells, separator).map(|place| texts[place].to_string())
    }

    #[test]
    fn recorded_texts_stand_for_their_state() {
        let cut = coded(
            StateRule::Cuts(Cuts { at: vec![9.0], equal: Side::Below, seen: None, spread: vec![] }),
            &["<= 9", "> 9"],
        );
        assert_eq!(typical(&cut, &["10", "30.0", "11", "200"], ','), Some("11".into()));
        assert_eq!(typical(&cut, &["10,5", "9,75", "30"], ';'), Some("10,5".into()));
        assert_eq!(typical(&cut, &["> 9", "> 9"], ','), Some("> 9".into()));
        let levels = coded(
            StateRule::Levels { levels: vec!["a".into()], other: true, by_value: false },
            &["other", "a"],
        );
        assert_eq!(typical(&levels, &["y", "x", "y", "x"], ','), Some("x".into()));
        assert_eq!(typical(&levels, &[], ','), None);
        assert_eq!([levels.written(0), levels.written(1)], ["other", "a"]);
    }

    #[test]
    fn a_number_for_a_bin_lies_in_it() {
        for (at, equal) in [
            (vec![0.0], Side::Below),
            (vec![-7.5], Side::Above),
            (vec![1.0, 2.0, 40.0], Side::Above),
            (vec![1e-9, 2e-9], Side::Below),
            (vec![1e300, 1.5e300], Side::Below),
        ] {
            let labels: Vec<String> = (0..=at.len()).map(|k| k.to_string()).collect();
            let labels: Vec<&str> = labels.iter().map(String::as_str).collect();
            let cuts = Cuts { at, equal, seen: None, spread: vec![] };
            let cut = coded(StateRule::Cuts(cuts.clone()), &labels);
            for state in 0..labels.len() as u8 {
                let value: f64 = cut.written(state).parse().unwrap();
                assert_eq!(cuts.state(value), state, "{cuts:?} {value}");
            }
        }
        assert_eq!(coded(StateRule::Numbers(vec![0.5, 2.0]), &["0.5", "2"]).written(1), "2");
    }
}
