//! Whether a target can be predicted at all.
//!
//! In one round let n rows be held out, n_l of them of class l, p_k of them predicted as class k, and C classes present. If
//! the labels have nothing to do with the predictions, a row of class l is predicted right with probability p_l / n. So
//! the part of row i in the balanced accuracy, less what is expected of it,
//!
//! ```text
//! x_i = ([predicted right] − p_l/n) / (C n_l)          Σ_i x_i = balanced accuracy − Σ_l p_l / (n C)
//! ```
//!
//! has mean zero. Over rounds a row is held out several times, and those answers hang together; different rows hardly do.
//! So the answers about a row are added first, X_i = Σ_rounds x_i, and a target has *signal* if
//!
//! ```text
//! z = Σ_i X_i / √(Σ_i X_i²)  >  3
//! ```
//!
//! The sum is measured in units of its own parts: a few rows of a rare class, which weigh much, cannot make a large z by
//! themselves (ten rows reach at most √10), and no distribution has to be assumed.
//!
//! **Our reading**: a one-sided test over rounds leaves open how rounds that share rows are joined.
//! On tables whose columns were shuffled z is nearly standard normal (the study in `validation/` counts how often it passes
//! 3).

use serde::{Deserialize, Serialize};

/// Standard deviations above chance that count as signal.
const THRESHOLD: f64 = 3.0;

/// What one machine said of the rows held out from it, for one of the classes that it was trained on: whole numbers, from which
/// everything else follows.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Verdict {
    /// As the target's classes are numbered.
    pub(super) class: u8,
    /// How many rows were predicted to be of this class.
    pub(super) predicted: u32,
    /// The rows of this class that were predicted right.
    pub(super) right: Vec<u32>,
    /// Those that were predicted wrong.
    pub(super) wrong: Vec<u32>,
}

/// How well one machine predicted the rows held out from it.
struct RoundAccuracy {
    /// Mean over the classes of the share of their rows that was predicted right.
    balanced: f64,
    /// One over the number of classes.
    chance: f64,
    /// Every row held out, and its part in the accuracy less what is expected of it.
    parts: Vec<(u32, f64)>,
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
    /// Standard deviations above what the same predictions would reach if they had nothing to do with the target.
    pub z: f64,
    /// Whether that is enough to believe that there is something to predict.
    pub signal: bool,
}

impl Verdict {
    /// On rows held out, whose predicted and true classes are places in `classes`.
    pub(super) fn all(classes: &[u8], rows: &[u32], predicted: &[u32], labels: &[u32]) -> Vec<Verdict> {
        let of = |&class: &u8| Verdict { class, ..Verdict::default() };
        let mut verdicts: Vec<Verdict> = classes.iter().map(of).collect();
        for ((&row, &p), &l) in rows.iter().zip(predicted).zip(labels) {
            verdicts[p as usize].predicted += 1;
            let Verdict { right, wrong, .. } = &mut verdicts[l as usize];
            if p == l { right.push(row) } else { wrong.push(row) }
        }
        verdicts
    }

    fn rows(&self) -> f64 {
        (self.right.len() + self.wrong.len()) as f64
    }
}

impl RoundAccuracy {
    fn new(verdicts: &[Verdict]) -> Self {
        let present: Vec<&Verdict> = verdicts.iter().filter(|v| v.rows() > 0.0).collect();
        let chance = 1.0 / present.len().max(1) as f64;
        let balanced = present.iter().map(|v| v.right.len() as f64 / v.rows()).sum::<f64>() * chance;
        let n: f64 = present.iter().map(|v| v.rows()).sum();
        let mut parts = Vec::with_capacity(n as usize);
        for v in present {
            let part = |right: f64| (right - f64::from(v.predicted) / n) * chance / v.rows();
            parts.extend(v.right.iter().map(|&row| (row, part(1.0))));
            parts.extend(v.wrong.iter().map(|&row| (row, part(0.0))));
        }
        RoundAccuracy { balanced, chance, parts }
    }
}

