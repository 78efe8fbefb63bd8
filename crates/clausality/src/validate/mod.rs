//! The paper's validation again: sample a known network, learn it back, compare.
//!
//! ```text
//! for every network, and every sample s = 1 … repeats:     table = `rows` rows of the network, seed + s − 1
//!   for every model I … V, and the models together:        S = eq. (1) over `rounds` rounds, and S₀ of the permuted target
//!     for {S, S − S₀} × {true roots as parameters, no roles}:   Algorithms 2 and 3 → graph → comparison with the truth
//!   mutual information as S, the same assembly;  the hybrid profile
//! ```
//!
//! Implements: the paper's §V, table "Four networks and average similarity score across five models" (K of
//! [`clausality_bn::compare`] stands for its unspecified kernel), and the Insurance table of top features.
//! **Our reading**: "generate 10 networks from each model" is ten samples with one graph each. Roots given as parameters leak part of
//! the truth, so every figure comes without them too. The models together get as many machines as one of them alone.
//!
//! A [`Unit`] (network, method, sample) is the smallest piece that is kept. It depends on nothing but its key, so a run that was
//! interrupted goes on where it stopped, and neither threads nor the order of units leave a trace.

pub mod published;
mod relation;
mod summary;
mod unit;

pub use relation::Relation;
pub use summary::{
    Entry, Figures, HitRate, Hits, Line, NetworkTable, PublishedTable, Spread, TopFeatures, Validation,
};

use crate::data::{Bounds, Dataset};
use crate::embedded;
use crate::encode::Encoding;
use crate::memory::guarded;
use crate::model::ModelError;
use crate::settings::{Profile, Settings};
use crate::strengths::MODEL_NAMES;
use crate::watch::{Event, Stage, Watch};
use crate::{Error, bn};
use clausality_bn::Network;
use clausality_bn::compare::Comparison;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;

/// How to validate.
///
/// | name | default | purpose | range |
/// |---|---|---|---|
/// | `networks` | the paper's four | embedded networks to learn back | |
/// | `models` | all five | machines of the paper | `I` … `V` |
/// | `repeats` | 10 | samples of each network | 1 … 1,000 |
/// | `rows` | 5000 | rows of a sample | 20 … 1,000,000 |
/// | `rounds` | 20 | fresh machines for every target and model | 1 … 10,000 |
/// | `null-rounds` | half of `rounds` | fresh machines for every permuted target and model | 1 … 10,000 |
/// | `epochs` | 2 | passes over the rows of a round (the paper does not say; 5 give the same figures) | 1 … 10,000 |
/// | `seed` | 1 | seed of the first sample; the others follow | any |
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct ValidateParams {
    /// Embedded networks to learn back.
    pub networks: Vec<String>,
    /// Machines of the paper, by their Roman numbers.
    pub models: Vec<String>,
    /// Samples of each network.
    pub repeats: usize,
    /// Rows of a sample.
    pub rows: usize,
    /// Fresh machines for every target and model.
    pub rounds: usize,
    /// Fresh machines for every permuted target and model; `None`: half of `rounds`.
    pub null_rounds: Option<usize>,
    /// Passes over the rows of a round.
    pub epochs: usize,
    /// Seed of the first sample.
    pub seed: u64,
}

impl Default for ValidateParams {
    fn default() -> Self {
        ValidateParams {
            networks: published::networks().map(String::from).to_vec(),
            models: MODEL_NAMES.map(String::from).to_vec(),
            repeats: 10,
            rows: 5000,
            rounds: 20,
            null_rounds: None,
            epochs: 2,
            seed: 1,
        }
    }
}

/// What a network of more literals than a machine is shown at once is reduced to: the most that diabetes gets.
const LARGE: Protocol =
    Protocol { repeats: 1, rows: 5000, rounds: 2, null_rounds: 1, epochs: 1, clauses: Some(100) };

/// What is done for one network.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Protocol {
    /// Samples.
    pub repeats: usize,
    /// Rows of a sample.
    pub rows: usize,
    /// Fresh machines for every target and model.
    pub rounds: usize,
    /// The same for the permuted target.
    pub null_rounds: usize,
    /// Passes over the rows of a round.
    pub epochs: usize,
    /// Clauses of every machine, where they are not the model's own.
    pub clauses: Option<usize>,
}

