//! Places from left to right.

use super::layered::Layered;

/// Between two nodes of a layer.
const NODE_GAP: f64 = 18.0;
/// Where one of two neighbours is a bend.
const BEND_GAP: f64 = 12.0;
const SWEEPS: usize = 24;

/// How far apart the middles of two neighbours stand at least.
pub(super) fn separation(graph: &Layered, left: usize, right: usize) -> f64 {
    let gap = if graph.is_bend(left) || graph.is_bend(right) { BEND_GAP } else { NODE_GAP };
    (graph.width[left] + graph.width[right]) / 2.0 + gap
}

/// The middle of every vertex, from left to right.
pub(super) fn places(graph: &Layered) -> Vec<f64> {
    let mut x = vec![0.0; graph.len()];
    for layer in &graph.layers {
        for pair in layer.windows(2) {
            x[pair[1]] = x[pair[0]] + separation(graph, pair[0], pair[1]);
        }
    }
    for sweep in 0..SWEEPS {
        let count = graph.layers.len();
        for step in 0..count {
            let layer = if sweep % 2 == 0 { step } else { count - 1 - step };
            settle(graph, layer, &mut x);
        }
    }
    x
}

/// Moves a layer as near to its neighbours as the order allows: least squares by pooling what would overlap.
fn settle(graph: &Layered, layer: usize, x: &mut [f64]) {
    let order = &graph.layers[layer];
    let mut offset = 0.0;
    let mut pools: Vec<(f64, f64, usize)> = Vec::new();
    let mut offsets = Vec::with_capacity(order.len());
    for (i, &v) in order.iter().enumerate() {
        if i > 0 {
            offset += separation(graph, order[i - 1], v);
        }
        offsets.push(offset);
        let near = || graph.up[v].iter().chain(&graph.down[v]);
        let weigh = |&u: &usize| if graph.is_bend(u) && graph.is_bend(v) { 8.0 } else { 1.0 };
        let weight: f64 = near().map(weigh).sum();
        let (weight, aim) = match weight > 0.0 {
            true => (weight, near().map(|u| weigh(u) * x[*u]).sum::<f64>() / weight),
            false => (0.1, x[v]),
        };
        let mut pool = (weight, weight * (aim - offset), 1);
        while let Some(last) = pools.last() {
            if last.1 / last.0 < pool.1 / pool.0 {
                break;
            }
            pool = (last.0 + pool.0, last.1 + pool.1, last.2 + pool.2);
            pools.pop();
        }
        pools.push(pool);
    }
    let mut at = 0;
    for (weight, sum, count) in pools {
        for _ in 0..count {
            x[order[at]] = sum / weight + offsets[at];
            at += 1;
        }
    }
}
