//! Everything against full enumeration of small networks, which is the definition.

use super::*;
use crate::dynamic::weather;
use crate::infer::{DEFAULT_BYTES, Infer};
use crate::math::ln;
use crate::random::Stream;
use crate::{Cpt, Pdag, Schema, Variable};
use std::sync::Arc;

/// Networks of six nodes with two or three states and up to three parents; a few numbers are 0.
fn random_network(stream: &mut Stream) -> Arc<Network> {
    let n = 6;
    let variable = |v: usize, k: u64| Variable::new(format!("n{v}"), (0..2 + k).map(|s| s.to_string()));
    let schema = Schema::new((0..n).map(|v| variable(v, stream.below(2))).collect()).unwrap();
    let cpt = |v: usize| {
        let mut parents: Vec<usize> = (0..v).filter(|_| stream.unit() < 0.5).collect();
        parents.truncate(3);
        let (rows, k) =
            (parents.iter().map(|&p| schema.cardinality(p)).product::<usize>(), schema.cardinality(v));
        let mut values = vec![];
        for _ in 0..rows {
            let row: Vec<f64> = (0..k)
                .map(|s| if s > 0 && stream.below(12) == 0 { 0.0 } else { 0.05 + stream.unit() })
                .collect();
            let sum: f64 = row.iter().sum();
            values.extend(row.iter().map(|p| p / sum));
        }
        Cpt::new(&schema, v, parents, values).unwrap()
    };
    let cpts = (0..n).map(cpt).collect();
    Arc::new(Network::new("random", schema.clone(), cpts).unwrap())
}

/// All states with their probability under the evidence, not normalised.
fn worlds(network: &Network, evidence: &Evidence) -> Vec<(Vec<u8>, f64)> {
    let mut worlds: Vec<Vec<u8>> = vec![vec![]];
    for v in 0..network.len() {
        let states = 0..network.schema().cardinality(v) as u8;
        worlds = worlds.iter().flat_map(|w| states.clone().map(|s| [w.as_slice(), &[s]].concat())).collect();
    }
    let weight = |world: &[u8]| {
        let factor = |v: usize| {
            let state = world[v];
            let cpt = network.cpt(v);
            let codes: Vec<u8> = cpt.parents().iter().map(|&p| world[p]).collect();
            let p = cpt.row(cpt.configuration(&codes))[usize::from(state)];
            match evidence.finding(v) {
                Finding::Free => p,
                Finding::Observed(s) => p * f64::from(u8::from(*s == state)),
                Finding::Set(s) => f64::from(u8::from(*s == state)),
                Finding::Likelihood(shares) => p * shares[usize::from(state)],
            }
        };
        (0..network.len()).map(factor).product()
    };
    worlds.into_iter().map(|world| (weight(&world), world)).map(|(p, world)| (world, p)).collect()
}

fn chances(network: &Network, evidence: &Evidence, target: usize) -> Vec<f64> {
    let mut out = vec![0.0; network.schema().cardinality(target)];
    worlds(network, evidence).iter().for_each(|(world, p)| out[usize::from(world[target])] += p);
    let sum: f64 = out.iter().sum();
    out.iter().map(|p| p / sum).collect()
}

/// Random findings about some nodes other than the target, possible together.
fn random_evidence(stream: &mut Stream, network: &Network, target: usize) -> Evidence {
    loop {
        let mut evidence = Evidence::new(network);
        for v in (0..network.len()).filter(|&v| v != target) {
            let states = network.schema().cardinality(v);
            match stream.below(6) {
                0 | 1 => evidence.observe(v, stream.below(states as u64) as u8).unwrap(),
                2 => evidence.likelihood(v, (0..states).map(|_| 0.1 + stream.unit()).collect()).unwrap(),
                3 if stream.below(2) == 0 => evidence.intervene(v, 0).unwrap(),
                _ => {}
            }
        }
        if worlds(network, &evidence).iter().map(|w| w.1).sum::<f64>() > 0.0 {
            return evidence;
        }
    }
}

fn close(a: &[f64], b: &[f64]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-9)
}

