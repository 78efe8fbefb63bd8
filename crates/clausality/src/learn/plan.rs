//! What learning holds, before anything is learned.
//!
//! For M variables and N rows, beside what the strengths take:
//!
//! ```text
//! table       3 · N · M            coded, with its states in the order of labels, and with gaps filled or rows drawn
//! search      48 · M² + 64 KiB · M strengths as a matrix, who may be whose parent, tests; families that were looked at
//! bootstrap   as much again for everyone of 2T repetitions that are under way at the same time
//! ```
//!
//! Probability tables have a bound of their own ([`Bounds::table_bytes`](crate::Bounds::table_bytes)).

use crate::data::Dataset;
use crate::memory::{Plan, product};
use crate::settings::Settings;
use crate::strengths;
use crate::words::counted;

/// Families that a search remembers of each node.
const REMEMBERED: usize = 64 << 10;

/// What learning from a table will hold. The settings are those that were asked for, and lawful.
pub(crate) fn plan(dataset: &Dataset, settings: &Settings) -> Plan {
    let settings = settings.by_profile();
    let (rows, columns) = (dataset.table.rows(), dataset.table.schema().len());
    let strengths = strengths::plan(&dataset.table, &settings.strengths);
    let search = product(&[columns, columns, 48]).saturating_add(product(&[columns, REMEMBERED]));
    let table = product(&[rows, columns, 3]);
    let mut plan = Plan::new("learning")
        .need(format!("{} of {}", counted(rows, "row"), counted(columns, "column")), table)
        .need(format!("the search for arcs between {}", counted(columns, "column")), search);
    let repetitions = settings.network.bootstrap.min(2 * rayon::current_num_threads());
    if repetitions > 0 {
        let one = strengths.bytes().saturating_add(search).saturating_add(table);
        plan = plan.need(
            format!("{} at the same time", counted(repetitions, "bootstrap repetition")),
            one.saturating_mul(repetitions as u64),
        );
    }
    plan.and(strengths)
}
