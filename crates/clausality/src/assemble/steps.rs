//! Steps from one order to a better one: a node put elsewhere, an arc turned.
//!
//! - *insert*: one node goes to its best place;
//! - *tuck*: one arc is turned. Its child goes before its parent and takes along what the child hangs on, its ancestors between the two, so
//!   that no other arc is lost by that (Lam, Andrews and Ramsey, *Greedy relaxations of the sparsest permutation algorithm*, 2022).
//!
//! A node that stands right only if others move with it is out of reach of the first kind. Among many nodes there is a third:
//!
//! - *overturn*: one arc p → c is turned, and c takes along what it would hang on if neither p nor any child of the two were there, with its ancestors.
//!   The children stay where they are: they say much of their parents, and hide what these hang on.
//!
//! ```text
//! wished = local(c, all − {p} − ch(p) − ch(c));   along = wished ∪ Pa(c) and their ancestors behind p, never past p or one of the children
//! … p … x …  becomes  … along c p … x …           if the score rises
//! ```
//!
//! One weak arc from a child of p into those ancestors is lost by that, and it may have held a whole chain the wrong way round: on diabetes a dozen such
//! arcs are worth 35,000 nats.

use super::local::{EPSILON, NodeSet};
use super::order::{FEW_NODES, Ordering, Questions, Search, gain};
use crate::watch::Cancelled;

/// A step that turns an arc of the graph that has these parents, if that helps, and adds whose scores it changed.
type Turn<'s, 't> = fn(
    &mut Search<'s, 't>,
    &mut Ordering,
    &[Vec<u32>],
    (usize, usize),
    &mut Vec<usize>,
) -> Result<bool, Cancelled>;

impl<'s, 't> Search<'s, 't> {
    /// Moves one node to its best place; tells whether it moved, and whose scores that changed.
    fn insert(
        &mut self,
        at: &mut Ordering,
        node: usize,
        changed: &mut Vec<usize>,
    ) -> Result<bool, Cancelled> {
        // Where all answers are remembered, nothing is counted for long.
        self.families.go_on()?;
        let Ordering { order, scores, .. } = at;
        let from = order.iter().position(|&v| v == node).expect("every node is in the order");
        let mut prefix = NodeSet::new(self.nodes);
        order[..from].iter().for_each(|&v| prefix.add(v));
        // All that is asked for is known before any of it is answered.
        let mut questions = Questions::default();
        let mut before = prefix.clone();
        for &y in order[..from].iter().rev() {
            before.remove(y);
            if self.related[node].has(y as u32) {
                self.ask(&mut questions, node, &before)?;
                before.add(node);
                self.ask(&mut questions, y, &before)?;
                before.remove(node);
            }
        }
        let mut before = prefix;
        for &y in &order[from + 1..] {
            if self.related[node].has(y as u32) {
                self.ask(&mut questions, y, &before)?;
                before.add(y);
                self.ask(&mut questions, node, &before)?;
            } else {
                before.add(y);
            }
        }
        let found = self.answered(questions)?;
        let (mut best, mut best_place) = (EPSILON, from);
        // Others' scores change by what they gain or lose with `node` before them.
        let mut others = 0.0;
        let mut answers = found.as_chunks::<2>().0.iter();
        let is_related = |&(_, y): &(usize, &usize)| self.related[node].has(*y as u32);
        for (place, &y) in order.iter().enumerate().take(from).rev().filter(is_related) {
            let Some([mine, theirs]) = answers.next() else { break };
            others += gain(*theirs, scores[y]);
            let total = others + gain(*mine, scores[node]);
            if total > best {
                (best, best_place) = (total, place);
            }
        }
        let mut others = 0.0;
        for (place, &y) in order.iter().enumerate().skip(from + 1).filter(is_related) {
            let Some([theirs, mine]) = answers.next() else { break };
            others += gain(*theirs, scores[y]);
            let total = others + gain(*mine, scores[node]);
            if total > best {
                (best, best_place) = (total, place);
            }
        }
        if best_place == from {
            return Ok(false);
        }
        order.remove(from);
        order.insert(best_place, node);
        let (low, high) = (from.min(best_place), from.max(best_place));
        let mut before = NodeSet::new(self.nodes);
        order[..low].iter().for_each(|&v| before.add(v));
        let stretch = &order[low..=high];
        for (&v, score) in stretch.iter().zip(self.scores_after(before, stretch)?) {
            if score != scores[v] {
                scores[v] = score;
                changed.push(v);
            }
        }
        Ok(true)
    }

    /// Turns one arc of the graph that has these parents; tells whether that helped, and whose scores it changed.
    fn tuck(
        &mut self,
        at: &mut Ordering,
        parents: &[Vec<u32>],
        (parent, child): (usize, usize),
        changed: &mut Vec<usize>,
    ) -> Result<bool, Cancelled> {
        self.families.go_on()?;
        let place = |node| at.order.iter().position(|&v| v == node).expect("every node is in the order");
        let (from, to) = (place(parent), place(child));
        let mut along = NodeSet::new(self.nodes);
        along.add(child);
        let (mut first, mut second) = (vec![], vec![]);
        for &v in at.order[from..=to].iter().rev() {
            if v != parent && along.has(v as u32) {
                parents[v].iter().for_each(|&p| along.add(p as usize));
                first.push(v);
            } else {
                second.push(v);
            }
        }
        let new: Vec<usize> = first.into_iter().rev().chain(second.into_iter().rev()).collect();
        self.rearrange(at, from, &new, changed)
    }

