//! The hybrid assembly: the machines propose, a score decides.
//!
//! Three searches (`docs/paper-map.md` tells how this was chosen):
//!
//! 1. search orders under `score − |parents|·½ ln m` (BDeu by default), beginning with what hill climbing finds; parents are drawn from
//!    all variables, where there are many from pools that grow with what is found, and, as sets, from the machine's lists;
//! 2. search again under fNML with the adjacencies of the best order's graph as the only possible parents: a penalty like BIC's
//!    makes true colliders with many parents too dear, and the first search turns their arcs the wrong way. An arc that this
//!    search finds no longer worth it is dropped; one that costs more than it brings under the first score, the price of a
//!    parent left aside, is not drawn that way round;
//! 3. add, drop and turn arcs one by one under `fNML − |parents|·ln m` until no such move helps; an added parent must raise BIC with half
//!    its penalty too. Nothing is left that is worth more than it costs. On many rows the same is done under the first score, and of the
//!    two graphs the one stays that both scores together like better: there fNML alone misses weak parents that BDeu sees.
//!
//! On very many rows the order is found on a part of them, and improved on all.
//!
//! Where cells are missing, families are counted on the rows that have all of them and compared fairly (module `fair`).
//!
//! What each search found is kept as soon as it ends, so that an interrupted run goes on with the next; a search over orders goes on from its last
//! checkpoint (module `checkpoint`).
//!
//! A score cannot tell directions within a Markov equivalence class: read the result together with its CPDAG.

use super::checkpoint::Checkpoints;
use super::climb::Climb;
use super::families::Families;
use super::ground::{Ground, thinned};
use super::order::{FEW_NODES, Found, Search, Setup};
use super::trace::Account;
use super::{Assembler, Assembly, Effort, NetworkSettings};
use crate::Error;
use crate::candidates::{Candidates, StrengthMatrix};
use crate::folder::Kept;
use crate::rules::Rules;
use crate::watch::{Cancelled, Stage, Underway, Watch};
use clausality_bn::counts::{Count, FarCounter};
use clausality_bn::random::Stream;
use clausality_bn::{Dag, Score, Table, math};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// The most disturbances of an order, from each start.
const MOST_SHAKES: usize = 1000;
/// So many rows let the first score have a say in the last search.
const MANY_ROWS: usize = 20_000;
/// How often directions are closed before the second search is given up.
const MOST_CLOSINGS: usize = 10;
/// The most neighbours of which sets are tried in the second search.
const MOST_LISTED: usize = 12;

/// The graph that the score likes best, given what the machines propose.
///
/// # Errors
/// [`Error::Cancelled`] if whoever watches calls it off.
pub fn assemble(
    table: &Table,
    strengths: &StrengthMatrix,
    rules: &Rules,
    settings: &NetworkSettings,
    seed: u64,
    watch: &dyn Watch,
) -> Result<Assembly, Error> {
    assemble_keeping(table, strengths, rules, settings, seed, Steps::default(), watch)
}

/// The same; what a search found is kept, and not sought again.
///
/// # Errors
/// As [`assemble`]; a disk that cannot keep what is finished.
pub(crate) fn assemble_keeping(
    table: &Table,
    strengths: &StrengthMatrix,
    rules: &Rules,
    settings: &NetworkSettings,
    seed: u64,
    steps: Steps<'_>,
    watch: &dyn Watch,
) -> Result<Assembly, Error> {
    // Within the pool from the first step on: counting by two is asked for so often that each step into it would be felt.
    rayon::scope(|_| Work::new(table, rules, settings, seed, steps, watch).assembled(strengths))
}

