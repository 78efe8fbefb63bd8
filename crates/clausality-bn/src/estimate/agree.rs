//! Columns that are distributed in the network as they are in the data.
//!
//! Tables that keep the frequencies of their nodes do so for parents that occur together as often as in the data. Parents that the graph
//! does not join are independent in the network, though, and never quite so in the data: then a node is off, by some points where
//! the graph is poor. Such a table is tilted until it is not:
//!
//! ```text
//! θ'_jk = θ_jk exp(ρ_j b_k) / Z_j,     Σ_j P(j) θ'_jk = t_k = Σ_j N_j θ_jk / N,     ρ_j = P(j) N / (N_j + 1)
//! ```
//!
//! with `P(j)` the probability of the configuration in the network. To first order that is the change that costs the rows least,
//! `min Σ_j (N_j + 1) KL(θ_j, θ'_j)`: what the network meets more often than the data gives way, what the data know well
//! stays. `b` is found by scaling (Darroch, Ratcliff 1972), `b_k += ln(t_k / m_k) / ρ_k`, where `m` is what the table says so far and
//! `ρ_k = Σ_j P(j) ρ_j θ'_jk / m_k` how readily state k gives way; half the step from where a step led farther away.
//!
//! `P(j)` depends on the ancestors alone, so one walk from the roots down mends all nodes. A node is looked at if it is off, or if a
//! table above it was tilted.
//!
//! Networks too large to ask within [`MEMORY`] stay as they are.

use super::Family;
use crate::infer::{Evidence, Infer};
use crate::math::{exp, ln};
use crate::{Cpt, Error, Network, Schema};

/// A node that is off by no more than this in any state is left alone.
const TOLERANCE: f64 = 0.002;
/// A table is tilted until it is off by no more than this.
const CLOSE: f64 = 0.000_5;
/// How much more a configuration may give way than one that is as frequent in the network as in the data.
const MOST_TILT: f64 = 8.0;
/// How often a table is scaled at most.
const SCALINGS: usize = 400;
/// What asking may take.
const MEMORY: u64 = 32 << 20;

/// The tables of the families, tilted where a node is off; all in the order of the nodes.
pub(super) fn agreeing(schema: &Schema, families: &[Family], tables: &mut [Vec<f64>]) -> Result<(), Error> {
    // By name, so that the order of columns leaves no trace in sums.
    let mut by_name: Vec<usize> = (0..schema.len()).collect();
    by_name.sort_by_key(|&v| schema.name(v));
    let mut place = vec![0; by_name.len()];
    by_name.iter().enumerate().for_each(|(at, &v)| place[v] = at);
    let sorted = Schema::new(by_name.iter().map(|&v| schema.variable(v).clone()).collect())?;
    let said = |(family, table): (&Family, &Vec<f64>)| family.said(table, schema.cardinality(family.node()));
    let targets: Vec<Vec<f64>> = families.iter().zip(&*tables).map(said).collect();
    let cpt = |v: usize, table: &[f64]| {
        let parents = families[v].parents().iter().map(|&p| place[p]).collect();
        Cpt::new(&sorted, place[v], parents, table.to_vec())
    };
    let cpts = by_name.iter().map(|&v| cpt(v, &tables[v])).collect::<Result<Vec<Cpt>, Error>>()?;
    let network = Network::new("unknown", sorted.clone(), cpts)?;
    let (order, nothing) = (network.dag().topological_order(), Evidence::new(&network));
    let mut infer = Infer::new(network).with_limit(MEMORY);
    let Some(found) = within_memory(infer.posteriors(&nothing))? else { return Ok(()) };
    let mut moved = vec![false; by_name.len()];
    for at in order {
        let v = by_name[at];
        let (family, target) = (&families[v], &targets[v]);
        let parents: Vec<usize> = family.parents().iter().map(|&p| place[p]).collect();
        moved[at] = parents.iter().any(|&p| moved[p]);
        if parents.len() < 2 || !moved[at] && farthest(&found.probabilities[at], target) <= TOLERANCE {
            continue;
        }
        let Some(joint) = within_memory(infer.posterior(&parents, &nothing))? else { return Ok(()) };
        if tilt(&mut tables[v], &joint.probabilities, target, family) {
            infer.replace_table(at, cpt(v, &tables[v])?);
            moved[at] = true;
        }
    }
    Ok(())
}

