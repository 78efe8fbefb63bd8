//! Directed acyclic graphs over nodes `0..n`.
//!
//! An arc is always named `(parent, child)`. No value of [`Dag`] is ever cyclic: arcs come in
//! through [`Dag::try_add`], which refuses the arc that would close a cycle and hands back the cycle (one search through
//! the descendants of the child), or all at once through [`Dag::from_arcs`]; all orders are by index, so equal graphs answer equally however they were
//! built.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};
use thiserror::Error as ThisError;

/// The cycle that an arc would have closed.
#[derive(Debug, Clone, PartialEq, Eq, ThisError)]
#[error("the arc would close a cycle through nodes {path:?}")]
pub struct Cycle {
    /// The nodes in the direction of the arcs: the refused arc runs from `path[0]` to `path[1]` (or to itself), and
    /// the last node is a parent of the first.
    pub path: Vec<usize>,
}

/// A directed graph without cycles. Two graphs are equal when they have the same nodes and the same arcs.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct Dag {
    parents: Vec<Vec<usize>>,
    children: Vec<Vec<usize>>,
    arcs: usize,
}

impl Dag {
    /// A graph of `nodes` nodes without arcs.
    pub fn new(nodes: usize) -> Self {
        Dag { parents: vec![Vec::new(); nodes], children: vec![Vec::new(); nodes], arcs: 0 }
    }

    /// The graph with these arcs (an arc given twice is there once), or a cycle that they contain. Linear but for
    /// sorting, so the way to build a large graph at once.
    ///
    /// # Panics
    /// If a node is not in `0..nodes`.
    pub fn from_arcs(nodes: usize, arcs: impl IntoIterator<Item = (usize, usize)>) -> Result<Self, Cycle> {
        let mut dag = Dag::new(nodes);
        for (parent, child) in arcs {
            dag.parents[child].push(parent);
        }
        for child in 0..nodes {
            dag.parents[child].sort_unstable();
            dag.parents[child].dedup();
            dag.arcs += dag.parents[child].len();
            for &parent in &dag.parents[child] {
                dag.children[parent].push(child);
            }
        }
        let order = dag.kahn();
        if order.len() == nodes { Ok(dag) } else { Err(dag.cycle_outside(&order)) }
    }

    /// A cycle among the nodes that could not be ordered: each of them has a parent among them.
    fn cycle_outside(&self, ordered: &[usize]) -> Cycle {
        let mut left = vec![true; self.len()];
        ordered.iter().for_each(|&v| left[v] = false);
        let mut place = vec![usize::MAX; self.len()];
        let mut walk = Vec::new();
        let mut at = left.iter().position(|&l| l).unwrap_or(0);
        while place[at] == usize::MAX {
            place[at] = walk.len();
            walk.push(at);
            at = self.parents[at].iter().copied().find(|&p| left[p]).unwrap_or(at);
        }
        // The walk went from children to parents.
        let mut path = walk.split_off(place[at]);
        path.reverse();
        let smallest = path.iter().enumerate().min_by_key(|&(_, v)| *v).map_or(0, |(i, _)| i);
        path.rotate_left(smallest);
        Cycle { path }
    }

    /// The number of nodes.
    pub fn len(&self) -> usize {
        self.parents.len()
    }

    /// Whether there is no node at all.
    pub fn is_empty(&self) -> bool {
        self.parents.is_empty()
    }

    /// The number of arcs.
    pub fn arc_count(&self) -> usize {
        self.arcs
    }

    /// Adds the arc, or refuses it with the cycle it would close. An arc already there is left alone.
    ///
    /// # Panics
    /// If a node is not in `0..self.len()`.
    pub fn try_add(&mut self, parent: usize, child: usize) -> Result<(), Cycle> {
        assert!(parent < self.len() && child < self.len(), "arc between nodes outside the graph");
        let Err(place) = self.parents[child].binary_search(&parent) else { return Ok(()) };
        if parent == child {
            return Err(Cycle { path: vec![parent] });
        }
        if let Some(mut path) = self.path(child, parent) {
            path.rotate_right(1);
            return Err(Cycle { path });
        }
        self.parents[child].insert(place, parent);
        let place = self.children[parent].partition_point(|&c| c < child);
        self.children[parent].insert(place, child);
        self.arcs += 1;
        Ok(())
    }

