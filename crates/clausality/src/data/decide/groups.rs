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
//! Fewer than ten groups may be classes of which the rows were sorted and then numbered (`Species`, `Sample Number`): they are told only beside a
//! column of dates or years, or that is called so. And numbers that begin anew with every period, in the order of the rows, name nobody in surveys that
//! ask others every time: unless those with the same number are alike from one period to the next ([`are_mere_numbers`]).
//!
//! Where most have one row only, a column of whole numbers or texts is whose the rows are if, wherever it repeats, others never change that
//! hardly could by chance ([`repeated`]): two of them if it is called as such columns are (`id`, `patient`), else three and half of the rows or
//! more differ in it.
//!
//! Rows in any other order are of series if two columns say whose and when: the second holds dates or years or is called so, no two rows agree in
//! both, times come in even steps (years that are called so may leave some out), and half of the first column's values or more, with most of the rows,
//! have five of them or more, one step after the other ([`shuffled`]). A name is asked for because designed experiments have columns of that kind too:
//! plots in rows and columns, treatments of subjects.
//!
//! Where somebody said whose the rows are, no other groups are looked for, and what was said is not asked for again: what is left to say is when they
//! are, if a column may tell that, or which columns have no more cases than there are groups.
//!
//! Nothing is left out for it: the user is told, because scores take every row for a new one and then find arcs that are surer than they should be.

use crate::data::cells::column::{Cells, Column};
use crate::data::cells::date;
use crate::data::cells::number::Numeral;
use crate::data::decide::codes::is_whose;
use crate::data::decide::verdict::Verdict;
use crate::data::read::raw::RawTable;
use crate::data::report::{Kind, Notice, NoticeKind};
use crate::error::{Advice, Error};
use crate::words::{counted, grouped, quoted};
use std::collections::{BTreeMap, BTreeSet};

/// Groups and rows of each, on average, where a column rises in every one of them.
const WITH_TIME: (usize, usize) = (2, 5);
/// Fewer groups than this may be classes.
const CLASSES: usize = 10;
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
    entity: Option<&str>,
) -> Result<Option<Notice>, Error> {
    all.retain(|groups| entity.is_none_or(|entity| raw.columns[groups.place].name == entity));
    all.sort_by_key(|groups| std::cmp::Reverse(groups.starts.len()));
    let said = entity.is_some();
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
                rising.push(other);
            }
        }
        let name = &raw.columns[place].name;
        let opening = opening(name, groups, raw.rows);
        // Years in which months rise are one series, not one for every year.
        let own = is_time(name);
        let enough = groups >= WITH_TIME.0 && each >= WITH_TIME.1;
        let mut may_tell = Vec::new();
        for other in rising.into_iter().filter(|_| enough) {
            let called = &raw.columns[other].name;
            let tells = match own {
                true => {
                    !speaks_of_time(called)
                        && !is_hour(called)
                        && (said || !are_mere_numbers(raw, place, other)?)
                }
                false => said || groups >= CLASSES || is_clock(raw, verdicts, other)?,
            };
            may_tell.extend(tells.then_some(called));
        }
        let first = may_tell.iter().find(|other| speaks_of_time(other)).or(may_tell.first());
        if let Some(&time) = first {
            let (time, entity) = if own { (name, time) } else { (time, name) };
            return Ok(Some(over_time(&opening, time, entity, said, true)));
        }
        if groups >= CONSTANT.0 && each >= CONSTANT.1 && constant.len() >= CONSTANTS {
            let never = format!("{} never change within one", quoted(&constant, NAMED));
            if said {
                let text = format!(
                    "{opening}, and {never}: where arcs are weighed every row counts as a new one all the same, so that arcs among these look surer than \
                     {} make them",
                    counted(groups, "case")
                );
                return Ok(Some(about(text)));
            }
            let text = format!(
                "{opening}, and {never}: {CLOSING}; one row for each of the {} would do it justice, or say whose they are, so that rows of one stay \
                 together where predictions are judged",
                grouped(groups)
            );
            return Ok(Some(Notice { advice: vec![Advice::new("entity", name)], ..about(text) }));
        }
    }
    match shuffled(raw, verdicts, entity)? {
        None if !said => repeated(raw, verdicts),
        found => Ok(found),
    }
}

