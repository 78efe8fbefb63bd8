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

/// What stands below a sentence is of whom the sentence speaks, and classes that begin alike are told apart.
#[test]
fn confusions_are_those_of_the_sentence_above_them() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let row = |k: usize| {
        let class = ["tropical storm", "tropical depression", "wave"][k * k % 7 % 3];
        let hint = if !k.is_multiple_of(6) { &class[class.len() - 3..] } else { "?!" };
        format!("{class},{hint},{}\n", k * 5 % 11 % 4)
    };
    let text = "class,hint,other\n".to_string() + &(0..300).map(row).collect::<String>();
    fs::write(at.join("t.csv"), text).unwrap();
    let screen = printed(at, "evaluate t.csv --target class --folds 3 --rounds 1 --epochs 1 --quiet");
    let flat = screen.split_whitespace().collect::<Vec<_>>().join(" ");
    let share: f64 = flat.split("it predicts ").nth(1).unwrap().split(' ').next().unwrap().parse().unwrap();
    let table: Vec<&str> = screen.lines().skip_while(|line| !line.starts_with("truth,")).collect();
    assert!(table[0].split_whitespace().rev().take(3).eq(["3", "2", "1"]), "{screen}");
    assert!(table[2].starts_with("1 ") && table[2].contains("tropical "), "{screen}");
    let counts = |line: &&str| -> Vec<f64> {
        let cells = line.split_whitespace().rev().take(3).map(|cell| cell.parse().unwrap());
        cells.collect::<Vec<_>>().into_iter().rev().collect()
    };
    let rows: Vec<Vec<f64>> = table[2..5].iter().map(counts).collect();
    let right: f64 = (0..3).map(|k| rows[k][k]).sum();
    assert!((100.0 * right / 300.0 - share).abs() < 0.051, "{screen}");
}

/// Rows that lack a cell which tells, and cells that are empty anywhere.
#[test]
fn what_is_missing_is_said_in_rows_and_in_cells() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let text = |holes: bool| {
        let row = |k: usize| {
            let x = ["a", "b"][k * k % 7 % 2];
            let hole = |every: usize, cell: &str| {
                if holes && k.is_multiple_of(every) { String::new() } else { cell.to_string() }
            };
            format!("{},{},{x}\n", hole(10, x), hole(4, ["u", "v", "w"][k * 5 % 11 % 3]))
        };
        "x,noise,y\n".to_string() + &(0..400).map(row).collect::<String>()
    };
    fs::write(at.join("t.csv"), text(false)).unwrap();
    fs::write(at.join("new.csv"), text(true)).unwrap();
    printed(
        at,
        "learn t.csv --run run --quiet --rounds 1 --epochs 1 --require x->y --forbid noise->y --forbid y->noise --forbid noise->x --forbid x->noise",
    );
    let screen = printed(at, "predict run new.csv --target y -o said.csv");
    let flat = screen.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        flat.contains("incomplete 40 rows without a cell that y hangs on, predicted from the rest"),
        "{screen}"
    );
    assert!(flat.contains("cells 140 empty in all rows together"), "{screen}");
}

