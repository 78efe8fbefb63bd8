//! The `clausality` command line: results on stdout, talk on stderr, one `error:` line and an exit code on failure.
//!
//! ```text
//! main ─ cli (names the commands) ─ commands ─┬─ args   what may be typed
//!                                             ├─ show   tables and sentences
//!                                             ├─ files  what is read and written
//!                                             └─ session, text, failure
//! ```
//! Commands borrow from these rooms and never from each other; nothing points back.
#![forbid(unsafe_code)]

mod args;
mod cli;
mod commands;
mod failure;
mod files;
mod session;
mod show;
mod stdout;
mod text;
mod usage;

use cli::Cli;
use failure::Failure;
use files::{inputs, interrupt};
use session::Session;
use std::process::ExitCode;

fn main() -> ExitCode {
    share_addresses();
    interrupt::end_in_good_order();
    match failure::catching_bugs(run) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.report(),
    }
}

fn run() -> Result<(), Failure> {
    stdout::is_open()?;
    let Some(Cli { global, command }) = usage::parse(std::env::args_os())? else { return Ok(()) };
    global.config.iter().map(AsRef::as_ref).chain(command.inputs()).for_each(inputs::protect);
    let session = Session::open(&global, cli::option_names())?;
    command.run(&session)
}

/// Starts this program once more with one arena for all threads where `ulimit -v` leaves few addresses: glibc reads the setting
/// when a program starts, else sets 64 MiB aside for every thread, and the allocation that then fails ends the program at once.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
fn share_addresses() {
    use std::os::unix::process::CommandExt;
    const ARENAS: &str = "MALLOC_ARENA_MAX";
    if std::env::var_os(ARENAS).is_some() || !clausality::memory::addresses_are_scarce() {
        return;
    }
    let Ok(this) = std::env::current_exe() else { return };
    let mut words = std::env::args_os();
    let mut again = std::process::Command::new(this);
    if let Some(name) = words.next() {
        again.arg0(name);
    }
    // Returns only where it failed: then things go on as they are.
    let _ = again.args(words).env(ARENAS, "1").exec();
}

#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
fn share_addresses() {}
