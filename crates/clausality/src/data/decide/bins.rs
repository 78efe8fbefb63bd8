//! Where a numeric column is cut into states.
//!
//! `quantile`: cut k of B stands at the type-7 quantile k/B, `x[i] + f·(x[i+1] − x[i])` with `(n−1)k/B = i + f`; equal cuts
//! are merged. `width`: `state = min(B−1, ⌊B(x−min)/(max−min)⌋)`; empty states do not count.
//!
//! Implements: the levels of the paper's §VI (Blakely 2023, "low, medium, high, very high"; the paper leaves the rule open, its author's
//! published table is cut by width).
//!
//! Our reading: a cut may move within the gap between the two observations it separates, so that it is a short number; no
//! observation changes its state by that. A quantile at the maximum would leave nothing above it and moves down to the next
//! lower observation, so that a column with two values always has two states.
//!
//! Complexity: O(n) for plain numbers, O(d log d) for d counted ones.

use crate::data::cells::number;
use serde::{Deserialize, Serialize};

/// Numbers between the states of a column, from low to high.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Cuts {
    /// The cuts in rising order.
    pub at: Vec<f64>,
    /// To which side a value equal to a cut belongs.
    pub equal: Side,
}

/// A side of a cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Side {
    /// The state below the cut.
    Below,
    /// The state above the cut.
    Above,
}

impl Cuts {
    /// The state of a value; values beyond the observed range fall into the outer states.
    #[inline]
    pub fn state(&self, value: f64) -> u8 {
        match self.equal {
            Side::Below => self.at.iter().map(|&cut| u8::from(value > cut)).sum(),
            Side::Above => self.at.iter().map(|&cut| u8::from(value >= cut)).sum(),
        }
    }

    /// What the states are called: intervals between the cuts, which are shown to a hundredth of the narrowest state or finer.
    ///
    /// Whole numbers in narrow states are shown as ranges with both ends in (`26 to 50`), and a first or last state of one
    /// number as that number.
    pub(in crate::data) fn labels(&self, numbers: &Numbers<'_>) -> Vec<String> {
        let (Some(&first), Some(&last)) = (self.at.first(), self.at.last()) else {
            return vec!["any".into()];
        };
        let widths = self.at.windows(2).map(|pair| pair[1] - pair[0]);
        let ends = [first - numbers.low, numbers.high - last].into_iter().filter(|_| self.at.len() == 1);
        let narrowest = widths.chain(ends).filter(|&width| width > 0.0).fold(f64::INFINITY, f64::min);
        let step = number::unit(narrowest, 3);
        let show = |cut: f64| number::write(number::round_at(cut, step));
        let below = self.equal == Side::Below;
        let ranges = numbers.whole && below && step <= 1.0;
        let mut labels = Vec::with_capacity(self.at.len() + 1);
        labels.push(match below {
            true if numbers.low == first => number::write(first),
            true => format!("<= {}", show(first)),
            false => format!("< {}", show(first)),
        });
        for pair in self.at.windows(2) {
            let from = if ranges { number::write(pair[0] + 1.0) } else { show(pair[0]) };
            let to = show(pair[1]);
            labels.push(if from == to { from } else { format!("{from} to {to}") });
        }
        labels.push(match below {
            true if ranges && numbers.high == last + 1.0 => number::write(numbers.high),
            true if ranges => format!(">= {}", number::write(last + 1.0)),
            true => format!("> {}", show(last)),
            false => format!(">= {}", show(last)),
        });
        labels
    }

    /// Whether the cuts rise and are finite.
    pub(in crate::data) fn is_sound(&self) -> bool {
        self.at.iter().all(|cut| cut.is_finite()) && self.at.windows(2).all(|pair| pair[0] < pair[1])
    }
}

/// The recorded numbers of a column, with what one look at them tells.
#[derive(Debug)]
pub(in crate::data) struct Numbers<'a> {
    pub(in crate::data) values: Recorded<'a>,
    /// How many are recorded.
    pub(in crate::data) count: usize,
    /// The smallest.
    pub(in crate::data) low: f64,
    /// The largest.
    pub(in crate::data) high: f64,
    /// Whether all are whole numbers that doubles tell apart.
    pub(in crate::data) whole: bool,
}

