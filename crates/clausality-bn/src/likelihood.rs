//! The likelihood of rows under a network with its own probabilities.
//!
//! `ln P(row) = Σ_v ln θ_v[parents' configuration][state]`, in nats; of a row with gaps it is the probability of what the row has. Rows the network was not made from give the held-out
//! log-likelihood. Sums are in fixed point with portable logarithms, so that the order of variables and of rows leaves
//! no trace.

use crate::counts::Count;
use crate::em::Gaps;
use crate::math::ln;
use crate::{Error, MISSING, Network, Table};

/// Log-likelihoods of the rows of a table.
#[derive(Debug, Clone, PartialEq)]
pub struct Likelihood {
    /// One per row; minus infinity where the network says that the row cannot be.
    pub rows: Vec<f64>,
    /// Their sum.
    pub total: f64,
    /// How many rows the network says cannot be.
    pub impossible: usize,
}

impl Likelihood {
    /// The mean over the rows (0 without rows).
    pub fn mean(&self) -> f64 {
        self.mean_of(None)
    }

    /// Their sum where rows weigh so much, 1 on average. A row that counts for nothing may be impossible.
    pub fn total_of(&self, weights: Option<&[f64]>) -> f64 {
        let Some(weights) = weights else { return self.total };
        self.rows
            .iter()
            .zip(weights)
            .filter(|(_, weight)| **weight > 0.0)
            .map(|(value, weight)| weight * value)
            .sum()
    }

    /// The mean over rows that weigh so much.
    pub fn mean_of(&self, weights: Option<&[f64]>) -> f64 {
        if self.rows.is_empty() {
            return 0.0;
        }
        // Of some rows of a table the weights need not be 1 on average.
        let all = weights.map_or(self.rows.len() as f64, |weights| weights.iter().sum());
        self.total_of(weights) / all
    }
}

/// Steps of 2^-40 in 64 bits: the logarithm of any double times 2^40, for thousands of variables, fits.
const STEP: f64 = (1u64 << 40) as f64;
const IMPOSSIBLE: i64 = i64::MIN;

impl Network {
    /// The log-likelihood of every row, and of a row with gaps that of what it has: gaps are summed out exactly. The table must have
    /// the network's schema ([`Table::recoded`] brings it there).
    ///
    /// # Errors
    /// [`Error::InferenceLimit`] where gaps hang together in more cells than `limit` bytes hold.
    pub fn log_likelihood(&self, table: &Table, limit: u64) -> Result<Likelihood, Error> {
        check_schema(self, table)?;
        let mut sums = vec![0i64; table.rows()];
        let add = |sum: &mut i64, term: i64| {
            let possible = *sum != IMPOSSIBLE && term != IMPOSSIBLE;
            *sum = if possible { sum.saturating_add(term) } else { IMPOSSIBLE };
        };
        for (row, ln_z) in Gaps::new(self, table, limit)?.log_likelihoods(self) {
            add(&mut sums[row], ln_z.map_or(IMPOSSIBLE, |ln_z| (ln_z * STEP) as i64));
        }
        let gappy: Vec<bool> = (0..self.len()).map(|v| table.column(v).contains(&MISSING)).collect();
        let mut configurations = vec![0usize; table.rows()];
        for (node, cpt) in self.cpts().iter().enumerate() {
            let logs: Vec<i64> = cpt.values().iter().map(|&p| in_steps(p)).collect();
            configurations.fill(0);
            let states = cpt.parent_states().iter().chain([&cpt.states()]).copied().collect::<Vec<_>>();
            for (&v, states) in cpt.parents().iter().chain([&node]).zip(states) {
                for (j, &code) in configurations.iter_mut().zip(table.column(v)) {
                    *j = *j * states + usize::from(code);
                }
            }
            let with_gaps: Vec<usize> =
                cpt.parents().iter().chain([&node]).copied().filter(|&v| gappy[v]).collect();
            for (row, (sum, &cell)) in sums.iter_mut().zip(&configurations).enumerate() {
                // What touches a gap was summed out above.
                if with_gaps.iter().all(|&v| table.column(v)[row] != MISSING) {
                    add(sum, logs[cell]);
                }
            }
        }
        let impossible = sums.iter().filter(|&&s| s == IMPOSSIBLE).count();
        let value = |s: i64| if s == IMPOSSIBLE { f64::NEG_INFINITY } else { s as f64 / STEP };
        let total = match impossible {
            0 => sums.iter().map(|&s| i128::from(s)).sum::<i128>() as f64 / STEP,
            _ => f64::NEG_INFINITY,
        };
        Ok(Likelihood { rows: sums.into_iter().map(value).collect(), total, impossible })
    }

    /// The log-likelihood of all rows without gaps, wherever they lie: the very sum that [`Network::log_likelihood`] finds row by row.
    pub fn total_log_likelihood(&self, count: &mut dyn Count) -> f64 {
        let families: Vec<Vec<usize>> =
            self.cpts().iter().enumerate().map(|(node, cpt)| [cpt.parents(), &[node]].concat()).collect();
        let counted = count.count(&families.iter().map(Vec::as_slice).collect::<Vec<_>>());
        let mut total = 0i128;
        for (cpt, cells) in self.cpts().iter().zip(&counted) {
            let states: Vec<usize> = cpt.parent_states().iter().chain([&cpt.states()]).copied().collect();
            for (key, rows) in cells.iter().filter(|(_, rows)| *rows > 0) {
                let place =
                    key.iter().zip(&states).fold(0, |at, (&code, states)| at * states + usize::from(code));
                match in_steps(cpt.values()[place]) {
                    IMPOSSIBLE => return f64::NEG_INFINITY,
                    steps => total += i128::from(rows) * i128::from(steps),
                }
            }
        }
        total as f64 / STEP
    }
}

