//! Rows of a table under a network: predicted, scored, filled, coded.

use crate::columns::{Columns, numbers, texts, whole};
use crate::errors::Failure;
use crate::network::Network;
use crate::options::{self, Everywhere};
use crate::table::Source;
use crate::work;
use clausality::bn::{MISSING, Prior};
use clausality::data::{Absent, Coding, Sheet};
use clausality::model::{Imputing, Predicted, Reading, Rows, Surprise, Written};
use clausality::votes::By;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use serde::Deserialize;
use std::sync::Arc;

/// The predictions of a node: the document, its states, a code for every row (255: none) and the probabilities row by row.
type Prediction<'py> = (String, Vec<String>, Bound<'py, PyBytes>, Bound<'py, PyBytes>);

/// The gaps of a column: their rows (from 0), and for every copy what stands in each.
type Filled = (String, Vec<usize>, Vec<Vec<Option<String>>>);

/// How gaps are to be filled.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Filling {
    draws: Option<usize>,
    write: Written,
    seed: u64,
}

/// Predicts nodes for every row, and what deserves attention.
#[pyfunction]
#[allow(clippy::too_many_arguments)]
pub(crate) fn predict<'py>(
    py: Python<'py>,
    network: &Network,
    table: &Bound<'py, PyAny>,
    name: String,
    targets: Vec<String>,
    by: Option<String>,
    reading: &str,
    everywhere: &str,
) -> PyResult<(Vec<Prediction<'py>>, Vec<String>)> {
    let everywhere: Everywhere = options::read(everywhere)?;
    let reading: Reading = options::read(reading)?;
    let by: Option<By> = by.map(|by| options::read(&serde_json::Value::from(by).to_string())).transpose()?;
    let source = Source::new(table, name)?;
    let model = Arc::clone(&network.model);
    let (found, notices) = work::run(py, &everywhere, None, move |progress| {
        let schema = model.network.schema();
        let targets: Vec<usize> =
            targets.iter().map(|name| clausality::model::node(schema, name)).collect::<Result<_, _>>()?;
        let read = |input| Rows::read(&model, input, &reading, Absent::Unknown, &everywhere.bounds());
        let rows = source.read(progress, read)?;
        let mut notices = rows.notices();
        let mut all = Vec::with_capacity(targets.len());
        for target in targets {
            let found = model.predict(target, &rows, by, &everywhere.bounds(), &**progress)?;
            notices.extend(found.notices(schema.len()));
            let document = options::json(&found.document(Some(String::new())))?;
            all.push((document, found.states.to_vec(), codes(&found), chances(&found)));
        }
        Ok((all, notices))
    })?;
    let bytes = |(document, states, codes, chances): (String, Vec<String>, Vec<u8>, Vec<u8>)| {
        (document, states, PyBytes::new(py, &codes), PyBytes::new(py, &chances))
    };
    Ok((found.into_iter().map(bytes).collect(), notices))
}

/// How well it fits rows: the document of `clausality score`, the surprise of every row (counted from 0), and what deserves attention.
#[pyfunction]
#[allow(clippy::too_many_arguments)]
pub(crate) fn score(
    py: Python<'_>,
    network: &Network,
    table: &Bound<'_, PyAny>,
    name: String,
    top: usize,
    ess: f64,
    reading: &str,
    everywhere: &str,
) -> PyResult<(String, Columns, Vec<String>)> {
    let everywhere: Everywhere = options::read(everywhere)?;
    let reading: Reading = options::read(reading)?;
    Prior::Bdeu { ess }.check().map_err(Failure::from)?;
    let source = Source::new(table, name)?;
    let model = Arc::clone(&network.model);
    work::run(py, &everywhere, None, move |progress| {
        let read = |input| Rows::read(&model, input, &reading, Absent::Refuse, &everywhere.bounds());
        let rows = source.read(progress, read)?;
        let scored = model.score(&rows, &everywhere.bounds())?;
        let notices = rows.notices();
        let found: Vec<Surprise<'_>> = scored.rows().collect();
        let cells = || found.iter().map(|row| row.cell.as_ref());
        let columns = vec![
            whole("row", (0..).take(found.len())),
            numbers("surprise", found.iter().map(|row| Some(row.surprise))),
            texts("column", cells().map(|cell| Some(cell?.column))),
            texts("state", cells().map(|cell| Some(cell?.state))),
            numbers("probability", cells().map(|cell| Some(cell?.probability))),
        ];
        Ok((options::json(&scored.document(top, ess)?)?, Columns::new(found.len(), columns)?, notices))
    })
}

