//! What later steps change in the graph stands in the trace too: all rows, where only part of them is held, and targets.

use crate::Error;
use crate::assemble::{Gains, Outcome, Proposal};
use crate::candidates::StrengthMatrix;
use crate::rules::Rules;
use crate::settings::Chosen;
use crate::shards::Counted;
use clausality_bn::counts::FarCounter;
use clausality_bn::{Dag, Table};

/// What all rows changed stands in the trace too; the graph that they settled for.
pub(super) fn account_for_all(
    trace: &mut Vec<Proposal>,
    before: &Dag,
    after: Dag,
    table: &Table,
    all: &Counted<'_>,
    strengths: &StrengthMatrix,
    chosen: &Chosen,
) -> Result<Dag, Error> {
    let score = chosen.settings.network.arcs_judged_by();
    let mut gains = Gains::of_rows(table, FarCounter::new(all), score, all)?;
    for proposal in trace.iter_mut().filter(|proposal| proposal.outcome.is_kept()) {
        let (parent, child) = (proposal.parent, proposal.child);
        if after.has(child, parent) {
            proposal.outcome = Outcome::Opposed;
        } else if !after.has(parent, child) {
            let gain = gains.of(&after, parent, child);
            proposal.outcome = Outcome::NoGain(all.whole(gain)??);
        }
    }
    add_to_trace(trace, before, &after, strengths, &chosen.rules, &Outcome::Kept);
    Ok(after)
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
