//! Rows in the order of time: series, their steps and holes, and the windows that a network over time is learned from.
//!
//! For processes `X`, statics `S` and `L` lags, every stretch of L + 1 consecutive steps of an entity is a row:
//!
//! ```text
//! S | X@-L … X@-1 | X          all rows coded alike; only the columns of now are ever targets
//! ```
//!
//! Rows are put in order by entity and stamp, so neither the order of rows nor that of entities in a file leaves a trace.
//!
//! ```
//! use clausality::data::{self, Bounds, DataSettings, Input};
//! use clausality::time::{TimeSettings, Timeline};
//!
//! let day = |k: u32| format!("{k},{},{}\n", k % 3, k % 5);
//! let csv = "day,rain,sales\n".to_string() + &(0..100).filter(|k| *k != 40).map(day).collect::<String>();
//! let settings = DataSettings { time: Some("day".into()), ..DataSettings::default() };
//! let table = data::read(Input::csv(csv.as_bytes(), "shop.csv"), &settings, &Bounds::default())?;
//! let timeline = Timeline::new(&table, &TimeSettings::default())?;
//! assert_eq!((timeline.course.step.as_str(), timeline.course.holes), ("1", 1));
//! let windows = timeline.windows(&table, 2)?;
//! assert_eq!(windows.dataset.table.rows(), 38 + 57); // forty days and fifty-nine, less two at the start of each
//! # Ok::<(), clausality::Error>(())
//! ```

mod ahead;
mod lagged;
mod runs;
mod settings;
mod step;
mod tracks;
mod trend;
mod windows;

pub(crate) use ahead::season;
pub use ahead::{Ahead, AheadOf, Said};
pub(crate) use lagged::idle;
pub use lagged::over_windows;
pub use runs::Runs;
pub use settings::{Holes, Lags, MOST_LAGS, Statics, Step, TimeSettings, Unit, Within};
pub use tracks::{Track, Tracks};
pub use trend::Trend;
pub(crate) use trend::trends;
pub(crate) use windows::Coded;
pub use windows::Windows;

use crate::Error;
use crate::data::{Clock, Dataset, DateOrder, Notice, Sequence};
use crate::error::Advice;
use crate::names::{closest, meant};
use crate::words::{counted, grouped, quoted};
use serde::{Deserialize, Serialize};
use step::{Span, mostly};

/// The series of a table, cut where steps are missing.
#[derive(Debug, Clone, PartialEq)]
pub struct Timeline {
    /// What there is to tell.
    pub course: Course,
    /// Stretches of consecutive steps, by entity and time.
    pub stretches: Vec<Stretch>,
    /// What fills a step that is missing, if it is kept.
    holes: Holes,
}

/// Consecutive steps of one entity.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stretch {
    /// Whose: a place among the entities.
    pub owner: u32,
    /// Whether the series begins with it.
    pub first: bool,
    /// The row of every step; none where the step is missing and has a state of its own.
    pub rows: Vec<Option<u32>>,
}

impl Stretch {
    /// How many steps it has.
    pub(crate) fn steps(&self) -> usize {
        self.rows.len()
    }
}

/// What there is to tell of the series of a table.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Course {
    /// The column with the stamps.
    pub time: String,
    /// The column with the entities, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub entity: Option<String>,
    /// Of stamps that are dates, how they are written, as a type of the column says it: `date`, `date:dmy` or `date:mdy`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dates: Option<String>,
    /// What lies between two steps.
    pub step: String,
    /// How many series there are.
    pub series: usize,
    /// Of these, how many have one row only.
    pub single: usize,
    /// The rows of the table.
    pub rows: usize,
    /// The steps of the longest series, those missing counted.
    pub longest: usize,
    /// The first stamp and the last.
    pub from: String,
    /// See `from`.
    pub to: String,
    /// Steps that are missing.
    pub holes: usize,
    /// Stretches of missing steps.
    pub gaps: usize,
    /// Of the steps that are missing, Saturdays and Sundays, where no row is on one and most of what is missing is.
    #[serde(default, skip_serializing_if = "is_none")]
    pub weekends: usize,
    /// What is done about them.
    pub treated: String,
    /// Columns with one value for a whole series.
    pub statics: Vec<String>,
    /// The steps that a column may look back, once that is settled.
    #[serde(default)]
    pub lags: usize,
    /// The windows that were learned from.
    #[serde(default)]
    pub windows: usize,
    /// How well each depth told the last fifth of time, where the depth was chosen by that.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub depths: Vec<Depth>,
    /// How many arcs come from so many steps ago, from 0: the same step.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub arcs: Vec<usize>,
    /// How many come from columns with one value for a whole series.
    #[serde(default, skip_serializing_if = "is_none")]
    pub static_arcs: usize,
    /// How forecasts of one step did on the last fifth of time, where there is enough to judge by.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ahead: Option<Ahead>,
    /// Columns that nothing but their own past explains.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub own_past: Vec<String>,
    /// Columns whose states of the last fifth of time hardly occur before it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub trends: Vec<Trend>,
    /// Whether the first steps were learned from the first steps of entities; else they are those of any time.
    #[serde(default)]
    pub start_learned: bool,
}

