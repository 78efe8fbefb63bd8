//! Scores of a node with a set of parents, many at a time.
//!
//! The search always asks the same question: what would each of these candidates add to this parent set? One pass over the
//! rows fixes the configuration of the set and the node's own state in every row; every few candidates that have few cells
//! together then cost one more pass of a single multiplication and increment a row, and each a walk over its counts
//! in which all logarithms are looked up.
//!
//! ```text
//! BDeu(ess) = Σ_jk R(ess/qr, n_jk) − Σ_j R(ess/q, n_j),   R(a, n) = ln Γ(a + n) − ln Γ(a)
//! LL        = Σ_jk φ(n_jk) − Σ_j φ(n_j),                  φ(n) = n ln n
//! BIC, AIC  = LL − ½ ln N · q(r−1),  LL − q(r−1)
//! fNML      = LL − Σ_j ln C(n_j, r);   qNML = LL − [ln C(N, qr) − ln C(N, q)]
//! ```
//!
//! `clausality_bn::score` is the slow, obvious twin.

use clausality_bn::score::ln_normaliser;
use clausality_bn::{Score, math};
use std::collections::HashMap;
use std::ops::{Add, Mul};

/// The two figures of a family.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Figure {
    /// The score that is maximised, less what each parent costs.
    pub(super) score: f64,
    /// BIC with half its penalty: what a parent set is grown by before the score prunes it.
    pub(super) loose: f64,
}

/// A family with more cells than this is not counted: it cannot be worth its parameters.
const MOST_CELLS: usize = 1 << 22;
/// Up to so many cells four rows are counted at a time, and candidates together.
const FEW_CELLS: usize = 1024;
/// Configurations are renumbered before their numbers grow beyond this.
const MOST_NUMBERS: usize = 1 << 14;
/// The figures of a family that cannot be.
const IMPOSSIBLE: Figure = Figure { score: f64::NEG_INFINITY, loose: f64::NEG_INFINITY };
/// Counts above this are not looked up but computed.
const LOOKED_UP: usize = 1 << 14;

/// Counts and scores families over fixed columns.
pub(super) struct Families<'t> {
    columns: Vec<&'t [u8]>,
    states: Vec<usize>,
    rows: usize,
    score: Score,
    parent_cost: f64,
    phi: Vec<f64>,
    /// R(a, ·) by the bits of a.
    rising: HashMap<u64, Vec<f64>>,
    /// ln C(·, r) by r.
    normaliser: HashMap<usize, Vec<f64>>,
    counts: Vec<u32>,
    /// The sums of the counts over the node's states.
    totals: Vec<u32>,
    /// For every row: its configuration of the set, times the node's states, plus the node's state.
    base: Vec<u32>,
    numbers: Vec<u32>,
    /// Where there are few cells: `base`, and the cell of every row.
    narrow: Vec<u16>,
    cells: Vec<u16>,
    /// Four counters of every cell.
    apart: Vec<[u32; COUNTERS]>,
    /// The counts of candidates that are counted together.
    joint: Vec<u32>,
    counted: u64,
}

/// A counter for whatever a `u16` can be, so that none is out of reach; and some more, so that the counters of one cell do not
/// lie a multiple of a page apart, where a load waits for a store to any of them.
const COUNTERS: usize = (1 << 16) + 256;

/// φ, R or ln C at a count: looked up where the table reaches.
#[inline(always)]
fn at(table: &[f64], n: u32, beyond: impl Fn(u32) -> f64) -> f64 {
    match table.get(n as usize) {
        Some(&value) => value,
        None => beyond(n),
    }
}

/// Appends a digit of a column to every number.
fn add_digit<T: Copy + From<u8> + Mul<Output = T> + Add<Output = T>>(
    numbers: &mut [T],
    digits: &[u8],
    base: T,
) {
    numbers.iter_mut().zip(digits).for_each(|(number, &digit)| *number = *number * base + T::from(digit));
}

impl<'t> Families<'t> {
    pub(super) fn new(columns: Vec<&'t [u8]>, states: Vec<usize>, score: Score, parent_cost: f64) -> Self {
        let rows = columns.first().map_or(0, |c| c.len());
        let phi = (0..=rows.min(LOOKED_UP)).map(|n| math::x_ln_x(n as f64)).collect();
        Families {
            columns,
            states,
            rows,
            score,
            parent_cost,
            phi,
            rising: HashMap::new(),
            normaliser: HashMap::new(),
            counts: vec![],
            totals: vec![],
            base: vec![],
            numbers: vec![],
            narrow: vec![],
            cells: vec![],
            apart: vec![[0; COUNTERS]; 4],
            joint: vec![],
            counted: 0,
        }
    }

