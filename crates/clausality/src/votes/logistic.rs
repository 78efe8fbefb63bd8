//! Weights of many small votes: logistic regression with a ridge.
//!
//! ```text
//! P(c | row) = exp z_c / Σ_k exp z_k          z_c = b_c + Σ_j w_cj x_j(row)
//! minimise     − Σ_rows r ln P(class | row) + λ/2 Σ_cj w_cj²            r: how much the row counts
//! ```
//!
//! by Newton steps whose equations are solved by conjugate gradients (Nash 1985, "truncated Newton"; Lin, Weng & Keerthi 2008 for
//! logistic regression), scaled by the diagonal, each shortened until the sum falls. All that x_j of one column is a function of its code:
//! so z is a sum of looked-up points, one for every *mark* of the row (its codes and its true clauses), and a gradient is collected
//! by mark before it is spread over the x_j (module `shape`). A pass costs rows × marks, however many x_j there are.
//!
//! Of two classes the best weights are opposite, w_0 = −w_1: one *score* z = z_1 − z_0 with half the ridge is the same problem at half the cost.
//!
//! Sums run in the order of the rows on one thread, with exponentials of `clausality_bn::math`: the same bits everywhere.

use super::shape::{Points, Shape};
use clausality_bn::math::{exp, ln};

/// Scores that are added up in one go over the rows.
const TOGETHER: usize = 8;

/// Calls a method for as many scores as are left, at most [`TOGETHER`]: a number that is known beforehand.
macro_rules! in_registers {
    ($left:expr, $self:ident.$method:ident($($argument:expr),*)) => {
        match $left {
            1 => $self.$method::<1>($($argument),*),
            2 => $self.$method::<2>($($argument),*),
            3 => $self.$method::<3>($($argument),*),
            4 => $self.$method::<4>($($argument),*),
            5 => $self.$method::<5>($($argument),*),
            6 => $self.$method::<6>($($argument),*),
            7 => $self.$method::<7>($($argument),*),
            _ => $self.$method::<TOGETHER>($($argument),*),
        }
    };
}

/// What is seen of rows: their marks, which are the codes of their columns and the clauses that are true.
#[derive(Debug, Clone)]
pub(super) struct Seen {
    pub(super) rows: usize,
    /// The marks of a row, one row after the other.
    pub(super) marks: Vec<u32>,
    /// Where the marks of a row end.
    pub(super) ends: Vec<usize>,
}

impl Seen {
    /// The marks of every row.
    pub(super) fn each(&self) -> impl Iterator<Item = &[u32]> {
        let mut start = 0;
        self.ends.iter().map(move |&end| {
            let own = &self.marks[start..end];
            start = end;
            own
        })
    }

    /// The sums of points of every row.
    pub(super) fn sums(&self, points: &Points) -> Vec<f64> {
        let s = points.constant.len();
        if s == 1 {
            return self.each().map(|marks| points.constant[0] + looked_up(&points.marks, marks)).collect();
        }
        let mut sums = vec![0.0; self.rows * s];
        for from in (0..s).step_by(TOGETHER) {
            in_registers!(s - from, self.sums_of(points, from, &mut sums));
        }
        sums
    }

    /// The same of some of the scores, so few that they stay in registers.
    fn sums_of<const W: usize>(&self, points: &Points, from: usize, sums: &mut [f64]) {
        // All of them: where each lies is known beforehand, too.
        match points.constant.len() {
            s if s == W => self.sums_at::<W>(W, points, from, sums),
            s => self.sums_at::<W>(s, points, from, sums),
        }
    }

    #[inline(always)]
    fn sums_at<const W: usize>(&self, s: usize, points: &Points, from: usize, sums: &mut [f64]) {
        for (marks, sums) in self.each().zip(sums.chunks_exact_mut(s)) {
            let mut own = [0.0; W];
            own.copy_from_slice(&points.constant[from..][..W]);
            for &mark in marks {
                let points = &points.marks[mark as usize * s + from..][..W];
                (0..W).for_each(|k| own[k] += points[k]);
            }
            sums[from..][..W].copy_from_slice(&own);
        }
    }

