//! Strengths, then arcs: the part of learning that repetitions repeat.

use crate::Error;
use crate::assemble::{Assembly, assemble};
use crate::settings::Chosen;
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
