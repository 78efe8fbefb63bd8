//! The gaps of the table: where they are, and what they go with.

use super::advised;
use super::html::Html;
use crate::data::{ColumnReport, Twin};
use crate::gaps::{Gaps, meaning};
use crate::words::{grouped, percent};

pub(super) fn section(html: &mut Html, gaps: &Gaps, columns: &[ColumnReport], twins: &[Twin]) {
    html.markup("<section id=\"gaps\">\n<h2>Gaps</h2>\n<p class=\"note\">").text(gaps.opening(columns));
    html.markup(" What gaps depend on says how the table was recorded; it is no arc.</p>\n");
    let found = gaps.sentences();
    if !found.is_empty() {
        html.markup("<ul>\n");
        for sentence in &found {
            html.element("li", sentence).markup("\n");
        }
        html.markup("</ul>\n");
    }
    for line in meaning(&gaps.telling(columns, twins)) {
        html.markup("<p>");
        advised(html, &line);
        html.markup("</p>\n");
    }
    html.markup("<table class=\"narrow\">\n<thead><tr><th>Column</th><th class=\"n\">Gaps</th><th colspan=\"2\">Share of the rows</th></tr></thead>\n<tbody>\n");
    for column in &gaps.columns {
        let share = column.gaps as f64 / gaps.rows.max(1) as f64;
        html.markup("<tr>").element("td", &column.name).classed("td", "n", grouped(column.gaps));
        html.markup("<td class=\"b\">").bar(share, None).markup("</td>").classed("td", "n", percent(share));
        html.markup("</tr>\n");
    }
    html.markup("</tbody></table>\n");
    // Of a single column the pattern says nothing new.
    if gaps.columns.len() > 1 {
        html.markup("<details>\n<summary>Missing in the same row</summary>\n<table class=\"narrow\">\n<thead><tr><th class=\"n\">Rows</th><th>Columns</th></tr></thead>\n<tbody>\n");
        for pattern in &gaps.patterns {
            html.markup("<tr>").classed("td", "n", grouped(pattern.rows)).element("td", pattern.names());
            html.markup("</tr>\n");
        }
        html.markup("</tbody></table>\n");
        if gaps.other_patterns > 0 {
            let others = format!("{} rarer combinations are not listed.", grouped(gaps.other_patterns));
            html.markup("<p class=\"note\">").text(others).markup("</p>\n");
        }
        html.markup("</details>\n");
    }
    html.markup("</section>\n");
}