impl Accuracy {
    /// The accuracy over the rounds that held out rows of two classes at least; nothing if there were none.
    pub(super) fn over<'a>(rounds: impl Iterator<Item = &'a [Verdict]>) -> Option<Self> {
        let rounds: Vec<RoundAccuracy> =
            rounds.map(RoundAccuracy::new).filter(|round| round.chance < 1.0).collect();
        if rounds.is_empty() {
            return None;
        }
        let count = rounds.len() as f64;
        let mean = rounds.iter().map(|r| r.balanced).sum::<f64>() / count;
        let squares: f64 = rounds.iter().map(|r| (r.balanced - mean) * (r.balanced - mean)).sum();
        let spread = (squares / (count - 1.0).max(1.0)).sqrt();
        let chance = rounds.iter().map(|r| r.chance).sum::<f64>() / count;
        let z = z(&rounds);
        Some(Accuracy { mean, spread, chance, z, signal: z > THRESHOLD })
    }
}

fn z(rounds: &[RoundAccuracy]) -> f64 {
    let mut parts: Vec<(u32, f64)> = rounds.iter().flat_map(|round| round.parts.iter().copied()).collect();
    // A stable sort: the rounds of a row stay in order, and so do the roundings of their sum.
    parts.sort_by_key(|&(row, _)| row);
    let (mut sum, mut squares) = (0.0, 0.0);
    for row in parts.chunk_by(|a, b| a.0 == b.0) {
        let x: f64 = row.iter().map(|&(_, x)| x).sum();
        sum += x;
        squares += x * x;
    }
    if squares > 0.0 { sum / squares.sqrt() } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clausality_bn::random::Stream;

    #[test]
    fn accuracy_by_hand() {
        // Class 0: two of three right; class 1: one of one.
        let verdicts = Verdict::all(&[0, 1, 2], &[4, 5, 6, 7], &[0, 0, 1, 1], &[0, 0, 0, 1]);
        let round = RoundAccuracy::new(&verdicts);
        assert!((round.balanced - (2.0 / 3.0 + 1.0) / 2.0).abs() < 1e-12);
        assert_eq!(round.chance, 0.5, "a class without rows does not count");
        let parts: f64 = round.parts.iter().map(|p| p.1).sum();
        assert!((parts - (round.balanced - 0.5)).abs() < 1e-12);
        let accuracy = Accuracy::over([&verdicts[..]; 2].into_iter()).unwrap();
        assert_eq!((accuracy.spread, accuracy.signal), (0.0, false));
        let one = Verdict::all(&[0, 1], &[1, 2], &[0, 1], &[1, 1]);
        assert_eq!(Accuracy::over([&one[..]].into_iter()), None, "one class says nothing");
    }

    /// Predictions that are right with probability `p` or else fair coins; the same rows over and over.
    fn verdicts(p: f64, rows: usize, rare: f64, trials: u64) -> usize {
        let trial = |seed: u64| {
            let mut stream = Stream::new(seed, "verdict");
            let labels: Vec<u32> = (0..rows).map(|_| u32::from(stream.unit() < rare)).collect();
            let rounds: Vec<Vec<Verdict>> = (0..6)
                .map(|_| {
                    let held: Vec<u32> = (0..rows as u32).filter(|_| stream.unit() < 0.2).collect();
                    let labels: Vec<u32> = held.iter().map(|&row| labels[row as usize]).collect();
                    let guess = |l: &u32| if stream.unit() < p { *l } else { stream.below(2) as u32 };
                    let predicted: Vec<u32> = labels.iter().map(guess).collect();
                    Verdict::all(&[0, 1], &held, &predicted, &labels)
                })
                .collect();
            Accuracy::over(rounds.iter().map(Vec::as_slice)).is_some_and(|a| a.signal)
        };
        (0..trials).filter(|&seed| trial(seed)).count()
    }

    #[test]
    fn guesses_are_no_signal_and_weak_knowledge_is() {
        for rare in [0.5, 0.1, 0.02] {
            // The normal tail above 3 is 0.0013: 5 or more of 400 have a probability below 0.0003.
            assert!(verdicts(0.0, 400, rare, 400) < 5, "{rare}");
        }
        assert!(verdicts(0.15, 2000, 0.3, 20) >= 19);
    }
}
