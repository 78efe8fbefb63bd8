//! What holds for every assembler: it can be called off, it tells how far it is, and the hybrid one searches no worse than tabu and leaves
//! no arc that is worth its price.

use super::climb::Climb;
use super::ground::Ground;
use super::*;
use crate::data::{Bounds, Dataset};
use crate::rules::RuleSettings;
use crate::settings::Settings;
use crate::strengths::StrengthSettings;
use crate::watch::{Event, Stage, Underway, Unwatched};
use crate::{bn, embedded, learn_from};
use clausality_bn::random::Stream;
use clausality_bn::{Schema, Score, Scorer, Variable, math};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// Every assembler, and the other ways that one of them goes.
fn every_one() -> Vec<NetworkSettings> {
    use Assembler::{ChowLiu, Hc, Hybrid, Mmhc, Paper, Pc, Tabu};
    let of = |assembler| NetworkSettings { assembler: Some(assembler), ..NetworkSettings::default() };
    let mut all: Vec<NetworkSettings> = [Hybrid, Paper, Hc, Tabu, ChowLiu, Pc, Mmhc].map(of).into();
    all.push(NetworkSettings { weights: TreeWeights::Information, ..of(ChowLiu) });
    all.push(NetworkSettings { cycles: Cycles::Dfs, features: 50, ..of(Paper) });
    all.push(NetworkSettings { cycles: Cycles::Greedy, features: 50, ..of(Paper) });
    all
}

/// One who calls the work off when asked for the n-th time, and remembers what was said.
struct Impatient {
    patience: usize,
    asked: AtomicUsize,
    /// When somebody asked last, and the longest time that nobody did.
    silence: Mutex<(Instant, Duration)>,
    heard: Mutex<Vec<Event>>,
}

impl Impatient {
    fn after(patience: usize) -> Self {
        let silence = Mutex::new((Instant::now(), Duration::ZERO));
        Impatient { patience, asked: AtomicUsize::new(0), silence, heard: Mutex::default() }
    }

    fn asked(&self) -> usize {
        self.asked.load(Ordering::Relaxed)
    }

    /// Begins, steps and ends fit together: stage by stage, no step outside of its stage, none too many.
    fn heard_well(&self) -> Vec<Stage> {
        let mut stages = vec![];
        let mut running: Option<(Stage, u64)> = None;
        for event in self.heard.lock().unwrap().iter() {
            running = match (*event, running) {
                (Event::Begin { stage, steps }, None) => {
                    stages.push(stage);
                    Some((stage, steps))
                }
                (Event::Step { stage }, Some((under_way, left))) => {
                    assert!(
                        stage == under_way && left > 0,
                        "{stage:?} steps within {under_way:?}, {left} left"
                    );
                    Some((stage, left - 1))
                }
                (Event::More { stage, steps }, Some((under_way, left))) if stage == under_way => {
                    Some((stage, left + steps))
                }
                (Event::End { stage }, Some((under_way, _))) if stage == under_way => None,
                (event, running) => panic!("{event:?} within {running:?}"),
            };
        }
        assert_eq!(running, None, "every stage that begins ends");
        stages
    }
}

impl Watch for Impatient {
    fn event(&self, event: Event) {
        self.heard.lock().unwrap().push(event);
    }

    fn cancelled(&self) -> bool {
        let mut silence = self.silence.lock().unwrap();
        *silence = (Instant::now(), silence.1.max(silence.0.elapsed()));
        self.asked.fetch_add(1, Ordering::Relaxed) >= self.patience
    }
}

/// A table in which each column but the first depends on one or two before it.
fn chained(columns: usize, rows: usize, seed: u64) -> Table {
    let mut stream = Stream::new(seed, "chained");
    let mut codes: Vec<Vec<u8>> = vec![];
    let mut variables = vec![];
    for v in 0..columns {
        let states = 2 + stream.below(3);
        let parents: Vec<usize> = (0..v.min(2)).map(|_| stream.below(v as u64) as usize).collect();
        let noise = 10 + stream.below(50);
        let column = (0..rows).map(|row| match stream.below(100) < noise {
            true => stream.below(states) as u8,
            false => parents.iter().map(|&p| codes[p][row]).sum::<u8>() % states as u8,
        });
        codes.push(column.collect());
        variables.push(Variable::new(format!("v{v:03}"), (0..states).map(|state| state.to_string())));
    }
    Table::new(Schema::new(variables).unwrap(), codes).unwrap()
}

