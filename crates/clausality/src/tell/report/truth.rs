//! The learned network beside the true one, where that is known.

use super::html::Html;
use crate::run::Truth;
use crate::words::{counted, grouped};
use clausality_bn::compare::{Arc, Rates};

pub(super) fn section(html: &mut Html, truth: &Truth) {
    let found = &truth.comparison;
    html.markup("<section id=\"truth\">\n<h2>Against the truth</h2>\n<p class=\"note\">The true network is ");
    html.text(&truth.name).markup(", with ").text(counted(found.true_arcs, "arc"));
    html.markup("; the learned one has ").text(grouped(found.learned_arcs)).markup(".</p>\n");
    html.markup("<div class=\"pair\">\n<div class=\"scroll\"><table>\n<thead><tr><th>Arcs</th><th class=\"n\">Precision</th>");
    html.markup("<th class=\"n\">Recall</th><th class=\"n\">F1</th></tr></thead>\n<tbody>\n");
    rates(html, "whichever way they run", &found.skeleton);
    rates(html, "with their direction", &found.directed);
    html.markup("</tbody></table></div>\n<div class=\"scroll\"><table>\n<tbody>\n");
    let mut figure = |name: &'static str, value: String, meaning: &'static str| {
        html.markup("<tr>")
            .element("th", name)
            .classed("td", "n", value)
            .classed("td", "faint", meaning)
            .markup("</tr>\n");
    };
    figure("SHD", grouped(found.shd), "missing, extra and turned arcs");
    figure("CPDAG-SHD", grouped(found.cpdag_shd), "the same between classes of equally good networks");
    figure("SID", grouped(found.sid), "pairs of variables whose effect would be misjudged");
    figure("Kernel K", format!("{:.2}", found.kernel), "likeness of neighbourhoods and arcs; 1 is equal");
    figure("Walk kernel", format!("{:.2}", found.walk_kernel), "likeness of directed walks; 1 is equal");
    html.markup("</tbody></table></div>\n</div>\n");
    let differences = &truth.differences;
    arcs(html, "Missing", "in the truth only", &differences.missing);
    arcs(html, "Extra", "in the learned network only", &differences.extra);
    arcs(html, "Turned", "in both, and the other way round in the truth", &differences.turned);
    names(html, "Variables that only the truth has", &found.only_in_truth);
    names(html, "Variables that the truth does not have", &found.only_in_learned);
    html.markup("</section>\n");
}

fn rates(html: &mut Html, what: &'static str, rates: &Rates) {
    html.markup("<tr>").element("th", what);
    for value in [rates.precision, rates.recall, rates.f1] {
        html.classed("td", "n", format!("{value:.2}"));
    }
    html.markup("</tr>\n");
}

fn arcs(html: &mut Html, what: &'static str, meaning: &'static str, arcs: &[Arc]) {
    html.markup("<h3>").text(format!("{what}: {}", counted(arcs.len(), "arc")));
    html.markup(" <span class=\"faint\">").markup(meaning).markup("</span></h3>\n");
    if arcs.is_empty() {
        return;
    }
    html.markup("<ul class=\"flow\">\n");
    for arc in arcs {
        html.markup("<li>").link(&arc.parent).markup(" → ").link(&arc.child).markup("</li>\n");
    }
    html.markup("</ul>\n");
}

fn names(html: &mut Html, what: &'static str, names: &[String]) {
    if !names.is_empty() {
        html.markup("<h3>").markup(what).markup("</h3>\n").element("p", names.join(", ")).markup("\n");
    }
}
