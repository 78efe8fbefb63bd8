//! Laws of the strengths: what may not matter does not matter, and what is there is found.

use clausality::bn::random::Stream;
use clausality::bn::{MISSING, Scale, Schema, Table, Variable, sample};
use clausality::encode::LiteralRule;
use clausality::strengths::{
    Bench, Ensemble, Fit, StrengthRule, StrengthSettings, Strengths, Task, Warning, measure,
};
use clausality::synthetic::{XorParams, noisy_xor};
use clausality::tm::Path;
use clausality::{Error, Event, Profile, Unwatched, Watch, embedded};
use std::sync::atomic::{AtomicUsize, Ordering};

fn strengths(table: &Table, settings: &StrengthSettings) -> Strengths {
    seeded(table, settings, 1)
}

fn seeded(table: &Table, settings: &StrengthSettings, seed: u64) -> Strengths {
    measure(table, settings, seed, &Unwatched).unwrap()
}

fn of(profile: Profile) -> StrengthSettings {
    match profile {
        Profile::Hybrid => StrengthSettings::default(),
        Profile::Paper => StrengthSettings::of_the_paper(),
    }
}

fn json(strengths: &Strengths) -> String {
    serde_json::to_string(strengths).unwrap()
}

/// Insurance with some cells missing: several scales, gaps and rare states in one table.
fn mixed(rows: usize) -> Table {
    let table = sample(&embedded::network("insurance").unwrap(), rows, 3);
    let mut variables = table.schema().variables().to_vec();
    let mut columns: Vec<Vec<u8>> = (0..variables.len()).map(|v| table.column(v).to_vec()).collect();
    for (v, variable) in variables.iter_mut().enumerate() {
        if v % 3 == 0 {
            variable.scale = Scale::Ordered;
        }
        if v % 4 == 0 {
            let gap = variable.states.len() as u8;
            variable.states.push("missing".into());
            variable.has_missing_state = true;
            columns[v].iter_mut().skip(v).step_by(9).for_each(|code| *code = gap);
        }
    }
    columns[5].iter_mut().step_by(7).for_each(|code| *code = MISSING);
    Table::new(Schema::new(variables).unwrap(), columns).unwrap()
}

fn quick(profile: Profile) -> StrengthSettings {
    let rounds = Some(if profile == Profile::Paper { 1 } else { 3 });
    StrengthSettings { rounds, epochs: Some(1), samples: Some(200), shadows: Some(0.3), ..of(profile) }
}

#[test]
fn threads_leave_no_trace() {
    let table = mixed(400);
    for params in [quick(Profile::Hybrid), StrengthSettings { null: true, ..quick(Profile::Paper) }] {
        let with = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            json(&pool.install(|| strengths(&table, &params)))
        };
        let one = with(1);
        for threads in [2, 3, 8] {
            assert!(one == with(threads), "{threads} threads, {params:?}");
        }
    }
}

/// The same table with its columns in another order.
fn turned(table: &Table) -> Table {
    let mut order: Vec<usize> = (0..table.schema().len()).collect();
    order.reverse();
    order.swap(3, 17);
    table.select_variables(&order).unwrap()
}

#[test]
fn the_order_of_columns_leaves_no_trace() {
    let table = mixed(400);
    let shuffled = turned(&table);
    for params in [
        quick(Profile::Hybrid),
        quick(Profile::Paper),
        StrengthSettings { literal_limit: 60, ..quick(Profile::Hybrid) },
    ] {
        assert!(json(&strengths(&table, &params)) == json(&strengths(&shuffled, &params)), "{params:?}");
    }
}

/// Settings under which tasks differ in everything they can: several models, permuted targets, a table shown in parts.
fn varied() -> [StrengthSettings; 2] {
    let votes = StrengthSettings { models: vec!["II".into(), "V".into()], ..quick(Profile::Paper) };
    let parts = StrengthSettings { literal_limit: 60, rounds: Some(2), ..quick(Profile::Hybrid) };
    [votes, StrengthSettings { null: true, null_rounds: Some(1), ..parts }]
}

fn through_json<T: serde::Serialize + serde::de::DeserializeOwned>(it: &T) -> T {
    serde_json::from_str(&serde_json::to_string(it).unwrap()).unwrap()
}

