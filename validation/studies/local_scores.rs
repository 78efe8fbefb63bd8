//! Every family that an exact search may need, and what our searches found, for `validation/exact.py`.
//!
//! ```text
//! cargo run --release -p clausality --example local_scores -- NETWORK ROWS SEED > FILE
//! ```
//!
//! Two objectives, as `assemble/hybrid.rs` states them: BDeu less ½ ln m for every parent, which the first search maximises, and fNML less
//! ln m for every parent, which the last climb does. Parents are four at most. A set that scores no more than one of its subsets can
//! be in no best graph (the subset serves as well, and forbids fewer arcs), so it is left out; all others are listed.

use clausality::bn::{self, Score, Scorer, Table};
use clausality::data::Dataset;
use clausality::{Bounds, Settings, Unwatched, embedded, learn_from};
use rayon::prelude::*;
use serde_json::json;
use std::collections::BTreeMap;

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

const MOST_PARENTS: usize = 4;

fn main() -> Outcome<()> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [network, rows, seed] = &words[..] else { return Err("NETWORK ROWS SEED".into()) };
    let (rows, seed) = (rows.parse()?, seed.parse()?);
    let truth = embedded::network(network)?;
    let table = bn::sample(&truth, rows, seed);
    let cost = (truth.len().max(2) as f64).ln();

    let mut settings = Settings { seed, ..Settings::default() };
    settings.rules.max_parents = Some(MOST_PARENTS);
    let (last, _) = learned(&table, &settings)?;
    settings.network.effort.reorient = false;
    let (first, bdeu) = learned(&table, &settings)?;

    let objectives = [("first", bdeu, 0.5 * cost, &first), ("last", Score::Fnml, cost, &last)];
    let mut told = serde_json::Map::new();
    for (name, score, cost, found) in objectives {
        let families: Vec<Vec<(f64, Vec<usize>)>> = (0..truth.len())
            .into_par_iter()
            .map(|node| worthy(&table, score, cost, node))
            .collect::<Result<_, _>>()?;
        let scorer = Scorer::new(&table, score)?;
        let value = |dag: &bn::Dag| -> Outcome<f64> {
            let parents: usize = (0..dag.len()).map(|v| dag.parents(v).len()).sum();
            Ok(scorer.dag(dag)? - cost * parents as f64)
        };
        let truth = value(truth.dag())?;
        told.insert(name.into(), json!({"found": value(found)?, "truth": truth, "families": families}));
    }
    println!(
        "{}",
        json!({"network": network, "rows": rows, "seed": seed, "nodes": truth.len(), "objectives": told})
    );
    Ok(())
}

/// The graph, and the score by which it was judged: its parameter is chosen by the table.
fn learned(table: &Table, settings: &Settings) -> Outcome<(bn::Dag, Score)> {
    let dataset = Dataset::sampled(table.clone());
    let learned = learn_from(&dataset, settings, &Bounds::default(), &Unwatched)?;
    Ok((learned.network.dag().clone(), learned.chosen.settings.network.judged_by()))
}

/// The parent sets of a node that beat all their subsets, with what they score.
fn worthy(table: &Table, score: Score, cost: f64, node: usize) -> Result<Vec<(f64, Vec<usize>)>, bn::Error> {
    let scorer = Scorer::new(table, score)?;
    let mut counter = scorer.counter()?;
    let others: Vec<usize> = (0..table.schema().len()).filter(|&v| v != node).collect();
    // The best score of a set and all its subsets.
    let mut best: BTreeMap<Vec<usize>, f64> = BTreeMap::new();
    let mut kept = vec![];
    let mut sets = vec![vec![]];
    for _ in 0..=MOST_PARENTS {
        let mut larger = vec![];
        for parents in sets {
            let value = scorer.family(&mut counter, node, &parents) - cost * parents.len() as f64;
            let without = (0..parents.len()).map(|i| {
                let mut subset = parents.clone();
                subset.remove(i);
                best[&subset]
            });
            let below = without.fold(f64::NEG_INFINITY, f64::max);
            best.insert(parents.clone(), value.max(below));
            for &next in others.iter().filter(|&&v| parents.last().is_none_or(|&last| v > last)) {
                larger.push([&parents[..], &[next]].concat());
            }
            if value > below {
                kept.push((value, parents));
            }
        }
        sets = larger;
    }
    Ok(kept)
}
