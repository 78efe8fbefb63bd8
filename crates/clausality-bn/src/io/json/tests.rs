use super::*;
use crate::io::{Limits, bif};
use crate::{Error, Network, Scale};

const GOOD: &str = r#"{
  "format": "clausality-network/1",
  "nodes": [
    {"name": "wet", "states": ["yes", "no"], "parents": ["rain", "hose"],
     "rows": [[1, 0], [0.5, 0.5], [0.5, 0.5], [5e-1, 0.5], [0.9, 0.1], [0.0, 1.0]]},
    {"name": "rain", "states": ["yes", "no"], "rows": [[0.2, 0.8]], "scale": "ordered"},
    {"name": "hose", "states": ["on", "off", "missing"], "missing_state": true,
     "rows": [[0.3, 0.3, 0.4]]}
  ]
}"#;

fn read_text(text: &str) -> Result<Network, Error> {
    read(text.as_bytes(), &Limits::default())
}

fn complaint(text: &str) -> String {
    read_text(text).unwrap_err().to_string()
}

#[test]
fn reads_nodes_in_any_order_with_what_may_be_left_out() {
    let network = read_text(GOOD).unwrap();
    assert_eq!((network.name(), network.len(), network.cells()), ("unknown", 3, 17));
    assert_eq!(network.parents(0), [1, 2]);
    let rain = network.schema().variable(1);
    assert_eq!((rain.scale, rain.has_missing_state), (Scale::Ordered, false));
    assert_eq!(network.schema().variable(2).missing_state(), Some(2));
    // The last parent varies fastest: rain = no, hose = on is the fourth row.
    let cpt = network.cpt(0);
    assert_eq!(cpt.row(cpt.configuration(&[1, 0])), [0.5, 0.5]);
    assert_eq!(cpt.row(cpt.configuration(&[1, 1])), [0.9, 0.1]);
}

#[test]
fn what_is_written_reads_back_with_the_same_doubles_and_bytes() {
    let bif_text = "network \"a \\\"b\\\"\" {} variable A { type discrete [ 3 ] { \"x y\", \u{e9}, z }; } \
        variable \"B\u{202e}\" { type discrete [ 2 ] { t, f }; } \
        probability ( A ) { table 0.3333333, 0.3333333, 0.3333333; } \
        probability ( \"B\u{202e}\" | A ) { (\"x y\") 1e-300, 1.0; (\u{e9}) 0.1, 0.9; (z) 0.7, 0.3; }";
    let network = bif::read(bif_text.as_bytes(), &Limits::default()).unwrap();
    let text = write(&network);
    let again = read_text(&text).unwrap();
    assert_eq!(again, network);
    assert_eq!(again.cpt(1).written_row(0)[0].to_bits(), 1e-300f64.to_bits());
    assert_eq!(write(&again), text);
    let flagged = read_text(GOOD).unwrap();
    assert_eq!(read_text(&write(&flagged)).unwrap(), flagged);
}

#[test]
fn extra_is_kept_for_its_maker() {
    let network = read_text(GOOD).unwrap();
    let mut extra = Extra::new();
    extra.insert("seed".into(), u64::MAX.into());
    extra.insert("shares".into(), vec![0.1, 1e-7].into());
    let text = write_with_extra(&network, &extra);
    let (same, kept) = read_with_extra(text.as_bytes(), &Limits::default()).unwrap();
    assert_eq!((same, kept), (network, extra.clone()));
    assert!(!write(&read_text(&text).unwrap()).contains("extra"));
    let message = complaint(&text.replace("\"extra\": {", "\"extra\": 3, \"x\": {"));
    assert!(message.contains("unknown field `x`"), "{message}");
}

#[test]
fn the_layout_is_steady() {
    let text =
        "network n { } variable A { type discrete [ 2 ] { t, f }; } probability ( A ) { table 0.25, 0.75; }";
    let network = bif::read(text.as_bytes(), &Limits::default()).unwrap();
    let want = "{\n  \"format\": \"clausality-network/1\",\n  \"name\": \"n\",\n  \"nodes\": [\n    {\n      \
                \"name\": \"A\",\n      \"states\": [\"t\", \"f\"],\n      \"parents\": [],\n      \"rows\": [\n        \
                [0.25, 0.75]\n      ]\n    }\n  ]\n}\n";
    assert_eq!(write(&network), want);
}

