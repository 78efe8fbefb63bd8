//! What a table writes where it has no value.

use crate::data::cells::number::{self, DecimalComma, Numeral};
use crate::data::{ByColumn, DataSettings};
use std::collections::BTreeMap;

/// The cells that mean "no value": the empty one and some texts, more of them in some columns.
#[derive(Debug, Clone)]
pub(in crate::data) struct Marks {
    texts: ByColumn<Vec<String>>,
    /// Texts that are listed as levels of a column: there they are values, unless that column's own marks say otherwise.
    levels: BTreeMap<String, Vec<String>>,
    /// Whether a mark looks like a number (such as -999), so that numbers must be compared too.
    pub(super) numeric: bool,
}

impl Marks {
    pub(in crate::data) fn new(texts: &ByColumn<Vec<String>>) -> Self {
        let is_number =
            |text: &String| number::read_declared(text.as_bytes(), DecimalComma(true)) != Numeral::Other;
        let numeric = texts.columns.values().chain([&texts.all]).flatten().any(is_number);
        Marks { texts: texts.clone(), levels: BTreeMap::new(), numeric }
    }

    /// The marks that settings say.
    pub(in crate::data) fn of(settings: &DataSettings) -> Self {
        Marks { levels: settings.levels.clone(), ..Marks::new(&settings.na) }
    }

    /// Whether a cell of a column means "no value".
    pub(in crate::data) fn mark(&self, column: &str, cell: &[u8]) -> bool {
        let among = |texts: &[String]| texts.iter().any(|mark| mark.as_bytes() == cell);
        let listed = || self.levels.get(column).is_some_and(|levels| among(levels));
        cell.is_empty()
            || among(&self.texts.all) && !listed()
            || self.texts.columns.get(column).is_some_and(|own| among(own))
    }

    /// Whether a cell is the number of a mark in another spelling, as `99.0` is 99; not where it is a level as it stands.
    pub(super) fn number(&self, column: &str, cell: &[u8], read: impl Fn(&[u8]) -> Numeral) -> bool {
        let value @ Numeral::Finite(_) = read(cell) else { return false };
        let among = |texts: &[String]| texts.iter().any(|text| read(text.as_bytes()) == value);
        let levels = self.levels.get(column);
        !levels.is_some_and(|levels| levels.iter().any(|level| level.as_bytes() == cell))
            && (self.texts.columns.get(column).is_some_and(|own| among(own))
                || among(&self.texts.all) && !levels.is_some_and(|levels| among(levels)))
    }

    /// Whether all levels that are listed for a column are numbers.
    pub(super) fn has_numbers_as_levels(&self, column: &str) -> bool {
        let is_number = |text: &String| number::read(text.as_bytes(), DecimalComma(false)) != Numeral::Other;
        self.levels.get(column).is_some_and(|levels| levels.iter().all(is_number))
    }
}
