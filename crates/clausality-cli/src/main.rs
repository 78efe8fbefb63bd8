//! The `clausality` command line: results on stdout, talk on stderr, one `error:` line and an exit code on failure.
#![forbid(unsafe_code)]

mod cli;
mod commands;
mod confidence;
mod config;
mod failure;
mod findings;
mod inputs;
mod learn_args;
mod model;
mod network_args;
mod output;
mod run_files;
mod session;
mod table_args;
mod table_rules;
mod text;
mod usage;
mod verdict;

use cli::Cli;
use failure::Failure;
use session::Session;
use std::process::ExitCode;

fn main() -> ExitCode {
    output::remove_unfinished_on_interrupt();
    match failure::catching_bugs(run) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.report(),
    }
}

fn run() -> Result<(), Failure> {
    let Some(Cli { global, command }) = usage::parse(std::env::args_os())? else { return Ok(()) };
    global.config.iter().map(AsRef::as_ref).chain(command.inputs()).for_each(inputs::protect);
    let session = Session::open(&global)?;
    command.run(&session)
}
