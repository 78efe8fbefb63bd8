//! How well a network fits rows, and which rows surprise it: what `score` prints and writes.
//!
//! ```text
//! ln P(row) = Σ_v ln P(x_v | parents)              surprise of a row = −ln P(row), in nats
//! excess of a cell = −ln P(x_v | parents) − H(v | parents)
//! ```
//! The column that makes a row surprising is the one with the largest excess: a cell less likely than its column's own
//! uncertainty would lead one to expect. Where no cell exceeds it, the least likely cell is named; ties go to the first
//! name. Of a row with gaps it is the probability of what the row has that counts, and only cells whose parents have values are named.

use super::{Model, Rows, RowsError};
use crate::Error;
use crate::data::{Bounds, csv_cell as cell};
use crate::memory::{Plan, product};
use crate::words::counted;
use clausality_bn::math::{ln, x_ln_x};
use clausality_bn::{Likelihood, MISSING, Network, Score, Scorer, Table};
use serde::Serialize;
use std::io::{self, Write};

/// The rows of a table under a network.
#[derive(Debug)]
pub struct Scored<'m> {
    model: &'m Model,
    rows: &'m Rows,
    /// The rows with a state in every column.
    pub complete: Vec<usize>,
    likelihood: Likelihood,
    /// For every row the column with the largest excess, if a cell and its parents have values.
    blamed: Vec<Option<u32>>,
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
    /// Those that were scored: all of them, by what they have.
    pub scored_rows: usize,
    /// Those with a state in every column.
    pub complete_rows: usize,
    /// Those that the network says cannot be.
    pub impossible_rows: usize,
    /// Of all scored rows, each times its weight.
    pub log_likelihood: f64,
    /// The mean of it.
    pub log_likelihood_per_row: f64,
    /// Of the scored rows that can be.
    pub log_likelihood_of_possible_rows: f64,
    /// Of the graph on the complete rows, if there are any.
    pub bic: Option<f64>,
    /// Of the graph on the complete rows, if there are any.
    pub bdeu: Option<f64>,
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
    /// −ln P(what the row has).
    pub surprise: f64,
    /// The cell, unless every cell lacks a parent.
    #[serde(flatten)]
    pub cell: Option<SurprisingCell<'a>>,
}

/// A cell less likely than others of its column.
#[derive(Debug, Clone, Serialize)]
pub struct SurprisingCell<'a> {
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
    /// Holds rows against the network, within bounds; gaps are summed out.
    ///
    /// # Errors
    /// [`RowsError::NoValue`]; gaps that hang together in more cells than the bounds allow.
    pub fn score<'m>(&'m self, rows: &'m Rows, bounds: &Bounds) -> Result<Scored<'m>, Error> {
        let table = &rows.table;
        let what = format!("figures of {}", counted(table.rows(), "row"));
        // The rows without gaps, once more; for each row its likelihood and the cell that is to blame.
        let figures = product(&[table.rows(), self.network.len() + 64]);
        Plan::new("scoring")
            .need(what, figures)
            .way("score fewer rows at a time", None)
            .check(bounds.room)?;
        if (0..self.network.len()).all(|v| table.column(v).iter().all(|&code| code == MISSING)) {
            return Err(RowsError::NoValue(rows.name.clone()).into());
        }
        let likelihood = self.network.log_likelihood(table, bounds.inference_room("scoring", 1)?)?;
        let blamed = blame(&self.network, table);
        let complete = table.complete_rows();
        Ok(Scored { model: self, rows, complete, likelihood, blamed })
    }
}

