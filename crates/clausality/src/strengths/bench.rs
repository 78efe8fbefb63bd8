//! What all fits of a table have in common, prepared once; and which tasks there are.

use super::gain::Phi;
use super::screen::Screen;
use super::settings::{Member, StrengthSettings};
use super::task::Task;
use crate::Error;
use crate::encode::Encoding;
use crate::time::Runs;
use crate::watch::Watch;
use clausality_bn::random::Stream;
use clausality_bn::{MISSING, Table};
use clausality_tm::BitMatrix;
use std::borrow::Cow;

/// Rows on which clauses are judged, at most: more change no ranking and cost time.
pub(super) const JUDGED_ROWS: usize = 10_000;

/// Where machines are trained: a table as literals, and how to measure. The same table, settings and seed give the same
/// bench anywhere, and the order of the table's columns does not matter.
///
/// ```
/// use clausality::strengths::{Bench, Fit, StrengthSettings, Task, measure};
/// use clausality::{Unwatched, bn, embedded};
///
/// let table = bn::sample(&embedded::network("cancer")?, 200, 1);
/// let settings = StrengthSettings { rounds: Some(2), ..StrengthSettings::default() };
/// let bench = Bench::new(&table, &settings, 1, &Unwatched)?;
/// let fit = |task: Task| bench.fit(&task).map(|fit| (task, fit));
/// let fits: Vec<(Task, Fit)> = bench.tasks().into_iter().rev().map(fit).collect::<Result<_, _>>()?;
/// assert_eq!(bench.merge(fits)?, measure(&table, &settings, 1, &Unwatched)?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Bench<'a> {
    pub(super) table: &'a Table,
    /// The table as machines see it: with something in every gap.
    pub(super) filled: Cow<'a, Table>,
    pub(super) settings: &'a StrengthSettings,
    pub(super) seed: u64,
    pub(super) encoding: Encoding,
    /// The place of every variable in the order of names.
    pub(super) places: Vec<u32>,
    /// All literals of all rows.
    pub(super) rows: BitMatrix,
    pub(super) models: Vec<Member>,
    pub(super) phi: Phi,
    pub(super) screen: Screen,
    /// Which rows belong to one series, if they are windows of time.
    pub(super) runs: Option<&'a Runs>,
}

impl<'a> Bench<'a> {
    /// Prepares a table; one too wide to be shown to a machine whole is screened first, which may be watched.
    ///
    /// # Errors
    /// A setting out of its range; a table with too little in it; [`Error::Cancelled`].
    pub fn new(
        table: &'a Table,
        settings: &'a StrengthSettings,
        seed: u64,
        watch: &dyn Watch,
    ) -> Result<Self, Error> {
        settings.check()?;
        check_size(table.schema().len(), table.rows())?;
        let encoding = Encoding::new(table.schema(), settings.encoding);
        let screen = Screen::new(table, &encoding, settings, watch)?;
        let mut places = vec![0; table.schema().len()];
        (0..).zip(encoding.variables()).for_each(|(place, &v)| places[v] = place);
        let filled = filled(table, seed)?;
        let rows = encoding.rows(&filled);
        let models = settings.machines(encoding.states(), seed);
        let phi = Phi::up_to(table.rows().min(JUDGED_ROWS));
        Ok(Bench { table, filled, settings, seed, encoding, places, rows, models, phi, screen, runs: None })
    }

    /// Every task, in the order in which their fits are merged.
    pub fn tasks(&self) -> Vec<Task> {
        let mut tasks = Vec::new();
        for v in self.targets() {
            for null in [false, true] {
                for model in 0..self.models.len() {
                    let task =
                        |round| Task { target: self.table.schema().name(v).into(), null, model, round };
                    tasks.extend((0..self.rounds(null)).map(task));
                }
            }
        }
        tasks
    }

    /// The variables that are predicted, in the order of names.
    pub(super) fn targets(&self) -> impl Iterator<Item = usize> {
        let is_target = |v: &usize| self.runs.is_none_or(|runs| runs.is_target(*v)) && self.screen.asks(*v);
        self.encoding.variables().iter().copied().filter(is_target)
    }

    /// How often a machine is trained for a target.
    pub(super) fn rounds(&self, null: bool) -> usize {
        match null {
            false => self.settings.rounds(),
            true if self.settings.null => self.settings.null_rounds(),
            true => 0,
        }
    }

    /// The place of a task's target in the schema; refuses tasks of other tables and settings.
    pub(super) fn target(&self, task: &Task) -> Result<usize, Error> {
        let known = task.model < self.models.len() && task.round < self.rounds(task.null);
        let place = self.table.schema().index(&task.target).filter(|_| known);
        place.ok_or_else(|| Error::Task {
            task: task.clone(),
            reason: "this is no task of this table and these settings",
        })
    }
}

/// The table with every gap filled by a value drawn from those of its column.
///
/// A literal of a gap must be neither rewarded nor punished. Were it false in both polarities, as a gap is, a machine would learn from
/// *whether* there is a value; a value drawn without looking at the row says nothing about any target, and of the feature just as
/// much is lost as is missing. Rows without a value of the target are not shown at all.
fn filled(table: &Table, seed: u64) -> Result<Cow<'_, Table>, Error> {
    if !table.has_missing() {
        return Ok(Cow::Borrowed(table));
    }
    let column = |v: usize| {
        let codes = table.column(v);
        // By label, as every random choice must leave no trace of the order of states.
        let states = &table.schema().variable(v).states;
        let mut values: Vec<u8> = codes.iter().copied().filter(|&code| code != MISSING).collect();
        values.sort_unstable_by_key(|&code| &states[usize::from(code)]);
        let mut stream = Stream::new(seed, &format!("strengths\0{}\0gaps", table.schema().name(v)));
        let mut drawn = || values[stream.below(values.len() as u64) as usize];
        let fill = |&code: &u8| if code == MISSING && !values.is_empty() { drawn() } else { code };
        codes.iter().map(fill).collect()
    };
    let columns = (0..table.schema().len()).map(column).collect();
    Ok(Cow::Owned(Table::new(table.schema().clone(), columns)?))
}

/// Two columns and two rows are needed, and rows are numbered in 32 bits.
fn check_size(columns: usize, rows: usize) -> Result<(), Error> {
    if columns < 2 || rows < 2 {
        return Err(Error::TooLittleData(format!(
            "the table has {columns} usable columns and {rows} rows, and at least 2 of each are needed"
        )));
    }
    let max = u32::MAX as usize;
    if rows > max { Err(clausality_bn::Error::Rows { rows, max }.into()) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_too_small_or_too_long_are_refused() {
        assert!(check_size(2, 2).is_ok() && check_size(2, u32::MAX as usize).is_ok());
        assert!(matches!(check_size(1, 9), Err(Error::TooLittleData(_))));
        let text = check_size(2, 1 << 32).unwrap_err().to_string();
        assert_eq!(text, "the table has 4294967296 rows; at most 4294967295 can be counted");
    }
}
