//! A search over orders: the best parents of every node among its predecessors, for the best order that can be found.
//!
//! For a node v and its predecessors P, `local(v, P)` is the best of
//!
//! - *tight*: add the parent that raises the score most while one does, then delete while that raises it;
//! - *loose*: grow under BIC with half its penalty, then delete under the score (finds parents that act together);
//! - *listed*: sets of two or three features from the machine's list of which two say nothing alone (finds exclusive ors and
//!   parity, where no single parent helps).
//!
//! What a set's best extensions are does not depend on P, so each set is expanded once, its extensions are sorted, and
//! growing under any P is a walk along the first extension that lies in P (grow–shrink trees, as in Andrews et al., "Fast
//! scalable and accurate discovery of DAGs using the best order score search and grow-shrink trees", 2023). The
//! search moves one node at a time to its best place until no move helps. Then it shakes the order, climbs again with the
//! nodes whose parents that changed, and goes on from there unless it is worse by more than a slack that shrinks
//! to nothing; the best order seen is kept.

use super::families::Families;
use crate::watch::Watch;
use clausality_bn::random::Stream;
use std::collections::{BTreeSet, HashMap};

/// Differences below this are rounding.
const EPSILON: f64 = 1e-7;
/// What the first disturbance of an order may cost, in nats; the last may cost nothing.
const FIRST_SLACK: f64 = 10.0;

/// Rows to be counted after which no order is disturbed any more: a second's work or two. Where columns determine each other,
/// there is no end of sets worth a look.
const MOST_COUNTED: u64 = 1_000_000_000;
/// And so many more for every node.
const MOST_COUNTED_A_NODE: u64 = 10_000_000;
/// Asking for the best parents under an order takes as long as counting so many rows, however often it was asked before.
const COUNTED_A_QUESTION: u64 = 100;

/// Answers that are remembered for every node.
const REMEMBERED: usize = 4;

/// Sets of a node, from its list, that are tried from the side of their members too.
const MOST_REFLECTED: usize = 20;

/// A set of nodes.
#[derive(Debug, Clone, PartialEq, Eq)]
struct NodeSet(Vec<u64>);

impl NodeSet {
    fn new(nodes: usize) -> Self {
        NodeSet(vec![0; nodes.div_ceil(64)])
    }
    #[inline(always)]
    fn has(&self, v: u32) -> bool {
        self.0[v as usize / 64] >> (v % 64) & 1 == 1
    }
    fn add(&mut self, v: usize) {
        self.0[v / 64] |= 1 << (v % 64);
    }
    fn remove(&mut self, v: usize) {
        self.0[v / 64] &= !(1 << (v % 64));
    }
    /// Whether both have the same of the nodes `among`.
    fn agree(&self, other: &NodeSet, among: &NodeSet) -> bool {
        self.0.iter().zip(&other.0).zip(&among.0).all(|((a, b), among)| (a ^ b) & among == 0)
    }
}

/// Which way a parent set grows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Growth {
    Tight,
    Loose,
}

const UNKNOWN: u32 = u32::MAX;

/// A parent set with its extensions, best first; only those that help.
#[derive(Debug)]
struct Expansion {
    set: Vec<u32>,
    score: f64,
    tight: Vec<(u32, u32)>,
    loose: Vec<(u32, u32)>,
    /// What remains after deleting: score and parents.
    settled: Option<(f64, Vec<u32>)>,
}

/// Where the best parents of a node stand: what remains of an expansion, or a set of the list.
#[derive(Debug, Clone, Copy)]
enum Parents {
    Impossible,
    Settled(u32),
    Listed(usize),
}

/// The best parents of a node among some predecessors. It is the same for all predecessors that agree on what it hangs on: the
/// candidates that were looked at on the way.
#[derive(Debug)]
struct Answer {
    predecessors: NodeSet,
    hangs_on: NodeSet,
    score: f64,
    parents: Parents,
}

