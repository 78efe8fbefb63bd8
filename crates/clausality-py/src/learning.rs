//! From a table to columns, strengths and networks.

use crate::columns::Columns;
use crate::errors::Failure;
use crate::options::{self, Everywhere};
use crate::run::Run;
use crate::table::Source;
use crate::work;
use clausality::data::{self, Dataset, FirstPass, Uncoded};
use clausality::evaluate::{check_room, evaluate as cross_validate, evaluate_keeping};
use clausality::folder::{Kept, NewFolder, Scraps, Work};
use clausality::run::{Made, Truth};
use clausality::shards;
use clausality::time::Timeline;
use clausality::validate::{ValidateParams, validate as repeat_validation};
use clausality::{Error, embedded, gaps, learn_from, learn_keeping, strengths_keeping, tell};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::PyBytes;
use serde_json::json;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

/// What each column is, as the JSON document of `clausality inspect`; the coded table, and how it was coded (as JSON text).
#[pyfunction]
#[pyo3(signature = (table, name, settings, everywhere))]
pub(crate) fn inspect(
    py: Python<'_>,
    table: &Bound<'_, PyAny>,
    name: String,
    settings: &str,
    everywhere: &str,
) -> PyResult<(String, Columns, String)> {
    let everywhere: Everywhere = options::read(everywhere)?;
    let settings = options::settings(settings)?;
    let source = Source::new(table, name.clone())?;
    work::run(py, &everywhere, None, move |progress| {
        let read = |input| data::inspect(input, &settings.data, &everywhere.bounds());
        let dataset = source.read(progress, read)?;
        let timeline =
            dataset.sequence.is_some().then(|| Timeline::new(&dataset, &settings.time)).transpose()?;
        let warnings: Vec<&str> = dataset.notices.iter().map(|notice| notice.message.as_str()).collect();
        let mut document = json!({
            "table": name,
            "rows": dataset.rows,
            "variables": dataset.table.schema().len(),
            "fingerprint": dataset.fingerprint,
            "columns": dataset.report,
            "gaps": gaps::look(&dataset),
            "warnings": warnings,
            "twins": dataset.twins,
            "params": settings.data,
            "seed": settings.seed,
            "version": options::version(),
        });
        if let Some(timeline) = timeline {
            document["time"] = json!(timeline.course);
        }
        let coding = options::json(&dataset.coding)?;
        Ok((options::json(&document)?, Columns::coded(dataset.table)?, coding))
    })
}

/// The strengths of all columns, as the JSON document of `clausality strengths`.
#[pyfunction]
#[pyo3(signature = (table, name, settings, everywhere, tell, engine=None))]
pub(crate) fn strengths(
    py: Python<'_>,
    table: &Bound<'_, PyAny>,
    name: String,
    settings: &str,
    everywhere: &str,
    tell: Option<Bound<'_, PyAny>>,
    engine: Option<Bound<'_, PyAny>>,
) -> PyResult<String> {
    let everywhere: Everywhere = options::read(everywhere)?;
    let settings = options::settings(settings)?;
    let source = Source::new(table, name)?;
    work::run_with(py, &everywhere, tell, engine, move |progress, engine| {
        let bounds = everywhere.bounds();
        let (data, first) = (settings.by_profile().data, FirstPass::default().made_by(engine));
        let dataset = source.read(progress, |input| data::read_first(input, &data, &bounds, first))?;
        let kept = Kept::default().made_by(engine);
        options::json(&strengths_keeping(&dataset, &settings, &bounds, kept, &**progress)?)
    })
}

/// Pieces of work that somebody else sent, in the order of their names, on one thread: whoever sends them has others for the other cores.
#[pyfunction]
pub(crate) fn pieces(py: Python<'_>, parcel: PyBackedBytes, names: Vec<String>) -> PyResult<Vec<String>> {
    let everywhere = Everywhere::on_threads(1);
    work::run(py, &everywhere, None, move |progress| {
        Ok(clausality::learn::pieces(&parcel, &names, everywhere.held(), &**progress)?)
    })
}

