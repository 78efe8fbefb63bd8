//! Possible parents that only show beside others.
//!
//! Where there are many variables, a node may have only some of them as parents: its *pool*, those that add most alone. Which of two
//! parents a child was copied from adds nothing alone and all beside the two. So after each climb a pool takes in
//!
//! - the members of families that the node is in: of parents that act together each is then in reach of the others;
//! - what raises the score of the node beside its parents, and beside the neighbours, up to [`BESIDE`], that say most of it.
//!
//! A parent that sums up its own parents keeps them out, and with them what only shows beside them: of a genotype and its two alleles the genotype says
//! most alone, but which allele was handed down shows beside the alleles only. So in the end, for every arc g → v,
//!
//! ```text
//! set  = Pa(v) − g + Pa(g) + z,  z the best of all others, where there is one that helps
//! listed for v if score(v, set) > score(v, Pa(v));  sought only if Pa(v) − g + Pa(g) says about as much as Pa(v)
//! ```

use super::families::Families;
use super::local::EPSILON;
use super::order::{Ordering, Search, Setup};
use crate::watch::Cancelled;
use std::collections::BTreeSet;

/// How often pools are widened at most.
const ROUNDS: usize = 6;
/// Neighbours beside which others are looked at.
const BESIDE: usize = 3;
/// The most that one look adds to a pool.
const ADDED: usize = 10;
/// What a parent's parents may cost in its place, in nats under the loose score, before one more is sought beside them.
const COST_OF_ARGUMENTS: f64 = 50.0;

/// What was looked at of one node.
#[derive(Debug, Clone, Default)]
struct Seen {
    /// The neighbours that it was looked beside the last time.
    near: Option<Vec<u32>>,
    /// What helps beside each set, the best first.
    helpful: Vec<(Vec<u32>, Vec<u32>)>,
}

impl Search<'_, '_> {
    /// Climbs from an order and widens the pools of `setup`, in turn, until nothing is to be added.
    pub(super) fn widened(
        &mut self,
        setup: &mut Setup,
        allowed: &[Vec<u32>],
        order: Vec<usize>,
    ) -> Result<Vec<usize>, Cancelled> {
        self.locals.iter_mut().for_each(|local| local.may_grow(true));
        let mut at = self.ordering(order)?;
        self.climb(&mut at, (0..self.nodes).collect())?;
        let mut seen = vec![Seen::default(); self.nodes];
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
        let nodes = self.list_arguments(&at, setup, allowed)?;
        if !nodes.is_empty() {
            at = self.ordering(at.order)?;
            self.climb(&mut at, nodes)?;
        }
        self.locals.iter_mut().for_each(|local| local.may_grow(false));
        Ok(at.order)
    }

    /// Lists sets in which a parent's own parents stand in its place, for the nodes to which such a set is worth more than the parents that they have;
    /// tells which these are.
    fn list_arguments(
        &mut self,
        at: &Ordering,
        setup: &mut Setup,
        allowed: &[Vec<u32>],
    ) -> Result<Vec<usize>, Cancelled> {
        let parents = self.parents(&at.order)?;
        let mut nodes = vec![];
        for (node, own) in parents.iter().enumerate() {
            let mut better = vec![];
            for &parent in own.iter().filter(|p| !setup.required[node].contains(p)) {
                let mut set: Vec<u32> = own.iter().filter(|&&p| p != parent).copied().collect();
                set.extend(&parents[parent as usize]);
                set.sort_unstable();
                set.dedup();
                let may = set.iter().all(|v| allowed[node].binary_search(v).is_ok());
                if may && parents[parent as usize].len() > 1 && set.len() <= setup.max_parents {
                    let best =
                        self.with_one_more(node, own, set, parent, setup.max_parents, &allowed[node])?;
                    better.extend(best.filter(|(score, _)| *score > at.scores[node] + EPSILON));
                }
            }
            if better.is_empty() {
                continue;
            }
            nodes.push(node);
            self.take_in(setup, node, better.iter().flat_map(|(_, set)| set).copied().collect());
            let local = &mut self.locals[node];
            better.retain(|(_, set)| !local.listed.iter().any(|(_, known)| known == set));
            local.listed.extend(better);
            local.sort_listed();
        }
        Ok(nodes)
    }

