//! The passes over a series: forward for filters and forecasts, forward and back again for what lies between evidence.

use super::stage::{Message, Shape};
use super::{InferSeries, Interface, SeriesEvidence, Task};
use crate::Error;
use crate::dynamic::Place;
use crate::infer::Posteriors;
use crate::infer::plan::Folding;
use std::ops::Range;
use std::sync::Arc;

/// Takes an answer for a step; an error ends the work.
pub(super) type Sink<'s> = dyn FnMut(usize, Posteriors) -> Result<(), Error> + 's;

impl InferSeries {
    /// As [`InferSeries::filtered`], each step handed over as soon as it is known and then forgotten: the memory does not
    /// grow with the number of steps.
    ///
    /// # Errors
    /// As [`InferSeries::posteriors`], and what `each` returns.
    pub fn filtered_each(
        &mut self,
        processes: &[usize],
        steps: Range<usize>,
        known: &SeriesEvidence,
        each: &mut Sink<'_>,
    ) -> Result<(), Error> {
        self.check(processes, known)?;
        if steps.is_empty() {
            return Ok(());
        }
        let interface = self.interface(processes, known);
        let nothing = Message::empty();
        let mut before = Message::empty();
        for k in 0..=self.stage_of(steps.end - 1) {
            for step in self.steps_of(k).filter(|step| steps.contains(step)) {
                each(step, self.between(step, processes, (&before, &nothing), known, step)?)?;
            }
            before = self.forward(k, &before, Folding::Sum, &interface, known)?;
        }
        Ok(())
    }

    /// As [`InferSeries::posteriors`], each step handed over once and then forgotten; those up to the last of which something is
    /// known come latest first. The memory grows with the root of the number of steps.
    ///
    /// # Errors
    /// As [`InferSeries::posteriors`], and what `each` returns.
    pub fn posteriors_each(
        &mut self,
        processes: &[usize],
        steps: Range<usize>,
        known: &SeriesEvidence,
        each: &mut Sink<'_>,
    ) -> Result<(), Error> {
        self.check(processes, known)?;
        if steps.is_empty() {
            return Ok(());
        }
        let interface = self.interface(processes, known);
        let (first, last) = (self.stage_of(steps.start), self.stage_of(steps.end - 1));
        // From here on nothing is known, so nothing is heard from later.
        let turn = known.last_step().map_or(0, |step| self.stage_of(step));
        let spacing = spacing(turn.saturating_sub(first) + 1);
        self.plan_passes(&interface, first, turn, last, spacing, known)?;

        let nothing = Message::empty();
        let mut before = Message::empty();
        let mut kept: Vec<(usize, Message)> = vec![];
        for k in 0..=last.max(turn) {
            if k > turn {
                for step in self.steps_of(k).filter(|step| steps.contains(step)) {
                    each(step, self.between(step, processes, (&before, &nothing), known, usize::MAX)?)?;
                }
            } else if k >= first && (k - first).is_multiple_of(spacing) {
                kept.push((k, before.clone()));
            }
            if k < last.max(turn) {
                before = self.forward(k, &before, Folding::Sum, &interface, known)?;
            }
        }
        drop(before);
        let mut after = Message::empty();
        let mut end = turn;
        while let Some((from, message)) = kept.pop() {
            for (k, before) in self.stretch(from, end, message, Folding::Sum, &interface, known)? {
                for step in self.steps_of(k).filter(|step| steps.contains(step)).rev() {
                    each(step, self.between(step, processes, (&before, &after), known, usize::MAX)?)?;
                }
                if k > first {
                    after = self.backward(k, &after, known)?;
                }
            }
            end = from.saturating_sub(1);
        }
        Ok(())
    }

    /// What each of the statics is like, given everything that is known.
    ///
    /// # Errors
    /// As [`InferSeries::posteriors`].
    pub fn static_posteriors(
        &mut self,
        statics: &[usize],
        known: &SeriesEvidence,
    ) -> Result<Posteriors, Error> {
        known.check_for(&self.network)?;
        distinct(statics, self.network.statics())?;
        let mut after = Message::empty();
        for k in (1..=known.last_step().map_or(0, |step| self.stage_of(step))).rev() {
            after = self.backward(k, &after, known)?;
        }
        let status = self.look(0, known, usize::MAX)?;
        let wanted: Vec<u32> = statics.iter().map(|&v| self.start.variable(Place::Static(v))).collect();
        self.posteriors_in(0, status, &wanted, statics, (&Message::empty(), &after))
    }

