//! Files by their endings.

use super::raw::{self, Extent, How, RawTable, read_text};
use crate::data::{Bounds, DataSettings, Problem};
use crate::error::{Error, Place};
use std::cell::Cell;
use std::fs::{File, Metadata};
use std::io::{self, Read};
use std::path::Path;
use std::rc::Rc;
use std::time::SystemTime;

/// Reads a file in the format that its ending names, below what was read `before`.
pub(super) fn read(path: &Path, how: How<'_>, before: Option<RawTable>) -> Result<RawTable, Error> {
    let name = path.display().to_string();
    match Format::of(path) {
        Format::Text(separator) => {
            let mut file = Steady::new(open(path, &name)?);
            let read = Rc::clone(&file.read);
            let extent = file.before.map(|(length, _)| Extent { length, read: &read });
            let read = read_text(&mut file, &name, separator, How { extent, ..how }, before);
            file.check(&name, read)
        }
        #[cfg(feature = "parquet")]
        Format::Parquet => {
            steadily(open(path, &name)?, &name, |file| super::typed::read_parquet(file, &name, how, before))
        }
        #[cfg(feature = "arrow")]
        Format::Arrow => {
            steadily(open(path, &name)?, &name, |file| super::typed::read_arrow(file, &name, how, before))
        }
        #[cfg(not(feature = "parquet"))]
        Format::Parquet => Err(feature_off(&name, "Parquet", "parquet")),
        #[cfg(not(feature = "arrow"))]
        Format::Arrow => Err(feature_off(&name, "Arrow", "arrow")),
    }
}

/// The rows of a file of text; nothing for files of other kinds.
pub(in crate::data) fn count_rows(
    path: &Path,
    settings: &DataSettings,
    bounds: &Bounds,
) -> Result<Option<usize>, Error> {
    let Some((file, separator)) = open_text(path)? else { return Ok(None) };
    let (mut file, name) = (Steady::new(file), path.display().to_string());
    let counted = raw::count_rows(&mut file, &name, separator, settings, bounds);
    file.check(&name, counted).map(Some)
}

/// A file that has to stay as it is while it is read: half a row of what somebody writes at the same time may look like a whole one.
#[derive(Debug)]
pub(super) struct Steady {
    file: File,
    /// Length and time of change when it was opened; nothing for pipes and devices, which have none.
    before: Stamp,
    read: Rc<Cell<u64>>,
}

impl Steady {
    pub(super) fn new(file: File) -> Self {
        let before = state(&file);
        Steady { file, before, read: Rc::default() }
    }

    /// What was read from it, all of it one byte after the other, or that it changed: also where that is what made it wrong.
    pub(super) fn check<T>(&self, name: &str, read: Result<T, Error>) -> Result<T, Error> {
        let cut = self.before.filter(|&(length, _)| read.is_ok() && self.read.get() != length);
        let cut = cut.map(|(length, _)| format!("{} of {length} bytes were there", self.read.get()));
        match self.changed().or(cut) {
            Some(what) => Err(Error::table(Place::file(name), Problem::Changed { what })),
            None => read,
        }
    }

    /// How it changed since it was opened.
    fn changed(&self) -> Option<String> {
        let ((length, time), (after, later)) = (self.before?, state(&self.file)?);
        match () {
            () if after != length => Some(format!("from {length} to {after} bytes")),
            () if later != time => Some("in its content".to_string()),
            () => None,
        }
    }
}

/// Reads a file of which parts are read in any order, and refuses it if it changed meanwhile.
#[cfg(any(test, feature = "parquet", feature = "arrow"))]
fn steadily<T>(file: File, name: &str, read: impl FnOnce(File) -> Result<T, Error>) -> Result<T, Error> {
    let own = file.try_clone().map_err(|source| Error::Io { file: name.to_string(), source })?;
    let steady = Steady::new(own);
    let read = read(file);
    match steady.changed() {
        Some(what) => Err(Error::table(Place::file(name), Problem::Changed { what })),
        None => read,
    }
}

/// What tells a file from what it was before: its length and when it was changed last. Pipes and devices have none.
pub(in crate::data) type Stamp = Option<(u64, Option<SystemTime>)>;

/// That of a file as it is now.
pub(in crate::data) fn stamp(path: &Path) -> Result<Stamp, Error> {
    open(path, &path.display().to_string()).map(|file| state(&file))
}

fn state(file: &File) -> Stamp {
    let about = file.metadata().ok().filter(Metadata::is_file)?;
    Some((about.len(), about.modified().ok()))
}

impl Read for Steady {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.file.read(buffer)?;
        self.read.set(self.read.get() + read as u64);
        Ok(read)
    }
}

