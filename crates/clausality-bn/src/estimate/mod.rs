//! Probability tables from counts.
//!
//! ```text
//! θ_jk = (N_jk + α_jk) / (N_j + Σ_k α_jk)
//!   Laplace:  α_jk = α          Bdeu:  α_jk = ess / (q r)          Mle:  α_jk = 0, and 1/r where N_j = 0
//!   Backoff:  α_jk = w θ_j'k, where j' is j without its least informative parent   (backoff.rs)
//! ```
//! with `q` parent configurations and `r` states. Backing off also sees to it that every column is distributed in the network as it is in
//! the data (`agree.rs`). All rows count; a row that misses a value of the family does not
//! count for that family. The size of every table is checked before anything is allocated.

mod agree;
mod backoff;

use crate::counts::{Cells, Count, Counter};
use crate::cpt::Budget;
use crate::{Cpt, Dag, Error, MISSING, Network, Schema, Table};
pub(crate) use backoff::Leaning;
use serde::{Deserialize, Serialize};

/// What is believed about the probabilities before the rows are counted.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase", deny_unknown_fields)]
pub enum Prior {
    /// A configuration leans on the probabilities with its least informative parent left out, those on the ones with one parent less
    /// again, down to the node's own frequencies.
    Backoff {
        /// What that weighs on every level, in rows, above 0; `None`: what predicts the rows best, by node and level.
        weight: Option<f64>,
    },
    /// The same weight for every cell.
    Laplace {
        /// The weight, above 0.
        alpha: f64,
    },
    /// Relative frequencies as they are; uniform where nothing was seen.
    Mle,
    /// An imagined uniform sample, spread evenly over the cells of the table.
    Bdeu {
        /// Its size (the equivalent sample size), above 0.
        ess: f64,
    },
}

impl Default for Prior {
    fn default() -> Self {
        Prior::Backoff { weight: None }
    }
}

/// What the probabilities of a node lean on under [`Prior::Backoff`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Backing {
    /// Its parents by their place in the table, from the one that is kept longest to the one that is left out first.
    pub parents: Vec<usize>,
    /// How many rows weigh the probabilities without the parent, for each in that order.
    pub weights: Vec<f64>,
    /// How many rows weigh equal shares beside the node's own frequencies.
    pub equal: f64,
}

/// The largest weight or sample size that is taken; above it a prior drowns any table.
pub(crate) const LARGEST_WEIGHT: f64 = 1e12;

/// A weight must be above 0 and no more than [`LARGEST_WEIGHT`].
pub(crate) fn check_weight(parameter: &'static str, value: f64) -> Result<(), Error> {
    if value > 0.0 && value <= LARGEST_WEIGHT {
        return Ok(());
    }
    Err(Error::Parameter { parameter, value, expected: "expected a number above 0 and at most 1e12" })
}

impl Prior {
    /// Refuses parameters outside their range; [`Network::estimate`] does so too.
    pub fn check(self) -> Result<(), Error> {
        match self {
            Prior::Laplace { alpha } => check_weight("alpha", alpha),
            Prior::Bdeu { ess } => check_weight("ess", ess),
            Prior::Backoff { weight: Some(weight) } => check_weight("weight", weight),
            Prior::Mle | Prior::Backoff { weight: None } => Ok(()),
        }
    }
}

/// The probabilities that counts suggest, and what they lean on where the prior is one that looks at the counts.
///
/// `shape` has the states of the parents and, last, those of the node; `counts` all cells in that order, the last variable
/// fastest. Counts may be expected ones, or those of weighted rows: any numbers from 0 on.
///
/// # Panics
/// If there are not as many counts as the shape says.
pub fn probabilities(counts: &[f64], shape: &[usize], prior: Prior) -> (Vec<f64>, Option<Backing>) {
    assert_eq!(counts.len(), shape.iter().product::<usize>(), "a count for every cell");
    let Some(leaning) = leaning(counts, shape, prior) else { return (smoothed(counts, shape, prior), None) };
    let (values, backing) = leaning.probabilities(counts, shape);
    (values, Some(backing))
}