    /// How many rows have been counted so far, each as often as it was: how much work was done, on any machine.
    pub(super) fn counted(&self) -> u64 {
        self.counted
    }

    /// What each parent costs.
    pub(super) fn parent_cost(&self) -> f64 {
        self.parent_cost
    }

    /// The figures of `node` with the parents `set`, and with each candidate added to them.
    pub(super) fn expand(&mut self, node: usize, set: &[u32], candidates: &[u32]) -> (Figure, Vec<Figure>) {
        let observed = self.fix(node, set);
        let (r, q) = (self.states[node], self.configurations(set));
        let slice = observed * r;
        self.count(&[], slice);
        let own = self.figure(r, q, set.len());
        let mut more = Vec::with_capacity(candidates.len());
        let mut rest = candidates;
        while !rest.is_empty() {
            let (group, after) = rest.split_at(self.together(rest, slice));
            if group.len() > 1 {
                self.count(group, slice);
                std::mem::swap(&mut self.counts, &mut self.joint);
            }
            for (i, &c) in group.iter().enumerate() {
                let states = self.states[c as usize];
                if c as usize == node || slice.saturating_mul(states) > MOST_CELLS {
                    more.push(IMPOSSIBLE);
                    continue;
                }
                match group {
                    [_] => self.count(group, slice),
                    _ => self.pick(group, i, slice),
                }
                more.push(self.figure(r, q * states as f64, set.len() + 1));
            }
            rest = after;
        }
        (own, more)
    }

    /// How many of the candidates, from the first on, are counted in one pass: as many as have few cells together.
    fn together(&self, candidates: &[u32], slice: usize) -> usize {
        let mut cells = slice;
        let few = |&&c: &&u32| {
            cells *= self.states[c as usize];
            cells <= FEW_CELLS
        };
        candidates.iter().take_while(few).count().max(1)
    }

    /// The counts of one candidate out of those of its group.
    fn pick(&mut self, group: &[u32], member: usize, slice: usize) {
        let states = self.states[group[member] as usize];
        let faster: usize = group[member + 1..].iter().map(|&c| self.states[c as usize]).product();
        self.counts.clear();
        self.counts.resize(states * slice, 0);
        for slower in self.joint.chunks_exact(states * faster * slice) {
            let sums = self.counts.chunks_exact_mut(slice);
            for (sum, parts) in sums.zip(slower.chunks_exact(faster * slice)) {
                for part in parts.chunks_exact(slice) {
                    sum.iter_mut().zip(part).for_each(|(sum, n)| *sum += n);
                }
            }
        }
    }

    /// G² of two columns given others, and its degrees of freedom: (rows − 1)(columns − 1) of what occurs, over the
    /// configurations of the others.
    pub(super) fn dependence(&mut self, x: usize, y: usize, given: &[u32]) -> (f64, f64) {
        let observed = self.fix(x, given);
        let (r, k) = (self.states[x], self.states[y]);
        if (observed * r).saturating_mul(k) > MOST_CELLS {
            return (0.0, 0.0);
        }
        self.count(&[y as u32], observed * r);
        let phi = |n: u32| at(&self.phi, n, |n| math::x_ln_x(n as f64));
        let (mut g, mut df) = (0.0, 0.0);
        for z in 0..observed {
            // Cell (state of y, configuration, state of x).
            let cell = |j: usize, i: usize| self.counts[(j * observed + z) * r + i];
            let (mut all, mut columns) = (0, 0);
            for j in 0..k {
                let sum: u32 = (0..r).map(|i| cell(j, i)).sum();
                g += (0..r).map(|i| phi(cell(j, i))).sum::<f64>() - phi(sum);
                columns += u32::from(sum > 0);
                all += sum;
            }
            let mut rows = 0;
            for i in 0..r {
                let sum: u32 = (0..k).map(|j| cell(j, i)).sum();
                g -= phi(sum);
                rows += u32::from(sum > 0);
            }
            g += phi(all);
            df += f64::from(rows.saturating_sub(1)) * f64::from(columns.saturating_sub(1));
        }
        (2.0 * g, df)
    }