    /// Removes the arc; says whether it was there.
    pub fn remove(&mut self, parent: usize, child: usize) -> bool {
        let Ok(place) = self.parents[child].binary_search(&parent) else { return false };
        self.parents[child].remove(place);
        self.children[parent].retain(|&c| c != child);
        self.arcs -= 1;
        true
    }

    /// Turns the arc `parent → child` round, or leaves the graph as it was and hands back the cycle that would close.
    /// Turning an arc that is not there changes nothing.
    pub fn try_reverse(&mut self, parent: usize, child: usize) -> Result<(), Cycle> {
        if !self.remove(parent, child) {
            return Ok(());
        }
        let turned = self.try_add(child, parent);
        if turned.is_err() {
            let restored = self.try_add(parent, child);
            debug_assert!(restored.is_ok(), "an arc that was legal is legal again");
        }
        turned
    }

    /// Whether `parent → child` is an arc.
    pub fn has(&self, parent: usize, child: usize) -> bool {
        self.parents[child].binary_search(&parent).is_ok()
    }

    /// Whether an arc joins the two nodes in either direction.
    pub fn adjacent(&self, a: usize, b: usize) -> bool {
        self.has(a, b) || self.has(b, a)
    }

    /// The parents of a node, ascending.
    pub fn parents(&self, node: usize) -> &[usize] {
        &self.parents[node]
    }

    /// The children of a node, ascending.
    pub fn children(&self, node: usize) -> &[usize] {
        &self.children[node]
    }

    /// All arcs as `(parent, child)`, ascending.
    pub fn arcs(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        self.children.iter().enumerate().flat_map(|(parent, cs)| cs.iter().map(move |&child| (parent, child)))
    }

    /// The nodes from which `node` can be reached, ascending, without itself.
    pub fn ancestors(&self, node: usize) -> Vec<usize> {
        reached(&self.parents, node)
    }

    /// The nodes that can be reached from `node`, ascending, without itself.
    pub fn descendants(&self, node: usize) -> Vec<usize> {
        reached(&self.children, node)
    }

    /// The parents, the children and the children's other parents of `node`, ascending: where these are known, no other node says
    /// anything of it.
    pub fn blanket(&self, node: usize) -> Vec<usize> {
        let others: Vec<bool> = (0..self.len()).map(|v| v != node).collect();
        let reached = self.trails(node, &others);
        (0..self.len()).filter(|&v| reached[v] && others[v]).collect()
    }

    /// Whether the graph says that two nodes are independent given others: that these block every trail between them (d-separation). A node
    /// that is known has nothing left to depend on.
    pub fn separates(&self, given: &[usize], a: usize, b: usize) -> bool {
        let mut observed = vec![false; self.len()];
        given.iter().for_each(|&v| observed[v] = true);
        observed[a] || observed[b] || !self.trails(a, &observed)[b]
    }

    /// The nodes that a trail of dependence reaches from `start`, which counts as unknown, where some are observed: the observed ones
    /// among them are those that say something of it, the others depend on it.
    ///
    /// Implements: R. Shachter, Bayes-Ball: The Rational Pastime (UAI 1998).
    pub fn trails(&self, start: usize, observed: &[bool]) -> Vec<bool> {
        let n = self.len();
        let (mut up, mut down, mut reached) = (vec![false; n], vec![false; n], vec![false; n]);
        // (node, whether the trail came from a child)
        let mut stack = vec![(start, true)];
        while let Some((v, from_child)) = stack.pop() {
            reached[v] = true;
            let (to_parents, to_children) = match (from_child, observed[v]) {
                (true, false) => (true, true),
                (true, true) => (false, false),
                (false, true) => (true, false),
                (false, false) => (false, true),
            };
            if to_parents && !std::mem::replace(&mut up[v], true) {
                stack.extend(self.parents(v).iter().map(|&p| (p, true)));
            }
            if to_children && !std::mem::replace(&mut down[v], true) {
                stack.extend(self.children(v).iter().map(|&c| (c, false)));
            }
        }
        reached
    }

