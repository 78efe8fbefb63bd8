//! Learns networks back from their own samples, and says how near and how fast that was.
//!
//! ```text
//! cargo run --release -p clausality --example learn_study -- [NETWORK…] [first=1] [seeds=3] [rows=5000] [threads=1] [assembler=NAME] [list=16] [shakes=14] [turn=true]
//! ```
//!
//! A NETWORK is an embedded name, `xor` for a network of noisy exclusive ors, or a file. One JSON object a sample, on one line;
//! CPU seconds are wall seconds here, on one thread and a quiet core. `validation/learners.sh` puts the peers beside it.

use clausality::bn::compare::Comparison;
use clausality::bn::{self, Dag, Network, Score, Scorer};
use clausality::data::Dataset;
use clausality::model::Model;
use clausality::synthetic::{XorParams, noisy_xor};
use clausality::{Bounds, Settings, Unwatched, embedded, learn_from};
use std::path::Path;
use std::time::Instant;

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

fn main() -> Outcome<()> {
    let (mut first, mut seeds, mut rows, mut threads) = (1, 3, 5000, 1);
    let mut names = vec![];
    let mut settings = Settings::default();
    for argument in std::env::args().skip(1) {
        match argument.split_once('=') {
            Some(("seeds", n)) => seeds = n.parse()?,
            Some(("rows", n)) => rows = n.parse()?,
            Some(("threads", n)) => threads = n.parse()?,
            Some(("list", n)) => settings.network.effort.list = n.parse()?,
            Some(("shakes", n)) => settings.network.effort.shakes = n.parse()?,
            Some(("turn", turn)) => settings.network.effort.reorient = turn.parse()?,
            Some(("first", n)) => first = n.parse()?,
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
        for seed in first..first + seeds {
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
    let dataset = Dataset::sampled(table.clone());
    let start = Instant::now();
    let learned = learn_from(&dataset, settings, &Bounds::default(), &Unwatched)?;
    let seconds = start.elapsed().as_secs_f64();
    let found = Comparison::of(&truth, &learned.network);
    let price = (truth.len().max(2) as f64).ln();
    // By how much the graph found is above the true one, under what the search over orders and what the last climb maximise.
    let above = |score: Score, price: f64| -> Outcome<f64> {
        let scorer = Scorer::new(&table, score)?;
        let priced = |dag: &Dag| -> Outcome<f64> { Ok(scorer.dag(dag)? - price * dag.arcs().count() as f64) };
        Ok(priced(learned.network.dag())? - priced(truth.dag())?)
    };
    let first = learned.chosen.settings.network.judged_by();
    let true_score = Scorer::new(&table, first)?.dag(truth.dag())?;
    Ok(serde_json::json!({
        "network": Path::new(name).file_name().map(|n| n.to_string_lossy()), "nodes": truth.len(), "seed": seed, "rows": rows,
        "skeleton": found.skeleton.f1, "directed": found.directed.f1, "cpdag_shd": found.cpdag_shd, "arcs": learned.arcs.len(),
        "true_score": true_score, "above": above(first, 0.5 * price)?, "above_by_last": above(Score::Fnml, price)?,
        "seconds": seconds,
    }))
}
