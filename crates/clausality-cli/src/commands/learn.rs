//! `clausality learn`: a table to a Bayesian network.

use crate::commands::report::PageFile;
use crate::commands::strengths::{SHADOW_LEGEND, feature_words, is_doubtful, warn};
use crate::confidence;
use crate::failure::Failure;
use crate::learn_args::{LearnOptions, Progress, TopArgs, suit_profile};
use crate::model::{Outputs, counted};
use crate::network_args::{NetworkArgs, RuleArgs, network_params};
use crate::run_files::{RunFiles, model};
use crate::session::Session;
use crate::table_args::TableArgs;
use crate::table_rules::{arc_legend, arc_mark, mark, rules_for};
use crate::text::{Align, Grid, TIED, clean, grouped, wrap};
use crate::verdict::{Verdict, summary};
use clap::Args;
use clausality::learn::Assembler;
use clausality::learn::{LearnedArc, learn};
use clausality::picture;
use clausality::report;
use clausality::run::{self, Clauses, Made, Run, RunFolder, TargetSummary};
use clausality::strengths::Strengths;
use serde::Serialize;
use serde_json::Value;
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
    rules: RuleArgs,
    #[command(flatten)]
    network: NetworkArgs,
    #[command(flatten)]
    learning: LearnOptions,
    #[command(flatten)]
    top: TopArgs,
    /// Write the network, its format by the file's ending: .bif, .xmlbif, .net, .json, .dot, .csv,
    /// .graphml or .svg (a drawing); with .html one page about everything (see `clausality report`)
    #[arg(long, short, value_name = "FILE")]
    output: Vec<PathBuf>,
    /// Write everything into this folder: run.json, network.bif, network.json, edges.csv, strengths.csv, clauses.json, report.html;
    /// with --bootstrap also consensus.json
    #[arg(long, value_name = "DIR")]
    run: Option<PathBuf>,
}

impl LearnArgs {
    /// The files that it reads.
    pub(crate) fn inputs(&self) -> Vec<&Path> {
        [self.table.path()].into_iter().chain(self.rules.tiers_file()).collect()
    }
}

/// Features of a node in the JSON document.
const TOP: usize = 10;

pub(crate) fn run(args: LearnArgs, session: &Session) -> Result<(), Failure> {
    let params = args.learning.params(session)?;
    let mut rule_params = args.rules.params(session)?;
    let options = args.network.options(session)?;
    args.network.warn_of_idle(&[options.assembler.unwrap_or(Assembler::of(params.profile))], session);
    let top = args.top.top(session, TOP)?;
    let mut data = args.table.params(session)?;
    suit_profile(&mut data, params.profile);
    let (pages, networks): (Vec<PathBuf>, Vec<PathBuf>) =
        args.output.iter().cloned().partition(|path| PageFile::is_asked(path));
    let outputs = Outputs::reserve(&networks)?;
    let pages = pages.iter().map(|path| PageFile::reserve(path)).collect::<Result<Vec<_>, _>>()?;
    let files = args.run.as_deref().map(|path| RunFiles::reserve(path, options.bootstrap > 0)).transpose()?;
    let dataset = args.table.read_with(&data, session)?;
    let rules = rules_for(dataset.table.schema(), &dataset.report, &mut rule_params, session)?;
    let options = options.for_table(&dataset.table);
    let work = network_params(&options, session)?;

    let start = Instant::now();
    let found = learn(&dataset.table, &rules, &params, &work, &Progress::new(session))?;
    let seconds = start.elapsed().as_secs_f64();
    warn(&found.strengths, session);

    let made = Made {
        table: args.table.name(),
        rules: &rules,
        params: run::params([value(&data), value(&params.resolved()), value(&rule_params), value(&options)]),
        top,
        seconds,
        warnings: dataset.warnings.iter().map(|w| w.message.clone()).collect(),
        columns: dataset.report.clone(),
        truth: None,
    };
    let run = Run::new(&found, made);
    let loaded = model(&found, Some(&dataset.coding), &run);
    if !pages.is_empty() {
        let folder = RunFolder { run: run.clone(), clauses: Clauses::new(&found) };
        let page = report::html(&folder, &found.network).map_err(clausality::Error::from)?;
        pages.into_iter().try_for_each(|file| file.write(&page))?;
    }
    outputs.write_with(&loaded, || picture::of_run(&run), session)?;
    if let (Some(files), Some(path)) = (files, &args.run) {
        files.write(&run, &found, &loaded)?;
        session.note(format!("wrote the run to {}", path.display()));
    }
    if session.json {
        return session.print_json(&run);
    }
    session.print(&render(&run, &found.strengths, session))
}

