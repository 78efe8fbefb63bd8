//! Every engine against full enumeration, which is the definition, and against each other where that is too long.

use super::*;
use crate::random::Stream;
use crate::{Cpt, Schema, Variable};

/// A network of up to `most` nodes with random arcs; among its numbers are zeros, among its nodes some of one state.
pub(super) fn random_network(stream: &mut Stream, most: u64, states: u64) -> Network {
    let n = 1 + stream.below(most) as usize;
    // Names in another order than nodes, so that a mix-up of the two numberings shows.
    let variable = |v: usize, states: u64| {
        let name = format!("{}{v}", char::from(b'a' + (v * 7 % 26) as u8));
        Variable::new(name, (0..states).map(|s| s.to_string()))
    };
    let variables: Vec<Variable> = (0..n).map(|v| variable(v, 1 + stream.below(states))).collect();
    let schema = Schema::new(variables).unwrap();
    let density = stream.unit();
    // Arcs run along a random order.
    let mut order: Vec<usize> = (0..n).collect();
    (1..n).rev().for_each(|i| order.swap(i, stream.below(i as u64 + 1) as usize));
    let mut cpts: Vec<Option<Cpt>> = vec![None; n];
    for (i, &v) in order.iter().enumerate() {
        let mut parents: Vec<usize> =
            order[..i].iter().copied().filter(|_| stream.unit() < density).collect();
        while parents.len() > 4 {
            parents.remove(stream.below(parents.len() as u64) as usize);
        }
        let rows: usize = parents.iter().map(|&p| schema.cardinality(p)).product();
        let k = schema.cardinality(v);
        let mut values = Vec::with_capacity(rows * k);
        for _ in 0..rows {
            let mut row: Vec<f64> =
                (0..k).map(|_| if stream.below(4) == 0 { 0.0 } else { stream.unit() + 1e-3 }).collect();
            if row.iter().all(|&p| p == 0.0) {
                row[stream.below(k as u64) as usize] = 1.0;
            }
            let sum: f64 = row.iter().sum();
            values.extend(row.iter().map(|p| p / sum));
        }
        cpts[v] = Some(Cpt::new(&schema, v, parents, values).unwrap());
    }
    Network::new("random", schema, cpts.into_iter().map(Option::unwrap).collect()).unwrap()
}

fn random_evidence(stream: &mut Stream, network: &Network, share: f64) -> Evidence {
    let mut evidence = Evidence::new(network);
    for v in 0..network.len() {
        if stream.unit() >= share {
            continue;
        }
        let states = network.schema().cardinality(v);
        let state = stream.below(states as u64) as u8;
        match stream.below(4) {
            0 => evidence.intervene(v, state).unwrap(),
            1 => {
                let mut likelihood: Vec<f64> = (0..states).map(|_| stream.unit()).collect();
                likelihood[usize::from(state)] = 0.0;
                if states > 1 {
                    evidence.likelihood(v, likelihood).unwrap();
                }
            }
            _ => evidence.observe(v, state).unwrap(),
        }
    }
    evidence
}

/// All states of a network with their weight `P(x, e)`, interventions cut.
fn enumerate(network: &Network, evidence: &Evidence) -> Vec<(Vec<u8>, f64)> {
    let mut out = vec![(vec![0u8; network.len()], 1.0)];
    for v in network.dag().topological_order() {
        let cpt = network.cpt(v);
        let mut next = Vec::new();
        for (row, weight) in out {
            let codes: Vec<u8> = cpt.parents().iter().map(|&p| row[p]).collect();
            let chances = cpt.row(cpt.configuration(&codes));
            for (state, &p) in chances.iter().enumerate() {
                let factor = match evidence.finding(v) {
                    Finding::Free => p,
                    Finding::Observed(seen) => {
                        if usize::from(*seen) == state {
                            p
                        } else {
                            0.0
                        }
                    }
                    Finding::Set(set) => f64::from(usize::from(*set) == state),
                    Finding::Likelihood(likelihood) => p * likelihood[state],
                };
                if weight * factor > 0.0 {
                    let mut row = row.clone();
                    row[v] = state as u8;
                    next.push((row, weight * factor));
                }
            }
        }
        out = next;
    }
    out
}

fn near(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-12
}

