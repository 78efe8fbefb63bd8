//! Asking a network: posteriors, most probable states, interventions, the probability of the evidence.
//!
//! | question | method | engine |
//! |---|---|---|
//! | `P(t_1, …, t_k \| e)` | [`Infer::posterior`] | variable elimination |
//! | `P(t \| e)` for many `t` at once | [`Infer::posteriors`], [`Infer::posteriors_of`] | junction tree |
//! | `P(e)` | [`Infer::evidence_probability`], and with every answer | variable elimination |
//! | `argmax_m P(m \| e)` | [`Infer::most_probable`] | variable elimination with maxima |
//! | any of the first two, roughly | [`weigh`]; of a series [`weigh_series`] | likelihood weighting; particles |
//! | any of these at the steps of a series | [`InferSeries`] | interface algorithm |
//! | `P(t \| row)` for the rows of a table | [`predict`] | Markov blanket, else variable elimination |
//!
//! Evidence is observed, reported with a likelihood, or set from outside: see [`Evidence`]. The exact engines plan first and
//! count what the plan needs, so a question too large for the memory allowed is refused before anything is
//! allocated. Numbers are scaled by powers of two on the way, so that much evidence does not vanish in rounding; evidence
//! that the network says cannot be is an error.
//!
//! ```
//! use clausality_bn::infer::{Evidence, Infer};
//! use clausality_bn::io;
//! let text = b"variable rain { type discrete [ 2 ] { yes, no }; } variable wet { type discrete [ 2 ] { yes, no }; }
//!     probability ( rain ) { table 0.25, 0.75; } probability ( wet | rain ) { (yes) 1.0, 0.0; (no) 0.5, 0.5; }";
//! let network = io::bif::read(text, &io::Limits::default())?;
//! let mut evidence = Evidence::new(&network);
//! evidence.observe(1, 0)?;
//! let answer = Infer::new(network).posterior(&[0], &evidence)?;
//! assert_eq!(answer.probabilities, [0.4, 0.6]);
//! assert_eq!(answer.evidence.value(), 0.625);
//! # Ok::<(), clausality_bn::Error>(())
//! ```

mod contradiction;
mod eliminate;
mod evidence;
mod families;
mod judge;
mod kernel;
mod order;
mod plan;
mod predict;
mod program;
mod series;
mod tree;
mod weighting;
mod witness;

pub use contradiction::contradiction;
pub use evidence::{Evidence, Finding};
pub use judge::{Bin, Evaluation};
pub use predict::{Predictions, predict, predict_unless, requisite};
pub use program::Stop;
pub use series::{Drawn, InferSeries, Moment, SeriesEvidence, Stretch, weigh_series};
pub use weighting::{WEIGHED_AT_A_TIME, Weighted, weigh};
pub(crate) use witness::{Witness, carried, with_witnesses};

use crate::math::ln;
use crate::{Cpt, Error, Network};
use eliminate::{plan_joint, plan_maximum};
use families::{Families, Status};
use plan::Over;
use program::{Program, Run, TableView, Workspace};
use std::collections::BTreeMap;
use std::sync::Arc;
use tree::plan_posteriors;

/// The memory that exact inference may take unless the caller says otherwise: 384 MiB.
pub const DEFAULT_BYTES: u64 = 384 << 20;

/// Plans that are kept for questions of the same pattern may take this much memory together.
const KEPT_BYTES: usize = 64 << 20;
/// And so much of any memory, however small.
const FEW_PLANS: usize = 4 << 20;

/// A probability that may be far smaller than a double can hold: `mantissa · 2^exponent`.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Tiny {
    mantissa: f64,
    exponent: i64,
}

impl Tiny {
    fn new(mantissa: f64, exponent: i64) -> Self {
        Tiny { mantissa, exponent }
    }

    /// The probability as a double; 0 where it is too small for one.
    pub fn value(self) -> f64 {
        let mut value = self.mantissa;
        let mut exponent = self.exponent;
        while exponent != 0 && value != 0.0 {
            let step = exponent.clamp(-1000, 1000);
            value *= f64::from_bits(((step + 1023) as u64) << 52);
            exponent -= step;
        }
        value
    }

    /// Its natural logarithm.
    pub fn ln(self) -> f64 {
        ln(self.mantissa) + self.exponent as f64 * std::f64::consts::LN_2
    }

    /// The quotient of two such probabilities.
    pub fn over(self, other: Tiny) -> Tiny {
        Tiny { mantissa: self.mantissa / other.mantissa, exponent: self.exponent - other.exponent }
    }
}

