//! Where a numeric column is cut into states.
//!
//! `quantile`: cut k of B is the *roundest* number c whose share of values up to it is near k/B,
//!
//! ```text
//! |F(c) − k/B| ≤ τ/B,   τ = 0.15;   roundest: a multiple of the largest of …, 100, 50, 20, 10, 5, 2, 1, 0.5, …, nearest to the quantile
//! ```
//!
//! so a person would have chosen it too, and every state still has between 1 − 2τ and 1 + 2τ of its share, as far as ties
//! allow. Where no number qualifies (ties, few values), the cut stands in the gap of the type-7 quantile k/B,
//! `x[i] + f·(x[i+1] − x[i])` with `(n−1)k/B = i + f`; equal cuts are merged. `width`: `state = min(B−1, ⌊B(x−min)/(max−min)⌋)`;
//! empty states do not count.
//!
//! A *spike* is a value that a quarter of the rows have (and a full share, 1/B): no rain, no balance, no gain. It is a state of
//! its own, whatever lies around it, and the other values share B − 1 states, of no fewer than [`FEW_IN_STATE`] rows each.
//!
//! Implements: the levels of the paper's §VI (Blakely 2023, "low, medium, high, very high"; the paper leaves the rule open, its author's
//! published table is cut by width).
//!
//! Our reading: a quantile at the maximum would leave nothing above it and moves down to the next lower observation, so that a
//! column with two values always has two states. `width` is kept as it is: a cut moves only within the gap between the two
//! observations it separates.
//!
//! Complexity: O(n) for plain numbers, O(d log d) for d counted ones.

use crate::data::cells::number;
use crate::data::coding::StateRule;
use crate::data::decide::numbers::{Extent, Numbers, Recorded, SPREAD, is_whole};
use serde::{Deserialize, Serialize};

