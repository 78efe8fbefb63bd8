//! A file as columns of raw cells, before anything is decided about them.

use crate::data::cells::MAX_CELL;
use crate::data::cells::column::{Added, Column, Expected};
use crate::data::cells::marks::Marks;
use crate::data::cells::number::DecimalComma;
use crate::data::purpose::Purpose;
use crate::data::read::drawn::Drawn;
use crate::data::read::source::{Source, readable_size};
use crate::data::read::tokens::Tokens;
use crate::data::{Bounds, DataSettings, Lines, Problem};
use crate::error::{Advice, Error, Place};
use crate::memory::{GRACE, Plan, product};
use crate::words::counted;
use std::borrow::Cow;
use std::cell::Cell;
use std::collections::HashMap;
use std::fmt;
use std::io::Read;
use std::mem;
use std::sync::Arc;

/// The columns of a file.
#[derive(Debug, Clone)]
pub(in crate::data) struct RawTable {
    /// The file as the user named it.
    pub(in crate::data) name: String,
    /// The first of several files; empty if there is one.
    pub(in crate::data) first: String,
    pub(in crate::data) columns: Vec<Column>,
    pub(in crate::data) rows: usize,
    pub(in crate::data) marks: Marks,
    /// Where the rows stand, in a file of text.
    pub(in crate::data) lines: Lines,
    /// Reads columns again that were put apart.
    pub(in crate::data) again: Option<Again>,
    /// The rows before those of the stretch that is being read.
    pub(in crate::data) settled: usize,
    /// Which rows are held, where not all are.
    pub(in crate::data) drawn: Drawn,
}

/// Reads so many cells of a column again: that at a place of a table.
#[derive(Clone)]
pub(in crate::data) struct Again(pub(super) Arc<ReadAgain>);

type ReadAgain = dyn Fn(usize, usize, &RawTable) -> Result<Column, Error> + Send + Sync;

impl fmt::Debug for Again {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Again")
    }
}

/// What is expected of a column, by its name.
pub(in crate::data) type Expect<'a> = &'a dyn Fn(&str) -> Expected;

/// What is done with the rows of a long table whenever a stretch of them was read: some are let go, or all of them once they are coded.
pub(in crate::data) type EndOfStretch<'a> = &'a dyn Fn(&mut RawTable) -> Result<(), Error>;

/// Rows of a stretch, counted from the first row of the table whatever files it lies in.
pub(in crate::data) const STRETCH: usize = 1 << 16;

/// How a table is read, wherever it comes from.
#[derive(Clone, Copy)]
pub(super) struct How<'a> {
    pub(super) purpose: Purpose,
    pub(super) settings: &'a DataSettings,
    pub(super) bounds: &'a Bounds,
    pub(super) expect: Expect<'a>,
    pub(super) stretch: Option<EndOfStretch<'a>>,
    /// How long the file is, where it has a length.
    pub(super) extent: Option<Extent<'a>>,
    /// Whether columns of many values may be put apart where they can be read again.
    #[cfg_attr(
        not(feature = "batches"),
        expect(dead_code, reason = "only tables of Arrow can be left where they are")
    )]
    pub(super) lean: bool,
}

/// A file as bytes, compressed or not.
#[derive(Clone, Copy)]
pub(super) struct Extent<'a> {
    pub(super) length: u64,
    /// How many of them were read so far.
    pub(super) read: &'a Cell<u64>,
}

impl Extent<'_> {
    /// How many rows there are at least, with so many read: those that follow may be twice as long as the ones before, on average.
    fn rows(&self, read: usize) -> usize {
        let (rows, done) = (read as u128, u128::from(self.read.get().max(1)));
        let left = u128::from(self.length.saturating_sub(self.read.get()));
        usize::try_from(rows + rows * left / (2 * done)).unwrap_or(usize::MAX)
    }
}

/// What a column takes beside its cells: what is decided and told about it (measured on 65,536 columns of three rows).
const COLUMN_BYTES: usize = 2304;

