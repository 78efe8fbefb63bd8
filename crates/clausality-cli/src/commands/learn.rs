//! `clausality learn`: a table to a Bayesian network.

use crate::commands::strengths::{cell, csv, warn};
use crate::failure::Failure;
use crate::learn_args::{LearnOptions, Progress, suit_profile};
use crate::model::Outputs;
use crate::output::OutputFolder;
use crate::session::Session;
use crate::table_args::{TableArgs, parser};
use crate::text::{Align, Grid, clean, grouped};
use clap::Args;
use clausality::bn::{self, Score, Scorer};
use clausality::data::{Dataset, Fingerprint};
use clausality::learn::{Assembler, Learned, LearnedArc, NetworkParams, learn};
use clausality::model::{CODING, Loaded, Model};
use clausality::rules::{NamedArc, RuleParams, Rules};
use clausality::{LearnParams, Strengths};
use serde::Serialize;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// Learn a Bayesian network from a table
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  clausality learn customers.csv -o network.bif\n  \
    clausality learn churn.csv --parameter Age,Gender --unobserved Exited --run churn-run")]
pub(crate) struct LearnArgs {
    #[command(flatten)]
    table: TableArgs,
    #[command(flatten)]
    rules: RuleOptions,
    #[command(flatten)]
    learning: LearnOptions,
    /// What turns strengths into arcs [default: the profile's own]
    #[arg(long, value_name = "NAME", value_parser = parser::<Assembler>(&["paper", "hybrid"]))]
    assembler: Option<Assembler>,
    /// Write the network, its format by the file's ending: .bif, .bif.gz, .json, .dot or .csv
    #[arg(long, short, value_name = "FILE")]
    output: Vec<PathBuf>,
    /// Write everything into this folder: run.json, network.bif, network.json, edges.csv, strengths.csv
    #[arg(long, value_name = "DIR")]
    run: Option<PathBuf>,
}

/// What is known beforehand.
#[derive(Debug, Args)]
#[command(next_help_heading = "Roles and rules")]
pub(crate) struct RuleOptions {
    /// Columns that nothing points into
    #[arg(long, value_name = "A,B", value_delimiter = ',')]
    parameter: Option<Vec<String>>,
    /// The labels: what is to be inferred
    #[arg(long, value_name = "Y", value_delimiter = ',')]
    unobserved: Option<Vec<String>>,
    /// An arc that must be there (may be given again)
    #[arg(long, value_name = "P>C")]
    require: Option<Vec<NamedArc>>,
    /// An arc that must not be there (may be given again)
    #[arg(long, value_name = "P>C")]
    forbid: Option<Vec<NamedArc>>,
    /// A file with a line of column names (with commas between them) for every tier: no arc runs from a later into an earlier one
    #[arg(long, value_name = "FILE")]
    tiers: Option<PathBuf>,
    /// The most parents that a node may have
    #[arg(long, value_name = "N")]
    max_parents: Option<usize>,
}

impl RuleOptions {
    fn params(&self, session: &Session) -> Result<RuleParams, Failure> {
        let mut params: RuleParams = session.config.section()?;
        params.parameter = self.parameter.clone().unwrap_or(params.parameter);
        params.unobserved = self.unobserved.clone().unwrap_or(params.unobserved);
        params.require = self.require.clone().unwrap_or(params.require);
        params.forbid = self.forbid.clone().unwrap_or(params.forbid);
        params.max_parents = self.max_parents.or(params.max_parents);
        if let Some(path) = &self.tiers {
            params.tiers = read_tiers(path)?;
        }
        Ok(params)
    }
}

/// One tier a line, names between commas, blank lines passed over.
fn read_tiers(path: &Path) -> Result<Vec<Vec<String>>, Failure> {
    let file = path.display().to_string();
    let text = std::fs::read_to_string(path).map_err(|source| clausality::Error::Io { file, source })?;
    let names =
        |line: &str| line.split(',').map(|name| name.trim().to_string()).filter(|n| !n.is_empty()).collect();
    Ok(text.lines().map(names).filter(|tier: &Vec<String>| !tier.is_empty()).collect())
}

/// The JSON document, and `run.json`.
#[derive(Serialize)]
struct Run<'a> {
    table: &'a str,
    rows: usize,
    fingerprint: &'a Fingerprint,
    nodes: Vec<&'a str>,
    arcs: &'a [LearnedArc],
    targets: Vec<TargetSummary<'a>>,
    score: f64,
    seconds: f64,
    params: &'a LearnParams,
    rules: &'a RuleParams,
    seed: u64,
    version: &'static str,
    warnings: Vec<String>,
}

#[derive(Serialize)]
struct TargetSummary<'a> {
    name: &'a str,
    accuracy: Option<f64>,
    signal: bool,
    top: Vec<TopFeature<'a>>,
}

#[derive(Serialize)]
struct TopFeature<'a> {
    feature: &'a str,
    strength: f64,
    share: f64,
}

