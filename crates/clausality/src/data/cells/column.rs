//! The cells of one column as they come in: distinct texts and a number per row, or plain numbers where those are many.
//!
//! A column starts as a dictionary. When its distinct cells become many and all of them are numbers, it turns into a list of
//! numbers, which is smaller and quicker; should a text follow after all, it turns back for good. Its numbers are then told
//! apart by value, not by spelling (`1.50` and `1.5` are one level), and the coding remembers that.

use crate::data::cells::codes::Codes;
use crate::data::cells::date::{self, DateOrder};
use crate::data::cells::dictionary::{Dictionary, head};
use crate::data::cells::listed::Listed;
use crate::data::cells::marks::Marks;
use crate::data::cells::number::{self, DecimalComma, Numeral};
use crate::error::Place;

mod telling;
mod written;

pub(in crate::data) use telling::{Known, TOLD};

/// What is known about a column before its cells are read.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::data) enum Expected {
    /// Nothing: infer.
    Anything,
    /// Texts, verbatim.
    Text,
    /// Numbers and gaps, nothing else; because of this setting, or because they were declared.
    Numbers(Option<&'static str>),
    /// Numbers or dates, and gaps, nothing else: they put the rows in order.
    Stamps,
    /// Dates in this order of day and month, or in any, and gaps, nothing else.
    Dates(Option<DateOrder>),
    /// Not needed.
    Nothing,
}

/// What to do about the cell just added.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::data) enum Added {
    /// Nothing.
    Fine,
    /// It is infinite: note where it stands.
    Infinite,
    /// It is not what was expected.
    Unexpected,
}

/// A column as it comes in.
#[derive(Debug, Clone)]
pub(in crate::data) struct Column {
    pub(in crate::data) name: String,
    pub(in crate::data) expected: Expected,
    pub(in crate::data) cells: Cells,
    /// The first infinite cell: line, character, text.
    pub(in crate::data) infinite: Option<(Place, String)>,
    /// The zone of its times, where its file names one: they are read as those of UTC.
    pub(in crate::data) zone: Option<String>,
    /// Whether its cells are not kept but read again when they are needed ([`Column::put_apart`]).
    pub(in crate::data) apart: bool,
    /// Whether a row of it took more than one byte when it was put apart.
    pub(in crate::data) was_wide: bool,
    /// How many cells will come, where that is known: a list that grows by and by is there twice while it does.
    rows: usize,
    /// Whether a distinct cell was seen that is neither number nor gap.
    has_text: bool,
    /// Whether numbers among the texts are named by value: the column has been a list of numbers.
    by_value: bool,
    /// Distinct cells at which to think about turning into numbers.
    think_at: usize,
    comma: DecimalComma,
}

/// The cells of a column.
#[derive(Debug, Clone)]
#[expect(clippy::large_enum_variant, reason = "there is one for a column, and every cell passes through it")]
pub(in crate::data) enum Cells {
    /// A number per row into the distinct texts.
    Words { words: Dictionary, codes: Codes },
    /// A number per row; gaps are NaN. `repeats` tells whether some value is known to occur twice.
    Numbers { values: Listed, repeats: bool },
    /// Not kept.
    Nothing,
}

/// Under this many distinct cells a dictionary is always the better choice.
pub(in crate::data) const FEW: usize = 4096;
/// From here on numbers are always the better choice.
const MANY: usize = 1 << 16;
/// Texts of so many bytes are no categories,
const LONG: usize = 128;
/// and so many bytes of them are not kept for rows that are gone.
const UNUSED_BYTES: usize = 1 << 23;

impl Column {
    /// An empty column.
    pub(in crate::data) fn new(name: String, expected: Expected, comma: DecimalComma) -> Self {
        let cells = match expected {
            Expected::Nothing => Cells::Nothing,
            _ => Cells::Words { words: Dictionary::default(), codes: Codes::Narrow(Vec::new()) },
        };
        Column {
            name,
            expected,
            cells,
            infinite: None,
            zone: None,
            apart: false,
            was_wide: false,
            rows: 0,
            has_text: false,
            by_value: false,
            think_at: FEW,
            comma,
        }
    }

