//! What may be chosen about reading and coding a table, and what reading may take.

use crate::Error;
use clausality_bn::DEFAULT_TABLE_BYTES;
use serde::{Deserialize, Deserializer, Serialize};
use std::collections::BTreeMap;

/// How a table is read and coded.
///
/// | name | default | purpose | range |
/// |---|---|---|---|
/// | `bins` | 4 | states of a numeric column with more distinct values than this | 2 to 50 |
/// | `discretize` | `quantile` | where the bins of a numeric column are cut | `quantile`, `width` |
/// | `missing` | `state` | what a cell without a value becomes | `state`, `drop` |
/// | `na` | `NA`, `NaN`, `nan`, `null`, `NULL`, `?` | cells that mean "no value", beside the empty cell | any text |
/// | `type` | none | column → type, against inference | see [`ColumnType`] |
/// | `levels` | none | column → its levels from low to high (makes it ordered) | unique text |
/// | `max-categories` | 20 | a categorical column keeps at most this many states, the rarest share `other` | 2 to 250 |
/// | `separator` | detected | what stands between cells | one ASCII character |
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct DataSettings {
    /// States of a numeric column that has more distinct values than this.
    pub bins: usize,
    /// Where bins are cut; `None` leaves the choice to the profile (quantiles unless it says otherwise).
    pub discretize: Option<Discretize>,
    /// What a cell without a value becomes.
    pub missing: MissingRule,
    /// Cells that mean "no value", beside the empty cell.
    pub na: Vec<String>,
    /// Types given by the user, by column.
    #[serde(rename = "type")]
    pub types: BTreeMap<String, ColumnType>,
    /// Levels from low to high, by column.
    #[serde(deserialize_with = "levels_by_column")]
    pub levels: BTreeMap<String, Vec<String>>,
    /// The most states a categorical column keeps (gaps not counted).
    pub max_categories: usize,
    /// What stands between cells; `None` is detected.
    pub separator: Option<char>,
    /// Whether finer states are kept beside the variables: whoever predicts a column asks for it, not the user.
    #[serde(skip)]
    pub fine: bool,
}

impl Default for DataSettings {
    fn default() -> Self {
        DataSettings {
            bins: 4,
            discretize: None,
            missing: MissingRule::State,
            na: ["NA", "NaN", "nan", "null", "NULL", "?"].map(String::from).to_vec(),
            types: BTreeMap::new(),
            levels: BTreeMap::new(),
            max_categories: 20,
            separator: None,
            fine: false,
        }
    }
}

impl DataSettings {
    /// Checks every range; column names are checked when a table is read.
    pub fn check(&self) -> Result<(), Error> {
        let wrong = |name, value: String, expected| Err(Error::Setting { name, value, expected });
        if !(2..=50).contains(&self.bins) {
            return wrong("bins", self.bins.to_string(), "between 2 and 50");
        }
        if !(2..=250).contains(&self.max_categories) {
            return wrong("max-categories", self.max_categories.to_string(), "between 2 and 250");
        }
        for (column, levels) in &self.levels {
            check_levels(column, levels)?;
        }
        if let Some(separator) = self.separator
            && (!separator.is_ascii() || matches!(separator, '"' | '\n' | '\r' | ' '))
        {
            let value = format!("'{}'", separator.escape_default());
            return wrong("separator", value, "one ASCII character, and no quote, blank or line end");
        }
        Ok(())
    }

    /// Where bins are cut.
    pub fn cutting(&self) -> Discretize {
        self.discretize.unwrap_or_default()
    }
}

fn check_levels(column: &str, levels: &[String]) -> Result<(), Error> {
    let mut sorted: Vec<&String> = levels.iter().collect();
    sorted.sort();
    let repeated = sorted.windows(2).any(|pair| pair[0] == pair[1]);
    if (2..=250).contains(&levels.len()) && !repeated && !levels.iter().any(String::is_empty) {
        return Ok(());
    }
    let value = format!("'{column}={}'", levels.join("<"));
    Err(Error::Setting { name: "levels", value, expected: "2 to 250 different levels, from low to high" })
}

/// A type given by the user.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ColumnType {
    /// Mere names, whatever the cells look like.
    Categorical,
    /// Numbers, cut into bins; a cell that is no number is an error.
    Numeric,
    /// Numbers as ordered states without cutting, or text whose order `levels` gives.
    Ordered,
    /// ISO-8601 dates; a cell that is none is an error.
    Date,
    /// Left out.
    Ignore,
    /// Kept even though it looks like an id; the type itself is inferred.
    Keep,
}

/// Where the bins of a numeric column are cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Discretize {
    /// Bins of nearly equal counts.
    #[default]
    Quantile,
    /// Bins of equal width.
    Width,
}

/// What a cell without a value becomes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum MissingRule {
    /// A state of its own, in columns that have gaps.
    #[default]
    State,
    /// The whole row is left out.
    Drop,
}

/// Bounds on what reading a table may take; reaching one is refused, not survived.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bounds {
    /// Bytes that the columns may take while they are read.
    pub memory: Option<u64>,
    /// Bytes any compressed input may decompress to, however small it is.
    pub decompressed: u64,
    /// Above `decompressed`, how many bytes each compressed byte may become.
    pub expansion: u64,
}

impl Bounds {
    /// Bytes that the probability tables of a network may take.
    pub fn table_bytes(&self) -> u64 {
        self.memory.unwrap_or(DEFAULT_TABLE_BYTES)
    }
}

impl Default for Bounds {
    fn default() -> Self {
        Bounds { memory: None, decompressed: 256 << 20, expansion: 200 }
    }
}

/// Levels as a list, or as one text `a<b<c`.
fn levels_by_column<'de, D: Deserializer<'de>>(from: D) -> Result<BTreeMap<String, Vec<String>>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Levels {
        List(Vec<String>),
        Text(String),
    }
    let given = BTreeMap::<String, Levels>::deserialize(from)?;
    let parse = |levels| match levels {
        Levels::List(list) => list,
        Levels::Text(text) => text.split('<').map(|level| level.trim().to_string()).collect(),
    };
    Ok(given.into_iter().map(|(column, levels)| (column, parse(levels))).collect())
}
