//! `clausality sample`: rows drawn from a network, as CSV.

use crate::failure::Failure;
use crate::files::networks::read_model;
use crate::files::output::OutputFile;
use crate::session::{Meter, Session};
use crate::text::grouped;
use clap::Args;
use clausality::bn::{Network, Sampler, Table};
use clausality::data::csv_cell as cell;
use flate2::{Compression, write::GzEncoder};
use serde::Serialize;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Draw synthetic rows from a network
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  clausality sample @asia -n 5 --seed 7\n  \
    clausality sample network.bif -n 1000000 -o rows.csv.gz")]
pub(crate) struct SampleArgs {
    /// A network (.bif, .xmlbif, .xml, .net, .json, or with .gz), a run folder or @NAME
    #[arg(value_name = "MODEL")]
    pub(crate) model: PathBuf,
    /// How many rows to draw, at most 1,000,000,000
    #[arg(long, short = 'n', value_name = "ROWS", value_parser = clap::value_parser!(u64).range(1..=1_000_000_000))]
    rows: u64,
    /// The file to write, .csv or .csv.gz [default: CSV on standard output]
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
}

/// The JSON document about a written file.
#[derive(Serialize)]
struct Sampled<'a> {
    model: &'a str,
    rows: u64,
    columns: Vec<&'a str>,
    file: String,
    seed: u64,
    version: &'static str,
}

/// Rows in memory at a time, and cells: of a wide network fewer rows.
const PIECE: u64 = 1 << 14;
const PIECE_CELLS: u64 = 1 << 20;

pub(crate) fn run(args: SampleArgs, session: &Session) -> Result<(), Failure> {
    let packed = args.output.as_deref().map(is_packed).transpose()?;
    let output = args.output.as_deref().map(OutputFile::reserve).transpose()?;
    let model = read_model(&args.model, session)?;
    let draw = Draw { network: &model.network, rows: args.rows, seed: session.seed };
    let (Some(output), Some(path)) = (output, &args.output) else {
        let mut out = io::stdout().lock();
        match session.json {
            true => draw.json(&mut out, &model.source)?,
            false => draw.csv(&mut out, None)?,
        }
        return Ok(out.flush()?);
    };
    let bar = session.meter("sampling", args.rows);
    output.write_with(|file| match packed {
        Some(true) => {
            let mut packer = GzEncoder::new(file, Compression::default());
            draw.csv(&mut packer, Some(&bar))?;
            packer.finish().map(drop)
        }
        _ => draw.csv(file, Some(&bar)),
    })?;
    drop(bar);
    let columns: Vec<&str> = model.network.schema().variables().iter().map(|v| v.name.as_str()).collect();
    if session.json {
        let (rows, seed, file) = (args.rows, session.seed, path.display().to_string());
        let version = env!("CARGO_PKG_VERSION");
        return session.print_json(&Sampled { model: &model.source, rows, columns, file, seed, version });
    }
    session.note(format!(
        "wrote {} rows of {} columns to {}",
        grouped(usize::try_from(args.rows).unwrap_or(usize::MAX)),
        columns.len(),
        path.display()
    ));
    Ok(())
}

/// Whether the file is to be packed; only CSV is written.
fn is_packed(path: &Path) -> Result<bool, Failure> {
    let name = path.file_name().map(|name| name.to_string_lossy().to_lowercase()).unwrap_or_default();
    let plain = name.strip_suffix(".gz");
    if plain.unwrap_or(&name).ends_with(".csv") || path.extension().is_none_or(|e| e.is_empty()) {
        return Ok(plain.is_some());
    }
    let message =
        format!("{}: rows are written as CSV: expected a file that ends in .csv or .csv.gz", path.display());
    Err(Failure::Input(message))
}

/// What is to be drawn.
struct Draw<'n> {
    network: &'n Network,
    rows: u64,
    seed: u64,
}

impl Draw<'_> {
    /// Header and rows as CSV.
    fn csv(&self, out: &mut dyn Write, bar: Option<&Meter>) -> io::Result<()> {
        let columns = self.network.schema().variables();
        let last = columns.len().saturating_sub(1);
        let end = |v: usize| if v == last { '\n' } else { ',' };
        let header: String =
            columns.iter().enumerate().map(|(v, c)| cell(&c.name) + &end(v).to_string()).collect();
        out.write_all(header.as_bytes())?;
        let labels = self.labels(|v, label| cell(label) + &end(v).to_string());
        self.pieces(|piece, buffer| {
            append(piece, &labels, buffer);
            if let Some(bar) = bar {
                bar.add(piece.rows() as u64);
            }
            out.write_all(buffer)
        })
    }

    /// One document with all rows.
    fn json(&self, out: &mut dyn Write, model: &str) -> io::Result<()> {
        let text = |text: &str| serde_json::Value::from(text).to_string();
        let columns = self.network.schema().variables();
        let names: Vec<String> = columns.iter().map(|column| text(&column.name)).collect();
        let head = format!(
            "  \"model\": {},\n  \"seed\": {},\n  \"version\": {},",
            text(model),
            self.seed,
            text(env!("CARGO_PKG_VERSION"))
        );
        write!(out, "{{\n{head}\n  \"columns\": [{}],\n  \"rows\": [", names.join(", "))?;
        let last = columns.len().saturating_sub(1);
        let labels = self.labels(|v, label| {
            let (open, close) = (if v == 0 { "\n    [" } else { "" }, if v == last { "]," } else { ", " });
            format!("{open}{}{close}", text(label))
        });
        let mut left = self.rows;
        self.pieces(|piece, buffer| {
            append(piece, &labels, buffer);
            left -= piece.rows() as u64;
            if left == 0 {
                // No comma after the last row.
                buffer.pop();
            }
            out.write_all(buffer)
        })?;
        out.write_all(b"\n  ]\n}\n")
    }

    /// What stands for every state of every column.
    fn labels(&self, cell: impl Fn(usize, &str) -> String) -> Vec<Vec<String>> {
        let columns = self.network.schema().variables().iter().enumerate();
        columns.map(|(v, column)| column.states.iter().map(|label| cell(v, label)).collect()).collect()
    }

    /// Hands out the rows piece by piece with an empty buffer for each; the pieces in a row are the same rows as one
    /// large piece.
    fn pieces(&self, mut take: impl FnMut(&Table, &mut Vec<u8>) -> io::Result<()>) -> io::Result<()> {
        let mut sampler = Sampler::new(self.network, self.seed);
        let mut buffer = Vec::new();
        let mut left = self.rows;
        let piece = (PIECE_CELLS / self.network.len().max(1) as u64).clamp(1, PIECE);
        while left > 0 {
            let rows = left.min(piece);
            buffer.clear();
            take(&sampler.draw(rows as usize), &mut buffer)?;
            left -= rows;
        }
        Ok(())
    }
}

/// The rows as text: for each cell what its column has for its state.
fn append(piece: &Table, labels: &[Vec<String>], buffer: &mut Vec<u8>) {
    let columns: Vec<(&[u8], &[String])> =
        labels.iter().enumerate().map(|(v, labels)| (piece.column(v), labels.as_slice())).collect();
    for row in 0..piece.rows() {
        for (codes, labels) in &columns {
            buffer.extend_from_slice(labels[usize::from(codes[row])].as_bytes());
        }
    }
}
