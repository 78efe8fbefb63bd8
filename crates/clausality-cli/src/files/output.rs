//! Files we write: whole or not at all.
//!
//! A file is first reserved (a temporary file in the same folder, so an unwritable place is found out before long work),
//! then filled, then renamed over the target. Dropping an unfinished reservation, an error or Ctrl-C removes it; a file
//! that stood there before is lost only to a complete successor. A temporary file is locked for as long as somebody fills it: one
//! that nobody holds was left by a program that was killed, and goes when the next file is reserved in that folder.

use super::inputs;
use super::interrupt::{unwatch, watch};
use crate::failure::Failure;
use clausality::folder::is_run;
use clausality::run::{CONSENSUS, FILES};
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;

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
        if path == Path::new("-") {
            return Err(Failure::Input("-: name a file; standard output is /dev/stdout".into()));
        }
        inputs::refuse(path)?;
        refuse_part_of_run(path)?;
        OutputFile::reserve_anywhere(path)
    }

    /// The same also for a file of a run folder.
    pub(super) fn reserve_anywhere(path: &Path) -> Result<Self, Failure> {
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
        self.fill_with(fill)?;
        self.place()
    }

    /// Writes the content without putting it in place: what can go wrong has gone wrong before the first of several files
    /// takes its place.
    pub(crate) fn fill(&mut self, content: &[u8]) -> Result<(), Failure> {
        self.fill_with(|file| file.write_all(content))
    }

    fn fill_with(&mut self, fill: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<(), Failure> {
        let file = match &mut self.sink {
            Sink::Device(file) => file,
            Sink::Temporary(temporary) => temporary.as_file_mut(),
            Sink::Done => return Ok(()),
        };
        let mut filled = fill(file).and_then(|()| file.flush());
        if let Sink::Temporary(temporary) = &self.sink {
            filled = filled.and_then(|()| temporary.as_file().sync_all());
        }
        filled.map_err(|error| self.refusal(&error))
    }

    /// Puts what was filled in place.
    pub(crate) fn place(mut self) -> Result<(), Failure> {
        if let Sink::Temporary(temporary) = std::mem::replace(&mut self.sink, Sink::Done) {
            temporary.persist(&self.target).map_err(|error| self.refusal(&error.error))?;
            sync_folder_of(&self.target).map_err(|error| self.refusal(&error))?;
        }
        Ok(())
    }

    fn refusal(&self, error: &io::Error) -> Failure {
        Failure::Surroundings(format!("{}: cannot write: {error}", self.shown))
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

/// A temporary file with the access rights that the target has, or that any new file would get; locked until it is closed.
fn temporary_in(folder: &Path, existing: Option<&fs::Metadata>) -> io::Result<NamedTempFile> {
    remove_left_parts(folder);
    let mut builder = tempfile::Builder::new();
    builder.prefix(PART_START).suffix(PART_END);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(fs::Permissions::from_mode(0o666));
    }
    loop {
        let temporary = builder.tempfile_in(folder)?;
        // Whoever clears up may have taken it for one that was left, in the moment before it was locked. A disk without locks has
        // nobody who clears up.
        let ours = !matches!(temporary.as_file().try_lock(), Err(fs::TryLockError::WouldBlock));
        if ours && temporary.path().exists() {
            if let Some(existing) = existing {
                temporary.as_file().set_permissions(existing.permissions())?;
            }
            return Ok(temporary);
        }
    }
}

const PART_START: &str = ".clausality.";
const PART_END: &str = ".part";

/// Removes temporary files that a killed program left in a folder: those that nobody holds.
fn remove_left_parts(folder: &Path) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let is_part =
            name.to_str().is_some_and(|name| name.starts_with(PART_START) && name.ends_with(PART_END));
        // Neither links nor pipes are ours.
        if !is_part || !entry.file_type().is_ok_and(|kind| kind.is_file()) {
            continue;
        }
        if let Ok(file) = fs::OpenOptions::new().write(true).open(entry.path())
            && file.try_lock().is_ok()
        {
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// Lets the disk have the new name. A folder that cannot be opened cannot be synced, and neither can folders on other systems.
fn sync_folder_of(path: &Path) -> io::Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    match fs::File::open(folder) {
        Ok(folder) if cfg!(unix) => match folder.sync_all() {
            Err(error) if error.kind() != io::ErrorKind::InvalidInput => Err(error),
            _ => Ok(()),
        },
        _ => Ok(()),
    }
}

/// Files of a run are made together: one alone from elsewhere would make it a mixture.
fn refuse_part_of_run(path: &Path) -> Result<(), Failure> {
    let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
    let is_part =
        target.file_name().is_some_and(|name| FILES.into_iter().chain([CONSENSUS]).any(|own| name == own));
    let folder = target.parent().unwrap_or(Path::new("."));
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    if is_part && is_run(folder) {
        return Err(Failure::Input(format!(
            "{}: this is a file of the run in its folder, which would no longer fit together: choose another file",
            path.display()
        )));
    }
    Ok(())
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
    fn what_a_killed_program_left_goes_and_what_somebody_fills_stays() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        for name in [".clausality.Ab12Cd.part", ".clausality.notes.txt", "mine.part"] {
            fs::write(path(name), "half").unwrap();
        }
        let held = OutputFile::reserve(&path("one.bif")).unwrap();
        assert!(!path(".clausality.Ab12Cd.part").exists());
        let other = OutputFile::reserve(&path("two.bif")).unwrap();
        held.write(b"one").unwrap();
        other.write(b"two").unwrap();
        assert_eq!(names(folder.path()), [".clausality.notes.txt", "mine.part", "one.bif", "two.bif"]);
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
