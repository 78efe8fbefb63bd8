//! The probabilities of a given structure, from a table: what `fit` writes and prints.
//!
//! With a network as structure its own states are kept and the cells of the table are matched to them; with a graph alone the
//! table is read and cut into states like any other.

use super::{
    CODING, Estimated, Loaded, Model, ModelError, NodeBacking, Probabilities, Reading, Rows, estimate,
};
use crate::Error;
use crate::data::{self, Absent, Bounds, Coding, DataSettings, Dataset, Decision, Fingerprint, Input};
use crate::names::{closest, meant};
use crate::settings::Settings;
use crate::watch::Unwatched;
use crate::words::quoted;
use clausality_bn::io::{Structure, json::Extra};
use clausality_bn::{Dag, Prior, Table};
use serde::Serialize;
use serde_json::json;
use thiserror::Error as ThisError;

/// A structure with probabilities.
#[derive(Debug, Clone)]
pub struct Fitted {
    /// The network.
    pub model: Model,
    /// The table, as messages name it.
    pub table: String,
    /// Where the probabilities come from.
    pub probabilities: Probabilities,
    /// The table's rows.
    pub rows: usize,
    /// Those with a state in every column.
    pub complete_rows: usize,
    /// The log-likelihood of all rows, by what they have.
    pub log_likelihood: f64,
    /// The name of the table's content.
    pub fingerprint: Fingerprint,
    /// What deserves attention.
    pub warnings: Vec<String>,
    /// What is nice to know.
    pub notes: Vec<String>,
}

/// The JSON document.
#[derive(Debug, Serialize)]
pub struct FittedDocument<'a> {
    structure: &'a str,
    table: &'a str,
    rows: usize,
    nodes: usize,
    arcs: usize,
    parameters: usize,
    prior: Prior,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    backing: &'a [NodeBacking],
    log_likelihood: f64,
    complete_rows: usize,
    fingerprint: &'a Fingerprint,
    files: &'a [String],
    version: &'static str,
}

/// Why a table does not fit a structure.
#[derive(Debug, Clone, PartialEq, Eq, ThisError)]
#[non_exhaustive]
pub enum FitError {
    /// A node whose column cannot be used.
    #[error("{table}: column '{node}' is a node of the structure, but cannot be used: {reason}")]
    Dropped {
        /// The table.
        table: String,
        /// The node.
        node: String,
        /// Why not.
        reason: String,
    },
    /// A node without a column.
    #[error("{table}: there is no column for node '{node}' of the structure{}", meant(.close.as_deref()))]
    Absent {
        /// The table.
        table: String,
        /// The node.
        node: String,
        /// A column whose name is close.
        close: Option<String>,
    },
}

/// The rows in the order of the graph's nodes, and how they came to be coded if that is worth keeping.
struct Matched {
    table: Table,
    weights: Option<Vec<f64>>,
    dag: Dag,
    coding: Option<Coding>,
    warnings: Vec<String>,
    notes: Vec<String>,
}

/// Estimates the probabilities of a structure; [`Settings::data`] and the prior of [`Settings::network`] are looked at.
///
/// # Errors
/// Whatever is wrong with the settings or the table, or with the two together.
pub fn fit<'a>(
    structure: &Loaded,
    table: impl Into<Input<'a>>,
    settings: &Settings,
    bounds: &Bounds,
) -> Result<Fitted, Error> {
    settings.check()?;
    let settings = settings.by_profile();
    let table = table.into();
    let name = table.name().into_owned();
    let matched = match structure {
        Loaded::Model(model) => under_states(model, table, &settings.data, bounds)?,
        Loaded::Dynamic(model) => return Err(ModelError::OverTime { file: model.source.clone() }.into()),
        Loaded::Graph { structure, .. } => under_columns(structure, table, &settings.data, bounds)?,
    };
    let Matched { table, weights, dag, coding, mut warnings, notes } = matched;
    let prior = settings.network.believed();
    let Estimated { network, probabilities, notice } =
        estimate(&dag, &table, weights.as_deref(), prior, bounds, &Unwatched)?;
    warnings.extend(notice.map(|notice| notice.message));
    let network = network.renamed(structure.name());
    let fingerprint = Fingerprint::of(&table);
    let complete = table.complete_rows();
    let likelihood = network.log_likelihood(&table, bounds.table_bytes())?;
    let extra = kept(coding.as_ref(), &probabilities, &fingerprint, table.rows());
    Ok(Fitted {
        model: Model { network: network.into(), extra, source: structure.source().to_string() },
        table: name,
        probabilities,
        rows: table.rows(),
        complete_rows: complete.len(),
        log_likelihood: likelihood.total_of(weights.as_deref()),
        fingerprint,
        warnings,
        notes,
    })
}

