//! Variables and their states.

use crate::Error;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;

/// The most states a variable may have: a code is one byte and 255 means "missing".
pub const MAX_STATES: usize = 255;

/// Whether the order of a variable's states means something.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Scale {
    /// States are mere names.
    #[default]
    Nominal,
    /// States run from low to high.
    Ordered,
    /// States come round again: after the last comes the first.
    Circular,
}

/// A named variable with its state labels in code order.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Variable {
    /// Unique within a schema.
    pub name: String,
    /// Unique labels; the position is the code.
    pub states: Vec<String>,
    /// Whether the order of the states means something.
    #[serde(default)]
    pub scale: Scale,
    /// Whether the last state stands for "no value was recorded".
    #[serde(default)]
    pub has_missing_state: bool,
}

impl Variable {
    /// A nominal variable without a missing state.
    pub fn new(name: impl Into<String>, states: impl IntoIterator<Item = impl Into<String>>) -> Self {
        Variable {
            name: name.into(),
            states: states.into_iter().map(Into::into).collect(),
            scale: Scale::Nominal,
            has_missing_state: false,
        }
    }

    /// The number of states.
    pub fn cardinality(&self) -> usize {
        self.states.len()
    }

    /// The code of the state that stands for "missing", if there is one.
    pub fn missing_state(&self) -> Option<u8> {
        self.has_missing_state.then(|| (self.states.len() - 1) as u8)
    }

    /// The code of a state label.
    pub fn code(&self, state: &str) -> Option<u8> {
        self.states.iter().position(|s| s == state).map(|i| i as u8)
    }
}

/// The variables of a table or a network: names unique, labels unique within a variable, 1 to [`MAX_STATES`] states.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Vec<Variable>", into = "Vec<Variable>")]
pub struct Schema {
    variables: Vec<Variable>,
    by_name: HashMap<String, usize>,
}

impl Schema {
    /// Checks the variables and builds the schema.
    pub fn new(variables: Vec<Variable>) -> Result<Self, Error> {
        let mut by_name = HashMap::with_capacity(variables.len());
        for (i, v) in variables.iter().enumerate() {
            if by_name.insert(v.name.clone(), i).is_some() {
                return Err(Error::DuplicateVariable(v.name.clone()));
            }
            if v.states.is_empty() || v.states.len() > MAX_STATES {
                return Err(Error::StateCount {
                    variable: v.name.clone(),
                    states: v.states.len(),
                    max: MAX_STATES,
                });
            }
            let mut sorted: Vec<&String> = v.states.iter().collect();
            sorted.sort();
            if let Some(pair) = sorted.windows(2).find(|w| w[0] == w[1]) {
                return Err(Error::DuplicateState { variable: v.name.clone(), state: pair[0].clone() });
            }
        }
        Ok(Schema { variables, by_name })
    }

    /// The variables in order.
    pub fn variables(&self) -> &[Variable] {
        &self.variables
    }

    /// How many variables there are.
    pub fn len(&self) -> usize {
        self.variables.len()
    }

    /// Whether there is no variable at all.
    pub fn is_empty(&self) -> bool {
        self.variables.is_empty()
    }

    /// The variable at an index.
    pub fn variable(&self, index: usize) -> &Variable {
        &self.variables[index]
    }

    /// The name at an index.
    pub fn name(&self, index: usize) -> &str {
        &self.variables[index].name
    }

    /// The number of states at an index.
    pub fn cardinality(&self, index: usize) -> usize {
        self.variables[index].states.len()
    }

    /// The index of a name, if the schema holds it.
    pub fn index(&self, name: &str) -> Option<usize> {
        self.by_name.get(name).copied()
    }

    /// All indices in the order of the names, which does not depend on the order of the variables.
    pub fn in_name_order(&self) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.len()).collect();
        order.sort_by_key(|&v| self.name(v));
        order
    }

    /// The index of a name, or an error that names it.
    pub fn require(&self, name: &str) -> Result<usize, Error> {
        self.index(name).ok_or_else(|| Error::UnknownVariable(name.to_string()))
    }
}

impl TryFrom<Vec<Variable>> for Schema {
    type Error = Error;
    fn try_from(variables: Vec<Variable>) -> Result<Self, Error> {
        Schema::new(variables)
    }
}

impl From<Schema> for Vec<Variable> {
    fn from(schema: Schema) -> Self {
        schema.variables
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refuses_duplicates_and_empty_variables() {
        let twice = vec![Variable::new("a", ["x", "y"]), Variable::new("a", ["x", "y"])];
        assert_eq!(Schema::new(twice), Err(Error::DuplicateVariable("a".into())));
        let label = vec![Variable::new("a", ["x", "x"])];
        assert!(matches!(Schema::new(label), Err(Error::DuplicateState { .. })));
        let none = vec![Variable::new("a", Vec::<String>::new())];
        assert!(matches!(Schema::new(none), Err(Error::StateCount { states: 0, .. })));
    }

    #[test]
    fn finds_names() {
        let schema = Schema::new(vec![Variable::new("a", ["x"]), Variable::new("b", ["x", "y"])]).unwrap();
        assert_eq!(schema.index("b"), Some(1));
        assert_eq!(schema.require("c"), Err(Error::UnknownVariable("c".into())));
        assert_eq!(schema.variable(1).code("y"), Some(1));
        let turned = Schema::new(schema.variables().iter().rev().cloned().collect()).unwrap();
        assert_eq!((schema.in_name_order(), turned.in_name_order()), (vec![0, 1], vec![1, 0]));
    }
}
