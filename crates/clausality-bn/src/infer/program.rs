//! A plan with every table in its place, ready to run with any evidence of its pattern.

use super::evidence::{Evidence, Finding};
use super::families::Families;
use super::kernel::{self, Loop, Max, Nest, Sum};
use super::order::cells;
use super::plan::{Builder, Draft, Folding, Id, Over, Slot, Source};
use crate::{Error, Network};
use std::fmt;
use std::sync::Arc;

/// From this depth on a table is looked through and scaled: two tables that were not can still be multiplied.
const DEPTH_TO_SCALE: u32 = 480;
/// One step may touch this many times the cells that memory may hold; more would take minutes.
const WORK_PER_LIMIT: u64 = 64;

/// Where an operand is found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Operand {
    /// One of the program's views.
    View(u32),
    /// A stretch of the arena.
    Arena { start: usize, cells: usize },
    /// The number one, for steps with one operand.
    One,
}

/// A table of the network (or a likelihood) with what is known put in.
#[derive(Debug, Clone)]
struct View {
    source: Source,
    /// Nodes with a known state, and their strides.
    fixed: Vec<(usize, usize)>,
}

#[derive(Debug, Clone)]
struct Step {
    a: Operand,
    b: Operand,
    start: usize,
    cells: usize,
    nest: Nest,
    folding: Folding,
    scale: bool,
    /// For exponents: the tables read and the one written.
    ids: (Id, Id, Id),
}

/// A planned question.
#[derive(Debug, Clone)]
pub(super) struct Program {
    steps: Vec<Step>,
    views: Vec<View>,
    arena: usize,
    slots: usize,
    outputs: Vec<(Id, Vec<u32>, Operand)>,
    scalars: Vec<(Id, Operand)>,
    strides: Vec<Vec<usize>>,
    /// Cells touched by all steps.
    pub(super) work: u64,
}

impl Builder<'_> {
    /// Drops what no output needs and gives the rest its place in memory.
    pub(super) fn finish(self, outputs: Vec<Id>, scalars: Vec<Id>, limit: u64) -> Result<Program, Over> {
        let mut last_use = vec![None; self.slots.len()];
        let end = self.drafts.len();
        outputs.iter().chain(&scalars).for_each(|&id| last_use[id as usize] = Some(end));
        for (k, draft) in self.drafts.iter().enumerate().rev() {
            if last_use[draft.out as usize].is_none() {
                continue;
            }
            for id in [Some(draft.a), draft.b].into_iter().flatten() {
                let used = &mut last_use[id as usize];
                *used = Some(used.unwrap_or(k));
            }
        }
        let mut finisher = Finisher::new(&self, limit / 8);
        for (k, draft) in self.drafts.iter().enumerate() {
            if last_use[draft.out as usize].is_some() {
                finisher.add(draft)?;
                for id in [Some(draft.a), draft.b].into_iter().flatten() {
                    if last_use[id as usize] == Some(k) {
                        finisher.free(id);
                        // A table multiplied with itself is freed once.
                        last_use[id as usize] = Some(end);
                    }
                }
            }
        }
        Ok(finisher.program(outputs, scalars))
    }
}

/// Gives the tables of a plan their places.
struct Finisher<'p, 'f> {
    plan: &'p Builder<'f>,
    limit: u64,
    operand: Vec<Option<Operand>>,
    /// Free stretches of the arena by start; the arena may always grow.
    gaps: Vec<(u64, u64)>,
    top: u64,
    program: Program,
}

impl<'p, 'f> Finisher<'p, 'f> {
    fn new(plan: &'p Builder<'f>, limit: u64) -> Self {
        let program = Program {
            steps: vec![],
            views: vec![],
            arena: 0,
            slots: plan.slots.len(),
            outputs: vec![],
            scalars: vec![],
            strides: vec![],
            work: 0,
        };
        Finisher { plan, limit, operand: vec![None; plan.slots.len()], gaps: vec![], top: 0, program }
    }

