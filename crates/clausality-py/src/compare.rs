//! Structures: two of them compared, one given probabilities.

use crate::errors::{Failure, InputError};
use crate::network::Network;
use crate::options::{self, Everywhere};
use crate::table::Source;
use crate::work;
use clausality::bn::Dag;
use clausality::bn::compare::{Comparison, Differences};
use clausality::bn::io::Structure;
use clausality::model::{Loaded, fit as estimate};
use clausality::words::quoted;
use pyo3::prelude::*;
use serde_json::json;
use std::path::PathBuf;
use std::sync::Arc;

/// A structure as Python hands it over: a network, a path, or nodes and arcs.
pub(crate) fn loaded(structure: &Bound<'_, PyAny>) -> PyResult<Loaded> {
    if let Ok(network) = structure.cast::<Network>() {
        return Ok(Loaded::Model((*network.get().model).clone()));
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

/// Two graphs about different things cannot be compared.
pub(crate) fn require_shared_nodes(
    truth: (&str, &Structure),
    learned: (&str, &Structure),
) -> Result<(), Failure> {
    let names = [truth, learned].map(|(_, graph)| graph.names());
    let shared: Vec<&String> = names[0].iter().filter(|name| names[1].contains(name)).collect();
    if shared.len() >= names[0].len().min(names[1].len()).min(2) {
        return Ok(());
    }
    let what = if shared.is_empty() { "no node".to_string() } else { format!("only {}", quoted(&shared, 1)) };
    let ((truth, _), (learned, _)) = (truth, learned);
    let has = |side: &str, names: &[String]| format!("{side} has {}", quoted(names, 4));
    Err(Failure::Input(format!(
        "{truth}: it shares {what} with {learned}, so the two cannot be compared: {}; {}",
        has(truth, names[0]),
        has(learned, names[1])
    )))
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
