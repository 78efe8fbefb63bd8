//! A list of numbers, one per row, in four bytes each where that loses nothing.
//!
//! Most columns of many numbers are whole or have a few decimals: `k / 10^d` with a whole `k` of 32 bits and the same `d` for all. The
//! quotient of two whole numbers that doubles hold exactly is rounded once, as the decimal text was: it is the same double, bit for
//! bit, which is looked at for each number. One that does not fit turns the list into doubles.

use super::codes::retain_from;
use super::{number, wire};
use std::io::{self, Read, Write};

/// Decimals at most: whole numbers of 32 bits hold no more than nine digits.
const MOST_DECIMALS: usize = 6;
const POWERS: [f64; MOST_DECIMALS + 1] = [1.0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6];

/// What stands for a gap.
const GAP: i32 = i32::MIN;

/// Numbers, one per row; gaps are NaN.
#[derive(Debug, Clone)]
pub(in crate::data) struct Listed(Kept);

#[derive(Debug, Clone)]
enum Kept {
    /// Whole numbers of units of `10^-decimals`; `most` is the largest without its sign.
    Units {
        units: Vec<i32>,
        decimals: usize,
        most: u32,
    },
    Doubles(Vec<f64>),
}

/// The number in units of `10^-decimals`, if it is exactly so many.
#[inline]
fn in_units(value: f64, decimals: usize) -> Option<i32> {
    let units = (value * POWERS[decimals]).round();
    // Beyond what 32 bits hold the nearest that they do is taken, which is not the same number then. Nor is 0 for -0.
    let units = units as i32;
    (units != GAP && (f64::from(units) / POWERS[decimals]).to_bits() == value.to_bits()).then_some(units)
}

impl Listed {
    #[inline]
    pub(in crate::data) fn push(&mut self, value: f64) {
        match &mut self.0 {
            Kept::Doubles(values) => values.push(value),
            Kept::Units { units, .. } if value.is_nan() => units.push(GAP),
            Kept::Units { units, decimals, most } => match in_units(value, *decimals) {
                Some(unit) => {
                    *most = unit.unsigned_abs().max(*most);
                    units.push(unit);
                }
                None => self.push_finer(value),
            },
        }
    }

    /// A number that needs more decimals than those before it, or doubles.
    #[cold]
    fn push_finer(&mut self, value: f64) {
        let Kept::Units { units, decimals, most } = &mut self.0 else { return self.push(value) };
        for finer in *decimals + 1..=MOST_DECIMALS {
            let times = POWERS[finer - *decimals] as i64;
            if i64::from(*most) * times >= i64::from(i32::MAX) {
                break;
            }
            if let Some(unit) = in_units(value, finer) {
                let times = times as i32;
                units.iter_mut().filter(|unit| **unit != GAP).for_each(|unit| *unit *= times);
                (*decimals, *most) = (finer, (*most * times.unsigned_abs()).max(unit.unsigned_abs()));
                return units.push(unit);
            }
        }
        let mut values = Vec::with_capacity(units.capacity());
        values.extend(self.iter());
        values.push(value);
        self.0 = Kept::Doubles(values);
    }

