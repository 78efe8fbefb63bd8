//! The operations in plain Rust.

use super::simd::Simd;
use crate::bank::Line;
use crate::draws::Lanes;
use std::array::from_fn;

pub(super) struct Portable;

/// 0xff where the bit is set.
#[inline(always)]
fn spread(bits: u64) -> [u8; 64] {
    from_fn(|i| ((bits >> i & 1) as u8).wrapping_neg())
}

/// Gathers the top bits of 64 bytes.
#[inline(always)]
fn gather(bytes: [u8; 64]) -> u64 {
    let mut bits = 0;
    for (i, eight) in bytes.as_chunks::<8>().0.iter().enumerate() {
        let tops = u64::from_le_bytes(*eight) >> 7 & 0x0101_0101_0101_0101;
        bits |= (tops.wrapping_mul(0x0102_0408_1020_4080) >> 56) << (i * 8);
    }
    bits
}

impl Simd for Portable {
    type Bytes = [u8; 64];
    type Mask = [u8; 64];
    type Votes = i32;

    #[inline(always)]
    fn load(from: &[u8; 64]) -> [u8; 64] {
        *from
    }
    #[inline(always)]
    fn store(to: &mut [u8; 64], bytes: [u8; 64]) {
        *to = bytes;
    }
    #[inline(always)]
    fn splat(byte: u8) -> [u8; 64] {
        [byte; 64]
    }
    #[inline(always)]
    fn random(lanes: &mut Lanes) -> [u8; 64] {
        lanes.next()
    }
    #[inline(always)]
    fn mask(bits: u64) -> [u8; 64] {
        spread(bits)
    }
    #[inline(always)]
    fn and(a: [u8; 64], b: [u8; 64]) -> [u8; 64] {
        from_fn(|i| a[i] & b[i])
    }
    #[inline(always)]
    fn not(a: [u8; 64]) -> [u8; 64] {
        from_fn(|i| !a[i])
    }
    #[inline(always)]
    fn less(a: [u8; 64], b: [u8; 64]) -> [u8; 64] {
        from_fn(|i| ((a[i] < b[i]) as u8).wrapping_neg())
    }
    #[inline(always)]
    fn blend(mask: [u8; 64], no: [u8; 64], yes: [u8; 64]) -> [u8; 64] {
        from_fn(|i| (no[i] & !mask[i]) | (yes[i] & mask[i]))
    }
    #[inline(always)]
    fn increment(bytes: [u8; 64], mask: [u8; 64]) -> [u8; 64] {
        from_fn(|i| bytes[i].saturating_add(mask[i] & 1))
    }
    #[inline(always)]
    fn lose(bytes: [u8; 64], draws: [u8; 64], limit: [u8; 64]) -> [u8; 64] {
        from_fn(|i| bytes[i].saturating_sub((draws[i] < limit[i]) as u8))
    }
    #[inline(always)]
    fn spare(draws: [u8; 64], bits: u64) -> [u8; 64] {
        let mask = spread(bits);
        from_fn(|i| draws[i] | mask[i])
    }
    #[inline(always)]
    fn top_bits(bytes: [u8; 64]) -> u64 {
        gather(bytes)
    }
    #[inline(always)]
    fn select(lanes: &mut Lanes, limit: u32) -> u64 {
        let bytes = lanes.next();
        gather(from_fn(|i| (((bytes[i] as u32) < limit) as u8) << 7))
    }
    #[inline(always)]
    fn count(counters: &mut Line<u8>, due: &Line<u8>, bits: u64) -> u64 {
        let mut hits = 0;
        let mut rest = bits;
        while rest != 0 {
            let lane = rest.trailing_zeros() as usize;
            counters.0[lane] += 1;
            hits |= ((counters.0[lane] == due.0[lane]) as u64) << lane;
            rest &= rest - 1;
        }
        hits
    }
    #[inline(always)]
    fn bit_column(words: &Line<u64>, index: usize) -> u64 {
        let mut bits = 0;
        for (i, word) in words.0.iter().enumerate() {
            bits |= (word >> index & 1) << i;
        }
        bits
    }
    #[inline(always)]
    fn no_votes() -> i32 {
        0
    }
    #[inline(always)]
    fn add_votes(sum: i32, weights: &Line<i32>, bits: u64) -> i32 {
        let mut sum = sum;
        for (i, &w) in weights.0.iter().enumerate() {
            sum += w & -((bits >> i & 1) as i32);
        }
        sum
    }
    #[inline(always)]
    fn total(sum: i32) -> i32 {
        sum
    }
    #[inline(always)]
    fn add_weights(weights: &mut Line<i32>, bits: u64, by: i32) -> u64 {
        let mut positive = 0;
        for (i, w) in weights.0.iter_mut().enumerate() {
            *w += by & -((bits >> i & 1) as i32);
            positive |= ((*w >= 0) as u64) << i;
        }
        positive
    }
}
