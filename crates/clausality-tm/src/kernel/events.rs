//! What feedback does to one clause.
//!
//! Type Ib is deferred for excluded literals (see [`Bank`]); whatever is pending is settled here, before an event that may
//! include a literal: as one Binomial(pending, 1/s) draw a literal.

use super::block::Block;
use super::simd::Simd;
use crate::bank::{Bank, GONE, INCLUDE, Line};
use crate::draws::{Lanes, Tails, threshold};

/// The automata of one clause in up to four neighbouring chunks, and the literals of the sample there.
pub(super) struct Group<'a, const C: usize> {
    states: &'a mut [Line<u8>; C],
    streamed: &'a mut [u64; C],
    row: &'a [u64; C],
    /// Literals that exist.
    valid: &'a [u64; C],
}

impl<const C: usize> Group<'_, C> {
    #[inline(always)]
    fn load<S: Simd>(&self) -> [S::Bytes; C] {
        let mut states = [S::splat(0); C];
        for (state, line) in states.iter_mut().zip(self.states.iter()) {
            *state = S::load(&line.0);
        }
        states
    }

    /// Stores new, settled states; tells whether the stream changed.
    #[inline(always)]
    fn store<S: Simd>(&mut self, states: [S::Bytes; C]) -> bool {
        let mut changed = 0;
        for ((&state, line), streamed) in
            states.iter().zip(self.states.iter_mut()).zip(self.streamed.iter_mut())
        {
            S::store(&mut line.0, state);
            let new = S::top_bits(state);
            changed |= *streamed ^ new;
            *streamed = new;
        }
        changed != 0
    }

    /// The draws of the literals outside the stream.
    #[inline(always)]
    fn outside<S: Simd>(&self, bytes: &[S::Bytes; C]) -> [S::Bytes; C] {
        let mut outside = *bytes;
        for (byte, &streamed) in outside.iter_mut().zip(self.streamed.iter()) {
            *byte = S::spare(*byte, streamed);
        }
        outside
    }

    /// Subtracts a Binomial draw from the literals outside the stream: one for every tail probability above the byte.
    #[inline(always)]
    fn subtract<S: Simd>(
        &self,
        states: &mut [S::Bytes; C],
        bytes: &[S::Bytes; C],
        tail: &[u32],
        dither: u32,
    ) {
        let bytes = self.outside::<S>(bytes);
        for &p in tail {
            let limit = threshold(p, dither);
            if limit == 0 {
                break;
            }
            let limit = S::splat(limit as u8);
            for c in 0..C {
                states[c] = S::lose(states[c], bytes[c], limit);
            }
        }
    }
}

#[inline(always)]
fn draw<S: Simd, const C: usize>(lanes: &mut Lanes) -> [S::Bytes; C] {
    let mut bytes = [S::splat(0); C];
    for byte in &mut bytes {
        *byte = S::random(lanes);
    }
    bytes
}

/// One kind of event on a group of chunks; tells whether the stream changed.
pub(super) trait Event<S: Simd> {
    fn apply<const C: usize>(&self, lanes: &mut Lanes, group: Group<'_, C>) -> bool;
}

/// Runs an event over all chunks of a clause, four at a time: thresholds are then spread over the lanes once, not once a
/// chunk, and a table of up to 256 literals is a single group.
#[inline(always)]
pub(super) fn run<S: Simd, E: Event<S>>(
    bank: &mut Bank,
    block: &Block,
    sample: usize,
    clause: usize,
    event: E,
) -> bool {
    let cells = clause * bank.chunks..(clause + 1) * bank.chunks;
    let mut states = &mut bank.states[cells.clone()];
    let mut streamed = &mut bank.streamed[cells];
    let mut row = block.row(sample);
    let mut valid = &block.valid[..];
    let mut changed = false;
    macro_rules! group {
        ($count:literal) => {{
            let (Some(s), Some(i), Some(r), Some(v)) = (
                states.split_first_chunk_mut::<$count>(),
                streamed.split_first_chunk_mut::<$count>(),
                row.split_first_chunk::<$count>(),
                valid.split_first_chunk::<$count>(),
            ) else {
                unreachable!("all four are one clause's chunks")
            };
            changed |=
                event.apply(&mut bank.lanes, Group { states: s.0, streamed: i.0, row: r.0, valid: v.0 });
            (states, streamed, row, valid) = (s.1, i.1, r.1, v.1);
        }};
    }
    loop {
        match row.len() {
            0 => return changed,
            1 => group!(1),
            2 => group!(2),
            3 => group!(3),
            _ => group!(4),
        }
    }
}

/// Takes up what is pending for a clause before an event that may include literals; returns how much that was.
#[inline(always)]
pub(super) fn take_pending(bank: &mut Bank, clause: usize) -> u8 {
    let pending = std::mem::take(&mut bank.pending[clause / 64].0[clause % 64]);
    let passed = (pending - std::mem::take(&mut bank.since[clause])) as u32;
    bank.gap[clause] -= passed * bank.members[clause].len() as u32;
    pending
}

/// Type Ia: true literals +1, false literals −1 with probability 1/s, after the pending forgetting.
///
/// Outside the stream a false literal loses Binomial(pending + 1, 1/s), a true one Binomial(pending, 1/s) before it gains
/// one; in the stream a false one loses with probability 1/s: a single random byte a literal serves all three. Without boost a true literal gains by a second byte, with probability
/// (s − 1)/s only.
struct Memorise<'a> {
    lost: &'a [u32],
    kept: &'a [u32],
    boost: bool,
    forget: u32,
    dither: u32,
}

