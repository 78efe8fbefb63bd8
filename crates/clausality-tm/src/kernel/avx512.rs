//! The operations with AVX-512: one register is 64 byte lanes, a mask register their masks.

use super::simd::Simd;
use crate::bank::{Bank, Line};
use crate::bits::BitMatrix;
use crate::draws::Lanes;
use std::arch::x86_64::*;

pub(super) fn is_available() -> bool {
    is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512bw")
        && is_x86_feature_detected!("avx512dq")
        && is_x86_feature_detected!("avx512vl")
        && is_x86_feature_detected!("bmi1")
        && is_x86_feature_detected!("bmi2")
        && is_x86_feature_detected!("popcnt")
}

pub(super) fn train(bank: &mut Bank, rows: &BitMatrix, labels: &[u32], order: &[u32]) {
    assert!(is_available());
    // SAFETY: the processor has every feature that the function is compiled for.
    unsafe { train_enabled(bank, rows, labels, order) }
}

#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,bmi1,bmi2,popcnt")]
fn train_enabled(bank: &mut Bank, rows: &BitMatrix, labels: &[u32], order: &[u32]) {
    super::train_on::<Avx512>(bank, rows, labels, order);
}

/// Only ever used inside [`train`], behind its check of the processor: that is the safety argument of every block below.
struct Avx512;

#[allow(clippy::undocumented_unsafe_blocks)] // one argument for all, on the type
impl Simd for Avx512 {
    type Bytes = __m512i;
    type Mask = __mmask64;
    type Votes = __m512i;

    #[inline(always)]
    fn load(from: &[u8; 64]) -> __m512i {
        unsafe { _mm512_loadu_si512(from.as_ptr().cast()) }
    }
    #[inline(always)]
    fn store(to: &mut [u8; 64], bytes: __m512i) {
        unsafe { _mm512_storeu_si512(to.as_mut_ptr().cast(), bytes) }
    }
    #[inline(always)]
    fn splat(byte: u8) -> __m512i {
        unsafe { _mm512_set1_epi8(byte as i8) }
    }
    #[inline(always)]
    fn random(lanes: &mut Lanes) -> __m512i {
        unsafe {
            let old = lanes.0.as_mut_ptr().cast::<__m512i>();
            let mut x = _mm512_load_si512(old);
            let y = _mm512_load_si512(old.add(1));
            x = _mm512_xor_si512(x, _mm512_slli_epi64::<23>(x));
            let shifted = _mm512_xor_si512(_mm512_srli_epi64::<17>(x), _mm512_srli_epi64::<26>(y));
            let z = _mm512_ternarylogic_epi64::<0x96>(x, y, shifted);
            _mm512_store_si512(old, y);
            _mm512_store_si512(old.add(1), z);
            _mm512_add_epi64(z, y)
        }
    }
    #[inline(always)]
    fn mask(bits: u64) -> __mmask64 {
        bits
    }
    #[inline(always)]
    fn and(a: __mmask64, b: __mmask64) -> __mmask64 {
        a & b
    }
    #[inline(always)]
    fn not(a: __mmask64) -> __mmask64 {
        !a
    }
    #[inline(always)]
    fn less(a: __m512i, b: __m512i) -> __mmask64 {
        unsafe { _mm512_cmplt_epu8_mask(a, b) }
    }
    #[inline(always)]
    fn blend(mask: __mmask64, no: __m512i, yes: __m512i) -> __m512i {
        unsafe { _mm512_mask_blend_epi8(mask, no, yes) }
    }
    #[inline(always)]
    fn increment(bytes: __m512i, mask: __mmask64) -> __m512i {
        unsafe { _mm512_mask_adds_epu8(bytes, mask, bytes, _mm512_set1_epi8(1)) }
    }
    #[inline(always)]
    fn lose(bytes: __m512i, draws: __m512i, limit: __m512i) -> __m512i {
        unsafe {
            let lost = _mm512_cmplt_epu8_mask(draws, limit);
            _mm512_mask_subs_epu8(bytes, lost, bytes, _mm512_set1_epi8(1))
        }
    }
    #[inline(always)]
    fn spare(draws: __m512i, bits: u64) -> __m512i {
        unsafe { _mm512_mask_blend_epi8(bits, draws, _mm512_set1_epi8(-1)) }
    }
    #[inline(always)]
    fn top_bits(bytes: __m512i) -> u64 {
        unsafe { _mm512_movepi8_mask(bytes) }
    }
    #[inline(always)]
    fn select(lanes: &mut Lanes, limit: u32) -> u64 {
        let below = Self::less(Self::random(lanes), Self::splat(limit as u8));
        if limit >= 256 { u64::MAX } else { below }
    }
    #[inline(always)]
    fn count(counters: &mut Line<u8>, due: &Line<u8>, bits: u64) -> u64 {
        unsafe {
            let counted = Self::increment(Self::load(&counters.0), bits);
            Self::store(&mut counters.0, counted);
            _mm512_mask_cmpeq_epi8_mask(bits, counted, Self::load(&due.0))
        }
    }
    #[inline(always)]
    fn bit_column(words: &Line<u64>, index: usize) -> u64 {
        unsafe {
            let bit = _mm512_set1_epi64(1 << index);
            let from = words.0.as_ptr().cast::<__m512i>();
            let mut sixteen = [0; 4];
            for (i, bits) in sixteen.iter_mut().enumerate() {
                let low = _mm512_test_epi64_mask(_mm512_load_si512(from.add(2 * i)), bit);
                let high = _mm512_test_epi64_mask(_mm512_load_si512(from.add(2 * i + 1)), bit);
                *bits = _mm512_kunpackb(high as u16, low as u16) as u32;
            }
            let low = _mm512_kunpackw(sixteen[1], sixteen[0]) as u64;
            let high = _mm512_kunpackw(sixteen[3], sixteen[2]) as u64;
            _mm512_kunpackd(high, low)
        }
    }
    #[inline(always)]
    fn no_votes() -> __m512i {
        unsafe { _mm512_setzero_si512() }
    }
    #[inline(always)]
    fn add_votes(sum: __m512i, weights: &Line<i32>, bits: u64) -> __m512i {
        unsafe {
            let from = weights.0.as_ptr().cast::<i32>();
            let a = _mm512_maskz_load_epi32(bits as u16, from);
            let b = _mm512_maskz_load_epi32((bits >> 16) as u16, from.add(16));
            let c = _mm512_maskz_load_epi32((bits >> 32) as u16, from.add(32));
            let d = _mm512_maskz_load_epi32((bits >> 48) as u16, from.add(48));
            let all = _mm512_add_epi32(_mm512_add_epi32(a, b), _mm512_add_epi32(c, d));
            _mm512_add_epi32(sum, all)
        }
    }
    #[inline(always)]
    fn total(sum: __m512i) -> i32 {
        unsafe { _mm512_reduce_add_epi32(sum) }
    }
    #[inline(always)]
    fn add_weights(weights: &mut Line<i32>, bits: u64, by: i32) -> u64 {
        unsafe {
            let at = weights.0.as_mut_ptr();
            let by = _mm512_set1_epi32(by);
            let mut negative = 0;
            for i in 0..4 {
                let old = _mm512_load_si512(at.add(16 * i).cast());
                let new = _mm512_mask_add_epi32(old, (bits >> (16 * i)) as u16, old, by);
                _mm512_store_si512(at.add(16 * i).cast(), new);
                negative |= (_mm512_movepi32_mask(new) as u64) << (16 * i);
            }
            !negative
        }
    }
}