/// Everything known about the parents of one node.
#[derive(Debug)]
struct Local {
    node: usize,
    pool: Vec<u32>,
    required: Vec<u32>,
    most: usize,
    /// The first is that of the required parents, once there is any.
    expansions: Vec<Expansion>,
    by_set: HashMap<Vec<u32>, u32>,
    scores: HashMap<Vec<u32>, f64>,
    /// Sets from the machine's list, best first.
    listed: Vec<(f64, Vec<u32>)>,
    /// The last answers, and which of them is the oldest.
    answers: Vec<Answer>,
    oldest: usize,
}

impl Local {
    fn score(&mut self, families: &mut Families, set: &[u32]) -> f64 {
        if let Some(&at) = self.by_set.get(set) {
            return self.expansions[at as usize].score;
        }
        if let Some(&score) = self.scores.get(set) {
            return score;
        }
        let score = families.expand(self.node, set, &[]).0.score;
        self.scores.insert(set.to_vec(), score);
        score
    }

    /// Best first; equals in the order of names.
    fn sort_listed(&mut self) {
        self.listed.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
    }

    fn expansion(&mut self, families: &mut Families, set: Vec<u32>) -> u32 {
        if let Some(&at) = self.by_set.get(&set) {
            return at;
        }
        let full = set.len() >= self.most;
        let candidates: Vec<u32> = self.pool.iter().copied().filter(|c| !full && !set.contains(c)).collect();
        let (own, figures) = families.expand(self.node, &set, &candidates);
        let mut tight: Vec<(f64, u32)> = vec![];
        let mut loose: Vec<(f64, u32)> = vec![];
        for (&c, figure) in candidates.iter().zip(&figures) {
            if figure.score > own.score + EPSILON {
                tight.push((figure.score, c));
            }
            if figure.loose > own.loose + EPSILON {
                loose.push((figure.loose, c));
            }
        }
        // Candidates come in the order of names, and the sort is stable: ties go to the first name.
        tight.sort_by(|a, b| b.0.total_cmp(&a.0));
        loose.sort_by(|a, b| b.0.total_cmp(&a.0));
        let links = |list: Vec<(f64, u32)>| list.into_iter().map(|(_, c)| (c, UNKNOWN)).collect();
        let at = self.expansions.len() as u32;
        self.by_set.insert(set.clone(), at);
        self.expansions.push(Expansion {
            set,
            score: own.score,
            tight: links(tight),
            loose: links(loose),
            settled: None,
        });
        at
    }

    /// Grows within the predecessors; returns where that ends, and adds to what that hangs on.
    fn grow(
        &mut self,
        families: &mut Families,
        predecessors: &NodeSet,
        growth: Growth,
        hangs_on: &mut NodeSet,
    ) -> u32 {
        if self.expansions.is_empty() {
            self.expansion(families, self.required.clone());
        }
        let mut at = 0;
        loop {
            let expansion = &self.expansions[at as usize];
            if expansion.set.len() >= self.most {
                return at;
            }
            let links = if growth == Growth::Tight { &expansion.tight } else { &expansion.loose };
            let taken = links.iter().position(|&(c, _)| {
                hangs_on.add(c as usize);
                predecessors.has(c)
            });
            let Some(i) = taken else { return at };
            let (candidate, mut next) = links[i];
            if next == UNKNOWN {
                let mut set = expansion.set.clone();
                let place = set.partition_point(|&p| p < candidate);
                set.insert(place, candidate);
                next = self.expansion(families, set);
                let expansion = &mut self.expansions[at as usize];
                let links = if growth == Growth::Tight { &mut expansion.tight } else { &mut expansion.loose };
                links[i].1 = next;
            }
            at = next;
        }
    }

    /// Deletes parents while that raises the score; returns the score at the end.
    fn settle(&mut self, families: &mut Families, at: u32) -> f64 {
        if let Some((score, _)) = self.expansions[at as usize].settled {
            return score;
        }
        let mut set = self.expansions[at as usize].set.clone();
        let mut score = self.expansions[at as usize].score;
        loop {
            let mut best: Option<(f64, Vec<u32>)> = None;
            for i in 0..set.len() {
                if self.required.contains(&set[i]) {
                    continue;
                }
                let mut fewer = set.clone();
                fewer.remove(i);
                let s = self.score(families, &fewer);
                if s > score + EPSILON && best.as_ref().is_none_or(|(b, _)| s > *b + EPSILON) {
                    best = Some((s, fewer));
                }
            }
            match best {
                Some((s, fewer)) => (score, set) = (s, fewer),
                None => break,
            }
        }
        self.expansions[at as usize].settled = Some((score, set));
        score
    }

