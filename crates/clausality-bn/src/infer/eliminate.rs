//! Variable elimination: tables that mention a variable are multiplied and the variable is folded out, one after another.
//!
//! `P(t, e) = Σ_{x_n} … Σ_{x_1} Π_v P(x_v | x_parents(v))` with each sum moved in as far as it goes.
//!
//! Implements: Zhang and Poole 1996; Dechter 1999. Barren variables are never looked at, evidence cuts the tables it
//! touches, and parts that it separates from the targets come to numbers of their own, which only the probability of the
//! evidence needs. For most probable states the sums over what is to be told become maxima (Dechter 1999, §4), and the
//! states are read off backwards.

use super::families::{Families, Status};
use super::order::{Elimination, Graph, RULES, TooWide, cells, eliminate};
use super::plan::{Builder, Folding, Id, Over};
use super::program::Program;

/// Plans costing fewer cells than this are made with the first rule only: the search would cost more than it saves.
const CHEAP: u64 = 4096;
/// Cliques may be this many times larger than the cells that memory may hold before planning gives up: what is really
/// built is often much smaller, as tables are multiplied only as far as need be.
const HOPE: u64 = 1 << 24;

/// The graph of the tables that the relevant variables need.
pub(super) fn moral_graph(families: &Families, status: &[Status], relevant: &[bool]) -> Graph {
    let mut graph = Graph::new(families.len());
    let mut scope = Vec::new();
    for v in (0..families.len()).filter(|&v| relevant[v] && status[v] != Status::Set) {
        scope.clear();
        let members = families.scopes[v].iter().map(|&(u, _)| u);
        scope.extend(members.filter(|&u| !status[u as usize].is_fixed()));
        graph.join(&scope);
    }
    families.given.iter().for_each(|scope| graph.join(scope));
    graph.settle();
    graph
}

/// The cheapest elimination that the rules find.
pub(super) fn best_order(
    families: &Families,
    graph: &Graph,
    keep: &[bool],
    limit: u64,
) -> Result<Elimination, Over> {
    let most = (limit / 8).saturating_mul(HOPE);
    let mut best: Result<Elimination, TooWide> = Err(TooWide { clique: vec![] });
    for rule in RULES {
        let found = eliminate(graph, &families.states, keep, rule, most);
        best = match (best, found) {
            (Ok(best), Ok(found)) if found.cells < best.cells => Ok(found),
            (Err(_), found) => found,
            (best, _) => best,
        };
        if best.as_ref().is_ok_and(|best| best.cells < CHEAP) {
            break;
        }
    }
    best.map_err(|TooWide { clique }| {
        let cells = cells(&clique, &families.states);
        Over { scope: clique, cells, bytes: u128::from(cells) * 8 }
    })
}

impl Builder<'_> {
    /// Multiplies tables pair by pair, the cheapest product first, until at most two are left.
    pub(super) fn last_pair(&mut self, mut tables: Vec<Id>) -> (Id, Option<Id>) {
        /// Up to this many tables every pair is looked at.
        const PAIRS: usize = 8;
        while tables.len() > 2 {
            let (mut i, mut j) = (0, 1);
            if tables.len() <= PAIRS {
                let pairs = (0..tables.len()).flat_map(|j| (0..j).map(move |i| (i, j)));
                let cost = |&(i, j): &(usize, usize)| {
                    let (a, b) = (tables[i], tables[j]);
                    (self.union_cells(a, b), a.min(b), a.max(b))
                };
                (i, j) = pairs.min_by_key(cost).unwrap_or((0, 1));
            } else {
                tables.sort_by_key(|&id| (self.cells(id), id));
            }
            let (a, b) = (tables[i], tables[j]);
            tables.swap_remove(j);
            tables.swap_remove(i);
            tables.push(self.step(a, Some(b), &[], Folding::Sum));
        }
        (tables[0], tables.get(1).copied())
    }

    /// Multiplies every table into one that has all its variables, so that a list passed on and on does not grow.
    fn absorb(&mut self, mut tables: Vec<Id>) -> Vec<Id> {
        tables.sort_by_key(|&id| (std::cmp::Reverse(self.scope(id).len()), id));
        let mut kept: Vec<Id> = vec![];
        for id in tables {
            match kept.iter().position(|&wide| self.scope(id).iter().all(|&v| self.has(wide, v))) {
                Some(i) => kept[i] = self.step(kept[i], Some(id), &[], Folding::Sum),
                None => kept.push(id),
            }
        }
        kept
    }

    /// The product of tables with variables folded out of it.
    pub(super) fn product(&mut self, tables: Vec<Id>, fold: &[u32], folding: Folding) -> Id {
        let (a, b) = self.last_pair(tables);
        self.step(a, b, fold, folding)
    }
}

