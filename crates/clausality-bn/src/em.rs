//! Probabilities from rows with gaps: expectation and maximisation, with exact inference.
//!
//! ```text
//! E:  N_v(x_v, x_pa) = Σ_rows P(x_v, x_pa | what the row has)          M:  θ_v = estimate(N_v),   until the likelihood stands still
//! ```
//!
//! A gap hangs on the gaps that share a family with it and on the values of those families, and on nothing else of its row. So the gaps of
//! a row fall into *components*, independent given the values around them, and rows that agree in a component and its
//! surroundings are one *case*, weighted. Most components are one or two variables. Each is solved by a junction tree of its own: variables
//! are summed out one after the other (buckets), and what came after is brought back:
//!
//! ```text
//! clique_i(x_i, s) = Π factors and messages whose first variable is i;     message_i(s) = Σ_{x_i} clique_i(x_i, s)
//! belief_i(x_i, s) = clique_i(x_i, s) · belief(s) / message_i(s),          belief(s) from the bucket that the message went to
//! ```
//!
//! Implements: Dempster, Laird and Rubin 1977; Lauritzen, *The EM algorithm for graphical association models with missing data*, 1995.

use crate::counts::{Cells, Count, Counter};
use crate::estimate::{Backing, Family, in_table_order, probabilities, weighed};
use crate::math::ln;
use crate::random::Stream;
use crate::{Cpt, Dag, Error, MISSING, Network, Prior, Table};
use std::collections::HashMap;

/// The likelihood stands still when it rises by less than this a row.
const STILL: f64 = 1e-6;
/// Rounds at most: what little they would still bring is far below what the rows can tell.
const MOST_ROUNDS: usize = 100;
/// Messages below this are scaled up.
const SMALL: f64 = 1e-150;
/// By so much: a power of two, so that no digit is lost.
const SCALE: f64 = f64::from_bits((1023 + 500) << 52);
const LN_SCALE: f64 = 500.0 * std::f64::consts::LN_2;

/// Probabilities found in spite of gaps.
#[derive(Debug, Clone)]
pub struct Em {
    /// The network.
    pub network: Network,
    /// What the probabilities of each node lean on, if the prior is one that looks at the counts.
    pub backing: Vec<Backing>,
    /// How often expectations were taken.
    pub rounds: usize,
    /// The log-likelihood of what the rows have.
    pub log_likelihood: f64,
}

impl Network {
    /// The network with this graph and the probabilities that a table with gaps suggests, from those of the rows that have each family. `stop`
    /// is asked in every round; after a yes what was found so far comes back. Rows count as much as their weights, if they have any.
    ///
    /// # Errors
    /// As [`Network::estimate`]; [`Error::InferenceLimit`] where gaps hang together in more cells than memory allows.
    pub fn estimate_by_em(
        dag: &Dag,
        table: &Table,
        weights: Option<&[f64]>,
        prior: Prior,
        limit: u64,
        stop: &dyn Fn() -> bool,
    ) -> Result<Em, Error> {
        let mut network = match weights {
            Some(weights) => Network::estimate_weighted(dag, table, weights, prior, limit)?.0,
            None => Network::estimate(dag, table, prior, limit)?,
        };
        let gaps = Gaps::weighted(&network, table, weights, limit)?;
        let whole = whole_families(&network, table, weights)?;
        let mut before = f64::NEG_INFINITY;
        let mut rounds = 0;
        loop {
            let mut counts = whole.clone();
            let found = gaps.expect(&network, &mut counts) + likelihood(&network, &whole);
            let rise = (found - before) / table.rows().max(1) as f64;
            if gaps.cases.is_empty() || rise < STILL || rounds >= MOST_ROUNDS || stop() {
                let of = |(node, counts)| Family { members: family(&network, node), counts };
                let families: Vec<Family> = counts.into_iter().enumerate().map(of).collect();
                let (network, backing) = Network::from_counts(table.schema(), &families, prior)?;
                return Ok(Em { network, backing, rounds, log_likelihood: found });
            }
            (before, rounds) = (found, rounds + 1);
            network = maximised(&network, &counts, prior)?;
        }
    }
}

