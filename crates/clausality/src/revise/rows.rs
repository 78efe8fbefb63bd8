//! The rows of a run, found again and read as they were read when it was learned.

use super::ReviseError;
use crate::Error;
use crate::data::{self, Bounds, Dataset, Fingerprint};
use crate::embedded;
use crate::model::{Model, Reading, Rows};
use crate::run::{Run, STANDARD_INPUT};
use std::path::{Path, PathBuf};

/// Where a run's own table lies, if it is still there: as it was named, from here or from beside the run folder.
pub fn own_table(run: &Run, folder: &Path) -> Option<PathBuf> {
    if run.table == STANDARD_INPUT || run.table.starts_with('@') {
        return None;
    }
    let beside = folder.parent().map(|parent| parent.join(&run.table));
    [Some(PathBuf::from(&run.table)), beside].into_iter().flatten().find(|path| path.exists())
}

/// The table that a run was learned from: sampled again, or read from this file with the run's own settings.
///
/// # Errors
/// [`ReviseError::NoTable`] without a file; [`ReviseError::Changed`] where its content is not that of the run; whatever is wrong with the file.
pub fn rows_again(run: &Run, model: &Model, table: Option<&Path>, bounds: &Bounds) -> Result<Dataset, Error> {
    if run.time.is_some() {
        return Err(ReviseError::OverTime.into());
    }
    let dataset = match (table, run.table.strip_prefix('@')) {
        (Some(path), _) => data::read(path, &run.params.by_profile().data, bounds)?,
        (None, Some(name)) => Dataset::drawn_from(
            &embedded::network(name).map_err(crate::model::ModelError::from)?,
            run.rows,
            run.seed,
            bounds,
        )?,
        (None, None) => return Err(ReviseError::NoTable { table: run.table.clone() }.into()),
    };
    if is_of(&dataset, run, model, table, bounds) {
        return Ok(dataset);
    }
    let named = table.map_or_else(|| run.table.clone(), |path| path.display().to_string());
    Err(ReviseError::Changed { table: named }.into())
}

/// Whether the content is that of the run: as it was read; as rows that count differently were drawn; or, where learning cut numbers
/// anew, by the cuts that the network keeps.
fn is_of(dataset: &Dataset, run: &Run, model: &Model, table: Option<&Path>, bounds: &Bounds) -> bool {
    if dataset.fingerprint == run.fingerprint {
        return true;
    }
    // Of more rows than are held the name follows once all are coded: until then by their number, and by what was decided about them.
    if let Some(beyond) = &dataset.beyond {
        let same = |kept: Option<data::Coding>| kept.is_none_or(|kept| kept == dataset.coding);
        return beyond.rows() == run.rows && model.coding().is_ok_and(same);
    }
    if let Some(drawn) = dataset.drawn() {
        return Fingerprint::of(&drawn.table) == run.fingerprint;
    }
    let coded = || {
        let rows = Rows::read(model, table?, &Reading::default(), data::Absent::Refuse, bounds).ok()?;
        // The order and the scales of the network's own columns count, as they did then.
        Some(Fingerprint::of(&rows.table.recoded(model.network.schema()).ok()?))
    };
    dataset.awaits_cuts() && coded().as_ref() == Some(&run.fingerprint)
}
