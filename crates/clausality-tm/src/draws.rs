//! Every random draw of the machine, defined once for the reference and all fast paths.
//!
//! Streams are defined by *lanes*, not by register width: [`Lanes`] is eight independent xorshift128+ generators whose
//! outputs, laid side by side in little-endian order, are 64 random bytes. A path with wider or narrower registers
//! advances the same eight generators and sees the same bytes.
//!
//! Probabilities are compared byte by byte. A byte alone would round them to 1/256, so the threshold is *dithered*: for a
//! probability P in 1/65536ths and a uniform byte u shared by all lanes of one event, a lane fires when
//!
//! ```text
//! r < t,   t = ⌊(65536·P + u) / 256⌋,   so that  E[t/256] = P   exactly in 1/65536ths
//! ```
//!
//! All tables are made with IEEE additions and multiplications only, so they are the same bits on every machine.

/// SplitMix64: turns a seed into as many well-mixed words as are asked for.
#[derive(Debug, Clone)]
pub(crate) struct SplitMix(pub(crate) u64);

impl SplitMix {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
}

/// The scalar stream: dithers, negative classes, geometric gaps, shuffles (xoroshiro128+).
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Scalar {
    a: u64,
    b: u64,
}

impl Scalar {
    pub(crate) fn new(mix: &mut SplitMix) -> Self {
        Scalar { a: mix.next() | 1, b: mix.next() }
    }

    #[inline(always)]
    pub(crate) fn next(&mut self) -> u64 {
        let (a, mut b) = (self.a, self.b);
        let out = a.wrapping_add(b);
        b ^= a;
        self.a = a.rotate_left(24) ^ b ^ (b << 16);
        self.b = b.rotate_left(37);
        out
    }

    /// A uniform byte: the shared dither of one event.
    #[inline(always)]
    pub(crate) fn dither(&mut self) -> u32 {
        (self.next() >> 56) as u32
    }

    /// A uniform number below `n` (n ≥ 1; the bias is below n / 2³²).
    #[inline(always)]
    pub(crate) fn below(&mut self, n: u32) -> u32 {
        (((self.next() >> 32) * n as u64) >> 32) as u32
    }

    /// Shuffles in place (Fisher–Yates).
    pub(crate) fn shuffle(&mut self, items: &mut [u32]) {
        for i in (1..items.len()).rev() {
            let j = self.below(i as u32 + 1) as usize;
            items.swap(i, j);
        }
    }
}

/// Eight lanes of xorshift128+: the older words, then the newer ones.
#[derive(Debug, Clone, PartialEq, Eq)]
#[repr(align(64))]
pub(crate) struct Lanes(pub(crate) [u64; 16]);

impl Lanes {
    pub(crate) fn new(mix: &mut SplitMix) -> Self {
        let mut words = [0; 16];
        for w in &mut words {
            *w = mix.next();
        }
        for older in &mut words[..8] {
            *older |= 1; // no lane may be all zero
        }
        Lanes(words)
    }

    /// The next 64 bytes; the definition that every fast path repeats.
    #[inline(always)]
    pub(crate) fn next(&mut self) -> [u8; 64] {
        let mut out = [0; 64];
        for lane in 0..8 {
            let mut x = self.0[lane];
            let y = self.0[lane + 8];
            x ^= x << 23;
            let z = x ^ y ^ (x >> 17) ^ (y >> 26);
            self.0[lane] = y;
            self.0[lane + 8] = z;
            out[lane * 8..lane * 8 + 8].copy_from_slice(&z.wrapping_add(y).to_le_bytes());
        }
        out
    }
}

/// The largest probability a byte comparison is asked for: t stays below 256.
pub(crate) const MOST: u32 = 65536 - 256;

/// A probability in 1/65536ths, at most [`MOST`].
pub(crate) fn fixed(p: f64) -> u32 {
    ((p * 65536.0 + 0.5) as u32).min(MOST)
}

/// The dithered byte threshold of a probability.
#[inline(always)]
pub(crate) fn threshold(fixed: u32, dither: u32) -> u32 {
    (fixed + dither) >> 8
}

