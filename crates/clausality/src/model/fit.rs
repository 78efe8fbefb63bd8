//! The probabilities of a given structure, from a table: what `fit` writes and prints.
//!
//! With a network as structure its own states are kept and the cells of the table are matched to them; with a graph alone the
//! table is read and cut into states like any other.
//!
//! Rows are coded as they are read and go to a disk where they are many: what is held does not grow with them. Only rows that weigh differently,
//! and those with gaps, are held all at once.

use super::{
    CODING, Estimated, Loaded, Model, ModelError, NodeBacking, Probabilities, Reading, Rows, estimate,
    estimate_from,
};
use crate::Error;
use crate::data::{
    self, Absent, Beyond, Bounds, Coded, Coding, DataSettings, Dataset, Decision, Fingerprint, Input,
};
use crate::memory::Plan;
use crate::names::{closest, meant};
use crate::settings::Settings;
use crate::shards::{AllRows, Gathered};
use crate::watch::Unwatched;
use crate::words::{grouped, quoted};
use clausality_bn::counts::FarCounter;
use clausality_bn::io::{Structure, json::Extra};
use clausality_bn::{Dag, Prior, Schema, Table};
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
    rows: Gathered,
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
    let Matched { rows, weights, dag, coding, mut warnings, notes } = matched;
    let prior = settings.network.believed();
    let found = match rows.gaps_held(bounds)? {
        Gathered::Held(table) => from_table(&dag, &table, weights.as_deref(), prior, bounds)?,
        Gathered::Far(all) => from_all(&dag, &all, prior, bounds)?,
    };
    let Found { estimated, rows, complete_rows, log_likelihood, fingerprint } = found;
    let Estimated { network, probabilities, notice } = estimated;
    warnings.extend(notice.map(|notice| notice.message));
    let network = network.renamed(structure.name());
    let extra = kept(coding.as_ref(), &probabilities, &fingerprint, rows);
    Ok(Fitted {
        model: Model { network: network.into(), extra, source: structure.source().to_string() },
        table: name,
        probabilities,
        rows,
        complete_rows,
        log_likelihood,
        fingerprint,
        warnings,
        notes,
    })
}

/// What rows say of a graph.
struct Found {
    estimated: Estimated,
    rows: usize,
    complete_rows: usize,
    log_likelihood: f64,
    fingerprint: Fingerprint,
}

/// What rows in memory say.
fn from_table(
    dag: &Dag,
    table: &Table,
    weights: Option<&[f64]>,
    prior: Prior,
    bounds: &Bounds,
) -> Result<Found, Error> {
    let estimated = estimate(dag, table, weights, prior, bounds, &Unwatched)?;
    let likelihood = estimated.network.log_likelihood(table, bounds.table_bytes())?;
    Ok(Found {
        estimated,
        rows: table.rows(),
        complete_rows: table.complete_rows().len(),
        log_likelihood: likelihood.total_of(weights),
        fingerprint: Fingerprint::of(table),
    })
}