/// Who predicts may have met gaps in a column and not know what it says all the same: absent, empty and unseen are counted alike.
#[test]
fn whoever_predicts_says_what_is_not_there() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let cells = |k: usize| (k * k % 7 % 2, k * 5 % 11 % 3, k % 20 == 3);
    let table = |head: &str, row: &dyn Fn(usize) -> String| {
        format!("{head}\n") + &(0..400).map(|k| row(k) + "\n").collect::<String>()
    };
    let full = |k: usize| {
        let (x, other, gap) = cells(k);
        let y = if k % 9 == 4 { 1 - x } else { x };
        let x = if gap { "" } else { ["a", "b"][x] };
        format!("{x},{},{}", ["u", "v", "w"][other], ["no", "yes"][y])
    };
    fs::write(at.join("t.csv"), table("x,other,y", &full)).unwrap();
    printed(at, "learn t.csv --target y --run run --quiet --rounds 1 --epochs 2");
    let without = |k: usize| full(k).split_once(',').unwrap().1.to_string();
    fs::write(at.join("absent.csv"), table("other,y", &without)).unwrap();
    let unseen = |k: usize| format!("{},{}", if k.is_multiple_of(4) { "c" } else { "a" }, without(k));
    fs::write(at.join("unseen.csv"), table("x,other,y", &unseen)).unwrap();
    for by in ["network", "machines", "both"] {
        let incomplete = |table: &str| {
            let line = format!("predict run {table} --target y --by {by} -o said.csv --json --quiet");
            let said: Value = serde_json::from_str(&printed(at, &line)).unwrap();
            said["incomplete_rows"].as_u64().unwrap()
        };
        assert_eq!(
            [incomplete("t.csv"), incomplete("absent.csv"), incomplete("unseen.csv")],
            [20, 400, 100],
            "{by}"
        );
    }
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
    let both = run(at, "predict run t.csv --target bronc,smoke -o p.csv").stderr;
    let both = String::from_utf8_lossy(&both).into_owned();
    assert_eq!(both.matches("flatter").count(), 1, "{both}");
    assert!(both.contains("held out the accuracy of 'bronc' was"), "{both}");
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
    let counts = [&most["least_rows"], &most["most_rows"], &explained["card"]["rules"][0]["rows"]];
    assert!(counts.iter().all(|rows| rows.as_u64().is_some_and(|rows| (1..=600).contains(&rows))), "{most}");
    let text = printed(at, "explain run --node bronc");
    assert!(text.contains("The machines multiply odds"), "{text}");
    assert!(text.lines().any(|line| line.contains("least where") && line.contains("rows")), "{text}");
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
    let own =
        String::from_utf8_lossy(&self::run(at, "predict run t.csv --target y -o p.csv").stderr).into_owned();
    assert!(own.contains("learned from, so its figures here flatter"), "{own}");
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
        let said = String::from_utf8_lossy(&self::run(at, command).stderr).into_owned();
        assert!(said.contains(told), "{command}: {said}");
    }
    // Probabilities that are fitted again, under the network's states.
    printed(at, "fit run t.csv --row-weights w -o again.json --quiet");
    let fitted = printed(at, "fit run t.csv --row-weights w -o again.json");
    assert!(fitted.contains(&format!("{:.4} a row", scored("t.csv"))), "{fitted}");
    let asked = shown("query again.json --target y --given x=a --json");
    assert!(number(&asked["posterior"]["a"]) > 0.98, "{asked}");
    let refused = self::run(at, "fit run t.csv --row-weights v -o again.json --quiet");
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

