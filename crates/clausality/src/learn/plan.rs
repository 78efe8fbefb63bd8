//! What learning holds, before anything is learned.
//!
//! For M variables and N rows, beside what the strengths take:
//!
//! ```text
//! table       3 · N · M            coded, with its states in the order of labels, and with gaps filled or rows drawn
//! search      48 · M² + families   strengths as a matrix, who may be whose parent, tests; families that are remembered
//! counting    N · Σ states / 8     the states of variables with few of them as bits,
//!             C · (16 · N + 9 MiB) and for each of up to eight cores that count the number of every row, its cell, and cells as bits
//! cutting     N · (2 · (M + G) + 60)  where G columns are cut for a network: the table and its grades twice more, dates, and families sorted by grades
//! bootstrap   as much again for everyone of 2T repetitions that are under way at the same time
//! ```
//!
//! Probability tables have a bound of their own ([`Bounds::table_bytes`](crate::Bounds::table_bytes)).

use crate::Error;
use crate::assemble::{counting_bytes, remembered_bytes};
use crate::data::{Bounds, Dataset, fewer_than};
use crate::error::Advice;
use crate::memory::{Plan, product};
use crate::settings::Settings;
use crate::shards::AllRows;
use crate::strengths;
use crate::votes::{classes_of, least_bytes};
use crate::words::{counted, grouped};

/// What a row takes while columns are cut for a network, beside its codes: dates in tables that are kept meanwhile, x · ln x of every count, and
/// families sorted by grades. An estimate: what reading leaves behind in the allocator is not in it, so work may still be stopped on its way.
const CUTTING_BYTES: usize = 60;

/// Tables of fewer columns take minutes at most, and nobody needs to be told.
const MANY_COLUMNS: usize = 2000;
/// What 1,000 columns take of one core, in minutes, with four machines a column (`docs/performance.md`).
const MINUTES_OF_A_THOUSAND: f64 = 2.0;

/// How long a wide table will take, about, before work begins; nothing about a table of few columns.
///
/// ```text
/// minutes ≈ 2 · (columns / 1000)^1.25 · machines a column / 4        of one core, as measured up to 1,000 columns of 5,000 rows
/// ```
pub fn outlook(dataset: &Dataset, settings: &Settings) -> Option<String> {
    let settings = settings.by_profile().strengths;
    let schema = dataset.table.schema();
    let columns = schema.len();
    if columns < MANY_COLUMNS {
        return None;
    }
    let states = (0..columns).map(|v| schema.cardinality(v)).sum();
    let rounds = settings.rounds() + if settings.null { settings.null_rounds() } else { 0 };
    let each = settings.machines(states, 1).len() * rounds;
    let thousands = columns as f64 / 1000.0;
    let minutes = MINUTES_OF_A_THOUSAND * thousands * thousands.sqrt().sqrt() * each as f64 / 4.0;
    let time = match minutes {
        ..90.0 => counted(minutes.ceil() as usize, "minute"),
        _ => counted((minutes / 60.0).ceil() as usize, "hour"),
    };
    Some(format!(
        "{} columns, each with at most {}: expect some {time} of one core, and more where columns depend on many others; fewer columns or fewer rounds \
         make it less",
        grouped(columns),
        counted(each, "machine"),
    ))
}

/// What learning from a table will hold. The settings are those that were asked for, and lawful.
pub(crate) fn plan(dataset: &Dataset, settings: &Settings) -> Plan {
    let settings = settings.by_profile();
    let (rows, columns) = (dataset.table.rows(), dataset.table.schema().len());
    let strengths = strengths::plan(&dataset.table, &settings.strengths);
    let search = product(&[columns, columns, 48]).saturating_add(remembered_bytes(columns));
    let table = product(&[rows, columns, 3]);
    let mut plan = Plan::new("learning")
        .need(format!("{} of {}", counted(rows, "row"), counted(columns, "column")), table)
        .need(format!("the search for arcs between {}", counted(columns, "column")), search)
        .need(format!("counting {}", counted(rows, "row")), counting_bytes(&dataset.table));
    if dataset.awaits_cuts() {
        let cut = product(&[rows, 2 * (columns + dataset.grades.len()) + CUTTING_BYTES]);
        plan = plan.need(format!("cutting {} for a network", counted(dataset.grades.len(), "column")), cut);
    }
    if dataset.beyond.is_some() {
        plan = plan.need("blocks of all rows, to be counted".to_string(), AllRows::counting_bytes(columns));
        if let Some(held) = fewer_than(rows) {
            plan = plan.way("hold fewer rows", Some(Advice::new("rows-held", held.to_string())));
        }
    }
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

/// Refuses to learn what does not fit, before it begins: by the plan, and by what predictors hold for certain.
pub(crate) fn check(dataset: &Dataset, settings: &Settings, bounds: &Bounds) -> Result<(), Error> {
    plan(dataset, settings).check(bounds.room)?;
    for name in settings.prediction.targets() {
        // What is no target is told of elsewhere.
        let Some(target) = dataset.table.schema().index(name) else { continue };
        let (rows, columns) = (dataset.table.rows(), dataset.table.schema().len());
        let known = classes_of(&dataset.table, target).iter().flatten().count();
        fewer(Plan::at_least("learning"))
            .need(
                format!("{} of {}", counted(rows, "row"), counted(columns, "column")),
                product(&[rows, columns]),
            )
            .need(format!("a predictor of '{name}'"), least_bytes(dataset, target, known))
            .check(bounds.room)?;
    }
    Ok(())
}

/// A plan that fewer columns or rows would make smaller.
pub(crate) fn fewer(plan: Plan) -> Plan {
    plan.way("leave columns out", Some(Advice::new("type", "COL=ignore"))).way("take fewer rows", None)
}

#[cfg(test)]
mod tests {
    use super::*;
    use clausality_bn::{Schema, Table, Variable};

    /// Where rows are many, counting them takes as much as the table.
    #[test]
    fn counting_rows_is_planned() {
        let planned = |rows: usize| {
            let variable = |k| Variable::new(format!("v{k}"), ["a", "b"]);
            let schema = Schema::new((0..3).map(variable).collect()).unwrap();
            let dataset = Dataset::sampled(Table::new(schema, vec![vec![0; rows]; 3]).unwrap());
            plan(&dataset, &Settings::default()).bytes()
        };
        let table = product(&[200_000, 3, 3]);
        assert!(planned(400_000) - planned(200_000) > table + product(&[200_000, 16]));
    }

    #[test]
    fn a_wide_table_comes_with_how_long_it_takes() {
        let wide = |columns: usize| {
            let variable = |k| Variable::new(format!("v{k}"), ["a", "b"]);
            let schema = Schema::new((0..columns).map(variable).collect()).unwrap();
            Dataset::sampled(Table::new(schema, vec![vec![0, 1]; columns]).unwrap())
        };
        let mut settings = Settings::default();
        assert_eq!(outlook(&wide(MANY_COLUMNS - 1), &settings), None);
        let told = outlook(&wide(10_000), &settings).unwrap();
        assert!(
            told.starts_with("10,000 columns, each with at most 3 machines: expect some 27 minutes"),
            "{told}"
        );
        settings.strengths.rounds = Some(40);
        let told = outlook(&wide(10_000), &settings).unwrap();
        assert!(told.contains("40 machines: expect some 6 hours of one core"), "{told}");
    }
}
