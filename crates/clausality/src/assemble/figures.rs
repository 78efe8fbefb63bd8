//! Figures of a family from its counts.
//!
//! ```text
//! BDeu(ess) = Σ_jk R(ess/qr, n_jk) − Σ_j R(ess/q, n_j),   R(a, n) = ln Γ(a + n) − ln Γ(a)
//! LL        = Σ_jk φ(n_jk) − Σ_j φ(n_j),                  φ(n) = n ln n
//! BIC, AIC  = LL − ½ ln N · q(r−1),  LL − q(r−1)
//! fNML      = LL − Σ_j ln C(n_j, r);   qNML = LL − [ln C(N, qr) − ln C(N, q)]
//! ```
//!
//! with N the rows that were counted. `clausality_bn::score` is the slow, obvious twin.

use super::watched::Watched;
use crate::watch::{Cancelled, Watch};
use clausality_bn::counts::Count;
use clausality_bn::score::ln_normaliser;
use clausality_bn::{Score, math};
use std::collections::HashMap;

/// The two figures of a family.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Figure {
    /// The score that is maximised, less what each parent costs.
    pub(super) score: f64,
    /// BIC with half its penalty: what a parent set is grown by before the score prunes it.
    pub(super) loose: f64,
}

/// The figures of a family that cannot be.
pub(super) const IMPOSSIBLE: Figure = Figure { score: f64::NEG_INFINITY, loose: f64::NEG_INFINITY };
/// What a table beyond [`most_cells`] loses, in nats, for every time it is too large (as a logarithm): more than any rows can win, and
/// finite, so that differences stay numbers where the rules require such a table.
const TOO_LARGE: f64 = 1e9;

/// The cells of the largest table that is learned: ten for every row, but 100,000 are never too many and a million always are enough.
/// Where rows repeat, as of a person who is asked every year, parents that together single out each person explain every column of his, and scores
/// reward them without end: 20,190 such rows made a table of 12 parents with twelve million cells.
pub(super) fn most_cells(rows: usize) -> f64 {
    rows.saturating_mul(10).clamp(100_000, 1_000_000) as f64
}

/// Counts above this are not looked up but computed.
const LOOKED_UP: usize = 1 << 14;

/// Counts families until the work is called off, and has the figures of what was counted.
pub(super) struct Tallies<'t> {
    count: Watched<'t>,
    figures: Figures,
    passes: u64,
}

/// The variables that a family is counted with: the columns of `within` are not in it, but restrict the rows to those that have a value
/// there.
#[derive(Debug, Clone, Copy)]
pub(super) struct Counted<'a> {
    pub(super) node: usize,
    pub(super) set: &'a [u32],
    pub(super) within: Option<usize>,
}

impl<'t> Tallies<'t> {
    pub(super) fn new(
        count: impl Count + Send + 't,
        score: Score,
        parent_cost: f64,
        watch: &'t dyn Watch,
    ) -> Self {
        let figures = Figures::new(count.rows(), score, parent_cost);
        Tallies { count: Watched::new(count, watch), figures, passes: 0 }
    }

    pub(super) fn rows(&self) -> usize {
        self.count.rows()
    }

    /// Asks whether to go on: for loops that count nothing for long.
    pub(super) fn go_on(&mut self) -> Result<(), Cancelled> {
        self.count.go_on()
    }

    /// As [`Count::foresee`].
    pub(super) fn foresee(&mut self, families: Vec<Vec<usize>>) {
        self.count.foresee(families);
    }

    /// How many rows have been counted so far, each as often as it was: how much work was done, on any machine.
    pub(super) fn counted(&self) -> u64 {
        self.passes * self.count.rows() as u64
    }

    /// What each parent costs.
    pub(super) fn parent_cost(&self) -> f64 {
        self.figures.parent_cost
    }

