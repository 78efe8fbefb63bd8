//! Pairs that neither direction explains: perhaps a common cause outside the table.
//!
//! ```text
//! x ↔ y         x ⊥̸ y | S for every S ⊆ N(x) ∪ N(y), |S| ≤ 3,  and neither x → y nor y → x
//! not x → y     some a ∈ N(x), S ⊆ N(a) ∪ N(y), |S| ≤ 1:   a ⊥ y | S,   a ⊥̸ y | S ∪ {x},   a ⊥̸ x | S,   a ⊥̸ x | S ∪ {y},   I(S; a) ≤ H(a) / 2,   I(S; y) ≤ H(y) / 2
//!               S holds nothing that both a and y act upon in the graph; not the same a for x → y and for y → x
//!               λ ≥ z₁ √(2 df) + z₂ √(2 df + 4 λ),   λ = 2 N I(a; y | S)  if a ⊥ y | S ∪ {x}:   that test would have seen it, 99 times in 100
//! N(v)          what has an arc with v in the graph, or an implied independence with it that the rows violate
//! ⊥             p > 0.15,   ⊥̸: p < 0.001    (p < 0.01 in the first line, where some sets leave few rows to tell)
//! ```
//!
//! If `x` caused `y` (by whatever way), `a`, which goes with `x`, would go with `y` through it, and knowing `x` would part them. How much follows from what goes with `x`; where that is too little for
//! the rows to show it (G² is then noncentral χ², of mean df + λ and variance 2 df + 4 λ), their silence says nothing. Where the rows say the opposite, `x`
//! is a collider between `a` and `y`: it causes neither. Said of both ends, no arc between them is left that could be, and something that both depend on is
//! not in the table.
//!
//! Implements: the rule for colliders of FCI (Spirtes, Glymour and Scheines 2000, *Causation, Prediction, and Search*, 6.7; R0 in Zhang 2008, Artificial Intelligence 172:1873), which
//! read from both ends orients a bidirected edge. Our reading: the adjacencies are those of the graph at hand and not of a search of their own, only sets around the two are
//! looked at, and what is not plain is left out. Marks are few and mostly right; that there is none says little: two effects of a hidden cause that nothing
//! else acts upon cannot be told from an arc by any such test.

use crate::Error;
use crate::watch::{Watch, go_on};
use clausality_bn::independence::{Tested, Thin, test};
use clausality_bn::math::x_ln_x;
use clausality_bn::{Dag, MISSING, Schema, Table};
use rayon::prelude::*;
use serde::Serialize;
use std::collections::BTreeSet;

/// From here on two nodes count as apart.
const APART: f64 = 0.15;
/// Below this they count as joined.
const JOINED: f64 = 0.001;
/// And below this whatever is known.
const STAYS: f64 = 0.01;
/// Standard deviations: up to [`APART`] of all tests of what is independent, and less than one in a hundred of what is not.
const DEVIATIONS: (f64, f64) = (1.036, 2.326);
/// The largest sets that may part the two, and a witness from one of them.
const LARGEST: usize = 3;
const LARGEST_OF_WITNESS: usize = 1;
/// A pair with more around it is not looked at.
const MOST_AROUND: usize = 14;

/// Two nodes that perhaps have a cause in common that is not in the table.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct HiddenCause<'m> {
    /// The two, by name.
    pub between: [&'m str; 2],
    /// How strongly they depend on each other at least, in bits, whatever set of nodes around them is known.
    pub information: f64,
    /// The largest p of these tests.
    pub p: f64,
    /// How many sets were tried.
    pub sets: usize,
    /// What speaks against an arc from the first to the second, and against one from the second to the first.
    pub against: [Witness<'m>; 2],
}

/// A node that goes with one end and not with the other, until that end is known.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Witness<'m> {
    /// The node.
    pub node: &'m str,
    /// What is known beside.
    pub given: Vec<&'m str>,
    /// The p of its independence from the other end.
    pub apart: f64,
    /// And of that where the end that it goes with is known.
    pub joined: f64,
}

