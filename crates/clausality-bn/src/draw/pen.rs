//! How a line, a head and an outline are written, in the picture and in its legend.

use super::{Part, Point};
use std::fmt::Write;

/// A length with one decimal at most.
pub(super) fn number(x: f64) -> String {
    let tenths = (x * 10.0).round() / 10.0;
    // Adding zero makes −0 a plain zero.
    format!("{}", tenths + 0.0)
}

pub(super) fn class_of(part: Part) -> &'static str {
    match part {
        Part::Parameter => "cl-parameter",
        Part::Observed => "cl-observed",
        Part::Unobserved => "cl-unobserved",
    }
}

/// How wide an arc is drawn.
pub(super) fn stroke(weight: Option<f64>) -> f64 {
    weight.map_or(1.4, |weight| 0.9 + 3.1 * weight.clamp(0.0, 1.0))
}

/// The line of an arc, which ends where its head begins, and the head.
pub(super) fn with_head(curve: &[Point], width: f64) -> (String, String) {
    let (length, half) = (6.5 + 1.3 * width, 2.4 + 1.1 * width);
    let mut curve = curve.to_vec();
    let last = curve.len() - 1;
    let (tip, pull) = (curve[last], curve[last - 1]);
    let (dx, dy) = (tip.x - pull.x, tip.y - pull.y);
    let norm = (dx * dx + dy * dy).sqrt();
    let (dx, dy) = if norm > 0.0 { (dx / norm, dy / norm) } else { (0.0, 1.0) };
    let base = Point { x: tip.x - dx * length, y: tip.y - dy * length };
    curve[last] = base;
    curve[last - 1] = Point { x: pull.x - dx * length, y: pull.y - dy * length };
    let at = |x: f64, y: f64| format!("{} {}", number(x), number(y));
    let mut line = format!("M{}", at(curve[0].x, curve[0].y));
    for piece in curve[1..].chunks_exact(3) {
        let points: Vec<String> = piece.iter().map(|p| at(p.x, p.y)).collect();
        let _ = write!(line, "C{}", points.join(" "));
    }
    let (left, right) =
        (at(base.x + dy * half, base.y - dx * half), at(base.x - dy * half, base.y + dx * half));
    (line, format!("M{left}L{}L{right}Z", at(tip.x, tip.y)))
}

/// The outline of a node around the origin: a box with cut corners, with round corners, or a pill with two outlines.
pub(super) fn shape(part: Part, w: f64, h: f64) -> String {
    let (x, y) = (w / 2.0, h / 2.0);
    let round = |inset: f64, radius: f64, class: &str| {
        format!(
            "<rect class=\"{class}\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"{}\"/>",
            number(inset - x),
            number(inset - y),
            number(w - 2.0 * inset),
            number(h - 2.0 * inset),
            number(radius - inset)
        )
    };
    match part {
        Part::Observed => round(0.0, 7.0, "cl-shape"),
        Part::Unobserved => {
            let radius = y.min(15.0);
            round(0.0, radius, "cl-shape") + &round(2.5, radius, "cl-shape cl-inner")
        }
        Part::Parameter => {
            let cut = 7.0;
            let corners = [
                (cut - x, -y),
                (x - cut, -y),
                (x, cut - y),
                (x, y - cut),
                (x - cut, y),
                (cut - x, y),
                (-x, y - cut),
                (-x, cut - y),
            ];
            let points = corners.map(|(x, y)| format!("{},{}", number(x), number(y)));
            format!("<polygon class=\"cl-shape\" points=\"{}\"/>", points.join(" "))
        }
    }
}
