//! Texts that a person would take for numbers or dates, and that are read as categories because they are not written plainly.
//!
//! `1,037` may be a thousand or a bit more than one, `03/04/2024` may be in March or in April: nothing is guessed, but the
//! user is told, with what to do about it.

use crate::data::cells::column::{Cells, Column};
use crate::data::cells::date::{self, DAY, DateOrder};
use crate::data::cells::number::{self, DecimalComma, Numeral};
use crate::data::decide::dates::Dates;
use crate::data::decide::numbers::{Numbers, Recorded};
use crate::data::decide::verdict::Warning;
use crate::data::read::raw::RawTable;
use crate::data::{DataSettings, MissingRule, NoticeKind};
use crate::words::{grouped, quoted};

/// Cells that are no date and are named.
const NAMED: usize = 3;
/// As many as can be listed in an option.
const LISTED: usize = 8;

/// That all but a few cells of a column of texts are dates, and which are not; nothing if day and month could be confused.
pub(in crate::data) fn mostly_dates(
    column: &Column,
    counts: &[(&str, usize)],
    raw: &RawTable,
    settings: &DataSettings,
) -> Option<Warning> {
    let all: usize = counts.iter().map(|&(_, count)| count).sum();
    // Dates that are read without being told the order are read in any.
    let others = |order: Option<DateOrder>| -> Option<(usize, Vec<&str>)> {
        let (mut cells, mut texts) = (0, Vec::new());
        for &(text, count) in counts {
            if date::is_short(text.as_bytes()) || date::read(text.as_bytes(), order).is_none() {
                cells += count;
                texts.push(text);
            }
            if cells * 10 > all {
                return None;
            }
        }
        Some((cells, texts))
    };
    let orders =
        [(None, ""), (Some(DateOrder::Dmy), " (day first)"), (Some(DateOrder::Mdy), " (month first)")];
    let found: Vec<_> = orders.into_iter().filter_map(|(order, told)| Some((others(order)?, told))).collect();
    // The first is the plainest reading.
    let fewest = found.iter().map(|((cells, _), _)| *cells).min()?;
    let mut best = found.into_iter().filter(|((cells, _), _)| *cells == fewest);
    let ((cells, texts), told) = best.next()?;
    if texts.is_empty() || !told.is_empty() && best.next().is_some() {
        return None;
    }
    let place =
        row(column, texts[0], raw, settings).map_or(String::new(), |row| format!(" (row {})", grouped(row)));
    let (name, more) = (&column.name, quoted(&texts[1..], NAMED - 1));
    let (more, are) = if texts.len() > 1 { (format!(", {more}"), "are none") } else { (more, "is none") };
    let text = format!(
        "{} of {} cells are dates{told}, but '{}'{place}{more} {are}, so all are read as categories; correct that, or if it means \
         \"no value\", say so",
        grouped(all - cells),
        grouped(all),
        texts[0],
    );
    let warning = Warning::new(NoticeKind::Column, text);
    Some(match texts.len() {
        ..=LISTED => warning.advising("na", format!("{name}={}", texts.join(","))),
        _ => warning,
    })
}

/// The first row with a text, counted from 1 without the header; nothing where rows may have been dropped before.
fn row(column: &Column, text: &str, raw: &RawTable, settings: &DataSettings) -> Option<usize> {
    let Cells::Words { words, codes } = &column.cells else { return None };
    let word = words.iter().position(|word| word == text.as_bytes())?;
    let dropped = settings.missing.values().any(|rule| *rule == MissingRule::Drop);
    let place = codes.iter().position(|code| code as usize == word).filter(|_| !dropped);
    place.map(|place| raw.drawn.number(place) + 1)
}

/// That numbers such as `20200106` may be dates, where all of them can be.
pub(in crate::data) fn dates_as_numbers(name: &str, numbers: &Numbers<'_>) -> Option<Warning> {
    if !(numbers.whole && numbers.low >= 19_000_101.0 && numbers.high <= 21_001_231.0) {
        return None;
    }
    let is_date = |value: f64| date::read(number::write(value).as_bytes(), None).is_some();
    let all = match &numbers.values {
        // One or two may be dates by chance.
        Recorded::Counted(counted) => counted.len() > 2 && counted.iter().all(|&(value, _)| is_date(value)),
        Recorded::Listed(values) => values.iter().filter(|value| !value.is_nan()).all(is_date),
    };
    let text =
        format!("all its numbers, such as {}, may be dates (year, month, day)", number::write(numbers.low));
    all.then(|| Warning::new(NoticeKind::Column, text).advising("type", format!("{name}=date")))
}

/// That times of day may be durations: they have seconds, and half of the day has none.
pub(in crate::data) fn durations_as_clocks(name: &str, dates: &Dates) -> Option<Warning> {
    let clocks = || dates.counted.iter().map(|&(date, _)| date.local);
    let (first, last) = (clocks().min()?, clocks().max()?);
    let may_be = dates.is_clock() && last - first < DAY / 2 && clocks().any(|clock| clock % 60 != 0);
    let text = "its cells are read as times of day; if they are durations, say that they are numbers";
    may_be.then(|| Warning::new(NoticeKind::Column, text).advising("type", format!("{name}=numeric")))
}

