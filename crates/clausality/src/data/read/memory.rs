//! Columns in memory, for whoever has no file: decided by the same rules as the cells of one.
//!
//! Values become the texts that a CSV of the same table would hold, so that a frame and its file lead to the same bytes.

use super::drawn::Drawn;
use super::raw::{Header, How, RawTable, unexpected};
use crate::data::cells::column::{Added, Column};
use crate::data::cells::marks::Marks;
use crate::data::cells::number::{self, DecimalComma};
use crate::data::cells::{MAX_CELL, date};
use crate::data::{Lines, Problem};
use crate::error::{Error, Place};

/// Columns in memory, all of one length.
///
/// ```
/// use clausality::data::{Frame, Values};
/// let frame = Frame::new("people")
///     .with("smoker", ["yes", "no", "no"])
///     .with("age", [Some(31.0), None, Some(44.0)])
///     .with("size", Values::codes([0, 2, 1], ["small", "medium", "large"], true));
/// assert_eq!(frame.columns().count(), 3);
/// ```
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Frame {
    name: String,
    columns: Vec<(String, Values)>,
}

/// The cells of a column; `None` is a cell without a value.
#[derive(Debug, Clone, PartialEq)]
pub enum Values {
    /// Texts: names, or numbers and dates that are written out.
    Texts(Vec<Option<String>>),
    /// Numbers; not-a-number is no value either.
    Numbers(Vec<Option<f64>>),
    /// Whole numbers.
    Integers(Vec<Option<i64>>),
    /// Truth values: the texts `true` and `false`.
    Booleans(Vec<Option<bool>>),
    /// Instants, in seconds since 1970-01-01 (UTC).
    Dates(Vec<Option<i64>>),
    /// Places in a list of labels; the list is an order from low to high, or mere names.
    Codes {
        /// A place for every row.
        codes: Vec<Option<u32>>,
        /// The labels.
        labels: Vec<String>,
        /// Whether their order means something.
        ordered: bool,
    },
}

impl Frame {
    /// A table without columns; the name is for messages.
    pub fn new(name: impl Into<String>) -> Self {
        Frame { name: name.into(), columns: Vec::new() }
    }

    /// The same with one more column.
    pub fn with(mut self, column: impl Into<String>, values: impl Into<Values>) -> Self {
        self.columns.push((column.into(), values.into()));
        self
    }

    /// The name for messages.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The columns in their order.
    pub fn columns(&self) -> impl Iterator<Item = (&str, &Values)> {
        self.columns.iter().map(|(name, values)| (name.as_str(), values))
    }

    /// The columns that are places in a list of labels, and whether those stand in an order, from low to high.
    pub(super) fn labelled(&self) -> impl Iterator<Item = (&str, &[String], bool)> {
        self.columns.iter().filter_map(|(column, values)| match values {
            Values::Codes { labels, ordered, .. } => Some((column.as_str(), labels.as_slice(), *ordered)),
            _ => None,
        })
    }

    /// The columns as raw cells.
    pub(super) fn raw(&self, how: How<'_>) -> Result<RawTable, Error> {
        let How { settings, bounds, expect, .. } = how;
        let refuse = |problem| Error::table(Place::file(&self.name), problem);
        let rows = self.columns.first().map_or(0, |(_, values)| values.len());
        let mut header = Header::default();
        let marks = Marks::of(settings);
        let mut columns = Vec::with_capacity(self.columns.len());
        for (name, values) in &self.columns {
            header.add(name).map_err(refuse)?;
            let name = header.names[header.names.len() - 1].clone();
            if values.len() != rows {
                return Err(refuse(Problem::UnequalColumn { column: name, rows, found: values.len() }));
            }
            let mut column = Column::new(name.clone(), expect(&name), DecimalComma(false));
            let mut row = 0;
            values.write(&mut |cell| {
                if cell.len() > MAX_CELL {
                    return Err(refuse(Problem::long_cell(&name, cell.len())));
                }
                row += 1;
                if cell.contains('\0') {
                    return Err(refuse(Problem::NulCell { column: name.clone(), row }));
                }
                match column.add(cell.as_bytes(), &marks) {
                    Added::Fine => Ok(()),
                    Added::Infinite => {
                        let place = Place::file(&self.name);
                        column.infinite.get_or_insert((place, cell.to_string()));
                        Ok(())
                    }
                    Added::Unexpected => {
                        Err(refuse(unexpected(&column, cell.to_string(), format!("row {row}: "))))
                    }
                }
            })?;
            columns.push(column);
        }
        if columns.is_empty() {
            return Err(refuse(Problem::Empty));
        }
        let raw = RawTable {
            name: self.name.clone(),
            first: String::new(),
            columns,
            rows,
            marks,
            lines: Lines::default(),
            again: None,
            settled: 0,
            drawn: Drawn::default(),
        };
        raw.check_memory(0, bounds)?;
        Ok(raw)
    }
}

