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
