//! The hybrid assembly: the machines propose, a score decides.
//!
//! Implements §8 of the method:
//!
//! 1. search orders under `score − |parents|·ln m` (BDeu with equivalent sample size 1 by default), parents drawn from
//!    all variables and, as sets, from the machine's lists;
//! 2. keep the adjacencies of the best order's graph and search again under fNML with parents restricted to them: a penalty
//!    like BIC's makes true colliders with many parents too dear, and the first search turns their arcs the wrong way.
//!
//! Rows with a cell that has no value at all (a gap that was not given a state) are left out.
//!
//! A score cannot tell directions within a Markov equivalence class: read the result together with its CPDAG.

use super::Assembly;
use super::families::Families;
use super::order::{Found, Search, Setup};
use super::trace::Account;
use crate::Error;
use crate::candidates::{Candidates, StrengthMatrix};
use crate::rules::Rules;
use crate::watch::Watch;
use clausality_bn::random::Stream;
use clausality_bn::{Dag, Scale, Schema, Score, Table, math};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// The most neighbours of which sets are tried in the second search.
const MOST_LISTED: usize = 12;

/// Parameters of the hybrid assembly.
///
/// | name | default | purpose | range |
/// |---|---|---|---|
/// | `score` | BDeu, equivalent sample size 1 | what the skeleton is chosen by | |
/// | `list` | 8 | features of the machine's list from which sets are tried | 0 … 30 |
/// | `pool` | 60 | the most possible parents of a node, by how much each adds alone; the list is always in it | ≥ 1 |
/// | `starts` | 5 | random orders to start from | ≥ 1 |
/// | `shakes` | 100 | disturbances of the best order | |
/// | `reorient` | true | whether to search again under fNML within the skeleton | |
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct HybridParams {
    /// What the skeleton is chosen by.
    #[serde(skip)]
    pub score: Score,
    /// Features of the machine's list from which sets are tried.
    pub list: usize,
    /// The most possible parents of a node.
    pub pool: usize,
    /// Random orders to start from.
    pub starts: usize,
    /// Disturbances of the best order.
    pub shakes: usize,
    /// Whether to search again under fNML within the skeleton.
    pub reorient: bool,
}

impl Default for HybridParams {
    fn default() -> Self {
        HybridParams {
            score: Score::Bdeu { ess: 1.0 },
            list: 8,
            pool: 60,
            starts: 5,
            shakes: 100,
            reorient: true,
        }
    }
}

/// The graph that the score likes best, given what the machines propose.
pub fn assemble(
    table: &Table,
    strengths: &StrengthMatrix,
    rules: &Rules,
    params: &HybridParams,
    seed: u64,
    watch: &dyn Watch,
) -> Result<Assembly, Error> {
    let complete = complete_rows(table);
    let table: &Table = &complete;
    let schema = table.schema();
    // Everything happens in the order of names, of columns and of states, so that neither leaves a trace, not even in the
    // rounding of a sum.
    let mut by_name: Vec<usize> = (0..schema.len()).collect();
    by_name.sort_by_key(|&v| schema.name(v));
    let place = {
        let mut place = vec![0; by_name.len()];
        by_name.iter().enumerate().for_each(|(i, &v)| place[v] = i);
        place
    };
    let codes: Vec<Cow<'_, [u8]>> = by_name.iter().map(|&v| codes_by_label(table, v)).collect();
    let columns = || codes.iter().map(|codes| codes.as_ref()).collect::<Vec<_>>();
    let states = || by_name.iter().map(|&v| schema.cardinality(v)).collect::<Vec<_>>();
    let m = by_name.len();

    let candidates = Candidates::rank(strengths, schema, rules, params.list);
    let lists: Vec<Vec<u32>> = by_name
        .iter()
        .map(|&v| candidates.list(v).iter().map(|c| place[c.feature] as u32).collect())
        .collect();
    let required: Vec<Vec<u32>> = by_name
        .iter()
        .map(|&v| {
            let mut parents: Vec<u32> =
                rules.required().parents(v).iter().map(|&p| place[p] as u32).collect();
            parents.sort_unstable();
            parents
        })
        .collect();

    let parent_cost = math::ln(m.max(2) as f64);
    let mut families = Families::new(columns(), states(), params.score, parent_cost);
    let allowed = |child: usize| {
        let may = |p: &u32| rules.allows(by_name[*p as usize], by_name[child]);
        (0..m as u32).filter(may).collect::<Vec<u32>>()
    };
    let pools =
        (0..m).map(|v| pool(&mut families, v, allowed(v), &required[v], &lists[v], params.pool)).collect();
    let mut setup = Setup {
        pools,
        required,
        lists,
        max_parents: rules.max_parents(),
        starts: params.starts,
        shakes: params.shakes,
    };
    let stream = |name: &str| Stream::new(seed, name);
    let mut found = Search::new(&mut families, &setup, stream("order search")).run(&setup, None, watch);

    let mut before = None;
    if params.reorient {
        before = Some(graph(&found, &by_name, schema)?);
        setup.pools = (0..m).map(|v| neighbours(&found, v, &allowed(v))).collect();
        // Parents that act only together are found by no step of one: sets of neighbours are tried as sets were before.
        setup.lists =
            setup.pools.iter().map(|pool| pool.iter().copied().take(MOST_LISTED).collect()).collect();
        let mut families = Families::new(columns(), states(), Score::Fnml, 0.0);
        let order = Some(found.order);
        found = Search::new(&mut families, &setup, stream("orientation")).run(&setup, order, watch);
    }
    if watch.cancelled() {
        return Err(Error::Cancelled);
    }
    let dag = graph(&found, &by_name, schema)?;
    let account = Account {
        table,
        strengths,
        rules,
        candidates: &candidates,
        length: params.list,
        score: params.score,
        parent_cost,
        dag: &dag,
        before: before.as_ref(),
    };
    let trace = account.trace()?;
    Ok(Assembly { dag, trace })
}

