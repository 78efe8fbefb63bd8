//! `query` and `predict` as people and scripts meet them, and the page about them.

use crate::ran::stderr;
use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use tempfile::TempDir;

pub(crate) fn clausality(folder: &TempDir, args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_clausality"));
    command.args(args).current_dir(folder.path()).stdin(Stdio::null());
    command.env("COLUMNS", "80").env_remove("NO_COLOR").output().unwrap()
}

#[track_caller]
pub(crate) fn good(folder: &TempDir, args: &[&str]) -> String {
    let output = clausality(folder, args);
    assert!(output.status.success(), "{args:?}: {}", stderr(&output));
    let text = String::from_utf8(output.stdout).unwrap();
    if !args.contains(&"--json") {
        for line in text.lines() {
            assert!(line.chars().count() <= 80, "wider than 80 columns: {line}");
        }
    }
    text
}

#[track_caller]
pub(crate) fn json(folder: &TempDir, args: &[&str]) -> Value {
    serde_json::from_str(&good(folder, &[args, &["--json"]].concat())).unwrap()
}

/// The one `error:` line.
#[track_caller]
fn bad(folder: &TempDir, args: &[&str], code: i32) -> String {
    let output = clausality(folder, args);
    let text = stderr(&output);
    assert_eq!(output.status.code(), Some(code), "{args:?}: {text}");
    assert!(output.stdout.is_empty());
    let errors: Vec<&str> = text.lines().filter(|line| !line.starts_with("warning: ")).collect();
    assert_eq!(errors.len(), 1, "{text}");
    errors[0].strip_prefix("error: ").unwrap().to_string()
}

fn near(found: &Value, want: f64) -> bool {
    found.as_f64().is_some_and(|found| (found - want).abs() < 1e-9)
}

/// Splits a line as a shell does: at blanks outside single quotes.
fn words(line: &str) -> Vec<String> {
    let (mut words, mut word, mut quoted) = (vec![], String::new(), false);
    for c in line.chars() {
        match c {
            '\'' => quoted = !quoted,
            ' ' if !quoted => words.push(std::mem::take(&mut word)),
            c => word.push(c),
        }
    }
    words.push(word);
    words
}

/// Runs the commands of a page in its order, in a folder with the files that it shows as `worth.csv` and `worth.toml`; what stands below a
/// command must be what it prints. Tells how many there are.
fn run_page(name: &str, folder: &TempDir) -> usize {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs").join(name);
    let page = fs::read_to_string(page).unwrap();
    let mut last = String::new();
    let mut commands = 0;
    let mut block = None;
    for line in page.lines() {
        match (block, line) {
            (None, "```text") => {
                block = Some("text");
                assert!(page.contains(last.trim_end()), "the page shows something else than\n{last}");
            }
            (None, line) => block = line.strip_prefix("```"),
            (Some(_), "```") => block = None,
            (Some("sh"), line) => {
                let words = words(line);
                assert_eq!(words[0], "clausality", "{line}");
                let args: Vec<&str> = words[1..].iter().map(String::as_str).collect();
                last = good(folder, &args);
                commands += 1;
            }
            (Some(ending @ ("csv" | "toml")), line) => {
                let file = folder.path().join(format!("worth.{ending}"));
                let before = fs::read_to_string(&file).unwrap_or_default();
                fs::write(file, format!("{before}{line}\n")).unwrap();
            }
            _ => {}
        }
    }
    commands
}

#[test]
fn the_commands_of_the_page_work_in_its_order() {
    let folder = tempfile::tempdir().unwrap();
    let commands = run_page("ask-a-network.md", &folder);
    assert!(commands >= 12, "only {commands} commands found");
    assert!(fs::read_to_string(folder.path().join("predicted.csv")).unwrap().lines().count() == 5001);
}

#[test]
fn the_commands_of_the_page_about_decisions_work_in_its_order() {
    let folder = tempfile::tempdir().unwrap();
    let commands = run_page("decisions.md", &folder);
    assert!(commands >= 12, "only {commands} commands found");
    // Both files of the page say the same.
    let ask = |file: &str| json(&folder, &["query", "@asia", "--utility", file])["decision"].clone();
    assert_eq!(ask("worth.csv"), ask("worth.toml"));
}

