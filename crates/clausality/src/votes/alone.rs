//! States of ordered columns that stand out from their neighbours.
//!
//! ```text
//! d/C · Σ_c (Σ_{rows of the state} (P(c) − [class is c]))² / Σ_{rows of the state} P(c)(1 − P(c))  >  d + 4 √(2d)          d = C − 1, of C classes
//! ```
//!
//! The score statistic (Rao 1948) of a number for the state alone, where the sizes and steps of all columns are there already; it has about a χ² distribution
//! with d degrees of freedom where the state is nothing special (mean d, variance 2d).

use super::logistic::Rows;
use super::shape::Basis;

/// Rows that a state must have to stand out.
const LEAST: f64 = 8.0;

/// Finds the states that stand out. `left` is what the sizes and steps say of the rows.
pub(super) fn let_stand(bases: &mut [Basis], rows: &Rows, left: &[f64], classes: usize) {
    let codes: usize = bases.iter().map(Basis::codes).sum();
    // For every code: its rows, then for every class how far it is off and how much it may be.
    let width = 1 + 2 * classes;
    let mut sums = vec![0.0; codes * width];
    let counted = rows.labels.iter().zip(&rows.counts);
    for ((marks, left), (&label, &count)) in rows.seen.each().zip(left.chunks_exact(classes)).zip(counted) {
        for &mark in marks {
            let own = &mut sums[mark as usize * width..][..width];
            own[0] += count;
            for (class, &p) in left.iter().enumerate() {
                own[1 + 2 * class] += count * (p - f64::from(u8::from(class == usize::from(label))));
                own[2 + 2 * class] += count * p * (1.0 - p);
            }
        }
    }
    let freedom = classes.saturating_sub(1) as f64;
    let enough = freedom + 4.0 * (2.0 * freedom).sqrt();
    let mut first = 0;
    for basis in bases {
        let own = |code: usize| &sums[(first + code) * width..][..width];
        let stands_out = |&code: &usize| {
            let own = own(code);
            let statistic: f64 =
                own[1..].chunks_exact(2).map(|pair| pair[0] * pair[0] / (pair[1] + 1.0)).sum();
            // Every class's term is 1 on average, and all classes but one are free.
            own[0] >= LEAST && statistic * freedom / classes as f64 > enough
        };
        if !basis.sizes.is_empty() {
            basis.alone = (0..basis.values).filter(stands_out).collect();
        }
        first += basis.codes();
    }
}

#[cfg(test)]
mod tests {
    use super::super::logistic::Seen;
    use super::*;

    /// Forty rows of each of twenty numbers and of two words, half of them of either class but for what is planted.
    fn found(planted: impl Fn(usize) -> bool) -> Vec<Basis> {
        let sizes = (0..20).map(f64::from).collect();
        let mut bases = [
            Basis { values: 20, gap: false, sizes, alone: Vec::new() },
            Basis { values: 2, gap: false, sizes: Vec::new(), alone: Vec::new() },
        ];
        let rows: Vec<usize> = (0..800).collect();
        let marks = rows.iter().flat_map(|row| [(row / 40) as u32, 21 + (row % 2) as u32]).collect();
        let seen = Seen { rows: 800, marks, ends: rows.iter().map(|row| 2 * row + 2).collect() };
        let labels = rows.iter().map(|&row| u8::from(row % 2 == 0 || planted(row))).collect();
        let_stand(&mut bases, &Rows { seen, labels, counts: vec![1.0; 800] }, &[0.5; 1600], 2);
        bases.to_vec()
    }

    #[test]
    fn only_what_is_unlike_its_neighbours_stands_out() {
        assert!(found(|_| false).iter().all(|basis| basis.alone.is_empty()));
        let spike = found(|row| row / 40 == 7);
        assert_eq!((spike[0].alone.as_slice(), spike[1].alone.as_slice()), (&[7][..], &[][..]));
    }
}
