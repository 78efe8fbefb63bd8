//! A block of samples, by row for feedback and by literal for clause outputs.

use crate::bank::{Bank, Line};
use crate::bits::{BitMatrix, transpose};

/// Words of 64 samples in a block.
const BLOCK_WORDS: usize = 4;
/// Samples in a block.
pub(super) const BLOCK: usize = BLOCK_WORDS * 64;

/// The samples being learned, and what the clauses say of them.
pub(super) struct Block {
    chunks: usize,
    words: usize,
    /// Literals of each sample.
    rows: Vec<u64>,
    /// For each literal the samples in which it is true.
    columns: Vec<[u64; BLOCK_WORDS]>,
    /// For each 64 samples and each 64 clauses: the samples in which each clause is true.
    outputs: Vec<Line<u64>>,
    /// Literals that exist, chunk by chunk.
    pub(super) valid: Vec<u64>,
    /// Which clauses are true of the current sample.
    pub(super) current: Vec<u64>,
}

impl Block {
    pub(super) fn new(bank: &Bank) -> Self {
        let mut valid = vec![u64::MAX; bank.chunks];
        let tail = bank.literals % 64;
        if tail != 0 {
            valid[bank.chunks - 1] = (1 << tail) - 1;
        }
        Block {
            chunks: bank.chunks,
            words: bank.words,
            rows: vec![0; BLOCK * bank.chunks],
            columns: vec![[0; BLOCK_WORDS]; bank.chunks * 64],
            outputs: vec![Line([0; 64]); BLOCK_WORDS * bank.words],
            valid,
            current: vec![0; bank.words],
        }
    }

    #[inline(always)]
    pub(super) fn load(&mut self, rows: &BitMatrix, indices: &[u32]) {
        for (row, &index) in self.rows.chunks_exact_mut(self.chunks).zip(indices) {
            row.copy_from_slice(rows.row(index as usize));
        }
        self.rows[indices.len() * self.chunks..].fill(0);
        let mut square = [0; 64];
        for part in 0..BLOCK_WORDS {
            for chunk in 0..self.chunks {
                for (i, word) in square.iter_mut().enumerate() {
                    *word = self.rows[(part * 64 + i) * self.chunks + chunk];
                }
                transpose(&mut square);
                for (column, &word) in self.columns[chunk * 64..(chunk + 1) * 64].iter_mut().zip(&square) {
                    column[part] = word;
                }
            }
        }
    }

    #[inline(always)]
    pub(super) fn row(&self, sample: usize) -> &[u64] {
        &self.rows[sample * self.chunks..(sample + 1) * self.chunks]
    }

    #[inline(always)]
    pub(super) fn outputs_of(&self, sample: usize, word: usize) -> &Line<u64> {
        &self.outputs[(sample / 64) * self.words + word]
    }

    /// Recomputes the outputs of one clause for all samples of the block.
    #[inline(always)]
    pub(super) fn evaluate(&mut self, bank: &Bank, clause: usize) {
        let mut output = [u64::MAX; BLOCK_WORDS];
        for literal in bank.included(clause) {
            for (o, c) in output.iter_mut().zip(&self.columns[literal as usize]) {
                *o &= c;
            }
        }
        for (part, &o) in output.iter().enumerate() {
            self.outputs[part * self.words + clause / 64].0[clause % 64] = o;
        }
    }
}
