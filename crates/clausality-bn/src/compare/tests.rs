//! Comparisons worked by hand, and laws.

use super::*;
use proptest::prelude::*;

fn dag(nodes: usize, arcs: &[(usize, usize)]) -> Dag {
    Dag::from_arcs(nodes, arcs.iter().copied()).unwrap()
}

const NAMES: [&str; 8] = ["A", "B", "C", "D", "E", "F", "G", "H"];

fn compare(truth: &Dag, learned: &Dag) -> Comparison {
    let named = |dag| Named::new(&NAMES[..Dag::len(dag)], dag).unwrap();
    Comparison::of(named(truth), named(learned))
}

#[test]
fn kernels_by_hand() {
    let chain = dag(3, &[(0, 1), (1, 2)]);
    let collider = dag(3, &[(0, 1), (2, 1)]);
    let found = compare(&chain, &collider);
    assert_eq!(found.kernel, 9.0 / 16.0);
    assert!((found.walk_kernel - 1.0 / 5f64.sqrt()).abs() < 1e-15);

    let found = compare(&chain, &Dag::new(3));
    assert_eq!((found.kernel, found.walk_kernel), (0.0, 0.0));

    let diamond = dag(4, &[(0, 1), (0, 2), (1, 3), (2, 3)]);
    let less = dag(4, &[(0, 1), (0, 2), (1, 3)]);
    let found = compare(&diamond, &less);
    assert_eq!(found.kernel, 0.75);
    assert!((found.walk_kernel - 3.5 / 17.5f64.sqrt()).abs() < 1e-15);
}

#[test]
fn unshared_arcs_by_hand() {
    let (truth, learned) = (dag(4, &[(0, 1), (1, 2), (2, 3)]), dag(4, &[(0, 1), (2, 1), (0, 3)]));
    let named = |dag| Named::new(&NAMES[..4], dag).unwrap();
    let found = Differences::between(named(&truth), named(&learned));
    let one = |parent: &str, child: &str| vec![Arc { parent: parent.into(), child: child.into() }];
    assert_eq!(found, Differences { missing: one("C", "D"), extra: one("A", "D"), turned: one("C", "B") });
}

#[test]
fn graphs_without_arcs() {
    let found = compare(&Dag::new(3), &Dag::new(3));
    assert_eq!((found.kernel, found.walk_kernel, found.shd, found.sid), (1.0, 1.0, 0, 0));
    assert_eq!(found.skeleton, Rates { precision: 0.0, recall: 0.0, f1: 0.0 });
    let found = compare(&Dag::new(3), &Dag::new(2));
    assert_eq!((found.kernel, found.walk_kernel), (0.0, 0.0));
    assert_eq!(found.only_in_truth, ["C"]);
}

#[test]
fn counts_by_hand() {
    // One missing, one extra, one turned.
    let truth = dag(4, &[(0, 1), (1, 2), (2, 3)]);
    let learned = dag(4, &[(1, 0), (1, 2), (0, 3)]);
    let found = compare(&truth, &learned);
    assert_eq!(found.shd, 3);
    assert_eq!(found.skeleton.precision, 2.0 / 3.0);
    assert_eq!(found.directed.recall, 1.0 / 3.0);
    assert_eq!((found.true_arcs, found.learned_arcs), (3, 3));
    // Both are chains: only the adjacencies differ.
    assert_eq!(found.cpdag_shd, 2);
    assert_eq!(compare(&truth, &dag(4, &[(1, 0), (2, 1), (3, 2)])).cpdag_shd, 0);
}

