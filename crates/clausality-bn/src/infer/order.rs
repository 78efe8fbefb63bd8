//! In which order to eliminate variables: greedily, by what elimination costs next.
//!
//! Eliminating `v` joins its neighbours `N(v)` with each other. The rules pick next the variable with the least
//!
//! - *fill*: pairs of neighbours not yet joined;
//! - *weighted fill*: the same, a pair counting the product of its numbers of states;
//! - *weight*: the size of the table over `v` and `N(v)`.
//!
//! Implements: the min-fill and min-weight heuristics (Kjærulff 1990; Darwiche 2009, §9.3). Scores are integers and are
//! kept up to date edge by edge, so that one step costs about the square of a clique. Ties go to the smaller table and
//! then to the lower number; variables are numbered by name, so the order of columns leaves no trace.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// What the next variable should have least of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Rule {
    Fill,
    WeightedFill,
    Weight,
}

pub(super) const RULES: [Rule; 3] = [Rule::Fill, Rule::WeightedFill, Rule::Weight];

/// An undirected graph of variables that share a table.
#[derive(Debug, Clone)]
pub(super) struct Graph {
    neighbours: Vec<Vec<u32>>,
    present: Vec<bool>,
}

impl Graph {
    pub(super) fn new(variables: usize) -> Self {
        Graph { neighbours: vec![Vec::new(); variables], present: vec![false; variables] }
    }

    pub(super) fn add(&mut self, variable: u32) {
        self.present[variable as usize] = true;
    }

    /// Joins all variables of a table with each other.
    pub(super) fn join(&mut self, scope: &[u32]) {
        for (i, &a) in scope.iter().enumerate() {
            self.add(a);
            for &b in &scope[i + 1..] {
                self.neighbours[a as usize].push(b);
                self.neighbours[b as usize].push(a);
            }
        }
    }

    /// Sorts the neighbours; an edge given twice is there once.
    pub(super) fn settle(&mut self) {
        for list in &mut self.neighbours {
            list.sort_unstable();
            list.dedup();
        }
    }

    #[cfg(test)]
    fn variables(&self) -> impl Iterator<Item = u32> + '_ {
        (0..self.present.len() as u32).filter(|&v| self.present[v as usize])
    }
}

/// Variables in the order of their elimination.
#[derive(Debug, Clone, Default)]
pub(super) struct Elimination {
    pub(super) order: Vec<u32>,
    /// For each, itself and the neighbours it had then.
    pub(super) cliques: Vec<Vec<u32>>,
    /// The cells of all those tables, as far as a `u64` counts.
    pub(super) cells: u64,
}

/// A clique with a table that nobody could hold.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct TooWide {
    pub(super) clique: Vec<u32>,
}

/// The number of cells of a table; `u64::MAX` if there are more.
pub(super) fn cells(scope: &[u32], states: &[u32]) -> u64 {
    scope.iter().fold(1u64, |product, &v| product.saturating_mul(u64::from(states[v as usize])))
}

/// Eliminates every variable but the kept ones (`keep[v]`); gives up at the first clique over `most` cells.
pub(super) fn eliminate(
    graph: &Graph,
    states: &[u32],
    keep: &[bool],
    rule: Rule,
    most: u64,
) -> Result<Elimination, TooWide> {
    let mut work = Work::new(graph.clone(), states, keep, rule);
    let mut out = Elimination::default();
    while let Some(v) = work.next() {
        let mut clique = vec![v];
        clique.extend_from_slice(&work.graph.neighbours[v as usize]);
        let size = cells(&clique, states);
        if size > most {
            return Err(TooWide { clique });
        }
        out.cells = out.cells.saturating_add(size);
        work.remove(v);
        out.order.push(v);
        out.cliques.push(clique);
    }
    Ok(out)
}

/// (score, size, variable): the order in which variables come.
type Entry = (u64, u64, u32);

