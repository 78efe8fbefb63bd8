//! One variable of a coding: which of its states a cell is.

use crate::data::cells::column::{Cells, Column};
use crate::data::cells::date::{self, DateOrder, DatePart};
use crate::data::cells::marks::Marks;
use crate::data::cells::number::{self, DecimalComma, Numeral};
use crate::data::decide::bins::Cuts;
use crate::data::decide::verdict::unused;
use clausality_bn::{MISSING, Variable};
use serde::{Deserialize, Serialize};

/// One variable and where its states come from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CodedVariable {
    /// The column of the file.
    pub column: String,
    /// The variable with its states; the missing state, if it has one, is the last.
    pub variable: Variable,
    /// From a recorded cell to a state.
    pub rule: StateRule,
}

/// From a recorded cell to a state.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum StateRule {
    /// Numbers between cuts.
    Cuts(Cuts),
    /// The nearest of these numbers (ties: the lower), in rising order.
    Numbers(Vec<f64>),
    /// One of these texts, in code order.
    Levels {
        /// The texts.
        levels: Vec<String>,
        /// Whether every other text shares a state, which then comes first.
        other: bool,
        /// Whether a number of another spelling is the level of the same value (`1.0` the level `1`).
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        by_value: bool,
    },
    /// A part of a date that comes round again, of which these values (month, weekday or hour from 0) are states.
    Date {
        /// Month, weekday or hour.
        part: DatePart,
        /// The values that are states, in rising order.
        present: Vec<u8>,
        /// So many values from each of those on share its state.
        #[serde(default = "one", skip_serializing_if = "is_one")]
        width: u8,
        /// Which number of a date is the day, where that had to be known.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        order: Option<DateOrder>,
    },
    /// The periods that a date lies in.
    Periods {
        /// Where each but the first begins: seconds since 1970-01-01 as the clock on the wall shows them.
        starts: Vec<i64>,
        /// Which number of a date is the day, where that had to be known.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        order: Option<DateOrder>,
    },
}

fn one() -> u8 {
    1
}

fn is_one(width: &u8) -> bool {
    *width == 1
}

impl StateRule {
    /// The order of day and month that dates are read in.
    pub(in crate::data) fn order(&self) -> Option<DateOrder> {
        match self {
            StateRule::Date { order, .. } | StateRule::Periods { order, .. } => *order,
            _ => None,
        }
    }
}

/// The codes of one column, and what could not be coded.
pub(in crate::data) struct ColumnCodes {
    pub(in crate::data) codes: Vec<u8>,
    pub(in crate::data) unknown: usize,
    pub(in crate::data) missing: usize,
}

impl CodedVariable {
    /// Gives it a state for what is missing, if it has none: that state.
    pub(crate) fn state_of_missing(&mut self) -> u8 {
        let Variable { states, has_missing_state, .. } = &mut self.variable;
        if !*has_missing_state {
            states.push(unused("missing", states));
            *has_missing_state = true;
        }
        (states.len() - 1) as u8
    }

    /// Codes a column.
    pub(in crate::data) fn codes(&self, column: &Column, marks: &Marks) -> ColumnCodes {
        let gap = self.variable.missing_state().unwrap_or(MISSING);
        let (mut unknown, mut missing) = (0, 0);
        let codes = match (&column.cells, &self.rule) {
            (Cells::Words { words, codes }, _) => {
                let mut meanings = Vec::with_capacity(words.len());
                for (word, count) in words.iter().zip(codes.counts(words.len())) {
                    meanings.push(if column.is_gap(word, marks) {
                        missing += count;
                        gap
                    } else {
                        let state = self.known_state(word, column.comma()).or(self.other());
                        unknown += if state.is_none() { count } else { 0 };
                        missing += if state == Some(gap) { count } else { 0 };
                        state.unwrap_or(MISSING)
                    });
                }
                codes.translate(&meanings)
            }
            // The usual case of many numbers, without a branch per cut.
            (Cells::Numbers { values, .. }, StateRule::Cuts(cuts)) => {
                missing = values.iter().filter(|value| value.is_nan()).count();
                values.iter().map(|value| if value.is_nan() { gap } else { cuts.state(value) }).collect()
            }
            (Cells::Numbers { values, .. }, _) => {
                missing = values.iter().filter(|value| value.is_nan()).count();
                let mut code = |value: f64| {
                    let state = self.number_state(value);
                    unknown += usize::from(state.is_none());
                    state.unwrap_or(MISSING)
                };
                values.iter().map(|value| if value.is_nan() { gap } else { code(value) }).collect()
            }
            (Cells::Nothing, _) => Vec::new(),
        };
        ColumnCodes { codes, unknown, missing }
    }

    /// How many numbers of a column lie beyond all that the cuts were fitted to.
    pub(super) fn beyond(&self, column: &Column, marks: &Marks) -> usize {
        let StateRule::Cuts(cuts) = &self.rule else { return 0 };
        match &column.cells {
            Cells::Words { words, codes } => {
                let is_beyond = |word: &[u8]| {
                    let number = number::read_declared(word, column.comma());
                    let is_label = || self.variable.states.iter().any(|state| state.as_bytes() == word);
                    matches!(number, Numeral::Finite(value) if cuts.is_beyond(value))
                        && !column.is_gap(word, marks)
                        && !is_label()
                };
                let counts = words.iter().zip(codes.counts(words.len()));
                counts.filter(|(word, _)| is_beyond(word)).map(|(_, count)| count).sum()
            }
            Cells::Numbers { values, .. } => values.iter().filter(|&value| cuts.is_beyond(value)).count(),
            Cells::Nothing => 0,
        }
    }

