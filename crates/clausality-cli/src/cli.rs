//! The shape of the command line: options that hold everywhere, and the commands.

use crate::commands;
use crate::failure::Failure;
use crate::session::Session;
use clap::{Args, Parser, Subcommand, ValueEnum};
use std::path::{Path, PathBuf};

/// Bayesian networks you can read, question and trust, learned with Tsetlin machines.
#[derive(Debug, Parser)]
#[command(name = "clausality", version, propagate_version = true, args_override_self = true)]
#[command(max_term_width = 100, subcommand_required = true)]
#[command(after_help = "Example:\n  clausality inspect customers.csv")]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) global: GlobalArgs,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// Options of every command.
#[derive(Debug, Args)]
#[command(next_help_heading = "Everywhere")]
pub(crate) struct GlobalArgs {
    /// Seed of all random choices: the same seed gives the same networks, to the last bit [default: 1]
    #[arg(long, global = true, value_name = "N")]
    pub(crate) seed: Option<u64>,
    /// Threads to work with; never changes a result [default: all cores]
    #[arg(long, global = true, value_name = "N")]
    pub(crate) threads: Option<usize>,
    /// Refuse work that needs more memory, and larger network files; such as 512M or 4G
    #[arg(long, global = true, value_name = "SIZE", value_parser = parse_size)]
    pub(crate) memory_limit: Option<u64>,
    /// Take options from a TOML file with the same names; the command line overrides it
    #[arg(long, global = true, value_name = "FILE.toml")]
    pub(crate) config: Option<PathBuf>,
    /// Print one JSON document and nothing else on standard output
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// No progress and no notes; warnings and errors still come
    #[arg(long, short, global = true)]
    pub(crate) quiet: bool,
    /// Colour the text
    #[arg(long, global = true, value_name = "WHEN", value_enum, default_value_t = Color::Auto)]
    pub(crate) color: Color,
}

/// When to colour the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Color {
    /// On a terminal, unless NO_COLOR is set
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

/// One variant per command; each lives in its own module under `commands`.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Demo(commands::demo::DemoArgs),
    Inspect(commands::inspect::InspectArgs),
    Strengths(commands::strengths::StrengthsArgs),
    Learn(commands::learn::LearnArgs),
    Explain(commands::explain::ExplainArgs),
    Report(commands::report::ReportArgs),
    Explore(commands::explore::ExploreArgs),
    Networks(commands::networks::NetworksArgs),
    Fit(commands::fit::FitArgs),
    Query(commands::query::QueryArgs),
    Predict(commands::predict::PredictArgs),
    Score(commands::score::ScoreArgs),
    Sample(commands::sample::SampleArgs),
    Compare(commands::compare::CompareArgs),
    Check(commands::check::CheckArgs),
    Convert(commands::convert::ConvertArgs),
    Validate(commands::validate::ValidateArgs),
    Completions(commands::completions::CompletionsArgs),
}

impl Command {
    /// The files that it reads.
    pub(crate) fn inputs(&self) -> Vec<&Path> {
        match self {
            Command::Demo(args) => args.inputs(),
            Command::Inspect(args) => args.inputs(),
            Command::Strengths(args) => args.inputs(),
            Command::Learn(args) => args.inputs(),
            Command::Explain(args) => args.inputs(),
            Command::Report(args) => args.inputs(),
            Command::Explore(args) => args.inputs(),
            Command::Fit(args) => args.inputs(),
            Command::Query(args) => args.inputs(),
            Command::Predict(args) => args.inputs(),
            Command::Score(args) => args.inputs(),
            Command::Sample(args) => args.inputs(),
            Command::Compare(args) => args.inputs(),
            Command::Check(args) => args.inputs(),
            Command::Convert(args) => args.inputs(),
            Command::Networks(_) | Command::Validate(_) | Command::Completions(_) => vec![],
        }
    }

    /// Does what was asked.
    pub(crate) fn run(self, session: &Session) -> Result<(), Failure> {
        match self {
            Command::Demo(args) => commands::demo::run(args, session),
            Command::Inspect(args) => commands::inspect::run(args, session),
            Command::Strengths(args) => commands::strengths::run(args, session),
            Command::Learn(args) => commands::learn::run(args, session),
            Command::Explain(args) => commands::explain::run(args, session),
            Command::Report(args) => commands::report::run(args, session),
            Command::Explore(args) => commands::explore::run(args, session),
            Command::Networks(args) => commands::networks::run(args, session),
            Command::Fit(args) => commands::fit::run(args, session),
            Command::Query(args) => commands::query::run(args, session),
            Command::Predict(args) => commands::predict::run(args, session),
            Command::Score(args) => commands::score::run(args, session),
            Command::Sample(args) => commands::sample::run(args, session),
            Command::Compare(args) => commands::compare::run(args, session),
            Command::Check(args) => commands::check::run(args, session),
            Command::Convert(args) => commands::convert::run(args, session),
            Command::Validate(args) => commands::validate::run(args, session),
            Command::Completions(args) => commands::completions::run(args, session),
        }
    }
}

/// Reads a size such as `800`, `64K`, `512M`, `1.5G` or `2GiB`; units are powers of 1024.
pub(crate) fn parse_size(text: &str) -> Result<u64, String> {
    let wrong = || format!("'{text}' is no size such as 512M or 4G");
    let digits = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let number: f64 = text[..digits].parse().map_err(|_| wrong())?;
    let shift = match text[digits..].trim().to_ascii_lowercase().as_str() {
        "" | "b" => 0,
        "k" | "kb" | "kib" => 10,
        "m" | "mb" | "mib" => 20,
        "g" | "gb" | "gib" => 30,
        "t" | "tb" | "tib" => 40,
        _ => return Err(wrong()),
    };
    let bytes = number * (1u64 << shift) as f64;
    if bytes >= 1.0 && bytes < u64::MAX as f64 { Ok(bytes as u64) } else { Err(wrong()) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn every_command_shows_an_example() {
        for command in Cli::command().get_subcommands() {
            let after = command.get_after_help().map(ToString::to_string).unwrap_or_default();
            assert!(after.contains("clausality "), "{} has no example", command.get_name());
        }
    }

    #[test]
    fn sizes() {
        assert_eq!(parse_size("512M"), Ok(512 << 20));
        assert_eq!(parse_size("1.5GiB"), Ok(3 << 29));
        assert_eq!(parse_size("800"), Ok(800));
        for wrong in ["", "M", "12X", "-1", "0", "1e9G", "1.2.3M"] {
            assert!(parse_size(wrong).is_err(), "{wrong}");
        }
    }
}
