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
//! sets its states; empty cells say nothing. To do nothing, at no cost, is always possible; an action that sets nothing says what it costs. No cost is below 0:
//! what an action brings in is what a state that it sets is worth.

use super::evidence::{node, not_one, state};
use super::{Model, ModelError};
use crate::Error;
use crate::error::Place;
use crate::words::counted;
use clausality_bn::Schema;
use clausality_bn::dynamic::Lagged;
use clausality_bn::infer::{Evidence, Finding};
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
    /// As it is written there, to say where something stands.
    #[serde(skip)]
    written: Written,
    /// What states are worth.
    #[serde(default)]
    pub utility: Vec<NamedWorth>,
    /// What can be done.
    #[serde(default)]
    pub action: Vec<NamedAction>,
}

/// The text of a file.
#[derive(Debug, Clone, Default, PartialEq)]
enum Written {
    /// There is none.
    #[default]
    Nowhere,
    /// TOML or JSON.
    Tree(String),
    /// CSV.
    Table(String),
}

/// What is wrong, and where: a line and a column, from 1.
type Wrong = (Option<(u64, u64)>, String);

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
    #[serde(default, deserialize_with = "cost")]
    pub cost: f64,
}

fn cost<'de, D: Deserializer<'de>>(from: D) -> Result<f64, D::Error> {
    let cost = f64::deserialize(from)?;
    no_gain(cost).map_err(D::Error::custom)
}

