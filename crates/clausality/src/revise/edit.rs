//! Arcs turned, removed, required or forbidden by hand, and the rules that they mean.

use crate::rules::{NamedArc, RuleSettings};
use clausality_bn::Schema;
use serde::{Deserialize, Serialize};

/// What somebody wants of an arc.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Wish {
    /// The other way round: the opposite arc is required.
    Turn,
    /// Gone, in both directions: both are forbidden.
    Remove,
    /// There, as it is written.
    Require,
    /// Not there as it is written; the opposite may be.
    Forbid,
}

/// An arc, and what somebody wants of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Edit {
    /// What is wanted.
    pub wish: Wish,
    /// Where the arc starts.
    pub parent: String,
    /// Where it ends.
    pub child: String,
}

/// The rules with these edits, one after the other; a later one wins over an earlier one and over what the rules said before.
pub fn amended(rules: &RuleSettings, edits: &[Edit], schema: &Schema) -> RuleSettings {
    // Names may hold the sign of an arc: it is read as the rules read it, where that is clear.
    let clear = |arc: &NamedArc| arc.among(|name| schema.index(name).is_some()).unwrap_or(arc.clone());
    let mut all = RuleSettings {
        require: rules.require.iter().map(clear).collect(),
        forbid: rules.forbid.iter().map(clear).collect(),
        ..rules.clone()
    };
    for edit in edits {
        let arc = NamedArc { parent: edit.parent.clone(), child: edit.child.clone() };
        let back = NamedArc { parent: edit.child.clone(), child: edit.parent.clone() };
        match edit.wish {
            Wish::Turn => require(&mut all, back, &arc),
            Wish::Require => require(&mut all, arc, &back),
            Wish::Forbid => forbid(&mut all, arc),
            Wish::Remove => {
                forbid(&mut all, arc);
                forbid(&mut all, back);
            }
        }
    }
    all
}

fn require(rules: &mut RuleSettings, arc: NamedArc, back: &NamedArc) {
    rules.forbid.retain(|other| *other != arc);
    rules.require.retain(|other| other != back && *other != arc);
    rules.require.push(arc);
}

fn forbid(rules: &mut RuleSettings, arc: NamedArc) {
    rules.require.retain(|other| *other != arc);
    rules.forbid.retain(|other| *other != arc);
    rules.forbid.push(arc);
}
