//! Holds strengths against networks whose truth is known, and times them.
//!
//! ```text
//! cargo run --release -p clausality --example strengths_study        (validation/strengths.sh keeps the result)
//! ```
//!
//! Pairs are ranked by `Strengths::bond` (the two shares added) or by mutual information; `ranking.rs` says how well.

use clausality::bn::{self, Table};
use clausality::data;
use clausality::strengths::{self, mutual_information};
use clausality::synthetic::{XorParams, noisy_xor};
use clausality::{Bounds, Profile, Settings, Strengths, Unwatched, embedded};
use std::path::Path;
use std::time::Instant;

mod ranking;
use ranking::{bond, in_blanket, precision, spread};

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

fn main() -> Outcome<()> {
    println!("| study | measured | target |\n|---|---|---|");
    insurance()?;
    neighbours()?;
    parity()?;
    churn()?;
    supply()?;
    noise()?;
    times()
}

fn measure(table: &Table, profile: Profile, seed: u64) -> Outcome<Strengths> {
    Ok(strengths::measure(table, &Settings::of(profile).by_profile().strengths, seed, &Unwatched)?)
}

/// The paper profile's top features that are true neighbours.
fn insurance() -> Outcome<()> {
    let truth = embedded::network("insurance")?;
    let (mut first, mut three) = (vec![], vec![]);
    for seed in 1..=5 {
        let found = measure(&bn::sample(&truth, 5000, seed), Profile::Paper, seed)?;
        let hits = |top: usize| {
            let near = |y: &str, f: &str| {
                let at = |name| truth.schema().index(name).expect("the same variables");
                truth.dag().adjacent(at(y), at(f))
            };
            let listed = found.targets.iter().flat_map(|t| t.features.iter().take(top).map(move |f| (t, f)));
            listed.filter(|(t, f)| near(&t.name, &f.name)).count() as f64
        };
        first.push(hits(1));
        three.push(hits(3));
    }
    println!("| insurance, paper profile, seeds 1–5: top-1 adjacent of 27 | {} | ≥ 22 |", spread(&first, 1));
    println!("| the same, top-3 adjacent of 81 | {} | ≥ 45 |", spread(&three, 1));
    Ok(())
}

fn neighbours() -> Outcome<()> {
    let (mut all, mut all_mi) = (vec![], vec![]);
    for name in ["asia", "child", "alarm"] {
        let truth = embedded::network(name)?;
        let (mut ours, mut theirs) = (vec![], vec![]);
        for seed in 1..=3 {
            let table = bn::sample(&truth, 5000, seed);
            let found = measure(&table, Profile::Hybrid, seed)?;
            let near = |a: usize, b: usize| truth.dag().adjacent(a, b);
            ours.push(precision(&truth, near, |a, b| bond(&truth, &found, a, b)));
            let information = mutual_information(&table, &Unwatched)?;
            theirs.push(precision(&truth, near, |a, b| information[a][b]));
        }
        let (o, t) = (spread(&ours, 3), spread(&theirs, 3));
        println!(
            "| {name}, hybrid, seeds 1–3: average precision for neighbours | {o} (mutual information {t}) | |"
        );
        all.extend(ours);
        all_mi.extend(theirs);
    }
    println!(
        "| mean of the three | {} (mutual information {}) | ≥ .90 |",
        spread(&all, 3),
        spread(&all_mi, 3)
    );
    Ok(())
}

fn parity() -> Outcome<()> {
    let (mut ours, mut theirs) = (vec![], vec![]);
    for seed in 1..=3 {
        let truth = noisy_xor(&XorParams::default(), seed)?;
        let table = bn::sample(&truth, 5000, seed);
        let found = measure(&table, Profile::Hybrid, seed)?;
        let near = |a: usize, b: usize| in_blanket(&truth, a, b);
        ours.push(precision(&truth, near, |a, b| bond(&truth, &found, a, b)));
        let information = mutual_information(&table, &Unwatched)?;
        theirs.push(precision(&truth, near, |a, b| information[a][b]));
    }
    let (o, t) = (spread(&ours, 3), spread(&theirs, 3));
    println!(
        "| noisy XOR, 30 nodes, 3 networks: average precision for the Markov blanket | {o} (mutual information {t}) | ≥ .95 |"
    );
    Ok(())
}

/// A table beside this checkout, if it is there.
fn shared(name: &str) -> Option<std::path::PathBuf> {
    let folder = std::env::var_os("CLAUSALITY_SHARED").map(Into::into);
    let folder = folder.unwrap_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared"));
    let path = folder.join("datasets").join(name);
    if !path.exists() {
        println!("| {name} | skipped: the table is not beside this checkout | |");
        return None;
    }
    Some(path)
}