impl Scored<'_> {
    /// The document, with so many of the most surprising rows and with BDeu of this equivalent sample size.
    ///
    /// # Errors
    /// A sample size out of its range.
    pub fn document(&self, top: usize, ess: f64) -> Result<ScoredDocument<'_>, Error> {
        let dag = self.model.network.dag();
        let complete = self.rows.picked(&self.complete);
        let complete = complete.even();
        let graph_score = |score: Score| {
            let of = |table: &Table| Scorer::new(table, score).and_then(|scorer| scorer.dag(dag));
            Some(&*complete).filter(|table| table.rows() > 0).map(of).transpose()
        };
        let possible = self.likelihood.rows.iter().enumerate().filter(|(_, value)| value.is_finite());
        let possible: f64 = possible.map(|(row, value)| self.rows.weight(row) * value).sum();
        let weights = self.rows.weights.as_deref();
        Ok(ScoredDocument {
            model: &self.model.source,
            table: &self.rows.name,
            rows: self.rows.table.rows(),
            scored_rows: self.rows.table.rows(),
            complete_rows: self.complete.len(),
            impossible_rows: self.likelihood.impossible,
            log_likelihood: self.likelihood.total_of(weights),
            log_likelihood_per_row: self.likelihood.mean_of(weights),
            log_likelihood_of_possible_rows: possible,
            bic: graph_score(Score::Bic)?,
            bdeu: graph_score(Score::Bdeu { ess })?,
            ess,
            surprising: self.most_surprising(top).into_iter().map(|row| self.surprise(row)).collect(),
            version: env!("CARGO_PKG_VERSION"),
        })
    }

    /// Every row of the table.
    pub fn rows(&self) -> impl Iterator<Item = Surprise<'_>> {
        (0..self.rows.table.rows()).map(|row| self.surprise(row))
    }

    /// The rows with the lowest likelihood, the lowest first; of equal rows the first.
    fn most_surprising(&self, top: usize) -> Vec<usize> {
        let likelihood = &self.likelihood.rows;
        let mut rows: Vec<usize> = (0..likelihood.len()).collect();
        rows.sort_by(|&a, &b| likelihood[a].total_cmp(&likelihood[b]).then(a.cmp(&b)));
        rows.truncate(top);
        rows
    }

    /// A row and its most surprising cell.
    fn surprise(&self, row: usize) -> Surprise<'_> {
        Surprise {
            row: row + 1,
            // Not a negation: that would give a certain row a surprise of minus zero.
            surprise: 0.0 - self.likelihood.rows[row],
            cell: self.blamed[row].map(|v| self.cell(row, v as usize)),
        }
    }

    fn cell(&self, row: usize, v: usize) -> SurprisingCell<'_> {
        let (network, table) = (&self.model.network, &self.rows.table);
        let (schema, cpt) = (network.schema(), network.cpt(v));
        let code = |v: usize| usize::from(table.column(v)[row]);
        let codes: Vec<u8> = cpt.parents().iter().map(|&p| table.column(p)[row]).collect();
        let chances = cpt.row(cpt.configuration(&codes));
        let likeliest =
            (0..chances.len()).rev().max_by(|&a, &b| chances[a].total_cmp(&chances[b])).unwrap_or(0);
        let word = |&p: &usize| format!("{}={}", schema.name(p), schema.variable(p).states[code(p)]);
        SurprisingCell {
            column: schema.name(v),
            state: &schema.variable(v).states[code(v)],
            probability: chances[code(v)],
            given: cpt.parents().iter().map(word).collect(),
            likeliest: &schema.variable(v).states[likeliest],
            likeliest_probability: chances[likeliest],
        }
    }

    /// The surprise of every row, and its most surprising cell.
    ///
    /// # Errors
    /// What the writer says.
    pub fn csv(&self, out: &mut dyn Write) -> io::Result<()> {
        let mut out = io::BufWriter::new(out);
        writeln!(out, "row,surprise,column,state,probability")?;
        for Surprise { row, surprise, cell: found } in self.rows() {
            write!(out, "{row},{surprise},")?;
            match found {
                Some(found) => {
                    writeln!(out, "{},{},{}", cell(found.column), cell(found.state), found.probability)?;
                }
                None => writeln!(out, ",,")?,
            }
        }
        out.flush()
    }
}

/// The column of every row whose cell has the largest excess, of those that have a value and whose parents have.
fn blame(network: &Network, table: &Table) -> Vec<Option<u32>> {
    let by_name = network.schema().in_name_order();
    let mut column = vec![None; table.rows()];
    let mut most = vec![(f64::NEG_INFINITY, f64::NEG_INFINITY); table.rows()];
    let mut cells = vec![0usize; table.rows()];
    for v in by_name {
        let cpt = network.cpt(v);
        let weights: Vec<(f64, f64)> = cpt.values().chunks_exact(cpt.states()).flat_map(weights).collect();
        configurations(network, table, v, &mut cells);
        let gappy = |v: &usize| table.column(*v).contains(&MISSING);
        let with_gaps: Vec<usize> = cpt.parents().iter().chain([&v]).copied().filter(gappy).collect();
        for (row, &code) in table.column(v).iter().enumerate() {
            if with_gaps.iter().any(|&v| table.column(v)[row] == MISSING) {
                continue;
            }
            let weight = weights[cells[row] * cpt.states() + usize::from(code)];
            if weight > most[row] {
                (most[row], column[row]) = (weight, Some(v as u32));
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