    fn slot(&self, id: Id) -> &'p Slot {
        &self.plan.slots[id as usize]
    }

    fn operand(&mut self, id: Id) -> Operand {
        if let Some(operand) = self.operand[id as usize] {
            return operand;
        }
        let source = self.slot(id).source;
        let families = self.plan.families;
        let fixed = match source {
            Source::Cpt(v) => families.scopes[v as usize]
                .iter()
                .filter(|&&(u, _)| self.plan.status[u as usize].is_fixed())
                .map(|&(u, stride)| (families.node[u as usize], stride))
                .collect(),
            Source::Likelihood(_) | Source::Given(_) | Source::Step(_) => vec![],
        };
        self.program.views.push(View { source, fixed });
        let operand = Operand::View((self.program.views.len() - 1) as u32);
        self.operand[id as usize] = Some(operand);
        operand
    }

    /// The stride of every variable of `scope` in a table, 0 where it does not have it.
    fn strides(&self, id: Id, scope: &[u32]) -> Vec<usize> {
        let slot = self.slot(id);
        if let Source::Cpt(v) = slot.source {
            let family = &self.plan.families.scopes[v as usize];
            let stride = |u: &u32| family.iter().find(|(w, _)| w == u).map_or(0, |&(_, stride)| stride);
            return scope.iter().map(stride).collect();
        }
        if let Source::Given(k) = slot.source {
            let given = &self.plan.families.given[k as usize];
            let states = |v: &u32| self.plan.families.states[*v as usize] as usize;
            let stride = |u: &u32| {
                let after = given.iter().skip_while(|v| *v != u).skip(1);
                if given.contains(u) { after.map(states).product() } else { 0 }
            };
            return scope.iter().map(stride).collect();
        }
        let mut strides = vec![0; scope.len()];
        let (mut stride, mut own) = (1, slot.scope.len());
        for (i, &v) in scope.iter().enumerate().rev() {
            if own > 0 && slot.scope[own - 1] == v {
                strides[i] = stride;
                stride *= self.plan.families.states[v as usize] as usize;
                own -= 1;
            }
        }
        strides
    }

    fn add(&mut self, draft: &Draft) -> Result<(), Over> {
        let states = &self.plan.families.states;
        let touched = cells(&draft.scope, states);
        let out = self.slot(draft.out);
        if out.cells > self.limit || touched > self.limit.saturating_mul(WORK_PER_LIMIT) {
            return Err(self.over(&draft.scope));
        }
        let (a, b) = (self.operand(draft.a), draft.b.map_or(Operand::One, |b| self.operand(b)));
        let start = self.take(out.cells);
        if self.top > self.limit {
            return Err(self.over(&draft.scope));
        }
        let strides_a = self.strides(draft.a, &draft.scope);
        let strides_b = draft.b.map_or_else(|| vec![0; draft.scope.len()], |b| self.strides(b, &draft.scope));
        let (start, cells) = (start as usize, out.cells as usize);
        self.operand[draft.out as usize] = Some(Operand::Arena { start, cells });
        let strides_out = self.strides(draft.out, &draft.scope);
        let dimension = |(i, &v): (usize, &u32)| Loop {
            n: states[v as usize] as usize,
            a: strides_a[i],
            b: strides_b[i],
            out: strides_out[i],
        };
        let nest = Nest::new(&draft.scope.iter().enumerate().map(dimension).collect::<Vec<Loop>>());
        let ids = (draft.a, draft.b.unwrap_or(draft.a), draft.out);
        let scale = out.depth > DEPTH_TO_SCALE;
        self.program.work = self.program.work.saturating_add(touched);
        self.program.steps.push(Step { a, b, start, cells, nest, folding: draft.folding, scale, ids });
        Ok(())
    }

    fn over(&self, scope: &[u32]) -> Over {
        let cells = cells(scope, &self.plan.families.states);
        let live = u128::from(self.top).max(u128::from(cells) + u128::from(self.top));
        Over { scope: scope.to_vec(), cells, bytes: live.saturating_mul(8) }
    }

    /// The first gap that is large enough, else the end of the arena.
    fn take(&mut self, cells: u64) -> u64 {
        if let Some(i) = self.gaps.iter().position(|&(_, size)| size >= cells) {
            let (start, size) = self.gaps[i];
            if size == cells {
                self.gaps.remove(i);
            } else {
                self.gaps[i] = (start + cells, size - cells);
            }
            return start;
        }
        // A gap at the very end is part of what is needed.
        if let Some(&(start, size)) = self.gaps.last()
            && start + size == self.top
        {
            self.gaps.pop();
            self.top = start.saturating_add(cells);
            return start;
        }
        let start = self.top;
        self.top = self.top.saturating_add(cells);
        start
    }

    fn free(&mut self, id: Id) {
        let Some(Operand::Arena { start, cells }) = self.operand[id as usize] else { return };
        let (start, cells) = (start as u64, cells as u64);
        let i = self.gaps.partition_point(|&(other, _)| other < start);
        self.gaps.insert(i, (start, cells));
        if i + 1 < self.gaps.len() && start + cells == self.gaps[i + 1].0 {
            self.gaps[i].1 += self.gaps[i + 1].1;
            self.gaps.remove(i + 1);
        }
        if i > 0 && self.gaps[i - 1].0 + self.gaps[i - 1].1 == start {
            self.gaps[i - 1].1 += self.gaps[i].1;
            self.gaps.remove(i);
        }
    }

    fn program(mut self, outputs: Vec<Id>, scalars: Vec<Id>) -> Program {
        for id in outputs {
            let operand = self.operand(id);
            let scope = self.slot(id).scope.clone();
            let strides = self.strides(id, &scope);
            self.program.outputs.push((id, scope, operand));
            self.program.strides.push(strides);
        }
        for id in scalars {
            let operand = self.operand(id);
            self.program.scalars.push((id, operand));
        }
        self.program.arena = self.top as usize;
        self.program
    }
}

