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
        self.write_with(loaded, || loaded.picture(), session)
    }

    /// The same with a picture that shows more than the network alone.
    pub(crate) fn write_with(
        self,
        loaded: &Loaded,
        picture: impl Fn() -> Picture,
        session: &Session,
    ) -> Result<(), Failure> {
        // Nothing is put in place before everything is known to be writable.
        let mut written = Vec::with_capacity(self.0.len());
        for (target, file, path) in self.0 {
            let bytes = if target.is_picture() { target.draw(&picture()) } else { target.write(loaded) };
            written.push((bytes?, target, file, path));
        }
        let structure = loaded.structure();
        for (bytes, target, file, path) in written {
            file.write(&bytes)?;
            let isolated: Vec<&str> = structure.isolated().collect();
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