    /// All numbers in the order of rows.
    #[inline]
    pub(in crate::data) fn iter(&self) -> impl Iterator<Item = f64> + Clone + '_ {
        let (units, power, values): (&[i32], f64, &[f64]) = match &self.0 {
            Kept::Units { units, decimals, .. } => (units, POWERS[*decimals], &[]),
            Kept::Doubles(values) => (&[], 1.0, values),
        };
        let value = move |&unit: &i32| if unit == GAP { f64::NAN } else { f64::from(unit) / power };
        units.iter().map(value).chain(values.iter().copied())
    }

    /// The numbers that are no gaps in units of one size, and what makes numbers of them; nothing where they are doubles.
    pub(in crate::data) fn units(&self) -> Option<(impl Iterator<Item = i32>, impl Fn(i32) -> f64 + use<>)> {
        let Kept::Units { units, decimals, .. } = &self.0 else { return None };
        let power = POWERS[*decimals];
        Some((units.iter().copied().filter(|&unit| unit != GAP), move |unit| f64::from(unit) / power))
    }

    pub(in crate::data) fn len(&self) -> usize {
        match &self.0 {
            Kept::Units { units, .. } => units.len(),
            Kept::Doubles(values) => values.len(),
        }
    }

    /// Of the rows from one on the marked ones only.
    pub(in crate::data) fn retain_from(&mut self, start: usize, keep: &[bool]) {
        match &mut self.0 {
            Kept::Units { units, .. } => retain_from(units, start, keep),
            Kept::Doubles(values) => retain_from(values, start, keep),
        }
    }

    /// Each number as the text that stands for it.
    pub(in crate::data) fn texts(&self) -> impl Iterator<Item = String> + '_ {
        self.iter().map(|value| if value.is_nan() { String::new() } else { number::write(value) })
    }

    pub(in crate::data) fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        match &self.0 {
            Kept::Units { units, decimals, most } => {
                [1, *decimals as u64, (*most).into()]
                    .into_iter()
                    .try_for_each(|number| wire::put(out, number))?;
                wire::put_all(out, units.iter().map(|unit| unit.to_le_bytes()))
            }
            Kept::Doubles(values) => {
                wire::put(out, 0)?;
                wire::put_all(out, values.iter().map(|value| value.to_le_bytes()))
            }
        }
    }

    pub(in crate::data) fn read(from: &mut dyn Read) -> io::Result<Self> {
        if wire::take(from)? == 0 {
            return Ok(Listed(Kept::Doubles(wire::take_all(from, f64::from_le_bytes)?)));
        }
        let (decimals, most) = (wire::take(from)? as usize, wire::take(from)? as u32);
        if decimals > MOST_DECIMALS {
            return Err(wire::torn());
        }
        Ok(Listed(Kept::Units { units: wire::take_all(from, i32::from_le_bytes)?, decimals, most }))
    }

    /// Bytes held.
    pub(in crate::data) fn bytes(&self) -> usize {
        match &self.0 {
            Kept::Units { units, .. } => units.capacity() * size_of::<i32>(),
            Kept::Doubles(values) => values.capacity() * size_of::<f64>(),
        }
    }
}

impl Listed {
    /// These numbers, with room for so many in all.
    pub(in crate::data) fn with_capacity(rows: usize, values: impl Iterator<Item = f64>) -> Self {
        let mut listed = Listed(Kept::Units { units: Vec::with_capacity(rows), decimals: 0, most: 0 });
        values.for_each(|value| listed.push(value));
        listed
    }
}

#[cfg(test)]
impl FromIterator<f64> for Listed {
    fn from_iter<I: IntoIterator<Item = f64>>(values: I) -> Self {
        Listed::with_capacity(0, values.into_iter())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn same(values: &[f64]) -> Listed {
        let listed: Listed = values.iter().copied().collect();
        let bits = |value: f64| if value.is_nan() { None } else { Some(value.to_bits()) };
        assert_eq!(listed.len(), values.len());
        for (kept, &value) in listed.iter().zip(values) {
            assert_eq!(bits(kept), bits(value), "{kept} {value}");
        }
        listed
    }

    #[test]
    fn few_decimals_take_four_bytes_and_the_rest_eight() {
        let short = |values: &[f64]| matches!(same(values).0, Kept::Units { .. });
        assert!(short(&[1.0, f64::NAN, -7.0, 2e9, 0.0]));
        assert!(short(&[1.0, 12.34, f64::NAN, -0.07, 0.3, 249_999.99]));
        assert!(short(&[-4.123456, 1000.0]));
        for odd in [-0.0, f64::INFINITY, f64::NEG_INFINITY, 0.1 + 0.2, 1e-7, 3e9, i32::MIN.into(), f64::MAX] {
            assert!(!short(&[1.0, f64::NAN, 12.5, odd]), "{odd}");
        }
        assert!(!short(&[2e9, 0.5]), "what was there has no room for decimals");
    }

    #[test]
    fn kept_rows_stay_what_they_are() {
        for values in [[1.5, f64::NAN, 2.25, 4.0], [1.5, f64::NAN, std::f64::consts::PI, 4.0]] {
            let mut listed = same(&values);
            listed.retain_from(1, &[true, false, true]);
            assert_eq!(listed.texts().collect::<Vec<_>>(), ["1.5", "", "4"]);
        }
    }

    proptest! {
        #[test]
        fn nothing_is_lost(
            parts in prop::collection::vec((-3_000_000_000i64..3_000_000_000, 0usize..8, 0u8..20), 0..60),
        ) {
            let value = |&(digits, decimals, odd): &(i64, usize, u8)| match odd {
                0 => f64::NAN,
                1 => digits as f64 / 7.0,
                _ => format!("{digits}e-{decimals}").parse().unwrap(),
            };
            same(&parts.iter().map(value).collect::<Vec<f64>>());
        }
    }
}