struct Work<'s> {
    graph: Graph,
    states: &'s [u32],
    /// Fixed-point logarithms of the numbers of states, so that sizes can be kept by adding and subtracting.
    bits: Vec<u64>,
    keep: &'s [bool],
    rule: Rule,
    fill: Vec<u64>,
    size: Vec<u64>,
    queue: BinaryHeap<Reverse<Entry>>,
    /// `mark[v] == stamp` says that `v` is in the set at hand.
    mark: Vec<u32>,
    stamp: u32,
    changed: Vec<u32>,
}

impl<'s> Work<'s> {
    fn new(graph: Graph, states: &'s [u32], keep: &'s [bool], rule: Rule) -> Self {
        let n = states.len();
        let bits: Vec<u64> = states.iter().map(|&s| fixed_log2(s)).collect();
        let mut work = Work {
            graph,
            states,
            bits,
            keep,
            rule,
            fill: vec![0; n],
            size: vec![0; n],
            queue: BinaryHeap::with_capacity(2 * n),
            mark: vec![0; n],
            stamp: 0,
            changed: Vec::new(),
        };
        for v in 0..n as u32 {
            if work.graph.present[v as usize] {
                work.measure(v);
            }
        }
        work
    }

    /// The score of a variable from scratch.
    fn measure(&mut self, v: u32) {
        let list = std::mem::take(&mut self.graph.neighbours[v as usize]);
        self.size[v as usize] =
            self.bits[v as usize] + list.iter().map(|&u| self.bits[u as usize]).sum::<u64>();
        if self.rule != Rule::Weight {
            let mut fill = 0;
            for (i, &u) in list.iter().enumerate() {
                self.stamp_neighbours(u);
                for &w in &list[i + 1..] {
                    if !self.marked(w) {
                        fill += self.pair(u, w);
                    }
                }
            }
            self.fill[v as usize] = fill;
        }
        self.graph.neighbours[v as usize] = list;
        self.push(v);
    }

    fn pair(&self, a: u32, b: u32) -> u64 {
        match self.rule {
            Rule::WeightedFill => u64::from(self.states[a as usize]) * u64::from(self.states[b as usize]),
            Rule::Fill | Rule::Weight => 1,
        }
    }

    fn stamp_neighbours(&mut self, v: u32) {
        self.stamp += 1;
        for &u in &self.graph.neighbours[v as usize] {
            self.mark[u as usize] = self.stamp;
        }
    }

    fn marked(&self, v: u32) -> bool {
        self.mark[v as usize] == self.stamp
    }

    fn entry(&self, v: u32) -> Entry {
        let v_ = v as usize;
        match self.rule {
            Rule::Weight => (self.size[v_], self.graph.neighbours[v_].len() as u64, v),
            Rule::Fill | Rule::WeightedFill => (self.fill[v_], self.size[v_], v),
        }
    }

    fn push(&mut self, v: u32) {
        if !self.keep[v as usize] {
            self.queue.push(Reverse(self.entry(v)));
        }
    }

    fn next(&mut self) -> Option<u32> {
        while let Some(Reverse(entry)) = self.queue.pop() {
            // Entries that were overtaken by a change are still in the queue.
            if self.graph.present[entry.2 as usize] && entry == self.entry(entry.2) {
                return Some(entry.2);
            }
        }
        None
    }

    /// Takes the variable out and joins its neighbours.
    fn remove(&mut self, v: u32) {
        let list = std::mem::take(&mut self.graph.neighbours[v as usize]);
        self.graph.present[v as usize] = false;
        self.changed.clear();
        self.changed.extend_from_slice(&list);
        self.forget(v, &list);
        for (i, &x) in list.iter().enumerate() {
            for &y in &list[i + 1..] {
                if !self.graph.neighbours[x as usize].contains(&y) {
                    self.connect(x, y);
                }
            }
        }
        let mut changed = std::mem::take(&mut self.changed);
        changed.sort_unstable();
        changed.dedup();
        changed.iter().for_each(|&u| self.push(u));
        self.changed = changed;
    }

    fn forget(&mut self, v: u32, list: &[u32]) {
        self.stamp += 1;
        for &u in list {
            self.mark[u as usize] = self.stamp;
        }
        for &x in list {
            let mut gone = 0;
            if self.rule != Rule::Weight {
                for &w in &self.graph.neighbours[x as usize] {
                    if w != v && !self.marked(w) {
                        gone += self.pair(v, w);
                    }
                }
            }
            self.fill[x as usize] -= gone;
            self.size[x as usize] -= self.bits[v as usize];
            self.graph.neighbours[x as usize].retain(|&w| w != v);
        }
    }

