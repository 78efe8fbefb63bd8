//! Pieces of work that others do: other processes, other machines.
//!
//! ```text
//! parcel = kind of work, how, table;      piece = f(parcel, its name)      the same bytes wherever f is computed
//! ```
//!
//! A task of the machines and a repetition of the learning follow from their names, the coded table, the settings and the seed alone. So an
//! engine moves bytes and decides nothing: whoever asks sends a parcel and names, whoever works opens the parcel and makes the pieces
//! ([`crate::learn::pieces`]), and what is put together of them does not tell where they were made.
//!
//! A parcel is a line of JSON and then the codes of the table, a byte a cell, column by column, deflated: few states take few bits, and an engine
//! holds a parcel several times on its way. Names and pieces are JSON, in which every finite number comes back as it was.

use crate::Error;
use clausality_bn::{Schema, Table};
use flate2::Compression;
use flate2::read::ZlibDecoder;
use flate2::write::ZlibEncoder;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::fmt;
use std::io::{Read, Write};

/// Whoever has pieces of work made somewhere else.
pub trait Engine: fmt::Debug + Sync {
    /// Has every piece made that is named, and hands them over in the order of their names, each as soon as it may.
    ///
    /// # Errors
    /// What `take` returns, at once; [`Error::Cancelled`]; [`Error::Elsewhere`].
    fn make(
        &self,
        parcel: &Parcel,
        names: Vec<String>,
        take: &mut dyn FnMut(&str) -> Result<(), Error>,
    ) -> Result<(), Error>;

    /// Whether its workers read files where these lie, and keep and count their rows.
    fn keeps_rows(&self) -> bool {
        false
    }

    /// Has workers look at files of these lengths for the first time, each at some that lie beside each other, as a recipe says
    /// ([`crate::data::look`]), and hands over what each saw, in the order of the files.
    ///
    /// # Errors
    /// What `take` returns, at once; [`Error::Cancelled`]; [`Error::Elsewhere`].
    fn look(
        &self,
        _recipe: &str,
        _lengths: &[u64],
        _take: &mut dyn FnMut(&[u8]) -> Result<(), Error>,
    ) -> Result<(), Error> {
        Err(torn("nobody there looks at files"))
    }

    /// Asks all rows of a table in files of these lengths, which workers have coded by a recipe, or do so now: what each says of its own
    /// ([`crate::shards::Part`]), in one ([`crate::shards::together`]).
    ///
    /// # Errors
    /// [`Error::Cancelled`]; [`Error::Elsewhere`].
    fn ask(&self, _recipe: &str, _lengths: &[u64], _question: &str) -> Result<String, Error> {
        Err(torn("nobody there keeps rows"))
    }
}

/// What all pieces of a work have in common, ready to be sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parcel(Vec<u8>);

/// The first line of a parcel.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Label {
    version: String,
    kind: String,
    schema: Schema,
    rows: usize,
    how: Value,
}

/// A parcel that was opened.
#[derive(Debug)]
pub(crate) struct Opened {
    pub(crate) kind: String,
    pub(crate) table: Table,
    how: Value,
}

impl Parcel {
    /// Packs a kind of work, how it is done and the table that it is done with.
    pub(crate) fn new(kind: &str, table: &Table, how: &impl Serialize) -> Result<Self, Error> {
        let label = Label {
            version: env!("CARGO_PKG_VERSION").into(),
            kind: kind.into(),
            schema: table.schema().clone(),
            rows: table.rows(),
            how: serde_json::to_value(how).map_err(unreadable)?,
        };
        let mut bytes = serde_json::to_vec(&label).map_err(unreadable)?;
        bytes.push(b'\n');
        let mut codes = ZlibEncoder::new(bytes, Compression::fast());
        let written = (0..table.schema().len()).try_for_each(|v| codes.write_all(table.column(v)));
        let packed = written.and_then(|()| codes.finish());
        Ok(Parcel(packed.map_err(|error| torn(&error.to_string()))?))
    }

    /// What is sent.
    pub fn bytes(&self) -> &[u8] {
        &self.0
    }

    /// Opens what was received.
    pub(crate) fn open(bytes: &[u8]) -> Result<Opened, Error> {
        let end = memchr::memchr(b'\n', bytes).ok_or_else(|| torn("it has no first line"))?;
        let (label, codes) = (&bytes[..end], &bytes[end + 1..]);
        #[derive(Deserialize)]
        struct Version {
            version: String,
        }
        let (own, Version { version }) =
            (env!("CARGO_PKG_VERSION"), serde_json::from_slice(label).map_err(unreadable)?);
        if version != own {
            return Err(torn(&format!(
                "it comes from version {version}, and this is {own}: install the same version everywhere"
            )));
        }
        let Label { kind, schema, rows, how, .. } = serde_json::from_slice(label).map_err(unreadable)?;
        let mut codes = ZlibDecoder::new(codes);
        let mut columns = Vec::with_capacity(schema.len());
        for _ in 0..schema.len() {
            let mut column = Vec::new();
            let read = codes.by_ref().take(rows as u64).read_to_end(&mut column);
            if read.ok() != Some(rows) || rows == 0 {
                return Err(torn("it is not whole"));
            }
            columns.push(column);
        }
        // To its end, where the checksum is.
        if codes.read(&mut [0]).ok() != Some(0) {
            return Err(torn("it is not whole"));
        }
        Ok(Opened { kind, table: Table::new(schema, columns)?, how })
    }
}