/// Numbers, counted or listed.
#[derive(Debug)]
pub(in crate::data) enum Recorded<'a> {
    /// Different numbers in rising order, with how often each occurs.
    Counted(Vec<(f64, usize)>),
    /// One per row; NaN for gaps.
    Listed(&'a [f64]),
}

impl<'a> Numbers<'a> {
    /// Different numbers in rising order with their counts.
    pub(in crate::data) fn counted(counted: Vec<(f64, usize)>) -> Self {
        Numbers {
            count: counted.iter().map(|&(_, count)| count).sum(),
            low: counted.first().map_or(0.0, |first| first.0),
            high: counted.last().map_or(0.0, |last| last.0),
            whole: counted.iter().all(|&(value, _)| is_whole(value)),
            values: Recorded::Counted(counted),
        }
    }

    /// One number per row, NaN for gaps; counts them where they are not too many to sort.
    pub(in crate::data) fn listed(values: &'a [f64]) -> Self {
        if values.len() <= SORTED {
            let mut keys: Vec<u64> =
                values.iter().filter(|v| !v.is_nan()).map(|&value| sortable(value)).collect();
            keys.sort_unstable();
            let runs = keys.chunk_by(|a, b| a == b);
            return Numbers::counted(runs.map(|run| (from_sortable(run[0]), run.len())).collect());
        }
        Numbers::unsorted(values)
    }

    fn unsorted(values: &'a [f64]) -> Self {
        let (mut count, mut low, mut high, mut whole) = (0, f64::INFINITY, f64::NEG_INFINITY, true);
        for &value in values {
            let recorded = !value.is_nan();
            count += usize::from(recorded);
            low = if value < low { value } else { low };
            high = if value > high { value } else { high };
            whole &= !recorded | is_whole(value);
        }
        Numbers { values: Recorded::Listed(values), count, low, high, whole }
    }

    /// The numbers that stand at the given ranks (strictly rising, from 0) when sorted.
    fn at_ranks(&self, ranks: &[usize]) -> Vec<f64> {
        match &self.values {
            Recorded::Counted(counted) => {
                let mut found = Vec::with_capacity(ranks.len());
                let (mut position, mut passed) = (0, 0);
                for &rank in ranks {
                    while position + 1 < counted.len() && passed + counted[position].1 <= rank {
                        passed += counted[position].1;
                        position += 1;
                    }
                    found.push(counted[position].0);
                }
                found
            }
            Recorded::Listed(values) => {
                let mut keys: Vec<u64> =
                    values.iter().filter(|v| !v.is_nan()).map(|&value| sortable(value)).collect();
                select(&mut keys, 0, ranks);
                ranks.iter().map(|&rank| from_sortable(keys[rank])).collect()
            }
        }
    }

    /// The largest number not above a place, and the smallest above it.
    fn around(&self, place: f64) -> (f64, f64) {
        match &self.values {
            Recorded::Counted(counted) => {
                let above = counted.partition_point(|&(value, _)| value <= place);
                let value = |at: Option<usize>| at.and_then(|at| counted.get(at)).map(|&(value, _)| value);
                (
                    value(above.checked_sub(1)).unwrap_or(f64::NEG_INFINITY),
                    value(Some(above)).unwrap_or(f64::INFINITY),
                )
            }
            Recorded::Listed(values) => {
                let (mut low, mut high) = (f64::NEG_INFINITY, f64::INFINITY);
                // Comparisons with NaN are false, so gaps count on neither side.
                for &value in *values {
                    low = if value <= place && value > low { value } else { low };
                    high = if value > place && value < high { value } else { high };
                }
                (low, high)
            }
        }
    }

    /// The largest number below the largest.
    fn below_top(&self) -> f64 {
        match &self.values {
            Recorded::Counted(counted) => counted.iter().rev().nth(1).map_or(self.low, |second| second.0),
            Recorded::Listed(values) => {
                let below =
                    |low: f64, &value: &f64| if value < self.high && value > low { value } else { low };
                values.iter().fold(f64::NEG_INFINITY, below)
            }
        }
    }

