//! Likelihood weighting: posteriors from samples, for networks too wide for an exact answer.
//!
//! Rows are drawn parents first; an observed node is not drawn but weighs the row with the probability of its state:
//!
//! ```text
//! w = Π_{v observed} P(e_v | parents) · Π_{v reported} L(x_v)
//! p(s) = Σ_i w_i [x_i = s] / Σ_i w_i        error(s)² = Σ_i w_i² ([x_i = s] − p(s))² / (Σ_i w_i)²
//! ```
//!
//! Implements: Fung and Chang 1990; Shachter and Peot 1990; the standard error is that of a ratio of means (Owen 2013, §9.2).
//! Every node draws from the stream of its name, so neither the order of nodes nor the other questions leave a trace. A
//! state that was never drawn has an error of 0 by that formula: it is then given as 3 / samples, the bound that 95 of
//! 100 such cases keep.

use super::evidence::{Evidence, Finding};
use super::families::Families;
use super::{Error, Network, Tiny};
use crate::dynamic::drawn;
use crate::random::Stream;

/// Posteriors from weighted samples.
#[derive(Debug, Clone, PartialEq)]
pub struct Weighted {
    /// The nodes that were asked for.
    pub targets: Vec<usize>,
    /// The distribution of each.
    pub probabilities: Vec<Vec<f64>>,
    /// The standard error of every number in it.
    pub errors: Vec<Vec<f64>>,
    /// The probability of the evidence.
    pub evidence: Tiny,
    /// Its standard error, relative to it.
    pub evidence_error: f64,
    /// How many rows were drawn.
    pub samples: usize,
    /// How many rows of equal weight would tell as much: `(Σ w)² / Σ w²`.
    pub effective: f64,
}

/// What is needed to draw one node.
struct Draw<'n> {
    node: usize,
    stream: Stream,
    parents: Vec<(usize, usize)>,
    values: &'n [f64],
    states: usize,
    finding: &'n Finding,
}

/// Sums over all rows so far, in units of `2^exponent`.
struct Sums {
    exponent: i64,
    weight: f64,
    square: f64,
    /// For every target and state, the weights and their squares.
    by_state: Vec<Vec<(f64, f64)>>,
}

/// Rows between two questions whether to go on.
pub const WEIGHED_AT_A_TIME: usize = 1024;

/// Estimates the posterior of each target from `samples` weighted rows. `stop` is asked before every [`WEIGHED_AT_A_TIME`] of them.
///
/// # Errors
/// [`Error::NoSampleAgrees`] where every weight is 0; a target that is no node; evidence made for another network; no samples;
/// [`Error::Stopped`] after a yes.
pub fn weigh(
    network: &Network,
    targets: &[usize],
    evidence: &Evidence,
    samples: usize,
    seed: u64,
    stop: &dyn Fn() -> bool,
) -> Result<Weighted, Error> {
    if samples == 0 {
        return Err(Error::Parameter { parameter: "samples", value: 0.0, expected: "at least 1 is needed" });
    }
    if let Some(t) = targets.iter().find(|&&t| t >= network.len()) {
        return Err(Error::UnknownVariable(format!("#{t}")));
    }
    let families = Families::of(network);
    let status = families.statuses(network, evidence)?;
    let variables: Vec<u32> = targets.iter().map(|&t| families.variable[t]).collect();
    let relevant = families.relevant(&status, &variables);
    let mut draws: Vec<Draw<'_>> = vec![];
    for v in network.dag().topological_order() {
        if relevant[families.variable[v] as usize] {
            draws.push(Draw::new(network, &families, v, evidence, seed));
        }
    }
    let mut sums = Sums {
        exponent: i64::MIN,
        weight: 0.0,
        square: 0.0,
        by_state: targets.iter().map(|&t| vec![(0.0, 0.0); network.schema().cardinality(t)]).collect(),
    };
    let mut row = vec![0u8; network.len()];
    for sample in 0..samples {
        if sample % WEIGHED_AT_A_TIME == 0 && stop() {
            return Err(Error::Stopped);
        }
        let mut weight = Tiny::new(1.0, 0);
        for draw in &mut draws {
            draw.next(&mut row, &mut weight);
            if weight.mantissa == 0.0 {
                break;
            }
        }
        // A row cut short leaves its streams behind; the others draw on, which keeps rows independent all the same.
        if weight.mantissa > 0.0 {
            sums.add(weight, &row, targets);
        }
    }
    sums.finish(targets, samples)
}

