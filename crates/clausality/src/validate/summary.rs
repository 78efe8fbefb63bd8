//! The records of all units become the paper's tables, ours beside them.

use super::published;
use super::unit::{compare, with_roots};
use super::{Method, Outcome, Protocol, Record, Relation, Roles, ValidateParams, literals, network, roots};
use crate::Error;
use crate::assemble::{NetworkSettings, assemble_paper};
use crate::candidates::StrengthMatrix;
use crate::settings::{Profile, Settings};
use clausality_bn::compare::Comparison;
use clausality_bn::{Dag, Network};
use serde::Serialize;

/// The validation and how it was made.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Validation {
    /// The version of the software.
    pub version: String,
    /// What was asked for.
    pub params: ValidateParams,
    /// A table for every network.
    pub networks: Vec<NetworkTable>,
    /// The Insurance table of top features, if that network was among them.
    pub top_features: Option<TopFeatures>,
}

/// All methods on one network.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct NetworkTable {
    /// The network.
    pub network: String,
    /// Its nodes.
    pub nodes: usize,
    /// Its arcs.
    pub arcs: usize,
    /// Its nodes without parents, by name.
    pub roots: Vec<String>,
    /// The paper's L: states of all variables together.
    pub states: usize,
    /// Literals of its columns, negations not counted.
    pub literals: usize,
    /// Literals that a machine was shown, where that is not all of them.
    pub shown: Option<usize>,
    /// What was asked for.
    pub full: Protocol,
    /// What was done: less, if the network is too large for all of it.
    pub done: Protocol,
    /// The lines of the table.
    pub lines: Vec<Line>,
}

/// One method, plain or corrected.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Line {
    /// The method.
    pub method: Method,
    /// Whether the strengths under the permuted target were subtracted.
    pub corrected: bool,
    /// What the paper reports for it.
    pub published: Option<f64>,
    /// With the true roots as parameters.
    pub roots: Figures,
    /// Without roles.
    pub none: Figures,
}

/// The figures of one setting over the samples.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Figures {
    /// Similarity K.
    pub kernel: Spread,
    /// Normalised walk kernel.
    pub walk_kernel: Spread,
    /// F1 of the adjacencies.
    pub skeleton_f1: Spread,
    /// F1 of the arcs with their direction.
    pub directed_f1: Spread,
    /// Structural Hamming distance.
    pub shd: Spread,
    /// The same of the completed graphs.
    pub cpdag_shd: Spread,
    /// Structural intervention distance.
    pub sid: Spread,
    /// Arcs learned.
    pub arcs: Spread,
}

/// A mean and how far the values lie from it.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Spread {
    /// The mean.
    pub mean: f64,
    /// The standard deviation (n − 1); 0 for one value.
    pub sd: f64,
    /// How many values there were.
    pub n: usize,
}

impl Spread {
    /// Of some values.
    pub fn of(values: impl IntoIterator<Item = f64>) -> Self {
        let values: Vec<f64> = values.into_iter().collect();
        let n = values.len();
        let mean = values.iter().sum::<f64>() / n.max(1) as f64;
        let squares: f64 = values.iter().map(|x| (x - mean) * (x - mean)).sum();
        Spread { mean, sd: if n > 1 { (squares / (n - 1) as f64).sqrt() } else { 0.0 }, n }
    }
}

/// The top features of every node, the paper's and ours, with the truth.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TopFeatures {
    /// The network.
    pub network: String,
    /// How often listed features are true neighbours: the paper, then every method.
    pub rates: Vec<HitRate>,
    /// Whose lists stand beside the paper's below.
    pub method: Method,
    /// The seed of the sample they come from.
    pub seed: u64,
    /// Entry by entry, in the paper's order.
    pub entries: Vec<Entry>,
    /// What the paper's lists could lead to at best.
    pub published: PublishedTable,
}

/// How often the first features are true neighbours.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct HitRate {
    /// Whose lists; `None` is the paper.
    pub method: Option<Method>,
    /// Whether the strengths under the permuted target were subtracted.
    pub corrected: bool,
    /// The first feature of every node; the first two; the first three.
    pub top: [Hits; 3],
}

