//! What measuring strengths holds, before anything is measured.
//!
//! For M variables, N rows, L literals of which a machine sees ℓ, C classes, R fits of a target and T threads:
//!
//! ```text
//! literals    N · L/8  (+ N · M where gaps are filled)          all rows, once
//! screen      20 · M²                                           only where L is more than a machine may see
//! machines    2T · [machine(ℓ, C, clauses) + (train + 4 · judged) · ℓ/8 + clauses · budget · judged/8 + 13 · N]
//! fits        M · R · [16 · seen + 4 · held out + 24 · clause]
//! strengths   M · (M − 1) · (feature + its name)
//! ```
//!
//! Twice as many machines as threads: a thread that waits for its part of a target may begin another.

use super::bench::JUDGED_ROWS;
use super::clauses::PER_FIT;
use super::sample::HOLD_OUT_ROWS;
use super::settings::StrengthSettings;
use super::task::{Spoken, Task};
use super::{Feature, Target};
use crate::encode::Encoding;
use crate::error::Advice;
use crate::memory::{Plan, product, text_bytes};
use crate::words::{counted, grouped};
use clausality_bn::{Schema, Table};
use clausality_tm::Machine;

/// Literals that a clause has as a rule, at most, where no budget says so.
const LENGTH: usize = 32;

/// What is told about a target beside its features: sentences, accuracy, warnings.
const TOLD: usize = 16 << 10;

/// What measuring strengths on a table will hold.
pub(crate) fn plan(table: &Table, settings: &StrengthSettings) -> Plan {
    let (schema, rows) = (table.schema(), table.rows());
    let columns = schema.len();
    let encoding = Encoding::new(schema, settings.encoding);
    let literals = encoding.len();
    let wide = literals / 2 > settings.literal_limit;
    let seen = if wide { settings.literal_limit.min(literals) } else { literals };
    let shown = seen + (settings.shadows() * seen as f64).ceil() as usize;
    // A machine that sees part of the literals sees part of the variables.
    let features = if wide { (columns * seen).div_ceil(literals.max(1)) * 2 } else { columns };
    let classes = (0..columns).map(|v| schema.cardinality(v)).max().unwrap_or(2);
    let machines = settings.machines(encoding.states(), 1);
    let clauses = machines.iter().map(|member| member.machine.clauses).max().unwrap_or(0);
    let length = machines.iter().filter_map(|m| m.machine.literal_budget).max().unwrap_or(LENGTH).min(LENGTH);

    let judged = rows.min(JUDGED_ROWS);
    let train = rows.min(settings.samples()).max(2 * classes);
    let machine = Machine::planned_bytes(shown, classes, clauses, settings.type_iii.is_some())
        .saturating_add(product(&[train + 4 * judged, shown.div_ceil(64), 8]))
        .saturating_add(product(&[clauses, length, judged.div_ceil(64) * 8 + 32]))
        .saturating_add(product(&[rows, 13]));
    let machines_bytes = machine.saturating_mul(2 * rayon::current_num_threads() as u64);
    let rounds = settings.rounds() + if settings.null { settings.null_rounds() } else { 0 };
    let spoken = size_of::<Spoken>() + 64 + 8 * classes;
    let fit = features * 16
        + 4 * (rows / 5).min(HOLD_OUT_ROWS)
        + PER_FIT.min(clauses) * spoken
        + size_of::<Task>()
        + 256;
    let gaps = if table.has_missing() { product(&[rows, columns]) } else { 0 };

    let mut plan = Plan::new("measuring strengths")
        .need(
            format!("the {} literals of {}", grouped(literals), counted(rows, "row")),
            product(&[rows, literals.div_ceil(64), 8]).saturating_add(gaps),
        )
        .need(
            format!("machines of {} and {} literals", counted(clauses, "clause"), grouped(shown)),
            machines_bytes,
        )
        .need(
            format!("what {} say", counted(columns.saturating_mul(machines.len() * rounds), "machine")),
            product(&[columns, machines.len(), rounds, fit]),
        )
        .need(
            format!("the strengths of {} about each other", counted(columns, "column")),
            feature_bytes(schema),
        );
    if wide {
        plan = plan.need(
            format!("comparing {} in pairs", counted(columns, "column")),
            product(&[columns, columns, 20]),
        );
    }
    if machines_bytes.saturating_mul(4) > plan.bytes() {
        let fewer = (clauses / 2).clamp(1, 100);
        plan = plan.way("train fewer clauses", Some(Advice::new("clauses", fewer.to_string())));
    }
    plan.way("leave columns out", Some(Advice::new("type", "COL=ignore")))
}

/// What a list of all others about every variable takes.
fn feature_bytes(schema: &Schema) -> u64 {
    let columns = schema.len();
    let names = schema.variables().iter().map(|variable| text_bytes(variable.name.len())).sum::<u64>();
    let target = size_of::<Target>() + TOLD;
    names
        .saturating_mul(columns as u64)
        .saturating_add(product(&[columns, columns, size_of::<Feature>()]))
        .saturating_add(product(&[columns, target]))
}
