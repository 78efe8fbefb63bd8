//! `clausality impute`: the gaps of a table filled with what a network thinks of them.

use crate::args::table::{RowOptions, input, parser};
use crate::failure::Failure;
use crate::files::networks::read_model;
use crate::files::output::OutputFile;
use crate::session::{Progress, Session};
use crate::show::facts::facts;
use crate::text::{Align, Grid, chance, clean, grouped};
use clap::Args;
use clausality::data::Sheet;
use clausality::model::{Imputed, Imputing, Written};
use clausality::words::counted;
use flate2::{Compression, write::GzEncoder};
use std::io;
use std::path::{Path, PathBuf};

/// Fill the gaps of a table: with best guesses, or with draws
///
/// Every gap in a column that the network knows gets its most probable value given the rest of its row (exactly, whatever else is
/// missing there), and a number that was cut into bins the median of what it may be, one of the table's own numbers. What rare values share
/// ('other') is no value and never written. All other cells and columns stay as they are, byte for byte. With --draws N the gaps are drawn N times, those of a row together, so that
/// statistics of the copies show how much the gaps leave open (multiple imputation); the copies stand below each other and a first
/// column 'imputation' counts them.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  clausality impute run survey.csv -o filled.csv\n  \
    clausality impute run survey.csv --draws 5 --seed 7 -o drawn.csv")]
pub(crate) struct ImputeArgs {
    /// A network (.bif, .xmlbif, .xml, .net, .json, or with .gz), a run folder or @NAME
    #[arg(value_name = "MODEL")]
    pub(crate) model: PathBuf,
    /// The table: .csv, .tsv, .csv.gz, .parquet, .arrow, .feather, or - for CSV on standard input
    #[arg(value_name = "TABLE")]
    pub(crate) table: PathBuf,
    /// The file to write, .csv, .tsv or .txt, or with .gz [default: standard output]
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Draw the gaps this many times instead of taking best guesses (1 to 1000)
    #[arg(long, value_name = "N")]
    draws: Option<usize>,
    /// What to write into a gap: a value as the table records them, or the label of the most probable (or drawn) state
    #[arg(long = "as", value_name = "WHAT", default_value = "value", value_parser = parser::<Written>(&["value", "state"]))]
    written: Written,
    #[command(flatten)]
    reading: RowOptions,
}

pub(crate) fn run(args: ImputeArgs, session: &Session) -> Result<(), Failure> {
    if session.json && args.output.is_none() {
        let message = "--json tells what was filled; say with -o FILE where the table itself is to go";
        return Err(Failure::Input(message.into()));
    }
    let packed = args.output.as_deref().map(is_packed).transpose()?;
    let output = args.output.as_deref().map(OutputFile::reserve).transpose()?;
    let model = read_model(&args.model, session)?;
    let reading = args.reading.reading(session)?;
    let sheet = Sheet::read(input(&args.table), reading.separator, &session.bounds())?;
    let how = Imputing { draws: args.draws, write: args.written, seed: session.seed };
    let found = model.impute(&sheet, &reading, how, &session.bounds(), &Progress::new(session))?;
    found.notices().iter().for_each(|notice| session.warn(notice));
    let (Some(output), Some(path)) = (output, &args.output) else {
        found.write(&mut io::stdout().lock())?;
        render(&found, session).trim_end().lines().for_each(|line| session.note(line));
        return Ok(());
    };
    output.write_with(|file| match packed {
        Some(true) => {
            let mut packer = GzEncoder::new(file, Compression::default());
            found.write(&mut packer)?;
            packer.finish().map(drop)
        }
        _ => found.write(file),
    })?;
    let file = path.display().to_string();
    if session.json {
        return session.print_json(&found.document(file));
    }
    session.note(match found.how.draws {
        Some(draws) if draws > 1 => format!("wrote {draws} copies to {file}"),
        _ => format!("wrote the table to {file}"),
    });
    session.print(&render(&found, session))
}

/// Whether the file is to be packed; only text is written.
fn is_packed(path: &Path) -> Result<bool, Failure> {
    let name = path.file_name().map(|name| name.to_string_lossy().to_lowercase()).unwrap_or_default();
    let plain = name.strip_suffix(".gz");
    let ending = Path::new(plain.unwrap_or(&name)).extension().map(|e| e.to_string_lossy().into_owned());
    if ending.is_none_or(|ending| ["csv", "tsv", "tab", "txt"].contains(&ending.as_str())) {
        return Ok(plain.is_some());
    }
    let shown = path.display();
    Err(Failure::Input(format!(
        "{shown}: rows are written as text: expected .csv, .tsv or .txt, or one of them with .gz"
    )))
}

fn render(found: &Imputed<'_>, session: &Session) -> String {
    let (gaps, filled) = found.totals();
    let head = format!("gaps of {} filled by {}", found.rows.name, found.source);
    let how = match (found.how.draws, found.how.write) {
        (None, Written::Value) => {
            "the most probable values; numbers that were cut: the posterior median".to_string()
        }
        (None, Written::State) => "the most probable states, as labels".to_string(),
        (Some(draws), write) => {
            let what = if write == Written::Value { "values" } else { "labels" };
            format!("{what} drawn {draws} times, seed {}", found.how.seed)
        }
    };
    let lines = [
        ("rows", grouped(found.rows.table.rows())),
        ("filled", format!("{} of {}", grouped(filled), counted(gaps, "gap"))),
        ("with", how),
    ];
    let mut text = format!("{}\n\n{}", session.paint().bold(&clean(&head)), facts(&lines, session));
    if found.columns.is_empty() {
        return text;
    }
    let mut grid = Grid::new([
        ("column", Align::Left),
        ("gaps", Align::Right),
        ("filled", Align::Right),
        ("mean probability", Align::Right),
    ]);
    for column in &found.columns {
        let probability = column.probability.map_or("-".to_string(), chance);
        grid.row([&column.name, &grouped(column.gaps), &grouped(column.filled), &probability]);
    }
    text.push('\n');
    text.push_str(&grid.render(session.width(), session.paint()));
    text
}
