//! Probabilities that lean on coarser ones, parent by parent.
//!
//! The parents are put in an order, the most informative first. A configuration `c` of the first `l` of them leans on `c'`, the
//! same without its last parent, with the weight of `w_l` rows, down to the node alone, which leans on equal shares:
//!
//! ```text
//! θ^l_ck = (M^l_ck + w_l θ^{l−1}_c'k) / (M^l_c + w_l)                θ^0_k = (M^0_k + v/r) / (M^0 + v)
//! M^{l−1}_c'k = Σ_{c under c'} M^l_ck w_l / (M^l_c + w_l)            M^m = N, the counts
//! ```
//!
//! A configuration passes on only the part of its rows that it does not speak for itself, so each has about `w_l` rows to say in
//! what the others lean on, as in a hierarchy of Dirichlet processes (Petitjean, Buntine, Webb, Zaidi 2018, where a customer
//! opens a table or does not; MacKay, Peto 1995). In sums nothing is lost by it: `Σ_c N_c θ_ck = N_k`, the node's own frequencies
//! stay what they are in the data but for `v`, which may move none by more than [`MOST_SHIFT`].
//!
//! The weights are those under which each row is best predicted by all others (leaving one out; a row taken away is taken away on
//! all levels):
//!
//! ```text
//! L(w) = Σ_ck N_ck ln θ_ck(without one row of c, k)  −  Σ_l (ln w_l − ln 2)² / (2 · 2²)
//! ```
//!
//! The second term keeps a few rows that happen to agree from choosing next to no weight. Few rows leave `L` flat, so what is
//! returned is the mean of the tables over the weights around the best, each as probable as `exp L` says. `v` is chosen by the
//! evidence of the node's own counts, `P(N | v)` of a symmetric Dirichlet: columns cut into equal parts get much, skewed ones little.
//!
//! Everything works on real-valued counts: expected ones, and those of weighted rows. A cell with less than a row is left out whole.

use super::Backing;
use crate::math::{exp, ln, ln_gamma, x_ln_x};
use std::f64::consts::LN_2;

/// Weights that are tried, as powers of two.
const POWERS: std::ops::RangeInclusive<i32> = -3..=10;
/// The power that weights are drawn to, and how firmly: the standard deviation of `ln w`.
const USUAL_POWER: i32 = 1;
const SPREAD: f64 = 2.0;
/// Weights of equal shares that are tried, as powers of two.
const EQUAL_POWERS: std::ops::RangeInclusive<i32> = -3..=7;
/// Equal shares move no state of a node by more than this part of all rows.
const MOST_SHIFT: f64 = 0.0025;
/// Weights so much worse than the best one (in nats) are not looked at.
const WORSE: f64 = 7.0;
/// How often the weights are gone through at most.
const PASSES: usize = 6;
/// Cells with less than this part of a row, as expected counts have them by the thousand, have no say in the weights.
const SPECK: f64 = 1e-6;

/// How a family's counts lean on each other: what is chosen by looking at them.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Leaning {
    /// The parents, the most informative one first.
    order: Vec<usize>,
    /// Weights by level, and how probable they are beside the best ones, which come first.
    weights: Vec<(Vec<f64>, f64)>,
}

impl Leaning {
    /// Chosen by the counts. A weight that is given is that of every level.
    pub(super) fn chosen(counts: &[f64], shape: &[usize], weight: Option<f64>) -> Self {
        let order = most_informative_first(counts, shape);
        let weights = match weight {
            Some(weight) => vec![(vec![weight; order.len()], 1.0)],
            None => Ladder::new(counts, shape, &order).chosen(),
        };
        Leaning { order, weights }
    }

    /// Whether the best weights are the same.
    pub(crate) fn agrees(&self, other: &Leaning) -> bool {
        self.order == other.order && self.weights[0] == other.weights[0]
    }

    /// The probabilities of a family, and what they lean on.
    pub(super) fn probabilities(&self, counts: &[f64], shape: &[usize]) -> (Vec<f64>, Backing) {
        let ladder = Ladder::new(counts, shape, &self.order);
        let (parents, weights) = (self.order.clone(), self.weights[0].0.clone());
        let backing = Backing { equal: ladder.limited(&ladder.own), parents, weights };
        (self.in_place(ladder.mean(&self.weights), shape), backing)
    }

