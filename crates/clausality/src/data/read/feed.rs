//! The cells of Arrow's arrays, fed into a column as the texts that a CSV of the same table would hold.
//!
//! Most cells were there before, and most numbers end up in a list of numbers: a cell whose bits were met lately is added by its number
//! ([`Recent`]), a number among numbers by its value, and only the others are put in words. What a column ends up with is the same.

use super::raw::unexpected;
use super::source::readable_size;
use crate::data::Problem;
use crate::data::cells::column::{Added, Column};
use crate::data::cells::marks::Marks;
use crate::data::cells::number;
use crate::data::cells::{MAX_CELL, date};
use crate::error::{Error, Place};
use arrow_array::cast::AsArray;
use arrow_array::types::*;
use arrow_array::{Array, OffsetSizeTrait};
use arrow_schema::{DataType, TimeUnit};
use memchr::memchr;
use std::fmt::Write;

/// One column on its way in.
pub(super) struct Feed<'a> {
    /// The table.
    pub(super) name: &'a str,
    pub(super) column: &'a mut Column,
    pub(super) marks: &'a Marks,
    /// Bytes that the cells read so far would take as text, about, and how many they may.
    pub(super) bytes: &'a mut u64,
    pub(super) allowed: u64,
    pub(super) recent: Recent,
}

/// Bytes of the texts of an array, each that is pointed at counted once.
pub(super) fn text_bytes(array: &dyn Array) -> usize {
    match array.data_type() {
        DataType::Utf8 => between(array.as_string::<i32>().offsets()),
        DataType::LargeUtf8 => between(array.as_string::<i64>().offsets()),
        DataType::Utf8View => array.as_string_view().lengths().map(|length| length as usize).sum(),
        DataType::Dictionary(..) => text_bytes(array.as_any_dictionary().values()),
        _ => 0,
    }
}

/// What lies between the first and the last offset.
fn between<O: OffsetSizeTrait>(offsets: &[O]) -> usize {
    match offsets {
        [first, .., last] => last.as_usize() - first.as_usize(),
        _ => 0,
    }
}

/// Whole numbers from here on are codes, not quantities: only their texts tell (see `cells::number`).
const CODES: f64 = 1e15;

