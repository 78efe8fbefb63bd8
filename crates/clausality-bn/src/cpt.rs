//! Conditional probability tables.
//!
//! A table holds `theta[j][k] = P(node = k | parents in configuration j)`, row after row. Configurations count like the
//! digits of a number: the first parent varies slowest, the last fastest.
//!
//! **Our reading.** Files in circulation carry rounded numbers: rows sum to one within 3e-7, not exactly. A row within
//! [`ROW_TOLERANCE`] is a distribution written with few digits: [`Cpt::row`] gives it scaled to sum to one, and
//! [`Cpt::written_row`] gives the numbers as they stood, so that a file read and written again holds the same doubles.
//! A row further off is refused.

use crate::{Error, Schema};

/// How far from one the numbers of a row may sum.
pub const ROW_TOLERANCE: f64 = 1e-6;

/// Rows this close to one are left alone: what rounding in the last place leaves, also after scaling.
const EXACT: f64 = 1e-12;

/// The memory that the tables of one network may take unless the caller says otherwise: 128 MiB.
pub const DEFAULT_TABLE_BYTES: u64 = 128 << 20;

/// The probabilities of one node given its parents.
#[derive(Debug, Clone, PartialEq)]
pub struct Cpt {
    parents: Vec<usize>,
    parent_states: Vec<usize>,
    states: usize,
    /// As given.
    written: Vec<f64>,
    /// Scaled to sum to one; absent when every row does so as written.
    scaled: Option<Vec<f64>>,
}

impl Cpt {
    /// Checks the numbers and builds the table of `node`; `values` holds one row per parent configuration.
    pub fn new(schema: &Schema, node: usize, parents: Vec<usize>, values: Vec<f64>) -> Result<Self, Error> {
        check_parents(schema, node, &parents)?;
        let states = schema.cardinality(node);
        let parent_states: Vec<usize> = parents.iter().map(|&p| schema.cardinality(p)).collect();
        let expected = cells(schema, node, &parents);
        if expected != values.len() as u128 {
            return Err(Error::CellCount {
                node: schema.name(node).to_string(),
                expected: usize::try_from(expected).unwrap_or(usize::MAX),
                found: values.len(),
            });
        }
        let mut cpt = Cpt { parents, parent_states, states, written: values, scaled: None };
        for j in 0..cpt.configurations() {
            if let Err(fault) = check_row(cpt.written_row(j)) {
                return Err(fault.into_error(schema, node, &cpt.parents, j));
            }
        }
        cpt.scale();
        Ok(cpt)
    }

    fn scale(&mut self) {
        // A zero with a sign would print as one.
        self.written.iter_mut().for_each(|p| *p += 0.0);
        let off = |row: &[f64]| (row.iter().sum::<f64>() - 1.0).abs() > EXACT;
        if !self.written.chunks_exact(self.states).any(off) {
            return;
        }
        let mut scaled = self.written.clone();
        for row in scaled.chunks_exact_mut(self.states).filter(|row| off(row)) {
            let sum: f64 = row.iter().sum();
            row.iter_mut().for_each(|p| *p /= sum);
        }
        self.scaled = Some(scaled);
    }

    /// The same numbers with the parents at other places of another schema, in the same order; [`crate::Network::new`] checks that they fit.
    pub(crate) fn moved(&self, parents: Vec<usize>) -> Self {
        Cpt { parents, ..self.clone() }
    }

    /// The parents, in the order in which they span the configurations.
    pub fn parents(&self) -> &[usize] {
        &self.parents
    }

    /// The number of states of each parent.
    pub fn parent_states(&self) -> &[usize] {
        &self.parent_states
    }

    /// The number of states of the node.
    pub fn states(&self) -> usize {
        self.states
    }

    /// The number of parent configurations (1 without parents).
    pub fn configurations(&self) -> usize {
        self.written.len() / self.states
    }

    /// All probabilities, row after row, each row summing to one.
    pub fn values(&self) -> &[f64] {
        self.scaled.as_deref().unwrap_or(&self.written)
    }

    /// The distribution of the node in one parent configuration; sums to one.
    #[inline]
    pub fn row(&self, configuration: usize) -> &[f64] {
        &self.values()[configuration * self.states..][..self.states]
    }

