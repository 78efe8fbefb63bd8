//! Against every graph of the class, one by one: each is given the distribution and asked with its own arcs cut.

use super::*;
use crate::infer::Stop;
use crate::random::Stream;
use crate::{Cpt, Dag, Prior, Schema, Variable};

/// A network of `2..=most` binary nodes without zeros.
fn random_network(stream: &mut Stream, most: u64) -> Network {
    let n = 2 + stream.below(most - 1) as usize;
    let schema = Schema::new((0..n).map(|v| Variable::new(format!("n{v}"), ["x", "y"])).collect()).unwrap();
    let density = 0.2 + 0.5 * stream.unit();
    let mut order: Vec<usize> = (0..n).collect();
    (1..n).rev().for_each(|i| order.swap(i, stream.below(i as u64 + 1) as usize));
    let mut cpts = vec![None; n];
    for (i, &v) in order.iter().enumerate() {
        let parents: Vec<usize> = order[..i].iter().copied().filter(|_| stream.unit() < density).collect();
        let row = |_| {
            let p = 0.05 + 0.9 * stream.unit();
            [p, 1.0 - p]
        };
        let values = (0..1usize << parents.len()).flat_map(row).collect();
        cpts[v] = Some(Cpt::new(&schema, v, parents, values).unwrap());
    }
    Network::new("random", schema, cpts.into_iter().map(Option::unwrap).collect()).unwrap()
}

/// All graphs with the adjacencies of the class and its arcs, equivalent to `dag`: every direction of every edge is tried.
fn members(dag: &Dag, class: &Pdag) -> Vec<Dag> {
    let edges: Vec<(usize, usize)> = class.undirected().collect();
    let own = Pdag::complete(dag);
    let member = |choice: usize| {
        let turned =
            edges.iter().enumerate().map(|(i, &(a, b))| if choice >> i & 1 == 1 { (b, a) } else { (a, b) });
        let member = Dag::from_arcs(dag.len(), class.directed().chain(turned)).ok()?;
        (Pdag::complete(&member) == own).then_some(member)
    };
    (0..1 << edges.len()).filter_map(member).collect()
}

/// The network with this graph that has the distribution of another, by asking that for each row.
fn refitted(network: &Arc<Network>, dag: &Dag) -> Network {
    let schema = network.schema();
    let mut infer = Infer::new(network.clone());
    let nothing = Evidence::new(network);
    let cpt = |v: usize| {
        let asked: Vec<usize> = dag.parents(v).iter().copied().chain([v]).collect();
        let joint = infer.posterior(&asked, &nothing).unwrap().probabilities;
        let row = |row: &[f64]| row.iter().map(|p| p / row.iter().sum::<f64>()).collect::<Vec<_>>();
        let values = joint.chunks_exact(2).flat_map(row).collect();
        Cpt::new(schema, v, dag.parents(v).to_vec(), values).unwrap()
    };
    Network::new("member", schema.clone(), (0..dag.len()).map(cpt).collect()).unwrap()
}

