//! The gaps of a table filled with what a network thinks of them: what `impute` writes and prints.
//!
//! For every gap `x_g` of a row with recorded cells `e`, either
//!
//! - the most probable state, `argmax_s P(x_g = s | e)`, cell by cell: that fills the most cells right on average, where the most
//!   probable explanation of all gaps together would make the most *rows* right; or
//! - *draws*: copies in which the gaps of a row are drawn from `P(x_1, …, x_k | e)`, one after the other in the order of names, each
//!   given the recorded cells and those drawn before it (the chain rule, so the joint distribution is met exactly). Statistics of
//!   the copies then vary as much as the gaps leave open (Rubin 1987, multiple imputation).
//!
//! Where the network has a state for gaps, a row lacks nothing in its eyes: each such gap is asked by itself, given the rest of the row as
//! it is, what it would be if it were recorded (`P(x_g = s | x_g is no gap, rest)`).
//!
//! A state becomes text again by what the table itself records in that state: of numbers that were cut the median, of anything else the
//! most frequent text; for draws a recorded cell of the state drawn at random. Where nothing is recorded in it: the
//! middle of the bin, the level. Dates cannot be had back from their parts and stay gaps.

use super::predict::values_for;
use super::{Model, Reading, Rows};
use crate::Error;
use crate::data::{Absent, Bounds, CellPlace, CodedVariable, Sheet, StateRule};
use crate::memory::{Plan, product};
use crate::watch::{Stage, Underway, Watch, go_on};
use crate::words::{counted, grouped, quoted};
use clausality_bn::infer::predict_unless;
use clausality_bn::random::Stream;
use clausality_bn::{MISSING, Network, Table};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::io::{self, Write};

/// How gaps are filled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Imputing {
    /// How many copies are drawn; none: one table with the most probable states.
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
    /// The mean probability of the states that were filled in.
    pub probability: Option<f64>,
}

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

#[derive(Debug, Clone, Copy)]
enum Fill {
    /// Nothing: the network says that the row cannot be.
    Left,
    /// What stands for the state.
    State(u8),
    /// What another row records.
    Cell(CellPlace),
}

