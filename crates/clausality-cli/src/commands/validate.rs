//! `clausality validate`: the paper's validation table, ours beside it.

use crate::failure::Failure;
use crate::files::units::Store;
use crate::session::{Progress, Session};
use crate::show::validation::tables;
use crate::text::Paint;
use clap::Args;
use clausality::validate::{Record, ValidateParams, validate};
use clausality::words::counted;
use std::path::PathBuf;

/// Repeat the paper's validation: sample known networks, learn them back, hold the figures beside the published ones
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  clausality validate --networks asia --repeats 3\n  \
    clausality validate -o results        (all of it; if interrupted, the same command goes on)")]
pub(crate) struct ValidateArgs {
    /// Embedded networks [default: asia,child,insurance,diabetes]
    #[arg(long, value_name = "NAME,…", value_delimiter = ',')]
    networks: Option<Vec<String>>,
    /// The paper's models [default: I,II,III,IV,V]
    #[arg(long, value_name = "I,…", value_delimiter = ',')]
    models: Option<Vec<String>>,
    /// Samples of each network [default: 10]
    #[arg(long, value_name = "N")]
    repeats: Option<usize>,
    /// Rows of a sample [default: 5000]
    #[arg(long, value_name = "N")]
    rows: Option<usize>,
    /// Fresh machines per column and model [default: 20]
    #[arg(long, value_name = "N")]
    rounds: Option<usize>,
    /// Fresh machines per permuted column and model [default: half of the rounds]
    #[arg(long, value_name = "N")]
    null_rounds: Option<usize>,
    /// Passes over the rows of a round [default: 2]
    #[arg(long, value_name = "N")]
    epochs: Option<usize>,
    /// Show the top features of Insurance entry by entry
    #[arg(long)]
    top_features: bool,
    /// Keep what is finished in this folder, and go on from what is there
    #[arg(long, short, value_name = "FOLDER")]
    output: Option<PathBuf>,
    /// Start anew: what is finished in the folder is done again
    #[arg(long, requires = "output")]
    fresh: bool,
}

impl ValidateArgs {
    fn params(&self, session: &Session) -> Result<ValidateParams, Failure> {
        let mut params: ValidateParams = session.config.section()?;
        params.seed = session.seed;
        params.networks = self.networks.clone().unwrap_or(params.networks);
        for name in &mut params.networks {
            *name = name.trim_start_matches('@').to_string();
        }
        params.models = self.models.clone().unwrap_or(params.models);
        params.repeats = self.repeats.unwrap_or(params.repeats);
        params.rows = self.rows.unwrap_or(params.rows);
        params.rounds = self.rounds.unwrap_or(params.rounds);
        params.null_rounds = self.null_rounds.or(params.null_rounds);
        params.epochs = self.epochs.unwrap_or(params.epochs);
        params.check()?;
        Ok(params)
    }
}

pub(crate) fn run(args: ValidateArgs, session: &Session) -> Result<(), Failure> {
    let params = args.params(session)?;
    let mut store = args.output.as_deref().map(Store::open).transpose()?;
    let units = params.units()?;
    if let Some(store) = store.as_mut().filter(|_| args.fresh) {
        store.forget(&units)?;
    }
    let done = store.as_mut().map_or_else(Vec::new, Store::take);
    let ready = units.iter().filter(|unit| done.iter().any(|record| record.unit == **unit)).count();
    match &args.output {
        Some(folder) => session.note(format!(
            "{} of {} are done in {}",
            ready,
            counted(units.len(), "unit"),
            folder.display()
        )),
        None => session.note("nothing is kept; with -o FOLDER an interrupted run can go on"),
    }
    let mut keep = |record: &Record| match &mut store {
        Some(store) => store.keep(record),
        None => Ok::<(), Failure>(()),
    };
    let found = validate(&params, done, &mut keep, &session.bounds(), &Progress::new(session))?;
    if let Some(store) = store {
        store.finish(&params, &found, &tables(&found, true, 80, Paint::new(false)))?;
    }
    session.answer(&found, || tables(&found, args.top_features, session.width(), session.paint()))
}