fn is_none(count: &usize) -> bool {
    *count == 0
}

/// How well a depth of lags told the last fifth of time.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Depth {
    /// The lags.
    pub lags: usize,
    /// What a step was worth in nats, less is better.
    pub log_loss: f64,
}

impl Timeline {
    /// The series of a table that says when its rows are.
    ///
    /// # Errors
    /// A step that rows do not keep; a static column that is none; no series with a second step.
    pub fn new(dataset: &Dataset, settings: &TimeSettings) -> Result<Self, Error> {
        let Some(sequence) = &dataset.sequence else {
            let expected = "named: which column puts the rows in order?";
            return Err(Error::Setting { name: "time", value: "not given".into(), expected });
        };
        let ordered = sequence.ordered();
        let span = Span::of(sequence, &ordered, settings.step.unwrap_or_default())?;
        let holes = settings.holes.unwrap_or_default();
        let mut timeline =
            Timeline { course: told(sequence, &ordered, dataset, settings)?, stretches: Vec::new(), holes };
        timeline.course.step = span.to_string();
        for series in ordered.chunk_by(|&a, &b| sequence.owners[a as usize] == sequence.owners[b as usize]) {
            timeline.follow(sequence, span, series)?;
        }
        // Weekends, and holidays beside them, where work rests.
        timeline.course.weekends =
            span.weekends(sequence, &ordered).filter(|&off| mostly(off, timeline.course.holes)).unwrap_or(0);
        Ok(timeline)
    }

    /// Adds a series, row by row.
    fn follow(&mut self, sequence: &Sequence, span: Span, series: &[u32]) -> Result<(), Error> {
        let owner = sequence.owners[series[0] as usize];
        self.course.single += usize::from(series.len() == 1);
        let mut stretch = Stretch { owner, first: true, rows: vec![Some(series[0])] };
        let mut length = 1;
        let places = span.places(sequence, series)?;
        for (pair, passed) in series.windows(2).zip(places.windows(2)) {
            let missing = (passed[1] - passed[0]) as usize - 1;
            length += missing + 1;
            if missing > 0 {
                self.course.holes += missing;
                self.course.gaps += 1;
                // A year without rows is no state that anything was in.
                let filled = match self.holes {
                    Holes::Break => 0,
                    Holes::Carry(most) => missing.min(most),
                    Holes::State => missing.min(MOST_STATED),
                };
                let carried = Some(pair[0]).filter(|_| self.holes != Holes::State);
                stretch.rows.extend(std::iter::repeat_n(carried, filled));
                if filled < missing {
                    let next = Stretch { owner, first: false, rows: Vec::new() };
                    self.stretches.push(std::mem::replace(&mut stretch, next));
                }
            }
            stretch.rows.push(Some(pair[1]));
        }
        self.course.longest = self.course.longest.max(length);
        self.stretches.push(stretch);
        Ok(())
    }

    /// The longest stretch of consecutive steps.
    pub fn longest_stretch(&self) -> usize {
        self.stretches.iter().map(|stretch| stretch.rows.len()).max().unwrap_or(0)
    }
}

/// Missing steps in a row that get a state of their own; a longer hole breaks the series.
const MOST_STATED: usize = 1000;

/// Of more columns with a trend one sentence tells.
const MOST_TRENDS: usize = 2;

impl Course {
    /// How dates are written, if stamps are dates: which number is the day, where that had to be told.
    pub fn order(&self) -> Option<Option<DateOrder>> {
        self.dates.as_deref().map(|written| match written {
            "date:dmy" => Some(DateOrder::Dmy),
            "date:mdy" => Some(DateOrder::Mdy),
            _ => None,
        })
    }

