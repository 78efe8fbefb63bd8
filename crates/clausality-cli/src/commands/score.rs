//! `clausality score`: how well a network fits rows, and which rows surprise it.
//!
//! ```text
//! ln P(row) = Σ_v ln P(x_v | parents)              surprise of a row = −ln P(row), in nats
//! excess of a cell = −ln P(x_v | parents) − H(v | parents)
//! ```
//! The column that makes a row surprising is the one with the largest excess: a cell less likely than its column's own
//! uncertainty would lead one to expect. Where no cell exceeds it, the least likely cell is named; ties go to the first
//! name.

use super::sample::cell;
use crate::failure::Failure;
use crate::model::{Rows, counted, facts, read_model, shown_table};
use crate::output::OutputFile;
use crate::session::Session;
use crate::table_args::RowOptions;
use crate::text::{Align, Grid, chance, clean, grouped};
use clap::Args;
use clausality::bn::math::{ln, x_ln_x};
use clausality::bn::{Likelihood, Network, Prior, Score, Scorer, Table};
use serde::Serialize;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Score a network on a table: log-likelihood, BIC, BDeu, and the most surprising rows
///
/// The cells of the table are matched to the states of the network by their labels, or by the coding that a .json network
/// keeps. Rows with missing cells are left out.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  clausality score @asia rows.csv\n  \
    clausality score network.json rows.csv --top 3 -o surprise.csv")]
pub(crate) struct ScoreArgs {
    /// A network (.bif, .xmlbif, .xml, .net, .json, or with .gz), a run folder or @NAME
    #[arg(value_name = "MODEL")]
    model: PathBuf,
    /// The table: .csv, .tsv, .csv.gz, .parquet, .arrow, .feather, or - for CSV on standard input
    #[arg(value_name = "TABLE")]
    table: String,
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

impl ScoreArgs {
    /// The files that it reads.
    pub(crate) fn inputs(&self) -> Vec<&Path> {
        vec![&self.model, Path::new(&self.table)]
    }
}

/// The JSON document; an infinite figure is null.
#[derive(Serialize)]
struct Scored<'a> {
    model: &'a str,
    table: &'a str,
    rows: usize,
    scored_rows: usize,
    impossible_rows: usize,
    log_likelihood: f64,
    log_likelihood_per_row: f64,
    log_likelihood_of_possible_rows: f64,
    bic: f64,
    bdeu: f64,
    ess: f64,
    surprising: Vec<Surprise<'a>>,
    version: &'static str,
}

/// A row and the cell that makes it surprising.
#[derive(Debug, Clone, Serialize)]
struct Surprise<'a> {
    /// The row of data, counted from 1.
    row: usize,
    surprise: f64,
    column: &'a str,
    state: &'a str,
    probability: f64,
    /// The parents' states.
    given: Vec<String>,
    /// The most likely state in that place.
    likeliest: &'a str,
    likeliest_probability: f64,
}

