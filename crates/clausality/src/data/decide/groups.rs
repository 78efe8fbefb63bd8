//! Rows that come in groups, several for each person, place or machine, and are no independent evidence of anything that is the same in a group.
//!
//! Such tables are mostly written group by group. A column tells the groups apart if each of its values stands in one stretch of rows; and it is
//! no accident if
//!
//! | beside it | groups | rows of each |
//! |---|---|---|
//! | another column rises from row to row in every group, and has the same values in several: it may say when | 2 or more | 5 or more |
//! | two other columns never change within a group | 20 or more | 2 or more |
//!
//! Nothing is left out for it: the user is told, because scores take every row for a new one and then find arcs that are surer than they should be.

use crate::data::cells::column::{Cells, Column};
use crate::data::cells::date;
use crate::data::cells::number::Numeral;
use crate::data::decide::verdict::Verdict;
use crate::data::read::raw::RawTable;
use crate::data::report::{Kind, Notice, NoticeKind};
use crate::error::{Advice, Error};
use crate::words::{counted, grouped, quoted};

/// Groups and rows of each, on average, where a column rises in every one of them.
const WITH_TIME: (usize, usize) = (2, 5);
/// The same where columns are constant in all of them.
const CONSTANT: (usize, usize) = (20, 2);
/// Columns that must be.
const CONSTANTS: usize = 2;
/// Columns that are named of them.
const NAMED: usize = 4;

/// A column that may tell groups apart.
pub(in crate::data) struct Groups {
    place: usize,
    /// The first row of every group.
    starts: Vec<usize>,
}

impl Groups {
    /// The groups that a column tells apart: as many stretches of rows as it has values, and no gap.
    pub(in crate::data) fn told_by(
        place: usize,
        column: &Column,
        verdict: &Verdict,
        rows: usize,
    ) -> Option<Self> {
        let (values, exact) = verdict.distinct;
        if verdict.kind == Kind::Constant
            || !exact
            || verdict.missing > 0
            || values < WITH_TIME.0
            || values * CONSTANT.1 > rows
        {
            return None;
        }
        let mut starts = vec![0];
        for row in changes(column, rows) {
            starts.push(row);
            if starts.len() > values {
                return None;
            }
        }
        (starts.len() == values).then_some(Groups { place, starts })
    }
}

/// What is to be said where rows come in groups, of the finest ones that there are.
pub(in crate::data) fn look(
    raw: &RawTable,
    verdicts: &[Verdict],
    mut all: Vec<Groups>,
) -> Result<Option<Notice>, Error> {
    all.sort_by_key(|groups| std::cmp::Reverse(groups.starts.len()));
    for Groups { place, starts } in all {
        let (groups, each) = (starts.len(), raw.rows / starts.len());
        let is_start = {
            let mut is_start = vec![false; raw.rows];
            starts.iter().for_each(|&row| is_start[row] = true);
            is_start
        };
        let (mut rising, mut constant) = (Vec::new(), Vec::new());
        for other in (0..verdicts.len()).filter(|&other| other != place) {
            let (values, verdict) = (verdicts[other].distinct.0, &verdicts[other]);
            if values < 2 {
                continue;
            }
            let column = raw.whole(other)?;
            if values < groups && changes(&column, raw.rows).all(|row| is_start[row]) {
                constant.push(column.name.clone());
            } else if verdict.missing == 0 && 2 * values <= raw.rows && rises(&column, &is_start) {
                rising.push(column.name.clone());
            }
        }
        let name = &raw.columns[place].name;
        let opening = format!(
            "the rows come in {} of '{name}', {} each on average",
            counted(groups, "group"),
            counted(each, "row")
        );
        let closing =
            "every row counts as a new one, so that what is the same in a group looks surer than it is";
        if let Some(time) = rising.first().filter(|_| groups >= WITH_TIME.0 && each >= WITH_TIME.1) {
            let (time, entity) = if is_time(name) && !is_time(time) { (name, time) } else { (time, name) };
            let text = format!("{opening}; if '{time}' says when, learn over time: as it is, {closing}");
            let advice = vec![Advice::new("time", time.as_str()), Advice::new("entity", entity.as_str())];
            return Ok(Some(Notice { advice, ..about(text) }));
        }
        if groups >= CONSTANT.0 && each >= CONSTANT.1 && constant.len() >= CONSTANTS {
            let never = format!("{} never change within one", quoted(&constant, NAMED));
            let text = format!(
                "{opening}, and {never}: {closing}; one row for each of the {} would do it justice",
                grouped(groups)
            );
            return Ok(Some(about(text)));
        }
    }
    Ok(None)
}

fn about(message: String) -> Notice {
    Notice { kind: NoticeKind::Groups, ..Notice::about_rows(message) }
}

/// Whether a name speaks of time.
fn is_time(name: &str) -> bool {
    let name = name.to_lowercase();
    ["year", "month", "week", "day", "date", "time", "period", "quarter", "wave", "hour"]
        .iter()
        .any(|word| name.contains(word))
}

