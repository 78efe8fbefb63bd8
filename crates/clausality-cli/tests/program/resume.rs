//! Killed at any moment and begun again, a run has the bytes of one that nobody disturbed. The long version, with 200 kills, is
//! `validation/resume.sh`.
#![cfg(target_os = "linux")]

use crate::ran::{piped as clausality, stderr};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

#[track_caller]
fn good(folder: &Path, args: &[&str]) -> String {
    let output = clausality(folder, args).output().unwrap();
    assert!(output.status.success(), "{args:?}: {}", stderr(&output));
    stderr(&output)
}

/// The one line of a command that fails with this code.
#[track_caller]
fn bad(folder: &Path, args: &[&str], code: i32) -> String {
    let output = clausality(folder, args).output().unwrap();
    assert_eq!(output.status.code(), Some(code), "{args:?}: {}", stderr(&output));
    stderr(&output).lines().last().unwrap().to_string()
}

/// Runs a command and kills it after a while; whether it was hit.
fn killed(folder: &Path, args: &[&str], after: Duration) -> bool {
    let mut child = clausality(folder, args).stderr(Stdio::null()).stdout(Stdio::null()).spawn().unwrap();
    std::thread::sleep(after);
    child.kill().unwrap();
    !child.wait().unwrap().success()
}

/// Runs a command and kills it as soon as this is so, however fast the machine is just now; whether it was hit.
fn killed_when(folder: &Path, args: &[&str], mut is_so: impl FnMut() -> bool) -> bool {
    let mut child = clausality(folder, args).stderr(Stdio::null()).stdout(Stdio::null()).spawn().unwrap();
    while !is_so() && child.try_wait().unwrap().is_none() {
        std::thread::sleep(Duration::from_millis(1));
    }
    child.kill().unwrap();
    !child.wait().unwrap().success()
}

/// How many bytes are kept for who goes on with this run.
fn kept(folder: &Path) -> u64 {
    fs::metadata(folder.join(".clausality-run.scraps")).map_or(0, |about| about.len())
}

/// Every file below, hidden ones too; how long the work took is left out.
fn contents(folder: &Path) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    let mut open = vec![folder.to_path_buf()];
    while let Some(at) = open.pop() {
        for entry in fs::read_dir(&at).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path);
                continue;
            }
            let name = path.strip_prefix(folder).unwrap().to_str().unwrap().to_string();
            let text = String::from_utf8_lossy(&fs::read(&path).unwrap()).into_owned();
            found.insert(name, timeless(&text));
        }
    }
    found
}

/// A document without the figures that stand at the word "seconds".
fn timeless(text: &str) -> String {
    let digit = |c: char| c.is_ascii_digit() || ".,e-".contains(c);
    let line = |line: &str| match line.contains("seconds") {
        true => line.replace(digit, ""),
        false => line.to_string(),
    };
    text.lines().map(line).collect::<Vec<_>>().join("\n")
}

/// Numbers from 0 to 1 that look random.
fn draws(seed: u64) -> impl Iterator<Item = f64> {
    let step = |x: &u64| Some(x.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407));
    std::iter::successors(step(&seed), step).map(|x| (x >> 33) as f64 / (1u64 << 31) as f64)
}

const COMMANDS: [&[&str]; 4] = [
    &["learn", "asia.csv", "--run", "run", "--bootstrap", "6", "--rounds", "12"],
    &["learn", "asia.csv", "--run", "run", "--profile", "paper", "--bootstrap", "2"],
    &["learn", "asia.csv", "--run", "run", "--target", "dysp", "--folds", "2", "--rounds", "12"],
    &["demo", "asia", "--rows", "400", "--run", "run"],
];

#[test]
fn killed_and_resumed_is_as_if_nothing_had_been() {
    let draws = &mut draws(19);
    let (mut kills, mut resumed) = (0, 0);
    for args in COMMANDS {
        let template = tempfile::tempdir().unwrap();
        good(template.path(), &["sample", "@asia", "-n", "600", "-o", "asia.csv"]);
        let (start, mut most) = (Instant::now(), 0);
        let to_the_end = || {
            most = most.max(kept(template.path()));
            false
        };
        assert!(!killed_when(template.path(), args, to_the_end), "{args:?} fails");
        let usual = start.elapsed();
        let undisturbed = contents(template.path());
        let mut hit = 0;
        for _ in 0..30 {
            if hit >= 5 {
                break;
            }
            let desk = tempfile::tempdir().unwrap();
            fs::copy(template.path().join("asia.csv"), desk.path().join("asia.csv")).unwrap();
            // Again and again, as long as it is hit; then to the end. First where some work is kept, then at any moment.
            for (turn, share) in draws.take(4).enumerate() {
                let enough = (most as f64 * (0.2 + 0.7 * share)) as u64;
                let was_hit = match turn {
                    0 => killed_when(desk.path(), args, || kept(desk.path()) >= enough),
                    // Where other tests took the machine's time when the usual was measured, most of it is too late.
                    _ => killed(desk.path(), args, usual.mul_f64(share * share)),
                };
                if !was_hit {
                    break;
                }
                hit += 1;
                assert!(!desk.path().join("run").exists() || desk.path().join("run/run.json").exists());
            }
            resumed += usize::from(good(desk.path(), args).contains("resumed: "));
            let found = contents(desk.path());
            assert!(found.keys().eq(undisturbed.keys()), "{args:?}: {:?}", found.keys());
            for (name, text) in &found {
                assert!(*text == undisturbed[name], "{args:?}: {name} differs");
            }
        }
        kills += hit;
    }
    assert!(kills >= 20, "only {kills} kills hit");
    assert!(resumed >= 4, "only {resumed} found anything");
}