/// A cost that is none.
fn no_gain(cost: f64) -> Result<f64, String> {
    match cost < 0.0 {
        false => Ok(cost),
        true => Err(format!(
            "the cost {cost} is below 0; expected what an action takes. What it brings in is a utility of {} for the state that it sets",
            -cost
        )),
    }
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
        let wrong = |wrong: Wrong| at(&source, wrong);
        let text = std::str::from_utf8(&bytes)
            .map_err(|error| wrong((None, format!("this is not UTF-8: {error}"))))?;
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let (mut found, written) = match ending.as_str() {
            "csv" => (from_csv(text).map_err(wrong)?, Written::Table(text.to_string())),
            "json" => (
                serde_json::from_str(text).map_err(|error| wrong(in_json(error, text)))?,
                Written::Tree(text.into()),
            ),
            "toml" => (from_toml(text).map_err(wrong)?, Written::Tree(text.into())),
            _ => {
                let reason = "expected a file that ends in .csv, .json or .toml".into();
                return Err(wrong((None, reason)).into());
            }
        };
        (found.source, found.written) = (source, written);
        Ok(found)
    }

    /// From the text of a JSON document.
    ///
    /// # Errors
    /// A text that is none.
    pub fn from_json(text: &str) -> Result<Self, Error> {
        const SOURCE: &str = "the utility";
        let wrong = |error: serde_json::Error| at(SOURCE, (None, in_json(error, text).1));
        let found: Utility = serde_json::from_str(text).map_err(wrong)?;
        Ok(Utility { source: SOURCE.into(), ..found })
    }

    /// The steps that it speaks of, of a network over time.
    pub fn steps(&self) -> impl Iterator<Item = i64> {
        let worths = self.utility.iter().flat_map(|worth| worth.when.keys());
        let names = worths.chain(self.action.iter().flat_map(|action| action.set.keys()));
        names.filter_map(|name| Lagged::parse(name).step)
    }

    /// The same by index; to do nothing comes first, unless the file says what that costs.
    pub(super) fn over(&self, model: &Model) -> Result<(Vec<Worth>, Vec<Action>), Error> {
        let wrong = |reason: String| at(&self.source, (None, reason));
        let (schema, coding) = (model.network.schema(), model.coding()?);
        let places = |states: &BTreeMap<String, String>| -> Result<Vec<(usize, u8)>, Error> {
            let place = |(name, text): (&String, &String)| {
                let here =
                    |state: bool, reason: String| at(&self.source, (self.place(name, text, state), reason));
                let node = node(schema, name).map_err(|error| here(false, error.to_string()))?;
                let variable = schema.variable(node);
                let code = state(variable, coding.as_ref(), text);
                let code =
                    code.ok_or_else(|| here(true, not_one(variable, coding.as_ref(), text).to_string()))?;
                Ok((node, code))
            };
            states.iter().map(place).collect()
        };
        let finite = |what: &str, number: f64| match number.is_finite() {
            true => Ok(number),
            false => Err(wrong(format!("{what} is {number}; expected a number"))),
        };
        let mut worths = Vec::with_capacity(self.utility.len());
        let mut sum = 0.0;
        for (k, NamedWorth { when, value }) in self.utility.iter().enumerate() {
            worths.push(Worth { when: places(when)?, value: finite("a utility", *value)? });
            sum += value.abs();
            if !f64::is_finite(sum) {
                let reason = "with this, what states are worth adds up to more than a number can hold: give all in a larger unit".into();
                return Err(at(&self.source, (self.entry(k, false), reason)).into());
            }
        }
        let mut actions = Vec::with_capacity(self.action.len() + 1);
        for (k, NamedAction { set, cost }) in self.action.iter().enumerate() {
            let cost = no_gain(finite("a cost", *cost)?).map_err(wrong)?;
            let here = |reason: String| at(&self.source, (self.entry(k, true), reason));
            let action = Action { set: places(set)?, cost };
            let same = |other: &Action| {
                other.set.len() == action.set.len() && other.set.iter().all(|one| action.set.contains(one))
            };
            if actions.iter().any(same) {
                let named = set.iter().map(|(name, state)| format!("{name}={state}"));
                let named: Vec<String> = named.collect();
                let what =
                    if named.is_empty() { "to do nothing".into() } else { format!("'{}'", named.join(", ")) };
                let reason = format!("the action {what} is there twice: leave one of them out");
                return Err(here(reason).into());
            }
            if !f64::is_finite(sum + cost) {
                let reason = "its cost and what states are worth add up to more than a number can hold: give all in a larger unit";
                return Err(here(reason.into()).into());
            }
            actions.push(action);
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

impl Utility {
    /// Refuses an action on a node of which something is given: that is what the action decides.
    pub(super) fn still_open(&self, schema: &Schema, evidence: &Evidence) -> Result<(), Error> {
        for (k, (name, text)) in self
            .action
            .iter()
            .enumerate()
            .flat_map(|(k, action)| action.set.iter().map(move |pair| (k, pair)))
        {
            let given = match evidence.finding(node(schema, name)?) {
                Finding::Free => continue,
                Finding::Set(_) => "done already",
                Finding::Observed(_) | Finding::Likelihood(_) => "given",
            };
            let reason = format!(
                "the action {name}={text} decides '{name}', of which something is {given}: leave '{name}' out of what is {given}"
            );
            return Err(at(&self.source, (self.entry(k, true), reason)).into());
        }
        Ok(())
    }

    /// Where one of the actions stands, or one of what states are worth, counted from 0.
    fn entry(&self, k: usize, action: bool) -> Option<(u64, u64)> {
        match &self.written {
            Written::Nowhere => None,
            Written::Table(text) => {
                let mut rows = table(text);
                let name = if action { "cost" } else { "utility" };
                let column = rows.headers().ok()?.iter().position(|head| head.eq_ignore_ascii_case(name))?;
                let of_kind = |row: &csv::StringRecord| row.get(column).is_some_and(|cell| !cell.is_empty());
                let row = rows.records().filter_map(Result::ok).filter(of_kind).nth(k)?;
                let first = row.iter().position(|cell| !cell.is_empty())?;
                cell_place(&row, if action { first } else { column }, text)
            }
            Written::Tree(text) => {
                let (key, all) =
                    if action { ("do", self.action.len()) } else { ("value", self.utility.len()) };
                let is_key = |&place: &usize| {
                    let name = |c: char| c.is_alphanumeric() || c == '_';
                    let rest = text[place + key.len()..].trim_start_matches(['"', '\'']).trim_start();
                    !text[..place].ends_with(name) && rest.starts_with([':', '='])
                };
                let keys: Vec<usize> =
                    text.match_indices(key).map(|(place, _)| place).filter(is_key).collect();
                // Where some have none, or a node has that name, nothing tells which it is.
                (keys.len() == all).then(|| line_and_column(text, keys[k]))
            }
        }
    }

    /// Where a node stands with a state beside it: the place of its name, or of the state.
    fn place(&self, name: &str, state: &str, of_state: bool) -> Option<(u64, u64)> {
        match &self.written {
            Written::Nowhere => None,
            Written::Tree(text) => in_tree(text, name, state, of_state),
            Written::Table(text) => in_table(text, name, state, of_state),
        }
    }
}

fn in_tree(text: &str, name: &str, state: &str, of_state: bool) -> Option<(u64, u64)> {
    let beside = |at: &usize| {
        let rest = text[at + name.len()..].trim_start_matches(['"', '\'']).trim_start();
        let rest = rest.strip_prefix([':', '='])?.trim_start().trim_start_matches(['"', '\'']);
        rest.starts_with(state).then_some((*at, text.len() - rest.len()))
    };
    let names = text.match_indices(name).map(|(at, _)| at);
    let (name, state) = names.filter_map(|at| beside(&at)).next()?;
    Some(line_and_column(text, if of_state { state } else { name }))
}

fn in_table(text: &str, name: &str, state: &str, of_state: bool) -> Option<(u64, u64)> {
    let mut rows = table(text);
    let header = rows.headers().ok()?;
    let column = header.iter().position(|head| head == name)?;
    if !of_state {
        return Some((1, cell_column(text.lines().next()?, column)));
    }
    let row = rows.records().filter_map(Result::ok).find(|row| row.get(column) == Some(state))?;
    cell_place(&row, column, text)
}

/// Where a cell of a line begins, from 1.
fn cell_column(line: &str, cell: usize) -> u64 {
    let (mut commas, mut quoted) = (0, false);
    for (place, letter) in line.chars().enumerate() {
        if commas == cell {
            return place as u64 + 1;
        }
        quoted ^= letter == '"';
        commas += usize::from(letter == ',' && !quoted);
    }
    line.chars().count() as u64 + 1
}

fn line_and_column(text: &str, byte: usize) -> (u64, u64) {
    let before = text.get(..byte).unwrap_or(text);
    let line = before.rsplit('\n').next().unwrap_or_default();
    (before.matches('\n').count() as u64 + 1, line.chars().count() as u64 + 1)
}

fn at(source: &str, (place, reason): Wrong) -> ModelError {
    let place = match place {
        Some((line, column)) => Place::at(source, line, column),
        None => Place::file(source),
    };
    ModelError::Utility { place, reason }
}

/// What is wrong with a JSON document, its place by itself: where the number begins that ends there.
fn in_json(error: serde_json::Error, text: &str) -> Wrong {
    let said = error.to_string();
    let reason = said.rsplit_once(" at line ").map_or(said.as_str(), |(reason, _)| reason).to_string();
    let place = text.split('\n').nth(error.line().wrapping_sub(1)).map(|line| {
        let before = line.get(..error.column()).unwrap_or(line);
        let number = |c: char| c.is_ascii_digit() || ".+-eE".contains(c);
        let start = match error.is_data() {
            true => before.trim_end_matches([',', '}', ']', ' ']).trim_end_matches(number),
            false => before.get(..before.len().saturating_sub(1)).unwrap_or_default(),
        };
        (error.line() as u64, start.chars().count() as u64 + 1)
    });
    (place, reason)
}

#[cfg(feature = "config")]
fn from_toml(text: &str) -> Result<Utility, Wrong> {
    toml::from_str(text).map_err(|error| {
        let place = error.span().map(|span| line_and_column(text, span.start));
        (place, error.message().trim_end().replace('\n', " "))
    })
}

#[cfg(not(feature = "config"))]
fn from_toml(_: &str) -> Result<Utility, Wrong> {
    Err((None, "this build reads no TOML: write .csv or .json".into()))
}

/// The rows of a CSV.
fn table(text: &str) -> csv::Reader<&[u8]> {
    csv::ReaderBuilder::new().trim(csv::Trim::All).from_reader(text.as_bytes())
}

/// What is wrong with a CSV.
fn in_csv(error: csv::Error) -> Wrong {
    match error.kind() {
        csv::ErrorKind::UnequalLengths { pos, expected_len, len } => (
            pos.as_ref().map(|place| (place.line(), 1)),
            format!("{} where the header has {expected_len}", counted(*len as usize, "cell")),
        ),
        _ => (error.position().map(|place| (place.line(), 1)), error.to_string()),
    }
}

/// The number in a cell of a text, if there is one.
fn number(row: &csv::StringRecord, place: usize, text: &str) -> Result<Option<f64>, Wrong> {
    let cell = row.get(place).unwrap_or_default();
    if cell.is_empty() {
        return Ok(None);
    }
    cell.parse().map(Some).map_err(|_| (cell_place(row, place, text), format!("'{cell}' is no number")))
}

fn cell_place(row: &csv::StringRecord, cell: usize, text: &str) -> Option<(u64, u64)> {
    let start = usize::try_from(row.position()?.byte()).ok()?;
    Some((row.position()?.line(), cell_column(text.get(start..)?.lines().next()?, cell)))
}

fn from_csv(text: &str) -> Result<Utility, Wrong> {
    let mut rows = table(text);
    let header = rows.headers().map_err(in_csv)?.clone();
    let place = |name: &str| header.iter().position(|column| column.eq_ignore_ascii_case(name));
    let (Some(utility), Some(cost)) = (place("utility"), place("cost")) else {
        let reason = "expected a header with the columns 'utility' and 'cost' beside names of nodes".into();
        return Err((Some((1, 1)), reason));
    };
    let mut found = Utility::default();
    for row in rows.records() {
        let row = row.map_err(in_csv)?;
        let states: BTreeMap<String, String> = header
            .iter()
            .zip(&row)
            .enumerate()
            .filter(|(k, (_, cell))| ![utility, cost].contains(k) && !cell.is_empty())
            .map(|(_, (name, cell))| (name.to_string(), cell.to_string()))
            .collect();
        match (number(&row, utility, text)?, number(&row, cost, text)?) {
            (Some(value), None) => found.utility.push(NamedWorth { when: states, value }),
            (None, Some(price)) => {
                let price = no_gain(price).map_err(|reason| (cell_place(&row, cost, text), reason))?;
                found.action.push(NamedAction { set: states, cost: price });
            }
            _ => {
                let reason = "expected either a utility or a cost".into();
                return Err((cell_place(&row, utility, text), reason));
            }
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
    let wrong = |wrong: Wrong| at(&source, wrong);
    let text =
        std::str::from_utf8(&bytes).map_err(|error| wrong((None, format!("this is not UTF-8: {error}"))))?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut rows = table(text);
    let header = rows.headers().map_err(in_csv).map_err(wrong)?;
    let place = |name: &str| header.iter().position(|column| column.eq_ignore_ascii_case(name));
    let (Some(node), Some(cost)) = (place("node"), place("cost")) else {
        let reason = "expected a header with the columns 'node' and 'cost'".into();
        return Err(wrong((Some((1, 1)), reason)).into());
    };
    let mut found = vec![];
    for row in rows.records() {
        let row = row.map_err(in_csv).map_err(wrong)?;
        let name = row.get(node).unwrap_or_default();
        let price = number(&row, cost, text).map_err(wrong)?;
        let price = price.ok_or_else(|| {
            wrong((cell_place(&row, cost, text), format!("the cost of '{name}' is empty; expected a number")))
        })?;
        found.push((name.to_string(), price));
    }
    Ok(found)
}
