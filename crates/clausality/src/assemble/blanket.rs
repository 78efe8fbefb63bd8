//! The neighbourhood of a column that is to be predicted, judged by how well it predicts.
//!
//! ```text
//! P(y | row) ∝ θ(y | parents) · Π_{children c} θ(c | y, other parents of c)
//! L = Σ_rows ln P₋(y of the row | row)          P₋: every count without the row itself
//! ```
//!
//! From the graph as it is, the change that raises L most is made, again and again: an arc between the target and another node is added,
//! taken away or turned; an arc into a child of the target from another node of its blanket is added or taken away (so naive
//! Bayes and trees over it are within reach); or a node leaves its other parents for the target. All else stays. A row is never
//! counted for its own prediction, so that L is the conditional likelihood on rows held out, one at a time; and a change must raise it by
//! two units and by one and a half standard errors of the difference between the rows, as the best of many is always
//! good by luck. Where cells are missing a change is judged on the rows that have what it is about, before and after alike counted on
//! these: whether a cell is there is no reason for an arc.
//!
//! Where no such change is left, two nodes at once may become parents of the target: what acts only together (`y = a xor b`) shows in no
//! single change. The best of n pairs must raise L by two units and their logarithm, and by √(2 ln n) standard errors more, about what the
//! luckiest of n is ahead.
//!
//! Implements: the conditional likelihood as the score of a classifier's structure, Grossman & Domingos 2004; the starting points it
//! names are Friedman, Geiger & Goldszmidt 1997. Leaving one out in place of a penalty is ours.

use crate::Error;
use crate::rules::Rules;
use crate::watch::Watch;
use clausality_bn::math::{exp, ln};
use clausality_bn::{Dag, MISSING, Table};
use rayon::prelude::*;

/// Numbers looked at for one change, at most: more rows than that many allow are thinned out.
const LOOKED_AT: usize = 400_000;
/// Rows, at most and at least.
const ROWS: (usize, usize) = (500, 8_000);
/// Changes at most.
const CHANGES: usize = 40;
/// With more children no arcs between them are thought of.
const CHILDREN: usize = 12;
/// Among more nodes pairs are not tried.
const PAIRED: usize = 300;
/// Cells of a table at most.
const CELLS: usize = 1 << 18;
/// What a column's own frequencies count as, in rows.
const WEIGHT: f64 = 2.0;

/// A change: a node and its parents to be; two where an arc is turned.
type Change = Vec<(usize, Vec<usize>)>;

/// The graph in which the neighbourhood of `target` predicts it best.
///
/// # Errors
/// [`Error::Cancelled`].
pub fn neighbourhood(
    table: &Table,
    dag: &Dag,
    target: usize,
    rules: &Rules,
    watch: &dyn Watch,
) -> Result<Dag, Error> {
    let rows = Rows::new(table, target);
    let by_name = table.schema().in_name_order();
    let mut dag = dag.clone();
    if rows.rows.is_empty() {
        return Ok(dag);
    }
    for _ in 0..CHANGES {
        if watch.cancelled() {
            return Err(Error::Cancelled);
        }
        // In the order of names, so that that of the columns leaves no trace.
        let speaks = |v: &usize| *v == target || dag.has(target, *v);
        let members: Vec<usize> = by_name.iter().copied().filter(speaks).collect();
        let mut sums = vec![0.0; rows.rows.len() * rows.states];
        for &v in &members {
            let Some(own) = rows.factors(v, dag.parents(v), None) else { return Ok(dag) };
            sums.iter_mut().zip(own).for_each(|(sum, own)| *sum += own);
        }
        let before = rows.likelihoods(&sums);
        let best = |changes: Vec<Change>, luck: Luck| {
            let tried: Vec<(f64, Change)> = changes
                .into_par_iter()
                .filter_map(|change| Some((rows.gain(&dag, &change, &sums, &before, luck)?, change)))
                .collect();
            let best = tried.into_iter().reduce(|best, other| if other.0 > best.0 { other } else { best });
            best.filter(|(gain, _)| *gain > 0.0).map(|(_, change)| change)
        };
        let change = best(changes(&dag, target, rules, &by_name), Luck::OF_ONE).or_else(|| {
            let pairs = pairs(&dag, target, rules, &by_name);
            let luck = Luck::of(pairs.len());
            best(pairs, luck)
        });
        match change {
            Some(change) => apply(&mut dag, &change),
            None => break,
        }
    }
    Ok(dag)
}

/// What the best of some changes may raise the sum by without meaning anything.
#[derive(Clone, Copy)]
struct Luck {
    units: f64,
    errors: f64,
}

impl Luck {
    const OF_ONE: Luck = Luck { units: 2.0, errors: 1.5 };

