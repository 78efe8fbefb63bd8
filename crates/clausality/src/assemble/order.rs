//! A search over orders: the best parents of every node among its predecessors, for the best order that can be found.
//!
//! What is best for a node is the business of `local`. The search takes steps, each the best of its kind, until none helps (module `steps`).
//! Then it shakes the order (module `shake`), climbs again with the nodes whose parents that changed, and goes on from there unless it is
//! worse by more than a slack that shrinks to nothing; the best order seen is kept. What nodes may have as parents grows with what was
//! found (module `widen`). Where it is it tells now and then, so that it can go on from there (module `checkpoint`).

use super::checkpoint::{Begun, Checkpoint, Checkpoints, Scored, Walk, Way};
use super::families::Families;
use super::local::{EPSILON, Local, NodeSet};
use crate::Error;
use crate::memory::product;
use crate::watch::{Cancelled, Underway};
use clausality_bn::random::Stream;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// The most variables for which random orders are tried too: beyond, what hill climbing begins with is far ahead of them, and arcs are overturned.
pub(super) const FEW_NODES: usize = 100;

/// What the first disturbance of an order may cost, in nats; the last may cost nothing.
const FIRST_SLACK: f64 = 10.0;

/// After so many disturbances in a row that brought nothing, and no fewer than there are nodes, a walk ends.
const LEAST_PATIENCE: usize = 100;

/// Rows to be counted after which no order is disturbed any more: a second's work or two. Where columns determine each other,
/// there is no end of sets worth a look.
const MOST_COUNTED: u64 = 1_000_000_000;
/// And so many more for every node.
const MOST_COUNTED_A_NODE: u64 = 10_000_000;
/// How often a search that is exhausted in the end tells where it is; and where it forgets everything each time.
const CHECKPOINTS: u64 = 64;
const FORGETTING: u64 = 8;
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
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(from = "Written", into = "Written")]
pub(super) struct Ordering {
    pub(super) order: Vec<usize>,
    pub(super) scores: Vec<f64>,
    pub(super) score: f64,
}

impl Ordering {
    fn new(order: Vec<usize>, scores: Vec<f64>) -> Self {
        Ordering { score: scores.iter().sum(), order, scores }
    }
}

/// An order with its scores as they are written.
#[derive(Serialize, Deserialize)]
struct Written(Vec<usize>, Vec<Scored>);

impl From<Written> for Ordering {
    fn from(Written(order, scores): Written) -> Self {
        Ordering::new(order, scores.into_iter().map(f64::from).collect())
    }
}

impl From<Ordering> for Written {
    fn from(Ordering { order, scores, .. }: Ordering) -> Self {
        Written(order, scores.into_iter().map(Scored::from).collect())
    }
}

/// What is asked together: the scores that are known, and the questions that are open.
#[derive(Default)]
pub(super) struct Questions {
    scores: Vec<f64>,
    open: Vec<Question>,
}

