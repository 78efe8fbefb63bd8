//! `clausality completions`: the script that teaches a shell our commands and options.

use crate::failure::Failure;
use crate::session::Session;
use clap::{Args, Command};
use clap_complete::Shell;

/// Print the script that completes commands and options in a shell
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  clausality completions bash > ~/.local/share/bash-completion/completions/clausality"
)]
pub(crate) struct CompletionsArgs {
    /// The shell
    #[arg(value_enum)]
    shell: Shell,
}

/// `command` is the whole command line.
pub(crate) fn run(args: CompletionsArgs, mut command: Command, session: &Session) -> Result<(), Failure> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut command, "clausality", &mut script);
    session.print(&String::from_utf8_lossy(&script))
}
