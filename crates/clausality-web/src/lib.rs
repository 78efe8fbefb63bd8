//! The explorer: a network on a page of its own, served to the browser of the same machine.
//!
//! ```text
//! Explored ─Documents (ready bytes)─┬─ routes ─┬─ gate ─ Server ⇄ browser
//!     └────Answers (one thread) ────┘          └─ Explorer ⇄ a notebook's kernel ⇄ its page
//! ```
//!
//! What never changes (the page, the drawing, the network, the nodes) is written once, when the server is made. Questions go to a
//! thread that keeps the compiled network between them. Every request passes the gate, which knows the hosts that may be
//! named and the secrets that let somebody in. A crowd of connections stops nobody who was let in (`crowd`, `room`, `line`). No request carries a path of a file, and nothing is written but what the user keeps with a run ([`Desk`](clausality::folder::Desk)).
//! A run may be learned again with other rules: one at a time, bounded, and called off when nobody waits for it (`revision`).
//!
//! A notebook needs no server: [`Explorer`] answers the same requests, and [`notebook_module`] is the same page as one module for it.
//!
//! The server asks the network for what [`clausality::bn::infer`] answers, and learns what [`clausality::revise`] learns; nothing is computed here.
#![forbid(unsafe_code)]
#![deny(clippy::print_stdout, clippy::print_stderr)] // doors do the talking

mod answers;
mod crowd;
mod documents;
mod error;
mod explorer;
mod gate;
mod joined;
mod line;
mod other;
mod page;
mod reply;
mod revision;
mod room;
mod routes;
mod rows;
mod secret;
mod server;
mod trial;
mod window;

pub use error::Error;
pub use explorer::{Answer, Explorer};
pub use page::notebook_module;
pub use server::{Server, Stopper};

use clausality::bn::infer::DEFAULT_BYTES;
use clausality::data::Bounds;
use clausality::model::{Model, Rows};
use clausality::run::RunFolder;
use std::path::PathBuf;

/// What is explored.
#[derive(Debug)]
pub struct Explored {
    /// The network, with the coding of its table if its maker kept one.
    pub model: Model,
    /// The model as the user named it, for the command that asks the same.
    pub argument: String,
    /// What a run says about the network: rules and strengths.
    pub run: Option<RunFolder>,
    /// Rows to look at, coded under the schema of the network, and where they are from.
    pub rows: Option<Rows>,
    /// The memory that exact inference may take, in bytes.
    pub memory_limit: u64,
    /// The seed of the samples where exact inference would take more.
    pub seed: u64,
    /// What learning the run again with other rules needs; nothing where that is not offered.
    pub again: Option<Again>,
    /// Another network to hold against it, and how the user named it.
    pub against: Option<(String, Model)>,
    /// Whether the nodes are steps of a network over time, named so (`Rain@-1`, `Rain@0`, `Rain@1`): [`DynamicModel::around_with_past`](clausality::model::DynamicModel::around_with_past).
    pub over_time: bool,
    /// The run folder that keeps scenarios and places; without one the browser does.
    pub keeps: Option<PathBuf>,
}

/// What learning again needs.
#[derive(Debug, Clone)]
pub struct Again {
    /// The file with the run's own table, if it is found. The rows of an embedded network are drawn again.
    pub table: Option<PathBuf>,
    /// What learning may take.
    pub bounds: Bounds,
}

impl Explored {
    /// A network alone.
    pub fn new(model: Model, argument: String) -> Self {
        Explored {
            model,
            argument,
            run: None,
            rows: None,
            memory_limit: DEFAULT_BYTES,
            seed: 1,
            again: None,
            against: None,
            over_time: false,
            keeps: None,
        }
    }
}
