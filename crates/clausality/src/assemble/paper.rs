//! Algorithms 2 and 3: the lists become a graph without cycles.
//!
//! Implements: Algorithm 2 ("Search Algorithm for Network Structure") and Algorithm 3 ("Cycle detection") of the paper.
//!
//! 1. Phases: parameters propose, then observed nodes, then unobserved ones. Within a phase features come by (times listed,
//!    total strength, name), and each proposes its arc with every node of the phase that lists it.
//! 2. The same arc proposed twice keeps the larger strength. Of two opposite arcs the stronger stays (`pairwise`), or the
//!    one whose parent has the larger total strength (`total`).
//! 3. Acyclic: arcs are taken by (strength, phase, name) and accepted unless they close a cycle (`greedy`). Every
//!    rejected arc is then the weakest of a cycle, as Algorithm 3 asks, whatever the order of nodes. `dfs` is Algorithm 3 to the
//!    letter: find a cycle by depth-first search, drop its weakest arc, repeat until there is none.
//!
//! **Our reading.** The paper defines the "lower strength direction" by total strengths and then keeps "the edge which has a
//! higher feature strength": hence two options, `pairwise` by default. It removes one arc of every cycle a node lies on in one
//! pass, which may leave cycles: we repeat. Required arcs are stronger than any other and never dropped.
//!
//! Complexity: O(E log E + E·(V + E)) for E proposed arcs, at most P for every node.

use super::trace::{cycle, refused};
use super::{Assembly, Competing, Cycles, NetworkSettings, Outcome, Proposal};
use crate::candidates::{Candidates, StrengthMatrix};
use crate::rules::{Role, Rules};
use crate::watch::{Cancelled, Stage, Underway, Unwatched, Watch, go_on};
use clausality_bn::{Dag, Schema};
use std::cmp::Ordering;
use std::collections::BTreeMap;

/// The graph of Algorithms 2 and 3.
pub fn assemble(
    strengths: &StrengthMatrix,
    schema: &Schema,
    rules: &Rules,
    settings: &NetworkSettings,
) -> Assembly {
    watched(strengths, schema, rules, settings, &Unwatched).expect("nobody is there to call it off")
}

/// The same for somebody who may call it off; a step for every node that has proposed.
pub(super) fn watched(
    strengths: &StrengthMatrix,
    schema: &Schema,
    rules: &Rules,
    settings: &NetworkSettings,
    watch: &dyn Watch,
) -> Result<Assembly, Cancelled> {
    let stage = &Underway::begin(watch, Stage::Assemble, schema.len());
    let candidates = Candidates::rank(strengths, schema, rules, settings.features);
    let work = Work { strengths, schema, rules, by_name: schema.in_name_order(), stage };
    let mut trace = work.required();
    work.propose(&candidates, &mut trace)?;
    work.compete(settings.competing, &mut trace);
    let dag = match settings.cycles {
        Cycles::Greedy => work.accept(&mut trace)?,
        Cycles::Dfs => work.prune(&mut trace)?,
    };
    trace.extend(refused(strengths, schema, rules, settings.features));
    Ok(Assembly { dag, trace })
}

struct Work<'a> {
    strengths: &'a StrengthMatrix,
    schema: &'a Schema,
    rules: &'a Rules,
    by_name: Vec<usize>,
    stage: &'a Underway<'a>,
}

