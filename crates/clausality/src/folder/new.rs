//! A new folder: reserved before the work, filled whole or not at all.

use super::kept::{self, Scraps, Work};
use super::lock::{Lock, forbidden, is_held};
use super::place::{PROBE, Place, mark_in};
use super::steps::{self, GONE, is_real_folder, remove_all};
use super::{FILES, FolderError, OWN, is_run, sync};
use crate::data::FirstPass;
use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// A folder that will be there whole or not at all. Dropped, it leaves everything as it was.
#[derive(Debug)]
pub struct NewFolder {
    place: Place,
    /// Where the new files are made ready.
    staged: PathBuf,
    /// Whether that is inside the folder, which cannot be exchanged.
    inside: bool,
    /// Folders above that had to be made.
    made: Vec<PathBuf>,
    // Given back last.
    lock: Option<Lock>,
    ticket: u64,
}

impl NewFolder {
    /// A place for a run: an earlier run may be replaced, files of other origin may not.
    ///
    /// # Errors
    /// As [`NewFolder::reserve`], and [`FolderError::Foreign`].
    pub fn for_run(path: &Path) -> Result<Self, FolderError> {
        NewFolder::for_runs(path, &[])
    }

    /// The same for a run with others in folders below it, which all appear in the same step.
    ///
    /// # Errors
    /// As [`NewFolder::for_run`].
    pub fn for_runs(path: &Path, below: &[&str]) -> Result<Self, FolderError> {
        refuse_foreign(path)?;
        below.iter().try_for_each(|name| refuse_foreign(&path.join(name)))?;
        let reserved = NewFolder::reserve(path, &OWN)?;
        for inner in below.iter().map(|name| path.join(name)) {
            // Another command may be at work on one of them alone.
            if Place::of(&inner, &OWN).is_ok_and(|place| is_held(&place)) {
                return Err(FolderError::Busy { folder: inner.display().to_string() });
            }
            refuse_read_only(&inner, &OWN)?;
        }
        Ok(reserved)
    }

