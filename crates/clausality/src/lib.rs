//! Learning Bayesian networks with Tsetlin machines.
#![forbid(unsafe_code)]
#![deny(clippy::print_stdout, clippy::print_stderr)] // doors do the talking

pub mod assemble;
pub mod candidates;
pub mod data;
pub mod embedded;
pub mod encode;
mod error;
pub mod learn;
pub mod model;
mod names;
pub mod rules;
pub mod run;
pub mod settings;
pub mod strengths;
pub mod synthetic;
pub mod tell;
pub mod validate;
pub mod watch;
pub mod words;

pub use clausality_bn as bn;
pub use clausality_tm as tm;
pub use data::{Bounds, Frame, Input};
pub use error::{Advice, Error, ErrorClass, Place};
pub use learn::{Learned, learn, learn_from, strengths_from};
pub use names::closest;
pub use settings::{Profile, Settings};
pub use strengths::Strengths;
pub use watch::{Event, Stage, Unwatched, Watch};
