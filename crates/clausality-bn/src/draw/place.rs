//! Places from left to right: arcs as near to upright as the order of the layers allows, long arcs above all.
//!
//! The sum of |x[parent] − x[child]| over all stretches of arcs is least, where a stretch between two bends counts eight times, one between a bend and a node
//! twice (network simplex on a graph with an extra node for every stretch). In large graphs all bends of an arc share one
//! place from the start, unless arcs cross there, which keeps the problem small. Where several places are equally good, a node
//! goes to the middle of its children or parents.
//!
//! Implements: Gansner, Koutsofios, North and Vo (1993, doi:10.1109/32.221135), section 4.2.

use super::layered::Layered;
use super::simplex::{self, Edge};

/// Between two nodes of a layer.
pub(super) const NODE_GAP: f64 = 18.0;
/// Where one of two neighbours is a bend.
const BEND_GAP: f64 = 8.0;
/// The largest graph in which every bend has a place of its own.
const FREE_BENDS: usize = 700;
/// How often nodes are moved to the middle of their neighbours.
const CENTRINGS: usize = 6;

/// How far apart the middles of two neighbours stand at least.
pub(super) fn separation(graph: &Layered, left: usize, right: usize) -> f64 {
    let gap = if graph.is_bend(left) || graph.is_bend(right) { BEND_GAP } else { NODE_GAP };
    (graph.width[left] + graph.width[right]) / 2.0 + gap
}

/// The middle of every vertex, from left to right.
pub(super) fn places(graph: &Layered) -> Vec<f64> {
    let block = blocks(graph);
    let mut count = block.iter().max().map_or(0, |&last| last + 1);
    let mut edges = Vec::new();
    for layer in &graph.layers {
        for pair in layer.windows(2) {
            let length = separation(graph, pair[0], pair[1]).ceil() as i64;
            edges.push(Edge { from: block[pair[0]], to: block[pair[1]], length, weight: 0 });
        }
    }
    for v in 0..graph.len() {
        for &u in graph.down[v].iter().filter(|&&u| block[u] != block[v]) {
            let weight = match (graph.is_bend(u), graph.is_bend(v)) {
                (true, true) => 8,
                (false, false) => 1,
                _ => 2,
            };
            edges.extend([v, u].map(|end| Edge { from: count, to: block[end], length: 0, weight }));
            count += 1;
        }
    }
    let y = simplex::solve(count, &edges);
    let mut x: Vec<f64> = block.iter().map(|&b| y[b] as f64).collect();
    for round in 0..CENTRINGS {
        centre(graph, &mut x, round % 2 == 0);
    }
    x
}

/// Which vertices share a place: in a large graph the bends of an arc as far as no other long arc crosses.
fn blocks(graph: &Layered) -> Vec<usize> {
    let mut block: Vec<usize> = (0..graph.len()).collect();
    if graph.len() <= FREE_BENDS {
        return block;
    }
    let place = graph.places();
    for layer in &graph.layers {
        let mut last = None;
        for &v in layer.iter().filter(|&&v| graph.is_bend(v)) {
            for &u in graph.down[v].iter().filter(|&&u| graph.is_bend(u)) {
                if last.is_none_or(|last| place[u] > last) {
                    last = Some(place[u]);
                    block[u] = block[v];
                }
            }
        }
    }
    // Numbers without holes.
    let mut number = vec![usize::MAX; graph.len()];
    let mut count = 0;
    for b in &mut block {
        if number[*b] == usize::MAX {
            number[*b] = count;
            count += 1;
        }
        *b = number[*b];
    }
    block
}

/// Moves nodes to the middle of the places that are equally good, as far as there is room.
fn centre(graph: &Layered, x: &mut [f64], leftwards: bool) {
    for layer in &graph.layers {
        for step in 0..layer.len() {
            let i = if leftwards { step } else { layer.len() - 1 - step };
            let v = layer[i];
            if graph.is_bend(v) || graph.up[v].len().max(graph.down[v].len()) < 2 {
                continue;
            }
            let mut aims: Vec<f64> = Vec::new();
            for &u in graph.up[v].iter().chain(&graph.down[v]) {
                // As in the sum that is least: a stretch to a bend counts twice.
                let times = if graph.is_bend(u) { 2 } else { 1 };
                aims.extend(std::iter::repeat_n(x[u], times));
            }
            aims.sort_by(f64::total_cmp);
            let aim = (aims[(aims.len() - 1) / 2] + aims[aims.len() / 2]) / 2.0;
            let left = (i > 0).then(|| x[layer[i - 1]] + separation(graph, layer[i - 1], v));
            let right = layer.get(i + 1).map(|&next| x[next] - separation(graph, v, next));
            let aim = left.map_or(aim, |left| aim.max(left));
            x[v] = right.map_or(aim, |right| aim.min(right)).round();
        }
    }
}