/// Asks every engine everything about one network and compares with enumeration.
fn check(network: &Network, evidence: &Evidence, stream: &mut Stream) {
    let mut infer = Infer::new(network.clone());
    let rows = enumerate(network, evidence);
    let total: f64 = rows.iter().map(|(_, w)| w).sum();
    let found = infer.evidence_probability(evidence).unwrap();
    assert!(near(found.value(), total), "{} {total}", found.value());
    if rows.is_empty() {
        assert_eq!(infer.posteriors(evidence).unwrap_err(), Error::ImpossibleEvidence);
        assert_eq!(infer.posterior(&[0], evidence).unwrap_err(), Error::ImpossibleEvidence);
        assert_eq!(infer.most_probable(&[], evidence).unwrap_err(), Error::ImpossibleEvidence);
        return;
    }
    let each = infer.posteriors(evidence).unwrap();
    assert!(near(each.evidence.value(), total));
    for v in 0..network.len() {
        for (state, &p) in each.probabilities[v].iter().enumerate() {
            let spec: f64 = rows.iter().filter(|(row, _)| usize::from(row[v]) == state).map(|(_, w)| w).sum();
            assert!(near(p, spec / total), "node {v} state {state}: {p}, {} is right", spec / total);
        }
    }
    let mut targets: Vec<usize> = (0..network.len()).filter(|_| stream.below(3) == 0).collect();
    let turn = stream.below(targets.len().max(1) as u64) as usize;
    targets.rotate_left(turn);
    let joint = infer.posterior(&targets, evidence).unwrap();
    let spec = joint_of(network, &rows, &targets);
    assert_eq!(joint.probabilities.len(), spec.len());
    for (p, spec) in joint.probabilities.iter().zip(&spec) {
        assert!(near(*p, spec / total), "joint of {targets:?}: {p}, {} is right", spec / total);
    }
    if !targets.is_empty() {
        let some = infer.posteriors_of(&targets, evidence).unwrap();
        for (&t, found) in targets.iter().zip(&some.probabilities) {
            assert!(found.iter().zip(&each.probabilities[t]).all(|(a, b)| near(*a, *b)));
        }
        let best = infer.most_probable(&targets, evidence).unwrap();
        let codes: Vec<usize> = best.states.iter().map(|&(_, s)| usize::from(s)).collect();
        let cell = codes.iter().zip(&joint.states).fold(0, |at, (s, n)| at * n + s);
        let most = spec.iter().copied().fold(0.0, f64::max);
        assert!(near(spec[cell], most), "{targets:?}: {} {most}", spec[cell]);
        assert!(near(best.probability.value(), most / total));
    }
    let best = infer.most_probable(&[], evidence).unwrap();
    let states: Vec<u8> = best.states.iter().map(|&(_, s)| s).collect();
    let most = rows.iter().map(|(_, w)| *w).fold(0.0, f64::max);
    let weight = rows.iter().find(|(row, _)| *row == states).map_or(0.0, |(_, w)| *w);
    assert!(near(weight, most) && near(best.probability.value(), most / total), "{weight} {most}");
}

fn joint_of(network: &Network, rows: &[(Vec<u8>, f64)], targets: &[usize]) -> Vec<f64> {
    let states: Vec<usize> = targets.iter().map(|&t| network.schema().cardinality(t)).collect();
    let mut out = vec![0.0; states.iter().product()];
    for (row, weight) in rows {
        let cell = targets.iter().zip(&states).fold(0, |at, (&t, n)| at * n + usize::from(row[t]));
        out[cell] += weight;
    }
    out
}

/// 10,000 networks in all, in parts that run beside each other.
fn against_enumeration(part: u64) {
    let mut stream = Stream::new(part, "against enumeration");
    for round in 0..2500 {
        let network = random_network(&mut stream, if round % 5 == 0 { 10 } else { 7 }, 3);
        let share = if round % 4 == 0 { 0.0 } else { 0.6 * stream.unit() };
        let evidence = random_evidence(&mut stream, &network, share);
        check(&network, &evidence, &mut stream);
    }
}

#[test]
fn engines_are_right_on_random_networks_first_part() {
    against_enumeration(1);
}

#[test]
fn engines_are_right_on_random_networks_second_part() {
    against_enumeration(2);
}

#[test]
fn engines_are_right_on_random_networks_third_part() {
    against_enumeration(3);
}

#[test]
fn engines_are_right_on_random_networks_fourth_part() {
    against_enumeration(4);
}