/// What a first look at some files of a table shows, from the one at `first` to the one before `last`, on one thread.
#[pyfunction]
pub(crate) fn look<'py>(
    py: Python<'py>,
    recipe: String,
    first: usize,
    last: usize,
) -> PyResult<Bound<'py, PyBytes>> {
    let everywhere = Everywhere::on_threads(1);
    let seen = work::run(py, &everywhere, None, move |_| {
        Ok(data::look(&recipe, first..last, &everywhere.bounds())?)
    })?;
    Ok(PyBytes::new(py, &seen))
}

/// The rows of some files of a table, from the one at `first` to the one before `last`, coded by a recipe onto a disk: in `folder`, or among the
/// system's temporary files.
#[pyclass(frozen, module = "clausality._clausality")]
pub(crate) struct Part(Arc<shards::Part>);

#[pymethods]
impl Part {
    #[new]
    #[pyo3(signature = (recipe, first, last, folder=None))]
    fn new(
        py: Python<'_>,
        recipe: String,
        first: usize,
        last: usize,
        folder: Option<PathBuf>,
    ) -> PyResult<Self> {
        let everywhere = Everywhere::on_threads(1);
        work::run(py, &everywhere, None, move |progress| {
            let (files, bounds) = (first..last, everywhere.bounds());
            let part = shards::Part::made(&recipe, files, folder.as_deref(), &bounds, &**progress)?;
            Ok(Part(Arc::new(part)))
        })
    }

    /// What its rows say to a question, on one thread.
    fn answer(&self, py: Python<'_>, question: String) -> PyResult<String> {
        let part = Arc::clone(&self.0);
        work::run(py, &Everywhere::on_threads(1), None, move |progress| {
            Ok(part.answer(&question, &**progress)?)
        })
    }
}

/// What parts say that follow each other, in one.
#[pyfunction]
pub(crate) fn together(py: Python<'_>, answers: Vec<String>) -> PyResult<String> {
    py.detach(|| shards::together(&answers)).map_err(|error| Failure::from(error).into())
}

/// A network from a table, and everything behind it. `top` is how many features of a node the run lists; `run` the folder that it is
/// written to, in which an interrupted call goes on unless it is to start `fresh`; `engine` has tasks and repetitions made elsewhere, and
/// all rows of a table counted that has more than are held.
#[pyfunction]
#[pyo3(signature = (table, name, settings, everywhere, top, tell, run=None, fresh=false, engine=None))]
#[expect(clippy::too_many_arguments, reason = "the keywords of the function in Python")]
pub(crate) fn learn(
    py: Python<'_>,
    table: &Bound<'_, PyAny>,
    name: String,
    settings: &str,
    everywhere: &str,
    top: usize,
    tell: Option<Bound<'_, PyAny>>,
    run: Option<PathBuf>,
    fresh: bool,
    engine: Option<Bound<'_, PyAny>>,
) -> PyResult<Run> {
    let everywhere: Everywhere = options::read(everywhere)?;
    let settings = options::settings(settings)?;
    let source = Source::new(table, name.clone())?;
    work::run_with(py, &everywhere, tell, engine, move |progress, engine| {
        let folder = run.as_deref().map(NewFolder::for_run).transpose().map_err(Error::from)?;
        let (by_profile, bounds) = (settings.by_profile(), everywhere.bounds());
        let start = Instant::now();
        let (dataset, sheet) = match settings.prediction.folds {
            None => {
                let first = folder.as_ref().map(|folder| folder.first_pass(fresh)).unwrap_or_default();
                let first = first.made_by(engine);
                let read = |input| data::read_first(input, &by_profile.data, &bounds, first);
                (source.read(progress, read)?, None)
            }
            Some(_) => {
                let sheet = source.read(progress, |input| Uncoded::read(input, &by_profile.data, &bounds))?;
                let dataset = sheet.dataset(None, &[])?;
                check_room(&sheet, &dataset, &settings, &bounds)?;
                (dataset, Some(sheet))
            }
        };
        if folder.is_some() {
            tell::check_room(&dataset, &settings, &bounds)?;
        }
        let begun = |folder: &NewFolder| folder.scraps(Work::new("learn", &dataset.table, &settings), fresh);
        let scraps = folder.as_ref().map(begun).transpose().map_err(Error::from)?;
        let kept = scraps.as_ref().map(Scraps::kept).unwrap_or_default().made_by(engine);
        let found = learn_keeping(&dataset, &settings, &bounds, kept, &**progress)?;
        let evaluations = match &sheet {
            Some(sheet) => evaluate_keeping(sheet, &settings, &bounds, kept.made_by(None), &**progress)?,
            None => Vec::new(),
        };
        let seconds = start.elapsed().as_secs_f64();
        let made = Made { table: name, top, seconds, truth: None, evaluations };
        let learned = Run::learned(&found, made)?;
        if let Some(folder) = folder {
            tell::save(&mut learned.folder().run, &found, folder)?;
        }
        Ok::<_, Failure>(learned)
    })
}

