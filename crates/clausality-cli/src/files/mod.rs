//! What is read and written: never an input written over, every file whole or not at all.

pub(crate) mod inputs;
pub(crate) mod interrupt;
pub(crate) mod networks;
pub(crate) mod output;
pub(crate) mod page;
pub(crate) mod run;
pub(crate) mod units;