#[test]
fn where_and_when_a_task_is_done_leaves_no_trace() {
    let table = mixed(300);
    let elsewhere = turned(&table);
    for settings in varied() {
        let bench = Bench::new(&table, &settings, 1, &Unwatched).unwrap();
        let other = Bench::new(&elsewhere, &settings, 1, &Unwatched).unwrap();
        let mut tasks = bench.tasks();
        assert!(tasks.is_sorted() && tasks == other.tasks());
        let (mut stream, count) = (Stream::new(7, "order"), tasks.len());
        stream.choose(&mut tasks, count);
        let fit = |task: &Task| (through_json(task), through_json(&other.fit(&through_json(task)).unwrap()));
        let mut fits: Vec<(Task, Fit)> = tasks.iter().map(fit).collect();
        stream.choose(&mut fits, count);
        assert!(json(&bench.merge(fits).unwrap()) == json(&strengths(&table, &settings)), "{settings:?}");
    }
}

#[test]
fn the_company_of_a_task_leaves_no_trace() {
    let table = mixed(300);
    for settings in varied() {
        let bench = Bench::new(&table, &settings, 1, &Unwatched).unwrap();
        let expected = json(&strengths(&table, &settings));
        for seed in 0..2 {
            let mut stream = Stream::new(seed, "parts");
            let mut parts: [Vec<Task>; 3] = Default::default();
            bench.tasks().into_iter().for_each(|task| parts[stream.below(3) as usize].push(task));
            let fits = parts.into_iter().rev().flat_map(|part| bench.fit_all(part, &Unwatched).unwrap());
            assert!(json(&bench.merge(fits.collect()).unwrap()) == expected, "{settings:?}");
        }
    }
}

type Fits = Vec<(Task, Fit)>;

#[test]
fn fits_that_are_not_those_of_the_tasks_are_refused_by_name() {
    let table = sample(&embedded::network("asia").unwrap(), 100, 1);
    let settings = StrengthSettings { rounds: Some(2), epochs: Some(1), ..quick(Profile::Hybrid) };
    let bench = Bench::new(&table, &settings, 1, &Unwatched).unwrap();
    let fits = bench.fit_all(bench.tasks(), &Unwatched).unwrap();
    let refusal = |change: &dyn Fn(&mut Fits)| {
        let mut fits = fits.clone();
        change(&mut fits);
        bench.merge(fits).unwrap_err().to_string()
    };
    let third = "target 'bronc', model 0, round 0";
    assert!(refusal(&|f| drop(f.remove(2))).starts_with(&format!("{third}: its fit is missing")));
    assert!(refusal(&|f| f.push(f[2].clone())).starts_with(&format!("{third}: its fit is there twice")));
    assert!(refusal(&|f| f.clear()).starts_with("target 'asia', model 0, round 0: its fit is missing"));
    let task = || fits[2].0.clone();
    let foreign = [
        ("target 'nobody', model 0, round 0", Task { target: "nobody".into(), ..task() }),
        ("target 'bronc' permuted, model 0, round 0", Task { null: true, ..task() }),
        ("target 'bronc', model 1, round 0", Task { model: 1, ..task() }),
        ("target 'bronc', model 0, round 2", Task { round: 2, ..task() }),
    ];
    for (expected, task) in foreign {
        let text = refusal(&|f| f[2].0 = task.clone());
        assert!(text.starts_with(&format!("{expected}: this is no task")), "{text}");
        assert_eq!(bench.fit(&task).unwrap_err().to_string(), text);
    }
    // What a fit of a wider table names does not exist here.
    let wide = mixed(300);
    let wide_bench = Bench::new(&wide, &settings, 1, &Unwatched).unwrap();
    let wide_fit = wide_bench.fit(&wide_bench.tasks()[0]).unwrap();
    let text = refusal(&|f| f[2].1 = wide_fit.clone());
    assert!(text.starts_with(&format!("{third}: its fit is of another table")), "{text}");
}

#[test]
fn the_order_of_nominal_states_leaves_no_trace() {
    let table = sample(&embedded::network("child").unwrap(), 600, 2);
    let variables = table.schema().variables().iter();
    let turned =
        variables.map(|v| Variable { states: v.states.iter().rev().cloned().collect(), ..v.clone() });
    let turn = |v: usize| {
        let last = table.schema().cardinality(v) as u8 - 1;
        table.column(v).iter().map(|&code| last - code).collect()
    };
    let columns = (0..table.schema().len()).map(turn).collect();
    let other = Table::new(Schema::new(turned.collect()).unwrap(), columns).unwrap();
    let (a, b) = (strengths(&table, &quick(Profile::Hybrid)), strengths(&other, &quick(Profile::Hybrid)));
    for (a, b) in a.targets.iter().zip(&b.targets) {
        assert_eq!((&a.features, a.accuracy), (&b.features, b.accuracy));
    }
}

