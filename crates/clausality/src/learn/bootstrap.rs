//! How sure an arc is: the learning repeated on tables of rows drawn anew.
//!
//! ```text
//! adjacent(a, b)  = share of the repetitions whose graph joins a and b
//! direction(a, b) = share of those in which the arc runs from a to b;
//!                   one that the data cannot direct counts half for either way
//! ```
//!
//! Every repetition draws as many rows as the table has, with replacement, and learns from the rows drawn (about 63 of 100, each
//! counted once) with the seed and the rules of the original: strengths, candidates and arcs. The *consensus* network has the adjacencies that at least the
//! asked-for share of the repetitions have, the surest first, each in its more frequent direction; one that would break a
//! rule or close a cycle is left out.
//!
//! Implements: Friedman, Goldszmidt and Wyner, *Data Analysis with Bayesian Networks: A Bootstrap Approach*, UAI 1999, but
//! for the rows drawn more than once. Counted as often as they are drawn they look like dependence (Steck and Jaakkola, *Bias-Corrected
//! Bootstrap and Model Uncertainty*, NIPS 2003): a consensus of pure noise then has dozens of arcs. Fewer rows make the
//! figures cautious: read them as an order, not as probabilities.

use super::structure::{graph, judged_by_targets, structure};
use crate::Error;
use crate::data::{Bounds, Dataset};
use crate::elsewhere::{Opened, Parcel, made, named, written};
use crate::folder::Kept;
use crate::memory::{Held, guarded};
use crate::model::estimate;
use crate::rules::Rules;
use crate::settings::{Chosen, Settings};
use crate::time::Runs;
use crate::watch::{Event, Quiet, Stage, Underway, Watch, go_on};
use clausality_bn::effects::Replicates;
use clausality_bn::random::Stream;
use clausality_bn::{Dag, Network, Schema, Table};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// What repeated learning found.
#[derive(Debug, Clone, PartialEq)]
pub struct Bootstrap {
    /// How often the learning was repeated.
    pub rounds: usize,
    /// The share of repetitions from which on an adjacency is in the consensus.
    pub threshold: f64,
    /// Every pair that was joined at least once, from the surest on, by names among equals.
    pub pairs: Vec<Frequency>,
    /// The network of the adjacencies that are sure enough, its probabilities from all rows.
    pub consensus: Network,
    /// The graphs of the repetitions with what all rows say of their tables, for the band of an effect; nothing over time, or where that is too much to keep.
    pub replicates: Option<Replicates>,
}

/// How often a pair of nodes was joined, and how often this way round.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Frequency {
    /// Where the arc starts in its more frequent direction.
    pub parent: String,
    /// Where it ends.
    pub child: String,
    /// The share of the repetitions in which the two are adjacent.
    pub adjacent: f64,
    /// The share of those in which the arc runs this way; one that the data cannot direct counts half.
    pub direction: f64,
}

impl Bootstrap {
    /// How often the two are adjacent, and in what share of these the arc runs from `parent` to `child`.
    pub fn of(&self, parent: &str, child: &str) -> (f64, Option<f64>) {
        let found = self.pairs.iter().find_map(|pair| match (pair.parent.as_str(), pair.child.as_str()) {
            (a, b) if (a, b) == (parent, child) => Some((pair.adjacent, Some(pair.direction))),
            (a, b) if (a, b) == (child, parent) => Some((pair.adjacent, Some(1.0 - pair.direction))),
            _ => None,
        });
        found.unwrap_or((0.0, None))
    }
}

