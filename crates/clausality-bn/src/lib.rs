//! Discrete Bayesian networks: what they are made of, independent of how they are learned.
//!
//! The room knows schemas, tables of codes, graphs, probability tables and files. It knows no Tsetlin machine and no
//! search over structures.
#![forbid(unsafe_code)]

mod cpt;
mod dag;
mod error;
pub mod io;
mod network;
pub mod random;
mod sample;
mod schema;
mod table;

pub use cpt::{Cpt, DEFAULT_TABLE_BYTES, ROW_TOLERANCE};
pub use dag::{Cycle, Dag};
pub use error::{Error, shown};
pub use network::Network;
pub use sample::{Sampler, sample};
pub use schema::{MAX_STATES, Scale, Schema, Variable};
pub use table::{MISSING, Table};
