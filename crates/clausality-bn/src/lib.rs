//! Discrete Bayesian networks: what they are made of, independent of how they are learned.
//!
//! The room knows schemas, tables of codes, graphs, probability tables, files and pictures. It knows no Tsetlin machine and no
//! search over structures.
#![forbid(unsafe_code)]
#![deny(clippy::print_stdout, clippy::print_stderr)] // doors do the talking

pub mod compare;
pub mod counts;
mod cpdag;
mod cpt;
mod dag;
pub mod draw;
pub mod dynamic;
pub mod effects;
pub mod em;
mod error;
mod estimate;
pub mod independence;
pub mod infer;
pub mod insight;
pub mod io;
mod likelihood;
pub mod math;
mod network;
pub mod random;
mod sample;
mod schema;
pub mod score;
mod table;

pub use cpdag::{Join, Pdag};
pub use cpt::{Cpt, DEFAULT_TABLE_BYTES, ROW_TOLERANCE};
pub use dag::{Cycle, Dag};
pub use error::{Error, shown};
pub use estimate::{Backing, Family, Prior, probabilities};
pub use likelihood::Likelihood;
pub use network::Network;
pub use sample::{Sampler, sample, sample_unless};
pub use schema::{MAX_STATES, Scale, Schema, Variable};
pub use score::{Score, Scorer};
pub use table::{MISSING, Table};