fn open(path: &Path, name: &str) -> Result<File, Error> {
    let open = File::open(path).and_then(|file| match file.metadata()?.is_dir() {
        true => Err(std::io::ErrorKind::IsADirectory.into()),
        false => Ok(file),
    });
    open.map_err(|source| Error::Io { file: name.to_string(), source })
}

/// A file of text, opened, with the separator that its ending implies; nothing for files of other kinds.
pub(super) fn open_text(path: &Path) -> Result<Option<(File, Option<u8>)>, Error> {
    match Format::of(path) {
        Format::Text(separator) => Ok(Some((open(path, &path.display().to_string())?, separator))),
        Format::Parquet | Format::Arrow => Ok(None),
    }
}

/// File formats, by the ending of the name.
pub(super) enum Format {
    /// Text with the separator that the ending implies, if it implies one.
    Text(Option<u8>),
    Parquet,
    Arrow,
}

impl Format {
    fn of(path: &Path) -> Self {
        match ending(path).as_str() {
            "parquet" | "pq" => Format::Parquet,
            "arrow" | "feather" | "ipc" => Format::Arrow,
            "tsv" | "tab" => Format::Text(Some(b'\t')),
            _ => Format::Text(None),
        }
    }

    /// Whether the ending is that of a table: whoever names a folder does not mean all that lies in it.
    pub(super) fn is_named(path: &Path) -> bool {
        !matches!(Format::of(path), Format::Text(None)) || ending(path) == "csv"
    }
}

/// What stands behind the last point of a name, `.gz` left aside.
fn ending(path: &Path) -> String {
    let name = path.file_name().map(|name| name.to_string_lossy().to_lowercase()).unwrap_or_default();
    let name = name.strip_suffix(".gz").unwrap_or(&name);
    name.rsplit_once('.').map(|(_, ending)| ending.to_string()).unwrap_or_default()
}

#[cfg(not(all(feature = "parquet", feature = "arrow")))]
fn feature_off(name: &str, format: &'static str, feature: &'static str) -> Error {
    Error::table(Place::file(name), Problem::FeatureOff { format, feature })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::OpenOptions;
    use std::io::Write;

    /// Reads a file of 100 bytes to the end, and does something to it after the first half.
    fn read(meanwhile: impl FnOnce(&mut File)) -> Result<usize, String> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("t.csv");
        std::fs::write(&path, [b'x'; 100]).unwrap();
        let mut file = Steady::new(open(&path, "t.csv").unwrap());
        let mut half = [0; 50];
        file.read_exact(&mut half).unwrap();
        meanwhile(&mut OpenOptions::new().append(true).open(&path).unwrap());
        let mut rest = vec![];
        file.read_to_end(&mut rest).unwrap();
        file.check("t.csv", Ok(50 + rest.len())).map_err(|error| error.to_string())
    }

    #[test]
    fn a_file_that_changes_while_it_is_read_is_refused() {
        assert_eq!(read(|_| {}), Ok(100));
        let grown = read(|file| file.write_all(b"more").unwrap()).unwrap_err();
        assert!(
            grown.starts_with("t.csv: the file changed while it was read (from 100 to 104 bytes)"),
            "{grown}"
        );
        let shrunk = read(|file| file.set_len(60).unwrap()).unwrap_err();
        assert!(shrunk.contains("from 100 to 60 bytes"), "{shrunk}");
        let touched = read(|file| file.set_modified(SystemTime::UNIX_EPOCH).unwrap()).unwrap_err();
        assert!(touched.contains("in its content"), "{touched}");
    }

    #[test]
    fn so_is_one_whose_parts_are_read_in_any_order() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("t.parquet");
        let read = |meanwhile: &dyn Fn(&mut File), found: Result<u8, Error>| {
            std::fs::write(&path, [b'x'; 100]).unwrap();
            let found = steadily(File::open(&path).unwrap(), "t.parquet", |_| {
                meanwhile(&mut OpenOptions::new().append(true).open(&path).unwrap());
                found
            });
            found.map_err(|error| error.to_string())
        };
        assert_eq!(read(&|_| {}, Ok(7)), Ok(7));
        let odd = || Error::table(Place::file("t.parquet"), Problem::Empty);
        assert_eq!(read(&|_| {}, Err(odd())), Err(odd().to_string()));
        for found in [Ok(7), Err(odd())] {
            let grown = read(&|file| file.write_all(b"more").unwrap(), found).unwrap_err();
            assert!(grown.contains("changed while it was read (from 100 to 104 bytes)"), "{grown}");
        }
        let touched = read(&|file| file.set_modified(SystemTime::UNIX_EPOCH).unwrap(), Ok(7));
        assert!(touched.unwrap_err().contains("in its content"));
    }
}
