//! What several say of the same rows as one: a weighted product of their probabilities.
//!
//! ```text
//! P(y) ∝ P_1(y)^a · P_2(y)^b          a, b ≥ 0 with the smallest log-loss on rows that took no part
//! ```
//!
//! The logarithmic pool (Genest & Zidek 1986), with exponents that are chosen as in stacking (Wolpert 1992). Two score cards that are pooled are a score card: their
//! points, times a and b, are added.

use super::logistic::softmax;
use clausality_bn::math::{exp, ln};
use rayon::prelude::*;

/// Rows held out: their classes, how many there are, and how much each row counts.
#[derive(Clone, Copy)]
pub(super) struct Truth<'a> {
    pub(super) labels: &'a [u8],
    pub(super) counts: &'a [f64],
    pub(super) classes: usize,
}

impl Truth<'_> {
    /// What rows lose, −ln P(truth), a probability of nothing counting as 1e-15.
    fn losses(&self, said: &[f64]) -> Vec<f64> {
        let own = said.chunks_exact(self.classes).zip(self.labels).map(|(p, &label)| p[usize::from(label)]);
        own.map(|p| -ln(p.max(1e-15))).collect()
    }

    /// The mean of what they lose.
    pub(super) fn loss(&self, said: &[f64]) -> f64 {
        let sum: f64 = self.losses(said).iter().zip(self.counts).map(|(lost, count)| lost * count).sum();
        sum / self.counts.iter().sum::<f64>().max(1e-9)
    }

    /// Whether predictions are worse than others by less than half a standard error of the difference between the rows: then the stronger
    /// ridge that made them is to be preferred (Breiman et al. 1984, the rule of one standard error, here of half of it).
    pub(super) fn as_good(&self, said: &[f64], best: &[f64]) -> bool {
        let pairs = self.losses(said).into_iter().zip(self.losses(best)).zip(self.counts);
        let differences: Vec<f64> = pairs.map(|((said, best), count)| count * (said - best)).collect();
        let n = differences.len().max(1) as f64;
        let sum: f64 = differences.iter().sum();
        let squares: f64 = differences.iter().map(|d| (d - sum / n) * (d - sum / n)).sum();
        sum <= 0.5 * squares.sqrt()
    }

    /// The exponents under which both together have the smallest log-loss, by fifths; few rows cannot move their sum far from 1, which would
    /// make both surer than either.
    pub(super) fn best_pool(&self, one: &[f64], other: &[f64]) -> (f64, f64) {
        let classes = self.classes;
        // Rows enough to tell tenths apart.
        let step = self.labels.len().div_ceil(20_000).max(1);
        let pick = |all: &[f64]| -> Vec<f64> {
            all.chunks_exact(classes).step_by(step).flatten().map(|&p| ln(p.max(1e-300))).collect()
        };
        let (one, other) = (pick(one), pick(other));
        let rows: Vec<(usize, f64)> = self
            .labels
            .iter()
            .zip(self.counts)
            .step_by(step)
            .map(|(&label, &count)| (usize::from(label), count))
            .collect();
        let worth = |a: f64, b: f64| {
            let pairs = one.chunks_exact(classes).zip(other.chunks_exact(classes)).zip(&rows);
            pairs
                .map(|((one, other), &(label, count))| {
                    let sum = |k: usize| a * one[k] + b * other[k];
                    let own = sum(label);
                    count * ln((0..classes).map(|k| exp(sum(k) - own)).sum())
                })
                .sum::<f64>()
        };
        let candidates: Vec<(f64, f64)> = (0..=6u32)
            .flat_map(|a| (0..=7u32).map(move |b| (f64::from(a) * 0.2, f64::from(b) * 0.2)))
            .collect();
        let losses: Vec<f64> =
            candidates.par_iter().map(|&(a, b)| worth(a, b) + 10.0 * (a + b - 1.0) * (a + b - 1.0)).collect();
        let best = (0..candidates.len()).fold(0, |best, k| if losses[k] < losses[best] { k } else { best });
        candidates[best]
    }
}

/// What both say together.
pub(super) fn pooled(one: &[f64], other: &[f64], classes: usize, (a, b): (f64, f64)) -> Vec<f64> {
    let safe = |p: f64| ln(p.max(1e-300));
    let mut all: Vec<f64> = one.iter().zip(other).map(|(&n, &m)| a * safe(n) + b * safe(m)).collect();
    all.chunks_exact_mut(classes).for_each(|sums| {
        softmax(sums);
    });
    all
}
