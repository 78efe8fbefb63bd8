//! Gaps that hang together, solved by a junction tree of their own. Variables are summed out one after the other (buckets), and what came
//! after is brought back:
//!
//! ```text
//! clique_i(x_i, s) = Π factors and messages whose first variable is i;     message_i(s) = Σ_{x_i} clique_i(x_i, s)
//! belief_i(x_i, s) = clique_i(x_i, s) · belief(s) / message_i(s),          belief(s) from the bucket that the message went to
//! ```

use crate::math::ln;
use crate::random::Stream;
use crate::{Error, Network};

/// Messages below this are scaled up.
const SMALL: f64 = 1e-150;
/// By so much: a power of two, so that no digit is lost.
const SCALE: f64 = f64::from_bits((1023 + 500) << 52);
const LN_SCALE: f64 = 500.0 * std::f64::consts::LN_2;

/// The parents of a node in the order of its table, and the node.
pub(super) fn family(network: &Network, node: usize) -> Vec<usize> {
    network.cpt(node).parents().iter().copied().chain([node]).collect()
}

/// Variables that are missing together and share families.
#[derive(Debug)]
pub(super) struct Component {
    /// In the order in which they are summed out.
    pub(super) variables: Vec<usize>,
    states: Vec<usize>,
    /// The others of their families.
    pub(super) around: Vec<usize>,
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
pub(super) struct Scratch {
    cliques: Vec<Vec<f64>>,
    messages: Vec<Vec<f64>>,
    bases: Vec<usize>,
    shared: Vec<f64>,
}

impl Component {
    /// The nodes whose tables say something about its variables.
    pub(super) fn touched(&self) -> impl Iterator<Item = usize> + '_ {
        self.factors.iter().map(|factor| factor.node)
    }

    pub(super) fn new(network: &Network, part: &[usize], limit: u64) -> Result<Self, Error> {
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
    pub(super) fn collect(&self, network: &Network, around: &[u8], scratch: &mut Scratch) -> Option<f64> {
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
    pub(super) fn distribute(
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
    pub(super) fn draw(
        &self,
        Scratch { cliques, .. }: &Scratch,
        stream: &mut Stream,
        states: &mut Vec<usize>,
    ) {
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
