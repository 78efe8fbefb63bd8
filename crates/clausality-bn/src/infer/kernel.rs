//! The one loop that inference spends its time in.
//!
//! `out[i] = ⊕_k a[i, k] · b[i, k]` with `⊕` a sum or a maximum, over any number of dimensions, each operand with a stride
//! of its own in every dimension (0 where it does not have it). Dimensions that are contiguous in all three operands are
//! merged beforehand, so the inner loops run over long stretches without index arithmetic. Every cell is summed
//! in the order of the states, whatever the shape of the loops.

/// One dimension: how often, and how far each operand moves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Loop {
    pub(super) n: usize,
    pub(super) a: usize,
    pub(super) b: usize,
    pub(super) out: usize,
}

impl Loop {
    const ONCE: Loop = Loop { n: 1, a: 0, b: 0, out: 0 };

    /// Whether several cells meet in one of the result.
    fn folds(&self) -> bool {
        self.out == 0 && self.n > 1
    }
}

/// Loops from the slowest to the fastest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Nest {
    outer: Vec<Loop>,
    middle: Loop,
    inner: Loop,
}

/// Results up to this many cells stay in the first-level cache: folding over them from outside does no harm.
const SMALL: usize = 1024;
/// Where folding is moved inside, at least this many cells stay within it.
const CHUNK: usize = 64;

impl Nest {
    /// The loops over these dimensions, given from the slowest to the fastest in every operand's own layout.
    pub(super) fn new(dimensions: &[Loop]) -> Self {
        let mut loops: Vec<Loop> = Vec::with_capacity(dimensions.len());
        for dimension in sunk(dimensions) {
            match loops.last_mut() {
                Some(last) if mergeable(last, &dimension) => {
                    *last = Loop { n: last.n * dimension.n, ..dimension };
                }
                _ => loops.push(dimension),
            }
        }
        let inner = loops.pop().unwrap_or(Loop::ONCE);
        let middle = loops.pop().unwrap_or(Loop::ONCE);
        Nest { outer: loops, middle, inner }
    }
}

/// The dimensions without those of one state, and with folding moved inside where the result is large. Folding that is
/// innermost anyway stays there.
fn sunk(dimensions: &[Loop]) -> Vec<Loop> {
    let mut head: Vec<Loop> = dimensions.iter().copied().filter(|d| d.n > 1).collect();
    let tail = head.split_off(head.iter().rposition(|d| !d.folds()).map_or(0, |last| last + 1));
    let cells: usize = head.iter().filter(|d| !d.folds()).map(|d| d.n).product();
    if cells > SMALL && head.iter().any(Loop::folds) {
        let (folds, kept): (Vec<Loop>, Vec<Loop>) = head.iter().partition(|d| d.folds());
        let mut inside = 1;
        let enough = |d: &Loop| {
            inside *= d.n;
            inside >= CHUNK
        };
        // Both splits leave every operand's own order of the kept dimensions alone.
        let split = kept.len() - 1 - kept.iter().rev().position(enough).unwrap_or(kept.len() - 1);
        head = [&kept[..split], &folds, &kept[split..]].concat();
    }
    head.extend(tail);
    head
}

fn mergeable(outer: &Loop, inner: &Loop) -> bool {
    outer.folds() == inner.folds()
        && outer.a == inner.n * inner.a
        && outer.b == inner.n * inner.b
        && outer.out == inner.n * inner.out
}

/// How cells that meet are joined.
pub(super) trait Fold {
    fn join(before: f64, next: f64) -> f64;
}

/// Marginals.
#[derive(Debug)]
pub(super) struct Sum;
/// Most probable states.
#[derive(Debug)]
pub(super) struct Max;

impl Fold for Sum {
    #[inline(always)]
    fn join(before: f64, next: f64) -> f64 {
        before + next
    }
}

impl Fold for Max {
    #[inline(always)]
    fn join(before: f64, next: f64) -> f64 {
        if next > before { next } else { before }
    }
}

/// Steps of an operand along the inner loop.
const FIXED: u8 = 0;
const UNIT: u8 = 1;
const STRIDED: u8 = 2;

fn pattern(stride: usize) -> u8 {
    match stride {
        0 => FIXED,
        1 => UNIT,
        _ => STRIDED,
    }
}