    /// The best parents among the predecessors: which of the answers that is.
    fn best(&mut self, families: &mut Families, predecessors: &NodeSet) -> usize {
        if let Some(known) = self.known(predecessors) {
            return known;
        }
        let answer = self.answer(families, predecessors);
        if self.answers.len() < REMEMBERED {
            self.answers.push(answer);
            return self.answers.len() - 1;
        }
        let at = self.oldest;
        self.answers[at] = answer;
        self.oldest = (at + 1) % REMEMBERED;
        at
    }

    /// The remembered answer that holds for these predecessors.
    fn known(&self, predecessors: &NodeSet) -> Option<usize> {
        self.answers.iter().position(|a| a.predecessors.agree(predecessors, &a.hangs_on))
    }

    fn answer(&mut self, families: &mut Families, predecessors: &NodeSet) -> Answer {
        let mut hangs_on = NodeSet(vec![0; predecessors.0.len()]);
        self.required.iter().for_each(|&p| hangs_on.add(p as usize));
        let (score, parents) = if self.required.iter().all(|&p| predecessors.has(p)) {
            self.choose(families, predecessors, &mut hangs_on)
        } else {
            (f64::NEG_INFINITY, Parents::Impossible)
        };
        Answer { predecessors: predecessors.clone(), hangs_on, score, parents }
    }

    /// The best of what grows and of what is listed.
    fn choose(
        &mut self,
        families: &mut Families,
        predecessors: &NodeSet,
        hangs_on: &mut NodeSet,
    ) -> (f64, Parents) {
        let mut best = (f64::NEG_INFINITY, Parents::Impossible);
        for growth in [Growth::Tight, Growth::Loose] {
            let at = self.grow(families, predecessors, growth, hangs_on);
            let score = self.settle(families, at);
            if score > best.0 + EPSILON {
                best = (score, Parents::Settled(at));
            }
        }
        for (place, (score, set)) in self.listed.iter().enumerate() {
            if *score <= best.0 + EPSILON {
                break;
            }
            match set.iter().find(|&&p| !predecessors.has(p)) {
                // Without this one the set cannot be taken, whatever else comes.
                Some(&missing) => hangs_on.add(missing as usize),
                None => {
                    set.iter().for_each(|&p| hangs_on.add(p as usize));
                    return (*score, Parents::Listed(place));
                }
            }
        }
        best
    }

    fn parents(&self, answer: usize) -> &[u32] {
        match self.answers[answer].parents {
            Parents::Impossible => &[],
            Parents::Settled(at) => &self.expansions[at as usize].settled.as_ref().expect("was settled").1,
            Parents::Listed(place) => &self.listed[place].1,
        }
    }
}

/// What a search may do.
#[derive(Debug, Clone)]
pub(super) struct Setup {
    /// For each node the parents it may have, ascending.
    pub(super) pools: Vec<Vec<u32>>,
    /// For each node the parents it must have, ascending.
    pub(super) required: Vec<Vec<u32>>,
    /// For each node the machine's list.
    pub(super) lists: Vec<Vec<u32>>,
    pub(super) max_parents: usize,
    pub(super) starts: usize,
    pub(super) shakes: usize,
}

/// The parents of every node, and an order that has them first.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Found {
    pub(super) parents: Vec<Vec<u32>>,
    pub(super) order: Vec<usize>,
}

/// An order, what every node scores under it, and the sum.
#[derive(Debug, Clone)]
struct Ordering {
    order: Vec<usize>,
    scores: Vec<f64>,
    score: f64,
}

pub(super) struct Search<'s, 't> {
    families: &'s mut Families<'t>,
    locals: Vec<Local>,
    nodes: usize,
    /// How often the best parents of a node were asked for.
    asked: u64,
    stream: Stream,
}

