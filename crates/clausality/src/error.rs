//! Everything that can go wrong between a table and a network, in one enum for every door to map.

use crate::data::Problem;
use crate::memory::TooMuch;
use crate::rules::RulesError;
use std::fmt;
use std::io;
use thiserror::Error as ThisError;

/// What went wrong, with the values needed to say where and what to do.
///
/// The text never holds markup or colour. Names taken from data stand in it as they are: a door that prints it
/// must escape control characters.
#[derive(Debug, ThisError)]
#[non_exhaustive]
pub enum Error {
    /// A table, or an option about a table, that cannot be used as it is.
    #[error("{place}{problem}")]
    Table {
        /// Where in the input.
        place: Place,
        /// What is wrong there.
        problem: Box<Problem>,
    },
    /// A file that could not be opened or read.
    #[error("{file}: {}", describe_io(.source))]
    Io {
        /// The file as the user named it.
        file: String,
        /// What the operating system said.
        source: io::Error,
    },
    /// A file or an argument that should give a network or a graph, and does not.
    #[error(transparent)]
    Model(#[from] crate::model::ModelError),
    /// A name or a value that a network does not know.
    #[error(transparent)]
    Name(#[from] crate::model::NameError),
    /// Rows that are none of a network's.
    #[error(transparent)]
    Rows(#[from] crate::model::RowsError),
    /// A table that does not fit a structure.
    #[error(transparent)]
    Fit(#[from] crate::model::FitError),
    /// A network, schema or table of codes that breaks a law of its own.
    #[error(transparent)]
    Network(clausality_bn::Error),
    /// A run folder that cannot be read, or a question it has no answer to.
    #[error(transparent)]
    Run(#[from] crate::run::RunError),
    /// A run folder that cannot be written, or whose files do not belong together.
    #[error(transparent)]
    Folder(#[from] crate::folder::FolderError),
    /// Rules that contradict each other or the table.
    #[error(transparent)]
    Rules(#[from] crate::rules::RulesError),
    /// A run that cannot be learned again.
    #[error(transparent)]
    Revise(#[from] crate::revise::ReviseError),
    /// A configuration file that cannot be used as it is.
    #[error("{place}{message}")]
    Config {
        /// Where in the file.
        place: Place,
        /// What is wrong there.
        message: String,
    },
    /// A setting outside its range.
    #[error("{name} is {}; it must be {expected}", short(.value))]
    Setting {
        /// The setting, as every door calls it.
        name: &'static str,
        /// What was given.
        value: String,
        /// What is allowed.
        expected: &'static str,
    },
    /// Two settings of which one rules out the other.
    #[error("{one} and {other} contradict each other: {reason}; leave one of the two out")]
    Contradiction {
        /// The one, with its value.
        one: String,
        /// The other.
        other: String,
        /// Why.
        reason: &'static str,
    },
    /// A task of another table or other settings, or fits that are not those of all tasks.
    #[error("{task}: {reason}")]
    Task {
        /// The task.
        task: crate::strengths::Task,
        /// What is wrong with it or its fit.
        reason: &'static str,
    },
    /// A machine that cannot be built or trained as asked.
    #[error(transparent)]
    Machine(#[from] clausality_tm::Error),
    /// Work that would take, or took, more memory than it may.
    #[error(transparent)]
    Memory(Box<TooMuch>),
    /// A table with too little in it to learn from.
    #[error("{0}")]
    TooLittleData(String),
    /// Rows in the order of time that cannot be used as they are.
    #[error("{place}{message}")]
    Series {
        /// Where in the table.
        place: Place,
        /// What is wrong.
        message: String,
        /// Settings that would change it.
        advice: Vec<Advice>,
    },
    /// Work done elsewhere that is not what was asked for.
    #[error("work done elsewhere cannot be used: {0}")]
    Elsewhere(String),
    /// Whoever watched the work called it off.
    #[error("interrupted")]
    Cancelled,
}

/// Who has to act on an error; doors turn it into exit codes and exception types.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ErrorClass {
    /// The input or an option is wrong: exit code 2, `InputError`.
    Input,
    /// A limit (memory, table size, decompressed size) refused the work: exit code 3, `LimitError`.
    Limit,
    /// The surroundings failed (disk full, unreadable device): exit code 1.
    Surroundings,
    /// Somebody stopped it: exit code 130, `KeyboardInterrupt`.
    Interrupted,
}

impl From<clausality_bn::Error> for Error {
    fn from(error: clausality_bn::Error) -> Self {
        match error {
            clausality_bn::Error::Stopped => Error::Cancelled,
            error => Error::Network(error),
        }
    }
}

impl From<TooMuch> for Error {
    fn from(error: TooMuch) -> Self {
        Error::Memory(Box::new(error))
    }
}

impl Error {
    /// Something wrong at a place in a table.
    pub(crate) fn table(place: Place, problem: Problem) -> Self {
        Error::Table { place, problem: Box::new(problem) }
    }

    /// Who has to act.
    pub fn class(&self) -> ErrorClass {
        match self {
            Error::Table { problem, .. } if problem.is_limit() => ErrorClass::Limit,
            Error::Model(error) => error.class(),
            Error::Folder(error) => error.class(),
            Error::Network(error) if error.is_limit() => ErrorClass::Limit,
            Error::Table { .. }
            | Error::Network(_)
            | Error::Rules(_)
            | Error::Run(_)
            | Error::Name(_)
            | Error::Rows(_)
            | Error::Fit(_)
            | Error::Revise(_)
            | Error::Config { .. }
            | Error::Setting { .. }
            | Error::Contradiction { .. }
            | Error::Task { .. }
            | Error::Series { .. }
            | Error::TooLittleData(_) => ErrorClass::Input,
            Error::Memory(_) | Error::Machine(clausality_tm::Error::TooLarge { .. }) => ErrorClass::Limit,
            Error::Machine(_) => ErrorClass::Input,
            Error::Elsewhere(_) => ErrorClass::Surroundings,
            Error::Cancelled => ErrorClass::Interrupted,
            Error::Io { source, .. } => match source.kind() {
                io::ErrorKind::NotFound
                | io::ErrorKind::IsADirectory
                | io::ErrorKind::PermissionDenied
                | io::ErrorKind::InvalidInput
                | io::ErrorKind::InvalidData
                | io::ErrorKind::UnexpectedEof => ErrorClass::Input,
                _ => ErrorClass::Surroundings,
            },
        }
    }

    /// Settings that would change it, for doors to name in their own words.
    pub fn advice(&self) -> Vec<Advice> {
        match self {
            Error::Table { problem, .. } => problem.advice(),
            Error::Model(error) => error.advice(),
            Error::Memory(error) => error.advice().to_vec(),
            Error::Series { advice, .. } => advice.clone(),
            Error::Rules(RulesError::LeftOut { keep, .. }) => keep.iter().cloned().collect(),
            _ => Vec::new(),
        }
    }

    /// Where in the input, if the error is about a place.
    pub fn place(&self) -> Option<&Place> {
        match self {
            Error::Table { place, .. } | Error::Config { place, .. } | Error::Series { place, .. } => {
                Some(place)
            }
            Error::Model(error) => error.place(),
            Error::Run(error) => error.place(),
            _ => None,
        }
    }
}

/// A setting and the value it should have: `--type 'x=keep'` on the command line, `type={"x": "keep"}` in Python.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Advice {
    /// The setting.
    pub setting: &'static str,
    /// Its value, as the command line writes it.
    pub value: String,
}

impl Advice {
    pub(crate) fn new(setting: &'static str, value: impl Into<String>) -> Self {
        Advice { setting, value: value.into() }
    }
}

/// A place in an input: a file, and where known the physical line and the character in it, both counted from 1.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Place {
    /// The file as the user named it; empty when the trouble is in an option, not in a file.
    pub file: String,
    /// The physical line, counted from 1.
    pub line: Option<u64>,
    /// The character in that line, counted from 1.
    pub column: Option<u64>,
}

impl Place {
    /// No place at all: the trouble is in an option.
    pub fn nowhere() -> Self {
        Place::default()
    }

    /// A whole file.
    pub fn file(file: &str) -> Self {
        Place { file: file.to_string(), line: None, column: None }
    }

    /// A character in a line of a file.
    pub fn at(file: &str, line: u64, column: u64) -> Self {
        Place { file: file.to_string(), line: Some(line), column: Some(column) }
    }
}

/// Writes the place as the start of a message, `FILE:LINE:COL: `, or nothing.
impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.file.is_empty() {
            return Ok(());
        }
        write!(f, "{}:", self.file)?;
        if let Some(line) = self.line {
            write!(f, "{line}:")?;
            if let Some(column) = self.column {
                write!(f, "{column}:")?;
            }
        }
        write!(f, " ")
    }
}

/// The operating system's reason in the same words on every platform.
fn describe_io(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => "there is no such file".into(),
        io::ErrorKind::IsADirectory => "this is a folder, not a file".into(),
        io::ErrorKind::PermissionDenied => "no permission to read this".into(),
        _ => format!("cannot be read: {error}"),
    }
}

/// A number of many digits with an exponent; whatever else as it is.
fn short(value: &str) -> String {
    match value.parse::<f64>() {
        Ok(number) if value.len() > 15 => format!("{number:e}"),
        _ => value.to_string(),
    }
}
