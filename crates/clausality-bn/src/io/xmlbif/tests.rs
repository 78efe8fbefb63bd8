//! Dialects, faults and round trips in miniature; the real files are read in `tests/files.rs`.

use super::{read, write};
use crate::io::Limits;
use crate::{Cpt, Error, Network, Schema, Variable};

fn parse(text: &str) -> Result<Network, Error> {
    read(text.as_bytes(), &Limits::default())
}

/// A file with two variables and these definitions.
fn file(definitions: &str) -> String {
    let variable = |name: &str| {
        format!(
            "<VARIABLE TYPE=\"nature\"><NAME>{name}</NAME><OUTCOME>t</OUTCOME><OUTCOME>f</OUTCOME></VARIABLE>\n"
        )
    };
    let (a, b) = (variable("A"), variable("B"));
    format!("<BIF VERSION=\"0.3\"><NETWORK><NAME>n</NAME>\n{a}{b}{definitions}\n</NETWORK></BIF>\n")
}

const A: &str = "<DEFINITION><FOR>A</FOR><TABLE>0.2 0.8</TABLE></DEFINITION>\n";

fn fault(text: &str) -> String {
    parse(text).expect_err(text).to_string()
}

#[test]
fn the_state_of_the_child_varies_fastest() {
    let text = file(&format!(
        "<DEFINITION><!-- B --><FOR>B</FOR><GIVEN>A</GIVEN><TABLE>0.1 0.9 <!-- f -->\n0.5\t0.5</TABLE>\
         <PROPERTY>x = 1</PROPERTY></DEFINITION>{A}"
    ));
    let network = parse(&text).unwrap();
    assert_eq!((network.name(), network.parents(1)), ("n", [0].as_slice()));
    assert_eq!(network.cpt(1).row(0), [0.1, 0.9]);
    assert_eq!(network.cpt(1).row(1), [0.5, 0.5]);
}

#[test]
fn names_may_hold_references_and_raw_text() {
    let names = "<VARIABLE><NAME>\n  a &lt;5 &#x41;<![CDATA[ <b> ]]> </NAME><OUTCOME>&#32;x</OUTCOME><OUTCOME/>\
        <PROPERTY>p</PROPERTY></VARIABLE><DEFINITION><FOR>a &lt;5 A &lt;b&gt;&#32;</FOR><TABLE>1 0</TABLE></DEFINITION>";
    let network = parse(&format!("<BIF><NETWORK>{names}</NETWORK></BIF>")).unwrap();
    let variable = network.schema().variable(0);
    assert_eq!(
        (variable.name.as_str(), variable.states.as_slice()),
        ("a <5 A <b> ", [" x".into(), String::new()].as_slice())
    );
    assert_eq!(network.name(), "unknown");
}

#[test]
fn a_document_type_is_passed_over_and_entities_are_refused() {
    let good = "<?xml version=\"1.0\" encoding=\"US-ASCII\"?>\n<!-- it's < 5 -->\n<!DOCTYPE BIF [\n<!-- <!ENTITY n \"a\"> \
        isn't one > -->\n<!ELEMENT BIF ( NETWORK )*>\n<!ATTLIST VARIABLE TYPE (nature|decision) \"nature\">\n]>\n";
    let b = "<DEFINITION><FOR>B</FOR><TABLE>1 0</TABLE></DEFINITION>";
    let body = file(&format!("{A}{b}"));
    assert!(parse(&format!("{good}{body}")).is_ok());
    assert!(parse(&format!("\u{feff}{good}{body}")).is_ok());
    for (prolog, said) in [
        ("<!DOCTYPE BIF [\n <!ENTITY n \"A\"> ]>", "2:2: entity declarations are refused"),
        ("<!DOCTYPE BIF [<!ENTITY % n SYSTEM \"file:///etc/passwd\"> %n; ]>", "1:16: entity declarations"),
        ("<!DOCTYPE BIF [ <!ENTITY n \"<<<\"> ]>", "1:17: entity declarations"),
        ("<!DOCTYPE BIF [ %n; ]>", "1:17: entities are refused"),
        ("<!DOCTYPE BIF SYSTEM \"http://example.org/bif.dtd\">", "1:15: the document type points outside"),
        ("<!DOCTYPE BIF [ <!ELEMENT BIF", "1:30: expected '<!ELEMENT'"),
        ("<!DOCTYPE BIF [ '", "1:17: the quoted text that begins here never ends"),
        ("<!DOCTYPE BIF [ <!WRONG> ]>", "1:17: expected '<!ELEMENT'"),
        ("<!-- ", "1:1: the comment that begins here never ends"),
        ("<?xml version=\"1.0\" encoding=\"latin1\"?><!-- é -->", "1:21: the encoding 'latin1' is not read"),
        // Unknown is refused even where all bytes are ASCII: in UTF-7 or EBCDIC they would be other letters.
        ("<?xml version=\"1.0\" encoding=\"UTF-7\"?>", "1:21: the encoding 'UTF-7' is not read"),
        ("<?xml version='1.0' encoding='x-own'?>", "1:21: the encoding 'x-own' is not read"),
        ("<!DOCTYPE BIF>\n<!DOCTYPE BIF>", "2:1: expected <BIF> in the file"),
    ] {
        let message = fault(&format!("{prolog}{body}"));
        assert!(message.starts_with(said), "{prolog}: {message}");
    }
    let message = fault(&body.replace("<NAME>n<", "<NAME>&n;<"));
    assert!(message.starts_with("1:35: the entity '&n;' is refused"), "{message}");
    for reference in ["&#0;", "&#1;", "&#xD800;", "&#99999999999;", "&#;", "&;"] {
        let message = fault(&body.replace("<NAME>n<", &format!("<NAME>{reference}<")));
        assert!(message.contains("is refused"), "{reference}: {message}");
    }
}

