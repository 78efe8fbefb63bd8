//! Which run a file belongs to.
//!
//! ```text
//! id = H(run.json without `id`, `seconds`, `files`)      files[name] = H(bytes of name)
//! ```
//!
//! The id is a short name of what was learned, from what and how; it does not depend on the clock, so the same table, settings and
//! seed give the same id everywhere. `run.json` has it with a digest of every other file; `clauses.json`, the networks and the page
//! carry it inside. The page has no digest: it says how long the work took, and may be made anew. `H` is the hash of
//! [`crate::data::Fingerprint`]: it tells files apart, it does not protect against forgery.

use super::{CONSENSUS, FILES, FolderError, OWN, PAGE};
use crate::data::Lanes;
use memchr::memmem;
use serde::de::{DeserializeSeed, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};
use std::collections::BTreeMap;
use std::fmt;
use std::fs::File;
use std::io::{self, BufReader, Read};
use std::path::Path;

/// What stands before the id on a page.
pub(crate) const PAGE_MARK: &str = "<meta name=\"clausality-run\" content=\"";

/// What stands before the id in a BIF file.
const BIF_MARK: &str = "property run = ";

/// A network in BIF that says which run it is of.
pub(crate) fn in_bif(text: Vec<u8>, id: &str) -> Vec<u8> {
    // The first empty block is that of the network itself: a line break in a name is written otherwise.
    let Some(place) = memmem::find(&text, b"{\n}").filter(|_| !id.is_empty()) else { return text };
    let property = format!("  {BIF_MARK}{id};\n");
    [&text[..place + 2], property.as_bytes(), &text[place + 2..]].concat()
}

/// A short name for some bytes: 32 hexadecimal digits.
pub fn digest(bytes: &[u8]) -> String {
    // Reading from memory cannot fail.
    digest_of(bytes).unwrap_or_default()
}

fn digest_of(mut from: impl Read) -> io::Result<String> {
    let mut lanes = Lanes::new();
    let mut piece = Vec::with_capacity(1 << 16);
    loop {
        piece.clear();
        from.by_ref().take(1 << 16).read_to_end(&mut piece)?;
        lanes.take(&piece);
        if piece.len() < 1 << 16 {
            return Ok(lanes.name());
        }
    }
}

/// The id of a run, from its document in JSON; nothing if that is damaged.
pub fn id_of(document: &[u8]) -> Option<String> {
    Seal::read(document).ok().map(|seal| seal.computed)
}

/// Whether the `run.json` of a folder says that it is one of ours, of whatever version.
pub fn is_run(folder: &Path) -> bool {
    let file = File::open(folder.join(FILES[0]));
    let seal = file.and_then(|file| Ok(Seal::read(BufReader::new(file))?));
    seal.is_ok_and(|seal| seal.format.split('/').next() == Some("clausality-run"))
}

/// Holds every file of a run folder against its `run.json`; the run's id, or nothing for a folder without run and for runs of
/// versions that gave none.
///
/// # Errors
/// The first file that is missing, changed or of another run.
pub fn check(folder: &Path) -> Result<Option<String>, FolderError> {
    let shown = || folder.display().to_string();
    let missing = |file: &str| FolderError::Missing { folder: shown(), file: file.into() };
    let unreadable =
        |name: &str, error: &io::Error| FolderError::cannot(&folder.join(name), "cannot be read", error);
    let file = match File::open(folder.join(FILES[0])) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            return if is_torn(folder) { Err(missing(FILES[0])) } else { Ok(None) };
        }
        Err(error) => return Err(unreadable(FILES[0], &error)),
    };
    let changed = |file: &str| FolderError::Changed { folder: shown(), file: file.into() };
    let seal = Seal::read(BufReader::new(file)).map_err(|_| changed(FILES[0]))?;
    if seal.id.is_empty() {
        return Ok(None);
    }
    if seal.id != seal.computed {
        return Err(changed(FILES[0]));
    }
    let mixed = |file: &str| FolderError::Mixed { folder: shown(), file: file.into() };
    for name in OWN.into_iter().skip(1) {
        let file = match File::open(folder.join(name)) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                let needed = name == PAGE || seal.files.contains_key(name);
                if needed { return Err(missing(name)) } else { continue }
            }
            Err(error) => return Err(unreadable(name, &error)),
        };
        match seal.files.get(name) {
            Some(expected) => {
                let found = digest_of(file).map_err(|error| unreadable(name, &error))?;
                if found != *expected {
                    let told = [CONSENSUS, "network.json", "network.bif", "clauses.json"].contains(&name);
                    let own = carries(folder, name, &seal.id).unwrap_or(true);
                    return Err(if told && !own { mixed(name) } else { changed(name) });
                }
            }
            None if name == PAGE => {
                let mark = format!("{PAGE_MARK}{}", seal.id);
                if !carries(folder, name, &mark).map_err(|error| unreadable(name, &error))? {
                    return Err(mixed(name));
                }
            }
            // An earlier run's, such as its consensus.
            None => return Err(mixed(name)),
        }
    }
    Ok(Some(seal.id))
}