    /// The same row with the numbers as they were given.
    pub fn written_row(&self, configuration: usize) -> &[f64] {
        &self.written[configuration * self.states..][..self.states]
    }

    /// The number of the configuration in which the parents have these codes (in the order of [`Cpt::parents`]).
    #[inline]
    pub fn configuration(&self, codes: &[u8]) -> usize {
        debug_assert_eq!(codes.len(), self.parents.len());
        codes.iter().zip(&self.parent_states).fold(0, |j, (&code, &states)| j * states + code as usize)
    }

    /// The codes of the parents in a configuration.
    pub fn parent_codes(&self, configuration: usize) -> Vec<u8> {
        digits(configuration, &self.parent_states)
    }

    /// Configurations times (states − 1).
    pub fn free_parameters(&self) -> usize {
        self.configurations() * (self.states - 1)
    }
}

fn digits(mut number: usize, bases: &[usize]) -> Vec<u8> {
    let mut out = vec![0; bases.len()];
    for (digit, &base) in out.iter_mut().zip(bases).rev() {
        *digit = (number % base) as u8;
        number /= base;
    }
    out
}

/// A configuration in words: `parent=state` for each parent.
pub(crate) fn configuration_words(schema: &Schema, parents: &[usize], configuration: usize) -> Vec<String> {
    let states: Vec<usize> = parents.iter().map(|&p| schema.cardinality(p)).collect();
    let codes = digits(configuration, &states);
    let word = |(&p, &code): (&usize, &u8)| {
        let variable = schema.variable(p);
        format!("{}={}", variable.name, variable.states[code as usize])
    };
    parents.iter().zip(&codes).map(word).collect()
}

/// What can be wrong with a row.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum RowFault {
    Probability(f64),
    Sum(f64),
}

impl RowFault {
    pub(crate) fn into_error(
        self,
        schema: &Schema,
        node: usize,
        parents: &[usize],
        configuration: usize,
    ) -> Error {
        let node = schema.name(node).to_string();
        let configuration = configuration_words(schema, parents, configuration);
        match self {
            RowFault::Probability(p) => Error::Probability { node, configuration, value: p.to_string() },
            RowFault::Sum(sum) => Error::RowSum { node, configuration, sum, tolerance: ROW_TOLERANCE },
        }
    }
}

/// Whether the numbers are probabilities that sum to one.
pub(crate) fn check_row(row: &[f64]) -> Result<(), RowFault> {
    if let Some(&p) = row.iter().find(|p| !(0.0..=1.0).contains(*p)) {
        return Err(RowFault::Probability(p));
    }
    let sum: f64 = row.iter().sum();
    // Three times 0.333333 is off by exactly the tolerance in decimals, and by a little more in doubles.
    if (sum - 1.0).abs() > ROW_TOLERANCE + EXACT { Err(RowFault::Sum(sum)) } else { Ok(()) }
}

/// Parents must be other nodes of the schema, each once.
pub(crate) fn check_parents(schema: &Schema, node: usize, parents: &[usize]) -> Result<(), Error> {
    let refuse =
        |parent: String, reason| Err(Error::Parent { node: schema.name(node).to_string(), parent, reason });
    for &p in parents {
        if p >= schema.len() {
            return refuse(format!("#{p}"), "there is no such variable");
        }
        if p == node {
            return refuse(schema.name(p).to_string(), "that is a cycle of one node");
        }
    }
    let mut sorted = parents.to_vec();
    sorted.sort_unstable();
    match sorted.windows(2).find(|pair| pair[0] == pair[1]) {
        Some(pair) => refuse(schema.name(pair[0]).to_string(), "it is listed twice"),
        None => Ok(()),
    }
}

/// The cells of a table: configurations times states, `u128::MAX` if that is too small to hold them.
pub(crate) fn cells(schema: &Schema, node: usize, parents: &[usize]) -> u128 {
    let factors = parents.iter().chain([&node]).map(|&v| schema.cardinality(v) as u128);
    factors.fold(1u128, u128::saturating_mul)
}

