//! What Type III feedback brings: shorter clauses, and strengths that stay within Markov blankets?
//!
//! ```text
//! cargo run --release -p clausality --example type_iii_study        (validation/type-iii.sh keeps the result)
//! ```
//!
//! 1. A planted target: Y = A xor B, wrong in a tenth of the rows; A and B each with a copy (right in 95 %), Y with a child (90 %) that has a
//!    child of its own (90 %), and ten columns of noise. The blanket of Y is {A, B, child}. Measured: which share of the literals'
//!    weight, Σ |w| over the clauses a literal is in, lies outside the blanket; and the mean number of literals.
//! 2. Networks: average precision of Markov blankets (`ranking.rs`), by equation (1) and by context gain.

use clausality::bn::{self, random::Stream};
use clausality::strengths::{self, StrengthRule, StrengthSettings};
use clausality::tm::{BitMatrix, Machine, Params};
use clausality::{Profile, Settings, Unwatched, embedded};
use std::time::Instant;

mod ranking;
use ranking::{bond, in_blanket, precision, spread};

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

/// d of the feedback; none is the machine without it.
const DEGREES: [Option<f64>; 4] = [None, Some(20.0), Some(200.0), Some(2000.0)];
const SEEDS: u64 = 40;
const NETWORKS: [&str; 7] = ["asia", "sachs", "child", "insurance", "alarm", "hailfinder", "hepar2"];

fn main() -> Outcome<()> {
    planted()?;
    networks()
}

fn name(degree: Option<f64>) -> String {
    degree.map_or("none".into(), |d| d.to_string())
}

/// Columns: A, B, child of Y, copy of A, copy of B, grandchild, noise; and Y apart.
fn rows(seed: u64, count: usize) -> (Vec<[bool; 16]>, Vec<u32>) {
    let mut stream = Stream::new(seed, "planted");
    let mut flip = |value: bool, wrong: f64| value ^ (stream.unit() < wrong);
    (0..count)
        .map(|_| {
            let (a, b) = (flip(false, 0.5), flip(false, 0.5));
            let y = flip(a ^ b, 0.1);
            let child = flip(y, 0.1);
            let mut row = [a, b, child, flip(a, 0.05), flip(b, 0.05), flip(child, 0.1)].to_vec();
            row.resize_with(16, || flip(false, 0.5));
            (<[bool; 16]>::try_from(row).expect("sixteen columns"), y as u32)
        })
        .unzip()
}

/// How many columns of the planted table are the blanket of Y: the first.
const BLANKET: usize = 3;

fn planted() -> Outcome<()> {
    println!("## A planted target, {SEEDS} seeds, 5,000 rows, 8 epochs\n");
    println!(
        "| machine | d | weight outside the blanket | on copies and grandchild | on noise | literals a clause | accuracy |"
    );
    println!("|---|---|---|---|---|---|---|");
    let machines = [
        ("30 clauses, T 40, s 5, budget 3", 30, 40, 5.0, Some(3)),
        ("30 clauses, T 40, s 5", 30, 40, 5.0, None),
        ("100 clauses, T 50, s 5, budget 8", 100, 50, 5.0, Some(8)),
    ];
    for (what, clauses, threshold, specificity, literal_budget) in machines {
        for type_iii in DEGREES {
            let params =
                Params { clauses, threshold, specificity, literal_budget, type_iii, ..Params::default() };
            let (mut outside, mut kin, mut noise, mut length, mut right) =
                (vec![], vec![], vec![], vec![], vec![]);
            for seed in 1..=SEEDS {
                let (table, labels) = rows(seed, 5000);
                let bits = BitMatrix::with_negations(table.len(), 16, |row, column| table[row][column]);
                let mut machine = Machine::new(bits.literals(), 2, &params, seed)?;
                machine.fit(&bits, &labels, 8)?;
                let learned = machine.clauses();
                let mut weight = [0.0; 16];
                for clause in 0..clauses {
                    let told = learned.total_weight(clause) as f64;
                    learned.literals(clause).iter().for_each(|&l| weight[l as usize % 16] += told);
                }
                let all: f64 = weight.iter().sum();
                let share =
                    |columns: std::ops::Range<usize>| weight[columns].iter().sum::<f64>() / all.max(1.0);
                outside.push(share(BLANKET..16));
                kin.push(share(BLANKET..6));
                noise.push(share(6..16));
                length.push(learned.mean_length());
                let (fresh, truth) = rows(seed + 1000, 5000);
                let fresh = BitMatrix::with_negations(fresh.len(), 16, |row, column| fresh[row][column]);
                let hits = learned.predict(&fresh)?.iter().zip(&truth).filter(|(a, b)| a == b).count();
                right.push(hits as f64 / truth.len() as f64);
            }
            println!(
                "| {what} | {} | {} | {} | {} | {} | {} |",
                name(type_iii),
                spread(&outside, 3),
                spread(&kin, 3),
                spread(&noise, 3),
                spread(&length, 2),
                spread(&right, 3)
            );
        }
    }
    Ok(())
}

fn networks() -> Outcome<()> {
    println!("\n## Average precision of Markov blankets, 5,000 rows, seeds 1–5; seconds of one sample\n");
    println!("| network | strength | {} |", DEGREES.map(name).join(" | "));
    println!("|---|---|{}", "---|".repeat(DEGREES.len()));
    let mut sums = [[0.0; DEGREES.len()]; 2];
    for network in NETWORKS {
        let truth = embedded::network(network)?;
        for (rule, strength) in [("equation (1)", StrengthRule::Votes), ("context gain", StrengthRule::Gain)]
        {
            let mut cells = vec![];
            for (at, type_iii) in DEGREES.into_iter().enumerate() {
                let base = Settings::of(Profile::Hybrid).by_profile().strengths;
                let settings = StrengthSettings { strength: Some(strength), type_iii, ..base };
                let start = Instant::now();
                let found: Vec<f64> = (1..=5)
                    .map(|seed| {
                        let table = bn::sample(&truth, 5000, seed);
                        let found = strengths::measure(&table, &settings, seed, &Unwatched)?;
                        let near = |a, b| in_blanket(&truth, a, b);
                        Ok(precision(&truth, near, |a, b| bond(&truth, &found, a, b)))
                    })
                    .collect::<Outcome<_>>()?;
                sums[(strength == StrengthRule::Gain) as usize][at] += found.iter().sum::<f64>() / 5.0;
                cells.push(format!("{} ({:.1} s)", spread(&found, 3), start.elapsed().as_secs_f64() / 5.0));
            }
            println!("| {network} | {rule} | {} |", cells.join(" | "));
        }
    }
    for (rule, sums) in ["equation (1)", "context gain"].into_iter().zip(sums) {
        let mean = sums.map(|sum| format!("{:.3}", sum / NETWORKS.len() as f64));
        println!("| mean | {rule} | {} |", mean.join(" | "));
    }
    Ok(())
}