/// Whether a text stands in a file.
fn carries(folder: &Path, name: &str, text: &str) -> io::Result<bool> {
    Ok(memmem::find(&std::fs::read(folder.join(name))?, text.as_bytes()).is_some())
}

/// Whether a folder without `run.json` holds what is left of a run. A network alone is no run, and a model all the same.
fn is_torn(folder: &Path) -> bool {
    let has = |name: &&str| folder.join(name).is_file();
    let of_a_run = |name: &str, mark: &str| carries(folder, name, mark).unwrap_or(false);
    let beside = ["edges.csv", "strengths.csv", "clauses.json", PAGE].iter().any(has);
    beside && (of_a_run("network.bif", BIF_MARK) || of_a_run("clauses.json", "\"run\": \""))
}

/// What `run.json` says of itself and of the others.
#[derive(Default)]
struct Seal {
    format: String,
    id: String,
    files: BTreeMap<String, String>,
    /// The id that the document has by its content.
    computed: String,
}

impl Seal {
    fn read(from: impl Read) -> Result<Self, serde_json::Error> {
        let mut reader = serde_json::Deserializer::from_reader(from);
        let seal = reader.deserialize_map(Document)?;
        reader.end()?;
        Ok(seal)
    }
}

/// Takes in the document as it comes, so that large ones need no room.
struct Document;

impl<'de> Visitor<'de> for Document {
    type Value = Seal;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the document of a run")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Seal, A::Error> {
        let mut seal = Seal::default();
        let mut lanes = Lanes::new();
        while let Some(key) = map.next_key::<String>()? {
            match key.as_str() {
                "id" => seal.id = map.next_value()?,
                "files" => seal.files = map.next_value()?,
                "seconds" => drop(map.next_value::<serde::de::IgnoredAny>()?),
                _ => {
                    lanes.take(key.as_bytes());
                    let text = map.next_value_seed(Content(&mut lanes))?;
                    if key == "format" {
                        seal.format = text.ok_or_else(|| A::Error::custom("format is a text"))?;
                    }
                }
            }
        }
        seal.computed = lanes.name();
        Ok(seal)
    }
}

/// Any value, taken into the lanes with its kind; a text is handed on.
struct Content<'l>(&'l mut Lanes);

impl Content<'_> {
    fn take(self, kind: u8, bytes: &[u8]) -> Option<String> {
        self.0.take(&[kind]);
        self.0.take(bytes);
        None
    }
}

impl<'de> DeserializeSeed<'de> for Content<'_> {
    type Value = Option<String>;

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<Self::Value, D::Error> {
        from.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Content<'_> {
    type Value = Option<String>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(self.take(0, &[]))
    }

    fn visit_bool<E>(self, value: bool) -> Result<Self::Value, E> {
        Ok(self.take(1, &[u8::from(value)]))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Self::Value, E> {
        Ok(self.take(2, &value.to_le_bytes()))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Self::Value, E> {
        Ok(self.take(3, &value.to_le_bytes()))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Self::Value, E> {
        Ok(self.take(4, &value.to_bits().to_le_bytes()))
    }

    fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
        self.take(5, text.as_bytes());
        Ok(Some(text.to_string()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
        let mut count = 0u64;
        while list.next_element_seed(Content(&mut *self.0))?.is_some() {
            count += 1;
        }
        Ok(self.take(6, &count.to_le_bytes()))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut count = 0u64;
        while let Some(key) = map.next_key::<String>()? {
            self.0.take(key.as_bytes());
            map.next_value_seed(Content(&mut *self.0))?;
            count += 1;
        }
        Ok(self.take(7, &count.to_le_bytes()))
    }
}
