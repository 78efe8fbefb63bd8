//! The arcs, each with what speaks for it.

use super::Subject;
use super::html::Html;
use crate::learn::{LearnedArc, Way};
use crate::run::Run;
use crate::words::{counted, grouped, percent};

/// Arcs that are shown at once where there are more than [`ALL`]; the others can be unfolded.
const SHOWN: usize = 40;
/// Up to so many arcs none is folded.
const ALL: usize = 60;

pub(super) fn section(html: &mut Html, subject: &Subject<'_>) {
    let run = &subject.folder.run;
    html.markup("<section id=\"arcs\">\n<h2>The arcs, and what speaks for them</h2>\n");
    legend(html, run);
    let mut arcs: Vec<&LearnedArc> = run.arcs.iter().collect();
    // Equals stay in the order of child and parent.
    arcs.sort_by(|a, b| b.gain.total_cmp(&a.gain));
    let shown = if arcs.len() > ALL { SHOWN } else { arcs.len() };
    let (first, others) = arcs.split_at(shown);
    table(html, run, first);
    if !others.is_empty() {
        html.markup("<details>\n<summary>").text(format!("The other {}", counted(others.len(), "arc")));
        html.markup("</summary>\n");
        table(html, run, others);
        html.markup("</details>\n");
    }
    html.markup("</section>\n");
}

/// What the columns mean.
fn legend(html: &mut Html, run: &Run) {
    html.markup("<p class=\"note\"><b>Direction</b>: by these rows if every network that is equally good on them has it, which is no proof of what causes what and may be otherwise with other rows, by rule if the rules leave no other, required if the rules demand the arc");
    let parts = super::summary::calendar_parts(&run.arcs);
    if !parts.is_empty() {
        html.markup(", by calendar because ").text(super::summary::are_calendar_parts(&parts));
    }
    html.markup(". <b>Share</b>: the parent's part in all that the machines learned about the child. ");
    if run.arcs.iter().any(|arc| arc.hit_rate.is_some()) {
        html.markup("<b>Beats luck</b>: how often the parent was stronger than every shuffled variable; an arc where that is half of the time or less is weakly supported. ");
    }
    html.markup("<b>Gain</b>: what the network would lose without the arc, in ")
        .text(run.params.network.gains_in().title())
        .markup(".");
    // The score weighs all columns; a target's neighbourhood is judged by the target alone.
    if !run.params.prediction.targets().is_empty() && run.arcs.iter().any(|arc| arc.gain < 0.0) {
        html.markup(" Below 0: the score would be better without it, but a column that is to be predicted is predicted better with it.");
    }
    if let Some(again) = &run.bootstrap {
        html.markup(" <b>Joined</b>, <b>this way</b>: how often the two were adjacent when the network was learned again from ");
        html.text(counted(again.rounds, "table"))
            .markup(" of rows drawn anew, and in what part of these the arc ran this way.");
    }
    html.markup("</p>\n");
}

fn table(html: &mut Html, run: &Run, arcs: &[&LearnedArc]) {
    let shadows = run.arcs.iter().any(|arc| arc.hit_rate.is_some());
    let repeated = run.bootstrap.is_some();
    html.markup("<div class=\"scroll\"><table>\n<thead><tr><th>Arc</th><th>Direction</th><th colspan=\"2\">Share</th>");
    if shadows {
        html.markup("<th class=\"n\">Beats luck</th>");
    }
    html.markup("<th class=\"n\">Gain</th>");
    if repeated {
        html.markup("<th class=\"n\">Joined</th><th class=\"n\">This way</th>");
    }
    html.markup("</tr></thead>\n<tbody>\n");
    let share = |share: Option<f64>| share.map_or("–".into(), percent);
    for arc in arcs {
        html.markup("<tr><td>").link(&arc.parent).markup(" → ").link(&arc.child);
        if let Some(other) = &arc.or {
            html.markup(" <span class=\"faint\">(or ").link(other);
            match &arc.or_for {
                Some(end) => html.markup(" in place of ").link(end).markup(", which says the same)</span>"),
                None => html.markup(", which says the same)</span>"),
            };
        }
        if arc.gaps {
            html.markup(
                " <span class=\"faint\">(gaps: less than half is gained where both have values)</span>",
            );
        }
        html.markup("</td>");
        match (arc.required, arc.way()) {
            (true, _) => html.markup("<td class=\"way\">required</td>"),
            (false, Way::Data) => html.markup("<td class=\"way\">by these rows</td>"),
            (false, Way::Rules) => html.markup("<td class=\"way\">by rule</td>"),
            (false, Way::Calendar) => html.markup("<td class=\"way\">by calendar</td>"),
            (false, Way::Time) => html.markup("<td class=\"way\">by time</td>"),
            (false, Way::Open) => html.markup("<td class=\"way faint\">either way</td>"),
        };
        html.markup("<td class=\"b\">").bar(arc.share, None).markup("</td>");
        html.classed("td", "n", percent(arc.share));
        if shadows {
            html.classed("td", "n", share(arc.hit_rate));
        }
        html.classed("td", "n", score(arc.gain));
        if repeated {
            html.classed("td", "n", share(arc.confidence)).classed("td", "n", share(arc.direction));
        }
        html.markup("</tr>\n");
    }
    html.markup("</tbody></table></div>\n");
}

/// A score, or a difference of two, with the digits that matter.
pub(super) fn score(value: f64) -> String {
    let sign = if value < 0.0 { "−" } else { "" };
    match value.abs() {
        size if (100.0..1e15).contains(&size) => format!("{sign}{}", grouped(size.round() as usize)),
        size => format!("{sign}{size:.1}"),
    }
}
