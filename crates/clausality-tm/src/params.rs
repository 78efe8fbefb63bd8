//! The machine's parameters, and the one gate that checks them.

use crate::Error;
use serde::{Deserialize, Serialize};

/// How the second class of an update, the one that is *not* the label, is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Negatives {
    /// Every other class with the same probability.
    #[default]
    Uniform,
    /// Another class k with probability proportional to T + v_k: the classes that are wrongly believed are corrected most.
    Focused,
}

/// Parameters of a [`crate::Machine`].
///
/// | name | default | purpose | range |
/// |---|---|---|---|
/// | `clauses` | 60 | shared conjunctions | ≥ 2 |
/// | `threshold` | 100 | votes (T) at which a class stops learning | 1 … 2²⁴ |
/// | `specificity` | 3.0 | s: false literals are forgotten with probability 1/s | > 1 |
/// | `literal_budget` | none | clauses longer than this only forget | ≥ 1 |
/// | `boost` | true | true literals are always memorised, not with probability (s−1)/s | |
/// | `drop_clause` | 0.0 | share of clauses that sit out an epoch | 0 … < 1 |
/// | `negatives` | uniform | how the other class is drawn | |
/// | `type_iii` | none | d: literals that tell nothing beside the others of their clause are pruned, the fewer the larger d | > 1 |
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Params {
    /// Number of clauses, shared by all classes.
    pub clauses: usize,
    /// T: votes at which a class stops learning.
    pub threshold: u32,
    /// s: 1/s is the probability of forgetting.
    pub specificity: f64,
    /// Clauses with more literals than this receive only Type Ib feedback.
    pub literal_budget: Option<usize>,
    /// Boost true positive feedback.
    pub boost: bool,
    /// Probability that a clause is left out of an epoch.
    pub drop_clause: f64,
    /// How the other class is drawn.
    pub negatives: Negatives,
    /// d of Type III feedback; none: no such feedback.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub type_iii: Option<f64>,
}

impl Default for Params {
    fn default() -> Self {
        Params {
            clauses: 60,
            threshold: 100,
            specificity: 3.0,
            literal_budget: None,
            boost: true,
            drop_clause: 0.0,
            negatives: Negatives::Uniform,
            type_iii: None,
        }
    }
}

/// The largest threshold: class sums of so many votes stay far from overflow.
pub const MAX_THRESHOLD: u32 = 1 << 24;

impl Params {
    /// Checks every parameter.
    pub fn check(&self) -> Result<(), Error> {
        let wrong = |name, value: String, expected| Err(Error::Parameter { name, value, expected });
        if self.clauses < 2 {
            return wrong("clauses", self.clauses.to_string(), "at least 2");
        }
        if self.threshold < 1 || self.threshold > MAX_THRESHOLD {
            return wrong("threshold", self.threshold.to_string(), "between 1 and 16777216");
        }
        if !(self.specificity > 1.0 && self.specificity.is_finite()) {
            return wrong("specificity", self.specificity.to_string(), "a number above 1");
        }
        if self.literal_budget == Some(0) {
            return wrong("literal_budget", "0".into(), "at least 1");
        }
        if !(self.drop_clause >= 0.0 && self.drop_clause < 1.0) {
            return wrong("drop_clause", self.drop_clause.to_string(), "at least 0 and below 1");
        }
        if !self.type_iii.is_none_or(|d| d > 1.0 && d.is_finite()) {
            return wrong("type_iii", self.type_iii.unwrap_or_default().to_string(), "a number above 1");
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_gate_names_the_parameter() {
        let bad = [
            (Params { clauses: 1, ..Params::default() }, "clauses"),
            (Params { threshold: 0, ..Params::default() }, "threshold"),
            (Params { specificity: 1.0, ..Params::default() }, "specificity"),
            (Params { specificity: f64::NAN, ..Params::default() }, "specificity"),
            (Params { literal_budget: Some(0), ..Params::default() }, "literal_budget"),
            (Params { drop_clause: 1.0, ..Params::default() }, "drop_clause"),
            (Params { type_iii: Some(1.0), ..Params::default() }, "type_iii"),
            (Params { type_iii: Some(f64::INFINITY), ..Params::default() }, "type_iii"),
        ];
        for (params, expected) in bad {
            assert!(matches!(params.check(), Err(Error::Parameter { name, .. }) if name == expected));
        }
        assert_eq!(Params::default().check(), Ok(()));
    }
}
