//! The gaps of a table filled with what a network thinks of them: what `impute` writes and prints.
//!
//! For every gap `x_g` of a row with recorded cells `e`, either
//!
//! - a best guess, cell by cell. Of a category and of numbers that are states by themselves the most probable state,
//!   `argmax_s P(x_g = s | e)`: that fills the most cells right on average, where the most probable explanation of all gaps together would
//!   make the most *rows* right. Of numbers that were cut the posterior median, as the most probable bin may lie far from most of what
//!   is probable: where the running sum of `P(x_g = s | e)` over the rising bins reaches one half, within that bin by the rank of
//!   this table's numbers; or
//! - *draws*: copies in which the gaps of a row are drawn from `P(x_1, …, x_k | e)`, one after the other in the order of names, each
//!   given the recorded cells and those drawn before it (the chain rule, so the joint distribution is met exactly). Statistics of
//!   the copies then vary as much as the gaps leave open (Rubin 1987, multiple imputation).
//!
//! Where the network has a state for gaps, a row lacks nothing in its eyes: each such gap is asked by itself, given the rest of the row as
//! it is, what it would be if it were recorded (`P(x_g = s | x_g is no gap, rest)`).
//!
//! A state becomes text again by what the table itself records in that state: of numbers that were cut the one of that rank, of anything else
//! the most frequent text; for draws a recorded cell of the state drawn at random. Where nothing is recorded in it: the
//! middle of the bin, the level. The state that rare values share is no value: the best guess is then the most probable value that has a state
//! of its own, and a draw one of the rare values of this table. Dates cannot be had back from their parts and stay gaps.

use super::predict::predicted;
use super::{Model, Reading, Rows};
use crate::Error;
use crate::data::{Bounds, CellPlace, Sheet};
use crate::gaps::Following;
use crate::watch::{Stage, Underway, Watch, go_on};
use clausality_bn::random::Stream;
use clausality_bn::{MISSING, Network, Table};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::collections::BTreeMap;

mod gappy;
mod told;

use gappy::{Gappy, Gaps};

/// How gaps are filled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Imputing {
    /// How many copies are drawn; none: one table with the best guess for each gap.
    pub draws: Option<usize>,
    /// What is written into a gap.
    pub write: Written,
    /// The seed of what is drawn.
    pub seed: u64,
}

/// What is written into a gap.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Written {
    /// A value as the table records them.
    #[default]
    Value,
    /// The label of the state.
    State,
}

/// The most copies.
const MOST_DRAWS: usize = 1000;
/// What the column that counts copies is called.
const COUNTER: &str = "imputation";

/// A table whose gaps are filled.
#[derive(Debug)]
pub struct Imputed<'m> {
    /// The model, as the user named it.
    pub source: &'m str,
    /// The rows as the network sees them.
    pub rows: Rows,
    /// The columns whose gaps were filled.
    pub columns: Vec<ImputedColumn>,
    /// Columns with gaps that could not be.
    pub left: Vec<LeftColumn>,
    /// Those that were filled although a gap may be no value that somebody did not write down: where the network was learned, their gaps followed from
    /// another column.
    pub following: Vec<Following>,
    /// How it was done.
    pub how: Imputing,
    sheet: &'m Sheet,
    fills: Vec<ColumnFills>,
}

/// A column whose gaps were filled.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ImputedColumn {
    /// Its name.
    pub name: String,
    /// Its gaps.
    pub gaps: usize,
    /// Those that were filled; the others stand in rows that the network says cannot be.
    pub filled: usize,
    /// Those where what rare values share is more probable than the value that was filled in.
    #[serde(skip_serializing_if = "is_none")]
    pub rare: usize,
    /// The mean probability of the states that were filled in.
    pub probability: Option<f64>,
}

fn is_none(count: &usize) -> bool {
    *count == 0
}

/// Why gaps of a date stay.
const OF_A_DATE: &str = "a date cannot be had back from its parts";
/// Why gaps of a column stay that the network does not have.
const NO_NODE: &str = "the network has no such node";

/// A column whose gaps could not be filled.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LeftColumn {
    /// Its name.
    pub name: String,
    /// Its gaps.
    pub gaps: usize,
    /// Why.
    pub reason: &'static str,
}

