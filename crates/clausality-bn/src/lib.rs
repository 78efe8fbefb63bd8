//! Discrete Bayesian networks: what they are made of, independent of how they are learned.
//!
//! The room knows schemas, tables of codes, graphs, probability tables and files. It knows no Tsetlin machine and no
//! search over structures.
#![forbid(unsafe_code)]

mod error;
mod schema;
mod table;

pub use error::Error;
pub use schema::{Scale, Schema, Variable, MAX_STATES};
pub use table::{Table, MISSING};
