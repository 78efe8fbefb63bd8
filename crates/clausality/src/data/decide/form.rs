//! Tables that are not what they are read as: a first line that is no header, lines that stand for many cases each, and cells that blanks separate.
//!
//! | seen | told |
//! |---|---|
//! | half of the names or more are values of their own columns, which have others too | the first line looks like a row |
//! | one column, whose name and cells all have as many words | blanks may separate cells |
//! | every combination of all other columns stands in one row, beside a whole number | the number may say how many cases a line stands for |
//! | the same of most combinations, beside one to three whole numbers of which one is called as counts are (`n`, `freq`, `ncases`) | the numbers may |

use crate::data::cells::column::{Cells, Column};
use crate::data::cells::number::Numeral;
use crate::data::decide::verdict::Verdict;
use crate::data::read::raw::RawTable;
use crate::data::report::{Kind, Notice};
use crate::error::{Advice, Error};
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

/// Counts that may stand beside each other: cases and controls, policies and claims.
const MOST_COUNTS: usize = 3;
/// What columns of counts are called, as a whole, or after an `n`.
const COUNTS: [&str; 20] = [
    "n",
    "freq",
    "frequency",
    "count",
    "counts",
    "number",
    "num",
    "cases",
    "controls",
    "holders",
    "claims",
    "total",
    "events",
    "deaths",
    "births",
    "survivors",
    "trials",
    "successes",
    "failures",
    "exposed",
];

/// Whether a column is called as counts are.
fn is_count(name: &str) -> bool {
    let name = name.to_lowercase();
    let rest = name.strip_prefix("n").map(|rest| rest.trim_start_matches(['.', '_', ' ']));
    [Some(name.as_str()), rest].into_iter().flatten().any(|name| COUNTS.contains(&name))
}

/// What is to be said where rows are the cells of a table of counts.
pub(in crate::data) fn counts(raw: &RawTable, verdicts: &[Verdict]) -> Result<Option<Notice>, Error> {
    let used = |place: &usize| !verdicts[*place].variables.is_empty();
    let named = |place: usize| is_count(&raw.columns[place].name);
    let counts = |place: &usize| match verdicts[*place].kind {
        Kind::Numeric => true,
        Kind::Ordered => named(*place),
        _ => false,
    };
    let (numbers, others): (Vec<usize>, Vec<usize>) =
        (0..verdicts.len()).filter(used).partition(|place| counts(place));
    let cells = others.iter().try_fold(1usize, |n, &place| n.checked_mul(verdicts[place].distinct.0));
    let (1..=MOST_COUNTS, true, Some(cells)) = (numbers.len(), others.len() > 1, cells) else {
        return Ok(None);
    };
    // A number that is not called so is a count only if the cross is whole; several may as well be what an experiment measured.
    let hinted = numbers.iter().any(|&place| named(place));
    let crossed = if hinted { raw.rows <= cells && 4 * raw.rows >= 3 * cells } else { cells == raw.rows };
    let is_category = |&place: &usize| verdicts[place].kind != Kind::Date && verdicts[place].missing == 0;
    if raw.rows < FEWEST_CELLS || !crossed || !hinted && numbers.len() > 1 || !others.iter().all(is_category)
    {
        return Ok(None);
    }
    let mut places = vec![0usize; raw.rows];
    for &place in &others {
        let column = raw.whole(place)?;
        let Cells::Words { words, codes } = &column.cells else { return Ok(None) };
        places.iter_mut().zip(codes.iter()).for_each(|(at, code)| *at = *at * words.len() + code as usize);
    }
    if places.iter().collect::<BTreeSet<_>>().len() < raw.rows {
        return Ok(None);
    }
    let mut largest: Option<(f64, &str)> = None;
    for &place in &numbers {
        let numbers = raw.whole(place)?.numbers(&raw.marks);
        let whole = numbers.iter().all(|n| *n >= 0.0 && n.fract() == 0.0) && numbers.iter().any(|n| *n > 1.0);
        if !whole {
            return Ok(None);
        }
        let sum: f64 = numbers.iter().sum();
        if largest.is_none_or(|(most, _)| sum > most) {
            largest = Some((sum, &raw.columns[place].name));
        }
    }
    let name = |&place: &usize| raw.columns[place].name.as_str();
    let (names, counts): (Vec<&str>, Vec<&str>) =
        (others.iter().map(name).collect(), numbers.iter().map(name).collect());
    let every = if cells == raw.rows { "every combination" } else { "each combination" };
    let (beside, each) = match counts[..] {
        [count] => (format!("a number in '{count}': if that says"), String::new()),
        _ => (
            format!("numbers in {}: if these say", quoted(&counts, NAMED)),
            ", with a column that says of which kind it is".to_string(),
        ),
    };
    let text = format!(
        "{every} of {} stands in one row, beside {beside} how many cases the row stands for, nothing can be learned from the rows as they are; \
         write a row for each case{each}; to weigh the rows gives all cases their part in probabilities, though arcs then rest on no more than the {} rows",
        quoted(&names, NAMED),
        raw.rows
    );
    let advice = largest.map(|(_, name)| Advice::new("row-weights", name)).into_iter().collect();
    Ok(Some(Notice { advice, ..Notice::about_rows(text) }))
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

    #[test]
    fn counts_beside_each_other_are_told() {
        let line =
            |k: usize| format!("{},{},{},{},{}\n", k % 4, k / 4 % 4, k / 16, k * k % 7, 10 + k * 37 % 41);
        let body: String = (0..64).filter(|k| k % 9 != 5).map(line).collect();
        let counts = |header: &str, body: &str| {
            told(&format!("{header}\n{body}"))
                .into_iter()
                .find(|message| message.contains("stands in one row"))
        };
        let said = counts("age,alcohol,tobacco,ncases,ncontrols", &body).unwrap();
        assert!(said.starts_with("each combination of 'age', 'alcohol', 'tobacco' stands in one row, beside numbers in 'ncases', 'ncontrols'"), "{said}");
        assert_eq!(counts("age,alcohol,tobacco,left,right", &body), None, "what an experiment measured");
        let whole: String = (0..64).map(line).collect();
        assert!(
            counts("district,group,age,Claims,Holders", &whole).unwrap().starts_with("every combination")
        );
        let twice: String = (0..64).chain(0..3).map(line).collect();
        assert_eq!(
            counts("age,alcohol,tobacco,ncases,ncontrols", &twice),
            None,
            "a combination stands twice"
        );
        assert!(["n", "Freq", "N.cases", "ncontrols"].into_iter().all(super::is_count));
        assert!(!["name", "nox", "account", "newcomers"].into_iter().any(super::is_count));
    }
}
