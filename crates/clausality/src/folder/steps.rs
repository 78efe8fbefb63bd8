//! The steps by which a new folder takes its place, and how each is finished by whoever comes after a crash.
//!
//! ```text
//! found                                     means                                   done
//! DIR  .part with the mark                  killed before the step                  .part is removed
//! DIR with the mark  .part                  killed right after the step             the mark goes, then as below
//! DIR  .part without it, or .old            killed while the old run was cleared    others' files move into DIR, the rest goes
//! no DIR, .old                              killed between two renames              .old is DIR again
//! DIR/.clausality.new                   killed on the way into the folder       the rest of the way
//! DIR/.clausality.part                  killed before that                      it is removed
//! .scraps .rows .shards                 killed while a run was learned          it stays: the same command goes on from it
//! ```

use super::place::{PROBE, Place, mark_in};
use super::sync;
use std::fs;
use std::io;
use std::path::Path;

/// Puts the new folder in the place of the old one, if there is one, and brings along what was in it beside the run. If the
/// step cannot be taken the new folder goes and the old one stays.
pub(super) fn exchange(place: &Place, part: &Path) -> io::Result<()> {
    let above = place.above.as_deref().unwrap_or(Path::new("."));
    if !is_real_folder(&place.folder) {
        fs::rename(part, &place.folder).or_else(|error| give_up(part, error))?;
        let synced = sync(above);
        remove_if_there(&mark_in(&place.folder))?;
        return synced.and_then(|()| sync(&place.folder));
    }
    match trade(part, &place.folder) {
        Err(error) if cannot_trade(&error) => return by_renames(place, part),
        Err(error) => return give_up(part, error),
        Ok(()) => {}
    }
    // From here on the new run stands. Trouble is told, and the rest is done all the same.
    let synced = sync(above);
    twice(|| settle(place, part))?;
    synced
}

/// Tries again what failed after the step: it goes on where it stopped, and a fault may have passed.
fn twice(rest: impl Fn() -> io::Result<()>) -> io::Result<()> {
    rest().or_else(|_| rest())
}

fn give_up(part: &Path, error: io::Error) -> io::Result<()> {
    let _ = remove_all(part);
    Err(error)
}

/// The same where two folders cannot trade places in one step.
pub(super) fn by_renames(place: &Place, part: &Path) -> io::Result<()> {
    let (Some(old), Some(above)) = (place.old(), place.above.as_deref()) else {
        return Err(io::Error::from(io::ErrorKind::Unsupported));
    };
    fs::rename(&place.folder, &old).or_else(|error| give_up(part, error))?;
    if let Err(error) = fs::rename(part, &place.folder) {
        let _ = fs::rename(&old, &place.folder);
        return give_up(part, error);
    }
    let synced = sync(above);
    twice(|| settle(place, &old))?;
    synced
}

/// The new run stands in its place: what the old folder held beside its run moves in, and the old folder goes.
fn settle(place: &Place, old: &Path) -> io::Result<()> {
    remove_if_there(&mark_in(&place.folder))?;
    if is_real_folder(old) {
        move_others(place, old, &place.folder)?;
        fs::remove_dir(old)?;
    }
    sync(&place.folder)
}

/// Moves from an old folder into the new one what is not the run's own; its own files go.
fn move_others(place: &Place, old: &Path, new: &Path) -> io::Result<()> {
    for entry in fs::read_dir(old)? {
        let entry = entry?;
        let (from, to) = (entry.path(), new.join(entry.file_name()));
        let is_folder = entry.file_type()?.is_dir();
        if !is_folder && place.is_own(&entry.file_name()) {
            fs::remove_file(&from)?;
        } else if is_folder && is_real_folder(&to) {
            // A run inside the run, such as the paper's in a demo.
            move_others(place, &from, &to)?;
            fs::remove_dir(&from)?;
        } else if to.symlink_metadata().is_ok() {
            // Put there by somebody meanwhile: neither of the two is lost.
            return Err(io::Error::new(
                io::ErrorKind::AlreadyExists,
                format!("{} is there twice: one of the two lies in {}", to.display(), old.display()),
            ));
        } else {
            fs::rename(&from, &to)?;
        }
    }
    Ok(())
}

/// The ending of an empty file that stands for one which the new run does not have.
pub(super) const GONE: &str = ".gone";

