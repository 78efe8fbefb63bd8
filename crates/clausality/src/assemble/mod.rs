//! From candidates and rules to a legal graph, with a reason for every arc that is or is not in it.

mod bitwise;
mod blanket;
mod checkpoint;
mod classic;
mod climb;
mod constraint;
mod fair;
mod families;
mod figures;
mod ground;
mod hybrid;
mod local;
mod order;
mod paper;
mod prior;
mod settings;
mod shake;
mod steps;
#[cfg(test)]
mod tests;
mod through;
mod trace;
mod watched;
mod widen;

pub use blanket::neighbourhood;
pub use hybrid::assemble as assemble_hybrid;
pub use paper::assemble as assemble_paper;
pub use prior::equivalent_sample_size;
pub(crate) use settings::MOST_REPETITIONS;
pub use settings::{
    Assembler, Competing, Cycles, Effort, NetworkSettings, PriorName, ScoreName, TreeWeights,
};
pub use trace::Gains;

pub(crate) use families::counting_bytes;
pub(crate) use hybrid::{Steps, assemble_keeping as assemble_hybrid_keeping, settle};
pub(crate) use order::remembered_bytes;
pub(crate) use watched::Watched;

use crate::Error;
use crate::candidates::StrengthMatrix;
use crate::rules::{Refusal, Role, Rules};
use crate::watch::Watch;
use classic::Classic;
use clausality_bn::{Dag, Table};
use serde::{Deserialize, Serialize};

/// The graph that the chosen assembler makes of strengths; where none is chosen, the hybrid one.
///
/// # Errors
/// [`Error::Cancelled`] if whoever watches calls it off.
pub fn assemble(
    table: &Table,
    strengths: &StrengthMatrix,
    rules: &Rules,
    settings: &NetworkSettings,
    seed: u64,
    watch: &dyn Watch,
) -> Result<Assembly, Error> {
    assemble_keeping(table, strengths, rules, settings, seed, Steps::default(), watch)
}

/// The same; what its steps found is kept, and not sought again.
///
/// # Errors
/// As [`assemble`]; a disk that cannot keep what is finished.
pub(crate) fn assemble_keeping(
    table: &Table,
    strengths: &StrengthMatrix,
    rules: &Rules,
    settings: &NetworkSettings,
    seed: u64,
    steps: Steps<'_>,
    watch: &dyn Watch,
) -> Result<Assembly, Error> {
    let classic = |which| classic::assemble(table, strengths, rules, which, settings, watch);
    match settings.assembler.unwrap_or(Assembler::Hybrid) {
        Assembler::Paper => Ok(paper::watched(strengths, table.schema(), rules, settings, watch)?),
        Assembler::Hybrid => assemble_hybrid_keeping(table, strengths, rules, settings, seed, steps, watch),
        Assembler::Hc => classic(Classic::Hc),
        Assembler::Tabu => classic(Classic::Tabu),
        Assembler::ChowLiu => classic(Classic::ChowLiu),
        Assembler::Pc => classic(Classic::Pc),
        Assembler::Mmhc => classic(Classic::Mmhc),
    }
}

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
    /// What the arc adds to the score of the graph that came out, or would add; unknown until somebody counts.
    pub gain: Option<f64>,
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
    /// It would have closed the cycle through these nodes, beginning with its parent; where arcs compete by strength, it
    /// is the weakest of them.
    ClosesCycle(Vec<usize>),
    /// The child has as many parents as it may have.
    ParentLimit(usize),
    /// The child's table would have more cells than these.
    TableLimit(usize),
    /// The rules do not allow it.
    Refused(Refusal),
    /// The first search had it, and re-orienting turned it.
    Reoriented,
    /// The first search had it, and re-orienting dropped it.
    DroppedInReorientation,
    /// A search that knew both preferred the opposite arc.
    Opposed,
    /// Adding it to the graph would change the score by this, which is not above zero; what a parent costs is in it.
    NoGain(f64),
    /// Adding it to the graph would raise the score by this, but the search had fixed the neighbours before that was so.
    Unused(f64),
    /// It is in the graph because it helps to predict a target on rows left out.
    Predicts,
    /// It was in the graph, and a target is predicted better without it on rows left out.
    Misleads,
}
