//! The fitted coding of a table: how each column's cells become states, kept with the result so that new rows are coded the
//! same way.
//!
//! New rows: numbers and dates beyond the observed range fall into the outer states; a level never seen goes to `other` where the
//! column has it, else it counts as unknown ([`MISSING`]); gaps take the missing state where the column has one. What was
//! unknown is counted per column.
//!
//! A cell that is exactly the label of a state (`> 44`, `other`, `missing`) is that state, before it is read as a value: rows
//! written in labels, as samples of a network are, come back as they went out. For the same reason a variable that was derived
//! from a column (`date month`) is also read from a column of its own name where the file lacks the other.

use crate::data::cells::column::{Cells, Column, Expected, Marks};
use crate::data::cells::date::{self, DateOrder, DatePart};
use crate::data::cells::number::{self, DecimalComma, Numeral};
use crate::data::decide::bins::Cuts;
use crate::data::decide::table::checked_weights;
use crate::data::decide::verdict::unused;
use crate::data::purpose::Purpose;
use crate::data::read::raw::{EndOfStretch, RawTable};
use crate::data::{Bounds, ByColumn, DataSettings, Input, Problem, Sequence, Stamped, marks_by_column};
use crate::error::{Error, Place};
use crate::names::closest;
use clausality_bn::{MISSING, Schema, Table, Variable};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashMap};

mod labels;
mod spoken;
mod texts;

/// How the columns of a file become the variables of a table.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Unchecked", into = "Unchecked")]
pub struct Coding {
    variables: Vec<CodedVariable>,
    na: ByColumn<Vec<String>>,
    /// What stands between the cells of the file to be coded, if that is not to be detected; not kept with the coding.
    separator: Option<char>,
    /// Whether it was said what means "no value" in that file: then that comes before levels, which else are values.
    given: bool,
}

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

/// What to do about a column that the coding needs and a file does not have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Absent {
    /// Refuse the file.
    Refuse,
    /// Every row counts as unknown.
    Unknown,
}

/// New rows under a fitted coding; no row is left out.
#[derive(Debug, Clone, PartialEq)]
pub struct Coded {
    /// The codes.
    pub table: Table,
    /// Cells with a value that the coding does not know and that now count as unknown, by variable.
    pub unknown: BTreeMap<String, usize>,
    /// Cells without a value, by variable.
    pub missing: BTreeMap<String, usize>,
    /// Cells with a number beyond all that the coding was fitted to, which fall into the outer states, by variable.
    pub beyond: BTreeMap<String, usize>,
    /// Cells with a number that none of the rows had which the coding was fitted to, and that counts as a neighbouring state of one number,
    /// by variable.
    pub moved: BTreeMap<String, usize>,
    /// Columns that no variable is made of.
    pub unused: Vec<String>,
    /// What is to be said of the zones of times, by column.
    pub zones: BTreeMap<String, String>,
    /// What the rows weigh, 1 on average; nothing where all count alike.
    pub weights: Option<Vec<f64>>,
}

impl Coding {
    /// A coding of these variables.
    pub(in crate::data) fn new(variables: Vec<CodedVariable>, na: ByColumn<Vec<String>>) -> Self {
        Coding { variables, na, separator: None, given: false }
    }

    /// The same marks for other variables.
    pub(crate) fn of_variables(&self, variables: Vec<CodedVariable>) -> Self {
        Coding { variables, ..self.clone() }
    }

    /// The same coding for a file in which other cells mean "no value", or with a given separator.
    pub fn reading(mut self, na: Option<ByColumn<Vec<String>>>, separator: Option<char>) -> Self {
        self.given = na.is_some();
        self.na = na.unwrap_or(self.na);
        self.separator = separator;
        self
    }

    /// The share of each state of a variable that lies in a range, by the rows that it was fitted to; nothing where that is not known.
    pub(crate) fn shares(&self, variable: &str, sign: &str, bound: f64) -> Option<Vec<f64>> {
        let coded = self.variables.iter().find(|coded| coded.variable.name == variable)?;
        match &coded.rule {
            StateRule::Cuts(cuts) => cuts.shares(sign, bound),
            _ => None,
        }
    }

    /// How many of its numbers are kept of a state, where it was cut from numbers.
    pub(crate) fn known_of(&self, variable: &str, state: usize) -> Option<usize> {
        let coded = self.variables.iter().find(|coded| coded.variable.name == variable)?;
        match &coded.rule {
            StateRule::Cuts(cuts) => Some(cuts.known_of(state)),
            _ => None,
        }
    }