/// The independences that it implies, held against rows: the document of `clausality test`, and what deserves attention.
#[pyfunction]
#[allow(clippy::too_many_arguments)]
pub(crate) fn test(
    py: Python<'_>,
    network: &Network,
    table: &Bound<'_, PyAny>,
    name: String,
    against: Option<(Bound<'_, PyAny>, String)>,
    seed: u64,
    reading: &str,
    everywhere: &str,
) -> PyResult<(String, Vec<String>)> {
    let everywhere: Everywhere = options::read(everywhere)?;
    let reading: Reading = options::read(reading)?;
    let source = Source::new(table, name)?;
    let against = against.map(|(table, name)| Source::new(&table, name)).transpose()?;
    let model = Arc::clone(&network.model);
    work::run(py, &everywhere, None, move |progress| {
        let read = |input| Rows::read(&model, input, &reading, Absent::Unknown, &everywhere.bounds());
        let rows = source.read(progress, read)?;
        let other = against.map(|source| source.read(progress, read)).transpose()?;
        let found = model.test(&rows, other.as_ref(), seed, &**progress)?;
        let mut notices = rows.notices();
        notices.extend(other.iter().flat_map(Rows::notices));
        Ok((options::json(&found)?, notices))
    })
}

/// Fills the gaps of a table: the document of `clausality impute`, the text of the filled table if that is asked for, else what goes
/// into which gap; and what deserves attention.
#[pyfunction]
#[allow(clippy::too_many_arguments)]
pub(crate) fn impute<'py>(
    py: Python<'py>,
    network: &Network,
    table: &Bound<'py, PyAny>,
    name: String,
    filling: &str,
    as_text: bool,
    reading: &str,
    everywhere: &str,
) -> PyResult<(String, Option<Bound<'py, PyBytes>>, Vec<Filled>, Vec<String>)> {
    let everywhere: Everywhere = options::read(everywhere)?;
    let reading: Reading = options::read(reading)?;
    let Filling { draws, write, seed } = options::read(filling)?;
    let source = Source::new(table, name)?;
    let model = Arc::clone(&network.model);
    let (document, text, filled, notices) = work::run(py, &everywhere, None, move |progress| {
        let bounds = everywhere.bounds();
        let sheet = source.read(progress, |input| Sheet::read(input, reading.separator, &bounds))?;
        let how = Imputing { draws, write, seed };
        let found = model.impute(&sheet, &reading, how, &bounds, &**progress)?;
        let mut text = Vec::new();
        let mut filled = Vec::new();
        if as_text {
            found.write(&mut text).map_err(|source| clausality::Error::Io { file: String::new(), source })?;
        } else {
            let plain = |texts: Vec<Option<std::borrow::Cow<'_, [u8]>>>| -> Vec<Option<String>> {
                texts.into_iter().map(|text| Some(String::from_utf8_lossy(&text?).into_owned())).collect()
            };
            let all = found.filled();
            filled.extend(all.map(|(column, rows, copies)| {
                (column.to_string(), rows.to_vec(), copies.into_iter().map(plain).collect::<Vec<_>>())
            }));
        }
        Ok((options::json(&found.document(String::new()))?, text, filled, found.notices()))
    })?;
    Ok((document, as_text.then(|| PyBytes::new(py, &text)), filled, notices))
}

/// The rows of a table under the states of the network, and what deserves attention. Nodes without a column are gaps.
#[pyfunction]
pub(crate) fn code_rows(
    py: Python<'_>,
    network: &Network,
    table: &Bound<'_, PyAny>,
    name: String,
    reading: &str,
    everywhere: &str,
) -> PyResult<(Columns, Vec<String>)> {
    let everywhere: Everywhere = options::read(everywhere)?;
    let reading: Reading = options::read(reading)?;
    let source = Source::new(table, name)?;
    let model = Arc::clone(&network.model);
    work::run(py, &everywhere, None, move |progress| {
        let read = |input| Rows::read(&model, input, &reading, Absent::Unknown, &everywhere.bounds());
        let rows = source.read(progress, read)?;
        let notices = rows.notices();
        Ok((Columns::coded(rows.table)?, notices))
    })
}

/// Rows of a table under a coding that [`crate::learning::inspect`] or a network gave, with how many cells of each column it does not know.
#[pyfunction]
pub(crate) fn code(
    py: Python<'_>,
    table: &Bound<'_, PyAny>,
    name: String,
    coding: &str,
    everywhere: &str,
) -> PyResult<(Columns, String)> {
    let everywhere: Everywhere = options::read(everywhere)?;
    let coding: Coding = options::read(coding)?;
    let source = Source::new(table, name)?;
    work::run(py, &everywhere, None, move |progress| {
        let apply = |input| coding.apply(input, &everywhere.bounds(), Absent::Refuse);
        let coded = source.read(progress, apply)?;
        Ok((Columns::coded(coded.table)?, options::json(&coded.unknown)?))
    })
}

/// The likeliest state of every row.
fn codes(found: &Predicted<'_>) -> Vec<u8> {
    let found = &found.found;
    let likeliest: Vec<u8> = (0..found.distinct()).map(|k| found.likeliest(k) as u8).collect();
    (0..found.rows()).map(|row| found.index(row).map_or(MISSING, |k| likeliest[k])).collect()
}

/// The probabilities of every row, as bytes; those of an impossible row are not-a-number.
fn chances(found: &Predicted<'_>) -> Vec<u8> {
    let states = found.states.len();
    let nothing = vec![f64::NAN; states];
    let mut bytes = Vec::with_capacity(found.found.rows() * states * size_of::<f64>());
    for row in 0..found.found.rows() {
        let chances = found.found.row(row).unwrap_or(&nothing);
        chances.iter().for_each(|chance| bytes.extend_from_slice(&chance.to_ne_bytes()));
    }
    bytes
}
