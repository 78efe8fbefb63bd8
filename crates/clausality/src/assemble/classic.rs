//! The classic learners, for comparison and for whoever wants them.
//!
//! - `hc`, `tabu`: steps of one arc under the score (module `climb`);
//! - `chow-liu`: the heaviest tree (Chow & Liu 1968), the paper's own idea for the future: weights are the machines' strengths or mutual
//!   information, the root is the node with the largest total, arcs lead away from it, and every parameter points at the few
//!   nodes it is strongest for;
//! - `pc`: conditional independence (module `constraint`), from the complete graph or from the machines' lists;
//! - `mmhc`: hill climbing among the parents and children that MMPC finds.
//!
//! Rules bind in each: what they require is there from the start, and no step may add what they refuse.

use super::climb::Climb;
use super::constraint::{DEPTH, Tests, parents_and_children, skeleton};
use super::families::Families;
use super::ground::Ground;
use super::trace::Account;
use super::{Assembly, NetworkSettings, TreeWeights};
use crate::Error;
use crate::candidates::{Candidates, StrengthMatrix};
use crate::rules::{Role, Rules};
use crate::strengths::mutual_information;
use crate::watch::{Stage, Underway, Watch};
use clausality_bn::{Dag, Table, math};

/// A classic learner.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Classic {
    /// Hill climbing.
    Hc,
    /// Tabu search.
    Tabu,
    /// The heaviest tree.
    ChowLiu,
    /// Conditional independence.
    Pc,
    /// Hill climbing among parents and children.
    Mmhc,
}

/// Features on a list.
const LIST: usize = 8;
/// Arcs of a parameter in a tree.
const PARAMETER_ARCS: usize = 2;

/// The graph that a classic learner finds.
pub(super) fn assemble(
    table: &Table,
    strengths: &StrengthMatrix,
    rules: &Rules,
    classic: Classic,
    settings: &NetworkSettings,
    watch: &dyn Watch,
) -> Result<Assembly, Error> {
    let candidates = Candidates::rank(strengths, table.schema(), rules, LIST);
    // Each node is made ready so often, and its list accounted for.
    let rounds = match classic {
        Classic::Hc | Classic::Tabu | Classic::ChowLiu => 1,
        Classic::Pc => 1 + DEPTH,
        Classic::Mmhc => 2,
    };
    let stage = &Underway::begin(watch, Stage::Assemble, (rounds + 1) * table.schema().len());
    let ground = Ground::new(table);
    let scene = Scene { table, strengths, rules, settings, candidates: &candidates, ground, stage };
    let dag = match classic {
        Classic::Hc => scene.climb(false, &scene.possible())?,
        Classic::Tabu => scene.climb(true, &scene.possible())?,
        Classic::ChowLiu => scene.tree()?,
        Classic::Pc => scene.independence()?,
        Classic::Mmhc => {
            let mut families = scene.families();
            let near = parents_and_children(&mut scene.tests(&mut families), &scene.possible(), stage)?;
            scene.climb(false, &near)?
        }
    };
    let account = Account {
        table,
        ground: &scene.ground,
        strengths,
        rules,
        candidates: &candidates,
        length: LIST,
        score: settings.judged_by(),
        parent_cost: 0.0,
        sober: false,
        dag: &dag,
        before: None,
        stage,
    };
    let trace = account.trace()?;
    Ok(Assembly { dag, trace })
}

/// What all of them look at.
struct Scene<'a> {
    table: &'a Table,
    strengths: &'a StrengthMatrix,
    rules: &'a Rules,
    settings: &'a NetworkSettings,
    candidates: &'a Candidates,
    ground: Ground<'a>,
    stage: &'a Underway<'a>,
}

