//! Joint counts of a node and its parents.
//!
//! `N_jk` = rows in which the parents are in configuration `j` and the node in state `k`, `N_j = Σ_k N_jk`.
//!
//! Estimating needs the whole table in configuration order. Scores do not: [`Counter::visit`] hands out only what they
//! need: the counts of the configurations that occur, in no particular order, in memory that grows with the rows and not
//! with the number of possible configurations. Rows in which the node or a parent is [`MISSING`] are left out.
//! Cost: `O(rows × (parents + 1))`.

use crate::{Error, MISSING, Table};
use std::borrow::Cow;

/// Counts of all parent configurations, the first parent slowest, as in a probability table. `cells` is configurations
/// times states and is checked by the caller.
pub(crate) fn joint(table: &Table, node: usize, parents: &[usize], cells: usize) -> Vec<u64> {
    let columns: Vec<(&[u8], usize)> =
        parents.iter().chain([&node]).map(|&v| (table.column(v), table.schema().cardinality(v))).collect();
    let mut counts = vec![0; cells];
    for row in 0..table.rows() {
        let mut cell = 0;
        let complete = columns.iter().all(|(column, states)| {
            cell = cell * states + usize::from(column[row]);
            column[row] != MISSING
        });
        if complete {
            counts[cell] += 1;
        }
    }
    counts
}

/// Counts families of one table again and again without allocating anew.
#[derive(Debug, Clone)]
pub struct Counter<'t> {
    table: &'t Table,
    has_missing: Vec<bool>,
    /// The configuration of every row.
    ids: Vec<u32>,
    /// Rows grouped by configuration, and where the groups begin.
    grouped: Vec<u32>,
    starts: Vec<u32>,
    cells: Vec<u32>,
}

impl<'t> Counter<'t> {
    /// A counter for a table of at most `u32::MAX` rows.
    pub fn new(table: &'t Table) -> Result<Self, Error> {
        if u32::try_from(table.rows()).is_err() {
            return Err(Error::Rows { rows: table.rows(), max: u32::MAX as usize });
        }
        let has_missing = (0..table.schema().len()).map(|v| table.column(v).contains(&MISSING)).collect();
        Ok(Counter {
            table,
            has_missing,
            ids: Vec::new(),
            grouped: Vec::new(),
            starts: Vec::new(),
            cells: Vec::new(),
        })
    }

