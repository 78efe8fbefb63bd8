//! Where a search was, so that it goes on after an interruption as if there had been none.
//!
//! A search over orders ends after so much work, and its work is what it must count: that hangs on the sets of parents it remembers. A checkpoint therefore
//! names the sets that were expanded and scored since the one before, without their figures. A search that goes on counts them again when it needs
//! them, which is no work of its own ([`Families::expand_again`](super::families::Families::expand_again)): it has then done what it would have done
//! undisturbed, and ends where that would have ended.
//!
//! Checkpoints come after so much work, never after so much time, whether anybody keeps them or not. That is to be seen only where cells are missing:
//! figures then hang on what was looked at before (module `fair`), so that at each checkpoint everything is forgotten.

use super::order::{Ordering, Setup};
use crate::Error;
use crate::folder::Kept;
use clausality_bn::random::Stream;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// What a search over orders needs to go on.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Checkpoint {
    /// With the first one: how it began.
    pub(super) begun: Option<Begun>,
    /// By node.
    pub(super) news: Vec<News>,
    pub(super) stream: Stream,
    /// The work that was done.
    pub(super) spent: u64,
    pub(super) way: Way,
}

/// What a search may do, and for every node the sets from the machines' lists with their scores.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Begun {
    pub(super) setup: Setup,
    pub(super) listed: Vec<Vec<(Scored, Vec<u32>)>>,
}

/// What was found out about one node since the last checkpoint.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct News {
    /// Whether all from before was forgotten.
    pub(super) anew: bool,
    /// The sets that were expanded.
    pub(super) expanded: Sets,
    /// Those that were scored.
    pub(super) scored: Sets,
    /// What is remembered now, in bytes.
    pub(super) held: u64,
}

/// How far a search is.
#[derive(Debug, Default, Clone, Serialize, Deserialize)]
pub(super) struct Way {
    /// The orders from which it has not begun to walk, the last first.
    pub(super) starts: Vec<Vec<usize>>,
    /// The best end of a walk.
    pub(super) best: Option<Ordering>,
    /// The walk that is not at its end.
    pub(super) walk: Option<Walk>,
}

/// How far a walk is.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Walk {
    pub(super) here: Ordering,
    pub(super) best: Ordering,
    /// Disturbances so far, and how many of the last brought nothing.
    pub(super) done: usize,
    pub(super) fruitless: usize,
}

/// Sets of nodes one behind the other: for each how many, and then which.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub(super) struct Sets(Vec<u32>);

impl Sets {
    pub(super) fn push(&mut self, set: &[u32]) {
        self.0.push(set.len() as u32);
        self.0.extend(set);
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &[u32]> {
        let mut rest = &self.0[..];
        std::iter::from_fn(move || {
            let (&length, behind) = rest.split_first()?;
            let (set, behind) = behind.split_at_checked(length as usize)?;
            rest = behind;
            Some(set)
        })
    }
}

/// A score as it is written: what cannot be has none in JSON.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
#[serde(transparent)]
pub(super) struct Scored(Option<f64>);

impl From<f64> for Scored {
    fn from(score: f64) -> Self {
        Scored((score > f64::NEG_INFINITY).then_some(score))
    }
}

impl From<Scored> for f64 {
    fn from(Scored(score): Scored) -> Self {
        score.unwrap_or(f64::NEG_INFINITY)
    }
}

/// Where the checkpoints of one search are kept; by default nowhere.
#[derive(Debug, Default)]
pub(super) struct Checkpoints<'a> {
    kept: Kept<'a>,
    name: String,
    /// How many there are.
    count: usize,
}

impl<'a> Checkpoints<'a> {
    pub(super) fn new(kept: Kept<'a>, name: String) -> Self {
        Checkpoints { kept, name, count: 0 }
    }

    pub(super) fn are_kept(&self) -> bool {
        self.kept.is_on()
    }

    pub(super) fn is_first(&self) -> bool {
        self.count == 0
    }

    /// Those that an earlier search left, the first first.
    pub(super) fn found<T: DeserializeOwned>(&mut self) -> Vec<T> {
        let found: Vec<T> = (0..).map_while(|place| self.kept.find(&self.called(place))).collect();
        self.count = found.len();
        found
    }

    /// Keeps another, if any are kept.
    pub(super) fn keep<T: Serialize>(&mut self, checkpoint: &T) -> Result<(), Error> {
        if self.are_kept() {
            self.kept.keep(&self.called(self.count), checkpoint)?;
            self.count += 1;
        }
        Ok(())
    }

    fn called(&self, place: usize) -> String {
        format!("checkpoint {place} of {}", self.name)
    }
}