/// The joint posterior of some nodes.
#[derive(Debug, Clone, PartialEq)]
pub struct Posterior {
    /// The nodes, as they were asked for.
    pub targets: Vec<usize>,
    /// How many states each has.
    pub states: Vec<usize>,
    /// One probability for every combination of states, the last node's state varying fastest.
    pub probabilities: Vec<f64>,
    /// The probability of the evidence.
    pub evidence: Tiny,
}

/// The posterior of every node.
#[derive(Debug, Clone, PartialEq)]
pub struct Posteriors {
    /// The nodes that were asked for.
    pub targets: Vec<usize>,
    /// The distribution of each.
    pub probabilities: Vec<Vec<f64>>,
    /// The probability of the evidence.
    pub evidence: Tiny,
}

/// The most probable states of some nodes together.
#[derive(Debug, Clone, PartialEq)]
pub struct Explanation {
    /// The nodes with their states.
    pub states: Vec<(usize, u8)>,
    /// The probability of these states given the evidence.
    pub probability: Tiny,
    /// The probability of the evidence.
    pub evidence: Tiny,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Question {
    Joint(Vec<u32>),
    Each(Vec<u32>),
    Most(Vec<u32>),
}

#[derive(Debug, Clone)]
struct Plan {
    program: Program,
    /// For most probable states: the variables in the order in which they were maximised out, and how many of the outputs
    /// decide each.
    maximised: Vec<(u32, usize)>,
}

/// Exact answers from a network. Plans are kept, so questions about the same nodes with other states of the same evidence
/// cost only the arithmetic. The network is shared, not borrowed: an `Infer` lives as long as it is needed, on any thread.
#[derive(Debug, Clone)]
pub struct Infer {
    network: Arc<Network>,
    families: Families,
    limit: u64,
    plans: BTreeMap<(Vec<Status>, Question), Arc<Plan>>,
    kept_bytes: usize,
    space: Workspace,
}

impl Infer {
    /// Ready to ask this network, with [`DEFAULT_BYTES`] of memory.
    pub fn new(network: impl Into<Arc<Network>>) -> Self {
        let network = network.into();
        Infer {
            families: Families::of(&network),
            network,
            limit: DEFAULT_BYTES,
            plans: BTreeMap::new(),
            kept_bytes: 0,
            space: Workspace::default(),
        }
    }

    /// With another bound on memory, in bytes.
    pub fn with_limit(mut self, bytes: u64) -> Self {
        self.limit = bytes;
        self.plans.clear();
        self
    }

    /// Which asks before every step of an answer whether it is called off; after a yes the answer is [`Error::Stopped`].
    pub fn unless(mut self, stop: Option<Stop>) -> Self {
        self.space.stop = stop;
        self
    }

    /// The network.
    pub fn network(&self) -> &Network {
        &self.network
    }

    /// Asks on with another table of the same shape in the place of a node's own.
    pub(crate) fn replace_table(&mut self, node: usize, cpt: Cpt) {
        let variable = self.families.variable[node] as usize;
        self.families.depth[variable] = families::depth_of(cpt.values());
        Arc::make_mut(&mut self.network).replace_table(node, cpt);
        self.plans.clear();
        self.kept_bytes = 0;
    }

    /// The joint posterior of the targets given the evidence, by variable elimination.
    ///
    /// # Errors
    /// [`Error::ImpossibleEvidence`]; [`Error::InferenceLimit`] where memory would not do; a target that is no node or
    /// listed twice; evidence made for another network.
    pub fn posterior(&mut self, targets: &[usize], evidence: &Evidence) -> Result<Posterior, Error> {
        let free = self.free(targets, evidence)?;
        let plan = self.plan(Question::Joint(free.clone()), evidence)?;
        let states: Vec<usize> = targets.iter().map(|&t| self.network().schema().cardinality(t)).collect();
        // Every free target has cells in the plan, so what is known already adds only zeros, of which there may be many.
        let cells = states.iter().fold(1u128, |n, &s| n.saturating_mul(s as u128));
        if cells > u128::from(self.limit / 8) {
            let nodes = targets.iter().map(|&t| self.network().schema().name(t).to_string()).collect();
            let bytes = cells.saturating_mul(8);
            return Err(Error::InferenceLimit { nodes, cells, bytes, limit: self.limit });
        }
        let run = plan.program.run(&self.network, &self.families, evidence, &mut self.space)?;
        let total = possible(&run)?;
        let mut found = vec![1.0];
        if !free.is_empty() {
            // The layout of a plan ends with the targets, so the table has their order; a node's own table may not.
            found = laid_out(&run.output(0), &free, &self.families.states);
            normalise(&mut found)?;
        }
        Ok(Posterior {
            probabilities: spread(&found, targets, &states, evidence),
            targets: targets.to_vec(),
            states,
            evidence: total,
        })
    }

