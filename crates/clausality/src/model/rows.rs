//! The rows of a table under the states of a network.

use super::Model;
use super::evidence::{has_intervals, listed};
use crate::Error;
use crate::data::{
    Absent, Bounds, ByColumn, Coded, Coding, DataSettings, Input, Problem, any_marks_by_column,
    coded_by_stretch, drawn_evenly,
};
use crate::error::Place;
use crate::names::{closest, meant};
use crate::shards::Gathered;
use crate::words::{counted, grouped, part_of, quoted};
use clausality_bn::{MISSING, Schema, Table, Variable};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use thiserror::Error as ThisError;

/// Rows, and which of their cells could not be used.
#[derive(Debug, Clone, PartialEq)]
pub struct Rows {
    /// What messages call the table.
    pub name: String,
    /// The codes; a cell that holds none of the states is missing.
    pub table: Table,
    /// Cells without a value, by column.
    pub missing: BTreeMap<String, usize>,
    /// Cells with a value that is none of the states, by column.
    pub unknown: BTreeMap<String, usize>,
    /// Cells with a number beyond all that the states were made from, which fall into the outer ones, by column.
    pub beyond: BTreeMap<String, usize>,
    /// Cells with a number that none of the rows had which the network was learned from, between states of one number, by node.
    pub moved: BTreeMap<String, usize>,
    /// Nodes without a column.
    pub absent: Vec<String>,
    /// Columns that are no nodes.
    pub unused: Vec<String>,
    /// What is to be said of the zones of times, by column.
    pub zones: BTreeMap<String, String>,
    /// What the rows weigh, 1 on average; nothing where all count alike.
    pub weights: Option<Vec<f64>>,
    /// The column that weighed rows when the network was learned: here too, or these rows do not have it and each counts once.
    pub weighed_by: Option<String>,
    /// The same rows in the finer states of the model's predictors, one table for each.
    pub fine: Vec<Table>,
}

impl Rows {
    /// What a row weighs.
    pub(super) fn weight(&self, row: usize) -> f64 {
        self.weights.as_ref().map_or(1.0, |weights| weights[row])
    }

    /// The rows for tests and scores, which know no weights: as many equal ones as they are worth, drawn evenly by weight.
    pub fn even(&self) -> Cow<'_, Table> {
        match &self.weights {
            Some(weights) => Cow::Owned(self.table.select_rows(&drawn_evenly(weights))),
            None => Cow::Borrowed(&self.table),
        }
    }

    /// Some of the rows.
    pub fn picked(&self, rows: &[usize]) -> Rows {
        let weights = self.weights.as_ref().map(|weights| rows.iter().map(|&row| weights[row]).collect());
        Rows { weights, ..Rows::of(&self.name, self.table.select_rows(rows)) }
    }
}

/// How a file of rows is written, as far as that is not what the network keeps or what the file shows.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Reading {
    /// Cells that mean "no value", beside the empty cell.
    #[serde(deserialize_with = "any_marks_by_column")]
    pub na: Option<ByColumn<Vec<String>>>,
    /// What stands between cells.
    pub separator: Option<char>,
    /// The column whose numbers weigh the rows; without it that which the network was learned with, where the rows have it.
    pub row_weights: Option<String>,
}

/// What can be wrong with rows for a network.
#[derive(Debug, Clone, PartialEq, ThisError)]
#[non_exhaustive]
pub enum RowsError {
    /// A node without a column.
    #[error("{place}there is no column for node '{node}' of the network{}", meant(.close.as_deref()))]
    NoColumn {
        /// The table.
        place: Place,
        /// The node.
        node: String,
        /// A column whose name is close.
        close: Option<String>,
    },
    /// A header and nothing else.
    #[error("{0}: no data rows: there is nothing below the names of the columns")]
    NoRows(String),
    /// No column of any node.
    #[error("{table}: no column is a node of the network (expected {nodes})")]
    NoNodes {
        /// The table.
        table: String,
        /// Some nodes.
        nodes: String,
    },
    /// Nothing but gaps.
    #[error("{0}: no cell holds a state of the network")]
    NoValue(String),
    /// A column of numbers for a variable whose cut points nobody kept: each would count as missing, and an answer would be about other rows.
    #[error(
        "{table}: column '{column}': no cell holds a state of the network's variable (expected {states}); a network file other than .json keeps no cut \
         points: give the run folder or its network.json"
    )]
    Uncut {
        /// The table.
        table: String,
        /// The column.
        column: String,
        /// Some of the states.
        states: String,
    },
}

