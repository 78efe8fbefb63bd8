//! `clausality predict`: one node predicted from the other columns, row by row.

use super::sample::cell;
use crate::failure::Failure;
use crate::findings;
use crate::model::{Rows, counted, facts, listed, read_model, shown_table};
use crate::output::OutputFile;
use crate::session::Session;
use crate::table_args::RowOptions;
use crate::text::{Align, Grid, chance, clean, grouped};
use clap::Args;
use clausality::bn::infer::{Bin, DEFAULT_BYTES, Evaluation, Predictions, predict};
use clausality::bn::{MISSING, Variable};
use serde::Serialize;
use std::collections::BTreeMap;
use std::io::{self, BufWriter, Write};
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
    table: String,
    /// The node to predict
    #[arg(long, short, value_name = "Y")]
    target: String,
    /// The CSV file to write [default: standard output]
    #[arg(long, short, value_name = "FILE.csv")]
    output: Option<PathBuf>,
    #[command(flatten)]
    reading: RowOptions,
}

impl PredictArgs {
    /// The files that it reads.
    pub(crate) fn inputs(&self) -> Vec<&Path> {
        vec![&self.model, Path::new(&self.table)]
    }
}

/// The JSON document.
#[derive(Serialize)]
struct Document<'a> {
    model: &'a str,
    table: &'a str,
    target: &'a str,
    rows: usize,
    incomplete_rows: usize,
    impossible_rows: usize,
    absent_columns: &'a [&'a str],
    missing_cells: &'a BTreeMap<String, usize>,
    unknown_cells: &'a BTreeMap<String, usize>,
    evaluation: Option<Figures>,
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    states: Option<&'a [String]>,
    /// One for every row; null for impossible rows.
    #[serde(skip_serializing_if = "Option::is_none")]
    predictions: Option<Vec<Option<Prediction<'a>>>>,
    version: &'static str,
}

/// The predicted state and the probability of each state.
type Prediction<'a> = (&'a str, &'a [f64]);

/// How good the predictions are; an infinite figure is null.
#[derive(Serialize)]
struct Figures {
    rows: usize,
    accuracy: f64,
    log_loss: f64,
    denied_rows: usize,
    brier: f64,
    calibration_error: f64,
    calibration: Vec<Calibration>,
}

#[derive(Serialize)]
struct Calibration {
    from: f64,
    to: f64,
    rows: usize,
    confidence: f64,
    accuracy: f64,
}

pub(crate) fn run(args: PredictArgs, session: &Session) -> Result<(), Failure> {
    let output = args.output.as_deref().map(OutputFile::reserve_csv).transpose()?;
    let model = read_model(&args.model, session)?;
    let network = &model.network;
    let target = findings::node(network.schema(), &args.target)?;
    let rows = Rows::read_with_gaps(&model, &args.table, &args.reading.reading(session)?, session)?;
    let absent: Vec<&str> = rows
        .absent
        .iter()
        .map(String::as_str)
        .filter(|&name| name != network.schema().name(target))
        .collect();
    if !absent.is_empty() {
        let verb = if absent.len() == 1 { "node has" } else { "nodes have" };
        session.warn(format!(
            "{} of {} {verb} no column in the table and count as unknown: {}",
            absent.len(),
            network.len(),
            listed(&absent, 8)
        ));
    }
    let limit = session.memory_limit.unwrap_or(DEFAULT_BYTES);
    let found = predict(network, target, &rows.table, limit).map_err(clausality::Error::from)?;
    let truth = rows.table.column(target);
    let evaluation = truth.iter().any(|&code| code != MISSING).then(|| found.evaluate(truth));
    if found.impossible > 0 {
        session.warn(format!(
            "{} of {} rows are impossible under the network and have no prediction",
            grouped(found.impossible),
            grouped(found.rows())
        ));
    }
    let report = Report {
        shown: shown_table(&args.table),
        source: &model.source,
        variable: network.schema().variable(target),
        found: &found,
        truth: evaluation.is_some().then_some(truth),
        evaluation: evaluation.as_ref(),
        rows: &rows,
        absent: &absent,
    };
    match (output, &args.output) {
        (Some(output), Some(path)) => {
            output.write_with(|file| report.csv(file))?;
            let file = path.display().to_string();
            if session.json {
                return session.print_json(&report.document(Some(file)));
            }
            session.note(format!("wrote {} to {file}", counted(found.rows(), "prediction")));
            session.print(&report.render(session))
        }
        _ if session.json => session.print_json(&report.document(None)),
        _ => {
            report.csv(&mut io::stdout().lock())?;
            report.render(session).trim_end().lines().for_each(|line| session.note(line));
            Ok(())
        }
    }
}

struct Report<'a> {
    shown: &'a str,
    source: &'a str,
    variable: &'a Variable,
    found: &'a Predictions,
    truth: Option<&'a [u8]>,
    evaluation: Option<&'a Evaluation>,
    rows: &'a Rows,
    absent: &'a [&'a str],
}