    /// A shortest directed path, both ends included (the one with the smallest indices, breadth first).
    pub fn path(&self, from: usize, to: usize) -> Option<Vec<usize>> {
        // Most arcs join a child that leads nowhere yet: answer that without touching the whole graph.
        if from != to && (self.children[from].is_empty() || self.parents[to].is_empty()) {
            return None;
        }
        let mut before = vec![usize::MAX; self.len()];
        let mut queue = VecDeque::from([from]);
        before[from] = from;
        while let Some(node) = queue.pop_front() {
            if node == to {
                let mut path = vec![to];
                let mut at = to;
                while at != from {
                    at = before[at];
                    path.push(at);
                }
                path.reverse();
                return Some(path);
            }
            for &child in &self.children[node] {
                if before[child] == usize::MAX {
                    before[child] = node;
                    queue.push_back(child);
                }
            }
        }
        None
    }

    /// The nodes with every parent before its children; of the nodes possible next, the smallest index.
    pub fn topological_order(&self) -> Vec<usize> {
        let order = self.kahn();
        debug_assert_eq!(order.len(), self.len(), "a Dag is never cyclic");
        order
    }

    /// Nodes whose parents are all ordered, one by one, as far as that goes.
    fn kahn(&self) -> Vec<usize> {
        let mut waiting: Vec<usize> = self.parents.iter().map(Vec::len).collect();
        let mut ready: BinaryHeap<Reverse<usize>> =
            (0..self.len()).filter(|&v| waiting[v] == 0).map(Reverse).collect();
        let mut order = Vec::with_capacity(self.len());
        while let Some(Reverse(node)) = ready.pop() {
            order.push(node);
            for &child in &self.children[node] {
                waiting[child] -= 1;
                if waiting[child] == 0 {
                    ready.push(Reverse(child));
                }
            }
        }
        order
    }
}

