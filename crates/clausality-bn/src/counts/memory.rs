//! The counter of a table in memory.
//!
//! Every row gets the number of its cell, digit by digit, and the numbers are counted:
//!
//! ```text
//! number(row) = (…(x_1 · r_2 + x_2) · r_3 + …) · r_k + x_k,    r_i = states of v_i
//! ```
//!
//! Numbers that grow too large are replaced by their rank among those that occur, which keeps their order. A search asks what each of
//! many heads adds to one tail: the tail is numbered once, heads with few cells are counted together in one pass, and few cells
//! have four counters each. A gap is one more state, whose cells are thrown away: a row without a value of one head still
//! counts for the others. Cost: `O(rows × variables)`.

use super::{Cells, Count, Counts, FEW_CELLS, MOST_CELLS, together};
use crate::{Error, MISSING, Table};
use std::borrow::Cow;
use std::ops::{Add, Mul};

/// Numbers are replaced by ranks before they grow beyond this.
const MOST_NUMBERS: usize = 1 << 14;
/// Up to so many numbers, or so many a row, a table of all of them is quicker than sorting.
const RANKED_BY_TABLE: (usize, usize) = (1 << 16, 16);

/// Counts families of one table again and again without allocating anew.
#[derive(Debug, Clone)]
pub struct Counter<'t> {
    /// Codes; a gap is the state after the last.
    columns: Vec<Cow<'t, [u8]>>,
    has_gaps: Vec<bool>,
    states: Vec<usize>,
    rows: usize,
    /// The number of every row; where a tail has few cells, `narrow` has it.
    numbers: Vec<u32>,
    ranks: Vec<u32>,
    /// The tail that is numbered now (none if there are none), and how many numbers it has.
    tail: Vec<usize>,
    slice: usize,
    /// Whether these are only numbers of configurations that occur.
    closed: bool,
    /// Whether cells have the same numbers whatever the rows are, so that counts of other rows can be added.
    open: bool,
    /// Where there are few cells: the number of every row, and with heads its cell.
    narrow: Vec<u16>,
    cells: Vec<u16>,
    /// Four counters of every cell.
    apart: Vec<[u32; COUNTERS]>,
    counts: Vec<u32>,
    /// The counts of heads that are counted together.
    joint: Vec<u32>,
    /// Where there are many cells: counters that are zero again after each count, a bit for each that is not, and what was counted.
    many: Vec<u32>,
    touched: Vec<u64>,
    rows_found: Vec<(u32, u32)>,
}

/// A counter for whatever a `u16` can be, so that none is out of reach; and some more, so that the counters of one cell do not
/// lie a multiple of a page apart, where a load waits for a store to any of them.
const COUNTERS: usize = (1 << 16) + 256;

/// Appends a digit of a column to every number.
fn add_digit<T: Copy + From<u8> + Mul<Output = T> + Add<Output = T>>(
    numbers: &mut [T],
    digits: &[u8],
    base: T,
) {
    numbers.iter_mut().zip(digits).for_each(|(number, &digit)| *number = *number * base + T::from(digit));
}

/// Gives the rows with a gap in a column another number.
fn set_aside<T: Copy>(numbers: &mut [T], codes: &[u8], gap: usize, aside: T) {
    let rows = numbers.iter_mut().zip(codes);
    rows.filter(|(_, code)| usize::from(**code) == gap).for_each(|(number, _)| *number = aside);
}

impl<'t> Counter<'t> {
    /// A counter for a table of at most `u32::MAX` rows.
    pub fn new(table: &'t Table) -> Result<Self, Error> {
        if u32::try_from(table.rows()).is_err() {
            return Err(Error::Rows { rows: table.rows(), max: u32::MAX as usize });
        }
        let variables = 0..table.schema().len();
        let states = variables.clone().map(|v| table.schema().cardinality(v)).collect();
        Ok(Counter::of_columns(variables.map(|v| table.column(v)).collect(), states))
    }

