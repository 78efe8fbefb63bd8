//! Our figures against those of an independent program, `tools/score.py` of the reference files.
//!
//! Its answers are kept in `agreement.jsonl.gz`, one line for each of the cases made here. Asking it again needs the reference
//! files and a Python with numpy (`CLAUSALITY_PYTHON` names one; else `python3`); after a change of the cases,
//! `CLAUSALITY_KEEP=1 cargo test -p clausality-bn --test agreement -- --ignored` keeps what it says then.

mod shared;

use clausality_bn::compare::{Comparison, Named};
use clausality_bn::io::{Limits, bif};
use clausality_bn::random::Stream;
use clausality_bn::{
    Cpt, DEFAULT_TABLE_BYTES, Dag, Network, Prior, Schema, Score, Scorer, Table, Variable, sample,
};
use flate2::{Compression, write::GzEncoder};
use serde_json::{Value, json};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const DRIVER: &str = "
import json, sys
sys.path.insert(0, sys.argv[1])
import score
for line in sys.stdin:
    d = json.loads(line)
    net = score.parse_bif(d['bif'])
    graph = score.graph_of([tuple(a) for a in d['arcs']])
    print(json.dumps(score.score(net, graph, d['train'], d['test'])))
";

/// A truth, a learned graph over its nodes, and rows for the likelihoods.
struct Case {
    truth: Network,
    learned: Dag,
    train: Option<Table>,
    test: Option<Table>,
}

#[test]
fn figures_agree_with_the_independent_program() {
    let kept = String::from_utf8(shared::bytes(&kept())).unwrap();
    check_all(&cases(), kept.lines().map(|line| serde_json::from_str(line).unwrap()).collect());
}

#[test]
#[ignore = "needs the reference files (CLAUSALITY_SHARED) and numpy (CLAUSALITY_PYTHON)"]
fn the_independent_program_still_says_so() {
    let python = std::env::var("CLAUSALITY_PYTHON").unwrap_or_else(|_| "python3".to_string());
    let cases = cases();
    let answers = ask(&python, &shared::folder().join("tools"), &cases);
    if std::env::var_os("CLAUSALITY_KEEP").is_some() {
        let mut file = GzEncoder::new(std::fs::File::create(kept()).unwrap(), Compression::best());
        answers.iter().for_each(|answer| writeln!(file, "{answer}").unwrap());
        file.finish().unwrap();
    }
    check_all(&cases, answers);
}

/// The file of kept answers.
fn kept() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/agreement.jsonl.gz")
}

fn check_all(cases: &[Case], answers: Vec<Value>) {
    assert_eq!(answers.len(), cases.len());
    cases.iter().zip(&answers).for_each(|(case, theirs)| check(case, theirs));
}

fn ask(python: &str, tools: &Path, cases: &[Case]) -> Vec<Value> {
    let mut program = Command::new(python)
        .args(["-B", "-c", DRIVER])
        .arg(tools)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = program.stdin.take().unwrap();
    let lines: Vec<String> = cases.iter().map(|c| question(c).to_string()).collect();
    let writer = std::thread::spawn(move || lines.iter().for_each(|line| writeln!(input, "{line}").unwrap()));
    let output = program.wait_with_output().unwrap();
    writer.join().unwrap();
    assert!(output.status.success());
    String::from_utf8(output.stdout).unwrap().lines().map(|l| serde_json::from_str(l).unwrap()).collect()
}

fn question(case: &Case) -> Value {
    let schema = case.truth.schema();
    let arcs: Vec<_> = case.learned.arcs().map(|(p, c)| [schema.name(p), schema.name(c)]).collect();
    let rows = |table: &Option<Table>| match table {
        None => Value::Null,
        Some(t) => schema
            .variables()
            .iter()
            .enumerate()
            .map(|(v, variable)| {
                let labels = t.column(v).iter().map(|&c| variable.states[usize::from(c)].as_str());
                (variable.name.clone(), labels.collect::<Vec<_>>().into())
            })
            .collect::<serde_json::Map<String, Value>>()
            .into(),
    };
    json!({ "bif": bif::write(&case.truth), "arcs": arcs, "train": rows(&case.train), "test": rows(&case.test) })
}

