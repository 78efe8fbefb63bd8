//! Edge lists: CSV with one arc in a row.
//!
//! ```text
//! parent,child
//! asia,tub
//! ```
//!
//! Read: a header whose first two columns are `parent,child`, `from,to` or `source,target` (case ignored), further columns
//! passed over, commas, semicolons or tabs between cells, quotes as in any CSV. An arc that stands twice is there once.
//! A node without arcs cannot be written down in this format.
//!
//! The grammar is that of the crate `csv`, by its core, which tells where each cell stands. It accepts text after a closing
//! quote and quotes that are never closed; here both are faults.

use super::structure::Draft;
use super::{Limits, Structure, at, text};
use crate::Error;
use crate::error::shown;
use csv_core::{ReadFieldResult, Reader, ReaderBuilder, Terminator};
use std::borrow::Cow;

/// Headers that say which node an arc comes from and which it goes to.
const HEADERS: [[&str; 2]; 3] = [["parent", "child"], ["from", "to"], ["source", "target"]];

/// What may stand between rows, and after a closing quote.
const BLANK: [char; 3] = ['\r', '\n', ' '];

/// Reads a graph from the bytes of an edge list.
///
/// # Errors
/// [`Error::At`] with line and column for whatever is wrong with the text; [`Error::InputSize`] for what is too large.
pub fn read(bytes: &[u8], limits: &Limits) -> Result<Structure, Error> {
    let text = text(bytes, limits)?;
    let mut rows = Rows::new(text);
    let fail = |offset, message: String| Err(at(text, offset, Error::Syntax(message)));
    let Some(header) = rows.row()? else {
        return fail(0, "the file is empty: expected a header 'parent,child' and one arc in a row".into());
    };
    if !is_header(&header) {
        let names: Vec<String> = header.first.iter().map(|(name, _)| shown(name)).collect();
        let found = names.join(",");
        return fail(
            0,
            format!("expected a header that begins with 'parent,child' or 'from,to', found '{found}'"),
        );
    }
    let mut draft = Draft::default();
    while let Some(row) = rows.row()? {
        if row.cells != header.cells {
            let message =
                format!("this row has {} cells, but the header names {} columns", row.cells, header.cells);
            return fail(row.first[0].1, message);
        }
        let mut ends = [0; 2];
        for (end, (name, offset)) in ends.iter_mut().zip(&row.first) {
            if name.is_empty() {
                return fail(*offset, "a node has an empty name: expected a parent and a child".into());
            }
            *end = draft.node(name);
        }
        draft.arc(text, ends[0], ends[1], row.first[0].1)?;
    }
    draft.finish(text)
}

/// The arcs of a graph as an edge list; nodes without arcs are not in it. Where arcs are known to live mostly from gaps, a third column says of
/// which this is true.
pub fn write(structure: &Structure) -> String {
    let marked = structure.has_gap_arcs();
    let mut out = String::from(if marked { "parent,child,gaps\n" } else { "parent,child\n" });
    for (parent, child, gaps) in structure.marked_arcs() {
        let mark = match (marked, gaps) {
            (false, _) => "",
            (true, true) => ",true",
            (true, false) => ",false",
        };
        out.extend([&quoted(parent), ",", &quoted(child), mark, "\n"]);
    }
    out
}

/// A cell as it must stand in the file.
fn quoted(name: &str) -> Cow<'_, str> {
    let awkward = |c: char| matches!(c, ',' | ';' | '\t' | '"' | '\n' | '\r');
    if name.trim() == name && !name.is_empty() && !name.contains(awkward) {
        return Cow::Borrowed(name);
    }
    Cow::Owned(format!("\"{}\"", name.replace('"', "\"\"")))
}

fn is_header(row: &Row<'_>) -> bool {
    let names: Vec<String> = row.first.iter().map(|(name, _)| name.trim().to_lowercase()).collect();
    HEADERS.iter().any(|header| names == header)
}

/// The first character that can stand between the cells of the header.
fn separator(text: &str) -> u8 {
    let line = text.trim_start().lines().next().unwrap_or_default();
    line.bytes().find(|b| matches!(b, b',' | b';' | b'\t')).unwrap_or(b',')
}

/// A row: its first two cells with their offsets, and how many cells there are.
struct Row<'a> {
    first: Vec<(Cow<'a, str>, usize)>,
    cells: usize,
}

struct Rows<'a> {
    text: &'a str,
    next: usize,
    reader: Reader,
    /// The cell being read, without its quotes.
    cell: Vec<u8>,
}

impl<'a> Rows<'a> {
    fn new(text: &'a str) -> Self {
        let reader =
            ReaderBuilder::new().delimiter(separator(text)).terminator(Terminator::Any(b'\n')).build();
        Rows { text, next: 0, reader, cell: vec![0; text.len()] }
    }

