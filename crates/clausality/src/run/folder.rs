//! Reading a run folder back.

use super::{CLAUSES_FORMAT, Clauses, FORMAT, Run};
use crate::error::{Error, Place};
use crate::folder::{FolderError, check, interrupted, steadily};
use crate::model::{DynamicModel, Loaded, Model, ModelError, contents};
use clausality_bn::io::Limits;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::path::Path;
use thiserror::Error as ThisError;

/// The documents of a run folder that explanations need.
#[derive(Debug, Clone, PartialEq)]
pub struct RunFolder {
    /// What was learned.
    pub run: Run,
    /// The clauses behind it.
    pub clauses: Clauses,
}

/// What can be wrong with a run folder, or with a question about it.
#[derive(Debug, Clone, PartialEq, ThisError)]
#[non_exhaustive]
pub enum RunError {
    /// Something that is no folder, or not one of a run.
    #[error("{folder}: this is no run folder: {reason}")]
    NoRun {
        /// The folder.
        folder: String,
        /// What is missing.
        reason: String,
    },
    /// A file of the run that cannot be understood.
    #[error("{place}{reason}")]
    Damaged {
        /// Where in the file.
        place: Place,
        /// What is wrong there.
        reason: String,
    },
    /// A file of another version.
    #[error("{file}: this is '{found}', expected '{expected}': learn the run again with this version")]
    Format {
        /// The file.
        file: String,
        /// What it says it is.
        found: String,
        /// What this version reads.
        expected: &'static str,
    },
    /// Files of different runs in one folder.
    #[error("{folder}: run.json and clauses.json belong to different tables: learn the run again")]
    Mixed {
        /// The folder.
        folder: String,
    },
    /// Documents of a run, and a network that is not theirs.
    #[error(
        "the network of this run and its other files disagree about '{0}': they belong to different runs, learn it again"
    )]
    Strange(String),
    /// A name that is no node of the run.
    #[error("there is no node '{name}' in this run{}", .close.as_ref().map_or(String::new(), |c| format!("; did you mean '{c}'?")))]
    Unknown {
        /// The name.
        name: String,
        /// A node whose name is close.
        close: Option<String>,
    },
    /// An arc from a node to itself.
    #[error("'{0}' cannot be its own parent: an arc joins two nodes")]
    Loop(String),
    /// An arc that can be read in two ways, because names hold the `>`.
    #[error("the arc '{0}' can be read in two ways: ask about a node instead")]
    Ambiguous(String),
}

impl RunError {
    /// Where in a file, if the error is about a place.
    pub fn place(&self) -> Option<&Place> {
        match self {
            RunError::Damaged { place, .. } => Some(place),
            _ => None,
        }
    }
}

impl RunFolder {
    /// Reads `run.json` and `clauses.json` of a folder, and makes sure that all its files are there and belong together.
    ///
    /// # Errors
    /// Whatever is wrong with the folder or its files.
    pub fn read(folder: &Path, limits: &Limits) -> Result<Self, Error> {
        steadily(folder, || RunFolder::read_once(folder, limits))
    }

    /// The same with the network of the run.
    ///
    /// # Errors
    /// Whatever is wrong with the folder or its files.
    pub fn read_with_model(folder: &Path, limits: &Limits) -> Result<(Self, Model), Error> {
        steadily(folder, || {
            let found = RunFolder::read_once(folder, limits)?;
            let model = match Loaded::read(folder, limits)? {
                // What can be told of a network over time is told of a window of its steps.
                Loaded::Dynamic(DynamicModel { network, extra, source }) => {
                    Model { network: network.window().clone().into(), extra, source }
                }
                other => other.try_into()?,
            };
            let own =
                model.extra.get(crate::model::MADE).and_then(|made| made.get("run")).and_then(Value::as_str);
            if own.unwrap_or_default() != found.run.id {
                let (folder, file) = (folder.display().to_string(), "network.json".to_string());
                return Err(FolderError::Mixed { folder, file }.into());
            }
            Ok((found, model))
        })
    }

    fn read_once(folder: &Path, limits: &Limits) -> Result<Self, Error> {
        let shown = folder.display().to_string();
        if !folder.join("run.json").exists()
            && let Some(command) = interrupted(folder)
        {
            return Err(ModelError::Interrupted { folder: shown, command }.into());
        }
        let no_run = |reason: &str| RunError::NoRun { folder: shown.clone(), reason: reason.into() };
        if !folder.exists() {
            if shown.starts_with('@') {
                return Err(no_run(
                    "names with @ are embedded networks; learning writes runs (--run FOLDER)",
                )
                .into());
            }
            return Err(no_run("there is nothing of this name").into());
        }
        if !folder.is_dir() {
            return Err(no_run("it is a file").into());
        }
        for file in ["run.json", "clauses.json"] {
            if !folder.join(file).is_file() {
                return Err(no_run(&format!("it has no {file} (learning writes one)")).into());
            }
        }
        let run: Run = document(&folder.join("run.json"), FORMAT, limits)?;
        let clauses: Clauses = document(&folder.join("clauses.json"), CLAUSES_FORMAT, limits)?;
        if run.fingerprint != clauses.fingerprint {
            return Err(RunError::Mixed { folder: shown }.into());
        }
        check(folder)?;
        sound(&folder.join("run.json"), run.fault())?;
        sound(&folder.join("clauses.json"), clauses.fault(&run))?;
        Ok(RunFolder { run, clauses })
    }
}

impl Run {
    /// Reads `run.json` of a folder, and makes sure that the others are there and belong to it.
    ///
    /// # Errors
    /// Whatever is wrong with the file.
    pub fn read(folder: &Path, limits: &Limits) -> Result<Self, Error> {
        steadily(folder, || {
            let run: Run = document(&folder.join("run.json"), FORMAT, limits)?;
            check(folder)?;
            sound(&folder.join("run.json"), run.fault())?;
            Ok(run)
        })
    }
}

/// Refuses a document that cannot be true.
fn sound(path: &Path, fault: Option<String>) -> Result<(), RunError> {
    let place = Place::file(&path.display().to_string());
    let damaged = |fault| RunError::Damaged {
        place,
        reason: format!("this file of a run cannot be true: {fault}; learn the run again"),
    };
    fault.map_or(Ok(()), |fault| Err(damaged(fault)))
}

fn document<T: DeserializeOwned>(path: &Path, expected: &'static str, limits: &Limits) -> Result<T, Error> {
    let file = path.display().to_string();
    let bytes = contents(path, &file, limits)?;
    let damaged = |error: serde_json::Error| {
        let place = match error.line() {
            0 => Place::file(&file),
            // Before the first character of a line the reader says 0.
            line => Place::at(&file, line as u64, error.column().max(1) as u64),
        };
        let text = error.to_string();
        // The place is said in front already.
        let reason = text.rsplit_once(" at line ").map_or(text.as_str(), |(reason, _)| reason);
        RunError::Damaged { place, reason: format!("this file of a run is damaged: {reason}") }
    };
    // The version first: a document of another version would only look damaged.
    let format: Format = serde_json::from_slice(&bytes).map_err(damaged)?;
    let found = format.format.unwrap_or_default();
    if found != expected {
        return Err(RunError::Format { file, found, expected }.into());
    }
    Ok(serde_json::from_slice(&bytes).map_err(damaged)?)
}

#[derive(serde::Deserialize)]
struct Format {
    #[serde(default)]
    format: Option<String>,
}
