//! Networks made to be hard: every child is a noisy exclusive or of its parents.
//!
//! ```text
//! variables in a random order; the first third are roots with P(1) = 1/2 + skew·(u − 1/2), u uniform in [0, 1)
//! every other has 2 earlier variables as parents (3 with probability `triples`):
//!     P(1 | parents) = 1 − ε if an odd number of them is 1, else ε,   ε uniform in [noise/2, 3/2·noise)
//! ```
//!
//! With `skew` 0 no two variables have anything to do with each other: whoever looks at pairs sees nothing. With skew a
//! parent is seen as far as the other parent is not balanced.

use clausality_bn::random::Stream;
use clausality_bn::{Cpt, Error, Network, Schema, Variable};
use serde::{Deserialize, Serialize};

/// The shape of a network of noisy exclusive ors.
///
/// | name | default | purpose | range |
/// |---|---|---|---|
/// | `nodes` | 30 | variables | ≥ 1 |
/// | `triples` | 0.25 | probability that a child has three parents and not two | 0 … 1 |
/// | `noise` | 0.1 | mean probability that a child says the opposite | 0 … 0.5 |
/// | `skew` | 0.6 | how far the roots are from balanced | 0 … 1 |
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct XorParams {
    /// Variables.
    pub nodes: usize,
    /// Probability that a child has three parents and not two.
    pub triples: f64,
    /// Mean probability that a child says the opposite.
    pub noise: f64,
    /// How far the roots are from balanced.
    pub skew: f64,
}

impl Default for XorParams {
    fn default() -> Self {
        XorParams { nodes: 30, triples: 0.25, noise: 0.1, skew: 0.6 }
    }
}

/// A random network of noisy exclusive ors; values outside their ranges are brought back into them.
pub fn noisy_xor(params: &XorParams, seed: u64) -> Result<Network, Error> {
    let nodes = params.nodes.max(1);
    let (triples, noise, skew) =
        (params.triples.clamp(0.0, 1.0), params.noise.clamp(0.0, 0.5), params.skew.clamp(0.0, 1.0));
    let mut stream = Stream::new(seed, "noisy xor");
    let width = (nodes - 1).to_string().len();
    let variables = (0..nodes).map(|i| Variable::new(format!("X{i:0width$}"), ["0", "1"])).collect();
    let schema = Schema::new(variables)?;
    let mut order: Vec<usize> = (0..nodes).collect();
    stream.choose(&mut order, nodes);
    let roots = (nodes / 3).max(3).min(nodes);
    let mut cpts: Vec<(usize, Cpt)> = Vec::with_capacity(nodes);
    for (place, &node) in order.iter().enumerate() {
        let count = if place < roots { 0 } else { 2 + usize::from(stream.unit() < triples) };
        let mut parents = order[..place].to_vec();
        stream.choose(&mut parents, count);
        parents.truncate(count);
        let u = stream.unit();
        let wrong = noise * (0.5 + u);
        let root = 0.5 + skew * (u - 0.5);
        let one = |configuration: usize| match (count, configuration.count_ones() % 2) {
            (0, _) => root,
            (_, 1) => 1.0 - wrong,
            _ => wrong,
        };
        let values = (0..1usize << count).flat_map(|c| [1.0 - one(c), one(c)]).collect();
        cpts.push((node, Cpt::new(&schema, node, parents, values)?));
    }
    cpts.sort_by_key(|(node, _)| *node);
    Network::new("noisy-xor", schema, cpts.into_iter().map(|(_, cpt)| cpt).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use clausality_bn::sample;

    #[test]
    fn children_are_exclusive_ors_and_pairs_say_nothing() {
        let network = noisy_xor(&XorParams { skew: 0.0, ..XorParams::default() }, 4).unwrap();
        assert_eq!(network.len(), 30);
        let table = sample(&network, 20_000, 1);
        let bit = |v: usize, row: usize| table.column(v)[row];
        let mut families = 0;
        for child in 0..30 {
            let parents = network.parents(child);
            assert!(matches!(parents.len(), 0 | 2 | 3));
            for &parent in parents {
                let equal = (0..20_000).filter(|&r| bit(child, r) == bit(parent, r)).count();
                assert!(equal.abs_diff(10_000) < 600, "{child} follows {parent} alone: {equal}");
            }
            if !parents.is_empty() {
                let odd = |r: usize| parents.iter().fold(0, |sum, &p| sum ^ bit(p, r));
                let right = (0..20_000).filter(|&r| bit(child, r) == odd(r)).count();
                assert!((16_600..=19_100).contains(&right), "{right}");
                families += 1;
            }
        }
        assert_eq!(families, 20);
    }

    #[test]
    fn any_size_will_do() {
        for nodes in 0..8 {
            let params = XorParams { nodes, triples: 1.0, noise: -1.0, skew: 9.0 };
            assert_eq!(noisy_xor(&params, 1).unwrap().len(), nodes.max(1));
        }
        let default = XorParams::default();
        assert_eq!(noisy_xor(&default, 7).unwrap(), noisy_xor(&default, 7).unwrap());
        assert_ne!(noisy_xor(&default, 7).unwrap(), noisy_xor(&default, 8).unwrap());
    }
}
