//! A run learned again with arcs turned, removed, required or forbidden by hand: what changed, and what it costs.
//!
//! ```text
//! edits ─amended→ rules ─learn_from→ network'          the same table, settings and seed; only the rules differ
//! cost in score        = score(G', table) − score(G, table)
//! cost held out        = mean over rows r of  ln P'(r) − ln P(r),     ± its standard error over the rows
//! ```
//!
//! Held out means: the rows are dealt into [`FOLDS`] parts, and each part is scored by the probabilities that the others give. The arcs are those learned
//! from all rows in either network, so the comparison is fair to both, and a little kind to both. Learning again is the same work as [`crate::learn()`] with
//! these rules: [`Revised::command`] makes the same network, to the last bit. Repetitions (`bootstrap`) and cross-validation are left to that command's maker.

mod edit;
mod rows;

pub use edit::{Edit, Wish, amended};
pub use rows::{own_table, rows_again};

use crate::data::{Bounds, Dataset};
use crate::error::Error;
use crate::learn::{Learned, learn_from};
use crate::model::{Model, estimate};
use crate::run::{Clauses, Made, Run, RunFolder};
use crate::tell;
use crate::watch::{Quiet, Watch};
use clausality_bn::compare::Differences;
use clausality_bn::random::Stream;
use clausality_bn::{Dag, Prior, Table};
use serde::Serialize;
use thiserror::Error as ThisError;

/// The parts of the rows, each scored by the others.
pub const FOLDS: usize = 5;
/// The most edits at a time.
pub const MOST_EDITS: usize = 1000;

/// Why a run cannot be learned again.
#[derive(Debug, Clone, PartialEq, Eq, ThisError)]
#[non_exhaustive]
pub enum ReviseError {
    /// The table is not there any more.
    #[error("the run's table '{table}' is not found: name it with --table FILE")]
    NoTable {
        /// The table as the run names it.
        table: String,
    },
    /// A table of other content.
    #[error(
        "{table}: this is not the table that the run was learned from, or it was changed since: name that one with --table FILE, or learn anew"
    )]
    Changed {
        /// The table.
        table: String,
    },
    /// A run over time.
    #[error(
        "a network over time is not learned again from here: give `clausality learn` the rules --require and --forbid"
    )]
    OverTime,
    /// A name that is no node.
    #[error("there is no node '{0}' in this run")]
    Unknown(String),
    /// An arc from a node to itself.
    #[error("'{0}' cannot be its own parent")]
    Loop(String),
    /// More edits than anybody makes by hand.
    #[error(
        "these are {0} edits, at most {MOST_EDITS} are taken at a time: write the rules into a file (--config)"
    )]
    TooMany(usize),
}

/// A figure before and after.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Cost {
    /// Of the run's network.
    pub before: f64,
    /// Of the revised one.
    pub after: f64,
    /// After − before.
    pub change: f64,
    /// The standard error of the change, where it is a mean over rows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub standard_error: Option<f64>,
}

/// A run learned again.
#[derive(Debug)]
pub struct Revised {
    /// The network, with its coding.
    pub model: Model,
    /// The documents about it.
    pub folder: RunFolder,
    /// What changed: `missing` are the arcs that it lost, `extra` those that it won.
    pub differences: Differences,
    /// The score of the graph on the table; higher is better.
    pub score: Cost,
    /// The log-likelihood of a row held out, in nats; nothing where numbers are cut otherwise now, for then rows say other things.
    pub held_out: Option<Cost>,
    /// The lines that make the same network again.
    pub command: Vec<String>,
}

