//! XMLBIF text to a network.
//!
//! One pass over the elements takes the names and notes where the numbers stand; the tables are read when the variables
//! are known, so that sizes are checked before anything is allocated.

use super::prolog::{self, is_blank};
use crate::error::shown;
use crate::io::nodes::{self, Declared, Family, Placed, Tables, Words};
use crate::io::{self, Limits, at};
use crate::{Error, Network};
use quick_xml::Reader;
use quick_xml::events::{BytesRef, BytesStart, Event};
use std::borrow::Cow;
use std::ops::Range;

const WORDS: Words = Words { variable: "a VARIABLE", table: "DEFINITION" };

/// Reads a network from the bytes of an XMLBIF file.
///
/// # Errors
/// [`Error::At`] with line and column for whatever is wrong with the text; [`Error::Limit`] (inside it) or
/// [`Error::InputSize`] for what is too large.
pub fn read(bytes: &[u8], limits: &Limits) -> Result<Network, Error> {
    let text = io::text(bytes, limits)?;
    let found = Document::read(text)?;
    let schema = nodes::schema(text, &found.variables, WORDS)?;
    let mut tables = Tables::new(text, &schema, WORDS, limits);
    for definition in &found.definitions {
        let family = tables.open(&definition.child, &definition.parents)?;
        let values = numbers(text, &tables, &family, definition)?;
        tables.put(family, values)?;
    }
    let cpts = tables.finish(&found.variables)?;
    Network::new(found.name.unwrap_or(Cow::Borrowed("unknown")), schema, cpts)
}

struct Definition<'a> {
    child: Placed<'a>,
    parents: Vec<Placed<'a>>,
    /// Where the numbers stand, between the comments.
    table: Vec<Range<usize>>,
    at: usize,
}

fn numbers(
    text: &str,
    tables: &Tables<'_, '_>,
    family: &Family,
    definition: &Definition<'_>,
) -> Result<Vec<f64>, Error> {
    let words = definition.table.iter().flat_map(|range| {
        let piece = &text[range.clone()];
        let offset = |word: &str| range.start + (word.as_ptr() as usize - piece.as_ptr() as usize);
        piece.split(is_blank).filter(|word| !word.is_empty()).map(move |word| (word, offset(word)))
    });
    let mut values = Vec::with_capacity(family.cells);
    let mut row = definition.at;
    let mut found = 0;
    for (word, place) in words {
        let p = tables.number(family, word, place)?;
        found += 1;
        if found > family.cells {
            continue;
        }
        row = if values.len().is_multiple_of(family.states) { place } else { row };
        values.push(p);
        if let Some(j) = (values.len() % family.states == 0).then(|| values.len() / family.states - 1) {
            tables.check_row(family, j, &values[j * family.states..], row)?;
        }
    }
    if found != family.cells {
        return Err(tables.wrong_count(family, family.cells, found, definition.at));
    }
    Ok(values)
}

/// What the elements say.
#[derive(Default)]
struct Document<'a> {
    name: Option<Cow<'a, str>>,
    variables: Vec<Declared<'a>>,
    definitions: Vec<Definition<'a>>,
}

impl<'a> Document<'a> {
    fn read(text: &'a str) -> Result<Self, Error> {
        let base = prolog::end(text)?;
        let mut reader = Reader::from_str(&text[base..]);
        reader.config_mut().expand_empty_elements = true;
        let mut walk = Walk { reader, text, base, start: base };
        let mut document = Document::default();
        walk.only("BIF", "the file")?;
        walk.only("NETWORK", "BIF")?;
        while let Some(tag) = walk.child("NETWORK", "NAME, VARIABLE, DEFINITION or PROPERTY")? {
            match tag.name {
                "NAME" if document.name.is_none() => document.name = Some(walk.content(&tag)?.0),
                "VARIABLE" => document.variables.push(variable(&mut walk, &tag)?),
                "DEFINITION" => document.definitions.push(definition(&mut walk, &tag)?),
                "PROPERTY" | "DESCRIPTION" => drop(walk.content(&tag)?),
                _ => {
                    return walk.unexpected(&tag, "NAME (once), VARIABLE, DEFINITION or PROPERTY in NETWORK");
                }
            }
        }
        if let Some(tag) = walk.child("BIF", "'</BIF>'")? {
            return walk.unexpected(&tag, "one NETWORK in a file");
        }
        walk.finish()?;
        Ok(document)
    }
}

