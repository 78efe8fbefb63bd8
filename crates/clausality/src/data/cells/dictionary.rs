//! A dictionary of the distinct cells of one column, made for being asked once per cell.
//!
//! A table of entry numbers; an entry holds a 64-bit key that *is* the cell where that fits (up to eight bytes) and
//! a hash of it otherwise, so that short cells are compared without touching their text. Most columns have few words, and short ones:
//! those are found among the ones that were asked for last. The numbers follow first appearance; nothing depends on the order of
//! the slots.

use hashbrown::HashTable;

/// Distinct texts, numbered from 0 in order of first appearance.
#[derive(Debug, Default, Clone)]
pub(in crate::data) struct Dictionary {
    entries: Vec<Entry>,
    text: Vec<u8>,
    /// Entry numbers.
    slots: HashTable<u32>,
    /// Short words that were asked for last.
    recent: [Recent; RECENT],
}

/// A word of up to eight bytes, which is its key, and its number.
#[derive(Debug, Clone, Copy, Default)]
struct Recent {
    key: u64,
    /// One more than its bytes; 0 where there is none.
    length: u32,
    number: u32,
}

/// How many: a cache line or four for every column that is read.
const RECENT: usize = 16;

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
    pub(in crate::data) fn number(&mut self, word: &[u8]) -> (u32, bool) {
        self.number_of(word, head(word))
    }

    /// The same for whoever has the word's head at hand.
    #[inline]
    pub(in crate::data) fn number_of(&mut self, word: &[u8], head: u64) -> (u32, bool) {
        debug_assert!(word.len() <= MAX_WORD);
        if word.len() > 8 {
            return self.looked_up(hash(word), word);
        }
        let (length, place) = (word.len() as u32 + 1, head.wrapping_add(word.len() as u64));
        let place = (place.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 60) as usize;
        let found = self.recent[place];
        if found.key == head && found.length == length {
            return (found.number, false);
        }
        let (number, new) = self.looked_up(head, word);
        self.recent[place] = Recent { key: head, length, number };
        (number, new)
    }

    #[inline(never)]
    fn looked_up(&mut self, key: u64, word: &[u8]) -> (u32, bool) {
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

    /// Bytes of the texts.
    pub(in crate::data) fn text_bytes(&self) -> usize {
        self.text.len()
    }

    /// Bytes held. Room for texts to come takes no memory before they do.
    pub(in crate::data) fn bytes(&self) -> usize {
        self.entries.capacity() * size_of::<Entry>() + self.text.len() + self.slots.allocation_size()
    }
}

/// The first eight bytes of a word as a number; there are zeros where it has fewer. Equal heads and lengths of up to eight bytes mean
/// equal words.
pub(in crate::data) fn head(word: &[u8]) -> u64 {
    let (mut eight, length) = ([0; 8], word.len().min(8));
    eight[..length].copy_from_slice(&word[..length]);
    u64::from_le_bytes(eight)
}

/// The same of a word that begins so many bytes, where eight are at hand.
#[inline]
pub(in crate::data) fn head_of(eight: [u8; 8], length: usize) -> u64 {
    let bits = 8 * length.min(8) as u32;
    u64::from_le_bytes(eight) & !u64::MAX.checked_shl(bits).unwrap_or(0)
}

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
