//! What the commands about networks share: reading a MODEL or STRUCTURE, rows under a network, files to write, and facts in
//! lines.

use crate::failure::Failure;
use crate::output::OutputFile;
use crate::session::Session;
use crate::table_args::{Reading, STANDARD_INPUT};
use crate::text::{self, clean, grouped};
use clap::builder::{PossibleValuesParser, TypedValueParser};
use clausality::bn::draw::Picture;
use clausality::bn::io::{Limits, Structure};
use clausality::bn::{DEFAULT_TABLE_BYTES, MISSING, Table};
use clausality::data::{Absent, Coded, Problem};
use clausality::model::{Format, Loaded, Model, Target};
use clausality::picture;
pub(crate) use clausality::words::counted;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use unicode_width::UnicodeWidthStr;

/// The largest network file that is read unless `--memory-limit` says otherwise.
const INPUT_BYTES: u64 = 256 << 20;

/// Bounds for reading a network.
pub(crate) fn limits(session: &Session) -> Limits {
    let bytes = session.memory_limit.unwrap_or(INPUT_BYTES);
    Limits {
        input_bytes: usize::try_from(bytes).unwrap_or(usize::MAX),
        table_bytes: session.memory_limit.unwrap_or(DEFAULT_TABLE_BYTES),
    }
}

/// Reads a MODEL: a network file, a run folder or `@NAME`.
pub(crate) fn read_model(argument: &Path, session: &Session) -> Result<Model, Failure> {
    Ok(Model::read(argument, &limits(session))?)
}

/// Reads a STRUCTURE: a MODEL, or a graph without probabilities.
pub(crate) fn read_structure(argument: &Path, session: &Session) -> Result<Loaded, Failure> {
    Ok(Loaded::read(argument, &limits(session))?)
}

/// Refuses to hold two graphs against each other that are not about the same thing: every figure would be that of chance. A graph
/// without nodes, such as an empty edge list, says that nothing was found.
pub(crate) fn require_shared_nodes(
    truth: (&str, &Structure),
    learned: (&str, &Structure),
) -> Result<(), Failure> {
    let names = [truth, learned].map(|(_, graph)| graph.names());
    let shared: Vec<&String> = names[0].iter().filter(|name| names[1].contains(name)).collect();
    if shared.len() >= names[0].len().min(names[1].len()).min(2) {
        return Ok(());
    }
    let what = if shared.is_empty() { "no node".to_string() } else { format!("only {}", listed(&shared, 1)) };
    let ((truth, _), (learned, _)) = (truth, learned);
    let has = |side: &str, names: &[String]| format!("{side} has {}", listed(names, 4));
    Err(Failure::Input(format!(
        "{truth}: it shares {what} with {learned}, so the two cannot be compared: {}; {}",
        has(truth, names[0]),
        has(learned, names[1])
    )))
}

/// Reads a STRUCTURE in the format that is named, else in that of its ending.
pub(crate) fn read_structure_as(
    argument: &Path,
    format: Option<Format>,
    session: &Session,
) -> Result<Loaded, Failure> {
    match format {
        Some(format) => Ok(Loaded::read_as(argument, format, &limits(session))?),
        None => read_structure(argument, session),
    }
}

/// Takes the name of a format on the command line.
pub(crate) fn format_parser() -> impl TypedValueParser<Value = Format> {
    PossibleValuesParser::new(Format::NAMES).try_map(|name| Format::named(&name).ok_or("no such format"))
}

/// The rows of a table under the states of a network.
pub(crate) struct Rows {
    /// The codes; a cell that holds none of the states is missing.
    pub(crate) table: Table,
    /// Cells without a value, by column.
    pub(crate) missing: BTreeMap<String, usize>,
    /// Cells with a value that is none of the states, by column.
    pub(crate) unknown: BTreeMap<String, usize>,
    /// Nodes without a column.
    pub(crate) absent: Vec<String>,
}

impl Rows {
    /// Reads a table (`-` is CSV on standard input) with the coding that the network keeps, else by the labels of its
    /// states, and says which cells could not be used.
    pub(crate) fn read(
        model: &Model,
        table: &str,
        reading: &Reading,
        session: &Session,
    ) -> Result<Self, Failure> {
        Rows::read_as(model, table, reading, Absent::Refuse, session)
    }