/// The counts of every node's table on the rows that have all of its family.
fn whole_families(network: &Network, table: &Table, weights: Option<&[f64]>) -> Result<Vec<Vec<f64>>, Error> {
    let families: Vec<Vec<usize>> = (0..network.len()).map(|node| family(network, node)).collect();
    if let Some(weights) = weights {
        return Ok(families.iter().map(|family| weighed(family, table, weights)).collect());
    }
    let asked: Vec<&[usize]> = families.iter().map(Vec::as_slice).collect();
    let found = Counter::new(table)?.count(&asked);
    let dense = |(found, family): (&Cells, &Vec<usize>)| in_table_order(found, family, network.schema());
    Ok(found.iter().zip(&families).map(dense).collect())
}

/// The parents of a node in the order of its table, and the node.
fn family(network: &Network, node: usize) -> Vec<usize> {
    network.cpt(node).parents().iter().copied().chain([node]).collect()
}

/// Of rows that are counted by families.
fn likelihood(network: &Network, counts: &[Vec<f64>]) -> f64 {
    let of = |(node, counts): (usize, &Vec<f64>)| -> f64 {
        let cells = counts.iter().zip(network.cpt(node).values());
        cells.filter(|(n, _)| **n > 0.0).map(|(n, &p)| n * ln(p)).sum()
    };
    counts.iter().enumerate().map(of).sum()
}

fn maximised(network: &Network, counts: &[Vec<f64>], prior: Prior) -> Result<Network, Error> {
    let schema = network.schema();
    let cpt = |(node, counts): (usize, &Vec<f64>)| {
        let members = family(network, node);
        let shape: Vec<usize> = members.iter().map(|&v| schema.cardinality(v)).collect();
        Cpt::new(schema, node, network.cpt(node).parents().to_vec(), probabilities(counts, &shape, prior).0)
    };
    let cpts = counts.iter().enumerate().map(cpt).collect::<Result<Vec<Cpt>, Error>>()?;
    Network::new(network.name(), schema.clone(), cpts)
}

/// The gaps of a table, as they hang together under a graph.
#[derive(Debug)]
pub struct Gaps {
    components: Vec<Component>,
    cases: Vec<Case>,
    /// For every row with gaps its cases.
    rows: Vec<(u32, Vec<u32>)>,
}

/// A component with what is around it.
#[derive(Debug)]
struct Case {
    component: u32,
    /// The codes of the component's surroundings.
    around: Vec<u8>,
    rows: f64,
}

/// Variables that are missing together and share families.
#[derive(Debug)]
struct Component {
    /// In the order in which they are summed out.
    variables: Vec<usize>,
    states: Vec<usize>,
    /// The others of their families.
    around: Vec<usize>,
    factors: Vec<Factor>,
    buckets: Vec<Bucket>,
}

/// The table of a node whose family has variables of the component.
#[derive(Debug)]
struct Factor {
    node: usize,
    /// Where the surroundings lead: their places, and what a state weighs in the table.
    fixed: Vec<(usize, usize)>,
}

/// Where a variable is summed out.
#[derive(Debug)]
struct Bucket {
    /// Variables by their places in the component, this one last.
    scope: Vec<usize>,
    cells: usize,
    /// Factors, with what a state of each of the scope weighs in them.
    factors: Vec<(usize, Vec<usize>)>,
    /// Messages of earlier buckets, the same.
    messages: Vec<(usize, Vec<usize>)>,
    /// The bucket that the message goes to, and what a state of each of *its* scope weighs in the message.
    to: Option<(usize, Vec<usize>)>,
}

/// What a case works with; kept from one to the next.
#[derive(Debug, Default)]
struct Scratch {
    cliques: Vec<Vec<f64>>,
    messages: Vec<Vec<f64>>,
    bases: Vec<usize>,
    shared: Vec<f64>,
}

