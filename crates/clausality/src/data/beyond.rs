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
use super::settings::LEAST_HELD;
use super::{Bounds, Coding, DataSettings, Dataset, Discretize, Input, MissingRule, Notice, Problem};
use crate::error::{Error, Place};
use crate::words::grouped;
use serde::Serialize;
use std::cell::RefCell;
use std::ops::Range;
use std::panic::resume_unwind;
use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::thread;
use std::time::{SystemTime, UNIX_EPOCH};

/// Where all rows of a table are, of which some are held.
#[derive(Debug, Clone, PartialEq)]
pub struct Beyond {
    name: String,
    /// The folder or pattern that says which files, unless they were listed.
    found_by: Option<PathBuf>,
    /// The files, each with its length and when it was changed last.
    files: Vec<(PathBuf, Stamp)>,
    separator: Option<char>,
    rows: usize,
}

/// The setting for which all rows have to be held, if there is one.
fn needs_all(settings: &DataSettings) -> Option<&'static str> {
    let drop = settings.missing.values().any(|rule| *rule == MissingRule::Drop);
    let asked = [
        (drop, "missing drop"),
        (settings.row_weights.is_some(), "row-weights"),
        (settings.time.is_some(), "time"),
        (settings.cutting() == Discretize::Mdl, "discretize mdl"),
    ];
    asked.into_iter().find(|(asked, _)| *asked).map(|(_, name)| name)
}

/// That fewer rows were to be held and all are, and why: for the work that is named, or else for a setting or the table itself.
pub(super) fn held_whole(settings: &DataSettings, rows: usize, work: Option<&str>) -> Option<Notice> {
    if settings.rows_held == DataSettings::default().rows_held || rows <= settings.rows_held {
        return None;
    }
    let why = match work.or(needs_all(settings)) {
        Some(name) => format!("{name} asks for all of them"),
        None => "only of files on a disk a part can be held".to_string(),
    };
    let asked = grouped(settings.rows_held);
    Some(Notice::about_rows(format!("all {} rows are held, not {asked}: {why}", grouped(rows))))
}

/// A refusal to hold so many rows of a table of which fewer might be held: with how many.
pub(super) fn fewer_held(error: Error) -> Error {
    let Error::Table { place, mut problem } = error else { return error };
    if let Problem::Memory { rows, stretch, held, .. } = &mut *problem {
        *held = rows.checked_sub(*stretch).and_then(fewer_than);
    }
    Error::Table { place, problem }
}

/// A round number of rows to be held that is far below these, if that may be asked for.
pub(crate) fn fewer_than(rows: usize) -> Option<usize> {
    let round = 10usize.pow((rows / 2).max(1).ilog10());
    (round >= LEAST_HELD).then_some(round)
}

impl Beyond {
    /// What to remember of a table that may turn out to have more rows than are held; nothing if all of them would be, however many.
    pub(super) fn begin(
        table: &Input<'_>,
        settings: &DataSettings,
        purpose: Purpose,
    ) -> Result<Option<Self>, Error> {
        let (found_by, listed) = match table {
            Input::File(path) => (Some(path.to_path_buf()), None),
            Input::Files { files, .. } => (None, Some(files)),
            _ => return Ok(None),
        };
        if needs_all(settings).is_some() || purpose.some_rows.is_none() {
            return Ok(None);
        }
        let files = match (&found_by, listed) {
            (Some(path), _) => parts(path)?.unwrap_or_else(|| vec![path.clone()]),
            (None, listed) => listed.cloned().unwrap_or_default(),
        };
        // What is no file on a disk cannot be read again.
        if !files.iter().all(|file| file.is_file()) {
            return Ok(None);
        }
        let (name, separator) = (table.name().into_owned(), settings.separator);
        Ok(Some(Beyond { name, found_by, files: stamped(files)?, separator, rows: 0 }))
    }

