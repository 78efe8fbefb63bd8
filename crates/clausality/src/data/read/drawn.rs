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
//! among numbers, and the first number that is infinite.

use super::raw::RawTable;
use crate::data::Lines;
use crate::data::cells::codes::retain_from;
use crate::data::cells::column::{Known, TOLD};
use std::collections::BTreeSet;

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
}

impl Drawn {
    /// How many rows there are, if not all are held.
    pub(in crate::data) fn of(&self) -> Option<usize> {
        (self.level > 0).then_some(self.read)
    }
}

/// Lets go of rows at the end of a stretch, so that about `most` are held, and more than half as many.
pub(in crate::data) fn thin(raw: &mut RawTable, most: usize) {
    let RawTable { columns, rows, settled, drawn, lines, marks, .. } = raw;
    let (first, start) = (drawn.read as u64, *settled);
    drawn.known.resize(columns.len(), Known::default());
    for (column, known) in columns.iter().zip(&mut drawn.known) {
        column.telling(start, known, marks, |row| _ = drawn.telling.insert(first + (row - start) as u64));
    }
    drawn.read += *rows - start;
    let level = (0..).find(|&level| drawn.read.div_ceil(1 << level) <= most).unwrap_or(0);
    if level > 0 {
        if drawn.level == 0 {
            drawn.numbers = (0..first).collect();
        }
        drawn.numbers.extend(first..drawn.read as u64);
        // At the same level those before stay.
        let start = if level > drawn.level { 0 } else { start };
        let stays = |row: &u64| is_held(*row, level) || drawn.telling.contains(row);
        let keep: Vec<bool> = drawn.numbers[start..].iter().map(stays).collect();
        retain_from(&mut drawn.numbers, start, &keep);
        *rows = drawn.numbers.len();
        for (column, known) in columns.iter_mut().zip(&mut drawn.known) {
            column.retain_from(start, &keep);
            if column.forget_words(*rows) {
                known.words = TOLD;
            }
        }
        // Lines are told of rows that are all held.
        *lines = Lines::default();
        drawn.level = level;
    }
    *settled = *rows;
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
