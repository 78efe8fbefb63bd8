//! Whether a target can be predicted at all.
//!
//! Given a machine's predictions, and if the labels of the rows held out have nothing to do with them, every way of dealing
//! those labels to those rows is equally likely. With n rows, n_l of class l, p_k predicted as k, C classes present and
//! a(k, l) = [k = l] / (C n_l), the balanced accuracy Σ_i a(k_i, l_i) then has mean and variance (Hoeffding 1951)
//!
//! ```text
//! e = Σ_k p_k / (n C),     v = Σ_i Σ_j d(k_i, l_j)² / (n − 1),     d = a less its row and column means plus its mean
//! ```
//!
//! Rounds share rows, so their accuracies hang together. With ρ for their correlation the mean over R rounds has variance
//! mean(v)·(1/R + ρ(1 − 1/R)), and a target has *signal* if
//!
//! ```text
//! z = mean(accuracy − e) / √(mean(v)·(1/R + ρ(1 − 1/R)))  >  3
//! ```
//!
//! **Our reading**: the method asks for a one-sided test over rounds and leaves the dependence open.

use serde::{Deserialize, Serialize};

/// Correlation of the accuracies of two rounds when there is nothing to predict.
const CORRELATION: f64 = 0.25;

/// Standard deviations above chance that count as signal.
const THRESHOLD: f64 = 3.0;

/// How well one machine predicted the rows held out from it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct RoundAccuracy {
    /// Mean over the classes of the share of their rows that was predicted right.
    balanced: f64,
    /// What would be expected of it if the labels had nothing to do with the predictions.
    expected: f64,
    /// Its variance then.
    variance: f64,
    /// One over the number of classes.
    chance: f64,
}

/// How well a target is predicted on rows held out, over all fits.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Accuracy {
    /// Balanced accuracy: mean over classes of the share of their rows that was predicted right; mean over fits.
    pub mean: f64,
    /// Standard deviation over fits.
    pub spread: f64,
    /// What guessing reaches: one over the number of classes.
    pub chance: f64,
    /// Standard deviations above what the same predictions would reach on labels dealt at random.
    pub z: f64,
    /// Whether that is enough to believe that there is something to predict.
    pub signal: bool,
}

impl RoundAccuracy {
    pub(super) fn new(predicted: &[u32], labels: &[u32], classes: usize) -> Self {
        let n = labels.len() as f64;
        let mut right = vec![0.0; classes];
        let mut actual = vec![0.0; classes];
        let mut said = vec![0.0; classes];
        for (&p, &l) in predicted.iter().zip(labels) {
            right[l as usize] += f64::from(u8::from(p == l));
            actual[l as usize] += 1.0;
            said[p as usize] += 1.0;
        }
        let present: Vec<usize> = (0..classes).filter(|&c| actual[c] > 0.0).collect();
        let share = 1.0 / present.len().max(1) as f64;
        let balanced = present.iter().map(|&c| right[c] / actual[c]).sum::<f64>() * share;
        let expected = present.iter().map(|&c| said[c] / n.max(1.0)).sum::<f64>() * share;
        let mut variance = 0.0;
        for k in (0..classes).filter(|&k| said[k] > 0.0) {
            for &l in &present {
                let cell = if k == l { share / actual[l] } else { 0.0 };
                let row = if actual[k] > 0.0 { share / n } else { 0.0 };
                let column = said[l] * share / (n * actual[l]);
                let centred = cell - row - column + expected / n;
                variance += said[k] * actual[l] * centred * centred;
            }
        }
        RoundAccuracy { balanced, expected, variance: variance / (n - 1.0).max(1.0), chance: share }
    }
}

impl Accuracy {
    /// The accuracy over the rounds that held out rows of two classes at least; nothing if there were none.
    pub(super) fn over(rounds: impl Iterator<Item = RoundAccuracy>) -> Option<Self> {
        let rounds: Vec<RoundAccuracy> = rounds.filter(|round| round.chance < 1.0).collect();
        if rounds.is_empty() {
            return None;
        }
        let count = rounds.len() as f64;
        let mean_of = |value: fn(&RoundAccuracy) -> f64| rounds.iter().map(value).sum::<f64>() / count;
        let mean = mean_of(|r| r.balanced);
        let squares: f64 = rounds.iter().map(|r| (r.balanced - mean) * (r.balanced - mean)).sum();
        let spread = (squares / (count - 1.0).max(1.0)).sqrt();
        let excess = mean_of(|r| r.balanced - r.expected);
        let variance = mean_of(|r| r.variance) * (1.0 / count + CORRELATION * (1.0 - 1.0 / count));
        let z = if variance > 0.0 { excess / variance.sqrt() } else { 0.0 };
        Some(Accuracy { mean, spread, chance: mean_of(|r| r.chance), z, signal: z > THRESHOLD })
    }
}