    /// A counter for columns of codes, each below the number of its states or [`MISSING`].
    ///
    /// # Panics
    /// If there are not as many numbers of states as columns, if columns are not of one length, or of more than `u32::MAX` rows.
    pub fn of_columns(columns: Vec<&'t [u8]>, states: Vec<usize>) -> Self {
        let rows = columns.first().map_or(0, |column| column.len());
        assert!(columns.len() == states.len() && columns.iter().all(|column| column.len() == rows));
        assert!(u32::try_from(rows).is_ok(), "more rows than numbers");
        let has_gaps: Vec<bool> = columns.iter().map(|column| column.contains(&MISSING)).collect();
        let column = |v: usize| match has_gaps[v] {
            true => {
                columns[v].iter().map(|&code| if code == MISSING { states[v] as u8 } else { code }).collect()
            }
            false => Cow::Borrowed(columns[v]),
        };
        Counter {
            columns: (0..columns.len()).map(column).collect(),
            has_gaps,
            states,
            rows,
            numbers: vec![],
            ranks: vec![],
            tail: vec![],
            slice: 0,
            closed: true,
            open: false,
            narrow: vec![],
            cells: vec![],
            apart: vec![[0; COUNTERS]; 4],
            counts: vec![],
            joint: vec![],
            many: vec![],
            touched: vec![],
            rows_found: vec![],
        }
    }

    /// With a column more for each that has gaps: of one state, and with the same gaps. Counted with others it restricts them to the
    /// rows that have a value of the first. By column, the place of that other.
    pub fn with_presence(mut self) -> (Self, Vec<Option<usize>>) {
        let mut places = vec![None; self.columns.len()];
        for (v, place) in places.iter_mut().enumerate().filter(|&(v, _)| self.has_gaps[v]) {
            *place = Some(self.columns.len());
            let gap = self.states[v];
            let present = |&code: &u8| u8::from(usize::from(code) == gap);
            self.columns.push(self.columns[v].iter().map(present).collect());
            self.states.push(1);
        }
        self.has_gaps.resize(self.columns.len(), true);
        (self, places)
    }

