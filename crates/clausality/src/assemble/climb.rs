//! Hill climbing and tabu search over graphs: add, delete or turn one arc at a time.
//!
//! ```text
//! next graph = argmax over legal moves of Σ_v score(v, Pa(v));   hc: while that rises
//!              tabu: also downhill, never touching a pair of the last 10 moves, until 10 moves brought nothing new
//! ```
//!
//! A move changes one family (two if an arc is turned), so only the moves into those children are weighed anew. Moves are
//! looked at in the order of names, and the first of equals is taken.
//!
//! Where no such move helps, an arc that would add much is often kept out by a way back that is worth little: one weak arc against the course of
//! a long chain, and the chain stays broken. Who *breaks through* (module `through`) draws such an arc and opens every way back where that is cheapest.
//!
//! The climb begins with any graph: with what is required, or with what another search found, to end where no move helps. Where a climb goes uphill from a
//! graph hangs on nothing but the graph, so one that was interrupted goes on with the last that it told of.

use super::checkpoint::Checkpoints;
use super::families::Families;
use super::figures::Figure;
use crate::Error;
use crate::watch::{Cancelled, Underway};
use std::collections::VecDeque;

/// Differences below this are rounding.
pub(super) const EPSILON: f64 = 1e-7;
/// Moves that a touched pair rests for, and moves without a new best graph before the search ends.
const TABU: usize = 10;

/// What a search over graphs may do.
pub(super) struct Climb<'a, 't> {
    pub(super) families: &'a mut Families<'t>,
    /// For each node the parents it may have, ascending.
    pub(super) pools: &'a [Vec<u32>],
    /// For each node the parents it must have, ascending.
    pub(super) required: &'a [Vec<u32>],
    pub(super) most: usize,
    pub(super) tabu: bool,
    /// Whether it breaks through where single moves end.
    pub(super) through: bool,
    /// Whether a parent that is added must raise BIC with half its penalty too: some scores charge next to nothing for states that
    /// hardly occur.
    pub(super) sober: bool,
    /// How many moves there will be nobody knows: its steps are the nodes made ready for the first.
    pub(super) stage: &'a Underway<'a>,
}

/// What changes of one node's parents are worth.
pub(super) struct Choices {
    pub(super) parents: Vec<u32>,
    pub(super) score: f64,
    pub(super) add: Vec<(u32, f64)>,
    pub(super) drop: Vec<(u32, f64)>,
}

#[derive(Clone, Copy, PartialEq)]
pub(super) enum Move {
    Add,
    Drop,
    Turn,
}

impl Climb<'_, '_> {
    /// The parents of every node in the best graph that was met on the way from the one given, which has what is required.
    pub(super) fn run(self, start: &[Vec<u32>]) -> Result<Vec<Vec<u32>>, Error> {
        self.run_telling(start, &mut Checkpoints::default())
    }

    /// The same, uphill only; every graph on the way is told.
    pub(super) fn run_telling(
        mut self,
        start: &[Vec<u32>],
        checkpoints: &mut Checkpoints<'_>,
    ) -> Result<Vec<Vec<u32>>, Error> {
        let last: Option<Vec<Vec<u32>>> = checkpoints.found().pop();
        let mut nodes = self.ready(last.as_deref().unwrap_or(start))?;
        let mut best: Vec<Vec<u32>> = nodes.iter().map(|n| n.parents.clone()).collect();
        let (mut total, mut best_total, mut fruitless) = (0.0, 0.0, 0);
        let mut resting: VecDeque<(u32, u32)> = VecDeque::new();
        loop {
            let Some((gain, kind, parent, child)) = self.best_move(&nodes, &resting, best_total - total)
            else {
                if self.through && self.break_through(&mut nodes)? {
                    best = nodes.iter().map(|n| n.parents.clone()).collect();
                    checkpoints.keep(&best)?;
                    continue;
                }
                break;
            };
            self.apply(&mut nodes, kind, parent, child)?;
            total += gain;
            if !self.tabu || total > best_total + EPSILON {
                (best_total, fruitless) = (total, 0);
                best = nodes.iter().map(|n| n.parents.clone()).collect();
                checkpoints.keep(&best)?;
            } else {
                fruitless += 1;
            }
            if self.tabu {
                resting.push_back((parent.min(child), parent.max(child)));
                if resting.len() > TABU {
                    resting.pop_front();
                }
                if fruitless >= TABU {
                    break;
                }
            }
        }
        Ok(best)
    }

    /// Every node with its parents, and what changes of these are worth.
    fn ready(&mut self, start: &[Vec<u32>]) -> Result<Vec<Choices>, Cancelled> {
        let mut nodes = Vec::with_capacity(start.len());
        let (pools, required, most) = (self.pools, self.required, self.most);
        let all = start.iter().enumerate();
        self.families.foresee(all.flat_map(|(node, parents)| asked(pools, required, most, node, parents)));
        for (node, parents) in start.iter().enumerate() {
            nodes.push(self.choices(node, parents.clone())?);
            self.stage.step();
        }
        Ok(nodes)
    }