impl Feed<'_> {
    /// Adds the cells of an array.
    pub(super) fn array(&mut self, array: &dyn Array) -> Result<(), Error> {
        use DataType::*;
        macro_rules! values {
            ($kind:ty, $number:expr) => {{
                let values = array.as_primitive::<$kind>();
                self.cells(array, |row| Some(values.value(row).bits()), |row| $number(values.value(row)))
            }};
        }
        macro_rules! whole {
            ($kind:ty) => {
                values!($kind, |x| quantity(x as f64))
            };
        }
        match array.data_type() {
            Boolean => {
                let values = array.as_boolean();
                self.cells(array, |row| Some(values.value(row).into()), |_| None)
            }
            Int8 => whole!(Int8Type),
            Int16 => whole!(Int16Type),
            Int32 => whole!(Int32Type),
            Int64 => whole!(Int64Type),
            UInt8 => whole!(UInt8Type),
            UInt16 => whole!(UInt16Type),
            UInt32 => whole!(UInt32Type),
            UInt64 => whole!(UInt64Type),
            Float16 => {
                let values = array.as_primitive::<Float16Type>();
                let bits = |row| Some(values.value(row).to_bits().into());
                self.cells(array, bits, |row| measure(f64::from(values.value(row))))
            }
            Float32 => values!(Float32Type, |x| measure(digits(x))),
            Float64 => values!(Float64Type, measure),
            Date32 => values!(Date32Type, |_| None),
            Date64 => values!(Date64Type, |_| None),
            Timestamp(TimeUnit::Second, _) => values!(TimestampSecondType, |_| None),
            Timestamp(TimeUnit::Millisecond, _) => values!(TimestampMillisecondType, |_| None),
            Timestamp(TimeUnit::Microsecond, _) => values!(TimestampMicrosecondType, |_| None),
            Timestamp(TimeUnit::Nanosecond, _) => values!(TimestampNanosecondType, |_| None),
            Duration(TimeUnit::Second) => values!(DurationSecondType, |x| measure(seconds(x, 1))),
            Duration(TimeUnit::Millisecond) => {
                values!(DurationMillisecondType, |x| measure(seconds(x, MILLI)))
            }
            Duration(TimeUnit::Microsecond) => {
                values!(DurationMicrosecondType, |x| measure(seconds(x, MICRO)))
            }
            Duration(TimeUnit::Nanosecond) => values!(DurationNanosecondType, |x| measure(seconds(x, NANO))),
            Utf8 => self.texts(array.as_string::<i32>().iter()),
            LargeUtf8 => self.texts(array.as_string::<i64>().iter()),
            Utf8View => self.texts(array.as_string_view().iter()),
            Dictionary(keys, _) => match **keys {
                Int8 => self.dictionary::<Int8Type>(array),
                Int16 => self.dictionary::<Int16Type>(array),
                Int32 => self.dictionary::<Int32Type>(array),
                Int64 => self.dictionary::<Int64Type>(array),
                UInt8 => self.dictionary::<UInt8Type>(array),
                UInt16 => self.dictionary::<UInt16Type>(array),
                UInt32 => self.dictionary::<UInt32Type>(array),
                _ => self.dictionary::<UInt64Type>(array),
            },
            _ => self.cells(array, |_| None, |_| None),
        }
    }

    /// Cells that are added by value where `number` gives one and the column takes it, else by number where equal `bits` were met
    /// lately, else in words.
    fn cells(
        &mut self,
        array: &dyn Array,
        bits: impl Fn(usize) -> Option<u64>,
        number: impl Fn(usize) -> Option<f64>,
    ) -> Result<(), Error> {
        let write = writer(array);
        let mut text = String::new();
        for row in 0..array.len() {
            if array.is_null(row) {
                self.gap()?;
                continue;
            }
            if self.column.takes_numbers(self.marks)
                && let Some(number) = number(row)
            {
                self.column.add_number(number);
                *self.bytes += 9;
                continue;
            }
            let bits = bits(row);
            if !bits.is_some_and(|bits| self.again(bits)) {
                text.clear();
                write(row, &mut text);
                self.text(&text, bits)?;
            }
        }
        self.within(0)
    }

    /// Texts stand as they are.
    fn texts<'t>(&mut self, mut texts: impl Iterator<Item = Option<&'t str>>) -> Result<(), Error> {
        texts.try_for_each(|text| match text {
            Some(text) => self.text(text, None),
            None => self.gap(),
        })
    }

    /// Places in a list of values, each of which is put in words once.
    fn dictionary<K: ArrowDictionaryKeyType>(&mut self, array: &dyn Array) -> Result<(), Error>
    where
        K::Native: Bits,
    {
        let all = array.as_dictionary::<K>();
        let values = all.values().as_ref();
        let write = writer(values);
        let mut numbers: Vec<Option<u32>> = vec![None; values.len()];
        let mut text = String::new();
        for key in all.keys() {
            let place = key.map(|key| key.bits() as usize).filter(|&place| place < values.len());
            let Some(place) = place.filter(|&place| !values.is_null(place)) else {
                self.gap()?;
                continue;
            };
            if numbers[place].is_some_and(|number| self.column.again(number)) {
                *self.bytes += 1;
                continue;
            }
            text.clear();
            write(place, &mut text);
            self.text(&text, None)?;
            numbers[place] = self.column.last();
        }
        self.within(0)
    }

    /// A cell that was met lately.
    fn again(&mut self, bits: u64) -> bool {
        let Some((number, length)) = self.recent.find(bits) else { return false };
        *self.bytes += 1 + u64::from(length);
        self.column.again(number)
    }

    /// A cell without a value.
    fn gap(&mut self) -> Result<(), Error> {
        match self.recent.gap {
            Some(number) if self.column.again(number) => {}
            _ if self.column.takes_numbers(self.marks) => self.column.add_number(f64::NAN),
            _ => {
                self.text("", None)?;
                self.recent.gap = self.column.last();
            }
        }
        Ok(())
    }

    /// A cell in words.
    fn text(&mut self, text: &str, bits: Option<u64>) -> Result<(), Error> {
        *self.bytes += 1 + text.len() as u64;
        self.within(text.len())?;
        if memchr(0, text.as_bytes()).is_some() {
            let (column, row) = (self.column.name.clone(), self.column.len() + 1);
            return Err(Error::table(Place::file(self.name), Problem::NulCell { column, row }));
        }
        match self.column.add(text.as_bytes(), self.marks) {
            Added::Fine => {}
            Added::Infinite => {
                self.column.infinite.get_or_insert_with(|| (Place::file(self.name), text.to_string()));
            }
            Added::Unexpected => {
                let at = format!("row {}: ", self.column.len() + 1);
                let problem = unexpected(self.column, text.to_string(), at);
                return Err(Error::table(Place::file(self.name), problem));
            }
        }
        if let (Some(bits), Some(number)) = (bits, self.column.last()) {
            self.recent.keep(bits, number, text.len());
        }
        Ok(())
    }

    /// Refuses what decompresses to more than it may.
    fn within(&self, longest: usize) -> Result<(), Error> {
        if longest > MAX_CELL {
            let problem = Problem::long_cell(&self.column.name, longest);
            return Err(Error::table(Place::file(self.name), problem));
        }
        if *self.bytes > self.allowed {
            let problem = Problem::DecompressedSize { limit: readable_size(self.allowed) };
            return Err(Error::table(Place::file(self.name), problem));
        }
        Ok(())
    }
}

