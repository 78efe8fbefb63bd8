//! Arcs as smooth curves that keep clear of all nodes but their own.
//!
//! A curve runs downwards from the parent's lower edge through the bends of its arc to the child's upper edge; between any two of them it is a
//! cubic, with slopes chosen so that it never swings beyond them (Fritsch and Butland 1984,
//! doi:10.1137/0905021). Where it would come too near to a node beside a bend it goes straight down there: that way is free by the
//! order of places.

use super::layered::Layered;
use super::place::pooled;
use super::{Frame, Point};

/// How near to a node's side a curve may come.
const CLEARANCE: f64 = 3.0;
/// The flattest way into or out of a node: sideways for every step down.
const FLATTEST: f64 = 1.3;
/// The part of a node's width at which arcs begin and end.
const PORTS: f64 = 0.7;
/// Between the ends of two arcs at a node, if it is wide enough.
const PORT_GAP: f64 = 9.0;
/// How often the part of a piece in which it reaches a height is halved: to far less than the clearance.
const HALVINGS: usize = 40;

/// The upper and lower edge of every layer.
pub(super) type Bands = Vec<(f64, f64)>;

/// What stays the same for all arcs of a piece.
struct Router<'a> {
    graph: &'a Layered,
    x: &'a [f64],
    bands: &'a Bands,
    frames: &'a [Frame],
    place: Vec<usize>,
}

/// A point that a curve passes, and whether it passes it upright.
#[derive(Clone, Copy)]
struct Knot {
    at: Point,
    layer: usize,
    upright: bool,
}

/// The curve of every arc, from the parent's bottom to the child's top.
pub(super) fn curves(graph: &Layered, x: &[f64], bands: &Bands, frames: &[Frame]) -> Vec<Vec<Point>> {
    let router = Router { graph, x, bands, frames, place: graph.places() };
    let ports = router.ports();
    graph.chains.iter().zip(ports).map(|(chain, ports)| router.curve(chain, ports)).collect()
}

impl Router<'_> {
    /// Where every arc leaves its parent and where it enters its child.
    fn ports(&self) -> Vec<(f64, f64)> {
        let mut ports = vec![(0.0, 0.0); self.graph.chains.len()];
        let (mut out, mut into) = (vec![Vec::new(); self.graph.nodes], vec![Vec::new(); self.graph.nodes]);
        for (arc, chain) in self.graph.chains.iter().enumerate() {
            let (first, last) = (chain[0], chain[chain.len() - 1]);
            out[first].push((self.x[chain[1]] - self.x[first], arc));
            into[last].push((self.x[chain[chain.len() - 2]] - self.x[last], arc));
        }
        for v in 0..self.graph.nodes {
            for (arc, port) in spread(&mut out[v], self.frames[v].w) {
                ports[arc].0 = self.x[v] + port;
            }
            for (arc, port) in spread(&mut into[v], self.frames[v].w) {
                ports[arc].1 = self.x[v] + port;
            }
        }
        ports
    }

    fn curve(&self, chain: &[usize], ports: (f64, f64)) -> Vec<Point> {
        let (first, last) = (chain[0], chain[chain.len() - 1]);
        let knot = |x: f64, y: f64, v: usize| Knot {
            at: Point { x, y },
            layer: self.graph.layer[v],
            upright: false,
        };
        let mut knots = vec![knot(ports.0, self.frames[first].bottom(), first)];
        for &v in &chain[1..chain.len() - 1] {
            let (top, bottom) = self.bands[self.graph.layer[v]];
            knots.push(knot(self.x[v], (top + bottom) / 2.0, v));
        }
        knots.push(knot(ports.1, self.frames[last].top(), last));
        // Every round makes one more layer safe.
        for _ in 0..=chain.len() {
            let Some(layer) = self.touched(chain, &knots) else { break };
            self.stand_upright(&mut knots, layer);
        }
        points(&knots)
    }

    /// Lets the curve pass a layer straight down.
    fn stand_upright(&self, knots: &mut Vec<Knot>, layer: usize) {
        let (top, bottom) = self.bands[layer];
        let Some(at) = knots.iter().position(|knot| knot.layer == layer) else { return };
        let knot = knots[at];
        let ends = if at == 0 {
            [knot.at.y, bottom]
        } else if at == knots.len() - 1 {
            [top, knot.at.y]
        } else {
            [top, bottom]
        };
        let upright = |y: f64| Knot { at: Point { x: knot.at.x, y }, layer, upright: true };
        let ends = ends.map(upright);
        knots.splice(at..=at, if ends[0].at.y < ends[1].at.y { ends.to_vec() } else { vec![ends[0]] });
    }

    /// The first layer in which the curve comes too near to a node that is not its own and is not upright yet.
    fn touched(&self, chain: &[usize], knots: &[Knot]) -> Option<usize> {
        let curve = points(knots);
        let touches = |v: usize| {
            let (band, room) = (self.bands[self.graph.layer[v]], self.room(v));
            curve.windows(4).step_by(3).any(|piece| leaves(piece, band, room))
        };
        let upright = |layer: usize| knots.iter().any(|knot| knot.layer == layer && knot.upright);
        let found = chain.iter().find(|&&v| !upright(self.graph.layer[v]) && touches(v));
        found.map(|&v| self.graph.layer[v])
    }

    /// Between which nodes a vertex stands.
    fn room(&self, v: usize) -> (f64, f64) {
        let layer = &self.graph.layers[self.graph.layer[v]];
        let node = |u: &&usize| !self.graph.is_bend(**u);
        let left = layer[..self.place[v]].iter().rev().find(node);
        let right = layer[self.place[v] + 1..].iter().find(node);
        (
            left.map_or(f64::NEG_INFINITY, |&u| self.frames[u].right() + CLEARANCE),
            right.map_or(f64::INFINITY, |&u| self.frames[u].left() - CLEARANCE),
        )
    }
}