/// Rows that repeat somebody, at the least.
const REPEATED: usize = 10;
/// The chance that a column is the same in all of them though it has nothing to do with whose they are.
const BY_CHANCE: f64 = 1e-6;

/// What is to be said where some of those that the rows are about have several, in any order.
fn repeated(raw: &RawTable, verdicts: &[Verdict]) -> Result<Option<Notice>, Error> {
    let values = |place: usize| verdicts[place].distinct.0;
    for place in 0..verdicts.len() {
        let (verdict, name) = (&verdicts[place], &raw.columns[place].name);
        let named = is_whose(name);
        let may_be = matches!(verdict.kind, Kind::Numeric | Kind::Categorical | Kind::Id | Kind::Names)
            && verdict.missing == 0
            && verdict.distinct.1
            && values(place) >= CONSTANT.0
            && values(place) + REPEATED <= raw.rows
            && (named || 2 * values(place) > raw.rows);
        if !may_be {
            continue;
        }
        let column = raw.whole(place)?;
        let Cells::Words { words, codes } = &column.cells else { continue };
        let whole = |word: &[u8]| match column.numeral(word) {
            Numeral::Finite(value) => value.fract() == 0.0,
            _ => true,
        };
        if !words.iter().all(whole) {
            continue;
        }
        // Of every row the first one of the same.
        let mut first = vec![usize::MAX; words.len()];
        let before: Vec<usize> = codes
            .iter()
            .enumerate()
            .map(|(row, code)| {
                let first = &mut first[code as usize];
                *first = (*first).min(row);
                *first
            })
            .collect();
        let mut constant = Vec::new();
        for other in (0..verdicts.len()).filter(|&other| other != place) {
            if values(other) < 2 || 2 * values(other) > values(place) || verdicts[other].kind == Kind::Date {
                continue;
            }
            let column = raw.whole(other)?;
            let Cells::Words { words, codes } = &column.cells else { continue };
            if !before.iter().enumerate().all(|(row, &first)| codes.get(row) == codes.get(first)) {
                continue;
            }
            let share = |count: usize| (count as f64 / raw.rows as f64).powi(2);
            let agree: f64 = codes.counts(words.len()).into_iter().map(share).sum();
            if agree.powi((raw.rows - values(place)) as i32) < BY_CHANCE {
                constant.push(column.name.clone());
            }
        }
        if constant.len() >= CONSTANTS + usize::from(!named) {
            let text = format!(
                "'{name}' has {} values in {} rows, and where one stands in several {} never change: {CLOSING}; if it names whose the rows are, say so: it is \
                 no variable then, and rows of one stay together where predictions are judged",
                grouped(values(place)),
                grouped(raw.rows),
                quoted(&constant, NAMED)
            );
            return Ok(Some(Notice { advice: vec![Advice::new("entity", name)], ..about(text) }));
        }
    }
    Ok(None)
}

/// What is wrong with rows that come in groups.
const CLOSING: &str =
    "every row counts as a new one, so that what is the same in a group looks surer than it is";

fn opening(name: &str, groups: usize, rows: usize) -> String {
    let (groups, each) = (counted(groups, "group"), counted(rows / groups, "row"));
    format!("the rows come in {groups} of '{name}', {each} each on average")
}

