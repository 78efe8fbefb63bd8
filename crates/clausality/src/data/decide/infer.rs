//! What a column is and what becomes of it.
//!
//! Rules, in this order; the user's `type`, `levels`, `cuts` and `bins` for a column come before all of them.
//! 1. No value, or one value and no gap: constant, dropped.
//! 2. All cells dates or times: a date, replaced by the parts of it that say something (`dates.rs`).
//! 3. All cells numbers: an **id** if they are whole, all different, lie so close that they cannot have been drawn
//!    independently, and are no ranks, else as it is (up to B different values; up to ten whole ones, rare ones joined) or cut into B states.
//! 4. Else text: an **id** if more than half the recorded cells are different (under twenty cells: all of them); **names** that
//!    say nothing if the categories that would be kept hold less than a tenth of the rows; else categories, the rarest sharing
//!    `other` beyond the limit.
//!
//! Our reading of "integers all distinct and consecutive → id": n numbers drawn independently from a range of R whole numbers
//! repeat some value about `n(n−1)/(2R)` times. Where ten or more repetitions are expected (a chance below e⁻¹⁰ of none) and
//! there is none, the numbers were dealt out, not measured. Consecutive numbers are the extreme case; customer numbers with
//! holes are caught too, while a population count that happens not to repeat is not. Ranks are dealt out too, and are numbers: where (nearly) every
//! number from the lowest to the highest is taken, what makes an id of them is that they stand in the order of the rows, or what the column is called.

use crate::data::cells::column::Column;
use crate::data::cells::number;
use crate::data::coding::{StateRule, as_truth};
use crate::data::decide::bins;
use crate::data::decide::content::{Content, Values};
use crate::data::decide::dates::Derived;
use crate::data::decide::mdl::Grades;
use crate::data::decide::numbers::{Extent, Numbers, Recorded};
use crate::data::decide::verdict::{Proposal, Verdict, Warning, unused};
use crate::data::decide::when::{self, Unit};
use crate::data::decide::{codes, dates, lookalike, marks};
use crate::data::problem::option_problem;
use crate::data::read::raw::RawTable;
use crate::data::report::{Kind, NoticeKind};
use crate::data::settings::FEW_STATES;
use crate::data::{ColumnType, DataSettings, DateWish, Discretize, MissingRule, Problem};
use crate::error::Error;
use crate::words::{counted, grouped, percent, quoted};
use clausality_bn::Scale;

/// With fewer states than there are by default somebody asked for few, also of a column that has few values.
const DEFAULT_BINS: usize = 4;

/// Coincidences that must be expected before their absence proves an id.
const EXPECTED_COINCIDENCES: f64 = 10.0;

/// The share of the numbers from the lowest to the highest that ranks take, should some rows be gone.
const RANKED: f64 = 0.9;

