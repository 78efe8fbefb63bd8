//! Graphs with named nodes and nothing else: what a file without probabilities holds.

use super::at;
use crate::{Cycle, Dag, Error, Network};
use std::collections::{BTreeSet, HashMap};

/// A directed acyclic graph whose nodes have names, all different.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Structure {
    names: Vec<String>,
    dag: Dag,
    /// The arcs that live mostly from gaps.
    from_gaps: BTreeSet<(usize, usize)>,
}

impl Structure {
    /// Names the nodes `0, 1, …` of a graph in order.
    pub fn new(names: Vec<String>, dag: Dag) -> Result<Self, Error> {
        if names.len() != dag.len() {
            return Err(Error::ColumnCount { columns: names.len(), variables: dag.len() });
        }
        let mut sorted: Vec<&String> = names.iter().collect();
        sorted.sort_unstable();
        if let Some(pair) = sorted.windows(2).find(|pair| pair[0] == pair[1]) {
            return Err(Error::DuplicateVariable(pair[0].clone()));
        }
        Ok(Structure { names, dag, from_gaps: BTreeSet::new() })
    }

    /// The names of the nodes.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The graph.
    pub fn dag(&self) -> &Dag {
        &self.dag
    }

    /// All arcs by name as `(parent, child)`.
    pub fn named_arcs(&self) -> impl Iterator<Item = (&str, &str)> + '_ {
        self.dag.arcs().map(|(p, c)| (self.names[p].as_str(), self.names[c].as_str()))
    }

    /// Marks arcs that live mostly from gaps, which a learner may know: files say `gaps` of them. What is no arc of the graph is passed over.
    pub fn marking_gaps<'a>(mut self, arcs: impl IntoIterator<Item = (&'a str, &'a str)>) -> Self {
        let place = |name: &str| self.names.iter().position(|other| other == name);
        let ends = arcs.into_iter().filter_map(|(parent, child)| Some((place(parent)?, place(child)?)));
        self.from_gaps = ends.filter(|&(parent, child)| self.dag.has(parent, child)).collect();
        self
    }

    /// Whether some arc is known to live mostly from gaps.
    pub fn has_gap_arcs(&self) -> bool {
        !self.from_gaps.is_empty()
    }

    /// All arcs by name, and whether they live mostly from gaps.
    pub fn marked_arcs(&self) -> impl Iterator<Item = (&str, &str, bool)> + '_ {
        self.dag
            .arcs()
            .map(|(p, c)| (self.names[p].as_str(), self.names[c].as_str(), self.from_gaps.contains(&(p, c))))
    }

    /// The names of the nodes without any arc.
    pub fn isolated(&self) -> impl Iterator<Item = &str> + '_ {
        let alone = |v: &usize| self.dag.parents(*v).is_empty() && self.dag.children(*v).is_empty();
        (0..self.dag.len()).filter(alone).map(|v| self.names[v].as_str())
    }
}

impl From<&Network> for Structure {
    fn from(network: &Network) -> Self {
        let names = network.schema().variables().iter().map(|v| v.name.clone()).collect();
        Structure { names, dag: network.dag().clone(), from_gaps: BTreeSet::new() }
    }
}

/// The most arcs taken from a file: a few kilobytes of groups in DOT can stand for billions.
const MAX_ARCS: usize = 1 << 22;

/// Nodes and arcs as a reader meets them.
#[derive(Debug, Default)]
pub(super) struct Draft {
    names: Vec<String>,
    numbers: HashMap<String, usize>,
    /// Parent, child, and where in the text the arc stands.
    arcs: Vec<(usize, usize, usize)>,
}

impl Draft {
    /// The number of a node, new or known.
    pub(super) fn node(&mut self, name: &str) -> usize {
        if let Some(&number) = self.numbers.get(name) {
            return number;
        }
        self.names.push(name.to_string());
        self.numbers.insert(name.to_string(), self.names.len() - 1);
        self.names.len() - 1
    }

    /// Adds an arc that stands at an offset of the text.
    pub(super) fn arc(
        &mut self,
        text: &str,
        parent: usize,
        child: usize,
        offset: usize,
    ) -> Result<(), Error> {
        if self.arcs.len() == MAX_ARCS {
            let message = format!("more than {MAX_ARCS} arcs, the most that are read");
            return Err(at(text, offset, Error::Syntax(message)));
        }
        self.arcs.push((parent, child, offset));
        Ok(())
    }

    /// The graph, or the cycle in it, placed at the last arc that takes part.
    pub(super) fn finish(self, text: &str) -> Result<Structure, Error> {
        let arcs = self.arcs.iter().map(|&(parent, child, _)| (parent, child));
        match Dag::from_arcs(self.names.len(), arcs) {
            Ok(dag) => Ok(Structure { names: self.names, dag, from_gaps: BTreeSet::new() }),
            Err(Cycle { path }) => {
                let mut place = vec![usize::MAX; self.names.len()];
                path.iter().enumerate().for_each(|(i, &v)| place[v] = i);
                let follows = |&&(parent, child, _): &&(usize, usize, usize)| {
                    place[parent] != usize::MAX && place[child] == (place[parent] + 1) % path.len()
                };
                let offset = self.arcs.iter().rev().find(follows).map_or(0, |arc| arc.2);
                let nodes = path.iter().map(|&v| self.names[v].clone()).collect();
                Err(at(text, offset, Error::Cycle { nodes }))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_as_many_as_nodes() {
        let names = |names: [&str; 2]| names.map(String::from).to_vec();
        assert!(Structure::new(names(["a", "b"]), Dag::new(2)).is_ok());
        assert!(matches!(Structure::new(names(["a", "a"]), Dag::new(2)), Err(Error::DuplicateVariable(_))));
        assert!(matches!(Structure::new(names(["a", "b"]), Dag::new(3)), Err(Error::ColumnCount { .. })));
    }

    #[test]
    fn nodes_without_arcs_are_known() {
        let dag = Dag::from_arcs(3, [(0, 2)]).unwrap();
        let structure = Structure::new(["a", "b", "c"].map(String::from).to_vec(), dag).unwrap();
        assert_eq!(structure.isolated().collect::<Vec<_>>(), ["b"]);
        assert_eq!(structure.named_arcs().collect::<Vec<_>>(), [("a", "c")]);
    }
}
