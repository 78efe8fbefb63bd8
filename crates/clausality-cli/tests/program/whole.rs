//! A run folder is whole or not there: whatever ends the program, and whoever else is at work. The long version, with a fault at
//! every system call, is `validation/faults.sh`.
#![cfg(target_os = "linux")]

use crate::ran::{piped as clausality, stderr};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

const QUICK: [&str; 4] = ["--rounds", "1", "--epochs", "1"];
const FILES: [&str; 7] =
    ["clauses.json", "edges.csv", "network.bif", "network.json", "report.html", "run.json", "strengths.csv"];

#[track_caller]
fn good(folder: &Path, args: &[&str]) {
    let output = clausality(folder, args).output().unwrap();
    assert!(output.status.success(), "{args:?}: {}", stderr(&output));
}

/// The last line of a command that fails with this code.
#[track_caller]
fn bad(folder: &Path, args: &[&str], code: i32) -> String {
    let output = clausality(folder, args).output().unwrap();
    assert_eq!(output.status.code(), Some(code), "{args:?}: {}", stderr(&output));
    stderr(&output).lines().last().unwrap().to_string()
}

/// All files below a folder with their bytes; the seconds that a run took are left out.
fn contents(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut open = vec![folder.to_path_buf()];
    while let Some(at) = open.pop() {
        for entry in fs::read_dir(&at).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path);
            } else {
                let name = path.strip_prefix(folder).unwrap().to_str().unwrap().to_string();
                found.insert(name, fs::read(&path).unwrap());
            }
        }
    }
    found
}

fn id(run: &Path) -> String {
    let run: Value = serde_json::from_slice(&fs::read(run.join("run.json")).unwrap()).unwrap();
    run["id"].as_str().unwrap().to_string()
}

/// A folder with a table `asia.csv` and its run in `run`, of seed 1.
fn desk() -> tempfile::TempDir {
    let desk = tempfile::tempdir().unwrap();
    good(desk.path(), &["sample", "@asia", "-n", "300", "-o", "asia.csv"]);
    good(desk.path(), &[&["learn", "asia.csv", "--run", "run"], &QUICK[..]].concat());
    desk
}

/// Waits until something holds, as long as the child lives.
fn until(child: &mut Child, holds: impl Fn() -> bool) -> bool {
    loop {
        if holds() {
            return true;
        }
        if child.try_wait().unwrap().is_some() {
            return false;
        }
        std::thread::park_timeout(Duration::from_micros(200));
    }
}

#[test]
fn a_mixture_of_runs_is_refused_by_name() {
    let desk = desk();
    let at = desk.path();
    good(at, &[&["learn", "asia.csv", "--run", "other", "--seed", "2"], &QUICK[..]].concat());
    assert_ne!(id(&at.join("run")), id(&at.join("other")));
    let readers: [&[&str]; 8] = [
        &["query", "run", "--target", "dysp"],
        &["check", "run"],
        &["explain", "run", "--node", "dysp"],
        &["report", "run", "-o", "page.html"],
        &["convert", "run", "-o", "net.svg"],
        &["score", "run", "asia.csv"],
        &["sample", "run", "-n", "3"],
        &["compare", "@asia", "run"],
    ];
    for name in FILES {
        let (own, strange) = (at.join("run").join(name), at.join("other").join(name));
        let kept = fs::read(&own).unwrap();
        fs::write(&own, fs::read(strange).unwrap()).unwrap();
        for reader in readers {
            let line = bad(at, reader, 2);
            // Beside a strange run.json it is the others that do not fit.
            assert!(name == "run.json" || line.contains(name), "{name}, {reader:?}: {line}");
            assert!(line.contains("another run"), "{name}, {reader:?}: {line}");
        }
        fs::remove_file(&own).unwrap();
        for reader in readers {
            let line = bad(at, reader, 2);
            assert!(line.contains(&format!("no {name}")), "{name}, {reader:?}: {line}");
        }
        fs::write(&own, kept).unwrap();
    }
    // What was changed by hand is told apart from what came from elsewhere.
    let path = at.join("run/run.json");
    let run = fs::read_to_string(&path).unwrap();
    fs::write(&path, run.replacen("\"rows\": 300", "\"rows\": 301", 1)).unwrap();
    assert!(bad(at, readers[0], 2).contains("run.json is not as the run wrote it"));
    fs::write(&path, &run).unwrap();
    readers.iter().for_each(|reader| good(at, reader));
    // A network alone is no run, and a model all the same.
    fs::create_dir(at.join("alone")).unwrap();
    fs::copy(at.join("run/network.json"), at.join("alone/network.json")).unwrap();
    good(at, &["query", "alone", "--target", "dysp"]);
}