fn variable<'a>(walk: &mut Walk<'a>, tag: &Tag<'a>) -> Result<Declared<'a>, Error> {
    let mut name: Option<Placed<'a>> = None;
    let mut states = Vec::new();
    while let Some(part) = walk.child("VARIABLE", "NAME, OUTCOME or PROPERTY")? {
        match part.name {
            "NAME" if name.is_none() => name = Some(walk.content(&part)?),
            "OUTCOME" | "VALUE" => states.push(walk.content(&part)?),
            "PROPERTY" | "DESCRIPTION" | "OBS" => drop(walk.content(&part)?),
            _ => return walk.unexpected(&part, "NAME (once), OUTCOME or PROPERTY in VARIABLE"),
        }
    }
    let Some((name, place)) = name else {
        return walk.fail(tag.at, "a VARIABLE without NAME: expected one");
    };
    let kind = walk.attribute(tag, "TYPE")?.unwrap_or("nature");
    if kind.eq_ignore_ascii_case("nature") || kind.eq_ignore_ascii_case("discrete") {
        return Ok(Declared { name, states, at: place });
    }
    let message = format!(
        "variable '{}' has the TYPE '{}': only chance nodes (\"nature\") with states are read",
        shown(&name),
        shown(kind)
    );
    walk.fail(tag.at, message)
}

fn definition<'a>(walk: &mut Walk<'a>, tag: &Tag<'a>) -> Result<Definition<'a>, Error> {
    let mut child: Option<Placed<'a>> = None;
    let mut parents = Vec::new();
    let mut table = None;
    let mut place = tag.at;
    while let Some(part) = walk.child("DEFINITION", "FOR, GIVEN, TABLE or PROPERTY")? {
        match part.name {
            "FOR" if child.is_none() => child = Some(walk.content(&part)?),
            "GIVEN" => parents.push(walk.content(&part)?),
            "TABLE" if table.is_none() => {
                place = part.at;
                table = Some(walk.table()?);
            }
            "PROPERTY" | "DESCRIPTION" => drop(walk.content(&part)?),
            _ => return walk.unexpected(&part, "FOR (once), GIVEN, TABLE (once) or PROPERTY in DEFINITION"),
        }
    }
    match (child, table) {
        (Some(child), Some(table)) => Ok(Definition { child, parents, table, at: place }),
        (None, _) => walk.fail(tag.at, "a DEFINITION without FOR: expected one"),
        (Some((name, _)), None) => {
            walk.fail(tag.at, format!("the DEFINITION of '{}' has no TABLE: expected one", shown(&name)))
        }
    }
}

/// A start tag.
struct Tag<'a> {
    name: &'a str,
    at: usize,
    start: BytesStart<'a>,
}

/// The parser and where it is.
struct Walk<'a> {
    reader: Reader<&'a [u8]>,
    text: &'a str,
    /// Where the parser's text begins.
    base: usize,
    /// Where the last event begins.
    start: usize,
}

impl<'a> Walk<'a> {
    fn fail<T>(&self, place: usize, message: impl Into<String>) -> Result<T, Error> {
        Err(at(self.text, place, Error::Syntax(message.into())))
    }

    fn unexpected<T>(&self, tag: &Tag<'a>, expected: &str) -> Result<T, Error> {
        self.fail(tag.at, format!("expected {expected}, found <{}>", shown(tag.name)))
    }

    fn offset(&self) -> usize {
        self.base + self.reader.buffer_position() as usize
    }

