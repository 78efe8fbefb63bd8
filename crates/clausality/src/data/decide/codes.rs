//! Whole numbers that name something: rows, people, schools, hospitals, places.
//!
//! What a number means no table says, and most names of columns do. Numbers that never repeat and leave none out are those of rows if they stand in the order of the rows or the
//! column is called so; else they are ranks ([`number_rows`]). Numbers that repeat are codes if the column is called as those are,
//! and by their looks: where all are of five digits or more, lie close to each other, are not round and repeat (30001, 30002, 30006), or where the rows
//! stand in the order of 1, 2, 3 and so on without a hole, several for each. A name alone that may as
//! well be of an amount (`school`: which one, or for how many years?) needs more values than such amounts have.

use crate::data::cells::column::{Cells, Column};
use crate::data::cells::marks::Marks;
use crate::data::decide::groups::is_time;
use crate::data::decide::numbers::{Numbers, Recorded};
use crate::data::decide::verdict::Warning;
use crate::data::report::NoticeKind;
use crate::words::grouped;

/// Words in names of columns that say whose the rows are.
const WHOSE: [&str; 20] = [
    "id",
    "ident",
    "subject",
    "subj",
    "patient",
    "pat",
    "person",
    "participant",
    "respondent",
    "household",
    "customer",
    "client",
    "user",
    "member",
    "student",
    "animal",
    "patid",
    "subjid",
    "caseid",
    "pid",
];

/// Words in names of columns that number the rows.
const NUMBERING: [&str; 22] = [
    "nr",
    "no",
    "num",
    "number",
    "code",
    "index",
    "idx",
    "row",
    "rownames",
    "rowname",
    "obs",
    "observation",
    "case",
    "key",
    "serial",
    "seq",
    "sequence",
    "account",
    "record",
    "ref",
    "unnamed",
    "rownum",
];

/// Words in names of columns that tell places, firms and the like apart by numbers.
const CODED: [&str; 47] = [
    "nr",
    "code",
    "school",
    "hospital",
    "hosp",
    "provider",
    "provnum",
    "county",
    "district",
    "zip",
    "zipcode",
    "postcode",
    "fips",
    "sic",
    "naics",
    "country",
    "cluster",
    "family",
    "village",
    "firm",
    "company",
    "plant",
    "site",
    "center",
    "centre",
    "clinic",
    "doctor",
    "physician",
    "tract",
    "precinct",
    "station",
    "psu",
    "store",
    "dealer",
    "farm",
    "litter",
    "classroom",
    "teacher",
    "class",
    "cusip",
    "strata",
    "stratum",
    "commune",
    "herd",
    "street",
    "father",
    "mother",
];

/// Beginnings of names that are written in one: `schidkn`, `idcode`.
const BEGINNINGS: [&str; 10] =
    ["schid", "hhid", "famid", "stuid", "hospid", "provid", "idcode", "idnum", "idno", "personid"];

/// Beside one of these another word of the name is about an amount: `family size`, `number of firm`.
const AMOUNTS: [&str; 31] = [
    "size", "count", "number", "num", "n", "total", "income", "inc", "age", "years", "year", "rate", "share",
    "pct", "percent", "score", "cost", "price", "per", "mean", "avg", "average", "sum", "ratio", "distance",
    "dist", "level", "time", "exp", "pop", "trend",
];

/// What may stand before `id` in one word.
const BEFORE_ID: [&str; 14] = [
    "order",
    "school",
    "transaction",
    "product",
    "item",
    "row",
    "record",
    "account",
    "case",
    "sample",
    "family",
    "firm",
    "store",
    "passenger",
];

/// Whether a name is one of whose the rows are: `id`, `patient.nr`, `CustomerID`.
pub(super) fn is_whose(name: &str) -> bool {
    words(name).iter().any(|word| WHOSE.contains(&word.as_str()))
}

/// The words of a name, in small letters.
fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut small = false;
    for letter in name.chars() {
        if !letter.is_alphanumeric() || letter.is_uppercase() && small {
            words.push(String::new());
        }
        small = letter.is_lowercase();
        if letter.is_alphanumeric() {
            words.last_mut().into_iter().for_each(|word| word.extend(letter.to_lowercase()));
        }
    }
    words
}

/// Whether a word is one of an id: `id`, `customerid`.
fn is_id(word: &str) -> bool {
    let before = |rest: &str| WHOSE.contains(&rest) || BEFORE_ID.contains(&rest);
    WHOSE.contains(&word) || word.strip_suffix("id").is_some_and(before)
}

/// Whether numbers that are all different number the rows: they stand in their order, up or down, or the column is called so.
pub(super) fn number_rows(column: &Column, marks: &Marks) -> bool {
    is_numbering(&column.name) || in_order(column, marks)
}

/// Whether a name is one of the numbers of rows: `PassengerId`, `case_no`, none at all.
fn is_numbering(name: &str) -> bool {
    let named = |word: &String| is_id(word) || NUMBERING.contains(&word.as_str());
    name.is_empty() || words(name).iter().any(named)
}