impl<S: Simd> Event<S> for Memorise<'_> {
    #[inline(always)]
    fn apply<const C: usize>(&self, lanes: &mut Lanes, mut group: Group<'_, C>) -> bool {
        let mut states = group.load::<S>();
        let bytes = draw::<S, C>(lanes);
        let outside = group.outside::<S>(&bytes);
        for (level, &p) in self.lost.iter().enumerate() {
            let limit = threshold(p, self.dither);
            if limit == 0 {
                break;
            }
            let kept = self.kept.get(level).map_or(0, |&p| threshold(p, self.dither));
            let (if_false, if_true) = (S::splat(limit as u8), S::splat(kept as u8));
            for c in 0..C {
                let limit = S::blend(S::mask(group.row[c]), if_false, if_true);
                states[c] = S::lose(states[c], outside[c], limit);
            }
        }
        let forget = S::splat(threshold(self.forget, self.dither) as u8);
        // The clause is true, so what is false in its stream was excluded since the last settling: seldom anything.
        let mut gone = 0;
        for c in 0..C {
            gone |= group.streamed[c] & !group.row[c];
        }
        if gone != 0 {
            for c in 0..C {
                let bytes = S::spare(bytes[c], !group.streamed[c] | group.row[c]);
                states[c] = S::lose(states[c], bytes, forget);
            }
        }
        if self.boost {
            for (state, &row) in states.iter_mut().zip(group.row) {
                *state = S::increment(*state, S::mask(row));
            }
        } else {
            let again = draw::<S, C>(lanes);
            for c in 0..C {
                let gains = S::and(S::mask(group.row[c]), S::not(S::less(again[c], forget)));
                states[c] = S::increment(states[c], gains);
            }
        }
        group.store::<S>(states)
    }
}

#[inline(always)]
pub(super) fn memorise_true<S: Simd>(
    bank: &mut Bank,
    tails: &Tails,
    block: &mut Block,
    sample: usize,
    clause: usize,
) {
    let pending = take_pending(bank, clause);
    let event = Memorise {
        lost: tails.row(pending + 1),
        kept: tails.row(pending),
        boost: bank.boost,
        forget: bank.forget,
        dither: bank.scalar.dither(),
    };
    let changed = run::<S, _>(bank, block, sample, clause, event);
    settle(bank, block, sample, clause, changed);
}

/// Type II: every false literal +1, after the pending forgetting. The clause is true, so all false literals are excluded.
struct Reject<'a> {
    pending: bool,
    tail: &'a [u32],
    dither: u32,
}

impl<S: Simd> Event<S> for Reject<'_> {
    #[inline(always)]
    fn apply<const C: usize>(&self, lanes: &mut Lanes, mut group: Group<'_, C>) -> bool {
        let mut states = group.load::<S>();
        if self.pending {
            let bytes = draw::<S, C>(lanes);
            group.subtract::<S>(&mut states, &bytes, self.tail, self.dither);
        }
        for ((state, &row), &valid) in states.iter_mut().zip(group.row).zip(group.valid) {
            *state = S::increment(*state, S::mask(!row & valid));
        }
        group.store::<S>(states)
    }
}