/// Thirty networks with a target and findings each.
fn cases(name: &str, mut check: impl FnMut(&Arc<Network>, usize, &Evidence, &mut Stream)) {
    let mut stream = Stream::new(21, name);
    for _ in 0..30 {
        let network = random_network(&mut stream);
        let target = stream.below(6) as usize;
        let evidence = random_evidence(&mut stream, &network, target);
        check(&network, target, &evidence, &mut stream);
    }
}

#[test]
fn information_and_tornado_are_those_of_enumeration() {
    cases("information", |network, target, evidence, _| {
        let (of_target, found) = unseen(&mut Infer::new(network.clone()), target, evidence, None).unwrap();
        assert!(close(&of_target, &chances(network, evidence, target)));
        // A part of the nodes says of each what all of them say.
        let near = nearest(network, target, evidence, 2);
        let part = unseen(&mut Infer::new(network.clone()), target, evidence, Some(&near)).unwrap().1;
        assert!(part.len() == near.len() && near.len() <= 2);
        for some in &part {
            let whole = found.iter().find(|other| other.node == some.node).unwrap();
            assert!((some.information - whole.information).abs() < 1e-12, "{some:?} {whole:?}");
        }
        for Unseen { node, chances: own, target_given, information } in found {
            assert!(close(&own, &chances(network, evidence, node)));
            let mut left = 0.0;
            for (state, given) in target_given.iter().enumerate() {
                let mut joint = vec![0.0; of_target.len()];
                for (world, p) in worlds(network, evidence) {
                    if usize::from(world[node]) == state {
                        joint[usize::from(world[target])] += p;
                    }
                }
                let sum: f64 = joint.iter().sum();
                assert_eq!(given.is_some(), sum > 0.0);
                if let Some(given) = given {
                    joint.iter_mut().for_each(|p| *p /= sum);
                    assert!(close(given, &joint));
                    left += own[state] * entropy(&joint);
                }
            }
            assert!((information - (entropy(&of_target) - left)).abs() < 1e-9);
        }
    });
}

/// Over all orders in which the findings could come, the mean of what each did.
#[test]
fn pushes_are_means_over_all_orders() {
    fn orders(of: &[usize]) -> Vec<Vec<usize>> {
        if of.is_empty() {
            return vec![vec![]];
        }
        let first = |k: usize| {
            let rest: Vec<usize> = [&of[..k], &of[k + 1..]].concat();
            orders(&rest).into_iter().map(move |order| [&[of[k]], order.as_slice()].concat())
        };
        (0..of.len()).flat_map(first).collect()
    }
    let mut told = 0;
    cases("pushes", |network, target, evidence, _| {
        let found = attribute(network, target, evidence, &|_| false, DEFAULT_BYTES).unwrap();
        let only = |known: &[usize]| {
            let mut some = evidence.clone();
            found.findings.iter().filter(|v| !known.contains(v)).for_each(|&v| some.clear(v));
            chances(network, &some, target)
        };
        assert!(close(&found.before, &only(&[])) && close(&found.after, &only(&found.findings)));
        let orders = orders(&found.findings);
        let odds = |p: f64| ln(p / (1.0 - p));
        for (i, node) in found.findings.iter().enumerate() {
            for t in 0..found.before.len() {
                let (mut push, mut log) = (0.0, 0.0);
                for order in &orders {
                    let at = order.iter().position(|v| v == node).unwrap();
                    let (with, without) = (only(&order[..=at])[t], only(&order[..at])[t]);
                    push += (with - without) / orders.len() as f64;
                    log += (odds(with) - odds(without)) / orders.len() as f64;
                }
                assert!((found.pushes[i][t] - push).abs() < 1e-9);
                if let Some(found) = found.log_odds[i][t] {
                    assert!((found - log).abs() < 1e-7 && log.is_finite());
                    told += 1;
                } else {
                    let all = orders.iter().flat_map(|order| (0..=order.len()).map(|n| only(&order[..n])[t]));
                    assert!(all.into_iter().any(|p| !(1e-12..=1.0 - 1e-12).contains(&p)));
                }
            }
        }
    });
    assert!(told > 50);
}