    /// Whether a row takes more than one byte.
    pub(in crate::data) fn is_wide(&self) -> bool {
        !matches!(self.cells, Cells::Words { codes: Codes::Narrow(_), .. } | Cells::Nothing)
    }

    /// Lets go of its cells: whoever needs them reads them again.
    #[cfg(feature = "batches")]
    pub(in crate::data) fn put_apart(&mut self) {
        self.was_wide = self.is_wide();
        (self.cells, self.apart) = (Cells::Nothing, true);
    }

    /// The same column before its first cell, with room for so many.
    pub(in crate::data) fn begun_again(&self, rows: usize) -> Self {
        let mut fresh = Column::new(self.name.clone(), self.expected.clone(), self.comma);
        fresh.zone.clone_from(&self.zone);
        fresh.rows = rows;
        fresh
    }

    /// Makes room for so many cells in all.
    #[cfg(feature = "batches")]
    pub(in crate::data) fn reserve(&mut self, rows: usize) {
        if let Cells::Words { codes: Codes::Narrow(codes), .. } = &mut self.cells {
            codes.reserve_exact(rows.saturating_sub(codes.len()));
        }
    }

    /// Adds a row's cell.
    pub(in crate::data) fn add(&mut self, cell: &[u8], marks: &Marks) -> Added {
        self.add_headed(cell, head(cell), marks)
    }

    /// The same for whoever has the cell's head at hand.
    #[inline]
    pub(in crate::data) fn add_headed(&mut self, cell: &[u8], head: u64, marks: &Marks) -> Added {
        match &mut self.cells {
            Cells::Words { words, codes } => {
                if self.by_value {
                    return self.add_by_value(cell, marks);
                }
                let (number, new) = words.number_of(cell, head);
                codes.push(number);
                if new { self.meet(cell, marks) } else { Added::Fine }
            }
            Cells::Numbers { values, .. } => match read(cell, &self.expected, self.comma) {
                Numeral::Finite(value) if !marks.numeric => {
                    values.push(value);
                    Added::Fine
                }
                other => self.add_odd(cell, other, marks),
            },
            Cells::Nothing => Added::Fine,
        }
    }

    /// The number that the cell added last has among the distinct texts, for [`Column::again`]; none where texts are not numbered.
    #[cfg(feature = "batches")]
    pub(in crate::data) fn last(&self) -> Option<u32> {
        match &self.cells {
            Cells::Words { codes, .. } if !self.by_value => codes.last(),
            _ => None,
        }
    }

    /// Adds a cell that was there before, by its number; refuses where texts are not numbered (any more).
    #[cfg(feature = "batches")]
    #[inline]
    pub(in crate::data) fn again(&mut self, number: u32) -> bool {
        match &mut self.cells {
            Cells::Words { codes, .. } if !self.by_value => {
                codes.push(number);
                true
            }
            _ => false,
        }
    }

    /// Whether it is a list of numbers, and none of them may mean "no value".
    #[cfg(feature = "batches")]
    #[inline]
    pub(in crate::data) fn takes_numbers(&self, marks: &Marks) -> bool {
        matches!(self.cells, Cells::Numbers { .. }) && !marks.numeric
    }

    /// Adds a number to a list of numbers as [`Column::add`] would add its text; NaN is a gap. Else it must be finite, and be taken for a
    /// quantity if it were text.
    #[cfg(feature = "batches")]
    #[inline]
    pub(in crate::data) fn add_number(&mut self, value: f64) {
        if let Cells::Numbers { values, .. } = &mut self.cells {
            // Zero has no sign.
            values.push(if value == 0.0 { 0.0 } else { value });
        }
    }

    /// A distinct cell seen for the first time.
    #[cold]
    fn meet(&mut self, cell: &[u8], marks: &Marks) -> Added {
        if self.is_mark(cell, marks) {
            return Added::Fine;
        }
        let numeral = read(cell, &self.expected, self.comma);
        let added = match &self.expected {
            Expected::Anything | Expected::Stamps | Expected::Numbers(_) if numeral == Numeral::Infinite => {
                Added::Infinite
            }
            Expected::Stamps if numeral == Numeral::Other && !date::is_any(cell) => return Added::Unexpected,
            Expected::Numbers(_) if numeral == Numeral::Other => return Added::Unexpected,
            Expected::Dates(None) if !date::is_any(cell) => return Added::Unexpected,
            Expected::Dates(order @ Some(_)) if date::read(cell, *order).is_none() => {
                return Added::Unexpected;
            }
            _ => Added::Fine,
        };
        self.has_text |= numeral == Numeral::Other;
        if let Cells::Words { words, .. } = &self.cells
            && words.len() >= self.think_at
        {
            self.think(marks);
        }
        added
    }

