//! An even part of the rows of a table that has more than are held.
//!
//! The rows lie in stretches of `2^k`, and one of each is held: of the two that the halves of a stretch hold, the one that a bit says.
//!
//! ```text
//! row i is held at level k  ⇔  for every j = 1 … k:  bit(j, ⌊i / 2^j⌋) = ⌊i / 2^(j−1)⌋ mod 2
//! level = the least k with ⌈rows / 2^k⌉ ≤ most
//! ```
//!
//! What is held follows from the number of a row in the table and from how many there are: not from the files they lie in, nor from when
//! rows are let go, since those of a level are among those of the level before. The bits are drawn, not fixed: rows that come in
//! turns (of four quarters, of two shops) are all met.
//!
//! No state may be lost because its rows are rare. So held are also the first row of each of a column's first [`TOLD`] texts, the first text
//! among numbers, the first among dates that is none, and the first number that is infinite. These rows say what there is, and count for nothing else: they stand where something was met
//! first, not evenly.

use super::raw::{Expect, RawTable};
use crate::data::cells::codes::retain_from;
use crate::data::cells::column::{Column, Known, TOLD};
use crate::data::cells::marks::Marks;
use crate::data::cells::wire;
use crate::data::{DataSettings, Lines};
use std::collections::BTreeSet;
use std::io::{self, Read, Write};
use std::iter;

/// Which rows of a table are held.
#[derive(Debug, Clone, Default)]
pub(in crate::data) struct Drawn {
    /// The rows that were read.
    read: usize,
    level: u32,
    /// The numbers of the rows that are held, rising; empty while all are.
    numbers: Vec<u64>,
    /// Rows that are held whatever the level.
    telling: BTreeSet<u64>,
    /// What is known of every column.
    known: Vec<Known>,
    /// Bytes of the texts that were held when the last stretch ended.
    pub(in crate::data) text_bytes: usize,
    /// The places of the rows held that are none of the even part, rising, once all are read.
    pub(in crate::data) beside: Vec<usize>,
}

impl Drawn {
    /// Takes note of [`Drawn::beside`], once no more rows come.
    pub(in crate::data) fn end(&mut self) {
        let rows = self.numbers.iter().enumerate();
        self.beside = rows.filter(|&(_, &row)| !is_held(row, self.level)).map(|(place, _)| place).collect();
    }

    /// How many rows there are, if not all are held.
    pub(in crate::data) fn of(&self) -> Option<usize> {
        (self.level > 0).then_some(self.read)
    }

    /// The number in the table of a row that is held.
    pub(in crate::data) fn number(&self, place: usize) -> usize {
        self.numbers.get(place).map_or(place, |&number| number as usize)
    }

    /// The rows that were read, with those before.
    pub(in crate::data) fn read(&self) -> usize {
        self.read
    }

    /// The first row that is read is that of this number in its table, of which rows of a level are held.
    pub(in crate::data) fn begin_at(&mut self, number: usize, level: u32) {
        if self.read == 0 {
            (self.read, self.level) = (number, level);
        }
    }
}

/// The level at which about `most` of so many rows are held.
pub(in crate::data) fn level(rows: usize, most: usize) -> u32 {
    (0..).find(|&level| rows.div_ceil(1 << level) <= most).unwrap_or(0)
}

/// Lets go of rows at the end of a stretch, so that about `most` are held, and more than half as many.
pub(in crate::data) fn thin(raw: &mut RawTable, most: usize) {
    let (first, start) = (raw.drawn.read as u64, raw.settled);
    let new = first..first + (raw.rows - start) as u64;
    raw.tell(start, |row| first + (row - start) as u64);
    raw.drawn.read += raw.rows - start;
    let level = level(raw.drawn.read, most).max(raw.drawn.level);
    if level > 0 {
        let drawn = &mut raw.drawn;
        if drawn.level == 0 {
            drawn.numbers = (0..first).collect();
        }
        drawn.numbers.extend(new);
        // At the same level those before stay.
        raw.hold(if level > raw.drawn.level { 0 } else { start }, level);
    }
    raw.settled = raw.rows;
}

impl RawTable {
    /// Takes note of the rows from one on that are held whatever the level; each has a number in the table.
    fn tell(&mut self, start: usize, number: impl Fn(usize) -> u64) {
        let RawTable { columns, drawn, marks, .. } = self;
        drawn.known.resize(columns.len(), Known::default());
        for (column, known) in columns.iter().zip(&mut drawn.known) {
            column.telling(start, known, marks, |row| _ = drawn.telling.insert(number(row)));
        }
    }

    /// Of the rows from one on lets go of those that are not held at a level; all have their numbers.
    fn hold(&mut self, start: usize, level: u32) {
        let RawTable { columns, rows, drawn, lines, .. } = self;
        let stays = |row: &u64| is_held(*row, level) || drawn.telling.contains(row);
        let keep: Vec<bool> = drawn.numbers[start..].iter().map(stays).collect();
        retain_from(&mut drawn.numbers, start, &keep);
        *rows = drawn.numbers.len();
        for (column, known) in columns.iter_mut().zip(&mut drawn.known) {
            column.retain_from(start, &keep);
            if column.forget_words(*rows) {
                known.words = known.words.max(TOLD);
            }
        }
        // Lines are told of rows that are all held.
        *lines = Lines::default();
        drawn.level = level;
    }

