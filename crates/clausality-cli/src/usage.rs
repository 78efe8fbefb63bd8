//! Parsing the arguments, with clap's several lines of complaint folded into our one.

use crate::cli::Cli;
use crate::failure::Failure;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{CommandFactory, Parser};
use std::ffi::OsString;
use std::io::{self, Write};

/// The parsed arguments, or `None` when help or the version was asked for and printed.
pub(crate) fn parse(args: impl Iterator<Item = OsString>) -> Result<Option<Cli>, Failure> {
    let args: Vec<OsString> = args.collect();
    let error = match Cli::try_parse_from(&args) {
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
        _ => Err(Failure::Input(below_zero(&args, &error).unwrap_or_else(|| one_line(&error.to_string())))),
    }
}

/// The complaint about a negative number where none may stand, which looks like an option.
fn below_zero(args: &[OsString], error: &clap::Error) -> Option<String> {
    let Some(ContextValue::String(unknown)) = error.get(ContextKind::InvalidArg) else { return None };
    unknown.parse::<f64>().ok()?;
    let place = args.windows(2).position(|pair| pair[1].to_string_lossy().starts_with(unknown.as_str()))?;
    let option = args[place].to_str().filter(|option| option.starts_with('-'))?;
    Some(format!(
        "{option} {}: expected a number that is not negative; see --help",
        args[place + 1].display()
    ))
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
        let text = text.strip_prefix("tip: ").unwrap_or(text);
        let text = text.replace(&format!("is not in 1..{}", u64::MAX), "is less than 1");
        parts.push(text.replace("invalid digit found in string", "expected a whole number"));
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
        let zero = complaint(&["clausality", "sample", "@asia", "-n", "0"]);
        assert!(zero.ends_with("0 is not in 1..=1000000000000000; see --help"), "{zero}");
        let negative = complaint(&["clausality", "learn", "x.csv", "--bootstrap", "-12"]);
        assert_eq!(negative, "--bootstrap -12: expected a number that is not negative; see --help");
        for text in [unknown, value] {
            assert!(!text.contains('\n') && !text.contains("Usage"), "{text}");
        }
    }
}
