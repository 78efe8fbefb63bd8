//! Where the rows of a table stand in its file.

use crate::error::Place;

/// The line of every row. Rows follow each other line by line but where a cell has a line break or a line is blank, so only the
/// rows after such a place are kept.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Lines {
    /// A row and its line, wherever that is not the one after the row before.
    known: Vec<(usize, u64)>,
    /// Of a table in several files: the first row of each, and its name.
    files: Vec<(usize, String)>,
}

impl Lines {
    /// Notes where the next row begins.
    #[inline]
    pub(in crate::data) fn note(&mut self, row: usize, line: u64) {
        if self.line(row) != Some(line) {
            self.known.push((row, line));
        }
    }

    /// The line of a row, counted from 1, if the table is text.
    #[inline]
    pub(in crate::data) fn line(&self, row: usize) -> Option<u64> {
        let after = match self.known.last() {
            Some(&(last, _)) if last <= row => self.known.len(),
            _ => self.known.partition_point(|&(known, _)| known <= row),
        };
        let &(known, line) = self.known.get(after.checked_sub(1)?)?;
        Some(line + (row - known) as u64)
    }

    /// Notes that another file begins with a row; `first` is the one that came before all others.
    pub(in crate::data) fn go_on(&mut self, first: &str, row: usize, file: &str) {
        if self.files.is_empty() {
            self.files.push((0, first.to_string()));
        }
        self.files.push((row, file.to_string()));
    }

    /// The file of a row, where there are several.
    fn file(&self, row: usize) -> Option<&str> {
        let after = self.files.partition_point(|&(first, _)| first <= row);
        Some(&self.files.get(after.checked_sub(1)?)?.1)
    }

    /// A row in words: by its line, else by its number; and by its file where there are several.
    pub(crate) fn place(&self, row: usize) -> String {
        match (self.line(row), self.file(row)) {
            (Some(line), Some(file)) => format!("line {line} of {file}"),
            (Some(line), None) => format!("line {line}"),
            (None, _) => format!("row {}", row + 1),
        }
    }

    /// Where a row of a table stands, and in words what a place cannot say: the number of the row where there are no lines.
    pub(crate) fn locate(&self, table: &str, row: usize) -> (Place, String) {
        let file = self.file(row).unwrap_or(table).to_string();
        match self.line(row) {
            Some(line) => (Place { file, line: Some(line), column: None }, String::new()),
            None => (Place::file(&file), format!("row {}: ", row + 1)),
        }
    }

    /// The lines of these rows, which rise.
    pub(in crate::data) fn only(&self, rows: &[usize]) -> Self {
        let mut lines = Lines::default();
        for (place, &row) in rows.iter().enumerate() {
            if let Some(line) = self.line(row) {
                lines.note(place, line);
            }
            if let Some(file) = self.file(row)
                && lines.file(place) != Some(file)
            {
                lines.files.push((place, file.to_string()));
            }
        }
        lines
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_that_follow_each_other_are_kept_once() {
        let mut lines = Lines::default();
        [2, 3, 4, 7, 8].into_iter().enumerate().for_each(|(row, line)| lines.note(row, line));
        assert_eq!(lines.known, [(0, 2), (3, 7)]);
        assert_eq!((0..5).map(|row| lines.line(row).unwrap()).collect::<Vec<_>>(), [2, 3, 4, 7, 8]);
        assert_eq!((lines.place(4).as_str(), Lines::default().place(4).as_str()), ("line 8", "row 5"));
        assert_eq!(lines.only(&[0, 2, 4]).known, [(0, 2), (1, 4), (2, 8)]);
        lines.go_on("a.csv", 5, "b.csv");
        [2, 3].into_iter().zip(5..).for_each(|(line, row)| lines.note(row, line));
        assert_eq!([0, 6].map(|row| lines.place(row)), ["line 2 of a.csv", "line 3 of b.csv"]);
        assert_eq!([0, 1].map(|row| lines.only(&[4, 6]).place(row)), ["line 8 of a.csv", "line 3 of b.csv"]);
    }
}
