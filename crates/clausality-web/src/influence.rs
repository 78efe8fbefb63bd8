//! How much a parent moves its child: the width of an arc where no run says what it is worth.
//!
//! ```text
//! influence(p, c) = mean over u of  max over a, b of  ½ Σ_s |P(c = s | p = a, u) − P(c = s | p = b, u)|
//! ```
//!
//! with `u` over all states of the other parents, each counting alike, `a` and `b` over the states of `p`. 0: the parent
//! changes nothing; 1: it can always turn the child from one certain state to another.
//!
//! Implements: the strength of influence of Koiter 2006 (*Visualizing inference in Bayesian networks*) with the total variation as
//! distance. **Our reading**: the largest distance between two states of the parent, as the mean hides a rare state
//! that decides all.

use clausality::bn::Network;

/// Pairs of parent states are looked at one by one up to this many cells; wider tables are read every so many configurations.
const CELLS: usize = 1 << 20;

/// The influence of a parent on its child; 0 where there is no arc.
pub(crate) fn influence(network: &Network, parent: usize, child: usize) -> f64 {
    let cpt = network.cpt(child);
    let Some(place) = cpt.parents().iter().position(|&p| p == parent) else { return 0.0 };
    let states = cpt.parent_states()[place];
    // Configurations that differ only in this parent lie `inner` apart.
    let inner: usize = cpt.parent_states()[place + 1..].iter().product();
    let others = cpt.configurations() / states;
    let every = (cpt.values().len().saturating_mul(states) / CELLS).max(1);
    let (mut sum, mut count) = (0.0, 0.0);
    for u in (0..others).step_by(every) {
        let first = u / inner * inner * states + u % inner;
        let mut largest = 0.0f64;
        for a in 0..states {
            for b in 0..a {
                let (a, b) = (cpt.row(first + a * inner), cpt.row(first + b * inner));
                let distance: f64 = a.iter().zip(b).map(|(x, y)| (x - y).abs()).sum();
                largest = largest.max(distance / 2.0);
            }
        }
        sum += largest;
        count += 1.0;
    }
    f64::min(sum / count, 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use clausality::bn::io::{Limits, bif};

    #[test]
    fn deciding_parents_count_one_and_idle_ones_nothing() {
        let text = b"variable A { type discrete [ 2 ] { x, y }; } variable B { type discrete [ 3 ] { p, q, r }; }
            variable C { type discrete [ 2 ] { x, y }; }
            probability ( A ) { table 0.5, 0.5; } probability ( B ) { table 0.2, 0.3, 0.5; }
            probability ( C | A, B ) { (x, p) 1, 0; (x, q) 1, 0; (x, r) 1, 0; (y, p) 0, 1; (y, q) 0, 1; (y, r) 0.5, 0.5; }";
        let network = bif::read(text, &Limits::default()).unwrap();
        assert!((influence(&network, 0, 2) - 2.5 / 3.0).abs() < 1e-12);
        assert!((influence(&network, 1, 2) - 0.25).abs() < 1e-12);
        assert_eq!(influence(&network, 0, 1), 0.0);
    }
}
