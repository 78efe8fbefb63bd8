//! Orders to begin with, and to go on with where no step helps.

use super::local::NodeSet;
use super::order::Search;
use crate::watch::Cancelled;
use clausality_bn::random::Stream;
use clausality_bn::{Dag, Pdag};

impl Search<'_, '_> {
    pub(super) fn shuffle(&mut self, items: &mut [usize]) {
        for i in (1..items.len()).rev() {
            items.swap(i, self.stream.below(i as u64 + 1) as usize);
        }
    }

    /// A disturbed copy of an order: a few moves, a shuffled stretch, a shuffled family, or an order of an equivalent graph.
    pub(super) fn shake(&mut self, order: &[usize]) -> Result<Vec<usize>, Cancelled> {
        let mut new = order.to_vec();
        let n = new.len();
        match self.stream.below(4) {
            0 => {
                for _ in 0..2 + self.stream.below(4) {
                    let node = new.remove(self.stream.below(n as u64) as usize);
                    new.insert(self.stream.below(n as u64) as usize, node);
                }
            }
            1 => {
                let length = (2 + self.stream.below(7) as usize).min(n);
                let from = self.stream.below((n - length + 1) as u64) as usize;
                let mut stretch = new[from..from + length].to_vec();
                self.shuffle(&mut stretch);
                new[from..from + length].copy_from_slice(&stretch);
            }
            2 => {
                let centre = new[self.stream.below(n as u64) as usize];
                let parents = self.parents(order)?;
                let near = |v: usize| {
                    v == centre
                        || parents[centre].contains(&(v as u32))
                        || parents[v].contains(&(centre as u32))
                };
                let places: Vec<usize> = (0..n).filter(|&i| near(new[i])).collect();
                let mut family: Vec<usize> = places.iter().map(|&i| new[i]).collect();
                self.shuffle(&mut family);
                places.iter().zip(family).for_each(|(&i, v)| new[i] = v);
            }
            _ => {
                let parents = self.parents(order)?;
                new = equivalent(&parents, &mut self.stream);
            }
        }
        Ok(new)
    }

    /// An order that keeps required parents before their children, as random as that allows.
    pub(super) fn random_order(&mut self) -> Vec<usize> {
        let mut rest: Vec<usize> = (0..self.nodes).collect();
        self.shuffle(&mut rest);
        let mut order = Vec::with_capacity(self.nodes);
        let mut placed = NodeSet::new(self.nodes);
        while !rest.is_empty() {
            let ready = rest.iter().position(|&v| self.locals[v].required.iter().all(|&p| placed.has(p)));
            let node = rest.remove(ready.unwrap_or(0));
            placed.add(node);
            order.push(node);
        }
        order
    }
}

/// An order of a graph from the same class, at random: a score that is the same for the whole class sees no difference, but
/// others are within a step.
///
/// Edges that the class leaves undirected are directed along a maximum cardinality search with ties at random, which makes no new collider
/// (Tarjan and Yannakakis, *Simple linear-time algorithms to test chordality of graphs*, 1984).
fn equivalent(parents: &[Vec<u32>], stream: &mut Stream) -> Vec<usize> {
    let arcs = parents.iter().enumerate().flat_map(|(v, own)| own.iter().map(move |&p| (p as usize, v)));
    let class = Pdag::complete(&Dag::from_arcs(parents.len(), arcs).expect("parents come first in an order"));
    let place = by_cardinality(parents.len(), &class, stream);
    let mut children: Vec<Vec<usize>> = vec![vec![]; parents.len()];
    let mut missing = vec![0; parents.len()];
    let directed = class.undirected().map(|(a, b)| if place[a] < place[b] { (a, b) } else { (b, a) });
    for (parent, child) in class.directed().chain(directed) {
        children[parent].push(child);
        missing[child] += 1;
    }
    let mut ready: Vec<usize> = (0..parents.len()).filter(|&v| missing[v] == 0).collect();
    let mut order = Vec::with_capacity(parents.len());
    while !ready.is_empty() {
        let node = ready.swap_remove(stream.below(ready.len() as u64) as usize);
        order.push(node);
        for &child in &children[node] {
            missing[child] -= 1;
            if missing[child] == 0 {
                ready.push(child);
            }
        }
    }
    order
}

/// The place of every node in a walk that goes next to where most undirected neighbours have been visited.
fn by_cardinality(nodes: usize, class: &Pdag, stream: &mut Stream) -> Vec<usize> {
    let mut near: Vec<Vec<usize>> = vec![vec![]; nodes];
    for (a, b) in class.undirected() {
        near[a].push(b);
        near[b].push(a);
    }
    const NOT_YET: usize = usize::MAX;
    let mut place = vec![NOT_YET; nodes];
    let mut visited = vec![0; nodes];
    // By visited neighbours; a node stays where it was when it moves up.
    let mut open: Vec<Vec<usize>> = vec![(0..nodes).collect()];
    for at in 0..nodes {
        let node = loop {
            while open.last().is_some_and(Vec::is_empty) {
                open.pop();
            }
            let level = open.len() - 1;
            let pick = stream.below(open[level].len() as u64) as usize;
            let node = open[level].swap_remove(pick);
            if place[node] == NOT_YET && visited[node] == level {
                break node;
            }
        };
        place[node] = at;
        for &other in near[node].iter().filter(|&&other| place[other] == NOT_YET) {
            visited[other] += 1;
            let level = visited[other];
            open.resize(open.len().max(level + 1), vec![]);
            open[level].push(other);
        }
    }
    place
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::embedded;

    #[test]
    fn equivalent_orders_are_of_the_class_and_differ() {
        for name in ["asia", "child", "alarm"] {
            let truth = embedded::network(name).unwrap();
            let dag = truth.dag();
            let parents: Vec<Vec<u32>> =
                (0..dag.len()).map(|v| dag.parents(v).iter().map(|&p| p as u32).collect()).collect();
            let class = Pdag::complete(dag);
            let mut stream = Stream::new(1, "test");
            let mut graphs = std::collections::BTreeSet::new();
            for _ in 0..50 {
                let order = equivalent(&parents, &mut stream);
                let place = |v: usize| order.iter().position(|&o| o == v).unwrap();
                let arcs = dag.arcs().map(|(a, b)| if place(a) < place(b) { (a, b) } else { (b, a) });
                let other = Dag::from_arcs(dag.len(), arcs).unwrap();
                assert_eq!(Pdag::complete(&other), class, "{name}");
                graphs.insert(other.arcs().collect::<Vec<_>>());
            }
            assert!(graphs.len() > 1, "{name}");
        }
    }
}