    fn configurations(&self, set: &[u32]) -> f64 {
        set.iter().map(|&p| self.states[p as usize] as f64).product()
    }

    /// Numbers the configurations of the set that occur, and lays `base`; returns how many there are.
    fn fix(&mut self, node: usize, set: &[u32]) -> usize {
        self.base.clear();
        self.base.resize(self.rows, 0);
        let mut numbers = 1;
        for &parent in set {
            let k = self.states[parent as usize];
            // Numbers that occur are fewer than rows; between parents they are counted only where they would grow too large.
            if numbers * k > MOST_NUMBERS {
                numbers = self.renumber(numbers);
            }
            add_digit(&mut self.base, self.columns[parent as usize], k as u32);
            numbers *= k;
        }
        let observed = self.renumber(numbers);
        let r = self.states[node];
        add_digit(&mut self.base, self.columns[node], r as u32);
        if observed * r <= FEW_CELLS {
            self.narrow.clear();
            self.narrow.extend(self.base.iter().map(|&b| b as u16));
        }
        observed
    }

    /// Numbers what occurs in `base`, in its order; returns how much does.
    fn renumber(&mut self, numbers: usize) -> usize {
        self.numbers.clear();
        self.numbers.resize(numbers, 0);
        self.base.iter().for_each(|&b| self.numbers[b as usize] = 1);
        let mut next = 0;
        for number in &mut self.numbers {
            (*number, next) = (next, next + *number);
        }
        if (next as usize) < numbers {
            self.base.iter_mut().for_each(|b| *b = self.numbers[*b as usize]);
        }
        next.max(1) as usize
    }

    /// The figures of what was counted: a node of `r` states, with parents of `q` configurations.
    fn figure(&mut self, r: usize, q: f64, parents: usize) -> Figure {
        self.totals.clear();
        self.totals.extend(self.counts.chunks_exact(r).map(|row| row.iter().sum::<u32>()));
        let likelihood = self.likelihood(r);
        let n = self.rows as f64;
        let free = q * (r - 1) as f64;
        let score = match self.score {
            Score::LogLikelihood => likelihood,
            Score::Bic => likelihood - 0.5 * math::ln(n) * free,
            Score::Aic => likelihood - free,
            Score::Bdeu { ess } => self.bdeu(ess, r, q),
            Score::Fnml => likelihood - self.normalisers(r),
            Score::Qnml => likelihood - (ln_normaliser(n, q * r as f64) - ln_normaliser(n, q)),
        };
        Figure {
            score: score - self.parent_cost * parents as f64,
            loose: likelihood - 0.25 * math::ln(n) * free,
        }
    }

    /// Counts the rows of every cell: the candidates' joint state, then the configuration of the set, then the node's state.
    fn count(&mut self, candidates: &[u32], slice: usize) {
        self.counted += self.rows as u64;
        let joint: usize = candidates.iter().map(|&c| self.states[c as usize]).product();
        let cells = slice * joint;
        self.counts.clear();
        if cells <= FEW_CELLS {
            return self.count_few(candidates, slice as u16, cells);
        }
        self.counts.resize(cells, 0);
        match candidates {
            [c] => {
                for (&b, &code) in self.base.iter().zip(self.columns[*c as usize]) {
                    self.counts[b as usize + code as usize * slice] += 1;
                }
            }
            _ => self.base.iter().for_each(|&b| self.counts[b as usize] += 1),
        }
    }

    /// Counts four rows at a time, each with counters of its own: neighbours often fall into one cell, and an increment would
    /// wait for the one before.
    fn count_few(&mut self, candidates: &[u32], slice: u16, cells: usize) {
        self.cells.clear();
        if let [first, others @ ..] = candidates {
            self.cells.extend(self.columns[*first as usize].iter().map(|&code| u16::from(code)));
            for &c in others {
                add_digit(&mut self.cells, self.columns[c as usize], self.states[c as usize] as u16);
            }
            self.cells.iter_mut().zip(&self.narrow).for_each(|(cell, &b)| *cell = *cell * slice + b);
        } else {
            self.cells.extend_from_slice(&self.narrow);
        }
        let [first, second, third, fourth] = &mut self.apart[..] else { unreachable!("four were made") };
        for part in [&mut *first, &mut *second, &mut *third, &mut *fourth] {
            part[..cells].fill(0);
        }
        let (fours, rest) = self.cells.as_chunks::<4>();
        for &[a, b, c, d] in fours {
            first[a as usize] += 1;
            second[b as usize] += 1;
            third[c as usize] += 1;
            fourth[d as usize] += 1;
        }
        rest.iter().for_each(|&cell| first[cell as usize] += 1);
        let pairs = first[..cells].iter().zip(&second[..cells]);
        let others = third[..cells].iter().zip(&fourth[..cells]);
        self.counts.extend(pairs.zip(others).map(|((a, b), (c, d))| a + b + c + d));
    }