    /// Turns into numbers if that pays: no texts, and either very many distinct cells or hardly a repeated one.
    fn think(&mut self, marks: &Marks) {
        let Cells::Words { words, codes } = &self.cells else { return };
        let may = !self.has_text
            && matches!(self.expected, Expected::Anything | Expected::Stamps | Expected::Numbers(_));
        let pays = words.len() >= MANY || words.len() * 4 > codes.len();
        if !(may && pays) {
            self.think_at = words.len() * 2;
            return;
        }
        let meanings = self.meanings(words, marks);
        let mut different: Vec<u64> =
            meanings.iter().filter(|value| !value.is_nan()).map(|v| v.to_bits()).collect();
        different.sort_unstable();
        different.dedup();
        // Many spellings of few values stay a dictionary, where the values are counted.
        if different.len() < FEW / 2 {
            self.think_at = words.len() * 2;
            return;
        }
        let values = Listed::with_capacity(
            self.rows.max(codes.len()),
            codes.iter().map(|code| meanings[code as usize]),
        );
        let recorded = values.iter().filter(|value| !value.is_nan()).count();
        self.cells = Cells::Numbers { values, repeats: different.len() < recorded };
    }

    /// The value of each distinct cell; NaN for gaps.
    fn meanings(&self, words: &Dictionary, marks: &Marks) -> Vec<f64> {
        let meaning = |cell: &[u8]| match read(cell, &self.expected, self.comma) {
            _ if self.is_mark(cell, marks) => f64::NAN,
            Numeral::Finite(value) => value,
            Numeral::Infinite => signed_infinity(cell),
            Numeral::Other => f64::NAN,
        };
        words.iter().map(meaning).collect()
    }

    /// A cell among numbers that is none.
    #[cold]
    fn add_odd(&mut self, cell: &[u8], numeral: Numeral, marks: &Marks) -> Added {
        let is_mark = self.is_mark(cell, marks);
        if let Cells::Numbers { values, .. } = &mut self.cells {
            let (value, added) = match numeral {
                _ if is_mark => (f64::NAN, Added::Fine),
                Numeral::Finite(value) => (value, Added::Fine),
                Numeral::Infinite => (signed_infinity(cell), Added::Infinite),
                Numeral::Other if matches!(self.expected, Expected::Numbers(_)) => return Added::Unexpected,
                Numeral::Other => {
                    self.turn_back();
                    return self.add(cell, marks);
                }
            };
            values.push(value);
            return added;
        }
        Added::Fine
    }

    /// Numbers to texts again, for good.
    fn turn_back(&mut self) {
        let Cells::Numbers { values, .. } = &self.cells else { return };
        let (mut words, mut codes) = (Dictionary::default(), Codes::Narrow(Vec::new()));
        for text in values.texts() {
            codes.push(words.number(text.as_bytes()).0);
        }
        self.cells = Cells::Words { words, codes };
        self.has_text = true;
        self.by_value = true;
        self.think_at = usize::MAX;
    }

    /// A cell of a column that has turned back. What means "no value" is told before its spelling is lost.
    #[cold]
    fn add_by_value(&mut self, cell: &[u8], marks: &Marks) -> Added {
        let text = match read(cell, &self.expected, self.comma) {
            _ if self.is_mark(cell, marks) => String::new(),
            Numeral::Finite(value) => number::write(value),
            Numeral::Infinite => number::write(signed_infinity(cell)),
            Numeral::Other => String::from_utf8_lossy(cell).into_owned(),
        };
        if let Cells::Words { words, codes } = &mut self.cells {
            codes.push(words.number(text.as_bytes()).0);
        }
        Added::Fine
    }