impl<'s, 't> Search<'s, 't> {
    pub(super) fn new(families: &'s mut Families<'t>, setup: &Setup, stream: Stream) -> Self {
        let nodes = setup.pools.len();
        let locals = (0..nodes)
            .map(|node| Local {
                node,
                pool: setup.pools[node].clone(),
                required: setup.required[node].clone(),
                most: setup.max_parents.max(setup.required[node].len()),
                expansions: vec![],
                by_set: HashMap::new(),
                scores: HashMap::new(),
                listed: vec![],
                answers: vec![],
                oldest: 0,
            })
            .collect();
        let mut search = Search { families, locals, nodes, asked: 0, stream };
        for node in 0..nodes {
            search.enumerate(node, &setup.lists[node]);
        }
        search.reflect();
        search
    }

    /// Scores sets of two or three features from the machine's list, together with what is required: those of which at least
    /// two say nothing alone, as growing finds the others. Sets that are worth more than their parts are kept.
    fn enumerate(&mut self, node: usize, list: &[u32]) {
        let local = &mut self.locals[node];
        let room = local.most.saturating_sub(local.required.len());
        let list: Vec<u32> =
            list.iter().copied().filter(|f| local.pool.contains(f) && !local.required.contains(f)).collect();
        if room < 2 || list.len() < 2 {
            return;
        }
        let (without, alone) = self.families.expand(node, &local.required, &list);
        let without = without.score;
        let (loud, silent): (Vec<_>, Vec<_>) =
            list.into_iter().zip(alone.iter().map(|f| f.score)).partition(|&(_, s)| s > without + EPSILON);
        for i in 0..silent.len() {
            for j in i + 1..silent.len() {
                // The pair, and the pair with each third feature, in one expansion.
                let mut pair: Vec<u32> = local.required.clone();
                pair.extend([silent[i].0, silent[j].0]);
                pair.sort_unstable();
                let thirds = silent[j + 1..].iter().chain(&loud).take(if room > 2 { usize::MAX } else { 0 });
                let (third, parts): (Vec<u32>, Vec<f64>) = thirds.copied().unzip();
                let (own, more) = self.families.expand(node, &pair, &third);
                for ((&third, part), figure) in third.iter().zip(parts).zip(&more) {
                    if figure.score > part.max(own.score).max(without) + EPSILON {
                        let mut set = pair.clone();
                        set.push(third);
                        set.sort_unstable();
                        local.listed.push((figure.score, set));
                    }
                }
                if own.score > without + EPSILON {
                    local.listed.push((own.score, pair));
                }
            }
        }
        local.sort_listed();
    }

