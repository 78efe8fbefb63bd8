//! The whole from its pieces: what hangs together is laid out by itself, then the pieces are packed onto one sheet.

use super::columns::Laid;
use super::label::Card;
use super::layered::Layered;
use super::piece::Piece;
use super::{Frame, Layout, Picture, Point, columns, crossings, layers, place, route};
use std::collections::BTreeMap;

/// Around the whole.
pub(super) const MARGIN: f64 = 16.0;
/// Between two layers.
const LAYER_GAP: f64 = 36.0;
/// The most room between two layers.
const WIDEST_GAP: f64 = 110.0;
/// A piece wider than so many times its height may be folded.
const FOLDED_ABOVE: f64 = 1.8;
/// What a crossing for every arc costs, beside being shown twice as small.
const TANGLE: f64 = 0.2;
/// How much more a wide layer is folded for trial.
const FOLDS: [f64; 4] = [0.8, 1.1, 1.5, 2.0];
/// Above so many nodes less is tried.
const LARGE: usize = 300;
/// How many vertices are put in order, over all starts.
const TRIALS: usize = 8000;
/// Between two pieces.
const PIECE_GAP: f64 = 32.0;
/// Between nodes without arcs.
const LONE_GAP: f64 = 14.0;
/// How much wider than high the whole should be.
const ASPECT: f64 = 1.6;

/// Finds a place for every node and a way for every arc.
///
/// # Panics
/// If an arc names a node that is not there.
pub fn layout(picture: &Picture) -> Layout {
    let sizes: Vec<(f64, f64)> =
        Card::of_all(&picture.nodes).iter().map(|card| (card.width, card.height)).collect();
    let (pieces, lone) = pieces(picture, &sizes);
    let mut blocks: Vec<Laid> = pieces.iter().map(lay).collect();
    let corners = pack(&blocks);
    let mut whole = Layout {
        nodes: vec![Frame::default(); picture.nodes.len()],
        arcs: vec![Vec::new(); picture.arcs.len()],
        ..Layout::default()
    };
    for ((piece, block), corner) in pieces.iter().zip(&mut blocks).zip(&corners) {
        for (&node, frame) in piece.nodes.iter().zip(&block.frames) {
            whole.nodes[node] = Frame { x: frame.x + corner.x, y: frame.y + corner.y, ..*frame };
        }
        for (&(arc, turned), curve) in piece.origins.iter().zip(&mut block.curves) {
            if turned {
                curve.reverse();
            }
            whole.arcs[arc] = curve.iter().map(|p| Point { x: p.x + corner.x, y: p.y + corner.y }).collect();
        }
        whole.width = whole.width.max(corner.x + block.width);
        whole.height = whole.height.max(corner.y + block.height);
    }
    spread(&mut whole, picture);
    place_lone(&mut whole, &lone, &sizes);
    whole.width += MARGIN;
    whole.height += MARGIN;
    whole
}

/// How far the arcs between the same two nodes are bent apart.
const APART: f64 = 22.0;

/// Bends the arcs between the same two nodes apart, as those there and back again, so that each is seen.
fn spread(whole: &mut Layout, picture: &Picture) {
    let mut by_ends: BTreeMap<(usize, usize), Vec<usize>> = BTreeMap::new();
    for (number, arc) in picture.arcs.iter().enumerate().filter(|(_, arc)| arc.parent != arc.child) {
        by_ends.entry((arc.parent.min(arc.child), arc.parent.max(arc.child))).or_default().push(number);
    }
    for arcs in by_ends.values().filter(|arcs| arcs.len() > 1) {
        for (k, &number) in arcs.iter().enumerate() {
            let aside = APART * (k as f64 - (arcs.len() - 1) as f64 / 2.0);
            let curve = &mut whole.arcs[number];
            let inner = 1..curve.len().saturating_sub(1);
            curve[inner].iter_mut().for_each(|point| point.x += aside);
        }
    }
}

