//! Dialects, faults and round trips in miniature; the real files are read in `tests/files.rs`.

use super::{read, write};
use crate::io::Limits;
use crate::{Error, Network};
use proptest::prelude::*;

fn parse(text: &str) -> Result<Network, Error> {
    read(text.as_bytes(), &Limits::default())
}

/// The error's line and what it says.
fn fault(text: &str) -> (usize, String) {
    let error = parse(text).expect_err("this text must be refused");
    (error.position().map_or(0, |(line, _)| line), error.to_string())
}

const AB: &str = "network \"t\" { }\nvariable A {\n  type discrete [ 2 ] { t, f };\n}\nvariable B {\n  type discrete [ 2 ] { t, f };\n}\nprobability ( A ) {\n  table 0.2, 0.8;\n}\n";

#[test]
fn reads_rows_by_their_states() {
    let text = format!("{AB}probability ( B | A ) {{\n (f) 0.5, 0.5;\n (t) 0.1, 0.9;\n}}\n");
    let network = parse(&text).unwrap();
    assert_eq!(network.name(), "t");
    assert_eq!(network.cpt(1).row(0), [0.1, 0.9]);
    assert_eq!(network.cpt(1).row(1), [0.5, 0.5]);
}

#[test]
fn reads_the_table_order_of_the_nineties() {
    let text = format!("{AB}probability ( B A ) {{ table 0.1 0.6 0.9 0.4 ; }}");
    let network = parse(&text).unwrap();
    assert_eq!(network.cpt(1).row(0), [0.1, 0.9]);
    assert_eq!(network.cpt(1).row(1), [0.6, 0.4]);
    let (line, message) = fault(&format!("{AB}probability ( B | A ) {{\n table 0.1, 0.9, 0.6, 0.4; }}"));
    assert_eq!(line, 12);
    assert!(message.contains("sum to 0.7") && message.contains("varies slowest"), "{message}");
}

#[test]
fn takes_defaults_comments_properties_and_any_order() {
    let text = "/* first\n the table */ probability (B | A) { // 4 numbers\n property \"a; b\" ; default 0.5 0.5; (t) 1 0;\n}\n\
        probability (A) { default 0.25 0.75; }\r\n\
        variable B { property position = (1, 2) ; type discrete[2] {\"t\" \"f\"}; }\n\
        variable A { type discrete[2] {t f}; property weight http://x/y ; }\n";
    let network = parse(text).unwrap();
    assert_eq!(network.name(), "unknown");
    assert_eq!(network.schema().name(0), "B");
    assert_eq!(network.cpt(0).row(0), [1.0, 0.0]);
    assert_eq!(network.cpt(0).row(1), [0.5, 0.5]);
    assert_eq!(network.cpt(1).row(0), [0.25, 0.75]);
}

#[test]
fn says_what_is_wrong_and_where() {
    let cases: &[(&str, usize, &str)] = &[
        ("", 1, "expected a variable block"),
        (
            "network t { }\nvariable A { type discrete [ 3 ] { a, b }; }",
            2,
            "expected 3 states as declared, found 2",
        ),
        ("variable A { type discrete [ 2 ] { a, a }; }", 1, "lists the state 'a' twice"),
        ("variable A { type discrete [ 0 ] { }; }", 1, "has 0 states"),
        ("variable A { type continuous; }", 1, "expected 'discrete'"),
        ("variable A { }", 1, "has no type"),
        ("variable A { type discrete [ x ] { a }; }", 1, "expected the number of states, found 'x'"),
        ("variable A {\n type discrete [ 1 ] { a,\n }; }", 3, "expected a state, found '}'"),
        ("variable \"A { type", 1, "never ends"),
        ("/* open", 1, "never ends"),
        ("network t { property x", 1, "never ends"),
        ("variable A { type discrete [ 1 ] { a//b }; }", 1, "a comment begins inside"),
        ("hello", 1, "expected 'network', 'variable' or 'probability', found 'hello'"),
        ("network a { }\nnetwork b { }", 2, "a second network block"),
        (
            "variable A { type discrete [ 1 ] { a }; }\nvariable A { type discrete [ 1 ] { a }; }",
            2,
            "duplicate variable name 'A'",
        ),
        ("variable A { type discrete [ 1 ] { a }; }", 1, "'A' has no probability block"),
        (
            "variable A { type discrete [ 2 ] { a, b }; }\nprobability ( A ) {\n }",
            2,
            "the table of 'A' is missing",
        ),
        (
            "variable A { type discrete [ 1 ] { a }; }\nprobability ( A | A ) { (a) 1.0; }",
            2,
            "a cycle of one node",
        ),
        ("variable A { type discrete [ 1 ] { a }; }\nprobability ( A ) { table 1", 2, "never ends"),
    ];
    for (text, line, message) in cases {
        let (found, said) = fault(text);
        assert!(said.contains(message), "{text:?}: {said}");
        assert_eq!(found, *line, "{text:?}: {said}");
    }
}

