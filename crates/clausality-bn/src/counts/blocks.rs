//! Counts of families over rows that lie in blocks.
//!
//! ```text
//! N(cell) = Σ over blocks of N(cell in the block)
//! ```
//!
//! A block is read into buffers that stay, counted as a table in memory is, and forgotten. Counts are whole numbers, so neither the size of
//! the blocks nor their order can be seen in a sum. Families with few possible cells have the same places in every block, and sums
//! are sums of lists, many families a pass over the blocks; of others the cells that occur are merged by their keys. Memory: one block of
//! the columns that are asked for, and the cells.

use super::{Cells, Count, Counter};
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// Cells that a family may have to be summed in place.
const IN_PLACE: usize = 1 << 20;

/// Rows that lie in blocks.
pub trait Blocks: Sync {
    /// How many states every variable has.
    fn states(&self) -> &[usize];

    /// Which variables have gaps ([`MISSING`](crate::MISSING)).
    fn has_gaps(&self) -> &[bool];

    /// How many blocks they lie in.
    fn blocks(&self) -> usize;

    /// Puts the codes of a variable in a block in place of what the buffer holds; each is below the number of its states, or a gap if the
    /// variable has some. False where they are not to be had: whoever keeps the blocks knows why and tells.
    fn read(&self, block: usize, variable: usize, codes: &mut Vec<u8>) -> bool;
}

/// What was counted of a family.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Sum {
    /// The rows of every possible cell, in the order of cells ([`Places`]).
    Placed(Vec<u32>),
    /// Those of the cells that occur, where too many are possible.
    Keyed(Cells),
}

impl Sum {
    /// Nothing yet.
    fn none(places: &Places<'_>, family: &[usize]) -> Self {
        match places.few(family) {
            Some(cells) => Sum::Placed(vec![0; cells]),
            None => Sum::Keyed(Cells::new(family.len())),
        }
    }

    /// Adds what was counted of the same family in other rows; nothing where it was another family.
    pub fn add(&mut self, other: &Sum) -> Option<()> {
        match (self, other) {
            (Sum::Placed(sums), Sum::Placed(counts)) if sums.len() == counts.len() => add(sums, counts),
            (Sum::Keyed(sums), Sum::Keyed(cells)) if sums.variables() == cells.variables() => sums.add(cells),
            _ => return None,
        }
        Some(())
    }

    /// Whether it can be that of a family.
    pub fn is_of(&self, places: &Places<'_>, family: &[usize]) -> bool {
        match self {
            Sum::Placed(counts) => places.few(family) == Some(counts.len()),
            Sum::Keyed(cells) => places.few(family).is_none() && cells.variables() == family.len(),
        }
    }

    /// The cells that occur.
    pub(super) fn cells(&self, places: &Places<'_>, family: &[usize]) -> Cells {
        match self {
            Sum::Keyed(cells) => cells.clone(),
            Sum::Placed(counts) => places.keyed(family, counts),
        }
    }
}

fn add(sums: &mut [u32], counts: &[u32]) {
    sums.iter_mut().zip(counts).for_each(|(sum, count)| *sum += count);
}

/// Where the cells of a family stand: the first variable varies slowest. Between the first and the last a gap is one more state.
#[derive(Debug, Clone, Copy)]
pub struct Places<'s> {
    /// How many states every variable has.
    pub states: &'s [usize],
    /// Which variables have gaps.
    pub has_gaps: &'s [bool],
}

impl Places<'_> {
    fn digits<'f>(&'f self, family: &'f [usize]) -> impl DoubleEndedIterator<Item = usize> + 'f {
        let between = move |place: usize| place > 0 && place + 1 < family.len();
        family
            .iter()
            .enumerate()
            .map(move |(place, &v)| self.states[v] + usize::from(between(place) && self.has_gaps[v]))
    }

    /// How many cells a family may have, if so few that they are summed in place.
    pub(super) fn few(&self, family: &[usize]) -> Option<usize> {
        let cells = self.digits(family).fold(1, usize::saturating_mul);
        // While they are counted, rows with a gap stand in one more.
        let most = family
            .iter()
            .fold(1, |cells: usize, &v| cells.saturating_mul(self.states[v] + usize::from(self.has_gaps[v])));
        (most <= IN_PLACE).then_some(cells)
    }

    /// Counts in their places as cells with their keys.
    fn keyed(&self, family: &[usize], counts: &[u32]) -> Cells {
        let digits: Vec<usize> = self.digits(family).collect();
        let mut cells = Cells::new(family.len());
        let mut key = vec![0; family.len()];
        for (mut place, &rows) in counts.iter().enumerate().filter(|(_, rows)| **rows > 0) {
            for (code, &digits) in key.iter_mut().zip(&digits).rev() {
                (*code, place) = ((place % digits) as u8, place / digits);
            }
            cells.push(&key, rows.into());
        }
        cells
    }
}

/// Counts families over some of the blocks, all in one pass; nothing where a block is not to be had. Families that differ in their first
/// variable alone are quickest one after the other.
pub fn sums(blocks: &dyn Blocks, which: Range<usize>, families: &[Vec<usize>]) -> Option<Vec<Sum>> {
    let places = Places { states: blocks.states(), has_gaps: blocks.has_gaps() };
    let mut counter = Counter::open(places.states.to_vec(), places.has_gaps.to_vec());
    let mut columns: Vec<usize> = families.concat();
    columns.sort_unstable();
    columns.dedup();
    let mut sums: Vec<Sum> = families.iter().map(|family| Sum::none(&places, family)).collect();
    for block in which {
        if !counter.load(&columns, |v, codes| blocks.read(block, v, codes)) {
            return None;
        }
        let mut start = 0;
        for group in families.chunk_by(|a, b| a[1..] == b[1..]) {
            count(&mut counter, group, &mut sums[start..start + group.len()]);
            start += group.len();
        }
    }
    Some(sums)
}

/// Adds the counts of families with the same tail, each with another head.
fn count(counter: &mut Counter<'static>, families: &[Vec<usize>], sums: &mut [Sum]) {
    let mut heads: Vec<(usize, &mut Vec<u32>)> = Vec::with_capacity(families.len());
    for (family, sum) in families.iter().zip(sums) {
        match sum {
            Sum::Keyed(cells) => cells.add(&counter.cells(family)),
            Sum::Placed(sums) => heads.push((family[0], sums)),
        }
    }
    let tail = &families[0][1..];
    if tail.is_empty() {
        for (node, sums) in heads {
            counter.tally(&[node], &[], &mut |_, counts| add(sums, counts));
        }
    } else if !heads.is_empty() {
        let of: Vec<usize> = heads.iter().map(|(head, _)| *head).collect();
        counter.tally(tail, &of, &mut |place, counts| add(heads[place].1, counts));
    }
}
