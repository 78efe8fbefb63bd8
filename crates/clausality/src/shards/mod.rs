//! All rows of a table that has more than are held, to be counted where they lie: on a disk here (`disk`), or in parts that others keep
//! (`part`).
//!
//! Who keeps them leaves no trace: rows are asked (`said`), and what they say is summed.

mod again;
mod disk;
mod gathered;
mod part;
mod said;
mod view;

pub(crate) use gathered::Gathered;
pub use part::{Part, together};
pub(crate) use view::places_by_label;

use crate::data::{Beyond, Bounds, Coding, ColumnReport, Fingerprint, Notice};
use crate::elsewhere::Engine;
use crate::error::Error;
use crate::folder::Kept;
use crate::memory::product;
use crate::watch::{Event, Stage, Underway, Watch};
use crate::words::counted;
use clausality_bn::counts::{FarRows, Places, Sum};
use clausality_bn::{MISSING, Schema};
use disk::{Shards, nameless};
use said::{Answer, Content, Question, Seen};
use std::sync::{Mutex, PoisonError};

/// All rows of a table.
#[derive(Debug)]
pub(crate) struct AllRows<'e> {
    schema: Schema,
    kept: Keeper<'e>,
    content: Content,
    seen: Seen,
    fingerprint: Fingerprint,
}

/// Who keeps them.
#[derive(Debug)]
enum Keeper<'e> {
    Disk(Shards),
    Others { engine: &'e dyn Engine, recipe: String, lengths: Vec<u64> },
}

impl<'e> AllRows<'e> {
    /// Codes all rows of a table, here or by an engine whose workers keep rows.
    ///
    /// # Errors
    /// Whatever is wrong with the table, or that it changed; a disk that does not take the codes; [`Error::Cancelled`]; [`Error::Elsewhere`].
    pub(crate) fn coded(
        beyond: &Beyond,
        coding: &Coding,
        bounds: &Bounds,
        kept: Kept<'e>,
        watch: &dyn Watch,
    ) -> Result<Self, Error> {
        if u32::try_from(beyond.rows()).is_err() {
            return Err(clausality_bn::Error::Rows { rows: beyond.rows(), max: u32::MAX as usize }.into());
        }
        let schema = coding.schema()?;
        let kept = match kept.engine().filter(|engine| engine.keeps_rows()) {
            Some(engine) => {
                let lengths = beyond.files().map(|(_, length)| length).collect();
                Keeper::Others { engine, recipe: part::recipe(beyond, coding)?, lengths }
            }
            None => Keeper::Disk(beyond.steady(|| {
                let shards = match kept.beside() {
                    Some(path) => again::coded(path, beyond, coding, &schema, bounds, kept, watch)?,
                    None => coded_once(beyond, coding, &schema, bounds, watch)?,
                };
                Ok((shards.content.rows, shards))
            })?),
        };
        // Others code their rows when they are asked first.
        let elsewhere = matches!(kept, Keeper::Others { .. });
        let _stage = elsewhere.then(|| Underway::begin(watch, Stage::Code, 0));
        let about = Question { about: true, ..Question::default() };
        let Answer { content, seen, .. } = beyond.steady(|| {
            let answer = kept.answer(&schema, &about, watch)?;
            Ok((answer.content.rows, answer))
        })?;
        let fits =
            |seen: &Seen| seen.counts.len() == schema.len() && seen.counts.iter().all(|c| c.len() == 256);
        let seen = seen.filter(fits).filter(|_| content.digests.len() == schema.len());
        let seen = seen.ok_or_else(|| Error::Elsewhere("what came back is of another table".into()))?;
        let fingerprint = Fingerprint::of_rolled(&schema, content.rows, &content.digests);
        Ok(AllRows { schema, kept, content, seen, fingerprint })
    }

    /// Rows whose codes lie on a disk here.
    fn on_disk(schema: Schema, shards: Shards) -> Self {
        let (content, seen) = (shards.content.clone(), shards.seen.clone());
        let fingerprint = Fingerprint::of_rolled(&schema, content.rows, &content.digests);
        AllRows { schema, kept: Keeper::Disk(shards), content, seen, fingerprint }
    }

    /// What counting so many variables holds: a block of each for everyone who counts, and cells.
    pub(crate) fn counting_bytes(variables: usize) -> u64 {
        let hands = rayon::current_num_threads().min(disk::MOST_HANDS);
        product(&[variables + 32, hands, 1 << 16]).saturating_add((hands as u64 + 4) << 23)
    }

    /// What they hold.
    pub(crate) fn schema(&self) -> &Schema {
        &self.schema
    }

    /// How many rows there are.
    pub(crate) fn rows(&self) -> usize {
        self.content.rows
    }

    /// The name of what all rows hold.
    pub(crate) fn fingerprint(&self) -> &Fingerprint {
        &self.fingerprint
    }

    /// Whether any cell has no value.
    pub(crate) fn any_gaps(&self) -> bool {
        self.seen.has_gaps().contains(&true)
    }

    /// Puts the figures of all rows in place of those of the rows that are held.
    pub(crate) fn account(&self, schema: &Schema, columns: &mut [ColumnReport]) {
        for column in columns {
            for variable in &mut column.variables {
                let Some(v) = schema.index(&variable.name) else { continue };
                let counts = &self.seen.counts[v];
                let gaps = schema.variable(v).missing_state().unwrap_or(MISSING);
                column.missing = counts[usize::from(gaps)] as usize;
                for (state, rows) in variable.states.iter_mut().zip(counts) {
                    state.rows = *rows as usize;
                }
            }
        }
    }

