//! Strengths, then arcs: the part of learning that repetitions repeat.

use crate::Error;
use crate::assemble::{Assembly, assemble, neighbourhood};
use crate::settings::Chosen;
use crate::strengths::{self, Strengths};
use crate::watch::Watch;
use clausality_bn::{Dag, Table};

/// What the machines find, and the graph that the assembler makes of it, before any target judges it.
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