    /// Whether numbers among the texts are named by value.
    pub(in crate::data) fn by_value(&self) -> bool {
        self.by_value
    }

    /// Reads a text of this column as a number, the way its type was given.
    pub(in crate::data) fn numeral(&self, cell: &[u8]) -> Numeral {
        read(cell, &self.expected, self.comma)
    }

    /// Whether a text of this column means "no value". Where numbers are named by value only the empty text does: a mark has become it.
    pub(in crate::data) fn is_gap(&self, word: &[u8], marks: &Marks) -> bool {
        if self.by_value { word.is_empty() } else { self.is_mark(word, marks) }
    }

    /// Whether a cell is a mark for "no value": as it is spelled, and among numbers also by its value, as `99.0` is 99.
    fn is_mark(&self, cell: &[u8], marks: &Marks) -> bool {
        marks.mark(&self.name, cell)
            || marks.numeric
                && self.has_numbers(marks)
                && marks.number(&self.name, cell, |text| self.numeral(text))
    }

    /// Whether it is a column of numbers, as far as it was read: what has texts is compared as texts.
    fn has_numbers(&self, marks: &Marks) -> bool {
        match self.expected {
            Expected::Text => marks.has_numbers_as_levels(&self.name),
            Expected::Dates(_) => false,
            _ => !self.has_text || self.by_value,
        }
    }

    /// Whether a comma may stand for the decimal point.
    pub(in crate::data) fn comma(&self) -> DecimalComma {
        self.comma
    }

    /// Which rows are gaps.
    pub(in crate::data) fn gaps(&self, marks: &Marks) -> Vec<bool> {
        match &self.cells {
            Cells::Words { words, codes } => {
                let missing: Vec<bool> = words.iter().map(|word| self.is_gap(word, marks)).collect();
                codes.iter().map(|code| missing[code as usize]).collect()
            }
            Cells::Numbers { values, .. } => values.iter().map(|value| value.is_nan()).collect(),
            Cells::Nothing => Vec::new(),
        }
    }

    /// Every row as a number; NaN where it is none.
    pub(in crate::data) fn numbers(&self, marks: &Marks) -> Vec<f64> {
        match &self.cells {
            Cells::Words { words, codes } => {
                let meanings = self.meanings(words, marks);
                codes.iter().map(|code| meanings[code as usize]).collect()
            }
            Cells::Numbers { values, .. } => values.iter().collect(),
            Cells::Nothing => Vec::new(),
        }
    }

    /// Keeps the marked rows only.
    pub(in crate::data) fn retain(&mut self, keep: &[bool]) {
        self.retain_from(0, keep);
    }

    /// Of the rows from one on keeps the marked ones only.
    pub(in crate::data) fn retain_from(&mut self, start: usize, keep: &[bool]) {
        match &mut self.cells {
            Cells::Words { codes, .. } => codes.retain_from(start, keep),
            Cells::Numbers { values, .. } => values.retain_from(start, keep),
            Cells::Nothing => {}
        }
    }

    /// Lets go of texts that no row has any more, where these are many or long; texts then have other numbers. Whether it did.
    pub(in crate::data) fn forget_words(&mut self, rows: usize) -> bool {
        let Cells::Words { words, .. } = &self.cells else { return false };
        let (each, unused) = (words.text_bytes() / words.len().max(1), words.len().saturating_sub(rows));
        let are_long = each >= LONG && each * unused > UNUSED_BYTES;
        let goes = are_long || words.len() > 2 * rows + MANY;
        if goes {
            self.forget_unused();
        }
        goes
    }

    /// Bytes of its different texts.
    pub(in crate::data) fn text_bytes(&self) -> usize {
        match &self.cells {
            Cells::Words { words, .. } => words.text_bytes(),
            _ => 0,
        }
    }

    /// Lets go of texts that no row has any more where nobody will ask how many there were: it has texts, and will never be a list of numbers.
    pub(in crate::data) fn lighten(&mut self) {
        if self.has_text && matches!(&self.cells, Cells::Words { words, .. } if words.len() >= FEW) {
            self.forget_unused();
        }
    }

