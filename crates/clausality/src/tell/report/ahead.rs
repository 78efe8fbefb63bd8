//! How forecasts of one step did, beside simpler ones.

use super::html::Html;
use crate::time::{Ahead, Said};
use crate::words::percent;

pub(super) fn section(html: &mut Html, ahead: &Ahead) {
    html.markup("<section id=\"ahead\">\n<h2>One step ahead</h2>\n");
    html.markup("<p class=\"note\">Forecasts of the last fifth of time, each from everything before it, with probabilities from the first four fifths (arcs come from all of it). Right: how often the likeliest state came. Nats: what the probability of what came was worth, less is better.</p>\n");
    html.markup("<div class=\"scroll\">\n<table class=\"narrow\">\n<thead><tr><th>Variable</th><th class=\"n\">Values</th>");
    let season = ahead.season.is_some();
    let kinds = ["This network".to_string(), "\u{201c}As last time\u{201d}".into(), ahead.last_season()];
    for kind in kinds.iter().take(if season { 3 } else { 2 }) {
        html.classed("th", "n", format!("{kind}: right")).classed("th", "n", "nats");
    }
    html.markup("</tr></thead>\n<tbody>\n");
    let mut line = |name: &str, values: usize, figures: [Option<Said>; 3]| {
        html.markup("<tr>").element("td", name).classed("td", "n", values.to_string());
        for said in figures.iter().take(if season { 3 } else { 2 }) {
            html.classed("td", "n", said.map_or(String::new(), |said| percent(said.right)));
            html.classed("td", "n", said.map_or(String::new(), |said| format!("{:.3}", said.log_loss)));
        }
        html.markup("</tr>\n");
    };
    for process in &ahead.processes {
        line(&process.name, process.values, [Some(process.ours), Some(process.last), process.season]);
    }
    if ahead.processes.len() > 1 {
        line("all", ahead.processes.iter().map(|process| process.values).sum(), ahead.means());
    }
    html.markup("</tbody></table>\n</div>\n</section>\n");
}