impl Witness<'_> {
    /// What it speaks against: that `from` causes `to`.
    pub fn in_words(&self, from: &str, to: &str) -> String {
        let given =
            if self.given.is_empty() { String::new() } else { format!(" ({} known)", self.given.join(", ")) };
        let node = self.node;
        format!(
            "{from} does not cause {to}: {node}, which goes with {from}, has nothing to do with {to}{given} until {from} is known"
        )
    }
}

/// The pairs of a graph that neither direction explains. `violated`: pairs without an arc that the rows show to depend on each other.
pub(super) fn hidden_causes<'m>(
    (schema, dag): (&'m Schema, &Dag),
    table: &Table,
    violated: &[(usize, usize)],
    seed: u64,
    watch: &dyn Watch,
) -> Result<Vec<HiddenCause<'m>>, Error> {
    let scene = Scene::new((schema, dag), table, violated, seed);
    let pairs: Vec<(usize, usize)> = scene.pairs();
    let look = |&(x, y): &(usize, usize)| {
        go_on(watch)?;
        Ok(scene.marked(x, y))
    };
    let found: Vec<Option<HiddenCause<'m>>> = pairs.par_iter().map(look).collect::<Result<_, Error>>()?;
    let mut found: Vec<HiddenCause<'m>> = found.into_iter().flatten().collect();
    found.sort_by(|a, b| b.information.total_cmp(&a.information).then(a.between.cmp(&b.between)));
    Ok(found)
}

struct Scene<'m, 't> {
    schema: &'m Schema,
    table: &'t Table,
    /// What each node acts upon in the graph, directly or not.
    below: Vec<BTreeSet<usize>>,
    /// What is around each node, by name.
    around: Vec<BTreeSet<(&'m str, usize)>>,
    /// The doubt about each node, in nats.
    doubt: Vec<f64>,
    seed: u64,
}

impl<'m, 't> Scene<'m, 't> {
    fn new(
        (schema, dag): (&'m Schema, &Dag),
        table: &'t Table,
        violated: &[(usize, usize)],
        seed: u64,
    ) -> Self {
        let mut around = vec![BTreeSet::new(); dag.len()];
        let name = |v: usize| schema.name(v);
        for (a, b) in dag.arcs().chain(violated.iter().copied()) {
            around[a].insert((name(b), b));
            around[b].insert((name(a), a));
        }
        let doubt = |v: usize| {
            let mut counts = vec![0u32; schema.cardinality(v)];
            table
                .column(v)
                .iter()
                .filter(|&&code| code != MISSING)
                .for_each(|&code| counts[usize::from(code)] += 1);
            let all: u32 = counts.iter().sum();
            let sum = x_ln_x(f64::from(all)) - counts.iter().map(|&n| x_ln_x(f64::from(n))).sum::<f64>();
            sum / f64::from(all.max(1))
        };
        let below = below(dag);
        Scene { schema, table, below, around, doubt: (0..dag.len()).map(doubt).collect(), seed }
    }

    /// Every two that are around each other, once, the first by name first.
    fn pairs(&self) -> Vec<(usize, usize)> {
        let name = |v: usize| self.schema.name(v);
        let of = |x: usize| self.around[x].iter().map(move |&(_, y)| (x, y));
        (0..self.around.len()).flat_map(of).filter(|&(x, y)| name(x) < name(y)).collect()
    }

    /// A test whose p is held against a bound: thin cells are permuted only where a first look, as if they were full, does not settle it.
    fn test(&self, x: usize, y: usize, given: &[usize], keeps: impl Fn(f64) -> bool) -> Option<Tested> {
        let looked = |thin: Thin| test(self.table, x, y, given, thin).filter(|found| keeps(found.p));
        looked(Thin::Ignore).and_then(|_| looked(Thin::Permute(self.seed)))
    }

    fn apart(&self, x: usize, y: usize, given: &[usize]) -> Option<Tested> {
        self.test(x, y, given, |p| p > APART)
    }

    fn joined(&self, x: usize, y: usize, given: &[usize]) -> Option<Tested> {
        self.test(x, y, given, |p| p < JOINED)
    }

    /// What is around two nodes, without them and a third.
    fn beside(&self, one: usize, other: usize, less: usize) -> Vec<usize> {
        let both = self.around[one].union(&self.around[other]).map(|&(_, v)| v);
        both.filter(|&v| v != one && v != other && v != less).collect()
    }

    fn marked(&self, x: usize, y: usize) -> Option<HiddenCause<'m>> {
        let against = [self.refuted(x, y)?, self.refuted(y, x)?];
        // Next to one end and not to the other, and the other way round: no node can be both, so one of these tests is wrong.
        if against[0].node == against[1].node {
            return None;
        }
        let beside = self.beside(x, y, x);
        let (mut least, mut p, mut sets) = (f64::INFINITY, 0.0f64, 0);
        for given in subsets(&beside, LARGEST) {
            let found = self.test(x, y, &given, |p| p < STAYS)?;
            (least, p, sets) = (least.min(found.information), p.max(found.p), sets + 1);
        }
        let between = [x, y].map(|v| self.schema.name(v));
        let information = least / std::f64::consts::LN_2;
        Some(HiddenCause { between, information, p, sets, against })
    }