#[test]
fn the_commands_of_the_page_about_seattle_work_in_its_order() {
    let folder = tempfile::tempdir().unwrap();
    let table = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/data/seattle-weather.csv");
    fs::copy(table, folder.path().join("seattle-weather.csv")).unwrap();
    let commands = run_page("seattle.md", &folder);
    assert!(commands >= 9, "only {commands} commands found");
    let picture = fs::read_to_string(folder.path().join("seattle.svg")).unwrap();
    assert!(picture.contains("weather ↺ 1") && picture.contains("class=\"cl-lag\""), "{picture}");
    // What the page says of it: one step ahead the network is worth more than "as last time".
    let run: Value =
        serde_json::from_slice(&fs::read(folder.path().join("seattle/run.json")).unwrap()).unwrap();
    let ahead = run["time"]["ahead"]["processes"].as_array().unwrap();
    let worth = |kind: &str| ahead.iter().map(|of| of[kind]["log_loss"].as_f64().unwrap()).sum::<f64>();
    assert!(ahead.len() == 5 && worth("ours") < 0.9 * worth("last"), "{} {}", worth("ours"), worth("last"));
    assert!(worth("last") < worth("season"));
    let report = fs::read_to_string(folder.path().join("seattle/report.html")).unwrap();
    assert!(report.contains("One step ahead") && report.contains("Step by step"));
}

#[test]
fn answers_have_the_keys_that_scripts_read() {
    let folder = tempfile::tempdir().unwrap();
    let ask = |args: &[&str]| json(&folder, &[&["query", "@asia"], args].concat());
    let one = ask(&["--target", "lung", "--given", "xray=yes,smoke=yes"]);
    assert_eq!(one["target"], "lung");
    assert_eq!(one["evidence"], serde_json::json!({ "smoke": "yes", "xray": "yes" }));
    // By hand: see the textbook test of the library.
    let either = 0.1 + 0.0104 - 0.1 * 0.0104;
    let xray = 0.98 * either + 0.05 * (1.0 - either);
    assert!(near(&one["posterior"]["yes"], 0.098 / xray) && near(&one["evidence_probability"], 0.5 * xray));
    let two = ask(&["-t", "lung,tub", "-g", "asia=yes", "--joint"]);
    assert!(near(&two["posterior"]["tub"]["yes"], 0.05) && near(&two["posterior"]["lung"]["no"], 0.945));
    let joint = two["joint"].as_array().unwrap();
    assert_eq!(joint.len(), 4);
    assert!(near(&joint[0]["probability"], 0.055 * 0.05), "{joint:?}");
    assert_eq!(joint[1]["states"], serde_json::json!({ "lung": "yes", "tub": "no" }));
    let done = ask(&["--target", "lung", "--do", "xray=yes"]);
    assert!(near(&done["posterior"]["yes"], 0.055) && near(&done["evidence_probability"], 1.0));
    assert_eq!(done["do"]["xray"], "yes");
    let report = ask(&["--target", "bronc", "--likely", "bronc=yes:3,no:1"]);
    assert!(near(&report["posterior"]["yes"], 3.0 * 0.45 / (3.0 * 0.45 + 0.55)));
    let story = ask(&["--mpe", "--given", "lung=yes,smoke=yes"]);
    assert_eq!(story["most_probable"]["either"], "yes");
    assert!(story["probability"].as_f64().unwrap() < 1.0);
    let rough = ask(&["--target", "lung", "--given", "smoke=yes", "--samples", "20000", "--seed", "5"]);
    let (p, e) =
        (rough["posterior"]["yes"].as_f64().unwrap(), rough["standard_error"]["yes"].as_f64().unwrap());
    assert!((p - 0.1).abs() < 5.0 * e && e < 0.005, "{p} {e}");
}

