//! What an action does, over all graphs that the data cannot tell apart.
//!
//! ```text
//! P(v \ x | do(x)) = P(v, x) / Π_i P(x_i | pa_i)            for each graph G of the class, pa_i the parents of X_i in G
//! low(y)  = min over G of P(y | do(x), e),    high(y) = max over G of P(y | do(x), e)
//! ```
//!
//! All graphs of a class have the same distribution `P`, the network's own, so an effect depends on the graph only through the
//! parents of the nodes that are set. [`Pdag::parent_sets`] lists these: an edge at such a node is directed either way and Meek's rules
//! are followed; in a graph closed under them no such choice leads nowhere, so every set is met once and each belongs to a graph of the class.
//! Findings `e` are conditioned on after the action, in each graph: that is what `do` and `given` mean together in one network.
//!
//! Where `P(x_i | pa_i) = 0` though `pa_i` can be, the distribution does not tell what setting `X_i` would do there. The share `m` of such cases
//! may hold anything: it widens the band to `[A_y / (A + m), (A_y + m) / (A + m)]`, `A_y = Σ P(y, e, v, x) / Π P(x_i | pa_i)`, `A = Σ_y A_y`.
//!
//! Implements: IDA (Maathuis, Kalisch and Bühlmann 2009, arXiv:0810.4214) in its semi-local form for graphs with background knowledge (Perković,
//! Kalisch and Maathuis 2017, arXiv:1707.02171), jointly for several nodes (Nandy, Maathuis and Richardson 2017, arXiv:1407.2451); the bound for cases that never
//! are is Manski's (1990). The network draws one member of the class, whose answer is always within the band.

mod replicates;
#[cfg(test)]
mod tests;

pub use replicates::{DRAWS, Replicates, Spread};
pub(crate) use replicates::{TAIL, point};

use crate::infer::{Evidence, Finding, Infer, Tiny, Witness, carried, with_witnesses};
use crate::{Error, Network, Pdag};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The most sets of parents that are looked at.
pub const MOST_MEMBERS: usize = 1024;

/// Bands narrower than this are rounding.
const ROUNDING: f64 = 1e-9;

/// The parents that the members of a class give some nodes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParentSets {
    /// For every way to direct the edges at the nodes: the parents of each, ascending.
    pub sets: Vec<Vec<Vec<usize>>>,
    /// Whether these are all.
    pub whole: bool,
}

/// The band of an answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Effects {
    /// The least probability of every state of every target.
    pub low: Vec<Vec<f64>>,
    /// The largest.
    pub high: Vec<Vec<f64>>,
    /// How many sets of parents gave an answer.
    pub members: usize,
    /// Whether these are all; if not the band is at least this wide.
    pub whole: bool,
    /// The arcs, as drawn, whose direction the answer rests on and nothing tells; none where the answer is the same either way.
    pub open: Vec<(usize, usize)>,
}

impl Pdag {
    /// The parents that the graphs with these arcs, edges and colliders give to some nodes; at most so many ways. The graph must be closed under
    /// Meek's rules, as [`Pdag::complete`] and [`Pdag::with_arcs`] leave it.
    pub fn parent_sets(&self, nodes: &[usize], most: usize) -> ParentSets {
        let at = |graph: &Pdag, node: usize| graph.undirected().find(|&(a, b)| a == node || b == node);
        let (mut sets, mut open) = (vec![], vec![self.clone()]);
        while let Some(graph) = open.pop() {
            if sets.len() == most {
                return ParentSets { sets, whole: false };
            }
            match nodes.iter().find_map(|&node| at(&graph, node)) {
                Some((a, b)) => {
                    open.push(graph.clone().with_arcs([(b, a)]));
                    open.push(graph.with_arcs([(a, b)]));
                }
                None => {
                    let parents = |&node: &usize| {
                        graph.directed().filter(|arc| arc.1 == node).map(|arc| arc.0).collect()
                    };
                    sets.push(nodes.iter().map(parents).collect());
                }
            }
        }
        ParentSets { sets, whole: true }
    }
}

