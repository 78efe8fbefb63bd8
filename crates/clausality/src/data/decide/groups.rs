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
//! Rows in any other order are of series if two columns say whose and when: the second holds dates or years or is called so, no two rows agree in
//! both, times come in even steps, and most of the first column's values have five of them or more, one step after the other ([`shuffled`]). A
//! name is asked for because designed experiments have columns of that kind too: plots in rows and columns, treatments of subjects.
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
        let opening = opening(name, groups, raw.rows);
        // Years in which months rise are one series, not one for every year.
        let own = is_time(name);
        let rising = rising.iter().filter(|other| !own || !speaks_of_time(other));
        let first = rising.clone().find(|other| speaks_of_time(other)).or(rising.clone().next());
        if let Some(time) = first.filter(|_| groups >= WITH_TIME.0 && each >= WITH_TIME.1) {
            let (time, entity) = if own { (name, time) } else { (time, name) };
            return Ok(Some(over_time(&opening, time, entity)));
        }
        if groups >= CONSTANT.0 && each >= CONSTANT.1 && constant.len() >= CONSTANTS {
            let never = format!("{} never change within one", quoted(&constant, NAMED));
            let text = format!(
                "{opening}, and {never}: {CLOSING}; one row for each of the {} would do it justice",
                grouped(groups)
            );
            return Ok(Some(about(text)));
        }
    }
    shuffled(raw, verdicts)
}

/// What is wrong with rows that come in groups.
const CLOSING: &str =
    "every row counts as a new one, so that what is the same in a group looks surer than it is";

fn opening(name: &str, groups: usize, rows: usize) -> String {
    let (groups, each) = (counted(groups, "group"), counted(rows / groups, "row"));
    format!("the rows come in {groups} of '{name}', {each} each on average")
}

fn over_time(opening: &str, time: &str, entity: &str) -> Notice {
    // Where groups are of times, nobody has heard of the series yet.
    let whose = if opening.contains(&format!("'{entity}'")) {
        String::new()
    } else {
        format!(" and '{entity}' whose")
    };
    let text = format!("{opening}; if '{time}' says when{whose}, learn over time: as it is, {CLOSING}");
    Notice { advice: vec![Advice::new("time", time), Advice::new("entity", entity)], ..about(text) }
}

/// Of what must be so of most series, times and steps, so much.
fn most(some: usize, all: usize) -> bool {
    5 * some >= 4 * all
}

/// Columns that are looked at as what may say when, and as what may say whose.
const MOST_LOOKED_AT: usize = 32;

/// What is to be said where rows in any order are of series: of the pair of columns that says when and whose best.
fn shuffled(raw: &RawTable, verdicts: &[Verdict]) -> Result<Option<Notice>, Error> {
    let rows = raw.rows;
    let values = |place: usize| verdicts[place].distinct.0;
    let complete = |place: &usize| {
        let verdict = &verdicts[*place];
        verdict.kind != Kind::Constant && verdict.missing == 0 && verdict.distinct.1
    };
    // No two rows agree in both, so that there are no more rows than pairs of values.
    let times: Vec<usize> = (0..verdicts.len())
        .filter(complete)
        .filter(|&place| (WITH_TIME.1..=rows / WITH_TIME.0).contains(&values(place)))
        .collect();
    let whose: Vec<usize> = (0..verdicts.len())
        .filter(complete)
        .filter(|&place| (WITH_TIME.0..=rows / WITH_TIME.1).contains(&values(place)))
        .collect();
    let enough = |a: usize, b: usize| a != b && values(a).saturating_mul(values(b)) >= rows;
    let mut clocks = Vec::new();
    for time in times.into_iter().filter(|&time| whose.iter().any(|&other| enough(time, other))) {
        let is_date = verdicts[time].kind == Kind::Date;
        if clocks.len() < MOST_LOOKED_AT
            && let Some((places, years)) = ranks(&*raw.whole(time)?)
            && (is_date || years || speaks_of_time(&raw.columns[time].name))
        {
            clocks.push((is_date, time, places));
        }
    }
    // The most likely clock first; of two alike the one with more times.
    clocks.sort_by_key(|&(is_date, time, _)| std::cmp::Reverse((is_date, values(time))));
    let is_clock =
        |place: usize| verdicts[place].kind == Kind::Date || speaks_of_time(&raw.columns[place].name);
    for (_, time, places) in clocks {
        let clock = raw.whole(time)?;
        let Cells::Words { codes: at, .. } = &clock.cells else { continue };
        let times = places.iter().max().map_or(0, |&last| last as usize + 1);
        let whose = whose.iter().filter(|&&other| enough(time, other) && !is_clock(other));
        for &other in whose.take(MOST_LOOKED_AT) {
            let column = raw.whole(other)?;
            let Cells::Words { words, codes } = &column.cells else { continue };
            let when = at.iter().map(|code| places[code as usize]);
            let Some((long, steps, even)) = series(codes.iter().zip(when), (words.len(), times), rows) else {
                continue;
            };
            if long >= WITH_TIME.0 && most(long, words.len().min(values(other))) && most(even, steps) {
                let name = &raw.columns[other].name;
                let opening = opening(name, values(other), rows);
                return Ok(Some(over_time(&opening, &raw.columns[time].name, name)));
            }
        }
    }
    Ok(None)
}

/// Bits for each row in which pairs are looked up, and for any table.
const BITS: (usize, usize) = (2, 1 << 22);

