//! How a command ends when it cannot do what was asked.

use crate::text::spoken;
use clausality::model::NameError;
use clausality::words::clean;
use clausality::{Advice, ErrorClass};
use std::io::{self, Write};
use std::panic::{self, AssertUnwindSafe};
use std::process::ExitCode;
use std::sync::{Mutex, PoisonError};

/// A failed command: its one `error:` line and its exit code.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The surroundings failed (disk full, cannot write): exit code 1.
    Surroundings(String),
    /// Bad input or bad usage: exit code 2.
    Input(String),
    /// Refused by a limit: exit code 3.
    Limit(String),
    /// Called off by the user: exit code 130.
    Interrupted,
    /// Whoever read our output has gone; there is nobody left to tell.
    ReaderGone,
}

impl Failure {
    /// A place in a file that the user wrote, such as a configuration file.
    pub(crate) fn at(file: &str, line: usize, column: usize, message: &str) -> Self {
        Failure::Input(format!("{file}:{line}:{column}: {message}"))
    }

    /// Prints the line and gives the exit code.
    pub(crate) fn report(&self) -> ExitCode {
        let (code, message) = match self {
            Failure::Surroundings(message) => (1, message),
            Failure::Input(message) => (2, message),
            Failure::Limit(message) => (3, message),
            Failure::Interrupted => (130, &"interrupted".to_string()),
            Failure::ReaderGone => return ExitCode::SUCCESS,
        };
        // When even stderr is closed the exit code is all that is left to say.
        let _ = writeln!(io::stderr(), "{}", spoken(&format!("error: {}", clean(message))));
        ExitCode::from(code)
    }
}

/// Runs the command; a panic, which is always a bug of ours, ends like any other failure: with one line.
pub(crate) fn catching_bugs(run: impl FnOnce() -> Result<(), Failure>) -> Result<(), Failure> {
    static WHERE: Mutex<String> = Mutex::new(String::new());
    panic::set_hook(Box::new(|bug| {
        let place = bug.location().map_or(String::new(), |at| format!(" at {}:{}", at.file(), at.line()));
        let message = bug.payload_as_str().unwrap_or("no message");
        *WHERE.lock().unwrap_or_else(PoisonError::into_inner) = format!("{message}{place}");
    }));
    panic::catch_unwind(AssertUnwindSafe(run)).unwrap_or_else(|_| {
        let bug = WHERE.lock().unwrap_or_else(PoisonError::into_inner);
        Err(Failure::Surroundings(format!("this is a bug in clausality, please report it: {bug}")))
    })
}

/// The library names settings; here they are options.
pub(crate) fn option(advice: &Advice) -> String {
    match (advice.setting, advice.value.as_str()) {
        // Sizes and numbers stand for themselves in any shell.
        (setting @ ("memory-limit" | "rows-held" | "clauses" | "lags" | "threads"), value) => {
            format!("--{setting} {value}")
        }
        (setting, value) => format!("--{setting} '{value}'"),
    }
}

impl From<clausality::Error> for Failure {
    fn from(error: clausality::Error) -> Self {
        let options: Vec<String> = error.advice().iter().map(option).collect();
        let mut message = error.to_string();
        if !options.is_empty() {
            message.push_str(&format!(" ({})", options.join(", ")));
        }
        match error.class() {
            ErrorClass::Input => Failure::Input(message),
            ErrorClass::Limit => Failure::Limit(message),
            ErrorClass::Surroundings => Failure::Surroundings(message),
            ErrorClass::Interrupted => Failure::Interrupted,
        }
    }
}

impl From<NameError> for Failure {
    fn from(error: NameError) -> Self {
        clausality::Error::from(error).into()
    }
}

impl From<clausality::bn::Error> for Failure {
    fn from(error: clausality::bn::Error) -> Self {
        clausality::Error::from(error).into()
    }
}

/// Output that could not be written.
impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Failure::ReaderGone,
            _ => Failure::Surroundings(format!("cannot write the output: {error}")),
        }
    }
}
