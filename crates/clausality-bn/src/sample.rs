//! Rows drawn from a network, parents before children (forward sampling).
//!
//! For every variable `v` and row `i`, with `u_{v,i}` the i-th number of the stream of (seed, name of v) and
//! `F(k | j) = Σ_{l ≤ k} θ_{jl}`: `x_{v,i} = min { k : u_{v,i} < F(k | parents' configuration j) }`.
//!
//! So a sample depends on the seed, the names and the distributions, and on nothing else: neither the order of the
//! variables in the file nor how many rows are drawn at a time. A state of probability zero is never drawn.
//! Columns are filled in blocks that stay in the cache; the cost is one draw per cell.
//!
//! ```
//! use clausality_bn::{io, sample};
//! let text = b"variable A { type discrete [ 2 ] { yes, no }; } probability ( A ) { table 0.25, 0.75; }";
//! let network = io::bif::read(text, &io::Limits::default())?;
//! let table = sample(&network, 1000, 1);
//! assert_eq!(table.rows(), 1000);
//! # Ok::<(), clausality_bn::Error>(())
//! ```

use crate::random::Stream;
use crate::{Cpt, Error, Network, Table};

/// Rows worked on together: the columns of a large network's block still fit in the second-level cache.
const BLOCK: usize = 2048;

/// From this many states on, halving beats comparing with every bound.
const MANY_STATES: usize = 16;

/// Draws `rows` rows from the network.
pub fn sample(network: &Network, rows: usize, seed: u64) -> Table {
    Sampler::new(network, seed).draw(rows)
}

/// The same, which `stop` is asked about in every block of rows.
///
/// # Errors
/// [`Error::Stopped`] after a yes.
pub fn sample_unless(
    network: &Network,
    rows: usize,
    seed: u64,
    stop: &dyn Fn() -> bool,
) -> Result<Table, Error> {
    Sampler::new(network, seed).draw_unless(rows, stop)
}

/// Draws rows piece by piece; the pieces in a row are the same rows as one large piece.
#[derive(Debug, Clone)]
pub struct Sampler<'n> {
    network: &'n Network,
    order: Vec<usize>,
    nodes: Vec<Node>,
}

/// What is needed to draw one variable.
#[derive(Debug, Clone)]
struct Node {
    stream: Stream,
    /// `states − 1` upper bounds per parent configuration; the last state has none.
    bounds: Vec<f64>,
    states: usize,
}

impl<'n> Sampler<'n> {
    /// A sampler at its first row.
    pub fn new(network: &'n Network, seed: u64) -> Self {
        let node = |(v, cpt): (usize, &Cpt)| Node {
            stream: Stream::new(seed, network.schema().name(v)),
            bounds: bounds(cpt),
            states: cpt.states(),
        };
        let nodes = network.cpts().iter().enumerate().map(node).collect();
        Sampler { network, order: network.dag().topological_order(), nodes }
    }

    /// The next `rows` rows.
    pub fn draw(&mut self, rows: usize) -> Table {
        let columns = self.columns(rows, &|| false).unwrap_or_default();
        Table::trusted(self.network.schema().clone(), columns, rows)
    }

    /// The same, which `stop` is asked about in every block of rows. After a yes the sampler is at no row in particular.
    ///
    /// # Errors
    /// [`Error::Stopped`] after a yes.
    pub fn draw_unless(&mut self, rows: usize, stop: &dyn Fn() -> bool) -> Result<Table, Error> {
        let columns = self.columns(rows, stop).ok_or(Error::Stopped)?;
        Ok(Table::trusted(self.network.schema().clone(), columns, rows))
    }

    /// The codes of the next rows; nothing after a yes.
    fn columns(&mut self, rows: usize, stop: &dyn Fn() -> bool) -> Option<Vec<Vec<u8>>> {
        let mut columns = vec![vec![0u8; rows]; self.network.len()];
        let mut configurations = vec![0usize; BLOCK.min(rows)];
        for start in (0..rows).step_by(BLOCK) {
            if stop() {
                return None;
            }
            let end = rows.min(start + BLOCK);
            for &v in &self.order {
                let cpt = self.network.cpt(v);
                let configurations = &mut configurations[..end - start];
                configurations.fill(0);
                for (&parent, &states) in cpt.parents().iter().zip(cpt.parent_states()) {
                    for (j, &code) in configurations.iter_mut().zip(&columns[parent][start..end]) {
                        *j = *j * states + usize::from(code);
                    }
                }
                self.nodes[v].draw(configurations, &mut columns[v][start..end]);
            }
        }
        Some(columns)
    }
}

impl Node {
    fn draw(&mut self, configurations: &[usize], column: &mut [u8]) {
        let width = self.states - 1;
        let stream = &mut self.stream;
        let cells = column.iter_mut().zip(configurations);
        match width {
            1 => cells.for_each(|(cell, &j)| *cell = u8::from(stream.unit() >= self.bounds[j])),
            _ if self.states < MANY_STATES => cells.for_each(|(cell, &j)| {
                let u = stream.unit();
                let row = &self.bounds[j * width..][..width];
                *cell = row.iter().map(|&bound| u8::from(u >= bound)).sum();
            }),
            _ => cells.for_each(|(cell, &j)| {
                let u = stream.unit();
                let row = &self.bounds[j * width..][..width];
                *cell = row.partition_point(|&bound| u >= bound) as u8;
            }),
        }
    }
}

