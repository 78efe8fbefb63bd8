//! Memory is a promise: what would take more than it may is refused at once, with numbers and a way out; what is done stays within.

use std::fs;
use std::io::{BufWriter, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const MIB: u64 = 1 << 20;

/// How a command ended, what it said on stderr, its largest resident memory as far as it was seen, and how long it took.
struct Ended {
    code: Option<i32>,
    said: String,
    peak: u64,
    time: Duration,
}

/// Runs a command; memory is looked at every millisecond, which a refusal may be quicker than.
fn run(at: &Path, mut command: Command) -> Ended {
    let said = at.join("said.txt");
    let stderr = fs::File::create(&said).unwrap();
    let start = Instant::now();
    let mut child = command.current_dir(at).stdout(Stdio::null()).stderr(stderr).spawn().unwrap();
    let mut peak = 0;
    let status = loop {
        let status = fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap_or_default();
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let kib = line.and_then(|rest| rest.trim().strip_suffix(" kB")?.trim().parse::<u64>().ok());
        peak = peak.max(1024 * kib.unwrap_or(0));
        if let Some(status) = child.try_wait().unwrap() {
            break status;
        }
        std::thread::sleep(Duration::from_millis(1));
    };
    let said = fs::read_to_string(said).unwrap();
    Ended { code: status.code(), said, peak, time: start.elapsed() }
}

fn clausality(at: &Path, words: &str) -> Ended {
    let mut command = Command::new(env!("CARGO_BIN_EXE_clausality"));
    command.args(words.split_whitespace()).arg("--quiet");
    run(at, command)
}

/// A refusal: one line with all of these in it, and neither time nor memory spent. A release does it in a second; tests are built with
/// few optimisations and share the machine.
fn refused(at: &Path, words: &str, parts: &[&str]) {
    let ended = clausality(at, words);
    assert_eq!(ended.code, Some(3), "{words}: {}", ended.said);
    let line = ended.said.lines().find(|line| line.starts_with("error: ")).unwrap_or_default();
    for part in parts {
        assert!(line.contains(part), "{words}: {part}: {line}");
    }
    assert!(ended.peak < 200 * MIB, "{words}: {} MiB", ended.peak / MIB);
    assert!(ended.time < Duration::from_secs(60), "{words}: {:?}", ended.time);
}

/// A table of letters without any order to them.
fn wide(at: &Path, name: &str, columns: usize, rows: usize) {
    let header: Vec<String> = (0..columns).map(|k| format!("c{k}")).collect();
    let mut text = header.join(",") + "\n";
    let mut state = 1u64;
    for _ in 0..rows {
        let mut cell = || {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            if state >> 40 & 1 == 1 { "a" } else { "b" }
        };
        let cells: Vec<&str> = (0..columns).map(|_| cell()).collect();
        text += &(cells.join(",") + "\n");
    }
    fs::write(at.join(name), text).unwrap();
}

#[test]
fn wide_tables_are_refused_before_they_are_learned_from() {
    let desk = tempfile::tempdir().unwrap();
    let at = desk.path();
    wide(at, "wide.csv", 65_536, 3);
    let parts = ["columns about each other", "GiB", "the memory limit is 4 GiB", "leave columns out"];
    refused(at, "learn wide.csv --memory-limit 4G -o net.bif", &parts);
    refused(at, "strengths wide.csv --memory-limit 4G", &parts);
    // With rows enough for a look at all pairs of columns, which of so many would have no end.
    wide(at, "long.csv", 20_000, 30);
    refused(at, "learn long.csv --memory-limit 4G", &parts);
    refused(at, "evaluate long.csv --target c7 --memory-limit 4G", &parts);
    assert!(!at.join("net.bif").exists());
    // The first rows are enough: what is wrong further down is never reached.
    wide(at, "deep.csv", 8_000, 100);
    let mut deep = fs::OpenOptions::new().append(true).open(at.join("deep.csv")).unwrap();
    deep.write_all(b"a,b\n").unwrap();
    refused(at, "learn deep.csv --memory-limit 4G", &parts);
}

#[test]
fn more_clauses_than_memory_are_refused() {
    let desk = tempfile::tempdir().unwrap();
    wide(desk.path(), "t.csv", 8, 200);
    let parts = ["machines of 16,777,216 clauses", "GiB", "1 GiB", "--clauses 100", "train fewer clauses"];
    refused(desk.path(), "strengths t.csv --clauses 16777216 --memory-limit 1G", &parts);
    refused(desk.path(), "learn t.csv --clauses 16777216 --memory-limit 1G", &parts);
}

#[test]
fn the_files_of_a_run_are_planned_with_it() {
    let desk = tempfile::tempdir().unwrap();
    wide(desk.path(), "t.csv", 600, 30);
    let parts = ["the files of a run with 600 columns", "the memory limit is 120 MiB", "--memory-limit 29"];
    refused(desk.path(), "learn t.csv --memory-limit 120M --run run", &parts);
    assert!(!desk.path().join("run").exists());
}

#[test]
fn rows_that_nobody_could_hold_are_refused() {
    let desk = tempfile::tempdir().unwrap();
    let parts = ["sampling needs about 2.5 GiB", "the memory limit is 1 GiB", "--memory-limit 3G"];
    refused(desk.path(), "demo insurance --rows 100000000 --memory-limit 1G", &parts);
}

#[test]
fn long_names_and_cells_are_refused_where_they_stand() {
    let desk = tempfile::tempdir().unwrap();
    let at = desk.path();
    let rows = "x,y\n".repeat(30);
    fs::write(at.join("name.csv"), format!("a,{}\n{rows}", "n".repeat(1_000_000))).unwrap();
    refused(at, "inspect name.csv", &["name.csv:1:3: the name of column 2 has 1,000,000 bytes", "4,096"]);
    fs::write(at.join("cell.csv"), format!("a,b\n{rows}x,{}\n", "z".repeat(1 << 20))).unwrap();
    refused(
        at,
        "inspect cell.csv",
        &["cell.csv:32:3: column 'b' has a cell of 1,048,576 bytes", "1,048,575"],
    );
    // What is just short enough is read.
    fs::write(
        at.join("fits.csv"),
        format!("a,{}\n{rows}x,{}\n", "n".repeat(4096), "z".repeat((1 << 20) - 1)),
    )
    .unwrap();
    let ended = clausality(at, "inspect fits.csv");
    assert_eq!(ended.code, Some(0), "{}", ended.said);
    assert!(ended.peak < 100 * MIB, "{} MiB", ended.peak / MIB);
}

/// A network may have any names; showing one of a megabyte took memory by its square.
#[test]
fn a_long_name_is_shown_in_little_memory() {
    let desk = tempfile::tempdir().unwrap();
    let name = "n".repeat(1_000_000);
    let text = format!(
        "network u {{ }}\nvariable {name} {{ type discrete [ 2 ] {{ a, b }}; }}\nprobability ( {name} ) {{ table 0.5, 0.5; }}\n"
    );
    fs::write(desk.path().join("name.bif"), text).unwrap();
    let ended = clausality(desk.path(), "check name.bif");
    assert_eq!(ended.code, Some(0), "{}", ended.said);
    assert!(ended.peak < 100 * MIB && ended.time < Duration::from_secs(60), "{} MiB", ended.peak / MIB);
}

#[test]
fn what_is_done_stays_within_the_limit() {
    let desk = tempfile::tempdir().unwrap();
    let at = desk.path();
    wide(at, "t.csv", 120, 300);
    let ended =
        clausality(at, "learn t.csv --rounds 1 --epochs 1 --threads 2 --memory-limit 20M -o net.json");
    assert_eq!(ended.code, Some(0), "{}", ended.said);
    assert!(ended.peak > 0 && ended.peak <= 84 * MIB, "{} MiB", ended.peak / MIB);
    for words in [
        "check net.json",
        "query net.json --target c3",
        "predict net.json t.csv --target c3",
        "score net.json t.csv",
    ] {
        let ended = clausality(at, &format!("{words} --memory-limit 20M"));
        assert_eq!(ended.code, Some(0), "{words}: {}", ended.said);
        assert!(ended.peak <= 84 * MIB, "{words}: {} MiB", ended.peak / MIB);
    }
}

/// A shell's limit on addresses ends a program that does not mind it by a signal.
#[cfg(target_os = "linux")]
#[test]
fn the_shells_limit_is_minded() {
    let desk = tempfile::tempdir().unwrap();
    let at = desk.path();
    wide(at, "t.csv", 1500, 30);
    let within = |kib: u64, words: &str| {
        let mut command = Command::new("sh");
        let line = format!("ulimit -v {kib}; exec \"$0\" {words} --threads 2 --quiet");
        command.args(["-c", &line, env!("CARGO_BIN_EXE_clausality")]);
        run(at, command)
    };
    for kib in [600_000, 300_000] {
        let ended = within(kib, "learn t.csv --memory-limit 100G");
        assert_eq!(ended.code, Some(3), "{kib}: {}", ended.said);
        assert!(ended.said.contains("ulimit -v leaves"), "{}", ended.said);
    }
    let ended = within(600_000, "inspect t.csv");
    assert_eq!(ended.code, Some(0), "{}", ended.said);
    // Too small for anything: said at once. A little more: stopped with the number that was reached, which is that of addresses, or said at once too.
    wide(at, "small.csv", 6, 300);
    for words in ["query @asia --target lung", "evaluate small.csv --target c3", "learn small.csv"] {
        let ended = within(50_000, words);
        assert_eq!(ended.code, Some(3), "{words}: {}", ended.said);
        assert!(ended.said.contains("ulimit -v allows 48.8 MiB of addresses"), "{words}: {}", ended.said);
        for kib in [100_000, 120_000, 160_000] {
            let ended = within(kib, words);
            // How much is too small depends on the program's own size, which is large where nothing is optimised.
            let told = ["of addresses that ulimit -v allows", "ulimit -v leaves", "ulimit -v allows"]
                .into_iter()
                .any(|words| ended.said.contains(words));
            assert!(
                ended.code == Some(0) || ended.code == Some(3) && told,
                "{words}: {:?} {}",
                ended.code,
                ended.said
            );
        }
    }
}

/// A long table of letters with its rows in the order of time, and weights.
fn long(at: &Path, rows: usize) {
    let names: Vec<String> = (0..20).map(|k| format!("c{k}")).collect();
    let mut text = format!("t,w,{}\n", names.join(","));
    let mut state = 1u64;
    for row in 0..rows {
        text += &format!("{},{}", 1000 + row / 16, 1 + row % 3);
        for _ in 0..20 {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            text += [",a", ",b", ",c"][(state >> 40) as usize % 3];
        }
        text.push('\n');
    }
    fs::write(at.join("long.csv"), text).unwrap();
}

/// What holds all rows, whatever `--rows-held` says, is refused from the first of them.
#[test]
fn more_rows_than_fit_are_refused_from_the_first_of_them() {
    let desk = tempfile::tempdir().unwrap();
    let at = desk.path();
    long(at, 30_000);
    let gzip = Command::new("gzip").args(["-1k", "long.csv"]).current_dir(at).status().unwrap();
    assert!(gzip.success());
    // A gigabyte of nothing behind the rows, which would be an error: it is never reached.
    for name in ["long.csv", "long.csv.gz"] {
        fs::OpenOptions::new().append(true).open(at.join(name)).unwrap().set_len(1 << 30).unwrap();
    }
    let parts = [
        "reading the table needs at least",
        "rows of 22 columns",
        "the memory limit is 10 MiB",
        "leave columns out, take fewer rows, or raise the limit",
        "--memory-limit SIZE",
    ];
    for words in [
        "evaluate long.csv --target c3",
        "learn long.csv --missing drop",
        "learn long.csv --discretize mdl",
        "learn long.csv --target c3 --folds 10",
        "learn long.csv --time t",
        "learn long.csv --row-weights w",
        "learn long.csv.gz --row-weights w",
    ] {
        refused(at, &format!("{words} --memory-limit 10M"), &parts);
    }
    // Where some rows stand for all, all are read, up to what is no row.
    let ended = clausality(at, "learn long.csv --rows-held 10000 --memory-limit 10M");
    assert_eq!(ended.code, Some(2), "{}", ended.said);
    // Where fewer could be held, it is said how many.
    long(at, 200_000);
    for command in ["learn", "strengths", "inspect"] {
        let parts = [": raise it, hold fewer rows, or leave columns out", "--rows-held 10000, "];
        refused(at, &format!("{command} long.csv --memory-limit 6M"), &parts);
    }
    let ended = clausality(at, "inspect long.csv --rows-held 10000 --memory-limit 6M");
    assert_eq!(ended.code, Some(0), "{}", ended.said);
}

/// Of what is learned to predict a column it is known before how much it holds.
#[test]
fn predictions_of_more_rows_than_fit_are_refused_before_learning() {
    let desk = tempfile::tempdir().unwrap();
    let at = desk.path();
    long(at, 200_000);
    // What learning holds whatever is predicted would fit: each thread that counts adds to it.
    let ways = ["the memory limit is", "leave columns out, take fewer rows", "--memory-limit SIZE"];
    let predictor = ["learning needs at least", "a predictor of 'c3'"];
    refused(
        at,
        "learn long.csv --target c3 --threads 2 --memory-limit 36M",
        &[&predictor[..], &ways].concat(),
    );
    let said = ["evaluating needs at least", "all that is said of 'c3'"];
    for words in ["evaluate long.csv --target c3", "learn long.csv --target c3 --folds 10"] {
        refused(at, &format!("{words} --threads 2 --memory-limit 36M"), &[&said[..], &ways].concat());
    }
}

/// A cell may have a megabyte: memory is looked at by what was read, not by cells alone.
#[test]
fn long_cells_are_no_way_around_the_limit() {
    let desk = tempfile::tempdir().unwrap();
    let at = desk.path();
    let table = |name: &str, rows: usize, length: usize| {
        let mut file = BufWriter::new(fs::File::create(at.join(name)).unwrap());
        writeln!(file, "a,b,t").unwrap();
        let text = "x".repeat(length);
        (0..rows).for_each(|k| writeln!(file, "{},{},{k}{text}", k % 2, k % 3).unwrap());
    };
    table("huge.csv", 150, 1_000_000);
    refused(at, "inspect huge.csv --memory-limit 30M", &["the limit is 30 MiB", "--type 'COL=ignore'"]);
    assert!(clausality(at, "inspect huge.csv --memory-limit 30M").peak <= 94 * MIB);
    // Where few rows are held, the texts of the others are let go.
    table("long.csv", 40_000, 2_500);
    let ended = clausality(at, "inspect long.csv --rows-held 1000 --memory-limit 30M");
    assert_eq!(ended.code, Some(0), "{}", ended.said);
    assert!(ended.peak <= 94 * MIB, "{} MiB", ended.peak / MIB);
    // What is advised works.
    refused(at, "inspect long.csv --memory-limit 40M", &["hold fewer rows", "--rows-held 1000"]);
}

/// What is written is not held beside what it is made of.
#[test]
fn states_are_written_row_by_row() {
    let desk = tempfile::tempdir().unwrap();
    let at = desk.path();
    let mut file = BufWriter::new(fs::File::create(at.join("t.csv")).unwrap());
    writeln!(file, "a,b").unwrap();
    let (yes, no) = ("yes".repeat(100), "no".repeat(100));
    (0..200_000).for_each(|k| writeln!(file, "{},{}", [&yes, &no][k % 2], [&yes, &no][k % 3 / 2]).unwrap());
    drop(file);
    let ended = clausality(at, "inspect t.csv -o states.csv --memory-limit 10M");
    assert_eq!(ended.code, Some(0), "{}", ended.said);
    assert!(fs::metadata(at.join("states.csv")).unwrap().len() > 100 * MIB / 2);
    assert!(ended.peak <= 74 * MIB, "{} MiB", ended.peak / MIB);
}

/// A table of numbers that look random, with a gap in some cells, and a class.
fn numbers(at: &Path, name: &str, rows: usize, gap: impl Fn(u64) -> bool) {
    let mut file = BufWriter::new(fs::File::create(at.join(name)).unwrap());
    writeln!(file, "x0,x1,x2,x3,x4,x5,x6,x7,x8,x9,y").unwrap();
    let mut state = 1u64;
    let mut draw = || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        state >> 11
    };
    for _ in 0..rows {
        for _ in 0..10 {
            let number = draw();
            let cell = if gap(number) { String::new() } else { format!("{}", number as f64 / 1e15) };
            write!(file, "{cell},").unwrap();
        }
        writeln!(file, "{}", ["a", "b"][draw() as usize % 2]).unwrap();
    }
}

