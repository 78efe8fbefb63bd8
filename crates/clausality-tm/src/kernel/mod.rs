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
//! In both phases the weight of a selected, true clause moves by 2t − 1, which makes the weights' update one masked
//! addition. Clause outputs are cached for a block of samples, one bit a sample, and recomputed only when a clause's
//! included literals change. Type Ib is deferred (see [`Bank`]). The order of draws is part of the definition and is
//! repeated, without any of the packing, by `reference`.
//!
//! Cost per sample: O(clauses/64) words for sums and selection, O(literals/64) for each Type Ia or II event.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod block;
mod portable;
mod simd;

use crate::Negatives;
use crate::bank::Bank;
use crate::bits::BitMatrix;
use crate::draws::threshold;
use block::{BLOCK, Block};
use simd::Simd;

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
}

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
            update::<S>(bank, &mut block, sample, label, true);
            let other = match bank.negatives {
                Negatives::Uniform => Some(bank.uniform_negative(label)),
                Negatives::Focused => focused::<S>(bank, &block, label),
            };
            if let Some(other) = other {
                update::<S>(bank, &mut block, sample, other, false);
            }
        }
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

#[inline(never)]
fn focused<S: Simd>(bank: &mut Bank, block: &Block, label: usize) -> Option<usize> {
    let mass: Vec<u32> = (0..bank.classes)
        .map(
            |class| if class == label { 0 } else { (bank.threshold + votes::<S>(bank, block, class)) as u32 },
        )
        .collect();
    bank.focused_negative(&mass)
}

#[inline(always)]
fn update<S: Simd>(bank: &mut Bank, block: &mut Block, sample: usize, class: usize, target: bool) {
    let votes = votes::<S>(bank, block, class);
    let missing = if target { bank.threshold - votes } else { bank.threshold + votes };
    let probability = (((missing as u64) << 15) / bank.threshold as u64) as u32; // of 65536
    let limit = threshold(probability, bank.scalar.dither());
    if limit == 0 {
        return;
    }
    for word in 0..bank.words {
        let selected = S::select(&mut bank.lanes, limit) & bank.active[word];
        let at = class * bank.words + word;
        let current = block.current[word];
        let agree = if target { bank.positive[at] } else { !bank.positive[at] };
        let voted = selected & current;
        if voted != 0 {
            bank.positive[at] = S::add_weights(&mut bank.weights[at], voted, if target { 1 } else { -1 });
        }
        let memorise = voted & agree & !bank.over[word];
        let forget = selected & agree & !memorise;
        let lengthy = bank.lengthy[word];
        let due = S::count(&mut bank.pending[word], &bank.due[word], forget & !lengthy);

        for_each_bit(due, |lane| attend::<S>(bank, block, sample, word * 64 + lane));
        for_each_bit(forget & lengthy, |lane| forget_at_once::<S>(bank, block, sample, word * 64 + lane));
        for_each_bit(memorise, |lane| memorise_true::<S>(bank, block, sample, word * 64 + lane));
        for_each_bit(voted & !agree, |lane| reject_false::<S>(bank, block, sample, word * 64 + lane));
    }
}

#[inline(always)]
fn for_each_bit(mut bits: u64, mut act: impl FnMut(usize)) {
    while bits != 0 {
        act(bits.trailing_zeros() as usize);
        bits &= bits - 1;
    }
}

/// The byte thresholds of the tails P(X ≥ 1), P(X ≥ 2), … under one dither, as far as they are not zero.
struct Levels {
    levels: [u8; 64],
    len: usize,
}

impl Levels {
    #[inline(always)]
    fn new(tail: &[u32], dither: u32) -> Self {
        let mut levels = [0; 64];
        let mut len = 0;
        for (level, &p) in levels.iter_mut().zip(tail) {
            let t = threshold(p, dither);
            if t == 0 {
                break;
            }
            *level = t as u8;
            len += 1;
        }
        Levels { levels, len }
    }
}

/// Takes up what is pending for a clause before an event that may include literals; returns how much that was.
#[inline(always)]
fn take_pending(bank: &mut Bank, clause: usize) -> u8 {
    let pending = std::mem::take(&mut bank.pending[clause / 64].0[clause % 64]);
    let passed = (pending - std::mem::take(&mut bank.since[clause])) as u32;
    bank.gap[clause] -= passed * bank.size[clause];
    pending
}

/// Type Ia: true literals +1, false literals −1 with probability 1/s, after the pending forgetting.
///
/// A false literal loses Binomial(pending + 1, 1/s), a true excluded one Binomial(pending, 1/s) before it gains one: a
/// single random byte a literal serves both.
#[inline(always)]
fn memorise_true<S: Simd>(bank: &mut Bank, block: &mut Block, sample: usize, clause: usize) {
    let pending = take_pending(bank, clause);
    let dither = bank.scalar.dither();
    let lost = Levels::new(bank.tails.row(pending + 1), dither);
    let kept = Levels::new(bank.tails.row(pending), dither);
    let forget = threshold(bank.forget, dither) as u8;
    let (boost, chunks) = (bank.boost, bank.chunks);
    let cells = clause * chunks..(clause + 1) * chunks;
    let mut changed = 0;
    let row = block.row(sample);
    for ((line, old), &x) in bank.states[cells.clone()].iter_mut().zip(&mut bank.included[cells]).zip(row) {
        let mut state = S::load(&line.0);
        let truth = S::mask(x);
        let excluded = S::mask(!*old);
        let bytes = S::random(&mut bank.lanes);
        for level in 0..lost.len {
            let limit = S::blend(truth, S::splat(lost.levels[level]), S::splat(kept.levels[level]));
            state = S::decrement(state, S::and(S::less(bytes, limit), excluded));
        }
        let gains = if boost {
            truth
        } else {
            let again = S::random(&mut bank.lanes);
            S::and(truth, S::not(S::less(again, S::splat(forget))))
        };
        state = S::increment(state, gains);
        S::store(&mut line.0, state);
        let new = S::top_bits(state);
        changed |= *old ^ new;
        *old = new;
    }
    settle(bank, block, sample, clause, changed);
}

