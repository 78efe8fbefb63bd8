//! What a column of dates becomes: the parts of the calendar that say something, and the course of time once.
//!
//! ```text
//! month, weekday, hour   if they vary and come round again (the same month in two years, …)
//! year                   if months come round again and the years are few
//! when                   else: the date in periods, of the calendar where few of those fit, or of similar counts
//! ```
//!
//! A part that the others tell is left out: where no month comes twice, the month *is* the course of time, and a date in
//! quarters says no more than year and month do. Where no month has two dates (all on the first, say) their weekdays are an
//! accident of the calendar. Month, weekday and hour are circular: December is as near to January as to November. What is
//! left out is told, with the reason.

use crate::data::cells::date::{self, Date, DateOrder, DatePart, Unit};
use crate::data::coding::StateRule;
use crate::data::decide::verdict::Proposal;
use crate::data::settings::{DataSettings, DateWish};
use crate::words::and;
use clausality_bn::Scale;
use std::collections::{BTreeMap, BTreeSet};

/// The dates of a column, each once with its rows.
#[derive(Debug)]
pub(in crate::data) struct Dates {
    pub(in crate::data) counted: Vec<(Date, usize)>,
    /// Which number is the day, where that had to be known.
    pub(in crate::data) order: Option<DateOrder>,
    /// Two cells that are not written in one way, if there are such.
    pub(in crate::data) ways: Option<(String, String)>,
    /// Cells that may stand for "no date", and their rows.
    pub(in crate::data) never: Vec<(String, usize)>,
}

/// What becomes of them, or why nothing does.
pub(in crate::data) struct Derived {
    pub(in crate::data) reason: String,
    pub(in crate::data) proposals: Vec<Proposal>,
    pub(in crate::data) warnings: Vec<String>,
}

/// As many periods as a person still reads at a glance.
const MOST_PERIODS: usize = 12;
/// Fewer do not show a course.
const FEW_PERIODS: usize = 4;
/// Rows that a period needs on average.
const ROWS_IN_PERIOD: usize = 10;
/// One row in so many, at least, is one that came round again.
const ELSEWHERE: usize = 20;
/// More different hours than this share states.
const MOST_HOURS: usize = 12;
/// So many hours share one then.
const HOURS_TOGETHER: u8 = 4;

/// Decides which parts there are.
pub(in crate::data) fn decide(dates: &Dates, wish: DateWish, settings: &DataSettings) -> Derived {
    let mut found = Derived { reason: String::new(), proposals: Vec::new(), warnings: Vec::new() };
    let mut left_out = Vec::new();
    for part in DatePart::ALL {
        let made =
            if wish.is_open() { dates.useful(part, settings) } else { dates.asked(part, wish, settings) };
        match made {
            Made::Of(proposal) => found.proposals.push(proposal),
            Made::LeftOut(why) if wish.is_open() => left_out.push(format!("{} ({why})", part.word())),
            Made::LeftOut(why) => found.warnings.push(format!("{} left out: {why}", part.word())),
            Made::Nothing => {}
        }
    }
    let words: Vec<&str> = found.proposals.iter().filter_map(|p| p.part).map(DatePart::word).collect();
    let mut reason = match words.as_slice() {
        [] if wish.is_open() => "no part of the dates varies and comes round again".to_string(),
        [] => "none of the parts that were asked for varies".to_string(),
        words => format!("became {}", and(words)),
    };
    found.warnings.extend(dates.ways());
    if !left_out.is_empty() {
        reason.push_str(&format!("; left out: {}", left_out.join(", ")));
    }
    reason.push_str(match dates.order {
        Some(DateOrder::Dmy) => "; read as day, month, year",
        Some(DateOrder::Mdy) => "; read as month, day, year",
        None => "",
    });
    found.reason = reason;
    found
}

/// What becomes of a part.
enum Made {
    Of(Proposal),
    LeftOut(String),
    /// There is nothing of that kind to leave out.
    Nothing,
}