    /// The messages before the stages of a stretch, the last stage first.
    pub(super) fn stretch(
        &mut self,
        from: usize,
        end: usize,
        message: Message,
        folding: Folding,
        interface: &Interface,
        known: &SeriesEvidence,
    ) -> Result<Vec<(usize, Message)>, Error> {
        let mut out = Vec::with_capacity(end + 1 - from);
        out.push((from, message));
        for k in from..end {
            let next = self.forward(k, &out[k - from].1, folding, interface, known)?;
            out.push((k + 1, next));
        }
        out.reverse();
        Ok(out)
    }

    /// Plans all messages of both passes without a number, so that what would not fit is refused first.
    fn plan_passes(
        &mut self,
        interface: &Interface,
        first: usize,
        turn: usize,
        last: usize,
        spacing: usize,
        known: &SeriesEvidence,
    ) -> Result<(), Error> {
        let mut held: u128 = 0;
        let mut largest: u128 = 0;
        let mut shape: Arc<Shape> = Arc::default();
        for k in 0..last.max(turn) {
            let status = self.look(k, known, usize::MAX)?;
            let plan = self.plan_forward(k, status, &shape, Folding::Sum, interface)?;
            shape = plan.shape.clone();
            let bytes = self.bytes(&shape);
            largest = largest.max(bytes);
            if k + 1 >= first && k < turn && (k + 1 - first).is_multiple_of(spacing) {
                held += bytes;
            }
            let all = held + largest.saturating_mul(spacing as u128) + plan.program.arena() as u128 * 8;
            self.check_bytes(&shape, all)?;
        }
        let mut shape: Arc<Shape> = Arc::default();
        for k in (first + 1..=turn).rev() {
            let status = self.look(k, known, usize::MAX)?;
            let plan = self.plan(k, status, &Arc::default(), &shape, Task::Backward)?;
            shape = plan.shape.clone();
            let all = held + largest.saturating_mul(spacing as u128) + plan.program.arena() as u128 * 8;
            self.check_bytes(&shape, all + self.bytes(&shape))?;
        }
        Ok(())
    }

    pub(super) fn bytes(&self, shape: &Shape) -> u128 {
        shape.iter().fold(0u128, |sum, table| sum.saturating_add(self.cells(table).saturating_mul(8)))
    }

    fn cells(&self, table: &[Place]) -> u128 {
        let states = table.iter().map(|&place| match place {
            Place::Static(v) => self.network.statics().cardinality(v),
            Place::Process(p, _) => self.network.processes().cardinality(p),
        });
        states.fold(1u128, |n, s| n.saturating_mul(s as u128))
    }

    /// Refuses messages that would take more memory than there may be, with the largest table of one of them.
    pub(super) fn check_bytes(&self, shape: &Shape, bytes: u128) -> Result<(), Error> {
        if bytes <= u128::from(self.limit) {
            return Ok(());
        }
        let largest = shape.iter().max_by_key(|table| self.cells(table)).map_or(&[][..], Vec::as_slice);
        let nodes = largest.iter().map(|&place| match place {
            Place::Static(v) => self.network.statics().name(v).to_string(),
            Place::Process(p, ago) => {
                crate::dynamic::Lagged::ago(self.network.processes().name(p), ago).to_string()
            }
        });
        Err(Error::InferenceLimit {
            nodes: nodes.collect(),
            cells: self.cells(largest),
            bytes,
            limit: self.limit,
        })
    }

    /// The steps that a stage holds.
    fn steps_of(&self, k: usize) -> Range<usize> {
        if k == 0 {
            return 0..self.network.order();
        }
        let step = self.window.step(k);
        step..step + 1
    }

    fn check(&self, processes: &[usize], known: &SeriesEvidence) -> Result<(), Error> {
        known.check_for(&self.network)?;
        distinct(processes, self.network.processes())
    }
}

/// How many stages lie between two messages that are kept: the root of all.
pub(super) fn spacing(stages: usize) -> usize {
    stages.isqrt().max(1)
}

fn distinct(asked: &[usize], schema: &crate::Schema) -> Result<(), Error> {
    let mut seen = vec![false; schema.len()];
    for &v in asked {
        match seen.get_mut(v).map(|seen| std::mem::replace(seen, true)) {
            None => return Err(Error::UnknownVariable(format!("#{v}"))),
            Some(true) => {
                let variable = schema.name(v).to_string();
                return Err(Error::Evidence { variable, reason: "it is asked for twice".into() });
            }
            Some(false) => {}
        }
    }
    Ok(())
}