#[test]
fn what_cannot_be_answered_is_told_in_one_line() {
    let folder = tempfile::tempdir().unwrap();
    let ask = |args: &[&str], code| bad(&folder, &[&["query", "@asia"], args].concat(), code);
    for (args, part) in [
        (&["--target", "lnug"][..], "no node 'lnug'; did you mean 'lung'?"),
        (&["--target", "lung", "--given", "xray=yess"], "did you mean 'yes'?"),
        (&["--target", "lung", "--given", "xray"], "expected NODE=STATE"),
        (&["--target", "lung,lung"], "asked for twice"),
        (&["--target", "lung", "--given", "xray=yes", "--do", "xray=no"], "two pieces of evidence"),
        (
            &["--target", "lung", "--given", "either=no,smoke=yes,tub=yes"],
            "evidence has probability 0: tub = yes and either = no cannot happen together",
        ),
        (&["--mpe", "--given", "either=no,tub=yes"], "evidence has probability 0"),
        (
            &["--target", "lung", "--given", "either=no,tub=yes", "--samples", "100"],
            "none of the 100 samples",
        ),
        (&["--target", "lung", "--samples", "0"], "at least 1"),
        (&["--target", "lung", "--likely", "xray=yes:0,no:0"], "likelihood 0"),
        (&[], "--target"),
    ] {
        let message = ask(args, 2);
        assert!(message.contains(part), "{args:?}: {message}");
    }
    let message = bad(&folder, &["query", "@diabetes", "--target", "bg_24", "--memory-limit", "100K"], 3);
    assert!(message.contains("100 KiB") && message.contains("cells"), "{message}");
    let big: String =
        (0..40).map(|i| format!("variable v{i} {{ type discrete [ 2 ] {{ a, b }}; }}\n")).collect();
    let roots: String = (0..40).map(|i| format!("probability ( v{i} ) {{ table 0.5, 0.5; }}\n")).collect();
    fs::write(folder.path().join("big.bif"), big + &roots).unwrap();
    let all: Vec<String> = (0..40).map(|i| format!("v{i}")).collect();
    let message = bad(&folder, &["query", "big.bif", "--joint", "--target", &all.join(",")], 3);
    for part in ["1099511627776 cells", "8 TiB", "384 MiB", "--samples N"] {
        assert!(message.contains(part), "{part}: {message}");
    }
}

#[test]
fn tables_are_predicted_row_by_row() {
    let folder = tempfile::tempdir().unwrap();
    let put = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    put(
        "rows.csv",
        "smoke,xray,lung,tub,either,bronc\nyes,yes,yes,,,no\nno,?,no,no,no,odd\nyes,no,,yes,no,no\n",
    );
    let text = good(&folder, &["predict", "@asia", "rows.csv", "--target", "lung", "-o", "out.csv"]);
    let lines: Vec<String> =
        fs::read_to_string(folder.path().join("out.csv")).unwrap().lines().map(String::from).collect();
    assert_eq!(lines[0], "row,prediction,probability,P(yes),P(no),actual");
    assert_eq!(lines[2], "2,no,1,0,1,no");
    assert_eq!(lines[3], "3,,,,,", "tub=yes with either=no is impossible");
    let first: Vec<&str> = lines[1].split(',').collect();
    let given = ["query", "@asia", "--target", "lung", "--given", "smoke=yes,xray=yes,bronc=no"];
    let alone = json(&folder, &given);
    assert_eq!(first[1], "yes");
    assert!(near(&alone["posterior"]["yes"], first[3].parse().unwrap()), "{first:?} {alone}");
    assert!(text.contains("accuracy") && text.contains("1.0000 (2 of 2)"), "{text}");
    let document = json(&folder, &["predict", "@asia", "rows.csv", "--target", "lung"]);
    assert_eq!((&document["rows"], &document["impossible_rows"]), (&3.into(), &1.into()));
    assert_eq!(document["absent_columns"], serde_json::json!(["asia", "dysp"]));
    assert_eq!(document["unknown_cells"]["bronc"], 1);
    assert_eq!(document["missing_cells"]["tub"], 1);
    assert_eq!(document["predictions"][1], serde_json::json!(["no", [0.0, 1.0]]));
    assert_eq!(document["predictions"][2], Value::Null);
    put("other.csv", "a,b\n1,2\n");
    assert!(
        bad(&folder, &["predict", "@asia", "other.csv", "--target", "lung"], 2)
            .contains("no column is a node")
    );
    assert!(
        bad(&folder, &["predict", "@asia", "rows.csv", "--target", "lnug"], 2)
            .contains("did you mean 'lung'?")
    );
    assert!(!folder.path().join("never.csv").exists());
}

