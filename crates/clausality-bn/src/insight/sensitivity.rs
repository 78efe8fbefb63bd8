//! What an error in one number of a table would do to the answer.
//!
//! ```text
//! P(t | e)(x) = (a x + b) / (c x + d)                       x in the place of θ = P(V = k | parents in j)
//! D_t = P(t, k, j | e) / θ − Σ_{l ≠ k} P(t, l, j | e) / (1 − θ),    D = Σ_t D_t
//! a = D_t,   b = P(t | e) − θ D_t,   c = D,   d = 1 − θ D,          slope at θ: D_t − P(t | e) D
//! ```
//!
//! The other numbers of the row are scaled to keep its sum (proportional covariation). Numbers that are 0 or 1 are taken for known: no ratio says how
//! the rest should follow. The answer turns where another state becomes as probable as the first: both numerators are lines, so that is one equation.
//!
//! Implements: Castillo, Gutiérrez and Hadi (1997) and Coupé and van der Gaag (2002); `P(t, k, j | e)` is one elimination per node that the
//! target or the evidence depends on.

use super::{likeliest, open_target};
use crate::infer::{Evidence, Finding, Infer};
use crate::{Error, Network};
use std::sync::Arc;

/// Slopes smaller than this are rounding.
const ROUNDING: f64 = 1e-12;

/// A number of a table that the answer depends on.
#[derive(Debug, Clone, PartialEq)]
pub struct Parameter {
    /// The node whose table it stands in.
    pub node: usize,
    /// The row.
    pub configuration: usize,
    /// The state.
    pub state: u8,
    /// The number.
    pub value: f64,
    /// By how much the probability of every state of the target rises where it rises by 1, at first.
    pub slopes: Vec<f64>,
    /// `(a, b)` for every state of the target.
    pub numerators: Vec<(f64, f64)>,
    /// `(c, d)`.
    pub denominator: (f64, f64),
    /// The smallest change that makes another state of the target as probable as the most probable one, if any does.
    pub flip: Option<Flip>,
}

/// Where an answer turns.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Flip {
    /// The number with which it does.
    pub value: f64,
    /// The state of the target that wins beyond.
    pub state: u8,
}

impl Parameter {
    /// The target's distribution with another number in its place.
    pub fn at(&self, x: f64) -> Vec<f64> {
        let (c, d) = self.denominator;
        self.numerators.iter().map(|(a, b)| (a * x + b) / (c * x + d)).collect()
    }
}

/// The numbers that the target's distribution depends on, in the order of nodes, rows and states.
///
/// # Errors
/// As [`Infer::posterior`]; a target whose state is known.
pub fn sensitivity(
    network: &Arc<Network>,
    target: usize,
    evidence: &Evidence,
    limit: u64,
) -> Result<Vec<Parameter>, Error> {
    open_target(network, target, evidence)?;
    let mut infer = Infer::new(network.clone()).with_limit(limit);
    let chances = infer.posterior(&[target], evidence)?.probabilities;
    let mut found = vec![];
    for node in with_a_say(network, target, evidence) {
        let (cpt, states) = (network.cpt(node), network.schema().cardinality(node));
        // The target may be of the family: it is asked for once, and its state is read from the cell.
        let family: Vec<usize> = cpt.parents().iter().copied().chain([node]).collect();
        let own = family.iter().position(|&v| v == target);
        let asked: Vec<usize> = match own {
            Some(_) => family.clone(),
            None => [target].into_iter().chain(family.iter().copied()).collect(),
        };
        let joint = infer.posterior(&asked, evidence)?.probabilities;
        let cells = cpt.values().len();
        let inner =
            own.map(|place| family[place + 1..].iter().map(|&v| network.schema().cardinality(v)).product());
        // P(t, cell | e).
        let joint = |t: usize, cell: usize| match inner {
            None => joint[t * cells + cell],
            Some(inner) => {
                let here: usize = inner;
                if cell / here % chances.len() == t { joint[cell] } else { 0.0 }
            }
        };
        for configuration in 0..cpt.configurations() {
            let row = cpt.row(configuration);
            let first = configuration * states;
            let sums: Vec<f64> =
                (0..chances.len()).map(|t| (0..states).map(|l| joint(t, first + l)).sum()).collect();
            if sums.iter().all(|&sum| sum == 0.0) {
                continue;
            }
            for (state, &value) in row.iter().enumerate().filter(|(_, p)| **p > 0.0 && **p < 1.0) {
                let lines: Vec<f64> = sums
                    .iter()
                    .enumerate()
                    .map(|(t, &sum)| {
                        let this = joint(t, first + state);
                        this / value - (sum - this) / (1.0 - value)
                    })
                    .collect();
                let place = (node, configuration, state as u8, value);
                found.extend(parameter(place, &chances, &lines));
            }
        }
    }
    Ok(found)
}

/// A number with what it does, if it does anything.
fn parameter(
    (node, configuration, state, value): (usize, usize, u8, f64),
    chances: &[f64],
    lines: &[f64],
) -> Option<Parameter> {
    let all: f64 = lines.iter().sum();
    let slopes: Vec<f64> = lines.iter().zip(chances).map(|(line, p)| line - p * all).collect();
    if slopes.iter().all(|slope| slope.abs() < ROUNDING) {
        return None;
    }
    let numerators = lines.iter().zip(chances).map(|(line, p)| (*line, p - value * line)).collect();
    let first = likeliest(chances);
    let flips = (0..chances.len()).filter(|&t| t != first).filter_map(|t| {
        let change = (chances[first] - chances[t]) / (lines[t] - lines[first]);
        let possible = change.is_finite() && (0.0..=1.0).contains(&(value + change));
        (possible && 1.0 + change * all > 0.0).then_some((change, t))
    });
    let flip = flips.min_by(|a, b| a.0.abs().total_cmp(&b.0.abs()));
    let flip = flip.map(|(change, t)| Flip { value: value + change, state: t as u8 });
    let denominator = (all, 1.0 - value * all);
    Some(Parameter { node, configuration, state, value, slopes, numerators, denominator, flip })
}

/// The nodes whose tables the target or the evidence depends on, ascending; that of a node that is set is cut.
fn with_a_say(network: &Network, target: usize, evidence: &Evidence) -> Vec<usize> {
    let mut say = vec![false; network.len()];
    let known = (0..network.len()).filter(|&v| *evidence.finding(v) != Finding::Free);
    let mut stack: Vec<usize> = known.chain([target]).collect();
    while let Some(v) = stack.pop() {
        if !matches!(evidence.finding(v), Finding::Set(_)) && !std::mem::replace(&mut say[v], true) {
            stack.extend(network.parents(v));
        }
    }
    (0..network.len()).filter(|&v| say[v]).collect()
}
