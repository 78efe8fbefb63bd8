//! Dialects, faults and round trips in miniature; the real files are read in `tests/files.rs`.

use super::{read, write};
use crate::io::Limits;
use crate::{Cpt, Error, Network, Schema, Variable};

fn parse(text: &str) -> Result<Network, Error> {
    read(text.as_bytes(), &Limits::default())
}

/// Three nodes, of which the first has a table, and these potentials.
fn file(potentials: &str) -> String {
    format!(
        "net {{ }}\nnode A {{ states = (\"t\" \"f\"); }}\nnode B {{ states = (\"x\" \"y\" \"z\"); }}\n\
         node C {{ states = (\"t\" \"f\"); }}\npotential (A) {{ data = (0.2 0.8); }}\n{potentials}"
    )
}

const B: &str = "potential (B) { data = (0.2 0.3 0.5); }\n";

fn fault(text: &str) -> String {
    parse(text).expect_err(text).to_string()
}

#[test]
fn the_first_parent_is_outermost() {
    let rows = "((0.1 0.9)(0.2 0.8)(0.3 0.7)) % A=t\n((0.4 0.6)(0.5 0.5)(0.6 0.4))";
    for data in [
        format!("({rows})"),
        "(0.1 0.9 0.2 0.8 0.3 0.7 0.4 0.6 0.5 0.5 0.6 0.4)".to_string(),
        "((0.1 0.9 0.2 0.8 0.3 0.7)(0.4 0.6 0.5 0.5 0.6 0.4))".to_string(),
    ] {
        let network = parse(&file(&format!("{B}potential (C | A B) {{ data = {data}; }}"))).unwrap();
        assert_eq!(network.parents(2), [0, 1]);
        assert_eq!(network.cpt(2).row(0), [0.1, 0.9]);
        assert_eq!(network.cpt(2).row(1), [0.2, 0.8]);
        assert_eq!(network.cpt(2).row(3), [0.4, 0.6]);
    }
}

#[test]
fn attributes_comments_and_dialects_are_taken() {
    let text = "% a comment { ( \"\nnet\n{\n  name = rain;\n  node_size = (50 50);\n HR_Desc = \"a; }\\n\\\"b\\\"\ntwo lines\";\n}\n\
        potential (wet |) { experience = (1 (2)); data = (1.e-05 .99999 0.); }\n\
        discrete node wet { label = \"Wet\\tgrass?\"; states = (yes, \"no 1\" >=5); ID = \"wet\"; }";
    let network = parse(text).unwrap();
    let variable = network.schema().variable(0);
    assert_eq!((network.name(), variable.name.as_str()), ("rain", "wet"));
    assert_eq!(variable.states, ["yes", "no 1", ">=5"]);
    assert_eq!(network.cpt(0).row(0), [1e-5, 0.99999, 0.0]);
}

#[test]
fn says_what_is_wrong_and_where() {
    let c = |inner: &str| file(&format!("{B}potential (C | A B)\n{{\n{inner}\n}}"));
    for (text, said) in [
        (String::new(), "1:1: expected a node block, found none"),
        ("hello".into(), "1:1: expected 'net', 'node' or 'potential', found 'hello'"),
        ("net { }\nnet { }".into(), "2:1: a second net block"),
        ("net {\n x = 1".into(), "2:2: an attribute begins here and never ends"),
        ("net {\n x = \"1".into(), "2:6: a text begins with a quote"),
        ("net {".into(), "1:5: the net block never ends"),
        ("net { x }".into(), "1:9: expected '=' after 'x', found '}'"),
        ("node A { }".into(), "1:6: node 'A' has no states"),
        ("node A { states = (\"a\"); states = (\"a\"); }".into(), "1:26: node 'A' lists its states a second"),
        ("node A { states = \"a\"; }".into(), "1:19: expected '(' before a state"),
        ("node A { states = (\"a\" (; }".into(), "1:24: expected a state or ')', found '('"),
        ("node A { states = (\"a\" \"a\"); }".into(), "1:24: variable 'A' lists the state 'a' twice"),
        ("node A { states = (); }".into(), "1:6: variable 'A' has 0 states"),
        (
            "node A { states = (\"a\"); }\nnode A { states = (\"a\"); }".into(),
            "2:6: a second node block for 'A'",
        ),
        ("continuous node T { }".into(), "1:17: 'T' is a node of the kind 'continuous node'"),
        ("decision D { states = (\"a\"); }".into(), "1:10: 'D' is a node of the kind 'decision'"),
        ("utility U { }".into(), "1:9: 'U' is a node of the kind 'utility'"),
        ("class X { }".into(), "1:1: 'X' is a class of an object-oriented network"),
        (file("potential (A) { data = (0.2 0.8); }"), "6:12: a second potential for 'A'"),
        (file(""), "3:6: variable 'B' has no potential"),
        (file("potential (A B) { data = (1); }"), "6:11: expected one node before '|'"),
        (file("potential () { data = (1); }"), "6:11: expected one node before '|'"),
        (file("potential (X) { data = (1); }"), "6:12: 'X' is not declared"),
        (file("potential (B | B) { data = (1); }"), "6:16: node 'B' cannot have 'B' as a parent"),
        (file("potential (B) { data = (1)"), "6:1: the potential never ends"),
        (c(""), "7:12: the potential of 'C' has no data"),
        (
            c("model_nodes = (); model_data = (NoisyOR(A));"),
            "9:1: the table of 'C' is given as a model (model_nodes)",
        ),
        (c("data = (1 0); data = (1 0);"), "9:8: expected 12 probabilities for 'C' (2 states), found 2"),
        (c("data = 1 0;"), "9:8: expected the data"),
        (c("data = ();"), "9:8: expected 12 probabilities for 'C' (2 states), found 0"),
        (
            c("data = (((1 0)(1 0)(1 0))\n((1 0)(1 0)));"),
            "10:1: expected 3 lists, one for each state of 'B', found 2",
        ),
        (
            c("data = (((1 0)(1 0)(1 0))\n((1 0)(1 0)(1)));"),
            "10:12: expected 2 probabilities for 'C' (2 states), found 1",
        ),
        (c("data = (((1 0)(1 0)(1 0)((1 0));"), "9:26: lists 4 deep where 3 are expected"),
        (c("data = (((1 0)(1 0)(1 0)) 1);"), "9:27: a number after a list"),
        (c("data = ((1 0 (1 0)));"), "9:14: a list after a number"),
        (c("data = (((1 0)(0.5 0.4)));"), "9:16: the probabilities of 'C' for A=t, B=y sum to 0.9"),
        (c("data = (((1 x)));"), "9:13: x in the table of 'C' is no probability"),
        (file("potential (B) { data = (1 0 0) (1); }"), "6:32: expected ';' after the data"),
        (
            file("potential (B) { data = (1 0 0 0); }"),
            "6:31: expected 3 probabilities for 'B' (3 states), found 4",
        ),
    ] {
        let message = fault(&text);
        assert!(message.starts_with(said), "{text}: {message}");
    }
    let cycle = "potential (B | C) { data = (1 0 0 1 0 0); }\npotential (C | B) { data = (1 0 1 0 1 0); }";
    assert!(fault(&file(cycle)).contains("the arcs form a cycle: B -> C -> B"));
}