/// That rows may be learned over time; `said` tells that the user said whose they are.
fn over_time(opening: &str, time: &str, entity: &str, said: bool, are_even: bool) -> Notice {
    // Where times are left out, only rows are even steps.
    let by_rows = (!are_even).then(|| Advice::new("step", "rows"));
    if said {
        let text = format!("{opening}; if '{time}' says when, learn over time: as it is, {CLOSING}");
        return Notice {
            advice: [Advice::new("time", time)].into_iter().chain(by_rows).collect(),
            ..about(text)
        };
    }
    // Where groups are of times, nobody has heard of the series yet.
    let whose = if opening.contains(&format!("'{entity}'")) {
        String::new()
    } else {
        format!(" and '{entity}' whose")
    };
    let text = format!(
        "{opening}; if '{time}' says when{whose}, learn over time; without time, '{entity}' as the entity keeps rows of one together where \
         learning is judged: as it is, {CLOSING}"
    );
    let advice = [Advice::new("time", time), Advice::new("entity", entity)];
    Notice { advice: advice.into_iter().chain(by_rows).collect(), ..about(text) }
}

/// Of what must be so of most series, times and steps, so much.
fn most(some: usize, all: usize) -> bool {
    5 * some >= 4 * all
}

/// Columns that are looked at as what may say when, and as what may say whose.
const MOST_LOOKED_AT: usize = 32;

/// What is to be said where rows in any order are of series: of the pair of columns that says when and whose best.
fn shuffled(raw: &RawTable, verdicts: &[Verdict], entity: Option<&str>) -> Result<Option<Notice>, Error> {
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
        .filter(|&place| entity.is_none_or(|entity| raw.columns[place].name == entity))
        .collect();
    let enough = |a: usize, b: usize| a != b && values(a).saturating_mul(values(b)) >= rows;
    let mut clocks = Vec::new();
    for time in times.into_iter().filter(|&time| whose.iter().any(|&other| enough(time, other))) {
        let is_date = verdicts[time].kind == Kind::Date;
        let may_be = is_date
            || speaks_of_time(&raw.columns[time].name)
            || are_years(&*raw.beginning(time, FIRST_ROWS)?);
        if may_be
            && clocks.len() < MOST_LOOKED_AT
            && let Some(Ranks { places, are_years, are_even }) = ranks(&*raw.whole(time)?)
            && (is_date || are_years || speaks_of_time(&raw.columns[time].name))
        {
            clocks.push((is_date, time, places, are_even));
        }
    }
    // The most likely clock first; of two alike the one with more times.
    clocks.sort_by_key(|&(is_date, time, ..)| std::cmp::Reverse((is_date, values(time))));
    let is_called_so =
        |place: usize| verdicts[place].kind == Kind::Date || speaks_of_time(&raw.columns[place].name);
    for (_, time, places, are_even) in clocks {
        let times = places.iter().max().map_or(0, |&last| last as usize + 1);
        let whose = whose.iter().filter(|&&other| enough(time, other) && !is_called_so(other));
        for &other in whose.take(MOST_LOOKED_AT) {
            if agree(&*raw.beginning(time, FIRST_ROWS)?, &*raw.beginning(other, FIRST_ROWS)?) {
                continue;
            }
            let (clock, column) = (raw.whole(time)?, raw.whole(other)?);
            let Cells::Words { codes: at, .. } = &clock.cells else { continue };
            let Some((owners, codes)) = owners(&column) else { continue };
            let when = at.iter().map(|code| places[code as usize]);
            let Some((long, steps, even)) = series(codes.into_iter().zip(when), (owners, times), rows) else {
                continue;
            };
            // Of clubs that were founded and dissolved some have a year or two, and few of the rows.
            let are_series = long >= WITH_TIME.0
                && 2 * long >= owners.min(values(other))
                && most(long + steps, rows)
                && most(even, steps);
            if are_series && (entity.is_some() || !are_mere_numbers(raw, time, other)?) {
                let name = &raw.columns[other].name;
                let opening = opening(name, values(other), rows);
                let clock = &raw.columns[time].name;
                return Ok(Some(over_time(&opening, clock, name, entity.is_some(), are_even)));
            }
        }
    }
    Ok(None)
}

/// Whether a column holds dates or years, or is called as times are.
fn is_clock(raw: &RawTable, verdicts: &[Verdict], place: usize) -> Result<bool, Error> {
    let called = speaks_of_time(&raw.columns[place].name);
    Ok(called || verdicts[place].kind == Kind::Date || are_years(&*raw.whole(place)?))
}

