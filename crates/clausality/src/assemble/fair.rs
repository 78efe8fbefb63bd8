//! Parent sets of a node compared fairly where cells are missing.
//!
//! A family is counted on the rows that have all of it, so two sets of parents are counted on different rows, and a difference of their
//! scores says as much about the rows as about the parents. What one parent adds is told on the same rows, and per row, as a
//! node-average likelihood is; a set is worth the least that any way of building it up, parent by parent, comes to:
//!
//! ```text
//! V(∅)  = score(x | ∅) on the rows that have x
//! V(S)  = min over p in S of  V(S \ p) + N / n_S · [score(x | S) − score(x | S \ p)] on the n_S rows that have x and all of S
//! ```
//!
//! Without gaps all ways come to the score itself, and it is counted as anywhere else. With gaps a set with a parent that adds nothing beside the others is worth less than
//! the set without it, whatever luck the rows bring, and one that says more per row beats one that merely has more rows.
//! Beyond [`DEEP`] parents only the ways over sets that are known already are gone.
//!
//! Implements: node-average likelihood (Bodewes and Scutari, *Learning Bayesian networks from incomplete data with the
//! node-average likelihood*, 2021), with pairwise deletion as in Liu and Constantinou, *Greedy structure learning from data that
//! contain systematic missing values*, 2022. **Our reading**: the least over the ways, which makes a figure of a set out of comparisons
//! of pairs.

use super::figures::{Counted, Figure, IMPOSSIBLE, Tallies};
use crate::watch::Cancelled;
use std::collections::HashMap;

/// Sets with more parents are not built up in every way.
const DEEP: usize = 4;
/// What rows say is believed of so many times as many, at most.
const MOST_SCALED: f64 = 10.0;

/// What is known about sets of parents.
pub(super) struct Fair {
    /// For each variable with gaps the column of one state that has the same ones.
    present: Vec<Option<usize>>,
    rows: f64,
    /// By the set, ascending, and behind it the node.
    known: HashMap<Vec<u32>, Figure>,
}

/// What one candidate is worth beside a set, on the rows that have everything.
#[derive(Clone, Copy)]
struct Beside {
    with: Figure,
    scale: f64,
    least: Figure,
}

impl Fair {
    pub(super) fn new(present: Vec<Option<usize>>, rows: usize) -> Self {
        Fair { present, rows: rows as f64, known: HashMap::new() }
    }

    /// Lets go of all that is known. It is then found out again, and sets beyond [`DEEP`] parents may come out otherwise.
    pub(super) fn forget(&mut self) {
        self.known = HashMap::new();
    }

    pub(super) fn expand(
        &mut self,
        tallies: &mut Tallies,
        node: usize,
        set: &[u32],
        candidates: &[u32],
    ) -> Result<(Figure, Vec<Figure>), Cancelled> {
        let own = self.value(tallies, node, set)?;
        self.find(tallies, node, set, candidates)?;
        let figure = |&c: &u32| self.known.get(&key(node, &with(set, c))).copied().unwrap_or(IMPOSSIBLE);
        Ok((own, candidates.iter().map(figure).collect()))
    }

    /// V of a set.
    fn value(&mut self, tallies: &mut Tallies, node: usize, set: &[u32]) -> Result<Figure, Cancelled> {
        if let Some(&known) = self.known.get(&key(node, set)) {
            return Ok(known);
        }
        let Some((&last, others)) = set.split_last() else {
            let mut alone = IMPOSSIBLE;
            let counted = Counted { node, set: &[], within: None };
            tallies.tally(counted, &[], |figures, _, family| alone = figures.of(&family))?;
            self.known.insert(key(node, &[]), alone);
            return Ok(alone);
        };
        self.find(tallies, node, others, &[last])?;
        Ok(self.known.get(&key(node, set)).copied().unwrap_or(IMPOSSIBLE))
    }

    /// Finds V of the set with each candidate.
    fn find(
        &mut self,
        tallies: &mut Tallies,
        node: usize,
        set: &[u32],
        candidates: &[u32],
    ) -> Result<(), Cancelled> {
        let unknown =
            |c: &&u32| **c as usize != node && !self.known.contains_key(&key(node, &with(set, **c)));
        let wanted: Vec<u32> = candidates.iter().filter(unknown).copied().collect();
        if wanted.is_empty() {
            return Ok(());
        }
        let own = self.value(tallies, node, set)?;
        let (plain, wanted) = self.parted(node, set, wanted);
        let mut figures = vec![IMPOSSIBLE; plain.len()];
        if !plain.is_empty() {
            // Nobody asks by how much a candidate is worse.
            tallies.each(node, set, &plain, own.score.min(own.loose), &mut figures)?;
        }
        for (&c, figure) in plain.iter().zip(figures) {
            self.known.insert(key(node, &with(set, c)), figure);
        }
        if wanted.is_empty() {
            return Ok(());
        }
        let mut found = vec![None; wanted.len()];
        let counted = Counted { node, set, within: None };
        let mut summed = vec![];
        tallies.tally(counted, &wanted, |figures, place, family| {
            let with = figures.of(&family);
            let without = figures.of(&family.without_head(&mut summed));
            let n: f64 = summed.iter().map(|&n| f64::from(n)).sum();
            let scale = (self.rows / n.max(1.0)).min(MOST_SCALED);
            found[place] = Some(Beside { with, scale, least: step(own, with, without, scale) });
        })?;
        self.other_ways(tallies, counted, &wanted, &mut found)?;
        for (&c, found) in wanted.iter().zip(found) {
            self.known.insert(key(node, &with(set, c)), found.map_or(IMPOSSIBLE, |found| found.least));
        }
        Ok(())
    }

