//! How far our searches stay below the best graph there is: an exact search on small networks. `validation/exact.sh` runs it.
//!
//! ```text
//! cargo run --release -p clausality --example exact_study -- asia,child,insurance,alarm ROWS SEEDS
//! ```
//!
//! Two objectives, as `assemble/hybrid.rs` states them: BDeu less ½ ln m for every parent, which the first search maximises, and fNML less
//! ln m for every parent, which the last climb does (it also asks BIC before it adds). Parents are four at most. A set that scores no more than one of
//! its subsets can be in no best graph (the subset serves as well, and forbids fewer arcs), so it is left out; all others are listed.
//!
//! An order of the nodes is a walk from no node to all of them, each step with the best parents among those that are there (Yuan & Malone
//! 2013, *Learning optimal Bayesian networks: a shortest path perspective*, with their static pattern databases as the bound):
//!
//! ```text
//! g(U ∪ {v}) = max over U of g(U) + best(v, U)
//! f(U)       = g(U) + Σ over groups of the best order of what is left of the group, if all other nodes came before
//! ```
//!
//! Sets of nodes are met layer by layer, and dropped where f is below what was found. A node whose best parents of all are there is added
//! at once, and nothing else instead: it forbids nothing (Karan & Zola 2016). What is printed is proven.

use clausality::bn::{self, Score, Scorer, Table};
use clausality::data::Dataset;
use clausality::{Bounds, Settings, Unwatched, embedded, learn_from};
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::io::{self, Write};
use std::time::Instant;

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

const MOST_PARENTS: usize = 4;
/// Nodes of a group: a table of all its subsets is made.
const GROUP: usize = 19;
/// Sets of one layer that are kept in memory, each as often as it is met.
const MOST_SETS: usize = 150_000_000;
/// Sums of scores are the same up to this.
const ROUNDING: f64 = 1e-6;

fn main() -> Outcome<()> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [networks, rows, seeds] = &words[..] else { return Err("NETWORKS ROWS SEEDS".into()) };
    println!(
        "| network | rows | seed | objective | parent sets | the truth less the best | ours less the best | sets met | search, s |"
    );
    println!("|---|---|---|---|---|---|---|---|---|");
    for network in networks.split(',') {
        for seed in 1..=seeds.parse()? {
            told(network, rows.parse()?, seed)?;
        }
    }
    Ok(())
}

/// Both objectives on one sample.
fn told(network: &str, rows: usize, seed: u64) -> Outcome<()> {
    let truth = embedded::network(network)?;
    let table = bn::sample(&truth, rows, seed);
    let cost = (truth.len().max(2) as f64).ln();

    let mut settings = Settings { seed, ..Settings::default() };
    settings.rules.max_parents = Some(MOST_PARENTS);
    let (last, _) = learned(&table, &settings)?;
    settings.network.effort.reorient = false;
    let (first, bdeu) = learned(&table, &settings)?;

    for (name, score, cost, found) in
        [("first", bdeu, 0.5 * cost, &first), ("last", Score::Fnml, cost, &last)]
    {
        let families: Vec<Vec<Family>> = (0..truth.len())
            .into_par_iter()
            .map(|node| worthy(&table, score, cost, node))
            .collect::<Result<_, _>>()?;
        let sets: usize = families.iter().map(Vec::len).sum();
        let scorer = Scorer::new(&table, score)?;
        let value = |dag: &bn::Dag| -> Outcome<f64> {
            let parents: usize = (0..dag.len()).map(|v| dag.parents(v).len()).sum();
            Ok(scorer.dag(dag)? - cost * parents as f64)
        };
        let (truth, found) = (value(truth.dag())?, value(found)?);
        let begun = Instant::now();
        let Best { score: best, proven, met } = Orders::new(families).best(truth.max(found));
        let against = if proven { "" } else { " (against a bound)" };
        println!(
            "| {network} | {rows} | {seed} | {name} | {sets} | {:+.2}{against} | {:+.2}{against} | {met} | {:.1} |",
            truth - best,
            found - best,
            begun.elapsed().as_secs_f64()
        );
        io::stdout().flush()?;
    }
    Ok(())
}

/// A parent set, a bit for each parent, and what it scores.
struct Family {
    score: f64,
    parents: u64,
}

/// The walks through all orders of the nodes.
struct Orders {
    /// The families of every node, the best first.
    families: Vec<Vec<Family>>,
    groups: Vec<Group>,
}

/// The best graph, or a bound on it where there are too many sets to tell.
struct Best {
    score: f64,
    proven: bool,
    met: usize,
}

/// Nodes, and for every subset of them that may be left the best it can add.
struct Group {
    nodes: Vec<usize>,
    left: Vec<f64>,
}

impl Group {
    /// The subset of its nodes that is not among these.
    fn rest(&self, present: u64) -> usize {
        let bit = |(k, &v): (usize, &usize)| usize::from(present >> v & 1 == 0) << k;
        self.nodes.iter().enumerate().map(bit).sum()
    }
}

impl Orders {
    fn new(mut families: Vec<Vec<Family>>) -> Self {
        families.iter_mut().for_each(|listed| listed.sort_by(|a, b| b.score.total_cmp(&a.score)));
        let mut orders = Orders { families, groups: vec![] };
        orders.groups = orders.parted().into_par_iter().map(|nodes| orders.group(nodes)).collect();
        orders
    }