/// Coding a column needs its codes and, for quantiles, one column of numbers beside what is held: bytes a row.
const CODING_BYTES: usize = 9;

/// The longest name of a column, in bytes: names stand in every list, page and picture.
const MAX_NAME: usize = 4096;

/// Cells between two looks at the memory they take,
const LOOKED_AT: usize = 1 << 18;

/// and bytes of the input: a cell may have a megabyte.
pub(super) const LOOKED_BYTES: usize = 1 << 22;

/// Bytes of new texts that end a stretch before it has all of its rows.
const STRETCH_BYTES: usize = 1 << 24;

/// More columns than this are refused.
const MAX_COLUMNS: usize = 1 << 16;

impl RawTable {
    /// A table with these columns, or the one that was read `before` and has the same.
    pub(super) fn begun(
        name: &str,
        columns: Vec<Column>,
        settings: &DataSettings,
        before: Option<RawTable>,
    ) -> Result<Self, Error> {
        match before {
            Some(before) => before.go_on(name, &columns),
            None => {
                let marks = Marks::of(settings);
                let lines = Lines::default();
                Ok(RawTable {
                    name: name.to_string(),
                    first: String::new(),
                    columns,
                    rows: 0,
                    marks,
                    lines,
                    again: None,
                    settled: 0,
                    drawn: Drawn::default(),
                })
            }
        }
    }

    /// Rows that are missing to the end of the stretch.
    #[cfg(feature = "batches")]
    pub(super) fn left_of_stretch(&self) -> usize {
        (self.settled + STRETCH).saturating_sub(self.rows)
    }

    /// Ends the stretch that is being read, if it is over.
    #[inline]
    pub(super) fn look_at_stretch(&mut self, end: Option<EndOfStretch<'_>>) -> Result<(), Error> {
        match end {
            Some(end) if self.rows - self.settled >= STRETCH => self.end_stretch(end),
            _ => Ok(()),
        }
    }

    /// The same where its texts are long: so many rows of them would take more than all that is held otherwise. Which rows are held does
    /// not hang on when others are let go.
    pub(super) fn look_at_texts(&mut self, end: Option<EndOfStretch<'_>>) -> Result<(), Error> {
        match end {
            Some(end) if self.text_bytes().saturating_sub(self.drawn.text_bytes) >= STRETCH_BYTES => {
                self.end_stretch(end)
            }
            _ => Ok(()),
        }
    }

    fn end_stretch(&mut self, end: EndOfStretch<'_>) -> Result<(), Error> {
        end(self)?;
        self.drawn.text_bytes = self.text_bytes();
        Ok(())
    }

    /// Bytes of all different texts.
    fn text_bytes(&self) -> usize {
        self.columns.iter().map(Column::text_bytes).sum()
    }

    /// The rows that are there before any of them is let go.
    fn rows_of_stretch(&self) -> usize {
        let each = (self.text_bytes() / self.rows.max(1)).max(1);
        STRETCH.min(STRETCH_BYTES / each)
    }

    /// Hands over all rows, and goes on without any.
    pub(in crate::data) fn taken(&mut self) -> Self {
        let begun = self.columns.iter().map(|column| column.begun_again(STRETCH)).collect();
        self.settled = 0;
        RawTable {
            name: self.name.clone(),
            first: self.first.clone(),
            columns: mem::replace(&mut self.columns, begun),
            rows: mem::take(&mut self.rows),
            marks: self.marks.clone(),
            lines: mem::take(&mut self.lines),
            again: self.again.clone(),
            settled: 0,
            drawn: Drawn::default(),
        }
    }