impl Dates {
    /// That dates are written in two ways, if they are.
    pub(in crate::data) fn ways(&self) -> Option<String> {
        let (one, other) = self.ways.as_ref()?;
        Some(format!(
            "its dates are written in different ways, such as '{one}' and '{other}': see that each is read as it is meant"
        ))
    }

    pub(in crate::data) fn is_clock(&self) -> bool {
        self.counted.iter().all(|(date, _)| date.clock)
    }

    fn timed(&self) -> bool {
        self.counted.iter().any(|(date, _)| date.timed)
    }

    fn different<T: Ord>(&self, of: impl Fn(Date) -> T) -> BTreeSet<T> {
        self.counted.iter().map(|&(date, _)| of(date)).collect()
    }

    fn rows(&self) -> usize {
        self.counted.iter().map(|&(_, rows)| rows).sum()
    }

    /// Whether the values of a part occur in several of the cycles that they come round in: one row in twenty, at least, outside the
    /// cycle in which its value is most frequent. A first of January behind a whole year is no second year.
    fn comes_round(&self, part: DatePart) -> bool {
        let cycle = |date: Date| match part {
            DatePart::Weekday => Unit::Week.start(date.local),
            DatePart::Hour => date.days(),
            _ => date.year,
        };
        let mut rows: BTreeMap<(u8, i64), usize> = BTreeMap::new();
        for &(date, count) in &self.counted {
            *rows.entry((part.of(date), cycle(date))).or_default() += count;
        }
        let mut most: BTreeMap<u8, usize> = BTreeMap::new();
        for (&(value, _), &count) in &rows {
            let most = most.entry(value).or_default();
            *most = count.max(*most);
        }
        let again = self.rows() - most.values().sum::<usize>();
        again * ELSEWHERE >= self.rows()
    }

    /// What a part becomes if nobody asks for one in particular.
    fn useful(&self, part: DatePart, settings: &DataSettings) -> Made {
        let clock = self.is_clock();
        match part {
            DatePart::Hour if !self.timed() => Made::Nothing,
            _ if clock && part != DatePart::Hour => Made::Nothing,
            DatePart::Hour if clock => self.circular(part),
            DatePart::Year if self.different(|d| d.year).len() == 1 => Made::LeftOut(self.only(part)),
            DatePart::Year => match self.line() {
                Line::Years => self.year(settings),
                _ => Made::LeftOut(format!("{} tells it", self.line().part().word())),
            },
            DatePart::When => match self.line() {
                Line::Years if self.different(|d| d.month).len() > 1 => {
                    Made::LeftOut("year and month tell it".into())
                }
                Line::Periods(unit) if self.line().part() == DatePart::When => self.periods(unit),
                Line::Counts => self.similar_counts(settings.bins.all, part),
                line => Made::LeftOut(format!("{} tells it", line.part().word())),
            },
            // The course of time in months is the month, in hours the hour.
            _ if self.line().part() == part => self.circular(part),
            _ if self.different(|d| part.of(d)).len() < 2 => Made::LeftOut(self.only(part)),
            DatePart::Weekday if self.monthly() => Made::LeftOut("no month has two dates".into()),
            _ if !self.comes_round(part) => Made::LeftOut(format!(
                "no {} comes twice, {} tells it",
                part.word(),
                self.line().part().word()
            )),
            _ => self.circular(part),
        }
    }

    /// What a part becomes if it is asked for.
    fn asked(&self, part: DatePart, wish: DateWish, settings: &DataSettings) -> Made {
        if !wish.has(part) {
            return Made::Nothing;
        }
        if self.is_clock() && part != DatePart::Hour {
            return Made::LeftOut("the cells are times of day without a date".into());
        }
        match part {
            DatePart::Year if self.different(|d| d.year).len() == 1 => Made::LeftOut(self.only(part)),
            DatePart::Year => self.year(settings),
            DatePart::When => {
                match self.unit(&[Unit::Year, Unit::Quarter, Unit::Month, Unit::Week, Unit::Day, Unit::Hour])
                {
                    Some(unit) => self.periods(unit),
                    None => self.similar_counts(settings.bins.all, part),
                }
            }
            DatePart::Hour if !self.timed() => Made::LeftOut("no time of day is written".into()),
            _ if self.different(|d| part.of(d)).len() < 2 => Made::LeftOut(self.only(part)),
            _ => self.circular(part),
        }
    }