    /// The same of so many that each is unlikely.
    fn of(tried: usize) -> Self {
        let many = ln(tried.max(1) as f64);
        Luck { units: Luck::OF_ONE.units + many, errors: Luck::OF_ONE.errors + (2.0 * many).sqrt() }
    }
}

/// Every two nodes that may become parents of the target together.
fn pairs(dag: &Dag, target: usize, rules: &Rules, by_name: &[usize]) -> Vec<Change> {
    let below = dag.descendants(target);
    let may_be =
        |&v: &usize| v != target && !dag.has(v, target) && !below.contains(&v) && rules.allows(v, target);
    let free: Vec<usize> = by_name.iter().copied().filter(may_be).collect();
    if free.len() > PAIRED || dag.parents(target).len() + 2 > rules.max_parents() {
        return Vec::new();
    }
    let with =
        |a: usize, b: usize| vec![(target, dag.parents(target).iter().copied().chain([a, b]).collect())];
    let others = |(i, &a): (usize, &usize)| free[i + 1..].iter().map(move |&b| (a, b)).collect::<Vec<_>>();
    free.iter().enumerate().flat_map(others).map(|(a, b)| with(a, b)).collect()
}

/// Gives nodes other parents; only what [`changes`] has found to leave the graph without cycles.
fn apply(dag: &mut Dag, change: &Change) {
    for (v, parents) in change {
        for p in dag.parents(*v).to_vec() {
            if !parents.contains(&p) {
                dag.remove(p, *v);
            }
        }
    }
    for (v, parents) in change {
        for &p in parents {
            if !dag.has(p, *v) {
                // It closes no cycle, as that was tried.
                let _ = dag.try_add(p, *v);
            }
        }
    }
}

/// Every change that the rules allow and that closes no cycle.
fn changes(dag: &Dag, target: usize, rules: &Rules, by_name: &[usize]) -> Vec<Change> {
    let mut found: Vec<Change> = Vec::new();
    let with = |v: usize, p: usize| -> Vec<usize> { dag.parents(v).iter().copied().chain([p]).collect() };
    let without =
        |v: usize, p: usize| -> Vec<usize> { dag.parents(v).iter().copied().filter(|&q| q != p).collect() };
    let required = |p: usize, v: usize| rules.required().has(p, v);
    for v in by_name.iter().copied().filter(|&v| v != target) {
        let (into, from) = (dag.has(v, target), dag.has(target, v));
        if into && !required(v, target) {
            found.push(vec![(target, without(target, v))]);
            found.push(vec![(target, without(target, v)), (v, with(v, target))]);
        }
        if from && !required(target, v) {
            found.push(vec![(v, without(v, target))]);
            found.push(vec![(v, without(v, target)), (target, with(target, v))]);
        }
        if !into && !from {
            found.push(vec![(target, with(target, v))]);
            found.push(vec![(v, with(v, target))]);
            if !dag.parents(v).is_empty() && !dag.parents(v).iter().any(|&p| required(p, v)) {
                found.push(vec![(v, vec![target])]);
            }
        }
    }
    let children: Vec<usize> = by_name.iter().copied().filter(|&v| dag.has(target, v)).collect();
    if children.len() <= CHILDREN {
        let blanket: Vec<usize> = by_name.iter().copied().filter(|&v| dag.adjacent(target, v)).collect();
        for &v in &children {
            found.extend(
                blanket.iter().filter(|&&p| p != v && !dag.adjacent(p, v)).map(|&p| vec![(v, with(v, p))]),
            );
            let others = dag.parents(v).iter().filter(|&&p| p != target && !required(p, v));
            found.extend(others.map(|&p| vec![(v, without(v, p))]));
        }
    }
    let lawful = |change: &Change| {
        let mut after = dag.clone();
        apply(&mut after, change);
        change.iter().all(|(v, parents)| {
            parents.len() <= rules.max_parents()
                && parents.iter().all(|&p| after.has(p, *v) && (dag.has(p, *v) || rules.allows(p, *v)))
        })
    };
    found.retain(lawful);
    found
}

/// The rows that are looked at.
struct Rows<'t> {
    table: &'t Table,
    target: usize,
    states: usize,
    rows: Vec<usize>,
    /// The target's state in each.
    truth: Vec<usize>,
    /// The share of every state of every variable.
    shares: Vec<Vec<f64>>,
}

