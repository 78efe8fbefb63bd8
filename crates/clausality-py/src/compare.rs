//! Structures: two of them compared, one given probabilities.

use crate::errors::{Failure, InputError};
use crate::network::{Network, format};
use crate::options::{self, Everywhere};
use crate::over_time::Kept;
use crate::table::Source;
use crate::work;
use clausality::bn::Dag;
use clausality::bn::compare::{Comparison, Differences};
use clausality::bn::io::Structure;
use clausality::model::{FileFormat, Loaded, Summary, fit as estimate, require_shared_nodes};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use serde_json::json;
use std::path::PathBuf;
use std::sync::Arc;

/// A structure as Python hands it over: a network, a path, or nodes and arcs.
pub(crate) fn loaded(structure: &Bound<'_, PyAny>) -> PyResult<Loaded> {
    if let Ok(network) = structure.extract::<Kept>() {
        return Ok(network.loaded());
    }
    if let Ok(path) = structure.extract::<PathBuf>() {
        let limits = Everywhere::default().limits();
        return Ok(structure.py().detach(|| Loaded::read(&path, &limits)).map_err(Failure::from)?);
    }
    let (names, arcs): (Vec<String>, Vec<(String, String)>) = structure.extract()?;
    let place = |name: &String| names.iter().position(|other| other == name);
    let arcs = arcs.iter().filter_map(|(parent, child)| Some((place(parent)?, place(child)?)));
    let dag = Dag::from_arcs(names.len(), arcs).map_err(|_| {
        InputError::new_err(
            "the arcs go round in a circle: a network has none that lead back to where they start",
        )
    })?;
    let structure = Structure::new(names, dag).map_err(Failure::from)?;
    Ok(Loaded::Graph { structure, name: "graph".into(), source: "the graph".into() })
}

/// How near a graph is to the true one, as the JSON document of `clausality compare`.
#[pyfunction]
pub(crate) fn compare(
    py: Python<'_>,
    truth: &Bound<'_, PyAny>,
    learned: &Bound<'_, PyAny>,
) -> PyResult<String> {
    let (truth, learned) = (loaded(truth)?, loaded(learned)?);
    work::run(py, &Everywhere::default(), None, move |_| {
        let (true_graph, learned_graph) = (truth.structure(), learned.structure());
        require_shared_nodes((truth.source(), &true_graph), (learned.source(), &learned_graph))?;
        let comparison = Comparison::of(&true_graph, &learned_graph);
        let Differences { missing, extra, turned } = Differences::between(&true_graph, &learned_graph);
        options::json(&json!({
            "truth": truth.source(),
            "learned": learned.source(),
            "comparison": comparison,
            "missing": missing,
            "extra": extra,
            "turned": turned,
            "version": options::version(),
        }))
    })
}

/// The probabilities of a structure from a table: the network, the document of `clausality fit`, what deserves attention.
#[pyfunction]
pub(crate) fn fit(
    py: Python<'_>,
    structure: &Bound<'_, PyAny>,
    table: &Bound<'_, PyAny>,
    name: String,
    settings: &str,
    everywhere: &str,
) -> PyResult<(Network, String, Vec<String>)> {
    let everywhere: Everywhere = options::read(everywhere)?;
    let settings = options::settings(settings)?;
    let structure = loaded(structure)?;
    let source = Source::new(table, name)?;
    work::run(py, &everywhere, None, move |progress| {
        let bounds = everywhere.bounds();
        let fitted = source.read(progress, |input| estimate(&structure, input, &settings, &bounds))?;
        let document = options::json(&fitted.document(&[]))?;
        Ok((Network::from(Arc::new(fitted.model)), document, fitted.warnings))
    })
}

/// What a network or graph is, as the JSON document of `clausality check`.
#[pyfunction]
#[pyo3(signature = (structure, format_name = None))]
pub(crate) fn check(structure: &Bound<'_, PyAny>, format_name: Option<&str>) -> PyResult<String> {
    Ok(options::json(&Summary::of(&read_as(structure, format_name)?))?)
}

/// The bytes of a file for a network or graph, in the format of its ending or in the one that is named.
#[pyfunction]
#[pyo3(signature = (structure, path, from_name = None, format_name = None))]
pub(crate) fn converted<'py>(
    structure: &Bound<'py, PyAny>,
    path: PathBuf,
    from_name: Option<&str>,
    format_name: Option<&str>,
) -> PyResult<Bound<'py, PyBytes>> {
    let loaded = read_as(structure, from_name)?;
    let file = match format(format_name)? {
        Some(format) => FileFormat::as_format(&path, format),
        None => FileFormat::of(&path).map_err(Failure::from)?,
    };
    let bytes = file.write(&loaded).map_err(Failure::from)?;
    Ok(PyBytes::new(structure.py(), &bytes))
}

/// A structure, where it is a path read in a format that may be named.
fn read_as(structure: &Bound<'_, PyAny>, format_name: Option<&str>) -> PyResult<Loaded> {
    match (format(format_name)?, structure.extract::<PathBuf>()) {
        (Some(format), Ok(path)) => {
            let limits = Everywhere::default().limits();
            Ok(Loaded::read_as(&path, format, &limits).map_err(Failure::from)?)
        }
        _ => loaded(structure),
    }
}