    fn likelihood(&self, r: usize) -> f64 {
        let phi = |n: &u32| at(&self.phi, *n, |n| math::x_ln_x(n as f64));
        let mut sum = 0.0;
        for (row, total) in self.counts.chunks_exact(r).zip(&self.totals) {
            if *total > 0 {
                sum += row.iter().map(phi).sum::<f64>() - phi(total);
            }
        }
        sum
    }

    fn bdeu(&mut self, ess: f64, r: usize, q: f64) -> f64 {
        let (a_row, a_cell) = (ess / q, ess / (q * r as f64));
        let most = self.totals.iter().copied().max().unwrap_or(0);
        self.ensure_rising(a_row, most);
        self.ensure_rising(a_cell, most);
        let (rows, cells) = (&self.rising[&a_row.to_bits()], &self.rising[&a_cell.to_bits()]);
        let mut sum = 0.0;
        for (row, &total) in self.counts.chunks_exact(r).zip(&self.totals) {
            if total > 0 {
                let parts: f64 = row.iter().map(|&n| at(cells, n, |n| math::ln_rising(a_cell, n))).sum();
                sum += parts - at(rows, total, |n| math::ln_rising(a_row, n));
            }
        }
        sum
    }

    /// Has R(a, ·) at hand up to `most`.
    fn ensure_rising(&mut self, a: f64, most: u32) {
        let table = self.rising.entry(a.to_bits()).or_insert_with(|| vec![0.0]);
        for n in table.len()..=(most as usize).min(LOOKED_UP) {
            table.push(table[n - 1] + math::ln(a + (n - 1) as f64));
        }
    }

    fn normalisers(&mut self, r: usize) -> f64 {
        let most = self.rows.min(LOOKED_UP);
        let table = self
            .normaliser
            .entry(r)
            .or_insert_with(|| (0..=most).map(|n| ln_normaliser(n as f64, r as f64)).collect());
        self.totals.iter().map(|&n| at(table, n, |n| ln_normaliser(n as f64, r as f64))).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{bn, embedded};
    use clausality_bn::Scorer;

    #[test]
    fn scores_are_those_of_the_obvious_twin() {
        let truth = embedded::network("child").unwrap();
        let table = bn::sample(&truth, 700, 3);
        let m = truth.len();
        let columns = || (0..m).map(|v| table.column(v)).collect::<Vec<_>>();
        let states = || (0..m).map(|v| table.schema().cardinality(v)).collect::<Vec<_>>();
        let scores = [
            Score::LogLikelihood,
            Score::Bic,
            Score::Aic,
            Score::Bdeu { ess: 1.0 },
            Score::Bdeu { ess: 10.0 },
            Score::Fnml,
            Score::Qnml,
        ];
        for score in scores {
            let mut families = Families::new(columns(), states(), score, 0.5);
            let scorer = Scorer::new(&table, score).unwrap();
            let mut counter = scorer.counter().unwrap();
            for (node, set) in [(0, vec![]), (3, vec![1, 7]), (12, vec![2, 4, 9]), (5, vec![1, 3, 8, 11, 13])]
            {
                let candidates: Vec<u32> = (0..m as u32).filter(|c| *c != node && !set.contains(c)).collect();
                let (own, more) = families.expand(node as usize, &set, &candidates);
                let mut twin = |set: &[u32]| {
                    let parents: Vec<usize> = set.iter().map(|&p| p as usize).collect();
                    scorer.family(&mut counter, node as usize, &parents) - 0.5 * set.len() as f64
                };
                let close = |a: f64, b: f64| (a - b).abs() <= 1e-9 * a.abs().max(1.0);
                assert!(close(own.score, twin(&set)), "{score:?} {node} {set:?}");
                for (&c, figure) in candidates.iter().zip(&more) {
                    let mut larger = set.clone();
                    larger.push(c);
                    assert!(close(figure.score, twin(&larger)), "{score:?} {node} {larger:?}");
                }
            }
        }
    }
}
