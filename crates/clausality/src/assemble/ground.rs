//! A table as searches see it, and graphs back from what they found.
//!
//! Everything happens in the order of names, of columns and of states, so that neither leaves a trace, not even in the
//! rounding of a sum.

use super::bitwise::{Bitwise, StateBits};
use super::families::Families;
use crate::Error;
use crate::rules::{Rules, RulesError};
use crate::shards::places_by_label;
use crate::watch::Watch;
use clausality_bn::counts::Counter;
use clausality_bn::random::Stream;
use clausality_bn::{Dag, Schema, Score, Table};
use std::borrow::Cow;

/// So many rows are enough to choose a prior and to find an order, which all rows then improve.
const ENOUGH_ROWS: usize = 30_000;

/// A table, its columns in the order of names.
pub(super) struct Ground<'t> {
    schema: &'t Schema,
    /// Places in the schema, in the order of names.
    pub(super) by_name: Vec<usize>,
    /// Places in the order of names, by place in the schema.
    pub(super) place: Vec<usize>,
    codes: Vec<Cow<'t, [u8]>>,
    bits: StateBits,
}

/// Fewer rows where there are very many: one from each of equally long stretches.
pub(super) fn thinned(table: &Table, stream: &mut Stream) -> Option<Table> {
    let rows = table.rows();
    if rows <= ENOUGH_ROWS {
        return None;
    }
    let start = |stretch: usize| stretch * rows / ENOUGH_ROWS;
    let one = |stretch| start(stretch) + stream.below((start(stretch + 1) - start(stretch)) as u64) as usize;
    Some(table.select_rows(&(0..ENOUGH_ROWS).map(one).collect::<Vec<usize>>()))
}

impl<'t> Ground<'t> {
    pub(super) fn new(table: &'t Table) -> Self {
        let schema = table.schema();
        let by_name = schema.in_name_order();
        let mut place = vec![0; by_name.len()];
        by_name.iter().enumerate().for_each(|(i, &v)| place[v] = i);
        let codes = by_name.iter().map(|&v| codes_by_label(table, v)).collect();
        let bits = StateBits::new(by_name.len(), table.rows());
        Ground { schema, by_name, place, codes, bits }
    }

    /// How many variables there are.
    pub(super) fn len(&self) -> usize {
        self.by_name.len()
    }

    /// Counts and scores of families, each parent at a price.
    pub(super) fn families<'g>(
        &'g self,
        score: Score,
        parent_cost: f64,
        watch: &'g dyn Watch,
    ) -> Families<'g> {
        let columns: Vec<&[u8]> = self.codes.iter().map(|codes| codes.as_ref()).collect();
        let states = self.by_name.iter().map(|&v| self.schema.cardinality(v)).collect();
        let (counter, present) = Counter::of_columns(columns.clone(), states).with_presence();
        let count = Bitwise::new(counter, columns, &self.bits);
        Families::new(count, score, parent_cost, watch).with_gaps(present)
    }

    /// The places of a graph's parents in the order of names, by the places of the children.
    pub(super) fn parents(&self, dag: &Dag) -> Vec<Vec<u32>> {
        let parents = |&v: &usize| {
            let mut parents: Vec<u32> = dag.parents(v).iter().map(|&p| self.place[p] as u32).collect();
            parents.sort_unstable();
            parents
        };
        self.by_name.iter().map(parents).collect()
    }

    /// The parents that the rules allow a node, ascending.
    pub(super) fn allowed(&self, rules: &Rules, child: usize) -> Vec<u32> {
        let may = |p: &u32| rules.allows(self.by_name[*p as usize], self.by_name[child]);
        (0..self.len() as u32).filter(may).collect()
    }

    /// For every node the rank that the rules leave it: a node of a lower rank never has an ancestor of a higher one, so an order that
    /// has ranks rising loses no graph. Nodes that may be ancestors of each other share a rank; without rules all have the same.
    ///
    /// The strongly connected components of what may be a parent of what, in topological order (Kosaraju's two walks).
    pub(super) fn ranks(&self, rules: &Rules) -> Vec<u32> {
        let parents: Vec<Vec<u32>> = (0..self.len()).map(|v| self.allowed(rules, v)).collect();
        let mut children: Vec<Vec<u32>> = vec![vec![]; self.len()];
        for (v, parents) in parents.iter().enumerate() {
            parents.iter().for_each(|&p| children[p as usize].push(v as u32));
        }
        let mut ended = Vec::with_capacity(self.len());
        let mut seen = vec![false; self.len()];
        for start in 0..self.len() as u32 {
            walk(start, &children, &mut seen, &mut |v| ended.push(v));
        }
        let mut ranks = vec![0; self.len()];
        let mut seen = vec![false; self.len()];
        let mut rank = 0;
        for &start in ended.iter().rev() {
            if !seen[start as usize] {
                walk(start, &parents, &mut seen, &mut |v| ranks[v as usize] = rank);
                rank += 1;
            }
        }
        ranks
    }

    /// The parents that the rules require of every node, ascending.
    pub(super) fn required(&self, rules: &Rules) -> Vec<Vec<u32>> {
        let parents = |&v: &usize| {
            let mut parents: Vec<u32> =
                rules.required().parents(v).iter().map(|&p| self.place[p] as u32).collect();
            parents.sort_unstable();
            parents
        };
        self.by_name.iter().map(parents).collect()
    }

    /// A graph by places in the schema.
    pub(super) fn graph(&self, parents: &[Vec<u32>]) -> Result<Dag, Error> {
        let arcs = parents
            .iter()
            .zip(&self.by_name)
            .flat_map(|(parents, &child)| parents.iter().map(move |&p| (self.by_name[p as usize], child)));
        Dag::from_arcs(self.len(), arcs).map_err(|cycle| {
            let names = cycle.path.iter().map(|&v| self.schema.name(v).to_string());
            Error::Rules(RulesError::Cycle(names.collect()))
        })
    }
}