impl Reading {
    /// The coding of a network's rows in a file written so: the one it keeps, else by the labels of its states.
    pub fn coding(&self, kept: Option<Coding>, schema: &Schema) -> Coding {
        match kept {
            Some(coding) => coding.reading(self.na.clone(), self.separator),
            None => {
                let na = self.na.clone().unwrap_or_else(|| DataSettings::default().na);
                let by_labels = Coding::of_labels(schema, &na.all);
                let na = ByColumn { all: by_labels.marks().all.clone(), columns: na.columns };
                by_labels.reading(Some(na), self.separator)
            }
        }
    }
}

/// Columns that a line names of several.
const NAMED: usize = 4;

impl Rows {
    /// Rows that are coded already.
    pub fn of(name: &str, table: Table) -> Self {
        Rows {
            name: name.into(),
            table,
            missing: BTreeMap::new(),
            unknown: BTreeMap::new(),
            beyond: BTreeMap::new(),
            moved: BTreeMap::new(),
            absent: Vec::new(),
            unused: Vec::new(),
            zones: BTreeMap::new(),
            weights: None,
            weighed_by: None,
            fine: Vec::new(),
        }
    }

    /// Reads a table with the coding that the network keeps, else by the labels of its states. `absent` says what to do about
    /// nodes without a column; one column at least must be a node's.
    ///
    /// # Errors
    /// Whatever is wrong with the table; [`RowsError::Uncut`].
    pub fn read<'a>(
        model: &Model,
        table: impl Into<Input<'a>>,
        reading: &Reading,
        absent: Absent,
        bounds: &Bounds,
    ) -> Result<Self, Error> {
        DataSettings { separator: reading.separator, ..DataSettings::default() }.check()?;
        let schema = model.network.schema();
        let coding = reading.coding(model.coding()?, schema);
        let predictors = model.predictors()?;
        let fine: Vec<Coding> =
            predictors.iter().map(|p| p.votes.coding().clone().reading(reading.na.clone(), None)).collect();
        let weighed_by = reading.row_weights.as_deref().or(model.weighed_by());
        let mut rows = Rows::coded(&coding, &fine, weighed_by, schema, table.into(), absent, bounds)?;
        if let (Some(column), None) = (&reading.row_weights, &rows.weights) {
            if rows.unused.contains(column) {
                let (name, value) = ("row-weights", format!("'{column}'"));
                let expected = "a column of numbers that are not below 0, nor all 0, without gaps";
                return Err(Error::Setting { name, value, expected });
            }
            let closest = closest(column, rows.unused.iter().map(String::as_str)).map(String::from);
            let (wanted_by, name) = ("row-weights".to_string(), column.clone());
            return Err(Error::table(
                Place::file(&rows.name),
                Problem::UnknownColumn { wanted_by, name, closest },
            ));
        }
        rows.weighed_by = weighed_by.map(str::to_string);
        rows.known(absent)
    }

    /// Reads a table as [`Rows::read`] does, with nodes that have no column, for somebody who needs no more than the codes. Rows are coded a stretch
    /// at a time, so that they take a byte a cell; `check` is told how many bytes there are whenever there are more.
    ///
    /// # Errors
    /// As [`Rows::read`]; what `check` says.
    pub(super) fn only_codes(
        model: &Model,
        table: Input<'_>,
        reading: &Reading,
        bounds: &Bounds,
        check: &dyn Fn(u64) -> Result<(), Error>,
    ) -> Result<Self, Error> {
        DataSettings { separator: reading.separator, ..DataSettings::default() }.check()?;
        let schema = model.network.schema();
        let coding = reading.coding(model.coding()?, schema);
        let mut columns = vec![Vec::new(); schema.len()];
        let mut rows = Rows::of(&table.name(), Table::new(schema.clone(), columns.clone())?);
        coded_by_stretch(table, &coding, Absent::Unknown, bounds, &mut |coded| {
            rows.take_note(&coded);
            let more = coded.table.recoded(schema)?;
            columns.iter_mut().enumerate().for_each(|(v, codes)| codes.extend(more.column(v)));
            check(columns.iter().map(|codes| codes.len() as u64).sum())
        })?;
        rows.table = Table::new(schema.clone(), columns)?;
        rows.absent = absent_from(&rows.table, &rows.missing, &rows.unknown);
        rows.known(Absent::Unknown)
    }

    /// The same, unless they say nothing of the network.
    fn known(self, absent: Absent) -> Result<Self, Error> {
        let (rows, schema) = (self.table.rows(), self.table.schema());
        if rows == 0 {
            return Err(RowsError::NoRows(self.name).into());
        }
        if absent == Absent::Unknown && self.absent.len() == schema.len() {
            let names: Vec<&str> = schema.variables().iter().map(|v| v.name.as_str()).collect();
            return Err(RowsError::NoNodes { nodes: quoted(&names, 6), table: self.name }.into());
        }
        self.refuse_uncut(rows)?;
        Ok(self)
    }

    /// Codes a table under a schema, whatever its cells hold.
    ///
    /// # Errors
    /// Whatever is wrong with the table.
    pub fn code(
        coding: &Coding,
        schema: &Schema,
        table: Input<'_>,
        absent: Absent,
        bounds: &Bounds,
    ) -> Result<Self, Error> {
        Rows::coded(coding, &[], None, schema, table, absent, bounds)
    }

    fn coded(
        coding: &Coding,
        fine: &[Coding],
        weighed_by: Option<&str>,
        schema: &Schema,
        table: Input<'_>,
        absent: Absent,
        bounds: &Bounds,
    ) -> Result<Self, Error> {
        let name = table.name().into_owned();
        let (coded, fine) = coding
            .apply_with(&fine.iter().collect::<Vec<_>>(), weighed_by, table, bounds, absent)
            .map_err(column_for_node)?;
        let Coded { table, unknown, missing, beyond, moved, unused, zones, weights } = coded;
        let table = table.recoded(schema)?;
        let absent = absent_from(&table, &missing, &unknown);
        Ok(Rows {
            name,
            table,
            missing,
            unknown,
            beyond,
            moved,
            absent,
            unused,
            zones,
            weights,
            weighed_by: None,
            fine,
        })
    }

    /// Reads a table as [`Rows::read`] does, a stretch at a time, for somebody who only counts: rows without their codes, and all codes, in memory
    /// or on a disk. Every node must have a column; rows have no weights.
    ///
    /// # Errors
    /// As [`Rows::read`]; a disk that does not take the codes.
    pub(super) fn gathered(
        model: &Model,
        table: Input<'_>,
        reading: &Reading,
        bounds: &Bounds,
    ) -> Result<(Self, Gathered), Error> {
        DataSettings { separator: reading.separator, ..DataSettings::default() }.check()?;
        let schema = model.network.schema();
        let coding = reading.coding(model.coding()?, schema);
        let none = Table::new(schema.clone(), vec![vec![]; schema.len()])?;
        let mut rows = Rows::of(&table.name(), none);
        let mut table = Some(table);
        let gathered = Gathered::read(schema, &mut |see| {
            let Some(table) = table.take() else { return Ok(()) };
            coded_by_stretch(table, &coding, Absent::Refuse, bounds, &mut |coded| {
                rows.take_note(&coded);
                see(Coded { table: coded.table.recoded(schema)?, ..coded })
            })
        });
        let gathered = gathered.map_err(column_for_node)?;
        if gathered.rows() == 0 {
            return Err(RowsError::NoRows(rows.name).into());
        }
        rows.refuse_uncut(gathered.rows())?;
        Ok((rows, gathered))
    }

    /// Takes note of which cells of further rows could not be used.
    fn take_note(&mut self, coded: &Coded) {
        let counts = [
            (&mut self.unknown, &coded.unknown),
            (&mut self.missing, &coded.missing),
            (&mut self.beyond, &coded.beyond),
            (&mut self.moved, &coded.moved),
        ];
        for (sums, counts) in counts {
            counts.iter().for_each(|(column, count)| *sums.entry(column.clone()).or_default() += count);
        }
        self.unused.clone_from(&coded.unused);
        self.zones.extend(coded.zones.clone());
    }

    /// The variable of a column, if no cell of the column in so many rows is a state of it.
    fn strange(&self, column: &str, rows: usize) -> Option<&Variable> {
        let variable = self.table.schema().variable(self.table.schema().index(column)?);
        let gaps = self.missing.get(column).copied().unwrap_or(0);
        (self.unknown.get(column)? + gaps == rows).then_some(variable)
    }

    /// Numbers cannot be told apart by labels of cuts.
    fn refuse_uncut(&self, rows: usize) -> Result<(), RowsError> {
        let uncut = |column: &&String| self.strange(column, rows).is_some_and(has_intervals);
        let refused = |column: &String| {
            let states = self.strange(column, rows).map_or(String::new(), listed);
            RowsError::Uncut { table: self.name.clone(), column: column.clone(), states }
        };
        self.unknown.keys().find(uncut).map_or(Ok(()), |column| Err(refused(column)))
    }

    /// What deserves attention: cells that are no states, gaps where the network knows none, and numbers never seen.
    pub fn notices(&self) -> Vec<String> {
        self.notices_of(self.table.rows())
    }

    /// The same of so many rows.
    pub(super) fn notices_of(&self, rows: usize) -> Vec<String> {
        let schema = self.table.schema();
        let has_no_state =
            |column: &String| schema.index(column).is_some_and(|v| !schema.variable(v).has_missing_state);
        // Of a few such columns each is told by itself.
        let mut strange: BTreeMap<&String, String> = BTreeMap::new();
        for (column, variable) in
            self.unknown.keys().filter_map(|column| Some((column, self.strange(column, rows)?)))
        {
            let states = listed(variable);
            strange.insert(column, format!(
                "column '{column}': no cell holds a state of the network's variable (expected {states}): it counts as missing"
            ));
        }
        let strange = if strange.len() > NAMED { BTreeMap::new() } else { strange };
        let kinds = [
            (&self.unknown, "the cell is no state of the network and counts as missing", false),
            (&self.missing, "there is no value", true),
            (
                &self.beyond,
                "the number lies beyond those that were learned from and counts as the outer state",
                false,
            ),
            (
                &self.moved,
                "the number is none of those that were learned from and counts as the next one",
                false,
            ),
        ];
        let told = kinds.into_iter().filter_map(|(columns, what, gaps)| {
            let columns: Vec<(&String, usize)> = columns
                .iter()
                .filter(|(column, _)| if gaps { has_no_state(column) } else { !strange.contains_key(column) })
                .map(|(column, &rows)| (column, rows))
                .collect();
            of_one_kind(&columns, rows, what)
        });
        let zones = self.zones.iter().map(|(column, told)| format!("column '{column}': {told}"));
        let weighed = self.weighed_by.iter().map(|column| match &self.weights {
            Some(_) => format!("column '{column}' says how much each row counts, as it did when the network was learned"),
            None => format!(
                "the network was learned with the weights in column '{column}', which {}: every row counts once, so that figures over \
                 all rows may differ from its own",
                match self.unused.contains(column) {
                    true => "has gaps here, or cells that are no weights",
                    false => "is not here",
                }
            ),
        });
        let told: Vec<String> = told.chain(zones).chain(weighed).collect();
        strange.into_values().chain(told).collect()
    }

    /// How many rows are left out for want of a cell, and which columns are to blame; nothing if none are.
    pub fn left_out(&self, complete: &[usize]) -> Option<String> {
        let left_out = self.table.rows() - complete.len();
        let gappy = |name: &&String| {
            let column = self.table.schema().index(name).map(|v| self.table.column(v));
            column.is_some_and(|codes| codes.contains(&MISSING))
        };
        let columns: BTreeSet<&String> =
            self.missing.keys().chain(self.unknown.keys()).filter(gappy).collect();
        let columns: Vec<&String> = columns.into_iter().collect();
        (left_out > 0).then(|| {
            format!(
                "{} {} left out for missing cells in {}",
                part_of(left_out, self.table.rows(), "row"),
                if left_out == 1 { "is" } else { "are" },
                quoted(&columns, 8)
            )
        })
    }
}

