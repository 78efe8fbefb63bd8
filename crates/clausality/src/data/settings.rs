//! What may be chosen about reading and coding a table, and what reading may take.

use super::by_column::ByColumn;
use crate::Error;
use crate::data::cells::date::{DateOrder, DatePart};
use crate::data::cells::number;
use crate::memory::{GRACE, Held, Room, TooMuch};
use clausality_bn::DEFAULT_TABLE_BYTES;
use clausality_bn::infer::DEFAULT_BYTES;
use clausality_bn::io::Limits;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::str::FromStr;

/// How a table is read and coded.
///
/// | name | default | purpose | range |
/// |---|---|---|---|
/// | `bins` | 4 | states of a numeric column with more distinct values than this; also by column | 2 to 50 |
/// | `cuts` | none | column → the numbers at which a state begins | rising numbers |
/// | `discretize` | `quantile` | where the bins of a numeric column are cut | `quantile`, `width`, `mdl` |
/// | `missing` | `em` | what a cell without a value means; for all columns, or by column | `pairs`, `em`, `state`, `drop` |
/// | `na` | `NA`, `NaN`, `nan`, `null`, `NULL`, `?` | cells that mean "no value", beside the empty cell; those of a column come on top; among numbers by value (99 also means `99.0`) | texts or numbers |
/// | `type` | none | column → type, against inference | see [`ColumnType`] |
/// | `levels` | none | column → its levels from low to high (makes it ordered); those of numbers by value (2500 is also `2500.0`); levels not listed follow | unique text |
/// | `max-categories` | 20, up to 64 that have rows enough | a categorical column keeps at most this many states, the rarest share `other` | 2 to 250 |
/// | `rows-held` | 1,000,000 | of a table in files with more rows an even part of so many stands for all until families are counted | 1,000 to 4,000,000,000 |
/// | `row-weights` | none | a column whose numbers say how much each row counts (survey weights); it is no variable | a column of numbers from 0 on |
/// | `time` | none | a column of dates, times or whole numbers that puts the rows in order; it is no variable | a column |
/// | `entity` | none | a column that says whose a row is: which series it belongs to beside `time`, and without which rows stay together where predictions are judged; it is no variable | a column |
/// | `separator` | detected | what stands between cells | one ASCII character |
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct DataSettings {
    /// States of a numeric column that has more distinct values than this.
    #[serde(deserialize_with = "bins_by_column")]
    pub bins: ByColumn<usize>,
    /// The numbers at which a state begins, by column.
    #[serde(deserialize_with = "cuts_by_column")]
    pub cuts: BTreeMap<String, Vec<f64>>,
    /// Where bins are cut; `None` leaves the choice to the profile (quantiles unless it says otherwise).
    pub discretize: Option<Discretize>,
    /// What a cell without a value means.
    pub missing: ByColumn<MissingRule>,
    /// Cells that mean "no value", beside the empty cell; those of a column come on top of those of all.
    #[serde(deserialize_with = "marks_by_column")]
    pub na: ByColumn<Vec<String>>,
    /// Types given by the user, by column.
    #[serde(rename = "type")]
    pub types: BTreeMap<String, ColumnType>,
    /// Levels from low to high, by column.
    #[serde(deserialize_with = "levels_by_column")]
    pub levels: BTreeMap<String, Vec<String>>,
    /// The most states a categorical column keeps (gaps not counted); `None`: 20, and up to 64 where each has rows enough.
    pub max_categories: Option<usize>,
    /// The most rows of a table in files that are held in memory: of a longer one an even part, and all are counted where they lie.
    pub rows_held: usize,
    /// A column whose numbers say how much each row counts.
    pub row_weights: Option<String>,
    /// A column that puts the rows in order.
    pub time: Option<String>,
    /// A column that says which series a row belongs to.
    pub entity: Option<String>,
    /// What stands between cells; `None` is detected.
    pub separator: Option<char>,
    /// Columns whose numbers are mere names, as the table says: of a frame's categories. The user's types come first.
    #[serde(skip)]
    pub names: BTreeSet<String>,
    /// Whether finer states are kept beside the variables: whoever predicts a column asks for it, not the user.
    #[serde(skip)]
    pub fine: bool,
}

/// What means "no value" unless the user says otherwise: what pandas takes for it, but for `None`, which is a level of many a column, and
/// the `?` of older collections.
pub const MARKS: [&str; 18] = [
    "NA", "NaN", "nan", "null", "NULL", "?", "N/A", "n/a", "#N/A", "#N/A N/A", "#NA", "<NA>", "-NaN", "-nan",
    "1.#IND", "-1.#IND", "1.#QNAN", "-1.#QNAN",
];