/// Learns from rows drawn anew, as often as the settings ask for; nothing if they do not.
pub(super) fn bootstrap(
    whole: &Dataset,
    table: &Table,
    runs: Option<&Runs>,
    chosen: &Chosen,
    bounds: &Bounds,
    kept: Kept<'_>,
    watch: &dyn Watch,
) -> Result<Option<Bootstrap>, Error> {
    let Chosen { settings, rules, .. } = chosen;
    let rounds = settings.network.bootstrap;
    if rounds == 0 {
        return Ok(None);
    }
    let called = kept.table(table);
    let name = |round: usize| format!("repetition {round} of {called}");
    let known = |arcs: &Arcs| graph(table.schema().len(), arcs.clone()).is_some();
    let there: Vec<Option<Arcs>> = (0..rounds).map(|round| kept.find(&name(round)).filter(known)).collect();
    let left: Vec<usize> = (0..rounds).filter(|&round| there[round].is_none()).collect();
    if left.len() < rounds {
        let (there, of) = ((rounds - left.len()) as u64, rounds as u64);
        watch.event(Event::Resumed { stage: Stage::Bootstrap, there, of });
    }
    let stage = Underway::begin(watch, Stage::Bootstrap, left.len());
    let finished = |round: &usize, arcs: &Arcs| {
        go_on(watch)?;
        kept.keep(&name(*round), arcs)?;
        stage.step();
        Ok(())
    };
    let repeated: Vec<Arcs> = match kept.engine().filter(|_| !left.is_empty()) {
        Some(engine) => {
            let parcel = Parcel::new(REPETITIONS, table, &(runs, settings, rules, bounds.memory))?;
            made(engine, &parcel, &left, finished)?
        }
        None => {
            let repeated = |round: &usize| {
                let arcs = repetition(table, runs, chosen, bounds, *round, watch)?;
                finished(round, &arcs).map(|()| arcs)
            };
            left.par_iter().map(repeated).collect::<Result<_, Error>>()?
        }
    };
    drop(stage);
    let mut repeated = repeated.into_iter();
    let all = there.into_iter().map(|before| before.or_else(|| repeated.next()));
    let graphs: Option<Vec<Dag>> = all.map(|arcs| graph(table.schema().len(), arcs?)).collect();
    let graphs = graphs.ok_or_else(|| Error::Elsewhere("a repetition has no graph".into()))?;
    let halves = Halves::count(&graphs, rules);
    let threshold = settings.network.consensus;
    let consensus = halves.consensus(table.schema(), rules, threshold);
    let believed = settings.network.believed();
    let consensus = estimate(&consensus, table, None, believed, bounds, &Quiet(watch))?.network;
    let replicates = if runs.is_some() { None } else { replicates(whole, table.rows(), &graphs, chosen)? };
    Ok(Some(Bootstrap { rounds, threshold, pairs: halves.pairs(table.schema()), consensus, replicates }))
}

/// The most bytes of counts that are kept of the repetitions.
const KEPT_BYTES: u64 = 32 << 20;

/// What all rows say of the tables of the repetitions' graphs; rows with weights count as the so many equal ones that they are worth.
fn replicates(
    whole: &Dataset,
    worth: usize,
    graphs: &[Dag],
    chosen: &Chosen,
) -> Result<Option<Replicates>, Error> {
    let rules = &chosen.rules;
    let forced = |&(p, c): &(usize, usize)| !rules.allows(c, p);
    let forced: BTreeSet<(usize, usize)> = graphs.iter().flat_map(Dag::arcs).filter(forced).collect();
    let scale = worth as f64 / whole.table.rows() as f64;
    let weights = whole.weights.as_ref().map(|all| all.iter().map(|w| w * scale).collect::<Vec<f64>>());
    let (forced, believed) = (forced.into_iter().collect(), chosen.settings.network.believed());
    let seed = chosen.settings.seed;
    Ok(Replicates::count(graphs, &whole.table, weights.as_deref(), forced, believed, seed, KEPT_BYTES)?)
}

/// The arcs of a graph.
type Arcs = Vec<(usize, usize)>;

/// Learns once more from rows drawn anew.
fn repetition(
    table: &Table,
    runs: Option<&Runs>,
    chosen: &Chosen,
    bounds: &Bounds,
    round: usize,
    watch: &dyn Watch,
) -> Result<Arcs, Error> {
    let rows = draw(table.rows(), runs, chosen.settings.seed, round);
    let (drawn, runs) = (table.select_rows(&rows), runs.map(|runs| runs.select(&rows)));
    let (_, assembly) = structure(&drawn, runs.as_ref(), chosen, bounds, Kept::default(), &Quiet(watch))?;
    Ok(judged_by_targets(&drawn, &assembly.dag, chosen, &Quiet(watch))?.arcs().collect())
}

