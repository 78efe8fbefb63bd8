//! Integer potentials that keep lengths and waste least: the network simplex method.
//!
//! Given edges with a least length and a weight, finds integers `y` with `y[to] - y[from] >= length` for every edge such
//! that the sum of `weight * (y[to] - y[from])` is least. Both layers and places from left to right are such problems.
//!
//! Implements: Gansner, Koutsofios, North and Vo (1993, doi:10.1109/32.221135), sections 2.3 and 4.2, with a simpler
//! account of the cut values: a tree edge's is the sum of (weight out − weight in) over the nodes below it, so that a
//! pivot changes it only along two paths to the root. Cost: a pivot is linear in the part of the tree that moves.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// A least distance between two nodes, and how much every unit of it costs.
#[derive(Debug, Clone, Copy)]
pub(super) struct Edge {
    pub(super) from: usize,
    pub(super) to: usize,
    pub(super) length: i64,
    pub(super) weight: i64,
}

/// No edge: the root has none above it.
const NONE: usize = usize::MAX;
/// How many candidates to leave the tree are compared.
const CANDIDATES: usize = 40;

/// The potentials of a connected graph without cycles. With very many pivots the search ends early, with potentials that are
/// legal and nearly best.
pub(super) fn solve(nodes: usize, edges: &[Edge]) -> Vec<i64> {
    solve_from(first(nodes, edges), edges)
}

/// The same, beginning with legal potentials: the nearer they are to the best, the sooner it is done.
pub(super) fn solve_from(start: Vec<i64>, edges: &[Edge]) -> Vec<i64> {
    let nodes = start.len();
    if nodes < 2 {
        return vec![0; nodes];
    }
    let mut simplex = Simplex::new(start, edges);
    let mut pivots = 40 * nodes + 1000;
    while let Some(leaving) = simplex.leaving() {
        if pivots == 0 || !simplex.pivot(leaving) {
            break;
        }
        pivots -= 1;
    }
    let least = simplex.y.iter().copied().min().unwrap_or(0);
    simplex.y.iter().map(|y| y - least).collect()
}

struct Simplex<'a> {
    edges: &'a [Edge],
    /// The edges at every node.
    near: Vec<Vec<usize>>,
    y: Vec<i64>,
    in_tree: Vec<bool>,
    /// The tree edge towards the root, of every node.
    up: Vec<usize>,
    /// Weight out minus weight in, over the node and all below it in the tree.
    surplus: Vec<i64>,
    /// Where the search for an edge to leave goes on.
    cursor: usize,
    /// Which pivot met the node last.
    met: Vec<usize>,
    round: usize,
}

impl<'a> Simplex<'a> {
    fn new(y: Vec<i64>, edges: &'a [Edge]) -> Self {
        let nodes = y.len();
        let mut near = vec![Vec::new(); nodes];
        let mut surplus = vec![0; nodes];
        for (e, edge) in edges.iter().enumerate() {
            near[edge.from].push(e);
            near[edge.to].push(e);
            surplus[edge.from] += edge.weight;
            surplus[edge.to] -= edge.weight;
        }
        let mut simplex = Simplex {
            edges,
            y,
            near,
            in_tree: vec![false; edges.len()],
            up: vec![NONE; nodes],
            surplus,
            cursor: 0,
            met: vec![0; nodes],
            round: 0,
        };
        let joined = simplex.grow_tree();
        for &v in joined.iter().rev() {
            if let Some(above) = simplex.above(v) {
                simplex.surplus[above] += simplex.surplus[v];
            }
        }
        simplex
    }