/// Strengths as machines might give them, without machines: all features count, near ones most.
fn near(columns: usize) -> StrengthMatrix {
    let mut strengths = StrengthMatrix::new(columns);
    for target in 0..columns {
        for feature in (0..columns).filter(|&f| f != target) {
            strengths.set(target, feature, 1.0 / (1.0 + feature.abs_diff(target) as f64));
        }
    }
    strengths
}

fn run(table: &Table, settings: &NetworkSettings, watch: &dyn Watch) -> Result<Assembly, Error> {
    let columns = table.schema().len();
    assemble(table, &near(columns), &Rules::none(columns), settings, 1, watch)
}

/// Before every pass over the rows somebody is asked: so few questions after the yes are few passes. Columns that threads compare
/// side by side may each ask once.
#[test]
fn a_yes_ends_every_assembler_at_once_whenever_it_comes() {
    let mut stream = Stream::new(1, "patience");
    for table in [chained(12, 300, 1), chained(70, 60, 2)] {
        for settings in every_one() {
            let all = Impatient::after(usize::MAX);
            run(&table, &settings, &all).unwrap();
            assert_eq!(all.heard_well(), [Stage::Assemble]);
            let ways = [0, all.asked() - 1].into_iter();
            for patience in ways.chain((0..10).map(|_| stream.below(all.asked() as u64) as usize)) {
                let watch = Impatient::after(patience);
                let found = run(&table, &settings, &watch);
                assert!(matches!(found, Err(Error::Cancelled)), "{:?}: {patience}", settings.assembler);
                let more = watch.asked() - patience;
                let most =
                    if settings.weights == TreeWeights::Information { table.schema().len() } else { 2 };
                assert!(more <= most, "{:?}: asked {more} times more", settings.assembler);
                assert_eq!(watch.heard_well(), [Stage::Assemble]);
            }
        }
    }
}

#[test]
fn the_choice_of_a_prior_and_gains_can_be_called_off() {
    let table = chained(12, 300, 1);
    let all = Impatient::after(usize::MAX);
    equivalent_sample_size(&table, &all).unwrap();
    assert!(all.asked() >= 12, "each column is asked: {}", all.asked());
    for patience in 0..all.asked() {
        let watch = Impatient::after(patience);
        assert!(matches!(equivalent_sample_size(&table, &watch), Err(Error::Cancelled)));
        assert_eq!(watch.asked(), patience + 1);
    }
    let dag = Dag::from_arcs(12, [(0, 1)]).unwrap();
    for patience in 0..2 {
        let watch = Impatient::after(patience);
        let mut gains = Gains::new(&table, NetworkSettings::default().judged_by(), &watch).unwrap();
        assert!(matches!(gains.of(&dag, 0, 1), Err(Error::Cancelled)));
        assert!(matches!(gains.score(&dag), Err(Error::Cancelled)), "what was called off stays so");
    }
}

fn learning(network: NetworkSettings) -> Settings {
    let strengths = StrengthSettings {
        rounds: Some(1),
        epochs: Some(1),
        samples: Some(100),
        clauses: Some(6),
        ..StrengthSettings::default()
    };
    Settings { network, strengths, ..Settings::default() }
}

#[test]
fn learning_tells_every_stage_and_can_be_called_off_in_each() {
    let asia = Dataset::sampled(bn::sample(&embedded::network("asia").unwrap(), 400, 1));
    let mut stream = Stream::new(2, "patience");
    for (bootstrap, network) in every_one().into_iter().flat_map(|s| [(0, s.clone()), (2, s)]) {
        let settings = learning(NetworkSettings { bootstrap, ..network });
        let learn = |watch: &dyn Watch| learn_from(&asia, &settings, &Bounds::default(), watch);
        let all = Impatient::after(usize::MAX);
        learn(&all).unwrap();
        let stages = [Stage::Train, Stage::Assemble, Stage::Account, Stage::Bootstrap];
        assert_eq!(all.heard_well(), stages[..if bootstrap > 0 { 4 } else { 3 }]);
        for _ in 0..3 {
            let watch = Impatient::after(stream.below(all.asked() as u64) as usize);
            assert!(matches!(learn(&watch), Err(Error::Cancelled)));
            let more = watch.asked() - watch.patience;
            assert!(more <= 32, "{:?}: asked {more} times more", settings.network.assembler);
        }
    }
}

