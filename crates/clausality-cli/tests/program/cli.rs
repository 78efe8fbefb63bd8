//! The program as people and scripts meet it: what it prints where, exit codes, files left and not left behind.

use crate::ran::{stderr, stdout};
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

fn clausality(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_clausality"));
    command.args(args).env("COLUMNS", "80").env_remove("NO_COLOR").stdin(Stdio::null());
    command
}

fn run(args: &[&str]) -> Output {
    clausality(args).output().unwrap()
}

/// The exit code and the one `error:` line; nothing else may stand on stderr but warnings.
#[track_caller]
fn error_line(output: &Output, code: i32) -> String {
    let text = stderr(output);
    assert_eq!(output.status.code(), Some(code), "{text}");
    let others: Vec<&str> = text.lines().filter(|line| !line.starts_with("warning: ")).collect();
    assert_eq!(others.len(), 1, "{text}");
    assert!(others[0].starts_with("error: "), "{text}");
    others[0].to_string()
}

fn tables() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../clausality/tests/data")
}

/// The table's name as given, relative to the folder the program runs in.
fn inspect_committed(table: &str, args: &[&str]) -> String {
    let output = clausality(&["inspect", table]).args(args).current_dir(tables()).output().unwrap();
    assert!(output.status.success(), "{}", stderr(&output));
    format!("{}\n--- stderr ---\n{}", stdout(&output), stderr(&output))
}

#[test]
fn inspect_titanic() {
    insta::assert_snapshot!(inspect_committed("titanic.csv", &[]));
}

#[test]
fn inspect_wine_by_width() {
    insta::assert_snapshot!(inspect_committed("wine.csv", &["--discretize", "width", "--bins", "3"]));
}

#[test]
fn inspect_weather() {
    insta::assert_snapshot!(inspect_committed(
        "seattle-weather.csv",
        &["--levels", "weather=sun<fog<drizzle<rain<snow"]
    ));
}

#[test]
fn inspect_weather_as_json() {
    insta::assert_snapshot!(inspect_committed("seattle-weather.csv", &["--json", "--type", "date=ignore"]));
}

#[test]
fn networks() {
    insta::assert_snapshot!(stdout(&run(&["networks"])));
    let list: serde_json::Value = serde_json::from_str(&stdout(&run(&["networks", "--json"]))).unwrap();
    assert!(list.as_array().unwrap().iter().all(|network| network["citation"].is_string()));
}

#[test]
fn everything_fits_eighty_columns() {
    for table in ["titanic.csv", "wine.csv", "seattle-weather.csv"] {
        let output = clausality(&["inspect", table]).current_dir(tables()).output().unwrap();
        for line in stdout(&output).lines() {
            assert!(line.chars().count() <= 80, "{line}");
        }
    }
    // A table far away, or with a long name.
    let folder = tempfile::tempdir().unwrap();
    let name = "the-answers-of-everybody-whom-we-asked-in-the-last-year-but-one.csv";
    std::fs::copy(tables().join("wine.csv"), folder.path().join(name)).unwrap();
    let output = clausality(&["inspect", name]).current_dir(&folder).output().unwrap();
    for line in stdout(&output).lines() {
        assert!(line.chars().count() <= 80, "{line}");
    }
}

#[test]
fn colour_comes_when_asked_for() {
    let wine = tables().join("wine.csv");
    let wine = wine.to_str().unwrap();
    assert!(!stdout(&run(&["inspect", wine])).contains('\u{1b}'), "no terminal, no colour");
    assert!(stdout(&run(&["inspect", wine, "--color", "always"])).contains("\u{1b}[1m"));
}

#[test]
fn bad_usage_is_one_line_and_exit_code_2() {
    for (args, part) in [
        (vec!["inspekt"], "inspekt"),
        (vec!["inspect"], "<TABLE>"),
        (vec!["inspect", "x.csv", "--bins", "many"], "--bins"),
        (vec!["inspect", "x.csv", "--type", "a=word"], "'word' is no type"),
        (vec!["inspect", "x.csv", "--discretize", "evenly"], "quantile"),
        (vec!["inspect", "x.csv", "--memory-limit", "much"], "no size"),
        (vec!["inspect", "x.csv", "--bins", "1"], "between 2 and 50"),
        (vec!["inspect", "x.csv", "--threads", "0"], "--threads"),
        (vec!["inspect", "no-such-file.csv"], "no-such-file.csv: there is no such file"),
        (vec!["inspect", "."], "there is no table in this folder"),
        (vec!["inspect", "x.parquet", "--config", "nowhere.toml"], "nowhere.toml: there is no such file"),
    ] {
        let line = error_line(&run(&args), 2);
        assert!(line.contains(part), "{line}");
    }
    let bare = run(&[]);
    assert!(error_line(&bare, 2).contains("which command"));
    assert!(stdout(&bare).contains("inspect"), "the commands are listed");
}