    /// The same, but nodes may be without a column: their cells are missing in every row.
    pub(crate) fn read_with_gaps(
        model: &Model,
        table: &str,
        reading: &Reading,
        session: &Session,
    ) -> Result<Self, Failure> {
        let rows = Rows::read_as(model, table, reading, Absent::Unknown, session)?;
        if rows.absent.len() == model.network.len() {
            let names: Vec<&str> = rows.table.schema().variables().iter().map(|v| v.name.as_str()).collect();
            let message = format!("no column is a node of the network (expected {})", listed(&names, 6));
            return Err(Failure::Input(format!("{}: {message}", shown_table(table))));
        }
        Ok(rows)
    }

    fn read_as(
        model: &Model,
        table: &str,
        reading: &Reading,
        absent: Absent,
        session: &Session,
    ) -> Result<Self, Failure> {
        let schema = model.network.schema();
        let coding = reading.coding(model.coding()?, schema);
        let (shown, limits) = (shown_table(table), session.limits());
        let Coded { table, unknown, missing } = match table {
            "-" => coding.apply_csv(std::io::stdin().lock(), shown, &limits, absent),
            path => coding.apply_path(Path::new(path), &limits, absent),
        }
        .map_err(column_for_node)?;
        if table.rows() == 0 {
            return Err(Failure::Input(format!("{shown}: no data rows after the header")));
        }
        let table = table.recoded(schema).map_err(clausality::Error::from)?;
        // A column that is there accounts for every cell that became missing.
        let is_absent = |&v: &usize| {
            let name = schema.name(v);
            !missing.contains_key(name)
                && !unknown.contains_key(name)
                && table.column(v).iter().all(|&code| code == MISSING)
        };
        let absent = (0..schema.len()).filter(is_absent).map(|v| schema.name(v).to_string()).collect();
        let rows = Rows { table, missing, unknown, absent };
        rows.refuse_strange_columns(shown)?;
        rows.warn(session);
        Ok(rows)
    }

    /// A column in which no cell is a state has another meaning than the variable: nothing good could come of it.
    fn refuse_strange_columns(&self, table: &str) -> Result<(), Failure> {
        for (column, &unknown) in &self.unknown {
            let gaps = self.missing.get(column).copied().unwrap_or(0);
            if unknown + gaps < self.table.rows() {
                continue;
            }
            let schema = self.table.schema();
            let states =
                schema.index(column).map(|v| schema.variable(v).states.as_slice()).unwrap_or_default();
            let mut listed = states.iter().take(6).cloned().collect::<Vec<_>>().join(", ");
            if states.len() > 6 {
                listed.push_str(&format!(" and {} more", states.len() - 6));
            }
            let cut = states.iter().any(|state| state.starts_with("<=") || state.starts_with(">="));
            let hint = if cut {
                "; a network file other than .json keeps no cut points: give the run folder or its network.json"
            } else {
                ""
            };
            return Err(Failure::Input(format!(
                "{table}: column '{column}': no cell holds a state of the network's variable (expected {listed}){hint}"
            )));
        }
        Ok(())
    }

    fn warn(&self, session: &Session) {
        let all = grouped(self.table.rows());
        for (column, &unknown) in &self.unknown {
            session.warn(format!(
                "column '{column}': in {} of {all} rows the cell is no state of the network and counts as missing",
                grouped(unknown)
            ));
        }
        for (column, &missing) in &self.missing {
            let schema = self.table.schema();
            if schema.index(column).is_some_and(|v| !schema.variable(v).has_missing_state) {
                session.warn(format!("column '{column}': no value in {} of {all} rows", grouped(missing)));
            }
        }
    }
}

impl Rows {
    /// Says how many rows are left out for want of a cell, and which columns are to blame.
    pub(crate) fn warn_of_left_out(&self, complete: &[usize], session: &Session) {
        let left_out = self.table.rows() - complete.len();
        if left_out == 0 {
            return;
        }
        let gappy = |name: &&String| {
            let column = self.table.schema().index(name).map(|v| self.table.column(v));
            column.is_some_and(|codes| codes.contains(&MISSING))
        };
        let columns: BTreeSet<&String> =
            self.missing.keys().chain(self.unknown.keys()).filter(gappy).collect();
        let columns: Vec<&String> = columns.into_iter().collect();
        session.warn(format!(
            "{} of {} rows are left out for missing cells in {}",
            grouped(left_out),
            grouped(self.table.rows()),
            listed(&columns, 8)
        ));
    }
}

