//! Laws of learning, end to end, over thousands of random small tables.
//!
//! What holds exactly, and is tested here:
//!
//! - the graph is acyclic, has every column, and keeps roles, tiers, required and forbidden arcs and the parent limit;
//! - the order of the columns, and the order of the states of a nominal column, leave the graph unchanged (the latter under
//!   the default literals; the paper's thermometer for all columns orders nominal states on purpose);
//! - so does renaming states in a way that keeps the order of the labels of a column;
//! - renaming columns in a way that keeps the order of their names leaves the graph unchanged that is made of the same
//!   strengths. The strengths themselves are drawn with seeds that know the columns' names: other names are like another seed;
//! - every number that is written is finite; every arc of the graph, and every arc that a list proposes, is in the trace.

use clausality::assemble::{
    Assembler, Competing, Cycles, Effort, NetworkSettings, Proposal, ScoreName, assemble_hybrid,
    assemble_paper,
};
use clausality::bn::random::Stream;
use clausality::bn::{Dag, Scale, Schema, Table, Variable};
use clausality::candidates::{Candidates, arc};
use clausality::data::Dataset;
use clausality::rules::{NamedArc, RuleSettings, Rules};
use clausality::run::{Clauses, Made, Run, RunFolder};
use clausality::strengths::{Balance, Ensemble, StrengthRule, StrengthSettings};
use clausality::{Bounds, Error, Learned, Profile, Settings, Unwatched, learn_from};
use serde_json::Value;
use std::collections::BTreeSet;

/// Random choices of one case.
struct Dice(Stream);

impl Dice {
    fn below(&mut self, n: usize) -> usize {
        self.0.below(n as u64) as usize
    }

    fn one<T: Clone>(&mut self, among: &[T]) -> T {
        among[self.below(among.len())].clone()
    }

    fn chance(&mut self, share: f64) -> bool {
        self.0.unit() < share
    }

    fn order(&mut self, n: usize) -> Vec<usize> {
        let mut order: Vec<usize> = (0..n).collect();
        for i in (1..n).rev() {
            order.swap(i, self.below(i + 1));
        }
        order
    }
}

/// A small table in which some columns depend on others.
fn table(dice: &mut Dice) -> Table {
    let columns = 2 + dice.below(5);
    let rows = 24 + dice.below(80);
    let mut variables = Vec::new();
    let mut codes: Vec<Vec<u8>> = Vec::new();
    for v in 0..columns {
        let states = 2 + dice.below(3);
        let gaps = dice.chance(0.15);
        // A state that never occurs, now and then.
        let used = if dice.chance(0.1) { states - 1 } else { states };
        let parent = (v > 0 && dice.chance(0.6)).then(|| dice.below(v));
        let column = (0..rows)
            .map(|row| match parent {
                _ if gaps && dice.chance(0.1) => states as u8,
                Some(p) if dice.chance(0.8) => codes[p][row] % used as u8,
                _ => dice.below(used) as u8,
            })
            .collect();
        let mut labels: Vec<String> = (0..states).map(|s| format!("s{s}")).collect();
        labels.extend(gaps.then(|| "missing".to_string()));
        variables.push(Variable {
            scale: dice.one(&[Scale::Nominal, Scale::Ordered]),
            has_missing_state: gaps,
            ..Variable::new(format!("v{v}"), labels)
        });
        codes.push(column);
    }
    Table::new(Schema::new(variables).unwrap(), codes).unwrap()
}

fn learning(dice: &mut Dice) -> (Profile, StrengthSettings) {
    let strengths = StrengthSettings {
        rounds: Some(1 + dice.below(2)),
        epochs: Some(1),
        samples: Some(40),
        ensemble: Some(dice.one(&[Ensemble::Single, Ensemble::Paper5, Ensemble::Supply, Ensemble::Random])),
        clauses: dice.chance(0.8).then_some(6),
        balance: dice.one(&[Balance::Balanced, Balance::Under, Balance::None]),
        strength: dice.one(&[
            None,
            Some(StrengthRule::Gain),
            Some(StrengthRule::Votes),
            Some(StrengthRule::Sum),
        ]),
        null: dice.chance(0.1),
        ..StrengthSettings::default()
    };
    (dice.one(&[Profile::Hybrid, Profile::Paper]), strengths)
}