/// People with six rows each, an answer that is a coin for each of them, and what is known of them: told apart by their rows they are all known,
/// told apart by who they are nobody is.
#[test]
fn rows_of_one_stay_together_where_that_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let mut stream = bn::random::Stream::new(5, "people");
    let mut text = String::from("person,answer,height,weight,visit\n");
    for person in 0..60 {
        let (answer, height, weight) =
            (["no", "yes"][stream.below(2) as usize], 150 + stream.below(50), 50 + stream.below(50));
        for visit in 0..6 {
            text.push_str(&format!("p{person},{answer},{height},{weight},{visit}\n"));
        }
    }
    fs::write(at.join("t.csv"), text).unwrap();
    let accuracy = |options: &str| -> f64 {
        let line = format!(
            "evaluate t.csv --target answer --folds 3 --rounds 1 --epochs 1 --json --quiet {options}"
        );
        let told: Value = serde_json::from_str(&printed(at, &line)).unwrap();
        told["targets"][0]["results"][2]["accuracy"]["mean"].as_f64().unwrap()
    };
    let (apart, together) = (accuracy("--type person=ignore"), accuracy("--entity person"));
    assert!(apart > 0.85 && together < 0.7, "{apart} {together}");
    // The table says so itself, and the program passes it on.
    let done = run(at, "evaluate t.csv --target answer --folds 3 --rounds 1 --epochs 1 --json");
    let (document, said) = (String::from_utf8(done.stdout).unwrap(), String::from_utf8(done.stderr).unwrap());
    assert!(said.contains("--entity 'person'") && document.contains("'person'"), "{said}");
    // What is learned for the answer is judged in the same way.
    let held = |options: &str| -> f64 {
        printed(
            at,
            &format!("learn t.csv --target answer --rounds 1 --epochs 1 --quiet -o n.json {options}"),
        );
        let run: Value = serde_json::from_str(&fs::read_to_string(at.join("n.json")).unwrap()).unwrap();
        let text = run.to_string();
        let at =
            text.find("\"by\":\"machines\"").map(|at| text[at.saturating_sub(200)..].to_string()).unwrap();
        let at = at.find("\"accuracy\":").map(|found| at[found + 11..].to_string()).unwrap();
        at[..at.find(',').unwrap()].parse().unwrap()
    };
    let (apart, together) = (held("--type person=ignore"), held("--entity person"));
    assert!(apart > 0.8 && together < 0.7, "{apart} {together}");
}

/// Of more classes than fit, the confusions are those of the most frequent ones, within the screen, and the rest is counted.
#[test]
fn confusions_are_those_of_the_most_frequent_classes() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let mut stream = bn::random::Stream::new(9, "classes");
    let mut text = String::from("kind,size,noise\n");
    for row in 0..300u64 {
        // The first by name are the rarest.
        let kind = (0..9).find(|k| row % (1 << (9 - k)) == 0).unwrap_or(9);
        text.push_str(&format!("kind {kind},{},{}\n", 10 * kind + stream.below(8), stream.below(4)));
    }
    fs::write(at.join("t.csv"), text).unwrap();
    let screen = printed(at, "evaluate t.csv --target kind --folds 2 --rounds 1 --epochs 1 --quiet");
    assert!(screen.lines().all(|line| line.chars().count() <= 80), "{screen}");
    let head = screen.lines().find(|line| line.starts_with("truth, then")).unwrap();
    assert!(head.contains("kind 9") && head.contains("kind 8") && !head.contains("kind 0"), "{screen}");
    assert!(screen.contains("The most frequent classes; 6 more are in the JSON document"), "{screen}");
}

