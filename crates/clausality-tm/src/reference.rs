//! The machine once more, slow and obvious: no packing, no cached outputs, no schedule.
//!
//! It shares with the fast paths only the definition of the draws, and must give the same bits.

use crate::bank::believe;
use crate::draws::{Gaps, Lanes, Scalar, SplitMix, Tails, fixed, threshold};
use crate::{BitMatrix, Negatives, Params};

pub(crate) struct Clause {
    pub(crate) states: Vec<u8>,
    /// Type Ib events that the excluded literals have still to suffer.
    pub(crate) pending: u8,
    /// Literals whose forgetting acts at once: those included at the last settling.
    streamed: Vec<bool>,
    /// Failures before the next success among the Type Ib trials of the streamed literals.
    pub(crate) gap: u32,
    active: bool,
    /// Of Type III: how much each literal is needed, and its flag.
    pub(crate) need: Vec<u8>,
    pub(crate) flag: Vec<bool>,
}

impl Clause {
    fn includes(&self, literal: usize) -> bool {
        self.states[literal] >= 128
    }
    pub(crate) fn size(&self) -> usize {
        self.states.iter().filter(|&&s| s >= 128).count()
    }
    fn settled(&mut self) {
        self.pending = 0;
        self.streamed = (0..self.states.len()).map(|l| self.includes(l)).collect();
    }
    fn is_true(&self, row: &[bool]) -> bool {
        (0..row.len()).all(|l| !self.includes(l) || row[l])
    }
}

pub(crate) struct Reference {
    pub(crate) clauses: Vec<Clause>,
    pub(crate) weights: Vec<Vec<i32>>,
    pub(crate) lanes: Lanes,
    pub(crate) scalar: Scalar,
    params: Params,
    tails: Tails,
    gaps: Gaps,
    long: usize,
}

impl Reference {
    pub(crate) fn new(literals: usize, classes: usize, params: &Params, seed: u64) -> Self {
        let mut mix = SplitMix(seed);
        let lanes = Lanes::new(&mut mix);
        let mut scalar = Scalar::new(&mut mix);
        let gaps = Gaps::new(params.specificity);
        let draw_weight = |scalar: &mut Scalar| if scalar.next() >> 63 == 1 { 1 } else { -1 };
        let weights =
            (0..classes).map(|_| (0..params.clauses).map(|_| draw_weight(&mut scalar)).collect()).collect();
        let clauses = (0..params.clauses)
            .map(|_| Clause {
                states: vec![127; literals],
                pending: 0,
                streamed: vec![false; literals],
                gap: gaps.draw(&mut scalar),
                active: true,
                need: vec![255; literals],
                flag: vec![false; literals],
            })
            .collect();
        let long = 8 + params.specificity as usize * literals.div_ceil(64) / 2;
        Reference {
            clauses,
            weights,
            lanes,
            scalar,
            params: params.clone(),
            tails: Tails::new(params.specificity),
            gaps,
            long,
        }
    }

    pub(crate) fn fit_epoch(&mut self, rows: &BitMatrix, labels: &[u32]) {
        let mut order: Vec<u32> = (0..labels.len() as u32).collect();
        self.scalar.shuffle(&mut order);
        let drop = (self.params.drop_clause * 4294967296.0) as u32;
        for clause in &mut self.clauses {
            clause.active = !(drop > 0 && ((self.scalar.next() >> 32) as u32) < drop);
        }
        for index in order {
            let row: Vec<bool> = (0..rows.literals()).map(|l| rows.is_set(index as usize, l)).collect();
            let label = labels[index as usize] as usize;
            let own = self.votes(&row, label);
            let other = self.negative(&row, label).map(|class| (class, self.votes(&row, class)));
            let pruned = self.params.type_iii.map(|_| self.scalar.next() >> 63 == 1);
            let lessons = [Some((label, own, true)), other.map(|(class, votes)| (class, votes, false))];
            for (class, votes, target) in lessons.into_iter().flatten() {
                self.update(&row, class, votes, target);
                if pruned == Some(target) {
                    self.prune(&row, class, votes, target);
                }
            }
        }
    }