    /// The probabilities under the best weights alone, which are near and take less time.
    pub(crate) fn quickly(&self, counts: &[f64], shape: &[usize]) -> Vec<f64> {
        self.in_place(Ladder::new(counts, shape, &self.order).mean(&self.weights[..1]), shape)
    }

    /// A table in the order of the levels, in that of the family.
    fn in_place(&self, values: Vec<f64>, shape: &[usize]) -> Vec<f64> {
        let states = shape[shape.len() - 1];
        places(shape, &self.order)
            .iter()
            .flat_map(|place| &values[place * states..][..states])
            .copied()
            .collect()
    }
}

/// The parents by place: the last one is the one without which the node is predicted best, and so on. What a parent would tell by
/// chance alone, half a nat for every parameter, does not count.
fn most_informative_first(counts: &[f64], shape: &[usize]) -> Vec<usize> {
    let mut left: Vec<usize> = (0..shape.len() - 1).collect();
    let (mut counts, mut shape) = (counts.to_vec(), shape.to_vec());
    let mut dropped = Vec::with_capacity(left.len());
    while left.len() > 1 {
        let told = |place: usize| {
            let rest = without(&counts, &shape, place);
            let told = likelihood(&rest, shape[shape.len() - 1]);
            (place, rest, told)
        };
        let least = (0..left.len()).map(told).reduce(|best, next| if next.2 >= best.2 { next } else { best });
        let Some((place, rest, _)) = least else { break };
        counts = rest;
        shape.remove(place);
        dropped.push(left.remove(place));
    }
    left.extend(dropped.into_iter().rev());
    left
}

/// The counts with one variable summed out.
fn without(counts: &[f64], shape: &[usize], place: usize) -> Vec<f64> {
    let inner: usize = shape[place + 1..].iter().product();
    let mut rest = Vec::with_capacity(counts.len() / shape[place]);
    for block in counts.chunks_exact(inner * shape[place]) {
        let start = rest.len();
        rest.extend_from_slice(&block[..inner]);
        for slice in block.chunks_exact(inner).skip(1) {
            rest[start..].iter_mut().zip(slice).for_each(|(sum, n)| *sum += n);
        }
    }
    rest
}

/// The log-likelihood of the counts under their own frequencies, less half a nat for every parameter that was needed.
fn likelihood(counts: &[f64], states: usize) -> f64 {
    let of = |row: &[f64]| {
        let total: f64 = row.iter().sum();
        if total == 0.0 {
            return 0.0;
        }
        row.iter().map(|&n| x_ln_x(n)).sum::<f64>() - x_ln_x(total) - 0.5 * (states - 1) as f64
    };
    counts.chunks_exact(states).map(of).sum()
}

/// The configurations of the first `l` parents that occur.
struct Level {
    /// Their places among all configurations, rising.
    places: Vec<usize>,
    /// The configuration on the level below that each leans on; nothing on level 0.
    below: Vec<usize>,
}

/// The rows of a level, those that occur times the node's states, and their sums over the states.
struct Rows {
    cells: Vec<f64>,
    totals: Vec<f64>,
}

impl Rows {
    fn new(cells: Vec<f64>, states: usize) -> Self {
        let totals = cells.chunks_exact(states).map(|row| row.iter().sum()).collect();
        Rows { cells, totals }
    }
}

/// The counts of a family, level by level: 0 is the node alone, the last one has all parents.
struct Ladder {
    /// States of the node.
    states: usize,
    /// States of the parents, in the order of the levels.
    parents: Vec<usize>,
    levels: Vec<Level>,
    /// The counts on the last level.
    counts: Vec<f64>,
    /// The node's own counts, and their sum.
    own: Vec<f64>,
    rows: f64,
    /// What equal shares weigh, before that is limited.
    equal: f64,
}