    /// A column with its cells.
    pub(in crate::data) fn whole(&self, place: usize) -> Result<Cow<'_, Column>, Error> {
        self.beginning(place, self.rows)
    }

    /// A column with the first cells, so many at least; none more where they must be read again.
    pub(in crate::data) fn beginning(&self, place: usize, rows: usize) -> Result<Cow<'_, Column>, Error> {
        let column = &self.columns[place];
        match &self.again {
            Some(Again(read)) if column.apart => read(place, rows.min(self.rows), self).map(Cow::Owned),
            _ => Ok(Cow::Borrowed(column)),
        }
    }

    /// An error about the table as a whole.
    pub(in crate::data) fn refuse(&self, problem: Problem) -> Error {
        Error::table(Place::file(&self.name), problem)
    }

    /// Goes on with the rows of another file, if its columns are the same.
    fn go_on(mut self, file: &str, columns: &[Column]) -> Result<Self, Error> {
        let first = || self.first.clone();
        let refuse = |problem| Error::table(Place::file(file), problem);
        let comma = |columns: &[Column]| columns.first().map(Column::comma);
        if columns.len() == self.columns.len() && comma(columns) != comma(&self.columns) {
            return Err(refuse(Problem::OtherSeparator { first: first() }));
        }
        let mut pairs = (1..).zip(columns.iter().zip(&self.columns));
        if let Some((number, (here, there))) = pairs.find(|(_, (here, there))| here.name != there.name) {
            let (name, expected) = (here.name.clone(), there.name.clone());
            return Err(refuse(Problem::OtherColumn { number, name, expected, first: first() }));
        }
        if columns.len() != self.columns.len() {
            let (found, expected) = (columns.len(), self.columns.len());
            return Err(refuse(Problem::OtherColumns { found, expected, first: first() }));
        }
        self.lines.go_on(&self.first, self.rows, file);
        Ok(self)
    }

    /// Bytes held.
    pub(in crate::data) fn bytes(&self) -> usize {
        self.columns.iter().map(Column::bytes).sum()
    }

    /// Refuses to hold more than the limit.
    pub(in crate::data) fn check_memory(&self, more: usize, bounds: &Bounds) -> Result<(), Error> {
        let Some(limit) = bounds.allowed() else { return Ok(()) };
        let cells = (self.bytes() + more + CODING_BYTES * self.rows) as u64;
        // Of a few columns nobody counts what is told about each.
        let told =
            self.columns.iter().map(|column| COLUMN_BYTES + 4 * column.name.len()).sum::<usize>() as u64;
        if cells <= limit && cells + told <= limit.saturating_add(GRACE) {
            return Ok(());
        }
        let needed = readable_size(cells + told);
        let (rows, stretch) = (self.rows, self.rows_of_stretch());
        let problem = Problem::Memory { rows, needed, limit: readable_size(limit), stretch, held: None };
        Err(Error::table(Place::file(&self.name), problem))
    }

    /// Refuses a table that is held whole, as soon as it is plain that its `rows` will not fit: by what each takes whatever follows.
    fn check_rows(&self, rows: usize, bounds: &Bounds) -> Result<(), Error> {
        let columns = self.columns.iter().filter(|column| column.least_bytes() > 0).count();
        let least = self.columns.iter().map(Column::least_bytes).sum::<usize>();
        let what = format!("at least {} of {}", counted(rows, "row"), counted(columns, "column"));
        Plan::at_least("reading the table")
            .need(what, product(&[rows, least + CODING_BYTES]))
            .way("leave columns out", Some(Advice::new("type", "COL=ignore")))
            .way("take fewer rows", None)
            .check(bounds.room)
    }
}

/// Reads CSV text, gzipped or not, below what was read `before`.
pub(super) fn read_text(
    from: impl Read,
    name: &str,
    separator: Option<u8>,
    how: How<'_>,
    before: Option<RawTable>,
) -> Result<RawTable, Error> {
    let How { settings, expect, bounds, .. } = how;
    let mut tokens = opened(from, name, separator, settings, bounds)?;
    let comma = DecimalComma(tokens.separator() == b';');
    let columns = read_header(&mut tokens)?.into_iter().map(|name| {
        let expected = expect(&name);
        Column::new(name, expected, comma)
    });
    let mut raw = RawTable::begun(name, columns.collect(), settings, before)?;
    read_rows(&mut tokens, &mut raw, how)?;
    Ok(raw)
}

