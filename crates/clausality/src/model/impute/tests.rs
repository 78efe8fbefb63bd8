use super::*;
use crate::data::{Input, csv_cell};
use crate::model::Loaded;
use crate::watch::{Event, Unwatched};
use clausality_bn::infer::{Evidence, Infer};
use clausality_bn::io::{Limits, bif};
use clausality_bn::sample;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

fn model(network: Network) -> Model {
    Model { network: network.into(), extra: Default::default(), source: "net".into() }
}

fn embedded(name: &str) -> Model {
    match Loaded::read(Path::new(name), &Limits::default()).unwrap() {
        Loaded::Model(model) => model,
        _ => panic!("a network"),
    }
}

/// a → b, with numbers by hand.
fn pair(gaps: &str) -> Model {
    let text = format!(
        "variable a {{ type discrete [ 2 ] {{ x, y }}; }} variable b {{ type discrete [ 3 ] {{ 0, 1, {gaps} }}; }}
        probability ( a ) {{ table 0.75, 0.25; }}
        probability ( b | a ) {{ (x) 0.5, 0.1, 0.4; (y) 0.05, 0.15, 0.8; }}"
    );
    model(bif::read(text.as_bytes(), &Limits::default()).unwrap())
}

fn imputed(model: &Model, text: &str, how: Imputing) -> (String, serde_json::Value) {
    let bounds = Bounds::default();
    let sheet = Sheet::read(Input::csv(text.as_bytes(), "t"), None, &bounds).unwrap();
    let found = model.impute(&sheet, &Reading::default(), how, &bounds, &Unwatched).unwrap();
    let mut out = Vec::new();
    found.write(&mut out).unwrap();
    (String::from_utf8(out).unwrap(), serde_json::to_value(found.document("f".into())).unwrap())
}

#[test]
fn the_most_probable_state_by_hand() {
    let text = "note;a;b\n1;x;\n;;2\n?;y;NA\n\"k; l\";z;0\n;;\n";
    let (out, told) = imputed(&pair("2"), text, Imputing::default());
    // P(a = y | b = 2) = 0.2 / 0.5, so x by the first of equals' rule only if it is not less: 0.3 against 0.2.
    assert_eq!(out, "note;a;b\n1;x;0\n;x;2\n?;y;2\n\"k; l\";z;0\n;x;2\n");
    assert_eq!((&told["gaps"], &told["filled"]), (&5.into(), &5.into()));
    assert_eq!(told["unknown_cells"]["a"], 1, "z is no state and stays");
    let a = told["columns"][0]["probability"].as_f64().unwrap();
    assert!((a - (0.6 + 0.75) / 2.0).abs() < 1e-12, "{told}");
}

#[test]
fn a_state_for_gaps_is_never_filled_in() {
    let mut network = (*pair("missing").network).clone();
    let mut variables = network.schema().variables().to_vec();
    variables[1].has_missing_state = true;
    let schema = clausality_bn::Schema::new(variables).unwrap();
    network = Network::new("t", schema, network.cpts().to_vec()).unwrap();
    let (out, told) = imputed(&model(network), "a,b\nx,\ny,\n,missing\n", Imputing::default());
    // What a gap in b says of a is used: P(a = y | b missing) = 0.2 / 0.5.
    assert_eq!(out, "a,b\nx,0\ny,1\nx,0\n");
    let probability = told["columns"][1]["probability"].as_f64().unwrap();
    assert!((probability - (0.5 / 0.6 + 0.75 + 0.3875 / 0.5) / 3.0).abs() < 1e-12);
}

