//! The probabilities of a node: bars if it has no parents, else a heat table of the parents' most frequent states.

use super::Subject;
use super::html::Html;
use crate::learn::{Configuration, LISTED};
use crate::words::{counted, grouped, percent};

/// Cells of a table on the page; of large tables fewer rows are shown.
const CELLS: usize = 240;
/// Rows that are shown however wide they are.
const LEAST_ROWS: usize = 6;
/// States that are shown of a node with very many.
const STATES: usize = 40;

pub(super) fn section(html: &mut Html, subject: &Subject<'_>, name: &str) {
    let node = subject.number(name);
    let cpt = subject.network.cpt(node);
    html.markup("<h4>Probabilities</h4>\n");
    if cpt.parents().is_empty() {
        alone(html, subject, node);
    } else {
        given_parents(html, subject, node);
    }
}

/// Without parents: a bar for every state.
fn alone(html: &mut Html, subject: &Subject<'_>, node: usize) {
    let states = &subject.network.schema().variable(node).states;
    html.markup("<table class=\"narrow\">\n<tbody>\n");
    for (state, &share) in states.iter().zip(subject.network.cpt(node).row(0)).take(STATES) {
        html.markup("<tr>").element("td", state).markup("<td class=\"b\">").bar(share, None).markup("</td>");
        html.classed("td", "n", percent(share)).markup("</tr>\n");
    }
    html.markup("</tbody></table>\n");
    if states.len() > STATES {
        left_out(html, &format!("{} of {} states are shown.", STATES, states.len()));
    }
}

/// A row of the table: where it stands, and the rows of data behind it if they were counted.
struct Row {
    configuration: usize,
    rows: Option<usize>,
}

fn given_parents(html: &mut Html, subject: &Subject<'_>, node: usize) {
    let (schema, cpt) = (subject.network.schema(), subject.network.cpt(node));
    let states = &schema.variable(node).states;
    let most = LISTED.min((CELLS / states.len()).max(LEAST_ROWS));
    let (rows, seen) = rows(subject, node);
    html.markup("<div class=\"scroll\"><table class=\"heat\">\n<thead><tr>");
    for &parent in cpt.parents() {
        html.markup("<th>").link(schema.name(parent)).markup("</th>");
    }
    if seen.is_some() {
        html.markup("<th class=\"n\">Rows</th>");
    }
    for state in states.iter().take(STATES) {
        html.classed("th", "s", state);
    }
    html.markup("</tr></thead>\n<tbody>\n");
    for row in rows.iter().take(most) {
        html.markup("<tr>");
        for (&parent, &code) in cpt.parents().iter().zip(&cpt.parent_codes(row.configuration)) {
            html.element("td", &schema.variable(parent).states[usize::from(code)]);
        }
        if let Some(rows) = row.rows {
            html.classed("td", "n", grouped(rows));
        }
        for &share in cpt.row(row.configuration).iter().take(STATES) {
            html.heat(share, &percent(share));
        }
        html.markup("</tr>\n");
    }
    html.markup("</tbody></table></div>\n");
    notes(html, cpt.configurations(), rows.len().min(most), seen, states.len());
}

/// The rows to show, and how many of the table's occur in the data, if that is known.
fn rows(subject: &Subject<'_>, node: usize) -> (Vec<Row>, Option<usize>) {
    let (schema, cpt) = (subject.network.schema(), subject.network.cpt(node));
    let parents: Vec<&str> = cpt.parents().iter().map(|&p| schema.name(p)).collect();
    let of_node =
        |family: &&crate::learn::Family| family.node == schema.name(node) && family.parents == parents;
    let Some(family) = subject.folder.run.families.iter().find(of_node) else {
        let first =
            (0..cpt.configurations().min(LISTED)).map(|configuration| Row { configuration, rows: None });
        return (first.collect(), None);
    };
    let code = |(&parent, state): (&usize, &String)| schema.variable(parent).code(state);
    let row = |listed: &Configuration| {
        let codes: Option<Vec<u8>> = cpt.parents().iter().zip(&listed.states).map(code).collect();
        let codes = codes.filter(|codes| codes.len() == cpt.parents().len())?;
        Some(Row { configuration: cpt.configuration(&codes), rows: Some(listed.rows) })
    };
    (family.frequent.iter().filter_map(row).collect(), Some(family.seen))
}

/// What the table leaves out, and what it can only guess.
pub(super) fn notes(html: &mut Html, all: usize, shown: usize, seen: Option<usize>, states: usize) {
    let mut text = String::new();
    if shown < all {
        let order = if seen.is_some() { "the most frequent first" } else { "the first of the table" };
        let of = format!("{} of {}", grouped(shown), counted(all, "combination"));
        text.push_str(&format!("{of} {} shown, {order}; ", if shown == 1 { "is" } else { "are" }));
        text.push_str(&match all - shown {
            1 => "one is left out.".to_string(),
            several => format!("{} are left out.", grouped(several)),
        });
    }
    match seen.map(|seen| all.saturating_sub(seen)) {
        None | Some(0) => {}
        Some(1) => text.push_str(" One combination never occurs in the data: of it nothing is known."),
        Some(never) => text.push_str(&format!(
            " {} combinations never occur in the data: of them nothing is known.",
            grouped(never)
        )),
    }
    if states > STATES {
        text.push_str(&format!(" {STATES} of {states} states are shown."));
    }
    if !text.is_empty() {
        left_out(html, text.trim());
    }
}

fn left_out(html: &mut Html, text: &str) {
    html.markup("<p class=\"note\">").text(text).markup("</p>\n");
}