    /// Shows the counts of the family, or of the family with each candidate that is not in it before the set.
    pub(super) fn tally(
        &mut self,
        Counted { node, set, within }: Counted<'_>,
        candidates: &[u32],
        mut see: impl FnMut(&mut Figures, usize, Tallied<'_>),
    ) -> Result<(), Cancelled> {
        let Tallies { count, figures, passes } = self;
        let tail: Vec<usize> =
            within.into_iter().chain(set.iter().map(|&p| p as usize)).chain([node]).collect();
        let heads: Vec<usize> = candidates.iter().map(|&c| c as usize).collect();
        let states = count.states().to_vec();
        let q: f64 = set.iter().map(|&p| states[p as usize] as f64).product();
        *passes += count.tally(&tail, &heads, &mut |place, counts| {
            let head = heads.get(place).copied();
            if head != Some(node) {
                let heads = head.map_or(1, |head| states[head]);
                let parents = set.len() + usize::from(head.is_some());
                see(figures, place, Tallied { counts, r: states[node], q: q * heads as f64, parents, heads });
            }
        }) as u64;
        count.whole()
    }

    /// G² of two columns given others, and its degrees of freedom: (rows − 1)(columns − 1) of what occurs, over the
    /// configurations of the others. Both are 0 where there are too many cells to count, and once the work is called off: tests
    /// then find everything independent and soon come to an end, where [`Tallies::go_on`] tells.
    pub(super) fn dependence(&mut self, x: usize, y: usize, given: &[u32]) -> (f64, f64) {
        let tail: Vec<usize> = given.iter().map(|&v| v as usize).chain([x]).collect();
        let (r, k) = (self.count.states()[x], self.count.states()[y]);
        let (mut g, mut df) = (0.0, 0.0);
        let figures = &self.figures;
        let passes = self.count.tally(&tail, &[y], &mut |_, counts| {
            let observed = counts.len() / (r * k);
            for z in 0..observed {
                // Cell (state of y, configuration, state of x).
                let cell = |j: usize, i: usize| counts[(j * observed + z) * r + i];
                let (mut all, mut columns) = (0, 0);
                for j in 0..k {
                    let sum: u32 = (0..r).map(|i| cell(j, i)).sum();
                    g += (0..r).map(|i| figures.phi(cell(j, i))).sum::<f64>() - figures.phi(sum);
                    columns += u32::from(sum > 0);
                    all += sum;
                }
                let mut rows = 0;
                for i in 0..r {
                    let sum: u32 = (0..k).map(|j| cell(j, i)).sum();
                    g -= figures.phi(sum);
                    rows += u32::from(sum > 0);
                }
                g += figures.phi(all);
                df += f64::from(rows.saturating_sub(1)) * f64::from(columns.saturating_sub(1));
            }
        });
        self.passes += passes as u64;
        (2.0 * g, df)
    }
}

/// What was counted of a node with `r` states and its parents, of whom there are so many, with `q` configurations.
#[derive(Debug, Clone, Copy)]
pub(super) struct Tallied<'a> {
    pub(super) counts: &'a [u32],
    pub(super) r: usize,
    pub(super) q: f64,
    pub(super) parents: usize,
    /// States of the head, by which the counts vary slowest; 1 without a head.
    pub(super) heads: usize,
}

/// Figures from counts.
pub(super) struct Figures {
    rows: usize,
    score: Score,
    parent_cost: f64,
    phi: Vec<f64>,
    /// R(a, ·) by the bits of a.
    rising: HashMap<u64, Vec<f64>>,
    /// ln C(·, r) by r.
    normaliser: HashMap<usize, Vec<f64>>,
    /// The sums of the counts over the node's states.
    totals: Vec<u32>,
}

/// φ, R or ln C at a count: looked up where the table reaches.
#[inline(always)]
fn at(table: &[f64], n: u32, beyond: impl Fn(u32) -> f64) -> f64 {
    match table.get(n as usize) {
        Some(&value) => value,
        None => beyond(n),
    }
}

