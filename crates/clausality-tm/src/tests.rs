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
        let passed = (clause.pending - bank.since[j]) as u32 * bank.members[j].len() as u32;
        assert_eq!(bank.gap[j] - passed, clause.gap, "gap of clause {j}, {what}");
        for (class, weights) in reference.weights.iter().enumerate() {
            let at = class * bank.words + j / 64;
            assert_eq!(bank.weights[at].0[j % 64], weights[j], "weight {class} {j}, {what}");
            assert_eq!(bank.positive[at] >> (j % 64) & 1 == 1, weights[j] >= 0, "sign {class} {j}, {what}");
        }
        let included: Vec<u32> =
            (0..bank.literals as u32).filter(|&l| clause.states[l as usize] >= 128).collect();
        assert_eq!(bank.included(j).collect::<Vec<_>>(), included, "literals of clause {j}, {what}");
        if let Some(pruning) = &bank.pruning {
            let cell = |l: usize| j * bank.chunks + l / 64;
            let need: Vec<u8> = (0..bank.literals).map(|l| pruning.need[cell(l)].0[l % 64]).collect();
            let flag: Vec<bool> =
                (0..bank.literals).map(|l| pruning.flag[cell(l)] >> (l % 64) & 1 == 1).collect();
            assert_eq!(
                (need, flag),
                (clause.need.clone(), clause.flag.clone()),
                "need of clause {j}, {what}"
            );
        }
        let size = included.len() as u32;
        assert_eq!(bank.size[j], size, "size of clause {j}, {what}");
        assert_eq!(
            bank.over[j / 64] >> (j % 64) & 1 == 1,
            size > bank.budget,
            "budget of clause {j}, {what}"
        );
    }
    assert_eq!(bank.lanes, reference.lanes, "lanes, {what}");
    assert_eq!(bank.scalar, reference.scalar, "scalar stream, {what}");
}

/// Trains the reference and every path on the same problem and compares all of their state.
fn train_twins(rows: usize, literals: usize, classes: usize, params: &Params, seed: u64) {
    let (x, y) = random_problem(rows, literals, classes, seed);
    let mut reference = Reference::new(literals, classes, params, seed);
    reference.fit_epoch(&x, &y);
    reference.fit_epoch(&x, &y);
    for path in Path::ALL.into_iter().filter(|p| p.is_available()) {
        let mut machine = Machine::new(literals, classes, params, seed).unwrap().on_path(path);
        machine.fit(&x, &y, 2).unwrap();
        assert_twins(&machine, &reference, &format!("{literals} literals, {path:?}"));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, ..ProptestConfig::default() })]

    #[test]
    fn every_path_is_the_reference_bit_for_bit(
        seed in any::<u64>(),
        rows in 1usize..400,
        literals in 1usize..=700,
        classes in 2usize..6,
        clauses in 2usize..150,
        threshold in 1u32..80,
        specificity in 1.05f64..20.0,
        budget in prop::option::of(1usize..30),
        boost in any::<bool>(),
        drop_clause in prop::sample::select(vec![0.0, 0.0, 0.3]),
        focused in any::<bool>(),
        type_iii in prop::option::of(1.5f64..300.0),
    ) {
        let negatives = if focused { Negatives::Focused } else { Negatives::Uniform };
        let params = Params { clauses, threshold, specificity, literal_budget: budget, boost, drop_clause, negatives, type_iii };
        train_twins(rows, literals, classes, &params, seed);
    }
}

/// A word of literals is 64 and a register holds up to 512 of their bits: where one of them is just not full, just full or just
/// begun, a path has its tails.
#[test]
fn twins_agree_around_every_edge_of_words_and_registers() {
    let params = Params { clauses: 20, threshold: 15, specificity: 4.0, ..Params::default() };
    let edges = (1..=700 / 64).flat_map(|word| [64 * word - 1, 64 * word, 64 * word + 1]);
    for (seed, literals) in (0..).zip([1, 2, 699, 700].into_iter().chain(edges)) {
        train_twins(120, literals, 3, &params, seed);
    }
}

/// Counters begin at 255 and walk slowly: it takes many samples until the first literal is cut.
#[test]
fn twins_agree_when_literals_are_cut() {
    for (seed, literals, d) in [(1, 12, 1.2), (2, 65, 1.5)] {
        let params = Params {
            clauses: 20,
            threshold: 15,
            specificity: 3.0,
            literal_budget: Some(1),
            type_iii: Some(d),
            ..Params::default()
        };
        train_twins(8000, literals, 2, &params, seed);
        let (x, y) = random_problem(8000, literals, 2, seed);
        let mut machine = Machine::new(literals, 2, &params, seed).unwrap();
        machine.fit(&x, &y, 2).unwrap();
        let needless = machine.bank.pruning.iter().flat_map(|p| &p.need).flat_map(|line| line.0);
        let needless = needless.filter(|&q| q < 128).count();
        assert!(needless > 10, "{needless} cut of {literals} literals");
    }
}