impl<'n> Draw<'n> {
    fn new(
        network: &'n Network,
        families: &Families,
        node: usize,
        evidence: &'n Evidence,
        seed: u64,
    ) -> Self {
        let scope = &families.scopes[families.variable[node] as usize];
        let parents = scope[..scope.len() - 1].iter().map(|&(p, stride)| (families.node[p as usize], stride));
        Draw {
            node,
            stream: Stream::new(seed, network.schema().name(node)),
            parents: parents.collect(),
            values: network.cpt(node).values(),
            states: network.schema().cardinality(node),
            finding: evidence.finding(node),
        }
    }

    fn next(&mut self, row: &mut [u8], weight: &mut Tiny) {
        if let Finding::Set(state) = self.finding {
            row[self.node] = *state;
            return;
        }
        let base: usize = self.parents.iter().map(|&(p, stride)| usize::from(row[p]) * stride).sum();
        let chances = &self.values[base..base + self.states];
        let factor = match self.finding {
            Finding::Observed(state) => {
                row[self.node] = *state;
                chances[usize::from(*state)]
            }
            Finding::Free | Finding::Set(_) => {
                row[self.node] = drawn(chances, self.stream.unit());
                return;
            }
            Finding::Likelihood(likelihood) => {
                row[self.node] = drawn(chances, self.stream.unit());
                likelihood[usize::from(row[self.node])]
            }
        };
        weight.mantissa *= factor;
        // Far from the edge of what a double holds, whatever factor comes next.
        if weight.mantissa < 1e-100 && weight.mantissa > 0.0 {
            weight.mantissa *= TWO_TO_300;
            weight.exponent -= 300;
        }
    }
}

const TWO_TO_300: f64 = f64::from_bits((1023 + 300) << 52);

impl Sums {
    fn add(&mut self, weight: Tiny, row: &[u8], targets: &[usize]) {
        if weight.exponent > self.exponent {
            self.lower(self.exponent.saturating_sub(weight.exponent));
            self.exponent = weight.exponent;
        }
        let w = Tiny::new(weight.mantissa, weight.exponent - self.exponent).value();
        self.weight += w;
        self.square += w * w;
        for (sums, &t) in self.by_state.iter_mut().zip(targets) {
            let cell = &mut sums[usize::from(row[t])];
            cell.0 += w;
            cell.1 += w * w;
        }
    }

    /// Brings all sums into a unit larger by `2^-by`.
    fn lower(&mut self, by: i64) {
        let by = by.max(-4000);
        let (one, two) = (Tiny::new(1.0, by).value(), Tiny::new(1.0, 2 * by).value());
        self.weight *= one;
        self.square *= two;
        for cell in self.by_state.iter_mut().flatten() {
            *cell = (cell.0 * one, cell.1 * two);
        }
    }

    fn finish(self, targets: &[usize], samples: usize) -> Result<Weighted, Error> {
        if self.weight <= 0.0 {
            return Err(Error::NoSampleAgrees { samples });
        }
        let n = samples as f64;
        let mut probabilities = vec![];
        let mut errors = vec![];
        for cells in &self.by_state {
            let p: Vec<f64> = cells.iter().map(|cell| cell.0 / self.weight).collect();
            // Σ w² ([x = s] − p)² = Σ_{x = s} w² (1 − 2p) + Σ w² p².
            let error = |(cell, &p): (&(f64, f64), &f64)| match cell.0 > 0.0 {
                true => ((cell.1 * (1.0 - 2.0 * p) + self.square * p * p).max(0.0)).sqrt() / self.weight,
                false => 3.0 / n,
            };
            errors.push(cells.iter().zip(&p).map(error).collect());
            probabilities.push(p);
        }
        let mean = self.weight / n;
        let variance = (self.square / n - mean * mean).max(0.0);
        Ok(Weighted {
            targets: targets.to_vec(),
            probabilities,
            errors,
            evidence: Tiny::new(mean, self.exponent),
            evidence_error: (variance / n).sqrt() / mean,
            samples,
            effective: self.weight * self.weight / self.square,
        })
    }
}