    /// The next row that is not blank.
    fn row(&mut self) -> Result<Option<Row<'a>>, Error> {
        let rest = &self.text[self.next..];
        self.next += rest.len() - rest.trim_start_matches(BLANK).len();
        if self.next == self.text.len() {
            return Ok(None);
        }
        let mut row = Row { first: Vec::with_capacity(2), cells: 0 };
        loop {
            let offset = self.next;
            let (cell, last) = self.cell()?;
            row.cells += 1;
            if row.first.len() < 2 {
                row.first.push((cell, offset));
            }
            if last {
                return Ok(Some(row));
            }
        }
    }

    /// A cell, and whether it is the last of its row.
    fn cell(&mut self) -> Result<(Cow<'a, str>, bool), Error> {
        let start = self.next;
        let mut length = 0;
        let last = loop {
            // Cells are not longer than the text, and an empty input tells the reader that it is over.
            let input = &self.text.as_bytes()[self.next..];
            let (result, read, written) = self.reader.read_field(input, &mut self.cell[length..]);
            self.next += read;
            length += written;
            match result {
                ReadFieldResult::Field { record_end } => break record_end,
                ReadFieldResult::End => break true,
                ReadFieldResult::InputEmpty | ReadFieldResult::OutputFull => {}
            }
        };
        let end = if last { self.next } else { self.next - 1 };
        let raw = &self.text[start..end];
        let Some(body) = raw.strip_prefix('"') else { return Ok((Cow::Borrowed(raw.trim()), last)) };
        let fail = |offset, message: &str| Err(at(self.text, offset, Error::Syntax(message.into())));
        let Some(close) = closing_quote(body) else {
            return fail(start, "the quote opened here is never closed");
        };
        let after = &body[close + 1..];
        let text_after = after.trim_start_matches(BLANK);
        if !text_after.is_empty() {
            let odd = end - text_after.len();
            return fail(odd, "text after a closing quote: write a quote inside a quoted cell twice");
        }
        // Blanks after the closing quote were read with the cell, the end of the line was not.
        let blanks = after.trim_end_matches('\n').len();
        let cell = String::from_utf8_lossy(&self.cell[..length - blanks]).into_owned();
        Ok((cell.into(), last))
    }
}

/// Where the first quote stands that is not one of two.
fn closing_quote(body: &str) -> Option<usize> {
    let mut quotes = body.match_indices('"');
    loop {
        let (place, _) = quotes.next()?;
        if !body[place + 1..].starts_with('"') {
            return Some(place);
        }
        quotes.next();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Dag;

    fn arcs(text: &str) -> Vec<(String, String)> {
        let structure = read(text.as_bytes(), &Limits::default()).unwrap_or_else(|e| panic!("{text:?}: {e}"));
        structure.named_arcs().map(|(p, c)| (p.to_string(), c.to_string())).collect()
    }

    fn complaint(text: &str) -> String {
        read(text.as_bytes(), &Limits::default()).unwrap_err().to_string()
    }

    #[test]
    fn reads_the_dialects() {
        let want = [("a".to_string(), "b".to_string()), ("b".to_string(), "c d".to_string())];
        for text in [
            "parent,child\na,b\nb,c d\n",
            "\u{feff}From;To;strength\r\na;b;1\r\n\r\nb;c d;2",
            "source\ttarget\n\"a\"\tb\nb\t\"c d\" \n",
            "parent,child,note\na,b,\"x,\ny\"\nb, c d ,\nb,c d,again\n",
        ] {
            assert_eq!(arcs(text), want, "{text:?}");
        }
        assert!(arcs("parent,child\n").is_empty());
    }

    #[test]
    fn faults_have_a_place() {
        assert!(complaint("").starts_with("1:1: the file is empty"));
        assert!(complaint("a,b\nb,c\n").starts_with("1:1: expected a header"));
        assert!(complaint("parent\na\n").starts_with("1:1: expected a header"));
        assert!(complaint("parent,child\na,b\nb,c,d\n").starts_with("3:1: this row has 3 cells"));
        assert!(complaint("parent,child\na,\n").starts_with("2:3: a node has an empty name"));
        assert!(complaint("parent,child\na,\"b\n").starts_with("2:3: the quote opened here"));
        assert!(complaint("parent,child\n\"a\"b,c\n").starts_with("2:4: text after a closing quote"));
        let cycle = complaint("parent,child\na,b\nb,c\nx,a\nc,a\n");
        assert!(cycle.starts_with("5:1: the arcs form a cycle: a -> b -> c -> a"), "{cycle}");
        assert!(complaint("parent,child\na,a\n").starts_with("2:1: the arcs form a cycle: a -> a"));
        let odd = read(b"parent,child\n\xc3\xa9,b\xff\n", &Limits::default()).unwrap_err().to_string();
        assert!(odd.starts_with("2:4: the byte 0xff is not UTF-8"), "{odd}");
    }

    #[test]
    fn what_is_written_reads_back() {
        let names = ["plain", "with, comma", "with \"quote\"", "two\nlines", " blank ", "a;b"];
        let dag = Dag::from_arcs(6, [(0, 1), (1, 2), (2, 3), (3, 4), (4, 5)]).unwrap();
        let structure = Structure::new(names.map(String::from).to_vec(), dag).unwrap();
        let text = write(&structure);
        assert_eq!(read(text.as_bytes(), &Limits::default()).unwrap(), structure, "{text}");
    }
}
