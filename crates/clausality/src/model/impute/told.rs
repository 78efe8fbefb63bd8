//! What was filled: the table with it, what deserves to be said, and the document.

use super::{
    COUNTER, ColumnFills, Fill, FilledCells, Imputed, ImputedDocument, LeftColumn, NO_NODE, OF_A_DATE,
};
use crate::gaps::Following;
use crate::words::{counted, first_of, grouped, part_of, quoted};
use std::borrow::Cow;
use std::io::{self, Write};

impl Imputed<'_> {
    /// Writes the table with its gaps filled; every other byte stays. Several copies stand below each other, counted in a first column
    /// `imputation`.
    ///
    /// # Errors
    /// What the writer says.
    pub fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let mut of_column: Vec<Option<usize>> = vec![None; self.sheet.columns().len()];
        self.fills.iter().enumerate().for_each(|(k, fills)| of_column[fills.column] = Some(k));
        let mut next = vec![0; self.fills.len()];
        let mut current = 0;
        let fill = |copy: usize, row: usize, column: usize| {
            if copy != current {
                current = copy;
                next.fill(0);
            }
            let k = of_column[column]?;
            let fills = &self.fills[k];
            if fills.rows.get(next[k]) != Some(&row) {
                return None;
            }
            next[k] += 1;
            self.text(fills, copy, next[k] - 1)
        };
        let mut name = COUNTER.to_string();
        while self.sheet.columns().contains(&name) {
            name.insert(0, '.');
        }
        let several = self.how.draws.filter(|&draws| draws > 1);
        self.sheet.write(several.map(|draws| (name.as_str(), draws)), out, fill)
    }

    /// What stands in a gap of a copy; nothing if it stays one.
    fn text<'s>(&'s self, fills: &'s ColumnFills, copy: usize, gap: usize) -> Option<Cow<'s, [u8]>> {
        match fills.copies[copy][gap] {
            Fill::Left => None,
            Fill::State(state) => Some(Cow::Borrowed(&fills.words[usize::from(state)][..])),
            Fill::Cell(place) => Some(self.sheet.text(place)),
        }
    }

    /// The columns with gaps by name: the rows of their gaps (from 0, ascending), and for every copy what stands in each.
    pub fn filled(&self) -> impl Iterator<Item = (&str, &[usize], Vec<FilledCells<'_>>)> {
        self.fills.iter().map(|fills| {
            let copy = |copy| (0..fills.rows.len()).map(|gap| self.text(fills, copy, gap)).collect();
            let copies = (0..fills.copies.len()).map(copy).collect();
            (self.sheet.columns()[fills.column].as_str(), fills.rows.as_slice(), copies)
        })
    }

    /// Which gaps stay, and what told nothing.
    pub fn notices(&self) -> Vec<String> {
        let rows = self.rows.table.rows();
        let strange = self.rows.unknown.iter().map(|(column, &unknown)| {
            format!(
                "column '{column}': in {} the cell is no state of the network: it stays as it is and tells nothing",
                part_of(unknown, rows, "row")
            )
        });
        let dates = self.left.iter().filter(|left| left.reason == OF_A_DATE).map(|left| {
            format!("column '{}': {} stay: {}", left.name, counted(left.gaps, "gap"), left.reason)
        });
        let rare = self.columns.iter().filter(|column| column.rare > 0).map(|column| {
            format!(
                "column '{}': in {} what rare values share is more probable than any one value: the most probable value stands there",
                column.name,
                part_of(column.rare, column.filled * self.how.draws.unwrap_or(1), "gap")
            )
        });
        let used = |column: &str| !self.rows.unused.iter().any(|unused| unused == column);
        let zones = self.sheet.zones().iter().filter(|(column, _)| used(column.as_str()));
        let zones = zones.map(|(column, told)| format!("column '{column}': {told}"));
        let mut said: Vec<String> = strange.chain(dates).chain(rare).chain(zones).collect();
        if !self.rows.absent.is_empty() {
            said.push(format!(
                "{} of the network without a column in the table count as unknown: {}",
                counted(self.rows.absent.len(), "node"),
                quoted(&self.rows.absent, 8)
            ));
        }
        let strangers: Vec<&LeftColumn> = self.left.iter().filter(|left| left.reason == NO_NODE).collect();
        if !strangers.is_empty() {
            let counts = strangers.iter().map(|left| format!("'{}' ({})", left.name, grouped(left.gaps)));
            said.push(format!(
                "columns that are no nodes of the network keep their gaps: {}",
                first_of(counts, 8)
            ));
        }
        if let [first, others @ ..] = &self.following[..] {
            let Following { column, how, .. } = first;
            let more =
                if others.is_empty() { String::new() } else { format!(" (and {} more)", others.len()) };
            said.push(format!(
                "gaps of '{column}' follow from another column ({how}){more}: where there can be no value the one written there means nothing"
            ));
        }
        let (gaps, filled) = self.totals();
        if filled < gaps {
            let left = counted(gaps - filled, "gap");
            said.push(format!("{left} stay: their rows are impossible under the network"));
        }
        said
    }

    /// The gaps of all columns that the network has, and how many of them were filled.
    pub fn totals(&self) -> (usize, usize) {
        self.columns.iter().fold((0, 0), |sum, column| (sum.0 + column.gaps, sum.1 + column.filled))
    }

    /// The document.
    pub fn document(&self, file: String) -> ImputedDocument<'_> {
        let (gaps, filled) = self.totals();
        ImputedDocument {
            model: self.source,
            table: &self.rows.name,
            rows: self.rows.table.rows(),
            draws: self.how.draws,
            written: self.how.write,
            gaps,
            filled,
            columns: &self.columns,
            left: &self.left,
            following: &self.following,
            absent_columns: &self.rows.absent,
            unknown_cells: &self.rows.unknown,
            file,
            seed: self.how.seed,
            version: env!("CARGO_PKG_VERSION"),
        }
    }
}