fn check(case: &Case, theirs: &Value) {
    let names: Vec<&str> = case.truth.schema().variables().iter().map(|v| v.name.as_str()).collect();
    let ours = Comparison::of(&case.truth, Named::new(&names, &case.learned).unwrap());
    let whole = [
        ("shd_dag", ours.shd),
        ("shd_cpdag", ours.cpdag_shd),
        ("true_arcs", ours.true_arcs),
        ("arcs", ours.learned_arcs),
    ];
    for (key, value) in whole {
        assert_eq!(theirs[key], value, "{key}: {theirs}");
    }
    let near = |key: &str, value: f64, tolerance: f64| {
        let other = theirs[key].as_f64().unwrap();
        assert!((other - value).abs() <= tolerance * other.abs().max(1.0), "{key}: {value} and {other}");
    };
    near("sk_p", ours.skeleton.precision, 1e-12);
    near("sk_r", ours.skeleton.recall, 1e-12);
    near("sk_f1", ours.skeleton.f1, 1e-12);
    near("ar_p", ours.directed.precision, 1e-12);
    near("ar_r", ours.directed.recall, 1e-12);
    near("ar_f1", ours.directed.f1, 1e-12);
    let (Some(train), Some(test)) = (&case.train, &case.test) else { return };
    let seen = observed_levels(train);
    let scorer = Scorer::new(&seen, Score::Bic).unwrap();
    near("bic", scorer.dag(&case.learned).unwrap(), 1e-10);
    near("bic_true", scorer.dag(case.truth.dag()).unwrap(), 1e-10);
    let fitted =
        Network::estimate(&case.learned, train, Prior::Bdeu { ess: 1.0 }, DEFAULT_TABLE_BYTES).unwrap();
    near("ll", fitted.log_likelihood(test, 1 << 30).unwrap().mean(), 1e-10);
    // The other program does not scale rows that sum to one within 3e-7.
    near("ll_true", case.truth.log_likelihood(test, 1 << 30).unwrap().mean(), 1e-6);
}

/// The table with only the states that occur.
fn observed_levels(table: &Table) -> Table {
    let mut variables = Vec::new();
    for (v, variable) in table.schema().variables().iter().enumerate() {
        let occurs = |k: &usize| table.column(v).contains(&(*k as u8));
        let states = (0..variable.states.len()).filter(occurs).map(|k| variable.states[k].clone());
        variables.push(Variable::new(variable.name.clone(), states));
    }
    table.recoded(&Schema::new(variables).unwrap()).unwrap()
}

fn cases() -> Vec<Case> {
    let mut stream = Stream::new(1, "cases");
    let mut cases = Vec::new();
    for round in 0..400 {
        let nodes = 2 + stream.below(12) as usize;
        let truth = random_network(nodes, &mut stream);
        let learned =
            if round % 2 == 0 { random_dag(nodes, &mut stream) } else { disturbed(truth.dag(), &mut stream) };
        let rows = (round % 8 == 0).then_some(300);
        cases.push(case(truth, learned, rows));
    }
    for name in ["asia", "sachs", "child", "insurance", "alarm", "hailfinder", "hepar2", "win95pts"] {
        let path =
            Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../clausality/networks/{name}.bif.gz"));
        let truth = bif::read(&shared::bytes(&path), &Limits::default()).unwrap();
        for _ in 0..3 {
            let learned = disturbed(truth.dag(), &mut stream);
            cases.push(case(truth.clone(), learned, Some(1000)));
        }
        cases.push(case(truth.clone(), Dag::new(truth.len()), None));
        cases.push(case(truth.clone(), truth.dag().clone(), None));
    }
    cases
}

fn case(truth: Network, learned: Dag, rows: Option<usize>) -> Case {
    let train = rows.map(|n| sample(&truth, n, 1));
    let test = rows.map(|n| sample(&truth, n, 2));
    Case { truth, learned, train, test }
}

fn random_dag(nodes: usize, stream: &mut Stream) -> Dag {
    let mut dag = Dag::new(nodes);
    for _ in 0..stream.below(2 * nodes as u64 + 1) {
        let (p, c) = (stream.below(nodes as u64) as usize, stream.below(nodes as u64) as usize);
        if dag.parents(c).len() < 4 {
            let _ = dag.try_add(p, c);
        }
    }
    dag
}

/// The graph with some arcs dropped, turned and added.
fn disturbed(dag: &Dag, stream: &mut Stream) -> Dag {
    let mut out = dag.clone();
    for (p, c) in dag.arcs() {
        match stream.below(6) {
            0 => drop(out.remove(p, c)),
            1 => drop(out.try_reverse(p, c)),
            _ => {}
        }
    }
    for _ in 0..dag.len() / 5 {
        let (p, c) = (stream.below(dag.len() as u64) as usize, stream.below(dag.len() as u64) as usize);
        if out.parents(c).len() < 4 {
            let _ = out.try_add(p, c);
        }
    }
    out
}

fn random_network(nodes: usize, stream: &mut Stream) -> Network {
    let dag = random_dag(nodes, stream);
    let variable =
        |i: usize, states: u64| Variable::new(format!("v{i}"), (0..states).map(|k| format!("s{k}")));
    let schema = Schema::new((0..nodes).map(|i| variable(i, 2 + stream.below(3))).collect()).unwrap();
    let mut cpts = Vec::new();
    for v in 0..nodes {
        let parents = dag.parents(v).to_vec();
        let rows: usize = parents.iter().map(|&p| schema.cardinality(p)).product();
        let mut values = Vec::new();
        for _ in 0..rows {
            let row: Vec<f64> = (0..schema.cardinality(v)).map(|_| stream.unit() + 0.01).collect();
            let sum: f64 = row.iter().sum();
            values.extend(row.iter().map(|w| w / sum));
        }
        cpts.push(Cpt::new(&schema, v, parents, values).unwrap());
    }
    Network::new("random", schema.clone(), cpts).unwrap()
}
