//! The few features of every node that are proposed as its neighbours: the end of Algorithm 1.
//!
//! A list holds the first P eligible features by (strength, name). Eligible is a feature whose arc the rules allow: for an
//! observed or unobserved target the arc runs from the feature into the target, for a parameter or a calendar part the other way round.

use crate::rules::{Role, Rules};
use clausality_bn::Schema;
use serde::{Deserialize, Serialize};

/// Strengths of all features (columns) for all targets (rows), in schema order; what a target cannot be asked is 0.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StrengthMatrix {
    size: usize,
    values: Vec<f64>,
}

impl StrengthMatrix {
    /// All zero.
    pub fn new(size: usize) -> Self {
        StrengthMatrix { size, values: vec![0.0; size * size] }
    }

    /// The strength of a feature for a target.
    pub fn get(&self, target: usize, feature: usize) -> f64 {
        self.values[target * self.size + feature]
    }

    /// Sets the strength of a feature for a target; what is not finite or negative counts as 0.
    pub fn set(&mut self, target: usize, feature: usize, strength: f64) {
        self.values[target * self.size + feature] =
            if strength.is_finite() && strength > 0.0 { strength } else { 0.0 };
    }

    /// Number of variables.
    pub fn size(&self) -> usize {
        self.size
    }

    /// What a feature's strengths over all targets add up to, added in the order of target names so that the order of
    /// columns leaves no trace.
    pub fn total(&self, feature: usize, by_name: &[usize]) -> f64 {
        by_name.iter().map(|&target| self.get(target, feature)).sum()
    }
}

/// A feature on a target's list.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Candidate {
    /// The feature.
    pub feature: usize,
    /// Its strength for the target.
    pub strength: f64,
    /// Its place on the list, from 1.
    pub rank: usize,
}

/// The list of every target.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Candidates {
    lists: Vec<Vec<Candidate>>,
}

impl Candidates {
    /// The first `length` eligible features with any strength, of every target.
    pub fn rank(strengths: &StrengthMatrix, schema: &Schema, rules: &Rules, length: usize) -> Self {
        let lists = (0..schema.len())
            .map(|target| {
                let eligible = |feature: usize| {
                    let (parent, child) = arc(rules, target, feature);
                    strengths.get(target, feature) > 0.0 && rules.allows(parent, child)
                };
                let mut features: Vec<usize> = (0..schema.len()).filter(|&f| eligible(f)).collect();
                features.sort_by(|&a, &b| {
                    let by_strength = strengths.get(target, b).total_cmp(&strengths.get(target, a));
                    by_strength.then_with(|| schema.name(a).cmp(schema.name(b)))
                });
                features.truncate(length);
                let listed = |(i, &feature): (usize, &usize)| Candidate {
                    feature,
                    strength: strengths.get(target, feature),
                    rank: i + 1,
                };
                features.iter().enumerate().map(listed).collect()
            })
            .collect();
        Candidates { lists }
    }

    /// The list of a target, best first.
    pub fn list(&self, target: usize) -> &[Candidate] {
        &self.lists[target]
    }

    /// Number of targets.
    pub fn len(&self) -> usize {
        self.lists.len()
    }

    /// Whether there is no target at all.
    pub fn is_empty(&self) -> bool {
        self.lists.is_empty()
    }
}

/// The arc that a feature on a target's list proposes: out of a parameter, and out of a calendar part unless the feature is one
/// too; into any other target.
pub fn arc(rules: &Rules, target: usize, feature: usize) -> (usize, usize) {
    match (rules.role(target), rules.role(feature)) {
        (Role::Calendar, Role::Calendar) => (feature, target),
        (Role::Parameter | Role::Calendar, _) => (target, feature),
        _ => (feature, target),
    }
}