/// The JSON document.
#[derive(Debug, Serialize)]
pub struct ImputedDocument<'a> {
    model: &'a str,
    table: &'a str,
    rows: usize,
    draws: Option<usize>,
    written: Written,
    gaps: usize,
    filled: usize,
    columns: &'a [ImputedColumn],
    left: &'a [LeftColumn],
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    following: &'a [Following],
    absent_columns: &'a [String],
    unknown_cells: &'a BTreeMap<String, usize>,
    file: String,
    seed: u64,
    version: &'static str,
}

/// The gaps of a column of the sheet, and what goes into them.
#[derive(Debug)]
struct ColumnFills {
    /// Its place in the sheet.
    column: usize,
    /// The rows of its gaps, ascending.
    rows: Vec<usize>,
    /// For every copy, what goes into each.
    copies: Vec<Vec<Fill>>,
    /// What stands for each state.
    words: Vec<Vec<u8>>,
}

/// The state that a gap is filled with.
#[derive(Debug, Clone, Copy)]
struct Choice {
    state: u8,
    probability: f64,
    /// Where in the state: the share of its probability that lies below.
    within: f64,
    /// Whether what rare values share is more probable.
    passed: bool,
}

#[derive(Debug, Clone, Copy)]
enum Fill {
    /// Nothing: the network says that the row cannot be.
    Left,
    /// What stands for the state.
    State(u8),
    /// What another row records.
    Cell(CellPlace),
}

impl Model {
    /// Fills the gaps of a table. Cells with a value that the network does not know stay as they are.
    ///
    /// # Errors
    /// Whatever is wrong with the table; a question too large for the memory allowed; [`Error::Cancelled`].
    pub fn impute<'m>(
        &'m self,
        sheet: &'m Sheet,
        reading: &Reading,
        how: Imputing,
        bounds: &Bounds,
        watch: &dyn Watch,
    ) -> Result<Imputed<'m>, Error> {
        if how.draws.is_some_and(|draws| !(1..=MOST_DRAWS).contains(&draws)) {
            let value = how.draws.unwrap_or_default().to_string();
            return Err(Error::Setting { name: "draws", value, expected: "between 1 and 1000" });
        }
        let reading = Reading { separator: Some(sheet.separator()), ..reading.clone() };
        let check = |codes| gappy::read(sheet, codes).check(bounds.room);
        let rows = Rows::only_codes(self, sheet.watched(watch), &reading, bounds, &check);
        // What ends the reading then looks like a broken file.
        go_on(watch)?;
        let rows = rows?;
        let schema = self.network.schema();
        let coding = reading.coding(self.coding()?, schema);
        let mut gaps = Gaps::of(sheet, &rows, &coding, schema)?;
        let askers = rayon::current_num_threads();
        gaps.plan(sheet, &rows, how, askers).check(bounds.room)?;
        if how.write == Written::Value {
            gaps.record(sheet, &rows)?;
        }
        let Gaps { columns: mut gappy, dates, lost } = gaps;
        for gappy in gappy.iter_mut().filter(|_| how.write == Written::Value) {
            // A draw takes one of the rare values that this table has.
            let drawable = |rest: &usize| how.draws.is_some() && !gappy.recorded[*rest].is_empty();
            gappy.never = gappy.coded.other().map(usize::from).filter(|rest| !drawable(rest));
        }
        let draws = how.draws.unwrap_or(1);
        // Where there is no gap nothing is asked.
        let memory = match gappy.is_empty() {
            true => 0,
            false => bounds.inference_room("filling gaps", askers)?,
        };
        let ask = Ask {
            network: &self.network,
            memory,
            stage: &Underway::begin(watch, Stage::Fill, gappy.len() * draws),
        };
        let found = match how.draws {
            None => vec![ask.best(&rows.table, &gappy, how.write)?],
            Some(draws) => (0..draws)
                .into_par_iter()
                .map(|copy| ask.drawn(&rows.table, &gappy, how.seed, copy))
                .collect::<Result<Vec<_>, Error>>()?,
        };
        let columns = gappy.iter().enumerate().map(|(k, gappy)| summary(gappy, &found, k, &self.network));
        let columns = columns.collect();
        let is_filled = |one: &Following| gappy.iter().any(|gappy| gappy.coded.column == one.column);
        let following = self.following().into_iter().filter(is_filled).collect();
        let fills = gappy.into_iter().enumerate().map(|(k, gappy)| {
            go_on(watch)?;
            Ok(fills(sheet, gappy, &found, k, how))
        });
        let fills = fills.collect::<Result<_, Error>>()?;
        let stay = sheet.columns().iter().zip(&lost).filter(|&(_, &gaps)| gaps > 0);
        let stay = stay.map(|(name, &gaps)| {
            let reason = if dates.contains(name) { OF_A_DATE } else { NO_NODE };
            LeftColumn { name: name.clone(), gaps, reason }
        });
        let left = stay.collect();
        Ok(Imputed { source: &self.source, rows, columns, left, following, how, sheet, fills })
    }
}