/// Ends of arcs at a node, each on the side it comes from, none too near to the next: least squares by pooling.
fn spread(ends: &mut [(f64, usize)], width: f64) -> Vec<(usize, f64)> {
    ends.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    let reach = PORTS * width / 2.0;
    let gap = PORT_GAP.min(2.0 * reach / (ends.len().max(2) - 1) as f64);
    let aim = |end: &(f64, usize)| (0.12 * end.0).clamp(-reach, reach);
    let base = pooled(ends.iter().enumerate().map(|(i, end)| (1.0, aim(end) - gap * i as f64)));
    ends.iter()
        .zip(base)
        .enumerate()
        .map(|(i, (end, base))| (end.1, (base + gap * i as f64).clamp(-reach, reach)))
        .collect()
}

/// How far the curve goes sideways for every step down, at every knot.
fn slopes(knots: &[Knot]) -> Vec<f64> {
    let secants: Vec<f64> = knots
        .windows(2)
        .map(|pair| (pair[1].at.x - pair[0].at.x) / (pair[1].at.y - pair[0].at.y).max(1e-9))
        .collect();
    let last = knots.len() - 1;
    let slope = |i: usize| {
        if knots[i].upright {
            return 0.0;
        }
        match i {
            0 => secants[0].clamp(-FLATTEST, FLATTEST),
            i if i == last => secants[last - 1].clamp(-FLATTEST, FLATTEST),
            _ => {
                let (a, b) = (secants[i - 1], secants[i]);
                if a * b <= 0.0 { 0.0 } else { 2.0 * a * b / (a + b) }
            }
        }
    };
    (0..knots.len()).map(slope).collect()
}

/// A point of one piece of a Bézier curve.
fn on_piece(piece: &[Point], t: f64) -> Point {
    let s = 1.0 - t;
    let weights = [s * s * s, 3.0 * s * s * t, 3.0 * s * t * t, t * t * t];
    let mix = |of: fn(&Point) -> f64| piece.iter().zip(weights).map(|(p, weight)| weight * of(p)).sum();
    Point { x: mix(|p| p.x), y: mix(|p| p.y) }
}

/// Whether a piece of a curve is outside of a room somewhere within a band.
///
/// A piece turns back neither upwards nor sideways, so where it comes into the band and where it goes out tell of all between. Points
/// along it would not do: a flat piece can cut the corner of a node between any two of them.
fn leaves(piece: &[Point], band: (f64, f64), room: (f64, f64)) -> bool {
    let (from, to) = (band.0.max(piece[0].y), band.1.min(piece[3].y));
    from <= to && [from, to].map(|y| x_at(piece, y)).iter().any(|&x| x < room.0 || x > room.1)
}

/// Where a piece of a curve, which goes down, is at a height that it reaches.
fn x_at(piece: &[Point], y: f64) -> f64 {
    let (mut above, mut below) = (0.0, 1.0);
    for _ in 0..HALVINGS {
        let middle = (above + below) / 2.0;
        if on_piece(piece, middle).y < y {
            above = middle;
        } else {
            below = middle;
        }
    }
    on_piece(piece, (above + below) / 2.0).x
}

/// The knots as a Bézier curve.
fn points(knots: &[Knot]) -> Vec<Point> {
    let slopes = slopes(knots);
    let mut points = vec![knots[0].at];
    for (pair, slope) in knots.windows(2).zip(slopes.windows(2)) {
        let (from, to) = (pair[0].at, pair[1].at);
        let height = to.y - from.y;
        // A flat piece turns more gently.
        let pull = if (to.x - from.x).abs() > height { height / 2.0 } else { height / 3.0 };
        points.push(Point { x: from.x + slope[0] * pull, y: from.y + pull });
        points.push(Point { x: to.x - slope[1] * pull, y: to.y - pull });
        points.push(to);
    }
    points
}