/// Nothing that was asked for is left out without a word.
#[test]
fn an_option_that_takes_a_list_may_be_given_again() {
    let folder = TempDir::new().unwrap();
    good(&folder, &["sample", "@asia", "-n", "300", "--seed", "1", "-o", "rows.csv"]);
    for line in ["query @asia", "predict @asia rows.csv"] {
        let ask = |targets: &[&str]| {
            let output = clausality(&folder, &[&line.split(' ').collect::<Vec<_>>(), targets].concat());
            String::from_utf8(output.stdout).unwrap()
        };
        let once = ask(&["--target", "lung,bronc"]);
        assert!(once.contains("lung") && once.contains("bronc"), "{once}");
        assert_eq!(once, ask(&["--target", "lung", "-t", "bronc"]));
    }
    assert!(bad(&folder, &["query", "@asia", "-t", "lung", "-t", "lung"], 2).contains("'lung'"));
    assert!(bad(&folder, &["predict", "@asia", "rows.csv"], 2).contains("--target"));
    // A name with a comma is one name.
    let rows = "\"up, down\",x\n".to_string() + &"a,1\nb,2\na,1\nb,2\na,2\n".repeat(30);
    fs::write(folder.path().join("comma.csv"), rows).unwrap();
    let line = ["evaluate", "comma.csv", "--target", "\"up, down\"", "--target", "x", "--folds", "2"];
    let found = json(&folder, &line);
    let names: Vec<&str> =
        found["targets"].as_array().unwrap().iter().map(|t| t["target"].as_str().unwrap()).collect();
    assert_eq!(names, ["up, down", "x"]);
}

/// Numbers with gaps, a date and a text: states of every sort.
fn customers() -> String {
    let mut text = String::from("Age,Joined,Plan,Left\n");
    for r in 0..600usize {
        let age = 18 + r * 37 % 61;
        let shown = if r % 13 == 0 { String::new() } else { age.to_string() };
        let left = if (age > 44) != (r % 17 == 0) { "yes" } else { "no" };
        let plan = ["basic, old", "full"][r * 7 % 5 / 3];
        let (month, day) = (1 + r * 5 % 12, 1 + r * 11 % 28);
        text.push_str(&format!("{shown},2023-{month:02}-{day:02},\"{plan}\",{left}\n"));
    }
    text
}

#[test]
fn a_run_reads_its_own_sample_and_takes_values_for_states() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("customers.csv"), customers()).unwrap();
    good(&folder, &["learn", "customers.csv", "--run", "run", "-q"]);
    good(&folder, &["sample", "run", "-n", "100", "-o", "drawn.csv", "-q"]);
    for (args, rows) in [
        (&["fit", "run", "drawn.csv", "-o", "again.json"][..], "rows"),
        (&["score", "run", "drawn.csv"], "scored_rows"),
    ] {
        assert_eq!(json(&folder, args)[rows], 100, "{args:?}");
    }
    let predicted = good(&folder, &["predict", "run", "drawn.csv", "--target", "Left"]);
    assert_eq!(predicted.lines().count(), 101);

    let ask = |given: &str| json(&folder, &["query", "run", "--target", "Left", "--given", given]);
    let by_value = ask("Age=60,Joined month=2024-03-01");
    let label = by_value["evidence"]["Age"].as_str().unwrap();
    assert!(label != "60" && by_value["posterior"]["yes"].as_f64().unwrap() > 0.5, "{by_value}");
    assert_eq!(by_value, ask(&format!("\"Joined month\"=Mar,Age={label}")));
    let wrong = |model: &str, given: &str| bad(&folder, &["query", model, "-t", "Left", "-g", given], 2);
    let message = wrong("run/network.bif", "Age=60");
    assert!(message.contains(label) && message.contains("keeps no cut points"), "{message}");
    assert!(wrong("run", "Age=old").contains("no state 'old'"));

    // A range of everything known, all states of a node: nothing new.
    let bare = json(&folder, &["query", "run", "--target", "Left"]);
    let same = |one: &Value, two: &Value| {
        let yes = |answer: &Value| answer["posterior"]["yes"].as_f64().unwrap();
        (yes(one) - yes(two)).abs() < 1e-9
    };
    assert!(same(&bare, &ask("Age>=0")) && same(&bare, &ask("\"Plan\"=basic, old|full")));
    let old = ask("Age>=60");
    assert!(old["posterior"]["yes"].as_f64() > bare["posterior"]["yes"].as_f64(), "{old}");
    let text = good(&folder, &["query", "run", "-t", "Left", "-g", "Age<40,Plan=full"]).replace('\n', " ");
    assert!(text.contains("given Age in [") && text.contains("(about ") && text.contains("of it)"), "{text}");
    assert!(wrong("run", "Plan=full|half").contains("no state 'half'"));
}