/// A chain `x_0 → x_1 → …` of binary nodes, each with a sensor that is seldom right about `yes`.
fn chain(length: usize) -> Network {
    let mut variables = vec![];
    for i in 0..length {
        variables.push(Variable::new(format!("x{i:05}"), ["no", "yes"]));
        variables.push(Variable::new(format!("s{i:05}"), ["low", "high"]));
    }
    let schema = Schema::new(variables).unwrap();
    let mut cpts = vec![];
    for i in 0..length {
        let x = match i {
            0 => Cpt::new(&schema, 0, vec![], vec![0.5, 0.5]),
            _ => Cpt::new(&schema, 2 * i, vec![2 * i - 2], vec![0.9, 0.1, 0.2, 0.8]),
        };
        cpts.push(x.unwrap());
        cpts.push(Cpt::new(&schema, 2 * i + 1, vec![2 * i], vec![0.999, 0.001, 0.99, 0.01]).unwrap());
    }
    Network::new("chain", schema, cpts).unwrap()
}

#[test]
fn much_evidence_does_not_vanish() {
    // Every sensor says `high`: about 0.003^2000, far below the smallest double.
    let network = chain(2000);
    let mut evidence = Evidence::new(&network);
    (0..2000).for_each(|i| evidence.observe(2 * i + 1, 1).unwrap());
    let mut infer = Infer::new(network.clone());
    let found = infer.posteriors(&evidence).unwrap();
    // The forward recursion, scaled at every step, is the definition of a chain.
    let (mut a, mut ln_total) = ([0.5 * 0.001, 0.5 * 0.01], 0.0);
    for _ in 1..2000 {
        let sum: f64 = a.iter().sum();
        ln_total += sum.ln();
        a = [a[0] / sum, a[1] / sum];
        a = [(a[0] * 0.9 + a[1] * 0.2) * 0.001, (a[0] * 0.1 + a[1] * 0.8) * 0.01];
    }
    let sum: f64 = a.iter().sum();
    ln_total += sum.ln();
    assert!((found.evidence.ln() - ln_total).abs() < 1e-8, "{} {ln_total}", found.evidence.ln());
    assert_eq!(found.evidence.value(), 0.0, "too small for a double");
    let last = &found.probabilities[2 * 1999];
    assert!(near(last[1], a[1] / sum), "{last:?}");
    assert!(found.probabilities.iter().flatten().all(|p| p.is_finite()));
    let one = infer.posterior(&[2 * 1000], &evidence).unwrap();
    assert!(near(one.probabilities[0], found.probabilities[2 * 1000][0]));
    let best = infer.most_probable(&[], &evidence).unwrap();
    assert!(best.states.iter().step_by(2).all(|&(_, state)| state == 1), "a high sensor speaks for yes");
    let story = (0.5 * 0.01f64).ln() + 1999.0 * (0.8 * 0.01f64).ln();
    assert!((best.probability.ln() + best.evidence.ln() - story).abs() < 1e-8);
    assert!((best.probability.value().ln() - best.probability.ln()).abs() < 1e-9, "{:?}", best.probability);
}

#[test]
fn long_chains_are_planned_quickly() {
    let network = chain(20_000);
    let found = Infer::new(network.clone()).posteriors(&Evidence::new(&network)).unwrap();
    // The chain forgets its start: x ends at 1/3 `yes`.
    assert!(near(found.probabilities[39_998][1], 1.0 / 3.0));
}

#[test]
fn impossible_evidence_is_an_error_wherever_it_stands() {
    let schema = Schema::new(["a", "b", "c"].map(|n| Variable::new(n, ["t", "f"])).to_vec()).unwrap();
    let cpts = vec![
        Cpt::new(&schema, 0, vec![], vec![1.0, 0.0]).unwrap(),
        Cpt::new(&schema, 1, vec![0], vec![1.0, 0.0, 0.5, 0.5]).unwrap(),
        Cpt::new(&schema, 2, vec![], vec![0.5, 0.5]).unwrap(),
    ];
    let network = Network::new("t", schema, cpts).unwrap();
    let mut evidence = Evidence::new(&network);
    evidence.observe(1, 1).unwrap();
    let mut infer = Infer::new(network.clone());
    // Also where the target has nothing to do with it.
    for target in [0, 1, 2] {
        assert_eq!(infer.posterior(&[target], &evidence).unwrap_err(), Error::ImpossibleEvidence);
    }
    assert_eq!(infer.posteriors(&evidence).unwrap_err(), Error::ImpossibleEvidence);
    assert_eq!(infer.evidence_probability(&evidence).unwrap().value(), 0.0);
    assert!(matches!(
        weigh(&network, &[0], &evidence, 100, 1, &|| false),
        Err(Error::NoSampleAgrees { samples: 100 })
    ));
    let message = Error::ImpossibleEvidence.to_string();
    assert!(message.contains("evidence has probability 0"), "{message}");
    // What was set was not observed: nothing is impossible then.
    let mut set = Evidence::new(&network);
    set.intervene(1, 1).unwrap();
    assert_eq!(infer.posterior(&[0], &set).unwrap().probabilities, [1.0, 0.0]);
    assert_eq!(infer.evidence_probability(&set).unwrap().value(), 1.0);
}

