//! A piece of a graph, to be laid out.

/// A part of the graph that hangs together, its nodes numbered anew in the order of names.
#[derive(Debug, Clone, Default)]
pub(super) struct Piece {
    /// The nodes by their numbers in the picture.
    pub(super) nodes: Vec<usize>,
    /// The width and height of every node.
    pub(super) sizes: Vec<(f64, f64)>,
    /// The arcs, without cycle.
    pub(super) arcs: Vec<(usize, usize)>,
    /// For every arc its number in the picture, and whether it was turned to break a cycle.
    pub(super) origins: Vec<(usize, bool)>,
}