/// The class of a network's graph under an action: for every set of parents somebody to ask.
#[derive(Debug)]
pub struct Acts<'a> {
    network: &'a Arc<Network>,
    class: &'a Pdag,
    limit: u64,
    /// `P(x | s)` for every configuration of a set, and whether one has probability 0 though it can be; by node, state and set.
    chances: BTreeMap<(usize, u8, Vec<usize>), Arc<Chances>>,
}

#[derive(Debug)]
struct Chances {
    given: Vec<f64>,
    unsupported: bool,
}

/// One set of parents, ready to be asked under the action.
#[derive(Debug)]
pub struct Acted {
    infer: Infer,
    evidence: Evidence,
    /// What the witnesses' numbers were divided by.
    scale: f64,
    /// The share of cases that the distribution tells nothing of.
    untold: f64,
}

impl Acted {
    /// The posterior of each of the targets, and the share of it that may be anything.
    ///
    /// # Errors
    /// As [`Infer::posteriors_of`].
    pub fn posteriors_of(&mut self, targets: &[usize]) -> Result<(Vec<Vec<f64>>, f64), Error> {
        let found = self.infer.posteriors_of(targets, &self.evidence)?;
        Ok((found.probabilities, self.share(found.evidence)))
    }

    /// The same for the states of the targets together, the last target's varying fastest.
    ///
    /// # Errors
    /// As [`Infer::posterior`].
    pub fn posterior(&mut self, targets: &[usize]) -> Result<(Vec<f64>, f64), Error> {
        let found = self.infer.posterior(targets, &self.evidence)?;
        Ok((found.probabilities, self.share(found.evidence)))
    }

    fn share(&self, seen: Tiny) -> f64 {
        if self.untold == 0.0 { 0.0 } else { self.untold / (seen.value() / self.scale + self.untold) }
    }
}

impl<'a> Acts<'a> {
    /// Of a network and the class that its graph belongs to, closed under Meek's rules; inference may take so many bytes.
    pub fn new(network: &'a Arc<Network>, class: &'a Pdag, limit: u64) -> Self {
        Acts { network, class, limit, chances: BTreeMap::new() }
    }

    /// The sets of parents of the nodes that are set, at most [`MOST_MEMBERS`].
    pub fn parent_sets(&self, set: &[usize]) -> ParentSets {
        self.class.parent_sets(set, MOST_MEMBERS)
    }

    /// The network under an action of the evidence, where the nodes that are set have these parents.
    ///
    /// # Errors
    /// As [`Infer::posterior`].
    pub fn acted(
        &mut self,
        evidence: &Evidence,
        parents: &BTreeMap<usize, Vec<usize>>,
    ) -> Result<Acted, Error> {
        let (mut witnesses, mut seen, mut scale, mut unsupported) = (vec![], evidence.clone(), 1.0, false);
        for (&node, parents) in parents {
            let &Finding::Set(state) = evidence.finding(node) else { continue };
            // The network's own table is simply left out.
            if self.network.dag().parents(node) == parents.as_slice() {
                continue;
            }
            let chances = self.chances(node, state, parents)?;
            let least = chances.given.iter().copied().filter(|&p| p > 0.0).fold(1.0, f64::min);
            let yes = |&p: &f64| if p > 0.0 { least / p } else { 0.0 };
            witnesses.push(Witness { of: parents.clone(), yes: chances.given.iter().map(yes).collect() });
            scale *= least;
            unsupported |= chances.unsupported;
            seen.clear(node);
            seen.observe(node, state)?;
        }
        if witnesses.is_empty() {
            let infer = Infer::new(self.network.clone()).with_limit(self.limit);
            return Ok(Acted { infer, evidence: seen, scale: 1.0, untold: 0.0 });
        }
        let network = with_witnesses(self.network, &witnesses)?;
        let mut evidence = carried(&seen, &network)?;
        let mut alone = Evidence::new(&network);
        for (node, finding) in seen.findings().iter().enumerate() {
            match finding {
                Finding::Set(state) => alone.intervene(node, *state)?,
                Finding::Observed(state) if parents.contains_key(&node) => alone.observe(node, *state)?,
                _ => {}
            }
        }
        for k in 0..witnesses.len() {
            evidence.observe(self.network.len() + k, 0)?;
            alone.observe(self.network.len() + k, 0)?;
        }
        let mut infer = Infer::new(network).with_limit(self.limit);
        let told = if unsupported { infer.evidence_probability(&alone)?.value() / scale } else { 1.0 };
        Ok(Acted { infer, evidence, scale, untold: (1.0 - told).max(0.0) })
    }

