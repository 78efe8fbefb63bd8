use super::*;
use crate::data::Bounds;
use proptest::prelude::*;
use std::io::Read;

/// Hands out a few bytes at a time, so that every cell is cut somewhere.
struct Trickle<'a>(&'a [u8], usize);

impl Read for Trickle<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let length = self.1.min(buffer.len()).min(self.0.len());
        buffer[..length].copy_from_slice(&self.0[..length]);
        self.0 = &self.0[length..];
        Ok(length)
    }
}

type Rows = Vec<Vec<String>>;

fn rows_by(from: impl Read, separator: Option<u8>) -> Result<Rows, Error> {
    collect(Tokens::open(Source::open(from, "t.csv", &Bounds::default())?, separator)?)
}

/// In blocks so small that every cell is cut somewhere.
fn rows_in_blocks(bytes: &[u8], separator: u8, step: usize) -> Result<Rows, Error> {
    let source = Source::open(Trickle(bytes, step), "t.csv", &Bounds::default())?;
    collect(Tokens::open_by(source, Some(separator), Some(b'\n'), 8 + step)?)
}

/// Rows below the first, which is read cell by cell, as names are.
fn counted_in_blocks(bytes: &[u8], separator: u8, step: usize) -> Result<usize, Error> {
    let source = Source::open(Trickle(bytes, step), "t.csv", &Bounds::default())?;
    let mut tokens = Tokens::open_by(source, Some(separator), Some(b'\n'), 8 + step)?;
    while tokens.next()?.is_some_and(|cell| !cell.ends_row) {}
    tokens.count_rows()
}

fn collect(mut tokens: Tokens<'_>) -> Result<Rows, Error> {
    let (mut rows, mut row) = (Rows::new(), Vec::new());
    while let Some(cell) = tokens.next()? {
        row.push(String::from_utf8(tokens.text(cell).to_vec()).unwrap());
        if cell.ends_row {
            rows.push(std::mem::take(&mut row));
        }
    }
    assert!(row.is_empty(), "a row was left open");
    Ok(rows)
}

fn rows(text: &str) -> Rows {
    rows_by(text.as_bytes(), None).unwrap()
}

fn message(bytes: &[u8]) -> String {
    rows_by(bytes, None).unwrap_err().to_string()
}

#[test]
fn dialects() {
    let expected = vec![vec!["a", "b"], vec!["1", "2"]];
    for text in [
        "a,b\n1,2\n",
        "a,b\n1,2",
        "a,b\r\n1,2\r\n",
        "a,b\r1,2\r",
        "\u{feff}a,b\n1,2\n",
        "a;b\n1;2\n",
        "a\tb\n1\t2\n",
        "a|b\n1|2\n",
        "a, b\n 1 ,\t2\n",
        "\"a\",\"b\"\n\"1\" , \"2\"\r\n",
        "\n\na,b\n  \n1,2\n\r\n \t\n",
        "sep=;\r\na;b\r\n1;2\r\n",
    ] {
        assert_eq!(rows(text), expected, "{text:?}");
    }
}

#[test]
fn quotes_hold_anything() {
    let text = "a,b\n\"x,\"\"y\"\"\nz\",\" kept \"\n5\" pipe,\"\"\n";
    assert_eq!(rows(text), vec![vec!["a", "b"], vec!["x,\"y\"\nz", " kept "], vec!["5\" pipe", ""]]);
}

#[test]
fn separators_inside_quotes_do_not_mislead() {
    let text = "name;note\n\"a, b, c\";\"d, e\"\n\"f, g, h\";\"i, j\"\n";
    assert_eq!(rows(text)[1], ["a, b, c", "d, e"]);
    // The header decides: commas in some rows do not make a comma file.
    assert_eq!(rows("a;b\n1,5;2\n3,5;4\n")[1], ["1,5", "2"]);
}

