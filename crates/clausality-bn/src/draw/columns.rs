//! A piece that is many times higher than wide, broken into columns that stand side by side, as the text of a newspaper does.
//!
//! It is cut between layers. An arc that leads from one column to the next leaves below the last layer of its column, goes up in the
//! gutter between the two, each in a lane of its own, and comes down from above the first layer of the next: nothing stands in its way
//! there.

use super::route::Bands;
use super::{Frame, Point};

/// A piece higher than so many times its width is broken.
const BROKEN_ABOVE: f64 = 3.0;
/// A piece that is no higher than this can be read as it is.
const SHORT: f64 = 1600.0;
/// Between two lanes, or two turns.
const LANE: f64 = 4.0;
/// Between a column and the first lane, or turn.
const AWAY: f64 = 16.0;
/// How often the part of a curve in which it reaches a height is halved.
const HALVINGS: usize = 40;

/// A piece with its places, the upper left corner at the origin.
pub(super) struct Laid {
    pub(super) width: f64,
    pub(super) height: f64,
    pub(super) frames: Vec<Frame>,
    pub(super) curves: Vec<Vec<Point>>,
    /// The upper and lower edge of every layer.
    pub(super) bands: Bands,
}

/// The piece in columns, the whole about `aspect` times as wide as high; as it was where it is not high.
pub(super) fn broken(laid: Laid, bands: &Bands, aspect: f64) -> Laid {
    if laid.height <= SHORT || laid.height <= BROKEN_ABOVE * laid.width {
        return laid;
    }
    let cuts = cuts(&laid, bands, aspect);
    let column = |y: f64| cuts.partition_point(|&cut| cut <= y);
    // The arcs that cross each cut, those further to the right in the inner lanes.
    let parts: Vec<Vec<Vec<Point>>> = laid.curves.iter().map(|curve| split(curve, &cuts)).collect();
    let mut lanes: Vec<Vec<(f64, usize)>> = vec![Vec::new(); cuts.len()];
    for (arc, (curve, parts)) in laid.curves.iter().zip(&parts).enumerate() {
        let first = column(curve[0].y);
        for (k, part) in parts[..parts.len() - 1].iter().enumerate() {
            lanes[first + k].push((part[part.len() - 1].x, arc));
        }
    }
    lanes.iter_mut().for_each(|lane| lane.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1))));
    let busiest = lanes.iter().map(Vec::len).max().unwrap_or(0) as f64;
    // Room above and below every column for arcs that turn there.
    let turn = AWAY + LANE * busiest;
    let top = |c: usize| if c == 0 { 0.0 } else { cuts[c - 1] };
    let mut left = vec![0.0];
    for lane in &lanes {
        left.push(left[left.len() - 1] + laid.width + 2.0 * AWAY + LANE * lane.len() as f64);
    }
    let moved = |c: usize, p: Point| Point { x: p.x + left[c], y: p.y - top(c) + turn };
    let frames = laid.frames.iter().map(|frame| {
        let Point { x, y } = moved(column(frame.y), Point { x: frame.x, y: frame.y });
        Frame { x, y, ..*frame }
    });
    let frames = frames.collect();
    let curves = laid.curves.iter().zip(parts).enumerate().map(|(arc, (curve, parts))| {
        let first = column(curve[0].y);
        let mut whole: Vec<Point> = Vec::new();
        for (k, part) in parts.into_iter().enumerate() {
            let c = first + k;
            let mut part = part.into_iter().map(|p| moved(c, p));
            if let (Some(&from), Some(to)) = (whole.last(), part.next()) {
                let lane = &lanes[c - 1];
                let place = lane.iter().position(|&(_, other)| other == arc).unwrap_or(0) as f64;
                let x = left[c - 1] + laid.width + AWAY + LANE * place;
                // What turns first below turns last above: so none crosses another.
                let last = lane.len() as f64 - 1.0;
                whole.extend(detour(from, to, x, (AWAY + LANE * place, AWAY + LANE * (last - place))));
            } else if let Some(&begin) = curve.first() {
                whole.push(moved(c, begin));
            }
            whole.extend(part);
        }
        whole
    });
    let curves = curves.collect();
    let ends = cuts.iter().copied().chain([laid.height]);
    let highest = ends.enumerate().map(|(c, end)| end - top(c)).fold(0.0, f64::max);
    Laid {
        width: left[left.len() - 1] + laid.width,
        height: highest + 2.0 * turn,
        frames,
        curves,
        bands: Vec::new(),
    }
}

