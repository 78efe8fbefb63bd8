//! How near a learned graph is to the true one.
//!
//! All figures of one comparison in one place, by node name: nodes are matched by name, and a node that only one graph
//! has stands isolated in the other (and lowers the similarity `K`).
//!
//! ```text
//! precision = right / learned,  recall = right / true,  F1 = 2 P R / (P + R)      (0 where undefined)
//! SHD = pairs of nodes joined differently: missing, extra and turned arcs count one each
//! ```
//! *Skeleton* ignores directions, *directed* does not; CPDAG-SHD is the SHD of the completed graphs, so that equivalent
//! graphs are at distance 0.
//!
//! ```
//! use clausality_bn::{Dag, compare::{Comparison, Named}};
//! let truth = Dag::from_arcs(3, [(0, 1), (1, 2)])?;
//! let learned = Dag::from_arcs(3, [(0, 1), (2, 1)])?;
//! let names = ["A", "B", "C"];
//! let found = Comparison::of(Named::new(&names, &truth)?, Named::new(&names, &learned)?);
//! assert_eq!((found.shd, found.skeleton.f1, found.kernel), (1, 1.0, 9.0 / 16.0));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod differences;
mod kernel;
mod sid;

pub use differences::{Arc, Differences};
pub use sid::sid;

use crate::io::Structure;
use crate::{Dag, Error, Network, Pdag};
use serde::{Deserialize, Serialize};

/// A graph with the names of its nodes.
#[derive(Debug, Clone, PartialEq)]
pub struct Named<'a> {
    names: Vec<&'a str>,
    dag: &'a Dag,
}

impl<'a> Named<'a> {
    /// Names the nodes `0, 1, …` in order; every node needs a name of its own.
    pub fn new(names: &[&'a str], dag: &'a Dag) -> Result<Self, Error> {
        if names.len() != dag.len() {
            return Err(Error::ColumnCount { columns: names.len(), variables: dag.len() });
        }
        let mut sorted = names.to_vec();
        sorted.sort_unstable();
        if let Some(pair) = sorted.windows(2).find(|pair| pair[0] == pair[1]) {
            return Err(Error::DuplicateVariable(pair[0].to_string()));
        }
        Ok(Named { names: names.to_vec(), dag })
    }
}

impl<'a> From<&'a Network> for Named<'a> {
    fn from(network: &'a Network) -> Self {
        let names = network.schema().variables().iter().map(|v| v.name.as_str()).collect();
        Named { names, dag: network.dag() }
    }
}

impl<'a> From<&'a Structure> for Named<'a> {
    fn from(structure: &'a Structure) -> Self {
        Named { names: structure.names().iter().map(String::as_str).collect(), dag: structure.dag() }
    }
}

/// Precision, recall and their harmonic mean.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Rates {
    /// The share of what was learned that is true.
    pub precision: f64,
    /// The share of what is true that was learned.
    pub recall: f64,
    /// The harmonic mean of the two.
    pub f1: f64,
}

impl Rates {
    fn new(right: usize, learned: usize, truth: usize) -> Self {
        let share = |of: usize| if of == 0 { 0.0 } else { right as f64 / of as f64 };
        let (precision, recall) = (share(learned), share(truth));
        let sum = precision + recall;
        Rates { precision, recall, f1: if sum == 0.0 { 0.0 } else { 2.0 * precision * recall / sum } }
    }
}

/// Every figure of a comparison.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Comparison {
    /// The similarity `K`, from 0 to 1.
    pub kernel: f64,
    /// The normalised walk kernel, from 0 to 1.
    pub walk_kernel: f64,
    /// Adjacencies found, directions ignored.
    pub skeleton: Rates,
    /// Arcs found with their direction.
    pub directed: Rates,
    /// Structural Hamming distance; a turned arc counts 1.
    pub shd: usize,
    /// The structural Hamming distance of the completed graphs.
    pub cpdag_shd: usize,
    /// Structural intervention distance: pairs `(i, j)` for which the learned graph's parents of `i` give a wrong effect
    /// of `i` on `j`.
    pub sid: usize,
    /// Arcs of the true graph.
    pub true_arcs: usize,
    /// Arcs of the learned graph.
    pub learned_arcs: usize,
    /// Nodes that only the true graph has, by name.
    pub only_in_truth: Vec<String>,
    /// Nodes that only the learned graph has, by name.
    pub only_in_learned: Vec<String>,
}

