//! Finer states of a column than its variable has, for whoever looks closer than a network can: the machines that predict one column.
//!
//! A number that fills a share of 1/B of the rows is a state of its own; what lies between such numbers is cut into states of
//! about equal counts, so many that there are about B in all. So a column that is zero nine times
//! in ten still has B states, and a column of few rows keeps its numbers as they are: who fits points to states holds them together by a ridge. The rule is that of LightGBM's histograms (Ke et al. 2017, `GreedyFindBin`). A gap has a state
//! where the variable has one for it, and is unknown elsewhere. Columns that are not cut stay as they are.

use crate::data::cells::column::{Cells, Column};
use crate::data::cells::marks::Marks;
use crate::data::cells::number::Numeral;
use crate::data::coding::{CodedVariable, StateRule};
use crate::data::decide::bins::{self, Cuts, Side};
use crate::data::decide::numbers::Numbers;
use crate::data::decide::verdict::unused;
use clausality_bn::Variable;

/// About so many states; at most twice as many and a few, which a code of one byte can still tell apart.
const STATES: usize = 120;

/// The variable with finer states.
pub(in crate::data) fn finer(coded: &CodedVariable, column: &Column, marks: &Marks) -> CodedVariable {
    let mut fine = coded.clone();
    let Variable { states, has_missing_state, .. } = &mut fine.variable;
    let gap = has_missing_state.then(|| states.last().cloned()).flatten();
    let counted = counted(column, marks);
    if matches!(coded.rule, StateRule::Cuts(_)) && counted.len() > 1 {
        let cuts = cuts(&counted);
        *states = cuts.labels(&Numbers::counted(counted).extent(None));
        states.extend(gap.map(|label| unused(&label, states)));
        fine.rule = StateRule::Cuts(cuts);
    }
    fine
}

/// The different numbers of a column in rising order, with their counts.
fn counted(column: &Column, marks: &Marks) -> Vec<(f64, usize)> {
    let mut all: Vec<(f64, usize)> = match &column.cells {
        Cells::Numbers { values, .. } => {
            values.iter().filter(|value| !value.is_nan()).map(|value| (value, 1)).collect()
        }
        Cells::Words { words, codes } => {
            let numeral = |(word, count): (&[u8], usize)| match column.numeral(word) {
                Numeral::Finite(value) if count > 0 && !column.is_gap(word, marks) => Some((value, count)),
                _ => None,
            };
            words.iter().zip(codes.counts(words.len())).filter_map(numeral).collect()
        }
        Cells::Nothing => Vec::new(),
    };
    all.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
    let runs = all.chunk_by(|a, b| a.0 == b.0);
    runs.map(|run| (run[0].0, run.iter().map(|&(_, count)| count).sum())).collect()
}

fn cuts(counted: &[(f64, usize)]) -> Cuts {
    let whole = counted.iter().all(|(value, _)| value.fract() == 0.0);
    let rows: usize = counted.iter().map(|&(_, count)| count).sum();
    let heavy = |count: usize| count * STATES >= rows;
    let alone = counted.iter().filter(|&&(_, count)| heavy(count)).count();
    let rest: usize = counted.iter().map(|&(_, count)| count).filter(|&count| !heavy(count)).sum();
    let size = (rest / STATES.saturating_sub(alone).max(1)).max(1);
    let (mut at, mut held) = (Vec::new(), 0);
    for pair in counted.windows(2) {
        let ((low, count), (high, next)) = (pair[0], pair[1]);
        held += count;
        if heavy(count) || held >= size || heavy(next) {
            // Halves, so that no sum is infinite.
            let middle = if whole { low } else { (low / 2.0 + high / 2.0).clamp(low, high) };
            let middle = if middle < high { middle } else { low };
            at.push(bins::neat(middle, |cut| low <= cut && cut < high));
            held = 0;
        }
    }
    let seen = counted.first().zip(counted.last()).map(|(low, high)| (low.0, high.0));
    Cuts { at, equal: Side::Below, seen, spread: Vec::new() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_zeros_leave_room_for_the_rest() {
        let zeros = (0.0, 9000);
        let others = (1..=1000).map(|k| (f64::from(k), 1));
        let found = cuts(&[zeros].into_iter().chain(others).collect::<Vec<_>>());
        assert_eq!(found.at[0], 0.0);
        assert!((115..=130).contains(&found.at.len()) && found.is_sound(), "{}", found.at.len());
        let few: Vec<(f64, usize)> = (0..30).map(|k| (f64::from(k), 1)).collect();
        assert_eq!(cuts(&few).at.len(), 29, "few numbers stay as they are");
        // The most there can be: many rows just too few for two in a state, or what is frequent and what is rare in turn.
        let single: Vec<(f64, usize)> = (0..239).map(|k| (f64::from(k), 1)).collect();
        let in_turn: Vec<(f64, usize)> =
            (0..237).map(|k| (f64::from(k), if k % 2 == 0 { 1 } else { 200 })).collect();
        for counted in [single, in_turn] {
            assert!(cuts(&counted).at.len() < 250, "{}", cuts(&counted).at.len());
        }
    }
}
