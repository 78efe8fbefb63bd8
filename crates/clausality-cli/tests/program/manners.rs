//! What the commands never do to a user's files, and what they say about columns, rules and verdicts.

use crate::ran::stderr;
use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};

fn run_in(folder: &Path, args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_clausality"));
    command.args(args).current_dir(folder).env("COLUMNS", "80").stdin(Stdio::null());
    command.output().unwrap()
}

/// What a successful command printed, and said beside it.
#[track_caller]
fn good(folder: &Path, args: &[&str]) -> (String, String) {
    let output = run_in(folder, args);
    assert!(output.status.success(), "{args:?}: {}", stderr(&output));
    let text = String::from_utf8(output.stdout.clone()).unwrap();
    if !args.contains(&"--json") {
        assert_eq!(
            text.lines().find(|line| line.chars().count() > 80),
            None,
            "{args:?}: fits eighty columns"
        );
    }
    (text, stderr(&output))
}

/// The one `error:` line of a refusal with this exit code.
#[track_caller]
fn bad(folder: &Path, args: &[&str], code: i32) -> String {
    let output = run_in(folder, args);
    assert_eq!(output.status.code(), Some(code), "{args:?}: {}", stderr(&output));
    let text = stderr(&output);
    let lines: Vec<&str> = text.lines().filter(|line| !line.starts_with("warning: ")).collect();
    assert!(matches!(lines.as_slice(), [one] if one.starts_with("error: ")), "{args:?}: {lines:?}");
    lines[0].to_string()
}

/// Every file under a folder with its content.
fn contents(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let mut all = vec![];
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() && !path.is_symlink() {
            true => all.extend(contents(&path)),
            false => all.push((path.display().to_string(), fs::read(&path).unwrap_or_default())),
        }
    }
    all.sort();
    all
}

/// 120 days with what depends on them, an id, a constant and a column that says nothing.
fn days() -> String {
    let mut text = String::from("id,date,site,\"sales, net\",stock,rain\n");
    for k in 0..120u32 {
        let (month, day) = (k / 28 % 12 + 1, k % 28 + 1);
        let sales = ["low", "mid", "high"][(k * 7 % 3) as usize];
        let stock = if k % 11 == 0 { "low" } else { sales };
        let rain = if k * k % 13 < 6 { "yes" } else { "no" };
        text.push_str(&format!("{},2024-{month:02}-{day:02},north,{sales},{stock},{rain}\n", k + 1));
    }
    text
}

/// A folder with `asia.csv`, its network `asia.bif`, tiers and a configuration.
fn desk() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    good(at, &["sample", "@asia", "-n", "300", "-o", "asia.csv"]);
    good(at, &["convert", "@asia", "-o", "asia.bif", "-o", "edges.csv", "-o", "asia.json"]);
    fs::write(at.join("tiers.csv"), "tub,smoke\nxray,dysp\n").unwrap();
    fs::write(at.join("config.json"), "rounds = 1\n").unwrap();
    fs::write(at.join("days.csv"), days()).unwrap();
    folder
}

const QUICK: [&str; 2] = ["--rounds", "1"];

