//! `clausality inspect`: what each column of a table is, and what would become of it.

use crate::args::table::TableArgs;
use crate::args::time::TimeOptions;
use crate::failure::Failure;
use crate::files::output::OutputFile;
use crate::session::Session;
use crate::show::gaps::told;
use crate::show::{series, twins};
use crate::text::{Align, Grid, TIED, clean, grouped, shortened, wrap};
use clap::Args;
use clausality::bn::{Scale, Table};
use clausality::data::{
    ColumnReport, DataSettings, Dataset, Decision, Fingerprint, Kind, Twin, VariableReport, csv_cell,
};
use clausality::gaps::{self, Gaps};
use clausality::time::{Course, Timeline};
use clausality::words::counted;
use serde::Serialize;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

/// Show each column of a table: type, levels, gaps, suggested role, and what would be dropped and why
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  clausality inspect customers.csv\n  \
    clausality inspect customers.csv --type Zip=categorical --levels 'Size=S<M<L' --bins 3")]
pub(crate) struct InspectArgs {
    #[command(flatten)]
    table: TableArgs,
    #[command(flatten)]
    time: TimeOptions,
    /// Write the coded table (each cell its state) to this CSV file
    #[arg(long, short, value_name = "FILE.csv")]
    output: Option<PathBuf>,
}

impl InspectArgs {
    /// The files that it reads.
    pub(crate) fn inputs(&self) -> Vec<&Path> {
        vec![self.table.path()]
    }
}

/// The JSON document.
#[derive(Serialize)]
struct Inspection<'a> {
    table: &'a str,
    rows: usize,
    variables: usize,
    fingerprint: &'a Fingerprint,
    columns: &'a [ColumnReport],
    #[serde(skip_serializing_if = "Option::is_none")]
    gaps: Option<Gaps>,
    #[serde(skip_serializing_if = "Option::is_none")]
    time: Option<Course>,
    warnings: Vec<&'a str>,
    twins: &'a [Twin],
    params: &'a DataSettings,
    seed: u64,
    version: &'static str,
}

pub(crate) fn run(args: InspectArgs, session: &Session) -> Result<(), Failure> {
    let settings = session.settings(&[args.table.options(), &args.time])?;
    settings.check()?;
    let params = settings.data;
    let output = args.output.as_deref().map(OutputFile::reserve).transpose()?;
    let dataset = args.table.inspect(&params, session)?;
    if output.is_some() && dataset.beyond.is_some() {
        let expected = "at least the rows of the table where all of them are to be written";
        let value = params.rows_held.to_string();
        return Err(clausality::Error::Setting { name: "rows-held", value, expected }.into());
    }
    let name = &*args.table.name();
    let gaps = gaps::look(&dataset);
    let timeline = dataset.sequence.is_some().then(|| Timeline::new(&dataset, &settings.time)).transpose()?;
    let time = timeline.map(|timeline| timeline.course);
    if session.json {
        session.print_json(&Inspection {
            table: name,
            rows: dataset.rows,
            variables: dataset.table.schema().len(),
            fingerprint: &dataset.fingerprint,
            columns: &dataset.report,
            gaps,
            time,
            warnings: dataset.notices.iter().map(|notice| notice.message.as_str()).collect(),
            twins: &dataset.twins,
            params: &params,
            seed: session.seed,
            version: env!("CARGO_PKG_VERSION"),
        })?;
    } else {
        let about_gaps = gaps.map(|gaps| told(&gaps, &dataset.report, session)).unwrap_or_default();
        let about_time = time.map(|course| series::told(&course, session)).unwrap_or_default();
        session.print(&(render(name, &dataset, session) + &about_gaps + &about_time))?;
    }
    if let (Some(output), Some(path)) = (output, &args.output) {
        output.write_with(|file| write_coded(&dataset.table, file))?;
        session.note(format!("wrote the coded table to {}", path.display()));
    }
    Ok(())
}