/// Many causes of many effects: wide whatever the order.
fn wide(causes: usize, effects: usize) -> Network {
    let names =
        (0..causes).map(|i| format!("cause{i:03}")).chain((0..effects).map(|i| format!("effect{i:03}")));
    let schema = Schema::new(names.map(|n| Variable::new(n, ["n", "y"])).collect()).unwrap();
    let mut cpts: Vec<Cpt> =
        (0..causes).map(|v| Cpt::new(&schema, v, vec![], vec![0.5, 0.5]).unwrap()).collect();
    let mut stream = Stream::new(2, "wide");
    for e in 0..effects {
        let mut parents: Vec<usize> = (0..4).map(|_| stream.below(causes as u64) as usize).collect();
        parents.sort_unstable();
        parents.dedup();
        let rows = 1 << parents.len();
        let values: Vec<f64> =
            (0..rows).flat_map(|r| [0.9 - 0.05 * f64::from(r), 0.1 + 0.05 * f64::from(r)]).collect();
        cpts.push(Cpt::new(&schema, causes + e, parents, values).unwrap());
    }
    Network::new("wide", schema, cpts).unwrap()
}

#[test]
fn what_does_not_fit_is_refused() {
    let network = wide(120, 360);
    let mut evidence = Evidence::new(&network);
    (120..480).for_each(|v| evidence.observe(v, 1).unwrap());
    // Tables of 2^100 cells: these calls only end because nothing of them is made.
    let mut infer = Infer::new(network.clone());
    for error in [
        infer.posterior(&[0], &evidence).unwrap_err(),
        infer.posteriors(&evidence).unwrap_err(),
        infer.most_probable(&[], &evidence).unwrap_err(),
        // A joint table of everything.
        infer.posterior(&(0..120).collect::<Vec<_>>(), &Evidence::new(&network)).unwrap_err(),
    ] {
        assert!(error.is_limit(), "{error}");
        let text = error.to_string();
        assert!(text.contains("cause") && text.contains("cells") && text.contains("384 MiB"), "{text}");
    }
    // A small bound is kept to.
    let small = wide(10, 20);
    let mut tight = Infer::new(small.clone()).with_limit(64);
    assert!(tight.posteriors(&Evidence::new(&small)).unwrap_err().is_limit());
    // Where exact answers do not fit, weighted samples do.
    let mut some = Evidence::new(&network);
    (120..126).for_each(|v| some.observe(v, 1).unwrap());
    let weighted = weigh(&network, &[0], &some, 20_000, 1, &|| false).unwrap();
    assert!(weighted.effective > 100.0 && weighted.errors[0][0] < 0.05, "{weighted:?}");
}

#[test]
fn weighted_samples_come_near_with_the_error_they_tell() {
    let mut stream = Stream::new(8, "weighting");
    let (mut cells, mut inside) = (0, 0);
    for round in 0..150 {
        let network = random_network(&mut stream, 8, 3);
        let evidence = random_evidence(&mut stream, &network, 0.3);
        let targets: Vec<usize> = (0..network.len()).collect();
        let Ok(exact) = Infer::new(network.clone()).posteriors(&evidence) else { continue };
        let Ok(found) = weigh(&network, &targets, &evidence, 4000, round, &|| false) else { continue };
        if found.effective < 100.0 {
            continue;
        }
        for v in 0..network.len() {
            assert!(near(found.probabilities[v].iter().sum(), 1.0));
            for (s, &p) in exact.probabilities[v].iter().enumerate() {
                let off = (found.probabilities[v][s] - p).abs();
                let error = found.errors[v][s];
                assert!(off <= 6.0 * error + 1e-9, "{off} where the error is {error}");
                if p > 0.0 && p < 1.0 && found.probabilities[v][s] > 0.0 {
                    cells += 1;
                    inside += usize::from(off <= 1.96 * error);
                }
            }
        }
        let off = (found.evidence.value() / exact.evidence.value() - 1.0).abs();
        assert!(off <= 6.0 * found.evidence_error + 1e-9, "{off} {}", found.evidence_error);
    }
    // Cells of one network are not independent; 95 of 100 are expected inside.
    let share = inside as f64 / cells as f64;
    assert!(cells > 300 && (0.9..=0.99).contains(&share), "{inside} of {cells}");
}