impl Default for DataSettings {
    fn default() -> Self {
        DataSettings {
            bins: 4.into(),
            cuts: BTreeMap::new(),
            discretize: None,
            missing: ByColumn::default(),
            na: MARKS.map(String::from).to_vec().into(),
            types: BTreeMap::new(),
            levels: BTreeMap::new(),
            max_categories: None,
            rows_held: 1_000_000,
            row_weights: None,
            time: None,
            entity: None,
            separator: None,
            names: BTreeSet::new(),
            fine: false,
        }
    }
}

/// So many states a column of texts has however few rows each has, unless somebody says otherwise.
pub(crate) const FEW_STATES: usize = 20;

/// The least rows that may be asked for.
pub(super) const LEAST_HELD: usize = 1000;

impl DataSettings {
    /// Checks every range; column names are checked when a table is read.
    pub fn check(&self) -> Result<(), Error> {
        let wrong = |name, value: String, expected| Err(Error::Setting { name, value, expected });
        if let Some((column, bins)) = self.bins.iter().find(|(_, bins)| !(2..=50).contains(*bins)) {
            let value = if column == ByColumn::<usize>::ALL {
                bins.to_string()
            } else {
                format!("'{column}={bins}'")
            };
            return wrong("bins", value, "between 2 and 50");
        }
        if let Some(most) = self.max_categories.filter(|most| !(2..=250).contains(most)) {
            return wrong("max-categories", most.to_string(), "between 2 and 250");
        }
        if !(LEAST_HELD..=4_000_000_000).contains(&self.rows_held) {
            return wrong("rows-held", self.rows_held.to_string(), "between 1,000 and 4,000,000,000");
        }
        for (column, levels) in &self.levels {
            check_levels(column, levels)?;
            if let Some(kind @ (ColumnType::Numeric | ColumnType::Date(_))) = self.types.get(column) {
                return Err(Error::Contradiction {
                    one: format!("levels '{column}={}'", levels.join("<")),
                    other: format!("type '{column}={kind}'"),
                    reason: "levels are texts as they stand in the cells",
                });
            }
        }
        self.check_cutting()?;
        self.check_time()?;
        if let Some(separator) = self.separator
            && (!separator.is_ascii() || matches!(separator, '"' | '\n' | '\r' | ' '))
        {
            let value = format!("'{}'", separator.escape_default());
            return wrong("separator", value, "one ASCII character, and no quote, blank or line end");
        }
        Ok(())
    }

    /// What puts rows in order plays no other part.
    fn check_time(&self) -> Result<(), Error> {
        match (&self.time, &self.entity, &self.row_weights) {
            (Some(time), Some(entity), _) if time == entity => Err(Error::Contradiction {
                one: format!("time '{time}'"),
                other: format!("entity '{entity}'"),
                reason: "a column says when or whose a row is, not both",
            }),
            (Some(time), _, Some(weights)) => Err(Error::Contradiction {
                one: format!("time '{time}'"),
                other: format!("row-weights '{weights}'"),
                reason: "steps of a series count alike",
            }),
            _ => Ok(()),
        }
    }

    /// A column is cut in one way, and only if it is numeric.
    fn check_cutting(&self) -> Result<(), Error> {
        let wrong = |name, value: String, expected| Err(Error::Setting { name, value, expected });
        for (column, cuts) in &self.cuts {
            let texts: Vec<String> = cuts.iter().map(|cut| number::write(*cut)).collect();
            let value = format!("'{column}={}'", texts.join(","));
            let rising =
                cuts.windows(2).all(|pair| pair[0] < pair[1]) && cuts.iter().all(|cut| cut.is_finite());
            if !rising || !(1..250).contains(&cuts.len()) {
                return wrong("cuts", value, "1 to 249 rising numbers");
            }
            if self.bins.columns.contains_key(column) {
                return wrong(
                    "cuts",
                    value,
                    "for a column that bins does not name: leave out one of the two",
                );
            }
        }
        for (name, columns) in
            [("cuts", self.cuts.keys().collect::<Vec<_>>()), ("bins", self.bins.columns.keys().collect())]
        {
            for column in columns {
                let kind = self.types.get(column);
                let numeric = matches!(kind, None | Some(ColumnType::Numeric | ColumnType::Keep));
                let numeric = numeric || (name == "bins" && kind == Some(&ColumnType::Ordered));
                if !numeric || self.levels.contains_key(column) {
                    let expected = "for numeric columns: leave it out, or the type or levels of that column";
                    return wrong(name, format!("about column '{column}'"), expected);
                }
            }
        }
        Ok(())
    }

