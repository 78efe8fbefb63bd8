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

use super::structure::Draft;
use super::{Limits, Structure, at, text};
use crate::Error;
use crate::error::shown;
use std::borrow::Cow;

/// Headers that say which node an arc comes from and which it goes to.
const HEADERS: [[&str; 2]; 3] = [["parent", "child"], ["from", "to"], ["source", "target"]];

/// Reads a graph from the bytes of an edge list.
///
/// # Errors
/// [`Error::At`] with line and column for whatever is wrong with the text; [`Error::InputSize`] for what is too large.
pub fn read(bytes: &[u8], limits: &Limits) -> Result<Structure, Error> {
    let text = text(bytes, limits)?;
    let mut rows = Rows { text, next: 0, separator: separator(text) };
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

/// The arcs of a graph as an edge list; nodes without arcs are not in it.
pub fn write(structure: &Structure) -> String {
    let mut out = String::from("parent,child\n");
    for (parent, child) in structure.named_arcs() {
        out.extend([&quoted(parent), ",", &quoted(child), "\n"]);
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
    separator: u8,
}

impl<'a> Rows<'a> {
    /// The next row that is not blank.
    fn row(&mut self) -> Result<Option<Row<'a>>, Error> {
        let rest = &self.text[self.next..];
        self.next += rest.len() - rest.trim_start_matches(['\r', '\n', ' ']).len();
        if self.next == self.text.len() {
            return Ok(None);
        }
        let mut row = Row { first: Vec::with_capacity(2), cells: 0 };
        loop {
            let offset = self.next;
            let cell = self.cell()?;
            row.cells += 1;
            if row.first.len() < 2 {
                row.first.push((cell, offset));
            }
            match self.text.as_bytes().get(self.next) {
                Some(&b) if b == self.separator => self.next += 1,
                // The line end is passed over with the blanks before the next row.
                _ => return Ok(Some(row)),
            }
        }
    }

    /// A cell, up to a separator or the end of the line.
    fn cell(&mut self) -> Result<Cow<'a, str>, Error> {
        let rest = &self.text[self.next..];
        if rest.starts_with('"') {
            return self.quoted_cell();
        }
        let ends = |&b: &u8| b == self.separator || b == b'\n';
        let length = rest.bytes().position(|b| ends(&b)).unwrap_or(rest.len());
        self.next += length;
        Ok(Cow::Borrowed(rest[..length].trim()))
    }

    fn quoted_cell(&mut self) -> Result<Cow<'a, str>, Error> {
        let open = self.next;
        let body = &self.text[open + 1..];
        let mut from = 0;
        while let Some(found) = body[from..].find('"') {
            let close = from + found;
            if body[close + 1..].starts_with('"') {
                from = close + 2;
                continue;
            }
            self.next = open + close + 2;
            let after = &self.text[self.next..];
            let blank = after.len() - after.trim_start_matches(['\r', ' ']).len();
            self.next += blank;
            match after[blank..].bytes().next() {
                None | Some(b'\n') => {}
                Some(b) if b == self.separator => {}
                Some(_) => {
                    let message = "text after a closing quote: write a quote inside a quoted cell twice";
                    return Err(at(self.text, self.next, Error::Syntax(message.into())));
                }
            }
            let cell = &body[..close];
            return Ok(if cell.contains('"') { Cow::Owned(cell.replace("\"\"", "\"")) } else { cell.into() });
        }
        Err(at(self.text, open, Error::Syntax("the quote opened here is never closed".into())))
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
