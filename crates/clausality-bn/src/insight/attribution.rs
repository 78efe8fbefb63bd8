//! What each finding did to the answer, whatever the order in which they came.
//!
//! ```text
//! push_i = Σ_{S ⊆ F \ i}  |S|! (k − |S| − 1)! / k!  · ( v(S ∪ i) − v(S) ),     v(S) = P(t | findings S, what is done)
//! Σ_i push_i = v(F) − v(∅)
//! ```
//!
//! Implements: Shapley (1953), exactly, over the observations and reports; what is done (`do`) holds in every set. All `2^k` posteriors come from one
//! elimination: beside every finding stands a witness that says yes where the finding holds, and from the joint distribution of the
//! target and the witnesses each set is a sum. The log-odds `ln(p / (1 − p))` are attributed in the same way where they are finite.

use super::open_target;
use crate::infer::{Evidence, Finding, Infer, Witness, carried, with_witnesses};
use crate::math::ln;
use crate::{Error, Network};
use std::sync::Arc;

/// The most findings that are attributed: `2^12` sets.
pub const MOST_FINDINGS: usize = 12;

/// What the findings did to a target.
#[derive(Debug, Clone, PartialEq)]
pub struct Attribution {
    /// The target's distribution without the findings.
    pub before: Vec<f64>,
    /// And with all of them.
    pub after: Vec<f64>,
    /// Every finding's node, in the order of the network.
    pub findings: Vec<usize>,
    /// By how much each moved the probability of every state of the target.
    pub pushes: Vec<Vec<f64>>,
    /// By how much each moved its log-odds; nothing for a state that some of the findings settle.
    pub log_odds: Vec<Vec<Option<f64>>>,
}

/// What each finding did; those of nodes that `held` names hold in every set, as what is done does.
///
/// # Errors
/// As [`Infer::posterior`]; a target whose state is known; [`Error::FindingCount`] for more findings than [`MOST_FINDINGS`].
pub fn attribute(
    network: &Arc<Network>,
    target: usize,
    evidence: &Evidence,
    held: &dyn Fn(usize) -> bool,
    limit: u64,
) -> Result<Attribution, Error> {
    open_target(network, target, evidence)?;
    let (mut findings, mut witnesses, mut done) = (vec![], vec![], evidence.clone());
    for (node, finding) in evidence.findings().iter().enumerate() {
        let yes = match finding {
            Finding::Free | Finding::Set(_) => continue,
            _ if held(node) => continue,
            Finding::Observed(state) => {
                let states = network.schema().cardinality(node);
                (0..states).map(|s| f64::from(u8::from(s == usize::from(*state)))).collect()
            }
            Finding::Likelihood(shares) => shares.clone(),
        };
        findings.push(node);
        witnesses.push(Witness { of: vec![node], yes });
        done.clear(node);
    }
    let k = findings.len();
    if k > MOST_FINDINGS {
        return Err(Error::FindingCount { findings: k, most: MOST_FINDINGS });
    }
    let wider = with_witnesses(network, &witnesses)?;
    let done = carried(&done, &wider)?;
    let asked: Vec<usize> = [target].into_iter().chain(network.len()..network.len() + k).collect();
    let mut infer = Infer::new(wider).with_limit(limit);
    let mut joint = infer.posterior(&asked, &done)?.probabilities;
    // A bit of the place is 0 where the witness says yes; summed up, it is 1 where nothing is said.
    for bit in 0..k {
        for place in (0..joint.len()).filter(|place| place >> bit & 1 == 1) {
            joint[place] += joint[place ^ (1 << bit)];
        }
    }
    let (sets, states) = (1usize << k, network.schema().cardinality(target));
    let mut values = vec![vec![0.0; states]; sets];
    for (left_out, row) in values.iter_mut().enumerate() {
        let sum: f64 = (0..states).map(|t| joint[t * sets + left_out]).sum();
        if sum == 0.0 {
            return Err(Error::ImpossibleEvidence);
        }
        (0..states).for_each(|t| row[t] = joint[t * sets + left_out] / sum);
    }
    let odds = |p: f64| ln(p) - ln(1.0 - p);
    let settled = |t: usize| values.iter().any(|row| row[t] <= 0.0 || row[t] >= 1.0);
    let weights = weights(k);
    let (mut pushes, mut log_odds) = (vec![], vec![]);
    for finding in 0..k {
        // The first finding is the slowest bit.
        let bit = 1 << (k - 1 - finding);
        let shapley = |value: &dyn Fn(usize) -> f64| {
            let without = (0..sets).filter(|set| set & bit != 0);
            without.map(|set| weights[k - set.count_ones() as usize] * (value(set ^ bit) - value(set))).sum()
        };
        pushes.push((0..states).map(|t| shapley(&|set| values[set][t])).collect());
        let of_state = |t: usize| (!settled(t)).then(|| shapley(&|set| odds(values[set][t])));
        log_odds.push((0..states).map(of_state).collect());
    }
    let before = values[sets - 1].clone();
    let after = values.swap_remove(0);
    Ok(Attribution { before, after, findings, pushes, log_odds })
}

/// `s! (k − s − 1)! / k!` for `s` findings known before.
fn weights(k: usize) -> Vec<f64> {
    let factorial = |n: usize| (1..=n).map(|i| i as f64).product::<f64>();
    (0..k).map(|s| factorial(s) * factorial(k - s - 1) / factorial(k)).collect()
}
