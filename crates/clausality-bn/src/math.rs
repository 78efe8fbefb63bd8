//! Logarithms and gamma functions from basic operations alone.
//!
//! Scores decide structures, and a structure must be the same on every machine. The logarithm of a system library may
//! differ in the last bit from one system to the next; addition, multiplication, division and square root may not
//! (IEEE 754). Everything here is made of those four.
//!
//! - [`ln`]: `x = 2^k m`, `s = (m − 1)/(m + 1)`, `ln m = 2 (s + s³/3 + s⁵/5 + …)`, with the large parts of the sum kept
//!   apart so that the error stays below one unit in the last place.
//! - [`ln_gamma`]: Stirling's series for `x ≥ 16`; smaller arguments are raised by `Γ(x + 1) = x Γ(x)`.
//! - [`ExactSum`]: fixed-point sums, which do not depend on the order of their terms.

/// The leading 32 bits of ln 2: times an exponent, still exact.
const LN2_HIGH: f64 = f64::from_bits(0x3fe6_2e42_fee0_0000);
/// The rest of ln 2.
const LN2_LOW: f64 = 1.908_214_929_270_587_7e-10;
/// `½ ln 2π`.
const HALF_LN_2PI: f64 = 0.918_938_533_204_672_7;

/// The natural logarithm; minus infinity at 0, NaN below.
pub fn ln(x: f64) -> f64 {
    const TWO_54: f64 = 18_014_398_509_481_984.0;
    if x.is_nan() || x < 0.0 {
        return f64::NAN;
    }
    if x == 0.0 {
        return f64::NEG_INFINITY;
    }
    if x == f64::INFINITY {
        return x;
    }
    // A number without a leading bit gets one first.
    let (x, lift) = if x < f64::MIN_POSITIVE { (x * TWO_54, -54) } else { (x, 0) };
    let bits = x.to_bits();
    let mut exponent = (bits >> 52) as i64 - 1023 + lift;
    let mut mantissa = f64::from_bits((bits & 0x000f_ffff_ffff_ffff) | 0x3ff0_0000_0000_0000);
    if mantissa > std::f64::consts::SQRT_2 {
        mantissa *= 0.5;
        exponent += 1;
    }
    let k = exponent as f64;
    let f = mantissa - 1.0;
    let s = f / (2.0 + f);
    let half_square = 0.5 * f * f;
    // 2s = f − s·f = f − f²/2 + s·f²/2, so that the leading term f needs no rounding.
    let inner = s * (half_square + series(s * s)) + k * LN2_LOW;
    k * LN2_HIGH - ((half_square - inner) - f)
}

/// `2 z/3 + 2 z²/5 + 2 z³/7 + …` for `z = s² < 0.0295`; eleven terms reach below 2^-60.
fn series(z: f64) -> f64 {
    const COEFFICIENTS: [f64; 11] = [
        2.0 / 23.0,
        2.0 / 21.0,
        2.0 / 19.0,
        2.0 / 17.0,
        2.0 / 15.0,
        2.0 / 13.0,
        2.0 / 11.0,
        2.0 / 9.0,
        2.0 / 7.0,
        2.0 / 5.0,
        2.0 / 3.0,
    ];
    COEFFICIENTS.iter().fold(0.0, |sum, c| sum * z + c) * z
}

/// `ln (1 + x)` for `x ≥ 0`, without losing the digits of a small `x`.
pub fn ln_1p(x: f64) -> f64 {
    if x > 0.4 {
        return ln(1.0 + x);
    }
    let s = x / (2.0 + x);
    2.0 * s + s * series(s * s)
}

/// The exponential: `x = k ln 2 + f`, `e^f = 1 + f + f²/2 + …`; 0 below the smallest normal number.
pub fn exp(x: f64) -> f64 {
    const TERMS: i32 = 14;
    if x.is_nan() || x > 709.0 {
        return if x.is_nan() { x } else { f64::INFINITY };
    }
    if x < -708.0 {
        return 0.0;
    }
    let k = (x / std::f64::consts::LN_2).round();
    let f = (x - k * LN2_HIGH) - k * LN2_LOW;
    let sum = (1..=TERMS).rev().fold(1.0, |sum, n| 1.0 + sum * f / f64::from(n));
    sum * f64::from_bits(((1023 + k as i64) as u64) << 52)
}

/// `x ln x`, 0 at 0.
#[inline]
pub fn x_ln_x(x: f64) -> f64 {
    if x == 0.0 { 0.0 } else { x * ln(x) }
}

/// `ln Γ(x)` for `x > 0`.
pub fn ln_gamma(x: f64) -> f64 {
    const ENOUGH: f64 = 16.0;
    if x.is_nan() || x <= 0.0 {
        return f64::NAN;
    }
    let mut raised = x;
    let mut product = 1.0;
    while raised < ENOUGH {
        product *= raised;
        raised += 1.0;
    }
    let stirling = (raised - 0.5) * ln(raised) - raised + HALF_LN_2PI + stirling_tail(1.0 / raised);
    if product == 1.0 { stirling } else { stirling - ln(product) }
}