/// Memory that runs use again and again.
#[derive(Debug, Clone, Default)]
pub(super) struct Workspace {
    arena: Vec<f64>,
    exponents: Vec<i64>,
    bases: Vec<usize>,
    /// Whom runs ask before every step whether to go on.
    pub(super) stop: Option<Stop>,
    /// Whether the last run was called off.
    stopped: bool,
}

/// Asked now and then whether the work is called off.
#[derive(Clone)]
pub struct Stop(Arc<dyn Fn() -> bool + Send + Sync>);

impl Stop {
    /// Asks this.
    pub fn when(stop: impl Fn() -> bool + Send + Sync + 'static) -> Self {
        Stop(Arc::new(stop))
    }

    /// Whether it is.
    pub fn is_asked(&self) -> bool {
        (self.0)()
    }
}

impl fmt::Debug for Stop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Stop")
    }
}

/// A table of a finished run: its variables with their strides, and its numbers.
#[derive(Debug, Clone, Copy)]
pub(super) struct TableView<'r> {
    pub(super) scope: &'r [u32],
    pub(super) strides: &'r [usize],
    pub(super) values: &'r [f64],
}

/// A finished run.
pub(super) struct Run<'r> {
    program: &'r Program,
    network: &'r Network,
    families: &'r Families,
    evidence: &'r Evidence,
    given: &'r [&'r [f64]],
    space: &'r Workspace,
}

impl Program {
    /// How many outputs there are.
    pub(super) fn outputs(&self) -> usize {
        self.outputs.len()
    }

    /// Roughly the bytes that the program itself takes.
    pub(super) fn own_bytes(&self) -> usize {
        self.steps.len() * 400 + self.views.len() * 64 + self.outputs.len() * 96
    }

    /// The cells that a run holds.
    pub(super) fn arena(&self) -> usize {
        self.arena
    }

