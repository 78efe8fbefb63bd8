//! How many rows BDeu's prior should weigh, from the table itself.
//!
//! ```text
//! ess* = argmax over ess in {1, 2, 4} of Σ_v BDeu_ess(v | parent of v),   parent of v = the best single one, or none, under ess 2
//! ```
//!
//! Tables that are near certain (asia, win95pts) are most probable under a small prior, those that are not under a larger one.
//! The whole network would choose much the same and is not known yet. More than four would often be chosen, and adds arcs
//! that are not there (`docs/paper-map.md`).

use super::ground::{Ground, thinned};
use crate::Error;
use crate::watch::Watch;
use clausality_bn::random::Stream;
use clausality_bn::{Score, Table};

/// What there is to choose from; parents are picked under the second.
const CHOICES: [f64; 3] = [1.0, 2.0, 4.0];
/// Variables that are asked, at most.
const ASKED: usize = 60;

/// The equivalent sample size that suits a table.
///
/// # Errors
/// [`Error::Cancelled`] if whoever watches calls it off.
pub fn equivalent_sample_size(table: &Table, watch: &dyn Watch) -> Result<f64, Error> {
    let part = thinned(table, &mut Stream::new(0, "rows for the prior"));
    let ground = Ground::new(part.as_ref().unwrap_or(table));
    let mut families = CHOICES.map(|ess| ground.families(Score::Bdeu { ess }, 0.0, watch));
    let mut sums = CHOICES.map(|_| 0.0);
    let all: Vec<u32> = (0..ground.len() as u32).collect();
    for node in (0..ground.len()).step_by(ground.len().div_ceil(ASKED).max(1)) {
        let (mut best, figures) = families[1].expand(node, &[], &all)?;
        let mut parent = vec![];
        for (&candidate, &figure) in all.iter().zip(&figures) {
            if figure.score > best.score {
                (best, parent) = (figure, vec![candidate]);
            }
        }
        for (sum, families) in sums.iter_mut().zip(&mut families) {
            *sum += families.expand(node, &parent, &[])?.0.score;
        }
    }
    let best = (1..CHOICES.len()).fold(0, |best, i| if sums[i] > sums[best] { i } else { best });
    Ok(CHOICES[best])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::watch::Unwatched;
    use crate::{bn, embedded};

    #[test]
    fn near_certain_tables_ask_for_a_small_prior() {
        let table = |name: &str| bn::sample(&embedded::network(name).unwrap(), 5000, 1);
        let of = |name: &str| equivalent_sample_size(&table(name), &Unwatched).unwrap();
        assert_eq!(["asia", "insurance", "alarm", "hepar2"].map(of), [1.0, 2.0, 4.0, 4.0]);
    }
}