    /// A counter of rows that come block by block ([`Counter::load`]): the cells of a family have the same places in every block.
    pub(super) fn open(states: Vec<usize>, has_gaps: Vec<bool>) -> Counter<'static> {
        let none: Vec<&'static [u8]> = vec![&[]; states.len()];
        Counter { open: true, has_gaps, ..Counter::of_columns(none, states) }
    }

    /// Takes other rows in place of those that were there: those of the columns that will be asked for. False where they are not to be had.
    pub(super) fn load(
        &mut self,
        columns: &[usize],
        mut read: impl FnMut(usize, &mut Vec<u8>) -> bool,
    ) -> bool {
        self.tail.clear();
        for &v in columns {
            let codes = self.columns[v].to_mut();
            if !read(v, codes) {
                return false;
            }
            self.rows = codes.len();
            if self.has_gaps[v] {
                let gap = self.states[v] as u8;
                codes.iter_mut().filter(|code| **code == MISSING).for_each(|code| *code = gap);
            }
        }
        true
    }

    /// The digits that a column has.
    pub(super) fn digits(&self, variable: usize) -> usize {
        self.states[variable] + usize::from(self.has_gaps[variable])
    }

    /// Numbers the rows by the configuration of the variables; returns how many numbers there may be.
    fn number(&mut self, variables: &[usize]) -> usize {
        self.tail.clear();
        self.numbers.clear();
        let Some((&first, others)) = variables.split_first() else {
            self.numbers.resize(self.rows, 0);
            return 1;
        };
        self.numbers.extend(self.columns[first].iter().map(|&code| u32::from(code)));
        let mut numbers = self.digits(first);
        for &v in others {
            let digits = self.digits(v);
            // Numbers that occur are fewer than rows; between variables they are ranked only where they would grow too large.
            if numbers * digits > MOST_NUMBERS {
                numbers = self.rank(numbers);
            }
            if numbers * digits > RANKED_BY_TABLE.0.max(RANKED_BY_TABLE.1 * self.rows) {
                numbers = self.rank_with(v);
            } else {
                add_digit(&mut self.numbers, &self.columns[v], digits as u32);
                numbers *= digits;
            }
        }
        numbers
    }

    /// Numbers the rows by the configuration of the variables among those that occur; returns how many do, one at least.
    fn number_occurring(&mut self, variables: &[usize]) -> usize {
        let numbers = self.number(variables);
        self.rank(numbers)
    }

    /// Numbers the rows by the configuration of the variables among all that there could be; returns how many these are.
    fn number_all(&mut self, variables: &[usize]) -> usize {
        self.tail.clear();
        self.numbers.clear();
        self.numbers.resize(self.rows, 0);
        variables.iter().fold(1, |numbers, &v| {
            let digits = self.digits(v);
            add_digit(&mut self.numbers, &self.columns[v], digits as u32);
            numbers * digits
        })
    }

    /// Replaces the numbers by their ranks among those that occur; returns how many do, one at least.
    fn rank(&mut self, numbers: usize) -> usize {
        self.ranks.clear();
        self.ranks.resize(numbers, 0);
        self.numbers.iter().for_each(|&number| self.ranks[number as usize] = 1);
        let mut next = 0;
        for rank in &mut self.ranks {
            (*rank, next) = (next, next + *rank);
        }
        if (next as usize) < numbers {
            self.numbers.iter_mut().for_each(|number| *number = self.ranks[*number as usize]);
        }
        next.max(1) as usize
    }

    /// The same with a digit more, where a table of all numbers would be too large.
    fn rank_with(&mut self, variable: usize) -> usize {
        let digits = self.digits(variable) as u64;
        let columns = self.numbers.iter().zip(self.columns[variable].iter()).zip(0u32..);
        let mut order: Vec<(u64, u32)> = columns
            .map(|((&number, &digit), row)| (u64::from(number) * digits + u64::from(digit), row))
            .collect();
        order.sort_unstable();
        let mut next = 0;
        for same in order.chunk_by(|a, b| a.0 == b.0) {
            same.iter().for_each(|&(_, row)| self.numbers[row as usize] = next);
            next += 1;
        }
        next.max(1) as usize
    }

    /// Gives the rows that miss a value of the family one number of their own, after the others; returns how many numbers there are.
    fn set_aside_gaps(&mut self, family: &[usize], numbers: usize) -> usize {
        let with_gaps = || family.iter().copied().filter(|&v| self.has_gaps[v]);
        for v in with_gaps() {
            set_aside(&mut self.numbers, &self.columns[v], self.states[v], numbers as u32);
        }
        numbers + usize::from(with_gaps().next().is_some())
    }

    /// Numbers the rows by a tail, if that was not what was asked last: in 16 bits where few cells are possible, or occur. Where few
    /// are possible, those that do not occur stay for now, since without heads there is nothing to be won.
    fn lay(&mut self, tail: &[usize]) {
        if self.tail == tail {
            return;
        }
        let (&node, others) = tail.split_last().expect("a family has a node");
        let states = self.states[node];
        let possible = others.iter().fold(states, |n, &v| n.saturating_mul(self.digits(v)));
        let many = possible >= FEW_CELLS;
        self.closed = many || self.open;
        if many {
            let cells =
                states * if self.open { self.number_all(others) } else { self.number_occurring(others) };
            add_digit(&mut self.numbers, &self.columns[node], states as u32);
            self.slice = self.set_aside_gaps(tail, cells);
            if self.slice <= FEW_CELLS {
                self.narrow.clear();
                self.narrow.extend(self.numbers.iter().map(|&number| number as u16));
            }
        } else {
            self.narrow.clear();
            self.narrow.extend(self.columns[tail[0]].iter().map(|&code| u16::from(code)));
            for &v in &tail[1..] {
                let digits = if v == node { states } else { self.digits(v) };
                add_digit(&mut self.narrow, &self.columns[v], digits as u16);
            }
            self.slice = possible;
            for &v in tail.iter().filter(|&&v| self.has_gaps[v]) {
                set_aside(&mut self.narrow, &self.columns[v], self.states[v], possible as u16);
                self.slice = possible + 1;
            }
        }
        self.tail.clear();
        self.tail.extend_from_slice(tail);
    }

    /// Takes configurations that do not occur out of the numbers of the tail: the fewer cells, the more heads go together.
    fn close_up(&mut self) {
        if std::mem::replace(&mut self.closed, true) || self.rows == 0 {
            return;
        }
        self.ranks.clear();
        self.ranks.resize(self.slice, 0);
        self.narrow.iter().for_each(|&number| self.ranks[number as usize] = 1);
        let mut next = 0;
        // The number of rows with a gap is the last, and a part of its own.
        for part in self.ranks.chunks_mut(self.states[self.tail[self.tail.len() - 1]]) {
            let occurs = part.contains(&1);
            part.iter_mut().zip(next..).for_each(|(rank, number)| *rank = number);
            next += if occurs { part.len() as u32 } else { 0 };
        }
        if (next as usize) < self.slice {
            self.slice = next as usize;
            self.narrow.iter_mut().for_each(|number| *number = self.ranks[*number as usize] as u16);
        }
    }

    /// Counts the rows of every cell: the heads' joint state, then the number of the tail.
    fn fill(&mut self, heads: &[usize]) {
        let cells = heads.iter().map(|&head| self.digits(head)).product::<usize>() * self.slice;
        self.counts.clear();
        if cells <= FEW_CELLS {
            return self.fill_few(heads, cells);
        }
        self.counts.resize(cells, 0);
        let (counts, slice) = (&mut self.counts, self.slice);
        match heads {
            [head] if slice <= FEW_CELLS => {
                let cells = self.narrow.iter().zip(self.columns[*head].iter());
                cells.for_each(|(&number, &code)| counts[number as usize + code as usize * slice] += 1);
            }
            [head] => {
                let cells = self.numbers.iter().zip(self.columns[*head].iter());
                cells.for_each(|(&number, &code)| counts[number as usize + code as usize * slice] += 1);
            }
            _ => self.numbers.iter().for_each(|&number| counts[number as usize] += 1),
        }
    }

    /// Finds the cells with a head that occur, in their order: where most are empty, walking over all of them takes longer than counting.
    fn find_occurring(&mut self, head: usize) {
        let (cells, slice) = (self.states[head] * self.slice, self.slice);
        if self.many.len() < cells {
            self.many.resize(cells, 0);
            self.touched.resize(cells.div_ceil(64), 0);
        }
        let (many, touched) = (&mut self.many, &mut self.touched);
        let mut add = |cell: usize| {
            many[cell] += 1;
            touched[cell / 64] |= 1 << (cell % 64);
        };
        let codes = self.columns[head].iter();
        if slice <= FEW_CELLS {
            self.narrow.iter().zip(codes).for_each(|(&n, &code)| add(n as usize + code as usize * slice));
        } else {
            self.numbers.iter().zip(codes).for_each(|(&n, &code)| add(n as usize + code as usize * slice));
        }
        self.counts.clear();
        self.rows_found.clear();
        let states = self.states[self.tail[self.tail.len() - 1]];
        let (mut end, mut total) = (0, 0);
        for (word, bits) in self.touched[..cells.div_ceil(64)].iter_mut().enumerate() {
            let mut left = std::mem::take(bits);
            while left != 0 {
                let cell = 64 * word + left.trailing_zeros() as usize;
                left &= left - 1;
                if cell >= end {
                    if total > 0 {
                        self.rows_found.push((self.counts.len() as u32, total));
                    }
                    (end, total) = ((cell / states + 1) * states, 0);
                }
                let n = std::mem::take(&mut self.many[cell]);
                total += n;
                self.counts.push(n);
            }
        }
        if total > 0 {
            self.rows_found.push((self.counts.len() as u32, total));
        }
    }

    /// Counts four rows at a time, each with counters of its own: neighbours often fall into one cell, and an increment would
    /// wait for the one before.
    fn fill_few(&mut self, heads: &[usize], cells: usize) {
        let mut cell_of_row = &self.narrow;
        if let [first, others @ ..] = heads {
            self.cells.clear();
            self.cells.extend(self.columns[*first].iter().map(|&code| u16::from(code)));
            for &head in others {
                let digits = self.digits(head) as u16;
                add_digit(&mut self.cells, &self.columns[head], digits);
            }
            let slice = self.slice as u16;
            self.cells
                .iter_mut()
                .zip(&self.narrow)
                .for_each(|(cell, &number)| *cell = *cell * slice + number);
            cell_of_row = &self.cells;
        }
        let [first, second, third, fourth] = &mut self.apart[..] else { unreachable!("four were made") };
        for part in [&mut *first, &mut *second, &mut *third, &mut *fourth] {
            part[..cells].fill(0);
        }
        let (fours, rest) = cell_of_row.as_chunks::<4>();
        for &[a, b, c, d] in fours {
            first[a as usize] += 1;
            second[b as usize] += 1;
            third[c as usize] += 1;
            fourth[d as usize] += 1;
        }
        rest.iter().for_each(|&cell| first[cell as usize] += 1);
        let pairs = first[..cells].iter().zip(&second[..cells]);
        let others = third[..cells].iter().zip(&fourth[..cells]);
        self.counts.extend(pairs.zip(others).map(|((a, b), (c, d))| a + b + c + d));
    }

    /// The counts of one head out of those of its group.
    fn pick(&mut self, group: &[usize], member: usize) {
        let digits = self.digits(group[member]);
        let faster: usize = group[member + 1..].iter().map(|&head| self.digits(head)).product();
        self.counts.clear();
        self.counts.resize(digits * self.slice, 0);
        for slower in self.joint.chunks_exact(digits * faster * self.slice) {
            let sums = self.counts.chunks_exact_mut(self.slice);
            for (sum, parts) in sums.zip(slower.chunks_exact(faster * self.slice)) {
                for part in parts.chunks_exact(self.slice) {
                    sum.iter_mut().zip(part).for_each(|(sum, n)| *sum += n);
                }
            }
        }
    }

    /// Shows what was counted, without the rows that miss a value.
    fn show(&mut self, head: Option<usize>, place: usize, see: &mut dyn FnMut(usize, Counts<'_>)) {
        self.counts.truncate(head.map_or(1, |head| self.states[head]) * self.slice);
        if self.tail.iter().any(|&v| self.has_gaps[v]) {
            let mut at = 0;
            self.counts.retain(|_| {
                at += 1;
                at % self.slice != 0
            });
        }
        see(place, Counts::All(&self.counts));
    }

    pub(super) fn cells(&mut self, family: &[usize]) -> Cells {
        let numbers = self.number(family);
        let occurring = self.rank(numbers);
        let numbers = self.set_aside_gaps(family, occurring);
        let mut found = vec![(0u64, 0usize); numbers];
        for (row, &number) in self.numbers.iter().enumerate() {
            let (rows, any) = &mut found[number as usize];
            (*rows, *any) = (*rows + 1, row);
        }
        let mut cells = Cells::new(family.len());
        let mut key = vec![0; family.len()];
        // Some row of a cell knows its codes.
        for &(rows, row) in found[..occurring].iter().filter(|(rows, _)| *rows > 0) {
            key.iter_mut().zip(family).for_each(|(code, &v)| *code = self.columns[v][row]);
            cells.push(&key, rows);
        }
        cells
    }
}

