//! How well a network fits rows, and which rows surprise it: what `score` prints and writes.
//!
//! ```text
//! ln P(row) = Σ_v ln P(x_v | parents)              surprise of a row = −ln P(row), in nats
//! excess of a cell = −ln P(x_v | parents) − H(v | parents)
//! ```
//! The column that makes a row surprising is the one with the largest excess: a cell less likely than its column's own
//! uncertainty would lead one to expect. Where no cell exceeds it, the least likely cell is named; ties go to the first
//! name.

use super::{Model, Rows, RowsError};
use crate::Error;
use crate::data::csv_cell as cell;
use clausality_bn::math::{ln, x_ln_x};
use clausality_bn::{Likelihood, Network, Score, Scorer, Table};
use serde::Serialize;
use std::io::{self, Write};

/// The rows of a table under a network.
#[derive(Debug)]
pub struct Scored<'m> {
    model: &'m Model,
    name: &'m str,
    all: usize,
    /// The rows with a state in every column.
    pub complete: Vec<usize>,
    table: Table,
    likelihood: Likelihood,
    /// For every complete row the column with the largest excess.
    blamed: Vec<u32>,
}

/// The JSON document; an infinite figure is null.
#[derive(Debug, Serialize)]
pub struct ScoredDocument<'a> {
    /// The model, as the user named it.
    pub model: &'a str,
    /// The table.
    pub table: &'a str,
    /// Its rows.
    pub rows: usize,
    /// Those with a state in every column.
    pub scored_rows: usize,
    /// Those that the network says cannot be.
    pub impossible_rows: usize,
    /// Of all scored rows.
    pub log_likelihood: f64,
    /// The mean of it.
    pub log_likelihood_per_row: f64,
    /// Of the scored rows that can be.
    pub log_likelihood_of_possible_rows: f64,
    /// Of the graph on these rows.
    pub bic: f64,
    /// Of the graph on these rows.
    pub bdeu: f64,
    /// The equivalent sample size of that.
    pub ess: f64,
    /// The most surprising rows.
    pub surprising: Vec<Surprise<'a>>,
    version: &'static str,
}

/// A row and the cell that makes it surprising.
#[derive(Debug, Clone, Serialize)]
pub struct Surprise<'a> {
    /// The row of data, counted from 1.
    pub row: usize,
    /// −ln P(row).
    pub surprise: f64,
    /// The cell's column.
    pub column: &'a str,
    /// What it holds.
    pub state: &'a str,
    /// The probability of that.
    pub probability: f64,
    /// The parents' states.
    pub given: Vec<String>,
    /// The most likely state in that place.
    pub likeliest: &'a str,
    /// Its probability.
    pub likeliest_probability: f64,
}

impl Model {
    /// Holds rows against the network.
    ///
    /// # Errors
    /// [`RowsError::NoCompleteRow`].
    pub fn score<'m>(&'m self, rows: &'m Rows) -> Result<Scored<'m>, Error> {
        let complete = rows.table.complete_rows();
        if complete.is_empty() {
            return Err(RowsError::NoCompleteRow(rows.name.clone()).into());
        }
        let table = rows.table.select_rows(&complete);
        let likelihood = self.network.log_likelihood(&table)?;
        let blamed = blame(&self.network, &table);
        Ok(Scored {
            model: self,
            name: &rows.name,
            all: rows.table.rows(),
            complete,
            table,
            likelihood,
            blamed,
        })
    }
}

