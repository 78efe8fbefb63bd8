//! What lies between two rows: the step of a table's series, found or given, and where every row stands on it.
//!
//! ```text
//! step      = the most common difference between a row and the next of its entity
//! place(i)  = place(i − 1) + round((t_i − t_{i−1}) / step)          a row may come a quarter of a step early or late
//! ```
//!
//! Where no difference is the most common because rows come early and late, the step is the round one nearest to the median.
//!
//! Days are counted on the wall's clock where every row has the same time of day (a day of 23 hours in March is one), else seconds are
//! counted in UTC. Months are counted where all rows stand on the same day of the month, or on its last.

use super::settings::{Step, UNITS, Unit};
use crate::Error;
use crate::data::{Clock, DAY, Sequence, Stamp, civil, days_since_epoch};
use crate::error::{Advice, Place};
use crate::words::percent;
use std::collections::BTreeMap;
use std::fmt;

/// Beside the most common difference another one that makes up so large a share is a second step.
const SECOND_STEP: f64 = 0.25;

/// A step in a measure in which rows can be counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Span {
    /// How long, in the measure.
    length: i64,
    measure: Measure,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Measure {
    /// The next row is the next step.
    Rows,
    /// Numbers as they are.
    Numbers,
    /// Seconds in UTC.
    Seconds,
    /// Seconds on the wall's clock.
    Local,
    /// Months of the calendar.
    Months,
}

impl Measure {
    fn of(self, stamp: Stamp) -> i64 {
        match self {
            Measure::Months => month(stamp),
            Measure::Local => stamp.local,
            Measure::Rows | Measure::Numbers | Measure::Seconds => stamp.instant,
        }
    }

    /// The measure in which a table's stamps lie evenly.
    fn natural(sequence: &Sequence) -> Self {
        let stamps = &sequence.stamps;
        let all =
            |same: &dyn Fn(&Stamp) -> i64| stamps.windows(2).all(|pair| same(&pair[0]) == same(&pair[1]));
        let day = |stamp: &Stamp| civil(stamp.local.div_euclid(DAY)).2;
        let last = |stamp: &Stamp| civil(stamp.local.div_euclid(DAY) + 1).2 == 1;
        if sequence.clock == Clock::Numbers {
            Measure::Numbers
        } else if !all(&|stamp| stamp.local.rem_euclid(DAY)) {
            Measure::Seconds
        } else if all(&day) || stamps.iter().all(last) {
            Measure::Months
        } else {
            Measure::Local
        }
    }
}

/// Months since the year 0.
fn month(stamp: Stamp) -> i64 {
    let (year, month, _) = civil(stamp.local.div_euclid(DAY));
    year * 12 + month - 1
}

impl Span {
    /// The step that was asked for, or the one that the rows keep.
    pub(super) fn of(sequence: &Sequence, ordered: &[u32], asked: Step) -> Result<Self, Error> {
        let natural = Measure::natural(sequence);
        match asked {
            Step::Rows => Ok(Span { length: 1, measure: Measure::Rows }),
            Step::Auto => Span::found(sequence, ordered, natural),
            Step::Of(count, unit) => {
                let seconds = if natural == Measure::Seconds { Measure::Seconds } else { Measure::Local };
                let (length, measure) = match unit {
                    Unit::One => (1, Measure::Numbers),
                    Unit::Second => (1, seconds),
                    Unit::Minute => (60, seconds),
                    Unit::Hour => (3600, seconds),
                    Unit::Day => (DAY, seconds),
                    Unit::Week => (7 * DAY, seconds),
                    Unit::Month => (1, Measure::Months),
                    Unit::Quarter => (3, Measure::Months),
                    Unit::Year => (12, Measure::Months),
                };
                if (measure == Measure::Numbers) != (sequence.clock == Clock::Numbers) {
                    let expected = match sequence.clock {
                        Clock::Numbers => "a number without a unit: the stamps are numbers",
                        Clock::Calendar | Clock::Years { .. } => {
                            "a number with a unit (1h, 1d, 1mo): the stamps are dates or times"
                        }
                    };
                    return Err(Error::Setting { name: "step", value: asked.to_string(), expected });
                }
                Ok(Span { length: i64::from(count) * length, measure })
            }
        }
    }

