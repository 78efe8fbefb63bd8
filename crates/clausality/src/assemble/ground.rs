//! A table as searches see it, and graphs back from what they found.
//!
//! Everything happens in the order of names, of columns and of states, so that neither leaves a trace, not even in the
//! rounding of a sum.

use super::families::Families;
use crate::Error;
use crate::rules::{Rules, RulesError};
use crate::watch::Watch;
use clausality_bn::counts::Counter;
use clausality_bn::random::Stream;
use clausality_bn::{Dag, Scale, Schema, Score, Table};
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
        Ground { schema, by_name, place, codes }
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
        let columns = self.codes.iter().map(|codes| codes.as_ref()).collect();
        let states = self.by_name.iter().map(|&v| self.schema.cardinality(v)).collect();
        let (counter, present) = Counter::of_columns(columns, states).with_presence();
        Families::new(counter, score, parent_cost, watch).with_gaps(present)
    }

    /// The parents that the rules allow a node, ascending.
    pub(super) fn allowed(&self, rules: &Rules, child: usize) -> Vec<u32> {
        let may = |p: &u32| rules.allows(self.by_name[*p as usize], self.by_name[child]);
        (0..self.len() as u32).filter(may).collect()
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

/// A column with the states of a nominal variable numbered in the order of their labels.
fn codes_by_label(table: &Table, v: usize) -> Cow<'_, [u8]> {
    let variable = table.schema().variable(v);
    let values = variable.cardinality() - usize::from(variable.has_missing_state);
    let labels = &variable.states[..values];
    if variable.scale != Scale::Nominal || labels.is_sorted() {
        return Cow::Borrowed(table.column(v));
    }
    let mut order: Vec<usize> = (0..values).collect();
    order.sort_by_key(|&code| &labels[code]);
    let mut place: Vec<u8> = (0..=u8::MAX).collect();
    order.iter().enumerate().for_each(|(i, &code)| place[code] = i as u8);
    table.column(v).iter().map(|&code| place[code as usize]).collect()
}