/// Numbers between the states of a column, from low to high.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Cuts {
    /// The cuts in rising order.
    pub at: Vec<f64>,
    /// To which side a value equal to a cut belongs.
    pub equal: Side,
    /// The smallest and the largest number that were seen, where that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seen: Option<(f64, f64)>,
    /// The numbers that were seen at equal shares of the rows, from the smallest to the largest, where that is known: what part of a state a
    /// range takes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub spread: Vec<f64>,
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

    /// The share of each state that lies in a range (`<`, `<=`, `>` or `>=` a number), by the rows that were seen; nothing where that is
    /// not known.
    ///
    /// Each number of the spread stands for as many rows as any other, and those of a state are counted. Where numbers repeat, a bound takes all rows
    /// that have it or none, and nothing lies between it and the next: of terms of 6, 12, 18, … months `< 18` is `<= 12`. Where they hardly do (see
    /// `is_dense`), and between two that do not, a number is no more than a sample of those near it, and a bound between takes its part of the way. Among whole numbers `>= 50` is
    /// `> 49`, wherever between the two a state begins.
    pub fn shares(&self, sign: &str, bound: f64) -> Option<Vec<f64>> {
        if self.spread.len() < 2 {
            return None;
        }
        let (less, equal) = (sign.starts_with('<'), sign.ends_with('='));
        let whole = self.spread.iter().copied().all(is_whole);
        // What lies below are the numbers up to the bound, with or without it; of whole numbers the last of them may as well be the bound.
        let included = whole || equal == less;
        let bound = match (whole, equal == less) {
            (true, true) => bound.floor(),
            (true, false) => bound.ceil() - 1.0,
            (false, _) => bound,
        };
        let inside = |value: f64| less == (value < bound || included && value == bound);
        if !self.spread.iter().any(|&value| inside(value)) {
            return Some(vec![0.0; self.at.len() + 1]);
        }
        let dense = self.is_dense();
        let mut rest = &self.spread[..];
        let mut share = |state: usize| {
            let (own, others) = rest.split_at(rest.partition_point(|&v| usize::from(self.state(v)) <= state));
            rest = others;
            let below = match own {
                [] => self.part_of_width(state, if whole { bound + 0.5 } else { bound }),
                own => {
                    let count = own.partition_point(|&v| v < bound || included && v == bound);
                    let way =
                        if dense || !repeats(own, count) { way_to_next(own, count, bound) } else { 0.0 };
                    (count as f64 + way) / own.len() as f64
                }
            };
            if less { below } else { 1.0 - below }
        };
        Some((0..=self.at.len()).map(&mut share).collect())
    }

    /// How many numbers of the spread lie in a state.
    pub fn known_of(&self, state: usize) -> usize {
        self.spread.iter().filter(|&&value| usize::from(self.state(value)) == state).count()
    }

    /// Whether numbers lie so densely that one seen at a share of the rows says little of that very number: hardly any is seen at two shares, but for the one
    /// that is seen most, beside which there are many. With fewer numbers than parts every row is there, and nothing between them.
    fn is_dense(&self) -> bool {
        let runs = || self.spread.chunk_by(|a, b| a == b).map(<[f64]>::len);
        let most = runs().max().unwrap_or(0);
        let (numbers, others) = (runs().count(), self.spread.len() + 1 - most);
        self.spread.len() > SPREAD && numbers * 2 > SPREAD && numbers * 10 >= others * 9
    }

    /// The part of a state's width that lies below a number.
    fn part_of_width(&self, state: usize, bound: f64) -> f64 {
        let low = if state == 0 { self.spread[0] } else { self.at[state - 1] };
        let high = self.at.get(state).or(self.spread.last()).copied().unwrap_or(low);
        if high > low { ((bound - low) / (high - low)).clamp(0.0, 1.0) } else { f64::from(bound > low) }
    }

    /// Whether a value lies beyond all that were seen.
    pub fn is_beyond(&self, value: f64) -> bool {
        self.seen.is_some_and(|(low, high)| value < low || value > high)
    }

    /// What the states are called: intervals between the cuts, which are shown to a hundredth of the narrowest state or finer, or exactly.
    ///
    /// Whole numbers are shown as ranges with both ends in (`26 to 50`) unless their cuts are shown rounded, and a first or last state of one
    /// number as that number, as is a spike.
    pub(in crate::data) fn labels(&self, extent: &Extent) -> Vec<String> {
        let (Some(&first), Some(&last)) = (self.at.first(), self.at.last()) else {
            return vec!["any".into()];
        };
        let spike = extent.spike.map(|value| usize::from(self.state(value)));
        let widths = self.at.windows(2).enumerate().filter(|&(k, _)| spike != Some(k + 1));
        let widths = widths.map(|(_, pair)| pair[1] - pair[0]);
        let ends = [first - extent.low, extent.high - last].into_iter().filter(|_| self.at.len() == 1);
        let narrowest = widths.chain(ends).filter(|&width| width > 0.0).fold(f64::INFINITY, f64::min);
        let narrowest = if narrowest.is_finite() { narrowest } else { extent.high - extent.low };
        let step = number::unit(narrowest, 3);
        // A spike is told as it is, in its own label and where its neighbours end.
        let exactly = |cut: f64| extent.exact || extent.spike == Some(cut);
        let show = |cut: f64| number::write(if exactly(cut) { cut } else { number::round_at(cut, step) });
        let below = self.equal == Side::Below;
        let as_it_is = |cut: f64| extent.exact || number::round_at(cut, step) == cut;
        let ranges =
            extent.whole && self.at.iter().all(|&cut| is_whole(cut) && (step <= 1.0 || as_it_is(cut)));
        // Of whole numbers, the first and the last that are in the state above and below a cut.
        let (from, to) = if below { (1.0, 0.0) } else { (0.0, -1.0) };
        let mut labels = Vec::with_capacity(self.at.len() + 1);
        labels.push(match below {
            true if extent.low == first => number::write(first),
            true => format!("<= {}", show(first)),
            false => format!("< {}", show(first)),
        });
        for pair in self.at.windows(2) {
            let (low, high) = if ranges {
                (number::write(pair[0] + from), number::write(pair[1] + to))
            } else {
                (show(pair[0]), show(pair[1]))
            };
            labels.push(if low == high { low } else { format!("{low} to {high}") });
        }
        labels.push(match below {
            true if ranges && extent.high == last + 1.0 => number::write(extent.high),
            true if ranges => format!(">= {}", number::write(last + 1.0)),
            true => format!("> {}", show(last)),
            false => format!(">= {}", show(last)),
        });
        if let (Some(value), Some(state)) = (extent.spike, spike) {
            // The state below a spike ends before it: at the cut, not rounded, for that could be the spike.
            if let (Some(before), false) = (state.checked_sub(1), ranges) {
                labels[before] = match before.checked_sub(1) {
                    None => format!("< {}", number::write(value)),
                    Some(place) => format!("{} to {}", show(self.at[place]), number::write(self.at[before])),
                };
            }
            labels[state] = number::write(value);
        }
        labels
    }

    /// Whether the cuts rise and are finite.
    pub(in crate::data) fn is_sound(&self) -> bool {
        self.at.iter().all(|cut| cut.is_finite()) && self.at.windows(2).all(|pair| pair[0] < pair[1])
    }
}

