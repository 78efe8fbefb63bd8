//! From a table to a network, on one screen.
//!
//! ```
//! use clausality::learn::{NetworkParams, learn};
//! use clausality::rules::Rules;
//! use clausality::{LearnParams, Unwatched, bn, embedded};
//!
//! let truth = embedded::network("asia")?;
//! let table = bn::sample(&truth, 2000, 1);
//! let rules = Rules::none(table.schema().len());
//! let learned = learn(&table, &rules, &LearnParams::default(), &NetworkParams::default(), &Unwatched)?;
//! let found = bn::compare::Comparison::of(&truth, &learned.network);
//! assert!(found.skeleton.f1 > 0.7);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use crate::Error;
use crate::assemble::{
    Assembly, Classic, ClassicParams, Gains, HybridParams, PaperParams, Proposal, assemble_classic,
    assemble_hybrid, assemble_paper, complete_rows,
};
use crate::bootstrap::{Bootstrap, bootstrap};
use crate::params::{LearnParams, Profile};
use crate::rules::Rules;
use crate::run::{Family, count_families};
use crate::strengths::{self, Strengths};
use crate::watch::Watch;
use clausality_bn::{DEFAULT_TABLE_BYTES, Dag, Network, Pdag, Prior, Scorer, Table};
use serde::{Deserialize, Serialize};

/// What turns strengths into arcs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Assembler {
    /// Algorithms 2 and 3 of the paper.
    Paper,
    /// The order search under a score.
    Hybrid,
    /// Hill climbing: one arc at a time under a score.
    Hc,
    /// Hill climbing that may go downhill for a while.
    Tabu,
    /// The heaviest tree.
    ChowLiu,
    /// Tests of conditional independence.
    Pc,
    /// Hill climbing among the parents and children that tests find.
    Mmhc,
}

impl Assembler {
    /// A profile's own.
    pub fn of(profile: Profile) -> Self {
        match profile {
            Profile::Hybrid => Assembler::Hybrid,
            Profile::Paper => Assembler::Paper,
        }
    }
}

/// How a network is made of strengths.
#[derive(Debug, Clone, PartialEq)]
pub struct NetworkParams {
    /// What turns strengths into arcs; `None`: the profile's own.
    pub assembler: Option<Assembler>,
    /// Parameters of Algorithms 2 and 3.
    pub paper: PaperParams,
    /// Parameters of the order search.
    pub hybrid: HybridParams,
    /// Parameters of the classic learners.
    pub classic: ClassicParams,
    /// How often to learn again from rows drawn anew, to tell how sure the arcs are; 0: not at all.
    pub bootstrap: usize,
    /// The share of these repetitions from which on two nodes are joined in the consensus.
    pub consensus: f64,
    /// What a probability is before rows are counted.
    pub prior: Prior,
    /// The most bytes that probability tables may take.
    pub table_bytes: u64,
}

impl Default for NetworkParams {
    fn default() -> Self {
        NetworkParams {
            assembler: None,
            paper: PaperParams::default(),
            hybrid: HybridParams::default(),
            classic: ClassicParams::default(),
            bootstrap: 0,
            consensus: 0.5,
            prior: Prior::default(),
            table_bytes: DEFAULT_TABLE_BYTES,
        }
    }
}

/// A learned network and what speaks for it.
#[derive(Debug, Clone)]
pub struct Learned {
    /// The network.
    pub network: Network,
    /// What the machines found.
    pub strengths: Strengths,
    /// The arcs, by names.
    pub arcs: Vec<LearnedArc>,
    /// What became of every arc that was proposed.
    pub trace: Vec<Proposal>,
    /// The graph's score on the table, under the score of [`NetworkParams::hybrid`].
    pub score: f64,
    /// What learning from rows drawn anew found, if that was asked for.
    pub bootstrap: Option<Bootstrap>,
    /// How many rows stand behind the rows of the probability tables.
    pub families: Vec<Family>,
}

/// An arc of a learned network.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LearnedArc {
    /// Where it starts.
    pub parent: String,
    /// Where it ends.
    pub child: String,
    /// Whether every equally good network has it this way round.
    pub compelled: bool,
    /// Whether the rules leave it no other direction: they refuse the opposite arc, or what they refuse elsewhere settles it.
    #[serde(default)]
    pub ruled: bool,
    /// Whether the rules require it.
    #[serde(default)]
    pub required: bool,
    /// What the machines say of the parent as a feature of the child.
    pub strength: f64,
    /// Its part of the strength of all features of the child.
    pub share: f64,
    /// In what share of the fits it beat every shadow, if there were any.
    pub hit_rate: Option<f64>,
    /// What the graph's score would lose without it.
    pub gain: f64,
    /// In what share of the repetitions on rows drawn anew the two nodes are adjacent, if there were any; a required arc
    /// would be in all of them, and has none.
    pub confidence: Option<f64>,
    /// In what share of those the arc runs this way; one that the data cannot direct counts half.
    pub direction: Option<f64>,
}

