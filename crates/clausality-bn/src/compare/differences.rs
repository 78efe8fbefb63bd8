//! The arcs that two graphs do not share, by name.

use super::Named;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// An arc by the names of its ends.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Arc {
    /// Where it starts.
    pub parent: String,
    /// Where it ends.
    pub child: String,
}

/// The arcs that a learned graph and the true one do not share, each list in the order of names.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Differences {
    /// Pairs that only the true graph joins.
    pub missing: Vec<Arc>,
    /// Pairs that only the learned graph joins.
    pub extra: Vec<Arc>,
    /// Pairs that both join, in opposite directions; as the learned graph has them.
    pub turned: Vec<Arc>,
}

impl Differences {
    /// Holds a learned graph against the true one.
    pub fn between<'a>(truth: impl Into<Named<'a>>, learned: impl Into<Named<'a>>) -> Self {
        let (truth, learned) = (arcs(&truth.into()), arcs(&learned.into()));
        let back = |arc: &Arc| Arc { parent: arc.child.clone(), child: arc.parent.clone() };
        let only = |these: &BTreeSet<Arc>, those: &BTreeSet<Arc>| -> Vec<Arc> {
            these.iter().filter(|arc| !those.contains(arc) && !those.contains(&back(arc))).cloned().collect()
        };
        Differences {
            missing: only(&truth, &learned),
            extra: only(&learned, &truth),
            turned: learned.iter().filter(|arc| truth.contains(&back(arc))).cloned().collect(),
        }
    }
}

fn arcs(graph: &Named<'_>) -> BTreeSet<Arc> {
    let name = |v: usize| graph.names[v].to_string();
    graph.dag.arcs().map(|(p, c)| Arc { parent: name(p), child: name(c) }).collect()
}
