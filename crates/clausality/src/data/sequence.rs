//! When and whose every row is: the columns that put rows in order, as they were read.
//!
//! A stamp is a date, a time or a whole number; an entity is whatever its column says, letter by letter. Neither column becomes a
//! variable. Two rows of one entity with the same stamp are refused here, with both their lines: nobody could say which comes first.

use crate::data::cells::column::{Cells, Column, Expected};
use crate::data::cells::layout::{Layout, Written};
use crate::data::cells::marks::Marks;
use crate::data::cells::{date, number};
use crate::data::decide::content::{Content, Values};
use crate::data::decide::dates::{self, Order};
use crate::data::decide::numbers::{Numbers, Recorded};
use crate::data::decide::verdict::Warning;
use crate::data::problem::Problem;
use crate::data::read::raw::RawTable;
use crate::data::{DAY, DataSettings, DateOrder, Lines, Notice, NoticeKind};
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
    /// Of dates, how they are written, where all are written alike.
    layout: Option<Layout>,
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
    /// What is to be said of how the stamps were read.
    pub(in crate::data) notices: Vec<Notice>,
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
    /// Times of day without a date: midnight comes after the last of them.
    Day,
    /// Months and quarters as years with decimals, as R's time series have them: 1949.083 is February.
    Years {
        /// The most decimals of a cell.
        decimals: usize,
        /// Whether every cell has so many.
        all: bool,
    },
}

/// What is known of stamps before they are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stamped {
    /// Nothing: they may be anything that puts rows in order.
    Anyhow,
    /// They are numbers.
    Numbers,
    /// They are dates, with day and month in this order where that has to be told.
    Dates(Option<DateOrder>),
}

/// A moment. Of a whole number both are that number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Stamp {
    /// Seconds since 1970-01-01T00:00:00, in UTC where an offset was given.
    pub instant: i64,
    /// The same as the clock on the wall shows them.
    pub local: i64,
}

impl Sequence {
    /// Reads the two columns of a table whose settings name them.
    pub(in crate::data) fn of(raw: &RawTable, settings: &DataSettings) -> Result<Option<Self>, Error> {
        let find = |name: &String| raw.columns.iter().find(|column| column.name == *name);
        let Some(time) = settings.time.as_ref().and_then(find) else { return Ok(None) };
        let Stamps { clock, order, layout, stamps, notices } = stamps(time, raw)?;
        let entity = settings.entity.as_ref().and_then(find);
        let (entities, owners) = match entity {
            Some(column) => owners(column, raw)?,
            None => (vec![String::new()], vec![0; raw.rows]),
        };
        let mut sequence = Sequence {
            time: time.name.clone(),
            entity: entity.map(|column| column.name.clone()),
            clock,
            layout,
            order,
            stamps,
            owners,
            entities,
            constant: Vec::new(),
            notices,
            table: raw.name.clone(),
            lines: raw.lines.clone(),
        };
        sequence.refuse_equal_stamps(time)?;
        sequence.refuse_midnight()?;
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

    /// A stamp as the table writes its own, or as a person does where it has no one way.
    pub fn text(&self, stamp: Stamp) -> String {
        match self.clock {
            Clock::Numbers => stamp.instant.to_string(),
            Clock::Calendar => {
                let zoned = || date::write_zoned(stamp.local, stamp.local - stamp.instant);
                self.in_layout(stamp).unwrap_or_else(zoned)
            }
            Clock::Day => {
                let passed = stamp.local.rem_euclid(DAY);
                let clock = || format!("{:02}:{:02}:{:02}", passed / 3600, passed / 60 % 60, passed % 60);
                self.in_layout(Stamp { instant: passed, local: passed }).unwrap_or_else(clock)
            }
            Clock::Years { decimals, all } => {
                let (year, month, _) = date::civil(stamp.local.div_euclid(DAY));
                let written = format!("{:.decimals$}", year as f64 + (month - 1) as f64 / 12.0);
                if all { written } else { written.parse().map_or(written, number::write) }
            }
        }
    }

    /// A stamp as all cells are written, if they are written in one way.
    fn in_layout(&self, stamp: Stamp) -> Option<String> {
        self.layout.as_ref()?.write(Written { local: stamp.local, offset: stamp.local - stamp.instant })
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
            Cells::Words { words, codes } if matches!(self.clock, Clock::Calendar | Clock::Day) => {
                let word = codes.iter().nth(row).map(|code| words.word(code as usize)).unwrap_or_default();
                word.iter().rev().take_while(|&&byte| byte != b':').any(|byte| matches!(byte, b'.' | b','))
                    && word.contains(&b':')
            }
            _ => false,
        };
        let (place, at) = self.locate(second);
        let problem = Problem::EqualStamps {
            stamp: self.text(self.stamps[first]),
            whose: self.whose(self.owners[first]),
            at,
            first: self.place(first),
            fractions: fraction(first) || fraction(second),
            clock: self.clock == Clock::Day,
            alone: self.entity.is_none(),
        };
        Err(Error::table(place, problem))
    }