#[test]
fn no_input_is_written_over() {
    let desk = desk();
    let at = desk.path();
    good(at, &[&["learn", "asia.csv", "--run", "run"], &QUICK[..]].concat());
    #[cfg(unix)]
    std::os::unix::fs::symlink("asia.csv", at.join("link.csv")).unwrap();
    #[cfg(unix)]
    std::os::unix::fs::symlink(".", at.join("here")).unwrap();
    fs::create_dir(at.join("strange")).unwrap();
    fs::copy(at.join("asia.csv"), at.join("strange/edges.csv")).unwrap();
    let before = contents(at);
    let mut lines = vec![
        vec!["inspect", "asia.csv", "-o", "asia.csv"],
        vec!["inspect", "./asia.csv", "-o", "asia.csv"],
        vec!["inspect", "asia.csv", "-o", "run/../asia.csv"],
        vec!["strengths", "asia.csv", "-o", "./asia.csv"],
        vec!["strengths", "asia.csv", "--tiers", "tiers.csv", "-o", "tiers.csv"],
        vec!["strengths", "asia.csv", "--config", "config.json", "-o", "config.json"],
        vec!["learn", "asia.csv", "-o", "net.bif", "-o", "asia.csv"],
        vec!["learn", "asia.csv", "--tiers", "tiers.csv", "-o", "tiers.csv"],
        vec!["learn", "run/strengths.csv", "--run", "run"],
        vec!["learn", "strange/edges.csv", "--run", "strange"],
        vec!["fit", "asia.bif", "asia.csv", "-o", "asia.bif"],
        vec!["fit", "edges.csv", "asia.csv", "-o", "edges.csv"],
        vec!["fit", "run", "asia.csv", "-o", "run/network.json"],
        vec!["predict", "asia.bif", "asia.csv", "--target", "lung", "-o", "asia.csv"],
        vec!["score", "asia.bif", "asia.csv", "-o", "asia.csv"],
        vec!["sample", "edges.csv", "-n", "5", "-o", "edges.csv"],
        vec!["convert", "asia.bif", "-o", "asia.bif"],
    ];
    #[cfg(unix)]
    lines.extend([
        vec!["inspect", "link.csv", "-o", "asia.csv"],
        vec!["inspect", "asia.csv", "-o", "link.csv"],
        vec!["convert", "here/asia.bif", "-o", "asia.bif"],
    ]);
    for line in lines {
        let error = bad(at, &line, 2);
        let said = error.contains("is an input of the command") || line.contains(&"strange");
        assert!(said, "{line:?}: {error}");
        assert!(contents(at) == before, "{line:?} changed a file");
    }
}

#[cfg(unix)]
#[test]
fn a_table_on_standard_input_is_not_written_over_either() {
    let desk = desk();
    let table = desk.path().join("asia.csv");
    let before = fs::read(&table).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_clausality"));
    command.args(["inspect", "-", "-o", "asia.csv"]).current_dir(desk.path());
    let output = command.stdin(fs::File::open(&table).unwrap()).output().unwrap();
    assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
    assert_eq!(fs::read(&table).unwrap(), before);
}

#[test]
fn learned_tables_keep_to_the_memory_limit() {
    let desk = desk();
    let at = desk.path();
    let row = |k: u32| {
        let (a, b, d) = (k * 7 % 20, k * 13 % 19, k * 11 % 17);
        format!("a{a},b{b},c{},d{d}\n", (a + b + d) % 18)
    };
    let text: String = (0..1000).map(row).collect();
    fs::write(at.join("wide.csv"), "a,b,c,d\n".to_string() + &text).unwrap();
    let arcs = ["--require", "a>c", "--require", "b>c", "--require", "d>c"];
    let line = [&["learn", "wide.csv"], &QUICK[..], &arcs].concat();
    good(at, &line);
    let error = bad(at, &[&line[..], &["--memory-limit", "600K", "-o", "net.bif"]].concat(), 3);
    let parts = ["the table of 'c'", "116280 cells", "908 KiB", "600 KiB", "memory limit"];
    assert!(parts.iter().all(|part| error.contains(part)), "{error}");
    assert!(!at.join("net.bif").exists());
    let demo = ["demo", "asia", "--rows", "200", "--rounds", "1", "--memory-limit", "20", "--run", "demo"];
    let error = bad(at, &demo, 3);
    assert!(error.contains("cells") && error.contains("20 "), "{error}");
    assert!(!at.join("demo").exists());
}