#[inline(always)]
pub(super) fn reject_false<S: Simd>(
    bank: &mut Bank,
    tails: &Tails,
    block: &mut Block,
    sample: usize,
    clause: usize,
) {
    let pending = take_pending(bank, clause);
    let dither = if pending > 0 { bank.scalar.dither() } else { 0 };
    let event = Reject { pending: pending > 0, tail: tails.row(pending), dither };
    let changed = run::<S, _>(bank, block, sample, clause, event);
    settle(bank, block, sample, clause, changed);
}

/// Type Ib at once, on all literals of a long clause (nothing is pending for those).
struct Forget {
    limit: u32,
}

impl<S: Simd> Event<S> for Forget {
    #[inline(always)]
    fn apply<const C: usize>(&self, lanes: &mut Lanes, mut group: Group<'_, C>) -> bool {
        let mut states = group.load::<S>();
        let bytes = draw::<S, C>(lanes);
        let limit = S::splat(self.limit as u8);
        for c in 0..C {
            states[c] = S::lose(states[c], bytes[c], limit);
        }
        group.store::<S>(states)
    }
}

#[inline(always)]
pub(super) fn forget_at_once<S: Simd>(bank: &mut Bank, block: &mut Block, sample: usize, clause: usize) {
    let limit = threshold(bank.forget, bank.scalar.dither());
    let changed = run::<S, _>(bank, block, sample, clause, Forget { limit });
    settle(bank, block, sample, clause, changed);
}

/// The pending forgetting alone.
pub(super) struct Settle<'a> {
    pub(super) tail: &'a [u32],
    pub(super) dither: u32,
}

impl<S: Simd> Event<S> for Settle<'_> {
    #[inline(always)]
    fn apply<const C: usize>(&self, lanes: &mut Lanes, mut group: Group<'_, C>) -> bool {
        let mut states = group.load::<S>();
        let bytes = draw::<S, C>(lanes);
        group.subtract::<S>(&mut states, &bytes, self.tail, self.dither);
        group.store::<S>(states)
    }
}

/// A clause whose pending Type Ib events include one that hits a literal in the stream, or are as many as may be.
#[inline(always)]
pub(super) fn attend<S: Simd>(
    bank: &mut Bank,
    tails: &Tails,
    block: &mut Block,
    sample: usize,
    clause: usize,
) {
    let pending = bank.pending[clause / 64].0[clause % 64];
    let trials = bank.members[clause].len() as u32;
    let passed = (pending - bank.since[clause]) as u32;
    bank.since[clause] = pending;
    if bank.gap[clause] >= passed * trials {
        bank.gap[clause] -= passed * trials;
    } else {
        let mut position = bank.gap[clause] - (passed - 1) * trials;
        let size = bank.size[clause];
        let mut left = size;
        while position < trials {
            let member = &mut bank.members[clause][position as usize];
            let literal = (*member & !GONE) as usize;
            let state = &mut bank.states[clause * bank.chunks + literal / 64].0[literal % 64];
            if *state == INCLUDE {
                *member |= GONE;
                left -= 1;
            }
            *state = state.saturating_sub(1);
            position += 1 + bank.gaps.draw(&mut bank.scalar);
        }
        bank.gap[clause] = position - trials;
        if left < size {
            bank.resize(clause, left);
            reevaluate(bank, block, sample, clause);
        }
    }
    if pending < tails.most() {
        return bank.schedule(clause);
    }
    let event = Settle { tail: tails.row(pending), dither: bank.scalar.dither() };
    let changed = run::<S, _>(bank, block, sample, clause, event);
    bank.pending[clause / 64].0[clause % 64] = 0;
    bank.since[clause] = 0;
    settle(bank, block, sample, clause, changed);
}

/// After a settling event: literals, output and schedule of the clause. A literal that was gone may be back in the stream
/// without having changed it.
#[inline(always)]
pub(super) fn settle(bank: &mut Bank, block: &mut Block, sample: usize, clause: usize, changed: bool) {
    if changed || bank.size[clause] as usize != bank.members[clause].len() {
        bank.list_members(clause);
        reevaluate(bank, block, sample, clause);
    }
    bank.schedule(clause);
}

#[inline(always)]
fn reevaluate(bank: &Bank, block: &mut Block, sample: usize, clause: usize) {
    block.evaluate(bank, clause);
    let (word, lane) = (clause / 64, clause % 64);
    let output = block.outputs_of(sample, word).0[lane] >> (sample % 64) & 1;
    block.current[word] = (block.current[word] & !(1 << lane)) | (output << lane);
}