fn assembling(dice: &mut Dice) -> NetworkSettings {
    let scores = [
        (ScoreName::Bdeu, None),
        (ScoreName::Bdeu, Some(7.0)),
        (ScoreName::Bic, None),
        (ScoreName::Aic, None),
        (ScoreName::Qnml, None),
        (ScoreName::Fnml, None),
    ];
    let (score, ess) = dice.one(&scores);
    NetworkSettings {
        assembler: dice.one(&[None, Some(Assembler::Paper), Some(Assembler::Hybrid)]),
        features: 1 + dice.below(3),
        competing: dice.one(&[Competing::Pairwise, Competing::Total]),
        cycles: dice.one(&[Cycles::Greedy, Cycles::Dfs]),
        score,
        ess,
        effort: Effort {
            list: dice.below(5),
            starts: 1 + dice.below(2),
            shakes: dice.below(4),
            reorient: dice.chance(0.7),
            ..Effort::default()
        },
        ..NetworkSettings::default()
    }
}

fn rules(dice: &mut Dice, columns: usize) -> RuleSettings {
    if dice.chance(0.3) {
        return RuleSettings::default();
    }
    let name = |v: usize| format!("v{v}");
    let arcs = |dice: &mut Dice| -> Vec<NamedArc> {
        let pick = |dice: &mut Dice| NamedArc {
            parent: name(dice.below(columns)),
            child: name(dice.below(columns)),
        };
        (0..dice.below(3)).map(|_| pick(dice)).collect()
    };
    let some = |dice: &mut Dice, share: f64| -> Vec<String> {
        (0..columns).filter(|_| dice.chance(share)).map(name).collect()
    };
    let mut tiers = vec![];
    if dice.chance(0.4) {
        let order = dice.order(columns);
        let (early, late) = order.split_at(dice.below(columns));
        tiers = [early, late].map(|tier| tier.iter().map(|&v| name(v)).collect()).to_vec();
    }
    RuleSettings {
        parameter: some(dice, 0.2),
        unobserved: some(dice, 0.1),
        require: arcs(dice),
        forbid: arcs(dice),
        tiers,
        max_parents: dice.chance(0.3).then(|| dice.below(4)),
    }
}

fn named(schema: &Schema, dag: &Dag) -> Vec<(String, String)> {
    let mut arcs: Vec<(String, String)> =
        dag.arcs().map(|(p, c)| (schema.name(p).to_string(), schema.name(c).to_string())).collect();
    arcs.sort();
    arcs
}

/// The same rows with the columns in another order and the states of nominal columns in another order.
fn reordered(table: &Table, dice: &mut Dice) -> Table {
    let mut variables = Vec::new();
    let mut columns = Vec::new();
    for v in dice.order(table.schema().len()) {
        let variable = table.schema().variable(v);
        let values = variable.cardinality() - usize::from(variable.has_missing_state);
        let mut order: Vec<usize> = (0..values).collect();
        if variable.scale == Scale::Nominal {
            order = dice.order(values);
        }
        order.extend(values..variable.cardinality());
        let states = order.iter().map(|&s| variable.states[s].clone()).collect();
        let place = |code: &u8| order.iter().position(|&s| s == *code as usize).unwrap() as u8;
        columns.push(table.column(v).iter().map(place).collect());
        variables.push(Variable { states, ..variable.clone() });
    }
    Table::new(Schema::new(variables).unwrap(), columns).unwrap()
}

/// The same rows with other names: of the columns by `column`, of the states by `state`.
fn renamed(table: &Table, column: impl Fn(&str) -> String, state: impl Fn(&str) -> String) -> Table {
    let rename = |variable: &Variable| Variable {
        name: column(&variable.name),
        states: variable.states.iter().map(|label| state(label)).collect(),
        ..variable.clone()
    };
    let variables: Vec<Variable> = table.schema().variables().iter().map(rename).collect();
    let columns = (0..variables.len()).map(|v| table.column(v).to_vec()).collect();
    Table::new(Schema::new(variables).unwrap(), columns).unwrap()
}

/// Fields that hold a number or nothing; everywhere else null would be a number that is none.
const MAY_BE_NULL: [&str; 8] =
    ["accuracy", "chance", "hit_rate", "null", "confidence", "direction", "shadow", "weight"];
/// Settings that stay open: those that several machines do not share (each of them is listed with its own), what hangs on the column, and bounds that are none.
const MAY_BE_OPEN: [&str; 10] = [
    "clauses",
    "threshold",
    "specificity",
    "literal-budget",
    "type-iii",
    "discretize",
    "max-categories",
    "separator",
    "max-parents",
    "ess",
];

