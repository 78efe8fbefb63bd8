//! The numbers of a column, counted or as they stand.

use crate::data::cells::codes::with_capacity;
use crate::data::cells::listed::Listed;

/// What the labels of a column's states depend on, beside the cuts.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(in crate::data) struct Extent {
    /// The smallest number.
    pub(in crate::data) low: f64,
    /// The largest.
    pub(in crate::data) high: f64,
    /// Whether all are whole numbers.
    pub(in crate::data) whole: bool,
    /// A value with a state of its own.
    pub(in crate::data) spike: Option<f64>,
    /// Whether cuts are shown as they are: somebody chose them, or they were not moved to round numbers.
    pub(in crate::data) exact: bool,
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
    Listed(&'a Listed),
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

    /// One number per row, NaN for gaps; counts them where they are not too many to sort, those of some rows left out. Among more these are hardly any.
    pub(in crate::data) fn listed(values: &'a Listed, but: &[usize]) -> Self {
        if values.len() <= SORTED {
            let mut but = but.iter().copied().peekable();
            let counts = values.iter().enumerate().filter(|(row, _)| but.next_if_eq(row).is_none());
            let mut keys: Vec<u64> = counts.map(|(_, v)| v).filter(|v| !v.is_nan()).map(sortable).collect();
            keys.sort_unstable();
            let runs = keys.chunk_by(|a, b| a == b);
            return Numbers::counted(runs.map(|run| (from_sortable(run[0]), run.len())).collect());
        }
        Numbers::unsorted(values)
    }

    /// The numbers at equal shares of the rows, from the smallest to the largest.
    pub(in crate::data) fn spread(&self) -> Vec<f64> {
        let last = self.count.saturating_sub(1);
        let mut ranks: Vec<usize> = (0..=SPREAD).map(|k| last * k / SPREAD).collect();
        // With fewer rows than parts every row is one.
        ranks.dedup();
        if self.count == 0 { Vec::new() } else { self.at_ranks(&ranks) }
    }

    /// What labels depend on.
    pub(in crate::data) fn extent(&self, spike: Option<f64>) -> Extent {
        Extent { low: self.low, high: self.high, whole: self.whole, spike, exact: false }
    }

    /// How many lie below a value, and how many are that value.
    pub(super) fn count_at(&self, value: f64) -> (usize, usize) {
        match &self.values {
            Recorded::Counted(counted) => {
                let place = counted.partition_point(|&(other, _)| other < value);
                let below = counted[..place].iter().map(|&(_, count)| count).sum();
                (below, counted.get(place).filter(|at| at.0 == value).map_or(0, |at| at.1))
            }
            Recorded::Listed(values) => values.iter().fold((0, 0), |(below, at), other| {
                (below + usize::from(other < value), at + usize::from(other == value))
            }),
        }
    }

    /// The most frequent value, if it alone is worth a state: a quarter of the rows have it, and the share of a state.
    pub(in crate::data) fn spike(&self, bins: usize) -> Option<f64> {
        // A value that a quarter of the rows have stands at one of these ranks.
        let last = self.count - 1;
        let mut ranks: Vec<usize> = (0..=8).map(|k| last * k / 8).collect();
        ranks.dedup();
        let mut values = self.at_ranks(&ranks);
        values.dedup();
        let counts = values.into_iter().map(|value| (self.count_at(value), value));
        let most = counts.max_by(|a, b| a.0.1.cmp(&b.0.1).then_with(|| b.1.total_cmp(&a.1)));
        let ((below, equal), value) = most?;
        let enough = equal * 4 >= self.count && equal * bins >= self.count;
        let sides = usize::from(below > 0) + usize::from(below + equal < self.count);
        (enough && sides < bins).then_some(value)
    }

    /// A number that looks as if it stood for "no value", and how many rows have it: the smallest or largest, written with nines
    /// alone (or eights or sevens, as surveys do), in several rows, and farther from the rest than the rest is wide.
    pub(in crate::data) fn mark(&self) -> Option<(f64, usize)> {
        let ends = [(self.low, self.around(self.low).1), (self.high, self.below_top())];
        ends.into_iter().find_map(|(end, next)| {
            let other_end = if end == self.low { self.high } else { self.low };
            let (_, rows) = self.count_at(end);
            let far = (end - next).abs() > (next - other_end).abs() && next != other_end;
            (is_mark(end) && rows > 1 && far).then_some((end, rows))
        })
    }

    pub(super) fn unsorted(values: &'a Listed) -> Self {
        let (mut count, mut low, mut high, mut whole) = (0, f64::INFINITY, f64::NEG_INFINITY, true);
        for value in values.iter() {
            let recorded = !value.is_nan();
            count += usize::from(recorded);
            low = if value < low { value } else { low };
            high = if value > high { value } else { high };
            whole &= !recorded | is_whole(value);
        }
        Numbers { values: Recorded::Listed(values), count, low, high, whole }
    }

    /// The numbers that stand at the given ranks (strictly rising, from 0) when sorted.
    pub(super) fn at_ranks(&self, ranks: &[usize]) -> Vec<f64> {
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
                // Units stand in the order of the numbers, and take half of the memory.
                if let Some((units, number)) = values.units() {
                    let mut keys: Vec<i32> = with_capacity(values.len(), units);
                    select(&mut keys, 0, ranks);
                    return ranks.iter().map(|&rank| number(keys[rank])).collect();
                }
                let keys = values.iter().filter(|v| !v.is_nan()).map(sortable);
                ranked(keys, self.count, ranks).into_iter().map(from_sortable).collect()
            }
        }
    }

    /// The largest number not above a place, and the smallest above it.
    pub(super) fn around(&self, place: f64) -> (f64, f64) {
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
                for value in values.iter() {
                    low = if value <= place && value > low { value } else { low };
                    high = if value > place && value < high { value } else { high };
                }
                (low, high)
            }
        }
    }

    /// The largest number below the largest.
    pub(super) fn below_top(&self) -> f64 {
        match &self.values {
            Recorded::Counted(counted) => counted.iter().rev().nth(1).map_or(self.low, |second| second.0),
            Recorded::Listed(values) => {
                let below = |low: f64, value: f64| if value < self.high && value > low { value } else { low };
                values.iter().fold(f64::NEG_INFINITY, below)
            }
        }
    }

    /// The numbers below, or above, a value.
    pub(super) fn part(&self, keep: impl Fn(f64) -> bool) -> Numbers<'static> {
        match &self.values {
            Recorded::Counted(counted) => {
                Numbers::counted(counted.iter().copied().filter(|&(value, _)| keep(value)).collect())
            }
            Recorded::Listed(values) => {
                let mut keys: Vec<u64> =
                    values.iter().filter(|v| !v.is_nan() && keep(*v)).map(sortable).collect();
                keys.sort_unstable();
                Numbers::counted(
                    keys.chunk_by(|a, b| a == b).map(|run| (from_sortable(run[0]), run.len())).collect(),
                )
            }
        }
    }

    pub(super) fn for_each(&self, mut visit: impl FnMut(f64)) {
        match &self.values {
            Recorded::Counted(counted) => counted.iter().for_each(|&(value, _)| visit(value)),
            Recorded::Listed(values) => values.iter().filter(|value| !value.is_nan()).for_each(visit),
        }
    }
}

