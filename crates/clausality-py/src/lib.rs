//! The compiled core of the Python package: a thin shim.
//!
//! It takes settings as JSON text and tables as Arrow streams (or pieces that Python cuts, see module `table`), and hands back JSON text, bytes
//! and Arrow streams. What is pleasant is written in Python (`python/clausality`), what is decided in the library.
//!
//! Work runs on a thread of its own without the interpreter's lock, while the caller waits, looks for signals and tells how far it is
//! (module `work`).
#![deny(clippy::print_stdout, clippy::print_stderr)] // Python does the talking
#![allow(clippy::type_complexity)] // what Python gets in one piece is a tuple, and its parts have names there

mod columns;
mod compare;
mod errors;
mod explorer;
mod learning;
mod network;
mod options;
mod over_time;
mod questions;
mod rows;
mod run;
mod table;
mod work;

use pyo3::prelude::*;

/// The module `clausality._clausality`.
#[pymodule]
mod _clausality {
    use super::*;

    #[pymodule_export]
    use crate::columns::Columns;
    #[pymodule_export]
    use crate::compare::{check, compare, converted, fit};
    #[pymodule_export]
    use crate::errors::{Cancelled, InputError, LimitError};
    #[pymodule_export]
    use crate::explorer::Explorer;
    #[pymodule_export]
    use crate::learning::{
        Part, evaluate, inspect, learn, learn_sample, look, pieces, strengths, together, validate,
    };
    #[pymodule_export]
    use crate::network::{Network, networks};
    #[pymodule_export]
    use crate::options::{configured, marks, setting_names, version};
    #[pymodule_export]
    use crate::over_time::{DynamicNetwork, read_network};
    #[pymodule_export]
    use crate::rows::{code, code_rows, impute, predict, score, test};
    #[pymodule_export]
    use crate::run::Run;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        crate::errors::complete(module.py())
    }
}
