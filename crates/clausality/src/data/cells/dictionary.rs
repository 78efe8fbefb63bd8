//! A dictionary of the distinct cells of one column, made for being asked once per cell.
//!
//! A table of entry numbers; an entry holds a 64-bit key that *is* the cell where that fits (up to eight bytes) and
//! a hash of it otherwise, so that short cells are compared without touching their text. The numbers follow first appearance;
//! nothing depends on the order of the slots.

use hashbrown::HashTable;

/// Distinct texts, numbered from 0 in order of first appearance.
#[derive(Debug, Default, Clone)]
pub(in crate::data) struct Dictionary {
    entries: Vec<Entry>,
    text: Vec<u8>,
    /// Entry numbers.
    slots: HashTable<u32>,
}

#[derive(Debug, Clone, Copy)]
struct Entry {
    key: u64,
    /// Where the text starts (high 40 bits) and how long it is (low 24 bits).
    span: u64,
}

/// What a span can tell; cells are shorter ([`super::MAX_CELL`]).
pub(in crate::data) const MAX_WORD: usize = (1 << 24) - 1;

impl Dictionary {
    /// How many distinct texts there are.
    pub(in crate::data) fn len(&self) -> usize {
        self.entries.len()
    }

    /// A text by its number.
    pub(in crate::data) fn word(&self, number: usize) -> &[u8] {
        let span = self.entries[number].span;
        let start = (span >> 24) as usize;
        &self.text[start..start + (span as usize & MAX_WORD)]
    }

    /// All texts in order.
    pub(in crate::data) fn iter(&self) -> impl Iterator<Item = &[u8]> {
        (0..self.len()).map(|number| self.word(number))
    }

    /// The number of a text, and whether it is new.
    #[inline]
    pub(in crate::data) fn number(&mut self, word: &[u8]) -> (u32, bool) {
        debug_assert!(word.len() <= MAX_WORD);
        let key = key(word);
        let same = |&number: &u32| {
            let entry = self.entries[number as usize];
            entry.key == key
                && entry.span as usize & MAX_WORD == word.len()
                && (word.len() <= 8 || self.word(number as usize) == word)
        };
        if let Some(&number) = self.slots.find(spread(key, word.len()) as u64, same) {
            return (number, false);
        }
        (self.insert(key, word), true)
    }

    #[cold]
    fn insert(&mut self, key: u64, word: &[u8]) -> u32 {
        let number = self.entries.len() as u32;
        self.entries.push(Entry { key, span: (self.text.len() as u64) << 24 | word.len() as u64 });
        self.text.extend_from_slice(word);
        let entries = &self.entries;
        let hash = |&number: &u32| {
            let Entry { key, span } = entries[number as usize];
            spread(key, span as usize & MAX_WORD) as u64
        };
        self.slots.insert_unique(hash(&number), number, hash);
        number
    }

    /// Bytes held.
    pub(in crate::data) fn bytes(&self) -> usize {
        self.entries.capacity() * size_of::<Entry>() + self.text.capacity() + self.slots.allocation_size()
    }
}

/// A word's key: of up to eight bytes the bytes themselves (equal keys and lengths mean equal words), else a hash.
#[inline]
fn key(word: &[u8]) -> u64 {
    let four =
        |at: usize| u64::from(u32::from_le_bytes([word[at], word[at + 1], word[at + 2], word[at + 3]]));
    match word.len() {
        0 => 0,
        n @ 1..=3 => u64::from(word[0]) | u64::from(word[n / 2]) << 8 | u64::from(word[n - 1]) << 16,
        n @ 4..=8 => four(0) | four(n - 4) << 32,
        _ => hash(word),
    }
}

#[inline]
fn hash(word: &[u8]) -> u64 {
    let mut state = word.len() as u64;
    let (chunks, _) = word.as_chunks::<8>();
    for chunk in chunks {
        state = mix(state ^ u64::from_le_bytes(*chunk), 0x9e37_79b9_7f4a_7c15);
    }
    // The last eight bytes, overlapping those before.
    match word.last_chunk::<8>() {
        Some(last) => mix(state ^ u64::from_le_bytes(*last), 0xd6e8_feb8_6659_fd93),
        None => state,
    }
}

/// Both halves of the 128-bit product, folded.
#[inline]
fn mix(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    product as u64 ^ (product >> 64) as u64
}

#[inline]
fn spread(key: u64, length: usize) -> usize {
    mix(key ^ (length as u64) << 56 ^ 0x2545_f491_4f6c_dd1d, 0x9e37_79b9_7f4a_7c15) as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    proptest! {
        #[test]
        fn numbers_follow_first_appearance(words in proptest::collection::vec("[ab\u{e9}]{0,12}", 0..300)) {
            let mut fast = Dictionary::default();
            let mut slow: BTreeMap<String, u32> = BTreeMap::new();
            for word in &words {
                let next = slow.len() as u32;
                let new = !slow.contains_key(word);
                let expected = *slow.entry(word.clone()).or_insert(next);
                prop_assert_eq!(fast.number(word.as_bytes()), (expected, new));
            }
            prop_assert_eq!(fast.len(), slow.len());
            for (word, &number) in &slow {
                prop_assert_eq!(fast.word(number as usize), word.as_bytes());
            }
        }
    }

    #[test]
    fn many_words() {
        let mut words = Dictionary::default();
        for number in 0..200_000u32 {
            assert_eq!(words.number(number.to_string().as_bytes()), (number, true));
        }
        for number in (0..200_000u32).rev() {
            assert_eq!(words.number(number.to_string().as_bytes()), (number, false));
        }
    }
}
