//! The files of a run folder, as bytes and on disk.

use super::report;
use crate::Error;
use crate::folder::{self, NewFolder};
use crate::learn::Learned;
use crate::model::{FileFormat, Loaded, Model};
use crate::run::{CONSENSUS, Clauses, FILES, PAGE, Run, RunFolder, edges_csv, kept_strengths_csv};
use serde::Serialize;
use std::collections::BTreeMap;
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
/// As [`files()`].
pub fn seal(run: &mut Run, found: &Learned) -> Result<Vec<(&'static str, Vec<u8>)>, Error> {
    let folder = RunFolder { run: run.clone(), clauses: Clauses::new(found) };
    let files = kept_files(&folder, &run.model(found), run.consensus(found).as_ref())?;
    run.files = digests(&files);
    Ok(files)
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
    let id = &folder.run.id;
    let clauses = Clauses { run: id.clone(), ..folder.clauses.clone() };
    let mut files = Vec::with_capacity(FILES.len() + 1);
    for name in FILES {
        let bytes = match name {
            // It tells of the others and comes last.
            "run.json" => Vec::new(),
            "clauses.json" => document(&clauses),
            PAGE => report::html(folder, &model.network)?.into_bytes(),
            "edges.csv" => edges_csv(&folder.run.arcs).into_bytes(),
            "strengths.csv" => kept_strengths_csv(&clauses).into_bytes(),
            "network.bif" => folder::in_bif(network(name, model)?, id),
            _ => network(name, model)?,
        };
        files.push((name, bytes));
    }
    if let Some(consensus) = consensus {
        files.push((CONSENSUS, network(CONSENSUS, consensus)?));
    }
    files[0].1 = document(&Run { files: digests(&files), ..folder.run.clone() });
    Ok(files)
}

/// The digests of all files but the run's own document and its page, which may be made anew.
fn digests(files: &[(&'static str, Vec<u8>)]) -> BTreeMap<String, String> {
    let listed = files.iter().filter(|(name, _)| ![FILES[0], PAGE].contains(name));
    listed.map(|(name, bytes)| (name.to_string(), folder::digest(bytes))).collect()
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
