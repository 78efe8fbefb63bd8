//! Columns one wants to predict, end to end: `evaluate`, `learn --target` and `predict`, and program = library for the first.

use clausality::data::Uncoded;
use clausality::evaluate::evaluate;
use clausality::{Bounds, Settings, Unwatched, bn, embedded};
use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

/// A sample of asia with a number that follows `lung`.
fn table(rows: usize) -> String {
    let sample = bn::sample(&embedded::network("asia").unwrap(), rows, 3);
    let schema = sample.schema();
    let names: Vec<&str> = schema.variables().iter().map(|v| v.name.as_str()).collect();
    let mut text = format!("{},size\n", names.join(","));
    let mut stream = bn::random::Stream::new(3, "size");
    for row in 0..rows {
        let label = |v: usize| schema.variable(v).states[usize::from(sample.column(v)[row])].clone();
        let cells: Vec<String> = (0..schema.len()).map(label).collect();
        let smokes = f64::from(sample.column(schema.index("smoke").unwrap())[row]);
        text.push_str(&format!("{},{:.3}\n", cells.join(","), smokes + 1.5 * stream.unit()));
    }
    text
}

fn run(at: &Path, line: &str) -> Output {
    let done = Command::new(env!("CARGO_BIN_EXE_clausality")).current_dir(at).args(line.split(' ')).output();
    done.unwrap()
}

fn printed(at: &Path, line: &str) -> String {
    let done = run(at, line);
    assert!(done.status.success(), "{line}: {}", String::from_utf8_lossy(&done.stderr));
    String::from_utf8(done.stdout).unwrap()
}

#[test]
fn evaluating_by_program_and_by_library_is_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    fs::write(at.join("t.csv"), table(400)).unwrap();
    let line = "evaluate t.csv --target bronc --folds 3 --rounds 1 --epochs 1 --json --quiet";
    let once = printed(at, &format!("{line} --threads 1"));
    assert_eq!(once, printed(at, &format!("{line} --threads 2")), "threads leave no trace");
    let settings: Settings =
        serde_json::from_str(r#"{"target": ["bronc"], "folds": 3, "rounds": 1, "epochs": 1}"#).unwrap();
    let sheet = Uncoded::read(at.join("t.csv"), &settings.by_profile().data, &Bounds::default()).unwrap();
    let found = evaluate(&sheet, &settings, &Bounds::default(), &Unwatched).unwrap();
    let document: Value = serde_json::from_str(&once).unwrap();
    assert_eq!(document["targets"], serde_json::to_value(&found).unwrap());
    let results = document["targets"][0]["results"].as_array().unwrap();
    let loss = |k: usize| results[k]["log_loss"]["mean"].as_f64().unwrap();
    assert_eq!(results[0]["by"], "baseline");
    assert!(
        loss(1) < loss(0) && loss(2) < loss(0) && loss(3) < loss(0),
        "dyspnoea says much of bronchitis: {once}"
    );
    let confused: u64 = results[3]["confusion"]
        .as_array()
        .unwrap()
        .iter()
        .flat_map(|row| row.as_array().unwrap())
        .map(|n| n.as_u64().unwrap())
        .sum();
    assert_eq!(confused, 400);
}