#[test]
fn foreign_folders_are_left_alone_and_own_runs_replaced() {
    let desk = desk();
    let at = desk.path();
    let learn = |run: &'static str| [&["learn", "asia.csv", "--run", run], &QUICK[..]].concat();
    for (folder, file, content) in
        [("a", "run.json", "{\"format\": \"other\"}"), ("b", "run.json", "no"), ("c", "network.bif", "mine")]
    {
        fs::create_dir(at.join(folder)).unwrap();
        fs::write(at.join(folder).join(file), content).unwrap();
        let before = contents(at);
        let error = bad(at, &learn(folder), 2);
        assert!(error.contains(file) && error.contains("choose another folder"), "{error}");
        assert!(contents(at) == before, "{folder}");
    }
    for _ in 0..2 {
        good(at, &learn("own"));
    }
    fs::create_dir(at.join("empty")).unwrap();
    good(at, &learn("empty"));
}

#[test]
fn nothing_else_points_into_months_and_weekdays() {
    let desk = desk();
    let at = desk.path();
    let (text, notes) = good(at, &["learn", "days.csv", "--rounds", "1", "--run", "run"]);
    assert!(notes.contains("'date month', 'date weekday'"), "{notes}");
    assert!(text.contains("(calendar)") && !text.contains("the rules"), "{text}");
    let run: Value = serde_json::from_slice(&fs::read(at.join("run/run.json")).unwrap()).unwrap();
    let into = |run: &Value, name: &str| run["arcs"].as_array().unwrap().iter().any(|a| a["child"] == name);
    for arc in run["arcs"].as_array().unwrap() {
        let dated = |end: &str| arc[end].as_str().unwrap().starts_with("date ");
        assert!(dated("parent") || !dated("child"), "{arc}");
        assert_eq!(arc["calendar"] == true, dated("parent") && !dated("child"), "{arc}");
        assert_eq!(arc["ruled"], false, "{arc}");
    }
    assert_eq!(run["params"]["parameter"], serde_json::json!([]), "a suggestion is no setting");
    for target in run["targets"].as_array().unwrap() {
        let dated = target["name"].as_str().unwrap().starts_with("date ");
        assert_eq!(target["role"] == "calendar", dated, "{target}");
    }
    let (text, _) = good(at, &["strengths", "days.csv", "--rounds", "1"]);
    assert!(text.contains("(calendar)"), "{text}");
    // The user's word comes first.
    let line = ["learn", "days.csv", "--rounds", "1", "--unobserved", "date month", "--require"];
    let (text, _) = good(at, &[&line[..], &["stock>date weekday", "--json"]].concat());
    let run: Value = serde_json::from_str(&text).unwrap();
    assert!(into(&run, "date weekday"));
    let month = run["targets"].as_array().unwrap().iter().find(|t| t["name"] == "date month").unwrap();
    assert_eq!(month["role"], "unobserved");
}

#[test]
fn rules_about_columns_left_out_say_what_became_of_them() {
    let desk = desk();
    let at = desk.path();
    fs::write(at.join("t.txt"), "site\nstock\n").unwrap();
    for (rule, parts) in [
        (&["--parameter", "id"][..], ["left out as an id", "--type 'id=keep'"]),
        (&["--unobserved", "site"], ["left out", "every cell holds 'north'"]),
        (&["--require", "id>stock"], ["require: column 'id'", "left out"]),
        (&["--forbid", "stock>site"], ["forbid: column 'site'", "left out"]),
        (&["--tiers", "t.txt"], ["tiers: column 'site'", "left out"]),
        (&["--parameter", "rain", "--type", "rain=ignore"], ["column 'rain'", "left out, as asked"]),
        (&["--parameter", "date"], ["became 'date month', 'date weekday'", "name one"]),
        (&["--parameter", "rian"], ["no column 'rian'", "did you mean 'rain'?"]),
    ] {
        for command in ["learn", "strengths"] {
            let error = bad(at, &[&[command, "days.csv"], rule].concat(), 2);
            assert!(parts.iter().all(|part| error.contains(part)), "{rule:?}: {error}");
        }
    }
}

