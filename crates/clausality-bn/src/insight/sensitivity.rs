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
//! A number that a network over time holds once stands in the tables of many steps: its slope is the sum of theirs, and where the answer turns is
//! looked for with all of these tables changed together, since no line tells it.
//!
//! Implements: Castillo, Gutiérrez and Hadi (1997) and Coupé and van der Gaag (2002); `P(t, k, j | e)` is one elimination per node that the
//! target or the evidence depends on.

use super::{likeliest, open_target};
use crate::infer::{Evidence, Finding, Infer};
use crate::{Cpt, Error, Network};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Slopes smaller than this are rounding.
const ROUNDING: f64 = 1e-12;
/// Of numbers that stand in several tables, so many are changed to find where the answer turns: those with the largest slopes.
const MOST_TURNED: usize = 40;
/// The pieces of the way to 0 and of that to 1 at whose ends it is looked whether the answer has turned.
const PIECES: usize = 8;
/// How often the piece in which it turns is halved.
const HALVINGS: usize = 34;

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
    /// In how many tables that the answer depends on it stands: one, but of a number that a network over time holds once for all steps.
    pub tables: usize,
    /// `(a, b)` for every state of the target; nothing of a number that stands in several tables.
    pub numerators: Vec<(f64, f64)>,
    /// `(c, d)`.
    pub denominator: (f64, f64),
    /// The smallest change that makes another state of the target as probable as the most probable one, if any does.
    pub flip: Option<Flip>,
    /// Whether that was looked for: in several tables it takes many answers, and is for those with the largest slopes.
    pub sought: bool,
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
    /// The target's distribution with another number in its place, in one table.
    pub fn at(&self, x: f64) -> Vec<f64> {
        let (c, d) = self.denominator;
        self.numerators.iter().map(|(a, b)| (a * x + b) / (c * x + d)).collect()
    }
}

/// The numbers that the target's distribution depends on, in the order of nodes, rows and states. `tied` names for every node the one whose table it
/// shares, under which its numbers are told: itself, but in steps of a network over time that were written out.
///
/// # Errors
/// As [`Infer::posterior`]; a target whose state is known.
pub fn sensitivity(
    network: &Arc<Network>,
    target: usize,
    evidence: &Evidence,
    tied: &dyn Fn(usize) -> usize,
    limit: u64,
) -> Result<Vec<Parameter>, Error> {
    open_target(network, target, evidence)?;
    let mut infer = Infer::new(network.clone()).with_limit(limit);
    let chances = infer.posterior(&[target], evidence)?.probabilities;
    let mut lines_of: BTreeMap<(usize, usize, u8), Vec<Vec<f64>>> = BTreeMap::new();
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
                lines_of.entry((tied(node), configuration, state as u8)).or_default().push(lines);
            }
        }
    }
    let mut found = vec![];
    for ((node, configuration, state), lines) in lines_of {
        let value = network.cpt(node).row(configuration)[usize::from(state)];
        found.extend(parameter((node, configuration, state, value), &chances, &lines));
    }
    let mut several: Vec<&mut Parameter> = found.iter_mut().filter(|number| !number.sought).collect();
    several.sort_by(|a, b| steepest(b).total_cmp(&steepest(a)));
    for number in several.into_iter().take(MOST_TURNED) {
        let nodes = (0..network.len()).filter(|&v| tied(v) == number.node).collect();
        let turned = Turned { network, nodes, target, evidence, limit };
        number.flip = turned.flip(number, likeliest(&chances))?;
        number.sought = true;
    }
    Ok(found)
}

fn steepest(number: &Parameter) -> f64 {
    number.slopes.iter().map(|slope| slope.abs()).fold(0.0, f64::max)
}

