//! The vector operations that training needs.

use crate::bank::Line;
use crate::draws::Lanes;

/// Sixty-four byte lanes, however wide the registers are. Every implementation gives the same bits.
pub(super) trait Simd {
    /// 64 bytes.
    type Bytes: Copy;
    /// 64 yes/no lanes.
    type Mask: Copy;
    /// Partial sums of votes.
    type Votes: Copy;

    fn load(from: &[u8; 64]) -> Self::Bytes;
    fn store(to: &mut [u8; 64], bytes: Self::Bytes);
    fn splat(byte: u8) -> Self::Bytes;
    /// The next 64 random bytes.
    fn random(lanes: &mut Lanes) -> Self::Bytes;
    fn mask(bits: u64) -> Self::Mask;
    fn and(a: Self::Mask, b: Self::Mask) -> Self::Mask;
    fn not(a: Self::Mask) -> Self::Mask;
    /// a < b, unsigned.
    fn less(a: Self::Bytes, b: Self::Bytes) -> Self::Mask;
    /// `yes` where the mask holds, `no` elsewhere.
    fn blend(mask: Self::Mask, no: Self::Bytes, yes: Self::Bytes) -> Self::Bytes;
    /// Saturating +1 where the mask holds.
    fn increment(bytes: Self::Bytes, mask: Self::Mask) -> Self::Bytes;
    /// Saturating −1 where the draw is below the limit, unsigned.
    fn lose(bytes: Self::Bytes, draws: Self::Bytes, limit: Self::Bytes) -> Self::Bytes;
    /// The draws with 255, which is below no limit, where a bit is set.
    fn spare(draws: Self::Bytes, bits: u64) -> Self::Bytes;
    /// The top bit of every byte.
    fn top_bits(bytes: Self::Bytes) -> u64;
    /// Draws 64 random bytes; bit i is set where byte i is below `limit` (≤ 256).
    fn select(lanes: &mut Lanes, limit: u32) -> u64;
    /// Adds one where `bits` are set; bit i of the result: lane i was counted and now equals `due`.
    fn count(counters: &mut Line<u8>, due: &Line<u8>, bits: u64) -> u64;
    /// Bit `index` of every word.
    fn bit_column(words: &Line<u64>, index: usize) -> u64;
    fn no_votes() -> Self::Votes;
    /// Adds the weights of the clauses in `bits`.
    fn add_votes(sum: Self::Votes, weights: &Line<i32>, bits: u64) -> Self::Votes;
    fn total(sum: Self::Votes) -> i32;
    /// Adds `by` to the weights in `bits`; returns which of all weights are not negative.
    fn add_weights(weights: &mut Line<i32>, bits: u64, by: i32) -> u64;
}
