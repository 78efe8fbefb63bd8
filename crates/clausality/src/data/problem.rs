//! What can be wrong with a table, or with an option about one.

use crate::data::DateOrder;
use crate::data::cells::{MAX_CELL, date};
use crate::error::{Advice, Error, Place};
use crate::words::{counted, grouped};
use thiserror::Error as ThisError;

/// One thing wrong with a table or an option about it; the place stands beside it in [`crate::Error::Table`].
#[derive(Debug, Clone, PartialEq, ThisError)]
#[non_exhaustive]
pub enum Problem {
    /// A row whose number of fields is not that of the header.
    #[error("this row has {}, but the header names {}", counted(*.found, "field"), counted(*.expected, "column"))]
    RaggedRow {
        /// Columns in the header.
        expected: usize,
        /// Fields in the row.
        found: usize,
    },
    /// Two columns with one name.
    #[error("duplicate column name '{name}' (also column {first}): give every column a name of its own")]
    DuplicateColumn {
        /// The name.
        name: String,
        /// The first column with that name, counted from 1.
        first: usize,
    },
    /// A column without a name.
    #[error(
        "column {number} has an empty name: the first row must name every column (but the first, which may hold row names); write one in there"
    )]
    EmptyColumnName {
        /// The column, counted from 1.
        number: usize,
    },
    /// Bytes that are no UTF-8 text.
    #[error("not valid UTF-8 text: save the file as UTF-8")]
    NotUtf8,
    /// A byte that no text holds.
    #[error("a NUL byte, which no text holds: the file is damaged, or no text; save the table as UTF-8 text")]
    Nul,
    /// The same in a table that is no file of text.
    #[error(
        "column '{column}', row {row}: a NUL byte, which no text holds: take it out, or leave the column out"
    )]
    NulCell {
        /// The column.
        column: String,
        /// The row, from 1.
        row: usize,
    },
    /// The same in a column's name.
    #[error("the name of column {number} holds a NUL byte, which no text holds: give it another name")]
    NulName {
        /// Which column, from 1.
        number: usize,
    },
    /// A file of another kind.
    #[error("this is {kind}, not a table of text: {advice}")]
    Foreign {
        /// What it is.
        kind: &'static str,
        /// What to do.
        advice: &'static str,
    },
    /// A folder or a pattern without a table.
    #[error("there is no table {what}")]
    NoFiles {
        /// Where none is.
        what: &'static str,
    },
    /// A file of several whose column is not that of the first.
    #[error(
        "column {number} is '{name}', but '{expected}' in {first}: all files of a table have the same columns in the same order"
    )]
    OtherColumn {
        /// Its number, from 1.
        number: usize,
        /// Its name.
        name: String,
        /// Its name in the first file.
        expected: String,
        /// The first file.
        first: String,
    },
    /// A file of several that has more or fewer columns than the first.
    #[error("there {} {}, but {expected} in {first}: all files of a table have the same columns in the same order", if *.found == 1 { "is" } else { "are" }, counted(*.found, "column"))]
    OtherColumns {
        /// Its columns.
        found: usize,
        /// Those of the first file.
        expected: usize,
        /// The first file.
        first: String,
    },
    /// A file of several in which a comma may mean something else than in the first.
    #[error(
        "its cells are separated otherwise than those of {first}, so that a comma means something else: write them alike, or read them one by one"
    )]
    OtherSeparator {
        /// The first file.
        first: String,
    },
    /// A file that another program wrote to meanwhile.
    #[error("the file changed while it was read ({what}): read it again when nobody writes to it")]
    Changed {
        /// How it changed.
        what: String,
    },
    /// UTF-16, with or without a byte order mark.
    #[error("this is UTF-16 text: save the file as UTF-8")]
    Utf16,
    /// A quoted cell that the file never closes.
    #[error("the quote opened here is never closed")]
    UnterminatedQuote,
    /// Text between a closing quote and the next separator.
    #[error("text after a closing quote: write a quote inside a quoted cell twice (\"\")")]
    TextAfterQuote,
    /// An infinite number.
    #[error("column '{column}': '{cell}' is not a finite number; correct it, or declare it missing")]
    Infinite {
        /// The column.
        column: String,
        /// The cell as written.
        cell: String,
    },
    /// A cell that the declared type does not allow.
    #[error("column '{column}' was declared {kind}, but this cell holds '{cell}'{}", comma_in(kind, cell))]
    WrongKind {
        /// The column.
        column: String,
        /// The declared type.
        kind: &'static str,
        /// The cell as written.
        cell: String,
    },
    /// A cell that is no number in a column that a setting makes numeric.
    #[error("{setting} makes column '{column}' numeric, but this cell holds '{cell}'")]
    NotNumeric {
        /// The column.
        column: String,
        /// The setting.
        setting: &'static str,
        /// The cell as written.
        cell: String,
    },
    /// A row that cannot count as much as its weight says.
    #[error(
        "column '{column}' weighs row {} with {}: weights are numbers from 0 on, without gaps",
        grouped(*.row),
        .weight.as_deref().unwrap_or("nothing")
    )]
    Weight {
        /// The column.
        column: String,
        /// The row, counted from 1 without the header.
        row: usize,
        /// The weight; nothing for a gap.
        weight: Option<String>,
    },
    /// A row without a time where the rows are to be put in order.
    #[error(
        "{at}column '{column}': {}; every row needs a date, a time or a whole number there, all written in one way, such as {STAMPS}, 08:30 or 7",
        .cell.as_ref().map_or("no time".to_string(), |cell| no_stamp(cell))
    )]
    Stamp {
        /// The column.
        column: String,
        /// Which row, where no line tells.
        at: String,
        /// The cell; nothing for a gap.
        cell: Option<String>,
    },
    /// A stamp of another kind than those that the network was learned from.
    #[error(
        "column '{column}': '{cell}' is no {kind}, but the network was learned from {kind}s in that column; write such{}, or name another \
         column for the time",
        if *.kind == "date" { format!(" as {STAMPS}") } else { String::new() }
    )]
    OtherStamps {
        /// The column.
        column: String,
        /// The cell.
        cell: String,
        /// What the others were.
        kind: &'static str,
    },
    /// Times that are numbers and look like dates.
    #[error("column '{column}': its numbers, such as {cell}, look like dates (year, month, day): say so")]
    StampsLikeDates {
        /// The column.
        column: String,
        /// Such a number.
        cell: String,
    },
    /// A row without an entity.
    #[error(
        "{at}column '{column}' does not say whose this row is, nor {} more: give such rows values there (a row that belongs with no other one of its own), leave \
         them out, or name another column",
        grouped(*others)
    )]
    NoEntity {
        /// The column.
        column: String,
        /// How many other rows have none.
        others: usize,
        /// Which row, where no line tells.
        at: String,
    },
    /// Whole numbers so large that neighbours cannot be told apart.
    #[error(
        "{at}column '{column}': {cell} is too large to be told from its neighbours; divide such times, nanoseconds since 1970 by \
         1,000,000,000"
    )]
    StampTooLarge {
        /// The column.
        column: String,
        /// Which row, where no line tells.
        at: String,
        /// The cell.
        cell: String,
    },
    /// Two rows of one entity at the same time.
    #[error(
        "{at}two rows{whose} at {stamp}, this one and {first}; {}",
        match (*.fractions, *.alone) {
            _ if *.clock && !*.fractions => "times of day without a date are those of one day: write the dates too, or name the column that tells series apart",
            (true, _) => "times are read to the second: write them as whole numbers, of milliseconds for example",
            (_, true) => "if the table holds several series, name the column that tells them apart",
            _ => "an entity has one row at a time",
        }
    )]
    EqualStamps {
        /// The time.
        stamp: String,
        /// Whose rows.
        whose: String,
        /// Which row, where no line tells.
        at: String,
        /// Where the other stands.
        first: String,
        /// Whether they are told apart by fractions of a second.
        fractions: bool,
        /// Whether they are times of day without a date.
        clock: bool,
        /// Whether no column tells entities apart.
        alone: bool,
    },
    /// Times of day without a date that go on after midnight.
    #[error(
        "{at}column '{column}': times of day without a date go past midnight here, from {before} to {cell}: write the dates too"
    )]
    PastMidnight {
        /// The column.
        column: String,
        /// Which row, where no line tells.
        at: String,
        /// The last time of the evening.
        before: String,
        /// The first one behind.
        cell: String,
    },
    /// Dates whose year has two digits.
    #[error(
        "column '{column}': '{cell}' has a year of two digits, if it is a date: say that it is one, and where its day stands (years 1970 to 2069)"
    )]
    ShortYears {
        /// The column.
        column: String,
        /// Such a cell.
        cell: String,
        /// The order of day and month that all cells have, where there is one only.
        order: Option<DateOrder>,
    },
    /// Dates that have the day before the month and others that have it behind.
    #[error(
        "column '{column}': in '{day}' the day comes first, in '{month}' the month: write all dates in one way, such as {STAMPS}"
    )]
    MixedOrders {
        /// The column.
        column: String,
        /// A cell with the day first.
        day: String,
        /// One with the month first.
        month: String,
    },
    /// Dates of which nothing tells whether day or month comes first.
    #[error(
        "column '{column}': '{cell}' may have the day or the month first, and no other cell tells: say which"
    )]
    AmbiguousDates {
        /// The column.
        column: String,
        /// Such a cell.
        cell: String,
    },
    /// More different cells beside the listed levels than a variable has states.
    #[error(
        "column '{column}' has {unlisted} different values beside the {listed} levels listed for it, and a column has {limit} states at \
         most: list no levels for it"
    )]
    TooManyLevels {
        /// The column.
        column: String,
        /// Levels listed.
        listed: usize,
        /// Values that are not.
        unlisted: usize,
        /// The most there may be.
        limit: usize,
    },
    /// A column in memory that is longer or shorter than the first.
    #[error("column '{column}' has {found} cells, but the first column has {rows}")]
    UnequalColumn {
        /// The column.
        column: String,
        /// Cells of the first column.
        rows: usize,
        /// Its own.
        found: usize,
    },
    /// A cell longer than the limit.
    #[error(
        "column '{column}' has a cell of {} bytes, and the limit is {}: shorten it, or take the column out of the table",
        grouped(*.length),
        grouped(*.limit)
    )]
    CellTooLong {
        /// The column.
        column: String,
        /// Its bytes.
        length: usize,
        /// The limit.
        limit: usize,
    },
    /// A name of a column longer than the limit.
    #[error(
        "the name of column {number} has {} bytes, and the limit is {}: give it a shorter name", grouped(*.length), grouped(*.limit)
    )]
    NameTooLong {
        /// The column, counted from 1.
        number: usize,
        /// Its bytes.
        length: usize,
        /// The limit.
        limit: usize,
    },
    /// Nothing at all in the input.
    #[error("the table is empty: expected names of columns, and rows")]
    Empty,
    /// A header and nothing else.
    #[error("no data rows: there is nothing below the names of the columns")]
    NoRows,
    /// Every row has a gap, and rows with gaps were to be dropped.
    #[error(
        "no rows are left after dropping rows with missing values (column '{column}' misses {missing} of {rows}): give gaps a state of their own, or leave the column out"
    )]
    AllRowsDropped {
        /// The column with the most gaps.
        column: String,
        /// Its gaps.
        missing: usize,
        /// All rows.
        rows: usize,
    },
    /// Fewer than two columns that can be learned from.
    #[error("only {usable} of {all} columns can be used, and at least 2 are needed ({reasons})")]
    TooFewColumns {
        /// Columns that can be used.
        usable: usize,
        /// Columns in the file.
        all: usize,
        /// Why the others cannot.
        reasons: String,
        /// The settings that keep those that would do.
        keep: Vec<Advice>,
    },
    /// A column that an option or a fitted coding names and the table does not have.
    #[error("{wanted_by} names column '{name}', which the table does not have{}", suggest(.closest))]
    UnknownColumn {
        /// The option, or what else named it.
        wanted_by: String,
        /// The name.
        name: String,
        /// The most similar name there is.
        closest: Option<String>,
    },
    /// Something among the files of a table that is none.
    #[error(
        "this is {what}, and without its rows the table would not be whole: repair it, or give it another name"
    )]
    NotAFile {
        /// What it is.
        what: &'static str,
    },
    /// A variable made of a column where the column itself is to be named.
    #[error(
        "{wanted_by} names '{name}', which is made of column '{column}': name that, and the parts to keep"
    )]
    PartOfColumn {
        /// The option.
        wanted_by: String,
        /// The name.
        name: String,
        /// The column.
        column: String,
        /// Parts of dates that may be meant to stay.
        others: String,
    },
    /// Ordered text without a list of its levels.
    #[error("column '{column}' was declared ordered, but its cells are text: list them from low to high")]
    OrderedTextWithoutLevels {
        /// The column.
        column: String,
    },
    /// A format this build cannot read.
    #[error(
        "this program was built without {format} support: build it with the feature `{feature}`, or convert the file to CSV"
    )]
    FeatureOff {
        /// The format.
        format: &'static str,
        /// The cargo feature that adds it.
        feature: &'static str,
    },
    /// A Parquet or Arrow file that cannot be decoded.
    #[error("not a readable {format} file: {reason}")]
    Undecodable {
        /// The format.
        format: &'static str,
        /// What its decoder said.
        reason: String,
    },
    /// A Parquet or Arrow column of a type that is no table cell.
    #[error(
        "column '{column}' has the type {kind}, which is neither text, number, truth value nor time: leave it out"
    )]
    UnsupportedType {
        /// The column.
        column: String,
        /// The type's name.
        kind: String,
    },
    /// Compressed data that grow past the limit.
    #[error(
        "decompresses to more than {limit}, the limit for a file of this size: decompress it first if you trust it"
    )]
    DecompressedSize {
        /// The limit, readable.
        limit: String,
    },
    /// One row longer than the limit.
    #[error("a row is longer than the limit of {limit} (is a quote left open?)")]
    RowTooLong {
        /// The limit, readable.
        limit: String,
    },
    /// More columns than the limit.
    #[error("{found} columns are more than the limit of {limit}")]
    TooManyColumns {
        /// Columns found.
        found: usize,
        /// The limit.
        limit: usize,
    },
    /// More memory than allowed.
    #[error(
        "{} of the table take {needed} of memory, and the limit is {limit}: raise it, {}leave columns out", counted(*.rows, "row"),
        if .held.is_some() { "hold fewer rows, or " } else { "or " }
    )]
    Memory {
        /// Rows read so far.
        rows: usize,
        /// What they need, readable.
        needed: String,
        /// The limit, readable.
        limit: String,
        /// The rows that are there before any is let go, where not all need to be held.
        stretch: usize,
        /// How many rows would fit, of a table of which not all need to be held.
        held: Option<usize>,
    },
}