impl Scene<'_> {
    fn families(&self) -> Families<'_> {
        self.ground.families(self.settings.judged_by(), 0.0, self.stage)
    }

    fn tests<'f, 't>(&self, families: &'f mut Families<'t>) -> Tests<'f, 't> {
        Tests { families, ln_alpha: math::ln(self.settings.alpha) }
    }

    /// Pairs that may be neighbours, by place in the order of names: allowed one way round, and listed if that is asked for.
    fn possible(&self) -> Vec<Vec<bool>> {
        let by_name = &self.ground.by_name;
        let listed = |a: usize, b: usize| self.candidates.list(a).iter().any(|c| c.feature == b);
        let may = |a: usize, b: usize| {
            let (a, b) = (by_name[a], by_name[b]);
            let allowed = a != b && (self.rules.allows(a, b) || self.rules.allows(b, a));
            let required = self.rules.required().adjacent(a, b);
            allowed && (!self.settings.restrict || listed(a, b) || listed(b, a) || required)
        };
        (0..by_name.len()).map(|a| (0..by_name.len()).map(|b| may(a, b)).collect()).collect()
    }

    fn climb(&self, tabu: bool, near: &[Vec<bool>]) -> Result<Dag, Error> {
        let required = self.ground.required(self.rules);
        let pools: Vec<Vec<u32>> = (0..self.ground.len())
            .map(|v| {
                let mut pool = self.ground.allowed(self.rules, v);
                pool.retain(|p| near[v][*p as usize] || required[v].contains(p));
                pool
            })
            .collect();
        let (families, most) = (&mut self.families(), self.rules.max_parents());
        let (sober, stage) = (false, self.stage);
        let (pools, required, through) = (&pools[..], &required[..], false);
        let climb = Climb { families, pools, required, most, tabu, through, sober, stage };
        self.ground.graph(&climb.run(required)?)
    }

    /// Puts an arc into a graph if rules and acyclicity let it.
    fn put(&self, dag: &mut Dag, parent: usize, child: usize) -> bool {
        self.rules.allows(parent, child)
            && dag.parents(child).len() < self.rules.max_parents()
            && dag.try_add(parent, child).is_ok()
    }

    fn independence(&self) -> Result<Dag, Error> {
        let mut families = self.families();
        let found = skeleton(&mut self.tests(&mut families), &self.possible(), self.stage)?.graph();
        let by_name = &self.ground.by_name;
        // A directed graph with exactly these colliders where there is one; else whatever fits, pair by pair.
        let wishes: Vec<(usize, usize)> = match found.extension() {
            Some(dag) => dag.arcs().collect(),
            None => {
                let mut directed: Vec<(usize, usize)> = found.directed().collect();
                directed.sort_unstable_by_key(|&(a, b)| (a.min(b), a.max(b)));
                directed.into_iter().chain(found.undirected()).collect()
            }
        };
        let mut dag = self.rules.required().clone();
        for (a, b) in wishes {
            let (parent, child) = (by_name[a], by_name[b]);
            if !dag.adjacent(parent, child) && !self.put(&mut dag, parent, child) {
                self.put(&mut dag, child, parent);
            }
        }
        Ok(dag)
    }

    /// Weights of pairs by place in the order of names.
    fn weights(&self) -> Result<Vec<Vec<f64>>, Error> {
        let by_name = &self.ground.by_name;
        let m = by_name.len();
        if self.settings.weights == TreeWeights::Information {
            let information = mutual_information(self.table, self.stage)?;
            let row = |&a: &usize| by_name.iter().map(|&b| information[a][b]).collect();
            return Ok(by_name.iter().map(row).collect());
        }
        let share: Vec<Vec<f64>> = by_name
            .iter()
            .map(|&target| {
                let row: Vec<f64> = by_name.iter().map(|&f| self.strengths.get(target, f)).collect();
                let sum: f64 = row.iter().sum();
                row.iter().map(|s| if sum > 0.0 { s / sum } else { 0.0 }).collect()
            })
            .collect();
        Ok((0..m).map(|a| (0..m).map(|b| 0.5 * (share[a][b] + share[b][a])).collect()).collect())
    }

    fn tree(&self) -> Result<Dag, Error> {
        let weights = self.weights()?;
        let by_name = &self.ground.by_name;
        let m = by_name.len();
        let inner = |v: usize| !matches!(self.rules.role(by_name[v]), Role::Parameter | Role::Calendar);
        let possible = |a: usize, b: usize| {
            weights[a][b] > 0.0
                && (self.rules.allows(by_name[a], by_name[b]) || self.rules.allows(by_name[b], by_name[a]))
        };
        let mut edges: Vec<(usize, usize)> = (0..m)
            .flat_map(|a| (a + 1..m).map(move |b| (a, b)))
            .filter(|&(a, b)| inner(a) && inner(b) && possible(a, b))
            .collect();
        edges.sort_by(|x, y| weights[y.0][y.1].total_cmp(&weights[x.0][x.1]).then(x.cmp(y)));
        let mut part: Vec<usize> = (0..m).collect();
        let mut near: Vec<Vec<usize>> = vec![vec![]; m];
        for (a, b) in edges {
            let (one, other) = (part[a], part[b]);
            if one != other {
                part.iter_mut().filter(|p| **p == other).for_each(|p| *p = one);
                near[a].push(b);
                near[b].push(a);
            }
        }
        let mut dag = self.rules.required().clone();
        let total = |v: usize| weights[v].iter().sum::<f64>();
        let mut roots: Vec<usize> = (0..m).filter(|&v| inner(v)).collect();
        roots.sort_by(|&a, &b| total(b).total_cmp(&total(a)).then(a.cmp(&b)));
        let mut seen = vec![false; m];
        for root in roots {
            let mut open = vec![root];
            while let Some(v) = open.pop() {
                seen[v] = true;
                for &next in near[v].iter().filter(|&&n| !seen[n]) {
                    let (parent, child) = (by_name[v], by_name[next]);
                    if !dag.adjacent(parent, child) && !self.put(&mut dag, parent, child) {
                        self.put(&mut dag, child, parent);
                    }
                    open.push(next);
                }
            }
        }
        for parameter in (0..m).filter(|&v| !inner(v)) {
            let mut targets: Vec<usize> =
                (0..m).filter(|&v| inner(v) && weights[parameter][v] > 0.0).collect();
            targets.sort_by(|&a, &b| weights[parameter][b].total_cmp(&weights[parameter][a]).then(a.cmp(&b)));
            for &target in targets.iter().take(PARAMETER_ARCS) {
                let (parent, child) = (by_name[parameter], by_name[target]);
                if !dag.adjacent(parent, child) {
                    self.put(&mut dag, parent, child);
                }
            }
        }
        Ok(dag)
    }
}