impl Gaps {
    /// Finds the components and cases of a table with the network's schema.
    ///
    /// # Errors
    /// [`Error::InferenceLimit`] where a component needs more than `limit` bytes.
    pub fn new(network: &Network, table: &Table, limit: u64) -> Result<Self, Error> {
        Gaps::weighted(network, table, None, limit)
    }

    /// The same where rows have weights.
    fn weighted(
        network: &Network,
        table: &Table,
        weights: Option<&[f64]>,
        limit: u64,
    ) -> Result<Self, Error> {
        let near = neighbours(network);
        let mut gaps = Gaps { components: vec![], cases: vec![], rows: vec![] };
        let mut component_of: HashMap<Vec<usize>, u32> = HashMap::new();
        let mut parts_of: HashMap<Vec<usize>, Vec<u32>> = HashMap::new();
        let mut case_of: HashMap<(u32, Vec<u8>), u32> = HashMap::new();
        for row in 0..table.rows() {
            let missing: Vec<usize> =
                (0..network.len()).filter(|&v| table.column(v)[row] == MISSING).collect();
            if missing.is_empty() {
                continue;
            }
            if !parts_of.contains_key(&missing) {
                let mut parts = vec![];
                for part in connected(&missing, &near) {
                    let next = gaps.components.len() as u32;
                    let place = *component_of.entry(part.clone()).or_insert(next);
                    if place == next {
                        gaps.components.push(Component::new(network, &part, limit)?);
                    }
                    parts.push(place);
                }
                parts_of.insert(missing.clone(), parts);
            }
            let mut cases = vec![];
            for &component in &parts_of[&missing] {
                let around = &gaps.components[component as usize].around;
                let around: Vec<u8> = around.iter().map(|&v| table.column(v)[row]).collect();
                let next = gaps.cases.len() as u32;
                let case = *case_of.entry((component, around.clone())).or_insert(next);
                if case == next {
                    gaps.cases.push(Case { component, around, rows: 0.0 });
                }
                gaps.cases[case as usize].rows += weights.map_or(1.0, |weights| weights[row]);
                cases.push(case);
            }
            gaps.rows.push((row as u32, cases));
        }
        Ok(gaps)
    }

    /// Adds what is expected of the families with gaps to counts in the order of the tables; the log-likelihood of these families.
    pub fn expect(&self, network: &Network, counts: &mut [Vec<f64>]) -> f64 {
        let mut scratch = Scratch::default();
        let mut sum = 0.0;
        for case in &self.cases {
            let component = &self.components[case.component as usize];
            // What the network says cannot be is expected nowhere.
            if let Some(ln_z) = component.collect(network, &case.around, &mut scratch) {
                sum += case.rows * ln_z;
                component.distribute(case.rows, &mut scratch, counts);
            }
        }
        sum
    }

    /// The table with every gap filled by a draw from what the network says of it given the rest of the row. Rows that cannot be stay as
    /// they are.
    ///
    /// # Errors
    /// A table other than the one that the gaps are of.
    pub fn filled(&self, network: &Network, table: &Table, stream: &mut Stream) -> Result<Table, Error> {
        let mut columns: Vec<Vec<u8>> = (0..network.len()).map(|v| table.column(v).to_vec()).collect();
        let mut scratch = Scratch::default();
        let mut states = vec![];
        // Rows of one case one after the other: its cliques are worked out once.
        let mut by_case: Vec<(u32, u32)> =
            self.rows.iter().flat_map(|(row, cases)| cases.iter().map(move |&case| (case, *row))).collect();
        by_case.sort_unstable();
        for rows in by_case.chunk_by(|a, b| a.0 == b.0) {
            let case = &self.cases[rows[0].0 as usize];
            let component = &self.components[case.component as usize];
            if component.collect(network, &case.around, &mut scratch).is_none() {
                continue;
            }
            for &(_, row) in rows {
                component.draw(&scratch, stream, &mut states);
                for (&v, &state) in component.variables.iter().zip(&states) {
                    columns[v][row as usize] = state as u8;
                }
            }
        }
        Table::new(table.schema().clone(), columns)
    }
}