    /// The state of a recorded text, if it is a label or the rule knows it.
    pub(super) fn known_state(&self, word: &[u8], comma: DecimalComma) -> Option<u8> {
        let numeral = |read: fn(&[u8], DecimalComma) -> Numeral| match read(word, comma) {
            Numeral::Finite(value) => Some(value),
            _ => None,
        };
        let label = self.variable.states.iter().position(|state| state.as_bytes() == word);
        if let Some(place) = label.or_else(|| truth(&self.variable.states, word)) {
            return Some(place as u8);
        }
        match &self.rule {
            StateRule::Levels { by_value: true, .. } => {
                self.level(word).or_else(|| self.level_of(numeral(number::read)?))
            }
            StateRule::Levels { .. } => self.level(word),
            StateRule::Date { part, present, width, order } => {
                place_of(&(part.of(date::read(word, *order)?) / width * width), present)
            }
            StateRule::Periods { starts, order } => {
                let local = date::read(word, *order).filter(|date| !date.clock)?.local;
                Some(starts.partition_point(|&start| start <= local) as u8)
            }
            StateRule::Cuts(_) | StateRule::Numbers(_) => self.number_state(numeral(number::read_declared)?),
        }
    }

    /// The state of a recorded number, if the rule knows it.
    pub(super) fn number_state(&self, value: f64) -> Option<u8> {
        match &self.rule {
            StateRule::Cuts(cuts) => Some(cuts.state(value)),
            StateRule::Numbers(values) => Some(nearest(values, value)),
            StateRule::Levels { by_value: true, .. } => self.level_of(value).or(self.other()),
            StateRule::Levels { .. } => self.level(number::write(value).as_bytes()).or(self.other()),
            StateRule::Date { .. } | StateRule::Periods { .. } => None,
        }
    }

    pub(super) fn level(&self, word: &[u8]) -> Option<u8> {
        let StateRule::Levels { levels, other, .. } = &self.rule else { return None };
        let place = levels.iter().position(|level| level.as_bytes() == word)?;
        Some((place + usize::from(*other)) as u8)
    }

    /// The level that is a number, however that is written.
    pub(super) fn level_of(&self, value: f64) -> Option<u8> {
        let StateRule::Levels { levels, other, .. } = &self.rule else { return None };
        let is_value =
            |level: &String| number::read(level.as_bytes(), DecimalComma(false)) == Numeral::Finite(value);
        Some((levels.iter().position(is_value)? + usize::from(*other)) as u8)
    }

    pub(crate) fn other(&self) -> Option<u8> {
        matches!(self.rule, StateRule::Levels { other: true, .. }).then_some(0)
    }

    /// How many states the rule can give.
    pub(super) fn rule_states(&self) -> usize {
        match &self.rule {
            StateRule::Cuts(cuts) => cuts.at.len() + 1,
            StateRule::Numbers(values) => values.len(),
            StateRule::Levels { levels, other, .. } => levels.len() + usize::from(*other),
            StateRule::Date { present, .. } => present.len(),
            StateRule::Periods { starts, .. } => starts.len() + 1,
        }
    }

    pub(super) fn is_sound(&self) -> bool {
        let rising = |values: &[f64]| values.windows(2).all(|pair| pair[0] < pair[1]);
        let rule_is_sound = match &self.rule {
            StateRule::Cuts(cuts) => cuts.is_sound(),
            StateRule::Numbers(values) => rising(values) && values.iter().all(|value| value.is_finite()),
            StateRule::Levels { .. } => true,
            StateRule::Date { part, present, width, .. } => {
                *width > 0 && present.iter().all(|&value| part.cycle().is_some_and(|cycle| value < cycle))
            }
            StateRule::Periods { starts, .. } => starts.windows(2).all(|pair| pair[0] < pair[1]),
        };
        let states = self.rule_states() + usize::from(self.variable.has_missing_state);
        rule_is_sound && self.rule_states() > 0 && states == self.variable.cardinality()
    }
}

/// The place of a truth value among states that write it otherwise: `TRUE`, `True` and `true` are the same to whoever asks.
pub(crate) fn truth(states: &[String], word: &[u8]) -> Option<usize> {
    let is_truth = ["true", "false"].iter().any(|truth| word.eq_ignore_ascii_case(truth.as_bytes()));
    let same = |state: &String| state.as_bytes().eq_ignore_ascii_case(word);
    let mut places = (0..states.len()).filter(|&place| same(&states[place]));
    let first = places.next().filter(|_| is_truth)?;
    places.next().is_none().then_some(first)
}

/// What the state of a truth value is called. A frame's have no spelling of their own; pandas writes them to a file as `True`, Arrow and polars
/// as `true`: these are one. `TRUE` is what R and spreadsheets write, whose tables come as files alone, and stays as it is written.
pub(crate) fn as_truth(word: &[u8]) -> Option<&'static str> {
    match word {
        b"true" | b"True" => Some("True"),
        b"false" | b"False" => Some("False"),
        _ => None,
    }
}

pub(super) fn place_of<T: PartialEq>(value: &T, among: &[T]) -> Option<u8> {
    among.iter().position(|other| other == value).map(|place| place as u8)
}

/// The place of the nearest of the rising numbers; the lower of two equally near ones.
fn nearest(values: &[f64], value: f64) -> u8 {
    let above = values.partition_point(|&other| other < value);
    let place = match (above.checked_sub(1), values.get(above)) {
        (None, _) => 0,
        (Some(below), None) => below,
        // Halves, so that no distance is infinite.
        (Some(below), Some(&next)) => {
            if value / 2.0 - values[below] / 2.0 <= next / 2.0 - value / 2.0 {
                below
            } else {
                above
            }
        }
    };
    place as u8
}
