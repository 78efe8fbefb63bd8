//! What-if: the scenarios that somebody kept with the run, side by side.
//!
//! A scenario is the fragment of the explorer's address: `see:HR=LOW&do:CVP=HIGH&among:BP=1,0,1&likely:CO=0.7,0.2,0.1`, escaped as forms are. Shown are the columns that are predicted,
//! then those that the scenarios move most; where something is done the range over equally good graphs stands below.

use super::html::Html;
use crate::folder::Scenario;
use crate::model::Model;
use crate::words::{clean, counted};
use clausality_bn::effects::{Effects, effects, set_nodes};
use clausality_bn::infer::{DEFAULT_BYTES, Evidence, Infer};
use clausality_bn::{Error, Schema};

/// Scenarios side by side: as many as have room on paper. More go into further tables.
const SIDE_BY_SIDE: usize = 4;
/// Nodes that are shown, and the states of each.
const NODES: usize = 6;
const STATES: usize = 8;
/// A range that can be seen.
const BAND: f64 = 0.0005;

/// The answer to a scenario.
struct Answered<'s> {
    name: &'s str,
    words: String,
    evidence: Evidence,
    posteriors: Vec<Vec<f64>>,
    band: Option<Effects>,
}

/// The section; `first` are the nodes that stand first. Nothing where no scenario says anything.
pub(super) fn section(html: &mut Html<'_>, model: &Model, scenarios: &[Scenario], first: &[&str]) {
    let schema = model.network.schema();
    let mut infer = Infer::new(model.network.clone()).with_limit(DEFAULT_BYTES);
    let Ok(before) = infer.posteriors(&Evidence::new(&model.network)) else { return };
    let before = before.probabilities;
    let (mut found, mut refused) = (vec![], vec![]);
    for scenario in scenarios {
        match answer(model, &mut infer, scenario) {
            Ok(Some(answered)) => found.push(answered),
            Ok(None) => {}
            Err(why) => refused.push((scenario.name.as_str(), why)),
        }
    }
    if found.is_empty() && refused.is_empty() {
        return;
    }
    html.markup("<section id=\"scenarios\">\n<h2>What if</h2>\n<p class=\"note\">");
    html.text(format!("{} kept with the run.", counted(scenarios.len(), "scenario")));
    html.markup(" Before: when nothing is known. Below a figure, where something is done: the least and the most over the networks that are equally good.</p>\n");
    for some in found.chunks(SIDE_BY_SIDE) {
        table(html, schema, &before, some, &shown(schema, &before, some, first));
    }
    for (name, why) in refused {
        html.markup("<p class=\"note\"><b>").text(name).markup("</b>: ").text(why).markup("</p>\n");
    }
    html.markup("</section>\n");
}

fn answer<'s>(
    model: &Model,
    infer: &mut Infer,
    scenario: &'s Scenario,
) -> Result<Option<Answered<'s>>, String> {
    let Some((evidence, words)) = read(model, &scenario.text)? else { return Ok(None) };
    let words_of = |error: Error| match error {
        Error::ImpossibleEvidence => "the network says that this cannot happen".to_string(),
        other => other.to_string(),
    };
    let posteriors = infer.posteriors(&evidence).map_err(words_of)?.probabilities;
    let all: Vec<usize> = (0..model.network.len()).collect();
    let acts = !set_nodes(&evidence).is_empty();
    let band = acts.then(|| effects(&model.network, &model.class(), &all, &evidence, DEFAULT_BYTES).ok());
    let band = band.flatten();
    Ok(Some(Answered { name: &scenario.name, words, evidence, posteriors, band }))
}