/// What an arc's direction rests on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    /// The data: it is compelled, and the rules would allow both directions.
    Data,
    /// The rules: they leave no other.
    Rules,
    /// Nothing: an equally good network has the arc the other way round.
    Open,
}

impl LearnedArc {
    /// What its direction rests on.
    pub fn way(&self) -> Way {
        match (self.ruled, self.compelled) {
            (true, _) => Way::Rules,
            (false, true) => Way::Data,
            (false, false) => Way::Open,
        }
    }
}

/// Learns a network: strengths, then arcs, then probabilities.
pub fn learn(
    table: &Table,
    rules: &Rules,
    params: &LearnParams,
    network: &NetworkParams,
    watch: &dyn Watch,
) -> Result<Learned, Error> {
    network.check()?;
    refuse_gaps(table)?;
    let (strengths, Assembly { dag, mut trace }) = structure(table, rules, params, network, watch)?;
    // A difference of scores means something only if both count the same rows.
    let complete = complete_rows(table);
    let score = Scorer::new(&complete, network.hybrid.score)?.dag(&dag)?;
    let mut gains = Gains::new(&complete, network.hybrid.score)?;
    for proposal in &mut trace {
        proposal.gain = Some(gains.of(&dag, proposal.parent, proposal.child));
    }
    let mut arcs = arcs(table, &dag, rules, &strengths, &mut gains);
    let fitted = Network::estimate(&dag, table, network.prior, network.table_bytes)?;
    let again =
        (network.bootstrap > 0).then(|| bootstrap(table, rules, params, network, watch)).transpose()?;
    for (arc, again) in arcs.iter_mut().filter(|arc| !arc.required).zip(again.iter().cycle()) {
        let (adjacent, direction) = again.of(&arc.parent, &arc.child);
        (arc.confidence, arc.direction) = (Some(adjacent), direction);
    }
    let families = count_families(table, &fitted)?;
    Ok(Learned { network: fitted, strengths, arcs, trace, score, bootstrap: again, families })
}

/// Strengths and arcs: what the machines find, and the graph that the assembler makes of it.
pub(crate) fn structure(
    table: &Table,
    rules: &Rules,
    params: &LearnParams,
    network: &NetworkParams,
    watch: &dyn Watch,
) -> Result<(Strengths, Assembly), Error> {
    let strengths = strengths::measure(table, params, watch)?;
    let matrix = strengths.matrix(table.schema());
    let classic = |which| assemble_classic(table, &matrix, rules, which, &network.classic, watch);
    let assembly = match network.assembler.unwrap_or(Assembler::of(params.profile)) {
        Assembler::Paper => assemble_paper(&matrix, table.schema(), rules, &network.paper),
        Assembler::Hybrid => assemble_hybrid(table, &matrix, rules, &network.hybrid, params.seed, watch)?,
        Assembler::Hc => classic(Classic::Hc)?,
        Assembler::Tabu => classic(Classic::Tabu)?,
        Assembler::ChowLiu => classic(Classic::ChowLiu)?,
        Assembler::Pc => classic(Classic::Pc)?,
        Assembler::Mmhc => classic(Classic::Mmhc)?,
    };
    Ok((strengths, assembly))
}

/// The arcs by the names of child and parent, with what speaks for each.
fn arcs(
    table: &Table,
    dag: &Dag,
    rules: &Rules,
    strengths: &Strengths,
    gains: &mut Gains,
) -> Vec<LearnedArc> {
    let schema = table.schema();
    let classes = Pdag::complete(dag);
    let settled = rules.settled(dag);
    let mut arcs: Vec<LearnedArc> = dag
        .arcs()
        .map(|(parent, child)| {
            let (parent_name, child_name) = (schema.name(parent), schema.name(child));
            let feature = strengths.target(child_name).and_then(|target| target.feature(parent_name));
            LearnedArc {
                parent: parent_name.to_string(),
                child: child_name.to_string(),
                compelled: classes.is_directed(parent, child),
                ruled: !rules.allows(child, parent)
                    || settled.is_directed(parent, child) && !classes.is_directed(parent, child),
                required: rules.required().has(parent, child),
                strength: feature.map_or(0.0, |f| f.strength),
                share: feature.map_or(0.0, |f| f.share),
                hit_rate: feature.and_then(|f| f.hit_rate),
                gain: gains.of(dag, parent, child),
                confidence: None,
                direction: None,
            }
        })
        .collect();
    arcs.sort_by(|a, b| (&a.child, &a.parent).cmp(&(&b.child, &b.parent)));
    arcs
}

