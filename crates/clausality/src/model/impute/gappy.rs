//! The columns of a table with gaps: where their gaps are, what is recorded beside them, and what filling them holds.

use super::{Choice, Fill, Imputing, Written};
use crate::Error;
use crate::data::{CellPlace, CodedVariable, Coding, Sheet, StateRule};
use crate::memory::{Plan, product};
use crate::model::Rows;
use crate::words::counted;
use clausality_bn::{MISSING, Schema};

/// A column of the sheet that the network has, with gaps.
pub(super) struct Gappy<'c> {
    pub(super) node: usize,
    pub(super) column: usize,
    pub(super) coded: &'c CodedVariable,
    pub(super) rows: Vec<usize>,
    /// The recorded cells by state, where somebody asks for them.
    pub(super) recorded: Vec<Vec<CellPlace>>,
    /// A state that no gap is filled with: what rare values share, where none of these could be written.
    pub(super) never: Option<usize>,
}

impl Gappy<'_> {
    /// Whether its states are ranges of numbers.
    pub(super) fn is_cut(&self) -> bool {
        matches!(self.coded.rule, StateRule::Cuts(_))
    }
}

/// What is to be filled, and which gaps stay.
pub(super) struct Gaps<'c> {
    /// The columns with gaps that the network has.
    pub(super) columns: Vec<Gappy<'c>>,
    /// The columns of dates.
    pub(super) dates: Vec<String>,
    /// The gaps of every column of the sheet that is not filled.
    pub(super) lost: Vec<usize>,
}

impl<'c> Gaps<'c> {
    /// Looks for the gaps of a sheet whose rows are coded.
    pub(super) fn of(sheet: &Sheet, rows: &Rows, coding: &'c Coding, schema: &Schema) -> Result<Self, Error> {
        let (mut columns, dates) = known(sheet, coding, schema);
        let places = places(sheet, &columns);
        let mut lost = vec![0usize; sheet.columns().len()];
        sheet.cells(|row, column, place| {
            let name = &sheet.columns()[column];
            let is_gap = || coding.is_gap(name, &sheet.text(place));
            let Some(k) = places[column] else {
                lost[column] += usize::from(is_gap());
                return;
            };
            let gappy = &mut columns[k];
            match rows.table.column(gappy.node)[row] {
                MISSING if is_gap() => gappy.rows.push(row),
                MISSING => {}
                code if Some(code) == schema.variable(gappy.node).missing_state() => gappy.rows.push(row),
                _ => {}
            }
        })?;
        columns.retain(|gappy| !gappy.rows.is_empty());
        Ok(Gaps { columns, dates, lost })
    }

    /// Takes note of where values are recorded in the columns with gaps: of others nobody asks.
    pub(super) fn record(&mut self, sheet: &Sheet, rows: &Rows) -> Result<(), Error> {
        for gappy in &mut self.columns {
            let counts = counts(rows, gappy);
            gappy.recorded = counts.into_iter().map(Vec::with_capacity).collect();
        }
        let places = places(sheet, &self.columns);
        let columns = &mut self.columns;
        sheet.cells(|row, column, place| {
            let Some(gappy) = places[column].map(|k| &mut columns[k]) else { return };
            let code = rows.table.column(gappy.node)[row];
            let is_gap = Some(code) == rows.table.schema().variable(gappy.node).missing_state();
            let places = gappy.recorded.get_mut(usize::from(code)).filter(|_| !is_gap);
            places.into_iter().for_each(|places| places.push(place));
        })
    }