    fn found(sequence: &Sequence, ordered: &[u32], measure: Measure) -> Result<Self, Error> {
        let mut counts: BTreeMap<i64, usize> = BTreeMap::new();
        for pair in ordered.windows(2) {
            let [one, two] = [pair[0], pair[1]].map(|row| row as usize);
            if sequence.owners[one] == sequence.owners[two] {
                let length = measure.of(sequence.stamps[two]) - measure.of(sequence.stamps[one]);
                *counts.entry(length).or_default() += 1;
            }
        }
        let all: usize = counts.values().sum();
        if let Some(length) = jittered(&counts, all, measure) {
            return Ok(Span { length, measure });
        }
        let mut ranked: Vec<(usize, i64)> =
            counts.into_iter().map(|(length, count)| (count, length)).collect();
        // The shorter of two that are equally common.
        ranked.sort_by_key(|&(count, length)| (std::cmp::Reverse(count), length));
        let Some(&(most, length)) = ranked.first() else {
            let series = match &sequence.entity {
                Some(column) => format!("every {column} has one row only: "),
                None => String::new(),
            };
            return Err(Error::Series {
                place: Place::file(&sequence.table),
                message: format!(
                    "{series}there is no next step to learn from; name another entity column, or learn without time"
                ),
                advice: vec![],
            });
        };
        let span = Span { length, measure };
        let share = |count: usize| count as f64 / all as f64;
        if let Some(&(second, other)) = ranked.get(1).filter(|(count, _)| share(*count) >= SECOND_STEP) {
            let other = Span { length: other, measure };
            return Err(Error::Series {
                place: Place::file(&sequence.table),
                message: format!(
                    "column '{}' mixes two steps, {span} ({} of the rows) and {other} ({}): learn from them apart, or say which is meant, or \
                     that the next row is the next step",
                    sequence.time,
                    percent(share(most)),
                    percent(share(second)),
                ),
                advice: vec![Advice::new("step", span.to_string()), Advice::new("step", "rows")],
            });
        }
        Ok(span)
    }

    /// How many steps lie between two rows of one entity, the second the later.
    pub(super) fn between(self, sequence: &Sequence, one: usize, two: usize) -> Result<i64, Error> {
        if self.measure == Measure::Rows {
            return Ok(1);
        }
        let passed = self.measure.of(sequence.stamps[two]) - self.measure.of(sequence.stamps[one]);
        let steps = (2 * passed + self.length).div_euclid(2 * self.length);
        let off = (passed - steps * self.length).abs();
        if steps >= 1 && 4 * off <= self.length {
            return Ok(steps);
        }
        let text = |row: usize| sequence.text(sequence.stamps[row]);
        let (place, at) = sequence.locate(two);
        let message = format!(
            "{at}{} and {} ({}){} are no whole number of steps of {self} apart; give another step, or take rows as they come",
            text(two),
            text(one),
            sequence.place(one),
            sequence.whose(sequence.owners[one]),
        );
        Err(Error::Series { place, message, advice: vec![Advice::new("step", "rows")] })
    }
}

impl Span {
    /// When it is so many steps after a stamp; nothing where only the order of rows is known.
    pub(super) fn after(self, stamp: Stamp, steps: i64) -> Option<Stamp> {
        let passed = self.length.checked_mul(steps)?;
        let moved = match self.measure {
            Measure::Rows => return None,
            Measure::Numbers | Measure::Seconds | Measure::Local => passed,
            Measure::Months => {
                let (days, clock) = (stamp.local.div_euclid(DAY), stamp.local.rem_euclid(DAY));
                let (_, _, day) = civil(days);
                let (_, _, next) = civil(days + 1);
                let target = month(stamp).checked_add(passed)?;
                // From the last day of a month to the last of another, else to the same day as far as there is one.
                let days_of = |month: i64| first_day(month + 1) - first_day(month);
                let day = if next == 1 { days_of(target) } else { day.min(days_of(target)) };
                (first_day(target) + day - 1) * DAY + clock - stamp.local
            }
        };
        Some(Stamp { instant: stamp.instant.checked_add(moved)?, local: stamp.local.checked_add(moved)? })
    }
}

