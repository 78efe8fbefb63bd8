//! What to do: the expected value of every action, and what it is worth to know more before.
//!
//! ```text
//! EU(a | e) = Σ_g Σ_s u_g(s) P(s | do(a), e) − cost(a)                        g: groups of nodes that something depends on
//! VPI(N)    = Σ_n P(n | e) max_a EU(a | n, e) − max_a EU(a | e)
//! ```
//!
//! Every graph of the class gives an action its own value: the least and the largest are its band ([`crate::effects`]). What is known (`e`) was
//! known before the action. Only what no action moves can be looked at before: the value of perfect information (Howard 1966; as in an influence
//! diagram with an arc from `N` to the decision, Howard and Matheson 1984) is told of nodes that are no descendants of what the actions set,
//! in the graph as it is drawn. All `P(n | s, do(a), e)` come from one propagation for each action and state `s`, and Bayes' rule turns them round.

use crate::effects::{Acts, ParentSets, Replicates, TAIL, point, set_nodes};
use crate::infer::{Evidence, Finding, Infer, Stop};
use crate::{Error, Network, Pdag, Schema};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Values that differ by less are equal.
const EQUAL: f64 = 1e-9;

/// What it is worth that some nodes are in some states together.
#[derive(Debug, Clone, PartialEq)]
pub struct Worth {
    /// The nodes with their states; each node once. Without any it is always worth that.
    pub when: Vec<(usize, u8)>,
    /// The value.
    pub value: f64,
}

/// What can be done, and what it costs.
#[derive(Debug, Clone, PartialEq)]
pub struct Action {
    /// The nodes that are set; none: nothing is done.
    pub set: Vec<(usize, u8)>,
    /// The cost.
    pub cost: f64,
}

/// What an action is worth.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Valued {
    /// In the graph as it is drawn.
    pub expected: f64,
    /// The least over the class.
    pub low: f64,
    /// The most.
    pub high: f64,
}

/// What to do.
#[derive(Debug, Clone, PartialEq)]
pub struct Decision {
    /// What every action is worth.
    pub actions: Vec<Valued>,
    /// The best in the graph as it is drawn; of equals the first.
    pub best: usize,
    /// The others that are worth as much there.
    pub level: Vec<usize>,
    /// Whether it is the best in every graph of the class.
    pub sure: bool,
    /// How many ways the class has to direct the arcs at what is set, and whether all were looked at.
    pub members: usize,
    /// Whether these are all.
    pub whole: bool,
    /// The arcs, as drawn, that bands rest on.
    pub open: Vec<(usize, usize)>,
    /// What it would be worth to know a node before deciding, in the order of the network.
    pub information: Vec<(usize, f64)>,
    /// Nodes that were seen though an action may move them: what they say of the world without the action is lost.
    pub late: Vec<usize>,
}

/// Values over the joint states of some nodes, the last varying fastest.
struct Group {
    nodes: Vec<usize>,
    values: Vec<f64>,
}

/// The values as tables, one for every list of nodes.
fn groups(network: &Network, worths: &[Worth]) -> Vec<Group> {
    let mut by_nodes: BTreeMap<Vec<usize>, Vec<f64>> = BTreeMap::new();
    for Worth { when, value } in worths {
        let mut when = when.clone();
        when.sort_unstable();
        let nodes: Vec<usize> = when.iter().map(|&(node, _)| node).collect();
        let states = |&v: &usize| network.schema().cardinality(v);
        let place = when.iter().fold(0, |at, &(v, s)| at * states(&v) + usize::from(s));
        let cells = nodes.iter().map(states).product();
        by_nodes.entry(nodes).or_insert_with(|| vec![0.0; cells])[place] += value;
    }
    by_nodes.into_iter().map(|(nodes, values)| Group { nodes, values }).collect()
}

/// What the actions are worth, given what is known, over a class closed under Meek's rules that the network's graph belongs to.
///
/// # Errors
/// As [`Infer::posterior`]; an action on a node that the evidence speaks of; no action at all.
pub fn decide(
    network: &Arc<Network>,
    class: &Pdag,
    evidence: &Evidence,
    worths: &[Worth],
    actions: &[Action],
    limit: u64,
) -> Result<Decision, Error> {
    let groups = groups(network, worths);
    let under = under(evidence, actions)?;
    let mut infer = Infer::new(network.clone()).with_limit(limit);
    let Values { actions: valued, best, sure, members, whole, set, wide } =
        values(&mut infer, network, class, &groups, actions, &under, limit)?;
    let scale = valued.iter().map(|v| v.expected.abs()).fold(1.0, f64::max);
    let as_good = |k: &usize| *k != best && valued[best].expected - valued[*k].expected <= EQUAL * scale;
    let level = (0..actions.len()).filter(as_good).collect();
    let as_drawn = |(a, b): (usize, usize)| if network.dag().has(a, b) { (a, b) } else { (b, a) };
    let at_set = class.undirected().filter(|(a, b)| set.contains(a) || set.contains(b));
    let open = if wide { at_set.map(as_drawn).collect() } else { vec![] };
    let moved: BTreeSet<usize> = actions
        .iter()
        .flat_map(|action| &action.set)
        .flat_map(|&(node, _)| network.dag().descendants(node).into_iter().chain([node]))
        .collect();
    let seen = |v: usize| matches!(evidence.finding(v), Finding::Observed(_) | Finding::Likelihood(_));
    let late = moved.iter().copied().filter(|&v| seen(v)).collect();
    let known = |v: usize| evidence.finding(v).state().is_some();
    let nodes: Vec<usize> = (0..network.len()).filter(|v| !moved.contains(v) && !known(*v)).collect();
    let worth = information(&mut infer, &nodes, &groups, actions, &under)?;
    let information = nodes.into_iter().zip(worth).collect();
    Ok(Decision { actions: valued, best, level, sure, members, whole, open, information, late })
}