/// Rows with the same number as one of the period before, of which fewer show nothing.
const MET_AGAIN: usize = 100;
/// By so many standard deviations more than by chance.
const ALIKE: f64 = 5.0;

/// Whether numbers only count the rows of every period: they begin at the least and mostly go on by one, and who has the same number in the
/// period before is no more alike than those beside. A panel that is sorted by its periods may be numbered so too.
fn are_mere_numbers(raw: &RawTable, period: usize, number: usize) -> Result<bool, Error> {
    let numbers = raw.whole(number)?.numbers(&raw.marks);
    let Some(before) = same_number_before(&*raw.whole(period)?, &numbers) else {
        return Ok(false);
    };
    if before.len() < MET_AGAIN {
        return Ok(false);
    }
    for other in (0..raw.columns.len()).filter(|&other| other != period && other != number) {
        if are_alike(&classes(&*raw.whole(other)?, raw), &before) {
            return Ok(false);
        }
    }
    Ok(true)
}

/// A row, the one of the period before that has the same number, and those on both sides of that one.
type Met = [usize; 4];

/// Who is met again, where every period's rows are numbered from the least number on, mostly one by one: some may have been left out.
fn same_number_before(period: &Column, numbers: &[f64]) -> Option<Vec<Met>> {
    let Cells::Words { codes: at, .. } = &period.cells else { return None };
    let least = numbers.iter().copied().fold(f64::INFINITY, f64::min);
    let mut periods: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
    let (mut steps, mut by_one) = (0, 0);
    for (row, when) in at.iter().enumerate() {
        let rows = periods.entry(when).or_default();
        let step = rows.last().map(|&last| numbers[row] - numbers[last]);
        if step.map_or(numbers[row] != least, |step| step.is_nan() || step < 1.0) {
            return None;
        }
        steps += usize::from(step.is_some());
        by_one += usize::from(step == Some(1.0));
        rows.push(row);
    }
    // Codes are given as texts are met, which is the order of the periods in a table that is sorted by them.
    let periods: Vec<Vec<usize>> = periods.into_values().collect();
    most(by_one, steps).then(|| periods.windows(2).flat_map(|two| met(&two[0], &two[1], numbers)).collect())
}

/// Who of a period was met in the one before.
fn met(before: &[usize], now: &[usize], numbers: &[f64]) -> Vec<Met> {
    let same = |&row: &usize| {
        let place = before.binary_search_by(|&other| numbers[other].total_cmp(&numbers[row])).ok()?;
        Some([row, before[place], *before.get(place.checked_sub(1)?)?, *before.get(place + 1)?])
    };
    now.iter().filter_map(same).collect()
}

/// Whether rows are like the one that they met, and not like those on both sides of it, more often than the other way round. Where these two
/// differ numbers may run from place to place, and whoever has about the same is alike.
fn are_alike(classes: &[u32], met: &[Met]) -> bool {
    let (mut like_it, mut like_others) = (0.0, 0.0);
    let met = met.iter().map(|rows| rows.map(|row| classes[row]));
    // Who is asked what may go by the number too.
    for [row, same, below, above] in met.filter(|classes| !classes.contains(&GAP)) {
        if below == above && same != below {
            like_it += f64::from(row == same);
            like_others += f64::from(row == below);
        }
    }
    like_it - like_others > ALIKE * f64::sqrt(like_it + like_others)
}

/// More texts than this are no classes: numbers are then taken by halves.
const MOST_CLASSES: usize = 20;

/// The class of rows without a value.
const GAP: u32 = u32::MAX;

/// Of every row a class: its text where these are few, else whether its number lies above the middle one.
fn classes(column: &Column, raw: &RawTable) -> Vec<u32> {
    if let Cells::Words { words, codes } = &column.cells
        && words.len() <= MOST_CLASSES
    {
        let gaps = column.gaps(&raw.marks);
        return codes.iter().zip(gaps).map(|(code, gap)| if gap { GAP } else { code }).collect();
    }
    let numbers = column.numbers(&raw.marks);
    let mut known: Vec<f64> = numbers.iter().copied().filter(|value| !value.is_nan()).collect();
    known.sort_unstable_by(f64::total_cmp);
    let middle = known.get(known.len() / 2).copied().unwrap_or(f64::NAN);
    let class = |value: f64| if value.is_nan() { GAP } else { u32::from(value > middle) };
    numbers.into_iter().map(class).collect()
}

