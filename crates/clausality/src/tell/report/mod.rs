//! One page about a run: what was learned, how sure it is, and how it was made.
//!
//! The documents of a run go in, HTML comes out: one file that needs no network and no second file, reads in light and dark, on a
//! telephone and on paper, and without a script too (what the one script of small networks does is in `ask`). Everything on the page stands in the documents, so a folder that is read back gives
//! the same bytes as the run that wrote it.
//!
//! ```
//! use clausality::run::{Clauses, Made, Run, RunFolder};
//! use clausality::{Frame, Settings, learn, tell::report};
//! let coin = |k: usize| if k * k % 7 < 4 { "heads" } else { "tails" };
//! let frame = Frame::new("coins")
//!     .with("first", (0..200).map(coin).collect::<Vec<_>>())
//!     .with("second", (0..200).map(|k| coin(k + k % 2)).collect::<Vec<_>>());
//! let found = learn(&frame, &Settings::default())?;
//! let run = Run::new(&found, Made { table: "coins.csv".into(), ..Made::default() });
//! let folder = RunFolder { run, clauses: Clauses::new(&found) };
//! let page = report::html(&folder, &found.network)?;
//! assert!(page.starts_with("<!DOCTYPE html>") && page.contains("coins.csv"));
//! # Ok::<(), clausality::Error>(())
//! ```

mod ahead;
mod arcs;
mod ask;
mod command;
mod data;
mod gaps;
mod html;
mod making;
mod next;
mod node;
mod outside;
mod picture;
mod prediction;
mod scenarios;
mod summary;
mod table;
mod truth;

use crate::data::{Told, told};
use crate::error::Advice;
use crate::folder::{PAGE_MARK, Scenario};
use crate::model::{HiddenCause, Model};
use crate::run::{Run, RunError, RunFolder};
use clausality_bn::{Network, draw};
use html::Html;
use std::collections::BTreeSet;

/// The style of the page; colours come from [`draw::STYLE`].
const STYLE: &str = include_str!("report.css");

/// Up to so many nodes names in the picture can be read where it is scaled to fit.
const FEW_NODES: usize = 60;

/// What the page is about: the documents, and the network whose nodes give everything its number.
struct Subject<'r> {
    folder: &'r RunFolder,
    network: &'r Network,
}

impl Subject<'_> {
    /// The number of a node, which its part of the page is reached by.
    fn number(&self, name: &str) -> usize {
        self.network.schema().index(name).unwrap_or_default()
    }
}

/// The lines that make a run again: with the same table and version the same network, to the last bit.
pub fn again(run: &Run) -> Vec<String> {
    command::again(run)
}

/// Commands to go on with a run in a folder: to look around, to ask, to see why.
pub fn next(run: &Run, folder: &str) -> Vec<String> {
    next::lines(run, folder)
}

/// What is told beside the run: nothing of it stands in its documents.
#[derive(Debug, Default)]
pub struct Beside<'b> {
    /// Scenarios that somebody kept with it.
    pub scenarios: Vec<Scenario>,
    /// Pairs that rows mark as perhaps having a cause in common outside the table; nothing where none were looked at.
    pub marks: Option<Marks<'b>>,
}

/// What some rows mark.
#[derive(Debug)]
pub struct Marks<'b> {
    /// What the table is called.
    pub table: String,
    /// Its rows.
    pub rows: usize,
    /// The pairs, the strongest first.
    pub found: Vec<HiddenCause<'b>>,
}

/// The page about a run and its network.
///
/// # Errors
/// [`RunError::Strange`] if the documents speak of other nodes or arcs than the network has.
pub fn html(folder: &RunFolder, network: &Network) -> Result<String, RunError> {
    page(folder, network, &[])
}

