//! `clausality compare`: how near a learned graph is to the true one, by every figure.

use crate::args::table::configured_rows;
use crate::failure::Failure;
use crate::files::networks::read_structure;
use crate::session::Session;
use crate::show::facts::facts;
use crate::text::{Align, Grid};
use clap::Args;
use clausality::bn::compare::{Arc, Comparison, Differences, Rates};
use clausality::bn::io::Structure;
use clausality::bn::{Dag, Score, Scorer};
use clausality::data::Absent;
use clausality::model::{Loaded, Model, Rows, require_shared_nodes};
use clausality::words::{counted, quoted};
use serde::Serialize;
use std::path::{Path, PathBuf};

/// Compare a learned network with the true one: similarity kernels, precision and recall, SHD, SID
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  clausality compare @asia learned.bif\n  \
    clausality compare truth.dot edges.csv --json\n  clausality compare @asia learned.bif --table heldout.csv")]
pub(crate) struct CompareArgs {
    /// The true structure: a network, a run folder, @NAME, .dot, or .csv with parent,child
    #[arg(value_name = "TRUTH")]
    pub(crate) truth: PathBuf,
    /// The learned structure, in any of the same forms
    #[arg(value_name = "LEARNED")]
    pub(crate) learned: PathBuf,
    /// Rows to compare by as well: BIC of both graphs and mean log-likelihood of both networks
    #[arg(long, value_name = "TABLE")]
    pub(crate) table: Option<PathBuf>,
}

/// The JSON document.
#[derive(Serialize)]
struct Document<'a> {
    truth: &'a str,
    learned: &'a str,
    #[serde(flatten)]
    comparison: &'a Comparison,
    missing: &'a [Arc],
    extra: &'a [Arc],
    turned: &'a [Arc],
    #[serde(skip_serializing_if = "Option::is_none")]
    table: Option<&'a Fit>,
    version: &'static str,
}

/// How well both fit the rows of a table.
#[derive(Serialize)]
struct Fit {
    rows: usize,
    truth: Fitness,
    learned: Fitness,
}

#[derive(Serialize)]
struct Fitness {
    /// Of the graph, on the rows.
    bic: f64,
    /// Of a row, under the network's own probabilities; none for a graph alone.
    log_likelihood_per_row: Option<f64>,
}

pub(crate) fn run(args: CompareArgs, session: &Session) -> Result<(), Failure> {
    let truth = read_structure(&args.truth, session)?;
    let learned = read_structure(&args.learned, session)?;
    let (true_graph, learned_graph) = (truth.structure(), learned.structure());
    require_shared_nodes((truth.source(), &true_graph), (learned.source(), &learned_graph))?;
    let comparison = Comparison::of(&true_graph, &learned_graph);
    let differences = Differences::between(&true_graph, &learned_graph);
    let fit = args.table.as_deref().map(|table| Fit::of(&truth, &learned, table, session)).transpose()?;
    if session.json {
        return session.print_json(&Document {
            truth: truth.source(),
            learned: learned.source(),
            comparison: &comparison,
            missing: &differences.missing,
            extra: &differences.extra,
            turned: &differences.turned,
            table: fit.as_ref(),
            version: env!("CARGO_PKG_VERSION"),
        });
    }
    let mut text = heading((&truth, &true_graph), (&learned, &learned_graph), session);
    text.push_str(&rates(&comparison, session));
    let nodes = true_graph.dag().len() + comparison.only_in_learned.len();
    text.push_str(&figures(&comparison, nodes, session));
    if let Some(fit) = &fit {
        text.push_str(&fit.render(session));
    }
    text.push_str(&unshared(&differences, &comparison, session));
    session.print(&text)
}

fn heading(truth: (&Loaded, &Structure), learned: (&Loaded, &Structure), session: &Session) -> String {
    let side = |(loaded, graph): (&Loaded, &Structure)| {
        let (nodes, arcs) = (counted(graph.dag().len(), "node"), counted(graph.dag().arc_count(), "arc"));
        format!("{} ({nodes}, {arcs})", loaded.source())
    };
    facts(&[("truth", side(truth)), ("learned", side(learned))], session) + "\n"
}

fn rates(comparison: &Comparison, session: &Session) -> String {
    let mut grid = Grid::new([
        ("", Align::Left),
        ("precision", Align::Right),
        ("recall", Align::Right),
        ("F1", Align::Right),
    ]);
    let mut row = |name: &str, rates: &Rates| {
        let values = [rates.precision, rates.recall, rates.f1].map(|value| format!("{value:.3}"));
        grid.row([name, &values[0], &values[1], &values[2]]);
    };
    row("skeleton (directions ignored)", &comparison.skeleton);
    row("directed", &comparison.directed);
    grid.render(session.width(), session.paint()) + "\n"
}

