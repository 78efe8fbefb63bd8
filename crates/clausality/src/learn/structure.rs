//! Strengths, then arcs: the part of learning that repetitions repeat.
//!
//! Where gaps are to be filled in (structural EM), the graph that was found on the rows that have each family is only the first:
//!
//! ```text
//! G_0 = arcs from the rows that have each family;   repeat:  θ = EM(G_i),  gaps drawn from P(gaps | values, θ),  G_{i+1} = arcs from the filled table
//! ```
//!
//! The searches of G_1 and of the last graph are whole ones. The first graph, and those in between, which begin with the one before, are improved step by
//! step only: what is filled in next hardly hangs on the last nats.
//!
//! Implements: Friedman, *The Bayesian structural EM algorithm*, 1998, with a draw in place of the expectation: scores need whole rows.

use crate::Error;
use crate::assemble::{Assembly, Steps, assemble_hybrid_keeping, assemble_keeping, neighbourhood, settle};
use crate::candidates::StrengthMatrix;
use crate::data::{Bounds, Dataset, MissingRule};
use crate::folder::Kept;
use crate::model::estimate;
use crate::settings::{Chosen, Settings};
use crate::shards::AllRows;
use crate::strengths::{self, Strengths};
use crate::time::Runs;
use crate::watch::{Stage, Underway, Watch};
use clausality_bn::counts::FarCounter;
use clausality_bn::em::{Gaps, MOST_ROUNDS};
use clausality_bn::random::Stream;
use clausality_bn::{Dag, Table};

/// How often gaps are filled anew at most; where a graph came back the next time is the last.
const FILLINGS: usize = 4;

/// What the machines find, and the graph that the assembler makes of it, before any target judges it.
pub(super) fn structure(
    table: &Table,
    runs: Option<&Runs>,
    chosen: &Chosen,
    bounds: &Bounds,
    kept: Kept<'_>,
    watch: &dyn Watch,
) -> Result<(Strengths, Assembly), Error> {
    let Chosen { settings, rules, .. } = chosen;
    let strengths = strengths::measure_keeping(table, runs, &settings.strengths, settings.seed, kept, watch)?;
    let matrix = strengths.matrix(table.schema());
    let assemble = |table: &Table, brief: bool, from: Option<&Dag>| {
        kept_assembly(kept, if brief { "first arcs" } else { "arcs" }, table, |steps| {
            let steps = Steps { brief, from, ..steps };
            assemble_keeping(table, &matrix, rules, &settings.network, settings.seed, steps, watch)
        })
    };
    let fill = settings.data.missing.values().any(|rule| *rule == MissingRule::Em) && table.has_missing();
    let mut assembly = assemble(table, fill, None)?;
    let mut at_rest = false;
    for filling in 0..if fill { FILLINGS } else { 0 } {
        let believed = settings.network.believed();
        let stage = Underway::begin(watch, Stage::Expect, MOST_ROUNDS);
        let network = estimate(&assembly.dag, table, None, believed, bounds, &stage)?.network;
        drop(stage);
        let Ok(gaps) = Gaps::new(&network, table, bounds.table_bytes()) else {
            // Too much to fill in together: what the rows that have each family say must do.
            assembly = assemble(table, false, None)?;
            break;
        };
        let mut stream = Stream::new(settings.seed, &format!("filling {filling}"));
        let filled = gaps.filled(&network, table, &mut stream)?;
        // The first graph leaned on few rows, so the second is sought anew.
        let last = at_rest || filling + 1 == FILLINGS;
        let brief = !last && filling > 0;
        let next = assemble(&filled, brief, brief.then_some(&assembly.dag))?;
        at_rest = next.dag == assembly.dag;
        assembly = next;
        if last {
            break;
        }
    }
    Ok((strengths, assembly))
}