impl Problem {
    /// A cell that is no stamp, or none that can be taken; nothing for a gap.
    pub(in crate::data) fn stamp(column: String, at: String, cell: Option<String>) -> Self {
        let large = |cell: &String| cell.len() >= 16 && cell.bytes().all(|byte| byte.is_ascii_digit());
        match cell {
            Some(cell) if large(&cell) => Problem::StampTooLarge { column, at, cell },
            cell => Problem::Stamp { column, at, cell },
        }
    }

    /// A cell of so many bytes.
    pub(in crate::data) fn long_cell(column: &str, length: usize) -> Self {
        Problem::CellTooLong { column: column.to_string(), length, limit: MAX_CELL }
    }

    /// Settings that would change it.
    pub fn advice(&self) -> Vec<Advice> {
        let ignore = |column: &str| Advice::new("type", format!("{column}=ignore"));
        match self {
            Problem::Infinite { column, cell } => vec![Advice::new("na", format!("{column}={cell}"))],
            Problem::AllRowsDropped { column, .. } => vec![Advice::new("missing", "state"), ignore(column)],
            Problem::OrderedTextWithoutLevels { column } => {
                vec![Advice::new("levels", format!("{column}=a<b<c"))]
            }
            Problem::PartOfColumn { column, others, .. } => {
                vec![Advice::new("type", format!("{column}=date:{others}"))]
            }
            Problem::UnsupportedType { column, .. } => vec![ignore(column)],
            Problem::StampsLikeDates { column, .. } => vec![Advice::new("type", format!("{column}=date"))],
            Problem::EqualStamps { alone: true, fractions: false, clock: false, .. } => {
                vec![Advice::new("entity", "COL")]
            }
            Problem::ShortYears { column, order: Some(order), .. } => {
                let order = if *order == DateOrder::Dmy { "dmy" } else { "mdy" };
                vec![Advice::new("type", format!("{column}=date:{order}"))]
            }
            Problem::AmbiguousDates { column, .. } | Problem::ShortYears { column, .. } => {
                ["dmy", "mdy"].map(|order| Advice::new("type", format!("{column}=date:{order}"))).into()
            }
            Problem::TooFewColumns { keep, .. } => keep.clone(),
            Problem::NulCell { column, .. } => vec![ignore(column)],
            Problem::Memory { held, .. } => {
                let held = held.map(|rows| Advice::new("rows-held", rows.to_string()));
                [Advice::new("memory-limit", "SIZE")].into_iter().chain(held).chain([ignore("COL")]).collect()
            }
            _ => Vec::new(),
        }
    }

