//! `clausality fit`: the probabilities of a given structure, from a table.

use crate::failure::Failure;
use crate::model::{Outputs, Rows, counted, facts, limits, listed, read_structure, shown_table};
use crate::session::Session;
use crate::table_args::TableArgs;
use crate::text::{clean, grouped};
use clap::{Args, ValueEnum};
use clausality::bn::io::{Structure, json::Extra};
use clausality::bn::{Dag, Network, Prior, Table};
use clausality::data::{Coding, DataParams, Dataset, Decision, Fingerprint, closest};
use clausality::model::{CODING, Loaded, Model};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// Estimate the probabilities of a given structure from a table
///
/// With a network as STRUCTURE its own states are kept and the cells of the table are matched to them by their labels (or by
/// the coding that a .json network keeps); with a graph alone the table is read and cut into states like any other.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  clausality fit edges.csv customers.csv -o network.bif\n  \
    clausality fit @asia rows.csv -o asia.json --prior bdeu --ess 10")]
pub(crate) struct FitArgs {
    /// A network (.bif, .xmlbif, .xml, .net, .json, or with .gz), a run folder, @NAME, or a graph (.dot, .csv with parent,child)
    #[arg(value_name = "STRUCTURE")]
    structure: PathBuf,
    /// The file to write, its format by its ending: .bif, .xmlbif, .net, .json, .dot, .csv, .graphml or .svg (more than one may be given)
    #[arg(long, short, value_name = "FILE", required = true)]
    output: Vec<PathBuf>,
    #[command(flatten)]
    prior: PriorArgs,
    #[command(flatten)]
    table: TableArgs,
}

impl FitArgs {
    /// The files that it reads.
    pub(crate) fn inputs(&self) -> Vec<&Path> {
        vec![&self.structure, self.table.path()]
    }
}

/// What is believed before the rows are counted.
#[derive(Debug, Args)]
#[command(next_help_heading = "Probabilities")]
pub(crate) struct PriorArgs {
    /// What is believed before the rows are counted [default: laplace]
    #[arg(long, value_name = "PRIOR", value_enum)]
    prior: Option<PriorName>,
    /// Weight of every cell under laplace [default: 1]
    #[arg(long, value_name = "X", allow_negative_numbers = true)]
    alpha: Option<f64>,
    /// Equivalent sample size of each table under bdeu [default: 1]
    #[arg(long, value_name = "X", allow_negative_numbers = true)]
    ess: Option<f64>,
}

/// The priors by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum PriorName {
    /// The same weight for every cell
    #[default]
    Laplace,
    /// Relative frequencies as they are
    Mle,
    /// An imagined uniform sample, spread over the cells
    Bdeu,
}

/// The same in a configuration file.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
struct PriorParams {
    prior: Option<PriorName>,
    alpha: Option<f64>,
    ess: Option<f64>,
}

impl PriorArgs {
    /// The options of the command line over those of the configuration file over the defaults.
    pub(crate) fn prior(&self, session: &Session) -> Result<Prior, Failure> {
        let file: PriorParams = session.config.section()?;
        let name = self.prior.or(file.prior).unwrap_or_default();
        if self.alpha.is_some() && name != PriorName::Laplace {
            return Err(Failure::Input("--alpha is for --prior laplace".into()));
        }
        if self.ess.is_some() && name != PriorName::Bdeu {
            return Err(Failure::Input("--ess is for --prior bdeu".into()));
        }
        let prior = match name {
            PriorName::Laplace => Prior::Laplace { alpha: self.alpha.or(file.alpha).unwrap_or(1.0) },
            PriorName::Mle => Prior::Mle,
            PriorName::Bdeu => Prior::Bdeu { ess: self.ess.or(file.ess).unwrap_or(1.0) },
        };
        prior.check().map_err(clausality::Error::from)?;
        Ok(prior)
    }
}

/// The JSON document.
#[derive(Serialize)]
struct Fitted<'a> {
    structure: &'a str,
    table: &'a str,
    rows: usize,
    nodes: usize,
    arcs: usize,
    parameters: usize,
    prior: Prior,
    log_likelihood: Option<f64>,
    complete_rows: usize,
    fingerprint: &'a Fingerprint,
    files: Vec<String>,
    version: &'static str,
}

pub(crate) fn run(args: FitArgs, session: &Session) -> Result<(), Failure> {
    let prior = args.prior.prior(session)?;
    let params = args.table.params(session)?;
    let outputs = Outputs::reserve(&args.output)?;
    let loaded = read_structure(&args.structure, session)?;
    let Evidence { table, dag, coding } = match &loaded {
        Loaded::Model(model) => from_states(model, &args.table, &params, session)?,
        Loaded::Graph { structure, .. } => from_columns(structure, &args.table, &params, session)?,
    };
    let estimated = Network::estimate(&dag, &table, prior, limits(session).table_bytes);
    let network = estimated.map_err(clausality::Error::from)?.renamed(loaded.name());
    let fingerprint = Fingerprint::of(&table);
    let complete = table.complete_rows();
    let likelihood =
        network.log_likelihood(&table.select_rows(&complete)).map_err(clausality::Error::from)?;
    let extra = notes(coding.as_ref(), prior, &fingerprint, table.rows())?;
    let fitted = Loaded::Model(Model { network, extra, source: loaded.source().to_string() });
    outputs.write(&fitted, session)?;
    let Loaded::Model(Model { network, .. }) = &fitted else { return Ok(()) };
    let document = Fitted {
        structure: loaded.source(),
        table: args.table.name(),
        rows: table.rows(),
        nodes: network.len(),
        arcs: network.dag().arc_count(),
        parameters: network.free_parameters(),
        prior,
        log_likelihood: (!complete.is_empty()).then_some(likelihood.total),
        complete_rows: complete.len(),
        fingerprint: &fingerprint,
        files: args.output.iter().map(|path| path.display().to_string()).collect(),
        version: env!("CARGO_PKG_VERSION"),
    };
    if session.json {
        return session.print_json(&document);
    }
    session.print(&document.render(session))
}