/// Memory for the tables of one network, handed out before anything is allocated.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Budget {
    limit: u64,
    used: u128,
}

impl Budget {
    pub(crate) fn new(limit: u64) -> Self {
        Budget { limit, used: 0 }
    }

    /// Takes the memory of one table; the number of its cells, or the error that names it.
    pub(crate) fn take(&mut self, schema: &Schema, node: usize, parents: &[usize]) -> Result<usize, Error> {
        let cells = cells(schema, node, parents);
        let bytes = cells.saturating_mul(size_of::<f64>() as u128).saturating_add(self.used);
        match usize::try_from(cells) {
            Ok(n) if bytes <= u128::from(self.limit) => {
                self.used = bytes;
                Ok(n)
            }
            _ => Err(Error::Limit {
                node: schema.name(node).to_string(),
                parents: parents.iter().map(|&p| schema.name(p).to_string()).collect(),
                cells,
                bytes,
                limit: self.limit,
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Variable;

    fn schema() -> Schema {
        let states = |n: usize| (0..n).map(|i| format!("s{i}"));
        Schema::new(vec![
            Variable::new("a", states(2)),
            Variable::new("b", states(3)),
            Variable::new("c", states(2)),
        ])
        .unwrap()
    }

    #[test]
    fn the_first_parent_varies_slowest() {
        let values: Vec<f64> = (0..6).flat_map(|j| [j as f64 / 10.0, 1.0 - j as f64 / 10.0]).collect();
        let cpt = Cpt::new(&schema(), 2, vec![0, 1], values).unwrap();
        assert_eq!(cpt.configurations(), 6);
        assert_eq!(cpt.configuration(&[1, 0]), 3);
        assert_eq!(cpt.parent_codes(5), [1, 2]);
        assert_eq!(cpt.row(4), [0.4, 0.6]);
        assert_eq!(cpt.free_parameters(), 6);
    }

    #[test]
    fn rounded_rows_are_scaled_and_kept_as_written() {
        let cpt = Cpt::new(&schema(), 1, vec![], vec![0.3333333, 0.3333333, 0.3333333]).unwrap();
        assert_eq!(cpt.written_row(0), [0.3333333; 3]);
        assert!((cpt.row(0).iter().sum::<f64>() - 1.0).abs() < 1e-15);
        assert!(Cpt::new(&schema(), 1, vec![], vec![0.333333; 3]).is_ok());
        assert!(Cpt::new(&schema(), 1, vec![], vec![0.333333, 0.333333, 0.3333329]).is_err());
        let exact = Cpt::new(&schema(), 1, vec![], vec![0.1, 0.2, 0.7]).unwrap();
        assert_eq!(exact.row(0), exact.written_row(0));
        assert!(exact.scaled.is_none());
    }

    #[test]
    fn refuses_what_is_no_distribution() {
        let s = schema();
        let sum = Cpt::new(&s, 0, vec![2], vec![0.5, 0.5, 0.5, 0.4]);
        assert!(
            matches!(&sum, Err(Error::RowSum { configuration, .. }) if configuration == &["c=s1"]),
            "{sum:?}"
        );
        for bad in [-0.1, 1.1, f64::NAN, f64::INFINITY] {
            assert!(matches!(Cpt::new(&s, 0, vec![], vec![bad, 1.0 - bad]), Err(Error::Probability { .. })));
        }
        assert!(matches!(
            Cpt::new(&s, 0, vec![], vec![1.0]),
            Err(Error::CellCount { expected: 2, found: 1, .. })
        ));
        for parents in [vec![0], vec![1, 1], vec![7]] {
            assert!(matches!(Cpt::new(&s, 0, parents, vec![]), Err(Error::Parent { .. })));
        }
    }

    #[test]
    fn the_budget_is_for_all_tables_together() {
        let s = schema();
        let mut budget = Budget::new(112);
        assert_eq!(budget.take(&s, 2, &[0, 1]).unwrap(), 12);
        assert_eq!(budget.take(&s, 0, &[]).unwrap(), 2);
        assert!(matches!(
            budget.take(&s, 0, &[]),
            Err(Error::Limit { cells: 2, bytes: 128, limit: 112, .. })
        ));
    }
}
