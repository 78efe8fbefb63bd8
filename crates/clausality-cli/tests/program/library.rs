//! The law that holds the doors: program = library, byte for byte, over random settings.
//!
//! Settings are drawn at random and given to the program partly as options, partly in a configuration file; the library gets
//! the same as [`Settings`]. What the program leaves on disk and prints as JSON must be what the library makes. Only the seconds
//! are the program's own: they are read from its document.

use clausality::bn::io::Limits;
use clausality::bn::random::Stream;
use clausality::bn::sample;
use clausality::data::{self, Absent, Sheet, csv_cell};
use clausality::model::{self, FileFormat, Imputing, Loaded, Model, Reading, Rows};
use clausality::run::{Made, Run};
use clausality::settings::config_line;
use clausality::tell::{document, seal};
use clausality::{Bounds, Settings, Unwatched, embedded, learn_from, strengths_from};
use serde_json::{Map, Value, json};
use std::fs;
use std::path::Path;
use std::process::Command;

/// Runs the program in a folder; what it prints.
fn program(at: &Path, words: &[String]) -> Vec<u8> {
    let done = Command::new(env!("CARGO_BIN_EXE_clausality")).current_dir(at).args(words).output().unwrap();
    let errors = String::from_utf8_lossy(&done.stderr);
    assert!(done.status.success(), "{words:?}: {errors}");
    done.stdout
}

fn words(text: &str) -> Vec<String> {
    text.split(' ').map(String::from).collect()
}

/// A sample of a network as CSV text, with a column of numbers, one of dates and some gaps beside it.
fn table(name: &str, rows: usize, seed: u64) -> String {
    let table = sample(&embedded::network(name).unwrap(), rows, seed);
    let mut stream = Stream::new(seed, "beside it");
    let mut text: Vec<String> = table.schema().variables().iter().map(|v| csv_cell(&v.name)).collect();
    text.extend(["size", "day"].map(String::from));
    let mut lines = vec![text.join(",")];
    for row in 0..table.rows() {
        let label = |v: usize| table.schema().variable(v).states[usize::from(table.column(v)[row])].as_str();
        let mut cells: Vec<String> = (0..table.schema().len()).map(|v| csv_cell(label(v))).collect();
        let first = f64::from(table.column(0)[row]);
        cells.push(format!("{:.2}", first + 2.0 * stream.unit()));
        cells.push(format!("2024-{:02}-{:02}", 1 + stream.below(12), 1 + stream.below(28)));
        let gap = stream.below(40) as usize;
        if gap < cells.len() {
            cells[gap].clear();
        }
        lines.push(cells.join(","));
    }
    lines.join("\n") + "\n"
}

/// Random settings, by name: each stands here with some of its values.
fn random_settings(stream: &mut Stream) -> Map<String, Value> {
    let choices = [
        ("profile", json!(["hybrid", "paper"])),
        ("bins", json!([2, 3, 6, {"size": 3}, {"*": 2, "size": 6}])),
        ("cuts", json!([{"size": [0.5, 1.25]}])),
        ("levels", json!([{"xray": ["yes", "no"]}, {"smoke": ["yes", "no"]}])),
        ("discretize", json!(["quantile", "width", "mdl"])),
        ("missing", json!(["state", "drop"])),
        ("max-categories", json!([2, 3])),
        ("rows-held", json!([1000])),
        ("na", json!([["yes"], ["NA", "?"], {"smoke": ["yes"]}, {"*": ["no"], "size": ["0.50", "?"]}])),
        (
            "type",
            json!([{"day": "ignore"}, {"size": "categorical", "day": "date"}, {"day": "date:when,weekday"}]),
        ),
        ("parameter", json!([["smoke"], ["size", "asia"]])),
        ("unobserved", json!([["dysp"], ["day month"]])),
        ("require", json!([["bronc>xray"]])),
        ("forbid", json!([["smoke>lung", "lung>smoke"]])),
        ("tiers", json!([[["tub"], ["dysp", "xray"]]])),
        ("max-parents", json!([1, 2])),
        ("encoding", json!(["scale", "paper"])),
        ("strength", json!(["gain", "votes", "sum"])),
        ("null", json!([true])),
        ("rivals", json!([0, 5])),
        ("shadows", json!([0.0, 0.5])),
        ("balance", json!(["under", "none"])),
        ("samples", json!([50, 200])),
        ("clauses", json!([6, 20])),
        ("threshold", json!([5, 30])),
        ("specificity", json!([2.5])),
        ("literal-budget", json!([2, 4])),
        ("type-iii", json!([1.5, 200])),
        ("rounds", json!([1, 2])),
        ("epochs", json!([1, 2])),
        ("literal-limit", json!([16, 100])),
        ("assembler", json!(["paper", "hybrid", "hc", "tabu", "chow-liu", "pc", "mmhc"])),
        ("score", json!(["bdeu", "bic", "aic", "qnml", "fnml"])),
        ("features", json!([1, 3])),
        ("competing", json!(["total"])),
        ("cycles", json!(["dfs"])),
        ("alpha", json!([0.01])),
        ("restrict", json!([true])),
        ("weights", json!(["information"])),
        ("bootstrap", json!([2])),
        ("prior", json!(["backoff", "bdeu", "laplace"])),
        ("prior-weight", json!([0.5, 3.0])),
        ("seed", json!([2, 77])),
    ];
    let mut drawn = Map::new();
    for (name, values) in choices {
        let values = values.as_array().unwrap();
        let value = &values[stream.below(values.len() as u64) as usize];
        if stream.below(4) == 0 {
            drawn.insert(name.into(), value.clone());
        }
    }
    // One machine each, so that a case takes no time.
    drawn.entry("rounds").or_insert(json!(1));
    drawn.entry("epochs").or_insert(json!(1));
    drawn
}

