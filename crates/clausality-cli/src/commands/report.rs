//! `clausality report`: one page about a run.

use crate::args::table::configured_rows;
use crate::failure::Failure;
use crate::files::networks::read_structure;
use crate::files::page::PageFile;
use crate::session::{Progress, Session};
use clap::Args;
use clausality::bn::io::Structure;
use clausality::data::Absent;
use clausality::folder::Desk;
use clausality::model::require_shared_nodes;
use clausality::run::{RunFolder, Truth};
use clausality::tell::report;
use clausality::words::counted;
use serde::Serialize;
use std::path::PathBuf;

/// Write one page about a run: what was learned, how sure it is, and how it was made
///
/// The page is one file that needs no network and no program: it can be mailed, printed and kept. Every run writes one into its
/// folder already; this command makes it again, with the scenarios that were kept in the explorer (`clausality explore`), or with the true network beside it.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  clausality report churn-run -o churn.html\n  \
    clausality report churn-run --table customers.csv -o churn.html\n  \
    clausality report asia-run --truth @asia -o asia.html")]
pub(crate) struct ReportArgs {
    /// The run folder that `learn --run` or `demo` wrote
    #[arg(value_name = "RUN")]
    pub(crate) run: PathBuf,
    /// The file to write; without it the page goes to standard output
    #[arg(long, short, value_name = "FILE.html")]
    output: Option<PathBuf>,
    /// Compare with this network or graph on the page
    #[arg(long, value_name = "MODEL")]
    pub(crate) truth: Option<PathBuf>,
    /// Look in these rows for pairs that perhaps have a common cause outside the table, and mark them on the page
    #[arg(long, value_name = "TABLE")]
    pub(crate) table: Option<PathBuf>,
}

/// The JSON document.
#[derive(Serialize)]
struct Written<'a> {
    run: String,
    file: String,
    table: &'a str,
    nodes: usize,
    arcs: usize,
    truth: Option<&'a Truth>,
    bytes: usize,
    version: &'static str,
}

pub(crate) fn run(args: ReportArgs, session: &Session) -> Result<(), Failure> {
    if args.output.is_none() && session.json {
        return Err(Failure::Input("--json tells about the page that -o FILE.html writes: give one".into()));
    }
    let output = args.output.as_deref().map(|path| PageFile::reserve_about(&args.run, path)).transpose()?;
    let (mut folder, model) = RunFolder::read_with_model(&args.run, &session.limits())?;
    if let Some(argument) = &args.truth {
        let truth = read_structure(argument, session)?;
        let (graph, learned) = (truth.structure(), Structure::from(&*model.network));
        require_shared_nodes((truth.source(), &graph), (&args.run.display().to_string(), &learned))?;
        folder.run.truth = Some(Truth::new(truth.source(), &graph, &learned));
    }
    if folder.run.time.is_some() && args.table.is_some() {
        let why = "--table: rows of a series hold one step each, and marks are looked for in rows that stand alone: leave it out";
        return Err(Failure::Input(why.into()));
    }
    // Notes that somebody keeps beside a run are no part of it: where they cannot be read there is still a report.
    let scenarios = Desk::read(&args.run).map(|desk| desk.scenarios).unwrap_or_else(|why| {
        session.warn(format!("the report is written without scenarios: {why}"));
        vec![]
    });
    let rows = args.table.as_deref().map(|table| configured_rows(&model, table, Absent::Unknown, session));
    let rows = rows.transpose()?;
    let marks = rows.as_ref().map(|rows| {
        let found = model.hidden_causes(rows, session.seed, &Progress::new(session))?;
        Ok::<_, Failure>(report::Marks { table: rows.name.clone(), rows: rows.table.rows(), found })
    });
    let beside = report::Beside { scenarios, marks: marks.transpose()? };
    let page = report::html_beside(&folder, &model, &beside).map_err(clausality::Error::from)?;
    let (Some(output), Some(path)) = (output, &args.output) else { return session.print(&page) };
    output.write(&page)?;
    let (nodes, arcs) = (model.network.len(), model.network.dag().arc_count());
    if session.json {
        return session.print_json(&Written {
            run: args.run.display().to_string(),
            file: path.display().to_string(),
            table: &folder.run.table,
            nodes,
            arcs,
            truth: folder.run.truth.as_ref(),
            bytes: page.len(),
            version: env!("CARGO_PKG_VERSION"),
        });
    }
    let (nodes, arcs) = (counted(nodes, "node"), counted(arcs, "arc"));
    session.note(format!("wrote the report ({nodes}, {arcs}) to {}", path.display()));
    Ok(())
}
