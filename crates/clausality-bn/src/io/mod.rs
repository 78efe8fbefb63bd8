//! Network files.
//!
//! Readers take the bytes of a file that is already in memory and unpacked; opening, unpacking and naming the file in
//! messages is for the caller. Every reader is linear in its input, checks sizes before it allocates, and answers
//! any bytes whatever with a network or an error that has a line and a column.

pub mod bif;

use crate::cpt::DEFAULT_TABLE_BYTES;

/// How much a reader may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// The largest input, in bytes.
    pub input_bytes: usize,
    /// The memory for all probability tables of the network together, in bytes.
    pub table_bytes: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Limits { input_bytes: 1 << 30, table_bytes: DEFAULT_TABLE_BYTES }
    }
}
