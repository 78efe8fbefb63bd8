//! Against the same series written out as one network and asked with the engines that know no time.

use super::*;
use crate::infer::{Evidence, Finding, Infer};
use crate::random::Stream;
use crate::{Cpt, Network, Schema, Variable};
use proptest::prelude::*;

const NEAR: f64 = 1e-9;

fn table(schema: &Schema, node: usize, parents: Vec<usize>, stream: &mut Stream) -> Cpt {
    let rows: usize = parents.iter().map(|&p| schema.cardinality(p)).product();
    let mut values = vec![];
    for _ in 0..rows {
        let weights: Vec<f64> = (0..schema.cardinality(node)).map(|_| 0.05 + stream.unit()).collect();
        let sum: f64 = weights.iter().sum();
        values.extend(weights.iter().map(|w| w / sum));
    }
    Cpt::new(schema, node, parents, values).unwrap()
}

/// Up to `most` of the nodes, in random order.
fn some(mut nodes: Vec<usize>, most: u64, stream: &mut Stream) -> Vec<usize> {
    let count = stream.below(most + 1) as usize;
    stream.choose(&mut nodes, count);
    nodes.truncate(count);
    nodes
}

fn random_network(seed: u64) -> DynamicNetwork {
    let mut stream = Stream::new(seed, "network");
    let order = stream.below(4) as usize;
    let variable = |kind: &str, i: u64, stream: &mut Stream| {
        Variable::new(format!("{kind}{i}"), (0..2 + stream.below(2)).map(|s| format!("s{s}")))
    };
    let statics: Vec<Variable> = (0..stream.below(3)).map(|i| variable("S", i, &mut stream)).collect();
    let processes: Vec<Variable> = (0..1 + stream.below(4)).map(|i| variable("X", i, &mut stream)).collect();
    let first = DynamicNetwork::start_schema(&statics, &processes, order).unwrap();
    let start = (0..first.len()).map(|v| {
        let parents = some((0..v).collect(), 2, &mut stream);
        table(&first, v, parents, &mut stream)
    });
    let start = start.collect::<Vec<Cpt>>();
    let start = Network::new("start", first, start).unwrap();
    let window = DynamicNetwork::window_schema(&statics, &processes, order).unwrap();
    let now = window.len() - processes.len();
    let transition = (now..window.len()).map(|v| {
        let parents = some((0..v).collect(), 3, &mut stream);
        table(&window, v, parents, &mut stream)
    });
    let transition = transition.collect();
    DynamicNetwork::new("t", order, statics, processes, start, transition).unwrap()
}

/// Findings of every kind, the same for the series and for its steps written out.
struct Known {
    series: SeriesEvidence,
    long: Evidence,
}

fn known(network: &DynamicNetwork, long: &Network, until: usize, share: f64, seed: u64) -> Known {
    let mut stream = Stream::new(seed, "evidence");
    let mut out = Known { series: SeriesEvidence::new(network), long: Evidence::new(long) };
    let statics = network.statics().len();
    for node in 0..long.len() {
        let moment = match node.checked_sub(statics) {
            None => Moment::Static(node),
            Some(rest) => Moment::At(rest % network.processes().len(), rest / network.processes().len()),
        };
        let late = matches!(moment, Moment::At(_, step) if step >= until);
        let states = long.schema().cardinality(node);
        let (hit, kind) = (stream.unit() < share, stream.below(8));
        let state = stream.below(states as u64) as u8;
        let numbers: Vec<f64> = (0..states).map(|_| 0.1 + 0.9 * stream.unit()).collect();
        if late || !hit {
            continue;
        }
        match kind {
            0 => {
                out.series.intervene(moment, state).unwrap();
                out.long.intervene(node, state).unwrap();
            }
            1 => {
                out.series.likelihood(moment, numbers.clone()).unwrap();
                out.long.likelihood(node, numbers).unwrap();
            }
            2 => {
                out.series.among(moment, numbers.clone()).unwrap();
                out.long.among(node, numbers).unwrap();
            }
            _ => {
                out.series.observe(moment, state).unwrap();
                out.long.observe(node, state).unwrap();
            }
        }
    }
    out
}

fn near(found: &[f64], right: &[f64], what: &str) {
    assert_eq!(found.len(), right.len());
    for (a, b) in found.iter().zip(right) {
        assert!((a - b).abs() < NEAR, "{what}: {found:?} where {right:?} is right");
    }
}

