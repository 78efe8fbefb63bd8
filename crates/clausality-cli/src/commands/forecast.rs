//! `clausality forecast`: what comes after the last row of every series.

use crate::args::findings;
use crate::args::table::{RowOptions, input};
use crate::failure::Failure;
use crate::files::networks::read_structure;
use crate::files::output::OutputFile;
use crate::session::{Progress, Session};
use crate::text::{Align, Grid, chance, clean};
use clap::Args;
use clausality::bn::infer::Drawn;
use clausality::model::{DynamicModel, Forecast, InTime, Worked};
use clausality::time::Step;
use clausality::words::counted;
use std::path::{Path, PathBuf};

/// Forecast what comes after the last row of every series
///
/// Every row of the table counts, with whatever it leaves open: gaps and missing steps are unknown, as they are to the network. The
/// file has a row for every series, step, node and state; .json holds the same as a document. What is too large for --memory-limit
/// (384M by default) is refused; --samples then gives an estimate with its standard error.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  clausality forecast shop-run shop.csv --horizon 6 -o forecast.csv\n  \
    clausality forecast weather.json rows.csv --time date --horizon 3 --target Rain")]
pub(crate) struct ForecastArgs {
    /// A network over time: a run folder or .json
    #[arg(value_name = "MODEL")]
    pub(crate) model: PathBuf,
    /// The table: .csv, .tsv, .csv.gz, .parquet, .arrow, .feather, or - for CSV on standard input
    #[arg(value_name = "TABLE")]
    pub(crate) table: PathBuf,
    /// How many steps ahead, at most 100,000
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=100_000))]
    horizon: u64,
    /// The nodes to forecast [default: all]
    #[arg(long, short, value_name = "X,Y,…")]
    target: Vec<String>,
    /// Estimate from this many weighted series, at most 100,000,000, instead of answering exactly
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    samples: Option<u64>,
    /// The file to write, .csv or .json [default: CSV on standard output]
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    /// The column that puts the rows in order [default: as the network keeps it]
    #[arg(long, value_name = "COL", help_heading = "Time")]
    time: Option<String>,
    /// The column that says which series a row belongs to [default: as the network keeps it]
    #[arg(long, value_name = "COL", help_heading = "Time")]
    entity: Option<String>,
    /// What lies between two rows: 15min, 1h, 1d, 1w, 1mo, 1q, 1y, a number, or rows [default: as the network keeps it]
    #[arg(long, value_name = "STEP", help_heading = "Time")]
    step: Option<Step>,
    #[command(flatten)]
    reading: RowOptions,
}

/// More rows than this are left to the file.
const SHOWN: usize = 40;

pub(crate) fn run(args: ForecastArgs, session: &Session) -> Result<(), Failure> {
    let as_json = args.output.as_deref().map(is_json).transpose()?;
    let mut output = args.output.as_deref().map(OutputFile::reserve).transpose()?;
    let model = DynamicModel::try_from(read_structure(&args.model, session)?)?;
    let processes = match args.target.as_slice() {
        [] => (0..model.network.processes().len()).collect(),
        asked => findings::nodes(model.network.processes(), asked)?,
    };
    let order = InTime { time: args.time, entity: args.entity, step: args.step };
    let rows =
        model.read_series(input(&args.table), &args.reading.reading(session)?, &order, &session.bounds())?;
    model.cautions(&processes)?.iter().chain(&rows.notices).for_each(|notice| session.warn(notice));
    let limit = session.inference_bytes();
    let worked = match args.samples {
        Some(samples) => Worked::Drawn(Drawn { samples: samples as usize, seed: session.seed, limit }),
        None => Worked::Exactly { memory: limit },
    };
    let found = model
        .forecast(&rows, &processes, args.horizon as usize, worked, &Progress::new(session))
        .map_err(|error| or_samples(error, args.samples))?;
    for series in found.series.iter().filter(|series| series.effective_samples.is_some_and(|n| n < 100.0)) {
        let (whose, worth) = (&series.entity, series.effective_samples.unwrap_or_default());
        let whose = if whose.is_empty() { String::new() } else { format!(" of '{whose}'") };
        session
            .warn(format!("the samples{whose} count only as much as {worth:.0} unweighted ones: draw more"));
    }
    let Some(file) = &mut output else {
        return if session.json { session.print_json(&found) } else { session.print(&found.csv()) };
    };
    let bytes = match as_json {
        Some(true) => {
            serde_json::to_string_pretty(&found).map_err(|e| Failure::Surroundings(e.to_string()))? + "\n"
        }
        _ => found.csv(),
    };
    file.fill(bytes.as_bytes())?;
    if let Some(file) = output {
        file.place()?;
    }
    if session.json {
        return session.print_json(&found);
    }
    if let Some(path) = &args.output {
        let series = if found.series.len() == 1 {
            "1 series".into()
        } else {
            format!("{} series", found.series.len())
        };
        let ahead = counted(found.horizon, "step");
        session.note(format!("wrote the forecast of {series}, {ahead} ahead, to {}", path.display()));
    }
    session.print(&render(&found, session))
}

/// A limit that an exact answer met comes with the way round it.
fn or_samples(error: clausality::Error, samples: Option<u64>) -> Failure {
    match error.into() {
        Failure::Limit(message) if samples.is_none() => Failure::Limit(format!("{message} (--samples N)")),
        other => other,
    }
}

/// Whether the file is to be JSON; else it is CSV.
fn is_json(path: &Path) -> Result<bool, Failure> {
    match path.extension().map(|ending| ending.to_string_lossy().to_lowercase()).as_deref() {
        Some("json") => Ok(true),
        Some("csv") | None => Ok(false),
        Some(_) => {
            let message = format!("{}: forecasts are written as .csv or .json", path.display());
            Err(Failure::Input(message))
        }
    }
}

/// The likeliest state of every node at every step, as far as that fits on a screen.
fn render(found: &Forecast, session: &Session) -> String {
    let mut grid = Grid::new([
        (found.entity.as_deref().unwrap_or(""), Align::Left),
        (found.time.as_str(), Align::Left),
        ("node", Align::Left),
        ("likeliest", Align::Left),
        ("probability", Align::Right),
    ]);
    let mut left = SHOWN;
    for series in &found.series {
        for step in &series.steps {
            for node in &step.nodes {
                let best = node.states.iter().rev().max_by(|a, b| a.1.total_cmp(&b.1));
                let Some((state, p)) = best.filter(|_| left > 0) else { continue };
                left -= 1;
                grid.row([&series.entity, &step.time, &node.node, state, &chance(*p)]);
            }
        }
    }
    let all: usize = found.series.iter().flat_map(|series| &series.steps).map(|step| step.nodes.len()).sum();
    let mut text =
        format!("{}\n\n", session.paint().bold(&clean(&format!("{} after {}", found.model, found.table))));
    text.push_str(&grid.render(session.width(), session.paint()));
    if all > SHOWN {
        text.push_str(&format!("and {} more in the file\n", all - SHOWN));
    }
    text
}
