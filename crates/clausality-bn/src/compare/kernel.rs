//! Two similarities of graphs, both 1 for equal graphs and 0 where nothing agrees.
//!
//! ```text
//! J(A, B) = |A ∩ B| / |A ∪ B|
//! s₀(v)   = mean of J(In(v), In′(v)) and J(Out(v), Out′(v)), without a side that is empty in both graphs
//! s(v)    = ½ s₀(v) + ½ mean of s₀(u) over the u adjacent to v in either graph
//! N       = mean of s over the nodes that have an arc in either graph or stand in one graph only
//! E       = (arcs alike + ½ arcs turned) / adjacencies of either graph
//! K       = ½ (N + E)
//! k(G, H) = Σ_l λ^(l−1) 1ᵀ (A ∘ B)^l 1,  λ = ½,  normalised by √(k(G, G) k(H, H))       (A, B adjacency matrices)
//! ```
//! Implements: the project's own similarity `K`, and the walk kernel of Vishwanathan et al. (2010) restricted to nodes
//! of the same name: it counts the directed walks that both graphs have.
//!
//! **Our reading.** Two graphs without arcs: 1 if they have the same nodes, else 0. A node that only one graph has and
//! that is isolated there has `s₀ = 0`: there is nothing on either side to compare, and it is not shared.

use super::{Pair, Side};
use crate::Dag;

/// The similarity `K`.
pub(super) fn similarity(pair: &Pair) -> f64 {
    let (t, l) = (&pair.truth, &pair.learned);
    if t.arc_count() + l.arc_count() == 0 {
        return f64::from(u8::from(pair.same_nodes()));
    }
    let nodes = 0..pair.side.len();
    let local: Vec<Option<f64>> = nodes.clone().map(|v| node_similarity(pair, v)).collect();
    let mut total = 0.0;
    let mut counted = 0usize;
    for v in nodes {
        let Some(own) = local[v] else { continue };
        let around = neighbours(t, l, v);
        // Whoever is adjacent to a node has an arc, and so a similarity.
        let sum: f64 = around.iter().map(|&u| local[u].unwrap_or(0.0)).sum();
        let mean = if around.is_empty() { own } else { sum / around.len() as f64 };
        total += 0.5 * own + 0.5 * mean;
        counted += 1;
    }
    0.5 * (total / counted as f64 + arc_similarity(t, l))
}

/// `s₀`, or nothing for a node that both graphs have and neither joins to another.
fn node_similarity(pair: &Pair, v: usize) -> Option<f64> {
    let incoming = jaccard(pair.truth.parents(v), pair.learned.parents(v));
    let outgoing = jaccard(pair.truth.children(v), pair.learned.children(v));
    match (incoming, outgoing) {
        (Some(a), Some(b)) => Some(0.5 * (a + b)),
        (None, None) => (pair.side[v] != Side::Both).then_some(0.0),
        (one, other) => one.or(other),
    }
}

/// The Jaccard index of two ascending lists; nothing if both are empty.
fn jaccard(a: &[usize], b: &[usize]) -> Option<f64> {
    let common = a.iter().filter(|x| b.binary_search(x).is_ok()).count();
    let either = a.len() + b.len() - common;
    (either > 0).then(|| common as f64 / either as f64)
}

fn neighbours(t: &Dag, l: &Dag, v: usize) -> Vec<usize> {
    let mut all: Vec<usize> =
        [t.parents(v), t.children(v), l.parents(v), l.children(v)].into_iter().flatten().copied().collect();
    all.sort_unstable();
    all.dedup();
    all
}

fn arc_similarity(t: &Dag, l: &Dag) -> f64 {
    let alike = l.arcs().filter(|&(p, c)| t.has(p, c)).count();
    let turned = l.arcs().filter(|&(p, c)| t.has(c, p)).count();
    let either = t.arc_count() + l.arc_count() - alike - turned;
    (alike as f64 + 0.5 * turned as f64) / either as f64
}

