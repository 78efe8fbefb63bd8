//! Series drawn from a network over time, step after step.
//!
//! The start is drawn like a row of its network ([`crate::Sampler`]); then every process draws from the stream of (seed, its name), in the order
//! of series and steps. So a sample depends on the seed, the names, the distributions and the number of steps alone, and the first series
//! are the same however many follow.

use super::{DynamicNetwork, Place};
use crate::random::Stream;
use crate::{Error, Sampler, Schema, Table};

/// Draws one series after the other.
#[derive(Debug, Clone)]
pub struct SeriesSampler<'n> {
    network: &'n DynamicNetwork,
    schema: Schema,
    start: Sampler<'n>,
    streams: Vec<Stream>,
    /// The processes, within a step parents first.
    order: Vec<usize>,
}

impl<'n> SeriesSampler<'n> {
    /// A sampler at its first series.
    ///
    /// # Errors
    /// None: the names of a sound network differ.
    pub fn new(network: &'n DynamicNetwork, seed: u64) -> Result<Self, Error> {
        let variables = network.statics().variables().iter().chain(network.processes().variables());
        let before = network.window().len() - network.processes().len();
        let order = network.window().dag().topological_order();
        Ok(SeriesSampler {
            network,
            schema: Schema::new(variables.cloned().collect())?,
            start: Sampler::new(network.start(), seed),
            streams: network.processes().variables().iter().map(|v| Stream::new(seed, &v.name)).collect(),
            order: order.into_iter().filter_map(|node| node.checked_sub(before)).collect(),
        })
    }

    /// The columns of every series: the statics, then the processes.
    pub fn schema(&self) -> &Schema {
        &self.schema
    }

    /// The next series: a row for each of `steps` steps, in which the statics repeat.
    pub fn draw(&mut self, steps: usize) -> Table {
        let (statics, processes) = (self.network.statics().len(), self.network.processes().len());
        let first = self.start.draw(1);
        let mut columns: Vec<Vec<u8>> = vec![vec![0; steps]; statics + processes];
        for (v, column) in columns[..statics].iter_mut().enumerate() {
            column.fill(first.column(v)[0]);
        }
        for (p, column) in columns[statics..].iter_mut().enumerate() {
            for (t, cell) in column.iter_mut().take(self.network.order()).enumerate() {
                *cell = first.column(statics + t * processes + p)[0];
            }
        }
        for t in self.network.order()..steps {
            for &p in &self.order {
                let cpt = self.network.transition(p);
                let code = |&parent: &usize| match self.network.window_place(parent) {
                    Place::Static(v) => columns[v][t],
                    Place::Process(q, lag) => columns[statics + q][t - lag],
                };
                let codes: Vec<u8> = cpt.parents().iter().map(code).collect();
                let drawn = drawn(cpt.row(cpt.configuration(&codes)), self.streams[p].unit());
                columns[statics + p][t] = drawn;
            }
        }
        Table::trusted(self.schema.clone(), columns, steps)
    }
}

/// The first state whose cumulative probability is over `unit`; never one of probability 0.
pub(crate) fn drawn(chances: &[f64], unit: f64) -> u8 {
    let mut sum = 0.0;
    for (state, &p) in chances.iter().enumerate() {
        sum += p;
        if unit < sum {
            return state as u8;
        }
    }
    chances.iter().rposition(|&p| p > 0.0).unwrap_or(0) as u8
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dynamic::weather;
    use crate::infer::{Evidence, Infer};

    #[test]
    fn frequencies_are_those_of_the_steps_written_out() {
        let network = weather();
        let long = network.unroll(6).unwrap();
        let right = Infer::new(long.clone()).posteriors(&Evidence::new(&long)).unwrap();
        let mut sampler = SeriesSampler::new(&network, 5).unwrap();
        let series = 20_000;
        let mut counts = vec![vec![0u32; 3]; long.len()];
        for _ in 0..series {
            let table = sampler.draw(6);
            counts[0][usize::from(table.column(0)[0])] += 1;
            for t in 0..6 {
                for p in 0..2 {
                    counts[1 + t * 2 + p][usize::from(table.column(1 + p)[t])] += 1;
                }
            }
        }
        for (counts, right) in counts.iter().zip(&right.probabilities) {
            for (&count, right) in counts.iter().zip(right) {
                let share = f64::from(count) / f64::from(series);
                // Five standard deviations of a share of 20,000 are below 0.018.
                assert!((share - right).abs() < 0.018, "{share} where {right} is right");
            }
        }
    }

    #[test]
    fn the_first_series_are_the_same_however_many_follow() {
        let network = weather();
        let draw = |seed, series: usize| {
            let mut sampler = SeriesSampler::new(&network, seed).unwrap();
            (0..series).map(|_| sampler.draw(9)).collect::<Vec<_>>()
        };
        assert_eq!(draw(1, 3), draw(1, 5)[..3]);
        assert_ne!(draw(1, 3), draw(2, 3));
        assert_eq!(SeriesSampler::new(&network, 1).unwrap().draw(1).rows(), 1);
    }
}
