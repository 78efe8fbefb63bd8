//! The picture as SVG.
//!
//! Nodes and arcs carry their numbers (`data-node`, `data-parent`, `data-child`), never their names, as keys; names are
//! text and nothing else. No scripts, no references, no `style` attributes: the result may stand in a page with a strict
//! content policy. What the program cannot know, the colours, is left to [`STYLE`].

use super::label::{self, Card, escaped};
use super::pen::{class_of, number, shape, stroke, with_head};
use super::{DrawnArc, DrawnNode, Form, Frame, Layout, Picture, Point, legend};
use std::fmt::Write;

/// The style sheet of all pictures: its variables (`--cl-paper`, `--cl-ink`, …) are light or dark by the reader's preference, or by
/// `data-theme` on an element around.
pub const STYLE: &str = include_str!("draw.css");

/// The picture with its layout as SVG.
///
/// # Panics
/// If an arc names a node that is not there.
pub fn svg(picture: &Picture, form: Form) -> String {
    let layout = super::layout(picture);
    let footer = legend::footer(picture, form, &layout);
    let (width, height) = (number(layout.width.max(footer.width)), number(layout.height + footer.height));
    let mut out = String::new();
    let title = escaped(&picture.title);
    let _ = write!(out, "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"cl-picture\"");
    let _ = write!(out, " viewBox=\"0 0 {width} {height}\" width=\"{width}\" height=\"{height}\"");
    if !title.is_empty() {
        let _ = write!(out, " aria-label=\"{title}\"");
    }
    out.push_str(">\n");
    if form == Form::File {
        if !title.is_empty() {
            let _ = writeln!(out, "<title>{title}</title>");
        }
        let _ = writeln!(out, "<style>\n{STYLE}</style>");
        let _ = writeln!(out, "<rect class=\"cl-paper\" width=\"{width}\" height=\"{height}\"/>");
    }
    out.push_str("<g class=\"cl-arcs\">\n");
    for (arc, curve) in picture.arcs.iter().zip(&layout.arcs) {
        write_arc(&mut out, picture, arc, curve);
    }
    out.push_str("</g>\n<g class=\"cl-nodes\">\n");
    for (index, (node, card)) in picture.nodes.iter().zip(Card::of_all(&picture.nodes)).enumerate() {
        write_node(&mut out, index, node, &card, &layout);
    }
    let _ = write!(out, "</g>\n{}</svg>\n", footer.text);
    out
}

fn write_arc(out: &mut String, picture: &Picture, arc: &DrawnArc, curve: &[Point]) {
    if curve.is_empty() {
        return;
    }
    let width = stroke(arc.weight);
    let (line, head) = with_head(curve, width);
    let class = if arc.compelled { "cl-arc" } else { "cl-arc cl-reversible" };
    let ends = format!("data-parent=\"{}\" data-child=\"{}\"", arc.parent, arc.child);
    let _ = write!(out, "<path class=\"{class}\" {ends}");
    if let Some(weight) = arc.weight {
        let _ = write!(out, " data-weight=\"{}\"", (weight * 1e4).round() / 1e4);
    }
    let name = |v: usize| escaped(&picture.nodes[v].name);
    let _ = write!(out, " stroke-width=\"{}\" d=\"{line}\">", number(width));
    let _ =
        writeln!(out, "<title>{} → {}{}</title></path>", name(arc.parent), name(arc.child), below(&arc.note));
    let open = if arc.compelled { "" } else { " cl-open" };
    let _ = writeln!(out, "<path class=\"cl-head{open}\" {ends} d=\"{head}\"/>");
    if !arc.label.is_empty() {
        let Point { x, y } = middle(curve);
        let (x, y, text) = (number(x), number(y + 0.35 * label::STATE_SIZE), escaped(&arc.label));
        let _ = writeln!(out, "<text class=\"cl-lag\" {ends} x=\"{x}\" y=\"{y}\">{text}</text>");
    }
}

/// The middle of the middle piece of a curve: of two the earlier.
fn middle(curve: &[Point]) -> Point {
    let pieces = (curve.len() - 1) / 3;
    let at = 3 * (pieces.saturating_sub(1) / 2);
    let [a, b, c, d] = [0, 1, 2, 3].map(|k| curve[(at + k).min(curve.len() - 1)]);
    let half = |a: f64, b: f64, c: f64, d: f64| (a + 3.0 * b + 3.0 * c + d) / 8.0;
    Point { x: half(a.x, b.x, c.x, d.x), y: half(a.y, b.y, c.y, d.y) }
}

/// A note on a line of its own.
fn below(note: &str) -> String {
    if note.is_empty() { String::new() } else { format!("\n{}", escaped(note)) }
}

fn write_node(out: &mut String, index: usize, node: &DrawnNode, card: &Card, layout: &Layout) {
    let Frame { x, y, w, h } = layout.nodes[index];
    let class = class_of(node.part);
    let _ = write!(out, "<g class=\"cl-node {class}\" data-node=\"{index}\"");
    let _ = writeln!(out, " transform=\"translate({} {})\">", number(x), number(y));
    let _ = writeln!(
        out,
        "<title>{}{}</title>{}",
        escaped(&node.name),
        below(&node.note),
        shape(node.part, w, h)
    );
    let top = -h / 2.0;
    let baseline = |middle: f64, size: f64| number(top + middle + 0.35 * size);
    let _ = writeln!(
        out,
        "<text class=\"cl-name\" y=\"{}\">{}</text>",
        baseline(label::NAME_HEIGHT / 2.0, label::NAME_SIZE),
        escaped(&card.name)
    );
    let left = label::PADDING - w / 2.0;
    let right = w / 2.0 - label::PADDING;
    // A wide name makes the bars longer.
    let bar = left + card.label_width + label::COLUMN_GAP;
    let full = right - label::SHARE_WIDTH - label::COLUMN_GAP - bar;
    for (state, (shown, label)) in node.bars.iter().zip(&card.labels).enumerate() {
        let middle = label::NAME_HEIGHT + (state as f64 + 0.5) * label::STATE_HEIGHT;
        let base = baseline(middle, label::STATE_SIZE);
        let (x, y, height) = (number(bar), number(top + middle - 5.0), 10);
        let share = if shown.share.is_finite() { shown.share.clamp(0.0, 1.0) } else { 0.0 };
        let _ = write!(out, "<g class=\"cl-state\" data-state=\"{state}\">");
        let _ = write!(out, "<title>{}: {share}</title>", escaped(&shown.label));
        let _ = write!(
            out,
            "<text class=\"cl-label\" x=\"{}\" y=\"{base}\">{}</text>",
            number(left),
            escaped(label)
        );
        let place = format!("x=\"{x}\" y=\"{y}\" height=\"{height}\"");
        let _ = write!(out, "<rect class=\"cl-track\" {place} width=\"{}\"/>", number(full));
        let (width, full) = (number(share * full), number(full));
        let _ = write!(out, "<rect class=\"cl-bar\" {place} width=\"{width}\" data-full=\"{full}\"/>");
        let figure = format!("{}%", number(100.0 * share));
        let _ = writeln!(
            out,
            "<text class=\"cl-share\" x=\"{}\" y=\"{base}\">{figure}</text></g>",
            number(right)
        );
    }
    out.push_str("</g>\n");
}