    fn connect(&mut self, x: u32, y: u32) {
        self.size[x as usize] += self.bits[y as usize];
        self.size[y as usize] += self.bits[x as usize];
        if self.rule != Rule::Weight {
            self.stamp_neighbours(x);
            let pair = self.pair(x, y);
            for i in 0..self.graph.neighbours[y as usize].len() {
                let w = self.graph.neighbours[y as usize][i];
                if self.marked(w) {
                    self.fill[w as usize] -= pair;
                    self.changed.push(w);
                } else {
                    self.fill[y as usize] += self.pair(x, w);
                }
            }
            self.stamp_neighbours(y);
            for &w in &self.graph.neighbours[x as usize] {
                if !self.marked(w) {
                    self.fill[x as usize] += self.pair(y, w);
                }
            }
        }
        self.graph.neighbours[x as usize].push(y);
        self.graph.neighbours[y as usize].push(x);
    }
}

/// `log2(states)` in steps of 2^-20.
fn fixed_log2(states: u32) -> u64 {
    (crate::math::ln(f64::from(states)) / std::f64::consts::LN_2 * (1u64 << 20) as f64) as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Stream;
    use std::collections::BTreeSet;

    /// The same greedy elimination by definition, scores from scratch at every step.
    fn spec(graph: &Graph, states: &[u32], rule: Rule) -> Vec<u32> {
        let mut sets: Vec<BTreeSet<u32>> =
            graph.neighbours.iter().map(|l| l.iter().copied().collect()).collect();
        let mut left: BTreeSet<u32> = graph.variables().collect();
        let mut order = vec![];
        while !left.is_empty() {
            let score = |&v: &u32| {
                let near = &sets[v as usize];
                let size: u64 = near.iter().chain([&v]).map(|&u| fixed_log2(states[u as usize])).sum();
                let mut fill = 0;
                for &a in near {
                    for &b in near.range(a + 1..) {
                        if !sets[a as usize].contains(&b) {
                            let product = u64::from(states[a as usize] * states[b as usize]);
                            fill += if rule == Rule::WeightedFill { product } else { 1 };
                        }
                    }
                }
                if rule == Rule::Weight { (size, near.len() as u64, v) } else { (fill, size, v) }
            };
            let v = *left.iter().min_by_key(|v| score(v)).unwrap();
            let near = std::mem::take(&mut sets[v as usize]);
            for &a in &near {
                sets[a as usize].extend(near.iter().filter(|&&b| b != a));
                sets[a as usize].remove(&v);
            }
            left.remove(&v);
            order.push(v);
        }
        order
    }

    #[test]
    fn kept_scores_are_those_from_scratch() {
        let mut stream = Stream::new(5, "order");
        for round in 0..300u64 {
            let n = 2 + stream.below(18) as u32;
            let states: Vec<u32> = (0..n).map(|_| 1 + stream.below(5) as u32).collect();
            let mut graph = Graph::new(n as usize);
            (0..n).for_each(|v| graph.add(v));
            for _ in 0..stream.below(u64::from(2 * n)) {
                let scope: Vec<u32> = (0..n).filter(|_| stream.below(u64::from(n)) < 3).collect();
                graph.join(&scope);
            }
            graph.settle();
            let rule = RULES[(round % 3) as usize];
            let keep = vec![false; n as usize];
            let found = eliminate(&graph, &states, &keep, rule, u64::MAX).unwrap();
            assert_eq!(found.order, spec(&graph, &states, rule), "{rule:?}");
        }
    }

    #[test]
    fn gives_up_on_a_clique_too_wide() {
        let mut graph = Graph::new(40);
        graph.join(&(0..40).collect::<Vec<u32>>());
        graph.settle();
        let found = eliminate(&graph, &[4; 40], &[false; 40], Rule::Fill, 1 << 30).unwrap_err();
        assert_eq!(found.clique.len(), 40);
    }
}