impl Count for Counter<'_> {
    fn cells_beside(&mut self, tail: &[usize]) -> usize {
        self.lay(tail);
        self.close_up();
        self.slice
    }

    fn states(&self) -> &[usize] {
        &self.states
    }

    fn rows(&self) -> usize {
        self.rows
    }

    fn count(&mut self, families: &[&[usize]]) -> Vec<Cells> {
        families.iter().map(|family| self.cells(family)).collect()
    }

    fn tally(&mut self, tail: &[usize], heads: &[usize], see: &mut dyn FnMut(usize, &[u32])) -> usize {
        self.tally_as(tail, heads, false, &mut |place, counts| {
            if let Counts::All(counts) = counts {
                see(place, counts);
            }
        })
    }

    fn tally_occurring(
        &mut self,
        tail: &[usize],
        heads: &[usize],
        see: &mut dyn FnMut(usize, Counts<'_>),
    ) -> usize {
        self.tally_as(tail, heads, true, see)
    }
}

impl Counter<'_> {
    fn tally_as(
        &mut self,
        tail: &[usize],
        heads: &[usize],
        occurring: bool,
        see: &mut dyn FnMut(usize, Counts<'_>),
    ) -> usize {
        self.lay(tail);
        if heads.is_empty() {
            self.fill(&[]);
            self.show(None, 0, see);
            return 1;
        }
        self.close_up();
        let occurring = occurring && !tail.iter().any(|&v| self.has_gaps[v]);
        let (mut rest, mut passes) = (heads, 0);
        while !rest.is_empty() {
            let place = heads.len() - rest.len();
            let (group, after) = rest.split_at(together(rest, self.slice, |head| self.digits(head)));
            rest = after;
            if let [head] = group {
                if self.slice.saturating_mul(self.digits(*head)) > MOST_CELLS {
                    continue;
                }
                let cells = self.slice * self.digits(*head);
                if occurring && cells > FEW_CELLS && !self.has_gaps[*head] {
                    self.find_occurring(*head);
                    see(place, Counts::Occurring { counts: &self.counts, rows: &self.rows_found });
                } else {
                    self.fill(group);
                    self.show(Some(*head), place, see);
                }
            } else {
                self.fill(group);
                std::mem::swap(&mut self.counts, &mut self.joint);
                for (member, &head) in group.iter().enumerate() {
                    self.pick(group, member);
                    self.show(Some(head), place + member, see);
                }
            }
            passes += 1;
        }
        passes
    }
}