/// Whether the last of the counted numbers is there more than once.
fn repeats(own: &[f64], count: usize) -> bool {
    count >= 2 && own[count - 1] == own[count - 2]
}

/// How far a bound lies on the way from the last of the counted numbers to the next, which is reached by one that equals it; a next number that
/// repeats has its rows where it stands, not on the way.
fn way_to_next(own: &[f64], count: usize, bound: f64) -> f64 {
    let (Some(&low), Some(&high)) = (count.checked_sub(1).and_then(|at| own.get(at)), own.get(count)) else {
        return 0.0;
    };
    let repeats = own.get(count + 1) == Some(&high);
    if low < bound && !repeats { ((bound - low) / (high - low)).min(1.0) } else { 0.0 }
}

/// How far the share up to a cut may be from what it should be, in shares of a state.
const SLACK: f64 = 0.15;
/// States beside a spike have no fewer rows than this.
pub(in crate::data) const FEW_IN_STATE: usize = 20;

/// Cuts at quantiles around the spike, if there is one; the numbers are at least two different ones.
pub(in crate::data) fn quantile_cuts(numbers: &Numbers<'_>, bins: usize, spike: Option<f64>) -> Cuts {
    let seen = Some((numbers.low, numbers.high));
    let Some(spike) = spike else {
        return Cuts { at: round_cuts(numbers, bins), equal: Side::Below, seen, spread: numbers.spread() };
    };
    let (below, above) = (numbers.part(|value| value < spike), numbers.part(|value| value > spike));
    let rest = below.count + above.count;
    let shared = (bins - 1).min(rest / FEW_IN_STATE).max(1);
    // Each side gets its share of the states, and one at least.
    let lower = match (below.count, above.count) {
        (0, _) => 0,
        (_, 0) => shared,
        (count, _) => ((shared * count + rest / 2) / rest).clamp(1, (bins - 2).min(shared.max(2) - 1)),
    };
    let upper = if above.count == 0 { 0 } else { (shared - lower.min(shared)).max(1) };
    let side = |part: &Numbers<'_>, bins: usize| match bins {
        0 | 1 => Vec::new(),
        _ if part.low == part.high => Vec::new(),
        _ => round_cuts(part, bins),
    };
    let mut at = side(&below, lower);
    if below.count > 0 {
        at.push(roundest(below.high, below.high, spike, numbers.whole));
    }
    if above.count > 0 {
        at.push(spike);
    }
    at.extend(side(&above, upper));
    Cuts { at, equal: Side::Below, seen, spread: numbers.spread() }
}

/// Whole numbers of which there are no more are states, each of them.
const FEW_VALUES: usize = 10;
/// The share of the rows that such a state has at least.
const RARE: f64 = 0.01;

/// The states of a column of few whole numbers (1 to 5, say): each of them, where rare ones are joined with their neighbours; nothing where
/// there are more, or where less than `least` states would be left.
pub(in crate::data) fn each_value(numbers: &Numbers<'_>, least: usize) -> Option<(Vec<String>, StateRule)> {
    let Recorded::Counted(counted) = &numbers.values else { return None };
    if !numbers.whole || counted.len() > FEW_VALUES {
        return None;
    }
    let need = FEW_IN_STATE.max((RARE * numbers.count as f64).ceil() as usize);
    // The first number, the last one and the rows of every state.
    let mut states: Vec<(f64, f64, usize)> =
        counted.iter().map(|&(value, rows)| (value, value, rows)).collect();
    while let Some(rare) = (0..states.len()).filter(|&k| states[k].2 < need).min_by_key(|&k| states[k].2) {
        let neighbours = [rare.checked_sub(1), Some(rare + 1)].into_iter().flatten();
        let other = neighbours.filter(|&k| k < states.len()).min_by_key(|&k| states[k].2)?;
        let (low, high) = (rare.min(other), rare.max(other));
        states[low] = (states[low].0, states[high].1, states[low].2 + states[high].2);
        states.remove(high);
    }
    if states.len() == counted.len() {
        let values: Vec<f64> = counted.iter().map(|&(value, _)| value).collect();
        return Some((
            values.iter().map(|&value| number::write(value)).collect(),
            StateRule::Numbers(values),
        ));
    }
    let at: Vec<f64> = states[..states.len().max(1) - 1].iter().map(|&(_, last, _)| last).collect();
    (states.len() >= least).then(|| {
        let end = states.len() - 1;
        let label = |(place, &(first, last, _)): (usize, &(f64, f64, usize))| match place {
            _ if first == last => number::write(first),
            0 => format!("<= {}", number::write(last)),
            place if place == end => format!(">= {}", number::write(first)),
            _ => format!("{} to {}", number::write(first), number::write(last)),
        };
        let labels = states.iter().enumerate().map(label).collect();
        let (seen, spread) = (Some((numbers.low, numbers.high)), numbers.spread());
        (labels, StateRule::Cuts(Cuts { at, equal: Side::Below, seen, spread }))
    })
}

