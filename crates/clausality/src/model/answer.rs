//! What a network answers: distributions, states together, the document that `query --json` prints.

use clausality_bn::effects::{Effects, Spread};
use clausality_bn::infer::Tiny;
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use std::ops::Index;

/// The probability of every state of a node, in the order of its states.
///
/// ```
/// # use clausality::{bn::io::Limits, model::Model};
/// let asia = Model::read("@asia".as_ref(), &Limits::default())?;
/// let lung = asia.posterior("lung", &[("smoke", "yes"), ("xray", "yes")])?;
/// assert!((lung["yes"] - 0.6459).abs() < 1e-3 && lung.likeliest() == "yes");
/// # Ok::<(), clausality::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Distribution(pub(super) Vec<(String, f64)>);

/// An answer: that about a single target, about several, or the most probable states.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Answer<'m> {
    pub(super) model: &'m str,
    pub(super) target: Named<'m>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) posterior: Option<Distributions<'m>>,
    /// Where something is done: the least that each can be in an equally good graph.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) low: Option<Distributions<'m>>,
    /// And the most.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) high: Option<Distributions<'m>>,
    /// The arcs that this rests on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) open: Option<Vec<OpenArc<'m>>>,
    /// How many ways the class has to direct the arcs at what is done, and whether all were looked at.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) members: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) all_members: Option<bool>,
    /// The same over graphs learned from rows drawn anew, where they were kept.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) replicates: Option<OverReplicates<'m>>,
    /// What to beware of, in a sentence: where something is done, and where a value says more than which it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub caution: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) standard_error: Option<Distributions<'m>>,
    /// The probabilities of all combinations of the targets' states, the last target's varying fastest, if asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub joint: Option<Vec<Combination<'m>>>,
    /// The most probable states together, if asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub most_probable: Option<Pairs<'m, &'m str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) probability: Option<f64>,
    pub(super) evidence: Pairs<'m, &'m str>,
    #[serde(rename = "do")]
    pub(super) set: Pairs<'m, &'m str>,
    pub(super) likelihood: Pairs<'m, Pairs<'m, f64>>,
    pub(super) evidence_probability: f64,
    pub(super) evidence_log_probability: f64,
    /// The series whose rows are known; the probability of the evidence is then that given these rows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub series: Option<Now>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) samples: Option<usize>,
    /// Of an estimate: how many unweighted samples it is worth.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub effective_samples: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) seed: Option<u64>,
    pub(super) version: &'static str,
    /// The distribution of every target.
    #[serde(skip)]
    pub probabilities: Vec<Vec<f64>>,
    /// Where something is done: the band of every target's distribution.
    #[serde(skip)]
    pub band: Option<Effects>,
    /// And over graphs learned from rows drawn anew.
    #[serde(skip)]
    pub spread: Option<Spread>,
    /// Of an estimate: the standard error of every number.
    #[serde(skip)]
    pub errors: Vec<Vec<f64>>,
    /// The probability of the evidence; of a series given its rows.
    #[serde(skip)]
    pub seen: Tiny,
    /// The probability of the most probable states.
    #[serde(skip)]
    pub together: Option<Tiny>,
    /// The nodes of [`Answer::most_probable`].
    #[serde(skip)]
    pub nodes: Vec<usize>,
}

/// The series that a question is about.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Now {
    /// The table.
    pub table: String,
    /// Whose: nothing where all rows are of one series.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub entity: String,
    /// The stamp of its last row.
    pub now: String,
    /// How many steps it has.
    pub steps: usize,
    /// The logarithm of the probability of its rows.
    pub log_probability: f64,
}

/// What the rows leave open beside the directions.
#[derive(Debug, Clone, Serialize)]
pub(super) struct OverReplicates<'m> {
    pub(super) low: Distributions<'m>,
    pub(super) high: Distributions<'m>,
    /// How often the learning was repeated, and how many tables of probabilities were drawn for these graphs.
    pub(super) rounds: usize,
    pub(super) draws: usize,
}

/// An arc as drawn whose direction nothing tells.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct OpenArc<'m> {
    /// Where it starts.
    pub parent: &'m str,
    /// Where it ends.
    pub child: &'m str,
}

/// One name, or several.
#[derive(Debug, Clone, Serialize)]
#[serde(untagged)]
pub(super) enum Named<'m> {
    One(&'m str),
    Several(Vec<&'m str>),
}

impl Default for Named<'_> {
    fn default() -> Self {
        Named::Several(vec![])
    }
}

/// The distribution of the one target, or those of several by name.
#[derive(Debug, Clone, Serialize)]
#[serde(untagged)]
pub(super) enum Distributions<'m> {
    One(Pairs<'m, f64>),
    Several(Pairs<'m, Pairs<'m, f64>>),
}

/// States of the targets together.
#[derive(Debug, Clone, Serialize)]
pub struct Combination<'m> {
    /// The state of every target.
    pub states: Pairs<'m, &'m str>,
    /// Their probability.
    pub probability: f64,
}

/// Pairs of a name and something: a JSON object whose keys keep their order.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Pairs<'m, V>(pub Vec<(&'m str, V)>);

impl<V: Serialize> Serialize for Pairs<'_, V> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (key, value) in &self.0 {
            map.serialize_entry(key, value)?;
        }
        map.end()
    }
}

impl Distribution {
    /// The states with their probabilities.
    pub fn iter(&self) -> impl Iterator<Item = (&str, f64)> {
        self.0.iter().map(|(state, p)| (state.as_str(), *p))
    }

    /// The probability of a state; none if there is no such state.
    pub fn get(&self, state: &str) -> Option<f64> {
        self.iter().find(|(label, _)| *label == state).map(|(_, p)| p)
    }

    /// The most probable state; of equals the first.
    pub fn likeliest(&self) -> &str {
        let best = self.0.iter().rev().max_by(|a, b| a.1.total_cmp(&b.1));
        best.map_or("", |(state, _)| state.as_str())
    }
}

impl Index<&str> for Distribution {
    type Output = f64;

    /// # Panics
    /// If there is no such state: [`Distribution::get`] does not.
    fn index(&self, state: &str) -> &f64 {
        match self.0.iter().find(|(label, _)| label == state) {
            Some((_, p)) => p,
            None => panic!("there is no state '{state}'"),
        }
    }
}
