//! Numbers in cells: which texts are numbers, what they are worth, and how they are written in labels.
//!
//! A number is an optional sign, digits with an optional fraction, and an optional exponent. Whole numbers with a leading
//! zero (`007`) or more than fifteen digits are codes, not quantities: reading them as numbers would lose what tells them
//! apart.
//!
//! Where the user says that a column is numeric, numbers may be dressed: with a sign of money or percent (`$1,222`, `12 %`), in brackets where
//! they are below zero (`(280)`) and with a comma or an apostrophe between groups of three digits. Durations are numbers then too: `2:31:38` has 9,098 seconds.

/// What a cell is, seen as a number.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(in crate::data) enum Numeral {
    /// A finite number; zero has no sign.
    Finite(f64),
    /// `inf` in one of its spellings, or a number too large to hold.
    Infinite,
    /// No number.
    Other,
}

/// Whether a comma may stand for the decimal point (files separated by semicolons).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(in crate::data) struct DecimalComma(pub(in crate::data) bool);

/// Powers of ten that a double holds exactly.
const EXACT_POWERS: [f64; 23] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18,
    1e19, 1e20, 1e21, 1e22,
];

/// The most digits of a whole number that is taken for a quantity.
const MAX_WHOLE_DIGITS: usize = 15;

/// Reads a cell as a number, codes excepted.
#[inline]
pub(in crate::data) fn read(cell: &[u8], comma: DecimalComma) -> Numeral {
    read_as(cell, comma, false)
}

/// Reads a cell of a column that the user declared numeric: codes are numbers too, and so are durations and what is dressed as
/// money or percent.
pub(in crate::data) fn read_declared(cell: &[u8], comma: DecimalComma) -> Numeral {
    match read_as(cell, comma, true) {
        Numeral::Other => match (duration(cell), undressed(cell, comma)) {
            (Some(units), _) => Numeral::Finite(units),
            (None, Some(bare)) => read_as(&bare, comma, true),
            (None, None) => Numeral::Other,
        },
        plain => plain,
    }
}

/// What two or three numbers between colons last, in units of the last one: `2:31:38` hours, minutes and seconds, `59:10.5` minutes and seconds.
/// Days may stand in front, as in `1 days 02:31:38`. The first number may be any; the others have two digits, up to 59.
#[cold]
pub(in crate::data) fn duration(cell: &[u8]) -> Option<f64> {
    let text = std::str::from_utf8(cell).ok()?.trim();
    let (sign, body) = text.strip_prefix('-').map_or((1.0, text), |body| (-1.0, body));
    let digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    let (days, clock) = match body.split_once(" days ").or_else(|| body.split_once(" day ")) {
        Some((days, clock)) => (days.parse::<u32>().ok().filter(|_| digits(days))?, clock),
        None => (0, body),
    };
    let (clock, fraction) = match clock.split_once('.') {
        Some((clock, fraction)) if digits(fraction) => (clock, format!("0.{fraction}").parse::<f64>().ok()?),
        Some(_) => return None,
        None => (clock, 0.0),
    };
    let parts: Vec<&str> = clock.split(':').collect();
    if !matches!(parts.len(), 2 | 3) || (days > 0 && parts.len() == 2) || parts[0].len() > 6 {
        return None;
    }
    let mut units = 0.0;
    for (place, part) in parts.iter().enumerate() {
        let number = part.parse::<u32>().ok().filter(|_| digits(part))?;
        if place > 0 && (part.len() != 2 || number > 59) {
            return None;
        }
        units = 60.0 * units + f64::from(number);
    }
    let units = units + 86_400.0 * f64::from(days) + fraction;
    Some(if units == 0.0 { 0.0 } else { sign * units })
}

/// What stands in brackets, and whether something does: who keeps accounts writes `(280)` for -280.
pub(in crate::data) fn out_of_brackets(text: &str) -> (&str, bool) {
    let inner = text.strip_prefix('(').and_then(|text| text.strip_suffix(')'));
    inner.map_or((text, false), |inner| (inner.trim(), true))
}

