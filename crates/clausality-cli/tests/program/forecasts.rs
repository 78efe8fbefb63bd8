//! Networks over time as people and scripts ask them: `query`, `forecast`, `sample` and `convert`.

use serde_json::Value;
use std::fs;
use std::process::{Command, Output, Stdio};
use tempfile::TempDir;

/// A pump that fails after rain, at sites that never change.
const WEATHER: &str = r#"{"format": "clausality-dynamic/1", "name": "weather", "order": 2,
 "start": [
  {"name": "Site", "states": ["hill", "valley"], "rows": [[0.4, 0.6]]},
  {"name": "Rain@0", "states": ["yes", "no"], "parents": ["Site"], "rows": [[0.5, 0.5], [0.3, 0.7]]},
  {"name": "Pump@0", "states": ["runs", "fails"], "parents": ["Rain@0"], "rows": [[0.8, 0.2], [0.95, 0.05]]},
  {"name": "Rain@1", "states": ["yes", "no"], "parents": ["Rain@0"], "rows": [[0.9, 0.1], [0.2, 0.8]]},
  {"name": "Pump@1", "states": ["runs", "fails"], "parents": ["Rain@1"], "rows": [[0.8, 0.2], [0.95, 0.05]]}],
 "transition": [
  {"name": "Rain", "states": ["yes", "no"], "parents": ["Rain@-1", "Site"],
   "rows": [[0.75, 0.25], [0.6, 0.4], [0.25, 0.75], [0.2, 0.8]]},
  {"name": "Pump", "states": ["runs", "fails"], "parents": ["Rain", "Pump@-1", "Rain@-2"],
   "rows": [[0.8, 0.2], [0.9, 0.1], [0.3, 0.7], [0.4, 0.6], [0.95, 0.05], [0.97, 0.03], [0.5, 0.5], [0.6, 0.4]]}],
 "extra": {"time": {"time": "step", "entity": "series", "step": "1", "series": 1, "single": 0, "rows": 1, "longest": 1,
   "from": "0", "to": "0", "holes": 0, "gaps": 0, "treated": "break", "statics": ["Site"]}}}"#;

fn folder() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("w.json"), WEATHER).unwrap();
    folder
}

fn clausality(folder: &TempDir, args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_clausality"));
    command.args(args).current_dir(folder.path()).stdin(Stdio::null());
    command.env("COLUMNS", "80").env_remove("NO_COLOR").output().unwrap()
}

#[track_caller]
fn good(folder: &TempDir, args: &[&str]) -> String {
    let output = clausality(folder, args);
    assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

#[track_caller]
fn bad(folder: &TempDir, args: &[&str], code: i32) -> String {
    let output = clausality(folder, args);
    let text = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(code), "{args:?}: {text}");
    text
}

#[track_caller]
fn yes(folder: &TempDir, args: &[&str], state: &str) -> f64 {
    let found: Value = serde_json::from_str(&good(folder, &[args, &["--json"]].concat())).unwrap();
    found["posterior"][state].as_f64().unwrap()
}

#[track_caller]
fn near(found: f64, want: f64) {
    assert!((found - want).abs() < 1e-9, "{found} where {want} is right");
}

#[test]
fn steps_around_now_are_asked_by_name() {
    let folder = folder();
    // Now is the second step of the start; what the day after is like depends on it and on the site.
    let given = "Rain=yes,Site=hill";
    near(yes(&folder, &["query", "w.json", "--target", "Rain@1", "--given", given], "yes"), 0.75);
    near(yes(&folder, &["query", "w.json", "--target", "Rain@2", "--given", given], "yes"), 0.625);
    // What is set tells nothing about what was before.
    let prior = yes(&folder, &["query", "w.json", "--target", "Rain@-1"], "yes");
    near(yes(&folder, &["query", "w.json", "--target", "Rain@-1", "--do", "Rain@0=yes"], "yes"), prior);
    assert!(
        yes(&folder, &["query", "w.json", "--target", "Rain@-1", "--given", "Rain@0=yes"], "yes") > prior
    );
    // Between steps time gives the direction: nothing is in doubt.
    let text = good(&folder, &["query", "w.json", "--target", "Pump@2", "--do", "Pump@1=fails"]);
    assert!(text.contains("do(Pump@1=fails)") && !text.contains("cannot direct"), "{text}");
    let mpe = good(&folder, &["query", "w.json", "--mpe", "--given", "Pump@2=fails"]);
    assert!(mpe.contains("Rain@-1"), "{mpe}");
    let far = bad(&folder, &["query", "w.json", "--target", "Pump@1000000000"], 3);
    assert!(far.contains("steps written out need"), "{far}");
    assert!(bad(&folder, &["query", "w.json", "--target", "Pmup@1"], 2).contains("no node 'Pmup@1'"));
}

