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
//! Parallel over (target, model, round); every fit has random streams of its own, known by (seed, target's name, model,
//! round), and results are merged in the order of those keys. So neither the number of threads nor the order of the columns
//! nor the instruction set leaves a trace in the result.

mod fit;
mod gain;
mod merge;
mod sample;
mod screen;
mod sentences;
mod settings;
mod signal;

pub use screen::mutual_information;
pub use sentences::{Condition, Sentence};
pub use settings::{Balance, Ensemble, MODEL_NAMES, Member, StrengthRule, StrengthSettings};
pub use signal::Accuracy;

use crate::Error;
use crate::candidates::{StrengthMatrix, arc};
use crate::data::Fingerprint;
use crate::encode::Encoding;
use crate::rules::Rules;
use crate::watch::{Event, Stage, Watch};
use clausality_bn::{Schema, Table};
use fit::{Fit, Key, Plan, Subject};
use gain::Phi;
use rayon::prelude::*;
use screen::Screen;
use serde::{Deserialize, Serialize};
use std::fmt;

/// How strongly every variable speaks about every other, and how that was found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Strengths {
    /// The version of the software.
    pub version: String,
    /// The seed of all random choices.
    pub seed: u64,
    /// How they were measured, with nothing left open.
    pub params: StrengthSettings,
    /// The machines that voted.
    pub models: Vec<Member>,
    /// The name of the table's content.
    pub fingerprint: Fingerprint,
    /// Rows of the table.
    pub rows: usize,
    /// Every variable as a target, in the order of names.
    pub targets: Vec<Target>,
    /// What deserves attention.
    pub warnings: Vec<Warning>,
}

/// What speaks about one variable.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Target {
    /// The variable.
    pub name: String,
    /// Its states that are values (no gaps).
    pub classes: usize,
    /// Rows in which it has a value.
    pub rows: usize,
    /// Machines that were trained; none if fewer than two of its states have rows enough.
    pub fits: usize,
    /// How well it was predicted on rows held out; unknown if those were ever of one state only.
    pub accuracy: Option<Accuracy>,
    /// The strength that the best shuffled column reached, if there were any and it is measured like a strength.
    #[serde(default)]
    pub shadow: Option<f64>,
    /// All other variables from strong to weak, equals in the order of names; empty if there were no fits.
    pub features: Vec<Feature>,
    /// The clauses behind it, in words.
    pub sentences: Vec<Sentence>,
}

/// What one variable says about a target.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Feature {
    /// The variable.
    pub name: String,
    /// 1 for the strongest.
    pub rank: usize,
    /// S, less `null` if that was asked for.
    pub strength: f64,
    /// The strength's part of the sum over all features (negative strengths count as none).
    pub share: f64,
    /// The strength that the same fits found for a permuted target, if that was asked for.
    pub null: Option<f64>,
    /// In how many fits the machine saw it: fewer than all of them in tables too wide to be shown whole.
    pub fits: usize,
    /// The share of those fits in which it beat every shadow, if there were any.
    pub hit_rate: Option<f64>,
}

/// Something that deserves attention but stops nothing.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "kind")]
#[non_exhaustive]
pub enum Warning {
    /// A state of a target had fewer than two rows to train on in some rounds.
    RareState {
        /// The target.
        target: String,
        /// The state.
        state: String,
        /// In how many fits it was left out.
        fits: usize,
        /// Of how many.
        of: usize,
    },
    /// Fewer than two states of a target have rows enough.
    NoList {
        /// The target.
        target: String,
    },
    /// Rows of only one state of a target were ever held out, so nobody knows how well it is predicted.
    Unscored {
        /// The target.
        target: String,
    },
    /// A target that is predicted no better than by guessing.
    NoSignal {
        /// The target.
        target: String,
        /// Its balanced accuracy.
        accuracy: f64,
        /// What guessing reaches.
        chance: f64,
    },
    /// The table is too wide to be shown to every machine whole.
    Restricted {
        /// Its literals, negations not counted.
        literals: usize,
        /// How many a machine is shown.
        limit: usize,
    },
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Warning::RareState { target, state, fits, of } => {
                write!(
                    f,
                    "'{target}': state '{state}' has too few rows and was left out of {fits} of {of} fits"
                )
            }
            Warning::NoList { target } => {
                write!(
                    f,
                    "'{target}': fewer than two of its states have rows enough, or no other column varies, so nothing is said about it"
                )
            }
            Warning::Unscored { target } => {
                write!(
                    f,
                    "'{target}': all but one of its states are too rare to say how well it is predicted"
                )
            }
            Warning::NoSignal { target, accuracy, chance } => write!(
                f,
                "'{target}': no signal, its balanced accuracy {accuracy:.2} is not above chance ({chance:.2})"
            ),
            Warning::Restricted { literals, limit } => write!(
                f,
                "the table has {literals} literals: each machine saw at most {limit} of them, the most informative for its \
                 target and a changing random part"
            ),
        }
    }
}

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
    settings.check()?;
    check_size(table.schema().len(), table.rows())?;
    let encoding = Encoding::new(table.schema(), settings.encoding);
    let screen = Screen::new(table, &encoding, settings, watch)?;
    let plan = Plan {
        table,
        encoding: &encoding,
        rows: encoding.rows(table),
        settings,
        seed,
        models: settings.machines(encoding.states(), seed),
        phi: Phi::up_to(table.rows().min(fit::JUDGED_ROWS)),
    };
    let per_target =
        plan.models.len() * (settings.rounds() + if settings.null { settings.null_rounds() } else { 0 });
    watch.event(Event::Begin { stage: Stage::Train, steps: (per_target * table.schema().len()) as u64 });
    let targets: Vec<(Target, Vec<Warning>)> = encoding
        .variables()
        .par_iter()
        .map(|&target| {
            let fits = all_fits(&plan, &screen, target, false, watch)?;
            let null =
                if settings.null { all_fits(&plan, &screen, target, true, watch)? } else { Vec::new() };
            Ok(merge::target(&plan, target, &fits, settings.null.then_some(&null)))
        })
        .collect::<Result<_, Error>>()?;
    watch.event(Event::End { stage: Stage::Train });
    let (targets, warnings): (Vec<Target>, Vec<Vec<Warning>>) = targets.into_iter().unzip();
    Ok(Strengths {
        version: env!("CARGO_PKG_VERSION").to_string(),
        seed,
        params: settings.filled(settings),
        models: plan.models,
        fingerprint: Fingerprint::of(table),
        rows: table.rows(),
        targets,
        warnings: screen.warning().into_iter().chain(warnings.into_iter().flatten()).collect(),
    })
}

