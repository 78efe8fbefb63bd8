//! From a file, a stream or memory to columns of raw cells, before anything is decided about them.

pub(in crate::data) mod drawn;
#[cfg(feature = "batches")]
mod feed;
pub(in crate::data) mod file;
mod foreign;
mod memory;
mod parts;
pub(in crate::data) mod raw;
mod separator;
mod sheet;
mod source;
mod tokens;
#[cfg(feature = "batches")]
mod typed;

pub use memory::{Frame, Values};
pub use parts::{is_of_pattern, is_part, parts};
pub use sheet::{Place as CellPlace, Sheet};
#[cfg(feature = "batches")]
pub use typed::{Batches, ColumnAgain, Wanted, label_texts};

use super::cells::number::{self, DecimalComma, Numeral};
use super::purpose::Purpose;
use super::{Bounds, DataSettings};
use crate::Error;
use raw::{EndOfStretch, Expect, How, RawTable, read_text};
use std::borrow::Cow;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// A table to be read: a file, CSV text from anywhere, or columns in memory. A path or a [`Frame`] becomes one by itself.
pub enum Input<'a> {
    /// A file: `.csv`, `.tsv` (either with `.gz`), and with the features on `.parquet`, `.arrow`, `.feather`; a folder of such files, or a
    /// pattern for their names (`part-*.csv.gz`), which are read one below the other ([`parts`]).
    File(Cow<'a, Path>),
    /// Files that are read one below the other in this order.
    Files {
        /// The files.
        files: Vec<PathBuf>,
        /// What messages call all of them together.
        name: String,
    },
    /// CSV text, gzipped or not.
    Text {
        /// Where it comes from.
        from: Box<dyn io::Read + 'a>,
        /// What messages call it.
        name: String,
    },
    /// Columns in memory.
    Frame(&'a Frame),
    /// Record batches, one after the other.
    #[cfg(feature = "batches")]
    Batches(Batches<'a>),
}

impl<'a> Input<'a> {
    /// CSV text, gzipped or not, from anywhere; the name is for messages.
    pub fn csv(from: impl io::Read + 'a, name: impl Into<String>) -> Self {
        Input::Text { from: Box::new(from), name: name.into() }
    }

    /// What messages call it.
    pub fn name(&self) -> Cow<'_, str> {
        match self {
            Input::File(path) => path.display().to_string().into(),
            Input::Files { name, .. } | Input::Text { name, .. } => name.into(),
            Input::Frame(frame) => frame.name().into(),
            #[cfg(feature = "batches")]
            Input::Batches(batches) => batches.name().into(),
        }
    }

    /// The columns; `expect` says what is known of each before its cells are read.
    pub(in crate::data) fn read(
        self,
        settings: &DataSettings,
        bounds: &Bounds,
        expect: Expect<'_>,
    ) -> Result<RawTable, Error> {
        self.read_for(Purpose::default(), settings, bounds, expect, false, None)
    }

    /// The same for a purpose. A lean reader asks for the columns one after the other ([`RawTable::whole`]): those of many values may be left
    /// where they are until then. What is to happen at the end of every stretch of rows happens after the last row too.
    pub(in crate::data) fn read_for(
        self,
        purpose: Purpose,
        settings: &DataSettings,
        bounds: &Bounds,
        expect: Expect<'_>,
        lean: bool,
        stretch: Option<EndOfStretch<'_>>,
    ) -> Result<RawTable, Error> {
        let how = How { purpose, settings, bounds, expect, stretch, extent: None, lean };
        let mut raw = match self {
            Input::File(path) => match parts(&path)? {
                None => file::read(&path, how, None),
                Some(files) => parts::read(&path.display().to_string(), &files, how),
            },
            Input::Files { files, name } => parts::read(&name, &files, how),
            Input::Text { from, name } => read_text(from, &name, None, how, None),
            Input::Frame(frame) => frame.raw(how),
            #[cfg(feature = "batches")]
            Input::Batches(batches) => batches.raw(how),
        }?;
        match stretch {
            Some(end) if raw.rows > raw.settled => end(&mut raw).map(|()| raw),
            _ => Ok(raw),
        }
    }
}

impl Input<'_> {
    /// The settings with what columns of labels bring along; what the user says about a column comes first.
    pub(in crate::data) fn settings(&self, given: &DataSettings) -> DataSettings {
        match self {
            Input::Frame(frame) => with_labels(given, frame.labelled()),
            #[cfg(feature = "batches")]
            Input::Batches(batches) => with_labels(given, batches.labels()),
            Input::File(_) | Input::Files { .. } | Input::Text { .. } => given.clone(),
        }
    }
}

/// Settings with what columns bring along that are places in a list of labels: levels from low to high if the list is an order; else that
/// its numbers are mere names. Other labels say by themselves what they are, and a list may be no more than a way to keep texts.
fn with_labels<'l>(
    given: &DataSettings,
    labelled: impl Iterator<Item = (&'l str, &'l [String], bool)>,
) -> DataSettings {
    let mut settings = given.clone();
    // What means "no value" unless somebody says so may well be a level that is listed.
    let usual = given.na.all == DataSettings::default().na.all;
    for (column, labels, ordered) in labelled {
        let own = given.na.columns.get(column);
        let is_mark = |label: &String| {
            label.is_empty()
                || !usual && given.na.all.contains(label)
                || own.is_some_and(|own| own.contains(label))
        };
        let labels: Vec<String> = labels.iter().filter(|label| !is_mark(label)).cloned().collect();
        let is_number =
            |label: &String| number::read(label.as_bytes(), DecimalComma(false)) != Numeral::Other;
        if !ordered && !labels.is_empty() && labels.iter().all(is_number) {
            settings.names.insert(column.to_string());
        } else if ordered && labels.len() > 1 && !given.types.contains_key(column) {
            settings.levels.entry(column.to_string()).or_insert(labels);
        }
    }
    settings
}

impl fmt::Debug for Input<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Input({})", self.name())
    }
}

impl<'a, P: AsRef<Path> + ?Sized> From<&'a P> for Input<'a> {
    fn from(path: &'a P) -> Self {
        Input::File(path.as_ref().into())
    }
}

impl From<PathBuf> for Input<'_> {
    fn from(path: PathBuf) -> Self {
        Input::File(path.into())
    }
}

impl<'a> From<&'a Frame> for Input<'a> {
    fn from(frame: &'a Frame) -> Self {
        Input::Frame(frame)
    }
}
