//! The columns one wants to predict: network and machines, each judged on rows that took no part.

use super::structure::judged_by_targets;
use crate::Error;
use crate::data::{Bounds, Dataset};
use crate::folder::Kept;
use crate::model::estimate;
use crate::names::{closest, meant};
use crate::settings::Chosen;
use crate::votes::{self, INNER_FOLDS, Predictor, classes_of, deal, frequencies, over_values};
use crate::watch::{Quiet, Watch};
use clausality_bn::Dag;
use clausality_bn::infer::{DEFAULT_BYTES, predict};
use clausality_bn::random::Stream;
use rayon::prelude::*;

/// The targets by their places in the schema.
pub(super) fn targets(dataset: &Dataset, names: &[String]) -> Result<Vec<usize>, Error> {
    names.iter().map(|name| target(dataset, name)).collect()
}

/// The place of a target in the schema; where there is none, why.
pub(crate) fn target(dataset: &Dataset, name: &str) -> Result<usize, Error> {
    let schema = dataset.table.schema();
    schema.index(name).ok_or_else(|| {
        Error::TooLittleData(match dataset.report.iter().find(|column| column.name == name) {
            Some(column) => {
                format!("target '{name}' is no column that can be learned from: {}", column.reason)
            }
            None => {
                let meant = meant(closest(name, schema.variables().iter().map(|v| v.name.as_str())));
                format!("target names column '{name}', which the table does not have{meant}")
            }
        })
    })
}

/// A predictor for every target. The network of a fold has the target's neighbourhood and all probabilities from the other folds, and only the
/// arcs between other columns from all rows: an arc that was chosen with the fold's own rows would be judged by them.
pub(super) fn predictors(
    dataset: &Dataset,
    dag: &Dag,
    chosen: &Chosen,
    bounds: &Bounds,
    kept: Kept<'_>,
    watch: &dyn Watch,
) -> Result<Vec<Predictor>, Error> {
    let targets = targets(dataset, chosen.settings.prediction.targets())?;
    let whole = if targets.is_empty() { String::new() } else { seen_by_machines(dataset, kept) };
    let predictor = |target: usize| {
        let name = format!("predictor of '{}' of {whole}", dataset.table.schema().name(target));
        kept.piece(&name, || predictor(dataset, target, dag, chosen, bounds, watch))
    };
    targets.into_iter().map(predictor).collect()
}

/// A short name for all that a predictor is made of.
fn seen_by_machines(dataset: &Dataset, kept: Kept<'_>) -> String {
    let (table, coding) = match &dataset.fine {
        Some(fine) => (&fine.table, &fine.coding),
        None => (&dataset.table, &dataset.coding),
    };
    let weights: Option<Vec<u64>> =
        dataset.weights.as_ref().map(|weights| weights.iter().map(|weight| weight.to_bits()).collect());
    let beside = match &dataset.owners {
        None => kept.digest(&(weights, coding)),
        owners => kept.digest(&(weights, coding, owners)),
    };
    format!("{} {} {beside}", kept.table(&dataset.table), kept.table(table))
}

fn predictor(
    dataset: &Dataset,
    target: usize,
    dag: &Dag,
    chosen: &Chosen,
    bounds: &Bounds,
    watch: &dyn Watch,
) -> Result<Predictor, Error> {
    let (table, seed) = (&dataset.table, chosen.settings.seed);
    let schema = table.schema();
    let classes = classes_of(table, target);
    let mut stream = Stream::new(seed, &format!("folds\0{}", schema.name(target)));
    let folds = deal(&classes, dataset.owners.as_deref(), INNER_FOLDS, &mut stream)?;
    let count_of = |row: usize| dataset.weights.as_ref().map_or(1.0, |weights| weights[row]);
    let known = classes.iter().enumerate().filter_map(|(row, class)| Some(((*class)?, count_of(row))));
    let count = schema.cardinality(target) - usize::from(schema.variable(target).has_missing_state);
    let usual = frequencies(known, count);
    let mut without = dag.clone();
    for v in 0..schema.len() {
        for (parent, child) in [(v, target), (target, v)] {
            if without.has(parent, child) && !chosen.rules.required().has(parent, child) {
                without.remove(parent, child);
            }
        }
    }
    let said: Vec<(Vec<usize>, Vec<f64>)> = (0..INNER_FOLDS as u8)
        .into_par_iter()
        .map(|k| {
            let rows = |own: bool| -> Vec<usize> {
                (0..folds.len()).filter(|&row| folds[row].is_some_and(|fold| (fold == k) == own)).collect()
            };
            let (own, learned) = (rows(true), rows(false));
            let others = table.select_rows(&learned);
            let weights = dataset.weights.as_ref();
            let weights: Option<Vec<f64>> =
                weights.map(|weights| learned.iter().map(|&row| weights[row]).collect());
            let dag = judged_by_targets(&others, &without, chosen, watch)?;
            let believed = chosen.settings.network.believed();
            let network =
                estimate(&dag, &others, weights.as_deref(), believed, bounds, &Quiet(watch))?.network;
            let answers = predict(&network, target, &table.select_rows(&own), DEFAULT_BYTES)?;
            let said = over_values(&answers, count, &usual);
            Ok((own, said))
        })
        .collect::<Result<_, Error>>()?;
    // Rows in the order of the table, those without a class left out.
    let mut by_row: Vec<(usize, &[f64])> =
        said.iter().flat_map(|(rows, said)| rows.iter().copied().zip(said.chunks_exact(count))).collect();
    by_row.sort_unstable_by_key(|&(row, _)| row);
    let network: Vec<f64> = by_row.into_iter().flat_map(|(_, said)| said.iter().copied()).collect();
    votes::train(dataset, target, &folds, &network, seed, watch)
}