/// The kind of a parcel of repetitions.
pub(super) const REPETITIONS: &str = "repetitions";

/// The repetitions that somebody else sent, in the order in which they are named.
pub(super) fn repetitions_of(
    mut parcel: Opened,
    names: &[String],
    held: Held,
    watch: &dyn Watch,
) -> Result<Vec<String>, Error> {
    let (runs, settings, rules, memory): (Option<Runs>, Settings, Rules, Option<u64>) = parcel.how()?;
    let table = &parcel.table;
    let chosen = Chosen { settings, rules, origins: Default::default() };
    let bounds = Bounds::here(memory, held);
    let rounds: Vec<usize> = named(names)?;
    let repeated = guarded("learning again", bounds.room, watch, |watch| {
        let repeated = |&round: &usize| repetition(table, runs.as_ref(), &chosen, &bounds, round, watch);
        rounds.par_iter().map(repeated).collect::<Result<Vec<Arcs>, Error>>()
    })?;
    written(repeated.iter())
}

/// The rows that as many draws as there are rows hit at least once, in order; where rows are windows of time, series or blocks are drawn.
fn draw(rows: usize, runs: Option<&Runs>, seed: u64, round: usize) -> Vec<usize> {
    let mut stream = Stream::new(seed, &format!("bootstrap {round}"));
    if let Some(runs) = runs {
        return runs.draw(&mut stream);
    }
    let mut drawn = vec![false; rows];
    (0..rows).for_each(|_| drawn[stream.below(rows as u64) as usize] = true);
    (0..rows).filter(|&row| drawn[row]).collect()
}

/// For every ordered pair twice the number of arcs seen that way; whole numbers, so that no order of adding matters.
struct Halves {
    nodes: usize,
    rounds: usize,
    counts: Vec<u32>,
}

impl Halves {
    fn count(graphs: &[Dag], rules: &Rules) -> Self {
        let nodes = rules.len();
        let mut counts = vec![0; nodes * nodes];
        for dag in graphs {
            let directions = rules.directions(dag);
            for (parent, child) in dag.arcs() {
                let settled = directions.settled(parent, child);
                counts[parent * nodes + child] += if settled { 2 } else { 1 };
                counts[child * nodes + parent] += if settled { 0 } else { 1 };
            }
        }
        Halves { nodes, rounds: graphs.len(), counts }
    }

    /// The pairs that were ever joined, in their more frequent direction: halves seen either way, halves seen this way.
    fn ranked(&self, schema: &Schema) -> Vec<(u32, u32, usize, usize)> {
        let seen = |a: usize, b: usize| self.counts[a * self.nodes + b];
        let mut pairs = vec![];
        for a in 0..self.nodes {
            for b in a + 1..self.nodes {
                let first_named = if schema.name(a) <= schema.name(b) { (a, b) } else { (b, a) };
                let (parent, child) = match seen(a, b).cmp(&seen(b, a)) {
                    std::cmp::Ordering::Greater => (a, b),
                    std::cmp::Ordering::Less => (b, a),
                    std::cmp::Ordering::Equal => first_named,
                };
                let both = seen(a, b) + seen(b, a);
                if both > 0 {
                    pairs.push((both, seen(parent, child), parent, child));
                }
            }
        }
        let names = |pair: &(u32, u32, usize, usize)| (schema.name(pair.3), schema.name(pair.2));
        pairs.sort_by(|a, b| (b.0, b.1).cmp(&(a.0, a.1)).then_with(|| names(a).cmp(&names(b))));
        pairs
    }

