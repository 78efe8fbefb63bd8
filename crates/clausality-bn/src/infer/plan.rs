//! A question as a list of steps over tables: planned once without a number, then run with any evidence of its pattern.
//!
//! A step multiplies one or two tables and folds (sums or maximises) variables out:
//! `out[S \ D] = ⊕_D a · b`. Planning knows scopes only, so what a question costs is known exactly, in checked
//! arithmetic, before anything is allocated; steps that nobody needs are dropped; equal steps are done once; and every
//! table gets a fixed place in one arena, which tables that are no longer needed leave to others.
//!
//! A table may be known to be a conditional distribution, `Σ_heads table = 1`: then summing out all its heads needs no
//! step at all. That is how barren parts of a network vanish (Madsen and Jensen 1999, lazy propagation).

use super::families::{Families, Status};
use super::order::cells;
use std::collections::HashMap;

/// A table of a plan.
pub(super) type Id = u32;

/// How cells that meet are joined.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Folding {
    Sum,
    Max,
}

#[derive(Debug, Clone)]
pub(super) struct Slot {
    /// Variables in the order of the layout, slowest first.
    pub(super) scope: Vec<u32>,
    /// The variables over which the table sums to one, if that is known.
    pub(super) heads: Vec<u32>,
    pub(super) cells: u64,
    pub(super) depth: u32,
    pub(super) source: Source,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Source {
    /// The table of a variable, restricted to what is known.
    Cpt(u32),
    /// The likelihood that was given for a variable.
    Likelihood(u32),
    /// One of the tables that come from elsewhere.
    Given(u32),
    Step(u32),
}

#[derive(Debug, Clone)]
pub(super) struct Draft {
    pub(super) a: Id,
    pub(super) b: Option<Id>,
    /// All variables of the step, in the order of the layout.
    pub(super) scope: Vec<u32>,
    pub(super) folding: Folding,
    pub(super) out: Id,
}

/// A plan that needs more memory than there may be.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Over {
    pub(super) scope: Vec<u32>,
    pub(super) cells: u64,
    pub(super) bytes: u128,
}

/// A plan in the making.
pub(super) struct Builder<'f> {
    pub(super) families: &'f Families,
    pub(super) status: &'f [Status],
    /// Where a variable stands in layouts.
    place: Vec<u32>,
    pub(super) slots: Vec<Slot>,
    pub(super) drafts: Vec<Draft>,
    seen: HashMap<(Id, Option<Id>, Vec<u32>, Folding), Id>,
    /// Cells touched by all steps so far.
    pub(super) work: u64,
}

/// A conditional distribution is not believed to hold numbers that matter below this power of two.
const DEPTH_OF_DISTRIBUTION: u32 = 120;

/// Nobody knows how small the numbers of a likelihood are, or of a table from elsewhere.
const UNKNOWN_DEPTH: u32 = u32::MAX / 4;

impl<'f> Builder<'f> {
    /// `order` lists the variables from the slowest to the fastest in layouts; the others follow.
    pub(super) fn new(families: &'f Families, status: &'f [Status], order: &[u32]) -> Self {
        let mut place = vec![u32::MAX; families.len()];
        order.iter().enumerate().for_each(|(i, &v)| place[v as usize] = i as u32);
        Builder {
            families,
            status,
            place,
            slots: Vec::new(),
            drafts: Vec::new(),
            seen: HashMap::new(),
            work: 0,
        }
    }

    pub(super) fn scope(&self, id: Id) -> &[u32] {
        &self.slots[id as usize].scope
    }

    pub(super) fn cells(&self, id: Id) -> u64 {
        self.slots[id as usize].cells
    }

    pub(super) fn heads(&self, id: Id) -> &[u32] {
        &self.slots[id as usize].heads
    }

    pub(super) fn has(&self, id: Id, variable: u32) -> bool {
        self.scope(id).contains(&variable)
    }

    pub(super) fn cells_of(&self, scope: &[u32]) -> u64 {
        cells(scope, &self.families.states)
    }

    /// Brings variables into the order of the layout.
    pub(super) fn sort(&self, variables: &mut [u32]) {
        variables.sort_unstable_by_key(|&v| (self.place[v as usize], v));
    }

