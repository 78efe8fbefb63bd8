//! Nodes, states and evidence by name. Where a network keeps the coding of its table, a value will do for a state (`51` for the
//! interval it lies in); what can be read as a label is one.

use super::Model;
use crate::Error;
use crate::data::Coding;
use crate::names::{closest, meant};
use clausality_bn::infer::Evidence;
use clausality_bn::{Schema, Variable};
use thiserror::Error as ThisError;

/// A name or a value that a network does not know.
#[derive(Debug, Clone, PartialEq, Eq, ThisError)]
#[non_exhaustive]
pub enum NameError {
    /// No such node.
    #[error("the network has no node '{name}'{}", meant(.close.as_deref()))]
    Node {
        /// The name.
        name: String,
        /// A node whose name is close.
        close: Option<String>,
    },
    /// A node asked for twice.
    #[error("node '{0}' is asked for twice")]
    Twice(String),
    /// No such state.
    #[error("node '{node}' has no state '{state}'{hint}")]
    State {
        /// The node.
        node: String,
        /// The text that is none of its states.
        state: String,
        /// What may have been meant.
        hint: String,
    },
    /// A value where only states are known.
    #[error(
        "node '{node}' has the states {states}; this model file keeps no cut points: ask with a state, or ask the run folder"
    )]
    NoCuts {
        /// The node.
        node: String,
        /// Some of its states.
        states: String,
    },
}

/// A node by its name.
///
/// # Errors
/// [`NameError::Node`], with the name that may have been meant.
pub fn node(schema: &Schema, name: &str) -> Result<usize, NameError> {
    schema.index(name).ok_or_else(|| {
        let names = schema.variables().iter().map(|v| v.name.as_str());
        NameError::Node { name: name.to_string(), close: closest(name, names).map(String::from) }
    })
}

/// A state by its label, or by a value that the coding knows the state of.
pub fn state(variable: &Variable, coding: Option<&Coding>, text: &str) -> Option<u8> {
    variable.code(text).or_else(|| coding?.state(&variable.name, text))
}

/// Why a text is no state of a node.
pub fn no_state(variable: &Variable, coding: Option<&Coding>, text: &str) -> NameError {
    let node = variable.name.clone();
    if coding.is_none() && text.parse::<f64>().is_ok() && has_intervals(variable) {
        return NameError::NoCuts { node, states: listed(variable) };
    }
    let near = closest(text, variable.states.iter().map(String::as_str));
    let hint = match near {
        // Named instead of a few of what may be a hundred states.
        _ if variable.states.iter().any(|known| known == "other") => {
            let before = near.map_or(";".to_string(), |_| meant(near));
            before + " values without a state of their own share the state 'other'"
        }
        Some(_) => meant(near),
        None => format!("; it has {}", listed(variable)),
    };
    NameError::State { node, state: text.to_string(), hint }
}

impl Model {
    /// What is known: nodes that were observed, and nodes that are set from outside, each with a state or a value.
    ///
    /// # Errors
    /// A name, state or value that the network does not know; a node in two states.
    pub fn evidence(&self, given: &[(&str, &str)], set: &[(&str, &str)]) -> Result<Evidence, Error> {
        let (schema, coding) = (self.network.schema(), self.coding()?);
        let place = |name: &str, text: &str| -> Result<(usize, u8), NameError> {
            let node = node(schema, name)?;
            let variable = schema.variable(node);
            let code = state(variable, coding.as_ref(), text);
            Ok((node, code.ok_or_else(|| no_state(variable, coding.as_ref(), text))?))
        };
        let mut evidence = Evidence::new(&self.network);
        for (name, value) in given {
            let (node, code) = place(name, value)?;
            evidence.observe(node, code)?;
        }
        for (name, value) in set {
            let (node, code) = place(name, value)?;
            evidence.intervene(node, code)?;
        }
        Ok(evidence)
    }
}

/// What deserves to be said of a value beyond all that the network was learned from: it counts as the outer state.
pub fn beyond(variable: &Variable, coding: &Coding, text: &str) -> Option<String> {
    let (low, high) = coding.range_passed(&variable.name, text)?;
    let label = &variable.states[usize::from(coding.state(&variable.name, text)?)];
    let name = &variable.name;
    Some(format!("{name}={text} lies beyond what was learned from ({low} to {high}) and counts as '{label}'"))
}

/// The first few states of a variable.
pub(super) fn listed(variable: &Variable) -> String {
    const LISTED: usize = 8;
    let mut listed = variable.states.iter().take(LISTED).cloned().collect::<Vec<_>>().join(", ");
    if variable.states.len() > LISTED {
        listed.push_str(&format!(" and {} more", variable.states.len() - LISTED));
    }
    listed
}

/// Whether the states look like numbers that were cut: `<= 25`, `26 to 50`.
pub(super) fn has_intervals(variable: &Variable) -> bool {
    variable.states.iter().any(|label| label.starts_with(['<', '>']) || label.contains(" to "))
}
