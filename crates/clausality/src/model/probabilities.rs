//! The probabilities of a graph from a table, and where they come from, as documents and people say it.

use crate::Error;
use crate::assemble::Watched;
use crate::data::{Bounds, Notice};
use crate::watch::{Event, Stage, Watch};
use crate::words::counted;
use clausality_bn::counts::{Count, Counter};
use clausality_bn::{Backing, Dag, Network, Prior, Schema, Table};
use serde::{Deserialize, Serialize};

/// A graph with probabilities.
pub(crate) struct Estimated {
    pub(crate) network: Network,
    pub(crate) probabilities: Probabilities,
    /// What deserves attention.
    pub(crate) notice: Option<Notice>,
}

/// The probabilities that the rows suggest, by weight if rows have any: counted, or by EM where cells are missing. Where gaps hang
/// together so widely that EM would not fit in memory, they are counted on the rows that have each family.
pub(crate) fn estimate(
    dag: &Dag,
    table: &Table,
    weights: Option<&[f64]>,
    prior: Prior,
    bounds: &Bounds,
    watch: &dyn Watch,
) -> Result<Estimated, Error> {
    let limit = bounds.table_bytes();
    let mut notice = None;
    if table.has_missing() {
        let round = || {
            watch.event(Event::Step { stage: Stage::Expect });
            watch.cancelled()
        };
        match Network::estimate_by_em(dag, table, weights, prior, limit, &round) {
            _ if watch.cancelled() => return Err(Error::Cancelled),
            Ok(em) => {
                let probabilities = Probabilities::new(&em.network, prior, em.backing);
                let probabilities =
                    Probabilities { em_rounds: Some(em.rounds), em_cut_short: em.cut_short, ..probabilities };
                return Ok(Estimated { network: em.network, probabilities, notice });
            }
            Err(clausality_bn::Error::InferenceLimit { .. }) => {
                let message = "gaps hang together too widely for EM: probabilities are counted on the rows that have each family";
                notice = Some(Notice::about_rows(message.into()));
            }
            Err(other) => return Err(other.into()),
        }
    }
    let (network, backing) = match weights {
        Some(weights) => Network::estimate_weighted(dag, table, weights, prior, limit)?,
        None => {
            let mut count = Watched::new(Counter::new(table)?, watch);
            let found = Network::estimate_from(dag, table.schema(), &mut count, prior, limit);
            count.whole()?;
            found?
        }
    };
    let probabilities = Probabilities::new(&network, prior, backing);
    Ok(Estimated { network, probabilities, notice })
}

/// The probabilities that rows without gaps suggest, wherever they lie.
pub(crate) fn estimate_from(
    dag: &Dag,
    schema: &Schema,
    count: &mut dyn Count,
    prior: Prior,
    bounds: &Bounds,
) -> Result<Estimated, Error> {
    let (network, backing) = Network::estimate_from(dag, schema, count, prior, bounds.table_bytes())?;
    let probabilities = Probabilities::new(&network, prior, backing);
    Ok(Estimated { network, probabilities, notice: None })
}

/// What was believed before the rows were counted, and what it weighs by node where the rows chose that.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Probabilities {
    /// What was believed.
    pub prior: Prior,
    /// What the probabilities of each node lean on, in the order of the nodes; nothing under priors that look at no counts.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub backing: Vec<NodeBacking>,
    /// How often EM took expectations of what is missing; nothing where all rows were simply counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub em_rounds: Option<usize>,
    /// Whether it was ended before the likelihood stood still.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub em_cut_short: bool,
}

/// What the probabilities of a node lean on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct NodeBacking {
    /// The node.
    pub node: String,
    /// Its parents, from the one that is kept longest to the one that is left out first.
    pub parents: Vec<String>,
    /// How many rows weigh the probabilities without the parent, for each in that order.
    pub weights: Vec<f64>,
    /// How many rows weigh equal shares beside the node's own frequencies.
    pub equal: f64,
}

impl Probabilities {
    /// Those of a network that was estimated under a prior.
    pub fn new(network: &Network, prior: Prior, found: Vec<Backing>) -> Self {
        let name = |v: usize| network.schema().name(v).to_string();
        let of = |(node, Backing { parents, weights, equal }): (usize, Backing)| NodeBacking {
            node: name(node),
            parents: parents.iter().map(|&place| name(network.cpt(node).parents()[place])).collect(),
            weights,
            equal,
        };
        let backing = found.into_iter().enumerate().map(of).collect();
        Probabilities { prior, backing, em_rounds: None, em_cut_short: false }
    }

    /// In a line.
    pub fn sentence(&self) -> String {
        match self.em_rounds {
            Some(rounds) => {
                let short = if self.em_cut_short { ", the likelihood still rising" } else { "" };
                format!("{}; gaps by EM, {}{short}", self.believed(), counted(rounds, "round"))
            }
            None => self.believed(),
        }
    }

    fn believed(&self) -> String {
        match self.prior {
            Prior::Backoff { weight: None } => {
                let weights = || self.backing.iter().flat_map(|node| node.weights.iter().copied());
                let chosen = "backoff prior, weights chosen by leave-one-out";
                match (weights().reduce(f64::min), weights().reduce(f64::max)) {
                    (Some(least), Some(most)) if least < most => {
                        format!("{chosen}, {least} to {most} by node")
                    }
                    (Some(all), _) => format!("{chosen}, {all} everywhere"),
                    _ => "backoff prior; no node has a parent to leave out".into(),
                }
            }
            Prior::Backoff { weight: Some(weight) } => format!("backoff prior, weight {weight}"),
            Prior::Laplace { alpha } => format!("laplace prior, {alpha} for every cell"),
            Prior::Bdeu { ess } => format!("bdeu prior, equivalent sample size {ess}"),
            Prior::Mle => "no prior: relative frequencies (mle)".into(),
        }
    }
}
