//! What the cells of a column are, seen together: numbers, dates, or texts with their counts.

use crate::data::cells::column::{Cells, Column, Expected};
use crate::data::cells::date::{self, Date};
use crate::data::cells::listed::Listed;
use crate::data::cells::marks::Marks;
use crate::data::cells::number::Numeral;
use crate::data::coding::as_truth;
use crate::data::decide::dates::{self, Dates, Order};
use crate::data::decide::numbers::{Numbers, Recorded};
use crate::data::problem::Problem;
use crate::error::{Error, Place};

/// Nobody lives to see a date from this year on: 9999-12-31 and its like.
const NEVER: i64 = 9000;

/// A column seen as a whole.
#[derive(Debug)]
pub(in crate::data) struct Content<'a> {
    /// Cells with a value.
    pub(in crate::data) recorded: usize,
    /// Cells without.
    pub(in crate::data) missing: usize,
    pub(in crate::data) values: Values<'a>,
}

/// The recorded values of a column.
#[derive(Debug)]
pub(in crate::data) enum Values<'a> {
    /// All are numbers; `repeats` tells whether some value is known to occur twice.
    Numbers { numbers: Numbers<'a>, repeats: bool },
    /// All are dates, or all are times of day.
    Dates(Dates),
    /// Texts in name order with how often each occurs, and how many of the cells are numbers.
    Texts { counts: Vec<(&'a str, usize)>, numbers: usize },
}

impl Values<'_> {
    /// Different values, and whether they were counted to the end.
    pub(in crate::data) fn distinct(&self) -> (usize, bool) {
        match self {
            Values::Numbers { numbers: Numbers { values: Recorded::Counted(counted), .. }, .. } => {
                (counted.len(), true)
            }
            Values::Numbers { .. } => (crate::data::cells::column::FEW / 2, false),
            Values::Dates(dates) => (dates.counted.len(), true),
            Values::Texts { counts, .. } => (counts.len(), true),
        }
    }
}

impl<'a> Content<'a> {
    /// Looks at a column; an infinite number among numbers is an error. Of rows that are held beside an even part only what they say counts, not how often.
    pub(in crate::data) fn of(
        column: &'a Column,
        marks: &Marks,
        file: &str,
        beside: &[usize],
    ) -> Result<Self, Error> {
        match &column.cells {
            Cells::Numbers { values, repeats } => {
                if let Some(error) = infinite_error(column).filter(|_| values.iter().any(|v| v.is_infinite()))
                {
                    return Err(error);
                }
                let numbers = Numbers::listed(values, beside);
                let gaps = values.iter().filter(|value| value.is_nan()).count();
                let gaps_beside = values_at(values, beside).filter(|value| value.is_nan()).count();
                let (recorded, missing) = (numbers.count, gaps - gaps_beside);
                Ok(Content { recorded, missing, values: Values::Numbers { numbers, repeats: *repeats } })
            }
            Cells::Words { words, codes } => {
                let (mut present, mut missing) = (Vec::new(), 0);
                let all = codes.counts(words.len());
                let mut even = all.clone();
                beside.iter().filter_map(|&row| codes.get(row)).for_each(|code| even[code as usize] -= 1);
                for (word, (all, even)) in words.iter().zip(all.into_iter().zip(even)) {
                    match column.is_gap(word, marks) {
                        true => missing += even,
                        false if all > 0 => present.push((word, even)),
                        false => {}
                    }
                }
                known_by_one_row(&mut present, column);
                let recorded = present.iter().map(|&(_, count)| count).sum();
                Ok(Content { recorded, missing, values: values_of(column, &present, file)? })
            }
            Cells::Nothing => Ok(Content {
                recorded: 0,
                missing: 0,
                values: Values::Texts { counts: Vec::new(), numbers: 0 },
            }),
        }
    }
}

/// Counts what is only met beside the even part as met once; of many different numbers such say nothing, as each is one of many.
fn known_by_one_row(present: &mut Vec<(&[u8], usize)>, column: &Column) {
    let are_numbers = || present.iter().all(|(word, _)| column.numeral(word) != Numeral::Other);
    if present.len() > FEW_NUMBERS && present.iter().any(|&(_, count)| count > 0) && are_numbers() {
        present.retain(|&(_, count)| count > 0);
    }
    present.iter_mut().for_each(|(_, count)| *count = (*count).max(1));
}

/// So many different numbers may each be a state.
const FEW_NUMBERS: usize = 64;

fn values_at<'v>(values: &'v Listed, places: &'v [usize]) -> impl Iterator<Item = f64> + 'v {
    let mut places = places.iter().copied().peekable();
    values.iter().enumerate().filter(move |(row, _)| places.next_if_eq(row).is_some()).map(|(_, value)| value)
}

fn values_of<'a>(column: &Column, present: &[(&'a [u8], usize)], file: &str) -> Result<Values<'a>, Error> {
    let verbatim = column.expected == Expected::Text;
    let no_number = verbatim || matches!(column.expected, Expected::Dates(_));
    let numeral = |&(word, _): &(&[u8], usize)| if no_number { Numeral::Other } else { column.numeral(word) };
    let numerals: Vec<Numeral> = present.iter().map(numeral).collect();
    if !numerals.is_empty() && numerals.iter().all(|&numeral| numeral != Numeral::Other) {
        if let Some(error) = infinite_error(column).filter(|_| numerals.contains(&Numeral::Infinite)) {
            return Err(error);
        }
        return Ok(counted_numbers(&numerals, present));
    }
    if let Some(dates) = dates_of(column, present, file)?.filter(|_| !verbatim) {
        return Ok(Values::Dates(dates));
    }
    let are_numbers = |numeral: &Numeral| matches!(numeral, Numeral::Finite(_));
    let numbers =
        numerals.iter().zip(present).filter(|(numeral, _)| are_numbers(numeral)).map(|(_, &(_, n))| n).sum();
    // Only checked UTF-8 comes in.
    let text = |word: &'a [u8]| std::str::from_utf8(word).unwrap_or_default();
    let mut counts: Vec<(&str, usize)> = present.iter().map(|&(word, count)| (text(word), count)).collect();
    // A frame's truth values have no spelling, and who writes them to a file has another: they are the same states.
    if counts.iter().all(|(text, _)| as_truth(text.as_bytes()).is_some()) {
        counts.iter_mut().for_each(|(text, _)| *text = as_truth(text.as_bytes()).unwrap_or(text));
    }
    counts.sort_unstable();
    counts.dedup_by(|later, earlier| {
        let same = later.0 == earlier.0;
        earlier.1 += if same { later.1 } else { 0 };
        same
    });
    Ok(Values::Texts { counts, numbers })
}