#[test]
fn numbers_are_filled_with_numbers_of_the_table() {
    let text: String = (0..300)
        .map(|k| match k % 10 {
            9 => format!("{},\n", ["low", "high"][k / 10 % 2]),
            d => format!("{},{}.50\n", ["low", "high"][k % 2], 10 * (k % 2) + d),
        })
        .collect();
    let text = format!("level,size\n{text}");
    let found =
        crate::learn::learn(Input::csv(text.as_bytes(), "t"), &crate::settings::Settings::default()).unwrap();
    let (out, told) = imputed(&found.model(), &text, Imputing::default());
    assert_eq!(told["columns"][0]["filled"], 30);
    let recorded: Vec<&str> = text.lines().filter(|line| !line.ends_with(',')).collect();
    for (before, after) in text.lines().zip(out.lines()) {
        assert!(
            before == after || (after.starts_with(before) && recorded.contains(&after)),
            "{before} {after}"
        );
    }
    let labels = imputed(&found.model(), &text, Imputing { write: Written::State, ..Imputing::default() }).0;
    assert!(!labels.lines().any(|line| line.ends_with(',')));
    let drawn = imputed(&found.model(), &text, Imputing { draws: Some(3), ..Imputing::default() }).0;
    assert_eq!(drawn.lines().count(), 1 + 3 * 300);
    assert!(drawn.starts_with("imputation,level,size\n1,low,0.50\n"));
    let cells: Vec<&str> = drawn.lines().skip(1).map(|line| line.rsplit_once(',').unwrap().1).collect();
    assert!(cells.iter().all(|cell| text.contains(&format!(",{cell}\n"))));
}

/// Four of ten are 0, the others lie far above: where the rest of the row says nothing, a gap is the column's median and not the most
/// probable bin, and it is written as the table writes its numbers.
#[test]
fn a_number_that_was_cut_is_filled_with_its_posterior_median() {
    let numbers: Vec<usize> = (0..600).map(|k| if k * 7 % 10 < 4 { 0 } else { 20 + k * 31 % 61 }).collect();
    let cell = |k: usize| if k % 8 == 3 { String::new() } else { format!("{}.50", numbers[k]) };
    let rows: String = (0..600).map(|k| format!("{},{}\n", ["a", "b"][k * k % 7 % 2], cell(k))).collect();
    let text = format!("side,size\n{rows}");
    let found =
        crate::learn::learn(Input::csv(text.as_bytes(), "t"), &crate::settings::Settings::default()).unwrap();
    let (out, told) = imputed(&found.model(), &text, Imputing::default());
    let mut left: Vec<usize> = (0..600).filter(|k| k % 8 != 3).map(|k| numbers[k]).collect();
    left.sort_unstable();
    let middle = left[left.len() / 2];
    assert!(middle >= 20, "{middle}");
    for k in (0..600).filter(|k| k % 8 == 3) {
        let written = out.lines().nth(k + 1).unwrap().split(',').nth(1).unwrap();
        let value: usize = written.strip_suffix(".50").unwrap().parse().unwrap();
        assert!(value.abs_diff(middle) <= 3 && value > 0, "{written} beside {middle}");
    }
    assert!(told["columns"][0]["probability"].as_f64().unwrap() < 0.4, "{told}");
    let state = Imputing { write: Written::State, ..Imputing::default() };
    let (labels, told) = imputed(&found.model(), &text, state);
    assert!(labels.lines().nth(4).unwrap().ends_with(",0.5"), "the most probable state: {labels}");
    assert!((told["columns"][0]["probability"].as_f64().unwrap() - 0.4).abs() < 0.02, "{told}");
}

#[test]
fn the_median_of_states_by_hand() {
    assert_eq!(median(&[0.5, 0.2, 0.3]), (0, 1.0));
    assert_eq!(median(&[0.25, 0.5, 0.25]), (1, 0.5));
    assert_eq!(median(&[0.0, 0.375, 0.0, 0.625]), (3, 0.2));
    assert_eq!(median(&[0.0, 0.0, 1.0]), (2, 0.5));
}