/// Runs the loops; what `out` held before does not matter.
pub(super) fn run<F: Fold>(nest: &Nest, out: &mut [f64], a: &[f64], b: &[f64]) {
    let folds = nest.inner.folds();
    match (pattern(nest.inner.a), pattern(nest.inner.b)) {
        (UNIT, UNIT) if folds => walk(nest, out, a, b, reduce::<F, UNIT, UNIT>),
        (UNIT, FIXED) if folds => walk(nest, out, a, b, reduce::<F, UNIT, FIXED>),
        (FIXED, UNIT) if folds => walk(nest, out, a, b, reduce::<F, FIXED, UNIT>),
        _ if folds => walk(nest, out, a, b, reduce::<F, STRIDED, STRIDED>),
        (UNIT, UNIT) => sized::<F, UNIT, UNIT>(nest, out, a, b),
        (UNIT, FIXED) => sized::<F, UNIT, FIXED>(nest, out, a, b),
        (FIXED, UNIT) => sized::<F, FIXED, UNIT>(nest, out, a, b),
        (FIXED, FIXED) => walk(nest, out, a, b, spread::<F, FIXED, FIXED, 0>),
        (UNIT, _) => walk(nest, out, a, b, spread::<F, UNIT, STRIDED, 0>),
        (_, UNIT) => walk(nest, out, a, b, spread::<F, STRIDED, UNIT, 0>),
        _ => walk(nest, out, a, b, spread::<F, STRIDED, STRIDED, 0>),
    }
}

/// Few states are the rule: their inner loops are unrolled.
fn sized<F: Fold, const A: u8, const B: u8>(nest: &Nest, out: &mut [f64], a: &[f64], b: &[f64]) {
    match nest.inner.n {
        2 => walk(nest, out, a, b, spread::<F, A, B, 2>),
        3 => walk(nest, out, a, b, spread::<F, A, B, 3>),
        4 => walk(nest, out, a, b, spread::<F, A, B, 4>),
        _ => walk(nest, out, a, b, spread::<F, A, B, 0>),
    }
}

/// More dimensions than any table that fits in memory can have.
const DIMENSIONS: usize = 64;

/// Steps through the outer loops; `block` does the two inner ones and is told whether its cells are new.
#[inline(always)]
fn walk(
    nest: &Nest,
    out: &mut [f64],
    a: &[f64],
    b: &[f64],
    block: impl Fn(&Nest, &mut [f64], &[f64], &[f64], bool),
) {
    if nest.outer.is_empty() {
        return block(nest, out, a, b, true);
    }
    let outer = &nest.outer[..nest.outer.len().min(DIMENSIONS)];
    let mut count = [0usize; DIMENSIONS];
    let (mut at_a, mut at_b, mut at_out) = (0, 0, 0);
    // How many folding loops are past their first state.
    let mut folded = 0usize;
    loop {
        block(nest, &mut out[at_out..], &a[at_a..], &b[at_b..], folded == 0);
        let mut d = outer.len();
        loop {
            if d == 0 {
                return;
            }
            d -= 1;
            let dimension = &outer[d];
            count[d] += 1;
            if count[d] < dimension.n {
                at_a += dimension.a;
                at_b += dimension.b;
                at_out += dimension.out;
                folded += usize::from(count[d] == 1 && dimension.folds());
                break;
            }
            let back = dimension.n - 1;
            at_a -= back * dimension.a;
            at_b -= back * dimension.b;
            at_out -= back * dimension.out;
            folded -= usize::from(dimension.folds());
            count[d] = 0;
        }
    }
}

#[inline(always)]
fn at<const P: u8>(values: &[f64], k: usize, stride: usize) -> f64 {
    match P {
        FIXED => values[0],
        UNIT => values[k],
        _ => values[k * stride],
    }
}

/// The inner loop moves along the result.
#[inline(always)]
fn spread<F: Fold, const A: u8, const B: u8, const N: usize>(
    nest: &Nest,
    out: &mut [f64],
    a: &[f64],
    b: &[f64],
    first: bool,
) {
    let (middle, inner) = (nest.middle, nest.inner);
    let n = if N > 0 { N } else { inner.n };
    let (mut at_a, mut at_b, mut at_out) = (0, 0, 0);
    for i in 0..middle.n {
        let first = first && (i == 0 || middle.out != 0);
        let row = &mut out[at_out..at_out + n];
        let a = if A == UNIT { &a[at_a..at_a + n] } else { &a[at_a..] };
        let b = if B == UNIT { &b[at_b..at_b + n] } else { &b[at_b..] };
        if first {
            for (k, cell) in row.iter_mut().enumerate() {
                *cell = at::<A>(a, k, inner.a) * at::<B>(b, k, inner.b);
            }
        } else {
            for (k, cell) in row.iter_mut().enumerate() {
                *cell = F::join(*cell, at::<A>(a, k, inner.a) * at::<B>(b, k, inner.b));
            }
        }
        at_a += middle.a;
        at_b += middle.b;
        at_out += middle.out;
    }
}