/// A parameter struct as JSON; none of them can fail.
pub(crate) fn value(params: &impl Serialize) -> Value {
    serde_json::to_value(params).unwrap_or_default()
}

fn render(run: &Run, found: &Strengths, session: &Session) -> String {
    let (paint, width) = (session.paint(), session.width());
    let head = format!(
        "{}: {} rows, {}, {}, learned in {:.1}{TIED}s",
        clean(&run.table),
        grouped(run.rows),
        counted(run.nodes.len(), "node"),
        counted(run.arcs.len(), "arc"),
        run.seconds,
    );
    let line = |line: &String| paint.bold(&line.replace(TIED, " ")) + "\n";
    let mut text: String = wrap(&head, width).iter().map(line).collect();
    text.push('\n');
    if run.arcs.is_empty() {
        text.push_str(match run.has_rules() {
            true => "No arcs: none that the rules allow is worth it.\n",
            false => "No arcs: the data hold no dependence that is worth one.\n",
        });
    }
    let verdict = |name: &str| found.target(name).map_or(Verdict::Unmeasured, |t| Verdict::of(t.accuracy));
    // Without any arc only those are listed of which there is something to say.
    let told = |target: &&TargetSummary| !run.arcs.is_empty() || verdict(&target.name) != Verdict::NoSignal;
    let told: Vec<&TargetSummary> = run.targets.iter().filter(told).collect();
    if !told.is_empty() {
        let mut grid = Grid::new([
            ("node", Align::Left),
            ("accuracy", Align::Right),
            ("chance", Align::Right),
            ("parents (share of all strength)", Align::Wrap),
        ]);
        for target in told {
            let parents: Vec<&LearnedArc> = run.arcs.iter().filter(|arc| arc.child == target.name).collect();
            let cells = node_cells(target, &parents, verdict(&target.name));
            if parents.is_empty() { grid.dim_row(cells) } else { grid.row(cells) }
        }
        text.push_str(if run.arcs.is_empty() { "\n" } else { "" });
        text.push_str(&grid.render(width, paint));
        text.push_str(&legend(&run.arcs));
    }
    if let Some(again) = &run.bootstrap {
        text.push_str(&confidence::section(again, &run.arcs, width, paint));
    }
    text.push_str(&format!("\n{}", summary(found)));
    let silent = |arc: &LearnedArc| verdict(&arc.child) == Verdict::NoSignal;
    if run.arcs.iter().any(silent) {
        let why = match run.params.get("assembler").and_then(Value::as_str) {
            Some("paper") => {
                "the paper's assembly takes the best features of a node, whatever they are worth."
            }
            _ => "its score or test found it; the machines could not predict the node.",
        };
        wrap(&format!("An arc into a node without signal: {why}"), width).iter().for_each(|line| {
            text.push_str(line);
            text.push('\n');
        });
    }
    text
}

fn node_cells(target: &TargetSummary, parents: &[&LearnedArc], verdict: Verdict) -> [String; 4] {
    let shown = |x: Option<f64>| x.map_or("-".into(), |x| format!("{x:.2}"));
    let mut words: Vec<String> = parents
        .iter()
        .map(|arc| {
            let name = format!("{}{}", arc.parent, arc_mark(arc));
            feature_words(&name, arc.share, arc.hit_rate)
        })
        .collect();
    if words.is_empty() {
        words.push("-".into());
    }
    let mut about = words.join(", ") + mark(target.role);
    if let Some(word) = verdict.word() {
        about.push_str(&format!("; {word}"));
    }
    [target.name.clone(), shown(target.accuracy), shown(target.chance), about]
}

/// What the marks mean, as far as they occur.
fn legend(arcs: &[LearnedArc]) -> String {
    let mut text = arc_legend(arcs);
    if arcs.iter().any(|arc| is_doubtful(arc.hit_rate)) {
        text.push_str(SHADOW_LEGEND);
    }
    if text.is_empty() { text } else { format!("\n{text}") }
}
