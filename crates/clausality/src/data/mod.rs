//! Tables: from a file to codes, with every decision reported and none beyond recall.
//!
//! A file (CSV in its dialects, gzip, Parquet, Arrow), or columns in memory, become raw columns (`read`, `cells`). Each column is found
//! to be categorical, numeric, ordered, a date, an id or constant, and becomes a variable with a few states or is left out
//! (`decide`); [`DataSettings`] overrules any of it. The fitted [`Coding`] stays with the result and codes new rows the same way.
//!
//! Implements: what `docs/tables.md` promises. Decisions of ours are told in the modules that make them (which columns are ids, where
//! numbers are cut and what the states are called).
//!
//! ```
//! use clausality::data::{self, Bounds, DataSettings, Input};
//! let people = |age| format!("yes,{age}\nno,{age}\n");
//! let csv = "smoker,age\n".to_string() + &(21..=80).map(people).collect::<String>();
//! let dataset = data::read(Input::csv(csv.as_bytes(), "people.csv"), &DataSettings::default(), &Bounds::default())?;
//! let age = dataset.table.schema().variable(1);
//! assert_eq!(age.states, ["<= 35", "36 to 50", "51 to 65", ">= 66"]);
//! # Ok::<(), clausality::Error>(())
//! ```

mod beyond;
mod by_column;
mod cells;
mod coding;
mod decide;
mod fingerprint;
mod first;
mod lines;
mod look;
mod problem;
mod purpose;
mod read;
mod report;
mod sequence;
mod settings;
mod twin;
mod uncoded;
mod weights;

pub use beyond::Beyond;
pub(crate) use beyond::{coded_by_stretch, fewer_than};
pub use by_column::ByColumn;
use cells::codes::Codes;
use cells::column::{Cells, Column};
use cells::date;
pub(crate) use cells::date::{DAY, civil, days_since_epoch};
pub use cells::date::{DateOrder, DatePart};
pub(crate) use coding::truth;
pub use coding::{Absent, Coded, CodedVariable, Coding, StateRule};
pub use decide::bins::{Cuts, Side};
pub(crate) use decide::table::too_few;
pub use fingerprint::Fingerprint;
pub(crate) use fingerprint::{Lanes, Rolled};
pub use first::FirstPass;
pub(crate) use lines::Lines;
pub use look::look;
pub use problem::Problem;
#[cfg(feature = "batches")]
pub use read::{Batches, ColumnAgain, Wanted, label_texts};
pub use read::{CellPlace, Frame, Input, Sheet, Values, is_of_pattern, is_part, parts};
pub use report::{
    ColumnReport, Decision, Kind, Notice, NoticeKind, Role, StateReport, VariableReport, together,
};
pub use sequence::{Clock, Sequence, Stamp, Stamped};
pub use settings::{Bounds, ColumnType, DataSettings, DateWish, Discretize, MARKS, MissingRule};
pub(crate) use settings::{FEW_STATES, any_marks_by_column, marks_by_column};
pub use twin::{Filled, Relation, Told, Twin, told, told_briefly};
pub use uncoded::Uncoded;
pub(crate) use weights::drawn as drawn_evenly;

use crate::error::Error;
use crate::memory::{Plan, product};
use crate::words::counted;
use clausality_bn::{Network, Table};
use decide::mdl::Graded;
use decide::table;
use purpose::Purpose;
use read::drawn;
use read::raw::{EndOfStretch, RawTable};

/// A coded table and how it came about.
#[derive(Debug, Clone)]
pub struct Dataset {
    /// The codes; a gap is unknown ([`clausality_bn::MISSING`]), or a state of its own where the settings say so.
    pub table: Table,
    /// The rows that were coded, also where no column can be used; where not all are held, how many there are.
    pub rows: usize,
    /// How the columns became variables, for coding new rows.
    pub coding: Coding,
    /// Every column of the file, in its order.
    pub report: Vec<ColumnReport>,
    /// What the user should know.
    pub notices: Vec<Notice>,
    /// Columns that say what others say.
    pub twins: Vec<Twin>,
    /// How much each row counts, 1 on average, if a column says so.
    pub weights: Option<Vec<f64>>,
    /// When and whose the rows are, if a column says so.
    pub sequence: Option<Sequence>,
    /// Whose the rows are, by numbers, where a column says so and none says when.
    pub owners: Option<Vec<u32>>,
    /// The name of the content.
    pub fingerprint: Fingerprint,
    /// The date columns, in whole, for putting rows in order.
    pub indexes: Vec<DateIndex>,
    /// The numeric columns that are cut again once there is a network.
    pub(crate) grades: Vec<Graded>,
    /// The same rows in finer states, if they were asked for.
    pub fine: Option<Fine>,
    /// Where all rows are, if the table has more than are held here.
    pub beyond: Option<Beyond>,
}

