//! No result changes unawares: the hashes of the run folders of ten tables and three seeds.
//!
//! A change that is meant to change networks says so in
//! `CHANGELOG.md` and takes them again: `CLAUSALITY_BLESS=1 cargo test -p clausality-cli --test program golden` prints them.

use clausality::bn::sample;
use clausality::data::{self, Input, csv_cell};
use clausality::run::{Made, Run};
use clausality::tell::files;
use clausality::{Bounds, Settings, Unwatched, embedded, learn_from};
use serde_json::Value;
use std::path::Path;

/// Networks and how many rows of each are drawn, with seed 11.
const SAMPLED: [(&str, usize); 7] = [
    ("asia", 1500),
    ("cancer", 600),
    ("child", 800),
    ("sachs", 800),
    ("insurance", 800),
    ("alarm", 600),
    ("win95pts", 400),
];
/// Tables that lie beside the library's tests.
const REAL: [&str; 3] = ["titanic", "wine", "seattle-weather"];

/// A table as CSV text.
fn table(name: &str) -> String {
    if REAL.contains(&name) {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../clausality/tests/data");
        return std::fs::read_to_string(folder.join(format!("{name}.csv"))).unwrap();
    }
    let rows = SAMPLED.iter().find(|(sampled, _)| *sampled == name).unwrap().1;
    let table = sample(&embedded::network(name).unwrap(), rows, 11);
    let schema = table.schema();
    let mut text = schema.variables().iter().map(|v| csv_cell(&v.name)).collect::<Vec<_>>().join(",") + "\n";
    for row in 0..rows {
        let cell = |v: usize| csv_cell(&schema.variable(v).states[usize::from(table.column(v)[row])]);
        text.push_str(&((0..schema.len()).map(cell).collect::<Vec<_>>().join(",") + "\n"));
    }
    text
}

/// FNV-1a, 64 bits: short, and the same everywhere.
fn hash(bytes: &[u8], start: u64) -> u64 {
    bytes.iter().fold(start, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3))
}

/// The hash of the network, its arcs, strengths and clauses; and that of the documents that tell about them.
fn hashes(name: &str, seed: u64) -> (u64, u64) {
    let file = format!("{name}.csv");
    let settings = Settings { seed, ..Settings::default() };
    let text = table(name);
    let input = Input::csv(text.as_bytes(), &file);
    let dataset = data::read(input, &settings.data, &Bounds::default()).unwrap();
    let found = learn_from(&dataset, &settings, &Bounds::default(), &Unwatched).unwrap();
    let run = Run::new(&found, Made { table: file, ..Made::default() });
    let (mut network, mut documents) = (0xcbf2_9ce4_8422_2325, 0xcbf2_9ce4_8422_2325);
    for (file, bytes) in files(&run, &found).unwrap() {
        // Which run a file belongs to came later.
        let text = String::from_utf8(bytes).unwrap();
        let lines = text.split_inclusive('\n').filter(|line| !line.contains(&run.id));
        let bytes = lines.collect::<String>().into_bytes();
        match file {
            "network.bif" | "edges.csv" | "strengths.csv" | "clauses.json" => network = hash(&bytes, network),
            "run.json" => {
                let mut run: Value = serde_json::from_slice(&bytes).unwrap();
                // Who chose what came later.
                for later in ["origins", "files"] {
                    run.as_object_mut().unwrap().remove(later);
                }
                documents = hash(run.to_string().as_bytes(), documents);
            }
            _ => documents = hash(&bytes, documents),
        }
    }
    (network, documents)
}

#[test]
fn ten_tables_and_three_seeds_give_what_they_gave() {
    let names = REAL.into_iter().chain(SAMPLED.map(|(name, _)| name));
    let mut found = String::new();
    for name in names {
        for seed in 1..=3 {
            let (network, documents) = hashes(name, seed);
            found.push_str(&format!("{name} {seed} {network:016x} {documents:016x}\n"));
        }
    }
    if std::env::var_os("CLAUSALITY_BLESS").is_some() {
        println!("{found}");
        return;
    }
    let kept = include_str!("golden.txt");
    for (found, kept) in found.lines().zip(kept.lines()) {
        assert_eq!(found, kept, "table, seed, hash of the network, hash of the documents");
    }
    assert_eq!(found.lines().count(), kept.lines().count());
}