/// Where the third search leads from a graph if it counts all rows of a table, of which `table` holds some, its columns in the order of names;
/// nothing where the settings do without that search.
///
/// # Errors
/// [`Error::Cancelled`] if whoever watches calls it off; what cannot be read is told by whoever keeps the rows.
#[expect(clippy::too_many_arguments, reason = "a table, all its rows, and what every search asks for")]
pub(crate) fn settle(
    table: &Table,
    all: FarCounter<'_>,
    start: &Dag,
    strengths: &StrengthMatrix,
    rules: &Rules,
    settings: &NetworkSettings,
    steps: Steps<'_>,
    watch: &dyn Watch,
) -> Result<Option<Dag>, Error> {
    let hybrid = settings.assembler.unwrap_or(Assembler::Hybrid) == Assembler::Hybrid;
    if !hybrid || !settings.effort.reorient {
        return Ok(None);
    }
    rayon::scope(|_| {
        let work = Work::begun(table, rules, settings, 0, steps, watch, |m, _, _| 2 * m);
        let candidates = Candidates::rank(strengths, table.schema(), rules, work.effort.list);
        let plan = work.plan(&mut work.families(&work.ground), work.lists(&candidates))?;
        let families = |(score, parent_cost): Judge| {
            Families::new(all.clone(), score, parent_cost, &work.stage).far_away()
        };
        let (mut first, mut last) = (families(work.first()), families(work.last()));
        let start = work.ground.parents(start);
        let (parents, _) = work.settled_by(&mut first, &mut last, all.rows(), &start, &plan)?;
        work.ground.graph(&parents).map(Some)
    })
}

/// Where the steps of an assembly are kept, under a name that says of which.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Steps<'a> {
    pub(crate) kept: Kept<'a>,
    pub(crate) of: &'a str,
    /// Whether single steps are enough, without disturbances and other starts, for a graph that is not the last.
    pub(crate) brief: bool,
    /// The graph to begin with; nothing: what hill climbing finds.
    pub(crate) from: Option<&'a Dag>,
}

impl<'a> Steps<'a> {
    /// What a step found, or found before.
    fn step<T: Serialize + DeserializeOwned>(
        &self,
        name: &str,
        work: impl FnOnce() -> Result<T, Error>,
    ) -> Result<T, Error> {
        if !self.kept.is_on() {
            return work();
        }
        self.kept.piece(&format!("{name} for {}", self.of), work)
    }

    /// Where a search that is a step tells how far it is.
    fn checkpoints(&self, name: &str) -> Checkpoints<'a> {
        Checkpoints::new(self.kept, format!("{name} for {}", self.of))
    }
}

/// A score, and what a parent costs under it.
type Judge = (Score, f64);

/// What every step looks at.
struct Work<'a> {
    table: &'a Table,
    ground: Ground<'a>,
    rules: &'a Rules,
    effort: &'a Effort,
    score: Score,
    last_score: Score,
    parent_cost: f64,
    /// Random orders to start from.
    starts: usize,
    /// Disturbances of an order, from each start.
    shakes: usize,
    seed: u64,
    steps: Steps<'a>,
    stage: Underway<'a>,
}

impl<'a> Work<'a> {
    /// Begins the stage. Its steps are nodes made ready for each search and in the trace, and disturbances of an order; how often
    /// directions will be closed nobody knows: the first time is told, and each further one when it comes.
    fn new(
        table: &'a Table,
        rules: &'a Rules,
        settings: &'a NetworkSettings,
        seed: u64,
        steps: Steps<'a>,
        watch: &'a dyn Watch,
    ) -> Self {
        let (nodes, walks) = if settings.effort.reorient { (6, 2) } else { (4, 1) };
        Work::begun(table, rules, settings, seed, steps, watch, |m, starts, shakes| {
            nodes * m + (walks + starts) * shakes
        })
    }

    /// Begins the stage with steps by the number of nodes, of orders to start from and of disturbances.
    fn begun(
        table: &'a Table,
        rules: &'a Rules,
        settings: &'a NetworkSettings,
        seed: u64,
        steps: Steps<'a>,
        watch: &'a dyn Watch,
        length: impl Fn(usize, usize, usize) -> usize,
    ) -> Self {
        let (m, effort, score) = (table.schema().len(), &settings.effort, settings.judged_by());
        let shakes = if steps.brief { 0 } else { (effort.shakes * m).min(MOST_SHAKES) };
        let parent_cost = 0.5 * math::ln(m.max(2) as f64);
        let starts = if m > FEW_NODES || steps.brief { 0 } else { effort.starts };
        let stage = Underway::begin(watch, Stage::Assemble, length(m, starts, shakes));
        Work {
            table,
            ground: Ground::new(table),
            rules,
            effort,
            score,
            last_score: settings.arcs_judged_by(),
            parent_cost,
            starts,
            shakes,
            seed,
            steps,
            stage,
        }
    }

