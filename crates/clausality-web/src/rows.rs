//! Rows for evidence and to test with: of the table at hand, or of CSV text that the page sends.

use crate::documents::Documents;
use clausality::Watch;
use clausality::bn::infer::Stop;
use clausality::bn::{MISSING, Schema, Table};
use clausality::data::{Absent, Bounds, Coding, Input};
use clausality::model::{Exam, HiddenCause, Model, Reading, Rows};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Rows of a text that go back to the page.
pub(crate) const MOST: usize = 1000;

/// The codes of a row in the order of the nodes; nothing where the cell is no state.
pub(crate) type Row = Vec<Option<u8>>;

/// Rows that the page sent, coded.
#[derive(Debug, Serialize)]
pub(crate) struct CodedRows {
    /// How many rows the text has.
    count: usize,
    /// The first [`MOST`] of them.
    rows: Vec<Row>,
    /// Cells that are no state of their node, by node.
    unknown: BTreeMap<String, usize>,
    /// Nodes that the text has no column for.
    absent: Vec<String>,
}

/// What is to be tested.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Tested {
    target: String,
    /// Rows that the page has; without any those at hand are taken.
    #[serde(default)]
    csv: Option<String>,
}

/// Holds the network against rows.
pub(crate) fn examine(documents: &Documents, asked: &Tested) -> Result<Exam, String> {
    let explored = documents.explored();
    let target = documents.schema().index(&asked.target);
    let target = target.ok_or_else(|| format!("there is no node {:?}", asked.target))?;
    let bounds = Bounds { memory: Some(explored.memory_limit), ..Bounds::default() };
    let found = match (&asked.csv, &explored.rows) {
        (Some(text), _) => {
            let rows = read(&documents.coding, documents.schema(), text.as_bytes())?;
            explored.model.examine(target, &rows.name, &rows.table, &bounds)
        }
        (None, Some((name, table))) => explored.model.examine(target, name, table, &bounds),
        (None, None) => return Err("there are no rows to test with: paste some, or name a table".into()),
    };
    found.map_err(|error| error.to_string())
}

/// What [`hidden_causes`] found.
#[derive(Debug, Serialize)]
pub(crate) struct Hidden {
    /// The rows it was looked for in.
    rows: usize,
    /// The pairs, the strongest first.
    hidden: Vec<Mark>,
}

/// Two nodes that perhaps have a cause in common outside the table; for either direction what speaks against it, in words.
#[derive(Debug, Serialize)]
struct Mark {
    between: [usize; 2],
    information: f64,
    p: f64,
    against: [String; 2],
}

/// Whether somebody still waits.
struct Waiting(Stop);

impl Watch for Waiting {
    fn cancelled(&self) -> bool {
        self.0.is_asked()
    }
}

/// Looks in the rows at hand for pairs that neither direction explains, as `clausality test` does.
pub(crate) fn hidden_causes(documents: &Documents, gone: Stop) -> Result<Hidden, String> {
    let explored = documents.explored();
    let Some((_, table)) = &explored.rows else {
        return Err("there are no rows to look in: name a table".into());
    };
    let found = explored.model.hidden_causes(table, explored.seed, &Waiting(gone));
    let found = found.map_err(|error| error.to_string())?;
    let mark = |cause: &HiddenCause<'_>| {
        let between = cause.between.map(|name| documents.schema().index(name).unwrap_or_default());
        let [one, other] = cause.between;
        let against = [cause.against[0].in_words(one, other), cause.against[1].in_words(other, one)];
        Mark { between, information: cause.information, p: cause.p, against }
    };
    Ok(Hidden { rows: table.rows(), hidden: found.iter().map(mark).collect() })
}

/// One row of a table.
pub(crate) fn row(table: &Table, index: usize) -> Row {
    let code = |v| Some(table.column(v)[index]).filter(|&code| code != MISSING);
    (0..table.schema().len()).map(code).collect()
}

/// How text becomes states: by the coding that the model keeps, else by the labels of the states.
pub(crate) fn coding(model: &Model) -> Result<Coding, clausality::Error> {
    Ok(Reading::default().coding(model.coding()?, model.network.schema()))
}

/// Codes CSV text for the page.
pub(crate) fn code(coding: &Coding, schema: &Schema, text: &[u8]) -> Result<CodedRows, String> {
    let Rows { table, unknown, absent, .. } = read(coding, schema, text)?;
    let rows = (0..table.rows().min(MOST)).map(|index| row(&table, index)).collect();
    Ok(CodedRows { count: table.rows(), rows, unknown, absent })
}

/// Codes CSV text, whose first line names its columns.
fn read(coding: &Coding, schema: &Schema, text: &[u8]) -> Result<Rows, String> {
    // Text as it was pasted: no row of it needs more than the text itself.
    let bounds = Bounds { decompressed: text.len() as u64, expansion: 1, ..Bounds::default() };
    let coded = Rows::code(coding, schema, Input::csv(text, "the rows"), Absent::Unknown, &bounds);
    let rows = coded.map_err(|error| error.to_string())?;
    if rows.table.rows() == 0 {
        return Err("there is no row below the line with the names of the columns".into());
    }
    if rows.absent.len() == schema.len() {
        return Err("no column is called like a node: the first line has to name the columns".into());
    }
    Ok(rows)
}
