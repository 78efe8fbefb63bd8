//! Who writes: one command at a time.
//!
//! The operating system holds the lock for as long as the process lives, so a crash leaves a file that nobody holds and no lock. The
//! file is removed by whoever held it last; as somebody may have opened it before, a lock counts only if the file is still
//! the one of its name.

use super::place::{Place, inode};
use super::{FolderError, OWN};
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

/// A lock that is held.
#[derive(Debug)]
pub(super) struct Lock {
    // Held until it is closed.
    _file: File,
    path: PathBuf,
}

impl Lock {
    /// Takes the lock of a folder; nothing if somebody else has it.
    pub(super) fn take(place: &Place) -> io::Result<Option<Self>> {
        let mut refused = None;
        for path in place.locks().into_iter().flatten() {
            match Lock::at(path) {
                // Who may not write beside the folder may still write into it, if it is there.
                Err(error) if forbidden(&error) => refused = Some(error),
                Err(error) if refused.is_some() && error.kind() == io::ErrorKind::NotFound => {}
                found => return found,
            }
        }
        Err(refused.unwrap_or_else(|| io::ErrorKind::PermissionDenied.into()))
    }

    fn at(path: PathBuf) -> io::Result<Option<Self>> {
        loop {
            let file = open_plain(&path, true)?;
            match file.try_lock() {
                Err(TryLockError::WouldBlock) => return Ok(None),
                // A disk without locks: whoever works there looks after it himself.
                Ok(()) | Err(TryLockError::Error(_)) => {}
            }
            if is_still(&file, &path) {
                return Ok(Some(Lock { _file: file, path }));
            }
        }
    }

    /// The file that stands for the lock.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        // While it is held: nobody else's lock can have this name.
        let _ = fs::remove_file(&self.path);
    }
}

/// Whether somebody writes the folder at this moment.
pub(super) fn is_held(place: &Place) -> bool {
    place.locks().into_iter().flatten().any(|path| is_held_at(&path))
}

pub(super) fn is_held_at(path: &Path) -> bool {
    open_plain(path, false).is_ok_and(|file| matches!(file.try_lock(), Err(TryLockError::WouldBlock)))
}

/// Whether a place may not be written at all, whatever is done there.
pub(super) fn forbidden(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem)
}

/// Opens a file of ours to be read and written, and nothing else that somebody put in its place.
pub(crate) fn open_plain(path: &Path, create: bool) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(create);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        // A link that somebody put there leads to a file of his choice; a pipe would never answer.
        let flags = rustix::fs::OFlags::NOFOLLOW | rustix::fs::OFlags::NONBLOCK;
        options.custom_flags(flags.bits().cast_signed());
    }
    options.open(path)
}

fn is_still(file: &File, path: &Path) -> bool {
    let (held, named) = (file.metadata(), fs::symlink_metadata(path));
    held.is_ok_and(|held| named.is_ok_and(|named| inode(&held) == inode(&named)))
}

/// A run folder in which a single file is made anew: nobody exchanges the folder meanwhile.
#[derive(Debug)]
pub struct Held(#[expect(dead_code, reason = "held until it is dropped")] Lock);

impl Held {
    /// Holds the folder.
    ///
    /// # Errors
    /// [`FolderError::Busy`] if somebody else is at work there, or whatever keeps us from writing.
    pub fn folder(path: &Path) -> Result<Self, FolderError> {
        let place = Place::of(path, &OWN)?;
        let lock =
            Lock::take(&place).map_err(|error| FolderError::cannot(path, "cannot write here", &error))?;
        lock.map(Held).ok_or_else(|| FolderError::Busy { folder: path.display().to_string() })
    }
}
