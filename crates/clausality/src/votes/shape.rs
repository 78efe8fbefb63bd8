//! What weights mean: from weights to points for every code of every column and every clause, and back.
//!
//! ```text
//! no order, code k:   x = a number for every state, 1 at k
//! ordered, code k:    x = the size of k (in standard deviations), and for every step s = 1 … d−1:  +t/2 where k ≥ s, −t/2 elsewhere,
//!                     and a number for every state that stands out, 1 at k
//! a recorded gap:     a number of its own;         unknown:  all x are 0
//! ```
//!
//! The points of a code are Σ_j w_j x_j, the gradient of a weight is Σ_codes g x_j. Sums over steps are running sums: either way costs as much as there
//! are codes. The ridge that holds the steps makes of them a random walk; t falls with the number of steps, so that a column that is cut finer walks as far.
//! A walk is slow to climb a single state and to come down again behind it: amounts that a law or a price list names (a capital gain of 7,688 dollars)
//! *stand out* and have a number of their own (module `alone`).

/// What a column's codes are worth.
#[derive(Debug, Clone)]
pub(super) struct Basis {
    /// States that are values.
    pub(super) values: usize,
    /// Whether the state behind them stands for a gap.
    pub(super) gap: bool,
    /// The size of every value, in standard deviations from the mean; none where values have no order.
    pub(super) sizes: Vec<f64>,
    /// The values of an ordered column that stand out.
    pub(super) alone: Vec<usize>,
}

/// What a step counts in a column of few, beside 1 for a state of its own and for a standard deviation of the number itself.
const STEP: f64 = 0.5;
/// So many are few.
const FEW_STEPS: f64 = 64.0;

impl Basis {
    /// How many codes there are: the states and one for what is unknown.
    pub(super) fn codes(&self) -> usize {
        self.values + usize::from(self.gap) + 1
    }

    fn width(&self, steps: bool) -> usize {
        let own = match (self.sizes.is_empty(), steps) {
            (true, _) => self.values,
            (false, true) => self.values + self.alone.len(),
            (false, false) => 1,
        };
        own + usize::from(self.gap)
    }

    /// Half of what a step counts.
    fn half_step(&self) -> f64 {
        let steps = self.values.saturating_sub(1).max(1) as f64;
        STEP / 2.0 * (FEW_STEPS / steps).min(1.0).sqrt()
    }
}

/// The shape of what is fitted: columns, then clauses, then a constant; every weight stands `scores` times.
#[derive(Debug, Clone)]
pub(super) struct Shape {
    pub(super) bases: Vec<Basis>,
    /// Whether ordered columns have steps beside their size.
    pub(super) steps: bool,
    pub(super) clauses: usize,
    pub(super) scores: usize,
}

/// What a true clause counts.
const CLAUSE: f64 = 0.5;

/// Points for every mark (the codes of all columns, then the clauses), and the constant that every row has; as many numbers each as there are scores.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Points {
    pub(super) marks: Vec<f64>,
    pub(super) constant: Vec<f64>,
}

impl Shape {
    /// How many codes and clauses there are.
    pub(super) fn marks(&self) -> usize {
        self.bases.iter().map(Basis::codes).sum::<usize>() + self.clauses
    }

    /// How many weights there are.
    pub(super) fn weights(&self) -> usize {
        let columns: usize = self.bases.iter().map(|basis| basis.width(self.steps)).sum();
        (columns + self.clauses + 1) * self.scores
    }

    /// Points by the weights.
    pub(super) fn points(&self, weights: &[f64]) -> Points {
        let s = self.scores;
        let mut marks = vec![0.0; self.marks() * s];
        for score in 0..s {
            let (mut code, mut weight) = (0, 0);
            let own = |weight: usize| weights[weight * s + score];
            for basis in &self.bases {
                if basis.sizes.is_empty() {
                    for k in 0..basis.values {
                        marks[(code + k) * s + score] = own(weight + k);
                    }
                    weight += basis.values;
                } else {
                    let size = own(weight);
                    for (k, x) in basis.sizes.iter().enumerate() {
                        marks[(code + k) * s + score] = x * size;
                    }
                    weight += 1;
                    if self.steps {
                        let steps = basis.values - 1;
                        let all: f64 = (0..steps).map(|k| own(weight + k)).sum();
                        let (half, mut below) = (basis.half_step(), 0.0);
                        for k in 0..basis.values {
                            if k > 0 {
                                below += own(weight + k - 1);
                            }
                            marks[(code + k) * s + score] += half * (2.0 * below - all);
                        }
                        weight += steps;
                        for (j, k) in basis.alone.iter().enumerate() {
                            marks[(code + k) * s + score] += own(weight + j);
                        }
                        weight += basis.alone.len();
                    }
                }
                if basis.gap {
                    marks[(code + basis.values) * s + score] = own(weight);
                    weight += 1;
                }
                code += basis.codes();
            }
            for clause in 0..self.clauses {
                marks[(code + clause) * s + score] = CLAUSE * own(weight + clause);
            }
        }
        Points { marks, constant: weights[weights.len() - s..].to_vec() }
    }

