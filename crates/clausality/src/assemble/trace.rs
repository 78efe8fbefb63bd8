//! Why every arc that was thought of is or is not in the graph.
//!
//! What an arc is worth in a graph is what its child's family would lose without it, or gain with it:
//!
//! ```text
//! gain(p → c) = score(c, Pa(c) ∪ p) − score(c, Pa(c) \ p),   both on the rows that have a value of c, p and Pa(c)
//! ```
//!
//! A search weighs sets of parents, not arcs. So its trace is drawn up afterwards: the arcs of the graph; those that an
//! earlier stage had and a later one turned or dropped; those that a machine's list proposes and the graph does not have, with
//! what adding them now would do; and those that the rules refused although the lists had them.

use super::figures::most_cells;
use super::ground::Ground;
use super::watched::Watched;
use super::{Outcome, Proposal};
use crate::Error;
use crate::candidates::{Candidates, StrengthMatrix, arc};
use crate::rules::Rules;
use crate::watch::{Underway, Watch};
use crate::words::grouped;
use clausality_bn::counts::FarCounter;
use clausality_bn::{Dag, Schema, Score, Scorer, Table};
use std::collections::{BTreeSet, VecDeque};

/// What arcs are worth under a score.
pub struct Gains<'t> {
    scorer: Scorer<'t>,
    counter: Watched<'t>,
    /// For each variable with gaps the column that restricts others to its rows.
    present: Vec<Option<usize>>,
}

impl<'t> Gains<'t> {
    /// Gains on the rows of a table.
    pub fn new(table: &'t Table, score: Score, watch: &'t dyn Watch) -> Result<Self, Error> {
        let scorer = Scorer::new(table, score)?;
        let (counter, present) = scorer.counter()?.with_presence();
        Ok(Gains { scorer, counter: Watched::new(counter, watch), present })
    }

    /// Gains on rows of the same schema that lie far away; one whose family misses a value counts for none.
    pub(crate) fn of_rows(
        table: &'t Table,
        counter: FarCounter<'t>,
        score: Score,
        watch: &'t dyn Watch,
    ) -> Result<Self, Error> {
        let scorer = Scorer::new(table, score)?;
        Ok(Gains { scorer, counter: Watched::new(counter, watch), present: vec![None; table.schema().len()] })
    }

    /// What the child's family loses without the arc, or gains with it, all else in the graph as it is.
    ///
    /// # Errors
    /// [`Error::Cancelled`] if whoever watches calls it off.
    pub fn of(&mut self, dag: &Dag, parent: usize, child: usize) -> Result<f64, Error> {
        let mut without: Vec<usize> = dag.parents(child).iter().copied().filter(|&p| p != parent).collect();
        let mut with = without.clone();
        with.insert(without.partition_point(|&p| p < parent), parent);
        without.extend(self.present[parent]);
        let gain = self.scorer.family(&mut self.counter, child, &with)
            - self.scorer.family(&mut self.counter, child, &without);
        self.counter.whole()?;
        Ok(gain)
    }

    /// What the child's family would gain if another variable stood in the parent's place, on the rows that have both.
    ///
    /// # Errors
    /// [`Error::Cancelled`] if whoever watches calls it off.
    pub(crate) fn instead(
        &mut self,
        dag: &Dag,
        parent: usize,
        child: usize,
        other: usize,
    ) -> Result<f64, Error> {
        let shared = dag.parents(child).iter().copied().filter(|&p| p != parent && p != other);
        let shared: Vec<usize> = shared.collect();
        let mut score = |in_place: usize, absent: usize| {
            let mut parents = shared.clone();
            parents.insert(shared.partition_point(|&p| p < in_place), in_place);
            parents.extend(self.present[absent]);
            self.scorer.family(&mut self.counter, child, &parents)
        };
        let difference = score(other, parent) - score(parent, other);
        self.counter.whole()?;
        Ok(difference)
    }

    /// The score of the whole graph: of every family on the rows that have all of it.
    pub(crate) fn score(&mut self, dag: &Dag) -> Result<f64, Error> {
        let score = self.scorer.dag_from(&mut self.counter, dag)?;
        self.counter.whole()?;
        Ok(score)
    }
}

