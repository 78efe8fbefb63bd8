//! Cells from bytes: the CSV grammar, with the physical line and character of every cell at hand.
//!
//! Grammar: RFC 4180 with any ASCII separator; lines end with LF, CRLF, or CR in files that have no LF; blank lines are
//! skipped; blanks around a cell are no part of it unless they are quoted; a quote inside an unquoted cell is an ordinary
//! character. An open quote at the end and text after a closing quote are errors.
//!
//! Why not the `csv` crate: it says neither at which character of a line a cell stands nor that a quote was left open, and a
//! cell costs it several times what it costs here, where eight bytes are searched at a time (it serves as the slow twin in the
//! tests). Only bytes that were checked to be UTF-8 are handed out.

use crate::data::cells::MAX_WORD;
use crate::data::cells::dictionary::{head, head_of};
use crate::data::problem::Problem;
use crate::data::read::source::{Source, readable_size};
use crate::data::read::{foreign, separator};
use crate::error::{Error, Place};

/// One cell of a row.
#[derive(Debug, Clone, Copy)]
pub(in crate::data) struct Cell {
    start: usize,
    stop: usize,
    /// Whether the text stands in the scratch buffer, where doubled quotes are undone.
    unescaped: bool,
    /// Whether the row ends with this cell.
    pub(in crate::data) ends_row: bool,
}

/// Reads cells one after the other.
pub(in crate::data) struct Tokens<'r> {
    source: Source<'r>,
    /// Bytes in hand; those from `filled` on are stale.
    buffer: Vec<u8>,
    filled: usize,
    /// Bytes known to be UTF-8.
    checked: usize,
    at_end: bool,
    /// The next cell starts here.
    next: usize,
    /// Whether the next cell is a row's first.
    at_row_start: bool,
    /// The physical line that holds `next`, and where it starts.
    line: u64,
    line_start: usize,
    /// The line and start of the cell handed out last.
    cell_line: u64,
    cell_line_start: usize,
    cell_start: usize,
    scratch: Vec<u8>,
    separator: u8,
    newline: u8,
    /// Bytes read at a time.
    block: usize,
    /// Bytes of the input that are no longer in hand.
    passed: usize,
}

/// Bytes read at a time; small enough to stay in the cache between reading and looking.
const BLOCK: usize = 1 << 18;
/// Rows longer than this are refused.
const MAX_ROW: usize = MAX_WORD;
/// Bytes after the data, so that eight can always be loaded at once.
const PADDING: usize = 8;

impl<'r> Tokens<'r> {
    /// Reads the first block, skips a byte order mark and settles separator and line ends.
    pub(in crate::data) fn open(source: Source<'r>, separator: Option<u8>) -> Result<Self, Error> {
        Tokens::open_by(source, separator, None, BLOCK)
    }

    fn open_by(
        source: Source<'r>,
        separator: Option<u8>,
        newline: Option<u8>,
        block: usize,
    ) -> Result<Self, Error> {
        let mut tokens = Tokens {
            source,
            buffer: vec![0; block + PADDING],
            filled: 0,
            checked: 0,
            at_end: false,
            next: 0,
            at_row_start: true,
            line: 1,
            line_start: 0,
            cell_line: 1,
            cell_line_start: 0,
            cell_start: 0,
            scratch: Vec::new(),
            separator: b',',
            newline: newline.unwrap_or(b'\n'),
            block,
            passed: 0,
        };
        while tokens.filled < block && !tokens.at_end {
            tokens.read_block()?;
        }
        let begins = |mark: &[u8]| tokens.buffer[..tokens.filled].starts_with(mark);
        // The mark of UTF-32 begins as that of UTF-16 does.
        if begins(b"\xff\xfe") && !begins(b"\xff\xfe\0\0") || begins(b"\xfe\xff") {
            return Err(tokens.error(1, 1, Problem::Utf16));
        }
        if let Some(problem) = foreign::recognise(&tokens.buffer[..tokens.filled]) {
            return Err(Error::table(Place::file(tokens.name()), problem));
        }
        if tokens.buffer[..tokens.filled].starts_with("\u{feff}".as_bytes()) {
            tokens.next = 3;
            tokens.line_start = 3;
        }
        let start = &tokens.buffer[tokens.next..tokens.filled];
        if newline.is_none() && !start.contains(&b'\n') && start.contains(&b'\r') {
            tokens.newline = b'\r';
        }
        tokens.check_utf8()?;
        let sample = &tokens.buffer[tokens.next..tokens.checked.max(tokens.next)];
        let (declared, line) = separator::declaration(sample, tokens.newline).unzip();
        let detected = || declared.unwrap_or_else(|| separator::detect(sample, tokens.newline));
        tokens.separator = separator.unwrap_or_else(detected);
        if let Some(length) = line {
            tokens.pass(tokens.next + length, true);
        }
        Ok(tokens)
    }

