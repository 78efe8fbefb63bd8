//! When and whose every row is: the columns that put rows in order, as they were read.
//!
//! A stamp is a date, a time or a whole number; an entity is whatever its column says, letter by letter. Neither column becomes a
//! variable. Two rows of one entity with the same stamp are refused here, with both their lines: nobody could say which comes first.

use crate::data::cells::column::{Cells, Column, Marks};
use crate::data::cells::date;
use crate::data::cells::number;
use crate::data::decide::content::{Content, Values};
use crate::data::decide::numbers::{Numbers, Recorded};
use crate::data::problem::Problem;
use crate::data::read::raw::RawTable;
use crate::data::{DataSettings, DateOrder, Lines};
use crate::error::{Error, Place};
use std::collections::BTreeMap;

/// When and whose every row of a table is.
#[derive(Debug, Clone, PartialEq)]
pub struct Sequence {
    /// The column with the stamps.
    pub time: String,
    /// The column with the entities; without one all rows are of one series.
    pub entity: Option<String>,
    /// What the stamps are.
    pub clock: Clock,
    /// Of dates, which number of `03/04/2019` is the day, where that had to be told.
    pub order: Option<DateOrder>,
    /// When, by row.
    pub stamps: Vec<Stamp>,
    /// Whose, by row: a place in `entities`.
    pub owners: Vec<u32>,
    /// The entities in the order of their names.
    pub entities: Vec<String>,
    /// The columns of the file that never change within an entity; none where there is only one.
    pub constant: Vec<String>,
    /// The table as the user named it.
    pub(crate) table: String,
    /// Where the rows stand in the file.
    pub(crate) lines: Lines,
}

/// What stamps are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Clock {
    /// Whole numbers.
    Numbers,
    /// Dates and times.
    Calendar,
}

/// A moment. Of a whole number both are that number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Stamp {
    /// Seconds since 1970-01-01T00:00:00, in UTC where an offset was given.
    pub instant: i64,
    /// The same as the clock on the wall shows them.
    pub local: i64,
}

impl Clock {
    /// A stamp as a person writes it.
    pub fn text(self, stamp: Stamp) -> String {
        match self {
            Clock::Numbers => stamp.instant.to_string(),
            Clock::Calendar => date::write(stamp.local),
        }
    }
}

impl Sequence {
    /// Reads the two columns of a table whose settings name them.
    pub(in crate::data) fn of(raw: &RawTable, settings: &DataSettings) -> Result<Option<Self>, Error> {
        let find = |name: &String| raw.columns.iter().find(|column| column.name == *name);
        let Some(time) = settings.time.as_ref().and_then(find) else { return Ok(None) };
        let (clock, order, stamps) = stamps(time, raw)?;
        let entity = settings.entity.as_ref().and_then(find);
        let (entities, owners) = match entity {
            Some(column) => owners(column, raw)?,
            None => (vec![String::new()], vec![0; raw.rows]),
        };
        let mut sequence = Sequence {
            time: time.name.clone(),
            entity: entity.map(|column| column.name.clone()),
            clock,
            order,
            stamps,
            owners,
            entities,
            constant: Vec::new(),
            table: raw.name.clone(),
            lines: raw.lines.clone(),
        };
        sequence.refuse_equal_stamps(time)?;
        if sequence.entities.len() > 1 {
            let other =
                |column: &&Column| column.name != time.name && sequence.entity.as_ref() != Some(&column.name);
            let constant =
                raw.columns.iter().filter(other).filter(|column| sequence.never_changes(column, &raw.marks));
            sequence.constant = constant.map(|column| column.name.clone()).collect();
        }
        Ok(Some(sequence))
    }

    /// The rows in the order of entities and time.
    pub fn ordered(&self) -> Vec<u32> {
        let mut rows: Vec<u32> = (0..self.stamps.len() as u32).collect();
        rows.sort_unstable_by_key(|&row| (self.owners[row as usize], self.stamps[row as usize].instant, row));
        rows
    }

    /// Where a row stands, in words.
    pub fn place(&self, row: usize) -> String {
        self.lines.place(row)
    }