/// Where the graph that some rows propose settles when all rows are counted; nothing where that is not to be: an assembler that has no
/// such step, or cells without a value.
pub(super) fn settled(
    table: &Table,
    proposed: &Dag,
    all: &AllRows<'_>,
    strengths: &StrengthMatrix,
    chosen: &Chosen,
    kept: Kept<'_>,
    watch: &dyn Watch,
) -> Result<Option<Dag>, Error> {
    if all.any_gaps() {
        return Ok(None);
    }
    let arcs: Vec<(usize, usize)> = proposed.arcs().collect();
    let name = format!("arcs of all {} from {}", all.fingerprint(), kept.digest(&arcs));
    let found: Option<Vec<(usize, usize)>> = kept.piece(&name, || {
        let rows = all.counted_by_name(watch);
        let (count, network) = (FarCounter::new(&rows), &chosen.settings.network);
        let steps = Steps { kept, of: &name, ..Steps::default() };
        let found = settle(table, count, proposed, strengths, &chosen.rules, network, steps, &rows);
        Ok(rows.whole(found)??.map(|dag| dag.arcs().collect()))
    })?;
    Ok(found.and_then(|arcs| graph(table.schema().len(), arcs)))
}

/// What an assembler makes of a table, or made of it before.
fn kept_assembly(
    kept: Kept<'_>,
    name: &str,
    table: &Table,
    assemble: impl FnOnce(Steps<'_>) -> Result<Assembly, Error>,
) -> Result<Assembly, Error> {
    let (name, nodes) = (format!("{name} of {}", kept.table(table)), table.schema().len());
    if let Some((arcs, trace)) = kept.find(&name)
        && let Some(dag) = graph(nodes, arcs)
    {
        return Ok(Assembly { dag, trace });
    }
    let found = assemble(Steps { kept, of: &name, ..Steps::default() })?;
    kept.keep(&name, &(found.dag.arcs().collect::<Vec<_>>(), &found.trace))?;
    Ok(found)
}

/// The graph with these arcs, if there is one.
pub(super) fn graph(nodes: usize, arcs: Vec<(usize, usize)>) -> Option<Dag> {
    let known = arcs.iter().all(|&(parent, child)| parent < nodes && child < nodes);
    known.then(|| Dag::from_arcs(nodes, arcs).ok()).flatten()
}

/// How often a graph is sought for the columns to be cut for.
const CUTTING_ROUNDS: usize = 2;

/// The table cut for a network: one that a search finds without the machines, twice, the second time on the columns as the first
/// had them cut. Nothing where no column waits for that.
pub(super) fn recut(
    dataset: &Dataset,
    settings: &Settings,
    kept: Kept<'_>,
    watch: &dyn Watch,
) -> Result<Option<Dataset>, Error> {
    if !dataset.awaits_cuts() {
        return Ok(None);
    }
    let mut cut: Option<Dataset> = None;
    for _ in 0..CUTTING_ROUNDS {
        let now = cut.as_ref().unwrap_or(dataset);
        let Chosen { settings, rules, .. } = settings.chosen_watched(now, watch)?;
        let nothing = StrengthMatrix::new(now.table.schema().len());
        let found = kept_assembly(kept, "arcs to cut for", &now.table, |steps| {
            let (network, seed) = (&settings.network, settings.seed);
            assemble_hybrid_keeping(&now.table, &nothing, &rules, network, seed, steps, watch)
        })?;
        cut = Some(now.recut(&found.dag.arcs().collect::<Vec<_>>())?);
    }
    Ok(cut)
}

/// The graph with the neighbourhoods of the targets judged by how well they predict.
pub(super) fn judged_by_targets(
    table: &Table,
    dag: &Dag,
    chosen: &Chosen,
    watch: &dyn Watch,
) -> Result<Dag, Error> {
    let mut dag = dag.clone();
    for name in chosen.settings.prediction.targets() {
        if let Some(target) = table.schema().index(name) {
            dag = neighbourhood(table, &dag, target, &chosen.rules, watch)?;
        }
    }
    Ok(dag)
}
