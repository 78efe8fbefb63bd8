//! A network held against a table, for somebody who looks: how one column is predicted, and which rows surprise it.
//!
//! The column is predicted in every row from what the other columns say, by the network alone, so that the figures are those of its bars. Of a table with more
//! than [`MOST_EXAMINED`] rows so many are taken, evenly spread.

use super::predict::{Calibration, calibration};
use super::{Model, Rows, Surprise};
use crate::Error;
use crate::data::Bounds;
use crate::votes::By;
use serde::Serialize;

/// Rows that are looked at.
pub const MOST_EXAMINED: usize = 20_000;
/// Rows that are named of each kind.
const NAMED: usize = 12;

/// How a network does on the rows of a table; an infinite figure is null.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Exam {
    /// The column that was predicted.
    pub target: String,
    /// Its states that are values.
    pub states: Vec<String>,
    /// The rows of the table.
    pub rows: usize,
    /// Those that were looked at.
    pub examined: usize,
    /// How well the column is predicted; nothing where no row says it.
    pub prediction: Option<Predicting>,
    /// The rows that are least likely as a whole, the least likely first.
    pub surprising: Vec<SurprisingRow>,
    /// The mean of ln P(row).
    pub log_likelihood_per_row: f64,
    /// Rows that the network says cannot be.
    pub impossible_rows: usize,
}

/// How well a column is predicted.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Predicting {
    /// Rows that say it.
    pub rows: usize,
    /// The share predicted rightly.
    pub accuracy: f64,
    /// The same, every state counting as much.
    pub balanced_accuracy: f64,
    /// The share that the most frequent state would have.
    pub baseline: f64,
    /// Mean of −ln P(truth).
    pub log_loss: f64,
    /// Mean squared error of the probabilities.
    pub brier: f64,
    /// Area under the curve, one state against the rest.
    pub auc: Option<f64>,
    /// How far confidence and accuracy are apart.
    pub calibration_error: f64,
    /// Rows by the probability of the predicted state.
    pub calibration: Vec<Calibration>,
    /// Rows, or what they weigh rounded to rows, by truth, then by prediction.
    pub confusion: Vec<Vec<usize>>,
    /// The first rows of each cell of that, counted from 1.
    pub examples: Vec<Vec<Vec<usize>>>,
}

/// A row that the network did not expect.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SurprisingRow {
    /// The row, counted from 1.
    pub row: usize,
    /// −ln P(what the row has).
    pub surprise: f64,
    /// The column most to blame, unless every cell lacks a parent.
    pub column: Option<String>,
    /// What stands there.
    pub state: Option<String>,
    /// The probability of that.
    pub probability: Option<f64>,
}

impl Model {
    /// Holds the network against rows that are coded under its schema.
    ///
    /// # Errors
    /// A question too large; a table without a value.
    pub fn examine(&self, target: usize, all_rows: &Rows, bounds: &Bounds) -> Result<Exam, Error> {
        let all = all_rows.table.rows();
        let taken = all.min(MOST_EXAMINED);
        let picked: Vec<usize> = (0..taken).map(|k| k * all / taken.max(1)).collect();
        let rows = all_rows.picked(&picked);
        let scored = self.score(&rows, bounds)?;
        let figures = scored.document(NAMED, 1.0)?;
        let predicted = self.predict(target, &rows, Some(By::Network), bounds, &crate::watch::Unwatched)?;
        let surprising = |Surprise { row, surprise, cell }: &Surprise<'_>| SurprisingRow {
            row: picked[row - 1] + 1,
            surprise: *surprise,
            column: cell.as_ref().map(|cell| cell.column.to_string()),
            state: cell.as_ref().map(|cell| cell.state.to_string()),
            probability: cell.as_ref().map(|cell| cell.probability),
        };
        let states = predicted.states.len();
        let prediction = predicted.evaluation.as_ref().map(|found| {
            let mut examples = vec![vec![vec![]; states]; states];
            for (row, &truth) in rows.table.column(target).iter().enumerate() {
                let truth = usize::from(truth);
                let Some(index) = predicted.found.index(row).filter(|_| truth < states) else { continue };
                let cell: &mut Vec<usize> = &mut examples[truth][predicted.found.likeliest(index)];
                if cell.len() < NAMED {
                    cell.push(picked[row] + 1);
                }
            }
            let whole =
                |row: &Vec<f64>| row.iter().map(|&count| count.round() as usize).collect::<Vec<usize>>();
            let confusion: Vec<Vec<usize>> = found.confusion.iter().map(whole).collect();
            let truths = found.confusion.iter().map(|row| row.iter().sum::<f64>());
            let most = truths.clone().fold(0.0, f64::max) / truths.sum::<f64>().max(f64::MIN_POSITIVE);
            Predicting {
                rows: found.rows,
                accuracy: found.accuracy,
                balanced_accuracy: found.balanced_accuracy,
                baseline: most,
                log_loss: found.log_loss,
                brier: found.brier,
                auc: found.auc,
                calibration_error: found.calibration_error,
                calibration: calibration(found),
                confusion,
                examples,
            }
        });
        Ok(Exam {
            target: predicted.variable.name.clone(),
            states: predicted.states.to_vec(),
            rows: all,
            examined: taken,
            prediction,
            surprising: figures.surprising.iter().map(surprising).collect(),
            log_likelihood_per_row: figures.log_likelihood_per_row,
            impossible_rows: figures.impossible_rows,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::embedded;

    #[test]
    fn the_figures_are_those_of_predict_and_score() {
        let network = embedded::network("asia").unwrap();
        let table = clausality_bn::sample(&network, 2 * MOST_EXAMINED + 7, 3);
        let model = Model { network: network.into(), extra: Default::default(), source: "@asia".into() };
        let bounds = Bounds::default();
        let target = model.network.schema().index("dysp").unwrap();
        let few = table.select_rows(&(0..500).collect::<Vec<usize>>());
        let found = model.examine(target, &Rows::of("t", few.clone()), &bounds).unwrap();
        let rows = Rows::of("t", few.clone());
        let predicted = model.predict(target, &rows, None, &bounds, &crate::watch::Unwatched).unwrap();
        let (expected, prediction) = (predicted.evaluation.as_ref().unwrap(), found.prediction.unwrap());
        assert_eq!((prediction.accuracy, prediction.log_loss), (expected.accuracy, expected.log_loss));
        assert_eq!(prediction.confusion.iter().flatten().sum::<usize>(), 500);
        let named = prediction.examples[0][1][0] - 1;
        let likeliest = predicted.found.likeliest(predicted.found.index(named).unwrap());
        assert_eq!((few.column(target)[named], likeliest), (0, 1));
        let scored = model.score(&rows, &bounds).unwrap();
        let expected = scored.document(NAMED, 1.0).unwrap();
        let numbers = |row: &SurprisingRow| (row.row, row.surprise);
        assert_eq!(
            found.surprising.iter().map(numbers).collect::<Vec<_>>(),
            expected.surprising.iter().map(|row| (row.row, row.surprise)).collect::<Vec<_>>()
        );
        // Of many rows some are looked at, and named by their own numbers.
        let found = model.examine(target, &Rows::of("t", table.clone()), &bounds).unwrap();
        assert_eq!((found.rows, found.examined), (2 * MOST_EXAMINED + 7, MOST_EXAMINED));
        let first = &found.surprising[0];
        let alone = Rows::of("t", table.select_rows(&[first.row - 1]));
        let scored = model.score(&alone, &bounds).unwrap();
        assert_eq!(scored.document(1, 1.0).unwrap().surprising[0].surprise, first.surprise);
    }
}
