//! `clausality evaluate`: how well a column can be predicted, by cross-validation of everything that is learned.

use crate::args::learning::LearnOptions;
use crate::args::network::{NetworkArgs, PriorArgs, RuleArgs};
use crate::args::table::{TableArgs, warn};
use crate::args::target::TargetOptions;
use crate::args::time::WhoseOptions;
use crate::failure::Failure;
use crate::session::{Progress, Session};
use crate::show::{prediction, twins};
use clap::Args;
use clausality::data::Twin;
use clausality::evaluate::{Evaluated, check_sheet, evaluate};
use clausality::gaps::given_away;
use serde::Serialize;
use std::path::Path;

/// Find out how well a column can be predicted: by the network, by the machines, and by both
///
/// Every part of the rows is predicted by what the other parts teach, with everything learned anew from those: bins, structure,
/// probabilities, machines and who is best. Takes the options of `learn`; beside the figures stand those of the mere class frequencies.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  clausality evaluate churn.csv --target Exited\n  \
    clausality evaluate wine.csv --target cultivar --folds 5 --repeats 3 --json")]
pub(crate) struct EvaluateArgs {
    #[command(flatten)]
    table: TableArgs,
    #[command(flatten)]
    target: TargetOptions,
    #[command(flatten)]
    whose: WhoseOptions,
    #[command(flatten)]
    rules: RuleArgs,
    #[command(flatten)]
    network: NetworkArgs,
    #[command(flatten)]
    prior: PriorArgs,
    #[command(flatten)]
    learning: LearnOptions,
}

/// The JSON document.
#[derive(Serialize)]
struct Document<'a> {
    table: &'a str,
    targets: &'a [Evaluated],
    /// Columns that give a target away.
    twins: &'a [Twin],
    /// What the user should know of the table.
    warnings: Vec<&'a str>,
    seed: u64,
    version: &'static str,
}

impl EvaluateArgs {
    /// The files that it reads.
    pub(crate) fn inputs(&self) -> Vec<&Path> {
        [self.table.path()].into_iter().chain(self.rules.tiers_file()).collect()
    }
}

pub(crate) fn run(args: EvaluateArgs, session: &Session) -> Result<(), Failure> {
    let parts: [&dyn crate::session::Given; 7] = [
        &args.whose,
        args.table.options(),
        &args.rules,
        &args.network,
        &args.prior,
        &args.learning,
        &args.target,
    ];
    let settings = session.settings(&parts)?;
    if settings.prediction.targets().is_empty() {
        return Err(Failure::Input("say which column to predict: --target COLUMN".into()));
    }
    let sheet = args.table.sheet(&settings.by_profile().data, session)?;
    check_sheet(&sheet, &settings, &session.bounds())?;
    let dataset = sheet.dataset(None, &[])?;
    warn(&dataset, session);
    let targets = settings.prediction.targets();
    let given_away = given_away(&dataset, |name| targets.iter().any(|target| target == name));
    let found = evaluate(&sheet, &settings, &session.bounds(), &Progress::new(session))?;
    if session.json {
        let version = env!("CARGO_PKG_VERSION");
        return session.print_json(&Document {
            table: &args.table.name(),
            targets: &found,
            twins: &given_away,
            warnings: dataset.notices.iter().map(|notice| notice.message.as_str()).collect(),
            seed: settings.seed,
            version,
        });
    }
    let shown: Vec<String> = found.iter().map(|found| prediction::evaluated(found, session)).collect();
    let given_away = twins::section(&given_away, session.width(), session.paint());
    session.print(&format!("{given_away}{}", shown.join("\n")))
}
