//! What one machine sees of an encoding: the literals of some variables side by side, and behind them copies read from other rows.

use super::{Encoding, ROW_BLOCK, Shifted};
use clausality_bn::Table;
use clausality_tm::BitMatrix;
use std::ops::Range;

/// A choice of variables side by side, as one machine sees them: some as they are, behind them copies read from other rows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Layout {
    /// The variable and the first literal of every feature.
    features: Vec<(usize, usize)>,
    /// How many of them are no copies.
    first_copy: usize,
    literals: usize,
    own: Vec<Piece>,
    copied: Vec<Piece>,
}

/// Literals that lie side by side both in one word of the encoding and in one word of the layout.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Piece {
    from: usize,
    down: u32,
    mask: u64,
    to: usize,
    up: u32,
}

impl Layout {
    /// The variables side by side in this order, and behind them the copies.
    pub fn new(encoding: &Encoding, variables: &[usize], copies: &[usize]) -> Self {
        let first_copy = variables.len();
        let (features, own, copied) = Default::default();
        let mut layout = Layout { features, first_copy, literals: 0, own, copied };
        layout.own = layout.append(encoding, variables);
        layout.copied = layout.append(encoding, copies);
        layout
    }

    fn append(&mut self, encoding: &Encoding, variables: &[usize]) -> Vec<Piece> {
        // Neighbours in the encoding that stay neighbours are copied as one.
        let mut runs: Vec<(Range<usize>, usize)> = Vec::new();
        for &variable in variables {
            let literals = encoding.literals_of(variable);
            self.features.push((variable, self.literals));
            let to = self.literals;
            self.literals += literals.len();
            match runs.last_mut() {
                Some((last, _)) if last.end == literals.start => last.end = literals.end,
                _ => runs.push((literals, to)),
            }
        }
        runs.into_iter().flat_map(|(from, to)| pieces(from, to)).collect()
    }

    /// The number of literals.
    pub fn literals(&self) -> usize {
        self.literals
    }

    /// The number of features, copies included.
    pub fn len(&self) -> usize {
        self.features.len()
    }

    /// Whether there is no feature at all.
    pub fn is_empty(&self) -> bool {
        self.features.is_empty()
    }

    /// Whether there are copies.
    pub fn has_copies(&self) -> bool {
        !self.copied.is_empty()
    }

    /// The variable of a feature.
    pub fn variable(&self, feature: usize) -> usize {
        self.features[feature].0
    }

    /// The feature that a literal belongs to.
    pub fn feature_of(&self, literal: usize) -> usize {
        self.features.partition_point(|&(_, first)| first <= literal) - 1
    }

    /// The number, in the encoding, of a literal of this layout.
    pub fn number(&self, encoding: &Encoding, literal: usize) -> usize {
        let (variable, first) = self.features[self.feature_of(literal)];
        encoding.literals_of(variable).start + literal - first
    }

    /// The chosen literals of the chosen rows; copies are read from `copy_rows`, as many as `rows`.
    pub fn gather(&self, all: &BitMatrix, rows: &[u32], copy_rows: &[u32]) -> BitMatrix {
        let mut matrix = BitMatrix::new(rows.len(), self.literals);
        let mut words = vec![0; matrix.words()];
        for (place, &row) in rows.iter().enumerate() {
            words.fill(0);
            self.own.iter().for_each(|piece| piece.copy(all.row(row as usize), &mut words));
            if self.has_copies() {
                let row = all.row(copy_rows[place] as usize);
                self.copied.iter().for_each(|piece| piece.copy(row, &mut words));
            }
            matrix.or_row(place, 0, &words);
        }
        matrix
    }
}

impl Layout {
    /// The same from the table that `all` was made of. Where the chosen variables lie far apart, rows of literals are read a word here and a word
    /// there, and columns of codes are quicker.
    pub(crate) fn gather_from(
        &self,
        encoding: &Encoding,
        table: &Table,
        all: &BitMatrix,
        rows: &[u32],
        copy_rows: &[u32],
    ) -> BitMatrix {
        if self.own.len() + self.copied.len() <= self.features.len() {
            return self.gather(all, rows, copy_rows);
        }
        let mut matrix = BitMatrix::new(rows.len(), self.literals);
        let shifted = |&(v, first): &(usize, usize)| (v, Shifted::to(&encoding.blocks[v], first));
        let features: Vec<(usize, Shifted)> = self.features.iter().map(shifted).collect();
        let (own, copies) = features.split_at(self.first_copy);
        for start in (0..rows.len()).step_by(ROW_BLOCK) {
            let places = start..rows.len().min(start + ROW_BLOCK);
            for (features, rows) in
                [(own, rows), (copies, copy_rows)].into_iter().filter(|(f, _)| !f.is_empty())
            {
                for (v, feature) in features {
                    let codes = table.column(*v);
                    for (place, &row) in places.clone().zip(&rows[places.clone()]) {
                        matrix.or_row(place, feature.word, feature.pattern(codes[row as usize]));
                    }
                }
            }
        }
        matrix
    }
}