/// What a fragment says is known, as evidence and in words; nothing where it says nothing.
fn read(model: &Model, text: &str) -> Result<Option<(Evidence, String)>, String> {
    let schema = model.network.schema();
    let mut evidence = Evidence::new(&model.network);
    let mut words = vec![];
    for (key, value) in text.split('&').filter_map(|pair| pair.split_once('=')) {
        let (key, value) = (plain(key), plain(value));
        let Some((how @ ("see" | "do" | "among" | "likely"), name)) = key.split_once(':') else { continue };
        let strange = || format!("this network does not have {name} = {value}");
        let node = schema.index(name).ok_or_else(strange)?;
        let variable = schema.variable(node);
        let numbers =
            || value.split(',').map(str::parse).collect::<Result<Vec<f64>, _>>().map_err(|_| strange());
        let meant = |numbers: &[f64]| -> Vec<&str> {
            variable
                .states
                .iter()
                .zip(numbers)
                .filter(|(_, n)| **n > 0.0)
                .map(|(label, _)| label.as_str())
                .collect()
        };
        let put = match how {
            "among" => {
                let shares = numbers()?;
                words.push(format!("{name} = {}", meant(&shares).join(" or ")));
                evidence.among(node, shares)
            }
            "likely" => {
                let likelihood = numbers()?;
                words.push(format!("{name} perhaps {}", meant(&likelihood).join(" or ")));
                evidence.likelihood(node, likelihood)
            }
            _ => {
                let state = variable.code(&value).ok_or_else(strange)?;
                words.push(format!("{}{name} = {value}", if how == "do" { "do " } else { "" }));
                if how == "do" { evidence.intervene(node, state) } else { evidence.observe(node, state) }
            }
        };
        put.map_err(|error| error.to_string())?;
    }
    Ok((!words.is_empty()).then(|| (evidence, words.join(", "))))
}

/// A part of a form without its escapes.
fn plain(part: &str) -> String {
    let bytes = part.as_bytes();
    let (mut out, mut k) = (vec![], 0);
    while k < bytes.len() {
        let code = (bytes[k] == b'%').then(|| part.get(k + 1..k + 3)).flatten();
        match (bytes[k], code.and_then(|digits| u8::from_str_radix(digits, 16).ok())) {
            (_, Some(byte)) => (out.push(byte), k += 2).0,
            (b'+', None) => out.push(b' '),
            (byte, None) => out.push(byte),
        }
        k += 1;
    }
    String::from_utf8_lossy(&out).into_owned()
}

/// The nodes of a table: those that stand first, then what moves most in any of the scenarios; none that all of them know.
fn shown(schema: &Schema, before: &[Vec<f64>], some: &[Answered<'_>], first: &[&str]) -> Vec<usize> {
    let moved = |node: usize, found: &Answered<'_>| -> f64 {
        let far = before[node].iter().zip(&found.posteriors[node]).map(|(a, b)| (a - b).abs());
        if found.evidence.finding(node).state().is_some() { 0.0 } else { far.sum() }
    };
    let most = |node: usize| some.iter().map(|found| moved(node, found)).fold(0.0, f64::max);
    let is_first = |node: usize| first.contains(&schema.name(node));
    let mut order: Vec<(usize, f64)> = (0..schema.len()).map(|node| (node, most(node))).collect();
    order.retain(|&(node, far)| far > BAND || is_first(node));
    order.sort_by(|a, b| is_first(b.0).cmp(&is_first(a.0)).then(b.1.total_cmp(&a.1)).then(a.0.cmp(&b.0)));
    order.into_iter().map(|(node, _)| node).take(NODES).collect()
}

fn table(html: &mut Html<'_>, schema: &Schema, before: &[Vec<f64>], some: &[Answered<'_>], nodes: &[usize]) {
    html.markup("<div class=\"scroll\"><table>\n<thead><tr><th></th><th></th><th class=\"n\">Before</th>");
    for found in some {
        html.markup("<th class=\"n\">").text(found.name);
        // A scenario without a name is called by what it says.
        if found.name != found.words {
            html.markup("<br/>").classed("span", "faint", &found.words);
        }
        html.markup("</th>");
    }
    html.markup("</tr></thead>\n<tbody>\n");
    for &node in nodes {
        let states = &schema.variable(node).states;
        for (state, label) in states.iter().enumerate().take(STATES) {
            html.markup("<tr><th>");
            if state == 0 {
                html.link(schema.name(node));
            }
            html.markup("</th>").element("td", clean(label)).classed("td", "n", share(before[node][state]));
            for found in some {
                html.markup("<td class=\"n\">").text(share(found.posteriors[node][state]));
                let ends = found.band.as_ref().map(|band| (band.low[node][state], band.high[node][state]));
                if let Some((low, high)) = ends.filter(|(low, high)| high - low > BAND) {
                    html.markup("<br/>").classed(
                        "span",
                        "faint",
                        format!("{} – {}", share(low), share(high)),
                    );
                }
                html.markup("</td>");
            }
            html.markup("</tr>\n");
        }
    }
    html.markup("</tbody></table></div>\n");
}