    /// Holds what is held at a level, if that is less.
    pub(in crate::data) fn thin_to(&mut self, level: u32) {
        if level > self.drawn.level {
            if self.drawn.level == 0 {
                self.drawn.numbers = (0..self.drawn.read as u64).collect();
            }
            self.hold(0, level);
            self.settled = self.rows;
        }
    }

    /// With the rows that follow, of which those are held that are held at the same level or tell something; nothing where what a column is
    /// might hang on others.
    pub(in crate::data) fn followed_by(mut self, next: RawTable) -> Option<Self> {
        let (start, level) = (self.rows, self.drawn.level);
        let same = self.columns.len() == next.columns.len() && level == next.drawn.level;
        let pairs = self.columns.iter_mut().zip(&next.columns).zip(&next.drawn.known);
        let mut pairs = pairs.map(|((column, next), known)| column.append(next, known, &self.marks));
        if !(same && pairs.all(|appended| appended)) {
            return None;
        }
        let Drawn { read, numbers, .. } = next.drawn;
        self.tell(start, |row| numbers[row - start]);
        self.drawn.numbers.extend(numbers);
        self.drawn.read = read;
        self.hold(start, level);
        self.settled = self.rows;
        Some(self)
    }
}

impl RawTable {
    /// The rows that are held of a table, as bytes.
    pub(in crate::data) fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let Drawn { read, level, numbers, telling, known, .. } = &self.drawn;
        wire::put_bytes(out, self.first.as_bytes())?;
        [*read as u64, (*level).into(), self.rows as u64, self.columns.len() as u64]
            .into_iter()
            .try_for_each(|number| wire::put(out, number))?;
        wire::put_all(out, numbers.iter().map(|number| number.to_le_bytes()))?;
        wire::put_all(
            out,
            telling.iter().map(|number| number.to_le_bytes()).collect::<Vec<_>>().into_iter(),
        )?;
        // Of a table without rows nothing is known.
        let known = known.iter().copied().chain(iter::repeat(Known::default()));
        self.columns.iter().zip(known).try_for_each(|(column, known)| column.write(known, out))
    }

    /// The same table, which is called so now.
    pub(in crate::data) fn read(
        from: &mut dyn Read,
        name: &str,
        settings: &DataSettings,
        expect: Expect<'_>,
    ) -> io::Result<Self> {
        let first = String::from_utf8(wire::take_bytes(from)?).map_err(|_| wire::torn())?;
        let [read, level, rows, columns] = [(); 4].map(|()| wire::take(from));
        let (read, level, rows) = (read? as usize, level? as u32, rows? as usize);
        let numbers = wire::take_all(from, u64::from_le_bytes)?;
        let telling = wire::take_all(from, u64::from_le_bytes)?.into_iter().collect();
        let columns = (0..columns?).map(|_| Column::read(from, rows, expect));
        let (columns, known): (Vec<Column>, Vec<Known>) =
            columns.collect::<io::Result<Vec<_>>>()?.into_iter().unzip();
        if numbers.len() != rows {
            return Err(wire::torn());
        }
        Ok(RawTable {
            name: name.to_string(),
            first,
            columns,
            rows,
            marks: Marks::of(settings),
            lines: Lines::default(),
            again: None,
            settled: rows,
            drawn: Drawn { read, level, numbers, telling, known, ..Drawn::default() },
        })
    }
}

/// Whether a row is held at a level.
fn is_held(row: u64, level: u32) -> bool {
    (1..=level).all(|j| bit(j, row >> j) == row >> (j - 1) & 1)
}

/// A bit for a stretch of a level (the finaliser of SplitMix64).
fn bit(level: u32, stretch: u64) -> u64 {
    let mut x = stretch.wrapping_mul(64).wrapping_add(level.into()).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    x = (x ^ x >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ x >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    (x ^ x >> 31) & 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_row_of_every_stretch_is_held_and_none_comes_back() {
        for level in 1..8u32 {
            let held: Vec<u64> = (0..1 << 14).filter(|&row| is_held(row, level)).collect();
            assert_eq!(held.len(), 1 << (14 - level));
            assert!(held.iter().zip(0..).all(|(&row, stretch)| row >> level == stretch));
            assert!(held.iter().all(|&row| is_held(row, level - 1)));
            // Rows that come in turns are all met, about equally often.
            for turns in [2, 4, 7, 12] {
                let mut met = vec![0usize; turns];
                held.iter().for_each(|&row| met[row as usize % turns] += 1);
                let (mean, most) = (held.len() / turns, *met.iter().max().unwrap());
                let least = *met.iter().min().unwrap();
                let spread = 5 * (mean as f64).sqrt() as usize;
                assert!(most <= mean + spread + 1 && least + spread >= mean, "{level} {turns} {met:?}");
            }
        }
    }
}
