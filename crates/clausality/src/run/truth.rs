//! The true network, where it is known.

use clausality_bn::compare::{Comparison, Differences, Named};
use serde::{Deserialize, Serialize};

/// How near the learned network comes to the true one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Truth {
    /// The true network, as the user named it.
    pub name: String,
    /// Every figure of the comparison.
    #[serde(flatten)]
    pub comparison: Comparison,
    /// The arcs that the two do not share.
    #[serde(flatten)]
    pub differences: Differences,
}

impl Truth {
    /// Holds a learned graph against the true one.
    pub fn new<'a>(name: &str, truth: impl Into<Named<'a>>, learned: impl Into<Named<'a>>) -> Self {
        let (truth, learned) = (truth.into(), learned.into());
        Truth {
            name: name.to_string(),
            comparison: Comparison::of(truth.clone(), learned.clone()),
            differences: Differences::between(truth, learned),
        }
    }
}
