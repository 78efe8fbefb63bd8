//! A network over time: read, written, drawn, asked, and what it says of the steps to come.

use crate::columns::{Columns, Named, codes, numbers, texts, whole};
use crate::errors::Failure;
use crate::network::{Network, file_bytes, format};
use crate::options::{self, Everywhere};
use crate::questions::{Asks, Past, Question};
use crate::table::Source;
use crate::work::{self, Progress};
use clausality::bn::dynamic::{Naming, SeriesSampler};
use clausality::bn::infer::Drawn;
use clausality::bn::io::json;
use clausality::bn::{self, Schema, Variable, draw};
use clausality::data::Dataset;
use clausality::model::{DynamicModel, Forecast, InTime, Loaded, Model, Reading, Utility, Worked};
use clausality::time::Step;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use serde::Deserialize;
use serde_json::{Value, json};
use std::path::PathBuf;
use std::sync::Arc;

/// A network over time.
#[pyclass(frozen, from_py_object, module = "clausality._clausality")]
#[derive(Clone)]
pub(crate) struct DynamicNetwork {
    pub(crate) model: Arc<DynamicModel>,
}

/// A network of either kind.
#[derive(Clone, FromPyObject, IntoPyObject)]
pub(crate) enum Kept {
    Network(Network),
    OverTime(DynamicNetwork),
}

impl TryFrom<Loaded> for Kept {
    type Error = Failure;

    fn try_from(loaded: Loaded) -> Result<Self, Failure> {
        Ok(match loaded {
            Loaded::Dynamic(model) => Kept::OverTime(DynamicNetwork { model: Arc::new(model) }),
            other => Kept::Network(Network::from(Arc::new(Model::try_from(other)?))),
        })
    }
}

impl Kept {
    pub(crate) fn loaded(&self) -> Loaded {
        match self {
            Kept::Network(network) => Loaded::Model((*network.model).clone()),
            Kept::OverTime(network) => Loaded::Dynamic((*network.model).clone()),
        }
    }

    /// What a page tells of it: of a network over time, a window of its steps.
    pub(crate) fn told(&self) -> &bn::Network {
        match self {
            Kept::Network(network) => &network.model.network,
            Kept::OverTime(network) => network.model.network.window(),
        }
    }

    /// Whether two say the same, wherever they were read.
    pub(crate) fn says_the_same(&self, other: &Self) -> bool {
        match (self, other) {
            (Kept::Network(one), Kept::Network(other)) => one.__eq__(other),
            (Kept::OverTime(one), Kept::OverTime(other)) => one.__eq__(other),
            _ => false,
        }
    }
}

/// Reads a network of either kind from wherever the argument says: a file, a run folder, `@asia`.
#[pyfunction]
#[pyo3(signature = (argument, everywhere, format_name = None))]
pub(crate) fn read_network(
    py: Python<'_>,
    argument: PathBuf,
    everywhere: &str,
    format_name: Option<&str>,
) -> PyResult<Kept> {
    let limits = options::read::<Everywhere>(everywhere)?.limits();
    let format = format(format_name)?;
    let loaded = py.detach(|| match format {
        None => Loaded::read(&argument, &limits),
        Some(format) => Loaded::read_as(&argument, format, &limits),
    });
    Ok(loaded.map_err(Failure::from)?.try_into()?)
}

/// How the rows of a table are put in order, as far as that is not what the network keeps.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Order {
    time: Option<String>,
    entity: Option<String>,
    step: Option<Step>,
}

#[pymethods]
impl DynamicNetwork {
    /// The network of a `network.json`.
    #[staticmethod]
    fn from_json(py: Python<'_>, bytes: &[u8], source: String) -> PyResult<Self> {
        let limits = Everywhere::default().limits();
        let read = py.detach(|| json::read_dynamic(bytes, &limits)).map_err(Failure::from)?;
        let (network, extra) = read;
        Ok(DynamicNetwork { model: Arc::new(DynamicModel { network: network.into(), extra, source }) })
    }