/// Into so many equal shares the rows of a column are parted to tell what part of a state a range takes.
pub(super) const SPREAD: usize = 100;

/// Up to this many rows are sorted and counted; sorting more would cost more than reading them.
const SORTED: usize = 1 << 18;

pub(super) fn is_whole(value: f64) -> bool {
    value.trunc() == value && value.abs() < 9e15
}

/// -9, -99, 99, 999, -999, 8888 and their like.
pub(super) fn is_mark(value: f64) -> bool {
    if !is_whole(value) || (value > 0.0 && value < 10.0) {
        return false;
    }
    let digits = format!("{}", value.abs());
    ['9', '8', '7'].iter().any(|&digit| digits.chars().all(|other| other == digit))
}

/// Bits that compare like the number.
#[inline]
pub(super) fn sortable(value: f64) -> u64 {
    let bits = value.to_bits();
    bits ^ (((bits as i64) >> 63) as u64 | 1 << 63)
}

pub(super) fn from_sortable(key: u64) -> f64 {
    let mask = if key >> 63 == 1 { 1 << 63 } else { u64::MAX };
    f64::from_bits(key ^ mask)
}

/// The keys that stand at the given ranks (strictly rising) when sorted. They are counted by their first bits, and then an eighth of them is held
/// at a time, or as many as begin alike: a copy of all would be the most that is held while a long column is decided.
fn ranked(keys: impl Iterator<Item = u64> + Clone, count: usize, ranks: &[usize]) -> Vec<u64> {
    const FIRST: u32 = 16;
    let start_of = |key: u64| (key >> (64 - FIRST)) as usize;
    let mut counts = vec![0; 1 << FIRST];
    keys.clone().for_each(|key| counts[start_of(key)] += 1);
    let mut found = Vec::with_capacity(ranks.len());
    let (mut start, mut passed) = (0, 0);
    while let Some(&next) = ranks.get(found.len()) {
        while passed + counts[start] <= next {
            passed += counts[start];
            start += 1;
        }
        let (first, before) = (start, passed);
        while start < counts.len() && (start == first || passed - before + counts[start] <= count / 8) {
            passed += counts[start];
            start += 1;
        }
        let some = &ranks[found.len()..ranks.partition_point(|&rank| rank < passed)];
        let alike = keys.clone().filter(|&key| (first..start).contains(&start_of(key)));
        let mut held: Vec<u64> = with_capacity(passed - before, alike);
        select(&mut held, before, some);
        found.extend(some.iter().map(|&rank| held[rank - before]));
    }
    found
}

