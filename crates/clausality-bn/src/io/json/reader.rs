//! JSON text to a network.
//!
//! The parser of `serde_json` finds the parts and their extent (each part is scanned once per level, four times at most);
//! what they mean is checked here, so that every fault is answered with the place of the part at fault.

use super::{Extra, FORMAT};
use crate::cpt::{Budget, check_parents, check_row};
use crate::error::shown;
use crate::io::{Limits, at, text};
use crate::network::named_cycle;
use crate::{Cpt, Cycle, Dag, Error, MAX_STATES, Network, Scale, Schema, Variable};
use serde::de::{DeserializeOwned, Deserializer, IgnoredAny, SeqAccess, Visitor};
use serde::{Deserialize, de};
use serde_json::value::RawValue;
use std::fmt;

/// Reads a network from the bytes of a JSON file.
///
/// # Errors
/// [`Error::At`] with line and column for whatever is wrong with the text; [`Error::Limit`] (inside it) or
/// [`Error::InputSize`] for what is too large.
pub fn read(bytes: &[u8], limits: &Limits) -> Result<Network, Error> {
    Ok(read_with_extra(bytes, limits)?.0)
}

/// Reads a network and what its maker keeps with it.
///
/// # Errors
/// As [`read`].
pub fn read_with_extra(bytes: &[u8], limits: &Limits) -> Result<(Network, Extra), Error> {
    let source = Source { text: text(bytes, limits)? };
    source.expect_format(FORMAT, "a network")?;
    let document: Document<'_> = source.parse_text(source.text)?;
    debug_assert!(document.format.get().contains(FORMAT));
    let name = source.name(document.name)?;
    let drafts = source.drafts(document.nodes)?;
    if drafts.is_empty() {
        let none = "expected a node, found none: the file holds no network";
        return source.fail(source.text.trim_start(), none.to_string());
    }
    let network = network(&source, name, &drafts, &mut Budget::new(limits.table_bytes))?;
    let extra = document.extra.map(|extra| source.parse(extra)).transpose()?.unwrap_or_default();
    Ok((network, extra))
}

/// The network of all drafts.
pub(super) fn network(
    source: &Source<'_>,
    name: String,
    drafts: &[Draft<'_>],
    budget: &mut Budget,
) -> Result<Network, Error> {
    let schema = schema(source, drafts)?;
    let cpts = drafts.iter().enumerate().map(|(node, draft)| draft.cpt(source, &schema, node, budget));
    let cpts = cpts.collect::<Result<Vec<Cpt>, Error>>()?;
    let arcs = cpts.iter().enumerate().flat_map(|(v, cpt)| cpt.parents().iter().map(move |&p| (p, v)));
    if let Err(Cycle { path }) = Dag::from_arcs(schema.len(), arcs) {
        let child = path[1 % path.len()];
        return Err(source.at(drafts[child].place, named_cycle(&schema, &path)));
    }
    Network::new(name, schema, cpts)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Document<'a> {
    #[serde(borrow)]
    format: &'a RawValue,
    #[serde(borrow, default)]
    name: Option<&'a RawValue>,
    #[serde(borrow)]
    nodes: &'a RawValue,
    #[serde(borrow, default)]
    extra: Option<&'a RawValue>,
}

/// What says which format a file is in.
#[derive(Deserialize)]
pub(super) struct Mark<'a> {
    #[serde(borrow, default)]
    pub(super) format: Option<&'a RawValue>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Node<'a> {
    #[serde(borrow)]
    name: &'a RawValue,
    #[serde(borrow)]
    states: &'a RawValue,
    #[serde(default)]
    scale: Scale,
    #[serde(default)]
    missing_state: bool,
    #[serde(borrow, default)]
    parents: Option<&'a RawValue>,
    #[serde(borrow)]
    rows: &'a RawValue,
}

/// The whole text, in which every part knows its place.
pub(super) struct Source<'a> {
    pub(super) text: &'a str,
}

impl<'a> Source<'a> {
    pub(super) fn at(&self, part: &str, error: Error) -> Error {
        at(self.text, self.offset(part), error)
    }

    pub(super) fn fail<T>(&self, part: &str, message: String) -> Result<T, Error> {
        Err(self.at(part, Error::Syntax(message)))
    }

    /// Where a part of the text begins.
    fn offset(&self, part: &str) -> usize {
        (part.as_ptr() as usize).saturating_sub(self.text.as_ptr() as usize).min(self.text.len())
    }

