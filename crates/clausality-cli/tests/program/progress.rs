//! How far the work is, and work that has an end.

use std::path::Path;
use std::process::{Command, Output, Stdio};

fn run(folder: &Path, args: &[&str]) -> (Output, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_clausality"));
    let output = command.args(args).current_dir(folder).stdin(Stdio::null()).output().unwrap();
    let said = String::from_utf8(output.stderr.clone()).unwrap();
    (output, said)
}

#[test]
fn every_stage_is_told_in_plain_lines_where_they_are_asked_for() {
    let desk = tempfile::tempdir().unwrap();
    let at = desk.path();
    assert!(run(at, &["sample", "@asia", "-n", "400", "-o", "asia.csv"]).0.status.success());
    let learn = ["learn", "asia.csv", "--rounds", "1", "--epochs", "1", "--bootstrap", "2", "--json"];
    let said = |how: &[&str]| {
        let (output, said) = run(at, &[&learn[..], how].concat());
        assert!(output.status.success(), "{said}");
        let about = |line: &&str| line.contains(" of ") && line.contains("%)") || line.contains(": done in ");
        said.lines().filter(about).map(String::from).collect::<Vec<_>>()
    };
    let lines = said(&["--progress", "plain"]);
    for stage in ["training", "searching arcs", "accounting for arcs", "learning again"] {
        let begun = lines.iter().position(|line| line.starts_with(&format!("{stage}: 0 of ")));
        let done = lines.iter().position(|line| line.starts_with(&format!("{stage}: done in ")));
        assert!(begun.is_some() && begun < done, "{stage}: {lines:?}");
    }
    for silent in [&[][..], &["--progress", "off"], &["--progress", "plain", "--quiet"]] {
        assert_eq!(said(silent), Vec::<String>::new(), "{silent:?}");
    }
    let (_, sampling) = run(at, &["sample", "@asia", "-n", "50", "-o", "b.csv", "--progress", "plain"]);
    assert!(sampling.starts_with("sampling: 0 of 50 (0%), 0 s\nsampling: done in "), "{sampling}");
}

#[test]
fn work_without_end_is_refused_and_the_limit_is_told() {
    let desk = tempfile::tempdir().unwrap();
    for (line, limit) in [
        ("sample @asia -n 9999999999999999 -o rows.csv", "1000000000000000"),
        ("query @asia --target lung --samples 99999999999", "100000000"),
        ("strengths rows.csv --samples 99999999999", "100000000"),
    ] {
        let (output, said) = run(desk.path(), &line.split(' ').collect::<Vec<_>>());
        assert_eq!(output.status.code(), Some(2), "{line}: {said}");
        assert!(said.starts_with("error: ") && said.contains(limit) && said.lines().count() == 1, "{said}");
    }
    assert_eq!(std::fs::read_dir(desk.path()).unwrap().count(), 0);
}