/// A sample of an embedded network learned back, the truth beside it: what `clausality demo` does with one profile.
#[pyfunction]
#[pyo3(signature = (network, rows, settings, everywhere, top, tell))]
pub(crate) fn learn_sample(
    py: Python<'_>,
    network: String,
    rows: usize,
    settings: &str,
    everywhere: &str,
    top: usize,
    tell: Option<Bound<'_, PyAny>>,
) -> PyResult<Run> {
    let everywhere: Everywhere = options::read(everywhere)?;
    let settings = options::settings(settings)?;
    work::run(py, &everywhere, tell, move |progress| {
        let truth = embedded::network(&network).map_err(|error| Failure::Input(error.to_string()))?;
        let bounds = everywhere.bounds();
        let dataset = Dataset::drawn_from(&truth, rows, settings.seed, &bounds)?;
        let start = Instant::now();
        let found = learn_from(&dataset, &settings, &bounds, &**progress)?;
        let seconds = start.elapsed().as_secs_f64();
        let table = format!("@{}", network.trim_start_matches('@'));
        let truth = Some(Truth::new(&table, &truth, &found.network));
        let made = Made { table, top, seconds, truth, ..Made::default() };
        Run::learned(&found, made)
    })
}

/// How well columns can be predicted, as the JSON document of `clausality evaluate`.
#[pyfunction]
#[pyo3(signature = (table, name, settings, everywhere, tell))]
pub(crate) fn evaluate(
    py: Python<'_>,
    table: &Bound<'_, PyAny>,
    name: String,
    settings: &str,
    everywhere: &str,
    tell: Option<Bound<'_, PyAny>>,
) -> PyResult<String> {
    let everywhere: Everywhere = options::read(everywhere)?;
    let settings = options::settings(settings)?;
    let source = Source::new(table, name.clone())?;
    work::run(py, &everywhere, tell, move |progress| {
        if settings.prediction.targets().is_empty() {
            return Err(Failure::Input("say which column to predict: target=COLUMN".into()));
        }
        let (data, bounds) = (settings.by_profile().data, everywhere.bounds());
        let sheet = source.read(progress, |input| Uncoded::read(input, &data, &bounds))?;
        let targets = settings.prediction.targets();
        let dataset = sheet.dataset(None, &[])?;
        let twins = gaps::given_away(&dataset, |name| targets.iter().any(|target| target == name));
        let warnings: Vec<&str> = dataset.notices.iter().map(|notice| notice.message.as_str()).collect();
        let found = cross_validate(&sheet, &settings, &bounds, &**progress)?;
        options::json(&json!({
            "table": name,
            "targets": found,
            "twins": twins,
            "warnings": warnings,
            "seed": settings.seed,
            "version": options::version(),
        }))
    })
}

/// The paper's validation, as the JSON document of `clausality validate`.
#[pyfunction]
#[pyo3(signature = (params, everywhere, tell))]
pub(crate) fn validate(
    py: Python<'_>,
    params: &str,
    everywhere: &str,
    tell: Option<Bound<'_, PyAny>>,
) -> PyResult<String> {
    let everywhere: Everywhere = options::read(everywhere)?;
    let params: ValidateParams = options::read(params)?;
    work::run(py, &everywhere, tell, move |progress| {
        params.check()?;
        let found = repeat_validation::<Failure>(
            &params,
            Vec::new(),
            &mut |_| Ok(()),
            &everywhere.bounds(),
            &**progress,
        )?;
        options::json(&found)
    })
}
