//! What is sent to the explorer, and what it must answer whatever is sent.

use crate::readers::Target;
use clausality::model::Model;
use clausality_web::{Explored, Explorer};
use serde_json::Value;

/// A path that takes a body.
pub(crate) struct Door {
    pub(crate) path: &'static str,
    pub(crate) kind: &'static str,
    /// Whose words belong into its bodies.
    pub(crate) target: Target,
    pub(crate) seeds: &'static [&'static str],
}

const QUESTIONS: &[&str] = &[
    r#"{"evidence": {"smoke": "yes", "xray": "no"}, "do": {"bronc": "yes"}}"#,
    r#"{"evidence": {}}"#,
    r#"{"do": {"lung": "no"}}"#,
];
const TARGETS: &[&str] = &[
    r#"{"target": "lung", "evidence": {"smoke": "yes", "xray": "no"}, "do": {"bronc": "yes"}}"#,
    r#"{"target": "dysp"}"#,
];
const ROWS: &[&str] = &["smoke,lung\nno,yes\nyes,no\n", "\u{feff}smoke;xray\r\n\"yes\";no\r\n"];
const EXAMS: &[&str] =
    &[r#"{"target": "dysp", "csv": "smoke,dysp\nyes,no\n"}"#, r#"{"csv": "dysp\nno\n", "target": "lung"}"#];
const JSON: &str = "application/json";

pub(crate) const DOORS: [Door; 5] = [
    Door { path: "/api/exam", kind: JSON, target: Target::Json, seeds: EXAMS },
    Door { path: "/api/posteriors", kind: JSON, target: Target::Json, seeds: QUESTIONS },
    Door { path: "/api/explanation", kind: JSON, target: Target::Json, seeds: QUESTIONS },
    Door { path: "/api/informed", kind: JSON, target: Target::Json, seeds: TARGETS },
    Door { path: "/api/rows", kind: "text/csv", target: Target::Csv, seeds: ROWS },
];

/// An explorer of a small network.
pub(crate) fn explorer() -> Explorer {
    let network = clausality::embedded::network("asia").expect("an embedded network");
    let model = Model { network: network.into(), extra: Default::default(), source: "@asia".into() };
    Explorer::new(Explored::new(model, "@asia".into())).expect("a network to explore")
}

impl Door {
    /// Sends the body: the answer must be a document, or a refusal in words. Whether it was answered.
    pub(crate) fn try_on(&self, explorer: &Explorer, body: &[u8]) -> Result<bool, String> {
        let answer = explorer.answer("POST", self.path, self.kind, body);
        let document: Value =
            serde_json::from_slice(&answer.body).map_err(|error| format!("{error}: {answer:?}"))?;
        match answer.status {
            200 => Ok(true),
            400 | 413 | 422 if document["error"].is_string() => Ok(false),
            status => Err(format!("{status} {document}")),
        }
    }
}