/// How many series of five times or more there are, their steps, and how many of these lead to the next time; nothing if two rows agree in both, or
/// if series and times are too many for so many rows. A bit for every series and time: most pairs of columns agree within a few rows.
fn series(
    pairs: impl Iterator<Item = (u32, u32)>,
    (owners, times): (usize, usize),
    rows: usize,
) -> Option<(usize, usize, usize)> {
    let bits = owners.checked_mul(times).filter(|&bits| bits <= BITS.1.max(BITS.0 * rows))?;
    let mut seen = vec![0u64; bits.div_ceil(64)];
    for (whose, when) in pairs {
        let bit = whose as usize * times + when as usize;
        if seen[bit / 64] >> (bit % 64) & 1 == 1 {
            return None;
        }
        seen[bit / 64] |= 1 << (bit % 64);
    }
    let is_seen = |bit: usize| seen[bit / 64] >> (bit % 64) & 1 == 1;
    let (mut long, mut steps, mut even) = (0, 0, 0);
    for first in (0..owners).map(|owner| owner * times) {
        let own = (first..first + times).filter(|&bit| is_seen(bit)).count();
        if own >= WITH_TIME.1 {
            long += 1;
            steps += own - 1;
            even += (first + 1..first + times).filter(|&bit| is_seen(bit) && is_seen(bit - 1)).count();
        }
    }
    Some((long, steps, even))
}

/// Of a column of whole numbers or dates in even steps, the place of every text's value among all of them, and whether all may be years.
fn ranks(column: &Column) -> Option<(Vec<u32>, bool)> {
    let Cells::Words { words, .. } = &column.cells else { return None };
    let meaning = |word: &[u8]| match column.numeral(word) {
        Numeral::Finite(value) => Some(value).filter(|value| value.fract() == 0.0),
        _ => date::read(word, None).map(|date| date.seconds as f64),
    };
    let meanings: Vec<f64> = words.iter().map(meaning).collect::<Option<_>>()?;
    let mut sorted = meanings.clone();
    sorted.sort_unstable_by(f64::total_cmp);
    sorted.dedup();
    let steps: Vec<f64> = sorted.windows(2).map(|pair| pair[1] - pair[0]).collect();
    let mut by_length = steps.clone();
    by_length.sort_unstable_by(f64::total_cmp);
    let usual = *by_length.get(steps.len() / 2)?;
    // Months are longer and shorter by a tenth.
    let even = steps.iter().filter(|&step| (step - usual).abs() <= usual / 10.0).count();
    if !most(even, steps.len()) {
        return None;
    }
    let years = sorted.iter().all(|value| (1800.0..=2100.0).contains(value));
    let place = |value: f64| sorted.partition_point(|&other| other < value) as u32;
    Some((meanings.into_iter().map(place).collect(), years))
}

fn about(message: String) -> Notice {
    Notice { kind: NoticeKind::Groups, ..Notice::about_rows(message) }
}

/// Whether a name speaks of time.
fn is_time(name: &str) -> bool {
    let name = name.to_lowercase();
    ["year", "month", "week", "day", "date", "time", "period", "quarter", "qtr", "wave", "hour"]
        .iter()
        .any(|word| name.contains(word))
}

/// Whether a name speaks of time, or is one that times often have.
fn speaks_of_time(name: &str) -> bool {
    is_time(name) || ["t", "step", "tick", "visit"].contains(&name.to_lowercase().as_str())
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
    fn series_are_told_in_whatever_order_their_rows_stand() {
        let mut stream = Stream::new(5, "shuffled");
        let mut lines = towns(&mut stream);
        for k in (1..lines.len()).rev() {
            lines.swap(k, stream.below(k as u64 + 1) as usize);
        }
        let said = told("town,year,coast,size,mood", &lines).unwrap();
        assert!(
            said.starts_with(
                "the rows come in 60 groups of 'town', 10 rows each on average; if 'year' says when"
            ),
            "{said}"
        );
        assert!(said.contains("time 'year', entity 'town'"), "{said}");
        // Dates, by time, and a twentieth of the rows lost.
        let mut dated = Vec::new();
        for (k, shop) in (0..24).flat_map(|k| (0..40).map(move |shop| (k, shop))) {
            let (price, sales, kept) = (stream.below(3), stream.below(4), stream.below(20) > 0);
            let when = format!("{}-{:02}-01", 2020 + k / 12, 1 + k % 12);
            dated.extend(kept.then(|| format!("{when},{shop},{price},{sales}")));
        }
        dated.swap(3, 500);
        let said = told("when,shop,price,sales", &dated).unwrap();
        assert!(
            said.contains("40 groups of 'shop'") && said.contains("time 'when', entity 'shop'"),
            "{said}"
        );
    }

    #[test]
    fn years_of_months_are_one_series() {
        let mut stream = Stream::new(7, "months");
        let lines: Vec<String> = (0..240)
            .map(|k| format!("{},{},{},{}", 1990 + k / 12, 1 + k % 12, stream.below(3), stream.below(4)))
            .collect();
        assert_eq!(told("Year,Month,level,mood", &lines), None);
    }

    #[test]
    fn columns_that_never_agree_by_luck_are_no_series() {
        let mut stream = Stream::new(6, "luck");
        // Few rows, many places: hardly two agree, and nothing comes step after step.
        let lines: Vec<String> = (0..400)
            .map(|_| format!("{},{},{}", stream.below(60), stream.below(2000), stream.below(3)))
            .collect();
        assert_eq!(told("place,income,mood", &lines), None);
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