/// One line for all columns with the same odd cells in some of so many rows, those with most of them first.
fn of_one_kind(columns: &[(&String, usize)], rows: usize, what: &str) -> Option<String> {
    let all = counted(rows, "row");
    if let [(column, rows)] = columns {
        return Some(format!("column '{column}': in {} of {all} {what}", grouped(*rows)));
    }
    let mut sorted = columns.to_vec();
    sorted.sort_by_key(|&(_, rows)| std::cmp::Reverse(rows));
    let named: Vec<String> = sorted
        .iter()
        .take(NAMED)
        .map(|(column, rows)| format!("'{column}' (in {} of {all})", grouped(*rows)))
        .collect();
    let more = match sorted.len().saturating_sub(NAMED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let columns = counted(sorted.len(), "column");
    (!sorted.is_empty()).then(|| format!("in some rows of {columns} {what}: {}{more}", named.join(", ")))
}

/// The variables of a table without a column: one that is there accounts for every cell that became missing.
pub(super) fn absent_from(
    table: &Table,
    missing: &BTreeMap<String, usize>,
    unknown: &BTreeMap<String, usize>,
) -> Vec<String> {
    let schema = table.schema();
    let is_absent = |&v: &usize| {
        let said = missing.contains_key(schema.name(v)) || unknown.contains_key(schema.name(v));
        !said && table.column(v).iter().all(|&code| code == MISSING)
    };
    (0..schema.len()).filter(is_absent).map(|v| schema.name(v).to_string()).collect()
}

/// That some of so many nodes have no column; nothing if all have one.
pub(super) fn without_column(absent: &[impl AsRef<str>], nodes: usize) -> Option<String> {
    let verb = match absent.len() {
        0 => return None,
        1 => "has no column in the table and counts",
        _ => "have no column in the table and count",
    };
    Some(format!("{} {verb} as unknown: {}", part_of(absent.len(), nodes, "node"), quoted(absent, 8)))
}

/// A column that the network needs and the table does not have, said in terms of the network.
fn column_for_node(error: Error) -> Error {
    if let Error::Table { place, problem } = &error
        && let Problem::UnknownColumn { name, closest, .. } = problem.as_ref()
    {
        let (place, node, close) = (place.clone(), name.clone(), closest.clone());
        return RowsError::NoColumn { place, node, close }.into();
    }
    error
}
