//! `clausality demo`: the main job on embedded data.

use crate::commands::strengths::{render, warn};
use crate::failure::Failure;
use crate::learn_args::{LearnOptions, Progress};
use crate::session::Session;
use crate::text::{Align, Grid};
use clap::Args;
use clausality::bn::{self, Network};
use clausality::learn::{Learned, NetworkParams, learn};
use clausality::rules::Rules;
use clausality::{Profile, Strengths, embedded};
use serde::Serialize;
use std::time::Instant;

/// Sample an embedded network, learn it back, and hold the result against the truth
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  clausality demo\n  clausality demo alarm --rows 20000")]
pub(crate) struct DemoArgs {
    /// The embedded network (see `clausality networks`)
    #[arg(default_value = "insurance")]
    network: String,
    /// Rows to sample
    #[arg(long, value_name = "N", default_value_t = 5000)]
    rows: usize,
    /// Features to show for every node
    #[arg(long, value_name = "N", default_value_t = 3)]
    top: usize,
    #[command(flatten)]
    learning: LearnOptions,
}

/// How often the top features are true neighbours.
#[derive(Debug, Serialize)]
struct HitRate {
    top: usize,
    listed: usize,
    adjacent: usize,
    parents: usize,
}

#[derive(Serialize)]
struct Demo<'a> {
    network: &'a str,
    rows: usize,
    seconds: f64,
    hits: Vec<HitRate>,
    comparison: &'a bn::compare::Comparison,
    arcs: &'a [clausality::learn::LearnedArc],
    strengths: &'a Strengths,
}

pub(crate) fn run(args: DemoArgs, session: &Session) -> Result<(), Failure> {
    let params = args.learning.params(session)?;
    if args.rows < 20 || args.rows > 100_000_000 {
        return Err(Failure::Input(format!("--rows is {}; it must be between 20 and 100000000", args.rows)));
    }
    let truth = embedded::network(&args.network).map_err(|error| Failure::Input(error.to_string()))?;
    let table = bn::sample(&truth, args.rows, session.seed);
    let start = Instant::now();
    let rules = Rules::none(truth.len());
    let found = learn(&table, &rules, &params, &NetworkParams::default(), &Progress::new(session))?;
    let seconds = start.elapsed().as_secs_f64();
    let comparison = bn::compare::Comparison::of(&truth, &found.network);
    let hits: Vec<HitRate> = [1, 2, 3].map(|top| hit_rate(&truth, &found.strengths, top)).into();
    if session.json {
        return session.print_json(&Demo {
            network: &args.network,
            rows: args.rows,
            seconds,
            hits,
            comparison: &comparison,
            arcs: &found.arcs,
            strengths: &found.strengths,
        });
    }
    warn(&found.strengths, session);
    let title = format!("A sample of the {} network", truth_name(&args.network));
    let mut text = render(&title, &found.strengths, args.top, session, |target, feature| {
        format!("{}{feature}", mark(&truth, target, feature))
    });
    text.push_str("\nThe truth: > parent of the column, < child, = shares a child, . none of these.\n");
    text.push_str(&summary(&hits));
    text.push_str(&network(&truth, &found, session));
    let profile = if params.profile == Profile::Paper { "paper" } else { "hybrid" };
    text.push_str(&format!(
        "\nLearned in {seconds:.1} s (profile {profile}). Against the truth: skeleton F1 {:.2} (precision {:.2}, recall {:.2}),\n\
         directed F1 {:.2}, CPDAG-SHD {}, SHD {}, SID {}.\n",
        comparison.skeleton.f1,
        comparison.skeleton.precision,
        comparison.skeleton.recall,
        comparison.directed.f1,
        comparison.cpdag_shd,
        comparison.shd,
        comparison.sid,
    ));
    session.print(&text)
}

fn truth_name(name: &str) -> &str {
    name.trim_start_matches('@')
}

/// How a feature truly stands to a target.
fn mark(truth: &Network, target: &str, feature: &str) -> char {
    let (Some(y), Some(f)) = (truth.schema().index(target), truth.schema().index(feature)) else {
        return '.';
    };
    let dag = truth.dag();
    if dag.has(f, y) {
        '>'
    } else if dag.has(y, f) {
        '<'
    } else if dag.children(y).iter().any(|c| dag.children(f).contains(c)) {
        '='
    } else {
        '.'
    }
}

fn hit_rate(truth: &Network, found: &Strengths, top: usize) -> HitRate {
    let mut rate = HitRate { top, listed: 0, adjacent: 0, parents: 0 };
    for target in &found.targets {
        for feature in target.features.iter().take(top) {
            let mark = mark(truth, &target.name, &feature.name);
            rate.listed += 1;
            rate.adjacent += usize::from(mark == '>' || mark == '<');
            rate.parents += usize::from(mark == '>');
        }
    }
    rate
}

fn summary(hits: &[HitRate]) -> String {
    let part = |h: &HitRate| format!("top {}: {} of {}", h.top, h.adjacent, h.listed);
    format!("Features that are true neighbours: {}.\n", hits.iter().map(part).collect::<Vec<_>>().join("; "))
}

/// The learned parents of every node, wrong ones and missing ones marked.
fn network(truth: &Network, found: &Learned, session: &Session) -> String {
    let mut grid =
        Grid::new([("node", Align::Left), ("learned parents", Align::Wrap), ("missed", Align::Wrap)]);
    let schema = truth.schema();
    let (dag, true_dag) = (found.network.dag(), truth.dag());
    let learned = |name: &str| found.network.schema().index(name);
    let mut names: Vec<&str> = schema.variables().iter().map(|v| v.name.as_str()).collect();
    names.sort_unstable();
    for name in names {
        let (Some(at), Some(true_at)) = (learned(name), schema.index(name)) else { continue };
        let mut parents: Vec<&str> =
            dag.parents(at).iter().map(|&p| found.network.schema().name(p)).collect();
        parents.sort_unstable();
        let marked: Vec<String> = parents
            .iter()
            .map(|p| {
                let arc = found.arcs.iter().find(|a| a.parent == *p && a.child == name);
                let reversible = if arc.is_some_and(|a| !a.compelled) { "~" } else { "" };
                let true_p = schema.index(p).expect("the same variables");
                let wrong = match (true_dag.has(true_p, true_at), true_dag.has(true_at, true_p)) {
                    (true, _) => "",
                    (_, true) => " (turned)",
                    _ => " (not there)",
                };
                format!("{p}{reversible}{wrong}")
            })
            .collect();
        let missed: Vec<&str> = true_dag
            .parents(true_at)
            .iter()
            .map(|&p| schema.name(p))
            .filter(|p| learned(p).is_some_and(|p| !dag.adjacent(p, at)))
            .collect();
        if !marked.is_empty() || !missed.is_empty() {
            grid.row([name.to_string(), marked.join(", "), missed.join(", ")]);
        }
    }
    let (paint, width) = (session.paint(), session.width());
    format!(
        "\n{}\n\n{}\n~ the data cannot tell this arc's direction.\n",
        paint.bold("The network learned back"),
        grid.render(width, paint)
    )
}