/// A column of the sheet that the network has, with gaps.
struct Gappy<'c> {
    node: usize,
    column: usize,
    coded: &'c CodedVariable,
    rows: Vec<usize>,
    /// The recorded cells by state.
    recorded: Vec<Vec<CellPlace>>,
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
        let rows = Rows::read(self, sheet.watched(watch), &reading, Absent::Unknown, bounds);
        // What ends the reading then looks like a broken file.
        go_on(watch)?;
        let rows = rows?;
        let schema = self.network.schema();
        let coding = reading.coding(self.coding()?, schema);
        let mut gappy: Vec<Gappy<'_>> = Vec::new();
        let mut left = Vec::new();
        for coded in coding.variables() {
            let Some(node) = schema.index(&coded.variable.name) else { continue };
            let place = |name: &String| sheet.columns().iter().position(|column| column == name);
            let is_date = matches!(coded.rule, StateRule::Date { .. } | StateRule::Periods { .. });
            match place(&coded.column).map(|column| (column, !is_date)) {
                Some((_, false)) => left.push(coded.column.clone()),
                found => {
                    let own = || place(&coded.variable.name);
                    let Some(column) = found.map(|(column, _)| column).or_else(own) else { continue };
                    let recorded = vec![Vec::new(); coded.variable.cardinality()];
                    gappy.push(Gappy { node, column, coded, rows: Vec::new(), recorded });
                }
            }
        }
        left.dedup();
        let cells = rows.table.rows() * gappy.len();
        let table = product(&[rows.table.rows(), schema.len()]);
        let askers = rayon::current_num_threads();
        let plan = Plan::new("filling gaps")
            .need(
                format!("the places of {}", counted(cells, "cell")),
                product(&[cells, size_of::<CellPlace>()]),
            )
            .need("copies of the table".to_string(), table.saturating_mul(2 * askers as u64))
            .way("fill fewer rows at a time", None);
        plan.check(bounds.room)?;
        let mut lost = vec![0usize; sheet.columns().len()];
        let mut of_column: Vec<Option<usize>> = vec![None; sheet.columns().len()];
        gappy.iter().enumerate().for_each(|(k, gappy)| of_column[gappy.column] = Some(k));
        sheet.cells(|row, column, place| {
            let name = &sheet.columns()[column];
            let is_gap = || coding.is_gap(name, &sheet.text(place));
            let Some(k) = of_column[column] else {
                lost[column] += usize::from(left.contains(name) && is_gap());
                return;
            };
            let gappy = &mut gappy[k];
            let code = rows.table.column(gappy.node)[row];
            match code {
                MISSING if is_gap() => gappy.rows.push(row),
                MISSING => {}
                code if Some(code) == schema.variable(gappy.node).missing_state() => gappy.rows.push(row),
                code => gappy.recorded[usize::from(code)].push(place),
            }
        })?;
        gappy.retain(|gappy| !gappy.rows.is_empty());
        let gaps: usize = gappy.iter().map(|gappy| gappy.rows.len()).sum();
        let draws = how.draws.unwrap_or(1);
        let states = product(&[gaps, draws, size_of::<Option<(u8, f64)>>() + size_of::<u32>()]);
        plan.need(format!("{draws} × the states of {}", counted(gaps, "gap")), states)
            .way("draw fewer copies", None)
            .check(bounds.room)?;
        let ask = Ask {
            network: &self.network,
            memory: bounds.inference_bytes_of(askers),
            stage: &Underway::begin(watch, Stage::Fill, gappy.len() * draws),
        };
        let found = match how.draws {
            None => vec![ask.likeliest(&rows.table, &gappy)?],
            Some(draws) => (0..draws)
                .into_par_iter()
                .map(|copy| ask.drawn(&rows.table, &gappy, how.seed, copy))
                .collect::<Result<Vec<_>, Error>>()?,
        };
        let columns = gappy.iter().enumerate().map(|(k, gappy)| summary(gappy, &found, k, &self.network));
        let columns = columns.collect();
        let fills = gappy.iter().enumerate().map(|(k, gappy)| {
            go_on(watch)?;
            Ok(fills(sheet, gappy, &found, k, how))
        });
        let fills = fills.collect::<Result<_, Error>>()?;
        let reason = "a date cannot be had back from its parts";
        let left = left.into_iter().filter_map(|name| {
            let gaps = lost[sheet.columns().iter().position(|column| *column == name)?];
            (gaps > 0).then_some(LeftColumn { name, gaps, reason })
        });
        let left = left.collect();
        Ok(Imputed { source: &self.source, rows, columns, left, how, sheet, fills })
    }
}

/// For every column with gaps, a state for each with its probability; none where the row cannot be.
type States = Vec<Vec<Option<(u8, f64)>>>;

/// Who is asked what the gaps may be.
struct Ask<'a> {
    network: &'a Network,
    /// How many bytes a question may take.
    memory: u64,
    stage: &'a Underway<'a>,
}

