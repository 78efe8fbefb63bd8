//! From a file, a stream or memory to columns of raw cells, before anything is decided about them.

mod file;
mod memory;
pub(in crate::data) mod raw;
mod separator;
mod sheet;
mod source;
mod tokens;
#[cfg(any(feature = "parquet", feature = "arrow"))]
mod typed;
#[cfg(all(test, any(feature = "parquet", feature = "arrow")))]
mod typed_tests;

pub use memory::{Frame, Values};
pub use sheet::{Place as CellPlace, Sheet};

use super::{Bounds, DataSettings};
use crate::Error;
use raw::{Expect, How, RawTable, read_text};
use std::borrow::Cow;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// A table to be read: a file, CSV text from anywhere, or columns in memory. A path or a [`Frame`] becomes one by itself.
pub enum Input<'a> {
    /// A file: `.csv`, `.tsv` (either with `.gz`), and with the features on `.parquet`, `.arrow`, `.feather`.
    File(Cow<'a, Path>),
    /// CSV text, gzipped or not.
    Text {
        /// Where it comes from.
        from: Box<dyn io::Read + 'a>,
        /// What messages call it.
        name: String,
    },
    /// Columns in memory.
    Frame(&'a Frame),
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
            Input::Text { name, .. } => name.into(),
            Input::Frame(frame) => frame.name().into(),
        }
    }

    /// The columns; `expect` says what is known of each before its cells are read.
    pub(in crate::data) fn read(
        self,
        settings: &DataSettings,
        bounds: &Bounds,
        expect: Expect<'_>,
    ) -> Result<RawTable, Error> {
        let how = How { settings, bounds, expect };
        match self {
            Input::File(path) => file::read(&path, how),
            Input::Text { from, name } => read_text(from, &name, None, how),
            Input::Frame(frame) => frame.raw(how),
        }
    }
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