#[test]
fn instruction_sets_leave_no_trace() {
    let table = mixed(400);
    for profile in [Profile::Hybrid, Profile::Paper] {
        let on = |path| json(&strengths(&table, &StrengthSettings { path: Some(path), ..quick(profile) }));
        let portable = on(Path::Portable);
        for path in Path::ALL.into_iter().filter(|path| path.is_available()) {
            assert!(portable == on(path), "{path:?}");
        }
    }
}

#[test]
fn seeds_matter_and_results_are_remembered() {
    let table = mixed(300);
    let params = quick(Profile::Hybrid);
    let one = strengths(&table, &params);
    assert!(json(&one) != json(&seeded(&table, &params, 2)));
    let back: Strengths = serde_json::from_str(&json(&one)).unwrap();
    assert!(back == one);
    assert_eq!((one.seed, one.rows, one.version.as_str()), (1, 300, env!("CARGO_PKG_VERSION")));
}

#[test]
fn every_list_is_complete_ranked_and_sums_to_one() {
    let table = mixed(300);
    for rule in [StrengthRule::Gain, StrengthRule::Votes, StrengthRule::Sum] {
        for encoding in [LiteralRule::Scale, LiteralRule::Paper] {
            let params =
                StrengthSettings { strength: Some(rule), encoding, null: true, ..quick(Profile::Hybrid) };
            let result = strengths(&table, &params);
            assert_eq!(result.targets.len(), 27);
            assert!(result.targets.is_sorted_by(|a, b| a.name < b.name));
            for target in &result.targets {
                let expected = if target.fits == 0 { 0 } else { 26 };
                assert_eq!(target.features.len(), expected, "{}", target.name);
                assert!(target.features.iter().all(|f| f.name != target.name));
                assert!(target.features.is_sorted_by(|a, b| (b.strength, &a.name) <= (a.strength, &b.name)));
                let shares: f64 = target.features.iter().map(|f| f.share).sum();
                assert!((shares - 1.0).abs() < 1e-9 || shares == 0.0, "{shares}");
                let rates = target.features.iter().map(|f| f.hit_rate.unwrap());
                assert!(rates.clone().all(|rate| (0.0..=1.0).contains(&rate)));
                assert!(target.features.iter().all(|f| f.strength.is_finite() && f.null.unwrap() >= 0.0));
            }
        }
    }
}

/// A table of independent fair columns but for y = a xor b.
fn interaction(rows: usize, seed: u64) -> Table {
    let mut stream = Stream::new(seed, "interaction");
    let mut columns: Vec<Vec<u8>> =
        (0..8).map(|_| (0..rows).map(|_| stream.below(2) as u8).collect()).collect();
    columns.push((0..rows).map(|r| columns[0][r] ^ columns[1][r]).collect());
    let names = ["a", "b", "c", "d", "e", "f", "g", "h", "y"];
    let variables = names.iter().map(|n| Variable::new(*n, ["no", "yes"])).collect();
    Table::new(Schema::new(variables).unwrap(), columns).unwrap()
}

#[test]
fn interactions_are_found_and_told_in_words() {
    let result = strengths(&interaction(1500, 11), &StrengthSettings::default());
    for (target, others) in [("y", ["a", "b"]), ("a", ["b", "y"]), ("b", ["a", "y"])] {
        let target = result.target(target).unwrap();
        let mut first = [target.features[0].name.as_str(), target.features[1].name.as_str()];
        first.sort_unstable();
        assert_eq!(first, others, "for {}", target.name);
        assert!(target.signal());
        assert!(target.features[..2].iter().all(|f| f.share > 0.4 && f.hit_rate == Some(1.0)));
        assert!(target.accuracy.unwrap().mean > 0.95);
    }
    let y = result.target("y").unwrap();
    let best: Vec<String> = y.sentences.iter().take(4).map(|s| s.words("y")).collect();
    assert!(best.contains(&"y = yes when a = yes and b = no".to_string()), "{best:?}");
    let rule = y.sentences.iter().find(|s| s.words("y") == "y = yes when a = yes and b = no").unwrap();
    assert!(rule.precision == 1.0 && rule.support > 300 && rule.base < 0.6, "{rule:?}");
    assert!(result.bond("a", "y") > result.bond("a", "c"));
}

