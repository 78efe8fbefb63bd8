//! What a command reads is never written over.
//!
//! Before it starts every command says which files it will read ([`crate::cli::Command`] has the list); every file to be
//! written is held against them when it is reserved, and whatever its path looks like, the same file is refused.

use crate::failure::Failure;
use clausality::data;
use clausality::run::{CONSENSUS, FILES, PAGE};
use std::fs::{self, Metadata};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// The files that are read, each with the name the user gave it.
static READ: Mutex<Vec<(Identity, String)>> = Mutex::new(Vec::new());

/// Folders whose files are a table, each with the name the user gave it: what is added to them would be read as a part of it.
static TABLES: Mutex<Vec<(PathBuf, String)>> = Mutex::new(Vec::new());

/// Patterns whose files are a table.
static PATTERNS: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// What makes two paths the same file: links and other spellings do not matter.
#[cfg(unix)]
type Identity = (u64, u64);
#[cfg(not(unix))]
type Identity = PathBuf;

/// Remembers an argument that names an input: a file, a run folder, or `-` for whatever standard input is.
pub(crate) fn protect(argument: &Path) {
    let shown = argument.display().to_string();
    let path = if shown == "-" { Path::new("/dev/stdin") } else { argument };
    // The page is made of the others and may be made anew.
    let read = FILES.into_iter().chain([CONSENSUS]).filter(|name| *name != PAGE);
    let mut inside: Vec<PathBuf> = match path.is_dir() {
        true => read.map(|name| path.join(name)).collect(),
        false => vec![path.to_path_buf()],
    };
    // A table in several files; what is wrong with it is said when it is read. What else lies in the folder of a run is no input.
    if !inside.iter().any(|path| path.is_file()) {
        inside.extend(data::parts(path).ok().flatten().into_iter().flatten());
        match fs::canonicalize(path) {
            Ok(folder) if folder.is_dir() => {
                TABLES.lock().unwrap_or_else(PoisonError::into_inner).push((folder, shown.clone()));
            }
            Err(_) if inside.len() > 1 => {
                PATTERNS.lock().unwrap_or_else(PoisonError::into_inner).push(path.to_path_buf());
            }
            _ => {}
        }
    }
    let found = inside.iter().filter_map(|path| identity(path)).map(|file| (file, shown.clone()));
    READ.lock().unwrap_or_else(PoisonError::into_inner).extend(found);
}

/// Refuses a folder for what would be read as a part of the table next time.
pub(crate) fn refuse_folder(output: &Path) -> Result<(), Failure> {
    let Ok(folder) = fs::canonicalize(output) else { return Ok(()) };
    let tables = TABLES.lock().unwrap_or_else(PoisonError::into_inner);
    match tables.iter().find(|(table, _)| *table == folder) {
        None => Ok(()),
        Some((_, table)) => Err(Failure::Input(format!(
            "{}: the files of this folder are a table of the command ({table}), and what is written there would be read as a part of it: choose \
             another folder",
            output.display()
        ))),
    }
}

/// Refuses a path that a pattern of the table would find next time.
fn refuse_match(output: &Path) -> Result<(), Failure> {
    let patterns = PATTERNS.lock().unwrap_or_else(PoisonError::into_inner);
    match patterns.iter().find(|pattern| data::is_of_pattern(pattern, output)) {
        None => Ok(()),
        Some(pattern) => Err(Failure::Input(format!(
            "{}: a table of the command is all files of a pattern ({}), and this one would be read as a part of it: choose another folder",
            output.display(),
            pattern.display()
        ))),
    }
}

/// Refuses a path that leads to an input, and one of a new part of a table that is a folder.
pub(crate) fn refuse(output: &Path) -> Result<(), Failure> {
    let read = READ.lock().unwrap_or_else(PoisonError::into_inner);
    let same = identity(output).and_then(|file| read.iter().find(|(other, _)| *other == file));
    let Some((_, input)) = same else {
        refuse_match(output)?;
        let above = output.parent().filter(|above| !above.as_os_str().is_empty());
        return if data::is_part(output) { refuse_folder(above.unwrap_or(Path::new("."))) } else { Ok(()) };
    };
    let from = if input == "-" { "standard input" } else { input };
    let output = output.display();
    Err(Failure::Input(format!(
        "{output}: this file is an input of the command ({from}) and is not written over: choose another file"
    )))
}

/// Only ordinary files can be lost: devices and pipes have none, nor has what does not exist.
fn identity(path: &Path) -> Option<Identity> {
    let about = fs::metadata(path).ok().filter(Metadata::is_file)?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        Some((about.dev(), about.ino()))
    }
    #[cfg(not(unix))]
    {
        drop(about);
        fs::canonicalize(path).ok()
    }
}