/// Nothing where a question is too large.
fn within_memory<T>(answer: Result<T, Error>) -> Result<Option<T>, Error> {
    match answer {
        Err(Error::InferenceLimit { .. }) => Ok(None),
        other => other.map(Some),
    }
}

fn farthest(one: &[f64], other: &[f64]) -> f64 {
    one.iter().zip(other).fold(0.0, |far: f64, (a, b)| far.max((a - b).abs()))
}

/// Tilts a table until it meets the target where its configurations have these probabilities; whether that was needed.
fn tilt(table: &mut [f64], configurations: &[f64], target: &[f64], family: &Family) -> bool {
    let states = target.len();
    let rows: f64 = family.counts.iter().sum();
    let give =
        |(&met, counts): (&f64, &[f64])| (met * rows / (counts.iter().sum::<f64>() + 1.0)).min(MOST_TILT);
    let gives: Vec<f64> = configurations.iter().zip(family.counts.chunks_exact(states)).map(give).collect();
    let tilted = |table: &[f64], powers: &[f64]| {
        let mut all = Vec::with_capacity(table.len());
        for (row, give) in table.chunks_exact(states).zip(&gives) {
            let start = all.len();
            all.extend(row.iter().zip(powers).map(|(p, b)| p * exp(give * b)));
            let sum: f64 = all[start..].iter().sum();
            all[start..].iter_mut().for_each(|p| *p /= sum);
        }
        all
    };
    let mut powers = vec![0.0; states];
    let mut found = table.to_vec();
    let (mut pace, mut last) = (1.0, f64::INFINITY);
    for _ in 0..SCALINGS {
        let (mut met, mut given) = (vec![0.0; states], vec![0.0; states]);
        for ((row, share), give) in found.chunks_exact(states).zip(configurations).zip(&gives) {
            for ((met, given), p) in met.iter_mut().zip(&mut given).zip(row) {
                *met += share * p;
                *given += share * give * p;
            }
        }
        let off = farthest(&met, target);
        if last == f64::INFINITY && off <= TOLERANCE {
            return false;
        }
        if off <= CLOSE {
            break;
        }
        if off >= last {
            pace *= 0.5;
        }
        last = off;
        for (power, ((target, met), given)) in powers.iter_mut().zip(target.iter().zip(&met).zip(&given)) {
            *power += pace * (ln(*target) - ln(*met)) * met / given;
        }
        found = tilted(table, &powers);
    }
    table.copy_from_slice(&found);
    true
}

#[cfg(test)]
mod tests {
    use super::super::*;
    use crate::infer::{Evidence, Infer};
    use crate::{DEFAULT_TABLE_BYTES, MISSING, Variable};

    /// c follows a and b, which go together in the rows but not in the graph a > c < b.
    fn table(names: [&str; 3]) -> Table {
        let schema = Schema::new(names.map(|name| Variable::new(name, ["0", "1"])).to_vec()).unwrap();
        let mut columns = vec![vec![], vec![], vec![]];
        for (a, b, c, times) in [
            (0, 0, 0, 60),
            (0, 0, 1, 5),
            (0, 1, 1, 4),
            (1, 0, 1, 6),
            (1, 1, 0, 10),
            (1, 1, 1, 45),
            (0, 1, 0, 2),
        ] {
            for _ in 0..times {
                for name in ["a", "b", "c"] {
                    let at = names.iter().position(|n| *n == name).unwrap();
                    columns[at].push(match name {
                        "a" => a,
                        "b" => b,
                        _ => c,
                    });
                }
            }
        }
        Table::new(schema, columns).unwrap()
    }

