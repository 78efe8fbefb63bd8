//! Asking a network over time: filtering, smoothing, forecasts, interventions at a step, the most probable stretch.
//!
//! What a step must know of all steps before it are the variables that later tables still mention: the *interface* `I_t`.
//! With `e_t` what is known at step `t` and `φ_t` the product of the tables of that step:
//!
//! ```text
//! α_t(I_t)     = Σ_{all of step t and before but I_t} α_{t-1}(I_{t-1}) · φ_t · e_t            forward
//! β_{t-1}(I_{t-1}) = Σ_{step t} φ_t · e_t · β_t(I_t)                                          backward
//! P(x_t, e)    = Σ α_{t-1} · φ_t · e_t · β_t
//! ```
//!
//! Implements: the interface algorithm (Murphy 2002, §3.2), for any order and with statics. **Our reading**: a message is not one
//! table over the interface but a list of tables that multiply to it, so processes that have nothing to do with each other
//! stay apart; what is observed is in no table; processes that neither a question nor the evidence depends on are left
//! out. Every stage is planned like a question to a network without time ([`super::plan`]), once for each pattern of evidence.
//!
//! Memory: filtering and forecasts hold one message. Smoothing keeps every `√T`-th message and works the others out again
//! (Zweig and Padmanabhan 2000), so it takes twice the time and `2 √T` messages. All sizes are known, and refused, before
//! anything is allocated. Numbers are scaled by powers of two; long series lose nothing.
//!
//! ```
//! use clausality_bn::infer::{InferSeries, Moment, SeriesEvidence};
//! use clausality_bn::io::{Limits, json};
//! let text = br#"{"format": "clausality-dynamic/1", "order": 1,
//!   "start": [{"name": "Rain@0", "states": ["yes", "no"], "rows": [[0.5, 0.5]]}],
//!   "transition": [{"name": "Rain", "states": ["yes", "no"], "parents": ["Rain@-1"], "rows": [[0.75, 0.25], [0.25, 0.75]]}]}"#;
//! let (network, _) = json::read_dynamic(text, &Limits::default())?;
//! let mut known = SeriesEvidence::new(&network);
//! known.observe(Moment::At(0, 0), 0)?;
//! let later = InferSeries::new(network).posteriors(&[0], 1..3, &known)?;
//! assert_eq!(later[0].probabilities[0], [0.75, 0.25]);
//! assert_eq!(later[1].probabilities[0], [0.625, 0.375]);
//! # Ok::<(), clausality_bn::Error>(())
//! ```

mod evidence;
mod most;
mod passes;
mod stage;
mod weigh;

pub use evidence::{Moment, SeriesEvidence};
pub use most::Stretch;
pub use weigh::{Drawn, weigh_series};

use super::eliminate::{plan_maximum, plan_message};
use super::families::Status;
use super::plan::{Folding, Over};
use super::program::{Program, Run, Workspace, scale};
use super::tree::plan_posteriors;
use super::{DEFAULT_BYTES, Posteriors, Tiny, laid_out, normalise};
use crate::Error;
use crate::dynamic::{DynamicNetwork, Place};
use stage::{Message, Shape, Stage, newer};
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

/// What a stage is to work out.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Task {
    /// The message to the next stage, over these of its variables.
    Forward(Folding, Vec<u32>),
    /// The message to the stage before.
    Backward,
    /// The posterior of each of these.
    Each(Vec<u32>),
    /// The most probable states of everything that is not known.
    Most(Vec<u32>),
}

/// What plans may take. One is kept for every kind of step (what is seen in it and before it), and a long series has ever new kinds: more room would
/// be memory that grows with the series, to save the planning of steps that hardly ever come again.
const PLANS_BYTES: usize = 4 << 20;

/// Everything that a plan depends on.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Key {
    is_start: bool,
    status: Vec<Status>,
    before: Arc<Shape>,
    after: Arc<Shape>,
    task: Task,
}

#[derive(Debug)]
struct Plan {
    program: Program,
    /// Of a message: the variables of its tables, in the stage's own numbers and as the message calls them.
    scopes: Vec<Vec<u32>>,
    shape: Arc<Shape>,
    /// Of most probable states: see [`plan_maximum`].
    maximised: Vec<(u32, usize)>,
}

/// Which variables messages speak of.
#[derive(Debug, Clone)]
struct Interface {
    /// As the message after a stage calls them.
    held: Vec<Place>,
}