#[test]
fn says_what_is_wrong_and_where() {
    let b = |inner: &str| file(&format!("{A}<DEFINITION>\n{inner}\n</DEFINITION>"));
    for (text, said) in [
        (String::new(), "1:1: expected <BIF> in the file, found its end"),
        ("hello".into(), "1:1: expected <BIF> in the file, found 'hello'"),
        ("<BIF VERSION=\"0.5\"></BIF>".into(), "1:1: expected XMLBIF of VERSION 0.3, found '0.5'"),
        ("<svg/>".into(), "1:1: expected <BIF> (XMLBIF), found <svg>"),
        ("<BIF></BIF>".into(), "1:6: expected <NETWORK> (XMLBIF), found none"),
        ("<BIF><NETWORK></NETWORK></BIF>".into(), "1:31: expected a VARIABLE, found none"),
        ("<BIF><NETWORK></BIF>".into(), "1:15: ill-formed document: expected `</NETWORK>`"),
        ("<BIF><NETWORK><VARIABLE></VARIABLE></NETWORK></BIF>".into(), "1:15: a VARIABLE without NAME"),
        ("<BIF><NETWORK><NODE/></NETWORK></BIF>".into(), "1:15: expected NAME (once), VARIABLE"),
        ("<BIF><NETWORK><NAME><b/></NAME></NETWORK></BIF>".into(), "1:21: expected text in <NAME>"),
        ("<BIF><NETWORK><NAME>a\u{1}</NAME></NETWORK></BIF>".into(), "1:21: the character U+0001"),
        (file("").replacen("nature", "decision", 1), "2:1: variable 'A' has the TYPE 'decision'"),
        (file("").replace(">B<", ">A<"), "3:31: duplicate variable name 'A'"),
        (file("").replace(">f<", ">t<"), "2:68: variable 'A' lists the state 't' twice"),
        (file(A), "3:31: variable 'B' has no DEFINITION"),
        (file(&format!("{A}{A}")), "5:18: a second DEFINITION for 'A'"),
        (file("<DEFINITION><TABLE>1</TABLE></DEFINITION>"), "4:1: a DEFINITION without FOR"),
        (file("<DEFINITION><FOR>A</FOR></DEFINITION>"), "4:1: the DEFINITION of 'A' has no TABLE"),
        (b("<FOR>C</FOR><TABLE>1 0</TABLE>"), "6:6: 'C' is not declared"),
        (b("<FOR>B</FOR><GIVEN>C</GIVEN><TABLE>1 0</TABLE>"), "6:20: 'C' is not declared"),
        (b("<FOR>B</FOR><GIVEN>B</GIVEN><TABLE>1 0</TABLE>"), "6:20: node 'B' cannot have 'B'"),
        (
            b("<FOR>B</FOR><GIVEN>A</GIVEN>\n<TABLE>1 0</TABLE>"),
            "7:1: expected 4 probabilities for 'B' (2 states), found 2",
        ),
        (
            b("<FOR>B</FOR>\n<TABLE>1 0 0</TABLE>"),
            "7:1: expected 2 probabilities for 'B' (2 states), found 3",
        ),
        (
            b("<FOR>B</FOR><GIVEN>A</GIVEN><TABLE>1 0\n0.5 0.4</TABLE>"),
            "7:1: the probabilities of 'B' for A=f sum to 0.9",
        ),
        (b("<FOR>B</FOR><TABLE>0.5 x</TABLE>"), "6:24: x in the table of 'B' is no probability"),
        (b("<FOR>B</FOR><TABLE>0.5 &lt;</TABLE>"), "6:24: expected probabilities in TABLE, found '&lt;'"),
        (file(A) + "<BIF/>", "7:1: expected nothing after </BIF>"),
        (
            file(A).trim_end().trim_end_matches("</BIF>").into(),
            "6:11: expected '</BIF>' in BIF, found its end",
        ),
    ] {
        let message = fault(&text);
        assert!(message.starts_with(said), "{text}: {message}");
    }
    let cycle = "<DEFINITION><FOR>A</FOR><GIVEN>B</GIVEN><TABLE>1 0 1 0</TABLE></DEFINITION>\n\
        <DEFINITION><FOR>B</FOR><GIVEN>A</GIVEN><TABLE>1 0 1 0</TABLE></DEFINITION>";
    assert!(fault(&file(cycle)).contains("the arcs form a cycle: A -> B -> A"));
}

