//! `clausality test`: the independences that a network implies, held against rows.

use crate::args::table::RowOptions;
use crate::failure::Failure;
use crate::files::networks::read_model;
use crate::session::{Progress, Session};
use crate::text::{Align, Grid, chance, clean, grouped, wrap};
use clap::Args;
use clausality::data::Absent;
use clausality::model::{Drift, DriftKind, HiddenCause, Independence, MOST_PAIRS, NodeFit, TestedDocument};
use clausality::words::{counted, quoted};
use std::path::PathBuf;

/// Rows of each table that are shown; all are in `--json`.
const SHOWN: usize = 10;
/// Losses further than this from what is expected, in standard errors, are shown.
const FAR: f64 = 3.0;

/// Test a network on a table: the independences it implies, how it stands, how its tables fit, drift
///
/// Every two nodes without an arc should be independent given the parents of the later one. Each such pair is tested by G², by
/// permutations where cells are thin; those that are violated at a false-discovery rate of 5 % are named, with the arc that would mend
/// each. Pairs that depend on each other whatever is known, and of which neither can be the cause of the other, are marked: perhaps they
/// have a cause in common outside the table. --against tells where a second table differs from the first, and whether a column's drift is its own or that of its parents.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  clausality test run rows.csv\n  \
    clausality test @asia rows.csv --against later.csv")]
pub(crate) struct TestArgs {
    /// A network (.bif, .xmlbif, .xml, .net, .json, or with .gz), a run folder or @NAME
    #[arg(value_name = "MODEL")]
    pub(crate) model: PathBuf,
    /// The table: .csv, .tsv, .csv.gz, .parquet, .arrow, .feather, or - for CSV on standard input
    #[arg(value_name = "TABLE")]
    pub(crate) table: PathBuf,
    /// A second table, to tell where it differs
    #[arg(long, value_name = "TABLE2")]
    pub(crate) against: Option<PathBuf>,
    #[command(flatten)]
    reading: RowOptions,
}

pub(crate) fn run(args: TestArgs, session: &Session) -> Result<(), Failure> {
    let model = read_model(&args.model, session)?;
    let rows = args.reading.rows(&model, &args.table, Absent::Unknown, session)?;
    if !rows.absent.is_empty() {
        let nodes = counted(rows.absent.len(), "node");
        let names = quoted(&rows.absent, 8);
        session.warn(format!("the table has no column for {nodes}, of which nothing is tested: {names}"));
    }
    let against = args.against.as_deref();
    let against =
        against.map(|table| args.reading.rows(&model, table, Absent::Unknown, session)).transpose()?;
    let found = model.test(&rows, against.as_ref(), session.seed, &Progress::new(session))?;
    found.notices.iter().for_each(|notice| session.warn(notice));
    session.answer(&found, || render(&found, session))
}

