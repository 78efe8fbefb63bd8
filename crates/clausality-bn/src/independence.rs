//! Whether two columns are independent given others, as far as rows can tell.
//!
//! ```text
//! G²(X, Y | Z) = 2 Σ n_xyz ln(n_xyz n_z / (n_xz n_yz)),   df = Σ_z (rows_z − 1)(columns_z − 1) over what occurs
//! p = P(χ²_df ≥ G²)                                       where cells are full enough
//! p = (1 + #{permutations with G² ≥ ours}) / (1 + permutations)     where they are thin
//! ```
//!
//! Cells are thin where more than a fifth of the expected counts is below 5 (Cochran 1954). Then the states of `Y` are shuffled within every
//! configuration of `Z`, which keeps all margins; equal statistics are ordered by lot, so that `p` is uniform under independence also where few tables
//! are possible. Where no permutation reaches ours, the tail is that of the scaled χ² with the permutations' mean and variance (Satterthwaite 1946), but
//! no larger than the smallest `p` that counting can give. Rows with a gap in any of the columns are left out.
//!
//! Several tests: [`false_discovery`] are the `q` of Benjamini and Hochberg (1995).

use crate::math::{chi_square_tail, x_ln_x};
use crate::random::Stream;
use crate::{MISSING, Table};

/// Permutations of a first look, and of a second where that leaves few above.
const FIRST: usize = 99;
const SECOND: usize = 499;
/// So few permutations above ours call for the second look.
const FEW: usize = 10;
/// Rows that are permuted for one test, all permutations together.
const MOST_PERMUTED: usize = 50_000_000;
/// Configurations beyond this are not told apart: the test is not made.
const MOST_CONFIGURATIONS: usize = 1 << 22;
/// Cells that are counted at once, however few rows there are.
const MANY_CELLS: usize = 1 << 14;

/// What a test found.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Tested {
    /// The statistic.
    pub g: f64,
    /// Its degrees of freedom.
    pub df: f64,
    /// How probable one as large is under independence.
    pub p: f64,
    /// The rows that have values in all columns.
    pub rows: usize,
    /// Whether the cells were thin, so that permutations tell `p`.
    pub permuted: bool,
    /// How strong the dependence is: `G² / 2N`, the mutual information given the others, in nats.
    pub information: f64,
}

/// How thin cells are dealt with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Thin {
    /// By permutations, with a seed.
    Permute(u64),
    /// As if they were full: for comparisons of many tests, not for single ones.
    Ignore,
}

/// The rows of a test: the codes of both columns, sorted by the configuration of the others.
struct Strata {
    xs: Vec<u8>,
    ys: Vec<u8>,
    /// Where each configuration ends.
    ends: Vec<usize>,
    states: (usize, usize),
}

impl Strata {
    fn new(table: &Table, x: usize, y: usize, given: &[usize]) -> Option<Self> {
        let schema = table.schema();
        let columns: Vec<&[u8]> = given.iter().map(|&v| table.column(v)).collect();
        let cells = given.iter().try_fold(1usize, |n, &v| n.checked_mul(schema.cardinality(v)))?;
        if cells > MOST_CONFIGURATIONS {
            return None;
        }
        let (of_x, of_y) = (table.column(x), table.column(y));
        let mut rows: Vec<(u32, u8, u8)> = Vec::with_capacity(table.rows());
        'rows: for row in 0..table.rows() {
            if of_x[row] == MISSING || of_y[row] == MISSING {
                continue;
            }
            let mut place = 0usize;
            for (column, &v) in columns.iter().zip(given) {
                if column[row] == MISSING {
                    continue 'rows;
                }
                place = place * schema.cardinality(v) + usize::from(column[row]);
            }
            rows.push((place as u32, of_x[row], of_y[row]));
        }
        // Sorted also by the codes: where the rows stood must not matter.
        rows.sort_unstable();
        let (mut strata, mut last) = (
            Strata {
                xs: vec![],
                ys: vec![],
                ends: vec![],
                states: (schema.cardinality(x), schema.cardinality(y)),
            },
            None,
        );
        for (place, x, y) in rows {
            if last.is_some_and(|last| last != place) {
                strata.ends.push(strata.xs.len());
            }
            last = Some(place);
            strata.xs.push(x);
            strata.ys.push(y);
        }
        strata.ends.push(strata.xs.len());
        Some(strata)
    }

    /// Calls for every configuration with its rows and its counts, X slower.
    fn each(&self, mut see: impl FnMut(std::ops::Range<usize>, &[u32])) {
        let (r, k) = self.states;
        let mut counts = vec![0u32; r * k];
        let mut start = 0;
        for &end in &self.ends {
            counts.fill(0);
            for row in start..end {
                counts[usize::from(self.xs[row]) * k + usize::from(self.ys[row])] += 1;
            }
            see(start..end, &counts);
            start = end;
        }
    }
}

