//! A graph in which every arc joins neighbouring layers: longer ones are cut by bends, points without a name.

use super::piece::Piece;

/// Room that a bend takes.
const BEND_WIDTH: f64 = 10.0;

/// Nodes and bends in layers. The first vertices are the nodes in their order, bends follow.
#[derive(Debug, Clone)]
pub(super) struct Layered {
    /// How many vertices are nodes.
    pub(super) nodes: usize,
    /// The vertices of every layer from left to right.
    pub(super) layers: Vec<Vec<usize>>,
    /// The layer of every vertex.
    pub(super) layer: Vec<usize>,
    /// The width of every vertex.
    pub(super) width: Vec<f64>,
    /// The neighbours in the layer above.
    pub(super) up: Vec<Vec<usize>>,
    /// The neighbours in the layer below.
    pub(super) down: Vec<Vec<usize>>,
    /// For every arc its vertices from parent to child.
    pub(super) chains: Vec<Vec<usize>>,
}

impl Layered {
    /// The graph with these layers; within a layer, nodes stand in their order before bends.
    pub(super) fn new(piece: &Piece, layer: Vec<usize>) -> Self {
        let nodes = piece.sizes.len();
        let mut graph = Layered {
            nodes,
            layers: vec![Vec::new(); layer.iter().max().map_or(0, |&last| last + 1)],
            width: piece.sizes.iter().map(|size| size.0).collect(),
            up: vec![Vec::new(); nodes],
            down: vec![Vec::new(); nodes],
            chains: Vec::with_capacity(piece.arcs.len()),
            layer,
        };
        for v in 0..nodes {
            graph.layers[graph.layer[v]].push(v);
        }
        for &(parent, child) in &piece.arcs {
            let mut chain = vec![parent];
            for layer in graph.layer[parent] + 1..graph.layer[child] {
                chain.push(graph.bend(layer));
            }
            chain.push(child);
            for pair in chain.windows(2) {
                graph.down[pair[0]].push(pair[1]);
                graph.up[pair[1]].push(pair[0]);
            }
            graph.chains.push(chain);
        }
        graph
    }

    fn bend(&mut self, layer: usize) -> usize {
        let bend = self.layer.len();
        self.layer.push(layer);
        self.layers[layer].push(bend);
        self.width.push(BEND_WIDTH);
        self.up.push(Vec::new());
        self.down.push(Vec::new());
        bend
    }

    /// How many vertices there are.
    pub(super) fn len(&self) -> usize {
        self.layer.len()
    }

    /// Whether a vertex is a bend.
    pub(super) fn is_bend(&self, vertex: usize) -> bool {
        vertex >= self.nodes
    }

    /// The place of every vertex in its layer.
    pub(super) fn places(&self) -> Vec<usize> {
        let mut place = vec![0; self.len()];
        for layer in &self.layers {
            layer.iter().enumerate().for_each(|(i, &v)| place[v] = i);
        }
        place
    }
}