    fn forget_unused(&mut self) {
        let Cells::Words { words, codes } = &mut self.cells else { return };
        let (mut fewer, mut numbers) = (Dictionary::default(), Codes::Narrow(Vec::new()));
        codes.iter().for_each(|code| numbers.push(fewer.number(words.word(code as usize)).0));
        (*words, *codes) = (fewer, numbers);
    }

    /// Adds the rows of the same column that follow, of which some are held; whether what becomes of it is sure not to hang on the others.
    ///
    /// A list of numbers takes numbers, and what has texts takes texts. A dictionary of numbers might have turned into a list on the
    /// way, and numbers that were a list elsewhere have lost their spelling.
    pub(in crate::data) fn append(&mut self, next: &Column, known: &Known, marks: &Marks) -> bool {
        let same = self.name == next.name && self.comma == next.comma && self.zone == next.zone;
        let odd = |column: &Column| column.by_value || column.infinite.is_some();
        if !same || odd(self) || odd(next) {
            return false;
        }
        let may_turn = !self.has_text && matches!(self.expected, Expected::Anything | Expected::Numbers(_));
        match (&mut self.cells, &next.cells) {
            (Cells::Nothing, Cells::Nothing) => true,
            (Cells::Numbers { values, .. }, Cells::Numbers { values: more, .. }) => {
                more.iter().for_each(|value| values.push(value));
                true
            }
            (Cells::Numbers { values, .. }, Cells::Words { words, codes }) if !next.has_text => {
                let meanings = next.meanings(words, marks);
                codes.iter().for_each(|code| values.push(meanings[code as usize]));
                true
            }
            (Cells::Words { words, codes }, Cells::Words { words: more, codes: next_codes }) => {
                let numbers: Vec<u32> = more.iter().map(|word| words.number(word).0).collect();
                next_codes.iter().for_each(|code| codes.push(numbers[code as usize]));
                self.has_text |= next.has_text;
                !may_turn || words.len().max(known.words) < FEW
            }
            _ => false,
        }
    }

    /// What is to be said of a zone whose clocks nobody looked at.
    pub(in crate::data) fn told_of_zone(&self) -> Option<String> {
        let zone = self.zone.as_ref()?;
        Some(format!(
            "its times are those of {zone} and are read as those of UTC: turn them into local times first"
        ))
    }

    /// How many cells were added.
    #[cfg(feature = "batches")]
    pub(in crate::data) fn len(&self) -> usize {
        match &self.cells {
            Cells::Words { codes, .. } => codes.len(),
            Cells::Numbers { values, .. } => values.len(),
            Cells::Nothing => 0,
        }
    }

    /// Whether it varies and is no name, by its first rows.
    pub(in crate::data) fn is_plain(&self, rows: usize, marks: &Marks) -> bool {
        match &self.cells {
            Cells::Words { words, .. } => {
                let values = words.iter().filter(|word| !self.is_gap(word, marks)).take(2).count();
                values > 1 && (!self.has_text || words.len() <= rows / 2)
            }
            Cells::Numbers { .. } => true,
            Cells::Nothing => false,
        }
    }

    /// Bytes that every further row takes at least, whatever its cell is.
    pub(in crate::data) fn least_bytes(&self) -> usize {
        match &self.cells {
            Cells::Words { codes: Codes::Narrow(_), .. } => 1,
            // Numbers may become texts again, of which there are then too many for one byte.
            Cells::Words { .. } | Cells::Numbers { .. } => 2,
            Cells::Nothing => 0,
        }
    }

    /// Bytes held.
    pub(in crate::data) fn bytes(&self) -> usize {
        match &self.cells {
            Cells::Words { words, codes } => words.bytes() + codes.bytes(),
            Cells::Numbers { values, .. } => values.bytes(),
            Cells::Nothing => 0,
        }
    }
}

#[inline]
fn read(cell: &[u8], expected: &Expected, comma: DecimalComma) -> Numeral {
    match expected {
        Expected::Numbers(_) => number::read_declared(cell, comma),
        _ => number::read(cell, comma),
    }
}

fn signed_infinity(cell: &[u8]) -> f64 {
    if cell.first() == Some(&b'-') { f64::NEG_INFINITY } else { f64::INFINITY }
}

#[cfg(test)]
mod tests;