/// The same with what is told beside the run.
///
/// # Errors
/// As [`html`].
pub fn html_beside(folder: &RunFolder, model: &Model, beside: &Beside<'_>) -> Result<String, RunError> {
    let part = |write: &dyn Fn(&mut Html<'_>)| {
        let mut html = Html::about(model.network.schema());
        write(&mut html);
        html.finish()
    };
    let mut parts = vec![];
    // Scenarios are kept for the nodes that the explorer shows, and over time these are steps.
    if folder.run.time.is_none() {
        let predicted: Vec<&str> = folder.run.predictions.iter().map(|found| found.target.as_str()).collect();
        let link = "<a href=\"#scenarios\">What if</a> ";
        parts.push((link, part(&|html| scenarios::section(html, model, &beside.scenarios, &predicted))));
    }
    if let Some(marks) = &beside.marks {
        parts.push((
            "<a href=\"#outside\">Outside the table</a> ",
            part(&|html| outside::section(html, marks)),
        ));
    }
    parts.retain(|(_, section)| !section.is_empty());
    page(folder, &model.network, &parts)
}

/// The page, with parts that are no run's: a link to each, and what it says.
fn page(folder: &RunFolder, network: &Network, parts: &[(&'static str, String)]) -> Result<String, RunError> {
    check(folder, network)?;
    let subject = Subject { folder, network };
    let posteriors = ask::Posteriors::of(&subject);
    let links: Vec<&'static str> = parts.iter().map(|(link, _)| *link).collect();
    let mut html = Html::about(network.schema());
    head(&mut html, &subject);
    html.markup("<body>\n<main>\n");
    opening(&mut html, &subject, posteriors.is_some(), &links);
    if let Some(posteriors) = &posteriors {
        ask::section(&mut html, &subject, posteriors);
    }
    for (_, section) in parts {
        html.part(section);
    }
    if !folder.run.arcs.is_empty() {
        arcs::section(&mut html, &subject);
    }
    if let Some(ahead) = folder.run.time.as_ref().and_then(|course| course.ahead.as_ref()) {
        ahead::section(&mut html, ahead);
    }
    if let Some(truth) = &folder.run.truth {
        truth::section(&mut html, truth);
    }
    if !folder.run.predictions.is_empty() {
        prediction::section(&mut html, &subject);
    }
    node::section(&mut html, &subject);
    data::section(&mut html, &subject);
    if let Some(found) = &folder.run.gaps {
        gaps::section(&mut html, found, &folder.run.columns, &folder.run.twins);
    }
    making::section(&mut html, &subject);
    next::section(&mut html, &subject);
    html.markup("</main>\n");
    if let Some(posteriors) = &posteriors {
        ask::script(&mut html, posteriors);
    }
    html.markup("</body>\n</html>\n");
    Ok(html.finish())
}

/// The documents must be about this network: the same nodes, and the same arcs, as the tables would be those of other parents.
fn check(folder: &RunFolder, network: &Network) -> Result<(), RunError> {
    let (schema, dag) = (network.schema(), network.dag());
    let named = |(parent, child): (usize, usize)| (schema.name(parent), schema.name(child));
    let nodes: BTreeSet<&str> = schema.variables().iter().map(|variable| variable.name.as_str()).collect();
    let listed = folder.run.nodes.iter().map(String::as_str).collect();
    let explained = folder.clauses.targets.iter().map(|node| node.name.as_str()).collect();
    // Over time only what is now has clauses.
    let told: BTreeSet<&str> = match folder.run.time.is_some() {
        true => folder.run.targets.iter().map(|target| target.name.as_str()).collect(),
        false => nodes.clone(),
    };
    let arcs: BTreeSet<(&str, &str)> = dag.arcs().map(named).collect();
    let learned = folder.run.arcs.iter().map(|arc| (arc.parent.as_str(), arc.child.as_str())).collect();
    let strange = [nodes.symmetric_difference(&listed).next(), told.symmetric_difference(&explained).next()];
    let arc = arcs.symmetric_difference(&learned).next().map(|(_, child)| child);
    match strange.into_iter().flatten().chain(arc).next() {
        Some(name) => Err(RunError::Strange(name.to_string())),
        None => Ok(()),
    }
}

fn head(html: &mut Html, subject: &Subject<'_>) {
    html.markup("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n");
    html.markup("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n");
    html.markup("<meta name=\"color-scheme\" content=\"light dark\"/>\n");
    // Nothing is fetched, and nothing is run but the one script of ours, whatever the names in the data look like.
    html.markup("<meta http-equiv=\"Content-Security-Policy\" content=\"")
        .markup(ask::POLICY)
        .markup("\"/>\n");
    let run = &subject.folder.run;
    if !run.id.is_empty() {
        html.markup(PAGE_MARK).text(&run.id).markup("\"/>\n");
    }
    html.markup("<title>").text(title(&run.table)).markup(" · Clausality</title>\n");
    html.markup("<style>\n").markup(draw::STYLE).markup(STYLE).markup("</style>\n</head>\n");
}

/// The table without its folders.
fn title(table: &str) -> &str {
    let name = table.rsplit(['/', '\\']).next().unwrap_or(table);
    if name.is_empty() { table } else { name }
}

/// The first screen: what must be known before anything is believed, the finding, and the whole picture beside it.
fn opening(html: &mut Html, subject: &Subject<'_>, can_be_asked: bool, links: &[&'static str]) {
    let run = &subject.folder.run;
    html.markup("<header>\n<p class=\"kicker\">Clausality · report of a run</p>\n");
    html.element("h1", title(&run.table)).markup("\n");
    twins(html, subject);
    html.markup(if run.arcs.is_empty() { "<div>\n" } else { "<div class=\"first\">\n" });
    html.markup("<div class=\"lead\">\n");
    if let Some(finding) = summary::finding(subject.folder) {
        html.classed("p", "finding", finding).markup("\n");
    }
    for sentence in summary::sentences(subject.folder) {
        html.element("p", sentence).markup("\n");
    }
    html.markup("</div>\n");
    if !run.arcs.is_empty() {
        picture::beside(html, subject);
    }
    html.markup("</div>\n<nav aria-label=\"Contents\">\n");
    if can_be_asked {
        html.markup("<a href=\"#ask\">What goes with what</a> ");
    }
    for link in links {
        html.markup(link);
    }
    if !run.arcs.is_empty() {
        html.markup("<a href=\"#arcs\">Arcs</a> ");
    }
    if run.time.as_ref().is_some_and(|course| course.ahead.is_some()) {
        html.markup("<a href=\"#ahead\">One step ahead</a> ");
    }
    if run.truth.is_some() {
        html.markup("<a href=\"#truth\">Against the truth</a> ");
    }
    if !run.predictions.is_empty() {
        html.markup("<a href=\"#predictions\">Predicted columns</a> ");
    }
    html.markup("<a href=\"#nodes\">Variables</a> <a href=\"#data\">Data</a> ");
    if run.gaps.is_some() {
        html.markup("<a href=\"#gaps\">Gaps</a> ");
    }
    html.markup("<a href=\"#making\">How it was made</a> <a href=\"#next\">What next</a>\n");
    html.markup("</nav>\n</header>\n");
}

/// Columns that say what others say, before anything is read out of them.
fn twins(html: &mut Html, subject: &Subject<'_>) {
    let twins = &subject.folder.run.twins;
    if twins.is_empty() {
        return;
    }
    html.markup("<div class=\"twins\">\n<p><b>Too good to be a finding?</b> Some columns say what others say. Arcs between them tell nothing new, and what they predict may be known too late to be of use.</p>\n<ul>\n");
    let lines = told(twins);
    let listed = |html: &mut Html, lines: &[Told]| {
        for line in lines {
            html.markup("<li>");
            advised(html, line);
            html.markup("</li>\n");
        }
        html.markup("</ul>\n");
    };
    let (first, others) = lines.split_at(lines.len().min(SHOWN_TWINS));
    listed(html, first);
    if !others.is_empty() {
        html.markup("<details>\n<summary>")
            .text(format!("And {} more", others.len()))
            .markup("</summary>\n<ul>\n");
        listed(html, others);
        html.markup("</details>\n");
    }
    html.markup("</div>\n");
}

/// Lines about columns that say what others say which leave room for the finding on the first screen.
const SHOWN_TWINS: usize = 3;

/// A line, and the options that do what it says.
fn advised(html: &mut Html, line: &Told) {
    html.text(&line.text);
    let options: Vec<String> =
        line.advice.iter().map(|Advice { setting, value }| format!("--{setting} '{value}'")).collect();
    match options.is_empty() {
        true => html.markup("."),
        false => html.markup(" <code>").text(options.join(" ")).markup("</code>"),
    };
}

#[cfg(test)]
mod tests;