/// Decides about a column of a table.
pub(in crate::data) fn decide(
    column: &Column,
    raw: &RawTable,
    settings: &DataSettings,
) -> Result<Verdict, Error> {
    let content = Content::of(column, &raw.marks, &raw.name, &raw.drawn.beside)?;
    let declared = settings.types.get(&column.name).copied();
    let distinct = content.values.distinct();
    let missing = content.missing;
    let done = |kind, reason: String, variables, warnings| {
        Ok(Verdict { kind, distinct, missing, reason, variables, grades: None, warnings })
    };
    if settings.row_weights.as_ref() == Some(&column.name) {
        return done(Kind::Ignored, "its numbers weigh the rows".into(), Vec::new(), Vec::new());
    }
    if settings.time.as_ref() == Some(&column.name) {
        return done(Kind::Ignored, "it says when the rows are".into(), Vec::new(), Vec::new());
    }
    if settings.entity.as_ref() == Some(&column.name) {
        return done(Kind::Ignored, "it says whose the rows are".into(), Vec::new(), Vec::new());
    }
    if declared == Some(ColumnType::Ignore) {
        return done(Kind::Ignored, "left out as asked".into(), Vec::new(), Vec::new());
    }
    if let Some(reason) = constant(&content, *settings.missing.of(&column.name)) {
        let warnings = vec![Warning::new(NoticeKind::Constant, format!("{reason}: dropped"))];
        return done(Kind::Constant, reason, Vec::new(), warnings);
    }
    if let Some(levels) = settings.levels.get(&column.name).cloned() {
        let scale = if declared == Some(ColumnType::Categorical) { Scale::Nominal } else { Scale::Ordered };
        let kind = if scale == Scale::Nominal { Kind::Categorical } else { Kind::Ordered };
        let (reason, proposal, warnings) = listed(column, &content, levels, scale)?;
        return done(kind, reason, vec![proposal], warnings);
    }
    let odd_cells = match &content.values {
        Values::Texts { counts, numbers } if declared.is_none() => {
            let dates = || lookalike::mostly_dates(column, counts, raw, settings);
            marks::mixed(&column.name, counts, *numbers)
                .or_else(dates)
                .or_else(|| lookalike::hint(&column.name, counts, column.comma()))
        }
        Values::Texts { counts, numbers } => marks::mixed(&column.name, counts, *numbers),
        Values::Numbers { numbers, .. } if declared.is_none() && !settings.cuts_numbers_of(&column.name) => {
            lookalike::dates_as_numbers(&column.name, numbers)
        }
        _ => None,
    };
    let in_disguise = odd_cells.is_some();
    let odd_cells = odd_cells
        .or_else(|| panel(&column.name, &content.values).filter(|_| declared.is_none() && missing == 0));
    if declared.is_none()
        && !settings.cuts_numbers_of(&column.name)
        && let Some(reason) = row_name(&column.name, &content)
            .or_else(|| id(&content, || codes::number_rows(column, &raw.marks)))
    {
        let hint = Warning::new(
            NoticeKind::Id,
            format!("{reason}: it looks like an id and is dropped, unless kept"),
        )
        .advising("type", format!("{}=keep", column.name));
        return done(Kind::Id, reason, Vec::new(), odd_cells.into_iter().chain([hint]).collect());
    }
    if declared.is_none()
        && let Some(reason) = names(&content, settings.few_categories(), in_disguise)
    {
        let hint =
            Warning::new(NoticeKind::Names, format!("{reason}: it says nothing and is dropped, unless kept"))
                .advising("type", format!("{}=keep", column.name));
        return done(Kind::Names, reason, Vec::new(), odd_cells.into_iter().chain([hint]).collect());
    }
    match content.values {
        Values::Numbers { numbers, .. } => {
            let (kind, reason, proposal, warnings) = numeric(&column.name, &numbers, declared, settings);
            let unasked = declared.is_none() && !settings.cuts_numbers_of(&column.name) && !in_disguise;
            let dealt_out = numbering(&column.name, &numbers).filter(|_| unasked);
            let entity = settings.entity.as_deref();
            let hint = || codes::hint(column, &raw.marks, &numbers, settings.few_categories(), entity);
            let named = if unasked && kind == Kind::Numeric && odd_cells.is_none() { hint() } else { None };
            let warnings = odd_cells.into_iter().chain(dealt_out).chain(named).chain(warnings).collect();
            let graded = kind == Kind::Numeric
                && settings.cutting() == Discretize::Mdl
                && !settings.cuts_numbers_of(&column.name);
            let grades = graded.then(|| Grades::of(&numbers, *settings.bins.of(&column.name)));
            done(kind, reason, vec![proposal], warnings).map(|verdict| Verdict { grades, ..verdict })
        }
        Values::Texts { .. } if declared == Some(ColumnType::Ordered) => {
            Err(option_problem(Problem::OrderedTextWithoutLevels { column: column.name.clone() }))
        }
        Values::Texts { counts, .. } => {
            let (reason, proposal, folded) = categories(counts, settings.max_categories, column.by_value());
            done(Kind::Categorical, reason, vec![proposal], odd_cells.into_iter().chain(folded).collect())
        }
        Values::Dates(dates) => {
            let wish = if let Some(ColumnType::Date(wish)) = declared { wish } else { DateWish::default() };
            let Derived { reason, proposals, warnings } = dates::decide(&dates, wish, settings);
            let durations =
                lookalike::durations_as_clocks(&column.name, &dates).filter(|_| declared.is_none());
            let told = warnings.into_iter().map(|text| Warning::new(NoticeKind::Column, text));
            let never = marks::never(&column.name, &dates.never);
            let mut warnings: Vec<Warning> = told.chain(durations).chain(never).collect();
            let kind = if proposals.is_empty() { Kind::Constant } else { Kind::Date };
            if proposals.is_empty() {
                warnings.push(Warning::new(NoticeKind::Constant, format!("{reason}: dropped")));
            }
            done(kind, reason, proposals, warnings)
        }
    }
}

