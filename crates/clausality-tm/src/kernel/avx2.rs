//! The operations with AVX2: two registers are 64 byte lanes, and a mask is 0xff or 0 in each.

use super::simd::Simd;
use crate::bank::{Bank, Line};
use crate::bits::BitMatrix;
use crate::draws::Lanes;
use std::arch::x86_64::*;

pub(super) fn is_available() -> bool {
    is_x86_feature_detected!("avx2")
        && is_x86_feature_detected!("bmi1")
        && is_x86_feature_detected!("bmi2")
        && is_x86_feature_detected!("popcnt")
}

pub(super) fn train(bank: &mut Bank, rows: &BitMatrix, labels: &[u32], order: &[u32]) {
    assert!(is_available());
    // SAFETY: the processor has every feature that the function is compiled for.
    unsafe { train_enabled(bank, rows, labels, order) }
}

#[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
fn train_enabled(bank: &mut Bank, rows: &BitMatrix, labels: &[u32], order: &[u32]) {
    super::train_on::<Avx2>(bank, rows, labels, order);
}

type Two = [__m256i; 2];

/// Only ever used inside [`train`], behind its check of the processor: that is the safety argument of every block below.
struct Avx2;

/// Spreads 32 bits over 32 bytes, 0xff where set.
#[inline(always)]
fn spread(bits: u32) -> __m256i {
    // SAFETY: as for `Avx2`.
    unsafe {
        let pick = _mm256_setr_epi64x(0, 0x0101_0101_0101_0101, 0x0202_0202_0202_0202, 0x0303_0303_0303_0303);
        let bytes = _mm256_shuffle_epi8(_mm256_set1_epi32(bits as i32), pick);
        let bit = _mm256_set1_epi64x(0x8040_2010_0804_0201_u64 as i64);
        _mm256_cmpeq_epi8(_mm256_and_si256(bytes, bit), bit)
    }
}

/// Spreads 8 bits over 8 lanes of 32 bits, all ones where set.
#[inline(always)]
fn spread_eight(bits: u8) -> __m256i {
    // SAFETY: as for `Avx2`.
    unsafe {
        let bit = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
        _mm256_cmpeq_epi32(_mm256_and_si256(_mm256_set1_epi32(bits as i32), bit), bit)
    }
}

#[allow(clippy::undocumented_unsafe_blocks)] // one argument for all, on the type
impl Simd for Avx2 {
    type Bytes = Two;
    type Mask = Two;
    type Votes = __m256i;