/// With a decimal, as the explorer has it: what is not quite nothing, or not quite everything, does not look like it.
fn share(p: f64) -> String {
    match p {
        p if p > 0.0 && p < 0.0005 => "<0.1%".into(),
        p if p < 1.0 && p > 0.9995 => ">99.9%".into(),
        p => format!("{}%", (1000.0 * p).round() / 10.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::embedded;
    use clausality_bn::infer::Finding;

    fn asia() -> Model {
        Model {
            network: embedded::network("asia").unwrap().into(),
            extra: Default::default(),
            source: "@asia".into(),
        }
    }

    #[test]
    fn a_fragment_is_read_as_the_explorer_writes_it() {
        let model = asia();
        let index = |name: &str| model.network.schema().index(name).unwrap();
        let text = "see:smoke=yes&do:bronc=no&among:xray=1,1&likely:tub=0.25,1&target=lung&theme=dark";
        let (evidence, words) = read(&model, text).unwrap().unwrap();
        assert_eq!(words, "smoke = yes, do bronc = no, xray = yes or no, tub perhaps yes or no");
        assert_eq!(*evidence.finding(index("smoke")), Finding::Observed(0));
        assert_eq!(*evidence.finding(index("bronc")), Finding::Set(1));
        assert_eq!(*evidence.finding(index("tub")), Finding::Likelihood(vec![0.25, 1.0]));
        assert!(read(&model, "target=lung&view=1,2,3").unwrap().is_none());
        for strange in [
            "see:nobody=yes",
            "see:smoke=perhaps",
            "do:%3Cb%3E=yes",
            "among:xray=1",
            "likely:tub=a,b",
            "among:xray=0,0",
        ] {
            assert!(read(&model, strange).is_err(), "{strange}");
        }
    }

    #[test]
    fn escapes_of_forms_are_undone_and_broken_ones_stay() {
        assert_eq!(plain("a+b%20c%3D%26%2B"), "a b c=&+");
        assert_eq!(plain("%C3%A4%zz%4"), "ä%zz%4");
        assert_eq!(plain("%€1"), "%€1");
    }

    #[test]
    fn figures_are_those_of_the_network_and_names_are_text() {
        let scenario = |name: &str, text: &str| Scenario { name: name.into(), text: text.into() };
        let kept = [
            scenario("<b>made to smoke</b>", "do:smoke=yes"),
            scenario("never", "see:lung=yes&see:either=no"),
            scenario("empty", ""),
        ];
        let model = asia();
        let mut html = Html::about(model.network.schema());
        section(&mut html, &model, &kept, &["lung"]);
        let page = html.finish();
        assert!(page.contains("&lt;b&gt;made to smoke&lt;/b&gt;") && !page.contains("<b>made"), "{page}");
        // As `query @asia --target lung --do smoke=yes` answers: 0.1, from 0.055.
        assert!(
            page.contains("5.5%</td><td class=\"n\">10%<br/><span class=\"faint\">5.5% – 10%</span>"),
            "{page}"
        );
        assert!(page.contains("<b>never</b>: the network says that this cannot happen"), "{page}");
        let mut nothing = Html::about(model.network.schema());
        section(&mut nothing, &model, &kept[2..], &[]);
        assert_eq!(nothing.finish(), "");
    }
}