fn constant(content: &Content<'_>, missing: MissingRule) -> Option<String> {
    let gaps_are_a_state = content.missing > 0 && missing == MissingRule::State;
    if content.recorded == 0 {
        return Some("no cell has a value".into());
    }
    let only = match &content.values {
        Values::Texts { counts, .. } if counts.len() == 1 => counts[0].0.to_string(),
        Values::Numbers { numbers, .. } if numbers.low == numbers.high => number::write(numbers.low),
        Values::Dates(dates) if dates.counted.len() == 1 => "one date".into(),
        _ => return None,
    };
    match &content.values {
        Values::Dates(dates) if dates.is_clock() => Some("every cell holds the same time of day".into()),
        Values::Dates(_) => Some("every cell holds the same date".into()),
        _ if gaps_are_a_state => None,
        _ if content.missing > 0 => Some(format!("every cell with a value holds '{only}'")),
        _ => Some(format!("every cell holds '{only}'")),
    }
}

/// From so many values on a column may name what several rows are about.
const PANEL_VALUES: usize = 50;
/// The most rows for each of them.
const PANEL_ROWS: usize = 20;

/// How many rows each value has, if they are few and equally many: a person, place or machine of which the table tells so often.
fn rows_of_each(values: &Values<'_>) -> Option<(usize, usize)> {
    let counts: Vec<usize> = match values {
        Values::Numbers {
            numbers: Numbers { values: Recorded::Counted(counted), whole: true, .. }, ..
        } => counted.iter().map(|&(_, count)| count).collect(),
        Values::Texts { counts, .. } => counts.iter().map(|&(_, count)| count).collect(),
        _ => return None,
    };
    let each = *counts.first()?;
    let even = counts.len() >= PANEL_VALUES && (2..=PANEL_ROWS).contains(&each);
    (even && counts.iter().all(|&count| count == each)).then_some((counts.len(), each))
}

/// A column that may name what several rows each are about.
fn panel(name: &str, values: &Values<'_>) -> Option<Warning> {
    let (values, rows) = rows_of_each(values)?;
    let text = format!(
        "each of {} values stands in exactly {rows} rows; if it names a person or a thing that the rows are about, say so: it is no variable then, \
         and rows of one stay together where predictions are judged; if another column says when, learn over time",
        grouped(values)
    );
    Some(Warning::new(NoticeKind::Groups, text).advising("entity", name.to_string()))
}

/// What programs call the column of the names of rows.
const ROW_NAMES: [&str; 5] = ["rownames", "row.names", "row_names", "rowname", "unnamed: 0"];

/// Numbers of any kind that name the rows, by what they are called and as none occurs twice.
fn row_name(name: &str, content: &Content<'_>) -> Option<String> {
    let Values::Numbers { numbers, .. } = &content.values else { return None };
    if !ROW_NAMES.contains(&name.to_lowercase().as_str()) || content.missing > 0 {
        return None;
    }
    let different = match &numbers.values {
        Recorded::Counted(counted) => counted.len(),
        Recorded::Listed(values) => {
            let mut values: Vec<f64> = values.iter().collect();
            values.sort_unstable_by(f64::total_cmp);
            values.dedup();
            values.len()
        }
    };
    // What does not count the rows is told by its name alone.
    let counts_them = numbers.whole && numbers.high - numbers.low + 1.0 == content.recorded as f64;
    (different == content.recorded && !counts_them)
        .then(|| format!("{} different numbers that are called the names of rows", grouped(different)))
}

