//! How good predictions are, by the figures that people compare.
//!
//! ```text
//! accuracy           share of rows whose likeliest state is the truth
//! balanced accuracy  mean over the states that occur of the share of their rows that is predicted so
//! log-loss           mean of −ln P(truth)
//! Brier              mean of Σ_s (P(s) − [s is the truth])²
//! AUC                P(P(s) of a row of s > P(s) of another row), ties half, mean over the states that occur
//! calibration        Σ over ten bins of the likeliest state's probability of |correct − Σ probability| / rows
//! ```
//!
//! AUC by ranks (Mann & Whitney 1947), one state against the rest; the calibration error of Naeini, Cooper & Hauskrecht (2015).

use crate::math::ln;

/// Bins of a calibration table.
const BINS: usize = 10;

/// How good predictions are.
#[derive(Debug, Clone, PartialEq)]
pub struct Evaluation {
    /// Rows with an answer and a known truth.
    pub rows: usize,
    /// Rows whose most probable state is the truth.
    pub correct: usize,
    /// Their share.
    pub accuracy: f64,
    /// The mean over the states that occur of the share of their rows that is predicted so.
    pub balanced_accuracy: f64,
    /// The mean of `−ln P(truth)`; infinite if a truth was given probability 0.
    pub log_loss: f64,
    /// Rows whose truth was given probability 0.
    pub denied: usize,
    /// The mean of `Σ_s (P(s) − [s is the truth])²`.
    pub brier: f64,
    /// The area under the curve, one state against the rest, mean over the states that occur; unknown if only one does.
    pub auc: Option<f64>,
    /// The expected calibration error: how far, on average over rows, confidence and accuracy of a bin are apart.
    pub calibration_error: f64,
    /// Rows by the probability of the predicted state, in ten equal bins.
    pub bins: Vec<Bin>,
    /// Rows by truth, then by prediction.
    pub confusion: Vec<Vec<usize>>,
}

/// Rows predicted with about the same confidence.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Bin {
    /// How many there are.
    pub rows: usize,
    /// The mean probability of the predicted state.
    pub confidence: f64,
    /// How often it was right.
    pub correct: usize,
}

impl Evaluation {
    /// The figures of predictions over so many states: of every row its distribution and the truth.
    pub fn of<'a>(states: usize, rows: impl Iterator<Item = (&'a [f64], usize)>) -> Self {
        let rows: Vec<(&[f64], usize)> = rows.collect();
        let mut bins = vec![Bin::default(); BINS];
        let mut confusion = vec![vec![0; states]; states];
        let (mut correct, mut loss, mut denied, mut brier) = (0, 0.0, 0, 0.0);
        for &(chances, truth) in &rows {
            let best = likeliest(chances);
            let right = best == truth;
            correct += usize::from(right);
            confusion[truth][best] += 1;
            let confidence = chances[best];
            let bin = &mut bins[((confidence * BINS as f64) as usize).min(BINS - 1)];
            bin.rows += 1;
            bin.confidence += confidence;
            bin.correct += usize::from(right);
            if chances[truth] > 0.0 {
                loss -= ln(chances[truth])
            } else {
                denied += 1
            }
            let miss = |(s, &q): (usize, &f64)| {
                let off = q - f64::from(s == truth);
                off * off
            };
            brier += chances.iter().enumerate().map(miss).sum::<f64>();
        }
        let n = rows.len().max(1) as f64;
        bins.iter_mut().filter(|bin| bin.rows > 0).for_each(|bin| bin.confidence /= bin.rows as f64);
        let gap = |bin: &Bin| (bin.correct as f64 - bin.confidence * bin.rows as f64).abs();
        let found = |(state, predicted): (usize, &Vec<usize>)| {
            let all: usize = predicted.iter().sum();
            (all > 0).then(|| predicted[state] as f64 / all as f64)
        };
        let recalls: Vec<f64> = confusion.iter().enumerate().filter_map(found).collect();
        let areas: Vec<f64> = (0..states).filter_map(|state| area(&rows, state)).collect();
        Evaluation {
            rows: rows.len(),
            correct,
            accuracy: correct as f64 / n,
            balanced_accuracy: recalls.iter().sum::<f64>() / recalls.len().max(1) as f64,
            log_loss: if denied > 0 { f64::INFINITY } else { loss / n },
            denied,
            brier: brier / n,
            auc: (!areas.is_empty()).then(|| areas.iter().sum::<f64>() / areas.len() as f64),
            calibration_error: bins.iter().map(gap).sum::<f64>() / n,
            bins,
            confusion,
        }
    }
}

/// The area under the curve of one state against the rest: `(Σ ranks of its rows − n(n+1)/2) / (n · others)`.
fn area(rows: &[(&[f64], usize)], state: usize) -> Option<f64> {
    let mut ordered: Vec<(f64, bool)> = rows.iter().map(|&(p, truth)| (p[state], truth == state)).collect();
    ordered.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
    let own = ordered.iter().filter(|row| row.1).count() as f64;
    let others = ordered.len() as f64 - own;
    if own == 0.0 || others == 0.0 {
        return None;
    }
    let (mut ranks, mut before) = (0.0, 0.0);
    for tied in ordered.chunk_by(|a, b| a.0 == b.0) {
        let mean = before + (tied.len() as f64 + 1.0) / 2.0;
        ranks += mean * tied.iter().filter(|row| row.1).count() as f64;
        before += tied.len() as f64;
    }
    Some((ranks - own * (own + 1.0) / 2.0) / (own * others))
}

/// The first of the most probable states.
pub(super) fn likeliest(chances: &[f64]) -> usize {
    chances.iter().enumerate().fold(0, |best, (s, &p)| if p > chances[best] { s } else { best })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_by_hand() {
        let p = [[0.9, 0.1], [0.6, 0.4], [0.6, 0.4], [0.2, 0.8]];
        let truth = [0, 0, 1, 1];
        let figures = Evaluation::of(2, p.iter().map(|p| &p[..]).zip(truth));
        assert_eq!(figures.confusion, [[2, 0], [1, 1]]);
        assert_eq!((figures.accuracy, figures.balanced_accuracy), (0.75, 0.75));
        // Of the four pairs three are in order and one is tied.
        assert_eq!(figures.auc, Some(0.875));
        assert_eq!(Evaluation::of(2, p.iter().map(|p| &p[..]).zip([0, 0, 0, 0])).auc, None);
    }
}