/// For every variable those that share a family with it.
fn neighbours(network: &Network) -> Vec<Vec<usize>> {
    let mut near = vec![vec![]; network.len()];
    for node in 0..network.len() {
        let family = family(network, node);
        for &a in &family {
            near[a].extend(family.iter().copied().filter(|&b| b != a));
        }
    }
    for list in &mut near {
        list.sort_unstable();
        list.dedup();
    }
    near
}

/// The parts of some variables between which no family runs.
fn connected(variables: &[usize], near: &[Vec<usize>]) -> Vec<Vec<usize>> {
    let mut left: Vec<usize> = variables.to_vec();
    let mut parts = vec![];
    while let Some(first) = left.pop() {
        let (mut part, mut open) = (vec![first], vec![first]);
        while let Some(v) = open.pop() {
            let (joined, rest): (Vec<usize>, Vec<usize>) =
                left.iter().partition(|u| near[v].binary_search(u).is_ok());
            left = rest;
            part.extend(&joined);
            open.extend(joined);
        }
        part.sort_unstable();
        parts.push(part);
    }
    parts.reverse();
    parts
}

impl Component {
    fn new(network: &Network, part: &[usize], limit: u64) -> Result<Self, Error> {
        let schema = network.schema();
        let family = |node: usize| family(network, node);
        let touched: Vec<usize> =
            (0..network.len()).filter(|&node| family(node).iter().any(|v| part.contains(v))).collect();
        let mut around: Vec<usize> =
            touched.iter().flat_map(|&node| family(node)).filter(|v| !part.contains(v)).collect();
        around.sort_unstable();
        around.dedup();
        let scopes: Vec<Vec<usize>> = touched
            .iter()
            .map(|&node| family(node).into_iter().filter(|v| part.contains(v)).collect())
            .collect();
        let (variables, eliminated) = order(part, &scopes, |v| schema.cardinality(v));
        let place = |v: usize| variables.iter().position(|&u| u == v);
        let states: Vec<usize> = variables.iter().map(|&v| schema.cardinality(v)).collect();
        let mut buckets: Vec<Bucket> = vec![];
        for (i, others) in eliminated.iter().enumerate() {
            let mut scope: Vec<usize> = others.iter().filter_map(|&v| place(v)).collect();
            scope.sort_unstable();
            scope.push(i);
            let cells = scope.iter().fold(1u128, |n, &v| n.saturating_mul(states[v] as u128));
            if cells.saturating_mul(16) > u128::from(limit) {
                let nodes = scope.iter().map(|&v| schema.name(variables[v]).to_string()).collect();
                return Err(Error::InferenceLimit { nodes, cells, bytes: cells.saturating_mul(16), limit });
            }
            buckets.push(Bucket {
                scope,
                cells: cells as usize,
                factors: vec![],
                messages: vec![],
                to: None,
            });
        }
        let mut factors = vec![];
        for (&node, scope) in touched.iter().zip(&scopes) {
            let strides = strides(&family(node), |v| schema.cardinality(v));
            let weigh = |v: usize| strides.iter().find(|(u, _)| *u == v).map_or(0, |&(_, stride)| stride);
            let fixed =
                around.iter().enumerate().map(|(i, &v)| (i, weigh(v))).filter(|&(_, stride)| stride > 0);
            let home = scope.iter().filter_map(|&v| place(v)).min().unwrap_or(0);
            let weights = buckets[home].scope.iter().map(|&i| weigh(variables[i])).collect();
            buckets[home].factors.push((factors.len(), weights));
            factors.push(Factor { node, fixed: fixed.collect() });
        }
        for i in 0..buckets.len() {
            let (_, shared) = buckets[i].scope.split_last().expect("a bucket has a variable");
            let Some(&home) = shared.first() else { continue };
            let strides = strides(shared, |v| states[v]);
            let weigh = |v: &usize| strides.iter().find(|(u, _)| u == v).map_or(0, |&(_, stride)| stride);
            let weights: Vec<usize> = buckets[home].scope.iter().map(weigh).collect();
            buckets[i].to = Some((home, weights.clone()));
            buckets[home].messages.push((i, weights));
        }
        Ok(Component { variables, states, around, factors, buckets })
    }

