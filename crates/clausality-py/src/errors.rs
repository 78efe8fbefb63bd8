//! What went wrong, as Python exceptions: the one place that maps them.
//!
//! The text is that of the command line, place and advice included, but that options are keyword arguments; the advice alone stands in the
//! attribute `hint`, the place in `file`, `line` and `column`, and as a tuple in `place`.

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
        .flat_map(|kind| ["hint", "place", "file", "line", "column"].map(|name| (kind, name)))
        .try_for_each(|(kind, name)| kind.setattr(name, py.None()))
}

/// Why work ended without a result.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The library says so.
    Library(Box<clausality::Error>),
    /// The same where a limit can be got round by an estimate.
    Avoidable(Box<clausality::Error>),
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
            Failure::Avoidable(error) => raised(&error, Some("samples=N")),
            Failure::Input(message) => InputError::new_err(clean(&message).into_owned()),
            Failure::Python(error) => error,
        }
    }
}

fn raised(error: &clausality::Error, keyword: Option<&str>) -> PyErr {
    let hint: Vec<String> = error.advice().iter().map(as_keyword).collect();
    let mut keywords = hint.clone();
    let is_limit = error.class() == ErrorClass::Limit;
    keywords.extend(keyword.filter(|_| is_limit).map(String::from));
    let mut message = in_python(&error.to_string());
    if !keywords.is_empty() {
        message.push_str(&format!(" ({})", keywords.join(", ")));
    }
    let message = clean(&message).into_owned();
    let raised = match error.class() {
        ErrorClass::Input => InputError::new_err(message),
        ErrorClass::Limit => LimitError::new_err(message),
        ErrorClass::Surroundings => PyOSError::new_err(message),
        ErrorClass::Interrupted => Cancelled::new_err(message),
    };
    // Without the attributes the message still says everything.
    let _ = Python::attach(|py| -> PyResult<()> {
        let value = raised.value(py);
        value.setattr("hint", (!hint.is_empty()).then(|| hint.join(", ")))?;
        let Some(place) = error.place() else { return Ok(()) };
        value.setattr("place", (place.file.clone(), place.line, place.column))?;
        value.setattr("file", place.file.clone())?;
        value.setattr("line", place.line)?;
        value.setattr("column", place.column)
    });
    raised
}

/// A message in which the library names an option of the command line: what that is here.
fn in_python(message: &str) -> String {
    message.replace("with --fresh", "with fresh=True").replace("(convert --unroll)", "(unroll)")
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