/// Sums over the states of each column.
fn margins(counts: &[u32], k: usize) -> (Vec<u32>, Vec<u32>) {
    let rows = counts.chunks_exact(k).map(|row| row.iter().sum()).collect();
    let columns = (0..k).map(|j| counts.iter().skip(j).step_by(k).sum()).collect();
    (rows, columns)
}

/// Calls for every configuration that occurs with its counts, in order; gives the rows. Nothing where the table of all cells would be much larger than
/// the rows: then sorting them is cheaper.
fn counted(table: &Table, x: usize, y: usize, given: &[usize], mut see: impl FnMut(&[u32])) -> Option<usize> {
    let schema = table.schema();
    let (r, k) = (schema.cardinality(x), schema.cardinality(y));
    let cells = given.iter().try_fold(r * k, |n, &v| n.checked_mul(schema.cardinality(v)))?;
    if cells > (8 * table.rows()).max(MANY_CELLS) {
        return None;
    }
    let columns: Vec<(&[u8], usize)> =
        given.iter().chain([&x, &y]).map(|&v| (table.column(v), schema.cardinality(v))).collect();
    let (mut counts, mut rows) = (vec![0u32; cells], 0);
    'rows: for row in 0..table.rows() {
        let mut place = 0;
        for &(column, states) in &columns {
            if column[row] == MISSING {
                continue 'rows;
            }
            place = place * states + usize::from(column[row]);
        }
        counts[place] += 1;
        rows += 1;
    }
    counts.chunks_exact(r * k).filter(|counts| counts.iter().any(|&n| n > 0)).for_each(&mut see);
    Some(rows)
}

/// The statistic as it adds up over configurations.
#[derive(Default)]
struct Statistic {
    half: f64,
    df: f64,
    scant: usize,
    cells: usize,
}

impl Statistic {
    /// Adds a configuration; whether it tells anything.
    fn add(&mut self, counts: &[u32], k: usize) -> bool {
        let phi = |n: u32| x_ln_x(f64::from(n));
        let (of_x, of_y) = margins(counts, k);
        let occur = |margin: &[u32]| margin.iter().filter(|&&n| n > 0).count();
        let free = occur(&of_x).saturating_sub(1) * occur(&of_y).saturating_sub(1);
        if free == 0 {
            return false;
        }
        let all: u32 = of_x.iter().sum();
        self.df += free as f64;
        self.half += counts.iter().map(|&n| phi(n)).sum::<f64>() + phi(all);
        self.half -= of_x.iter().chain(&of_y).map(|&n| phi(n)).sum::<f64>();
        for &i in of_x.iter().filter(|&&n| n > 0) {
            for &j in of_y.iter().filter(|&&n| n > 0) {
                self.scant += usize::from(f64::from(i) * f64::from(j) < 5.0 * f64::from(all));
                self.cells += 1;
            }
        }
        true
    }

    fn found(&self, rows: usize) -> Option<Tested> {
        let (g, df) = ((2.0 * self.half).max(0.0), self.df);
        let information = g / (2.0 * rows as f64);
        (df > 0.0).then(|| Tested { g, df, p: chi_square_tail(g, df), rows, permuted: false, information })
    }

    fn is_thin(&self) -> bool {
        5 * self.scant > self.cells
    }
}

/// Tests two columns given others; nothing where no configuration has rows with more than one state of both, or where there are too many of
/// them.
pub fn test(table: &Table, x: usize, y: usize, given: &[usize], thin: Thin) -> Option<Tested> {
    let k = table.schema().cardinality(y);
    let mut statistic = Statistic::default();
    let counted = counted(table, x, y, given, |counts| {
        statistic.add(counts, k);
    });
    // Rows in their order are needed to permute them, and where there are too many cells to count.
    let (mut strata, mut telling) = (None, vec![]);
    if counted.is_none() || matches!(thin, Thin::Permute(_)) && statistic.is_thin() {
        let sorted = Strata::new(table, x, y, given)?;
        statistic = Statistic::default();
        sorted.each(|range, counts| {
            if statistic.add(counts, k) {
                telling.push(range);
            }
        });
        strata = Some(sorted);
    }
    let rows = counted.or(strata.as_ref().map(|strata| strata.xs.len()))?;
    let found = statistic.found(rows)?;
    match (thin, &mut strata) {
        (Thin::Permute(seed), Some(strata)) if statistic.is_thin() => {
            let (x, y) = (table.schema().name(x), table.schema().name(y));
            let mut stream = Stream::new(seed, &format!("independence {x} {y}"));
            Some(Tested { p: permute(strata, &telling, &mut stream), permuted: true, ..found })
        }
        _ => Some(found),
    }
}