    fn estimate(names: [&str; 3], prior: Prior) -> Network {
        let at = |name: &str| names.iter().position(|n| *n == name).unwrap();
        let dag = Dag::from_arcs(3, [(at("a"), at("c")), (at("b"), at("c"))]).unwrap();
        Network::estimate(&dag, &table(names), prior, DEFAULT_TABLE_BYTES).unwrap()
    }

    #[test]
    fn a_node_is_distributed_as_in_the_data_though_its_parents_are_not() {
        let off = |prior: Prior| {
            let network = estimate(["a", "b", "c"], prior);
            let nothing = Evidence::new(&network);
            let found = Infer::new(network).posteriors(&nothing).unwrap();
            (found.probabilities[2][1] - 60.0 / 132.0).abs()
        };
        assert!(off(Prior::Mle) > 0.05, "{}", off(Prior::Mle));
        assert!(off(Prior::default()) < 0.005, "{}", off(Prior::default()));
    }

    /// x_{i+1} follows x_i and y_i, which are one column in the rows and strangers in the graph: every step moves what follows.
    #[test]
    fn a_long_chain_is_mended_to_its_end() {
        let steps = 20;
        let mut random = crate::random::Stream::new(7, "chain");
        let mut columns = vec![vec![]; 2 * steps];
        for _ in 0..2000 {
            let mut x = u8::from(random.unit() < 0.3);
            for step in 0..steps {
                columns[2 * step].push(x);
                columns[2 * step + 1].push(x);
                x = u8::from(random.unit() < [0.02, 0.9][usize::from(x)]);
            }
        }
        let name = |v: usize| format!("{}{}", ["x", "y"][v % 2], v / 2);
        let variables = (0..2 * steps).map(|v| Variable::new(name(v), ["0", "1"])).collect();
        let table = Table::new(Schema::new(variables).unwrap(), columns).unwrap();
        let arcs = (1..steps).flat_map(|step| [(2 * step - 2, 2 * step), (2 * step - 1, 2 * step)]);
        let dag = Dag::from_arcs(2 * steps, arcs).unwrap();
        let off = |prior: Prior| {
            let network = Network::estimate(&dag, &table, prior, DEFAULT_TABLE_BYTES).unwrap();
            let nothing = Evidence::new(&network);
            let found = Infer::new(network).posteriors(&nothing).unwrap();
            let share = |v: usize| table.column(v).iter().filter(|&&x| x == 1).count() as f64 / 2000.0;
            (0..2 * steps).map(|v| (found.probabilities[v][1] - share(v)).abs()).fold(0.0, f64::max)
        };
        let (plain, mended) = (off(Prior::Mle), off(Prior::default()));
        assert!(plain > 0.02 && mended < 0.005, "{plain} {mended}");
    }

    #[test]
    fn the_order_of_columns_leaves_no_trace() {
        let (one, other) =
            (estimate(["a", "b", "c"], Prior::default()), estimate(["c", "b", "a"], Prior::default()));
        for (v, w) in [(0, 2), (1, 1), (2, 0)] {
            assert_eq!(one.cpt(v).values(), other.cpt(w).values());
        }
    }

    #[test]
    fn rows_without_a_value_are_no_rows_and_no_rows_are_no_error() {
        let schema = Schema::new(["a", "b", "c"].map(|n| Variable::new(n, ["0", "1"])).to_vec()).unwrap();
        let table = Table::new(schema, vec![vec![0, 1], vec![1, 0], vec![MISSING, MISSING]]).unwrap();
        let dag = Dag::from_arcs(3, [(0, 2), (1, 2)]).unwrap();
        let found = Network::estimate(&dag, &table, Prior::default(), DEFAULT_TABLE_BYTES).unwrap();
        assert_eq!(found.cpt(2).values(), [0.5; 8]);
    }
}