#[test]
fn the_id_depends_on_table_and_settings_and_not_on_the_clock() {
    let desk = desk();
    let at = desk.path();
    let first = contents(&at.join("run"));
    good(at, &[&["learn", "asia.csv", "--run", "run", "--threads", "1"], &QUICK[..]].concat());
    let second = contents(&at.join("run"));
    for name in FILES.iter().filter(|name| !["run.json", "report.html"].contains(name)) {
        assert_eq!(first[*name], second[*name], "{name}");
    }
    let timeless = |bytes: &[u8]| {
        let mut run: Value = serde_json::from_slice(bytes).unwrap();
        run["seconds"] = Value::Null;
        run
    };
    assert_eq!(timeless(&first["run.json"]), timeless(&second["run.json"]));
    // Every file has the id inside, or a digest in the one that has.
    let (run, id) = (timeless(&first["run.json"]), id(&at.join("run")));
    for (name, bytes) in &first {
        let inside = String::from_utf8_lossy(bytes).contains(&id);
        assert!(inside || run["files"][name].is_string(), "{name}");
    }
}

#[test]
fn no_command_puts_a_strange_file_into_a_run() {
    let desk = desk();
    let at = desk.path();
    good(at, &[&["learn", "asia.csv", "--run", "other", "--seed", "2"], &QUICK[..]].concat());
    let before = contents(at);
    for args in [
        &["convert", "@asia", "-o", "run/network.bif"][..],
        &["report", "other", "-o", "run/report.html"],
        &["learn", "asia.csv", "-o", "run/report.html"],
        &["learn", "asia.csv", "-o", "run/edges.csv"],
    ] {
        assert!(bad(at, args, 2).contains("a file of the run"), "{args:?}");
    }
    assert_eq!(contents(at), before);
    good(at, &["report", "run", "-o", "run/report.html", "--truth", "@asia"]);
    good(at, &["query", "run", "--target", "dysp"]);
}

#[test]
fn a_second_command_is_refused_and_signals_end_in_good_order() {
    let desk = desk();
    let at = desk.path();
    fs::write(at.join("run/notes.txt"), "mine").unwrap();
    let before = contents(at);
    let learn = [&["learn", "-", "--run", "run", "-o", "net.bif", "--seed", "3"], &QUICK[..]].concat();
    // Whoever runs the tests under nohup hands that on: the program then goes on, as it should.
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:")).unwrap();
    let hangup = u64::from_str_radix(ignored.trim(), 16).unwrap() & 1 == 0;
    for signal in ["-TERM", "-INT"].into_iter().chain(hangup.then_some("-HUP")) {
        let mut first = clausality(at, &learn).stdin(Stdio::piped()).spawn().unwrap();
        let input = first.stdin.take();
        // It waits for its table, with everything reserved.
        assert!(until(&mut first, || at.join(".clausality-run.part").exists()));
        let line = bad(at, &[&["learn", "asia.csv", "--run", "run"], &QUICK[..]].concat(), 1);
        assert!(line.contains("run: another command is writing here"), "{line}");
        assert!(bad(at, &["report", "run", "-o", "run/report.html"], 1).contains("another command"));
        good(at, &["query", "run", "--target", "dysp"]);
        assert!(Command::new("kill").args([signal, &first.id().to_string()]).status().unwrap().success());
        let ended = first.wait_with_output().unwrap();
        assert_eq!(
            (ended.status.code(), stderr(&ended).as_str()),
            (Some(130), "error: interrupted\n"),
            "{signal}"
        );
        drop(input);
        assert_eq!(contents(at), before, "{signal}");
    }
    // Whoever asked for it with nohup goes on.
    let mut patient = Command::new("sh")
        .args(["-c", "trap '' HUP; exec \"$0\" \"$@\"", env!("CARGO_BIN_EXE_clausality")])
        .args(&learn)
        .current_dir(at)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    assert!(until(&mut patient, || at.join(".clausality-run.part").exists()));
    assert!(Command::new("kill").args(["-HUP", &patient.id().to_string()]).status().unwrap().success());
    patient.stdin.take().unwrap().write_all(&fs::read(at.join("asia.csv")).unwrap()).unwrap();
    assert!(patient.wait().unwrap().success());
    let mut after = contents(at);
    assert!(after.remove("net.bif").is_some());
    assert_eq!(after.keys().collect::<Vec<_>>(), before.keys().collect::<Vec<_>>());
    assert_ne!(after["run/run.json"], before["run/run.json"]);
}

