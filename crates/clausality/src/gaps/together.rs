//! Columns that miss together, and which combinations of columns rows lack.
//!
//! `φ(A, B) = (n·n_AB − n_A·n_B) / √(n_A (n − n_A) n_B (n − n_B))` of two gap indicators, with `n_AB` the rows that lack both:
//! 1 if the gaps are the same, 0 if they meet by chance only, however many they are.

use super::{Indicator, Pattern, Together, Unit};
use std::collections::BTreeMap;

/// From here on two columns miss together.
const SAME: f64 = 0.9;
/// Rows that must lack both: fewer may do so by chance.
const LEAST: usize = 3;
/// Combinations that are listed.
const LISTED: usize = 10;

/// Rows by the columns they lack.
pub(super) struct Patterns {
    pub(super) complete: usize,
    pub(super) listed: Vec<Pattern>,
    pub(super) others: usize,
}

pub(super) fn patterns(columns: &[Indicator], rows: usize) -> Patterns {
    let mut seen: BTreeMap<Vec<u64>, usize> = BTreeMap::new();
    let mut key = vec![0u64; columns.len().div_ceil(64)];
    let mut complete = 0;
    for row in 0..rows {
        key.fill(0);
        for (place, column) in columns.iter().enumerate() {
            key[place / 64] |= u64::from(column.holds(row)) << (place % 64);
        }
        match seen.get_mut(&key) {
            _ if key.iter().all(|&word| word == 0) => complete += 1,
            Some(count) => *count += 1,
            None => drop(seen.insert(key.clone(), 1)),
        }
    }
    let names = |key: &[u64]| {
        let holds = |place: &usize| key[place / 64] >> (place % 64) & 1 == 1;
        (0..columns.len()).filter(holds).map(|place| columns[place].name.clone()).collect::<Vec<_>>()
    };
    let all = seen.len();
    let mut found: Vec<(Vec<u64>, usize)> = seen.into_iter().collect();
    // Columns stand in the order of names, so keys of equal counts do too.
    found.sort_by_key(|entry| std::cmp::Reverse(entry.1));
    let listed: Vec<Pattern> =
        found.into_iter().take(LISTED).map(|(key, rows)| Pattern { columns: names(&key), rows }).collect();
    Patterns { complete, others: all - listed.len(), listed }
}

/// The columns by whether they miss together: each joins the first unit whose first column misses as it does.
pub(super) fn units(columns: &[Indicator], rows: usize) -> Vec<Unit> {
    let mut units: Vec<Unit> = Vec::new();
    for (place, column) in columns.iter().enumerate() {
        let first = |unit: &Unit| &columns[unit.members[0]];
        match units.iter_mut().find(|unit| same(first(unit), column, rows)) {
            Some(unit) => {
                unit.members.push(place);
                unit.bits.iter_mut().zip(&column.bits).for_each(|(all, bits)| *all &= bits);
                unit.count = unit.bits.iter().map(|word| word.count_ones() as usize).sum();
            }
            None => units.push(Unit { members: vec![place], bits: column.bits.clone(), count: column.count }),
        }
    }
    units
}

fn same(a: &Indicator, b: &Indicator, rows: usize) -> bool {
    // Counts that differ by more rule it out without counting: n_AB is at most the smaller.
    let (few, many) = (a.count.min(b.count), a.count.max(b.count));
    if few < LEAST || (few as f64) < SAME * SAME * many as f64 && many * 2 <= rows {
        return false;
    }
    let both: usize = a.bits.iter().zip(&b.bits).map(|(a, b)| (a & b).count_ones() as usize).sum();
    both >= LEAST && phi(rows, a.count, b.count, both) >= SAME
}

/// φ of two indicators; two that hold in every row are the same.
pub(super) fn phi(rows: usize, a: usize, b: usize, both: usize) -> f64 {
    let (n, a, b, both) = (rows as f64, a as f64, b as f64, both as f64);
    let spread = (a * (n - a) * b * (n - b)).sqrt();
    if spread == 0.0 { f64::from(a == n && b == n) } else { (n * both - a * b) / spread }
}

/// The units of several columns, the largest first.
pub(super) fn told(columns: &[Indicator], units: &[Unit]) -> Vec<Together> {
    let several = units.iter().filter(|unit| unit.members.len() > 1);
    let mut told: Vec<Together> = several
        .map(|unit| {
            let mut any = vec![0u64; unit.bits.len()];
            for &member in &unit.members {
                any.iter_mut().zip(&columns[member].bits).for_each(|(any, bits)| *any |= bits);
            }
            let any = any.iter().map(|word| word.count_ones() as usize).sum();
            Together { columns: unit.names(columns), all: unit.count, any }
        })
        .collect();
    told.sort_by(|a, b| b.all.cmp(&a.all).then_with(|| a.columns.cmp(&b.columns)));
    told
}