    /// Makes sure, before long work, that the folder can be written and that nobody else does. Files of the names `own` will be
    /// replaced; everything else in the folder stays.
    ///
    /// # Errors
    /// [`FolderError::Busy`] if another command is at work there, [`FolderError::NotAFolder`], or whatever keeps us from writing.
    pub fn reserve(path: &Path, own: &'static [&'static str]) -> Result<Self, FolderError> {
        let place = Place::of(path, own)?;
        // What is made beside it has another name, and would only show at the end that this one cannot be.
        if let Err(error) = fs::symlink_metadata(&place.folder)
            && error.kind() == io::ErrorKind::InvalidFilename
        {
            return Err(FolderError::cannot(path, "cannot write here", &error));
        }
        if place.folder.exists() && !place.folder.is_dir() {
            return Err(FolderError::NotAFolder { folder: path.display().to_string() });
        }
        for above in place.folder.ancestors().skip(1) {
            if Place::of(above, own).is_ok_and(|above| is_held(&above)) {
                return Err(FolderError::Busy { folder: above.display().to_string() });
            }
        }
        refuse_read_only(&place.folder, own)?;
        let ticket = next_ticket();
        let staged = place.part_inside();
        let mut new = NewFolder { place, staged, inside: true, made: Vec::new(), lock: None, ticket };
        new.make_folders_above()?;
        let cannot = |error: io::Error| FolderError::cannot(path, "cannot write here", &error);
        let lock = Lock::take(&new.place).map_err(cannot)?;
        new.lock = Some(lock.ok_or_else(|| FolderError::Busy { folder: path.display().to_string() })?);
        new.register();
        steps::recover(&new.place).map_err(|error| {
            FolderError::cannot(path, "cannot clear away what an earlier command left", &error)
        })?;
        new.stage().map_err(cannot)?;
        Ok(new)
    }

    /// The folder as the user named it.
    pub fn path(&self) -> &Path {
        &self.place.shown
    }

    /// What an earlier command finished of the same work here and could not complete; `fresh` begins anew, which loses it with the first
    /// piece that is finished. It goes when the folder takes its place.
    ///
    /// # Errors
    /// [`FolderError::OtherWork`]; whatever keeps it from being read.
    pub fn scraps(&self, work: Work, fresh: bool) -> Result<Scraps, FolderError> {
        Scraps::open(&self.place, self.inside, work, fresh)
    }

    /// Where what a first look at a long table told is kept, for the same work after an interruption ([`crate::data::FirstPass`]). It goes when the
    /// folder takes its place. Work that was interrupted here keeps what it was told; if this one is to begin anew, nothing is kept until that is gone.
    pub fn first_pass(&self, fresh: bool) -> FirstPass<'static> {
        let (path, begun) = kept::rows(&self.place, self.inside);
        let kept = (!fresh || !begun).then_some(path);
        FirstPass::kept(kept).beside_others(begun)
    }

    fn make_folders_above(&mut self) -> Result<(), FolderError> {
        let above = self.place.above.as_deref().into_iter().flat_map(Path::ancestors);
        let mut missing: Vec<PathBuf> = above.take_while(|a| !a.exists()).map(Path::to_path_buf).collect();
        missing.reverse();
        for folder in missing {
            fs::create_dir(&folder)
                .map_err(|error| FolderError::cannot(&self.place.shown, "cannot make this folder", &error))?;
            self.made.push(folder);
        }
        Ok(())
    }

    /// Makes the folder for the new files: beside, unless the old folder has to stay where it is.
    fn stage(&mut self) -> io::Result<()> {
        let there = is_real_folder(&self.place.folder);
        if let Some(part) = self.place.part().filter(|_| !there || !self.place.is_fixed()) {
            self.staged.clone_from(&part);
            self.inside = false;
            self.register();
            match make_beside(&part, there.then_some(&self.place.folder)) {
                Err(error)
                    if there && (forbidden(&error) || error.kind() == io::ErrorKind::CrossesDevices) =>
                {
                    let _ = remove_all(&part);
                }
                made => return made,
            }
        }
        self.staged = self.place.part_inside();
        self.inside = true;
        self.register();
        fs::create_dir(&self.staged)
    }

    /// Writes the files, named by their paths inside the folder, and puts the folder in its place.
    ///
    /// # Errors
    /// Whatever the disk says. The folder is then as it was before; or, if the disk failed after the new files took their place,
    /// whole and new.
    pub fn fill(mut self, files: &[(String, Vec<u8>)]) -> Result<(), FolderError> {
        let kept = self.place.all_scraps().iter().any(|scraps| scraps.is_file());
        for (name, bytes) in files {
            self.write(name, bytes).map_err(|error| {
                FolderError::cannot(&self.place.shown.join(name), "cannot write", &error).where_kept(kept)
            })?;
        }
        let shown = self.place.shown.clone();
        let cannot = |error: io::Error| FolderError::cannot(&shown, "cannot write", &error);
        self.complete(files).map_err(|error| cannot(error).where_kept(kept))?;
        // An interrupt waits until the folder has taken its place.
        let mut unfinished = unfinished();
        unfinished.retain(|left| left.ticket != self.ticket);
        self.made.clear();
        // From here on what lies beside may be the old folder: it is no longer ours to remove.
        let staged = std::mem::take(&mut self.staged);
        match self.inside {
            true => steps::move_in(&self.place),
            false => steps::exchange(&self.place, &staged),
        }
        .and_then(|()| kept::remove(&self.place))
        .map_err(cannot)
    }

    fn write(&self, name: &str, bytes: &[u8]) -> io::Result<()> {
        let path = self.staged.join(name);
        if let Some(folder) = path.parent().filter(|folder| !folder.exists()) {
            fs::create_dir_all(folder)?;
        }
        let mut file = File::create_new(&path)?;
        // A file keeps the access rights of the one it replaces; a link has none of its own.
        let existing = self.place.folder.join(name).symlink_metadata().ok().filter(fs::Metadata::is_file);
        if let Some(existing) = existing {
            file.set_permissions(existing.permissions())?;
        }
        file.write_all(bytes)?;
        file.sync_all()
    }

    /// What the new folder needs beside its files before it takes its place.
    fn complete(&self, files: &[(String, Vec<u8>)]) -> io::Result<()> {
        let below = |name: &str| Path::new(name).parent().map(Path::to_path_buf).unwrap_or_default();
        let folders: BTreeSet<PathBuf> =
            files.iter().map(|(name, _)| below(name)).chain([PathBuf::new()]).collect();
        for folder in folders.iter().rev() {
            for name in self.place.own.iter().filter(|_| self.inside) {
                let (new, old) = (self.staged.join(folder), self.place.folder.join(folder));
                if !new.join(name).exists() && old.join(name).symlink_metadata().is_ok() {
                    File::create_new(new.join(format!("{name}{GONE}")))?;
                }
            }
            sync(&self.staged.join(folder))?;
        }
        if let Ok(about) = fs::metadata(&self.place.folder)
            && !self.inside
        {
            fs::set_permissions(&self.staged, about.permissions())?;
        }
        Ok(())
    }

    /// Says what is to be removed if the program ends now.
    fn register(&self) {
        let lock = self.lock.iter().map(|lock| lock.path().to_path_buf());
        let parts = [self.staged.clone()].into_iter().chain(lock).collect();
        let mut unfinished = unfinished();
        unfinished.retain(|left| left.ticket != self.ticket);
        let (made, scraps) = (self.made.clone(), self.place.all_scraps());
        unfinished.push(Unfinished { ticket: self.ticket, parts, made, scraps });
    }
}