#[test]
fn killed_at_any_file_the_run_is_whole_and_the_next_command_clears_up() {
    let desk = desk();
    let at = desk.path();
    fs::write(at.join("run/notes.txt"), "mine").unwrap();
    let staged = |count: usize| {
        move |at: &Path| {
            fs::read_dir(at.join(".clausality-run.part")).is_ok_and(|entries| entries.count() >= count)
        }
    };
    let mut killed = 0;
    for count in 1..=8 {
        let seed = (10 + count).to_string();
        let learn =
            [&["learn", "asia.csv", "--run", "run", "--fresh", "-o", "net.bif", "--seed", &seed], &QUICK[..]]
                .concat();
        let mut child = clausality(at, &learn).spawn().unwrap();
        if until(&mut child, || staged(count)(at)) {
            child.kill().unwrap();
        }
        killed += usize::from(!child.wait().unwrap().success());
        good(at, &["check", "run"]);
        good(at, &["explain", "run", "--node", "dysp"]);
        let names: Vec<String> = fs::read_dir(at.join("run"))
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        assert!(
            FILES.iter().chain(&["notes.txt"]).all(|name| names.contains(&name.to_string())),
            "{names:?}"
        );
    }
    assert!(killed >= 4, "only {killed} of 8 were hit");
    good(at, &[&["learn", "asia.csv", "--run", "run", "--fresh", "-o", "net.bif"], &QUICK[..]].concat());
    let mut left = contents(at).into_keys().collect::<Vec<_>>();
    left.retain(|name| !name.starts_with("run/"));
    assert_eq!(left, ["asia.csv", "net.bif"]);
    assert_eq!(contents(&at.join("run")).len(), FILES.len() + 1);
}

#[test]
fn a_disk_that_takes_no_more_is_an_error_and_changes_nothing() {
    let desk = desk();
    let at = desk.path();
    good(at, &[&["learn", "asia.csv", "--run", "run"], &QUICK[..]].concat());
    let before = contents(at);
    // The largest file that may be written, in blocks of 512 bytes: the signal that comes with it ends nothing.
    for blocks in ["0", "1", "8", "40"] {
        for args in [
            &["learn", "asia.csv", "--seed", "9", "--run", "run", "--fresh"][..],
            &["learn", "asia.csv", "--seed", "9", "--run", "new/run", "--fresh"],
            &["demo", "asia", "--rows", "200", "--run", "run", "--fresh"],
            &["report", "run", "-o", "page.html"],
        ] {
            let quick = if args[0] == "report" { &[][..] } else { &QUICK[..] };
            let output = Command::new("sh")
                .args(["-c", "ulimit -f \"$0\"; exec \"$@\"", blocks, env!("CARGO_BIN_EXE_clausality")])
                .args(args.iter().chain(quick))
                .current_dir(at)
                .stdin(Stdio::null())
                .output()
                .unwrap();
            assert_eq!(output.status.code(), Some(1), "{blocks} {args:?}: {}", stderr(&output));
            let line = stderr(&output);
            assert!(line.lines().last().unwrap().contains("cannot write"), "{line}");
            // What is finished stays, for the same command to go on once there is room: nothing where nothing could be written.
            let mut left = contents(at);
            left.retain(|name, _| blocks == "0" || !name.ends_with("-run.scraps"));
            assert_eq!(left, before, "{blocks} {args:?}");
            assert!(!at.join("new/run").exists());
        }
    }
}

#[test]
fn a_folder_that_cannot_be_exchanged_is_written_all_the_same() {
    let desk = desk();
    let at = desk.path().join("run");
    fs::write(at.join("notes.txt"), "mine").unwrap();
    let before = fs::metadata(&at).unwrap();
    let learn =
        [&["learn", "../asia.csv", "--seed", "4", "--run", ".", "--bootstrap", "2"], &QUICK[..]].concat();
    good(&at, &learn);
    let same = |a: &fs::Metadata, b: &fs::Metadata| {
        use std::os::unix::fs::MetadataExt;
        a.ino() == b.ino()
    };
    assert!(same(&before, &fs::metadata(&at).unwrap()), "whoever stands in it still does");
    good(&at, &["explain", ".", "--node", "dysp"]);
    good(&at, &learn[..6]);
    let names: Vec<String> = contents(desk.path()).into_keys().collect();
    assert_eq!(names.len(), 1 + FILES.len() + 1, "{names:?}");
    good(&at, &["explain", ".", "--node", "dysp"]);
}