/// Type II: every false literal +1, after the pending forgetting. The clause is true, so all false literals are excluded.
#[inline(always)]
fn reject_false<S: Simd>(bank: &mut Bank, block: &mut Block, sample: usize, clause: usize) {
    let pending = take_pending(bank, clause);
    let chunks = bank.chunks;
    let cells = clause * chunks..(clause + 1) * chunks;
    let mut changed = 0;
    let levels = if pending > 0 {
        Levels::new(bank.tails.row(pending), bank.scalar.dither())
    } else {
        Levels { levels: [0; 64], len: 0 }
    };
    let row = block.row(sample);
    for (((line, old), &x), &valid) in
        bank.states[cells.clone()].iter_mut().zip(&mut bank.included[cells]).zip(row).zip(&block.valid)
    {
        let mut state = S::load(&line.0);
        if pending > 0 {
            let excluded = S::mask(!*old);
            let bytes = S::random(&mut bank.lanes);
            for &level in &levels.levels[..levels.len] {
                state = S::decrement(state, S::and(S::less(bytes, S::splat(level)), excluded));
            }
        }
        state = S::increment(state, S::mask(!x & valid));
        S::store(&mut line.0, state);
        let new = S::top_bits(state);
        changed |= *old ^ new;
        *old = new;
    }
    settle(bank, block, sample, clause, changed);
}

/// Type Ib at once, on all literals of a long clause (nothing is pending for those).
#[inline(never)]
fn forget_at_once<S: Simd>(bank: &mut Bank, block: &mut Block, sample: usize, clause: usize) {
    let level = S::splat(threshold(bank.forget, bank.scalar.dither()) as u8);
    let chunks = bank.chunks;
    let cells = clause * chunks..(clause + 1) * chunks;
    let mut changed = 0;
    for (line, old) in bank.states[cells.clone()].iter_mut().zip(&mut bank.included[cells]) {
        let bytes = S::random(&mut bank.lanes);
        let state = S::decrement(S::load(&line.0), S::less(bytes, level));
        S::store(&mut line.0, state);
        let new = S::top_bits(state);
        changed |= *old ^ new;
        *old = new;
    }
    settle(bank, block, sample, clause, changed);
}

/// A clause whose pending Type Ib events include one that hits an included literal, or are as many as may be.
#[inline(never)]
fn attend<S: Simd>(bank: &mut Bank, block: &mut Block, sample: usize, clause: usize) {
    let chunks = bank.chunks;
    let cells = clause * chunks..(clause + 1) * chunks;
    let pending = bank.pending[clause / 64].0[clause % 64];
    let (size, passed) = (bank.size[clause], (pending - bank.since[clause]) as u32);
    bank.since[clause] = pending;
    let mut excluded = 0;
    if bank.gap[clause] >= passed * size {
        bank.gap[clause] -= passed * size;
    } else {
        let mut position = bank.gap[clause] - (passed - 1) * size;
        while position < size {
            let literal = nth_bit(&bank.included[cells.clone()], position);
            let state = &mut bank.states[clause * chunks + literal / 64].0[literal % 64];
            *state -= 1;
            excluded += (*state < crate::bank::INCLUDE) as u32;
            position += 1 + bank.gaps.draw(&mut bank.scalar);
        }
        bank.gap[clause] = position - size;
    }
    if excluded > 0 || pending == bank.tails.most() {
        let levels = Levels::new(bank.tails.row(pending), bank.scalar.dither());
        for (line, old) in bank.states[cells.clone()].iter_mut().zip(&mut bank.included[cells]) {
            let mut state = S::load(&line.0);
            let before = S::mask(!*old);
            let bytes = S::random(&mut bank.lanes);
            for &level in &levels.levels[..levels.len] {
                state = S::decrement(state, S::and(S::less(bytes, S::splat(level)), before));
            }
            S::store(&mut line.0, state);
            *old = S::top_bits(state);
        }
        bank.pending[clause / 64].0[clause % 64] = 0;
        bank.since[clause] = 0;
    }
    settle(bank, block, sample, clause, (excluded > 0) as u64);
}

/// The position of the n-th set bit.
fn nth_bit(words: &[u64], mut n: u32) -> usize {
    for (i, &word) in words.iter().enumerate() {
        let ones = word.count_ones();
        if n < ones {
            let mut rest = word;
            for _ in 0..n {
                rest &= rest - 1;
            }
            return i * 64 + rest.trailing_zeros() as usize;
        }
        n -= ones;
    }
    unreachable!("a clause's size is its number of included literals")
}

/// After an event: size, output and schedule of the clause.
#[inline(always)]
fn settle(bank: &mut Bank, block: &mut Block, sample: usize, clause: usize, changed: u64) {
    if changed != 0 {
        reshape(bank, block, sample, clause);
    }
    bank.schedule(clause);
}

#[inline(never)]
fn reshape(bank: &mut Bank, block: &mut Block, sample: usize, clause: usize) {
    let included = &bank.included[clause * bank.chunks..(clause + 1) * bank.chunks];
    let size = included.iter().map(|w| w.count_ones()).sum();
    bank.resize(clause, size);
    block.evaluate(bank, clause);
    let (word, lane) = (clause / 64, clause % 64);
    let output = block.outputs_of(sample, word).0[lane] >> (sample % 64) & 1;
    block.current[word] = block.current[word] & !(1 << lane) | output << lane;
}