#[test]
fn an_intervention_names_the_arcs_it_takes_on_trust() {
    let folder = TempDir::new().unwrap();
    let text = good(&folder, &["query", "@asia", "--target", "bronc", "--do", "smoke=yes"]);
    assert!(text.contains("directs smoke - lung, smoke - bronc\n"), "{text}");
    assert!(text.contains("over 3 graphs") && text.contains("0.4500 … 0.6000"), "{text}");
    assert!(!text.contains("the evidence has probability"), "{text}");
    // Every arc of `either` is compelled, and to look is not to act.
    for asked in [["--do", "either=yes"], ["--given", "smoke=yes"]] {
        let text = good(&folder, &[&["query", "@asia", "--target", "xray"][..], &asked].concat());
        assert!(!text.contains("directs") && !text.contains(" … "), "{text}");
    }
    let text = good(&folder, &["query", "@asia", "--mpe", "--do", "smoke=yes"]);
    assert!(text.contains("what data alone cannot direct: smoke - lung, smoke - bronc\n"), "{text}");
    let wide = json(&folder, &["query", "@asia", "--target", "bronc", "--do", "smoke=yes"]);
    assert!(near(&wide["low"]["yes"], 0.45) && near(&wide["high"]["yes"], 0.6), "{wide}");
    assert_eq!(wide["open"][0], serde_json::json!({ "parent": "smoke", "child": "lung" }));
    let sure = json(&folder, &["query", "@asia", "--target", "xray", "--do", "either=yes"]);
    assert!(sure["low"] == sure["posterior"] && sure["high"] == sure["posterior"], "{sure}");
    assert_eq!(sure["open"], serde_json::json!([]));
    assert!(json(&folder, &["query", "@asia", "--target", "xray"]).get("low").is_none());
}

/// Rules of the run direct what its data cannot, also where only its network is at hand.
#[test]
fn a_run_knows_its_rules_when_it_is_asked_what_an_action_does() {
    let folder = TempDir::new().unwrap();
    good(&folder, &["sample", "@asia", "-n", "3000", "--seed", "1", "-o", "rows.csv"]);
    for (run, more) in [("free", &[][..]), ("ruled", &["--parameter", "smoke"])] {
        let learn = ["learn", "rows.csv", "--run", run, "--quiet"];
        good(&folder, &[&learn[..], more].concat());
    }
    let ask = |model: &str| json(&folder, &["query", model, "--target", "bronc", "--do", "smoke=yes"]);
    let (free, ruled) = (ask("free"), ask("ruled"));
    assert!(free["low"]["yes"].as_f64().unwrap() + 0.05 < free["high"]["yes"].as_f64().unwrap(), "{free}");
    assert!(ruled["low"] == ruled["posterior"] && ruled["members"] == 1, "{ruled}");
    assert_eq!(ask("ruled/network.json")["low"], ruled["low"]);
    // What the rows alone direct, of tuberculosis and cancer into either, is no proof; where it was learned again that is seen in a band.
    let done = |model: &str| good(&folder, &["query", model, "--target", "xray", "--do", "either=yes"]);
    let rests = "do() rests on directions that these rows gave";
    assert!(done("free").contains(rests) && !done("@asia").contains(rests), "{}", done("free"));
    fs::write(folder.path().join("worth.csv"), "xray,either,utility,cost\nyes,,1,\n,yes,,0.1\n").unwrap();
    let worth = |model: &str| good(&folder, &["query", model, "--utility", "worth.csv"]);
    let rests_too = "What actions are worth rests on directions";
    assert!(worth("free").contains(rests_too) && !worth("@asia").contains(rests_too), "{}", worth("free"));
    // What a table does not have is not tested, and not passed over.
    fs::write(folder.path().join("less.csv"), "smoke,lung,xray\nyes,no,no\nno,no,yes\n").unwrap();
    let output = clausality(&folder, &["test", "@asia", "less.csv"]);
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(told.contains("no column for 5 nodes, of which nothing is tested: 'asia', "), "{told}");
    let learn = ["learn", "rows.csv", "--rounds", "1", "--quiet"];
    let printed = good(&folder, &learn);
    assert!(printed.contains("no proof of what causes\nwhat: --bootstrap 100"), "{printed}");
    let printed = good(&folder, &[&learn[..], &["--run", "again", "--bootstrap", "5"]].concat());
    assert!(!printed.contains("no proof") && !done("again").contains(rests), "{printed}");
    // What an action is worth has the same two bands as what it does: here it is worth what its effect is.
    fs::write(folder.path().join("one.csv"), "xray,either,utility,cost\nyes,,1,\n,yes,,0\n").unwrap();
    let effect = json(&folder, &["query", "again", "--target", "xray", "--do", "either=yes"]);
    let decided = json(&folder, &["query", "again", "--utility", "one.csv"])["decision"].clone();
    let action = &decided["actions"][1];
    for (worth, effect) in [
        (&action["expected"], &effect["posterior"]["yes"]),
        (&action["low"], &effect["low"]["yes"]),
        (&action["high"], &effect["high"]["yes"]),
        (&action["replicates"]["low"], &effect["replicates"]["low"]["yes"]),
        (&action["replicates"]["high"], &effect["replicates"]["high"]["yes"]),
    ] {
        assert!(near(worth, effect.as_f64().unwrap()), "{action} {effect}");
    }
    assert!(action["replicates"]["low"].as_f64() < action["low"].as_f64(), "{action}");
    let again = &decided["replicates"];
    assert!(again["rounds"] == 5 && again["draws"] == 200 && again["best"].as_f64() > Some(0.9), "{again}");
    let told = worth("again");
    assert!(told.contains("again: what the rows leave open") && !told.contains(rests_too), "{told}");
    let told = json(&folder, &["query", "free", "--target", "either", "--next"]);
    assert!(told["next"][0]["information"].as_f64().unwrap() > 0.0, "{told}");
}

