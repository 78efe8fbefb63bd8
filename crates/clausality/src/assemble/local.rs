//! The best parents of one node among its predecessors, and what has been found out about them.
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
//! scalable and accurate discovery of DAGs using the best order score search and grow-shrink trees", 2023).
//!
//! Where a pool grows ([`Local::take_in`]) a set that was expanded stays, and is looked at beside what came into the pool since when growing comes by again.
//!
//! An answer holds for all predecessors that agree with it on the candidates that were looked at on the way; the last few are
//! remembered. What was expanded and scored may be forgotten at any time ([`Local::forget`]): it is then found out again, the same.
//!
//! A search that goes on after an interruption is told which sets had been expanded and scored ([`Local::recall`]). It finds their figures out again
//! when it needs them, and none of that counts as work: what a search has done then is what it would have done undisturbed.

use super::checkpoint::{News, Sets};
use super::families::Families;
use crate::memory::product;
use crate::watch::Cancelled;
use std::collections::{HashMap, HashSet};

/// Differences below this are rounding.
pub(super) const EPSILON: f64 = 1e-7;
/// Answers that are remembered for every node.
const REMEMBERED: usize = 4;
/// What a list of its own takes beside what is in it, with its place in a table of them.
const SET_BYTES: u64 = 64;

/// A set of nodes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct NodeSet(Vec<u64>);

impl NodeSet {
    pub(super) fn new(nodes: usize) -> Self {
        NodeSet(vec![0; nodes.div_ceil(64)])
    }
    #[inline(always)]
    pub(super) fn has(&self, v: u32) -> bool {
        self.0[v as usize / 64] >> (v % 64) & 1 == 1
    }
    pub(super) fn add(&mut self, v: usize) {
        self.0[v / 64] |= 1 << (v % 64);
    }
    pub(super) fn remove(&mut self, v: usize) {
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
    /// While pools grow: the figures of its extensions, and how many of those that came into the pool were looked at.
    ranked: Option<Box<Ranked>>,
}

#[derive(Debug)]
struct Ranked {
    tight: Vec<f64>,
    loose: Vec<f64>,
    looked: usize,
}

impl Ranked {
    /// Puts another extension in its place: the best first, equals in the order of names.
    fn insert(figures: &mut Vec<f64>, links: &mut Vec<(u32, u32)>, figure: f64, candidate: u32) {
        let better = |&i: &usize| figures[i] > figure || (figures[i] == figure && links[i].0 < candidate);
        let place = (0..links.len()).rev().find(better).map_or(0, |i| i + 1);
        figures.insert(place, figure);
        links.insert(place, (candidate, UNKNOWN));
    }
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
pub(super) struct Answer {
    predecessors: NodeSet,
    hangs_on: NodeSet,
    pub(super) score: f64,
    parents: Parents,
}

/// Everything known about the parents of one node.
#[derive(Debug)]
pub(super) struct Local {
    pub(super) node: usize,
    pub(super) pool: Vec<u32>,
    pub(super) required: Vec<u32>,
    pub(super) most: usize,
    /// What came into the pool since, in this order; while that may be more.
    entered: Vec<u32>,
    growing: bool,
    /// The first is that of the required parents, once there is any.
    expansions: Vec<Expansion>,
    by_set: HashMap<Vec<u32>, u32>,
    scores: HashMap<Vec<u32>, f64>,
    /// Sets that had been expanded and scored before an interruption, and were not since.
    earlier: Earlier,
    /// What was found out since it was last told.
    news: News,
    /// Bytes of what was expanded and scored, about.
    held: u64,
    /// Sets from the machine's list, best first.
    pub(super) listed: Vec<(f64, Vec<u32>)>,
    /// The last answers, and which of them is the oldest.
    pub(super) answers: Vec<Answer>,
    pub(super) oldest: usize,
}

/// Sets of which nothing is known but that they were known.
#[derive(Debug, Default)]
struct Earlier {
    expanded: HashSet<Vec<u32>>,
    scored: HashSet<Vec<u32>>,
}

impl Local {
    /// A node of which nothing is known but the parents that it may and must have.
    pub(super) fn new(node: usize, pool: &[u32], required: &[u32], max_parents: usize) -> Self {
        Local {
            node,
            pool: pool.to_vec(),
            required: required.to_vec(),
            most: max_parents.max(required.len()),
            entered: vec![],
            growing: false,
            expansions: vec![],
            by_set: HashMap::new(),
            scores: HashMap::new(),
            earlier: Earlier::default(),
            news: News::default(),
            held: 0,
            listed: vec![],
            answers: vec![],
            oldest: 0,
        }
    }

