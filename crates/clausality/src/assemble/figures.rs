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
use clausality_bn::counts::{self, Count, Counts};
use clausality_bn::score::ln_normaliser;
use clausality_bn::{Score, math};
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

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
    states: Vec<usize>,
    /// What is counted now.
    tail: Vec<usize>,
    heads: Vec<usize>,
    /// The places of the heads among the candidates.
    places: Vec<usize>,
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
        let (figures, states) = (Figures::new(count.rows(), score, parent_cost), count.states().to_vec());
        let (tail, heads, places) = Default::default();
        Tallies { count: Watched::new(count, watch), figures, passes: 0, states, tail, heads, places }
    }

    pub(super) fn rows(&self) -> usize {
        self.count.rows()
    }

    pub(super) fn states(&self, node: u32) -> usize {
        self.states[node as usize]
    }

    /// The cells of the table of a node with these parents.
    pub(super) fn cells(&self, node: usize, set: &[u32]) -> f64 {
        set.iter().fold(self.states[node] as f64, |cells, &p| cells * self.states[p as usize] as f64)
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
        let Tallies { count, figures, passes, states, tail, heads, .. } = self;
        tail.clear();
        tail.extend(within.into_iter().chain(set.iter().map(|&p| p as usize)).chain([node]));
        heads.clear();
        heads.extend(candidates.iter().map(|&c| c as usize));
        let q: f64 = set.iter().map(|&p| states[p as usize] as f64).product();
        *passes += count.tally(tail, heads, &mut |place, counts| {
            let head = heads.get(place).copied();
            if head != Some(node) {
                let heads = head.map_or(1, |head| states[head]);
                let parents = set.len() + usize::from(head.is_some());
                see(figures, place, Tallied { counts, r: states[node], q: q * heads as f64, parents, heads });
            }
        }) as u64;
        count.whole()
    }

    /// The figures of a family.
    pub(super) fn own(&mut self, node: usize, set: &[u32]) -> Result<Figure, Cancelled> {
        let Tallies { count, figures, passes, states, tail, .. } = self;
        tail.clear();
        tail.extend(set.iter().map(|&p| p as usize).chain([node]));
        let q = set.iter().map(|&p| states[p as usize] as f64).product::<f64>();
        let mut own = IMPOSSIBLE;
        *passes += count.tally_occurring(tail, &[], &mut |_, counts| {
            own = figures.from(counts, states[node], q, set.len());
        }) as u64;
        count.whole()?;
        Ok(own)
    }

    /// The figures of a family with each candidate that is not in it, as far as they may be above `floor`.
    ///
    /// A table too large for its rows is known to be worth less without counting. How much was done does not tell: what was left out was
    /// worth as many passes as before it was.
    pub(super) fn each(
        &mut self,
        node: usize,
        set: &[u32],
        candidates: &[u32],
        floor: f64,
        found: &mut [Figure],
    ) -> Result<(), Cancelled> {
        let Tallies { count, figures, passes, states, tail, heads, places } = self;
        tail.clear();
        tail.extend(set.iter().map(|&p| p as usize).chain([node]));
        let (q, r) = (set.iter().map(|&p| states[p as usize] as f64).product::<f64>(), states[node]);
        let hopeless = |c: u32| {
            let loss = figures.loss(q * states[c as usize] as f64, r);
            loss > 0.0 && -loss <= floor
        };
        places.clear();
        places.extend((0..candidates.len()).filter(|&place| !hopeless(candidates[place])));
        heads.clear();
        heads.extend(places.iter().map(|&place| candidates[place] as usize));
        let worth = (heads.len() < candidates.len()).then(|| {
            let cells = count.cells_beside(tail);
            counts::passes(cells, candidates.iter().map(|&c| states[c as usize]))
        });
        let mut counted = 0;
        if !heads.is_empty() {
            counted = count.tally_occurring(tail, heads, &mut |at, counts| {
                let head = heads[at];
                if head != node {
                    found[places[at]] = figures.from(counts, r, q * states[head] as f64, set.len() + 1);
                }
            });
        }
        *passes += worth.unwrap_or(counted) as u64;
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

impl Tallied<'_> {
    /// The counts without the head, which varies slowest: those of the other parents on the rows that have the head too.
    pub(super) fn without_head<'a>(&self, summed: &'a mut Vec<u32>) -> Tallied<'a> {
        let slice = self.counts.len() / self.heads;
        summed.clear();
        summed.resize(slice, 0);
        for part in self.counts.chunks_exact(slice.max(1)) {
            summed.iter_mut().zip(part).for_each(|(sum, n)| *sum += n);
        }
        let (q, parents) = (self.q / self.heads as f64, self.parents - 1);
        Tallied { counts: summed, r: self.r, q, parents, heads: 1 }
    }
}

