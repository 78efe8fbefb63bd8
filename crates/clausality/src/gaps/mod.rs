//! What the gaps of a table say: which columns miss together, in which rows, and what goes with a gap.
//!
//! A gap is not a value, and nothing here becomes an arc: "gaps of X depend on Y" is a finding about how the table was
//! recorded. Four looks, each over *units*: columns whose gaps are (nearly) the same count as one, so that ten columns of one
//! lost questionnaire are told once.
//!
//! | look | by | told if |
//! |---|---|---|
//! | together | φ of two gap indicators | φ ≥ 0.9 |
//! | patterns | rows that lack exactly these columns | the most frequent |
//! | blocks | the best segment of a log-likelihood ratio (`blocks`) | chance gives one in 100 tables |
//! | what goes with a gap | G² over values, other gaps, the order of rows (`depend`) | p < 0.01 after Bonferroni, V ≥ 0.1 |
//!
//! ```
//! use clausality::{bn, data::Dataset, embedded, gaps};
//! let full = bn::sample(&embedded::network("asia")?, 1000, 1);
//! assert_eq!(gaps::look(&Dataset::sampled(full)), None);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Complexity: O(gaps × columns + units² × rows / 64); of tables for which that is too much every k-th row is looked at.

mod blocks;
mod depend;
mod giveaway;
mod sentences;
mod together;

pub(crate) use giveaway::giveaways;
pub use giveaway::given_away;
pub use sentences::meaning;

use crate::data::{ColumnReport, Dataset, Relation, Role, Twin, VariableReport};
use crate::words::numbers;
use clausality_bn::{MISSING, Table};
use serde::{Deserialize, Serialize};

/// A level for all tests of one table together.
const LEVEL: f64 = 0.01;
/// Fewer gaps than these say little: half as many again among the rows of a state that a third of all rows have would not be told from chance.
const FEW: usize = 30;
/// Unless one row in so many has one.
const MANY_ROWS: usize = 20;
/// Numbers that may be years.
const YEARS: std::ops::RangeInclusive<f64> = 1800.0..=2100.0;
/// From this effect (Cramér's V) on a value all but tells the gap, so that the gap says something.
const TELLING: f64 = 0.6;
/// From this effect on a gap and a value say the same: with a state for its gaps the column would repeat the value's column.
const REPEATING: f64 = 0.9;
/// Time tells gaps as well as a value does if its effect is so large a part of the value's, which may change with time itself.
const AS_STRONG: f64 = 0.9;
/// Where so many of the rows with some value are gaps, nobody was asked there.
const NOT_ASKED: f64 = 0.99;

/// What the gaps of a table say.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Gaps {
    /// Rows of the table.
    pub rows: usize,
    /// Rows without a gap.
    pub complete_rows: usize,
    /// Gaps in all.
    pub cells: usize,
    /// The columns with gaps, most first.
    pub columns: Vec<ColumnGaps>,
    /// Which columns are missing in the same row, the most frequent combinations first.
    pub patterns: Vec<Pattern>,
    /// How many combinations are not listed.
    pub other_patterns: usize,
    /// Columns whose gaps are (nearly) the same.
    pub together: Vec<Together>,
    /// Stretches of rows without values.
    pub blocks: Vec<Block>,
    /// What goes with a gap, the clearest first.
    pub findings: Vec<Finding>,
}

/// A column with gaps.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ColumnGaps {
    /// The column.
    pub name: String,
    /// Its gaps.
    pub gaps: usize,
}

/// Rows that lack exactly these columns.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Pattern {
    /// The columns.
    pub columns: Vec<String>,
    /// The rows.
    pub rows: usize,
}

/// Columns whose gaps are (nearly) the same.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Together {
    /// The columns.
    pub columns: Vec<String>,
    /// Rows that lack all of them.
    pub all: usize,
    /// Rows that lack at least one of them.
    pub any: usize,
}

/// A stretch of rows in which columns have (almost) no values.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Block {
    /// Its first row, counted from 1 without the header.
    pub from: usize,
    /// Its last row.
    pub to: usize,
    /// The columns.
    pub columns: Vec<String>,
    /// The share of its cells that are gaps.
    pub share: f64,
}

/// Something that goes with the gaps of some columns.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Finding {
    /// The columns, which miss together if they are several.
    pub columns: Vec<String>,
    /// What their gaps go with.
    pub with: With,
    /// Where gaps are fewest, or for an order its first part if they become more or fewer along it.
    pub least: Share,
    /// Where gaps are most, or for an order its last part.
    pub most: Share,
    /// How much: Cramér's V, from 0 to 1.
    pub effect: f64,
    /// The natural logarithm of the p-value, before the correction for many tests.
    pub ln_p: f64,
}

