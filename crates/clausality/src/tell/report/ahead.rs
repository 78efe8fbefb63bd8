//! How forecasts of one step did, beside simpler ones.

use super::html::Html;
use crate::time::{Ahead, Said};
use crate::words::{counted, percent};

pub(super) fn section(html: &mut Html, ahead: &Ahead) {
    html.markup("<section id=\"ahead\">\n<h2>One step ahead</h2>\n");
    html.markup("<p class=\"note\">Forecasts of the last fifth of time, each from everything before it, with probabilities from the first four fifths (arcs come from all of it). Right: how often the likeliest state came. Nats: what the probability of what came was worth, less is better. Beside it the same of forecasts that say \u{201c}as usual\u{201d} (how often each state was there) and \u{201c}as last time\u{201d}");
    if let Some(steps) = ahead.season {
        html.text(format!(", and \u{201c}as last season\u{201d}, {} before", counted(steps, "step")));
    }
    html.markup(". \u{201c}As last\u{201d} is right where the state of then came again.</p>\n");
    if let Some(worse) = ahead.worse() {
        html.element("p", worse);
    }
    html.markup("<div class=\"scroll\">\n<table class=\"narrow\">\n<thead><tr><th>Variable</th><th class=\"n\">Values</th>");
    let season = ahead.season.is_some();
    let kinds = if season { 4 } else { 3 };
    for kind in ["Right", "As usual", "As last", "As last season"].into_iter().take(kinds) {
        html.classed("th", "n", kind).classed("th", "n", "nats");
    }
    html.markup("</tr></thead>\n<tbody>\n");
    let mut line = |name: &str, values: usize, figures: [Option<Said>; 4]| {
        html.markup("<tr>").element("td", name).classed("td", "n", values.to_string());
        for said in figures.iter().take(kinds) {
            html.classed("td", "n", said.map_or(String::new(), |said| percent(said.right)));
            html.classed("td", "n", said.map_or(String::new(), |said| format!("{:.3}", said.log_loss)));
        }
        html.markup("</tr>\n");
    };
    for process in &ahead.processes {
        line(&process.name, process.values, process.kinds());
    }
    if ahead.processes.len() > 1 {
        line("all", ahead.processes.iter().map(|process| process.values).sum(), ahead.means());
    }
    html.markup("</tbody></table>\n</div>\n</section>\n");
}