/// Learns a run again with these edits, from its own rows ([`rows_again`]); `table` is what the command is to name.
///
/// # Errors
/// Edits that name no node, or that contradict the rules or each other; whatever stops learning; [`Error::Cancelled`].
pub fn revise(
    before: (&Run, &Model),
    dataset: &Dataset,
    table: Option<&str>,
    edits: &[Edit],
    bounds: &Bounds,
    watch: &dyn Watch,
) -> Result<Revised, Error> {
    let (run, model) = before;
    check(model, edits)?;
    let mut settings = run.params.clone();
    settings.rules = amended(&settings.rules, edits, model.network.schema());
    settings.network.bootstrap = 0;
    settings.prediction.folds = None;
    let learned = learn_from(dataset, &settings, bounds, watch)?;
    let table = table.map_or_else(|| run.table.clone(), String::from);
    let again = Run::new(&learned, Made { table, ..Made::default() });
    let score = Cost {
        before: run.score,
        after: learned.score,
        change: learned.score - run.score,
        standard_error: None,
    };
    Ok(Revised {
        model: again.model(&learned),
        differences: Differences::between(&*model.network, &learned.network),
        score,
        held_out: held_out(model, &learned, dataset, bounds, watch)?,
        command: tell::again(&again),
        folder: RunFolder { run: again, clauses: Clauses::new(&learned) },
    })
}

fn check(model: &Model, edits: &[Edit]) -> Result<(), ReviseError> {
    if edits.len() > MOST_EDITS {
        return Err(ReviseError::TooMany(edits.len()));
    }
    for Edit { parent, child, .. } in edits {
        let unknown = [parent, child].into_iter().find(|name| model.network.schema().index(name).is_none());
        if let Some(name) = unknown {
            return Err(ReviseError::Unknown(name.clone()));
        }
        if parent == child {
            return Err(ReviseError::Loop(parent.clone()));
        }
    }
    Ok(())
}

fn held_out(
    before: &Model,
    after: &Learned,
    dataset: &Dataset,
    bounds: &Bounds,
    watch: &dyn Watch,
) -> Result<Option<Cost>, Error> {
    let schema = after.network.schema();
    if before.network.schema() != schema || dataset.table.schema() != schema || dataset.rows < FOLDS {
        return Ok(None);
    }
    let believed = after.chosen.settings.network.believed();
    let one = scored_by_others(before.network.dag(), dataset, believed, bounds, watch)?;
    let two = scored_by_others(after.network.dag(), dataset, believed, bounds, watch)?;
    let weight = |row: usize| dataset.weights.as_ref().map_or(1.0, |weights| weights[row]);
    let rows = one.len();
    let sum: f64 = (0..rows).map(weight).sum();
    let mean = |of: &dyn Fn(usize) -> f64| (0..rows).map(|row| weight(row) * of(row)).sum::<f64>() / sum;
    let change = mean(&|row| two[row] - one[row]);
    let off = |row: usize| two[row] - one[row] - change;
    let spread = mean(&|row| off(row) * off(row));
    let cost = Cost {
        before: mean(&|row| one[row]),
        after: mean(&|row| two[row]),
        change,
        standard_error: Some((spread / (rows as f64 - 1.0)).sqrt()),
    };
    Ok(Some(cost))
}

/// The log-likelihood of every row by the probabilities that the other parts give this graph.
fn scored_by_others(
    dag: &Dag,
    dataset: &Dataset,
    prior: Prior,
    bounds: &Bounds,
    watch: &dyn Watch,
) -> Result<Vec<f64>, Error> {
    let Dataset { table, weights, .. } = dataset;
    let mut order: Vec<usize> = (0..table.rows()).collect();
    Stream::new(1, "held out").choose(&mut order, table.rows());
    let mut found = vec![0.0; table.rows()];
    for fold in 0..FOLDS {
        let (mine, others): (Vec<usize>, Vec<usize>) = {
            let (mut mine, mut others) = (vec![], vec![]);
            order.iter().enumerate().for_each(|(place, &row)| {
                if place % FOLDS == fold { mine.push(row) } else { others.push(row) }
            });
            (mine, others)
        };
        let taught: Table = table.select_rows(&others);
        let weights: Option<Vec<f64>> =
            weights.as_ref().map(|weights| others.iter().map(|&row| weights[row]).collect());
        let network = estimate(dag, &taught, weights.as_deref(), prior, bounds, &Quiet(watch))?.network;
        let likelihood = network.log_likelihood(&table.select_rows(&mine), bounds.inference_bytes())?;
        mine.iter().zip(&likelihood.rows).for_each(|(&row, &value)| found[row] = value);
        if watch.cancelled() {
            return Err(Error::Cancelled);
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests;