#[test]
fn bands_are_those_of_all_graphs_of_the_class() {
    let mut stream = Stream::new(21, "effects");
    let (mut done, mut wide, mut ruled, mut several) = (0, 0, 0, 0);
    while done < 1000 {
        let network = Arc::new(random_network(&mut stream, 8));
        let (n, dag) = (network.len(), network.dag());
        let mut class = Pdag::complete(dag);
        if class.undirected().count() > 8 {
            continue;
        }
        // Every other class is narrowed by rules: some arcs may not be turned.
        if done % 2 == 1 {
            let kept: Vec<(usize, usize)> = dag.arcs().filter(|_| stream.unit() < 0.2).collect();
            let free = class.undirected().count();
            class = class.with_arcs(kept);
            ruled += usize::from(class.undirected().count() < free);
        }
        let mut evidence = Evidence::new(&network);
        let target = stream.below(n as u64) as usize;
        for v in (0..n).filter(|&v| v != target) {
            match stream.below(4) {
                0 => evidence.intervene(v, stream.below(2) as u8).unwrap(),
                1 if stream.below(2) == 0 => evidence.observe(v, stream.below(2) as u8).unwrap(),
                _ => {}
            }
        }
        let set = set_nodes(&evidence);
        if set.is_empty() {
            continue;
        }
        let found = effects(&network, &class, &[target], &evidence, crate::infer::DEFAULT_BYTES).unwrap();
        let members = members(dag, &class);
        assert!(members.contains(dag));
        let mut sets: Vec<Vec<Vec<usize>>> =
            members.iter().map(|m| set.iter().map(|&v| m.parents(v).to_vec()).collect()).collect();
        sets.sort();
        sets.dedup();
        assert!(found.whole && found.members == sets.len(), "{} of {}", found.members, sets.len());
        let (mut low, mut high) = (vec![1.0f64; 2], vec![0.0f64; 2]);
        for member in &members {
            let p =
                Infer::new(refitted(&network, member)).posterior(&[target], &evidence).unwrap().probabilities;
            (0..2).for_each(|s| (low[s], high[s]) = (low[s].min(p[s]), high[s].max(p[s])));
        }
        for s in 0..2 {
            assert!((found.low[0][s] - low[s]).abs() < 1e-9, "{:?} {low:?}", found.low);
            assert!((found.high[0][s] - high[s]).abs() < 1e-9, "{:?} {high:?}", found.high);
        }
        assert_eq!(found.open.is_empty(), high[0] - low[0] <= ROUNDING);
        wide += usize::from(!found.open.is_empty());
        several += usize::from(set.len() > 1);
        done += 1;
    }
    // The test would be idle if hardly a band were wide.
    assert!(wide > 200 && ruled > 100 && several > 300, "{wide} {ruled} {several}");
}

#[test]
fn a_chain_gives_two_answers_and_a_collider_one() {
    let text = b"variable A { type discrete [ 2 ] { x, y }; } variable B { type discrete [ 2 ] { x, y }; }
        probability ( A ) { table 0.25, 0.75; } probability ( B | A ) { (x) 0.9, 0.1; (y) 0.5, 0.5; }";
    let network = Arc::new(crate::io::bif::read(text, &crate::io::Limits::default()).unwrap());
    let class = Pdag::complete(network.dag());
    let mut evidence = Evidence::new(&network);
    evidence.intervene(0, 0).unwrap();
    let ask = |class: &Pdag| effects(&network, class, &[1], &evidence, 1 << 20).unwrap();
    let found = ask(&class);
    // A causes B: P(B | A = x). B causes A: P(B).
    assert!((found.low[0][0] - 0.6).abs() < 1e-12 && (found.high[0][0] - 0.9).abs() < 1e-12);
    assert_eq!((found.members, found.open.as_slice()), (2, &[(0, 1)][..]));
    let ruled = ask(&class.with_arcs([(0, 1)]));
    assert_eq!((ruled.low, ruled.members, ruled.open), (vec![vec![0.9, 0.1]], 1, vec![]));
}

/// B is always a copy of A: were B the cause, nobody ever saw A = x beside B = y.
#[test]
fn what_the_distribution_does_not_tell_may_be_anything() {
    let text = b"variable A { type discrete [ 2 ] { x, y }; } variable B { type discrete [ 2 ] { x, y }; }
        variable C { type discrete [ 2 ] { x, y }; }
        probability ( A ) { table 0.25, 0.75; } probability ( B | A ) { (x) 1, 0; (y) 0, 1; }
        probability ( C | A ) { (x) 0.9, 0.1; (y) 0.5, 0.5; }";
    let network = Arc::new(crate::io::bif::read(text, &crate::io::Limits::default()).unwrap());
    let mut evidence = Evidence::new(&network);
    evidence.intervene(0, 0).unwrap();
    let found = effects(&network, &Pdag::complete(network.dag()), &[2, 1], &evidence, 1 << 20).unwrap();
    // With B -> A: in three of four cases B = y, and C under A = x there is not told.
    assert!((found.low[0][0] - 0.225).abs() < 1e-12, "{found:?}");
    assert!((found.high[0][0] - 0.975).abs() < 1e-12, "{found:?}");
    assert!((found.low[1][0] - 0.25).abs() < 1e-12 && found.high[1][0] == 1.0, "{found:?}");
}

#[test]
fn a_bound_is_told() {
    // A clique of four: each node has eight sets of parents.
    let clique = Dag::from_arcs(4, [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]).unwrap();
    let class = Pdag::complete(&clique);
    assert_eq!(class.parent_sets(&[1], 100).sets.len(), 8);
    assert!(class.parent_sets(&[1], 8).whole);
    let few = class.parent_sets(&[1], 7);
    assert!(!few.whole && few.sets.len() == 7);
    // All of a clique: as many as orders.
    assert_eq!(class.parent_sets(&[0, 1, 2, 3], 100).sets.len(), 24);
}