    /// Tries what one node's list brought for the others of that family too: of an exclusive or each is one of the other two, but
    /// a machine may see that from one side only.
    fn reflect(&mut self) {
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
                    let score = local.score(self.families, &set);
                    local.listed.push((score, set));
                }
            }
            local.sort_listed();
        }
    }

    fn local(&mut self, node: usize, predecessors: &NodeSet) -> f64 {
        self.asked += 1;
        let local = &mut self.locals[node];
        let answer = local.best(self.families, predecessors);
        local.answers[answer].score
    }

    /// An order with the scores of all nodes under it.
    fn ordering(&mut self, order: Vec<usize>) -> Ordering {
        let mut scores = vec![0.0; self.nodes];
        let mut before = NodeSet::new(self.nodes);
        for &v in &order {
            scores[v] = self.local(v, &before);
            before.add(v);
        }
        Ordering { score: scores.iter().sum(), order, scores }
    }

    /// Moves one node to its best place; tells whether it moved, and whose scores that changed.
    fn insert(&mut self, at: &mut Ordering, node: usize, changed: &mut Vec<usize>) -> bool {
        let Ordering { order, scores, .. } = at;
        let from = order.iter().position(|&v| v == node).expect("every node is in the order");
        let mut prefix = NodeSet::new(self.nodes);
        order[..from].iter().for_each(|&v| prefix.add(v));
        let (mut best, mut best_place) = (EPSILON, from);
        // Others' scores change by what they gain or lose with `node` before them.
        let mut others = 0.0;
        let mut before = prefix.clone();
        for place in (0..from).rev() {
            let y = order[place];
            before.remove(y);
            let mine = self.local(node, &before);
            before.add(node);
            others += gain(self.local(y, &before), scores[y]);
            before.remove(node);
            let total = others + gain(mine, scores[node]);
            if total > best {
                (best, best_place) = (total, place);
            }
        }
        let mut others = 0.0;
        let mut before = prefix;
        for (place, &y) in order.iter().enumerate().skip(from + 1) {
            others += gain(self.local(y, &before), scores[y]);
            before.add(y);
            let total = others + gain(self.local(node, &before), scores[node]);
            if total > best {
                (best, best_place) = (total, place);
            }
        }
        if best_place == from {
            return false;
        }
        order.remove(from);
        order.insert(best_place, node);
        let (low, high) = (from.min(best_place), from.max(best_place));
        let mut before = NodeSet::new(self.nodes);
        order[..low].iter().for_each(|&v| before.add(v));
        for &v in &order[low..=high] {
            let score = self.local(v, &before);
            if score != scores[v] {
                scores[v] = score;
                changed.push(v);
            }
            before.add(v);
        }
        true
    }

    /// Moves single nodes until no move helps of those that wait for one, or whose parents have changed since.
    fn climb(&mut self, at: &mut Ordering, mut waiting: Vec<usize>) {
        let mut waits = vec![false; self.nodes];
        waiting.iter().for_each(|&v| waits[v] = true);
        let mut changed = vec![];
        while !waiting.is_empty() {
            self.shuffle(&mut waiting);
            for node in std::mem::take(&mut waiting) {
                waits[node] = false;
                if self.insert(at, node, &mut changed) {
                    changed.push(node);
                }
                for v in changed.drain(..) {
                    if !std::mem::replace(&mut waits[v], true) {
                        waiting.push(v);
                    }
                }
            }
        }
        at.score = at.scores.iter().sum();
    }

    fn shuffle(&mut self, items: &mut [usize]) {
        for i in (1..items.len()).rev() {
            items.swap(i, self.stream.below(i as u64 + 1) as usize);
        }
    }

    /// A disturbed copy of an order: a few moves, a shuffled stretch, or a shuffled family.
    fn shake(&mut self, order: &[usize]) -> Vec<usize> {
        let mut new = order.to_vec();
        let n = new.len();
        match self.stream.below(3) {
            0 => {
                for _ in 0..2 + self.stream.below(4) {
                    let node = new.remove(self.stream.below(n as u64) as usize);
                    new.insert(self.stream.below(n as u64) as usize, node);
                }
            }
            1 => {
                let length = (2 + self.stream.below(7) as usize).min(n);
                let from = self.stream.below((n - length + 1) as u64) as usize;
                let mut stretch = new[from..from + length].to_vec();
                self.shuffle(&mut stretch);
                new[from..from + length].copy_from_slice(&stretch);
            }
            _ => {
                let centre = new[self.stream.below(n as u64) as usize];
                let parents = self.parents(order);
                let near = |v: usize| {
                    v == centre
                        || parents[centre].contains(&(v as u32))
                        || parents[v].contains(&(centre as u32))
                };
                let places: Vec<usize> = (0..n).filter(|&i| near(new[i])).collect();
                let mut family: Vec<usize> = places.iter().map(|&i| new[i]).collect();
                self.shuffle(&mut family);
                places.iter().zip(family).for_each(|(&i, v)| new[i] = v);
            }
        }
        new
    }

    /// The best parents of every node under an order.
    pub(super) fn parents(&mut self, order: &[usize]) -> Vec<Vec<u32>> {
        let mut parents = vec![vec![]; self.nodes];
        let mut before = NodeSet::new(self.nodes);
        for &v in order {
            let answer = self.locals[v].best(self.families, &before);
            parents[v] = self.locals[v].parents(answer).to_vec();
            before.add(v);
        }
        parents
    }

    /// An order that keeps required parents before their children, as random as that allows.
    fn random_order(&mut self) -> Vec<usize> {
        let mut rest: Vec<usize> = (0..self.nodes).collect();
        self.shuffle(&mut rest);
        let mut order = Vec::with_capacity(self.nodes);
        let mut placed = NodeSet::new(self.nodes);
        while !rest.is_empty() {
            let ready = rest.iter().position(|&v| self.locals[v].required.iter().all(|&p| placed.has(p)));
            let node = rest.remove(ready.unwrap_or(0));
            placed.add(node);
            order.push(node);
        }
        order
    }

    /// The best order from several starts, and from the given one if there is one.
    pub(super) fn run(&mut self, setup: &Setup, given: Option<Vec<usize>>, watch: &dyn Watch) -> Found {
        let random: Vec<Vec<usize>> = (0..setup.starts).map(|_| self.random_order()).collect();
        let mut best: Option<Ordering> = None;
        for start in given.into_iter().chain(random) {
            if best.is_some() && self.exhausted() {
                break;
            }
            let end = self.walk(start, setup.shakes, watch);
            if best.as_ref().is_none_or(|best| end.score > best.score + EPSILON) {
                best = Some(end);
            }
        }
        let order = best.map(|best| best.order).unwrap_or_default();
        Found { parents: self.parents(&order), order }
    }

    /// Whether so much was counted that what was found must do.
    fn exhausted(&self) -> bool {
        let done = self.families.counted() + COUNTED_A_QUESTION * self.asked;
        done > MOST_COUNTED + MOST_COUNTED_A_NODE * self.nodes as u64
    }

    /// Climbs from an order, and again after every disturbance; the best order on the way.
    fn walk(&mut self, order: Vec<usize>, shakes: usize, watch: &dyn Watch) -> Ordering {
        let all: Vec<usize> = (0..self.nodes).collect();
        let mut here = self.ordering(order);
        self.climb(&mut here, all.clone());
        let mut best = here.clone();
        for done in 1..=if self.nodes > 1 { shakes } else { 0 } {
            if watch.cancelled() || self.exhausted() {
                break;
            }
            let shaken = self.shake(&here.order);
            let mut there = self.ordering(shaken);
            let touched = all.iter().copied().filter(|&v| there.scores[v] != here.scores[v]).collect();
            self.climb(&mut there, touched);
            let slack = FIRST_SLACK * (1.0 - done as f64 / shakes as f64);
            if there.score >= here.score - slack - EPSILON {
                here = there;
            }
            if here.score > best.score + EPSILON {
                best = here.clone();
            }
        }
        self.climb(&mut best, all);
        best
    }
}

