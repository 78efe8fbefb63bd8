//! Places from left to right: arcs as near to upright as the order of the layers allows, long arcs above all.
//!
//! The sum of |x[parent] − x[child]| over all stretches of arcs is least, where a stretch between two bends counts eight times, one between a bend and a node
//! twice and the width of the whole sixteen times (network simplex on a graph with an extra node for every stretch and one at either side).
//! Where several places are equally good, a node goes to the middle of its children or parents.
//!
//! Implements: Gansner, Koutsofios, North and Vo (1993, doi:10.1109/32.221135), section 4.2.

use super::layered::Layered;
use super::simplex::{self, Edge};

/// Between two nodes of a layer.
pub(super) const NODE_GAP: f64 = 18.0;
/// Where one of two neighbours is a bend.
const BEND_GAP: f64 = 8.0;
/// What a unit of the width of the whole costs.
const WIDTH_WEIGHT: i64 = 16;
/// How often all layers are settled before that sum is made least.
const GUESSES: usize = 16;
/// How often nodes are moved to the middle of their neighbours.
const CENTRINGS: usize = 6;

/// How far apart the middles of two neighbours stand at least.
pub(super) fn separation(graph: &Layered, left: usize, right: usize) -> f64 {
    let gap = if graph.is_bend(left) || graph.is_bend(right) { BEND_GAP } else { NODE_GAP };
    (graph.width[left] + graph.width[right]) / 2.0 + gap
}

/// The middle of every vertex, from left to right.
pub(super) fn places(graph: &Layered) -> Vec<f64> {
    let mut start = guess(graph);
    let (left, right) = (graph.len(), graph.len() + 1);
    let (least, most) = (start.iter().min().copied(), start.iter().max().copied());
    start.extend([least.unwrap_or(0), most.unwrap_or(0)]);
    let mut edges = vec![Edge { from: left, to: right, length: 0, weight: WIDTH_WEIGHT }];
    let mut keep = |from: usize, to: usize, length: i64| edges.push(Edge { from, to, length, weight: 0 });
    for layer in graph.layers.iter().filter(|layer| !layer.is_empty()) {
        keep(left, layer[0], 0);
        keep(layer[layer.len() - 1], right, 0);
        layer.windows(2).for_each(|pair| keep(pair[0], pair[1], separation(graph, pair[0], pair[1]) as i64));
    }
    for v in 0..graph.len() {
        for &u in &graph.down[v] {
            let (from, weight) = (start.len(), weight(graph, u, v));
            edges.extend([v, u].map(|to| Edge { from, to, length: 0, weight }));
            start.push(start[v].min(start[u]));
        }
    }
    let mut x: Vec<f64> =
        simplex::solve_from(start, &edges)[..graph.len()].iter().map(|&y| y as f64).collect();
    for round in 0..CENTRINGS {
        centre(graph, &mut x, round % 2 == 0);
    }
    x
}

/// What a stretch costs for every unit sideways.
fn weight(graph: &Layered, one: usize, other: usize) -> i64 {
    match (graph.is_bend(one), graph.is_bend(other)) {
        (true, true) => 8,
        (false, false) => 1,
        _ => 2,
    }
}

/// Whole places to begin with: every layer in turn as near to its neighbours as its order allows.
fn guess(graph: &Layered) -> Vec<i64> {
    let mut x = vec![0.0; graph.len()];
    for layer in &graph.layers {
        for pair in layer.windows(2) {
            x[pair[1]] = x[pair[0]] + separation(graph, pair[0], pair[1]);
        }
    }
    let count = graph.layers.len();
    for sweep in 0..GUESSES {
        for step in 0..count {
            let layer = if sweep % 2 == 0 { step } else { count - 1 - step };
            settle(graph, layer, &mut x);
        }
    }
    let mut whole: Vec<i64> = x.iter().map(|x| x.round() as i64).collect();
    for layer in &graph.layers {
        for pair in layer.windows(2) {
            let least = whole[pair[0]] + separation(graph, pair[0], pair[1]) as i64;
            whole[pair[1]] = whole[pair[1]].max(least);
        }
    }
    whole
}

/// Moves a layer as near to its neighbours as its order allows: least squares by pooling what would overlap.
fn settle(graph: &Layered, layer: usize, x: &mut [f64]) {
    let order = &graph.layers[layer];
    let mut offset = 0.0;
    let mut aims = Vec::with_capacity(order.len());
    for (i, &v) in order.iter().enumerate() {
        if i > 0 {
            offset += separation(graph, order[i - 1], v);
        }
        let (mut total, mut sum) = (0.0, 0.0);
        for &u in graph.up[v].iter().chain(&graph.down[v]) {
            let weight = weight(graph, u, v) as f64;
            total += weight;
            sum += weight * x[u];
        }
        aims.push((offset, total, sum));
    }
    let pooled = pooled(aims.iter().map(|&(offset, total, sum)| (total, sum - total * offset)));
    for ((&v, &(offset, ..)), base) in order.iter().zip(&aims).zip(pooled) {
        x[v] = base + offset;
    }
}

/// The rising sequence nearest to aims, each given as (weight, weight × aim): pools of neighbours that would fall share their mean.
pub(super) fn pooled(aims: impl Iterator<Item = (f64, f64)>) -> Vec<f64> {
    let mut pools: Vec<(f64, f64, usize)> = Vec::new();
    for (weight, sum) in aims {
        let mut pool = (weight, sum, 1);
        while let Some(&(weight, sum, count)) = pools.last() {
            if sum / weight < pool.1 / pool.0 {
                break;
            }
            pool = (pool.0 + weight, pool.1 + sum, pool.2 + count);
            pools.pop();
        }
        pools.push(pool);
    }
    pools.iter().flat_map(|&(weight, sum, count)| std::iter::repeat_n(sum / weight, count)).collect()
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
