//! Files we write: whole or not at all.
//!
//! A file is first reserved (a temporary file in the same folder, so an unwritable place is found out before long work),
//! then filled, then renamed over the target. Dropping an unfinished reservation, an error or Ctrl-C removes it; a file
//! that stood there before is lost only to a complete successor.

use super::inputs;
use crate::failure::Failure;
use std::fs;
use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use tempfile::NamedTempFile;

/// Temporary files and new folders that would be left behind if the program ended now.
static UNFINISHED: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// What Ctrl-C does instead of ending the program: for work that has no other end.
type Farewell = Box<dyn FnOnce() + Send>;
static FAREWELL: Mutex<Option<Farewell>> = Mutex::new(None);

/// The next Ctrl-C does this; the one after it ends the program as ever.
pub(crate) fn on_interrupt(farewell: impl FnOnce() + Send + 'static) {
    *FAREWELL.lock().unwrap_or_else(PoisonError::into_inner) = Some(Box::new(farewell));
}

/// On Ctrl-C removes unfinished files and ends with exit code 130.
pub(crate) fn remove_unfinished_on_interrupt() {
    // Without a handler Ctrl-C still ends the program; only the cleaning up would be missing.
    let _ = ctrlc::set_handler(|| {
        if let Some(farewell) = FAREWELL.lock().unwrap_or_else(PoisonError::into_inner).take() {
            return farewell();
        }
        let unfinished = UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner);
        for path in unfinished.iter().rev() {
            let _ = if path.is_dir() { fs::remove_dir(path) } else { fs::remove_file(path) };
        }
        // The line may hold a progress bar.
        let start = if io::stderr().is_terminal() { "\r\u{1b}[K" } else { "" };
        let _ = writeln!(io::stderr(), "{start}error: interrupted");
        std::process::exit(130);
    });
}

fn watch(path: &Path) {
    UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner).push(path.to_path_buf());
}

fn unwatch(path: &Path) {
    UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner).retain(|other| other != path);
}

/// A file that will be written whole or not at all.
#[derive(Debug)]
pub(crate) struct OutputFile {
    target: PathBuf,
    shown: String,
    sink: Sink,
    /// The temporary file, as long as it is there.
    unfinished: Option<PathBuf>,
}

#[derive(Debug)]
enum Sink {
    /// A temporary file beside the target.
    Temporary(NamedTempFile),
    /// A device or pipe, which cannot be replaced by renaming.
    Device(fs::File),
    /// Nothing more to write.
    Done,
}

impl OutputFile {
    /// As [`OutputFile::reserve`], for rows: an ending that promises something else than CSV is refused.
    pub(crate) fn reserve_csv(path: &Path) -> Result<Self, Failure> {
        if path.extension().is_some_and(|ending| !ending.eq_ignore_ascii_case("csv")) {
            let shown = path.display();
            return Err(Failure::Input(format!(
                "{shown}: rows are written as CSV: expected a file that ends in .csv"
            )));
        }
        OutputFile::reserve(path)
    }

    /// Makes sure that the target can be written, before long work.
    pub(crate) fn reserve(path: &Path) -> Result<Self, Failure> {
        inputs::refuse(path)?;
        let shown = path.display().to_string();
        let refuse = |error: io::Error| {
            Failure::Surroundings(format!("{shown}: cannot write here: {}", reason(&error)))
        };
        // A link keeps pointing where it did: its target is replaced, not the link.
        let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
        let existing = fs::metadata(&target).ok();
        if existing.as_ref().is_some_and(fs::Metadata::is_dir) {
            return Err(Failure::Input(format!("{shown}: cannot write here: this is a folder")));
        }
        if existing.as_ref().is_some_and(|meta| !meta.is_file()) {
            let file = fs::OpenOptions::new().write(true).open(&target).map_err(refuse)?;
            return Ok(OutputFile { target, shown, sink: Sink::Device(file), unfinished: None });
        }
        if let Some(meta) = &existing
            && meta.permissions().readonly()
        {
            return Err(Failure::Surroundings(format!("{shown}: cannot write here: the file is read-only")));
        }
        let folder =
            target.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let temporary = temporary_in(folder, existing.as_ref()).map_err(refuse)?;
        let unfinished = temporary.path().to_path_buf();
        watch(&unfinished);
        Ok(OutputFile { target, shown, sink: Sink::Temporary(temporary), unfinished: Some(unfinished) })
    }

    /// Writes the content and puts it in place.
    pub(crate) fn write(self, content: &[u8]) -> Result<(), Failure> {
        self.write_with(|file| file.write_all(content))
    }

