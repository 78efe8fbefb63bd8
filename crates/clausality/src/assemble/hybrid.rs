//! The hybrid assembly: the machines propose, a score decides.
//!
//! Two searches (`docs/paper-map.md` tells how this was chosen):
//!
//! 1. search orders under `score − |parents|·½ ln m` (BDeu by default), parents drawn from
//!    all variables and, as sets, from the machine's lists;
//! 2. search again under fNML with the adjacencies of the best order's graph as the only possible parents: a penalty like BIC's
//!    makes true colliders with many parents too dear, and the first search turns their arcs the wrong way. An arc that this
//!    search finds no longer worth it is dropped; one that costs more than it brings under the first score, the price of a
//!    parent left aside, is not drawn that way round. In the order found, parents that bring ten nats more than they cost are
//!    added at the end.
//!
//! On very many rows the order is found on a part of them, and improved on all.
//!
//! Rows with a cell that has no value at all (a gap that was not given a state) are left out.
//!
//! A score cannot tell directions within a Markov equivalence class: read the result together with its CPDAG.

use super::families::Families;
use super::ground::{Ground, complete_rows, thinned};
use super::order::{Found, Search, Setup};
use super::trace::Account;
use super::{Assembly, Effort, NetworkSettings};
use crate::Error;
use crate::candidates::{Candidates, StrengthMatrix};
use crate::rules::Rules;
use crate::watch::Watch;
use clausality_bn::random::Stream;
use clausality_bn::{Score, Table, math};

/// The most disturbances of an order, from each start.
const MOST_SHAKES: usize = 1000;
/// How often directions are closed before the second search is given up.
const MOST_CLOSINGS: usize = 10;
/// What a parent that comes after the arcs were turned costs more than others, in nats.
const LATE_PARENT: f64 = 10.0;
/// The most neighbours of which sets are tried in the second search.
const MOST_LISTED: usize = 12;

/// The graph that the score likes best, given what the machines propose.
pub fn assemble(
    table: &Table,
    strengths: &StrengthMatrix,
    rules: &Rules,
    settings: &NetworkSettings,
    seed: u64,
    watch: &dyn Watch,
) -> Result<Assembly, Error> {
    let (effort, score): (&Effort, Score) = (&settings.effort, settings.judged_by());
    let complete = complete_rows(table);
    let table: &Table = &complete;
    let ground = Ground::new(table);
    let m = ground.len();

    let candidates = Candidates::rank(strengths, table.schema(), rules, effort.list);
    let listed = |&v: &usize| candidates.list(v).iter().map(|c| ground.place[c.feature] as u32).collect();
    let lists: Vec<Vec<u32>> = ground.by_name.iter().map(listed).collect();
    let required = ground.required(rules);
    let parent_cost = 0.5 * math::ln(m.max(2) as f64);
    let allowed = |child: usize| ground.allowed(rules, child);
    let stream = |name: &str| Stream::new(seed, name);
    let part = thinned(table, &mut stream("rows for the order"));
    let part = part.as_ref().map(Ground::new);
    let mut families = part.as_ref().unwrap_or(&ground).families(score, parent_cost);
    let pools =
        (0..m).map(|v| pool(&mut families, v, allowed(v), &required[v], &lists[v], effort.pool)).collect();
    let mut setup = Setup {
        pools,
        required,
        lists,
        max_parents: rules.max_parents(),
        starts: effort.starts,
        shakes: (effort.shakes * m).min(MOST_SHAKES),
    };
    let search = stream("order search");
    let mut found = Search::new(&mut families, &setup, search.clone()).run(&setup, None, watch);
    if part.is_some() {
        families = ground.families(score, parent_cost);
        let climb = Setup { starts: 0, shakes: 0, ..setup.clone() };
        found = Search::new(&mut families, &climb, search).run(&climb, Some(found.order), watch);
    }

    let mut before = None;
    if effort.reorient {
        before = Some(ground.graph(&found.parents)?);
        let pools = (0..m).map(|v| neighbours(&found, v, &allowed(v))).collect();
        let pools = std::mem::replace(&mut setup.pools, pools);
        found = orient(&ground, &mut families, found, &mut setup, stream("orientation"), watch);
        // What is worth far more than it costs now that arcs are turned comes in after all.
        let mut dearer = ground.families(score, parent_cost + LATE_PARENT);
        let more = Setup { pools, required: found.parents, lists: vec![vec![]; m], ..setup };
        found.parents = Search::new(&mut dearer, &more, stream("late parents")).parents(&found.order);
    }
    if watch.cancelled() {
        return Err(Error::Cancelled);
    }
    let dag = ground.graph(&found.parents)?;
    let account = Account {
        table,
        strengths,
        rules,
        candidates: &candidates,
        length: effort.list,
        score,
        parent_cost,
        dag: &dag,
        before: before.as_ref(),
    };
    let trace = account.trace()?;
    Ok(Assembly { dag, trace })
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

/// The best directions of a skeleton under fNML.
///
/// fNML charges little for rows of a table that hardly occur, and now and then it likes a direction in which the arc costs far
/// more than it brings under the score of the first search. Such a direction is closed and the search repeated; if that
/// does not end, the directions stay those of the first search.
fn orient(
    ground: &Ground,
    families: &mut Families,
    first: Found,
    setup: &mut Setup,
    stream: Stream,
    watch: &dyn Watch,
) -> Found {
    let lists = setup.lists.clone();
    for _ in 0..MOST_CLOSINGS {
        if watch.cancelled() {
            break;
        }
        // Parents that act only together are found by no step of one: sets of neighbours are tried as sets were before.
        setup.lists = lists.iter().zip(&setup.pools).map(|(list, pool)| listed(list, pool)).collect();
        let mut under_fnml = ground.families(Score::Fnml, 0.0);
        let order = Some(first.order.clone());
        let found = Search::new(&mut under_fnml, setup, stream.clone()).run(setup, order, watch);
        let costly = costly(families, &found, &setup.required);
        if costly.is_empty() {
            return found;
        }
        for (parent, child) in costly {
            setup.pools[child].retain(|&p| p != parent);
        }
    }
    first
}

/// The neighbours of which sets are tried: those on the machine's list first.
fn listed(list: &[u32], pool: &[u32]) -> Vec<u32> {
    let on_list = list.iter().copied().filter(|v| pool.contains(v));
    let others = pool.iter().copied().filter(|v| !list.contains(v));
    on_list.chain(others).take(MOST_LISTED).collect()
}

/// The arcs that are worth less than nothing in their graph, the price of a parent left aside.
fn costly(families: &mut Families, found: &Found, required: &[Vec<u32>]) -> Vec<(u32, usize)> {
    let mut arcs = vec![];
    for (child, parents) in found.parents.iter().enumerate() {
        for &parent in parents.iter().filter(|p| !required[child].contains(p)) {
            let without: Vec<u32> = parents.iter().copied().filter(|&p| p != parent).collect();
            let (own, with) = families.expand(child, &without, &[parent]);
            if with[0].score + families.parent_cost() < own.score {
                arcs.push((parent, child));
            }
        }
    }
    arcs
}

/// Those a node is adjacent to, as far as they may be its parents.
fn neighbours(found: &Found, node: usize, allowed: &[u32]) -> Vec<u32> {
    let adjacent =
        |&v: &u32| found.parents[node].contains(&v) || found.parents[v as usize].contains(&(node as u32));
    allowed.iter().copied().filter(adjacent).collect()
}
