//! Training, written once over a small set of vector operations and compiled for every instruction set.
//!
//! Implements the coalesced Tsetlin machine (Glimsdal & Granmo, arXiv 2108.07594; §II of the paper). For an example
//! (x, y) the pair (k, t) = (y, 1) and then (ȳ, 0) is updated:
//!
//! ```text
//! c_j = AND of the included literals of clause j (an empty clause is true in training)
//! v   = clip(Σ_j w_kj c_j, −T, T);  p = (T − v)/2T if t = 1 else (T + v)/2T
//! each clause with probability p, σ = +1 if w_kj ≥ 0 else −1:
//!   (2t−1)σ = +1            Type I:  if c_j, w_kj += σ
//!     Ia, c_j and size ≤ budget:     true literals +1, false literals −1 with probability 1/s
//!     Ib, otherwise:                 every literal −1 with probability 1/s
//!   (2t−1)σ = −1 and c_j    Type II: w_kj −= σ; every false literal +1
//! ```
//!
//! **Our reading.** Both sums are taken before either class learns, as in tmu: judging ȳ after y has just been taught costs
//! 0.6 points of accuracy with a small T (problem A of the benchmark). Clause outputs are current in both phases.
//!
//! In both phases the weight of a selected, true clause moves by 2t − 1, which makes the weights' update one masked
//! addition. Clause outputs are cached for a block of samples, one bit a sample, and recomputed only when a clause's
//! included literals change. Type Ib is deferred (see [`Bank`]). The order of draws is part of the definition and is
//! repeated, without any of the packing, by `reference`.
//!
//! Type III feedback, where it is asked for, follows one of the two: see [`prune`].
//!
//! Cost per sample: O(clauses/64) words for sums and selection, O(literals/64) for each Type Ia or II event.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod block;
mod events;
mod ones;
mod portable;
mod prune;
mod simd;

use crate::bank::Bank;
use crate::bits::BitMatrix;
use crate::draws::{Tails, threshold};
use crate::{Error, Negatives};
use block::{BLOCK, Block};
use events::{attend, forget_at_once, memorise_true, reject_false};
pub use ones::Ones;
use prune::prune;
use simd::Simd;
use std::sync::atomic::{AtomicU8, Ordering};

/// An instruction set that training can be compiled for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Path {
    /// Plain Rust, any processor.
    Portable,
    /// x86-64 with AVX2.
    Avx2,
    /// x86-64 with AVX-512 (F, BW, DQ, VL).
    Avx512,
}

impl Path {
    /// Every path there is.
    pub const ALL: [Path; 3] = [Path::Portable, Path::Avx2, Path::Avx512];

    /// Whether this processor can run it.
    pub fn is_available(self) -> bool {
        match self {
            Path::Portable => true,
            #[cfg(target_arch = "x86_64")]
            Path::Avx2 => avx2::is_available(),
            #[cfg(target_arch = "x86_64")]
            Path::Avx512 => avx512::is_available(),
            #[cfg(not(target_arch = "x86_64"))]
            _ => false,
        }
    }

    /// The fastest path of this processor.
    pub fn best() -> Path {
        Path::ALL.into_iter().rev().find(|p| p.is_available()).unwrap_or(Path::Portable)
    }

    /// The name that users give it.
    pub fn word(self) -> &'static str {
        match self {
            Path::Portable => "portable",
            Path::Avx2 => "avx2",
            Path::Avx512 => "avx512",
        }
    }

    /// The names of the paths that this processor has.
    pub fn available() -> Vec<&'static str> {
        Path::ALL.into_iter().filter(|path| path.is_available()).map(Path::word).collect()
    }

    /// All machines of this process train on the path of this name from now on, unless they are told otherwise. For tests and
    /// bug reports: the results are the same bits on all of them.
    ///
    /// # Errors
    /// [`Error::Path`] for a name that is none, or that of a path which this processor does not have.
    pub fn choose(name: &str) -> Result<(), Error> {
        let found = Path::ALL.into_iter().find(|path| path.word() == name && path.is_available());
        let path = found
            .ok_or_else(|| Error::Path { name: name.into(), available: Path::available().join(", ") })?;
        CHOSEN.store(path as u8, Ordering::Relaxed);
        Ok(())
    }

    /// The path that was chosen, or else the fastest.
    pub fn chosen() -> Path {
        let chosen = CHOSEN.load(Ordering::Relaxed);
        Path::ALL.into_iter().find(|path| *path as u8 == chosen).unwrap_or_else(Path::best)
    }
}

/// The chosen path, if it is one.
static CHOSEN: AtomicU8 = AtomicU8::new(u8::MAX);

/// Trains on the rows in the given order, on the given path (or the portable one where it is not available).
pub(crate) fn train(path: Path, bank: &mut Bank, rows: &BitMatrix, labels: &[u32], order: &[u32]) {
    match path {
        #[cfg(target_arch = "x86_64")]
        Path::Avx512 if avx512::is_available() => avx512::train(bank, rows, labels, order),
        #[cfg(target_arch = "x86_64")]
        Path::Avx2 if avx2::is_available() => avx2::train(bank, rows, labels, order),
        _ => train_on::<portable::Portable>(bank, rows, labels, order),
    }
}

