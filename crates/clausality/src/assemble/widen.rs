//! Possible parents that only show beside others.
//!
//! Where there are many variables, a node may have only some of them as parents: its *pool*, those that add most alone. Which of two
//! parents a child was copied from adds nothing alone and all beside the two. So after each climb a pool takes in
//!
//! - the members of families that the node is in: of parents that act together each is then in reach of the others;
//! - what raises the score of the node beside its parents, and beside the neighbours, up to [`BESIDE`], that say most of it.

use super::local::{EPSILON, Local};
use super::order::{Ordering, Search, Setup};
use crate::watch::Cancelled;
use std::collections::BTreeSet;

/// How often pools are widened at most.
const ROUNDS: usize = 6;
/// Neighbours beside which others are looked at.
const BESIDE: usize = 3;
/// The most that one look adds to a pool.
const ADDED: usize = 10;

impl Search<'_, '_> {
    /// Climbs from an order and widens the pools of `setup`, in turn, until nothing is to be added.
    pub(super) fn widened(
        &mut self,
        setup: &mut Setup,
        allowed: &[Vec<u32>],
        order: Vec<usize>,
    ) -> Result<Vec<usize>, Cancelled> {
        let mut at = self.ordering(order)?;
        self.climb(&mut at, (0..self.nodes).collect())?;
        let mut seen: Vec<Option<Vec<u32>>> = vec![None; self.nodes];
        for _ in 0..ROUNDS {
            let more = self.proposals(&at, setup, allowed, &mut seen)?;
            if more.is_empty() {
                break;
            }
            let nodes: Vec<usize> = more.iter().map(|(node, _)| *node).collect();
            for (node, more) in more {
                self.take_in(setup, node, more);
            }
            at = self.ordering(at.order)?;
            self.climb(&mut at, nodes)?;
        }
        Ok(at.order)
    }

    /// For each node that has some the proposals that its pool lacks. `seen` has the neighbours that were looked beside the last time.
    fn proposals(
        &mut self,
        at: &Ordering,
        setup: &Setup,
        allowed: &[Vec<u32>],
        seen: &mut [Option<Vec<u32>>],
    ) -> Result<Vec<(usize, Vec<u32>)>, Cancelled> {
        let parents = self.parents(&at.order)?;
        let mut neighbours: Vec<BTreeSet<u32>> = vec![BTreeSet::new(); self.nodes];
        let mut family: Vec<BTreeSet<u32>> = vec![BTreeSet::new(); self.nodes];
        for (child, parents) in parents.iter().enumerate() {
            for &p in parents {
                neighbours[child].insert(p);
                neighbours[p as usize].insert(child as u32);
                family[p as usize].extend(parents);
            }
        }
        let mut found = vec![];
        for node in 0..self.nodes {
            let pool = &setup.pools[node];
            let outside = allowed[node].iter().copied().filter(|v| pool.binary_search(v).is_err());
            let (mut more, rest): (Vec<u32>, Vec<u32>) =
                outside.partition(|v| neighbours[node].contains(v) || family[node].contains(v));
            let near: Vec<u32> = neighbours[node].iter().copied().collect();
            if !rest.is_empty() && seen[node].as_ref() != Some(&near) {
                let telling = self.telling(node, near.iter().filter(|v| pool.contains(v)).copied())?;
                for set in [&telling, &parents[node]] {
                    let (own, figures) = self.families.expand(node, set, &rest)?;
                    let mut helpful: Vec<(f64, u32)> =
                        figures.iter().map(|f| f.score - own.score).zip(rest.iter().copied()).collect();
                    helpful.retain(|(gain, _)| *gain > EPSILON);
                    helpful.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
                    more.extend(helpful.into_iter().take(ADDED).map(|(_, v)| v));
                }
                seen[node] = Some(near);
            }
            if !more.is_empty() {
                found.push((node, more));
            }
        }
        Ok(found)
    }

    /// The neighbours that say most of a node together.
    fn telling(&mut self, node: usize, neighbours: impl Iterator<Item = u32>) -> Result<Vec<u32>, Cancelled> {
        let mut others: Vec<u32> = neighbours.collect();
        let mut set: Vec<u32> = vec![];
        while set.len() < BESIDE {
            let (own, figures) = self.families.expand(node, &set, &others)?;
            let mut best = (own.loose + EPSILON, None);
            for (&v, figure) in others.iter().zip(&figures) {
                if figure.loose > best.0 {
                    best = (figure.loose, Some(v));
                }
            }
            let Some(v) = best.1 else { break };
            others.retain(|&other| other != v);
            set.insert(set.partition_point(|&p| p < v), v);
        }
        Ok(set)
    }

    /// Puts proposals into a pool. What was found out about the node's parents holds no longer, except for the listed sets.
    fn take_in(&mut self, setup: &mut Setup, node: usize, more: Vec<u32>) {
        let pool = &mut setup.pools[node];
        pool.extend(more);
        pool.sort_unstable();
        pool.dedup();
        let mut local = Local::new(node, pool, &setup.required[node], setup.max_parents);
        local.listed = std::mem::take(&mut self.locals[node].listed);
        self.held -= self.locals[node].held();
        self.locals[node] = local;
        self.relate(node, &setup.pools[node]);
    }
}
