//! Set bits of columns, counted: where rows are bits, a population count is a count of rows.
//!
//! Written once and compiled for every instruction set; the numbers are the same on all of them.

/// How set bits are counted on this processor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ones(Way);

/// Only ever made where the processor has it: that is the safety argument of every call below.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Way {
    Portable,
    #[cfg(target_arch = "x86_64")]
    Avx2,
    /// With the population count of its own.
    #[cfg(target_arch = "x86_64")]
    Avx512,
}

impl Ones {
    /// The fastest way of this processor on the path that was chosen.
    pub fn here() -> Ones {
        #[cfg(target_arch = "x86_64")]
        {
            let counts = is_x86_feature_detected!("avx512vpopcntdq");
            use super::Path;
            match Path::chosen() {
                Path::Avx512 if super::avx512::is_available() && counts => return Ones(Way::Avx512),
                Path::Avx512 | Path::Avx2 if super::avx2::is_available() => return Ones(Way::Avx2),
                _ => {}
            }
        }
        Ones(Way::Portable)
    }

    /// Words that are counted in the time in which one row is counted by its number, about.
    pub fn words_a_row(self) -> usize {
        match self.0 {
            Way::Portable => 1,
            #[cfg(target_arch = "x86_64")]
            Way::Avx2 => 2,
            #[cfg(target_arch = "x86_64")]
            Way::Avx512 => 4,
        }
    }

    /// For each column, one behind the other and each as long as `with`: how many bits are set in it and in `with`.
    pub fn shared(self, columns: &[u64], with: &[u64], found: &mut [u32]) {
        match self.0 {
            // SAFETY: the processor has every feature that the function is compiled for.
            #[cfg(target_arch = "x86_64")]
            Way::Avx512 => unsafe { x86::shared_512(columns, with, found) },
            // SAFETY: as above.
            #[cfg(target_arch = "x86_64")]
            Way::Avx2 => unsafe { x86::shared_256(columns, with, found) },
            Way::Portable => shared(columns, with, found),
        }
    }

    /// For each stretch of rows, by where it ends: how many of its bits are set in `part`, `rest` and `within`, and how many in the last two.
    pub fn by_stretch(self, [part, rest, within]: [&[u64]; 3], ends: &[usize], see: impl FnMut(u32, u32)) {
        match self.0 {
            // SAFETY: the processor has every feature that the function is compiled for.
            #[cfg(target_arch = "x86_64")]
            Way::Avx512 => unsafe { x86::by_stretch_512([part, rest, within], ends, see) },
            // SAFETY: as above.
            #[cfg(target_arch = "x86_64")]
            Way::Avx2 => unsafe { x86::by_stretch_256([part, rest, within], ends, see) },
            Way::Portable => by_stretch([part, rest, within], ends, see),
        }
    }
}

#[inline(always)]
fn shared(columns: &[u64], with: &[u64], found: &mut [u32]) {
    for (column, found) in columns.chunks_exact(with.len().max(1)).zip(found) {
        *found = column.iter().zip(with).map(|(a, b)| u64::from((a & b).count_ones())).sum::<u64>() as u32;
    }
}

#[inline(always)]
fn by_stretch([part, rest, within]: [&[u64]; 3], ends: &[usize], mut see: impl FnMut(u32, u32)) {
    let mut start = 0;
    for &end in ends {
        let (both, all) = stretch([part, rest, within], start, end);
        see(both, all);
        start = end;
    }
}