pub(crate) fn run(args: LearnArgs, session: &Session) -> Result<(), Failure> {
    let params = args.learning.params(session)?;
    let rule_params = args.rules.params(session)?;
    let mut data = args.table.params(session)?;
    suit_profile(&mut data, params.profile);
    let outputs = Outputs::reserve(&args.output)?;
    let folder = args.run.as_deref().map(OutputFolder::reserve).transpose()?;
    let dataset = args.table.read_with(&data, session)?;
    let rules = Rules::new(dataset.table.schema(), &rule_params).map_err(clausality::Error::from)?;

    let start = Instant::now();
    let network = NetworkParams { assembler: args.assembler, ..NetworkParams::default() };
    let found = learn(&dataset.table, &rules, &params, &network, &Progress::new(session))?;
    let seconds = start.elapsed().as_secs_f64();
    let score = Scorer::new(&dataset.table, Score::Bic).and_then(|s| s.dag(found.network.dag()));
    let score = score.map_err(clausality::Error::from)?;
    warn(&found.strengths, session);

    let run = Run {
        table: args.table.name(),
        rows: dataset.table.rows(),
        fingerprint: &dataset.fingerprint,
        nodes: found.network.schema().variables().iter().map(|v| v.name.as_str()).collect(),
        arcs: &found.arcs,
        targets: targets(&found.strengths),
        score,
        seconds,
        params: &params,
        rules: &rule_params,
        seed: session.seed,
        version: env!("CARGO_PKG_VERSION"),
        warnings: dataset.warnings.iter().map(|w| w.message.clone()).collect(),
    };
    let loaded = Loaded::Model(model(&found, &dataset, args.table.name()));
    outputs.write(&loaded, session)?;
    if let (Some(folder), Some(path)) = (folder, &args.run) {
        write_folder(folder, path, &run, &found, &loaded, session)?;
        session.note(format!("wrote the run to {}", path.display()));
    }
    if session.json { session.print_json(&run) } else { session.print(&render(&run, &found, session)) }
}

/// The network together with how its table was coded, so that new rows can be coded the same way.
fn model(found: &Learned, dataset: &Dataset, source: &str) -> Model {
    let mut extra = bn::io::json::Extra::default();
    if let Ok(coding) = serde_json::to_value(&dataset.coding) {
        extra.insert(CODING.to_string(), coding);
    }
    Model { network: found.network.clone(), extra, source: source.to_string() }
}

fn targets(strengths: &Strengths) -> Vec<TargetSummary<'_>> {
    let top = |t: &'_ clausality::strengths::Target| -> Vec<(usize, f64, f64)> {
        t.features.iter().take(10).enumerate().map(|(i, f)| (i, f.strength, f.share)).collect()
    };
    strengths
        .targets
        .iter()
        .map(|t| TargetSummary {
            name: &t.name,
            accuracy: t.accuracy.map(|a| a.mean),
            signal: t.signal(),
            top: top(t)
                .into_iter()
                .map(|(i, strength, share)| TopFeature { feature: &t.features[i].name, strength, share })
                .collect(),
        })
        .collect()
}

fn write_folder(
    folder: OutputFolder,
    path: &Path,
    run: &Run,
    found: &Learned,
    loaded: &Loaded,
    session: &Session,
) -> Result<(), Failure> {
    let names = ["network.bif", "network.json"].map(|name| path.join(name));
    let networks = Outputs::reserve(&names)?;
    let [json, edges, strengths] = ["run.json", "edges.csv", "strengths.csv"].map(|name| folder.file(name));
    let (json, edges, strengths) = (json?, edges?, strengths?);
    networks.write(loaded, session)?;
    let text = serde_json::to_string_pretty(run)
        .map_err(|error| Failure::Surroundings(format!("cannot write JSON: {error}")))?;
    json.write((text + "\n").as_bytes())?;
    edges.write(edge_list(&found.arcs).as_bytes())?;
    strengths.write(csv(&found.strengths).as_bytes())?;
    folder.keep();
    Ok(())
}

fn edge_list(arcs: &[LearnedArc]) -> String {
    let mut text = String::from("parent,child,compelled,strength\n");
    for arc in arcs {
        text.push_str(&format!(
            "{},{},{},{}\n",
            cell(&arc.parent),
            cell(&arc.child),
            arc.compelled,
            arc.strength
        ));
    }
    text
}

fn render(run: &Run, found: &Learned, session: &Session) -> String {
    let (paint, width) = (session.paint(), session.width());
    let head = format!(
        "{}: {} rows, {} nodes, {} arcs, learned in {:.1} s",
        clean(run.table),
        grouped(run.rows),
        run.nodes.len(),
        run.arcs.len(),
        run.seconds,
    );
    let silent = run.targets.iter().filter(|t| !t.signal).count();
    let mut text = paint.bold(&head) + "\n\n";
    if run.arcs.is_empty() {
        text.push_str("No arcs: the data hold no dependence that is worth one.\n");
    } else {
        let mut grid =
            Grid::new([("node", Align::Left), ("parents", Align::Wrap), ("accuracy", Align::Right)]);
        let mut nodes = run.nodes.clone();
        nodes.sort_unstable();
        for node in nodes {
            let parents: Vec<String> = found
                .arcs
                .iter()
                .filter(|arc| arc.child == node)
                .map(|arc| format!("{}{}", arc.parent, if arc.compelled { "" } else { "~" }))
                .collect();
            let accuracy = run.targets.iter().find(|t| t.name == node).and_then(|t| t.accuracy);
            let accuracy = accuracy.map_or("-".into(), |a| format!("{a:.2}"));
            let cells = [
                node.to_string(),
                if parents.is_empty() { "-".into() } else { parents.join(", ") },
                accuracy,
            ];
            if parents.is_empty() { grid.dim_row(cells) } else { grid.row(cells) }
        }
        text.push_str(&grid.render(width, paint));
        if found.arcs.iter().any(|arc| !arc.compelled) {
            text.push_str("\n~ the data cannot tell this arc's direction.\n");
        }
    }
    if silent > 0 {
        text.push_str(&format!("No signal in {silent} of {} columns.\n", run.targets.len()));
    }
    text
}
