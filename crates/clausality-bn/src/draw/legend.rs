//! What stands below a picture: its title, and what shapes and lines mean, as far as they occur.

use super::arrange::MARGIN;
use super::label::{NAME_SIZE, escaped, shortened, width};
use super::pen::{class_of, number, shape, stroke, with_head};
use super::{Form, Layout, Part, Picture, Point, Weighing};
use std::fmt::Write;

/// The size of the letters.
const SIZE: f64 = 12.0;
/// The height of a line.
const LINE: f64 = 24.0;
/// The width of a sample.
const SAMPLE: f64 = 34.0;
/// Between sample and word.
const GAP: f64 = 7.0;
/// Between two entries.
const BETWEEN: f64 = 20.0;
/// How much wider bold letters are.
const BOLD: f64 = 1.08;
/// The widest title beside which entries may stand.
const TITLE_WIDTH: f64 = 320.0;

impl Weighing {
    /// What a wide arc means.
    fn word(self) -> &'static str {
        match self {
            Weighing::Influence => "thicker: more influence",
            Weighing::Strength => "thicker: stronger",
            Weighing::Confidence => "thicker: found more often",
        }
    }
}

/// The lines below a picture.
pub(super) struct Footer {
    pub(super) width: f64,
    pub(super) height: f64,
    pub(super) text: String,
}

/// A sample, drawn around the middle of its place, and what it means.
struct Entry {
    sample: String,
    word: &'static str,
}

impl Entry {
    fn width(&self) -> f64 {
        SAMPLE + GAP + width(self.word, SIZE)
    }
}

/// The footer of a picture: as wide as the picture, and wider only if one entry is.
pub(super) fn footer(picture: &Picture, form: Form, layout: &Layout) -> Footer {
    let mut footer = Footer { width: 0.0, height: 0.0, text: String::new() };
    let entries = entries(picture);
    let titled = form == Form::File && !picture.title.is_empty();
    if entries.is_empty() && !titled {
        return footer;
    }
    let widest = entries.iter().map(Entry::width).fold(0.0, f64::max);
    let room = layout.width.max(widest + 2.0 * MARGIN) - MARGIN;
    let (mut x, mut y) = (MARGIN, layout.height + LINE / 2.0);
    footer.text.push_str("<g class=\"cl-legend\">\n");
    if titled {
        let title = shortened(&picture.title, NAME_SIZE, TITLE_WIDTH.min((room - MARGIN) / BOLD));
        let at = format!("x=\"{}\" y=\"{}\"", number(x), number(y + 0.35 * NAME_SIZE));
        let _ = writeln!(footer.text, "<text class=\"cl-title\" {at}>{}</text>", escaped(&title));
        x += BOLD * width(&title, NAME_SIZE) + BETWEEN;
        footer.width = x - BETWEEN + MARGIN;
    }
    for entry in entries {
        let needed = entry.width();
        let Entry { sample, word } = entry;
        if x > MARGIN && x + needed > room {
            (x, y) = (MARGIN, y + LINE);
        }
        let middle = format!("{} {}", number(x + SAMPLE / 2.0), number(y));
        let at = format!("x=\"{}\" y=\"{}\"", number(x + SAMPLE + GAP), number(y + 0.35 * SIZE));
        let _ = writeln!(footer.text, "<g transform=\"translate({middle})\">{sample}</g>");
        let _ = writeln!(footer.text, "<text class=\"cl-word\" {at}>{word}</text>");
        x += needed + BETWEEN;
        footer.width = footer.width.max(x - BETWEEN + MARGIN);
    }
    footer.text.push_str("</g>\n");
    footer.height = y + LINE / 2.0 + MARGIN / 2.0 - layout.height;
    footer
}

fn entries(picture: &Picture) -> Vec<Entry> {
    let mut entries = Vec::new();
    let has = |part: Part| picture.nodes.iter().any(|node| node.part == part);
    if has(Part::Parameter) || has(Part::Unobserved) {
        let words =
            [(Part::Parameter, "parameter"), (Part::Observed, "observed"), (Part::Unobserved, "unobserved")];
        for (part, word) in words.into_iter().filter(|&(part, _)| has(part)) {
            let sample = format!("<g class=\"{}\">{}</g>", class_of(part), shape(part, SAMPLE, 16.0));
            entries.push(Entry { sample, word });
        }
    }
    if picture.arcs.iter().any(|arc| !arc.compelled) {
        if picture.arcs.iter().any(|arc| arc.compelled) {
            entries.push(Entry { sample: arc(true, None), word: "one direction only" });
        }
        entries.push(Entry { sample: arc(false, None), word: "reversible: either way fits" });
    }
    if picture.arcs.iter().any(|arc| arc.weight.is_some()) {
        let sample = format!("{}{}", line(-4.0, Some(0.1)), line(4.0, Some(0.9)));
        entries.push(Entry { sample, word: picture.weighing.word() });
    }
    entries
}

/// An arc from left to right.
fn arc(compelled: bool, weight: Option<f64>) -> String {
    let curve = [-17.0, -6.0, 6.0, 17.0].map(|x| Point { x, y: 0.0 });
    let (line, head) = with_head(&curve, stroke(weight));
    let (line_class, head_class) = match compelled {
        true => ("cl-sample", "cl-head"),
        false => ("cl-sample cl-reversible", "cl-head cl-open"),
    };
    format!(
        "<path class=\"{line_class}\" stroke-width=\"{}\" d=\"{line}\"/><path class=\"{head_class}\" d=\"{head}\"/>",
        number(stroke(weight))
    )
}

fn line(y: f64, weight: Option<f64>) -> String {
    format!("<path class=\"cl-sample\" stroke-width=\"{}\" d=\"M-15 {y}H15\"/>", number(stroke(weight)))
}
