//! A first pass that others make, each over some files of a table.
//!
//! ```text
//! first trip    paths →  ← rows of every file            which rows are held follows from their numbers in the table
//! second trip   paths, rows of every file →  ← the rows that are held of these files, put together in the order of the files
//! ```
//!
//! What is put together is what one pass over all files would have found, or nothing. Texts that come first anywhere come first in some file, so
//! every row that tells something is among those that are sent. But whether a column is a list of numbers, and how these are spelled, may hang
//! on rows that are let go ([`Column::append`](super::cells::column::Column::append)): where it might, whoever asked looks at all files.

use super::beyond::Beyond;
use super::cells::column::{Column, Expected};
use super::decide::table;
use super::purpose::Purpose;
use super::read::drawn::{level, thin};
use super::read::file::count_rows;
use super::read::raw::{EndOfStretch, Expect, RawTable};
use super::{Bounds, DataSettings, Input, Problem};
use crate::elsewhere::{Engine, same_version};
use crate::error::{Error, Place};
use serde::{Deserialize, Serialize};
use std::cell::Cell;
use std::ops::Range;
use std::path::PathBuf;

/// What to look for in files.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Recipe {
    version: String,
    name: String,
    files: Vec<String>,
    settings: DataSettings,
    /// The rows of every file, once they are known.
    rows: Option<Vec<usize>>,
}

/// The rows that are held of a table, if others can say so.
pub(super) fn looked(
    engine: &dyn Engine,
    beyond: &Beyond,
    settings: &DataSettings,
    bounds: &Bounds,
    expect: Expect<'_>,
) -> Result<Option<RawTable>, Error> {
    let lengths: Vec<u64> = beyond.files().map(|(_, length)| length).collect();
    // Of a column with marks of its own it is told whether any cell had them, also one that is let go.
    if !engine.keeps_rows() || lengths.len() < 2 || !settings.na.columns.is_empty() {
        return Ok(None);
    }
    let mut recipe = Recipe {
        version: env!("CARGO_PKG_VERSION").into(),
        name: beyond.name().into(),
        files: beyond.paths()?,
        settings: settings.clone(),
        rows: None,
    };
    let ask = |recipe: &Recipe, take: &mut dyn FnMut(&[u8]) -> Result<(), Error>| {
        engine.look(&serde_json::to_string(recipe).map_err(unreadable)?, &lengths, take)
    };
    let mut rows: Vec<usize> = Vec::new();
    ask(&recipe, &mut |seen| {
        rows.extend(serde_json::from_slice::<Vec<usize>>(seen).map_err(unreadable)?);
        Ok(())
    })?;
    let all: usize = rows.iter().sum();
    if rows.len() != lengths.len() {
        return Err(Error::Elsewhere("the rows of other files were counted than were asked for".into()));
    }
    if all <= settings.rows_held {
        return Ok(None);
    }
    recipe.rows = Some(rows);
    // Nothing at first; then what could be put together, if it could.
    let mut held: Option<Option<RawTable>> = None;
    ask(&recipe, &mut |seen| {
        let read = RawTable::read(&mut &*seen, beyond.name(), settings, expect);
        let next = read.map_err(|error| Error::Elsewhere(error.to_string()))?;
        held = Some(match held.take() {
            None => Some(next),
            // Files without rows.
            Some(Some(before)) if before.drawn.read() == 0 => Some(RawTable { first: before.first, ..next }),
            Some(before) => before.and_then(|before| before.followed_by(next)),
        });
        held.iter().flatten().try_for_each(|held| held.check_memory(0, bounds))
    })?;
    Ok(held.flatten().filter(|held| held.drawn.of() == Some(all)))
}

/// What a recipe asks of some files: what a worker does.
///
/// # Errors
/// [`Error::Elsewhere`] for what is no recipe of this version; whatever is wrong with the files.
pub fn look(recipe: &str, files: Range<usize>, bounds: &Bounds) -> Result<Vec<u8>, Error> {
    let Recipe { version, name, files: all, settings, rows } =
        serde_json::from_str(recipe).map_err(unreadable)?;
    same_version(&version)?;
    let paths: Vec<PathBuf> = all.get(files.clone()).unwrap_or_default().iter().map(PathBuf::from).collect();
    let read = |files: Vec<PathBuf>, expect: Expect<'_>, end: EndOfStretch<'_>| {
        let input = Input::Files { files, name: name.clone() };
        input.read_for(Purpose::default(), &settings, bounds, expect, false, Some(end))
    };
    let Some(rows) = rows else {
        let count = |file: PathBuf| {
            if let Some(rows) = count_rows(&file, &settings, bounds)? {
                return Ok(rows);
            }
            let counted = Cell::new(0);
            read(vec![file], &|_| Expected::Nothing, &|raw| {
                counted.set(counted.get() + raw.rows);
                drop(raw.taken());
                Ok(())
            })?;
            Ok(counted.get())
        };
        let counted = paths.into_iter().map(count).collect::<Result<Vec<usize>, Error>>()?;
        return serde_json::to_vec(&counted).map_err(unreadable);
    };
    let sum = |files: Range<usize>| rows.get(files).unwrap_or_default().iter().sum::<usize>();
    let (before, here, level) =
        (sum(0..files.start), sum(files), level(sum(0..rows.len()), settings.rows_held));
    let mut raw = read(paths, &|name| table::expected(name, &settings), &|raw| {
        // The first rows of a table are looked at as if they were all: what a column turns into hangs on these.
        if before > 0 {
            raw.drawn.begin_at(before, level);
        }
        thin(raw, settings.rows_held);
        Ok(())
    })?;
    if before > 0 {
        // Files without rows.
        raw.drawn.begin_at(before, level);
    }
    if raw.drawn.read() != before + here {
        let what = "while it was looked at".to_string();
        return Err(Error::table(Place::file(&name), Problem::Changed { what }));
    }
    raw.thin_to(level);
    raw.columns.iter_mut().for_each(Column::lighten);
    let mut bytes = Vec::new();
    raw.write(&mut bytes).map_err(|error| Error::Elsewhere(error.to_string()))?;
    Ok(bytes)
}

fn unreadable(error: serde_json::Error) -> Error {
    Error::Elsewhere(error.to_string())
}