/// What a search saw and what it chose.
pub(super) struct Account<'a> {
    pub(super) table: &'a Table,
    pub(super) ground: &'a Ground<'a>,
    pub(super) strengths: &'a StrengthMatrix,
    pub(super) rules: &'a Rules,
    pub(super) candidates: &'a Candidates,
    /// Features on a list.
    pub(super) length: usize,
    pub(super) score: Score,
    /// What a parent costs beside the score.
    pub(super) parent_cost: f64,
    /// Whether a parent must raise BIC with half its penalty too.
    pub(super) sober: bool,
    /// The graph that was chosen.
    pub(super) dag: &'a Dag,
    /// The graph before its arcs were turned, if they were.
    pub(super) before: Option<&'a Dag>,
    /// The stage that this is the end of: a step for every list.
    pub(super) stage: &'a Underway<'a>,
}

impl Account<'_> {
    /// The trace: the graph's arcs, lost ones, listed ones, refused ones, each in the order of names.
    pub(super) fn trace(&self) -> Result<Vec<Proposal>, Error> {
        let schema = self.table.schema();
        let mut seen: BTreeSet<(usize, usize)> = BTreeSet::new();
        let mut trace = Vec::new();
        for (parent, child) in named_order(schema, self.dag) {
            let required = self.rules.required().has(parent, child);
            let outcome = if required { Outcome::Required } else { Outcome::Kept };
            seen.insert((parent, child));
            trace.push(self.proposal(parent, child, child, outcome));
        }
        for (parent, child) in self.before.into_iter().flat_map(|before| named_order(schema, before)) {
            if seen.insert((parent, child)) {
                let turned = self.dag.has(child, parent);
                let outcome = if turned { Outcome::Reoriented } else { Outcome::DroppedInReorientation };
                trace.push(self.proposal(parent, child, child, outcome));
            }
        }
        let mut listed = vec![];
        for target in schema.in_name_order() {
            for candidate in self.candidates.list(target) {
                let (parent, child) = arc(self.rules, target, candidate.feature);
                if seen.insert((parent, child)) {
                    listed.push((target, parent, child));
                }
            }
        }
        let worth = self.worth(&listed)?;
        for ((target, parent, child), worth) in listed.into_iter().zip(worth) {
            trace.push(self.proposal(parent, child, target, self.why_not(worth, parent, child)));
        }
        trace.extend(refused(self.strengths, schema, self.rules, self.length));
        Ok(trace)
    }

    fn proposal(&self, parent: usize, child: usize, proposer: usize, outcome: Outcome) -> Proposal {
        let feature = if proposer == child { parent } else { child };
        let listed = self.candidates.list(proposer).iter().find(|c| c.feature == feature);
        let rank = listed.map_or(0, |c| c.rank);
        Proposal::new(self.strengths, self.rules, proposer, feature, rank, outcome)
    }

    /// The cells of a node's table with one parent more.
    fn cells_with(&self, parent: usize, child: usize) -> f64 {
        let family = self.dag.parents(child).iter().copied().chain([parent, child]);
        family.map(|v| self.table.schema().cardinality(v) as f64).product()
    }

    /// What each of these arcs, which come with the node that lists them, would add: the score, and where that is above zero the least of all that a search asks to be.
    fn worth(&self, listed: &[(usize, usize, usize)]) -> Result<Vec<f64>, Error> {
        let mut families = self.ground.families(self.score, self.parent_cost, self.stage);
        let mut worth = vec![0.0; listed.len()];
        let mut into: Vec<Vec<usize>> = vec![vec![]; self.ground.len()];
        for (at, &(_, _, child)) in listed.iter().enumerate() {
            into[self.ground.place[child]].push(at);
        }
        for (node, (set, places)) in self.ground.parents(self.dag).iter().zip(into).enumerate() {
            let heads: Vec<u32> = places.iter().map(|&at| self.ground.place[listed[at].1] as u32).collect();
            for (at, gain) in places.into_iter().zip(families.gains(node, set, &heads)?) {
                let both = self.sober && gain.score > 0.0;
                worth[at] = if both { gain.score.min(gain.loose) } else { gain.score };
            }
            self.stage.step();
        }
        Ok(worth)
    }

    /// Why an arc that a list proposes and that would add so much is not in the graph.
    fn why_not(&self, worth: f64, parent: usize, child: usize) -> Outcome {
        let limit = self.rules.max_parents();
        if self.dag.has(child, parent) {
            Outcome::Opposed
        } else if self.cells_with(parent, child) > most_cells(self.table.rows()) {
            Outcome::TableLimit(most_cells(self.table.rows()) as usize)
        } else if worth <= 0.0 {
            Outcome::NoGain(worth)
        } else if self.dag.parents(child).len() >= limit {
            Outcome::ParentLimit(limit)
        } else if let Some(cycle) = cycle(self.table.schema(), self.dag, parent, child) {
            Outcome::ClosesCycle(cycle)
        } else {
            Outcome::Unused(worth)
        }
    }
}

