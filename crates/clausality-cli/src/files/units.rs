//! The folder in which finished units are kept.
//!
//! `units.jsonl` holds a record a line and only grows while work goes on: a line is written at once, and one that was torn off (the
//! program was killed) has no end of line and is left out. Records of other settings or versions stay in the file and count
//! for nothing. In the end the lines are sorted, and take their place together with `tables.json` and `tables.txt`. One command
//! at a time works in the folder.

use super::interrupt;
use crate::failure::Failure;
use clausality::Error;
use clausality::folder::NewFolder;
use clausality::validate::{Record, Unit, ValidateParams, Validation};
use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};

/// The files of the folder.
const FILES: [&str; 3] = ["units.jsonl", "tables.json", "tables.txt"];

/// Where finished units go.
pub(crate) struct Store {
    folder: NewFolder,
    path: PathBuf,
    file: File,
    found: Vec<Record>,
}

impl Store {
    /// Makes the folder if need be and reads what is there.
    pub(crate) fn open(folder: &Path) -> Result<Self, Failure> {
        let reserved = NewFolder::reserve(folder, &FILES).map_err(Error::from)?;
        let path = folder.join(FILES[0]);
        let shown = path.display().to_string();
        if path.is_symlink() {
            return Err(Failure::Input(format!("{shown}: this is a link: put the file itself in its place")));
        }
        let refuse =
            |error: std::io::Error| Failure::Surroundings(format!("{shown}: cannot write here: {error}"));
        if !folder.is_dir() {
            fs::create_dir(folder).map_err(refuse)?;
        }
        let text = match fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
            Err(source) => return Err(Error::Io { file: shown, source }.into()),
        };
        let whole = text.rfind('\n').map_or(0, |end| end + 1);
        let found = records(&shown, &text[..whole])?;
        let file = fs::OpenOptions::new().create(true).append(true).open(&path).map_err(refuse)?;
        file.set_len(whole as u64).map_err(refuse)?;
        Ok(Store { folder: reserved, path, file, found })
    }

    /// Does away with records that are to be made anew; those of other settings stay.
    pub(crate) fn forget(&mut self, units: &[Unit]) -> Result<(), Failure> {
        self.found.retain(|record| !units.contains(&record.unit));
        let shown = self.path.display();
        let refuse = |error: std::io::Error| Failure::Surroundings(format!("{shown}: cannot write: {error}"));
        let lines: Result<String, _> = self.found.iter().map(line).collect();
        let lines = lines.map_err(|error| refuse(error.into()))?;
        // In one step: records of other settings are lost by no kill.
        let mut new =
            tempfile::NamedTempFile::new_in(self.path.parent().unwrap_or(Path::new("."))).map_err(refuse)?;
        new.write_all(lines.as_bytes()).and_then(|()| new.as_file().sync_all()).map_err(refuse)?;
        self.file = new.persist(&self.path).map_err(|error| refuse(error.error))?;
        Ok(())
    }

    /// The records that were there.
    pub(crate) fn take(&mut self) -> Vec<Record> {
        self.found.clone()
    }

    /// Adds a record.
    pub(crate) fn keep(&mut self, record: &Record) -> Result<(), Failure> {
        let shown = self.path.display();
        let refuse = |error: std::io::Error| Failure::Surroundings(format!("{shown}: cannot write: {error}"));
        let line = line(record).map_err(|error| refuse(error.into()))?;
        self.file.write_all(line.as_bytes()).and_then(|()| self.file.sync_data()).map_err(refuse)?;
        self.found.push(record.clone());
        interrupt::goes_on();
        Ok(())
    }

    /// Puts the records in order, whatever the order they were made in, and writes the tables.
    pub(crate) fn finish(
        self,
        params: &ValidateParams,
        tables: &Validation,
        text: &str,
    ) -> Result<(), Failure> {
        let json = |error: serde_json::Error| Failure::Surroundings(format!("cannot write JSON: {error}"));
        let units = params.units()?;
        let place = |record: &Record| units.iter().position(|unit| *unit == record.unit);
        let Store { folder, file, found: mut records, .. } = self;
        drop(file);
        // Records of other settings come after those of this run, in the order they were in.
        records.sort_by_key(|record| place(record).unwrap_or(usize::MAX));
        let lines: Result<String, _> = records.iter().map(line).collect();
        let document = serde_json::to_string_pretty(tables).map_err(json)? + "\n";
        let contents = [lines.map_err(json)?, document, text.to_string()];
        let files = FILES.iter().zip(contents).map(|(name, text)| (name.to_string(), text.into_bytes()));
        Ok(folder.fill(&files.collect::<Vec<_>>()).map_err(Error::from)?)
    }
}

fn line(record: &Record) -> Result<String, serde_json::Error> {
    Ok(serde_json::to_string(record)? + "\n")
}

fn records(file: &str, text: &str) -> Result<Vec<Record>, Failure> {
    let record = |(number, line): (usize, &str)| {
        serde_json::from_str(line).map_err(|error| {
            let message =
                format!("this is no finished unit ({}): delete the line", error.to_string().trim_end());
            Failure::at(file, number + 1, error.column().max(1), &message)
        })
    };
    text.lines().enumerate().map(record).collect()
}