    /// The candidates that make a family without any gap, whose V is its score, and the others.
    fn parted(&self, node: usize, set: &[u32], candidates: Vec<u32>) -> (Vec<u32>, Vec<u32>) {
        let gappy = |v: usize| self.present[v].is_some();
        if gappy(node) || set.iter().any(|&p| gappy(p as usize)) {
            return (vec![], candidates);
        }
        candidates.into_iter().partition(|&c| !gappy(c as usize))
    }

    /// The same sets built up with another parent last.
    fn other_ways(
        &mut self,
        tallies: &mut Tallies,
        Counted { node, set, .. }: Counted<'_>,
        wanted: &[u32],
        found: &mut [Option<Beside>],
    ) -> Result<(), Cancelled> {
        let gappy = |v: &u32| self.present[*v as usize].is_some();
        let set_has_gaps = set.iter().any(gappy);
        // Where nothing is missing all ways come to the same.
        let open: Vec<usize> = (0..wanted.len())
            .filter(|&i| found[i].is_some() && (set_has_gaps || gappy(&wanted[i])))
            .collect();
        for &last in set {
            let others: Vec<u32> = set.iter().copied().filter(|&p| p != last).collect();
            let heads: Vec<u32> = open.iter().map(|&i| wanted[i]).collect();
            if set.len() < DEEP {
                self.find(tallies, node, &others, &heads)?;
            }
            let before = |c: &u32| self.known.get(&key(node, &with(&others, *c))).copied();
            let ways: Vec<(usize, Figure)> =
                open.iter().filter_map(|&i| Some((i, before(&wanted[i])?))).collect();
            let heads: Vec<u32> = ways.iter().map(|&(i, _)| wanted[i]).collect();
            if heads.is_empty() {
                continue;
            }
            let counted = Counted { node, set: &others, within: self.present[last as usize] };
            tallies.tally(counted, &heads, |figures, place, family| {
                let without = figures.of(&family);
                let (i, before) = ways[place];
                if let Some(Beside { with, scale, least }) = &mut found[i] {
                    let way = step(before, *with, without, *scale);
                    least.score = least.score.min(way.score);
                    least.loose = least.loose.min(way.loose);
                }
            })?;
        }
        Ok(())
    }
}

fn key(node: usize, set: &[u32]) -> Vec<u32> {
    set.iter().copied().chain([node as u32]).collect()
}

/// The set with a candidate, ascending.
fn with(set: &[u32], candidate: u32) -> Vec<u32> {
    let mut more = set.to_vec();
    more.insert(set.partition_point(|&p| p < candidate), candidate);
    more
}

/// One parent more, by what it adds on the rows that have all of it.
fn step(before: Figure, with: Figure, without: Figure, scale: f64) -> Figure {
    Figure {
        score: before.score + scale * (with.score - without.score),
        loose: before.loose + scale * (with.loose - without.loose),
    }
}

#[cfg(test)]
mod tests {
    use super::super::ground::Ground;
    use crate::watch::Unwatched;
    use crate::{bn, embedded};
    use clausality_bn::{MISSING, Score, Scorer, Table};

    /// Two columns of alarm lose cells: what neither is in is worth what it is worth in a table without gaps.
    #[test]
    fn families_without_gaps_are_worth_their_score() {
        let whole = bn::sample(&embedded::network("alarm").unwrap(), 700, 3);
        let m = whole.schema().len();
        let mut columns: Vec<Vec<u8>> = (0..m).map(|v| whole.column(v).to_vec()).collect();
        for gappy in [4, 11] {
            columns[gappy].iter_mut().step_by(3).for_each(|code| *code = MISSING);
        }
        let table = Table::new(whole.schema().clone(), columns).unwrap();
        let ground = Ground::new(&table);
        let score = Score::Bdeu { ess: 1.0 };
        let mut families = ground.families(score, 0.5, &Unwatched);
        let scorer = Scorer::new(&whole, score).unwrap();
        let mut counter = scorer.counter().unwrap();
        let gaps = [4, 11].map(|v| ground.place[v] as u32);
        for (node, set) in [(0, vec![]), (3, vec![1, 7]), (12, vec![2, 9, 20])] {
            let (node, set) = (ground.place[node], set.iter().map(|&p: &usize| ground.place[p] as u32));
            let mut set: Vec<u32> = set.collect();
            set.sort_unstable();
            let others: Vec<u32> = (0..m as u32).filter(|c| *c != node as u32 && !set.contains(c)).collect();
            let (_, found) = families.expand(node, &set, &others).unwrap();
            let mut close = 0;
            for (&c, figure) in others.iter().zip(&found) {
                let parents: Vec<usize> =
                    set.iter().chain([&c]).map(|&p| ground.by_name[p as usize]).collect();
                let own =
                    scorer.family(&mut counter, ground.by_name[node], &parents) - 0.5 * parents.len() as f64;
                let same = (figure.score - own).abs() <= 1e-9 * own.abs();
                assert!(same || gaps.contains(&c), "{node} {set:?} {c}: {} {own}", figure.score);
                close += usize::from(same);
            }
            assert!(close >= others.len() - gaps.len());
        }
    }
}