#[test]
fn sizes_are_bounded_and_nothing_is_quadratic() {
    let many: String = (0..30)
        .map(|i| format!("<VARIABLE><NAME>v{i}</NAME><OUTCOME>t</OUTCOME><OUTCOME>f</OUTCOME></VARIABLE>"))
        .collect();
    let given: String = (1..30).map(|i| format!("<GIVEN>v{i}</GIVEN>")).collect();
    let text = format!(
        "<BIF><NETWORK>{many}<DEFINITION><FOR>v0</FOR>{given}<TABLE>1 0</TABLE></DEFINITION></NETWORK></BIF>"
    );
    assert!(parse(&text).unwrap_err().is_limit());
    let attributes: String = (0..200_000).map(|i| format!(" a{i}=\"\"")).collect();
    // With a hidden square these sizes would not come to an end.
    assert!(parse(&format!("<BIF{attributes}></BIF>")).is_err());
    let deep = "<a>".repeat(300_000);
    assert!(parse(&format!("<BIF><NETWORK>{deep}")).is_err());
    let outcomes = "<OUTCOME>x</OUTCOME>".repeat(100_000);
    assert!(
        fault(&format!("<BIF><NETWORK><VARIABLE><NAME>v</NAME>{outcomes}</VARIABLE></NETWORK></BIF>"))
            .contains("has 100000 states")
    );
}

#[test]
fn what_is_written_reads_back() {
    let names =
        ["a b", " ends ", "<5", "Asy/Patch", "\"q'&amp;", "été\u{2028}", "__proto__", "l\r\n\tx", "]]>", ""];
    let variables = names.map(|name| Variable::new(name, names)).to_vec();
    let schema = Schema::new(variables).unwrap();
    let row = [0.1, 0.2, 0.3, 0.4, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0];
    let cpts = (0..10).map(|v| {
        let parents: Vec<usize> = (v > 0).then(|| v - 1).into_iter().collect();
        Cpt::new(&schema, v, parents, row.repeat(if v > 0 { 10 } else { 1 })).unwrap()
    });
    let network = Network::new("x > y", schema.clone(), cpts.collect()).unwrap();
    let text = write(&network).unwrap();
    assert_eq!(parse(&text).as_ref(), Ok(&network), "{text}");
    assert!(
        text.contains("<OUTCOME>&#32;ends&#32;</OUTCOME>") && text.contains("<NAME>&lt;5</NAME>"),
        "{text}"
    );
    let odd = Network::new("a\u{1}", network.schema().clone(), network.cpts().to_vec()).unwrap();
    assert!(matches!(write(&odd), Err(Error::Unwritable { character: 1, .. })));
}
