//! Weights of many small votes: multinomial logistic regression with a ridge.
//!
//! ```text
//! P(c | row) = exp z_c / Σ_k exp z_k          z_c = b_c + Σ_j w_cj x_j(row)
//! minimise     − Σ_rows ln P(class | row) + λ/2 Σ_cj w_cj²
//! ```
//!
//! by Newton steps whose equations are solved by conjugate gradients (Nash 1985, "truncated Newton"; Lin, Weng & Keerthi 2008 for
//! logistic regression), scaled by the diagonal, each shortened until the sum falls. All that x_j of one column is a function of its code:
//! so z is a sum over columns of a looked-up number, and a gradient is collected by code before it is spread over
//! the x_j. A pass costs rows × (columns + true clauses), however many x_j there are.
//!
//! Sums run in the order of the rows on one thread, with exponentials of `clausality_bn::math`: the same bits everywhere.

use clausality_bn::math::{exp, ln};

/// What is seen of rows: a code in every column, and the clauses that are true.
#[derive(Debug, Clone)]
pub(super) struct Seen {
    pub(super) rows: usize,
    /// Row by row, the place of each column's code among all codes of all columns.
    pub(super) codes: Vec<u32>,
    /// The clauses that are true of a row, one row after the other.
    pub(super) clauses: Vec<u32>,
    /// Where the clauses of a row end.
    pub(super) ends: Vec<usize>,
}

/// What a column's codes are worth: for every code a row of numbers.
#[derive(Debug, Clone)]
pub(super) struct Basis {
    /// How many numbers a code has.
    pub(super) width: usize,
    /// Code by code.
    pub(super) values: Vec<f64>,
}

impl Basis {
    fn codes(&self) -> usize {
        self.values.len().checked_div(self.width).unwrap_or(0)
    }
}

/// The shape of what is fitted: columns, then clauses, then a constant; every weight stands `classes` times.
#[derive(Debug, Clone)]
pub(super) struct Shape {
    pub(super) bases: Vec<Basis>,
    pub(super) clauses: usize,
    /// What a true clause counts.
    pub(super) clause_value: f64,
    pub(super) classes: usize,
}

/// Points for every code of every column, for every clause, and the constant; `classes` numbers each.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Points {
    pub(super) codes: Vec<f64>,
    pub(super) clauses: Vec<f64>,
    pub(super) constant: Vec<f64>,
}

impl Shape {
    fn columns_width(&self) -> usize {
        self.bases.iter().map(|basis| basis.width).sum()
    }

    /// How many weights there are.
    pub(super) fn weights(&self) -> usize {
        (self.columns_width() + self.clauses + 1) * self.classes
    }

    /// Points by the weights.
    pub(super) fn points(&self, weights: &[f64]) -> Points {
        let c = self.classes;
        let mut codes = Vec::new();
        let mut first = 0;
        for basis in &self.bases {
            for code in 0..basis.codes() {
                let start = codes.len();
                codes.resize(start + c, 0.0);
                for (j, &x) in basis.values[code * basis.width..][..basis.width].iter().enumerate() {
                    if x != 0.0 {
                        let own = &weights[(first + j) * c..][..c];
                        codes[start..].iter_mut().zip(own).for_each(|(point, w)| *point += x * w);
                    }
                }
            }
            first += basis.width;
        }
        let clauses =
            weights[first * c..][..self.clauses * c].iter().map(|w| w * self.clause_value).collect();
        Points { codes, clauses, constant: weights[(first + self.clauses) * c..].to_vec() }
    }

    /// Points collected back to the weights: the transpose of [`Shape::points`], or with squares of all x where `squared`.
    fn collect(&self, points: &Points, squared: bool) -> Vec<f64> {
        let c = self.classes;
        let mut out = vec![0.0; self.weights()];
        let (mut first, mut place) = (0, 0);
        let power = |x: f64| if squared { x * x } else { x };
        for basis in &self.bases {
            for code in 0..basis.codes() {
                let given = &points.codes[place * c..][..c];
                for (j, &x) in basis.values[code * basis.width..][..basis.width].iter().enumerate() {
                    if x != 0.0 {
                        let x = power(x);
                        let own = &mut out[(first + j) * c..][..c];
                        own.iter_mut().zip(given).for_each(|(w, p)| *w += x * p);
                    }
                }
                place += 1;
            }
            first += basis.width;
        }
        let value = power(self.clause_value);
        out[first * c..][..self.clauses * c]
            .iter_mut()
            .zip(&points.clauses)
            .for_each(|(w, p)| *w = value * p);
        out[(first + self.clauses) * c..].copy_from_slice(&points.constant);
        out
    }
}