/// Puts new files that lie ready inside the folder in place, one by one. From the first rename on it is decided.
pub(super) fn move_in(place: &Place) -> io::Result<()> {
    let (part, new) = (place.part_inside(), place.new_inside());
    if let Err(error) = fs::rename(&part, &new) {
        return give_up(&part, error);
    }
    let synced = sync(&place.folder);
    twice(|| finish_moving(place))?;
    synced
}

fn finish_moving(place: &Place) -> io::Result<()> {
    let new = place.new_inside();
    if is_real_folder(&new) {
        move_files(&new, &place.folder)?;
        fs::remove_dir(new)?;
    }
    sync(&place.folder)
}

fn move_files(from: &Path, to: &Path) -> io::Result<()> {
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let (inner, outer) = (entry.path(), to.join(entry.file_name()));
        let gone =
            entry.file_name().to_str().and_then(|name| name.strip_suffix(GONE)).map(|name| to.join(name));
        if let Some(gone) = gone {
            remove_if_there(&gone)?;
            fs::remove_file(inner)?;
        } else if entry.file_type()?.is_dir() && is_real_folder(&outer) {
            move_files(&inner, &outer)?;
            sync(&outer)?;
            fs::remove_dir(&inner)?;
        } else {
            fs::rename(&inner, &outer)?;
        }
    }
    Ok(())
}

/// Finishes or clears away what a killed command left.
pub(super) fn recover(place: &Place) -> io::Result<()> {
    let there = is_real_folder(&place.folder);
    if let Some(old) = place.old().filter(|old| is_real_folder(old)) {
        match there {
            false => fs::rename(&old, &place.folder)?,
            true => settle(place, &old)?,
        }
    }
    if let Some(part) = place.part().filter(|part| part.symlink_metadata().is_ok()) {
        let unfinished = mark_in(&part).symlink_metadata().is_ok() || !is_real_folder(&part);
        match unfinished {
            true => remove_all(&part)?,
            // The old folder, and the new one was taken away since: what was in it beside the run comes back.
            false if !is_real_folder(&place.folder) => {
                fs::create_dir(&place.folder)?;
                settle(place, &part)?;
                let _ = fs::remove_dir(&place.folder);
            }
            false => settle(place, &part)?,
        }
    }
    if !is_real_folder(&place.folder) {
        return Ok(());
    }
    remove_if_there(&mark_in(&place.folder))?;
    remove_if_there(&place.folder.join(PROBE))?;
    remove_all(&place.part_inside())?;
    if is_real_folder(&place.new_inside()) {
        finish_moving(place)?;
    }
    let inside = place.folder.join(super::place::LOCK_INSIDE);
    if inside.symlink_metadata().is_ok() && !super::lock::is_held_at(&inside) {
        remove_all(&inside)?;
    }
    Ok(())
}

/// Removes something of ours that is not finished, if it is there; a link is removed, not what it leads to.
pub(super) fn remove_all(path: &Path) -> io::Result<()> {
    match is_real_folder(path) {
        true => or_gone(fs::remove_dir_all(path)),
        false => remove_if_there(path),
    }
}

/// A disk that is read-only refuses to remove even what is not there.
fn remove_if_there(path: &Path) -> io::Result<()> {
    or_gone(path.symlink_metadata().and_then(|_| fs::remove_file(path)))
}

fn or_gone(removed: io::Result<()>) -> io::Result<()> {
    match removed {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

pub(super) fn is_real_folder(path: &Path) -> bool {
    path.symlink_metadata().is_ok_and(|about| about.is_dir())
}

/// Two folders trade places, in one step.
#[cfg(any(target_os = "linux", target_os = "android", target_os = "macos"))]
fn trade(one: &Path, other: &Path) -> io::Result<()> {
    use rustix::fs::{CWD, RenameFlags, renameat_with};
    Ok(renameat_with(CWD, one, CWD, other, RenameFlags::EXCHANGE)?)
}

#[cfg(not(any(target_os = "linux", target_os = "android", target_os = "macos")))]
fn trade(_: &Path, _: &Path) -> io::Result<()> {
    Err(io::Error::from(io::ErrorKind::Unsupported))
}

/// Whether the system or the disk does not know how.
fn cannot_trade(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::Unsupported | io::ErrorKind::InvalidInput)
}