#[test]
fn help_and_completions_are_results() {
    let help = run(&["inspect", "--help"]);
    assert!(help.status.success() && stdout(&help).contains("Example"));
    assert!(stdout(&run(&["--version"])).starts_with("clausality "));
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let script = run(&["completions", shell]);
        assert!(script.status.success() && stdout(&script).contains("inspect"), "{shell}");
    }
}

fn write(folder: &Path, name: &str, content: impl AsRef<[u8]>) -> String {
    let path = folder.join(name);
    fs::write(&path, content).unwrap();
    path.to_str().unwrap().to_string()
}

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

fn good_table() -> String {
    "a,b,c\n".to_string() + &"1,x,5\n2,y,6\n3,x,7\n4,y,8\n5,x,9\n".repeat(24)
}

#[test]
fn names_from_data_cannot_move_the_cursor() {
    let folder = tempfile::tempdir().unwrap();
    let evil = "a\u{1b}[31m\u{202e},\"b\nc\"\n".to_string() + &"1,x\u{7}\n2,y\n".repeat(60);
    let output = run(&["inspect", &write(folder.path(), "e.csv", &evil)]);
    assert!(output.status.success());
    let shown = stdout(&output) + &stderr(&output);
    assert!(
        shown.contains("a\\u{1b}[31m\\u{202e}") && shown.contains("b\\nc") && shown.contains("x\\u{7}"),
        "{shown}"
    );
    assert!(!shown.contains('\u{1b}') && !shown.contains('\u{202e}') && !shown.contains('\u{7}'));
    let twice = write(folder.path(), "t.csv", "a\u{1b}[31m,a\u{1b}[31m\n1,2\n");
    assert!(error_line(&run(&["inspect", &twice]), 2).contains("duplicate column name 'a\\u{1b}[31m'"));
}