#[test]
fn noise_is_told_from_signal() {
    // 1 of 120 columns of noise in twenty tables when this was written: among 60, four are more than chance would bring.
    let signals = |seed: u64| {
        let result = strengths(&interaction(1500, seed), &StrengthSettings::default());
        ["c", "d", "e", "f", "g", "h"].iter().filter(|name| result.target(name).unwrap().signal()).count()
    };
    let found: usize = (11..=20).map(signals).sum();
    assert!(found <= 3, "{found} of 60 columns of noise");
}

#[test]
fn true_neighbours_come_first() {
    // Intervals over seeds: 60 of 60 top features of child were neighbours when this was written.
    let network = embedded::network("child").unwrap();
    let (mut top, mut chances) = (0, 0);
    for seed in 1..=3 {
        let table = sample(&network, 2000, seed);
        let result =
            seeded(&table, &StrengthSettings { rounds: Some(4), ..StrengthSettings::default() }, seed);
        for target in &result.targets {
            let place = |name: &str| network.schema().index(name).unwrap();
            chances += 1;
            top += usize::from(network.dag().adjacent(place(&target.name), place(&target.features[0].name)));
        }
    }
    assert!(top * 100 >= chances * 90, "{top} of {chances}");
}

#[test]
fn parity_networks_are_seen() {
    // Intervals over seeds: of the first two features of a child by chance every second would be in its Markov blanket.
    let (mut seen, mut chances) = (0, 0);
    for seed in 1..=3 {
        let network =
            noisy_xor(&XorParams { nodes: 15, triples: 0.0, ..XorParams::default() }, seed).unwrap();
        let table = sample(&network, 2500, seed);
        let result = seeded(&table, &StrengthSettings::default(), seed);
        let dag = network.dag();
        for child in (0..15).filter(|&c| !dag.parents(c).is_empty()) {
            let blanket = |name: &str| {
                let v = network.schema().index(name).unwrap();
                dag.adjacent(child, v) || dag.children(child).iter().any(|&c| dag.has(v, c))
            };
            let target = result.target(network.schema().name(child)).unwrap();
            chances += 2;
            seen += target.features[..2].iter().filter(|f| blanket(&f.name)).count();
        }
    }
    assert!(seen * 100 >= chances * 90, "{seen} of {chances}");
}

#[test]
fn wide_tables_are_shown_in_parts_and_still_read() {
    let table = interaction(1200, 11);
    // Room for 8 of 40 columns: the nine of the interaction, 31 fair coins and a noisy copy.
    let mut stream = Stream::new(3, "wide");
    let mut variables = table.schema().variables().to_vec();
    let mut columns: Vec<Vec<u8>> = (0..9).map(|v| table.column(v).to_vec()).collect();
    for i in 0..31 {
        variables.push(Variable::new(format!("coin{i}"), ["0", "1"]));
        columns.push((0..1200).map(|_| stream.below(2) as u8).collect());
    }
    variables.push(Variable::new("copy", ["no", "yes"]));
    columns.push(table.column(8).iter().map(|&y| if stream.below(10) == 0 { 1 - y } else { y }).collect());
    let wide = Table::new(Schema::new(variables).unwrap(), columns).unwrap();
    let result = strengths(
        &wide,
        &StrengthSettings { literal_limit: 16, rounds: Some(12), ..StrengthSettings::default() },
    );
    assert!(matches!(result.warnings[0], Warning::Restricted { literals: 41, limit: 8 }));
    let copy = result.target("copy").unwrap();
    assert_eq!(copy.features[0].name, "y", "the most informative column is always shown");
    assert_eq!(copy.features[0].fits, 12);
    // Four columns change from round to round: in 12 rounds every one of the others had its turn.
    assert!(copy.features.iter().all(|f| f.fits >= 1 && f.fits <= 12));
}

