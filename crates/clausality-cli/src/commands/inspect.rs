//! `clausality inspect`: what each column of a table is, and what would become of it.

use crate::failure::Failure;
use crate::session::Session;
use crate::table_args::TableArgs;
use crate::text::{Align, Grid, grouped};
use clap::Args;
use clausality::data::{ColumnReport, Dataset, Decision, VariableReport};
use serde::Serialize;

/// Show each column of a table: type, levels, gaps, suggested role, and what would be dropped and why
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  clausality inspect customers.csv\n  \
    clausality inspect customers.csv --type Zip=categorical --levels 'Size=S<M<L' --bins 3")]
pub(crate) struct InspectArgs {
    #[command(flatten)]
    table: TableArgs,
}

/// The JSON document.
#[derive(Serialize)]
struct Inspection<'a> {
    table: &'a str,
    rows: usize,
    variables: usize,
    fingerprint: String,
    columns: &'a [ColumnReport],
    warnings: Vec<&'a str>,
    version: &'static str,
}

pub(crate) fn run(args: InspectArgs, session: &Session) -> Result<(), Failure> {
    let dataset = args.table.read(session)?;
    let name = args.table.name();
    if session.json {
        return session.print_json(&Inspection {
            table: name,
            rows: dataset.table.rows(),
            variables: dataset.table.schema().len(),
            fingerprint: dataset.fingerprint.to_string(),
            columns: &dataset.report,
            warnings: dataset.warnings.iter().map(|warning| warning.message.as_str()).collect(),
            version: env!("CARGO_PKG_VERSION"),
        });
    }
    session.print(&render(name, &dataset, session))
}

fn render(name: &str, dataset: &Dataset, session: &Session) -> String {
    let mut grid = Grid::new([
        ("column", Align::Left),
        ("type", Align::Left),
        ("values", Align::Right),
        ("missing", Align::Right),
        ("role", Align::Left),
        ("states", Align::Left),
    ]);
    for column in &dataset.report {
        let values =
            format!("{}{}", if column.distinct_is_exact { "" } else { "≥" }, grouped(column.distinct));
        let missing = if column.missing > 0 { grouped(column.missing) } else { "-".into() };
        let kind = column.kind.to_string();
        match (column.decision, column.role) {
            (Decision::Dropped, _) | (_, None) => {
                grid.row([&column.name, &kind, &values, &missing, "dropped", &column.reason]);
            }
            (Decision::Kept, Some(role)) => {
                let states = column.variables.first().map(states).unwrap_or_default();
                grid.row([&column.name, &kind, &values, &missing, &role.to_string(), &states]);
            }
            (Decision::Derived, Some(role)) => {
                grid.row([&column.name, &kind, &values, &missing, "", &column.reason]);
                for variable in &column.variables {
                    let name = format!("  {}", variable.name);
                    grid.row([&name, "ordered", "", "", &role.to_string(), &states(variable)]);
                }
            }
        }
    }
    let (paint, width) = (session.paint(), session.width());
    let head = format!(
        "{}: {} rows, {} columns, {} variables",
        crate::text::clean(name),
        grouped(dataset.table.rows()),
        dataset.report.len(),
        dataset.table.schema().len()
    );
    format!("{}\n\n{}", paint.bold(&head), grid.render(width, paint))
}

/// The states in a line; of many, the first few and how many more.
fn states(variable: &VariableReport) -> String {
    const SHOWN: usize = 6;
    let labels: Vec<&str> = variable.states.iter().map(|state| state.label.as_str()).collect();
    if labels.len() <= SHOWN + 1 {
        return labels.join(" | ");
    }
    format!("{} | … {} more", labels[..SHOWN].join(" | "), labels.len() - SHOWN)
}
