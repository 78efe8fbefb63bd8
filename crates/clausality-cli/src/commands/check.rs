//! `clausality check`: load a network, validate it, and say what it is.

use crate::failure::Failure;
use crate::files::networks::{format_parser, read_structure_as};
use crate::session::Session;
use crate::show::facts::facts;
use crate::text::{clean, grouped};
use clap::Args;
use clausality::bn::io::Structure;
use clausality::bn::{Dag, Network};
use clausality::model::{Format, Loaded};
use clausality::words::{counted, quoted};
use serde::Serialize;
use std::path::PathBuf;

/// Load and validate a network file, and say what it holds
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  clausality check network.bif\n  clausality check @alarm --json")]
pub(crate) struct CheckArgs {
    /// A network (.bif, .xmlbif, .xml, .net, .json, or with .gz), a run folder, @NAME, or a graph (.dot, .csv with parent,child)
    #[arg(value_name = "MODEL")]
    pub(crate) model: PathBuf,
    /// Read it in this format, whatever its ending
    #[arg(long, value_name = "NAME", value_parser = format_parser())]
    format: Option<Format>,
}

/// The JSON document; what a graph without probabilities does not have is null.
#[derive(Serialize)]
struct Summary {
    model: String,
    name: String,
    nodes: usize,
    arcs: usize,
    roots: usize,
    leaves: usize,
    isolated: usize,
    most_parents: usize,
    parameters: Option<usize>,
    cells: Option<usize>,
    zeros: Option<usize>,
    most_states: Option<usize>,
    largest: Option<Largest>,
    version: &'static str,
}

#[derive(Serialize)]
struct Largest {
    node: String,
    parents: Vec<String>,
    cells: usize,
}

pub(crate) fn run(args: CheckArgs, session: &Session) -> Result<(), Failure> {
    let loaded = read_structure_as(&args.model, args.format, session)?;
    let summary = Summary::of(&loaded);
    session.answer(&summary, || summary.render(session))
}

impl Summary {
    fn of(loaded: &Loaded) -> Self {
        let structure = loaded.structure();
        let dag = structure.dag();
        let network = match loaded {
            Loaded::Model(model) => Some(&*model.network),
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

    fn render(&self, session: &Session) -> String {
        let head = format!(
            "{}: a sound {}",
            clean(&self.model),
            if self.cells.is_some() { "network" } else { "graph" }
        );
        let mut lines = vec![
            ("name", self.name.clone()),
            (
                "nodes",
                format!("{} ({}, {})", grouped(self.nodes), counted(self.roots, "root"), leaves(self.leaves)),
            ),
            ("arcs", format!("{} (at most {} into a node)", grouped(self.arcs), self.most_parents)),
        ];
        if self.isolated > 0 {
            lines.push(("isolated", grouped(self.isolated)));
        }
        if let (Some(parameters), Some(cells), Some(zeros)) = (self.parameters, self.cells, self.zeros) {
            lines.push(("parameters", format!("{} free", grouped(parameters))));
            lines.push(("cells", format!("{} ({} of them 0)", grouped(cells), grouped(zeros))));
        }
        if let Some(states) = self.most_states {
            lines.push(("states", format!("at most {states}")));
        }
        if let Some(largest) = &self.largest {
            let parents = match largest.parents.len() {
                0 => "no parents".to_string(),
                _ => format!("parents {}", quoted(&largest.parents, 8)),
            };
            lines.push((
                "largest table",
                format!("'{}': {}, {parents}", largest.node, counted(largest.cells, "cell")),
            ));
        }
        format!("{}\n\n{}", session.paint().bold(&head), facts(&lines, session))
    }
}

fn leaves(count: usize) -> String {
    if count == 1 { "1 leaf".into() } else { format!("{} leaves", grouped(count)) }
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