/// What a prior that looks at the counts chooses by them; nothing under any other.
pub(crate) fn leaning(counts: &[f64], shape: &[usize], prior: Prior) -> Option<Leaning> {
    match prior {
        Prior::Backoff { weight } => Some(Leaning::chosen(counts, shape, weight)),
        Prior::Laplace { .. } | Prior::Mle | Prior::Bdeu { .. } => None,
    }
}

/// Frequencies under a prior that has the same weight for every cell.
pub(crate) fn smoothed(counts: &[f64], shape: &[usize], prior: Prior) -> Vec<f64> {
    let weight = match prior {
        Prior::Laplace { alpha } => alpha,
        Prior::Bdeu { ess } => ess / counts.len() as f64,
        Prior::Mle | Prior::Backoff { .. } => 0.0,
    };
    let states = shape[shape.len() - 1];
    let mut values = Vec::with_capacity(counts.len());
    for row in counts.chunks_exact(states) {
        let total = row.iter().sum::<f64>() + weight * states as f64;
        if total > 0.0 {
            values.extend(row.iter().map(|n| (n + weight) / total));
        } else {
            values.extend(std::iter::repeat_n(1.0 / states as f64, states));
        }
    }
    values
}

impl Network {
    /// The network with this graph (node `v` is column `v`) and the probabilities that the table suggests, its tables
    /// taking at most `limit` bytes. Parents stand in the order of their names, so that the order of the columns
    /// leaves no trace in a table.
    pub fn estimate(dag: &Dag, table: &Table, prior: Prior, limit: u64) -> Result<Network, Error> {
        Ok(Network::estimate_from(dag, table.schema(), &mut Counter::new(table)?, prior, limit)?.0)
    }

    /// The same from whatever counts rows of this schema, and what the probabilities of each node lean on, if the prior is one that
    /// looks at the counts.
    pub fn estimate_from(
        dag: &Dag,
        schema: &Schema,
        count: &mut dyn Count,
        prior: Prior,
        limit: u64,
    ) -> Result<(Network, Vec<Backing>), Error> {
        prior.check()?;
        let families = families(dag, schema, limit)?;
        let asked: Vec<&[usize]> = families.iter().map(Vec::as_slice).collect();
        let found = count.count(&asked);
        let counts = found.iter().zip(&families).map(|(cells, family)| in_table_order(cells, family, schema));
        let counts: Vec<Vec<f64>> = counts.collect();
        let families = families.into_iter().zip(counts).map(|(members, counts)| Family { members, counts });
        Network::from_counts(schema, &families.collect::<Vec<_>>(), prior)
    }

    /// The same from rows that weigh differently: each counts as much as its weight.
    ///
    /// # Panics
    /// If there are not as many weights as rows.
    pub fn estimate_weighted(
        dag: &Dag,
        table: &Table,
        weights: &[f64],
        prior: Prior,
        limit: u64,
    ) -> Result<(Network, Vec<Backing>), Error> {
        assert_eq!(weights.len(), table.rows(), "a weight for every row");
        prior.check()?;
        let schema = table.schema();
        let of = |members: Vec<usize>| Family { counts: weighed(&members, table, weights), members };
        let families: Vec<Family> = families(dag, schema, limit)?.into_iter().map(of).collect();
        Network::from_counts(schema, &families, prior)
    }

    /// The same from counts of all families, in the order of the nodes: expected ones, or those of weighted rows.
    ///
    /// # Errors
    /// A parameter of the prior out of its range; families that are those of no network.
    ///
    /// # Panics
    /// If a family has not a count for every cell.
    pub fn from_counts(
        schema: &Schema,
        families: &[Family],
        prior: Prior,
    ) -> Result<(Network, Vec<Backing>), Error> {
        prior.check()?;
        let (mut tables, mut backings) = (Vec::with_capacity(families.len()), Vec::new());
        for Family { members, counts } in families {
            let shape: Vec<usize> = members.iter().map(|&v| schema.cardinality(v)).collect();
            let (values, backing) = probabilities(counts, &shape, prior);
            tables.push(values);
            backings.extend(backing);
        }
        if matches!(prior, Prior::Backoff { .. }) && families.iter().any(|f| f.parents().len() > 1) {
            agree::agreeing(schema, families, &mut tables)?;
        }
        let cpt = |(family, values): (&Family, Vec<f64>)| {
            Cpt::new(schema, family.node(), family.parents().to_vec(), values)
        };
        let cpts = families.iter().zip(tables).map(cpt).collect::<Result<Vec<Cpt>, Error>>()?;
        Ok((Network::new("unknown", schema.clone(), cpts)?, backings))
    }
}

