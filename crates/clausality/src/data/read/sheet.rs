//! A table as it is written, to be written again with some of its cells filled: every other byte stays.

use super::file;
use super::parts::parts;
use super::raw::{Header, RawTable};
use super::source::{Source, readable_size};
use super::tokens::Tokens;
use crate::data::cells::column::{Cells, Expected};
use crate::data::{Bounds, DataSettings, Input, Problem, csv_cell};
use crate::error::{Error, Place as At};
use crate::watch::{Watch, Watched};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::io::{self, Read, Write};
use std::ops::Range;

/// The text of a table, and where its cells stand.
///
/// CSV stays as it is, unpacked if it was packed; a table of another kind (Parquet, Arrow, columns in memory) becomes the CSV
/// that says the same.
#[derive(Debug, Clone)]
pub struct Sheet {
    name: String,
    text: Vec<u8>,
    separator: u8,
    columns: Vec<String>,
    /// Where the header begins, after a byte order mark and a line that declares the separator.
    head: usize,
    /// Where the first row after the header begins.
    body: usize,
    /// What ends a line.
    newline: &'static str,
    /// What is to be said of the zones of times, by column: the text does not tell them any more.
    zones: BTreeMap<String, String>,
}

/// Where a cell's text stands, without the blanks and quotes around it.
///
/// Eight bytes, as there may be one for every cell of a table: where it starts (39 bits), how long it is (24, as a row has no more), and
/// whether it is quoted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place(u64);

impl Place {
    fn new(start: usize, stop: usize, quoted: bool) -> Self {
        Place((start as u64) << 25 | ((stop - start) as u64) << 1 | u64::from(quoted))
    }

    fn start(self) -> usize {
        (self.0 >> 25) as usize
    }

    fn stop(self) -> usize {
        self.start() + (self.0 >> 1 & 0xff_ffff) as usize
    }

    fn is_quoted(self) -> bool {
        self.0 & 1 == 1
    }
}

