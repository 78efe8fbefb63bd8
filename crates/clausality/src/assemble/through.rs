//! Arcs that single moves cannot draw, because they would close a circle: every way back is opened where that costs least.
//!
//! ```text
//! wanted:    p → c  (new, or c → p turned)  worth g > 0 alone, but there are ways  c → … → p
//! until there is no way:  take one; of its arcs a → b drop or turn the one that costs least by itself
//! done if the score rises: Σ over all families that changed of (new − old) > 0, and no circle is left
//! ```
//!
//! The wanted arcs are tried from the most valuable on. A wrong arc that came early, while what explains it better was still missing, can keep a graph
//! thousands of nats below the best: on 5,000 rows of diabetes one arc of a few nats against the course of time holds a chain apart. A minimum cut of the
//! ways back would be cheaper now and then, but what arcs cost by themselves is only an estimate of what they cost together.

use super::climb::{Choices, Climb, EPSILON, Move, with, without};
use crate::watch::{Cancelled, go_on};
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// Arcs that are opened for one, at most.
const MOST_OPENED: usize = 8;

/// Nodes that are seen on all ways until an arc is drawn, at most: a twentieth of a second's work. Among thousands of columns wishes have no end.
const MOST_SEEN: u64 = 5_000_000;

/// Parents of the nodes that a compound move changes.
type Changed = BTreeMap<u32, Vec<u32>>;

impl Climb<'_, '_> {
    /// Draws the most valuable arc that raises the score although ways back must be opened for it; whether there was one.
    pub(super) fn break_through(&mut self, nodes: &mut [Choices]) -> Result<bool, Cancelled> {
        // Forgotten from arc to arc, so that a climb that is taken up again goes on as it would have.
        let mut room = MOST_SEEN;
        let mut wanted = Vec::new();
        for (child, node) in (0u32..).zip(nodes.iter()) {
            wanted.extend(node.add.iter().map(|&(p, gain)| (gain, Move::Add, p, child)));
            for &(p, loss) in &node.drop {
                if let Some(gain) = added(&nodes[p as usize], child) {
                    wanted.push((loss + gain, Move::Turn, p, child));
                }
            }
        }
        wanted.retain(|wish| wish.0 > EPSILON && wish.0.is_finite());
        wanted.sort_by(|a, b| b.0.total_cmp(&a.0).then((a.3, a.2).cmp(&(b.3, b.2))));
        for (gain, kind, p, c) in wanted {
            if room == 0 {
                break;
            }
            go_on(self.stage)?;
            if let Some(changed) = self.opened(nodes, (gain, kind, p, c), &mut room) {
                let mut risen = 0.0;
                for (&node, parents) in &changed {
                    let new = self.families.expand(node as usize, parents, &[])?.0.score;
                    risen += new - nodes[node as usize].score;
                }
                if risen > EPSILON {
                    let changed = changed.into_iter().map(|(node, parents)| (node as usize, parents));
                    self.change(nodes, changed.collect())?;
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }

    /// The families in which a wanted arc and what must be opened for it would change, unless that costs more than it is worth.
    fn opened(
        &self,
        nodes: &[Choices],
        (gain, kind, p, c): (f64, Move, u32, u32),
        room: &mut u64,
    ) -> Option<Changed> {
        let mut changed = Changed::new();
        let (from, to) = match kind {
            Move::Turn => {
                changed.insert(c, without(&nodes[c as usize].parents, p));
                (p, c)
            }
            _ => (c, p),
        };
        let mut left = gain;
        for _ in 0..=MOST_OPENED {
            let Some(way) = way(nodes, &changed, from, to, room) else {
                let own = parents(nodes, &changed, from);
                if own.len() >= self.most {
                    return None;
                }
                let own = with(own, to);
                changed.insert(from, own);
                return (!has_circle(nodes, &changed)).then_some(changed);
            };
            // What each arc of the way costs, dropped or turned; those that are required cannot go.
            let costs = way.windows(2).filter_map(|arc| {
                let (a, b) = (arc[0], arc[1]);
                let own = &nodes[b as usize].drop;
                let dropped = own.iter().find(|drop| drop.0 == a)?.1;
                let turned = dropped + added(&nodes[a as usize], b).map_or(0.0, |gain| gain.max(0.0));
                let turns = turned > dropped && a != from && !parents(nodes, &changed, a).contains(&b);
                Some((if turns { turned } else { dropped }, turns, a, b))
            });
            let (cost, turns, a, b) = costs.reduce(|best, next| if next.0 > best.0 { next } else { best })?;
            left += cost;
            if left <= EPSILON {
                return None;
            }
            let rest = without(parents(nodes, &changed, b), a);
            changed.insert(b, rest);
            if turns {
                let more = parents(nodes, &changed, a);
                if more.len() < self.most {
                    let more = with(more, b);
                    changed.insert(a, more);
                }
            }
        }
        None
    }
}

/// What a further parent adds to a node, where it may have one.
fn added(node: &Choices, parent: u32) -> Option<f64> {
    let at = node.add.binary_search_by_key(&parent, |add| add.0).ok()?;
    Some(node.add[at].1)
}

fn parents<'n>(nodes: &'n [Choices], changed: &'n Changed, node: u32) -> &'n [u32] {
    changed.get(&node).unwrap_or(&nodes[node as usize].parents)
}

/// The shortest directed path from a node to another, if there is one.
fn way(nodes: &[Choices], changed: &Changed, from: u32, to: u32, room: &mut u64) -> Option<Vec<u32>> {
    // What is written for every node is written fast.
    *room = room.saturating_sub(1 + nodes.len() as u64 / 16);
    let mut child: Vec<Option<u32>> = vec![None; nodes.len()];
    let mut open = VecDeque::from([to]);
    while let Some(v) = open.pop_front() {
        *room = room.saturating_sub(1);
        for &p in parents(nodes, changed, v) {
            if p != to && child[p as usize].is_none() {
                child[p as usize] = Some(v);
                if p == from {
                    return Some(std::iter::successors(Some(from), |&v| child[v as usize]).collect());
                }
                open.push_back(p);
            }
        }
    }
    None
}

/// Whether a changed graph has a circle: one leads through a node that changed.
fn has_circle(nodes: &[Choices], changed: &Changed) -> bool {
    let through = |&node: &u32| {
        let (mut seen, mut open) = (BTreeSet::new(), parents(nodes, changed, node).to_vec());
        while let Some(v) = open.pop() {
            if v == node {
                return true;
            }
            if seen.insert(v) {
                open.extend(parents(nodes, changed, v));
            }
        }
        false
    };
    changed.keys().any(through)
}
