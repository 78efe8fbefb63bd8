//! The counter of rows that lie elsewhere, in blocks.
//!
//! ```text
//! N(cell) = Σ over blocks of N(cell in the block)
//! ```
//!
//! A block is read into buffers that stay, counted as a table in memory is, and forgotten. Counts are whole numbers, so neither the size of
//! the blocks nor their order can be seen in a sum. Families with few possible cells have the same places in every block, and sums
//! are sums of lists, many families a pass over the blocks; of others the cells that occur are merged by their keys. Memory: one block of
//! the columns that are asked for, and the cells.

use super::{Cells, Count, Counter, tally_cells};
use std::fmt;

/// Cells that a family may have to be summed in place.
const IN_PLACE: usize = 1 << 20;
/// Cells of all families that are summed in one pass.
const A_PASS: usize = 1 << 22;

/// Rows that lie elsewhere.
pub trait Blocks: Sync {
    /// How many states every variable has.
    fn states(&self) -> &[usize];

    /// Which variables have gaps ([`MISSING`](crate::MISSING)).
    fn has_gaps(&self) -> &[bool];

    /// How many rows there are, at most `u32::MAX`.
    fn rows(&self) -> usize;

    /// How many blocks they lie in.
    fn blocks(&self) -> usize;

    /// Puts the codes of a variable in a block in place of what the buffer holds; each is below the number of its states, or a gap if the
    /// variable has some. False where they are not to be had: whoever keeps the blocks knows why and tells.
    fn read(&self, block: usize, variable: usize, codes: &mut Vec<u8>) -> bool;
}

/// Counts families of rows that lie elsewhere. Where a block is not to be had nothing is counted.
#[derive(Clone)]
pub struct BlockCounter<'b> {
    blocks: &'b dyn Blocks,
    counter: Counter<'static>,
}

impl fmt::Debug for BlockCounter<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "BlockCounter({} rows in {} blocks)", self.blocks.rows(), self.blocks.blocks())
    }
}

impl<'b> BlockCounter<'b> {
    /// A counter of these rows.
    pub fn new(blocks: &'b dyn Blocks) -> Self {
        let counter = Counter::open(blocks.states().to_vec(), blocks.has_gaps().to_vec());
        BlockCounter { blocks, counter }
    }

    /// Shows the columns of every block; false as soon as one is not to be had.
    fn each(&mut self, columns: &[usize], mut see: impl FnMut(&mut Counter<'static>)) -> bool {
        let BlockCounter { blocks, counter } = self;
        (0..blocks.blocks()).all(|block| {
            let loaded = counter.load(columns, |v, codes| blocks.read(block, v, codes));
            if loaded {
                see(counter);
            }
            loaded
        })
    }

    /// The cells that a family may have.
    fn possible(&self, family: &[usize]) -> usize {
        family.iter().fold(1, |cells: usize, &v| cells.saturating_mul(self.counter.digits(v)))
    }

    /// Counts families in one pass; nothing where a block is not to be had.
    fn pass(&mut self, families: &[&[usize]]) -> Option<Vec<Cells>> {
        let mut columns: Vec<usize> = families.iter().flat_map(|family| family.iter().copied()).collect();
        columns.sort_unstable();
        columns.dedup();
        let in_place: Vec<bool> = families.iter().map(|family| self.possible(family) <= IN_PLACE).collect();
        let mut sums: Vec<Vec<u32>> = vec![vec![]; families.len()];
        let mut cells: Vec<Cells> = families.iter().map(|family| Cells::new(family.len())).collect();
        let whole = self.each(&columns, |counter| {
            for (place, family) in families.iter().enumerate() {
                if in_place[place] {
                    counter.tally(family, &[], &mut |_, counts| add(&mut sums[place], counts));
                } else {
                    cells[place].add(&counter.cells(family));
                }
            }
        });
        for (place, sums) in sums.iter().enumerate().filter(|(_, sums)| !sums.is_empty()) {
            cells[place] = self.keyed(families[place], sums);
        }
        whole.then_some(cells)
    }

    /// Counts in their places as cells with their keys.
    fn keyed(&self, family: &[usize], counts: &[u32]) -> Cells {
        let (&node, others) = family.split_last().expect("a family has a node");
        let mut cells = Cells::new(family.len());
        let mut key = vec![0; family.len()];
        for (place, &rows) in counts.iter().enumerate().filter(|(_, rows)| **rows > 0) {
            let states = self.counter.states()[node];
            key[others.len()] = (place % states) as u8;
            let mut rest = place / states;
            for (code, &v) in key[..others.len()].iter_mut().zip(others).rev() {
                let digits = self.counter.digits(v);
                (*code, rest) = ((rest % digits) as u8, rest / digits);
            }
            cells.push(&key, rows.into());
        }
        cells
    }
}

/// Adds counts of the same places.
fn add(sums: &mut Vec<u32>, counts: &[u32]) {
    sums.resize(counts.len(), 0);
    sums.iter_mut().zip(counts).for_each(|(sum, count)| *sum += count);
}

impl Count for BlockCounter<'_> {
    fn states(&self) -> &[usize] {
        self.counter.states()
    }

    fn rows(&self) -> usize {
        self.blocks.rows()
    }

    fn count(&mut self, families: &[&[usize]]) -> Vec<Cells> {
        let mut found = Vec::with_capacity(families.len());
        while found.len() < families.len() {
            let rest = &families[found.len()..];
            let mut cells = 0;
            let fits = |family: &&&[usize]| {
                cells += self.possible(family).min(IN_PLACE);
                cells <= A_PASS
            };
            let group = &rest[..rest.iter().take_while(fits).count().max(1)];
            match self.pass(group) {
                Some(cells) => found.extend(cells),
                None => return families.iter().map(|family| Cells::new(family.len())).collect(),
            }
        }
        found
    }

    fn tally(&mut self, tail: &[usize], heads: &[usize], see: &mut dyn FnMut(usize, &[u32])) -> usize {
        let slice = self.possible(tail).saturating_add(1);
        let of_head = |head: &usize| slice.saturating_mul(self.counter.digits(*head));
        if heads.iter().map(of_head).chain([slice]).any(|cells| cells > IN_PLACE) {
            return tally_cells(self, tail, heads, see);
        }
        let (mut done, mut passes) = (0, 0);
        loop {
            let mut cells = 0;
            let fits = |head: &&usize| {
                cells += slice * self.counter.digits(**head);
                cells <= A_PASS
            };
            let group = &heads[done..][..heads[done..].iter().take_while(fits).count()];
            let columns: Vec<usize> = tail.iter().chain(group).copied().collect();
            let mut sums: Vec<Vec<u32>> = vec![vec![]; group.len().max(1)];
            let mut of_a_block = 0;
            let whole = self.each(&columns, |counter| {
                of_a_block = counter.tally(tail, group, &mut |place, counts| add(&mut sums[place], counts));
            });
            if !whole {
                return passes;
            }
            sums.iter().enumerate().for_each(|(place, counts)| see(done + place, counts));
            (done, passes) = (done + group.len(), passes + of_a_block);
            if done == heads.len() {
                return passes;
            }
        }
    }
}