    /// What speaks against `x → y`: of all, what is surest.
    fn refuted(&self, x: usize, y: usize) -> Option<Witness<'m>> {
        let name = |v: usize| self.schema.name(v);
        let mut best: Option<Witness<'m>> = None;
        for &(_, a) in self.around[x].iter().filter(|&&(_, a)| a != y) {
            let beside = self.beside(a, y, x);
            if beside.len() > MOST_AROUND {
                continue;
            }
            for given in subsets(&beside, LARGEST_OF_WITNESS) {
                let with = |v: usize| [given.as_slice(), &[v]].concat();
                // What both act upon parts nothing: knowing it only sets one dependence against another.
                if given.iter().any(|known| self.below[a].contains(known) && self.below[y].contains(known)) {
                    continue;
                }
                // What is all but settled depends on nothing, whatever its causes.
                if [a, y].iter().any(|&v| given.iter().any(|&known| self.settles(known, v))) {
                    continue;
                }
                let Some(apart) = self.apart(a, y, &given) else { continue };
                if !self.would_show(a, x, y, &given, &apart) {
                    continue;
                }
                let Some(joined) = self.joined(a, y, &with(x)) else { continue };
                let surer = best.as_ref().is_none_or(|best| joined.p < best.joined);
                if surer && self.joined(a, x, &given).is_some() && self.joined(a, x, &with(y)).is_some() {
                    let given = given.iter().map(|&v| name(v)).collect();
                    best = Some(Witness { node: name(a), given, apart: apart.p, joined: joined.p });
                }
            }
        }
        best
    }

    /// Whether a test of `a` and `y` would have shown their dependence if it ran through `x`.
    fn would_show(&self, a: usize, x: usize, y: usize, given: &[usize], tested: &Tested) -> bool {
        let shift = 2.0 * tested.rows as f64 * self.through(a, x, y, given);
        let spread = |shift: f64| (2.0 * tested.df + 4.0 * shift).sqrt();
        shift >= DEVIATIONS.0 * spread(0.0) + DEVIATIONS.1 * spread(shift)
    }