    /// What filling holds, with the sheet and its codes.
    ///
    /// ```text
    /// text + N · M                          the sheet, and its rows in states
    /// 8 · recorded (twice for the ranks of numbers) + 56 · rows of the largest state
    /// gaps · (8 + D · choice and fill)      in D copies
    /// asked at a time · (gaps of a column · (2 · M + 16 · states)  (+ N · M where gaps are drawn))
    /// ```
    pub(super) fn plan(&self, sheet: &Sheet, rows: &Rows, how: Imputing, askers: usize) -> Plan {
        let (count, nodes) = (rows.table.rows(), rows.table.schema().len());
        let gaps: usize = self.columns.iter().map(|gappy| gappy.rows.len()).sum();
        let largest = self.columns.iter().map(|gappy| gappy.rows.len()).max().unwrap_or(0);
        let states = self.columns.iter().map(|gappy| gappy.coded.variable.cardinality()).max().unwrap_or(0);
        let draws = how.draws.unwrap_or(1);
        let by_state: Vec<Vec<usize>> = match how.write {
            Written::Value => self.columns.iter().map(|gappy| counts(rows, gappy)).collect(),
            Written::State => Vec::new(),
        };
        let recorded: usize = by_state.iter().flatten().sum();
        let sorted = by_state.iter().flatten().max().map_or(0, |rows| rows * SORTED_BYTES);
        let ranked = how.draws.is_none() && self.columns.iter().any(Gappy::is_cut);
        let places = product(&[recorded, size_of::<CellPlace>() * if ranked { 2 } else { 1 }]);
        let drawn = if how.draws.is_some() { count * nodes } else { 0 };
        let asked = askers.min(if how.draws.is_some() { draws } else { self.columns.len() });
        let each = size_of::<Option<Choice>>() + size_of::<Fill>();
        let mut plan = read(sheet, product(&[count, nodes]))
            .need(format!("the places of {}", counted(recorded, "cell")), places + sorted as u64)
            .need(
                format!("{} at the same time", counted(asked, "question")),
                product(&[asked, largest * (2 * nodes + 16 * states) + drawn]),
            )
            .need(
                format!("{draws} × the states of {}", counted(gaps, "gap")),
                product(&[gaps, 8 + draws * each]),
            );
        if draws > 1 {
            plan = plan.way("draw fewer copies", None);
        }
        plan
    }
}

/// What sorting the recorded cells of a state takes for each: its text, its number and its place.
const SORTED_BYTES: usize = 56;

/// What is held of a sheet whose rows have so many bytes of codes, before anything is filled.
pub(super) fn read(sheet: &Sheet, codes: u64) -> Plan {
    Plan::new("filling gaps")
        .need("the text of the table", sheet.bytes())
        .need("its rows in states", codes)
        .way("fill fewer rows at a time", None)
}

/// The columns of a sheet that the network has, and those of dates.
fn known<'c>(sheet: &Sheet, coding: &'c Coding, schema: &Schema) -> (Vec<Gappy<'c>>, Vec<String>) {
    let (mut columns, mut dates) = (Vec::new(), Vec::new());
    for coded in coding.variables() {
        let Some(node) = schema.index(&coded.variable.name) else { continue };
        let place = |name: &String| sheet.columns().iter().position(|column| column == name);
        let is_date = matches!(coded.rule, StateRule::Date { .. } | StateRule::Periods { .. });
        let column = match place(&coded.column) {
            Some(_) if is_date => {
                dates.push(coded.column.clone());
                continue;
            }
            found => found.or_else(|| place(&coded.variable.name)),
        };
        let Some(column) = column else { continue };
        let recorded = vec![Vec::new(); coded.variable.cardinality()];
        columns.push(Gappy { node, column, coded, rows: Vec::new(), recorded, never: None });
    }
    dates.dedup();
    (columns, dates)
}

/// For every column of a sheet its place among some.
fn places(sheet: &Sheet, columns: &[Gappy<'_>]) -> Vec<Option<usize>> {
    let mut places = vec![None; sheet.columns().len()];
    columns.iter().enumerate().for_each(|(k, gappy)| places[gappy.column] = Some(k));
    places
}

/// The rows of every state that a column records; none of the one for gaps.
fn counts(rows: &Rows, gappy: &Gappy<'_>) -> Vec<usize> {
    let mut counts = vec![0; gappy.coded.variable.cardinality()];
    let codes = rows.table.column(gappy.node);
    codes
        .iter()
        .for_each(|&code| counts.get_mut(usize::from(code)).into_iter().for_each(|count| *count += 1));
    if let Some(missing) = rows.table.schema().variable(gappy.node).missing_state() {
        counts[usize::from(missing)] = 0;
    }
    counts
}