/// A run of literals, cut where a word begins on either side.
fn pieces(mut from: Range<usize>, mut to: usize) -> Vec<Piece> {
    let mut pieces = Vec::new();
    while !from.is_empty() {
        let (down, up) = (from.start % 64, to % 64);
        let len = from.len().min(64 - down).min(64 - up);
        let mask = u64::MAX >> (64 - len);
        pieces.push(Piece { from: from.start / 64, down: down as u32, mask, to: to / 64, up: up as u32 });
        from.start += len;
        to += len;
    }
    pieces
}

impl Piece {
    /// Copies the bits into words where they are still zero.
    #[inline(always)]
    fn copy(&self, from: &[u64], to: &mut [u64]) {
        to[self.to] |= (from[self.from] >> self.down & self.mask) << self.up;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::encode::{Literal, LiteralRule, Test};
    use clausality_bn::{MISSING, Scale, Schema, Variable};
    use proptest::prelude::*;

    proptest! {
        /// Whatever is chosen and copied, a gathered bit is the literal's truth in its row.
        #[test]
        fn gathered_bits_are_the_truth(
            cards in prop::collection::vec(1u8..70, 1..9),
            seed in any::<u64>(),
            chosen in prop::collection::vec(0usize..9, 0..9),
            copies in prop::collection::vec(0usize..9, 0..4),
        ) {
            let mut stream = clausality_bn::random::Stream::new(seed, "gather");
            let variable = |(i, card): (usize, &u8)| Variable {
                scale: [Scale::Nominal, Scale::Ordered, Scale::Circular][i % 3],
                has_missing_state: i % 4 < 2,
                ..Variable::new(format!("v{i}"), (0..*card).map(|s| format!("s{s}")))
            };
            let schema = Schema::new(cards.iter().enumerate().map(variable).collect()).unwrap();
            let column = |card: &u8| (0..40).map(|_| match stream.below(u64::from(*card) + 1) as u8 {
                code if code == *card => MISSING,
                code => code,
            }).collect();
            let columns: Vec<Vec<u8>> = cards.iter().map(column).collect();
            let table = Table::new(schema.clone(), columns.clone()).unwrap();
            let encoding = Encoding::new(&schema, LiteralRule::Scale);
            let chosen: Vec<usize> = chosen.into_iter().map(|v| v % cards.len()).collect();
            let copies: Vec<usize> = copies.into_iter().map(|v| v % cards.len()).collect();
            let layout = Layout::new(&encoding, &chosen, &copies);
            let rows: Vec<u32> = (0..30).map(|_| stream.below(40) as u32).collect();
            let copy_rows: Vec<u32> = (0..30).map(|_| stream.below(40) as u32).collect();
            let matrix = layout.gather(&encoding.rows(&table), &rows, &copy_rows);
            for literal in 0..layout.literals() {
                let feature = layout.feature_of(literal);
                let number = layout.number(&encoding, literal);
                let from = if feature < chosen.len() { &rows } else { &copy_rows };
                for (place, &row) in from.iter().enumerate() {
                    let Literal { variable, test, negated } = encoding.literal(number);
                    let code = columns[variable][row as usize];
                    let gap = code == MISSING || schema.variable(variable).missing_state() == Some(code);
                    let truth = match test {
                        Test::NoValue => gap != negated,
                        _ if gap => false,
                        Test::AtLeast(k) => (code >= k) != negated,
                        Test::Is(k) => (code == k) != negated,
                        Test::Within(from, to) => (if from <= to { (from..=to).contains(&code) } else { code >= from || code <= to }) != negated,
                    };
                    prop_assert_eq!(matrix.is_set(place, literal), truth);
                }
            }
        }
    }
}