/// A probability in steps of its logarithm.
fn in_steps(probability: f64) -> i64 {
    if probability > 0.0 { (ln(probability) * STEP) as i64 } else { IMPOSSIBLE }
}

/// The table must speak of the network's variables and states, in its order.
pub(crate) fn check_schema(network: &Network, table: &Table) -> Result<(), Error> {
    let (ours, theirs) = (network.schema(), table.schema());
    if ours.len() != theirs.len() {
        return Err(Error::ColumnCount { columns: theirs.len(), variables: ours.len() });
    }
    for (a, b) in ours.variables().iter().zip(theirs.variables()) {
        if a.name != b.name || a.states != b.states {
            let reason = format!("the table has '{}' with {} states in its place", b.name, b.states.len());
            return Err(Error::Mismatch { variable: a.name.clone(), reason });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Cpt, Schema, Variable, sample};

    const LIMIT: u64 = 1 << 24;

    fn network() -> Network {
        let schema = Schema::new(["a", "b"].map(|n| Variable::new(n, ["t", "f"])).to_vec()).unwrap();
        let a = Cpt::new(&schema, 0, vec![], vec![0.25, 0.75]).unwrap();
        let b = Cpt::new(&schema, 1, vec![0], vec![1.0, 0.0, 0.5, 0.5]).unwrap();
        Network::new("t", schema, vec![a, b]).unwrap()
    }

    #[test]
    fn by_hand() {
        let n = network();
        let table = Table::new(n.schema().clone(), vec![vec![0, 1, 1], vec![0, 0, 1]]).unwrap();
        let found = n.log_likelihood(&table, LIMIT).unwrap();
        let want = [0.25f64.ln(), 0.375f64.ln(), 0.375f64.ln()];
        for (got, want) in found.rows.iter().zip(want) {
            assert!((got - want).abs() < 1e-11);
        }
        assert!((found.mean() - want.iter().sum::<f64>() / 3.0).abs() < 1e-11);
        let never = Table::new(n.schema().clone(), vec![vec![0, 1], vec![1, 1]]).unwrap();
        let found = n.log_likelihood(&never, LIMIT).unwrap();
        assert_eq!((found.rows[0], found.total, found.impossible), (f64::NEG_INFINITY, f64::NEG_INFINITY, 1));
    }

    #[test]
    fn a_network_never_finds_its_own_rows_impossible() {
        let n = network();
        let table = sample(&n, 20_000, 1);
        let found = n.log_likelihood(&table, LIMIT).unwrap();
        assert_eq!(found.impossible, 0);
        // The entropy of the network: H(a) + P(a = f) H(b | a = f).
        let entropy = -(0.25 * 0.25f64.ln() + 0.75 * 0.75f64.ln()) + 0.75 * 2f64.ln();
        assert!((found.mean() + entropy).abs() < 0.01, "{} {entropy}", found.mean());
    }

    #[test]
    fn a_gap_is_summed_out() {
        let n = network();
        let codes = vec![vec![0, MISSING, MISSING, MISSING], vec![MISSING, 0, 1, MISSING]];
        let found = n.log_likelihood(&Table::new(n.schema().clone(), codes).unwrap(), LIMIT).unwrap();
        for (got, want) in found.rows.iter().zip([0.25f64, 0.25 + 0.375, 0.375, 1.0]) {
            assert!((got - want.ln()).abs() < 1e-11, "{got} {want}");
        }
        let sure = Cpt::new(n.schema(), 0, vec![], vec![1.0, 0.0]).unwrap();
        let never = Network::new("t", n.schema().clone(), vec![sure, n.cpt(1).clone()]).unwrap();
        let found = never.log_likelihood(
            &Table::new(n.schema().clone(), vec![vec![MISSING, 0], vec![1, 0]]).unwrap(),
            LIMIT,
        );
        assert_eq!(found.unwrap().rows[0], f64::NEG_INFINITY);
    }

    #[test]
    fn refuses_other_tables() {
        let n = network();
        let other = Schema::new(["a", "c"].map(|n| Variable::new(n, ["t", "f"])).to_vec()).unwrap();
        let table = Table::new(other, vec![vec![0], vec![0]]).unwrap();
        assert!(matches!(n.log_likelihood(&table, LIMIT), Err(Error::Mismatch { .. })));
    }

    #[test]
    fn recoding_brings_a_table_under_the_network() {
        let n = network();
        let theirs = Schema::new(vec![
            Variable::new("b", ["f", "t"]),
            Variable::new("x", ["0"]),
            Variable::new("a", ["t"]),
        ]);
        let table = Table::new(theirs.unwrap(), vec![vec![0, 1, MISSING], vec![0; 3], vec![0; 3]]).unwrap();
        let ours = table.recoded(n.schema()).unwrap();
        assert_eq!(ours.column(0), [0, 0, 0]);
        assert_eq!(ours.column(1), [1, 0, MISSING]);
        let strange = Schema::new(vec![Variable::new("a", ["t", "q"]), Variable::new("b", ["t"])]).unwrap();
        let unused = Table::new(strange.clone(), vec![vec![0], vec![0]]).unwrap();
        assert!(unused.recoded(n.schema()).is_ok(), "a label that no row has does no harm");
        let used = Table::new(strange, vec![vec![0, 1], vec![0, 0]]).unwrap();
        let error = used.recoded(n.schema()).unwrap_err().to_string();
        assert!(error.contains("'a'") && error.contains("'q'"), "{error}");
    }
}