/// The cells as dates, if all are: in the order of day and month that was declared, or the only one that fits them.
fn dates_of(column: &Column, present: &[(&[u8], usize)], file: &str) -> Result<Option<Dates>, Error> {
    let seasons = || present.iter().all(|(word, _)| is_season(word));
    if column.expected == Expected::Anything && (seasons() || may_be_durations(present)) {
        return Ok(None);
    }
    let declared = if let Expected::Dates(order) = column.expected { order } else { None };
    let order = match dates::order_of(present) {
        Order::Plain => None,
        _ if declared.is_some() => declared,
        // 1.12.13 may be anything.
        Order::Known(_)
            if matches!(column.expected, Expected::Anything | Expected::Stamps)
                && present.iter().any(|(word, _)| date::is_short(word)) =>
        {
            return Ok(None);
        }
        Order::Known(order) => Some(order),
        Order::Ambiguous if matches!(column.expected, Expected::Dates(_)) => {
            let cell = String::from_utf8_lossy(present[0].0).into_owned();
            let problem = Problem::AmbiguousDates { column: column.name.clone(), cell };
            return Err(Error::table(Place::file(file), problem));
        }
        Order::Ambiguous | Order::NoDates => return Ok(None),
    };
    let read = |&(word, count): &(&[u8], usize)| Some((date::read(word, order)?, count));
    let counted: Option<Vec<(Date, usize)>> = present.iter().map(read).collect();
    let alike = |dates: &Vec<(Date, usize)>| dates.windows(2).all(|pair| pair[0].0.clock == pair[1].0.clock);
    let dates = counted.filter(|dates| !dates.is_empty() && alike(dates));
    Ok(dates.map(|counted| {
        let never = never(present, &counted);
        Dates { counted, order, ways: two_ways(present), never }
    }))
}