impl Comparison {
    /// Compares a learned graph with the true one.
    pub fn of<'a>(truth: impl Into<Named<'a>>, learned: impl Into<Named<'a>>) -> Self {
        let pair = Pair::new(&truth.into(), &learned.into());
        let (t, l) = (&pair.truth, &pair.learned);
        let same = l.arcs().filter(|&(p, c)| t.has(p, c)).count();
        let adjacent = l.arcs().filter(|&(p, c)| t.adjacent(p, c)).count();
        let only = |there: fn(Side) -> bool| pair.names_where(there);
        Comparison {
            kernel: kernel::similarity(&pair),
            walk_kernel: kernel::walks(&pair),
            skeleton: Rates::new(adjacent, l.arc_count(), t.arc_count()),
            directed: Rates::new(same, l.arc_count(), t.arc_count()),
            shd: shd(&Pdag::from(t), &Pdag::from(l)),
            cpdag_shd: shd(&Pdag::complete(t), &Pdag::complete(l)),
            sid: sid(t, l),
            true_arcs: t.arc_count(),
            learned_arcs: l.arc_count(),
            only_in_truth: only(|side| side == Side::Truth),
            only_in_learned: only(|side| side == Side::Learned),
        }
    }
}

/// Which graph has a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Side {
    Both,
    Truth,
    Learned,
}

/// Two graphs over the same nodes: all names of either, sorted, so that the order in the files leaves no trace.
struct Pair {
    names: Vec<String>,
    side: Vec<Side>,
    truth: Dag,
    learned: Dag,
}

impl Pair {
    fn new(truth: &Named<'_>, learned: &Named<'_>) -> Self {
        let mut names: Vec<&str> = truth.names.iter().chain(&learned.names).copied().collect();
        names.sort_unstable();
        names.dedup();
        let places = |graph: &Named<'_>| -> Vec<usize> {
            graph.names.iter().map(|n| names.binary_search(n).unwrap_or_default()).collect()
        };
        let moved = |graph: &Named<'_>, places: &[usize]| {
            let arcs = graph.dag.arcs().map(|(p, c)| (places[p], places[c]));
            // Renumbering the nodes of an acyclic graph leaves it acyclic (names are unique).
            Dag::from_arcs(names.len(), arcs).unwrap_or_else(|_| Dag::new(names.len()))
        };
        let (in_truth, in_learned) = (places(truth), places(learned));
        let mut side = vec![None; names.len()];
        in_truth.iter().for_each(|&i| side[i] = Some(Side::Truth));
        for &i in &in_learned {
            side[i] = Some(if side[i].is_some() { Side::Both } else { Side::Learned });
        }
        Pair {
            truth: moved(truth, &in_truth),
            learned: moved(learned, &in_learned),
            side: side.into_iter().flatten().collect(),
            names: names.into_iter().map(str::to_string).collect(),
        }
    }

    fn names_where(&self, there: fn(Side) -> bool) -> Vec<String> {
        self.names.iter().zip(&self.side).filter(|(_, s)| there(**s)).map(|(n, _)| n.clone()).collect()
    }

    fn same_nodes(&self) -> bool {
        self.side.iter().all(|&s| s == Side::Both)
    }
}

/// Pairs of nodes that the two graphs join differently.
pub fn shd(a: &Pdag, b: &Pdag) -> usize {
    let mut pairs: Vec<(usize, usize)> = [a, b]
        .iter()
        .flat_map(|g| g.directed().chain(g.undirected()))
        .map(|(x, y)| (x.min(y), x.max(y)))
        .collect();
    pairs.sort_unstable();
    pairs.dedup();
    pairs.iter().filter(|&&(x, y)| a.join(x, y) != b.join(x, y)).count()
}

#[cfg(test)]
mod tests;