impl Ladder {
    fn new(counts: &[f64], shape: &[usize], order: &[usize]) -> Self {
        let states = shape[shape.len() - 1];
        let parents: Vec<usize> = order.iter().map(|&p| shape[p]).collect();
        let occurs = |row: &[f64]| parents.is_empty() || row.iter().any(|&n| n > 0.0);
        let rows = places(shape, order).into_iter().zip(counts.chunks_exact(states));
        let mut seen: Vec<(usize, &[f64])> = rows.filter(|(_, row)| occurs(row)).collect();
        seen.sort_unstable_by_key(|&(place, _)| place);
        let counts: Vec<f64> = seen.iter().flat_map(|(_, row)| row.iter().copied()).collect();
        let mut at: Vec<usize> = seen.iter().map(|&(place, _)| place).collect();
        let mut levels = Vec::with_capacity(parents.len() + 1);
        for &parent in parents.iter().rev() {
            let mut lower: Vec<usize> = at.iter().map(|place| place / parent).collect();
            lower.dedup();
            let mut below = Vec::with_capacity(at.len());
            for place in &at {
                let last = below.last().copied().unwrap_or(0);
                below.push(if lower[last] == place / parent { last } else { last + 1 });
            }
            levels.push(Level { places: at, below });
            at = lower;
        }
        levels.push(Level { places: vec![0], below: vec![] });
        levels.reverse();
        let mut own = vec![0.0; states];
        counts.iter().enumerate().for_each(|(at, n)| own[at % states] += n);
        let rows = own.iter().sum();
        let equal = weight_of_equal_shares(&own);
        Ladder { states, parents, levels, counts, own, rows, equal }
    }

    /// The rows of every level under these weights: the counts, and below them what is passed on.
    fn passed_on(&self, weights: &[f64]) -> Vec<Rows> {
        let mut found = vec![Rows::new(self.counts.clone(), self.states)];
        for (levels, weight) in self.levels.windows(2).zip(weights).rev() {
            let Rows { cells, totals } = &found[found.len() - 1];
            let mut passed = vec![0.0; levels[0].places.len() * self.states];
            for ((row, total), below) in cells.chunks_exact(self.states).zip(totals).zip(&levels[1].below) {
                let part = weight / (total + weight);
                let under = &mut passed[below * self.states..][..self.states];
                under.iter_mut().zip(row).for_each(|(sum, n)| *sum += n * part);
            }
            found.push(Rows::new(passed, self.states));
        }
        found.reverse();
        found
    }

    /// `v`: what equal shares weigh beside these rows of the node alone, if they may not move a state too far.
    fn limited(&self, alone: &[f64]) -> f64 {
        let total: f64 = alone.iter().sum();
        let share = total / self.states as f64;
        let farthest = alone.iter().fold(0.0, |far: f64, n| far.max((n - share).abs()));
        // v / (M^0 + v) · farthest ≤ MOST_SHIFT · rows
        let allowed = MOST_SHIFT * self.rows;
        if farthest > allowed { self.equal.min(allowed * total / (farthest - allowed)) } else { self.equal }
    }

    /// `Σ N_ck ln θ_ck(without one row of c, k)`.
    fn left_out(&self, weights: &[f64]) -> f64 {
        let rows = self.passed_on(weights);
        let equal = self.limited(&rows[0].cells);
        let mut left = vec![(0.0, 0.0); rows.len()];
        let mut sum = 0.0;
        for (cell, &count) in self.counts.iter().enumerate().filter(|(_, count)| **count > SPECK) {
            let (mut at, state) = (cell / self.states, cell % self.states);
            let (mut less, mut total_less) = (count.min(1.0), count.min(1.0));
            for level in (0..rows.len()).rev() {
                let (own, total) = (rows[level].cells[at * self.states + state], rows[level].totals[at]);
                let own_left = (own - less).max(0.0);
                let total_left = (total - total_less).max(own_left);
                left[level] = (own_left, total_left);
                if level > 0 {
                    let weight = weights[level - 1];
                    let (before, after) = (weight / (total + weight), weight / (total_left + weight));
                    less = own * before - own_left * after;
                    total_less = total * before - total_left * after;
                    at = self.levels[level].below[at];
                }
            }
            let alone = (left[0].0 + equal / self.states as f64) / (left[0].1 + equal);
            let finer = left[1..].iter().zip(weights);
            sum += count * ln(finer.fold(alone, |p, ((own, total), w)| (own + w * p) / (total + w)));
        }
        sum
    }

