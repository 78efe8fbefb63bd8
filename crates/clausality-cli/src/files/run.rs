//! Writing a run folder: reserved before the work, written whole or not at all.

use super::inputs;
use super::output::{OutputFile, OutputFolder};
use crate::failure::Failure;
use clausality::Learned;
use clausality::run::{self, CONSENSUS, FILES, Run};
use clausality::tell;
use serde::Deserialize;
use std::fs::File;
use std::io::BufReader;
use std::path::Path;

/// The files of a run, reserved.
pub(crate) struct RunFiles {
    // Dropped first: only an empty folder is unmade.
    files: Vec<OutputFile>,
    folder: OutputFolder,
}

impl RunFiles {
    /// Makes sure that every file can be written, with a consensus network if the learning is to be repeated, and that none
    /// of somebody else's would be lost.
    pub(crate) fn reserve(path: &Path, repeated: bool) -> Result<Self, Failure> {
        refuse_foreign_files(path)?;
        // An old one is removed where none is written.
        inputs::refuse(&path.join(CONSENSUS))?;
        let folder = OutputFolder::reserve(path)?;
        let names = FILES.into_iter().chain(repeated.then_some(CONSENSUS));
        let files = names.map(|name| folder.file(name)).collect::<Result<_, _>>()?;
        Ok(RunFiles { files, folder })
    }

    /// Writes them all.
    pub(crate) fn write(self, run: &Run, found: &Learned) -> Result<(), Failure> {
        // All bytes are there before the first file is put in place.
        let contents = tell::files(run, found)?;
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

/// An earlier run may be replaced; files of other origin may not.
fn refuse_foreign_files(folder: &Path) -> Result<(), Failure> {
    let first = folder.join(FILES[0]);
    let foreign = match first.symlink_metadata().is_ok() {
        true => (!is_run(&first)).then_some(FILES[0]),
        false => {
            FILES.into_iter().chain([CONSENSUS]).find(|name| folder.join(name).symlink_metadata().is_ok())
        }
    };
    match foreign {
        None => Ok(()),
        Some(name) => Err(Failure::Input(format!(
            "{}: this folder holds a {name} that no run of clausality wrote: choose another folder, or move the file away",
            folder.display()
        ))),
    }
}

/// Whether a `run.json` says that it is one of ours, of whatever version.
fn is_run(path: &Path) -> bool {
    #[derive(Deserialize)]
    struct Head {
        format: String,
    }
    let kind = run::FORMAT.split('/').next().unwrap_or_default();
    let head = File::open(path).ok().and_then(|file| serde_json::from_reader(BufReader::new(file)).ok());
    head.is_some_and(|head: Head| head.format.split('/').next() == Some(kind))
}