    /// Points collected back to the weights: the transpose of [`Shape::points`], or with squares of all x where `squared`.
    pub(super) fn collect(&self, points: &Points, squared: bool) -> Vec<f64> {
        let s = self.scores;
        let mut out = vec![0.0; self.weights()];
        let power = |x: f64| if squared { x * x } else { x };
        for score in 0..s {
            let (mut code, mut weight) = (0, 0);
            let given = |mark: usize| points.marks[mark * s + score];
            for basis in &self.bases {
                if basis.sizes.is_empty() {
                    for k in 0..basis.values {
                        out[(weight + k) * s + score] = given(code + k);
                    }
                    weight += basis.values;
                } else {
                    let sized = basis.sizes.iter().enumerate().map(|(k, &x)| power(x) * given(code + k));
                    out[weight * s + score] = sized.sum();
                    weight += 1;
                    if self.steps {
                        let steps = basis.values - 1;
                        let all: f64 = (0..basis.values).map(|k| given(code + k)).sum();
                        let (half, mut below) = (basis.half_step(), 0.0);
                        for k in 0..steps {
                            below += given(code + k);
                            out[(weight + k) * s + score] =
                                if squared { half * half * all } else { half * (all - 2.0 * below) };
                        }
                        weight += steps;
                        for (j, k) in basis.alone.iter().enumerate() {
                            out[(weight + j) * s + score] = given(code + k);
                        }
                        weight += basis.alone.len();
                    }
                }
                if basis.gap {
                    out[weight * s + score] = given(code + basis.values);
                    weight += 1;
                }
                code += basis.codes();
            }
            for clause in 0..self.clauses {
                out[(weight + clause) * s + score] = power(CLAUSE) * given(code + clause);
            }
        }
        let constant = out.len() - s;
        out[constant..].copy_from_slice(&points.constant);
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `collect` is the transpose of `points`: ⟨points(w), g⟩ = ⟨w, collect(g)⟩ for every w and g.
    #[test]
    fn collecting_is_the_transpose() {
        let ordered = |sizes: &[f64], gap, alone: &[usize]| {
            let (sizes, alone) = (sizes.to_vec(), alone.to_vec());
            Basis { values: sizes.len(), gap, sizes, alone }
        };
        let plain = Basis { values: 3, gap: true, sizes: Vec::new(), alone: Vec::new() };
        let bases =
            vec![ordered(&[-1.0, 0.25, 2.0], true, &[0, 2]), plain, ordered(&[-0.5, 0.5], false, &[])];
        for steps in [false, true] {
            let shape = Shape { bases: bases.clone(), steps, clauses: 2, scores: 2 };
            let number = |k: usize| ((k * 37 + 11) % 23) as f64 / 7.0 - 1.5;
            let weights: Vec<f64> = (0..shape.weights()).map(number).collect();
            let given = Points {
                marks: (0..shape.marks() * 2).map(|k| number(k + 5)).collect(),
                constant: vec![0.5, -2.0],
            };
            let points = shape.points(&weights);
            let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
            let there = dot(&points.marks, &given.marks) + dot(&points.constant, &given.constant);
            let back = dot(&weights, &shape.collect(&given, false));
            assert!((there - back).abs() < 1e-9, "{there} {back}");
            // Squares: the diagonal of XᵀX, weight by weight.
            let squares =
                shape.collect(&Points { marks: vec![1.0; shape.marks() * 2], constant: vec![1.0; 2] }, true);
            for (j, square) in squares.iter().enumerate() {
                let mut unit = vec![0.0; shape.weights()];
                unit[j] = 1.0;
                let points = shape.points(&unit);
                let expected = dot(&points.marks, &points.marks) + dot(&points.constant, &points.constant);
                assert!((square - expected).abs() < 1e-9, "{j}: {square} {expected}");
            }
        }
    }
}
