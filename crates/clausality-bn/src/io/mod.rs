//! Network files.
//!
//! Readers take the bytes of a file that is already in memory and unpacked; opening, unpacking and naming the file in
//! messages is for the caller. Every reader is linear in its input, checks sizes before it allocates, and answers
//! any bytes whatever with a network (or, where a format knows no probabilities, a [`Structure`]) or an error that has a
//! line and a column.

pub mod bif;
pub mod dot;
pub mod edges;
pub mod graphml;
pub mod json;
pub mod net;
mod nodes;
mod quotes;
mod structure;
mod tokens;
pub mod xmlbif;

pub use structure::Structure;

use crate::Error;
use crate::cpt::DEFAULT_TABLE_BYTES;

/// How much a reader may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// The largest input, in bytes.
    pub input_bytes: usize,
    /// The memory for all probability tables of the network together, in bytes.
    pub table_bytes: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Limits { input_bytes: 1 << 30, table_bytes: DEFAULT_TABLE_BYTES }
    }
}

/// The bytes of a file as text, without a byte order mark.
fn text<'a>(bytes: &'a [u8], limits: &Limits) -> Result<&'a str, Error> {
    if bytes.len() > limits.input_bytes {
        return Err(Error::InputSize { bytes: bytes.len(), limit: limits.input_bytes });
    }
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let text = std::str::from_utf8(bytes).map_err(|fault| {
        let valid = fault.valid_up_to();
        let good = std::str::from_utf8(&bytes[..valid]).unwrap_or_default();
        let message = format!("the byte 0x{:02x} is not UTF-8 text", bytes[valid]);
        at(good, good.len(), Error::Syntax(message))
    })?;
    match text.find('\0') {
        Some(place) => Err(at(text, place, Error::Syntax("a NUL byte, which no text holds".into()))),
        None => Ok(text),
    }
}

/// Puts an error at a byte offset of the text; inside a character, at that character.
fn at(text: &str, offset: usize, error: Error) -> Error {
    let before = &text.as_bytes()[..offset.min(text.len())];
    let line = before.iter().filter(|&&b| b == b'\n').count() + 1;
    let start = before.iter().rposition(|&b| b == b'\n').map_or(0, |i| i + 1);
    // Bytes that continue a character are not counted.
    let column = before[start..].iter().filter(|&&b| b & 0xc0 != 0x80).count() + 1;
    Error::At { line, column, error: Box::new(error) }
}

/// The numbers of a row. Debug prints the shortest digits that read back as the same double, in a form that JSON knows.
fn numbers(row: &[f64], separator: &str) -> String {
    row.iter().map(|p| format!("{p:?}")).collect::<Vec<_>>().join(separator)
}
