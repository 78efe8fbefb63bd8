//! `clausality strengths`: Algorithm 1 alone, the top features of every column.

use crate::failure::Failure;
use crate::learn_args::{LearnOptions, Progress, TopArgs, suit_profile};
use crate::network_args::RuleArgs;
use crate::output::OutputFile;
use crate::session::Session;
use crate::table_args::TableArgs;
use crate::table_rules::{mark, rules_for};
use crate::text::{Align, Grid, TIED, clean, grouped, percent};
use crate::verdict::{Verdict, summary};
use clap::Args;
use clausality::rules::Role;
use clausality::run::strengths_csv;
use clausality::strengths::{self, Feature, Strengths, Target, Warning};
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
    table: TableArgs,
    #[command(flatten)]
    learning: LearnOptions,
    #[command(flatten)]
    rules: RuleArgs,
    #[command(flatten)]
    top: TopArgs,
    /// Write all strengths to this file
    #[arg(long, short, value_name = "FILE.csv|FILE.json")]
    output: Option<PathBuf>,
}

impl StrengthsArgs {
    /// The files that it reads.
    pub(crate) fn inputs(&self) -> Vec<&Path> {
        [self.table.path()].into_iter().chain(self.rules.tiers_file()).collect()
    }
}

/// Features of a column on the screen.
pub(crate) const TOP: usize = 3;

pub(crate) fn run(args: StrengthsArgs, session: &Session) -> Result<(), Failure> {
    let params = args.learning.params(session)?;
    let mut data = args.table.params(session)?;
    suit_profile(&mut data, params.profile);
    let mut rule_params = args.rules.params(session)?;
    let top = args.top.top(session, TOP)?;
    let output = args.output.as_deref().map(Output::reserve).transpose()?;
    let dataset = args.table.read_with(&data, session)?;
    let schema = dataset.table.schema();
    let rules = rules_for(schema, &dataset.report, &mut rule_params, session)?;
    let mut found = strengths::measure(&dataset.table, &params, &Progress::new(session))?;
    found.retain_allowed(schema, &rules);
    warn(&found, session);
    if session.json {
        session.print_json(&found)?;
    } else {
        let name = args.table.name();
        let role = |column: &str| schema.index(column).map_or(Role::Observed, |v| rules.role(v));
        session.print(&render(name, &found, top, session, role, |_, feature| feature.to_string()))?;
    }
    if let Some(output) = output {
        output.write(&found)?;
    }
    Ok(())
}

/// Passes on what deserves attention; columns without signal are in the table itself.
pub(crate) fn warn(found: &Strengths, session: &Session) {
    for warning in found.warnings.iter().filter(|w| !matches!(w, Warning::NoSignal { .. })) {
        session.warn(warning.to_string());
    }
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
        let text = if self.json {
            serde_json::to_string_pretty(found)
                .map_err(|error| Failure::Surroundings(format!("cannot write JSON: {error}")))?
                + "\n"
        } else {
            strengths_csv(found)
        };
        self.file.write(text.as_bytes())
    }
}

/// The top-feature table. `role` gives the part a column plays; `name` writes a feature of a target, so that a caller can mark the truth.
pub(crate) fn render(
    table: &str,
    found: &Strengths,
    top: usize,
    session: &Session,
    role: impl Fn(&str) -> Role,
    name: impl Fn(&str, &str) -> String,
) -> String {
    let (paint, width) = (session.paint(), session.width());
    let mut grid = Grid::new([
        ("column", Align::Left),
        ("accuracy", Align::Right),
        ("chance", Align::Right),
        ("top features (share of all strength)", Align::Wrap),
    ]);
    for target in &found.targets {
        let (accuracy, chance) = match target.accuracy {
            Some(a) => (format!("{:.2}", a.mean), format!("{:.2}", a.chance)),
            None => ("-".into(), "-".into()),
        };
        let features = features(target, top, &name) + mark(role(&target.name));
        let about = [target.name.clone(), accuracy, chance, features];
        if target.signal() { grid.row(about) } else { grid.dim_row(about) }
    }
    let head = format!(
        "{}: {} rows, {} columns, {} machines",
        clean(table),
        grouped(found.rows),
        found.targets.len(),
        grouped(found.targets.iter().map(|t| t.fits).sum()),
    );
    let doubtful = |t: &Target| {
        t.signal() && t.features.iter().take(top).any(|f| f.strength > 0.0 && is_doubtful(f.hit_rate))
    };
    let legend = if found.targets.iter().any(doubtful) { SHADOW_LEGEND } else { "" };
    format!("{}\n\n{}\n{legend}{}", paint.bold(&head), grid.render(width, paint), summary(found))
}

fn features(target: &Target, top: usize, name: &impl Fn(&str, &str) -> String) -> String {
    if let Some(word) = Verdict::of(target.accuracy).word() {
        return if target.fits == 0 {
            format!("{word}: too few rows in all but one state")
        } else {
            word.into()
        };
    }
    let shown = target.features.iter().filter(|f| f.strength > 0.0).take(top);
    let words = |f: &Feature| feature_words(&name(&target.name, &f.name), f.share, f.hit_rate);
    shown.map(words).collect::<Vec<String>>().join(", ")
}

/// Whether a feature failed to beat the shadows in half of the fits.
pub(crate) fn is_doubtful(hit_rate: Option<f64>) -> bool {
    hit_rate.is_some_and(|rate| rate < 0.5)
}

/// What the mark behind a doubtful feature means.
pub(crate) const SHADOW_LEGEND: &str = "? in most fits no stronger than a shuffled column.\n";

/// A feature with its share, and a mark if it is doubtful; the parts stay on one line.
pub(crate) fn feature_words(name: &str, share: f64, hit_rate: Option<f64>) -> String {
    let mark = if is_doubtful(hit_rate) { "?" } else { "" };
    format!("{name}{TIED}{}{mark}", percent(share))
}