impl Values {
    /// Places in a list of labels, every row with one; a place beyond the list is no value.
    pub fn codes(
        codes: impl IntoIterator<Item = u32>,
        labels: impl IntoIterator<Item = impl Into<String>>,
        ordered: bool,
    ) -> Self {
        Values::Codes {
            codes: codes.into_iter().map(Some).collect(),
            labels: labels.into_iter().map(Into::into).collect(),
            ordered,
        }
    }

    /// How many rows there are.
    pub fn len(&self) -> usize {
        match self {
            Values::Texts(cells) => cells.len(),
            Values::Numbers(cells) => cells.len(),
            Values::Integers(cells) | Values::Dates(cells) => cells.len(),
            Values::Booleans(cells) => cells.len(),
            Values::Codes { codes, .. } => codes.len(),
        }
    }

    /// Whether there is no row at all.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Hands out every cell as text; a cell without a value is empty.
    fn write(&self, add: &mut dyn FnMut(&str) -> Result<(), Error>) -> Result<(), Error> {
        fn all<T>(
            cells: &[Option<T>],
            add: &mut dyn FnMut(&str) -> Result<(), Error>,
            text: impl Fn(&T) -> String,
        ) -> Result<(), Error> {
            cells.iter().try_for_each(|cell| match cell {
                Some(value) => add(&text(value)),
                None => add(""),
            })
        }
        match self {
            Values::Texts(cells) => cells.iter().try_for_each(|cell| add(cell.as_deref().unwrap_or(""))),
            Values::Numbers(cells) => {
                all(cells, add, |&x| if x.is_nan() { String::new() } else { number::write(x) })
            }
            Values::Integers(cells) => all(cells, add, |x| x.to_string()),
            Values::Booleans(cells) => all(cells, add, |x| x.to_string()),
            Values::Dates(cells) => all(cells, add, |&x| date::write(x)),
            Values::Codes { codes, labels, .. } => codes.iter().try_for_each(|code| {
                add(code.and_then(|code| labels.get(code as usize)).map_or("", String::as_str))
            }),
        }
    }
}

macro_rules! columns_of {
    ([$($life:lifetime)?] $kind:ty, $variant:ident, $keep:expr) => {
        columns_of!(from [$($life)?] $kind, $variant, |cell: $kind| Some($keep(cell)));
        columns_of!(from [$($life)?] Option<$kind>, $variant, |cell: Option<$kind>| cell.map($keep));
    };
    (from [$($life:lifetime)?] $kind:ty, $variant:ident, $cell:expr) => {
        impl<$($life)?> FromIterator<$kind> for Values {
            fn from_iter<I: IntoIterator<Item = $kind>>(cells: I) -> Self {
                Values::$variant(cells.into_iter().map($cell).collect())
            }
        }
        impl<$($life)?> From<Vec<$kind>> for Values {
            fn from(cells: Vec<$kind>) -> Self {
                cells.into_iter().collect()
            }
        }
        impl<$($life,)? const N: usize> From<[$kind; N]> for Values {
            fn from(cells: [$kind; N]) -> Self {
                cells.into_iter().collect()
            }
        }
    };
}

columns_of!(['a] &'a str, Texts, String::from);
columns_of!([] String, Texts, String::from);
columns_of!([] f64, Numbers, f64::from);
columns_of!([] i64, Integers, i64::from);
columns_of!([] f32, Numbers, |x: f32| x.to_string().parse().unwrap_or(f64::NAN));
columns_of!([] i32, Integers, i64::from);
columns_of!([] u32, Integers, i64::from);
columns_of!([] bool, Booleans, bool::from);
