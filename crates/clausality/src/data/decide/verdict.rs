//! What is said of a column once it was looked at.

use crate::data::cells::date::DatePart;
use crate::data::coding::{CodedVariable, StateRule};
use crate::data::decide::mdl::Grades;
use crate::data::report::{Kind, Notice, NoticeKind};
use crate::error::Advice;
use clausality_bn::{Scale, Variable};

/// What becomes of a column.
#[derive(Debug)]
pub(in crate::data) struct Verdict {
    pub(in crate::data) kind: Kind,
    pub(in crate::data) distinct: (usize, bool),
    pub(in crate::data) missing: usize,
    pub(in crate::data) reason: String,
    /// The variables it becomes; none if it is dropped.
    pub(in crate::data) variables: Vec<Proposal>,
    /// Where a network may have it cut otherwise.
    pub(in crate::data) grades: Option<Grades>,
    /// What the user should know.
    pub(in crate::data) warnings: Vec<Warning>,
}

/// What the user should know about a column, without its name.
#[derive(Debug)]
pub(in crate::data) struct Warning {
    pub(in crate::data) kind: NoticeKind,
    pub(in crate::data) text: String,
    pub(in crate::data) figure: String,
    pub(in crate::data) advice: Option<Advice>,
}

impl Warning {
    pub(in crate::data) fn new(kind: NoticeKind, text: impl Into<String>) -> Self {
        Warning { kind, text: text.into(), figure: String::new(), advice: None }
    }

    pub(in crate::data) fn advising(self, setting: &'static str, value: String) -> Self {
        Warning { advice: Some(Advice::new(setting, value)), ..self }
    }

    pub(in crate::data) fn about(&self, column: &str) -> Notice {
        Notice {
            kind: self.kind,
            column: Some(column.to_string()),
            message: format!("column '{column}': {}", self.text),
            figure: self.figure.clone(),
            advice: self.advice.iter().cloned().collect(),
        }
    }
}

/// A variable that a column becomes.
#[derive(Debug)]
pub(in crate::data) struct Proposal {
    /// For a variable derived from a date, which part of it.
    pub(in crate::data) part: Option<DatePart>,
    pub(in crate::data) states: Vec<String>,
    pub(in crate::data) scale: Scale,
    pub(in crate::data) rule: StateRule,
}

impl Proposal {
    /// The variable of this column under a name; where gaps are a state, that is its last.
    pub(in crate::data) fn coded(&self, column: String, name: String, has_gaps: bool) -> CodedVariable {
        let mut states = self.states.clone();
        if has_gaps {
            states.push(unused("missing", &states));
        }
        let variable = Variable { name, states, scale: self.scale, has_missing_state: has_gaps };
        CodedVariable { column, variable, rule: self.rule.clone() }
    }

    pub(in crate::data) fn ordered(states: Vec<String>, rule: StateRule) -> Self {
        Proposal { part: None, states, scale: Scale::Ordered, rule }
    }
}

/// A label that is not yet taken: the word itself, or with primes after it.
pub(in crate::data) fn unused(word: &str, taken: &[String]) -> String {
    let mut label = word.to_string();
    while taken.contains(&label) {
        label.push('\'');
    }
    label
}
