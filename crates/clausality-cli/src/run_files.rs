//! Writing a run folder: reserved before the work, written whole or not at all.

use crate::failure::Failure;
use crate::output::{OutputFile, OutputFolder};
use clausality::data::Coding;
use clausality::learn::Learned;
use clausality::model::{CODING, Loaded, Model};
use clausality::run::{self, CONSENSUS, FILES, Run};
use serde_json::{Value, json};
use std::path::Path;

/// The files of a run, reserved.
pub(crate) struct RunFiles {
    // Dropped first: only an empty folder is unmade.
    files: Vec<OutputFile>,
    folder: OutputFolder,
}

impl RunFiles {
    /// Makes sure that every file can be written; with a consensus network if the learning is to be repeated.
    pub(crate) fn reserve(path: &Path, repeated: bool) -> Result<Self, Failure> {
        let folder = OutputFolder::reserve(path)?;
        let names = FILES.into_iter().chain(repeated.then_some(CONSENSUS));
        let files = names.map(|name| folder.file(name)).collect::<Result<_, _>>()?;
        Ok(RunFiles { files, folder })
    }

    /// Writes them all.
    pub(crate) fn write(self, run: &Run, found: &Learned, model: &Loaded) -> Result<(), Failure> {
        // All bytes are there before the first file is put in place.
        let contents = run::files(run, found, model)?;
        for (file, (_, bytes)) in self.files.into_iter().zip(contents) {
            file.write(&bytes)?;
        }
        if found.bootstrap.is_none() {
            // A consensus that an earlier run left here is not this one's.
            self.folder.remove(CONSENSUS)?;
        }
        self.folder.keep();
        Ok(())
    }
}

/// The network together with how its table was coded, so that new rows can be coded the same way, and how it was made.
pub(crate) fn model(found: &Learned, coding: Option<&Coding>, run: &Run) -> Loaded {
    let mut extra = clausality::bn::io::json::Extra::default();
    if let Some(coding) = coding.and_then(|coding| serde_json::to_value(coding).ok()) {
        extra.insert(CODING.to_string(), coding);
    }
    extra.insert("made".into(), made(run));
    Loaded::Model(Model { network: found.network.clone(), extra, source: run.table.clone() })
}

fn made(run: &Run) -> Value {
    json!({
        "table": run.table,
        "rows": run.rows,
        "fingerprint": run.fingerprint,
        "params": run.params,
        "seed": run.seed,
        "version": run.version,
    })
}