/// The one place where the clock is the subject: a wish to stop waits until somebody asks for it. A tenth of a second is promised of
/// the program as it is shipped; here thirty times that, for code that is not optimised on a machine that others use.
#[test]
fn a_wish_to_stop_is_soon_heard_on_long_and_on_wide_tables() {
    let quick = Effort { starts: 1, shakes: 0, list: 0, ..Effort::default() };
    for (table, patience) in [(chained(20, 300_000, 3), 150), (chained(200, 2000, 4), 3000)] {
        for mut settings in every_one() {
            let mut patience = patience;
            if settings.assembler == Some(Assembler::Hybrid) && table.rows() > 100_000 {
                // Thousands of questions on part of the rows come before the first on all: it may go on to its end.
                (settings.effort, patience) = (quick.clone(), usize::MAX);
            }
            let silence = || {
                let watch = Impatient::after(patience);
                let _ = run(&table, &settings, &watch);
                watch.cancelled();
                watch.silence.into_inner().unwrap().1
            };
            // Others may keep a machine busy for seconds; not every time.
            let mut longest = silence();
            for _ in 0..2 {
                if longest >= Duration::from_secs(3) {
                    longest = longest.min(silence());
                }
            }
            assert!(longest < Duration::from_secs(3), "{:?}: {longest:?}", settings.assembler);
        }
    }
}

/// What the first search maximises, `score − |parents|·½ ln m`, tabu search under the same price never finds more of.
#[test]
fn the_order_search_is_never_worse_than_tabu() {
    let mut behind: Vec<(u64, f64)> = vec![];
    for seed in 0..40 {
        let mut stream = Stream::new(seed, "never worse");
        let (columns, rows) = (3 + stream.below(10) as usize, 50 + stream.below(1000) as usize);
        let table = chained(columns, rows, seed);
        let settings = NetworkSettings {
            effort: Effort { reorient: false, ..Effort::default() },
            ..NetworkSettings::default()
        };
        let (score, price) = (settings.judged_by(), 0.5 * math::ln(columns.max(2) as f64));
        let ours = run(&table, &settings, &Unwatched).unwrap().dag;
        let ground = Ground::new(&table);
        let pools: Vec<Vec<u32>> = (0..columns).map(|v| ground.allowed(&Rules::none(columns), v)).collect();
        let climb = Climb {
            families: &mut ground.families(score, price, &Unwatched),
            pools: &pools,
            required: &vec![vec![]; columns],
            most: usize::MAX,
            tabu: true,
            through: false,
            sober: false,
            stage: &Underway::begin(&Unwatched, Stage::Assemble, 0),
        };
        let theirs = ground.graph(&climb.run(&vec![vec![]; columns]).unwrap()).unwrap();
        let scorer = Scorer::new(&table, score).unwrap();
        let worth = |dag: &Dag| scorer.dag(dag).unwrap() - price * dag.arc_count() as f64;
        let lead = worth(&ours) - worth(&theirs);
        if lead < -1e-6 {
            behind.push((seed, lead));
        }
    }
    assert!(behind.is_empty(), "{behind:?}");
}