/// Tables by the variables they mention.
struct Pool {
    alive: Vec<bool>,
    users: Vec<Vec<Id>>,
}

impl Pool {
    fn new(variables: usize, builder: &Builder<'_>, tables: &[Id]) -> Self {
        let mut pool = Pool { alive: vec![], users: vec![Vec::new(); variables] };
        tables.iter().for_each(|&id| pool.put(builder, id));
        pool
    }

    fn put(&mut self, builder: &Builder<'_>, id: Id) {
        self.alive.resize(self.alive.len().max(id as usize + 1), false);
        self.alive[id as usize] = true;
        builder.scope(id).iter().for_each(|&v| self.users[v as usize].push(id));
    }

    fn take(&mut self, id: Id) {
        self.alive[id as usize] = false;
    }

    fn users(&mut self, variable: u32) -> &[Id] {
        let alive = &self.alive;
        let users = &mut self.users[variable as usize];
        users.retain(|&id| alive[id as usize]);
        users
    }

    fn left(&self) -> Vec<Id> {
        (0..self.alive.len() as Id).filter(|&id| self.alive[id as usize]).collect()
    }

    /// Sums variables out in this order. Further variables that only the same tables mention go with each.
    fn sum_out(&mut self, builder: &mut Builder<'_>, order: &[u32], keep: &[bool]) {
        self.fold_out(builder, order, keep, Folding::Sum);
    }

    /// The same for sums or maxima.
    fn fold_out(&mut self, builder: &mut Builder<'_>, order: &[u32], keep: &[bool], folding: Folding) {
        for &v in order {
            let tables = self.users(v).to_vec();
            match tables[..] {
                [] => continue,
                [one] if folding == Folding::Sum && builder.heads(one) == [v] => {
                    self.take(one);
                    continue;
                }
                _ => tables.iter().for_each(|&id| self.take(id)),
            }
            let mut fold: Vec<u32> = tables.iter().flat_map(|&id| builder.scope(id)).copied().collect();
            fold.sort_unstable();
            fold.dedup();
            fold.retain(|&w| !keep[w as usize] && self.users(w).is_empty());
            let product = builder.product(tables, &fold, folding);
            self.put(builder, product);
        }
    }
}

fn kept(variables: usize, keep: &[u32]) -> Vec<bool> {
    let mut out = vec![false; variables];
    keep.iter().for_each(|&v| out[v as usize] = true);
    out
}

/// The joint table of the targets (all free, in this order) and the evidence; the scalars multiply to its probability.
pub(super) fn plan_joint(
    families: &Families,
    status: &[Status],
    targets: &[u32],
    limit: u64,
) -> Result<Program, Over> {
    let relevant = families.relevant(status, targets);
    let graph = moral_graph(families, status, &relevant);
    let keep = kept(families.len(), targets);
    let elimination = best_order(families, &graph, &keep, limit)?;
    let layout: Vec<u32> = elimination.order.iter().chain(targets).copied().collect();
    let mut builder = Builder::new(families, status, &layout);
    let inputs = builder.inputs(&relevant);
    let mut pool = Pool::new(families.len(), &builder, &inputs);
    pool.sum_out(&mut builder, &elimination.order, &keep);
    let (tables, mut scalars): (Vec<Id>, Vec<Id>) =
        pool.left().into_iter().partition(|&id| !builder.scope(id).is_empty());
    let mut outputs = vec![];
    if !tables.is_empty() {
        let joint = builder.product(tables, &[], Folding::Sum);
        outputs.push(joint);
        scalars.push(builder.step(joint, None, targets, Folding::Sum));
    }
    builder.finish(outputs, scalars, limit)
}

