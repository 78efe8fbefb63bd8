//! Trains a machine on one problem file and prints one JSON line: rate, accuracy, clause length.
//!
//! ```text
//! problem --data DrivQuality.bin --clauses 144 --T 10 --s 9.8 --max-lit 55 --epochs 20 --seed 42 --path avx512
//! ```
//!
//! A problem file is little-endian: `u32` training rows, test rows, bits and classes; then row-major bits (a byte each) and
//! `u32` labels of the training rows, then of the test rows. Negations are added here, as every other implementation
//! adds its own.
//!
//! An epoch is timed with the CPU clock of the process (`CLOCK_PROCESS_CPUTIME_ID`, the same as Python's
//! `time.process_time`): on a shared machine the wall clock counts the neighbours too, and `/proc/self/schedstat` and
//! `/proc/self/stat` only move with the scheduler's tick, which is longer than a whole epoch here. Without that clock (not
//! Unix) the wall clock stands in, and the line says so. Evaluation is not timed. The rate is that of the fastest
//! epoch after the first; the mean over all epochs stands beside it.

use clausality_tm::{BitMatrix, ClauseSet, Machine, Negatives, Params, Path};
use serde::Serialize;
use std::fs;
use std::process::ExitCode;
use std::time::{Duration, Instant};

const USAGE: &str = "usage: problem --data FILE.bin --clauses N --T N --s X [--max-lit N] [--epochs N] [--seed N] \
[--path portable|avx2|avx512] [--negatives uniform|focused] [--no-boost] [--tag TEXT]";

type Result<T> = std::result::Result<T, String>;

fn main() -> ExitCode {
    match Options::parse(std::env::args().skip(1)).and_then(|options| run(&options)) {
        Ok(line) => {
            println!("{line}");
            ExitCode::SUCCESS
        }
        Err(message) => {
            eprintln!("error: {message}");
            ExitCode::from(2)
        }
    }
}

fn run(options: &Options) -> Result<String> {
    let problem = Problem::read(&options.data)?;
    let Problem { train, test, bits, classes } = &problem;
    let mut machine = Machine::new(train.rows.literals(), *classes, &options.params, options.seed)
        .map_err(|e| e.to_string())?
        .on_path(options.path);
    let (mut cpu, mut wall, mut accuracies, mut lengths) = (vec![], vec![], vec![], vec![]);
    for _ in 0..options.epochs {
        let (cpu_start, wall_start) = (cpu_clock(), Instant::now());
        machine.fit_epoch(&train.rows, &train.labels).map_err(|e| e.to_string())?;
        wall.push(wall_start.elapsed().as_secs_f64());
        cpu.push(match (cpu_start, cpu_clock()) {
            (Some(start), Some(end)) => (end - start).as_secs_f64(),
            _ => wall[wall.len() - 1],
        });
        let clauses = machine.clauses();
        accuracies.push(accuracy(&clauses, test)?);
        lengths.push(clauses.mean_length());
    }
    let clauses = machine.clauses();
    let samples = train.labels.len() as f64;
    let best = cpu[1..].iter().copied().fold(f64::INFINITY, f64::min);
    let total: f64 = cpu.iter().sum();
    let line = Line {
        r#impl: format!("clausality-{}", path_name(options.path)),
        tag: &options.tag,
        data: file_name(&options.data),
        clauses: options.params.clauses,
        threshold: options.params.threshold,
        s: options.params.specificity,
        max_lit: options.params.literal_budget.unwrap_or(0),
        negatives: options.params.negatives,
        bits: *bits,
        classes: *classes,
        epochs: options.epochs,
        seed: options.seed,
        n: train.labels.len(),
        clock: if cpu_clock().is_some() { "process cpu" } else { "wall" },
        best_rate: (samples / best).round() as u64,
        mean_rate: (samples * cpu.len() as f64 / total).round() as u64,
        epoch_s_best: best,
        total_cpu_s: total,
        total_wall_s: wall.iter().sum(),
        acc_last: accuracies[accuracies.len() - 1],
        acc_best: accuracies.iter().copied().fold(0.0, f64::max),
        acc_mean5: mean_of_last_five(&accuracies),
        // Included literals of every clause, empty ones too.
        lits: (
            clauses.mean_length(),
            (0..clauses.len()).map(|c| clauses.literals(c).len()).max().unwrap_or(0),
        ),
        lits_mean5: mean_of_last_five(&lengths),
    };
    serde_json::to_string(&line).map_err(|e| e.to_string())
}

/// What is printed.
#[derive(Serialize)]
struct Line<'a> {
    r#impl: String,
    tag: &'a str,
    data: &'a str,
    clauses: usize,
    #[serde(rename = "T")]
    threshold: u32,
    s: f64,
    max_lit: usize,
    negatives: Negatives,
    bits: usize,
    classes: usize,
    epochs: usize,
    seed: u64,
    n: usize,
    clock: &'a str,
    best_rate: u64,
    mean_rate: u64,
    epoch_s_best: f64,
    total_cpu_s: f64,
    total_wall_s: f64,
    acc_last: f64,
    acc_best: f64,
    acc_mean5: f64,
    lits: (f64, usize),
    lits_mean5: f64,
}