    /// Scores sets of two or three features from the machine's list, together with what is required: those of which at least
    /// two say nothing alone, as growing finds the others. Sets that are worth more than their parts are kept. Three are tried only where their
    /// table has no more cells than there are rows: beyond, what three say together that two do not is out of sight.
    pub(super) fn enumerate(&mut self, families: &mut Families, list: &[u32]) -> Result<(), Cancelled> {
        let room = self.most.saturating_sub(self.required.len());
        let list: Vec<u32> =
            list.iter().copied().filter(|f| self.pool.contains(f) && !self.required.contains(f)).collect();
        if room < 2 || list.len() < 2 {
            return Ok(());
        }
        let (without, alone) = families.expand(self.node, &self.required, &list)?;
        let without = without.score;
        let (loud, silent): (Vec<_>, Vec<_>) =
            list.into_iter().zip(alone.iter().map(|f| f.score)).partition(|&(_, s)| s > without + EPSILON);
        for i in 0..silent.len() {
            for j in i + 1..silent.len() {
                // The pair, and the pair with each third feature, in one expansion.
                let mut pair: Vec<u32> = self.required.clone();
                pair.extend([silent[i].0, silent[j].0]);
                pair.sort_unstable();
                let cells = families.cells(self.node, &pair);
                let thirds = silent[j + 1..].iter().chain(&loud).filter(|(third, _)| {
                    room > 2 && cells * families.states(*third) as f64 <= families.rows() as f64
                });
                let (third, parts): (Vec<u32>, Vec<f64>) = thirds.copied().unzip();
                let (own, more) = families.expand(self.node, &pair, &third)?;
                for ((&third, part), figure) in third.iter().zip(parts).zip(&more) {
                    if figure.score > part.max(own.score).max(without) + EPSILON {
                        let mut set = pair.clone();
                        set.push(third);
                        set.sort_unstable();
                        self.listed.push((figure.score, set));
                    }
                }
                if own.score > without + EPSILON {
                    self.listed.push((own.score, pair));
                }
            }
        }
        self.sort_listed();
        Ok(())
    }

    pub(super) fn score(&mut self, families: &mut Families, set: &[u32]) -> Result<f64, Cancelled> {
        if let Some(&at) = self.by_set.get(set) {
            return Ok(self.expansions[at as usize].score);
        }
        if self.earlier.expanded.contains(set) {
            self.begin(families)?;
            let at = self.expansion(families, set.to_vec())?;
            return Ok(self.expansions[at as usize].score);
        }
        if let Some(&score) = self.scores.get(set) {
            return Ok(score);
        }
        let score = if self.earlier.scored.remove(set) {
            families.expand_again(self.node, set, &[])?.0.score
        } else {
            self.held += SET_BYTES + product(&[set.len(), size_of::<u32>()]);
            self.news.scored.push(set);
            families.expand(self.node, set, &[])?.0.score
        };
        self.scores.insert(set.to_vec(), score);
        Ok(score)
    }

    /// Bytes of what was expanded and scored, about.
    pub(super) fn held(&self) -> u64 {
        self.held
    }

    /// Lets go of what was expanded and scored, and of the answers that point there.
    pub(super) fn forget(&mut self) {
        (self.expansions, self.by_set, self.scores, self.earlier) = Default::default();
        (self.answers, self.oldest, self.held) = Default::default();
        self.news = News { anew: true, ..News::default() };
    }

    /// Says whether the pool may grow from now on. Where it no longer may, what is not needed for that is let go.
    pub(super) fn may_grow(&mut self, growing: bool) {
        debug_assert!(
            !growing || self.expansions.is_empty(),
            "what was expanded before would not be looked at again"
        );
        self.growing = growing;
        let entered = self.entered.len();
        for expansion in &mut self.expansions {
            expansion.ranked.take_if(|ranked| ranked.looked == entered);
        }
    }

    /// Takes more into the pool. What is known of sets stays; answers hold no longer.
    pub(super) fn take_in(&mut self, more: &[u32]) {
        self.entered.extend(more);
        self.pool.extend(more);
        self.pool.sort_unstable();
        (self.answers, self.oldest) = Default::default();
    }

    /// What was found out since this was last asked.
    pub(super) fn tell(&mut self) -> News {
        News { held: self.held, ..std::mem::take(&mut self.news) }
    }

    /// Takes in what was told before an interruption, in the order in which it was.
    pub(super) fn recall(&mut self, news: &News) {
        if news.anew {
            self.earlier = Earlier::default();
        }
        let all = |sets: &Sets| sets.iter().map(<[u32]>::to_vec).collect::<Vec<_>>();
        self.earlier.expanded.extend(all(&news.expanded));
        self.earlier.scored.extend(all(&news.scored));
        self.held = news.held;
    }

