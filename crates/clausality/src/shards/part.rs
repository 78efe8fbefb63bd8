//! Some files of a table, coded and counted by whoever is near them.
//!
//! Paths go over the wire, and how to code what they hold: a recipe is some JSON, however many rows there are. Whoever gets it reads its files,
//! keeps their codes on a disk of its own and says what it is asked. If it is lost, whoever takes over makes the same part of the same files;
//! should these have changed meanwhile, its answers are of other rows, which whoever asked sees.

use super::disk::{Shards, nameless};
use super::said::{Answer, Question};
use crate::data::{Absent, Beyond, Bounds, Coding, Input, coded_by_stretch};
use crate::elsewhere::same_version;
use crate::error::Error;
use crate::watch::Watch;
use clausality_bn::Schema;
use serde::{Deserialize, Serialize};
use std::ops::Range;
use std::path::{Path, PathBuf};

/// How to make parts of a table.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Recipe {
    version: String,
    name: String,
    files: Vec<String>,
    separator: Option<char>,
    coding: Coding,
}

/// The recipe of a table, for whoever sees its files under the same paths.
pub(super) fn recipe(beyond: &Beyond, coding: &Coding) -> Result<String, Error> {
    let recipe = Recipe {
        version: env!("CARGO_PKG_VERSION").into(),
        name: beyond.name().into(),
        files: beyond.paths()?,
        separator: beyond.separator(),
        coding: coding.clone(),
    };
    serde_json::to_string(&recipe).map_err(unreadable)
}

/// The rows of some files of a table.
#[derive(Debug)]
pub struct Part {
    schema: Schema,
    shards: Shards,
}

impl Part {
    /// Makes the part of a recipe that is in these files; its codes go to a disk, in this folder or among the system's temporary files.
    ///
    /// # Errors
    /// [`Error::Elsewhere`] for what is no recipe of this version; whatever is wrong with the files or the disk; [`Error::Cancelled`].
    pub fn made(
        recipe: &str,
        files: Range<usize>,
        folder: Option<&Path>,
        bounds: &Bounds,
        watch: &dyn Watch,
    ) -> Result<Self, Error> {
        let recipe: Recipe = serde_json::from_str(recipe).map_err(unreadable)?;
        same_version(&recipe.version)?;
        let files: Vec<PathBuf> =
            recipe.files.get(files).unwrap_or_default().iter().map(PathBuf::from).collect();
        let coding = recipe.coding.reading(None, recipe.separator);
        let schema = coding.schema()?;
        let shards = Shards::kept(nameless(folder), &schema, &mut |see| {
            let table = Input::Files { files: files.clone(), name: recipe.name.clone() };
            coded_by_stretch(table, &coding, Absent::Refuse, bounds, &mut |coded| {
                if watch.cancelled() { Err(Error::Cancelled) } else { see(coded) }
            })
        })?;
        Ok(Part { schema, shards })
    }

    /// What its rows say to a question.
    ///
    /// # Errors
    /// [`Error::Elsewhere`] for what is no question about them; codes that cannot be read; [`Error::Cancelled`].
    pub fn answer(&self, question: &str, watch: &dyn Watch) -> Result<String, Error> {
        let question: Question = serde_json::from_str(question).map_err(unreadable)?;
        serde_json::to_string(&self.shards.answer(&self.schema, &question, watch)?).map_err(unreadable)
    }
}

/// What parts say that follow each other, in one.
///
/// # Errors
/// [`Error::Elsewhere`] where there is none, or they answered different questions.
pub fn together(answers: &[impl AsRef<str>]) -> Result<String, Error> {
    let mut all: Option<Answer> = None;
    for answer in answers {
        let next = read(answer.as_ref())?;
        let both = match all {
            Some(all) => all.then(&next),
            None => Some(next),
        };
        all = Some(both.ok_or_else(|| Error::Elsewhere("parts answered different questions".into()))?);
    }
    let all = all.ok_or_else(|| Error::Elsewhere("nobody answered".into()))?;
    serde_json::to_string(&all).map_err(unreadable)
}

pub(super) fn read(answer: &str) -> Result<Answer, Error> {
    serde_json::from_str(answer).map_err(unreadable)
}

pub(super) fn unreadable(error: serde_json::Error) -> Error {
    Error::Elsewhere(error.to_string())
}
