//! The training state of a machine: automata, weights, and the bookkeeping of deferred feedback.

use crate::draws::{Gaps, Lanes, Scalar, SplitMix, Tails, fixed};
use crate::{Error, Negatives, Params};
use std::sync::Arc;

/// Sixty-four lanes that start on a cache line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(C, align(64))]
pub(crate) struct Line<T>(pub(crate) [T; 64]);

/// Marks a literal in the stream that is no longer included.
pub(crate) const GONE: u32 = 1 << 31;

/// An automaton includes its literal from this state on.
pub(crate) const INCLUDE: u8 = 128;

/// Everything that training changes, in the layout all paths share.
///
/// Clauses come in words of 64, literals in chunks of 64. What is kept per clause in a `Vec<u64>` is one bit each.
///
/// **Deferred Type Ib.** Most feedback says "forget": every literal −1 with probability 1/s. On an *excluded* literal this
/// cannot change the clause's output, so it is only counted (`pending`) and settled, as one Binomial(pending, 1/s) draw a
/// literal, before the next event that can include it. On *included* literals it must act at once: the trials (event by
/// event, included literal by included literal) form one Bernoulli stream a clause, of which `gap` says how many failures
/// come before the next success. A literal that is excluded by such a success has its own share of what is pending, so it
/// stays in the stream until the next settling. `due` is the value of `pending` at which the clause needs attention: a
/// success falls into that event, or no more may be pending. Clauses with more than `long` literals forget at once.
#[derive(Debug, Clone)]
pub(crate) struct Bank {
    pub(crate) literals: usize,
    pub(crate) chunks: usize,
    pub(crate) clauses: usize,
    pub(crate) words: usize,
    pub(crate) classes: usize,
    pub(crate) threshold: i32,
    pub(crate) budget: u32,
    pub(crate) long: u32,
    pub(crate) boost: bool,
    pub(crate) negatives: Negatives,
    pub(crate) drop_clause: u32,
    /// 1/s in 1/65536ths.
    pub(crate) forget: u32,
    pub(crate) tails: Arc<Tails>,
    pub(crate) gaps: Gaps,

    /// States, clause by clause, chunk by chunk.
    pub(crate) states: Vec<Line<u8>>,
    /// Which literals are in the stream: the top bits of the states at the last settling.
    pub(crate) streamed: Vec<u64>,
    /// The same as lists, ascending, with [`GONE`] set on those excluded since.
    pub(crate) members: Vec<Vec<u32>>,
    /// How many literals are included.
    pub(crate) size: Vec<u32>,
    /// Votes, class by class, word by word.
    pub(crate) weights: Vec<Line<i32>>,
    /// Which weights are not negative.
    pub(crate) positive: Vec<u64>,
    pub(crate) pending: Vec<Line<u8>>,
    pub(crate) due: Vec<Line<u8>>,
    /// `pending` at the moment from which `gap` counts.
    pub(crate) since: Vec<u8>,
    pub(crate) gap: Vec<u32>,
    /// Clauses over the literal budget.
    pub(crate) over: Vec<u64>,
    /// Clauses that forget at once.
    pub(crate) lengthy: Vec<u64>,
    /// Clauses that take part in this epoch.
    pub(crate) active: Vec<u64>,
    pub(crate) lanes: Lanes,
    pub(crate) scalar: Scalar,
    /// What Type III feedback has seen, where there is such feedback.
    pub(crate) pruning: Option<Pruning>,
}

/// What Type III feedback has seen of every literal of every clause (`kernel/prune.rs`).
#[derive(Debug, Clone)]
pub(crate) struct Pruning {
    /// 1 − 1/d in 2⁻³² units: how often a literal that is needed is believed.
    pub(crate) believe: u32,
    /// q, laid out as the states are.
    pub(crate) need: Vec<Line<u8>>,
    /// b, laid out as the stream is.
    pub(crate) flag: Vec<u64>,
}

impl Pruning {
    fn new(d: f64, cells: usize) -> Self {
        Pruning { believe: believe(d), need: vec![Line([u8::MAX; 64]); cells], flag: vec![0; cells] }
    }
}

/// 1 − 1/d in 2⁻³² units.
pub(crate) fn believe(d: f64) -> u32 {
    ((1.0 - 1.0 / d) * 4294967296.0) as u32
}

