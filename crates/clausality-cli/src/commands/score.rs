//! `clausality score`: how well a network fits rows, and which rows surprise it.

use crate::args::table::RowOptions;
use crate::failure::Failure;
use crate::files::networks::read_model;
use crate::files::output::OutputFile;
use crate::session::Session;
use crate::show::facts::facts;
use crate::text::{Align, Grid, chance, clean, grouped};
use clap::Args;
use clausality::bn::Prior;
use clausality::data::Absent;
use clausality::model::ScoredDocument;
use clausality::words::counted;
use std::path::PathBuf;

/// Score a network on a table: log-likelihood, BIC, BDeu, and the most surprising rows
///
/// The cells of the table are matched to the states of the network by their labels, or by the coding that a .json network
/// keeps. Of a row with gaps it is the probability of what it has that counts.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  clausality score @asia rows.csv\n  \
    clausality score network.json rows.csv --top 3 -o surprise.csv")]
pub(crate) struct ScoreArgs {
    /// A network (.bif, .xmlbif, .xml, .net, .json, or with .gz), a run folder or @NAME
    #[arg(value_name = "MODEL")]
    pub(crate) model: PathBuf,
    /// The table: .csv, .tsv, .csv.gz, .parquet, .arrow, .feather, or - for CSV on standard input
    #[arg(value_name = "TABLE")]
    pub(crate) table: PathBuf,
    /// How many of the most surprising rows to show [default: 10]
    #[arg(long, value_name = "N")]
    top: Option<usize>,
    /// Equivalent sample size of BDeu [default: 1]
    #[arg(long, value_name = "X", allow_negative_numbers = true)]
    ess: Option<f64>,
    /// Write the surprise of every row to this CSV file
    #[arg(long, short, value_name = "FILE.csv")]
    output: Option<PathBuf>,
    #[command(flatten)]
    reading: RowOptions,
}

pub(crate) fn run(args: ScoreArgs, session: &Session) -> Result<(), Failure> {
    let ess = args.ess.unwrap_or(1.0);
    Prior::Bdeu { ess }.check()?;
    let output = args.output.as_deref().map(OutputFile::reserve_csv).transpose()?;
    let model = read_model(&args.model, session)?;
    let rows = args.reading.rows(&model, &args.table, Absent::Refuse, session)?;
    let scored = model.score(&rows, &session.bounds())?;
    if let (Some(output), Some(path)) = (output, &args.output) {
        output.write_with(|file| scored.csv(file))?;
        session.note(format!("wrote the surprise of every row to {}", path.display()));
    }
    let document = scored.document(args.top.unwrap_or(10), ess)?;
    session.answer(&document, || render(&document, session))
}

fn render(scored: &ScoredDocument<'_>, session: &Session) -> String {
    let head = format!("{} on {}: {}", clean(scored.model), clean(scored.table), counted(scored.rows, "row"));
    let likelihood = match scored.impossible_rows {
        0 => format!("{:.2}, {:.4} a row", scored.log_likelihood, scored.log_likelihood_per_row),
        n => {
            let possible = scored.scored_rows - n;
            let mean = scored.log_likelihood_of_possible_rows / possible.max(1) as f64;
            format!(
                "-inf: {} impossible under the network; the other {}: {:.2}, {mean:.4} a row",
                counted(n, "row"),
                grouped(possible),
                scored.log_likelihood_of_possible_rows
            )
        }
    };
    let whole = match scored.rows - scored.complete_rows {
        0 => "these rows".to_string(),
        _ => format!("the {} without a gap", counted(scored.complete_rows, "row")),
    };
    let graph = |score: Option<f64>| match score {
        Some(score) => format!("{score:.2}, of the graph on {whole}"),
        None => "none: no row is without a gap".to_string(),
    };
    let lines = [
        ("log-likelihood", likelihood),
        ("BIC", graph(scored.bic)),
        ("BDeu", format!("{} (ess {})", graph(scored.bdeu), scored.ess)),
    ];
    let mut text = format!("{}\n\n{}", session.paint().bold(&head), facts(&lines, session));
    if !scored.surprising.is_empty() {
        text.push_str("\nThe most surprising rows, and the cell that makes them so:\n\n");
        text.push_str(&grid(scored).render(session.width(), session.paint()));
    }
    text
}

/// The most surprising rows.
fn grid(scored: &ScoredDocument<'_>) -> Grid {
    let mut grid = Grid::new([
        ("row", Align::Right),
        ("surprise", Align::Right),
        ("column", Align::Left),
        ("holds", Align::Left),
        ("chance", Align::Right),
        ("likeliest", Align::Left),
        ("chance", Align::Right),
    ]);
    for found in &scored.surprising {
        let surprise =
            if found.surprise.is_finite() { format!("{:.2}", found.surprise) } else { "inf".into() };
        let row = grouped(found.row);
        match &found.cell {
            Some(cell) => grid.row([
                &row,
                &surprise,
                cell.column,
                cell.state,
                &chance(cell.probability),
                cell.likeliest,
                &chance(cell.likeliest_probability),
            ]),
            None => grid.row([&row, &surprise, "(a gap by every cell)", "", "", "", ""]),
        };
    }
    grid
}