impl Sheet {
    /// Reads a table as text; the cells are looked at later.
    ///
    /// # Errors
    /// Whatever is wrong with the file or its header.
    pub fn read<'a>(
        table: impl Into<Input<'a>>,
        separator: Option<char>,
        bounds: &Bounds,
    ) -> Result<Self, Error> {
        let table = table.into();
        let name = table.name().into_owned();
        let given = separator.map(|separator| separator as u8);
        let as_text = |table| written(table, bounds).map(|(text, zones)| (text, Some(b','), zones));
        let (text, separator, zones) = match table {
            Input::File(path) if parts(&path)?.is_some() => as_text(Input::File(path))?,
            Input::File(path) => match file::open_text(&path)? {
                Some((file, implied)) => {
                    let mut file = file::Steady::new(file);
                    let text = whole(&mut file, &name, bounds);
                    (file.check(&name, text)?, given.or(implied), BTreeMap::new())
                }
                None => as_text(Input::File(path))?,
            },
            Input::Text { from, .. } => (whole(from, &name, bounds)?, given, BTreeMap::new()),
            #[cfg(feature = "batches")]
            Input::Batches(_) => as_text(table)?,
            Input::Files { .. } | Input::Frame(_) => as_text(table)?,
        };
        let mut tokens = Tokens::open(Source::open(&text[..], &name, bounds)?, separator)?;
        let mut header = Header::default();
        let (mut head, mut end) = (None, 0);
        while let Some(cell) = tokens.next()? {
            head.get_or_insert(tokens.span().start);
            let column = String::from_utf8_lossy(tokens.text(cell)).into_owned();
            header.add(&column).map_err(|problem| tokens.error_at_cell(problem))?;
            end = tokens.span().end;
            if cell.ends_row {
                break;
            }
        }
        let Some(head) = head else { return Err(Error::table(At::file(&name), Problem::Empty)) };
        let separator = tokens.separator();
        drop(tokens);
        let newline = match (&text[..end], text.get(end)) {
            ([.., b'\r'], Some(b'\n')) => "\r\n",
            (_, Some(b'\r')) => "\r",
            _ => "\n",
        };
        let body = (end + 1).min(text.len());
        Ok(Sheet { name, text, separator, columns: header.names, head, body, newline, zones })
    }

    /// What messages call it.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The columns in their order.
    pub fn columns(&self) -> &[String] {
        &self.columns
    }

    /// Bytes that it holds.
    pub(crate) fn bytes(&self) -> u64 {
        self.text.len() as u64
    }

    /// What is to be said of the zones of times, by column.
    pub(crate) fn zones(&self) -> &BTreeMap<String, String> {
        &self.zones
    }

    /// What stands between cells.
    pub fn separator(&self) -> char {
        self.separator.into()
    }

    /// The same table, to be read. Its separator is [`Sheet::separator`].
    pub fn input(&self) -> Input<'_> {
        Input::csv(&self.text[..], &self.name)
    }

    /// The same, of which nothing more comes once whoever watches calls the work off.
    pub(crate) fn watched<'w>(&'w self, watch: &'w dyn Watch) -> Input<'w> {
        Input::csv(Watched { from: &self.text[..], watch }, &self.name)
    }

    /// The text at a place, with doubled quotes undone.
    pub fn text(&self, place: Place) -> Cow<'_, [u8]> {
        let text = &self.text[place.start()..place.stop()];
        if !place.is_quoted() || !text.contains(&b'"') {
            return text.into();
        }
        let mut undone = Vec::with_capacity(text.len());
        let mut bytes = text.iter();
        while let Some(&byte) = bytes.next() {
            undone.push(byte);
            if byte == b'"' {
                bytes.next();
            }
        }
        undone.into()
    }

    /// Shows every cell after the header: row and column from 0, and where its text stands.
    ///
    /// # Errors
    /// Whatever is wrong with the text.
    pub fn cells(&self, mut show: impl FnMut(usize, usize, Place)) -> Result<(), Error> {
        self.each(|row, column, span| show(row, column, self.place(span)))
    }

    /// Writes the table with some of its cells filled. Several copies (`numbered`) stand below each other, with a first column
    /// of that name that counts them from 1; `fill` is asked of each copy (from 0), row and column.
    ///
    /// # Errors
    /// What the writer says.
    pub fn write<'t>(
        &self,
        numbered: Option<(&str, usize)>,
        out: &mut dyn Write,
        mut fill: impl FnMut(usize, usize, usize) -> Option<Cow<'t, [u8]>>,
    ) -> io::Result<()> {
        let mut out = io::BufWriter::with_capacity(1 << 16, out);
        let (prefix, copies) = numbered.map_or((None, 1), |(name, copies)| (Some(name), copies));
        match prefix {
            Some(name) => {
                let (front, header) = self.text[..self.body].split_at(self.head);
                out.write_all(front)?;
                write!(out, "{}{}", csv_cell(name), self.separator())?;
                out.write_all(header)?;
            }
            None => out.write_all(&self.text[..self.body])?,
        }
        for copy in 0..copies {
            let mut at = self.body;
            let mut failed: io::Result<()> = Ok(());
            let walked = self.each(|row, column, span| {
                let mut put = || {
                    if prefix.is_some() && column == 0 {
                        out.write_all(&self.text[at..span.start])?;
                        write!(out, "{}{}", copy + 1, self.separator())?;
                        at = span.start;
                    }
                    if let Some(text) = fill(copy, row, column) {
                        let place = self.place(span.clone());
                        out.write_all(&self.text[at..place.start()])?;
                        self.put(&text, place.is_quoted(), &mut out)?;
                        at = place.stop();
                    }
                    Ok(())
                };
                if failed.is_ok() {
                    failed = put();
                }
            });
            failed?;
            walked.map_err(io::Error::other)?;
            out.write_all(&self.text[at..])?;
            if copy + 1 < copies && !self.text.ends_with(b"\n") && !self.text.ends_with(b"\r") {
                out.write_all(self.newline.as_bytes())?;
            }
        }
        out.flush()
    }

    /// One cell: in quotes where it could be misunderstood.
    fn put(&self, text: &[u8], quoted: bool, out: &mut dyn Write) -> io::Result<()> {
        let awkward = |byte: &u8| *byte == self.separator || matches!(byte, b'"' | b'\n' | b'\r');
        let blank = |byte: Option<&u8>| byte.is_some_and(|byte| matches!(byte, b' ' | b'\t'));
        let needs = text.iter().any(awkward) || blank(text.first()) || blank(text.last());
        if !quoted && !needs {
            return out.write_all(text);
        }
        let mark: &[u8] = if quoted { b"" } else { b"\"" };
        out.write_all(mark)?;
        for part in text.split_inclusive(|&byte| byte == b'"') {
            out.write_all(part)?;
            if part.ends_with(b"\"") {
                out.write_all(b"\"")?;
            }
        }
        out.write_all(mark)
    }

    /// Every cell after the header.
    fn each(&self, mut show: impl FnMut(usize, usize, Range<usize>)) -> Result<(), Error> {
        let source = Source::open(&self.text[..], &self.name, &Bounds::default())?;
        let mut tokens = Tokens::open(source, Some(self.separator))?;
        // The header is row 0.
        let (mut row, mut column) = (0, 0);
        while let Some(cell) = tokens.next()? {
            if row > 0 {
                show(row - 1, column, tokens.span());
            }
            (row, column) = if cell.ends_row { (row + 1, 0) } else { (row, column + 1) };
        }
        Ok(())
    }

    /// The text of a cell without what stands around it.
    fn place(&self, span: Range<usize>) -> Place {
        let blank = |byte: u8| matches!(byte, b' ' | b'\t' | b'\r');
        let (mut start, mut stop) = (span.start, span.end);
        while stop > start && blank(self.text[stop - 1]) {
            stop -= 1;
        }
        while start < stop && blank(self.text[start]) {
            start += 1;
        }
        let quoted = stop >= start + 2 && self.text[start] == b'"';
        if quoted {
            (start, stop) = (start + 1, stop - 1);
        }
        Place::new(start, stop, quoted)
    }
}