    /// A set in the place of a node's own parents, with the best of all others but one where that helps, and its score; nothing where the set
    /// says far less.
    fn with_one_more(
        &mut self,
        node: usize,
        own: &[u32],
        mut set: Vec<u32>,
        but: u32,
        most: usize,
        allowed: &[u32],
    ) -> Result<Option<(f64, Vec<u32>)>, Cancelled> {
        let now = self.families.expand(node, own, &[])?.0;
        let alone = self.families.expand(node, &set, &[])?.0;
        if alone.loose < now.loose - COST_OF_ARGUMENTS {
            return Ok(None);
        }
        let mut best = (alone.score, None);
        if set.len() < most {
            let others: Vec<u32> =
                allowed.iter().copied().filter(|v| *v != but && !set.contains(v)).collect();
            let (_, figures) = self.families.expand(node, &set, &others)?;
            for (&other, figure) in others.iter().zip(&figures) {
                if figure.score > best.0 + EPSILON {
                    best = (figure.score, Some(other));
                }
            }
        }
        if let Some(other) = best.1 {
            set.insert(set.partition_point(|&v| v < other), other);
        }
        Ok(Some((best.0, set)))
    }

    /// For each node that has some the proposals that its pool lacks.
    fn proposals(
        &mut self,
        at: &Ordering,
        setup: &Setup,
        allowed: &[Vec<u32>],
        seen: &mut [Seen],
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
        let mut found = vec![vec![]; self.nodes];
        let work = seen.iter_mut().zip(&mut found).enumerate().collect();
        self.families.spread(work, |families, (node, (seen, found))| {
            let pool = &setup.pools[node];
            let outside = allowed[node].iter().copied().filter(|v| pool.binary_search(v).is_err());
            let (mut more, rest): (Vec<u32>, Vec<u32>) =
                outside.partition(|v| neighbours[node].contains(v) || family[node].contains(v));
            let near: Vec<u32> = neighbours[node].iter().copied().collect();
            if !rest.is_empty() && seen.near.as_ref() != Some(&near) {
                let telling = telling(families, node, near.iter().filter(|v| pool.contains(v)).copied())?;
                for set in [&telling, &parents[node]] {
                    let helpful = helpful(families, node, set, &rest, &mut seen.helpful)?;
                    more.extend(helpful.into_iter().take(ADDED));
                }
                seen.near = Some(near);
            }
            *found = more;
            Ok(())
        })?;
        Ok(found.into_iter().enumerate().filter(|(_, more)| !more.is_empty()).collect())
    }

    /// Puts proposals into a pool. Figures that hang on what was looked at before are found out anew, but for those of the listed sets.
    fn take_in(&mut self, setup: &mut Setup, node: usize, mut more: Vec<u32>) {
        let pool = &mut setup.pools[node];
        more.sort_unstable();
        more.dedup();
        more.retain(|v| pool.binary_search(v).is_err());
        pool.extend(&more);
        pool.sort_unstable();
        let local = &mut self.locals[node];
        local.take_in(&more);
        if self.families.hang_on_history() {
            self.held -= local.held();
            local.forget();
        }
        self.relate(node, &setup.pools[node]);
    }
}

/// Those of `rest` that raise the score of a node beside a set, the best first. Nothing comes into `rest` from one round to the next, so what is `known`
/// of a set is not counted again, unless figures hang on what was looked at before.
fn helpful(
    families: &mut Families,
    node: usize,
    set: &[u32],
    rest: &[u32],
    known: &mut Vec<(Vec<u32>, Vec<u32>)>,
) -> Result<Vec<u32>, Cancelled> {
    if let Some((_, helpful)) = known.iter().find(|(known, _)| known == set) {
        return Ok(helpful.iter().copied().filter(|v| rest.binary_search(v).is_ok()).collect());
    }
    let (own, figures) = families.expand(node, set, rest)?;
    let mut helpful: Vec<(f64, u32)> =
        figures.iter().map(|f| f.score - own.score).zip(rest.iter().copied()).collect();
    helpful.retain(|(gain, _)| *gain > EPSILON);
    helpful.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    let helpful: Vec<u32> = helpful.into_iter().map(|(_, v)| v).collect();
    if !families.hang_on_history() {
        known.push((set.to_vec(), helpful.clone()));
    }
    Ok(helpful)
}

/// The neighbours that say most of a node together.
fn telling(
    families: &mut Families,
    node: usize,
    neighbours: impl Iterator<Item = u32>,
) -> Result<Vec<u32>, Cancelled> {
    let mut others: Vec<u32> = neighbours.collect();
    let mut set: Vec<u32> = vec![];
    while set.len() < BESIDE {
        let (own, figures) = families.expand(node, &set, &others)?;
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
