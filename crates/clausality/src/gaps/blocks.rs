//! Stretches of consecutive rows in which a column has (almost) no values.
//!
//! Every row scores the log-likelihood ratio of "inside a block" against "as everywhere else":
//!
//! ```text
//! s(gap) = ln(0.98 / p),  s(value) = ln(0.02 / (1 − p)),  p: the share of gaps outside blocks
//! ```
//!
//! The segment with the largest sum is found in one pass (Kadane). If rows missed independently with probability p, the largest sum
//! S of n rows would reach s with probability at most n·e^(−s) (Karlin & Altschul 1990: for log-likelihood ratios λ = 1, K < 1).
//! Found blocks are taken out and the rest is looked at again.

use super::{Block, Indicator, LEVEL, Unit};
use clausality_bn::math::ln;

/// The share of gaps in a block.
const INSIDE: f64 = 0.98;
/// Columns with a larger share of gaps have no blocks that stand out.
const MOST: f64 = 0.9;
/// Shorter stretches are not worth a word,
const LEAST_ROWS: usize = 10;
/// nor are those with a smaller share of the column's gaps,
const LEAST_PART: f64 = 0.1;
/// nor those in which more than a few cells have values: there gaps are frequent, which the findings say.
const LEAST_SHARE: f64 = 0.95;
/// Blocks that are looked for in a unit.
const BLOCKS: usize = 5;

/// A stretch of rows (the last one in) that a unit lacks.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Stretch {
    pub(super) unit: usize,
    pub(super) from: usize,
    pub(super) to: usize,
    pub(super) gaps: usize,
}

pub(super) fn find(columns: &[Indicator], units: &[Unit], rows: usize) -> Vec<Stretch> {
    let least_score = ln(rows as f64 * units.len() as f64 / LEVEL);
    let mut found = Vec::new();
    for (place, unit) in units.iter().enumerate() {
        let holds = |row: usize| unit.bits[row / 64] >> (row % 64) & 1 == 1;
        // What is left to be looked at, and the gaps and rows outside blocks.
        let mut parts = vec![(0, rows)];
        let (mut gaps, mut outside) = (unit.count, rows);
        for _ in 0..BLOCKS {
            let share = (gaps as f64 + 0.5) / (outside as f64 + 1.0);
            if share >= MOST {
                break;
            }
            let scores = (ln(INSIDE / share), ln((1.0 - INSIDE) / (1.0 - share)));
            let best =
                parts.iter().enumerate().map(|(part, &(from, to))| (part, best(&holds, from, to, scores)));
            let best = best.reduce(|a, b| if b.1.score > a.1.score { b } else { a });
            let Some((part, segment)) = best.filter(|(_, segment)| segment.score >= least_score) else {
                break;
            };
            let (from, to) = parts.remove(part);
            parts.extend([(from, segment.from), (segment.to + 1, to)]);
            let length = segment.to + 1 - segment.from;
            let inside = (segment.from..=segment.to).filter(|&row| holds(row)).count();
            (gaps, outside) = (gaps - inside, outside - length);
            let most = inside as f64 >= LEAST_SHARE * length as f64;
            let part = inside as f64 >= LEAST_PART * columns[unit.members[0]].count as f64;
            if length >= LEAST_ROWS && most && part {
                found.push(Stretch { unit: place, from: segment.from, to: segment.to, gaps: inside });
            }
        }
    }
    found
}

struct Segment {
    from: usize,
    to: usize,
    score: f64,
}

/// The segment of `from..to` with the largest score; the first of equal ones.
fn best(holds: &impl Fn(usize) -> bool, from: usize, to: usize, (gap, value): (f64, f64)) -> Segment {
    let mut best = Segment { from, to: from, score: 0.0 };
    let (mut start, mut sum) = (from, 0.0);
    for row in from..to {
        if sum <= 0.0 {
            (start, sum) = (row, 0.0);
        }
        sum += if holds(row) { gap } else { value };
        if sum > best.score {
            best = Segment { from: start, to: row, score: sum };
        }
    }
    best
}

/// The blocks of all units; those of (nearly) the same rows are one.
pub(super) fn merged(columns: &[Indicator], units: &[Unit], stretches: &[Stretch]) -> Vec<Block> {
    let mut sorted = stretches.to_vec();
    sorted.sort_by_key(|s| (s.from, s.to, s.unit));
    let mut groups: Vec<Vec<Stretch>> = Vec::new();
    for stretch in sorted {
        let near = |group: &&mut Vec<Stretch>| overlap(&group[0], &stretch) >= 0.9;
        match groups.iter_mut().find(near) {
            Some(group) => group.push(stretch),
            None => groups.push(vec![stretch]),
        }
    }
    let block = |group: &Vec<Stretch>| {
        let (mut cells, mut gaps) = (0, 0);
        let mut names = Vec::new();
        for stretch in group {
            let members = units[stretch.unit].members.len();
            cells += members * (stretch.to + 1 - stretch.from);
            gaps += members * stretch.gaps;
            names.extend(units[stretch.unit].names(columns));
        }
        names.sort();
        names.dedup();
        let from = group.iter().map(|s| s.from).min().unwrap_or_default() + 1;
        let to = group.iter().map(|s| s.to).max().unwrap_or_default() + 1;
        Block { from, to, columns: names, share: gaps as f64 / cells as f64 }
    };
    groups.iter().map(block).collect()
}

/// The rows of both over the rows of either.
fn overlap(a: &Stretch, b: &Stretch) -> f64 {
    let both = (a.to.min(b.to) + 1).saturating_sub(a.from.max(b.from));
    let either = a.to.max(b.to) + 1 - a.from.min(b.from);
    both as f64 / either as f64
}