/// The rows of CSV text, gzipped or not, whatever is in them.
pub(super) fn count_rows(
    from: impl Read,
    name: &str,
    separator: Option<u8>,
    settings: &DataSettings,
    bounds: &Bounds,
) -> Result<usize, Error> {
    let mut tokens = opened(from, name, separator, settings, bounds)?;
    read_header(&mut tokens)?;
    tokens.count_rows()
}

fn opened<'r>(
    from: impl Read + 'r,
    name: &str,
    separator: Option<u8>,
    settings: &DataSettings,
    bounds: &Bounds,
) -> Result<Tokens<'r>, Error> {
    let separator = settings.separator.map(|c| c as u8).or(separator);
    Tokens::open(Source::open(from, name, bounds)?, separator)
}

/// The names in the first row, all present and all different.
fn read_header(tokens: &mut Tokens<'_>) -> Result<Vec<String>, Error> {
    let mut header = Header::default();
    loop {
        let Some(cell) = tokens.next()? else {
            return Err(Error::table(Place::file(tokens.name()), Problem::Empty));
        };
        let mut name = String::from_utf8_lossy(tokens.text(cell)).into_owned();
        // Programs that write row names or numbers leave the name of their column empty.
        if name.trim().is_empty() && header.names.is_empty() && !cell.ends_row {
            name = "column 1".into();
        }
        header.add(&name).map_err(|problem| tokens.error_at_cell(problem))?;
        if cell.ends_row {
            return Ok(header.names);
        }
    }
}

/// Column names, all present and all different.
#[derive(Default)]
pub(in crate::data) struct Header {
    pub(in crate::data) names: Vec<String>,
    places: HashMap<String, usize>,
}

impl Header {
    /// Adds a name, without blanks around it.
    pub(in crate::data) fn add(&mut self, name: &str) -> Result<(), Problem> {
        let name = name.trim();
        let number = self.names.len() + 1;
        if name.len() > MAX_NAME {
            return Err(Problem::NameTooLong { number, length: name.len(), limit: MAX_NAME });
        }
        if name.contains('\0') {
            return Err(Problem::NulName { number });
        }
        let name = name.to_string();
        if name.is_empty() {
            return Err(Problem::EmptyColumnName { number });
        }
        if number > MAX_COLUMNS {
            return Err(Problem::TooManyColumns { found: number, limit: MAX_COLUMNS });
        }
        if let Some(first) = self.places.insert(name.clone(), number) {
            return Err(Problem::DuplicateColumn { name, first });
        }
        self.names.push(name);
        Ok(())
    }
}

fn read_rows(tokens: &mut Tokens<'_>, raw: &mut RawTable, how: How<'_>) -> Result<(), Error> {
    let How { bounds, purpose, stretch, extent, .. } = how;
    let (expected, before) = (raw.columns.len(), raw.rows);
    let looked_at = (LOOKED_AT / expected.max(1)).max(1);
    let mut look_again = LOOKED_BYTES;
    let mut field = 0;
    while let Some(cell) = tokens.next()? {
        let Some(column) = raw.columns.get_mut(field) else {
            return Err(too_many_fields(tokens, cell.ends_row, expected)?);
        };
        if field == 0 {
            raw.lines.note(raw.rows, tokens.cell_line());
        }
        let text = tokens.text(cell);
        if text.len() > MAX_CELL {
            return Err(tokens.error_at_cell(Problem::long_cell(&column.name, text.len())));
        }
        let added = column.add_headed(text, tokens.head(cell), &raw.marks);
        if added != Added::Fine {
            note(tokens, cell, column, added)?;
        }
        field += 1;
        if cell.ends_row {
            if field != expected {
                return Err(tokens.error_at_cell(Problem::RaggedRow { expected, found: field }));
            }
            field = 0;
            raw.rows += 1;
            if raw.rows.is_multiple_of(looked_at) || tokens.passed() >= look_again {
                look_again = tokens.passed() + LOOKED_BYTES;
                raw.look_at_texts(stretch)?;
                raw.check_memory(tokens.bytes(), bounds)?;
                purpose.check_so_far(raw)?;
                if let (Some(extent), None) = (extent, stretch) {
                    raw.check_rows(before + extent.rows(raw.rows - before), bounds)?;
                }
            }
            raw.look_at_stretch(stretch)?;
        }
    }
    raw.check_memory(tokens.bytes(), bounds)
}