/// Rows of a table with more than are held: nothing of the first pass, of coding or of counting is lost that was finished, and nothing is left.
#[test]
fn more_rows_than_are_held_killed_and_resumed() {
    let args =
        ["learn", "rows.csv", "--run", "run", "--rows-held", "2000", "--missing", "state", "--rounds", "4"];
    let template = tempfile::tempdir().unwrap();
    good(template.path(), &["sample", "@child", "-n", "60000", "-o", "rows.csv"]);
    let start = Instant::now();
    good(template.path(), &args);
    let usual = start.elapsed();
    let undisturbed = contents(template.path());
    assert!(undisturbed.keys().all(|name| !name.starts_with('.')), "{:?}", undisturbed.keys());
    let (mut resumed, mut draws) = (0, draws(7));
    let at = |desk: &Path, ending: &str| desk.join(format!(".clausality-run.{ending}"));
    let (mut with_rows, mut with_codes) = (0, 0);
    for round in 0..6 {
        let desk = tempfile::tempdir().unwrap();
        fs::hard_link(template.path().join("rows.csv"), desk.path().join("rows.csv")).unwrap();
        // First where rows or codes are kept, then at any moment.
        let file = at(desk.path(), ["rows", "shards"][round % 2]);
        for (turn, share) in draws.by_ref().take(3).enumerate() {
            let was_hit = match turn {
                0 => killed_when(desk.path(), &args, || file.exists()),
                _ => killed(desk.path(), &args, usual.mul_f64(share)),
            };
            if !was_hit {
                break;
            }
            with_rows += usize::from(at(desk.path(), "rows").exists());
            with_codes += usize::from(at(desk.path(), "shards").exists());
        }
        resumed += usize::from(good(desk.path(), &args).contains("parts of the codes were there"));
        let found = contents(desk.path());
        assert!(found.keys().eq(undisturbed.keys()), "{:?}", found.keys());
        for (name, text) in &found {
            assert!(*text == undisturbed[name], "{name} differs");
        }
    }
    assert!(with_rows > 0 && with_codes > 0, "{with_rows} {with_codes} {resumed}");
}

/// Killed within a search, as soon as it has told where it is, a run goes on from there.
#[test]
fn killed_within_a_search_it_goes_on_from_its_checkpoint() {
    let args = ["learn", "rows.csv", "--run", "run", "--rounds", "1"];
    let template = tempfile::tempdir().unwrap();
    good(template.path(), &["sample", "@alarm", "-n", "3000", "-o", "rows.csv"]);
    good(template.path(), &args);
    let undisturbed = contents(template.path());
    let (mut killed, mut resumed) = (0, 0);
    for told in [
        "checkpoint 0 of order",
        "checkpoint 1 of order",
        "checkpoint 3 of order",
        "checkpoint 0 of directions",
    ] {
        let desk = tempfile::tempdir().unwrap();
        fs::copy(template.path().join("rows.csv"), desk.path().join("rows.csv")).unwrap();
        let scraps = desk.path().join(".clausality-run.scraps");
        let mut child = clausality(desk.path(), &args).stderr(Stdio::null()).spawn().unwrap();
        let there = || fs::read(&scraps).is_ok_and(|bytes| String::from_utf8_lossy(&bytes).contains(told));
        while child.try_wait().unwrap().is_none() && !there() {
            std::thread::sleep(Duration::from_millis(5));
        }
        child.kill().unwrap();
        killed += usize::from(!child.wait().unwrap().success());
        resumed += usize::from(good(desk.path(), &args).contains("steps of the search were there"));
        let found = contents(desk.path());
        assert!(found.keys().eq(undisturbed.keys()), "{told}: {:?}", found.keys());
        for (name, text) in &found {
            assert!(*text == undisturbed[name], "{told}: {name} differs");
        }
    }
    assert!(killed >= 3 && resumed >= 1, "{killed} killed, {resumed} resumed");
}

