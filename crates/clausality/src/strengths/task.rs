//! The unit of work: a machine for (target, model, round), and what is kept of it.
//!
//! A fit is a function of its task, the coded table, the settings and the seed. So it may be made anywhere and at any time,
//! and what is merged from all of them, in the order of the tasks, does not tell where, when or in which company they were
//! made.

use super::signal::Verdict;
use clausality_bn::random::Stream;
use serde::{Deserialize, Serialize};
use std::fmt;

/// Which machine: everything that its random choices depend on beside the seed. Fits are merged in the order of their tasks.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Task {
    /// The variable that is predicted, by its name.
    pub target: String,
    /// Whether its classes are dealt to the rows at random, to see what chance gives.
    pub null: bool,
    /// The machine's place among those that vote, from 0.
    pub model: usize,
    /// The round, from 0.
    pub round: usize,
}

impl Task {
    /// The stream of this task's random choices of one kind. A stream is known by the master seed and a name; zero bytes join
    /// the parts of the name, so two tasks never share one.
    pub(super) fn stream(&self, seed: u64, kind: &str) -> Stream {
        let Task { target, null, model, round } = self;
        let sort = if *null { "null" } else { "true" };
        Stream::new(seed, &format!("strengths\0{target}\0{model}\0{round}\0{sort}\0{kind}"))
    }
}

impl fmt::Display for Task {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Task { target, null, model, round } = self;
        write!(f, "target '{target}'{}, model {model}, round {round}", if *null { " permuted" } else { "" })
    }
}

/// What a task found.
///
/// Variables are known by their places in the order of *names*, literals by their numbers in the encoding, which follow that
/// order: fits are short, and the order of columns in a file leaves no trace in them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Fit {
    /// Nothing to train on: fewer than two classes have rows enough, or no feature varies.
    Nothing,
    /// What was read from the machine.
    Trained(Trained),
}

/// What was read from one machine.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Trained {
    /// The strength of every variable that the machine saw.
    pub(super) values: Vec<(u32, f64)>,
    /// The best value of a shadow, if there were any.
    pub(super) best_shadow: Option<f64>,
    /// How well it predicted the rows held out, class by class of those that took part; not asked of a permuted target.
    pub(super) verdicts: Vec<Verdict>,
    /// Its best clauses; not asked of a permuted target.
    pub(super) clauses: Vec<Spoken>,
}

/// A clause that speaks for a class.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Spoken {
    /// Literals by their numbers in the encoding.
    pub(super) literals: Vec<u32>,
    /// The class, as the target's classes are numbered.
    pub(super) class: u8,
    /// What it gives every class that the machine knew.
    pub(super) weights: Vec<(u8, i32)>,
    /// How much it matters for its class.
    pub(super) score: f64,
}

impl Fit {
    pub(super) fn trained(self) -> Option<Trained> {
        match self {
            Fit::Nothing => None,
            Fit::Trained(trained) => Some(trained),
        }
    }
}