/// What gaps go with.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum With {
    /// The values of a variable.
    Values(String),
    /// The gaps of another column.
    Gaps(String),
    /// The order of rows.
    Order(Course),
    /// Time, by a date column.
    Time(String, Course),
}

/// How gaps come along an order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Course {
    /// More and more.
    Later,
    /// Fewer and fewer.
    Earlier,
    /// More at some places than at others.
    Uneven,
}

/// How many rows of a kind are gaps.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Share {
    /// The state, or the part of the order.
    pub of: String,
    /// Its rows.
    pub rows: usize,
    /// The share of them that are gaps.
    pub share: f64,
}

impl Gaps {
    /// Whether nothing was found: as far as one can see, cells are missing at random and each for itself.
    pub fn look_random(&self) -> bool {
        self.together.is_empty() && self.blocks.is_empty() && self.findings.is_empty()
    }

    /// Whether no column has gaps enough for anything but the plainest pattern to show.
    pub fn are_few(&self) -> bool {
        self.columns.iter().all(|column| column.gaps < FEW)
    }

    /// Columns without a state for gaps whose gaps hang so much on a value that one is worth a thought, each once. That gaps hang
    /// on the calendar or a year about as much only says since when a column is recorded; a handful among many rows is no state; and a column
    /// whose presence gives an answer away is better left out than given a state, which is what the twins say.
    pub fn telling<'a>(&'a self, columns: &'a [ColumnReport], twins: &[Twin]) -> Vec<Telling<'a>> {
        let gives_away = |column: &&ColumnReport| {
            twins.iter().any(|twin| twin.relation == Relation::Presence && twin.name == column.name)
        };
        let rows_with_state = |column: &ColumnReport| -> Option<usize> {
            column.variables.first().map(|variable| variable.states.iter().map(|state| state.rows).sum())
        };
        let says_when = |name: &str| {
            let holds = |column: &&VariableReport| column.name == name;
            let of = |column: &ColumnReport| {
                let variable = column.variables.iter().find(holds)?;
                Some(column.role == Some(Role::Calendar) || are_years(variable))
            };
            columns.iter().find_map(of).unwrap_or(false)
        };
        let strongest = |column: &str| {
            let about = |finding: &&Finding| {
                finding.effect >= TELLING && finding.columns.iter().any(|name| name == column)
            };
            let by_value = |finding: &'a Finding| match &finding.with {
                With::Values(value) if !says_when(value) => Some((finding, value.as_str())),
                _ => None,
            };
            let stronger = |a: (&'a Finding, &'a str), b: (&'a Finding, &'a str)| {
                if b.0.effect > a.0.effect { b } else { a }
            };
            let by_time = |finding: &&Finding| match &finding.with {
                With::Values(value) => says_when(value),
                With::Time(..) => true,
                // Rows may be sorted by the value itself.
                With::Order(_) | With::Gaps(_) => false,
            };
            let found = self.findings.iter().filter(about).filter_map(by_value).reduce(stronger)?;
            let mut timely = self.findings.iter().filter(about).filter(by_time);
            let only_when = timely.any(|finding| finding.effect >= AS_STRONG * found.0.effect);
            (found.0.effect >= REPEATING || !only_when).then_some(found)
        };
        columns
            .iter()
            .filter(|column| rows_with_state(column).is_some_and(|rows| rows < self.rows))
            .filter(|column| column.missing >= FEW || column.missing * MANY_ROWS >= self.rows)
            .filter(|column| !gives_away(column))
            .filter_map(|column| {
                let (finding, value) = strongest(&column.name)?;
                Some(Telling { column: &column.name, value, finding, gaps: column.missing })
            })
            .collect()
    }
}

/// A column whose gaps seem to mean something, as no second driver in a policy means that there is none.
#[derive(Debug, Clone, PartialEq)]
pub struct Telling<'a> {
    /// The column.
    pub column: &'a str,
    /// The variable whose values the gaps go with.
    pub value: &'a str,
    /// How they do.
    pub finding: &'a Finding,
    /// The gaps of the column.
    pub gaps: usize,
}

impl Telling<'_> {
    /// Whether the gap is (nearly) the value itself, as a cause of death is missing exactly where nobody died, or (nearly) all of the rows with some
    /// value have one, as nobody of them was asked, and most gaps are theirs: one small ward of many that never asked says little of the others.
    pub fn repeats(&self) -> bool {
        let most = &self.finding.most;
        let theirs = most.share * most.rows as f64;
        self.finding.effect >= REPEATING || most.share >= NOT_ASKED && 2.0 * theirs >= self.gaps as f64
    }
}