/// The numbers of cells that were met lately, by their bits: one for each of a few places, the later in place of the earlier.
pub(super) struct Recent {
    places: Vec<Option<(u64, u32, u32)>>,
    gap: Option<u32>,
}

impl Recent {
    /// A power of two; more than most columns have different cells before they are a list of numbers.
    const PLACES: usize = 1 << 12;

    pub(super) fn new() -> Self {
        Recent { places: Vec::new(), gap: None }
    }

    fn place(bits: u64) -> usize {
        (bits.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 52) as usize
    }

    fn find(&self, bits: u64) -> Option<(u32, u32)> {
        let &(own, number, length) = self.places.get(Self::place(bits))?.as_ref()?;
        (own == bits).then_some((number, length))
    }

    fn keep(&mut self, bits: u64, number: u32, length: usize) {
        self.places.resize(Self::PLACES, None);
        self.places[Self::place(bits)] = Some((bits, number, length as u32));
    }
}

/// What tells equal cells.
trait Bits: Copy {
    fn bits(self) -> u64;
}

macro_rules! bits {
    ($($kind:ty),*) => { $(impl Bits for $kind { fn bits(self) -> u64 { self as u64 } })* };
}
bits!(i8, i16, i32, i64, u8, u16, u32, u64);

impl Bits for f32 {
    fn bits(self) -> u64 {
        self.to_bits().into()
    }
}

impl Bits for f64 {
    fn bits(self) -> u64 {
        self.to_bits()
    }
}

/// Parts of a second.
const MILLI: i64 = 1_000;
const MICRO: i64 = 1_000_000;
const NANO: i64 = 1_000_000_000;

/// A duration in seconds.
fn seconds(parts: i64, per_second: i64) -> f64 {
    parts as f64 / per_second as f64
}

/// The texts of an array's cells; what is null has none.
pub(super) fn texts(array: &dyn Array) -> Vec<String> {
    let write = writer(array);
    let text = |row| {
        let mut text = String::new();
        write(row, &mut text);
        text
    };
    (0..array.len()).filter(|&row| !array.is_null(row)).map(text).collect()
}

/// A whole number as a quantity.
fn quantity(value: f64) -> Option<f64> {
    (value.abs() < CODES).then_some(value)
}

/// A number as a quantity; NaN is a gap.
fn measure(value: f64) -> Option<f64> {
    (!value.is_infinite()).then_some(value)
}

/// A single-precision number is read with its own digits, not with those of its double.
fn digits(value: f32) -> f64 {
    format!("{value:e}").parse().unwrap_or(f64::NAN)
}

/// Writes the cell of a row that is not null.
type CellWriter<'a> = Box<dyn Fn(usize, &mut String) + 'a>;