fn render(found: &TestedDocument<'_>, session: &Session) -> String {
    let (width, paint) = (session.width(), session.paint());
    let head = format!("{} on {}: {}", clean(found.model), clean(found.table), counted(found.rows, "row"));
    let mut text = format!("{}\n\n", paint.bold(&head));
    let mut say = |line: String| {
        wrap(&line, width).iter().for_each(|line| text.push_str(&format!("{line}\n")));
    };
    let untested = match found.implied - found.tested {
        0 => String::new(),
        n if found.implied > MOST_PAIRS => {
            format!(" (of {}, drawn at random; {} were not looked at)", grouped(found.implied), grouped(n))
        }
        n => format!(" ({} more cannot be tested on these rows)", grouped(n)),
    };
    say(match found.violated {
        0 => format!("None of {} is violated{untested}.", counted(found.tested, "implied independence")),
        n => format!(
            "{} of {} violated at a false-discovery rate of 5 %{untested}.",
            grouped(n),
            if n == 1 {
                counted(found.tested, "implied independence") + " is"
            } else {
                counted(found.tested, "implied independence") + " are"
            }
        ),
    });
    let standing = &found.standing;
    if found.tested > 0 && standing.shuffled > 0 {
        say(format!(
            "The rows contradict {:.1} % of what the graph says of pairs, arcs included; with shuffled labels {:.1} % on average, and {} of {} do as well (p = {}).",
            100.0 * standing.violations,
            100.0 * standing.shuffled_violations,
            grouped(standing.as_good),
            grouped(standing.shuffled),
            chance(standing.p)
        ));
    }
    let mut table = |title: &str, grid: Grid, rows: usize| {
        text.push_str(&format!("\n{}\n\n{}", paint.bold(title), grid.render(width, paint)));
        if rows > SHOWN {
            text.push_str(&format!("and {} more, see --json\n", grouped(rows - SHOWN)));
        }
    };
    if found.violated > 0 {
        let worst = found.independences.iter().filter(|found| found.violated);
        table("Violated, the worst first", violated(worst.take(SHOWN)), found.violated);
    }
    if !found.hidden.is_empty() {
        let title = "Perhaps a common cause outside the table: neither direction explains these";
        table(title, hidden(found.hidden.iter().take(SHOWN)), found.hidden.len());
    }
    let far: Vec<&NodeFit<'_>> = found
        .fit
        .iter()
        .filter(|node| node.impossible > 0 || node.z.is_some_and(|z| z.abs() > FAR))
        .collect();
    if !far.is_empty() {
        table("Tables that do not fit these rows", fit(far.iter().copied().take(SHOWN)), far.len());
    }
    if let Some(drift) = &found.drift {
        let moved: Vec<&Drift<'_>> = drift.iter().filter(|drift| drift.kind != DriftKind::None).collect();
        let against = clean(found.against.unwrap_or_default()).into_owned();
        match moved.as_slice() {
            [] => text.push_str(&format!("\nNo column of {against} differs.\n")),
            moved => table(
                &format!("Columns of {against} that differ"),
                drifted(moved.iter().copied().take(SHOWN)),
                moved.len(),
            ),
        }
    }
    text
}

fn violated<'a>(found: impl Iterator<Item = &'a Independence<'a>>) -> Grid {
    let mut grid = Grid::new([
        ("arc that would mend it", Align::Wrap),
        ("given", Align::Wrap),
        ("bits", Align::Right),
        ("p", Align::Right),
        ("q", Align::Right),
    ]);
    for pair in found {
        let arc = format!("{} > {}", pair.parent, pair.child);
        let given = if pair.given.is_empty() { "nothing".to_string() } else { pair.given.join(", ") };
        grid.row([arc, given, chance(pair.information), chance(pair.p), chance(pair.q)]);
    }
    grid
}

fn hidden<'a>(found: impl Iterator<Item = &'a HiddenCause<'a>>) -> Grid {
    let mut grid = Grid::new([
        ("pair", Align::Wrap),
        ("bits at least", Align::Right),
        ("against >", Align::Wrap),
        ("against <", Align::Wrap),
    ]);
    for pair in found {
        let [one, other] = pair.between;
        let [there, back] = pair.against.each_ref().map(|witness| witness.node.to_string());
        grid.row([format!("{one} - {other}"), chance(pair.information), there, back]);
    }
    grid
}

fn fit<'a>(nodes: impl Iterator<Item = &'a NodeFit<'a>>) -> Grid {
    let mut grid = Grid::new([
        ("node", Align::Left),
        ("loss", Align::Right),
        ("expected", Align::Right),
        ("z", Align::Right),
        ("impossible rows", Align::Right),
    ]);
    for node in nodes {
        let figure =
            |figure: Option<f64>, places: usize| figure.map_or(String::new(), |x| format!("{x:.places$}"));
        grid.row([
            node.node.to_string(),
            figure(node.loss, 4),
            figure(node.expected, 4),
            figure(node.z, 1),
            grouped(node.impossible),
        ]);
    }
    grid
}

fn drifted<'a>(nodes: impl Iterator<Item = &'a Drift<'a>>) -> Grid {
    let mut grid = Grid::new([
        ("column", Align::Left),
        ("distance", Align::Right),
        ("q", Align::Right),
        ("given parents", Align::Right),
        ("drift", Align::Left),
    ]);
    for node in nodes {
        let q = |q: Option<f64>| q.map_or("-".to_string(), chance);
        let kind = match node.kind {
            DriftKind::None => "none",
            DriftKind::Inherited => "of its parents",
            DriftKind::Own => "its own",
        };
        grid.row([node.node.to_string(), chance(node.distance), q(node.q), q(node.own_q), kind.to_string()]);
    }
    grid
}