impl Span {
    /// Of days: how many Saturdays and Sundays lie between the rows of the series, if no row is on one.
    pub(super) fn weekends(self, sequence: &Sequence, ordered: &[u32]) -> Option<usize> {
        let day = |row: u32| sequence.stamps[row as usize].local.div_euclid(DAY);
        // 1970-01-01 was a Thursday; Monday is 0.
        let rests = |day: i64| (day + 3).rem_euclid(7) >= 5;
        let by_day = matches!(self.measure, Measure::Seconds | Measure::Local) && self.length == DAY;
        if !by_day || ordered.iter().any(|&row| rests(day(row))) {
            return None;
        }
        // Saturdays and Sundays up to a day: 1970-01-05 was a Monday.
        let before = |day: i64| {
            let (weeks, rest) = ((day - 4).div_euclid(7), (day - 4).rem_euclid(7));
            2 * weeks + (rest - 5).max(0)
        };
        let pairs = ordered.windows(2);
        let same = pairs.filter(|p| sequence.owners[p[0] as usize] == sequence.owners[p[1] as usize]);
        Some(same.map(|p| (before(day(p[1])) - before(day(p[0]))) as usize).sum())
    }
}

/// The step of rows that come early and late: no difference is common, most are near the median.
fn jittered(counts: &BTreeMap<i64, usize>, all: usize, measure: Measure) -> Option<i64> {
    if matches!(measure, Measure::Rows | Measure::Months) || all < 10 {
        return None;
    }
    let median = counts
        .iter()
        .scan(0, |seen, (&length, &count)| {
            *seen += count;
            Some((length, *seen))
        })
        .find(|&(_, seen)| 2 * seen >= all)?
        .0;
    let near = |length: i64| 4 * (length - median).abs() <= median;
    let (most, within) = (
        counts.values().copied().max()?,
        counts.iter().filter(|(length, _)| near(**length)).map(|(_, count)| count).sum::<usize>(),
    );
    if 2 * most >= all || 5 * within < 4 * all || counts.keys().filter(|length| near(**length)).count() < 3 {
        return None;
    }
    let seconds = [1, 2, 5, 10, 15, 20, 30].iter().flat_map(|&n| [n, 60 * n]);
    let hours = [1, 2, 3, 4, 6, 8, 12, 24, 168].iter().map(|&n| 3600 * n);
    let numbers = (0..16).flat_map(|power| [1, 2, 5].map(|n| n * 10i64.pow(power)));
    let round = seconds.chain(hours).chain(numbers.filter(|_| measure == Measure::Numbers));
    let round = round.filter(|&round| 20 * (round - median).abs() <= median);
    Some(round.min_by_key(|&round| (round - median).abs()).unwrap_or(median))
}

/// The day, counted from 1970-01-01, with which a month since the year 0 begins.
fn first_day(month: i64) -> i64 {
    days_since_epoch(month.div_euclid(12), month.rem_euclid(12) + 1, 1)
}

impl fmt::Display for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let units: &[(i64, &str)] = match self.measure {
            Measure::Rows => return f.write_str("rows"),
            Measure::Numbers => &[(1, "")],
            Measure::Months => &[(12, "y"), (3, "q"), (1, "mo")],
            Measure::Seconds | Measure::Local => {
                &[(7 * DAY, "w"), (DAY, "d"), (3600, "h"), (60, "min"), (1, "s")]
            }
        };
        debug_assert!(
            units.iter().all(|(_, word)| word.is_empty() || UNITS.iter().any(|(known, _)| known == word))
        );
        let fits = units.iter().find(|(unit, _)| self.length % unit == 0);
        fits.map_or(Ok(()), |(unit, word)| write!(f, "{}{word}", self.length / unit))
    }
}