impl Seen {
    fn columns(&self) -> usize {
        self.codes.len() / self.rows.max(1)
    }

    fn clauses_of(&self, row: usize) -> &[u32] {
        let start = if row == 0 { 0 } else { self.ends[row - 1] };
        &self.clauses[start..self.ends[row]]
    }

    /// The sums of points of every row, `classes` numbers each.
    pub(super) fn sums(&self, points: &Points) -> Vec<f64> {
        let (c, columns) = (points.constant.len(), self.columns());
        let mut sums = Vec::with_capacity(self.rows * c);
        for row in 0..self.rows {
            let start = sums.len();
            sums.extend_from_slice(&points.constant);
            let own = &mut sums[start..];
            for &code in &self.codes[row * columns..][..columns] {
                let points = &points.codes[code as usize * c..][..c];
                own.iter_mut().zip(points).for_each(|(sum, p)| *sum += p);
            }
            for &clause in self.clauses_of(row) {
                let points = &points.clauses[clause as usize * c..][..c];
                own.iter_mut().zip(points).for_each(|(sum, p)| *sum += p);
            }
        }
        sums
    }

    /// The transpose: numbers of the rows collected by code and clause.
    pub(super) fn collect(&self, given: &[f64], shape: &Shape) -> Points {
        let (c, columns) = (shape.classes, self.columns());
        let codes: usize = shape.bases.iter().map(Basis::codes).sum();
        let mut points = Points {
            codes: vec![0.0; codes * c],
            clauses: vec![0.0; shape.clauses * c],
            constant: vec![0.0; c],
        };
        for row in 0..self.rows {
            let given = &given[row * c..][..c];
            points.constant.iter_mut().zip(given).for_each(|(sum, g)| *sum += g);
            for &code in &self.codes[row * columns..][..columns] {
                let own = &mut points.codes[code as usize * c..][..c];
                own.iter_mut().zip(given).for_each(|(sum, g)| *sum += g);
            }
            for &clause in self.clauses_of(row) {
                let own = &mut points.clauses[clause as usize * c..][..c];
                own.iter_mut().zip(given).for_each(|(sum, g)| *sum += g);
            }
        }
        points
    }
}

/// Sums of points become probabilities, in place; the natural logarithm of what they are divided by is the row's loss to be.
pub(super) fn softmax(sums: &mut [f64]) -> f64 {
    let largest = sums.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let mut total = 0.0;
    for sum in sums.iter_mut() {
        *sum = exp(*sum - largest);
        total += *sum;
    }
    sums.iter_mut().for_each(|p| *p /= total);
    largest + ln(total)
}

/// How far a fit goes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Effort {
    /// Newton steps at most; a fit that has not settled by then predicts as well.
    steps: usize,
    /// Conjugate gradient steps at most, for each.
    inner: usize,
    /// A step that gains less than this share of the loss is the last.
    gain: f64,
}

impl Effort {
    /// To compare ridges: each begins where the one before ended.
    pub(super) const ROUGH: Effort = Effort { steps: 6, inner: 20, gain: 2e-4 };
    /// To keep.
    pub(super) const WHOLE: Effort = Effort { steps: 20, inner: 30, gain: 1e-5 };
}

/// A gradient so much smaller than a row's is small enough.
const SMALL: f64 = 1e-4;

