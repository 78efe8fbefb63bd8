//! Where a folder stands, and the names of what may lie in and beside it while it is written.

use super::FolderError;
use std::ffi::{OsStr, OsString};
use std::fs::{self, Metadata};
use std::path::{Path, PathBuf};

/// The lock inside a folder, for those who may not write beside it.
pub(super) const LOCK_INSIDE: &str = ".clausality.lock";

/// A folder and the paths that belong to writing it.
#[derive(Debug, Clone)]
pub(super) struct Place {
    /// The folder as the user named it.
    pub(super) shown: PathBuf,
    /// The folder itself: links to it are followed.
    pub(super) folder: PathBuf,
    /// The folder above, unless there is none.
    pub(super) above: Option<PathBuf>,
    /// The files that are replaced; everything else in the folder stays.
    pub(super) own: &'static [&'static str],
}

impl Place {
    pub(super) fn of(path: &Path, own: &'static [&'static str]) -> Result<Self, FolderError> {
        let folder = match fs::canonicalize(path) {
            Ok(found) => found,
            // Not there yet: its name is the last part of the path.
            Err(error) if path.file_name().is_some() => match path.symlink_metadata() {
                Ok(_) => return Err(FolderError::cannot(path, "this link leads nowhere", &error)),
                Err(_) => std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf()),
            },
            Err(error) => return Err(FolderError::cannot(path, "cannot write here", &error)),
        };
        let above = folder.file_name().and_then(|_| folder.parent()).map(Path::to_path_buf);
        Ok(Place { shown: path.to_path_buf(), folder, above, own })
    }

    /// A hidden name beside the folder, made of its own. Names inside have a point where this has a dash: what lies inside one
    /// folder lies beside another.
    fn beside(&self, ending: &str) -> Option<PathBuf> {
        let name = self.folder.file_name()?;
        let mut hidden = OsString::from(".clausality-");
        hidden.push(name);
        hidden.push(ending);
        // Too long a name for the disk would make a folder that can be named unwritable.
        if hidden.len() > 250 {
            hidden = format!(".clausality-{}{ending}", super::digest(name.as_encoded_bytes())).into();
        }
        Some(self.above.as_ref()?.join(hidden))
    }

    /// The new folder under way.
    pub(super) fn part(&self) -> Option<PathBuf> {
        self.beside(".part")
    }

    /// The old folder, where two cannot trade places in one step.
    pub(super) fn old(&self) -> Option<PathBuf> {
        self.beside(".old")
    }

    /// The lock beside the folder, and the one inside it for those who may not write beside.
    pub(super) fn locks(&self) -> [Option<PathBuf>; 2] {
        [self.beside(".lock"), Some(self.folder.join(LOCK_INSIDE))]
    }

    /// What is finished of a run that is not whole yet, beside the folder.
    pub(super) fn scraps(&self) -> Option<PathBuf> {
        self.beside(".scraps")
    }

    /// The same inside the folder, for those who may not write beside it.
    pub(super) fn scraps_inside(&self) -> PathBuf {
        self.folder.join(".clausality.scraps")
    }

    /// Both places.
    pub(super) fn all_scraps(&self) -> Vec<PathBuf> {
        self.scraps().into_iter().chain([self.scraps_inside()]).collect()
    }

    /// The new files under way inside the folder.
    pub(super) fn part_inside(&self) -> PathBuf {
        self.folder.join(".clausality.part")
    }

    /// New files that are whole and on their way into the folder around them.
    pub(super) fn new_inside(&self) -> PathBuf {
        self.folder.join(".clausality.new")
    }

    /// Whether a killed command left something.
    pub(super) fn has_leftovers(&self) -> bool {
        let inside = [self.part_inside(), self.new_inside(), mark_in(&self.folder), self.folder.join(PROBE)];
        inside.into_iter().chain(self.part()).chain(self.old()).any(|path| path.symlink_metadata().is_ok())
    }

    pub(super) fn is_own(&self, name: &OsStr) -> bool {
        self.own.iter().any(|own| name == *own)
    }

    /// Whether the folder cannot be exchanged for another: we stand in it, or nothing is above it.
    pub(super) fn is_fixed(&self) -> bool {
        let here = std::env::current_dir().and_then(fs::canonicalize);
        self.above.is_none() || here.is_ok_and(|here| here.starts_with(&self.folder))
    }
}

/// A file that tries whether entries can move from beside into the folder.
pub(super) const PROBE: &str = ".clausality.probe";

/// The mark of a new folder that has not taken its place. It says who is who if the program is killed around the step in which
/// two folders trade places: the one with the mark is the new one.
pub(super) fn mark_in(folder: &Path) -> PathBuf {
    folder.join(".clausality.mark")
}

/// What tells a folder from another that came to stand in its place, or whose `run.json` did.
pub(super) fn identity(folder: &Path) -> Vec<Option<(u64, u64, Option<std::time::SystemTime>)>> {
    let about = |path: &Path| {
        fs::metadata(path).ok().map(|about| (inode(&about), about.len(), about.modified().ok()))
    };
    vec![about(folder), about(&folder.join("run.json"))]
}

#[cfg(unix)]
pub(super) fn inode(about: &Metadata) -> u64 {
    std::os::unix::fs::MetadataExt::ino(about)
}

#[cfg(not(unix))]
pub(super) fn inode(_: &Metadata) -> u64 {
    0
}