    /// What stands between cells.
    pub(in crate::data) fn separator(&self) -> u8 {
        self.separator
    }

    /// The input as the user named it.
    pub(in crate::data) fn name(&self) -> &str {
        self.source.name()
    }

    /// Bytes held.
    pub(in crate::data) fn bytes(&self) -> usize {
        self.buffer.capacity() + self.scratch.capacity()
    }

    /// The text of the cell handed out last.
    #[inline]
    pub(in crate::data) fn text(&self, cell: Cell) -> &[u8] {
        let from = if cell.unescaped { &self.scratch } else { &self.buffer };
        &from[cell.start..cell.stop]
    }

    /// The first eight bytes of the cell handed out last, as a dictionary knows them.
    #[inline]
    pub(in crate::data) fn head(&self, cell: Cell) -> u64 {
        match self.buffer[cell.start..].first_chunk::<8>() {
            Some(eight) if !cell.unescaped => head_of(*eight, cell.stop - cell.start),
            _ => head(self.text(cell)),
        }
    }

    /// Bytes of the input up to the end of the cell handed out last.
    #[inline]
    pub(in crate::data) fn passed(&self) -> usize {
        self.passed + self.next
    }

    /// Where the cell handed out last stands in the input, with its quotes and the blanks around it.
    pub(in crate::data) fn span(&self) -> std::ops::Range<usize> {
        self.passed + self.cell_start..self.passed + self.next - 1
    }

    /// An error at the cell handed out last.
    pub(in crate::data) fn error_at_cell(&self, problem: Problem) -> Error {
        let (line, column) = self.position();
        self.error(line, column, problem)
    }

    /// The line of the cell handed out last.
    #[inline]
    pub(in crate::data) fn cell_line(&self) -> u64 {
        self.cell_line
    }

    /// Line and character of the cell handed out last.
    pub(in crate::data) fn position(&self) -> (u64, u64) {
        (self.cell_line, 1 + characters(&self.buffer[self.cell_line_start..self.cell_start]))
    }

    fn error(&self, line: u64, column: u64, problem: Problem) -> Error {
        Error::table(Place::at(self.source.name(), line, column), problem)
    }

    /// The next cell, or `None` after the last row.
    #[inline]
    pub(in crate::data) fn next(&mut self) -> Result<Option<Cell>, Error> {
        let start = self.next;
        // Most cells begin with neither quote nor blank and end in hand.
        if start < self.checked && self.buffer[start] > b'"' {
            let stop = self.find_end(start);
            if stop < self.checked {
                (self.cell_start, self.cell_line, self.cell_line_start) = (start, self.line, self.line_start);
                let ends_row = self.buffer[stop] == self.newline;
                self.pass(stop, ends_row);
                return Ok(Some(self.trimmed(start, stop, ends_row)));
            }
        }
        self.next_of_any_kind()
    }

    #[inline(never)]
    fn next_of_any_kind(&mut self) -> Result<Option<Cell>, Error> {
        if self.at_row_start && !self.skip_blank_lines()? {
            return Ok(None);
        }
        loop {
            let start = self.next;
            self.cell_start = start;
            self.cell_line = self.line;
            self.cell_line_start = self.line_start;
            // A stale or padding byte can at worst send us the slow way.
            if matches!(self.buffer[start], b'"' | b' ' | b'\t') {
                if let Some(cell) = self.careful_cell(start)? {
                    return Ok(Some(cell));
                }
            } else {
                let stop = self.find_end(start);
                if stop < self.checked {
                    let ends_row = self.buffer[stop] == self.newline;
                    self.pass(stop, ends_row);
                    return Ok(Some(self.trimmed(start, stop, ends_row)));
                }
                if self.at_end {
                    self.pass(self.checked, true);
                    return Ok(Some(self.trimmed(start, self.checked, true)));
                }
            }
            self.read_more()?;
        }
    }

    /// Passes all rows from here on, the start of one, and counts them: those that [`Tokens::next`] would hand out.
    pub(in crate::data) fn count_rows(&mut self) -> Result<usize, Error> {
        let mut rows = 0;
        while self.skip_blank_lines()? {
            rows += 1;
            let known = &self.buffer[self.next..self.checked];
            match memchr::memchr2(self.newline, b'"', known) {
                Some(length) if known[length] == self.newline => self.pass(self.next + length, true),
                // Quotes may hold the end of a line; and the rest of the row may not be in hand.
                _ => while self.next()?.is_some_and(|cell| !cell.ends_row) {},
            }
        }
        Ok(rows)
    }

