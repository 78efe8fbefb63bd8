//! What was learned, kept as the documents of a run folder.

use crate::compare;
use crate::errors::Failure;
use crate::network::Network;
use crate::options::{self, Everywhere};
use crate::over_time::Kept;
use clausality::Learned;
use clausality::bn::draw;
use clausality::bn::io::Structure;
use clausality::learn::LearnedArc;
use clausality::model::{Loaded, Model, require_shared_nodes};
use clausality::rules::NamedArc;
use clausality::run::{CONSENSUS, Clauses, Made, Run as Document, RunFolder, Truth};
use clausality::tell::{kept_files, picture, report};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use serde_json::Value;
use std::path::PathBuf;
use std::sync::Arc;

/// A run: `run.json`, `clauses.json`, the network, and the consensus network if there is one.
#[pyclass(frozen, module = "clausality._clausality")]
pub(crate) struct Run {
    folder: Arc<RunFolder>,
    network: Kept,
    consensus: Option<Arc<Model>>,
}

impl Run {
    pub(crate) fn learned(found: &Learned, made: Made) -> Result<Self, Failure> {
        let run = Document::new(found, made);
        let network = run.kept(found).try_into()?;
        let consensus = run.consensus(found);
        let clauses = Clauses { run: run.id.clone(), ..Clauses::new(found) };
        Ok(Run { folder: Arc::new(RunFolder { run, clauses }), network, consensus: consensus.map(Arc::new) })
    }

    /// What it says beside its network.
    pub(crate) fn folder(&self) -> RunFolder {
        (*self.folder).clone()
    }
}

#[pymethods]
impl Run {
    /// Reads a run folder.
    #[staticmethod]
    fn read(py: Python<'_>, folder: PathBuf, everywhere: &str) -> PyResult<Self> {
        let limits = options::read::<Everywhere>(everywhere)?.limits();
        py.detach(|| -> Result<Self, Failure> {
            let mut documents = RunFolder::read(&folder, &limits)?;
            // Digests are of the folder, not of what was learned: `files` gives them anew.
            documents.run.files.clear();
            let network = Loaded::read(&folder, &limits)?.try_into()?;
            let consensus = Some(folder.join(CONSENSUS)).filter(|file| file.is_file());
            let consensus = consensus.map(|file| Model::read(&file, &limits)).transpose()?;
            Ok(Run { folder: Arc::new(documents), network, consensus: consensus.map(Arc::new) })
        })
        .map_err(PyErr::from)
    }

    /// A run of its documents: `run.json`, `clauses.json`, `network.json` and `consensus.json` if there is one.
    #[staticmethod]
    #[pyo3(signature = (run, clauses, network, consensus = None))]
    fn from_documents(
        run: &str,
        clauses: &str,
        network: Kept,
        consensus: Option<&Network>,
    ) -> PyResult<Self> {
        let folder = RunFolder { run: options::read(run)?, clauses: options::read(clauses)? };
        Ok(Run {
            folder: Arc::new(folder),
            network,
            consensus: consensus.map(|network| Arc::clone(&network.model)),
        })
    }

    /// The files of its folder: names and bytes.
    fn files<'py>(&self, py: Python<'py>) -> PyResult<Vec<(&'static str, Bound<'py, PyBytes>)>> {
        let files = py.detach(|| kept_files(&self.folder, &self.network.loaded(), self.consensus.as_deref()));
        let bytes = |(name, bytes): (&'static str, Vec<u8>)| (name, PyBytes::new(py, &bytes));
        Ok(files.map_err(Failure::from)?.into_iter().map(bytes).collect())
    }

    /// Why a node is predicted, as JSON text.
    fn explain_node(&self, node: &str) -> Result<String, Failure> {
        let explained = self.folder.explain_node(node)?;
        match &self.network {
            Kept::Network(network) => options::json(&explained.with_card(&network.model)?),
            Kept::OverTime(_) => options::json(&explained),
        }
    }

    /// Why an arc is there or not, as JSON text; the arc is written `P>C`.
    fn explain_arc(&self, arc: &str) -> Result<String, Failure> {
        let arc: NamedArc = arc.parse().map_err(Failure::Input)?;
        options::json(&self.folder.explain_arc(&arc)?)
    }

    /// A picture with what was learned: a whole SVG file.
    fn svg(&self, py: Python<'_>) -> String {
        py.detach(|| draw::svg(&picture::of_run(&self.folder.run), draw::Form::File))
    }

    fn __eq__(&self, other: &Self) -> bool {
        // Where it was read says nothing about what it says.
        let same = |one: &Model, other: &Model| one.network == other.network && one.extra == other.extra;
        let consensus = match (&self.consensus, &other.consensus) {
            (Some(one), Some(other)) => same(one, other),
            (one, other) => one.is_none() && other.is_none(),
        };
        // Numbers that nothing is known of are not equal to themselves, but what is written of them is.
        let written = |run: &Run| Some((run.run_json().ok()?, run.clauses_json().ok()?));
        self.network.says_the_same(&other.network) && consensus && written(self) == written(other)
    }

    /// `run.json` as text.
    fn run_json(&self) -> Result<String, Failure> {
        options::json(&self.folder.run)
    }

    /// The arcs with all that `edges.csv` says of them, as JSON text.
    fn arcs_json(&self) -> Result<String, Failure> {
        let arc = |arc: &LearnedArc| -> Result<Value, Failure> {
            let mut fields = serde_json::to_value(arc).map_err(|error| Failure::Input(error.to_string()))?;
            fields["way"] = arc.way().word().into();
            fields["gaps"] = arc.gaps.into();
            fields["lag"] = arc.lag().into();
            Ok(fields)
        };
        options::json(&self.folder.run.arcs.iter().map(arc).collect::<Result<Vec<_>, _>>()?)
    }

    /// `clauses.json` as text.
    fn clauses_json(&self) -> Result<String, Failure> {
        options::json(&self.folder.clauses)
    }

    /// The network.
    fn network(&self) -> Kept {
        self.network.clone()
    }

    /// The consensus network, if the learning was repeated.
    fn consensus(&self) -> Option<Network> {
        self.consensus.as_ref().map(|model| Network::from(Arc::clone(model)))
    }

    /// The page about it, beside a true network or graph if one is given.
    #[pyo3(signature = (truth = None))]
    fn report(&self, py: Python<'_>, truth: Option<&Bound<'_, PyAny>>) -> PyResult<String> {
        let truth = truth.map(compare::loaded).transpose()?;
        py.detach(|| -> Result<String, Failure> {
            let mut folder = (*self.folder).clone();
            if let Some(truth) = truth {
                let (graph, learned) = (truth.structure(), Structure::from(self.network.told()));
                require_shared_nodes((truth.source(), &graph), (self.network.loaded().source(), &learned))?;
                folder.run.truth = Some(Truth::new(truth.source(), &graph, &learned));
            }
            Ok(report::html(&folder, self.network.told())?)
        })
        .map_err(PyErr::from)
    }
}