#[inline(always)]
fn train_on<S: Simd>(bank: &mut Bank, rows: &BitMatrix, labels: &[u32], order: &[u32]) {
    let mut block = Block::new(bank);
    let tails = bank.tails.clone(); // shared, so that events can read it while they change the bank
    for indices in order.chunks(BLOCK) {
        block.load(rows, indices);
        for clause in 0..bank.clauses {
            block.evaluate(bank, clause);
        }
        for (sample, &index) in indices.iter().enumerate() {
            let label = labels[index as usize] as usize;
            for word in 0..bank.words {
                block.current[word] = S::bit_column(block.outputs_of(sample, word), sample % 64);
            }
            // Both classes are judged before either learns: see "Our reading" above.
            let own = votes::<S>(bank, &block, label);
            let negative = match bank.negatives {
                Negatives::Uniform => Some(bank.uniform_negative(label)),
                Negatives::Focused => focused::<S>(bank, &block, label),
            };
            let other = negative.map(|class| (class, votes::<S>(bank, &block, class)));
            let pruned = bank.pruning.is_some().then(|| bank.scalar.next() >> 63 == 1);
            let other = other.map(|(class, votes)| Lesson { class, votes, target: false });
            for lesson in
                [Some(Lesson { class: label, votes: own, target: true }), other].into_iter().flatten()
            {
                update::<S>(bank, &tails, &mut block, sample, &lesson);
                if pruned == Some(lesson.target) {
                    prune::<S>(bank, &tails, &mut block, sample, &lesson);
                }
            }
        }
    }
}

/// A class that a sample is, or is not, an example of, and the votes it had for it.
struct Lesson {
    class: usize,
    votes: i32,
    target: bool,
}

impl Lesson {
    /// How much is missing: the probability that a clause learns, in 1/65536ths.
    #[inline(always)]
    fn probability(&self, threshold: i32) -> u32 {
        let missing = if self.target { threshold - self.votes } else { threshold + self.votes };
        (((missing as u64) << 15) / threshold as u64) as u32
    }

    /// The clauses of a word whose sign agrees with the lesson.
    #[inline(always)]
    fn agree(&self, bank: &Bank, word: usize) -> u64 {
        let positive = bank.positive[self.class * bank.words + word];
        if self.target { positive } else { !positive }
    }
}

/// Votes for a class, clipped to ±T.
#[inline(always)]
fn votes<S: Simd>(bank: &Bank, block: &Block, class: usize) -> i32 {
    let mut sum = S::no_votes();
    let weights = &bank.weights[class * bank.words..(class + 1) * bank.words];
    for ((weights, &current), &active) in weights.iter().zip(&block.current).zip(&bank.active) {
        sum = S::add_votes(sum, weights, current & active);
    }
    S::total(sum).clamp(-bank.threshold, bank.threshold)
}

#[inline(always)]
fn focused<S: Simd>(bank: &mut Bank, block: &Block, label: usize) -> Option<usize> {
    let mass: Vec<u32> = (0..bank.classes)
        .map(
            |class| if class == label { 0 } else { (bank.threshold + votes::<S>(bank, block, class)) as u32 },
        )
        .collect();
    bank.focused_negative(&mass)
}

#[inline(always)]
fn update<S: Simd>(bank: &mut Bank, tails: &Tails, block: &mut Block, sample: usize, lesson: &Lesson) {
    let limit = threshold(lesson.probability(bank.threshold), bank.scalar.dither());
    if limit == 0 {
        return;
    }
    for word in 0..bank.words {
        let selected = S::select(&mut bank.lanes, limit) & bank.active[word];
        let at = lesson.class * bank.words + word;
        let agree = lesson.agree(bank, word);
        let voted = selected & block.current[word];
        if voted != 0 {
            bank.positive[at] =
                S::add_weights(&mut bank.weights[at], voted, if lesson.target { 1 } else { -1 });
        }
        let memorise = voted & agree & !bank.over[word];
        let forget = selected & agree & !memorise;
        let lengthy = bank.lengthy[word];
        let due = S::count(&mut bank.pending[word], &bank.due[word], forget & !lengthy);

        for lane in Bits(due) {
            attend::<S>(bank, tails, block, sample, word * 64 + lane);
        }
        for lane in Bits(forget & lengthy) {
            forget_at_once::<S>(bank, block, sample, word * 64 + lane);
        }
        for lane in Bits(memorise) {
            memorise_true::<S>(bank, tails, block, sample, word * 64 + lane);
        }
        for lane in Bits(voted & !agree) {
            reject_false::<S>(bank, tails, block, sample, word * 64 + lane);
        }
    }
}

/// The positions of the set bits, ascending.
struct Bits(u64);

impl Iterator for Bits {
    type Item = usize;
    #[inline(always)]
    fn next(&mut self) -> Option<usize> {
        if self.0 == 0 {
            return None;
        }
        let at = self.0.trailing_zeros() as usize;
        self.0 &= self.0 - 1;
        Some(at)
    }
}