impl<'t> Rows<'t> {
    fn new(table: &'t Table, target: usize) -> Self {
        let schema = table.schema();
        let variable = schema.variable(target);
        let states = variable.cardinality() - usize::from(variable.has_missing_state);
        let own = table.column(target);
        let known = |&row: &usize| own[row] != MISSING && usize::from(own[row]) < states;
        let all: Vec<usize> = (0..table.rows()).filter(known).collect();
        let most = (LOOKED_AT / (states * schema.len()).max(1)).clamp(ROWS.0, ROWS.1);
        let rows: Vec<usize> = all.iter().copied().step_by(all.len().div_ceil(most).max(1)).collect();
        let truth = rows.iter().map(|&row| usize::from(own[row])).collect();
        let share = |v: usize| {
            let mut counts = vec![0.5; schema.cardinality(v)];
            table.column(v).iter().filter(|&&c| c != MISSING).for_each(|&c| counts[usize::from(c)] += 1.0);
            let sum: f64 = counts.iter().sum();
            counts.iter().map(|count| count / sum).collect()
        };
        Rows { table, target, states, rows, truth, shares: (0..schema.len()).map(share).collect() }
    }

    /// What a node's family says of every state of the target in every row, the row's own count left out, counted on all rows or on some;
    /// where the family has a gap, the target's own frequencies, or nothing of another node. None if the family is too large.
    fn factors(&self, v: usize, parents: &[usize], among: Option<&[bool]>) -> Option<Vec<f64>> {
        let (schema, states) = (self.table.schema(), self.states);
        let others: Vec<usize> = parents.iter().copied().filter(|&p| p != self.target).collect();
        let own = if v == self.target { 1 } else { schema.cardinality(v) };
        let size = others.iter().try_fold(own * states, |size, &p| {
            Some(size * schema.cardinality(p)).filter(|&size| size <= CELLS)
        })?;
        let place = |row: usize| {
            let mut place = 0;
            for &p in &others {
                let code = self.table.column(p)[row];
                if code == MISSING {
                    return None;
                }
                place = place * schema.cardinality(p) + usize::from(code);
            }
            match self.table.column(v)[row] {
                MISSING => None,
                _ if v == self.target => Some((place, 0)),
                code => Some((place, usize::from(code))),
            }
        };
        let mut places: Vec<Option<(usize, usize)>> = self.rows.iter().map(|&row| place(row)).collect();
        if let Some(among) = among {
            places.iter_mut().zip(among).filter(|(_, among)| !**among).for_each(|(place, _)| *place = None);
        }
        // By configuration of the other parents, then by the target's state, then by the node's own.
        let mut counts = vec![0.0; size];
        let mut totals = vec![0.0; size / own];
        for (place, &y) in places.iter().zip(&self.truth) {
            if let Some((place, code)) = place {
                counts[(place * states + y) * own + code] += 1.0;
                totals[place * states + y] += 1.0;
            }
        }
        let mut out = vec![0.0; self.rows.len() * states];
        for ((place, &truth), out) in places.iter().zip(&self.truth).zip(out.chunks_exact_mut(states)) {
            let Some((place, code)) = *place else {
                if v == self.target {
                    out.iter_mut().zip(&self.shares[v]).for_each(|(out, &share)| *out = ln(share));
                }
                continue;
            };
            for (y, out) in out.iter_mut().enumerate() {
                let itself = f64::from(u8::from(y == truth));
                let at = place * states + y;
                *out = if v == self.target {
                    // What it is divided by is the same for every state.
                    ln(totals[at] - itself + WEIGHT * self.shares[v][y])
                } else {
                    let share = self.shares[v][code];
                    ln((counts[at * own + code] - itself + WEIGHT * share) / (totals[at] - itself + WEIGHT))
                };
            }
        }
        Some(out)
    }

    /// ln P(truth) of every row.
    fn likelihoods(&self, sums: &[f64]) -> Vec<f64> {
        let row = |(sums, &truth): (&[f64], &usize)| {
            let own = sums[truth];
            -ln(sums.iter().map(|sum| exp((sum - own).min(700.0))).sum())
        };
        sums.chunks_exact(self.states).zip(&self.truth).map(row).collect()
    }

    /// Which rows have a cell in every node of the families that a change is about; nothing where all have.
    fn that_have(&self, dag: &Dag, change: &Change) -> Option<Vec<bool>> {
        let mut has = vec![true; self.rows.len()];
        for (v, parents) in change {
            for &node in dag.parents(*v).iter().chain(parents).chain([v]).filter(|&&node| node != self.target)
            {
                let column = self.table.column(node);
                has.iter_mut().zip(&self.rows).for_each(|(has, &row)| *has &= column[row] != MISSING);
            }
        }
        has.contains(&false).then_some(has)
    }