struct Options {
    data: String,
    params: Params,
    epochs: usize,
    seed: u64,
    path: Path,
    tag: String,
}

impl Options {
    fn parse(mut words: impl Iterator<Item = String>) -> Result<Self> {
        let mut options = Options {
            data: String::new(),
            params: Params { clauses: 0, threshold: 0, specificity: 0.0, ..Params::default() },
            epochs: 20,
            seed: 42,
            path: Path::best(),
            tag: String::new(),
        };
        while let Some(flag) = words.next() {
            let params = &mut options.params;
            if flag == "--no-boost" {
                params.boost = false;
                continue;
            }
            let value = words.next().ok_or_else(|| format!("{flag} needs a value\n{USAGE}"))?;
            match flag.as_str() {
                "--data" => options.data = value,
                "--clauses" => params.clauses = number(&flag, &value)?,
                "--T" => params.threshold = number(&flag, &value)?,
                "--s" => params.specificity = number(&flag, &value)?,
                "--max-lit" => {
                    params.literal_budget = Some(number(&flag, &value)?).filter(|&budget| budget > 0)
                }
                "--epochs" => options.epochs = number(&flag, &value)?,
                "--seed" => options.seed = number(&flag, &value)?,
                "--tag" => options.tag = value,
                "--path" => options.path = path(&value)?,
                "--negatives" => {
                    params.negatives = match value.as_str() {
                        "uniform" => Negatives::Uniform,
                        "focused" => Negatives::Focused,
                        _ => return Err(format!("--negatives {value}: expected uniform or focused")),
                    }
                }
                _ => return Err(format!("unknown option {flag}\n{USAGE}")),
            }
        }
        if options.data.is_empty() {
            return Err(USAGE.into());
        }
        if options.epochs < 2 {
            return Err("--epochs must be at least 2: the first is not counted".into());
        }
        Ok(options)
    }
}

fn number<T: std::str::FromStr>(flag: &str, value: &str) -> Result<T> {
    value.parse().map_err(|_| format!("{flag} {value}: not a number that fits"))
}

/// A path by name; a figure under the wrong name would be worse than none, so one that is missing here is refused.
fn path(name: &str) -> Result<Path> {
    let found = Path::ALL.into_iter().find(|&p| path_name(p) == name);
    let path = found.ok_or_else(|| format!("--path {name}: expected portable, avx2 or avx512"))?;
    if path.is_available() { Ok(path) } else { Err(format!("this processor has no {name}")) }
}

fn path_name(path: Path) -> &'static str {
    match path {
        Path::Portable => "portable",
        Path::Avx2 => "avx2",
        Path::Avx512 => "avx512",
    }
}

fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// CPU time that this process has used.
#[cfg(unix)]
fn cpu_clock() -> Option<Duration> {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    Some(Duration::new(u64::try_from(now.tv_sec).ok()?, u32::try_from(now.tv_nsec).ok()?))
}

#[cfg(not(unix))]
fn cpu_clock() -> Option<Duration> {
    None
}

fn mean_of_last_five(values: &[f64]) -> f64 {
    let last = &values[values.len().saturating_sub(5)..];
    last.iter().sum::<f64>() / last.len() as f64
}

fn accuracy(clauses: &ClauseSet, part: &Part) -> Result<f64> {
    let predicted = clauses.predict(&part.rows).map_err(|e| e.to_string())?;
    let right = predicted.iter().zip(&part.labels).filter(|(p, l)| p == l).count();
    Ok(right as f64 / part.labels.len() as f64)
}

struct Part {
    rows: BitMatrix,
    labels: Vec<u32>,
}

struct Problem {
    train: Part,
    test: Part,
    bits: usize,
    classes: usize,
}

impl Problem {
    fn read(path: &str) -> Result<Self> {
        let bytes = fs::read(path).map_err(|e| format!("{path}: {e}"))?;
        Self::parse(&bytes).ok_or_else(|| format!("{path}: not a problem file"))
    }

    fn parse(mut rest: &[u8]) -> Option<Self> {
        let rest = &mut rest;
        let mut header = words(rest, 4)?.into_iter().map(|w| w as usize);
        let (train, test, bits) = (header.next()?, header.next()?, header.next()?);
        let classes = header.next()?;
        let problem =
            Problem { train: part(rest, train, bits)?, test: part(rest, test, bits)?, bits, classes };
        (rest.is_empty() && train > 0 && test > 0).then_some(problem)
    }
}

fn part(rest: &mut &[u8], rows: usize, bits: usize) -> Option<Part> {
    let cells = rest.split_off(..rows.checked_mul(bits)?)?;
    let labels = words(rest, rows)?;
    Some(Part { rows: BitMatrix::with_negations(rows, bits, |r, b| cells[r * bits + b] != 0), labels })
}

fn words(rest: &mut &[u8], count: usize) -> Option<Vec<u32>> {
    let bytes = rest.split_off(..count.checked_mul(4)?)?;
    let (words, _) = bytes.as_chunks::<4>();
    Some(words.iter().map(|&word| u32::from_le_bytes(word)).collect())
}
