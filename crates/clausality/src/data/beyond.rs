//! A table with more rows than are held in memory: an even part of them is, and all are read again where each of them counts.
//!
//! Whether that is so depends on the table and the settings alone, never on the machine: more rows in files than [`DataSettings::rows_held`].
//! Rows that stand for a time, for others by weight, that are to be dropped for their gaps, or whose columns are cut for a
//! network are all needed at once: such tables are held whole, whatever their rows.

use super::coding::{Absent, Coded};
use super::purpose::Purpose;
use super::read::file::{Stamp, stamp};
use super::read::parts;
use super::read::raw::RawTable;
use super::{Bounds, Coding, DataSettings, Dataset, Discretize, Input, MissingRule, Notice, Problem};
use crate::error::{Error, Place};
use crate::words::grouped;
use std::cell::RefCell;
use std::path::{Path, PathBuf};

/// Where all rows of a table are, of which some are held.
#[derive(Debug, Clone, PartialEq)]
pub struct Beyond {
    table: PathBuf,
    /// The files, each with its length and when it was changed last.
    files: Vec<(PathBuf, Stamp)>,
    separator: Option<char>,
    rows: usize,
}

impl Beyond {
    /// What to remember of a table that may turn out to have more rows than are held; nothing if all of them would be, however many.
    pub(super) fn begin(
        table: &Input<'_>,
        settings: &DataSettings,
        purpose: Purpose,
    ) -> Result<Option<Self>, Error> {
        let Input::File(path) = table else { return Ok(None) };
        let each = settings.missing.values().all(|rule| *rule != MissingRule::Drop)
            && settings.row_weights.is_none()
            && settings.time.is_none()
            && settings.cutting() != Discretize::Mdl;
        // What is no file on a disk cannot be read again.
        if !each || !purpose.some_rows || !(path.is_dir() || path.is_file() || parts(path)?.is_some()) {
            return Ok(None);
        }
        let separator = settings.separator;
        Ok(Some(Beyond { table: path.to_path_buf(), files: files(path)?, separator, rows: 0 }))
    }

    /// The rows that are held of so many in all.
    pub(super) fn of(self, dataset: Dataset, rows: usize, held: usize) -> Result<Dataset, Error> {
        let message = format!(
            "{} rows are more than are held: columns are decided, machines trained and arcs proposed on {} of them, drawn evenly",
            grouped(rows),
            grouped(held)
        );
        let mut dataset = Dataset { rows, beyond: Some(Beyond { rows, ..self }), ..dataset };
        dataset.report.iter_mut().for_each(|column| column.distinct_is_exact = false);
        dataset.notices.insert(0, Notice::about_rows(message));
        Ok(dataset)
    }

    /// How many rows there are.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Reads and codes all rows, a stretch at a time.
    ///
    /// # Errors
    /// Whatever is wrong with the table, and that it changed since it was read first; what `see` says.
    pub(crate) fn coded(
        &self,
        coding: &Coding,
        bounds: &Bounds,
        see: &mut dyn FnMut(Coded) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let changed = |what: &str| {
            let place = Place::file(&self.table.display().to_string());
            Error::table(place, Problem::Changed { what: what.to_string() })
        };
        if files(&self.table)? != self.files {
            return Err(changed("since its columns were decided"));
        }
        let (see, rows) = (RefCell::new(see), RefCell::new(0));
        let end = |raw: &mut RawTable| {
            let coded = coding.coded(raw, Absent::Refuse)?;
            *rows.borrow_mut() += coded.table.rows();
            raw.clear();
            (see.borrow_mut())(coded)
        };
        let coding = coding.clone().reading(None, self.separator);
        coding.read_by_stretch(Input::from(self.table.as_path()), bounds, &end)?;
        if files(&self.table)? != self.files || rows.into_inner() != self.rows {
            return Err(changed("while it was read again"));
        }
        Ok(())
    }
}

/// The files of a table, each with its length and when it was changed last.
fn files(path: &Path) -> Result<Vec<(PathBuf, Stamp)>, Error> {
    let files = parts(path)?.unwrap_or_else(|| vec![path.to_path_buf()]);
    files.into_iter().map(|file| stamp(&file).map(|stamp| (file, stamp))).collect()
}
