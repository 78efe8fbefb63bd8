//! `clausality strengths`: Algorithm 1 alone, the top features of every column.

use crate::args::learning::{LearnOptions, TopArgs};
use crate::args::network::RuleArgs;
use crate::args::table::TableArgs;
use crate::args::time::TimeOptions;
use crate::failure::Failure;
use crate::files::output::OutputFile;
use crate::session::{Progress, Session};
use crate::show::arcs::note_rules;
use crate::show::strengths::{TOP, note_outlook, render, warn};
use clap::Args;
use clausality::rules::Role;
use clausality::run::write_strengths_csv;
use clausality::{Strengths, strengths_from};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

/// Measure which columns speak about which: the top features of every column, and where there is no signal
///
/// With roles or rules a feature is listed only if its arc is allowed: into the column, or out of it if the column is a
/// parameter.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  clausality strengths customers.csv\n  \
    clausality strengths customers.csv --profile paper -o strengths.csv")]
pub(crate) struct StrengthsArgs {
    #[command(flatten)]
    pub(crate) table: TableArgs,
    #[command(flatten)]
    learning: LearnOptions,
    #[command(flatten)]
    pub(crate) rules: RuleArgs,
    #[command(flatten)]
    time: TimeOptions,
    #[command(flatten)]
    top: TopArgs,
    /// Write all strengths to this file
    #[arg(long, short, value_name = "FILE.csv|FILE.json")]
    output: Option<PathBuf>,
}

pub(crate) fn run(args: StrengthsArgs, session: &Session) -> Result<(), Failure> {
    let settings = session.settings(&[args.table.options(), &args.learning, &args.rules, &args.time])?;
    let top = args.top.top(session, TOP)?;
    let output = args.output.as_deref().map(Output::reserve).transpose()?;
    let dataset = args.table.read(&settings.by_profile().data, session)?;
    let schema = dataset.table.schema();
    // Over time rules speak of lags, and every target is one of now.
    let ruled = dataset.sequence.is_none().then(|| settings.ruled(&dataset)).transpose()?;
    ruled.iter().for_each(|ruled| note_rules(ruled, schema, session));
    note_outlook(&dataset, &settings, session);
    let found = strengths_from(&dataset, &settings, &session.bounds(), &Progress::new(session))?;
    warn(&found, session);
    let role = |column: &str| {
        let found = ruled.as_ref().zip(schema.index(column));
        found.map_or(Role::Observed, |(ruled, v)| ruled.rules.role(v))
    };
    let name = |_: &str, feature: &str| feature.to_string();
    session.answer(&found, || render(&args.table.name(), &found, top, session, role, name))?;
    if let Some(output) = output {
        output.write(&found)?;
    }
    Ok(())
}

/// Where all strengths go, by the file's ending.
struct Output {
    file: OutputFile,
    json: bool,
}

impl Output {
    fn reserve(path: &Path) -> Result<Self, Failure> {
        let ending = path.extension().map(|e| e.to_string_lossy().to_lowercase());
        let json = match ending.as_deref() {
            Some("csv") => false,
            Some("json") => true,
            _ => {
                let message = format!("{}: strengths are written as .csv or .json", path.display());
                return Err(Failure::Input(message));
            }
        };
        Ok(Output { file: OutputFile::reserve(path)?, json })
    }

    fn write(self, found: &Strengths) -> Result<(), Failure> {
        let json = self.json;
        self.file.write_with(|file| {
            let mut file = BufWriter::new(file);
            if json {
                serde_json::to_writer_pretty(&mut file, found)?;
                file.write_all(b"\n")?;
            } else {
                write_strengths_csv(found, &mut file)?;
            }
            file.flush()
        })
    }
}
