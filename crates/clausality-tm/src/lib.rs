//! A coalesced Tsetlin machine: packed literals in, frozen clauses and weights out.
//!
//! The room knows no variable, no probability table and no file. [`Machine`] is trained on a [`BitMatrix`] of literals and
//! labels; [`ClauseSet`] is what remains: conjunctions of literals, each with a vote for every class.
//!
//! The same seed gives the same bits on every processor: see [`Path`] and the module `draws`.
//!
//! ```
//! use clausality_tm::{BitMatrix, Machine, Params};
//!
//! // The label is the exclusive or of the first two of five bits.
//! let bits = |row: usize, i: usize| row >> i & 1 == 1;
//! let rows = BitMatrix::with_negations(320, 5, bits);
//! let labels: Vec<u32> = (0..320).map(|r| (bits(r, 0) ^ bits(r, 1)) as u32).collect();
//!
//! let params = Params { clauses: 20, threshold: 15, specificity: 3.9, ..Params::default() };
//! let mut machine = Machine::new(10, 2, &params, 1)?;
//! machine.fit(&rows, &labels, 20)?;
//! let clauses = machine.clauses();
//! assert_eq!(clauses.predict(&rows)?, labels);
//! # Ok::<(), clausality_tm::Error>(())
//! ```
#![deny(unsafe_code)] // allowed in one place: the kernel
#![deny(clippy::print_stdout, clippy::print_stderr)] // doors do the talking

mod bank;
mod bits;
mod clauses;
mod draws;
mod error;
#[allow(unsafe_code)]
mod kernel;
mod machine;
mod params;
#[cfg(test)]
mod reference;
#[cfg(test)]
mod tests;

pub use bits::BitMatrix;
pub use clauses::ClauseSet;
pub use error::Error;
pub use kernel::{Ones, Path};
pub use machine::Machine;
pub use params::{MAX_THRESHOLD, Negatives, Params};