impl Ask<'_> {
    /// The most probable states.
    fn likeliest(&self, table: &Table, gappy: &[Gappy<'_>]) -> Result<States, Error> {
        let likelier =
            |best, (state, &p): (usize, &f64), chances: &[f64]| if p > chances[best] { state } else { best };
        let most =
            |chances: &[f64]| chances.iter().enumerate().fold(0, |best, next| likelier(best, next, chances));
        gappy
            .par_iter()
            .map(|gappy| self.about(gappy.node, &table.select_rows(&gappy.rows), |_, chances| most(chances)))
            .collect()
    }

    /// States for the rows of a table, chosen from what the network says of a node given the rest of each row.
    fn about(
        &self,
        node: usize,
        table: &Table,
        mut choose: impl FnMut(usize, &[f64]) -> usize,
    ) -> Result<Vec<Option<(u8, f64)>>, Error> {
        go_on(self.stage)?;
        let table = &*values_for(node, table)?;
        let found = predict_unless(self.network, node, table, self.memory, &|| self.stage.cancelled())?;
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
            let state = choose(row, &chances);
            Some((state as u8, chances[state]))
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
            let Gappy { node, rows, .. } = &gappy[k];
            let pick = |codes: &Vec<u8>| rows.iter().map(|&row| codes[row]).collect();
            let part = Table::new(schema.clone(), columns.iter().map(pick).collect())?;
            // A stream for each column and copy, and one number a gap: what else is asked leaves no trace.
            let mut stream = Stream::new(seed, &format!("{} {copy}", schema.name(*node)));
            out[k] = self.about(*node, &part, |_, chances| {
                let mut rest = stream.unit();
                let likely = |&(_, &p): &(usize, &f64)| p > 0.0;
                let mut last = 0;
                for (state, &p) in chances.iter().enumerate().filter(likely) {
                    last = state;
                    if rest < p {
                        break;
                    }
                    rest -= p;
                }
                last
            })?;
            if !has_state(k) {
                for (&row, state) in rows.iter().zip(&out[k]) {
                    columns[*node][row] = state.map_or(MISSING, |(state, _)| state);
                }
            }
        }
        Ok(out)
    }
}

fn summary(gappy: &Gappy<'_>, found: &[States], k: usize, network: &Network) -> ImputedColumn {
    let filled = found[0][k].iter().flatten().count();
    let chances: Vec<f64> = found.iter().flat_map(|copy| &copy[k]).flatten().map(|&(_, p)| p).collect();
    ImputedColumn {
        name: network.schema().name(gappy.node).to_string(),
        gaps: gappy.rows.len(),
        filled,
        probability: (!chances.is_empty()).then(|| chances.iter().sum::<f64>() / chances.len() as f64),
    }
}

/// What is written into the gaps of a column.
fn fills(sheet: &Sheet, gappy: &Gappy<'_>, found: &[States], k: usize, how: Imputing) -> ColumnFills {
    let labels = &gappy.coded.variable.states;
    let word = |(state, places): (usize, &Vec<CellPlace>)| {
        // None of the rare values that share a state stands for the others: its label does.
        let shared = state == 0 && matches!(gappy.coded.rule, StateRule::Levels { other: true, .. });
        if how.write == Written::State || shared {
            return labels[state].clone().into_bytes();
        }
        let texts: Vec<Cow<'_, [u8]>> = places.iter().map(|&place| sheet.text(place)).collect();
        let typical = gappy.coded.typical(&texts, sheet.separator()).map(|place| texts[place].to_vec());
        typical.unwrap_or_else(|| gappy.coded.written(state as u8).into_bytes())
    };
    let words = gappy.recorded.iter().enumerate().map(word).collect();
    let copies = found.iter().enumerate().map(|(copy, states)| {
        let mut stream = Stream::new(how.seed, &format!("{} {copy} donors", gappy.coded.variable.name));
        let mut fill = |state: &Option<(u8, f64)>| match state {
            None => Fill::Left,
            Some((state, _)) => {
                let donors = &gappy.recorded[usize::from(*state)];
                let number = stream.below(donors.len() as u64) as usize;
                match how.draws.is_some() && how.write == Written::Value && !donors.is_empty() {
                    true => Fill::Cell(donors[number]),
                    false => Fill::State(*state),
                }
            }
        };
        states[k].iter().map(&mut fill).collect()
    });
    ColumnFills { column: gappy.column, rows: gappy.rows.clone(), copies: copies.collect(), words }
}

/// What stands in each gap of a column; nothing where one stays.
pub type FilledCells<'a> = Vec<Option<Cow<'a, [u8]>>>;

