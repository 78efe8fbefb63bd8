//! The band of an effect over graphs that were learned again from rows drawn anew: what the sample leaves open, beside what the class does.
//!
//! ```text
//! graph r of R;   θ_j ~ Dirichlet(n_j θ̂_j),   n_j = N_j + min(w, N_j')         drawn at least DRAWS times in all
//! [low_r, high_r]: the band over the class of graph r;   told: from the 0.5 % point of the low_r to the 99.5 % point of the high_r
//! ```
//!
//! `θ̂` is the estimate for that graph from all rows, `N_j` the rows with the parents in configuration `j`, `w` what the prior weighs, and `N_j'` the rows
//! that the prior itself rests on (those that differ from `j` in the parent that is left out first): a guess is no surer than what it was taken from. The band of the
//! network as it is drawn is always within.
//!
//! Graphs as in Friedman, Goldszmidt and Wyner (1999); the tables are drawn from their posterior and not fitted to the rows of a repetition, because those are
//! about 63 of 100 different rows, which vary less about the whole table than a table does about the truth.

use super::{Effects, effects};
use crate::counts::{Count, Counter};
use crate::estimate::{Family, families, in_table_order, weighed};
use crate::infer::{Evidence, Stop};
use crate::random::Stream;
use crate::{Backing, Cpt, Dag, Error, Network, Pdag, Prior, Schema, Table};
use std::collections::BTreeMap;
use std::sync::Arc;

/// How often tables are drawn, at least; every graph as often as every other.
pub const DRAWS: usize = 200;

/// The share of the answers that a band leaves out at either end.
pub(crate) const TAIL: f64 = 0.005;

/// Graphs learned again, and how often the states of their families occur together in all rows.
#[derive(Debug, Clone, PartialEq)]
pub struct Replicates {
    /// For every node the families that some graph gives it.
    pub families: Vec<Vec<Family>>,
    /// For every graph, for every node which of them.
    pub graphs: Vec<Vec<usize>>,
    /// Arcs whose opposite the rules refuse.
    pub forced: Vec<(usize, usize)>,
    /// What is believed of the tables before the rows are counted.
    pub prior: Prior,
    /// Of the draws.
    pub seed: u64,
}

/// The band over the draws.
#[derive(Debug, Clone, PartialEq)]
pub struct Spread {
    /// The lower end for every state of every target.
    pub low: Vec<Vec<f64>>,
    /// The upper end.
    pub high: Vec<Vec<f64>>,
    /// How many graphs there are, one for each repetition.
    pub graphs: usize,
    /// How many draws gave an answer.
    pub draws: usize,
}

/// One of the graphs, with the tables that all rows suggest.
struct Learned {
    network: Network,
    class: Pdag,
    /// For every node, for every configuration of its parents how many rows its table is worth.
    sure: Vec<Vec<f64>>,
}

impl Replicates {
    /// Counts the families of the graphs; nothing where that would take more than so many bytes.
    ///
    /// # Errors
    /// Graphs of other nodes than the table's; as [`Counter::new`].
    pub fn count(
        graphs: &[Dag],
        table: &Table,
        weights: Option<&[f64]>,
        forced: Vec<(usize, usize)>,
        prior: Prior,
        seed: u64,
        limit: u64,
    ) -> Result<Option<Self>, Error> {
        let schema = table.schema();
        let mut met: Vec<BTreeMap<Vec<usize>, usize>> = vec![BTreeMap::new(); schema.len()];
        let (mut places, mut bytes) = (vec![], 0);
        for dag in graphs {
            let mut own = vec![];
            let members = match families(dag, schema, limit) {
                Err(Error::Limit { .. }) => return Ok(None),
                found => found?,
            };
            for (met, members) in met.iter_mut().zip(members) {
                let (cells, next) = (members.iter().map(|&v| schema.cardinality(v) as u64), met.len());
                let size = 8 * cells.product::<u64>();
                own.push(*met.entry(members).or_insert_with(|| {
                    bytes += size;
                    next
                }));
            }
            bytes += 8 * own.len() as u64;
            places.push(own);
            if bytes > limit {
                return Ok(None);
            }
        }
        let mut counter = Counter::new(table)?;
        let families = met.into_iter().map(|met| {
            let mut of: Vec<(Vec<usize>, usize)> = met.into_iter().collect();
            of.sort_by_key(|(_, place)| *place);
            let count = |(members, _): (Vec<usize>, usize)| {
                let counts = match weights {
                    Some(weights) => weighed(&members, table, weights),
                    None => in_table_order(&counter.count(&[&members])[0], &members, schema),
                };
                Family { members, counts }
            };
            of.into_iter().map(count).collect()
        });
        Ok(Some(Replicates { families: families.collect(), graphs: places, forced, prior, seed }))
    }

