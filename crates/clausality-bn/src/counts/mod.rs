//! How many rows fall into which cell of a family.
//!
//! A *family* is a list of variables, a node last; a *cell* is a state of each.
//!
//! ```text
//! N(x_1, …, x_k) = rows in which v_1 = x_1, …, v_k = x_k;   rows in which any of them is MISSING are left out
//! N over all rows = Σ_shards N over the rows of the shard
//! ```
//!
//! Scores, probability tables, mutual information and tests of independence are functions of these numbers alone, so all
//! of them ask a [`Count`] and none looks at rows. [`Counter`] counts a table in memory, [`FarCounter`] rows that lie far away, where others
//! sum what is in their [`Blocks`].

mod blocks;
mod cells;
mod far;
mod memory;
#[cfg(test)]
mod tests;

pub use blocks::{Blocks, Places, Sum, sums};
pub use cells::Cells;
pub use far::{FarCounter, FarRows};
pub use memory::Counter;

/// A family with more cells than this is not tallied with a head: it cannot be worth its parameters.
pub const MOST_CELLS: usize = 1 << 22;
/// Up to so many cells heads are tallied together, and several rows at a time.
const FEW_CELLS: usize = 1024;

/// What was counted of a family.
#[derive(Debug, Clone, Copy)]
pub enum Counts<'a> {
    /// As [`Count::tally`] shows it.
    All(&'a [u32]),
    /// The counts there that are not zero, one configuration of all but the last variable after the other.
    Occurring {
        /// The counts.
        counts: &'a [u32],
        /// For each configuration that occurs where its counts end, and their sum.
        rows: &'a [(u32, u32)],
    },
}

/// What can count families: a table, or many that lie elsewhere and are summed.
pub trait Count {
    /// How many states every variable has.
    fn states(&self) -> &[usize];

    /// How many rows there are.
    fn rows(&self) -> usize;

    /// The cells of each family.
    fn count(&mut self, families: &[&[usize]]) -> Vec<Cells>;

    /// Counts without keys, for whoever only sums over them. Without heads: those of the family `tail`. With heads: for each, those of
    /// the family that has it before the tail; one with more than [`MOST_CELLS`] cells is passed over.
    ///
    /// `see` gets the place of the head and the counts, in the order of cells: all states of the head times all states of the last
    /// variable, times the configurations of the others that occur, and perhaps some that do not. How many passes over the rows
    /// that is worth comes back: a measure of work that is the same on every machine.
    ///
    /// A search asks this so often that making keys would take longer than counting; that is why [`Counter`] has its own way.
    fn tally(&mut self, tail: &[usize], heads: &[usize], see: &mut dyn FnMut(usize, &[u32])) -> usize {
        tally_cells(self, tail, heads, see)
    }

    /// The same, and where heads have many cells only those that occur are shown.
    fn tally_occurring(
        &mut self,
        tail: &[usize],
        heads: &[usize],
        see: &mut dyn FnMut(usize, Counts<'_>),
    ) -> usize {
        self.tally(tail, heads, &mut |place, counts| see(place, Counts::All(counts)))
    }

    /// How many cells of a tail there are beside which heads are tallied, for [`passes`].
    fn cells_beside(&mut self, _tail: &[usize]) -> usize {
        1
    }

    /// Hears which families will be asked for next, in their order (a head stands first): far away many are counted as quickly as one.
    fn foresee(&mut self, _families: Vec<Vec<usize>>) {}
}

/// [`Count::tally`] for whoever counts cells with their keys.
fn tally_cells<C: Count + ?Sized>(
    count: &mut C,
    tail: &[usize],
    heads: &[usize],
    see: &mut dyn FnMut(usize, &[u32]),
) -> usize {
    let families: Vec<Vec<usize>> = heads.iter().map(|&head| [&[head], tail].concat()).collect();
    let families: Vec<&[usize]> = [tail].into_iter().chain(families.iter().map(Vec::as_slice)).collect();
    let cells = count.count(&families);
    let (states, last) = (count.states(), count.states()[tail[tail.len() - 1]]);
    let occurring: Vec<&[u8]> = cells[0].configurations(last).map(|(key, _)| key).collect();
    if heads.is_empty() {
        see(0, &cells[0].laid_out(None, &occurring, last));
        return 1;
    }
    let slice = occurring.len() * last;
    let (mut rest, mut passes) = (heads, 0);
    while !rest.is_empty() {
        let place = heads.len() - rest.len();
        let (group, after) = rest.split_at(together(rest, slice, |head| states[head]));
        rest = after;
        if slice.saturating_mul(states[group[0]]) > MOST_CELLS {
            continue;
        }
        for (member, &head) in group.iter().enumerate() {
            let counts = cells[place + member + 1].laid_out(Some(states[head]), &occurring, last);
            see(place + member, &counts);
        }
        passes += 1;
    }
    passes
}

/// How many passes over the rows it is worth to tally heads of so many states beside a tail of so many cells: those with few cells go together.
pub fn passes(tail: usize, heads: impl Iterator<Item = usize>) -> usize {
    let (mut passes, mut cells) = (0, usize::MAX);
    for states in heads {
        cells = cells.saturating_mul(states);
        if cells > FEW_CELLS {
            cells = tail.saturating_mul(states);
            passes += usize::from(cells <= MOST_CELLS);
        }
    }
    passes
}

/// How many of the heads, from the first on, are tallied in one pass: as many as have few cells together.
fn together(heads: &[usize], slice: usize, states: impl Fn(usize) -> usize) -> usize {
    let mut cells = slice;
    let few = |&&head: &&usize| {
        cells = cells.saturating_mul(states(head));
        cells <= FEW_CELLS
    };
    heads.iter().take_while(few).count().max(1)
}
