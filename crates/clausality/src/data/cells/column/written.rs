//! A column that is being read as bytes, to be gone on with later or by others.

use super::{Cells, Column, Expected, Known};
use crate::data::cells::codes::Codes;
use crate::data::cells::dictionary::{Dictionary, MAX_WORD};
use crate::data::cells::listed::Listed;
use crate::data::cells::number::DecimalComma;
use crate::data::cells::wire;
use crate::error::Place;
use serde::{Deserialize, Serialize};
use std::io::{self, Read, Write};

/// What is told of a column before its cells.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct About {
    name: String,
    comma: bool,
    zone: Option<String>,
    /// The first infinite cell: file, line, character, text.
    infinite: Option<(String, Option<u64>, Option<u64>, String)>,
    has_text: bool,
    by_value: bool,
    think_at: usize,
    known: Known,
    cells: Kind,
}

#[derive(Serialize, Deserialize, Clone, Copy)]
enum Kind {
    /// So many texts.
    Words(usize),
    Numbers {
        repeats: bool,
    },
    Nothing,
}

impl Column {
    pub(in crate::data) fn write(&self, known: Known, out: &mut dyn Write) -> io::Result<()> {
        let place =
            |(place, text): &(Place, String)| (place.file.clone(), place.line, place.column, text.clone());
        let cells = match &self.cells {
            Cells::Words { words, .. } => Kind::Words(words.len()),
            Cells::Numbers { repeats, .. } => Kind::Numbers { repeats: *repeats },
            Cells::Nothing => Kind::Nothing,
        };
        let about = About {
            name: self.name.clone(),
            comma: self.comma.0,
            zone: self.zone.clone(),
            infinite: self.infinite.as_ref().map(place),
            has_text: self.has_text,
            by_value: self.by_value,
            think_at: self.think_at,
            known,
            cells,
        };
        wire::put_bytes(out, &serde_json::to_vec(&about)?)?;
        match &self.cells {
            Cells::Words { words, codes } => {
                words.iter().try_for_each(|word| wire::put_bytes(out, word))?;
                codes.write(out)
            }
            Cells::Numbers { values, .. } => values.write(out),
            Cells::Nothing => Ok(()),
        }
    }

    /// The column, of so many rows, and what is known of it; `expect` says what was expected of it.
    pub(in crate::data) fn read(
        from: &mut dyn Read,
        rows: usize,
        expect: &dyn Fn(&str) -> Expected,
    ) -> io::Result<(Self, Known)> {
        let about: About = serde_json::from_slice(&wire::take_bytes(from)?)?;
        let (cells, length) = match about.cells {
            Kind::Words(different) => {
                let mut words = Dictionary::default();
                for number in 0..different {
                    let word = wire::take_bytes(from)?;
                    if word.len() > MAX_WORD || words.number(&word) != (number as u32, true) {
                        return Err(wire::torn());
                    }
                }
                let codes = Codes::read(from)?;
                if codes.iter().any(|code| code as usize >= different) {
                    return Err(wire::torn());
                }
                let length = codes.len();
                (Cells::Words { words, codes }, length)
            }
            Kind::Numbers { repeats } => {
                let values = Listed::read(from)?;
                let length = values.len();
                (Cells::Numbers { values, repeats }, length)
            }
            Kind::Nothing => (Cells::Nothing, rows),
        };
        if length != rows {
            return Err(wire::torn());
        }
        let place = |(file, line, column, text)| (Place { file, line, column }, text);
        let mut read = Column::new(about.name.clone(), expect(&about.name), DecimalComma(about.comma));
        (read.cells, read.zone, read.infinite) = (cells, about.zone, about.infinite.map(place));
        (read.has_text, read.by_value, read.think_at) = (about.has_text, about.by_value, about.think_at);
        Ok((read, about.known))
    }
}