    /// The posterior of every node, by a junction tree.
    ///
    /// # Errors
    /// As [`Infer::posterior`].
    pub fn posteriors(&mut self, evidence: &Evidence) -> Result<Posteriors, Error> {
        let all: Vec<usize> = (0..self.families.len()).collect();
        self.posteriors_of(&all, evidence)
    }

    /// The posterior of each of the targets, by a junction tree of what they and the evidence depend on.
    ///
    /// # Errors
    /// As [`Infer::posterior`].
    pub fn posteriors_of(&mut self, targets: &[usize], evidence: &Evidence) -> Result<Posteriors, Error> {
        let free = self.free(targets, evidence)?;
        let plan = self.plan(Question::Each(free), evidence)?;
        let run = plan.program.run(&self.network, &self.families, evidence, &mut self.space)?;
        let total = possible(&run)?;
        let mut probabilities = Vec::with_capacity(targets.len());
        let mut next = 0;
        for &target in targets {
            let states = self.network.schema().cardinality(target);
            if let Some(state) = evidence.finding(target).state() {
                let mut certain = vec![0.0; states];
                certain[usize::from(state)] = 1.0;
                probabilities.push(certain);
                continue;
            }
            let table = run.output(next);
            let mut values: Vec<f64> = (0..states).map(|s| table.values[s * table.strides[0]]).collect();
            normalise(&mut values)?;
            probabilities.push(values);
            next += 1;
        }
        Ok(Posteriors { targets: targets.to_vec(), probabilities, evidence: total })
    }

    /// The probability of the evidence (of a likelihood, relative to its largest number).
    ///
    /// # Errors
    /// [`Error::InferenceLimit`], and evidence made for another network. Impossible evidence has probability 0.
    pub fn evidence_probability(&mut self, evidence: &Evidence) -> Result<Tiny, Error> {
        let plan = self.plan(Question::Joint(vec![]), evidence)?;
        let (mantissa, exponent) =
            plan.program.run(&self.network, &self.families, evidence, &mut self.space)?.scalar();
        Ok(Tiny::new(mantissa, exponent))
    }

    /// The most probable states together of the targets given the evidence; everything else is summed out. Without
    /// targets, of all nodes (the most probable explanation). Of equally probable states the first is told.
    ///
    /// # Errors
    /// As [`Infer::posterior`].
    pub fn most_probable(&mut self, targets: &[usize], evidence: &Evidence) -> Result<Explanation, Error> {
        let all: Vec<usize> = (0..self.families.len()).collect();
        let targets = if targets.is_empty() { &all } else { targets };
        let free = self.free(targets, evidence)?;
        let total = self.evidence_probability(evidence)?;
        if total.mantissa == 0.0 {
            return Err(Error::ImpossibleEvidence);
        }
        let plan = self.plan(Question::Most(free), evidence)?;
        let run = plan.program.run(&self.network, &self.families, evidence, &mut self.space)?;
        let best = possible(&run)?;
        let mut codes = vec![0u8; self.families.len()];
        let mut output = plan.program.outputs();
        for &(v, tables) in plan.maximised.iter().rev() {
            output -= tables;
            codes[v as usize] = best_state(&run, output..output + tables, v, &self.families, &codes);
        }
        let state = |&t: &usize| {
            let decided = codes[self.families.variable[t] as usize];
            (t, evidence.finding(t).state().unwrap_or(decided))
        };
        Ok(Explanation {
            states: targets.iter().map(state).collect(),
            probability: best.over(total),
            evidence: total,
        })
    }

    /// The variables of the targets whose state is not known.
    fn free(&self, targets: &[usize], evidence: &Evidence) -> Result<Vec<u32>, Error> {
        evidence.check_for(self.network())?;
        let mut seen = vec![false; self.families.len()];
        let mut free = Vec::with_capacity(targets.len());
        for &t in targets {
            let twice = seen.get_mut(t).map(|seen| std::mem::replace(seen, true));
            match twice {
                None => return Err(Error::UnknownVariable(format!("#{t}"))),
                Some(true) => {
                    let variable = self.network().schema().name(t).to_string();
                    return Err(Error::Evidence { variable, reason: "it is asked for twice".into() });
                }
                Some(false) if evidence.finding(t).state().is_none() => free.push(self.families.variable[t]),
                Some(false) => {}
            }
        }
        Ok(free)
    }