pub(crate) fn run(args: ScoreArgs, session: &Session) -> Result<(), Failure> {
    let ess = args.ess.unwrap_or(1.0);
    Prior::Bdeu { ess }.check().map_err(clausality::Error::from)?;
    let output = args.output.as_deref().map(OutputFile::reserve_csv).transpose()?;
    let model = read_model(&args.model, session)?;
    let rows = Rows::read(&model, &args.table, &args.reading.reading(session)?, session)?;
    let shown = shown_table(&args.table);
    let complete = rows.table.complete_rows();
    if complete.is_empty() {
        return Err(Failure::Input(format!(
            "{shown}: no row has a known state in every column of the network"
        )));
    }
    rows.warn_of_left_out(&complete, session);
    let table = rows.table.select_rows(&complete);
    let network = &model.network;
    let likelihood = network.log_likelihood(&table).map_err(clausality::Error::from)?;
    let blame = Blame::of(network, &table);
    if let (Some(output), Some(path)) = (output, &args.output) {
        let lines =
            Lines { network, table: &table, complete: &complete, likelihood: &likelihood, blame: &blame };
        output.write_with(|file| lines.write(file, rows.table.rows()))?;
        session.note(format!("wrote the surprise of every row to {}", path.display()));
    }
    let graph_score = |score: Score| -> Result<f64, Failure> {
        let scored = Scorer::new(&table, score).and_then(|scorer| scorer.dag(network.dag()));
        Ok(scored.map_err(clausality::Error::from)?)
    };
    let possible: Vec<f64> = likelihood.rows.iter().copied().filter(|value| value.is_finite()).collect();
    let document = Scored {
        model: &model.source,
        table: shown,
        rows: rows.table.rows(),
        scored_rows: complete.len(),
        impossible_rows: likelihood.impossible,
        log_likelihood: likelihood.total,
        log_likelihood_per_row: likelihood.mean(),
        log_likelihood_of_possible_rows: possible.iter().sum(),
        bic: graph_score(Score::Bic)?,
        bdeu: graph_score(Score::Bdeu { ess })?,
        ess,
        surprising: most_surprising(&likelihood, args.top.unwrap_or(10))
            .into_iter()
            .map(|row| blame.surprise(network, &table, row, complete[row], likelihood.rows[row]))
            .collect(),
        version: env!("CARGO_PKG_VERSION"),
    };
    if session.json {
        return session.print_json(&document);
    }
    session.print(&document.render(session))
}

/// The rows with the lowest likelihood, the lowest first; of equal rows the first.
fn most_surprising(likelihood: &Likelihood, top: usize) -> Vec<usize> {
    let mut rows: Vec<usize> = (0..likelihood.rows.len()).collect();
    rows.sort_by(|&a, &b| likelihood.rows[a].total_cmp(&likelihood.rows[b]).then(a.cmp(&b)));
    rows.truncate(top);
    rows
}

/// The cell of every row with the largest excess.
struct Blame {
    column: Vec<u32>,
}

impl Blame {
    fn of(network: &Network, table: &Table) -> Self {
        let by_name = network.schema().in_name_order();
        let mut column = vec![by_name.first().copied().unwrap_or(0) as u32; table.rows()];
        let mut most = vec![(f64::NEG_INFINITY, f64::NEG_INFINITY); table.rows()];
        let mut cells = vec![0usize; table.rows()];
        for v in by_name {
            let cpt = network.cpt(v);
            let weights: Vec<(f64, f64)> =
                cpt.values().chunks_exact(cpt.states()).flat_map(weights).collect();
            configurations(network, table, v, &mut cells);
            let codes = cells.iter().zip(table.column(v));
            for ((most, column), (&j, &code)) in most.iter_mut().zip(&mut column).zip(codes) {
                let weight = weights[j * cpt.states() + usize::from(code)];
                if weight > *most {
                    (*most, *column) = (weight, v as u32);
                }
            }
        }
        Blame { column }
    }

    fn surprise<'a>(
        &self,
        network: &'a Network,
        table: &Table,
        row: usize,
        shown_row: usize,
        log_likelihood: f64,
    ) -> Surprise<'a> {
        let v = self.column[row] as usize;
        let (schema, cpt) = (network.schema(), network.cpt(v));
        let code = |v: usize| usize::from(table.column(v)[row]);
        let codes: Vec<u8> = cpt.parents().iter().map(|&p| table.column(p)[row]).collect();
        let chances = cpt.row(cpt.configuration(&codes));
        let likeliest =
            (0..chances.len()).rev().max_by(|&a, &b| chances[a].total_cmp(&chances[b])).unwrap_or(0);
        let word = |&p: &usize| format!("{}={}", schema.name(p), schema.variable(p).states[code(p)]);
        Surprise {
            row: shown_row + 1,
            // Not a negation: that would give a certain row a surprise of minus zero.
            surprise: 0.0 - log_likelihood,
            column: schema.name(v),
            state: &schema.variable(v).states[code(v)],
            probability: chances[code(v)],
            given: cpt.parents().iter().map(word).collect(),
            likeliest: &schema.variable(v).states[likeliest],
            likeliest_probability: chances[likeliest],
        }
    }
}