/// The error for the first field too many, once the row's fields are counted.
#[cold]
fn too_many_fields(tokens: &mut Tokens<'_>, row_is_over: bool, expected: usize) -> Result<Error, Error> {
    let (line, column) = tokens.position();
    let mut found = expected + 1;
    let mut over = row_is_over;
    while !over {
        over = tokens.next()?.is_none_or(|cell| cell.ends_row);
        found += 1;
    }
    let place = Place::at(tokens.name(), line, column);
    Ok(Error::table(place, Problem::RaggedRow { expected, found }))
}

/// Notes where an infinite cell stands, or refuses an unexpected one.
#[cold]
fn note(
    tokens: &Tokens<'_>,
    cell: crate::data::read::tokens::Cell,
    column: &mut Column,
    added: Added,
) -> Result<(), Error> {
    let text = String::from_utf8_lossy(tokens.text(cell)).into_owned();
    if added == Added::Infinite {
        let (line, character) = tokens.position();
        column.infinite.get_or_insert_with(|| (Place::at(tokens.name(), line, character), text));
        return Ok(());
    }
    Err(tokens.error_at_cell(unexpected(column, text, String::new())))
}

/// Why a cell is not what was expected of its column, and which row it is in, where no line tells.
pub(in crate::data) fn unexpected(column: &Column, cell: String, at: String) -> Problem {
    let name = column.name.clone();
    match &column.expected {
        Expected::Stamps => Problem::stamp(name, at, Some(cell)),
        Expected::Dates(_) => Problem::WrongKind { column: name, kind: "date", cell },
        Expected::Numbers(Some(setting)) => Problem::NotNumeric { column: name, setting, cell },
        _ => Problem::WrongKind { column: name, kind: "numeric", cell },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::Room;

    #[test]
    fn rows_that_follow_may_be_twice_as_long() {
        let read = Cell::new(1000);
        let rows = |length: u64, rows: usize| Extent { length, read: &read }.rows(rows);
        assert_eq!(rows(1000, 50), 50, "all of them were read");
        assert_eq!(rows(9000, 50), 50 + 200, "400 of the same length");
        assert_eq!(rows(500, 50), 50, "a file that shrank");
        assert_eq!(rows(u64::MAX, usize::MAX), usize::MAX);
    }

    #[test]
    fn what_just_fits_is_not_refused() {
        let column = |name: &str, expected| Column::new(name.into(), expected, DecimalComma(false));
        let columns = vec![column("a", Expected::Anything), column("b", Expected::Nothing)];
        let raw = RawTable::begun("t", columns, &DataSettings::default(), None).unwrap();
        let bounds = Bounds { room: Some(Room::of(1 << 20)), ..Bounds::default() };
        // A byte for the one column that is kept.
        let most = ((1 << 20) + GRACE as usize) / (1 + CODING_BYTES);
        assert!(raw.check_rows(most, &bounds).is_ok());
        let text = raw.check_rows(most + 1, &bounds).unwrap_err().to_string();
        assert!(
            text.starts_with("reading the table needs at least 33")
                && text.contains("rows of 1 column)")
                && text.ends_with("leave columns out, take fewer rows, or raise the limit"),
            "{text}"
        );
        assert!(raw.check_rows(usize::MAX, &Bounds { room: None, ..bounds }).is_ok());
    }
}