#[test]
fn standard_input_and_gzip() {
    let mut child =
        clausality(&["inspect", "-", "--json"]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(good_table().as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    let piped: serde_json::Value = serde_json::from_str(&stdout(&output)).unwrap();
    assert_eq!(piped["rows"], 120);
    let folder = tempfile::tempdir().unwrap();
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    gzip.write_all(good_table().as_bytes()).unwrap();
    let packed = write(folder.path(), "t.csv.gz", gzip.finish().unwrap());
    let packed: serde_json::Value =
        serde_json::from_str(&stdout(&run(&["inspect", &packed, "--json"]))).unwrap();
    assert_eq!(packed["fingerprint"], piped["fingerprint"]);
}

#[test]
fn limits_are_exit_code_3() {
    let folder = tempfile::tempdir().unwrap();
    let table = write(folder.path(), "t.csv", good_table());
    let line = error_line(&run(&["inspect", &table, "--memory-limit", "1K"]), 3);
    assert!(line.contains("t.csv: ") && line.contains("--memory-limit"), "{line}");
    let mut member = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    // Long cells: what is tried is the limit, not how many cells are read before it.
    member.write_all(format!("{},b\n", "a".repeat(4093)).repeat(1 << 8).as_bytes()).unwrap();
    let bomb = write(folder.path(), "bomb.csv.gz", member.finish().unwrap().repeat(300));
    assert!(error_line(&run(&["inspect", &bomb]), 3).contains("decompresses to more than"));
}

#[test]
fn a_reader_that_leaves_is_no_error() {
    let folder = tempfile::tempdir().unwrap();
    let header: Vec<String> = (0..3000).map(|k| format!("a_rather_long_column_name_{k}")).collect();
    let row: Vec<String> = (0..3000).map(|k| (k % 2).to_string()).collect();
    let other: Vec<String> = (0..3000).map(|k| (k % 3).to_string()).collect();
    let text = format!("{}\n{}\n{}\n", header.join(","), row.join(","), other.join(","));
    let table = write(folder.path(), "wide.csv", text);
    let mut child =
        clausality(&["inspect", &table]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert!(!stderr(&output).contains("error"), "{}", stderr(&output));
}

#[test]
fn configuration_files_have_the_names_of_the_options_and_yield_to_them() {
    let folder = tempfile::tempdir().unwrap();
    let table = write(folder.path(), "t.csv", good_table());
    let config = write(folder.path(), "c.toml", "bins = 2\nseed = 9\n[type]\nc = 'ignore'\n");
    let read = |args: &[&str]| -> serde_json::Value {
        let output =
            clausality(&["inspect", &table, "--json", "--config", &config]).args(args).output().unwrap();
        serde_json::from_str(&stdout(&output)).unwrap()
    };
    let from_file = read(&[]);
    assert_eq!((&from_file["params"]["bins"], &from_file["seed"]), (&2.into(), &9.into()));
    assert_eq!(from_file["columns"][2]["kind"], "ignored");
    let overruled = read(&["--bins", "3", "--type", "c=keep", "--seed", "4"]);
    assert_eq!((&overruled["params"]["bins"], &overruled["seed"]), (&3.into(), &4.into()));
    assert_eq!(overruled["columns"][2]["kind"], "numeric");

    for (text, place) in [
        ("bins = 3\n\nbinz = 4\n", "w.toml:3:1: there is no option 'binz'; did you mean 'bins'?"),
        ("seed = 7\nthreads = \"two\nrounds = 20\n", "w.toml:2:"),
        ("bins = 2\nmissing = 'no'\n", "w.toml:2:11: "),
        ("bins = -2\n", "w.toml:1:8: "),
        ("seed = 7\noutput = 'x'\n", "w.toml:2:1: 'output' is no setting: give it on the command line"),
        ("memory-limit = 0\n", "w.toml:1:16: "),
    ] {
        let wrong = write(folder.path(), "w.toml", text);
        let line = error_line(&run(&["inspect", &table, "--config", &wrong]), 2);
        assert!(line.contains(place), "{line}");
    }
}

#[test]
fn files_are_written_whole_or_not_at_all() {
    let folder = tempfile::tempdir().unwrap();
    let table = write(folder.path(), "t.csv", good_table());
    let bad = write(folder.path(), "bad.csv", "a,b\n1,2,3\n");
    let out = folder.path().join("coded.csv");
    let out = out.to_str().unwrap();
    fs::write(out, "precious").unwrap();
    error_line(&run(&["inspect", &bad, "-o", out]), 2);
    assert_eq!(fs::read_to_string(out).unwrap(), "precious");
    assert!(run(&["inspect", &table, "-o", out]).status.success());
    assert!(fs::read_to_string(out).unwrap().starts_with("a,b,c\n"));
    assert_eq!(names(folder.path()), ["bad.csv", "coded.csv", "t.csv"]);
    let nowhere = folder.path().join("no/such/folder.csv");
    error_line(&run(&["inspect", &table, "-o", nowhere.to_str().unwrap()]), 1);
}

#[cfg(unix)]
#[test]
fn an_interrupt_leaves_nothing_behind() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("coded.csv");
    let mut child = clausality(&["inspect", "-", "-o", out.to_str().unwrap()])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // Waiting for a child closes its input unless somebody else holds it: the interrupt must come first.
    let input = child.stdin.take();
    // It waits for its input with the output reserved; the reservation is how we know that it is there.
    for _ in 0..2000 {
        if !names(folder.path()).is_empty() {
            break;
        }
        std::thread::yield_now();
        std::thread::park_timeout(std::time::Duration::from_millis(5));
    }
    assert_eq!(names(folder.path()).len(), 1);
    let killed = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(killed.success());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130));
    assert_eq!(stderr(&output), "error: interrupted\n");
    drop(input);
    assert!(names(folder.path()).is_empty(), "{:?}", names(folder.path()));
}

#[test]
fn formats_that_were_not_built_in_say_how_to_get_them() {
    let folder = tempfile::tempdir().unwrap();
    for (name, feature) in [("t.parquet", "parquet"), ("t.feather", "arrow")] {
        let path = write(folder.path(), name, "PAR1");
        let line = error_line(&run(&["inspect", &path]), 2);
        let said = line.contains(&format!("the feature `{feature}`")) || line.contains("not a readable");
        assert!(said, "{line}");
    }
}