    /// The best weights, and those around them.
    fn chosen(&self) -> Vec<(Vec<f64>, f64)> {
        let value = |powers: &[i32]| {
            let weights: Vec<f64> = powers.iter().map(|&power| two_to(power)).collect();
            let far = |&power: &i32| f64::from(power - USUAL_POWER) * LN_2 / SPREAD;
            self.left_out(&weights) - powers.iter().map(|power| 0.5 * far(power) * far(power)).sum::<f64>()
        };
        let mut powers = vec![USUAL_POWER; self.parents.len()];
        let mut around = vec![Vec::new(); powers.len()];
        for _ in 0..PASSES {
            let before = powers.clone();
            for level in (0..powers.len()).rev() {
                let mut tried = powers.clone();
                around[level] = climb(powers[level], |power| {
                    tried[level] = power;
                    value(&tried)
                });
                powers[level] = around[level][0].0;
            }
            if powers == before {
                break;
            }
        }
        let weights: Vec<f64> = powers.iter().map(|&power| two_to(power)).collect();
        let mut found = vec![(weights.clone(), 1.0)];
        for (level, around) in around.iter().enumerate() {
            for &(power, value) in &around[1..] {
                let mut other = weights.clone();
                other[level] = two_to(power);
                found.push((other, exp(value - around[0].1)));
            }
        }
        found
    }

    /// The probabilities of all configurations, in the order of the levels: the mean over these weights.
    fn mean(&self, weights: &[(Vec<f64>, f64)]) -> Vec<f64> {
        let mut mean = self.seen(&weights[0].0);
        for (other, probable) in &weights[1..] {
            for (sums, values) in mean.iter_mut().zip(self.seen(other)) {
                sums.iter_mut().zip(values).for_each(|(sum, p)| *sum += probable * p);
            }
        }
        let all: f64 = weights.iter().map(|(_, probable)| probable).sum();
        mean.iter_mut().flatten().for_each(|sum| *sum /= all);
        self.spread(mean)
    }

    /// The probabilities of the configurations that occur, level by level: of a large table few do.
    fn seen(&self, weights: &[f64]) -> Vec<Vec<f64>> {
        let rows = self.passed_on(weights);
        let equal = self.limited(&rows[0].cells);
        let total = rows[0].totals[0] + equal;
        let alone = rows[0].cells.iter().map(|n| (n + equal / self.states as f64) / total).collect();
        let mut found: Vec<Vec<f64>> = vec![alone];
        for ((&weight, level), rows) in weights.iter().zip(&self.levels[1..]).zip(&rows[1..]) {
            let coarser = &found[found.len() - 1];
            let mut values = Vec::with_capacity(rows.cells.len());
            for ((&below, own), total) in
                level.below.iter().zip(rows.cells.chunks_exact(self.states)).zip(&rows.totals)
            {
                let leant_on = &coarser[below * self.states..][..self.states];
                values.extend(leant_on.iter().zip(own).map(|(p, n)| (n + weight * p) / (total + weight)));
            }
            found.push(values);
        }
        found
    }

    /// All configurations: one that does not occur has the probabilities of the finest that it is under and that does.
    fn spread(&self, seen: Vec<Vec<f64>>) -> Vec<f64> {
        let mut levels = seen.into_iter();
        let mut values = levels.next().unwrap_or_default();
        for ((&states, level), seen) in self.parents.iter().zip(&self.levels[1..]).zip(levels) {
            let mut finer = Vec::with_capacity(values.len() * states);
            for row in values.chunks_exact(self.states) {
                (0..states).for_each(|_| finer.extend_from_slice(row));
            }
            for (&place, row) in level.places.iter().zip(seen.chunks_exact(self.states)) {
                finer[place * self.states..][..self.states].copy_from_slice(row);
            }
            values = finer;
        }
        values
    }
}