/// `p` by permutations of Y within each configuration.
fn permute(strata: &mut Strata, telling: &[std::ops::Range<usize>], stream: &mut Stream) -> f64 {
    let (r, k) = strata.states;
    let largest = telling.iter().map(|range| range.len()).max().unwrap_or(0);
    let phi: Vec<f64> = (0..=largest).map(|n| x_ln_x(n as f64)).collect();
    let mut counts = vec![0u32; r * k];
    // Margins stay, so that only this part of the statistic moves.
    let mut moving = |strata: &Strata| {
        let mut sum = 0.0;
        for range in telling {
            counts.fill(0);
            for row in range.clone() {
                counts[usize::from(strata.xs[row]) * k + usize::from(strata.ys[row])] += 1;
            }
            sum += counts.iter().map(|&n| phi[n as usize]).sum::<f64>();
        }
        sum
    };
    let ours = (moving(strata), stream.unit());
    let rows: usize = telling.iter().map(|range| range.len()).sum();
    let affordable = (MOST_PERMUTED / rows.max(1)).max(19);
    let (mut above, mut done, mut sum, mut squares) = (0usize, 0usize, 0.0, 0.0);
    for look in [FIRST, SECOND] {
        if done > 0 && above >= FEW {
            break;
        }
        while done < look.min(affordable) {
            for range in telling {
                let ys = &mut strata.ys[range.clone()];
                (1..ys.len()).rev().for_each(|i| ys.swap(i, stream.below(i as u64 + 1) as usize));
            }
            let theirs = (moving(strata), stream.unit());
            // Sums of the same counts in another order differ in the last place.
            let same = (theirs.0 - ours.0).abs() < 1e-9 * (1.0 + ours.0.abs());
            above += usize::from(if same { theirs.1 > ours.1 } else { theirs.0 > ours.0 });
            let difference = theirs.0 - ours.0;
            (sum, squares) = (sum + difference, squares + difference * difference);
            done += 1;
        }
    }
    let counted = (1 + above) as f64 / (1 + done) as f64;
    if above > 0 {
        return counted;
    }
    // G² / 2 of ours less the least there can be is not known here; the mean of the permutations is, relative to ours.
    let mean = sum / done as f64;
    let variance = (squares / done as f64 - mean * mean).max(0.0);
    let null_mean = null_mean(strata, telling, &phi, ours.0 + mean);
    if !(variance > 0.0 && null_mean > 0.0) {
        return counted;
    }
    // G²: twice the part that moves, plus a constant: mean m, variance v of half of it.
    let (scale, df) = (variance / null_mean, 2.0 * null_mean * null_mean / variance);
    chi_square_tail(2.0 * (null_mean - mean) / scale, df).min(counted)
}

/// The mean of `G² / 2` over permutations, from that of its moving part.
fn null_mean(strata: &Strata, telling: &[std::ops::Range<usize>], phi: &[f64], moving: f64) -> f64 {
    let (r, k) = strata.states;
    let mut constant = 0.0;
    for range in telling {
        let mut margins = vec![0u32; r + k];
        for row in range.clone() {
            margins[usize::from(strata.xs[row])] += 1;
            margins[r + usize::from(strata.ys[row])] += 1;
        }
        constant += phi[range.len()] - margins.iter().map(|&n| phi[n as usize]).sum::<f64>();
    }
    moving + constant
}

/// For every test the smallest share of false discoveries with which it is one, `q`, in the order of the tests.
pub fn false_discovery(p: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..p.len()).collect();
    order.sort_by(|&a, &b| p[a].total_cmp(&p[b]));
    let mut q = vec![1.0; p.len()];
    let mut least = 1.0f64;
    for (rank, &k) in order.iter().enumerate().rev() {
        least = least.min(p[k] * p.len() as f64 / (rank + 1) as f64);
        q[k] = least;
    }
    q
}