/// For every column with gaps, a choice for each; none where the row cannot be.
type States = Vec<Vec<Option<Choice>>>;

/// Who is asked what the gaps may be.
struct Ask<'a> {
    network: &'a Network,
    /// How many bytes a question may take.
    memory: u64,
    stage: &'a Underway<'a>,
}

impl Ask<'_> {
    /// The best guesses.
    fn best(&self, table: &Table, gappy: &[Gappy<'_>], write: Written) -> Result<States, Error> {
        let guess = |gappy: &Gappy<'_>| {
            let rows = table.select_rows(&gappy.rows);
            match gappy.is_cut() && write == Written::Value {
                true => self.about(gappy, &rows, |_, chances| median(chances)),
                false => self.about(gappy, &rows, |_, chances| (most(chances), 0.5)),
            }
        };
        gappy.par_iter().map(guess).collect()
    }

    /// States for the rows of a table, chosen from what the network says of a node given the rest of each row.
    fn about(
        &self,
        gappy: &Gappy<'_>,
        table: &Table,
        mut choose: impl FnMut(usize, &[f64]) -> (usize, f64),
    ) -> Result<Vec<Option<Choice>>, Error> {
        go_on(self.stage)?;
        let Gappy { node, never, .. } = *gappy;
        let stop = || self.stage.cancelled();
        let found = predicted(self.network, node, table, self.memory, &stop)?;
        let gap = self.network.schema().variable(node).missing_state();
        let mut chances = vec![0.0; found.states];
        let mut choice = |row: usize| {
            chances.copy_from_slice(found.row(row)?);
            if let Some(gap) = gap {
                chances[usize::from(gap)] = 0.0;
                let rest: f64 = chances.iter().sum();
                if rest <= 0.0 {
                    return None;
                }
                chances.iter_mut().for_each(|p| *p /= rest);
            }
            let rest = never.map_or(0.0, |rest| std::mem::take(&mut chances[rest]));
            if never.is_some() && chances.iter().all(|&p| p <= 0.0) {
                return None;
            }
            let (state, within) = choose(row, &chances);
            let probability = chances[state];
            Some(Choice { state: state as u8, probability, within, passed: rest > probability })
        };
        let chosen = (0..table.rows()).map(&mut choice).collect();
        self.stage.step();
        Ok(chosen)
    }

    /// One copy: gaps without a state of their own one after the other, each given those before it; then those with one.
    fn drawn(&self, table: &Table, gappy: &[Gappy<'_>], seed: u64, copy: usize) -> Result<States, Error> {
        let schema = self.network.schema();
        let has_state = |k: usize| schema.variable(gappy[k].node).has_missing_state;
        let mut order: Vec<usize> = (0..gappy.len()).collect();
        order.sort_by_key(|&k| (has_state(k), schema.name(gappy[k].node)));
        let mut columns: Vec<Vec<u8>> = (0..schema.len()).map(|v| table.column(v).to_vec()).collect();
        let mut out: States = vec![Vec::new(); gappy.len()];
        for k in order {
            let Gappy { node, rows, never, .. } = &gappy[k];
            let pick = |codes: &Vec<u8>| rows.iter().map(|&row| codes[row]).collect();
            let part = Table::new(schema.clone(), columns.iter().map(pick).collect())?;
            // A stream for each column and copy, and one number a gap: what else is asked leaves no trace.
            let mut stream = Stream::new(seed, &format!("{} {copy}", schema.name(*node)));
            let all = |chances: &[f64]| if never.is_some() { chances.iter().sum() } else { 1.0 };
            out[k] = self.about(&gappy[k], &part, |_, chances| {
                let mut rest = stream.unit() * all(chances);
                let likely = |&(_, &p): &(usize, &f64)| p > 0.0;
                let mut last = 0;
                for (state, &p) in chances.iter().enumerate().filter(likely) {
                    last = state;
                    if rest < p {
                        break;
                    }
                    rest -= p;
                }
                (last, 0.5)
            })?;
            if !has_state(k) {
                for (&row, state) in rows.iter().zip(&out[k]) {
                    columns[*node][row] = state.map_or(MISSING, |choice| choice.state);
                }
            }
        }
        Ok(out)
    }
}