/// Nine steps of ten from row to row in one direction.
fn in_order(column: &Column, marks: &Marks) -> bool {
    let (mut steps, mut rising, mut before) = (0, 0, f64::NAN);
    let mut step = |value: f64| {
        if !value.is_nan() {
            (steps, rising) = (steps + usize::from(!before.is_nan()), rising + usize::from(value > before));
            before = value;
        }
    };
    match &column.cells {
        Cells::Numbers { values, .. } => values.iter().for_each(&mut step),
        _ => column.numbers(marks).into_iter().for_each(&mut step),
    }
    10 * rising.max(steps - rising) >= 9 * steps
}

/// With more values a name that may be of an amount is one of a code.
const MORE_THAN_AMOUNTS: usize = 20;
/// So many rows for each value, on average, that numbers repeat: for a column that is called a code, and for one that looks like it.
const REPEATED: (f64, f64) = (1.5, 3.0);
/// Codes by their looks are at least so high, and the highest is less than this many times the lowest.
const LOOKS: (f64, f64) = (10_000.0, 1.5);

/// So many groups, from 1 on and without a hole, that rows in their order were counted so; counts of anything leave some out.
const COUNTED_UP: usize = 15;

/// That whole numbers which are cut like amounts seem to be codes, and what to do then.
pub(super) fn hint(
    column: &Column,
    marks: &Marks,
    numbers: &Numbers<'_>,
    most: usize,
    entity: Option<&str>,
) -> Option<Warning> {
    let name = &column.name;
    let Recorded::Counted(counted) = &numbers.values else { return None };
    let (values, each) = (counted.len(), numbers.count as f64 / counted.len().max(1) as f64);
    if !numbers.whole || numbers.low < 0.0 || values == numbers.count {
        return None;
    }
    let words = words(name);
    let any = |list: &[&str]| words.iter().any(|word| list.contains(&word.as_str()));
    let begins = || words.iter().any(|word| BEGINNINGS.iter().any(|start| word.starts_with(start)));
    let whose = words.iter().any(|word| is_id(word)) || begins();
    // Who is called an id is one of somebody, though few have a second row.
    let repeats = each >= REPEATED.0 || whose && values > MORE_THAN_AMOUNTS;
    let named = whose || any(&CODED) && values > MORE_THAN_AMOUNTS;
    let called = repeats && named && !any(&AMOUNTS) && !is_time(name);
    let round = || counted.iter().filter(|(value, _)| value % 10.0 == 0.0).count();
    let looks = || {
        values > MORE_THAN_AMOUNTS
            && each >= REPEATED.1
            && numbers.low >= LOOKS.0
            && numbers.high < LOOKS.1 * numbers.low
            && 4 * round() < values
            && !is_time(name)
    };
    // Who counts the rows in groups begins with 1, and leaves none out.
    let counts_up = || {
        values >= COUNTED_UP
            && numbers.low == 1.0
            && numbers.high == values as f64
            && !any(&AMOUNTS)
            && !is_time(name)
            && column.numbers(marks).is_sorted_by(|a, b| a <= b)
    };
    if !called && !looks() && !counts_up() {
        return None;
    }
    // Rows with a gap would belong to nobody.
    let may_be_entity = entity.is_none() && !column.gaps(marks).contains(&true);
    let (what, setting, value) = match (whose || values > most, may_be_entity) {
        (false, _) => {
            ("make them categories, or leave the column out", "type", format!("{name}=categorical"))
        }
        (true, true) => (
            "name the column as what the rows are about (rows of one then stay together where predictions are judged), or leave it out",
            "entity",
            name.to_string(),
        ),
        (true, false) => ("leave the column out", "type", format!("{name}=ignore")),
    };
    let text = format!(
        "its {} different whole numbers seem to be codes of somebody or something, and are cut like amounts: if so, {what}",
        grouped(values)
    );
    Some(Warning::new(NoticeKind::Codes, text).advising(setting, value))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Bounds, DataSettings, Input, read};

    #[test]
    fn who_some_rows_are_of_is_not_advised_as_the_entity() {
        let advised = |every: usize| {
            let cell =
                |k: usize| if k % every == every - 1 { String::new() } else { (k * 7 % 40 * 3).to_string() };
            let rows: String = (0..400).map(|k| format!("{},{}\n", cell(k), k * k % 7 % 2)).collect();
            let input = format!("hospital,y\n{rows}");
            let settings = DataSettings::default();
            let found =
                read(Input::csv(input.as_bytes(), "t"), &settings, &Bounds::default()).unwrap().notices;
            let told = found.into_iter().find(|notice| notice.kind == NoticeKind::Codes).unwrap();
            (told.advice[0].setting, told.advice[0].value.clone())
        };
        assert_eq!(advised(401), ("entity", "hospital".to_string()));
        assert_eq!(advised(9), ("type", "hospital=ignore".to_string()));
    }

    #[test]
    fn names_of_ids_are_known() {
        for name in ["id", "PassengerId", "customerid", "patient.nr", "Unnamed: 0", "", "case_no"] {
            assert!(is_numbering(name), "{name}");
        }
        for name in ["Literacy", "Crime_pers", "humid", "paid", "rank", "idle"] {
            assert!(!is_numbering(name), "{name}");
        }
    }
}