/// Exact answers from a network over time. Steps are counted from 0, the first of the start.
#[derive(Debug, Clone)]
pub struct InferSeries {
    network: Arc<DynamicNetwork>,
    start: Stage,
    window: Stage,
    limit: u64,
    plans: BTreeMap<Key, Arc<Plan>>,
    kept_bytes: usize,
    space: Workspace,
}

impl InferSeries {
    /// Ready to ask this network, with [`DEFAULT_BYTES`] of memory.
    pub fn new(network: impl Into<Arc<DynamicNetwork>>) -> Self {
        let network = network.into();
        InferSeries {
            start: Stage::start(&network),
            window: Stage::window(&network),
            network,
            limit: DEFAULT_BYTES,
            plans: BTreeMap::new(),
            kept_bytes: 0,
            space: Workspace::default(),
        }
    }

    /// With another bound on memory, in bytes.
    pub fn with_limit(mut self, bytes: u64) -> Self {
        self.limit = bytes;
        self.plans.clear();
        self
    }

    /// The network.
    pub fn network(&self) -> &DynamicNetwork {
        &self.network
    }

    /// What each process is like at every step of a range, given everything that is known, earlier and later (smoothing; after
    /// the last step known, a forecast).
    ///
    /// # Errors
    /// [`Error::ImpossibleEvidence`]; [`Error::InferenceLimit`] where memory would not do; a process that is not there or listed twice;
    /// evidence made for another network.
    pub fn posteriors(
        &mut self,
        processes: &[usize],
        steps: Range<usize>,
        known: &SeriesEvidence,
    ) -> Result<Vec<Posteriors>, Error> {
        let mut found: Vec<Option<Posteriors>> = vec![None; steps.len()];
        self.posteriors_each(processes, steps.clone(), known, &mut |step, posteriors| {
            found[step - steps.start] = Some(posteriors);
            Ok(())
        })?;
        Ok(found.into_iter().flatten().collect())
    }

    /// The same at every step with what is known up to that step only (filtering). The evidence of the answers is that of
    /// these steps, so the quotient of two neighbours is how well a step was foreseen.
    ///
    /// # Errors
    /// As [`InferSeries::posteriors`].
    pub fn filtered(
        &mut self,
        processes: &[usize],
        steps: Range<usize>,
        known: &SeriesEvidence,
    ) -> Result<Vec<Posteriors>, Error> {
        let mut found = Vec::with_capacity(steps.len());
        self.filtered_each(processes, steps, known, &mut |_, posteriors| {
            found.push(posteriors);
            Ok(())
        })?;
        Ok(found)
    }

    /// The probability of what is known (of a likelihood, relative to its largest number). What cannot be has probability 0.
    ///
    /// # Errors
    /// [`Error::InferenceLimit`], and evidence made for another network.
    pub fn evidence_probability(&mut self, known: &SeriesEvidence) -> Result<Tiny, Error> {
        known.check_for(&self.network)?;
        let interface = self.interface(&[], known);
        let last = self.stage_of(known.last_step().unwrap_or(0));
        let mut message = Message::empty();
        for k in 0..=last {
            // The last message is about nothing: all of it is summed out.
            let none = Interface { held: vec![] };
            let told = if k == last { &none } else { &interface };
            message = self.forward(k, &message, Folding::Sum, told, known)?;
        }
        Ok(Tiny::new(message.factor, message.exponent))
    }

    /// The stage that a step belongs to: the start is stage 0.
    fn stage_of(&self, step: usize) -> usize {
        (step + 1).saturating_sub(self.network.order())
    }

    fn stage(&self, k: usize) -> &Stage {
        if k == 0 { &self.start } else { &self.window }
    }

    /// The processes that a question or the evidence depends on, however far back, and so what messages must hold.
    fn interface(&self, asked: &[usize], known: &SeriesEvidence) -> Interface {
        let network = &self.network;
        let mut needed = vec![false; network.processes().len()];
        let seen = known.processes_known();
        let mut stack: Vec<usize> = (0..needed.len()).filter(|&p| seen[p] || asked.contains(&p)).collect();
        let mut depth = vec![0usize; needed.len()];
        let mut held = vec![];
        while let Some(process) = stack.pop() {
            if std::mem::replace(&mut needed[process], true) {
                continue;
            }
            for parent in network.parents(process) {
                match parent {
                    Place::Static(_) => held.push(parent),
                    Place::Process(p, lag) => {
                        depth[p] = depth[p].max(lag);
                        stack.push(p);
                    }
                }
            }
        }
        held.sort_unstable();
        held.dedup();
        for (process, &depth) in depth.iter().enumerate() {
            held.extend((0..depth).map(|ago| Place::Process(process, ago)));
        }
        Interface { held }
    }

