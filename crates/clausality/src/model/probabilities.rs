//! Where the probabilities of a network come from, as documents and people say it.

use clausality_bn::{Backing, Network, Prior};
use serde::{Deserialize, Serialize};

/// What was believed before the rows were counted, and what it weighs by node where the rows chose that.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Probabilities {
    /// What was believed.
    pub prior: Prior,
    /// What the probabilities of each node lean on, in the order of the nodes; nothing under priors that look at no counts.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub backing: Vec<NodeBacking>,
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
        Probabilities { prior, backing: found.into_iter().enumerate().map(of).collect() }
    }

    /// In a line.
    pub fn sentence(&self) -> String {
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
