//! What is known before anybody asks: the network, its drawing, its nodes, its rows.

use crate::answers::{Answers, Known, Posteriors, bug};
use crate::reply::Ready;
use crate::revision;
use crate::rows::{self, Row};
use crate::window::Window;
use crate::{Error, Explored};
use clausality::bn::draw::{self, Bar, Form, Picture};
use clausality::bn::dynamic::Lagged;
use clausality::bn::{Schema, io};
use clausality::data::Coding;
use clausality::folder::Desk;
use clausality::learn::LearnedArc;
use clausality::model::influence;
use clausality::rules::Role;
use clausality::tell::{NodeExplanation, picture, report};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Rows of a probability table that go to the page.
const TABLE_ROWS: usize = 512;
/// Features of a node that go to the page.
const FEATURES: usize = 24;

/// Everything that is served as it stands.
#[derive(Debug)]
pub(crate) struct Documents {
    explored: Arc<Explored>,
    window: Window,
    pub(crate) coding: Coding,
    pub(crate) network: Ready,
    pub(crate) drawing: Ready,
    pub(crate) bif: Ready,
}

/// The document `/api/network`.
#[derive(Serialize)]
struct NetworkDocument<'a> {
    name: &'a str,
    /// The model as the user named it.
    model: &'a str,
    version: &'static str,
    nodes: Vec<NodeSummary<'a>>,
    arcs: Vec<ArcSummary<'a>>,
    /// Where the weight of an arc comes from: `run` (how sure it is, or how strong beside the strongest) or `influence` (of the tables).
    weights: &'static str,
    /// What the network says when nothing is known.
    #[serde(flatten)]
    prior: &'a Posteriors,
    /// Whether a run tells rules and strengths.
    rules: bool,
    rows: Option<RowsSummary<'a>>,
    /// Why it cannot be learned again with other arcs; nothing where it can.
    fixed: Option<String>,
    /// Whether the user named another network to hold against this one.
    against: bool,
    /// Whether the learning was repeated, so that there is a second band of what is done.
    replicates: bool,
    /// Of a network over time: its steps.
    #[serde(skip_serializing_if = "Option::is_none")]
    time: Option<Steps>,
}

/// The first and the last step of a stretch of time; 0 is now.
#[derive(Serialize)]
struct Steps {
    first: i64,
    last: i64,
}

#[derive(Serialize)]
struct NodeSummary<'a> {
    name: &'a str,
    /// Of a node that is a step of a process: the process, and which step.
    #[serde(flatten)]
    when: Option<When<'a>>,
    states: &'a [String],
    parents: Vec<usize>,
    role: Role,
}

#[derive(Clone, Copy, Serialize)]
struct When<'a> {
    process: &'a str,
    step: i64,
}

#[derive(Serialize)]
struct ArcSummary<'a> {
    parent: usize,
    child: usize,
    compelled: bool,
    weight: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    learned: Option<&'a LearnedArc>,
}

#[derive(Serialize)]
struct RowsSummary<'a> {
    name: &'a str,
    count: usize,
}

/// The document of a node: its probability table, and what a run says of it.
#[derive(Serialize)]
pub(crate) struct NodeDocument<'a> {
    index: usize,
    name: &'a str,
    states: &'a [String],
    parents: Vec<usize>,
    /// Its parents at steps that are not shown: then its table is not, either, and is that of any later step.
    earlier: Vec<&'a str>,
    /// How many rows the table has: one for every combination of the parents' states, the last parent's varying fastest.
    configurations: usize,
    /// The first of them.
    rows: Vec<&'a [f64]>,
    explanation: Option<NodeExplanation>,
}

/// A row of the table at hand.
#[derive(Serialize)]
pub(crate) struct RowDocument {
    number: usize,
    count: usize,
    states: Row,
}

impl Documents {
    pub(crate) fn new(explored: Arc<Explored>, answers: &Answers, against: bool) -> Result<Self, Error> {
        let asked = answers
            .posteriors(Known::default())
            .and_then(|answer| answer.blocking_recv().map_err(|_| bug())?);
        let prior = asked.map_err(|refusal| Error::Start(refusal.1))?;
        let window = Window::of(&explored.model);
        let picture = picture(&explored, &window, &prior);
        let drawing = Ready::new("image/svg+xml; charset=utf-8", draw::svg(&picture, Form::Part));
        let network = network(&explored, &window, &prior, &picture, against);
        let bif = Ready::new("text/plain; charset=utf-8", io::bif::write(&explored.model.network));
        Ok(Documents { coding: rows::coding(&explored.model)?, network, drawing, bif, explored, window })
    }