    /// What is known at a stage, and what that means for its variables. Nothing after `until` is looked at.
    fn look(&mut self, k: usize, known: &SeriesEvidence, until: usize) -> Result<Vec<Status>, Error> {
        let step = self.stage(k).step(k);
        let stage = if k == 0 { &mut self.start } else { &mut self.window };
        stage.look(known, step, until)
    }

    /// The message of a stage to the next.
    fn forward(
        &mut self,
        k: usize,
        before: &Message,
        folding: Folding,
        interface: &Interface,
        known: &SeriesEvidence,
    ) -> Result<Message, Error> {
        let status = self.look(k, known, usize::MAX)?;
        let plan = self.plan_forward(k, status, &before.shape, folding, interface)?;
        let nothing = Message::empty();
        Ok(self.run(k, &plan, before, &nothing, |run, stage| message(run, &plan, stage, before, &nothing)))
    }

    fn plan_forward(
        &mut self,
        k: usize,
        status: Vec<Status>,
        before: &Arc<Shape>,
        folding: Folding,
        interface: &Interface,
    ) -> Result<Arc<Plan>, Error> {
        let stage = self.stage(k);
        let kept = interface.held.iter().map(|&place| stage.variable(place));
        let kept = kept.filter(|&v| v != u32::MAX && !status[v as usize].is_fixed()).collect();
        self.plan(k, status, before, &Arc::default(), Task::Forward(folding, kept))
    }

    /// The message of a stage to the one before.
    fn backward(&mut self, k: usize, after: &Message, known: &SeriesEvidence) -> Result<Message, Error> {
        let status = self.look(k, known, usize::MAX)?;
        let plan = self.plan(k, status, &Arc::default(), &after.shape, Task::Backward)?;
        let nothing = Message::empty();
        Ok(self.run(k, &plan, &nothing, after, |run, stage| message(run, &plan, stage, &nothing, after)))
    }

    /// The posteriors of processes at a step, between two messages.
    fn between(
        &mut self,
        step: usize,
        processes: &[usize],
        (before, after): (&Message, &Message),
        known: &SeriesEvidence,
        until: usize,
    ) -> Result<Posteriors, Error> {
        let k = self.stage_of(step);
        let status = self.look(k, known, until)?;
        let ago = self.stage(k).step(k) - step;
        let wanted: Vec<u32> =
            processes.iter().map(|&p| self.stage(k).variable(Place::Process(p, ago))).collect();
        self.posteriors_in(k, status, &wanted, processes, (before, after))
    }

    /// The posteriors of some variables of a stage, told under other numbers.
    fn posteriors_in(
        &mut self,
        k: usize,
        status: Vec<Status>,
        wanted: &[u32],
        names: &[usize],
        (before, after): (&Message, &Message),
    ) -> Result<Posteriors, Error> {
        let free: Vec<u32> = wanted.iter().copied().filter(|&v| !status[v as usize].is_fixed()).collect();
        let plan = self.plan(k, status, &before.shape, &after.shape, Task::Each(free))?;
        self.run(k, &plan, before, after, |run, stage| {
            let evidence = total(run, before, after);
            if evidence.mantissa <= 0.0 {
                return Err(Error::ImpossibleEvidence);
            }
            let mut probabilities = Vec::with_capacity(wanted.len());
            let mut next = 0;
            for &v in wanted {
                let states = stage.families.states[v as usize] as usize;
                let mut values = vec![0.0; states];
                if let Some(state) = stage.evidence.finding(stage.families.node[v as usize]).state() {
                    values[usize::from(state)] = 1.0;
                } else {
                    let table = run.output(next);
                    next += 1;
                    let cells = values.iter_mut().enumerate();
                    cells.for_each(|(s, value)| *value = table.values[s * table.strides[0]]);
                    normalise(&mut values)?;
                }
                probabilities.push(values);
            }
            Ok(Posteriors { targets: names.to_vec(), probabilities, evidence })
        })
    }

