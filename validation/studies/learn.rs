//! Learns networks back from their own samples, and says how near and how fast that was.
//!
//! ```text
//! cargo run --release -p clausality --example learn_study -- [NETWORK…] [seeds=3] [rows=5000] [threads=1] [assembler=NAME] [list=16] [shakes=14]
//! ```
//!
//! A NETWORK is an embedded name, `xor` for a network of noisy exclusive ors, or a file. One JSON object a sample, on one line;
//! CPU seconds are wall seconds here, on one thread and a quiet core. `validation/learners.sh` puts the peers beside it.

use clausality::bn::compare::Comparison;
use clausality::bn::{self, Network, Scorer};
use clausality::data::Dataset;
use clausality::model::Model;
use clausality::strengths;
use clausality::synthetic::{XorParams, noisy_xor};
use clausality::{Bounds, Settings, Unwatched, embedded, learn_from};
use std::path::Path;
use std::time::Instant;

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

fn main() -> Outcome<()> {
    let (mut seeds, mut rows, mut threads) = (3, 5000, 1);
    let mut names = vec![];
    let mut settings = Settings::default();
    for argument in std::env::args().skip(1) {
        match argument.split_once('=') {
            Some(("seeds", n)) => seeds = n.parse()?,
            Some(("rows", n)) => rows = n.parse()?,
            Some(("threads", n)) => threads = n.parse()?,
            Some(("list", n)) => settings.network.effort.list = n.parse()?,
            Some(("shakes", n)) => settings.network.effort.shakes = n.parse()?,
            Some(("assembler", name)) => {
                settings.network.assembler = Some(serde_json::from_value(name.into())?)
            }
            _ => names.push(argument),
        }
    }
    if names.is_empty() {
        names = ["asia", "child", "insurance", "alarm", "hepar2"].map(String::from).to_vec();
    }
    rayon::ThreadPoolBuilder::new().num_threads(threads).build_global()?;
    for name in &names {
        for seed in 1..=seeds {
            println!("{}", one(name, rows, &Settings { seed, ..settings.clone() })?);
        }
    }
    Ok(())
}

fn truth(name: &str, seed: u64) -> Outcome<Network> {
    if name == "xor" {
        return Ok(noisy_xor(&XorParams::default(), seed)?);
    }
    match embedded::network(name) {
        Ok(network) => Ok(network),
        Err(_) => Ok((*Model::read(Path::new(name), &bn::io::Limits::default())?.network).clone()),
    }
}

fn one(name: &str, rows: usize, settings: &Settings) -> Outcome<serde_json::Value> {
    let seed = settings.seed;
    let truth = truth(name, seed)?;
    let table = bn::sample(&truth, rows, seed);
    let start = Instant::now();
    strengths::measure(&table, &settings.strengths, seed, &Unwatched)?;
    let strengths_seconds = start.elapsed().as_secs_f64();
    let dataset = Dataset::sampled(table.clone());
    let start = Instant::now();
    let learned = learn_from(&dataset, settings, &Bounds::default(), &Unwatched)?;
    let seconds = start.elapsed().as_secs_f64();
    let found = Comparison::of(&truth, &learned.network);
    let scorer = Scorer::new(&table, learned.chosen.settings.network.judged_by())?;
    Ok(serde_json::json!({
        "network": Path::new(name).file_name().map(|n| n.to_string_lossy()), "nodes": truth.len(), "seed": seed, "rows": rows,
        "skeleton": found.skeleton.f1, "directed": found.directed.f1, "cpdag_shd": found.cpdag_shd, "arcs": learned.arcs.len(),
        "score": scorer.dag(learned.network.dag())?, "true_score": scorer.dag(truth.dag())?,
        "strengths_seconds": strengths_seconds, "seconds": seconds,
    }))
}