/// The pieces, the largest first, and the nodes without arcs, in the order of names.
fn pieces(picture: &Picture, sizes: &[(f64, f64)]) -> (Vec<Piece>, Vec<usize>) {
    let n = picture.nodes.len();
    let mut order: Vec<usize> = (0..n).collect();
    order.sort_by(|&a, &b| picture.nodes[a].name.cmp(&picture.nodes[b].name).then(a.cmp(&b)));
    let mut arcs: Vec<usize> = (0..picture.arcs.len()).collect();
    arcs.retain(|&a| picture.arcs[a].parent != picture.arcs[a].child);
    let mut near = vec![Vec::new(); n];
    for &a in &arcs {
        let arc = &picture.arcs[a];
        near[arc.parent].push(arc.child);
        near[arc.child].push(arc.parent);
    }
    let mut member = vec![usize::MAX; n];
    let mut count = 0;
    for &start in order.iter().filter(|&&v| !near[v].is_empty()) {
        if member[start] != usize::MAX {
            continue;
        }
        let mut stack = vec![start];
        member[start] = count;
        while let Some(v) = stack.pop() {
            for &u in &near[v] {
                if member[u] == usize::MAX {
                    member[u] = count;
                    stack.push(u);
                }
            }
        }
        count += 1;
    }
    let mut pieces = vec![Piece::default(); count];
    let mut local = vec![0; n];
    for &v in order.iter().filter(|&&v| member[v] != usize::MAX) {
        let piece = &mut pieces[member[v]];
        local[v] = piece.nodes.len();
        piece.nodes.push(v);
        piece.sizes.push(sizes[v]);
    }
    arcs.sort_by_key(|&a| (local[picture.arcs[a].parent], local[picture.arcs[a].child], a));
    for a in arcs {
        let arc = &picture.arcs[a];
        let piece = &mut pieces[member[arc.parent]];
        piece.arcs.push((local[arc.parent], local[arc.child]));
        piece.origins.push((a, false));
    }
    pieces.iter_mut().for_each(break_cycles);
    pieces.sort_by_key(|piece| std::cmp::Reverse(piece.nodes.len()));
    (pieces, order.into_iter().filter(|&v| member[v] == usize::MAX).collect())
}

/// Turns arcs that would lead back, so that layers exist: those into a node that a walk in depth is still busy with.
fn break_cycles(piece: &mut Piece) {
    let n = piece.nodes.len();
    let mut out = vec![Vec::new(); n];
    piece.arcs.iter().enumerate().for_each(|(a, &(parent, _))| out[parent].push(a));
    // 0: not met, 1: busy, 2: done.
    let mut state = vec![0u8; n];
    for start in 0..n {
        let mut stack = vec![(start, 0)];
        while let Some((v, next)) = stack.pop() {
            if next == 0 && state[v] != 0 {
                continue;
            }
            state[v] = 1;
            let Some(&a) = out[v].get(next) else {
                state[v] = 2;
                continue;
            };
            stack.push((v, next + 1));
            let child = piece.arcs[a].1;
            match state[child] {
                0 => stack.push((child, 0)),
                1 => {
                    piece.arcs[a] = (child, v);
                    piece.origins[a].1 = true;
                }
                _ => {}
            }
        }
    }
}

/// Lays out one piece; in columns where it is many times higher than wide.
fn lay(piece: &Piece) -> Laid {
    let mut laid = in_layers(piece);
    let bands = std::mem::take(&mut laid.bands);
    columns::broken(laid, &bands, ASPECT)
}

/// Lays out one piece: with layers as short arcs want them, or folded where that fits a page better.
fn in_layers(piece: &Piece) -> Laid {
    let [one, other] = layers::layers(piece);
    let mut best = Trial::new(piece, one, TRIALS);
    let large = piece.nodes.len() > LARGE;
    if !large && best.graph.layer[..piece.nodes.len()] != other {
        best = best.or(Trial::new(piece, other, TRIALS));
    }
    let (width, ratio) = (best.laid.width, best.laid.width / best.laid.height);
    if ratio < FOLDED_ABOVE {
        return best.laid;
    }
    // So many layers for one would make the whole as wide as it should be, if arcs took no room.
    let folds = (ratio / ASPECT).sqrt();
    let graph = best.graph.clone();
    let mut tried: Vec<usize> = Vec::new();
    for more in if large { &FOLDS[1..3] } else { &FOLDS[..] } {
        let layer = layers::folded(&graph, width / (folds * more));
        if layer != tried {
            tried.clone_from(&layer);
            best = best.or(Trial::new(piece, layer, TRIALS / 4));
        }
    }
    best.laid
}

/// A piece with one choice of layers.
struct Trial {
    graph: Layered,
    laid: Laid,
    cost: f64,
}

impl Trial {
    fn new(piece: &Piece, layer: Vec<usize>, work: usize) -> Self {
        let mut graph = Layered::new(piece, layer);
        let crossings = crossings::untangle(&mut graph, work);
        let laid = draw(piece, &graph);
        // How small it has to be shown to fit a page, and how tangled it is.
        let tangle = crossings as f64 / piece.arcs.len().max(1) as f64;
        let cost = laid.height.max(laid.width / ASPECT) * (1.0 + TANGLE * tangle);
        Trial { graph, laid, cost }
    }