/// The plain numeral in a dressed one: `-$1,222.50` is `-1222.50`, and so is `($1,222.50)`. A separator stands only between groups of three whole digits, so that
/// `1,5` is none; where a comma may be the decimal point it separates nothing.
#[cold]
fn undressed(cell: &[u8], comma: DecimalComma) -> Option<Vec<u8>> {
    let (text, below_zero) = out_of_brackets(std::str::from_utf8(cell).ok()?.trim());
    let (sign, body) = match text.strip_prefix(['-', '+']) {
        Some(_) if below_zero => return None,
        Some(body) => (&text[..1], body),
        None if below_zero => ("-", text),
        None => ("", text),
    };
    const SIGNS: [char; 5] = ['$', '€', '£', '¥', '%'];
    let bare = body.strip_prefix(SIGNS).or_else(|| body.strip_suffix(SIGNS)).unwrap_or(body).trim();
    let (inner, bare) = match bare.strip_prefix('-') {
        Some(rest) if sign.is_empty() && bare != body => ("-", rest),
        _ => ("", bare),
    };
    let whole = &bare[..bare.find('.').unwrap_or(bare.len())];
    let separator = [',', '\''].into_iter().find(|&c| whole.contains(c) && !(comma.0 && c == ','));
    let digits = |group: &str| group.bytes().all(|byte| byte.is_ascii_digit());
    if let Some(separator) = separator {
        let mut groups = whole.split(separator);
        let first = groups.next().is_some_and(|first| (1..=3).contains(&first.len()) && digits(first));
        if !first || !groups.all(|group| group.len() == 3 && digits(group)) {
            return None;
        }
    } else if bare == body && !below_zero {
        return None;
    }
    let kept = bare.chars().filter(|&c| Some(c) != separator);
    Some(format!("{sign}{inner}{}", kept.collect::<String>()).into_bytes())
}

/// What the digits of a numeral say.
struct Digits {
    mantissa: u64,
    /// All digits, for the whole-number rule and for overflow of the mantissa.
    count: usize,
    fraction: usize,
    exponent: i64,
    whole: bool,
}

#[inline]
fn read_as(cell: &[u8], comma: DecimalComma, codes: bool) -> Numeral {
    let negative = cell.first() == Some(&b'-');
    let body = &cell[usize::from(negative || cell.first() == Some(&b'+'))..];
    let Some(digits) = scan(body, comma) else { return spelled_infinite(body) };
    if digits.whole && !codes {
        let leading_zero = digits.count > 1 && body[0] == b'0';
        if leading_zero || digits.count > MAX_WHOLE_DIGITS {
            return Numeral::Other;
        }
    }
    let power = digits.exponent - digits.fraction as i64;
    // Both factors exact, one rounding: the correctly rounded value (Clinger's fast path).
    let value = if digits.count <= 19 && digits.mantissa < 1 << 53 && power.unsigned_abs() <= 22 {
        let scale = EXACT_POWERS[power.unsigned_abs() as usize];
        if power < 0 { digits.mantissa as f64 / scale } else { digits.mantissa as f64 * scale }
    } else {
        match slow(body) {
            Some(value) => value,
            None => return Numeral::Other,
        }
    };
    if value == 0.0 {
        Numeral::Finite(0.0)
    } else if value.is_finite() {
        Numeral::Finite(if negative { -value } else { value })
    } else {
        Numeral::Infinite
    }
}

/// The digits of an unsigned numeral, if the text is one.
#[inline]
fn scan(body: &[u8], comma: DecimalComma) -> Option<Digits> {
    let mut digits = Digits { mantissa: 0, count: 0, fraction: 0, exponent: 0, whole: true };
    let mut at = 0;
    while let Some(&byte) = body.get(at) {
        let digit = byte.wrapping_sub(b'0');
        if digit < 10 {
            digits.mantissa = digits.mantissa.wrapping_mul(10).wrapping_add(u64::from(digit));
            digits.count += 1;
            digits.fraction += usize::from(!digits.whole);
        } else if digits.whole && (byte == b'.' || (comma.0 && byte == b',')) {
            digits.whole = false;
        } else if matches!(byte, b'e' | b'E') && digits.count > 0 {
            digits.exponent = exponent(&body[at + 1..])?;
            digits.whole = false;
            break;
        } else {
            return None;
        }
        at += 1;
    }
    (digits.count > 0).then_some(digits)
}

