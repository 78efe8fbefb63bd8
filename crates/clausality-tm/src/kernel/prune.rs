//! Type III feedback: literals that tell nothing beside the others of their clause are pruned.
//!
//! Granmo, Andersen, Jiao, Zhang, Blakely, Berge & Wang, "Learning Minimalistic Tsetlin Machine Clauses with Markov Boundary-Guided
//! Pruning" (arXiv 2309.06315). Every literal l of a clause j has a counter q (0 … 255, at first 255) and a flag b (at first 0). After
//! Type I and II of one of the two classes (a coin says which), with p that class's probability of learning, for every clause:
//!
//! ```text
//! τ = the clause's sign agrees with the lesson
//! c_j = 1:  if τ, with probability 1 − 1/d:  q_l + 1 where b_l = 1 and l is true
//!           q_l − 1 where b_l = 0 and l is true;   then b_l ← 1 where it was 0, and if τ, b_l ← 0 where it was 1
//! c_j = 0 because of one included literal l alone:  b_l ← 1 if it was 0; ← 0 if it was 1 and τ
//! with probability p:  the automaton of l − 1 wherever q_l < 128
//! ```
//!
//! A literal without which the clause would be true as often, and right as often, is seen to fall; d says how slowly.
//!
//! **Our reading.** As tmu (`cb_type_iii_feedback`), but for the place of the one false literal, which tmu takes within its word only.
//! Type Ib that is pending is settled before automata are touched. What is false of a literal that does not exist changes nothing.

use super::block::Block;
use super::events::{Settle, run, settle, take_pending};
use super::simd::Simd;
use super::{Bits, Lesson};
use crate::bank::{Bank, INCLUDE};
use crate::draws::{Tails, threshold};

#[inline(always)]
pub(super) fn prune<S: Simd>(
    bank: &mut Bank,
    tails: &Tails,
    block: &mut Block,
    sample: usize,
    lesson: &Lesson,
) {
    let limit = threshold(lesson.probability(bank.threshold), bank.scalar.dither());
    for word in 0..bank.words {
        let selected = S::select(&mut bank.lanes, limit);
        let agree = lesson.agree(bank, word);
        for lane in Bits(bank.active[word]) {
            let (clause, agrees) = (word * 64 + lane, agree >> lane & 1 == 1);
            if block.current[word] >> lane & 1 == 1 {
                witness::<S>(bank, block.row(sample), clause, agrees);
            } else if let Some(literal) = single_false(bank, block.row(sample), clause) {
                turn(bank, clause, literal, agrees);
            }
            if selected >> lane & 1 == 1 {
                cut::<S>(bank, tails, block, sample, clause);
            }
        }
    }
}

/// A clause is true: its true literals are needed where the flag is set, and not where it is not.
#[inline(always)]
fn witness<S: Simd>(bank: &mut Bank, row: &[u64], clause: usize, agrees: bool) {
    let Some(pruning) = &mut bank.pruning else { return };
    let believed = agrees && ((bank.scalar.next() >> 32) as u32) < pruning.believe;
    let cells = clause * bank.chunks..(clause + 1) * bank.chunks;
    for ((need, flag), &row) in pruning.need[cells.clone()].iter_mut().zip(&mut pruning.flag[cells]).zip(row)
    {
        let mut counted = S::load(&need.0);
        if believed {
            counted = S::increment(counted, S::mask(*flag & row));
        }
        S::store(&mut need.0, less_one::<S>(counted, !*flag & row));
        *flag = if agrees { !*flag } else { u64::MAX };
    }
}

/// Saturating −1 where a bit is set.
#[inline(always)]
fn less_one<S: Simd>(bytes: S::Bytes, bits: u64) -> S::Bytes {
    S::lose(bytes, S::spare(S::splat(0), !bits), S::splat(1))
}

/// The one included literal that makes a clause false, if there is only one.
#[inline(always)]
fn single_false(bank: &Bank, row: &[u64], clause: usize) -> Option<usize> {
    let is_false = |literal: &usize| row[literal / 64] >> (literal % 64) & 1 == 0;
    let mut all = bank.included(clause).map(|literal| literal as usize).filter(is_false);
    all.next().filter(|_| all.next().is_none())
}

#[inline(always)]
fn turn(bank: &mut Bank, clause: usize, literal: usize, agrees: bool) {
    let Some(pruning) = &mut bank.pruning else { return };
    let (flag, bit) = (&mut pruning.flag[clause * bank.chunks + literal / 64], 1 << (literal % 64));
    *flag = if agrees { *flag ^ bit } else { *flag | bit };
}

/// Every automaton whose literal is not needed −1, after the pending forgetting.
#[inline(always)]
fn cut<S: Simd>(bank: &mut Bank, tails: &Tails, block: &mut Block, sample: usize, clause: usize) {
    let cells = clause * bank.chunks..(clause + 1) * bank.chunks;
    // A counter has its top bit just as a state has.
    let needless = |bank: &Bank, cell: usize| {
        bank.pruning.as_ref().map_or(0, |pruning| !S::top_bits(S::load(&pruning.need[cell].0)))
    };
    if cells.clone().all(|cell| needless(bank, cell) == 0) {
        return;
    }
    let pending = take_pending(bank, clause);
    let mut changed = false;
    if pending > 0 {
        let event = Settle { tail: tails.row(pending), dither: bank.scalar.dither() };
        changed = run::<S, _>(bank, block, sample, clause, event);
    }
    for cell in cells {
        let less = less_one::<S>(S::load(&bank.states[cell].0), needless(bank, cell));
        S::store(&mut bank.states[cell].0, less);
        let included = S::top_bits(less);
        changed |= bank.streamed[cell] != included;
        bank.streamed[cell] = included;
    }
    settle(bank, block, sample, clause, changed);
}

const _: () = assert!(INCLUDE == 128, "the top bit of a counter says whether its literal is needed");
