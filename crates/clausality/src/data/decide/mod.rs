//! What every column is and what becomes of it: from raw cells to a coded table.

mod alike;
pub(in crate::data) mod bins;
mod codes;
pub(in crate::data) mod content;
mod copies;
pub(in crate::data) mod dates;
mod dummies;
mod fine;
mod form;
mod gaps;
mod groups;
mod infer;
mod lookalike;
mod marks;
pub(in crate::data) mod mdl;
pub(in crate::data) mod numbers;
pub(in crate::data) mod table;
mod twins;
pub(in crate::data) mod verdict;
mod when;
