//! The files of a run folder, as bytes.

use super::report;
use crate::Error;
use crate::learn::Learned;
use crate::model::{FileFormat, Loaded, Model};
use crate::run::{CONSENSUS, Clauses, FILES, PAGE, Run, RunFolder, edges_csv, strengths_csv};
use serde::Serialize;
use std::path::Path;

/// The files of a run: names and bytes.
///
/// # Errors
/// Whatever a network's format cannot hold.
pub fn files(run: &Run, found: &Learned) -> Result<Vec<(&'static str, Vec<u8>)>, Error> {
    let network = |name: &str, model: Model| FileFormat::of(Path::new(name))?.write(&Loaded::Model(model));
    let folder = RunFolder { run: run.clone(), clauses: Clauses::new(found) };
    let mut files = Vec::with_capacity(FILES.len() + 1);
    for name in FILES {
        let bytes = match name {
            "run.json" => document(run),
            "clauses.json" => document(&folder.clauses),
            PAGE => report::html(&folder, &found.network)?.into_bytes(),
            "edges.csv" => edges_csv(&run.arcs).into_bytes(),
            "strengths.csv" => strengths_csv(&found.strengths).into_bytes(),
            _ => network(name, run.model(found))?,
        };
        files.push((name, bytes));
    }
    if let Some(again) = &found.bootstrap {
        let consensus = Model { network: again.consensus.clone().into(), ..run.model(found) };
        files.push((CONSENSUS, network(CONSENSUS, consensus)?));
    }
    Ok(files)
}

/// A JSON file. The documents hold numbers, texts, lists and maps with text for keys: nothing that could fail.
pub fn document(value: &impl Serialize) -> Vec<u8> {
    let mut bytes = serde_json::to_vec_pretty(value).unwrap_or_default();
    bytes.push(b'\n');
    bytes
}