/// A setting as options of the command line, where it is one of the simple kinds.
fn options(name: &str, value: &Value) -> Option<Vec<String>> {
    let option = format!("--{name}");
    Some(match value {
        Value::Bool(true) => vec![option],
        Value::Number(number) => vec![option, number.to_string()],
        Value::String(text) => vec![option, text.clone()],
        Value::Array(items) if name != "tiers" => {
            let items: Vec<&str> = items.iter().filter_map(Value::as_str).collect();
            match name {
                "require" | "forbid" => {
                    items.iter().flat_map(|arc| [option.clone(), arc.to_string()]).collect()
                }
                _ => vec![option, items.join(",")],
            }
        }
        Value::Object(fields) => {
            let text = |value: &Value| value.as_str().map_or(value.to_string(), String::from);
            let between = if name == "levels" { "<" } else { "," };
            let field = |(key, value): (&String, &Value)| match value {
                Value::Array(items) => {
                    format!("{key}={}", items.iter().map(text).collect::<Vec<_>>().join(between))
                }
                value => format!("{key}={}", text(value)),
            };
            fields.iter().flat_map(|entry| [option.clone(), field(entry)]).collect()
        }
        _ => return None,
    })
}

/// The same settings for the program: each as an option or in the file, as it comes.
fn given(at: &Path, settings: &Map<String, Value>, stream: &mut Stream) -> Vec<String> {
    let mut words = vec![];
    let mut config = String::new();
    for (name, value) in settings {
        match options(name, value).filter(|_| stream.below(2) == 0) {
            Some(said) => words.extend(said),
            None => config.push_str(&(config_line(name, value) + "\n")),
        }
    }
    fs::write(at.join("settings.toml"), config).unwrap();
    words.extend(self::words("--config settings.toml --quiet"));
    words
}

#[test]
fn learn_and_strengths() {
    let mut learned = 0;
    for seed in 1..=24 {
        let folder = tempfile::tempdir().unwrap();
        let at = folder.path();
        let mut stream = Stream::new(seed, "program = library");
        fs::write(at.join("t.csv"), table("asia", 150, seed)).unwrap();
        let fields = random_settings(&mut stream);
        let settings: Settings = serde_json::from_value(Value::Object(fields.clone())).unwrap();
        let words = given(at, &fields, &mut stream);
        let bounds = Bounds::default();
        let read = || data::read(at.join("t.csv"), &settings.by_profile().data, &bounds);
        let found = read().and_then(|dataset| learn_from(&dataset, &settings, &bounds, &Unwatched));
        let found = match found {
            Ok(found) => found,
            Err(error) => {
                // What the one refuses the other does, for the same reason.
                let line = [self::words("learn t.csv"), words].concat();
                let done = Command::new(env!("CARGO_BIN_EXE_clausality"))
                    .current_dir(at)
                    .args(&line)
                    .output()
                    .unwrap();
                let said = String::from_utf8_lossy(&done.stderr).into_owned();
                assert!(!done.status.success() && said.contains(&error.to_string()), "{said} {error}");
                continue;
            }
        };
        learned += 1;
        let printed = program(at, &[self::words("learn t.csv --run run --json"), words.clone()].concat());
        let told: Value = serde_json::from_slice(&printed).unwrap();
        let seconds = told["seconds"].as_f64().unwrap();
        let mut run = Run::new(&found, Made { table: "t.csv".into(), seconds, ..Made::default() });
        let made = seal(&mut run, &found).unwrap();
        assert!(document(&run) == printed, "seed {seed}: {fields:?}");
        assert_eq!(fs::read_dir(at.join("run")).unwrap().count(), made.len(), "seed {seed}");
        for (name, bytes) in made {
            assert!(fs::read(at.join("run").join(name)).unwrap() == bytes, "{name}, seed {seed}: {fields:?}");
        }

        // Strengths take no word about the network.
        let about_network = ["assembler", "score", "features", "competing", "cycles", "alpha", "restrict"];
        let about_network = [&about_network[..], &["weights", "bootstrap", "prior", "prior-weight"]].concat();
        let mut fields = fields;
        fields.retain(|name, _| !about_network.contains(&name.as_str()));
        let settings: Settings = serde_json::from_value(Value::Object(fields.clone())).unwrap();
        let words = given(at, &fields, &mut stream);
        let dataset = data::read(at.join("t.csv"), &settings.by_profile().data, &bounds).unwrap();
        let strengths = strengths_from(&dataset, &settings, &Bounds::default(), &Unwatched).unwrap();
        let printed = program(at, &[self::words("strengths t.csv --json"), words].concat());
        assert!(document(&strengths) == printed, "strengths, seed {seed}: {fields:?}");
    }
    assert!(learned >= 12, "most settings go together: {learned}");
}