/// The truth of `do(set = 0)` on a target, and the bands of a fitted network and over tables drawn again.
fn bands_of(
    truth: &Arc<Network>,
    again: &Replicates,
    fitted: &Arc<Network>,
    set: usize,
    target: usize,
) -> [f64; 5] {
    let mut evidence = Evidence::new(truth);
    evidence.intervene(set, 0).unwrap();
    let p = Infer::new(truth.clone()).posterior(&[target], &evidence).unwrap().probabilities[0];
    let own = effects(fitted, &Pdag::complete(fitted.dag()), &[target], &evidence, 1 << 30).unwrap();
    let spread = again.effects(truth.schema(), &[target], &evidence, &own, 1 << 30, None).unwrap().unwrap();
    assert!(spread.low[0][0] <= own.low[0][0] && own.high[0][0] <= spread.high[0][0]);
    assert!(spread.draws >= DRAWS);
    let called_off = Stop::when(|| true);
    let ended = again.effects(truth.schema(), &[target], &evidence, &own, 1 << 30, Some(&called_off));
    assert_eq!(ended, Err(Error::Stopped));
    [p, own.low[0][0], own.high[0][0], spread.low[0][0], spread.high[0][0]]
}

#[test]
fn tables_drawn_again_hold_the_truth_that_a_fitted_one_misses() {
    let mut stream = Stream::new(5, "replicates");
    let (mut pairs, mut alone, mut held) = (0, 0, 0);
    for seed in 0..30 {
        let truth = Arc::new(random_network(&mut stream, 5));
        let rows = crate::sample(&truth, 1000, seed);
        let fitted = Arc::new(Network::estimate(truth.dag(), &rows, Prior::default(), 1 << 30).unwrap());
        let graphs = [truth.dag().clone()];
        let again = Replicates::count(&graphs, &rows, None, vec![], Prior::default(), seed, 1 << 30)
            .unwrap()
            .unwrap();
        for (set, target) in (0..truth.len()).flat_map(|a| (0..truth.len()).map(move |b| (a, b))) {
            if set != target {
                let [p, low, high, least, most] = bands_of(&truth, &again, &fitted, set, target);
                pairs += 1;
                alone += usize::from(low <= p && p <= high);
                held += usize::from(least <= p && p <= most);
            }
        }
    }
    assert!(pairs > 200 && held * 100 >= pairs * 90, "{held} of {pairs}");
    assert!(alone * 2 < pairs, "{alone} of {pairs}: then the second band would not be needed");
}

#[test]
fn replicates_know_their_rules_and_what_they_cannot_hold() {
    let truth = Arc::new(random_network(&mut Stream::new(1, "rules"), 5));
    let rows = crate::sample(&truth, 500, 1);
    let schema = truth.schema();
    // n0 – n1, which nothing but a rule directs.
    let dag = Dag::from_arcs(truth.len(), [(0, 1)]).unwrap();
    let count = |forced, limit| {
        Replicates::count(std::slice::from_ref(&dag), &rows, None, forced, Prior::Bdeu { ess: 1.0 }, 1, limit)
            .unwrap()
    };
    let fitted = Arc::new(Network::estimate(&dag, &rows, Prior::default(), 1 << 30).unwrap());
    let mut evidence = Evidence::new(&truth);
    evidence.intervene(1, 0).unwrap();
    let width = |forced: Vec<(usize, usize)>| {
        let class = Pdag::complete(&dag).with_arcs(forced.iter().copied());
        let own = effects(&fitted, &class, &[0], &evidence, 1 << 30).unwrap();
        let spread = count(forced, 1 << 30).unwrap().effects(schema, &[0], &evidence, &own, 1 << 30, None);
        let spread = spread.unwrap().unwrap();
        (spread.high[0][0] - spread.low[0][0], own.high[0][0] - own.low[0][0])
    };
    let ((free, open), (ruled, none)) = (width(vec![]), width(vec![(0, 1)]));
    assert!(none == 0.0 && open > 0.0 && ruled < free, "{ruled} {free} {open}");
    assert!(count(vec![], 8).is_none());
}