/// What the score of a node is among these predecessors, and its place among the scores.
struct Question {
    node: usize,
    predecessors: NodeSet,
    at: usize,
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
    /// How much had been done when the run began, or went on after an interruption, and how much of the run was done by then.
    begun_at: u64,
    earlier: u64,
    /// The work after which it tells where it is, and the work at which it does so next.
    every: u64,
    due: u64,
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
        let mut search = Search::bare(families, setup, stream, stage);
        for (local, list) in search.locals.iter_mut().zip(&setup.lists) {
            local.enumerate(search.families, list)?;
            stage.step();
        }
        search.reflect()?;
        search.held = search.locals.iter().map(Local::held).sum();
        Ok(search)
    }

    /// A search that knows nothing of its nodes but which parents they may have.
    fn bare(families: &'s mut Families<'t>, setup: &Setup, stream: Stream, stage: &'s Underway<'s>) -> Self {
        let nodes = setup.pools.len();
        let checkpoints = if families.hang_on_history() { FORGETTING } else { CHECKPOINTS };
        let local = |node| Local::new(node, &setup.pools[node], &setup.required[node], setup.max_parents);
        let mut search = Search {
            families,
            locals: (0..nodes).map(local).collect(),
            ranks: setup.ranks.clone(),
            related: vec![NodeSet::new(nodes); nodes],
            nodes,
            asked: 0,
            held: 0,
            most_held: remembered_bytes(nodes),
            begun_at: 0,
            earlier: 0,
            every: most_counted(nodes) / checkpoints,
            due: 0,
            stream,
            stage,
        };
        (0..nodes).for_each(|node| search.relate(node, &setup.pools[node]));
        search
    }

    /// The search that an interrupted one left these checkpoints of, what it may do, and how far it is; nothing where it left none.
    pub(super) fn resumed(
        families: &'s mut Families<'t>,
        checkpoints: Vec<Checkpoint>,
        stage: &'s Underway<'s>,
    ) -> Option<(Self, Setup, Way)> {
        let mut checkpoints = checkpoints.into_iter();
        let mut last = checkpoints.next()?;
        let Begun { setup, listed } = last.begun.take()?;
        let mut search = Search::bare(families, &setup, last.stream.clone(), stage);
        for (local, listed) in search.locals.iter_mut().zip(listed) {
            local.listed = listed.into_iter().map(|(score, set)| (score.into(), set)).collect();
        }
        loop {
            search.locals.iter_mut().zip(&last.news).for_each(|(local, news)| local.recall(news));
            match checkpoints.next() {
                Some(next) => last = next,
                None => break,
            }
        }
        search.held = search.locals.iter().map(Local::held).sum();
        search.stream = last.stream;
        (search.begun_at, search.earlier) = (search.done(), last.spent);
        Some((search, setup, last.way))
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

    /// Asks for the score of a node among these predecessors. Where that is not remembered it is found out with all that is asked together, unless it hangs
    /// on what was looked at before.
    pub(super) fn ask(
        &mut self,
        questions: &mut Questions,
        node: usize,
        predecessors: &NodeSet,
    ) -> Result<(), Cancelled> {
        self.asked += 1;
        let known = match self.families.hang_on_history() {
            true => Some(self.answer(node, predecessors)?),
            false => {
                self.make_room();
                self.locals[node].known(predecessors)
            }
        };
        let score = known.map(|answer| self.locals[node].answers[answer].score);
        if score.is_none() {
            questions.open.push(Question {
                node,
                predecessors: predecessors.clone(),
                at: questions.scores.len(),
            });
        }
        questions.scores.push(score.unwrap_or(f64::NAN));
        Ok(())
    }

    /// The scores that were asked for, in that order. Each node's questions are found out one after the other, those of different nodes side by side.
    pub(super) fn answered(
        &mut self,
        Questions { mut scores, mut open }: Questions,
    ) -> Result<Vec<f64>, Cancelled> {
        if open.is_empty() {
            return Ok(scores);
        }
        open.sort_by_key(|question| question.node);
        let Search { families, locals, held, .. } = self;
        let mut found = vec![f64::NAN; open.len()];
        let (mut work, mut empty, mut nodes) = (vec![], &mut found[..], locals.iter_mut().enumerate());
        for own in open.chunk_by(|a, b| a.node == b.node) {
            let local = nodes.find(|(node, _)| *node == own[0].node).expect("a question is about a node").1;
            let (answers, others) = std::mem::take(&mut empty).split_at_mut(own.len());
            empty = others;
            *held -= local.held();
            work.push((local, own, answers));
        }
        // What takes longest comes first; equals in the order of names.
        work.sort_by_key(|(_, own, _)| std::cmp::Reverse(own.len()));
        families.spread(work, |families, (local, own, answers)| {
            for (question, score) in own.iter().zip(answers) {
                let answer = local.best(families, &question.predecessors)?;
                *score = local.answers[answer].score;
            }
            Ok(())
        })?;
        let mut last = None;
        for (question, score) in open.iter().zip(found) {
            scores[question.at] = score;
            if last.replace(question.node) != Some(question.node) {
                *held += locals[question.node].held();
            }
        }
        Ok(scores)
    }

    /// The best parents of a node among these predecessors.
    pub(super) fn best_parents(
        &mut self,
        node: usize,
        predecessors: &NodeSet,
    ) -> Result<Vec<u32>, Cancelled> {
        self.asked += 1;
        let answer = self.answer(node, predecessors)?;
        Ok(self.locals[node].parents(answer).to_vec())
    }

    /// Where too much is remembered, all of it is forgotten: what a node needs again it finds again. Whether so much is hangs on what was expanded alone, not on
    /// the answers that are at hand, so that a search that went on after an interruption forgets when any other does.
    fn make_room(&mut self) {
        if self.held > self.most_held {
            self.forget();
        }
    }

    /// Which answer of a node holds under these predecessors.
    fn answer(&mut self, node: usize, predecessors: &NodeSet) -> Result<usize, Cancelled> {
        self.make_room();
        let local = &mut self.locals[node];
        let before = local.held();
        let answer = local.best(self.families, predecessors)?;
        self.held += local.held() - before;
        Ok(answer)
    }

    fn forget(&mut self) {
        self.locals.iter_mut().for_each(Local::forget);
        self.held = 0;
    }

    /// An order with the scores of all nodes under it. What the rules let come first does: no graph is lost by that, and a search that
    /// had to find it out move by move would end far too low.
    pub(super) fn ordering(&mut self, mut order: Vec<usize>) -> Result<Ordering, Cancelled> {
        order.sort_by_key(|&v| self.ranks[v]);
        self.scored(order)
    }

    /// An order as it is, with the scores of all nodes under it.
    fn scored(&mut self, order: Vec<usize>) -> Result<Ordering, Cancelled> {
        let found = self.scores_after(NodeSet::new(self.nodes), &order)?;
        let mut scores = vec![0.0; self.nodes];
        order.iter().zip(found).for_each(|(&v, score)| scores[v] = score);
        Ok(Ordering::new(order, scores))
    }

    /// The scores of nodes that come after some, and one after the other.
    pub(super) fn scores_after(
        &mut self,
        mut before: NodeSet,
        stretch: &[usize],
    ) -> Result<Vec<f64>, Cancelled> {
        let mut questions = Questions::default();
        for &v in stretch {
            self.ask(&mut questions, v, &before)?;
            before.add(v);
        }
        self.answered(questions)
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
    pub(super) fn run(
        &mut self,
        setup: &Setup,
        given: Option<Vec<usize>>,
        checkpoints: &mut Checkpoints<'_>,
    ) -> Result<Found, Error> {
        self.begun_at = self.done();
        let random: Vec<Vec<usize>> = (0..setup.starts).map(|_| self.random_order()).collect();
        let mut way = Way { starts: given.into_iter().chain(random).rev().collect(), ..Way::default() };
        if self.families.hang_on_history() {
            // All that is known would have to be found again: who is interrupted before the first checkpoint begins anew.
            self.due = self.every;
        } else {
            self.check(setup, &mut way, checkpoints)?;
        }
        self.walk_all(setup, way, checkpoints)
    }

    /// The same for a search that was on its way when it was interrupted.
    pub(super) fn run_on(
        &mut self,
        setup: &Setup,
        mut way: Way,
        checkpoints: &mut Checkpoints<'_>,
    ) -> Result<Found, Error> {
        let (all, left) = (setup.starts + 1, way.starts.len() + usize::from(way.walk.is_some()));
        let done = way.walk.as_ref().map_or(0, |walk| walk.done);
        self.stage.resumed(all.saturating_sub(left) * setup.shakes + done, all * setup.shakes);
        self.go_on_from(&mut way)?;
        self.walk_all(setup, way, checkpoints)
    }

    /// Walks from all starts that are left; the best order.
    fn walk_all(
        &mut self,
        setup: &Setup,
        mut way: Way,
        checkpoints: &mut Checkpoints<'_>,
    ) -> Result<Found, Error> {
        loop {
            if way.walk.is_none() {
                if way.best.is_some() && self.exhausted() {
                    break;
                }
                let Some(start) = way.starts.pop() else { break };
                way.walk = Some(self.walk_from(start)?);
            }
            let end = self.walk(setup, &mut way, checkpoints)?;
            if way.best.as_ref().is_none_or(|best| end.score > best.score + EPSILON) {
                way.best = Some(end);
            }
        }
        let order = way.best.map(|best| best.order).unwrap_or_default();
        Ok(Found { parents: self.parents(&order)?, order })
    }

    /// Tells where the search is.
    fn check(
        &mut self,
        setup: &Setup,
        way: &mut Way,
        checkpoints: &mut Checkpoints<'_>,
    ) -> Result<(), Error> {
        if self.families.hang_on_history() {
            self.forget();
        }
        let news = self.locals.iter_mut().map(Local::tell).collect();
        if checkpoints.are_kept() {
            let begun = checkpoints.is_first().then(|| self.begun(setup));
            let (stream, spent, way) = (self.stream.clone(), self.spent(), way.clone());
            checkpoints.keep(&Checkpoint { begun, news, stream, spent, way })?;
        }
        self.go_on_from(way)
    }

    /// What it may do, and the listed sets.
    fn begun(&self, setup: &Setup) -> Begun {
        let written = |(score, set): &(f64, Vec<u32>)| (Scored::from(*score), set.clone());
        let listed = |local: &Local| local.listed.iter().map(written).collect();
        Begun { setup: setup.clone(), listed: self.locals.iter().map(listed).collect() }
    }

    /// Goes on from a checkpoint, as everybody does, interrupted or not.
    fn go_on_from(&mut self, way: &mut Way) -> Result<(), Error> {
        if self.families.hang_on_history() {
            self.families.forget();
            let walk = way.walk.iter_mut().flat_map(|walk| [&mut walk.here, &mut walk.best]);
            for at in walk.chain(&mut way.best) {
                *at = self.scored(std::mem::take(&mut at.order))?;
            }
        }
        self.due = self.spent() + self.every;
        Ok(())
    }

    /// How much work was done so far, in rows counted.
    fn done(&self) -> u64 {
        self.families.counted() + COUNTED_A_QUESTION * self.asked
    }

    /// How much of it since the run began.
    fn spent(&self) -> u64 {
        self.earlier + self.done() - self.begun_at
    }

    /// Whether that is so much that what was found must do.
    fn exhausted(&self) -> bool {
        self.spent() > most_counted(self.nodes)
    }

    /// Climbs from an order: where a walk begins.
    fn walk_from(&mut self, order: Vec<usize>) -> Result<Walk, Cancelled> {
        let mut here = self.ordering(order)?;
        self.climb(&mut here, (0..self.nodes).collect())?;
        self.overturn_all(&mut here)?;
        Ok(Walk { best: here.clone(), here, done: 0, fruitless: 0 })
    }

    /// Climbs again after every disturbance, each a step of the stage, to the end of the walk that is under way; the best order on it.
    fn walk(
        &mut self,
        setup: &Setup,
        way: &mut Way,
        checkpoints: &mut Checkpoints<'_>,
    ) -> Result<Ordering, Error> {
        let all: Vec<usize> = (0..self.nodes).collect();
        let shakes = if self.nodes > 1 { setup.shakes } else { 0 };
        let patience = LEAST_PATIENCE.max(self.nodes);
        loop {
            if self.spent() >= self.due {
                self.check(setup, way, checkpoints)?;
            }
            let Some(Walk { here, best, done, fruitless }) = &mut way.walk else { break };
            if *done >= shakes || self.exhausted() || *fruitless >= patience {
                break;
            }
            *done += 1;
            *fruitless += 1;
            let shaken = self.shake(&here.order)?;
            let mut there = self.ordering(shaken)?;
            let touched = all.iter().copied().filter(|&v| there.scores[v] != here.scores[v]).collect();
            self.climb(&mut there, touched)?;
            let slack = FIRST_SLACK * (1.0 - *done as f64 / shakes as f64);
            if there.score >= here.score - slack - EPSILON {
                *here = there;
            }
            if here.score > best.score + EPSILON {
                self.overturn_all(here)?;
                *best = here.clone();
                *fruitless = 0;
            }
            self.stage.step();
        }
        let mut best = way.walk.take().map(|walk| walk.best).expect("a walk is under way");
        self.climb(&mut best, all)?;
        Ok(best)
    }
}

/// The work after which what a search among so many nodes has found must do.
fn most_counted(nodes: usize) -> u64 {
    MOST_COUNTED + MOST_COUNTED_A_NODE * nodes as u64
}

/// The change of a score; two impossible ones do not differ.
pub(super) fn gain(new: f64, old: f64) -> f64 {
    if new == old { 0.0 } else { new - old }
}

#[cfg(test)]
mod tests;