/// The machine as method and textbook have it: Type Ib at once, every draw a plain Bernoulli trial.
struct Textbook {
    states: Vec<Vec<u8>>,
    weights: Vec<Vec<i32>>,
    /// q and b of Type III.
    need: Vec<Vec<(u8, bool)>>,
    params: Params,
    rng: Lcg,
}

impl Textbook {
    fn new(literals: usize, classes: usize, params: &Params, seed: u64) -> Self {
        let mut rng = Lcg(seed);
        let mut sign = |_| if rng.chance(0.5) { 1 } else { -1 };
        let weights = (0..classes).map(|_| (0..params.clauses).map(&mut sign).collect()).collect();
        let need = vec![vec![(255, false); literals]; params.clauses];
        Textbook {
            states: vec![vec![127; literals]; params.clauses],
            weights,
            need,
            params: params.clone(),
            rng,
        }
    }

    fn is_true(&self, j: usize, row: &[bool]) -> bool {
        self.states[j].iter().zip(row).all(|(&s, &x)| s < 128 || x)
    }

    fn fit_epoch(&mut self, x: &BitMatrix, labels: &[u32]) {
        for (row, &label) in labels.iter().enumerate() {
            let bits: Vec<bool> = (0..x.literals()).map(|l| x.is_set(row, l)).collect();
            let label = label as usize;
            let other = self.rng.next() as usize % (self.weights.len() - 1);
            let other = other + (other >= label) as usize;
            let votes = [self.votes(&bits, label), self.votes(&bits, other)];
            let pruned = self.params.type_iii.map(|_| self.rng.chance(0.5));
            for (class, v, target) in [(label, votes[0], true), (other, votes[1], false)] {
                self.update(&bits, class, v, target);
                if pruned == Some(target) {
                    self.prune(&bits, class, v, target);
                }
            }
        }
    }

    fn votes(&self, row: &[bool], class: usize) -> i32 {
        let t = self.params.threshold as i32;
        let voting = (0..self.states.len()).filter(|&j| self.is_true(j, row));
        voting.map(|j| self.weights[class][j]).sum::<i32>().clamp(-t, t)
    }

    fn update(&mut self, row: &[bool], class: usize, v: i32, target: bool) {
        let t = self.params.threshold as i32;
        let outputs: Vec<bool> = (0..self.states.len()).map(|j| self.is_true(j, row)).collect();
        let p = (if target { t - v } else { t + v }) as f64 / (2 * t) as f64;
        let (s, budget) = (self.params.specificity, self.params.literal_budget.unwrap_or(usize::MAX));
        for (j, &output) in outputs.iter().enumerate() {
            if !self.rng.chance(p) {
                continue;
            }
            let agrees = (self.weights[class][j] >= 0) == target;
            if output {
                self.weights[class][j] += if target { 1 } else { -1 };
            }
            let size = self.states[j].iter().filter(|&&s| s >= 128).count();
            for (state, &x) in self.states[j].iter_mut().zip(row) {
                match (agrees, output) {
                    (true, true) if size <= budget && x => *state = state.saturating_add(1),
                    (true, _) => *state = state.saturating_sub(self.rng.chance(1.0 / s) as u8),
                    (false, true) if !x => *state = state.saturating_add(1),
                    _ => {}
                }
            }
        }
    }

    /// Type III, line by line as `kernel/prune.rs` states it.
    fn prune(&mut self, row: &[bool], class: usize, v: i32, target: bool) {
        let t = self.params.threshold as i32;
        let p = (if target { t - v } else { t + v }) as f64 / (2 * t) as f64;
        let d = self.params.type_iii.unwrap();
        for j in 0..self.states.len() {
            let agrees = (self.weights[class][j] >= 0) == target;
            let wrong: Vec<usize> = (0..row.len()).filter(|&l| self.states[j][l] >= 128 && !row[l]).collect();
            if wrong.is_empty() {
                let believed = agrees && self.rng.chance(1.0 - 1.0 / d);
                for ((q, b), &x) in self.need[j].iter_mut().zip(row) {
                    if x && *b && believed {
                        *q = q.saturating_add(1);
                    } else if x && !*b {
                        *q = q.saturating_sub(1);
                    }
                    *b = if *b { !agrees } else { true };
                }
            } else if let [l] = wrong[..] {
                let b = &mut self.need[j][l].1;
                *b = if *b { !agrees } else { true };
            }
            if self.rng.chance(p) {
                for (state, (q, _)) in self.states[j].iter_mut().zip(&self.need[j]) {
                    *state = state.saturating_sub((*q < 128) as u8);
                }
            }
        }
    }

