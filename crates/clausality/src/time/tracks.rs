//! The series of a table that a network over time is asked about: which row stands at which step, and when the steps to come are.

use super::Step;
use super::step::{Span, mostly};
use crate::Error;
use crate::data::{Sequence, Stamp};
use crate::error::{Advice, Place};
use crate::names::{closest, meant};
use crate::words::{counted, grouped, quoted};

/// All series of a table.
#[derive(Debug, Clone)]
pub struct Tracks {
    sequence: Sequence,
    span: Span,
    /// By entity, in the order of their names, or of their numbers where all are numbers.
    pub tracks: Vec<Track>,
    /// What deserves to be said of the rows.
    pub notices: Vec<String>,
}

/// One series: its rows by step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Track {
    /// Whose it is: nothing where all rows are of one series.
    pub entity: String,
    /// Step, counted from 0, and row; steps without a row are left out.
    pub rows: Vec<(usize, usize)>,
    last: Stamp,
}

impl Track {
    /// How many steps it has, those without a row counted.
    pub fn steps(&self) -> usize {
        self.rows.last().map_or(0, |&(step, _)| step + 1)
    }
}

/// Series that are named where one is asked for that is not there.
const NAMED: usize = 5;
/// One step in so many that is missing is worth a word.
const MANY_MISSING: usize = 10;

/// More missing steps between two rows than this are a mistake in the stamps or in the step.
const MOST_MISSING: i64 = 1_000_000;

impl Tracks {
    /// Follows the series of a table from row to row.
    ///
    /// # Errors
    /// Rows that are no whole number of steps apart; stamps that lie too far from each other.
    pub fn new(sequence: Sequence, step: Step) -> Result<Self, Error> {
        let ordered = sequence.ordered();
        // A single row says when now is, and that is all that is needed where the step is known.
        let span = Span::of(&sequence, &ordered, step)?;
        let mut tracks = Vec::new();
        for series in ordered.chunk_by(|&a, &b| sequence.owners[a as usize] == sequence.owners[b as usize]) {
            let places = span.places(&sequence, series)?;
            for (pair, places) in series.windows(2).zip(places.windows(2)) {
                let passed = places[1] - places[0];
                if passed > MOST_MISSING {
                    let (place, at) = sequence.locate(pair[1] as usize);
                    let before = sequence.place(pair[0] as usize);
                    let message = format!(
                        "{at}{passed} steps of {span} lie between this row and {before}: give another step"
                    );
                    return Err(Error::Series { place, message, advice: vec![Advice::new("step", "STEP")] });
                }
            }
            let rows =
                places.iter().zip(series).map(|(&place, &row)| (place as usize, row as usize)).collect();
            let entity = sequence.entities[sequence.owners[series[0] as usize] as usize].clone();
            let last = sequence.stamps[series[series.len() - 1] as usize];
            tracks.push(Track { entity, rows, last });
        }
        let number = |track: &Track| track.entity.parse::<f64>().ok().filter(|number| number.is_finite());
        if tracks.iter().all(|track| number(track).is_some()) {
            tracks.sort_by(|a, b| number(a).partial_cmp(&number(b)).unwrap_or(std::cmp::Ordering::Equal));
        }
        let mut found = Tracks { sequence, span, tracks, notices: Vec::new() };
        found.notices.extend(found.missing(&ordered));
        Ok(found)
    }

    /// That weekends are steps without a row, or that many others are, and what the rows are apart themselves.
    fn missing(&self, ordered: &[u32]) -> Option<String> {
        let steps: usize = self.tracks.iter().map(Track::steps).sum();
        let missing = steps - self.tracks.iter().map(|track| track.rows.len()).sum::<usize>();
        if self.span.weekends(&self.sequence, ordered).is_some_and(|days| days >= 2 && mostly(days, missing))
        {
            let rests = "no row is on a Saturday or Sunday, but every day is a step here, and is forecast: learn from rows as they come to leave them out";
            return Some(rests.into());
        }
        if missing == 0 || missing * MANY_MISSING < steps {
            return None;
        }
        let own = Span::of(&self.sequence, ordered, Step::Auto).ok().map(|own| own.to_string());
        let span = self.span.to_string();
        let apart = own.filter(|own| *own != span).map_or(String::new(), |own| {
            format!(": its rows are {own} apart, the steps of the network are {span}")
        });
        let (missing, steps) = (grouped(missing), counted(steps, "step"));
        Some(format!("{missing} of {steps} have no row{apart}"))
    }

    /// Whether stamps to come are what clocks on the wall show, whatever their offset from UTC will be then.
    pub fn by_wall(&self) -> bool {
        self.span.by_wall()
    }

    /// The column with the stamps, and that with the entities.
    pub fn columns(&self) -> (&str, Option<&str>) {
        (&self.sequence.time, self.sequence.entity.as_deref())
    }

    /// The series of an entity.
    ///
    /// # Errors
    /// No such entity, or none named where there are several.
    pub fn of(&self, entity: Option<&str>) -> Result<&Track, Error> {
        let names = || self.tracks.iter().map(|track| track.entity.as_str());
        match entity {
            None if self.tracks.len() == 1 => Ok(&self.tracks[0]),
            None => Err(Error::Series {
                place: Place::file(&self.sequence.table),
                message: format!("there are {} series: say which is meant", self.tracks.len()),
                advice: vec![Advice::new("entity", self.tracks[0].entity.as_str())],
            }),
            Some(name) => self.tracks.iter().find(|track| track.entity == name).ok_or_else(|| {
                let near = match closest(name, names()) {
                    Some(near) => meant(Some(near)),
                    None => format!(": there are {}", quoted(&names().collect::<Vec<_>>(), NAMED)),
                };
                Error::TooLittleData(format!("{}: there is no series of '{name}'{near}", self.sequence.table))
            }),
        }
    }

    /// When the last row of a series is.
    pub fn now(&self, track: &Track) -> String {
        self.sequence.text(track.last)
    }

    /// When it is so many steps after the last row of a series, as its table would say it; where only the order of rows is known, the
    /// number of steps with a plus.
    pub fn later(&self, track: &Track, steps: usize) -> String {
        let stamp = self.span.after(track.last, steps as i64);
        stamp.map_or_else(|| format!("+{steps}"), |stamp| self.sequence.text(stamp))
    }
}
