//! Laws that hold across modules: the twins agree, the bookkeeping is true, the machine learns.

use crate::reference::Reference;
use crate::{BitMatrix, Machine, Negatives, Params, Path};
use proptest::prelude::*;

/// A little generator of test data, independent of the machine's own.
pub(crate) struct Lcg(pub(crate) u64);

impl Lcg {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        self.0 >> 33
    }
    pub(crate) fn chance(&mut self, p: f64) -> bool {
        (self.next() as f64) < p * (1u64 << 31) as f64
    }
}

fn random_problem(rows: usize, literals: usize, classes: usize, seed: u64) -> (BitMatrix, Vec<u32>) {
    let mut rng = Lcg(seed);
    let mut x = BitMatrix::new(rows, literals);
    let mut labels = vec![];
    for row in 0..rows {
        let label = rng.next() as usize % classes;
        for literal in 0..literals {
            // Some literals tell the class, most do not.
            let p = if literal % (classes + 2) == label { 0.85 } else { 0.4 };
            if rng.chance(p) {
                x.set(row, literal);
            }
        }
        labels.push(label as u32);
    }
    (x, labels)
}

fn assert_twins(machine: &Machine, reference: &Reference, what: &str) {
    let bank = &machine.bank;
    for (j, clause) in reference.clauses.iter().enumerate() {
        let states: Vec<u8> =
            (0..bank.literals).map(|l| bank.states[j * bank.chunks + l / 64].0[l % 64]).collect();
        assert_eq!(states, clause.states, "states of clause {j}, {what}");
        assert_eq!(bank.pending[j / 64].0[j % 64], clause.pending, "pending of clause {j}, {what}");
        let passed = (clause.pending - bank.since[j]) as u32 * bank.size[j];
        assert_eq!(bank.gap[j] - passed, clause.gap, "gap of clause {j}, {what}");
        for (class, weights) in reference.weights.iter().enumerate() {
            let at = class * bank.words + j / 64;
            assert_eq!(bank.weights[at].0[j % 64], weights[j], "weight {class} {j}, {what}");
            assert_eq!(bank.positive[at] >> (j % 64) & 1 == 1, weights[j] >= 0, "sign {class} {j}, {what}");
        }
        let size = clause.size() as u32;
        assert_eq!(bank.size[j], size, "size of clause {j}, {what}");
        assert_eq!(
            bank.over[j / 64] >> (j % 64) & 1 == 1,
            size > bank.budget,
            "budget of clause {j}, {what}"
        );
        for (l, &state) in clause.states.iter().enumerate() {
            let included = bank.included[j * bank.chunks + l / 64] >> (l % 64) & 1 == 1;
            assert_eq!(included, state >= 128, "included {j} {l}, {what}");
        }
    }
    assert_eq!(bank.lanes, reference.lanes, "lanes, {what}");
    assert_eq!(bank.scalar, reference.scalar, "scalar stream, {what}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, ..ProptestConfig::default() })]

    #[test]
    fn every_path_is_the_reference_bit_for_bit(
        seed in any::<u64>(),
        rows in 1usize..400,
        literals in 1usize..200,
        classes in 2usize..6,
        clauses in 2usize..150,
        threshold in 1u32..80,
        specificity in 1.05f64..20.0,
        budget in prop::option::of(1usize..30),
        boost in any::<bool>(),
        drop_clause in prop::sample::select(vec![0.0, 0.0, 0.3]),
        focused in any::<bool>(),
    ) {
        let negatives = if focused { Negatives::Focused } else { Negatives::Uniform };
        let params = Params { clauses, threshold, specificity, literal_budget: budget, boost, drop_clause, negatives };
        let (x, y) = random_problem(rows, literals, classes, seed);
        let mut reference = Reference::new(literals, classes, &params, seed);
        reference.fit_epoch(&x, &y);
        reference.fit_epoch(&x, &y);
        for path in Path::ALL.into_iter().filter(|p| p.is_available()) {
            let mut machine = Machine::new(literals, classes, &params, seed).unwrap().on_path(path);
            machine.fit(&x, &y, 2).unwrap();
            assert_twins(&machine, &reference, &format!("{path:?}"));
        }
    }
}