/// `1/(12 x) − 1/(360 x³) + 1/(1260 x⁵) − …` from `1/x`.
fn stirling_tail(inverse: f64) -> f64 {
    const COEFFICIENTS: [f64; 6] =
        [-691.0 / 360_360.0, 1.0 / 1188.0, -1.0 / 1680.0, 1.0 / 1260.0, -1.0 / 360.0, 1.0 / 12.0];
    let square = inverse * inverse;
    COEFFICIENTS.iter().fold(0.0, |sum, c| sum * square + c) * inverse
}

/// `ln (a (a + 1) … (a + n − 1)) = ln Γ(a + n) − ln Γ(a)` for `0 < a ≤ 1e12`.
pub fn ln_rising(a: f64, n: u32) -> f64 {
    // Up to here the product cannot overflow, and it loses no digits to a difference of large numbers.
    const PRODUCT: u32 = 20;
    if n <= PRODUCT {
        return ln((0..n).fold(1.0, |product, i| product * (a + f64::from(i))));
    }
    ln_gamma(a + f64::from(n)) - ln_gamma(a)
}

/// ln P(χ²_df ≥ x), accurate where that is below about 0.08 and an upper bound's stand-in (0) above.
///
/// Q(a, x) = x^a e^(−x) / Γ(a) · 1/(x + 1 − a − 1(1−a)/(x + 3 − a − …)), a = df/2, at x/2 (Lentz's evaluation).
pub fn ln_chi_square_tail(x: f64, df: f64) -> f64 {
    let (a, x) = (0.5 * df, 0.5 * x);
    if df <= 0.0 || x < a + 1.0 {
        return 0.0;
    }
    const TINY: f64 = 1e-300;
    let mut b = x + 1.0 - a;
    let mut c = 1.0 / TINY;
    let mut d = 1.0 / b;
    let mut h = d;
    for i in 1..500 {
        let i = f64::from(i);
        let an = -i * (i - a);
        b += 2.0;
        d = an * d + b;
        d = 1.0 / if d.abs() < TINY { TINY } else { d };
        c = b + an / c;
        c = if c.abs() < TINY { TINY } else { c };
        h *= d * c;
        if (d * c - 1.0).abs() < 1e-14 {
            break;
        }
    }
    (a * ln(x) - x - ln_gamma(a) + ln(h)).min(0.0)
}

/// P(χ²_df ≥ x), over the whole range: [`ln_chi_square_tail`] where that is accurate, else the series of the lower part,
/// P(a, x) = x^a e^(−x) / Γ(a + 1) · (1 + x/(a+1) + x²/((a+1)(a+2)) + …), a = df/2, at x/2.
pub fn chi_square_tail(x: f64, df: f64) -> f64 {
    let (a, half) = (0.5 * df, 0.5 * x);
    if df <= 0.0 || half <= 0.0 {
        return 1.0;
    }
    if half >= a + 1.0 {
        return exp(ln_chi_square_tail(x, df));
    }
    let (mut term, mut sum) = (1.0, 1.0);
    for i in 1..10_000 {
        term *= half / (a + f64::from(i));
        sum += term;
        if term < 1e-16 * sum {
            break;
        }
    }
    (1.0 - exp(a * ln(half) - half - ln_gamma(a + 1.0)) * sum).clamp(0.0, 1.0)
}

/// A sum in fixed point (steps of 2^-48): the same for every order of its terms.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ExactSum(i128);

impl ExactSum {
    const STEP: f64 = (1u64 << 48) as f64;

    /// A term in fixed point, cut to the step. Terms must be finite and below 2^78.
    pub fn of(term: f64) -> Self {
        debug_assert!(term.is_finite());
        let steps = term * Self::STEP;
        // The narrow conversion is one instruction, the wide one a call.
        if steps.abs() < 9e18 { ExactSum(steps as i64 as i128) } else { ExactSum(steps as i128) }
    }

    /// The sum as a double.
    pub fn value(self) -> f64 {
        self.0 as f64 / Self::STEP
    }
}

impl std::ops::AddAssign for ExactSum {
    fn add_assign(&mut self, other: Self) {
        self.0 += other.0;
    }
}

impl std::ops::SubAssign for ExactSum {
    fn sub_assign(&mut self, other: Self) {
        self.0 -= other.0;
    }
}