/// Half of the towns are rare and share a state, which is the most probable: a gap is filled with the most probable town all the same, and a
/// draw is a town of the table.
#[test]
fn what_rare_values_share_is_no_value() {
    let town = |k: usize| match k % 10 {
        0..3 => "Rome".to_string(),
        3 | 4 => ["Oslo", "Lyon"][k / 10 % 2].to_string(),
        _ => format!("t{}", k * 7 % 150),
    };
    let rows: String = (0..900)
        .map(|k| match k % 30 {
            29 => format!("{},\n", ["a", "b"][k % 2]),
            _ => format!("{},{}\n", ["a", "b"][k * k % 7 % 2], town(k)),
        })
        .collect();
    let text = format!("side,town\n{rows}");
    let mut settings = crate::settings::Settings::default();
    settings.data.max_categories = Some(6);
    settings.data.types.insert("town".into(), crate::data::ColumnType::Keep);
    let found = crate::learn::learn(Input::csv(text.as_bytes(), "t"), &settings).unwrap();
    let model = found.model();
    let rest = model.coding().unwrap().unwrap().rest("town").unwrap();
    assert_eq!(rest, 0);
    let towns = |out: &str| -> Vec<String> {
        let filled = out.lines().skip(1).enumerate().filter(|(k, _)| k % 30 == 29);
        filled.map(|(_, line)| line.rsplit_once(',').unwrap().1.to_string()).collect()
    };
    let (out, told) = imputed(&model, &text, Imputing::default());
    assert!(towns(&out).iter().all(|town| town == "Rome"), "{:?}", towns(&out));
    assert_eq!((&told["columns"][0]["filled"], &told["columns"][0]["rare"]), (&30.into(), &30.into()));
    let (out, _) = imputed(&model, &text, Imputing { draws: Some(1), ..Imputing::default() });
    let drawn = towns(&out);
    assert!(
        drawn.iter().any(|town| town.starts_with('t')) && !drawn.contains(&"other".to_string()),
        "{drawn:?}"
    );
    // Rows that have none of the rare values have nothing to draw for them.
    let (out, told) =
        imputed(&model, "side,town\na,\nb,\na,Rome\n", Imputing { draws: Some(9), ..Imputing::default() });
    assert!(!out.contains("other") && told["gaps"] == told["filled"], "{out}");
    let (out, _) = imputed(&model, &text, Imputing { write: Written::State, ..Imputing::default() });
    assert!(towns(&out).iter().all(|town| town == "other"), "the label of the state was asked for");
}

/// Rows of asia as CSV, with gaps.
fn gappy_asia(rows: usize, seed: u64) -> String {
    let table = sample(&crate::embedded::network("asia").unwrap(), rows, seed);
    let variables = table.schema().variables();
    let mut stream = Stream::new(seed, "gaps");
    let mut text = variables.iter().map(|v| v.name.as_str()).collect::<Vec<_>>().join(",") + ",beside\n";
    for row in 0..rows {
        for (v, variable) in variables.iter().enumerate() {
            if stream.below(4) > 0 {
                text.push_str(&csv_cell(&variable.states[usize::from(table.column(v)[row])]));
            }
            text.push(',');
        }
        text.push_str(if stream.below(2) > 0 { " kept \n" } else { "\n" });
    }
    text
}

#[test]
fn no_gap_is_left_and_no_other_byte_changes() {
    let asia = embedded("@asia");
    for (seed, draws) in [(1, None), (2, Some(1)), (3, None), (4, Some(1))] {
        let text = gappy_asia(200, seed);
        let (out, told) = imputed(&asia, &text, Imputing { draws, seed, ..Imputing::default() });
        assert_eq!(told["gaps"], told["filled"]);
        for (before, after) in text.lines().zip(out.lines()) {
            let cells = before.split(',').zip(after.split(','));
            for (k, (before, after)) in cells.enumerate() {
                assert!(before == after || (before.is_empty() && k < 8), "{before} {after}");
                assert!(k == 8 || !after.is_empty());
            }
        }
        assert_eq!(imputed(&asia, &out, Imputing::default()).0, out, "nothing is left to do");
    }
}

/// Draws of two gaps in one row come from their joint posterior.
#[test]
fn draws_approach_the_joint_posterior() {
    let asia = embedded("@asia");
    let schema = asia.network.schema();
    let row = "asia,tub,smoke,lung,bronc,either,xray,dysp\nno,,yes,,,,yes,yes\n";
    let how = Imputing { draws: Some(1000), seed: 5, ..Imputing::default() };
    let (out, _) = imputed(&asia, row, how);
    let at = |name: &str| schema.index(name).unwrap();
    let mut evidence = Evidence::new(&asia.network);
    for (name, state) in [("asia", "no"), ("smoke", "yes"), ("xray", "yes"), ("dysp", "yes")] {
        evidence.observe(at(name), schema.variable(at(name)).code(state).unwrap()).unwrap();
    }
    let targets = [at("lung"), at("bronc")];
    let posterior = Infer::new(asia.network.clone()).posterior(&targets, &evidence).unwrap();
    let mut counts = [0.0; 4];
    for line in out.lines().skip(1) {
        let cells: Vec<&str> = line.split(',').collect();
        let code = |name: &str| {
            let column = row.lines().next().unwrap().split(',').position(|c| c == name).unwrap();
            usize::from(schema.variable(at(name)).code(cells[column + 1]).unwrap())
        };
        counts[2 * code("lung") + code("bronc")] += 1.0 / 1000.0;
        let either = [code("lung"), code("tub")].contains(&0);
        assert_eq!(code("either") == 0, either, "what cannot be is never drawn: {line}");
    }
    for (found, want) in counts.iter().zip(&posterior.probabilities) {
        let error = (want * (1.0 - want) / 1000.0).sqrt();
        assert!((found - want).abs() < 4.0 * error + 1e-3, "{counts:?} {:?}", posterior.probabilities);
    }
}