fn reached(next: &[Vec<usize>], start: usize) -> Vec<usize> {
    let mut seen = vec![false; next.len()];
    let mut stack = vec![start];
    while let Some(node) = stack.pop() {
        for &n in &next[node] {
            if !seen[n] {
                seen[n] = true;
                stack.push(n);
            }
        }
    }
    (0..next.len()).filter(|&n| seen[n]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn refuses_cycles_and_shows_them() {
        let mut dag = Dag::from_arcs(4, [(0, 1), (1, 2), (2, 3)]).unwrap();
        assert_eq!(dag.try_add(3, 0), Err(Cycle { path: vec![3, 0, 1, 2] }));
        assert_eq!(dag.try_add(1, 1), Err(Cycle { path: vec![1] }));
        assert_eq!(dag.try_add(2, 1), Err(Cycle { path: vec![2, 1] }));
        assert_eq!(dag.arc_count(), 3);
        assert_eq!(dag.try_add(0, 1), Ok(()));
        assert_eq!(dag.arc_count(), 3, "an arc is there once");
    }

    #[test]
    fn finds_a_cycle_among_many_arcs() {
        let arcs = [(5, 3), (3, 1), (1, 4), (4, 3), (0, 5), (4, 2)];
        assert_eq!(Dag::from_arcs(6, arcs), Err(Cycle { path: vec![1, 4, 3] }));
        assert_eq!(Dag::from_arcs(2, [(1, 1)]), Err(Cycle { path: vec![1] }));
        assert_eq!(Dag::from_arcs(2, [(0, 1), (0, 1)]).unwrap().arc_count(), 1);
    }

    #[test]
    fn turns_arcs_unless_a_cycle_closes() {
        let mut dag = Dag::from_arcs(3, [(0, 1), (1, 2), (0, 2)]).unwrap();
        let before = dag.clone();
        assert!(dag.try_reverse(0, 2).is_err());
        assert_eq!(dag, before);
        assert_eq!(dag.try_reverse(0, 1), Ok(()));
        assert!(dag.has(1, 0) && !dag.has(0, 1));
    }

    #[test]
    fn knows_its_relatives() {
        let dag = Dag::from_arcs(6, [(0, 2), (1, 2), (2, 3), (4, 3)]).unwrap();
        assert_eq!(dag.ancestors(3), [0, 1, 2, 4]);
        assert_eq!(dag.descendants(0), [2, 3]);
        assert_eq!(dag.topological_order(), [0, 1, 2, 4, 3, 5]);
        assert_eq!(dag.path(1, 3), Some(vec![1, 2, 3]));
        assert_eq!(dag.path(3, 1), None);
        assert_eq!(dag.arcs().collect::<Vec<_>>(), [(0, 2), (1, 2), (2, 3), (4, 3)]);
    }

    /// Separation by the textbook: among the ancestors of all that is asked for, with parents married and the known nodes taken out, no
    /// way leads from one to the other.
    fn separated_in_moral_graph(dag: &Dag, a: usize, b: usize, given: &[usize]) -> bool {
        let asked: Vec<usize> = [a, b].into_iter().chain(given.iter().copied()).collect();
        let kept: Vec<usize> = (0..dag.len())
            .filter(|&v| asked.iter().any(|&w| w == v || dag.ancestors(w).contains(&v)))
            .collect();
        let married = |x: usize, y: usize| kept.iter().any(|&c| dag.has(x, c) && dag.has(y, c));
        let mut seen = vec![a];
        let mut next = 0;
        while next < seen.len() {
            let x = seen[next];
            next += 1;
            for &y in kept.iter().filter(|y| !given.contains(y)) {
                if !seen.contains(&y) && (dag.adjacent(x, y) || married(x, y)) {
                    seen.push(y);
                }
            }
        }
        given.contains(&a) || given.contains(&b) || !seen.contains(&b)
    }

    proptest! {
        #[test]
        fn separation_is_that_of_the_moral_graph(
            arcs in prop::collection::vec((0..7usize, 0..7usize), 0..14),
            known in prop::collection::vec(0..7usize, 0..3),
        ) {
            let mut dag = Dag::new(7);
            arcs.iter().for_each(|&(p, c)| drop(dag.try_add(p, c)));
            for a in 0..7 {
                for b in (0..7).filter(|&b| b != a) {
                    let separate = dag.separates(&known, a, b);
                    prop_assert_eq!(separate, separated_in_moral_graph(&dag, a, b, &known), "{} {}", a, b);
                }
                let blanket = dag.blanket(a);
                let other = (0..7).filter(|&v| v != a && !blanket.contains(&v));
                other.for_each(|v| assert!(dag.separates(&blanket, a, v)));
                blanket.iter().for_each(|v| {
                    let rest: Vec<usize> = blanket.iter().copied().filter(|w| w != v).collect();
                    assert!(!dag.separates(&rest, a, *v), "{v} is needed in the blanket of {a}");
                });
            }
        }

        /// Whatever is tried, the order puts parents first, refused arcs close a real cycle, and the insertion order
        /// leaves no trace.
        #[test]
        fn never_cyclic(arcs in prop::collection::vec((0..12usize, 0..12usize), 0..80)) {
            let mut dag = Dag::new(12);
            for &(p, c) in &arcs {
                if let Err(Cycle { path }) = dag.try_add(p, c) {
                    prop_assert_eq!(path[0], p);
                    for pair in path[1..].windows(2) {
                        prop_assert!(dag.has(pair[0], pair[1]));
                    }
                    if p != c {
                        prop_assert_eq!(path[1], c);
                        prop_assert!(dag.has(path[path.len() - 1], p));
                    }
                }
            }
            let order = dag.topological_order();
            let mut place = [0; 12];
            for (i, &v) in order.iter().enumerate() {
                place[v] = i;
            }
            for (p, c) in dag.arcs() {
                prop_assert!(place[p] < place[c]);
            }
            let mut backwards: Vec<_> = dag.arcs().collect();
            backwards.reverse();
            prop_assert_eq!(Dag::from_arcs(12, backwards).unwrap(), dag.clone());
            // All at once: refused exactly when one by one something is refused, with a real cycle.
            match Dag::from_arcs(12, arcs.iter().copied()) {
                Ok(same) => prop_assert_eq!(same, dag),
                Err(Cycle { path }) => {
                    prop_assert!(arcs.iter().any(|&(p, c)| !dag.has(p, c)));
                    for i in 0..path.len() {
                        prop_assert!(arcs.contains(&(path[i], path[(i + 1) % path.len()])));
                    }
                }
            }
        }
    }
}
