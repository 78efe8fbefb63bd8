//! How strongly every variable speaks about every other: the machines' answer.
//!
//! ```text
//! for every target Y, model and round:   rows → balanced sample → literals of all but Y → machine → clauses → value of f
//! for every target Y:                    S_Y[f] = merge over models and rounds;   share = S_Y[f] / Σ S_Y
//! ```
//!
//! Implements: Algorithm 1 and equation (1) of the paper (profile `paper`), context gain (profile `hybrid`, module `gain`).
//! **Our reading** of the paper: the features that are strong most often, with their part of the weight to tell equals apart:
//!
//! ```text
//! g_r[f] = Σ_n Σ_c |w_n[c]| · #{literals of f in clause c}          (1), in fit r of R = models × rounds
//! n[f]   = fits in which f is among the K strongest,  K = min(6, ⌈(M − 1)/2⌉) for M variables
//! S[f]   = n[f]/R + mean over r of g_r[f] / Σ g_r                    `votes`;   Σ over r of g_r[f] is `sum`
//! ```
//!
//! Rounds are made until a target is settled (module `settled`).
//!
//! Every (target, model, round) is a [`Task`], and its [`Fit`] follows from the task, the coded table, the settings and the
//! seed alone: every task has random streams of its own, known by those names. Fits are merged in the order of the tasks. So
//! neither the number of threads or computers nor the order of the columns nor the instruction set leaves a trace in the
//! result.

mod bench;
mod clauses;
mod gain;
mod judge;
mod merge;
mod plan;
mod result;
mod sample;
mod screen;
mod sentences;
mod settings;
mod settled;
mod shadows;
mod signal;
mod task;
mod together;
mod train;

pub use bench::Bench;
pub(crate) use plan::plan;
pub use result::{Feature, Strengths, Target, Warning, together};
pub use screen::mutual_information;
pub use sentences::{Condition, Sentence};
pub use settings::{Balance, Ensemble, MODEL_NAMES, Member, StrengthRule, StrengthSettings};
pub use signal::Accuracy;
pub use task::{Fit, Task, Trained};
pub(crate) use train::{FITS, fits_of};

use crate::Error;
use crate::folder::Kept;
use crate::time::Runs;
use crate::watch::Watch;
use clausality_bn::Table;

/// Measures how strongly every variable speaks about every other.
///
/// # Errors
/// A setting out of its range; a table with too little in it; [`Error::Cancelled`].
pub fn measure(
    table: &Table,
    settings: &StrengthSettings,
    seed: u64,
    watch: &dyn Watch,
) -> Result<Strengths, Error> {
    measure_keeping(table, None, settings, seed, Kept::default(), watch)
}

/// The same, and fits that were made before are not made again. With `runs`, of windows of rows in the order of time: only the columns of now
/// are targets, shadows are read from the same series at another time, and targets that nothing predicts get a second look (module `together`).
///
/// # Errors
/// As [`measure`].
pub(crate) fn measure_keeping(
    table: &Table,
    runs: Option<&Runs>,
    settings: &StrengthSettings,
    seed: u64,
    kept: Kept<'_>,
    watch: &dyn Watch,
) -> Result<Strengths, Error> {
    let bench = Bench { runs, ..Bench::new(table, settings, seed, watch)? };
    let found = bench.merge(bench.fit_left(kept, watch)?)?;
    match runs {
        Some(runs) => together::look_again(found, table, runs, settings, seed, watch),
        None => Ok(found),
    }
}
