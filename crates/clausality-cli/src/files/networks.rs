//! Networks and graphs: reading a MODEL or STRUCTURE, and files to write.

use super::output::OutputFile;
use crate::failure::Failure;
use crate::session::Session;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use clausality::bn::draw::Picture;
use clausality::model::{FileFormat, Format, Loaded, Model};
use clausality::words::quoted;
use std::path::{Path, PathBuf};

/// Reads a MODEL: a network file, a run folder or `@NAME`.
pub(crate) fn read_model(argument: &Path, session: &Session) -> Result<Model, Failure> {
    Ok(Model::read(argument, &session.limits())?)
}

/// The network that was read, where one without time is needed.
pub(crate) fn model_of(loaded: Loaded) -> Result<Model, Failure> {
    Ok(Model::try_from(loaded)?)
}

/// Reads a STRUCTURE: a MODEL, or a graph without probabilities.
pub(crate) fn read_structure(argument: &Path, session: &Session) -> Result<Loaded, Failure> {
    Ok(Loaded::read(argument, &session.limits())?)
}

/// Reads a STRUCTURE in the format that is named, else in that of its ending.
pub(crate) fn read_structure_as(
    argument: &Path,
    format: Option<Format>,
    session: &Session,
) -> Result<Loaded, Failure> {
    match format {
        Some(format) => Ok(Loaded::read_as(argument, format, &session.limits())?),
        None => read_structure(argument, session),
    }
}

/// Takes the name of a format on the command line.
pub(crate) fn format_parser() -> impl TypedValueParser<Value = Format> {
    PossibleValuesParser::new(Format::NAMES).try_map(|name| Format::named(&name).ok_or("no such format"))
}

/// Files for a network or graph, reserved before the work.
pub(crate) struct Outputs(Vec<(FileFormat, OutputFile, PathBuf)>);

impl Outputs {
    /// Makes sure that every file can be written in the format of its ending.
    pub(crate) fn reserve(paths: &[PathBuf]) -> Result<Self, Failure> {
        Outputs::reserve_as(paths, None)
    }

    /// The same in the format that is named, whatever the endings.
    pub(crate) fn reserve_as(paths: &[PathBuf], format: Option<Format>) -> Result<Self, Failure> {
        let mut reserved = Vec::with_capacity(paths.len());
        for path in paths {
            let target = format
                .map_or_else(|| FileFormat::of(path), |format| Ok(FileFormat::as_format(path, format)))?;
            reserved.push((target, path));
        }
        let files = reserved
            .into_iter()
            .map(|(target, path)| OutputFile::reserve(path).map(|file| (target, file, path.clone())));
        Ok(Outputs(files.collect::<Result<_, _>>()?))
    }

    /// Whether one of them is a drawing.
    pub(crate) fn has_picture(&self) -> bool {
        self.0.iter().any(|(target, ..)| target.is_picture())
    }

    /// Writes the files; what a format cannot keep is said.
    pub(crate) fn write(self, loaded: &Loaded, session: &Session) -> Result<(), Failure> {
        self.fill(loaded, || loaded.picture())?.place(loaded, session)
    }

    /// Fills the files without putting one in place; a picture may show more than the network alone.
    pub(crate) fn fill(mut self, loaded: &Loaded, picture: impl Fn() -> Picture) -> Result<Self, Failure> {
        for (target, file, _) in &mut self.0 {
            let bytes = if target.is_picture() { target.draw(&picture()) } else { target.write(loaded) };
            file.fill(&bytes?)?;
        }
        Ok(self)
    }

    /// Puts the filled files in place; what a format cannot keep is said.
    pub(crate) fn place(self, loaded: &Loaded, session: &Session) -> Result<(), Failure> {
        let structure = loaded.structure();
        let isolated: Vec<&str> = structure.isolated().collect();
        for (target, file, path) in self.0 {
            file.place()?;
            if !target.keeps_isolated_nodes() && !isolated.is_empty() {
                session.warn(format!(
                    "{}: an edge list cannot hold nodes without arcs: {} left out",
                    path.display(),
                    quoted(&isolated, 5)
                ));
            }
        }
        Ok(())
    }
}