/// A hash of one number, as quick as its look-up: whoever chooses the numbers is ourselves.
#[derive(Default)]
struct Mixed(u64);

impl Hasher for Mixed {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&byte| self.write_u64(byte.into()));
    }

    fn write_u64(&mut self, number: u64) {
        // Times the golden ratio, and both halves of the product: the lower bits of a number like a half are all zero.
        let product = u128::from(self.0 ^ number) * 0x9e37_79b9_7f4a_7c15;
        self.0 = (product >> 64) as u64 ^ product as u64;
    }
}

/// Figures from counts.
pub(super) struct Figures {
    rows: usize,
    score: Score,
    parent_cost: f64,
    phi: Vec<f64>,
    /// R(a, ·), each where `places` says by the bits of a.
    rising: Vec<Vec<f64>>,
    places: HashMap<u64, usize, BuildHasherDefault<Mixed>>,
    /// The number of rows that were counted last, and its logarithm.
    counted: (f64, f64),
    /// ln C(·, r) by r; no number where it was not asked for yet.
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
        let (rising, places, normaliser, totals) = Default::default();
        Figures { rows, score, parent_cost, phi, rising, places, counted: (1.0, 0.0), normaliser, totals }
    }

    #[inline(always)]
    fn phi(&self, n: u32) -> f64 {
        at(&self.phi, n, |n| math::x_ln_x(n as f64))
    }

    pub(super) fn of(&mut self, &Tallied { counts, r, q, parents, .. }: &Tallied<'_>) -> Figure {
        self.from(Counts::All(counts), r, q, parents)
    }

    /// The figures of a node with `r` states and so many parents, which have `q` configurations.
    fn from(&mut self, counts: Counts<'_>, r: usize, q: f64, parents: usize) -> Figure {
        self.totals.clear();
        match counts {
            Counts::All(counts) => {
                self.totals.extend(counts.chunks_exact(r).map(|row| row.iter().sum::<u32>()))
            }
            Counts::Occurring { rows, .. } => self.totals.extend(rows.iter().map(|row| row.1)),
        }
        let (likelihood, bdeu) = match self.score {
            Score::Bdeu { ess } => self.likelihood_and_bdeu(counts, ess, r, q),
            _ => (self.likelihood(counts, r), 0.0),
        };
        let n = self.totals.iter().map(|&n| u64::from(n)).sum::<u64>().max(1) as f64;
        if n != self.counted.0 {
            self.counted = (n, math::ln(n));
        }
        let ln_n = self.counted.1;
        let free = q * (r - 1) as f64;
        let loss = self.loss(q, r);
        let score = match self.score {
            Score::LogLikelihood => likelihood,
            Score::Bic => likelihood - 0.5 * ln_n * free,
            Score::Aic => likelihood - free,
            Score::Bdeu { .. } => bdeu,
            Score::Fnml => likelihood - self.normalisers(r),
            Score::Qnml => likelihood - (ln_normaliser(n, q * r as f64) - ln_normaliser(n, q)),
        };
        Figure {
            score: score - self.parent_cost * parents as f64 - loss,
            loose: likelihood - 0.25 * ln_n * free - loss,
        }
    }

    /// What a table with `q` rows of `r` cells loses for its size.
    fn loss(&self, q: f64, r: usize) -> f64 {
        let too_large = q * r as f64 / most_cells(self.rows);
        if too_large > 1.0 { TOO_LARGE * math::ln(too_large) } else { 0.0 }
    }

    fn likelihood(&self, counts: Counts<'_>, r: usize) -> f64 {
        let mut sum = 0.0;
        // φ(1) = 0.
        match counts {
            Counts::All(counts) => {
                for (row, &total) in counts.chunks_exact(r).zip(&self.totals) {
                    if total > 1 {
                        sum += over(row, total, 0.0, |sum, n| sum + self.phi(n)) - self.phi(total);
                    }
                }
            }
            Counts::Occurring { counts, rows } => {
                let mut start = 0;
                for &(end, total) in rows {
                    if total > 1 {
                        let row = &counts[start..end as usize];
                        sum += row.iter().fold(0.0, |sum, &n| sum + self.phi(n)) - self.phi(total);
                    }
                    start = end as usize;
                }
            }
        }
        sum
    }

    /// Both in one walk over the counts.
    fn likelihood_and_bdeu(&mut self, counts: Counts<'_>, ess: f64, r: usize, q: f64) -> (f64, f64) {
        let (a_row, a_cell) = (ess / q, ess / (q * r as f64));
        let most = self.totals.iter().copied().max().unwrap_or(0);
        let (rows, cells) = (self.rising(a_row, most), self.rising(a_cell, most));
        let (rows, cells) = (&self.rising[rows], &self.rising[cells]);
        let of_row = |n| at(rows, n, |n| math::ln_rising(a_row, n));
        let of_cell = |n| at(cells, n, |n| math::ln_rising(a_cell, n));
        // Of tables with many cells most rows are of one row of data.
        let single = of_cell(1) - of_row(1);
        let add = |(phi, rising): (f64, f64), n| (phi + self.phi(n), rising + of_cell(n));
        let (mut likelihood, mut bdeu) = (0.0, 0.0);
        match counts {
            Counts::All(counts) => {
                for (row, &total) in counts.chunks_exact(r).zip(&self.totals) {
                    match total {
                        0 => {}
                        1 => bdeu += single,
                        _ => {
                            let (phi, rising) = over(row, total, (0.0, 0.0), add);
                            likelihood += phi - self.phi(total);
                            bdeu += rising - of_row(total);
                        }
                    }
                }
            }
            Counts::Occurring { counts, rows } => {
                let mut start = 0;
                for &(end, total) in rows {
                    if total == 1 {
                        bdeu += single;
                    } else {
                        let (phi, rising) =
                            counts[start..end as usize].iter().fold((0.0, 0.0), |sums, &n| add(sums, n));
                        likelihood += phi - self.phi(total);
                        bdeu += rising - of_row(total);
                    }
                    start = end as usize;
                }
            }
        }
        (likelihood, bdeu)
    }

    /// Where R(a, ·) is at hand up to `most`.
    fn rising(&mut self, a: f64, most: u32) -> usize {
        let next = self.rising.len();
        let place = *self.places.entry(a.to_bits()).or_insert(next);
        if place == next {
            self.rising.push(vec![0.0]);
        }
        let table = &mut self.rising[place];
        for n in table.len()..=(most as usize).min(LOOKED_UP) {
            table.push(table[n - 1] + math::ln(a + (n - 1) as f64));
        }
        place
    }

    fn normalisers(&mut self, r: usize) -> f64 {
        let most = self.rows.min(LOOKED_UP);
        let table = self.normaliser.entry(r).or_insert_with(|| vec![f64::NAN; most + 1]);
        let anew = |n: u32| ln_normaliser(f64::from(n), r as f64);
        let mut sum = 0.0;
        for &n in &self.totals {
            sum += match table.get_mut(n as usize) {
                Some(known) if known.is_nan() => {
                    *known = anew(n);
                    *known
                }
                Some(known) => *known,
                None => anew(n),
            };
        }
        sum
    }
}