    fn votes(&self, row: &[bool], class: usize) -> i32 {
        let threshold = self.params.threshold as i32;
        let voting =
            self.clauses.iter().zip(&self.weights[class]).filter(|(c, _)| c.active && c.is_true(row));
        voting.map(|(_, w)| w).sum::<i32>().clamp(-threshold, threshold)
    }

    fn negative(&mut self, row: &[bool], label: usize) -> Option<usize> {
        let classes = self.weights.len();
        if self.params.negatives == Negatives::Uniform {
            let other = self.scalar.below(classes as u32 - 1) as usize;
            return Some(if other >= label { other + 1 } else { other });
        }
        let threshold = self.params.threshold as i32;
        let mass: Vec<u64> = (0..classes)
            .map(|k| if k == label { 0 } else { (threshold + self.votes(row, k)) as u64 })
            .collect();
        let total: u64 = mass.iter().sum();
        if total == 0 {
            return None;
        }
        let at = ((self.scalar.next() >> 32) * total) >> 32;
        (0..classes).find(|&k| at < mass[..=k].iter().sum())
    }

    fn limit(&mut self, votes: i32, target: bool) -> u32 {
        let (t, votes) = (self.params.threshold as i64, votes as i64);
        let missing = if target { t - votes } else { t + votes };
        threshold((missing * 65536 / (2 * t)) as u32, self.scalar.dither())
    }

    fn update(&mut self, row: &[bool], class: usize, votes: i32, target: bool) {
        let limit = self.limit(votes, target);
        if limit == 0 {
            return;
        }
        let budget = self.params.literal_budget.unwrap_or(usize::MAX);
        for first in (0..self.clauses.len()).step_by(64) {
            let bytes = self.lanes.next();
            let (mut due, mut at_once, mut memorise, mut reject) = (vec![], vec![], vec![], vec![]);
            for j in first..self.clauses.len().min(first + 64) {
                let clause = &self.clauses[j];
                if bytes[j - first] as u32 >= limit || !clause.active {
                    continue;
                }
                let agrees = (self.weights[class][j] >= 0) == target;
                let is_true = clause.is_true(row);
                if is_true {
                    self.weights[class][j] += if target { 1 } else { -1 };
                }
                match (agrees, is_true) {
                    (true, true) if clause.size() <= budget => memorise.push(j),
                    (true, _) if clause.size() > self.long => at_once.push(j),
                    (true, _) => due.push(j),
                    (false, true) => reject.push(j),
                    (false, false) => {}
                }
            }
            due.into_iter().for_each(|j| self.forget(j));
            at_once.into_iter().for_each(|j| self.forget_at_once(j));
            memorise.into_iter().for_each(|j| self.memorise(j, row));
            reject.into_iter().for_each(|j| self.reject(j, row));
        }
    }

    /// One random byte a literal, padded to whole chunks of 64.
    fn bytes(&mut self, literals: usize) -> Vec<u8> {
        (0..literals.div_ceil(64)).flat_map(|_| self.lanes.next()).collect()
    }

    /// Binomial(n, 1/s) from one byte: the number of tails above it.
    fn binomial(tails: &Tails, n: u8, byte: u8, dither: u32) -> u8 {
        tails.row(n).iter().take_while(|&&p| (byte as u32) < threshold(p, dither)).count() as u8
    }

    /// Type Ib, deferred for literals outside the stream.
    fn forget(&mut self, j: usize) {
        let clause = &mut self.clauses[j];
        clause.pending += 1;
        for literal in (0..clause.states.len()).filter(|&l| clause.streamed[l]) {
            if clause.gap > 0 {
                clause.gap -= 1;
                continue;
            }
            clause.states[literal] = clause.states[literal].saturating_sub(1);
            clause.gap = self.gaps.draw(&mut self.scalar);
        }
        if self.clauses[j].pending == self.tails.most() {
            self.settle(j);
        }
    }