#[test]
fn names_with_commas_stand_in_quotes() {
    let desk = desk();
    let at = desk.path();
    let line = ["learn", "days.csv", "--rounds", "1", "--parameter", "\"sales, net\",rain", "--unobserved"];
    let (text, _) = good(at, &[&line[..], &["\"stock\"", "--json"]].concat());
    let run: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(run["params"]["parameter"][0], "sales, net");
    assert_eq!(run["params"]["parameter"][1], "rain");
    assert_eq!(run["params"]["unobserved"][0], "stock");
    bad(at, &["learn", "days.csv", "--parameter", "\"sales, net"], 2);
    fs::write(at.join("quoted.txt"), "\"sales, net\"\nstock\n").unwrap();
    let (_, notes) = good(at, &["learn", "days.csv", "--rounds", "1", "--tiers", "quoted.txt"]);
    assert!(
        notes.contains("in no tier") && notes.contains("'rain'") && !notes.contains("'stock'"),
        "{notes}"
    );
    let (help, _) = good(at, &["learn", "--help"]);
    assert!(help.contains("'\"a,b\",c'") && help.contains("Labels"), "{help}");
}

#[test]
fn unobserved_columns_are_marked() {
    let desk = desk();
    let (text, _) = good(desk.path(), &["learn", "days.csv", "--rounds", "1", "--unobserved", "stock"]);
    let line = text.lines().position(|line| line.starts_with("stock ")).unwrap();
    assert!(text.lines().skip(line).take(2).any(|line| line.contains("(unobserved)")), "{text}");
}

#[test]
fn verdicts_are_counted_apart() {
    let desk = desk();
    let at = desk.path();
    let rows = (0..400u32).map(|k| {
        let copy = if k % 3 == 0 { "x" } else { "y" };
        let noise = k.wrapping_mul(2_654_435_761) >> 16;
        let rare = if k == 7 { "once" } else { "often" };
        format!("{copy},{},{rare},{}\n", copy.to_uppercase(), ["p", "q"][(noise % 2) as usize])
    });
    fs::write(at.join("v.csv"), "a,b,rare,noise\n".to_string() + &rows.collect::<String>()).unwrap();
    for command in ["learn", "strengths"] {
        let (text, _) = good(at, &[command, "v.csv"]);
        for part in [
            "with all other columns as predictors",
            "No signal in 1 of 4 columns",
            "Unmeasured in 1 of 4 columns",
        ] {
            assert!(text.contains(part), "{command}: {text}");
        }
    }
    let (text, _) = good(at, &["learn", "v.csv", "--require", "a>noise"]);
    assert!(text.contains("An arc into a node without signal"), "{text}");
    let (text, _) = good(at, &["strengths", "v.csv", "--type", "noise=ignore", "--type", "rare=ignore"]);
    assert!(text.contains("Every column can be predicted"), "{text}");
}

#[test]
fn kept_codings_read_files_written_otherwise() {
    let desk = desk();
    let at = desk.path();
    good(at, &["learn", "days.csv", "--rounds", "1", "-o", "days.json"]);
    let odd = days().replace("\"sales, net\"", "sales; net").replace(';', ",").replace(',', "^");
    let odd = odd.replace("sales^ net", "sales, net").replacen("low", "gone", 30);
    fs::write(at.join("odd.csv"), odd).unwrap();
    let reading = ["--separator", "^", "--na", "gone"];
    for line in [
        &["score", "days.json", "odd.csv"][..],
        &["predict", "days.json", "odd.csv", "--target", "stock", "-o", "p.csv"],
        &["fit", "days.json", "odd.csv", "-o", "again.json"],
    ] {
        let (_, notes) = good(at, &[line, &reading[..]].concat());
        assert!(notes.contains("there is no value"), "{line:?}: {notes}");
        bad(at, line, 2);
    }
}