impl Fitted<'_> {
    fn render(&self, session: &Session) -> String {
        let head = format!("{} fitted to {}", clean(self.structure), clean(self.table));
        let prior = match self.prior {
            Prior::Laplace { alpha } => format!("laplace, {alpha} for every cell"),
            Prior::Mle => "none: relative frequencies (mle)".into(),
            Prior::Bdeu { ess } => format!("bdeu, equivalent sample size {ess}"),
        };
        let mut lines = vec![
            ("rows", grouped(self.rows)),
            ("network", format!("{}, {}", counted(self.nodes, "node"), counted(self.arcs, "arc"))),
            ("parameters", format!("{} free", grouped(self.parameters))),
            ("prior", prior),
        ];
        if let Some(total) = self.log_likelihood {
            let mean = total / self.complete_rows as f64;
            let rows = if self.complete_rows == self.rows { "these" } else { "the complete" };
            lines.push(("log-likelihood", format!("{total:.2} on {rows} rows, {mean:.4} a row")));
        }
        lines.push(("written", self.files.join(", ")));
        format!("{}\n\n{}", session.paint().bold(&head), facts(&lines, session))
    }
}

/// The rows in the order of the graph's nodes, and how they came to be coded if that is worth keeping.
struct Evidence {
    table: Table,
    dag: Dag,
    coding: Option<Coding>,
}

/// Rows under the states that the network already has.
fn from_states(
    model: &Model,
    table: &TableArgs,
    params: &DataParams,
    session: &Session,
) -> Result<Evidence, Failure> {
    let plain = DataParams { na: params.na.clone(), separator: params.separator, ..DataParams::default() };
    if *params != plain {
        session
            .note("the states are those of the network: options about types, levels and bins do not apply");
    }
    let rows = Rows::read(model, table.table(), &table.reading(session)?, session)?;
    Ok(Evidence { table: rows.table, dag: model.network.dag().clone(), coding: model.coding()? })
}

/// Rows under states found in the table.
fn from_columns(
    structure: &Structure,
    table: &TableArgs,
    params: &DataParams,
    session: &Session,
) -> Result<Evidence, Failure> {
    let dataset = table.read_with(params, session)?;
    let schema = dataset.table.schema();
    let place =
        |node: &String| schema.index(node).ok_or_else(|| absent(node, &dataset, shown_table(table.table())));
    let places = structure.names().iter().map(place).collect::<Result<Vec<usize>, Failure>>()?;
    let unused: Vec<&str> = schema
        .variables()
        .iter()
        .map(|variable| variable.name.as_str())
        .filter(|name| !structure.names().iter().any(|node| node == name))
        .collect();
    if !unused.is_empty() {
        session.note(format!("not in the structure and left out: {}", listed(&unused, 8)));
    }
    let table = dataset.table.select_variables(&places).map_err(clausality::Error::from)?;
    let coding = dataset.coding.restricted(table.schema());
    Ok(Evidence { table, dag: structure.dag().clone(), coding: Some(coding) })
}

/// Why a node has no column.
fn absent(node: &str, dataset: &Dataset, table: &str) -> Failure {
    let dropped = dataset.report.iter().find(|c| c.name == node && c.decision == Decision::Dropped);
    if let Some(column) = dropped {
        return Failure::Input(format!(
            "{table}: column '{node}' is a node of the structure, but cannot be used: {}",
            column.reason
        ));
    }
    let names = dataset.table.schema().variables().iter().map(|variable| variable.name.as_str());
    let near = closest(node, names).map_or(String::new(), |near| format!("; did you mean '{near}'?"));
    Failure::Input(format!("{table}: there is no column for node '{node}' of the structure{near}"))
}

/// How the network was made, for formats that keep it.
fn notes(coding: Option<&Coding>, prior: Prior, data: &Fingerprint, rows: usize) -> Result<Extra, Failure> {
    let failed = |error: serde_json::Error| Failure::Surroundings(format!("cannot write JSON: {error}"));
    let mut extra = Extra::new();
    if let Some(coding) = coding {
        extra.insert(CODING.into(), serde_json::to_value(coding).map_err(failed)?);
    }
    let made = serde_json::json!({
        "command": "fit", "prior": prior, "rows": rows, "fingerprint": data, "version": env!("CARGO_PKG_VERSION"),
    });
    extra.insert("made".into(), made);
    Ok(extra)
}
