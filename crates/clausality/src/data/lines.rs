//! Where the rows of a table stand in its file.

/// The line of every row. Rows follow each other line by line but where a cell has a line break or a line is blank, so only the
/// rows after such a place are kept.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Lines {
    /// A row and its line, wherever that is not the one after the row before.
    known: Vec<(usize, u64)>,
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

    /// A row in words: by its line, else by its number.
    pub(crate) fn place(&self, row: usize) -> String {
        self.line(row).map_or_else(|| format!("row {}", row + 1), |line| format!("line {line}"))
    }

    /// The lines of these rows, which rise.
    pub(in crate::data) fn only(&self, rows: &[usize]) -> Self {
        let mut lines = Lines::default();
        for (place, &row) in rows.iter().enumerate() {
            if let Some(line) = self.line(row) {
                lines.note(place, line);
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
    }
}
