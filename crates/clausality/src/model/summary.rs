//! What a network or graph is, in numbers: what `check` prints.

use super::{DynamicModel, Loaded};
use clausality_bn::dynamic::Place;
use clausality_bn::io::Structure;
use clausality_bn::{Cpt, Dag, Network};
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
    /// Of a network over time: what its steps have; nodes are then variables, whatever their step, and arcs those into a step.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time: Option<Steps>,
    version: &'static str,
}

/// What the steps of a network over time have.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Steps {
    /// Variables with a value at every step.
    pub processes: usize,
    /// Variables with one value for a whole series.
    pub statics: usize,
    /// How many steps back a table may look.
    pub lags: usize,
    /// Arcs from so many steps ago, from 0: the same step.
    pub arcs_by_lag: Vec<usize>,
    /// Arcs from what holds for a whole series.
    pub arcs_from_statics: usize,
    /// Arcs among the statics and the first steps.
    pub arcs_of_start: usize,
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
            Loaded::Dynamic(model) => return Summary::over_time(model, &structure),
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
            time: None,
            version: env!("CARGO_PKG_VERSION"),
        }
    }

    /// Of the start and of the tables of now; what came before stands in the window without any of its own.
    fn over_time(model: &DynamicModel, structure: &Structure) -> Self {
        let network = &*model.network;
        let (statics, processes) = (network.statics().len(), network.processes().len());
        let (window, start) = (network.window(), network.start());
        let variable = |node: usize| match network.window_place(node) {
            Place::Static(v) => v,
            Place::Process(p, _) => statics + p,
        };
        let (mut into, mut onto) = (vec![0; statics + processes], vec![0; statics + processes]);
        let mut steps = Steps {
            processes,
            statics,
            lags: network.order(),
            arcs_by_lag: vec![0; network.order() + 1],
            arcs_from_statics: 0,
            arcs_of_start: start.dag().arc_count(),
        };
        for (parent, child) in window.dag().arcs() {
            match network.window_place(parent) {
                Place::Static(_) => steps.arcs_from_statics += 1,
                Place::Process(_, lag) => steps.arcs_by_lag[lag] += 1,
            }
            into[variable(child)] += 1;
            onto[variable(parent)] += usize::from(variable(parent) != variable(child));
        }
        let count = |has: &dyn Fn(usize) -> bool| (0..statics + processes).filter(|&v| has(v)).count();
        let tables: Vec<&Cpt> =
            start.cpts().iter().chain((0..processes).map(|process| network.transition(process))).collect();
        let states = network.statics().variables().iter().chain(network.processes().variables());
        Summary {
            model: model.source.clone(),
            name: network.name().to_string(),
            nodes: statics + processes,
            arcs: window.dag().arc_count(),
            roots: count(&|v| into[v] == 0),
            leaves: count(&|v| onto[v] == 0),
            isolated: count(&|v| into[v] + onto[v] == 0),
            most_parents: into.iter().copied().max().unwrap_or(0),
            parameters: Some(tables.iter().map(|t| t.values().len() / t.states() * (t.states() - 1)).sum()),
            cells: Some(tables.iter().map(|table| table.values().len()).sum()),
            zeros: Some(tables.iter().map(|t| t.values().iter().filter(|&&p| p == 0.0).count()).sum()),
            most_states: states.map(|v| v.cardinality()).max(),
            largest: Largest::of(window, structure),
            time: Some(steps),
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