/// Rows in which most pairs of columns that are nobody's series agree twice: who finds that need not hold all of them.
const FIRST_ROWS: usize = 1 << 15;

/// Whether two of the first rows agree in both columns.
fn agree(one: &Column, other: &Column) -> bool {
    let (Some((_, one)), Some((_, other))) = (owners(one), owners(other)) else { return false };
    let mut seen = BTreeSet::new();
    !one.into_iter().zip(other).take(FIRST_ROWS).all(|pair| seen.insert(pair))
}

/// How many there may be whose the rows are, and whose each is: by texts, or by whole numbers. A table that is sorted by its periods has no number twice
/// for so long that its cells are kept as numbers.
fn owners(column: &Column) -> Option<(usize, Vec<u32>)> {
    match &column.cells {
        Cells::Words { words, codes } => Some((words.len(), codes.iter().collect())),
        Cells::Numbers { values, .. } => {
            let mut different: Vec<f64> = values.iter().collect();
            if different.iter().any(|value| value.fract() != 0.0) {
                return None;
            }
            different.sort_unstable_by(f64::total_cmp);
            different.dedup();
            let place = |value: f64| different.partition_point(|&other| other < value) as u32;
            Some((different.len(), values.iter().map(place).collect()))
        }
        Cells::Nothing => None,
    }
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

/// Whether all texts of a column may be years.
fn are_years(column: &Column) -> bool {
    let Cells::Words { words, .. } = &column.cells else { return false };
    let is_year =
        |word: &[u8]| matches!(column.numeral(word), Numeral::Finite(year) if YEARS.contains(&year));
    words.iter().all(is_year)
}

/// Numbers that may be years.
pub(super) const YEARS: std::ops::RangeInclusive<f64> = 1800.0..=2100.0;

/// The times of a column.
struct Ranks {
    /// The place of every text's value among all of them.
    places: Vec<u32>,
    /// Whether all may be years.
    are_years: bool,
    /// Whether they come in even steps.
    are_even: bool,
}

/// Of a column of whole numbers or dates in even steps, or of years most of which are there.
fn ranks(column: &Column) -> Option<Ranks> {
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
    let are_even = most(even, steps.len());
    let are_years = sorted.iter().all(|value| YEARS.contains(value));
    // A survey of every year may have been held every other year before.
    let span = sorted.last()? - sorted.first()?;
    let are_called_years = are_years && is_time(&column.name) && 2.0 * sorted.len() as f64 > span;
    if !are_even && !are_called_years {
        return None;
    }
    let place = |value: f64| sorted.partition_point(|&other| other < value) as u32;
    Some(Ranks { places: meanings.into_iter().map(place).collect(), are_years, are_even })
}

fn about(message: String) -> Notice {
    Notice { kind: NoticeKind::Groups, ..Notice::about_rows(message) }
}

/// Whether a name speaks of time.
pub(super) fn is_time(name: &str) -> bool {
    let name = name.to_lowercase();
    ["year", "month", "week", "day", "date", "time", "period", "quarter", "qtr", "wave", "hour"]
        .iter()
        .any(|word| name.contains(word))
}

/// Whether a name speaks of time, or is one that times often have.
fn speaks_of_time(name: &str) -> bool {
    is_time(name) || ["t", "step", "tick", "visit"].contains(&name.to_lowercase().as_str())
}

/// Whether a name is one of the hours of a day, or of what an hour has; home runs and heart rates have others beside days.
fn is_hour(name: &str) -> bool {
    ["hr", "hrs", "h", "min", "minute", "sec", "second"].contains(&name.to_lowercase().as_str())
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
mod tests;
