//! One column as a target: its rows and classes, and what may speak about them.

use super::literals::{Literals, is_true};
use super::logistic::{Rows, Seen, softmax};
use super::shape::{Basis, Points, Shape};
use crate::Error;
use crate::data::{Coding, Dataset, StateRule};
use crate::encode::{Encoding, LiteralRule};
use clausality_bn::{MISSING, Scale, Table, Variable};
use clausality_tm::BitMatrix;

/// A target and its features.
pub(super) struct Subject {
    /// The columns that may speak, in the order of names.
    pub(super) table: Table,
    /// How they were coded.
    pub(super) coding: Coding,
    pub(super) seed: u64,
    /// How many of the target's states are values.
    pub(super) classes: usize,
    /// Rows of the table in which the target has a value.
    pub(super) rows: Vec<u32>,
    /// Their classes.
    pub(super) labels: Vec<u8>,
    /// How much they count, 1 on average.
    pub(super) counts: Vec<f64>,
    pub(super) encoding: Encoding,
    /// What clauses are made of, and whether it is true of every row of the table.
    pub(super) literals: Literals,
    pub(super) bits: BitMatrix,
    bases: Vec<Basis>,
}

impl Subject {
    /// The column `target` of the table as it was learned from; its features in finer states where there are any.
    pub(super) fn new(dataset: &Dataset, target: usize, seed: u64) -> Result<Self, Error> {
        let variable = dataset.table.schema().variable(target);
        let (table, coding) = match &dataset.fine {
            Some(fine) => (&fine.table, &fine.coding),
            None => (&dataset.table, &dataset.coding),
        };
        let count = values_of(variable);
        let known = |&(_, &code): &(u32, &u8)| code != MISSING && usize::from(code) < count;
        let (rows, labels): (Vec<u32>, _) =
            (0u32..).zip(dataset.table.column(target)).filter(known).map(|(r, &c)| (r, c)).unzip();
        let count_of = |&row: &u32| dataset.weights.as_ref().map_or(1.0, |weights| weights[row as usize]);
        let counts = rows.iter().map(count_of).collect();
        let variables = speaking(dataset, target);
        let table = table.select_variables(&variables)?;
        let coding = coding.restricted(table.schema());
        let encoding = Encoding::new(table.schema(), LiteralRule::Scale);
        let bases = (0..variables.len()).map(|v| basis(&table, &coding, v)).collect();
        let literals = Literals::coarse(&encoding, &table);
        let bits = literals.rows(&encoding, &table);
        let classes = count;
        Ok(Subject { table, coding, seed, classes, rows, labels, counts, encoding, literals, bits, bases })
    }

    /// The columns that miss a value in some row.
    pub(super) fn gappy(&self) -> Vec<String> {
        let schema = self.table.schema();
        let gappy = |v: &usize| self.rows.iter().any(|&row| self.table.column(*v)[row as usize] == MISSING);
        (0..schema.len()).filter(gappy).map(|v| schema.name(v).to_string()).collect()
    }

    /// Whether a clause is true of a row, which is known by its place in `rows`.
    pub(super) fn is_true(&self, clause: &[u32], place: u32) -> bool {
        is_true(clause, self.bits.row(self.rows[place as usize] as usize))
    }

    pub(super) fn seen(&self, clauses: &[Vec<u32>], places: &[u32]) -> Seen {
        let rows: Vec<u32> = places.iter().map(|&place| self.rows[place as usize]).collect();
        seen(&self.table, &self.bits, clauses, &rows)
    }

    /// Rows to learn from.
    pub(super) fn rows(&self, clauses: &[Vec<u32>], places: &[u32]) -> Rows {
        Rows {
            seen: self.seen(clauses, places),
            labels: places.iter().map(|&place| self.labels[place as usize]).collect(),
            counts: places.iter().map(|&place| self.counts[place as usize]).collect(),
        }
    }

    pub(super) fn shape(&self, steps: bool, clauses: usize) -> Shape {
        let scores = if self.classes == 2 { 1 } else { self.classes };
        Shape { bases: self.bases.clone(), steps, clauses, scores }
    }
}

/// The columns that may speak about a target, in the order of names: of the finer table where there is one.
pub(super) fn speaking(dataset: &Dataset, target: usize) -> Vec<usize> {
    let own_name = dataset.table.schema().name(target);
    let (table, coding) = match &dataset.fine {
        Some(fine) => (&fine.table, &fine.coding),
        None => (&dataset.table, &dataset.coding),
    };
    // Whatever was made of the target's own column says nothing.
    let column = |name: &str| coding.variables().iter().find(|v| v.variable.name == name).map(|v| &v.column);
    let own = column(own_name);
    let speaks = |&v: &usize| {
        let name = table.schema().name(v);
        name != own_name && (own.is_none() || column(name) != own)
    };
    table.schema().in_name_order().into_iter().filter(speaks).collect()
}

