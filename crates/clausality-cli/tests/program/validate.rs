//! `clausality validate` as people meet it: the table, the folder it goes on from, what it refuses.

use crate::ran::{stderr, stdout};
use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};

const SMALL: &str =
    "validate --networks asia,cancer --models I,IV --repeats 2 --rows 400 --rounds 2 --epochs 1";
const TINY: &str = "validate --networks cancer --models I,IV --rounds 2 --epochs 1";
/// Two networks, two samples, five methods (I, IV, both, mutual information, hybrid).
const UNITS: usize = 2 * 2 * 5;

fn clausality(folder: &Path, line: &str) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_clausality"));
    command.args(line.split_whitespace()).current_dir(folder);
    command.env("COLUMNS", "80").env_remove("NO_COLOR").stdin(Stdio::null()).output().unwrap()
}

#[track_caller]
fn good(folder: &Path, line: &str) -> (String, String) {
    let output = clausality(folder, line);
    assert!(output.status.success(), "{line}: {}", stderr(&output));
    (stdout(&output), stderr(&output))
}

/// Name and content of all files.
fn files(folder: &Path) -> Vec<(String, String)> {
    let entry = |path: std::path::PathBuf| {
        (path.file_name().unwrap().to_str().unwrap().to_string(), fs::read_to_string(&path).unwrap())
    };
    let mut files: Vec<_> = fs::read_dir(folder).unwrap().map(|e| entry(e.unwrap().path())).collect();
    files.sort();
    files
}

#[test]
fn an_interrupted_run_goes_on_and_ends_at_the_same_bytes() {
    let desk = tempfile::tempdir().unwrap();
    let (table, said) = good(desk.path(), &format!("{SMALL} -o run --threads 1"));
    assert!(said.contains(&format!("0 of {UNITS} units are done in run")), "{said}");
    let run = desk.path().join("run");
    let whole = files(&run);
    let names: Vec<&str> = whole.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["tables.json", "tables.txt", "units.jsonl"]);
    let units = run.join("units.jsonl");
    let text = fs::read_to_string(&units).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), UNITS);

    // As if it had been killed while it wrote the ninth unit; two earlier ones are lost as well.
    let half = &lines[8][..lines[8].len() / 2];
    let kept: Vec<&str> =
        lines[..8].iter().enumerate().filter(|(i, _)| ![2, 5].contains(i)).map(|(_, l)| *l).collect();
    fs::write(&units, kept.join("\n") + "\n" + half).unwrap();
    fs::remove_file(run.join("tables.json")).unwrap();
    let (again, said) = good(desk.path(), &format!("{SMALL} -o run --threads 3"));
    assert!(said.contains(&format!("6 of {UNITS} units are done in run")), "{said}");
    assert_eq!(again, table);
    assert_eq!(files(&run), whole, "the same bytes, whatever was redone and with however many threads");

    // Nothing is left to do; other settings are kept apart in the same file and do not count.
    let (_, said) = good(desk.path(), &format!("{SMALL} -o run"));
    assert!(said.contains(&format!("{UNITS} of {UNITS} units are done")), "{said}");
    let (_, said) = good(desk.path(), &format!("{TINY} --repeats 1 --rows 500 -o run"));
    assert!(said.contains("0 of 5 units are done"), "{said}");
    assert_eq!(fs::read_to_string(&units).unwrap().lines().count(), UNITS + 5);
    let (_, said) = good(desk.path(), &format!("{SMALL} -o run"));
    assert!(said.contains(&format!("{UNITS} of {UNITS} units are done")), "{said}");
}

#[cfg(unix)]
#[test]
fn who_interrupts_it_is_told_that_it_goes_on() {
    let desk = tempfile::tempdir().unwrap();
    let long = SMALL.replace("--repeats 2", "--repeats 500") + " -o run --threads 1";
    let mut command = Command::new(env!("CARGO_BIN_EXE_clausality"));
    command.args(long.split_whitespace()).current_dir(desk.path()).stdin(Stdio::null());
    let child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    let units = desk.path().join("run/units.jsonl");
    for _ in 0..12_000 {
        // One that is written after the first was kept, too.
        if fs::read_to_string(&units).is_ok_and(|text| text.lines().count() > 1) {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130));
    let said = stderr(&output);
    assert!(said.ends_with("error: interrupted; the same command goes on from here\n"), "{said}");
}

#[test]
fn the_table_fits_eighty_columns() {
    let desk = tempfile::tempdir().unwrap();
    let line = "validate --networks asia,insurance --models I,III --repeats 2 --rows 600 --rounds 2 --epochs 1 --top-features -q";
    let (table, said) = good(desk.path(), line);
    assert_eq!(said, "");
    for text in table.lines() {
        assert!(text.chars().count() <= 80, "wider than 80 columns: {text}");
    }
    insta::assert_snapshot!(format!("$ clausality {line}\n{table}"));
}

#[test]
fn json_has_every_figure() {
    let desk = tempfile::tempdir().unwrap();
    let (text, _) = good(desk.path(), &format!("{SMALL} --json"));
    let found: serde_json::Value = serde_json::from_str(&text).unwrap();
    let line = &found["networks"][0]["lines"][0];
    assert_eq!((line["method"].as_str(), line["published"].as_f64()), (Some("I"), Some(0.834)));
    for figure in ["kernel", "walk_kernel", "skeleton_f1", "directed_f1", "shd", "cpdag_shd", "sid"] {
        assert_eq!(line["roots"][figure]["n"], 2, "{figure}");
    }
}

#[test]
fn bad_settings_are_refused_and_leave_nothing_behind() {
    let desk = tempfile::tempdir().unwrap();
    for (options, part) in [
        ("--networks asian", "there is no embedded network 'asian'"),
        ("--networks asia,asia", "networks is asia twice"),
        ("--models VI", "models is VI"),
        ("--models I,I", "models is I twice"),
        ("--repeats 0", "repeats is 0"),
        ("--rows 5", "rows is 5"),
        ("--rounds 0", "rounds is 0"),
        ("--epochs many", "--epochs"),
    ] {
        let output = clausality(desk.path(), &format!("validate {options} -o run"));
        let said = stderr(&output);
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(said.starts_with("error: ") && said.lines().count() == 1 && said.contains(part), "{said}");
        assert!(!desk.path().join("run").exists(), "{options}");
    }
    fs::create_dir(desk.path().join("run")).unwrap();
    fs::write(desk.path().join("run/units.jsonl"), "{\"unit\": 3}\n").unwrap();
    let output = clausality(desk.path(), &format!("{SMALL} -o run"));
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).starts_with("error: run/units.jsonl:1:"), "{}", stderr(&output));
}