/// Arcs that would stand on the lists if the rules allowed them, with the place they would have there.
pub(super) fn refused(
    strengths: &StrengthMatrix,
    schema: &Schema,
    rules: &Rules,
    length: usize,
) -> Vec<Proposal> {
    let mut found = Vec::new();
    let nodes = schema.in_name_order();
    for &target in &nodes {
        let mut features: Vec<usize> =
            nodes.iter().copied().filter(|&f| strengths.get(target, f) > 0.0).collect();
        // The order of names stays among equals.
        features.sort_by(|&a, &b| strengths.get(target, b).total_cmp(&strengths.get(target, a)));
        let mut rank = 1;
        for feature in features {
            if rank > length {
                break;
            }
            let (parent, child) = arc(rules, target, feature);
            match rules.refusal(parent, child) {
                None => rank += 1,
                Some(refusal) => {
                    let refused = Outcome::Refused(refusal);
                    found.push(Proposal::new(strengths, rules, target, feature, rank, refused));
                }
            }
        }
    }
    found
}

/// The cycle that an arc would close: its parent, its child, and the shortest way back, first in the order of names.
pub(super) fn cycle(schema: &Schema, dag: &Dag, parent: usize, child: usize) -> Option<Vec<usize>> {
    let mut before: Vec<Option<usize>> = vec![None; dag.len()];
    let mut queue = VecDeque::from([child]);
    before[child] = Some(child);
    while let Some(node) = queue.pop_front() {
        if node == parent {
            let mut path = vec![parent];
            let mut at = parent;
            while let Some(step) = before[at].filter(|&step| step != at) {
                path.push(step);
                at = step;
            }
            path[1..].reverse();
            return Some(path);
        }
        let mut next: Vec<usize> =
            dag.children(node).iter().copied().filter(|&c| before[c].is_none()).collect();
        next.sort_by_key(|&c| schema.name(c));
        for child in next {
            before[child] = Some(node);
            queue.push_back(child);
        }
    }
    None
}

/// The arcs of a graph by the names of child and parent.
fn named_order(schema: &Schema, dag: &Dag) -> Vec<(usize, usize)> {
    let mut arcs: Vec<(usize, usize)> = dag.arcs().collect();
    arcs.sort_by_key(|&(p, c)| (schema.name(c), schema.name(p)));
    arcs
}

impl Proposal {
    /// The arc between a node and a feature of its list, at this place on it.
    pub(super) fn new(
        strengths: &StrengthMatrix,
        rules: &Rules,
        proposer: usize,
        feature: usize,
        rank: usize,
        outcome: Outcome,
    ) -> Self {
        let (parent, child) = arc(rules, proposer, feature);
        let (strength, phase) = (strengths.get(proposer, feature), rules.role(proposer));
        Proposal { parent, child, strength, rank, proposer, phase, gain: None, outcome }
    }

    /// What an arc of the graph adds to the score, if that is known.
    fn worth(&self) -> String {
        match self.gain {
            Some(gain) if gain < 0.0 => format!(", though it costs {:.1} of score", -gain),
            Some(gain) => format!(", adds {gain:.1} to the score"),
            None => String::new(),
        }
    }