fn agree(seed: u64, steps: usize, until: usize, share: f64) {
    let network = random_network(seed);
    let steps = steps.max(network.order());
    let long = network.unroll(steps).unwrap();
    let Known { series, long: evidence } = known(&network, &long, until, share, seed);
    let (statics, n) = (network.statics().len(), network.processes().len());
    let all: Vec<usize> = (0..n).collect();
    let mut one = Infer::new(long.clone());
    let mut ours = InferSeries::new(network.clone());
    let right = one.posteriors(&evidence).unwrap();

    let found = ours.posteriors(&all, 0..steps, &series).unwrap();
    for (step, found) in found.iter().enumerate() {
        for (process, values) in found.probabilities.iter().enumerate() {
            near(
                values,
                &right.probabilities[statics + step * n + process],
                &format!("{seed} X{process}@{step}"),
            );
        }
        assert!((found.evidence.ln() - right.evidence.ln()).abs() < NEAR * (1.0 + right.evidence.ln().abs()));
    }
    let held = ours.static_posteriors(&(0..statics).collect::<Vec<_>>(), &series).unwrap();
    held.probabilities.iter().zip(&right.probabilities).for_each(|(a, b)| near(a, b, "static"));
    let total = ours.evidence_probability(&series).unwrap();
    assert!((total.ln() - right.evidence.ln()).abs() < NEAR * (1.0 + right.evidence.ln().abs()));

    // A part of the series, of one process.
    let part = ours.posteriors(&[n - 1], steps / 3..steps / 2, &series).unwrap();
    for (k, found) in part.iter().enumerate() {
        near(&found.probabilities[0], &right.probabilities[statics + (steps / 3 + k) * n + n - 1], "part");
    }
    // Without what comes later.
    let filtered = ours.filtered(&all, 0..steps, &series).unwrap();
    for step in [0, steps / 2, steps - 1] {
        let mut early = evidence.clone();
        (statics + (step + 1) * n..long.len()).for_each(|node| early.clear(node));
        let right = one.posteriors(&early).unwrap();
        for (process, values) in filtered[step].probabilities.iter().enumerate() {
            near(values, &right.probabilities[statics + step * n + process], "filter");
        }
        assert!((filtered[step].evidence.ln() - right.evidence.ln()).abs() < 1e-8);
    }
}

fn most_agrees(seed: u64, steps: usize) {
    let network = random_network(seed);
    let steps = steps.max(network.order());
    let long = network.unroll(steps).unwrap();
    let Known { series, long: evidence } = known(&network, &long, steps, 0.3, seed);
    let right = Infer::new(long.clone()).most_probable(&[], &evidence).unwrap();
    let found = InferSeries::new(network.clone()).most_probable(steps, &series).unwrap();
    assert!((found.probability.ln() - right.probability.ln()).abs() < 1e-8, "{seed}: {found:?} {right:?}");
    // Equal tables at every step make ties; whatever is told must have the probability it claims, and keep to the evidence.
    let codes: Vec<u8> = found.statics.iter().chain(found.steps.iter().flatten()).copied().collect();
    let mut log = -found.evidence.ln();
    for (node, &code) in codes.iter().enumerate() {
        let cpt = long.cpt(node);
        let parents: Vec<u8> = cpt.parents().iter().map(|&p| codes[p]).collect();
        match evidence.finding(node) {
            Finding::Set(_) => {}
            Finding::Likelihood(l) => {
                log += crate::math::ln(
                    l[usize::from(code)] * cpt.row(cpt.configuration(&parents))[usize::from(code)],
                );
            }
            _ => log += crate::math::ln(cpt.row(cpt.configuration(&parents))[usize::from(code)]),
        }
        assert!(evidence.finding(node).state().is_none_or(|state| state == code));
    }
    assert!((log - found.probability.ln()).abs() < 1e-8, "{seed}");
}

#[test]
fn twenty_networks_agree_with_their_steps_written_out() {
    for seed in 0..20 {
        agree(
            seed,
            [10, 25, 100][seed as usize % 3],
            [1000, 7, 60][seed as usize % 3],
            [0.3, 0.8, 0.1][seed as usize % 3],
        );
    }
}

#[test]
fn most_probable_stretches_agree() {
    (0..20).for_each(|seed| most_agrees(seed, 6 + 3 * (seed as usize % 5)));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]
    #[test]
    fn any_network_and_evidence_agree(seed in 1000u64..100_000, steps in 1usize..14, until in 0usize..16, share in 0.0..1.0f64) {
        agree(seed, steps, until, share);
        most_agrees(seed, steps);
    }
}

