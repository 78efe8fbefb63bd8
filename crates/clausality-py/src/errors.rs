//! What went wrong, as Python exceptions: the one place that maps them.
//!
//! The text is that of the command line, place and advice included. What the advice is in Python stands in the attribute `hint`, and below
//! the message where Python shows notes (3.11).

use clausality::words::clean;
use clausality::{Advice, ErrorClass};
use pyo3::create_exception;
use pyo3::exceptions::{PyKeyboardInterrupt, PyMemoryError, PyOSError, PyValueError};
use pyo3::prelude::*;

create_exception!(
    clausality,
    InputError,
    PyValueError,
    "A table, a setting or a question that cannot be used as it is."
);
create_exception!(clausality, LimitError, PyMemoryError, "Work that a limit on memory or size refused.");
create_exception!(clausality, Cancelled, PyKeyboardInterrupt, "Work that was called off.");

/// Gives the exceptions the attributes that every one of them has, wherever it is raised: without advice and place they are `None`.
pub(crate) fn complete(py: Python<'_>) -> PyResult<()> {
    let kinds = [py.get_type::<InputError>(), py.get_type::<LimitError>(), py.get_type::<Cancelled>()];
    kinds
        .iter()
        .flat_map(|kind| ["hint", "place"].map(|name| (kind, name)))
        .try_for_each(|(kind, name)| kind.setattr(name, py.None()))
}

/// Why work ended without a result.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The library says so.
    Library(Box<clausality::Error>),
    /// The same where a limit can be got round: with this option.
    Avoidable(Box<clausality::Error>, &'static str),
    /// What was asked cannot be: a message of ours.
    Input(String),
    /// Python said so, while it was asked for a piece of a table.
    Python(PyErr),
}

impl<E: Into<clausality::Error>> From<E> for Failure {
    fn from(error: E) -> Self {
        Failure::Library(Box::new(error.into()))
    }
}

impl From<Failure> for PyErr {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::Library(error) => raised(&error, None),
            Failure::Avoidable(error, option) => raised(&error, Some(option)),
            Failure::Input(message) => InputError::new_err(clean(&message).into_owned()),
            Failure::Python(error) => error,
        }
    }
}

fn raised(error: &clausality::Error, option: Option<&str>) -> PyErr {
    let advice = error.advice();
    let mut options: Vec<String> = advice.iter().map(as_option).collect();
    let is_limit = error.class() == ErrorClass::Limit;
    options.extend(option.filter(|_| is_limit).map(String::from));
    let mut message = error.to_string();
    if !options.is_empty() {
        message.push_str(&format!(" ({})", options.join(", ")));
    }
    let message = clean(&message).into_owned();
    let raised = match error.class() {
        ErrorClass::Input => InputError::new_err(message),
        ErrorClass::Limit => LimitError::new_err(message),
        ErrorClass::Surroundings => PyOSError::new_err(message),
        ErrorClass::Interrupted => Cancelled::new_err(message),
    };
    let hint: Vec<String> = advice.iter().map(as_keyword).collect();
    // Without the hint the message still says everything.
    let _ = Python::attach(|py| -> PyResult<()> {
        let value = raised.value(py);
        let hint = (!hint.is_empty()).then(|| hint.join(", "));
        value.setattr("hint", hint.as_deref())?;
        let place = error.place().map(|place| (place.file.clone(), place.line, place.column));
        value.setattr("place", place)?;
        if let Some(hint) = hint
            && value.hasattr("add_note")?
        {
            value.call_method1("add_note", (format!("in Python: {hint}"),))?;
        }
        Ok(())
    });
    raised
}

/// An advice in the words of the command line.
fn as_option(advice: &Advice) -> String {
    match (advice.setting, advice.value.as_str()) {
        // Sizes and numbers stand for themselves in any shell.
        (setting @ ("memory-limit" | "clauses"), value) => format!("--{setting} {value}"),
        (setting, value) => format!("--{setting} '{value}'"),
    }
}

/// An advice as a keyword argument: `type={"x": "keep"}`.
fn as_keyword(advice: &Advice) -> String {
    let name = advice.setting.replace('-', "_");
    match (advice.value.as_str(), advice.value.rsplit_once('=')) {
        ("SIZE", _) => format!("{name}=\"4G\""),
        (_, Some((column, value))) => format!("{name}={{{column:?}: {value:?}}}"),
        (value, None) if value.parse::<u64>().is_ok() => format!("{name}={value}"),
        (value, None) => format!("{name}={value:?}"),
    }
}