    /// What the parser says, with the place in the whole text instead of in the part it was given.
    fn refuse(&self, part: &str, error: &serde_json::Error) -> Error {
        let lines = part.split_inclusive('\n').take(error.line().saturating_sub(1));
        let inside = lines.map(str::len).sum::<usize>() + error.column().saturating_sub(1);
        let full = error.to_string();
        let place = format!(" at line {} column {}", error.line(), error.column());
        let message = full.strip_suffix(&place).unwrap_or(&full);
        at(self.text, self.offset(part) + inside.min(part.len()), Error::Syntax(shown(message)))
    }

    /// Another program's JSON is told so by its missing mark, not by the first key we do not know.
    pub(super) fn expect_format(&self, wanted: &str, what: &str) -> Result<(), Error> {
        let expected = format!("expected {what} with \"format\": \"{wanted}\"");
        if !self.text.trim_start().starts_with(['{', '[']) && !self.text.trim().is_empty() {
            return self.fail(self.text.trim_start(), expected);
        }
        let mark: Mark<'a> = serde_json::from_str(self.text).map_err(|e| self.refuse(self.text, &e))?;
        let Some(format) = mark.format.filter(|_| self.text.trim_start().starts_with('{')) else {
            return self.fail(self.text.trim_start(), format!("{expected}, found no \"format\""));
        };
        if serde_json::from_str::<String>(format.get()).ok().as_deref() != Some(wanted) {
            return self.fail(format.get(), format!("{expected}, found {}", shown(format.get())));
        }
        Ok(())
    }

    /// The name that a file gives its network.
    pub(super) fn name(&self, raw: Option<&'a RawValue>) -> Result<String, Error> {
        Ok(raw.map(|name| self.parse(name)).transpose()?.unwrap_or("unknown".into()))
    }

    /// The nodes of a list.
    pub(super) fn drafts(&self, nodes: &'a RawValue) -> Result<Vec<Draft<'a>>, Error> {
        let mut drafts = Vec::new();
        self.each(nodes, |raw| {
            drafts.push(Draft::read(self, raw)?);
            Ok(())
        })?;
        Ok(drafts)
    }

    pub(super) fn parse<T: DeserializeOwned>(&self, raw: &'a RawValue) -> Result<T, Error> {
        self.parse_text(raw.get())
    }

    pub(super) fn parse_text<T: Deserialize<'a>>(&self, part: &'a str) -> Result<T, Error> {
        serde_json::from_str(part).map_err(|error| self.refuse(part, &error))
    }

    /// Hands out the elements of an array one by one, so that a fault ends the reading before anything is piled up.
    fn each(
        &self,
        array: &'a RawValue,
        take: impl FnMut(&'a RawValue) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let mut elements = Elements { take, fault: None };
        let mut parser = serde_json::Deserializer::from_str(array.get());
        let read = (&mut parser).deserialize_seq(&mut elements);
        match (elements.fault, read) {
            (Some(fault), _) => Err(fault),
            (None, Err(error)) => Err(self.refuse(array.get(), &error)),
            (None, Ok(())) => Ok(()),
        }
    }

    /// Texts, at most so many.
    fn texts(&self, array: &'a RawValue, most: usize, what: &str) -> Result<Vec<(String, &'a str)>, Error> {
        let mut texts = Vec::new();
        self.each(array, |raw| {
            if texts.len() == most {
                return self.fail(raw.get(), format!("more than {most} {what}"));
            }
            texts.push((self.parse(raw)?, raw.get()));
            Ok(())
        })?;
        Ok(texts)
    }
}

struct Elements<F> {
    take: F,
    fault: Option<Error>,
}

impl<'de, F: FnMut(&'de RawValue) -> Result<(), Error>> Visitor<'de> for &mut Elements<F> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut sequence: A) -> Result<(), A::Error> {
        while let Some(raw) = sequence.next_element::<&'de RawValue>()? {
            if let Err(fault) = (self.take)(raw) {
                self.fault = Some(fault);
                return Err(de::Error::custom("stopped"));
            }
        }
        Ok(())
    }
}

/// A node as it stands in the file.
pub(super) struct Draft<'a> {
    pub(super) variable: Variable,
    states: Vec<&'a str>,
    pub(super) parents: Vec<(String, &'a str)>,
    rows: &'a RawValue,
    /// Where its name stands.
    pub(super) place: &'a str,
}

