//! Pairs that perhaps have a cause in common outside the table, as [`Model::hidden_causes`](crate::model::Model::hidden_causes) marks them.

use super::Marks;
use super::html::Html;
use crate::words::counted;

/// Marks that are shown.
const SHOWN: usize = 10;

pub(super) fn section(html: &mut Html<'_>, marks: &Marks<'_>) {
    html.markup("<section id=\"outside\">\n<h2>Outside the table</h2>\n<p class=\"note\">");
    let rows = format!("In the {} of {}", counted(marks.rows, "row"), marks.table);
    if marks.found.is_empty() {
        html.text(rows).markup(" no two columns ask for a common cause that is not among them. That says little: most such causes cannot be told from an arc.</p>\n</section>\n");
        return;
    }
    html.text(rows).markup(" these depend on each other whatever is known around them, and neither can be the cause of the other: perhaps both depend on something that is not in the table. It is a mark and no more.</p>\n<ul>\n");
    for mark in marks.found.iter().take(SHOWN) {
        let [one, other] = mark.between;
        html.markup("<li>").link(one).markup(" ↔ ").link(other);
        html.text(format!(" ({:.4} bits at least): ", mark.information));
        html.text(mark.against[0].in_words(one, other)).markup("; ");
        html.text(mark.against[1].in_words(other, one));
        html.markup("</li>\n");
    }
    html.markup("</ul>\n");
    if marks.found.len() > SHOWN {
        let more = format!("And {} more: clausality test tells them all.", marks.found.len() - SHOWN);
        html.classed("p", "note", more).markup("\n");
    }
    html.markup("</section>\n");
}