/// Why the column is an id, if it is one; whether numbers that never repeat are those of rows is asked only of such.
fn id(content: &Content<'_>, number_rows: impl Fn() -> bool) -> Option<String> {
    let recorded = content.recorded;
    match &content.values {
        Values::Numbers { numbers, repeats: false } if all_different(numbers) => {
            let room = numbers.high - numbers.low + 1.0;
            let pairs = recorded as f64 * (recorded as f64 - 1.0) / 2.0;
            let consecutive = room == recorded as f64 && recorded > 2;
            // Ranks leave next to none out; who deals out numbers to some of many does.
            let ranks = recorded as f64 >= RANKED * room && !number_rows();
            if !consecutive && pairs / room < EXPECTED_COINCIDENCES || ranks {
                None
            } else if consecutive {
                Some(format!("{} consecutive whole numbers", grouped(recorded)))
            } else {
                Some(format!("{} whole numbers from a narrow range and none occurs twice", grouped(recorded)))
            }
        }
        Values::Texts { counts, .. } => {
            let different = counts.len();
            let mostly = different * 2 > recorded;
            let by_chance = match recorded {
                // So few cells may well be different without being ids, unless all of them are.
                ..MANY_CELLS => different < recorded || different < 3,
                // With gaps, few values are no evidence.
                _ => content.missing > 0 && different <= FEW_CATEGORIES,
            };
            (mostly && !by_chance)
                .then(|| format!("{} different texts in {} cells", grouped(different), grouped(recorded)))
        }
        _ => None,
    }
}

/// So many different whole numbers are worth a word.
const MANY_NUMBERS: usize = 100;

/// That whole numbers which never repeat may number or name the rows, though they may as well be counts of something large.
fn numbering(name: &str, numbers: &Numbers<'_>) -> Option<Warning> {
    let Recorded::Counted(counted) = &numbers.values else { return None };
    let different = numbers.whole && counted.len() == numbers.count && counted.len() >= MANY_NUMBERS;
    let text = format!(
        "{} whole numbers and none occurs twice; if they number or name the rows, leave it out",
        grouped(counted.len())
    );
    different.then(|| Warning::new(NoticeKind::Numbering, text).advising("type", format!("{name}=ignore")))
}

/// Why the column says nothing, if what is kept of its many names would be next to no row, or if the names are so nearly equal in number that
/// chance would choose which are kept.
fn names(content: &Content<'_>, most: usize, in_disguise: bool) -> Option<String> {
    let Values::Texts { counts, .. } = &content.values else { return None };
    if counts.len() <= most || content.recorded < MANY_CELLS {
        return None;
    }
    let mut rows: Vec<usize> = counts.iter().map(|&(_, count)| count).collect();
    rows.sort_unstable_by(|a, b| b.cmp(a));
    let kept: usize = rows.iter().take(most - 1).sum();
    let share = kept as f64 / content.recorded as f64;
    // What may be dates or numbers in disguise waits for the user's word.
    let level = !in_disguise && share < 0.5 && rows[0] < 2 * rows[most - 1];
    (share < SAYS_NOTHING || level).then(|| {
        format!(
            "{} different values, and the {} most frequent hold {} of the rows",
            grouped(counts.len()),
            most - 1,
            percent(share)
        )
    })
}

/// A column whose frequent names hold a smaller share of the rows says nothing: nearly every row would be in 'other'.
const SAYS_NOTHING: f64 = 0.1;

/// From this many cells on, half of them being different is evidence of an id.
const MANY_CELLS: usize = 20;
/// Under this many different texts a column with gaps is never an id.
const FEW_CATEGORIES: usize = 20;