    /// How much a change raises the sum; below 0 if not by more than luck, none if it cannot be made.
    fn gain(&self, dag: &Dag, change: &Change, sums: &[f64], before: &[f64], luck: Luck) -> Option<f64> {
        let mut after = sums.to_vec();
        let mut fair = None;
        let has = self.that_have(dag, change);
        for (v, parents) in change {
            let speaks = |parents: &[usize]| *v == self.target || parents.contains(&self.target);
            if speaks(dag.parents(*v)) {
                let own = self.factors(*v, dag.parents(*v), None)?;
                after.iter_mut().zip(&own).for_each(|(sum, own)| *sum -= own);
                if let Some(has) = &has {
                    let there = self.factors(*v, dag.parents(*v), Some(has))?;
                    let fair = fair.get_or_insert_with(|| sums.to_vec());
                    fair.iter_mut().zip(own).zip(there).for_each(|((sum, own), there)| *sum += there - own);
                }
            }
            if speaks(parents) {
                let own = self.factors(*v, parents, has.as_deref())?;
                after.iter_mut().zip(own).for_each(|(sum, own)| *sum += own);
            }
        }
        let fair = fair.map(|sums| self.likelihoods(&sums));
        let before = fair.as_deref().unwrap_or(before);
        let judges = |row: usize| has.as_ref().is_none_or(|has| has[row]);
        let after = self.likelihoods(&after);
        let differences: Vec<f64> =
            (0..before.len()).filter(|&row| judges(row)).map(|row| after[row] - before[row]).collect();
        let n = differences.len() as f64;
        let gain: f64 = differences.iter().sum();
        let squares: f64 = differences.iter().map(|d| (d - gain / n) * (d - gain / n)).sum();
        let luck = (luck.errors * squares.sqrt()).max(luck.units);
        Some(if gain > luck { gain } else { gain.min(0.0) - 1.0 })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::watch::Unwatched;
    use clausality_bn::random::Stream;
    use clausality_bn::{Schema, Variable};

    /// Nine noisy copies of a coin, and a graph that says nothing of it: the coin becomes a neighbour of them all; columns of noise stay out.
    #[test]
    fn what_predicts_is_joined_and_noise_is_not() {
        let mut stream = Stream::new(1, "blanket");
        let mut columns = vec![vec![]; 12];
        for _ in 0..1500 {
            let coin = stream.below(2) as u8;
            columns[0].push(coin);
            (1..10).for_each(|v| columns[v].push(coin ^ u8::from(stream.below(10) < 3)));
            (10..12).for_each(|v| columns[v].push(stream.below(2) as u8));
        }
        let names = (0..12).map(|v| Variable::new(format!("v{v}"), ["no", "yes"])).collect();
        let table = Table::new(Schema::new(names).unwrap(), columns).unwrap();
        let found = neighbourhood(&table, &Dag::new(12), 0, &Rules::none(12), &Unwatched).unwrap();
        assert!((1..10).all(|v| found.adjacent(0, v)), "{:?}", found.arcs().collect::<Vec<_>>());
        assert!((10..12).all(|v| !found.adjacent(0, v)));
    }

    /// y is a xor b, hidden among columns of noise: both become its parents, and none of the noise does, nor any where nothing is there.
    #[test]
    fn what_acts_only_together_is_found_and_pairs_of_noise_are_not() {
        for noise in [2, 5] {
            let mut stream = Stream::new(noise, "pairs");
            let mut columns = vec![vec![]; 20];
            for _ in 0..600 {
                (1..20).for_each(|v| columns[v].push(stream.below(2) as u8));
                let (a, b) = (columns[3][columns[0].len()], columns[7][columns[0].len()]);
                columns[0].push(a ^ b ^ u8::from(stream.below(10) < noise));
            }
            let names = (0..20).map(|v| Variable::new(format!("v{v}"), ["no", "yes"])).collect();
            let table = Table::new(Schema::new(names).unwrap(), columns).unwrap();
            let found = neighbourhood(&table, &Dag::new(20), 0, &Rules::none(20), &Unwatched).unwrap();
            let expected: &[usize] = if noise == 2 { &[3, 7] } else { &[] };
            assert_eq!(found.parents(0), expected, "{noise} of 10 turned");
            assert_eq!(found.arc_count(), expected.len());
        }
    }

    /// A cause of death is known of the dead only: that it is there says all, what it says nothing, and it gets no arc.
    #[test]
    fn whether_a_cell_is_there_is_no_reason_for_an_arc() {
        let mut stream = Stream::new(2, "blanket");
        let mut columns = vec![vec![]; 3];
        for _ in 0..1500 {
            let dead = stream.below(3) == 0;
            columns[0].push(u8::from(dead));
            columns[1].push(if dead { stream.below(3) as u8 } else { MISSING });
            columns[2].push(u8::from(dead != (stream.below(5) == 0)));
        }
        let names = ["dead", "cause", "old"].map(|name| Variable::new(name, ["a", "b", "c"])).to_vec();
        let table = Table::new(Schema::new(names).unwrap(), columns).unwrap();
        let found = neighbourhood(&table, &Dag::new(3), 0, &Rules::none(3), &Unwatched).unwrap();
        assert!(!found.adjacent(0, 1) && found.adjacent(0, 2), "{:?}", found.arcs().collect::<Vec<_>>());
    }
}