#[test]
fn a_learned_target_is_predicted_by_what_won() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let text = table(600);
    fs::write(at.join("t.csv"), &text).unwrap();
    let screen = printed(at, "learn t.csv --target bronc,smoke --run run --quiet");
    assert!(screen.contains("class frequencies") && screen.contains("machines"), "{screen}");
    assert!(screen.lines().all(|line| line.chars().count() <= 80), "{screen}");
    let run_json: Value = serde_json::from_slice(&fs::read(at.join("run/run.json")).unwrap()).unwrap();
    let won = run_json["predictions"][0]["won"].as_str().unwrap().to_string();
    // New rows: a column never seen, one that is gone, a cell without a value.
    let mut lines = text.lines().take(50).map(|line| format!("{line},x"));
    let head = lines.next().unwrap().replace("smoke", "smokes");
    let rows: Vec<String> = lines.collect();
    fs::write(at.join("new.csv"), format!("{head}\n{}\n", rows.join("\n"))).unwrap();
    let done = run(at, "predict run new.csv --target bronc --json -o p.csv");
    let said = String::from_utf8_lossy(&done.stderr).into_owned();
    assert!(done.status.success() && said.contains("bronc is predicted by"), "{said}");
    assert!(said.contains("not used") && !said.contains("as asked"), "{said}");
    let document: Value = serde_json::from_slice(&done.stdout).unwrap();
    assert_eq!((document["by"].as_str(), document["won"].as_str()), (Some(won.as_str()), Some(won.as_str())));
    assert_eq!(document["absent_columns"][0], "smoke");
    assert!(document["evaluation"]["accuracy"].as_f64().unwrap() > 0.7, "{document}");
    assert!(!said.contains("flatter"), "{said}");
    let own =
        String::from_utf8_lossy(&run(at, "predict run t.csv --target bronc -o p.csv").stderr).into_owned();
    assert!(
        own.contains("learned from, so its figures here flatter; on rows held out its accuracy was"),
        "{own}"
    );
    for who in ["network", "machines", "both"] {
        let said = run(at, &format!("predict run new.csv --target bronc --by {who} -o p.csv")).stderr;
        let said = String::from_utf8_lossy(&said).into_owned();
        assert_eq!(said.contains(", as asked"), who != won, "{who}, {won} won: {said}");
        assert_eq!(said.contains("which was best on rows held out"), who == won, "{who}, {won} won: {said}");
        let line = format!("predict run t.csv --target bronc --by {who} --json --quiet -o p.csv");
        let document: Value = serde_json::from_str(&printed(at, &line)).unwrap();
        assert_eq!(document["by"], who);
        assert!(document["evaluation"]["log_loss"].as_f64().unwrap() < 0.5, "{who}: {document}");
    }
    let explained: Value = serde_json::from_str(&printed(at, "explain run --node bronc --json")).unwrap();
    let most = &explained["card"]["columns"][0];
    assert!(["dysp", "smoke"].contains(&most["column"].as_str().unwrap()), "{most}");
    assert!(printed(at, "explain run --node bronc").contains("The machines multiply odds"));
    let unasked: Value = serde_json::from_str(&printed(at, "explain run --node either --json")).unwrap();
    assert!(unasked.get("card").is_none(), "{unasked}");
    let both = printed(at, "predict run t.csv --target bronc,smoke --quiet");
    let head = both.lines().next().unwrap();
    assert!(head.starts_with("row,bronc,P(bronc=") && head.ends_with("smoke actual"), "{head}");
    assert_eq!(both.lines().count(), 601);
}