    /// Whether a limit refused the input (and not a fault in it).
    pub fn is_limit(&self) -> bool {
        matches!(
            self,
            Problem::DecompressedSize { .. }
                | Problem::RowTooLong { .. }
                | Problem::CellTooLong { .. }
                | Problem::NameTooLong { .. }
                | Problem::TooManyColumns { .. }
                | Problem::Memory { .. }
        )
    }
}

/// Stamps in the forms that are read.
const STAMPS: &str =
    "2024-01-31, 2024-01-31 08:30, 31.01.2024, 31 Jan 2024, 2024-01, Jan 2024, 2024-Q1, 2024-W05";

/// Why a cell is no stamp.
fn no_stamp(cell: &str) -> String {
    match date::may_be_day_or_year(cell.as_bytes()) {
        true => format!("'{cell}' may be a day of a month or a month of a year"),
        false => format!("'{cell}' is no time"),
    }
}

/// What to do about a comma in a cell that was to be a number: whether it stands before decimals no single cell tells.
fn comma_in(kind: &str, cell: &str) -> &'static str {
    let is_asked = kind == "numeric" && cell.contains(',') && cell.contains(|c: char| c.is_ascii_digit());
    let told = ": write a point before decimals and nothing between thousands, or separate cells by semicolons, and a comma is the decimal point";
    if is_asked { told } else { "" }
}

fn suggest(closest: &Option<String>) -> String {
    closest.as_ref().map_or(String::new(), |name| format!("; did you mean '{name}'?"))
}

/// An error about a setting rather than about a place in a file.
pub(in crate::data) fn option_problem(problem: Problem) -> Error {
    Error::table(Place::nowhere(), problem)
}
