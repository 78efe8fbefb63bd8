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

use clausality_bn::Network;

/// Pairs of parent states are looked at one by one up to this many cells; of wider tables a part of the configurations is read.
const CELLS: usize = 1 << 20;

/// The influence of a parent on its child; 0 where there is no arc.
pub fn influence(network: &Network, parent: usize, child: usize) -> f64 {
    influence_within(network, parent, child, CELLS)
}

fn influence_within(network: &Network, parent: usize, child: usize, cells: usize) -> f64 {
    let cpt = network.cpt(child);
    let Some(place) = cpt.parents().iter().position(|&p| p == parent) else { return 0.0 };
    let states = cpt.parent_states()[place];
    // Configurations that differ only in this parent lie `inner` apart.
    let inner: usize = cpt.parent_states()[place + 1..].iter().product();
    let others = cpt.configurations() / states;
    let part = others / (cpt.values().len().saturating_mul(states) / cells).max(1);
    let (mut sum, mut count) = (0.0, 0.0);
    for u in spread(others, part.max(1)) {
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

/// So many different numbers below `all`, evenly spread. Steps of one length would meet only some of the other parents' states
/// where the length and the number of states have a common factor: this one has none with `all`, and is near the golden section.
fn spread(all: usize, count: usize) -> impl Iterator<Item = usize> {
    let golden = (all as f64 * 0.618_033_988_749_895) as usize;
    let step = (golden.max(1)..).find(|&step| common_divisor(step, all) == 1).unwrap_or(1);
    std::iter::successors(Some(0), move |&u| Some((u + step) % all)).take(count)
}

fn common_divisor(a: usize, b: usize) -> usize {
    if b == 0 { a } else { common_divisor(b, a % b) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clausality_bn::io::{Limits, bif};

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
    #[test]
    fn a_part_of_the_table_meets_every_state_of_the_other_parents() {
        for all in [1, 2, 3, 4, 6, 16, 30, 360, 1 << 12] {
            let mut everything: Vec<usize> = spread(all, all).collect();
            everything.sort_unstable();
            assert_eq!(everything, (0..all).collect::<Vec<_>>());
        }
        let bits = 1 << 12;
        let part: Vec<usize> = spread(bits, bits / 16).collect();
        for bit in 0..12 {
            let set = part.iter().filter(|&u| u >> bit & 1 == 1).count() as f64 / part.len() as f64;
            assert!((set - 0.5).abs() < 0.1, "bit {bit} is set in {set} of the part");
        }
    }

    #[test]
    fn a_part_of_the_table_tells_about_the_same_as_all_of_it() {
        // A decides D, but only where the last of the other parents is y.
        let mut text = String::new();
        for name in ["A", "B", "C", "E", "F", "D"] {
            text.push_str(&format!("variable {name} {{ type discrete [ 2 ] {{ x, y }}; }}\n"));
            if name != "D" {
                text.push_str(&format!("probability ( {name} ) {{ table 0.5, 0.5; }}\n"));
            }
        }
        text.push_str("probability ( D | A, B, C, E, F ) {\n");
        let letter = |row: usize, bit: usize| if row >> bit & 1 == 1 { "y" } else { "x" };
        for row in 0..32 {
            let codes = [4, 3, 2, 1, 0].map(|bit| letter(row, bit)).join(", ");
            let shares = if row & 17 == 17 { "0, 1" } else { "1, 0" };
            text.push_str(&format!("({codes}) {shares};\n"));
        }
        let network = bif::read((text + "}").as_bytes(), &Limits::default()).unwrap();
        assert_eq!(influence(&network, 0, 5), 0.5);
        for cells in [64, 32, 16] {
            assert_eq!(influence_within(&network, 0, 5, cells), 0.5, "{cells}");
        }
    }
}