/// Two columns and two rows are needed, and rows are numbered in 32 bits.
fn check_size(columns: usize, rows: usize) -> Result<(), Error> {
    if columns < 2 || rows < 2 {
        return Err(Error::TooLittleData(format!(
            "the table has {columns} usable columns and {rows} rows, and at least 2 of each are needed"
        )));
    }
    let max = u32::MAX as usize;
    if rows > max { Err(clausality_bn::Error::Rows { rows, max }.into()) } else { Ok(()) }
}

/// All fits of a target, in the order of (model, round).
fn all_fits(
    plan: &Plan<'_>,
    screen: &Screen,
    target: usize,
    null: bool,
    watch: &dyn Watch,
) -> Result<Vec<Fit>, Error> {
    let subject = Subject::new(plan, target, null);
    let rounds = if null { plan.settings.null_rounds() } else { plan.settings.rounds() };
    let fits: Vec<Option<Fit>> = (0..plan.models.len() * rounds)
        .into_par_iter()
        .map(|i| {
            if watch.cancelled() {
                return Err(Error::Cancelled);
            }
            let key = Key { target: subject.name, model: i / rounds, round: i % rounds, null };
            let fit = subject.fit(key, &screen.features(plan, target, key));
            watch.event(Event::Step { stage: Stage::Train });
            fit
        })
        .collect::<Result<_, Error>>()?;
    Ok(fits.into_iter().flatten().collect())
}

impl Strengths {
    /// What speaks about a variable.
    pub fn target(&self, name: &str) -> Option<&Target> {
        let place = self.targets.binary_search_by(|t| t.name.as_str().cmp(name)).ok()?;
        Some(&self.targets[place])
    }

    /// S by name; zero where nothing is known.
    pub fn strength(&self, target: &str, feature: &str) -> f64 {
        self.target(target).and_then(|t| t.feature(feature)).map_or(0.0, |f| f.strength)
    }

    /// The strengths by place in a schema, for assembling a network; features without strength count as 0.
    pub fn matrix(&self, schema: &Schema) -> StrengthMatrix {
        let mut matrix = StrengthMatrix::new(schema.len());
        for target in &self.targets {
            let Some(y) = schema.index(&target.name) else { continue };
            for feature in &target.features {
                if let Some(f) = schema.index(&feature.name) {
                    matrix.set(y, f, feature.strength);
                }
            }
        }
        matrix
    }

    /// Leaves out the features whose arc the rules do not allow, and ranks the others anew; strengths and shares stay.
    pub fn retain_allowed(&mut self, schema: &Schema, rules: &Rules) {
        for target in &mut self.targets {
            let Some(y) = schema.index(&target.name) else { continue };
            target.features.retain(|feature| {
                schema.index(&feature.name).is_some_and(|f| {
                    let (parent, child) = arc(rules, y, f);
                    rules.allows(parent, child)
                })
            });
            (1..).zip(&mut target.features).for_each(|(rank, feature)| feature.rank = rank);
        }
    }

    /// The share of b for a plus that of a for b: how strongly two variables are bound, whichever of them says so (OR, not AND).
    pub fn bond(&self, a: &str, b: &str) -> f64 {
        let share = |y: &str, f: &str| self.target(y).and_then(|t| t.feature(f)).map_or(0.0, |f| f.share);
        share(a, b) + share(b, a)
    }
}

impl Target {
    /// What a variable says about this target.
    pub fn feature(&self, name: &str) -> Option<&Feature> {
        self.features.iter().find(|f| f.name == name)
    }

    /// Whether there is anything to predict.
    pub fn signal(&self) -> bool {
        self.accuracy.is_some_and(|a| a.signal)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_too_small_or_too_long_are_refused() {
        assert!(check_size(2, 2).is_ok() && check_size(2, u32::MAX as usize).is_ok());
        assert!(matches!(check_size(1, 9), Err(Error::TooLittleData(_))));
        let text = check_size(2, 1 << 32).unwrap_err().to_string();
        assert_eq!(text, "the table has 4294967296 rows; at most 4294967295 can be counted");
    }
}
