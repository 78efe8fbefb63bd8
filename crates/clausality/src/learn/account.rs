//! What later steps change in the graph stands in the trace too: all rows, where only part of them is held, and targets.

use crate::Error;
use crate::assemble::{Gains, Outcome, Proposal};
use crate::candidates::StrengthMatrix;
use crate::rules::Rules;
use crate::settings::Chosen;
use crate::shards::Counted;
use clausality_bn::counts::{Count, FarCounter};
use clausality_bn::{Dag, Table};

/// What all rows changed stands in the trace too; the graph that they settled for. Whatever is counted for that is counted together with what the graph's
/// probabilities need.
#[expect(clippy::too_many_arguments, reason = "what was before and after, and who counts for whom")]
pub(super) fn account_for_all(
    trace: &mut Vec<Proposal>,
    before: &Dag,
    after: Dag,
    table: &Table,
    all: &Counted<'_>,
    mut count: FarCounter<'_>,
    strengths: &StrengthMatrix,
    chosen: &Chosen,
) -> Result<Dag, Error> {
    let score = chosen.settings.network.arcs_judged_by();
    let gone = |proposal: &Proposal| {
        let (parent, child) = (proposal.parent, proposal.child);
        let gone = proposal.outcome.is_kept() && !after.has(parent, child);
        gone.then_some((parent, child))
    };
    let dropped = trace.iter().filter_map(gone).filter(|&(parent, child)| !after.has(child, parent));
    let with = dropped.map(|(parent, child)| with_parent(&after, parent, child));
    let own = (0..after.len()).map(|v| [after.parents(v), &[v]].concat());
    count.foresee(with.chain(own).collect());
    let mut gains = Gains::of_rows(table, count, score, all)?;
    for proposal in trace.iter_mut() {
        let Some((parent, child)) = gone(proposal) else { continue };
        proposal.outcome = match after.has(child, parent) {
            true => Outcome::Opposed,
            false => Outcome::NoGain(all.whole(gains.of(&after, parent, child))??),
        };
    }
    add_to_trace(trace, before, &after, strengths, &chosen.rules, &Outcome::Kept);
    Ok(after)
}

/// The family of a child with a parent that it does not have.
fn with_parent(dag: &Dag, parent: usize, child: usize) -> Vec<usize> {
    let mut family = [dag.parents(child), &[child]].concat();
    family.insert(dag.parents(child).partition_point(|&p| p < parent), parent);
    family
}

/// What the targets changed stands in the trace too.
pub(super) fn account_for_targets(
    trace: &mut Vec<Proposal>,
    before: &Dag,
    after: &Dag,
    strengths: &StrengthMatrix,
    rules: &Rules,
) {
    for proposal in trace.iter_mut().filter(|proposal| proposal.outcome.is_kept()) {
        if !after.has(proposal.parent, proposal.child) {
            proposal.outcome = Outcome::Misleads;
        }
    }
    add_to_trace(trace, before, after, strengths, rules, &Outcome::Predicts);
}

/// Arcs that a graph has and one before had not stand in the trace.
fn add_to_trace(
    trace: &mut Vec<Proposal>,
    before: &Dag,
    after: &Dag,
    strengths: &StrengthMatrix,
    rules: &Rules,
    outcome: &Outcome,
) {
    for (parent, child) in after.arcs().filter(|&(p, c)| !before.has(p, c)) {
        trace.retain(|proposal| (proposal.parent, proposal.child) != (parent, child));
        trace.push(Proposal {
            parent,
            child,
            strength: strengths.get(child, parent),
            rank: 0,
            proposer: child,
            phase: rules.role(child),
            gain: None,
            outcome: outcome.clone(),
        });
    }
}