/// Rules that the truth obeys cost nothing: what is found is worth at least as much as the truth, and as what single arcs make of it; and no
/// arc that the rules allow is left, to add, to drop or to turn, that would bring more than it costs.
#[test]
fn no_arc_is_left_that_is_worth_its_price() {
    for (name, rows) in [("asia", 2000), ("insurance", 1000), ("alarm", 1000), ("hepar2", 1000)] {
        let truth = embedded::network(name).unwrap();
        let table = bn::sample(&truth, rows, 7);
        let m = truth.len();
        let in_order: Vec<Vec<String>> = truth
            .dag()
            .topological_order()
            .iter()
            .map(|&v| vec![truth.schema().name(v).to_string()])
            .collect();
        let tiers = RuleSettings { tiers: in_order, ..Default::default() };
        for rules in [Rules::none(m), Rules::new(table.schema(), &tiers).unwrap()] {
            let nothing = StrengthMatrix::new(m);
            let settings = NetworkSettings::default();
            let found = assemble_hybrid(&table, &nothing, &rules, &settings, 1, &Unwatched).unwrap();
            assert!(!found.trace.iter().any(|p| matches!(p.outcome, Outcome::Unused(_))), "{name}");

            let ground = Ground::new(&table);
            let price = math::ln(m as f64);
            let pools: Vec<Vec<u32>> = (0..m).map(|v| ground.allowed(&rules, v)).collect();
            let climbed = |dag: &Dag| {
                let place = |v: &usize| ground.place[*v] as u32;
                let parents = |&v: &usize| {
                    let mut parents: Vec<u32> = dag.parents(v).iter().map(place).collect();
                    parents.sort_unstable();
                    parents
                };
                let start: Vec<Vec<u32>> = ground.by_name.iter().map(parents).collect();
                let climb = Climb {
                    families: &mut ground.families(Score::Fnml, price, &Unwatched),
                    pools: &pools,
                    required: &vec![vec![]; m],
                    most: usize::MAX,
                    tabu: false,
                    through: true,
                    sober: true,
                    stage: &Underway::begin(&Unwatched, Stage::Assemble, 0),
                };
                ground.graph(&climb.run(&start).unwrap()).unwrap()
            };
            let scorer = Scorer::new(&table, Score::Fnml).unwrap();
            let worth = |dag: &Dag| scorer.dag(dag).unwrap() - price * dag.arc_count() as f64;
            if m <= 60 {
                // Pools hold all variables, so nothing was out of sight, save directions that the first score closed.
                let lost = worth(&climbed(&found.dag)) - worth(&found.dag);
                assert!(lost < 1e-6, "{name}: {lost}");
            }
            let lead = worth(&found.dag) - worth(&climbed(truth.dag()));
            assert!(lead > -0.001 * worth(truth.dag()).abs(), "{name}: {lead}");
            assert!(worth(&found.dag) >= worth(truth.dag()), "{name}");
        }
    }
}

/// A weak way back keeps a strong arc out: x → y may not be drawn while y → w → x is there, y → x not at all, and neither of the two arcs is worthless.
/// Single moves end there; who breaks through does not.
#[test]
fn a_weak_way_back_is_opened_for_a_strong_arc() {
    let rows = 2000;
    let mut stream = Stream::new(3, "way back");
    let mut columns = vec![Vec::new(); 3];
    for _ in 0..rows {
        let x = u8::from(stream.unit() < 0.5);
        let y = if stream.unit() < 0.9 { x } else { 1 - x };
        let w = if stream.unit() < 0.65 { y } else { 1 - y };
        [w, x, y].into_iter().zip(&mut columns).for_each(|(code, column)| column.push(code));
    }
    let variables = ["w", "x", "y"].map(|name| Variable::new(name, ["no", "yes"]));
    let table = Table::new(Schema::new(variables.to_vec()).unwrap(), columns).unwrap();
    let ground = Ground::new(&table);
    let (w, x, y) = (0, 1, 2);
    let climbed = |through: bool| {
        let climb = Climb {
            families: &mut ground.families(Score::Bdeu { ess: 1.0 }, 0.5, &Unwatched),
            pools: &[vec![x, y], vec![w], vec![w, x]],
            required: &[vec![], vec![], vec![]],
            most: 4,
            tabu: false,
            through,
            sober: false,
            stage: &Underway::begin(&Unwatched, Stage::Assemble, 0),
        };
        climb.run(&[vec![y], vec![w], vec![]]).unwrap()
    };
    assert_eq!(climbed(false), [vec![y], vec![w], vec![]], "single moves are stuck");
    assert_eq!(climbed(true), [vec![y], vec![], vec![x]]);
}