fn churn() -> Outcome<()> {
    let Some(path) = shared("Customer-Churn-Records.csv") else { return Ok(()) };
    let dataset = data::read(&path, &Settings::default().data, &Bounds::default())?;
    let top = |found: &Strengths, n: usize| -> Vec<String> {
        found.target("Exited").map_or(vec![], |t| t.features.iter().take(n).map(|f| f.name.clone()).collect())
    };
    let found = measure(&dataset.table, Profile::Hybrid, 1)?;
    println!("| bank churn: the top feature of Exited | {} | Complain |", top(&found, 1).join(", "));
    let schema = dataset.table.schema();
    let kept: Vec<usize> = (0..schema.len()).filter(|&v| schema.name(v) != "Complain").collect();
    let found = measure(&dataset.table.select_variables(&kept)?, Profile::Hybrid, 1)?;
    let five = top(&found, 5);
    println!(
        "| the same without Complain: top five | {} | 3 of NumOfProducts, Age, IsActiveMember, Geography, Gender |",
        five.join(", ")
    );
    Ok(())
}

fn supply() -> Outcome<()> {
    let Some(path) = shared("supply_chain_data.csv") else { return Ok(()) };
    let dataset = data::read(&path, &Settings::default().data, &Bounds::default())?;
    let counts: Vec<f64> = (1..=5)
        .map(|seed| {
            let found = measure(&dataset.table, Profile::Hybrid, seed)?;
            Ok(found.targets.iter().filter(|t| !t.signal()).count() as f64)
        })
        .collect::<Outcome<_>>()?;
    let all = dataset.table.schema().len();
    println!(
        "| supply chain, seeds 1–5: columns without signal, of {all} | {} | nearly all |",
        spread(&counts, 1)
    );
    Ok(())
}

/// Insurance with every column shuffled by itself: nothing is left to find, so every verdict "signal" is a false one.
fn noise() -> Outcome<()> {
    let truth = embedded::network("insurance")?;
    let mut zs = vec![];
    for seed in 1..=10 {
        let table = bn::sample(&truth, 2000, seed);
        let shuffled = (0..truth.len())
            .map(|v| {
                let mut stream = bn::random::Stream::new(seed, truth.schema().name(v));
                let mut codes = table.column(v).to_vec();
                for i in (1..codes.len()).rev() {
                    codes.swap(i, stream.below(i as u64 + 1) as usize);
                }
                codes
            })
            .collect();
        let found = measure(&Table::new(table.schema().clone(), shuffled)?, Profile::Hybrid, seed)?;
        zs.extend(found.targets.iter().filter_map(|t| t.accuracy.map(|a| a.z)));
    }
    let signals = zs.iter().filter(|&&z| z > 3.0).count();
    println!(
        "| insurance with shuffled columns, 10 samples of 2,000 rows: false signals, of {} | {signals} (z {}) | about 1 in 1,000 |",
        zs.len(),
        spread(&zs, 2)
    );
    Ok(())
}

/// One thread, hybrid defaults, 5,000 rows, all targets.
fn times() -> Outcome<()> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build()?;
    let timed = |name: &str, table: &Table, limit: &str| -> Outcome<()> {
        let start = Instant::now();
        pool.install(|| measure(table, Profile::Hybrid, 1).map(|_| ()).map_err(|e| e.to_string()))?;
        println!("| {name}: seconds on one thread | {:.2} | ≤ {limit} |", start.elapsed().as_secs_f64());
        Ok(())
    };
    for (name, limit) in [("insurance", "0.5"), ("alarm", "0.7"), ("diabetes", "30")] {
        timed(name, &bn::sample(&embedded::network(name)?, 5000, 1), limit)?;
    }
    timed("100 columns of 4 states", &chain(100, 4)?, "5")
}

/// Columns in a chain, each mostly repeating the one before.
fn chain(columns: usize, states: usize) -> Outcome<Table> {
    let labels: Vec<String> = (0..states).map(|s| s.to_string()).collect();
    let variables = (0..columns).map(|c| bn::Variable::new(format!("c{c:03}"), labels.clone())).collect();
    let schema = bn::Schema::new(variables)?;
    let mut stream = bn::random::Stream::new(1, "chain");
    let mut codes: Vec<Vec<u8>> = vec![];
    for c in 0..columns {
        let column = (0..5000)
            .map(|row| match codes.get(c.wrapping_sub(1)) {
                Some(before) if stream.unit() < 0.6 => before[row],
                _ => stream.below(states as u64) as u8,
            })
            .collect();
        codes.push(column);
    }
    Ok(Table::new(schema, codes)?)
}
