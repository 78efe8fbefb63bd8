//! A score card in the making: columns, then clauses, fitted to some rows.

use super::logistic::{self, Effort, Points, Seen, Shape};
use super::machines::{self, Knobs};
use super::subject::{Subject, probabilities};
use crate::Error;
use crate::watch::Watch;

/// Clauses and weights as they are fitted to some rows.
pub(super) struct Fitting<'s> {
    subject: &'s Subject,
    pub(super) clauses: Vec<Vec<u32>>,
    shape: Shape,
    seen: Seen,
    labels: Vec<u8>,
    weights: Vec<f64>,
}

impl<'s> Fitting<'s> {
    /// Columns, then clauses, fitted to some rows.
    pub(super) fn new(
        subject: &'s Subject,
        places: &[u32],
        knobs: &Knobs,
        name: &str,
        watch: &dyn Watch,
    ) -> Result<Self, Error> {
        let labels: Vec<u8> = places.iter().map(|&p| subject.labels[p as usize]).collect();
        let shape = subject.shape(0);
        let seen = subject.seen(&[], places);
        let mut weights = vec![0.0; shape.weights()];
        let clauses = if knobs.machines == 0 {
            Vec::new()
        } else {
            logistic::fit(&seen, &labels, &shape, 1.0, Effort::ROUGH, &mut weights);
            let left = probabilities(&seen, &shape.points(&weights));
            machines::clauses(subject, places, &left, knobs, name, watch)?
        };
        let shape = subject.shape(clauses.len());
        let seen = subject.seen(&clauses, places);
        let weights = vec![0.0; shape.weights()];
        Ok(Fitting { subject, clauses, shape, seen, labels, weights })
    }

    /// Fits the weights under a ridge, from where they are.
    pub(super) fn fit(&mut self, ridge: f64, effort: Effort) {
        logistic::fit(&self.seen, &self.labels, &self.shape, ridge, effort, &mut self.weights);
    }

    /// The probabilities of other rows.
    pub(super) fn probabilities(&self, places: &[u32]) -> Vec<f64> {
        probabilities(&self.subject.seen(&self.clauses, places), &self.points())
    }

    pub(super) fn points(&self) -> Points {
        self.shape.points(&self.weights)
    }
}