    /// Where a row stands, and which it is where no line tells.
    pub(crate) fn locate(&self, row: usize) -> (Place, String) {
        self.lines.locate(&self.table, row)
    }

    /// Whose series it is, as messages add it: nothing where there is only one.
    pub fn whose(&self, owner: u32) -> String {
        match &self.entity {
            Some(column) => format!(" of {column} '{}'", self.entities[owner as usize]),
            None => String::new(),
        }
    }

    /// Keeps the marked rows only.
    pub(in crate::data) fn retain(&mut self, keep: &[bool]) {
        let numbers: Vec<usize> = (0..keep.len()).filter(|&row| keep[row]).collect();
        self.stamps = numbers.iter().map(|&row| self.stamps[row]).collect();
        self.owners = numbers.iter().map(|&row| self.owners[row]).collect();
        self.lines = self.lines.only(&numbers);
    }

    fn refuse_equal_stamps(&self, time: &Column) -> Result<(), Error> {
        let key = |row: u32| (self.owners[row as usize], self.stamps[row as usize].instant);
        let ordered = self.ordered();
        let Some(pair) = ordered.windows(2).find(|pair| key(pair[0]) == key(pair[1])) else { return Ok(()) };
        let (first, second) = (pair[0].min(pair[1]) as usize, pair[0].max(pair[1]) as usize);
        let fraction = |row: usize| match &time.cells {
            Cells::Words { words, codes } if self.clock == Clock::Calendar => {
                let word = codes.iter().nth(row).map(|code| words.word(code as usize)).unwrap_or_default();
                word.iter().rev().take_while(|&&byte| byte != b':').any(|byte| matches!(byte, b'.' | b','))
                    && word.contains(&b':')
            }
            _ => false,
        };
        let (place, at) = self.locate(second);
        let problem = Problem::EqualStamps {
            stamp: self.clock.text(self.stamps[first]),
            whose: self.whose(self.owners[first]),
            at,
            first: self.place(first),
            fractions: fraction(first) || fraction(second),
            alone: self.entity.is_none(),
        };
        Err(Error::table(place, problem))
    }

    /// Whether a column has one value at most in the rows of each entity.
    fn never_changes(&self, column: &Column, marks: &Marks) -> bool {
        let mut seen: Vec<Option<u64>> = vec![None; self.entities.len()];
        let mut same = |(row, value): (usize, Option<u64>)| match (seen[self.owners[row] as usize], value) {
            (_, None) => true,
            (None, value) => {
                seen[self.owners[row] as usize] = value;
                true
            }
            (one, other) => one == other,
        };
        match &column.cells {
            Cells::Words { words, codes } => {
                let gap: Vec<bool> = words.iter().map(|word| column.is_gap(word, marks)).collect();
                let value = |code: u32| (!gap[code as usize]).then_some(u64::from(code));
                codes.iter().map(value).enumerate().all(&mut same)
            }
            Cells::Numbers { values, .. } => {
                let value = |value: f64| (!value.is_nan()).then_some(value.to_bits());
                values.iter().map(value).enumerate().all(&mut same)
            }
            Cells::Nothing => false,
        }
    }
}