/// A column that the network needs and the table does not have, said in terms of the network.
fn column_for_node(error: clausality::Error) -> Failure {
    if let clausality::Error::Table { place, problem } = &error {
        let problem: &Problem = problem;
        if let Problem::UnknownColumn { name, closest, .. } = problem {
            let near = closest.as_ref().map_or(String::new(), |near| format!("; did you mean '{near}'?"));
            let message = format!("{place}there is no column for node '{name}' of the network{near}");
            return Failure::Input(message);
        }
    }
    error.into()
}

/// A table as messages name it.
pub(crate) fn shown_table(table: &str) -> &str {
    if table == "-" { STANDARD_INPUT } else { table }
}

/// Files for a network or graph, reserved before the work.
pub(crate) struct Outputs(Vec<(Target, OutputFile, PathBuf)>);

impl Outputs {
    /// Makes sure that every file can be written in the format of its ending.
    pub(crate) fn reserve(paths: &[PathBuf]) -> Result<Self, Failure> {
        Outputs::reserve_as(paths, None)
    }

    /// The same in the format that is named, whatever the endings.
    pub(crate) fn reserve_as(paths: &[PathBuf], format: Option<Format>) -> Result<Self, Failure> {
        let mut reserved = Vec::with_capacity(paths.len());
        for path in paths {
            let target =
                format.map_or_else(|| Target::of(path), |format| Ok(Target::as_format(path, format)))?;
            reserved.push((target, path));
        }
        let files = reserved
            .into_iter()
            .map(|(target, path)| OutputFile::reserve(path).map(|file| (target, file, path.clone())));
        Ok(Outputs(files.collect::<Result<_, _>>()?))
    }

    /// Whether one of them is a drawing.
    pub(crate) fn has_picture(&self) -> bool {
        self.0.iter().any(|(target, ..)| target.is_picture())
    }

    /// Writes the files; what a format cannot keep is said.
    pub(crate) fn write(self, loaded: &Loaded, session: &Session) -> Result<(), Failure> {
        self.write_with(loaded, || picture::of(loaded), session)
    }

    /// The same with a picture that shows more than the network alone.
    pub(crate) fn write_with(
        self,
        loaded: &Loaded,
        picture: impl Fn() -> Picture,
        session: &Session,
    ) -> Result<(), Failure> {
        // Nothing is put in place before everything is known to be writable.
        let mut written = Vec::with_capacity(self.0.len());
        for (target, file, path) in self.0 {
            let bytes = if target.is_picture() { target.draw(&picture()) } else { target.write(loaded) };
            written.push((bytes?, target, file, path));
        }
        let structure = loaded.structure();
        for (bytes, target, file, path) in written {
            file.write(&bytes)?;
            let isolated: Vec<&str> = structure.isolated().collect();
            if !target.keeps_isolated_nodes() && !isolated.is_empty() {
                session.warn(format!(
                    "{}: an edge list cannot hold nodes without arcs: {} left out",
                    path.display(),
                    listed(&isolated, 5)
                ));
            }
        }
        Ok(())
    }
}

/// Names in quotes; of many, the first few and how many more.
pub(crate) fn listed(names: &[impl AsRef<str>], most: usize) -> String {
    let quoted = |name: &dyn AsRef<str>| format!("'{}'", name.as_ref());
    let mut shown: Vec<String> = names.iter().take(most).map(|name| quoted(name)).collect();
    if names.len() > most {
        shown.push(format!("and {} more", grouped(names.len() - most)));
    }
    shown.join(", ")
}

/// Lines of a label and a value, the values below each other and wrapped.
pub(crate) fn facts(facts: &[(&str, String)], session: &Session) -> String {
    let margin = facts.iter().map(|(label, _)| label.width()).max().unwrap_or(0) + 2;
    let mut out = String::new();
    for (label, value) in facts {
        let value = clean(value);
        for (k, line) in text::wrap(&value, session.width().saturating_sub(margin)).iter().enumerate() {
            let label = if k == 0 { label } else { "" };
            let blank = " ".repeat(margin - label.width());
            out.push_str(format!("{label}{blank}{line}").trim_end());
            out.push('\n');
        }
    }
    out
}