    /// What became of the arc and why, in a sentence that begins with a small letter and has no full stop.
    pub fn reason(&self, schema: &Schema) -> String {
        let name = |v: usize| schema.name(v);
        let listed = match self.rank {
            0 => "not on any list, found by the search".to_string(),
            rank => format!("number {rank} on the list of {}", name(self.proposer)),
        };
        match &self.outcome {
            Outcome::Kept => format!("kept{}; {listed}", self.worth()),
            Outcome::Required => format!("required by the rules{}", self.worth()),
            Outcome::Duplicate(s) => format!("the same arc was proposed again with strength {s:.3}"),
            Outcome::Turned(s) => format!(
                "the opposite arc {} -> {} competes with it and is stronger ({s:.3})",
                name(self.child),
                name(self.parent)
            ),
            Outcome::ClosesCycle(path) => {
                let around: Vec<&str> = path.iter().chain(path.first()).map(|&v| name(v)).collect();
                format!("it would close the cycle {}", around.join(" -> "))
            }
            Outcome::ParentLimit(most) => {
                format!("{} has {most} parents, as many as it may", name(self.child))
            }
            Outcome::TableLimit(most) => {
                format!("the table of {} would have more than {} cells", name(self.child), grouped(*most))
            }
            Outcome::Refused(refusal) => format!("the rules do not allow it: {refusal}"),
            Outcome::Reoriented => format!(
                "the first search had it; re-orienting turned it into {} -> {}",
                name(self.child),
                name(self.parent)
            ),
            Outcome::DroppedInReorientation => {
                "the first search had it; it did not pay when the arcs were re-oriented".into()
            }
            Outcome::Opposed => {
                format!("the opposite arc {} -> {} is in the network", name(self.child), name(self.parent))
            }
            Outcome::NoGain(net) => {
                format!("{listed}, but beside the parents found it would cost {:.1} of score", -net)
            }
            Outcome::Unused(net) => format!(
                "{listed}; it would add {net:.1} to the score, but the assembler settled on other neighbours"
            ),
            Outcome::Predicts => {
                format!("rows left out are predicted better with it, which a target asks for{}", self.worth())
            }
            Outcome::Misleads => {
                "the search had it; rows left out are predicted better without it, which a target asks for"
                    .into()
            }
        }
    }
}

