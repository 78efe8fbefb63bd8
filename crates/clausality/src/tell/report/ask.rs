//! One finding at a time moves every bar, without a server: the posteriors of all nodes given each single state are worked out
//! beforehand and travel in the page.
//!
//! With S states in all these are S² numbers, in ten-thousandths; so many are worked out for networks of up to [`STATES`] states that
//! exact inference answers within [`BYTES`]. The one script of the page is a constant of ours, and the page's policy names it by its
//! SHA-256: whatever a column is called, nothing else runs.

use super::html::Html;
use super::{FEW_NODES, Subject};
use crate::words::percent;
use clausality_bn::infer::{Evidence, Infer};
use std::ops::Range;

/// States of all nodes together.
const STATES: usize = 200;
/// The memory for one question.
const BYTES: u64 = 8 << 20;

/// What runs in the page; without `<` and `&`, so that the page can be read as XML.
pub(super) const SCRIPT: &str = include_str!("ask.js");
/// What the page's policy allows: `openssl dgst -sha256 -binary ask.js | base64`. A browser test holds it against the script.
pub(super) const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-Nw/9qrvLEmrtCVYpFkKcHEYCOmMZoq51agCqJgH0RoE='";

/// What every single finding does to every node, in ten-thousandths; states are counted through.
pub(super) struct Posteriors {
    prior: Vec<u16>,
    /// Nothing for states that cannot be.
    given: Vec<Option<Vec<u16>>>,
    /// The states of each node.
    places: Vec<Range<usize>>,
}

impl Posteriors {
    /// Nothing for networks that are too large for a page, or that change from step to step.
    pub(super) fn of(subject: &Subject<'_>) -> Option<Self> {
        let network = subject.network;
        let mut places: Vec<Range<usize>> = Vec::with_capacity(network.len());
        for variable in network.schema().variables() {
            let start = places.last().map_or(0, |last| last.end);
            places.push(start..start + variable.cardinality());
        }
        let states = places.last().map_or(0, |last| last.end);
        let run = &subject.folder.run;
        if network.len() > FEW_NODES || states > STATES || run.time.is_some() || run.arcs.is_empty() {
            return None;
        }
        let mut infer = Infer::new(network.clone()).with_limit(BYTES);
        let prior = shares(&mut infer, &Evidence::new(network))?;
        let mut given = Vec::with_capacity(states);
        for (node, place) in places.iter().enumerate() {
            for state in place.clone() {
                let mut evidence = Evidence::new(network);
                evidence.observe(node, (state - place.start) as u8).ok()?;
                given.push(if prior[state] == 0 { None } else { shares(&mut infer, &evidence) });
            }
        }
        Some(Posteriors { prior, given, places })
    }
}

/// The distributions of all nodes, one behind the other; nothing if they cannot be told.
fn shares(infer: &mut Infer, evidence: &Evidence) -> Option<Vec<u16>> {
    let found = infer.posteriors(evidence).ok()?;
    Some(found.probabilities.iter().flatten().map(|&share| ten_thousandths(share)).collect())
}

/// Rounded, but only what is impossible is 0 and only what is certain is 1.
fn ten_thousandths(share: f64) -> u16 {
    match share {
        0.0 => 0,
        1.0 => 10_000,
        share => (10_000.0 * share).round().clamp(1.0, 9_999.0) as u16,
    }
}

pub(super) fn section(html: &mut Html, subject: &Subject<'_>, posteriors: &Posteriors) {
    html.markup("<section id=\"ask\">\n<h2>What goes with what</h2>\n<p class=\"note\" id=\"found\" aria-live=\"polite\" hidden=\"hidden\">");
    html.markup("Choose a state: every bar moves to what the network says where it holds; the marks stay where the bars were. Choose it again to let go.</p>\n");
    html.markup("<div class=\"cards\">\n");
    for (node, place) in posteriors.places.iter().enumerate() {
        let variable = subject.network.schema().variable(node);
        html.markup("<div class=\"card\"><h3>").link(&variable.name).markup("</h3>\n");
        for (label, &prior) in variable.states.iter().zip(&posteriors.prior[place.clone()]) {
            let share = f64::from(prior) / 10_000.0;
            html.markup("<button type=\"button\" aria-pressed=\"false\" disabled=\"disabled\">");
            html.classed("span", "label", label).bar(share, Some(share)).classed("span", "n", percent(share));
            html.markup("</button>\n");
        }
        html.markup("</div>\n");
    }
    html.markup("</div>\n</section>\n");
}

/// The figures and the script, behind everything else.
pub(super) fn script(html: &mut Html, posteriors: &Posteriors) {
    html.markup("<script type=\"application/json\" id=\"posteriors\">{\"prior\":");
    numbers(html, &posteriors.prior);
    html.markup(",\"given\":[");
    for (place, given) in posteriors.given.iter().enumerate() {
        html.markup(if place > 0 { "," } else { "" });
        match given {
            Some(given) => numbers(html, given),
            None => drop(html.markup("null")),
        }
    }
    html.markup("]}</script>\n<script>").markup(SCRIPT).markup("</script>\n");
}

fn numbers(html: &mut Html, numbers: &[u16]) {
    html.markup("[");
    for (place, &number) in numbers.iter().enumerate() {
        html.markup(if place > 0 { "," } else { "" }).number(usize::from(number));
    }
    html.markup("]");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_certain_is_rounded_to_it() {
        let shares = [0.0, 1e-9, 0.00014, 0.5, 0.99999, 1.0];
        assert_eq!(shares.map(ten_thousandths), [0, 1, 1, 5000, 9999, 10_000]);
    }

    #[test]
    fn the_script_is_text_in_xml_too() {
        assert!(!SCRIPT.contains(['<', '&']), "a page is well-formed XML");
    }
}