/// The heights at which it is cut: in the middle between two layers, into as many columns as make the whole so much wider than high, all as
/// low as that allows.
fn cuts(laid: &Laid, bands: &Bands, aspect: f64) -> Vec<f64> {
    let columns = (aspect * laid.height / laid.width).sqrt().round().max(2.0);
    let mut most = laid.height / columns;
    loop {
        let cuts = cuts_below(most, bands);
        if cuts.len() < columns as usize {
            return cuts;
        }
        most *= 1.02;
    }
}

/// The cuts that leave no column higher than this, if its layers are not.
fn cuts_below(most: f64, bands: &Bands) -> Vec<f64> {
    let mut cuts = Vec::new();
    let mut top = 0.0;
    for pair in bands.windows(2) {
        let cut = (pair[0].1 + pair[1].0) / 2.0;
        if pair[1].1 - top > most && cut > top {
            cuts.push(cut);
            top = cut;
        }
    }
    cuts
}

/// A curve that runs downwards, cut at these heights.
fn split(curve: &[Point], cuts: &[f64]) -> Vec<Vec<Point>> {
    let mut parts = vec![vec![curve[0]]];
    for piece in curve.windows(4).step_by(3) {
        let mut rest = [piece[0], piece[1], piece[2], piece[3]];
        for &cut in cuts.iter().filter(|&&cut| piece[0].y < cut && cut <= piece[3].y) {
            let (above, below) = divided(rest, cut);
            parts.last_mut().expect("there is one from the beginning").extend(&above[1..]);
            parts.push(vec![below[0]]);
            rest = below;
        }
        parts.last_mut().expect("there is one from the beginning").extend(&rest[1..]);
    }
    parts
}

/// A cubic that runs downwards, in two at a height (de Casteljau).
fn divided(piece: [Point; 4], y: f64) -> ([Point; 4], [Point; 4]) {
    let between = |a: Point, b: Point, t: f64| Point { x: a.x + (b.x - a.x) * t, y: a.y + (b.y - a.y) * t };
    let at = |t: f64| {
        let [a, b, c, d] = piece;
        let (ab, bc, cd) = (between(a, b, t), between(b, c, t), between(c, d, t));
        let (abc, bcd) = (between(ab, bc, t), between(bc, cd, t));
        let middle = between(abc, bcd, t);
        ([a, ab, abc, middle], [middle, bcd, cd, d])
    };
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..HALVINGS {
        let t = (low + high) / 2.0;
        if at(t).0[3].y < y { low = t } else { high = t }
    }
    at(high)
}

/// From below one column to above the next, up in a lane: what follows the first point.
fn detour(from: Point, to: Point, lane: f64, (below, above): (f64, f64)) -> [Point; 9] {
    // A cubic reaches three quarters of the way to its handles.
    let (below, above) = (below / 0.75, above / 0.75);
    let at = |x: f64, y: f64| Point { x, y };
    let third = (to.y - from.y) / 3.0;
    [
        at(from.x, from.y + below),
        at(lane, from.y + below),
        at(lane, from.y),
        at(lane, from.y + third),
        at(lane, from.y + 2.0 * third),
        at(lane, to.y),
        at(lane, to.y - above),
        at(to.x, to.y - above),
        to,
    ]
}