    /// What the user should know, in sentences.
    pub fn notices(&self) -> Vec<Notice> {
        let mut told = Vec::new();
        let mut tell = |text: String, advice: Vec<Advice>| {
            told.push(Notice { advice, ..Notice::about_rows(text) });
        };
        if self.holes > 0 && self.weekends > 0 {
            let others = match self.holes - self.weekends {
                0 => String::new(),
                others => format!(" (the other {} lie between Monday and Friday)", grouped(others)),
            };
            let text = format!(
                "{} of {} steps that are missing are Saturdays and Sundays, of which there is no row{others}: take the next row for the next step",
                grouped(self.weekends),
                grouped(self.holes)
            );
            tell(text, vec![Advice::new("step", "rows")]);
        } else if self.holes > 0 {
            let done = match self.treated.as_str() {
                "break" => "no window goes over them".to_string(),
                "state" => "they get a state of their own".to_string(),
                other => format!("the values before them are kept ({other}), longer ones break the series"),
            };
            tell(
                format!(
                    "{} of {} missing in {}: {done}",
                    counted(self.holes, "step"),
                    grouped(self.rows + self.holes),
                    counted(self.gaps, "place")
                ),
                vec![],
            );
        }
        if self.single > 0 {
            let (single, all) = (grouped(self.single), grouped(self.series));
            let (have, say) = if self.single == 1 { ("has", "says") } else { ("have", "say") };
            tell(
                format!("{single} of {all} series {have} one row only and {say} nothing about time"),
                vec![],
            );
        }
        told
    }

    /// The series in a few sentences, as far as they are known.
    pub fn sentences(&self) -> Vec<String> {
        let Course { time, entity, step, series, from, to, longest, .. } = self;
        let of = entity.as_ref().map_or(String::new(), |column| format!(" by '{column}'"));
        let series = format!("{} series{of}", grouped(*series));
        let steps = format!("steps of {step} from {from} to {to}, {} in the longest", grouped(*longest));
        let mut said = vec![format!("Time ('{time}'): {series}, {steps}.")];
        said.push(match self.holes {
            0 => "No step is missing.".into(),
            _ => {
                let rests = match self.weekends {
                    0 => String::new(),
                    all if all == self.holes => ", all of them Saturdays and Sundays".into(),
                    most => format!(", {} of them Saturdays and Sundays", grouped(most)),
                };
                format!("Missing: {} in {}{rests}.", counted(self.holes, "step"), counted(self.gaps, "place"))
            }
        });
        if !self.statics.is_empty() {
            said.push(format!("One value for a whole series: {}.", quoted(&self.statics, 8)));
        }
        if self.lags > 0 {
            let windows = format!("{} of {} steps", counted(self.windows, "window"), self.lags + 1);
            let tried: Vec<String> =
                self.depths.iter().map(|depth| format!("{} {:.4}", depth.lags, depth.log_loss)).collect();
            let chosen = match tried.is_empty() {
                true => String::new(),
                false => format!(" (nats a step on the last fifth of time, by lags: {})", tried.join(", ")),
            };
            said.push(format!("Looks back {}{chosen}; {windows}.", counted(self.lags, "step")));
        }
        let from = |(lag, arcs): (usize, &usize)| match lag {
            0 => format!("{} within a step", grouped(*arcs)),
            lag => format!("{} from {} ago", grouped(*arcs), counted(lag, "step")),
        };
        let mut from: Vec<String> =
            self.arcs.iter().enumerate().filter(|(_, arcs)| **arcs > 0).map(from).collect();
        if self.static_arcs > 0 {
            from.push(format!("{} from what holds for a whole series", grouped(self.static_arcs)));
        }
        if !from.is_empty() {
            said.push(format!("Arcs: {}.", from.join(", ")));
        }
        if !self.arcs.is_empty() && self.arcs.iter().skip(1).all(|arcs| *arcs == 0) {
            said.push(
                "No arc comes from an earlier step: the past tells nothing about the next step.".into(),
            );
        }
        said.extend(self.ahead.iter().flat_map(Ahead::sentences));
        if !self.own_past.is_empty() {
            said.push(format!("Explained by nothing but its own past: {}.", quoted(&self.own_past, 8)));
        }
        said
    }

