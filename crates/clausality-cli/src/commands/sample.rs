//! `clausality sample`: rows drawn from a network, as CSV.

use crate::failure::Failure;
use crate::files::networks::{model_of, read_structure};
use crate::files::output::OutputFile;
use crate::session::{Meter, Session};
use crate::text::grouped;
use clap::Args;
use clausality::bn::dynamic::{DynamicNetwork, SeriesSampler};
use clausality::bn::{Network, Sampler, Schema, Table};
use clausality::data::csv_cell as cell;
use clausality::model::Loaded;
use flate2::{Compression, write::GzEncoder};
use serde::Serialize;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Draw synthetic rows from a network, or series from a network over time
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  clausality sample @asia -n 5 --seed 7\n  \
    clausality sample network.bif -n 1000000 -o rows.csv.gz\n  \
    clausality sample shop-run --steps 100 --series 20 -o series.csv")]
pub(crate) struct SampleArgs {
    /// A network (.bif, .xmlbif, .xml, .net, .json, or with .gz), a run folder or @NAME
    #[arg(value_name = "MODEL")]
    pub(crate) model: PathBuf,
    /// How many rows to draw; they are written as they are drawn, however many
    #[arg(long, short = 'n', value_name = "ROWS", value_parser = clap::value_parser!(u64).range(1..=MOST_ROWS), required_unless_present = "steps")]
    rows: Option<u64>,
    /// Of a network over time: how many steps each series has
    #[arg(long, value_name = "N", conflicts_with = "rows", value_parser = clap::value_parser!(u64).range(1..=1_000_000_000))]
    steps: Option<u64>,
    /// Of a network over time: how many series to draw [default: 1]
    #[arg(long, value_name = "N", requires = "steps", value_parser = clap::value_parser!(u64).range(1..=1_000_000_000))]
    series: Option<u64>,
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

/// The most rows that are drawn, of series as of anything else: no disk holds them.
const MOST_ROWS: u64 = 1_000_000_000_000_000;

/// Rows in memory at a time, and cells: of a wide network fewer rows.
const PIECE: u64 = 1 << 14;
const PIECE_CELLS: u64 = 1 << 20;

pub(crate) fn run(args: SampleArgs, session: &Session) -> Result<(), Failure> {
    let packed = args.output.as_deref().map(is_packed).transpose()?;
    let output = args.output.as_deref().map(OutputFile::reserve).transpose()?;
    let loaded = read_structure(&args.model, session)?;
    let source = loaded.source().to_string();
    let from = match (loaded, args.rows, args.steps) {
        (Loaded::Dynamic(model), None, Some(steps)) => {
            let series = args.series.unwrap_or(1);
            let held = steps.saturating_mul(model.network.window().len() as u64);
            if steps.checked_mul(series).is_none_or(|rows| rows > MOST_ROWS) {
                return Err(Failure::Input(format!(
                    "{series} series of {steps} steps are more than {MOST_ROWS} rows: draw fewer (--series) or shorter ones (--steps)"
                )));
            }
            if held > session.inference_bytes() {
                return Err(Failure::Limit(format!(
                    "series of {steps} steps hold {held} cells, over the limit of {}: draw shorter ones, or raise it (--memory-limit)",
                    session.inference_bytes()
                )));
            }
            From::Series(model.network, steps, series)
        }
        (Loaded::Dynamic(_), ..) => {
            let message =
                format!("{source}: of a network over time series are drawn: give --steps, and --series");
            return Err(Failure::Input(message));
        }
        (other, Some(rows), _) => From::Rows(model_of(other)?.network, rows),
        (_, None, _) => {
            let message =
                format!("{source}: --steps is for networks over time: give the number of rows (-n)");
            return Err(Failure::Input(message));
        }
    };
    let draw = Draw::new(&from, session.seed).map_err(clausality::Error::from)?;
    let (Some(output), Some(path)) = (output, &args.output) else {
        let mut out = io::stdout().lock();
        match session.json {
            true => draw.json(&mut out, &source)?,
            false => draw.csv(&mut out, None)?,
        }
        return Ok(out.flush()?);
    };
    let bar = session.meter("sampling", draw.rows);
    output.write_with(|file| match packed {
        Some(true) => {
            let mut packer = GzEncoder::new(file, Compression::default());
            draw.csv(&mut packer, Some(&bar))?;
            packer.finish().map(drop)
        }
        _ => draw.csv(file, Some(&bar)),
    })?;
    drop(bar);
    let columns = draw.columns();
    if session.json {
        let (rows, seed, file) = (draw.rows, session.seed, path.display().to_string());
        let version = env!("CARGO_PKG_VERSION");
        return session.print_json(&Sampled { model: &source, rows, columns, file, seed, version });
    }
    session.note(format!(
        "wrote {} rows of {} columns to {}",
        grouped(usize::try_from(draw.rows).unwrap_or(usize::MAX)),
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

/// What is drawn from.
enum From {
    /// So many rows of a network.
    Rows(Arc<Network>, u64),
    /// Of a network over time, series of so many steps, so many of them.
    Series(Arc<DynamicNetwork>, u64, u64),
}

/// What is to be drawn.
struct Draw<'n> {
    from: &'n From,
    schema: Schema,
    /// For series: the names of the columns that number them and their steps.
    numbered: Option<[String; 2]>,
    rows: u64,
    seed: u64,
}

impl<'n> Draw<'n> {
    fn new(from: &'n From, seed: u64) -> Result<Self, clausality::bn::Error> {
        let (schema, rows) = match from {
            From::Rows(network, rows) => (network.schema().clone(), *rows),
            From::Series(network, steps, series) => {
                (SeriesSampler::new(network, seed)?.schema().clone(), steps * series)
            }
        };
        let free = |name: &str| {
            let mut name = name.to_string();
            while schema.index(&name).is_some() {
                name.push('_');
            }
            name
        };
        let numbered = matches!(from, From::Series(..)).then(|| [free("series"), free("step")]);
        Ok(Draw { from, schema, numbered, rows, seed })
    }

    fn columns(&self) -> Vec<&str> {
        let own = self.schema.variables().iter().map(|v| v.name.as_str());
        self.numbered.iter().flatten().map(String::as_str).chain(own).collect()
    }

    /// Header and rows as CSV.
    fn csv(&self, out: &mut dyn Write, bar: Option<&Meter>) -> io::Result<()> {
        let header: Vec<String> = self.columns().into_iter().map(cell).collect();
        writeln!(out, "{}", header.join(","))?;
        let last = self.schema.len().saturating_sub(1);
        let labels = self.labels(|v, label| cell(label) + if v == last { "\n" } else { "," });
        self.pieces(|piece, numbers, buffer| {
            append(piece, &labels, buffer, |row| {
                numbers.map_or(String::new(), |series| format!("{series},{row},"))
            });
            if let Some(bar) = bar {
                bar.add(piece.rows() as u64);
            }
            out.write_all(buffer)
        })
    }

    /// One document with all rows.
    fn json(&self, out: &mut dyn Write, model: &str) -> io::Result<()> {
        let text = |text: &str| serde_json::Value::from(text).to_string();
        let names: Vec<String> = self.columns().into_iter().map(text).collect();
        let head = format!(
            "  \"model\": {},\n  \"seed\": {},\n  \"version\": {},",
            text(model),
            self.seed,
            text(env!("CARGO_PKG_VERSION"))
        );
        write!(out, "{{\n{head}\n  \"columns\": [{}],\n  \"rows\": [", names.join(", "))?;
        let last = self.schema.len().saturating_sub(1);
        let labels =
            self.labels(|v, label| format!("{}{}", text(label), if v == last { "]," } else { ", " }));
        let mut left = self.rows;
        self.pieces(|piece, numbers, buffer| {
            append(piece, &labels, buffer, |row| match numbers {
                Some(series) => format!("\n    [{series}, {row}, "),
                None => "\n    [".to_string(),
            });
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
        let columns = self.schema.variables().iter().enumerate();
        columns.map(|(v, column)| column.states.iter().map(|label| cell(v, label)).collect()).collect()
    }

    /// Hands out the rows piece by piece with an empty buffer for each: the number of a series with each, or pieces that in a row are
    /// the same rows as one large piece.
    fn pieces(
        &self,
        mut take: impl FnMut(&Table, Option<u64>, &mut Vec<u8>) -> io::Result<()>,
    ) -> io::Result<()> {
        let mut buffer = Vec::new();
        match self.from {
            From::Rows(network, rows) => {
                let mut sampler = Sampler::new(network, self.seed);
                let mut left = *rows;
                let piece = (PIECE_CELLS / network.len().max(1) as u64).clamp(1, PIECE);
                while left > 0 {
                    let rows = left.min(piece);
                    buffer.clear();
                    take(&sampler.draw(rows as usize), None, &mut buffer)?;
                    left -= rows;
                }
            }
            From::Series(network, steps, series) => {
                let mut sampler = SeriesSampler::new(network, self.seed).map_err(io::Error::other)?;
                for number in 1..=*series {
                    buffer.clear();
                    take(&sampler.draw(*steps as usize), Some(number), &mut buffer)?;
                }
            }
        }
        Ok(())
    }
}

/// The rows as text: what opens each, and for each cell what its column has for its state.
fn append(piece: &Table, labels: &[Vec<String>], buffer: &mut Vec<u8>, open: impl Fn(usize) -> String) {
    let columns: Vec<(&[u8], &[String])> =
        labels.iter().enumerate().map(|(v, labels)| (piece.column(v), labels.as_slice())).collect();
    for row in 0..piece.rows() {
        buffer.extend_from_slice(open(row).as_bytes());
        for (codes, labels) in &columns {
            buffer.extend_from_slice(labels[usize::from(codes[row])].as_bytes());
        }
    }
}