/// Round numbers near the quantiles.
fn round_cuts(numbers: &Numbers<'_>, bins: usize) -> Vec<f64> {
    let (count, last) = (numbers.count, numbers.count - 1);
    let places: Vec<(usize, usize)> = (1..bins).map(|k| (last * k / bins, last * k % bins)).collect();
    // A cut c with low ≤ c < high leaves a share within the slack below it.
    let slack = |k: usize, by: f64| count as f64 * (k as f64 + by) / bins as f64;
    let windows: Vec<(usize, usize)> = (1..bins)
        .map(|k| {
            let (least, most) = (slack(k, -SLACK).ceil().max(1.0), slack(k, SLACK).floor());
            (least as usize - 1, (most as usize).min(last))
        })
        .collect();
    let mut ranks: Vec<usize> = places.iter().flat_map(|&(rank, _)| [rank, (rank + 1).min(last)]).collect();
    ranks.extend(windows.iter().flat_map(|&(low, high)| [low, high]));
    ranks.sort_unstable();
    ranks.dedup();
    let found = numbers.at_ranks(&ranks);
    let value = |rank: usize| found[ranks.partition_point(|&other| other < rank)];
    let mut at: Vec<f64> = Vec::with_capacity(bins - 1);
    let mut floor = f64::NEG_INFINITY;
    for (&(rank, part), &(least, most)) in places.iter().zip(&windows) {
        let nominal = between(value(rank), value((rank + 1).min(last)), part as f64 / bins as f64);
        let nominal = if nominal >= numbers.high { numbers.below_top() } else { nominal };
        let (low, high) = match (value(least), value(most)) {
            (low, high) if low < high && least <= most => (low, high),
            _ => numbers.around(nominal),
        };
        // Two cuts without an observation between them part the same observations: the first stays.
        let low = low.max(floor);
        if low >= high {
            continue;
        }
        let cut = roundest(nominal, low, high, numbers.whole);
        floor = numbers.around(cut).1;
        at.push(cut);
    }
    at
}

/// The multiple of the largest step of 1, 2 or 5 times a power of ten that lies in `low ≤ c < high`, the nearest to `nominal`;
/// of whole numbers a whole one.
fn roundest(nominal: f64, low: f64, high: f64, whole: bool) -> f64 {
    let size = low.abs().max(high.abs());
    let nominal = nominal.clamp(low, high);
    let exponent =
        |x: f64| format!("{x:e}").split_once('e').and_then(|(_, e)| e.parse::<i32>().ok()).unwrap_or(0);
    let (top, bottom) = (exponent(size) + 1, if whole { 0 } else { exponent(size) - 16 });
    for power in (bottom..=top).rev() {
        for digit in [5, 2, 1] {
            // By way of decimal text, so that a multiple is the number that a person would write.
            let multiple =
                |k: f64| format!("{}e{power}", k * f64::from(digit)).parse::<f64>().unwrap_or(f64::NAN);
            let step = multiple(1.0);
            let near = (nominal / step).round();
            if !near.is_finite() || near.abs() > 9e15 {
                continue;
            }
            let fits = |cut: &f64| low <= *cut && *cut < high;
            let found =
                [near, near - 1.0, near + 1.0].into_iter().map(multiple).map(|cut| cut + 0.0).filter(fits);
            let nearest =
                |a: &f64, b: &f64| (a - nominal).abs().total_cmp(&(b - nominal).abs()).then(a.total_cmp(b));
            if let Some(cut) = found.min_by(nearest) {
                return cut;
            }
        }
    }
    low
}

/// The cuts that the user gave; a state begins at each.
pub(in crate::data) fn given_cuts(numbers: &Numbers<'_>, at: &[f64]) -> Cuts {
    let seen = Some((numbers.low, numbers.high));
    Cuts { at: at.to_vec(), equal: Side::Above, seen, spread: numbers.spread() }
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
    let equal = if whole { Side::Below } else { Side::Above };
    Cuts { at, equal, seen: Some((low, high)), spread: numbers.spread() }
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
mod tests;
