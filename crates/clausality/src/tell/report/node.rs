//! The variables one by one: how well each is predicted, by what, under which rules, and its probabilities.

use super::html::Html;
use super::{Subject, summary, table};
use crate::learn::{LearnedArc, Way};
use crate::rules::Role;
use crate::run::NodeClauses;
use crate::strengths::Feature;
use crate::tell::{NodeExplanation, Rule, Verdict};
use crate::words::{counted, grouped, percent};

/// Features of a node on the page.
const FEATURES: usize = 8;
/// Rules of a node on the page.
const RULES: usize = 6;

pub(super) fn section(html: &mut Html, subject: &Subject<'_>) {
    html.markup("<section id=\"nodes\">\n<h2>The variables one by one</h2>\n<p class=\"note\">");
    html.markup("<b>Predicted</b>: the share of rows held out that the machines got right, every state counting alike, ");
    html.markup("with all others to go by; the mark is what guessing reaches. ");
    html.markup("The best predicted come first; a name leads to all there is about it.</p>\n");
    index(html, subject);
    for node in &subject.folder.clauses.targets {
        details(html, subject, node);
    }
    html.markup("</section>\n");
}

fn index(html: &mut Html, subject: &Subject<'_>) {
    html.markup("<div class=\"scroll\"><table class=\"index\">\n<thead><tr><th>Variable</th><th colspan=\"2\">Predicted</th>");
    html.markup("<th>Mostly from</th></tr></thead>\n<tbody>\n");
    let mut nodes: Vec<&NodeClauses> = subject.folder.clauses.targets.iter().collect();
    let sought = |node: &NodeClauses| summary::role(subject.folder, &node.name) == Role::Unobserved;
    let signal = |node: &NodeClauses| Verdict::of(node.accuracy) == Verdict::Signal;
    // Equals stay in the order of names.
    nodes.sort_by(|a, b| {
        let rank = |node| (sought(node), signal(node));
        rank(b).cmp(&rank(a)).then(summary::skill(b).total_cmp(&summary::skill(a)))
    });
    let (listed, silent): (Vec<&NodeClauses>, Vec<&NodeClauses>) =
        nodes.into_iter().partition(|node| signal(node) || sought(node));
    for node in listed {
        let verdict = Verdict::of(node.accuracy);
        html.markup(if verdict == Verdict::Signal { "<tr><td>" } else { "<tr class=\"faint\"><td>" });
        html.link(&node.name);
        role(html, summary::role(subject.folder, &node.name));
        html.markup("</td>");
        prediction(html, node);
        match verdict.word() {
            Some(word) => html.classed("td", "word", word),
            None => html.element("td", summary::features(node).join(", ")),
        };
        html.markup("</tr>\n");
    }
    html.markup("</tbody></table></div>\n");
    without_signal(html, &silent);
}

/// The variables of which there is nothing to say, in one line.
fn without_signal(html: &mut Html, nodes: &[&NodeClauses]) {
    let mut start = "<p class=\"note silent\">";
    for word in [Verdict::NoSignal, Verdict::TooFewRows, Verdict::Unmeasured] {
        let mut named = nodes.iter().filter(|node| Verdict::of(node.accuracy) == word).peekable();
        let Some(word) = word.word().filter(|_| named.peek().is_some()) else { continue };
        html.markup(start).markup("<b>").text(sentence(word).trim_end_matches('.')).markup("</b>: ");
        for (place, node) in named.enumerate() {
            html.markup(if place > 0 { ", " } else { "" }).link(&node.name);
        }
        start = ". ";
    }
    html.markup(if start == ". " { ".</p>\n" } else { "" });
}

fn prediction(html: &mut Html, node: &NodeClauses) {
    match node.accuracy {
        Some(a) => html.markup("<td class=\"b\">").bar(a.mean, Some(a.chance)).markup("</td>").classed(
            "td",
            "n",
            percent(a.mean),
        ),
        None => html.markup("<td></td><td class=\"n\">–</td>"),
    };
}

fn role(html: &mut Html, role: Role) {
    match role {
        Role::Observed => html,
        Role::Parameter => html.markup(" <span class=\"tag parameter\">parameter</span>"),
        Role::Calendar => html.markup(" <span class=\"tag parameter\">calendar part</span>"),
        Role::Unobserved => html.markup(" <span class=\"tag unobserved\">to be inferred</span>"),
    };
}

fn details(html: &mut Html, subject: &Subject<'_>, node: &NodeClauses) {
    // The documents were checked: every node can be explained.
    let Ok(about) = subject.folder.explain_node(&node.name) else { return };
    html.markup("<details class=\"node\">\n<summary><span class=\"name\">")
        .text(&node.name)
        .markup("</span>");
    role(html, about.role);
    html.markup(" <span class=\"faint\">");
    match (Verdict::of(node.accuracy).word(), node.accuracy) {
        (Some(word), _) => html.text(word),
        (None, Some(a)) => html.text(format!("{} right, guessing {}", percent(a.mean), percent(a.chance))),
        (None, None) => html,
    };
    html.markup("</span></summary>\n<div class=\"about\" id=\"n")
        .number(subject.number(&node.name))
        .markup("\">\n");
    html.markup("<p>").text(sentence(&about.verdict)).markup("</p>\n<p>");
    family(html, "Parents", &about.parents, |arc| &arc.parent);
    html.markup("<br/>");
    family(html, "Children", &about.children, |arc| &arc.child);
    html.markup("</p>\n<div class=\"pair\">\n");
    features(html, &about, node.shadow);
    rules(html, &about.rules);
    html.markup("</div>\n");
    table::section(html, subject, &node.name);
    html.markup("</div>\n</details>\n");
}

