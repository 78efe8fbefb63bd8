//! How a listed feature truly stands to its target.

use clausality_bn::Dag;
use serde::{Deserialize, Serialize};

/// The nearest true relation of a feature to a target.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Relation {
    /// A parent of the target.
    Parent,
    /// A child of the target.
    Child,
    /// Another parent of one of the target's children: the rest of its Markov blanket.
    Spouse,
    /// A remoter ancestor.
    Ancestor,
    /// A remoter descendant.
    Descendant,
    /// Shares an ancestor with the target.
    Kin,
    /// None of these: independent of the target.
    Stranger,
}

impl Relation {
    /// What `feature` is to `target`.
    pub fn of(dag: &Dag, target: usize, feature: usize) -> Self {
        let above = dag.ancestors(target);
        if dag.has(feature, target) {
            Relation::Parent
        } else if dag.has(target, feature) {
            Relation::Child
        } else if dag.children(target).iter().any(|&child| dag.has(feature, child)) {
            Relation::Spouse
        } else if above.contains(&feature) {
            Relation::Ancestor
        } else if dag.descendants(target).contains(&feature) {
            Relation::Descendant
        } else if dag.ancestors(feature).iter().any(|v| above.contains(v)) {
            Relation::Kin
        } else {
            Relation::Stranger
        }
    }

    /// Whether the two are neighbours.
    pub fn adjacent(self) -> bool {
        matches!(self, Relation::Parent | Relation::Child)
    }

    /// A letter for narrow tables: P, C, S, A, D, K, N.
    pub fn letter(self) -> char {
        match self {
            Relation::Parent => 'P',
            Relation::Child => 'C',
            Relation::Spouse => 'S',
            Relation::Ancestor => 'A',
            Relation::Descendant => 'D',
            Relation::Kin => 'K',
            Relation::Stranger => 'N',
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_relation_counts() {
        // 0 > 1 > 2 < 3, 0 > 4, 5 alone.
        let dag = Dag::from_arcs(6, [(0, 1), (1, 2), (3, 2), (0, 4)]).unwrap();
        let expected = [
            (1, 0, Relation::Parent),
            (1, 2, Relation::Child),
            (1, 3, Relation::Spouse),
            (2, 0, Relation::Ancestor),
            (0, 2, Relation::Descendant),
            (1, 4, Relation::Kin),
            (1, 5, Relation::Stranger),
        ];
        for (target, feature, relation) in expected {
            assert_eq!(Relation::of(&dag, target, feature), relation, "{target} {feature}");
        }
    }
}
