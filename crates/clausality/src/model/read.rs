//! Opening, unpacking and reading.

use super::{DynamicModel, EXPECTED, Format, Loaded, Model, ModelError};
use crate::embedded;
use crate::error::{Error, Place};
use crate::folder;
use clausality_bn::io::{Limits, bif, dot, edges, json, net, xmlbif};
use flate2::read::MultiGzDecoder;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// What a packed file may always unpack to, however small it is.
const UNPACKED: usize = 64 << 20;
/// Above that, how many bytes each packed byte may become; real networks stay under 30.
const EXPANSION: usize = 200;

pub(super) fn read(argument: &Path, format: Option<Format>, limits: &Limits) -> Result<Loaded, Error> {
    let source = argument.display().to_string();
    if let Some(name) = argument.to_str().and_then(|text| text.strip_prefix('@')) {
        let network = embedded::network(name).map_err(ModelError::from)?;
        return Ok(Loaded::Model(Model { network: network.into(), extra: Default::default(), source }));
    }
    if !argument.exists() {
        // A command that was killed may have left a folder one step from its place.
        folder::recover(argument);
    }
    if argument.is_dir() {
        return folder::steadily(argument, || {
            let loaded = read_file(&network_of_run(argument)?, None, limits)?;
            folder::check(argument)?;
            Ok(loaded)
        });
    }
    read_file(argument, format, limits)
}

/// The network file in a run folder.
fn network_of_run(folder: &Path) -> Result<PathBuf, ModelError> {
    let files = ["network.json", "network.bif"].map(|name| folder.join(name));
    // One that may not be looked at is there too: whoever reads it is told so.
    let is_there = |file: &PathBuf| match fs::metadata(file) {
        Ok(meta) => meta.is_file(),
        Err(error) => error.kind() == io::ErrorKind::PermissionDenied,
    };
    let found = files.into_iter().find(is_there);
    found.ok_or_else(|| ModelError::NoNetwork { folder: folder.display().to_string() })
}

fn read_file(path: &Path, format: Option<Format>, limits: &Limits) -> Result<Loaded, Error> {
    let source = path.display().to_string();
    let format = format.map_or_else(|| Format::of(path), Ok).map_err(|ending| {
        if path.exists() {
            return ModelError::Ending { file: source.clone(), ending, expected: EXPECTED };
        }
        if let Some(command) = folder::interrupted(path) {
            return ModelError::Interrupted { folder: source.clone(), command };
        }
        let embedded = embedded::list().iter().any(|network| network.name == source);
        ModelError::Nothing { argument: source.clone(), embedded }
    })?;
    let bytes = contents(path, &source, limits)?;
    let fault = |error| fault(&source, error);
    let name = stem(path);
    let (network, extra) = match format {
        Format::Bif => (bif::read(&bytes, limits).map_err(fault)?, Default::default()),
        Format::Xmlbif => (xmlbif::read(&bytes, limits).map_err(fault)?, Default::default()),
        Format::Net => (net::read(&bytes, limits).map_err(fault)?, Default::default()),
        Format::Json => match json::read_with_extra(&bytes, limits) {
            // Told apart only where it is no network without time: the others are looked through once.
            Err(_) if json::is_dynamic(&bytes) => {
                let model = DynamicModel::parse(&bytes, &source, limits).map_err(fault)?;
                return Ok(Loaded::Dynamic(model));
            }
            found => found.map_err(fault)?,
        },
        Format::Dot => {
            let structure = dot::read(&bytes, limits).map_err(fault)?;
            return Ok(Loaded::Graph { structure, name, source });
        }
        Format::Edges => {
            let structure = edges::read(&bytes, limits).map_err(fault)?;
            return Ok(Loaded::Graph { structure, name, source });
        }
        Format::Graphml => return Err(ModelError::OnlyWritten { file: source, format: "GraphML" }.into()),
        Format::Svg => return Err(ModelError::OnlyWritten { file: source, format: "SVG" }.into()),
    };
    Ok(Loaded::Model(Model { network: network.into(), extra, source }))
}

/// What is wrong in a file, and where.
fn fault(source: &str, error: clausality_bn::Error) -> ModelError {
    let place = match error.position() {
        Some((line, column)) => Place::at(source, line as u64, column as u64),
        None => Place::file(source),
    };
    ModelError::Fault { place, error: Box::new(error) }
}

/// Whether the file's name says that it is packed.
pub(super) fn is_packed(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("gz"))
}

/// The file's name without folder and endings.
fn stem(path: &Path) -> String {
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    name.split('.').next().filter(|stem| !stem.is_empty()).unwrap_or("unknown").to_string()
}

/// The bytes of the file, unpacked if its first bytes say gzip.
pub(crate) fn contents(path: &Path, source: &str, limits: &Limits) -> Result<Vec<u8>, Error> {
    let failed = |error: io::Error| Error::Io { file: source.to_string(), source: error };
    let file = File::open(path).map_err(failed)?;
    let bytes = read_within(file, limits.input_bytes).map_err(failed)?;
    let too_large =
        |limit, packed| Error::Model(ModelError::TooLarge { file: source.to_string(), limit, packed });
    let bytes = bytes.ok_or_else(|| too_large(limits.input_bytes, false))?;
    if !bytes.starts_with(&[0x1f, 0x8b]) {
        return Ok(bytes);
    }
    let allowed = limits.input_bytes.min(UNPACKED.max(bytes.len().saturating_mul(EXPANSION)));
    let unpacked = read_within(MultiGzDecoder::new(bytes.as_slice()), allowed).map_err(failed)?;
    unpacked.ok_or_else(|| too_large(allowed, true))
}

/// Everything there is to read, or nothing if that is more than the limit.
fn read_within(from: impl Read, limit: usize) -> io::Result<Option<Vec<u8>>> {
    let mut bytes = Vec::new();
    from.take(limit as u64 + 1).read_to_end(&mut bytes)?;
    Ok((bytes.len() <= limit).then_some(bytes))
}