/// Goes uphill from a power, and looks around the top: all powers from which on it only gets worse than [`WORSE`], with their
/// values, the best one first.
fn climb(start: i32, mut value: impl FnMut(i32) -> f64) -> Vec<(i32, f64)> {
    let mut best = (start, value(start));
    let mut found = vec![best];
    for step in [1, -1] {
        let mut power = start + step;
        while POWERS.contains(&power) {
            let next = (power, value(power));
            found.push(next);
            if next.1 > best.1 {
                best = next;
            }
            if next.1 < best.1 - WORSE {
                break;
            }
            power += step;
        }
    }
    found.retain(|&(power, value)| power != best.0 && value >= best.1 - WORSE);
    found.insert(0, best);
    found
}

/// What equal shares should weigh beside these counts: the geometric mean over the weights tried, each as probable as it makes the
/// counts, `P(N | v) = Γ(v)/Γ(N + v) · Π_k Γ(N_k + v/r)/Γ(v/r)`.
fn weight_of_equal_shares(counts: &[f64]) -> f64 {
    let rows: f64 = counts.iter().sum();
    let evidence = |power: i32| {
        let (weight, share) = (two_to(power), two_to(power) / counts.len() as f64);
        let cells: f64 = counts.iter().map(|n| ln_gamma(n + share) - ln_gamma(share)).sum();
        (f64::from(power), ln_gamma(weight) - ln_gamma(rows + weight) + cells)
    };
    let found: Vec<(f64, f64)> = EQUAL_POWERS.map(evidence).collect();
    let best = found.iter().fold(f64::NEG_INFINITY, |best, &(_, value)| best.max(value));
    let (mut sum, mut all) = (0.0, 0.0);
    for (power, value) in found {
        let probable = exp(value - best);
        sum += probable * power;
        all += probable;
    }
    exp(sum / all * LN_2)
}

/// The places of all configurations in the order of the levels, as they stand in the table.
fn places(shape: &[usize], order: &[usize]) -> Vec<usize> {
    let parents = &shape[..shape.len() - 1];
    let mut strides = vec![0; parents.len()];
    let mut stride = 1;
    for &parent in order.iter().rev() {
        strides[parent] = stride;
        stride *= shape[parent];
    }
    let mut found = vec![0];
    for (&states, &stride) in parents.iter().zip(&strides) {
        let mut more = Vec::with_capacity(found.len() * states);
        found.iter().for_each(|&at| more.extend((0..states).map(|state| at + state * stride)));
        found = more;
    }
    found
}

