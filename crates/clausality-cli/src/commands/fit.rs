//! `clausality fit`: the probabilities of a given structure, from a table.

use crate::args::network::PriorArgs;
use crate::args::table::TableArgs;
use crate::failure::Failure;
use crate::files::networks::{Outputs, read_structure};
use crate::session::{Given, Session};
use crate::show::facts::facts;
use crate::text::{clean, grouped};
use clap::Args;
use clausality::model::{Fitted, Loaded, fit};
use clausality::words::counted;
use std::path::PathBuf;

/// Estimate the probabilities of a given structure from a table
///
/// With a network as STRUCTURE its own states are kept and the cells of the table are matched to them by their labels (or by
/// the coding that a .json network keeps); with a graph alone the table is read and cut into states like any other.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  clausality fit edges.csv customers.csv -o network.bif\n  \
    clausality fit @asia rows.csv -o asia.json --prior bdeu --prior-weight 10")]
pub(crate) struct FitArgs {
    /// A network (.bif, .xmlbif, .xml, .net, .json, or with .gz), a run folder, @NAME, or a graph (.dot, .csv with parent,child)
    #[arg(value_name = "STRUCTURE")]
    pub(crate) structure: PathBuf,
    /// The file to write, its format by its ending: .bif, .xmlbif, .net, .json, .dot, .csv, .graphml or .svg (more than one may be given)
    #[arg(long, short, value_name = "FILE", required = true)]
    output: Vec<PathBuf>,
    #[command(flatten)]
    prior: PriorArgs,
    /// Older names of --prior-weight
    #[arg(long, hide = true, value_name = "X", allow_negative_numbers = true, alias = "ess")]
    alpha: Option<f64>,
    #[command(flatten)]
    pub(crate) table: TableArgs,
}

/// The weight of the prior under its older names, from when every cell had one unless another prior was named.
struct OlderWeight(Option<f64>);

impl Given for OlderWeight {
    fn document(&self) -> Result<String, Failure> {
        Ok(self.0.map_or(String::new(), |weight| {
            format!("prior = \"laplace\"\nprior-weight = {weight:?}").to_lowercase()
        }))
    }
}

pub(crate) fn run(args: FitArgs, session: &Session) -> Result<(), Failure> {
    let settings = session.settings(&[args.table.options(), &OlderWeight(args.alpha), &args.prior])?;
    let outputs = Outputs::reserve(&args.output)?;
    let structure = read_structure(&args.structure, session)?;
    let fitted = fit(&structure, args.table.input(), &settings, &session.bounds())?;
    fitted.warnings.iter().for_each(|warning| session.warn(warning));
    fitted.notes.iter().for_each(|note| session.note(note));
    outputs.write(&Loaded::Model(fitted.model.clone()), session)?;
    let files: Vec<String> = args.output.iter().map(|path| path.display().to_string()).collect();
    session.answer(&fitted.document(&files), || render(&fitted, &files, session))
}

fn render(fitted: &Fitted, files: &[String], session: &Session) -> String {
    let network = &fitted.model.network;
    let head = format!("{} fitted to {}", clean(&fitted.model.source), clean(&fitted.table));
    let (nodes, arcs) = (counted(network.len(), "node"), counted(network.dag().arc_count(), "arc"));
    let mut lines = vec![
        ("rows", grouped(fitted.rows)),
        ("network", format!("{nodes}, {arcs}")),
        ("parameters", format!("{} free", grouped(network.free_parameters()))),
        ("probabilities", fitted.probabilities.sentence()),
    ];
    let (total, mean) = (fitted.log_likelihood, fitted.log_likelihood / fitted.rows.max(1) as f64);
    lines.push(("log-likelihood", format!("{total:.2} on these rows, {mean:.4} a row")));
    lines.push(("written", files.join(", ")));
    format!("{}\n\n{}", session.paint().bold(&head), facts(&lines, session))
}
