//! Expectations against asking every row; draws against expectations.

use super::*;
use crate::infer::{Evidence, Infer};
use crate::{DEFAULT_TABLE_BYTES, Schema, Variable, sample};
use proptest::prelude::*;

fn all_likelihoods(network: &Network, counts: &[Vec<f64>]) -> f64 {
    counts.iter().enumerate().map(|(node, counts)| likelihood(network, node, counts)).sum()
}

/// A random network of few nodes, with a table drawn from it and gaps by chance.
fn gappy(seed: u64, nodes: usize, share: u64) -> (Network, Table, Table) {
    let mut stream = Stream::new(seed, "em");
    let states: Vec<usize> = (0..nodes).map(|_| 2 + stream.below(2) as usize).collect();
    let variable = |v: usize| Variable::new(format!("v{v}"), (0..states[v]).map(|s| format!("s{s}")));
    let schema = Schema::new((0..nodes).map(variable).collect()).unwrap();
    let mut cpts = vec![];
    for v in 0..nodes {
        let parents: Vec<usize> = (0..v).filter(|_| stream.below(3) == 0).collect();
        let rows: usize = parents.iter().map(|&p| states[p]).product();
        let mut values = vec![];
        for _ in 0..rows {
            let row: Vec<f64> = (0..states[v]).map(|_| 0.05 + stream.unit()).collect();
            let sum: f64 = row.iter().sum();
            values.extend(row.iter().map(|p| p / sum));
        }
        cpts.push(Cpt::new(&schema, v, parents, values).unwrap());
    }
    let network = Network::new("random", schema, cpts).unwrap();
    let full = sample(&network, 300, seed);
    let mut column = |v: usize| -> Vec<u8> {
        full.column(v).iter().map(|&code| if stream.below(100) < share { MISSING } else { code }).collect()
    };
    let columns = (0..nodes).map(&mut column).collect();
    let table = Table::new(network.schema().clone(), columns).unwrap();
    (network, full, table)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    /// Expected counts and the likelihood are those of asking every row by variable elimination.
    #[test]
    fn expectations_are_those_of_inference(seed: u64, nodes in 1..7usize, share in 5..80u64) {
        let (network, _, table) = gappy(seed, nodes, share);
        let mut counts = whole_families(&network, &table, None).unwrap();
        let whole = counts.clone();
        let gaps = Gaps::new(&network, &table, 1 << 20).unwrap();
        let found = gaps.expect(&network, &mut counts) + all_likelihoods(&network, &whole);
        let mut infer = Infer::new(network.clone());
        let mut twin: Vec<Vec<f64>> = (0..nodes).map(|v| vec![0.0; network.cpt(v).values().len()]).collect();
        let mut total = 0.0;
        for row in 0..table.rows() {
            let mut evidence = Evidence::new(&network);
            for v in (0..nodes).filter(|&v| table.column(v)[row] != MISSING) {
                evidence.observe(v, table.column(v)[row]).unwrap();
            }
            total += infer.evidence_probability(&evidence).unwrap().ln();
            for (v, counts) in twin.iter_mut().enumerate() {
                let family: Vec<usize> = network.cpt(v).parents().iter().copied().chain([v]).collect();
                let joint = infer.posterior(&family, &evidence).unwrap();
                counts.iter_mut().zip(joint.probabilities).for_each(|(n, p)| *n += p);
            }
        }
        prop_assert!((found - total).abs() < 1e-8 * total.abs().max(1.0), "{} {}", found, total);
        for (one, two) in counts.iter().flatten().zip(twin.iter().flatten()) {
            prop_assert!((one - two).abs() < 1e-8, "{} {}", one, two);
        }
    }

    /// The likelihood of what the rows have never falls without a prior.
    #[test]
    fn every_round_raises_the_likelihood(seed: u64) {
        let (network, _, table) = gappy(seed, 5, 30);
        let dag = network.dag();
        let gaps = Gaps::new(&network, &table, 1 << 20).unwrap();
        let mut at = Network::estimate(dag, &table, Prior::Laplace { alpha: 1.0 }, DEFAULT_TABLE_BYTES).unwrap();
        let whole = whole_families(&at, &table, None).unwrap();
        let mut before = f64::NEG_INFINITY;
        for _ in 0..6 {
            let mut counts = whole.clone();
            let now = gaps.expect(&at, &mut counts) + all_likelihoods(&at, &whole);
            prop_assert!(now >= before - 1e-9, "{} {}", now, before);
            before = now;
            let all: Vec<usize> = (0..at.len()).collect();
            maximise(&mut at, &all, &counts, Prior::Mle, &vec![None; all.len()]).unwrap();
        }
    }
}