#[test]
fn series_are_drawn_and_forecast() {
    let folder = folder();
    let draw = ["sample", "w.json", "--steps", "30", "--series", "3", "--seed", "4"];
    let rows = good(&folder, &draw);
    assert_eq!(rows, good(&folder, &draw));
    assert!(rows.starts_with("series,step,Site,Rain,Pump\n1,0,") && rows.lines().count() == 91, "{rows}");
    let document: Value = serde_json::from_str(&good(&folder, &[&draw[..], &["--json"]].concat())).unwrap();
    assert_eq!((document["rows"].as_array().unwrap().len(), &document["rows"][89][1]), (90, &29.into()));
    assert!(bad(&folder, &["sample", "w.json", "-n", "5"], 2).contains("--steps"));
    assert!(bad(&folder, &["sample", "@asia", "--steps", "5"], 2).contains("networks over time"));

    fs::write(folder.path().join("s.csv"), &rows).unwrap();
    good(&folder, &["forecast", "w.json", "s.csv", "--horizon", "4", "-o", "f.csv"]);
    let forecast = fs::read_to_string(folder.path().join("f.csv")).unwrap();
    assert!(forecast.starts_with("series,step,ahead,node,state,probability\n1,30,1,Rain,yes,"), "{forecast}");
    assert_eq!(forecast.lines().count(), 1 + 3 * 4 * 2 * 2);
    // Neither the order of rows nor that of columns leaves a trace.
    let mut lines: Vec<&str> = rows.lines().collect();
    lines[1..].reverse();
    fs::write(folder.path().join("turned.csv"), lines.join("\n")).unwrap();
    assert_eq!(good(&folder, &["forecast", "w.json", "turned.csv", "--horizon", "4"]), forecast);

    // The same through a question, from whose rows the last steps are known.
    let asked = ["query", "w.json", "--rows", "s.csv", "--entity", "2", "--target", "Rain@3"];
    let line = forecast.lines().find(|line| line.starts_with("2,32,3,Rain,yes,")).unwrap();
    near(yes(&folder, &asked, "yes"), line.rsplit_once(',').unwrap().1.parse().unwrap());
    let set = [&asked[..7], &["Rain@2", "--do", "Rain@1=yes", "--given", "Pump@1=runs"]].concat();
    let site = rows.lines().find(|line| line.starts_with("2,0,")).unwrap().split(',').nth(2).unwrap();
    near(yes(&folder, &set, "yes"), if site == "hill" { 0.75 } else { 0.6 });

    let which = bad(&folder, &["query", "w.json", "--rows", "s.csv", "--target", "Rain@1"], 2);
    assert!(which.contains("there are 3 series: say which is meant (--entity '1')"), "{which}");
    let early =
        bad(&folder, &["query", "w.json", "--rows", "s.csv", "--entity", "1", "--target", "Rain@-30"], 2);
    assert!(early.contains("'Rain@-30' lies before the first"), "{early}");
    let column = bad(&folder, &["forecast", "w.json", "s.csv", "--horizon", "1", "--time", "stp"], 2);
    assert!(column.contains("names column 'stp'") && column.contains("'step'"), "{column}");
    assert!(bad(&folder, &["forecast", "@asia", "s.csv", "--horizon", "1"], 2).contains("without time"));
}

#[test]
fn what_was_hidden_is_worked_out_from_before_and_after() {
    let folder = folder();
    // The second of five days has no row, the fourth no rain.
    let rows =
        "series,step,Site,Rain,Pump\na,1,hill,yes,runs\na,3,hill,yes,fails\na,4,,,runs\na,5,hill,no,runs\n";
    fs::write(folder.path().join("s.csv"), rows).unwrap();
    let hidden = ["query", "w.json", "--rows", "s.csv", "--entity", "a", "--target"];
    let (missing, gap) = (
        yes(&folder, &[&hidden[..], &["Rain@-3"]].concat(), "yes"),
        yes(&folder, &[&hidden[..], &["Rain@-1"]].concat(), "yes"),
    );
    // The same in an ordinary network of five steps.
    good(&folder, &["convert", "w.json", "-o", "five.bif", "--unroll", "5"]);
    let given =
        "Site=hill,Rain_t0=yes,Pump_t0=runs,Rain_t2=yes,Pump_t2=fails,Pump_t3=runs,Rain_t4=no,Pump_t4=runs";
    let long =
        |target: &str| yes(&folder, &["query", "five.bif", "--target", target, "--given", given], "yes");
    near(missing, long("Rain_t1"));
    near(gap, long("Rain_t3"));
}