/// The normalised walk kernel.
pub(super) fn walks(pair: &Pair) -> f64 {
    let (t, l) = (&pair.truth, &pair.learned);
    if t.arc_count() + l.arc_count() == 0 {
        return f64::from(u8::from(pair.same_nodes()));
    }
    if t.arc_count() == 0 || l.arc_count() == 0 {
        return 0.0;
    }
    let (common, truth, learned) = (count_walks(t, l), count_walks(t, t), count_walks(l, l));
    if common.value == 0.0 {
        return 0.0;
    }
    let ratio = (common.value / truth.value) * (common.value / learned.value);
    let shift = 2 * common.exponent - truth.exponent - learned.exponent;
    // The kernel of the common part is the smallest of the three: the shift is never above 0.
    let ratio = ratio * f64::powi(0.5, -shift.clamp(-1_000_000, 0));
    ratio.sqrt().min(1.0)
}

/// `value × 2^exponent`: dense graphs have more walks than a double can count.
struct Walks {
    value: f64,
    exponent: i32,
}

/// `Σ_l λ^(l−1) 1ᵀ (A ∘ B)^l 1`: with `w(v) = Σ_c (1 + λ w(c))` over the common children, the sum of all `w`.
fn count_walks(a: &Dag, b: &Dag) -> Walks {
    const LARGE: f64 = 1e150;
    const STEP: i32 = 500;
    let shrink = f64::powi(0.5, STEP);
    let mut from = vec![0.0; a.len()];
    let mut one = 1.0;
    let mut total = 0.0;
    let mut exponent = 0;
    for &v in a.topological_order().iter().rev() {
        let common = a.children(v).iter().filter(|&&c| b.has(v, c));
        from[v] = common.map(|&c| one + 0.5 * from[c]).sum();
        total += from[v];
        if total > LARGE {
            from.iter_mut().chain([&mut total, &mut one]).for_each(|x| *x *= shrink);
            exponent += STEP;
        }
    }
    Walks { value: total, exponent }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn walks_beyond_the_range_of_a_double_still_compare() {
        let nodes = 4000;
        let full =
            Dag::from_arcs(nodes, (0..nodes).flat_map(|c| (c.saturating_sub(8)..c).map(move |p| (p, c))))
                .unwrap();
        let many = count_walks(&full, &full);
        assert!(many.exponent > 1000 && many.value.is_finite());
        let mut less = full.clone();
        less.remove(nodes - 2, nodes - 1);
        let side = vec![Side::Both; nodes];
        let names: Vec<String> = (0..nodes).map(|i| i.to_string()).collect();
        let pair = |truth: &Dag, learned: &Dag| Pair {
            names: names.clone(),
            side: side.clone(),
            truth: truth.clone(),
            learned: learned.clone(),
        };
        assert_eq!(walks(&pair(&full, &full)), 1.0);
        let near = walks(&pair(&full, &less));
        assert!(near > 0.5 && near < 1.0, "{near}");
    }

    #[test]
    fn the_walk_sum_is_that_of_matrix_powers() {
        let a = Dag::from_arcs(6, [(0, 1), (1, 2), (0, 2), (2, 3), (3, 4), (1, 4), (4, 5)]).unwrap();
        let b = Dag::from_arcs(6, [(0, 1), (1, 2), (2, 3), (3, 4), (4, 1 + 4), (0, 5)]).unwrap();
        let entry = |i: usize, j: usize| f64::from(u8::from(a.has(i, j) && b.has(i, j)));
        let mut power: Vec<f64> = (0..36).map(|k| entry(k / 6, k % 6)).collect();
        let mut sum = 0.0;
        for l in 1..=6 {
            sum += f64::powi(0.5, l - 1) * power.iter().sum::<f64>();
            power = (0..36).map(|k| (0..6).map(|m| power[k / 6 * 6 + m] * entry(m, k % 6)).sum()).collect();
        }
        let walks = count_walks(&a, &b);
        assert!((walks.value - sum).abs() < 1e-12 && walks.exponent == 0);
    }
}