#[test]
fn poor_tables_are_answered_not_refused() {
    let variables = vec![
        Variable::new("constant", ["only"]),
        Variable::new("lonely", ["common", "once"]),
        Variable { has_missing_state: true, ..Variable::new("gaps", ["a", "missing"]) },
        Variable::new("coin", ["0", "1"]),
    ];
    let rows = 40;
    let mut lonely = vec![0; rows];
    lonely[7] = 1;
    let gaps = (0..rows).map(|r| (r % 2) as u8).collect();
    let coin = (0..rows).map(|r| (r % 3 == 0) as u8).collect();
    let table = Table::new(Schema::new(variables).unwrap(), vec![vec![0; rows], lonely, gaps, coin]).unwrap();
    for profile in [Profile::Hybrid, Profile::Paper] {
        for encoding in [LiteralRule::Scale, LiteralRule::Paper] {
            let result = strengths(&table, &StrengthSettings { encoding, ..of(profile) });
            for name in ["constant", "lonely", "gaps"] {
                assert!(result.warnings.contains(&Warning::NoList { target: name.into() }), "{name}");
                assert!(result.target(name).unwrap().features.is_empty());
            }
            assert_eq!(result.target("coin").unwrap().features.len(), 3);
        }
    }
    // Nothing but constants to learn from: not a single literal.
    let alone = strengths(&table.select_variables(&[0, 3]).unwrap(), &StrengthSettings::default());
    assert!(alone.warnings.contains(&Warning::NoList { target: "coin".into() }));
    assert!(!alone.target("coin").unwrap().signal());
    for poor in [table.select_variables(&[3]).unwrap(), table.select_rows(&[])] {
        assert!(matches!(
            measure(&poor, &StrengthSettings::default(), 1, &Unwatched),
            Err(Error::TooLittleData(_))
        ));
    }
}

#[test]
fn ensembles_vote() {
    let table = sample(&embedded::network("asia").unwrap(), 500, 1);
    for ensemble in [Ensemble::Paper5, Ensemble::Supply, Ensemble::Random] {
        let params = StrengthSettings {
            ensemble: Some(ensemble),
            rounds: Some(2),
            epochs: Some(1),
            ..of(Profile::Paper)
        };
        let result = strengths(&table, &params);
        assert_eq!(
            result.models.iter().map(|m| m.name.as_str()).collect::<Vec<_>>(),
            ["I", "II", "III", "IV", "V"]
        );
        assert_eq!(result.target("bronc").unwrap().fits, 10);
        // S = n/R + h: at most two, and the shares h of all features sum to one.
        let top = &result.target("bronc").unwrap().features[0];
        assert!(top.name == "dysp" && top.strength > 1.0 && top.strength <= 2.0, "{top:?}");
    }
    let some = StrengthSettings { models: vec!["II".into(), "V".into()], ..of(Profile::Paper) };
    assert_eq!(strengths(&table, &some).models.len(), 2);
}

#[derive(Default)]
struct Counter {
    planned: AtomicUsize,
    steps: AtomicUsize,
    patience: Option<usize>,
}

impl Watch for Counter {
    fn event(&self, event: Event) {
        match event {
            Event::Begin { steps, .. } => self.planned.fetch_add(steps as usize, Ordering::Relaxed),
            Event::Step { .. } => self.steps.fetch_add(1, Ordering::Relaxed),
            _ => 0,
        };
    }

    fn cancelled(&self) -> bool {
        self.patience.is_some_and(|most| self.steps.load(Ordering::Relaxed) >= most)
    }
}

#[test]
fn work_is_watched_and_can_be_called_off() {
    let table = sample(&embedded::network("asia").unwrap(), 300, 1);
    let counter = Counter::default();
    measure(&table, &StrengthSettings { null: true, ..quick(Profile::Hybrid) }, 1, &counter).unwrap();
    assert_eq!(counter.planned.load(Ordering::Relaxed), 8 * 3 * 2);
    assert_eq!(counter.steps.load(Ordering::Relaxed), 8 * 3 * 2);
    let impatient = Counter { patience: Some(5), ..Counter::default() };
    assert!(matches!(measure(&table, &quick(Profile::Hybrid), 1, &impatient), Err(Error::Cancelled)));
    assert!(impatient.steps.load(Ordering::Relaxed) < 24);
}

/// Calls the work off when asked for the hundredth time whether to go on.
struct Hasty(AtomicUsize);

impl Watch for Hasty {
    fn event(&self, event: Event) {
        assert!(!matches!(event, Event::Step { .. }), "no machine is ready so early");
    }

    fn cancelled(&self) -> bool {
        self.0.fetch_add(1, Ordering::Relaxed) >= 100
    }
}

