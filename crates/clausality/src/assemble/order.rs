//! A search over orders: the best parents of every node among its predecessors, for the best order that can be found.
//!
//! What is best for a node is the business of `local`. The search takes steps, each the best of its kind, until none helps (module `steps`).
//! Then it shakes the order (module `shake`), climbs again with the nodes whose parents that changed, and goes on from there unless it is
//! worse by more than a slack that shrinks to nothing; the best order seen is kept. What nodes may have as parents grows with what was
//! found (module `widen`).

use super::families::Families;
use super::local::{EPSILON, Local, NodeSet};
use crate::memory::product;
use crate::watch::{Cancelled, Underway};
use clausality_bn::random::Stream;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// What the first disturbance of an order may cost, in nats; the last may cost nothing.
const FIRST_SLACK: f64 = 10.0;

/// After so many disturbances in a row that brought nothing, and no fewer than there are nodes, a walk ends.
const LEAST_PATIENCE: usize = 100;

/// Rows to be counted after which no order is disturbed any more: a second's work or two. Where columns determine each other,
/// there is no end of sets worth a look.
const MOST_COUNTED: u64 = 1_000_000_000;
/// And so many more for every node.
const MOST_COUNTED_A_NODE: u64 = 10_000_000;
/// Asking for the best parents under an order takes as long as counting so many rows, however often it was asked before.
const COUNTED_A_QUESTION: u64 = 100;

/// What a search may remember of the families of all nodes, in bytes: some for every node, and more where they are few. Where
/// thousands of columns are noise, sets that are worth a look have no end.
pub(crate) fn remembered_bytes(nodes: usize) -> u64 {
    product(&[nodes, 64 << 10]) + product(&[nodes.min(64), 256 << 10])
}

/// Sets of a node, from its list, that are tried from the side of their members too.
const MOST_REFLECTED: usize = 20;

/// What a search may do.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Setup {
    /// For each node the parents it may have, ascending.
    pub(super) pools: Vec<Vec<u32>>,
    /// For each node the parents it must have, ascending.
    pub(super) required: Vec<Vec<u32>>,
    /// For each node the machine's list.
    pub(super) lists: Vec<Vec<u32>>,
    /// For each node its rank under the rules: orders have ranks rising.
    pub(super) ranks: Vec<u32>,
    pub(super) max_parents: usize,
    pub(super) starts: usize,
    pub(super) shakes: usize,
}

/// The parents of every node, and an order that has them first.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Found {
    pub(super) parents: Vec<Vec<u32>>,
    pub(super) order: Vec<usize>,
}

/// An order, what every node scores under it, and the sum.
#[derive(Debug, Clone)]
pub(super) struct Ordering {
    pub(super) order: Vec<usize>,
    pub(super) scores: Vec<f64>,
    pub(super) score: f64,
}

pub(super) struct Search<'s, 't> {
    pub(super) families: &'s mut Families<'t>,
    pub(super) locals: Vec<Local>,
    pub(super) ranks: Vec<u32>,
    /// For each node those that may be its parents or its children: no other takes notice of where it stands.
    pub(super) related: Vec<NodeSet>,
    pub(super) nodes: usize,
    /// How often the best parents of a node were asked for.
    asked: u64,
    /// What the nodes remember, in bytes, about.
    pub(super) held: u64,
    /// What they may.
    most_held: u64,
    /// How much had been done when the run began.
    begun: u64,
    pub(super) stream: Stream,
    stage: &'s Underway<'s>,
}

impl<'s, 't> Search<'s, 't> {
    /// Makes every node ready: a step of the stage for each.
    pub(super) fn new(
        families: &'s mut Families<'t>,
        setup: &Setup,
        stream: Stream,
        stage: &'s Underway<'s>,
    ) -> Result<Self, Cancelled> {
        let nodes = setup.pools.len();
        let mut locals = Vec::with_capacity(nodes);
        for node in 0..nodes {
            let mut local = Local::new(node, &setup.pools[node], &setup.required[node], setup.max_parents);
            local.enumerate(families, &setup.lists[node])?;
            locals.push(local);
            stage.step();
        }
        let ranks = setup.ranks.clone();
        let related = vec![NodeSet::new(nodes); nodes];
        let most_held = remembered_bytes(nodes);
        let mut search = Search {
            families,
            locals,
            ranks,
            related,
            nodes,
            asked: 0,
            held: 0,
            most_held,
            begun: 0,
            stream,
            stage,
        };
        (0..nodes).for_each(|node| search.relate(node, &setup.pools[node]));
        search.reflect()?;
        search.held = search.locals.iter().map(Local::held).sum();
        Ok(search)
    }