/// Hits among the first few features of every node, over the samples.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Hits {
    /// Entries of one list of lists.
    pub entries: usize,
    /// Of them true neighbours.
    pub adjacent: Spread,
    /// Of them true parents.
    pub parents: Spread,
}

/// The lists of one node.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Entry {
    /// The node.
    pub target: String,
    /// The paper's list, with the true relation of each feature.
    pub paper: Vec<(String, Relation)>,
    /// Ours.
    pub ours: Vec<(String, Relation)>,
}

/// What the paper's own lists hold.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct PublishedTable {
    /// Distinct true adjacencies that its lists name.
    pub adjacencies: usize,
    /// True adjacencies there are.
    pub of: usize,
    /// K of the graph that Algorithms 2 and 3 make of its first two columns, the true roots given.
    pub kernel_two: f64,
    /// The same of all three columns.
    pub kernel_three: f64,
    /// K of the graph that an oracle would make of it: exactly the true adjacencies on the lists, directed as they truly are.
    pub kernel_oracle: f64,
}

/// Puts all records together.
pub(super) fn summarise(params: &ValidateParams, records: Vec<Record>) -> Result<Validation, Error> {
    let mut networks = Vec::new();
    let mut top_features = None;
    for name in &params.networks {
        let truth = network(name)?;
        let records: Vec<&Record> = records.iter().filter(|r| r.unit.network == *name).collect();
        networks.push(table(params, &truth, &records));
        if let Some(lists) = published::top_features(name) {
            top_features = top(params, &truth, lists, &records);
        }
    }
    let version = env!("CARGO_PKG_VERSION").to_string();
    Ok(Validation { version, params: params.clone(), networks, top_features })
}

fn table(params: &ValidateParams, truth: &Network, records: &[&Record]) -> NetworkTable {
    let schema = truth.schema();
    let mut lines = Vec::new();
    for method in params.methods() {
        for corrected in [false, true] {
            let of = |roles| figures(records, &method, corrected, roles);
            if let (Some(roots), Some(none)) = (of(Roles::Roots), of(Roles::None)) {
                let published = match &method {
                    Method::Model(name) if !corrected => published::similarity(truth.name(), name),
                    _ => None,
                };
                lines.push(Line { method: method.clone(), corrected, published, roots, none });
            }
        }
    }
    let (literals, limit) = (literals(truth), Settings::of(Profile::Paper).strengths.literal_limit);
    NetworkTable {
        network: truth.name().to_string(),
        nodes: schema.len(),
        arcs: truth.dag().arc_count(),
        roots: roots(truth),
        states: schema.variables().iter().map(|v| v.cardinality()).sum(),
        literals,
        shown: (literals > limit).then_some(limit / 2),
        full: params.full(),
        done: params.protocol(truth),
        lines,
    }
}

fn figures(records: &[&Record], method: &Method, corrected: bool, roles: Roles) -> Option<Figures> {
    let wanted = |o: &&Outcome| o.corrected == corrected && o.roles == roles;
    let found: Vec<&Comparison> = records
        .iter()
        .filter(|r| r.unit.method == *method)
        .flat_map(|r| r.outcomes.iter().filter(wanted))
        .map(|o| &o.comparison)
        .collect();
    if found.is_empty() {
        return None;
    }
    let spread = |figure: fn(&Comparison) -> f64| Spread::of(found.iter().map(|c| figure(c)));
    Some(Figures {
        kernel: spread(|c| c.kernel),
        walk_kernel: spread(|c| c.walk_kernel),
        skeleton_f1: spread(|c| c.skeleton.f1),
        directed_f1: spread(|c| c.directed.f1),
        shd: spread(|c| c.shd as f64),
        cpdag_shd: spread(|c| c.cpdag_shd as f64),
        sid: spread(|c| c.sid as f64),
        arcs: spread(|c| c.learned_arcs as f64),
    })
}

/// Lists by target.
type Lists = [(String, Vec<String>)];