#[test]
fn what_helps_to_decide_has_the_keys_that_scripts_read() {
    let folder = TempDir::new().unwrap();
    let ask = |args: &[&str]| json(&folder, &[&["query", "@asia"], args].concat());
    let target = ["--target", "lung", "--given", "dysp=yes,smoke=yes"];
    let all =
        ask(&[&target[..], &["--next", "--cost", "xray=2,bronc=0.5", "--why", "--tornado", "--sensitivity"]]
            .concat());
    let next = all["next"].as_array().unwrap();
    assert_eq!(next.len(), 5);
    let xray = next.iter().find(|ask| ask["node"] == "xray").unwrap();
    assert!(near(&xray["per_cost"], xray["information"].as_f64().unwrap() / 2.0) && xray["cost"] == 2.0);
    assert!(next.is_sorted_by(|a, b| a["per_cost"].as_f64() >= b["per_cost"].as_f64()));
    // What the findings did adds up to what happened.
    let why = &all["why"];
    let sum: f64 =
        why["findings"].as_array().unwrap().iter().map(|f| f["push"]["yes"].as_f64().unwrap()).sum();
    assert!(near(&why["after"]["yes"], why["before"]["yes"].as_f64().unwrap() + sum));
    assert!(why["after"] == all["posterior"] && near(&why["before"]["yes"], 0.055), "{why}");
    let swing = &all["tornado"][0];
    let seen = format!(
        "dysp=yes,smoke=yes,{}={}",
        swing["node"].as_str().unwrap(),
        swing["high"]["given"].as_str().unwrap()
    );
    let there = ask(&["--target", "lung", "--given", &seen]);
    let state = swing["state"].as_str().unwrap();
    assert!(near(&there["posterior"][state], swing["high"]["probability"].as_f64().unwrap()), "{swing}");
    let number = &all["sensitivity"][0];
    assert!(number["value"].is_number() && number["slope"]["yes"].is_number() && number["given"].is_object());
    let text = good(
        &folder,
        &[&["query", "@asia"], &target[..], &["--next", "--why", "--tornado", "--sensitivity"]].concat(),
    );
    for heading in ["What to ask next", "Why: ", "Tornado: ", "Sensitivity: "] {
        assert!(text.contains(heading), "{text}");
    }
    for (args, code, why) in [
        (&["--target", "lung,tub", "--next"][..], 2, "one target"),
        (&["--target", "lung", "--given", "lung=yes", "--why"], 2, "its state is known"),
        (&["--target", "lung", "--next", "--cost", "xray=0"], 2, "above 0"),
        (&["--target", "lung", "--next", "--cost", "xrya=1"], 2, "did you mean 'xray'"),
        (&["--target", "lung", "--next", "--cost", "xray"], 2, "NODE=NUMBER"),
    ] {
        let error = bad(&folder, &[&["query", "@asia"], args].concat(), code);
        assert!(error.contains(why), "{error}");
    }
    let alarm = "CVP=LOW,PCWP=LOW,HISTORY=TRUE,TPR=LOW,BP=LOW,CO=LOW,HRBP=LOW,HREKG=LOW,HRSAT=LOW,PAP=LOW,SAO2=LOW,FIO2=LOW,PRESS=LOW";
    let error = bad(&folder, &["query", "@alarm", "--target", "LVFAILURE", "--given", alarm, "--why"], 3);
    assert!(error.contains("13 findings"), "{error}");
}

