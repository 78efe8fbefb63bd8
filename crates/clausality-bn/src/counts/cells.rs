//! The cells of a family that occur, by the codes of their states.

use serde::{Deserialize, Serialize};
use std::cmp::Ordering;

/// How many rows fall into each cell of a family: only cells that occur, in ascending order, the last variable varying fastest.
///
/// A cell's key is the codes of its variables. It means the same in every part of a table, so parts can be added up. Memory grows
/// with the rows and never with the number of possible cells.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Unchecked")]
pub struct Cells {
    /// How many variables the family has.
    variables: usize,
    /// The keys one after the other.
    keys: Vec<u8>,
    counts: Vec<u64>,
}

/// Cells as they were sent, before they are believed.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Unchecked {
    variables: usize,
    keys: Vec<u8>,
    counts: Vec<u64>,
}

impl TryFrom<Unchecked> for Cells {
    type Error = &'static str;
    fn try_from(Unchecked { variables, keys, counts }: Unchecked) -> Result<Self, Self::Error> {
        let whole = variables > 0 && Some(keys.len()) == variables.checked_mul(counts.len());
        if !whole || !keys.chunks_exact(variables).is_sorted_by(|a, b| a < b) {
            return Err("the cells of a family are not whole");
        }
        Ok(Cells { variables, keys, counts })
    }
}

impl Cells {
    /// No cells yet of a family of so many variables.
    pub fn new(variables: usize) -> Self {
        Cells { variables, keys: vec![], counts: vec![] }
    }

    /// Adds rows to a cell that is not before the last one so far.
    pub fn push(&mut self, key: &[u8], rows: u64) {
        let last = self.keys.len().saturating_sub(self.variables);
        match self.counts.last_mut() {
            Some(count) if self.keys[last..] == *key => *count += rows,
            _ => {
                debug_assert!(
                    key.len() == self.variables && (self.keys.is_empty() || self.keys[last..] < *key)
                );
                self.keys.extend_from_slice(key);
                self.counts.push(rows);
            }
        }
    }

    /// Adds what was counted of the same family in other rows.
    pub fn add(&mut self, other: &Cells) {
        let before = std::mem::replace(self, Cells::new(self.variables));
        let (mut ours, mut theirs) = (before.iter().peekable(), other.iter().peekable());
        loop {
            let order = match (ours.peek(), theirs.peek()) {
                (None, None) => break,
                (Some(_), None) => Ordering::Less,
                (None, Some(_)) => Ordering::Greater,
                (Some(a), Some(b)) => a.0.cmp(b.0),
            };
            let next = if order.is_le() { ours.next() } else { theirs.next() };
            next.iter().for_each(|(key, rows)| self.push(key, *rows));
        }
    }

    /// How many variables the family has.
    pub fn variables(&self) -> usize {
        self.variables
    }

    /// How many cells occur.
    pub fn len(&self) -> usize {
        self.counts.len()
    }

    /// Whether no row was counted.
    pub fn is_empty(&self) -> bool {
        self.counts.is_empty()
    }

    /// How many rows were counted.
    pub fn rows(&self) -> u64 {
        self.counts.iter().sum()
    }

    /// The cells with their rows, ascending.
    pub fn iter(&self) -> impl Iterator<Item = (&[u8], u64)> {
        (0..self.len()).map(|i| (&self.keys[i * self.variables..][..self.variables], self.counts[i]))
    }

    /// The configurations of all variables but the last that occur, ascending, with the rows of each state of the last, of which
    /// there are so many.
    pub fn configurations(&self, states: usize) -> impl Iterator<Item = (&[u8], Vec<u64>)> {
        let mut cells = self.iter().peekable();
        let others = self.variables - 1;
        std::iter::from_fn(move || {
            let configuration = &cells.peek()?.0[..others];
            let mut counts = vec![0; states];
            while let Some((key, rows)) = cells.next_if(|(key, _)| key[..others] == *configuration) {
                counts[usize::from(key[others])] = rows;
            }
            Some((configuration, counts))
        })
    }

    /// The counts in the order of cells, also of cells that do not occur: of a head with so many states if the family has one, of
    /// these configurations, and of the last variable, which has `last` states. A table that may be tallied has no count above 32 bits.
    pub(super) fn laid_out(&self, head: Option<usize>, configurations: &[&[u8]], last: usize) -> Vec<u32> {
        let mut counts = vec![0; head.unwrap_or(1) * configurations.len() * last];
        for (key, rows) in self.iter() {
            let (slow, rest) = key.split_at(usize::from(head.is_some()));
            let slow = slow.iter().map(|&code| usize::from(code) * configurations.len()).sum::<usize>();
            let (configuration, state) = rest.split_at(rest.len() - 1);
            if let Ok(place) = configurations.binary_search(&configuration) {
                counts[(slow + place) * last + usize::from(state[0])] = rows as u32;
            }
        }
        counts
    }
}
