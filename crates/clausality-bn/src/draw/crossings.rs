//! Orders within layers that leave few crossings.

use super::layered::Layered;

const SWEEPS: usize = 12;

/// Puts the layers in order; of all orders met, the one with the fewest crossings stays.
pub(super) fn untangle(graph: &mut Layered) {
    let mut best = (crossings(graph), graph.layers.clone());
    for sweep in 0..SWEEPS {
        let mut place = graph.places();
        let count = graph.layers.len();
        for step in 1..count {
            let layer = if sweep % 2 == 0 { step } else { count - 1 - step };
            let near = if sweep % 2 == 0 { &graph.up } else { &graph.down };
            let mut keyed: Vec<(f64, usize)> = graph.layers[layer]
                .iter()
                .map(|&v| {
                    let sum: usize = near[v].iter().map(|&u| place[u]).sum();
                    let mean =
                        if near[v].is_empty() { place[v] as f64 } else { sum as f64 / near[v].len() as f64 };
                    (mean, v)
                })
                .collect();
            keyed.sort_by(|a, b| a.0.total_cmp(&b.0));
            graph.layers[layer] = keyed.iter().map(|&(_, v)| v).collect();
            graph.layers[layer].iter().enumerate().for_each(|(i, &v)| place[v] = i);
        }
        let found = crossings(graph);
        if found < best.0 {
            best = (found, graph.layers.clone());
        }
    }
    graph.layers = best.1;
}

/// How often arcs cross between neighbouring layers.
pub(super) fn crossings(graph: &Layered) -> usize {
    let place = graph.places();
    let below = |layer: &Vec<usize>| {
        let ends = layer.iter().flat_map(|&v| {
            let mut ends: Vec<usize> = graph.down[v].iter().map(|&u| place[u]).collect();
            ends.sort_unstable();
            ends
        });
        inversions(&ends.collect::<Vec<_>>())
    };
    graph.layers.iter().map(below).sum()
}

/// How many pairs stand in the wrong order, by a tree of counts.
fn inversions(sequence: &[usize]) -> usize {
    let size = sequence.iter().max().map_or(0, |&last| last + 2);
    let mut counts = vec![0usize; size + 1];
    let (mut seen, mut found) = (0, 0);
    for &value in sequence {
        let (mut smaller, mut i) = (0, value + 1);
        while i > 0 {
            smaller += counts[i];
            i &= i - 1;
        }
        found += seen - smaller;
        i = value + 1;
        while i <= size {
            counts[i] += 1;
            i += i & i.wrapping_neg();
        }
        seen += 1;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inversions_are_counted() {
        assert_eq!(inversions(&[]), 0);
        assert_eq!(inversions(&[0, 1, 1, 2]), 0);
        assert_eq!(inversions(&[2, 1, 1, 0]), 5);
    }
}