fn exponent(text: &[u8]) -> Option<i64> {
    let negative = text.first() == Some(&b'-');
    let body = &text[usize::from(negative || text.first() == Some(&b'+'))..];
    if body.is_empty() || !body.iter().all(u8::is_ascii_digit) {
        return None;
    }
    // Anything this large is zero or infinite; the slow path finds out which.
    let size = body.iter().fold(0i64, |sum, digit| (sum * 10 + i64::from(digit - b'0')).min(1_000_000));
    Some(if negative { -size } else { size })
}

#[cold]
fn slow(body: &[u8]) -> Option<f64> {
    let text = std::str::from_utf8(body).ok()?;
    text.replace(',', ".").parse().ok()
}

#[cold]
fn spelled_infinite(body: &[u8]) -> Numeral {
    let infinite = body.eq_ignore_ascii_case(b"inf") || body.eq_ignore_ascii_case(b"infinity");
    if infinite { Numeral::Infinite } else { Numeral::Other }
}

/// The shortest text that reads back as the number; exponents only where plain digits would be long.
pub(in crate::data) fn write(value: f64) -> String {
    let size = value.abs();
    if value == 0.0 {
        "0".into()
    } else if (1e-5..1e15).contains(&size) {
        format!("{value}")
    } else {
        format!("{value:e}")
    }
}

/// The value rounded to a number of significant digits, by way of its decimal text so that every platform agrees.
pub(in crate::data) fn round_to(value: f64, significant: usize) -> f64 {
    format!("{value:.*e}", significant.saturating_sub(1)).parse().unwrap_or(value)
}

/// One step of the last of a number of significant digits: of 1234 and three digits, 10.
pub(in crate::data) fn unit(value: f64, significant: usize) -> f64 {
    let text = format!("{value:e}");
    let exponent: i64 = text.split_once('e').and_then(|(_, exponent)| exponent.parse().ok()).unwrap_or(0);
    format!("1e{}", exponent + 1 - significant as i64).parse().unwrap_or(0.0)
}