/// The parents of each node in the order of their names, and the node; refused where their tables take more than `limit` bytes.
pub(crate) fn families(dag: &Dag, schema: &Schema, limit: u64) -> Result<Vec<Vec<usize>>, Error> {
    if dag.len() != schema.len() {
        return Err(Error::ColumnCount { columns: schema.len(), variables: dag.len() });
    }
    let mut budget = Budget::new(limit);
    let mut families = Vec::with_capacity(dag.len());
    for node in 0..dag.len() {
        let mut members = dag.parents(node).to_vec();
        members.sort_by_key(|&p| schema.name(p));
        budget.take(schema, node, &members)?;
        members.push(node);
        families.push(members);
    }
    Ok(families)
}

/// How often the states of a node and its parents occur together.
#[derive(Debug, Clone, PartialEq)]
pub struct Family {
    /// The parents in the order of the table, and the node.
    pub members: Vec<usize>,
    /// The rows of every cell, the node's state varying fastest.
    pub counts: Vec<f64>,
}

impl Family {
    fn node(&self) -> usize {
        self.members[self.members.len() - 1]
    }

    fn parents(&self) -> &[usize] {
        &self.members[..self.members.len() - 1]
    }

    /// What a table says of the node in the rows that were counted.
    fn said(&self, table: &[f64], states: usize) -> Vec<f64> {
        let mut said = vec![0.0; states];
        let mut rows = 0.0;
        for (row, counts) in table.chunks_exact(states).zip(self.counts.chunks_exact(states)) {
            let total: f64 = counts.iter().sum();
            rows += total;
            said.iter_mut().zip(row).for_each(|(sum, p)| *sum += total * p);
        }
        said.iter_mut().for_each(|sum| *sum /= rows);
        said
    }
}

/// What the rows of every cell weigh, the first variable slowest; rows that miss a value of the family left out.
pub(crate) fn weighed(family: &[usize], table: &Table, weights: &[f64]) -> Vec<f64> {
    let states = |v: usize| table.schema().cardinality(v);
    let mut counts = vec![0.0; family.iter().map(|&v| states(v)).product()];
    for (row, weight) in weights.iter().enumerate() {
        let place = family.iter().try_fold(0, |at, &v| {
            let code = table.column(v)[row];
            (code != MISSING).then(|| at * states(v) + usize::from(code))
        });
        place.into_iter().for_each(|place: usize| counts[place] += weight);
    }
    counts
}