    /// Sums everything out; the logarithm of what is left, unless that is nothing.
    fn collect(&self, network: &Network, around: &[u8], scratch: &mut Scratch) -> Option<f64> {
        let Scratch { cliques, messages, bases, .. } = scratch;
        let count = self.buckets.len();
        cliques.resize_with(cliques.len().max(count), Vec::new);
        messages.resize_with(messages.len().max(count), Vec::new);
        bases.clear();
        let base = |factor: &Factor| {
            factor.fixed.iter().map(|&(i, stride)| usize::from(around[i]) * stride).sum::<usize>()
        };
        bases.extend(self.factors.iter().map(base));
        let mut ln_z = 0.0;
        for (i, bucket) in self.buckets.iter().enumerate() {
            let clique = &mut cliques[i];
            clique.clear();
            clique.resize(bucket.cells, 1.0);
            for (factor, weights) in &bucket.factors {
                let values = &network.cpt(self.factors[*factor].node).values()[bases[*factor]..];
                self.walk(&bucket.scope, weights, |cell, at| clique[cell] *= values[at]);
            }
            for (message, weights) in &bucket.messages {
                let values = &messages[*message];
                self.walk(&bucket.scope, weights, |cell, at| clique[cell] *= values[at]);
            }
            let message = &mut messages[i];
            message.clear();
            message.extend(clique.chunks_exact(self.states[i]).map(|part| part.iter().sum::<f64>()));
            let most = message.iter().copied().fold(0.0, f64::max);
            if most == 0.0 {
                return None;
            }
            if most < SMALL {
                clique.iter_mut().chain(message.iter_mut()).for_each(|p| *p *= SCALE);
                ln_z -= LN_SCALE;
            }
            if bucket.to.is_none() {
                ln_z += ln(message[0]);
            }
        }
        Some(ln_z)
    }

    /// Turns cliques into what is believed of them, and adds that to the counts of the families.
    fn distribute(
        &self,
        rows: f64,
        Scratch { cliques, messages, bases, shared }: &mut Scratch,
        counts: &mut [Vec<f64>],
    ) {
        for (i, bucket) in self.buckets.iter().enumerate().rev() {
            shared.clear();
            shared.resize(messages[i].len(), 0.0);
            match &bucket.to {
                None => shared[0] = rows,
                Some((home, weights)) => {
                    let belief = &cliques[*home];
                    self.walk(&self.buckets[*home].scope, weights, |cell, at| shared[at] += belief[cell]);
                }
            }
            let parts = cliques[i].chunks_exact_mut(self.states[i]);
            for ((part, believed), message) in parts.zip(shared.iter()).zip(&messages[i]) {
                let scale = if *message > 0.0 { believed / message } else { 0.0 };
                part.iter_mut().for_each(|p| *p *= scale);
            }
            let belief = &cliques[i];
            for (factor, weights) in &bucket.factors {
                let counts = &mut counts[self.factors[*factor].node][bases[*factor]..];
                self.walk(&bucket.scope, weights, |cell, at| counts[at] += belief[cell]);
            }
        }
    }

