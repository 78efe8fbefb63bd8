//! Arcs as smooth curves that keep clear of all nodes but their own.

use super::layered::Layered;
use super::{Frame, Point};

/// The upper and lower edge of every layer.
pub(super) type Bands = Vec<(f64, f64)>;

/// The curve of every arc, from the parent's bottom to the child's top.
pub(super) fn curves(graph: &Layered, x: &[f64], bands: &Bands, frames: &[Frame]) -> Vec<Vec<Point>> {
    graph.chains.iter().map(|chain| curve(graph, chain, x, bands, frames)).collect()
}

fn curve(graph: &Layered, chain: &[usize], x: &[f64], bands: &Bands, frames: &[Frame]) -> Vec<Point> {
    let (first, last) = (chain[0], chain[chain.len() - 1]);
    let mut points = vec![Point { x: x[first], y: frames[first].bottom() }];
    for pair in chain.windows(2) {
        let (above, below) = (bands[graph.layer[pair[0]]].1, bands[graph.layer[pair[1]]].0);
        line_to(&mut points, above);
        let middle = (above + below) / 2.0;
        points.push(Point { x: x[pair[0]], y: middle });
        points.push(Point { x: x[pair[1]], y: middle });
        points.push(Point { x: x[pair[1]], y: below });
        if graph.is_bend(pair[1]) {
            line_to(&mut points, bands[graph.layer[pair[1]]].1);
        }
    }
    line_to(&mut points, frames[last].top());
    points
}

/// Straight down to a height, unless the curve is there already.
fn line_to(points: &mut Vec<Point>, y: f64) {
    let Some(&from) = points.last() else { return };
    if y > from.y {
        let third = (y - from.y) / 3.0;
        points.extend([
            Point { x: from.x, y: from.y + third },
            Point { x: from.x, y: y - third },
            Point { x: from.x, y },
        ]);
    }
}