#[test]
fn an_action_is_worth_what_its_file_says() {
    let folder = TempDir::new().unwrap();
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    write("worth.csv", "dysp,smoke,utility,cost\nyes,,-100,\n,no,,10\n");
    write(
        "worth.toml",
        "[[utility]]\nwhen = { dysp = \"yes\" }\nvalue = -100\n[[action]]\ndo = { smoke = \"no\" }\ncost = 10\n",
    );
    write(
        "worth.json",
        r#"{"utility": [{"when": {"dysp": "yes"}, "value": -100}], "action": [{"do": {"smoke": "no"}, "cost": 10}]}"#,
    );
    let ask = |file: &str| {
        json(&folder, &["query", "@asia", "--utility", file, "--given", "asia=no"])["decision"].clone()
    };
    let decided = ask("worth.csv");
    assert!(decided == ask("worth.toml") && decided == ask("worth.json"));
    let dysp = |args: &[&str]| {
        let found =
            json(&folder, &[&["query", "@asia", "--target", "dysp", "--given", "asia=no"], args].concat());
        found["posterior"]["yes"].as_f64().unwrap()
    };
    assert!(near(&decided["actions"][0]["expected"], -100.0 * dysp(&[])));
    assert!(near(&decided["actions"][1]["expected"], -100.0 * dysp(&["--do", "smoke=no"]) - 10.0));
    assert!(decided["actions"][1]["low"].as_f64() < decided["actions"][1]["high"].as_f64(), "{decided}");
    let text = good(&folder, &["query", "@asia", "--utility", "worth.csv"]);
    assert!(text.contains("do nothing") && text.contains("from … to"), "{text}");
    write("odd.csv", "dysp,utility,cost\nyes,1,2\n");
    write("empty.json", "{}");
    write(
        "state.json",
        r#"{"utility": [{"when": {"dysp": "perhaps"}, "value": 1}], "action": [{"do": {"smoke": "no"}}]}"#,
    );
    for (file, why) in [
        ("odd.csv", "odd.csv:2:5: expected either a utility or a cost"),
        ("empty.json", "nothing is worth anything"),
        ("state.json", "state.json:1:33: node 'dysp' has no state 'perhaps'; it has yes, no"),
        ("worth.txt", "worth.txt"),
    ] {
        let error = bad(&folder, &["query", "@asia", "--utility", file], 2);
        assert!(error.contains(why), "{error}");
    }
    // The same action twice, more than a number can hold, and what an action decides though it is given.
    write("twice.csv", "dysp,smoke,bronc,utility,cost\nyes,,,-100,\n,no,,,5\n,,no,,20\n,no,,,5\n");
    write(
        "twice.json",
        "{\"utility\": [{\"when\": {\"dysp\": \"yes\"}, \"value\": 1}],\n \"action\": [{\"do\": {\"smoke\": \"no\"}},\n  {\"do\": {\"smoke\": \"no\"}, \"cost\": 3}]}",
    );
    write("much.csv", "dysp,smoke,utility,cost\nyes,,1e308,\nno,,1e308,\n,no,,5\n");
    for (file, given, why) in [
        ("twice.csv", "asia=no", "twice.csv:5:2: the action 'smoke=no' is there twice"),
        ("twice.json", "asia=no", "twice.json:3:5: the action 'smoke=no' is there twice"),
        ("much.csv", "asia=no", "much.csv:3:5: with this, what states are worth adds up to more"),
        ("worth.csv", "smoke=yes", "worth.csv:3:2: the action smoke=no decides 'smoke'"),
    ] {
        let error = bad(&folder, &["query", "@asia", "--utility", file, "--given", given], 2);
        assert!(error.contains(why) && !error.contains("two pieces"), "{error}");
    }
    // What moves nothing is counted, and not listed.
    let swings = json(&folder, &["query", "@asia", "--target", "tub", "--given", "asia=no", "--tornado"]);
    let moves = |node: &str| swings["tornado"].as_array().unwrap().iter().any(|swing| swing["node"] == node);
    assert!(moves("either") && !moves("smoke") && swings["tornado_still"] == 3, "{swings}");
    let text = good(&folder, &["query", "@asia", "--target", "tub", "--given", "asia=no", "--tornado"]);
    assert!(text.contains("3 other nodes would not move it"), "{text}");
    // Whatever is wrong has a place, and a cost below 0 an advice.
    let toml = "[[utility]]\nwhen = { dysp = \"yes\" }\nvalue = -100\n[[action]]\ndo = { smoke = \"no\" }\ncost = -10\n";
    for (file, text, why) in [
        ("c.csv", "dysp,smoke,utility,cost\nyes,,-100,\n,no,,-5\n", "c.csv:3:6: the cost -5 is below 0"),
        ("c.csv", "dysp,smoke,utility,cost\nyes,,-100,\n,no,,five\n", "c.csv:3:6: 'five' is no number"),
        (
            "c.csv",
            "dysp,smok,utility,cost\nyes,,-100,\n,no,,5\n",
            "c.csv:1:6: the network has no node 'smok'",
        ),
        (
            "c.csv",
            "dysp,smoke,utility,cost\nyes,,-100,\n\"\",maybe,,5\n",
            "c.csv:3:4: node 'smoke' has no state 'maybe'",
        ),
        ("c.csv", "dysp,smoke,utility,cost\nyes,-100,\n", "c.csv:2:1: 3 cells where the header has 4"),
        ("c.toml", toml, "c.toml:6:8: the cost -10 is below 0"),
        ("c.toml", "[[utility]]\nvalue = \"much\"\n", "c.toml:2:9: invalid type"),
        (
            "c.json",
            "{\"utility\": [],\n \"action\": [{\"do\": {}, \"cost\": -1}]}",
            "c.json:2:32: the cost -1 is below 0",
        ),
    ] {
        write(file, text);
        let error = bad(&folder, &["query", "@asia", "--utility", file], 2);
        assert!(error.contains(why), "{error}");
    }
    write("c.csv", "dysp,smoke,utility,cost\nyes,,-100,\n,no,,-5\n");
    let error = bad(&folder, &["query", "@asia", "--utility", "c.csv"], 2);
    assert!(error.contains("is a utility of 5 for the state that it sets"), "{error}");
    write("costs.csv", "node,cost\nxray,2\ntub,much\n");
    let error = bad(&folder, &["query", "@asia", "--target", "lung", "--next", "--cost", "costs.csv"], 2);
    assert!(error.contains("costs.csv:3:5: 'much' is no number"), "{error}");
}