/// The same of rows without gaps on a disk.
fn from_all(dag: &Dag, all: &AllRows<'_>, prior: Prior, bounds: &Bounds) -> Result<Found, Error> {
    Plan::new("fitting")
        .need("blocks of all rows, to be counted", AllRows::counting_bytes(all.schema().len()))
        .check(bounds.room)?;
    let rows = all.counted(&Unwatched);
    let mut count = FarCounter::new(&rows);
    let estimated = rows.whole(estimate_from(dag, all.schema(), &mut count, prior, bounds))??;
    let log_likelihood = rows.whole(estimated.network.total_log_likelihood(&mut count))?;
    let fingerprint = all.name_in_memory()?;
    Ok(Found { estimated, rows: all.rows(), complete_rows: all.rows(), log_likelihood, fingerprint })
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
    let reading = Reading { na, separator, row_weights };
    let weighed = reading.row_weights.as_deref().or(model.weighed_by()).is_some();
    // Columns that are in memory already stay there.
    let streams = matches!(table, Input::File(_) | Input::Files { .. } | Input::Text { .. });
    let (warnings, rows, weights) = if streams && !weighed {
        let (noted, rows) = Rows::gathered(model, table, &reading, bounds)?;
        (noted.notices_of(rows.rows()), rows, None)
    } else {
        let rows = Rows::read(model, table, &reading, Absent::Refuse, bounds)?;
        (rows.notices(), Gathered::Held(rows.table), rows.weights)
    };
    Ok(Matched {
        warnings,
        rows,
        weights,
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
    let mut warnings: Vec<String> = dataset.notices.iter().map(ToString::to_string).collect();
    let rows = match &dataset.beyond {
        Some(beyond) => {
            let rows = all_rows(beyond, &coding, table.schema(), bounds)?;
            if let Gathered::Far(all) = &rows {
                warnings.extend(all.notices().iter().map(ToString::to_string));
            }
            warnings.push(format!("probabilities come from all {} rows", grouped(rows.rows())));
            rows
        }
        None => Gathered::Held(table),
    };
    Ok(Matched {
        rows,
        weights: dataset.weights.clone(),
        dag: structure.dag().clone(),
        coding: Some(coding),
        warnings,
        notes: left_out.into_iter().collect(),
    })
}

/// All rows of a table of which some were held to decide its columns.
fn all_rows(beyond: &Beyond, coding: &Coding, schema: &Schema, bounds: &Bounds) -> Result<Gathered, Error> {
    beyond.steady(|| {
        let rows = Gathered::read(schema, &mut |see| {
            beyond.coded(0..beyond.files().count(), coding, bounds, &mut |coded| {
                see(Coded { table: coded.table.recoded(schema)?, ..coded })
            })
        })?;
        Ok((rows.rows(), rows))
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{bn, embedded};
    use clausality_bn::MISSING;
    use clausality_bn::io::Limits;
    use std::fs;
    use std::path::Path;

    /// Rows of asia as CSV in files that end before these rows; every so many rows have a gap.
    fn written(table: &Table, ends: &[usize]) -> tempfile::TempDir {
        let schema = table.schema();
        let names: Vec<&str> = schema.variables().iter().map(|v| v.name.as_str()).collect();
        let label = |v: usize, row: usize| match table.column(v)[row] {
            MISSING => "",
            code => schema.variable(v).states[usize::from(code)].as_str(),
        };
        let line = |row| (0..schema.len()).map(|v| label(v, row)).collect::<Vec<_>>().join(",") + "\n";
        let (folder, mut start) = (tempfile::tempdir().unwrap(), 0);
        for (k, &end) in ends.iter().enumerate() {
            let text = names.join(",") + "\n" + &(start..end).map(line).collect::<String>();
            fs::write(folder.path().join(format!("part-{k}.csv")), text).unwrap();
            start = end;
        }
        folder
    }

    fn asia(rows: usize, gaps: usize) -> Table {
        let table = bn::sample(&embedded::network("asia").unwrap(), rows, 5);
        let column = |v: usize| {
            let code =
                |(row, &code): (usize, &u8)| if v == 6 && (row + 1) % gaps == 0 { MISSING } else { code };
            table.column(v).iter().enumerate().map(code).collect()
        };
        let columns = (0..table.schema().len()).map(column).collect();
        Table::new(table.schema().clone(), columns).unwrap()
    }

    fn fitted(structure: &Loaded, table: &Path, settings: &Settings) -> Fitted {
        fit(structure, table, settings, &Bounds::default()).unwrap()
    }

    /// In one file or many, on a disk or, as rows with gaps are, in memory: the same to the last bit.
    #[test]
    fn where_rows_lie_leaves_no_trace() {
        let model = Loaded::read(Path::new("@asia"), &Limits::default()).unwrap();
        let dag = embedded::network("asia").unwrap().dag().clone();
        // 150,000 rows are many (and some blocks); 1,000 are held.
        for (rows, gaps) in [(1_000, usize::MAX), (150_000, usize::MAX), (9_000, 50)] {
            let table = asia(rows, gaps);
            let prior = Settings::default().network.believed();
            let twin = from_table(&dag, &table, None, prior, &Bounds::default()).unwrap();
            for ends in [&[rows][..], &[1, 1, 777, rows]] {
                let found = fitted(&model, written(&table, ends).path(), &Settings::default());
                assert_eq!(*found.model.network, twin.estimated.network.clone().renamed("asia"));
                assert_eq!(found.probabilities, twin.estimated.probabilities);
                assert_eq!(found.log_likelihood.to_bits(), twin.log_likelihood.to_bits(), "{rows}");
                let counted = (found.rows, found.complete_rows, &found.fingerprint);
                assert_eq!(counted, (twin.rows, twin.complete_rows, &twin.fingerprint));
                assert_eq!(found.warnings.len(), usize::from(gaps < rows), "{:?}", found.warnings);
            }
        }
    }

    /// A graph alone: columns are decided from the rows held, and all rows are counted.
    #[test]
    fn all_rows_of_a_long_table_are_counted_for_a_graph() {
        let table = asia(20_000, usize::MAX);
        let folder = written(&table, &[9_000, 20_000]);
        let arcs = folder.path().join("edges.dot");
        fs::write(&arcs, "digraph { asia -> tub; lung -> either; tub -> either; }").unwrap();
        let structure = Loaded::read(&arcs, &Limits::default()).unwrap();
        fs::remove_file(arcs).unwrap();
        let mut settings = Settings::default();
        let whole = fitted(&structure, folder.path(), &settings);
        settings.data.rows_held = 1_000;
        let some = fitted(&structure, folder.path(), &settings);
        assert_eq!(some.model.network, whole.model.network);
        assert_eq!((some.rows, &some.fingerprint), (20_000, &whole.fingerprint));
        assert_eq!(some.log_likelihood.to_bits(), whole.log_likelihood.to_bits());
        let told = some.warnings.join("\n");
        assert!(told.starts_with("20,000 rows are more than are held: columns are decided on"), "{told}");
        assert!(told.ends_with("probabilities come from all 20,000 rows"), "{told}");
    }
}