/// What puts the cells of an array in words.
fn writer(array: &dyn Array) -> CellWriter<'_> {
    use DataType::*;
    macro_rules! cells {
        ($values:expr, $write:expr) => {{
            let (values, write) = ($values, $write);
            Box::new(move |row, text: &mut String| write(values.value(row), text))
        }};
    }
    macro_rules! primitive {
        ($kind:ty, $write:expr) => {
            cells!(array.as_primitive::<$kind>(), $write)
        };
    }
    macro_rules! time {
        ($kind:ty, $per_second:expr) => {
            primitive!($kind, |x, text: &mut String| write_time(x, $per_second, text))
        };
    }
    macro_rules! decimal {
        ($kind:ty) => {{
            let values = array.as_primitive::<$kind>();
            Box::new(move |row, text: &mut String| text.push_str(&values.value_as_string(row)))
        }};
    }
    macro_rules! clock {
        ($kind:ty, $per_second:expr) => {
            primitive!($kind, |x, text: &mut String| write_clock(i64::from(x) / $per_second, text))
        };
    }
    macro_rules! duration {
        ($kind:ty, $per_second:expr) => {
            primitive!($kind, |x, text: &mut String| write_float(seconds(x, $per_second), text))
        };
    }
    match array.data_type() {
        Boolean => cells!(array.as_boolean(), show),
        Int8 => primitive!(Int8Type, show),
        Int16 => primitive!(Int16Type, show),
        Int32 => primitive!(Int32Type, show),
        Int64 => primitive!(Int64Type, show),
        UInt8 => primitive!(UInt8Type, show),
        UInt16 => primitive!(UInt16Type, show),
        UInt32 => primitive!(UInt32Type, show),
        UInt64 => primitive!(UInt64Type, show),
        Float16 => primitive!(Float16Type, |x, text: &mut String| write_float(f64::from(x), text)),
        Float32 => primitive!(Float32Type, |x, text: &mut String| write_float(digits(x), text)),
        Float64 => primitive!(Float64Type, write_float),
        Utf8 => cells!(array.as_string::<i32>(), show),
        LargeUtf8 => cells!(array.as_string::<i64>(), show),
        Utf8View => cells!(array.as_string_view(), show),
        Decimal32(..) => decimal!(Decimal32Type),
        Decimal64(..) => decimal!(Decimal64Type),
        Decimal128(..) => decimal!(Decimal128Type),
        Decimal256(..) => decimal!(Decimal256Type),
        Date32 => primitive!(Date32Type, |x, text: &mut String| write_time(i64::from(x) * 86_400, 1, text)),
        Date64 => time!(Date64Type, MILLI),
        Timestamp(TimeUnit::Second, _) => time!(TimestampSecondType, 1),
        Timestamp(TimeUnit::Millisecond, _) => time!(TimestampMillisecondType, MILLI),
        Timestamp(TimeUnit::Microsecond, _) => time!(TimestampMicrosecondType, MICRO),
        Timestamp(TimeUnit::Nanosecond, _) => time!(TimestampNanosecondType, NANO),
        Time32(TimeUnit::Second) => clock!(Time32SecondType, 1),
        Time32(_) => clock!(Time32MillisecondType, MILLI),
        Time64(TimeUnit::Microsecond) => clock!(Time64MicrosecondType, MICRO),
        Time64(_) => clock!(Time64NanosecondType, NANO),
        Duration(TimeUnit::Second) => duration!(DurationSecondType, 1),
        Duration(TimeUnit::Millisecond) => duration!(DurationMillisecondType, MILLI),
        Duration(TimeUnit::Microsecond) => duration!(DurationMicrosecondType, MICRO),
        Duration(TimeUnit::Nanosecond) => duration!(DurationNanosecondType, NANO),
        Dictionary(..) => {
            let dictionary = array.as_any_dictionary();
            let values = dictionary.values();
            let keys = if values.is_empty() { Vec::new() } else { dictionary.normalized_keys() };
            let write = writer(values.as_ref());
            Box::new(move |row, text| {
                if let Some(&key) = keys.get(row)
                    && !values.is_null(key)
                {
                    write(key, text);
                }
            })
        }
        // Null columns, and types that were refused before.
        _ => Box::new(|_, _| {}),
    }
}

/// Writes what implements `Display`; writing to a string cannot fail.
fn show(value: impl std::fmt::Display, text: &mut String) {
    let _ = write!(text, "{value}");
}

fn write_float(value: f64, text: &mut String) {
    if !value.is_nan() {
        text.push_str(&number::write(value));
    }
}

/// A time of day, from the seconds since midnight.
fn write_clock(seconds: i64, text: &mut String) {
    let (hours, minutes) = (seconds / 3600, seconds / 60 % 60);
    let _ = write!(text, "{hours:02}:{minutes:02}:{:02}", seconds % 60);
}

fn write_time(value: i64, per_second: i64, text: &mut String) {
    text.push_str(&date::write(value.div_euclid(per_second)));
    let (second, fraction) = (value.div_euclid(per_second), value.rem_euclid(per_second));
    // Times are read to the second; that they had more is told where two are the same.
    if fraction > 0 {
        let midnight = if second.rem_euclid(date::DAY) == 0 { "T00:00:00" } else { "" };
        let digits = per_second.ilog10() as usize;
        let fraction = format!("{fraction:0digits$}");
        text.push_str(&format!("{midnight}.{}", fraction.trim_end_matches('0')));
    }
}
