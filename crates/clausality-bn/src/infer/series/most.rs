//! The most probable stretch: one state for everything, at every step, that is together the likeliest given what is known.
//!
//! `argmax_{s, x_0 … x_T} P(s, x_0, …, x_T | e)`: the forward messages with maxima for sums (Viterbi 1967; Dechter 1999, §4), then
//! from the last stage back, each stage deciding what the later ones left open.

use super::passes::spacing;
use super::stage::{Message, newer};
use super::{InferSeries, Interface, SeriesEvidence, Task, total};
use crate::Error;
use crate::dynamic::Place;
use crate::infer::plan::Folding;
use crate::infer::{Finding, Tiny, best_state};
use std::collections::BTreeMap;

/// The most probable states of a whole series together.
#[derive(Debug, Clone, PartialEq)]
pub struct Stretch {
    /// The states of the statics.
    pub statics: Vec<u8>,
    /// For each step, the states of the processes.
    pub steps: Vec<Vec<u8>>,
    /// The probability of all of them given what is known.
    pub probability: Tiny,
    /// The probability of what is known.
    pub evidence: Tiny,
}

impl InferSeries {
    /// The most probable states of everything in the first `steps` steps. What is known of later steps must be nothing.
    ///
    /// # Errors
    /// As [`InferSeries::posteriors`]; fewer steps than the start holds, or than something is known of.
    pub fn most_probable(&mut self, steps: usize, known: &SeriesEvidence) -> Result<Stretch, Error> {
        let evidence = self.evidence_probability(known)?;
        if evidence.mantissa <= 0.0 {
            return Err(Error::ImpossibleEvidence);
        }
        if steps < self.network.order().max(1) || known.last_step().is_some_and(|last| last >= steps) {
            let expected = "at least as many as the network looks back, and all of which something is known";
            return Err(Error::Parameter { parameter: "the number of steps", value: steps as f64, expected });
        }
        let last = self.stage_of(steps - 1);
        let spacing = spacing(last + 1);
        let all: Vec<usize> = (0..self.network.processes().len()).collect();
        let interface = self.interface(&all, known);
        self.plan_maxima(&interface, last, spacing, known)?;
        let mut kept: Vec<(usize, Message)> = vec![];
        let mut before = Message::empty();
        for k in 0..=last {
            if k.is_multiple_of(spacing) {
                kept.push((k, before.clone()));
            }
            if k < last {
                before = self.forward(k, &before, Folding::Max, &interface, known)?;
            }
        }
        let mut out = Stretch {
            statics: vec![0; self.network.statics().len()],
            steps: vec![vec![0; all.len()]; steps],
            probability: Tiny::default(),
            evidence,
        };
        // What later stages decided, as a message after the stage calls it.
        let mut decided: BTreeMap<Place, u8> = BTreeMap::new();
        let mut end = last;
        while let Some((from, message)) = kept.pop() {
            for (k, before) in self.stretch(from, end, message, Folding::Max, &interface, known)? {
                let best = self.decide(k, &before, &mut decided, known)?;
                if k == last {
                    out.probability = best.over(evidence);
                }
                let step = self.stage(k).step(k);
                for (&place, &state) in &decided {
                    match place {
                        Place::Static(v) => out.statics[v] = state,
                        Place::Process(process, ago) => out.steps[step - ago][process] = state,
                    }
                }
                let earlier = |place: &Place| !matches!(place, Place::Process(_, 0));
                decided =
                    decided.into_iter().filter(|(p, _)| earlier(p)).map(|(p, s)| (newer(p), s)).collect();
            }
            end = from.saturating_sub(1);
        }
        Ok(out)
    }