/// A folder with a table and what an interrupted run left beside `run`.
fn interrupted() -> tempfile::TempDir {
    let desk = tempfile::tempdir().unwrap();
    let at = desk.path();
    good(at, &["sample", "@asia", "-n", "600", "-o", "asia.csv"]);
    let scraps = at.join(".clausality-run.scraps");
    let mut child = clausality(at, COMMANDS[0]).spawn().unwrap();
    while fs::metadata(&scraps).map_or(0, |about| about.len()) < 30_000 {
        assert!(child.try_wait().unwrap().is_none(), "it was over before it was interrupted");
        std::thread::sleep(Duration::from_millis(1));
    }
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    let ended = child.wait_with_output().unwrap();
    assert_eq!(ended.status.code(), Some(130));
    assert_eq!(stderr(&ended), "error: interrupted; the same command goes on from here\n");
    assert!(scraps.exists() && !at.join(".clausality-run.lock").exists());
    desk
}

#[test]
fn other_work_is_refused_in_a_sentence_and_fresh_starts_anew() {
    let desk = interrupted();
    let at = desk.path();
    let with = |more: &[&'static str]| [COMMANDS[0], more].concat();
    let line = bad(at, &with(&["--seed", "2"]), 2);
    assert!(line.contains("run: the run that was interrupted here had seed 1, and this has 2"), "{line}");
    assert!(line.contains("--fresh"), "{line}");
    let line = bad(at, &with(&["--max-parents", "2", "--seed", "2"]), 2);
    assert!(line.contains("max-parents not given, and this has 2 (and another setting differs)"), "{line}");
    good(at, &["sample", "@asia", "-n", "600", "--seed", "2", "-o", "other.csv"]);
    let mut other = with(&[]);
    other[1] = "other.csv";
    assert!(
        bad(at, &other, 2).contains("was of another table, or of the table before it was changed (rows and")
    );
    // What is known to differ is named.
    good(at, &["sample", "@asia", "-n", "500", "-o", "other.csv"]);
    let line = bad(at, &other, 2);
    assert!(
        line.contains("was of 600 rows of 8 columns, and this table has 500 rows of 8 columns"),
        "{line}"
    );
    good(at, &["sample", "@cancer", "-n", "600", "-o", "other.csv"]);
    let line = bad(at, &other, 2);
    assert!(
        line.contains("was of a table with columns 'asia', ") && line.contains(", and this has columns "),
        "{line}"
    );
    let line = bad(at, &["demo", "asia", "--rows", "400", "--run", "run"], 2);
    assert!(line.contains("was of `learn`, and this is `demo`"), "{line}");
    // Nothing is lost by commands that come to nothing, nor by the first pass of one that is refused.
    let scraps = at.join(".clausality-run.scraps");
    let (told, rows) = (fs::read(&scraps).unwrap(), at.join(".clausality-run.rows"));
    fs::write(&rows, "what was told to others").unwrap();
    bad(at, &["learn", "nowhere.csv", "--run", "run", "--fresh"], 2);
    bad(at, &with(&["--fresh", "--target", "nobody"]), 2);
    good(at, &["sample", "@asia", "-n", "3000", "-o", "long.csv"]);
    let line = bad(at, &["learn", "long.csv", "--run", "run", "--rows-held", "1000"], 2);
    assert!(line.contains("was interrupted here had "), "{line}");
    assert_eq!(
        (fs::read(&scraps).unwrap(), fs::read(&rows).unwrap()),
        (told, b"what was told to others".to_vec())
    );
    // What changes no result is no difference, and a torn end is dropped.
    let mut bytes = fs::read(&scraps).unwrap();
    let (length, half) = (bytes.len(), bytes.len() / 2);
    bytes[half] ^= 1;
    fs::write(&scraps, &bytes[..length - 7]).unwrap();
    let told = good(at, &with(&["--threads", "1", "--memory-limit", "2G", "--top", "3"]));
    assert!(told.contains("resumed: ") && told.contains("tasks were there"), "{told}");
    assert!(!scraps.exists());
    let desk = interrupted();
    let told = good(desk.path(), &with(&["--seed", "2", "--fresh"]));
    assert!(!told.contains("resumed"), "{told}");
    assert!(!desk.path().join(".clausality-run.scraps").exists());
}

#[test]
fn what_fails_for_good_leaves_nothing() {
    let desk = tempfile::tempdir().unwrap();
    let at = desk.path();
    good(at, &["sample", "@asia", "-n", "150", "-o", "asia.csv"]);
    let before = contents(at);
    // Found out when the network is learned and the folds are dealt.
    let line = bad(at, &["learn", "asia.csv", "--run", "run", "--target", "dysp", "--folds", "100"], 2);
    assert!(line.contains("too few for 100 folds"), "{line}");
    assert_eq!(contents(at), before);
}