#[test]
fn what_a_step_before_now_goes_with_came_before_it() {
    let folder = folder();
    let asked = |targets: &str, given: &str| {
        let done = good(&folder, &["query", "w.json", "--target", targets, "--given", given, "--json"]);
        let answer: serde_json::Value = serde_json::from_str(&done).unwrap();
        let posterior = &answer["posterior"];
        posterior.get("Rain@0").unwrap_or(posterior)["yes"].as_f64().unwrap()
    };
    // The pump of yesterday tells of the rain of yesterday, whatever else is asked for; and as much as that of today tells of tomorrow.
    let yesterday = asked("Rain", "Pump@-1=fails");
    assert!((yesterday - asked("Rain,Rain@-20", "Pump@-1=fails")).abs() < 0.01, "{yesterday}");
    assert!((yesterday - asked("Rain", "Pump@-1=runs")).abs() > 0.02, "{yesterday}");
}

#[test]
fn steps_are_written_out_for_other_programs() {
    let folder = folder();
    good(&folder, &["convert", "w.json", "-o", "w.bif", "--unroll", "4"]);
    near(
        yes(&folder, &["query", "w.bif", "--target", "Rain_t3", "--given", "Rain_t1=yes,Site=hill"], "yes"),
        0.625,
    );
    good(&folder, &["convert", "w.json", "-o", "same.json", "-o", "w.svg"]);
    good(&folder, &["convert", "same.json", "-o", "again.json"]);
    let [same, again] = ["same.json", "again.json"].map(|name| fs::read(folder.path().join(name)).unwrap());
    assert_eq!(same, again);
    assert!(bad(&folder, &["convert", "w.json", "-o", "x.bif"], 2).contains("--unroll"));
    assert!(bad(&folder, &["convert", "@asia", "-o", "x.bif", "--unroll", "3"], 2).contains("without time"));
    assert!(bad(&folder, &["convert", "w.json", "-o", "x.bif", "--unroll", "1"], 2).contains("at least"));
    assert!(!folder.path().join("x.bif").exists());
}

#[test]
fn what_a_network_over_time_holds_is_counted() {
    let folder = folder();
    let text = good(&folder, &["check", "w.json"]);
    assert!(text.contains("w.json: a sound network over time"), "{text}");
    let found: Value = serde_json::from_str(&good(&folder, &["check", "w.json", "--json"])).unwrap();
    let numbers = ["nodes", "arcs", "roots", "leaves", "isolated", "most_parents", "parameters", "cells"]
        .map(|key| found[key].as_u64().unwrap());
    // Site, Rain and Pump; of the start 1 + 2 + 2 + 2 + 2 free numbers, of the tables of now 4 + 8.
    assert_eq!(numbers, [3, 5, 1, 1, 0, 3, 9 + 12, 18 + 24]);
    let time = serde_json::json!({ "processes": 2, "statics": 1, "lags": 2, "arcs_by_lag": [1, 2, 1],
        "arcs_from_statics": 1, "arcs_of_start": 4 });
    assert_eq!(found["time"], time);
}