/// Filling is planned with the text of the table; what a refusal advises is enough, and a table without gaps takes no more than its text.
#[test]
fn filling_stays_within_the_limit_and_its_advice_works() {
    let desk = tempfile::tempdir().unwrap();
    let at = desk.path();
    numbers(at, "t.csv", 220_000, |number| number % 20 == 0);
    numbers(at, "whole.csv", 220_000, |_| false);
    let learned = clausality(at, "learn t.csv --rows-held 1000 --rounds 1 --epochs 1 --run m");
    assert_eq!(learned.code, Some(0), "{}", learned.said);
    let impute = |table: &str, limit: u64| {
        let ended = clausality(at, &format!("impute m {table} -o filled.csv --memory-limit {limit}M"));
        assert!(ended.peak <= (limit + 64) * MIB, "{table} {limit}: {} MiB", ended.peak / MIB);
        ended
    };
    let whole = impute("whole.csv", 41);
    assert_eq!(whole.code, Some(0), "{}", whole.said);
    assert!(fs::read(at.join("filled.csv")).unwrap() == fs::read(at.join("whole.csv")).unwrap());
    let refused = impute("t.csv", 41);
    assert_eq!(refused.code, Some(3), "{}", refused.said);
    assert!(refused.said.contains("filling gaps needs about"), "{}", refused.said);
    let advice = refused.said.split("--memory-limit ").nth(1).and_then(|rest| rest.split('M').next());
    let enough = impute("t.csv", advice.unwrap().parse().unwrap());
    assert_eq!(enough.code, Some(0), "{}", enough.said);
}

/// Columns are decided from a copy of what was read: where there is no room for it that is said before.
#[test]
fn a_table_that_cannot_be_there_twice_is_refused_once_it_is_read() {
    let desk = tempfile::tempdir().unwrap();
    let at = desk.path();
    let mut file = BufWriter::new(fs::File::create(at.join("t.csv")).unwrap());
    writeln!(file, "a,b,c,y").unwrap();
    let note = "n".repeat(45);
    (0..200_000).for_each(|k| writeln!(file, "a{k}{note},b{k}{note},c{k}{note},{}", k % 2).unwrap());
    drop(file);
    let ended = clausality(at, "evaluate t.csv --target y --memory-limit 60M");
    assert_eq!(ended.code, Some(3), "{}", ended.said);
    assert!(
        ended.said.contains("evaluating needs at least") && ended.said.contains("as they were read"),
        "{}",
        ended.said
    );
    assert!(ended.peak <= 124 * MIB, "{} MiB", ended.peak / MIB);
}
