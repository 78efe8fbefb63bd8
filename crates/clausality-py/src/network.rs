//! A network with the coding of its table: read, written, drawn, and asked.

use crate::columns::Columns;
use crate::errors::Failure;
use crate::options::{self, Everywhere};
use crate::questions::{Asks, Question};
use crate::work;
use clausality::bn::io::json;
use clausality::bn::{Dag, draw, sample_unless};
use clausality::data::Dataset;
use clausality::embedded;
use clausality::model::{FileFormat, Format, Loaded, Model};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use serde_json::json;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A network.
#[pyclass(frozen, from_py_object, module = "clausality._clausality")]
#[derive(Clone)]
pub(crate) struct Network {
    pub(crate) model: Arc<Model>,
}

impl From<Arc<Model>> for Network {
    fn from(model: Arc<Model>) -> Self {
        Network { model }
    }
}

/// A format by its name; none leaves it to the file's ending.
pub(crate) fn format(name: Option<&str>) -> Result<Option<Format>, Failure> {
    let found = |name: &str| {
        let expected = Format::NAMES.join(", ");
        Format::named(name)
            .ok_or_else(|| Failure::Input(format!("there is no format '{name}': expected {expected}")))
    };
    name.map(found).transpose()
}

/// The bytes of a network's file, its format by its ending or by its name.
pub(crate) fn file_bytes<'py>(
    py: Python<'py>,
    path: &Path,
    format_name: Option<&str>,
    network: impl FnOnce() -> Loaded + Send,
) -> PyResult<Bound<'py, PyBytes>> {
    let format = format(format_name)?;
    let bytes = py.detach(|| {
        let file = format.map_or_else(|| FileFormat::of(path), |f| Ok(FileFormat::as_format(path, f)))?;
        file.write(&network())
    });
    Ok(PyBytes::new(py, &bytes.map_err(Failure::from)?))
}

impl Network {
    /// The names of what the graph gives for a node.
    fn named(&self, node: &str, of: impl Fn(&Dag, usize) -> Vec<usize>) -> Result<Vec<&str>, Failure> {
        let (schema, dag) = (self.model.network.schema(), self.model.network.dag());
        Ok(of(dag, clausality::model::node(schema, node)?).into_iter().map(|v| schema.name(v)).collect())
    }
}

#[pymethods]
impl Network {
    /// Reads a network from wherever the argument says: a file, a run folder, `@asia`.
    #[staticmethod]
    #[pyo3(signature = (argument, everywhere, format_name = None))]
    fn read(
        py: Python<'_>,
        argument: PathBuf,
        everywhere: &str,
        format_name: Option<&str>,
    ) -> PyResult<Self> {
        let limits = options::read::<Everywhere>(everywhere)?.limits();
        let format = format(format_name)?;
        let model = py.detach(|| match format {
            None => Model::read(&argument, &limits),
            Some(format) => Loaded::read_as(&argument, format, &limits)?.try_into(),
        });
        Ok(Network::from(Arc::new(model.map_err(Failure::from)?)))
    }

    /// The network of a `network.json`.
    #[staticmethod]
    fn from_json(py: Python<'_>, bytes: &[u8], source: String) -> PyResult<Self> {
        let limits = Everywhere::default().limits();
        let read = py.detach(|| json::read_with_extra(bytes, &limits)).map_err(Failure::from)?;
        let (network, extra) = read;
        Ok(Network::from(Arc::new(Model { network: network.into(), extra, source })))
    }

