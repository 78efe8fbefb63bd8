//! What is asked of rows, and what they say: wherever they lie, whoever keeps them.
//!
//! ```text
//! answer(all rows) = answer(first part) then answer(second part) then …
//! ```
//!
//! Counts are summed; the digest of all rows follows from those of the parts in their order. Every answer carries it: whoever asked sees that
//! each came from the same rows. Both travel as JSON.

use crate::data::Rolled;
use crate::error::Error;
use clausality_bn::MISSING;
use clausality_bn::counts::Sum;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What is asked.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Question {
    /// Whether to tell what was seen when the rows were coded.
    pub(super) about: bool,
    /// Whether the families are those of columns in the order of names and states in that of labels.
    pub(super) by_name: bool,
    /// The families to count, each by its variables.
    pub(super) families: Vec<Vec<usize>>,
}

impl Question {
    /// Refuses what is not about so many variables.
    pub(super) fn check(&self, variables: usize) -> Result<(), Error> {
        let known = |family: &Vec<usize>| !family.is_empty() && family.iter().all(|&v| v < variables);
        let ok = self.families.iter().all(known);
        if ok { Ok(()) } else { Err(Error::Elsewhere("a question about other columns".into())) }
    }
}

/// What rows say.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Answer {
    /// Which rows.
    pub(super) content: Content,
    pub(super) seen: Option<Seen>,
    /// Of every family.
    pub(super) sums: Vec<Sum>,
}

impl Answer {
    /// With what the rows say that follow; nothing where that answers another question.
    pub(super) fn then(self, next: &Answer) -> Option<Self> {
        let seen = match (self.seen, &next.seen) {
            (Some(seen), Some(more)) => Some(seen.and(more)?),
            (None, None) => None,
            _ => return None,
        };
        let content = self.content.then(&next.content)?;
        Some(Answer { content, seen, sums: super::disk::added(self.sums, &next.sums)? })
    }
}

/// What tells rows from others.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Content {
    pub(super) rows: usize,
    /// Of each variable.
    pub(super) digests: Vec<Rolled>,
}

impl Content {
    pub(super) fn none(variables: usize) -> Self {
        Content { rows: 0, digests: vec![Rolled::default(); variables] }
    }

    fn then(mut self, next: &Content) -> Option<Self> {
        let digests = self.digests.iter_mut().zip(&next.digests);
        digests.for_each(|(digest, more)| *digest = digest.then(*more, next.rows));
        self.rows = self.rows.checked_add(next.rows)?;
        (self.digests.len() == next.digests.len()).then_some(self)
    }
}

/// What was seen when rows were coded.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Seen {
    /// The rows of every code, by variable; those without a value come last.
    pub(super) counts: Vec<Vec<u64>>,
    /// Cells that became unknown though they have a value, and numbers beyond all that were held, by variable.
    pub(super) unknown: Odd,
    pub(super) beyond: Odd,
}

/// Cells by variable.
pub(super) type Odd = BTreeMap<String, usize>;

impl Seen {
    pub(super) fn nothing(variables: usize) -> Self {
        Seen { counts: vec![vec![0; 256]; variables], unknown: BTreeMap::new(), beyond: BTreeMap::new() }
    }

    /// Takes in the codes of a variable.
    pub(super) fn take(&mut self, variable: usize, codes: &[u8]) {
        let counts = &mut self.counts[variable];
        codes.iter().for_each(|&code| counts[usize::from(code)] += 1);
    }

    /// Takes in which cells were like none.
    pub(super) fn remember(&mut self, unknown: &Odd, beyond: &Odd) {
        add(&mut self.unknown, unknown);
        add(&mut self.beyond, beyond);
    }

    /// Which cells were like none since so much had been seen.
    pub(super) fn odd_since(&self, before: &Seen) -> (Odd, Odd) {
        let since = |now: &Odd, before: &Odd| {
            let new = |(name, count): (&String, &usize)| {
                (name.clone(), count - before.get(name).copied().unwrap_or_default())
            };
            now.iter().map(new).filter(|(_, count)| *count > 0).collect()
        };
        (since(&self.unknown, &before.unknown), since(&self.beyond, &before.beyond))
    }

    /// Whether each variable has cells without a value.
    pub(super) fn has_gaps(&self) -> Vec<bool> {
        self.counts.iter().map(|counts| counts[usize::from(MISSING)] > 0).collect()
    }

    fn and(mut self, more: &Seen) -> Option<Self> {
        let shape = |seen: &Seen| seen.counts.iter().map(Vec::len).collect::<Vec<_>>();
        if shape(&self) != shape(more) {
            return None;
        }
        let counts = self.counts.iter_mut().flatten().zip(more.counts.iter().flatten());
        counts.for_each(|(sum, count)| *sum += count);
        add(&mut self.unknown, &more.unknown);
        add(&mut self.beyond, &more.beyond);
        Some(self)
    }
}

fn add(sums: &mut Odd, found: &Odd) {
    found.iter().for_each(|(name, count)| *sums.entry(name.clone()).or_default() += count);
}