fn assert_finite(value: &Value, path: &str, document: &str) {
    match value {
        Value::Null => {
            let field = path.rsplit('.').next().unwrap();
            let known =
                MAY_BE_NULL.contains(&field) || path.contains(".params.") && MAY_BE_OPEN.contains(&field);
            assert!(known, "{path} is null in {document}");
        }
        Value::Array(items) => items.iter().for_each(|item| assert_finite(item, path, document)),
        Value::Object(fields) => {
            fields.iter().for_each(|(key, item)| assert_finite(item, &format!("{path}.{key}"), document));
        }
        _ => {}
    }
}

fn assert_legal(found: &Learned, table: &Table, rules: &Rules, params: &RuleSettings) {
    let (dag, schema) = (found.network.dag(), table.schema());
    assert_eq!(dag.len(), schema.len());
    assert!(found.network.schema().variables() == schema.variables(), "every column, as it was");
    assert_eq!(dag.topological_order().len(), schema.len());
    let at = |name: &str| schema.index(name).unwrap();
    for name in &params.parameter {
        assert!(dag.parents(at(name)).is_empty(), "nothing points into a parameter");
    }
    for arc in &params.forbid {
        assert!(!dag.has(at(&arc.parent), at(&arc.child)), "{arc} is forbidden");
    }
    for arc in &params.require {
        assert!(dag.has(at(&arc.parent), at(&arc.child)), "{arc} is required");
    }
    if let [early, late] = params.tiers.as_slice() {
        for (p, c) in late.iter().flat_map(|p| early.iter().map(move |c| (p, c))) {
            assert!(!dag.has(at(p), at(c)), "{p} > {c} runs against the tiers");
        }
    }
    assert!(dag.arcs().all(|(p, c)| rules.allows(p, c)));
    assert!((0..schema.len()).all(|v| dag.parents(v).len() <= params.max_parents.unwrap_or(usize::MAX)));
}

/// Every arc of the graph once as kept, every listed arc at least once, nothing kept that is not in the graph.
fn assert_traced(found: &Learned, table: &Table, rules: &Rules, network: &NetworkSettings, paper: bool) {
    let dag = found.network.dag();
    let kept: Vec<(usize, usize)> =
        found.trace.iter().filter(|p| p.outcome.is_kept()).map(|p| (p.parent, p.child)).collect();
    let distinct: BTreeSet<(usize, usize)> = kept.iter().copied().collect();
    assert_eq!(kept.len(), distinct.len(), "an arc is kept once");
    assert_eq!(distinct, dag.arcs().collect::<BTreeSet<_>>());
    let length = if paper { network.features } else { network.effort.list };
    let lists = Candidates::rank(&found.strengths.matrix(table.schema()), table.schema(), rules, length);
    for target in 0..table.schema().len() {
        for candidate in lists.list(target) {
            let listed = arc(rules, target, candidate.feature);
            let is_it = |p: &&Proposal| (p.parent, p.child) == listed;
            let entry = found.trace.iter().find(is_it).expect("every listed arc is in the trace");
            assert!(!entry.reason(table.schema()).is_empty() && entry.gain.is_some_and(f64::is_finite));
        }
    }
}

fn assert_documents(found: &Learned, every_pair: bool) {
    let made = Made { table: "random".into(), top: 3, seconds: 0.5, truth: None, evaluations: vec![] };
    let run = Run::new(found, made);
    let clauses = Clauses::new(found);
    assert_finite(&serde_json::to_value(&run).unwrap(), "run", &format!("{run:?}"));
    assert_finite(&serde_json::to_value(&clauses).unwrap(), "clauses", &format!("{clauses:?}"));
    for clause in clauses.targets.iter().flat_map(|t| &t.clauses) {
        assert!((0.0..=1.0).contains(&clause.precision) && clause.support <= clauses.rows, "{clause:?}");
        assert_eq!(clause.weights[&clause.then], clause.weight as i64);
    }
    let text = serde_json::to_string(&run).unwrap();
    let mut again: Run = serde_json::from_str(&text).unwrap();
    // How hard the search worked is for studies, and not kept.
    again.params.network.effort = run.params.network.effort.clone();
    assert!(again == run, "a run reads back as it was written");
    if every_pair {
        let folder = RunFolder { run, clauses };
        for parent in &folder.run.nodes {
            assert!(!folder.explain_node(parent).unwrap().verdict.is_empty());
            for child in folder.run.nodes.iter().filter(|child| *child != parent) {
                let arc = NamedArc { parent: parent.clone(), child: child.clone() };
                let told = folder.explain_arc(&arc).unwrap();
                let there = folder.run.arcs.iter().any(|a| a.parent == *parent && a.child == *child);
                assert_eq!(told.present, there);
            }
        }
    }
}

