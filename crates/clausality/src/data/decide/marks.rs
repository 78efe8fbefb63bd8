//! Numbers and texts that may stand for "no value": survey codes such as 99, 998 or -9, and words such as `unknown` among numbers.
//!
//! Nothing is changed by itself, for somebody may be 99: the user is told, with the option that makes gaps of them.
//!
//! A code is one of the numbers that people use (nines, eights and sevens, and what ends so: 98, 997; -1 to -9), at an end of a column of
//! whole numbers, in several rows, and apart from the rest:
//!
//! | code | apart |
//! |---|---|
//! | 7, 8, 9 | the rest is 1, 2, … without a hole (or 0 and 1) and ends two below: `9` after 1 to 5; and it is not the most frequent, in a quarter of the rows |
//! | 77 and more | farther from the rest than the rest is wide; or a tenth of that away, and five times as frequent as numbers near it |
//! | below 0 | the only numbers below 0, and not next to the rest, or five times as frequent as numbers near it |
//!
//! Of dates it is those from the year 9000 on (9999-12-31). Of numbers with fractions a code of nines, eights or sevens alone counts that is farther away than the rest is wide.

use crate::data::DataSettings;
use crate::data::cells::column::{Cells, Column};
use crate::data::cells::marks::Marks;
use crate::data::cells::number::{self, Numeral};
use crate::data::decide::numbers::{Numbers, Recorded, is_mark};
use crate::data::decide::verdict::Warning;
use crate::data::report::NoticeKind;
use crate::words::{counted, grouped, quoted};

/// Codes that a survey may have beside each other: refused, not known, not asked.
const MOST_CODES: usize = 3;
/// So much more often than numbers near it a code occurs.
const FREQUENT: f64 = 5.0;
/// How many numbers are near it.
const NEAR: usize = 5;

/// That some numbers of a column may mean "no value", and the option that says so.
pub(super) fn codes(name: &str, numbers: &Numbers<'_>) -> Option<Warning> {
    let found = match &numbers.values {
        Recorded::Counted(counted) if numbers.whole => {
            let turned: Vec<(f64, usize)> =
                counted.iter().rev().map(|&(value, rows)| (-value, rows)).collect();
            let negative = at_top(&turned, true)
                .map(|codes| codes.into_iter().rev().map(|(value, rows)| (-value, rows)).collect::<Vec<_>>());
            negative.or_else(|| at_top(counted, false))
        }
        _ => None,
    };
    let found = found.or_else(|| numbers.mark().map(|mark| vec![mark]))?;
    let each: Vec<String> = found
        .iter()
        .map(|&(value, rows)| format!("{} in {}", number::write(value), counted(rows, "row")))
        .collect();
    let figure = each.join(", ");
    let text = format!("{figure}, apart from all other numbers; if that means \"no value\", say so");
    let values: Vec<String> = found.iter().map(|&(value, _)| number::write(value)).collect();
    let warning = Warning { figure, ..Warning::new(NoticeKind::Code, text) };
    Some(warning.advising("na", format!("{name}={}", values.join(","))))
}

/// That dates such as 9999-12-31 may mean "no date", and the option that says so.
pub(super) fn never(name: &str, cells: &[(String, usize)]) -> Option<Warning> {
    let cells = &cells[..cells.len().min(MOST_CODES)];
    let each: Vec<String> =
        cells.iter().map(|(cell, rows)| format!("{cell} in {}", counted(*rows, "row"))).collect();
    let figure = each.join(", ");
    let text = format!("{figure}, behind all other dates; if that means \"no date\", say so");
    let values: Vec<&str> = cells.iter().map(|(cell, _)| cell.as_str()).collect();
    let warning = Warning { figure, ..Warning::new(NoticeKind::Code, text) };
    (!cells.is_empty()).then(|| warning.advising("na", format!("{name}={}", values.join(","))))
}

/// The codes among the largest numbers (of negative ones turned round), if they stand apart from the rest.
fn at_top(values: &[(f64, usize)], turned: bool) -> Option<Vec<(f64, usize)>> {
    let is_code =
        |value: f64| if turned { value > 0.0 && is_code(-value) } else { value > 0.0 && is_code(value) };
    let run = values.iter().rev().take(MOST_CODES).take_while(|(value, _)| is_code(*value)).count();
    (1..=run).rev().find_map(|count| {
        let (rest, codes) = values.split_at(values.len() - count);
        let rows = all_rows(codes);
        let digits = |value: f64| number::write(value).len();
        let alike = digits(codes[0].0) == digits(codes[count - 1].0);
        (rest.len() > 1 && rows > 1 && alike && is_apart(codes, rest, turned)).then(|| codes.to_vec())
    })
}