    /// The better of the two.
    fn or(self, other: Trial) -> Trial {
        if other.cost < self.cost { other } else { self }
    }
}

/// Gives places and curves to a piece whose layers are in order.
fn draw(piece: &Piece, graph: &Layered) -> Laid {
    let mut x = place::places(graph);
    let left = (0..graph.len()).map(|v| x[v] - graph.width[v] / 2.0).fold(f64::INFINITY, f64::min);
    x.iter_mut().for_each(|x| *x -= left);
    let width = (0..graph.len()).map(|v| x[v] + graph.width[v] / 2.0).fold(0.0, f64::max);
    let mut bands: route::Bands = Vec::with_capacity(graph.layers.len());
    let mut y = 0.0;
    for layer in &graph.layers {
        let nodes = layer.iter().filter(|&&v| !graph.is_bend(v));
        let height = nodes.map(|&v| piece.sizes[v].1).fold(0.0, f64::max);
        bands.push((y, y + height));
        y += height + gap_below(graph, layer, &x);
    }
    let frame = |v: usize| {
        let (top, bottom) = bands[graph.layer[v]];
        Frame { x: x[v], y: (top + bottom) / 2.0, w: piece.sizes[v].0, h: piece.sizes[v].1 }
    };
    let frames: Vec<Frame> = (0..graph.nodes).map(frame).collect();
    let curves = route::curves(graph, &x, &bands, &frames);
    Laid { width, height: bands.last().map_or(0.0, |band| band.1), frames, curves, bands }
}

/// Room between a layer and the next: more where arcs go far to the side.
fn gap_below(graph: &Layered, layer: &[usize], x: &[f64]) -> f64 {
    let mut far: Vec<f64> =
        layer.iter().flat_map(|&v| graph.down[v].iter().map(move |&u| (x[u] - x[v]).abs())).collect();
    far.sort_by(f64::total_cmp);
    let typical = far.get(far.len() * 9 / 10).copied().unwrap_or(0.0);
    let slanted = far.iter().filter(|&&far| far > LAYER_GAP).count() as f64;
    (LAYER_GAP + (0.12 * typical).min(12.0 * slanted)).min(WIDEST_GAP).round()
}

/// Upper left corners for the pieces: rows from left to right, as wide as suits the whole.
fn pack(blocks: &[Laid]) -> Vec<Point> {
    let area: f64 = blocks.iter().map(|b| (b.width + PIECE_GAP) * (b.height + PIECE_GAP)).sum();
    let widest = blocks.iter().map(|b| b.width).fold(0.0, f64::max);
    let room = widest.max((area * ASPECT).sqrt());
    let (mut x, mut y, mut height) = (0.0, 0.0, 0.0f64);
    let mut corners = Vec::with_capacity(blocks.len());
    for block in blocks {
        if x > 0.0 && x + block.width > room {
            y += height + PIECE_GAP;
            (x, height) = (0.0, 0.0);
        }
        corners.push(Point { x: MARGIN + x, y: MARGIN + y });
        x += block.width + PIECE_GAP;
        height = height.max(block.height);
    }
    corners
}

/// Nodes without arcs stand below the others, in rows.
fn place_lone(whole: &mut Layout, lone: &[usize], sizes: &[(f64, f64)]) {
    if lone.is_empty() {
        return;
    }
    let area: f64 = lone.iter().map(|&v| (sizes[v].0 + LONE_GAP) * (sizes[v].1 + LONE_GAP)).sum();
    let room = (whole.width - MARGIN).max((area * ASPECT).sqrt());
    let top = if whole.height > 0.0 { whole.height + PIECE_GAP } else { MARGIN };
    let (mut x, mut y, mut height) = (0.0, top, 0.0f64);
    for &v in lone {
        let (w, h) = sizes[v];
        if x > 0.0 && x + w > room {
            y += height + LONE_GAP;
            (x, height) = (0.0, 0.0);
        }
        whole.nodes[v] = Frame { x: MARGIN + x + w / 2.0, y: y + h / 2.0, w, h };
        x += w + LONE_GAP;
        height = height.max(h);
        whole.width = whole.width.max(MARGIN + x - LONE_GAP);
        whole.height = whole.height.max(y + height);
    }
}