    fn choices(&mut self, node: usize, parents: Vec<u32>) -> Result<Choices, Cancelled> {
        let others = others(&self.pools[node], &parents, self.most);
        let (own, figures) = self.families.expand(node, &parents, &others)?;
        let worth = |f: &Figure| {
            if self.sober && f.loose <= own.loose { f64::NEG_INFINITY } else { f.score - own.score }
        };
        let add = others.into_iter().zip(figures.iter().map(worth)).collect();
        let mut drop = vec![];
        for &p in parents.iter().filter(|p| !self.required[node].contains(p)) {
            drop.push((p, self.families.expand(node, &without(&parents, p), &[])?.0.score - own.score));
        }
        Ok(Choices { parents, score: own.score, add, drop })
    }

    /// The best legal move; pairs that rest are passed over unless they lead past the best graph by `aim`.
    fn best_move(
        &self,
        nodes: &[Choices],
        resting: &VecDeque<(u32, u32)>,
        aim: f64,
    ) -> Option<(f64, Move, u32, u32)> {
        let mut best: Option<(f64, Move, u32, u32)> = None;
        // Downhill only where that may be: most moves are, and whether they are legal need not be found out.
        let least = if self.tabu { f64::NEG_INFINITY } else { EPSILON };
        let mut see = |gain: f64, kind: Move, p: u32, c: u32| {
            let better = gain > best.map_or(least, |best| best.0) && gain.is_finite();
            let rests = || gain <= aim + EPSILON && resting.contains(&(p.min(c), p.max(c)));
            let legal = || match kind {
                Move::Drop => true,
                Move::Add => !reaches(nodes, c, p, None),
                Move::Turn => !reaches(nodes, p, c, Some((p, c))),
            };
            if better && !rests() && legal() {
                best = Some((gain, kind, p, c));
            }
        };
        for (child, node) in (0u32..).zip(nodes) {
            node.add.iter().for_each(|&(p, gain)| see(gain, Move::Add, p, child));
            for &(p, loss) in &node.drop {
                see(loss, Move::Drop, p, child);
                // Turned, the arc needs room among the other node's parents and leave to be there.
                let other = &nodes[p as usize];
                if let Ok(i) = other.add.binary_search_by_key(&child, |a| a.0) {
                    see(loss + other.add[i].1, Move::Turn, p, child);
                }
            }
        }
        best
    }

    fn apply(&mut self, nodes: &mut [Choices], kind: Move, parent: u32, child: u32) -> Result<(), Cancelled> {
        let child_parents = &nodes[child as usize].parents;
        let add = matches!(kind, Move::Add);
        let new = if add { with(child_parents, parent) } else { without(child_parents, parent) };
        let mut changed = vec![(child as usize, new)];
        if matches!(kind, Move::Turn) {
            changed.push((parent as usize, with(&nodes[parent as usize].parents, child)));
        }
        self.change(nodes, changed)?;
        debug_assert!(nodes[child as usize].score.is_finite());
        Ok(())
    }

    /// Gives nodes other parents.
    pub(super) fn change(
        &mut self,
        nodes: &mut [Choices],
        changed: Vec<(usize, Vec<u32>)>,
    ) -> Result<(), Cancelled> {
        let (pools, required, most) = (self.pools, self.required, self.most);
        let all = changed.iter();
        self.families.foresee(all.flat_map(|(node, parents)| asked(pools, required, most, *node, parents)));
        for (node, parents) in changed {
            nodes[node] = self.choices(node, parents)?;
        }
        Ok(())
    }
}

/// The parents that a node may have beside those it has.
fn others(pool: &[u32], parents: &[u32], most: usize) -> Vec<u32> {
    let full = parents.len() >= most;
    pool.iter().copied().filter(|c| !full && !parents.contains(c)).collect()
}

pub(super) fn with(parents: &[u32], parent: u32) -> Vec<u32> {
    let mut more = parents.to_vec();
    more.insert(parents.partition_point(|&q| q < parent), parent);
    more
}

pub(super) fn without(parents: &[u32], parent: u32) -> Vec<u32> {
    parents.iter().copied().filter(|&q| q != parent).collect()
}

/// What [`Climb::choices`] will expand for a node with these parents.
fn asked<'a>(
    pools: &'a [Vec<u32>],
    required: &'a [Vec<u32>],
    most: usize,
    node: usize,
    parents: &'a [u32],
) -> impl Iterator<Item = (usize, Vec<u32>, Vec<u32>)> + 'a {
    let own = (node, parents.to_vec(), others(&pools[node], parents, most));
    let may_go = parents.iter().filter(move |p| !required[node].contains(p));
    [own].into_iter().chain(may_go.map(move |&p| (node, without(parents, p), vec![])))
}

/// Whether a directed path leads from one node to another, one arc left out.
fn reaches(nodes: &[Choices], from: u32, to: u32, without: Option<(u32, u32)>) -> bool {
    let mut seen = vec![false; nodes.len()];
    let mut open = vec![to];
    while let Some(v) = open.pop() {
        for &p in &nodes[v as usize].parents {
            if Some((p, v)) == without {
                continue;
            }
            if p == from {
                return true;
            }
            if !std::mem::replace(&mut seen[p as usize], true) {
                open.push(p);
            }
        }
    }
    false
}