/// A power of two.
fn two_to(power: i32) -> f64 {
    f64::from_bits(((1023 + i64::from(power)) as u64) << 52)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn backed_off(counts: &[f64], shape: &[usize], weight: Option<f64>) -> (Vec<f64>, Backing) {
        Leaning::chosen(counts, shape, weight).probabilities(counts, shape)
    }

    /// Counts of a node with up to three parents, many of them 0, some not whole.
    fn families() -> impl Strategy<Value = (Vec<usize>, Vec<f64>)> {
        let shape = proptest::collection::vec(2_usize..4, 1..5);
        shape.prop_flat_map(|shape| {
            let count = prop_oneof![Just(0.0), (1_u32..40).prop_map(f64::from), 0.1..3.0];
            let counts = proptest::collection::vec(count, shape.iter().product::<usize>());
            (Just(shape), counts)
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        /// Every row is a distribution without zeros, and together they say of the node what the rows say.
        #[test]
        fn the_frequencies_of_the_node_stay((shape, counts) in families(), weight in prop_oneof![Just(None), (0.1..50.0).prop_map(Some)]) {
            let (values, backing) = backed_off(&counts, &shape, weight);
            let states = shape[shape.len() - 1];
            let rows: f64 = counts.iter().sum();
            prop_assert_eq!(backing.weights.len(), shape.len() - 1);
            let mut expected = vec![0.0; states];
            for (row, own) in values.chunks_exact(states).zip(counts.chunks_exact(states)) {
                prop_assert!((row.iter().sum::<f64>() - 1.0).abs() < 1e-12 && row.iter().all(|&p| p > 0.0));
                let total: f64 = own.iter().sum();
                expected.iter_mut().zip(row).for_each(|(sum, p)| *sum += total * p);
            }
            counts.iter().enumerate().for_each(|(at, n)| expected[at % states] -= n);
            prop_assert!(expected.iter().all(|d| d.abs() <= (MOST_SHIFT + 1e-9) * rows), "{:?} of {}", expected, rows);
        }

        /// What is summed up in passing is what a table without the row would say.
        #[test]
        fn a_row_that_is_left_out_is_left_out_everywhere((shape, counts) in families(), weight in 0.1..20.0) {
            let whole: Vec<f64> = counts.iter().map(|n| n.floor()).collect();
            let order: Vec<usize> = (0..shape.len() - 1).collect();
            let weights: Vec<f64> = order.iter().map(|&level| weight * (level + 1) as f64).collect();
            let ladder = |counts: &[f64]| Ladder { equal: 1e-4, ..Ladder::new(counts, &shape, &order) };
            let mut sum = 0.0;
            for (cell, &n) in whole.iter().enumerate().filter(|(_, n)| **n > 0.0) {
                let mut others = whole.clone();
                others[cell] -= 1.0;
                sum += n * ladder(&others).mean(&[(weights.clone(), 1.0)])[cell].ln();
            }
            let found = ladder(&whole).left_out(&weights);
            prop_assert!((found - sum).abs() <= 1e-6 * (1.0 + sum.abs()), "{} {}", found, sum);
        }
    }

    #[test]
    fn the_parent_that_tells_least_is_left_out_first() {
        // The node is its first parent, and now and then its second.
        let counts = [40.0, 2.0, 36.0, 6.0, 1.0, 45.0, 5.0, 41.0];
        assert_eq!(most_informative_first(&counts, &[2, 2, 2]), [0, 1]);
        let turned = [40.0, 2.0, 1.0, 45.0, 36.0, 6.0, 5.0, 41.0];
        assert_eq!(most_informative_first(&turned, &[2, 2, 2]), [1, 0]);
        let (one, other) = (backed_off(&counts, &[2, 2, 2], None).0, backed_off(&turned, &[2, 2, 2], None).0);
        let at = |a: usize, b: usize, k: usize| (4 * a + 2 * b + k, 4 * b + 2 * a + k);
        for (i, j) in (0..8).map(|i| at(i / 4, i / 2 % 2, i % 2)) {
            assert!((one[i] - other[j]).abs() < 1e-12);
        }
    }

    #[test]
    fn a_rare_state_stays_rare_and_an_unseen_one_possible() {
        let of = |counts: &[f64]| backed_off(counts, &[counts.len()], None).0;
        let rare = of(&[25_999.0, 1.0]);
        assert!((0.9..1.4).contains(&(rare[1] * 26_000.0)), "{}", rare[1] * 26_000.0);
        let unseen = of(&[600.0, 399.0, 0.0, 1.0]);
        assert!(unseen[2] > 0.0 && unseen[2] < 0.0005 && unseen[3] < 0.002, "{unseen:?}");
        let nothing = of(&[0.0; 4]);
        assert_eq!(nothing, [0.25; 4]);
    }

    #[test]
    fn parents_that_tell_nothing_are_leant_over_and_those_that_tell_all_are_not() {
        // Ten configurations with three rows each, all alike or each with its own answer.
        let alike: Vec<f64> =
            (0..10).flat_map(|c| if c % 2 == 0 { [2.0, 1.0] } else { [1.0, 2.0] }).collect();
        let certain: Vec<f64> =
            (0..10).flat_map(|c| if c % 2 == 0 { [3.0, 0.0] } else { [0.0, 3.0] }).collect();
        let (flat, loose) = backed_off(&alike, &[10, 2], None);
        let (sharp, tight) = backed_off(&certain, &[10, 2], None);
        assert!(loose.weights[0] >= 8.0 && tight.weights[0] <= 0.5, "{loose:?} {tight:?}");
        assert!(flat[0] < 0.56 && sharp[0] > 0.9, "{} {}", flat[0], sharp[0]);
    }

    #[test]
    fn places_follow_the_order() {
        assert_eq!(places(&[2, 3, 5], &[0, 1]), [0, 1, 2, 3, 4, 5]);
        assert_eq!(places(&[2, 3, 5], &[1, 0]), [0, 2, 4, 1, 3, 5]);
        assert_eq!(places(&[5], &[]), [0]);
    }
}