    pub(crate) fn explored(&self) -> &Explored {
        &self.explored
    }

    pub(crate) fn schema(&self) -> &Schema {
        self.explored.model.network.schema()
    }

    /// A node by its number on the page.
    pub(crate) fn node(&self, index: usize) -> Option<NodeDocument<'_>> {
        let network = &self.explored.model.network;
        let node = *self.window.nodes().get(index)?;
        let variable = network.schema().variable(node);
        let cpt = network.cpt(node);
        let earlier: Vec<&str> = cpt
            .parents()
            .iter()
            .filter(|&&parent| self.window.place(parent).is_none())
            .map(|&parent| network.schema().name(parent))
            .collect();
        let rows = if earlier.is_empty() { cpt.configurations() } else { 0 };
        let learned_as =
            when(&self.explored, &variable.name).map_or(variable.name.as_str(), |when| when.process);
        let explanation = self.explored.run.as_ref().and_then(|run| run.explain_node(learned_as).ok());
        Some(NodeDocument {
            index,
            name: &variable.name,
            states: &variable.states,
            parents: self.window.parents(network, node),
            earlier,
            configurations: cpt.configurations(),
            rows: (0..rows.min(TABLE_ROWS)).map(|row| cpt.row(row)).collect(),
            explanation: explanation.map(|mut explanation| {
                explanation.features.truncate(FEATURES);
                explanation
            }),
        })
    }

    /// The page about the run, with the scenarios that are kept with it.
    pub(crate) fn report(&self) -> Result<String, String> {
        let explored = &*self.explored;
        let Some((run, folder)) = explored.run.as_ref().zip(explored.keeps.as_deref()) else {
            return Err("this is no run folder: there is no report of it".into());
        };
        let scenarios = Desk::read(folder).map_err(|why| why.to_string())?.scenarios;
        let beside = report::Beside { scenarios, marks: None };
        report::html_beside(run, &explored.model, &beside).map_err(|why| why.to_string())
    }

    /// A row of the table by its number, from 1.
    pub(crate) fn row(&self, number: usize) -> Option<RowDocument> {
        let table = &self.explored.rows.as_ref()?.table;
        let index = number.checked_sub(1).filter(|&index| index < table.rows())?;
        Some(RowDocument { number, count: table.rows(), states: rows::row(table, index) })
    }
}

/// Which step of what a node is, where it is one.
fn when<'a>(explored: &Explored, name: &'a str) -> Option<When<'a>> {
    let Lagged { name: process, step } = Lagged::parse(name);
    step.filter(|_| explored.over_time).map(|step| When { process, step })
}

/// The arcs of the run by the names of parent and child: over time those of a child that is now.
fn learned(explored: &Explored) -> BTreeMap<(&str, &str), &LearnedArc> {
    let arcs = explored.run.iter().flat_map(|run| &run.run.arcs);
    arcs.map(|arc| ((arc.parent.as_str(), arc.child.as_str()), arc)).collect()
}

fn roles(explored: &Explored) -> BTreeMap<&str, Role> {
    let targets = explored.run.iter().flat_map(|run| &run.run.targets);
    targets.map(|target| (target.name.as_str(), target.role)).collect()
}

