//! Strengths, then arcs: the part of learning that repetitions repeat.

use crate::Error;
use crate::assemble::{Assembly, assemble, assemble_hybrid};
use crate::candidates::StrengthMatrix;
use crate::data::Dataset;
use crate::settings::{Chosen, Settings};
use crate::strengths::{self, Strengths};
use crate::watch::Watch;
use clausality_bn::Table;

/// What the machines find, and the graph that the assembler makes of it.
pub(super) fn structure(
    table: &Table,
    chosen: &Chosen,
    watch: &dyn Watch,
) -> Result<(Strengths, Assembly), Error> {
    let Chosen { settings, rules, .. } = chosen;
    let strengths = strengths::measure(table, &settings.strengths, settings.seed, watch)?;
    let matrix = strengths.matrix(table.schema());
    let assembly = assemble(table, &matrix, rules, &settings.network, settings.seed, watch)?;
    Ok((strengths, assembly))
}

/// How often a graph is sought for the columns to be cut for.
const CUTTING_ROUNDS: usize = 2;

/// The table cut for a network: one that a search finds without the machines, twice, the second time on the columns as the first
/// had them cut. Nothing where no column waits for that.
pub(super) fn recut(
    dataset: &Dataset,
    settings: &Settings,
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
        let found = assemble_hybrid(&now.table, &nothing, &rules, &settings.network, settings.seed, watch)?;
        cut = Some(now.recut(&found.dag.arcs().collect::<Vec<_>>())?);
    }
    Ok(cut)
}
