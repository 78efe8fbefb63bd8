//! Options of the command line as a configuration file would say them.

use crate::failure::Failure;
use serde::Serialize;

/// Options of the command line that settings are made of.
pub(crate) trait Given {
    /// What was given, as a configuration file would say it.
    fn document(&self) -> Result<String, Failure>;
}

/// Options as a configuration file would say them; those not given are left out.
pub(crate) fn written(options: &impl Serialize) -> Result<String, Failure> {
    toml::to_string(options).map_err(|error| Failure::Input(error.to_string()))
}