#[test]
fn actions_that_are_worth_the_same_are_level() {
    let folder = TempDir::new().unwrap();
    fs::write(
        folder.path().join("u.csv"),
        "dysp,xray,smoke,utility,cost\nyes,,,-1000,\n,no,,,0\n,,no,,200\n",
    )
    .unwrap();
    let text = good(&folder, &["query", "@asia", "--utility", "u.csv"]);
    assert!(text.contains("Both 'do nothing' and 'xray=no' are worth the same: any of them"), "{text}");
    assert!(!text.contains("best\n") && text.matches("level\n").count() == 2, "{text}");
    // One number of places in a column.
    let worth: Vec<&str> = text
        .lines()
        .filter(|line| line.starts_with("do nothing") || line.contains("=no "))
        .map(|line| line.split_whitespace().find(|cell| cell.starts_with('-')).unwrap())
        .collect();
    assert!(
        worth.len() == 3 && worth.iter().all(|cell| cell.rsplit_once('.').unwrap().1.len() == 2),
        "{text}"
    );
    let decided = &json(&folder, &["query", "@asia", "--utility", "u.csv"])["decision"];
    assert_eq!(decided["level"], serde_json::json!([{"xray": "no"}]));
    assert_eq!(decided["best"], serde_json::json!({}));
}
