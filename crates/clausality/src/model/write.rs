//! Files for networks and graphs.

use super::read::{Format, is_packed};
use super::{Loaded, ModelError};
use crate::error::Error;
use clausality_bn::io::{bif, dot, edges, json};
use flate2::{Compression, write::GzEncoder};
use std::io::Write;
use std::path::Path;

/// A file to be written: its format, by its ending, and whether it is packed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Target {
    file: String,
    format: Format,
    packed: bool,
}

impl Target {
    /// The format that the ending of the file names.
    ///
    /// # Errors
    /// [`ModelError::Ending`] for an ending that names none.
    pub fn of(path: &Path) -> Result<Self, Error> {
        let file = path.display().to_string();
        let format = Format::of(path).map_err(|ending| {
            let expected = "a file that ends in .bif, .bif.gz, .json, .dot or .csv";
            ModelError::Ending { file: file.clone(), ending, expected }
        })?;
        Ok(Target { file, format, packed: is_packed(path) })
    }

    /// Whether the format keeps probabilities.
    pub fn keeps_probabilities(&self) -> bool {
        matches!(self.format, Format::Bif | Format::Json)
    }

    /// Whether the format keeps nodes without arcs.
    pub fn keeps_isolated_nodes(&self) -> bool {
        self.format != Format::Edges
    }

    /// The bytes of the file; the same network gives the same bytes.
    ///
    /// # Errors
    /// [`ModelError::NoProbabilities`] for a graph alone where the format needs a network.
    pub fn write(&self, loaded: &Loaded) -> Result<Vec<u8>, Error> {
        let text = match (self.format, loaded) {
            (Format::Bif, Loaded::Model(model)) => bif::write(&model.network),
            (Format::Json, Loaded::Model(model)) => json::write_with_extra(&model.network, &model.extra),
            (Format::Dot, _) => dot::write(loaded.name(), &loaded.structure()),
            (Format::Edges, _) => edges::write(&loaded.structure()),
            (Format::Bif | Format::Json, Loaded::Graph { source, .. }) => {
                return Err(ModelError::NoProbabilities { file: source.clone() }.into());
            }
        };
        if !self.packed {
            return Ok(text.into_bytes());
        }
        let failed = |source| Error::Io { file: self.file.clone(), source };
        // No time of day in the header, so that the same network gives the same bytes.
        let mut packer = GzEncoder::new(Vec::new(), Compression::default());
        packer.write_all(text.as_bytes()).map_err(failed)?;
        packer.finish().map_err(failed)
    }
}
