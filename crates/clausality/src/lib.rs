//! Bayesian networks you can read, question and trust, learned with Tsetlin machines.
//!
//! A table in, a network out, and questions by name:
//!
//! ```
//! use clausality::{Frame, Settings, learn};
//!
//! # fn main() -> Result<(), clausality::Error> {
//! let day = |k: u32| k * 7919 % 400; // a path such as "customers.csv" will do as well
//! let people = Frame::new("people")
//!     .with("Age", (0..400).map(|k| f64::from(18 + day(k) % 60)).collect::<Vec<_>>())
//!     .with("Member", (0..400).map(|k| day(k) % 7 < 3).collect::<Vec<_>>())
//!     .with("Exited", (0..400).map(|k| if day(k) % 60 > 27 { "yes" } else { "no" }).collect::<Vec<_>>());
//! let run = learn(&people, &Settings::default())?;
//! let exited = run.model().posterior("Exited", &[("Age", "51")])?; // 51 is read as the table's ages were
//! assert!(exited["yes"] > 0.8 && !run.arcs.is_empty());
//! # Ok(())
//! # }
//! ```
//!
//! [`Settings`] hold everything that may be chosen: how the table is read, roles and rules, machines, assembler, score. They
//! are the flags of the command line and the fields of a configuration file under the same names, so that
//! `serde_json::from_str::<Settings>(r#"{"forbid": ["Exited>Age"], "seed": 7}"#)` says the same everywhere, and the same settings give
//! the same network here as there, to the last byte.
//!
//! | you want | ask |
//! |---|---|
//! | to see what became of the columns | [`data::inspect`], [`data::Dataset::report`] |
//! | strengths alone | [`strengths_from`] |
//! | a network from a table | [`learn()`]; with bounds on memory and somebody who watches: [`learn_from`] |
//! | the probabilities of a structure you have | [`model::fit`] |
//! | posteriors, interventions, most probable states | [`model::Model::posterior`], [`model::Model::question`] |
//! | how well a column can be predicted | [`evaluate::evaluate`] |
//! | predictions and surprising rows | [`model::Model::predict`], [`model::Model::score`] |
//! | what gaps say, and gaps filled | [`gaps::look`], [`model::Model::impute`] |
//! | the rules behind a node or an arc | [`run::RunFolder::explain_node`], [`run::RunFolder::explain_arc`] |
//! | a run again with arcs turned, removed, required or forbidden | [`revise::revise`] |
//! | a run folder, a page, a picture | [`tell::save`], [`tell::files`], [`tell::report`], [`tell::picture`] |
//! | networks in files | [`model::Model::read`], [`model::FileFormat`] |
//! | graphs, probability tables, inference by index | [`bn`] |
//! | the machine itself | [`tm`] |
#![forbid(unsafe_code)]
#![deny(clippy::print_stdout, clippy::print_stderr)] // doors do the talking

pub mod assemble;
pub mod candidates;
#[cfg(feature = "config")]
pub mod config;
pub mod data;
pub mod elsewhere;
pub mod embedded;
pub mod encode;
mod error;
pub mod evaluate;
pub mod folder;
pub mod gaps;
pub mod learn;
pub mod memory;
pub mod model;
mod names;
pub mod revise;
pub mod rules;
pub mod run;
pub mod settings;
pub mod shards;
pub mod strengths;
pub mod synthetic;
pub mod tell;
pub mod time;
pub mod validate;
pub mod votes;
pub mod watch;
pub mod words;

pub use clausality_bn as bn;
pub use clausality_tm as tm;
pub use data::{Bounds, Frame, Input};
pub use error::{Advice, Error, ErrorClass, Place};
pub use learn::{Learned, learn, learn_from, learn_keeping, strengths_from, strengths_keeping};
pub use names::{closest, meant};
pub use settings::{Profile, Settings};
pub use strengths::Strengths;
pub use watch::{Event, Stage, Unwatched, Watch};
