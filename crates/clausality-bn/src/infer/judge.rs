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
//! Where rows count differently every row is so many rows: shares, means and sums are those of weights, and a row of weight 2 is the same as two.

use crate::math::ln;

/// Bins of a calibration table.
const BINS: usize = 10;

/// How good predictions are.
#[derive(Debug, Clone, PartialEq)]
pub struct Evaluation {
    /// Rows with an answer and a known truth.
    pub rows: usize,
    /// Rows whose predicted state, the most probable that may be named, is the truth.
    pub correct: usize,
    /// Their share.
    pub accuracy: f64,
    /// The mean over the states that occur and may be named of the share of their rows that is predicted so.
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
    /// Rows (or what they weigh) by truth, then by prediction.
    pub confusion: Vec<Vec<f64>>,
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
    /// What the rows weigh.
    pub weight: f64,
    /// The share of that which was predicted rightly.
    pub accuracy: f64,
}

impl Evaluation {
    /// The figures of predictions over so many states: of every row its distribution and the truth.
    pub fn of<'a>(states: usize, rows: impl Iterator<Item = (&'a [f64], usize)>) -> Self {
        Evaluation::weighed(states, rows.map(|(chances, truth)| (chances, truth, 1.0)))
    }

    /// The same where rows count differently: of every row also its weight.
    pub fn weighed<'a>(states: usize, rows: impl Iterator<Item = (&'a [f64], usize, f64)>) -> Self {
        Evaluation::naming(states, None, rows)
    }

    /// The same where one of the states, which rare values share, is none that could be predicted: the others are told apart from it, but a
    /// row that has it is never right.
    pub fn naming<'a>(
        states: usize,
        rest: Option<usize>,
        rows: impl Iterator<Item = (&'a [f64], usize, f64)>,
    ) -> Self {
        let rows: Vec<(&[f64], usize, f64)> = rows.collect();
        let mut bins = vec![Bin::default(); BINS];
        let mut confusion = vec![vec![0.0; states]; states];
        let (mut correct, mut right, mut loss, mut denied, mut brier) = (0, 0.0, 0.0, 0, 0.0);
        for &(chances, truth, weight) in &rows {
            let best = likeliest(chances, rest);
            let hit = best == truth;
            correct += usize::from(hit);
            right += if hit { weight } else { 0.0 };
            confusion[truth][best] += weight;
            let confidence = chances[best];
            let bin = &mut bins[((confidence * BINS as f64) as usize).min(BINS - 1)];
            bin.rows += 1;
            bin.weight += weight;
            bin.confidence += weight * confidence;
            bin.correct += usize::from(hit);
            bin.accuracy += if hit { weight } else { 0.0 };
            if chances[truth] > 0.0 {
                loss -= weight * ln(chances[truth])
            } else if weight > 0.0 {
                denied += 1
            }
            let miss = |(s, &q): (usize, &f64)| {
                let off = q - f64::from(s == truth);
                off * off
            };
            brier += weight * chances.iter().enumerate().map(miss).sum::<f64>();
        }
        let all: f64 = rows.iter().map(|row| row.2).sum();
        let n = if all > 0.0 { all } else { 1.0 };
        let mut off = 0.0;
        for bin in bins.iter_mut().filter(|bin| bin.weight > 0.0) {
            bin.confidence /= bin.weight;
            off += (bin.accuracy - bin.confidence * bin.weight).abs();
            bin.accuracy /= bin.weight;
        }
        let found = |(state, predicted): (usize, &Vec<f64>)| {
            let all: f64 = predicted.iter().sum();
            (all > 0.0 && Some(state) != rest).then(|| predicted[state] / all)
        };
        let recalls: Vec<f64> = confusion.iter().enumerate().filter_map(found).collect();
        let areas: Vec<f64> = (0..states).filter_map(|state| area(&rows, state)).collect();
        Evaluation {
            rows: rows.len(),
            correct,
            accuracy: right / n,
            balanced_accuracy: recalls.iter().sum::<f64>() / recalls.len().max(1) as f64,
            log_loss: if denied > 0 { f64::INFINITY } else { loss / n },
            denied,
            brier: brier / n,
            auc: (!areas.is_empty()).then(|| areas.iter().sum::<f64>() / areas.len() as f64),
            calibration_error: off / n,
            bins,
            confusion,
        }
    }
}

