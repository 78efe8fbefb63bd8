//! What is worth what, and what can be done: the file of `query --utility`.
//!
//! ```text
//! TOML                                     JSON: the same names          CSV
//! [[utility]]                              {"utility": [                 Exited,Offer,utility,cost
//! when = { Exited = "yes" }                  {"when": {"Exited": "yes"}, yes,,-1000,
//! value = -1000                               "value": -1000}],          ,yes,,20
//! [[action]]                                "action": [
//! do = { Offer = "yes" }                     {"do": {"Offer": "yes"},
//! cost = 20                                   "cost": 20}]}
//! ```
//!
//! What is worth something adds up. In a CSV a row with a `utility` says what its states together are worth, a row with a `cost` is an action that
//! sets its states; empty cells say nothing. To do nothing, at no cost, is always possible; an action that sets nothing says what it costs.

use super::evidence::{node, not_one, state};
use super::{Model, ModelError};
use crate::Error;
use clausality_bn::dynamic::Lagged;
use clausality_bn::insight::{Action, Worth};
use clausality_bn::io::Limits;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};
use std::collections::BTreeMap;
use std::path::Path;

/// What is worth what, and what can be done, by names.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Utility {
    /// Where it was read.
    #[serde(skip)]
    pub source: String,
    /// What states are worth.
    #[serde(default)]
    pub utility: Vec<NamedWorth>,
    /// What can be done.
    #[serde(default)]
    pub action: Vec<NamedAction>,
}

/// What some states together are worth.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NamedWorth {
    /// The states, by node.
    #[serde(default, deserialize_with = "texts")]
    pub when: BTreeMap<String, String>,
    /// The value.
    pub value: f64,
}

/// Something that can be done.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NamedAction {
    /// What is set, by node.
    #[serde(rename = "do", default, deserialize_with = "texts")]
    pub set: BTreeMap<String, String>,
    /// What it costs.
    #[serde(default)]
    pub cost: f64,
}

/// States as texts, however they are written.
fn texts<'de, D: Deserializer<'de>>(from: D) -> Result<BTreeMap<String, String>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Cell {
        Text(String),
        Truth(bool),
        Whole(i64),
        Number(f64),
    }
    let found: BTreeMap<String, Cell> = BTreeMap::deserialize(from)
        .map_err(|error| D::Error::custom(format!("expected states by node: {error}")))?;
    let text = |cell| match cell {
        Cell::Text(text) => text,
        Cell::Truth(truth) => truth.to_string(),
        Cell::Whole(number) => number.to_string(),
        Cell::Number(number) => number.to_string(),
    };
    Ok(found.into_iter().map(|(node, cell)| (node, text(cell))).collect())
}

impl Utility {
    /// Reads a file: `.csv`, `.json` or `.toml`.
    ///
    /// # Errors
    /// A file that cannot be read, or is none of these.
    pub fn read(path: &Path, limits: &Limits) -> Result<Self, Error> {
        let source = path.display().to_string();
        let bytes = super::contents(path, &source, limits)?;
        let ending = path.extension().and_then(|e| e.to_str()).unwrap_or_default().to_ascii_lowercase();
        let wrong = |reason: String| ModelError::Utility { file: source.clone(), reason };
        let mut found = match ending.as_str() {
            "csv" => from_csv(&bytes).map_err(wrong)?,
            "json" => serde_json::from_slice(&bytes).map_err(|error| wrong(error.to_string()))?,
            "toml" => from_toml(&bytes).map_err(wrong)?,
            _ => return Err(wrong("expected a file that ends in .csv, .json or .toml".into()).into()),
        };
        found.source = source;
        Ok(found)
    }

    /// From the text of a JSON document.
    ///
    /// # Errors
    /// A text that is none.
    pub fn from_json(text: &str) -> Result<Self, Error> {
        let wrong = |error: serde_json::Error| ModelError::Utility {
            file: "the utility".into(),
            reason: error.to_string(),
        };
        let found: Utility = serde_json::from_str(text).map_err(wrong)?;
        Ok(Utility { source: "the utility".into(), ..found })
    }

    /// The steps that it speaks of, of a network over time.
    pub fn steps(&self) -> impl Iterator<Item = i64> {
        let worths = self.utility.iter().flat_map(|worth| worth.when.keys());
        let names = worths.chain(self.action.iter().flat_map(|action| action.set.keys()));
        names.filter_map(|name| Lagged::parse(name).step)
    }

