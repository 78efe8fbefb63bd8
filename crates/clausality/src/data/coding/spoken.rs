//! Values that no row had, and parts of dates as people say them.

use crate::data::cells::column::{Cells, Column};
use crate::data::cells::date::{self, DatePart};
use crate::data::cells::marks::Marks;
use crate::data::cells::number::{self, DecimalComma, Numeral};
use crate::data::coding::{CodedVariable, Coding, StateRule, place_of};

impl Coding {
    /// The state of a part of a date as a person says it (`14` for the hour from two on, `march`), where the text is neither a label nor a date.
    pub(crate) fn spoken(&self, variable: &str, text: &str) -> Option<u8> {
        let coded = self.variables.iter().find(|coded| coded.variable.name == variable)?;
        let StateRule::Date { part, present, width, .. } = &coded.rule else { return None };
        place_of(&(part.spoken(text)? / width * width), present)
    }

    /// The share of each state of a part of a date that lies in a range (`<`, `<=`, `>` or `>=` an hour, a month or, of periods, a date). A
    /// period that a date cuts is taken in the part of its length that lies there; the first and the last, whose ends nobody knows, in whole.
    pub(crate) fn calendar_shares(&self, variable: &str, sign: &str, bound: &str) -> Option<Vec<f64>> {
        let coded = self.variables.iter().find(|coded| coded.variable.name == variable)?;
        let (less, equal) = (sign.starts_with('<'), sign.ends_with('='));
        let mut shares: Vec<f64> = match &coded.rule {
            StateRule::Date { part: part @ (DatePart::Hour | DatePart::Month), present, width, .. } => {
                let bound = part.spoken(bound)?;
                let inside =
                    |value: u8| if less { value < bound } else { value > bound } || equal && value == bound;
                let share = |&first: &u8| {
                    let all = first..first.saturating_add(*width);
                    all.clone().filter(|&value| inside(value)).count() as f64 / all.len().max(1) as f64
                };
                present.iter().map(share).collect()
            }
            StateRule::Periods { starts, order } => {
                let bound = date::read(bound.as_bytes(), *order).filter(|date| !date.clock)?.local;
                let share = |state: usize| {
                    let from = state.checked_sub(1).map(|before| starts[before]);
                    let below = match (from, starts.get(state)) {
                        (Some(from), _) if bound <= from => 0.0,
                        (_, Some(&to)) if bound >= to => 1.0,
                        (Some(from), Some(&to)) => (bound - from) as f64 / (to - from) as f64,
                        _ => return 1.0,
                    };
                    if less { below } else { 1.0 - below }
                };
                (0..=starts.len()).map(share).collect()
            }
            _ => return None,
        };
        shares.resize(coded.variable.cardinality(), 0.0);
        shares.iter().any(|&share| share > 0.0).then_some(shares)
    }

    /// The share of each state of a part of the calendar that lies from one to another, both of them in it and over the turn of the year, week or day if it
    /// comes first: `Nov` to `Feb`.
    pub(crate) fn round_shares(&self, variable: &str, from: &str, to: &str) -> Option<Vec<f64>> {
        let coded = self.variables.iter().find(|coded| coded.variable.name == variable)?;
        let StateRule::Date { part, present, width, .. } = &coded.rule else { return None };
        let (from, to) = (part.spoken(from)?, part.spoken(to)?);
        let inside = |value: &u8| match from <= to {
            true => (from..=to).contains(value),
            false => *value >= from || *value <= to,
        };
        let share = |&first: &u8| {
            let all = first..first.saturating_add(*width);
            all.clone().filter(inside).count() as f64 / all.len().max(1) as f64
        };
        let mut shares: Vec<f64> = present.iter().map(share).collect();
        shares.resize(coded.variable.cardinality(), 0.0);
        shares.iter().any(|&share| share > 0.0).then_some(shares)
    }

    /// Whether a variable is a part of a date.
    pub fn is_calendar(&self, variable: &str) -> bool {
        let coded = self.variables.iter().find(|coded| coded.variable.name == variable);
        coded.is_some_and(|coded| matches!(coded.rule, StateRule::Date { .. } | StateRule::Periods { .. }))
    }

    /// Whether a text is a number that no row had, and that counts as a state of another number.
    pub(crate) fn is_moved(&self, variable: &str, text: &str) -> bool {
        let coded = self.variables.iter().find(|coded| coded.variable.name == variable);
        coded.is_some_and(|coded| coded.moves_text(text.as_bytes(), DecimalComma(false)))
    }
}

impl CodedVariable {
    /// How many numbers of a column fall into a state of another number.
    pub(super) fn moved(&self, column: &Column, marks: &Marks) -> usize {
        if !matches!(self.rule, StateRule::Cuts(_) | StateRule::Numbers(_)) {
            return 0;
        }
        match &column.cells {
            Cells::Words { words, codes } => {
                let counts = words.iter().zip(codes.counts(words.len()));
                let moves =
                    |word: &[u8]| !column.is_gap(word, marks) && self.moves_text(word, column.comma());
                counts.filter(|(word, _)| moves(word)).map(|(_, count)| count).sum()
            }
            Cells::Numbers { values, .. } => {
                let points = self.points();
                let moves = |value: &f64| !value.is_nan() && self.moves(*value, &points);
                if points.iter().all(Option::is_none) { 0 } else { values.iter().filter(moves).count() }
            }
            Cells::Nothing => 0,
        }
    }

    fn moves_text(&self, word: &[u8], comma: DecimalComma) -> bool {
        let is_label = || self.variable.states.iter().any(|state| state.as_bytes() == word);
        match number::read_declared(word, comma) {
            Numeral::Finite(value) => self.moves(value, &self.points()) && !is_label(),
            _ => false,
        }
    }

    /// Whether a number is not the one that its state stands for, though it lies among those that were seen.
    fn moves(&self, value: f64, points: &[Option<f64>]) -> bool {
        let is_beyond = matches!(&self.rule, StateRule::Cuts(cuts) if cuts.is_beyond(value));
        let state = self.number_state(value).filter(|_| !is_beyond);
        state.and_then(|state| points[usize::from(state)]).is_some_and(|point| point != value)
    }

    /// The number that each state stands for, if it is one.
    fn points(&self) -> Vec<Option<f64>> {
        match &self.rule {
            StateRule::Cuts(_) => self.variable.states.iter().map(|label| label.parse().ok()).collect(),
            StateRule::Numbers(values) => values.iter().copied().map(Some).collect(),
            _ => vec![None; self.variable.states.len()],
        }
    }
}
