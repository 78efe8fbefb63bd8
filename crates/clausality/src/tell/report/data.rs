//! The table: what every column was found to be, and what became of it.

use super::Subject;
use super::html::Html;
use crate::data::{ColumnReport, Decision, VariableReport};
use crate::words::{counted, grouped, percent};
use clausality_bn::Scale;

/// States that are named.
const NAMED: usize = 8;

pub(super) fn section(html: &mut Html, subject: &Subject<'_>) {
    let run = &subject.folder.run;
    html.markup("<section id=\"data\">\n<h2>The data</h2>\n");
    if run.columns.is_empty() {
        html.markup("<p class=\"note\">").text(counted(run.rows, "row"));
        html.markup("; this run keeps no more about its table.</p>\n</section>\n");
        return;
    }
    let dropped = run.columns.iter().filter(|column| column.decision == Decision::Dropped).count();
    html.markup("<p class=\"note\">").text(format!(
        "{}, {}, of which {} left out. The small bars show how the rows spread over the states.",
        run.counted_rows(),
        counted(run.columns.len(), "column"),
        match dropped {
            0 => "none was".to_string(),
            1 => "one was".to_string(),
            several => format!("{several} were"),
        }
    ));
    html.markup(
        "</p>\n<div class=\"scroll\"><table class=\"data\">\n<thead><tr><th>Column</th><th>Type</th>",
    );
    html.markup("<th class=\"n\">Values</th><th class=\"n\">Missing</th><th colspan=\"2\">States, or why it was left out</th>");
    html.markup("</tr></thead>\n<tbody>\n");
    run.columns.iter().for_each(|column| row(html, subject, column));
    html.markup("</tbody></table></div>\n</section>\n");
}

fn row(html: &mut Html, subject: &Subject<'_>, column: &ColumnReport) {
    let values = if column.distinct_is_exact { grouped(column.distinct) } else { "many".into() };
    let missing = if column.missing > 0 { grouped(column.missing) } else { "–".into() };
    let start = |html: &mut Html| {
        html.element("td", column.kind.to_string()).classed("td", "n", &values).classed("td", "n", &missing);
    };
    match (column.decision, column.variables.as_slice()) {
        (Decision::Kept, [variable]) => {
            html.markup("<tr><td>").link(&variable.name).markup("</td>");
            start(html);
            states(html, variable);
            html.markup("</tr>\n");
        }
        (decision, variables) => {
            html.markup("<tr class=\"faint\">").element("td", &column.name);
            start(html);
            html.markup("<td></td><td>");
            html.markup(if decision == Decision::Dropped { "left out: " } else { "" });
            html.text(&column.reason).markup("</td></tr>\n");
            for variable in variables {
                html.markup("<tr><td class=\"derived\">").link(&variable.name);
                html.markup("</td><td>").markup(kind(subject, variable)).markup("</td><td></td><td></td>");
                states(html, variable);
                html.markup("</tr>\n");
            }
        }
    }
}

/// What a variable that was derived from a column is.
fn kind(subject: &Subject<'_>, variable: &VariableReport) -> &'static str {
    let schema = subject.network.schema();
    match schema.index(&variable.name).map(|v| schema.variable(v).scale) {
        Some(Scale::Circular) => "derived, circular",
        _ => "derived",
    }
}

fn states(html: &mut Html, variable: &VariableReport) {
    let rows: usize = variable.states.iter().map(|state| state.rows).sum();
    let share = |rows_in: usize| rows_in as f64 / rows.max(1) as f64;
    let shares: Vec<f64> = variable.states.iter().map(|state| share(state.rows)).collect();
    html.markup("<td class=\"c\">").columns(&shares).markup("</td><td class=\"states\">");
    // In their order where all are named, else the most frequent.
    let mut named: Vec<_> = variable.states.iter().zip(&shares).collect();
    if named.len() > NAMED {
        named.sort_by_key(|(state, _)| std::cmp::Reverse(state.rows));
    }
    for (place, (state, &share)) in named.into_iter().take(NAMED).enumerate() {
        html.markup(if place > 0 { " · " } else { "" });
        html.markup("<span>")
            .text(&state.label)
            .markup(" <span class=\"faint\">")
            .text(percent(share))
            .markup("</span></span>");
    }
    if variable.states.len() > NAMED {
        html.text(format!(" and {} more", variable.states.len() - NAMED));
    }
    html.markup("</td>");
}
