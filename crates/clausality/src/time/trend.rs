//! Columns that went where they had never been: a network over time knows nothing of such places but what it saw there.
//!
//! ```text
//! rare   = the states that are at least 4 times as common in the last fifth of time as before it
//! trend  = at least half of the last fifth is in such states
//! ```
//!
//! Columns that are named after parts of the calendar come round again, though a table of one year does not show it.
//! What comes and goes, with the seasons or by luck, has all its states before the last fifth as well.

use super::Windows;
use crate::data::StateRule;
use crate::words::{counted, percent, quoted};
use clausality_bn::MISSING;
use serde::{Deserialize, Serialize};

/// So many times more common than before is new.
const TIMES: f64 = 4.0;
/// From this share of the last fifth on.
const MOST: f64 = 0.5;
/// Fewer values than this on either side tell nothing.
const LEAST: usize = 20;

/// Columns that are named where many have a trend.
const NAMED: usize = 8;

/// What a column of the calendar is called.
const CALENDAR: [&str; 6] = ["month", "quarter", "season", "week", "day", "hour"];

/// A column whose states of the last fifth of time hardly occur before it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Trend {
    /// The column.
    pub name: String,
    /// The share of the last fifth of time that is in states that were rare.
    pub last: f64,
    /// The share of the time before that was in them.
    pub before: f64,
    /// Whether it is numbers, of which there are differences.
    pub numbers: bool,
}

impl Trend {
    /// What it means for forecasts.
    pub fn sentence(&self) -> String {
        let Trend { name, last, before, numbers } = self;
        let instead = match numbers {
            true => "write its differences from step to step into the table, or leave it out",
            false => "mind that they say little about it, or leave it out",
        };
        format!(
            "'{name}' has a trend: {} of the last fifth of time is in states that make up {} of the time before; forecasts beyond a few \
             steps fall back to the past: {instead}",
            percent(*last),
            percent(*before)
        )
    }

    /// The same of many.
    pub(super) fn of_many(trends: &[Trend]) -> String {
        let names: Vec<&str> = trends.iter().map(|trend| trend.name.as_str()).collect();
        let numbers = trends.iter().any(|trend| trend.numbers);
        let instead = if numbers { "write differences from step to step into the table, or " } else { "" };
        format!(
            "{} have a trend (the last fifth of time is in states that were rare before): {}; forecasts of them beyond a few steps fall back to \
             the past: {instead}leave them out",
            counted(trends.len(), "column"),
            quoted(&names, NAMED)
        )
    }
}

/// The processes with a trend, of windows that are split into those of the first four fifths of time and of the last.
pub(crate) fn trends(windows: &Windows, first: &[usize], last: &[usize]) -> Vec<Trend> {
    let of = |process: usize| {
        let variable = &windows.dataset.coding.variables()[windows.runs.now.start + process];
        let column = windows.dataset.table.column(windows.runs.now.start + process);
        let counts = |rows: &[usize]| {
            let mut counts = vec![0usize; variable.variable.cardinality()];
            let known = rows.iter().map(|&row| column[row]).filter(|&code| code != MISSING);
            known.for_each(|code| counts[usize::from(code)] += 1);
            counts
        };
        let [before, now] = [counts(first), counts(last)];
        let [all_before, all_now] = [&before, &now].map(|counts| counts.iter().sum::<usize>());
        if all_before < LEAST || all_now < LEAST {
            return None;
        }
        let share = |count: usize, all: usize| count as f64 / all as f64;
        let pairs = before.iter().zip(&now).map(|(&b, &n)| (share(b, all_before), share(n, all_now)));
        let rare = pairs.filter(|(before, now)| *now > 0.0 && *now >= TIMES * before);
        let (before, last) = rare.fold((0.0, 0.0), |sum, (before, now)| (sum.0 + before, sum.1 + now));
        let numbers = matches!(variable.rule, StateRule::Cuts(_) | StateRule::Numbers(_));
        let name = windows.processes[process].name.clone();
        let calendar = CALENDAR.iter().any(|word| name.to_lowercase().ends_with(word));
        (last >= MOST && !calendar).then_some(Trend { name, last, before, numbers })
    };
    (0..windows.processes.len()).filter_map(of).collect()
}