/// The value rounded to a multiple of a power of ten.
pub(in crate::data) fn round_at(value: f64, step: f64) -> f64 {
    let (size, grain) = (format!("{:e}", value.abs()), format!("{step:e}"));
    let exponent = |text: &str| text.split_once('e').and_then(|(_, exponent)| exponent.parse::<i64>().ok());
    match (exponent(&size), exponent(&grain)) {
        (Some(size), Some(grain)) if size >= grain => round_to(value, (size - grain + 1).min(17) as usize),
        // Smaller than a step: it is nought or one of them.
        _ if value.abs() * 2.0 < step => 0.0,
        _ => step.copysign(value),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn value(text: &str) -> Numeral {
        read(text.as_bytes(), DecimalComma(false))
    }

    #[test]
    fn numbers_are_numbers() {
        for (text, expected) in [
            ("0", 0.0),
            ("-0.0", 0.0),
            ("+12", 12.0),
            ("1.50", 1.5),
            (".5", 0.5),
            ("5.", 5.0),
            ("1e3", 1000.0),
            ("2.5E-3", 0.0025),
            ("69.80800554211577", 69.80800554211577),
            ("0.000000000000000000000001", 1e-24),
            ("00.5", 0.5),
            ("1e-400", 0.0),
        ] {
            assert_eq!(value(text), Numeral::Finite(expected), "{text}");
        }
    }

    #[test]
    fn codes_words_and_infinities_are_not() {
        for text in
            ["", "-", ".", "e5", "1e", "1e+", "1_000", "0x10", "007", "-01", "1234567890123456", "1,5", "nan"]
        {
            assert_eq!(value(text), Numeral::Other, "{text}");
        }
        for text in ["inf", "-Inf", "+INFINITY", "1e999", "-1e999"] {
            assert_eq!(value(text), Numeral::Infinite, "{text}");
        }
        assert_eq!(read_declared(b"007", DecimalComma(false)), Numeral::Finite(7.0));
        assert_eq!(read(b"-1,5", DecimalComma(true)), Numeral::Finite(-1.5));
        assert_eq!(read(b"1,234,5", DecimalComma(true)), Numeral::Other);
    }

    #[test]
    fn declared_durations_are_numbers() {
        for (text, units) in [
            ("02:31:38", 9098.0),
            ("2:31:38.5", 9098.5),
            ("130:00:01", 468_001.0),
            ("59:10", 3550.0),
            ("1 days 02:00:00", 93_600.0),
            ("0 days 00:00:00", 0.0),
            ("-0:01:30", -90.0),
        ] {
            assert_eq!(read_declared(text.as_bytes(), DecimalComma(false)), Numeral::Finite(units), "{text}");
            assert_eq!(value(text), Numeral::Other, "{text} is no plain number");
        }
        for text in [
            "2:31:3",
            "2:61:00",
            "1:2:3:4",
            ":30:00",
            "2:30:",
            "a:10:10",
            "2:30:10.",
            "1 days 2:30",
            "1e1:00:00",
        ] {
            assert_eq!(read_declared(text.as_bytes(), DecimalComma(false)), Numeral::Other, "{text}");
        }
    }

    #[test]
    fn declared_numbers_may_be_dressed() {
        for (text, expected) in [
            ("$1,222", 1222.0),
            ("(280)", -280.0),
            ("($1,222.50)", -1222.5),
            ("-$3.50", -3.5),
            ("$-3.50", -3.5),
            ("12%", 12.0),
            ("7.5 %", 7.5),
            ("1,234,567.25", 1_234_567.25),
            ("1'000", 1000.0),
            ("99 €", 99.0),
        ] {
            assert_eq!(
                read_declared(text.as_bytes(), DecimalComma(false)),
                Numeral::Finite(expected),
                "{text}"
            );
            assert_eq!(value(text), Numeral::Other, "{text} is no plain number");
        }
        for text in
            ["1,5", "1,22", "12,34,567", ",123", "1,234,", "$", "%", "$$5", "--5", "$ -", "1,234.5.6", "a%"]
        {
            assert_eq!(read_declared(text.as_bytes(), DecimalComma(false)), Numeral::Other, "{text}");
        }
        assert_eq!(read_declared(b"1,234", DecimalComma(true)), Numeral::Finite(1.234));
        assert_eq!(read_declared(b"1,5 %", DecimalComma(true)), Numeral::Finite(1.5));
    }

    #[test]
    fn writing_is_short() {
        let pairs = [
            (0.1 + 0.2, "0.30000000000000004"),
            (1500.0, "1500"),
            (-2.5, "-2.5"),
            (1e20, "1e20"),
            (2e-7, "2e-7"),
        ];
        for (number, text) in pairs {
            assert_eq!(write(number), text);
        }
        assert_eq!(round_to(19.5978, 3), 19.6);
        assert_eq!(round_to(123456.0, 3), 123000.0);
        assert_eq!([unit(1234.0, 3), unit(0.00123, 3), unit(-9.99, 1)], [10.0, 0.00001, 1.0]);
        assert_eq!(
            [round_at(1234.0, 10.0), round_at(-0.123, 0.01), round_at(4.0, 10.0)],
            [1230.0, -0.12, 0.0]
        );
        assert_eq!([round_at(6.0, 10.0), round_at(99.96, 0.1), round_at(0.0, 0.1)], [10.0, 100.0, 0.0]);
    }

    proptest! {
        #[test]
        fn reading_agrees_with_the_standard_library(number in any::<f64>().prop_filter("finite", |x| x.is_finite())) {
            for text in [format!("{number}"), format!("{number:e}"), format!("{number:.3}")] {
                let expected: f64 = text.parse().unwrap();
                match read_declared(text.as_bytes(), DecimalComma(false)) {
                    Numeral::Finite(found) => prop_assert_eq!(found, expected),
                    other => prop_assert!(false, "{} read as {:?}", text, other),
                }
            }
        }

        #[test]
        fn what_is_written_reads_back(number in any::<f64>().prop_filter("finite", |x| x.is_finite())) {
            prop_assert_eq!(read_declared(write(number).as_bytes(), DecimalComma(false)), Numeral::Finite(number + 0.0));
        }

        #[test]
        fn any_bytes_are_read(bytes in proptest::collection::vec(any::<u8>(), 0..12)) {
            read(&bytes, DecimalComma(true));
            read_declared(&bytes, DecimalComma(true));
        }
    }
}
