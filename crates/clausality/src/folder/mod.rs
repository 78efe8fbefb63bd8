//! A run folder on disk: whole or not there.
//!
//! The new folder is written beside the old one, every file and the folder itself are synced, and then the two trade places in one
//! step; until that step the old run stands, after it the new one. Who is killed in between leaves a part beside, which the
//! next command in that folder clears away. What else lies in the folder (notes, drawings, other runs) moves along.
//!
//! ```text
//! DIR/                       the run, as everybody sees it
//! .clausality-DIR.lock       held by the one command that writes; a lock that nobody holds is nobody's
//! .clausality-DIR.part/      the new run under way; after the step what is left of the old one
//! .clausality-DIR.old/       the old run, where two folders cannot trade places in one step
//! .clausality-DIR.scraps     what is finished of a run that is not whole yet, see [`Scraps`]; so .rows and .shards
//! ```
//!
//! Where a folder cannot be exchanged (it is where the program runs, another disk begins there, the folder above may not
//! be written) the new run is made ready in `DIR/.clausality.part/`, which is renamed to `DIR/.clausality.new/` once it
//! is whole; from there its files are renamed into the folder one by one. That is more than one step, but from the
//! first on it is decided: whoever comes next, reader or writer, finishes what was begun.
//!
//! Every file of a run says which run it belongs to, see [`check`]; a mixture of two is refused by name.
//!
//! ```
//! use clausality::folder::NewFolder;
//! let desk = tempfile::tempdir().unwrap();
//! let target = desk.path().join("run");
//! let reserved = NewFolder::for_run(&target)?;                  // before the long work: can it be written?
//! assert!(NewFolder::for_run(&target).is_err());                // somebody is at work there
//! reserved.fill(&[("run.json".into(), b"{}".to_vec())])?;       // all files at once
//! assert!(target.join("run.json").is_file());
//! # Ok::<(), clausality::Error>(())
//! ```

mod desk;
mod kept;
mod lock;
mod new;
mod place;
mod seal;
mod steps;
#[cfg(test)]
mod tests;

pub use desk::{DESK, Desk, Scenario};
pub use kept::{Kept, Scraps, Work};
pub use lock::Held;
pub(crate) use lock::open_plain;
pub use new::{NewFolder, abandon};
pub(crate) use seal::{PAGE_MARK, in_bif};
pub use seal::{check, digest, id_of, is_run};

use crate::error::{Error, ErrorClass};
use std::fs;
use std::io;
use std::path::Path;
use thiserror::Error as ThisError;

/// The page about a run.
pub const PAGE: &str = "report.html";

/// The names of the files of a run, in the order in which [`crate::tell::files`] gives them.
pub const FILES: [&str; 7] =
    ["run.json", "network.bif", "network.json", "edges.csv", "strengths.csv", "clauses.json", PAGE];

/// The file of the consensus network, which stands beside them if the learning was repeated.
pub const CONSENSUS: &str = "consensus.json";

/// Every name that a run may write.
pub(crate) const OWN: [&str; 8] = [
    "run.json",
    "network.bif",
    "network.json",
    "edges.csv",
    "strengths.csv",
    "clauses.json",
    PAGE,
    CONSENSUS,
];