/// What a step tells the next: everything but the kept variables folded out, left as a list of tables that multiply to the
/// whole. `relevant` are the variables whose tables have a say. The outputs are the tables, the scalars multiply to the rest.
pub(super) fn plan_message(
    families: &Families,
    status: &[Status],
    relevant: &[bool],
    keep: &[u32],
    folding: Folding,
    limit: u64,
) -> Result<(Program, Vec<Vec<u32>>), Over> {
    let graph = moral_graph(families, status, relevant);
    let kept = kept(families.len(), keep);
    let elimination = best_order(families, &graph, &kept, limit)?;
    let layout: Vec<u32> = elimination.order.iter().chain(keep).copied().collect();
    let mut builder = Builder::new(families, status, &layout);
    let inputs = builder.inputs(relevant);
    let mut pool = Pool::new(families.len(), &builder, &inputs);
    pool.fold_out(&mut builder, &elimination.order, &kept, folding);
    let (tables, scalars): (Vec<Id>, Vec<Id>) =
        pool.left().into_iter().partition(|&id| !builder.scope(id).is_empty());
    let tables = builder.absorb(tables);
    let scopes = tables.iter().map(|&id| builder.scope(id).to_vec()).collect();
    Ok((builder.finish(tables, scalars, limit)?, scopes))
}

/// Plans `max_m Σ_rest P(m, rest, e)` over the states of the variables `most` (all free). The outputs are, for every
/// variable in the order in which they are maximised out, the one or two tables that decide it given the later ones; the
/// scalars multiply to the maximum. With the program come those variables, each with the number of its tables.
pub(super) fn plan_maximum(
    families: &Families,
    status: &[Status],
    most: &[u32],
    limit: u64,
) -> Result<(Program, Vec<(u32, usize)>), Over> {
    let relevant = families.relevant(status, most);
    let keep = kept(families.len(), most);
    let summed = best_order(families, &moral_graph(families, status, &relevant), &keep, limit)?;
    // What is left after summing decides the order of the maxima; a first plan without a layout shows it.
    let mut sketch = Builder::new(families, status, &summed.order);
    let inputs = sketch.inputs(&relevant);
    let mut pool = Pool::new(families.len(), &sketch, &inputs);
    pool.sum_out(&mut sketch, &summed.order, &keep);
    let mut graph = Graph::new(families.len());
    most.iter().for_each(|&v| graph.add(v));
    pool.left().iter().for_each(|&id| graph.join(sketch.scope(id)));
    graph.settle();
    let maxima = best_order(families, &graph, &vec![false; families.len()], limit)?;

    let layout: Vec<u32> = summed.order.iter().chain(&maxima.order).copied().collect();
    let mut builder = Builder::new(families, status, &layout);
    let inputs = builder.inputs(&relevant);
    let mut pool = Pool::new(families.len(), &builder, &inputs);
    pool.sum_out(&mut builder, &summed.order, &keep);
    let (mut outputs, mut order) = (vec![], vec![]);
    for v in maxima.order {
        let tables = pool.users(v).to_vec();
        tables.iter().for_each(|&id| pool.take(id));
        if tables.is_empty() {
            continue;
        }
        let (a, b) = builder.last_pair(tables);
        outputs.extend([Some(a), b].into_iter().flatten());
        order.push((v, 1 + usize::from(b.is_some())));
        let best = builder.step(a, b, &[v], Folding::Max);
        pool.put(&builder, best);
    }
    let scalars = pool.left();
    Ok((builder.finish(outputs, scalars, limit)?, order))
}