/// A child that is missing wherever its parent has one state: counting complete rows sees a lopsided parent, which EM puts right.
#[test]
fn what_is_missing_at_random_is_made_up_for() {
    let schema = Schema::new(["a", "b"].map(|n| Variable::new(n, ["0", "1"])).to_vec()).unwrap();
    let a = Cpt::new(&schema, 0, vec![], vec![0.5, 0.5]).unwrap();
    let b = Cpt::new(&schema, 1, vec![0], vec![0.9, 0.1, 0.2, 0.8]).unwrap();
    let truth = Network::new("two", schema.clone(), vec![a, b]).unwrap();
    let full = sample(&truth, 20_000, 1);
    let mut stream = Stream::new(1, "gaps");
    let gap = |(&a, &b): (&u8, &u8)| if a == 1 && stream.below(10) < 8 { MISSING } else { b };
    let b: Vec<u8> = full.column(0).iter().zip(full.column(1)).map(gap).collect();
    let table = Table::new(schema, vec![full.column(0).to_vec(), b]).unwrap();
    let go = &|| false;
    let turned = Dag::from_arcs(2, [(1, 0)]).unwrap();
    let em = Network::estimate_by_em(&turned, &table, None, Prior::Mle, DEFAULT_TABLE_BYTES, go).unwrap();
    // P(b = 1) = .5 · .1 + .5 · .8; the rows that have b say .27.
    let found = em.network.cpt(1).values()[1];
    assert!((found - 0.45).abs() < 0.015 && em.rounds > 1, "{found} in {} rounds", em.rounds);
    assert!(!em.cut_short);
    let plain = Network::estimate(&turned, &table, Prior::Mle, DEFAULT_TABLE_BYTES).unwrap();
    assert!(plain.cpt(1).values()[1] < 0.3);
    // Weights that are all alike change nothing, whatever they are.
    let alike = vec![1.0; table.rows()];
    let weighed =
        Network::estimate_by_em(&turned, &table, Some(&alike), Prior::Mle, DEFAULT_TABLE_BYTES, go).unwrap();
    let near = |(a, b): (&f64, &f64)| (a - b).abs() < 1e-9;
    assert!(weighed.network.cpt(1).values().iter().zip(em.network.cpt(1).values()).all(near));
}

#[test]
fn draws_follow_what_is_expected() {
    let (network, _, table) = gappy(7, 6, 40);
    let gaps = Gaps::new(&network, &table, 1 << 20).unwrap();
    let mut expected = whole_families(&network, &table, None).unwrap();
    gaps.expect(&network, &mut expected);
    let mut stream = Stream::new(3, "draws");
    let mut drawn: Vec<Vec<f64>> = expected.iter().map(|counts| vec![0.0; counts.len()]).collect();
    let copies = 200;
    for _ in 0..copies {
        let filled = gaps.filled(&network, &table, &mut stream).unwrap();
        assert!(!filled.has_missing());
        for v in 0..network.len() {
            let kept = table.column(v).iter().zip(filled.column(v)).all(|(a, b)| *a == MISSING || a == b);
            assert!(kept);
        }
        let counts = whole_families(&network, &filled, None).unwrap();
        drawn.iter_mut().flatten().zip(counts.iter().flatten()).for_each(|(sum, n)| *sum += n);
    }
    for (one, two) in expected.iter().flatten().zip(drawn.iter().flatten()) {
        let two = two / f64::from(copies);
        assert!((one - two).abs() < 4.0 * (one / f64::from(copies)).sqrt() + 0.3, "{one} {two}");
    }
}

#[test]
fn what_does_not_come_to_rest_says_so() {
    let (network, _, table) = gappy(7, 6, 40);
    let asked = std::cell::Cell::new(0);
    let stop = || asked.replace(asked.get() + 1) >= 2;
    let em =
        Network::estimate_by_em(network.dag(), &table, None, Prior::Mle, DEFAULT_TABLE_BYTES, &stop).unwrap();
    assert!(em.cut_short && em.rounds == 2);
}

#[test]
fn too_many_cells_are_refused_and_no_gaps_need_no_round() {
    let (network, full, table) = gappy(3, 6, 100);
    assert!(matches!(Gaps::new(&network, &table, 16), Err(Error::InferenceLimit { .. })));
    let em = Network::estimate_by_em(network.dag(), &full, None, Prior::Mle, DEFAULT_TABLE_BYTES, &|| false)
        .unwrap();
    assert!(em.rounds == 0 && !em.cut_short);
    assert_eq!(em.network, Network::estimate(network.dag(), &full, Prior::Mle, DEFAULT_TABLE_BYTES).unwrap());
}