/// The area under the curve of one state against the rest: `Σ over its rows of (others below + others tied / 2) / (own · others)`.
fn area(rows: &[(&[f64], usize, f64)], state: usize) -> Option<f64> {
    let mut ordered: Vec<(f64, bool, f64)> =
        rows.iter().map(|&(p, truth, weight)| (p[state], truth == state, weight)).collect();
    ordered.sort_by(|a, b| a.0.total_cmp(&b.0));
    let weigh = |rows: &[(f64, bool, f64)], own: bool| -> f64 {
        rows.iter().filter(|row| row.1 == own).map(|row| row.2).sum()
    };
    let (own, others) = (weigh(&ordered, true), weigh(&ordered, false));
    if own == 0.0 || others == 0.0 {
        return None;
    }
    let (mut pairs, mut below) = (0.0, 0.0);
    for tied in ordered.chunk_by(|a, b| a.0 == b.0) {
        let beside = weigh(tied, false);
        pairs += weigh(tied, true) * (below + beside / 2.0);
        below += beside;
    }
    Some(pairs / (own * others))
}

/// The first of the most probable states, but for one that is not to be named unless it is the only one.
pub(super) fn likeliest(chances: &[f64], rest: Option<usize>) -> usize {
    let mut named = (0..chances.len()).filter(|&state| Some(state) != rest);
    let first = named.next().unwrap_or_default();
    named.fold(first, |best, state| if chances[state] > chances[best] { state } else { best })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_rare_values_share_is_never_right() {
        let p = [[0.6, 0.3, 0.1], [0.6, 0.1, 0.3], [0.5, 0.4, 0.1], [0.1, 0.2, 0.7]];
        let rows = || p.iter().map(|p| &p[..]).zip([0, 2, 1, 2]).map(|(p, truth)| (p, truth, 1.0));
        let (all, named) = (Evaluation::weighed(3, rows()), Evaluation::naming(3, Some(0), rows()));
        assert_eq!((all.correct, named.correct), (2, 3));
        assert_eq!(named.confusion, [[0.0, 1.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 2.0]]);
        assert_eq!(named.balanced_accuracy, 1.0);
        assert_eq!((all.log_loss, all.brier, all.auc), (named.log_loss, named.brier, named.auc));
        assert_eq!(likeliest(&[1.0], Some(0)), 0, "there is nothing else");
    }

    #[test]
    fn figures_by_hand() {
        let p = [[0.9, 0.1], [0.6, 0.4], [0.6, 0.4], [0.2, 0.8]];
        let truth = [0, 0, 1, 1];
        let figures = Evaluation::of(2, p.iter().map(|p| &p[..]).zip(truth));
        assert_eq!(figures.confusion, [[2.0, 0.0], [1.0, 1.0]]);
        assert_eq!((figures.accuracy, figures.balanced_accuracy), (0.75, 0.75));
        // Of the four pairs three are in order and one is tied.
        assert_eq!(figures.auc, Some(0.875));
        assert_eq!(Evaluation::of(2, p.iter().map(|p| &p[..]).zip([0, 0, 0, 0])).auc, None);
    }

    #[test]
    fn a_row_of_weight_two_is_two_rows_and_one_of_none_is_none() {
        let p = [[0.9, 0.1], [0.6, 0.4], [0.6, 0.4], [0.25, 0.75], [0.5, 0.5]];
        let truth = [0, 0, 1, 1, 0];
        let twice = [0, 1, 2, 2, 3];
        let rows = twice.iter().map(|&k: &usize| (&p[k][..], truth[k]));
        let weights = [1.0, 1.0, 2.0, 1.0, 0.0];
        let (doubled, weighed) = (
            Evaluation::of(2, rows),
            Evaluation::weighed(2, (0..5).map(|k| (&p[k][..], truth[k], weights[k]))),
        );
        let figures = |e: &Evaluation| {
            [e.accuracy, e.balanced_accuracy, e.log_loss, e.brier, e.auc.unwrap(), e.calibration_error]
        };
        for (one, other) in figures(&doubled).into_iter().zip(figures(&weighed)) {
            assert!((one - other).abs() < 1e-15, "{doubled:?} {weighed:?}");
        }
        assert_eq!(doubled.confusion, weighed.confusion);
    }
}