    fn chances(&mut self, node: usize, state: u8, parents: &[usize]) -> Result<Arc<Chances>, Error> {
        let key = (node, state, parents.to_vec());
        if let Some(known) = self.chances.get(&key) {
            return Ok(known.clone());
        }
        let mut infer = Infer::new(self.network.clone()).with_limit(self.limit);
        let asked: Vec<usize> = parents.iter().copied().chain([node]).collect();
        let joint = infer.posterior(&asked, &Evidence::new(self.network))?.probabilities;
        let (mut given, mut unsupported) = (vec![], false);
        for row in joint.chunks_exact(self.network.schema().cardinality(node)) {
            let sum: f64 = row.iter().sum();
            let this = row[usize::from(state)];
            given.push(if sum > 0.0 { this / sum } else { 0.0 });
            unsupported |= sum > 0.0 && this == 0.0;
        }
        let found = Arc::new(Chances { given, unsupported });
        self.chances.insert(key, found.clone());
        Ok(found)
    }
}

/// The nodes that the evidence sets.
pub fn set_nodes(evidence: &Evidence) -> Vec<usize> {
    let set = |(node, finding): (usize, &Finding)| matches!(finding, Finding::Set(_)).then_some(node);
    evidence.findings().iter().enumerate().filter_map(set).collect()
}

/// The band of every target's posterior under the evidence's actions, over a class closed under Meek's rules that the network's graph belongs to.
///
/// # Errors
/// As [`Infer::posterior`]: evidence that cannot be in the network as it is drawn; a question too large for so many bytes. A
/// graph of the class under which the evidence cannot be has no say.
pub fn effects(
    network: &Arc<Network>,
    class: &Pdag,
    targets: &[usize],
    evidence: &Evidence,
    limit: u64,
) -> Result<Effects, Error> {
    let drawn = Infer::new(network.clone()).with_limit(limit).posteriors_of(targets, evidence)?.probabilities;
    let set = set_nodes(evidence);
    let mut acts = Acts::new(network, class, limit);
    let ParentSets { sets, whole } = acts.parent_sets(&set);
    let (mut low, mut high) = (drawn.clone(), drawn.clone());
    let mut members = 0;
    for parents in &sets {
        let own = |(&node, parents): (&usize, &Vec<usize>)| network.dag().parents(node) == parents.as_slice();
        if set.iter().zip(parents).all(own) {
            members += 1;
            continue;
        }
        let parents = set.iter().copied().zip(parents.iter().cloned()).collect();
        let mut acted = acts.acted(evidence, &parents)?;
        let (found, share) = match acted.posteriors_of(targets) {
            Ok(found) => found,
            // Nothing of what was seen is told of under this action: it may be anything, or cannot be.
            Err(Error::ImpossibleEvidence) if acted.untold > 0.0 => (drawn.clone(), 1.0),
            Err(Error::ImpossibleEvidence) => continue,
            Err(error) => return Err(error),
        };
        members += 1;
        for (k, &target) in targets.iter().enumerate() {
            let known = evidence.finding(target).state().is_some();
            let share = if known { 0.0 } else { share };
            for (s, p) in found[k].iter().enumerate() {
                low[k][s] = low[k][s].min(p * (1.0 - share));
                high[k][s] = high[k][s].max(p * (1.0 - share) + share);
            }
        }
    }
    let mut wide = false;
    for (k, drawn) in drawn.iter().enumerate() {
        for (s, &p) in drawn.iter().enumerate() {
            match high[k][s] - low[k][s] > ROUNDING {
                true => wide = true,
                false => (low[k][s], high[k][s]) = (p, p),
            }
        }
    }
    let as_drawn = |(a, b): (usize, usize)| if network.dag().has(a, b) { (a, b) } else { (b, a) };
    let mut open: Vec<(usize, usize)> = match wide {
        true => {
            class.undirected().filter(|(a, b)| set.contains(a) || set.contains(b)).map(as_drawn).collect()
        }
        false => vec![],
    };
    open.sort_unstable();
    Ok(Effects { low, high, members, whole, open })
}