#[test]
fn fit_query_predict_and_score() {
    for seed in 1..=6 {
        let folder = tempfile::tempdir().unwrap();
        let at = folder.path();
        let mut stream = Stream::new(seed, "asking");
        // Enough rows for a visit to Asia, which a fitted structure needs.
        fs::write(at.join("t.csv"), table("asia", 800, seed)).unwrap();
        fs::write(at.join("g.dot"), "digraph g { smoke -> lung; lung -> xray; size -> asia; }").unwrap();
        let mut fields = random_settings(&mut stream);
        let fitting = ["bins", "discretize", "max-categories", "prior", "prior-weight"];
        fields.retain(|name, _| fitting.contains(&name.as_str()));
        let settings: Settings = serde_json::from_value(Value::Object(fields.clone())).unwrap();
        let bounds = Bounds::default();
        let structure = if seed % 2 == 0 { "@asia" } else { "g.dot" };
        let loaded = match structure {
            "@asia" => Loaded::read(Path::new("@asia"), &Limits::default()).unwrap(),
            // Named as the program names it, which runs there.
            _ => match Loaded::read(&at.join("g.dot"), &Limits::default()).unwrap() {
                Loaded::Graph { structure, name, .. } => {
                    Loaded::Graph { structure, name, source: "g.dot".into() }
                }
                other => other,
            },
        };
        let input = data::Input::csv(fs::File::open(at.join("t.csv")).unwrap(), "t.csv");
        let fitted = model::fit(&loaded, input, &settings, &bounds).unwrap();
        let line = words(&format!("fit {structure} t.csv -o net.json --json"));
        let printed = program(at, &[line, given(at, &fields, &mut stream)].concat());
        assert!(document(&fitted.document(&["net.json".into()])) == printed, "fit, seed {seed}: {fields:?}");
        let bytes =
            FileFormat::of(Path::new("net.json")).unwrap().write(&Loaded::Model(fitted.model)).unwrap();
        assert!(fs::read(at.join("net.json")).unwrap() == bytes, "fit's file, seed {seed}: {fields:?}");

        let kept = Model::read(&at.join("net.json"), &Limits::default()).unwrap();
        let kept = Model { source: "net.json".into(), ..kept };
        let schema = kept.network.schema();
        let lung = model::node(schema, "lung").unwrap();
        let evidence = kept.evidence(&[("smoke", "yes")], &[("xray", "no")]).unwrap();
        let question = kept.question(vec![lung], evidence);
        for (extra, answer) in [
            ("", question.posterior(false).unwrap()),
            (" --samples 500 --seed 3", question.estimate(500, 3, &Unwatched).unwrap()),
            (" --mpe", question.most_probable().unwrap()),
        ] {
            let line = format!("query net.json --target lung --given smoke=yes --do xray=no --json{extra}");
            assert!(document(&answer) == program(at, &words(&line)), "query{extra}, seed {seed}");
        }

        let input = data::Input::csv(fs::File::open(at.join("t.csv")).unwrap(), "t.csv");
        let rows = Rows::read(&kept, input, &Reading::default(), Absent::Refuse, &bounds).unwrap();
        let predicted = kept.predict(lung, &rows, None, &Bounds::default(), &Unwatched).unwrap();
        let line = words("predict net.json t.csv --target lung --json --quiet");
        assert!(document(&predicted.document(None)) == program(at, &line), "predict, seed {seed}");
        let mut csv = vec![];
        predicted.csv(&mut csv).unwrap();
        let line = words("predict net.json t.csv --target lung --quiet");
        assert!(csv == program(at, &line), "predict's rows, seed {seed}");

        let sheet = Sheet::read(at.join("t.csv"), None, &bounds).unwrap();
        let how = Imputing { draws: [None, Some(2)][(seed % 2) as usize], seed: 3, ..Imputing::default() };
        let filled = kept.impute(&sheet, &Reading::default(), how, &bounds, &Unwatched).unwrap();
        let draws = if seed % 2 == 1 { " --draws 2" } else { "" };
        let mut csv = vec![];
        filled.write(&mut csv).unwrap();
        let line = words(&format!("impute net.json t.csv --seed 3 --quiet{draws}"));
        assert!(csv == program(at, &line), "impute, seed {seed}");

        let scored = kept.score(&rows, &Bounds::default()).unwrap();
        let line = words("score net.json t.csv --top 4 --ess 2 --json -o surprise.csv --quiet");
        assert!(document(&scored.document(4, 2.0).unwrap()) == program(at, &line), "score, seed {seed}");
        let mut csv = vec![];
        scored.csv(&mut csv).unwrap();
        assert!(fs::read(at.join("surprise.csv")).unwrap() == csv, "score's rows, seed {seed}");
    }
}
