//! A score card: points that are added up, and what is needed to do so for new rows.

use super::literals::Literals;
use super::shape::Points;
use super::subject::{Subject, probabilities, seen};
use crate::Error;
use crate::data::Coding;
use crate::encode::{Encoding, LiteralRule};
use clausality_bn::{MISSING, Table};
use serde::{Deserialize, Serialize};

/// The score card of the machines.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, try_from = "Unchecked")]
pub struct Votes {
    /// The states of the target that are values.
    states: Vec<String>,
    /// How the columns become fine states.
    coding: Coding,
    /// Points by column (in the order of names), state and class.
    pub(super) points: Vec<Vec<Vec<f64>>>,
    /// Clauses by their literals, and their points by class.
    pub(super) clauses: Vec<(Vec<u32>, Vec<f64>)>,
    /// Points that every row has.
    pub(super) constant: Vec<f64>,
    /// The columns that had gaps when the points were fitted: there a gap is accounted for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    gappy: Vec<String>,
    /// The share of the rows that has each state, by column, and of which each clause is true; nothing in older files.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) shares: Option<Shares>,
}

/// How many rows have what is worth points, as shares of those that the points were fitted to.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Shares {
    /// By column (in the order of names) and state.
    pub(super) states: Vec<Vec<f64>>,
    /// By clause.
    pub(super) clauses: Vec<f64>,
}

impl Shares {
    /// Of the rows at these places, and of clauses by places of their literals.
    pub(super) fn of(subject: &Subject, clauses: &[Vec<u32>], places: &[u32]) -> Self {
        let share = |count: usize| short(count as f64 / places.len().max(1) as f64);
        let table = &subject.table;
        let of_column = |v: usize| {
            let mut counts = vec![0usize; table.schema().cardinality(v)];
            for &place in places {
                let code = table.column(v)[subject.rows[place as usize] as usize];
                counts.get_mut(usize::from(code)).into_iter().for_each(|count| *count += 1);
            }
            counts.into_iter().map(share).collect()
        };
        let of_clause =
            |clause: &Vec<u32>| share(places.iter().filter(|&&place| subject.is_true(clause, place)).count());
        Shares {
            states: (0..table.schema().len()).map(of_column).collect(),
            clauses: clauses.iter().map(of_clause).collect(),
        }
    }
}

/// Six digits are more than a vote can mean.
fn short(number: f64) -> f64 {
    (number * 1e6).round() / 1e6
}

/// A score card as it stands in a file, before it is believed.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Unchecked {
    states: Vec<String>,
    coding: Coding,
    points: Vec<Vec<Vec<f64>>>,
    clauses: Vec<(Vec<u32>, Vec<f64>)>,
    constant: Vec<f64>,
    #[serde(default)]
    gappy: Vec<String>,
    #[serde(default)]
    shares: Option<Shares>,
}

impl TryFrom<Unchecked> for Votes {
    type Error = String;
    fn try_from(unchecked: Unchecked) -> Result<Self, String> {
        let Unchecked { states, coding, points, clauses, constant, gappy, shares } = unchecked;
        let schema = coding.schema().map_err(|error| error.to_string())?;
        let literals = Encoding::new(&schema, LiteralRule::Scale).len();
        let classes = states.len();
        let fits = |(&v, points): (&usize, &Vec<Vec<f64>>)| {
            points.len() == schema.cardinality(v) && points.iter().all(|points| points.len() == classes)
        };
        let known = |(own, points): &(Vec<u32>, Vec<f64>)| {
            points.len() == classes && own.iter().all(|&literal| (literal as usize) < literals)
        };
        let told = |shares: &Shares| {
            let fits = |(shares, points): (&Vec<f64>, &Vec<Vec<f64>>)| shares.len() == points.len();
            shares.clauses.len() == clauses.len()
                && shares.states.len() == points.len()
                && shares.states.iter().zip(&points).all(fits)
        };
        let whole = classes > 1
            && shares.as_ref().is_none_or(told)
            && constant.len() == classes
            && points.len() == schema.len()
            && schema.in_name_order().iter().zip(&points).all(fits)
            && clauses.iter().all(known);
        if !whole {
            return Err("the points of the machines do not fit their columns".into());
        }
        Ok(Votes { states, coding, points, clauses, constant, gappy, shares })
    }
}

