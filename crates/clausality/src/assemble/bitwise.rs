//! Families with few cells counted by bits: every state of a variable is a column of bits, a cell is an AND of columns, a count a
//! population count.
//!
//! A row is a bit here, so a pass over the rows takes as long as one over their 64th part in words, times the cells. Up to some dozens
//! of cells that is quicker by far than looking up the cell of each row; what has more cells is counted row by row.
//!
//! The counts are those of [`Counter`], in the same order, and how much work they are worth is told as it tells it.

use crate::memory::product;
use clausality_bn::counts::{Cells, Count, Counter, Counts, passes};
use clausality_bn::{MISSING, Table};
use clausality_tm::Ones;
use std::sync::OnceLock;

/// A variable with more states is counted row by row.
const MOST_STATES: usize = 8;
/// A tail with more cells is, too, and one whose cells take more words than a cache has.
const MOST_CELLS: usize = 256;
const MOST_WORDS: usize = 1 << 19;

/// What counting a table by bits holds: the states of all variables, and once for all cores; then for each core, at the most, the cells of a family
/// and those on the way there.
pub(super) fn bytes(table: &Table, cores: usize) -> u64 {
    let (schema, words) = (table.schema(), table.rows().div_ceil(64));
    let few = |states: &usize| *states <= MOST_STATES;
    let states: usize = (0..schema.len()).map(|v| schema.cardinality(v)).filter(few).sum();
    let cells = (MOST_CELLS * words).min(MOST_WORDS);
    product(&[states, words, 8]).saturating_add(product(&[cores, 2 * cells, 8]))
}

/// The states of every variable as columns of bits, each made when it is first asked for. All together they take half of what the literals of the
/// machines took before.
pub(super) struct StateBits {
    words: usize,
    columns: Vec<OnceLock<Vec<u64>>>,
}

impl StateBits {
    pub(super) fn new(variables: usize, rows: usize) -> Self {
        // Whole registers, however wide.
        let words = rows.div_ceil(512) * 8;
        StateBits { words, columns: (0..variables).map(|_| OnceLock::new()).collect() }
    }

    /// The columns of a variable's states, one behind the other.
    fn of(&self, variable: usize, codes: &[u8], states: usize) -> &[u64] {
        self.columns[variable].get_or_init(|| {
            let mut bits = vec![0; states * self.words];
            for (row, &code) in codes.iter().enumerate() {
                bits[usize::from(code) * self.words + row / 64] |= 1 << (row % 64);
            }
            bits
        })
    }
}

/// Counts a table; families with gaps are counted row by row.
#[derive(Clone)]
pub(super) struct Bitwise<'t> {
    by_row: Counter<'t>,
    codes: Vec<&'t [u8]>,
    /// The variables that bits count: those with few states and without gaps.
    counted: Vec<bool>,
    bits: &'t StateBits,
    ones: Ones,
    /// The family whose cells are laid out: configurations that occur, times the states of its last variable.
    tail: Vec<usize>,
    cells: Vec<u64>,
    sums: Vec<u32>,
    /// Cells on the way there, and the counts of one head.
    wider: Vec<u64>,
    counts: Vec<u32>,
}

impl<'t> Bitwise<'t> {
    /// Counts the columns that `by_row` counts.
    pub(super) fn new(by_row: Counter<'t>, codes: Vec<&'t [u8]>, bits: &'t StateBits) -> Self {
        let few = |(codes, &states): (&&[u8], &usize)| states <= MOST_STATES && !codes.contains(&MISSING);
        let counted = codes.iter().zip(by_row.states()).map(few).collect();
        let (tail, cells, sums, wider, counts) = Default::default();
        Bitwise { by_row, codes, counted, bits, ones: Ones::here(), tail, cells, sums, wider, counts }
    }

    fn states_of(&self, variable: usize) -> usize {
        self.by_row.states()[variable]
    }

