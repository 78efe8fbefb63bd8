//! Rows as the page has them: of the table at hand, or of CSV text that it sends.

use clausality::bn::{MISSING, Schema, Table};
use clausality::data::{Absent, Bounds, Coding, Input};
use clausality::model::{Model, Reading, Rows};
use serde::Serialize;
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
pub(crate) fn read(coding: &Coding, schema: &Schema, text: &[u8]) -> Result<Rows, String> {
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
