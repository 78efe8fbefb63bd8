//! Writing a run folder: reserved before the work, written whole or not at all.

use super::inputs;
use crate::failure::Failure;
use clausality::bn::Table;
use clausality::data::FirstPass;
use clausality::folder::{NewFolder, Scraps, Work};
use clausality::run::{CONSENSUS, FILES, Run};
use clausality::tell;
use clausality::{Learned, Settings};
use std::path::Path;

/// A folder for one run, or for a run with others in folders below it.
pub(crate) struct RunFiles(NewFolder);

impl RunFiles {
    /// Makes sure that the folder can be written, and that no input and nothing of somebody else's would be lost.
    pub(crate) fn reserve(path: &Path) -> Result<Self, Failure> {
        RunFiles::reserve_with(path, &[])
    }

    /// The same with runs in folders below.
    pub(crate) fn reserve_with(path: &Path, below: &[&str]) -> Result<Self, Failure> {
        for folder in below.iter().map(|name| path.join(name)).chain([path.to_path_buf()]) {
            inputs::refuse_folder(&folder)?;
            for name in FILES.into_iter().chain([CONSENSUS]) {
                inputs::refuse(&folder.join(name))?;
            }
        }
        Ok(RunFiles(NewFolder::for_runs(path, below).map_err(clausality::Error::from)?))
    }

    /// Where what a first look at a long table told is kept.
    pub(crate) fn first_pass(&self, fresh: bool) -> FirstPass<'static> {
        self.0.first_pass(fresh)
    }

    /// What an earlier command that was interrupted here finished of the same work; `fresh` begins anew.
    pub(crate) fn scraps(
        &self,
        command: &str,
        table: &Table,
        settings: &Settings,
        fresh: bool,
    ) -> Result<Scraps, Failure> {
        Ok(self.0.scraps(Work::new(command, table, settings), fresh).map_err(clausality::Error::from)?)
    }

    /// Writes a run, whose document then lists its files.
    pub(crate) fn write(self, run: &mut Run, found: &Learned) -> Result<(), Failure> {
        Ok(tell::save(run, found, self.0)?)
    }

    /// Writes several runs, each into the folder of its name below; the empty name is the folder itself.
    pub(crate) fn write_all(self, runs: Vec<(&str, &mut Run, &Learned)>) -> Result<(), Failure> {
        let mut files = Vec::new();
        for (below, run, found) in runs {
            let inside =
                |name: &str| if below.is_empty() { name.to_string() } else { format!("{below}/{name}") };
            files.extend(tell::seal(run, found)?.into_iter().map(|(name, bytes)| (inside(name), bytes)));
        }
        Ok(self.0.fill(&files).map_err(clausality::Error::from)?)
    }
}