/// A number with what it does, if it does anything, from its lines in every table where it stands.
fn parameter(
    (node, configuration, state, value): (usize, usize, u8, f64),
    chances: &[f64],
    lines: &[Vec<f64>],
) -> Option<Parameter> {
    let slopes_in = |lines: &Vec<f64>| -> Vec<f64> {
        let all: f64 = lines.iter().sum();
        lines.iter().zip(chances).map(|(line, p)| line - p * all).collect()
    };
    let each: Vec<Vec<f64>> = lines.iter().map(slopes_in).collect();
    if each.iter().flatten().all(|slope| slope.abs() < ROUNDING) {
        return None;
    }
    let slopes = (0..chances.len()).map(|t| each.iter().map(|slopes| slopes[t]).sum()).collect();
    let number = Parameter {
        node,
        configuration,
        state,
        value,
        slopes,
        tables: lines.len(),
        numerators: vec![],
        denominator: (0.0, 1.0),
        flip: None,
        sought: false,
    };
    let [lines] = lines else { return Some(number) };
    let all: f64 = lines.iter().sum();
    let first = likeliest(chances);
    let flips = (0..chances.len()).filter(|&t| t != first).filter_map(|t| {
        let change = (chances[first] - chances[t]) / (lines[t] - lines[first]);
        let possible = change.is_finite() && (0.0..=1.0).contains(&(value + change));
        (possible && 1.0 + change * all > 0.0).then_some((change, t))
    });
    let flip = flips.min_by(|a, b| a.0.abs().total_cmp(&b.0.abs()));
    Some(Parameter {
        numerators: lines.iter().zip(chances).map(|(line, p)| (*line, p - value * line)).collect(),
        denominator: (all, 1.0 - value * all),
        flip: flip.map(|(change, t)| Flip { value: value + change, state: t as u8 }),
        sought: true,
        ..number
    })
}

/// A question to a network in which one table stands at several nodes.
struct Turned<'n> {
    network: &'n Network,
    nodes: Vec<usize>,
    target: usize,
    evidence: &'n Evidence,
    limit: u64,
}

impl Turned<'_> {
    /// The nearest number with which another state is as probable as the first: on either side the first piece at whose end one is, halved again and again.
    fn flip(&self, number: &Parameter, first: usize) -> Result<Option<Flip>, Error> {
        let mut nearest: Option<Flip> = None;
        for end in [0.0, 1.0] {
            let way = |share: f64| number.value + (end - number.value) * share;
            let mut before = 0.0;
            for piece in 1..=PIECES {
                let mut beyond = piece as f64 / PIECES as f64;
                let Some(mut state) = self.wins(number, way(beyond), first)? else {
                    before = beyond;
                    continue;
                };
                for _ in 0..HALVINGS {
                    let middle = (before + beyond) / 2.0;
                    match self.wins(number, way(middle), first)? {
                        Some(other) => (beyond, state) = (middle, other),
                        None => before = middle,
                    }
                }
                let far = |flip: &Flip| (flip.value - number.value).abs();
                let flip = Flip { value: way(beyond), state: state as u8 };
                if nearest.as_ref().is_none_or(|other| far(&flip) < far(other)) {
                    nearest = Some(flip);
                }
                break;
            }
        }
        Ok(nearest)
    }

    /// The state that is at least as probable as the first with another number at every node; nothing where none is, or what is known cannot be.
    fn wins(&self, number: &Parameter, x: f64, first: usize) -> Result<Option<usize>, Error> {
        let mut cpts = self.network.cpts().to_vec();
        for &node in &self.nodes {
            let cpt = &cpts[node];
            let mut values = cpt.values().to_vec();
            let row = &mut values[number.configuration * cpt.states()..][..cpt.states()];
            // Rounding may lead a hair beyond 1.
            row.iter_mut().for_each(|p| *p = (*p * (1.0 - x) / (1.0 - number.value)).clamp(0.0, 1.0));
            row[usize::from(number.state)] = x.clamp(0.0, 1.0);
            cpts[node] = Cpt::new(self.network.schema(), node, cpt.parents().to_vec(), values)?;
        }
        let network = Network::new(self.network.name(), self.network.schema().clone(), cpts)?;
        let mut infer = Infer::new(Arc::new(network)).with_limit(self.limit);
        let mut chances = match infer.posterior(&[self.target], self.evidence) {
            Err(Error::ImpossibleEvidence) => return Ok(None),
            found => found?.probabilities,
        };
        let of_first = std::mem::replace(&mut chances[first], -1.0);
        let other = likeliest(&chances);
        Ok((chances[other] >= of_first).then_some(other))
    }
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