/// What the user should know about a column of such texts, if nine in ten of its cells are.
pub(in crate::data) fn hint(name: &str, counts: &[(&str, usize)], comma: DecimalComma) -> Option<Warning> {
    let all: usize = counts.iter().map(|&(_, count)| count).sum();
    let most = |is: fn(&str) -> bool| {
        let cells: usize = counts.iter().filter(|(text, _)| is(text)).map(|&(_, count)| count).sum();
        cells * 10 >= all * 9
    };
    let first = |is: fn(&str) -> bool| counts.iter().map(|&(text, _)| text).filter(|text| is(text)).min();
    let keep =
        |text: String| Warning::new(NoticeKind::Column, text).advising("type", format!("{name}=categorical"));
    if most(is_date) {
        let example = first(is_date)?;
        if counts.iter().any(|(text, _)| date::is_short(text.as_bytes())) {
            let text = format!(
                "'{example}' looks like a date, but its year has two digits, so all are read as categories; say the type \
                 '{name}=date:dmy' or '{name}=date:mdy' (years 1970 to 2069), or keep them so"
            );
            return Some(keep(text));
        }
        let text = format!(
            "'{example}' looks like a date, but whether day or month comes first is not clear, so all are read as categories; say \
             the type '{name}=date:dmy' or '{name}=date:mdy', write dates as 2024-12-31, or keep them so"
        );
        return Some(keep(text));
    }
    let dressed = first(is_dressed_number)?;
    most(|text| is_dressed_number(text) || is_plain_number(text)).then(|| {
        // Said to be numeric, some could not be read.
        let foreign = |text: &&str| {
            is_dressed_number(text) && number::read_declared(text.as_bytes(), comma) == Numeral::Other
        };
        if let Some(foreign) = counts.iter().map(|&(text, _)| text).filter(foreign).min() {
            let between = if comma.0 { "" } else { "; where semicolons separate cells a comma may do so too" };
            return keep(format!(
                "'{foreign}' looks like a number, but not as numbers are written here, so all are read as categories; write a point before \
                 decimals and nothing between thousands{between}; or keep them so"
            ));
        }
        let text = format!(
            "'{dressed}' looks like a number, but is not written plainly, so all are read as categories; if they are numbers, say so"
        );
        let told = Warning::new(NoticeKind::Dressed, text).advising("type", format!("{name}=numeric"));
        Warning { figure: format!("'{dressed}'"), ..told }
    })
}

/// A day, a month and a year in an order that depends on the country.
fn is_date(text: &str) -> bool {
    date::is_short(text.as_bytes()) || has_no_order(text)
}

fn has_no_order(text: &str) -> bool {
    ['/', '.', '-'].into_iter().any(|sign| {
        let parts: Vec<&str> = text.trim().split(sign).collect();
        let digits = |part: &&str, most: usize| {
            (1..=most).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_digit())
        };
        match parts.as_slice() {
            [first, second, year] => {
                digits(first, 2) && digits(second, 2) && digits(year, 4) && matches!(year.len(), 2 | 4)
            }
            _ => false,
        }
    })
}

/// A number with a sign of money or percent, in brackets, or with separators between its digits, or hours, minutes and seconds.
fn is_dressed_number(text: &str) -> bool {
    let text = text.trim();
    if text.matches(':').count() == 2 && number::duration(text.as_bytes()).is_some() {
        return true;
    }
    let (text, below_zero) = number::out_of_brackets(text);
    let body = text.trim_matches(['$', '€', '£', '¥', '%', ' ', '+', '-']);
    let starts_and_ends = |c: Option<char>| c.is_some_and(|c| c.is_ascii_digit() || c == '.');
    let sound = body.chars().all(|c| c.is_ascii_digit() || matches!(c, ',' | '.' | '\''))
        && starts_and_ends(body.chars().next())
        && starts_and_ends(body.chars().last())
        && body.contains(|c: char| c.is_ascii_digit());
    sound && (below_zero || text.contains(['$', '€', '£', '¥', '%', ',', '\'']))
}

fn is_plain_number(text: &str) -> bool {
    text.trim().parse::<f64>().is_ok_and(f64::is_finite)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(cells: &[&str]) -> Option<String> {
        let counts: Vec<(&str, usize)> = cells.iter().map(|&cell| (cell, 1)).collect();
        hint("x", &counts, DecimalComma(false))
            .map(|warning| format!("{} {}", warning.text, warning.advice.unwrap().value))
    }

    #[test]
    fn dressed_numbers_and_foreign_dates_are_told() {
        for (cells, part) in [
            (&["1,037", "980", "2,500"][..], "'1,037' looks like a number"),
            (&["$5.5", "$12", "-$3"], "looks like a number"),
            (&["12%", "7.5 %"], "looks like a number"),
            (&["1:02:03", "25:10:59", "0:59:01"], "'0:59:01' looks like a number"),
            (&["0,50", "12,5", "3,75"], "'0,50' looks like a number, but not as"),
            (&["03/03/2024", "12/31/2023"], "'03/03/2024' looks like a date"),
            (&["3.12.99", "24.12.99"], "looks like a date"),
            (
                &["7/31/20 21:08", "8/1/20 9:30"],
                "'7/31/20 21:08' looks like a date, but its year has two digits",
            ),
            (&["(280)", "354", "(1,012)"], "'(1,012)' looks like a number"),
        ] {
            let text = said(cells).unwrap_or_default();
            let advice = if part.contains("number") && !part.contains("but not as") {
                "x=numeric"
            } else {
                "x=categorical"
            };
            assert!(text.contains(part) && text.contains(advice), "{cells:?}: {text}");
        }
    }

    #[test]
    fn words_codes_and_versions_are_not() {
        for cells in
            [&["red", "green"][..], &["007", "042"], &["1.2.3.4", "10.0.0.1"], &["$", "%"], &["a,b", "1,2,x"]]
        {
            assert_eq!(said(cells), None, "{cells:?}");
        }
        assert_eq!(said(&["1,037", "many", "few", "2,500"]), None);
    }
}