    fn mean_length(&self) -> f64 {
        let included = self.states.iter().flatten().filter(|&&s| s >= 128).count();
        included as f64 / self.states.len() as f64
    }

    fn mean_state(&self) -> f64 {
        let total: u64 = self.states.iter().flatten().map(|&s| s as u64).sum();
        total as f64 / (self.states.len() * self.states[0].len()) as f64
    }
}

/// Mean and standard error.
fn mean(values: &[f64]) -> (f64, f64) {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let variance = values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / (n - 1.0);
    (mean, (variance / n).sqrt())
}

/// Deferring Type Ib and dithering bytes changes the draws, not the distribution of what is learned.
#[test]
fn learns_what_the_textbook_machine_learns() {
    for (threshold, specificity, budget, type_iii, epochs) in [
        (15, 3.9, None, None, 3),
        (10, 9.8, Some(7), None, 3),
        (100, 3.0, Some(3), None, 3),
        (40, 5.0, Some(3), Some(20.0), 3),
        // Long enough for literals to be cut.
        (15, 3.0, Some(1), Some(1.2), 15),
    ] {
        let params = Params {
            clauses: 30,
            threshold,
            specificity,
            literal_budget: budget,
            type_iii,
            ..Params::default()
        };
        let (mut lengths, mut states) = ([vec![], vec![]], [vec![], vec![]]);
        for seed in 0..60 {
            let (x, y) = random_problem(400, 40, 3, seed + 1);
            let mut textbook = Textbook::new(40, 3, &params, seed + 1000);
            let mut machine = Machine::new(40, 3, &params, seed).unwrap();
            for _ in 0..epochs {
                textbook.fit_epoch(&x, &y);
                machine.fit_epoch(&x, &y).unwrap();
            }
            lengths[0].push(textbook.mean_length());
            lengths[1].push(machine.clauses().mean_length());
            states[0].push(textbook.mean_state());
            states[1].push(mean_settled_state(&machine));
        }
        for (what, [a, b]) in [("length", &lengths), ("state", &states)] {
            let ((a, ea), (b, eb)) = (mean(a), mean(b));
            let spread = (ea * ea + eb * eb).sqrt();
            assert!(
                (a - b).abs() < 4.0 * spread + 0.01,
                "{what}: textbook {a} ± {ea}, ours {b} ± {eb}, s {specificity}"
            );
        }
    }
}

/// The mean state after what is pending has been subtracted (its expectation, floored at zero: good to well under one).
fn mean_settled_state(machine: &Machine) -> f64 {
    let bank = &machine.bank;
    let mut total = 0.0;
    for j in 0..bank.clauses {
        let lost = bank.pending[j / 64].0[j % 64] as f64 * bank.forget as f64 / 65536.0;
        for l in 0..bank.literals {
            let state = bank.states[j * bank.chunks + l / 64].0[l % 64];
            total += if state < 128 { (state as f64 - lost).max(0.0) } else { state as f64 };
        }
    }
    total / (bank.clauses * bank.literals) as f64
}

/// The label is the parity of the first bits, wrong in a tenth of the rows, among twenty bits that mean nothing.
fn noisy_parity(rows: usize, relevant: usize, noise: f64, seed: u64) -> (BitMatrix, Vec<u32>) {
    let mut rng = Lcg(seed);
    let features = relevant + 20;
    let bits: Vec<bool> = (0..rows * features).map(|_| rng.chance(0.5)).collect();
    let labels = (0..rows)
        .map(|r| {
            let parity = bits[r * features..r * features + relevant].iter().fold(false, |p, b| p ^ b);
            (parity ^ rng.chance(noise)) as u32
        })
        .collect();
    (BitMatrix::with_negations(rows, features, |r, f| bits[r * features + f]), labels)
}

#[test]
fn learns_noisy_parity_of_two_and_three_bits_among_twenty_distractors() {
    for (relevant, epochs) in [(2, 20), (3, 40)] {
        let mut accuracies = vec![];
        for seed in 1..=5 {
            let (x, y) = noisy_parity(5000, relevant, 0.1, seed);
            let (test, truth) = noisy_parity(2000, relevant, 0.0, seed + 100);
            let budget = Some(relevant + 1);
            let params = Params {
                clauses: 100,
                threshold: 50,
                specificity: 5.0,
                literal_budget: budget,
                ..Params::default()
            };
            let mut machine = Machine::new(x.literals(), 2, &params, seed).unwrap();
            machine.fit(&x, &y, epochs).unwrap();
            let guess = machine.clauses().predict(&test).unwrap();
            let right = guess.iter().zip(&truth).filter(|(a, b)| a == b).count();
            accuracies.push(right as f64 / 2000.0);
        }
        let (accuracy, _) = mean(&accuracies);
        assert!(accuracy > 0.9, "parity of {relevant}: {accuracies:?}");
    }
}

