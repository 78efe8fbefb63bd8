//! Rows for evidence and to test with: of the table at hand, or of CSV text that the page sends.

use crate::documents::Documents;
use clausality::Watch;
use clausality::bn::infer::Stop;
use clausality::bn::{MISSING, Schema, Table};
use clausality::data::{Absent, Bounds, Coding, Input};
use clausality::model::{Exam, HiddenCause, Model, Reading, Rows};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;

/// Rows of a text that go back to the page.
pub(crate) const MOST: usize = 1000;
/// Violated independences that go to the page.
const SHOWN: usize = 50;

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
            read(&documents.coding, documents.schema(), text.as_bytes())?;
            // The same with what the rows weigh.
            let input = Input::csv(text.as_bytes(), "the rows");
            Rows::read(&explored.model, input, &Reading::default(), Absent::Unknown, &bounds)
                .and_then(|rows| explored.model.examine(target, &rows, &bounds))
        }
        (None, Some(rows)) => explored.model.examine(target, rows, &bounds),
        (None, None) => return Err("there are no rows to test with: paste some, or name a table".into()),
    };
    found.map_err(|error| error.to_string())
}

/// Whether somebody still waits.
struct Waiting(Stop);

impl Watch for Waiting {
    fn cancelled(&self) -> bool {
        self.0.is_asked()
    }
}

/// Holds the network against the rows at hand, as `clausality test` does: its document, with what speaks against either direction of a marked pair in words.
pub(crate) fn on_trial(documents: &Documents, gone: Stop) -> Result<Value, String> {
    let explored = documents.explored();
    let Some(rows) = &explored.rows else {
        return Err("there are no rows to test with: name a table".into());
    };
    let found = explored.model.test(rows, None, explored.seed, &Waiting(gone));
    let mut found = found.map_err(|error| error.to_string())?;
    found.independences.retain(|pair| pair.violated);
    found.independences.truncate(SHOWN);
    let against = |cause: &HiddenCause<'_>| {
        let [one, other] = cause.between;
        [cause.against[0].in_words(one, other), cause.against[1].in_words(other, one)]
    };
    let words: Vec<[String; 2]> = found.hidden.iter().map(against).collect();
    let mut document = serde_json::to_value(&found).map_err(|error| error.to_string())?;
    for (mark, words) in document["hidden"].as_array_mut().into_iter().flatten().zip(words) {
        mark["against"] = words.as_slice().into();
    }
    Ok(document)
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