impl Votes {
    /// The states of the target that are values.
    pub fn states(&self) -> &[String] {
        &self.states
    }

    /// How columns become the states that have points.
    pub fn coding(&self) -> &Coding {
        &self.coding
    }

    /// How many clauses vote.
    pub fn clauses(&self) -> usize {
        self.clauses.len()
    }

    /// The probabilities of rows under [`Votes::coding`], a number for every class and row.
    ///
    /// # Errors
    /// Rows under another coding.
    pub fn probabilities(&self, table: &Table) -> Result<Vec<f64>, Error> {
        let schema = self.coding.schema()?;
        let table = table.recoded(&schema)?.select_variables(&schema.in_name_order())?;
        let classes = self.states.len();
        let encoding = Encoding::new(table.schema(), LiteralRule::Scale);
        let mut marks = Vec::new();
        for states in &self.points {
            states.iter().for_each(|points| marks.extend_from_slice(points));
            // What is unknown has no points.
            marks.resize(marks.len() + classes, 0.0);
        }
        let (literals, clauses) = Literals::used(self.clauses.iter().map(|clause| clause.0.as_slice()));
        self.clauses.iter().for_each(|clause| marks.extend_from_slice(&clause.1));
        let points = Points { marks, constant: self.constant.clone() };
        let rows: Vec<u32> = (0..table.rows() as u32).collect();
        Ok(probabilities(&seen(&table, &literals.rows(&encoding, &table), &clauses, &rows), &points))
    }

    /// The card with these points; clauses by the numbers of their literals.
    pub(super) fn new(
        subject: &Subject,
        all: &Points,
        clauses: Vec<Vec<u32>>,
        states: Vec<String>,
        shares: Shares,
    ) -> Self {
        let classes = subject.classes;
        let short = |points: &[f64]| -> Vec<f64> { points.iter().copied().map(short).collect() };
        let mut by_mark = all.marks.chunks_exact(classes);
        let mut points = Vec::new();
        for variable in subject.table.schema().variables() {
            let states = by_mark.by_ref().take(variable.cardinality());
            points.push(states.map(short).collect());
            by_mark.next();
        }
        Votes {
            states,
            coding: subject.coding.clone(),
            points,
            clauses: clauses.into_iter().zip(by_mark.map(short)).collect(),
            constant: short(&all.constant),
            gappy: subject.gappy(),
            shares: Some(shares),
        }
    }

    /// The rows that lack a cell which no row lacked when the points were fitted: the machines do not know what to do without it.
    pub fn at_a_loss(&self, table: &Table) -> Vec<bool> {
        let mut lost = vec![false; table.rows()];
        for (v, variable) in table.schema().variables().iter().enumerate() {
            let missed = self.coding.variables().iter().any(|coded| coded.variable.name == variable.name)
                && !self.gappy.contains(&variable.name);
            if missed {
                lost.iter_mut().zip(table.column(v)).for_each(|(lost, &code)| *lost |= code == MISSING);
            }
        }
        lost
    }

    /// The columns that have points, of their own or by a clause.
    fn worth_points(&self) -> Result<Vec<String>, Error> {
        let schema = self.coding.schema()?;
        let encoding = Encoding::new(&schema, LiteralRule::Scale);
        let is_worth = |points: &[f64]| points.iter().any(|&points| points != 0.0);
        let mut worth = vec![false; schema.len()];
        for (&v, states) in encoding.variables().iter().zip(&self.points) {
            worth[v] = states.iter().any(|points| is_worth(points));
        }
        for (literals, _) in self.clauses.iter().filter(|(_, points)| is_worth(points)) {
            literals.iter().for_each(|&literal| worth[encoding.literal(literal as usize).variable] = true);
        }
        let names = (0..schema.len()).filter(|&v| worth[v]).map(|v| schema.name(v).to_string());
        Ok(names.collect())
    }

    /// The rows that lack a cell which has points, whether or not rows lacked it when the points were fitted.
    ///
    /// # Errors
    /// A coding that is none.
    pub fn without_a_cell(&self, table: &Table) -> Result<Vec<bool>, Error> {
        let mut without = vec![false; table.rows()];
        for name in self.worth_points()? {
            let Some(v) = table.schema().index(&name) else { continue };
            without.iter_mut().zip(table.column(v)).for_each(|(without, &code)| *without |= code == MISSING);
        }
        Ok(without)
    }
}