    fn all(&self) -> u64 {
        (1 << self.families.len()) - 1
    }

    /// What a node scores with its best parents among these.
    fn best_of(&self, node: usize, present: u64) -> f64 {
        let listed = self.families[node].iter();
        listed
            .into_iter()
            .find(|family| family.parents & !present == 0)
            .map_or(f64::NEG_INFINITY, |f| f.score)
    }

    /// Groups of nodes that need each other little across groups: pairs are exchanged as long as that helps.
    fn parted(&self) -> Vec<Vec<usize>> {
        let n = self.families.len();
        let groups = n.div_ceil(GROUP);
        let need = |v: usize, w: usize| self.best_of(v, 1 << w) - self.best_of(v, 0);
        let tie: Vec<Vec<f64>> = (0..n).map(|v| (0..n).map(|w| need(v, w) + need(w, v)).collect()).collect();
        let mut group: Vec<usize> = (0..n).map(|v| v * groups / n).collect();
        loop {
            let to = |v: usize, g: usize| -> f64 {
                (0..n).filter(|&w| w != v && group[w] == g).map(|w| tie[v][w]).sum()
            };
            let gain = |v: usize, w: usize| {
                let (a, b) = (group[v], group[w]);
                to(v, b) - to(v, a) + to(w, a) - to(w, b) - 2.0 * tie[v][w]
            };
            let pairs = (0..n).flat_map(|v| (0..v).map(move |w| (v, w)));
            let apart = pairs.filter(|&(v, w)| group[v] != group[w]);
            match apart.max_by(|a, b| gain(a.0, a.1).total_cmp(&gain(b.0, b.1))) {
                Some((v, w)) if gain(v, w) > ROUNDING => group.swap(v, w),
                _ => break,
            }
        }
        (0..groups).map(|g| (0..n).filter(|&v| group[v] == g).collect()).collect()
    }

    fn group(&self, nodes: Vec<usize>) -> Group {
        let mut left = vec![0.0; 1 << nodes.len()];
        for rest in 1..left.len() {
            let is_left = |k: &usize| rest >> k & 1 == 1;
            let open: u64 = (0..nodes.len()).filter(is_left).map(|k| 1 << nodes[k]).sum();
            let next = |k: usize| self.best_of(nodes[k], self.all() & !open) + left[rest & !(1 << k)];
            left[rest] = (0..nodes.len()).filter(is_left).map(next).fold(f64::NEG_INFINITY, f64::max);
        }
        Group { nodes, left }
    }

    /// What the nodes that are not there can add at most.
    fn bound(&self, present: u64) -> f64 {
        self.groups.iter().map(|group| group.left[group.rest(present)]).sum()
    }

    /// The best graph; `known` is the score of one.
    fn best(&self, known: f64) -> Best {
        let n = self.families.len();
        let free: Vec<f64> = (0..n).map(|v| self.best_of(v, self.all())).collect();
        let mut layer: Vec<(u64, f64)> = vec![(0, 0.0)];
        let mut met = 1;
        for _ in 0..n {
            let mut next: Vec<(u64, f64)> = layer
                .par_iter()
                .flat_map_iter(|&(present, so_far)| {
                    let absent = || (0..n).filter(move |&v| present >> v & 1 == 0);
                    let own: Vec<(usize, f64)> = absent().map(|v| (v, self.best_of(v, present))).collect();
                    let at_once = own.iter().copied().find(|&(v, score)| score >= free[v]);
                    let steps = at_once.map_or(own, |step| vec![step]).into_iter();
                    steps.filter_map(move |(v, score)| {
                        let (set, score) = (present | 1 << v, so_far + score);
                        (score + self.bound(set) >= known - ROUNDING).then_some((set, score))
                    })
                })
                .collect();
            next.par_sort_unstable_by(|a, b| a.0.cmp(&b.0).then(b.1.total_cmp(&a.1)));
            next.dedup_by_key(|(set, _)| *set);
            met += next.len();
            let reach = |&(set, score): &(u64, f64)| score + self.bound(set);
            if next.len() * (n / 2) > MOST_SETS {
                let score = next.iter().map(reach).fold(known, f64::max);
                return Best { score, proven: false, met };
            }
            layer = next;
        }
        // Nothing is left where nothing beats what is known by more than rounding.
        Best { score: layer.first().map_or(known, |&(_, score)| score.max(known)), proven: true, met }
    }
}

/// The graph, and the score by which it was judged: its parameter is chosen by the table.
fn learned(table: &Table, settings: &Settings) -> Outcome<(bn::Dag, Score)> {
    let dataset = Dataset::sampled(table.clone());
    let learned = learn_from(&dataset, settings, &Bounds::default(), &Unwatched)?;
    Ok((learned.network.dag().clone(), learned.chosen.settings.network.judged_by()))
}

/// The parent sets of a node that beat all their subsets.
fn worthy(table: &Table, score: Score, cost: f64, node: usize) -> Result<Vec<Family>, bn::Error> {
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
                kept.push(Family { score: value, parents: parents.iter().map(|&v| 1u64 << v).sum() });
            }
        }
        sets = larger;
    }
    Ok(kept)
}