    /// What became of it, once it was learned from.
    pub fn findings(&self) -> Vec<Notice> {
        let mut told = Vec::new();
        let mut tell = |text: String| told.push(Notice::about_rows(text));
        if !self.start_learned {
            let why = "too few series to learn how they begin";
            tell(format!("{why}: the first steps are those of any time, as far as their past is known"));
        }
        if self.trends.len() > MOST_TRENDS {
            let advice = vec![Advice::new("type", "NAME=ignore")];
            told.push(Notice { advice, ..Notice::about_rows(Trend::of_many(&self.trends)) });
        } else {
            told.extend(self.trends.iter().map(|trend| Notice {
                advice: vec![Advice::new("type", format!("{}=ignore", trend.name))],
                ..Notice::about_rows(trend.sentence())
            }));
        }
        if let Some((columns, steps)) = self.ahead.as_ref().and_then(|ahead| ahead.seasonal(self.lags)) {
            let columns = quoted(&columns, 8);
            let sees = counted(self.lags, "step");
            let message = format!(
                "\"as last season\" ({} ago) tells {columns} better than the network, which looks back {sees}: let it look back a season",
                counted(steps, "step")
            );
            // A depth that is tried is a network that is learned.
            let lags = if steps <= 12 { Lags::UpTo(steps) } else { Lags::Exactly(steps) };
            told.push(Notice {
                advice: vec![Advice::new("lags", lags.to_string())],
                ..Notice::about_rows(message)
            });
        }
        told
    }
}

/// What can be told before the series are followed.
fn told(
    sequence: &Sequence,
    ordered: &[u32],
    dataset: &Dataset,
    settings: &TimeSettings,
) -> Result<Course, Error> {
    let text =
        |row: Option<u32>| row.map_or(String::new(), |row| sequence.text(sequence.stamps[row as usize]));
    let by_time = |row: &&u32| sequence.stamps[**row as usize].instant;
    Ok(Course {
        time: sequence.time.clone(),
        entity: sequence.entity.clone(),
        dates: matches!(sequence.clock, Clock::Calendar | Clock::Day).then(|| {
            let order = sequence.order.map(|order| if order == DateOrder::Dmy { ":dmy" } else { ":mdy" });
            format!("date{}", order.unwrap_or_default())
        }),
        step: String::new(),
        series: sequence.entities.len(),
        single: 0,
        rows: dataset.rows,
        longest: 0,
        from: text(ordered.iter().min_by_key(by_time).copied()),
        to: text(ordered.iter().max_by_key(by_time).copied()),
        holes: 0,
        gaps: 0,
        weekends: 0,
        treated: settings.holes.unwrap_or_default().to_string(),
        statics: statics(sequence, dataset, settings.statics.as_ref().unwrap_or(&Statics::Auto))?,
        lags: 0,
        windows: 0,
        depths: Vec::new(),
        arcs: Vec::new(),
        static_arcs: 0,
        ahead: None,
        own_past: Vec::new(),
        trends: Vec::new(),
        start_learned: false,
    })
}

/// The variables with one value for a whole series, in the order of the table.
fn statics(sequence: &Sequence, dataset: &Dataset, asked: &Statics) -> Result<Vec<String>, Error> {
    let constant = |column: &String| sequence.constant.contains(column);
    if let Statics::Named(names) = asked {
        for name in names {
            let Some(found) =
                dataset.coding.variables().iter().find(|v| v.column == *name || v.variable.name == *name)
            else {
                let known = dataset.coding.variables().iter().map(|v| v.column.as_str());
                let near = meant(closest(name, known));
                return Err(Error::TooLittleData(format!(
                    "static names '{name}', which is no column in use{near}"
                )));
            };
            if !constant(&found.column) {
                let whose = sequence.entity.as_deref().unwrap_or("series");
                return Err(Error::TooLittleData(format!(
                    "static names '{name}', but it changes within a {whose}: leave it out of static"
                )));
            }
        }
    }
    let wanted = |v: &&crate::data::CodedVariable| match asked {
        Statics::Auto => constant(&v.column),
        Statics::Named(names) => names.contains(&v.column) || names.contains(&v.variable.name),
    };
    Ok(dataset.coding.variables().iter().filter(wanted).map(|v| v.variable.name.clone()).collect())
}

#[cfg(test)]
mod tests;
