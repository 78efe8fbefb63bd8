//! The files of a run folder, as bytes.

use super::report;
use crate::Error;
use crate::learn::Learned;
use crate::model::{FileFormat, Loaded, Model};
use crate::run::{CONSENSUS, Clauses, FILES, PAGE, Run, RunFolder, edges_csv, kept_strengths_csv};
use serde::Serialize;
use std::path::Path;

/// The files of a run: names and bytes.
///
/// # Errors
/// Whatever a network's format cannot hold.
pub fn files(run: &Run, found: &Learned) -> Result<Vec<(&'static str, Vec<u8>)>, Error> {
    let folder = RunFolder { run: run.clone(), clauses: Clauses::new(found) };
    kept_files(&folder, &run.model(found), run.consensus(found).as_ref())
}

/// The same of a run that was kept: its documents, its network, and the consensus network if there is one.
///
/// # Errors
/// As [`files()`].
pub fn kept_files(
    folder: &RunFolder,
    model: &Model,
    consensus: Option<&Model>,
) -> Result<Vec<(&'static str, Vec<u8>)>, Error> {
    let network =
        |name: &str, model: &Model| FileFormat::of(Path::new(name))?.write(&Loaded::Model(model.clone()));
    let mut files = Vec::with_capacity(FILES.len() + 1);
    for name in FILES {
        let bytes = match name {
            "run.json" => document(&folder.run),
            "clauses.json" => document(&folder.clauses),
            PAGE => report::html(folder, &model.network)?.into_bytes(),
            "edges.csv" => edges_csv(&folder.run.arcs).into_bytes(),
            "strengths.csv" => kept_strengths_csv(&folder.clauses).into_bytes(),
            _ => network(name, model)?,
        };
        files.push((name, bytes));
    }
    if let Some(consensus) = consensus {
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