impl<'a> Draft<'a> {
    fn read(source: &Source<'a>, raw: &'a RawValue) -> Result<Self, Error> {
        if !raw.get().starts_with('{') {
            return source.fail(raw.get(), "expected a node with \"name\", \"states\" and \"rows\"".into());
        }
        let node: Node<'a> = source.parse_text(raw.get())?;
        let name: String = source.parse(node.name)?;
        let (states, places): (Vec<String>, Vec<&str>) =
            source.texts(node.states, MAX_STATES, "states")?.into_iter().unzip();
        let parents = match node.parents {
            // A parent list can be no longer than the file, and is checked against the nodes later.
            Some(parents) => source.texts(parents, usize::MAX, "parents")?,
            None => Vec::new(),
        };
        if node.missing_state && states.is_empty() {
            return source.fail(node.states.get(), format!("node '{}' has no state", shown(&name)));
        }
        let (scale, has_missing_state) = (node.scale, node.missing_state);
        let variable = Variable { name, states, scale, has_missing_state };
        Ok(Draft { variable, states: places, parents, rows: node.rows, place: node.name.get() })
    }

    pub(super) fn cpt(
        &self,
        source: &Source<'a>,
        schema: &Schema,
        node: usize,
        budget: &mut Budget,
    ) -> Result<Cpt, Error> {
        let name = shown(&self.variable.name);
        let mut parents = Vec::with_capacity(self.parents.len().min(schema.len()));
        for (parent, place) in &self.parents {
            let Some(index) = schema.index(parent) else {
                return source.fail(place, format!("parent '{}' of '{name}' is no node", shown(parent)));
            };
            parents.push(index);
        }
        check_parents(schema, node, &parents).map_err(|e| {
            let culprit = |p: &&(String, &str)| matches!(&e, Error::Parent { parent, .. } if *parent == p.0);
            source.at(self.parents.iter().rev().find(culprit).map_or(self.place, |p| p.1), e)
        })?;
        let cells = budget.take(schema, node, &parents).map_err(|e| source.at(self.place, e))?;
        let states = schema.cardinality(node);
        let wrong_count = |place: &RawValue, found: &str| {
            let expected = cells / states;
            let message = format!(
                "expected {expected} rows for '{name}', one for each configuration of its parents, found {found}"
            );
            source.at(place.get(), Error::Syntax(message))
        };
        let mut values: Vec<f64> = Vec::with_capacity(cells);
        source.each(self.rows, |row| {
            let j = values.len() / states;
            if values.len() == cells {
                return Err(wrong_count(row, "more"));
            }
            let numbers = source.numbers(row, states, &name)?;
            if let Err(fault) = check_row(&numbers) {
                return Err(source.at(row.get(), fault.into_error(schema, node, &parents, j)));
            }
            values.extend(numbers);
            Ok(())
        })?;
        if values.len() != cells {
            return Err(wrong_count(self.rows, &(values.len() / states).to_string()));
        }
        Cpt::new(schema, node, parents, values).map_err(|e| source.at(self.place, e))
    }
}

impl<'a> Source<'a> {
    /// A row of exactly so many numbers.
    fn numbers(&self, row: &'a RawValue, expected: usize, name: &str) -> Result<Vec<f64>, Error> {
        struct Numbers(usize);
        impl<'de> Visitor<'de> for Numbers {
            type Value = (Vec<f64>, usize);

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a list of probabilities")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut sequence: A) -> Result<Self::Value, A::Error> {
                let mut numbers = Vec::with_capacity(self.0);
                while numbers.len() < self.0 {
                    match sequence.next_element()? {
                        Some(number) => numbers.push(number),
                        None => return Ok((numbers, 0)),
                    }
                }
                let mut more = 0;
                while sequence.next_element::<IgnoredAny>()?.is_some() {
                    more += 1;
                }
                Ok((numbers, more))
            }
        }
        let mut parser = serde_json::Deserializer::from_str(row.get());
        let read = (&mut parser).deserialize_seq(Numbers(expected));
        let (numbers, more) = read.map_err(|error| self.refuse(row.get(), &error))?;
        let found = numbers.len() + more;
        if found == expected {
            return Ok(numbers);
        }
        let message =
            format!("expected {expected} probabilities for '{name}' ({expected} states), found {found}");
        self.fail(row.get(), message)
    }
}

/// The variables of all nodes; what is wrong with them stands at the second of a pair.
pub(super) fn schema(source: &Source<'_>, drafts: &[Draft<'_>]) -> Result<Schema, Error> {
    Schema::new(drafts.iter().map(|draft| draft.variable.clone()).collect()).map_err(|error| {
        let named = |name: &str| drafts.iter().rev().find(|draft| draft.variable.name == name);
        let place = match &error {
            Error::DuplicateVariable(name) => named(name).map(|draft| draft.place),
            Error::StateCount { variable, .. } => named(variable).map(|draft| draft.place),
            Error::DuplicateState { variable, state } => named(variable).and_then(|draft| {
                let last = draft.variable.states.iter().rposition(|s| s == state);
                last.map(|i| draft.states[i])
            }),
            _ => None,
        };
        source.at(place.unwrap_or(source.text), error)
    })
}