/// The stamps of a column in the order of its rows.
fn stamps(column: &Column, raw: &RawTable) -> Result<(Clock, Option<DateOrder>, Vec<Stamp>), Error> {
    let no_stamp = |row: usize, cell: Option<String>| {
        let (place, at) = raw.lines.locate(&raw.name, row);
        let column = column.name.clone();
        let large = |cell: &&String| cell.len() >= 16 && cell.bytes().all(|byte| byte.is_ascii_digit());
        Error::table(
            place,
            match cell.as_ref().filter(large) {
                Some(cell) => Problem::StampTooLarge { column, at, cell: cell.clone() },
                None => Problem::Stamp { column, at, cell },
            },
        )
    };
    if let Some(row) = column.gaps(&raw.marks).iter().position(|&gap| gap) {
        return Err(no_stamp(row, None));
    }
    match Content::of(column, &raw.marks, &raw.name)?.values {
        Values::Numbers { numbers, .. } => {
            let values = column.numbers(&raw.marks);
            let whole = |value: &f64| value.fract() == 0.0 && value.abs() < 9e15;
            if let Some(row) = values.iter().position(|value| !whole(value)) {
                let large = values[row].abs() >= 9e15;
                let cell = if large { format!("{:.0}", values[row]) } else { number::write(values[row]) };
                return Err(no_stamp(row, Some(cell)));
            }
            if may_be_dates(&numbers) {
                return Err(raw.refuse(Problem::StampsLikeDates {
                    column: column.name.clone(),
                    cell: number::write(numbers.low),
                }));
            }
            let stamp = |value: f64| Stamp { instant: value as i64, local: value as i64 };
            Ok((Clock::Numbers, None, values.into_iter().map(stamp).collect()))
        }
        Values::Dates(dates) => {
            let Cells::Words { words, codes } = &column.cells else {
                return Ok((Clock::Calendar, dates.order, Vec::new()));
            };
            let read = |word| date::read(word, dates.order).map(|date| (date.seconds, date.local));
            let known: Vec<(i64, i64)> = words.iter().map(|word| read(word).unwrap_or_default()).collect();
            let stamp = |code: u32| Stamp { instant: known[code as usize].0, local: known[code as usize].1 };
            Ok((Clock::Calendar, dates.order, codes.iter().map(stamp).collect()))
        }
        Values::Texts { .. } => Err(match &column.cells {
            Cells::Words { words, codes } => {
                let odd = |code: &u32| {
                    let word = words.word(*code as usize);
                    !date::is_any(word) && column.numeral(word) == number::Numeral::Other
                };
                // Dates of which nothing says which number is the day.
                if words.iter().all(date::is_any) && words.len() > 0 {
                    let cell = String::from_utf8_lossy(words.word(0)).into_owned();
                    return Err(raw.refuse(Problem::AmbiguousDates { column: column.name.clone(), cell }));
                }
                // Where each cell alone could be a stamp, it is the first of two kinds.
                let row = codes.iter().position(|code| odd(&code)).unwrap_or(0);
                let cell = codes.iter().nth(row).map(|code| words.word(code as usize)).unwrap_or_default();
                no_stamp(row, Some(String::from_utf8_lossy(cell).into_owned()))
            }
            _ => no_stamp(0, None),
        }),
    }
}

/// Whether all of some whole numbers are written like 20191231: as numbers they would have a hole at the end of every month.
fn may_be_dates(numbers: &Numbers<'_>) -> bool {
    let is_date = |value: f64| date::read(number::write(value).as_bytes(), None).is_some();
    numbers.low >= 19_000_101.0
        && numbers.high <= 21_001_231.0
        && match &numbers.values {
            Recorded::Counted(counted) => {
                counted.len() > 2 && counted.iter().all(|&(value, _)| is_date(value))
            }
            Recorded::Listed(values) => values.iter().all(is_date),
        }
}

/// The entities of a column by name, and whose every row is.
fn owners(column: &Column, raw: &RawTable) -> Result<(Vec<String>, Vec<u32>), Error> {
    let Cells::Words { words, codes } = &column.cells else { return Ok((Vec::new(), Vec::new())) };
    if let Some(row) = column.gaps(&raw.marks).iter().position(|&gap| gap) {
        let (place, at) = raw.lines.locate(&raw.name, row);
        return Err(Error::table(place, Problem::NoEntity { column: column.name.clone(), at }));
    }
    let mut used = vec![false; words.len()];
    codes.iter().for_each(|code| used[code as usize] = true);
    let text = |code: usize| String::from_utf8_lossy(words.word(code)).into_owned();
    let by_name: BTreeMap<String, usize> =
        (0..words.len()).filter(|&code| used[code]).map(|code| (text(code), code)).collect();
    let mut places = vec![0; words.len()];
    (0u32..).zip(by_name.values()).for_each(|(place, &code)| places[code] = place);
    let owners = codes.iter().map(|code| places[code as usize]).collect();
    Ok((by_name.into_keys().collect(), owners))
}