/// The rows whose cell is another than that of the row before.
fn changes<'c>(column: &'c Column, rows: usize) -> Box<dyn Iterator<Item = usize> + 'c> {
    match &column.cells {
        Cells::Words { codes, .. } => {
            let mut before = codes.get(0);
            Box::new(
                (1..rows)
                    .filter(move |&row| std::mem::replace(&mut before, codes.get(row)) != codes.get(row)),
            )
        }
        Cells::Numbers { values, .. } => {
            let mut cells = values.iter().map(f64::to_bits);
            let mut before = cells.next();
            Box::new(
                cells
                    .enumerate()
                    .filter_map(move |(row, cell)| (before.replace(cell) != Some(cell)).then_some(row + 1)),
            )
        }
        Cells::Nothing => Box::new(std::iter::empty()),
    }
}

/// Whether a column of numbers or dates rises from row to row in every group.
fn rises(column: &Column, is_start: &[bool]) -> bool {
    let mut before = f64::NEG_INFINITY;
    let mut goes_on = |row: usize, value: Option<f64>| {
        let Some(value) = value else { return false };
        let rises = is_start[row] || value > before;
        before = value;
        rises
    };
    match &column.cells {
        Cells::Words { words, codes } => {
            let meaning = |word: &[u8]| match column.numeral(word) {
                Numeral::Finite(value) => Some(value),
                _ => date::read(word, None).map(|date| date.seconds as f64),
            };
            let meanings: Vec<Option<f64>> = words.iter().map(meaning).collect();
            codes.iter().enumerate().all(|(row, code)| goes_on(row, meanings[code as usize]))
        }
        Cells::Numbers { values, .. } => {
            values.iter().enumerate().all(|(row, value)| goes_on(row, Some(value).filter(|v| !v.is_nan())))
        }
        Cells::Nothing => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{self, Bounds, DataSettings, Input};
    use clausality_bn::random::Stream;

    fn told(header: &str, lines: &[String]) -> Option<String> {
        let text = format!("{header}\n{}\n", lines.join("\n"));
        let input = Input::csv(text.as_bytes(), "t.csv");
        let found = data::read(input, &DataSettings::default(), &Bounds::default()).unwrap();
        let mut groups = found.notices.into_iter().filter(|notice| notice.kind == NoticeKind::Groups);
        let first = groups.next().map(|notice| {
            let advice = notice.advice.iter().map(|advice| format!("{} '{}'", advice.setting, advice.value));
            format!("{} ({})", notice.message, advice.collect::<Vec<_>>().join(", "))
        });
        assert_eq!(groups.next(), None, "said once");
        first
    }

    /// Sixty towns, each asked in ten years.
    fn towns(stream: &mut Stream) -> Vec<String> {
        let mut lines = Vec::new();
        for town in 0..60 {
            let (coast, size) = (stream.below(2), stream.below(3));
            lines.extend((0..10).map(|k| format!("t{town},{},{coast},{size},{}", 1990 + k, stream.below(4))));
        }
        lines
    }

    #[test]
    fn groups_of_rows_are_told_with_what_may_say_when() {
        let mut stream = Stream::new(3, "towns");
        let lines = towns(&mut stream);
        let said = told("town,year,coast,size,mood", &lines).unwrap();
        assert!(
            said.starts_with(
                "the rows come in 60 groups of 'town', 10 rows each on average; if 'year' says when"
            ),
            "{said}"
        );
        assert!(said.contains("time 'year', entity 'town'"), "{said}");
        // The years within a town in any order: what never changes is told.
        let mixed: Vec<String> = lines
            .chunks(10)
            .flat_map(|ten| ten.iter().rev().step_by(3).chain(ten.iter().step_by(4)).cloned())
            .collect();
        let said = told("town,year,coast,size,mood", &mixed).unwrap();
        assert!(
            said.contains("60 groups of 'town'") && said.contains("'coast', 'size' never change within one"),
            "{said}"
        );
        // By year, the same rows: the year says when, and the town is what repeats.
        let mut by_year = lines.clone();
        by_year.sort_by_key(|line| line.split(',').nth(1).map(str::to_string));
        let numbered: Vec<String> = by_year.iter().map(|line| line[1..].to_string()).collect();
        let said = told("town,year,coast,size,mood", &numbered).unwrap();
        assert!(said.contains("time 'year', entity 'town'"), "{said}");
    }

    #[test]
    fn rows_that_are_merely_sorted_are_no_groups() {
        let mut stream = Stream::new(4, "sorted");
        let mut lines: Vec<String> = (0..600)
            .map(|_| format!("{},{},{}", stream.below(40), stream.below(3), stream.below(5)))
            .collect();
        assert_eq!(told("age,class,mood", &lines), None, "in any order");
        lines.sort_by_key(|line| line.split(',').next().and_then(|age| age.parse::<u32>().ok()));
        assert_eq!(told("age,class,mood", &lines), None, "by age");
    }
}
