//! What to beware of in an answer about something done, in a sentence: directions of arcs that nothing but these rows gave, or nothing at all.

use super::{MADE, Model};
use crate::words::quoted;
use clausality_bn::effects::set_nodes;
use clausality_bn::infer::Evidence;

/// Arcs that a sentence names.
const NAMED: usize = 4;

impl Model {
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
