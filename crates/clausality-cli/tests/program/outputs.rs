//! Standard output that cannot be written, for every command: a full disk is an error, a reader who has left is none.
#![cfg(target_os = "linux")]

use std::fs::{self, File};
use std::io;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::thread;

const COMMANDS: &[&str] = &[
    "demo asia --rows 200 --rounds 1 --epochs 1 --run demo",
    "inspect t.csv",
    "strengths t.csv --rounds 1 --epochs 1",
    "learn t.csv --rounds 1 --epochs 1",
    "learn t.csv --rounds 1 --epochs 1 -o learned.bif",
    "learn t.csv --rounds 1 --epochs 1 --run again",
    "evaluate t.csv --target wet --rounds 1 --epochs 1 --folds 2",
    "explain run --node wet",
    "report run -o page.html --json",
    "explore run --no-open",
    "networks",
    "fit run t.csv -o fitted.bif",
    "query run --target wet",
    "predict run t.csv --target wet",
    "forecast series s.csv --horizon 2",
    "impute run t.csv",
    "score run t.csv",
    "test run t.csv",
    "sample run -n 20",
    "compare run run",
    "check run",
    "convert run -o other.net --json",
    "validate --networks cancer --models I --repeats 1 --rows 200 --rounds 1 --epochs 1 -o tables",
    "completions bash",
    "--help",
    "--version",
    "learn --help",
];

fn clausality(folder: &Path, line: &str, out: Stdio) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_clausality"));
    command.args(line.split(' ')).current_dir(folder).stdin(Stdio::null()).stdout(out).stderr(Stdio::piped());
    command.spawn().unwrap().wait_with_output().unwrap()
}

/// A table, a run of it, and one of series.
fn desk() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let rows = "no,off,no\nyes,off,yes\nno,on,yes\nno,off,no\n".repeat(40);
    fs::write(folder.path().join("t.csv"), format!("rain,hose,wet\n{rows}")).unwrap();
    let days: String = (0..60).map(|k| format!("{},{},{}\n", k, k % 3 == 0, k % 2 == 0)).collect();
    fs::write(folder.path().join("s.csv"), format!("day,busy,open\n{days}")).unwrap();
    for line in [
        "learn t.csv --rounds 1 --epochs 1 --run run",
        "learn s.csv --time day --rounds 1 --epochs 1 --run series",
    ] {
        let output = clausality(folder.path(), line, Stdio::null());
        assert!(output.status.success(), "{line}: {}", String::from_utf8_lossy(&output.stderr));
    }
    folder
}

#[test]
fn a_full_disk_is_an_error_and_a_reader_who_left_is_none() {
    let folder = desk();
    let names = Command::new(env!("CARGO_BIN_EXE_clausality")).arg("--help").output().unwrap().stdout;
    let names = String::from_utf8(names).unwrap();
    let listed =
        names.lines().skip_while(|line| *line != "Commands:").skip(1).take_while(|line| !line.is_empty());
    // What a command is stands beside its name, and goes on further in.
    let named =
        listed.filter(|line| !line.starts_with("   ")).filter_map(|line| line.split_whitespace().next());
    for name in named.filter(|name| *name != "help") {
        assert!(COMMANDS.iter().any(|line| line.starts_with(name)), "`{name}` is not among those tried");
    }
    thread::scope(|scope| {
        for lines in COMMANDS.chunks(COMMANDS.len().div_ceil(2)) {
            let at = folder.path();
            scope.spawn(move || lines.iter().for_each(|line| tried(at, line)));
        }
    });
}

fn tried(folder: &Path, line: &str) {
    let full = File::options().write(true).open("/dev/full").unwrap();
    let output = clausality(folder, line, full.into());
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{line}: {said}");
    assert!(said.contains("error: cannot write the output: No space left"), "{line}: {said}");
    let (reader, writer) = io::pipe().unwrap();
    drop(reader);
    let output = clausality(folder, line, writer.into());
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{line}: {said}");
    assert!(!said.contains("error"), "{line}: {said}");
}

#[test]
fn a_closed_standard_output_is_an_error_before_any_work() {
    let folder = desk();
    for line in COMMANDS {
        let typed = format!("exec \"$0\" {line} >&-");
        let program = env!("CARGO_BIN_EXE_clausality");
        let output =
            Command::new("sh").args(["-c", &typed, program]).current_dir(folder.path()).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{line}: {said}");
        assert!(said.starts_with("error: standard output is closed"), "{line}: {said}");
    }
}
