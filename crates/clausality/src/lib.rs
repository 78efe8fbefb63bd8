//! Learning Bayesian networks with Tsetlin machines.
#![forbid(unsafe_code)]

pub mod assemble;
pub mod candidates;
pub mod data;
pub mod embedded;
mod error;
pub mod model;
pub mod rules;
pub mod watch;

pub use clausality_bn as bn;
pub use clausality_tm as tm;
pub use error::{Error, ErrorClass, Place};
pub use watch::{Event, Stage, Unwatched, Watch};