/// Two thirds of the rows have y = x and count, the others have the contrary and weigh next to nothing: whoever counts rows alike finds
/// a third of all predictions wrong, and in the network's table for x = a a third of the rows with y = b.
#[test]
fn row_weights_reach_every_figure_and_the_probabilities() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let mut stream = bn::random::Stream::new(5, "weights");
    let mut text = "x,y,z,w\n".to_string();
    for k in 0..450 {
        let (x, heavy) = (stream.below(2) as usize, k % 3 > 0);
        let y = if heavy { x } else { 1 - x };
        let weight = if heavy { "1" } else { "0.001" };
        text.push_str(&format!("{},{},{},{weight}\n", ["a", "b"][x], ["a", "b"][y], stream.below(3)));
    }
    fs::write(at.join("t.csv"), text).unwrap();
    let options = "t.csv --target y --row-weights w --rounds 1 --epochs 1 --quiet";
    let number = |value: &Value| value.as_f64().unwrap();
    let evaluated: Value =
        serde_json::from_str(&printed(at, &format!("evaluate {options} --folds 3 --json"))).unwrap();
    for figures in &evaluated["targets"][0]["results"].as_array().unwrap()[1..] {
        assert!(number(&figures["accuracy"]["mean"]) > 0.99, "{figures}");
        assert!(number(&figures["balanced_accuracy"]["mean"]) > 0.99, "{figures}");
        assert!(number(&figures["log_loss"]["mean"]) < 0.1, "{figures}");
        assert!(number(&figures["brier"]["mean"]) < 0.05, "{figures}");
        assert!(number(&figures["auc"]["mean"]) > 0.99, "{figures}");
        assert!(number(&figures["calibration_error"]) < 0.05, "{figures}");
        let confusion = |i: usize, j: usize| number(&figures["confusion"][i][j]);
        assert!(confusion(0, 1) + confusion(1, 0) < 1.0, "weights, not rows: {figures}");
        assert!((confusion(0, 0) + confusion(1, 1) - 450.0).abs() < 1.0, "1 on average: {figures}");
    }
    printed(at, &format!("learn {options} --run run"));
    let run: Value = serde_json::from_slice(&fs::read(at.join("run/run.json")).unwrap()).unwrap();
    for held_out in &run["predictions"][0]["held_out"].as_array().unwrap()[1..] {
        assert!(number(&held_out["accuracy"]) > 0.99 && number(&held_out["log_loss"]) < 0.1, "{held_out}");
    }
    let asked: Value = serde_json::from_str(&printed(at, "query run --target y --given x=a --json")).unwrap();
    assert!(number(&asked["posterior"]["a"]) > 0.98, "{asked}");
    // Rows that the network meets later weigh as much, if they say what they weigh.
    let shown = |line: &str| -> Value { serde_json::from_str(&printed(at, line)).unwrap() };
    let rows_alike: String = fs::read_to_string(at.join("t.csv")).unwrap();
    let rows_alike: String =
        rows_alike.lines().map(|line| line.rsplit_once(',').unwrap().0.to_string() + "\n").collect();
    fs::write(at.join("alike.csv"), rows_alike).unwrap();
    let predicted = |table: &str| shown(&format!("predict run {table} --target y -o p.csv --json --quiet"));
    let (weighed, alike) = (predicted("t.csv"), predicted("alike.csv"));
    assert!(number(&weighed["evaluation"]["accuracy"]) > 0.99, "{weighed}");
    assert!((0.6..0.72).contains(&number(&alike["evaluation"]["accuracy"])), "{alike}");
    let scored =
        |table: &str| number(&shown(&format!("score run {table} --json --quiet"))["log_likelihood_per_row"]);
    assert!(
        scored("t.csv") > -2.0 && scored("alike.csv") < -2.2,
        "{} {}",
        scored("t.csv"),
        scored("alike.csv")
    );
    // As many rows as they are worth are tested, and their tables fit; those that count for nothing speak against it.
    let fit = |table: &str| {
        let tested = shown(&format!("test run {table} --json --quiet"));
        // Of the two one is the other's parent.
        let pair = tested["fit"].as_array().unwrap().iter().filter(|fit| fit["node"] != "z");
        (tested["rows"].as_u64().unwrap(), pair.map(|fit| number(&fit["loss"])).sum::<f64>())
    };
    let ((rows, loss), (all, loss_alike)) = (fit("t.csv"), fit("alike.csv"));
    assert!((295..=305).contains(&rows) && loss < 0.8, "{rows} {loss}");
    assert!(all == 450 && loss_alike > 1.2, "{loss_alike}");
    let compared = shown("compare run run --table t.csv --json --quiet");
    assert!(
        (number(&compared["table"]["learned"]["log_likelihood_per_row"]) - scored("t.csv")).abs() < 1e-9,
        "{compared}"
    );
    // A prediction needs no weights.
    fs::write(at.join("new.csv"), "x,z,w\na,1,\nb,2,-1\n").unwrap();
    for (command, told) in [
        ("predict run t.csv --target y -o p.csv", "column 'w' says how much each row counts"),
        ("predict run new.csv --target y -o p.csv", "has gaps here, or cells that are no weights"),
        ("test run alike.csv", "which is not here: every row counts once"),
    ] {
        let said = String::from_utf8_lossy(&crate::run(at, command).stderr).into_owned();
        assert!(said.contains(told), "{command}: {said}");
    }
    // Probabilities that are fitted again, under the network's states.
    printed(at, "fit run t.csv --row-weights w -o again.json --quiet");
    let fitted = printed(at, "fit run t.csv --row-weights w -o again.json");
    assert!(fitted.contains(&format!("{:.4} a row", scored("t.csv"))), "{fitted}");
    let asked = shown("query again.json --target y --given x=a --json");
    assert!(number(&asked["posterior"]["a"]) > 0.98, "{asked}");
    let refused = crate::run(at, "fit run t.csv --row-weights v -o again.json --quiet");
    assert!(
        String::from_utf8_lossy(&refused.stderr).contains("names column 'v', which the table does not have"),
        "{refused:?}"
    );
}

#[test]
fn what_cannot_be_predicted_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    fs::write(at.join("t.csv"), table(60)).unwrap();
    for (line, expected) in [
        ("evaluate t.csv", "--target"),
        ("evaluate t.csv --target brunc --folds 3", "did you mean"),
        ("evaluate t.csv --target bronc --folds 1", "folds"),
        (
            "learn t.csv --folds 3",
            "folds is 3, but no column is to be predicted; it must be left out, or given together with a target",
        ),
        ("learn t.csv --target lung,lung", "target is 'lung' twice"),
        (
            "learn t.csv --target lung --parameter smoke,lung",
            "target 'lung' and parameter 'lung' contradict each other",
        ),
        (
            "learn t.csv --levels smoke=no<yes --type smoke=numeric",
            "levels 'smoke=no<yes' and type 'smoke=numeric' contradict each other",
        ),
        ("learn t.csv --prior-weight 1e300", "prior-weight is 1e300; it must be above 0"),
        ("predict @asia t.csv --target lung --by machines", "no machines were trained"),
    ] {
        let done = run(at, line);
        let said = String::from_utf8_lossy(&done.stderr).into_owned();
        assert_eq!(done.status.code(), Some(2), "{line}: {said}");
        assert!(said.contains(expected), "{line}: {said}");
    }
}