#[test]
fn faults_have_a_place() {
    let changed = |from: &str, to: &str| {
        assert!(GOOD.contains(from), "{from}");
        complaint(&GOOD.replacen(from, to, 1))
    };
    for (message, want) in [
        (complaint(""), "1:1: EOF while parsing"),
        (complaint("[]"), "1:"),
        (complaint("{}"), "1:1: expected a network with \"format\""),
        (complaint("{\"format\": \"other/2\"}"), "1:12: expected a network with"),
        (complaint("{\"format\": \"clausality-network/1\"}"), "1:34: missing field `nodes`"),
        (complaint("{\"format\": \"clausality-network/1\", \"nodes\": []}"), "1:1: expected a node"),
        (complaint(&GOOD[..GOOD.len() - 1]), "10:"),
        (changed("\"nodes\"", "\"knots\""), "3:"),
        (changed("[0.2, 0.8]", "[0.2, 0.7]"), "6:56: the probabilities of 'rain' sum to 0.8999"),
        (
            changed("[0.9, 0.1]", "[0.9, 0.2]"),
            "5:60: the probabilities of 'wet' for rain=no, hose=off sum to",
        ),
        (changed("[0.2, 0.8]", "[-0.2, 1.2]"), "6:56: -0.2 in the table of 'rain'"),
        (changed("[0.2, 0.8]", "[0.2, true]"), "6:"),
        (
            changed("[0.2, 0.8]", "[0.2, 0.4, 0.4]"),
            "6:56: expected 2 probabilities for 'rain' (2 states), found 3",
        ),
        (changed("[0.2, 0.8]", "[1.0]"), "6:56: expected 2 probabilities for 'rain' (2 states), found 1"),
        (changed("[[0.2, 0.8]]", "[[0.2, 0.8], [0.5, 0.5]]"), "6:68: expected 1 rows for 'rain'"),
        (
            changed("[1, 0], ", ""),
            "5:14: expected 6 rows for 'wet', one for each configuration of its parents, found 5",
        ),
        (changed("\"rain\", \"hose\"", "\"rain\", \"ghost\""), "4:66: parent 'ghost' of 'wet' is no node"),
        (
            changed("\"rain\", \"hose\"", "\"rain\", \"rain\""),
            "4:66: node 'wet' cannot have 'rain' as a parent",
        ),
        (changed("\"name\": \"hose\"", "\"name\": \"rain\""), "7:14: duplicate variable name 'rain'"),
        (changed("\"on\", \"off\"", "\"on\", \"on\""), "7:39: variable 'hose' lists the state 'on' twice"),
        (changed("[\"on\", \"off\", \"missing\"]", "[]"), "7:32: node 'hose' has no state"),
        (changed("\"scale\": \"ordered\"", "\"scale\": \"sorted\""), "6:"),
        (changed("\"name\": \"rain\"", "\"name\": 7"), "6:14: invalid type"),
    ] {
        assert!(message.starts_with(want), "{want}: {message}");
    }
    let cycle = r#"{"format": "clausality-network/1", "nodes": [
        {"name": "A", "states": ["t"], "parents": ["B"], "rows": [[1]]},
        {"name": "B", "states": ["t"], "parents": ["A"], "rows": [[1]]}]}"#;
    assert_eq!(complaint(cycle), "3:18: the arcs form a cycle: A -> B -> A; remove or turn one of them");
}

#[test]
fn limits_are_checked_before_memory_is_taken() {
    let parents: Vec<String> = (0..30).map(|i| format!("\"p{i}\"")).collect();
    let node = |name: &str, parents: &str| {
        format!(
            "{{\"name\": {name}, \"states\": [\"t\", \"f\"], \"parents\": [{parents}], \"rows\": [[1, 0]]}}"
        )
    };
    let mut nodes = vec![node("\"X\"", &parents.join(","))];
    nodes.extend(parents.iter().map(|p| node(p, "")));
    let text = format!("{{\"format\": \"{FORMAT}\", \"nodes\": [{}]}}", nodes.join(","));
    let error = read_text(&text).unwrap_err();
    assert!(error.is_limit() && error.to_string().contains("2147483648 cells"), "{error}");
    let small = Limits { input_bytes: 10, ..Limits::default() };
    assert!(read(text.as_bytes(), &small).unwrap_err().is_limit());
    let many: Vec<String> = (0..300).map(|i| format!("\"s{i}\"")).collect();
    let text = format!(
        "{{\"format\": \"{FORMAT}\", \"nodes\": [{{\"name\": \"A\", \"states\": [{}], \"rows\": []}}]}}",
        many.join(",")
    );
    assert!(complaint(&text).contains("more than 255 states"));
    let deep = format!("{{\"format\": \"{FORMAT}\", \"extra\": {}1", "[".repeat(100_000));
    assert!(read_text(&deep).is_err());
}

/// The schema that other programs read is that of what we write: every key of it appears, and no other.
#[test]
fn the_schema_has_the_keys_that_are_written() {
    let file = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/network.schema.json");
    let schema: serde_json::Value = serde_json::from_slice(&std::fs::read(file).unwrap()).unwrap();
    let keys = |value: &serde_json::Value| {
        let mut keys: Vec<String> = value.as_object().unwrap().keys().cloned().collect();
        keys.sort();
        keys
    };
    let network = read_text(GOOD).unwrap();
    let extra: Extra = [("note".to_string(), serde_json::json!(1))].into_iter().collect();
    let written: serde_json::Value = serde_json::from_str(&write_with_extra(&network, &extra)).unwrap();
    assert_eq!(keys(&written), keys(&schema["properties"]));
    assert_eq!(schema["properties"]["format"]["const"], FORMAT);
    let node = &schema["$defs"]["node"];
    let mut found: Vec<String> = written["nodes"].as_array().unwrap().iter().flat_map(keys).collect();
    found.sort();
    found.dedup();
    assert_eq!(found, keys(&node["properties"]));
    // What the schema requires is what the reader requires.
    for key in ["name", "states", "rows"] {
        assert!(node["required"].as_array().unwrap().iter().any(|k| k == key));
        let mut without = written.clone();
        without["nodes"][1].as_object_mut().unwrap().remove(key);
        assert!(complaint(&without.to_string()).contains(&format!("missing field `{key}`")));
    }
}