    /// Refuses times of day that rise to midnight and begin anew behind it: sorted, the rows of the morning would come before those of the evening.
    fn refuse_midnight(&self) -> Result<(), Error> {
        if self.clock != Clock::Day {
            return Ok(());
        }
        let mut by_owner: Vec<Vec<usize>> = vec![Vec::new(); self.entities.len()];
        (0..self.stamps.len()).for_each(|row| by_owner[self.owners[row] as usize].push(row));
        let at = |row: usize| self.stamps[row].local;
        for rows in by_owner.iter().filter(|rows| rows.len() > 2) {
            let falls: Vec<&[usize]> = rows.windows(2).filter(|pair| at(pair[1]) < at(pair[0])).collect();
            if let [fall] = falls[..]
                && at(rows[rows.len() - 1]) < at(rows[0])
            {
                let text = |row: usize| self.text(self.stamps[row]);
                let (place, row) = self.locate(fall[1]);
                let (column, before, cell) = (self.time.clone(), text(fall[0]), text(fall[1]));
                return Err(Error::table(place, Problem::PastMidnight { column, at: row, before, cell }));
            }
        }
        Ok(())
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

/// What the column with the stamps says.
struct Stamps {
    clock: Clock,
    order: Option<DateOrder>,
    layout: Option<Layout>,
    stamps: Vec<Stamp>,
    notices: Vec<Notice>,
}

impl Stamps {
    fn new(clock: Clock, stamps: Vec<Stamp>) -> Self {
        Stamps { clock, order: None, layout: None, stamps, notices: Vec::new() }
    }
}

/// The stamps of a column in the order of its rows.
fn stamps(column: &Column, raw: &RawTable) -> Result<Stamps, Error> {
    let no_stamp = |row: usize, cell: Option<String>| {
        let (place, at) = raw.lines.locate(&raw.name, row);
        Error::table(place, Problem::stamp(column.name.clone(), at, cell))
    };
    if let Some(row) = column.gaps(&raw.marks).iter().position(|&gap| gap) {
        return Err(no_stamp(row, None));
    }
    match Content::of(column, &raw.marks, &raw.name, &[])?.values {
        Values::Numbers { numbers, .. } => {
            let values = column.numbers(&raw.marks);
            let whole = |value: &f64| value.fract() == 0.0 && value.abs() < 9e15;
            let found = decimal_years(column, &values)
                .or_else(|| year_months(column, &values).filter(|_| column.expected == Expected::Stamps));
            if let Some(found) = found {
                return Ok(found);
            }
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
            Ok(Stamps::new(Clock::Numbers, values.into_iter().map(stamp).collect()))
        }
        Values::Dates(dates) => {
            let clock = if dates.is_clock() { Clock::Day } else { Clock::Calendar };
            let mut found = Stamps { order: dates.order, ..Stamps::new(clock, Vec::new()) };
            let Cells::Words { words, codes } = &column.cells else { return Ok(found) };
            let read = |word| date::read(word, dates.order).map(|date| (date.seconds, date.local));
            let known: Vec<Option<(i64, i64)>> = words.iter().map(read).collect();
            let stamp = |code: u32| {
                let (instant, local) = known[code as usize].unwrap_or_default();
                Stamp { instant, local }
            };
            found.stamps = codes.iter().map(stamp).collect();
            // Marks of gaps are words too, though no stamp.
            let written = words.iter().zip(&known).filter_map(|(word, known)| {
                let (instant, local) = (*known)?;
                Some((std::str::from_utf8(word).ok()?, Written { local, offset: local - instant }))
            });
            found.layout = Layout::of(written, dates.order);
            found
                .notices
                .extend(dates.ways().map(|told| Warning::new(NoticeKind::Column, told).about(&column.name)));
            Ok(found)
        }
        Values::Texts { .. } => Err(match &column.cells {
            Cells::Words { words, codes } => {
                let odd = |code: &u32| {
                    let word = words.word(*code as usize);
                    !date::is_any(word) && column.numeral(word) == number::Numeral::Other
                };
                // Dates of which nothing says which number is the day.
                if words.iter().all(date::is_any) && words.len() > 0 {
                    return Err(raw.refuse(unclear(column, &words.iter().collect::<Vec<_>>())));
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

/// Why dates are not read though each of them is one.
fn unclear(column: &Column, words: &[&[u8]]) -> Problem {
    let text = |word: &[u8]| String::from_utf8_lossy(word).into_owned();
    let (name, first) = (column.name.clone(), text(words[0]));
    let cells: Vec<(&[u8], usize)> = words.iter().map(|&word| (word, 1)).collect();
    let order = dates::order_of(&cells);
    if order == Order::NoDates {
        let only = |one, other| {
            let fits = |word: &&&[u8]| {
                date::read(word, Some(one)).is_some() && date::read(word, Some(other)).is_none()
            };
            words.iter().find(fits).map(|word| text(word))
        };
        let both = only(DateOrder::Dmy, DateOrder::Mdy).zip(only(DateOrder::Mdy, DateOrder::Dmy));
        if let Some((day, month)) = both {
            return Problem::MixedOrders { column: name, day, month };
        }
    }
    match words.iter().find(|word| date::is_short(word)) {
        Some(word) => {
            let order = if let Order::Known(order) = order { Some(order) } else { None };
            Problem::ShortYears { column: name, cell: text(word), order }
        }
        None => Problem::AmbiguousDates { column: name, cell: first },
    }
}

/// Years with decimals that are months or quarters, some of them not January.
fn decimal_years(column: &Column, values: &[f64]) -> Option<Stamps> {
    // Of 1949.08 a twelfth is off by four hundredths.
    let is_month = |value: &f64| {
        let months = value * 12.0;
        (1000.0..3000.0).contains(value) && (months - months.round()).abs() <= 0.07
    };
    if values.iter().all(|value| value.fract() == 0.0) || !values.iter().all(is_month) {
        return None;
    }
    let stamp = |value: &f64| {
        let months = (value * 12.0).round() as i64;
        first_of(months.div_euclid(12), months.rem_euclid(12) + 1)
    };
    let decimals = |value: &f64| number::write(*value).split_once('.').map_or(0, |(_, behind)| behind.len());
    let most = values.iter().map(decimals).max().unwrap_or_default();
    // 1990.000 has decimals that its number does not need.
    let all = match &column.cells {
        Cells::Words { words, .. } => {
            let behind =
                |word: &[u8]| word.rsplit(|byte| matches!(byte, b'.' | b',')).next().map(<[u8]>::len);
            words.iter().all(|word| word.len() > most && behind(word) == Some(most))
        }
        _ => false,
    };
    let clock = Clock::Years { decimals: most, all };
    Some(Stamps::new(clock, values.iter().map(stamp).collect()))
}

/// The first day of a month.
fn first_of(year: i64, month: i64) -> Stamp {
    let seconds = date::days_since_epoch(year, month, 1) * DAY;
    Stamp { instant: seconds, local: seconds }
}

/// Numbers such as 201912, all of them year and month: as numbers they would have a hole at the end of every year.
fn year_months(column: &Column, values: &[f64]) -> Option<Stamps> {
    let is_month = |value: &f64| {
        value.fract() == 0.0
            && (190_001.0..=210_012.0).contains(value)
            && date::read(number::write(*value).as_bytes(), None).is_some()
    };
    if values.is_empty() || !values.iter().all(is_month) {
        return None;
    }
    let stamp = |value: &f64| first_of(*value as i64 / 100, *value as i64 % 100);
    let stamps: Vec<Stamp> = values.iter().map(stamp).collect();
    let texts: Vec<String> = values.iter().map(|value| number::write(*value)).collect();
    let written = stamps.iter().map(|stamp| Written { local: stamp.local, offset: 0 });
    let layout = Layout::of(texts.iter().map(String::as_str).zip(written), None);
    let first = texts.iter().min()?;
    let told = format!(
        "its numbers, such as {first}, were read as year and month; take them as numbers if they are"
    );
    let told = Warning::new(NoticeKind::Column, told).advising("type", format!("{}=numeric", column.name));
    Some(Stamps { layout, notices: vec![told.about(&column.name)], ..Stamps::new(Clock::Calendar, stamps) })
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

/// Whose the rows are, by numbers, where a column says so and none says when.
pub(in crate::data) fn owners_alone(
    raw: &RawTable,
    settings: &DataSettings,
) -> Result<Option<Vec<u32>>, Error> {
    let entity = |column: &&Column| settings.entity.as_ref() == Some(&column.name);
    match raw.columns.iter().find(entity).filter(|_| settings.time.is_none()) {
        Some(column) => Ok(Some(owners(column, raw)?.1)),
        None => Ok(None),
    }
}

/// The entities of a column by name, and whose every row is.
fn owners(column: &Column, raw: &RawTable) -> Result<(Vec<String>, Vec<u32>), Error> {
    let Cells::Words { words, codes } = &column.cells else { return Ok((Vec::new(), Vec::new())) };
    let gaps = column.gaps(&raw.marks);
    if let Some(row) = gaps.iter().position(|&gap| gap) {
        let (place, at) = raw.lines.locate(&raw.name, row);
        let others = gaps.iter().filter(|&&gap| gap).count() - 1;
        return Err(Error::table(place, Problem::NoEntity { column: column.name.clone(), others, at }));
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
