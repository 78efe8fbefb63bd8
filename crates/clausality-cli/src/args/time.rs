//! The options about rows in the order of time, shared by `inspect`, `strengths` and `learn`.

use crate::failure::Failure;
use crate::session::{Given, written};
use clap::Args;
use clausality::time::{Holes, Lags, Statics, Step, Within};
use serde::Serialize;

/// Which column says when, which says whose, and how far to look back.
#[derive(Debug, Args, Serialize)]
#[serde(rename_all = "kebab-case")]
#[command(next_help_heading = "Time")]
pub(crate) struct TimeOptions {
    /// A column of dates, times or whole numbers that puts the rows in order: what is learned is a network over time
    #[arg(long, value_name = "COL")]
    time: Option<String>,
    /// A column that says which series a row belongs to; without time, whose it is: rows of one stay together in folds
    #[arg(long, value_name = "COL")]
    entity: Option<String>,
    /// How many steps back a column may look, or the most that are tried on the last fifth of time [default: auto:3]
    #[arg(long, value_name = "N|auto:N")]
    lags: Option<Lags>,
    /// What lies between two rows: 15min, 1h, 1d, 1w, 1mo, 1q, 1y, a number, or rows for whatever comes next [default: auto]
    #[arg(long, value_name = "STEP")]
    step: Option<Step>,
    /// What a missing step means: no window over it, a state of its own, or the last values for N steps [default: break]
    #[arg(long, value_name = "break|state|carry:N")]
    holes: Option<Holes>,
    /// Columns with one value for a whole series, or none [default: auto, those that never change within an entity]
    #[arg(long = "static", value_name = "COL,…")]
    #[serde(rename = "static")]
    statics: Option<Statics>,
    /// Whether columns of the same step may depend on each other [default: yes]
    #[arg(long, value_name = "yes|no")]
    instant: Option<Within>,
}

/// Which column says whose the rows are, where none says when.
#[derive(Debug, Args, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) struct WhoseOptions {
    /// A column that says whose a row is: rows of one stay together in the folds, and it is no variable
    #[arg(long, value_name = "COL")]
    entity: Option<String>,
}

impl Given for WhoseOptions {
    fn document(&self) -> Result<String, Failure> {
        written(self)
    }
}

impl Given for TimeOptions {
    fn document(&self) -> Result<String, Failure> {
        written(self)
    }
}