    /// Lays out the cells of a family; false where they are too many.
    fn lay(&mut self, tail: &[usize]) -> bool {
        if self.tail == tail {
            return true;
        }
        let possible = tail.iter().fold(1usize, |n, &v| n.saturating_mul(self.states_of(v)));
        let words = self.bits.words;
        let too_many = possible > MOST_CELLS || possible * words > MOST_WORDS;
        if too_many || !tail.iter().all(|&v| self.counted[v]) {
            return false;
        }
        let (&node, others) = tail.split_last().expect("a family has a node");
        self.cells.clear();
        self.cells.resize(words, u64::MAX);
        for &v in others {
            self.split(v, false);
        }
        self.sums.clear();
        self.split(node, true);
        self.tail.clear();
        self.tail.extend_from_slice(tail);
        true
    }

    /// Splits every cell by the states of a variable; those that are empty are left out unless all are to be kept and counted.
    fn split(&mut self, variable: usize, all: bool) {
        let (words, states) = (self.bits.words, self.states_of(variable));
        let columns = self.bits.of(variable, self.codes[variable], states);
        self.wider.clear();
        self.counts.resize(states, 0);
        for cell in self.cells.chunks_exact(words) {
            self.ones.shared(columns, cell, &mut self.counts);
            for (column, &count) in columns.chunks_exact(words).zip(&self.counts) {
                if all || count > 0 {
                    self.wider.extend(column.iter().zip(cell).map(|(a, b)| a & b));
                }
            }
            if all {
                self.sums.extend(&self.counts);
            }
        }
        std::mem::swap(&mut self.cells, &mut self.wider);
    }
}

