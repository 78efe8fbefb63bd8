//! The rows without which a column could be taken for another: they are held whatever others are let go.

use super::{Cells, Column};
use crate::data::cells::date;
use crate::data::cells::marks::Marks;
use crate::data::cells::number::Numeral;
use serde::{Deserialize, Serialize};
use std::mem;

/// So many different texts of a column have a row of their own among those that are held: more than a variable can have states.
pub(in crate::data) const TOLD: usize = 256;

/// What the rows that are held tell of a column already.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
pub(in crate::data) struct Known {
    pub(in crate::data) words: usize,
    text: bool,
    infinite: bool,
    /// A text that is no date.
    word: bool,
}

impl Column {
    /// Shows the rows from one on without which the column could be taken for another: the first of each of its first texts, the first that
    /// is no number, the first that is no date either, the first infinite one.
    pub(in crate::data) fn telling(
        &self,
        start: usize,
        known: &mut Known,
        marks: &Marks,
        mut see: impl FnMut(usize),
    ) {
        let first_text = self.has_text && !mem::replace(&mut known.text, self.has_text);
        let infinite = self.infinite.is_some();
        let first_infinite = infinite && !mem::replace(&mut known.infinite, infinite);
        match &self.cells {
            Cells::Words { words, codes } => {
                let numbers = || (start..).zip(codes.iter().skip(start));
                let (mut next, told) = (known.words as u32, words.len().min(TOLD) as u32);
                if next < told && !self.by_value {
                    // Numbers follow first appearance.
                    for (row, number) in numbers() {
                        if number == next && next < told {
                            see(row);
                            next += 1;
                        }
                    }
                }
                known.words = known.words.max(words.len());
                // Later ones are dates as the first was: one word makes names of all.
                if self.has_text && !self.by_value && !known.word {
                    let first = self.first_word(start, marks);
                    known.word = first.is_some();
                    first.into_iter().for_each(&mut see);
                }
                for (asked, kind) in [(first_text, Numeral::Other), (first_infinite, Numeral::Infinite)] {
                    let is_kind = |&(_, number): &(usize, u32)| {
                        let word = words.word(number as usize);
                        self.numeral(word) == kind && !self.is_gap(word, marks)
                    };
                    let first = asked.then(|| numbers().find(is_kind)).flatten();
                    first.into_iter().for_each(|(row, _)| see(row));
                }
            }
            Cells::Numbers { values, .. } if first_infinite => {
                let first = values.iter().skip(start).position(f64::is_infinite);
                first.into_iter().for_each(|place| see(start + place));
            }
            Cells::Numbers { .. } | Cells::Nothing => {}
        }
    }

    /// The first row from one on with a text that is neither number nor date.
    fn first_word(&self, start: usize, marks: &Marks) -> Option<usize> {
        let Cells::Words { words, codes } = &self.cells else { return None };
        let mut looked_at = vec![false; words.len()];
        let mut is_word = |number: u32| {
            let word = words.word(number as usize);
            !mem::replace(&mut looked_at[number as usize], true)
                && self.numeral(word) == Numeral::Other
                && !date::is_any(word)
                && !self.is_gap(word, marks)
        };
        (start..).zip(codes.iter().skip(start)).find(|&(_, number)| is_word(number)).map(|(row, _)| row)
    }
}