#[test]
fn a_node_of_one_graph_only_counts_against_it() {
    // A → B in both; the learned graph also knows an isolated C: s(A) = s(B) = 1, s(C) = 0.
    let found = compare(&dag(2, &[(0, 1)]), &dag(3, &[(0, 1)]));
    assert_eq!(found.kernel, 0.5 * (2.0 / 3.0 + 1.0));
    assert_eq!((found.shd, found.walk_kernel), (0, 1.0));
    assert_eq!(found.only_in_learned, ["C"]);
    // With an arc B → C: s₀ is 1, 1/2, 0, so s is 3/4, (1/2 + 1/2)/2, 1/4; one of two adjacencies is shared.
    let found = compare(&dag(2, &[(0, 1)]), &dag(3, &[(0, 1), (1, 2)]));
    assert_eq!(found.kernel, 0.5 * ((0.75 + 0.5 + 0.25) / 3.0 + 0.5));
}

#[test]
fn names_must_name_every_node_once() {
    let two = Dag::new(2);
    assert!(matches!(Named::new(&["a"], &two), Err(Error::ColumnCount { .. })));
    assert!(matches!(Named::new(&["a", "a"], &two), Err(Error::DuplicateVariable(_))));
}

#[test]
fn json_has_the_agreed_keys() {
    let found = compare(&dag(3, &[(0, 1), (1, 2)]), &dag(3, &[(0, 1)]));
    let json = serde_json::to_value(&found).unwrap();
    for key in ["kernel", "walk_kernel", "skeleton", "directed", "shd", "cpdag_shd", "sid"] {
        assert!(json.get(key).is_some(), "{key}");
    }
    for key in ["precision", "recall", "f1"] {
        assert!(json["skeleton"][key].is_f64() && json["directed"][key].is_f64(), "{key}");
    }
    assert_eq!(json["shd"], 1);
}

fn any_dag(nodes: usize) -> impl Strategy<Value = Dag> {
    prop::collection::vec((0..nodes, 0..nodes), 0..3 * nodes).prop_map(move |arcs| {
        let mut dag = Dag::new(nodes);
        for (p, c) in arcs {
            let _ = dag.try_add(p, c);
        }
        dag
    })
}

proptest! {
    #[test]
    fn every_figure_is_in_its_range(truth in any_dag(8), learned in any_dag(8)) {
        let c = compare(&truth, &learned);
        let rates = [c.skeleton.precision, c.skeleton.recall, c.skeleton.f1, c.directed.precision, c.directed.recall, c.directed.f1];
        for figure in rates.into_iter().chain([c.kernel, c.walk_kernel]) {
            prop_assert!((0.0..=1.0).contains(&figure), "{:?}", c);
        }
        prop_assert!(c.directed.f1 <= c.skeleton.f1);
        prop_assert!(c.shd <= 28 && c.cpdag_shd <= 28 && c.sid <= 56);
    }

    #[test]
    fn a_graph_is_like_itself(dag in any_dag(8)) {
        let c = compare(&dag, &dag);
        prop_assert_eq!((c.kernel, c.shd, c.cpdag_shd, c.sid), (1.0, 0, 0, 0));
        prop_assert!((c.walk_kernel - 1.0).abs() < 1e-12);
    }

    /// The kernels and the distances do not ask which graph is the true one (SID does), nor how nodes are numbered.
    #[test]
    fn symmetric_and_blind_to_numbering(truth in any_dag(8), learned in any_dag(8)) {
        let one = compare(&truth, &learned);
        let two = compare(&learned, &truth);
        prop_assert!((one.kernel - two.kernel).abs() < 1e-12 && (one.walk_kernel - two.walk_kernel).abs() < 1e-12);
        prop_assert_eq!((one.shd, one.cpdag_shd), (two.shd, two.cpdag_shd));
        prop_assert_eq!(one.skeleton.precision, two.skeleton.recall);
        let turned = Dag::from_arcs(8, learned.arcs().map(|(p, c)| (7 - p, 7 - c))).unwrap();
        let names: Vec<&str> = NAMES.iter().rev().copied().collect();
        let three = Comparison::of(Named::new(&NAMES, &truth).unwrap(), Named::new(&names, &turned).unwrap());
        prop_assert_eq!(one, three);
    }
}