    /// Turns one arc of the graph that has these parents, and lets its child take along what it would hang on; tells whether that helped, and
    /// whose scores it changed.
    fn overturn(
        &mut self,
        at: &mut Ordering,
        parents: &[Vec<u32>],
        (parent, child): (usize, usize),
        changed: &mut Vec<usize>,
    ) -> Result<bool, Cancelled> {
        self.families.go_on()?;
        let mut place = vec![0; self.nodes];
        at.order.iter().enumerate().for_each(|(i, &v)| place[v] = i);
        let is_parent_of = |p: usize, v: usize| parents[v].contains(&(p as u32));
        let free =
            |v: usize| v != parent && v != child && !is_parent_of(parent, v) && !is_parent_of(child, v);
        let mut others = NodeSet::new(self.nodes);
        (0..self.nodes).filter(|&v| free(v)).for_each(|v| others.add(v));
        let wished = self.best_parents(child, &others)?;
        let from = place[parent];
        let behind = |v: u32| place[v as usize] > from;
        if !wished.iter().any(|&v| behind(v)) {
            return Ok(false);
        }
        let mut along = NodeSet::new(self.nodes);
        let mut open: Vec<u32> = wished.into_iter().chain(parents[child].iter().copied()).collect();
        while let Some(v) = open.pop() {
            if behind(v) && free(v as usize) && !along.has(v) {
                along.add(v as usize);
                open.extend(&parents[v as usize]);
            }
        }
        let to = (from..self.nodes).rfind(|&i| at.order[i] == child || along.has(at.order[i] as u32));
        let stretch = at.order[from..=to.unwrap_or(from)].iter().filter(|&&v| v != child);
        let (mut new, rest): (Vec<usize>, Vec<usize>) = stretch.partition(|&&v| along.has(v as u32));
        new.push(child);
        new.extend(rest);
        self.rearrange(at, from, &new, changed)
    }

    /// Puts the nodes of a stretch in another order if that helps; tells whether it did, and whose scores it changed.
    fn rearrange(
        &mut self,
        at: &mut Ordering,
        from: usize,
        new: &[usize],
        changed: &mut Vec<usize>,
    ) -> Result<bool, Cancelled> {
        let mut before = NodeSet::new(self.nodes);
        at.order[..from].iter().for_each(|&v| before.add(v));
        let scores = self.scores_after(before, new)?;
        let total: f64 = new.iter().zip(&scores).map(|(&v, &score)| gain(score, at.scores[v])).sum();
        if total <= EPSILON {
            return Ok(false);
        }
        for (&v, score) in new.iter().zip(scores) {
            if at.scores[v] != score {
                at.scores[v] = score;
                changed.push(v);
            }
        }
        at.order[from..from + new.len()].copy_from_slice(new);
        Ok(true)
    }

    /// Turns arcs into these nodes where that helps, by a step of either kind; tells whose scores it changed.
    fn turn_all(
        &mut self,
        at: &mut Ordering,
        children: &[usize],
        turn: Turn<'s, 't>,
    ) -> Result<Vec<usize>, Cancelled> {
        let mut changed = vec![];
        let mut parents = self.parents(&at.order)?;
        for &child in children {
            for parent in parents[child].clone() {
                let still = parents[child].contains(&parent);
                let arc = (parent as usize, child);
                // Rules that put one before the other leave nothing to turn.
                if still
                    && self.ranks[arc.0] == self.ranks[child]
                    && turn(self, at, &parents, arc, &mut changed)?
                {
                    parents = self.parents(&at.order)?;
                }
            }
        }
        changed.sort_unstable();
        changed.dedup();
        Ok(changed)
    }

    /// Overturns arcs, among many nodes, and takes the other steps in between until none helps.
    pub(super) fn overturn_all(&mut self, at: &mut Ordering) -> Result<(), Cancelled> {
        let all: Vec<usize> = (0..self.nodes).collect();
        while self.nodes > FEW_NODES {
            let changed = self.turn_all(at, &all, Self::overturn)?;
            if changed.is_empty() {
                break;
            }
            self.climb(at, changed)?;
        }
        Ok(())
    }

    /// Takes steps until none helps of those that begin with nodes that wait for one, or whose parents have changed since.
    pub(super) fn climb(&mut self, at: &mut Ordering, waiting: Vec<usize>) -> Result<(), Cancelled> {
        let mut waiting = Waiting::new(self.nodes, waiting);
        let mut to_turn = waiting.clone();
        let mut changed = vec![];
        loop {
            while !waiting.nodes.is_empty() {
                let mut now = waiting.take();
                self.shuffle(&mut now);
                for node in now {
                    waiting.is_in[node] = false;
                    if self.insert(at, node, &mut changed)? {
                        changed.push(node);
                    }
                    for v in changed.drain(..) {
                        waiting.add(v);
                        to_turn.add(v);
                    }
                }
            }
            let mut now = to_turn.take();
            now.iter().for_each(|&v| to_turn.is_in[v] = false);
            self.shuffle(&mut now);
            for v in self.turn_all(at, &now, Self::tuck)? {
                waiting.add(v);
                to_turn.add(v);
            }
            if waiting.nodes.is_empty() {
                break;
            }
        }
        at.score = at.scores.iter().sum();
        Ok(())
    }
}

/// Nodes that wait for a step, each once.
#[derive(Clone)]
struct Waiting {
    nodes: Vec<usize>,
    is_in: Vec<bool>,
}

impl Waiting {
    fn new(nodes: usize, waiting: Vec<usize>) -> Self {
        let mut is_in = vec![false; nodes];
        waiting.iter().for_each(|&v| is_in[v] = true);
        Waiting { nodes: waiting, is_in }
    }

    fn add(&mut self, node: usize) {
        if !std::mem::replace(&mut self.is_in[node], true) {
            self.nodes.push(node);
        }
    }

    /// All that wait; each is marked as waiting until somebody takes the mark away.
    fn take(&mut self) -> Vec<usize> {
        std::mem::take(&mut self.nodes)
    }
}