    /// Runs the steps under evidence of the pattern that the program was planned for.
    pub(super) fn run<'r>(
        &'r self,
        network: &'r Network,
        families: &'r Families,
        evidence: &'r Evidence,
        space: &'r mut Workspace,
    ) -> Result<Run<'r>, Error> {
        let run = self.run_given(network, families, evidence, &[], space);
        if run.space.stopped { Err(Error::Stopped) } else { Ok(run) }
    }

    /// The same with the numbers of the tables that come from elsewhere.
    pub(super) fn run_given<'r>(
        &'r self,
        network: &'r Network,
        families: &'r Families,
        evidence: &'r Evidence,
        given: &'r [&'r [f64]],
        space: &'r mut Workspace,
    ) -> Run<'r> {
        if space.arena.len() < self.arena {
            space.arena.resize(self.arena, 0.0);
        }
        space.exponents.clear();
        space.exponents.resize(self.slots, 0);
        let known = |node: usize| evidence.finding(node).state().map_or(0, usize::from);
        space.bases.clear();
        space.bases.extend(
            self.views.iter().map(|v| v.fixed.iter().map(|&(n, stride)| known(n) * stride).sum::<usize>()),
        );
        space.stopped = false;
        for step in &self.steps {
            if space.stop.as_ref().is_some_and(|stop| stop.0()) {
                space.stopped = true;
                break;
            }
            let (before, rest) = space.arena.split_at_mut(step.start);
            let (out, after) = rest.split_at_mut(step.cells);
            let find = |operand: Operand| match operand {
                Operand::One => &[1.0][..],
                Operand::View(view) => self.view(view, network, families, evidence, given, &space.bases),
                Operand::Arena { start, cells } if start < step.start => &before[start..start + cells],
                Operand::Arena { start, cells } => &after[start - step.start - step.cells..][..cells],
            };
            let (a, b) = (find(step.a), find(step.b));
            match step.folding {
                Folding::Sum => kernel::run::<Sum>(&step.nest, out, a, b),
                Folding::Max => kernel::run::<Max>(&step.nest, out, a, b),
            }
            if step.scale {
                let (a, b, out_id) = step.ids;
                let exponent = |id: Id| space.exponents[id as usize];
                let inherited = exponent(a) + if b == a { 0 } else { exponent(b) };
                space.exponents[out_id as usize] = inherited + scale(out);
            }
        }
        Run { program: self, network, families, evidence, given, space }
    }

    fn view<'r>(
        &self,
        view: u32,
        network: &'r Network,
        families: &'r Families,
        evidence: &'r Evidence,
        given: &'r [&'r [f64]],
        bases: &[usize],
    ) -> &'r [f64] {
        match self.views[view as usize].source {
            Source::Cpt(v) => &network.cpt(families.node[v as usize]).values()[bases[view as usize]..],
            Source::Likelihood(v) => match evidence.finding(families.node[v as usize]) {
                Finding::Likelihood(likelihood) => likelihood,
                _ => &[],
            },
            Source::Given(k) => given[k as usize],
            Source::Step(_) => &[],
        }
    }
}

/// Brings the largest number near one by a power of two, which changes no digit; says which power was taken out.
pub(super) fn scale(values: &mut [f64]) -> i64 {
    let mut lanes = [0.0f64; 8];
    let chunks = values.chunks_exact(8);
    let tail = chunks.remainder().iter().copied().fold(0.0, f64::max);
    for chunk in chunks {
        for (lane, &value) in lanes.iter_mut().zip(chunk) {
            *lane = if value > *lane { value } else { *lane };
        }
    }
    let largest = lanes.into_iter().fold(tail, f64::max);
    let exponent = ((largest.to_bits() >> 52) as i64) - 1023;
    if largest == 0.0 || exponent > -64 {
        return 0;
    }
    // 2^1023 is the largest power; what is smaller needs no more than that to be far from the edge.
    let shift = (-exponent).min(1023);
    let factor = f64::from_bits(((shift + 1023) as u64) << 52);
    values.iter_mut().for_each(|value| *value *= factor);
    -shift
}

impl<'r> Run<'r> {
    fn values(&self, operand: Operand) -> &'r [f64] {
        match operand {
            Operand::One => &[1.0],
            Operand::View(view) => self.program.view(
                view,
                self.network,
                self.families,
                self.evidence,
                self.given,
                &self.space.bases,
            ),
            Operand::Arena { start, cells } => &self.space.arena[start..start + cells],
        }
    }

    /// An output, in the order in which they were asked for.
    pub(super) fn output(&self, k: usize) -> TableView<'r> {
        let (_, scope, operand) = &self.program.outputs[k];
        TableView { scope, strides: &self.program.strides[k], values: self.values(*operand) }
    }

    /// The power of two that was taken out of an output.
    pub(super) fn exponent(&self, k: usize) -> i64 {
        self.space.exponents[self.program.outputs[k].0 as usize]
    }

    /// The product of all scalars, as a number in [0, 1) or so and a power of two.
    pub(super) fn scalar(&self) -> (f64, i64) {
        let mut product = (1.0f64, 0i64);
        for &(id, operand) in &self.program.scalars {
            product.0 *= self.values(operand)[0];
            product.1 += self.space.exponents[id as usize];
            product.1 += scale(std::slice::from_mut(&mut product.0));
        }
        product
    }
}
