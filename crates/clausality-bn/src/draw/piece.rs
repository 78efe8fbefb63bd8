//! A piece of a graph, before and after it is laid out.

use super::route::Bands;
use super::{Frame, Point};

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

/// A piece with its places, the upper left corner at the origin.
pub(super) struct Laid {
    pub(super) width: f64,
    pub(super) height: f64,
    pub(super) frames: Vec<Frame>,
    pub(super) curves: Vec<Vec<Point>>,
    /// The upper and lower edge of every layer.
    pub(super) bands: Bands,
}