impl Work<'_> {
    fn required(&self) -> Vec<Proposal> {
        let mut arcs: Vec<(usize, usize)> = self.rules.required().arcs().collect();
        arcs.sort_by_key(|&(p, c)| (self.schema.name(p), self.schema.name(c)));
        let proposal =
            |(parent, child)| Proposal::new(self.strengths, self.rules, child, parent, 0, Outcome::Required);
        arcs.into_iter().map(proposal).collect()
    }

    /// Step 1: every list, phase by phase, feature by feature.
    fn propose(&self, candidates: &Candidates, trace: &mut Vec<Proposal>) -> Result<(), Cancelled> {
        for phase in [Role::Parameter, Role::Calendar, Role::Observed, Role::Unobserved] {
            let targets: Vec<usize> =
                self.by_name.iter().copied().filter(|&t| self.rules.role(t) == phase).collect();
            let mut listed: BTreeMap<usize, (usize, f64)> = BTreeMap::new();
            for candidate in targets.iter().flat_map(|&t| candidates.list(t)) {
                let (times, sum) = listed.entry(candidate.feature).or_default();
                *times += 1;
                *sum += candidate.strength;
            }
            let mut features: Vec<(usize, (usize, f64))> = listed.into_iter().collect();
            features.sort_by(|(a, (times_a, sum_a)), (b, (times_b, sum_b))| {
                let by_strength = times_b.cmp(times_a).then(sum_b.total_cmp(sum_a));
                by_strength.then_with(|| self.schema.name(*a).cmp(self.schema.name(*b)))
            });
            for (feature, _) in features {
                go_on(self.stage)?;
                for &target in &targets {
                    let Some(candidate) = candidates.list(target).iter().find(|c| c.feature == feature)
                    else {
                        continue;
                    };
                    let (strengths, rank) = (self.strengths, candidate.rank);
                    trace.push(Proposal::new(strengths, self.rules, target, feature, rank, Outcome::Kept));
                }
            }
            targets.iter().for_each(|_| self.stage.step());
        }
        Ok(())
    }

    /// Step 2: duplicates and opposites.
    fn compete(&self, competing: Competing, trace: &mut [Proposal]) {
        let mut best: BTreeMap<(usize, usize), usize> = BTreeMap::new();
        for i in 0..trace.len() {
            match best.get(&(trace[i].parent, trace[i].child)).copied() {
                None => _ = best.insert((trace[i].parent, trace[i].child), i),
                Some(old)
                    if trace[old].outcome == Outcome::Required
                        || trace[i].strength <= trace[old].strength =>
                {
                    trace[i].outcome = Outcome::Duplicate(trace[old].strength);
                }
                Some(old) => {
                    trace[old].outcome = Outcome::Duplicate(trace[i].strength);
                    best.insert((trace[i].parent, trace[i].child), i);
                }
            }
        }
        for (&(parent, child), &i) in &best {
            let Some(&opposite) = best.get(&(child, parent)) else { continue };
            let weight = |i: usize| match competing {
                Competing::Pairwise => trace[i].strength,
                Competing::Total => self.strengths.total(trace[i].parent, &self.by_name),
            };
            let (mine, other) = (weight(i), weight(opposite));
            let by_name = || self.schema.name(child).cmp(self.schema.name(parent));
            if mine.total_cmp(&other).then_with(by_name) == Ordering::Less {
                trace[i].outcome = Outcome::Turned(other);
            }
        }
    }

    /// Arcs still in play, strongest first, required ones before all.
    fn in_play(&self, trace: &[Proposal]) -> Vec<usize> {
        let mut arcs: Vec<usize> = (0..trace.len())
            .filter(|&i| matches!(trace[i].outcome, Outcome::Kept | Outcome::Required))
            .collect();
        arcs.sort_by(|&a, &b| self.stronger_first(&trace[a], &trace[b]));
        arcs
    }

    fn stronger_first(&self, a: &Proposal, b: &Proposal) -> Ordering {
        let required = |p: &Proposal| p.outcome == Outcome::Required;
        let names = |p: &Proposal| (self.schema.name(p.parent), self.schema.name(p.child));
        required(b)
            .cmp(&required(a))
            .then(b.strength.total_cmp(&a.strength))
            .then(a.phase.cmp(&b.phase))
            .then_with(|| names(a).cmp(&names(b)))
    }

    /// Step 3, greedy.
    fn accept(&self, trace: &mut [Proposal]) -> Result<Dag, Cancelled> {
        let mut dag = Dag::new(self.schema.len());
        for i in self.in_play(trace) {
            go_on(self.stage)?;
            let (parent, child) = (trace[i].parent, trace[i].child);
            if dag.parents(child).len() >= self.rules.max_parents() {
                trace[i].outcome = Outcome::ParentLimit(self.rules.max_parents());
            } else if dag.try_add(parent, child).is_err() {
                let path = cycle(self.schema, &dag, parent, child).unwrap_or_default();
                trace[i].outcome = Outcome::ClosesCycle(path);
            }
        }
        Ok(dag)
    }

    /// Step 3 to the letter: drop the weakest arc of a cycle until there is none.
    fn prune(&self, trace: &mut [Proposal]) -> Result<Dag, Cancelled> {
        let mut count = vec![0; self.schema.len()];
        let mut arcs = vec![];
        for i in self.in_play(trace) {
            if count[trace[i].child] >= self.rules.max_parents() {
                trace[i].outcome = Outcome::ParentLimit(self.rules.max_parents());
            } else {
                count[trace[i].child] += 1;
                arcs.push(i);
            }
        }
        loop {
            go_on(self.stage)?;
            let pairs = arcs.iter().map(|&i| (trace[i].parent, trace[i].child));
            let Some(cycle) = self.find_cycle(pairs.collect()) else {
                let pairs = arcs.iter().map(|&i| (trace[i].parent, trace[i].child));
                return Ok(Dag::from_arcs(self.schema.len(), pairs).expect("no cycle was found"));
            };
            let steps = cycle.iter().zip(cycle.iter().cycle().skip(1));
            let on_cycle = steps.map(|(&p, &c)| {
                *arcs
                    .iter()
                    .find(|&&i| (trace[i].parent, trace[i].child) == (p, c))
                    .expect("a cycle of arcs in play")
            });
            let weakest = on_cycle
                .max_by(|&a, &b| self.stronger_first(&trace[a], &trace[b]))
                .expect("a cycle has arcs");
            arcs.retain(|&i| i != weakest);
            let mut path = cycle;
            let start = path.iter().position(|&v| v == trace[weakest].parent).unwrap_or(0);
            path.rotate_left(start);
            trace[weakest].outcome = Outcome::ClosesCycle(path);
        }
    }

    /// A cycle, searched depth first from the nodes in the order of names.
    fn find_cycle(&self, arcs: Vec<(usize, usize)>) -> Option<Vec<usize>> {
        let mut children: Vec<Vec<usize>> = vec![vec![]; self.schema.len()];
        arcs.into_iter().for_each(|(p, c)| children[p].push(c));
        children.iter_mut().for_each(|c| c.sort_by_key(|&v| self.schema.name(v)));
        let mut done = vec![false; self.schema.len()];
        for &start in &self.by_name {
            // The path so far, with the next child to try of each node on it.
            let mut path: Vec<(usize, usize)> = vec![(start, 0)];
            while let Some((node, next)) = path.last_mut() {
                if done[*node] || *next == children[*node].len() {
                    done[*node] = true;
                    path.pop();
                    continue;
                }
                let child = children[*node][*next];
                *next += 1;
                if let Some(at) = path.iter().position(|&(v, _)| v == child) {
                    return Some(path[at..].iter().map(|&(v, _)| v).collect());
                }
                path.push((child, 0));
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::RuleSettings;
    use clausality_bn::Variable;
    use proptest::prelude::*;

    fn schema(names: &[&str]) -> Schema {
        Schema::new(names.iter().map(|n| Variable::new(*n, ["0", "1"])).collect()).unwrap()
    }

    /// Strengths as (target, feature, value).
    fn matrix(size: usize, entries: &[(usize, usize, f64)]) -> StrengthMatrix {
        let mut m = StrengthMatrix::new(size);
        entries.iter().for_each(|&(t, f, s)| m.set(t, f, s));
        m
    }

    fn arcs(assembly: &Assembly) -> Vec<(usize, usize)> {
        assembly.dag.arcs().collect()
    }

    const A: usize = 0;
    const B: usize = 1;
    const C: usize = 2;

    #[test]
    fn features_point_into_their_target_and_out_of_a_parameter() {
        let schema = schema(&["A", "B", "C"]);
        let m = matrix(3, &[(B, A, 2.0), (C, B, 1.0), (A, C, 0.5)]);
        let none = Rules::none(3);
        let params = NetworkSettings { features: 1, ..NetworkSettings::default() };
        // A > B > C; C > A would close the cycle and is its weakest arc.
        let found = assemble(&m, &schema, &none, &params);
        assert_eq!(arcs(&found), [(A, B), (B, C)]);
        let last = found.trace.iter().find(|p| (p.parent, p.child) == (C, A)).unwrap();
        assert!(matches!(&last.outcome, Outcome::ClosesCycle(path) if path.len() == 3));
        // With A a parameter its own list points away from it.
        let rules =
            Rules::new(&schema, &RuleSettings { parameter: vec!["A".into()], ..Default::default() }).unwrap();
        assert_eq!(arcs(&assemble(&m, &schema, &rules, &params)), [(A, B), (A, C), (B, C)]);
    }

    #[test]
    fn the_stronger_of_two_opposites_stays() {
        let schema = schema(&["A", "B", "C"]);
        // A > B with 1.0, B > A with 1.5; but A's total (1.0 + 9.0) is larger than B's.
        let m = matrix(3, &[(B, A, 1.0), (A, B, 1.5), (C, A, 9.0)]);
        let with = |competing| NetworkSettings { features: 1, competing, ..NetworkSettings::default() };
        let pairwise = assemble(&m, &schema, &Rules::none(3), &with(Competing::Pairwise));
        assert_eq!(arcs(&pairwise), [(A, C), (B, A)]);
        let total = assemble(&m, &schema, &Rules::none(3), &with(Competing::Total));
        assert_eq!(arcs(&total), [(A, B), (A, C)]);
        let turned = total.trace.iter().find(|p| p.parent == B).unwrap();
        assert_eq!(turned.outcome, Outcome::Turned(10.0));
    }

    /// Strengths, roles, required arcs and parent limit.
    type Case = (Vec<u8>, Vec<u8>, Vec<(usize, usize)>, Option<usize>);

    fn case() -> impl Strategy<Value = Case> {
        (2usize..9).prop_flat_map(|n| {
            let strengths = prop::collection::vec(0u8..12, n * n);
            let roles = prop::collection::vec(0u8..8, n);
            let required = prop::collection::vec((0..n, 0..n), 0..3);
            (strengths, roles, required, prop::option::of(1usize..4))
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 2000, ..ProptestConfig::default() })]

        #[test]
        fn always_legal_and_blind_to_the_order_of_columns(
            (values, roles, required, max_parents) in case(),
            features in 1usize..4,
            total in any::<bool>(),
            dfs in any::<bool>(),
            rotate in 1usize..8,
        ) {
            let n = roles.len();
            let params = NetworkSettings {
                features,
                competing: if total { Competing::Total } else { Competing::Pairwise },
                cycles: if dfs { Cycles::Dfs } else { Cycles::Greedy },
                ..NetworkSettings::default()
            };
            let build = |order: &[usize]| {
                let names: Vec<String> = order.iter().map(|v| format!("v{v}")).collect();
                let schema = schema(&names.iter().map(String::as_str).collect::<Vec<_>>());
                let of = |role: u8| (0..n).filter(|&v| roles[v] == role).map(|v| format!("v{v}")).collect::<Vec<_>>();
                let rules = RuleSettings {
                    parameter: of(0),
                    unobserved: of(1),
                    require: required.iter().map(|(p, c)| format!("v{p}>v{c}").parse().unwrap()).collect(),
                    max_parents,
                    ..Default::default()
                };
                let rules = Rules::new(&schema, &rules).ok()?;
                let mut m = StrengthMatrix::new(n);
                for (t, &target) in order.iter().enumerate() {
                    for (f, &feature) in order.iter().enumerate().filter(|(f, _)| *f != t) {
                        m.set(t, f, values[target * n + feature] as f64 / 4.0);
                    }
                }
                let found = assemble(&m, &schema, &rules, &params);
                let mut named: Vec<(String, String)> =
                    found.dag.arcs().map(|(p, c)| (names[p].clone(), names[c].clone())).collect();
                named.sort();
                Some((found, rules, named))
            };
            let order: Vec<usize> = (0..n).collect();
            let Some((found, rules, named)) = build(&order) else { return Ok(()) };
            prop_assert_eq!(found.dag.len(), n);
            for (p, c) in found.dag.arcs() {
                prop_assert!(rules.allows(p, c));
                let kept = |q: &&Proposal| (q.parent, q.child) == (p, c) && matches!(q.outcome, Outcome::Kept | Outcome::Required);
                prop_assert_eq!(found.trace.iter().filter(kept).count(), 1);
            }
            let kept = found.trace.iter().filter(|q| matches!(q.outcome, Outcome::Kept | Outcome::Required));
            prop_assert_eq!(kept.count(), found.dag.arc_count());
            prop_assert!(rules.required().arcs().all(|(p, c)| found.dag.has(p, c)));
            prop_assert!((0..n).all(|v| found.dag.parents(v).len() <= rules.max_parents()));
            let mut turned = order.clone();
            turned.rotate_left(rotate % n);
            turned.swap(0, n - 1);
            let (_, _, other) = build(&turned).expect("the same rules");
            prop_assert_eq!(named, other);
        }
    }
}