    /// The graph, and what became of every arc that was proposed.
    fn assembled(&self, strengths: &StrengthMatrix) -> Result<Assembly, Error> {
        let candidates = Candidates::rank(strengths, self.table.schema(), self.rules, self.effort.list);
        let mut families = self.families(&self.ground);
        let lists = self.lists(&candidates);
        let (plan, mut found) = self.steps.step("order", || self.best_order(&mut families, lists))?;
        let mut before = None;
        let mut judge = self.first();
        if self.effort.reorient {
            before = Some(self.ground.graph(&found.parents)?);
            families.forget();
            found = self.steps.step("directions", || self.turned(&mut families, found, &plan))?;
            families.forget();
            (found.parents, judge) = self.settled(&mut families, &found, &plan)?;
        }
        let dag = self.ground.graph(&found.parents)?;
        let (score, parent_cost) = judge;
        let account = Account {
            table: self.table,
            ground: &self.ground,
            strengths,
            rules: self.rules,
            candidates: &candidates,
            length: self.effort.list,
            score,
            parent_cost,
            sober: self.effort.reorient,
            dag: &dag,
            before: before.as_ref(),
            stage: &self.stage,
        };
        let trace = account.trace()?;
        Ok(Assembly { dag, trace })
    }

    fn stream(&self, name: &str) -> Stream {
        Stream::new(self.seed, name)
    }

    fn families<'f>(&'f self, ground: &'f Ground) -> Families<'f> {
        ground.families(self.score, self.parent_cost, &self.stage)
    }

    /// The machines' lists, by places in the order of names.
    fn lists(&self, candidates: &Candidates) -> Vec<Vec<u32>> {
        let place = |feature: usize| self.ground.place[feature] as u32;
        let list = |&v: &usize| candidates.list(v).iter().map(|c| place(c.feature)).collect();
        self.ground.by_name.iter().map(list).collect()
    }

    /// What the first search may do: the pools are chosen by what each candidate adds alone.
    fn plan(&self, families: &mut Families, lists: Vec<Vec<u32>>) -> Result<Setup, Cancelled> {
        let required = self.ground.required(self.rules);
        let mut pools = Vec::with_capacity(self.ground.len());
        for node in 0..self.ground.len() {
            let allowed = self.ground.allowed(self.rules, node);
            pools.push(pool(families, node, allowed, &required[node], &lists[node], self.effort.pool)?);
            self.stage.step();
        }
        let (max_parents, starts, shakes) = (self.rules.max_parents(), self.starts, self.shakes);
        let ranks = self.ground.ranks(self.rules);
        Ok(Setup { pools, required, lists, ranks, max_parents, starts, shakes })
    }

    /// The first search: on part of the rows where there are very many, and then improved on all. `families` count all.
    fn best_order(&self, families: &mut Families, lists: Vec<Vec<u32>>) -> Result<(Setup, Found), Error> {
        let Some(part) = thinned(self.table, &mut self.stream("rows for the order")) else {
            return self.order_on(families, lists, "order");
        };
        let part = Ground::new(&part);
        let name = "order on a part of the rows";
        let on_part = || self.order_on(&mut self.families(&part), lists, name);
        let (plan, found) = self.steps.step(name, on_part)?;
        let climb = Setup { starts: 0, shakes: 0, ..plan.clone() };
        let (stream, stage) = (self.stream("order search"), &self.stage);
        let mut search = Search::new(families, &climb, stream, stage)?;
        let found = search.run(&climb, Some(found.order), &mut Checkpoints::default())?;
        Ok((plan, found))
    }

