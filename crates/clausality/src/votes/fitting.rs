//! Two score cards in the making, fitted to some rows: a plain one, of sizes and states, and a rich one, of sizes, states, steps,
//! states that stand out, and clauses.

use super::alone;
use super::literals::Literals;
use super::logistic::{self, Effort, Rows, Seen};
use super::machines;
use super::shape::{Points, Shape};
use super::subject::{Subject, by_class, probabilities};
use crate::Error;
use crate::watch::Watch;

/// A card as it is fitted: to some rows, and judged on others.
pub(super) struct Fitting {
    shape: Shape,
    rows: Rows,
    others: Seen,
    weights: Vec<f64>,
}

impl Fitting {
    /// A plain card and a rich one, and the rich one's clauses, from the rows `places`; `others` are to be judged.
    pub(super) fn both(
        subject: &Subject,
        places: &[u32],
        others: &[u32],
        name: &str,
        watch: &dyn Watch,
    ) -> Result<([Self; 2], Vec<Vec<u32>>), Error> {
        let rows = subject.rows(&[], places);
        let shape = subject.shape(true, 0);
        let mut weights = vec![0.0; shape.weights()];
        logistic::fit(&rows, &shape, 1.0, Effort::ROUGH, &mut weights);
        let left = probabilities(&rows.seen, &by_class(shape.points(&weights)));
        let clauses = machines::clauses(subject, places, &left, name, watch)?;
        let fitting = |shape: Shape, rows: Rows, clauses: &[Vec<u32>]| Fitting {
            weights: vec![0.0; shape.weights()],
            others: subject.seen(clauses, others),
            shape,
            rows,
        };
        let mut rich = subject.shape(true, clauses.len());
        alone::let_stand(&mut rich.bases, &rows, &left, subject.classes);
        let plain = fitting(subject.shape(false, 0), rows, &[]);
        let rich = fitting(rich, subject.rows(&clauses, places), &clauses);
        Ok(([plain, rich], clauses))
    }

    /// Fits the weights under a ridge, from where they are.
    pub(super) fn fit(&mut self, ridge: f64, effort: Effort) {
        logistic::fit(&self.rows, &self.shape, ridge, effort, &mut self.weights);
    }

    /// The probabilities of the rows that are judged.
    pub(super) fn probabilities(&self) -> Vec<f64> {
        probabilities(&self.others, &self.points())
    }

    /// Points of the classes.
    pub(super) fn points(&self) -> Points {
        by_class(self.shape.points(&self.weights))
    }
}

/// A plain and a rich card as one, times `a` and `b`: the plain one has no clauses, whose marks are the last.
pub(super) fn added(plain: &Points, rich: &Points, (a, b): (f64, f64)) -> Points {
    let marks = |k: usize, rich: &f64| b * rich + plain.marks.get(k).map_or(0.0, |plain| a * plain);
    Points {
        marks: rich.marks.iter().enumerate().map(|(k, rich)| marks(k, rich)).collect(),
        constant: rich
            .constant
            .iter()
            .zip(&plain.constant)
            .map(|(rich, plain)| a * plain + b * rich)
            .collect(),
    }
}

/// Clauses by the numbers of their literals in the encoding.
pub(super) fn numbered(clauses: &[Vec<u32>], literals: &Literals) -> Vec<Vec<u32>> {
    let number = |&place: &u32| literals.numbers[place as usize];
    clauses.iter().map(|clause| clause.iter().map(number).collect()).collect()
}