    /// Whether every month has one date at most.
    fn monthly(&self) -> bool {
        self.different(|d| (d.year, d.month)).len() == self.different(Date::days).len()
    }

    /// That a part has one value, and which.
    fn only(&self, part: DatePart) -> String {
        let date = self.counted[0].0;
        match part {
            DatePart::Year => format!("all in {}", date.year),
            DatePart::Weekday => format!("all on {}", part.label(part.of(date), 1)),
            DatePart::Hour => format!("all at {}", part.label(part.of(date), 1)),
            _ => format!("all in {}", part.label(part.of(date), 1)),
        }
    }

    /// What tells the course of time.
    fn line(&self) -> Line {
        if self.comes_round(DatePart::Month) {
            let years = self.different(|d| d.year).len();
            let few = (2..=MOST_PERIODS).contains(&years) && self.rows() >= years * ROWS_IN_PERIOD;
            return if few { Line::Years } else { Line::Counts };
        }
        // A year and a few days have thirteen months, but twelve names of them.
        let months = self.different(|d| d.month).len();
        if months >= FEW_PERIODS && self.rows() >= months * ROWS_IN_PERIOD {
            return Line::Periods(Unit::Month);
        }
        let units = [Unit::Year, Unit::Month, Unit::Week, Unit::Day, Unit::Hour];
        match self.unit(&units[..units.len() - usize::from(!self.timed())]) {
            Some(Unit::Year) => Line::Years,
            Some(unit) => Line::Periods(unit),
            None => Line::Counts,
        }
    }

    /// The coarsest of these units that makes a few periods, else the coarsest of those that make most; none if all make too many or too
    /// thin ones.
    fn unit(&self, units: &[Unit]) -> Option<Unit> {
        let periods = |unit: Unit| self.different(|d| unit.start(d.local)).len();
        let fits = |unit: &Unit| {
            let count = periods(*unit);
            (2..=MOST_PERIODS).contains(&count) && self.rows() >= count * ROWS_IN_PERIOD
        };
        let fitting: Vec<Unit> = units.iter().copied().filter(fits).collect();
        let most = fitting.iter().map(|&unit| periods(unit)).max()?;
        fitting.into_iter().find(|&unit| periods(unit) >= FEW_PERIODS.min(most))
    }

    /// A part that comes round again, one state a value; of many hours a few share one.
    fn circular(&self, part: DatePart) -> Made {
        let values = self.different(|d| part.of(d));
        if values.len() < 2 {
            return Made::LeftOut(self.only(part));
        }
        let many = part == DatePart::Hour && values.len() > MOST_HOURS;
        let width = if many { HOURS_TOGETHER } else { 1 };
        let present: BTreeSet<u8> = values.iter().map(|value| value / width * width).collect();
        let states = present.iter().map(|&value| part.label(value, width)).collect();
        let rule = StateRule::Date { part, present: present.into_iter().collect(), width, order: self.order };
        Made::Of(Proposal { part: Some(part), states, scale: Scale::Circular, rule })
    }

    /// A state for every year, or a few for very many.
    fn year(&self, settings: &DataSettings) -> Made {
        match self.different(|d| d.year).len() {
            years if years <= settings.few_categories() => self.named(DatePart::Year, Unit::Year),
            _ => self.similar_counts(settings.bins.all, DatePart::Year),
        }
    }

    fn periods(&self, unit: Unit) -> Made {
        self.named(DatePart::When, unit)
    }

    /// A state for every period that has a row.
    fn named(&self, part: DatePart, unit: Unit) -> Made {
        let starts: Vec<i64> = self.different(|d| unit.start(d.local)).into_iter().collect();
        let states = starts.iter().map(|&start| unit.label(start)).collect();
        self.ordered(part, states, starts[1..].to_vec())
    }

