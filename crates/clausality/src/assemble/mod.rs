//! From candidates and rules to a legal graph, with a reason for every arc that is or is not in it.

mod families;
mod hybrid;
mod order;
mod paper;

pub use hybrid::{HybridParams, assemble as assemble_hybrid};
pub use paper::{Competing, Cycles, PaperParams, assemble as assemble_paper};

use crate::rules::{Refusal, Role};
use clausality_bn::Dag;
use serde::{Deserialize, Serialize};

/// A graph and how it came about.
#[derive(Debug, Clone, PartialEq)]
pub struct Assembly {
    /// The graph.
    pub dag: Dag,
    /// What became of every arc that was proposed, in the order of proposal.
    pub trace: Vec<Proposal>,
}

/// An arc that was proposed, and what became of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Proposal {
    /// Where it starts.
    pub parent: usize,
    /// Where it ends.
    pub child: usize,
    /// The strength it was proposed with.
    pub strength: f64,
    /// Its place on the proposer's list, from 1; 0 for a required arc.
    pub rank: usize,
    /// The node on whose list it stood; for a required arc its child.
    pub proposer: usize,
    /// The role of the proposer: parameters propose first, the unobserved last.
    pub phase: Role,
    /// What became of it.
    pub outcome: Outcome,
}

/// What became of a proposed arc.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// It is in the graph.
    Kept,
    /// It is in the graph because the user requires it.
    Required,
    /// The same arc was proposed with at least this strength.
    Duplicate(f64),
    /// The opposite arc was proposed and won; its strength (pairwise) or its parent's total (total).
    Turned(f64),
    /// It would have closed the cycle through these nodes, in which it is the weakest arc.
    ClosesCycle(Vec<usize>),
    /// The child has as many parents as it may have.
    ParentLimit(usize),
    /// The rules do not allow it.
    Refused(Refusal),
}