impl Opened {
    /// How the work is done, as it was packed.
    pub(crate) fn how<T: DeserializeOwned>(&mut self) -> Result<T, Error> {
        serde_json::from_value(self.how.take()).map_err(unreadable)
    }
}

/// The pieces with these names, made by an engine; `finished` hears of each as it comes.
pub(crate) fn made<N: Serialize, T: DeserializeOwned>(
    engine: &dyn Engine,
    parcel: &Parcel,
    names: &[N],
    mut finished: impl FnMut(&N, &T) -> Result<(), Error>,
) -> Result<Vec<T>, Error> {
    let written = names.iter().map(serde_json::to_string).collect::<Result<_, _>>().map_err(unreadable)?;
    let mut pieces = Vec::with_capacity(names.len());
    engine.make(parcel, written, &mut |piece| {
        let name = names.get(pieces.len()).ok_or_else(|| torn("more came back than was asked for"))?;
        let piece = serde_json::from_str(piece).map_err(unreadable)?;
        finished(name, &piece)?;
        pieces.push(piece);
        Ok(())
    })?;
    if pieces.len() < names.len() {
        return Err(torn(&format!("{} of {} pieces came back", pieces.len(), names.len())));
    }
    Ok(pieces)
}

/// Pieces as they are sent back.
pub(crate) fn written<T: Serialize>(pieces: impl Iterator<Item = T>) -> Result<Vec<String>, Error> {
    pieces.map(|piece| serde_json::to_string(&piece)).collect::<Result<_, _>>().map_err(unreadable)
}

/// The names of pieces, as they were sent.
pub(crate) fn named<N: DeserializeOwned>(names: &[String]) -> Result<Vec<N>, Error> {
    names.iter().map(|name| serde_json::from_str(name)).collect::<Result<_, _>>().map_err(unreadable)
}

fn unreadable(error: serde_json::Error) -> Error {
    torn(&error.to_string())
}

fn torn(reason: &str) -> Error {
    Error::Elsewhere(reason.into())
}

/// Refuses a recipe of another version: what it asks for may be done in another way here.
pub(crate) fn same_version(version: &str) -> Result<(), Error> {
    let own = env!("CARGO_PKG_VERSION");
    if version == own {
        return Ok(());
    }
    Err(Error::Elsewhere(format!(
        "the recipe comes from version {version}, and this is {own}: install the same version everywhere"
    )))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{bn, embedded};

    #[test]
    fn a_parcel_comes_out_as_it_went_in() {
        let table = bn::sample(&embedded::network("cancer").unwrap(), 30, 1);
        let parcel = Parcel::new("test", &table, &(1.1, "how")).unwrap();
        let mut opened = Parcel::open(parcel.bytes()).unwrap();
        assert_eq!((opened.kind.as_str(), &opened.table), ("test", &table));
        assert_eq!(opened.how::<(f64, String)>().unwrap(), (1.1, "how".to_string()));
    }

    #[test]
    fn what_is_no_parcel_is_refused() {
        let table = bn::sample(&embedded::network("cancer").unwrap(), 30, 1);
        let parcel = Parcel::new("test", &table, &()).unwrap();
        let bytes = parcel.bytes();
        let line = memchr::memchr(b'\n', bytes).unwrap();
        let other = String::from_utf8_lossy(&bytes[..=line]).replace(env!("CARGO_PKG_VERSION"), "0.0.7");
        let mut strange = bytes.to_vec();
        strange[line + 20] ^= 77;
        for (bytes, told) in [
            (&bytes[..line], "it has no first line"),
            (&bytes[..=line], "it is not whole"),
            (&bytes[..bytes.len() - 1], "it is not whole"),
            (b"{}\n".as_slice(), "missing field `version`"),
            (other.as_bytes(), "install the same version everywhere"),
            (&strange, "it is not whole"),
        ] {
            let error = Parcel::open(bytes).unwrap_err().to_string();
            assert!(error.contains(told), "{error}");
        }
    }

    /// Gives what it was told to, whatever is asked.
    #[derive(Debug)]
    struct Parrot(&'static [&'static str]);

    impl Engine for Parrot {
        fn make(
            &self,
            _: &Parcel,
            _: Vec<String>,
            take: &mut dyn FnMut(&str) -> Result<(), Error>,
        ) -> Result<(), Error> {
            self.0.iter().try_for_each(|piece| take(piece))
        }
    }

    #[test]
    fn what_comes_back_is_held_against_what_was_asked() {
        let table = bn::sample(&embedded::network("cancer").unwrap(), 30, 1);
        let parcel = Parcel::new("test", &table, &()).unwrap();
        let ask = |said: &'static [&'static str]| {
            made(&Parrot(said), &parcel, &["a", "b"], |_, _: &u32| Ok(())).map_err(|e| e.to_string())
        };
        assert_eq!(ask(&["7", "8"]), Ok(vec![7, 8]));
        assert!(ask(&["7"]).unwrap_err().ends_with("1 of 2 pieces came back"));
        assert!(ask(&["7", "8", "9"]).unwrap_err().ends_with("more came back than was asked for"));
        assert!(ask(&["7", "x"]).is_err());
    }
}