    /// The state that values of a variable share which have none of their own, if it has one.
    pub(crate) fn shared_state(&self, variable: &str) -> Option<&str> {
        let coded = self.variables.iter().find(|coded| coded.variable.name == variable)?;
        let shares = matches!(coded.rule, StateRule::Levels { other: true, .. });
        coded.variable.states.first().filter(|_| shares).map(String::as_str)
    }

    /// The place of the state that rare values of a variable share, if it has one.
    pub fn rest(&self, variable: &str) -> Option<usize> {
        self.variables.iter().find(|coded| coded.variable.name == variable)?.other().map(usize::from)
    }

    /// The variables in table order.
    pub fn variables(&self) -> &[CodedVariable] {
        &self.variables
    }

    /// The cells that mean "no value", beside the empty cell.
    pub fn marks(&self) -> &ByColumn<Vec<String>> {
        &self.na
    }

    /// Whether a cell of a column means "no value"; that of a variable made of numbers also by its value, as `99.0` is 99.
    pub fn is_gap(&self, column: &str, cell: &[u8]) -> bool {
        let of_numbers = |coded: &CodedVariable| {
            let rule = &coded.rule;
            (coded.column == column || coded.variable.name == column)
                && matches!(
                    rule,
                    StateRule::Cuts(_) | StateRule::Numbers(_) | StateRule::Levels { by_value: true, .. }
                )
        };
        let value = match number::read_declared(cell, DecimalComma(true)) {
            value @ Numeral::Finite(_) if self.variables.iter().any(of_numbers) => Some(value),
            _ => None,
        };
        let same = |mark: &[u8]| Some(number::read_declared(mark, DecimalComma(true))) == value;
        let among =
            |marks: &Vec<String>| marks.iter().any(|mark| mark.as_bytes() == cell || same(mark.as_bytes()));
        cell.is_empty() || among(&self.na.all) || self.na.columns.get(column).is_some_and(among)
    }

    /// The schema of every table under this coding.
    pub fn schema(&self) -> Result<Schema, Error> {
        Ok(Schema::new(self.variables.iter().map(|coded| coded.variable.clone()).collect())?)
    }

