//! Answers questions about series from a file of JSON lines, for comparison with other programs:
//! `cargo run -p clausality-bn --example series -- network.json questions.jsonl`.
//!
//! A question is `{"steps": 100, "filter": false, "known": [["X", 3, "see", 1], ["Y", 5, "do", 0], ["X", 7, "report", [0.2, 0.8]]]}`, a
//! static's step being null; with `"told": [90, 100]` only these steps are told, with `"unrolled": true` the steps are written out as one network and that is asked, and
//! `"limit": BYTES` allows tables of another size. Every answer is a line of JSON: `steps` (for each step, for each process the
//! probabilities of its states), `log` (of the evidence), `seconds` (CPU), `held` and `peak` (the most memory that the program has held before the answer was sought, and
//! so far, in KiB).

use clausality_bn::dynamic::{DynamicNetwork, Naming};
use clausality_bn::infer::{DEFAULT_BYTES, Evidence, Infer, InferSeries, Moment, Posteriors, SeriesEvidence};
use clausality_bn::io::{Limits, json};
use serde_json::{Value, json};
use std::io::Write;
use std::sync::Arc;

type Failure = Box<dyn std::error::Error>;

fn main() -> Result<(), Failure> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [network, questions] = arguments.as_slice() else {
        return Err("expected: series NETWORK.json QUESTIONS.jsonl".into());
    };
    let (network, _) = json::read_dynamic(&std::fs::read(network)?, &Limits::default())?;
    let network = Arc::new(network);
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    for line in std::fs::read_to_string(questions)?.lines() {
        let question: Value = serde_json::from_str(line)?;
        let steps = question["steps"].as_u64().ok_or("steps")? as usize;
        let known = known(&network, &question)?;
        let all: Vec<usize> = (0..network.processes().len()).collect();
        let end = |k: usize, all: usize| question["told"][k].as_u64().map_or(all, |step| step as usize);
        let told = end(0, 0)..end(1, steps);
        let limit = question["limit"].as_u64().unwrap_or(DEFAULT_BYTES);
        let (before, held) = (cpu_seconds(), peak()?);
        let mut infer = InferSeries::new(network.clone()).with_limit(limit);
        let found = match (question["unrolled"].as_bool(), question["filter"].as_bool()) {
            (Some(true), _) => unrolled(&network, &question, steps, limit)?,
            (_, Some(true)) => probabilities(infer.filtered(&all, told, &known)?),
            _ => probabilities(infer.posteriors(&all, told, &known)?),
        };
        let seconds = cpu_seconds() - before;
        let log = infer.evidence_probability(&known)?.ln();
        let answer = json!({ "steps": found, "log": log, "seconds": seconds, "held": held, "peak": peak()? });
        writeln!(out, "{answer}")?;
    }
    Ok(out.flush()?)
}

/// For each step, for each process the probabilities of its states.
type Steps = Vec<Vec<Vec<f64>>>;

fn probabilities(found: Vec<Posteriors>) -> Steps {
    found.into_iter().map(|step| step.probabilities).collect()
}

/// The same by inference in one network of all steps.
fn unrolled(network: &DynamicNetwork, question: &Value, steps: usize, limit: u64) -> Result<Steps, Failure> {
    let written = Arc::new(network.unroll_as(steps, Naming::At, limit)?);
    let mut evidence = Evidence::new(&written);
    for finding in question["known"].as_array().ok_or("known")? {
        let name = finding[0].as_str().ok_or("a name")?;
        let name = finding[1].as_u64().map_or(name.into(), |step| Naming::At.name(name, step as usize));
        let (node, state) = (written.schema().require(&name)?, finding[3].as_u64().unwrap_or(0) as u8);
        match finding[2].as_str() {
            Some("see") => evidence.observe(node, state)?,
            Some("do") => evidence.intervene(node, state)?,
            _ => evidence.likelihood(node, serde_json::from_value(finding[3].clone())?)?,
        }
    }
    let mut all = Infer::new(written).with_limit(limit).posteriors(&evidence)?.probabilities;
    let stepped = all.split_off(network.statics().len());
    Ok(stepped.chunks(network.processes().len()).map(<[_]>::to_vec).collect())
}

fn known(network: &DynamicNetwork, question: &Value) -> Result<SeriesEvidence, Failure> {
    let mut known = SeriesEvidence::new(network);
    for finding in question["known"].as_array().ok_or("known")? {
        let name = finding[0].as_str().ok_or("a name")?;
        let moment = match finding[1].as_u64() {
            None => Moment::Static(network.statics().require(name)?),
            Some(step) => Moment::At(network.processes().require(name)?, step as usize),
        };
        let state = finding[3].as_u64().unwrap_or(0) as u8;
        match finding[2].as_str() {
            Some("see") => known.observe(moment, state)?,
            Some("do") => known.intervene(moment, state)?,
            _ => known.among(moment, serde_json::from_value(finding[3].clone())?)?,
        }
    }
    Ok(known)
}

/// CPU seconds of this process: neighbours on a shared machine steal wall time.
fn cpu_seconds() -> f64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9
}

/// The most memory held so far, in KiB.
fn peak() -> Result<u64, Failure> {
    let status = std::fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).ok_or("VmHWM")?;
    Ok(line.trim().trim_end_matches(" kB").parse()?)
}