#[test]
fn samples_come_near_to_exact_forecasts() {
    let folder = folder();
    let rows =
        "series,step,Site,Rain,Pump\na,1,hill,yes,runs\na,3,hill,yes,fails\na,4,,,runs\na,5,hill,no,runs\n";
    fs::write(folder.path().join("s.csv"), rows).unwrap();
    let forecast = ["forecast", "w.json", "s.csv", "--horizon", "3"];
    let drawn =
        |seed: &str| good(&folder, &[&forecast[..], &["--samples", "20000", "--seed", seed]].concat());
    let (exact, about) = (good(&folder, &forecast), drawn("1"));
    assert_eq!(about, drawn("1"));
    assert_ne!(about, drawn("2"));
    assert!(about.starts_with("series,step,ahead,node,state,probability,standard_error\n"), "{about}");
    for (exact, about) in exact.lines().zip(about.lines()).skip(1) {
        let (said, right) = exact.rsplit_once(',').unwrap();
        let mut rest = about.strip_prefix(said).unwrap()[1..].split(',').map(|x| x.parse::<f64>().unwrap());
        let (p, error) = (rest.next().unwrap(), rest.next().unwrap());
        assert!((p - right.parse::<f64>().unwrap()).abs() < 6.0 * error && error < 0.01, "{exact} {about}");
    }
    let asked = ["query", "w.json", "--rows", "s.csv", "--target", "Rain@-1"];
    let estimate = yes(&folder, &[&asked[..], &["--samples", "20000"]].concat(), "yes");
    assert!((estimate - yes(&folder, &asked, "yes")).abs() < 0.03, "{estimate}");
    let much = bad(&folder, &[&forecast[..], &["--samples", "90000000"]].concat(), 3);
    assert!(much.contains("draw fewer"), "{much}");
    let many = bad(&folder, &[&forecast[..], &["--samples", "200000000"]].concat(), 2);
    assert!(many.contains("at most 100000000"), "{many}");
}

#[test]
fn our_columns_make_room_for_those_of_the_table() {
    let folder = folder();
    let rows = "state,node,Site,Rain,Pump\nOhio,1,hill,yes,runs\nOhio,2,hill,no,runs\n";
    fs::write(folder.path().join("s.csv"), rows).unwrap();
    let line = ["forecast", "w.json", "s.csv", "--horizon", "1", "--entity", "state", "--time", "node"];
    let table = good(&folder, &line);
    assert!(table.starts_with("state,node,ahead,node_,state_,probability\nOhio,3,1,Rain,yes,"), "{table}");
}

#[test]
fn what_is_given_beside_rows_is_weighed_by_them() {
    let folder = folder();
    let rows = "series,step,Site,Rain,Pump\na,1,hill,yes,runs\na,2,hill,yes,runs\nb,7,hill,no,runs\nb,8,hill,yes,fails\n";
    fs::write(folder.path().join("s.csv"), rows).unwrap();
    let asked = ["query", "w.json", "--rows", "s.csv", "--entity", "b", "--target", "Pump@1"];
    let given = [&asked[..], &["--given", "Rain@1=yes"]].concat();
    let text = good(&folder, &given);
    assert!(text.contains("given the rows, the evidence has probability 0.750000"), "{text}");
    assert!(text.contains("after 2 steps of 'b' in s.csv, now 8"), "{text}");
    let found: Value = serde_json::from_str(&good(&folder, &[&given[..], &["--json"]].concat())).unwrap();
    near(found["evidence_probability"].as_f64().unwrap(), 0.75);
    assert_eq!((&found["series"]["entity"], &found["series"]["now"]), (&"b".into(), &"8".into()));
    assert!(found["series"]["log_probability"].as_f64().unwrap() < -1.0);
    let drawn = [&given[..], &["--samples", "20000", "--json"]].concat();
    let found: Value = serde_json::from_str(&good(&folder, &drawn)).unwrap();
    assert!((found["evidence_probability"].as_f64().unwrap() - 0.75).abs() < 0.05, "{found}");
    // What the rows say is not said again, and no number of ours stands in the message.
    let twice = bad(&folder, &[&asked[..], &["--given", "Rain@0=no"]].concat(), 2);
    assert!(twice.contains("'Rain@0' is 'yes' in the rows of the series (now is 8)"), "{twice}");
}

#[test]
fn everything_that_the_network_looks_back_to_is_offered() {
    let folder = folder();
    let next = good(&folder, &["query", "w.json", "--target", "Pump@0", "--next"]);
    assert!(next.contains("Rain@-2") && next.contains("Rain@-1"), "{next}");
}

#[test]
fn entities_that_are_numbers_come_in_their_order() {
    let folder = folder();
    let row = |entity: &str| format!("{entity},1,hill,yes,runs\n{entity},2,hill,no,runs\n");
    let rows: String = ["10043", "1007", "9"].map(row).concat();
    fs::write(folder.path().join("s.csv"), format!("series,step,Site,Rain,Pump\n{rows}")).unwrap();
    let table = good(&folder, &["forecast", "w.json", "s.csv", "--horizon", "1", "--target", "Rain"]);
    let whose: Vec<&str> =
        table.lines().skip(1).step_by(2).filter_map(|line| line.split(',').next()).collect();
    assert_eq!(whose, ["9", "1007", "10043"]);
}