/// Improves the weights for a ridge.
pub(super) fn fit(
    seen: &Seen,
    labels: &[u8],
    shape: &Shape,
    ridge: f64,
    effort: Effort,
    weights: &mut Vec<f64>,
) {
    let c = shape.classes;
    let free = weights.len() - c;
    // Nothing holds a constant that all classes share: a hair's breadth does.
    let ridge_of = |i: usize| if i < free { ridge } else { 1e-6 };
    let penalty = |w: &[f64]| w.iter().enumerate().map(|(i, w)| ridge_of(i) * w * w).sum::<f64>() / 2.0;
    let look = |w: &[f64]| {
        let mut p = seen.sums(&shape.points(w));
        let mut loss = penalty(w);
        for (p, &label) in p.chunks_exact_mut(c).zip(labels) {
            let own = p[usize::from(label)];
            loss += softmax(p) - own;
        }
        (loss, p)
    };
    let (mut loss, mut p) = look(weights);
    for _ in 0..effort.steps {
        let mut off = p.clone();
        off.chunks_exact_mut(c).zip(labels).for_each(|(off, &label)| off[usize::from(label)] -= 1.0);
        let mut gradient = shape.collect(&seen.collect(&off, shape), false);
        gradient.iter_mut().enumerate().for_each(|(i, g)| *g += ridge_of(i) * weights[i]);
        let size = dot(&gradient, &gradient).sqrt();
        if size <= SMALL * (seen.rows as f64).sqrt() * (loss / seen.rows as f64).clamp(1e-6, 1.0) {
            break;
        }
        let curved: Vec<f64> = p.iter().map(|p| p * (1.0 - p)).collect();
        let mut scale = shape.collect(&seen.collect(&curved, shape), true);
        scale.iter_mut().enumerate().for_each(|(i, s)| *s = 1.0 / (*s + ridge_of(i) + 1e-9));
        let hessian = |v: &[f64]| {
            let mut z = seen.sums(&shape.points(v));
            for (z, p) in z.chunks_exact_mut(c).zip(p.chunks_exact(c)) {
                let mean: f64 = dot(z, p);
                z.iter_mut().zip(p).for_each(|(z, p)| *z = p * (*z - mean));
            }
            let mut out = shape.collect(&seen.collect(&z, shape), false);
            out.iter_mut().enumerate().for_each(|(i, h)| *h += ridge_of(i) * v[i]);
            out
        };
        let step = solve(&gradient, &scale, effort.inner, hessian);
        let slope = dot(&gradient, &step);
        if slope >= 0.0 {
            break;
        }
        let mut length = 1.0;
        let mut better = None;
        while length > 1e-4 {
            let tried: Vec<f64> = weights.iter().zip(&step).map(|(w, d)| w + length * d).collect();
            let (l, q) = look(&tried);
            if l <= loss + 1e-4 * length * slope {
                better = Some((tried, l, q));
                break;
            }
            length /= 2.0;
        }
        let Some((tried, l, q)) = better else { break };
        let gained = loss - l;
        (*weights, loss, p) = (tried, l, q);
        if gained < effort.gain * loss {
            break;
        }
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// The step d with `H d ≈ −g`.
fn solve(gradient: &[f64], scale: &[f64], steps: usize, hessian: impl Fn(&[f64]) -> Vec<f64>) -> Vec<f64> {
    let mut step = vec![0.0; gradient.len()];
    let mut rest: Vec<f64> = gradient.iter().map(|g| -g).collect();
    let scaled = |r: &[f64]| -> Vec<f64> { r.iter().zip(scale).map(|(r, s)| r * s).collect() };
    let mut z = scaled(&rest);
    let mut way = z.clone();
    let mut size = dot(&rest, &z);
    let enough = size * 0.01;
    for _ in 0..steps {
        let curved = hessian(&way);
        let bend = dot(&way, &curved);
        if bend <= 0.0 {
            break;
        }
        let length = size / bend;
        step.iter_mut().zip(&way).for_each(|(d, w)| *d += length * w);
        rest.iter_mut().zip(&curved).for_each(|(r, h)| *r -= length * h);
        z = scaled(&rest);
        let next = dot(&rest, &z);
        if next <= enough {
            break;
        }
        way.iter_mut().zip(&z).for_each(|(w, z)| *w = z + next / size * *w);
        size = next;
    }
    step
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two states, one column of two codes: the weights have a closed form without a ridge, the log-odds of the counts.
    #[test]
    fn without_a_ridge_the_frequencies_come_out() {
        let basis = Basis { width: 2, values: vec![1.0, 0.0, 0.0, 1.0] };
        let shape = Shape { bases: vec![basis], clauses: 0, clause_value: 1.0, classes: 3 };
        let (mut codes, mut labels) = (vec![], vec![]);
        for (code, label, count) in [(0, 0, 60), (0, 1, 30), (0, 2, 10), (1, 0, 5), (1, 1, 5), (1, 2, 90)] {
            codes.extend([code].repeat(count));
            labels.extend([label].repeat(count));
        }
        let seen = Seen { rows: 200, codes, clauses: vec![], ends: vec![0; 200] };
        let mut weights = vec![0.0; shape.weights()];
        fit(&seen, &labels, &shape, 1e-6, Effort::WHOLE, &mut weights);
        let mut p = seen.sums(&shape.points(&weights));
        p.chunks_exact_mut(3).for_each(|p| {
            softmax(p);
        });
        for (found, counted) in p[..3].iter().chain(&p[597..]).zip([0.6, 0.3, 0.1, 0.05, 0.05, 0.9]) {
            assert!((found - counted).abs() < 1e-3, "{found} {counted}");
        }
    }
}
