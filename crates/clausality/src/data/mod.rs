//! Tables: from a file to codes, with every decision reported and none beyond recall.
//!
//! A file (CSV in its dialects, gzip, Parquet, Arrow) is read into raw columns, each column is found to be categorical,
//! numeric, ordered, a date, an id or constant, and becomes a variable with a few states or is left out. The options of
//! [`DataParams`] overrule any of it. The fitted [`Coding`] stays with the result and codes new rows the same way.
//!
//! Implements: what `docs/tables.md` promises. Decisions of ours are told in the modules that make them (which columns are ids, where
//! numbers are cut and what the states are called).
//!
//! ```
//! use clausality::data::{self, DataParams, Limits};
//! let csv = "smoker,age\n".to_string() + &"yes,31\nno,44\nno,19\nyes,70\nno,55\n".repeat(30);
//! let dataset = data::read_csv(csv.as_bytes(), "people.csv", &DataParams::default(), &Limits::default())?;
//! let age = dataset.table.schema().variable(1);
//! assert_eq!(age.states, ["<= 31", "32 to 44", "45 to 55", ">= 56"]);
//! # Ok::<(), clausality::Error>(())
//! ```

mod bins;
mod coding;
mod column;
mod content;
mod date;
mod fingerprint;
mod fit;
mod gaps;
mod infer;
mod labels;
mod lookalike;
mod names;
mod number;
mod params;
mod problem;
mod raw;
mod report;
mod separator;
mod source;
mod tokens;
#[cfg(any(feature = "parquet", feature = "arrow"))]
mod typed;
#[cfg(all(test, any(feature = "parquet", feature = "arrow")))]
mod typed_tests;
mod words;

pub use bins::{Cuts, Side};
pub use coding::{Absent, Coded, CodedVariable, Coding, Rule};
pub use date::DatePart;
pub use fingerprint::Fingerprint;
pub use names::closest;
pub use params::{ColumnType, DataParams, Discretize, Limits, MissingRule};
pub use problem::Problem;
pub use report::{ColumnReport, Decision, Kind, Role, StateReport, VariableReport, Warning, columns_of};

use crate::error::Error;
use clausality_bn::Table;
use raw::RawTable;
use std::io::Read;
use std::path::Path;

/// A coded table and how it came about.
#[derive(Debug, Clone)]
pub struct Dataset {
    /// The codes; gaps are states of their own, so no cell is unknown.
    pub table: Table,
    /// The rows that were coded, also where no column can be used.
    pub rows: usize,
    /// How the columns became variables, for coding new rows.
    pub coding: Coding,
    /// Every column of the file, in its order.
    pub report: Vec<ColumnReport>,
    /// What the user should know.
    pub warnings: Vec<Warning>,
    /// The name of the content.
    pub fingerprint: Fingerprint,
    /// The date columns, in whole, for putting rows in order.
    pub indexes: Vec<DateIndex>,
}

/// A date column as instants.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DateIndex {
    /// The column of the file.
    pub column: String,
    /// Seconds since 1970-01-01 by row; none where the cell has no value.
    pub seconds: Vec<Option<i64>>,
}

/// Columns that learning needs.
const LEAST_COLUMNS: usize = 2;

impl DateIndex {
    /// Fewer rows than this may be in order by chance.
    const FEW: usize = 10;

    /// Whether the rows stand in the order of time, forwards or backwards.
    fn orders_rows(&self) -> bool {
        let known: Vec<i64> = self.seconds.iter().copied().flatten().collect();
        let forwards = known.is_sorted();
        let backwards = known.is_sorted_by(|earlier, later| earlier >= later);
        known.len() >= Self::FEW && forwards != backwards
    }
}

/// Reads and codes a file: `.csv`, `.tsv` (either with `.gz`), and with the features on `.parquet`, `.arrow`, `.feather`.
pub fn read_path(path: &Path, params: &DataParams, limits: &Limits) -> Result<Dataset, Error> {
    fit_path(path, params, limits, LEAST_COLUMNS)
}

/// Reads and codes CSV text, gzipped or not, from anywhere; `name` is for messages.
pub fn read_csv(from: impl Read, name: &str, params: &DataParams, limits: &Limits) -> Result<Dataset, Error> {
    fit_csv(from, name, params, limits, LEAST_COLUMNS)
}

/// Like [`read_path`], but to be looked at: a table with too few usable columns to learn from is not refused.
pub fn inspect_path(path: &Path, params: &DataParams, limits: &Limits) -> Result<Dataset, Error> {
    fit_path(path, params, limits, 0)
}

/// Like [`read_csv`], but to be looked at: a table with too few usable columns to learn from is not refused.
pub fn inspect_csv(
    from: impl Read,
    name: &str,
    params: &DataParams,
    limits: &Limits,
) -> Result<Dataset, Error> {
    fit_csv(from, name, params, limits, 0)
}

fn fit_path(path: &Path, params: &DataParams, limits: &Limits, least: usize) -> Result<Dataset, Error> {
    params.check()?;
    let raw = RawTable::read_path(path, params, limits, &|name| fit::expected(name, params))?;
    fit::fit(raw, params, least)
}

fn fit_csv(
    from: impl Read,
    name: &str,
    params: &DataParams,
    limits: &Limits,
    least: usize,
) -> Result<Dataset, Error> {
    params.check()?;
    let raw = RawTable::read_csv(from, name, params, limits, &|name| fit::expected(name, params))?;
    fit::fit(raw, params, least)
}

/// A text as a cell of a CSV file: in quotes where a reader could misunderstand it.
pub fn csv_cell(text: &str) -> String {
    let awkward = |c: char| matches!(c, ',' | ';' | '|' | '"') || c.is_control();
    if !text.is_empty() && text.trim() == text && !text.contains(awkward) {
        return text.to_string();
    }
    format!("\"{}\"", text.replace('"', "\"\""))
}