/// A hidden Markov model: the textbook recursions, written out.
#[test]
fn a_thousand_steps_agree_with_the_textbook() {
    let hidden = Variable::new("H", ["a", "b", "c"]);
    let seen = Variable::new("O", ["x", "y"]);
    let both = vec![hidden, seen];
    let first = DynamicNetwork::start_schema(&[], &both, 1).unwrap();
    let stay = [0.9, 0.05, 0.05, 0.1, 0.8, 0.1, 0.2, 0.2, 0.6];
    let emit = [0.99, 0.01, 0.5, 0.5, 0.02, 0.98];
    let start = vec![
        Cpt::new(&first, 0, vec![], vec![0.5, 0.3, 0.2]).unwrap(),
        Cpt::new(&first, 1, vec![0], emit.to_vec()).unwrap(),
    ];
    let start = Network::new("start", first, start).unwrap();
    let window = DynamicNetwork::window_schema(&[], &both, 1).unwrap();
    let transition = vec![
        Cpt::new(&window, 2, vec![0], stay.to_vec()).unwrap(),
        Cpt::new(&window, 3, vec![2], emit.to_vec()).unwrap(),
    ];
    let network = DynamicNetwork::new("hmm", 1, vec![], both, start, transition).unwrap();
    let steps = 5000;
    let mut stream = Stream::new(3, "seen");
    let seen: Vec<usize> = (0..steps).map(|_| stream.below(2) as usize).collect();
    let mut known = SeriesEvidence::new(&network);
    for (t, &o) in seen.iter().enumerate() {
        known.observe(Moment::At(1, t), o as u8).unwrap();
    }
    let mut forward = vec![];
    let mut log = 0.0;
    let mut belief = [0.5, 0.3, 0.2];
    for (t, &o) in seen.iter().enumerate() {
        if t > 0 {
            let moved: [f64; 3] = std::array::from_fn(|j| (0..3).map(|i| belief[i] * stay[i * 3 + j]).sum());
            belief = moved;
        }
        (0..3).for_each(|j| belief[j] *= emit[j * 2 + o]);
        let sum: f64 = belief.iter().sum();
        log += crate::math::ln(sum);
        belief.iter_mut().for_each(|b| *b /= sum);
        forward.push(belief);
    }
    let mut ours = InferSeries::new(network);
    let filtered = ours.filtered(&[0], 0..steps, &known).unwrap();
    let smoothed = ours.posteriors(&[0], 0..steps, &known).unwrap();
    let mut after = [1.0; 3];
    for t in (0..steps).rev() {
        near(&filtered[t].probabilities[0], &forward[t], "filter");
        let mut both: Vec<f64> = (0..3).map(|j| forward[t][j] * after[j]).collect();
        normalise(&mut both).unwrap();
        near(&smoothed[t].probabilities[0], &both, "smoothed");
        let heard: [f64; 3] = std::array::from_fn(|j| emit[j * 2 + seen[t]] * after[j]);
        after = std::array::from_fn(|i| (0..3).map(|j| stay[i * 3 + j] * heard[j]).sum());
        let sum: f64 = after.iter().sum();
        after.iter_mut().for_each(|a| *a /= sum);
    }
    assert!(log < -2000.0, "far below what a double holds");
    assert!((ours.evidence_probability(&known).unwrap().ln() - log).abs() < 1e-8 * log.abs());
}

/// Many chains: apart from each other they stay apart; each on all of the others they do not fit.
fn chains(count: usize, together: bool) -> DynamicNetwork {
    let all: Vec<Variable> = (0..count).map(|i| Variable::new(format!("X{i:02}"), ["a", "b", "c"])).collect();
    let first = DynamicNetwork::start_schema(&[], &all, 1).unwrap();
    let mut stream = Stream::new(1, "chains");
    let start = (0..count).map(|v| table(&first, v, vec![], &mut stream)).collect();
    let start = Network::new("start", first, start).unwrap();
    let window = DynamicNetwork::window_schema(&[], &all, 1).unwrap();
    let transition = (0..count).map(|v| {
        let mut parents = vec![v];
        parents.extend(together.then_some((v + 1) % count));
        table(&window, count + v, parents, &mut stream)
    });
    let transition = transition.collect();
    DynamicNetwork::new("chains", 1, vec![], all, start, transition).unwrap()
}

#[test]
fn processes_apart_stay_apart_and_what_does_not_fit_is_refused_at_once() {
    let all: Vec<usize> = (0..40).collect();
    let apart = chains(40, false);
    let nothing = SeriesEvidence::new(&apart);
    let found = InferSeries::new(apart).posteriors(&all, 500..510, &nothing).unwrap();
    assert_eq!((found.len(), found[0].probabilities.len()), (10, 40));

    let ring = chains(40, true);
    let mut known = SeriesEvidence::new(&ring);
    let refused = InferSeries::new(ring.clone()).posteriors(&all, 0..1000, &known).unwrap_err();
    assert!(refused.is_limit(), "{refused}");
    // Where everything was seen, the next step is a look into the tables.
    known.observe_step(700, &[1; 40]).unwrap();
    known.observe_step(701, &[2; 40]).unwrap();
    let mut ours = InferSeries::new(ring.clone()).with_limit(1 << 20);
    assert!(
        ours.posteriors(&all, 702..703, &known).unwrap_err().is_limit(),
        "700 steps without a word before"
    );
    let mut seen = SeriesEvidence::new(&ring);
    (0..50).for_each(|t| seen.observe_step(t, &[(t % 3) as u8; 40]).unwrap());
    let next = ours.posteriors(&all, 50..51, &seen).unwrap();
    assert_eq!(next[0].probabilities[7], ring.transition(7).row(4));
}

