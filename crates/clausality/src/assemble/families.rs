//! Scores of a node with a set of parents, many at a time.
//!
//! The search always asks the same question: what would each of these candidates add to this parent set? They are counted several in
//! one pass; each then costs a walk over its counts in which all logarithms are looked up (module `figures`).
//!
//! Work is spread over cores in two ways: a search has many nodes at once to find the parents of ([`Families::spread`]), and where it has but one, the
//! candidates are halved and two cores count ([`Families::expand`]). Who counts leaves no trace: the halves are the same on one core, what a candidate
//! adds does not depend on the others, and how much was counted is a sum.
//!
//! Where cells are missing, a family is counted on the rows that have all of it, and families with different rows must not be compared
//! as they are: module `fair` has the figure that may.

use super::bitwise;
use super::fair::Fair;
use super::figures::{Counted, Figure, IMPOSSIBLE, Tallies};
use crate::memory::product;
use crate::watch::{Cancelled, Watch};
use clausality_bn::counts::Count;
use clausality_bn::{Score, Table};
use std::sync::{Mutex, PoisonError};

/// The most cores that count: each has tables of its own.
const MOST_CORES: usize = 8;

/// What a core that counts row by row holds for each: the number of its cell, wide and narrow, and the cells that occur with their rows.
const COUNTED_BYTES: usize = 16;
/// And the counters of cells that are few.
const COUNTERS_BYTES: usize = 1 << 20;

/// Candidates times rows from which on two cores are quicker than one.
const WORTH_HALVING: usize = 100_000;

/// What counting the rows of a table in memory holds, beside the table.
pub(crate) fn counting_bytes(table: &Table) -> u64 {
    let cores = rayon::current_num_threads().min(MOST_CORES);
    let each = product(&[table.rows(), COUNTED_BYTES]).saturating_add(COUNTERS_BYTES as u64);
    bitwise::bytes(table, cores).saturating_add(each.saturating_mul(cores as u64))
}

/// Counts and scores families of a table, until the work is called off.
pub(super) struct Families<'t> {
    tallies: Tallies<'t>,
    /// The same for each further core. None where what was counted before leaves a trace, or where rows lie far away.
    others: Vec<Families<'t>>,
    /// What makes families comparable where cells are missing.
    fair: Option<Fair>,
    /// Whether the rows lie far away, and are counted by many there.
    far: bool,
    /// Rows that were counted for [`Families::expand_again`].
    again: u64,
}

impl<'t> Families<'t> {
    pub(super) fn new(
        count: impl Count + Clone + Send + 't,
        score: Score,
        parent_cost: f64,
        watch: &'t dyn Watch,
    ) -> Self {
        let alone = |count| {
            let tallies = Tallies::new(count, score, parent_cost, watch);
            Families { tallies, others: vec![], fair: None, far: false, again: 0 }
        };
        let cores = rayon::current_num_threads().min(MOST_CORES);
        let others = (1..cores).map(|_| alone(count.clone())).collect();
        Families { others, ..alone(count) }
    }

    /// Of a table with gaps: for each variable that has some, the column (of one state) that has the same ones.
    pub(super) fn with_gaps(self, present: Vec<Option<usize>>) -> Self {
        if present.iter().all(Option::is_none) {
            return self;
        }
        Families { fair: Some(Fair::new(present, self.tallies.rows())), others: vec![], ..self }
    }

    /// Of rows that lie far away.
    pub(super) fn far_away(self) -> Self {
        Families { far: true, others: vec![], ..self }
    }

    pub(super) fn are_far_away(&self) -> bool {
        self.far
    }

    /// Hears which nodes with which parents will be expanded next, and by which candidates: far away that is counted in one go.
    pub(super) fn foresee(&mut self, next: impl Iterator<Item = (usize, Vec<u32>, Vec<u32>)>) {
        if !self.far {
            return;
        }
        let mut families = Vec::new();
        for (node, set, candidates) in next {
            let family: Vec<usize> = set.iter().map(|&p| p as usize).chain([node]).collect();
            families.extend(candidates.iter().map(|&c| [&[c as usize], &family[..]].concat()));
            families.push(family);
        }
        self.tallies.foresee(families);
    }

    /// As [`Tallies::go_on`].
    pub(super) fn go_on(&mut self) -> Result<(), Cancelled> {
        self.tallies.go_on()
    }

    /// As [`Tallies::counted`], but for what was counted again.
    pub(super) fn counted(&self) -> u64 {
        let again = self.again + self.others.iter().map(|other| other.again).sum::<u64>();
        self.counted_with_again() - again
    }

    /// The same with it, by those cores that are not at work elsewhere.
    fn counted_with_again(&self) -> u64 {
        self.tallies.counted() + self.others.iter().map(|other| other.tallies.counted()).sum::<u64>()
    }