    fn for_each(&self, mut visit: impl FnMut(f64)) {
        match &self.values {
            Recorded::Counted(counted) => counted.iter().for_each(|&(value, _)| visit(value)),
            Recorded::Listed(values) => {
                values.iter().filter(|value| !value.is_nan()).for_each(|&value| visit(value))
            }
        }
    }
}

/// Up to this many rows are sorted and counted; sorting more would cost more than reading them.
const SORTED: usize = 1 << 18;

fn is_whole(value: f64) -> bool {
    value.trunc() == value && value.abs() < 9e15
}

/// Bits that compare like the number.
#[inline]
fn sortable(value: f64) -> u64 {
    let bits = value.to_bits();
    bits ^ (((bits as i64) >> 63) as u64 | 1 << 63)
}

fn from_sortable(key: u64) -> f64 {
    let mask = if key >> 63 == 1 { 1 << 63 } else { u64::MAX };
    f64::from_bits(key ^ mask)
}

/// Puts the keys of the given ranks (strictly rising) where sorting would, the middle one first.
fn select(keys: &mut [u64], start: usize, ranks: &[usize]) {
    let half = ranks.len() / 2;
    if let Some(&middle) = ranks.get(half) {
        let (low, _, high) = keys.select_nth_unstable(middle - start);
        select(low, start, &ranks[..half]);
        select(high, middle + 1, &ranks[half + 1..]);
    }
}

/// Cuts at quantiles; the numbers are at least two different ones.
pub(in crate::data) fn quantile_cuts(numbers: &Numbers<'_>, bins: usize) -> Cuts {
    let last = numbers.count - 1;
    let places: Vec<(usize, usize)> = (1..bins).map(|k| (last * k / bins, last * k % bins)).collect();
    let mut ranks: Vec<usize> = places.iter().flat_map(|&(rank, _)| [rank, (rank + 1).min(last)]).collect();
    ranks.sort_unstable();
    ranks.dedup();
    let found = numbers.at_ranks(&ranks);
    let value = |rank: usize| found[ranks.partition_point(|&other| other < rank)];
    let mut gaps: Vec<(f64, f64, f64)> = Vec::new();
    for (rank, part) in places {
        let nominal = between(value(rank), value((rank + 1).min(last)), part as f64 / bins as f64);
        let nominal = if nominal >= numbers.high { numbers.below_top() } else { nominal };
        // Two cuts in one gap part the same observations: the first stays.
        if gaps.last().is_none_or(|&(_, _, high)| nominal >= high) {
            let (low, high) = numbers.around(nominal);
            gaps.push((nominal, low, high));
        }
    }
    let neaten = |(nominal, low, high): (f64, f64, f64)| {
        let start = if numbers.whole { nominal.floor() } else { nominal };
        neat(start.max(low), |cut| low <= cut && cut < high)
    };
    Cuts { at: gaps.into_iter().map(neaten).collect(), equal: Side::Below }
}

/// Cuts at equal widths; the numbers are at least two different ones.
pub(in crate::data) fn width_cuts(numbers: &Numbers<'_>, bins: usize) -> Cuts {
    let (low, high, whole) = (numbers.low, numbers.high, numbers.whole);
    // Halved where the range itself would be infinite.
    let scale = if (high - low).is_finite() { 1.0 } else { 0.5 };
    let (start, span) = (low * scale, high * scale - low * scale);
    let bin = |value: f64| ((bins as f64 * (value * scale - start) / span) as usize).min(bins - 1);
    let mut found: Vec<Option<(f64, f64)>> = vec![None; bins];
    numbers.for_each(|value| {
        let entry = found[bin(value)].get_or_insert((value, value));
        *entry = (entry.0.min(value), entry.1.max(value));
    });
    let mut at = Vec::new();
    let mut below: Option<f64> = None;
    for (k, range) in found.iter().enumerate() {
        let Some((first, last)) = *range else { continue };
        if let Some(below) = below {
            let nominal = between(low, high, k as f64 / bins as f64);
            at.push(if whole {
                // Whole numbers read better as "up to": one less, and equal belongs below.
                let nominal = (nominal.ceil() - 1.0).clamp(below, first - 1.0);
                neat(nominal, |cut| below <= cut && cut < first)
            } else {
                let nominal = if below < nominal && nominal <= first { nominal } else { first };
                neat(nominal, |cut| below < cut && cut <= first)
            });
        }
        below = Some(last);
    }
    Cuts { at, equal: if whole { Side::Below } else { Side::Above } }
}