    /// `network.json`.
    fn json<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        self.bytes(py, "network.json".into(), None)
    }

    /// The bytes of a file, its format by its ending or by its name.
    #[pyo3(signature = (path, format_name = None))]
    fn bytes<'py>(
        &self,
        py: Python<'py>,
        path: PathBuf,
        format_name: Option<&str>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        file_bytes(py, &path, format_name, || Loaded::Model((*self.model).clone()))
    }

    /// Name, nodes with states and parents, as JSON text.
    fn schema_json(&self) -> Result<String, Failure> {
        let network = &self.model.network;
        let schema = network.schema();
        let node = |v: usize| {
            let variable = schema.variable(v);
            let parents: Vec<&str> = network.parents(v).iter().map(|&p| schema.name(p)).collect();
            json!({
                "name": variable.name,
                "states": variable.states,
                "scale": variable.scale,
                "missing_state": variable.has_missing_state,
                "parents": parents,
            })
        };
        options::json(&json!({
            "name": network.name(),
            "source": self.model.source,
            "parameters": network.free_parameters(),
            "nodes": (0..schema.len()).map(node).collect::<Vec<_>>(),
        }))
    }

    /// The probability table of a node: a row for each configuration of its parents, the last parent varying fastest.
    fn cpt(&self, node: &str) -> Result<Vec<Vec<f64>>, Failure> {
        let node = clausality::model::node(self.model.network.schema(), node)?;
        let cpt = self.model.network.cpt(node);
        Ok((0..cpt.configurations()).map(|row| cpt.row(row).to_vec()).collect())
    }

    /// The names of the nodes from which arrows lead to one, in the network's order.
    fn ancestors(&self, node: &str) -> Result<Vec<&str>, Failure> {
        self.named(node, Dag::ancestors)
    }

    /// The names of the nodes to which arrows lead from one.
    fn descendants(&self, node: &str) -> Result<Vec<&str>, Failure> {
        self.named(node, Dag::descendants)
    }

    /// The names of the parents, the children and the children's other parents of a node.
    fn markov_blanket(&self, node: &str) -> Result<Vec<&str>, Failure> {
        self.named(node, Dag::blanket)
    }

    /// The names of all nodes, parents before their children.
    fn topological_order(&self) -> Vec<&str> {
        let network = &self.model.network;
        network.dag().topological_order().into_iter().map(|v| network.schema().name(v)).collect()
    }

    /// Whether the graph says that some nodes are independent of others, given still others.
    fn independent(
        &self,
        nodes: Vec<String>,
        others: Vec<String>,
        given: Vec<String>,
    ) -> Result<bool, Failure> {
        let network = &self.model.network;
        let index = |names: Vec<String>| -> Result<Vec<usize>, Failure> {
            let found = names.iter().map(|name| clausality::model::node(network.schema(), name));
            Ok(found.collect::<Result<_, _>>()?)
        };
        let (nodes, others, given) = (index(nodes)?, index(others)?, index(given)?);
        let separate = |a: usize| others.iter().all(|&b| network.dag().separates(&given, a, b));
        Ok(nodes.into_iter().all(separate))
    }

    /// A picture: a whole SVG file.
    fn svg(&self, py: Python<'_>) -> String {
        py.detach(|| draw::svg(&Loaded::Model((*self.model).clone()).picture(), draw::Form::File))
    }

    /// How the columns of a table become the states, as JSON text; nothing if the network does not keep it.
    fn coding_json(&self) -> Result<Option<String>, Failure> {
        self.model.coding()?.map(|coding| options::json(&coding)).transpose()
    }

    /// The columns that machines were trained to predict.
    fn predicted(&self) -> Result<Vec<String>, Failure> {
        Ok(self.model.predictors()?.into_iter().map(|predictor| predictor.target).collect())
    }

    /// The answer to a question, as the JSON document of `clausality query`, and what deserves to be said of it.
    fn query(&self, py: Python<'_>, question: &str, everywhere: &str) -> PyResult<(String, Vec<String>)> {
        let question: Question = options::read(question)?;
        let everywhere: Everywhere = options::read(everywhere)?;
        let model = Arc::clone(&self.model);
        work::run(py, &everywhere, None, move |progress| {
            question.answer(&model, None, everywhere.inference_bytes(), progress)
        })
    }

    /// The same with what helps to decide: what to ask next, why, and so on.
    fn insight(
        &self,
        py: Python<'_>,
        question: &str,
        asks: &str,
        everywhere: &str,
    ) -> PyResult<(String, Vec<String>)> {
        let question: Question = options::read(question)?;
        let asks: Asks = options::read(asks)?;
        let everywhere: Everywhere = options::read(everywhere)?;
        let model = Arc::clone(&self.model);
        work::run(py, &everywhere, None, move |progress| {
            let wanted = asks.wanted(&everywhere.limits())?;
            question.insight(&model, None, &wanted, everywhere.inference_bytes(), progress)
        })
    }

    /// Rows drawn from the network.
    fn sample(&self, py: Python<'_>, rows: usize, seed: u64) -> PyResult<Columns> {
        let model = Arc::clone(&self.model);
        let everywhere = Everywhere::default();
        work::run(py, &everywhere, None, move |progress| {
            let stop = || progress.is_cancelled();
            let nodes = model.network.len();
            Dataset::plan_of_sample(rows, nodes, nodes).check(everywhere.bounds().room)?;
            Columns::coded(sample_unless(&model.network, rows, seed, &stop)?)
        })
    }

    pub(crate) fn __eq__(&self, other: &Self) -> bool {
        self.model.network == other.model.network && self.model.extra == other.model.extra
    }
}

/// The embedded networks, as the JSON document of `clausality networks`.
#[pyfunction]
pub(crate) fn networks() -> Result<String, Failure> {
    options::json(&embedded::list())
}
