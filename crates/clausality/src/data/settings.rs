//! What may be chosen about reading and coding a table, and what reading may take.

use super::by_column::ByColumn;
use crate::Error;
use crate::data::cells::date::{DateOrder, DatePart};
use clausality_bn::DEFAULT_TABLE_BYTES;
use serde::{Deserialize, Deserializer, Serialize};
use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

/// How a table is read and coded.
///
/// | name | default | purpose | range |
/// |---|---|---|---|
/// | `bins` | 4 | states of a numeric column with more distinct values than this | 2 to 50 |
/// | `discretize` | `quantile` | where the bins of a numeric column are cut | `quantile`, `width` |
/// | `missing` | `em` | what a cell without a value means; for all columns, or by column | `pairs`, `em`, `state`, `drop` |
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
    /// What a cell without a value means.
    pub missing: ByColumn<MissingRule>,
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
            missing: ByColumn::default(),
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
#[serde(try_from = "String", into = "String")]
pub enum ColumnType {
    /// Mere names, whatever the cells look like.
    Categorical,
    /// Numbers, cut into bins; a cell that is no number is an error.
    Numeric,
    /// Numbers as ordered states without cutting, or text whose order `levels` gives.
    Ordered,
    /// Dates or times, `date` or with the parts that are wanted `date:year,hour`; a cell that is none is an error.
    Date(DateWish),
    /// Left out.
    Ignore,
    /// Kept even though it looks like an id; the type itself is inferred.
    Keep,
}

impl ColumnType {
    /// The types as they are written.
    pub const WORDS: &'static str = "categorical, numeric, ordered, date, ignore or keep";
}

impl fmt::Display for ColumnType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ColumnType::Categorical => f.write_str("categorical"),
            ColumnType::Numeric => f.write_str("numeric"),
            ColumnType::Ordered => f.write_str("ordered"),
            ColumnType::Date(wish) => write!(f, "date{wish}"),
            ColumnType::Ignore => f.write_str("ignore"),
            ColumnType::Keep => f.write_str("keep"),
        }
    }
}

impl FromStr for ColumnType {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "categorical" => Ok(ColumnType::Categorical),
            "numeric" => Ok(ColumnType::Numeric),
            "ordered" => Ok(ColumnType::Ordered),
            "date" => Ok(ColumnType::Date(DateWish::default())),
            "ignore" => Ok(ColumnType::Ignore),
            "keep" => Ok(ColumnType::Keep),
            _ => match text.strip_prefix("date:") {
                Some(parts) => parts.parse().map(ColumnType::Date),
                None => Err(format!("'{text}' is no type; expected {}", Self::WORDS)),
            },
        }
    }
}

impl TryFrom<String> for ColumnType {
    type Error = String;
    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

impl From<ColumnType> for String {
    fn from(kind: ColumnType) -> String {
        kind.to_string()
    }
}

/// What the user wants of a date: some of its parts (none named: those that say something), and which number of `03/04/2019` is the
/// day. Written `year,hour`, `dmy`, `mdy,when`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct DateWish {
    parts: [bool; DatePart::ALL.len()],
    order: Option<DateOrder>,
}

impl DateWish {
    /// Whether no part is named.
    pub fn is_open(&self) -> bool {
        self.parts == [false; DatePart::ALL.len()]
    }

    /// Whether a part is named.
    pub fn has(&self, part: DatePart) -> bool {
        self.parts[part as usize]
    }

    /// Which number is the day, if that is said.
    pub fn order(&self) -> Option<DateOrder> {
        self.order
    }
}

impl fmt::Display for DateWish {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let order = self.order.map(|order| if order == DateOrder::Dmy { "dmy" } else { "mdy" });
        let parts = DatePart::ALL.into_iter().filter(|&part| self.has(part)).map(DatePart::word);
        for (place, word) in order.into_iter().chain(parts).enumerate() {
            write!(f, "{}{word}", if place == 0 { ":" } else { "," })?;
        }
        Ok(())
    }
}

impl FromStr for DateWish {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        let mut wish = DateWish::default();
        for word in text.split(',').map(str::trim) {
            match (word, DatePart::ALL.into_iter().find(|part| part.word() == word)) {
                (_, Some(part)) => wish.parts[part as usize] = true,
                ("dmy", _) => wish.order = Some(DateOrder::Dmy),
                ("mdy", _) => wish.order = Some(DateOrder::Mdy),
                _ => {
                    return Err(format!(
                        "'{word}' is no part of a date; expected some of year, month, weekday, hour and when, or how 03/04/2019 is \
                         to be read: dmy or mdy"
                    ));
                }
            }
        }
        Ok(wish)
    }
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

/// What a cell without a value means. A gap is not a value: unless it is given a state, it is unknown, and never predicted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum MissingRule {
    /// Unknown: every family is counted on the rows that have all of it.
    Pairs,
    /// Unknown: the same, and the search is repeated on the table with its gaps filled in by what was learned (structural EM).
    #[default]
    Em,
    /// A state of its own, in columns that have gaps.
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
