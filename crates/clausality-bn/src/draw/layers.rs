//! Layers: every node below all its parents, arcs as short as may be, and no layer much wider than a page.
//!
//! The sum of the lengths of all arcs is least (network simplex). A layer that is too wide is folded: its nodes, from left to
//! right, are dealt to two or more layers in turn, like bricks in a wall, and arcs pass between them.

use super::layered::Layered;
use super::piece::Piece;
use super::place::NODE_GAP;
use super::simplex::{self, Edge};

/// The layer of every node, from 0 at the top, in two ways that are equally short: where a node could stand in several layers, they
/// tend to differ.
pub(super) fn layers(piece: &Piece) -> [Vec<usize>; 2] {
    let edge = |&(from, to): &(usize, usize)| Edge { from, to, length: 1, weight: 1 };
    let edges: Vec<Edge> = piece.arcs.iter().map(edge).collect();
    let turned: Vec<Edge> = edges.iter().map(|e| Edge { from: e.to, to: e.from, ..*e }).collect();
    let down = simplex::solve(piece.sizes.len(), &edges);
    let up = simplex::solve(piece.sizes.len(), &turned);
    let last = up.iter().copied().max().unwrap_or(0);
    [down.iter().map(|&y| y as usize).collect(), up.iter().map(|&y| (last - y) as usize).collect()]
}

/// The layers of a graph whose nodes are in order, where those with nodes wider than the limit are folded.
pub(super) fn folded(graph: &Layered, limit: f64) -> Vec<usize> {
    let mut folded = vec![0; graph.nodes];
    let mut top = 0;
    for layer in &graph.layers {
        let nodes: Vec<usize> = layer.iter().copied().filter(|&v| !graph.is_bend(v)).collect();
        let width: f64 = nodes.iter().map(|&v| graph.width[v] + NODE_GAP).sum();
        let folds = ((width / limit).ceil() as usize).clamp(1, nodes.len().max(1));
        for hand in nodes.chunks(folds) {
            // Who has more below than above goes to the lower layers.
            let mut hand = hand.to_vec();
            if hand.len() == folds {
                hand.sort_by_key(|&v| graph.down[v].len() as i64 - graph.up[v].len() as i64);
            }
            hand.iter().enumerate().for_each(|(fold, &v)| folded[v] = top + fold);
        }
        top += folds;
    }
    folded
}
