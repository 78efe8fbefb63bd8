//! An epoch of training, and prediction, by the shape of the machine: literals × clauses × classes.
//!
//! The rows are made in code and outside the loop; every measured epoch starts from the same machine, already trained for
//! a few epochs, since the first ones, with long clauses, are no measure of the rest. Time is per epoch, throughput per row.

use clausality_tm::{BitMatrix, Machine, Params, Path};
use criterion::{BatchSize, BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use std::hint::black_box;

/// Epochs before the first measured one.
const WARM_UP: usize = 5;

struct Shape {
    /// Variables of `states` one-hot bits each.
    variables: usize,
    states: usize,
    classes: usize,
    rows: usize,
    params: Params,
}

impl Shape {
    fn new(variables: usize, states: usize, classes: usize, rows: usize, clauses: usize) -> Self {
        let params = Params { clauses, ..Params::default() };
        Shape { variables, states, classes, rows, params }
    }

    fn with(mut self, threshold: u32, specificity: f64, budget: Option<usize>) -> Self {
        self.params = Params {
            threshold,
            specificity,
            literal_budget: budget,
            clauses: self.params.clauses,
            ..self.params
        };
        self
    }

    fn literals(&self) -> usize {
        2 * self.variables * self.states
    }

    fn id(&self) -> String {
        format!("{}x{}x{}", self.literals(), self.params.clauses, self.classes)
    }

    /// A chain of variables, each mostly the state of the one before; the class is read off three of them, with noise.
    fn data(&self) -> (BitMatrix, Vec<u32>) {
        let mut draws = Draws(0x5eed);
        let mut labels = Vec::with_capacity(self.rows);
        let mut codes = vec![0; self.rows * self.variables];
        for row in codes.chunks_exact_mut(self.variables) {
            let mut state = draws.below(self.states);
            for code in row.iter_mut() {
                if draws.below(4) == 0 {
                    state = draws.below(self.states);
                }
                *code = state;
            }
            let noisy = draws.below(10) == 0;
            let rule = row[0] + 2 * row[self.variables / 2] + row[self.variables - 1];
            labels.push((if noisy { draws.below(self.classes) } else { rule % self.classes }) as u32);
        }
        let is_true =
            |r: usize, bit: usize| codes[r * self.variables + bit / self.states] == bit % self.states;
        (BitMatrix::with_negations(self.rows, self.variables * self.states, is_true), labels)
    }
}

/// SplitMix64: the rows are the same in every run.
struct Draws(u64);

impl Draws {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        let uniform = (z ^ z >> 31) as u128;
        ((uniform * bound as u128) >> 64) as usize
    }
}

/// The shapes of the problems in `benches/machine`: A, B, digits and (fewer rows) wide; and a small machine as the strengths use.
fn shapes() -> Vec<Shape> {
    vec![
        Shape::new(43, 2, 3, 4000, 144).with(10, 9.8, Some(55)),
        Shape::new(43, 2, 3, 4000, 109).with(30, 6.7, Some(7)),
        Shape::new(27, 3, 4, 1500, 60).with(100, 3.0, Some(3)),
        Shape::new(64, 12, 10, 1437, 500).with(50, 10.0, None),
        Shape::new(423, 11, 11, 256, 1000).with(100, 10.0, None),
    ]
}

fn trained(shape: &Shape, rows: &BitMatrix, labels: &[u32]) -> Machine {
    let mut machine =
        Machine::new(shape.literals(), shape.classes, &shape.params, 1).expect("the shapes are legal");
    machine.fit(rows, labels, WARM_UP).expect("rows and labels fit the machine");
    machine
}

fn fit(c: &mut Criterion) {
    let mut group = c.benchmark_group("fit");
    group.sample_size(20);
    for shape in shapes() {
        let (rows, labels) = shape.data();
        let warm = trained(&shape, &rows, &labels);
        group.throughput(Throughput::Elements(shape.rows as u64));
        for path in Path::ALL.into_iter().filter(|p| p.is_available()) {
            let start = warm.clone().on_path(path);
            let id = BenchmarkId::new(shape.id(), format!("{path:?}").to_lowercase());
            group.bench_function(id, |b| {
                b.iter_batched_ref(
                    || start.clone(),
                    |machine| machine.fit_epoch(black_box(&rows), black_box(&labels)),
                    BatchSize::LargeInput,
                );
            });
        }
    }
    group.finish();
}

fn predict(c: &mut Criterion) {
    let mut group = c.benchmark_group("predict");
    for shape in shapes() {
        let (rows, labels) = shape.data();
        let clauses = trained(&shape, &rows, &labels).clauses();
        group.throughput(Throughput::Elements(shape.rows as u64));
        group.bench_function(shape.id(), |b| b.iter(|| clauses.predict(black_box(&rows))));
    }
    group.finish();
}

criterion_group!(benches, fit, predict);
criterion_main!(benches);
