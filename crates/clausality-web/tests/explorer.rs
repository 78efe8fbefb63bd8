//! The explorer without a server: the same answers and refusals, from any thread.

use clausality::bn::infer::{Evidence, Infer};
use clausality::bn::sample;
use clausality::model::{Model, Rows};
use clausality_web::{Explored, Explorer};
use serde_json::{Value, json};
use std::thread;

const JSON: &str = "application/json";

fn explorer(name: &str) -> Explorer {
    let network = clausality::embedded::network(name).unwrap();
    let rows = Some(Rows::of("rows", sample(&network, 5, 1)));
    let model = Model { network: network.into(), extra: Default::default(), source: "network".into() };
    let argument = "network".into();
    Explorer::new(Explored { rows, ..Explored::new(model, argument) }).unwrap()
}

fn ask(explorer: &Explorer, method: &str, path: &str, kind: &str, body: &str) -> (u16, Value) {
    let answer = explorer.answer(method, path, kind, body.as_bytes());
    assert_eq!(answer.kind, "application/json; charset=utf-8", "{path}");
    (answer.status, serde_json::from_slice(&answer.body).unwrap())
}

#[test]
fn answers_are_those_of_the_library() {
    let explorer = explorer("alarm");
    let network = clausality::embedded::network("alarm").unwrap();
    let hr = network.schema().index("HR").unwrap();
    let mut known = Evidence::new(&network);
    known.observe(hr, 2).unwrap();
    let expected = Infer::new(network.clone()).posteriors(&known).unwrap();
    let question = json!({"evidence": {"HR": network.schema().variable(hr).states[2]}}).to_string();
    let (status, answer) = ask(&explorer, "POST", "/api/posteriors", JSON, &question);
    assert_eq!((status, &answer["posteriors"]), (200, &json!(expected.probabilities)));
    let (_, document) = ask(&explorer, "GET", "/api/network", "", "");
    assert_eq!((&document["model"], &document["rows"]["count"]), (&json!("network"), &json!(5)));
    assert_eq!(ask(&explorer, "GET", "/api/rows/5", "", "").0, 200);
    let drawing = explorer.answer("GET", "/drawing.svg", "", b"");
    assert!(drawing.status == 200 && drawing.body.starts_with(b"<svg"));
    // The style of a drawing that is saved is asked for, too.
    assert_eq!(explorer.answer("GET", "/marks.css", "", b"").kind, "text/css; charset=utf-8");
}

#[test]
fn refusals_are_the_servers_own() {
    let explorer = explorer("asia");
    for (method, path, kind, body, status) in [
        ("GET", "/nowhere", "", "", 404),
        ("GET", "/api/node/99", "", "", 404),
        ("PUT", "/api/network", "", "", 405),
        ("POST", "/api/posteriors", "text/plain", "{}", 415),
        ("POST", "/api/posteriors", JSON, "{", 400),
        ("POST", "/api/posteriors", JSON, &format!("\"{}\"", "x".repeat(1 << 20)), 413),
        ("POST", "/api/posteriors", JSON, r#"{"evidence": {"either": "no", "lung": "yes"}}"#, 422),
        ("POST", "/api/rows", "text/csv", "a,b\n1,2\n", 422),
        ("NO METHOD", "/api/network", "", "", 400),
        ("GET", "no path", "", "", 400),
        ("GET", "/api/network", "a\nb", "", 400),
    ] {
        let (found, why) = ask(&explorer, method, path, kind, body);
        assert_eq!(found, status, "{method} {path}");
        assert!(why["error"].is_string(), "{method} {path}: {why}");
    }
}

#[test]
fn several_threads_may_ask() {
    let explorer = explorer("asia");
    let question = |state: &str| json!({"evidence": {"smoke": state}}).to_string();
    let expected =
        ["yes", "no"].map(|state| ask(&explorer, "POST", "/api/posteriors", JSON, &question(state)).1);
    thread::scope(|scope| {
        for (state, expected) in ["yes", "no"].into_iter().zip(&expected) {
            let explorer = &explorer;
            scope.spawn(move || {
                for _ in 0..50 {
                    assert_eq!(&ask(explorer, "POST", "/api/posteriors", JSON, &question(state)).1, expected);
                }
            });
        }
    });
    assert_ne!(expected[0], expected[1]);
}
