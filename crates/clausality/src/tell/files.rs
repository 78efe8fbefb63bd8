//! The files of a run folder, as bytes and on disk.

use super::report;
use crate::Error;
use crate::folder::{self, NewFolder};
use crate::learn::Learned;
use crate::model::{FileFormat, Loaded, Model};
use crate::run::{CONSENSUS, Clauses, FILES, PAGE, Run, RunFolder, edges_csv, strengths_csv};
use serde::Serialize;
use std::path::Path;

/// The files of a run: names and bytes. Each says which run it belongs to.
///
/// # Errors
/// Whatever a network's format cannot hold.
pub fn files(run: &Run, found: &Learned) -> Result<Vec<(&'static str, Vec<u8>)>, Error> {
    seal(&mut run.clone(), found)
}

/// The same; the run's own document then lists them with their digests.
///
/// # Errors
/// As [`files`].
pub fn seal(run: &mut Run, found: &Learned) -> Result<Vec<(&'static str, Vec<u8>)>, Error> {
    let network = |name: &str, model: Model| FileFormat::of(Path::new(name))?.write(&Loaded::Model(model));
    let clauses = Clauses { run: run.id.clone(), ..Clauses::new(found) };
    let folder = RunFolder { run: run.clone(), clauses };
    let mut files = Vec::with_capacity(FILES.len() + 1);
    for name in FILES {
        let bytes = match name {
            // It tells of the others and comes last.
            "run.json" => Vec::new(),
            "clauses.json" => document(&folder.clauses),
            PAGE => report::html(&folder, &found.network)?.into_bytes(),
            "edges.csv" => edges_csv(&run.arcs).into_bytes(),
            "strengths.csv" => strengths_csv(&found.strengths).into_bytes(),
            "network.bif" => folder::in_bif(network(name, run.model(found))?, &run.id),
            _ => network(name, run.model(found))?,
        };
        files.push((name, bytes));
    }
    if let Some(again) = &found.bootstrap {
        let consensus = Model { network: again.consensus.clone().into(), ..run.model(found) };
        files.push((CONSENSUS, network(CONSENSUS, consensus)?));
    }
    let listed = files.iter().filter(|(name, _)| ![FILES[0], PAGE].contains(name));
    run.files = listed.map(|(name, bytes)| (name.to_string(), folder::digest(bytes))).collect();
    files[0].1 = document(run);
    Ok(files)
}

/// Writes a run into its folder, which was reserved before the work: whole or not at all.
///
/// # Errors
/// As [`files`], and whatever keeps the folder from being written.
pub fn save(run: &mut Run, found: &Learned, folder: NewFolder) -> Result<(), Error> {
    let files = seal(run, found)?;
    let files: Vec<(String, Vec<u8>)> =
        files.into_iter().map(|(name, bytes)| (name.to_string(), bytes)).collect();
    Ok(folder.fill(&files)?)
}

/// A JSON file. The documents hold numbers, texts, lists and maps with text for keys: nothing that could fail.
pub fn document(value: &impl Serialize) -> Vec<u8> {
    let mut bytes = serde_json::to_vec_pretty(value).unwrap_or_default();
    bytes.push(b'\n');
    bytes
}