/// Puts the keys of the given ranks (strictly rising) where sorting would, the middle one first.
fn select<K: Ord>(keys: &mut [K], start: usize, ranks: &[usize]) {
    let half = ranks.len() / 2;
    if let Some(&middle) = ranks.get(half) {
        let (low, _, high) = keys.select_nth_unstable(middle - start);
        select(low, start, &ranks[..half]);
        select(high, middle + 1, &ranks[half + 1..]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clausality_bn::random::Stream;

    /// Whatever the numbers: spread, of one size, many of them the same, or of both signs.
    #[test]
    fn ranks_are_those_of_sorting() {
        let mut stream = Stream::new(1, "ranks");
        let rows = SORTED + 1000;
        let mut of = |number: &mut dyn FnMut(f64, f64) -> f64| -> Vec<f64> {
            let mut part = || stream.below(1 << 40) as f64 / (1u64 << 40) as f64;
            (0..rows).map(|_| number(part(), part())).collect()
        };
        let all = [
            of(&mut |a, _| a),
            of(&mut |a, b| (a - 0.5) * f64::exp2((b * 200.0).floor())),
            of(&mut |a, b| if a < 0.9 { 0.1 } else { b / 3.0 }),
            of(&mut |a, b| if a < 0.3 { f64::NAN } else { 1.0 + b * 1e-9 }),
            vec![1.0 / 3.0; rows],
        ];
        for values in all {
            let listed = Listed::with_capacity(rows, values.iter().copied());
            assert!(listed.units().is_none(), "doubles, which are held in full");
            let mut sorted: Vec<f64> = values.into_iter().filter(|value| !value.is_nan()).collect();
            sorted.sort_unstable_by(f64::total_cmp);
            let last = sorted.len() - 1;
            for ranks in [vec![0], vec![last], vec![], (0..=100).map(|k| last * k / 100).collect::<Vec<_>>()]
            {
                let want: Vec<f64> = ranks.iter().map(|&rank| sorted[rank]).collect();
                assert_eq!(Numbers::unsorted(&listed).at_ranks(&ranks), want);
            }
        }
    }
}