/// What is known under each of the actions.
fn under(evidence: &Evidence, actions: &[Action]) -> Result<Vec<Evidence>, Error> {
    let acted = |action: &Action| {
        let mut acted = evidence.clone();
        action.set.iter().try_for_each(|&(node, state)| acted.intervene(node, state))?;
        Ok(acted)
    };
    actions.iter().map(acted).collect()
}

/// What the actions are worth over a class.
struct Values {
    actions: Vec<Valued>,
    best: usize,
    sure: bool,
    members: usize,
    whole: bool,
    /// What the actions set.
    set: Vec<usize>,
    /// Whether some band is wider than rounding.
    wide: bool,
}

fn values(
    infer: &mut Infer,
    network: &Arc<Network>,
    class: &Pdag,
    groups: &[Group],
    actions: &[Action],
    under: &[Evidence],
    limit: u64,
) -> Result<Values, Error> {
    let mut valued = Vec::with_capacity(actions.len());
    for (action, acted) in actions.iter().zip(under) {
        let joint = |nodes: &[usize]| Ok(infer.posterior(nodes, acted)?.probabilities);
        let expected = expected(groups, joint)? - action.cost;
        valued.push(Valued { expected, low: expected, high: expected });
    }
    let best = best(valued.iter().map(|v| v.expected));
    let set: BTreeSet<usize> = under.iter().flat_map(set_nodes).collect();
    let set: Vec<usize> = set.into_iter().collect();
    let mut acts = Acts::new(network, class, limit);
    let ParentSets { sets, whole } = acts.parent_sets(&set);
    let mut sure = whole;
    for parents in &sets {
        let parents: BTreeMap<usize, Vec<usize>> = set.iter().copied().zip(parents.iter().cloned()).collect();
        let mut here = Vec::with_capacity(actions.len());
        for (k, (action, acted)) in actions.iter().zip(under).enumerate() {
            let mut member = acts.acted(acted, &parents)?;
            let mut share = 0.0f64;
            let joint = |nodes: &[usize]| {
                let (found, untold) = member.posterior(nodes)?;
                share = share.max(untold);
                Ok(found)
            };
            let told = match expected(groups, joint) {
                Ok(told) => told,
                Err(Error::ImpossibleEvidence) => {
                    share = 1.0;
                    0.0
                }
                Err(error) => return Err(error),
            };
            let (least, most) = bounds(groups);
            let low = told * (1.0 - share) + share * least - action.cost;
            let high = told * (1.0 - share) + share * most - action.cost;
            valued[k].low = valued[k].low.min(low);
            valued[k].high = valued[k].high.max(high);
            here.push((low, high));
        }
        let beaten = |(k, other): (usize, &(f64, f64))| k != best && other.1 > here[best].0 + EQUAL;
        sure &= !here.iter().enumerate().any(beaten);
    }
    let scale = valued.iter().map(|v| v.expected.abs()).fold(1.0, f64::max);
    let mut wide = false;
    for Valued { expected, low, high } in &mut valued {
        match *high - *low > EQUAL * scale {
            true => wide = true,
            false => (*low, *high) = (*expected, *expected),
        }
    }
    Ok(Values { actions: valued, best, sure, members: sets.len(), whole, set, wide })
}

/// What actions are worth over graphs learned again from rows drawn anew.
#[derive(Debug, Clone, PartialEq)]
pub struct Respread {
    /// The lower end of every action.
    pub low: Vec<f64>,
    /// The upper end.
    pub high: Vec<f64>,
    /// How many graphs there are, one for each repetition.
    pub graphs: usize,
    /// How many draws gave an answer.
    pub draws: usize,
    /// In how many of them the best action of the network itself is worth as much as any other.
    pub best: usize,
}