#[test]
fn says_what_is_wrong_with_a_table() {
    let cases: &[(&str, &str)] = &[
        ("( B | A ) {\n (t) 0.1, 0.8; (f) 0.5, 0.5; }", "12:2: the probabilities of 'B' for A=t sum to 0.9"),
        ("( B | A ) {\n (t) 0.1, 0.9;\n}", "11:15: no row for A=f in the table of 'B', and no default"),
        (
            "( B | A ) {\n (t) 0.1, 0.9; (t) 0.1, 0.9; (f) 1, 0; }",
            "12:16: the probabilities of 'B' for A=t are given a second time",
        ),
        ("( B | A ) {\n (t) -0.1, 1.1; }", "12:6: -0.1 in the table of 'B' is no probability"),
        ("( B | A ) {\n (t) nan, 1.0; }", "12:6: nan in the table of 'B' is no probability"),
        ("( B | A ) {\n (t) 0.1, inf; }", "12:11: inf in the table of 'B' is no probability"),
        ("( B | A ) {\n (t) 0.1, 0.1, 0.8; }", "12:2: expected 2 probabilities for 'B' (2 states), found 3"),
        ("( B | A ) {\n (x) 0.1, 0.9; }", "12:3: 'x' is no state of 'A'"),
        ("( B | A ) {\n (t, t) 0.1, 0.9; }", "12:2: expected 1 states, one for each parent of 'B', found 2"),
        ("( B | A ) {\n (t) 0.1,, 0.9; }", "12:10: expected a probability or ';', found ','"),
        ("( B | A ) {\n row; }", "12:2: expected 'table', 'default', '(', 'property' or '}'"),
        (
            "( B | A, A ) { default 0.5, 0.5; }",
            "11:22: node 'B' cannot have 'A' as a parent: it is listed twice",
        ),
        ("( B | Ghost ) { default 0.5, 0.5; }", "11:19: 'Ghost' is not declared"),
        ("( Ghost ) { table 1.0; }", "11:15: 'Ghost' is not declared"),
        ("( A ) { table 0.5, 0.5; }", "11:15: a second probability block for 'A'"),
        ("( B | A ) { default 0.5, 0.5; default 0.5, 0.5; }", "11:43: a second default for 'B'"),
        ("( B ) { default 0.5, 0.4; }", "11:21: the probabilities of 'B' sum to 0.9"),
    ];
    for (block, message) in cases {
        let said = fault(&format!("{AB}probability {block}")).1;
        assert!(said.contains(message), "{block:?}: {said}");
    }
}

#[test]
fn refuses_cycles_and_bad_bytes_and_size() {
    let text = AB.replace("probability ( A ) {\n  table 0.2, 0.8;\n}\n", "")
        + "probability ( A | B ) { default 0.5, 0.5; }\nprobability ( B | A ) { default 0.5, 0.5; }";
    let (line, said) = fault(&text);
    assert_eq!(line, 9);
    assert!(said.contains("cycle: A -> B -> A"), "{said}");

    let error = read(b"network t { }\nvariable \xff", &Limits::default()).unwrap_err();
    assert_eq!(error.to_string(), "2:10: the byte 0xff is not UTF-8 text");

    let small = Limits { input_bytes: 10, ..Limits::default() };
    let error = read(AB.as_bytes(), &small).unwrap_err();
    assert!(error.is_limit() && matches!(error, Error::InputSize { limit: 10, .. }));

    let tight = Limits { table_bytes: 31, ..Limits::default() };
    let text = format!("{AB}probability ( B ) {{ default 0.5, 0.5; }}");
    let error = read(text.as_bytes(), &tight).unwrap_err();
    assert!(error.is_limit(), "{error}");
    assert_eq!(error.position(), Some((11, 15)));
}