/// The drawing with a bar for every state. What a run says of nodes and arcs is drawn as in its own picture; without one, arcs are as
/// wide as their influence.
fn picture(explored: &Explored, window: &Window, prior: &Posteriors) -> Picture {
    let network = &explored.model.network;
    let mut picture = Picture::of(network);
    let class = explored.model.class();
    let compelled: BTreeSet<(usize, usize)> = class.directed().collect();
    picture.arcs.iter_mut().for_each(|arc| arc.compelled = compelled.contains(&(arc.parent, arc.child)));
    // The steps of a network over time are more than a run draws.
    let run = explored.run.as_ref().filter(|_| !explored.over_time).map(|run| picture::of_run(&run.run));
    match &run {
        Some(run) => adopt(&mut picture, run),
        None => picture.arcs.iter_mut().for_each(|arc| {
            let weight = influence(network, arc.parent, arc.child);
            arc.weight = Some(weight);
            arc.note = format!("moves its child by up to {:.0} points of 100", 100.0 * weight);
            if !arc.compelled {
                arc.note += "\nan equally good network has it the other way round";
            }
        }),
    }
    window.part(&mut picture);
    let variables = window.nodes().iter().map(|&node| network.schema().variable(node));
    for ((node, variable), shares) in picture.nodes.iter_mut().zip(variables).zip(&prior.posteriors) {
        let bar = |(label, &share): (&String, &f64)| Bar { label: label.clone(), share };
        node.bars = variable.states.iter().zip(shares).map(bar).collect();
    }
    picture
}

/// Takes over what the picture of the run says of the same nodes and arcs. An arc that the run does not know has no weight.
fn adopt(picture: &mut Picture, run: &Picture) {
    picture.weighing = run.weighing;
    let name = |v: usize| run.nodes[v].name.as_str();
    let arcs: BTreeMap<_, _> =
        run.arcs.iter().map(|arc| ((name(arc.parent), name(arc.child)), arc)).collect();
    let nodes: BTreeMap<_, _> = run.nodes.iter().map(|node| (node.name.as_str(), node)).collect();
    for arc in &mut picture.arcs {
        let ends = (picture.nodes[arc.parent].name.as_str(), picture.nodes[arc.child].name.as_str());
        arc.weight = Some(0.0);
        if let Some(&known) = arcs.get(&ends) {
            (arc.weight, arc.compelled) = (known.weight.or(Some(0.0)), known.compelled);
            arc.note.clone_from(&known.note);
        }
    }
    for node in &mut picture.nodes {
        if let Some(&known) = nodes.get(node.name.as_str()) {
            node.part = known.part;
            node.note.clone_from(&known.note);
        }
    }
}

fn network(
    explored: &Explored,
    window: &Window,
    prior: &Posteriors,
    picture: &Picture,
    against: bool,
) -> Ready {
    let network = &explored.model.network;
    let (learned, roles) = (learned(explored), roles(explored));
    let variable = |index: usize| network.schema().variable(window.nodes()[index]);
    let name = |index: usize| variable(index).name.as_str();
    let when = |index: usize| when(explored, name(index));
    // How the run names an arc: the child is now, the parent so many steps ago.
    let learned_as = |parent: usize, child: usize| match (when(parent), when(child)) {
        (Some(from), Some(to)) => {
            (Lagged::ago(from.process, to.step.abs_diff(from.step) as usize).to_string(), to.process)
        }
        (_, to) => (name(parent).to_string(), to.map_or(name(child), |to| to.process)),
    };
    let all = || 0..window.nodes().len();
    let steps = || all().filter_map(when).map(|when| when.step);
    let node = |index: usize| NodeSummary {
        name: name(index),
        when: when(index),
        states: &variable(index).states,
        parents: window.parents(network, window.nodes()[index]),
        role: when(index)
            .map_or_else(|| roles.get(name(index)), |when| roles.get(when.process))
            .copied()
            .unwrap_or(Role::Observed),
    };
    let arc = |arc: &draw::DrawnArc| {
        let (parent, child) = learned_as(arc.parent, arc.child);
        ArcSummary {
            parent: arc.parent,
            child: arc.child,
            compelled: arc.compelled,
            weight: arc.weight.unwrap_or(1.0),
            learned: learned.get(&(parent.as_str(), child)).copied(),
        }
    };
    Ready::json(&NetworkDocument {
        name: network.name(),
        model: &explored.argument,
        version: env!("CARGO_PKG_VERSION"),
        nodes: all().map(node).collect(),
        arcs: picture.arcs.iter().map(arc).collect(),
        weights: if explored.run.is_some() && !explored.over_time { "run" } else { "influence" },
        prior,
        rules: explored.run.is_some(),
        rows: explored.rows.as_ref().map(|rows| RowsSummary { name: &rows.name, count: rows.table.rows() }),
        fixed: revision::refused(explored),
        against,
        replicates: explored.model.has_replicates(),
        time: steps().min().zip(steps().max()).map(|(first, last)| Steps { first, last }),
    })
}