#[test]
fn sizes_are_bounded() {
    let many: String = (0..30).map(|i| format!("node v{i} {{ states = (a b); }}")).collect();
    let parents: String = (1..30).map(|i| format!(" v{i}")).collect();
    assert!(parse(&format!("{many} potential (v0 |{parents}) {{ data = (1 0); }}")).unwrap_err().is_limit());
    // As many parents as one likes, with one state each: as deep as that, and still only lists that were asked for.
    let single: String = (1..5000)
        .map(|i| format!("node v{i} {{ states = (a); }} potential (v{i}) {{ data = (1); }}\n"))
        .collect();
    let parents: String = (1..5000).map(|i| format!(" v{i}")).collect();
    let (open, close) = ("(".repeat(5000), ")".repeat(5000));
    let text = format!(
        "node v0 {{ states = (a b); }} {single} potential (v0 |{parents}) {{ data = {open}0.5 0.5{close}; }}"
    );
    let network = parse(&text).unwrap();
    assert_eq!(network.cpt(0).row(0), [0.5, 0.5]);
    assert_eq!(parse(&write(&network)).as_ref(), Ok(&network));
    assert!(fault(&format!("net {{ x = {}", "(".repeat(1_000_000))).contains("never ends"));
}

#[test]
fn what_is_written_reads_back() {
    let names = [
        "a b",
        " ends ",
        "<5",
        "Asy/Patch",
        "\"q'\\n%",
        "été",
        "__proto__",
        "l\r\n\tx",
        "a_b",
        "a-b",
        "node",
        "",
    ];
    let variables = names.map(|name| Variable::new(name, names)).to_vec();
    let schema = Schema::new(variables).unwrap();
    let mut row = vec![0.1, 0.2, 0.3, 0.4];
    row.resize(12, 0.0);
    let cpts = (0..12).map(|v| {
        let parents: Vec<usize> = (0..v).rev().take(2).collect();
        let rows = 12usize.pow(parents.len() as u32);
        Cpt::new(&schema, v, parents, row.repeat(rows)).unwrap()
    });
    let network = Network::new("x > y", schema.clone(), cpts.collect()).unwrap();
    let text = write(&network);
    assert_eq!(parse(&text).as_ref(), Ok(&network), "{text}");
    for part in
        ["node a_b\n", "node a_b_2\n", "node a_b_3\n", "node __proto__\n", "node Asy_Patch\n", "node n_\n"]
    {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert!(text.contains("label = \"Asy/Patch\";\n    clausality_name = \"Asy/Patch\";"), "{text}");
}

#[test]
fn brackets_follow_the_parents() {
    let schema = Schema::new(["A", "B", "C"].map(|n| Variable::new(n, ["t", "f"])).to_vec()).unwrap();
    let root = |v| Cpt::new(&schema, v, vec![], vec![0.5; 2]).unwrap();
    let c = Cpt::new(&schema, 2, vec![1, 0], vec![0.5; 8]).unwrap();
    let network = Network::new("t", schema.clone(), vec![root(0), root(1), c]).unwrap();
    let data = "potential (C | B A)\n{\n    data = \n    (((0.5 0.5)\n      (0.5 0.5))\n     ((0.5 0.5)\n      (0.5 0.5)));\n}\n";
    assert!(write(&network).ends_with(data), "{}", write(&network));
}