fn top(
    params: &ValidateParams,
    truth: &Network,
    published: &[(&str, [&str; 3])],
    records: &[&Record],
) -> Option<TopFeatures> {
    let paper: Vec<(String, Vec<String>)> =
        published.iter().map(|(node, list)| (node.to_string(), list.map(String::from).to_vec())).collect();
    let mut rates = vec![rate(truth, None, false, &[&paper])];
    for method in params.methods() {
        for corrected in [false, true] {
            let of = |r: &&&Record| r.unit.method == method;
            let lists: Vec<&Lists> = records
                .iter()
                .filter(of)
                .filter_map(|r| r.lists.get(usize::from(corrected)).map(Vec::as_slice))
                .collect();
            if !lists.is_empty() {
                rates.push(rate(truth, Some(method.clone()), corrected, &lists));
            }
        }
    }
    // The machines together where there are several: they are what the paper recommends.
    let ours = params.methods().into_iter().rfind(|m| matches!(m, Method::Model(_) | Method::Together(_)))?;
    let record = records.iter().find(|r| r.unit.method == ours)?;
    let list = |node: &str| record.lists.first()?.iter().find(|(target, _)| target == node);
    let entries = paper.iter().map(|(node, features)| Entry {
        target: node.clone(),
        paper: related(truth, node, features),
        ours: list(node).map_or(Vec::new(), |(_, features)| related(truth, node, features)),
    });
    Some(TopFeatures {
        network: truth.name().to_string(),
        rates,
        entries: entries.collect(),
        seed: record.unit.seed,
        method: ours,
        published: outlook(truth, &paper),
    })
}

fn related(truth: &Network, target: &str, features: &[String]) -> Vec<(String, Relation)> {
    let place = |name: &str| truth.schema().index(name);
    let Some(y) = place(target) else { return Vec::new() };
    let relation = |f: &String| Some((f.clone(), Relation::of(truth.dag(), y, place(f)?)));
    features.iter().filter_map(relation).collect()
}

fn rate(truth: &Network, method: Option<Method>, corrected: bool, samples: &[&Lists]) -> HitRate {
    let hits = |depth: usize| {
        let first = |lists: &Lists| -> Vec<Relation> {
            let list = |(target, features): &(String, Vec<String>)| {
                related(truth, target, &features[..depth.min(features.len())])
            };
            lists.iter().flat_map(list).map(|(_, relation)| relation).collect()
        };
        let of = |wanted: fn(&Relation) -> bool| {
            Spread::of(samples.iter().map(|l| first(l).into_iter().filter(wanted).count() as f64))
        };
        Hits {
            entries: truth.len() * depth,
            adjacent: of(|r| r.adjacent()),
            parents: of(|r| *r == Relation::Parent),
        }
    };
    HitRate { method, corrected, top: [hits(1), hits(2), hits(3)] }
}

/// What could be made of the paper's lists.
fn outlook(truth: &Network, paper: &Lists) -> PublishedTable {
    let (schema, dag) = (truth.schema(), truth.dag());
    let mut matrix = StrengthMatrix::new(schema.len());
    let mut named: Vec<(usize, usize)> = Vec::new();
    for (node, features) in paper {
        for (rank, feature) in features.iter().enumerate() {
            if let (Some(y), Some(f)) = (schema.index(node), schema.index(feature)) {
                // The paper prints no strengths: the rank stands for them.
                matrix.set(y, f, (features.len() - rank) as f64);
                named.extend([(f, y), (y, f)].into_iter().filter(|&(p, c)| dag.has(p, c)));
            }
        }
    }
    named.sort_unstable();
    named.dedup();
    let adjacencies = named.len();
    let rules = with_roots(truth);
    let kernel = |dag: &Dag| compare(truth, schema, dag).kernel;
    let assembled = |features: usize| {
        let params = NetworkSettings { features, ..NetworkSettings::default() };
        kernel(&assemble_paper(&matrix, schema, &rules, &params).dag)
    };
    let oracle = Dag::from_arcs(schema.len(), named).unwrap_or_else(|_| Dag::new(schema.len()));
    PublishedTable {
        adjacencies,
        of: dag.arc_count(),
        kernel_two: assembled(2),
        kernel_three: assembled(3),
        kernel_oracle: kernel(&oracle),
    }
}