    /// Steps over the separator or line end at `stop`.
    #[inline]
    fn pass(&mut self, stop: usize, ends_row: bool) {
        self.next = stop + 1;
        self.at_row_start = ends_row;
        if ends_row {
            self.line += 1;
            self.line_start = self.next;
        }
    }

    /// The cell without blanks around it.
    #[inline]
    fn trimmed(&self, mut start: usize, mut stop: usize, ends_row: bool) -> Cell {
        while stop > start && matches!(self.buffer[stop - 1], b' ' | b'\t' | b'\r') {
            stop -= 1;
        }
        while start < stop && matches!(self.buffer[start], b' ' | b'\t') {
            start += 1;
        }
        Cell { start, stop, unescaped: false, ends_row }
    }

    /// The first separator or line end from `at` on, or some place past the checked bytes.
    #[inline]
    fn find_end(&self, at: usize) -> usize {
        let separators = ONES * u64::from(self.separator);
        let newlines = ONES * u64::from(self.newline);
        let mut at = at;
        while at < self.checked {
            let Some(eight) = self.buffer[at..].first_chunk::<8>() else { break };
            let word = u64::from_le_bytes(*eight);
            let hits = zero_bytes(word ^ separators) | zero_bytes(word ^ newlines);
            if hits != 0 {
                return at + (hits.trailing_zeros() / 8) as usize;
            }
            at += 8;
        }
        self.checked
    }

    /// A cell that starts with a quote or a blank; `None` if it does not end within the bytes in hand.
    #[inline(never)]
    fn careful_cell(&mut self, start: usize) -> Result<Option<Cell>, Error> {
        let (separator, newline) = (self.separator, self.newline);
        let known = &self.buffer[..self.checked];
        let is_blank = |byte: &u8| (*byte == b' ' || *byte == b'\t') && *byte != separator;
        let open = start + known[start..].iter().take_while(|byte| is_blank(byte)).count();
        if known.get(open) != Some(&b'"') {
            let end = known[open..].iter().position(|&byte| byte == separator || byte == newline);
            let stop = match end {
                Some(length) => open + length,
                None if self.at_end => self.checked,
                None => return Ok(None),
            };
            let ends_row = stop == self.checked || known[stop] == newline;
            self.pass(stop, ends_row);
            return Ok(Some(self.trimmed(open, stop, ends_row)));
        }
        self.cell_start = open;
        let Some((close, escaped)) = self.closing_quote(open)? else { return Ok(None) };
        let known = &self.buffer[..self.checked];
        let mut after = close + 1;
        while known.get(after).is_some_and(|byte| is_blank(byte) || (*byte == b'\r' && newline != b'\r')) {
            after += 1;
        }
        let ends_row = match known.get(after) {
            Some(&byte) if byte == separator => false,
            Some(&byte) if byte == newline => true,
            None if self.at_end => true,
            None => return Ok(None),
            Some(_) => {
                let (line, line_start) = self.line_of(after);
                let column = 1 + characters(&self.buffer[line_start..after]);
                return Err(self.error(line, column, Problem::TextAfterQuote));
            }
        };
        if memchr::memchr(newline, &known[open..close]).is_some() {
            (self.line, self.line_start) = self.line_of(close);
        }
        self.pass(after, ends_row);
        Ok(Some(self.unquoted(open + 1, close, escaped, ends_row)))
    }

    /// The quote that closes the one at `open`, and whether doubled quotes stand between.
    fn closing_quote(&self, open: usize) -> Result<Option<(usize, bool)>, Error> {
        let known = &self.buffer[..self.checked];
        let mut at = open + 1;
        let mut escaped = false;
        while let Some(length) = memchr::memchr(b'"', &known[at..]) {
            let quote = at + length;
            match known.get(quote + 1) {
                Some(b'"') => escaped = true,
                Some(_) => return Ok(Some((quote, escaped))),
                None if self.at_end => return Ok(Some((quote, escaped))),
                None => return Ok(None),
            }
            at = quote + 2;
        }
        if self.at_end { Err(self.error_at_cell(Problem::UnterminatedQuote)) } else { Ok(None) }
    }

    fn unquoted(&mut self, start: usize, stop: usize, escaped: bool, ends_row: bool) -> Cell {
        if !escaped {
            return Cell { start, stop, unescaped: false, ends_row };
        }
        self.scratch.clear();
        let mut rest = &self.buffer[start..stop];
        while let Some(quote) = memchr::memchr(b'"', rest) {
            self.scratch.extend_from_slice(&rest[..=quote]);
            rest = &rest[(quote + 2).min(rest.len())..];
        }
        self.scratch.extend_from_slice(rest);
        Cell { start: 0, stop: self.scratch.len(), unescaped: true, ends_row }
    }