    /// Codes the rows of another table.
    ///
    /// # Errors
    /// Whatever is wrong with the table; a column that it lacks, if that is to be refused.
    pub fn apply<'a>(
        &self,
        table: impl Into<Input<'a>>,
        bounds: &Bounds,
        absent: Absent,
    ) -> Result<Coded, Error> {
        Ok(self.apply_with(&[], None, table, bounds, absent)?.0)
    }

    /// Codes the rows of another table, and the same rows under other codings of its columns. Where the table has the column `weighed_by`, its numbers weigh the rows;
    /// where they are no weights, nothing does.
    ///
    /// # Errors
    /// As [`Coding::apply`].
    pub fn apply_with<'a>(
        &self,
        others: &[&Coding],
        weighed_by: Option<&str>,
        table: impl Into<Input<'a>>,
        bounds: &Bounds,
        absent: Absent,
    ) -> Result<(Coded, Vec<Table>), Error> {
        let mut expected = self.expected();
        for other in others {
            other.expected().into_iter().for_each(|(name, what)| {
                expected.entry(name).or_insert(what);
            });
        }
        if let Some(column) = weighed_by {
            expected.entry(column).or_insert(Expected::Anything);
        }
        let expect = |name: &str| expected.get(name).cloned().unwrap_or(Expected::Nothing);
        let settings = DataSettings { row_weights: weighed_by.map(String::from), ..self.file() };
        let raw = table.into().read(&settings, bounds, &expect)?;
        let others = others.iter().map(|other| Ok(other.coded(&raw, Absent::Unknown)?.table));
        let coded =
            Coded { weights: checked_weights(&raw, &settings).unwrap_or(None), ..self.coded(&raw, absent)? };
        Ok((coded, others.collect::<Result<_, Error>>()?))
    }

    /// Reads the columns that it needs of a table, a stretch of rows at a time; what nobody took is left.
    pub(in crate::data) fn read_by_stretch(
        &self,
        table: Input<'_>,
        bounds: &Bounds,
        end: EndOfStretch<'_>,
    ) -> Result<RawTable, Error> {
        let expected = self.expected();
        let expect = |name: &str| expected.get(name).cloned().unwrap_or(Expected::Nothing);
        table.read_for(Purpose::default(), &self.file(), bounds, &expect, false, Some(end))
    }

    /// Codes the rows of another table, and says when and whose they are.
    ///
    /// # Errors
    /// As [`Coding::apply`]; no such columns, and what is wrong with the stamps.
    pub fn apply_in_time<'a>(
        &self,
        table: impl Into<Input<'a>>,
        (time, entity): (&str, Option<&str>),
        stamps: Stamped,
        bounds: &Bounds,
        absent: Absent,
    ) -> Result<(Coded, Sequence), Error> {
        let expected = self.expected();
        let expect = |name: &str| match expected.get(name) {
            _ if entity == Some(name) => Expected::Text,
            Some(expected) => expected.clone(),
            None if name == time => match stamps {
                Stamped::Anyhow => Expected::Stamps,
                Stamped::Numbers => Expected::Numbers(None),
                Stamped::Dates(order) => Expected::Dates(order),
            },
            None => Expected::Nothing,
        };
        let settings =
            DataSettings { time: Some(time.to_string()), entity: entity.map(String::from), ..self.file() };
        let raw = table.into().read(&settings, bounds, &expect).map_err(|error| match error {
            // Nobody declared what the network remembers.
            Error::Table { place, problem } => Error::table(
                place,
                match *problem {
                    Problem::WrongKind { column, cell, .. } if column == time => {
                        let kind = if stamps == Stamped::Numbers { "number" } else { "date" };
                        Problem::OtherStamps { column, cell, kind }
                    }
                    other => other,
                },
            ),
            other => other,
        })?;
        for (option, name) in [("time", Some(time)), ("entity", entity)] {
            let Some(name) = name else { continue };
            if !raw.columns.iter().any(|column| column.name == name) {
                let closest = closest(name, raw.columns.iter().map(|column| column.name.as_str()));
                let (wanted_by, name, closest) =
                    (option.to_string(), name.to_string(), closest.map(String::from));
                return Err(raw.refuse(Problem::UnknownColumn { wanted_by, name, closest }));
            }
        }
        let sequence = Sequence::of(&raw, &settings)?.ok_or_else(|| raw.refuse(Problem::NoRows))?;
        Ok((self.coded(&raw, absent)?, sequence))
    }

    /// Whether it says no more than the labels do: then nobody has to keep it.
    pub fn is_by_labels(&self, schema: &Schema) -> bool {
        *self == Coding::of_labels(schema, &[])
    }

    fn file(&self) -> DataSettings {
        let levels = self.variables.iter().filter_map(|coded| match &coded.rule {
            StateRule::Levels { levels, .. } if !self.given => Some((coded.column.clone(), levels.clone())),
            _ => None,
        });
        let (levels, na) = (levels.collect(), self.na.clone());
        DataSettings { na, levels, separator: self.separator, ..DataSettings::default() }
    }

    /// The state of a variable that a person means by a text: a label or a value. A level never seen is not taken for `other`,
    /// nor a number never seen for the nearest of a few, as it may be a slip of the pen.
    pub fn state(&self, variable: &str, text: &str) -> Option<u8> {
        let coded = self.variables.iter().find(|coded| coded.variable.name == variable)?;
        let state = coded.known_state(text.as_bytes(), DecimalComma(false))?;
        let meant = match (&coded.rule, number::read_declared(text.as_bytes(), DecimalComma(false))) {
            (StateRule::Numbers(values), Numeral::Finite(value)) => values[usize::from(state)] == value,
            _ => true,
        };
        meant.then_some(state)
    }

    /// The smallest and the largest number that a variable was fitted to, where a text is a number beyond them.
    pub fn range_passed(&self, variable: &str, text: &str) -> Option<(f64, f64)> {
        let coded = self.variables.iter().find(|coded| coded.variable.name == variable)?;
        let StateRule::Cuts(cuts) = &coded.rule else { return None };
        match number::read_declared(text.as_bytes(), DecimalComma(false)) {
            Numeral::Finite(value) if cuts.is_beyond(value) && coded.variable.code(text).is_none() => {
                cuts.seen
            }
            _ => None,
        }
    }

    /// What is needed of the columns: levels are compared verbatim, dates may look like numbers, and what no variable needs is not kept.
    fn expected(&self) -> HashMap<&str, Expected> {
        let expected = |coded: &CodedVariable| match coded.rule {
            StateRule::Levels { .. } | StateRule::Date { .. } | StateRule::Periods { .. } => Expected::Text,
            _ => Expected::Anything,
        };
        let own = self.variables.iter().map(|coded| (coded.variable.name.as_str(), expected(coded)));
        own.chain(self.variables.iter().map(|coded| (coded.column.as_str(), expected(coded)))).collect()
    }

    pub(in crate::data) fn coded(&self, raw: &RawTable, absent: Absent) -> Result<Coded, Error> {
        let (mut unknown, mut missing) = (BTreeMap::new(), BTreeMap::new());
        let (mut beyond, mut moved) = (BTreeMap::new(), BTreeMap::new());
        let by_name: HashMap<&str, &Column> =
            raw.columns.iter().map(|column| (column.name.as_str(), column)).collect();
        let mut columns = Vec::with_capacity(self.variables.len());
        for wanted in &self.variables {
            let places = [&wanted.column, &wanted.variable.name];
            let Some(column) = places.into_iter().find_map(|name| by_name.get(name.as_str())) else {
                if absent == Absent::Refuse {
                    return Err(self.absent_error(wanted, raw));
                }
                columns.push(vec![MISSING; raw.rows]);
                continue;
            };
            let coded = wanted.codes(column, &raw.marks);
            let counted = [
                (&mut unknown, coded.unknown),
                (&mut missing, coded.missing),
                (&mut beyond, wanted.beyond(column, &raw.marks)),
                (&mut moved, wanted.moved(column, &raw.marks)),
            ];
            for (counts, count) in counted {
                if count > 0 {
                    counts.insert(wanted.variable.name.clone(), count);
                }
            }
            columns.push(coded.codes);
        }
        let used =
            |name: &String| self.variables.iter().any(|v| v.column == *name || v.variable.name == *name);
        let unused =
            raw.columns.iter().map(|column| column.name.clone()).filter(|name| !used(name)).collect();
        let zones = raw.columns.iter().filter(|column| used(&column.name));
        let zones = zones.filter_map(|column| Some((column.name.clone(), column.told_of_zone()?))).collect();
        let table = Table::new(self.schema()?, columns)?;
        Ok(Coded { table, unknown, missing, beyond, moved, unused, zones, weights: None })
    }

    fn absent_error(&self, wanted: &CodedVariable, raw: &RawTable) -> Error {
        let names = raw.columns.iter().map(|column| column.name.as_str());
        let problem = Problem::UnknownColumn {
            wanted_by: "the fitted coding".into(),
            name: wanted.column.clone(),
            closest: closest(&wanted.column, names).map(String::from),
        };
        Error::table(Place::file(&raw.name), problem)
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
    fn beyond(&self, column: &Column, marks: &Marks) -> usize {
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
    fn known_state(&self, word: &[u8], comma: DecimalComma) -> Option<u8> {
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
    fn number_state(&self, value: f64) -> Option<u8> {
        match &self.rule {
            StateRule::Cuts(cuts) => Some(cuts.state(value)),
            StateRule::Numbers(values) => Some(nearest(values, value)),
            StateRule::Levels { by_value: true, .. } => self.level_of(value).or(self.other()),
            StateRule::Levels { .. } => self.level(number::write(value).as_bytes()).or(self.other()),
            StateRule::Date { .. } | StateRule::Periods { .. } => None,
        }
    }

    fn level(&self, word: &[u8]) -> Option<u8> {
        let StateRule::Levels { levels, other, .. } = &self.rule else { return None };
        let place = levels.iter().position(|level| level.as_bytes() == word)?;
        Some((place + usize::from(*other)) as u8)
    }

    /// The level that is a number, however that is written.
    fn level_of(&self, value: f64) -> Option<u8> {
        let StateRule::Levels { levels, other, .. } = &self.rule else { return None };
        let is_value =
            |level: &String| number::read(level.as_bytes(), DecimalComma(false)) == Numeral::Finite(value);
        Some((levels.iter().position(is_value)? + usize::from(*other)) as u8)
    }

    pub(crate) fn other(&self) -> Option<u8> {
        matches!(self.rule, StateRule::Levels { other: true, .. }).then_some(0)
    }

    /// How many states the rule can give.
    fn rule_states(&self) -> usize {
        match &self.rule {
            StateRule::Cuts(cuts) => cuts.at.len() + 1,
            StateRule::Numbers(values) => values.len(),
            StateRule::Levels { levels, other, .. } => levels.len() + usize::from(*other),
            StateRule::Date { present, .. } => present.len(),
            StateRule::Periods { starts, .. } => starts.len() + 1,
        }
    }

    fn is_sound(&self) -> bool {
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

fn place_of<T: PartialEq>(value: &T, among: &[T]) -> Option<u8> {
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

/// A coding as it stands in a file, before it is believed.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Unchecked {
    variables: Vec<CodedVariable>,
    #[serde(deserialize_with = "marks_by_column")]
    na: ByColumn<Vec<String>>,
}

impl TryFrom<Unchecked> for Coding {
    type Error = String;
    fn try_from(unchecked: Unchecked) -> Result<Self, String> {
        if let Some(wrong) = unchecked.variables.iter().find(|coded| !coded.is_sound()) {
            return Err(format!("the coding of variable '{}' does not fit its states", wrong.variable.name));
        }
        let coding = Coding::new(unchecked.variables, unchecked.na);
        coding.schema().map_err(|error| error.to_string())?;
        Ok(coding)
    }
}

impl From<Coding> for Unchecked {
    fn from(coding: Coding) -> Self {
        Unchecked { variables: coding.variables, na: coding.na }
    }
}