/// Whether whole numbers are all different; looks no further than the id rule needs.
fn all_different(numbers: &Numbers<'_>) -> bool {
    let (low, high) = (numbers.low, numbers.high);
    let values = match &numbers.values {
        Recorded::Counted(counted) => return numbers.whole && counted.len() == numbers.count,
        Recorded::Listed(values) => values,
    };
    let pairs = numbers.count as f64 * numbers.count as f64 / 2.0;
    if pairs / (high - low + 1.0) < EXPECTED_COINCIDENCES || !numbers.whole {
        return false;
    }
    let recorded = values.iter().filter(|value| !value.is_nan());
    if high - low < 64.0 * values.len() as f64 {
        let mut seen = vec![0u64; ((high - low) as usize >> 6) + 1];
        for value in recorded {
            let place = (value - low) as usize;
            let bit = 1 << (place & 63);
            if seen[place >> 6] & bit != 0 {
                return false;
            }
            seen[place >> 6] |= bit;
        }
        return true;
    }
    let mut sorted: Vec<i64> = recorded.map(|value| value as i64).collect();
    sorted.sort_unstable();
    sorted.windows(2).all(|pair| pair[0] != pair[1])
}

/// Years and months that are plain numbers, as those of dates: a state each, and after December comes January.
fn of_when(name: &str, counted: &[(f64, usize)], settings: &DataSettings) -> Option<(String, Proposal)> {
    let values: Vec<f64> = counted.iter().map(|&(value, _)| value).collect();
    let unit = when::unit_of(name, &values).filter(|_| values.len() <= settings.few_categories())?;
    let states = values.iter().map(|&value| number::write(value)).collect();
    let count = values.len();
    let proposal = Proposal::ordered(states, StateRule::Numbers(values));
    Some(match unit {
        Unit::Year => (format!("{count} years, each a state"), proposal),
        Unit::Month => {
            let reason = format!("{count} months, each a state, in a circle");
            (reason, Proposal { scale: Scale::Circular, ..proposal })
        }
    })
}

fn numeric(
    name: &str,
    numbers: &Numbers<'_>,
    declared: Option<ColumnType>,
    settings: &DataSettings,
) -> (Kind, String, Proposal, Vec<Warning>) {
    let mut warnings: Vec<Warning> = marks::codes(name, numbers).into_iter().collect();
    let bins = *settings.bins.of(name);
    if let Some(at) = settings.cuts.get(name) {
        let cuts = bins::given_cuts(numbers, at);
        let (first, last) = (at[0], at[at.len() - 1]);
        if numbers.low >= first {
            warnings.push(Warning::new(
                NoticeKind::Column,
                format!("no value below the cut at {}", number::write(first)),
            ));
        }
        if numbers.high < last {
            warnings.push(Warning::new(
                NoticeKind::Column,
                format!("no value from the cut at {} on", number::write(last)),
            ));
        }
        let states = cuts.labels(&Extent { exact: true, ..numbers.extent(None) });
        let reason = format!("cut into {} states as asked", states.len());
        return (Kind::Numeric, reason, Proposal::ordered(states, StateRule::Cuts(cuts)), warnings);
    }
    if let Recorded::Counted(counted) = &numbers.values {
        let unasked = declared.is_none() && !settings.cuts_numbers_of(name) && bins == DEFAULT_BINS;
        if let Some(found) = unasked.then(|| of_when(name, counted, settings)).flatten() {
            let (reason, proposal) = found;
            return (Kind::Ordered, reason, proposal, warnings);
        }
        let ordered = declared == Some(ColumnType::Ordered);
        let most = if ordered { settings.few_categories() } else { bins };
        if counted.len() <= most {
            let values: Vec<f64> = counted.iter().map(|&(value, _)| value).collect();
            let states = values.iter().map(|&value| number::write(value)).collect();
            let reason = format!("{} different numbers, each a state", values.len());
            return (Kind::Ordered, reason, Proposal::ordered(states, StateRule::Numbers(values)), warnings);
        }
        let numeric = declared == Some(ColumnType::Numeric);
        let asked = numeric || settings.cuts_numbers_of(name) || bins < DEFAULT_BINS;
        if !ordered
            && !asked
            && settings.cutting() != Discretize::Width
            && let Some((states, rule)) = bins::each_value(numbers, bins)
        {
            let reason = match states.len() < counted.len() {
                true => format!("{} different numbers, the rare ones joined with others", counted.len()),
                false => format!("{} different numbers, each a state", counted.len()),
            };
            return (Kind::Ordered, reason, Proposal::ordered(states, rule), warnings);
        }
        if ordered {
            let text = format!(
                "declared ordered, but it has {} different numbers, more than {most}: cut into {bins} states",
                grouped(counted.len())
            );
            warnings.push(Warning::new(NoticeKind::Column, text));
        }
    }
    let spike = numbers.spike(bins).filter(|_| settings.cutting() != Discretize::Width);
    let cuts = match settings.cutting() {
        Discretize::Quantile | Discretize::Mdl => bins::quantile_cuts(numbers, bins, spike),
        Discretize::Width => bins::width_cuts(numbers, bins),
    };
    let exact = settings.cutting() == Discretize::Width;
    let states = cuts.labels(&Extent { exact, ..numbers.extent(spike) });
    let reason = match (spike, settings.cutting()) {
        (_, Discretize::Width) => format!("cut into {} states of equal width", states.len()),
        (None, _) => format!("cut into {} states of similar counts", states.len()),
        (Some(value), _) => {
            let (value, rest) = (number::write(value), states.len() - 1);
            format!(
                "'{value}' so often that it is a state of its own, the rest cut into {}",
                counted(rest, "state")
            )
        }
    };
    (Kind::Numeric, reason, Proposal::ordered(states, StateRule::Cuts(cuts)), warnings)
}

