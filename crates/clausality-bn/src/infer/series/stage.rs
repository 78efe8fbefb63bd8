//! One stage of a series: its tables, and how its variables are called in messages.
//!
//! The first stage is the start, which holds several steps at once; every later one is the window of a single step, in which
//! only the tables of now speak. A message names its variables as seen from the stage that it comes after: a static, or a
//! process so many steps before that stage's own step.

use super::evidence::{Moment, SeriesEvidence};
use crate::dynamic::{DynamicNetwork, Place};
use crate::infer::families::{Families, Status};
use crate::infer::{Evidence, Finding};
use crate::{Error, Network};
use std::sync::Arc;

/// The variables of the tables of a message.
pub(super) type Shape = Vec<Vec<Place>>;

/// Tables that multiply to what is known on one side of a stage, and a factor of their own: `factor · 2^exponent`.
#[derive(Debug, Clone)]
pub(super) struct Message {
    pub(super) shape: Arc<Shape>,
    pub(super) tables: Vec<Vec<f64>>,
    pub(super) factor: f64,
    pub(super) exponent: i64,
}

impl Message {
    /// Nothing said.
    pub(super) fn empty() -> Self {
        Message { shape: Arc::default(), tables: vec![], factor: 1.0, exponent: 0 }
    }
}

#[derive(Debug, Clone)]
pub(super) struct Stage {
    pub(super) network: Arc<Network>,
    pub(super) families: Families,
    /// What is known at the stage that is worked on.
    pub(super) evidence: Evidence,
    /// Each variable as a message after this stage calls it.
    pub(super) places: Vec<Place>,
    is_start: bool,
    order: usize,
}

impl Stage {
    pub(super) fn start(network: &DynamicNetwork) -> Self {
        let (statics, processes) = (network.statics().len(), network.processes().len());
        let place = |node: usize| match node.checked_sub(statics) {
            None => Place::Static(node),
            Some(rest) => Place::Process(rest % processes, network.order() - 1 - rest / processes),
        };
        let families = Families::of(network.start());
        Self::new(network, network.start(), families, place, true)
    }

    pub(super) fn window(network: &DynamicNetwork) -> Self {
        let before = network.window().len() - network.processes().len();
        let families = Families::of(network.window()).without_tables(|node| node < before);
        Self::new(network, network.window(), families, |node| network.window_place(node), false)
    }

    fn new(
        network: &DynamicNetwork,
        part: &Network,
        families: Families,
        place: impl Fn(usize) -> Place,
        is_start: bool,
    ) -> Self {
        let places = families.node.iter().map(|&node| place(node)).collect();
        let evidence = Evidence::new(part);
        Stage {
            network: Arc::new(part.clone()),
            families,
            evidence,
            places,
            is_start,
            order: network.order(),
        }
    }

    /// The variable that a message after this stage calls so.
    pub(super) fn variable(&self, place: Place) -> u32 {
        self.places.iter().position(|&p| p == place).unwrap_or(usize::MAX) as u32
    }

    /// The variable that a message before this stage calls so.
    pub(super) fn variable_before(&self, place: Place) -> u32 {
        self.variable(older(place))
    }

    /// Takes over what is known at `step`, its own last, without what comes after `until`; says what that means for every variable.
    pub(super) fn look(
        &mut self,
        known: &SeriesEvidence,
        step: usize,
        until: usize,
    ) -> Result<Vec<Status>, Error> {
        for v in 0..self.places.len() {
            let moment = match self.places[v] {
                Place::Static(v) => Moment::Static(v),
                // The last step of the start of order L is L − 1; with order 0 there is none.
                Place::Process(process, ago) => Moment::At(process, step - ago),
            };
            let finding = known.finding(moment);
            let own = self.is_start || matches!(self.places[v], Place::Process(_, 0));
            let finding = match (moment, own) {
                (Moment::At(_, step), _) if step > until => Finding::Free,
                (_, true) => finding.clone(),
                // What was said of an earlier step was counted there; only a known state cuts tables here too.
                (_, false) => finding.state().map_or(Finding::Free, Finding::Observed),
            };
            self.evidence.replace(self.families.node[v], finding);
        }
        self.families.statuses(&self.network, &self.evidence)
    }

    /// The variables of messages before and after, as tables from elsewhere.
    pub(super) fn given(&self, before: &Shape, after: &Shape) -> Vec<Vec<u32>> {
        let earlier = before.iter().map(|table| table.iter().map(|&p| self.variable_before(p)).collect());
        let later = after.iter().map(|table| table.iter().map(|&p| self.variable(p)).collect());
        earlier.chain(later).collect()
    }

    /// The step that is this stage's own, the `k`-th of the series.
    pub(super) fn step(&self, k: usize) -> usize {
        (k + self.order).saturating_sub(1)
    }
}

/// What a message before a stage says, as seen from that stage.
pub(super) fn older(place: Place) -> Place {
    match place {
        Place::Process(process, ago) => Place::Process(process, ago + 1),
        held => held,
    }
}

/// What a stage says of the time before it, as seen from the stage before.
pub(super) fn newer(place: Place) -> Place {
    match place {
        Place::Process(process, ago) => Place::Process(process, ago.saturating_sub(1)),
        held => held,
    }
}