    /// Lets the content be written piece by piece, then puts it in place.
    pub(crate) fn write_with(
        mut self,
        fill: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> Result<(), Failure> {
        let shown = self.shown.clone();
        let refuse = |error: io::Error| Failure::Surroundings(format!("{shown}: cannot write: {error}"));
        let file = match &mut self.sink {
            Sink::Device(file) => file,
            Sink::Temporary(temporary) => temporary.as_file_mut(),
            Sink::Done => return Ok(()),
        };
        fill(file).and_then(|()| file.flush()).map_err(refuse)?;
        if let Sink::Temporary(temporary) = std::mem::replace(&mut self.sink, Sink::Done) {
            temporary.as_file().sync_all().map_err(refuse)?;
            temporary.persist(&self.target).map_err(|error| refuse(error.error))?;
        }
        Ok(())
    }
}

impl Drop for OutputFile {
    fn drop(&mut self) {
        self.sink = Sink::Done;
        if let Some(path) = &self.unfinished {
            unwatch(path);
        }
    }
}

/// Why a place cannot be written to. The error itself would name our temporary file, which nobody asked for.
fn reason(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => "there is no such folder".into(),
        io::ErrorKind::NotADirectory => "a part of the path is a file, not a folder".into(),
        kind => kind.to_string(),
    }
}

/// A temporary file with the access rights that the target has, or that any new file would get.
fn temporary_in(folder: &Path, existing: Option<&fs::Metadata>) -> io::Result<NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".clausality-").suffix(".part");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(fs::Permissions::from_mode(0o666));
    }
    let temporary = builder.tempfile_in(folder)?;
    if let Some(existing) = existing {
        temporary.as_file().set_permissions(existing.permissions())?;
    }
    Ok(temporary)
}

/// A folder that is made if need be, and unmade if nothing came of it.
#[derive(Debug)]
pub(crate) struct OutputFolder {
    path: PathBuf,
    made: Vec<PathBuf>,
}

impl OutputFolder {
    /// Makes the folder (and those above it) unless it exists.
    pub(crate) fn reserve(path: &Path) -> Result<Self, Failure> {
        let mut folder = OutputFolder { path: path.to_path_buf(), made: Vec::new() };
        let mut missing: Vec<&Path> =
            path.ancestors().take_while(|a| !a.as_os_str().is_empty() && !a.exists()).collect();
        missing.reverse();
        for part in missing {
            fs::create_dir(part).map_err(|error| {
                Failure::Surroundings(format!("{}: cannot make this folder: {error}", path.display()))
            })?;
            watch(part);
            folder.made.push(part.to_path_buf());
        }
        if !path.is_dir() {
            return Err(Failure::Input(format!("{}: this is a file, not a folder", path.display())));
        }
        Ok(folder)
    }

    /// Reserves a file in the folder.
    pub(crate) fn file(&self, name: &str) -> Result<OutputFile, Failure> {
        OutputFile::reserve(&self.path.join(name))
    }

    /// Takes away a file of that name, if there is one.
    pub(crate) fn remove(&self, name: &str) -> Result<(), Failure> {
        let path = self.path.join(name);
        match fs::remove_file(&path) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                Err(Failure::Surroundings(format!("{}: cannot remove this file: {error}", path.display())))
            }
            _ => Ok(()),
        }
    }

    /// Keeps the folder: everything in it has been written.
    pub(crate) fn keep(mut self) {
        self.made.drain(..).for_each(|path| unwatch(&path));
    }
}

impl Drop for OutputFolder {
    fn drop(&mut self) {
        for path in self.made.iter().rev() {
            unwatch(path);
            // Only an empty folder goes: what somebody else put there stays.
            let _ = fs::remove_dir(path);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let mut names: Vec<_> =
            fs::read_dir(folder).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn a_finished_file_replaces_the_old_one_and_an_unfinished_one_does_not() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("net.bif");
        fs::write(&path, "old").unwrap();
        drop(OutputFile::reserve(&path).unwrap());
        assert_eq!(fs::read_to_string(&path).unwrap(), "old");
        assert_eq!(names(folder.path()), ["net.bif"]);
        OutputFile::reserve(&path).unwrap().write(b"new").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "new");
        assert_eq!(names(folder.path()), ["net.bif"]);
    }

    #[test]
    fn unwritable_places_are_refused_before_the_work() {
        let folder = tempfile::tempdir().unwrap();
        assert!(matches!(OutputFile::reserve(folder.path()), Err(Failure::Input(_))));
        let nowhere = folder.path().join("no/such/folder/net.bif");
        assert!(matches!(OutputFile::reserve(&nowhere), Err(Failure::Surroundings(_))));
    }

    #[test]
    fn a_folder_without_result_is_unmade() {
        let folder = tempfile::tempdir().unwrap();
        let run = folder.path().join("a/run");
        let reserved = OutputFolder::reserve(&run).unwrap();
        drop(reserved.file("run.json").unwrap());
        drop(reserved);
        assert!(names(folder.path()).is_empty());
        let reserved = OutputFolder::reserve(&run).unwrap();
        reserved.file("run.json").unwrap().write(b"{}").unwrap();
        reserved.keep();
        assert_eq!(names(&run), ["run.json"]);
    }

    #[cfg(unix)]
    #[test]
    fn links_and_devices_stay_what_they_are() {
        let folder = tempfile::tempdir().unwrap();
        let (path, link) = (folder.path().join("net.bif"), folder.path().join("link.bif"));
        fs::write(&path, "old").unwrap();
        std::os::unix::fs::symlink(&path, &link).unwrap();
        OutputFile::reserve(&link).unwrap().write(b"new").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "new");
        assert!(link.is_symlink());
        OutputFile::reserve(Path::new("/dev/null")).unwrap().write(b"gone").unwrap();
    }
}
