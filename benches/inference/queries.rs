//! Answers queries from a file of JSON lines, for comparison with other programs:
//! `cargo run --release -p clausality-bn --example queries -- network.bif queries.jsonl [--repeat N] [--answers]`.
//!
//! A query is `{"targets": ["A"] or null for all, "given": {"B": "state"}, "joint": false}`. With `--answers` every answer
//! is a line of JSON: the probabilities in the order of the states, or null where the evidence is impossible. The last line is
//! the CPU time that the answers took, without reading and writing: that of the fastest of N rounds, each with a fresh engine.

use clausality_bn::infer::{Evidence, Infer};
use clausality_bn::{Error, Network, io};
use serde_json::{Value, json};
use std::io::{Read, Write};
use std::sync::Arc;

struct Query {
    targets: Option<Vec<usize>>,
    evidence: Evidence,
    joint: bool,
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [network, queries, options @ ..] = arguments.as_slice() else {
        return Err("expected: queries NETWORK.bif QUERIES.jsonl [--repeat N] [--answers]".into());
    };
    let rounds = match options.iter().position(|o| o == "--repeat") {
        Some(i) => options.get(i + 1).ok_or("--repeat needs a number")?.parse()?,
        None => 1,
    };
    let limits = io::Limits { input_bytes: 1 << 30, table_bytes: 1 << 30 };
    let network = Arc::new(io::bif::read(&bytes(network)?, &limits)?);
    let text = std::fs::read_to_string(queries)?;
    let queries = text
        .lines()
        .map(|line| query(&network, line))
        .collect::<Result<Vec<Query>, Box<dyn std::error::Error>>>()?;
    let mut fastest = f64::INFINITY;
    let mut answers = vec![];
    for _ in 0..rounds {
        answers.clear();
        let start = cpu_seconds();
        let mut infer = Infer::new(network.clone()).with_limit(8 << 30);
        for query in &queries {
            answers.push(answer(&mut infer, query)?);
        }
        fastest = fastest.min(cpu_seconds() - start);
    }
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    if options.iter().any(|o| o == "--answers") {
        for answer in &answers {
            writeln!(out, "{}", json!(answer))?;
        }
    }
    writeln!(out, "{}", json!({ "seconds": fastest, "queries": queries.len() }))?;
    Ok(out.flush()?)
}

/// CPU seconds of this process: neighbours on a shared machine steal wall time.
fn cpu_seconds() -> f64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9
}

fn bytes(path: &str) -> std::io::Result<Vec<u8>> {
    let raw = std::fs::read(path)?;
    if !path.ends_with(".gz") {
        return Ok(raw);
    }
    let mut out = vec![];
    flate2::read::GzDecoder::new(raw.as_slice()).read_to_end(&mut out)?;
    Ok(out)
}

fn query(network: &Network, line: &str) -> Result<Query, Box<dyn std::error::Error>> {
    let value: Value = serde_json::from_str(line)?;
    let schema = network.schema();
    let mut evidence = Evidence::new(network);
    for (name, state) in value["given"].as_object().into_iter().flatten() {
        let node = schema.require(name)?;
        let code = schema.variable(node).code(state.as_str().unwrap_or_default()).ok_or("no such state")?;
        evidence.observe(node, code)?;
    }
    let node = |name: &Value| schema.require(name.as_str().unwrap_or_default());
    let targets = value["targets"].as_array().map(|names| names.iter().map(node).collect()).transpose()?;
    Ok(Query { targets, evidence, joint: value["joint"].as_bool().unwrap_or(false) })
}

/// One distribution per target, or the joint one; nothing where the evidence cannot be.
fn answer(infer: &mut Infer, query: &Query) -> Result<Option<Vec<Vec<f64>>>, Error> {
    let answer = match &query.targets {
        None => infer.posteriors(&query.evidence).map(|p| p.probabilities),
        Some(targets) if query.joint || targets.len() == 1 => {
            infer.posterior(targets, &query.evidence).map(|p| vec![p.probabilities])
        }
        Some(targets) => infer.posteriors_of(targets, &query.evidence).map(|p| p.probabilities),
    };
    match answer {
        Err(Error::ImpossibleEvidence) => Ok(None),
        answer => answer.map(Some),
    }
}
