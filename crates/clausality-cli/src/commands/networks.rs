//! `clausality networks`: the ground-truth networks that travel with the program.

use crate::failure::Failure;
use crate::session::Session;
use crate::show::facts::facts;
use crate::text::{Align, Grid, grouped};
use clap::Args;
use clausality::embedded::{self, Embedded};
use serde::Serialize;

/// List the embedded networks, usable as @NAME wherever a model is asked for
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  clausality networks\n  clausality networks --verbose")]
pub(crate) struct NetworksArgs {
    /// Say who published each network
    #[arg(long, short)]
    verbose: bool,
}

/// Where the networks come from and how they may be used.
const SOURCE: &str = "bnlearn Bayesian Network Repository (www.bnlearn.com/bnrepository)";
const LICENCE: &str = "CC BY-SA 3.0";

/// One network in the JSON document.
#[derive(Serialize)]
struct Entry {
    #[serde(flatten)]
    network: &'static Embedded,
    source: &'static str,
    licence: &'static str,
}

pub(crate) fn run(args: NetworksArgs, session: &Session) -> Result<(), Failure> {
    let entry = |network| Entry { network, source: SOURCE, licence: LICENCE };
    session.answer(&embedded::list().iter().map(entry).collect::<Vec<_>>(), || render(args.verbose, session))
}

fn render(verbose: bool, session: &Session) -> String {
    let mut grid = Grid::new([
        ("network", Align::Left),
        ("nodes", Align::Right),
        ("arcs", Align::Right),
        ("parameters", Align::Right),
        ("about", Align::Wrap),
    ]);
    for entry in embedded::list() {
        let numbers = [entry.nodes, entry.arcs, entry.parameters].map(grouped);
        let name = format!("@{}", entry.name);
        grid.row([name.as_str(), &numbers[0], &numbers[1], &numbers[2], entry.about]);
    }
    let mut text = grid.render(session.width(), session.paint());
    if verbose {
        let lines: Vec<(&str, String)> =
            embedded::list().iter().map(|entry| (entry.name, entry.citation.to_string())).collect();
        text.push_str(&format!("\n{}", facts(&lines, session)));
    }
    text + &format!("\n{SOURCE}, {LICENCE}\n")
}
