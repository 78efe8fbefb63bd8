//! Learning again, a second network and tests with rows, over real sockets: bounded, one at a time, called off, and behind the token like everything.

mod running;

use clausality::data::Dataset;
use clausality::model::{Model, Rows};
use clausality::run::{Clauses, Made, Run, RunFolder};
use clausality::{Bounds, Settings, Unwatched, learn_from};
use clausality_web::{Again, Explored};
use running::{Running, embedded, explored};
use serde_json::{Value, json};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// A run on rows drawn from a network, as the demo makes one.
fn run(name: &str, rows: usize) -> Explored {
    let table = clausality::bn::sample(&embedded(name), rows, 1);
    let learned =
        learn_from(&Dataset::sampled(table.clone()), &Settings::default(), &Bounds::default(), &Unwatched)
            .unwrap();
    let run = Run::new(&learned, Made { table: format!("@{name}"), ..Made::default() });
    let model = run.model(&learned);
    let again = Some(Again { table: None, bounds: Bounds::default() });
    let run = Some(RunFolder { run, clauses: Clauses::new(&learned) });
    Explored { run, again, rows: Some(Rows::of("rows", table)), ..Explored::new(model, "run".into()) }
}

fn edits(wish: &str, parent: &str, child: &str) -> Value {
    json!({ "edits": [{ "wish": wish, "parent": parent, "child": child }] })
}

/// Waits until learning has ended.
fn ended(server: &Running) -> Value {
    let start = Instant::now();
    loop {
        let told = server.get("/api/revision").json();
        if told["state"] != "running" {
            return told;
        }
        assert!(start.elapsed() < Duration::from_secs(120), "{told}");
        sleep(Duration::from_millis(30));
    }
}