/// How many states of a variable are values.
pub(super) fn values_of(variable: &Variable) -> usize {
    variable.cardinality() - usize::from(variable.has_missing_state)
}

/// What is seen of some rows. Every variable has one code more than states, for what is unknown; `bits` are what clauses are made of.
pub(super) fn seen(table: &Table, bits: &BitMatrix, clauses: &[Vec<u32>], rows: &[u32]) -> Seen {
    let cards: Vec<usize> = table.schema().variables().iter().map(Variable::cardinality).collect();
    let codes: usize = cards.iter().map(|card| card + 1).sum();
    let (mut marks, mut ends) = (Vec::new(), Vec::with_capacity(rows.len()));
    for &row in rows {
        let mut first = 0;
        for (v, &card) in cards.iter().enumerate() {
            marks.push((first + usize::from(table.column(v)[row as usize]).min(card)) as u32);
            first += card + 1;
        }
        let literals = bits.row(row as usize);
        let holding = |(_, clause): &(u32, &Vec<u32>)| is_true(clause, literals);
        marks.extend((codes as u32..).zip(clauses).filter(holding).map(|(mark, _)| mark));
        ends.push(marks.len());
    }
    Seen { rows: rows.len(), marks, ends }
}

/// Points of one score as points of two classes; of more they are that already.
pub(super) fn by_class(points: Points) -> Points {
    if points.constant.len() > 1 {
        return points;
    }
    let both = |points: Vec<f64>| points.iter().flat_map(|p| [-p / 2.0, p / 2.0]).collect();
    Points { marks: both(points.marks), constant: both(points.constant) }
}

/// The probabilities of rows by points of the classes.
pub(super) fn probabilities(seen: &Seen, points: &Points) -> Vec<f64> {
    let mut sums = seen.sums(points);
    sums.chunks_exact_mut(points.constant.len()).for_each(|sums| {
        softmax(sums);
    });
    sums
}

/// What the codes of a column are worth: a number for every state that has no order, for every step between states that have
/// one, for the size itself, and for a gap. What is unknown is worth nothing.
fn basis(table: &Table, coding: &Coding, v: usize) -> Basis {
    let variable = table.schema().variable(v);
    let values = values_of(variable);
    let ordered = variable.scale == Scale::Ordered && values > 2;
    let sizes = if ordered { sizes(table, coding, v, values) } else { Vec::new() };
    Basis { values, gap: variable.has_missing_state, sizes, alone: Vec::new() }
}

/// The size of every state, in standard deviations from the mean of the rows: the number itself, the middle between two cuts, or its place.
fn sizes(table: &Table, coding: &Coding, v: usize, values: usize) -> Vec<f64> {
    let name = table.schema().name(v);
    let rule = coding.variables().iter().find(|coded| coded.variable.name == name).map(|coded| &coded.rule);
    let mut sizes: Vec<f64> = match rule {
        Some(StateRule::Numbers(numbers)) if numbers.len() == values => numbers.clone(),
        Some(StateRule::Cuts(cuts)) if cuts.at.len() + 1 == values => {
            let at = &cuts.at;
            let last = at.len() - 1;
            // The outer states reach as far beyond their cut as their neighbours do.
            let low = 2.0 * at[0] - at[last.min(1)];
            let high = 2.0 * at[last] - at[last.saturating_sub(1)];
            let edges: Vec<f64> = [low].into_iter().chain(at.iter().copied()).chain([high]).collect();
            edges.windows(2).map(|pair| pair[0] / 2.0 + pair[1] / 2.0).collect()
        }
        _ => (0..values).map(|k| k as f64).collect(),
    };
    let known =
        || table.column(v).iter().filter(|&&code| usize::from(code) < values).map(|&code| usize::from(code));
    let count = known().count().max(1) as f64;
    let mean = known().map(|code| sizes[code]).sum::<f64>() / count;
    let spread =
        (known().map(|code| (sizes[code] - mean) * (sizes[code] - mean)).sum::<f64>() / count).sqrt();
    let scale = if spread.is_finite() && spread > 0.0 { 1.0 / spread } else { 0.0 };
    sizes.iter_mut().for_each(|size| *size = (*size - mean) * scale);
    sizes
}