/// The counts of all cells, the first variable slowest, as in a probability table.
pub(crate) fn in_table_order(found: &Cells, family: &[usize], schema: &Schema) -> Vec<f64> {
    let shape: Vec<usize> = family.iter().map(|&v| schema.cardinality(v)).collect();
    let mut counts = vec![0.0; shape.iter().product()];
    for (key, rows) in found.iter() {
        let place = key.iter().zip(&shape).fold(0, |at, (&code, states)| at * states + usize::from(code));
        counts[place] = rows as f64;
    }
    counts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{DEFAULT_TABLE_BYTES, Variable};

    #[test]
    fn equal_weights_are_none_and_others_count() {
        let (table, mut dag) = (table(), Dag::new(2));
        dag.try_add(0, 1).unwrap();
        for prior in [Prior::default(), Prior::Laplace { alpha: 0.5 }, Prior::Mle] {
            let plain = Network::estimate(&dag, &table, prior, DEFAULT_TABLE_BYTES).unwrap();
            let weigh = |weights: &[f64]| {
                Network::estimate_weighted(&dag, &table, weights, prior, DEFAULT_TABLE_BYTES).unwrap().0
            };
            assert_eq!(weigh(&[1.0; 6]), plain);
            // Rows that weigh nothing might as well not be there.
            let some = Network::estimate(&dag, &table.select_rows(&[1, 2, 4]), prior, DEFAULT_TABLE_BYTES);
            assert_eq!(weigh(&[0.0, 1.0, 1.0, 0.0, 1.0, 0.0]), some.unwrap());
        }
    }

    fn table() -> Table {
        let schema =
            Schema::new(vec![Variable::new("b", ["t", "f"]), Variable::new("a", ["x", "y", "z"])]).unwrap();
        Table::new(schema, vec![vec![0, 0, 0, 1, 1, MISSING], vec![0, 0, 1, 0, 0, 2]]).unwrap()
    }

    fn estimate(prior: Prior) -> Result<Network, Error> {
        let dag = Dag::from_arcs(2, [(1, 0)]).unwrap();
        Network::estimate(&dag, &table(), prior, DEFAULT_TABLE_BYTES)
    }

    #[test]
    fn by_hand() {
        // b given a: x 2 and 2, y 1 and 0, z nothing; a: 4, 1, 1.
        let mle = estimate(Prior::Mle).unwrap();
        assert_eq!(mle.cpt(0).values(), [0.5, 0.5, 1.0, 0.0, 0.5, 0.5]);
        assert_eq!(mle.cpt(1).values(), [4.0 / 6.0, 1.0 / 6.0, 1.0 / 6.0]);
        let laplace = estimate(Prior::Laplace { alpha: 1.0 }).unwrap();
        assert_eq!(laplace.cpt(0).values(), [0.5, 0.5, 2.0 / 3.0, 1.0 / 3.0, 0.5, 0.5]);
        assert_eq!(laplace.cpt(1).values(), [5.0 / 9.0, 2.0 / 9.0, 2.0 / 9.0]);
        let bdeu = estimate(Prior::Bdeu { ess: 6.0 }).unwrap();
        assert_eq!(bdeu.cpt(0).values(), [0.5, 0.5, 2.0 / 3.0, 1.0 / 3.0, 0.5, 0.5]);
        assert_eq!(bdeu.cpt(1).values(), [6.0 / 12.0, 3.0 / 12.0, 3.0 / 12.0]);
    }

    #[test]
    fn refuses_bad_weights_and_large_tables() {
        for weight in [0.0, -1.0, f64::NAN, f64::INFINITY, 1e13] {
            assert!(matches!(estimate(Prior::Laplace { alpha: weight }), Err(Error::Parameter { .. })));
            assert!(matches!(estimate(Prior::Bdeu { ess: weight }), Err(Error::Parameter { .. })));
            let backoff = Prior::Backoff { weight: Some(weight) };
            assert!(matches!(estimate(backoff), Err(Error::Parameter { .. })));
        }
        let dag = Dag::from_arcs(2, [(1, 0)]).unwrap();
        let error = Network::estimate(&dag, &table(), Prior::Mle, 71).unwrap_err();
        assert!(matches!(&error, Error::Limit { node, bytes: 72, limit: 71, .. } if node == "a"), "{error}");
        let thirty =
            Schema::new((0..31).map(|i| Variable::new(format!("v{i}"), ["a", "b"])).collect()).unwrap();
        let rows = Table::new(thirty, vec![vec![0, 1]; 31]).unwrap();
        let dag = Dag::from_arcs(31, (1..31).map(|p| (p, 0))).unwrap();
        let error = Network::estimate(&dag, &rows, Prior::Mle, DEFAULT_TABLE_BYTES).unwrap_err();
        assert!(matches!(error, Error::Limit { cells: 0x8000_0000, .. }));
    }

    #[test]
    fn the_order_of_columns_leaves_no_trace_in_a_table() {
        let one = crate::Schema::new(["a", "b", "c"].map(|n| Variable::new(n, ["t", "f"])).to_vec()).unwrap();
        let columns = vec![vec![0, 1, 1, 0, 1], vec![1, 1, 0, 0, 1], vec![0, 0, 1, 1, 1]];
        let table = Table::new(one, columns).unwrap();
        let first = Network::estimate(
            &Dag::from_arcs(3, [(0, 2), (1, 2)]).unwrap(),
            &table,
            Prior::default(),
            DEFAULT_TABLE_BYTES,
        )
        .unwrap();
        let turned = table.select_variables(&[2, 1, 0]).unwrap();
        let second = Network::estimate(
            &Dag::from_arcs(3, [(2, 0), (1, 0)]).unwrap(),
            &turned,
            Prior::default(),
            DEFAULT_TABLE_BYTES,
        )
        .unwrap();
        assert_eq!(first.cpt(2).values(), second.cpt(0).values());
    }
}