/// Rows that are all alike are memorised whole, unless a budget stops Type Ia: over it, a clause only forgets.
#[test]
fn respects_the_literal_budget() {
    let rows = BitMatrix::with_negations(200, 30, |_, f| f % 3 == 0);
    let labels = vec![0; 200];
    let length = |literal_budget| {
        let params =
            Params { clauses: 40, threshold: 500, specificity: 8.0, literal_budget, ..Params::default() };
        let mut machine = Machine::new(60, 2, &params, 9).unwrap();
        machine.fit(&rows, &labels, 3).unwrap();
        machine.clauses().mean_length()
    };
    let (free, tight) = (length(None), length(Some(4)));
    assert!(free > 14.0 && tight < 10.0, "free {free}, tight {tight}");
}

#[test]
fn states_saturate_at_both_ends() {
    // Labels that nothing explains: feedback never ceases, and states run to the ends.
    let rows = BitMatrix::with_negations(64, 4, |r, f| f == 0 || r % 7 == f);
    let labels: Vec<u32> = (0..64).map(|r| (r * r / 5 % 2) as u32).collect();
    let params = Params { clauses: 10, threshold: 200, specificity: 1.5, ..Params::default() };
    let mut machine = Machine::new(8, 2, &params, 1).unwrap();
    machine.fit(&rows, &labels, 1500).unwrap();
    let states: Vec<u8> = machine.bank.states.iter().flat_map(|line| line.0[..8].to_vec()).collect();
    assert!(states.contains(&0) && states.contains(&255), "{states:?}");
}

/// What is planned is enough, and not much more than that.
#[test]
fn a_machine_takes_what_was_planned() {
    for (literals, classes, clauses, type_iii) in [
        (10, 2, 20, None),
        (200, 5, 300, None),
        (1000, 2, 1000, None),
        (64, 30, 2000, None),
        (700, 2, 500, Some(200.0)),
    ] {
        let (rows, labels) = random_problem(300, literals, classes, 7);
        let params =
            Params { clauses, threshold: 50, literal_budget: Some(20), type_iii, ..Params::default() };
        let mut machine = Machine::new(literals, classes, &params, 1).unwrap();
        machine.fit(&rows, &labels, 3).unwrap();
        let learned = machine.clauses();
        let weights = 4 * classes * clauses;
        let listed: usize = (0..clauses).map(|j| 24 + 4 * learned.literals(j).len()).sum();
        let taken = (machine.bank.bytes() + weights + listed) as u64;
        let planned = Machine::planned_bytes(literals, classes, clauses, type_iii.is_some());
        assert!(taken <= planned && planned <= 3 * taken + (1 << 16), "{literals}: {taken} of {planned}");
    }
    assert_eq!(Machine::planned_bytes(usize::MAX, usize::MAX, 1 << 62, true), u64::MAX);
}

#[test]
fn wrong_data_is_refused() {
    use crate::Error;
    let mut machine = Machine::new(4, 2, &Params::default(), 1).unwrap();
    let rows = BitMatrix::new(2, 4);
    assert_eq!(machine.fit_epoch(&rows, &[0]), Err(Error::Labels { labels: 1, rows: 2 }));
    assert_eq!(machine.fit_epoch(&rows, &[0, 2]), Err(Error::Label { row: 1, label: 2, classes: 2 }));
    let other = BitMatrix::new(2, 5);
    assert_eq!(machine.fit_epoch(&other, &[0, 0]), Err(Error::Literals { found: 5, expected: 4 }));
    assert!(Machine::new(4, 1, &Params::default(), 1).is_err());
    assert!(Machine::new(0, 2, &Params::default(), 1).is_err());
    assert!(matches!(Machine::new(usize::MAX / 2, 2, &Params::default(), 1), Err(Error::TooLarge { .. })));
    assert_eq!(machine.fit_epoch(&BitMatrix::new(0, 4), &[]), Ok(()));
}

/// The one test that chooses for the whole process: others pass whatever is chosen, as every path gives the same bits.
#[test]
fn a_path_is_chosen_by_its_name() {
    let path = || Machine::new(3, 2, &Params::default(), 1).unwrap().path();
    assert_eq!(path(), Path::best());
    for name in Path::available() {
        Path::choose(name).unwrap();
        assert_eq!(path().word(), name);
    }
    let kept = path();
    let missing = Path::ALL.into_iter().filter(|path| !path.is_available()).map(Path::word);
    for name in missing.chain(["", "AVX2", "neon"]) {
        let error = Path::choose(name).unwrap_err().to_string();
        assert!(error.contains(&format!("'{name}'")) && error.contains("it has portable"), "{error}");
        assert_eq!(path(), kept);
    }
}
