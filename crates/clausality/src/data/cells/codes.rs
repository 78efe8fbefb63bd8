//! Small numbers, one per row.

use super::wire;
use std::io::{self, Read, Write};

/// Small numbers, one per row, as wide as the largest needs.
#[derive(Debug, Clone)]
pub(in crate::data) enum Codes {
    Narrow(Vec<u8>),
    Middle(Vec<u16>),
    Wide(Vec<u32>),
}

impl Codes {
    #[inline]
    pub(in crate::data) fn push(&mut self, code: u32) {
        match self {
            Codes::Narrow(codes) if code <= u32::from(u8::MAX) => codes.push(code as u8),
            Codes::Middle(codes) if code <= u32::from(u16::MAX) => codes.push(code as u16),
            Codes::Wide(codes) => codes.push(code),
            _ => self.push_wider(code),
        }
    }

    /// The first that is too large for the width so far.
    #[cold]
    fn push_wider(&mut self, code: u32) {
        let all = self.iter().chain([code]);
        *self = match u16::try_from(code) {
            Ok(_) => Codes::Middle(all.map(|code| code as u16).collect()),
            Err(_) => Codes::Wide(all.collect()),
        };
    }

    /// The last one.
    #[cfg(feature = "batches")]
    pub(in crate::data) fn last(&self) -> Option<u32> {
        self.get(self.len().checked_sub(1)?)
    }

    /// That of a row.
    pub(in crate::data) fn get(&self, row: usize) -> Option<u32> {
        match self {
            Codes::Narrow(codes) => codes.get(row).map(|&code| code.into()),
            Codes::Middle(codes) => codes.get(row).map(|&code| code.into()),
            Codes::Wide(codes) => codes.get(row).copied(),
        }
    }

    /// How many there are.
    pub(in crate::data) fn len(&self) -> usize {
        match self {
            Codes::Narrow(codes) => codes.len(),
            Codes::Middle(codes) => codes.len(),
            Codes::Wide(codes) => codes.len(),
        }
    }

    /// All in order.
    pub(in crate::data) fn iter(&self) -> Box<dyn Iterator<Item = u32> + '_> {
        match self {
            Codes::Narrow(codes) => Box::new(codes.iter().map(|&code| code.into())),
            Codes::Middle(codes) => Box::new(codes.iter().map(|&code| code.into())),
            Codes::Wide(codes) => Box::new(codes.iter().copied()),
        }
    }

    /// How often each of the numbers below `distinct` occurs.
    pub(in crate::data) fn counts(&self, distinct: usize) -> Vec<usize> {
        fn count<T: Copy + Into<u32>>(codes: &[T], distinct: usize) -> Vec<usize> {
            let mut counts = vec![0; distinct];
            codes.iter().for_each(|&code| counts[code.into() as usize] += 1);
            counts
        }
        match self {
            Codes::Narrow(codes) => count(codes, distinct),
            Codes::Middle(codes) => count(codes, distinct),
            Codes::Wide(codes) => count(codes, distinct),
        }
    }

    /// The meaning of every row's number.
    pub(in crate::data) fn translate(&self, meanings: &[u8]) -> Vec<u8> {
        match self {
            Codes::Narrow(codes) => codes.iter().map(|&code| meanings[usize::from(code)]).collect(),
            Codes::Middle(codes) => codes.iter().map(|&code| meanings[usize::from(code)]).collect(),
            Codes::Wide(codes) => codes.iter().map(|&code| meanings[code as usize]).collect(),
        }
    }

    /// Of the rows from one on the marked ones only.
    pub(in crate::data) fn retain_from(&mut self, start: usize, keep: &[bool]) {
        match self {
            Codes::Narrow(codes) => retain_from(codes, start, keep),
            Codes::Middle(codes) => retain_from(codes, start, keep),
            Codes::Wide(codes) => retain_from(codes, start, keep),
        }
    }

    pub(in crate::data) fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        match self {
            Codes::Narrow(codes) => wire::put(out, 1).and_then(|()| wire::put_bytes(out, codes)),
            Codes::Middle(codes) => wire::put(out, 2)
                .and_then(|()| wire::put_all(out, codes.iter().map(|code| code.to_le_bytes()))),
            Codes::Wide(codes) => wire::put(out, 4)
                .and_then(|()| wire::put_all(out, codes.iter().map(|code| code.to_le_bytes()))),
        }
    }

    pub(in crate::data) fn read(from: &mut dyn Read) -> io::Result<Self> {
        match wire::take(from)? {
            1 => wire::take_bytes(from).map(Codes::Narrow),
            2 => wire::take_all(from, u16::from_le_bytes).map(Codes::Middle),
            4 => wire::take_all(from, u32::from_le_bytes).map(Codes::Wide),
            _ => Err(wire::torn()),
        }
    }

    pub(in crate::data) fn bytes(&self) -> usize {
        match self {
            Codes::Narrow(codes) => codes.capacity(),
            Codes::Middle(codes) => codes.capacity() * 2,
            Codes::Wide(codes) => codes.capacity() * 4,
        }
    }
}

/// Of the values from one on the marked ones only.
pub(in crate::data) fn retain_from<T: Copy>(values: &mut Vec<T>, start: usize, keep: &[bool]) {
    let mut end = start;
    for (place, _) in (start..).zip(keep).filter(|(_, keep)| **keep) {
        values[end] = values[place];
        end += 1;
    }
    values.truncate(end);
}

/// A list with room for so many: one that grows by and by leaves holes behind in memory.
pub(in crate::data) fn with_capacity<T>(rows: usize, values: impl Iterator<Item = T>) -> Vec<T> {
    let mut list = Vec::with_capacity(rows);
    list.extend(values);
    list
}