    /// The physical line of a place from the current line on, and where that line starts.
    fn line_of(&self, place: usize) -> (u64, usize) {
        let between = &self.buffer[self.line_start..place];
        let newlines = memchr::memchr_iter(self.newline, between).count() as u64;
        let last = memchr::memrchr(self.newline, between);
        (self.line + newlines, last.map_or(self.line_start, |newline| self.line_start + newline + 1))
    }

    /// Moves to the first line that holds more than blanks; false at the end.
    #[inline]
    fn skip_blank_lines(&mut self) -> Result<bool, Error> {
        loop {
            match self.buffer[..self.checked].get(self.next) {
                Some(&byte) if byte > b' ' => return Ok(true),
                Some(_) => {
                    if let Some(found) = self.skip_blank_line() {
                        if found {
                            return Ok(true);
                        }
                        continue;
                    }
                }
                None if self.at_end => return Ok(false),
                None => {}
            }
            self.read_more()?;
        }
    }

    /// Passes one blank line (`Some(false)`), or finds that the line is not blank (`Some(true)`) or not yet known.
    fn skip_blank_line(&mut self) -> Option<bool> {
        let known = &self.buffer[..self.checked];
        let blank = |byte: &u8| {
            matches!(byte, b' ' | b'\t' | b'\r') && *byte != self.separator && *byte != self.newline
        };
        let stop = self.next + known[self.next..].iter().take_while(|byte| blank(byte)).count();
        match known.get(stop) {
            Some(&byte) if byte == self.newline => {
                self.pass(stop, true);
                Some(false)
            }
            Some(_) => Some(true),
            None if self.at_end => {
                self.next = self.checked;
                Some(false)
            }
            None => None,
        }
    }

    /// Makes room, keeping the current physical line, and reads another block.
    #[cold]
    fn read_more(&mut self) -> Result<(), Error> {
        let keep = self.line_start.min(self.filled);
        self.passed += keep;
        self.buffer.copy_within(keep..self.filled, 0);
        self.filled -= keep;
        self.checked -= keep;
        self.next -= keep;
        self.line_start -= keep;
        if self.filled >= MAX_ROW {
            let problem = Problem::RowTooLong { limit: readable_size(1 + MAX_ROW as u64) };
            return Err(self.error(self.line, 1, problem));
        }
        if self.buffer.len() < self.filled + self.block / 2 + PADDING {
            let size = (2 * self.filled).clamp(self.block, MAX_ROW) + PADDING;
            self.buffer.resize(size, 0);
        }
        self.read_block()?;
        self.check_utf8()
    }

    fn read_block(&mut self) -> Result<(), Error> {
        let end = self.buffer.len() - PADDING;
        let read = self.source.read(&mut self.buffer[self.filled..end])?;
        self.filled += read;
        self.at_end = read == 0;
        Ok(())
    }

    /// Checks the new bytes; a character cut in two by the end of the block waits for its rest.
    fn check_utf8(&mut self) -> Result<(), Error> {
        if let Some(length) = memchr::memchr(0, &self.buffer[self.checked..self.filled]) {
            // What comes before it is told first, if that is no text either.
            let place = self.checked + length;
            return Err(match std::str::from_utf8(&self.buffer[self.checked..place]) {
                Ok(_) => self.error_at(place, Problem::Nul),
                Err(error) => self.error_at(self.checked + error.valid_up_to(), Problem::NotUtf8),
            });
        }
        let Err(error) = std::str::from_utf8(&self.buffer[self.checked..self.filled]) else {
            self.checked = self.filled;
            return Ok(());
        };
        self.checked += error.valid_up_to();
        if error.error_len().is_none() && !self.at_end {
            return Ok(());
        }
        Err(self.error_at(self.checked, Problem::NotUtf8))
    }

    /// An error at a byte in hand.
    fn error_at(&self, place: usize, problem: Problem) -> Error {
        let (line, line_start) = self.line_of(place.max(self.line_start));
        let column = 1 + characters(&self.buffer[line_start..place.max(line_start)]);
        self.error(line, column, problem)
    }
}

const ONES: u64 = 0x0101_0101_0101_0101;

/// The high bit of every byte that is zero; above the lowest such bit there may be false ones.
#[inline]
fn zero_bytes(word: u64) -> u64 {
    word.wrapping_sub(ONES) & !word & (ONES << 7)
}

/// Characters in checked bytes: all bytes but those that continue one.
fn characters(bytes: &[u8]) -> u64 {
    bytes.iter().filter(|&&byte| byte & 0xc0 != 0x80).count() as u64
}

#[cfg(test)]
mod tests;