/// The change of a score; two impossible ones do not differ.
fn gain(new: f64, old: f64) -> f64 {
    if new == old { 0.0 } else { new - old }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::assemble::ground::Ground;
    use crate::{bn, embedded};
    use clausality_bn::Score;

    #[test]
    fn what_is_remembered_is_what_would_be_found() {
        let table = bn::sample(&embedded::network("child").unwrap(), 500, 1);
        let ground = Ground::new(&table);
        let nodes = ground.len();
        let others = |v: usize| (0..nodes as u32).filter(|&c| c as usize != v).collect::<Vec<u32>>();
        let setup = Setup {
            pools: (0..nodes).map(others).collect(),
            required: (0..nodes).map(|v| if v == 3 { vec![7] } else { vec![] }).collect(),
            lists: (0..nodes).map(|v| others(v).into_iter().take(8).collect()).collect(),
            max_parents: 4,
            starts: 1,
            shakes: 0,
        };
        let mut families = ground.families(Score::Bdeu { ess: 1.0 }, 1.0);
        let mut search = Search::new(&mut families, &setup, Stream::new(1, "test"));
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
            let at = local.best(search.families, &predecessors);
            let (score, parents) = (local.answers[at].score, local.parents(at).to_vec());
            local.answers.clear();
            local.oldest = 0;
            let at = local.best(search.families, &predecessors);
            assert_eq!((score, &parents[..]), (local.answers[at].score, local.parents(at)));
        }
        assert!(remembered > 300, "{remembered}");
    }
}
