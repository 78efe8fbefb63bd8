//! What Python says beside the table, as JSON text.

use crate::errors::Failure;
use clausality::bn::io::Limits;
use clausality::config::Config;
use clausality::memory::Held;
use clausality::settings::names_of;
use clausality::validate::ValidateParams;
use clausality::{Bounds, Settings};
use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// What every function takes.
#[derive(Debug, Clone, Copy, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Everywhere {
    /// Threads to work with; all cores if none are named.
    pub(crate) threads: Option<usize>,
    /// Bytes that work may take; half of the machine's if nothing is said.
    pub(crate) memory_limit: Option<u64>,
    /// What the interpreter held before the call: it is not counted against it.
    #[serde(skip)]
    held: Held,
}

impl Everywhere {
    /// Nothing but so many threads.
    pub(crate) fn on_threads(threads: usize) -> Self {
        Everywhere { threads: Some(threads), ..Everywhere::default() }
    }

    /// Bounds for reading and learning from a table.
    pub(crate) fn bounds(&self) -> Bounds {
        Bounds::here(self.memory_limit, self.held)
    }

    /// What the interpreter held before the call.
    pub(crate) fn held(&self) -> Held {
        self.held
    }

    /// Bounds for reading a network.
    pub(crate) fn limits(&self) -> Limits {
        self.bounds().limits()
    }

    /// Bytes that exact inference may take.
    pub(crate) fn inference_bytes(&self) -> u64 {
        self.bounds().inference_bytes()
    }
}

/// Reads what Python wrote: a fault is one of the package's own.
pub(crate) fn read<T: DeserializeOwned>(json: &str) -> Result<T, Failure> {
    serde_json::from_str(json).map_err(|error| Failure::Input(in_plain_words(&error.to_string())))
}

/// What serde says of a wrong value, in words that need no Rust: ``invalid value: integer `-1`, expected u64 at line 1 column 9`` is
/// "-1 is not possible: expected a whole number of at least 0".
fn in_plain_words(said: &str) -> String {
    let said = said.split(" at line ").next().unwrap_or(said);
    let Some((start, wrong)) =
        ["invalid value: ", "invalid type: "].iter().find_map(|sign| said.split_once(sign))
    else {
        return said.replace("unknown variant", "there is no");
    };
    let Some((found, expected)) = wrong.split_once(", expected ") else { return said.to_string() };
    // The kind before the value is only of use where there is no value.
    let value = ["integer ", "floating point ", "boolean ", "string "]
        .iter()
        .find_map(|kind| found.strip_prefix(kind));
    let value = match value.unwrap_or(found) {
        "sequence" => "a list",
        "map" => "a dict",
        value => value.trim_matches('`'),
    };
    let expected = match expected {
        "u8" | "u16" | "u32" | "u64" | "usize" => "a whole number of at least 0",
        "i8" | "i16" | "i32" | "i64" | "isize" => "a whole number",
        "f32" | "f64" => "a number",
        "a nonzero usize" | "a nonzero u64" | "a nonzero u32" => "a whole number of at least 1",
        "a boolean" => "True or False",
        "a string" => "a text",
        "string or map" | "map with a single key" => "the name of a choice",
        "a sequence" => "a list",
        "a map" => "a dict",
        other => other,
    };
    format!("{start}{value} is not possible: expected {expected}")
}

/// Settings by their names; a wrong value is refused with its name.
pub(crate) fn settings(json: &str) -> Result<Settings, Failure> {
    let mut fields: Map<String, Value> = read(json)?;
    let settings = Settings::from_parts(&mut fields)
        .map_err(|error| Failure::Input(in_plain_words(&error.to_string())))?;
    settings.check()?;
    Ok(settings)
}

/// JSON text of a document.
pub(crate) fn json(document: &impl serde::Serialize) -> Result<String, Failure> {
    serde_json::to_string(document).map_err(|error| Failure::Input(error.to_string()))
}

/// What stands for a missing value where nothing else is said, beside an empty cell.
#[pyfunction]
pub(crate) fn marks() -> Vec<&'static str> {
    clausality::data::MARKS.to_vec()
}

/// The names of all settings, in alphabetical order, as the command line writes them.
#[pyfunction]
pub(crate) fn setting_names() -> Vec<String> {
    Settings::names().into_iter().collect()
}

/// The version of the software.
#[pyfunction]
pub(crate) fn version() -> &'static str {
    env!("CARGO_PKG_VERSION")
}

/// What a configuration file may hold beside settings.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
struct Beside {
    threads: Option<usize>,
    memory_limit: Option<Size>,
    top: Option<usize>,
    quiet: Option<bool>,
    json: Option<bool>,
}

/// A number of bytes, or text such as `512M`.
#[derive(Debug, Serialize, Deserialize)]
#[serde(untagged)]
enum Size {
    Bytes(u64),
    Text(String),
}

/// The settings of a configuration file with these over them, as JSON text; threads, the memory limit and the features to list, if it says
/// anything of those.
#[pyfunction]
pub(crate) fn configured(
    py: Python<'_>,
    path: PathBuf,
    settings: &str,
) -> PyResult<(String, Option<usize>, Option<Py<PyAny>>, Option<usize>)> {
    let mut known: BTreeMap<String, bool> = Settings::names().into_iter().map(|name| (name, true)).collect();
    known.extend(
        names_of::<Beside>().into_iter().chain(names_of::<ValidateParams>()).map(|name| (name, true)),
    );
    let config = Config::load(Some(&path), &known).map_err(Failure::from)?;
    let given: Map<String, Value> = read(settings)?;
    let given = toml::to_string(&given).map_err(|error| Failure::Input(error.to_string()))?;
    let settings = config.settings(&[given]).map_err(Failure::from)?;
    let Beside { threads, memory_limit, top, .. } = config.section().map_err(Failure::from)?;
    let limit = memory_limit.map(|size| match size {
        Size::Bytes(bytes) => bytes.into_py_any(py),
        Size::Text(text) => text.into_py_any(py),
    });
    Ok((json(&settings.fields())?, threads, limit.transpose()?, top))
}