    /// Runs a plan on what [`InferSeries::look`] saw and on two messages.
    fn run<T>(
        &mut self,
        k: usize,
        plan: &Plan,
        before: &Message,
        after: &Message,
        take: impl FnOnce(&Run<'_>, &Stage) -> T,
    ) -> T {
        let stage = if k == 0 { &self.start } else { &self.window };
        let given: Vec<&[f64]> = before.tables.iter().chain(&after.tables).map(Vec::as_slice).collect();
        let (network, families) = (&stage.network, &stage.families);
        take(&plan.program.run_given(network, families, &stage.evidence, &given, &mut self.space), stage)
    }

    /// The plan of a task, kept or new.
    fn plan(
        &mut self,
        k: usize,
        status: Vec<Status>,
        before: &Arc<Shape>,
        after: &Arc<Shape>,
        task: Task,
    ) -> Result<Arc<Plan>, Error> {
        let key = Key { is_start: k == 0, status, before: before.clone(), after: after.clone(), task };
        if let Some(plan) = self.plans.get(&key) {
            return Ok(plan.clone());
        }
        let stage = self.stage(k);
        let families = stage.families.with_given(stage.given(before, after));
        let (status, limit) = (&key.status, self.limit);
        let none = |program| (program, vec![], vec![]);
        let planned = match &key.task {
            Task::Forward(folding, kept) => {
                let mut relevant = families.relevant(status, kept);
                // A maximum over a table is not one: nothing may be left out.
                relevant.iter_mut().for_each(|relevant| *relevant |= *folding == Folding::Max);
                plan_message(&families, status, &relevant, kept, *folding, limit)
                    .map(|(program, scopes)| (program, scopes, vec![]))
            }
            Task::Backward => {
                let relevant = families.relevant(status, &[]);
                let earlier = |&v: &u32| !matches!(stage.places[v as usize], Place::Process(_, 0));
                let kept: Vec<u32> = (0..families.len() as u32).filter(earlier).collect();
                plan_message(&families, status, &relevant, &kept, Folding::Sum, limit)
                    .map(|(program, scopes)| (program, scopes, vec![]))
            }
            Task::Each(wanted) => plan_posteriors(&families, status, wanted, limit).map(none),
            Task::Most(wanted) => plan_maximum(&families, status, wanted, limit)
                .map(|(program, maximised)| (program, vec![], maximised)),
        };
        let (program, scopes, maximised) = planned.map_err(|over| self.refuse(k, over))?;
        let told = |&v: &u32| match key.task {
            Task::Backward => newer(stage.places[v as usize]),
            _ => stage.places[v as usize],
        };
        let shape = Arc::new(scopes.iter().map(|scope| scope.iter().map(told).collect()).collect());
        let plan = Arc::new(Plan { program, scopes, shape, maximised });
        let bytes = plan.program.own_bytes() + key.status.len() + 256;
        if self.kept_bytes + bytes > PLANS_BYTES {
            self.plans.clear();
            self.kept_bytes = 0;
        }
        self.kept_bytes += bytes;
        self.plans.insert(key, plan.clone());
        Ok(plan)
    }

    fn refuse(&self, k: usize, over: Over) -> Error {
        let stage = self.stage(k);
        let name = |&v: &u32| stage.network.schema().name(stage.families.node[v as usize]).to_string();
        let cells = if over.cells == u64::MAX { u128::MAX } else { u128::from(over.cells) };
        let bytes = if over.cells == u64::MAX { u128::MAX } else { over.bytes };
        Error::InferenceLimit {
            nodes: over.scope.iter().map(name).collect(),
            cells,
            bytes,
            limit: self.limit,
        }
    }
}

/// The message that a run worked out; what its givers took out as factors goes on with it.
fn message(run: &Run<'_>, plan: &Plan, stage: &Stage, before: &Message, after: &Message) -> Message {
    let Tiny { mantissa, mut exponent } = total(run, before, after);
    let mut tables = Vec::with_capacity(plan.scopes.len());
    for (k, scope) in plan.scopes.iter().enumerate() {
        tables.push(laid_out(&run.output(k), scope, &stage.families.states));
        exponent += run.exponent(k);
    }
    Message { shape: plan.shape.clone(), tables, factor: mantissa, exponent }
}

/// The numbers of a run and the factors of the messages that it was given.
fn total(run: &Run<'_>, before: &Message, after: &Message) -> Tiny {
    let (mut mantissa, mut exponent) = run.scalar();
    for message in [before, after] {
        mantissa *= message.factor;
        exponent += message.exponent + scale(std::slice::from_mut(&mut mantissa));
    }
    Tiny::new(mantissa, exponent)
}

#[cfg(test)]
mod tests;