#[test]
fn more_findings_than_can_be_told_are_refused() {
    let schema = Schema::new((0..14).map(|v| Variable::new(format!("n{v}"), ["x", "y"])).collect()).unwrap();
    let cpts = (0..14).map(|v| Cpt::new(&schema, v, vec![], vec![0.5; 2]).unwrap()).collect();
    let network = Arc::new(Network::new("wide", schema, cpts).unwrap());
    let mut evidence = Evidence::new(&network);
    (1..14).for_each(|v| evidence.observe(v, 0).unwrap());
    let error = attribute(&network, 0, &evidence, &|_| false, DEFAULT_BYTES).unwrap_err();
    assert!(error.is_limit() && error.to_string().contains("13 findings"), "{error}");
    evidence.clear(13);
    assert!(
        attribute(&network, 0, &evidence, &|_| false, DEFAULT_BYTES)
            .unwrap()
            .pushes
            .iter()
            .flatten()
            .all(|p| *p == 0.0)
    );
    let error = attribute(&network, 1, &evidence, &|_| false, DEFAULT_BYTES).unwrap_err();
    assert!(error.to_string().contains("its state is known"), "{error}");
}

/// The table with another number in one place, the rest of its row scaled.
fn changed(network: &Network, parameter: &Parameter, x: f64) -> Network {
    let cpt = network.cpt(parameter.node);
    let mut values = cpt.values().to_vec();
    let row = &mut values[parameter.configuration * cpt.states()..][..cpt.states()];
    row.iter_mut().for_each(|p| *p *= (1.0 - x) / (1.0 - parameter.value));
    row[usize::from(parameter.state)] = x;
    let mut cpts = network.cpts().to_vec();
    cpts[parameter.node] =
        Cpt::new(network.schema(), parameter.node, cpt.parents().to_vec(), values).unwrap();
    Network::new("changed", network.schema().clone(), cpts).unwrap()
}

#[test]
fn every_number_does_what_its_line_says() {
    let (mut flips, mut idle) = (0, 0);
    cases("sensitivity", |network, target, evidence, stream| {
        let found = sensitivity(network, target, evidence, &|node| node, DEFAULT_BYTES).unwrap();
        let before = chances(network, evidence, target);
        for parameter in &found {
            let x = stream.unit();
            if worlds(&changed(network, parameter, x), evidence).iter().any(|w| w.1 > 0.0) {
                let after = chances(&changed(network, parameter, x), evidence, target);
                assert!(close(&parameter.at(x), &after), "{parameter:?}");
            }
            let near = chances(&changed(network, parameter, parameter.value + 1e-6), evidence, target);
            for t in 0..before.len() {
                assert!(((near[t] - before[t]) / 1e-6 - parameter.slopes[t]).abs() < 1e-3);
            }
            // No smaller change flips: at every number between, the first stays first.
            let first = likeliest(&before);
            let reach = parameter.flip.map_or(1.0, |flip| (flip.value - parameter.value).abs());
            for share in [0.5, 0.99] {
                for x in [parameter.value - share * reach, parameter.value + share * reach] {
                    if (1e-9..1.0 - 1e-9).contains(&x) {
                        let at = parameter.at(x);
                        assert!(at.iter().all(|&p| p <= at[first] + 1e-12), "{parameter:?}");
                    }
                }
            }
            if let Some(flip) = parameter.flip {
                let at = parameter.at(flip.value);
                assert!((at[first] - at[usize::from(flip.state)]).abs() < 1e-9);
                flips += 1;
            }
        }
        // What is not listed changes nothing.
        for (node, cpt) in (0..6).map(|v| (v, network.cpt(v))) {
            for (cell, &value) in cpt.values().iter().enumerate().filter(|(_, p)| **p > 0.0 && **p < 1.0) {
                let (configuration, state) = (cell / cpt.states(), (cell % cpt.states()) as u8);
                let listed =
                    |p: &Parameter| (p.node, p.configuration, p.state) == (node, configuration, state);
                if !found.iter().any(listed) {
                    let idler = Parameter {
                        node,
                        configuration,
                        state,
                        value,
                        slopes: vec![],
                        tables: 1,
                        numerators: vec![],
                        denominator: (0.0, 1.0),
                        flip: None,
                        sought: true,
                    };
                    assert!(close(&before, &chances(&changed(network, &idler, 0.37), evidence, target)));
                    idle += 1;
                }
            }
        }
    });
    assert!(flips > 100 && idle > 50, "{flips} {idle}");
}