    /// The same by index; to do nothing comes first, unless the file says what that costs.
    pub(super) fn over(&self, model: &Model) -> Result<(Vec<Worth>, Vec<Action>), Error> {
        let wrong = |reason: String| ModelError::Utility { file: self.source.clone(), reason };
        let (schema, coding) = (model.network.schema(), model.coding()?);
        let places = |states: &BTreeMap<String, String>| -> Result<Vec<(usize, u8)>, Error> {
            let place = |(name, text): (&String, &String)| {
                let node = node(schema, name).map_err(|error| wrong(error.to_string()))?;
                let variable = schema.variable(node);
                let code = state(variable, coding.as_ref(), text);
                let code = code.ok_or_else(|| wrong(not_one(variable, coding.as_ref(), text).to_string()))?;
                Ok((node, code))
            };
            states.iter().map(place).collect()
        };
        let finite = |what: &str, number: f64| match number.is_finite() {
            true => Ok(number),
            false => Err(wrong(format!("{what} is {number}; expected a number"))),
        };
        let mut worths = Vec::with_capacity(self.utility.len());
        for NamedWorth { when, value } in &self.utility {
            worths.push(Worth { when: places(when)?, value: finite("a utility", *value)? });
        }
        let mut actions = Vec::with_capacity(self.action.len() + 1);
        for NamedAction { set, cost } in &self.action {
            actions.push(Action { set: places(set)?, cost: finite("a cost", *cost)? });
        }
        if worths.is_empty() || actions.is_empty() {
            let what = if worths.is_empty() { "nothing is worth anything" } else { "there is no action" };
            let reason = format!("{what}: expected at least one utility and one action with its cost");
            return Err(wrong(reason).into());
        }
        if actions.iter().all(|action| !action.set.is_empty()) {
            actions.insert(0, Action { set: vec![], cost: 0.0 });
        }
        Ok((worths, actions))
    }
}

#[cfg(feature = "config")]
fn from_toml(bytes: &[u8]) -> Result<Utility, String> {
    let text = std::str::from_utf8(bytes).map_err(|error| format!("this is not UTF-8: {error}"))?;
    toml::from_str(text).map_err(|error| error.to_string().trim_end().replace('\n', " "))
}

#[cfg(not(feature = "config"))]
fn from_toml(_: &[u8]) -> Result<Utility, String> {
    Err("this build reads no TOML: write .csv or .json".into())
}

fn from_csv(bytes: &[u8]) -> Result<Utility, String> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let mut rows = csv::ReaderBuilder::new().trim(csv::Trim::All).from_reader(bytes);
    let header = rows.headers().map_err(|error| error.to_string())?.clone();
    let place = |name: &str| header.iter().position(|column| column.eq_ignore_ascii_case(name));
    let (utility, cost) = (place("utility"), place("cost"));
    if utility.is_none() || cost.is_none() {
        return Err("expected a header with the columns 'utility' and 'cost' beside names of nodes".into());
    }
    let mut found = Utility::default();
    for row in rows.records() {
        let row = row.map_err(|error| error.to_string())?;
        let line = row.position().map_or(0, csv::Position::line);
        let number = |place: Option<usize>| -> Result<Option<f64>, String> {
            let text = place.and_then(|place| row.get(place)).unwrap_or_default();
            let parsed = || text.parse().map_err(|_| format!("line {line}: '{text}' is no number"));
            if text.is_empty() { Ok(None) } else { parsed().map(Some) }
        };
        let states: BTreeMap<String, String> = header
            .iter()
            .zip(&row)
            .enumerate()
            .filter(|(k, (_, cell))| ![utility, cost].contains(&Some(*k)) && !cell.is_empty())
            .map(|(_, (name, cell))| (name.to_string(), cell.to_string()))
            .collect();
        match (number(utility)?, number(cost)?) {
            (Some(value), None) => found.utility.push(NamedWorth { when: states, value }),
            (None, Some(cost)) => found.action.push(NamedAction { set: states, cost }),
            _ => return Err(format!("line {line}: expected either a utility or a cost")),
        }
    }
    Ok(found)
}

/// What it costs to see nodes: a CSV with the columns `node` and `cost`.
///
/// # Errors
/// A file that cannot be read, or is none.
pub fn read_costs(path: &Path, limits: &Limits) -> Result<Vec<(String, f64)>, Error> {
    let source = path.display().to_string();
    let bytes = super::contents(path, &source, limits)?;
    let wrong = |reason: String| ModelError::Utility { file: source.clone(), reason };
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&bytes);
    let mut rows = csv::ReaderBuilder::new().trim(csv::Trim::All).from_reader(bytes);
    let header = rows.headers().map_err(|error| wrong(error.to_string()))?;
    let place = |name: &str| header.iter().position(|column| column.eq_ignore_ascii_case(name));
    let (Some(node), Some(cost)) = (place("node"), place("cost")) else {
        return Err(wrong("expected a header with the columns 'node' and 'cost'".into()).into());
    };
    let mut found = vec![];
    for row in rows.records() {
        let row = row.map_err(|error| wrong(error.to_string()))?;
        let (name, text) = (row.get(node).unwrap_or_default(), row.get(cost).unwrap_or_default());
        let number =
            text.parse().map_err(|_| wrong(format!("the cost of '{name}', '{text}', is no number")))?;
        found.push((name.to_string(), number));
    }
    Ok(found)
}