    /// The table.
    pub fn table(&self) -> &'t Table {
        self.table
    }

    /// Calls `see` with the counts of the node's states for every parent configuration that occurs, in an order that
    /// means nothing; the number of rows counted comes back.
    pub fn visit(&mut self, node: usize, parents: &[usize], mut see: impl FnMut(&[u32])) -> usize {
        let (child, columns) = self.columns(node, parents);
        let states = self.table.schema().cardinality(node);
        let rows = child.len();
        // Below this many cells, clearing them costs less than grouping the rows.
        let dense = 4096.max(2 * rows);
        self.ids.clear();
        let mut columns = columns.into_iter();
        let mut size = 1;
        match columns.next() {
            None => self.ids.resize(rows, 0),
            Some((column, cardinality)) => {
                self.ids.extend(column.iter().map(|&code| u32::from(code)));
                size = cardinality;
            }
        }
        for (column, cardinality) in columns {
            if size * cardinality <= dense {
                for (id, &code) in self.ids.iter_mut().zip(column.iter()) {
                    *id = *id * cardinality as u32 + u32::from(code);
                }
                size *= cardinality;
            } else {
                size = self.refine(&column, size);
            }
        }
        if size * states <= dense {
            self.cells.clear();
            self.cells.resize(size * states, 0);
            for (&id, &code) in self.ids.iter().zip(child.iter()) {
                self.cells[id as usize * states + usize::from(code)] += 1;
            }
            self.cells.chunks_exact(states).filter(|row| row.iter().any(|&n| n > 0)).for_each(see);
        } else {
            self.group(size);
            for bounds in self.starts.windows(2).filter(|b| b[0] < b[1]) {
                self.cells.clear();
                self.cells.resize(states, 0);
                for &row in &self.grouped[bounds[0] as usize..bounds[1] as usize] {
                    self.cells[usize::from(child[row as usize])] += 1;
                }
                see(&self.cells);
            }
        }
        rows
    }

    /// The columns of a family, without rows that miss a value in it.
    #[allow(clippy::type_complexity)]
    fn columns(&self, node: usize, parents: &[usize]) -> (Cow<'t, [u8]>, Vec<(Cow<'t, [u8]>, usize)>) {
        let table = self.table;
        let family = || parents.iter().chain([&node]).copied();
        let mut kept = None;
        if family().any(|v| self.has_missing[v]) {
            let complete = |&row: &usize| family().all(|v| table.column(v)[row] != MISSING);
            kept = Some((0..table.rows()).filter(complete).collect::<Vec<usize>>());
        }
        let column = |v: usize| match &kept {
            None => Cow::Borrowed(table.column(v)),
            Some(rows) => rows.iter().map(|&row| table.column(v)[row]).collect(),
        };
        (column(node), parents.iter().map(|&p| (column(p), table.schema().cardinality(p))).collect())
    }

    /// Sorts the rows by configuration (counting sort).
    fn group(&mut self, size: usize) {
        self.starts.clear();
        self.starts.resize(size + 1, 0);
        for &id in &self.ids {
            self.starts[id as usize + 1] += 1;
        }
        for i in 0..size {
            self.starts[i + 1] += self.starts[i];
        }
        let mut next = self.starts.clone();
        self.grouped.clear();
        self.grouped.resize(self.ids.len(), 0);
        for (row, &id) in self.ids.iter().enumerate() {
            let place = &mut next[id as usize];
            self.grouped[*place as usize] = row as u32;
            *place += 1;
        }
    }

    /// Splits the configurations by one more parent, numbering only those that occur.
    fn refine(&mut self, column: &[u8], size: usize) -> usize {
        self.group(size);
        let mut found = 0u32;
        let mut fresh = [u32::MAX; 256];
        for bounds in self.starts.windows(2).filter(|b| b[0] < b[1]) {
            fresh.fill(u32::MAX);
            for &row in &self.grouped[bounds[0] as usize..bounds[1] as usize] {
                let id = &mut fresh[usize::from(column[row as usize])];
                if *id == u32::MAX {
                    *id = found;
                    found += 1;
                }
                self.ids[row as usize] = *id;
            }
        }
        found as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Stream;
    use crate::{Schema, Variable};
    use proptest::prelude::*;

    fn table(seed: u64, rows: usize, states: &[usize], missing: bool) -> Table {
        let variable =
            |(i, &n): (usize, &usize)| Variable::new(format!("v{i}"), (0..n).map(|k| k.to_string()));
        let schema = Schema::new(states.iter().enumerate().map(variable).collect()).unwrap();
        let mut stream = Stream::new(seed, "codes");
        let mut code = |n: usize| {
            if missing && stream.below(10) == 0 { MISSING } else { stream.below(n as u64) as u8 }
        };
        let columns = states.iter().map(|&n| (0..rows).map(|_| code(n)).collect()).collect();
        Table::new(schema, columns).unwrap()
    }

    proptest! {
        /// The fast counter sees what the whole table holds, whatever way it takes.
        #[test]
        fn visits_are_the_rows_of_the_joint_table_that_occur(
            seed: u64,
            rows in 0..300usize,
            states in prop::collection::vec(1..40usize, 1..5),
            missing: bool,
        ) {
            let table = table(seed, rows, &states, missing);
            let parents: Vec<usize> = (1..states.len()).collect();
            let mut seen = Vec::new();
            let counted = Counter::new(&table).unwrap().visit(0, &parents, |row| seen.push(row.to_vec()));
            let whole = joint(&table, 0, &parents, states.iter().product());
            let mut expected: Vec<Vec<u32>> = whole
                .chunks(states[0])
                .filter(|row| row.iter().any(|&n| n > 0))
                .map(|row| row.iter().map(|&n| n as u32).collect())
                .collect();
            seen.sort();
            expected.sort();
            prop_assert_eq!(&seen, &expected);
            prop_assert_eq!(counted as u64, whole.iter().sum::<u64>());
        }
    }

    #[test]
    fn more_configurations_than_memory_are_no_trouble() {
        let table = table(3, 2000, &[200; 30], false);
        let parents: Vec<usize> = (1..30).collect();
        let mut configurations = 0;
        Counter::new(&table).unwrap().visit(0, &parents, |row| {
            configurations += 1;
            assert_eq!(row.iter().sum::<u32>(), 1);
        });
        assert_eq!(configurations, 2000);
    }

    #[test]
    fn a_counter_can_be_used_again() {
        let table = table(5, 500, &[2, 3, 4], false);
        let mut counter = Counter::new(&table).unwrap();
        let mut sums = Vec::new();
        for parents in [vec![1, 2], vec![], vec![2], vec![1, 2]] {
            let mut sum = 0;
            counter.visit(0, &parents, |row| sum += row.iter().map(|n| n * n).sum::<u32>());
            sums.push(sum);
        }
        assert_eq!(sums[0], sums[3]);
        assert!(sums[1] > sums[2] && sums[2] > sums[0]);
    }
}
