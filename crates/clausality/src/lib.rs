//! Learning Bayesian networks with Tsetlin machines.
#![forbid(unsafe_code)]
#![deny(clippy::print_stdout, clippy::print_stderr)] // doors do the talking

pub mod assemble;
pub mod bootstrap;
pub mod candidates;
pub mod data;
pub mod embedded;
pub mod encode;
mod error;
pub mod explain;
pub mod learn;
pub mod model;
pub mod network_options;
pub mod params;
pub mod picture;
pub mod report;
pub mod rules;
pub mod run;
pub mod strengths;
pub mod synthetic;
pub mod validate;
pub mod watch;
pub mod words;

pub use clausality_bn as bn;
pub use clausality_tm as tm;
pub use error::{Error, ErrorClass, Place};
pub use params::{LearnParams, Profile};
pub use strengths::Strengths;
pub use watch::{Event, Stage, Unwatched, Watch};