    /// `I(a; y | S)` in nats if `x` parted the two: `P(a, y | s) = Σ_x P(a, x | s) P(y | x, s)`.
    fn through(&self, a: usize, x: usize, y: usize, given: &[usize]) -> f64 {
        let states = |v: usize| self.schema.cardinality(v);
        let configurations: usize = given.iter().map(|&v| states(v)).product();
        let (of_a, of_x, of_y) = (states(a), states(x), states(y));
        let mut with_a = vec![0.0f64; configurations * of_x * of_a];
        let mut with_y = vec![0.0f64; configurations * of_x * of_y];
        let columns: Vec<(&[u8], usize)> =
            given.iter().chain([&x]).map(|&v| (self.table.column(v), states(v))).collect();
        let (a, y) = (self.table.column(a), self.table.column(y));
        let mut rows = 0.0;
        'rows: for row in 0..self.table.rows() {
            let mut place = 0;
            for &(column, states) in &columns {
                if column[row] == MISSING {
                    continue 'rows;
                }
                place = place * states + usize::from(column[row]);
            }
            if a[row] == MISSING || y[row] == MISSING {
                continue;
            }
            with_a[place * of_a + usize::from(a[row])] += 1.0;
            with_y[place * of_y + usize::from(y[row])] += 1.0;
            rows += 1.0;
        }
        let mut sum = 0.0;
        let mut both = vec![0.0f64; of_a * of_y];
        for (with_a, with_y) in with_a.chunks(of_x * of_a).zip(with_y.chunks(of_x * of_y)) {
            both.fill(0.0);
            for (by_a, by_y) in with_a.chunks(of_a).zip(with_y.chunks(of_y)) {
                let all: f64 = by_a.iter().sum();
                for (cells, of_a) in both.chunks_mut(of_y).zip(by_a).filter(|_| all > 0.0) {
                    cells.iter_mut().zip(by_y).for_each(|(cell, of_y)| *cell += of_a * of_y / all);
                }
            }
            let column = |k: usize| both.iter().skip(k).step_by(of_y).sum::<f64>();
            let margins = both.chunks(of_y).map(|row| row.iter().sum()).chain((0..of_y).map(column));
            sum += both.iter().map(|&n| x_ln_x(n)).sum::<f64>() + x_ln_x(both.iter().sum());
            sum -= margins.map(x_ln_x).sum::<f64>();
        }
        sum / f64::max(rows, 1.0)
    }

    /// Whether knowing one node leaves less than half of the doubt about another: `H(v | known) < H(v) / 2`.
    fn settles(&self, known: usize, v: usize) -> bool {
        let shared = test(self.table, known, v, &[], Thin::Ignore).map_or(0.0, |found| found.information);
        2.0 * shared > self.doubt[v]
    }
}

/// For each node those that can be reached from it along arcs.
fn below(dag: &Dag) -> Vec<BTreeSet<usize>> {
    let mut below: Vec<BTreeSet<usize>> = vec![BTreeSet::new(); dag.len()];
    for v in dag.topological_order().into_iter().rev() {
        let of_v = below[v].clone();
        for &parent in dag.parents(v) {
            below[parent].insert(v);
            below[parent].extend(&of_v);
        }
    }
    below
}

