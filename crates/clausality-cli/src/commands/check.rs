//! `clausality check`: load a network, validate it, and say what it is.

use crate::failure::Failure;
use crate::files::networks::{format_parser, read_structure_as};
use crate::session::Session;
use crate::show::facts::facts;
use crate::text::{clean, grouped};
use clap::Args;
use clausality::model::{Format, Steps, Summary};
use clausality::words::{counted, quoted};
use std::path::PathBuf;

/// Load and validate a network file, and say what it holds
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  clausality check network.bif\n  clausality check @alarm --json")]
pub(crate) struct CheckArgs {
    /// A network (.bif, .xmlbif, .xml, .net, .json, or with .gz), a run folder, @NAME, or a graph (.dot, .csv with parent,child)
    #[arg(value_name = "MODEL")]
    pub(crate) model: PathBuf,
    /// Read it in this format, whatever its ending
    #[arg(long, value_name = "NAME", value_parser = format_parser())]
    format: Option<Format>,
}

pub(crate) fn run(args: CheckArgs, session: &Session) -> Result<(), Failure> {
    let loaded = read_structure_as(&args.model, args.format, session)?;
    let summary = Summary::of(&loaded);
    session.answer(&summary, || render(&summary, session))
}

fn render(summary: &Summary, session: &Session) -> String {
    let head = format!(
        "{}: a sound {}",
        clean(&summary.model),
        match (summary.cells, &summary.time) {
            (_, Some(_)) => "network over time",
            (Some(_), None) => "network",
            (None, None) => "graph",
        }
    );
    let mut lines = vec![
        ("name", summary.name.clone()),
        (
            "nodes",
            format!(
                "{} ({}, {})",
                grouped(summary.nodes),
                counted(summary.roots, "root"),
                leaves(summary.leaves)
            ),
        ),
        ("arcs", format!("{} (at most {} into a node)", grouped(summary.arcs), summary.most_parents)),
    ];
    if let Some(steps) = &summary.time {
        lines.push(("steps", told_steps(steps)));
    }
    if summary.isolated > 0 {
        lines.push(("isolated", grouped(summary.isolated)));
    }
    if let (Some(parameters), Some(cells), Some(zeros)) = (summary.parameters, summary.cells, summary.zeros) {
        lines.push(("parameters", format!("{} free", grouped(parameters))));
        lines.push(("cells", format!("{} ({} of them 0)", grouped(cells), grouped(zeros))));
    }
    if let Some(states) = summary.most_states {
        lines.push(("states", format!("at most {states}")));
    }
    if let Some(largest) = &summary.largest {
        let parents = match largest.parents.len() {
            0 => "no parents".to_string(),
            _ => format!("parents {}", quoted(&largest.parents, 8)),
        };
        lines.push((
            "largest table",
            format!("'{}': {}, {parents}", largest.node, counted(largest.cells, "cell")),
        ));
    }
    format!("{}\n\n{}", session.paint().bold(&head), facts(&lines, session))
}

/// What has values when, and from when the arcs come.
fn told_steps(steps: &Steps) -> String {
    let from =
        steps.arcs_by_lag.iter().enumerate().filter(|(_, arcs)| **arcs > 0).map(|(lag, arcs)| match lag {
            0 => format!("{} within a step", grouped(*arcs)),
            lag => format!("{} from {} ago", grouped(*arcs), counted(lag, "step")),
        });
    let held = (steps.arcs_from_statics > 0)
        .then(|| format!("{} from what holds for a whole series", grouped(steps.arcs_from_statics)));
    let from: Vec<String> = from.chain(held).collect();
    let processes = match steps.processes {
        1 => "1 process".to_string(),
        many => format!("{} processes", grouped(many)),
    };
    let back = counted(steps.lags, "step");
    let arcs = if from.is_empty() { String::new() } else { format!("; arcs: {}", from.join(", ")) };
    format!("{processes}, {}, looks back {back}{arcs}", counted(steps.statics, "static"))
}

fn leaves(count: usize) -> String {
    if count == 1 { "1 leaf".into() } else { format!("{} leaves", grouped(count)) }
}