#[test]
fn columns_that_a_table_lacks_are_named_and_too_many_rows_refused() {
    let folder = folder();
    fs::write(folder.path().join("s.csv"), "series,step,Site,Rain\na,1,hill,yes\na,2,hill,no\n").unwrap();
    let output = clausality(&folder, &["forecast", "w.json", "s.csv", "--horizon", "1"]);
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.contains("has no column in the table") && said.contains("'Pump'"), "{said}");
    let many = bad(&folder, &["sample", "w.json", "--steps", "1000000000", "--series", "1000000000"], 2);
    assert!(many.contains("more than 1000000000000000 rows"), "{many}");
}

/// A column that has nothing but its own past: it stays as it is in four of five steps.
#[test]
fn one_column_alone_is_learned_and_forecast() {
    let folder = tempfile::tempdir().unwrap();
    let mut stream = clausality::bn::random::Stream::new(4, "alone");
    let mut state = 0;
    let lines = (0..600).map(|step| {
        state = if stream.below(5) == 0 { stream.below(3) } else { state };
        format!("{step},{}\n", ["low", "middle", "high"][state as usize])
    });
    let table = "step,level\n".to_string() + &lines.collect::<String>();
    fs::write(folder.path().join("t.csv"), table).unwrap();
    good(&folder, &["learn", "t.csv", "--time", "step", "--lags", "2", "--run", "run", "--quiet"]);
    let inspected = good(&folder, &["inspect", "t.csv", "--time", "step"]);
    assert!(!inspected.contains("learning needs at least 2"), "{inspected}");
    let edges = fs::read_to_string(folder.path().join("run/edges.csv")).unwrap();
    assert!(edges.lines().count() == 2 && edges.contains("level@-1,level,"), "{edges}");
    let asked: Value = serde_json::from_str(&good(
        &folder,
        &["query", "run", "--target", "level@1", "--given", "level@0=high", "--json"],
    ))
    .unwrap();
    let high = asked["posterior"]["high"].as_f64().unwrap();
    assert!((high - 0.867).abs() < 0.05, "{high}");
    assert_eq!(good(&folder, &["forecast", "run", "t.csv", "--horizon", "2"]).lines().count(), 1 + 2 * 3);
    // Without time there is nothing to learn.
    assert!(bad(&folder, &["learn", "t.csv"], 2).contains("at least 2 are needed"));
}

/// A table of two columns at these times, the second a step behind the first.
fn write_at(folder: &TempDir, name: &str, times: impl Iterator<Item = String>) {
    let of = |k: usize| (k * k / 3 + k / 5) % 3;
    let row = |(k, when): (usize, String)| {
        format!("{when},{},{}\n", ["lo", "mid", "hi"][of(k + 1)], ["no", "maybe", "yes"][of(k)])
    };
    let rows: String = times.enumerate().map(row).collect();
    fs::write(folder.path().join(name), format!("when,a,b\n{rows}")).unwrap();
}

/// The times of a forecast, each once.
#[track_caller]
fn times(folder: &TempDir, args: &[&str]) -> Vec<String> {
    let text = good(folder, args);
    let mut times: Vec<String> =
        text.lines().skip(1).map(|line| line.split(',').next().unwrap().to_string()).collect();
    times.dedup();
    times
}

#[test]
fn months_without_a_sign_are_months() {
    let folder = folder();
    write_at(&folder, "m.csv", (0..120).map(|k| format!("{}{:02}", 2010 + k / 12, 1 + k % 12)));
    let table = ["learn", "m.csv", "--time", "when", "--lags", "1", "--quiet", "--run", "run"];
    let inspected = clausality(&folder, &["inspect", "m.csv", "--time", "when"]);
    let told = String::from_utf8(inspected.stderr).unwrap() + &String::from_utf8(inspected.stdout).unwrap();
    assert!(told.contains("201001, were read as year and month") && told.contains("steps of 1mo"), "{told}");
    for more in
        [&[][..], &["--type", "when=date"], &["--step", "1mo"], &["--type", "when=date", "--step", "1mo"]]
    {
        good(&folder, &[&table, more, &["--fresh"]].concat());
        assert_eq!(
            times(&folder, &["forecast", "run", "m.csv", "--horizon", "2"]),
            ["202001", "202002"],
            "{more:?}"
        );
    }
    // Whoever says that they are numbers has numbers, also when forecasting; their years end with a hole.
    good(&folder, &[&table[..], &["--type", "when=numeric", "--fresh"]].concat());
    assert_eq!(times(&folder, &["forecast", "run", "m.csv", "--horizon", "1"]), ["201913"]);
}