    /// Joins all nodes by edges without slack, moving what is joined so far to the nearest node outside. Gives the nodes in
    /// the order in which they joined, each after the one above it.
    fn grow_tree(&mut self) -> Vec<usize> {
        let mut inside = vec![false; self.y.len()];
        let mut joined = Vec::with_capacity(self.y.len());
        // Edges that lead out of and into the tree, by their slack before the tree moved by `shift`.
        let (mut out, mut into) = (BinaryHeap::new(), BinaryHeap::new());
        let (mut next, mut shift) = (Some((0, NONE)), 0);
        while let Some((v, edge)) = next.take() {
            inside[v] = true;
            joined.push(v);
            self.y[v] -= shift;
            self.up[v] = edge;
            if edge != NONE {
                self.in_tree[edge] = true;
            }
            for &e in &self.near[v] {
                let Edge { from, to, length, .. } = self.edges[e];
                if !inside[from] || !inside[to] {
                    let heap = if from == v { &mut out } else { &mut into };
                    heap.push(Reverse((self.y[to] - self.y[from] - length, e)));
                }
            }
            for heap in [&mut out, &mut into] {
                while heap
                    .peek()
                    .is_some_and(|Reverse((_, e))| inside[self.edges[*e].from] && inside[self.edges[*e].to])
                {
                    heap.pop();
                }
            }
            let slack_out = out.peek().map(|&Reverse((base, e))| (base - shift, e));
            let slack_into = into.peek().map(|&Reverse((base, e))| (base + shift, e));
            next = match (slack_out, slack_into) {
                (Some((slack, e)), other) if other.is_none_or(|(o, _)| slack <= o) => {
                    shift += slack;
                    Some((self.edges[e].to, e))
                }
                (_, Some((slack, e))) => {
                    shift -= slack;
                    Some((self.edges[e].from, e))
                }
                _ => None,
            };
        }
        joined.iter().for_each(|&v| self.y[v] += shift);
        joined
    }

    fn other_end(&self, edge: usize, v: usize) -> usize {
        let Edge { from, to, .. } = self.edges[edge];
        if from == v { to } else { from }
    }

    /// The node above in the tree.
    fn above(&self, v: usize) -> Option<usize> {
        (self.up[v] != NONE).then(|| self.other_end(self.up[v], v))
    }

    /// A node whose edge towards the root should leave the tree, the worst of the first few met.
    fn leaving(&mut self) -> Option<usize> {
        let n = self.y.len();
        let (mut worst, mut found, mut best) = (0, 0, None);
        for step in 0..n {
            let v = (self.cursor + step) % n;
            if self.up[v] == NONE {
                continue;
            }
            let cut = if self.edges[self.up[v]].from == v { self.surplus[v] } else { -self.surplus[v] };
            if cut < 0 {
                found += 1;
                if cut < worst {
                    (worst, best) = (cut, Some(v));
                }
                if found == CANDIDATES {
                    self.cursor = (v + 1) % n;
                    break;
                }
            }
        }
        best
    }

    /// Takes the edge above `v` out of the tree and puts in the one with the least slack that joins the two parts the other
    /// way. Without such an edge nothing changes.
    fn pivot(&mut self, v: usize) -> bool {
        self.round += 1;
        let leaving = self.up[v];
        let upwards = self.edges[leaving].from == v;
        let part = self.part_below(v);
        let mut entering: Option<(i64, usize)> = None;
        for &u in &part {
            for &e in &self.near[u] {
                let Edge { from, to, length, .. } = self.edges[e];
                let (inner, outer) = if upwards { (to, from) } else { (from, to) };
                if self.in_tree[e] || inner != u || self.met[outer] == self.round {
                    continue;
                }
                let slack = self.y[to] - self.y[from] - length;
                if entering.is_none_or(|best| (slack, e) < best) {
                    entering = Some((slack, e));
                }
            }
        }
        let Some((slack, entering)) = entering else { return false };
        let shift = if upwards { -slack } else { slack };
        part.iter().for_each(|&u| self.y[u] += shift);
        self.exchange(v, leaving, entering);
        true
    }

    /// The nodes below and with `v` in the tree; they are marked as met in this round.
    fn part_below(&mut self, v: usize) -> Vec<usize> {
        let mut part = vec![v];
        self.met[v] = self.round;
        let mut at = 0;
        while at < part.len() {
            let u = part[at];
            at += 1;
            for i in 0..self.near[u].len() {
                let e = self.near[u][i];
                if self.in_tree[e] && e != self.up[u] {
                    let below = self.other_end(e, u);
                    self.met[below] = self.round;
                    part.push(below);
                }
            }
        }
        part
    }

