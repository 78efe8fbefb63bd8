//! Damaged bodies: whatever is sent, the answer is a document or a refusal in words. `CLAUSALITY_FUZZ_ROUNDS` asks for more of them.
#![allow(dead_code, reason = "the damage knows more kinds of files than are sent here")]

#[path = "../../../validation/fuzz/damage.rs"]
mod damage;

use clausality::bn::random::Stream;
use clausality::model::Model;
use clausality_web::{Explored, Explorer};
use damage::{Target, damaged};
use serde_json::Value;

fn rounds() -> u64 {
    std::env::var("CLAUSALITY_FUZZ_ROUNDS").ok().and_then(|rounds| rounds.parse().ok()).unwrap_or(1500)
}

#[test]
fn damaged_bodies_are_answered() {
    let network = clausality::embedded::network("asia").unwrap();
    let model = Model { network: network.into(), extra: Default::default(), source: "@asia".into() };
    let explorer = Explorer::new(Explored::new(model, "@asia".into())).unwrap();
    let questions = [
        r#"{"evidence": {"smoke": "yes", "xray": "no"}, "do": {"bronc": "yes"}}"#,
        r#"{"evidence": {}}"#,
        r#"{"do": {"lung": "no"}}"#,
    ];
    let questions = questions.map(|text| text.as_bytes().to_vec());
    let targets = [
        r#"{"target": "lung", "evidence": {"smoke": "yes", "xray": "no"}, "do": {"bronc": "yes"}}"#,
        r#"{"target": "dysp"}"#,
    ];
    let targets = targets.map(|text| text.as_bytes().to_vec());
    let rows = ["smoke,lung\nno,yes\nyes,no\n", "\u{feff}smoke;xray\r\n\"yes\";no\r\n"]
        .map(|text| text.as_bytes().to_vec());
    let exams = [
        r#"{"target": "dysp", "csv": "smoke,dysp\nyes,no\n"}"#,
        r#"{"csv": "dysp\nno\n", "target": "lung"}"#,
    ];
    let exams = exams.map(|text| text.as_bytes().to_vec());
    let kinds: [(&str, &str, Target, &[Vec<u8>]); 5] = [
        ("/api/exam", "application/json", Target::Json, &exams),
        ("/api/posteriors", "application/json", Target::Json, &questions),
        ("/api/explanation", "application/json", Target::Json, &questions),
        ("/api/informed", "application/json", Target::Json, &targets),
        ("/api/rows", "text/csv", Target::Csv, &rows),
    ];
    for (path, kind, target, seeds) in kinds {
        let mut answered = 0;
        for round in 0..rounds() {
            let mut stream = Stream::new(11, &format!("{path} {round}"));
            let body = damaged(target, seeds, &mut stream);
            let answer = explorer.answer("POST", path, kind, &body);
            let document: Value = serde_json::from_slice(&answer.body)
                .unwrap_or_else(|error| panic!("{path}, round {round}: {error}: {answer:?}"));
            match answer.status {
                200 => answered += 1,
                400 | 413 | 422 => {
                    assert!(document["error"].is_string(), "{path}, round {round}: {document}")
                }
                status => panic!("{path}, round {round}: {status} {document}"),
            }
        }
        assert!(answered > 0 && answered < rounds(), "{path}: {answered} of {} were answered", rounds());
    }
}
