//! Random numbers with a stream of their own for every (seed, name).
//!
//! xoshiro256++ 1.0 (Blackman and Vigna, doi:10.1145/3460772), its state filled by SplitMix64 from the seed and the
//! FNV-1a hash of the name. A stream depends on nothing else, so what is drawn for a variable does not change when the
//! variables are listed in another order.

use crate::math::{exp, ln};
use serde::{Deserialize, Serialize};

/// A stream of random numbers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stream {
    state: [u64; 4],
}

impl Stream {
    /// The stream of a name under a seed.
    pub fn new(seed: u64, name: &str) -> Self {
        let hash = name
            .bytes()
            .fold(0xcbf2_9ce4_8422_2325u64, |h, b| (h ^ u64::from(b)).wrapping_mul(0x0000_0100_0000_01b3));
        // One step between the two keeps (seed, name) pairs from cancelling.
        let mut mixer = SplitMix(seed);
        let mut filler = SplitMix(mixer.next() ^ hash);
        Stream { state: std::array::from_fn(|_| filler.next()) }
    }

    /// The next 64 bits.
    #[inline]
    pub fn bits(&mut self) -> u64 {
        let s = &mut self.state;
        let out = s[0].wrapping_add(s[3]).rotate_left(23).wrapping_add(s[0]);
        let shifted = s[1] << 17;
        s[2] ^= s[0];
        s[3] ^= s[1];
        s[1] ^= s[2];
        s[0] ^= s[3];
        s[2] ^= shifted;
        s[3] = s[3].rotate_left(45);
        out
    }

    /// A number in [0, 1), a multiple of 2^-53.
    #[inline]
    pub fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 * (1.0 / (1u64 << 53) as f64)
    }

    /// Puts a random choice of `count` items, in random order, in front (Fisher and Yates).
    pub fn choose<T>(&mut self, items: &mut [T], count: usize) {
        for place in 0..count.min(items.len()) {
            items.swap(place, place + self.below((items.len() - place) as u64) as usize);
        }
    }

    /// A number in `0..bound` (0 if the bound is 0), every one equally likely.
    #[inline]
    pub fn below(&mut self, bound: u64) -> u64 {
        // Of the products bits × bound, the low halves below `excess` would favour some results (Lemire 2019).
        let excess = if bound == 0 { 0 } else { bound.wrapping_neg() % bound };
        loop {
            let product = u128::from(self.bits()) * u128::from(bound);
            if product as u64 >= excess {
                return (product >> 64) as u64;
            }
        }
    }

    /// A number of the normal distribution with mean 0 and deviation 1 (Marsaglia's polar method: no sine, so the same on every machine).
    fn normal(&mut self) -> f64 {
        loop {
            let (x, y) = (2.0 * self.unit() - 1.0, 2.0 * self.unit() - 1.0);
            let square = x * x + y * y;
            if square > 0.0 && square < 1.0 {
                return x * (-2.0 * ln(square) / square).sqrt();
            }
        }
    }

    /// A number of the gamma distribution with this shape and scale 1; 0 where the shape is none (Marsaglia and Tsang, doi:10.1145/358407.358414).
    pub fn gamma(&mut self, shape: f64) -> f64 {
        if shape <= 0.0 {
            return 0.0;
        }
        if shape < 1.0 {
            let power = exp(ln(1.0 - self.unit()) / shape);
            return power * self.gamma(shape + 1.0);
        }
        let d = shape - 1.0 / 3.0;
        let c = 1.0 / (9.0 * d).sqrt();
        loop {
            let x = self.normal();
            let root = 1.0 + c * x;
            let v = root * root * root;
            if root > 0.0 && ln(1.0 - self.unit()) < 0.5 * x * x + d - d * v + d * ln(v) {
                return d * v;
            }
        }
    }
}

struct SplitMix(u64);

impl SplitMix {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn generators_give_their_published_numbers() {
        let mut mixer = SplitMix(1_234_567);
        let first: [u64; 3] = std::array::from_fn(|_| mixer.next());
        assert_eq!(first, [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423]);
        let mut stream = Stream { state: [1, 2, 3, 4] };
        let first: [u64; 4] = std::array::from_fn(|_| stream.bits());
        assert_eq!(first, [41_943_041, 58_720_359, 3_588_806_011_781_223, 3_591_011_842_654_386]);
    }

    #[test]
    fn streams_differ_by_seed_and_by_name() {
        let first = |seed, name| Stream::new(seed, name).bits();
        assert_ne!(first(1, "a"), first(2, "a"));
        assert_ne!(first(1, "a"), first(1, "b"));
        assert_eq!(first(1, "a"), first(1, "a"));
    }

    #[test]
    fn gammas_have_their_mean_and_variance() {
        let mut stream = Stream::new(3, "gamma");
        for shape in [0.05, 0.7, 1.0, 4.5, 300.0] {
            let drawn: Vec<f64> = (0..40_000).map(|_| stream.gamma(shape)).collect();
            let mean = drawn.iter().sum::<f64>() / drawn.len() as f64;
            let variance = drawn.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / drawn.len() as f64;
            // Both are the shape; the means of 40,000 are within five standard errors.
            assert!((mean - shape).abs() < 5.0 * (shape / 40_000.0).sqrt(), "{shape}: {mean}");
            let error = ((2.0 * shape * shape + 6.0 * shape) / 40_000.0).sqrt();
            assert!((variance - shape).abs() < 6.0 * error, "{shape}: {variance}");
        }
        assert_eq!(stream.gamma(0.0), 0.0);
    }

    #[test]
    fn draws_stay_in_range_and_spread_evenly() {
        let mut stream = Stream::new(7, "spread");
        let mut counts = [0u32; 6];
        for _ in 0..60_000 {
            counts[stream.below(6) as usize] += 1;
            let u = stream.unit();
            assert!((0.0..1.0).contains(&u));
        }
        // Ten standard deviations of a binomial(60000, 1/6) are about 913.
        assert!(counts.iter().all(|&c| c.abs_diff(10_000) < 913), "{counts:?}");
        // Every order of three is as likely as every other: 10,000 each, about 91 either way.
        let mut orders = std::collections::BTreeMap::new();
        for _ in 0..60_000 {
            let mut items = [0, 1, 2];
            stream.choose(&mut items, 9);
            *orders.entry(items).or_insert(0u32) += 1;
        }
        assert_eq!(orders.len(), 6);
        assert!(orders.values().all(|&c| c.abs_diff(10_000) < 913), "{orders:?}");
        assert_eq!(stream.below(0), 0);
        assert_eq!(stream.below(1), 0);
    }
}
