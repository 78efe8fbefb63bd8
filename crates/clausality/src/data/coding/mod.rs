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

use crate::data::cells::column::{Column, Expected};
use crate::data::cells::number::{self, DecimalComma, Numeral};
use crate::data::decide::table::checked_weights;
use crate::data::purpose::Purpose;
use crate::data::read::raw::{EndOfStretch, RawTable};
use crate::data::{Bounds, ByColumn, DataSettings, Input, Problem, Sequence, Stamped, marks_by_column};
use crate::error::{Error, Place};
use crate::names::closest;
use clausality_bn::{MISSING, Schema, Table};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashMap};

mod labels;
mod spoken;
mod texts;
mod variable;

use variable::place_of;
pub use variable::{CodedVariable, StateRule};
pub(crate) use variable::{as_truth, truth};

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