    /// Draws a state of every variable from the cliques, the last summed out first.
    fn draw(&self, Scratch { cliques, .. }: &Scratch, stream: &mut Stream, states: &mut Vec<usize>) {
        states.clear();
        states.resize(self.buckets.len(), 0);
        for (i, bucket) in self.buckets.iter().enumerate().rev() {
            let (_, shared) = bucket.scope.split_last().expect("a bucket has a variable");
            let at = shared.iter().fold(0, |at, &v| at * self.states[v] + states[v]);
            let chances = &cliques[i][at * self.states[i]..][..self.states[i]];
            let mut rest = stream.unit() * chances.iter().sum::<f64>();
            let reached = chances.iter().position(|&p| {
                rest -= p;
                rest < 0.0
            });
            // Rounding may leave a rest: the last state that is possible.
            let last = || chances.iter().rposition(|&p| p > 0.0).unwrap_or(0);
            states[i] = reached.unwrap_or_else(last);
        }
    }

    /// Visits all cells of a scope, with where each stands in a table that weighs the scope's states so.
    fn walk(&self, scope: &[usize], weights: &[usize], mut see: impl FnMut(usize, usize)) {
        let (&last, others) = scope.split_last().expect("a bucket has a variable");
        let (fast, slow) = weights.split_last().expect("one for each");
        let (mut cell, mut base) = (0, 0);
        let mut digits = [0usize; 64];
        loop {
            for state in 0..self.states[last] {
                see(cell, base + state * fast);
                cell += 1;
            }
            let mut at = others.len();
            loop {
                if at == 0 {
                    return;
                }
                at -= 1;
                digits[at] += 1;
                base += slow[at];
                if digits[at] < self.states[others[at]] {
                    break;
                }
                base -= digits[at] * slow[at];
                digits[at] = 0;
            }
        }
    }
}

/// What a state of each weighs in a table that has these variables, the last varying fastest.
fn strides(variables: &[usize], states: impl Fn(usize) -> usize) -> Vec<(usize, usize)> {
    let mut stride = 1;
    let mut found: Vec<(usize, usize)> = variables
        .iter()
        .rev()
        .map(|&v| {
            let own = stride;
            stride *= states(v);
            (v, own)
        })
        .collect();
    found.reverse();
    found
}