/// What can be wrong with a folder that is to be written, or whose files should belong together.
#[derive(Debug, Clone, PartialEq, Eq, ThisError)]
#[non_exhaustive]
pub enum FolderError {
    /// Another command is at work in the folder.
    #[error("{folder}: another command is writing here: wait for its end, or choose another folder")]
    Busy {
        /// The folder.
        folder: String,
    },
    /// A file where a folder is needed.
    #[error("{folder}: this is a file, not a folder")]
    NotAFolder {
        /// The path.
        folder: String,
    },
    /// A file of somebody else that the run would replace.
    #[error(
        "{folder}: this folder holds a {file} that no run of clausality wrote: choose another folder, or move the file away"
    )]
    Foreign {
        /// The folder.
        folder: String,
        /// The file.
        file: String,
    },
    /// What an earlier command left unfinished is of another table or of other settings.
    #[error(
        "{folder}: the run that was interrupted here {differs}: repeat the earlier command to go on with it, or start anew with --fresh"
    )]
    OtherWork {
        /// The folder.
        folder: String,
        /// What differs, as the rest of the sentence.
        differs: String,
    },
    /// Something in the surroundings forbids it: no permission, no space, a broken disk.
    #[error("{path}: {doing}: {reason}")]
    Cannot {
        /// The folder or file.
        path: String,
        /// What was tried.
        doing: &'static str,
        /// What the operating system said.
        reason: String,
    },
    /// A file of the run is not there.
    #[error(
        "{folder}: this run is not whole, it has no {file}: copy the whole folder, or learn the run again"
    )]
    Missing {
        /// The folder.
        folder: String,
        /// The file.
        file: String,
    },
    /// A file of another run.
    #[error(
        "{folder}: {file} belongs to another run than run.json: copy the whole folder, or learn the run again"
    )]
    Mixed {
        /// The folder.
        folder: String,
        /// The file.
        file: String,
    },
    /// A file that is not as the run wrote it.
    #[error(
        "{folder}: {file} is not as the run wrote it: it was changed, or it is of another run; learn the run again"
    )]
    Changed {
        /// The folder.
        folder: String,
        /// The file.
        file: String,
    },
}

impl FolderError {
    /// Who has to act.
    pub fn class(&self) -> ErrorClass {
        match self {
            FolderError::Busy { .. } | FolderError::Cannot { .. } => ErrorClass::Surroundings,
            _ => ErrorClass::Input,
        }
    }

    pub(crate) fn cannot(path: &Path, doing: &'static str, error: &io::Error) -> Self {
        let reason = match error.kind() {
            io::ErrorKind::NotADirectory => "a part of the path is a file, not a folder".to_string(),
            _ => error.to_string(),
        };
        FolderError::Cannot { path: path.display().to_string(), doing, reason }
    }

    /// The same, and that the work goes on where what is finished of it is kept.
    pub(crate) fn where_kept(self, kept: bool) -> Self {
        match self {
            FolderError::Cannot { path, doing, reason } if kept => {
                let reason = format!(
                    "{reason}; what is finished is kept, and once that is mended the same command goes on from there"
                );
                FolderError::Cannot { path, doing, reason }
            }
            other => other,
        }
    }
}

/// The command whose run was to stand in a folder and was interrupted, if one was: what it finished waits for the same command.
pub fn interrupted(folder: &Path) -> Option<String> {
    let place = place::Place::of(folder, &OWN).ok()?;
    place.all_scraps().iter().find_map(|scraps| kept::command_of(scraps))
}

/// Finishes or clears away what a killed command left in or beside a folder, as far as that can be done: nobody else is at work
/// there, and we may write. Readers call it first, so that they find a run and not its halves.
pub fn recover(folder: &Path) {
    if let Ok(place) = place::Place::of(folder, &OWN)
        && place.has_leftovers()
        && let Ok(Some(lock)) = lock::Lock::take(&place)
    {
        let _ = steps::recover(&place);
        drop(lock);
    }
}

/// Reads from a folder that may be exchanged meanwhile: if another run came to stand there, what failed is tried again.
pub(crate) fn steadily<T>(folder: &Path, read: impl Fn() -> Result<T, Error>) -> Result<T, Error> {
    /// Nobody exchanges a folder so often in the time of a read.
    const TRIES: usize = 8;
    recover(folder);
    let mut before = place::identity(folder);
    let mut found = read();
    for _ in 1..TRIES {
        let after = place::identity(folder);
        if found.is_ok() || after == before {
            break;
        }
        before = after;
        found = read();
    }
    found
}

/// Lets the disk have what was written to a folder: its names. Folders that cannot be opened or synced have to do without.
fn sync(folder: &Path) -> io::Result<()> {
    match fs::File::open(folder) {
        Ok(folder) if cfg!(unix) => match folder.sync_all() {
            Err(error) if error.kind() != io::ErrorKind::InvalidInput => Err(error),
            _ => Ok(()),
        },
        _ => Ok(()),
    }
}