/// The point a fraction of the way from low to high.
fn between(low: f64, high: f64, fraction: f64) -> f64 {
    let step = high - low;
    if step.is_finite() { low + fraction * step } else { low * (1.0 - fraction) + high * fraction }
}

/// A number near `nominal` with few digits, three at least, that is acceptable; `nominal` must be.
pub(super) fn neat(nominal: f64, acceptable: impl Fn(f64) -> bool) -> f64 {
    for digits in 3..17 {
        let step = number::unit(nominal, digits);
        let near = [nominal, nominal + step, nominal - step].map(|value| number::round_to(value, digits));
        if let Some(&cut) = near.iter().find(|&&cut| acceptable(cut)) {
            return cut;
        }
    }
    nominal
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn counted(values: &[f64]) -> Numbers<'static> {
        let mut sorted = values.to_vec();
        sorted.sort_by(f64::total_cmp);
        let mut counted: Vec<(f64, usize)> = Vec::new();
        for value in sorted {
            match counted.last_mut() {
                Some((last, count)) if *last == value => *count += 1,
                _ => counted.push((value, 1)),
            }
        }
        Numbers::counted(counted)
    }

    #[test]
    fn quantiles_of_whole_numbers() {
        let values: Vec<f64> = (1..=100).map(f64::from).collect();
        let cuts = quantile_cuts(&counted(&values), 4);
        // Type 7: 25.75, 50.5, 75.25.
        assert_eq!(cuts.at, [25.0, 50.0, 75.0]);
        assert_eq!(cuts.labels(&counted(&values)), ["<= 25", "26 to 50", "51 to 75", ">= 76"]);
    }

    #[test]
    fn quantiles_merge_and_leave_the_top() {
        let mut mostly_zero = vec![0.0; 80];
        mostly_zero.extend((1..=20).map(f64::from));
        let cuts = quantile_cuts(&counted(&mostly_zero), 4);
        assert_eq!(cuts.labels(&counted(&mostly_zero)), ["0", ">= 1"]);
        let mut mostly_top = vec![9.5; 90];
        mostly_top.extend([1.5, 2.5, 3.5, 4.5, 5.5, 6.5]);
        let cuts = quantile_cuts(&counted(&mostly_top), 4);
        assert_eq!(cuts.labels(&counted(&mostly_top)), ["<= 6.5", "> 6.5"]);
    }

    #[test]
    fn widths_skip_empty_states() {
        let values = [0.0, 0.5, 1.0, 99.0, 100.0, 0.25];
        let cuts = width_cuts(&counted(&values), 4);
        assert_eq!(cuts.labels(&counted(&values)), ["< 75", ">= 75"]);
        let values = [0.0, 3.0, 4.0, 7.0, 8.0, 12.0, 16.0];
        // 0 3 | 4 7 | 8 | 12 16
        let cuts = width_cuts(&counted(&values), 4);
        assert_eq!(cuts.labels(&counted(&values)), ["<= 3", "4 to 7", "8 to 11", ">= 12"]);
    }

    #[test]
    fn labels_are_short() {
        let cuts = |at: &[f64], equal| Cuts { at: at.to_vec(), equal };
        let whole = counted(&[0.0, 1.0, 2.0, 4.0, 7.0]);
        assert_eq!(cuts(&[1.0, 2.0, 5.0], Side::Below).labels(&whole), ["<= 1", "2", "3 to 5", ">= 6"]);
        assert_eq!(cuts(&[0.0, 3.0, 6.0], Side::Below).labels(&whole), ["0", "1 to 3", "4 to 6", "7"]);
        let dense = counted(&[-4.5, 0.25, 4.5]);
        let labels = cuts(&[-0.672707, 0.002044, 0.677474], Side::Below).labels(&dense);
        assert_eq!(labels, ["<= -0.673", "-0.673 to 0.002", "0.002 to 0.677", "> 0.677"]);
        let money = counted(&[10.0, 250_000.0]);
        let labels = cuts(&[24_266.0, 36_319.0], Side::Below).labels(&money);
        assert_eq!(labels, ["<= 24300", "24300 to 36300", "> 36300"]);
        assert_eq!(cuts(&[97_234.56], Side::Above).labels(&money), ["< 97200", ">= 97200"]);
    }

    #[test]
    fn cuts_are_neat_where_the_gap_allows() {
        assert_eq!(neat(14.4542, |cut| (14.4542..14.4583).contains(&cut)), 14.455);
        assert_eq!(neat(19.5978, |cut| (19.1..19.9).contains(&cut)), 19.6);
        assert_eq!(neat(1.0, |cut| cut == 1.0), 1.0);
    }

    fn numbers() -> impl Strategy<Value = Vec<f64>> {
        let one = prop_oneof![
            (-20i32..20).prop_map(f64::from),
            (-100i32..100).prop_map(|k| f64::from(k) / 8.0),
            -1e6..1e6f64,
            any::<f64>().prop_filter("finite", |x| x.is_finite()).prop_map(|x| x + 0.0),
        ];
        proptest::collection::vec(one, 2..80).prop_filter("two differ", |v| v.iter().any(|x| *x != v[0]))
    }

    proptest! {
        /// The slow twin: sort, interpolate, compare. Both representations agree, and no observation is moved by neatness.
        #[test]
        fn quantile_states_are_those_of_the_definition(values in numbers(), bins in 2usize..8) {
            let cuts = quantile_cuts(&counted(&values), bins);
            let mut with_gaps = values.clone();
            with_gaps.push(f64::NAN);
            prop_assert_eq!(&quantile_cuts(&Numbers::unsorted(&with_gaps), bins), &cuts);
            prop_assert!(cuts.is_sound() && !cuts.at.is_empty() && cuts.at.len() < bins);
            let mut sorted = values.clone();
            sorted.sort_by(f64::total_cmp);
            let top = sorted[sorted.len() - 1];
            let below_top = sorted.iter().copied().filter(|x| *x < top).fold(f64::NEG_INFINITY, f64::max);
            let mut nominal: Vec<f64> = (1..bins).map(|k| {
                let (rank, part) = ((sorted.len() - 1) * k / bins, (sorted.len() - 1) * k % bins);
                let high = sorted[(rank + 1).min(sorted.len() - 1)];
                let cut = between(sorted[rank], high, part as f64 / bins as f64);
                if cut >= top { below_top } else { cut }
            }).collect();
            nominal.dedup();
            let rank = |x: f64| nominal.iter().filter(|cut| x > **cut).count();
            for pair in sorted.windows(2) {
                prop_assert_eq!(cuts.state(pair[0]) == cuts.state(pair[1]), rank(pair[0]) == rank(pair[1]));
            }
            let labels = cuts.labels(&counted(&values));
            let mut unique = labels.clone();
            unique.sort();
            unique.dedup();
            prop_assert_eq!(unique.len(), cuts.at.len() + 1, "{:?}", labels);
        }

        #[test]
        fn width_states_are_those_of_the_formula(values in numbers(), bins in 2usize..8) {
            let numbers = counted(&values);
            let cuts = width_cuts(&numbers, bins);
            prop_assert_eq!(&width_cuts(&Numbers::unsorted(&values), bins), &cuts);
            prop_assert!(cuts.is_sound() && !cuts.at.is_empty());
            let (low, high) = (numbers.low, numbers.high);
            prop_assume!((high - low).is_finite());
            let bin = |x: f64| ((bins as f64 * (x - low) / (high - low)) as usize).min(bins - 1);
            let mut present: Vec<usize> = values.iter().map(|&x| bin(x)).collect();
            present.sort_unstable();
            present.dedup();
            for &x in &values {
                let expected = present.iter().position(|&b| b == bin(x)).unwrap();
                prop_assert_eq!(usize::from(cuts.state(x)), expected, "{} in {:?}", x, cuts);
            }
        }

        #[test]
        fn keys_sort_like_numbers(a in any::<f64>(), b in any::<f64>()) {
            prop_assume!(!a.is_nan() && !b.is_nan() && a + b != 0.0);
            prop_assert_eq!(sortable(a) < sortable(b), a < b);
            prop_assert_eq!(from_sortable(sortable(a)).to_bits(), a.to_bits());
        }
    }
}