impl Bank {
    pub(crate) fn new(literals: usize, classes: usize, params: &Params, seed: u64) -> Result<Self, Error> {
        params.check()?;
        if classes < 2 {
            return Err(Error::Parameter {
                name: "classes",
                value: classes.to_string(),
                expected: "at least 2",
            });
        }
        if literals < 1 {
            return Err(Error::Parameter { name: "literals", value: "0".into(), expected: "at least 1" });
        }
        let clauses = params.clauses;
        let (chunks, words) = (literals.div_ceil(64), clauses.div_ceil(64));
        let too_large = || Error::TooLarge { clauses, literals, classes };
        let cells =
            chunks.checked_mul(clauses).filter(|&c| c < isize::MAX as usize / 64).ok_or_else(too_large)?;
        let votes =
            words.checked_mul(classes).filter(|&c| c < isize::MAX as usize / 256).ok_or_else(too_large)?;

        let mut mix = SplitMix(seed);
        let lanes = Lanes::new(&mut mix);
        let scalar = Scalar::new(&mut mix);
        let gaps = Gaps::new(params.specificity);
        let tails = Tails::new(params.specificity);
        let most = tails.most();
        let mut bank = Bank {
            literals,
            chunks,
            clauses,
            words,
            classes,
            threshold: params.threshold as i32,
            budget: params.literal_budget.map_or(u32::MAX, |b| b.min(u32::MAX as usize) as u32),
            long: 8 + (params.specificity.min(1e6) as u32).saturating_mul(chunks as u32) / 2,
            boost: params.boost,
            negatives: params.negatives,
            drop_clause: (params.drop_clause * 4294967296.0) as u32,
            forget: fixed(1.0 / params.specificity),
            tails: Arc::new(tails),
            gaps,
            states: vec![Line([INCLUDE - 1; 64]); cells],
            streamed: vec![0; cells],
            members: vec![vec![]; clauses],
            size: vec![0; clauses],
            weights: vec![Line([0; 64]); votes],
            positive: vec![0; votes],
            pending: vec![Line([0; 64]); words],
            due: vec![Line([most; 64]); words],
            since: vec![0; clauses],
            gap: vec![0; clauses],
            over: vec![0; words],
            lengthy: vec![0; words],
            active: vec![0; words],
            lanes,
            scalar,
            pruning: params.type_iii.map(|d| Pruning::new(d, cells)),
        };
        for class in 0..classes {
            for clause in 0..clauses {
                let positive = bank.scalar.next() >> 63;
                let at = class * words + clause / 64;
                bank.weights[at].0[clause % 64] = if positive == 1 { 1 } else { -1 };
                bank.positive[at] |= positive << (clause % 64);
            }
        }
        for clause in 0..clauses {
            bank.gap[clause] = bank.gaps.draw(&mut bank.scalar);
        }
        Ok(bank)
    }

    /// What it holds, in bytes.
    #[cfg(test)]
    pub(crate) fn bytes(&self) -> usize {
        let members: usize = self.members.iter().map(|m| 24 + 4 * m.capacity()).sum();
        let words = [&self.streamed, &self.positive, &self.over, &self.lengthy, &self.active];
        let words: usize = words.iter().map(|w| 8 * w.capacity()).sum();
        let lines = 64 * (self.states.capacity() + self.pending.capacity() + self.due.capacity());
        let pruning = self.pruning.as_ref().map_or(0, |p| 64 * p.need.capacity() + 8 * p.flag.capacity());
        pruning + lines + words + members + 256 * self.weights.capacity() + 9 * self.clauses
    }

    /// Draws which clauses take part in the coming epoch.
    pub(crate) fn draw_active(&mut self) {
        for clause in 0..self.clauses {
            let dropped = self.drop_clause > 0 && ((self.scalar.next() >> 32) as u32) < self.drop_clause;
            let bit = 1 << (clause % 64);
            if dropped {
                self.active[clause / 64] &= !bit;
            } else {
                self.active[clause / 64] |= bit;
            }
        }
    }

    /// Where a clause's next attention falls, now that `pending`, `since`, `gap` and `members` are settled.
    #[inline(always)]
    pub(crate) fn schedule(&mut self, clause: usize) {
        let (line, lane) = (clause / 64, clause % 64);
        let most = self.tails.most() as u32;
        let pending = self.pending[line].0[lane] as u32;
        let (gap, trials) = (self.gap[clause], self.members[clause].len() as u32);
        let due =
            if trials == 0 || gap >= (most - pending) * trials { most } else { pending + gap / trials + 1 };
        self.due[line].0[lane] = due as u8;
    }

    /// Lists a clause's literals anew after a settling.
    #[inline(always)]
    pub(crate) fn list_members(&mut self, clause: usize) {
        let members = &mut self.members[clause];
        members.clear();
        for (chunk, &word) in
            self.streamed[clause * self.chunks..(clause + 1) * self.chunks].iter().enumerate()
        {
            let mut rest = word;
            while rest != 0 {
                members.push(chunk as u32 * 64 + rest.trailing_zeros());
                rest &= rest - 1;
            }
        }
        let size = members.len() as u32;
        self.resize(clause, size);
    }

    /// Takes note of a clause's number of literals.
    #[inline(always)]
    pub(crate) fn resize(&mut self, clause: usize, size: u32) {
        self.size[clause] = size;
        let (word, bit) = (clause / 64, 1 << (clause % 64));
        let put = |bits: &mut u64, yes: bool| if yes { *bits |= bit } else { *bits &= !bit };
        put(&mut self.over[word], size > self.budget);
        put(&mut self.lengthy[word], size > self.long);
    }

    /// The included literals of a clause, ascending.
    pub(crate) fn included(&self, clause: usize) -> impl Iterator<Item = u32> {
        self.members[clause].iter().copied().filter(|m| m & GONE == 0)
    }

    /// The class that is corrected beside the label.
    #[inline(always)]
    pub(crate) fn uniform_negative(&mut self, label: usize) -> usize {
        let other = self.scalar.below(self.classes as u32 - 1) as usize;
        other + (other >= label) as usize
    }

    /// Draws a class with probability proportional to its mass; none if there is no mass.
    pub(crate) fn focused_negative(&mut self, mass: &[u32]) -> Option<usize> {
        let total: u64 = mass.iter().map(|&m| m as u64).sum();
        if total == 0 {
            return None;
        }
        let mut at = ((self.scalar.next() >> 32) * total) >> 32;
        for (class, &m) in mass.iter().enumerate() {
            if at < m as u64 {
                return Some(class);
            }
            at -= m as u64;
        }
        None
    }
}
