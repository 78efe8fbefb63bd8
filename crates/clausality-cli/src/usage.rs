//! Parsing the arguments, with clap's several lines of complaint folded into our one.

use crate::cli::Cli;
use crate::failure::Failure;
use clap::error::ErrorKind;
use clap::{CommandFactory, Parser};
use std::ffi::OsString;
use std::io::{self, Write};

/// The parsed arguments, or `None` when help or the version was asked for and printed.
pub(crate) fn parse(args: impl Iterator<Item = OsString>) -> Result<Option<Cli>, Failure> {
    let error = match Cli::try_parse_from(args) {
        Ok(cli) => return Ok(Some(cli)),
        Err(error) => error,
    };
    match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => {
            error.print()?;
            Ok(None)
        }
        ErrorKind::MissingSubcommand | ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => {
            write!(io::stdout(), "{}", Cli::command().render_help())?;
            Err(Failure::Input("say which command to run; they are listed above".into()))
        }
        _ => Err(Failure::Input(one_line(&error.to_string()))),
    }
}

/// Keeps what is wrong and the tips; drops usage, which `--help` shows.
fn one_line(rendered: &str) -> String {
    let mut parts: Vec<String> = Vec::new();
    for paragraph in rendered.split("\n\n") {
        let text = paragraph.split_whitespace().collect::<Vec<_>>().join(" ");
        if text.is_empty() || text.starts_with("Usage:") || text.starts_with("For more information") {
            continue;
        }
        let text = text.strip_prefix("error: ").unwrap_or(&text);
        parts.push(text.strip_prefix("tip: ").unwrap_or(text).to_string());
    }
    parts.push("see --help".into());
    parts.join("; ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn complaint(args: &[&str]) -> String {
        match parse(args.iter().map(OsString::from)) {
            Err(Failure::Input(message)) => message,
            other => panic!("expected a complaint, got {other:?}"),
        }
    }

    #[test]
    fn complaints_are_one_line() {
        let unknown = complaint(&["clausality", "completions", "bash", "--sed", "1"]);
        assert!(unknown.contains("--sed") && unknown.contains("--seed"), "{unknown}");
        let value = complaint(&["clausality", "completions", "bash", "--seed", "many"]);
        assert!(value.contains("many") && value.contains("--seed"), "{value}");
        for text in [unknown, value] {
            assert!(!text.contains('\n') && !text.contains("Usage"), "{text}");
        }
    }
}