#[test]
fn long_trainings_are_cut_between_their_epochs() {
    let table = sample(&embedded::network("asia").unwrap(), 100, 1).select_variables(&[2, 3]).unwrap();
    let settings = StrengthSettings { rounds: Some(1), epochs: Some(10_000), ..StrengthSettings::default() };
    let hasty = Hasty(AtomicUsize::new(0));
    assert!(matches!(measure(&table, &settings, 1, &hasty), Err(Error::Cancelled)));
}

/// A code is a byte, 255 means "missing": 255 states are the most there can be.
#[test]
fn as_many_states_as_there_can_be() {
    let states = (0..255).map(|k| format!("s{k:03}"));
    let variables = vec![Variable::new("many", states), Variable::new("half", ["low", "high"])];
    let rows = 255 * 8;
    let many: Vec<u8> = (0..rows).map(|r| (r % 255) as u8).collect();
    let half = many.iter().map(|&code| u8::from(code > 127)).collect();
    let table = Table::new(Schema::new(variables).unwrap(), vec![many, half]).unwrap();
    let found =
        strengths(&table, &StrengthSettings { rounds: Some(1), epochs: Some(1), ..quick(Profile::Hybrid) });
    assert_eq!(found.targets.len(), 2);
}

/// What a sentence says, counted row by row from its words alone.
#[test]
fn sentences_hold_where_their_words_do() {
    let states = ["A", "B", "C", "D", "missing"];
    let variables = vec![
        Variable { has_missing_state: true, ..Variable::new("boat", states) },
        Variable::new("crew", ["no", "yes", "maybe"]),
        Variable::new("survived", ["no", "yes"]),
    ];
    let rows = 1200;
    let mut stream = Stream::new(5, "boats");
    let boat: Vec<u8> = (0..rows).map(|_| [0, 1, 2, 3, 4, 4][stream.below(6) as usize]).collect();
    // Gaps without a state of their own, too.
    let truly: Vec<u8> = (0..rows).map(|_| stream.below(3) as u8).collect();
    let crew: Vec<u8> = truly.iter().map(|&c| if stream.below(5) == 0 { MISSING } else { c }).collect();
    let lives = |r: usize| boat[r] < 3 && truly[r] != 1;
    let survived: Vec<u8> = (0..rows).map(|r| u8::from(lives(r) != (stream.below(20) == 0))).collect();
    let table =
        Table::new(Schema::new(variables).unwrap(), vec![boat.clone(), crew.clone(), survived.clone()])
            .unwrap();
    // A rule under which no round is spared: four machines say more kinds of sentences than two that agree.
    let settings = StrengthSettings { strength: Some(StrengthRule::Sum), ..StrengthSettings::default() };
    let found = strengths(&table, &settings);
    let sentences = &found.target("survived").unwrap().sentences;
    let texts: Vec<&str> =
        sentences.iter().flat_map(|s| &s.when).map(|condition| condition.text.as_str()).collect();
    for expected in ["boat known and not D", "crew known and not yes"] {
        assert!(texts.contains(&expected), "{expected}: {texts:?}");
    }
    assert!(!texts.iter().any(|text| text.starts_with("not ")), "{texts:?}");
    let label = |name: &str, r: usize| match name {
        "boat" => states.get(usize::from(boat[r])).copied().filter(|&label| label != "missing"),
        _ => ["no", "yes", "maybe"].get(usize::from(crew[r])).copied(),
    };
    // One condition on one column and one of its states.
    let parts = |text: &str| -> Option<(String, String, bool)> {
        let split =
            |sign: &str| text.split_once(sign).map(|(name, state)| (name.to_string(), state.to_string()));
        let found = split(" known and not ").map(|(name, state)| (name, state, false));
        let found = found.or(split(" = ").map(|(name, state)| (name, state, true)))?;
        let plain = states.contains(&found.1.as_str()) || ["no", "yes", "maybe"].contains(&found.1.as_str());
        plain.then_some(found)
    };
    let holds = |condition: &str, r: usize| {
        let (name, state, is) = parts(condition).unwrap();
        label(&name, r).is_some_and(|own| (own == state) == is)
    };
    let known = |text: &str| parts(text).is_some();
    let mut compared = 0;
    for sentence in sentences {
        assert!(sentence.support > 0 && sentence.precision > sentence.base, "{sentence:?}");
        if sentence.when.iter().all(|c| known(&c.text)) {
            let support = (0..rows).filter(|&r| sentence.when.iter().all(|c| holds(&c.text, r))).count();
            assert_eq!(sentence.support, support, "{sentence:?}");
            compared += 1;
        }
    }
    assert!(compared > 0);
}