/// Gaps between successes of trials with probability 1/s: P(gap ≥ g) = q^g, q = 1 − 1/s.
///
/// Drawn in stretches of 64 trials: while a uniform u is below q^64 the stretch held no success; otherwise the gap
/// within the stretch is the number of powers q^1 … q^63 above u.
#[derive(Debug, Clone)]
pub(crate) struct Gaps {
    /// q^1 … q^64 in 2⁻³² units.
    powers: [u32; 64],
    /// For every top byte of u, how many powers are above all u with that byte: where the count starts.
    start: [u8; 256],
}

impl Gaps {
    pub(crate) fn new(specificity: f64) -> Self {
        let q = 1.0 - 1.0 / specificity;
        let mut power = 1.0;
        let powers: [u32; 64] = std::array::from_fn(|_| {
            power *= q;
            (power * 4294967296.0) as u32
        });
        let start = std::array::from_fn(|byte| {
            let largest = (byte as u32) << 24 | 0x00ff_ffff;
            powers[..63].partition_point(|&p| p > largest) as u8
        });
        Gaps { powers, start }
    }

    pub(crate) fn draw(&self, rng: &mut Scalar) -> u32 {
        let mut gap = 0;
        loop {
            let u = (rng.next() >> 32) as u32;
            if u >= self.powers[63] || gap >= 1 << 24 {
                let start = self.start[(u >> 24) as usize];
                let more = self.powers[start as usize..63].iter().take_while(|&&p| p > u).count();
                return gap + start as u32 + more as u32;
            }
            gap += 64;
        }
    }
}

/// The most Type Ib events a clause may leave pending.
const MOST_PENDING: usize = 48;

/// Upper tails of Binomial(n, 1/s), for the decrements of n deferred Type Ib events at once.
#[derive(Debug, Clone)]
pub(crate) struct Tails {
    /// `rows[n]` = P(X ≥ 1), P(X ≥ 2), … in 1/65536ths while not zero.
    rows: Vec<Vec<u32>>,
}

impl Tails {
    pub(crate) fn new(specificity: f64) -> Self {
        let p = (1.0 / specificity).min(MOST as f64 / 65536.0);
        let q = 1.0 - p;
        let mut mass = vec![1.0_f64]; // of Binomial(n, p), n = 0
        let mut rows = vec![vec![]];
        // One row more than may be pending: Type Ia adds its own forgetting to what is pending. A row is usable while
        // P(X ≥ 1) = 1 − q^n stays below MOST.
        let mut none = 1.0;
        while rows.len() < 3 || (rows.len() <= MOST_PENDING + 1 && none * q >= 1.0 / 256.0) {
            none *= q;
            let mut next = vec![0.0; mass.len() + 1];
            for (k, m) in mass.iter().enumerate() {
                next[k] += m * q;
                next[k + 1] += m * p;
            }
            mass = next;
            let mut tail = 0.0;
            let mut row: Vec<u32> = mass
                .iter()
                .skip(1)
                .rev()
                .map(|m| {
                    tail += m;
                    fixed(tail)
                })
                .collect();
            row.reverse();
            row.retain(|&t| t > 0);
            rows.push(row);
        }
        Tails { rows }
    }

    /// The most events that may be pending.
    pub(crate) fn most(&self) -> u8 {
        (self.rows.len() - 2) as u8
    }