    /// What became of cells that none of the rows held was like.
    pub(crate) fn notices(&self) -> Vec<Notice> {
        let unknown = self.seen.unknown.iter().map(|(name, cells)| {
            format!("column '{name}': {} of no state, which are unknown", counted(*cells, "cell"))
        });
        let beyond = self.seen.beyond.iter().map(|(name, cells)| {
            format!(
                "column '{name}': {} beyond those of the rows held, which fall into the outer states",
                counted(*cells, "number")
            )
        });
        unknown.chain(beyond).map(Notice::about_rows).collect()
    }

    /// The rows to be counted by somebody who may call it off, with columns and states in the order of the schema.
    pub(crate) fn counted<'r>(&'r self, watch: &'r dyn Watch) -> Counted<'r> {
        self.in_order(watch, (0..self.schema.len()).collect(), false)
    }

    /// The same with columns in the order of names and states in that of labels.
    pub(crate) fn counted_by_name<'r>(&'r self, watch: &'r dyn Watch) -> Counted<'r> {
        self.in_order(watch, self.schema.in_name_order(), true)
    }

    fn in_order<'r>(&'r self, watch: &'r dyn Watch, order: Vec<usize>, by_name: bool) -> Counted<'r> {
        let gaps = self.seen.has_gaps();
        Counted {
            all: self,
            watch,
            by_name,
            states: order.iter().map(|&v| self.schema.cardinality(v)).collect(),
            has_gaps: order.iter().map(|&v| gaps[v]).collect(),
            failed: Mutex::new(None),
        }
    }
}

/// Codes all rows of a table for this one time.
fn coded_once(
    beyond: &Beyond,
    coding: &Coding,
    schema: &Schema,
    bounds: &Bounds,
    watch: &dyn Watch,
) -> Result<Shards, Error> {
    let stage = Underway::begin(watch, Stage::Code, beyond.rows().div_ceil(1 << 16));
    Shards::kept(nameless(None), schema, &mut |see| {
        beyond.coded(0..beyond.files().count(), coding, bounds, &mut |coded| {
            if watch.cancelled() {
                return Err(Error::Cancelled);
            }
            see(coded)?;
            stage.step();
            Ok(())
        })
    })
}

impl Keeper<'_> {
    fn answer(&self, schema: &Schema, question: &Question, watch: &dyn Watch) -> Result<Answer, Error> {
        match self {
            Keeper::Disk(shards) => shards.answer(schema, question, watch),
            Keeper::Others { engine, recipe, lengths } => {
                let question = serde_json::to_string(question).map_err(part::unreadable)?;
                part::read(&engine.ask(recipe, lengths, &question)?)
            }
        }
    }
}

/// All rows for a search that may be called off, and that ends where they are not to be had.
pub(crate) struct Counted<'r> {
    all: &'r AllRows<'r>,
    watch: &'r dyn Watch,
    by_name: bool,
    states: Vec<usize>,
    has_gaps: Vec<bool>,
    /// Why they are not.
    failed: Mutex<Option<Error>>,
}

impl Counted<'_> {
    /// What was counted, if all rows were to be had.
    ///
    /// # Errors
    /// Why they were not; [`Error::Cancelled`].
    pub(crate) fn whole<T>(&self, counted: T) -> Result<T, Error> {
        match self.failed.lock().unwrap_or_else(PoisonError::into_inner).take() {
            Some(error) => Err(error),
            None if self.watch.cancelled() => Err(Error::Cancelled),
            None => Ok(counted),
        }
    }

    fn asked(&self, families: &[Vec<usize>]) -> Result<Vec<Sum>, Error> {
        let AllRows { schema, kept, content, .. } = self.all;
        let question = Question { about: false, by_name: self.by_name, families: families.to_vec() };
        let answer = kept.answer(schema, &question, self.watch)?;
        let sums = answer.sums;
        let fits = |(sum, family): (&Sum, &Vec<usize>)| sum.is_of(&self.places(), family);
        match () {
            // A part that was lost and made again.
            () if answer.content != *content => {
                Err(Error::Elsewhere("the files of the table changed while their rows were counted".into()))
            }
            () if sums.len() != families.len() || !sums.iter().zip(families).all(fits) => {
                Err(Error::Elsewhere("other families were counted than were asked for".into()))
            }
            () => Ok(sums),
        }
    }
}

impl FarRows for Counted<'_> {
    fn places(&self) -> Places<'_> {
        Places { states: &self.states, has_gaps: &self.has_gaps }
    }

    fn rows(&self) -> usize {
        self.all.rows()
    }

    fn sums(&self, families: &[Vec<usize>]) -> Option<Vec<Sum>> {
        let keep = |error| {
            self.failed.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
        };
        self.asked(families).map_err(keep).ok()
    }
}

impl Watch for Counted<'_> {
    fn event(&self, event: Event) {
        self.watch.event(event);
    }

    fn cancelled(&self) -> bool {
        self.failed.lock().unwrap_or_else(PoisonError::into_inner).is_some() || self.watch.cancelled()
    }
}

#[cfg(test)]
mod tests;