fn figures(comparison: &Comparison, nodes: usize, session: &Session) -> String {
    let pairs = nodes * nodes.saturating_sub(1);
    let mut grid = Grid::new([("figure", Align::Left), ("value", Align::Right), ("meaning", Align::Wrap)]);
    let share = |value: f64| format!("{value:.3}");
    grid.row(["kernel K", &share(comparison.kernel), "likeness of neighbourhoods and arcs; 1 is equal"]);
    grid.row(["walk kernel", &share(comparison.walk_kernel), "likeness of directed walks; 1 is equal"]);
    grid.row(["SHD", &comparison.shd.to_string(), "missing, extra and turned arcs"]);
    grid.row(["CPDAG-SHD", &comparison.cpdag_shd.to_string(), "the same between equivalence classes"]);
    let sid = format!("ordered pairs, of {pairs}, whose effect would be misjudged");
    grid.row(["SID", &comparison.sid.to_string(), &sid]);
    grid.render(session.width(), session.paint())
}

/// The arcs that the two graphs do not share, and the nodes.
fn unshared(differences: &Differences, comparison: &Comparison, session: &Session) -> String {
    let Differences { missing, extra, turned } = differences;
    const SHOWN: usize = 12;
    let mut lines = Vec::new();
    for (label, arcs) in [("missing", missing), ("extra", extra), ("turned", turned)] {
        let mut words: Vec<String> =
            arcs.iter().take(SHOWN).map(|arc| format!("{} -> {}", arc.parent, arc.child)).collect();
        if arcs.len() > SHOWN {
            words.push(format!("and {} more", arcs.len() - SHOWN));
        }
        if !words.is_empty() {
            lines.push((label, words.join(", ")));
        }
    }
    let only = [
        ("only in the truth", &comparison.only_in_truth),
        ("only in the learned", &comparison.only_in_learned),
    ];
    for (label, nodes) in only {
        if !nodes.is_empty() {
            lines.push((label, quoted(nodes, SHOWN)));
        }
    }
    if lines.is_empty() { String::new() } else { format!("\n{}", facts(&lines, session)) }
}

impl Fit {
    /// Codes the rows by the coding that one of the networks keeps, the true one's first; else by the states of the first that has any.
    fn of(truth: &Loaded, learned: &Loaded, table: &Path, session: &Session) -> Result<Self, Failure> {
        let models = [truth, learned].into_iter().filter_map(|loaded| match loaded {
            Loaded::Model(model) => Some(model),
            Loaded::Graph { .. } | Loaded::Dynamic(_) => None,
        });
        let models: Vec<&Model> = models.collect();
        let keeps = |model: &&&Model| model.coding().is_ok_and(|coding| coding.is_some());
        let Some(&model) = models.iter().find(keeps).or(models.first()) else {
            let message = "--table needs the states of a network, and both arguments are graphs alone";
            return Err(Failure::Input(message.into()));
        };
        let rows = configured_rows(model, table, Absent::Refuse, session)?;
        let complete = rows.table.complete_rows();
        rows.left_out(&complete).iter().for_each(|notice| session.warn(notice));
        let rows = rows.picked(&complete);
        let fitness = |loaded: &Loaded| Fitness::of(loaded, &rows, session);
        Ok(Fit { rows: complete.len(), truth: fitness(truth)?, learned: fitness(learned)? })
    }

    fn render(&self, session: &Session) -> String {
        let head = format!("on {}", counted(self.rows, "row"));
        let mut grid =
            Grid::new([(head.as_str(), Align::Left), ("truth", Align::Right), ("learned", Align::Right)]);
        let sides = [&self.truth, &self.learned];
        let bic = sides.map(|side| format!("{:.1}", side.bic));
        grid.row(["BIC of the graph", &bic[0], &bic[1]]);
        let mean =
            sides.map(|side| side.log_likelihood_per_row.map_or("-".into(), |mean| format!("{mean:.4}")));
        grid.row(["log-likelihood of a row", &mean[0], &mean[1]]);
        format!("\n{}", grid.render(session.width(), session.paint()))
    }
}

impl Fitness {
    fn of(loaded: &Loaded, rows: &Rows, session: &Session) -> Result<Self, Failure> {
        let structure = loaded.structure();
        let schema = rows.table.schema();
        let place = |v: usize| {
            schema.require(&structure.names()[v]).map_err(|_| {
            Failure::Input(format!(
                "{}: node '{}' is not among the variables of the other network, so --table cannot be scored",
                loaded.source(),
                structure.names()[v]
            ))
        })
        };
        let places = (0..structure.names().len()).map(place).collect::<Result<Vec<usize>, Failure>>()?;
        let arcs = structure.dag().arcs().map(|(p, c)| (places[p], places[c]));
        // Renumbering the nodes of an acyclic graph leaves it acyclic.
        let dag = Dag::from_arcs(schema.len(), arcs).unwrap_or_else(|_| Dag::new(schema.len()));
        let bic = Scorer::new(&rows.even(), Score::Bic).and_then(|scorer| scorer.dag(&dag));
        let log_likelihood_per_row = match loaded {
            Loaded::Model(Model { network, .. }) => {
                let recoded = rows.table.recoded(network.schema()).map_err(clausality::Error::from)?;
                let limit = session.inference_bytes();
                let found = network.log_likelihood(&recoded, limit).map_err(clausality::Error::from)?;
                Some(found.mean_of(rows.weights.as_deref()))
            }
            Loaded::Graph { .. } | Loaded::Dynamic(_) => None,
        };
        Ok(Fitness { bic: bic.map_err(clausality::Error::from)?, log_likelihood_per_row })
    }
}
