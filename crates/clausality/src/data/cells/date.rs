//! ISO-8601 dates in cells: `2012-01-31`, with or without a time of day and an offset from UTC.
//!
//! A column is a date when its cells are, whatever its header says. Month and weekday are those written in the cell; the
//! instant, for putting rows in order, takes the offset into account.

use serde::{Deserialize, Serialize};

/// A date as written, and the instant it names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::data) struct Date {
    /// Seconds since 1970-01-01T00:00:00, in UTC where an offset was given.
    pub(in crate::data) seconds: i64,
    /// 0 = January.
    pub(in crate::data) month: u8,
    /// 0 = Monday.
    pub(in crate::data) weekday: u8,
    /// The day of the month, from 1.
    pub(in crate::data) day: u8,
}

/// One of the two variables that a date becomes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum DatePart {
    /// January to December.
    Month,
    /// Monday to Sunday.
    Weekday,
}

impl DatePart {
    /// How the variable's name ends.
    pub(in crate::data) fn word(self) -> &'static str {
        match self {
            DatePart::Month => "month",
            DatePart::Weekday => "weekday",
        }
    }

    /// The labels in calendar order.
    pub(in crate::data) fn labels(self) -> &'static [&'static str] {
        match self {
            DatePart::Month => {
                &["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
            }
            DatePart::Weekday => &["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"],
        }
    }

    /// Which label a date has.
    pub(in crate::data) fn of(self, date: Date) -> u8 {
        match self {
            DatePart::Month => date.month,
            DatePart::Weekday => date.weekday,
        }
    }
}

/// Reads a cell as a date.
pub(in crate::data) fn read(cell: &[u8]) -> Option<Date> {
    let (date, time) = (cell.get(..10)?, &cell[10..]);
    if date[4] != b'-' || date[7] != b'-' {
        return None;
    }
    let (year, month, day) = (digits(&date[..4])?, digits(&date[5..7])?, digits(&date[8..])?);
    if !(1..=12).contains(&month) || !(1..=days_in_month(year, month)).contains(&day) {
        return None;
    }
    let days = days_since_epoch(year, month, day);
    let seconds = days * 86_400 + if time.is_empty() { 0 } else { time_of_day(time)? };
    // 1970-01-01 was a Thursday.
    let weekday = (days + 3).rem_euclid(7) as u8;
    Some(Date { seconds, month: month as u8 - 1, weekday, day: day as u8 })
}

/// Seconds after midnight UTC of `T08:30`, ` 08:30:15`, `T08:30:15.25Z`, `T08:30+02:00` and their like.
fn time_of_day(text: &[u8]) -> Option<i64> {
    let clock = match text.first()? {
        b'T' | b't' | b' ' => &text[1..],
        _ => return None,
    };
    let (hour, minute) = (digits(clock.get(..2)?)?, digits(clock.get(3..5)?)?);
    if clock[2] != b':' || hour > 23 || minute > 59 {
        return None;
    }
    let mut rest = &clock[5..];
    let mut second = 0;
    if rest.first() == Some(&b':') {
        second = digits(rest.get(1..3)?)?;
        rest = &rest[3..];
        if matches!(rest.first(), Some(b'.' | b',')) {
            let fraction = rest[1..].iter().take_while(|byte| byte.is_ascii_digit()).count();
            if fraction == 0 {
                return None;
            }
            rest = &rest[1 + fraction..];
        }
    }
    // 60 is a leap second.
    (second <= 60).then_some(hour * 3600 + minute * 60 + second - offset(rest)?)
}

/// Seconds east of UTC of nothing, `Z`, `+02`, `+0200` or `+02:00`.
fn offset(text: &[u8]) -> Option<i64> {
    let sign = match text.first() {
        None => return Some(0),
        Some(b'Z' | b'z') => return (text.len() == 1).then_some(0),
        Some(b'+') => 1,
        Some(b'-') => -1,
        Some(_) => return None,
    };
    let (hour, minute) = match text.len() {
        3 => (digits(&text[1..3])?, 0),
        5 => (digits(&text[1..3])?, digits(&text[3..5])?),
        6 if text[3] == b':' => (digits(&text[1..3])?, digits(&text[4..6])?),
        _ => return None,
    };
    (hour <= 23 && minute <= 59).then_some(sign * (hour * 3600 + minute * 60))
}