fn is_apart(codes: &[(f64, usize)], rest: &[(f64, usize)], turned: bool) -> bool {
    let (low, high) = (rest[0].0, rest[rest.len() - 1].0);
    let (gap, width) = (codes[0].0 - high, high - low);
    let mean = |values: &[(f64, usize)]| {
        values.iter().map(|&(_, rows)| rows as f64).sum::<f64>() / values.len().max(1) as f64
    };
    let near = &rest[rest.len().saturating_sub(NEAR)..];
    let frequent = mean(codes) >= FREQUENT * mean(near);
    match (turned, codes[0].0 < 10.0) {
        // Turned round, the rest lies below 0 as a whole, and 0 may be part of it.
        (true, _) => high <= 0.0 && (gap > 1.0 || frequent && rest.len() > NEAR),
        (false, true) => {
            let without_hole = width == rest.len() as f64 - 1.0;
            // What more rows hold than any other number, and a quarter of all, is an answer like the others.
            let (most, others) = (most_rows(codes), most_rows(rest));
            let usual = most > others && 4 * most >= all_rows(codes) + all_rows(rest);
            without_hole && gap > 1.0 && (low == 1.0 || (low, high) == (0.0, 1.0)) && !usual
        }
        (false, false) => gap > width || frequent && gap >= (width / 10.0).max(2.0),
    }
}

fn most_rows(values: &[(f64, usize)]) -> usize {
    values.iter().map(|&(_, rows)| rows).max().unwrap_or(0)
}

fn all_rows(values: &[(f64, usize)]) -> usize {
    values.iter().map(|&(_, rows)| rows).sum()
}

/// 9, 99, 98, 997, 888 and their like; below 0 also -1 and -2.
fn is_code(value: f64) -> bool {
    let digits = number::write(value.abs());
    let (start, last) = digits.split_at(digits.len() - 1);
    is_mark(value)
        || matches!(value, -2.0 | -1.0 | 7.0 | 8.0 | 9.0)
        || digits.len() > 1 && start.bytes().all(|byte| byte == b'9') && matches!(last, "7" | "8" | "9")
}

/// Numbers with a few texts among them are likely numbers with an undeclared mark for gaps.
pub(super) fn mixed(name: &str, counts: &[(&str, usize)], numbers: usize) -> Option<Warning> {
    let cells: usize = counts.iter().map(|&(_, count)| count).sum();
    let is_text =
        |text: &str| number::read(text.as_bytes(), number::DecimalComma(false)) == number::Numeral::Other;
    let texts: Vec<&str> =
        counts.iter().map(|&(text, _)| text).filter(|text| is_text(text)).take(MOST_MARKS + 1).collect();
    let few = numbers * 10 >= cells * 9 && texts.len() <= 3;
    let known =
        numbers * 5 >= cells && texts.len() <= MOST_MARKS && texts.iter().all(|text| means_nothing(text));
    if numbers == 0 || !few && !known {
        return None;
    }
    let (figure, all) = (format!("'{}'", texts.join("', '")), grouped(cells));
    let text = format!(
        "{} of {all} cells are numbers, but {figure} is not, so all are read as categories; if that means \"no value\", say so \
         (the type '{name}=numeric' would make it an error)",
        grouped(numbers),
    );
    let warning = Warning { figure, ..Warning::new(NoticeKind::Texts, text) };
    Some(warning.advising("na", format!("{name}={}", texts.join(","))))
}

/// Texts that are listed as marks.
const MOST_MARKS: usize = 8;

/// What people write where there is nothing to write; whatever the case.
const NOTHING: [&str; 32] = [
    "-",
    "--",
    "---",
    ".",
    "..",
    "...",
    "?",
    "??",
    "*",
    "#",
    "x",
    "n/a",
    "na",
    "n.a.",
    "n.a",
    "n/k",
    "none",
    "null",
    "(null)",
    "nil",
    "nan",
    "missing",
    "unknown",
    "unk",
    "not available",
    "not applicable",
    "not known",
    "no data",
    "refused",
    "don't know",
    "tbd",
    "undefined",
];

fn means_nothing(text: &str) -> bool {
    NOTHING.iter().any(|mark| mark.eq_ignore_ascii_case(text.trim()))
}