fn bounds(cpt: &Cpt) -> Vec<f64> {
    let states = cpt.states();
    let mut out = Vec::with_capacity(cpt.configurations() * (states - 1));
    for row in cpt.values().chunks_exact(states) {
        // Rounding may leave the sum short of one: the last state that can occur takes what is left.
        let last = row.iter().rposition(|&p| p > 0.0).unwrap_or(states - 1);
        let mut sum = 0.0;
        for (k, p) in row[..states - 1].iter().enumerate() {
            sum += p;
            out.push(if k >= last { 1.0 } else { sum });
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Schema, Variable};

    fn network(names: [&str; 3]) -> Network {
        // The same three variables, listed in any order.
        let states = |n: &str| if n == "c" { vec!["x", "y", "z"] } else { vec!["t", "f"] };
        let schema = Schema::new(names.map(|n| Variable::new(n, states(n))).to_vec()).unwrap();
        let at = |n: &str| schema.index(n).unwrap();
        let cpts = names.map(|n| match n {
            "a" => Cpt::new(&schema, at("a"), vec![], vec![0.3, 0.7]),
            "b" => Cpt::new(&schema, at("b"), vec![at("a")], vec![0.9, 0.1, 0.0, 1.0]),
            _ => Cpt::new(
                &schema,
                at("c"),
                vec![at("a"), at("b")],
                vec![0.2, 0.3, 0.5, 0.0, 1.0, 0.0, 0.5, 0.5, 0.0, 0.1, 0.1, 0.8],
            ),
        });
        Network::new("t", schema.clone(), cpts.into_iter().map(Result::unwrap).collect()).unwrap()
    }

    #[test]
    fn frequencies_follow_the_tables() {
        let rows = 200_000;
        let table = sample(&network(["a", "b", "c"]), rows, 3);
        let share = |hit: &dyn Fn(u8, u8, u8) -> bool| {
            let cells = table.column(0).iter().zip(table.column(1)).zip(table.column(2));
            cells.filter(|((a, b), c)| hit(**a, **b, **c)).count() as f64 / rows as f64
        };
        let near = |got: f64, want: f64| assert!((got - want).abs() < 0.006, "{got} where {want} is right");
        near(share(&|a, _, _| a == 0), 0.3);
        near(share(&|a, b, _| a == 0 && b == 0), 0.27);
        near(share(&|a, b, c| a == 0 && b == 0 && c == 1), 0.27 * 0.3);
        near(share(&|a, b, c| a == 1 && b == 1 && c == 2), 0.56);
        assert_eq!(share(&|a, b, _| a == 1 && b == 0), 0.0, "a state of probability zero is never drawn");
        assert_eq!(share(&|a, b, c| a == 0 && b == 1 && c != 1), 0.0);
    }

    #[test]
    fn the_order_of_variables_leaves_no_trace() {
        let one = sample(&network(["a", "b", "c"]), 5000, 9);
        let two = sample(&network(["c", "a", "b"]), 5000, 9);
        for name in ["a", "b", "c"] {
            let column = |t: &Table| t.column(t.schema().index(name).unwrap()).to_vec();
            assert_eq!(column(&one), column(&two), "{name}");
        }
        assert_ne!(one, sample(&network(["a", "b", "c"]), 5000, 10));
    }

    #[test]
    fn pieces_join_to_the_whole() {
        let network = network(["a", "b", "c"]);
        let whole = sample(&network, 5000, 4);
        let mut sampler = Sampler::new(&network, 4);
        let pieces: Vec<Table> = [1, 2047, 0, 2952].map(|n| sampler.draw(n)).to_vec();
        for v in 0..3 {
            let joined: Vec<u8> = pieces.iter().flat_map(|t| t.column(v).to_vec()).collect();
            assert_eq!(joined, whole.column(v));
        }
    }

    #[test]
    fn drawing_ends_at_the_next_block_when_it_is_called_off() {
        use std::cell::Cell;
        let (network, asked) = (network(["a", "b", "c"]), Cell::new(0));
        let third = || asked.replace(asked.get() + 1) == 2;
        assert!(matches!(sample_unless(&network, 100 * BLOCK, 4, &third), Err(Error::Stopped)));
        assert_eq!(asked.get(), 3);
        assert_eq!(sample_unless(&network, 5000, 4, &|| false).unwrap(), sample(&network, 5000, 4));
    }

    #[test]
    fn every_way_of_drawing_agrees() {
        // Forty states, by halving, against the definition.
        let schema = Schema::new(vec![Variable::new("v", (0..40).map(|i| i.to_string()))]).unwrap();
        let mut values: Vec<f64> = (0..40).map(|k| if k % 7 == 0 { 0.0 } else { 1.0 }).collect();
        values[39] = 0.0;
        let total: f64 = values.iter().sum();
        values.iter_mut().for_each(|p| *p /= total);
        let cpt = Cpt::new(&schema, 0, vec![], values.clone()).unwrap();
        let table = sample(&Network::new("t", schema, vec![cpt]).unwrap(), 20_000, 1);
        let mut stream = Stream::new(1, "v");
        for &code in table.column(0) {
            let u = stream.unit();
            let mut sum = 0.0;
            let spec = values.iter().position(|p| {
                sum += p;
                u < sum
            });
            assert_eq!(usize::from(code), spec.unwrap_or(38));
            assert!(values[usize::from(code)] > 0.0);
        }
    }
}