impl Outcome {
    /// One word for files and programs: `kept`, `no-gain`, …
    pub fn word(&self) -> &'static str {
        match self {
            Outcome::Kept => "kept",
            Outcome::Required => "required",
            Outcome::Duplicate(_) => "duplicate",
            Outcome::Turned(_) => "turned",
            Outcome::ClosesCycle(_) => "closes-cycle",
            Outcome::ParentLimit(_) => "parent-limit",
            Outcome::TableLimit(_) => "table-limit",
            Outcome::Refused(_) => "refused",
            Outcome::Reoriented => "reoriented",
            Outcome::DroppedInReorientation => "dropped-in-reorientation",
            Outcome::Opposed => "opposed",
            Outcome::NoGain(_) => "no-gain",
            Outcome::Unused(_) => "unused",
            Outcome::Predicts => "predicts",
            Outcome::Misleads => "misleads",
        }
    }

    /// Whether the arc is in the graph.
    pub fn is_kept(&self) -> bool {
        matches!(self, Outcome::Kept | Outcome::Required | Outcome::Predicts)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::watch::{Stage, Unwatched};
    use crate::{bn, embedded};

    #[test]
    fn gains_add_up_to_the_score_of_the_graph() {
        let truth = embedded::network("asia").unwrap();
        let table = bn::sample(&truth, 800, 4);
        let score = Score::Bdeu { ess: 1.0 };
        let scorer = Scorer::new(&table, score).unwrap();
        let mut gains = Gains::new(&table, score, &Unwatched).unwrap();
        let mut dag = Dag::new(table.schema().len());
        let mut sum = scorer.dag(&dag).unwrap();
        for (p, c) in truth.dag().arcs() {
            let before = gains.of(&dag, p, c).unwrap();
            dag.try_add(p, c).unwrap();
            assert_eq!(before, gains.of(&dag, p, c).unwrap(), "the same arc, there or not");
            sum += before;
        }
        assert!((sum - scorer.dag(&dag).unwrap()).abs() < 1e-6);
        assert_eq!(gains.score(&dag).unwrap(), scorer.dag(&dag).unwrap());
    }

    #[test]
    fn every_listed_arc_gets_the_reason_that_holds() {
        let truth = embedded::network("asia").unwrap();
        let table = bn::sample(&truth, 2000, 4);
        let schema = table.schema();
        let at = |name: &str| schema.index(name).unwrap();
        let (asia, bronc, dysp, lung, smoke) = (at("asia"), at("bronc"), at("dysp"), at("lung"), at("smoke"));
        let mut strengths = StrengthMatrix::new(schema.len());
        for (target, feature) in
            [(dysp, bronc), (bronc, dysp), (smoke, lung), (smoke, dysp), (asia, bronc), (bronc, smoke)]
        {
            strengths.set(target, feature, 1.0);
        }
        let why = |params: crate::rules::RuleSettings, arcs: &[(usize, usize)], before: Option<&Dag>| {
            let rules = Rules::new(schema, &params).unwrap();
            let dag = Dag::from_arcs(schema.len(), arcs.iter().copied()).unwrap();
            let account = Account {
                table: &table,
                ground: &Ground::new(&table),
                strengths: &strengths,
                rules: &rules,
                candidates: &Candidates::rank(&strengths, schema, &rules, 3),
                length: 3,
                score: Score::Bic,
                parent_cost: 1.0,
                sober: false,
                dag: &dag,
                before,
                stage: &Underway::begin(&Unwatched, Stage::Assemble, 0),
            };
            let trace = account.trace().unwrap();
            move |parent: usize, child: usize| {
                let entry = trace.iter().find(|p| (p.parent, p.child) == (parent, child));
                entry.map_or("nothing", |entry| entry.outcome.word())
            }
        };
        let none = crate::rules::RuleSettings::default;
        let said = why(none(), &[(bronc, dysp), (smoke, lung), (smoke, bronc)], None);
        assert_eq!((said(bronc, dysp), said(dysp, bronc)), ("kept", "opposed"));
        assert_eq!((said(lung, smoke), said(dysp, smoke)), ("opposed", "closes-cycle"));
        assert_eq!((said(bronc, asia), said(lung, asia)), ("no-gain", "nothing"));
        assert_eq!(why(none(), &[], None)(bronc, dysp), "unused");
        let limited = crate::rules::RuleSettings { max_parents: Some(0), ..none() };
        assert_eq!(why(limited, &[], None)(bronc, dysp), "parent-limit");
        let roles = crate::rules::RuleSettings { parameter: vec!["smoke".into(), "lung".into()], ..none() };
        let said = why(roles, &[], None);
        assert_eq!(
            (said(smoke, lung), said(smoke, dysp)),
            ("refused", "unused"),
            "a parameter points outwards"
        );
        let before = Dag::from_arcs(schema.len(), [(dysp, bronc), (smoke, bronc)]).unwrap();
        let said = why(none(), &[(bronc, dysp)], Some(&before));
        assert_eq!((said(dysp, bronc), said(smoke, bronc)), ("reoriented", "dropped-in-reorientation"));
    }

    #[test]
    fn a_cycle_is_told_from_the_parent_on() {
        let schema =
            bn::Schema::new(["d", "c", "b", "a"].map(|n| bn::Variable::new(n, ["0", "1"])).to_vec()).unwrap();
        // a > c > d and a > b > d: closing d > a, the way over b comes first by name.
        let dag = Dag::from_arcs(4, [(3, 1), (1, 0), (3, 2), (2, 0)]).unwrap();
        assert_eq!(cycle(&schema, &dag, 0, 3), Some(vec![0, 3, 2]));
        assert_eq!(cycle(&schema, &dag, 3, 0), None);
    }
}