fn render(name: &str, dataset: &Dataset, session: &Session) -> String {
    let gaps = dataset.report.iter().any(|column| column.missing > 0);
    let mut grid = Grid::new(
        [("column", Align::Left), ("type", Align::Left), ("values", Align::Right)]
            .into_iter()
            .chain(gaps.then_some(("missing", Align::Right)))
            .chain([("role", Align::Left), ("states or reason", Align::Wrap)]),
    );
    for column in &dataset.report {
        let values = if column.distinct_is_exact { grouped(column.distinct) } else { "many".into() };
        let missing = if column.missing > 0 { grouped(column.missing) } else { "-".into() };
        let start = |name: String, kind: &str, values: String, missing: String| {
            [name, kind.to_string(), values].into_iter().chain(gaps.then_some(missing))
        };
        let about = start(column.name.clone(), &column.kind.to_string(), values, missing);
        match (column.decision, column.role) {
            (Decision::Dropped, _) | (_, None) => {
                grid.dim_row(about.chain(["dropped".into(), column.reason.clone()]))
            }
            (Decision::Kept, Some(role)) => {
                let by_count = column.kind == Kind::Categorical;
                let states = column.variables.first().map(|one| states(one, by_count)).unwrap_or_default();
                grid.row(about.chain([role.to_string(), states]));
            }
            (Decision::Derived, Some(role)) => {
                grid.row(about.chain([String::new(), column.reason.clone()]));
                for variable in &column.variables {
                    let name = format!("{TIED}{TIED}{}", variable.name);
                    let scale = dataset
                        .table
                        .schema()
                        .index(&variable.name)
                        .map(|v| dataset.table.schema().variable(v).scale);
                    let kind = if scale == Some(Scale::Circular) { "circular" } else { "ordered" };
                    let about = start(name, kind, String::new(), String::new());
                    grid.row(about.chain([role.to_string(), states(variable, false)]));
                }
            }
        }
    }
    let (paint, width) = (session.paint(), session.width());
    let (columns, variables) = (dataset.report.len(), dataset.table.schema().len());
    let end = if gaps { "" } else { ", no missing values" };
    let head = format!(
        "{}: {}, {}, {}{end}",
        clean(name),
        counted(dataset.rows, "row"),
        counted(columns, "column"),
        counted(variables, "variable")
    );
    let few = match dataset.table.schema().len() {
        0 => "\nNo column can be used; learning needs at least 2.\n",
        1 if dataset.sequence.is_none() => "\nOnly one column can be used; learning needs at least 2.\n",
        _ => "",
    };
    let twins = twins::section(&dataset.twins, width, paint);
    let head: Vec<String> = wrap(&head, width).iter().map(|line| paint.bold(line)).collect();
    format!("{}\n\n{}{few}{twins}", head.join("\n"), grid.render(width, paint))
}

/// The states in a line that breaks between states only; of many, the first few and how many more. Without an order of their own the
/// frequent ones come first.
fn states(variable: &VariableReport, by_count: bool) -> String {
    const SHOWN: usize = 7;
    let all = variable.states.len();
    let shown = if all > SHOWN { SHOWN - 1 } else { all };
    let mut text = String::new();
    let mut order: Vec<_> = variable.states.iter().collect();
    if by_count {
        order.sort_by_key(|state| std::cmp::Reverse(state.rows));
    }
    for (k, state) in order.into_iter().take(shown).enumerate() {
        if k > 0 {
            text.extend([TIED, '|', ' ']);
        }
        text.push_str(&shortened(&state.label, 24).replace(' ', &TIED.to_string()));
    }
    if shown < all {
        text.push_str(&format!("{TIED}| and{TIED}{}{TIED}more", all - shown));
    }
    text
}

/// Writes the table of state labels as CSV, row by row: as a text it would take many times what it takes in codes.
fn write_coded(table: &Table, out: &mut dyn Write) -> io::Result<()> {
    let mut out = BufWriter::with_capacity(1 << 16, out);
    let variables = table.schema().variables();
    let labels: Vec<Vec<String>> =
        variables.iter().map(|v| v.states.iter().map(|s| csv_cell(s)).collect()).collect();
    out.write_all(variables.iter().map(|v| csv_cell(&v.name)).collect::<Vec<_>>().join(",").as_bytes())?;
    out.write_all(b"\n")?;
    for row in 0..table.rows() {
        for (v, labels) in labels.iter().enumerate() {
            if v > 0 {
                out.write_all(b",")?;
            }
            let label = labels.get(usize::from(table.column(v)[row])).map_or("", String::as_str);
            out.write_all(label.as_bytes())?;
        }
        out.write_all(b"\n")?;
    }
    out.flush()
}

#[cfg(test)]
mod tests {
    use super::*;
    use clausality::Bounds;
    use clausality::data::{self, Input};

    #[test]
    fn the_coded_table_reads_back_as_categories_of_the_same_names() {
        let text =
            "a,\"b, c\"\n".to_string() + &"1.5,x\n2.5,\"say \"\"y\"\"\"\n3.5,\n4.5,z z\n9,x\n".repeat(30);
        let params = DataSettings::default();
        let dataset = data::read(Input::csv(text.as_bytes(), "t"), &params, &Bounds::default()).unwrap();
        let mut written = Vec::new();
        write_coded(&dataset.table, &mut written).unwrap();
        let again = data::read(Input::csv(&written[..], "t"), &params, &Bounds::default()).unwrap();
        for (v, variable) in dataset.table.schema().variables().iter().enumerate() {
            let twin = again.table.schema().variable(v);
            assert_eq!(variable.name, twin.name);
            for row in 0..dataset.table.rows() {
                let label = |table: &Table, v: usize| {
                    table.schema().variable(v).states.get(usize::from(table.column(v)[row])).cloned()
                };
                assert_eq!(label(&dataset.table, v), label(&again.table, v));
            }
        }
    }
}