    /// The tables of the relevant variables and the likelihoods given, restricted to what is known, and the tables from elsewhere.
    pub(super) fn inputs(&mut self, relevant: &[bool]) -> Vec<Id> {
        let mut inputs = Vec::new();
        for v in 0..self.families.len() as u32 {
            let status = self.status[v as usize];
            if !relevant[v as usize] || status == Status::Set || self.families.scopes[v as usize].is_empty() {
                continue;
            }
            let family = &self.families.scopes[v as usize];
            let free = family.iter().map(|&(u, _)| u).filter(|&u| !self.status[u as usize].is_fixed());
            let mut scope: Vec<u32> = free.collect();
            self.sort(&mut scope);
            let heads = if status.is_fixed() { vec![] } else { vec![v] };
            let depth = self.families.depth[v as usize];
            inputs.push(self.slot(scope, heads, depth, Source::Cpt(v)));
            if status == Status::Soft {
                inputs.push(self.slot(vec![v], vec![], UNKNOWN_DEPTH, Source::Likelihood(v)));
            }
        }
        for k in 0..self.families.given.len() {
            let mut scope = self.families.given[k].clone();
            self.sort(&mut scope);
            inputs.push(self.slot(scope, vec![], UNKNOWN_DEPTH, Source::Given(k as u32)));
        }
        inputs
    }

    fn slot(&mut self, scope: Vec<u32>, heads: Vec<u32>, depth: u32, source: Source) -> Id {
        let cells = cells(&scope, &self.families.states);
        self.slots.push(Slot { scope, heads, cells, depth, source });
        (self.slots.len() - 1) as Id
    }

    /// The variables of both tables, in the order of the layout.
    pub(super) fn union(&self, a: Id, b: Id) -> Vec<u32> {
        let (a, b) = (self.scope(a), self.scope(b));
        let mut out = Vec::with_capacity(a.len() + b.len());
        let (mut i, mut j) = (0, 0);
        let place = |v: u32| (self.place[v as usize], v);
        while i < a.len() && j < b.len() {
            match place(a[i]).cmp(&place(b[j])) {
                std::cmp::Ordering::Less => {
                    out.push(a[i]);
                    i += 1;
                }
                std::cmp::Ordering::Greater => {
                    out.push(b[j]);
                    j += 1;
                }
                std::cmp::Ordering::Equal => {
                    out.push(a[i]);
                    (i, j) = (i + 1, j + 1);
                }
            }
        }
        out.extend_from_slice(&a[i..]);
        out.extend_from_slice(&b[j..]);
        out
    }

    /// The cells of the product of both tables.
    pub(super) fn union_cells(&self, a: Id, b: Id) -> u64 {
        let states = &self.families.states;
        let only_b = self.scope(b).iter().filter(|v| !self.scope(a).contains(v));
        only_b.fold(self.cells(a), |n, &v| n.saturating_mul(u64::from(states[v as usize])))
    }

    /// `⊕_fold a · b`; the same step asked for twice is done once.
    pub(super) fn step(&mut self, a: Id, b: Option<Id>, fold: &[u32], folding: Folding) -> Id {
        let (a, b) = match b {
            Some(b) if b < a => (b, Some(a)),
            _ => (a, b),
        };
        if b.is_none() && fold.is_empty() {
            return a;
        }
        let mut fold = fold.to_vec();
        fold.sort_unstable();
        let key = (a, b, fold, folding);
        if let Some(&id) = self.seen.get(&key) {
            return id;
        }
        let fold = &key.2;
        let scope = b.map_or_else(|| self.scope(a).to_vec(), |b| self.union(a, b));
        let kept: Vec<u32> = scope.iter().copied().filter(|v| !fold.contains(v)).collect();
        let heads = if folding == Folding::Sum { self.heads_of(a, b, fold) } else { vec![] };
        let depth_b = b.map_or(0, |b| self.slots[b as usize].depth);
        let mut depth = self.slots[a as usize].depth.saturating_add(depth_b);
        if !heads.is_empty() {
            depth = depth.min(DEPTH_OF_DISTRIBUTION);
        }
        self.work = self.work.saturating_add(cells(&scope, &self.families.states));
        let step = self.drafts.len() as u32;
        let out = self.slot(kept, heads, depth, Source::Step(step));
        self.drafts.push(Draft { a, b, scope, folding, out });
        self.seen.insert(key, out);
        out
    }

    fn heads_of(&self, a: Id, b: Option<Id>, fold: &[u32]) -> Vec<u32> {
        let mut heads = self.heads(a).to_vec();
        if let Some(b) = b {
            let others = self.heads(b);
            let meets = |heads: &[u32], id: Id| heads.iter().any(|&h| self.has(id, h));
            let circular = meets(&heads, b) && meets(others, a);
            if heads.is_empty() || others.is_empty() || circular || heads.iter().any(|h| others.contains(h)) {
                return vec![];
            }
            heads.extend_from_slice(others);
        }
        if fold.iter().any(|v| !heads.contains(v)) {
            return vec![];
        }
        heads.retain(|h| !fold.contains(h));
        heads
    }
}
