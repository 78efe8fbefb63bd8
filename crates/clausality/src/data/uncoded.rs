//! A table as it was read, before anything is decided: some of its rows may be coded, and others under what was decided for those.

use super::read::raw::RawTable;
use super::{
    Absent, Bounds, Coded, CodedVariable, Coding, DataSettings, Dataset, Input, LEAST_COLUMNS, Purpose,
    beyond, raw, table,
};
use crate::error::{Advice, Error};
use crate::memory::{Plan, Room};
use crate::words::counted;
use clausality_bn::Table;

/// A table as it was read.
///
/// ```
/// use clausality::data::{Bounds, DataSettings, Input, Uncoded};
/// let csv = "smoker,age\n".to_string() + &"yes,31\nno,44\nno,19\nyes,70\nno,55\n".repeat(30);
/// let sheet = Uncoded::read(Input::csv(csv.as_bytes(), "people.csv"), &DataSettings::default(), &Bounds::default())?;
/// let keep: Vec<bool> = (0..sheet.rows()).map(|row| row < 100).collect();
/// let learned_from = sheet.dataset(Some(&keep), &[])?;
/// let rest: Vec<bool> = keep.iter().map(|keep| !keep).collect();
/// assert_eq!(sheet.coded(&learned_from.coding, &rest)?.table.rows(), 50);
/// # Ok::<(), clausality::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Uncoded {
    raw: RawTable,
    settings: DataSettings,
    /// What there is for learning from it.
    room: Option<Room>,
}

impl Uncoded {
    /// Reads a table.
    ///
    /// # Errors
    /// Whatever is wrong with the settings or the table.
    pub fn read<'a>(
        table: impl Into<Input<'a>>,
        settings: &DataSettings,
        bounds: &Bounds,
    ) -> Result<Self, Error> {
        let (raw, settings) = raw(table.into(), settings, bounds)?;
        Ok(Uncoded { raw, settings, room: bounds.room })
    }

    /// How many rows there are.
    pub fn rows(&self) -> usize {
        self.raw.rows
    }

    /// Bytes that it holds.
    pub(crate) fn bytes(&self) -> usize {
        self.raw.bytes()
    }

    /// The rows in which a column has a value; nothing where there is no such column.
    pub(crate) fn known(&self, column: &str) -> Option<usize> {
        let column = self.raw.columns.iter().find(|own| own.name == column)?;
        Some(column.gaps(&self.raw.marks).iter().filter(|gap| !**gap).count())
    }

    /// What messages call it.
    pub fn name(&self) -> &str {
        &self.raw.name
    }

    /// Decides everything from the marked rows (all of them without marks), but for what is settled already: variables that are
    /// given keep their states, whatever these rows would suggest.
    ///
    /// # Errors
    /// Too few rows or columns that can be used; a given variable that is none of the table's.
    pub fn dataset(&self, keep: Option<&[bool]>, given: &[&CodedVariable]) -> Result<Dataset, Error> {
        self.check_copy()?;
        let purpose = Purpose { least: LEAST_COLUMNS, learned_in: self.room, some_rows: None };
        let mut dataset = table::code(self.kept(keep), &self.settings, purpose)?;
        if keep.is_none() {
            dataset.notices.extend(beyond::held_whole(&self.settings, self.raw.rows, Some("evaluating")));
        }
        if given.is_empty() {
            return Ok(dataset);
        }
        let mut variables = dataset.coding.variables().to_vec();
        for &settled in given {
            let name = &settled.variable.name;
            let Some(own) = variables.iter_mut().find(|own| own.variable.name == *name) else {
                return Err(Error::TooLittleData(format!("in some of the rows '{name}' does not vary")));
            };
            *own = settled.clone();
        }
        let coding = Coding::new(variables, self.settings.na.clone());
        let coded = coding.coded(&self.kept(keep), Absent::Refuse)?.table;
        if coded.rows() == dataset.table.rows() {
            dataset.table = coded;
        } else {
            // Rows were dropped for their gaps: those of the given variables are looked up among the ones that are left.
            dataset.table = recoded(&dataset.table, &coding)?;
        }
        dataset.coding = coding;
        Ok(dataset)
    }

    /// The marked rows under a coding.
    ///
    /// # Errors
    /// A column that is not there.
    pub fn coded(&self, coding: &Coding, keep: &[bool]) -> Result<Coded, Error> {
        coding.coded(&self.kept(Some(keep)), Absent::Refuse)
    }

    /// How much each row counts, 1 on average, if a column says so.
    ///
    /// # Errors
    /// Weights that are none.
    pub fn weights(&self) -> Result<Option<Vec<f64>>, Error> {
        table::weights(&self.raw, &self.settings)
    }

    /// Whose the rows are, by numbers, if a column says so and none says when.
    ///
    /// # Errors
    /// A row of which that is not known.
    pub fn owners(&self) -> Result<Option<Vec<u32>>, Error> {
        crate::data::sequence::owners_alone(&self.raw, &self.settings)
    }

    /// Refuses what would not fit, before columns are decided: they are from a copy, whatever rows are kept of it.
    fn check_copy(&self) -> Result<(), Error> {
        let (rows, columns) = (counted(self.rows(), "row"), counted(self.raw.columns.len(), "column"));
        Plan::at_least("evaluating")
            .need(format!("{rows} of {columns}, as they were read and once more"), 2 * self.bytes() as u64)
            .way("leave columns out", Some(Advice::new("type", "COL=ignore")))
            .way("take fewer rows", None)
            .check(self.room)
    }

    fn kept(&self, keep: Option<&[bool]>) -> RawTable {
        let mut raw = self.raw.clone();
        if let Some(keep) = keep {
            raw.columns.iter_mut().for_each(|column| column.retain(keep));
            raw.rows = keep.iter().filter(|&&keep| keep).count();
        }
        raw
    }
}

/// The same rows where the states keep their labels.
fn recoded(table: &Table, coding: &Coding) -> Result<Table, Error> {
    Ok(table.recoded(&coding.schema()?)?)
}