/// Folds the counts of a row. Nothing is added for a count of 0: where a row has more cells than it can fill those are passed over, and what comes after the
/// last row of data is not looked at.
#[inline(always)]
fn over<T>(row: &[u32], total: u32, first: T, add: impl Fn(T, u32) -> T) -> T {
    if total as usize >= row.len() {
        return row.iter().fold(first, |sum, &n| add(sum, n));
    }
    let (mut sum, mut left) = (first, total);
    for &n in row {
        if n > 0 {
            sum = add(sum, n);
            left -= n;
            if left == 0 {
                break;
            }
        }
    }
    sum
}

impl Figures {
    fn new(rows: usize, score: Score, parent_cost: f64) -> Self {
        let phi = (0..=rows.min(LOOKED_UP)).map(|n| math::x_ln_x(n as f64)).collect();
        let (rising, normaliser) = (HashMap::new(), HashMap::new());
        Figures { rows, score, parent_cost, phi, rising, normaliser, totals: vec![] }
    }

    #[inline(always)]
    fn phi(&self, n: u32) -> f64 {
        at(&self.phi, n, |n| math::x_ln_x(n as f64))
    }

    pub(super) fn of(&mut self, &Tallied { counts, r, q, parents, .. }: &Tallied<'_>) -> Figure {
        self.totals.clear();
        self.totals.extend(counts.chunks_exact(r).map(|row| row.iter().sum::<u32>()));
        let (likelihood, bdeu) = match self.score {
            Score::Bdeu { ess } => self.likelihood_and_bdeu(counts, ess, r, q),
            _ => (self.likelihood(counts, r), 0.0),
        };
        let n = self.totals.iter().map(|&n| u64::from(n)).sum::<u64>().max(1) as f64;
        let free = q * (r - 1) as f64;
        let too_large = q * r as f64 / most_cells(self.rows);
        let loss = if too_large > 1.0 { TOO_LARGE * math::ln(too_large) } else { 0.0 };
        let score = match self.score {
            Score::LogLikelihood => likelihood,
            Score::Bic => likelihood - 0.5 * math::ln(n) * free,
            Score::Aic => likelihood - free,
            Score::Bdeu { .. } => bdeu,
            Score::Fnml => likelihood - self.normalisers(r),
            Score::Qnml => likelihood - (ln_normaliser(n, q * r as f64) - ln_normaliser(n, q)),
        };
        Figure {
            score: score - self.parent_cost * parents as f64 - loss,
            loose: likelihood - 0.25 * math::ln(n) * free - loss,
        }
    }

    fn likelihood(&self, counts: &[u32], r: usize) -> f64 {
        let mut sum = 0.0;
        for (row, &total) in counts.chunks_exact(r).zip(&self.totals) {
            // φ(1) = 0.
            if total > 1 {
                sum += over(row, total, 0.0, |sum, n| sum + self.phi(n)) - self.phi(total);
            }
        }
        sum
    }

    /// Both in one walk over the counts.
    fn likelihood_and_bdeu(&mut self, counts: &[u32], ess: f64, r: usize, q: f64) -> (f64, f64) {
        let (a_row, a_cell) = (ess / q, ess / (q * r as f64));
        let most = self.totals.iter().copied().max().unwrap_or(0);
        self.ensure_rising(a_row, most);
        self.ensure_rising(a_cell, most);
        let (rows, cells) = (&self.rising[&a_row.to_bits()], &self.rising[&a_cell.to_bits()]);
        let of_row = |n| at(rows, n, |n| math::ln_rising(a_row, n));
        let of_cell = |n| at(cells, n, |n| math::ln_rising(a_cell, n));
        // Of tables with many cells most rows are of one row of data.
        let single = of_cell(1) - of_row(1);
        let (mut likelihood, mut bdeu) = (0.0, 0.0);
        for (row, &total) in counts.chunks_exact(r).zip(&self.totals) {
            match total {
                0 => {}
                1 => bdeu += single,
                _ => {
                    let add = |(phi, rising): (f64, f64), n| (phi + self.phi(n), rising + of_cell(n));
                    let (phi, rising) = over(row, total, (0.0, 0.0), add);
                    likelihood += phi - self.phi(total);
                    bdeu += rising - of_row(total);
                }
            }
        }
        (likelihood, bdeu)
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