#[test]
fn a_number_of_all_steps_is_changed_at_all_of_them() {
    let weather = weather();
    let steps = 5;
    let network = Arc::new(weather.unroll(steps).unwrap());
    let (statics, processes, order) = (weather.statics().len(), weather.processes().len(), weather.order());
    let step = |node: usize| node.checked_sub(statics).map(|rest| rest / processes);
    let tied = |node: usize| match step(node) {
        Some(step) if step > order => node - (step - order) * processes,
        _ => node,
    };
    let target = network.len() - 1;
    let evidence = Evidence::new(&network);
    let found = sensitivity(&network, target, &evidence, &tied, DEFAULT_BYTES).unwrap();
    let ask =
        |network: Arc<Network>| Infer::new(network).posterior(&[target], &evidence).unwrap().probabilities;
    let before = ask(network.clone());
    let first = likeliest(&before);
    let (mut several, mut turned, mut not_sought) = (0, 0, 0);
    for number in found.iter().filter(|number| number.tables > 1) {
        several += 1;
        let with = |x: f64| {
            let at = |node: usize| Parameter { node, ..number.clone() };
            let nodes = (0..network.len()).filter(|&v| tied(v) == number.node);
            let all = nodes.fold((*network).clone(), |network, node| changed(&network, &at(node), x));
            ask(Arc::new(all))
        };
        let near = with(number.value + 1e-6);
        for t in 0..before.len() {
            let slope = (near[t] - before[t]) / 1e-6;
            assert!((slope - number.slopes[t]).abs() < 1e-4, "{slope}: {number:?}");
        }
        match number.flip {
            None if !number.sought => not_sought += 1,
            Some(flip) => {
                let at = with(flip.value);
                assert!((at[first] - at[usize::from(flip.state)]).abs() < 1e-8, "{at:?}: {number:?}");
                turned += 1;
            }
            None => {
                assert!([0.01, 0.3, 0.6, 0.99].into_iter().all(|x| likeliest(&with(x)) == first));
            }
        }
    }
    assert!(turned > 3 && several == not_sought + 40, "{turned} of {several}, {not_sought}");
}

#[test]
fn decisions_are_those_of_enumeration() {
    let (mut wide, mut unsure, mut worth) = (0, 0, 0);
    cases("decisions", |network, target, _, stream| {
        let lever = (target + 1 + stream.below(5) as usize) % 6;
        let mut evidence = Evidence::new(network);
        let seen = (0..6).find(|&v| ![lever, target].contains(&v) && network.dag().path(lever, v).is_none());
        seen.into_iter().for_each(|v| evidence.observe(v, 0).unwrap());
        let mut worths: Vec<Worth> = (0..network.schema().cardinality(target))
            .map(|s| Worth { when: vec![(target, s as u8)], value: 10.0 * stream.unit() - 5.0 })
            .collect();
        worths.push(Worth { when: vec![(target, 0), (lever, 1)], value: 3.0 });
        worths.push(Worth { when: vec![], value: 1.0 });
        let actions = [
            Action { set: vec![], cost: 0.0 },
            Action { set: vec![(lever, 0)], cost: 0.1 },
            Action { set: vec![(lever, 1)], cost: 0.2 },
        ];
        let class = Pdag::complete(network.dag());
        let found = decide(network, &class, &evidence, &worths, &actions, DEFAULT_BYTES).unwrap();
        let value = |evidence: &Evidence, action: &Action| {
            let mut acted = evidence.clone();
            action.set.iter().for_each(|&(v, s)| acted.intervene(v, s).unwrap());
            let (mut sum, mut all) = (-action.cost, 0.0);
            let worlds = worlds(network, &acted);
            worlds.iter().for_each(|w| all += w.1);
            for (world, p) in worlds {
                let holds = |worth: &&Worth| worth.when.iter().all(|&(v, s)| world[v] == s);
                sum += p / all * worths.iter().filter(holds).map(|w| w.value).sum::<f64>();
            }
            sum
        };
        let best = |evidence: &Evidence| actions.iter().map(|a| value(evidence, a)).fold(f64::MIN, f64::max);
        for (action, valued) in actions.iter().zip(&found.actions) {
            assert!((valued.expected - value(&evidence, action)).abs() < 1e-9);
            assert!(valued.low <= valued.expected + 1e-9 && valued.expected <= valued.high + 1e-9);
            wide += usize::from(valued.high > valued.low);
        }
        assert!((found.actions[found.best].expected - best(&evidence)).abs() < 1e-9);
        unsure += usize::from(!found.sure);
        for &(node, information) in &found.information {
            let of_node = chances(network, &evidence, node);
            let mut with = 0.0;
            for (state, p) in of_node.iter().enumerate().filter(|(_, p)| **p > 0.0) {
                let mut told = evidence.clone();
                told.observe(node, state as u8).unwrap();
                with += p * best(&told);
            }
            assert!((information - (with - best(&evidence))).abs() < 1e-9, "{information}");
            worth += usize::from(information > 1e-6);
        }
        assert!(
            found.information.iter().all(|(v, _)| *v != lever && network.dag().path(lever, *v).is_none())
        );
    });
    assert!(wide > 10 && unsure > 3 && worth > 10, "{wide} {unsure} {worth}");
}