#[test]
fn errors_know_their_place() {
    assert_eq!(message(b"a,b\n1,\"x\n\n"), "t.csv:2:3: the quote opened here is never closed");
    assert!(message(b"a,b\n1,\"x\ny\"z\n").starts_with("t.csv:3:3: text after a closing quote"));
    assert!(message(b"a,b\n\xc3\xa9,h\xffgh\n").starts_with("t.csv:2:4: not valid UTF-8"));
    assert!(message(b"a,b\n1,\xc3").starts_with("t.csv:2:3: not valid UTF-8"));
    assert!(message(b"\xff\xfea\0").contains("UTF-16"));
    assert!(message(b"a,b\n\xc3\xa9,h\0gh\n").starts_with("t.csv:2:4: a NUL byte"));
    assert!(message(b"a,b\n1,\xff\0\n").starts_with("t.csv:2:3: not valid UTF-8"));
    let late = [b"a,b\n".to_vec(), b"1,2\n".repeat(BLOCK / 4), b"1,\0\n".to_vec()].concat();
    assert!(message(&late).starts_with("t.csv:65538:3: a NUL byte"), "{}", message(&late));
}

#[test]
fn endless_rows_are_refused() {
    let mut endless = b"a,b\n".to_vec();
    endless.extend(std::iter::repeat_n(b'x', MAX_ROW + 10));
    assert!(message(&endless).starts_with("t.csv:2:1: a row is longer than the limit of 16 MiB"));
}

/// A table as text, quoted where it must be and sometimes where it need not.
fn written(rows: &Rows, separator: char, newline: &str, quote_all: bool) -> String {
    let cell = |cell: &String| {
        let special = |c: char| c == separator || matches!(c, '"' | '\n' | '\r' | ' ' | '\t');
        match quote_all || cell.is_empty() || cell.contains(special) {
            true => format!("\"{}\"", cell.replace('"', "\"\"")),
            false => cell.clone(),
        }
    };
    let line = |row: &Vec<String>| row.iter().map(cell).collect::<Vec<_>>().join(&separator.to_string());
    rows.iter().map(|row| line(row) + newline).collect()
}

fn tables() -> impl Strategy<Value = Rows> {
    (2usize..5).prop_flat_map(|columns| {
        let cell = prop_oneof!["[ab\u{e9}\u{65e5}0-9]{0,20}", "[ab,;|\t\" \n\r]{0,9}"];
        proptest::collection::vec(proptest::collection::vec(cell, columns), 1..12)
    })
}

proptest! {
    #[test]
    fn what_is_written_reads_back(
        table in tables(),
        separator in prop_oneof![Just(','), Just(';'), Just('\t'), Just('|')],
        newline in prop_oneof![Just("\n"), Just("\r\n")],
        quote_all in any::<bool>(),
        step in 1usize..40,
    ) {
        let text = written(&table, separator, newline, quote_all);
        let read = rows_in_blocks(text.as_bytes(), separator as u8, step).unwrap();
        prop_assert_eq!(&read, &table);
        // The slow twin reads the same.
        let mut twin = csv::ReaderBuilder::new();
        let mut twin = twin.has_headers(false).flexible(true).delimiter(separator as u8).from_reader(text.as_bytes());
        let twin: Rows = twin.records().map(|row| row.unwrap().iter().map(String::from).collect()).collect();
        prop_assert_eq!(&twin, &table);
    }

    #[test]
    fn any_bytes_are_read_or_refused(bytes in proptest::collection::vec(any::<u8>(), 0..200), step in 1usize..20) {
        let _ = rows_by(&bytes[..], None);
        let _ = rows_in_blocks(&bytes, b',', step);
    }

    #[test]
    fn blocks_make_no_difference(text in "[ab\", \n\r\t\u{e9}]{0,80}", step in 1usize..20) {
        let source = Source::open(text.as_bytes(), "t.csv", &Bounds::default()).unwrap();
        let whole = Tokens::open_by(source, Some(b','), Some(b'\n'), BLOCK).and_then(collect);
        let cut = rows_in_blocks(text.as_bytes(), b',', step);
        prop_assert_eq!(whole.map_err(|error| error.to_string()), cut.map_err(|error| error.to_string()));
    }

    #[test]
    fn rows_are_counted_as_they_are_read(text in "[ab\", \n\r\t\u{e9}]{0,80}", step in 1usize..20) {
        let read = rows_in_blocks(text.as_bytes(), b',', step).map(|rows| rows.len().saturating_sub(1));
        let counted = counted_in_blocks(text.as_bytes(), b',', step);
        prop_assert_eq!(read.map_err(|error| error.to_string()), counted.map_err(|error| error.to_string()));
    }
}
