//! Runs made by hand, for tests.

use super::{FORMAT, Run, TargetSummary};
use crate::learn::LearnedArc;

pub(crate) fn arc(parent: &str, child: &str, compelled: bool) -> LearnedArc {
    LearnedArc {
        parent: parent.into(),
        child: child.into(),
        compelled,
        ruled: false,
        calendar: false,
        time: false,
        required: false,
        strength: 1.0,
        share: 0.5,
        hit_rate: Some(1.0),
        gain: 12.3,
        confidence: None,
        direction: None,
        or: None,
        or_for: None,
        gaps: false,
    }
}

/// What a run says of a node of two states.
pub(crate) fn target(name: &str, accuracy: Option<f64>, signal: bool) -> TargetSummary {
    TargetSummary {
        name: name.into(),
        role: Default::default(),
        accuracy,
        chance: Some(0.5),
        signal,
        top: vec![],
    }
}

/// A run of 1,000 rows that found these arcs, and says no more than the oldest runs do.
pub(crate) fn run(nodes: &[&str], arcs: Vec<LearnedArc>) -> Run {
    Run {
        format: FORMAT.into(),
        id: String::new(),
        table: "data/t.csv".into(),
        rows: 1000,
        fingerprint: serde_json::from_value("0".repeat(16).into()).unwrap(),
        nodes: nodes.iter().map(|name| name.to_string()).collect(),
        arcs,
        targets: vec![],
        score: -1.0,
        score_rows: None,
        seconds: 1.0,
        params: crate::Settings::default(),
        machines: vec![],
        seed: 1,
        version: "0".into(),
        warnings: vec![],
        trace: vec![],
        bootstrap: None,
        twins: vec![],
        columns: vec![],
        families: vec![],
        probabilities: None,
        truth: None,
        gaps: None,
        time: None,
        origins: Default::default(),
        predictions: vec![],
        evaluations: vec![],
        files: Default::default(),
    }
}
