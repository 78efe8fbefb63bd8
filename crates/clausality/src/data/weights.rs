//! Rows that count differently, as in a survey.
//!
//! Scores and tests know rows, not weights. n rows with the weights w are worth as many equal ones as estimate a mean equally well
//! (Kish 1965, *Survey Sampling*),
//!
//! ```text
//! n_eff = (Σ w)² / Σ w²
//! ```
//!
//! and structure is learned from so many, drawn systematically: row i stands in the draw `n_eff · w_i / Σ w` times, rounded up or down.
//! Probabilities need no draw: their counts are sums of weights.

use super::Dataset;

/// As many equal rows as the weights are worth.
pub(in crate::data) fn effective(weights: &[f64]) -> usize {
    let (sum, squares) = weights.iter().fold((0.0, 0.0), |(sum, squares), w| (sum + w, squares + w * w));
    // A hair more: equal weights are worth all rows, whatever rounding says.
    ((sum * sum / squares * (1.0 + 1e-12)) as usize).clamp(1, weights.len())
}

/// Rows drawn evenly by weight.
pub(crate) fn drawn(weights: &[f64]) -> Vec<usize> {
    let count = effective(weights);
    let sum: f64 = weights.iter().sum();
    let (mut rows, mut reached) = (Vec::with_capacity(count), 0.0);
    for (row, weight) in weights.iter().enumerate() {
        reached += weight;
        while rows.len() < count && (rows.len() as f64 + 0.5) * sum / count as f64 <= reached {
            rows.push(row);
        }
    }
    rows
}

impl Dataset {
    /// The rows that structure is learned from; nothing where all rows count alike, and it is all of them.
    pub(crate) fn drawn(&self) -> Option<Dataset> {
        let weights = self.weights.as_ref()?;
        let table = self.table.select_rows(&drawn(weights));
        Some(Dataset { rows: table.rows(), table, weights: None, owners: None, ..self.clone() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_weights_are_worth_all_rows_and_others_fewer() {
        assert_eq!(drawn(&[1.0; 7]), [0, 1, 2, 3, 4, 5, 6]);
        assert_eq!(effective(&[2.0, 0.0, 2.0, 0.0]), 2);
        assert_eq!(drawn(&[2.0, 0.0, 2.0, 0.0]), [0, 2]);
        let uneven: Vec<f64> = (0..1000).map(|k| if k % 10 == 0 { 5.5 } else { 0.5 }).collect();
        let rows = drawn(&uneven);
        assert_eq!(rows.len(), effective(&uneven));
        let heavy = rows.iter().filter(|&&row| row % 10 == 0).count() as f64 / rows.len() as f64;
        assert!((heavy - 0.55).abs() < 0.02, "{heavy}");
    }
}