    /// Decides everything in a stage that is neither known nor decided; the maximum.
    fn decide(
        &mut self,
        k: usize,
        before: &Message,
        decided: &mut BTreeMap<Place, u8>,
        known: &SeriesEvidence,
    ) -> Result<Tiny, Error> {
        self.look(k, known, usize::MAX)?;
        let stage = if k == 0 { &mut self.start } else { &mut self.window };
        for v in 0..stage.places.len() {
            let node = stage.families.node[v];
            match (stage.evidence.finding(node).state(), decided.get(&stage.places[v])) {
                (None, Some(&state)) => stage.evidence.replace(node, Finding::Observed(state)),
                (Some(state), _) => {
                    decided.insert(stage.places[v], state);
                }
                (None, None) => {}
            }
        }
        let status = stage.families.statuses(&stage.network, &stage.evidence)?;
        // The tables of a message are cut where a later stage has decided.
        let cut = restricted(
            before,
            |place| decided.get(&super::stage::older(place)).copied(),
            |place| match place {
                Place::Static(v) => self.network.statics().cardinality(v),
                Place::Process(p, _) => self.network.processes().cardinality(p),
            },
        );
        let stage = self.stage(k);
        let spoken = |v: u32| {
            !stage.families.scopes[v as usize].is_empty()
                || cut.shape.iter().flatten().any(|&place| stage.variable_before(place) == v)
        };
        let open: Vec<u32> =
            (0..stage.places.len() as u32).filter(|&v| !status[v as usize].is_fixed() && spoken(v)).collect();
        let plan = self.plan(k, status, &cut.shape, &Message::empty().shape, Task::Most(open))?;
        let nothing = Message::empty();
        let (best, codes) = self.run(k, &plan, &cut, &nothing, |run, stage| {
            let mut codes = vec![0u8; stage.places.len()];
            for (code, &node) in codes.iter_mut().zip(&stage.families.node) {
                *code = stage.evidence.finding(node).state().unwrap_or(0);
            }
            let mut output = plan.program.outputs();
            for &(v, tables) in plan.maximised.iter().rev() {
                output -= tables;
                codes[v as usize] = best_state(run, output..output + tables, v, &stage.families, &codes);
            }
            (total(run, &cut, &nothing), codes)
        });
        let stage = self.stage(k);
        for &(v, _) in &plan.maximised {
            decided.insert(stage.places[v as usize], codes[v as usize]);
        }
        if best.mantissa > 0.0 { Ok(best) } else { Err(Error::ImpossibleEvidence) }
    }

    /// Plans the messages of the forward pass, so that what would not fit is refused first.
    fn plan_maxima(
        &mut self,
        interface: &Interface,
        last: usize,
        spacing: usize,
        known: &SeriesEvidence,
    ) -> Result<(), Error> {
        let (mut held, mut largest) = (0u128, 0u128);
        let mut shape = Message::empty().shape;
        for k in 0..last {
            let status = self.look(k, known, usize::MAX)?;
            let plan = self.plan_forward(k, status, &shape, Folding::Max, interface)?;
            shape = plan.shape.clone();
            let bytes = self.bytes(&shape);
            largest = largest.max(bytes);
            if (k + 1).is_multiple_of(spacing) {
                held += bytes;
            }
            let all = held + largest.saturating_mul(spacing as u128) + plan.program.arena() as u128 * 8;
            self.check_bytes(&shape, all)?;
        }
        Ok(())
    }
}

/// A message in which some variables have a state.
fn restricted(
    message: &Message,
    state: impl Fn(Place) -> Option<u8>,
    states: impl Fn(Place) -> usize,
) -> Message {
    let (mut shape, mut tables) = (vec![], vec![]);
    let mut factor = message.factor;
    for (scope, table) in message.shape.iter().zip(&message.tables) {
        let mut places = vec![0usize];
        for &place in scope {
            let n = states(place);
            let digits = match state(place) {
                Some(state) => usize::from(state)..usize::from(state) + 1,
                None => 0..n,
            };
            places = places.iter().flat_map(|&at| digits.clone().map(move |k| at * n + k)).collect();
        }
        let open: Vec<Place> = scope.iter().copied().filter(|&place| state(place).is_none()).collect();
        if open.is_empty() {
            factor *= table[places[0]];
        } else {
            tables.push(places.into_iter().map(|at| table[at]).collect());
            shape.push(open);
        }
    }
    Message { shape: shape.into(), tables, factor, exponent: message.exponent }
}
