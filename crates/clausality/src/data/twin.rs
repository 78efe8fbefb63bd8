//! A column that says what others say, in words.

use crate::error::Advice;
use crate::words::{counted, grouped};
use serde::{Deserialize, Serialize};

/// How a column repeats others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Relation {
    /// Each of its values goes with one value of the other, and the other way round.
    Copy,
    /// The same in nearly all rows.
    NearCopy,
    /// The other column determines it.
    Function,
    /// A multiple of another column of numbers, or shifted.
    Line,
    /// The sum or difference of two others.
    Sum,
    /// The product or ratio of two others.
    Product,
}

/// A column that repeats others.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Twin {
    /// The column.
    pub name: String,
    /// The columns that it repeats.
    pub of: Vec<String>,
    /// How.
    pub relation: Relation,
    /// The same as a formula, of numbers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub formula: Option<String>,
    /// The rows in which it does.
    pub agree: usize,
    /// The rows in which all have a value.
    pub rows: usize,
    /// The column that one would leave out.
    pub leave_out: String,
    /// Whether one of them is what is to be inferred.
    #[serde(default)]
    pub answer: bool,
}

impl Twin {
    pub(in crate::data) fn new(
        name: &str,
        of: &[&(impl AsRef<str> + ?Sized)],
        relation: Relation,
        agree: usize,
        rows: usize,
    ) -> Self {
        let of = of.iter().map(|name| name.as_ref().to_string()).collect();
        let (name, leave_out) = (name.to_string(), name.to_string());
        Twin { name, of, relation, formula: None, agree, rows, leave_out, answer: false }
    }

    pub(in crate::data) fn saying(self, formula: String) -> Self {
        Twin { formula: Some(formula), ..self }
    }

    /// The same where some columns are to be inferred: these stay, what gives them away goes.
    pub(crate) fn before(&self, is_answer: impl Fn(&str) -> bool) -> Self {
        let Some(answer) = std::iter::once(&self.name).chain(&self.of).find(|name| is_answer(name)) else {
            return self.clone();
        };
        let mut twin = Twin { answer: true, ..self.clone() };
        if *answer == self.name {
            twin.leave_out = self.of[0].clone();
            if self.is_copy() {
                (twin.name, twin.of) = (self.of[0].clone(), vec![self.name.clone()]);
            }
        }
        twin
    }

    /// Whether one column stands for the other.
    pub fn is_copy(&self) -> bool {
        matches!(self.relation, Relation::Copy | Relation::NearCopy | Relation::Line)
    }

    /// What is so, in a sentence without its full stop.
    pub fn sentence(&self) -> String {
        let Twin { name, of, agree, rows, .. } = self;
        let all = agree == rows;
        let those = match all {
            true => format!("all {}", counted(*rows, "row")),
            false => format!("{} of {}", grouped(*agree), counted(*rows, "row")),
        };
        let what = match (&self.formula, self.relation) {
            (Some(formula), _) => format!("{formula} in {those}"),
            (None, _) if self.answer && self.is_copy() => {
                return format!("{name} looks like the answer itself: {those} agree with {}", of[0]);
            }
            (None, Relation::NearCopy) => {
                return format!("{name} is nearly a copy of {}: {those} agree", of[0]);
            }
            (None, Relation::Function) => format!("{name} follows from {} in {those}", of[0]),
            (None, _) => return format!("{name} says the same as {}: {those} agree", of[0]),
        };
        if self.answer { format!("{what}, which gives the answer away") } else { what }
    }

    /// The setting that leaves the column out.
    pub fn advice(&self) -> Advice {
        Advice::new("type", format!("{}=ignore", self.leave_out))
    }
}
