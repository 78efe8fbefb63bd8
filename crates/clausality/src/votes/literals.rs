//! The literals that clauses are made of: of every column that is cut into many states only some steps.
//!
//! A clause with "age ≥ 45" says as much as one with "age ≥ 44.7" and is found sixteen times sooner than among all steps; what lies between is
//! said by the column's own points.

use crate::encode::{Encoding, Test};
use clausality_bn::{Scale, Table};
use clausality_tm::BitMatrix;

/// Stretches of about equal counts that the steps of a column cut it into.
const STRETCHES: usize = 16;

/// Some literals of an encoding, in the order of their numbers. Clauses name them by their place here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Literals {
    /// Their numbers in the encoding.
    pub(super) numbers: Vec<u32>,
}

impl Literals {
    /// All literals of columns without an order or with few states; of the others the steps that cut the rows into about
    /// [`STRETCHES`] equal parts, those around a state with more rows than such a part among them.
    pub(super) fn coarse(encoding: &Encoding, table: &Table) -> Self {
        let mut numbers = Vec::new();
        for &v in encoding.variables() {
            let variable = table.schema().variable(v);
            let kept = if variable.scale == Scale::Ordered {
                steps(table.column(v), variable.cardinality())
            } else {
                vec![true; 256]
            };
            let kept = |&number: &usize| match encoding.literal(number).test {
                Test::AtLeast(k) => kept[usize::from(k)],
                _ => true,
            };
            numbers.extend(encoding.literals_of(v).filter(kept).map(|number| number as u32));
        }
        Literals { numbers }
    }

    /// The literals of some clauses, which are given by numbers, and the same clauses by places.
    pub(super) fn used<'c>(clauses: impl Iterator<Item = &'c [u32]> + Clone) -> (Self, Vec<Vec<u32>>) {
        let mut numbers: Vec<u32> = clauses.clone().flatten().copied().collect();
        numbers.sort_unstable();
        numbers.dedup();
        let place = |number: &u32| numbers.partition_point(|own| own < number) as u32;
        let placed = clauses.map(|clause| clause.iter().map(place).collect()).collect();
        (Literals { numbers }, placed)
    }

    /// What is true of every row of a table.
    pub(super) fn rows(&self, encoding: &Encoding, table: &Table) -> BitMatrix {
        let mut matrix = BitMatrix::new(table.rows(), self.numbers.len());
        for (v, column) in (0..table.schema().len()).map(|v| (v, table.column(v))) {
            let own = encoding.literals_of(v);
            let places = self.numbers.partition_point(|&n| (n as usize) < own.start)
                ..self.numbers.partition_point(|&n| (n as usize) < own.end);
            if places.is_empty() {
                continue;
            }
            let holding = |code: u8| -> Vec<usize> {
                places.clone().filter(|&place| encoding.holds(self.numbers[place] as usize, code)).collect()
            };
            let cardinality = table.schema().cardinality(v);
            let mut by_code: Vec<Vec<usize>> = (0..cardinality).map(|code| holding(code as u8)).collect();
            by_code.push(holding(clausality_bn::MISSING));
            for (row, &code) in column.iter().enumerate() {
                by_code[usize::from(code).min(cardinality)].iter().for_each(|&place| matrix.set(row, place));
            }
        }
        matrix
    }
}

/// Which steps are kept: before every state that would overfill a stretch.
fn steps(codes: &[u8], states: usize) -> Vec<bool> {
    let mut counts = vec![0usize; states];
    codes.iter().filter(|&&code| usize::from(code) < states).for_each(|&code| counts[usize::from(code)] += 1);
    let size = counts.iter().sum::<usize>().div_ceil(STRETCHES);
    let mut held = 0;
    let overfills = |&count: &usize| {
        let over = held > 0 && held + count > size;
        held = if over { count } else { held + count };
        over || states <= STRETCHES
    };
    counts.iter().map(overfills).collect()
}

/// Whether a clause, by places of literals, is true of a row of them.
pub(super) fn is_true(clause: &[u32], row: &[u64]) -> bool {
    clause.iter().all(|&l| row[l as usize / 64] >> (l % 64) & 1 == 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_cut_into_equal_parts_and_around_what_is_frequent() {
        let even: Vec<u8> = (0..128).flat_map(|code| [code; 10]).collect();
        let kept = steps(&even, 128);
        assert_eq!(kept.iter().filter(|kept| **kept).count(), STRETCHES - 1);
        let mut heavy = even.clone();
        heavy.extend([50; 2000]);
        let kept = steps(&heavy, 128);
        assert!(kept[50] && kept[51], "a frequent state stands alone");
        assert!(steps(&[0, 1, 1, 2], 3)[1..].iter().all(|kept| *kept), "few states have all their steps");
    }
}
