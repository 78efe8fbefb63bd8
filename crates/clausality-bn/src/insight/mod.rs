//! From a posterior to a decision: what to ask next, what each finding did, what would change the answer, what to do.
//!
//! | question | function |
//! |---|---|
//! | what a node not yet seen would tell of the target, and how each of its states would move it | [`unseen`] |
//! | what each finding did to the target | [`attribute`] |
//! | what a small error in a table would do, and which one turns the answer | [`sensitivity`] |
//! | what each action is worth, and what it is worth to know more before | [`decide`] |

mod attribution;
mod decision;
mod information;
mod sensitivity;
#[cfg(test)]
mod tests;

pub use attribution::{Attribution, MOST_FINDINGS, attribute};
pub use decision::{Action, Decision, Respread, Valued, Worth, decide};
pub use information::{Unseen, entropy, nearest, unseen};
pub use sensitivity::{Flip, Parameter, sensitivity};

use crate::infer::{Evidence, Finding};
use crate::{Error, Network};

/// Refuses a target whose state is known: nothing can move it.
fn open_target(network: &Network, target: usize, evidence: &Evidence) -> Result<(), Error> {
    if target >= network.len() {
        return Err(Error::UnknownVariable(format!("#{target}")));
    }
    match evidence.finding(target) {
        Finding::Free | Finding::Likelihood(_) => Ok(()),
        Finding::Observed(_) | Finding::Set(_) => {
            let variable = network.schema().name(target).to_string();
            let reason = "its state is known, so nothing can move it: ask about another node".to_string();
            Err(Error::Evidence { variable, reason })
        }
    }
}

/// The first of the largest.
fn likeliest(chances: &[f64]) -> usize {
    (0..chances.len()).rev().max_by(|&a, &b| chances[a].total_cmp(&chances[b])).unwrap_or(0)
}