    #[inline(always)]
    fn load(from: &[u8; 64]) -> Two {
        let at = from.as_ptr().cast::<__m256i>();
        unsafe { [_mm256_loadu_si256(at), _mm256_loadu_si256(at.add(1))] }
    }
    #[inline(always)]
    fn store(to: &mut [u8; 64], bytes: Two) {
        let at = to.as_mut_ptr().cast::<__m256i>();
        unsafe {
            _mm256_storeu_si256(at, bytes[0]);
            _mm256_storeu_si256(at.add(1), bytes[1]);
        }
    }
    #[inline(always)]
    fn splat(byte: u8) -> Two {
        unsafe { [_mm256_set1_epi8(byte as i8); 2] }
    }
    #[inline(always)]
    fn random(lanes: &mut Lanes) -> Two {
        // Not a closure: closures do not inherit the instruction set.
        #[inline(always)]
        fn step(lanes: &mut Lanes, half: usize) -> __m256i {
            unsafe {
                let at = lanes.0.as_mut_ptr().cast::<__m256i>();
                let mut x = _mm256_load_si256(at.add(half));
                let y = _mm256_load_si256(at.add(half + 2));
                x = _mm256_xor_si256(x, _mm256_slli_epi64::<23>(x));
                let shifted = _mm256_xor_si256(_mm256_srli_epi64::<17>(x), _mm256_srli_epi64::<26>(y));
                let z = _mm256_xor_si256(_mm256_xor_si256(x, y), shifted);
                _mm256_store_si256(at.add(half), y);
                _mm256_store_si256(at.add(half + 2), z);
                _mm256_add_epi64(z, y)
            }
        }
        [step(lanes, 0), step(lanes, 1)]
    }
    #[inline(always)]
    fn mask(bits: u64) -> Two {
        [spread(bits as u32), spread((bits >> 32) as u32)]
    }
    #[inline(always)]
    fn and(a: Two, b: Two) -> Two {
        unsafe { [_mm256_and_si256(a[0], b[0]), _mm256_and_si256(a[1], b[1])] }
    }
    #[inline(always)]
    fn not(a: Two) -> Two {
        let ones = Self::splat(255);
        unsafe { [_mm256_xor_si256(a[0], ones[0]), _mm256_xor_si256(a[1], ones[1])] }
    }
    #[inline(always)]
    fn less(a: Two, b: Two) -> Two {
        // Unsigned comparison by flipping the top bits.
        unsafe {
            let flip = _mm256_set1_epi8(-128);
            [
                _mm256_cmpgt_epi8(_mm256_xor_si256(b[0], flip), _mm256_xor_si256(a[0], flip)),
                _mm256_cmpgt_epi8(_mm256_xor_si256(b[1], flip), _mm256_xor_si256(a[1], flip)),
            ]
        }
    }
    #[inline(always)]
    fn blend(mask: Two, no: Two, yes: Two) -> Two {
        // Two plain operations; the blend instruction takes three.
        unsafe {
            let other = [_mm256_xor_si256(no[0], yes[0]), _mm256_xor_si256(no[1], yes[1])];
            [
                _mm256_xor_si256(no[0], _mm256_and_si256(other[0], mask[0])),
                _mm256_xor_si256(no[1], _mm256_and_si256(other[1], mask[1])),
            ]
        }
    }
    #[inline(always)]
    fn increment(bytes: Two, mask: Two) -> Two {
        unsafe {
            let one = _mm256_set1_epi8(1);
            [
                _mm256_adds_epu8(bytes[0], _mm256_and_si256(mask[0], one)),
                _mm256_adds_epu8(bytes[1], _mm256_and_si256(mask[1], one)),
            ]
        }
    }
    #[inline(always)]
    fn lose(bytes: Two, draws: Two, limit: Two) -> Two {
        // limit − draw, cut off at 0 below and at 1 above: what is lost.
        unsafe {
            let one = _mm256_set1_epi8(1);
            [
                _mm256_subs_epu8(bytes[0], _mm256_min_epu8(_mm256_subs_epu8(limit[0], draws[0]), one)),
                _mm256_subs_epu8(bytes[1], _mm256_min_epu8(_mm256_subs_epu8(limit[1], draws[1]), one)),
            ]
        }
    }
    #[inline(always)]
    fn spare(draws: Two, bits: u64) -> Two {
        let mask = Self::mask(bits);
        unsafe { [_mm256_or_si256(draws[0], mask[0]), _mm256_or_si256(draws[1], mask[1])] }
    }
    #[inline(always)]
    fn top_bits(bytes: Two) -> u64 {
        unsafe {
            let low = _mm256_movemask_epi8(bytes[0]) as u32 as u64;
            let high = _mm256_movemask_epi8(bytes[1]) as u32 as u64;
            low | high << 32
        }
    }
    #[inline(always)]
    fn select(lanes: &mut Lanes, limit: u32) -> u64 {
        let below = Self::top_bits(Self::less(Self::random(lanes), Self::splat(limit as u8)));
        if limit >= 256 { u64::MAX } else { below }
    }
    #[inline(always)]
    fn count(counters: &mut Line<u8>, due: &Line<u8>, bits: u64) -> u64 {
        unsafe {
            let mask = Self::mask(bits);
            let counted = Self::increment(Self::load(&counters.0), mask);
            Self::store(&mut counters.0, counted);
            let due = Self::load(&due.0);
            let equal = [_mm256_cmpeq_epi8(counted[0], due[0]), _mm256_cmpeq_epi8(counted[1], due[1])];
            Self::top_bits(equal) & bits
        }
    }
    #[inline(always)]
    fn bit_column(words: &Line<u64>, index: usize) -> u64 {
        unsafe {
            let shift = _mm_cvtsi32_si128(63 - index as i32);
            let from = words.0.as_ptr().cast::<__m256i>();
            let mut bits = 0;
            for i in 0..16 {
                let top = _mm256_sll_epi64(_mm256_load_si256(from.add(i)), shift);
                bits |= (_mm256_movemask_pd(_mm256_castsi256_pd(top)) as u64) << (4 * i);
            }
            bits
        }
    }
    #[inline(always)]
    fn no_votes() -> __m256i {
        unsafe { _mm256_setzero_si256() }
    }
    #[inline(always)]
    fn add_votes(sum: __m256i, weights: &Line<i32>, bits: u64) -> __m256i {
        unsafe {
            let from = weights.0.as_ptr().cast::<__m256i>();
            let mut sum = sum;
            for i in 0..8 {
                let mask = spread_eight((bits >> (8 * i)) as u8);
                sum = _mm256_add_epi32(sum, _mm256_and_si256(mask, _mm256_load_si256(from.add(i))));
            }
            sum
        }
    }
    #[inline(always)]
    fn total(sum: __m256i) -> i32 {
        unsafe {
            let four = _mm_add_epi32(_mm256_castsi256_si128(sum), _mm256_extracti128_si256::<1>(sum));
            let two = _mm_add_epi32(four, _mm_shuffle_epi32::<0b1110>(four));
            _mm_cvtsi128_si32(_mm_add_epi32(two, _mm_shuffle_epi32::<0b01>(two)))
        }
    }
    #[inline(always)]
    fn add_weights(weights: &mut Line<i32>, bits: u64, by: i32) -> u64 {
        unsafe {
            let at = weights.0.as_mut_ptr().cast::<__m256i>();
            let by = _mm256_set1_epi32(by);
            let mut negative = 0;
            for i in 0..8 {
                let mask = spread_eight((bits >> (8 * i)) as u8);
                let new = _mm256_add_epi32(_mm256_load_si256(at.add(i)), _mm256_and_si256(mask, by));
                _mm256_store_si256(at.add(i), new);
                negative |= (_mm256_movemask_ps(_mm256_castsi256_ps(new)) as u64) << (8 * i);
            }
            !negative
        }
    }
}
