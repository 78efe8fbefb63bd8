//! Rows of literals, packed.

/// Rows of literals in `u64` words; the bits behind the last literal of a row are always zero.
///
/// A literal is whatever the caller says is true or false of a row. The machine adds no negations of its own: a caller
/// that wants them sets them too ([`BitMatrix::with_negations`]), and a value that is unknown can then be false in both
/// polarities.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BitMatrix {
    rows: usize,
    literals: usize,
    words: usize,
    data: Vec<u64>,
}

impl BitMatrix {
    /// All literals false.
    pub fn new(rows: usize, literals: usize) -> Self {
        let words = literals.div_ceil(64);
        BitMatrix { rows, literals, words, data: vec![0; rows * words] }
    }

    /// `features` bits a row and their negations behind them: literal `features + i` is the negation of literal `i`.
    pub fn with_negations(rows: usize, features: usize, is_true: impl Fn(usize, usize) -> bool) -> Self {
        let mut matrix = BitMatrix::new(rows, 2 * features);
        for row in 0..rows {
            for feature in 0..features {
                let literal = if is_true(row, feature) { feature } else { features + feature };
                matrix.set(row, literal);
            }
        }
        matrix
    }

    /// Makes a literal true.
    #[inline]
    pub fn set(&mut self, row: usize, literal: usize) {
        assert!(literal < self.literals, "literal {literal} of {}", self.literals);
        self.data[row * self.words + literal / 64] |= 1 << (literal % 64);
    }

    /// Whether a literal is true.
    #[inline]
    pub fn is_set(&self, row: usize, literal: usize) -> bool {
        assert!(literal < self.literals, "literal {literal} of {}", self.literals);
        self.data[row * self.words + literal / 64] >> (literal % 64) & 1 == 1
    }

    /// Ors whole words into a row, starting at a word; bits behind the last literal are ignored.
    #[inline]
    pub fn or_row(&mut self, row: usize, first_word: usize, bits: &[u64]) {
        let start = row * self.words + first_word;
        for (word, &b) in self.data[start..(row + 1) * self.words].iter_mut().zip(bits) {
            *word |= b;
        }
        let tail = self.literals % 64;
        if tail != 0 {
            self.data[(row + 1) * self.words - 1] &= (1 << tail) - 1;
        }
    }

    /// The words of a row.
    #[inline]
    pub fn row(&self, row: usize) -> &[u64] {
        &self.data[row * self.words..(row + 1) * self.words]
    }

    /// Rows and literals changed places: row `l` of the result holds literal `l` of every row.
    pub fn transposed(&self) -> Self {
        let mut out = BitMatrix::new(self.literals, self.rows);
        let mut square = [0; 64];
        for first in (0..self.rows).step_by(64) {
            let count = (self.rows - first).min(64);
            for word in 0..self.words {
                square.fill(0);
                for (i, bits) in square[..count].iter_mut().enumerate() {
                    *bits = self.data[(first + i) * self.words + word];
                }
                transpose(&mut square);
                let literals = (self.literals - 64 * word).min(64);
                for (i, &bits) in square[..literals].iter().enumerate() {
                    out.data[(64 * word + i) * out.words + first / 64] = bits;
                }
            }
        }
        out
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Number of literals.
    pub fn literals(&self) -> usize {
        self.literals
    }

    /// Number of words in a row.
    pub fn words(&self) -> usize {
        self.words
    }
}

/// Transposes a 64 × 64 bit matrix in place: bit `j` of word `i` becomes bit `i` of word `j`.
#[inline(always)]
pub(crate) fn transpose(m: &mut [u64; 64]) {
    let mut width = 32;
    let mut mask = 0x0000_0000_ffff_ffff_u64;
    while width > 0 {
        for base in (0..64).step_by(2 * width) {
            let (low, high) = m[base..base + 2 * width].split_at_mut(width);
            for (a, b) in low.iter_mut().zip(high) {
                let swap = (*a >> width ^ *b) & mask;
                *a ^= swap << width;
                *b ^= swap;
            }
        }
        width /= 2;
        mask ^= mask << width;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn transposes() {
        let mut x = 0x9e37_79b9_7f4a_7c15_u64;
        let m: [u64; 64] = std::array::from_fn(|_| {
            x ^= x << 13;
            x ^= x >> 7;
            x ^= x << 17;
            x
        });
        let mut t = m;
        transpose(&mut t);
        for (i, row) in m.iter().enumerate() {
            for (j, column) in t.iter().enumerate() {
                assert_eq!(row >> j & 1, column >> i & 1, "{i} {j}");
            }
        }
    }

    #[test]
    fn rows_and_literals_change_places() {
        for (rows, literals) in [(1, 1), (64, 64), (70, 130), (129, 3), (0, 5), (5, 0)] {
            let m = BitMatrix::with_negations(rows, literals, |r, f| (r * 7 + f * f) % 3 == 0);
            let t = m.transposed();
            assert_eq!((t.rows(), t.literals()), (2 * literals, rows));
            for r in 0..rows {
                for l in 0..2 * literals {
                    assert_eq!(m.is_set(r, l), t.is_set(l, r), "{r} {l}");
                }
            }
            assert_eq!(t.transposed(), m);
        }
    }

    #[test]
    fn the_tail_stays_zero() {
        let mut m = BitMatrix::new(2, 70);
        m.or_row(1, 0, &[u64::MAX, u64::MAX]);
        assert_eq!(m.row(0), &[0, 0]);
        assert_eq!(m.row(1), &[u64::MAX, 63]);
        let n = BitMatrix::with_negations(1, 3, |_, f| f == 1);
        assert_eq!(n.row(0), &[0b101_010]);
    }
}