/// What was found, by places in the schema.
fn graph(found: &Found, by_name: &[usize], schema: &Schema) -> Result<Dag, Error> {
    let arcs = found
        .parents
        .iter()
        .zip(by_name)
        .flat_map(|(parents, &child)| parents.iter().map(move |&p| (by_name[p as usize], child)));
    Dag::from_arcs(by_name.len(), arcs).map_err(|cycle| {
        let names = cycle.path.iter().map(|&v| schema.name(v).to_string());
        Error::Rules(crate::rules::RulesError::Cycle(names.collect()))
    })
}

/// The table without rows that miss a cell.
fn complete_rows(table: &Table) -> Cow<'_, Table> {
    if !table.has_missing() {
        return Cow::Borrowed(table);
    }
    Cow::Owned(table.select_rows(&table.complete_rows()))
}

/// A column with the states of a nominal variable numbered in the order of their labels.
fn codes_by_label(table: &Table, v: usize) -> Cow<'_, [u8]> {
    let variable = table.schema().variable(v);
    let values = variable.cardinality() - usize::from(variable.has_missing_state);
    let labels = &variable.states[..values];
    if variable.scale == Scale::Ordered || labels.is_sorted() {
        return Cow::Borrowed(table.column(v));
    }
    let mut order: Vec<usize> = (0..values).collect();
    order.sort_by_key(|&code| &labels[code]);
    let mut place: Vec<u8> = (0..=u8::MAX).collect();
    order.iter().enumerate().for_each(|(i, &code)| place[code] = i as u8);
    table.column(v).iter().map(|&code| place[code as usize]).collect()
}

/// The possible parents of a node: all that are allowed, or the best of them one by one, with the list and the required.
fn pool(
    families: &mut Families,
    node: usize,
    allowed: Vec<u32>,
    required: &[u32],
    list: &[u32],
    most: usize,
) -> Vec<u32> {
    if allowed.len() <= most {
        return allowed;
    }
    let (_, figures) = families.expand(node, &[], &allowed);
    let mut ranked: Vec<(f64, u32)> = figures.iter().map(|f| f.score).zip(allowed).collect();
    ranked.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    let mut pool: Vec<u32> =
        ranked.into_iter().take(most).map(|(_, v)| v).chain(list.iter().copied()).collect();
    pool.extend(required);
    pool.sort_unstable();
    pool.dedup();
    pool
}

/// Those a node is adjacent to, as far as they may be its parents.
fn neighbours(found: &Found, node: usize, allowed: &[u32]) -> Vec<u32> {
    let adjacent =
        |&v: &u32| found.parents[node].contains(&v) || found.parents[v as usize].contains(&(node as u32));
    allowed.iter().copied().filter(adjacent).collect()
}
