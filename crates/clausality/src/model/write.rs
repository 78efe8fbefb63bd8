//! Files for networks and graphs.

use super::read::is_packed;
use super::{Format, Loaded, Model, ModelError};
use crate::error::Error;
use clausality_bn::draw::{self, Form, Picture};
use clausality_bn::io::{Structure, bif, dot, edges, graphml, json, net, xmlbif};
use flate2::{Compression, write::GzEncoder};
use std::io::Write;
use std::path::Path;

/// A file to be written: its format, by its ending, and whether it is packed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileFormat {
    file: String,
    format: Format,
    packed: bool,
}

impl FileFormat {
    /// The format that the ending of the file names.
    ///
    /// # Errors
    /// [`ModelError::Ending`] for an ending that names none.
    pub fn of(path: &Path) -> Result<Self, Error> {
        let file = path.display().to_string();
        let format = Format::of(path).map_err(|ending| {
            let expected = "a file that ends in .bif, .xmlbif, .xml, .net, .json, .dot, .csv, .graphml or .svg (each also with .gz); `learn` also writes .html";
            ModelError::Ending { file: file.clone(), ending, expected }
        })?;
        Ok(FileFormat { file, format, packed: is_packed(path) })
    }

    /// This format, whatever the ending says.
    pub fn as_format(path: &Path, format: Format) -> Self {
        FileFormat { file: path.display().to_string(), format, packed: is_packed(path) }
    }

    /// Whether the format keeps probabilities.
    pub fn keeps_probabilities(&self) -> bool {
        self.format.keeps_probabilities()
    }

    /// Whether the format keeps nodes without arcs.
    pub fn keeps_isolated_nodes(&self) -> bool {
        self.format != Format::Edges
    }

    /// Whether the format is a drawing.
    pub fn is_picture(&self) -> bool {
        self.format == Format::Svg
    }

    /// The bytes of the file; the same network gives the same bytes.
    ///
    /// # Errors
    /// [`ModelError::NoProbabilities`] for a graph alone where the format needs a network; a name that the format cannot hold.
    pub fn write(&self, loaded: &Loaded) -> Result<Vec<u8>, Error> {
        let text = match loaded {
            _ if self.is_picture() => return self.draw(&loaded.picture()),
            Loaded::Model(model) => self.network(model)?,
            Loaded::Dynamic(model) if self.format == Format::Json => model.write(),
            Loaded::Dynamic(model) if self.format.keeps_probabilities() => {
                return Err(ModelError::OverTime { file: model.source.clone() }.into());
            }
            Loaded::Dynamic(model) => self.graph(&model.structure(), model.network.name())?,
            Loaded::Graph { source, .. } if self.format.keeps_probabilities() => {
                return Err(ModelError::NoProbabilities { file: source.clone() }.into());
            }
            Loaded::Graph { structure, name, .. } => self.graph(structure, name)?,
        };
        if text.contains('\0') {
            // JSON writes it in other signs, and reads it back.
            return Err(ModelError::Nul { file: self.file.clone() }.into());
        }
        self.pack(text)
    }

    /// The bytes of a drawing of this picture.
    ///
    /// # Errors
    /// None but what packing may meet.
    pub fn draw(&self, picture: &Picture) -> Result<Vec<u8>, Error> {
        self.pack(draw::svg(picture, Form::File))
    }

    fn pack(&self, text: String) -> Result<Vec<u8>, Error> {
        if !self.packed {
            return Ok(text.into_bytes());
        }
        let failed = |source| Error::Io { file: self.file.clone(), source };
        // No time of day in the header, so that the same network gives the same bytes.
        let mut packer = GzEncoder::new(Vec::new(), Compression::default());
        packer.write_all(text.as_bytes()).map_err(failed)?;
        packer.finish().map_err(failed)
    }

    fn network(&self, model: &Model) -> Result<String, Error> {
        Ok(match self.format {
            Format::Bif => bif::write(&model.network),
            Format::Xmlbif => xmlbif::write(&model.network)?,
            Format::Net => net::write(&model.network),
            Format::Json => json::write_with_extra(&model.network, &model.extra),
            Format::Graphml => {
                let structure = model.structure();
                self.check_names(structure.names())?;
                graphml::write_network(&model.network, &structure)?
            }
            Format::Dot | Format::Edges | Format::Svg => {
                self.graph(&model.structure(), model.network.name())?
            }
        })
    }

    /// An empty cell is no node, and an empty id no id.
    fn check_names(&self, names: &[String]) -> Result<(), Error> {
        match names.iter().position(|name| name.trim().is_empty()) {
            Some(node) => Err(ModelError::NoName { file: self.file.clone(), node: node + 1 }.into()),
            None => Ok(()),
        }
    }

    fn graph(&self, structure: &Structure, name: &str) -> Result<String, Error> {
        if matches!(self.format, Format::Edges | Format::Graphml) {
            self.check_names(structure.names())?;
        }
        Ok(match self.format {
            Format::Edges => edges::write(structure),
            Format::Graphml => graphml::write(name, structure)?,
            _ => dot::write(name, structure),
        })
    }
}