#[test]
fn thin_tables_are_inspected_and_dressed_cells_told() {
    let desk = desk();
    let at = desk.path();
    let rows: String = (0..60).map(|k| format!("{k},north,{}\n", ["u", "v"][k % 2])).collect();
    fs::write(at.join("thin.csv"), "id,site,side\n".to_string() + &rows).unwrap();
    let (text, _) = good(at, &["inspect", "thin.csv"]);
    assert!(text.contains("60 rows, 3 columns, 1 variable,") && text.contains("Only one column"), "{text}");
    bad(at, &["learn", "thin.csv"], 2);
    let (text, _) = good(at, &["inspect", "thin.csv", "--type", "side=ignore"]);
    assert!(text.contains("60 rows") && text.contains("No column can be used"), "{text}");
    let rows: String = (0..60)
        .map(|k| format!("\"1,{:03}\",${}.5,{:02}/03/2024,{}\n", k % 7, k % 5, k % 9 + 1, k % 2))
        .collect();
    fs::write(at.join("dressed.csv"), "price,fee,day,x\n".to_string() + &rows).unwrap();
    let (_, notes) = good(at, &["inspect", "dressed.csv"]);
    for parts in [
        ["2 columns look like numbers", "price ('1,000'), fee ('$0.5')"],
        ["column 'day'", "looks like a date"],
    ] {
        let told = |line: &str| parts.iter().all(|part| line.contains(part)) && line.contains("--type");
        assert!(notes.lines().any(told), "{parts:?}: {notes}");
    }
    let (_, notes) = good(at, &["inspect", "dressed.csv", "--type", "price=categorical"]);
    assert!(
        !notes.contains("price") && notes.contains("column 'fee': '$0.5' looks like a number"),
        "{notes}"
    );
}

#[test]
fn small_questions_have_plain_answers() {
    let desk = desk();
    let at = desk.path();
    good(at, &[&["learn", "asia.csv", "--run", "run"], &QUICK[..]].concat());
    let error = bad(at, &["explain", "run"], 2);
    assert!(error.contains("--node") && error.contains("--arc") && error.contains("'tub'"), "{error}");
    fs::write(at.join("none.txt"), "\n ,\n").unwrap();
    let error = bad(at, &["learn", "asia.csv", "--tiers", "none.txt"], 2);
    assert!(error.contains("none.txt") && error.contains("names no columns"), "{error}");
    let error = bad(at, &["learn", "asia.csv", "-o", "no/such/net.bif"], 1);
    assert!(error.contains("no such folder") && !error.contains(".part"), "{error}");
    assert!(fs::read_to_string(at.join("run/network.bif")).unwrap().starts_with("network asia"));
    let (text, _) = good(at, &["networks"]);
    let last = text.lines().last().unwrap();
    assert!(last.contains("bnlearn") && last.contains("CC BY-SA 3.0"), "{last}");
}

/// A run among the files that a pattern finds would be read as rows of the table next time.
#[test]
fn outputs_that_a_pattern_would_find_are_refused() {
    let desk = tempfile::tempdir().unwrap();
    let at = desk.path();
    fs::create_dir_all(at.join("tt/more")).unwrap();
    for name in ["tt/a.csv", "tt/more/b.csv"] {
        fs::write(at.join(name), "x,y\n".to_string() + &"a,b\na,c\nd,b\n".repeat(20)).unwrap();
    }
    let learn = |pattern: &str, run: &str| {
        let args = ["learn", pattern, "--run", run, "--rounds", "1", "--epochs", "1", "--quiet"];
        Command::new(env!("CARGO_BIN_EXE_clausality")).args(args).current_dir(at).output().unwrap()
    };
    for (pattern, run) in
        [("tt/*.csv", "tt"), ("./tt/[a-z]*.csv", "tt/more/.."), ("**/*.csv", "new"), ("tt/*", "tt")]
    {
        let refused = learn(pattern, run);
        let line = String::from_utf8(refused.stderr).unwrap();
        assert_eq!(refused.status.code(), Some(2), "{pattern} {run}: {line}");
        assert!(line.contains("this one would be read as a part of it: choose another folder"), "{line}");
    }
    assert!(!at.join("tt/run.json").exists() && !at.join("new").exists());
    assert_eq!(learn("tt/*.csv", "run").status.code(), Some(0));
    assert_eq!(learn("tt/a*.csv", "tt").status.code(), Some(0), "no file of a run is called so");
}
