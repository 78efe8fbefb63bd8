//! What to beware of in an answer, in a sentence: of something done, directions of arcs that nothing but these rows gave, or nothing at all; of
//! something seen, that it has a value at all.

use super::{FOLLOWING, MADE, Model};
use crate::gaps::Following;
use crate::words::quoted;
use clausality_bn::effects::set_nodes;
use clausality_bn::infer::{Evidence, Finding};

/// Arcs that a sentence names.
const NAMED: usize = 4;

impl Model {
    /// What to beware of in an answer: of what is done, and of what is seen.
    pub fn caution(&self, evidence: &Evidence, done: Option<String>) -> Option<String> {
        let both = [done, self.has_value_only_where(evidence)];
        both.into_iter().flatten().reduce(|done, seen| format!("{done}. {seen}"))
    }

    /// The columns whose gaps follow from others'; none where the note is missing or cannot be read.
    pub(crate) fn following(&self) -> Vec<Following> {
        let kept = self.extra.get(FOLLOWING).cloned();
        kept.and_then(|kept| serde_json::from_value(kept).ok()).unwrap_or_default()
    }

    /// Where something is seen that has a value only where another column, of which nothing is known, allows it: a network that takes gaps for values
    /// that nobody wrote down does not know that.
    fn has_value_only_where(&self, evidence: &Evidence) -> Option<String> {
        let schema = self.network.schema();
        let is_free = |node| matches!(evidence.finding(node), Finding::Free);
        let is_seen = |node| matches!(evidence.finding(node), Finding::Observed(_) | Finding::Likelihood(_));
        let unheard = |one: &Following| {
            let seen = schema.index(&one.column).is_some_and(is_seen);
            seen && schema.index(&one.from).is_some_and(is_free)
        };
        let (first, others) = {
            let mut found = self.following().into_iter().filter(unheard);
            (found.next()?, found.count())
        };
        let more = if others > 0 { format!(" (and so with {others} more)") } else { String::new() };
        let Following { column, from, how } = first;
        Some(format!(
            "That '{column}' has a value tells of '{from}', too: {how}{more}. This network takes gaps for values that nobody wrote down and does not \
             count that; one learned with --missing '{column}=state' does"
        ))
    }

    /// Where something is done that arcs join whose direction follows from the rows alone. Nothing where what was learned again is kept: a band shows what
    /// hangs on it.
    pub fn rests_on_rows(&self, evidence: &Evidence) -> Option<String> {
        let arcs = match self.has_replicates() {
            true => vec![],
            false => self.at_what_is_done(&set_nodes(evidence), "->", Model::directed_by_rows),
        };
        let said = || self.rests("do()", &arcs);
        (!arcs.is_empty()).then(said)
    }

    /// The same of actions that set these nodes.
    pub(super) fn worth_rests_on_rows(&self, set: &[usize]) -> Option<String> {
        let arcs = self.at_what_is_done(set, "->", Model::directed_by_rows);
        let said = || self.rests("What actions are worth", &arcs);
        (!arcs.is_empty()).then(said)
    }

    fn rests(&self, what: &str, arcs: &[String]) -> String {
        let arcs = quoted(arcs, NAMED);
        let rests = format!(
            "{what} rests on directions that these rows gave: {arcs}; with other rows they may turn."
        );
        let more = match (self.is_stretch(), self.was_repeated()) {
            (false, false) => {
                "To see how much hangs on that, learn with --bootstrap 100; to say what comes first, with --tiers"
            }
            (false, true) => {
                "The graphs that were learned again were too large to keep: there is no band over them. To say what comes first, learn with --tiers"
            }
            (true, false) => {
                "How often they do, learn --bootstrap 100 tells; to say what comes first, learn with --tiers"
            }
            (true, true) => {
                "Of a network over time the graphs that were learned again are not kept: there is no band over them, and how often they had each arc stands in the run. To say what comes first, learn with --tiers"
            }
        };
        format!("{rests} {more}")
    }

    /// Whether the learning was repeated, whatever is kept of that.
    fn was_repeated(&self) -> bool {
        let rounds = self.extra.get(MADE).and_then(|made| made.get("params")?.get("bootstrap")?.as_u64());
        rounds.is_some_and(|rounds| rounds > 0)
    }

    /// Where something is done that arcs join whose direction nothing tells, for answers without a band.
    pub fn taken_as_drawn(&self, evidence: &Evidence) -> Option<String> {
        let set = set_nodes(evidence);
        let arcs = self.at_what_is_done(&set, "-", |model| model.class().undirected().collect());
        let said = || format!("do() takes as drawn what data alone cannot direct: {}", arcs.join(", "));
        (!arcs.is_empty()).then(said)
    }

    /// Those of some arcs that join something that is done, in words.
    fn at_what_is_done(
        &self,
        set: &[usize],
        sign: &str,
        arcs: impl Fn(&Self) -> Vec<(usize, usize)>,
    ) -> Vec<String> {
        if set.is_empty() {
            return vec![];
        }
        let name = |v: usize| self.network.schema().name(v);
        let at = arcs(self).into_iter().filter(|(a, b)| set.contains(a) || set.contains(b));
        at.map(|(a, b)| format!("{} {sign} {}", name(a), name(b))).collect()
    }
}