/// Who makes the graph.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum Method {
    /// One machine of the paper, by its Roman number.
    Model(String),
    /// Several machines of the paper voting together.
    Together(Vec<String>),
    /// Mutual information in place of strengths.
    MutualInformation,
    /// The hybrid profile.
    Hybrid,
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Method::Model(name) => f.write_str(name),
            Method::Together(names) => f.write_str(&names.join("+")),
            Method::MutualInformation => f.write_str("mutual-information"),
            Method::Hybrid => f.write_str("hybrid"),
        }
    }
}

impl From<Method> for String {
    fn from(method: Method) -> String {
        method.to_string()
    }
}

impl TryFrom<String> for Method {
    type Error = String;
    fn try_from(text: String) -> Result<Self, String> {
        let models: Vec<String> = text.split('+').map(String::from).collect();
        let known = models.iter().all(|name| MODEL_NAMES.contains(&name.as_str()));
        match text.as_str() {
            "mutual-information" => Ok(Method::MutualInformation),
            "hybrid" => Ok(Method::Hybrid),
            _ if known && models.len() == 1 => Ok(Method::Model(text)),
            _ if known => Ok(Method::Together(models)),
            _ => Err(format!("there is no method '{text}'")),
        }
    }
}

/// Whether the true roots are given as parameters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Roles {
    /// The true roots are parameters: part of the truth is given away.
    Roots,
    /// Every column is observed.
    None,
}

/// The key of a piece of work: everything that its outcome depends on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Unit {
    /// The version of the software.
    pub version: String,
    /// The network.
    pub network: String,
    /// Who makes the graph.
    pub method: Method,
    /// Seed of the sample and of the machines.
    pub seed: u64,
    /// How much is done; `repeats` is left at 1, for it says nothing about one sample.
    pub protocol: Protocol,
}

/// What came of a unit.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Record {
    /// Its key.
    pub unit: Unit,
    /// One graph for every combination of roles and correction.
    pub outcomes: Vec<Outcome>,
    /// The first features of every target, where the paper publishes some: plain, then corrected if there is a correction.
    pub lists: Vec<Vec<(String, Vec<String>)>>,
}

/// One graph against the truth.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Outcome {
    /// Whether the true roots were given.
    pub roles: Roles,
    /// Whether the strengths under the permuted target were subtracted.
    pub corrected: bool,
    /// Every figure.
    pub comparison: Comparison,
}

impl ValidateParams {
    /// Checks every name and range.
    pub fn check(&self) -> Result<(), Error> {
        let wrong = |name, value: String, expected| Err(Error::Setting { name, value, expected });
        for (i, name) in self.networks.iter().enumerate() {
            network(name)?;
            if self.networks[..i].contains(name) {
                return wrong("networks", format!("{name} twice"), "a list without repetition");
            }
        }
        if self.networks.is_empty() {
            return wrong("networks", "empty".into(), "a list of embedded networks");
        }
        if self.models.is_empty() {
            return wrong("models", "empty".into(), "among I, II, III, IV, V");
        }
        if !(1..=1000).contains(&self.repeats) {
            return wrong("repeats", self.repeats.to_string(), "between 1 and 1000");
        }
        if !(20..=1_000_000).contains(&self.rows) {
            return wrong("rows", self.rows.to_string(), "between 20 and 1000000");
        }
        if self.seed.checked_add(self.repeats as u64).is_none() {
            return wrong("seed", self.seed.to_string(), "smaller, for every sample has the next one");
        }
        unit::machines(&self.models, self.rounds, self.null_rounds(), self.epochs, None).check()
    }

    fn null_rounds(&self) -> usize {
        self.null_rounds.unwrap_or(self.rounds.div_ceil(2))
    }

    /// What was asked for.
    pub fn full(&self) -> Protocol {
        let ValidateParams { repeats, rows, rounds, epochs, .. } = *self;
        Protocol { repeats, rows, rounds, null_rounds: self.null_rounds(), epochs, clauses: None }
    }