    /// Best first; equals in the order of names.
    pub(super) fn sort_listed(&mut self) {
        self.listed.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
    }

    fn expansion(&mut self, families: &mut Families, set: Vec<u32>) -> Result<u32, Cancelled> {
        if let Some(&at) = self.by_set.get(&set) {
            self.look_again(families, at)?;
            return Ok(at);
        }
        let full = set.len() >= self.most;
        let candidates: Vec<u32> = self.pool.iter().copied().filter(|c| !full && !set.contains(c)).collect();
        let before = self.earlier.expanded.remove(&set);
        let (own, figures) = match before {
            true => families.expand_again(self.node, &set, &candidates)?,
            false => families.expand(self.node, &set, &candidates)?,
        };
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
        let ranked = self.growing.then(|| {
            let figures = |list: &[(f64, u32)]| list.iter().map(|link| link.0).collect();
            Box::new(Ranked { tight: figures(&tight), loose: figures(&loose), looked: self.entered.len() })
        });
        let links = |list: Vec<(f64, u32)>| {
            let mut links: Vec<(u32, u32)> = list.into_iter().map(|(_, c)| (c, UNKNOWN)).collect();
            links.shrink_to_fit();
            links
        };
        if !before {
            // The set as it is, as a key, and once it is settled.
            self.held += 3 * SET_BYTES
                + product(&[size_of::<Expansion>()])
                + product(&[set.len(), 3 * size_of::<u32>()])
                + product(&[tight.len() + loose.len(), size_of::<(u32, u32)>()]);
            self.news.expanded.push(&set);
        }
        let at = self.expansions.len() as u32;
        self.by_set.insert(set.clone(), at);
        self.expansions.push(Expansion {
            set,
            score: own.score,
            tight: links(tight),
            loose: links(loose),
            settled: None,
            ranked,
        });
        Ok(at)
    }

    /// Looks at a set beside what came into the pool since it was looked at. Where the pool no longer grows that is no work that counts: a search that goes
    /// on after an interruption finds the whole of it out again.
    fn look_again(&mut self, families: &mut Families, at: u32) -> Result<(), Cancelled> {
        let Expansion { set, tight, loose, ranked, .. } = &mut self.expansions[at as usize];
        let Some(figures) = ranked else { return Ok(()) };
        let entered = &self.entered[figures.looked..];
        if entered.is_empty() {
            return Ok(());
        }
        figures.looked = self.entered.len();
        let full = set.len() >= self.most;
        let candidates: Vec<u32> = entered.iter().copied().filter(|c| !full && !set.contains(c)).collect();
        let (own, more) = match self.growing {
            true => families.expand(self.node, set, &candidates)?,
            false => families.expand_again(self.node, set, &candidates)?,
        };
        for (&c, figure) in candidates.iter().zip(&more) {
            if figure.score > own.score + EPSILON {
                Ranked::insert(&mut figures.tight, tight, figure.score, c);
            }
            if figure.loose > own.loose + EPSILON {
                Ranked::insert(&mut figures.loose, loose, figure.loose, c);
            }
        }
        if !self.growing {
            *ranked = None;
        }
        Ok(())
    }

    /// Expands the required parents, before any other set.
    fn begin(&mut self, families: &mut Families) -> Result<(), Cancelled> {
        if self.expansions.is_empty() {
            self.expansion(families, self.required.clone())?;
        }
        Ok(())
    }

    /// Grows within the predecessors; returns where that ends, and adds to what that hangs on.
    fn grow(
        &mut self,
        families: &mut Families,
        predecessors: &NodeSet,
        growth: Growth,
        hangs_on: &mut NodeSet,
    ) -> Result<u32, Cancelled> {
        self.begin(families)?;
        let mut at = 0;
        loop {
            self.look_again(families, at)?;
            let expansion = &self.expansions[at as usize];
            if expansion.set.len() >= self.most {
                return Ok(at);
            }
            let links = if growth == Growth::Tight { &expansion.tight } else { &expansion.loose };
            let taken = links.iter().position(|&(c, _)| {
                hangs_on.add(c as usize);
                predecessors.has(c)
            });
            let Some(i) = taken else { return Ok(at) };
            let (candidate, mut next) = links[i];
            if next == UNKNOWN {
                let mut set = expansion.set.clone();
                let place = set.partition_point(|&p| p < candidate);
                set.insert(place, candidate);
                next = self.expansion(families, set)?;
                let expansion = &mut self.expansions[at as usize];
                let links = if growth == Growth::Tight { &mut expansion.tight } else { &mut expansion.loose };
                links[i].1 = next;
            }
            at = next;
        }
    }

