//! `clausality convert`: the same network or graph in another format.

use crate::failure::Failure;
use crate::files::networks::{Outputs, format_parser, read_structure_as};
use crate::session::Session;
use clap::Args;
use clausality::bn::dynamic::Naming;
use clausality::model::{DynamicModel, Format, Loaded};
use clausality::tell::picture;
use clausality::words::counted;
use serde::Serialize;
use std::path::PathBuf;

/// Write a network in another format
///
/// Probabilities, the order of nodes, states and parents, and every digit survive between .bif, .xmlbif, .net and .json;
/// .graphml has them too but is only written; .dot and .csv keep the graph alone; .svg is a drawing of it.
/// Of a network over time, --unroll writes the first steps out as nodes Rain_t0, Rain_t1, and so on; .json keeps it as it is.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  clausality convert network.bif -o network.json\n  \
    clausality convert @alarm -o alarm.xmlbif -o alarm.net -o alarm.graphml\n  \
    clausality convert model.txt --from net -o model.bif.gz\n  \
    clausality convert customers-run -o customers.svg\n  \
    clausality convert shop-run -o shop.bif --unroll 4")]
pub(crate) struct ConvertArgs {
    /// A network (.bif, .xmlbif, .xml, .net, .json, or with .gz), a run folder, @NAME, or a graph (.dot, .csv with parent,child)
    #[arg(value_name = "MODEL")]
    pub(crate) model: PathBuf,
    /// The file to write, its format by its ending: .bif, .xmlbif, .net, .json, .dot, .csv, .graphml or .svg (more than one may be given)
    #[arg(long, short, value_name = "FILE", required = true)]
    output: Vec<PathBuf>,
    /// Write in this format, whatever the ending
    #[arg(long, value_name = "NAME", value_parser = format_parser())]
    format: Option<Format>,
    /// Read MODEL in this format, whatever its ending
    #[arg(long, value_name = "NAME", value_parser = format_parser())]
    from: Option<Format>,
    /// Of a network over time: how many steps to write out as an ordinary network
    #[arg(long, value_name = "STEPS")]
    unroll: Option<usize>,
}

/// The JSON document.
#[derive(Serialize)]
struct Converted<'a> {
    model: &'a str,
    nodes: usize,
    arcs: usize,
    files: Vec<String>,
    version: &'static str,
}

pub(crate) fn run(args: ConvertArgs, session: &Session) -> Result<(), Failure> {
    let outputs = Outputs::reserve_as(&args.output, args.format)?;
    let mut loaded = read_structure_as(&args.model, args.from, session)?;
    if let Some(steps) = args.unroll {
        let model = DynamicModel::try_from(loaded)?;
        loaded = Loaded::Model(model.unrolled(steps, Naming::Plain, &session.limits())?);
    }
    // A run knows more of its network than the network itself.
    if args.model.is_dir() && outputs.has_picture() && args.unroll.is_none() {
        let picture = picture::of_folder(&args.model, &loaded, &session.limits())?;
        outputs.fill(&loaded, || picture.clone())?.place(&loaded, session)?;
    } else {
        outputs.write(&loaded, session)?;
    }
    let files: Vec<String> = args.output.iter().map(|path| path.display().to_string()).collect();
    let structure = loaded.structure();
    if session.json {
        return session.print_json(&Converted {
            model: loaded.source(),
            nodes: structure.dag().len(),
            arcs: structure.dag().arc_count(),
            files,
            version: env!("CARGO_PKG_VERSION"),
        });
    }
    let what = match &loaded {
        Loaded::Model(_) => "network",
        Loaded::Dynamic(_) => "network over time",
        Loaded::Graph { .. } => "graph",
    };
    let (nodes, arcs) = (structure.dag().len(), structure.dag().arc_count());
    session.note(format!(
        "wrote the {what} ({}, {}) to {}",
        counted(nodes, "node"),
        counted(arcs, "arc"),
        files.join(", ")
    ));
    Ok(())
}
