//! A table in one file or in forty, given as a folder or as a pattern: the same run.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

fn clausality(folder: &Path, args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_clausality")).args(args).current_dir(folder).output().unwrap()
}

#[track_caller]
fn good(folder: &Path, args: &[&str]) -> String {
    let output = clausality(folder, args);
    assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

#[track_caller]
fn bad(folder: &Path, args: &[&str], code: i32) -> String {
    let output = clausality(folder, args);
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(code), "{args:?}: {said}");
    said.lines().last().unwrap().to_string()
}

/// A folder with `one.csv` and the same rows in `parts/p0.csv` to `parts/p39.csv`.
fn desk() -> tempfile::TempDir {
    let desk = tempfile::tempdir().unwrap();
    let at = desk.path();
    good(at, &["sample", "@asia", "-n", "1000", "-o", "one.csv"]);
    let text = fs::read_to_string(at.join("one.csv")).unwrap();
    let (header, rows) = text.split_once('\n').unwrap();
    let rows: Vec<&str> = rows.lines().collect();
    fs::create_dir(at.join("parts")).unwrap();
    // Written in another order than they are read.
    for (number, rows) in rows.chunks(25).enumerate().rev() {
        let text = format!("{header}\n{}\n", rows.join("\n"));
        fs::write(at.join(format!("parts/p{number}.csv")), text).unwrap();
    }
    desk
}

#[test]
fn one_file_or_forty() {
    let desk = desk();
    let at = desk.path();
    for (table, run) in [("one.csv", "one"), ("parts", "folder"), ("parts/p*.csv", "pattern")] {
        good(at, &["learn", table, "--run", run]);
    }
    for name in ["edges.csv", "strengths.csv"] {
        let of = |run: &str| fs::read(at.join(run).join(name)).unwrap();
        assert!(of("one") == of("folder") && of("one") == of("pattern"), "{name}");
    }
    // But for what the table and the run are called.
    let network = |run: &str| {
        let answer = good(at, &["query", run, "--target", "dysp", "--json"]);
        answer.replace(&format!("\"{run}/network.json\""), "\"run\"")
    };
    assert!(network("one") == network("folder") && network("one") == network("pattern"));
    // Rows for a network, and rows to be filled, come in parts too.
    assert_eq!(
        good(at, &["score", "one", "parts", "--json"]).replace("\"parts\"", "\"one.csv\""),
        good(at, &["score", "one", "one.csv", "--json"])
    );
    good(at, &["impute", "one", "parts", "-o", "filled.csv"]);
    assert_eq!(fs::read(at.join("filled.csv")).unwrap(), fs::read(at.join("one.csv")).unwrap());
}

#[test]
fn what_is_wrong_is_said_with_the_file() {
    let desk = desk();
    let at = desk.path();
    // An input is not written over, whichever way it was named.
    for table in ["parts", "parts/*.csv"] {
        assert!(bad(at, &["learn", table, "-o", "parts/p3.csv"], 2).contains("is an input of the command"));
    }
    assert!(
        bad(at, &["inspect", "parts/q*.csv"], 2).contains("parts/q*.csv: there is no table of this pattern")
    );
    fs::create_dir(at.join("empty")).unwrap();
    assert!(
        bad(at, &["inspect", "empty"], 2)
            .contains("empty: there is no table in this folder: no file in it ends in .csv, .tsv, ")
    );
    fs::write(at.join("parts/p7.csv"), "asia,tub\nno,no\n").unwrap();
    let said = bad(at, &["learn", "parts", "--run", "run"], 2);
    assert!(said.contains("parts/p7.csv: there are 2 columns, but 8 in parts/p0.csv"), "{said}");
    assert!(!at.join("run").exists());
}
