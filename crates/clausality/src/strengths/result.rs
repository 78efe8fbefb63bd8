//! What is told about every target: how strongly every other variable speaks about it, and what deserves attention.

use super::sentences::Sentence;
use super::settings::{Member, StrengthSettings};
use super::signal::Accuracy;
use crate::candidates::{StrengthMatrix, arc};
use crate::data::Fingerprint;
use crate::rules::Rules;
use crate::words::{counted, quoted};
use clausality_bn::Schema;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::mem::discriminant;

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

impl Warning {
    /// What it is about, and what several of its kind have in common; nothing for what is told once.
    fn in_common(&self) -> Option<(String, &'static str, &'static str)> {
        Some(match self {
            Warning::RareState { target, state, .. } => {
                (format!("{target}={state}"), "state", "have too few rows and were left out of some fits")
            }
            Warning::NoList { target } => (
                target.clone(),
                "column",
                "have fewer than two states with rows enough, or no other column varies, so nothing is said about them",
            ),
            Warning::Unscored { target } => (
                target.clone(),
                "column",
                "have but one frequent state: the others are too rare to say how well they are predicted",
            ),
            Warning::NoSignal { target, .. } => (target.clone(), "column", "have no signal"),
            Warning::Restricted { .. } => return None,
        })
    }
}

/// Columns or states that are named where several are told together.
const NAMED: usize = 6;

/// Warnings with one line for each kind, and how many it is about; a kind with one warning keeps its words.
pub fn together(warnings: &[Warning]) -> Vec<String> {
    let alike = |one: &Warning| {
        let kind = discriminant(one);
        warnings.iter().filter(move |other| discriminant(*other) == kind)
    };
    let mut lines = Vec::new();
    for (place, warning) in warnings.iter().enumerate() {
        let several = alike(warning).nth(1).is_some();
        let Some((_, one, what)) = warning.in_common().filter(|_| several) else {
            lines.push(warning.to_string());
            continue;
        };
        if warnings[..place].iter().any(|earlier| discriminant(earlier) == discriminant(warning)) {
            continue;
        }
        let about: Vec<String> =
            alike(warning).filter_map(Warning::in_common).map(|(name, ..)| name).collect();
        lines.push(format!("{} {what}: {}", counted(about.len(), one), quoted(&about, NAMED)));
    }
    lines
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
        self.matrix_of(schema, |feature| feature.strength)
    }

    /// A number for every feature, by place in a schema.
    pub(crate) fn matrix_of(&self, schema: &Schema, number: impl Fn(&Feature) -> f64) -> StrengthMatrix {
        let mut matrix = StrengthMatrix::new(schema.len());
        for target in &self.targets {
            let Some(y) = schema.index(&target.name) else { continue };
            for feature in &target.features {
                if let Some(f) = schema.index(&feature.name) {
                    matrix.set(y, f, number(feature));
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
    fn warnings_of_one_kind_are_one_line() {
        let rare =
            |k: usize| Warning::RareState { target: format!("c{k}"), state: "x".into(), fits: 1, of: 4 };
        let wide = Warning::Restricted { literals: 900, limit: 750 };
        let mut warnings: Vec<Warning> = (0..25).map(rare).collect();
        warnings.insert(3, wide.clone());
        assert_eq!(
            together(&warnings),
            [
                "25 states have too few rows and were left out of some fits: 'c0=x', 'c1=x', 'c2=x', 'c3=x', 'c4=x', 'c5=x', and 19 more",
                &wide.to_string(),
            ]
        );
        assert_eq!(together(&warnings[..1]), [rare(0).to_string()], "one keeps its words");
    }
}
