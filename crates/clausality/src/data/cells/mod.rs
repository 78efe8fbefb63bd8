//! Cells: how they are kept as they come in, and which of them are numbers or dates.

pub(in crate::data) mod codes;
pub(in crate::data) mod column;
pub(in crate::data) mod date;
pub(in crate::data) mod dictionary;
pub(in crate::data) mod layout;
pub(in crate::data) mod listed;
pub(in crate::data) mod marks;
pub(in crate::data) mod number;
pub(in crate::data) mod wire;

pub(in crate::data) use dictionary::MAX_WORD;

/// The longest cell, in bytes: a value of a table, not a document. Short of 1 MiB.
pub(in crate::data) const MAX_CELL: usize = (1 << 20) - 1;