/// An order in which to sum variables out, always the one with the smallest table next; and what each leaves connected.
fn order(
    part: &[usize],
    scopes: &[Vec<usize>],
    states: impl Fn(usize) -> usize,
) -> (Vec<usize>, Vec<Vec<usize>>) {
    let mut near: Vec<(usize, Vec<usize>)> = part
        .iter()
        .map(|&v| {
            let mut others: Vec<usize> = scopes
                .iter()
                .filter(|scope| scope.contains(&v))
                .flatten()
                .copied()
                .filter(|&u| u != v)
                .collect();
            others.sort_unstable();
            others.dedup();
            (v, others)
        })
        .collect();
    let (mut order, mut left) = (vec![], vec![]);
    while !near.is_empty() {
        let cost = |(v, others): &(usize, Vec<usize>)| {
            others.iter().map(|&u| states(u) as f64).product::<f64>() * states(*v) as f64
        };
        let best = (0..near.len())
            .min_by(|&a, &b| cost(&near[a]).total_cmp(&cost(&near[b])))
            .expect("some are left");
        let (v, others) = near.swap_remove(best);
        near.sort_unstable();
        for (u, joined) in near.iter_mut().filter(|(u, _)| others.contains(u)) {
            joined.extend(others.iter().copied().filter(|w| w != u));
            joined.retain(|&w| w != v);
            joined.sort_unstable();
            joined.dedup();
        }
        order.push(v);
        left.push(others);
    }
    (order, left)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::infer::{Evidence, Infer};
    use crate::{DEFAULT_TABLE_BYTES, Schema, Variable, sample};
    use proptest::prelude::*;

    /// A random network of few nodes, with a table drawn from it and gaps by chance.
    fn gappy(seed: u64, nodes: usize, share: u64) -> (Network, Table, Table) {
        let mut stream = Stream::new(seed, "em");
        let states: Vec<usize> = (0..nodes).map(|_| 2 + stream.below(2) as usize).collect();
        let variable = |v: usize| Variable::new(format!("v{v}"), (0..states[v]).map(|s| format!("s{s}")));
        let schema = Schema::new((0..nodes).map(variable).collect()).unwrap();
        let mut cpts = vec![];
        for v in 0..nodes {
            let parents: Vec<usize> = (0..v).filter(|_| stream.below(3) == 0).collect();
            let rows: usize = parents.iter().map(|&p| states[p]).product();
            let mut values = vec![];
            for _ in 0..rows {
                let row: Vec<f64> = (0..states[v]).map(|_| 0.05 + stream.unit()).collect();
                let sum: f64 = row.iter().sum();
                values.extend(row.iter().map(|p| p / sum));
            }
            cpts.push(Cpt::new(&schema, v, parents, values).unwrap());
        }
        let network = Network::new("random", schema, cpts).unwrap();
        let full = sample(&network, 300, seed);
        let mut column = |v: usize| -> Vec<u8> {
            full.column(v)
                .iter()
                .map(|&code| if stream.below(100) < share { MISSING } else { code })
                .collect()
        };
        let columns = (0..nodes).map(&mut column).collect();
        let table = Table::new(network.schema().clone(), columns).unwrap();
        (network, full, table)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(40))]

        /// Expected counts and the likelihood are those of asking every row by variable elimination.
        #[test]
        fn expectations_are_those_of_inference(seed: u64, nodes in 1..7usize, share in 5..80u64) {
            let (network, _, table) = gappy(seed, nodes, share);
            let mut counts = whole_families(&network, &table, None).unwrap();
            let whole = counts.clone();
            let gaps = Gaps::new(&network, &table, 1 << 20).unwrap();
            let found = gaps.expect(&network, &mut counts) + likelihood(&network, &whole);
            let mut infer = Infer::new(network.clone());
            let mut twin: Vec<Vec<f64>> = (0..nodes).map(|v| vec![0.0; network.cpt(v).values().len()]).collect();
            let mut total = 0.0;
            for row in 0..table.rows() {
                let mut evidence = Evidence::new(&network);
                for v in (0..nodes).filter(|&v| table.column(v)[row] != MISSING) {
                    evidence.observe(v, table.column(v)[row]).unwrap();
                }
                total += infer.evidence_probability(&evidence).unwrap().ln();
                for (v, counts) in twin.iter_mut().enumerate() {
                    let family: Vec<usize> = network.cpt(v).parents().iter().copied().chain([v]).collect();
                    let joint = infer.posterior(&family, &evidence).unwrap();
                    counts.iter_mut().zip(joint.probabilities).for_each(|(n, p)| *n += p);
                }
            }
            prop_assert!((found - total).abs() < 1e-8 * total.abs().max(1.0), "{} {}", found, total);
            for (one, two) in counts.iter().flatten().zip(twin.iter().flatten()) {
                prop_assert!((one - two).abs() < 1e-8, "{} {}", one, two);
            }
        }

        /// The likelihood of what the rows have never falls without a prior.
        #[test]
        fn every_round_raises_the_likelihood(seed: u64) {
            let (network, _, table) = gappy(seed, 5, 30);
            let dag = network.dag();
            let gaps = Gaps::new(&network, &table, 1 << 20).unwrap();
            let mut at = Network::estimate(dag, &table, Prior::Laplace { alpha: 1.0 }, DEFAULT_TABLE_BYTES).unwrap();
            let whole = whole_families(&at, &table, None).unwrap();
            let mut before = f64::NEG_INFINITY;
            for _ in 0..6 {
                let mut counts = whole.clone();
                let now = gaps.expect(&at, &mut counts) + likelihood(&at, &whole);
                prop_assert!(now >= before - 1e-9, "{} {}", now, before);
                before = now;
                at = maximised(&at, &counts, Prior::Mle).unwrap();
            }
        }
    }

    /// A child that is missing wherever its parent has one state: counting complete rows sees a lopsided parent, which EM puts right.
    #[test]
    fn what_is_missing_at_random_is_made_up_for() {
        let schema = Schema::new(["a", "b"].map(|n| Variable::new(n, ["0", "1"])).to_vec()).unwrap();
        let a = Cpt::new(&schema, 0, vec![], vec![0.5, 0.5]).unwrap();
        let b = Cpt::new(&schema, 1, vec![0], vec![0.9, 0.1, 0.2, 0.8]).unwrap();
        let truth = Network::new("two", schema.clone(), vec![a, b]).unwrap();
        let full = sample(&truth, 20_000, 1);
        let mut stream = Stream::new(1, "gaps");
        let gap = |(&a, &b): (&u8, &u8)| if a == 1 && stream.below(10) < 8 { MISSING } else { b };
        let b: Vec<u8> = full.column(0).iter().zip(full.column(1)).map(gap).collect();
        let table = Table::new(schema, vec![full.column(0).to_vec(), b]).unwrap();
        let go = &|| false;
        let turned = Dag::from_arcs(2, [(1, 0)]).unwrap();
        let em = Network::estimate_by_em(&turned, &table, None, Prior::Mle, DEFAULT_TABLE_BYTES, go).unwrap();
        // P(b = 1) = .5 · .1 + .5 · .8; the rows that have b say .27.
        let found = em.network.cpt(1).values()[1];
        assert!((found - 0.45).abs() < 0.015 && em.rounds > 1, "{found} in {} rounds", em.rounds);
        let plain = Network::estimate(&turned, &table, Prior::Mle, DEFAULT_TABLE_BYTES).unwrap();
        assert!(plain.cpt(1).values()[1] < 0.3);
        // Weights that are all alike change nothing, whatever they are.
        let alike = vec![1.0; table.rows()];
        let weighed =
            Network::estimate_by_em(&turned, &table, Some(&alike), Prior::Mle, DEFAULT_TABLE_BYTES, go)
                .unwrap();
        let near = |(a, b): (&f64, &f64)| (a - b).abs() < 1e-9;
        assert!(weighed.network.cpt(1).values().iter().zip(em.network.cpt(1).values()).all(near));
    }

    #[test]
    fn draws_follow_what_is_expected() {
        let (network, _, table) = gappy(7, 6, 40);
        let gaps = Gaps::new(&network, &table, 1 << 20).unwrap();
        let mut expected = whole_families(&network, &table, None).unwrap();
        gaps.expect(&network, &mut expected);
        let mut stream = Stream::new(3, "draws");
        let mut drawn: Vec<Vec<f64>> = expected.iter().map(|counts| vec![0.0; counts.len()]).collect();
        let copies = 200;
        for _ in 0..copies {
            let filled = gaps.filled(&network, &table, &mut stream).unwrap();
            assert!(!filled.has_missing());
            for v in 0..network.len() {
                let kept = table.column(v).iter().zip(filled.column(v)).all(|(a, b)| *a == MISSING || a == b);
                assert!(kept);
            }
            let counts = whole_families(&network, &filled, None).unwrap();
            drawn.iter_mut().flatten().zip(counts.iter().flatten()).for_each(|(sum, n)| *sum += n);
        }
        for (one, two) in expected.iter().flatten().zip(drawn.iter().flatten()) {
            let two = two / f64::from(copies);
            assert!((one - two).abs() < 4.0 * (one / f64::from(copies)).sqrt() + 0.3, "{one} {two}");
        }
    }

    #[test]
    fn too_many_cells_are_refused_and_no_gaps_need_no_round() {
        let (network, full, table) = gappy(3, 6, 100);
        assert!(matches!(Gaps::new(&network, &table, 16), Err(Error::InferenceLimit { .. })));
        let em =
            Network::estimate_by_em(network.dag(), &full, None, Prior::Mle, DEFAULT_TABLE_BYTES, &|| false)
                .unwrap();
        assert_eq!(em.rounds, 0);
        assert_eq!(
            em.network,
            Network::estimate(network.dag(), &full, Prior::Mle, DEFAULT_TABLE_BYTES).unwrap()
        );
    }
}