/// The rows of a table in finer states than its variables have: what the machines see that predict a column.
#[derive(Debug, Clone, PartialEq)]
pub struct Fine {
    /// The codes.
    pub table: Table,
    /// How the columns became the finer variables.
    pub coding: Coding,
}

impl Fine {
    fn new(fine: Vec<(CodedVariable, Vec<u8>)>, na: ByColumn<Vec<String>>) -> Result<Self, Error> {
        let (variables, columns) = fine.into_iter().unzip();
        let coding = Coding::new(variables, na);
        Ok(Fine { table: Table::new(coding.schema()?, columns)?, coding })
    }
}

/// A date column as instants.
#[derive(Debug, Clone)]
pub struct DateIndex {
    /// The column of the file.
    pub column: String,
    /// Which of the instants each row has.
    rows: Codes,
    /// Seconds since 1970-01-01; none for a cell that has no value.
    instants: Vec<Option<i64>>,
}

/// Columns that learning needs.
const LEAST_COLUMNS: usize = 2;

impl DateIndex {
    /// Fewer rows than this may be in order by chance.
    const FEW: usize = 10;

    /// The instants of a column of dates whose day and month stand in this order.
    fn of(column: &Column, order: Option<DateOrder>) -> Self {
        let (rows, instants) = match &column.cells {
            Cells::Words { words, codes } => {
                let instant = |word: &[u8]| date::read(word, order).map(|date| date.seconds);
                (codes.clone(), words.iter().map(instant).collect())
            }
            _ => (Codes::Narrow(Vec::new()), Vec::new()),
        };
        DateIndex { column: column.name.clone(), rows, instants }
    }

    /// Seconds since 1970-01-01 by row; none where the cell has no value.
    pub fn seconds(&self) -> impl Iterator<Item = Option<i64>> {
        self.rows.iter().map(|code| self.instants[code as usize])
    }

    /// The instants that there are, in no order, with none for cells that have no value.
    pub(crate) fn instants(&self) -> &[Option<i64>] {
        &self.instants
    }

    /// Which of the instants a row has.
    pub(crate) fn code(&self, row: usize) -> Option<usize> {
        self.rows.get(row).map(|code| code as usize)
    }

    /// Those of a row, if its cell has a value.
    pub fn at(&self, row: usize) -> Option<i64> {
        self.instants[self.rows.get(row)? as usize]
    }

    /// Whether the rows stand in the order of time, forwards or backwards.
    fn orders_rows(&self) -> bool {
        let known = || self.seconds().flatten();
        let forwards = known().is_sorted();
        let backwards = known().is_sorted_by(|earlier, later| earlier >= later);
        known().take(Self::FEW).count() == Self::FEW && forwards != backwards
    }
}

impl PartialEq for DateIndex {
    fn eq(&self, other: &Self) -> bool {
        self.column == other.column && self.seconds().eq(other.seconds())
    }
}

/// Reads and codes a table that is to be learned from.
///
/// # Errors
/// Whatever is wrong with the settings or the table; too few columns that can be used.
pub fn read<'a>(
    table: impl Into<Input<'a>>,
    settings: &DataSettings,
    bounds: &Bounds,
) -> Result<Dataset, Error> {
    read_first(table, settings, bounds, FirstPass::default())
}

/// The same, with a first pass over a long table as it is said.
///
/// # Errors
/// As [`read()`].
pub fn read_first<'a>(
    table: impl Into<Input<'a>>,
    settings: &DataSettings,
    bounds: &Bounds,
    first: FirstPass<'_>,
) -> Result<Dataset, Error> {
    let purpose = Purpose { least: LEAST_COLUMNS, learned_in: bounds.room, some_rows: Some(LEARNED) };
    coded(table.into(), settings, bounds, purpose, first)
}

/// What rows that stand for all are good for where a network is learned.
const LEARNED: &str = "columns are decided, machines trained and arcs proposed";

/// Reads and codes a table of which families are counted that are known already.
///
/// # Errors
/// As [`read()`]; the number of columns is no matter.
pub(crate) fn read_to_count(
    table: Input<'_>,
    settings: &DataSettings,
    bounds: &Bounds,
) -> Result<Dataset, Error> {
    let some_rows = Some("columns are decided");
    let purpose = Purpose { least: LEAST_COLUMNS, some_rows, ..Purpose::default() };
    coded(table, settings, bounds, purpose, FirstPass::default())
}