    /// What is pending.
    fn settle(&mut self, j: usize) {
        if self.clauses[j].pending == 0 {
            return;
        }
        let dither = self.scalar.dither();
        let bytes = self.bytes(self.clauses[j].states.len());
        let clause = &mut self.clauses[j];
        for literal in (0..clause.states.len()).filter(|&l| !clause.streamed[l]) {
            let lost = Self::binomial(&self.tails, clause.pending, bytes[literal], dither);
            clause.states[literal] = clause.states[literal].saturating_sub(lost);
        }
        clause.settled();
    }

    fn forget_at_once(&mut self, j: usize) {
        let limit = threshold(fixed(1.0 / self.params.specificity), self.scalar.dither());
        let bytes = self.bytes(self.clauses[j].states.len());
        for (state, byte) in self.clauses[j].states.iter_mut().zip(bytes) {
            *state = state.saturating_sub(((byte as u32) < limit) as u8);
        }
        self.clauses[j].settled();
    }

    /// Type Ia.
    fn memorise(&mut self, j: usize, row: &[bool]) {
        let dither = self.scalar.dither();
        let forget = threshold(fixed(1.0 / self.params.specificity), dither);
        // Literals are served in groups of 256; without boost a group draws a second byte for each.
        for first in (0..row.len()).step_by(256) {
            let last = row.len().min(first + 256);
            let bytes = self.bytes(last - first);
            let again = if self.params.boost { vec![255; 256] } else { self.bytes(last - first) };
            let clause = &mut self.clauses[j];
            for literal in first..last {
                let before = if clause.streamed[literal] { 0 } else { clause.pending };
                let state = &mut clause.states[literal];
                let lost =
                    Self::binomial(&self.tails, before + !row[literal] as u8, bytes[literal - first], dither);
                *state = state.saturating_sub(lost);
                if row[literal] && (self.params.boost || again[literal - first] as u32 >= forget) {
                    *state = state.saturating_add(1);
                }
            }
        }
        self.clauses[j].settled();
    }

    /// Type II.
    fn reject(&mut self, j: usize, row: &[bool]) {
        let pending = self.clauses[j].pending;
        let (dither, bytes) = if pending > 0 {
            (self.scalar.dither(), self.bytes(row.len()))
        } else {
            (0, vec![255; row.len()])
        };
        let clause = &mut self.clauses[j];
        for literal in 0..row.len() {
            let streamed = clause.streamed[literal];
            let state = &mut clause.states[literal];
            if !streamed {
                *state = state.saturating_sub(Self::binomial(&self.tails, pending, bytes[literal], dither));
            }
            if !row[literal] {
                *state = state.saturating_add(1);
            }
        }
        clause.settled();
    }

    /// Type III.
    fn prune(&mut self, row: &[bool], class: usize, votes: i32, target: bool) {
        let limit = self.limit(votes, target);
        let believe = believe(self.params.type_iii.unwrap());
        for first in (0..self.clauses.len()).step_by(64) {
            let bytes = self.lanes.next();
            for j in first..self.clauses.len().min(first + 64) {
                let clause = &mut self.clauses[j];
                if !clause.active {
                    continue;
                }
                let agrees = (self.weights[class][j] >= 0) == target;
                let wrong: Vec<usize> = (0..row.len()).filter(|&l| clause.includes(l) && !row[l]).collect();
                if wrong.is_empty() {
                    let believed = agrees && ((self.scalar.next() >> 32) as u32) < believe;
                    for ((need, flag), &is_true) in clause.need.iter_mut().zip(&mut clause.flag).zip(row) {
                        match (is_true, *flag) {
                            (true, true) if believed => *need = need.saturating_add(1),
                            (true, false) => *need = need.saturating_sub(1),
                            _ => {}
                        }
                        *flag = !agrees || !*flag;
                    }
                } else if let [literal] = wrong[..] {
                    clause.flag[literal] = !agrees || !clause.flag[literal];
                }
                if (bytes[j - first] as u32) < limit {
                    self.cut(j);
                }
            }
        }
    }

    fn cut(&mut self, j: usize) {
        if self.clauses[j].need.iter().all(|&need| need >= 128) {
            return;
        }
        self.settle(j);
        let clause = &mut self.clauses[j];
        for (state, &need) in clause.states.iter_mut().zip(&clause.need) {
            *state = state.saturating_sub((need < 128) as u8);
        }
        clause.settled();
    }
}