/// Goes from a node to all that were not seen, along the links; tells each when all behind it were.
fn walk(start: u32, links: &[Vec<u32>], seen: &mut [bool], end: &mut dyn FnMut(u32)) {
    if std::mem::replace(&mut seen[start as usize], true) {
        return;
    }
    let mut open = vec![(start, 0)];
    while let Some((node, next)) = open.last_mut() {
        match links[*node as usize].get(*next) {
            Some(&to) => {
                *next += 1;
                if !std::mem::replace(&mut seen[to as usize], true) {
                    open.push((to, 0));
                }
            }
            None => {
                end(*node);
                open.pop();
            }
        }
    }
}

/// A column with the states of a nominal variable numbered in the order of their labels.
fn codes_by_label(table: &Table, v: usize) -> Cow<'_, [u8]> {
    match places_by_label(table.schema().variable(v)) {
        None => Cow::Borrowed(table.column(v)),
        Some(places) => table.column(v).iter().map(|&code| places[code as usize]).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::RuleSettings;
    use clausality_bn::Variable;

    #[test]
    fn ranks_follow_tiers_and_roles_and_lose_nothing() {
        let schema =
            Schema::new(["d", "a", "c", "b", "e"].map(|name| Variable::new(name, ["0", "1"])).to_vec());
        let table = Table::new(schema.unwrap(), vec![vec![0, 1]; 5]).unwrap();
        let ground = Ground::new(&table);
        let ranks = |settings: &RuleSettings| {
            let rules = Rules::new(table.schema(), settings).unwrap();
            let ranks = ground.ranks(&rules);
            for child in 0..5 {
                for parent in ground.allowed(&rules, child) {
                    assert!(ranks[parent as usize] <= ranks[child], "{parent} {child}: {ranks:?}");
                }
            }
            ranks
        };
        let named = |names: &[&str]| names.iter().map(|&name| name.to_string()).collect::<Vec<_>>();
        assert_eq!(ranks(&RuleSettings::default()), [0; 5]);
        let tiers = vec![named(&["c", "d"]), named(&["a"]), named(&["b", "e"])];
        // By name: a, b, c, d, e.
        assert_eq!(ranks(&RuleSettings { tiers, ..Default::default() }), [1, 2, 0, 0, 2]);
        // What stands in no tier may be between all of them: e -> b -> c.
        let tiers = vec![named(&["c", "d"]), named(&["e"])];
        assert_eq!(ranks(&RuleSettings { tiers, ..Default::default() }), [0; 5]);
    }
}
