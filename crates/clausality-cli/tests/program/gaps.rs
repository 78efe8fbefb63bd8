//! Gaps as people meet them: what `inspect` and the page say of them, and how `impute` fills them.

use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};

fn clausality(folder: &Path, args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_clausality"));
    command.args(args).current_dir(folder).env("COLUMNS", "80").stdin(Stdio::null()).output().unwrap()
}

#[track_caller]
fn good(folder: &Path, args: &[&str]) -> String {
    let output = clausality(folder, args);
    assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// Who smokes is asked less often for the rest; of rows 301 to 400 one sheet was lost.
fn survey() -> String {
    let mut text = "smokes;age;\"cough; how often\";city\n".to_string();
    for k in 0..600 {
        let smokes = k * 7 % 10 < 4;
        let cough = if smokes && k % 11 < 8 || k % 13 == 0 { "often" } else { "never" };
        let lost = (300..400).contains(&k);
        let unasked = ![0, 99].contains(&(k % 100)) && k * 3 % 10 < if smokes { 5 } else { 1 };
        let age = if lost { String::new() } else { (20 + k * 31 % 50).to_string() };
        let cough = if lost || unasked { "" } else { cough };
        text.push_str(&format!(
            "{};{age};{cough};{}\n",
            ["no", "yes"][usize::from(smokes)],
            ["Rome", "Oslo"][k * k % 7 % 2]
        ));
    }
    text
}

fn desk() -> tempfile::TempDir {
    let desk = tempfile::tempdir().unwrap();
    fs::write(desk.path().join("survey.csv"), survey()).unwrap();
    desk
}

/// Who was found is told only of those who died. Asked about the deaths, screen and page say so in one place, and nobody advises a state.
#[test]
fn a_column_that_gives_the_answer_away_is_too_good() {
    let desk = tempfile::tempdir().unwrap();
    let mut text = "died,body,age\n".to_string();
    for k in 0..600usize {
        let died = k * 7 % 10 < 5;
        let body = if died { ["north", "south"][k * k % 7 % 2] } else { "" };
        text.push_str(&format!(
            "{},{body},{}\n",
            ["no", "yes"][usize::from(died)],
            20 + (k * k * 7 + k / 3) % 50
        ));
    }
    fs::write(desk.path().join("t.csv"), text).unwrap();
    let flat = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let said = "'body' has a value in 100% of the rows where died = yes, in 0% where died = no: known only afterwards? \
                Then leave it out: --type 'body=ignore'";
    for way in [["--target", "died"], ["--unobserved", "died"]] {
        let screen = good(
            desk.path(),
            &["learn", "t.csv", "--run", "run", "-q", "--rounds", "1", "--epochs", "1", way[0], way[1]],
        );
        let too_good = flat(screen.split("Too good to be a finding?").nth(1).unwrap());
        assert!(too_good.starts_with(said), "{screen}");
        let page = fs::read_to_string(desk.path().join("run/report.html")).unwrap();
        let first = page.split("Too good to be a finding?").nth(1).unwrap();
        assert!(
            first.contains("known only afterwards?") && first.contains("--type &#39;body=ignore&#39;"),
            "{first}"
        );
        assert!(!screen.contains("Make it a state") && !page.contains("Make it a state"), "{screen}");
    }
    let told: Value =
        serde_json::from_str(&fs::read_to_string(desk.path().join("run/run.json")).unwrap()).unwrap();
    assert_eq!(
        (&told["twins"][0]["relation"], &told["twins"][0]["leave_out"]),
        (&"presence".into(), &"body".into())
    );
    let args =
        ["evaluate", "t.csv", "--target", "died", "--folds", "2", "-q", "--rounds", "1", "--epochs", "1"];
    assert!(flat(&good(desk.path(), &args)).contains(said));
    // Asked about nothing, it may be no answer; but a state would still repeat the other column.
    let screen = flat(&good(desk.path(), &["inspect", "t.csv", "-q"]));
    let said = "Gaps in 'body' follow from 'died': 100% missing where died = no, 0% where died = yes. They stay gaps: \
                a state for them would repeat 'died'. To predict 'died', leave 'body' out if it is known only afterwards: --type 'body=ignore'";
    assert!(screen.contains(said) && !screen.contains("Make it a state"), "{screen}");
}

/// A storm has a category only where it is a hurricane. A network that takes gaps for values that nobody wrote down does not know it: whoever asks about a
/// category is told, and so is whoever fills the others in.
#[test]
fn a_value_that_some_rows_cannot_have_tells_more_than_which() {
    let desk = tempfile::tempdir().unwrap();
    let at = desk.path();
    let row = |k: usize| {
        let status = ["hurricane", "storm", "wave"][k * k % 11 % 3];
        let category = if status == "hurricane" { ["1", "2", "3"][k * k % 7 % 3] } else { "" };
        let place = if !k.is_multiple_of(5) { ["sea", "land"][k * 7 % 13 % 2] } else { "" };
        format!("{status},{category},{},{place}\n", ["north", "south"][k * 3 % 17 % 2])
    };
    let text = "status,category,side,place\n".to_string() + &(0..900).map(row).collect::<String>();
    fs::write(at.join("t.csv"), text).unwrap();
    let learn = ["learn", "t.csv", "-q", "--rounds", "1", "--epochs", "1", "--type", "place=ignore", "--run"];
    good(at, &[&learn[..], &["run"]].concat());
    let flat = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let query =
        |run: &str, given: &str| flat(&good(at, &["query", run, "--target", "side", "--given", given]));
    let told = query("run", "category=2");
    assert!(
        told.contains("That 'category' has a value tells of 'status', too: 100% missing where status = "),
        "{told}"
    );
    assert!(told.contains("learned with --missing 'category=state' does"), "{told}");
    for given in ["category=2,status=hurricane", "status=hurricane"] {
        assert!(!query("run", given).contains("tells of"), "known already");
    }
    good(at, &[&learn[..], &["stated", "--missing", "category=state"]].concat());
    assert!(!query("stated", "category=2").contains("tells of"), "a state says it");
    let filled = clausality(at, &["impute", "run", "t.csv", "-o", "filled.csv", "--json"]);
    let said = String::from_utf8_lossy(&filled.stderr).into_owned();
    assert!(
        said.contains("gaps of 'category' follow from another column (100% missing where status = "),
        "{said}"
    );
    assert!(
        said.contains("columns that are no nodes of the network keep their gaps: 'place' (180)"),
        "{said}"
    );
    let document: Value = serde_json::from_slice(&filled.stdout).unwrap();
    assert_eq!(document["following"][0]["from"], "status", "{document}");
    assert_eq!((&document["left"][0]["name"], &document["left"][0]["gaps"]), (&"place".into(), &180.into()));
}

#[test]
fn inspect_and_the_page_say_what_gaps_depend_on() {
    let desk = desk();
    let shown = good(desk.path(), &["inspect", "survey.csv", "-q"]);
    assert!(shown.lines().all(|line| line.chars().count() <= 80), "{shown}");
    let about = shown.split("\nGaps\n").nth(1).unwrap_or_else(|| panic!("no section about gaps: {shown}"));
    let about = about.split_whitespace().collect::<Vec<_>>().join(" ");
    for said in ["have no value in rows 301 to 400", "gaps of 'cough; how often' depend on 'smokes': "] {
        assert!(about.contains(said), "{said}: {about}");
    }
    let told: Value = serde_json::from_str(&good(desk.path(), &["inspect", "survey.csv", "--json"])).unwrap();
    assert_eq!(told["gaps"]["blocks"][0]["from"], 301);
    good(desk.path(), &["learn", "survey.csv", "--run", "run", "-q", "--rounds", "1"]);
    let run: Value =
        serde_json::from_str(&fs::read_to_string(desk.path().join("run/run.json")).unwrap()).unwrap();
    assert_eq!(run["gaps"], told["gaps"]);
    let page = fs::read_to_string(desk.path().join("run/report.html")).unwrap();
    assert!(page.contains("<section id=\"gaps\">") && page.contains("href=\"#gaps\""));
    assert!(page.contains("no value in rows 301 to 400"));
}

/// A block of rows lacks three columns that have nothing to do with each other: as states their gaps are tied, and every output says
/// that this is all that the arcs live from.
#[test]
fn arcs_that_live_from_gaps_are_marked_in_every_output() {
    let desk = tempfile::tempdir().unwrap();
    let mut text = "a,b,c,d\n".to_string();
    for k in 0..900usize {
        let cell = |by: usize| if k < 300 { "" } else { ["x", "y"][k * k % by % 2] };
        text.push_str(&format!("{},{},{},{}\n", cell(7), cell(11), cell(13), ["p", "q"][k % 17 % 2]));
    }
    fs::write(desk.path().join("t.csv"), text).unwrap();
    let files = ["arcs.csv", "net.dot", "net.graphml", "net.json", "net.svg"];
    let mut args = vec!["learn", "t.csv", "--missing", "state", "--run", "run", "--rounds", "1", "-q"];
    files.iter().for_each(|file| args.extend(["-o", file]));
    let screen = good(desk.path(), &args);
    let read = |name: &str| fs::read_to_string(desk.path().join(name)).unwrap();
    let run: Value = serde_json::from_str(&read("run/run.json")).unwrap();
    let arcs = run["arcs"].as_array().unwrap();
    let marked = arcs.iter().filter(|arc| arc["gaps"] == true).count();
    assert!(marked >= 2 && marked == arcs.len(), "{arcs:?}");
    assert!(screen.contains("(gaps): lives mostly from gaps"), "{screen}");
    assert_eq!(read("net.svg").matches("lives mostly from gaps").count(), marked);
    assert!(read("run/report.html").contains("(gaps: less than half is gained"));
    let in_all = |folder: &dyn Fn(&str) -> String| {
        assert!(folder("arcs.csv").starts_with("parent,child,gaps\n"));
        assert_eq!(folder("arcs.csv").matches(",true\n").count(), marked);
        assert_eq!(folder("net.dot").matches("[label=gaps]").count(), marked);
        assert_eq!(folder("net.graphml").matches("<data key=\"gaps\">true</data>").count(), marked);
        let json: Value = serde_json::from_str(&folder("net.json")).unwrap();
        assert_eq!(json["extra"]["gaps"].as_array().unwrap().len(), marked);
    };
    in_all(&read);
    // A run and a file that keep the marks hand them on, and the files can be read.
    for from in ["run", "net.json"] {
        let mut args = vec!["convert", from, "-q"];
        let again: Vec<String> = files[..4].iter().map(|file| format!("again-{file}")).collect();
        again.iter().for_each(|file| args.extend(["-o", file]));
        good(desk.path(), &args);
        in_all(&|name| read(&format!("again-{name}")));
    }
    for file in ["arcs.csv", "net.dot"] {
        good(desk.path(), &["check", file]);
    }
}

#[test]
fn without_gaps_nothing_is_said() {
    let desk = tempfile::tempdir().unwrap();
    good(desk.path(), &["sample", "@asia", "-n", "300", "-o", "t.csv"]);
    assert!(!good(desk.path(), &["inspect", "t.csv"]).contains("Gaps"));
    good(desk.path(), &["learn", "t.csv", "--run", "run", "-q", "--rounds", "1"]);
    assert!(!fs::read_to_string(desk.path().join("run/run.json")).unwrap().contains("\"gaps\""));
    assert!(!fs::read_to_string(desk.path().join("run/report.html")).unwrap().contains("id=\"gaps\""));
}

#[test]
fn impute_fills_gaps_and_leaves_the_rest() {
    let desk = desk();
    good(desk.path(), &["learn", "survey.csv", "--run", "run", "-q", "--rounds", "1"]);
    let shown = good(desk.path(), &["impute", "run", "survey.csv", "-o", "filled.csv"]);
    assert!(shown.contains("posterior median"), "{shown}");
    assert!(
        shown.contains("mean probability") && shown.lines().all(|line| line.chars().count() <= 80),
        "{shown}"
    );
    let filled = fs::read_to_string(desk.path().join("filled.csv")).unwrap();
    assert_eq!(good(desk.path(), &["impute", "run", "survey.csv", "-q"]), filled);
    for (before, after) in survey().lines().zip(filled.lines()) {
        let (before, after): (Vec<&str>, Vec<&str>) =
            (before.split(';').collect(), after.split(';').collect());
        assert_eq!(before.len(), after.len());
        for (before, after) in before.iter().zip(after) {
            assert!(*before == after || before.is_empty() && !after.is_empty());
        }
    }
    let args = ["impute", "run", "survey.csv", "--draws", "3", "--seed", "9", "-o", "drawn.csv.gz", "--json"];
    let told: Value = serde_json::from_str(&good(desk.path(), &args)).unwrap();
    assert_eq!(
        (&told["draws"], &told["gaps"], &told["file"]),
        (&3.into(), &told["filled"], &"drawn.csv.gz".into())
    );
    let drawn = good(
        desk.path(),
        &["impute", "run", "survey.csv", "--draws", "3", "--seed", "9", "-q", "--threads", "1"],
    );
    assert!(drawn.starts_with("imputation;smokes;age;") && drawn.lines().count() == 1801);
    assert_eq!(
        good(desk.path(), &["inspect", "drawn.csv.gz", "--json"]).matches("\"missing\": 0").count(),
        5
    );
    let packed = fs::read(desk.path().join("drawn.csv.gz")).unwrap();
    assert_eq!(packed[..2], [0x1f, 0x8b]);
}

#[test]
fn wrong_requests_are_refused_and_leave_nothing() {
    let desk = desk();
    fs::write(desk.path().join("ragged.csv"), "smoke,lung\nyes,no\nyes\n").unwrap();
    for (args, said) in [
        (vec!["impute", "@asia", "survey.csv", "-o", "out.csv"], "no column is a node of the network"),
        (vec!["impute", "@asia", "ragged.csv", "-o", "out.csv"], "ragged.csv:3:1: "),
        (vec!["impute", "@asia", "ragged.csv", "-o", "out.parquet"], "expected .csv, .tsv or .txt"),
        (vec!["impute", "@asia", "ragged.csv", "-o", "ragged.csv"], "ragged.csv"),
        (vec!["impute", "@asia", "ragged.csv", "--json"], "say with -o FILE"),
        (vec!["impute", "@asia", "survey.csv", "--draws", "0", "-o", "out.csv"], "draws is 0"),
    ] {
        let output = clausality(desk.path(), &args);
        let text = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{args:?}: {text}");
        assert!(text.contains(said) && output.stdout.is_empty(), "{args:?}: {text}");
        assert_eq!(fs::read_dir(desk.path()).unwrap().count(), 2, "{args:?}");
    }
}
