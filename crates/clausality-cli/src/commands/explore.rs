//! `clausality explore`: a network in the browser.

use crate::args::table::configured_rows;
use crate::failure::Failure;
use crate::files::interrupt;
use crate::files::networks::{model_of, read_structure};
use crate::session::Session;
use clap::Args;
use clausality::bn;
use clausality::data::Absent;
use clausality::embedded;
use clausality::model::{DynamicModel, Loaded, Model, Rows};
use clausality::revise::own_table;
use clausality::run::RunFolder;
use clausality_web::{Again, Explored, Server};
use serde::Serialize;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Explore a network in the browser: click states, watch every probability move
///
/// Serves a page to this machine alone and opens it in the browser: the drawing with a bar for every state, evidence and
/// interventions by a click, the rules behind a node, rows of the table. Arcs of a run can be turned, removed, required or
/// forbidden: it is learned again at once. Ctrl-C ends it. Nothing leaves the machine, and
/// nothing is written but the scenarios and places that are kept with a run (explorer.json in its folder).
///
/// Answers that would take more than --memory-limit (384M by default) are estimated from samples. Files larger than a
/// limit that was given are not read.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  clausality explore @alarm\n  clausality explore churn-run --port 8000\n  \
    clausality explore churn-run --against older-run\n  \
    clausality explore network.json --table rows.csv --no-open"
)]
pub(crate) struct ExploreArgs {
    /// A run folder, a network (.bif, .xmlbif, .xml, .net, .json, or with .gz) or @NAME
    #[arg(value_name = "RUN|MODEL")]
    pub(crate) model: PathBuf,
    /// The port to listen on [default: any that is free]
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true)]
    port: u16,
    /// The address to listen on; any other than the default lets other machines in
    #[arg(long, value_name = "H", default_value = "127.0.0.1")]
    host: String,
    /// Do not open the browser
    #[arg(long)]
    no_open: bool,
    /// Rows to pick evidence from, to test with and to learn again from [default: the run's own table, where it is found]
    #[arg(long, value_name = "FILE")]
    pub(crate) table: Option<PathBuf>,
    /// Another network or run to hold against it: arcs added, lost and turned, answers that differ most
    #[arg(long, value_name = "RUN|MODEL")]
    pub(crate) against: Option<PathBuf>,
    /// Steps ahead of now that are shown of a network over time
    #[arg(long, value_name = "N", default_value_t = 6, value_parser = clap::value_parser!(u16).range(1..=200))]
    steps: u16,
}

/// The JSON document, printed as soon as the page can be opened.
#[derive(Serialize)]
struct Document<'a> {
    model: &'a str,
    url: String,
    host: String,
    port: u16,
    version: &'static str,
}

pub(crate) fn run(args: ExploreArgs, session: &Session) -> Result<(), Failure> {
    let (model, run, over_time) = read(&args.model, args.steps, session)?;
    let argument = args.model.display().to_string();
    if over_time && args.table.is_some() {
        let why = format!(
            "{argument} is a network over time, and a row holds one step of it: leave --table out, and ask with a series by \
             `clausality query {argument} --rows FILE`"
        );
        return Err(Failure::Input(why));
    }
    let rows = match &args.table {
        Some(table) => Some(configured_rows(&model, table, Absent::Unknown, session)?),
        // A row holds one step, and the page shows many.
        None if over_time => None,
        None => run.as_ref().and_then(|run| own_rows(&args.model, run, &model, session)),
    };
    let again = run.as_ref().map(|run| Again {
        table: args.table.clone().or_else(|| own_table(&run.run, &args.model)),
        bounds: session.bounds(),
    });
    let against = args.against.as_deref().map(|other| {
        let (model, ..) = read(other, args.steps, session)?;
        Ok::<_, Failure>((other.display().to_string(), model))
    });
    let keeps = run.is_some().then(|| args.model.clone());
    let explored = Explored {
        model,
        argument: argument.clone(),
        run,
        rows,
        memory_limit: session.inference_bytes(),
        seed: session.seed,
        again,
        against: against.transpose()?,
        over_time,
        keeps,
    };
    let server = Server::bind(explored, &args.host, args.port)?;
    let address = server.address();
    if !address.ip().is_loopback() {
        session.warn(format!(
            "--host {}: other machines can reach this page now; whoever has its address with the token can ask the network, \
             and what is sent is not encrypted",
            args.host
        ));
    }
    // Whoever reads the address may end it at once.
    let stopper = server.stopper();
    interrupt::on_interrupt(move || stopper.stop());
    let document = Document {
        model: &argument,
        url: server.url(),
        host: address.ip().to_string(),
        port: address.port(),
        version: env!("CARGO_PKG_VERSION"),
    };
    session.answer(&document, || format!("{}\n", document.url))?;
    session.note("Ctrl-C ends the explorer");
    if !args.no_open && !open(&server.url_once()) {
        session.note("no browser could be opened: open the address above");
    }
    Ok(server.run()?)
}

/// The network, what a run says beside it, and whether its nodes are steps: of a network over time those around now are shown. A folder may
/// hold a network alone.
fn read(model: &Path, steps: u16, session: &Session) -> Result<(Model, Option<RunFolder>, bool), Failure> {
    let limits = session.limits();
    let around_now = |found: DynamicModel| found.around_with_past([i64::from(steps)], &limits);
    if model.is_dir() && model.join("run.json").is_file() {
        let (run, found) = RunFolder::read_with_model(model, &limits)?;
        let over_time = run.run.time.is_some();
        let found = if over_time { around_now(DynamicModel::read(model, &limits)?)? } else { found };
        return Ok((found, Some(run), over_time));
    }
    let found = match read_structure(model, session)? {
        Loaded::Dynamic(found) => (around_now(found)?, None, true),
        other => (model_of(other)?, None, false),
    };
    if model.is_dir() {
        let folder = model.display();
        session.note(format!("{folder} has no run.json: the network is shown without rules and strengths"));
    }
    Ok(found)
}

/// The rows that the run was learned from: sampled again, or read where the table was named from here or from beside the run.
fn own_rows(folder: &Path, run: &RunFolder, model: &Model, session: &Session) -> Option<Rows> {
    let name = &run.run.table;
    if let Some(embedded) = name.strip_prefix('@') {
        let sampled = bn::sample(&embedded::network(embedded).ok()?, run.run.rows, run.run.seed);
        return Some(Rows::of(name, sampled.recoded(model.network.schema()).ok()?));
    }
    let path = own_table(&run.run, folder)?;
    match configured_rows(model, &path, Absent::Unknown, session) {
        Ok(rows) => Some(Rows { name: name.clone(), ..rows }),
        Err(_) => {
            session.note(format!("the run's table {name} cannot be read as it was: --table FILE gives rows"));
            None
        }
    }
}

/// Hands the address to the browser of the desktop; nobody waits for it.
fn open(url: &str) -> bool {
    let program = if cfg!(target_os = "macos") { "open" } else { "xdg-open" };
    let mut command = Command::new(program);
    command.arg(url).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.spawn().is_ok()
}

impl From<clausality_web::Error> for Failure {
    fn from(error: clausality_web::Error) -> Self {
        match error {
            clausality_web::Error::Model(error) => error.into(),
            error if error.is_input() => Failure::Input(format!("{error} (--host ADDRESS)")),
            error @ clausality_web::Error::PortTaken { .. } => {
                Failure::Surroundings(format!("{error} (--port N)"))
            }
            error => Failure::Surroundings(error.to_string()),
        }
    }
}