    /// The first search on the rows that `families` count, and what it was allowed in the end. It is the step of that name.
    fn order_on(
        &self,
        families: &mut Families,
        lists: Vec<Vec<u32>>,
        name: &str,
    ) -> Result<(Setup, Found), Error> {
        let mut checkpoints = self.steps.checkpoints(name);
        if let Some((mut search, plan, way)) = Search::resumed(families, checkpoints.found(), &self.stage) {
            let found = search.run_on(&plan, way, &mut checkpoints)?;
            return Ok((plan, found));
        }
        let mut plan = self.plan(families, lists)?;
        let start = match self.steps.from {
            Some(graph) => self.ground.parents(graph),
            None => self.climbed(families, &plan, &plan.required, false, &mut Checkpoints::default())?,
        };
        let order = ordered(&start);
        let allowed: Vec<Vec<u32>> =
            (0..self.ground.len()).map(|v| self.ground.allowed(self.rules, v)).collect();
        let mut search = Search::new(families, &plan, self.stream("order search"), &self.stage)?;
        let order = search.widened(&mut plan, &allowed, order)?;
        let found = search.run(&plan, Some(order), &mut checkpoints)?;
        Ok((plan, found))
    }

    /// Where single arcs lead from a graph.
    fn climbed(
        &self,
        families: &mut Families,
        Setup { pools, required, max_parents, .. }: &Setup,
        start: &[Vec<u32>],
        sober: bool,
        checkpoints: &mut Checkpoints<'_>,
    ) -> Result<Vec<Vec<u32>>, Error> {
        let (most, tabu, through, stage) = (*max_parents, false, true, &self.stage);
        let climb = Climb { families, pools, required, most, tabu, through, sober, stage };
        climb.run_telling(start, checkpoints)
    }

    /// What the first search maximises, and what a parent costs there.
    fn first(&self) -> Judge {
        (self.score, self.parent_cost)
    }

    /// The same of the third.
    fn last(&self) -> Judge {
        (self.last_score, 2.0 * self.parent_cost)
    }

    /// The third search: the parents where no single arc is left that should come, go or turn, and by which score.
    fn settled(
        &self,
        families: &mut Families,
        found: &Found,
        plan: &Setup,
    ) -> Result<(Vec<Vec<u32>>, Judge), Error> {
        let (score, parent_cost) = self.last();
        let mut last = self.ground.families(score, parent_cost, &self.stage);
        self.settled_by(families, &mut last, self.table.rows(), &found.parents, plan)
    }

    /// The same from a graph, by what counts so many rows for the first score and for the last.
    fn settled_by(
        &self,
        first: &mut Families,
        last: &mut Families,
        rows: usize,
        start: &[Vec<u32>],
        plan: &Setup,
    ) -> Result<(Vec<Vec<u32>>, Judge), Error> {
        let told = |families: &Families, name: &str| match families.are_far_away() {
            true => self.steps.checkpoints(name),
            false => Checkpoints::default(),
        };
        let mut moves = told(last, "moves by the last score");
        let by_last = self.climbed(last, plan, start, true, &mut moves)?;
        if rows < MANY_ROWS {
            return Ok((by_last, self.last()));
        }
        self.stage.more(self.ground.len());
        let mut moves = told(first, "moves by the first score");
        let by_first = self.climbed(first, plan, start, true, &mut moves)?;
        let ahead = ahead(first, &by_first, &by_last)? + ahead(last, &by_first, &by_last)?;
        Ok(if ahead > 0.0 { (by_first, self.first()) } else { (by_last, self.last()) })
    }

    /// The second search: the best directions of the first one's skeleton under fNML.
    ///
    /// fNML charges little for rows of a table that hardly occur, and now and then it likes a direction in which the arc costs far
    /// more than it brings under the score of the first search. Such a direction is closed and the search repeated; if that
    /// does not end, the directions stay those of the first search.
    fn turned(&self, families: &mut Families, first: Found, plan: &Setup) -> Result<Found, Error> {
        let allowed = |v: usize| self.ground.allowed(self.rules, v);
        let mut setup = Setup { starts: 0, ..plan.clone() };
        setup.pools = (0..self.ground.len()).map(|v| neighbours(&first, v, &allowed(v))).collect();
        for closing in 0..MOST_CLOSINGS {
            if closing > 0 {
                // The first time was announced.
                self.stage.more(self.ground.len() + setup.shakes);
            }
            // Parents that act only together are found by no step of one: sets of neighbours are tried as sets were before.
            setup.lists =
                plan.lists.iter().zip(&setup.pools).map(|(list, pool)| listed(list, pool)).collect();
            let name = format!("directions closed {closing} times");
            let found = self.steps.step(&name, || self.directed(&setup, &first.order, &name))?;
            let costly = costly(families, &found.parents, &setup.required)?;
            if costly.is_empty() {
                return Ok(found);
            }
            for (parent, child) in costly {
                setup.pools[child].retain(|&p| p != parent);
            }
        }
        Ok(first)
    }

