//! Whether the documents of a run can be true: names that exist, shares within 0 and 1, no more rows than there are.
//!
//! Digests tell that a file was changed ([`crate::folder::check`]); this tells it also of files that have none, or were given a new one. Whoever forges a
//! document with care gets past both.

use super::{Clauses, NodeClauses, Run};
use std::collections::BTreeSet;

impl Run {
    /// What cannot be true in it.
    pub(super) fn fault(&self) -> Option<String> {
        let nodes: BTreeSet<&str> = self.nodes.iter().map(String::as_str).collect();
        if nodes.len() != self.nodes.len() {
            return Some("a node is listed twice".into());
        }
        let repeated = self.bootstrap.as_ref();
        let ends = self
            .arcs
            .iter()
            .map(|arc| (&arc.parent, &arc.child))
            .chain(self.trace.iter().map(|entry| (&entry.parent, &entry.child)))
            .chain(
                repeated.iter().flat_map(|found| found.pairs.iter().map(|pair| (&pair.parent, &pair.child))),
            )
            .chain(
                repeated.iter().flat_map(|found| found.consensus.iter().map(|arc| (&arc.parent, &arc.child))),
            );
        for (parent, child) in ends {
            if let Some(ghost) = [parent, child].into_iter().find(|end| !nodes.contains(end.as_str())) {
                return Some(format!("the arc {parent} -> {child} names '{ghost}', which is no node"));
            }
            if parent == child {
                return Some(format!("the arc {parent} -> {child} joins a node to itself"));
            }
        }
        let mut arcs = BTreeSet::new();
        for arc in &self.arcs {
            if !arcs.insert((&arc.parent, &arc.child)) || arcs.contains(&(&arc.child, &arc.parent)) {
                return Some(format!("the arc {} -> {} stands there twice", arc.parent, arc.child));
            }
            let figures = [Some(arc.share), arc.hit_rate, arc.confidence, arc.direction];
            if let Some(figure) = figures.into_iter().flatten().find(|&figure| !is_share(figure)) {
                return Some(format!("the arc {} -> {} has a share of {figure}", arc.parent, arc.child));
            }
        }
        for target in &self.targets {
            let name = &target.name;
            if !nodes.contains(name.as_str()) {
                return Some(format!("'{name}' is a target and no node"));
            }
            let tops = target.top.iter().flat_map(|top| [Some(top.share), top.hit_rate]);
            let figures = [target.accuracy, target.chance].into_iter().chain(tops).flatten();
            if let Some(figure) = figures.into_iter().find(|&figure| !is_share(figure)) {
                return Some(format!("'{name}' has a share of {figure}"));
            }
            if let Some(top) = target.top.iter().find(|top| !nodes.contains(top.feature.as_str())) {
                return Some(format!("'{name}' has the feature '{}', which is no node", top.feature));
            }
        }
        let pairs = repeated.iter().flat_map(|found| &found.pairs);
        let wrong = pairs.flat_map(|pair| [pair.adjacent, pair.direction]).find(|&figure| !is_share(figure));
        wrong.map(|figure| format!("an arc was found in a share of {figure} of the repetitions"))
    }
}

impl Clauses {
    /// What cannot be true in it, beside the run it belongs to.
    pub(super) fn fault(&self, run: &Run) -> Option<String> {
        if self.rows != run.rows {
            return Some(format!("{} rows here, {} in run.json", self.rows, run.rows));
        }
        let nodes: BTreeSet<&str> = run.nodes.iter().map(String::as_str).collect();
        self.targets.iter().find_map(|node| {
            let is_node = run.nodes.contains(&node.name);
            let fault =
                if is_node { node.fault(self.rows, &nodes) } else { Some("is no node of the run".into()) };
            fault.map(|fault| format!("'{}' {fault}", node.name))
        })
    }
}

impl NodeClauses {
    fn fault(&self, rows: usize, nodes: &BTreeSet<&str>) -> Option<String> {
        if self.rows > rows {
            return Some(format!("has a value in {} rows of {rows}", self.rows));
        }
        if let Some(feature) = self.features.iter().find(|feature| !nodes.contains(feature.name.as_str())) {
            return Some(format!("has the feature '{}', which is no node", feature.name));
        }
        let figures = self.features.iter().flat_map(|feature| [Some(feature.share), feature.hit_rate]);
        if let Some(figure) = figures.flatten().find(|&figure| !is_share(figure)) {
            return Some(format!("has a feature with a share of {figure}"));
        }
        self.clauses.iter().find_map(|clause| {
            if clause.support > self.rows {
                return Some(format!("has a rule that holds in {} rows of {}", clause.support, self.rows));
            }
            if let Some(figure) =
                [clause.precision, clause.base].into_iter().find(|&figure| !is_share(figure))
            {
                return Some(format!("has a rule with a precision of {figure}: expected 0 to 1"));
            }
            if !self.states.contains(&clause.then) {
                return Some(format!("has a rule for the state '{}', which it does not have", clause.then));
            }
            let ghost = clause.when.iter().find(|condition| !nodes.contains(condition.variable.as_str()));
            ghost.map(|ghost| format!("has a rule about '{}', which is no node", ghost.variable))
        })
    }
}

/// Sums of shares may be off by what rounding leaves.
fn is_share(figure: f64) -> bool {
    (-1e-9..=1.0 + 1e-9).contains(&figure)
}
