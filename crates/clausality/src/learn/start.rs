//! How series begin: the network of the statics and the first L steps.
//!
//! Where there are many series, it is learned from their first steps, each series a row; what is later never points back. Where there are few,
//! nobody knows how series begin, and they begin as at any time: every column keeps those of its parents that are there already,
//!
//! ```text
//! P(x_t | its parents at lags ≤ t)        for t < L, estimated on all windows
//! ```

use super::Learned;
use crate::Error;
use crate::assemble::assemble_hybrid;
use crate::candidates::StrengthMatrix;
use crate::data::{Bounds, Dataset};
use crate::model::estimate;
use crate::rules::{RuleSettings, Rules};
use crate::time::{Timeline, Windows};
use crate::watch::{Quiet, Watch};
use clausality_bn::dynamic::{DynamicNetwork, Lagged};
use clausality_bn::{Cpt, Dag, Network, Schema, Table};

/// Fewer series than this do not show how series begin.
const MANY_SERIES: usize = 50;

/// The network, and whether it was learned from how series begin.
pub(super) fn network(
    dataset: &Dataset,
    timeline: &Timeline,
    windows: &Windows,
    found: &Learned,
    bounds: &Bounds,
    watch: &dyn Watch,
) -> Result<(Network, bool), Error> {
    let lags = windows.lags();
    let schema = DynamicNetwork::start_schema(&windows.statics, &windows.processes, lags)?;
    let coded = timeline.coded(dataset);
    let begins: Vec<_> =
        timeline.stretches.iter().filter(|stretch| stretch.first && stretch.rows.len() >= lags).collect();
    let (statics, processes) = (windows.statics.len(), windows.processes.len());
    let held = |v: usize| begins.iter().map(|stretch| coded.held(v, stretch.owner)).collect::<Vec<u8>>();
    let settings = &found.chosen.settings;
    let believed = settings.network.believed();
    let quiet = Quiet(watch);
    if begins.len() >= MANY_SERIES {
        let step = |t: usize, process: usize| begins.iter().map(move |stretch| (process, stretch.rows[t]));
        let at = |(t, process): (usize, usize)| step(t, process).map(|(p, row)| coded.code(p, row)).collect();
        let places = (0..lags).flat_map(|t| (0..processes).map(move |process| (t, process)));
        let columns = (0..statics).map(held).chain(places.map(at)).collect();
        let table = Table::new(schema.clone(), columns)?;
        let name = |v: usize| schema.name(v).to_string();
        let steps =
            (0..lags).map(|t| (statics + t * processes..statics + (t + 1) * processes).map(name).collect());
        let tiers = std::iter::once((0..statics).map(name).collect()).chain(steps).collect();
        let rules = Rules::new(&schema, &RuleSettings { tiers, ..RuleSettings::default() })?;
        let nothing = StrengthMatrix::new(schema.len());
        let dag = assemble_hybrid(&table, &nothing, &rules, &settings.network, settings.seed, &quiet)?.dag;
        return Ok((estimate(&dag, &table, None, believed, bounds, &quiet)?.network, true));
    }
    let mut cpts = Vec::with_capacity(schema.len());
    if statics > 0 {
        // Each series is a row: a long one says no more about what it is than a short one.
        let own = Schema::new(windows.statics.clone())?;
        let table = Table::new(own, (0..statics).map(held).collect())?;
        let alone = estimate(&Dag::new(statics), &table, None, believed, bounds, &quiet)?.network;
        cpts.extend(alone.cpts().iter().cloned());
    }
    let window = &windows.dataset.table;
    for t in 0..lags {
        let dag = known_by(t, found.network.dag(), window.schema());
        let network = estimate(&dag, window, None, believed, bounds, &quiet)?.network;
        for node in windows.runs.now.clone() {
            let cpt = network.cpt(node);
            let parents = cpt.parents().iter().map(|&p| {
                let Lagged { name, step } = Lagged::parse(window.schema().name(p));
                let is_static = windows.statics.iter().any(|v| v.name == name);
                let at = Lagged { name, step: (!is_static).then(|| t as i64 + step.unwrap_or(0)) };
                schema.require(&at.to_string())
            });
            let parents = parents.collect::<Result<Vec<usize>, _>>()?;
            cpts.push(Cpt::new(&schema, cpts.len(), parents, cpt.values().to_vec())?);
        }
    }
    Ok((Network::new("start", schema, cpts)?, false))
}

/// The arcs from what is known in step t: no further back.
fn known_by(t: usize, dag: &Dag, schema: &Schema) -> Dag {
    let mut known = Dag::new(schema.len());
    for (parent, child) in dag.arcs() {
        if -Lagged::parse(schema.name(parent)).now() <= t as i64 {
            // A part of a graph without cycles has none.
            let _ = known.try_add(parent, child);
        }
    }
    known
}