fn digits(text: &[u8]) -> Option<i64> {
    text.iter().try_fold(0, |sum, byte| byte.is_ascii_digit().then(|| sum * 10 + i64::from(byte - b'0')))
}

fn days_in_month(year: i64, month: i64) -> i64 {
    let leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    match month {
        2 if leap => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// Days from 1970-01-01 in the proleptic Gregorian calendar; years are counted from March so that the leap day is last.
fn days_since_epoch(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let months_since_march = (month + 9) % 12;
    let day_of_year = (153 * months_since_march + 2) / 5 + day - 1;
    let leap_days = year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400);
    year * 365 + leap_days + day_of_year - 719_468
}

/// An instant as text that reads back as itself; of a whole day only the date.
pub(in crate::data) fn write(seconds: i64) -> String {
    let (days, clock) = (seconds.div_euclid(86_400), seconds.rem_euclid(86_400));
    // The inverse of `days_since_epoch`: 400-year cycles of 146,097 days, years from March.
    let shifted = days + 719_468;
    let (cycle, day) = (shifted.div_euclid(146_097), shifted.rem_euclid(146_097));
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day_of_year = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day_of_year + 2) / 153;
    let day_of_month = day_of_year - (153 * month + 2) / 5 + 1;
    let year = year + cycle * 400 + i64::from(month >= 10);
    let month = (month + 2) % 12 + 1;
    let date = format!("{year:04}-{month:02}-{day_of_month:02}");
    if clock == 0 {
        return date;
    }
    format!("{date}T{:02}:{:02}:{:02}", clock / 3600, clock / 60 % 60, clock % 60)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn seconds(text: &str) -> Option<i64> {
        read(text.as_bytes()).map(|date| date.seconds)
    }

    #[test]
    fn dates_and_times() {
        assert_eq!(seconds("1970-01-01"), Some(0));
        assert_eq!(seconds("2000-02-29"), Some(951_782_400));
        assert_eq!(seconds("2012-01-01T08:30"), Some(1_325_406_600));
        assert_eq!(seconds("2012-01-01 08:30:15.25Z"), Some(1_325_406_615));
        assert_eq!(seconds("2012-01-01T10:30+02:00"), seconds("2012-01-01T08:30Z"));
        assert_eq!(seconds("2012-01-01T04:00-0430"), seconds("2012-01-01T08:30Z"));
        let date = read(b"2026-11-15").unwrap();
        assert_eq!((date.month, date.weekday, date.day), (10, 6, 15));
    }

    #[test]
    fn what_is_no_date() {
        for text in [
            "",
            "2012",
            "20120101",
            "2012-13-01",
            "2011-02-29",
            "1900-02-29",
            "2012-1-1",
            "01-01-2012",
            "2012-01-01x",
            "2012-01-01T",
            "2012-01-01T25:00",
            "2012-01-01T08:30:",
            "2012-01-01T08:30+2",
            "2012-01-01T08:30:15.",
        ] {
            assert_eq!(seconds(text), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn consecutive_days_are_a_day_apart(days in 0i64..200_000) {
            // Walk the calendar from 1800 by its own rules and compare.
            let (mut year, mut left) = (1800, days);
            let length = |year: i64| (1..=12).map(|m| days_in_month(year, m)).sum::<i64>();
            while left >= length(year) { left -= length(year); year += 1; }
            let mut month = 1;
            while left >= days_in_month(year, month) { left -= days_in_month(year, month); month += 1; }
            prop_assert_eq!(days_since_epoch(year, month, left + 1), days_since_epoch(1800, 1, 1) + days);
        }

        #[test]
        fn what_is_written_reads_back(seconds in -62_000_000_000i64..253_000_000_000) {
            prop_assert_eq!(read(write(seconds).as_bytes()).map(|date| date.seconds), Some(seconds));
        }

        #[test]
        fn any_bytes_are_read(bytes in proptest::collection::vec(any::<u8>(), 0..32)) {
            read(&bytes);
        }
    }
}