impl Count for Bitwise<'_> {
    fn states(&self) -> &[usize] {
        self.by_row.states()
    }

    fn rows(&self) -> usize {
        self.by_row.rows()
    }

    fn count(&mut self, families: &[&[usize]]) -> Vec<Cells> {
        self.by_row.count(families)
    }

    fn cells_beside(&mut self, tail: &[usize]) -> usize {
        if self.rows() > 0 && self.lay(tail) { self.sums.len() } else { self.by_row.cells_beside(tail) }
    }

    fn tally(&mut self, tail: &[usize], heads: &[usize], see: &mut dyn FnMut(usize, &[u32])) -> usize {
        self.by_row.tally(tail, heads, see)
    }

    fn tally_occurring(
        &mut self,
        tail: &[usize],
        heads: &[usize],
        see: &mut dyn FnMut(usize, Counts<'_>),
    ) -> usize {
        if self.rows() == 0 || !self.lay(tail) {
            return self.by_row.tally_occurring(tail, heads, see);
        }
        if heads.is_empty() {
            see(0, Counts::All(&self.sums));
            return 1;
        }
        let (words, cells) = (self.bits.words, self.sums.len());
        let states = |head: &usize| self.states_of(*head);
        let worth = passes(cells, heads.iter().map(states));
        let is_wide = |&place: &usize| !self.counted[heads[place]];
        let (wide, narrow): (Vec<usize>, Vec<usize>) = (0..heads.len()).partition(is_wide);
        let counted: usize = narrow.iter().map(|&place| (states(&heads[place]) - 1) * cells * words).sum();
        let by_row = passes(cells, narrow.iter().map(|&place| states(&heads[place])));
        if counted > by_row * self.rows() * self.ones.words_a_row() {
            return self.by_row.tally_occurring(tail, heads, see);
        }
        for place in narrow {
            let head = heads[place];
            let states = self.states_of(head);
            let columns = self.bits.of(head, self.codes[head], states);
            self.counts.clear();
            self.counts.resize(states * cells, 0);
            let (first, last) = self.counts.split_at_mut((states - 1) * cells);
            last.copy_from_slice(&self.sums);
            for (column, counts) in columns.chunks_exact(words).zip(first.chunks_exact_mut(cells)) {
                self.ones.shared(&self.cells, column, counts);
                last.iter_mut().zip(counts).for_each(|(left, n)| *left -= *n);
            }
            see(place, Counts::All(&self.counts));
        }
        if !wide.is_empty() {
            let heads: Vec<usize> = wide.iter().map(|&place| heads[place]).collect();
            self.by_row.tally_occurring(tail, &heads, &mut |at, counts| see(wide[at], counts));
        }
        worth
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{bn, embedded};

    #[test]
    fn bits_count_what_rows_count() {
        for (name, rows) in [("child", 700), ("alarm", 64), ("asia", 5000), ("insurance", 1)] {
            let table = bn::sample(&embedded::network(name).unwrap(), rows, 3);
            let m = table.schema().len();
            let bits = StateBits::new(m, rows);
            let mut by_row = Counter::new(&table).unwrap();
            let codes = (0..m).map(|v| table.column(v)).collect();
            let mut by_bits = Bitwise::new(by_row.clone(), codes, &bits);
            let mut stream = bn::random::Stream::new(1, name);
            for _ in 0..300 {
                let mut tail: Vec<usize> =
                    (0..1 + stream.below(4)).map(|_| stream.below(m as u64) as usize).collect();
                tail.dedup();
                let heads: Vec<usize> =
                    (0..stream.below(9)).map(|_| stream.below(m as u64) as usize).collect();
                let r = table.schema().cardinality(tail[tail.len() - 1]);
                // Configurations that do not occur may be there or not.
                let rows = |counts: &[u32]| -> Vec<Vec<u32>> {
                    let some = |row: &[u32]| row.iter().copied().filter(|&n| n > 0).collect::<Vec<u32>>();
                    counts.chunks(r).map(some).filter(|row| !row.is_empty()).collect()
                };
                let (mut one, mut other) = (vec![], vec![]);
                let by_row =
                    by_row.tally(&tail, &heads, &mut |place, counts| one.push((place, rows(counts))));
                let by_bits = by_bits.tally_occurring(&tail, &heads, &mut |place, counts| {
                    let counts = match counts {
                        Counts::All(counts) => rows(counts),
                        // Counted row by row.
                        Counts::Occurring { counts, rows } => {
                            let starts = [0].into_iter().chain(rows.iter().map(|row| row.0 as usize));
                            starts
                                .zip(rows)
                                .map(|(start, row)| counts[start..row.0 as usize].to_vec())
                                .collect()
                        }
                    };
                    other.push((place, counts));
                });
                other.sort();
                assert_eq!((one, by_row), (other, by_bits), "{name} {tail:?} {heads:?}");
            }
            assert!(bits.columns.iter().any(|column| column.get().is_some()));
        }
    }

    /// 200,000 rows are 3,136 words: a tail of eight cells is laid out, one of 256 would take six megabytes and is counted row by row.
    #[test]
    fn what_a_cache_does_not_hold_is_not_laid_out() {
        let (rows, m) = (200_000, 8);
        let columns = (0..m).map(|v| (0..rows).map(|row| (row >> v & 1) as u8).collect()).collect();
        let variable = |v: usize| bn::Variable::new(format!("v{v}"), ["no", "yes"]);
        let table =
            bn::Table::new(bn::Schema::new((0..m).map(variable).collect()).unwrap(), columns).unwrap();
        let bits = StateBits::new(m, rows);
        let codes = (0..m).map(|v| table.column(v)).collect();
        let mut counted = Bitwise::new(Counter::new(&table).unwrap(), codes, &bits);
        let all: Vec<usize> = (0..m).collect();
        assert!(counted.lay(&all[..3]) && !counted.lay(&all));
        let mut cells = 0;
        counted.tally_occurring(&all, &[], &mut |_, counts| {
            cells = match counts {
                Counts::All(counts) => counts.iter().filter(|n| **n > 0).count(),
                Counts::Occurring { counts, .. } => counts.len(),
            };
        });
        assert!(cells == 256 && counted.cells.len() <= MOST_WORDS);
    }
}