#[test]
fn new_routes_are_behind_the_token_and_know_their_methods() {
    let server = Running::start(explored(embedded("asia")));
    for line in [
        "POST /api/revision",
        "GET /api/revision",
        "DELETE /api/revision",
        "GET /api/other",
        "POST /api/contrast",
        "POST /api/exam",
        "GET /api/desk",
        "POST /api/desk",
        "POST /api/replicates",
        "POST /api/decision",
        "GET /api/trial",
        "GET /report.html",
    ] {
        assert_eq!(server.ask(line, &[], "").status, 401, "{line}");
        let foreign = server.ask(line, &[&server.bearer(), "Origin: http://elsewhere.example"], "");
        assert_eq!(foreign.status, 403, "{line}");
    }
    for (line, status) in [
        ("PUT /api/revision", 405),
        ("DELETE /api/other", 405),
        ("GET /api/contrast", 405),
        ("GET /api/exam", 405),
        ("DELETE /api/desk", 405),
        ("GET /api/other", 404),
        ("GET /api/replicates", 405),
        ("GET /api/decision", 405),
        ("POST /api/trial", 405),
        ("DELETE /report.html", 405),
        ("GET /report.html", 422),
    ] {
        assert_eq!(server.ask(line, &[&server.bearer()], "").status, status, "{line}");
    }
    for (path, body) in [
        ("/api/revision", r#"{"edits": [{"wish": "burn", "parent": "asia", "child": "tub"}]}"#),
        ("/api/revision", r#"{"edits": [], "path": "/etc/passwd"}"#),
        ("/api/exam", r#"{"target": "lung", "table": "/etc/passwd"}"#),
        ("/api/contrast", r#"{"given": {}}"#),
        ("/api/desk", r#"{"scenarios": [], "file": "/etc/passwd"}"#),
        ("/api/desk", r#"{"places": {"asia": [1, 2, 3]}}"#),
        ("/api/decision", r#"{"evidence": {}}"#),
        ("/api/decision", r#"{"decide": {"utility": [], "file": "/etc/passwd"}}"#),
        ("/api/replicates", r#"{"do": {"smoke": "yes"}}"#),
        ("/api/replicates", r#"{"nodes": [-1], "do": {"smoke": "yes"}}"#),
        ("/api/replicates", r#"{"nodes": [0], "do": {"smoke": "yes"}, "table": "/etc/passwd"}"#),
    ] {
        let refused = server.post(path, "application/json", body);
        assert_eq!(refused.status, 400, "{path} {body}");
        assert_eq!(server.post(path, "text/plain", body).status, 415);
    }
    let large = format!("{{\"edits\": [], \"x\": \"{}\"}}", "x".repeat(2 << 20));
    assert_eq!(server.post("/api/revision", "application/json", &large).status, 413);
}

#[test]
fn a_network_alone_says_why_it_is_not_learned_again() {
    let server = Running::start(explored(embedded("asia")));
    assert!(server.get("/api/network").json()["fixed"].as_str().unwrap().contains("only a run"));
    let refused = server.question("/api/revision", &edits("turn", "asia", "tub"));
    assert_eq!(refused.status, 422);
    assert!(refused.json()["error"].as_str().unwrap().contains("clausality learn"));
    assert_eq!(server.get("/api/revision").json(), json!({ "state": "none" }));
}

#[test]
fn an_arc_is_removed_and_the_answers_of_both_networks_stand_side_by_side() {
    let server = Running::start(run("asia", 800));
    let network = server.get("/api/network").json();
    assert!(network["fixed"].is_null());
    let name =
        |v: &Value| network["nodes"][v.as_u64().unwrap() as usize]["name"].as_str().unwrap().to_string();
    let arc = &network["arcs"][0];
    let (parent, child) = (name(&arc["parent"]), name(&arc["child"]));
    let begun = server.question("/api/revision", &edits("remove", &parent, &child));
    assert_eq!(begun.status, 200, "{begun:?}");
    let told = ended(&server);
    assert_eq!(told["state"], "done", "{told}");
    assert!(told["score"]["change"].as_f64().unwrap() < 0.0);
    assert!(told["held_out"]["standard_error"].as_f64().unwrap() > 0.0);
    assert!(told["command"][0].as_str().unwrap().contains("--forbid"));
    let other = server.get("/api/other").json();
    let lost = other["lost"].as_array().unwrap();
    assert!(lost.iter().any(|lost| lost["ends"] == json!([arc["parent"], arc["child"]])), "{other}");
    let found = server.question("/api/contrast", &json!({ "evidence": { &parent: "yes" } })).json();
    let here = server.question("/api/posteriors", &json!({ "evidence": { &parent: "yes" } })).json();
    for (node, far) in found["apart"].as_array().unwrap().iter().enumerate() {
        let row = |of: &Value| -> Vec<f64> {
            of["posteriors"][node].as_array().unwrap().iter().map(|p| p.as_f64().unwrap()).collect()
        };
        let sum: f64 = row(&here).iter().zip(row(&found)).map(|(p, q)| (p - q).abs()).sum();
        assert!((far.as_f64().unwrap() - sum / 2.0).abs() < 1e-9, "node {node}");
    }
    // What is forgotten is gone.
    assert_eq!(
        server.ask("DELETE /api/revision", &[&server.bearer()], "").json(),
        json!({ "state": "none" })
    );
    assert_eq!(server.get("/api/other").status, 404);
}

#[test]
fn learning_is_one_at_a_time_and_is_called_off() {
    let server = Running::start(run("alarm", 2000));
    let network = server.get("/api/network").json();
    let name =
        |v: &Value| network["nodes"][v.as_u64().unwrap() as usize]["name"].as_str().unwrap().to_string();
    let arc = &network["arcs"][0];
    let wish = edits("require", &name(&arc["parent"]), &name(&arc["child"]));
    assert_eq!(server.question("/api/revision", &wish).json()["state"], "running");
    let second = server.question("/api/revision", &wish);
    assert_eq!(second.status, 409, "{second:?}");
    // Bars do not wait for it.
    assert_eq!(server.question("/api/posteriors", &json!({})).status, 200);
    assert_eq!(server.ask("DELETE /api/revision", &[&server.bearer()], "").status, 200);
    assert_eq!(server.get("/api/revision").json(), json!({ "state": "none" }));
    // The next one is heard: what was called off keeps nothing.
    assert_eq!(server.question("/api/revision", &edits("require", "nobody", "<b>")).status, 200);
    let told = ended(&server);
    assert_eq!(told, json!({ "state": "failed", "error": "there is no node 'nobody' in this run" }));
}

#[test]
fn a_second_network_is_named_and_what_it_lacks_is_said() {
    let model = |network: clausality::bn::Network| Model {
        network: network.into(),
        extra: Default::default(),
        source: "other.bif".into(),
    };
    let against = Some(("other.bif".to_string(), model(embedded("asia"))));
    let server = Running::start(Explored { against, ..explored(embedded("asia")) });
    assert_eq!(server.get("/api/network").json()["against"], true);
    let other = server.get("/api/other").json();
    assert_eq!(
        (&other["name"], &other["added"], &other["lost"]),
        (&json!("other.bif"), &json!([]), &json!([]))
    );
    let same = server.question("/api/contrast", &json!({ "do": { "smoke": "yes" } })).json();
    assert!(same["apart"].as_array().unwrap().iter().all(|far| far.as_f64() == Some(0.0)), "{same}");
    let strange =
        Explored { against: Some(("x".into(), model(embedded("alarm")))), ..explored(embedded("asia")) };
    assert!(clausality_web::Server::bind(strange, "127.0.0.1", 0).is_err());
}

#[test]
fn rows_test_the_network() {
    let server = Running::start(run("asia", 400));
    let found = server.question("/api/exam", &json!({ "target": "dysp" })).json();
    let counts = found["prediction"]["confusion"].as_array().unwrap();
    let all: u64 = counts.iter().flat_map(|row| row.as_array().unwrap()).map(|n| n.as_u64().unwrap()).sum();
    assert_eq!((all, found["rows"].as_u64()), (400, Some(400)));
    assert!(found["surprising"][0]["surprise"].as_f64() >= found["surprising"][1]["surprise"].as_f64());
    let sent =
        server.question("/api/exam", &json!({ "target": "dysp", "csv": "smoke,dysp\nyes,no\n" })).json();
    assert_eq!(sent["examined"], 1);
    for (question, part) in [
        (json!({ "target": "nobody" }), "no node"),
        (json!({ "target": "dysp", "csv": "" }), "the rows"),
        (json!({ "target": "dysp", "csv": "strange\n1\n" }), "no column"),
        (json!({ "target": "dysp", "csv": "dysp\n?\n" }), "no cell"),
    ] {
        let refused = server.question("/api/exam", &question);
        assert_eq!(refused.status, 422, "{question}");
        assert!(refused.json()["error"].as_str().unwrap().contains(part), "{refused:?}");
    }
    let bare = Running::start(Explored { rows: None, ..explored(embedded("asia")) });
    assert_eq!(bare.question("/api/exam", &json!({ "target": "dysp" })).status, 422);
}

/// Scenarios and places go into the folder of a run, and into nothing else.
#[test]
fn a_run_keeps_scenarios_and_places_and_a_network_alone_does_not() {
    let none = json!({ "kept": false, "scenarios": [], "places": {} });
    let kept = json!({ "scenarios": [{ "name": "<b>", "text": "see:smoke=yes" }], "places": { "asia": [12.0, 8.5] } });
    let alone = Running::start(explored(embedded("asia")));
    assert_eq!(alone.get("/api/desk").json(), none);
    assert_eq!(alone.question("/api/desk", &kept).status, 404);
    let folder = tempfile::tempdir().unwrap();
    let start =
        || Running::start(Explored { keeps: Some(folder.path().into()), ..explored(embedded("asia")) });
    let server = start();
    assert_eq!(server.get("/api/desk").json()["kept"], true);
    assert!(std::fs::read_dir(folder.path()).unwrap().next().is_none(), "looking writes nothing");
    assert_eq!(server.question("/api/desk", &kept).status, 200);
    drop(server);
    let found = start().get("/api/desk").json();
    assert_eq!((&found["scenarios"], &found["places"]), (&kept["scenarios"], &kept["places"]));
    // What is no such file is told, and stays.
    let file = folder.path().join("explorer.json");
    std::fs::write(&file, "notes of mine").unwrap();
    let refused = start().get("/api/desk");
    assert_eq!(refused.status, 422);
    assert!(refused.json()["error"].as_str().unwrap().contains("move the file away"), "{refused:?}");
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "notes of mine");
}

/// What was learned again has a band for the nodes that are asked about, as the library gives it.
#[test]
fn the_band_over_what_was_learned_again_is_that_of_the_library() {
    let table = clausality::bn::sample(&embedded("asia"), 400, 1);
    let mut settings = Settings::default();
    settings.network.bootstrap = 3;
    let learned = learn_from(&Dataset::sampled(table), &settings, &Bounds::default(), &Unwatched).unwrap();
    let run = Run::new(&learned, Made { table: "@asia".into(), ..Made::default() });
    let model = run.model(&learned);
    let server = Running::start(Explored::new(run.model(&learned), "run".into()));
    assert_eq!(server.get("/api/network").json()["replicates"], true);
    let index = |name: &str| model.network.schema().index(name).unwrap();
    let (lung, bronc) = (index("lung"), index("bronc"));
    let question = json!({ "nodes": [bronc, lung, lung], "do": { "smoke": "yes" } });
    let found = server.question("/api/replicates", &question).json();
    let evidence = model.evidence(&[], &[("smoke", "yes")]).unwrap();
    let mut nodes = [lung, bronc];
    nodes.sort_unstable();
    let limit = 384 << 20;
    let own =
        clausality::bn::effects::effects(&model.network, &model.class(), &nodes, &evidence, limit).unwrap();
    let spread = model.spread(&nodes, &evidence, &own, limit, None).unwrap().unwrap();
    assert_eq!(
        found,
        json!({ "nodes": nodes, "low": spread.low, "high": spread.high, "rounds": 3, "draws": spread.draws })
    );
    for (question, part) in [
        (json!({ "nodes": [99], "do": { "smoke": "yes" } }), "no node of the number 99"),
        (json!({ "nodes": [0], "do": { "<b>": "yes" } }), "<b>"),
    ] {
        let refused = server.question("/api/replicates", &question);
        assert_eq!(refused.status, 422, "{refused:?}");
        assert!(refused.json()["error"].as_str().unwrap().contains(part), "{refused:?}");
    }
    // Nothing was repeated: there is none.
    let alone = Running::start(explored(embedded("asia")));
    assert_eq!(alone.get("/api/network").json()["replicates"], false);
    assert_eq!(alone.question("/api/replicates", &question).json(), Value::Null);
}

/// The figures are those of the trial that the library holds, with the violated independences alone.
#[test]
fn the_network_is_held_against_the_rows_at_hand() {
    let made = run("asia", 400);
    let rows = made.rows.as_ref().unwrap();
    let expected = made.model.test(rows, None, made.seed, &Unwatched).unwrap();
    let expected = json!([expected.tested, expected.violated, expected.standing, expected.hidden.len()]);
    let server = Running::start(run("asia", 400));
    let found = server.get("/api/trial").json();
    let hidden = found["hidden"].as_array().unwrap().len();
    assert_eq!(json!([found["tested"], found["violated"], found["standing"], hidden]), expected);
    assert_eq!(found["independences"].as_array().unwrap().len() as u64, found["violated"].as_u64().unwrap());
    let bare = Running::start(Explored { rows: None, ..explored(embedded("asia")) });
    assert_eq!(bare.get("/api/trial").status, 422);
}

#[test]
fn a_decision_is_asked_by_names() {
    let server = Running::start(explored(embedded("asia")));
    let decide = |when: Value, set: Value| json!({ "decide": { "utility": [{ "when": when, "value": -100 }], "action": [{ "do": set, "cost": 20 }] }, "evidence": { "asia": "yes" } });
    let found =
        server.question("/api/decision", &decide(json!({ "dysp": "yes" }), json!({ "bronc": "no" }))).json();
    let actions = found["decision"]["actions"].as_array().unwrap();
    // As the table of the network says: nothing done, and bronchitis prevented.
    let nearly = |value: &Value, expected: f64| (value.as_f64().unwrap() - expected).abs() < 1e-9;
    assert!(
        nearly(&actions[0]["expected"], -45.01375) && nearly(&actions[1]["expected"], -36.135),
        "{found}"
    );
    assert_eq!(found["decision"]["best"], json!({ "bronc": "no" }));
    for (when, set) in [
        (json!({ "<b>": "yes" }), json!({})),
        (json!({ "dysp": "<b>" }), json!({})),
        (json!({ "dysp": "yes" }), json!({ "bronc": "perhaps" })),
    ] {
        let refused = server.question("/api/decision", &decide(when, set));
        assert_eq!(refused.status, 422, "{refused:?}");
    }
}

/// The numbers that turn the answer come with what is asked about a target: the smallest change first, one of each row of a table.
#[test]
fn what_would_turn_the_answer_is_told_with_a_target() {
    let server = Running::start(explored(embedded("asia")));
    let found =
        server.question("/api/informed", &json!({ "target": "lung", "evidence": { "dysp": "yes" } })).json();
    let changes: Vec<f64> = found["sensitivity"]
        .as_array()
        .unwrap()
        .iter()
        .map(|number| number["flip"]["change"].as_f64().unwrap().abs())
        .collect();
    assert!((1..=6).contains(&changes.len()) && changes.is_sorted(), "{changes:?}");
    let nearest = server.question("/api/informed", &json!({ "target": "lung", "nearest": 3 })).json();
    assert!(nearest.get("sensitivity").is_none(), "{nearest}");
}
