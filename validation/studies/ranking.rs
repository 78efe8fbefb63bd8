//! How well a ranking of pairs puts the true ones first, for studies.
//!
//! Average precision: all unordered pairs of variables are ranked, and the true pairs (neighbours, or members of each other's Markov
//! blanket) are what should come first: the mean over the true pairs of the share of true pairs down to each. Equals are ranked by name.

use clausality::Strengths;
use clausality::bn::Network;

/// Whether each is in the other's Markov blanket.
pub(crate) fn in_blanket(truth: &Network, a: usize, b: usize) -> bool {
    let dag = truth.dag();
    dag.adjacent(a, b) || dag.children(a).iter().any(|&child| dag.has(b, child))
}

/// How strongly two variables of a network are bound in what was measured.
pub(crate) fn bond(truth: &Network, found: &Strengths, a: usize, b: usize) -> f64 {
    found.bond(truth.schema().name(a), truth.schema().name(b))
}

/// Average precision of a ranking of all pairs.
pub(crate) fn precision(
    truth: &Network,
    is_true: impl Fn(usize, usize) -> bool,
    value: impl Fn(usize, usize) -> f64,
) -> f64 {
    let name = |v: usize| truth.schema().name(v);
    let pairs = (0..truth.len()).flat_map(|a| (a + 1..truth.len()).map(move |b| (a, b)));
    let mut ranked: Vec<(f64, (usize, usize))> = pairs.map(|(a, b)| (value(a, b), (a, b))).collect();
    ranked.sort_by(|x, y| {
        let names = |(a, b): (usize, usize)| (name(a).min(name(b)), name(a).max(name(b)));
        y.0.total_cmp(&x.0).then_with(|| names(x.1).cmp(&names(y.1)))
    });
    let (mut hits, mut sum) = (0, 0.0);
    for (i, (_, (a, b))) in ranked.iter().enumerate() {
        if is_true(*a, *b) {
            hits += 1;
            sum += hits as f64 / (i + 1) as f64;
        }
    }
    sum / hits.max(1) as f64
}

/// Mean ± standard deviation.
pub(crate) fn spread(values: &[f64], digits: usize) -> String {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let variance = values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / (n - 1.0).max(1.0);
    format!("{mean:.digits$} ± {:.digits$}", variance.sqrt())
}
