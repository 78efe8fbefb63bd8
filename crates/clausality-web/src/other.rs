//! A second network beside the one that is explored: named by the user, or learned again.

use crate::answers::{Answers, Known, Posteriors};
use crate::reply::Refusal;
use crate::window::Window;
use crate::{Error, Explored};
use axum::http::StatusCode;
use clausality::bn::compare::Arc as NamedArc;
use clausality::model::{Contrast, Model};
use serde::Serialize;
use std::sync::Arc;
use tokio::sync::oneshot::Receiver;

/// The other network, and how it differs.
#[derive(Debug)]
pub(crate) struct Other {
    name: String,
    contrast: Contrast,
    answers: Answers,
    /// Its arcs, as `[parent, child]` by the nodes of the one that is explored, with those that only it has.
    document: OtherDocument,
}

/// The document `/api/other`.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct OtherDocument {
    name: String,
    nodes: usize,
    arcs: usize,
    /// Arcs that only the other network has, that only the explored one has, and that point the other way there (as they point there).
    added: Vec<DifferentArc>,
    lost: Vec<DifferentArc>,
    turned: Vec<DifferentArc>,
    only_here: Vec<String>,
    only_there: Vec<String>,
    other_states: Vec<String>,
}

/// An arc by names, and by the nodes of the explored network where it has them.
#[derive(Debug, Clone, Serialize)]
struct DifferentArc {
    #[serde(flatten)]
    named: NamedArc,
    ends: Option<(usize, usize)>,
}

/// The same question put to both.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Contrasted {
    name: String,
    exact: bool,
    /// By the nodes and states of the explored network; nothing where the other has no such node.
    posteriors: Vec<Option<Vec<f64>>>,
    /// How far apart both answers are, from 0 to 1.
    apart: Vec<Option<f64>>,
    evidence_probability: f64,
    evidence_log_probability: f64,
}

impl Other {
    pub(crate) fn of(explored: &Explored, model: Model, name: String) -> Result<Self, Error> {
        let contrast = Contrast::between(&explored.model, &model)?;
        let (schema, window) = (explored.model.network.schema(), Window::of(&explored.model));
        let placed = |arcs: &[NamedArc]| {
            let place = |arc: &NamedArc| window.arc((schema.index(&arc.parent)?, schema.index(&arc.child)?));
            arcs.iter().map(|arc| DifferentArc { named: arc.clone(), ends: place(arc) }).collect()
        };
        let document = OtherDocument {
            name: name.clone(),
            nodes: model.network.len(),
            arcs: model.network.dag().arcs().count(),
            added: placed(&contrast.arcs.extra),
            lost: placed(&contrast.arcs.missing),
            turned: placed(&contrast.arcs.turned),
            only_here: contrast.only_here.clone(),
            only_there: contrast.only_there.clone(),
            other_states: contrast.other_states.clone(),
        };
        let (memory_limit, seed) = (explored.memory_limit, explored.seed);
        let asked = Explored { memory_limit, seed, ..Explored::new(model, name.clone()) };
        Ok(Other { name, contrast, answers: Answers::start(Arc::new(asked))?, document })
    }

    pub(crate) fn document(&self) -> &OtherDocument {
        &self.document
    }

    /// Its answer to a question; what it has no node for it cannot be asked.
    pub(crate) fn ask(&self, known: Known) -> Result<Receiver<Result<Posteriors, Refusal>>, Refusal> {
        let lacks = |name: &&String| self.contrast.only_here.contains(name);
        if let Some(name) =
            known.evidence.0.keys().chain(known.likely.0.keys()).chain(known.set.0.keys()).find(lacks)
        {
            let why = format!("{} has no node {name:?}: forget it to compare", self.name);
            return Err(Refusal::new(StatusCode::UNPROCESSABLE_ENTITY, why));
        }
        self.answers.posteriors(known)
    }

    /// Its answer beside that of the explored network.
    pub(crate) fn beside(&self, here: &Posteriors, there: &Posteriors) -> Contrasted {
        Contrasted {
            name: self.name.clone(),
            exact: here.exact && there.exact,
            posteriors: self.contrast.said_there(&there.posteriors),
            apart: self.contrast.apart(&here.posteriors, &there.posteriors),
            evidence_probability: there.evidence_probability,
            evidence_log_probability: there.evidence_log_probability,
        }
    }
}