impl Replicates {
    /// The band of what every action is worth, as [`Replicates::effects`] has that of an effect; `own` is what the network itself says, which is always
    /// within. Nothing where no draw has an answer.
    ///
    /// # Errors
    /// As [`Replicates::effects`].
    #[expect(clippy::too_many_arguments, reason = "what is known, what is asked, and what it may take")]
    pub fn decide(
        &self,
        schema: &Schema,
        evidence: &Evidence,
        worths: &[Worth],
        actions: &[Action],
        own: &Decision,
        limit: u64,
        stop: Option<&Stop>,
    ) -> Result<Option<Respread>, Error> {
        let under = under(evidence, actions)?;
        let (mut draws, mut best) = (vec![], 0);
        self.each_draw(schema, stop, |network, class| {
            let mut infer = Infer::new(network.clone()).with_limit(limit);
            let groups = groups(network, worths);
            let found = match values(&mut infer, network, class, &groups, actions, &under, limit) {
                Err(Error::ImpossibleEvidence | Error::InferenceLimit { .. }) => return Ok(()),
                found => found?.actions,
            };
            let most = found.iter().map(|v| v.expected).fold(f64::NEG_INFINITY, f64::max);
            best += usize::from(found[own.best].expected >= most - EQUAL);
            draws.push(found);
            Ok(())
        })?;
        if draws.is_empty() {
            return Ok(None);
        }
        let over = |end: fn(&Valued) -> f64, k: usize| draws.iter().map(|draw| end(&draw[k])).collect();
        let low = |(k, own): (usize, &Valued)| own.low.min(point(over(|v| v.low, k), TAIL));
        let high = |(k, own): (usize, &Valued)| own.high.max(point(over(|v| v.high, k), 1.0 - TAIL));
        Ok(Some(Respread {
            low: own.actions.iter().enumerate().map(low).collect(),
            high: own.actions.iter().enumerate().map(high).collect(),
            graphs: self.graphs.len(),
            draws: draws.len(),
            best,
        }))
    }
}

/// The first of the largest.
fn best(values: impl Iterator<Item = f64>) -> usize {
    let mut best = (0, f64::NEG_INFINITY);
    for (k, value) in values.enumerate() {
        if value > best.1 {
            best = (k, value);
        }
    }
    best.0
}

/// `Σ_g Σ_s u_g(s) P(s)`.
fn expected(
    groups: &[Group],
    mut joint: impl FnMut(&[usize]) -> Result<Vec<f64>, Error>,
) -> Result<f64, Error> {
    let mut sum = 0.0;
    for Group { nodes, values } in groups {
        let chances = joint(nodes)?;
        sum += chances.iter().zip(values).map(|(p, value)| p * value).sum::<f64>();
    }
    Ok(sum)
}

/// What all groups together are worth at least and at most.
fn bounds(groups: &[Group]) -> (f64, f64) {
    let least = |values: &[f64]| values.iter().copied().fold(f64::INFINITY, f64::min);
    let most = |values: &[f64]| values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    (groups.iter().map(|g| least(&g.values)).sum(), groups.iter().map(|g| most(&g.values)).sum())
}

/// What each of the nodes is worth to know beforehand.
fn information(
    infer: &mut Infer,
    nodes: &[usize],
    groups: &[Group],
    actions: &[Action],
    under: &[Evidence],
) -> Result<Vec<f64>, Error> {
    // For every action, node and state: P(n | e) EU(a | n, e).
    let mut shares: Vec<Vec<Vec<f64>>> = Vec::with_capacity(actions.len());
    for (action, acted) in actions.iter().zip(under) {
        let mut share = infer.posteriors_of(nodes, acted)?.probabilities;
        share.iter_mut().flatten().for_each(|p| *p *= -action.cost);
        for Group { nodes: group, values } in groups {
            let chances = infer.posterior(group, acted)?.probabilities;
            for (place, (&p, &value)) in chances.iter().zip(values).enumerate() {
                if p == 0.0 || value == 0.0 {
                    continue;
                }
                let mut seen = acted.clone();
                let mut rest = place;
                for &node in group.iter().rev() {
                    let states = infer.network().schema().cardinality(node);
                    if seen.finding(node).state().is_none() {
                        seen.clear(node);
                        seen.observe(node, (rest % states) as u8)?;
                    }
                    rest /= states;
                }
                let found = infer.posteriors_of(nodes, &seen)?.probabilities;
                for (share, found) in share.iter_mut().flatten().zip(found.iter().flatten()) {
                    *share += p * value * found;
                }
            }
        }
        shares.push(share);
    }
    let without: Vec<f64> = match shares.first().map(Vec::len) {
        Some(0) | None => return Ok(vec![]),
        Some(_) => shares.iter().map(|share| share[0].iter().sum()).collect(),
    };
    let now = without.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let worth = |k: usize| {
        let states = shares[0][k].len();
        let best = |n: usize| shares.iter().map(|share| share[k][n]).fold(f64::NEG_INFINITY, f64::max);
        ((0..states).map(best).sum::<f64>() - now).max(0.0)
    };
    Ok((0..nodes.len()).map(worth).collect())
}