#[test]
fn offsets_that_change_are_kept() {
    let folder = folder();
    // Clocks went back in Berlin on 2023-10-29, from 3:00 to 2:00.
    let hour = |k: i64| {
        let offset = if k < 100 { 2 } else { 1 };
        let hours = 24 * 28 + 1 - 100 + k + offset;
        format!("2023-10-{:02} {:02}:00:00+0{offset}:00", 1 + hours / 24, hours % 24)
    };
    write_at(&folder, "h.csv", (0..130).map(hour));
    good(&folder, &["learn", "h.csv", "--time", "when", "--lags", "1", "--quiet", "--run", "run"]);
    let next = times(&folder, &["forecast", "run", "h.csv", "--horizon", "2"]);
    assert_eq!(next, [hour(130), hour(131)]);
}

#[test]
fn tables_that_do_not_fit_are_told() {
    let folder = folder();
    let day = |k: usize| format!("2024-{:02}-{:02}", 1 + k / 28, 1 + k % 28);
    write_at(&folder, "d.csv", (0..84).map(day));
    write_at(&folder, "w.csv", (0..12).map(|k| day(7 * k)));
    write_at(&folder, "n.csv", (0..12).map(|k| k.to_string()));
    good(&folder, &["learn", "d.csv", "--time", "when", "--lags", "1", "--quiet", "--run", "run"]);
    for args in [
        &["forecast", "run", "w.csv", "--horizon", "1"][..],
        &["query", "run", "--rows", "w.csv", "--target", "a@1"],
    ] {
        let told = String::from_utf8(clausality(&folder, args).stderr).unwrap();
        assert!(
            told.contains("steps have no row: its rows are 1w apart, the steps of the network are 1d"),
            "{told}"
        );
    }
    let refused = bad(&folder, &["forecast", "run", "n.csv", "--horizon", "1"], 2);
    assert!(
        refused.contains("n.csv:2:1: column 'when': '0' is no date, but the network was learned from dates"),
        "{refused}"
    );
    // Which series there are, where the name is like none of them.
    let drawn = good(&folder, &["sample", "w.json", "--steps", "5", "--series", "8"]);
    fs::write(folder.path().join("s.csv"), drawn).unwrap();
    let refused =
        bad(&folder, &["query", "w.json", "--rows", "s.csv", "--entity", "shop", "--target", "Rain@1"], 2);
    assert!(refused.contains("no series of 'shop': there are '1', '2', '3', '4', '5'"), "{refused}");
}

/// A document of `query` about the series of `s.csv`, and the same of an ordinary network whose steps are given by name.
#[track_caller]
fn both(folder: &TempDir, rows: &[&str], long: &[&str]) -> (Value, Value) {
    let told = |args: &[&str]| serde_json::from_str(&good(folder, &[args, &["--json"]].concat())).unwrap();
    (told(rows), told(long))
}

/// Numbers of a list by the name of the node, `names` turning those of the one network into those of the other.
fn by_node(list: &Value, number: &str, names: impl Fn(&str) -> String) -> Vec<(String, f64)> {
    let entries = list.as_array().unwrap().iter();
    let mut found: Vec<(String, f64)> = entries
        .map(|entry| (names(entry["node"].as_str().unwrap()), entry[number].as_f64().unwrap()))
        .collect();
    found.sort_by(|a, b| a.0.cmp(&b.0));
    found
}

#[track_caller]
fn same(one: &[(String, f64)], other: &[(String, f64)]) {
    for ((node, p), (twin, q)) in one.iter().zip(other) {
        assert!(node == twin && (p - q).abs() < 1e-9, "{node} {p}, {twin} {q}");
    }
    assert!(one.len() == other.len() && one.len() > 1, "{one:?} {other:?}");
}

