//! What a network or graph is, in numbers: what `check` prints.

use super::Loaded;
use clausality_bn::io::Structure;
use clausality_bn::{Dag, Network};
use serde::Serialize;

/// The JSON document; what a graph without probabilities does not have is null.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Summary {
    /// Where it was read, as the user named it.
    pub model: String,
    /// Its own name.
    pub name: String,
    /// How many nodes it has.
    pub nodes: usize,
    /// How many arcs.
    pub arcs: usize,
    /// Nodes without parents.
    pub roots: usize,
    /// Nodes without children.
    pub leaves: usize,
    /// Nodes without either.
    pub isolated: usize,
    /// The most parents of a node.
    pub most_parents: usize,
    /// Free probabilities.
    pub parameters: Option<usize>,
    /// All probabilities.
    pub cells: Option<usize>,
    /// Those that are zero.
    pub zeros: Option<usize>,
    /// The most states of a node.
    pub most_states: Option<usize>,
    /// The largest probability table.
    pub largest: Option<Largest>,
    version: &'static str,
}

/// The largest probability table.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Largest {
    /// Its node.
    pub node: String,
    /// The node's parents.
    pub parents: Vec<String>,
    /// Its probabilities.
    pub cells: usize,
}

impl Summary {
    /// What this is.
    pub fn of(loaded: &Loaded) -> Self {
        let structure = loaded.structure();
        let dag = structure.dag();
        let network = match loaded {
            Loaded::Model(model) => Some(&*model.network),
            // Its tables of now; what came before stands there without any of its own.
            Loaded::Dynamic(model) => Some(model.network.window()),
            Loaded::Graph { .. } => None,
        };
        let count = |has: &dyn Fn(usize) -> bool| (0..dag.len()).filter(|&v| has(v)).count();
        let zeros =
            |n: &Network| n.cpts().iter().map(|c| c.values().iter().filter(|&&p| p == 0.0).count()).sum();
        Summary {
            model: loaded.source().to_string(),
            name: loaded.name().to_string(),
            nodes: dag.len(),
            arcs: dag.arc_count(),
            roots: count(&|v| dag.parents(v).is_empty()),
            leaves: count(&|v| dag.children(v).is_empty()),
            isolated: structure.isolated().count(),
            most_parents: most_parents(dag).map_or(0, |v| dag.parents(v).len()),
            parameters: network.map(Network::free_parameters),
            cells: network.map(Network::cells),
            zeros: network.map(zeros),
            most_states: network.and_then(|n| n.schema().variables().iter().map(|v| v.cardinality()).max()),
            largest: network.and_then(|n| Largest::of(n, &structure)),
            version: env!("CARGO_PKG_VERSION"),
        }
    }
}

/// The first node with the most parents.
fn most_parents(dag: &Dag) -> Option<usize> {
    (0..dag.len()).rev().max_by_key(|&v| dag.parents(v).len())
}

impl Largest {
    fn of(network: &Network, structure: &Structure) -> Option<Self> {
        let node = (0..network.len()).rev().max_by_key(|&v| network.cpt(v).values().len())?;
        let name = |v: &usize| structure.names()[*v].clone();
        Some(Largest {
            node: name(&node),
            parents: network.parents(node).iter().map(name).collect(),
            cells: network.cpt(node).values().len(),
        })
    }
}
