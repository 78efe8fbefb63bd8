//! Files by their endings.

use super::raw::{How, RawTable, read_text};
use crate::Error;
use std::fs::File;
use std::path::Path;

/// Reads a file in the format that its ending names.
pub(super) fn read(path: &Path, how: How<'_>) -> Result<RawTable, Error> {
    let name = path.display().to_string();
    match Format::of(path) {
        Format::Text(separator) => {
            let file = open(path, &name)?;
            read_text(file, &name, separator, how)
        }
        #[cfg(feature = "parquet")]
        Format::Parquet => super::typed::read_parquet(path, &name, how),
        #[cfg(feature = "arrow")]
        Format::Arrow => super::typed::read_arrow(path, &name, how),
        #[cfg(not(feature = "parquet"))]
        Format::Parquet => Err(feature_off(&name, "Parquet", "parquet")),
        #[cfg(not(feature = "arrow"))]
        Format::Arrow => Err(feature_off(&name, "Arrow", "arrow")),
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
enum Format {
    /// Text with the separator that the ending implies, if it implies one.
    Text(Option<u8>),
    Parquet,
    Arrow,
}

impl Format {
    fn of(path: &Path) -> Self {
        let name = path.file_name().map(|name| name.to_string_lossy().to_lowercase()).unwrap_or_default();
        let name = name.strip_suffix(".gz").unwrap_or(&name);
        match name.rsplit_once('.').map(|(_, ending)| ending) {
            Some("parquet" | "pq") => Format::Parquet,
            Some("arrow" | "feather" | "ipc") => Format::Arrow,
            Some("tsv" | "tab") => Format::Text(Some(b'\t')),
            _ => Format::Text(None),
        }
    }
}

#[cfg(not(all(feature = "parquet", feature = "arrow")))]
fn feature_off(name: &str, format: &'static str, feature: &'static str) -> Error {
    let problem = crate::data::Problem::FeatureOff { format, feature };
    Error::table(crate::error::Place::file(name), problem)
}