impl Scored<'_> {
    /// The document, with so many of the most surprising rows and with BDeu of this equivalent sample size.
    ///
    /// # Errors
    /// A sample size out of its range.
    pub fn document(&self, top: usize, ess: f64) -> Result<ScoredDocument<'_>, Error> {
        let dag = self.model.network.dag();
        let graph_score = |score: Score| Scorer::new(&self.table, score).and_then(|scorer| scorer.dag(dag));
        let rows = &self.likelihood.rows;
        Ok(ScoredDocument {
            model: &self.model.source,
            table: self.name,
            rows: self.all,
            scored_rows: self.complete.len(),
            impossible_rows: self.likelihood.impossible,
            log_likelihood: self.likelihood.total,
            log_likelihood_per_row: self.likelihood.mean(),
            log_likelihood_of_possible_rows: rows.iter().copied().filter(|value| value.is_finite()).sum(),
            bic: graph_score(Score::Bic)?,
            bdeu: graph_score(Score::Bdeu { ess })?,
            ess,
            surprising: self.most_surprising(top).into_iter().map(|row| self.surprise(row)).collect(),
            version: env!("CARGO_PKG_VERSION"),
        })
    }

    /// Every row of the table; one that was left out has no figures.
    pub fn rows(&self) -> impl Iterator<Item = Option<Surprise<'_>>> {
        let mut scored = self.complete.iter().enumerate().peekable();
        (0..self.all).map(move |row| {
            scored.next_if(|&(_, &complete)| complete == row).map(|(place, _)| self.surprise(place))
        })
    }

    /// The rows with the lowest likelihood, the lowest first; of equal rows the first.
    fn most_surprising(&self, top: usize) -> Vec<usize> {
        let likelihood = &self.likelihood.rows;
        let mut rows: Vec<usize> = (0..likelihood.len()).collect();
        rows.sort_by(|&a, &b| likelihood[a].total_cmp(&likelihood[b]).then(a.cmp(&b)));
        rows.truncate(top);
        rows
    }

    /// A complete row and its most surprising cell.
    fn surprise(&self, row: usize) -> Surprise<'_> {
        let (network, table) = (&self.model.network, &self.table);
        let v = self.blamed[row] as usize;
        let (schema, cpt) = (network.schema(), network.cpt(v));
        let code = |v: usize| usize::from(table.column(v)[row]);
        let codes: Vec<u8> = cpt.parents().iter().map(|&p| table.column(p)[row]).collect();
        let chances = cpt.row(cpt.configuration(&codes));
        let likeliest =
            (0..chances.len()).rev().max_by(|&a, &b| chances[a].total_cmp(&chances[b])).unwrap_or(0);
        let word = |&p: &usize| format!("{}={}", schema.name(p), schema.variable(p).states[code(p)]);
        Surprise {
            row: self.complete[row] + 1,
            // Not a negation: that would give a certain row a surprise of minus zero.
            surprise: 0.0 - self.likelihood.rows[row],
            column: schema.name(v),
            state: &schema.variable(v).states[code(v)],
            probability: chances[code(v)],
            given: cpt.parents().iter().map(word).collect(),
            likeliest: &schema.variable(v).states[likeliest],
            likeliest_probability: chances[likeliest],
        }
    }

    /// The surprise of every row; rows that were left out have no figures.
    ///
    /// # Errors
    /// What the writer says.
    pub fn csv(&self, out: &mut dyn Write) -> io::Result<()> {
        let mut out = io::BufWriter::new(out);
        writeln!(out, "row,surprise,column,state,probability")?;
        for (row, found) in self.rows().enumerate() {
            let Some(found) = found else {
                writeln!(out, "{},,,,", row + 1)?;
                continue;
            };
            let (column, state) = (cell(found.column), cell(found.state));
            writeln!(out, "{},{},{column},{state},{}", row + 1, found.surprise, found.probability)?;
        }
        out.flush()
    }
}

/// The column of every row whose cell has the largest excess.
fn blame(network: &Network, table: &Table) -> Vec<u32> {
    let by_name = network.schema().in_name_order();
    let mut column = vec![by_name.first().copied().unwrap_or(0) as u32; table.rows()];
    let mut most = vec![(f64::NEG_INFINITY, f64::NEG_INFINITY); table.rows()];
    let mut cells = vec![0usize; table.rows()];
    for v in by_name {
        let cpt = network.cpt(v);
        let weights: Vec<(f64, f64)> = cpt.values().chunks_exact(cpt.states()).flat_map(weights).collect();
        configurations(network, table, v, &mut cells);
        let codes = cells.iter().zip(table.column(v));
        for ((most, column), (&j, &code)) in most.iter_mut().zip(&mut column).zip(codes) {
            let weight = weights[j * cpt.states() + usize::from(code)];
            if weight > *most {
                (*most, *column) = (weight, v as u32);
            }
        }
    }
    column
}

/// What every state of one distribution weighs in a row: its excess if it has one, then its surprise.
fn weights(chances: &[f64]) -> Vec<(f64, f64)> {
    let entropy: f64 = -chances.iter().map(|&p| x_ln_x(p)).sum::<f64>();
    let weight = |&p: &f64| {
        let surprise = if p > 0.0 { -ln(p) } else { f64::INFINITY };
        ((surprise - entropy).max(0.0), surprise)
    };
    chances.iter().map(weight).collect()
}

/// The number of the parents' configuration in every row.
fn configurations(network: &Network, table: &Table, node: usize, out: &mut [usize]) {
    let cpt = network.cpt(node);
    out.fill(0);
    for (&parent, &states) in cpt.parents().iter().zip(cpt.parent_states()) {
        for (j, &code) in out.iter_mut().zip(table.column(parent)) {
            *j = *j * states + usize::from(code);
        }
    }
}
