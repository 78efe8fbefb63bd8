//! What may be typed: options that several commands share, and the notation of evidence.

pub(crate) mod costs;
pub(crate) mod findings;
pub(crate) mod learning;
pub(crate) mod network;
pub(crate) mod table;
pub(crate) mod target;
pub(crate) mod time;
