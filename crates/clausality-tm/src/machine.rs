//! A machine in training.

use crate::bank::Bank;
use crate::{BitMatrix, ClauseSet, Error, Params, Path, kernel};

/// A coalesced Tsetlin machine in training.
#[derive(Debug, Clone)]
pub struct Machine {
    pub(crate) bank: Bank,
    path: Path,
}

impl Machine {
    /// A fresh machine: all automata just below inclusion, all weights ±1 at random. Checks every parameter.
    pub fn new(literals: usize, classes: usize, params: &Params, seed: u64) -> Result<Self, Error> {
        Ok(Machine { bank: Bank::new(literals, classes, params, seed)?, path: Path::chosen() })
    }

    /// What a machine takes while it is trained, and its clauses beside it, in bytes:
    ///
    /// ```text
    /// clauses · (chunks · (72 + 256) + classes · 8 + 160) + chunks · 4096,   chunks = ⌈literals / 64⌉;   72 twice with Type III
    /// ```
    ///
    /// An automaton takes a byte and a bit, and in its first epoch a clause may list almost all literals. What no number holds is as
    /// large as can be.
    pub fn planned_bytes(literals: usize, classes: usize, clauses: usize, type_iii: bool) -> u64 {
        let (chunks, clauses) =
            (literals.div_ceil(64) as u64, (clauses.div_ceil(64) as u64).saturating_mul(64));
        // States, stream (and what Type III feedback has seen) and list; weights here and in the clauses; counters, outputs of a block.
        let literals = chunks.saturating_mul((64 + 8) * (1 + type_iii as u64) + 256);
        let clause = literals.saturating_add((classes as u64).saturating_mul(8)).saturating_add(160);
        clauses.saturating_mul(clause).saturating_add(chunks.saturating_mul(64 * 64))
    }

    /// Forces an instruction set, for tests and comparisons; the result is the same bits on all of them. One that the
    /// processor does not have is replaced by the portable path.
    pub fn on_path(mut self, path: Path) -> Self {
        self.path = path;
        self
    }

    /// The instruction set it trains on.
    pub fn path(&self) -> Path {
        self.path
    }

    /// One pass over all rows in a fresh random order.
    pub fn fit_epoch(&mut self, rows: &BitMatrix, labels: &[u32]) -> Result<(), Error> {
        if rows.literals() != self.bank.literals {
            return Err(Error::Literals { found: rows.literals(), expected: self.bank.literals });
        }
        if labels.len() != rows.rows() {
            return Err(Error::Labels { labels: labels.len(), rows: rows.rows() });
        }
        if let Some(row) = labels.iter().position(|&l| l as usize >= self.bank.classes) {
            return Err(Error::Label { row, label: labels[row], classes: self.bank.classes });
        }
        let mut order: Vec<u32> = (0..labels.len() as u32).collect();
        self.bank.scalar.shuffle(&mut order);
        self.bank.draw_active();
        kernel::train(self.path, &mut self.bank, rows, labels, &order);
        Ok(())
    }

    /// Several epochs.
    pub fn fit(&mut self, rows: &BitMatrix, labels: &[u32], epochs: usize) -> Result<(), Error> {
        for _ in 0..epochs {
            self.fit_epoch(rows, labels)?;
        }
        Ok(())
    }

    /// What has been learned so far.
    pub fn clauses(&self) -> ClauseSet {
        let bank = &self.bank;
        let weights = (0..bank.classes)
            .map(|class| {
                let lines = &bank.weights[class * bank.words..(class + 1) * bank.words];
                (0..bank.clauses).map(|j| lines[j / 64].0[j % 64]).collect()
            })
            .collect();
        let literals = (0..bank.clauses).map(|clause| bank.included(clause).collect()).collect();
        ClauseSet::from_parts(bank.literals, literals, weights)
    }
}
