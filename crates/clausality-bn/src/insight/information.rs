//! What a node that is not yet seen would tell of a target.
//!
//! ```text
//! I(T; N | e) = Σ_t P(t | e) Σ_n P(n | t, e) log2( P(n | t, e) / P(n | e) )        bits
//! P(t | n, e) = P(n | t, e) P(t | e) / P(n | e)
//! ```
//!
//! The first is how much, on average, seeing `N` would lessen the doubt about `T` (Shannon 1948; as the value of an observation in a
//! network: Pearl 1988, §6.4); the second is the tornado. Both need one propagation for every state of the target and one more, whatever the
//! number of nodes.

use super::open_target;
use crate::infer::{Evidence, Infer};
use crate::math::ln;
use crate::{Error, Network};

/// A node whose state is not known, and the target seen from it.
#[derive(Debug, Clone, PartialEq)]
pub struct Unseen {
    /// The node.
    pub node: usize,
    /// The probability of every state.
    pub chances: Vec<f64>,
    /// The target's distribution in every state; nothing for one that cannot be.
    pub target_given: Vec<Option<Vec<f64>>>,
    /// What seeing it would tell of the target on average, in bits.
    pub information: f64,
}

/// The doubt that a distribution leaves, in bits.
pub fn entropy(chances: &[f64]) -> f64 {
    let bits = chances.iter().filter(|&&p| p > 0.0).map(|&p| -p * ln(p)).sum::<f64>();
    (bits / std::f64::consts::LN_2).max(0.0)
}

/// The nodes of a network that are nearest to one of them, itself left out: along the arcs, whatever their direction, and of those as near in the order of the
/// network. What is known stops nobody, but is not counted.
pub fn nearest(network: &Network, to: usize, evidence: &Evidence, most: usize) -> Vec<usize> {
    let (dag, mut seen, mut found) = (network.dag(), vec![false; network.len()], vec![]);
    seen[to] = true;
    let mut around = vec![to];
    while !around.is_empty() && found.len() < most {
        let mut next: Vec<usize> =
            around.iter().flat_map(|&v| dag.parents(v).iter().chain(dag.children(v)).copied()).collect();
        next.sort_unstable();
        next.dedup();
        next.retain(|&v| !std::mem::replace(&mut seen[v], true));
        found.extend(next.iter().copied().filter(|&v| evidence.finding(v).state().is_none()));
        around = next;
    }
    found.truncate(most);
    found.sort_unstable();
    found
}

/// Every node but the target whose state is not known, or those `among` some, in the order of the network, and the target's own distribution.
///
/// # Errors
/// As [`Infer::posteriors`]; a target whose state is known.
pub fn unseen(
    infer: &mut Infer,
    target: usize,
    evidence: &Evidence,
    among: Option<&[usize]>,
) -> Result<(Vec<f64>, Vec<Unseen>), Error> {
    open_target(infer.network(), target, evidence)?;
    let all: Vec<usize> = (0..infer.network().len()).collect();
    let open = |v: &usize| *v != target && evidence.finding(*v).state().is_none();
    let nodes: Vec<usize> = among.unwrap_or(&all).iter().copied().filter(open).collect();
    let asked: Vec<usize> = nodes.iter().copied().chain([target]).collect();
    let mut prior = infer.posteriors_of(&asked, evidence)?.probabilities;
    let of_target = prior.pop().unwrap_or_default();
    let mut by_state = Vec::with_capacity(of_target.len());
    for (state, &p) in of_target.iter().enumerate() {
        if p == 0.0 {
            by_state.push(None);
            continue;
        }
        let mut seen = evidence.clone();
        seen.clear(target);
        seen.observe(target, state as u8)?;
        by_state.push(Some(infer.posteriors_of(&nodes, &seen)?.probabilities));
    }
    let view = |(k, &node): (usize, &usize)| {
        let chances = prior[k].clone();
        let mut information = 0.0;
        for (found, &p) in by_state.iter().zip(&of_target) {
            let Some(found) = found else { continue };
            let gains = found[k].iter().zip(&chances).filter(|(q, p)| **q > 0.0 && **p > 0.0);
            information += p * gains.map(|(&q, &p)| q * ln(q / p)).sum::<f64>();
        }
        let given = |n: usize| {
            let joint = by_state.iter().zip(&of_target);
            let mut row: Vec<f64> =
                joint.map(|(found, &p)| found.as_ref().map_or(0.0, |found| found[k][n] * p)).collect();
            let sum: f64 = row.iter().sum();
            row.iter_mut().for_each(|p| *p /= sum);
            (chances[n] > 0.0 && sum > 0.0).then_some(row)
        };
        let target_given = (0..chances.len()).map(given).collect();
        let information = (information / std::f64::consts::LN_2).max(0.0);
        Unseen { node, target_given, information, chances }
    };
    let found = nodes.iter().enumerate().map(view).collect();
    Ok((of_target, found))
}
