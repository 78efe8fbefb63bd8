//! What may be chosen about predicting columns.

use crate::Error;
use serde::{Deserialize, Serialize};

/// Which columns one wants to predict, and how it is found out how well that goes.
///
/// | name | default | purpose | range |
/// |---|---|---|---|
/// | `target` | none | columns that are to be predicted: their neighbourhoods are judged by that, and machines learn to | columns |
/// | `folds` | 10 in `evaluate`, else none | parts of the rows that are predicted by what the others teach | 2 to 100 |
/// | `repeats` | 1 | how often the rows are dealt into folds anew | 1 to 100 |
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct TargetSettings {
    /// The columns to predict.
    pub target: Option<Vec<String>>,
    /// Parts of the rows, each predicted by what the others teach.
    pub folds: Option<usize>,
    /// How often rows are dealt anew.
    pub repeats: Option<usize>,
}

impl TargetSettings {
    /// Checks every range; columns are checked when there is a table.
    ///
    /// # Errors
    /// The name of what is out of its range.
    pub fn check(&self) -> Result<(), Error> {
        for (name, value, least) in [("folds", self.folds, 2), ("repeats", self.repeats, 1)] {
            if let Some(value) = value.filter(|value| !(least..=100).contains(value)) {
                let expected = if least == 2 { "between 2 and 100" } else { "between 1 and 100" };
                return Err(Error::Setting { name, value: value.to_string(), expected });
            }
        }
        for (name, value) in [("folds", self.folds), ("repeats", self.repeats)] {
            if let (true, Some(value)) = (self.targets().is_empty(), value) {
                let value = format!("{value}, but no column is to be predicted");
                return Err(Error::Setting {
                    name,
                    value,
                    expected: "left out, or given together with a target",
                });
            }
        }
        let targets = self.targets();
        if let Some((_, twice)) = targets.iter().enumerate().find(|(k, name)| targets[..*k].contains(name)) {
            let value = format!("'{twice}' twice");
            return Err(Error::Setting { name: "target", value, expected: "a list of different columns" });
        }
        Ok(())
    }

    /// The columns to predict.
    pub fn targets(&self) -> &[String] {
        self.target.as_deref().unwrap_or_default()
    }
}