impl<'a> Report<'a> {
    /// One line a row: what is predicted, how surely, every state's probability, and the truth where it is known.
    fn csv(&self, out: &mut dyn Write) -> io::Result<()> {
        let mut out = BufWriter::with_capacity(1 << 16, out);
        let states = &self.variable.states;
        let head: String = states.iter().map(|s| format!(",{}", cell(&format!("P({s})")))).collect();
        let actual = if self.truth.is_some() { ",actual" } else { "" };
        writeln!(out, "row,prediction,probability{head}{actual}")?;
        // Rows share answers: each is put in words once.
        let words: Vec<String> = (0..self.found.distinct())
            .map(|k| {
                let chances = self.found.distribution(k);
                let best = self.found.likeliest(k);
                let all: String = chances.iter().map(|p| format!(",{p}")).collect();
                format!("{},{}{all}", cell(&states[best]), chances[best])
            })
            .collect();
        let nothing = ",".repeat(states.len() + 1);
        let labels: Vec<String> = states.iter().map(|s| cell(s)).collect();
        for row in 0..self.found.rows() {
            let words = self.found.index(row).map_or(nothing.as_str(), |k| words[k].as_str());
            write!(out, "{},{words}", row + 1)?;
            if let Some(truth) = self.truth {
                write!(out, ",{}", labels.get(usize::from(truth[row])).map_or("", String::as_str))?;
            }
            out.write_all(b"\n")?;
        }
        out.flush()
    }

    fn document(&self, file: Option<String>) -> Document<'a> {
        let states = &self.variable.states;
        let answer = |row: usize| {
            let k = self.found.index(row)?;
            Some((states[self.found.likeliest(k)].as_str(), self.found.distribution(k)))
        };
        let listed = file.is_none();
        Document {
            model: self.source,
            table: self.shown,
            target: &self.variable.name,
            rows: self.found.rows(),
            incomplete_rows: self.found.incomplete,
            impossible_rows: self.found.impossible,
            absent_columns: self.absent,
            missing_cells: &self.rows.missing,
            unknown_cells: &self.rows.unknown,
            evaluation: self.evaluation.map(figures),
            file,
            states: listed.then_some(states),
            predictions: listed.then(|| (0..self.found.rows()).map(answer).collect()),
            version: env!("CARGO_PKG_VERSION"),
        }
    }

    fn render(&self, session: &Session) -> String {
        let rows = self.found.rows();
        let head = format!("{} predicted by {} for {}", self.variable.name, self.source, self.shown);
        let unknown: usize = self.rows.unknown.values().sum();
        let missing: usize = self.rows.missing.values().sum();
        let incomplete = match self.found.incomplete {
            0 => "none".to_string(),
            n => format!("{}, predicted from what is there", grouped(n)),
        };
        let mut lines = vec![
            ("rows", grouped(rows)),
            ("incomplete", incomplete),
            (
                "cells",
                format!(
                    "{} empty (a state of its own where the network has one), {} unseen",
                    grouped(missing),
                    grouped(unknown)
                ),
            ),
        ];
        if let Some(figures) = self.evaluation {
            let loss = match figures.denied {
                0 => format!("{:.4}", figures.log_loss),
                n => format!("inf: {} held what the network says cannot be", counted(n, "row")),
            };
            lines.extend([
                (
                    "accuracy",
                    format!(
                        "{:.4} ({} of {})",
                        figures.accuracy,
                        grouped(figures.correct),
                        grouped(figures.rows)
                    ),
                ),
                ("log-loss", loss),
                ("Brier", format!("{:.4}", figures.brier)),
                ("calibration", format!("off by {:.4} on average", figures.calibration_error)),
            ]);
        }
        let mut text = format!("{}\n\n{}", session.paint().bold(&clean(&head)), facts(&lines, session));
        if let Some(figures) = self.evaluation {
            text.push_str(&format!("\n{}", calibration(figures).render(session.width(), session.paint())));
        }
        text
    }
}

fn calibration(figures: &Evaluation) -> Grid {
    let mut grid = Grid::new([
        ("probability of the prediction", Align::Left),
        ("rows", Align::Right),
        ("mean", Align::Right),
        ("correct", Align::Right),
    ]);
    for bin in bins(figures) {
        grid.row([
            &format!("{:.1} to {:.1}", bin.from, bin.to),
            &grouped(bin.rows),
            &chance(bin.confidence),
            &chance(bin.accuracy),
        ]);
    }
    grid
}

/// The bins that hold rows.
fn bins(figures: &Evaluation) -> Vec<Calibration> {
    let width = 1.0 / figures.bins.len() as f64;
    let bin = |(k, bin): (usize, &Bin)| Calibration {
        from: k as f64 * width,
        to: (k + 1) as f64 * width,
        rows: bin.rows,
        confidence: bin.confidence,
        accuracy: bin.correct as f64 / bin.rows as f64,
    };
    figures.bins.iter().enumerate().filter(|(_, bin)| bin.rows > 0).map(bin).collect()
}

fn figures(figures: &Evaluation) -> Figures {
    Figures {
        rows: figures.rows,
        accuracy: figures.accuracy,
        log_loss: figures.log_loss,
        denied_rows: figures.denied,
        brier: figures.brier,
        calibration_error: figures.calibration_error,
        calibration: bins(figures),
    }
}
