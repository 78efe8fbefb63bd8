//! Numbers from end to end: how columns are cut as asked, what is refused, and what is said of numbers never seen.

use clausality::bn::random::Stream;
use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

fn run(at: &Path, words: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_clausality")).current_dir(at).args(words).output().unwrap()
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Ages, hours with 99 for "not asked", rain that mostly is none, a column with `=` in its name, and who works.
fn table() -> String {
    let mut stream = Stream::new(7, "numbers");
    let mut text = "age,hours,rain,a=b,works\n".to_string();
    for row in 0..600 {
        let age = 15.0 + 60.0 * stream.unit();
        let hours = if row % 6 == 0 { 99 } else { stream.below(60) };
        let rain = if stream.below(5) < 3 { 0.0 } else { 20.0 * stream.unit() };
        let size = ["x", "y", "3", "12"][stream.below(4) as usize];
        let works = if (18.0..65.0).contains(&age) ^ (stream.below(10) == 0) { "yes" } else { "no" };
        text += &format!("{age:.9},{hours},{rain:.2},{size},{works}\n");
    }
    text
}

/// The states of a column by `inspect`.
fn states(at: &Path, column: &str, words: &[&str]) -> Vec<String> {
    let output = run(at, &[&["inspect", "t.csv", "--json", "--quiet"], words].concat());
    assert!(output.status.success(), "{words:?}: {}", said(&output));
    let told: Value = serde_json::from_slice(&output.stdout).unwrap();
    let columns = told["columns"].as_array().unwrap();
    let column = columns.iter().find(|c| c["name"] == column).unwrap();
    let states = column["variables"][0]["states"].as_array().unwrap();
    states.iter().map(|state| state["label"].as_str().unwrap().to_string()).collect()
}

#[test]
fn columns_are_cut_as_asked() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    fs::write(at.join("t.csv"), table()).unwrap();
    assert_eq!(states(at, "age", &[]), ["<= 30", "30 to 45", "45 to 60", "> 60"]);
    assert_eq!(states(at, "age", &["--bins", "age=2"]).len(), 2);
    assert_eq!(states(at, "hours", &["--bins", "age=2", "--bins", "3"]).len(), 3);
    let cuts = ["--cuts", "age=18,30.5,65", "--na", "hours=99"];
    assert_eq!(states(at, "age", &cuts), ["< 18", "18 to 30.5", "30.5 to 65", ">= 65"]);
    assert_eq!(states(at, "hours", &["--cuts", "hours=20,40"]), ["< 20", "20 to 39", ">= 40"]);
    let stated = [&cuts[..], &["--missing", "hours=state"]].concat();
    assert_eq!(states(at, "hours", &stated).last().unwrap(), "missing");
    assert!(!states(at, "hours", &cuts).contains(&"missing".to_string()));
    assert_eq!(states(at, "rain", &[])[..2], ["0", "0 to 8"]);
    assert_eq!(states(at, "a=b", &["--levels", "a=b=y<x"]), ["y", "x", "3", "12"]);
    // A file and options together: what is said of one column leaves the others.
    fs::write(at.join("c.toml"), "bins = 3\nna = { hours = '99' }\n[cuts]\nage = [40]\n").unwrap();
    let both = ["--config", "c.toml", "--bins", "rain=2"];
    assert_eq!(states(at, "age", &both), ["< 40", ">= 40"]);
    assert_eq!(states(at, "hours", &both).len(), 3);
    assert_eq!(states(at, "rain", &both), ["0", "> 0"]);
}

#[test]
fn contradictions_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    fs::write(at.join("t.csv"), table()).unwrap();
    for (words, says) in [
        (&["--cuts", "age=30", "--bins", "age=3"][..], "leave out one of the two"),
        (&["--cuts", "age=30,20"], "rising numbers"),
        (&["--cuts", "works=1"], "cuts makes column 'works' numeric"),
        (&["--bins", "works=3"], "bins makes column 'works' numeric"),
        (&["--row-weights", "works"], "row-weights makes column 'works' numeric"),
        (&["--cuts", "age=30", "--type", "age=categorical"], "for numeric columns"),
        (&["--bins", "agee=3"], "did you mean 'age'?"),
        (&["--na", "hour=99"], "did you mean 'hours'?"),
        (&["--bins", "age=1"], "between 2 and 50"),
    ] {
        let output = run(at, &[&["inspect", "t.csv"], words].concat());
        assert_eq!(output.status.code(), Some(2), "{words:?}: {}", said(&output));
        assert!(said(&output).contains(says), "{words:?}: {}", said(&output));
    }
}

#[test]
fn numbers_never_seen_are_pointed_out() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    fs::write(at.join("t.csv"), table()).unwrap();
    let learned = run(
        at,
        &["learn", "t.csv", "-o", "net.json", "--discretize", "mdl", "--require", "age>works", "--quiet"],
    );
    assert!(learned.status.success(), "{}", said(&learned));
    let asked = run(at, &["query", "net.json", "--target", "works", "--given", "age=510"]);
    assert!(asked.status.success());
    assert!(said(&asked).contains("age=510 lies beyond what was learned from (15."), "{}", said(&asked));
    assert!(
        !said(&run(at, &["query", "net.json", "--target", "works", "--given", "age=51"])).contains("beyond")
    );
    fs::write(at.join("new.csv"), "age,hours,rain,a=b,works\n510,5,0,x,yes\n30,5,0,x,yes\n").unwrap();
    let scored = run(at, &["score", "net.json", "new.csv"]);
    assert!(
        said(&scored).contains("column 'age': in 1 of 2 rows the number lies beyond"),
        "{}",
        said(&scored)
    );
}