    /// The search for directions with these possible parents, beginning with an order. It is the step of that name.
    fn directed(&self, setup: &Setup, order: &[usize], name: &str) -> Result<Found, Error> {
        let mut under_fnml = self.ground.families(Score::Fnml, 0.0, &self.stage);
        let mut checkpoints = self.steps.checkpoints(name);
        if let Some((mut search, _, way)) = Search::resumed(&mut under_fnml, checkpoints.found(), &self.stage)
        {
            return search.run_on(setup, way, &mut checkpoints);
        }
        let mut search = Search::new(&mut under_fnml, setup, self.stream("orientation"), &self.stage)?;
        search.run(setup, Some(order.to_vec()), &mut checkpoints)
    }
}

/// The possible parents of a node: all that are allowed, or the best of them one by one, with the list and the required.
fn pool(
    families: &mut Families,
    node: usize,
    allowed: Vec<u32>,
    required: &[u32],
    list: &[u32],
    most: usize,
) -> Result<Vec<u32>, Cancelled> {
    if allowed.len() <= most {
        return Ok(allowed);
    }
    let (_, figures) = families.expand(node, &[], &allowed)?;
    let mut ranked: Vec<(f64, u32)> = figures.iter().map(|f| f.score).zip(allowed).collect();
    ranked.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    let mut pool: Vec<u32> =
        ranked.into_iter().take(most).map(|(_, v)| v).chain(list.iter().copied()).collect();
    pool.extend(required);
    pool.sort_unstable();
    pool.dedup();
    Ok(pool)
}

/// By how much one graph's score is above another's.
fn ahead(families: &mut Families, one: &[Vec<u32>], other: &[Vec<u32>]) -> Result<f64, Cancelled> {
    let mut sum = 0.0;
    for (node, (one, other)) in one.iter().zip(other).enumerate().filter(|(_, (one, other))| one != other) {
        let mut score = |set: &[u32]| families.expand(node, set, &[]).map(|(own, _)| own.score);
        sum += score(one)? - score(other)?;
    }
    Ok(sum)
}

/// The neighbours of which sets are tried: those on the machine's list first.
fn listed(list: &[u32], pool: &[u32]) -> Vec<u32> {
    let on_list = list.iter().copied().filter(|v| pool.contains(v));
    let others = pool.iter().copied().filter(|v| !list.contains(v));
    on_list.chain(others).take(MOST_LISTED).collect()
}

/// The arcs that are worth less than nothing in their graph, the price of a parent left aside.
fn costly(
    families: &mut Families,
    graph: &[Vec<u32>],
    required: &[Vec<u32>],
) -> Result<Vec<(u32, usize)>, Cancelled> {
    let mut arcs = vec![];
    for (child, parents) in graph.iter().enumerate() {
        for &parent in parents.iter().filter(|p| !required[child].contains(p)) {
            let without: Vec<u32> = parents.iter().copied().filter(|&p| p != parent).collect();
            let (own, with) = families.expand(child, &without, &[parent])?;
            if with[0].score + families.parent_cost() < own.score {
                arcs.push((parent, child));
            }
        }
    }
    Ok(arcs)
}

/// An order that has parents before their children.
fn ordered(parents: &[Vec<u32>]) -> Vec<usize> {
    let mut order = Vec::with_capacity(parents.len());
    let mut placed = vec![false; parents.len()];
    while order.len() < parents.len() {
        for (v, parents) in parents.iter().enumerate() {
            if !placed[v] && parents.iter().all(|&p| placed[p as usize]) {
                placed[v] = true;
                order.push(v);
            }
        }
    }
    order
}

/// Those a node is adjacent to, as far as they may be its parents.
fn neighbours(found: &Found, node: usize, allowed: &[u32]) -> Vec<u32> {
    let adjacent =
        |&v: &u32| found.parents[node].contains(&v) || found.parents[v as usize].contains(&(node as u32));
    allowed.iter().copied().filter(adjacent).collect()
}