/// The inner loop folds into one cell.
#[inline(always)]
fn reduce<F: Fold, const A: u8, const B: u8>(
    nest: &Nest,
    out: &mut [f64],
    a: &[f64],
    b: &[f64],
    first: bool,
) {
    let (middle, inner) = (nest.middle, nest.inner);
    let n = inner.n;
    let (mut at_a, mut at_b, mut at_out) = (0, 0, 0);
    for i in 0..middle.n {
        let a = if A == UNIT { &a[at_a..at_a + n] } else { &a[at_a..] };
        let b = if B == UNIT { &b[at_b..at_b + n] } else { &b[at_b..] };
        let mut total = at::<A>(a, 0, inner.a) * at::<B>(b, 0, inner.b);
        for k in 1..n {
            total = F::join(total, at::<A>(a, k, inner.a) * at::<B>(b, k, inner.b));
        }
        let first = first && (i == 0 || middle.out != 0);
        let cell = &mut out[at_out];
        *cell = if first { total } else { F::join(*cell, total) };
        at_a += middle.a;
        at_b += middle.b;
        at_out += middle.out;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Stream;

    /// The same by definition, cell by cell.
    fn spec<F: Fold>(dimensions: &[Loop], cells: usize, a: &[f64], b: &[f64]) -> Vec<f64> {
        let mut out = vec![None; cells];
        let all: usize = dimensions.iter().map(|d| d.n).product();
        for cell in 0..all {
            let (mut rest, mut ia, mut ib, mut io) = (cell, 0, 0, 0);
            for d in dimensions.iter().rev() {
                let k = rest % d.n;
                rest /= d.n;
                (ia, ib, io) = (ia + k * d.a, ib + k * d.b, io + k * d.out);
            }
            let value = a[ia] * b[ib];
            out[io] = Some(out[io].map_or(value, |before| F::join(before, value)));
        }
        out.into_iter().map(Option::unwrap).collect()
    }

    fn near(a: &[f64], b: &[f64]) -> bool {
        a.len() == b.len() && a.iter().zip(b).all(|(x, y)| (x - y).abs() <= 1e-13 * y.abs().max(1.0))
    }

    #[test]
    fn loops_of_every_shape_are_those_of_the_definition() {
        let mut stream = Stream::new(3, "kernel");
        for _ in 0..6000 {
            let depth = stream.below(7) as usize;
            let mut dimensions = vec![Loop::ONCE; depth];
            let (mut size_a, mut size_b, mut size_out) = (1, 1, 1);
            let swapped = stream.below(4) == 0;
            for d in dimensions.iter_mut().rev() {
                d.n = 1 + stream.below(6) as usize;
                let kind = stream.below(8);
                let takes = |size: &mut usize, has: bool, n: usize| {
                    let stride = if has { *size } else { 0 };
                    *size *= if has { n } else { 1 };
                    stride
                };
                d.out = takes(&mut size_out, kind >= 2, d.n);
                d.b = takes(&mut size_b, kind.is_multiple_of(2), d.n);
                d.a = takes(&mut size_a, kind % 2 == 1 || kind > 3, d.n);
            }
            if swapped {
                // A table kept in another order than the result.
                size_a = 1;
                for d in dimensions.iter_mut().filter(|d| d.a > 0) {
                    d.a = size_a;
                    size_a *= d.n;
                }
            }
            let mut fill = |n: usize| (0..n).map(|_| stream.unit()).collect::<Vec<f64>>();
            let (a, b, junk) = (fill(size_a), fill(size_b), fill(size_out));
            let nest = Nest::new(&dimensions);
            let mut out = junk.clone();
            run::<Sum>(&nest, &mut out, &a, &b);
            assert!(near(&out, &spec::<Sum>(&dimensions, size_out, &a, &b)), "{dimensions:?}");
            run::<Max>(&nest, &mut out, &a, &b);
            assert_eq!(out, spec::<Max>(&dimensions, size_out, &a, &b), "{dimensions:?}");
        }
    }

    #[test]
    fn contiguous_dimensions_are_one_loop() {
        let d = |n, a, b, out| Loop { n, a, b, out };
        let nest = Nest::new(&[d(3, 10, 0, 10), d(5, 2, 0, 2), d(2, 1, 0, 1)]);
        assert_eq!((nest.outer.len(), nest.middle, nest.inner), (0, Loop::ONCE, d(30, 1, 0, 1)));
    }
}