    /// Does all of the work, each piece on whichever core is free next. What a piece finds must not hang on the others.
    pub(super) fn spread<W: Send>(
        &mut self,
        work: Vec<W>,
        each: impl Fn(&mut Families<'t>, W) -> Result<(), Cancelled> + Sync,
    ) -> Result<(), Cancelled> {
        if work.len() < 2 || self.others.is_empty() {
            return work.into_iter().try_for_each(|piece| each(self, piece));
        }
        let mut others = std::mem::take(&mut self.others);
        let (further, left) = (work.len() - 1, Mutex::new(work.into_iter()));
        let next = || left.lock().unwrap_or_else(PoisonError::into_inner).next();
        let all = |families: &mut Families<'t>| {
            while let Some(piece) = next() {
                each(families, piece)?;
            }
            Ok(())
        };
        let mut ends = vec![Ok(()); others.len()];
        let own = rayon::scope(|scope| {
            for (other, end) in others.iter_mut().zip(&mut ends).take(further) {
                scope.spawn(|_| *end = all(other));
            }
            all(self)
        });
        self.others = others;
        ends.into_iter().fold(own, Result::and)
    }

    /// Whether a figure hangs on more than the rows: where cells are missing, on what was looked at before it (module `fair`).
    pub(super) fn hang_on_history(&self) -> bool {
        self.fair.is_some()
    }

    /// Forgets what figures hang on beside the rows. Wherever work may go on after an interruption it goes on so, interrupted or not.
    pub(super) fn forget(&mut self) {
        self.fair.iter_mut().for_each(Fair::forget);
    }

    /// As [`Tallies::parent_cost`].
    pub(super) fn parent_cost(&self) -> f64 {
        self.tallies.parent_cost()
    }

    /// The figures of `node` with the parents `set`, and with each candidate added to them; a table too large for its rows is impossible.
    pub(super) fn expand(
        &mut self,
        node: usize,
        set: &[u32],
        candidates: &[u32],
    ) -> Result<(Figure, Vec<Figure>), Cancelled> {
        let Families { tallies, others, fair, far, .. } = self;
        if let Some(fair) = fair {
            return fair.expand(tallies, node, set, candidates);
        }
        let own = tallies.own(node, set)?;
        let mut more = vec![IMPOSSIBLE; candidates.len()];
        let two = !*far && candidates.len() > 1 && candidates.len() * tallies.rows() >= WORTH_HALVING;
        let (front, back) = candidates.split_at(if two { candidates.len() / 2 } else { candidates.len() });
        let (in_front, behind) = more.split_at_mut(front.len());
        // Nobody asks by how much a candidate is worse.
        let floor = own.score.min(own.loose);
        if let (true, Some(second)) = (two, others.first_mut()) {
            let (one, other) = rayon::join(
                || tallies.each(node, set, front, floor, in_front),
                || second.tallies.each(node, set, back, floor, behind),
            );
            one.and(other)?;
        } else {
            tallies.each(node, set, front, floor, in_front)?;
            tallies.each(node, set, back, floor, behind)?;
        }
        Ok((own, more))
    }

    /// The same, of a family that had been expanded before the work was interrupted: that it is counted again is not to be seen.
    pub(super) fn expand_again(
        &mut self,
        node: usize,
        set: &[u32],
        candidates: &[u32],
    ) -> Result<(Figure, Vec<Figure>), Cancelled> {
        let before = self.counted_with_again();
        let found = self.expand(node, set, candidates);
        self.again += self.counted_with_again() - before;
        found
    }

    /// What each candidate adds to the figures of `node` with the parents `set`, both counted on the rows that have the candidate and all of the family.
    pub(super) fn gains(
        &mut self,
        node: usize,
        set: &[u32],
        candidates: &[u32],
    ) -> Result<Vec<Figure>, Cancelled> {
        let mut gains = vec![IMPOSSIBLE; candidates.len()];
        if candidates.is_empty() {
            return Ok(gains);
        }
        let mut summed = vec![];
        self.tallies.tally(Counted { node, set, within: None }, candidates, |figures, place, family| {
            let (with, without) = (figures.of(&family), figures.of(&family.without_head(&mut summed)));
            gains[place] = Figure { score: with.score - without.score, loose: with.loose - without.loose };
        })?;
        Ok(gains)
    }

    /// As [`Tallies::cells`].
    pub(super) fn cells(&self, node: usize, set: &[u32]) -> f64 {
        self.tallies.cells(node, set)
    }

    pub(super) fn states(&self, node: u32) -> usize {
        self.tallies.states(node)
    }

    /// How many rows there are.
    pub(super) fn rows(&self) -> usize {
        self.tallies.rows()
    }