#[test]
fn a_mark_at_the_start_of_the_file_is_no_name() {
    let text = format!("\u{feff}{AB}probability ( B ) {{ default 0.5, 0.5; }}");
    assert_eq!(parse(&text).unwrap().len(), 2);
}

#[test]
fn foreign_backslashes_stay() {
    let text = r#"variable "C:\data" { type discrete [ 2 ] { a\b, "c\"d\\e" }; } probability ( "C:\data" ) { table 0.5 0.5; }"#;
    let network = parse(text).unwrap();
    assert_eq!(network.schema().name(0), "C:\\data");
    assert_eq!(network.schema().variable(0).states, ["a\\b", "c\"d\\e"]);
    assert_eq!(parse(&write(&network)).unwrap(), network);
}

/// Names as data have them, and worse.
fn any_name() -> impl Strategy<Value = String> {
    prop_oneof![
        Just("Asy/Patch".to_string()),
        Just("<5".to_string()),
        Just("with blank".to_string()),
        Just("default".to_string()),
        Just("a//b".to_string()),
        Just("(0, 5]".to_string()),
        Just("größe|x".to_string()),
        Just(String::new()),
        "[a-z]{1,6}",
        "\\PC{0,8}",
        // But for NUL, which no text holds.
        prop::collection::vec(any::<char>(), 0..6)
            .prop_map(|c| c.into_iter().filter(|&c| c != '\0').collect()),
    ]
}

prop_compose! {
    /// Any network over 1–5 variables with 1–4 states.
    fn any_network()(
        name in any_name(),
        names in prop::collection::btree_set(any_name(), 1..6),
        labels in prop::collection::vec(prop::collection::btree_set(any_name(), 1..5), 6),
        arcs in prop::collection::vec(any::<bool>(), 15),
        weights in prop::collection::vec(0.0..1.0f64, 1..40),
        shrink in prop_oneof![Just(0.0), Just(3e-7), Just(1e-9)],
    ) -> Network {
        use crate::{Cpt, Schema, Variable};
        let variables: Vec<Variable> = names.iter().zip(labels).map(|(n, l)| Variable::new(n, l)).collect();
        let schema = Schema::new(variables).unwrap();
        let mut arc = arcs.into_iter();
        let mut weight = weights.into_iter().cycle();
        let cpts = (0..schema.len()).map(|v| {
            let parents: Vec<usize> = (0..v).rev().filter(|_| arc.next().unwrap_or(false)).collect();
            let r = schema.cardinality(v);
            let configurations: usize = parents.iter().map(|&p| schema.cardinality(p)).product();
            let mut values = Vec::new();
            for _ in 0..configurations {
                let row: Vec<f64> = (0..r).map(|_| weight.next().unwrap_or(0.5) + 1e-3).collect();
                let sum: f64 = row.iter().sum();
                values.extend(row.iter().map(|w| w / sum * (1.0 - shrink)));
            }
            Cpt::new(&schema, v, parents, values).unwrap()
        }).collect();
        Network::new(name, schema.clone(), cpts).unwrap()
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    /// Written and read again, a network is the same to the last bit, and its text is stable.
    #[test]
    fn round_trips_bit_for_bit(network in any_network()) {
        let text = write(&network);
        let again = parse(&text).map_err(|e| TestCaseError::fail(format!("{e}\n{text}")))?;
        prop_assert_eq!(&again, &network);
        for (a, b) in again.cpts().iter().zip(network.cpts()) {
            let bits = |c: &crate::Cpt| c.values().iter().map(|p| p.to_bits()).collect::<Vec<_>>();
            prop_assert_eq!(bits(a), bits(b));
        }
        prop_assert_eq!(write(&again), text);
    }

    /// No bytes make the reader panic, and every fault has a place.
    #[test]
    fn any_text_is_answered(pieces in prop::collection::vec(prop_oneof![
        Just("network".to_string()), Just("variable".to_string()), Just("probability".to_string()),
        Just("type discrete".to_string()), Just("table".to_string()), Just("default".to_string()),
        Just("property".to_string()), Just("A".to_string()), Just("0.5".to_string()), Just("[ 2 ]".to_string()),
        "[{}()\\[\\],;|\"/*\\\\]", "\\PC{0,3}",
    ], 0..40)) {
        let text = pieces.join(" ");
        if let Err(error) = parse(&text) {
            prop_assert!(error.position().is_some(), "{}", error);
        }
    }
}