#[test]
fn the_order_of_nodes_leaves_no_trace() {
    let mut stream = Stream::new(11, "turned");
    for _ in 0..200 {
        let network = random_network(&mut stream, 10, 3);
        let n = network.len();
        let turn = stream.below(n as u64) as usize;
        let to = |v: usize| (v + turn) % n;
        let from = |v: usize| (v + n - turn) % n;
        let variables = (0..n).map(|v| network.schema().variable(from(v)).clone()).collect();
        let schema = Schema::new(variables).unwrap();
        let cpt = |v: usize| {
            let old = network.cpt(from(v));
            let parents = old.parents().iter().map(|&p| to(p)).collect();
            Cpt::new(&schema, v, parents, old.values().to_vec()).unwrap()
        };
        let turned = Network::new("t", schema.clone(), (0..n).map(cpt).collect()).unwrap();
        let (mut one, mut two) = (Evidence::new(&network), Evidence::new(&turned));
        for v in (0..n).filter(|v| v % 4 == 0) {
            one.observe(v, 0).unwrap();
            two.observe(to(v), 0).unwrap();
        }
        let (a, b) =
            (Infer::new(network.clone()).posteriors(&one), Infer::new(turned.clone()).posteriors(&two));
        let (Ok(a), Ok(b)) = (a, b) else { continue };
        (0..n).for_each(|v| assert_eq!(a.probabilities[v], b.probabilities[to(v)], "to the last bit"));
        assert_eq!(a.evidence, b.evidence);
        let (a, b) =
            (weigh(&network, &[0], &one, 50, 3, &|| false), weigh(&turned, &[to(0)], &two, 50, 3, &|| false));
        if let (Ok(a), Ok(b)) = (a, b) {
            assert_eq!(a.probabilities, b.probabilities);
        }
    }
}

#[test]
fn questions_that_make_no_sense_are_refused() {
    let network = chain(3);
    let mut infer = Infer::new(network.clone());
    let nothing = Evidence::new(&network);
    assert!(matches!(infer.posterior(&[0, 0], &nothing), Err(Error::Evidence { .. })));
    assert!(matches!(infer.posterior(&[6], &nothing), Err(Error::UnknownVariable(_))));
    assert!(matches!(infer.posteriors(&Evidence::new(&chain(2))), Err(Error::ColumnCount { .. })));
    let mut evidence = Evidence::new(&network);
    assert!(evidence.observe(0, 2).is_err() && evidence.observe(9, 0).is_err());
    for odd in [vec![0.0, 0.0], vec![1.0], vec![-1.0, 1.0], vec![f64::NAN, 1.0], vec![f64::INFINITY, 1.0]] {
        assert!(evidence.likelihood(0, odd.clone()).is_err(), "{odd:?}");
    }
    // Shares count as they are, reports by their ratios.
    evidence.among(0, vec![0.25, 0.5]).unwrap();
    assert_eq!(*evidence.finding(0), Finding::Likelihood(vec![0.25, 0.5]));
    assert!(evidence.among(0, vec![1.5, 0.5]).is_err() && evidence.among(0, vec![0.0, 0.0]).is_err());
    evidence.clear(0);
    evidence.likelihood(0, vec![1e-300, 2e-300]).unwrap();
    assert_eq!(evidence.finding(0), &Finding::Likelihood(vec![0.5, 1.0]));
    assert!(evidence.observe(0, 1).is_err(), "one finding a node");
    evidence.clear(0);
    assert!(evidence.is_empty() && evidence.observe(0, 1).is_ok());
}

/// A server keeps one for as long as it runs, and hands it from thread to thread.
#[test]
fn an_infer_may_live_anywhere() {
    fn is<T: Send + Sync + 'static>() {}
    is::<Infer>();
    let network = std::sync::Arc::new(chain(2));
    let infer = Infer::new(network.clone());
    assert!(std::ptr::eq(infer.network(), &*network), "shared, not copied");
}

#[test]
fn estimates_and_predictions_end_when_they_are_called_off() {
    use std::cell::Cell;
    let network = chain(5);
    let asked = Cell::new(0);
    let third = || asked.replace(asked.get() + 1) == 2;
    let found = weigh(&network, &[0], &Evidence::new(&network), 1 << 30, 1, &third);
    assert_eq!((found.unwrap_err(), asked.get()), (Error::Stopped, 3));
    let table = crate::sample(&network, 500, 1);
    asked.set(0);
    assert_eq!(predict_unless(&network, 2, &table, u64::MAX, &third).unwrap_err(), Error::Stopped);
    assert_eq!(asked.get(), 3);
}
