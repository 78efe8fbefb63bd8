//! The files of a run folder, as bytes and on disk.

use super::report;
use crate::Error;
use crate::data::{Bounds, Dataset};
use crate::folder::{self, NewFolder};
use crate::learn::{self, Learned};
use crate::memory::{Plan, product};
use crate::model::{FileFormat, Loaded, Model, ModelError};
use crate::run::{CONSENSUS, Clauses, FILES, PAGE, Run, RunFolder, edges_csv, kept_strengths_csv};
use crate::settings::Settings;
use crate::words::counted;
use clausality_bn::Network;
use clausality_bn::dynamic::Naming;
use clausality_bn::io::Limits;
use serde::Serialize;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::Path;

/// The files of a run: names and bytes. Each says which run it belongs to.
///
/// # Errors
/// Whatever a network's format cannot hold.
pub fn files(run: &Run, found: &Learned) -> Result<Vec<(&'static str, Vec<u8>)>, Error> {
    seal(&mut run.clone(), found)
}

/// Refuses, before anything is learned, a run whose files would not fit beside what is learned:
///
/// ```text
/// M · (M − 1) · (400 + 6 · name)      every strength again as it is kept, and in clauses.json and strengths.csv, which grow as
///                                     they are written (measured on 400 and 800 columns: 440 bytes a pair)
/// ```
///
/// # Errors
/// More than the bounds allow.
pub fn check_room(dataset: &Dataset, settings: &Settings, bounds: &Bounds) -> Result<(), Error> {
    settings.check()?;
    let schema = dataset.table.schema();
    let names: usize = schema.variables().iter().map(|variable| variable.name.len()).sum();
    let pairs =
        product(&[schema.len(), schema.len(), 400]).saturating_add(product(&[schema.len(), names, 6]));
    let files = Plan::new("learning")
        .need(format!("the files of a run with {}", counted(schema.len(), "column")), pairs);
    let files = files.and(learn::plan(dataset, settings)).way("ask for a network and no run folder", None);
    files.check(bounds.room)
}

/// The same; the run's own document then lists them with their digests.
///
/// # Errors
/// As [`files()`].
pub fn seal(run: &mut Run, found: &Learned) -> Result<Vec<(&'static str, Vec<u8>)>, Error> {
    let clauses = Clauses { run: run.id.clone(), ..Clauses::new(found) };
    let folder = RunFolder { run: run.clone(), clauses };
    let files = kept_files(&folder, &run.kept(found), run.consensus(found).as_ref())?;
    run.files = digests(&files);
    Ok(files)
}

/// The same of a run that was kept: its documents, its network, and the consensus network if there is one.
///
/// # Errors
/// As [`files()`].
pub fn kept_files(
    folder: &RunFolder,
    kept: &Loaded,
    consensus: Option<&Model>,
) -> Result<Vec<(&'static str, Vec<u8>)>, Error> {
    let network = |name: &str, loaded: &Loaded| FileFormat::of(Path::new(name))?.write(loaded);
    let id = &folder.run.id;
    // Of a wide table they are large: not once more unless they are of another run.
    let clauses = match folder.clauses.run == *id {
        true => Cow::Borrowed(&folder.clauses),
        false => Cow::Owned(Clauses { run: id.clone(), ..folder.clauses.clone() }),
    };
    let mut files = Vec::with_capacity(FILES.len() + 1);
    for name in FILES {
        let bytes = match name {
            // It tells of the others and comes last.
            "run.json" => Vec::new(),
            "clauses.json" => document(clauses.as_ref()),
            PAGE => report::html(folder, told(kept)?)?.into_bytes(),
            "edges.csv" => edges_csv(&folder.run.arcs, folder.run.time.is_some()).into_bytes(),
            "strengths.csv" => kept_strengths_csv(&clauses).into_bytes(),
            "network.bif" => folder::in_bif(network(name, written_out(kept)?.as_ref())?, id),
            _ => network(name, kept)?,
        };
        files.push((name, bytes));
    }
    if let Some(consensus) = consensus {
        files.push((CONSENSUS, network(CONSENSUS, &Loaded::Model(consensus.clone()))?));
    }
    files[0].1 = document(&Run { files: digests(&files), ..folder.run.clone() });
    Ok(files)
}

/// What is told of a network: of one over time, a window of its steps.
fn told(kept: &Loaded) -> Result<&Network, Error> {
    match kept {
        Loaded::Model(model) => Ok(&model.network),
        Loaded::Dynamic(model) => Ok(model.network.window()),
        Loaded::Graph { source, .. } => Err(ModelError::NoProbabilities { file: source.clone() }.into()),
    }
}

/// A network for programs that know no time: one over time has as many steps written out as it looks back to, and one more.
fn written_out(kept: &Loaded) -> Result<Cow<'_, Loaded>, Error> {
    let Loaded::Dynamic(model) = kept else { return Ok(Cow::Borrowed(kept)) };
    let steps = model.network.order() + 1;
    Ok(Cow::Owned(Loaded::Model(model.unrolled(steps, Naming::Plain, &Limits::default())?)))
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