/// Half of the rows have one of many rare towns, which share a state. It is told how probable that is, but what is predicted is a town, and no
/// figure counts the rest as right.
#[test]
fn what_rare_values_share_is_never_predicted() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let mut text = "coast,town,mood\n".to_string();
    for k in 0..600usize {
        let coast = k * 7 % 10 < 5;
        let town = match (k * k % 11, coast) {
            (0..4, true) => "Genoa".to_string(),
            (0..3, false) => "Turin".to_string(),
            _ => format!("t{}", k * 13 % 97),
        };
        text.push_str(&format!("{},{town},{}\n", ["no", "yes"][usize::from(coast)], k * k % 7 % 3));
    }
    fs::write(at.join("t.csv"), &text).unwrap();
    let small = "--target town --type town=categorical --max-categories 3 --rounds 1 --epochs 1";
    let document: Value =
        serde_json::from_str(&printed(at, &format!("evaluate t.csv {small} --folds 3 --json --quiet")))
            .unwrap();
    let target = &document["targets"][0];
    let states: Vec<&str> =
        target["states"].as_array().unwrap().iter().map(|s| s.as_str().unwrap()).collect();
    assert_eq!(states[0], "other");
    let rest = text.lines().filter(|line| line.contains(",t")).count() as f64 - 1.0;
    assert!((target["rest"]["share"].as_f64().unwrap() - rest / 600.0).abs() < 1e-9, "{}", target["rest"]);
    for figures in target["results"].as_array().unwrap() {
        let predicted = |class: usize| -> f64 {
            figures["confusion"].as_array().unwrap().iter().map(|row| row[class].as_f64().unwrap()).sum()
        };
        assert_eq!(predicted(0), 0.0, "{figures}");
        assert!(figures["accuracy"]["mean"].as_f64().unwrap() <= 1.0 - rest / 600.0 + 1e-9);
    }
    let (accuracy, baseline) = (&target["rest"]["accuracy"], &target["rest"]["baseline"]);
    assert!(accuracy.as_f64().unwrap() > 0.95 && baseline.as_f64().unwrap() < 0.8, "{}", target["rest"]);
    let screen = printed(at, &format!("evaluate t.csv {small} --folds 3 --quiet"));
    let screen = screen.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(screen.contains("'other' is no value but what rare ones share"), "{screen}");
    // The held-out figures of learning, and what is written.
    printed(at, &format!("learn t.csv {small} --run run --quiet"));
    let kept: Value = serde_json::from_str(&fs::read_to_string(at.join("run/run.json")).unwrap()).unwrap();
    let held_out = kept["predictions"][0]["held_out"].as_array().unwrap();
    assert!(
        held_out.iter().all(|one| one["accuracy"].as_f64().unwrap() <= 1.0 - rest / 600.0 + 1e-9),
        "{held_out:?}"
    );
    let done = run(at, "predict run t.csv --target town -o p.csv");
    let told = String::from_utf8_lossy(&done.stderr).split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(told.contains("'other' is most probable, which rare values share"), "{told}");
    assert!(told.contains("no prediction of these is right"), "{told}");
    let rows = fs::read_to_string(at.join("p.csv")).unwrap();
    assert!(rows.starts_with("row,prediction,probability,P(other),"), "{rows}");
    assert!(rows.lines().skip(1).all(|line| ["Genoa", "Turin"].contains(&line.split(',').nth(1).unwrap())));
}

/// pandas and polars write truth values in two ways: the same table is learned to the same bytes. Those of R keep their own; all are asked in any.
#[test]
fn truth_values_are_the_same_however_they_are_written() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let networks: Vec<String> = [["TRUE", "FALSE"], ["True", "False"], ["true", "false"]]
        .into_iter()
        .map(|[yes, no]| {
            let truth = |is: bool| if is { yes } else { no };
            let line = |k: usize| {
                format!(
                    "{},{},{}\n",
                    truth(k.is_multiple_of(3)),
                    truth(k.is_multiple_of(3) || k % 7 == 1),
                    k % 4
                )
            };
            let rows: String = (0..300).map(line).collect();
            fs::write(at.join("t.csv"), format!("rain,wet,day\n{rows}")).unwrap();
            printed(at, "learn t.csv -o net.json --quiet");
            fs::read_to_string(at.join("net.json")).unwrap()
        })
        .collect();
    assert!(networks[0].contains("\"TRUE\"") && networks[2].contains("\"True\""));
    assert_eq!(networks[1], networks[2]);
    printed(at, "convert net.json -o net.bif --quiet");
    let asked = |file: &str, given: &str| {
        printed(at, &format!("query {file} --target rain --given wet={given} --json --quiet"))
    };
    for file in ["net.json", "net.bif"] {
        let posterior =
            |given: &str| serde_json::from_str::<Value>(&asked(file, given)).unwrap()["posterior"].clone();
        assert_eq!(posterior("True"), posterior("true"));
        assert_eq!(posterior("FALSE"), posterior("false"));
        assert_ne!(posterior("FALSE"), posterior("true"));
    }
    // Levels in an order of one's own, written in one's own way.
    printed(at, "learn t.csv -o levels.json --levels rain=true<false --quiet");
    let levels = fs::read_to_string(at.join("levels.json")).unwrap();
    assert!(levels.contains("\"true\"") && levels.contains("\"True\""), "as listed, and as ever");
}
