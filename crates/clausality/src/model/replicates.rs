//! The graphs that were learned again, as a note that a network keeps: by names, so that it can be read alone.

use super::{Model, ModelError};
use crate::Error;
use crate::assemble::MOST_REPETITIONS;
use clausality_bn::effects::{Effects, Replicates, Spread};
use clausality_bn::infer::{Evidence, Stop};
use clausality_bn::insight::{Action, Decision, Respread, Worth};
use clausality_bn::{Family, Prior, Schema};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The note in [`Model::extra`] that holds the graphs that were learned from rows drawn anew, with the counts of their families.
pub const REPLICATES: &str = "replicates";

/// [`Replicates`] as they are kept.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Note {
    prior: Prior,
    seed: u64,
    nodes: Vec<NodeNote>,
    graphs: Vec<Vec<usize>>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    forced: Vec<(String, String)>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct NodeNote {
    node: String,
    families: Vec<FamilyNote>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct FamilyNote {
    parents: Vec<String>,
    /// Whole numbers are written as such: a third of the bytes.
    counts: Vec<serde_json::Number>,
}

/// The note of what was learned again.
pub(crate) fn note(found: &Replicates, schema: &Schema) -> Option<Value> {
    let name = |v: usize| schema.name(v).to_string();
    let number = |&n: &f64| match n.fract() == 0.0 {
        true => Some((n as u64).into()),
        false => serde_json::Number::from_f64(n),
    };
    let family = |family: &Family| {
        let parents = family.members[..family.members.len() - 1].iter().map(|&p| name(p)).collect();
        Some(FamilyNote { parents, counts: family.counts.iter().map(number).collect::<Option<_>>()? })
    };
    let node = |(v, families): (usize, &Vec<Family>)| {
        Some(NodeNote { node: name(v), families: families.iter().map(family).collect::<Option<_>>()? })
    };
    let note = Note {
        prior: found.prior,
        seed: found.seed,
        nodes: found.families.iter().enumerate().map(node).collect::<Option<_>>()?,
        graphs: found.graphs.clone(),
        forced: found.forced.iter().map(|&(p, c)| (name(p), name(c))).collect(),
    };
    serde_json::to_value(note).ok()
}

impl Model {
    /// What was learned again from rows drawn anew, if its maker kept that (`learn --bootstrap N`).
    ///
    /// # Errors
    /// [`ModelError::Coding`] for a note that is damaged or speaks of other nodes.
    pub fn replicates(&self) -> Result<Option<Replicates>, Error> {
        let Some(kept) = self.extra.get(REPLICATES) else { return Ok(None) };
        let wrong = |reason: String| ModelError::Coding { file: self.source.clone(), reason };
        let note = Note::deserialize(kept).map_err(|error| wrong(error.to_string()))?;
        let found = note.of(self.network.schema());
        found.map(Some).ok_or_else(|| wrong("its repetitions are those of another network".into()).into())
    }

    /// Whether its maker kept what was learned again.
    pub fn has_replicates(&self) -> bool {
        self.extra.contains_key(REPLICATES)
    }

    /// The band of an effect over what was learned again, beside the network's own; nothing where nothing was kept.
    ///
    /// # Errors
    /// As [`Model::replicates`]; as [`Replicates::effects`].
    pub fn spread(
        &self,
        targets: &[usize],
        evidence: &Evidence,
        own: &Effects,
        memory: u64,
        stop: Option<&Stop>,
    ) -> Result<Option<Spread>, Error> {
        let Some(again) = self.replicates()? else { return Ok(None) };
        Ok(again.effects(self.network.schema(), targets, evidence, own, memory, stop)?)
    }

    /// The same of what actions are worth.
    ///
    /// # Errors
    /// As [`Model::replicates`]; as [`Replicates::decide`].
    pub(super) fn respread(
        &self,
        evidence: &Evidence,
        worths: &[Worth],
        actions: &[Action],
        own: &Decision,
        memory: u64,
        stop: Option<&Stop>,
    ) -> Result<Option<Respread>, Error> {
        let Some(again) = self.replicates()? else { return Ok(None) };
        Ok(again.decide(self.network.schema(), evidence, worths, actions, own, memory, stop)?)
    }
}

impl Note {
    /// Under a schema; nothing where it does not fit.
    fn of(self, schema: &Schema) -> Option<Replicates> {
        let mut families: Vec<Vec<Family>> = vec![vec![]; schema.len()];
        for NodeNote { node, families: kept } in self.nodes {
            let node = schema.index(&node)?;
            let family = |FamilyNote { parents, counts }: FamilyNote| {
                let parents = parents.iter().map(|parent| schema.index(parent));
                let members: Vec<usize> = parents.chain([Some(node)]).collect::<Option<_>>()?;
                let cells = members.iter().try_fold(1usize, |n, &v| n.checked_mul(schema.cardinality(v)))?;
                let counts: Vec<f64> = counts.iter().map(|n| n.as_f64()).collect::<Option<_>>()?;
                let sound = counts.len() == cells && counts.iter().all(|&n| n >= 0.0 && n.is_finite());
                sound.then_some(Family { members, counts })
            };
            families[node] = kept.into_iter().map(family).collect::<Option<_>>()?;
        }
        let fits = |graph: &Vec<usize>| {
            graph.len() == schema.len() && graph.iter().zip(&families).all(|(&k, of)| k < of.len())
        };
        let some = (1..=MOST_REPETITIONS).contains(&self.graphs.len());
        let sound = some && self.graphs.iter().all(fits) && self.prior.check().is_ok();
        let arc = |(p, c): &(String, String)| Some((schema.index(p)?, schema.index(c)?));
        let forced = self.forced.iter().map(arc).collect::<Option<_>>()?;
        sound.then_some(Replicates {
            families,
            graphs: self.graphs,
            forced,
            prior: self.prior,
            seed: self.seed,
        })
    }
}
