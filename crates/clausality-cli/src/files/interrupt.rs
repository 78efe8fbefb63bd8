//! Ending in good order: what was begun is removed, whatever ends the program.
//!
//! Ctrl-C, SIGTERM and SIGHUP remove unfinished files and folders and end with exit code 130; a run folder that is just taking its
//! place is waited for. What is finished of a run stays beside its folder, for the same command to go on. A file that grows beyond what is allowed (SIGXFSZ) is an error of writing like a full disk. What SIGKILL
//! leaves, the next command in that folder clears away.

use clausality::folder;
use std::fs;
use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

/// Temporary files that would be left behind if the program ended now.
static UNFINISHED: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// Whether something finished is kept beside what [`folder::abandon`] knows.
static KEPT: AtomicBool = AtomicBool::new(false);

/// What Ctrl-C does instead of ending the program: for work that has no other end.
type Farewell = Box<dyn FnOnce() + Send>;
static FAREWELL: Mutex<Option<Farewell>> = Mutex::new(None);

/// The next Ctrl-C does this; the one after it ends the program as ever.
pub(crate) fn on_interrupt(farewell: impl FnOnce() + Send + 'static) {
    *FAREWELL.lock().unwrap_or_else(PoisonError::into_inner) = Some(Box::new(farewell));
}

/// Answers the signals that ask the program to end.
#[cfg(unix)]
pub(crate) fn end_in_good_order() {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGXFSZ};
    // Without an answer a signal still ends the program; only the cleaning up would be missing.
    let _ = signal_hook::flag::register(SIGXFSZ, std::sync::Arc::<std::sync::atomic::AtomicBool>::default());
    let asked = [SIGINT, SIGTERM].into_iter().chain(hears_hangup(SIGHUP).then_some(SIGHUP));
    if let Ok(mut signals) = signal_hook::iterator::Signals::new(asked) {
        let heard = move || signals.forever().for_each(|_| interrupted());
        // Where not one more thread may be had, this one does the work.
        let _ = std::thread::Builder::new().spawn(heard);
    }
}

#[cfg(not(unix))]
pub(crate) fn end_in_good_order() {
    // Without an answer Ctrl-C still ends the program; only the cleaning up would be missing.
    let _ = ctrlc::set_handler(interrupted);
}

/// Whether the signal would end the program. Who started it with `nohup` wants it to go on; where we cannot know, an answer of ours
/// could be what stops it.
#[cfg(unix)]
fn hears_hangup(signal: i32) -> bool {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let ignored = ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    ignored.is_some_and(|mask| mask >> (signal - 1) & 1 == 0)
}

fn interrupted() {
    if let Some(farewell) = FAREWELL.lock().unwrap_or_else(PoisonError::into_inner).take() {
        return farewell();
    }
    let kept = folder::abandon() | KEPT.load(Ordering::Relaxed);
    let goes_on = if kept { "; the same command goes on from here" } else { "" };
    let unfinished = UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner);
    for path in unfinished.iter().rev() {
        let _ = fs::remove_file(path);
    }
    // The line may hold a progress bar.
    let start = if io::stderr().is_terminal() { "\r\u{1b}[K" } else { "" };
    let _ = writeln!(io::stderr(), "{start}error: interrupted{goes_on}");
    std::process::exit(130);
}

/// Something finished is kept, which the same command goes on from.
pub(super) fn goes_on() {
    KEPT.store(true, Ordering::Relaxed);
}

pub(super) fn watch(path: &Path) {
    UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner).push(path.to_path_buf());
}

pub(super) fn unwatch(path: &Path) {
    UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner).retain(|other| other != path);
}