/// The score of a graph needs rows in which every cell has a value.
fn refuse_gaps(table: &Table) -> Result<(), Error> {
    if table.has_missing() && table.complete_rows().is_empty() {
        return Err(Error::TooLittleData(
            "no row has a value in every column: give the gaps a state of their own, or leave columns out"
                .into(),
        ));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::candidates::StrengthMatrix;
    use crate::rules::RuleParams;
    use crate::synthetic;
    use crate::watch::Unwatched;
    use crate::{bn, embedded};

    fn learned(table: &Table, rules: &Rules, profile: Profile) -> Learned {
        learn(table, rules, &LearnParams::of(profile), &NetworkParams::default(), &Unwatched).unwrap()
    }

    #[test]
    fn finds_asia_again_within_its_equivalence_class() {
        let truth = embedded::network("asia").unwrap();
        let mut distance = 0;
        for seed in 1..=3 {
            let table = bn::sample(&truth, 5000, seed);
            let found = learned(&table, &Rules::none(8), Profile::Hybrid);
            distance += bn::compare::Comparison::of(&truth, &found.network).cpdag_shd;
        }
        assert!(distance <= 3, "CPDAG-SHD over three samples: {distance}");
    }

    #[test]
    fn gaps_leave_scores_and_gains_to_the_complete_rows() {
        let full = bn::sample(&embedded::network("asia").unwrap(), 1500, 3);
        let mut columns: Vec<Vec<u8>> = (0..8).map(|v| full.column(v).to_vec()).collect();
        for (v, column) in columns.iter_mut().enumerate().take(4) {
            column.iter_mut().skip(v).step_by(7).for_each(|code| *code = bn::MISSING);
        }
        let table = Table::new(full.schema().clone(), columns).unwrap();
        let complete = table.select_rows(&table.complete_rows());
        for profile in [Profile::Hybrid, Profile::Paper] {
            let found = learned(&table, &Rules::none(8), profile);
            let scorer = Scorer::new(&complete, NetworkParams::default().hybrid.score).unwrap();
            let dag = found.network.dag();
            assert_eq!(found.score, scorer.dag(dag).unwrap());
            for arc in &found.arcs {
                let at = |name: &str| table.schema().index(name).unwrap();
                let mut without = Dag::new(8);
                let others = dag.arcs().filter(|&a| a != (at(&arc.parent), at(&arc.child)));
                others.for_each(|(p, c)| without.try_add(p, c).unwrap());
                let lost = found.score - scorer.dag(&without).unwrap();
                assert!((arc.gain - lost).abs() < 1e-6, "{arc:?}: {lost}");
            }
        }
    }

    /// Where children are noisy XORs of their parents no pair of columns says anything; the machines' lists must bring the
    /// parents in.
    #[test]
    fn finds_parents_that_act_only_together() {
        let truth = synthetic::noisy_xor(&synthetic::XorParams::default(), 1).unwrap();
        let table = bn::sample(&truth, 5000, 1);
        let found = learned(&table, &Rules::none(truth.len()), Profile::Hybrid);
        let with = bn::compare::Comparison::of(&truth, &found.network).skeleton.f1;
        assert!(with >= 0.7, "skeleton F1 {with}");
    }

    /// a = d xor e and c = a xor b, but only a machine for `a` has seen any of it: `a` cannot be the child of both.
    #[test]
    fn a_family_seen_from_one_side_is_tried_from_every_side() {
        let mut stream = bn::random::Stream::new(1, "one side");
        let mut columns = vec![vec![]; 5];
        for _ in 0..2000 {
            let mut bit = |share: u64| u8::from(stream.below(100) < share);
            let (b, d, e) = (bit(50), bit(50), bit(50));
            let a = d ^ e ^ bit(10);
            [a, b, a ^ b ^ bit(10), d, e]
                .into_iter()
                .zip(&mut columns)
                .for_each(|(v, column)| column.push(v));
        }
        let names = ["a", "b", "c", "d", "e"].map(|name| bn::Variable::new(name, ["0", "1"]));
        let table = Table::new(bn::Schema::new(names.to_vec()).unwrap(), columns).unwrap();
        let mut strengths = StrengthMatrix::new(5);
        (1..5).for_each(|feature| strengths.set(0, feature, 1.0));
        let params = HybridParams::default();
        let found = assemble_hybrid(&table, &strengths, &Rules::none(5), &params, 1, &Unwatched).unwrap();
        for family in [[0, 1, 2], [0, 3, 4]] {
            let whole = |&v: &usize| family.iter().all(|&p| p == v || found.dag.has(p, v));
            assert!(family.iter().any(whole), "{:?}", found.dag.arcs().collect::<Vec<_>>());
        }
    }

    /// Above 30,000 rows the order is found on a part of them.
    #[test]
    fn many_rows_find_the_network_too() {
        let truth = embedded::network("child").unwrap();
        let table = bn::sample(&truth, 40_000, 1);
        let (rules, nothing) = (Rules::none(truth.len()), StrengthMatrix::new(truth.len()));
        let found =
            assemble_hybrid(&table, &nothing, &rules, &HybridParams::default(), 1, &Unwatched).unwrap();
        let found = Network::estimate(&found.dag, &table, Prior::default(), DEFAULT_TABLE_BYTES).unwrap();
        assert_eq!(bn::compare::Comparison::of(&truth, &found).cpdag_shd, 0);
    }

    /// On this sample fNML alone would turn arcs so that they cost hundreds of nats.
    #[test]
    fn no_arc_is_turned_against_its_score() {
        let truth = embedded::network("hailfinder").unwrap();
        let table = bn::sample(&truth, 5000, 1);
        let (rules, nothing) = (Rules::none(truth.len()), StrengthMatrix::new(truth.len()));
        let params = HybridParams::default();
        let found = assemble_hybrid(&table, &nothing, &rules, &params, 1, &Unwatched).unwrap();
        let mut gains = Gains::new(&table, params.score).unwrap();
        for (parent, child) in found.dag.arcs() {
            let gain = gains.of(&found.dag, parent, child);
            assert!(gain >= 0.0, "{parent} > {child}: {gain}");
        }
    }

    /// smoke – lung is reversible in asia; a collider that two parameters are forced into is compelled, but not by the data.
    #[test]
    fn directions_that_the_rules_leave_no_choice_of_are_theirs() {
        let truth = embedded::network("asia").unwrap();
        let table = bn::sample(&truth, 3000, 1);
        let found = |parameter: &[&str]| {
            let parameter = parameter.iter().map(|name| name.to_string()).collect();
            let rules =
                Rules::new(table.schema(), &RuleParams { parameter, ..RuleParams::default() }).unwrap();
            learned(&table, &rules, Profile::Hybrid).arcs
        };
        let into_smoke = |arcs: &[LearnedArc]| -> Vec<Way> {
            arcs.iter().filter(|arc| arc.child == "smoke").map(LearnedArc::way).collect()
        };
        let free = found(&[]);
        assert!(free.iter().all(|arc| !arc.ruled && !arc.required));
        assert!(
            free.iter().any(|arc| arc.way() == Way::Open) && free.iter().any(|arc| arc.way() == Way::Data)
        );
        let forced = found(&["lung", "bronc"]);
        assert_eq!(into_smoke(&forced), [Way::Rules, Way::Rules], "{forced:?}");
        assert!(forced.iter().filter(|arc| arc.child == "smoke").all(|arc| arc.compelled));
    }

    #[test]
    fn rules_bind_in_both_profiles() {
        let truth = embedded::network("asia").unwrap();
        let table = bn::sample(&truth, 1500, 2);
        let schema = table.schema();
        let params = RuleParams {
            parameter: vec!["smoke".into(), "asia".into()],
            require: vec!["bronc>xray".parse().unwrap()],
            forbid: vec!["smoke>lung".parse().unwrap()],
            max_parents: Some(2),
            ..RuleParams::default()
        };
        let rules = Rules::new(schema, &params).unwrap();
        for profile in [Profile::Hybrid, Profile::Paper] {
            let dag = learned(&table, &rules, profile).network.dag().clone();
            let at = |name: &str| schema.index(name).unwrap();
            assert!(dag.parents(at("smoke")).is_empty() && dag.parents(at("asia")).is_empty());
            assert!(dag.has(at("bronc"), at("xray")) && !dag.has(at("smoke"), at("lung")));
            assert!((0..8).all(|v| dag.parents(v).len() <= 2));
        }
    }
}