    #[inline(always)]
    pub(crate) fn row(&self, n: u8) -> &[u32] {
        &self.rows[n as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Pearson's statistic over cells that expect at least five.
    fn chi_square(observed: &[u64], expected: &[f64]) -> (f64, usize) {
        let cells = observed.iter().zip(expected).filter(|(_, e)| **e >= 5.0);
        cells.fold((0.0, 0), |(x, n), (&o, &e)| (x + (o as f64 - e).powi(2) / e, n + 1))
    }

    /// A chi-square variable with k degrees of freedom stays below this in all but about one of 30,000 runs.
    fn limit(k: usize) -> f64 {
        k as f64 + 4.0 * (2.0 * k as f64).sqrt() + 8.0
    }

    fn binomial(n: usize, p: f64) -> Vec<f64> {
        let mut mass = vec![1.0];
        for _ in 0..n {
            let mut next = vec![0.0; mass.len() + 1];
            for (k, m) in mass.iter().enumerate() {
                next[k] += m * (1.0 - p);
                next[k + 1] += m * p;
            }
            mass = next;
        }
        mass
    }

    #[test]
    fn lanes_are_uniform_bytes() {
        let mut lanes = Lanes::new(&mut SplitMix(7));
        let mut observed = vec![0; 256];
        for _ in 0..20_000 {
            lanes.next().iter().for_each(|&b| observed[b as usize] += 1);
        }
        let (x, n) = chi_square(&observed, &[20_000.0 * 64.0 / 256.0; 256]);
        assert!(x < limit(n), "{x} over {n} cells");
    }

    #[test]
    fn dithered_bytes_fire_with_probability_one_over_s() {
        for s in [1.2, 2.0, 3.0, 6.7, 9.8, 12.6, 300.0] {
            let mut mix = SplitMix(11);
            let (mut lanes, mut scalar) = (Lanes::new(&mut mix), Scalar::new(&mut mix));
            let (events, mut fired) = (40_000, 0_u64);
            for _ in 0..events {
                let t = threshold(fixed(1.0 / s), scalar.dither());
                fired += lanes.next().iter().filter(|&&b| (b as u32) < t).count() as u64;
            }
            let n = events as f64 * 64.0;
            let (mean, p) = (fired as f64 / n, 1.0 / s);
            // Lanes of one event share a dither, which adds at most (1/512)² to the variance of an event's mean.
            let spread = (p * (1.0 - p) / n + 1.0 / (512.0 * 512.0) / events as f64).sqrt();
            assert!((mean - p).abs() < 4.5 * spread + 1.0 / 131072.0, "s {s}: {mean} against {p}");
        }
    }

    #[test]
    fn gaps_are_geometric() {
        for s in [1.3, 3.0, 9.8, 60.0] {
            let (gaps, mut scalar) = (Gaps::new(s), Scalar::new(&mut SplitMix(5)));
            let (draws, q) = (200_000, 1.0 - 1.0 / s);
            let mut observed = vec![0; 600];
            for _ in 0..draws {
                observed[(gaps.draw(&mut scalar) as usize).min(599)] += 1;
            }
            let expected: Vec<f64> =
                (0..599).map(|g| draws as f64 * q.powi(g) / s).chain([draws as f64 * q.powi(599)]).collect();
            let (x, n) = chi_square(&observed, &expected);
            assert!(x < limit(n), "s {s}: {x} over {n} cells");
        }
    }

    #[test]
    fn one_byte_gives_a_binomial() {
        for (s, n) in [(3.0, 1), (3.0, 7), (9.8, 5), (9.8, 20), (1.5, 3)] {
            let tails = Tails::new(s);
            assert!(n <= tails.most(), "s {s} allows {}", tails.most());
            let mut mix = SplitMix(3);
            let (mut lanes, mut scalar) = (Lanes::new(&mut mix), Scalar::new(&mut mix));
            let mut observed = vec![0; n as usize + 1];
            let events = 100_000;
            for _ in 0..events {
                // One lane an event, so that draws are independent and the statistic is honest.
                let (byte, dither) = (lanes.next()[0] as u32, scalar.dither());
                observed[tails.row(n).iter().filter(|&&p| byte < threshold(p, dither)).count()] += 1;
            }
            let expected: Vec<f64> =
                binomial(n as usize, 1.0 / s).iter().map(|m| m * events as f64).collect();
            let (x, cells) = chi_square(&observed, &expected);
            assert!(x < limit(cells), "s {s}, n {n}: {x} over {cells} cells");
        }
    }

    #[test]
    fn at_least_one_event_may_be_pending_whatever_s() {
        for s in [1.0001, 1.01, 1.5, 3.0, 10.0, 1e6, 1e12] {
            let tails = Tails::new(s);
            assert!(tails.most() >= 1);
            for n in 0..=tails.most() + 1 {
                assert!(tails.row(n).windows(2).all(|w| w[0] >= w[1]) && tails.row(n).len() <= 64);
                assert!(tails.row(n).iter().all(|&p| threshold(p, 255) < 256));
            }
        }
    }
}