    /// The plan for a question under evidence of this pattern, kept or new.
    fn plan(&mut self, question: Question, evidence: &Evidence) -> Result<Arc<Plan>, Error> {
        let key = (self.families.statuses(&self.network, evidence)?, question);
        if let Some(plan) = self.plans.get(&key) {
            return Ok(plan.clone());
        }
        let (families, status, limit) = (&self.families, &key.0, self.limit);
        let tables = |program| (program, vec![]);
        let planned = match &key.1 {
            Question::Joint(targets) => plan_joint(families, status, targets, limit).map(tables),
            Question::Each(targets) => plan_posteriors(families, status, targets, limit).map(tables),
            Question::Most(targets) => plan_maximum(families, status, targets, limit),
        };
        let planned = planned.map(|(program, maximised)| Plan { program, maximised });
        let plan = Arc::new(planned.map_err(|over| self.refuse(over))?);
        let bytes = plan.program.own_bytes() + key.0.len();
        // Of a small memory not all is for plans.
        let most = KEPT_BYTES.min(usize::try_from(self.limit).unwrap_or(usize::MAX).max(FEW_PLANS));
        if self.kept_bytes + bytes > most {
            self.plans.clear();
            self.kept_bytes = 0;
        }
        self.kept_bytes += bytes;
        self.plans.insert(key, plan.clone());
        Ok(plan)
    }

    fn refuse(&self, over: Over) -> Error {
        let nodes = over.scope.iter().map(|&v| self.families.node[v as usize]);
        let nodes = nodes.map(|node| self.network.schema().name(node).to_string()).collect();
        let cells = if over.cells == u64::MAX { u128::MAX } else { u128::from(over.cells) };
        let bytes = if over.cells == u64::MAX { u128::MAX } else { over.bytes };
        Error::InferenceLimit { nodes, cells, bytes, limit: self.limit }
    }
}

/// The probability of the evidence, if it has any.
fn possible(run: &Run<'_>) -> Result<Tiny, Error> {
    let (mantissa, exponent) = run.scalar();
    if mantissa > 0.0 { Ok(Tiny::new(mantissa, exponent)) } else { Err(Error::ImpossibleEvidence) }
}

fn normalise(values: &mut [f64]) -> Result<(), Error> {
    let sum: f64 = values.iter().sum();
    if sum > 0.0 {
        values.iter_mut().for_each(|value| *value /= sum);
        return Ok(());
    }
    Err(Error::ImpossibleEvidence)
}

/// A table in the order of these variables, the last fastest.
fn laid_out(table: &TableView<'_>, order: &[u32], states: &[u32]) -> Vec<f64> {
    let dimensions: Vec<(usize, usize)> = order
        .iter()
        .map(|v| {
            let stride = table.scope.iter().position(|u| u == v).map_or(0, |i| table.strides[i]);
            (states[*v as usize] as usize, stride)
        })
        .collect();
    let mut out = vec![0usize];
    for (n, stride) in dimensions {
        out = out.iter().flat_map(|&at| (0..n).map(move |k| at + k * stride)).collect();
    }
    out.into_iter().map(|at| table.values[at]).collect()
}

/// Puts zeros where a target's state is known to be another.
fn spread(found: &[f64], targets: &[usize], states: &[usize], evidence: &Evidence) -> Vec<f64> {
    if targets.iter().all(|&t| evidence.finding(t).state().is_none()) {
        return found.to_vec();
    }
    // Places of the free combinations among all, built like the digits of a number.
    let mut places = vec![0usize];
    for (&t, &n) in targets.iter().zip(states) {
        let digits = match evidence.finding(t).state() {
            Some(state) => usize::from(state)..usize::from(state) + 1,
            None => 0..n,
        };
        places = places.iter().flat_map(|&at| digits.clone().map(move |k| at * n + k)).collect();
    }
    let mut out = vec![0.0; states.iter().product()];
    places.into_iter().zip(found).for_each(|(at, &p)| out[at] = p);
    out
}

/// The first state with the largest product of tables, where all their other variables are decided.
fn best_state(
    run: &Run<'_>,
    outputs: std::ops::Range<usize>,
    variable: u32,
    families: &Families,
    codes: &[u8],
) -> u8 {
    let tables: Vec<(usize, usize, &[f64])> = outputs
        .map(|k| {
            let table = run.output(k);
            let (mut base, mut step) = (0, 0);
            for (&v, &stride) in table.scope.iter().zip(table.strides) {
                if v == variable {
                    step = stride;
                } else {
                    base += usize::from(codes[v as usize]) * stride;
                }
            }
            (base, step, table.values)
        })
        .collect();
    let mut best = (0, f64::NEG_INFINITY);
    for state in 0..families.states[variable as usize] as usize {
        let value: f64 = tables.iter().map(|&(base, step, values)| values[base + state * step]).product();
        if value > best.1 {
            best = (state, value);
        }
    }
    best.0 as u8
}

#[cfg(test)]
mod tests;