impl Drop for NewFolder {
    fn drop(&mut self) {
        let mut unfinished = unfinished();
        unfinished.retain(|left| left.ticket != self.ticket);
        if !self.staged.as_os_str().is_empty() && self.lock.is_some() {
            let _ = remove_all(&self.staged);
            kept::remove_idle(&self.place);
        }
        self.lock = None;
        for folder in self.made.iter().rev() {
            // Only an empty folder goes: what somebody else put there stays.
            let _ = fs::remove_dir(folder);
        }
    }
}

/// A folder with a mark that it is new; that its entries can move into the old one is tried before the work.
fn make_beside(part: &Path, old: Option<&PathBuf>) -> io::Result<()> {
    fs::create_dir(part)?;
    File::create_new(mark_in(part))?;
    if let Some(old) = old {
        File::create_new(part.join(PROBE))?;
        fs::rename(part.join(PROBE), old.join(PROBE))?;
        fs::remove_file(old.join(PROBE))?;
    }
    Ok(())
}

fn refuse_foreign(folder: &Path) -> Result<(), FolderError> {
    let first = folder.join(FILES[0]);
    let foreign = match first.symlink_metadata().is_ok() {
        true => (!is_run(folder)).then_some(FILES[0]),
        false => OWN.into_iter().find(|name| folder.join(name).symlink_metadata().is_ok()),
    };
    match foreign {
        None => Ok(()),
        Some(file) => {
            Err(FolderError::Foreign { folder: folder.display().to_string(), file: file.to_string() })
        }
    }
}

/// Whoever protects a file from being written does not want it replaced either.
fn refuse_read_only(folder: &Path, own: &[&str]) -> Result<(), FolderError> {
    for name in own {
        let path = folder.join(name);
        if path.symlink_metadata().is_ok_and(|about| about.is_file() && about.permissions().readonly()) {
            let reason = "the file is read-only".to_string();
            return Err(FolderError::Cannot {
                path: path.display().to_string(),
                doing: "cannot write here",
                reason,
            });
        }
    }
    Ok(())
}

/// What a folder under way would leave behind if the program ended now.
struct Unfinished {
    ticket: u64,
    /// The new files and the lock.
    parts: Vec<PathBuf>,
    /// Folders above that had to be made, the outermost first.
    made: Vec<PathBuf>,
    /// Where finished pieces of the work may lie, which stay.
    scraps: Vec<PathBuf>,
}

static UNFINISHED: Mutex<Vec<Unfinished>> = Mutex::new(Vec::new());

fn unfinished() -> MutexGuard<'static, Vec<Unfinished>> {
    UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner)
}

fn next_ticket() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

/// Removes everything that is not finished, for a program that is about to end: a folder that is just taking its place is waited
/// for, and none does so afterwards. Says whether pieces of the work are kept, so that the same command goes on from there.
pub fn abandon() -> bool {
    let unfinished = unfinished();
    let kept = unfinished.iter().flat_map(|left| &left.scraps).any(|path| path.is_file());
    for left in unfinished.iter().rev() {
        for path in &left.parts {
            // Whoever is writing may add a file meanwhile; once the folder is gone it cannot.
            while remove_all(path).is_err_and(|error| error.kind() == io::ErrorKind::DirectoryNotEmpty) {}
        }
        left.made.iter().rev().for_each(|folder| drop(fs::remove_dir(folder)));
    }
    std::mem::forget(unfinished);
    kept
}