    /// Hangs the part below `v` onto the rest by the entering edge, and keeps the account of surpluses.
    fn exchange(&mut self, v: usize, leaving: usize, entering: usize) {
        let total = self.surplus[v];
        let Edge { from, to, .. } = self.edges[entering];
        let (inner, outer) = if self.met[from] == self.round { (from, to) } else { (to, from) };
        let mut at = self.above(v);
        while let Some(u) = at {
            self.surplus[u] -= total;
            at = self.above(u);
        }
        at = Some(outer);
        while let Some(u) = at {
            self.surplus[u] += total;
            at = self.above(u);
        }
        // The way from the new root of the part to its old one is turned round.
        let (mut u, mut edge, mut surplus) = (inner, entering, total);
        loop {
            let (old_edge, old_surplus) = (self.up[u], self.surplus[u]);
            let above = self.other_end(old_edge, u);
            (self.up[u], self.surplus[u]) = (edge, surplus);
            if u == v {
                break;
            }
            (u, edge, surplus) = (above, old_edge, total - old_surplus);
        }
        self.in_tree[leaving] = false;
        self.in_tree[entering] = true;
    }
}

/// Every node as low as its edges allow.
fn first(nodes: usize, edges: &[Edge]) -> Vec<i64> {
    let mut waiting = vec![0usize; nodes];
    let mut out = vec![Vec::new(); nodes];
    for edge in edges {
        waiting[edge.to] += 1;
        out[edge.from].push(edge);
    }
    let mut order: Vec<usize> = (0..nodes).filter(|&v| waiting[v] == 0).collect();
    let mut y = vec![0; nodes];
    let mut at = 0;
    while at < order.len() {
        let v = order[at];
        at += 1;
        for edge in &out[v] {
            y[edge.to] = y[edge.to].max(y[v] + edge.length);
            waiting[edge.to] -= 1;
            if waiting[edge.to] == 0 {
                order.push(edge.to);
            }
        }
    }
    y
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Tries all potentials up to a bound.
    fn exhaustive(nodes: usize, edges: &[Edge], most: i64) -> i64 {
        let mut best = i64::MAX;
        let mut y = vec![0; nodes];
        loop {
            if edges.iter().all(|e| y[e.to] - y[e.from] >= e.length) {
                best = best.min(cost(edges, &y));
            }
            let Some(v) = (0..nodes).find(|&v| y[v] < most) else { return best };
            y[v] += 1;
            y[..v].fill(0);
        }
    }

    fn cost(edges: &[Edge], y: &[i64]) -> i64 {
        edges.iter().map(|e| e.weight * (y[e.to] - y[e.from])).sum()
    }

    proptest! {
        #[test]
        fn no_potentials_are_better(
            tree in prop::collection::vec((0usize..100, 0i64..3, 0i64..4, any::<bool>()), 1..5),
            more in prop::collection::vec((0usize..5, 0usize..5, 0i64..3, 0i64..4), 0..6),
        ) {
            let nodes = tree.len() + 1;
            let mut edges: Vec<Edge> = tree
                .iter()
                .enumerate()
                .map(|(v, &(u, length, weight, _))| Edge { from: u % (v + 1), to: v + 1, length, weight })
                .collect();
            let inside = |&&(a, b, ..): &&(usize, usize, i64, i64)| a < b && b < nodes;
            edges.extend(more.iter().filter(inside).map(|&(from, to, length, weight)| Edge { from, to, length, weight }));
            let y = solve(nodes, &edges);
            prop_assert!(edges.iter().all(|e| y[e.to] - y[e.from] >= e.length), "{y:?}");
            prop_assert_eq!(cost(&edges, &y), exhaustive(nodes, &edges, 8));
        }
    }
}
