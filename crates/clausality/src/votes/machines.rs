//! Conjunctions for a classifier: clauses of machines that are trained where single columns leave the class open.
//!
//! ```text
//! rows ──(columns alone, ridge 1)→ P(class)
//! machine m of M:  rows drawn with weight 1/(rows of the class)         for even m
//!                  rows drawn with weight 1 − P(class of the row)       for odd m
//! clauses of ≥ 2 columns, true of enough rows, each set of rows once
//!   └ the best by the score statistic  Σ_c (Σ_{true rows} (P(c) − [class is c]))² / Σ_{true rows} P(c)(1 − P(c))
//! ```
//!
//! The rules of an ensemble as features of a linear model: Friedman & Popescu 2008 ("RuleFit"), with machines in the place of their trees; the
//! second way of drawing is boosting by resampling (Freund & Schapire 1997). The score statistic (Rao 1948) says how much a weight for the
//! clause would help the columns alone.

use super::subject::Subject;
use crate::Error;
use crate::watch::Watch;
use clausality_bn::random::Stream;
use clausality_tm::{BitMatrix, Machine, Params};
use rayon::prelude::*;
use std::collections::BTreeSet;

/// As many machines as a few seconds allow. On two folds of churn, catsup, titanic and hdma, 12 machines against 24, and half the epochs, moved the log-loss by
/// at most 1.3 %, either way; 16 lie between and were not compared. On one fold of adult twice the rows and 400 clauses did no better.
const MACHINES: usize = 16;
/// Clauses of a machine.
const CLAUSES: usize = 40;
const EPOCHS: usize = 8;
/// Rows that a machine draws.
const DRAWN: usize = 3000;
/// Clauses that are kept at most.
const KEPT: usize = 250;
/// Rows for every clause that is kept: few rows cannot tell many apart.
const ROWS_A_CLAUSE: usize = 16;

/// The clauses (by places of the subject's literals) that say most about what the columns alone leave open. `left` are the probabilities that the
/// columns alone give the rows.
pub(super) fn clauses(
    subject: &Subject,
    places: &[u32],
    left: &[f64],
    name: &str,
    watch: &dyn Watch,
) -> Result<Vec<Vec<u32>>, Error> {
    let c = subject.classes;
    let literals = subject.literals.numbers.len();
    if literals == 0 || places.is_empty() {
        return Ok(Vec::new());
    }
    let of = |p: u32| (usize::from(subject.labels[p as usize]), subject.counts[p as usize]);
    let mut sizes = vec![0.0; c];
    places.iter().map(|&p| of(p)).for_each(|(label, count)| sizes[label] += count);
    let balanced: Vec<f64> =
        places.iter().map(|&p| of(p)).map(|(label, count)| count / sizes[label]).collect();
    let open: Vec<f64> =
        places.iter().zip(left.chunks_exact(c)).map(|(&p, left)| of(p).1 * (1.0 - left[of(p).0])).collect();
    let weighted = [cumulated(&balanced), cumulated(&open)];
    let found: Vec<Vec<Vec<u32>>> = (0..MACHINES)
        .into_par_iter()
        .map(|m| {
            if watch.cancelled() {
                return Err(Error::Cancelled);
            }
            let stream = |kind: &str| Stream::new(subject.seed, &format!("votes\0{name}\0{m}\0{kind}"));
            let sums = &weighted[m % 2];
            let mut rows = stream("rows");
            let drawn: Vec<u32> = (0..DRAWN.min(places.len()).max(64))
                .map(|_| {
                    let at = rows.unit() * sums.last().copied().unwrap_or(0.0);
                    places[sums.partition_point(|&sum| sum <= at).min(places.len() - 1)]
                })
                .collect();
            let labels: Vec<u32> = drawn.iter().map(|&p| u32::from(subject.labels[p as usize])).collect();
            let mut matrix = BitMatrix::new(drawn.len(), literals);
            for (row, &p) in drawn.iter().enumerate() {
                matrix.or_row(row, 0, subject.bits.row(subject.rows[p as usize] as usize));
            }
            // From short and loose clauses to long and tight ones.
            let params = Params {
                clauses: CLAUSES,
                threshold: 25,
                specificity: [2.0, 4.0, 3.0, 8.0][m / 2 % 4],
                literal_budget: Some([2, 3, 4][m / 2 % 3]),
                ..Params::default()
            };
            let mut machine = Machine::new(literals, c, &params, stream("machine").bits())?;
            machine.fit(&matrix, &labels, EPOCHS)?;
            let set = machine.clauses();
            Ok((0..set.len()).map(|j| set.literals(j).to_vec()).collect())
        })
        .collect::<Result<_, Error>>()?;
    let several = |clause: &Vec<u32>| {
        let number = |&place: &u32| subject.literals.numbers[place as usize] as usize;
        let variables: BTreeSet<usize> =
            clause.iter().map(|place| subject.encoding.literal(number(place)).variable).collect();
        variables.len() > 1
    };
    let all: BTreeSet<Vec<u32>> = found.into_iter().flatten().filter(several).collect();
    Ok(best(subject, places, left, all.into_iter().collect(), KEPT.min(places.len() / ROWS_A_CLAUSE)))
}

/// Running sums.
fn cumulated(weights: &[f64]) -> Vec<f64> {
    let mut sum = 0.0;
    let add = |w: &f64| {
        sum += w;
        sum
    };
    weights.iter().map(add).collect()
}

/// Rows that a clause must be true of, and false of.
const LEAST: usize = 8;

fn best(subject: &Subject, places: &[u32], left: &[f64], all: Vec<Vec<u32>>, kept: usize) -> Vec<Vec<u32>> {
    let c = subject.classes;
    let judged: Vec<Option<(f64, u64, Vec<u32>)>> = all
        .into_par_iter()
        .map(|clause| {
            let (mut off, mut curved, mut count) = (vec![0.0; c], vec![0.0; c], 0);
            // What tells sets of rows apart, as far as 64 bits can.
            let mut mark = 0u64;
            for (k, &place) in places.iter().enumerate() {
                if subject.is_true(&clause, place) {
                    count += 1;
                    mark = mark.rotate_left(5) ^ (k as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
                    let label = usize::from(subject.labels[place as usize]);
                    let counted = subject.counts[place as usize];
                    for (s, &p) in left[k * c..][..c].iter().enumerate() {
                        off[s] += counted * (p - f64::from(u8::from(s == label)));
                        curved[s] += counted * p * (1.0 - p);
                    }
                }
            }
            let enough = count >= LEAST && places.len() - count >= LEAST;
            let score: f64 = off.iter().zip(&curved).map(|(o, v)| o * o / (v + 1.0)).sum();
            enough.then_some((score, mark, clause))
        })
        .collect();
    let mut judged: Vec<(f64, u64, Vec<u32>)> = judged.into_iter().flatten().collect();
    // Of clauses that are true of the same rows the shortest, then the first.
    judged.sort_by(|a, b| (a.1, a.2.len(), &a.2).cmp(&(b.1, b.2.len(), &b.2)));
    judged.dedup_by_key(|clause| clause.1);
    judged.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.2.cmp(&b.2)));
    judged.truncate(kept);
    let mut clauses: Vec<Vec<u32>> = judged.into_iter().map(|clause| clause.2).collect();
    clauses.sort();
    clauses
}