    /// Whether the user says how a column's numbers are cut, so that they are numbers.
    pub(in crate::data) fn cuts_numbers_of(&self, column: &str) -> bool {
        self.cuts.contains_key(column) || self.bins.columns.contains_key(column)
    }

    /// The levels that were listed for a column, with the name that they stand under. A name may hold `=` as well as a level may,
    /// so `a=b=x<y` is about column `a=b` in a table that has it and has no `a`.
    pub(in crate::data) fn levels_of(
        &self,
        column: &str,
        is_column: impl Fn(&str) -> bool,
    ) -> Option<(String, Vec<String>)> {
        if let Some(levels) = self.levels.get(column) {
            return Some((column.to_string(), levels.clone()));
        }
        self.levels.iter().find_map(|(name, levels)| {
            let rest = column.strip_prefix(name.as_str())?.strip_prefix('=')?;
            let first = levels.first()?.strip_prefix(rest)?.strip_prefix('=')?;
            let others = levels.iter().skip(1).cloned();
            (!is_column(name))
                .then(|| (name.clone(), [first.to_string()].into_iter().chain(others).collect()))
        })
    }

    /// Where bins are cut.
    pub fn cutting(&self) -> Discretize {
        self.discretize.unwrap_or_default()
    }

    /// The most different values that are few.
    pub(super) fn few_categories(&self) -> usize {
        self.max_categories.unwrap_or(FEW_STATES)
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
    /// As many bins, and where, as the neighbours in the network make worth their while; quantiles until there is a network.
    Mdl,
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

/// Bounds on what work may take; reaching one is refused, not survived.
///
/// What the user says ([`Bounds::memory`]) also decides how large the tables of a network may become. What the machine leaves
/// ([`Bounds::room`]) only refuses: the same table and settings give the same network wherever they give one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bounds {
    /// Bytes that the user allows for everything that work holds, if they say so.
    pub memory: Option<u64>,
    /// What there is for it here: at most that. Nothing is planned or watched without.
    pub room: Option<Room>,
    /// Bytes any compressed input may decompress to, however small it is.
    pub decompressed: u64,
    /// Above `decompressed`, how many bytes each compressed byte may become.
    pub expansion: u64,
}

/// With less than this nothing can be asked: the smallest table of a question takes some of it.
const LEAST_INFERENCE: u64 = 64 << 10;

/// The largest network file that is read unless the user says otherwise.
const NETWORK_BYTES: u64 = 256 << 20;

/// What a network takes for each byte of its file: the text, its numbers as doubles, once more where rows are scaled, and names.
const NETWORK_FACTOR: u64 = 4;

impl Bounds {
    /// What work may take on this machine: what the user allows, else half of what there is ([`crate::memory`]).
    pub fn here(memory: Option<u64>, held: Held) -> Self {
        Bounds { memory, room: Some(Room::here(memory, held)), ..Bounds::default() }
    }

    /// Bytes that may be held, if that is bounded.
    pub fn allowed(&self) -> Option<u64> {
        self.room.map(|room| room.bytes).or(self.memory)
    }

    /// Bytes that the probability tables of a network may take.
    pub fn table_bytes(&self) -> u64 {
        self.memory.unwrap_or(DEFAULT_TABLE_BYTES)
    }

    /// Bytes that exact inference may take beside what is held already.
    pub fn inference_bytes(&self) -> u64 {
        self.inference_bytes_of(1)
    }

    /// The same for each of so many that ask at the same time.
    pub(crate) fn inference_bytes_of(&self, askers: usize) -> u64 {
        let asked = self.memory.unwrap_or(DEFAULT_BYTES);
        let share = |room: Room| (room.left() / askers.max(1) as u64).min(room.bytes);
        self.room.map_or(asked, |room| asked.min(share(room)))
    }

    /// The same, or why nobody can ask anything: what is held already takes all there is.
    ///
    /// # Errors
    /// [`TooMuch::NothingLeft`].
    pub(crate) fn inference_room(&self, work: &'static str, askers: usize) -> Result<u64, Error> {
        match self.room.filter(|room| room.left() / (askers.max(1) as u64) < LEAST_INFERENCE) {
            Some(room) => Err(TooMuch::nothing_left(work, room).into()),
            None => Ok(self.inference_bytes_of(askers)),
        }
    }

