//! Rows for evidence: of the table at hand, or of CSV text that the page sends.

use clausality::bn::{MISSING, Schema, Table};
use clausality::data::{Absent, Coded, Coding, DataParams, Limits};
use clausality::model::Model;
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
    let kept = model.coding()?;
    Ok(kept.unwrap_or_else(|| Coding::of_labels(model.network.schema(), &DataParams::default().na)))
}

/// Codes CSV text, whose first line names its columns.
pub(crate) fn code(coding: &Coding, schema: &Schema, text: &[u8]) -> Result<CodedRows, String> {
    // Text as it was pasted: no row of it needs more than the text itself.
    let limits = Limits { decompressed: text.len() as u64, expansion: 1, ..Limits::default() };
    let said = |error: clausality::Error| error.to_string();
    let coded = coding.apply_csv(text, "the rows", &limits, Absent::Unknown).map_err(said)?;
    let Coded { table, unknown, missing } = coded;
    let table = table.recoded(schema).map_err(|error| error.to_string())?;
    if table.rows() == 0 {
        return Err("there is no row below the line with the names of the columns".into());
    }
    let is_absent = |&v: &usize| {
        let name = schema.name(v);
        let said = unknown.contains_key(name) || missing.contains_key(name);
        !said && table.column(v).iter().all(|&code| code == MISSING)
    };
    let absent: Vec<String> =
        (0..schema.len()).filter(is_absent).map(|v| schema.name(v).to_string()).collect();
    if absent.len() == schema.len() {
        return Err("no column is called like a node: the first line has to name the columns".into());
    }
    let rows = (0..table.rows().min(MOST)).map(|index| row(&table, index)).collect();
    Ok(CodedRows { count: table.rows(), rows, unknown, absent })
}
