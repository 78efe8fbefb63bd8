//! Rows as they are read: in memory as long as they are few, and on a disk from then on.
//!
//! Where they lie leaves no trace: what is counted of them, and the name of their content, is the same.

use super::disk::{Reader, Shards};
use super::{AllRows, Keeper};
use crate::data::{Bounds, Coded, Fingerprint};
use crate::error::{Advice, Error};
use crate::memory::{Plan, product};
use crate::words::counted;
use clausality_bn::{MISSING, Schema, Table};

/// Codes that are held in memory before they go to a disk, in bytes: as many as are small change. Tests have smaller tables.
const HELD: usize = if cfg!(test) { 1 << 14 } else { 32 << 20 };

/// All rows of a table.
#[derive(Debug)]
pub(crate) enum Gathered {
    /// In memory.
    Held(Table),
    /// On a disk.
    Far(Box<AllRows<'static>>),
}

impl Gathered {
    /// Gathers rows of this schema.
    ///
    /// # Errors
    /// What the reader says; a disk that does not take the codes.
    pub(crate) fn read(schema: &Schema, read: &mut Reader<'_>) -> Result<Self, Error> {
        let (mut held, mut bytes, mut shards): (Vec<Coded>, usize, Option<Shards>) = (vec![], 0, None);
        read(&mut |coded| {
            bytes = bytes.saturating_add(coded.table.rows() * schema.len());
            held.push(coded);
            if bytes > HELD {
                let shards = match &mut shards {
                    Some(shards) => shards,
                    none => none.insert(Shards::nameless(schema)?),
                };
                shards.extend(&mut |see| held.drain(..).try_for_each(&mut *see))?;
            }
            Ok(())
        })?;
        if let Some(shards) = shards {
            if u32::try_from(shards.content.rows).is_err() {
                let (rows, max) = (shards.content.rows, u32::MAX as usize);
                return Err(clausality_bn::Error::Rows { rows, max }.into());
            }
            return Ok(Gathered::Far(Box::new(AllRows::on_disk(schema.clone(), shards))));
        }
        let column = |v| held.iter().flat_map(|coded| coded.table.column(v)).copied().collect();
        Ok(Gathered::Held(Table::new(schema.clone(), (0..schema.len()).map(column).collect())?))
    }

    /// How many rows there are.
    pub(crate) fn rows(&self) -> usize {
        match self {
            Gathered::Held(table) => table.rows(),
            Gathered::Far(all) => all.rows(),
        }
    }

    /// The same where rows with gaps are in memory: what they say is found row by row.
    ///
    /// # Errors
    /// More rows with gaps than there is room for; codes that cannot be read.
    pub(crate) fn gaps_held(self, bounds: &Bounds) -> Result<Self, Error> {
        let (rows, columns, gaps) = match &self {
            Gathered::Held(table) => (table.rows(), table.schema().len(), has_gaps(table)),
            Gathered::Far(all) => (all.rows(), all.schema.len(), all.any_gaps()),
        };
        if gaps {
            Plan::at_least("estimating probabilities in spite of gaps")
                .need(
                    format!("{} of {}", counted(rows, "row"), counted(columns, "column")),
                    product(&[rows, columns, HELD_WITH_GAPS]),
                )
                .way("take fewer rows", None)
                .way("make gaps a state", Some(Advice::new("missing", "state")))
                .check(bounds.room)?;
        }
        match self {
            Gathered::Far(all) if gaps => all.held().map(Gathered::Held),
            other => Ok(other),
        }
    }
}

/// Bytes of a cell in memory where rows have gaps: its code, and what is made of it while they are filled (measured).
const HELD_WITH_GAPS: usize = 3;

fn has_gaps(table: &Table) -> bool {
    (0..table.schema().len()).any(|v| table.column(v).contains(&MISSING))
}

impl AllRows<'_> {
    /// The name that the content of these rows would have in memory.
    ///
    /// # Errors
    /// Codes that cannot be read.
    pub(crate) fn name_in_memory(&self) -> Result<Fingerprint, Error> {
        Fingerprint::of_parts(&self.schema, self.rows(), |v, take| self.each(v, take))
    }

    /// Hands over the codes of a variable, in the order of the rows.
    fn each(&self, variable: usize, see: &mut dyn FnMut(&[u8])) -> Result<(), Error> {
        match &self.kept {
            Keeper::Disk(shards) => shards.each(variable, see),
            Keeper::Others { .. } => {
                Err(Error::Elsewhere("the rows lie elsewhere, and only sums come back".into()))
            }
        }
    }

    /// All rows in memory.
    fn held(&self) -> Result<Table, Error> {
        let mut columns = Vec::with_capacity(self.schema.len());
        for v in 0..self.schema.len() {
            let mut column = Vec::with_capacity(self.rows());
            self.each(v, &mut |codes| column.extend(codes))?;
            columns.push(column);
        }
        Ok(Table::new(self.schema.clone(), columns)?)
    }
}