/// The levels that were listed, then those that were not: numbers by value, then texts by name. In a column of numbers that are no mere names
/// a number is the level of its value however it is written, as `2500.0` is the level 2500.
fn listed(
    column: &Column,
    content: &Content<'_>,
    mut levels: Vec<String>,
    scale: Scale,
) -> Result<(String, Proposal, Vec<Warning>), Error> {
    let counts = match &content.values {
        Values::Texts { counts, .. } => counts.as_slice(),
        _ => &[],
    };
    let number = |text: &str, comma| match number::read(text.as_bytes(), comma) {
        number::Numeral::Finite(value) => Some(value),
        _ => None,
    };
    let mut values: Vec<f64> =
        levels.iter().filter_map(|level| number(level, number::DecimalComma(false))).collect();
    values.sort_by(f64::total_cmp);
    let by_value = scale == Scale::Ordered
        && !values.is_empty()
        && values.windows(2).all(|pair| pair[0] != pair[1])
        && counts.iter().all(|(text, _)| number(text, column.comma()).is_some());
    let plain = |text: &str| number(text, column.comma()).filter(|_| by_value).map(number::write);
    let is_level = |level: &str, text: &str| {
        let value = number(level, number::DecimalComma(false));
        is_level(level, text) || by_value && value.is_some() && value == number(text, column.comma())
    };
    let known = levels.len();
    let mut rest: Vec<String> = counts
        .iter()
        .filter(|(text, _)| !levels.iter().any(|level| is_level(level, text)))
        .map(|&(text, _)| plain(text).unwrap_or_else(|| text.to_string()))
        .collect();
    if rest.len() + known > MOST_LEVELS {
        let (column, unlisted) = (column.name.clone(), rest.len());
        let problem = Problem::TooManyLevels { column, listed: known, unlisted, limit: MOST_LEVELS };
        return Err(option_problem(problem));
    }
    let value = |text: &str| match number(text, number::DecimalComma(false)) {
        Some(value) => (false, value),
        None => (true, 0.0),
    };
    rest.sort_by(|a, b| {
        let (a_value, b_value) = (value(a), value(b));
        a_value.0.cmp(&b_value.0).then(a_value.1.total_cmp(&b_value.1)).then_with(|| a.cmp(b))
    });
    rest.dedup();
    let unlisted = (!rest.is_empty()).then(|| {
        let named = quoted(&rest, 6);
        Warning::new(NoticeKind::Column, format!("not among the levels listed, and put after them: {named}"))
    });
    let empty: Vec<&String> =
        levels.iter().filter(|level| !counts.iter().any(|(text, _)| is_level(level, text))).collect();
    let empty = (!empty.is_empty()).then(|| {
        let named = quoted(&empty, 6);
        Warning::new(NoticeKind::Column, format!("no row has the level {named}: a state without a case"))
    });
    let reason = match rest.len() {
        0 => format!("{known} levels as listed"),
        more => format!("{known} levels as listed, and {more} more after them"),
    };
    levels.extend(rest);
    let rule = StateRule::Levels { levels: levels.clone(), other: false, by_value };
    Ok((
        reason,
        Proposal { part: None, states: levels, scale, rule },
        unlisted.into_iter().chain(empty).collect(),
    ))
}

