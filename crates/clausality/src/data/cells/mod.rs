//! Cells: how they are kept as they come in, and which of them are numbers or dates.

pub(in crate::data) mod column;
pub(in crate::data) mod date;
mod dictionary;
pub(in crate::data) mod number;

pub(in crate::data) use dictionary::MAX_WORD as MAX_CELL;