    /// The transpose: numbers of the rows collected by mark.
    fn collect(&self, given: &[f64], shape: &Shape) -> Points {
        let s = shape.scores;
        let mut points = Points { marks: vec![0.0; shape.marks() * s], constant: vec![0.0; s] };
        for from in (0..s).step_by(TOGETHER) {
            in_registers!(s - from, self.collect_of(given, from, &mut points));
        }
        points
    }

    /// The same of some of the scores.
    fn collect_of<const W: usize>(&self, given: &[f64], from: usize, points: &mut Points) {
        match points.constant.len() {
            s if s == W => self.collect_at::<W>(W, given, from, points),
            s => self.collect_at::<W>(s, given, from, points),
        }
    }

    #[inline(always)]
    fn collect_at<const W: usize>(&self, s: usize, given: &[f64], from: usize, points: &mut Points) {
        for (marks, given) in self.each().zip(given.chunks_exact(s)) {
            let mut own = [0.0; W];
            own.copy_from_slice(&given[from..][..W]);
            (0..W).for_each(|k| points.constant[from + k] += own[k]);
            for &mark in marks {
                let sums = &mut points.marks[mark as usize * s + from..][..W];
                (0..W).for_each(|k| sums[k] += own[k]);
            }
        }
    }
}

/// The sum of some points, in four strands that do not wait for each other.
fn looked_up(points: &[f64], marks: &[u32]) -> f64 {
    let mut strands = [0.0; 4];
    let fours = marks.chunks_exact(4);
    let rest = fours.remainder();
    for four in fours {
        for k in 0..4 {
            strands[k] += points[four[k] as usize];
        }
    }
    let rest: f64 = rest.iter().map(|&mark| points[mark as usize]).sum();
    (strands[0] + strands[1]) + (strands[2] + strands[3]) + rest
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

/// One score becomes the probability of the second class, and the logarithm by which it was divided comes back: [`softmax`] of (0, z).
fn logistic(z: &mut f64) -> f64 {
    let small = exp(-z.abs());
    let lost = z.max(0.0) + ln(1.0 + small);
    *z = if *z < 0.0 { small } else { 1.0 } / (1.0 + small);
    lost
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

/// Rows to learn from: what is seen of them, their classes, and how much each counts.
pub(super) struct Rows {
    pub(super) seen: Seen,
    pub(super) labels: Vec<u8>,
    pub(super) counts: Vec<f64>,
}

impl Rows {
    /// The loss without the ridge's, and the probabilities: of every class, or of the second of two.
    fn look(&self, points: &Points) -> (f64, Vec<f64>) {
        let s = points.constant.len();
        let mut p = self.seen.sums(points);
        let mut loss = 0.0;
        let rows = p.chunks_exact_mut(s).zip(self.labels.iter().zip(&self.counts));
        if s == 1 {
            for (p, (&label, count)) in rows {
                let own = if label == 1 { p[0] } else { 0.0 };
                loss += count * (logistic(&mut p[0]) - own);
            }
        } else {
            for (p, (&label, count)) in rows {
                let own = p[usize::from(label)];
                loss += count * (softmax(p) - own);
            }
        }
        (loss, p)
    }

    /// How far the probabilities are off, row by row.
    fn off(&self, p: &[f64], s: usize) -> Vec<f64> {
        let mut off = p.to_vec();
        let truth =
            |label: u8, k: usize| f64::from(u8::from(usize::from(label) == if s == 1 { 1 } else { k }));
        for (off, (&label, count)) in off.chunks_exact_mut(s).zip(self.labels.iter().zip(&self.counts)) {
            for (k, off) in off.iter_mut().enumerate() {
                *off = count * (*off - truth(label, k));
            }
        }
        off
    }

    /// The sums of a direction become those of the Hessian times it, in place.
    fn bend(&self, z: &mut [f64], p: &[f64], s: usize) {
        if s == 1 {
            for ((z, p), count) in z.iter_mut().zip(p).zip(&self.counts) {
                *z *= count * p * (1.0 - p);
            }
            return;
        }
        for ((z, p), count) in z.chunks_exact_mut(s).zip(p.chunks_exact(s)).zip(&self.counts) {
            let mean = dot(z, p);
            for k in 0..s {
                z[k] = count * p[k] * (z[k] - mean);
            }
        }
    }
}

/// Improves the weights for a ridge.
pub(super) fn fit(rows: &Rows, shape: &Shape, ridge: f64, effort: Effort, weights: &mut Vec<f64>) {
    let (s, seen) = (shape.scores, &rows.seen);
    let free = weights.len() - s;
    let ridge = if s == 1 { ridge / 2.0 } else { ridge };
    // Nothing holds a constant that all classes share: a hair's breadth does.
    let ridge_of = |i: usize| if i < free { ridge } else { 1e-6 };
    let penalty = |w: &[f64]| w.iter().enumerate().map(|(i, w)| ridge_of(i) * w * w).sum::<f64>() / 2.0;
    let look = |w: &[f64]| {
        let (loss, p) = rows.look(&shape.points(w));
        (loss + penalty(w), p)
    };
    let (mut loss, mut p) = look(weights);
    for _ in 0..effort.steps {
        let mut gradient = shape.collect(&seen.collect(&rows.off(&p, s), shape), false);
        gradient.iter_mut().enumerate().for_each(|(i, g)| *g += ridge_of(i) * weights[i]);
        let size = dot(&gradient, &gradient).sqrt();
        let n = seen.rows as f64;
        if size <= SMALL * n.sqrt() * (loss / n).clamp(1e-6, 1.0) {
            break;
        }
        let mut curved: Vec<f64> = p.iter().map(|p| p * (1.0 - p)).collect();
        for (curved, count) in curved.chunks_exact_mut(s).zip(&rows.counts) {
            curved.iter_mut().for_each(|curved| *curved *= count);
        }
        let mut scale = shape.collect(&seen.collect(&curved, shape), true);
        scale.iter_mut().enumerate().for_each(|(i, s)| *s = 1.0 / (*s + ridge_of(i) + 1e-9));
        let hessian = |v: &[f64]| {
            let mut z = seen.sums(&shape.points(v));
            rows.bend(&mut z, &p, s);
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
    use super::super::shape::Basis;
    use super::*;

    /// One column of two codes: without a ridge the probabilities are the frequencies, with three classes and with two, and rows count as
    /// much as they are said to.
    #[test]
    fn without_a_ridge_the_frequencies_come_out() {
        let three = [(0, 0, 60), (0, 1, 30), (0, 2, 10), (2, 0, 5), (2, 1, 5), (2, 2, 90)];
        let two = [(0, 0, 80), (0, 1, 20), (2, 0, 5), (2, 1, 95)];
        let cases = [
            (three.as_slice(), 3, vec![0.6, 0.3, 0.1, 0.05, 0.05, 0.9]),
            (two.as_slice(), 1, vec![0.2, 0.95]),
        ];
        for (given, scores, expected) in cases {
            let basis = Basis { values: 3, gap: false, sizes: Vec::new(), alone: Vec::new() };
            let shape = Shape { bases: vec![basis], steps: true, clauses: 0, scores };
            // Once every row by itself, once one row for all that are alike.
            for apart in [true, false] {
                let (mut marks, mut labels, mut counts) = (vec![], vec![], vec![]);
                for &(mark, label, count) in given {
                    let rows = if apart { count } else { 1 };
                    marks.extend([mark].repeat(rows));
                    labels.extend([label].repeat(rows));
                    counts.extend([count as f64 / rows as f64].repeat(rows));
                }
                let ends = (1..=marks.len()).collect();
                let rows = Rows { seen: Seen { rows: marks.len(), marks, ends }, labels, counts };
                let mut weights = vec![0.0; shape.weights()];
                fit(&rows, &shape, 1e-6, Effort::WHOLE, &mut weights);
                let (_, p) = rows.look(&shape.points(&weights));
                let found = p[..scores].iter().chain(&p[p.len() - scores..]);
                for (found, expected) in found.zip(&expected) {
                    assert!((found - expected).abs() < 1e-3, "{found} {expected}");
                }
            }
        }
    }
}
