//! The shape of the command line: options that hold everywhere, and the commands.

use crate::commands;
use crate::failure::Failure;
use crate::session::{self, GlobalArgs, Session};
use clap::{CommandFactory, Parser, Subcommand};
use clausality::Settings;
use clausality::settings::names_of;
use clausality::validate::ValidateParams;
use std::collections::{BTreeMap, BTreeSet};
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

/// One variant per command; each lives in its own module under `commands`.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Demo(commands::demo::DemoArgs),
    Inspect(commands::inspect::InspectArgs),
    Strengths(commands::strengths::StrengthsArgs),
    Learn(commands::learn::LearnArgs),
    Evaluate(commands::evaluate::EvaluateArgs),
    Explain(commands::explain::ExplainArgs),
    Report(commands::report::ReportArgs),
    Explore(commands::explore::ExploreArgs),
    Networks(commands::networks::NetworksArgs),
    Fit(commands::fit::FitArgs),
    Query(commands::query::QueryArgs),
    Predict(commands::predict::PredictArgs),
    Forecast(commands::forecast::ForecastArgs),
    Impute(commands::impute::ImputeArgs),
    Score(commands::score::ScoreArgs),
    Test(commands::test::TestArgs),
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
            Command::Demo(args) => args.rules.tiers_file().into_iter().collect(),
            Command::Inspect(args) => args.inputs(),
            Command::Strengths(args) => {
                [args.table.path()].into_iter().chain(args.rules.tiers_file()).collect()
            }
            Command::Learn(args) => args.inputs(),
            Command::Evaluate(args) => args.inputs(),
            Command::Explain(args) => vec![&args.run],
            Command::Report(args) => [Some(args.run.as_path()), args.truth.as_deref(), args.table.as_deref()]
                .into_iter()
                .flatten()
                .collect(),
            Command::Explore(args) => [&args.model]
                .into_iter()
                .chain(&args.table)
                .chain(&args.against)
                .map(PathBuf::as_path)
                .collect(),
            Command::Fit(args) => vec![&args.structure, args.table.path()],
            Command::Query(args) => args.inputs(),
            Command::Predict(args) => args.inputs(),
            Command::Forecast(args) => vec![&args.model, &args.table],
            Command::Impute(args) => vec![&args.model, &args.table],
            Command::Score(args) => vec![&args.model, &args.table],
            Command::Test(args) => {
                [&args.model, &args.table].into_iter().chain(&args.against).map(PathBuf::as_path).collect()
            }
            Command::Sample(args) => vec![&args.model],
            Command::Compare(args) => [&args.truth, &args.learned]
                .map(PathBuf::as_path)
                .into_iter()
                .chain(args.table.as_deref())
                .collect(),
            Command::Check(args) => vec![&args.model],
            Command::Convert(args) => vec![&args.model],
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
            Command::Evaluate(args) => commands::evaluate::run(args, session),
            Command::Explain(args) => commands::explain::run(args, session),
            Command::Report(args) => commands::report::run(args, session),
            Command::Explore(args) => commands::explore::run(args, session),
            Command::Networks(args) => commands::networks::run(args, session),
            Command::Fit(args) => commands::fit::run(args, session),
            Command::Query(args) => commands::query::run(args, session),
            Command::Predict(args) => commands::predict::run(args, session),
            Command::Forecast(args) => commands::forecast::run(args, session),
            Command::Impute(args) => commands::impute::run(args, session),
            Command::Score(args) => commands::score::run(args, session),
            Command::Test(args) => commands::test::run(args, session),
            Command::Sample(args) => commands::sample::run(args, session),
            Command::Compare(args) => commands::compare::run(args, session),
            Command::Check(args) => commands::check::run(args, session),
            Command::Convert(args) => commands::convert::run(args, session),
            Command::Validate(args) => commands::validate::run(args, session),
            Command::Completions(args) => commands::completions::run(args, Cli::command(), session),
        }
    }
}

/// Every long option of every command, and whether a configuration file may hold it.
pub(crate) fn option_names() -> BTreeMap<String, bool> {
    fn collect(command: &clap::Command, names: &mut BTreeSet<String>) {
        names.extend(command.get_arguments().filter_map(|arg| arg.get_long()).map(String::from));
        command.get_subcommands().for_each(|sub| collect(sub, names));
    }
    let mut names = BTreeSet::new();
    collect(&Cli::command(), &mut names);
    let mut settings = Settings::names();
    settings.extend(session::setting_names());
    settings.extend(names_of::<ValidateParams>());
    settings.insert("top".into());
    names.into_iter().map(|name| (name.clone(), settings.contains(&name))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

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

    /// A setting is one field in the library and one option here, of the same name.
    #[test]
    fn every_setting_is_an_option_of_learn() {
        let command = Cli::command();
        let learn = command.find_subcommand("learn").unwrap();
        let options: Vec<&str> =
            learn.get_arguments().chain(command.get_arguments()).filter_map(|arg| arg.get_long()).collect();
        for name in Settings::names() {
            assert!(options.contains(&name.as_str()), "--{name} is missing");
        }
    }
}