    fn ordered(&self, part: DatePart, states: Vec<String>, starts: Vec<i64>) -> Made {
        if starts.is_empty() {
            return Made::LeftOut("nearly all dates are the same".into());
        }
        let rule = StateRule::Periods { starts, order: self.order };
        Made::Of(Proposal { part: Some(part), states, scale: Scale::Ordered, rule })
    }

    /// Periods of similar counts that begin where a year, a month or a day does: the coarsest of these of which four, on
    /// average, fit into a period.
    fn similar_counts(&self, bins: usize, part: DatePart) -> Made {
        let units = [Unit::Year, Unit::Month, Unit::Day, Unit::Hour];
        let count = |unit: Unit| self.different(|d| unit.start(d.local)).len();
        let enough = |unit: &Unit| count(*unit) >= 4 * bins;
        // An hour that every day has once says nothing.
        let finest = if count(Unit::Hour) > count(Unit::Day) { Unit::Hour } else { Unit::Day };
        let unit = match part {
            DatePart::Year => Unit::Year,
            _ => units.into_iter().find(enough).unwrap_or(finest),
        };
        let starts: Vec<i64> = self.different(|d| unit.start(d.local)).into_iter().collect();
        // Rows before each start.
        let mut before = vec![0; starts.len() + 1];
        for &(date, rows) in &self.counted {
            let place = starts.partition_point(|&start| start <= date.local);
            before[place] += rows;
        }
        (1..before.len()).for_each(|at| before[at] += before[at - 1]);
        let all = self.rows();
        let nearest = |k: usize| {
            let off = |at: &usize| (before[*at] * bins).abs_diff(all * k);
            (1..starts.len()).min_by_key(off)
        };
        let cuts: BTreeSet<usize> = (1..bins).filter_map(nearest).collect();
        let ends: Vec<usize> = cuts.iter().copied().chain([starts.len()]).collect();
        let begins: Vec<usize> = [0].into_iter().chain(cuts).collect();
        // Years are numbers, and labelled as those are.
        let (until, from) = if unit == Unit::Year { ("<=", ">=") } else { ("until", "from") };
        let label = |(&begin, &end): (&usize, &usize)| {
            let (first, last) = (unit.label(starts[begin]), unit.label(starts[end - 1]));
            match (begin == 0, end == starts.len()) {
                (true, _) => format!("{until} {last}"),
                (_, true) => format!("{from} {first}"),
                _ if begin + 1 == end => first,
                _ => format!("{first} to {last}"),
            }
        };
        let states = begins.iter().zip(&ends).map(label).collect();
        let later = begins[1..].iter().map(|&begin| starts[begin]).collect();
        self.ordered(part, states, later)
    }
}

/// What tells the course of time.
#[derive(Clone, Copy)]
enum Line {
    /// The calendar year.
    Years,
    /// Shorter stretches of the calendar.
    Periods(Unit),
    /// Stretches of similar counts.
    Counts,
}

impl Line {
    /// The part that it is called by.
    fn part(self) -> DatePart {
        match self {
            Line::Years => DatePart::Year,
            Line::Periods(Unit::Month) => DatePart::Month,
            Line::Periods(Unit::Hour) => DatePart::Hour,
            Line::Periods(_) | Line::Counts => DatePart::When,
        }
    }
}

/// Which order of day and month a column of texts has: the one in which all of them are dates. Of two possible ones neither.
pub(in crate::data) fn order_of(cells: &[(&[u8], usize)]) -> Order {
    let fits = |order| cells.iter().all(|(cell, _)| date::read(cell, order).is_some());
    match (fits(None), fits(Some(DateOrder::Dmy)), fits(Some(DateOrder::Mdy))) {
        (true, ..) => Order::Plain,
        (_, true, true) => Order::Ambiguous,
        (_, true, false) => Order::Known(DateOrder::Dmy),
        (_, false, true) => Order::Known(DateOrder::Mdy),
        _ => Order::NoDates,
    }
}

/// What is known of the order of day and month.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::data) enum Order {
    /// There is nothing to confuse.
    Plain,
    /// Some cell tells it.
    Known(DateOrder),
    /// Nothing tells it.
    Ambiguous,
    /// The texts are no dates.
    NoDates,
}