    /// Tries what one node's list brought for the others of that family too: of an exclusive or each is one of the other two, but
    /// a machine may see that from one side only.
    fn reflect(&mut self) -> Result<(), Cancelled> {
        let mut mirrored: Vec<BTreeSet<Vec<u32>>> = vec![BTreeSet::new(); self.nodes];
        for local in &self.locals {
            for (_, set) in local.listed.iter().take(MOST_REFLECTED) {
                for &other in set {
                    let mut seen = set.clone();
                    seen.retain(|&v| v != other);
                    seen.push(local.node as u32);
                    seen.sort_unstable();
                    mirrored[other as usize].insert(seen);
                }
            }
        }
        for (local, sets) in self.locals.iter_mut().zip(mirrored) {
            for set in sets {
                let fits = set.len() <= local.most
                    && set.iter().all(|v| local.pool.contains(v))
                    && local.required.iter().all(|v| set.contains(v));
                if fits && !local.listed.iter().any(|(_, known)| *known == set) {
                    let score = local.score(self.families, &set)?;
                    local.listed.push((score, set));
                }
            }
            local.sort_listed();
        }
        Ok(())
    }

    /// Takes note of who may be a node's parent.
    pub(super) fn relate(&mut self, node: usize, pool: &[u32]) {
        for &p in pool {
            self.related[node].add(p as usize);
            self.related[p as usize].add(node);
        }
    }

    pub(super) fn local(&mut self, node: usize, predecessors: &NodeSet) -> Result<f64, Cancelled> {
        self.asked += 1;
        let answer = self.answer(node, predecessors)?;
        Ok(self.locals[node].answers[answer].score)
    }

    /// Which answer of a node holds under these predecessors. Where too much is remembered, all of it is forgotten first: what a node needs
    /// again it finds again.
    fn answer(&mut self, node: usize, predecessors: &NodeSet) -> Result<usize, Cancelled> {
        if self.held > self.most_held {
            self.locals.iter_mut().for_each(Local::forget);
            self.held = 0;
        }
        let local = &mut self.locals[node];
        let before = local.held();
        let answer = local.best(self.families, predecessors)?;
        self.held += local.held() - before;
        Ok(answer)
    }

    /// An order with the scores of all nodes under it. What the rules let come first does: no graph is lost by that, and a search that
    /// had to find it out move by move would end far too low.
    pub(super) fn ordering(&mut self, mut order: Vec<usize>) -> Result<Ordering, Cancelled> {
        order.sort_by_key(|&v| self.ranks[v]);
        let mut scores = vec![0.0; self.nodes];
        let mut before = NodeSet::new(self.nodes);
        for &v in &order {
            scores[v] = self.local(v, &before)?;
            before.add(v);
        }
        Ok(Ordering { score: scores.iter().sum(), order, scores })
    }

    /// The best parents of every node under an order.
    pub(super) fn parents(&mut self, order: &[usize]) -> Result<Vec<Vec<u32>>, Cancelled> {
        let mut parents = vec![vec![]; self.nodes];
        let mut before = NodeSet::new(self.nodes);
        for &v in order {
            let answer = self.answer(v, &before)?;
            parents[v] = self.locals[v].parents(answer).to_vec();
            before.add(v);
        }
        Ok(parents)
    }

    /// The best order from several starts, and from the given one if there is one.
    pub(super) fn run(&mut self, setup: &Setup, given: Option<Vec<usize>>) -> Result<Found, Cancelled> {
        self.begun = self.done();
        let random: Vec<Vec<usize>> = (0..setup.starts).map(|_| self.random_order()).collect();
        let mut best: Option<Ordering> = None;
        for start in given.into_iter().chain(random) {
            if best.is_some() && self.exhausted() {
                break;
            }
            let end = self.walk(start, setup.shakes)?;
            if best.as_ref().is_none_or(|best| end.score > best.score + EPSILON) {
                best = Some(end);
            }
        }
        let order = best.map(|best| best.order).unwrap_or_default();
        Ok(Found { parents: self.parents(&order)?, order })
    }

    /// How much work was done so far, in rows counted.
    fn done(&self) -> u64 {
        self.families.counted() + COUNTED_A_QUESTION * self.asked
    }

    /// Whether so much was done since the run began that what was found must do.
    fn exhausted(&self) -> bool {
        self.done() - self.begun > MOST_COUNTED + MOST_COUNTED_A_NODE * self.nodes as u64
    }