    /// Bounds for reading a network.
    pub fn limits(&self) -> Limits {
        let asked = self.memory.unwrap_or(NETWORK_BYTES);
        let fits = |allowed: u64| allowed.saturating_add(GRACE) / NETWORK_FACTOR;
        let bytes = self.allowed().map_or(asked, |allowed| asked.min(fits(allowed)));
        // Rows that are scaled to sum to one are held twice.
        let tables = self.room.map_or(u64::MAX, |room| room.left() / 2);
        let input_bytes = usize::try_from(bytes).unwrap_or(usize::MAX);
        Limits { input_bytes, table_bytes: self.table_bytes().min(tables) }
    }
}

impl Default for Bounds {
    fn default() -> Self {
        Bounds { memory: None, room: None, decompressed: 256 << 20, expansion: 200 }
    }
}

/// Levels as a list, or as one text `a<b<c`.
fn levels_by_column<'de, D: Deserializer<'de>>(from: D) -> Result<BTreeMap<String, Vec<String>>, D::Error> {
    let given = BTreeMap::<String, Listed<String>>::deserialize(from)?;
    let parse = |levels: Listed<String>| match levels {
        Listed::List(list) => list,
        Listed::One(text) => text.split('<').map(|level| level.trim().to_string()).collect(),
    };
    Ok(given.into_iter().map(|(column, levels)| (column, parse(levels))).collect())
}

/// Cuts as a list, or as one number.
fn cuts_by_column<'de, D: Deserializer<'de>>(from: D) -> Result<BTreeMap<String, Vec<f64>>, D::Error> {
    let given = BTreeMap::<String, Listed<f64>>::deserialize(from)?;
    Ok(given.into_iter().map(|(column, cuts)| (column, cuts.list())).collect())
}

fn bins_by_column<'de, D: Deserializer<'de>>(from: D) -> Result<ByColumn<usize>, D::Error> {
    let expected =
        "expected a whole number between 2 and 50 for all columns, or a table of columns with one for each";
    let wrong = |_| D::Error::custom(expected);
    let given = Choices::<i64>::deserialize(from).map_err(wrong)?;
    let bins = |bins: i64| {
        usize::try_from(bins).map_err(|_| D::Error::custom(format!("{bins} is not between 2 and 50")))
    };
    let given = match given {
        Choices::All(all) => Choices::All(bins(all)?),
        Choices::Columns(columns) => {
            let one = |(column, each)| Ok((column, bins(each)?));
            Choices::Columns(columns.into_iter().map(one).collect::<Result<_, D::Error>>()?)
        }
    };
    Ok(by_column(given, DataSettings::default().bins.all))
}

/// A mark as it is written: a text, or a number.
#[derive(Deserialize)]
#[serde(untagged, expecting = "expected a text or a number")]
enum Mark {
    Text(String),
    Whole(i64),
    Number(f64),
}

impl Mark {
    fn text(self) -> String {
        match self {
            Mark::Text(text) => text,
            Mark::Whole(number) => number.to_string(),
            Mark::Number(number) => number::write(number),
        }
    }
}

/// Marks as a list, or as one text or number.
pub(crate) fn marks_by_column<'de, D: Deserializer<'de>>(from: D) -> Result<ByColumn<Vec<String>>, D::Error> {
    let texts = |marks: Listed<Mark>| marks.list().into_iter().map(Mark::text).collect();
    let given = match Choices::<Listed<Mark>>::deserialize(from)? {
        Choices::All(marks) => Choices::All(texts(marks)),
        Choices::Columns(columns) => {
            Choices::Columns(columns.into_iter().map(|(column, marks)| (column, texts(marks))).collect())
        }
    };
    Ok(by_column(given, DataSettings::default().na.all))
}

/// The same where nothing may be said.
pub(crate) fn any_marks_by_column<'de, D>(from: D) -> Result<Option<ByColumn<Vec<String>>>, D::Error>
where
    D: Deserializer<'de>,
{
    #[derive(Deserialize)]
    struct Marks(#[serde(deserialize_with = "marks_by_column")] ByColumn<Vec<String>>);
    Ok(Option::<Marks>::deserialize(from)?.map(|Marks(marks)| marks))
}

/// One choice, or one for each of some columns.
#[derive(Deserialize)]
#[serde(untagged, expecting = "expected one choice for all columns, or a table of columns")]
enum Choices<T> {
    All(T),
    Columns(BTreeMap<String, T>),
}

#[derive(Deserialize)]
#[serde(untagged, expecting = "expected a list")]
enum Listed<T> {
    List(Vec<T>),
    One(T),
}

impl<T> Listed<T> {
    fn list(self) -> Vec<T> {
        match self {
            Listed::List(list) => list,
            Listed::One(one) => vec![one],
        }
    }
}

fn by_column<T>(given: Choices<T>, usual: T) -> ByColumn<T> {
    match given {
        Choices::All(all) => all.into(),
        Choices::Columns(mut columns) => {
            let all = columns.remove(ByColumn::<T>::ALL).unwrap_or(usual);
            ByColumn { all, columns }
        }
    }
}