    /// The text of the last event as it stands in the file.
    fn piece(&self) -> &'a str {
        &self.text[self.start..self.offset()]
    }

    fn event(&mut self) -> Result<Event<'a>, Error> {
        self.start = self.offset();
        self.reader.read_event().map_err(|error| {
            let place = self.base + self.reader.error_position() as usize;
            at(self.text, place, Error::Syntax(shown(&error.to_string())))
        })
    }

    /// The next element inside `parent`, nothing at its end.
    fn child(&mut self, parent: &str, expected: &str) -> Result<Option<Tag<'a>>, Error> {
        loop {
            match self.event()? {
                Event::Start(start) => return Ok(Some(self.tag(start)?)),
                Event::End(_) => return Ok(None),
                Event::Comment(_) | Event::PI(_) => {}
                Event::Text(_) if self.piece().chars().all(is_blank) => {}
                Event::Eof => {
                    let message = format!("expected {expected} in {parent}, found its end");
                    return self.fail(self.text.len(), message);
                }
                _ => {
                    let place = self.start + self.piece().find(|c| !is_blank(c)).unwrap_or(0);
                    let found: String =
                        self.text[place..].chars().take(20).take_while(|c| !is_blank(*c)).collect();
                    return self
                        .fail(place, format!("expected {expected} in {parent}, found '{}'", shown(&found)));
                }
            }
        }
    }

    fn tag(&self, start: BytesStart<'a>) -> Result<Tag<'a>, Error> {
        let from = self.start + 1;
        let length = start.name().as_ref().len();
        let name = self.text.get(from..from + length).unwrap_or_default();
        Ok(Tag { name, at: self.start, start })
    }

    /// Steps into the one element that must come next.
    fn only(&mut self, name: &str, parent: &str) -> Result<(), Error> {
        match self.child(parent, &format!("<{name}>"))? {
            Some(tag) if tag.name == name => {
                let version = self.attribute(&tag, "VERSION")?;
                match version.filter(|version| !version.trim().starts_with("0.3")) {
                    Some(version) => {
                        let message = format!("expected XMLBIF of VERSION 0.3, found '{}'", shown(version));
                        self.fail(tag.at, message)
                    }
                    None => Ok(()),
                }
            }
            Some(tag) => self.unexpected(&tag, &format!("<{name}> (XMLBIF)")),
            None => self.fail(self.start, format!("expected <{name}> (XMLBIF), found none")),
        }
    }

    fn finish(&mut self) -> Result<(), Error> {
        loop {
            match self.event()? {
                Event::Eof => return Ok(()),
                Event::Comment(_) | Event::PI(_) => {}
                Event::Text(_) if self.piece().chars().all(is_blank) => {}
                _ => return self.fail(self.start, "expected nothing after </BIF>"),
            }
        }
    }

    /// The value of an attribute as it stands in the file.
    fn attribute(&self, tag: &Tag<'a>, name: &str) -> Result<Option<&'a str>, Error> {
        let mut value = None;
        // The parser's own check for doubles compares each with each.
        for attribute in tag.start.attributes().with_checks(false) {
            let attribute = match attribute {
                Ok(attribute) => attribute,
                Err(error) => return self.fail(tag.at, shown(&error.to_string())),
            };
            if attribute.key.as_ref() == name.as_bytes() {
                let raw: &[u8] = &attribute.value;
                let offset = (raw.as_ptr() as usize).saturating_sub(self.text.as_ptr() as usize);
                value = self.text.get(offset..offset + raw.len());
            }
        }
        Ok(value)
    }

    /// The text of an element, up to and with its end; blanks round it are layout unless they are references.
    fn content(&mut self, tag: &Tag<'a>) -> Result<Placed<'a>, Error> {
        let place = self.offset();
        let mut out = String::new();
        // What may not be trimmed ends here.
        let mut solid = None;
        loop {
            match self.event()? {
                Event::Text(_) => {
                    let piece = self.checked(self.piece().replace("\r\n", "\n"))?;
                    out.push_str(if solid.is_none() && out.is_empty() {
                        piece.trim_start_matches(is_blank)
                    } else {
                        &piece
                    });
                }
                Event::CData(_) => {
                    let piece = self.piece();
                    let inner = &piece["<![CDATA[".len()..piece.len() - "]]>".len()];
                    out.push_str(&self.checked(inner.to_string())?);
                    solid = Some(out.len());
                }
                Event::GeneralRef(reference) => {
                    out.push(self.character(&reference)?);
                    solid = Some(out.len());
                }
                Event::Comment(_) | Event::PI(_) => {}
                Event::End(_) => break,
                Event::Eof => {
                    return self.fail(
                        tag.at,
                        format!("<{}> never ends: expected '</{}>'", shown(tag.name), shown(tag.name)),
                    );
                }
                _ => {
                    return self.fail(
                        self.start,
                        format!("expected text in <{}>, found an element", shown(tag.name)),
                    );
                }
            }
        }
        let solid = solid.unwrap_or(0);
        out.truncate(solid + out[solid..].trim_end_matches(is_blank).len());
        Ok((Cow::Owned(out), place))
    }

    fn checked(&self, piece: String) -> Result<String, Error> {
        match piece.chars().find(|&c| !super::writer::is_character(c)) {
            Some(c) => self.fail(self.start, format!("the character U+{:04X} cannot stand in XML", c as u32)),
            None => Ok(piece),
        }
    }

    /// One of the five references that need no declaration, or a number.
    fn character(&self, reference: &BytesRef<'a>) -> Result<char, Error> {
        let found = match &**reference {
            b"lt" => Some('<'),
            b"gt" => Some('>'),
            b"amp" => Some('&'),
            b"quot" => Some('"'),
            b"apos" => Some('\''),
            _ => reference.resolve_char_ref().ok().flatten().filter(|&c| super::writer::is_character(c)),
        };
        match found {
            Some(c) => Ok(c),
            None => {
                let name = shown(self.piece());
                self.fail(self.start, format!("the entity '{name}' is refused: write the text itself"))
            }
        }
    }

    /// Where the numbers of a TABLE stand, up to and with its end.
    fn table(&mut self) -> Result<Vec<Range<usize>>, Error> {
        let mut pieces = Vec::new();
        loop {
            match self.event()? {
                Event::Text(_) => pieces.push(self.start..self.offset()),
                Event::Comment(_) | Event::PI(_) => {}
                Event::End(_) => return Ok(pieces),
                Event::Eof => {
                    return self.fail(self.text.len(), "expected '</TABLE>', found the end of the file");
                }
                _ => {
                    return self.fail(
                        self.start,
                        format!("expected probabilities in TABLE, found '{}'", shown(self.piece())),
                    );
                }
            }
        }
    }
}