/// All bytes of a file of text, unpacked.
fn whole(from: impl Read, name: &str, bounds: &Bounds) -> Result<Vec<u8>, Error> {
    const BLOCK: usize = 1 << 18;
    let mut source = Source::open(from, name, bounds)?;
    let mut text = Vec::new();
    loop {
        let known = text.len();
        text.resize(known + BLOCK, 0);
        let read = source.read(&mut text[known..])?;
        text.truncate(known + read);
        if let Some(limit) = bounds.allowed().filter(|&limit| text.len() as u64 > limit) {
            let rows = memchr::memchr_iter(b'\n', &text).count();
            let (needed, limit) = (readable_size(text.len() as u64), readable_size(limit));
            return Err(Error::table(
                At::file(name),
                Problem::Memory { rows, needed, limit, stretch: rows, held: None },
            ));
        }
        if read == 0 {
            return Ok(text);
        }
    }
}

/// A table of another kind as CSV, and what is to be said of the zones of its times.
fn written(table: Input<'_>, bounds: &Bounds) -> Result<(Vec<u8>, BTreeMap<String, String>), Error> {
    let settings = DataSettings { na: Vec::new().into(), ..DataSettings::default() };
    let RawTable { columns, rows, .. } = table.read(&settings, bounds, &|_| Expected::Text)?;
    let names: Vec<String> = columns.iter().map(|column| csv_cell(&column.name)).collect();
    let mut text = (names.join(",") + "\n").into_bytes();
    let cell = |word: &[u8]| match word {
        // A line with nothing on it would be none at all.
        [] if columns.len() == 1 => "\"\"".into(),
        [] => String::new(),
        word => csv_cell(&String::from_utf8_lossy(word)),
    };
    let words: Vec<Vec<String>> = columns
        .iter()
        .map(|column| match &column.cells {
            Cells::Words { words, .. } => words.iter().map(cell).collect(),
            _ => Vec::new(),
        })
        .collect();
    let mut codes: Vec<_> = columns
        .iter()
        .map(|column| match &column.cells {
            Cells::Words { codes, .. } => codes.iter(),
            _ => Box::new(std::iter::empty()),
        })
        .collect();
    for _ in 0..rows {
        for (place, (codes, words)) in codes.iter_mut().zip(&words).enumerate() {
            if place > 0 {
                text.push(b',');
            }
            let word = codes.next().and_then(|code| words.get(code as usize));
            text.extend_from_slice(word.map_or(b"", |word| word.as_bytes()));
        }
        text.push(b'\n');
    }
    let zones = columns.iter().filter_map(|column| Some((column.name.clone(), column.told_of_zone()?)));
    Ok((text, zones.collect()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Frame;

    fn sheet(text: &str) -> Sheet {
        Sheet::read(Input::csv(text.as_bytes(), "t"), None, &Bounds::default()).unwrap()
    }

    /// Fills every empty cell and every `NA`.
    fn filled(text: &str, numbered: Option<(&str, usize)>, with: &str) -> String {
        let sheet = sheet(text);
        let mut gaps = Vec::new();
        let is_gap = |place| matches!(&*sheet.text(place), b"" | b"NA");
        sheet.cells(|row, column, place| gaps.extend(is_gap(place).then_some((row, column)))).unwrap();
        let mut out = Vec::new();
        let fill = |_, row, column| gaps.contains(&(row, column)).then(|| with.as_bytes().into());
        sheet.write(numbered, &mut out, fill).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn all_but_the_filled_cells_stay_as_they_are() {
        let odd = "\u{feff}a; \"b \"\"c\"\"\";d\r\n 1 ;\"x;\ny\"; \r\n\r\n;NA;\"NA\"\r\n\"\";2,5;3";
        let now = "\u{feff}a; \"b \"\"c\"\"\";d\r\n 1 ;\"x;\ny\";v \r\n\r\nv;v;\"v\"\r\n\"v\";2,5;3";
        assert_eq!(filled(odd, None, "v"), now);
        assert_eq!(filled("a,b\n1,2\n", None, "v"), "a,b\n1,2\n");
        assert_eq!(filled("a,b\rNA,2\r1,", None, "v"), "a,b\rv,2\r1,v");
        assert_eq!(filled("sep=;\na;b\n;2\n", None, "v"), "sep=;\na;b\nv;2\n");
    }

    #[test]
    fn what_could_be_misunderstood_stands_in_quotes() {
        assert_eq!(filled("a,b\n,\"\"\n", None, "x, \"y\""), "a,b\n\"x, \"\"y\"\"\",\"x, \"\"y\"\"\"\n");
        assert_eq!(filled("a;b\n;1\n", None, "x, y"), "a;b\nx, y;1\n");
        let quoted = sheet("a,b\n\"say \"\"x\"\"\",1\n");
        let mut texts = vec![];
        quoted.cells(|_, _, place| texts.push(quoted.text(place).into_owned())).unwrap();
        assert_eq!(texts, [&b"say \"x\""[..], b"1"]);
    }

    #[test]
    fn copies_are_counted_in_a_first_column() {
        let twice = filled("a\tb\n1\t\n\n\t2", Some(("imputation", 2)), "v");
        assert_eq!(twice, "imputation\ta\tb\n1\t1\tv\n\n1\tv\t2\n2\t1\tv\n\n2\tv\t2");
        assert_eq!(filled("sep=;\r\na;b\r\n;2\r\n", Some(("i", 1)), "v"), "sep=;\r\ni;a;b\r\n1;v;2\r\n");
    }

    #[test]
    fn places_hold_across_blocks() {
        let rows: String =
            (0..200_000).map(|k| if k % 1000 == 7 { ",x\n".into() } else { format!("{k},y\n") }).collect();
        let now = filled(&format!("a,b\n{rows}"), None, "gap");
        assert_eq!(now.matches("gap,x\n").count(), 200);
        assert_eq!(now.replace("gap,x", ",x"), format!("a,b\n{rows}"));
    }

    #[test]
    fn a_frame_becomes_the_text_that_says_the_same() {
        let frame = Frame::new("f").with("a, b", ["x", "y, z"]).with("n", [Some(1.5), None]);
        let sheet = Sheet::read(&frame, None, &Bounds::default()).unwrap();
        assert_eq!(String::from_utf8_lossy(&sheet.text), "\"a, b\",n\nx,1.5\n\"y, z\",\n");
        let one = Frame::new("f").with("n", [Some(1.5), None]);
        let sheet = Sheet::read(&one, None, &Bounds::default()).unwrap();
        assert_eq!(String::from_utf8_lossy(&sheet.text), "n\n1.5\n\"\"\n", "a gap is a row too");
        assert!(Sheet::read(Input::csv(&b""[..], "t"), None, &Bounds::default()).is_err());
    }
}