fn learned(table: &Table, settings: &Settings) -> Result<Learned, Error> {
    learn_from(&Dataset::sampled(table.clone()), settings, &Bounds::default(), &Unwatched)
}

/// One random case: what became of its arcs, or nothing if its rules contradict each other.
fn case(seed: u64) -> Option<BTreeSet<&'static str>> {
    let mut dice = Dice(Stream::new(seed, "end to end"));
    let table = table(&mut dice);
    let (profile, strengths) = learning(&mut dice);
    let network = assembling(&mut dice);
    let rules = rules(&mut dice, table.schema().len());
    let settings = Settings { seed, rules, strengths, network, ..Settings::of(profile) };
    let Settings { rules: stated, network, .. } = &settings;
    let rules = match Rules::new(table.schema(), stated) {
        Ok(rules) => rules,
        Err(refused) => {
            let text = refused.to_string();
            let names_one = table.schema().variables().iter().any(|v| text.contains(&v.name));
            assert!(names_one || text.contains("columns are parameters"), "refused by name: {text}");
            return None;
        }
    };
    let run = |table: &Table| learned(table, &settings).unwrap();
    let found = run(&table);
    let paper = settings.by_profile().network.assembler == Some(Assembler::Paper);
    assert_legal(&found, &table, &rules, stated);
    assert_traced(&found, &table, &rules, network, paper);
    assert_documents(&found, seed.is_multiple_of(16));

    let graph = named(table.schema(), found.network.dag());
    let other = reordered(&table, &mut dice);
    let again = run(&other);
    assert_eq!(graph, named(other.schema(), again.network.dag()), "another order, seed {seed}");
    assert_eq!(found.arcs, again.arcs, "another order, seed {seed}");
    let relabelled = renamed(&table, str::to_string, |label| format!("{label}{label}"));
    assert_eq!(found.arcs, run(&relabelled).arcs, "other labels, seed {seed}");

    let strengths = found.strengths.matrix(table.schema());
    let unruled = Rules::none(table.schema().len());
    let longer = renamed(&table, |name| format!("w{name}x"), str::to_string);
    let graphs = [&table, &longer].map(|table| match paper {
        true => assemble_paper(&strengths, table.schema(), &unruled, network).dag,
        false => assemble_hybrid(table, &strengths, &unruled, network, seed, &Unwatched).unwrap().dag,
    });
    assert!(graphs[0] == graphs[1], "other column names, seed {seed}");
    Some(found.trace.iter().map(|proposal| proposal.outcome.word()).collect())
}

/// What can become of an arc. (`unused` takes a larger graph than these, and is tested beside the trace.)
const OUTCOMES: [&str; 11] = [
    "kept",
    "required",
    "duplicate",
    "turned",
    "closes-cycle",
    "parent-limit",
    "refused",
    "reoriented",
    "dropped-in-reorientation",
    "opposed",
    "no-gain",
];

#[test]
fn thousands_of_random_tables() {
    const CASES: u64 = 2000;
    let learned: Vec<_> = (1..=CASES).filter_map(case).collect();
    assert!(learned.len() > CASES as usize / 3, "most rules are free of contradictions: {}", learned.len());
    assert!(learned.len() < CASES as usize, "some rules contradict each other");
    let outcomes: BTreeSet<&str> = learned.into_iter().flatten().collect();
    for outcome in OUTCOMES {
        assert!(outcomes.contains(outcome), "no arc was ever '{outcome}': {outcomes:?}");
    }
}

#[test]
fn tables_with_gaps_that_have_no_state() {
    let gap = clausality::bn::MISSING;
    let schema = || Schema::new(["a", "b", "c"].map(|n| Variable::new(n, ["0", "1"])).to_vec()).unwrap();
    let column = |k: usize| (0..90).map(|r| if r % 7 == k { gap } else { (r / (k + 1) % 2) as u8 }).collect();
    let table = Table::new(schema(), vec![column(0), column(1), column(2)]).unwrap();
    for profile in [Profile::Hybrid, Profile::Paper] {
        let strengths = StrengthSettings { rounds: Some(1), ..StrengthSettings::default() };
        let found = learned(&table, &Settings { strengths, ..Settings::of(profile) }).unwrap();
        assert!(found.score.is_finite());
    }
    let column = |k: usize| (0..90).map(|r| if r % 3 == k { gap } else { (r / 2 % 2) as u8 }).collect();
    let holes = Table::new(schema(), vec![column(0), column(1), column(2)]).unwrap();
    // No row is whole, and still there is something to learn from.
    assert!(learned(&holes, &Settings::default()).unwrap().score.is_finite());
}
