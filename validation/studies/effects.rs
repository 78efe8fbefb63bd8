//! Whether the true effect of an action lies in the band that is told. `validation/effects.sh` runs it.
//!
//! Random networks of eight nodes with two or three states and up to three parents, each row of a table drawn from a Dirichlet distribution with all numbers 1; a sample of each (5,000 rows unless told otherwise). For every ordered pair
//! of nodes one state of the first is set. The truth is the true network with its own arcs cut.
//!
//! - *true tables, true class*: the band over the class with nothing estimated. It must hold every truth.
//! - *fitted, true class*: the class of the true graph, tables fitted to the sample (the default prior). Where all arcs at the node have their direction the band is one number, which no
//!   truth meets exactly: how far off it is, and whether it lies within two standard errors (of the tables fitted to rows drawn anew).
//! - *repeated*: from the 2.5 % point of the lower ends to the 97.5 % point of the upper ends over tables fitted to rows drawn anew, which is a band for the direction and for the sample together.
//! - *learned*: the same with the class that `learn` finds, where it is the true one and where it is not.
//! - *`query --do`*: what is told of a run that was learned with `--bootstrap 50`, over equally good graphs and over the replicates.

use clausality::bn::effects::effects;
use clausality::bn::infer::{DEFAULT_BYTES, Evidence, Infer};
use clausality::bn::random::Stream;
use clausality::bn::{Cpt, Dag, Network, Pdag, Prior, Schema, Table, Variable, sample};
use clausality::data::Dataset;
use clausality::{Bounds, Settings, Unwatched, learn_from};
use std::sync::Arc;

const NODES: usize = 8;
const REPEATED: usize = 100;
/// `--bootstrap` of the run that is asked.
const ROUNDS: usize = 50;
const LIMIT: u64 = 1 << 30;

fn random_network(stream: &mut Stream) -> Network {
    let variable = |v: usize, k: u64| Variable::new(format!("n{v}"), (0..2 + k).map(|s| format!("s{s}")));
    let schema = Schema::new((0..NODES).map(|v| variable(v, stream.below(2))).collect()).unwrap();
    let cpt = |v: usize| {
        let mut parents: Vec<usize> = (0..v).filter(|_| stream.unit() < 3.0 / NODES as f64).collect();
        parents.truncate(3);
        let (rows, k) =
            (parents.iter().map(|&p| schema.cardinality(p)).product::<usize>(), schema.cardinality(v));
        let row = |_| {
            // Exponential numbers over their sum: Dirichlet with all numbers 1.
            let drawn: Vec<f64> = (0..k).map(|_| -(1.0 - stream.unit()).max(1e-12).ln()).collect();
            let sum: f64 = drawn.iter().sum();
            drawn.into_iter().map(|x| x / sum).collect::<Vec<f64>>()
        };
        let values = (0..rows).flat_map(row).collect();
        Cpt::new(&schema, v, parents, values).unwrap()
    };
    let cpts = (0..NODES).map(cpt).collect();
    Network::new("random", schema.clone(), cpts).unwrap()
}

/// One question: which node is set to which state, and about whom.
struct Asked {
    set: usize,
    state: u8,
    target: usize,
}

/// The least and the most of every state of the target.
type Band = (Vec<f64>, Vec<f64>);

fn band(network: &Arc<Network>, class: &Pdag, asked: &Asked) -> Band {
    let mut evidence = Evidence::new(network);
    evidence.intervene(asked.set, asked.state).unwrap();
    let found = effects(network, class, &[asked.target], &evidence, DEFAULT_BYTES).unwrap();
    (found.low[0].clone(), found.high[0].clone())
}

fn truth(network: &Arc<Network>, asked: &Asked) -> Vec<f64> {
    let mut evidence = Evidence::new(network);
    evidence.intervene(asked.set, asked.state).unwrap();
    Infer::new(network.clone()).posterior(&[asked.target], &evidence).unwrap().probabilities
}

fn fitted(dag: &Dag, table: &Table) -> Arc<Network> {
    Arc::new(Network::estimate(dag, table, Prior::default(), LIMIT).unwrap())
}

/// A table of as many rows drawn with replacement.
fn again(table: &Table, stream: &mut Stream) -> Table {
    let rows: Vec<usize> = (0..table.rows()).map(|_| stream.below(table.rows() as u64) as usize).collect();
    table.select_rows(&rows)
}

#[derive(Default)]
struct Count {
    name: &'static str,
    all: usize,
    within: usize,
    wide: f64,
}

impl Count {
    fn of(name: &'static str) -> Self {
        Count { name, ..Count::default() }
    }

    fn see(&mut self, truth: &[f64], (low, high): &Band) {
        for ((p, low), high) in truth.iter().zip(low).zip(high) {
            self.all += 1;
            self.within += usize::from(low - 1e-9 <= *p && *p <= high + 1e-9);
            self.wide += high - low;
        }
    }

