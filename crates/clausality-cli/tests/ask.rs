//! `query` and `predict` as people and scripts meet them, and the page about them.

use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use tempfile::TempDir;

fn clausality(folder: &TempDir, args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_clausality"));
    command.args(args).current_dir(folder.path()).stdin(Stdio::null());
    command.env("COLUMNS", "80").env_remove("NO_COLOR").output().unwrap()
}

fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

#[track_caller]
fn good(folder: &TempDir, args: &[&str]) -> String {
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
fn json(folder: &TempDir, args: &[&str]) -> Value {
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

#[test]
fn the_commands_of_the_page_work_in_its_order() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/ask-a-network.md");
    let page = fs::read_to_string(page).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let mut last = String::new();
    let mut commands = 0;
    let mut block = None;
    for line in page.lines() {
        match (block, line) {
            (None, "```sh") => block = Some("sh"),
            (None, "```text") => {
                block = Some("text");
                assert!(page.contains(last.trim_end()), "the page shows something else than\n{last}");
            }
            (Some(_), "```") => block = None,
            (Some("sh"), line) => {
                let words = words(line);
                assert_eq!(words[0], "clausality", "{line}");
                let args: Vec<&str> = words[1..].iter().map(String::as_str).collect();
                last = good(&folder, &args);
                commands += 1;
            }
            _ => {}
        }
    }
    assert!(commands >= 12, "only {commands} commands found");
    assert!(fs::read_to_string(folder.path().join("predicted.csv")).unwrap().lines().count() == 5001);
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
        (&["--target", "lung", "--given", "either=no,tub=yes"], "evidence has probability 0"),
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
    let text = good(&folder, &["query", "run", "-t", "Left", "-g", "Age<40,Plan=full"]);
    assert!(text.contains("given Age in [") && text.contains("of it)"), "{text}");
    assert!(wrong("run", "Plan=full|half").contains("no state 'full|half'"));
}

#[test]
fn an_intervention_names_the_arcs_it_takes_on_trust() {
    let folder = TempDir::new().unwrap();
    let text = good(&folder, &["query", "@asia", "--target", "bronc", "--do", "smoke=yes"]);
    assert!(text.contains("what data alone cannot direct: smoke - lung, smoke - bronc\n"), "{text}");
    assert!(!text.contains("the evidence has probability"), "{text}");
    // Every arc of `either` is compelled, and to look is not to act.
    for asked in [["--do", "either=yes"], ["--given", "smoke=yes"]] {
        let text = good(&folder, &[&["query", "@asia", "--target", "xray"][..], &asked].concat());
        assert!(!text.contains("cannot direct"), "{text}");
    }
}