impl Fitted {
    /// The document; `files` are those that the network was written to.
    pub fn document<'a>(&'a self, files: &'a [String]) -> FittedDocument<'a> {
        let network = &self.model.network;
        FittedDocument {
            structure: &self.model.source,
            table: &self.table,
            rows: self.rows,
            nodes: network.len(),
            arcs: network.dag().arc_count(),
            parameters: network.free_parameters(),
            prior: self.probabilities.prior,
            backing: &self.probabilities.backing,
            log_likelihood: self.log_likelihood,
            complete_rows: self.complete_rows,
            fingerprint: &self.fingerprint,
            files,
            version: env!("CARGO_PKG_VERSION"),
        }
    }
}

/// Rows under the states that the network already has.
fn under_states(
    model: &Model,
    table: Input<'_>,
    settings: &DataSettings,
    bounds: &Bounds,
) -> Result<Matched, Error> {
    let DataSettings { na, separator, row_weights, .. } = settings.clone();
    let plain = DataSettings {
        na: na.clone(),
        separator,
        row_weights: row_weights.clone(),
        ..DataSettings::default()
    };
    let idle = (*settings != plain)
        .then(|| "the states are those of the network: types, levels and bins do not apply".to_string());
    let na = (na != DataSettings::default().na).then_some(na);
    let rows = Rows::read(model, table, &Reading { na, separator, row_weights }, Absent::Refuse, bounds)?;
    Ok(Matched {
        warnings: rows.notices(),
        table: rows.table,
        weights: rows.weights,
        dag: model.network.dag().clone(),
        coding: model.coding()?,
        notes: idle.into_iter().collect(),
    })
}

/// Rows under states found in the table.
fn under_columns(
    structure: &Structure,
    table: Input<'_>,
    settings: &DataSettings,
    bounds: &Bounds,
) -> Result<Matched, Error> {
    let name = table.name().into_owned();
    let dataset = data::read_to_count(table, settings, bounds)?;
    let schema = dataset.table.schema();
    let place = |node: &String| schema.index(node).ok_or_else(|| absent(node, &dataset, &name));
    let places = structure.names().iter().map(place).collect::<Result<Vec<usize>, FitError>>()?;
    let names = schema.variables().iter().map(|variable| variable.name.as_str());
    let unused: Vec<&str> = names.filter(|name| !structure.names().iter().any(|node| node == name)).collect();
    let left_out =
        (!unused.is_empty()).then(|| format!("not in the structure and left out: {}", quoted(&unused, 8)));
    let arcs = structure.dag().arcs().map(|(parent, child)| (places[parent], places[child]));
    let arcs: Vec<(usize, usize)> = arcs.collect();
    let recut = match dataset.awaits_cuts() {
        true => Some(dataset.recut(&arcs)?),
        false => None,
    };
    let dataset = recut.as_ref().unwrap_or(&dataset);
    let table = dataset.table.select_variables(&places)?;
    let coding = dataset.coding.restricted(table.schema());
    Ok(Matched {
        table,
        weights: dataset.weights.clone(),
        dag: structure.dag().clone(),
        coding: Some(coding),
        warnings: dataset.notices.iter().map(ToString::to_string).collect(),
        notes: left_out.into_iter().collect(),
    })
}

/// Why a node has no column.
fn absent(node: &str, dataset: &Dataset, table: &str) -> FitError {
    let (node, table) = (node.to_string(), table.to_string());
    let dropped = dataset.report.iter().find(|c| c.name == node && c.decision == Decision::Dropped);
    if let Some(column) = dropped {
        return FitError::Dropped { table, node, reason: column.reason.clone() };
    }
    let names = dataset.table.schema().variables().iter().map(|variable| variable.name.as_str());
    let close = closest(&node, names).map(String::from);
    FitError::Absent { table, node, close }
}

/// How the network was made, for formats that keep it.
fn kept(coding: Option<&Coding>, probabilities: &Probabilities, data: &Fingerprint, rows: usize) -> Extra {
    let mut extra = Extra::new();
    if let Some(coding) = coding.and_then(|coding| serde_json::to_value(coding).ok()) {
        extra.insert(CODING.into(), coding);
    }
    let made = json!({
        "command": "fit", "probabilities": probabilities, "rows": rows, "fingerprint": data, "version": env!("CARGO_PKG_VERSION"),
    });
    extra.insert(super::MADE.into(), made);
    extra
}
