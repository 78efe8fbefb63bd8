//! Every engine against full enumeration, which is the definition, and against each other where that is too long.

use super::*;
use crate::random::Stream;
use crate::{Cpt, Schema, Variable};

/// A network of up to `most` nodes with random arcs; among its numbers are zeros, among its nodes some of one state.
fn random_network(stream: &mut Stream, most: u64, states: u64) -> Network {
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
    let mut infer = Infer::new(network);
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