    /// The rows that are held of so many in all.
    pub(super) fn of(
        self,
        dataset: Dataset,
        rows: usize,
        held: usize,
        purpose: Purpose,
    ) -> Result<Dataset, Error> {
        let message = format!(
            "{} rows are more than are held: {} on {} of them, drawn evenly",
            grouped(rows),
            purpose.some_rows.unwrap_or_default(),
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

    /// What messages call the table.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// What stands between the cells, if that was said.
    pub(crate) fn separator(&self) -> Option<char> {
        self.separator
    }

    /// The files with their lengths.
    pub(crate) fn files(&self) -> impl Iterator<Item = (&Path, u64)> {
        self.files.iter().map(|(file, stamp)| (file.as_path(), stamp.map_or(0, |(length, _)| length)))
    }

    /// The files as others find them, if they see the same disk.
    ///
    /// # Errors
    /// A path that is no plain text.
    pub(crate) fn paths(&self) -> Result<Vec<String>, Error> {
        let path = |(file, _): (&Path, u64)| {
            let absolute = std::path::absolute(file).ok();
            let text = absolute.as_deref().and_then(Path::to_str).map(String::from);
            let cannot =
                || format!("{}: this path cannot be sent to others, it is no plain text", file.display());
            text.ok_or_else(|| Error::Elsewhere(cannot()))
        };
        self.files().map(path).collect()
    }

    /// What tells these files from others, and from what they were before they were changed.
    pub(crate) fn content(&self) -> impl Serialize {
        let told = |(file, stamp): &(PathBuf, Stamp)| {
            let since = |time: SystemTime| time.duration_since(UNIX_EPOCH).unwrap_or_default();
            let stamp = stamp.map(|(length, time)| (length, time.map(since)));
            (file.as_os_str().as_encoded_bytes().to_vec(), stamp)
        };
        (self.separator, self.files.iter().map(told).collect::<Vec<_>>())
    }

    /// Reads and codes the rows of some of the files, a stretch at a time.
    ///
    /// # Errors
    /// Whatever is wrong with the files; what `see` says.
    pub(crate) fn coded(
        &self,
        files: Range<usize>,
        coding: &Coding,
        bounds: &Bounds,
        see: &mut dyn FnMut(Coded) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let files = self.files[files].iter().map(|(file, _)| file.clone()).collect();
        let coding = coding.clone().reading(None, self.separator);
        let table = Input::Files { files, name: self.name.clone() };
        coded_by_stretch(table, &coding, Absent::Refuse, bounds, see)
    }

    /// What was made of all rows, and of how many, if the files are still those that columns were decided from.
    ///
    /// # Errors
    /// That they changed; what `work` says.
    pub(crate) fn steady<T>(&self, work: impl FnOnce() -> Result<(usize, T), Error>) -> Result<T, Error> {
        let changed = |file: &str, what: &str| {
            Err(Error::table(Place::file(file), Problem::Changed { what: what.to_string() }))
        };
        // The first that changed or is gone, else one that is new.
        let other = || -> Result<Option<String>, Error> {
            let now = match &self.found_by {
                Some(path) => parts(path)?.unwrap_or_else(|| vec![path.clone()]),
                None => self.files.iter().map(|(file, _)| file.clone()).collect(),
            };
            let (now, before) = (stamped(now)?, &self.files);
            let lacks = |files: &[(PathBuf, Stamp)], file: &(PathBuf, Stamp)| !files.contains(file);
            let file = before.iter().find(|&file| lacks(&now, file));
            let file = file.or_else(|| now.iter().find(|&file| lacks(before, file)));
            Ok(file.map(|(file, _)| file.display().to_string()))
        };
        if let Some(file) = other()? {
            return changed(&file, "since its columns were decided");
        }
        let (rows, made) = work()?;
        if let Some(file) = other()? {
            return changed(&file, "while it was read again");
        }
        if rows != self.rows {
            return changed(&self.name, "while it was read again");
        }
        Ok(made)
    }
}

/// Reads and codes the rows of a table, a stretch at a time.
///
/// # Errors
/// Whatever is wrong with the table; what `see` says.
pub(crate) fn coded_by_stretch(
    table: Input<'_>,
    coding: &Coding,
    absent: Absent,
    bounds: &Bounds,
    see: &mut dyn FnMut(Coded) -> Result<(), Error>,
) -> Result<(), Error> {
    let take: Take<'_> = &mut |stretch| see(coding.coded(&stretch, absent)?);
    let read = |table: Input<'_>, take: Take<'_>| read_by_stretch(table, coding, absent, bounds, take);
    match table {
        Input::File(path) => beside(&|take| read(Input::from(&path), take), take),
        Input::Files { files, name } => {
            beside(&|take| read(Input::Files { files: files.clone(), name: name.clone() }, take), take)
        }
        // What somebody else holds is read here.
        other => read(other, take),
    }
}

/// What is done with every stretch of rows.
type Take<'t> = &'t mut dyn FnMut(RawTable) -> Result<(), Error>;

fn read_by_stretch(
    table: Input<'_>,
    coding: &Coding,
    absent: Absent,
    bounds: &Bounds,
    take: Take<'_>,
) -> Result<(), Error> {
    let take = RefCell::new(take);
    let rest = coding.read_by_stretch(table, bounds, &|raw| (take.borrow_mut())(raw.taken()))?;
    // Columns are missed where there are no rows, too.
    coding.coded(&rest, absent).map(|_| ())
}

/// Reads stretches of rows on a thread of its own, if work may have several, while those before are taken here: in the same order, with the
/// same outcome.
fn beside(read: &(dyn Fn(Take<'_>) -> Result<(), Error> + Sync), take: Take<'_>) -> Result<(), Error> {
    if rayon::current_num_threads() < 2 {
        return read(take);
    }
    // One is handed over when the one before is done: no more than two are there at a time.
    let (to, from) = mpsc::sync_channel(0);
    let begun = thread::scope(|scope| {
        let hand = move || read(&mut |stretch| to.send(stretch).map_err(|_| Error::Cancelled));
        let reading = thread::Builder::new().name("reading".into()).spawn_scoped(scope, hand).ok()?;
        let taken = from.into_iter().try_for_each(&mut *take);
        let read = reading.join().unwrap_or_else(|panic| resume_unwind(panic));
        Some(taken.and(read))
    });
    // Without another thread it is done on this one.
    begun.unwrap_or_else(|| read(take))
}

/// Files, each with its length and when it was changed last.
fn stamped(files: Vec<PathBuf>) -> Result<Vec<(PathBuf, Stamp)>, Error> {
    files.into_iter().map(|file| stamp(&file).map(|stamp| (file, stamp))).collect()
}