/// How far some numbers between 0 and 1 are from uniform: the largest difference between their share below `x` and `x` (Kolmogorov and Smirnov).
pub fn distance_from_uniform(numbers: &[f64]) -> f64 {
    let mut sorted = numbers.to_vec();
    sorted.sort_by(f64::total_cmp);
    let n = sorted.len() as f64;
    let gap = |(k, &x): (usize, &f64)| (x - k as f64 / n).abs().max(((k + 1) as f64 / n - x).abs());
    sorted.iter().enumerate().map(gap).fold(0.0, f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Schema, Variable};

    fn table(columns: Vec<Vec<u8>>, states: usize) -> Table {
        let variable = |v: usize| Variable::new(format!("c{v}"), (0..states).map(|s| s.to_string()));
        Table::new(Schema::new((0..columns.len()).map(variable).collect()).unwrap(), columns).unwrap()
    }

    /// The statistic by its definition, on a table by hand.
    #[test]
    fn the_statistic_is_that_of_the_books() {
        let rows = [(0u8, 0u8, 30), (0, 1, 10), (1, 0, 10), (1, 1, 50)];
        let column = |f: &dyn Fn(&(u8, u8, usize)) -> u8| -> Vec<u8> {
            rows.iter().flat_map(|row| vec![f(row); row.2]).collect()
        };
        let table = table(vec![column(&|r| r.0), column(&|r| r.1)], 2);
        let found = test(&table, 0, 1, &[], Thin::Permute(1)).unwrap();
        let expect = |i: f64, j: f64| i * j / 100.0;
        let by_hand = 2.0
            * (30.0 * (30.0 / expect(40.0, 40.0)).ln()
                + 10.0 * (10.0 / expect(40.0, 60.0)).ln()
                + 10.0 * (10.0 / expect(60.0, 40.0)).ln()
                + 50.0 * (50.0 / expect(60.0, 60.0)).ln());
        assert!((found.g - by_hand).abs() < 1e-9 && found.df == 1.0 && !found.permuted);
        assert!(found.p < 1e-8 && found.p > 0.0);
        // A constant column tells nothing.
        assert!(test(&table, 0, 1, &[0], Thin::Permute(1)).is_none());
    }

    /// Independent columns, full cells and thin ones, with and without a third: p is uniform.
    #[test]
    fn p_is_uniform_under_independence() {
        let mut stream = Stream::new(3, "uniform");
        for (rows, states, rare, given) in [(400, 2, 2, 0), (60, 4, 4, 1), (300, 3, 40, 1), (40, 2, 12, 0)] {
            let mut found = vec![];
            for seed in 0..400 {
                let mut code = |_| {
                    let drawn = stream.below(rare) as usize;
                    if drawn < states { drawn as u8 } else { 0 }
                };
                let columns: Vec<Vec<u8>> = (0..3).map(|_| (0..rows).map(&mut code).collect()).collect();
                let others: Vec<usize> = (2..2 + given).collect();
                found.extend(test(&table(columns, states), 0, 1, &others, Thin::Permute(seed)).map(|t| t.p));
            }
            let distance = distance_from_uniform(&found);
            // The 1 % point of Kolmogorov's distribution.
            assert!(distance < 1.63 / (found.len() as f64).sqrt(), "{rows} {states}: {distance}");
            assert!(found.len() > 250);
        }
    }

    #[test]
    fn what_depends_is_found_in_thin_cells_too() {
        let mut stream = Stream::new(4, "thin");
        let x: Vec<u8> = (0..200).map(|_| stream.below(6) as u8).collect();
        let z: Vec<u8> = (0..200).map(|_| stream.below(6) as u8).collect();
        let y = x.iter().zip(&z).map(|(x, z)| if stream.below(3) == 0 { (x + z) % 6 } else { *x }).collect();
        let table = table(vec![x, y, z], 6);
        let found = test(&table, 0, 1, &[2], Thin::Permute(1)).unwrap();
        assert!(found.permuted && found.p < 1e-4, "{found:?}");
        assert_eq!(Some(found), test(&table, 0, 1, &[2], Thin::Permute(1)));
    }

    #[test]
    fn discoveries_are_those_of_benjamini_and_hochberg() {
        let q = false_discovery(&[0.01, 0.04, 0.03, 0.9]);
        let expected = [0.04, 0.16 / 3.0, 0.16 / 3.0, 0.9];
        assert!(q.iter().zip(expected).all(|(q, e)| (q - e).abs() < 1e-12), "{q:?}");
        assert!((distance_from_uniform(&[0.5]) - 0.5).abs() < 1e-12);
    }
}