    /// Climbs from an order, and again after every disturbance, each a step of the stage; the best order on the way.
    fn walk(&mut self, order: Vec<usize>, shakes: usize) -> Result<Ordering, Cancelled> {
        let all: Vec<usize> = (0..self.nodes).collect();
        let mut here = self.ordering(order)?;
        self.climb(&mut here, all.clone())?;
        let mut best = here.clone();
        let patience = LEAST_PATIENCE.max(self.nodes);
        let mut fruitless = 0;
        for done in 1..=if self.nodes > 1 { shakes } else { 0 } {
            if self.exhausted() || fruitless >= patience {
                break;
            }
            fruitless += 1;
            let shaken = self.shake(&here.order)?;
            let mut there = self.ordering(shaken)?;
            let touched = all.iter().copied().filter(|&v| there.scores[v] != here.scores[v]).collect();
            self.climb(&mut there, touched)?;
            let slack = FIRST_SLACK * (1.0 - done as f64 / shakes as f64);
            if there.score >= here.score - slack - EPSILON {
                here = there;
            }
            if here.score > best.score + EPSILON {
                best = here.clone();
                fruitless = 0;
            }
            self.stage.step();
        }
        self.climb(&mut best, all)?;
        Ok(best)
    }
}

/// The change of a score; two impossible ones do not differ.
pub(super) fn gain(new: f64, old: f64) -> f64 {
    if new == old { 0.0 } else { new - old }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::assemble::ground::Ground;
    use crate::watch::{Stage, Unwatched};
    use crate::{bn, embedded};
    use clausality_bn::Score;

    /// A search on the whole of a table, every column a possible parent of each.
    fn setup(nodes: usize) -> Setup {
        let others = |v: usize| (0..nodes as u32).filter(|&c| c as usize != v).collect::<Vec<u32>>();
        Setup {
            pools: (0..nodes).map(others).collect(),
            required: (0..nodes).map(|v| if v == 3 { vec![7] } else { vec![] }).collect(),
            lists: (0..nodes).map(|v| others(v).into_iter().take(8).collect()).collect(),
            ranks: vec![0; nodes],
            max_parents: 4,
            starts: 1,
            shakes: 0,
        }
    }

    #[test]
    fn what_is_forgotten_is_found_again() {
        let table = bn::sample(&embedded::network("child").unwrap(), 300, 1);
        let ground = Ground::new(&table);
        let setup = Setup { shakes: 3, ..setup(ground.len()) };
        let stage = Underway::begin(&Unwatched, Stage::Assemble, 0);
        let found = |most_held: u64| {
            let mut families = ground.families(Score::Bdeu { ess: 1.0 }, 1.0, &Unwatched);
            let mut search = Search::new(&mut families, &setup, Stream::new(1, "test"), &stage).unwrap();
            search.most_held = most_held;
            let found = search.run(&setup, None).unwrap();
            // One answer more than it may, at most.
            assert!(search.held < most_held.saturating_add(100 << 10), "{}", search.held);
            assert_eq!(search.held, search.locals.iter().map(Local::held).sum::<u64>());
            (found, families.counted())
        };
        let (all, little) = (found(u64::MAX), found(20 << 10));
        assert_eq!(all.0, little.0);
        assert!(little.1 > all.1, "nothing was forgotten: {} {}", little.1, all.1);
    }

    #[test]
    fn what_is_remembered_is_what_would_be_found() {
        let table = bn::sample(&embedded::network("child").unwrap(), 500, 1);
        let ground = Ground::new(&table);
        let nodes = ground.len();
        let setup = setup(nodes);
        let mut families = ground.families(Score::Bdeu { ess: 1.0 }, 1.0, &Unwatched);
        let stage = Underway::begin(&Unwatched, Stage::Assemble, 0);
        let mut search = Search::new(&mut families, &setup, Stream::new(1, "test"), &stage).unwrap();
        // Sets worth more than anything that grows: listed ones are chosen, lost and found again.
        for local in &mut search.locals {
            let pair = |i: usize| vec![local.pool[i], local.pool[i + 1]];
            local.listed.extend((0..3).map(|i| (100.0 - i as f64, pair(2 * i))));
            local.sort_listed();
        }
        let mut stream = Stream::new(2, "test");
        let mut before = NodeSet::new(nodes);
        let mut remembered = 0;
        for _ in 0..3000 {
            let changed = stream.below(nodes as u64) as usize;
            if before.has(changed as u32) {
                before.remove(changed)
            } else {
                before.add(changed)
            }
            let node = stream.below(nodes as u64) as usize;
            let mut predecessors = before.clone();
            predecessors.remove(node);
            let local = &mut search.locals[node];
            remembered += usize::from(local.known(&predecessors).is_some());
            let at = local.best(search.families, &predecessors).unwrap();
            let (score, parents) = (local.answers[at].score, local.parents(at).to_vec());
            local.answers.clear();
            local.oldest = 0;
            let at = local.best(search.families, &predecessors).unwrap();
            assert_eq!((score, &parents[..]), (local.answers[at].score, local.parents(at)));
        }
        assert!(remembered > 300, "{remembered}");
    }
}