/// A column that has values (nearly) only where another column says so, as a network keeps it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Following {
    /// The column.
    pub column: String,
    /// The variable that its gaps follow from.
    pub from: String,
    /// How, in words.
    pub how: String,
}

impl Gaps {
    /// The columns whose gaps follow from another's values.
    pub fn following(&self, columns: &[ColumnReport]) -> Vec<Following> {
        // Also where a gap gives an answer away: a value does, too.
        let telling = self.telling(columns, &[]);
        let repeating = telling.iter().filter(|one| one.repeats());
        let following = |one: &Telling<'_>| Following {
            column: one.column.to_string(),
            from: one.value.to_string(),
            how: one.finding.by_value(one.value),
        };
        repeating.map(following).collect()
    }
}

/// Whether the numbers of a variable are years, as far as its labels tell.
fn are_years(variable: &VariableReport) -> bool {
    let ends = variable.states.iter().filter_map(|state| numbers(&state.label));
    let mut ends = ends.flat_map(|(low, high)| [low, high]).filter(|end| end.is_finite()).peekable();
    ends.peek().is_some() && ends.all(|end| YEARS.contains(&end) && end.fract() == 0.0)
}

/// Looks at the gaps of a table; nothing if there are none.
pub fn look(dataset: &Dataset) -> Option<Gaps> {
    let columns = indicators(dataset);
    if columns.is_empty() {
        return None;
    }
    let rows = dataset.table.rows();
    let found = together::patterns(&columns, rows);
    let units = together::units(&columns, rows);
    let blocks = blocks::find(&columns, &units, rows);
    let findings = depend::findings(dataset, &columns, &units, &blocks);
    let mut counts: Vec<ColumnGaps> =
        columns.iter().map(|c| ColumnGaps { name: c.name.clone(), gaps: c.count }).collect();
    counts.sort_by(|a, b| b.gaps.cmp(&a.gaps).then_with(|| a.name.cmp(&b.name)));
    Some(Gaps {
        rows,
        complete_rows: found.complete,
        cells: counts.iter().map(|column| column.gaps).sum(),
        columns: counts,
        patterns: found.listed,
        other_patterns: found.others,
        together: together::told(&columns, &units),
        blocks: blocks::merged(&columns, &units, &blocks),
        findings,
    })
}

/// Which rows of a column are gaps.
struct Indicator {
    name: String,
    /// A bit for every row.
    bits: Vec<u64>,
    count: usize,
    /// The variables that the column became.
    variables: Vec<usize>,
}

impl Indicator {
    fn holds(&self, row: usize) -> bool {
        self.bits[row / 64] >> (row % 64) & 1 == 1
    }
}

/// Columns that miss (nearly) the same rows, by their places among the columns with gaps.
struct Unit {
    members: Vec<usize>,
    /// The rows that lack all of them.
    bits: Vec<u64>,
    count: usize,
}

impl Unit {
    fn names(&self, columns: &[Indicator]) -> Vec<String> {
        self.members.iter().map(|&member| columns[member].name.clone()).collect()
    }

    /// Its rows, ascending.
    fn rows(&self) -> impl Iterator<Item = usize> {
        let place = |(word, &bits): (usize, &u64)| {
            let mut bits = bits;
            std::iter::from_fn(move || {
                let next = (bits != 0).then(|| 64 * word + bits.trailing_zeros() as usize);
                bits &= bits.wrapping_sub(1);
                next
            })
        };
        self.bits.iter().enumerate().flat_map(place)
    }
}

/// The columns with gaps, in the order of names. The variables of one column share its gaps, so the first speaks for all.
fn indicators(dataset: &Dataset) -> Vec<Indicator> {
    let schema = dataset.table.schema();
    let mut columns: Vec<Indicator> = Vec::new();
    for column in &dataset.report {
        let variables: Vec<usize> =
            column.variables.iter().filter_map(|variable| schema.index(&variable.name)).collect();
        let Some(&first) = variables.first() else { continue };
        let bits = gaps_of(&dataset.table, first);
        let count = bits.iter().map(|word| word.count_ones() as usize).sum();
        if count > 0 {
            columns.push(Indicator { name: column.name.clone(), bits, count, variables });
        }
    }
    columns.sort_by(|a, b| a.name.cmp(&b.name));
    columns
}

/// A bit for every row: whether the variable has no value there, be that a state of its own or none.
fn gaps_of(table: &Table, variable: usize) -> Vec<u64> {
    let state = table.schema().variable(variable).missing_state().unwrap_or(MISSING);
    let word = |codes: &[u8]| {
        let bit = |(place, &code): (usize, &u8)| u64::from(code == MISSING || code == state) << place;
        codes.iter().enumerate().map(bit).sum()
    };
    table.column(variable).chunks(64).map(word).collect()
}

#[cfg(test)]
mod tests;