    /// `network.json`.
    fn json<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, self.model.write().as_bytes())
    }

    /// The bytes of a file, its format by its ending or by its name.
    #[pyo3(signature = (path, format_name = None))]
    fn bytes<'py>(
        &self,
        py: Python<'py>,
        path: PathBuf,
        format_name: Option<&str>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        file_bytes(py, &path, format_name, || Loaded::Dynamic((*self.model).clone()))
    }

    /// Name, how far it looks back, statics and processes with states, and the arcs into now, as JSON text.
    fn schema_json(&self) -> Result<String, Failure> {
        let network = &self.model.network;
        let variables = |schema: &Schema| -> Vec<Value> {
            let said = |v: &Variable| json!({"name": v.name, "states": v.states});
            schema.variables().iter().map(said).collect()
        };
        // What was before now, and what never changes, is given in a window: nothing points at it there.
        let arcs: Vec<(&str, &str)> = network.window().named_arcs().collect();
        options::json(&json!({
            "name": network.name(),
            "source": self.model.source,
            "lags": network.order(),
            "statics": variables(network.statics()),
            "processes": variables(network.processes()),
            "arcs": arcs,
            "time": self.model.course()?,
        }))
    }

    /// How the columns of a table become the states, as JSON text; nothing if the network does not keep it.
    fn coding_json(&self) -> Result<Option<String>, Failure> {
        self.model.coding()?.map(|coding| options::json(&coding)).transpose()
    }

    /// A picture: a whole SVG file.
    fn svg(&self, py: Python<'_>) -> String {
        py.detach(|| draw::svg(&Loaded::Dynamic((*self.model).clone()).picture(), draw::Form::File))
    }

    /// The first steps as an ordinary network.
    fn unroll(&self, py: Python<'_>, steps: usize, everywhere: &str) -> PyResult<Network> {
        let limits = options::read::<Everywhere>(everywhere)?.limits();
        let model = py.detach(|| self.model.unrolled(steps, Naming::Plain, &limits));
        Ok(Network::from(Arc::new(model.map_err(Failure::from)?)))
    }

    /// The steps around now, as far as so many ahead, as an ordinary network: `Rain@-1`, `Rain@0`, `Rain@1`.
    fn around(&self, py: Python<'_>, steps: i64, everywhere: &str) -> PyResult<Network> {
        let limits = options::read::<Everywhere>(everywhere)?.limits();
        let model = py.detach(|| self.model.around_with_past([steps], &limits));
        Ok(Network::from(Arc::new(model.map_err(Failure::from)?)))
    }

    /// The answer to a question about steps around now, as the JSON document of `clausality query`, and what deserves to be said of it. With rows (a
    /// table and its name) now is the last row of a series, that of the `entity` if there are several.
    #[pyo3(signature = (question, everywhere, rows = None, entity = None, reading = "{}"))]
    fn query(
        &self,
        py: Python<'_>,
        question: &str,
        everywhere: &str,
        rows: Option<(Bound<'_, PyAny>, String)>,
        entity: Option<String>,
        reading: &str,
    ) -> PyResult<(String, Vec<String>)> {
        let question: Question = options::read(question)?;
        let series = Series::new(rows, entity, reading)?;
        let everywhere: Everywhere = options::read(everywhere)?;
        let model = Arc::clone(&self.model);
        work::run(py, &everywhere, None, move |progress| {
            let memory = everywhere.inference_bytes();
            series.ask(
                &model,
                question.steps(),
                question.is_together(),
                &everywhere,
                progress,
                |around, past| question.answer(around, past, memory, progress),
            )
        })
    }

    /// The same with what helps to decide: what to ask next, why, and so on.
    #[expect(clippy::too_many_arguments, reason = "the keywords of the methods in Python")]
    #[pyo3(signature = (question, asks, everywhere, rows = None, entity = None, reading = "{}"))]
    fn insight(
        &self,
        py: Python<'_>,
        question: &str,
        asks: &str,
        everywhere: &str,
        rows: Option<(Bound<'_, PyAny>, String)>,
        entity: Option<String>,
        reading: &str,
    ) -> PyResult<(String, Vec<String>)> {
        let question: Question = options::read(question)?;
        let asks: Asks = options::read(asks)?;
        let series = Series::new(rows, entity, reading)?;
        let everywhere: Everywhere = options::read(everywhere)?;
        let model = Arc::clone(&self.model);
        work::run(py, &everywhere, None, move |progress| {
            let (wanted, memory) = (asks.wanted(&everywhere.limits())?, everywhere.inference_bytes());
            let mut steps = question.steps();
            steps.extend(wanted.utility.iter().flat_map(Utility::steps));
            series.ask(&model, steps, true, &everywhere, progress, |around, past| {
                question.insight(around, past, &wanted, memory, progress)
            })
        })
    }

    /// What comes after the last row of every series: the columns of the file of `clausality forecast`, whether its times are what clocks on the
    /// wall show (else they are instants), and what deserves to be said of the rows.
    #[expect(clippy::too_many_arguments, reason = "the keywords of the method in Python")]
    fn forecast(
        &self,
        py: Python<'_>,
        table: &Bound<'_, PyAny>,
        name: String,
        horizon: usize,
        targets: Option<Vec<String>>,
        samples: Option<(usize, u64)>,
        order: &str,
        reading: &str,
        everywhere: &str,
        tell: Option<Bound<'_, PyAny>>,
    ) -> PyResult<(Columns, bool, Vec<String>)> {
        let everywhere: Everywhere = options::read(everywhere)?;
        let reading: Reading = options::read(reading)?;
        let Order { time, entity, step } = options::read(order)?;
        let source = Source::new(table, name)?;
        let model = Arc::clone(&self.model);
        work::run(py, &everywhere, tell, move |progress| {
            let schema = model.network.processes();
            let processes: Vec<usize> = match &targets {
                Some(names) => names
                    .iter()
                    .map(|name| clausality::model::node(schema, name))
                    .collect::<Result<_, _>>()?,
                None => (0..schema.len()).collect(),
            };
            let order = InTime { time, entity, step };
            let read = |input| model.read_series(input, &reading, &order, &everywhere.bounds());
            let rows = source.read(progress, read)?;
            let limit = everywhere.inference_bytes();
            let worked = match samples {
                Some((samples, seed)) => Worked::Drawn(Drawn { samples, seed, limit }),
                None => Worked::Exactly { memory: limit },
            };
            let found =
                model.forecast(&rows, &processes, horizon, worked, &**progress).map_err(
                    |error| match samples {
                        Some(_) => Failure::from(error),
                        None => Failure::Avoidable(Box::new(error)),
                    },
                )?;
            let told = model.cautions(&processes)?.into_iter().chain(rows.notices);
            Ok((forecast_columns(&found)?, found.by_wall, told.collect()))
        })
    }

    /// Series drawn from the network, below each other; the first two columns number the series (from 1) and their steps (from 0).
    fn sample(&self, py: Python<'_>, steps: usize, series: usize, seed: u64) -> PyResult<Columns> {
        let model = Arc::clone(&self.model);
        let everywhere = Everywhere::default();
        work::run(py, &everywhere, None, move |progress| {
            // A byte a cell, and the two numbers of every row.
            let rows = steps.saturating_mul(series);
            let columns = model.network.window().len();
            Dataset::plan_of_sample(rows, columns, columns + 16).check(everywhere.bounds().room)?;
            let mut sampler = SeriesSampler::new(&model.network, seed)?;
            let schema = sampler.schema().clone();
            let mut cells: Vec<Vec<u8>> = vec![Vec::with_capacity(steps * series); schema.len()];
            for _ in 0..series {
                if progress.is_cancelled() {
                    return Err(clausality::Error::Cancelled.into());
                }
                let drawn = sampler.draw(steps);
                cells.iter_mut().enumerate().for_each(|(v, all)| all.extend_from_slice(drawn.column(v)));
            }
            let free = |name: &str| {
                let taken = |name: &str| schema.index(name).is_some();
                let names = std::iter::successors(Some(name.to_string()), |name| Some(format!("{name}_")));
                names.into_iter().find(|name| !taken(name)).unwrap_or_default()
            };
            let number = |place: usize| place as i64;
            let mut columns: Vec<Named> = vec![
                whole(&free("series"), (0..rows).map(|row| number(row / steps) + 1)),
                whole(&free("step"), (0..rows).map(|row| number(row % steps))),
            ];
            columns
                .extend(schema.variables().iter().zip(cells).map(|(variable, cells)| codes(variable, cells)));
            Columns::new(rows, columns)
        })
    }

    pub(crate) fn __eq__(&self, other: &Self) -> bool {
        self.model.network == other.model.network && self.model.extra == other.model.extra
    }
}

/// The rows of a series that are known, if any are, and how they are read.
struct Series {
    rows: Option<Source>,
    entity: Option<String>,
    reading: Reading,
}

impl Series {
    fn new(
        rows: Option<(Bound<'_, PyAny>, String)>,
        entity: Option<String>,
        reading: &str,
    ) -> PyResult<Self> {
        let rows = rows.map(|(table, name)| Source::new(&table, name)).transpose()?;
        Ok(Series { rows, entity, reading: options::read(reading)? })
    }

    /// Puts a question to the steps around now; those of the rows where states are asked about together.
    fn ask(
        self,
        model: &DynamicModel,
        steps: Vec<i64>,
        together: bool,
        everywhere: &Everywhere,
        progress: &Arc<Progress>,
        answer: impl FnOnce(&Model, Option<Past<'_>>) -> Result<(String, Vec<String>), Failure>,
    ) -> Result<(String, Vec<String>), Failure> {
        let limits = everywhere.limits();
        let Some(rows) = self.rows else { return answer(&model.around_with_past(steps, &limits)?, None) };
        let read = |input| model.read_series(input, &self.reading, &InTime::default(), &everywhere.bounds());
        let rows = rows.read(progress, read)?;
        let track = rows.tracks.of(self.entity.as_deref())?;
        let around = match together {
            true => model.around_rows(&rows, track, steps, &limits)?,
            false => model.around_with_past(steps, &limits)?,
        };
        let (document, told) = answer(&around, Some(Past { dynamic: model, track, rows: &rows }))?;
        Ok((document, rows.notices.iter().cloned().chain(told).collect()))
    }
}

/// A row for every series, step, process and state.
fn forecast_columns(found: &Forecast) -> Result<Columns, Failure> {
    let mut rows = Vec::new();
    for series in &found.series {
        for step in &series.steps {
            for node in &step.nodes {
                rows.extend(node.states.iter().map(|state| (series, step, node, state)));
            }
        }
    }
    let [ahead, node, state, probability, standard_error] = &found.heads();
    let mut columns = Vec::with_capacity(6);
    if let Some(entity) = &found.entity {
        columns.push(texts(entity, rows.iter().map(|row| Some(row.0.entity.as_str()))));
    }
    columns.extend([
        texts(&found.time, rows.iter().map(|row| Some(row.1.time.as_str()))),
        whole(ahead, rows.iter().map(|row| row.1.ahead as i64)),
        texts(node, rows.iter().map(|row| Some(row.2.node.as_str()))),
        texts(state, rows.iter().map(|row| Some(row.3.0.as_str()))),
        numbers(probability, rows.iter().map(|row| Some(row.3.1))),
    ]);
    if found.samples.is_some() {
        let nodes = found.series.iter().flat_map(|series| &series.steps).flat_map(|step| &step.nodes);
        columns.push(numbers(standard_error, nodes.flat_map(|node| &node.errors).map(|&error| Some(error))));
    }
    Columns::new(rows.len(), columns)
}
