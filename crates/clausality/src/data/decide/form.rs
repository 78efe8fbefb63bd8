//! Tables that are not what they are read as: a first line that is no header, lines that stand for many cases each, and cells that blanks separate.
//!
//! | seen | told |
//! |---|---|
//! | half of the names or more are values of their own columns, which have others too | the first line looks like a row |
//! | one column, whose name and cells all have as many words | blanks may separate cells |
//! | every combination of all other columns stands in one row, beside a whole number | the number may say how many cases a line stands for |

use crate::data::cells::column::{Cells, Column};
use crate::data::cells::number::Numeral;
use crate::data::decide::verdict::Verdict;
use crate::data::read::raw::RawTable;
use crate::data::report::{Kind, Notice};
use crate::error::Error;
use crate::words::quoted;
use std::collections::BTreeSet;

/// Columns that are named.
const NAMED: usize = 4;
/// Fewer rows are no cross of anything.
const FEWEST_CELLS: usize = 4;

/// Whether the name of a column is one of several values in it. Where it is the only one it is a mark: a box that was ticked.
pub(in crate::data) fn named_by_a_value(column: &Column, verdict: &Verdict) -> bool {
    let name = column.name.as_bytes();
    verdict.distinct.0 > 1
        && match &column.cells {
            Cells::Words { words, .. } => words.iter().any(|word| word == name),
            Cells::Numbers { values, .. } => match column.numeral(name) {
                Numeral::Finite(number) => values.iter().any(|value| value == number),
                _ => false,
            },
            Cells::Nothing => false,
        }
}

/// What is to be said where so many of the columns are named by a value.
pub(in crate::data) fn headless(names: &[&str], columns: usize) -> Option<Notice> {
    (!names.is_empty() && 2 * names.len() >= columns).then(|| {
        Notice::about_rows(format!(
            "the first line is taken for names, but {} {}: if it is a row like the others, put a line with names before it",
            quoted(names, NAMED),
            if names.len() == 1 { "is also a value in that column" } else { "are also values in these columns" }
        ))
    })
}

/// What is to be said where all that there is is one column of texts with as many words each.
pub(in crate::data) fn blanks(raw: &RawTable) -> Option<Notice> {
    let [Column { name, cells: Cells::Words { words, .. }, .. }] = &raw.columns[..] else { return None };
    let fields = |text: &[u8]| text.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty()).count();
    let columns = fields(name.as_bytes());
    (columns > 1 && words.iter().all(|word| fields(word) == columns)).then(|| {
        Notice::about_rows(format!(
            "all is one column, but its name and every cell have {columns} words: if blanks separate cells, put commas or tabs in their place"
        ))
    })
}

/// What is to be said where rows are the cells of a table of counts.
pub(in crate::data) fn counts(raw: &RawTable, verdicts: &[Verdict]) -> Result<Option<Notice>, Error> {
    let used = |place: &usize| !verdicts[*place].variables.is_empty();
    let is_number = |place: &usize| matches!(verdicts[*place].kind, Kind::Numeric);
    let (numbers, others): (Vec<usize>, Vec<usize>) =
        (0..verdicts.len()).filter(used).partition(|place| is_number(place));
    let cells = others.iter().try_fold(1usize, |n, &place| n.checked_mul(verdicts[place].distinct.0));
    let (&[number], true, Some(cells)) = (&numbers[..], others.len() > 1, cells) else { return Ok(None) };
    let is_category = |&place: &usize| verdicts[place].kind != Kind::Date && verdicts[place].missing == 0;
    if raw.rows < FEWEST_CELLS || cells != raw.rows || !others.iter().all(is_category) {
        return Ok(None);
    }
    let mut places = vec![0usize; raw.rows];
    for &place in &others {
        let column = raw.whole(place)?;
        let Cells::Words { words, codes } = &column.cells else { return Ok(None) };
        places.iter_mut().zip(codes.iter()).for_each(|(at, code)| *at = *at * words.len() + code as usize);
    }
    let column = raw.whole(number)?;
    let numbers = column.numbers(&raw.marks);
    let whole = numbers.iter().all(|n| *n >= 0.0 && n.fract() == 0.0) && numbers.iter().any(|n| *n > 1.0);
    if !whole || places.iter().collect::<BTreeSet<_>>().len() < raw.rows {
        return Ok(None);
    }
    let names: Vec<&str> = others.iter().map(|&place| raw.columns[place].name.as_str()).collect();
    Ok(Some(Notice::about_rows(format!(
        "every combination of {} stands in one row, beside a number in '{}': if that says how many cases the row stands for, nothing can be learned from the rows as they are; write a row for each case",
        quoted(&names, NAMED),
        column.name
    ))))
}

#[cfg(test)]
mod tests {
    use crate::data::{self, Bounds, DataSettings, Input};

    fn told(text: &str) -> Vec<String> {
        let input = Input::csv(text.as_bytes(), "t.csv");
        let found = data::inspect(input, &DataSettings::default(), &Bounds::default()).unwrap();
        found.notices.into_iter().map(|notice| notice.message).collect()
    }

    #[test]
    fn a_first_line_that_is_a_row_is_told() {
        let rows = |k: usize| format!("{}.{},{},{}\n", k % 5, k % 10, k % 7, ["oak", "elm"][k % 2]);
        let body: String = (0..60).map(rows).collect();
        let headless = |text: &str| told(text).iter().any(|message| message.starts_with("the first line"));
        assert!(headless(&format!("3.3,2,oak\n{body}")));
        assert!(!headless(&format!("height,age,tree\n{body}")));
        assert!(!headless(&format!("height,age,oak\n{body}")), "one of three");
        let years: String = (0..60).map(|k| format!("{},{}\n", k * k % 97, k * k * k % 89)).collect();
        assert!(!headless(&format!("2019,2020\n{years}")), "years beside each other");
        let ticked: String =
            (0..60).map(|k| format!("{},{}\n", ["R,", ",Rust", "R,Rust"][k % 3], k % 7)).collect();
        assert!(!headless(&format!("R,Rust,age\n{ticked}")), "boxes that were ticked");
    }

    #[test]
    fn blanks_between_cells_are_told() {
        let rows: String = (0..60).map(|k| format!("{}  x{} {}\n", k % 5, k % 2, k % 3)).collect();
        let blanks = |text: &str| told(text).iter().any(|message| message.starts_with("all is one column"));
        assert!(blanks(&format!("A B   C\n{rows}")));
        assert!(!blanks(&format!("A note\n{rows}")), "a column of texts");
    }

    #[test]
    fn a_table_of_counts_is_told() {
        let counted = |text: &str| told(text).iter().any(|message| message.starts_with("every combination"));
        let cells = |number: &dyn Fn(usize) -> String| -> String {
            let cell = |k: usize| {
                format!(
                    "{},{},{},{}\n",
                    ["yes", "no"][k % 2],
                    ["m", "f"][k / 2 % 2],
                    ["A", "B", "C"][k / 4],
                    number(k)
                )
            };
            (0..12).map(cell).collect()
        };
        let header = "admitted,sex,dept,Freq\n";
        let all = cells(&|k| (7 * k + 3).to_string());
        assert!(counted(&format!("{header}{all}")));
        assert!(!counted(&format!("{header}{}", cells(&|k| format!("{k}.5")))), "no whole numbers");
        assert!(!counted(&format!("{header}{all}yes,m,A,4\n")), "a combination twice");
        let first = all.split_once('\n').unwrap().0;
        assert!(
            !counted(&format!("{header}{}", all.replacen("no,m,A", "yes,m,A", 1))),
            "twice and none: {first}"
        );
    }
}
