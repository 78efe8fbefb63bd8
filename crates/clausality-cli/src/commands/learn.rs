//! `clausality learn`: a table to a Bayesian network.

use crate::commands::strengths::{SHADOW_LEGEND, feature_words, warn};
use crate::confidence;
use crate::failure::Failure;
use crate::learn_args::{LearnOptions, Progress, TopArgs, suit_profile};
use crate::model::{Outputs, counted};
use crate::network_args::{NetworkArgs, RuleArgs};
use crate::run_files::{RunFiles, model};
use crate::session::Session;
use crate::table_args::TableArgs;
use crate::text::{Align, Grid, clean, grouped};
use clap::Args;
use clausality::learn::{LearnedArc, learn};
use clausality::rules::{Role, Rules};
use clausality::run::{self, Made, Run, TargetSummary};
use serde::Serialize;
use serde_json::Value;
use std::path::PathBuf;
use std::time::Instant;

/// Learn a Bayesian network from a table
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  clausality learn customers.csv -o network.bif\n  \
    clausality learn churn.csv --parameter Age,Gender --unobserved Exited --run churn-run")]
pub(crate) struct LearnArgs {
    #[command(flatten)]
    table: TableArgs,
    #[command(flatten)]
    rules: RuleArgs,
    #[command(flatten)]
    network: NetworkArgs,
    #[command(flatten)]
    learning: LearnOptions,
    #[command(flatten)]
    top: TopArgs,
    /// Write the network, its format by the file's ending: .bif, .bif.gz, .json, .dot or .csv
    #[arg(long, short, value_name = "FILE")]
    output: Vec<PathBuf>,
    /// Write everything into this folder: run.json, network.bif, network.json, edges.csv, strengths.csv, clauses.json;
    /// with --bootstrap also consensus.json
    #[arg(long, value_name = "DIR")]
    run: Option<PathBuf>,
}

/// Features of a node in the JSON document.
const TOP: usize = 10;

pub(crate) fn run(args: LearnArgs, session: &Session) -> Result<(), Failure> {
    let params = args.learning.params(session)?;
    let rule_params = args.rules.params(session)?;
    let options = args.network.options(session)?;
    let top = args.top.top(session, TOP)?;
    let mut data = args.table.params(session)?;
    suit_profile(&mut data, params.profile);
    let outputs = Outputs::reserve(&args.output)?;
    let files = args.run.as_deref().map(|path| RunFiles::reserve(path, options.bootstrap > 0)).transpose()?;
    let dataset = args.table.read_with(&data, session)?;
    let rules = Rules::new(dataset.table.schema(), &rule_params).map_err(clausality::Error::from)?;

    let start = Instant::now();
    let found = learn(&dataset.table, &rules, &params, &options.params()?, &Progress::new(session))?;
    let seconds = start.elapsed().as_secs_f64();
    warn(&found.strengths, session);

    let made = Made {
        table: args.table.name(),
        rules: &rules,
        params: run::params([value(&data), value(&params.resolved()), value(&rule_params), value(&options)]),
        top,
        seconds,
        warnings: dataset.warnings.iter().map(|w| w.message.clone()).collect(),
    };
    let run = Run::new(&found, made);
    let loaded = model(&found, Some(&dataset.coding), &run);
    outputs.write(&loaded, session)?;
    if let (Some(files), Some(path)) = (files, &args.run) {
        files.write(&run, &found, &loaded)?;
        session.note(format!("wrote the run to {}", path.display()));
    }
    if session.json { session.print_json(&run) } else { session.print(&render(&run, session)) }
}

/// A parameter struct as JSON; none of them can fail.
pub(crate) fn value(params: &impl Serialize) -> Value {
    serde_json::to_value(params).unwrap_or_default()
}

fn render(run: &Run, session: &Session) -> String {
    let (paint, width) = (session.paint(), session.width());
    let head = format!(
        "{}: {} rows, {}, {}, learned in {:.1} s",
        clean(&run.table),
        grouped(run.rows),
        counted(run.nodes.len(), "node"),
        counted(run.arcs.len(), "arc"),
        run.seconds,
    );
    let silent = run.targets.iter().filter(|t| !t.signal).count();
    let mut text = paint.bold(&head) + "\n\n";
    if run.arcs.is_empty() {
        text.push_str("No arcs: the data hold no dependence that is worth one.\n");
    } else {
        let mut grid = Grid::new([
            ("node", Align::Left),
            ("accuracy", Align::Right),
            ("chance", Align::Right),
            ("parents (share of all strength)", Align::Wrap),
        ]);
        for target in &run.targets {
            let parents: Vec<&LearnedArc> = run.arcs.iter().filter(|arc| arc.child == target.name).collect();
            let cells = node_cells(target, &parents);
            if parents.is_empty() { grid.dim_row(cells) } else { grid.row(cells) }
        }
        text.push_str(&grid.render(width, paint));
        text.push_str(&legend(&run.arcs));
    }
    if let Some(again) = &run.bootstrap {
        text.push_str(&confidence::section(again, &run.arcs, width, paint));
    }
    if silent > 0 {
        text.push_str(&format!(
            "\nNo signal in {silent} of {} columns: they cannot be predicted better than by chance.\n",
            run.targets.len()
        ));
    }
    text
}

fn node_cells(target: &TargetSummary, parents: &[&LearnedArc]) -> [String; 4] {
    let shown = |x: Option<f64>| x.map_or("-".into(), |x| format!("{x:.2}"));
    let mut words: Vec<String> = parents
        .iter()
        .map(|arc| {
            let name = format!("{}{}", arc.parent, if arc.compelled { "" } else { "~" });
            feature_words(&name, arc.share, arc.hit_rate)
        })
        .collect();
    if words.is_empty() {
        words.push(if target.role == Role::Parameter { "- (parameter)".into() } else { "-".into() });
    }
    let signal = if target.signal { "" } else { "; no signal" };
    [target.name.clone(), shown(target.accuracy), shown(target.chance), words.join(", ") + signal]
}

/// What the marks mean, as far as they occur.
fn legend(arcs: &[LearnedArc]) -> String {
    let mut text = String::new();
    if arcs.iter().any(|arc| !arc.compelled) {
        text.push_str("\n~ the data cannot tell this arc's direction.\n");
    }
    if arcs.iter().any(|arc| crate::commands::strengths::is_doubtful(arc.hit_rate)) {
        text.push_str(if text.is_empty() { "\n" } else { "" });
        text.push_str(SHADOW_LEGEND);
    }
    text
}
