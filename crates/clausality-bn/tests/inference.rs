//! Both engines against each other on networks too large to enumerate, and against answers known from elsewhere.

use clausality_bn::infer::{Evidence, Infer};
use clausality_bn::random::Stream;
use clausality_bn::{Error, Network, io, sample};
use std::path::{Path, PathBuf};

mod shared;

fn read(path: &Path) -> Network {
    let limits = io::Limits { input_bytes: 1 << 28, table_bytes: 1 << 28 };
    io::bif::read(&shared::bytes(path), &limits).unwrap()
}

fn embedded(name: &str) -> Network {
    read(&Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../clausality/networks/{name}.bif.gz")))
}

/// Evidence taken from a row of the network is possible.
fn evidence_from_a_row(network: &Network, stream: &mut Stream, share: f64) -> Evidence {
    let row = sample(network, 1, stream.bits());
    let mut evidence = Evidence::new(network);
    for v in 0..network.len() {
        if stream.unit() < share {
            let state = row.column(v)[0];
            let states = network.schema().cardinality(v);
            match stream.below(5) {
                0 => evidence.intervene(v, state).unwrap(),
                1 => {
                    let mut likelihood: Vec<f64> = (0..states).map(|_| stream.unit()).collect();
                    likelihood[usize::from(state)] = 1.0;
                    evidence.likelihood(v, likelihood).unwrap();
                }
                _ => evidence.observe(v, state).unwrap(),
            }
        }
    }
    evidence
}

/// The junction tree, asked for everything, beside variable elimination, asked one by one.
fn engines_agree(network: &Network, rounds: u64, share: f64) {
    let mut stream = Stream::new(1, network.name());
    for round in 0..rounds {
        let evidence = evidence_from_a_row(network, &mut stream, if round == 0 { 0.0 } else { share });
        let mut infer = Infer::new(network.clone());
        let all = match infer.posteriors(&evidence) {
            // An intervention may contradict what was seen in the row.
            Err(Error::ImpossibleEvidence) => continue,
            all => all.unwrap(),
        };
        for _ in 0..4 {
            let target = stream.below(network.len() as u64) as usize;
            let one = infer.posterior(&[target], &evidence).unwrap();
            let pairs = one.probabilities.iter().zip(&all.probabilities[target]);
            for (p, q) in pairs {
                assert!((p - q).abs() <= 1e-12, "{}, node {target}: {p} {q}", network.name());
            }
            assert!((one.evidence.ln() - all.evidence.ln()).abs() < 1e-9);
        }
    }
}

#[test]
fn engines_agree_on_the_embedded_networks() {
    for name in
        ["asia", "sachs", "child", "insurance", "alarm", "hailfinder", "hepar2", "win95pts", "diabetes"]
    {
        engines_agree(&embedded(name), if name == "diabetes" { 3 } else { 12 }, 0.15);
    }
}

#[test]
#[ignore = "needs the reference files (CLAUSALITY_SHARED)"]
fn engines_agree_on_large_networks() {
    let folder = shared::folder();
    for name in ["andes", "pigs", "water", "mildew", "barley", "pathfinder", "link"] {
        let path: PathBuf = folder.join(format!("networks/{name}.bif.gz"));
        engines_agree(&read(&path), 4, 0.2);
    }
}

#[test]
fn textbook_answers() {
    let asia = embedded("asia");
    let at = |name: &str| asia.schema().index(name).unwrap();
    let mut infer = Infer::new(asia.clone());
    let mut evidence = Evidence::new(&asia);
    evidence.observe(at("xray"), 0).unwrap();
    evidence.observe(at("smoke"), 0).unwrap();
    // P(lung, xray | smoke) by hand: tub needs asia, so P(tub) = 0.01 · 0.05 + 0.99 · 0.01 = 0.0104.
    let (lung, tub) = (0.1, 0.0104);
    let either = lung + tub - lung * tub;
    let xray = 0.98 * either + 0.05 * (1.0 - either);
    let answer = infer.posterior(&[at("lung")], &evidence).unwrap();
    assert!((answer.probabilities[0] - lung * 0.98 / xray).abs() < 1e-12);
    assert!((answer.evidence.value() - 0.5 * xray).abs() < 1e-12);
    // Setting the x-ray says nothing about the lung.
    let mut set = Evidence::new(&asia);
    set.intervene(at("xray"), 0).unwrap();
    set.observe(at("smoke"), 0).unwrap();
    assert!((infer.posterior(&[at("lung")], &set).unwrap().probabilities[0] - 0.1).abs() < 1e-12);
    // A joint posterior sums to its margins.
    let pair = infer.posterior(&[at("bronc"), at("lung")], &evidence).unwrap();
    assert_eq!(pair.states, [2, 2]);
    assert!((pair.probabilities[0] + pair.probabilities[2] - answer.probabilities[0]).abs() < 1e-12);
}
