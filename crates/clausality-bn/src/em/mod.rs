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
//! (module `component`).
//!
//! Implements: Dempster, Laird and Rubin 1977; Lauritzen, *The EM algorithm for graphical association models with missing data*, 1995.

mod component;
#[cfg(test)]
mod tests;

use crate::counts::{Cells, Count, Counter};
use crate::estimate::{Backing, Family, Leaning, in_table_order, leaning, smoothed, weighed};
use crate::math::ln;
use crate::random::Stream;
use crate::{Cpt, Dag, Error, MISSING, Network, Prior, Table};
use component::{Component, Scratch, family};
use std::collections::{BTreeSet, HashMap};

/// The likelihood stands still when it rises by less than this a row.
const STILL: f64 = 1e-6;
/// Rounds at most: what little they would still bring is far below what the rows can tell.
pub const MOST_ROUNDS: usize = 100;
/// How often at most it is chosen what counts lean on, where the prior looks at them: that takes longer than all else of a round, and the
/// first expectations show nearly as well as the last ones what is best.
const MOST_CHOICES: usize = 5;

/// Probabilities found in spite of gaps.
#[derive(Debug, Clone)]
pub struct Em {
    /// The network.
    pub network: Network,
    /// What the probabilities of each node lean on, if the prior is one that looks at the counts.
    pub backing: Vec<Backing>,
    /// How often expectations were taken.
    pub rounds: usize,
    /// Whether it was ended before the likelihood stood still: after [`MOST_ROUNDS`], or by who watches.
    pub cut_short: bool,
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
        // Tables without a gap in their family are counted once and stay as they are.
        let touched = gaps.touched();
        let certain: Vec<Vec<f64>> = touched.iter().map(|&node| whole[node].clone()).collect();
        let mut counts = whole;
        let mut before = f64::NEG_INFINITY;
        let mut rounds = 0;
        let untouched: Vec<usize> =
            (0..network.len()).filter(|node| touched.binary_search(node).is_err()).collect();
        let mut unmoved = 0.0;
        let mut leanings: Vec<Option<Leaning>> = vec![];
        let mut choices = 0;
        loop {
            touched.iter().zip(&certain).for_each(|(&node, certain)| counts[node].clone_from(certain));
            if rounds < 2 {
                unmoved = untouched.iter().map(|&node| likelihood(&network, node, &counts[node])).sum();
            }
            let moved: f64 = touched.iter().map(|&node| likelihood(&network, node, &counts[node])).sum();
            let found = gaps.expect(&network, &mut counts) + unmoved + moved;
            let still = (found - before) / (table.rows().max(1) as f64) < STILL;
            let mut ended = gaps.cases.is_empty() || rounds >= MOST_ROUNDS || stop();
            before = found;
            // Where it stands still under what was chosen, the choice is looked at once more.
            if !ended && (choices == 0 || still) {
                let anew = lean(&network, &touched, &counts, prior);
                ended = choices == MOST_CHOICES || choices > 0 && agree(&leanings, &anew);
                (leanings, choices) = (anew, choices + 1);
                before = if still { f64::NEG_INFINITY } else { found };
            }
            if ended {
                let of = |(node, counts)| Family { members: family(&network, node), counts };
                let families: Vec<Family> = counts.into_iter().enumerate().map(of).collect();
                let (network, backing) = Network::from_counts(table.schema(), &families, prior)?;
                let cut_short = !still && !gaps.cases.is_empty();
                return Ok(Em { network, backing, rounds, cut_short, log_likelihood: found });
            }
            // The first tables agree with each other as those of every round cannot: then all are made anew.
            if rounds == 0 {
                let leanings = lean(&network, &untouched, &counts, prior);
                maximise(&mut network, &untouched, &counts, prior, &leanings)?;
            }
            rounds += 1;
            maximise(&mut network, &touched, &counts, prior, &leanings)?;
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

/// Of a node in rows that are counted by its family.
fn likelihood(network: &Network, node: usize, counts: &[f64]) -> f64 {
    let cells = counts.iter().zip(network.cpt(node).values());
    cells.filter(|(n, _)| **n > 0.0).map(|(n, &p)| n * ln(p)).sum()
}

/// The states of a node's parents and its own.
fn shape(network: &Network, node: usize) -> Vec<usize> {
    family(network, node).iter().map(|&v| network.schema().cardinality(v)).collect()
}

/// What the counts of these nodes lean on; nothing where the prior does not look at them.
fn lean(network: &Network, nodes: &[usize], counts: &[Vec<f64>], prior: Prior) -> Vec<Option<Leaning>> {
    nodes.iter().map(|&node| leaning(&counts[node], &shape(network, node), prior)).collect()
}

/// Whether what was chosen for every node is the same.
fn agree(before: &[Option<Leaning>], now: &[Option<Leaning>]) -> bool {
    let agree = |(a, b): (&Option<Leaning>, &Option<Leaning>)| match (a, b) {
        (Some(a), Some(b)) => a.agrees(b),
        (a, b) => a == b,
    };
    before.iter().zip(now).all(agree)
}

/// Gives these nodes the tables that the counts suggest under the best of what was chosen; the network that is kept has the mean.
fn maximise(
    network: &mut Network,
    nodes: &[usize],
    counts: &[Vec<f64>],
    prior: Prior,
    leanings: &[Option<Leaning>],
) -> Result<(), Error> {
    for (&node, leaning) in nodes.iter().zip(leanings) {
        let (shape, parents) = (shape(network, node), network.cpt(node).parents().to_vec());
        let values = match leaning {
            Some(leaning) => leaning.quickly(&counts[node], &shape),
            None => smoothed(&counts[node], &shape, prior),
        };
        let cpt = Cpt::new(network.schema(), node, parents, values)?;
        network.replace_table(node, cpt);
    }
    Ok(())
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

    /// The nodes whose families have gaps.
    fn touched(&self) -> Vec<usize> {
        let nodes = self.components.iter().flat_map(Component::touched);
        nodes.collect::<BTreeSet<usize>>().into_iter().collect()
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

    /// For every row with gaps the log-likelihood of its families with gaps, those summed out; nothing where the row cannot be.
    pub(crate) fn log_likelihoods(&self, network: &Network) -> impl Iterator<Item = (usize, Option<f64>)> {
        let mut scratch = Scratch::default();
        let collect = |case: &Case| {
            self.components[case.component as usize].collect(network, &case.around, &mut scratch)
        };
        let by_case: Vec<Option<f64>> = self.cases.iter().map(collect).collect();
        self.rows.iter().map(move |(row, cases)| {
            (*row as usize, cases.iter().map(|&case| by_case[case as usize]).sum::<Option<f64>>())
        })
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