#[inline(always)]
fn stretch([part, rest, within]: [&[u64]; 3], start: usize, end: usize) -> (u32, u32) {
    if start >= end {
        return (0, 0);
    }
    let (first, last) = (start / 64, (end - 1) / 64);
    let head = u64::MAX << (start % 64);
    let tail = u64::MAX >> (63 - (end - 1) % 64);
    let one = |word: usize, mask: u64| {
        let bits = rest[word] & within[word] & mask;
        ((bits & part[word]).count_ones(), bits.count_ones())
    };
    if first == last {
        return one(first, head & tail);
    }
    let (mut both, mut all) = one(first, head);
    let middle = first + 1..last;
    for ((&r, &p), &w) in rest[middle.clone()].iter().zip(&part[middle.clone()]).zip(&within[middle]) {
        let bits = r & w;
        both += (bits & p).count_ones();
        all += bits.count_ones();
    }
    let (b, a) = one(last, tail);
    (both + b, all + a)
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use std::arch::x86_64::*;

    #[target_feature(enable = "avx2,popcnt,bmi1,bmi2")]
    pub(super) fn shared_256(columns: &[u64], with: &[u64], found: &mut [u32]) {
        super::shared(columns, with, found);
    }

    #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512vpopcntdq,popcnt,bmi1,bmi2")]
    pub(super) fn shared_512(columns: &[u64], with: &[u64], found: &mut [u32]) {
        let (eights, rest) = with.as_chunks::<8>();
        for (column, found) in columns.chunks_exact(with.len().max(1)).zip(found) {
            let (own, own_rest) = column.as_chunks::<8>();
            let mut sum = _mm512_setzero_si512();
            for (a, b) in own.iter().zip(eights) {
                // SAFETY: eight words each.
                let (a, b) =
                    unsafe { (_mm512_loadu_si512(a.as_ptr().cast()), _mm512_loadu_si512(b.as_ptr().cast())) };
                sum = _mm512_add_epi64(sum, _mm512_popcnt_epi64(_mm512_and_si512(a, b)));
            }
            let rest: u32 = own_rest.iter().zip(rest).map(|(a, b)| (a & b).count_ones()).sum();
            *found = _mm512_reduce_add_epi64(sum) as u32 + rest;
        }
    }

    #[target_feature(enable = "avx2,popcnt,bmi1,bmi2")]
    pub(super) fn by_stretch_256(columns: [&[u64]; 3], ends: &[usize], see: impl FnMut(u32, u32)) {
        super::by_stretch(columns, ends, see);
    }

    #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512vpopcntdq,popcnt,bmi1,bmi2")]
    pub(super) fn by_stretch_512(columns: [&[u64]; 3], ends: &[usize], see: impl FnMut(u32, u32)) {
        super::by_stretch(columns, ends, see);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ways() -> Vec<Ones> {
        let mut ways = vec![Ones(Way::Portable)];
        #[cfg(target_arch = "x86_64")]
        {
            if crate::kernel::avx2::is_available() {
                ways.push(Ones(Way::Avx2));
            }
            if crate::kernel::avx512::is_available() && is_x86_feature_detected!("avx512vpopcntdq") {
                ways.push(Ones(Way::Avx512));
            }
        }
        ways
    }

    #[test]
    fn every_way_counts_what_is_there() {
        let mut x = 0x9e37_79b9_7f4a_7c15_u64;
        let mut word = || {
            x ^= x << 13;
            x ^= x >> 7;
            x ^= x << 17;
            x
        };
        for words in [0usize, 1, 7, 8, 9, 31, 79] {
            let with: Vec<u64> = (0..words).map(|_| word()).collect();
            let columns: Vec<u64> = (0..5 * words).map(|_| word()).collect();
            let (part, rest): (Vec<u64>, Vec<u64>) = (0..words).map(|_| (word(), word())).unzip();
            let bit = |column: &[u64], row: usize| column[row / 64] >> (row % 64) & 1 == 1;
            let rows = (64 * words).saturating_sub(5);
            let ends = [0, rows / 7, rows / 7, rows / 3, rows];
            for way in ways() {
                let mut found = vec![7; if words == 0 { 0 } else { 5 }];
                way.shared(&columns, &with, &mut found);
                for (column, found) in columns.chunks(words.max(1)).zip(found) {
                    let both = (0..64 * words).filter(|&row| bit(column, row) && bit(&with, row)).count();
                    assert_eq!(found as usize, both, "{way:?} {words}");
                }
                let mut start = 0;
                let mut seen = vec![];
                way.by_stretch([&part, &rest, &with], &ends, |both, all| {
                    seen.push((both as usize, all as usize))
                });
                for (&end, seen) in ends.iter().zip(seen) {
                    let all = || (start..end).filter(|&row| bit(&rest, row) && bit(&with, row));
                    assert_eq!(
                        seen,
                        (all().filter(|&row| bit(&part, row)).count(), all().count()),
                        "{way:?}"
                    );
                    start = end;
                }
            }
        }
    }
}