fn drawn(samples: usize, seed: u64) -> Drawn {
    Drawn { samples, seed, limit: DEFAULT_BYTES }
}

#[test]
fn particles_come_near_to_exact_answers() {
    for seed in 0..6 {
        let network = random_network(seed);
        let steps = 8 + network.order();
        let long = network.unroll(steps).unwrap();
        let Known { series, .. } = known(&network, &long, steps - 2, 0.3, seed);
        let statics = network.statics().len();
        // Long before the last of what is known most particles share their past: the last steps are what they are for.
        let asked: Vec<Moment> = (0..statics)
            .map(Moment::Static)
            .chain(
                (steps - 4..steps)
                    .flat_map(|t| (0..network.processes().len()).map(move |p| Moment::At(p, t))),
            )
            .collect();
        let mut exact = InferSeries::new(network.clone());
        let right = exact
            .posteriors(&(0..network.processes().len()).collect::<Vec<_>>(), steps - 4..steps, &series)
            .unwrap();
        let held = exact.static_posteriors(&(0..statics).collect::<Vec<_>>(), &series).unwrap();
        let right: Vec<&Vec<f64>> =
            held.probabilities.iter().chain(right.iter().flat_map(|step| &step.probabilities)).collect();
        let found = weigh_series(&network, &asked, &series, drawn(40_000, 7), &|| false).unwrap();
        for ((found, errors), right) in found.probabilities.iter().zip(&found.errors).zip(right) {
            for ((p, error), right) in found.iter().zip(errors).zip(right) {
                assert!(
                    (p - right).abs() < 0.03 && *error < 0.02,
                    "{seed}: {p} ± {error} where {right} is right"
                );
            }
        }
        let total = exact.evidence_probability(&series).unwrap();
        assert!((found.evidence.ln() - total.ln()).abs() < 0.1, "{seed}: {found:?} {}", total.ln());
        assert_eq!(found, weigh_series(&network, &asked, &series, drawn(40_000, 7), &|| false).unwrap());
    }
    // A ring of forty is too wide for an exact answer.
    let ring = chains(40, true);
    let known = SeriesEvidence::new(&ring);
    let found = weigh_series(&ring, &[Moment::At(3, 50)], &known, drawn(1000, 1), &|| false).unwrap();
    assert!((found.probabilities[0].iter().sum::<f64>() - 1.0).abs() < 1e-9 && found.effective > 999.0);
    assert!(matches!(
        weigh_series(&ring, &[Moment::At(0, 5)], &known, drawn(10, 1), &|| true),
        Err(Error::Stopped)
    ));
    let tight = Drawn { limit: 1000, ..drawn(1000, 1) };
    let refused = weigh_series(&ring, &[Moment::At(0, 5)], &known, tight, &|| false).unwrap_err();
    assert!(refused.is_limit() && refused.to_string().contains("draw fewer"), "{refused}");
    assert!(weigh_series(&ring, &[Moment::At(40, 0)], &known, drawn(10, 1), &|| false).is_err());
}

#[test]
fn impossible_and_wrong_evidence_is_told() {
    let network = chains(2, false);
    let mut known = SeriesEvidence::new(&network);
    known.observe(Moment::At(1, 3), 2).unwrap();
    let twice = known.observe(Moment::At(1, 3), 1).unwrap_err().to_string();
    assert!(twice.contains("'X01@3'") && twice.contains("two pieces of evidence"), "{twice}");
    assert_eq!(known.finding(Moment::At(1, 3)).state(), Some(2), "what was known stays");
    assert!(known.observe(Moment::At(0, 0), 9).is_err() && known.observe(Moment::At(7, 0), 0).is_err());
    assert!(known.observe(Moment::Static(0), 0).is_err());
    let mut ours = InferSeries::new(network);
    assert!(ours.posteriors(&[0, 0], 0..1, &known).is_err());
    assert!(ours.posteriors(&[5], 0..1, &known).is_err());
    assert!(ours.posteriors(&[0], 0..1, &SeriesEvidence::new(&chains(3, false))).is_err());
}