/// The most probable state; of equals the first.
fn most(chances: &[f64]) -> usize {
    (1..chances.len()).fold(0, |best, state| if chances[state] > chances[best] { state } else { best })
}

/// The state in which half of the probability is reached, and the share of its own that is still needed there.
fn median(chances: &[f64]) -> (usize, f64) {
    let mut needed = 0.5 * chances.iter().sum::<f64>();
    for (state, &chance) in chances.iter().enumerate() {
        if chance > 0.0 && chance >= needed {
            return (state, needed / chance);
        }
        needed -= chance;
    }
    // The sums of the parts may miss that of the whole by a rounding.
    (most(chances), 0.5)
}

fn summary(gappy: &Gappy<'_>, found: &[States], k: usize, network: &Network) -> ImputedColumn {
    let filled = found[0][k].iter().flatten().count();
    let chances: Vec<f64> =
        found.iter().flat_map(|copy| &copy[k]).flatten().map(|choice| choice.probability).collect();
    ImputedColumn {
        name: network.schema().name(gappy.node).to_string(),
        gaps: gappy.rows.len(),
        filled,
        rare: found.iter().flat_map(|copy| &copy[k]).flatten().filter(|choice| choice.passed).count(),
        probability: (!chances.is_empty()).then(|| chances.iter().sum::<f64>() / chances.len() as f64),
    }
}

/// What is written into the gaps of a column.
fn fills(sheet: &Sheet, gappy: Gappy<'_>, found: &[States], k: usize, how: Imputing) -> ColumnFills {
    let labels = &gappy.coded.variable.states;
    let word = |(state, places): (usize, &Vec<CellPlace>)| {
        if how.write == Written::State {
            return labels[state].clone().into_bytes();
        }
        let texts: Vec<Cow<'_, [u8]>> = places.iter().map(|&place| sheet.text(place)).collect();
        let typical = gappy.coded.typical(&texts, sheet.separator()).map(|place| texts[place].to_vec());
        typical.unwrap_or_else(|| gappy.coded.written(state as u8).into_bytes())
    };
    let words = gappy.recorded.iter().enumerate().map(word).collect();
    let by_value = how.write == Written::Value;
    // The numbers of each state from the lowest to the highest, where a gap takes the one of its rank.
    let ranked: Vec<Vec<CellPlace>> = match by_value && how.draws.is_none() && gappy.is_cut() {
        true => gappy.recorded.iter().map(|places| in_order(sheet, &gappy, places)).collect(),
        false => vec![Vec::new(); gappy.recorded.len()],
    };
    let copies = found.iter().enumerate().map(|(copy, states)| {
        let mut stream = Stream::new(how.seed, &format!("{} {copy} donors", gappy.coded.variable.name));
        let mut fill = |choice: &Option<Choice>| {
            let Some(Choice { state, within, .. }) = *choice else { return Fill::Left };
            let (donors, ranked) = (&gappy.recorded[usize::from(state)], &ranked[usize::from(state)]);
            let number = stream.below(donors.len() as u64) as usize;
            if how.draws.is_some() && by_value && !donors.is_empty() {
                return Fill::Cell(donors[number]);
            }
            // Of two numbers the lower.
            let rank = ((within * ranked.len() as f64).ceil() as usize).saturating_sub(1);
            ranked.get(rank).map_or(Fill::State(state), |&place| Fill::Cell(place))
        };
        states[k].iter().map(&mut fill).collect()
    });
    ColumnFills { column: gappy.column, copies: copies.collect(), rows: gappy.rows, words }
}

/// The cells with numbers among some, from the lowest to the highest.
fn in_order(sheet: &Sheet, gappy: &Gappy<'_>, places: &[CellPlace]) -> Vec<CellPlace> {
    let texts: Vec<Cow<'_, [u8]>> = places.iter().map(|&place| sheet.text(place)).collect();
    let order = gappy.coded.in_order(&texts, sheet.separator());
    order.into_iter().map(|k| places[k]).collect()
}

/// What stands in each gap of a column; nothing where one stays.
pub type FilledCells<'a> = Vec<Option<Cow<'a, [u8]>>>;

#[cfg(test)]
mod tests;