    fn told(&self) -> String {
        let n = self.all.max(1) as f64;
        format!(
            "| {} | {} | {:.1} % | {:.3} |",
            self.name,
            self.all,
            100.0 * self.within as f64 / n,
            self.wide / n
        )
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let argument = |k: usize, usual: usize| std::env::args().nth(k).map_or(Ok(usual), |n| n.parse());
    let (networks, rows) = (argument(1, 60)?, argument(2, 5000)?);
    let mut settings = Settings::default();
    settings.network.bootstrap = ROUNDS;
    let mut exact = Count::of("true tables, true class");
    let mut plain = Count::of("fitted, true class: the band alone");
    let mut errors = Count::of("the same, two standard errors wider");
    let mut repeated = Count::of("fitted, true class: repeated");
    let mut right = Count::of("learned, the true class: repeated");
    let mut wrong = Count::of("learned, another class: repeated");
    let mut told = Count::of("`query --do` of a run: over equally good graphs");
    let mut shipped = Count::of("`query --do` of a run with `--bootstrap 50`: over the replicates");
    let mut pairs = (0, 0);
    let (mut open, mut learned_right) = (0, 0);
    for number in 0..networks {
        let mut stream = Stream::new(number as u64, "effects study");
        let network = Arc::new(random_network(&mut stream));
        let class = Pdag::complete(network.dag());
        open += usize::from(class.undirected().count() > 0);
        let table = sample(&network, rows, 1000 + number as u64);
        let dataset = Dataset::sampled(table.clone());
        let learned = learn_from(&dataset, &settings, &Bounds::default(), &Unwatched)?;
        let model = learned.model();
        let found = learned.network.dag().clone();
        let found_class = Pdag::complete(&found);
        let is_right = found_class == class;
        learned_right += usize::from(is_right);
        let tables: Vec<Table> = (0..REPEATED).map(|_| again(&table, &mut stream)).collect();
        let of = |dag: &Dag| -> Vec<Arc<Network>> { tables.iter().map(|table| fitted(dag, table)).collect() };
        let (one, many) = (fitted(network.dag(), &table), of(network.dag()));
        let many_found = of(&found);
        for set in 0..NODES {
            for target in (0..NODES).filter(|&v| v != set) {
                let state = stream.below(network.schema().cardinality(set) as u64) as u8;
                let asked = Asked { set, state, target };
                let truth = truth(&network, &asked);
                exact.see(&truth, &band(&network, &class, &asked));
                let own = band(&one, &class, &asked);
                plain.see(&truth, &own);
                let bands: Vec<Band> = many.iter().map(|network| band(network, &class, &asked)).collect();
                errors.see(&truth, &wider(&own, &bands));
                repeated.see(&truth, &over(&bands));
                let bands: Vec<Band> =
                    many_found.iter().map(|network| band(network, &found_class, &asked)).collect();
                let mut evidence = Evidence::new(&model.network);
                evidence.intervene(set, state)?;
                let answer = model.question(vec![target], evidence).posterior(false)?;
                let own = answer.band.ok_or("a band")?;
                told.see(&truth, &(own.low[0].clone(), own.high[0].clone()));
                let spread = answer.spread.ok_or("a band over replicates")?;
                let before = shipped.within;
                shipped.see(&truth, &(spread.low[0].clone(), spread.high[0].clone()));
                pairs = (pairs.0 + 1, pairs.1 + usize::from(shipped.within - before == truth.len()));
                if is_right { right.see(&truth, &over(&bands)) } else { wrong.see(&truth, &over(&bands)) }
            }
        }
    }
    println!(
        "{networks} networks of {NODES} nodes, {rows} rows each; {open} classes have edges without a direction; `learn` found {learned_right} of the classes.\n"
    );
    println!("| band | probabilities | truth within | width |\n|---|---|---|---|");
    for count in [&exact, &plain, &errors, &repeated, &right, &wrong, &told, &shipped] {
        println!("{}", count.told());
    }
    println!(
        "\nOver the replicates every state of the target is within in {} of {} pairs ({:.1} %).",
        pairs.1,
        pairs.0,
        100.0 * pairs.1 as f64 / pairs.0.max(1) as f64
    );
    Ok(())
}

/// From the 2.5 % point of the lower ends to the 97.5 % point of the upper ones.
fn over(bands: &[Band]) -> Band {
    let point = |mut ends: Vec<f64>, share: f64| {
        ends.sort_by(f64::total_cmp);
        ends[(share * (ends.len() - 1) as f64).round() as usize]
    };
    let states = 0..bands[0].0.len();
    let low = states.clone().map(|s| point(bands.iter().map(|band| band.0[s]).collect(), 0.025)).collect();
    (low, states.map(|s| point(bands.iter().map(|band| band.1[s]).collect(), 0.975)).collect())
}

/// Two standard deviations of each end further.
fn wider(own: &Band, bands: &[Band]) -> Band {
    let deviation = |ends: Vec<f64>| {
        let mean = ends.iter().sum::<f64>() / ends.len() as f64;
        (ends.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / (ends.len() - 1) as f64).sqrt()
    };
    let end = |s: usize, upper: bool| {
        let pick = |band: &Band| if upper { band.1[s] } else { band.0[s] };
        let two = 2.0 * deviation(bands.iter().map(pick).collect());
        if upper { own.1[s] + two } else { own.0[s] - two }
    };
    let states = 0..own.0.len();
    (states.clone().map(|s| end(s, false)).collect(), states.map(|s| end(s, true)).collect())
}
