//! The explorer for a notebook: what its page asks is answered here, without a port.

use crate::errors::Failure;
use crate::network::Network;
use crate::options::{self, Everywhere};
use crate::questions::likelihood;
use crate::run::Run;
use crate::table::Source;
use crate::work;
use clausality::bn::infer::Evidence;
use clausality::data::Absent;
use clausality::model::{self, Model, Reading, Rows, not_one};
use clausality_web::{Explored, notebook_module};
use pyo3::exceptions::PyOSError;
use pyo3::prelude::*;
use std::sync::Arc;

/// The seed of the samples where exact inference would take too much memory.
const SEED: u64 = 1;

/// A network that a page asks.
#[pyclass(frozen, module = "clausality._clausality")]
pub(crate) struct Explorer {
    model: Arc<Model>,
    explorer: clausality_web::Explorer,
}

/// An explorer that cannot be had.
fn raised(error: clausality_web::Error) -> PyErr {
    match error {
        clausality_web::Error::Model(error) => Failure::from(error).into(),
        other => PyOSError::new_err(other.to_string()),
    }
}

#[pymethods]
impl Explorer {
    /// `argument` is how the page names the network in questions to copy. With a run there are rules and strengths, with rows (a table and its
    /// name) evidence to pick from. The nodes may be steps of a network over time. Also what deserves to be said of the rows.
    #[staticmethod]
    #[pyo3(signature = (network, run, argument, rows, everywhere, over_time = false))]
    fn of(
        py: Python<'_>,
        network: &Network,
        run: Option<&Run>,
        argument: String,
        rows: Option<(Bound<'_, PyAny>, String)>,
        everywhere: &str,
        over_time: bool,
    ) -> PyResult<(Self, Vec<String>)> {
        let everywhere: Everywhere = options::read(everywhere)?;
        let model = Arc::clone(&network.model);
        let rows = rows.map(|(table, name)| coded(py, &model, &table, name, everywhere)).transpose()?;
        let (rows, told) = rows.map_or((None, vec![]), |(name, rows)| {
            let told = rows.notices();
            (Some(Rows { name, ..rows }), told)
        });
        let explored = Explored {
            run: run.map(Run::folder),
            rows,
            memory_limit: everywhere.inference_bytes(),
            seed: SEED,
            over_time,
            ..Explored::new((*model).clone(), argument)
        };
        let explorer = py.detach(|| clausality_web::Explorer::new(explored)).map_err(raised)?;
        Ok((Explorer { model, explorer }, told))
    }

    /// The answer to a request of the page: its status and its text.
    fn answer(&self, py: Python<'_>, method: &str, path: &str, kind: &str, body: &str) -> (u16, String) {
        let answer = py.detach(|| self.explorer.answer(method, path, kind, body.as_bytes()));
        (answer.status, String::from_utf8_lossy(&answer.body).into_owned())
    }

    /// The states that nodes are in by these states or values: `51` is read as the table's ages were.
    fn states(&self, given: Vec<(String, String)>) -> Result<Vec<(String, String)>, Failure> {
        let (schema, coding) = (self.model.network.schema(), self.model.coding()?);
        let state = |(name, text): (String, String)| {
            let variable = schema.variable(model::node(schema, &name)?);
            let code = model::state(variable, coding.as_ref(), &text);
            let code = code.ok_or_else(|| not_one(variable, coding.as_ref(), &text))?;
            Ok((name, variable.states[usize::from(code)].clone()))
        };
        given.into_iter().map(state).collect()
    }

    /// A report about a node: the number of each of its states, in their order.
    fn report(&self, node: &str, weights: Vec<(String, f64)>) -> Result<Vec<(String, f64)>, Failure> {
        let (schema, coding) = (self.model.network.schema(), self.model.coding()?);
        let index = model::node(schema, node)?;
        let variable = schema.variable(index);
        let numbers = likelihood(variable, coding.as_ref(), &weights)?;
        // Numbers that no question could take are refused here.
        Evidence::new(&self.model.network).likelihood(index, numbers.clone())?;
        Ok(variable.states.iter().cloned().zip(numbers).collect())
    }

    /// The page: one ES module.
    #[staticmethod]
    fn module() -> String {
        notebook_module()
    }
}

fn coded(
    py: Python<'_>,
    model: &Arc<Model>,
    table: &Bound<'_, PyAny>,
    name: String,
    everywhere: Everywhere,
) -> PyResult<(String, Rows)> {
    let source = Source::new(table, name.clone())?;
    let model = Arc::clone(model);
    let rows = work::run(py, &everywhere, None, move |progress| {
        let reading = Reading::default();
        source.read(progress, |input| {
            Rows::read(&model, input, &reading, Absent::Unknown, &everywhere.bounds())
        })
    })?;
    Ok((name, rows))
}