/// Whether a text is a level, or a truth value that the level writes otherwise.
fn is_level(level: &str, text: &str) -> bool {
    level == text || as_truth(text.as_bytes()).is_some() && level.eq_ignore_ascii_case(text)
}

/// The most levels that a listed column may have.
const MOST_LEVELS: usize = 250;

/// Categories by frequency, the least frequent first (ties: name order); beyond the limit the rarest share `other`.
/// How many categories, of which the most frequent come first, are a state of their own.
///
/// Where nobody says, a few are, however rare, and of many those that have rows enough to be told apart: a diagnosis with sixty values says less with forty of
/// them under one name. One that would be alone under it keeps its own.
fn states_of_their_own(counts: &[(&str, usize)], rows: usize, most: Option<usize>) -> usize {
    let all = counts.len();
    let named = most.map(|most| most - 1).unwrap_or_else(|| {
        let least = LEAST_ROWS_OF_A_STATE.max(rows / MOST_STATES_BY_SHARE);
        counts.iter().take_while(|&&(_, count)| count >= least).count().clamp(FEW_STATES - 1, MANY_STATES - 1)
    });
    if named + 1 >= all { all } else { named }
}

/// So many it never exceeds, unless somebody says otherwise.
const MANY_STATES: usize = 64;
/// Beyond the few a state has so many rows, and no fewer than this part of all.
const LEAST_ROWS_OF_A_STATE: usize = 20;
const MOST_STATES_BY_SHARE: usize = 1000;

fn categories(
    mut counts: Vec<(&str, usize)>,
    most: Option<usize>,
    by_value: bool,
) -> (String, Proposal, Option<Warning>) {
    let all = counts.len();
    let rows: usize = counts.iter().map(|&(_, count)| count).sum();
    counts.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(b.0)));
    let keep = states_of_their_own(&counts, rows, most);
    let fold = keep < all;
    // Also a name that is folded away must not be taken for what it shares.
    let taken: Vec<String> = counts.iter().map(|&(name, _)| name.to_string()).filter(|_| fold).collect();
    counts.truncate(keep);
    counts.sort_by(|a, b| a.1.cmp(&b.1).then_with(|| a.0.cmp(b.0)));
    let kept: usize = counts.iter().map(|&(_, count)| count).sum();
    let levels: Vec<String> = counts.into_iter().map(|(level, _)| level.to_string()).collect();
    let mut states = levels.clone();
    if fold {
        states.insert(0, unused("other", &taken));
    }
    let warning = fold.then(|| {
        let text = format!(
            "{} categories: the {} most frequent are kept, the others ({} of the rows) share the state '{}', which is never predicted",
            grouped(all),
            levels.len(),
            percent((rows - kept) as f64 / rows.max(1) as f64),
            states[0]
        );
        Warning { figure: grouped(all), ..Warning::new(NoticeKind::Folded, text) }
    });
    let reason = match fold {
        true => format!("{} categories, all but {} share '{}'", grouped(all), levels.len(), states[0]),
        false => format!("{all} categories"),
    };
    let rule = StateRule::Levels { levels, other: fold, by_value };
    (reason, Proposal { part: None, states, scale: Scale::Nominal, rule }, warning)
}