    fn pairs(&self, schema: &Schema) -> Vec<Frequency> {
        let frequency = |(both, this_way, parent, child): (u32, u32, usize, usize)| Frequency {
            parent: schema.name(parent).to_string(),
            child: schema.name(child).to_string(),
            adjacent: f64::from(both) / (2 * self.rounds) as f64,
            direction: f64::from(this_way) / f64::from(both),
        };
        self.ranked(schema).into_iter().map(frequency).collect()
    }

    fn consensus(&self, schema: &Schema, rules: &Rules, threshold: f64) -> Dag {
        let mut dag = rules.required().clone();
        for (both, _, parent, child) in self.ranked(schema) {
            let sure = f64::from(both) >= threshold * (2 * self.rounds) as f64;
            let room = dag.parents(child).len() < rules.max_parents();
            if sure && room && rules.allows(parent, child) && !dag.adjacent(parent, child) {
                // An arc that would close a cycle is less sure than those it would close it with.
                let _ = dag.try_add(parent, child);
            }
        }
        dag
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Dataset;
    use crate::learn::learn_from;
    use crate::model::REPLICATES;
    use crate::rules::RuleSettings;
    use crate::settings::Settings;
    use crate::watch::Unwatched;
    use crate::{bn, embedded};
    use clausality_bn::Variable;
    use clausality_bn::infer::{Evidence, Infer};
    use std::sync::Arc;

    fn asia(rules: &RuleSettings, rounds: usize) -> Bootstrap {
        let table = bn::sample(&embedded::network("asia").unwrap(), 2000, 1);
        let mut settings = Settings { rules: rules.clone(), ..Settings::default() };
        settings.network.bootstrap = rounds;
        let found = learn_from(&Dataset::sampled(table), &settings, &Bounds::default(), &Unwatched).unwrap();
        for arc in &found.arcs {
            // That a required arc is in every repetition says nothing for it.
            let (adjacent, direction) = found.bootstrap.as_ref().unwrap().of(&arc.parent, &arc.child);
            let expected = if arc.required { (None, None) } else { (Some(adjacent), direction) };
            assert_eq!((arc.confidence, arc.direction), expected, "{arc:?}");
        }
        found.bootstrap.unwrap()
    }

    #[test]
    fn what_is_plain_is_sure_and_what_cannot_be_directed_is_even() {
        let found = asia(&RuleSettings::default(), 20);
        assert_eq!(found.of("either", "xray").0, 1.0);
        // smoke – bronc is reversible in asia: the halves are even unless a repetition compels it.
        let (adjacent, direction) = found.of("smoke", "bronc");
        assert_eq!(adjacent, 1.0);
        assert!(direction.is_some_and(|d| d > 0.2 && d < 0.8), "{direction:?}");
        assert!(found.of("asia", "bronc").0 <= 0.2);
        assert_eq!(found.of("asia", "asia"), (0.0, None));
        let schema = found.consensus.schema();
        let at = |name: &str| schema.index(name).unwrap();
        assert!(found.consensus.dag().adjacent(at("either"), at("xray")));
        assert!(found.pairs.is_sorted_by(|a, b| a.adjacent >= b.adjacent));
        assert!(found.pairs.iter().all(|p| p.direction >= 0.5 && p.adjacent > 0.0 && p.adjacent <= 1.0));
    }

    #[test]
    fn rules_bind_the_repetitions_and_the_consensus() {
        let rules = RuleSettings {
            parameter: vec!["bronc".into()],
            require: vec!["asia>xray".parse().unwrap()],
            ..RuleSettings::default()
        };
        let found = asia(&rules, 6);
        // A role directs what the data cannot.
        assert_eq!(found.of("bronc", "smoke"), (1.0, Some(1.0)));
        let (dag, schema) = (found.consensus.dag(), found.consensus.schema());
        let at = |name: &str| schema.index(name).unwrap();
        assert!(dag.has(at("asia"), at("xray")) && dag.parents(at("bronc")).is_empty());
    }

    #[test]
    fn effects_hold_the_truth_over_what_was_learned_again() {
        let truth = Arc::new(embedded::network("asia").unwrap());
        let dataset = Dataset::sampled(bn::sample(&truth, 1000, 4));
        let mut settings = Settings::default();
        settings.network.bootstrap = 10;
        let learned = learn_from(&dataset, &settings, &Bounds::default(), &Unwatched).unwrap();
        let model = learned.model();
        // What is kept is what was counted.
        assert_eq!(model.replicates().unwrap(), learned.bootstrap.as_ref().unwrap().replicates);
        let (mut pairs, mut alone, mut held) = (0, 0, 0);
        for (set, target) in (0..8).flat_map(|a| (0..8).map(move |b| (a, b))).filter(|(a, b)| a != b) {
            let mut evidence = Evidence::new(&truth);
            evidence.intervene(set, 0).unwrap();
            let p = Infer::new(truth.clone()).posterior(&[target], &evidence).unwrap().probabilities[0];
            let answer = model.question(vec![target], evidence).posterior(false).unwrap();
            let (band, spread) = (answer.band.unwrap(), answer.spread.unwrap());
            pairs += 1;
            alone += usize::from(band.low[0][0] <= p && p <= band.high[0][0]);
            held += usize::from(spread.low[0][0] <= p && p <= spread.high[0][0]);
        }
        assert!(held * 10 >= pairs * 9, "{held} of {pairs}");
        assert!(alone * 2 < pairs, "{alone} of {pairs}");
        // Older runs keep no graphs; a note that speaks of other nodes is refused.
        let mut older = model.clone();
        let mut kept = older.extra.remove(REPLICATES).unwrap();
        assert_eq!(older.replicates().unwrap(), None);
        kept["nodes"][0]["families"][0]["counts"] = serde_json::json!([1]);
        older.extra.insert(REPLICATES.into(), kept);
        assert!(older.replicates().unwrap_err().to_string().contains("repetitions"));
    }

    #[test]
    fn rows_are_drawn_once_each_and_alike_for_a_seed() {
        let drawn = draw(1000, None, 7, 3);
        assert_eq!(drawn, draw(1000, None, 7, 3));
        assert_ne!(drawn, draw(1000, None, 7, 4));
        assert!(drawn.is_sorted_by(|a, b| a < b));
        // 1 − 1/e of them, give or take.
        assert!((580..690).contains(&drawn.len()), "{}", drawn.len());
    }

    #[test]
    fn noise_has_no_consensus() {
        let mut stream = Stream::new(5, "noise");
        let mut column = |_| (0..100).map(|_| stream.below(4) as u8).collect::<Vec<u8>>();
        let columns: Vec<Vec<u8>> = (0..15).map(&mut column).collect();
        let states = ["a", "b", "c", "d"].map(String::from).to_vec();
        let variable = |i: usize| Variable::new(format!("c{i:02}"), states.clone());
        let schema = Schema::new((0..15).map(variable).collect()).unwrap();
        let table = Table::new(schema, columns).unwrap();
        let mut settings = Settings::default();
        settings.network.bootstrap = 10;
        let chosen = settings.chosen(&Dataset::sampled(table.clone())).unwrap();
        let whole = Dataset::sampled(table.clone());
        let found = bootstrap(&whole, &table, None, &chosen, &Bounds::default(), Kept::default(), &Unwatched)
            .unwrap()
            .unwrap();
        assert_eq!(found.consensus.dag().arc_count(), 0, "{:?}", found.pairs);
    }

    #[test]
    fn a_consensus_is_a_graph_whatever_was_seen() {
        let schema = embedded::network("cancer").unwrap().schema().clone();
        let rules = Rules::none(5);
        // A cycle of three, each arc seen in every repetition.
        let mut halves = Halves { nodes: 5, rounds: 2, counts: vec![0; 25] };
        for (parent, child) in [(0, 1), (1, 2), (2, 0)] {
            halves.counts[parent * 5 + child] = 4;
        }
        let dag = halves.consensus(&schema, &rules, 0.5);
        assert_eq!(dag.arc_count(), 2);
        assert_eq!(halves.consensus(&schema, &rules, 1.1).arc_count(), 0);
    }
}