/// A verdict with a capital and a full stop.
fn sentence(verdict: &str) -> String {
    let mut letters = verdict.chars();
    let first: String = letters.next().into_iter().flat_map(char::to_uppercase).collect();
    format!("{first}{}.", letters.as_str())
}

fn family(html: &mut Html, what: &'static str, arcs: &[LearnedArc], end: fn(&LearnedArc) -> &String) {
    html.markup("<b>").markup(what).markup("</b>: ");
    if arcs.is_empty() {
        html.markup("none");
    }
    for (place, arc) in arcs.iter().enumerate() {
        html.markup(if place > 0 { ", " } else { "" });
        html.link(end(arc)).markup(match arc.way() {
            Way::Data | Way::Time => "",
            Way::Rules => " <span class=\"faint\">(by rule)</span>",
            Way::Calendar => " <span class=\"faint\">(by calendar)</span>",
            Way::Open => " <span class=\"faint\">(either way)</span>",
        });
    }
}

/// The strongest features, with the strength that a shuffled column reaches.
fn features(html: &mut Html, about: &NodeExplanation, shadow: Option<f64>) {
    let strong: Vec<&Feature> = about.features.iter().filter(|f| f.strength > 0.0).take(FEATURES).collect();
    html.markup("<div>\n<h4>What speaks about it</h4>\n");
    if strong.is_empty() {
        html.markup("<p class=\"faint\">Nothing does.</p>\n</div>\n");
        return;
    }
    let total: f64 = about.features.iter().map(|f| f.strength.max(0.0)).sum();
    let luck = shadow.map(|shadow| shadow / total.max(f64::MIN_POSITIVE));
    // The longest bar fills its place, so that weak features can be told apart.
    let scale = strong.iter().map(|f| f.share).chain(luck).fold(0.0, f64::max).max(f64::MIN_POSITIVE);
    let shadows = strong.iter().any(|f| f.hit_rate.is_some());
    html.markup("<table>\n<thead><tr><th>Variable</th><th colspan=\"2\">Share</th>");
    html.markup(if shadows { "<th class=\"n\">Beats luck</th></tr></thead>\n" } else { "</tr></thead>\n" });
    html.markup("<tbody>\n");
    for feature in &strong {
        html.markup("<tr><td>")
            .link(&feature.name)
            .markup("</td><td class=\"b\">")
            .bar(feature.share / scale, luck.filter(|luck| *luck > 0.0).map(|luck| luck / scale))
            .markup("</td>");
        html.classed("td", "n", percent(feature.share));
        if shadows {
            html.classed("td", "n", feature.hit_rate.map_or("–".into(), percent));
        }
        html.markup("</tr>\n");
    }
    html.markup("</tbody></table>\n");
    let others = about.features.iter().filter(|f| f.strength > 0.0).count() - strong.len();
    if others > 0 || luck.is_some() {
        html.markup("<p class=\"note\">");
        if others > 0 {
            html.text(format!("And {} with less. ", counted(others, "variable")));
        }
        if let Some(luck) = luck {
            html.text(match luck {
                0.0 => "A shuffled variable reaches nothing.".to_string(),
                luck if luck > 1.0 => {
                    "The mark is what the best shuffled variable reaches: more than all of them together."
                        .to_string()
                }
                luck => {
                    format!("The mark, at {}, is what the best shuffled variable reaches.", percent(luck))
                }
            });
        }
        html.markup("</p>\n");
    }
    html.markup("</div>\n");
}

fn rules(html: &mut Html, rules: &[Rule]) {
    html.markup("<div>\n<h4>Rules behind it</h4>\n");
    if rules.is_empty() {
        html.markup("<p class=\"faint\">None were kept.</p>\n</div>\n");
        return;
    }
    html.markup("<ol class=\"rules\">\n");
    for Rule { text, clause } in rules.iter().take(RULES) {
        html.markup("<li>").text(text).markup("<span class=\"measure\">");
        html.bar(clause.precision, Some(clause.base)).markup("<span class=\"faint\">");
        html.text(format!(
            "{} of {}, against {} of all",
            percent(clause.precision),
            counted(clause.support, "row"),
            percent(clause.base)
        ));
        html.markup("</span></span></li>\n");
    }
    html.markup("</ol>\n");
    if rules.len() > RULES {
        let more = grouped(rules.len() - RULES);
        html.markup("<p class=\"note\">").text(format!("And {more} more in clauses.json.")).markup("</p>\n");
    }
    html.markup("</div>\n");
}
