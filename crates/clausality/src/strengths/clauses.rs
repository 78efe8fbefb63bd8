//! The clauses of one machine that speak best.
//!
//! A clause speaks for the class it gives its largest positive weight w. How much it matters there is
//!
//! ```text
//! w · (P(clause | class) − P(clause | other classes))
//! ```
//!
//! counted on the judged rows, so that a clause about a rare class is not drowned by the common ones. Literals that gain
//! nothing in their clause (module `gain`) are left out of it.

use super::gain::Columns;
use super::task::Spoken;
use crate::encode::{Encoding, Layout};
use clausality_tm::ClauseSet;

/// Clauses kept of one fit.
pub(super) const PER_FIT: usize = 24;

/// The best clauses of a fit. `classes` are the classes that the machine knows, `present` those of the judged rows.
pub(super) fn best(
    clauses: &ClauseSet,
    layout: &Layout,
    encoding: &Encoding,
    columns: &Columns<'_>,
    classes: &[u8],
    present: &[u8],
) -> Vec<Spoken> {
    let own = columns.own.rows();
    let readable = |&j: &usize| clauses.literals(j).last().is_some_and(|&l| (l as usize) < own);
    let speaks = |clause: usize| {
        let weight = |k: usize| clauses.weight(k, clause);
        let k = (1..classes.len()).fold(0, |best, k| if weight(k) > weight(best) { k } else { best });
        let votes = u64::try_from(weight(k)).ok()?;
        let place = present.iter().position(|c| *c == classes[k])?;
        let score = votes as f64 * contrast(&columns.coverage(clauses.literals(clause)), columns.ends, place);
        (score > 0.0).then(|| Spoken {
            literals: clauses.literals(clause).to_vec(),
            class: classes[k],
            weights: (0..).zip(classes).map(|(k, &class)| (class, weight(k))).collect(),
            score,
        })
    };
    let mut found: Vec<Spoken> = (0..clauses.len()).filter(readable).filter_map(speaks).collect();
    found.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| a.literals.cmp(&b.literals)));
    found.truncate(PER_FIT);
    for clause in &mut found {
        let literals = columns.essential(&clause.literals, layout);
        clause.literals = literals.iter().map(|&l| layout.number(encoding, l as usize) as u32).collect();
    }
    found
}

/// P(clause | class) − P(clause | other classes).
fn contrast(coverage: &[u32], ends: &[usize], class: usize) -> f64 {
    let start = if class == 0 { 0 } else { ends[class - 1] };
    let own = (ends[class] - start) as f64;
    let others = ends.last().map_or(0.0, |&n| n as f64) - own;
    let inside = f64::from(coverage[class]);
    let outside = f64::from(coverage.iter().sum::<u32>()) - inside;
    if own == 0.0 || others == 0.0 { 0.0 } else { inside / own - outside / others }
}