/// What every state of one distribution weighs in a row: its excess if it has one, then its surprise.
fn weights(chances: &[f64]) -> Vec<(f64, f64)> {
    let entropy: f64 = -chances.iter().map(|&p| x_ln_x(p)).sum::<f64>();
    let weight = |&p: &f64| {
        let surprise = if p > 0.0 { -ln(p) } else { f64::INFINITY };
        ((surprise - entropy).max(0.0), surprise)
    };
    chances.iter().map(weight).collect()
}

/// The number of the parents' configuration in every row.
fn configurations(network: &Network, table: &Table, node: usize, out: &mut [usize]) {
    let cpt = network.cpt(node);
    out.fill(0);
    for (&parent, &states) in cpt.parents().iter().zip(cpt.parent_states()) {
        for (j, &code) in out.iter_mut().zip(table.column(parent)) {
            *j = *j * states + usize::from(code);
        }
    }
}

/// The file with every row; rows that were left out have no figures.
struct Lines<'a> {
    network: &'a Network,
    table: &'a Table,
    complete: &'a [usize],
    likelihood: &'a Likelihood,
    blame: &'a Blame,
}

impl Lines<'_> {
    fn write(&self, out: &mut dyn Write, rows: usize) -> std::io::Result<()> {
        let mut out = std::io::BufWriter::new(out);
        writeln!(out, "row,surprise,column,state,probability")?;
        let mut scored = self.complete.iter().enumerate().peekable();
        for row in 0..rows {
            let Some((k, _)) = scored.next_if(|&(_, &complete)| complete == row) else {
                writeln!(out, "{},,,,", row + 1)?;
                continue;
            };
            let found = self.blame.surprise(self.network, self.table, k, row, self.likelihood.rows[k]);
            let (column, state) = (cell(found.column), cell(found.state));
            writeln!(out, "{},{},{column},{state},{}", row + 1, found.surprise, found.probability)?;
        }
        out.flush()
    }
}

impl Scored<'_> {
    fn render(&self, session: &Session) -> String {
        let head = format!("{} on {}: {}", clean(self.model), clean(self.table), counted(self.rows, "row"));
        let likelihood = match self.impossible_rows {
            0 => format!("{:.2}, {:.4} a row", self.log_likelihood, self.log_likelihood_per_row),
            n => {
                let possible = self.scored_rows - n;
                let mean = self.log_likelihood_of_possible_rows / possible.max(1) as f64;
                format!(
                    "-inf: {} impossible under the network; the other {}: {:.2}, {mean:.4} a row",
                    counted(n, "row"),
                    grouped(possible),
                    self.log_likelihood_of_possible_rows
                )
            }
        };
        let lines = [
            ("log-likelihood", likelihood),
            ("BIC", format!("{:.2}, of the graph on these rows", self.bic)),
            ("BDeu", format!("{:.2}, of the graph on these rows (ess {})", self.bdeu, self.ess)),
        ];
        let mut text = format!("{}\n\n{}", session.paint().bold(&head), facts(&lines, session));
        if !self.surprising.is_empty() {
            text.push_str("\nThe most surprising rows, and the cell that makes them so:\n\n");
            text.push_str(&self.grid().render(session.width(), session.paint()));
        }
        text
    }

    fn grid(&self) -> Grid {
        let mut grid = Grid::new([
            ("row", Align::Right),
            ("surprise", Align::Right),
            ("column", Align::Left),
            ("holds", Align::Left),
            ("chance", Align::Right),
            ("likeliest", Align::Left),
            ("chance", Align::Right),
        ]);
        for found in &self.surprising {
            grid.row([
                &grouped(found.row),
                &if found.surprise.is_finite() { format!("{:.2}", found.surprise) } else { "inf".into() },
                found.column,
                found.state,
                &chance(found.probability),
                found.likeliest,
                &chance(found.likeliest_probability),
            ]);
        }
        grid
    }
}