impl std::iter::Sum for ExactSum {
    fn sum<I: Iterator<Item = Self>>(terms: I) -> Self {
        ExactSum(terms.map(|t| t.0).sum())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn ulps(a: f64, b: f64) -> u64 {
        a.to_bits().abs_diff(b.to_bits())
    }

    #[test]
    fn exponentials_are_those_of_the_system_to_the_last_bits() {
        for i in -7000..7000 {
            let x = f64::from(i) * 0.1 + 0.013;
            assert!((exp(x) / x.exp() - 1.0).abs() < 1e-15, "{x}");
        }
        assert_eq!([exp(0.0), exp(f64::NEG_INFINITY), exp(f64::INFINITY)], [1.0, 0.0, f64::INFINITY]);
        assert!(exp(f64::NAN).is_nan());
    }

    #[test]
    fn ln_at_its_ends() {
        assert_eq!(ln(1.0), 0.0);
        assert_eq!(ln(0.0), f64::NEG_INFINITY);
        assert_eq!(ln(f64::INFINITY), f64::INFINITY);
        assert!(ln(-1.0).is_nan() && ln(f64::NAN).is_nan());
        assert!(ulps(ln(2.0), std::f64::consts::LN_2) <= 1);
        assert!(ulps(ln(10.0), std::f64::consts::LN_10) <= 1);
        assert!(ulps(ln(f64::MAX), 709.782_712_893_384) <= 1);
        assert!(ulps(ln(5e-324), -744.440_071_921_381_2) <= 1);
        assert_eq!(x_ln_x(0.0), 0.0);
    }

    #[test]
    fn ln_gamma_of_whole_and_half_numbers() {
        let mut factorial = 1.0;
        for n in 1..60u32 {
            assert!(
                (ln_gamma(f64::from(n)) - f64::ln(factorial)).abs() < 3e-14 * f64::ln(factorial).max(1.0),
                "{n}"
            );
            factorial *= f64::from(n);
        }
        assert!((ln_gamma(0.5) - 0.572_364_942_924_700_1).abs() < 1e-14);
        assert!((ln_gamma(1e-10) - 23.025_850_929_882_735).abs() < 1e-13);
        assert!((ln_gamma(1e6) / 12_815_504.569_147_61 - 1.0).abs() < 1e-14);
        assert!(ln_gamma(0.0).is_nan() && ln_gamma(-2.5).is_nan());
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(20_000))]

        #[test]
        fn ln_is_that_of_the_system_to_the_last_place(bits in 1u64..0x7ff0_0000_0000_0000) {
            let x = f64::from_bits(bits);
            prop_assert!(ulps(ln(x), x.ln()) <= 1, "{} {} {}", x, ln(x), x.ln());
        }

        #[test]
        fn ln_near_one(x in 0.5..2.0f64) {
            prop_assert!(ulps(ln(x), x.ln()) <= 1, "{} {} {}", x, ln(x), x.ln());
        }

        #[test]
        fn ln_1p_keeps_small_numbers(x in prop_oneof![0.0..1e-9f64, 0.0..1.0f64, 0.0..1e9f64]) {
            prop_assert!((ln_1p(x) - x.ln_1p()).abs() <= 6e-16 * x.ln_1p().abs(), "{}", x);
        }

        /// The product and the difference of gammas are the same thing.
        #[test]
        fn rising_is_a_difference_of_gammas(a in 1e-6..50.0f64, n in 0u32..60) {
            let direct: f64 = (0..n).map(|i| (a + f64::from(i)).ln()).sum();
            prop_assert!((ln_rising(a, n) - direct).abs() < 1e-12 * direct.abs().max(10.0));
        }

        #[test]
        fn exact_sums_do_not_know_the_order(
            terms in prop::collection::vec(-1e9..1e9f64, 0..40), turn in 0..40usize
        ) {
            let sum = |t: &[f64]| t.iter().map(|&x| ExactSum::of(x)).sum::<ExactSum>();
            let mut turned = terms.clone();
            turned.rotate_left(turn % terms.len().max(1));
            prop_assert_eq!(sum(&terms), sum(&turned));
            let plain: f64 = terms.iter().sum();
            prop_assert!((sum(&terms).value() - plain).abs() < 1e-5);
        }
    }

    #[test]
    fn whole_tails_of_chi_square() {
        // df = 2: e^(−x/2); df = 1 at its median; both sides of where the two ways meet.
        for x in [0.01, 0.5, 1.0, 3.9, 4.1, 30.0] {
            assert!((chi_square_tail(x, 2.0) - (-0.5 * x).exp()).abs() < 1e-12, "{x}");
        }
        assert!((chi_square_tail(0.454_936_423_119_572_8, 1.0) - 0.5).abs() < 1e-10);
        for df in [1.0, 3.0, 17.5, 400.0] {
            let (below, above) = (chi_square_tail(df + 2.0 - 1e-9, df), chi_square_tail(df + 2.0, df));
            assert!((below - above).abs() < 1e-8, "{df}");
        }
        assert_eq!(chi_square_tail(0.0, 3.0), 1.0);
    }

    #[test]
    fn tails_of_chi_square() {
        // P(χ²_1 ≥ 3.841459) = P(χ²_2 ≥ 5.991465) = P(χ²_10 ≥ 18.307038) = 0.05; P(χ²_2 ≥ x) = e^(−x/2).
        for (x, df) in [(3.841458820694124, 1.0), (5.991464547107979, 2.0), (18.307038053275146, 10.0)] {
            assert!((ln_chi_square_tail(x, df) - 0.05f64.ln()).abs() < 1e-9, "{df}");
        }
        for x in [8.0, 50.0, 900.0] {
            assert!((ln_chi_square_tail(x, 2.0) + 0.5 * x).abs() < 1e-9 * x);
        }
        assert_eq!((ln_chi_square_tail(1.0, 4.0), ln_chi_square_tail(9.0, 0.0)), (0.0, 0.0));
    }
}