    /// What is done for a network: what was asked for, or less if it is too large for that.
    pub fn protocol(&self, truth: &Network) -> Protocol {
        let full = self.full();
        if literals(truth) <= Settings::of(Profile::Paper).strengths.literal_limit {
            return full;
        }
        Protocol {
            repeats: full.repeats.min(LARGE.repeats),
            rows: full.rows.min(LARGE.rows),
            rounds: full.rounds.min(LARGE.rounds),
            null_rounds: full.null_rounds.min(LARGE.null_rounds),
            epochs: full.epochs.min(LARGE.epochs),
            clauses: LARGE.clauses,
        }
    }

    fn methods(&self) -> Vec<Method> {
        let mut methods: Vec<Method> = self.models.iter().cloned().map(Method::Model).collect();
        if self.models.len() > 1 {
            methods.push(Method::Together(self.models.clone()));
        }
        methods.extend([Method::MutualInformation, Method::Hybrid]);
        methods
    }

    /// The pieces of work, in the order in which they are done.
    pub fn units(&self) -> Result<Vec<Unit>, Error> {
        self.check()?;
        let mut units = Vec::new();
        for name in &self.networks {
            let protocol = self.protocol(&network(name)?);
            for repeat in 0..protocol.repeats {
                units.extend(self.methods().into_iter().map(|method| Unit {
                    version: env!("CARGO_PKG_VERSION").to_string(),
                    network: name.clone(),
                    method,
                    seed: self.seed + repeat as u64,
                    protocol: Protocol { repeats: 1, ..protocol },
                }));
            }
        }
        Ok(units)
    }
}

fn network(name: &str) -> Result<Network, Error> {
    embedded::network(name).map_err(|error| Error::from(ModelError::from(error)))
}

/// The nodes without parents, by name.
fn roots(truth: &Network) -> Vec<String> {
    let (schema, dag) = (truth.schema(), truth.dag());
    let roots = (0..schema.len()).filter(|&v| dag.parents(v).is_empty());
    roots.map(|v| schema.name(v).to_string()).collect()
}

/// The literals of a network's columns, negations not counted.
fn literals(truth: &Network) -> usize {
    Encoding::new(truth.schema(), Settings::of(Profile::Paper).strengths.encoding).len() / 2
}

/// Validates. Units among `done` are not done again; each new record is handed to `keep` before the next unit begins.
pub fn validate<E: From<Error>>(
    params: &ValidateParams,
    done: Vec<Record>,
    keep: &mut dyn FnMut(&Record) -> Result<(), E>,
    bounds: &Bounds,
    watch: &dyn Watch,
) -> Result<Validation, E> {
    let units = params.units()?;
    let mut ready: BTreeMap<usize, Record> = BTreeMap::new();
    for record in done {
        if let Some(place) = units.iter().position(|unit| *unit == record.unit) {
            ready.insert(place, record);
        }
    }
    let left = units.len() - ready.len();
    watch.event(Event::Begin { stage: Stage::Validate, steps: left as u64 });
    let mut truth: Option<Network> = None;
    let mut sample: Option<(u64, bn::Table)> = None;
    for (place, unit) in units.iter().enumerate() {
        if ready.contains_key(&place) {
            continue;
        }
        if truth.as_ref().is_none_or(|truth| truth.name() != unit.network) {
            truth = Some(network(&unit.network)?);
            sample = None;
        }
        let Some(truth) = &truth else { continue };
        if sample.as_ref().is_none_or(|(seed, _)| *seed != unit.seed) {
            let drawn = Dataset::drawn_from(truth, unit.protocol.rows, unit.seed, bounds)?;
            sample = Some((unit.seed, drawn.table));
        }
        let Some((_, table)) = &sample else { continue };
        let record = guarded("validating", bounds.room, watch, |watch| {
            unit::run(unit, truth, table, bounds.room, watch)
        })?;
        keep(&record)?;
        ready.insert(place, record);
        watch.event(Event::Step { stage: Stage::Validate });
    }
    watch.event(Event::End { stage: Stage::Validate });
    Ok(summary::summarise(params, ready.into_values().collect())?)
}

#[cfg(test)]
mod tests;