/// Like [`read()`], but to be looked at: a table with too few usable columns to learn from is not refused.
///
/// # Errors
/// As [`read()`], but for that.
pub fn inspect<'a>(
    table: impl Into<Input<'a>>,
    settings: &DataSettings,
    bounds: &Bounds,
) -> Result<Dataset, Error> {
    let purpose = Purpose { some_rows: Some(LEARNED), ..Purpose::default() };
    coded(table.into(), settings, bounds, purpose, FirstPass::default())
}

fn coded(
    table: Input<'_>,
    settings: &DataSettings,
    bounds: &Bounds,
    purpose: Purpose,
    first: FirstPass<'_>,
) -> Result<Dataset, Error> {
    let settings = table.settings(settings);
    settings.check()?;
    let expected = |name: &str| table::expected(name, &settings);
    let lean = table::by_column(&settings);
    let beyond = Beyond::begin(&table, &settings, purpose)?;
    let thin = |raw: &mut RawTable| -> Result<(), Error> {
        drawn::thin(raw, settings.rows_held);
        Ok(())
    };
    let thin = beyond.as_ref().map(|_| &thin as EndOfStretch<'_>);
    let read = || table.read_for(purpose, &settings, bounds, &expected, lean, thin);
    let raw = match &beyond {
        Some(beyond) => {
            let looked = first.rows(beyond, &settings, bounds, &expected, read);
            looked.map_err(beyond::fewer_held)?
        }
        None => read()?,
    };
    let (rows, read) = (raw.drawn.of(), raw.rows);
    let mut dataset = table::code(raw, &settings, purpose)?;
    match beyond.zip(rows) {
        Some((beyond, rows)) => {
            let held = dataset.rows;
            beyond.of(dataset, rows, held, purpose)
        }
        None => {
            dataset.notices.extend(beyond::held_whole(&settings, read, None));
            Ok(dataset)
        }
    }
}

/// The cells of a table, and the settings with what a frame says of its own columns.
fn raw(
    table: Input<'_>,
    settings: &DataSettings,
    bounds: &Bounds,
) -> Result<(RawTable, DataSettings), Error> {
    let settings = table.settings(settings);
    settings.check()?;
    let raw = table.read(&settings, bounds, &|name| table::expected(name, &settings))?;
    Ok((raw, settings))
}

impl Dataset {
    /// The columns that say what others say, where some columns are to be inferred: these stay, what gives them away goes.
    pub fn twins_before(&self, is_answer: impl Fn(&str) -> bool) -> Vec<Twin> {
        let mut twins: Vec<Twin> = self.twins.iter().map(|twin| twin.before(&is_answer)).collect();
        twin::settle(&mut twins);
        twins
    }

    /// What drawing so many rows of so many columns holds, where a row takes so many bytes.
    pub fn plan_of_sample(rows: usize, columns: usize, bytes: usize) -> Plan {
        let what = format!("{} of {}", counted(rows, "row"), counted(columns, "column"));
        Plan::new("sampling").need(what, product(&[rows, bytes])).way("draw fewer rows", None)
    }

    /// Rows drawn from a network.
    ///
    /// # Errors
    /// More rows than the bounds allow.
    pub fn drawn_from(network: &Network, rows: usize, seed: u64, bounds: &Bounds) -> Result<Self, Error> {
        Dataset::plan_of_sample(rows, network.len(), network.len()).check(bounds.room)?;
        Ok(Dataset::sampled(clausality_bn::sample(network, rows, seed)))
    }

    /// A table that was never in a file, such as a sample of a network: every variable is its own column.
    pub fn sampled(table: Table) -> Self {
        Dataset {
            rows: table.rows(),
            coding: Coding::of_labels(table.schema(), &[]),
            report: report::columns_of(&table),
            notices: Vec::new(),
            twins: Vec::new(),
            weights: None,
            sequence: None,
            owners: None,
            fingerprint: Fingerprint::of(&table),
            indexes: Vec::new(),
            grades: Vec::new(),
            fine: None,
            beyond: None,
            table,
        }
    }
}

/// A text as a cell of a CSV file: in quotes where a reader could misunderstand it.
pub fn csv_cell(text: &str) -> String {
    let awkward = |c: char| matches!(c, ',' | ';' | '|' | '"') || c.is_control();
    if !text.is_empty() && text.trim() == text && !text.contains(awkward) {
        return text.to_string();
    }
    format!("\"{}\"", text.replace('"', "\"\""))
}
