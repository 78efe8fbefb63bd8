//! Findings that cannot be together, in words.

use super::{Model, NameError};
use crate::Error;
use clausality_bn::infer::{Evidence, Finding, Infer, contradiction};

impl Model {
    /// Which findings of impossible evidence contradict each other: a smallest set of them. Nothing where that cannot be told.
    pub fn contradiction(&self, infer: &mut Infer, evidence: &Evidence) -> Option<String> {
        let schema = self.network.schema();
        let finding = |node: &usize| {
            let variable = schema.variable(*node);
            let (how, state) = match evidence.finding(*node) {
                Finding::Set(state) => ("do ", Some(*state)),
                Finding::Observed(state) => ("", Some(*state)),
                Finding::Likelihood(_) | Finding::Free => ("", None),
            };
            let state = state.map_or("as reported", |state| variable.states[usize::from(state)].as_str());
            format!("{how}{} = {state}", variable.name)
        };
        let named: Vec<String> = contradiction(infer, evidence).ok()?.iter().map(finding).collect();
        match named.as_slice() {
            [] => None,
            [one] => Some(format!("{one} cannot happen: the network gives it probability 0")),
            [first @ .., last] => {
                Some(format!("{} and {last} cannot happen together: forget one of them", first.join(", ")))
            }
        }
    }

    /// The error of a question, with the findings that contradict each other where that is what is wrong.
    pub(super) fn refused(
        &self,
        infer: &mut Infer,
        evidence: &Evidence,
        error: clausality_bn::Error,
    ) -> Error {
        let named = match error {
            clausality_bn::Error::ImpossibleEvidence => self.contradiction(infer, evidence),
            _ => None,
        };
        named.map_or_else(|| error.into(), |findings| NameError::Contradiction(findings).into())
    }
}
