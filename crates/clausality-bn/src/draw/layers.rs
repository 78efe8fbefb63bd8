//! Layers: every node below all its parents, and arcs as short as may be.

use super::arrange::Piece;

/// The layer of every node, from 0 at the top.
pub(super) fn layers(piece: &Piece) -> Vec<usize> {
    let n = piece.sizes.len();
    let (mut parents, mut children) = (vec![vec![]; n], vec![vec![]; n]);
    for &(parent, child) in &piece.arcs {
        parents[child].push(parent);
        children[parent].push(child);
    }
    let mut waiting: Vec<usize> = parents.iter().map(Vec::len).collect();
    let mut order: Vec<usize> = (0..n).filter(|&v| waiting[v] == 0).collect();
    let mut layer = vec![0; n];
    let mut at = 0;
    while at < order.len() {
        let v = order[at];
        at += 1;
        for &child in &children[v] {
            layer[child] = layer[child].max(layer[v] + 1);
            waiting[child] -= 1;
            if waiting[child] == 0 {
                order.push(child);
            }
        }
    }
    // A node with more children than parents is better off near its children.
    for &v in order.iter().rev() {
        if children[v].len() > parents[v].len()
            && let Some(lowest) = children[v].iter().map(|&c| layer[c] - 1).min()
        {
            layer[v] = layer[v].max(lowest);
        }
    }
    let top = layer.iter().copied().min().unwrap_or(0);
    layer.iter_mut().for_each(|l| *l -= top);
    layer
}