    /// Deletes parents while that raises the score; returns the score at the end.
    fn settle(&mut self, families: &mut Families, at: u32) -> Result<f64, Cancelled> {
        if let Some((score, _)) = self.expansions[at as usize].settled {
            return Ok(score);
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
                let s = self.score(families, &fewer)?;
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
        Ok(score)
    }

    /// The best parents among the predecessors: which of the answers that is.
    pub(super) fn best(
        &mut self,
        families: &mut Families,
        predecessors: &NodeSet,
    ) -> Result<usize, Cancelled> {
        if let Some(known) = self.known(predecessors) {
            return Ok(known);
        }
        let answer = self.answer(families, predecessors)?;
        if self.answers.len() < REMEMBERED {
            self.answers.push(answer);
            return Ok(self.answers.len() - 1);
        }
        let at = self.oldest;
        self.answers[at] = answer;
        self.oldest = (at + 1) % REMEMBERED;
        Ok(at)
    }

    /// The remembered answer that holds for these predecessors.
    pub(super) fn known(&self, predecessors: &NodeSet) -> Option<usize> {
        self.answers.iter().position(|a| a.predecessors.agree(predecessors, &a.hangs_on))
    }

    fn answer(&mut self, families: &mut Families, predecessors: &NodeSet) -> Result<Answer, Cancelled> {
        let mut hangs_on = NodeSet(vec![0; predecessors.0.len()]);
        self.required.iter().for_each(|&p| hangs_on.add(p as usize));
        let (score, parents) = if self.required.iter().all(|&p| predecessors.has(p)) {
            self.choose(families, predecessors, &mut hangs_on)?
        } else {
            (f64::NEG_INFINITY, Parents::Impossible)
        };
        Ok(Answer { predecessors: predecessors.clone(), hangs_on, score, parents })
    }

    /// The best of what grows and of what is listed.
    fn choose(
        &mut self,
        families: &mut Families,
        predecessors: &NodeSet,
        hangs_on: &mut NodeSet,
    ) -> Result<(f64, Parents), Cancelled> {
        let mut best = (f64::NEG_INFINITY, Parents::Impossible);
        for growth in [Growth::Tight, Growth::Loose] {
            let at = self.grow(families, predecessors, growth, hangs_on)?;
            let score = self.settle(families, at)?;
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
                    return Ok((*score, Parents::Listed(place)));
                }
            }
        }
        Ok(best)
    }

    pub(super) fn parents(&self, answer: usize) -> &[u32] {
        match self.answers[answer].parents {
            Parents::Impossible => &[],
            Parents::Settled(at) => &self.expansions[at as usize].settled.as_ref().expect("was settled").1,
            Parents::Listed(place) => &self.listed[place].1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::watch::Unwatched;
    use crate::{bn, embedded};
    use clausality_bn::Score;
    use clausality_bn::counts::Counter;
    use clausality_bn::random::Stream;

    /// Pools that grow on the way, again and again, lead to the parents that the whole pools lead to from the first step on; and less is counted than by
    /// whoever begins anew each time.
    #[test]
    fn where_a_pool_grew_is_not_to_be_seen() {
        let truth = embedded::network("alarm").unwrap();
        let (table, m) = (bn::sample(&truth, 800, 3), truth.len());
        let families =
            || Families::new(Counter::new(&table).unwrap(), Score::Bdeu { ess: 1.0 }, 1.8, &Unwatched);
        let (mut grown, mut anew, mut stream) = (families(), families(), Stream::new(4, "pools"));
        for node in 0..m {
            let others: Vec<u32> = (0..m as u32).filter(|&v| v as usize != node).collect();
            let mut order = others.clone();
            stream.choose(&mut order, others.len());
            let mut pool = order[..10].to_vec();
            pool.sort_unstable();
            let mut local = Local::new(node, &pool, &[], 6);
            local.may_grow(true);
            for (more, still) in
                [(10..18, true), (18..19, true), (19..30, true), (30..36, false), (36..36, false)]
            {
                for _ in 0..6 {
                    let mut before = NodeSet::new(m);
                    others.iter().filter(|_| stream.below(3) > 0).for_each(|&v| before.add(v as usize));
                    let answer = local.best(&mut grown, &before).unwrap();
                    let mut fresh = Local::new(node, &local.pool, &[], 6);
                    let whole = fresh.best(&mut anew, &before).unwrap();
                    assert_eq!(local.answers[answer].score, fresh.answers[whole].score);
                    assert_eq!(local.parents(answer), fresh.parents(whole));
                }
                local.take_in(&order[more]);
                if !still {
                    local.may_grow(false);
                }
            }
            assert!(local.expansions.len() > 1 && local.pool.len() == m - 1);
        }
        assert!(grown.counted() > 0 && 2 * grown.counted() < anew.counted());
    }
}
