//! Variables and tables as the readers of text meet them, each with its place, so that a fault found late still has one.

use super::{Limits, at};
use crate::cpt::{Budget, check_parents, check_row};
use crate::error::shown;
use crate::network::named_cycle;
use crate::{Cpt, Cycle, Dag, Error, Schema, Variable};
use std::borrow::Cow;

/// A name and where it stands.
pub(super) type Placed<'a> = (Cow<'a, str>, usize);

/// A variable as it is declared.
pub(super) struct Declared<'a> {
    pub(super) name: Cow<'a, str>,
    pub(super) states: Vec<Placed<'a>>,
    pub(super) at: usize,
}

/// What a format calls its parts.
#[derive(Debug, Clone, Copy)]
pub(super) struct Words {
    /// What declares a variable, with its article.
    pub(super) variable: &'static str,
    /// What holds a table, without one.
    pub(super) table: &'static str,
}

/// The schema of the declared variables.
pub(super) fn schema(text: &str, declared: &[Declared<'_>], words: Words) -> Result<Schema, Error> {
    if declared.is_empty() {
        let none = format!("expected {}, found none: the file holds no network", words.variable);
        return Err(at(text, text.len(), Error::Syntax(none)));
    }
    let variable = |d: &Declared| Variable::new(d.name.as_ref(), d.states.iter().map(|(s, _)| s.as_ref()));
    Schema::new(declared.iter().map(variable).collect()).map_err(|e| at(text, place_of(declared, &e), e))
}

/// Where the variable or state stands that a schema refuses (of a pair, the second).
fn place_of(declared: &[Declared<'_>], error: &Error) -> usize {
    let named = |name: &str| declared.iter().rev().find(|v| v.name == name);
    let place = match error {
        Error::DuplicateVariable(name) => named(name).map(|v| v.at),
        Error::StateCount { variable, .. } => named(variable).map(|v| v.at),
        Error::DuplicateState { variable, state } => named(variable)
            .and_then(|v| v.states.iter().rev().find(|(s, _)| s == state))
            .map(|(_, place)| *place),
        _ => None,
    };
    place.unwrap_or(0)
}

/// A node, its parents and the size of its table: all that is known before the first number is read.
#[derive(Debug, Clone)]
pub(super) struct Family {
    pub(super) node: usize,
    /// Where the table begins.
    pub(super) at: usize,
    pub(super) parents: Vec<usize>,
    pub(super) states: usize,
    pub(super) cells: usize,
}

/// The tables read so far, at most one for each variable, within the memory allowed.
pub(super) struct Tables<'t, 's> {
    text: &'t str,
    pub(super) schema: &'s Schema,
    words: Words,
    budget: Budget,
    cpts: Vec<Option<Cpt>>,
    /// Where each node's table begins.
    places: Vec<usize>,
}

impl<'t, 's> Tables<'t, 's> {
    pub(super) fn new(text: &'t str, schema: &'s Schema, words: Words, limits: &Limits) -> Self {
        Tables {
            text,
            schema,
            words,
            budget: Budget::new(limits.table_bytes),
            cpts: vec![None; schema.len()],
            places: vec![0; schema.len()],
        }
    }

    pub(super) fn fail(&self, place: usize, message: impl Into<String>) -> Error {
        at(self.text, place, Error::Syntax(message.into()))
    }

    /// Checks names and sizes; nothing of the table's size is allocated before.
    pub(super) fn open(&mut self, child: &Placed<'_>, parents: &[Placed<'_>]) -> Result<Family, Error> {
        let (name, place) = child;
        let node = self.declared(child)?;
        if self.cpts[node].is_some() {
            let (name, table) = (shown(name), self.words.table);
            let message = format!("a second {table} for '{name}': expected one for each variable");
            return Err(self.fail(*place, message));
        }
        let indices = parents.iter().map(|parent| self.declared(parent)).collect::<Result<Vec<_>, _>>()?;
        check_parents(self.schema, node, &indices).map_err(|e| {
            let culprit = |p: &&Placed| matches!(&e, Error::Parent { parent, .. } if *parent == p.0);
            at(self.text, parents.iter().rev().find(culprit).map_or(*place, |p| p.1), e)
        })?;
        self.places[node] = *place;
        let cells = self.budget.take(self.schema, node, &indices).map_err(|e| at(self.text, *place, e))?;
        let states = self.schema.cardinality(node);
        Ok(Family { node, at: *place, parents: indices, states, cells })
    }

    fn declared(&self, (name, place): &Placed<'_>) -> Result<usize, Error> {
        self.schema.index(name).ok_or_else(|| {
            let message =
                format!("'{}' is not declared: expected {} for it", shown(name), self.words.variable);
            self.fail(*place, message)
        })
    }

    /// A probability as it is written.
    pub(super) fn number(&self, family: &Family, word: &str, place: usize) -> Result<f64, Error> {
        // The parser of the standard library also knows "inf" and "nan": those are refused by the range.
        match word.parse::<f64>() {
            Ok(p) if (0.0..=1.0).contains(&p) => Ok(p),
            _ => {
                let node = self.schema.name(family.node).to_string();
                let error = Error::Probability { node, configuration: Vec::new(), value: word.to_string() };
                Err(at(self.text, place, error))
            }
        }
    }

    /// A row that ends at this place, `configuration` of its table.
    pub(super) fn check_row(
        &self,
        family: &Family,
        configuration: usize,
        row: &[f64],
        place: usize,
    ) -> Result<(), Error> {
        check_row(row).map_err(|fault| {
            at(self.text, place, fault.into_error(self.schema, family.node, &family.parents, configuration))
        })
    }

    /// What is said of a table with too few or too many numbers.
    pub(super) fn wrong_count(&self, family: &Family, expected: usize, found: usize, place: usize) -> Error {
        let name = shown(self.schema.name(family.node));
        let states = family.states;
        let message =
            format!("expected {expected} probabilities for '{name}' ({states} states), found {found}");
        self.fail(place, message)
    }

    /// Takes a table, row after row in the order of [`Cpt`].
    pub(super) fn put(&mut self, family: Family, values: Vec<f64>) -> Result<(), Error> {
        let Family { node, at: place, parents, .. } = family;
        let cpt = Cpt::new(self.schema, node, parents, values);
        self.cpts[node] = Some(cpt.map_err(|e| at(self.text, place, e))?);
        Ok(())
    }

    /// All tables, if every variable has one and no arcs form a cycle.
    pub(super) fn finish(self, declared: &[Declared<'_>]) -> Result<Vec<Cpt>, Error> {
        if let Some(node) = self.cpts.iter().position(Option::is_none) {
            let (name, table) = (shown(self.schema.name(node)), self.words.table);
            let message = format!("variable '{name}' has no {table}: expected one for each variable");
            return Err(self.fail(declared[node].at, message));
        }
        let cpts: Vec<Cpt> = self.cpts.into_iter().flatten().collect();
        let arcs = cpts.iter().enumerate().flat_map(|(v, cpt)| cpt.parents().iter().map(move |&p| (p, v)));
        if let Err(Cycle { path }) = Dag::from_arcs(self.schema.len(), arcs) {
            let child = path[1 % path.len()];
            return Err(at(self.text, self.places[child], named_cycle(self.schema, &path)));
        }
        Ok(cpts)
    }
}