/// A chain that may run either way: if the lever causes the outcome it pays to pull it, if not it does not.
#[test]
fn an_action_that_rests_on_an_open_arc_is_not_sure() {
    let text =
        b"variable L { type discrete [ 2 ] { on, off }; } variable Y { type discrete [ 2 ] { good, bad }; }
        probability ( L ) { table 0.5, 0.5; } probability ( Y | L ) { (on) 0.9, 0.1; (off) 0.1, 0.9; }";
    let network = Arc::new(crate::io::bif::read(text, &crate::io::Limits::default()).unwrap());
    let class = Pdag::complete(network.dag());
    let worths = [Worth { when: vec![(1, 0)], value: 100.0 }];
    let actions = [Action { set: vec![], cost: 0.0 }, Action { set: vec![(0, 0)], cost: 10.0 }];
    let nothing = Evidence::new(&network);
    let ask = |class: &Pdag| decide(&network, class, &nothing, &worths, &actions, DEFAULT_BYTES).unwrap();
    let found = ask(&class);
    assert!((found.actions[1].low - 40.0).abs() < 1e-9 && (found.actions[1].high - 80.0).abs() < 1e-9);
    assert_eq!((found.best, found.sure, found.members, found.open.clone()), (1, false, 2, vec![(0, 1)]));
    let ruled = ask(&class.with_arcs([(0, 1)]));
    assert!(ruled.sure && ruled.open.is_empty() && ruled.actions[1].low == ruled.actions[1].high);
    // To know what the lever moves is no information to be had before.
    assert!(found.information.is_empty());
    let mut infer = Infer::new(network.clone());
    assert_eq!(infer.posterior(&[1], &nothing).unwrap().probabilities, [0.5, 0.5]);
}

/// Those along the arcs, whatever their direction; what is known is passed by.
#[test]
fn the_nearest_nodes_are_those_along_the_arcs() {
    let schema = Schema::new((0..6).map(|v| Variable::new(format!("n{v}"), ["a", "b"])).collect()).unwrap();
    // 0 → 1 → 2 ← 3, 4 → 3, and 5 alone.
    let parents = [vec![], vec![0], vec![1, 3], vec![4], vec![], vec![]];
    let cpt = |(v, parents): (usize, &Vec<usize>)| {
        Cpt::new(&schema, v, parents.clone(), vec![0.5; 2 << parents.len()]).unwrap()
    };
    let network =
        Network::new("chain", schema.clone(), parents.iter().enumerate().map(cpt).collect()).unwrap();
    let mut evidence = Evidence::new(&network);
    assert_eq!(nearest(&network, 2, &evidence, 2), [1, 3]);
    assert_eq!(nearest(&network, 2, &evidence, 3), [0, 1, 3]);
    assert_eq!(nearest(&network, 2, &evidence, 9), [0, 1, 3, 4]);
    evidence.observe(1, 0).unwrap();
    assert_eq!(nearest(&network, 2, &evidence, 2), [0, 3]);
    assert_eq!(nearest(&network, 5, &evidence, 9), Vec::<usize>::new());
}