#[test]
fn a_date_stays_a_gap_and_an_impossible_row_too() {
    let days: String = (0..200)
        .map(|k| match k % 20 {
            7 => format!(",{}\n", ["wet", "dry"][k / 20 % 2]),
            _ => format!(
                "2024-{:02}-{:02},{}\n",
                1 + k * 7 % 12,
                1 + k * 5 % 28,
                ["wet", "dry"][k * 7 % 12 / 6]
            ),
        })
        .collect();
    let text = format!("day,rain\n{days}");
    let found =
        crate::learn::learn(Input::csv(text.as_bytes(), "t"), &crate::settings::Settings::default()).unwrap();
    let (out, told) = imputed(&found.model(), &text, Imputing::default());
    assert_eq!((out, &told["left"][0]["gaps"]), (text, &10.into()));
    // A cause is there, and yet none is.
    let odd = "lung,either,tub\nyes,no,\nyes,yes,\n";
    let (out, told) = imputed(&embedded("@asia"), odd, Imputing::default());
    assert_eq!(out, "lung,either,tub\nyes,no,\nyes,yes,no\n");
    assert_eq!((&told["gaps"], &told["filled"]), (&2.into(), &1.into()));
}

/// Says no from the given question on, and counts them.
struct Impatient {
    patience: usize,
    asked: AtomicUsize,
    steps: AtomicUsize,
}

impl Watch for Impatient {
    fn event(&self, event: Event) {
        if let Event::Step { .. } = event {
            self.steps.fetch_add(1, Ordering::Relaxed);
        }
    }

    fn cancelled(&self) -> bool {
        self.asked.fetch_add(1, Ordering::Relaxed) >= self.patience
    }
}

#[test]
fn filling_ends_wherever_it_is_called_off() {
    let asia = embedded("@asia");
    let text = gappy_asia(300, 1);
    let bounds = Bounds::default();
    let sheet = Sheet::read(Input::csv(text.as_bytes(), "t"), None, &bounds).unwrap();
    for draws in [None, Some(3)] {
        let fill = |patience| {
            let watch = Impatient { patience, asked: AtomicUsize::new(0), steps: AtomicUsize::new(0) };
            let how = Imputing { draws, ..Imputing::default() };
            let found = asia.impute(&sheet, &Reading::default(), how, &bounds, &watch).map(drop);
            (found, watch.asked.into_inner(), watch.steps.into_inner())
        };
        let (found, asked, steps) = fill(usize::MAX);
        assert!(found.is_ok() && steps == 8 * draws.unwrap_or(1));
        assert!(asked > 100, "whoever watches is asked before every answer: {asked}");
        for patience in [0, 1, 2, 20, asked / 2, asked - 1] {
            let (found, further, _) = fill(patience);
            assert!(matches!(found, Err(Error::Cancelled)), "{patience}: {found:?}");
            assert!(further <= patience + 2 * rayon::current_num_threads().max(8), "{patience} {further}");
        }
    }
}

#[test]
fn no_draws_are_refused() {
    let sheet = Sheet::read(Input::csv(&b"a,b\nx,\n"[..], "t"), None, &Bounds::default()).unwrap();
    let how = Imputing { draws: Some(0), ..Imputing::default() };
    let error =
        pair("2").impute(&sheet, &Reading::default(), how, &Bounds::default(), &Unwatched).unwrap_err();
    assert_eq!(error.to_string(), "draws is 0; it must be between 1 and 1000");
}