impl Imputed<'_> {
    /// Writes the table with its gaps filled; every other byte stays. Several copies stand below each other, counted in a first column
    /// `imputation`.
    ///
    /// # Errors
    /// What the writer says.
    pub fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let mut of_column: Vec<Option<usize>> = vec![None; self.sheet.columns().len()];
        self.fills.iter().enumerate().for_each(|(k, fills)| of_column[fills.column] = Some(k));
        let mut next = vec![0; self.fills.len()];
        let mut current = 0;
        let fill = |copy: usize, row: usize, column: usize| {
            if copy != current {
                current = copy;
                next.fill(0);
            }
            let k = of_column[column]?;
            let fills = &self.fills[k];
            if fills.rows.get(next[k]) != Some(&row) {
                return None;
            }
            next[k] += 1;
            self.text(fills, copy, next[k] - 1)
        };
        let mut name = COUNTER.to_string();
        while self.sheet.columns().contains(&name) {
            name.insert(0, '.');
        }
        let several = self.how.draws.filter(|&draws| draws > 1);
        self.sheet.write(several.map(|draws| (name.as_str(), draws)), out, fill)
    }

    /// What stands in a gap of a copy; nothing if it stays one.
    fn text<'s>(&'s self, fills: &'s ColumnFills, copy: usize, gap: usize) -> Option<Cow<'s, [u8]>> {
        match fills.copies[copy][gap] {
            Fill::Left => None,
            Fill::State(state) => Some(Cow::Borrowed(&fills.words[usize::from(state)][..])),
            Fill::Cell(place) => Some(self.sheet.text(place)),
        }
    }

    /// The columns with gaps by name: the rows of their gaps (from 0, ascending), and for every copy what stands in each.
    pub fn filled(&self) -> impl Iterator<Item = (&str, &[usize], Vec<FilledCells<'_>>)> {
        self.fills.iter().map(|fills| {
            let copy = |copy| (0..fills.rows.len()).map(|gap| self.text(fills, copy, gap)).collect();
            let copies = (0..fills.copies.len()).map(copy).collect();
            (self.sheet.columns()[fills.column].as_str(), fills.rows.as_slice(), copies)
        })
    }

    /// Which gaps stay, and what told nothing.
    pub fn notices(&self) -> Vec<String> {
        let rows = grouped(self.rows.table.rows());
        let strange = self.rows.unknown.iter().map(|(column, &unknown)| {
            format!(
                "column '{column}': in {} of {rows} rows the cell is no state of the network: it stays as it is and tells nothing",
                grouped(unknown)
            )
        });
        let dates = self.left.iter().map(|left| {
            format!("column '{}': {} stay: {}", left.name, counted(left.gaps, "gap"), left.reason)
        });
        let mut said: Vec<String> = strange.chain(dates).collect();
        if !self.rows.absent.is_empty() {
            said.push(format!(
                "{} of the network without a column in the table count as unknown: {}",
                counted(self.rows.absent.len(), "node"),
                quoted(&self.rows.absent, 8)
            ));
        }
        let (gaps, filled) = self.totals();
        if filled < gaps {
            let left = counted(gaps - filled, "gap");
            said.push(format!("{left} stay: their rows are impossible under the network"));
        }
        said
    }

    /// The gaps of all columns that the network has, and how many of them were filled.
    pub fn totals(&self) -> (usize, usize) {
        self.columns.iter().fold((0, 0), |sum, column| (sum.0 + column.gaps, sum.1 + column.filled))
    }

    /// The document.
    pub fn document(&self, file: String) -> ImputedDocument<'_> {
        let (gaps, filled) = self.totals();
        ImputedDocument {
            model: self.source,
            table: &self.rows.name,
            rows: self.rows.table.rows(),
            draws: self.how.draws,
            written: self.how.write,
            gaps,
            filled,
            columns: &self.columns,
            left: &self.left,
            absent_columns: &self.rows.absent,
            unknown_cells: &self.rows.unknown,
            file,
            seed: self.how.seed,
            version: env!("CARGO_PKG_VERSION"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Input, csv_cell};
    use crate::model::Loaded;
    use crate::watch::{Event, Unwatched};
    use clausality_bn::infer::{Evidence, Infer};
    use clausality_bn::io::{Limits, bif};
    use clausality_bn::sample;
    use std::path::Path;
    use std::sync::atomic::{AtomicUsize, Ordering};

    fn model(network: Network) -> Model {
        Model { network: network.into(), extra: Default::default(), source: "net".into() }
    }

    fn embedded(name: &str) -> Model {
        match Loaded::read(Path::new(name), &Limits::default()).unwrap() {
            Loaded::Model(model) => model,
            Loaded::Graph { .. } => panic!("a network"),
        }
    }

    /// a → b, with numbers by hand.
    fn pair(gaps: &str) -> Model {
        let text = format!(
            "variable a {{ type discrete [ 2 ] {{ x, y }}; }} variable b {{ type discrete [ 3 ] {{ 0, 1, {gaps} }}; }}
            probability ( a ) {{ table 0.75, 0.25; }}
            probability ( b | a ) {{ (x) 0.5, 0.1, 0.4; (y) 0.05, 0.15, 0.8; }}"
        );
        model(bif::read(text.as_bytes(), &Limits::default()).unwrap())
    }

    fn imputed(model: &Model, text: &str, how: Imputing) -> (String, serde_json::Value) {
        let bounds = Bounds::default();
        let sheet = Sheet::read(Input::csv(text.as_bytes(), "t"), None, &bounds).unwrap();
        let found = model.impute(&sheet, &Reading::default(), how, &bounds, &Unwatched).unwrap();
        let mut out = Vec::new();
        found.write(&mut out).unwrap();
        (String::from_utf8(out).unwrap(), serde_json::to_value(found.document("f".into())).unwrap())
    }

    #[test]
    fn the_most_probable_state_by_hand() {
        let text = "note;a;b\n1;x;\n;;2\n?;y;NA\n\"k; l\";z;0\n;;\n";
        let (out, told) = imputed(&pair("2"), text, Imputing::default());
        // P(a = y | b = 2) = 0.2 / 0.5, so x by the first of equals' rule only if it is not less: 0.3 against 0.2.
        assert_eq!(out, "note;a;b\n1;x;0\n;x;2\n?;y;2\n\"k; l\";z;0\n;x;2\n");
        assert_eq!((&told["gaps"], &told["filled"]), (&5.into(), &5.into()));
        assert_eq!(told["unknown_cells"]["a"], 1, "z is no state and stays");
        let a = told["columns"][0]["probability"].as_f64().unwrap();
        assert!((a - (0.6 + 0.75) / 2.0).abs() < 1e-12, "{told}");
    }

    #[test]
    fn a_state_for_gaps_is_never_filled_in() {
        let mut network = (*pair("missing").network).clone();
        let mut variables = network.schema().variables().to_vec();
        variables[1].has_missing_state = true;
        let schema = clausality_bn::Schema::new(variables).unwrap();
        network = Network::new("t", schema, network.cpts().to_vec()).unwrap();
        let (out, told) = imputed(&model(network), "a,b\nx,\ny,\n,missing\n", Imputing::default());
        // What a gap in b says of a is used: P(a = y | b missing) = 0.2 / 0.5.
        assert_eq!(out, "a,b\nx,0\ny,1\nx,0\n");
        let probability = told["columns"][1]["probability"].as_f64().unwrap();
        assert!((probability - (0.5 / 0.6 + 0.75 + 0.3875 / 0.5) / 3.0).abs() < 1e-12);
    }

    #[test]
    fn numbers_are_filled_with_numbers_of_the_table() {
        let text: String = (0..300)
            .map(|k| match k % 10 {
                9 => format!("{},\n", ["low", "high"][k / 10 % 2]),
                d => format!("{},{}.50\n", ["low", "high"][k % 2], 10 * (k % 2) + d),
            })
            .collect();
        let text = format!("level,size\n{text}");
        let found =
            crate::learn::learn(Input::csv(text.as_bytes(), "t"), &crate::settings::Settings::default())
                .unwrap();
        let (out, told) = imputed(&found.model(), &text, Imputing::default());
        assert_eq!(told["columns"][0]["filled"], 30);
        let recorded: Vec<&str> = text.lines().filter(|line| !line.ends_with(',')).collect();
        for (before, after) in text.lines().zip(out.lines()) {
            assert!(
                before == after || (after.starts_with(before) && recorded.contains(&after)),
                "{before} {after}"
            );
        }
        let labels =
            imputed(&found.model(), &text, Imputing { write: Written::State, ..Imputing::default() }).0;
        assert!(!labels.lines().any(|line| line.ends_with(',')));
        let drawn = imputed(&found.model(), &text, Imputing { draws: Some(3), ..Imputing::default() }).0;
        assert_eq!(drawn.lines().count(), 1 + 3 * 300);
        assert!(drawn.starts_with("imputation,level,size\n1,low,0.50\n"));
        let cells: Vec<&str> = drawn.lines().skip(1).map(|line| line.rsplit_once(',').unwrap().1).collect();
        assert!(cells.iter().all(|cell| text.contains(&format!(",{cell}\n"))));
    }

    /// Rows of asia as CSV, with gaps.
    fn gappy_asia(rows: usize, seed: u64) -> String {
        let table = sample(&crate::embedded::network("asia").unwrap(), rows, seed);
        let variables = table.schema().variables();
        let mut stream = Stream::new(seed, "gaps");
        let mut text = variables.iter().map(|v| v.name.as_str()).collect::<Vec<_>>().join(",") + ",beside\n";
        for row in 0..rows {
            for (v, variable) in variables.iter().enumerate() {
                if stream.below(4) > 0 {
                    text.push_str(&csv_cell(&variable.states[usize::from(table.column(v)[row])]));
                }
                text.push(',');
            }
            text.push_str(if stream.below(2) > 0 { " kept \n" } else { "\n" });
        }
        text
    }

    #[test]
    fn no_gap_is_left_and_no_other_byte_changes() {
        let asia = embedded("@asia");
        for (seed, draws) in [(1, None), (2, Some(1)), (3, None), (4, Some(1))] {
            let text = gappy_asia(200, seed);
            let (out, told) = imputed(&asia, &text, Imputing { draws, seed, ..Imputing::default() });
            assert_eq!(told["gaps"], told["filled"]);
            for (before, after) in text.lines().zip(out.lines()) {
                let cells = before.split(',').zip(after.split(','));
                for (k, (before, after)) in cells.enumerate() {
                    assert!(before == after || (before.is_empty() && k < 8), "{before} {after}");
                    assert!(k == 8 || !after.is_empty());
                }
            }
            assert_eq!(imputed(&asia, &out, Imputing::default()).0, out, "nothing is left to do");
        }
    }

    /// Draws of two gaps in one row come from their joint posterior.
    #[test]
    fn draws_approach_the_joint_posterior() {
        let asia = embedded("@asia");
        let schema = asia.network.schema();
        let row = "asia,tub,smoke,lung,bronc,either,xray,dysp\nno,,yes,,,,yes,yes\n";
        let how = Imputing { draws: Some(1000), seed: 5, ..Imputing::default() };
        let (out, _) = imputed(&asia, row, how);
        let at = |name: &str| schema.index(name).unwrap();
        let mut evidence = Evidence::new(&asia.network);
        for (name, state) in [("asia", "no"), ("smoke", "yes"), ("xray", "yes"), ("dysp", "yes")] {
            evidence.observe(at(name), schema.variable(at(name)).code(state).unwrap()).unwrap();
        }
        let targets = [at("lung"), at("bronc")];
        let posterior = Infer::new(asia.network.clone()).posterior(&targets, &evidence).unwrap();
        let mut counts = [0.0; 4];
        for line in out.lines().skip(1) {
            let cells: Vec<&str> = line.split(',').collect();
            let code = |name: &str| {
                let column = row.lines().next().unwrap().split(',').position(|c| c == name).unwrap();
                usize::from(schema.variable(at(name)).code(cells[column + 1]).unwrap())
            };
            counts[2 * code("lung") + code("bronc")] += 1.0 / 1000.0;
            let either = [code("lung"), code("tub")].contains(&0);
            assert_eq!(code("either") == 0, either, "what cannot be is never drawn: {line}");
        }
        for (found, want) in counts.iter().zip(&posterior.probabilities) {
            let error = (want * (1.0 - want) / 1000.0).sqrt();
            assert!((found - want).abs() < 4.0 * error + 1e-3, "{counts:?} {:?}", posterior.probabilities);
        }
    }

    #[test]
    fn a_date_stays_a_gap_and_an_impossible_row_too() {
        let days: String = (0..200)
            .map(|k| match k % 20 {
                7 => format!(",{}\n", ["wet", "dry"][k / 20 % 2]),
                _ => format!(
                    "2024-{:02}-{:02},{}\n",
                    1 + k * 7 % 12,
                    1 + k * 5 % 28,
                    ["wet", "dry"][k * 7 % 12 / 6]
                ),
            })
            .collect();
        let text = format!("day,rain\n{days}");
        let found =
            crate::learn::learn(Input::csv(text.as_bytes(), "t"), &crate::settings::Settings::default())
                .unwrap();
        let (out, told) = imputed(&found.model(), &text, Imputing::default());
        assert_eq!((out, &told["left"][0]["gaps"]), (text, &10.into()));
        // A cause is there, and yet none is.
        let odd = "lung,either,tub\nyes,no,\nyes,yes,\n";
        let (out, told) = imputed(&embedded("@asia"), odd, Imputing::default());
        assert_eq!(out, "lung,either,tub\nyes,no,\nyes,yes,no\n");
        assert_eq!((&told["gaps"], &told["filled"]), (&2.into(), &1.into()));
    }

    /// Says no from the given question on, and counts them.
    struct Impatient {
        patience: usize,
        asked: AtomicUsize,
        steps: AtomicUsize,
    }

    impl Watch for Impatient {
        fn event(&self, event: Event) {
            if let Event::Step { .. } = event {
                self.steps.fetch_add(1, Ordering::Relaxed);
            }
        }

        fn cancelled(&self) -> bool {
            self.asked.fetch_add(1, Ordering::Relaxed) >= self.patience
        }
    }

    #[test]
    fn filling_ends_wherever_it_is_called_off() {
        let asia = embedded("@asia");
        let text = gappy_asia(300, 1);
        let bounds = Bounds::default();
        let sheet = Sheet::read(Input::csv(text.as_bytes(), "t"), None, &bounds).unwrap();
        for draws in [None, Some(3)] {
            let fill = |patience| {
                let watch = Impatient { patience, asked: AtomicUsize::new(0), steps: AtomicUsize::new(0) };
                let how = Imputing { draws, ..Imputing::default() };
                let found = asia.impute(&sheet, &Reading::default(), how, &bounds, &watch).map(drop);
                (found, watch.asked.into_inner(), watch.steps.into_inner())
            };
            let (found, asked, steps) = fill(usize::MAX);
            assert!(found.is_ok() && steps == 8 * draws.unwrap_or(1));
            assert!(asked > 100, "whoever watches is asked before every answer: {asked}");
            for patience in [0, 1, 2, 20, asked / 2, asked - 1] {
                let (found, further, _) = fill(patience);
                assert!(matches!(found, Err(Error::Cancelled)), "{patience}: {found:?}");
                assert!(
                    further <= patience + 2 * rayon::current_num_threads().max(8),
                    "{patience} {further}"
                );
            }
        }
    }

    #[test]
    fn no_draws_are_refused() {
        let sheet = Sheet::read(Input::csv(&b"a,b\nx,\n"[..], "t"), None, &Bounds::default()).unwrap();
        let how = Imputing { draws: Some(0), ..Imputing::default() };
        let error =
            pair("2").impute(&sheet, &Reading::default(), how, &Bounds::default(), &Unwatched).unwrap_err();
        assert_eq!(error.to_string(), "draws is 0; it must be between 1 and 1000");
    }
}
