//! `clausality predict`: one node predicted from the other columns, row by row.

use crate::args::findings;
use crate::args::table::{RowOptions, parser};
use crate::failure::Failure;
use crate::files::networks::read_model;
use crate::files::output::OutputFile;
use crate::session::{Progress, Session};
use crate::show::facts::facts;
use crate::text::{Align, Grid, chance, clean, grouped};
use clap::Args;
use clausality::bn::infer::Evaluation;
use clausality::data::Absent;
use clausality::model::{Predicted, PredictedDocument, calibration, several_csv};
use clausality::votes::By;
use clausality::words::{counted, quoted};
use serde::Serialize;
use std::io;
use std::path::{Path, PathBuf};

/// Predict a node for every row of a table, with its probabilities
///
/// Columns are matched to nodes by name, cells to states by label or by the coding that a .json network keeps. Columns may
/// be missing and cells may be empty: the answer is then the exact one without them. Where the table has the target's
/// own column, it is not used to predict but to tell how good the predictions are.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  clausality predict @asia rows.csv --target lung\n  \
    clausality predict network.json new.csv --target Exited -o predicted.csv")]
pub(crate) struct PredictArgs {
    /// A network (.bif, .xmlbif, .xml, .net, .json, or with .gz), a run folder or @NAME
    #[arg(value_name = "MODEL")]
    model: PathBuf,
    /// The table: .csv, .tsv, .csv.gz, .parquet, .arrow, .feather, or - for CSV on standard input
    #[arg(value_name = "TABLE")]
    table: PathBuf,
    /// The nodes to predict
    #[arg(long, short, value_name = "Y,…", required = true)]
    target: Vec<String>,
    /// Let the network, the machines or both predict [default: what was best when it was learned for this target, else the network]
    #[arg(long, value_name = "WHO", value_parser = parser::<By>(&["network", "machines", "both"]))]
    by: Option<By>,
    /// The CSV file to write [default: standard output]
    #[arg(long, short, value_name = "FILE.csv")]
    output: Option<PathBuf>,
    #[command(flatten)]
    reading: RowOptions,
}

impl PredictArgs {
    /// The files that it reads.
    pub(crate) fn inputs(&self) -> Vec<&Path> {
        vec![&self.model, &self.table]
    }
}

pub(crate) fn run(args: PredictArgs, session: &Session) -> Result<(), Failure> {
    let output = args.output.as_deref().map(OutputFile::reserve_csv).transpose()?;
    let model = read_model(&args.model, session)?;
    let targets = findings::nodes(model.network.schema(), &args.target)?;
    let rows = args.reading.rows(&model, &args.table, Absent::Unknown, session)?;
    let progress = Progress::new(session);
    let ask = |&target: &usize| model.predict(target, &rows, args.by, &session.bounds(), &progress);
    let found = targets.iter().map(ask).collect::<Result<Vec<_>, _>>()?;
    found.iter().for_each(|found| say(found, model.network.len(), session));
    Predicted::flattered(&found).iter().for_each(|notice| session.warn(notice));
    if !rows.unused.is_empty() {
        session.note(format!(
            "columns that are no nodes of the network are not used: {}",
            quoted(&rows.unused, 8)
        ));
    }
    let write = |file: &mut dyn io::Write| match found.as_slice() {
        [one] => one.csv(file),
        several => several_csv(several, file),
    };
    let file = args.output.as_ref().map(|path| path.display().to_string());
    if let Some(output) = output {
        output.write_with(write)?;
    } else if !session.json {
        write(&mut io::stdout().lock())?;
    }
    if session.json {
        return match found.as_slice() {
            [one] => session.print_json(&one.document(file)),
            several => {
                let targets: Vec<_> = several.iter().map(|found| found.document(file.clone())).collect();
                session.print_json(&Several { targets })
            }
        };
    }
    let told: String = found.iter().map(|found| render(found, session)).collect::<Vec<_>>().join("\n");
    match file {
        Some(file) => {
            session.note(format!("wrote {} to {file}", counted(found[0].found.rows(), "prediction")));
            session.print(&told)
        }
        None => {
            told.trim_end().lines().for_each(|line| session.note(line));
            Ok(())
        }
    }
}

/// The document of several targets.
#[derive(Serialize)]
struct Several<'a> {
    targets: Vec<PredictedDocument<'a>>,
}

/// Who predicts, and what the predictions had to do without.
fn say(found: &Predicted<'_>, nodes: usize, session: &Session) {
    if let Some(won) = found.won {
        let who = match found.by {
            By::Network => "the network",
            By::Machines => "the machines",
            By::Both => "network and machines together",
        };
        let best = match won == found.by {
            true => ", which was best on rows held out",
            false if found.asked => ", as asked",
            false => "",
        };
        session.note(format!("{} is predicted by {who}{best}", found.variable.name));
    }
    found.notices(nodes).iter().for_each(|notice| session.warn(notice));
}

fn render(found: &Predicted<'_>, session: &Session) -> String {
    let rows = found.found.rows();
    let by = if found.by == By::Network { "" } else { found.by.word() };
    let by = if by.is_empty() { String::new() } else { format!(" ({by})") };
    let head = format!("{} predicted by {}{by} for {}", found.variable.name, found.source, found.rows.name);
    let unknown: usize = found.rows.unknown.values().sum();
    let missing: usize = found.rows.missing.values().sum();
    let incomplete = match found.found.incomplete {
        0 => "none".to_string(),
        n => format!(
            "{} without a cell that {} hangs on, predicted from the rest",
            counted(n, "row"),
            found.variable.name
        ),
    };
    let mut lines = vec![
        ("rows", grouped(rows)),
        ("incomplete", incomplete),
        (
            "cells",
            format!(
                "{} empty in all rows together (a state of its own where the network has one), {} unseen",
                grouped(missing),
                grouped(unknown)
            ),
        ),
    ];
    if let Some(figures) = &found.evaluation {
        let loss = match figures.denied {
            0 => format!("{:.4}", figures.log_loss),
            n => format!("inf: {} held what the network says cannot be", counted(n, "row")),
        };
        lines.extend([
            (
                "accuracy",
                match &found.rows.weights {
                    // Rows that count differently: how many there are says another thing.
                    Some(_) => format!("{:.4}", figures.accuracy),
                    None => format!(
                        "{:.4} ({} of {})",
                        figures.accuracy,
                        grouped(figures.correct),
                        grouped(figures.rows)
                    ),
                },
            ),
            ("balanced", format!("{:.4} (every state counts as much)", figures.balanced_accuracy)),
            ("AUC", figures.auc.map_or("-".into(), |auc| format!("{auc:.4}"))),
            ("log-loss", loss),
            ("Brier", format!("{:.4}", figures.brier)),
            ("calibration", format!("off by {:.4} on average", figures.calibration_error)),
        ]);
    }
    let mut text = format!("{}\n\n{}", session.paint().bold(&clean(&head)), facts(&lines, session));
    if let Some(figures) = &found.evaluation {
        text.push_str(&format!("\n{}", confidence(figures).render(session.width(), session.paint())));
    }
    text
}

/// How often predictions of about the same probability are right.
fn confidence(figures: &Evaluation) -> Grid {
    let mut grid = Grid::new([
        ("probability of the prediction", Align::Left),
        ("rows", Align::Right),
        ("mean", Align::Right),
        ("correct", Align::Right),
    ]);
    for bin in calibration(figures) {
        grid.row([
            &format!("{:.1} to {:.1}", bin.from, bin.to),
            &grouped(bin.rows),
            &chance(bin.confidence),
            &chance(bin.accuracy),
        ]);
    }
    grid
}
