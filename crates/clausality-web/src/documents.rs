//! What is known before anybody asks: the network, its drawing, its nodes, its rows.

use crate::answers::{Answers, Known, Posteriors, bug};
use crate::reply::Ready;
use crate::revision;
use crate::rows::{self, Row};
use crate::{Error, Explored};
use clausality::bn::draw::{self, Bar, Form, Picture};
use clausality::bn::{Schema, io};
use clausality::data::Coding;
use clausality::learn::LearnedArc;
use clausality::model::influence;
use clausality::rules::Role;
use clausality::tell::{NodeExplanation, picture};
use serde::Serialize;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Rows of a probability table that go to the page.
const TABLE_ROWS: usize = 512;
/// Features of a node that go to the page.
const FEATURES: usize = 24;

/// Everything that is served as it stands.
#[derive(Debug)]
pub(crate) struct Documents {
    explored: Arc<Explored>,
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
}

#[derive(Serialize)]
struct NodeSummary<'a> {
    name: &'a str,
    states: &'a [String],
    parents: &'a [usize],
    role: Role,
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
    parents: &'a [usize],
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
        let picture = picture(&explored, &prior);
        let drawing = Ready::new("image/svg+xml; charset=utf-8", draw::svg(&picture, Form::Part));
        let network = network(&explored, &prior, &picture, against);
        let bif = Ready::new("text/plain; charset=utf-8", io::bif::write(&explored.model.network));
        Ok(Documents { coding: rows::coding(&explored.model)?, network, drawing, bif, explored })
    }

    pub(crate) fn explored(&self) -> &Explored {
        &self.explored
    }

    pub(crate) fn schema(&self) -> &Schema {
        self.explored.model.network.schema()
    }

    /// A node by its number.
    pub(crate) fn node(&self, index: usize) -> Option<NodeDocument<'_>> {
        let network = &self.explored.model.network;
        let variable = network.schema().variables().get(index)?;
        let cpt = network.cpt(index);
        let explanation = self.explored.run.as_ref().and_then(|run| run.explain_node(&variable.name).ok());
        Some(NodeDocument {
            index,
            name: &variable.name,
            states: &variable.states,
            parents: cpt.parents(),
            configurations: cpt.configurations(),
            rows: (0..cpt.configurations().min(TABLE_ROWS)).map(|row| cpt.row(row)).collect(),
            explanation: explanation.map(|mut explanation| {
                explanation.features.truncate(FEATURES);
                explanation
            }),
        })
    }

    /// A row of the table by its number, from 1.
    pub(crate) fn row(&self, number: usize) -> Option<RowDocument> {
        let (_, table) = self.explored.rows.as_ref()?;
        let index = number.checked_sub(1).filter(|&index| index < table.rows())?;
        Some(RowDocument { number, count: table.rows(), states: rows::row(table, index) })
    }
}

/// The arcs of the run by the names of parent and child.
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
fn picture(explored: &Explored, prior: &Posteriors) -> Picture {
    let network = &explored.model.network;
    let mut picture = Picture::of(network);
    let run = explored.run.as_ref().map(|run| picture::of_run(&run.run));
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
    for ((node, variable), shares) in
        picture.nodes.iter_mut().zip(network.schema().variables()).zip(&prior.posteriors)
    {
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

fn network(explored: &Explored, prior: &Posteriors, picture: &Picture, against: bool) -> Ready {
    let network = &explored.model.network;
    let (schema, learned, roles) = (network.schema(), learned(explored), roles(explored));
    let node = |index: usize| NodeSummary {
        name: schema.name(index),
        states: &schema.variable(index).states,
        parents: network.parents(index),
        role: roles.get(schema.name(index)).copied().unwrap_or(Role::Observed),
    };
    let arc = |arc: &draw::DrawnArc| ArcSummary {
        parent: arc.parent,
        child: arc.child,
        compelled: arc.compelled,
        weight: arc.weight.unwrap_or(1.0),
        learned: learned.get(&(schema.name(arc.parent), schema.name(arc.child))).copied(),
    };
    Ready::json(&NetworkDocument {
        name: network.name(),
        model: &explored.argument,
        version: env!("CARGO_PKG_VERSION"),
        nodes: (0..network.len()).map(node).collect(),
        arcs: picture.arcs.iter().map(arc).collect(),
        weights: if explored.run.is_some() { "run" } else { "influence" },
        prior,
        rules: explored.run.is_some(),
        rows: explored.rows.as_ref().map(|(name, table)| RowsSummary { name, count: table.rows() }),
        fixed: revision::refused(explored),
        against,
    })
}