/// All subsets of so many at most, the smallest first.
fn subsets(of: &[usize], largest: usize) -> Vec<Vec<usize>> {
    let mut all = vec![vec![]];
    let mut last: Vec<(usize, Vec<usize>)> = vec![(0, vec![])];
    for _ in 0..largest.min(of.len()) {
        let longer = |(from, set): &(usize, Vec<usize>)| {
            (*from..of.len()).map(|k| (k + 1, [set.as_slice(), &[of[k]]].concat())).collect::<Vec<_>>()
        };
        last = last.iter().flat_map(longer).collect();
        all.extend(last.iter().map(|(_, set)| set.clone()));
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::watch::Unwatched;
    use clausality_bn::random::Stream;
    use clausality_bn::{Schema, Variable};

    /// Rows of `a → x ← h → y ← b`, or of `a → x → y ← b` where `h` is nobody's cause; the columns a, b, x, y, and h where it is not hidden.
    fn rows(seed: u64, caused: bool, hidden: bool) -> Table {
        let mut stream = Stream::new(seed, "hidden causes");
        let mut columns = vec![vec![]; 5];
        for _ in 0..5000 {
            let mut draw = |p: f64| u8::from(stream.unit() < p);
            let (a, b, h) = (draw(0.5), draw(0.4), draw(0.5));
            let of = |one: u8, other: u8| 0.1 + 0.35 * f64::from(one) + 0.45 * f64::from(other);
            let x = draw(of(a, h));
            let y = draw(of(b, if caused { h } else { x }));
            [a, b, x, y, h].into_iter().zip(&mut columns).for_each(|(code, column)| column.push(code));
        }
        let names = if hidden { &["a", "b", "x", "y"][..] } else { &["a", "b", "x", "y", "h"] };
        columns.truncate(names.len());
        let variables = names.iter().map(|&name| Variable::new(name, ["no", "yes"])).collect();
        Table::new(Schema::new(variables).unwrap(), columns).unwrap()
    }

    fn found(table: &Table, arcs: &[(usize, usize)], violated: &[(usize, usize)]) -> Vec<[String; 2]> {
        let dag = Dag::from_arcs(table.schema().len(), arcs.iter().copied()).unwrap();
        let found = hidden_causes((table.schema(), &dag), table, violated, 1, &Unwatched).unwrap();
        for mark in &found {
            assert!(mark.p < STAYS && mark.information > 0.0 && mark.sets == 4, "{mark:?}");
            assert_eq!(mark.against.each_ref().map(|witness| witness.node), ["a", "b"]);
            assert!(mark.against.iter().all(|witness| witness.apart > APART && witness.joined < JOINED));
        }
        found.iter().map(|mark| mark.between.map(String::from)).collect()
    }

    #[test]
    fn two_effects_of_something_that_is_not_there_are_marked() {
        let mut marked = 0;
        for seed in 0..20 {
            let table = rows(seed, true, true);
            let arc = found(&table, &[(0, 2), (1, 3), (2, 3)], &[]);
            // A pair without an arc that the rows show to depend is looked at, too; which way an arc runs does not matter.
            assert_eq!(arc, found(&table, &[(0, 2), (1, 3)], &[(2, 3)]));
            assert_eq!(arc, found(&table, &[(0, 2), (1, 3), (3, 2)], &[]));
            assert!(arc.is_empty() || arc == [["x", "y"]]);
            marked += arc.len();
        }
        // Each direction is refuted by a test that goes wrong three times in twenty.
        assert!((11..=20).contains(&marked), "{marked} of 20");
    }

    #[test]
    fn what_has_its_causes_in_the_table_is_not_marked() {
        for seed in 0..20 {
            let chain = rows(seed, false, true);
            assert!(found(&chain, &[(0, 2), (1, 3), (2, 3)], &[]).is_empty(), "x → y");
            let whole = rows(seed, true, false);
            assert!(found(&whole, &[(0, 2), (1, 3), (4, 2), (4, 3)], &[]).is_empty(), "h is there");
            assert!(
                found(&whole, &[(0, 2), (1, 3), (4, 2), (4, 3), (2, 3)], &[]).is_empty(),
                "one arc too many"
            );
        }
    }

    #[test]
    fn what_runs_through_a_node_is_what_the_rows_show_where_it_does() {
        let table = rows(1, false, true);
        let scene =
            Scene::new((table.schema(), &Dag::from_arcs(4, [(0, 2), (2, 3)]).unwrap()), &table, &[], 1);
        // a → x → y: what is told by way of x is all there is, but for chance.
        let shown = test(&table, 0, 3, &[], Thin::Ignore).unwrap();
        let through = scene.through(0, 2, 3, &[]);
        assert!((through - shown.information).abs() < 0.005, "{through} {shown:?}");
        assert!(scene.would_show(0, 2, 3, &[], &shown));
        // a → x ← h → y: by way of x they would go together, and do not.
        let table = rows(1, true, true);
        let scene =
            Scene::new((table.schema(), &Dag::from_arcs(4, [(0, 2), (2, 3)]).unwrap()), &table, &[], 1);
        let shown = test(&table, 0, 3, &[], Thin::Ignore).unwrap();
        assert!(scene.through(0, 2, 3, &[]) > 10.0 * shown.information, "{shown:?}");
        // b has nothing to do with x: nothing could run through it.
        assert!(scene.through(1, 2, 0, &[]) < 1e-4 && !scene.would_show(1, 2, 0, &[], &shown));
    }

    #[test]
    fn what_is_below_a_node_is_reached_along_arcs() {
        let dag = Dag::from_arcs(5, [(0, 1), (1, 2), (3, 2), (2, 4)]).unwrap();
        let found: Vec<Vec<usize>> =
            below(&dag).into_iter().map(|below| below.into_iter().collect()).collect();
        assert_eq!(found, [vec![1, 2, 4], vec![2, 4], vec![4], vec![2, 4], vec![]]);
    }

    #[test]
    fn subsets_come_by_size() {
        let all = subsets(&[4, 7, 9], 2);
        assert_eq!(all, [vec![], vec![4], vec![7], vec![9], vec![4, 7], vec![4, 9], vec![7, 9]]);
        assert_eq!(subsets(&[], 3), vec![Vec::<usize>::new()]);
    }
}