    /// The band of every target's posterior under the evidence's actions; `own` is that of the network itself, which is always within. Nothing where no draw has an answer: the
    /// evidence cannot be there, or the question is too large for so many bytes.
    ///
    /// # Errors
    /// Families that are those of no network; as [`effects`]; [`Error::Stopped`] where it is called off, which is asked before every draw.
    pub fn effects(
        &self,
        schema: &Schema,
        targets: &[usize],
        evidence: &Evidence,
        own: &Effects,
        limit: u64,
        stop: Option<&Stop>,
    ) -> Result<Option<Spread>, Error> {
        let mut bands = vec![];
        self.each_draw(schema, stop, |network, class| {
            match effects(network, class, targets, evidence, limit) {
                Ok(band) => bands.push(band),
                Err(Error::ImpossibleEvidence | Error::InferenceLimit { .. }) => {}
                Err(error) => return Err(error),
            }
            Ok(())
        })?;
        if bands.is_empty() {
            return Ok(None);
        }
        let (mut low, mut high) = (own.low.clone(), own.high.clone());
        for k in 0..targets.len() {
            for s in 0..low[k].len() {
                low[k][s] = low[k][s].min(point(bands.iter().map(|band| band.low[k][s]).collect(), TAIL));
                high[k][s] =
                    high[k][s].max(point(bands.iter().map(|band| band.high[k][s]).collect(), 1.0 - TAIL));
            }
        }
        Ok(Some(Spread { low, high, graphs: self.graphs.len(), draws: bands.len() }))
    }

    /// Every graph with tables drawn anew and the class it belongs to, [`DRAWS`] of them at least, unless it is called off.
    pub(crate) fn each_draw(
        &self,
        schema: &Schema,
        stop: Option<&Stop>,
        mut ask: impl FnMut(&Arc<Network>, &Pdag) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let mut learned: BTreeMap<&[usize], Learned> = BTreeMap::new();
        for (round, graph) in self.graphs.iter().enumerate() {
            if !learned.contains_key(graph.as_slice()) {
                learned.insert(graph, self.learned(schema, graph)?);
            }
            let learned = &learned[graph.as_slice()];
            for again in 0..DRAWS.div_ceil(self.graphs.len()) {
                if stop.is_some_and(Stop::is_asked) {
                    return Err(Error::Stopped);
                }
                let network = Arc::new(learned.drawn(self.seed, &format!("replicate {round} {again}"))?);
                ask(&network, &learned.class)?;
            }
        }
        Ok(())
    }

    fn learned(&self, schema: &Schema, graph: &[usize]) -> Result<Learned, Error> {
        let own: Vec<Family> = self.families.iter().zip(graph).map(|(of, &k)| of[k].clone()).collect();
        let (network, backing) = Network::from_counts(schema, &own, self.prior)?;
        let forced = self.forced.iter().copied().filter(|&(p, c)| network.dag().has(p, c));
        let class = Pdag::complete(network.dag()).with_arcs(forced);
        let sure = network
            .cpts()
            .iter()
            .zip(&own)
            .enumerate()
            .map(|(v, (cpt, f))| self.sure(cpt, f, backing.get(v)));
        Ok(Learned { sure: sure.collect(), class, network })
    }

    /// How many rows every row of a table is worth.
    fn sure(&self, cpt: &Cpt, family: &Family, backing: Option<&Backing>) -> Vec<f64> {
        let rows: Vec<f64> = family.counts.chunks_exact(cpt.states()).map(|row| row.iter().sum()).collect();
        let all = |weight: f64| rows.iter().map(|n| (n + weight).max(1.0)).collect();
        match (self.prior, backing) {
            (Prior::Laplace { alpha }, _) => all(alpha * cpt.states() as f64),
            (Prior::Bdeu { ess }, _) => all(ess / rows.len() as f64),
            (Prior::Backoff { .. }, Some(Backing { parents, weights, equal })) => {
                let (Some(&place), Some(&weight)) = (parents.last(), weights.last()) else {
                    return all(*equal);
                };
                let states = cpt.parent_states()[place];
                let stride: usize = cpt.parent_states()[place + 1..].iter().product();
                let behind = |j: usize| -> f64 {
                    let first = j - (j / stride) % states * stride;
                    (0..states).map(|s| rows[first + s * stride]).sum()
                };
                (0..rows.len()).map(|j| (rows[j] + weight.min(behind(j))).max(1.0)).collect()
            }
            _ => all(0.0),
        }
    }
}

impl Learned {
    /// The network with tables drawn from what the rows leave open.
    fn drawn(&self, seed: u64, name: &str) -> Result<Network, Error> {
        let schema = self.network.schema();
        let draw = |(v, cpt): (usize, &Cpt)| {
            let mut stream = Stream::new(seed, &format!("{name} {}", schema.name(v)));
            let row = |(row, n): (&[f64], &f64)| {
                let drawn: Vec<f64> = row.iter().map(|p| stream.gamma(p * n)).collect();
                let sum: f64 = drawn.iter().sum();
                if sum > 0.0 { drawn.into_iter().map(|x| x / sum).collect() } else { row.to_vec() }
            };
            let values = cpt.values().chunks_exact(cpt.states()).zip(&self.sure[v]).flat_map(row).collect();
            Cpt::new(schema, v, cpt.parents().to_vec(), values)
        };
        let cpts = self.network.cpts().iter().enumerate().map(draw).collect::<Result<_, Error>>()?;
        Network::new(self.network.name(), schema.clone(), cpts)
    }
}

/// The number below which this share of some lies.
pub(crate) fn point(mut ends: Vec<f64>, share: f64) -> f64 {
    ends.sort_by(f64::total_cmp);
    ends[(share * (ends.len() - 1) as f64).round() as usize]
}