    /// As [`Tallies::dependence`].
    pub(super) fn dependence(&mut self, x: usize, y: usize, given: &[u32]) -> (f64, f64) {
        self.tallies.dependence(x, y, given)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::watch::Unwatched;
    use crate::{bn, embedded};
    use clausality_bn::Scorer;
    use clausality_bn::counts::Counter;

    #[test]
    fn scores_are_those_of_the_obvious_twin() {
        let truth = embedded::network("child").unwrap();
        let table = bn::sample(&truth, 700, 3);
        let m = truth.len();
        let scores = [
            Score::LogLikelihood,
            Score::Bic,
            Score::Aic,
            Score::Bdeu { ess: 1.0 },
            Score::Bdeu { ess: 10.0 },
            Score::Fnml,
            Score::Qnml,
        ];
        for score in scores {
            let mut families = Families::new(Counter::new(&table).unwrap(), score, 0.5, &Unwatched);
            let scorer = Scorer::new(&table, score).unwrap();
            let mut counter = scorer.counter().unwrap();
            for (node, set) in [(0, vec![]), (3, vec![1, 7]), (12, vec![2, 4, 9]), (5, vec![1, 3, 8, 11, 13])]
            {
                let candidates: Vec<u32> = (0..m as u32).filter(|c| *c != node && !set.contains(c)).collect();
                let (own, more) = families.expand(node as usize, &set, &candidates).unwrap();
                let mut twin = |set: &[u32]| {
                    let parents: Vec<usize> = set.iter().map(|&p| p as usize).collect();
                    scorer.family(&mut counter, node as usize, &parents) - 0.5 * set.len() as f64
                };
                let close = |a: f64, b: f64| (a - b).abs() <= 1e-9 * a.abs().max(1.0);
                assert!(close(own.score, twin(&set)), "{score:?} {node} {set:?}");
                for (&c, figure) in candidates.iter().zip(&more) {
                    let mut larger = set.clone();
                    larger.push(c);
                    assert!(close(figure.score, twin(&larger)), "{score:?} {node} {larger:?}");
                }
            }
        }
    }

    #[test]
    fn what_is_found_out_again_is_no_work_whoever_does_it() {
        let table = bn::sample(&embedded::network("asia").unwrap(), 20_000, 3);
        let pool = rayon::ThreadPoolBuilder::new().num_threads(3).build().unwrap();
        pool.install(|| {
            let counter = Counter::new(&table).unwrap();
            let mut families = Families::new(counter, Score::Bdeu { ess: 1.0 }, 0.5, &Unwatched);
            let candidates: Vec<u32> = (1..8).collect();
            let found = families.expand(0, &[], &candidates).unwrap();
            let work = families.counted();
            assert!(work > 0);
            for _ in 0..3 {
                assert_eq!(families.expand_again(0, &[], &candidates).unwrap(), found);
            }
            let again = |families: &mut Families, ()| {
                assert_eq!(families.expand_again(0, &[], &candidates)?, found);
                Ok(())
            };
            families.spread(vec![(); 6], again).unwrap();
            assert_eq!(families.counted(), work);
            families
                .spread(vec![(); 6], |families, ()| families.expand(0, &[], &candidates).map(drop))
                .unwrap();
            assert_eq!(families.counted(), 7 * work);
        });
    }

    /// 300 rows that all differ in 17 columns of two states, each twelve times: sixteen parents explain the last column, and their table has
    /// 131,072 cells.
    #[test]
    fn a_table_without_end_is_worth_nothing_however_well_it_explains() {
        let mut stream = bn::random::Stream::new(9, "people");
        let people: Vec<Vec<u8>> =
            (0..18).map(|_| (0..300).map(|_| stream.below(2) as u8).collect()).collect();
        let repeated = |column: &Vec<u8>| column.iter().flat_map(|&state| [state; 12]).collect();
        let columns: Vec<Vec<u8>> = people.iter().map(repeated).collect();
        let variable = |k: usize| bn::Variable::new(format!("v{k}"), ["no", "yes"]);
        let table =
            bn::Table::new(bn::Schema::new((0..18).map(variable).collect()).unwrap(), columns).unwrap();
        for score in [Score::Fnml, Score::Bdeu { ess: 1.0 }] {
            let mut families = Families::new(Counter::new(&table).unwrap(), score, 0.5, &Unwatched);
            let mut of =
                |parents: u32| families.expand(17, &(0..parents).collect::<Vec<_>>(), &[]).unwrap().0.score;
            assert!(of(15) > of(0) && of(16) < of(0) - 1e8, "{score:?}: {} {} {}", of(0), of(15), of(16));
            assert!(of(17) < of(16), "and more so the larger it is");
        }
    }
}