/// What was said about the gaps of a column that has none such: most likely a slip.
///
/// `dropped` says whether its gaps made rows go away.
pub(in crate::data) fn in_vain(
    column: &Column,
    missing: usize,
    dropped: bool,
    marks: &Marks,
    settings: &DataSettings,
) -> Vec<Warning> {
    let mut warnings = Vec::new();
    let slip = |text: String| Warning::new(NoticeKind::Column, text);
    if let Some(given) = settings.na.columns.get(&column.name) {
        let is_there = |mark: &String| match &column.cells {
            Cells::Words { words, .. } if !column.by_value() => {
                let value = column.numeral(mark.as_bytes());
                let same = |word: &[u8]| {
                    let equal = matches!(value, Numeral::Finite(_)) && column.numeral(word) == value;
                    equal && column.is_gap(word, marks)
                };
                words.iter().any(|word| word == mark.as_bytes() || same(word))
            }
            // Numbers that are named by value no longer tell which mark they bore.
            _ => missing > 0 || dropped,
        };
        let absent: Vec<&String> = given.iter().filter(|mark| !is_there(mark)).collect();
        if !absent.is_empty() {
            warnings.push(slip(format!("no cell is {}, which was to mean \"no value\"", quoted(&absent, 5))));
        }
    }
    let missing = missing > 0 || dropped;
    if !missing && settings.missing.columns.contains_key(&column.name) {
        warnings
            .push(slip("no cell is without a value, so what was said about its gaps does nothing".into()));
    }
    warnings
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is advised of numbers with so many rows each.
    fn advised(values: &[(i32, usize)]) -> Option<String> {
        let counted = values.iter().map(|&(value, rows)| (f64::from(value), rows)).collect();
        codes("q", &Numbers::counted(counted)).map(|warning| warning.advice.unwrap().value)
    }

    fn ages(rows: usize) -> Vec<(i32, usize)> {
        (18..80).map(|age| (age, rows)).collect()
    }

    #[test]
    fn dates_behind_all_others_are_told() {
        use crate::data::{Bounds, Input, read};
        let day = |k: usize| {
            if k.is_multiple_of(9) { "9999-12-31".into() } else { format!("2021-{:02}-03", k % 12 + 1) }
        };
        let text: String = (0..90).map(|k| format!("{},{}\n", day(k), k % 2)).collect();
        let input = |text: &str| {
            read(Input::csv(text.as_bytes(), "t"), &DataSettings::default(), &Bounds::default()).unwrap()
        };
        let found = input(&format!("until,y\n{text}")).notices;
        let told = found.iter().find(|notice| notice.kind == NoticeKind::Code).unwrap();
        assert!(told.message.contains("9999-12-31 in 10 rows, behind all other dates"), "{}", told.message);
        assert_eq!(told.advice[0].value, "until=9999-12-31");
        let without = input(&format!("until,y\n{}", text.replace("9999", "2022"))).notices;
        assert!(without.iter().all(|notice| notice.kind != NoticeKind::Code));
    }

    #[test]
    fn survey_codes_are_told() {
        let likert: Vec<(i32, usize)> = (1..=5).map(|k| (k, 40)).collect();
        let with = |values: &[(i32, usize)], codes: &[(i32, usize)]| {
            let mut all = [values, codes].concat();
            all.sort();
            advised(&all)
        };
        for (codes, said) in [
            (&[(9, 12)][..], "q=9"),
            (&[(8, 3), (9, 12)], "q=8,9"),
            (&[(98, 4), (99, 12)], "q=98,99"),
            (&[(998, 4), (999, 12)], "q=998,999"),
            (&[(-9, 3), (-8, 5)], "q=-9,-8"),
            (&[(-1, 5)], "q=-1"),
        ] {
            assert_eq!(with(&likert, codes).as_deref(), Some(said));
        }
        assert_eq!(with(&ages(4), &[(98, 20), (99, 60)]).as_deref(), Some("q=98,99"));
        assert_eq!(with(&[(0, 50), (1, 50)], &[(9, 4)]).as_deref(), Some("q=9"));
        let counts: Vec<(i32, usize)> = (0..30).map(|k| (k, 8)).collect();
        assert_eq!(
            with(&counts, &[(-1, 200)]).as_deref(),
            Some("q=-1"),
            "next to the rest, but far too often"
        );
    }

    #[test]
    fn numbers_that_belong_to_the_others_are_not() {
        let titanic = [(0, 891), (1, 319), (2, 42), (3, 20), (4, 22), (5, 6), (8, 9)];
        assert_eq!(advised(&titanic), None, "somebody had eight siblings");
        let stores = [(1, 157), (2, 222), (3, 196), (4, 139), (7, 356)];
        assert_eq!(advised(&stores), None, "the store of most rows");
        let scale: Vec<(i32, usize)> = (1..=9).map(|k| (k, 20)).collect();
        assert_eq!(advised(&scale), None);
        let temperatures: Vec<(i32, usize)> = (-1..30).map(|k| (k, 8)).collect();
        assert_eq!(advised(&temperatures), None);
        assert_eq!(advised(&[(-1, 30), (0, 50), (1, 20)]), None);
        let mut old = ages(4);
        old.push((99, 12));
        assert_eq!(advised(&old), None, "somebody may be that old");
    }

    #[test]
    fn words_for_nothing_among_numbers_are_told() {
        let of = |texts: &[(&str, usize)]| {
            let mut counts: Vec<(&str, usize)> = [("12", 40), ("7.5", 30), ("3", 30)].to_vec();
            counts.extend(texts);
            mixed("h", &counts, 100).map(|warning| warning.advice.unwrap().value)
        };
        assert_eq!(of(&[("-", 60), ("Unknown", 90)]).as_deref(), Some("h=-,Unknown"));
        assert_eq!(of(&[("odd", 5)]).as_deref(), Some("h=odd"), "few cells, whatever they say");
        assert_eq!(of(&[("odd", 60)]), None);
        assert_eq!(of(&[(".", 500)]), None, "hardly a number is left");
    }
}