/// One cell in so many is of the afternoon, or times such as `8:15` may be minutes and seconds.
const AFTERNOON: usize = 10;

/// Whether times of day of which some have one digit for the hour may be durations: those grow rare as they grow long.
fn may_be_durations(present: &[(&[u8], usize)]) -> bool {
    let is_late = |word: &[u8]| date::read(word, None).is_some_and(|date| date.clock && date.hour() > 12);
    let late: usize = present.iter().filter(|(word, _)| is_late(word)).map(|&(_, rows)| rows).sum();
    let all: usize = present.iter().map(|&(_, rows)| rows).sum();
    present.iter().any(|(word, _)| date::may_be_minutes(word)) && late * AFTERNOON < all
}

/// A year and the next, as financial years and seasons are written: `2003-04` in a column of which all cells are such is no month.
fn is_season(word: &[u8]) -> bool {
    let number = |digits: &[u8]| std::str::from_utf8(digits).ok()?.parse::<u32>().ok();
    let (Some(year), Some(next)) = (word.get(..4).and_then(number), word.get(5..).and_then(number)) else {
        return false;
    };
    word.len() == 7 && matches!(word[4], b'-' | b'/') && (year + 1) % 100 == next
}

/// The cells with a date that nobody lives to see, most frequent first, and their rows: what stands for "no end" or "no date" where a column of dates may not
/// be empty; nothing where all dates are such.
fn never(present: &[(&[u8], usize)], dates: &[(Date, usize)]) -> Vec<(String, usize)> {
    let cells = present.iter().zip(dates).filter(|(_, (date, _))| date.year >= NEVER);
    let text = |word: &[u8]| String::from_utf8_lossy(word).into_owned();
    let mut found: Vec<(String, usize)> = cells.map(|(&(word, rows), _)| (text(word), rows)).collect();
    found.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    if found.len() < present.len() { found } else { vec![] }
}

/// Two cells whose dates are put together in different ways.
fn two_ways(present: &[(&[u8], usize)]) -> Option<(String, String)> {
    // The first by name: rows may stand in any order.
    let (first, _) = present.iter().min()?;
    let (other, _) = present.iter().filter(|(word, _)| !date::alike(first, word)).min()?;
    let text = |word: &[u8]| String::from_utf8_lossy(word).into_owned();
    Some((text(first), text(other)))
}

fn counted_numbers<'a>(numerals: &[Numeral], present: &[(&[u8], usize)]) -> Values<'a> {
    let mut counted: Vec<(f64, usize)> = Vec::with_capacity(present.len());
    for (numeral, &(_, count)) in numerals.iter().zip(present) {
        if let Numeral::Finite(value) = numeral {
            counted.push((*value, count));
        }
    }
    counted.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
    counted.dedup_by(|later, earlier| {
        let same = later.0 == earlier.0;
        earlier.1 += if same { later.1 } else { 0 };
        same
    });
    let repeats = counted.iter().any(|&(_, count)| count > 1);
    Values::Numbers { numbers: Numbers::counted(counted), repeats }
}

fn infinite_error(column: &Column) -> Option<Error> {
    let (place, cell) = column.infinite.clone()?;
    Some(Error::table(place, Problem::Infinite { column: column.name.clone(), cell }))
}

#[cfg(test)]
mod tests {
    use crate::data::{Bounds, DataSettings, Input, read};

    #[test]
    fn hours_of_one_digit_are_times_unless_they_may_be_minutes() {
        let kind = |hours: usize| {
            let cell = |k: usize| format!("{}:{:02}", k * 7 % hours, k * 13 % 60);
            let text: String =
                (0..300).map(|k| format!("{},{},{}\n", cell(k), k * k % 7 % 2, k % 3)).collect();
            let input = format!("when,y,z\n{text}");
            let found = read(Input::csv(input.as_bytes(), "t"), &DataSettings::default(), &Bounds::default());
            format!("{:?}", found.unwrap().report[0].kind)
        };
        assert_eq!(kind(24), "Date");
        assert_ne!(kind(9), "Date", "songs of a few minutes");
    }
}