#[test]
fn everything_can_be_asked_of_a_series_whose_rows_are_known() {
    let folder = folder();
    // The second of five days has no row, the fourth no rain; two days ahead are asked about.
    let rows =
        "series,step,Site,Rain,Pump\na,1,hill,yes,runs\na,3,hill,yes,fails\na,4,,,runs\na,5,hill,no,runs\n";
    fs::write(folder.path().join("s.csv"), rows).unwrap();
    good(&folder, &["convert", "w.json", "-o", "long.bif", "--unroll", "7"]);
    let seen =
        "Site=hill,Rain_t0=yes,Pump_t0=runs,Rain_t2=yes,Pump_t2=fails,Pump_t3=runs,Rain_t4=no,Pump_t4=runs";
    let here = |more: &[&'static str]| [&["query", "w.json", "--rows", "s.csv"], more].concat();
    let there = |more: &[&'static str]| [&["query", "long.bif", "--given", seen], more].concat();
    let named = |name: &str| match name.split_once("_t") {
        Some((process, step)) => format!("{process}@{}", step.parse::<i64>().unwrap() - 4),
        None => name.to_string(),
    };
    let as_it_is = |name: &str| name.to_string();

    let (ours, theirs) = both(
        &folder,
        &here(&["--target", "Pump@2", "--next", "--tornado", "--sensitivity"]),
        &there(&["--target", "Pump_t6", "--next", "--tornado", "--sensitivity"]),
    );
    let told = |list: &Value| {
        let list: Vec<Value> =
            list.as_array().unwrap().iter().filter(|e| e["node"] != "Rain_t1").cloned().collect();
        let list: Vec<Value> = list.into_iter().filter(|e| e["node"] != "Pump_t1").collect();
        Value::from(list)
    };
    same(&by_node(&told(&ours["next"]), "information", as_it_is), &{
        // The day without a row lies within the five days, and is told of in the series only as far as the network looks back.
        let all = by_node(&told(&theirs["next"]), "information", named);
        all.into_iter().filter(|(node, _)| !node.ends_with("@-3")).collect::<Vec<_>>()
    });
    let swings = |list: &Value, names: &dyn Fn(&str) -> String| by_node(list, "swing", names);
    let of_theirs: Vec<_> =
        swings(&theirs["tornado"], &named).into_iter().filter(|(n, _)| !n.ends_with("@-3")).collect();
    same(&swings(&ours["tornado"], &as_it_is), &of_theirs);
    assert!(!ours["sensitivity"].as_array().unwrap().is_empty());
    near(ours["posterior"]["fails"].as_f64().unwrap(), theirs["posterior"]["fails"].as_f64().unwrap());

    // Why: what is given beside the rows; the rows hold throughout.
    let (ours, _) = both(
        &folder,
        &here(&["--target", "Pump@2", "--given", "Rain@1=yes,Rain@-1=no", "--why"]),
        &there(&["--target", "Pump_t6"]),
    );
    let findings = ours["why"]["findings"].as_array().unwrap();
    assert_eq!(findings.len(), 2, "{ours}");
    near(ours["why"]["before"]["fails"].as_f64().unwrap(), theirs["posterior"]["fails"].as_f64().unwrap());
    near(ours["why"]["after"]["fails"].as_f64().unwrap(), ours["posterior"]["fails"].as_f64().unwrap());

    // The most probable stretch: of what the rows leave open.
    let (ours, theirs) = both(
        &folder,
        &here(&["--mpe", "--target", "Rain@1,Pump@1,Rain@-1"]),
        &there(&["--mpe", "--target", "Rain_t5,Pump_t5,Rain_t3"]),
    );
    near(ours["probability"].as_f64().unwrap(), theirs["probability"].as_f64().unwrap());
    assert_eq!(ours["most_probable"]["Pump@1"], theirs["most_probable"]["Pump_t5"]);
    let (all, _) = both(&folder, &here(&["--mpe"]), &there(&["--mpe"]));
    let states = all["most_probable"].as_object().unwrap();
    assert_eq!(states.keys().collect::<Vec<_>>(), ["Rain@-1"], "the rows say the rest");
    let text = good(&folder, &here(&["--mpe"]));
    assert!(text.contains("after 5 steps of 'a' in s.csv, now 5"), "{text}");

    // Together.
    let (ours, theirs) = both(
        &folder,
        &here(&["--target", "Rain@1,Rain@2", "--joint"]),
        &there(&["--target", "Rain_t5,Rain_t6", "--joint"]),
    );
    for k in 0..4 {
        near(
            ours["joint"][k]["probability"].as_f64().unwrap(),
            theirs["joint"][k]["probability"].as_f64().unwrap(),
        );
    }

    // What to do tomorrow; the file names the steps, so no target is needed.
    fs::write(folder.path().join("u.csv"), "Pump@2,Pump@1,utility,cost\nfails,,-100,\n,runs,,3\n").unwrap();
    fs::write(folder.path().join("long.csv"), "Pump_t6,Pump_t5,utility,cost\nfails,,-100,\n,runs,,3\n")
        .unwrap();
    let (ours, theirs) = both(&folder, &here(&["--utility", "u.csv"]), &there(&["--utility", "long.csv"]));
    for k in 0..2 {
        let worth = |found: &Value| found["decision"]["actions"][k]["expected"].as_f64().unwrap();
        near(worth(&ours), worth(&theirs));
    }
    assert_eq!(ours["series"]["now"], "5");
    // Without rows, too; and what was done is decided.
    good(&folder, &["query", "w.json", "--utility", "u.csv"]);
    fs::write(folder.path().join("late.csv"), "Pump@2,Pump@0,utility,cost\nfails,,-100,\n,runs,,3\n")
        .unwrap();
    let late = bad(&folder, &here(&["--utility", "late.csv"]), 2);
    assert!(late.contains("'Pump@0' is 'runs' in s.csv (now is 5)") && late.contains("Pump@1"), "{late}");
    let early = bad(&folder, &here(&["--target", "Rain@1", "--next", "--given", "Pump@-9=runs"]), 2);
    assert!(early.contains("lies before the first of the 5 steps"), "{early}");
}

#[test]
fn a_long_series_is_asked_from_where_its_rows_leave_nothing_open() {
    let folder = folder();
    let rows = good(&folder, &["sample", "w.json", "--steps", "60", "--series", "1", "--seed", "3"]);
    // The last two days have no pump.
    let mut lines: Vec<String> = rows.lines().map(String::from).collect();
    for line in lines.iter_mut().rev().take(2) {
        line.truncate(line.rfind(',').unwrap() + 1);
    }
    fs::write(folder.path().join("s.csv"), lines.join("\n") + "\n").unwrap();
    good(&folder, &["convert", "w.json", "-o", "long.bif", "--unroll", "62"]);
    let mut given = vec![];
    for (step, line) in lines[1..].iter().enumerate() {
        let cells: Vec<&str> = line.split(',').collect();
        given.push(format!("Rain_t{step}={}", cells[3]));
        if !cells[4].is_empty() {
            given.push(format!("Pump_t{step}={}", cells[4]));
        }
    }
    let given = format!("Site={},{}", lines[1].split(',').nth(2).unwrap(), given.join(","));
    let (ours, theirs) = both(
        &folder,
        &["query", "w.json", "--rows", "s.csv", "--target", "Pump@2", "--next"],
        &["query", "long.bif", "--target", "Pump_t61", "--next", "--given", &given],
    );
    let named = |name: &str| {
        let (process, step) = name.split_once("_t").unwrap();
        format!("{process}@{}", step.parse::<i64>().unwrap() - 59)
    };
    same(
        &by_node(&ours["next"], "information", |name| name.to_string()),
        &by_node(&theirs["next"], "information", named),
    );
}

#[test]
fn the_most_probable_stretch_has_a_past_that_is_not_told_of() {
    let folder = folder();
    let found: Value = serde_json::from_str(&good(
        &folder,
        &["query", "w.json", "--mpe", "--given", "Pump@1=fails", "--json"],
    ))
    .unwrap();
    let names: Vec<&String> = found["most_probable"].as_object().unwrap().keys().collect();
    assert_eq!(names.len(), 9, "the site, and four steps of two columns: {names:?}");
    assert!(names.iter().all(|name| !name.contains("@-3")));
    // As probable as the same states together in the series that goes on before them.
    let states = found["most_probable"].as_object().unwrap();
    let given: Vec<String> = states
        .iter()
        .filter(|(name, _)| *name != "Pump@1")
        .map(|(name, state)| format!("{name}={}", state.as_str().unwrap()))
        .collect();
    let seen = |given: &str| {
        let told = good(&folder, &["query", "w.json", "--target", "Rain@1", "--given", given, "--json"]);
        serde_json::from_str::<Value>(&told).unwrap()["evidence_probability"].as_f64().unwrap()
    };
    let all = seen(&format!("{},Pump@1=fails", given.join(",")));
    near(found["probability"].as_f64().unwrap(), all / seen("Pump@1=fails"));
}
