//! Dates and times in cells, whatever the header says.
//!
//! Read without being told: ISO-8601 (`2012-01-31`, `2012-01`, `2012-W05`, `2012-W05-2`, `20120131T083000Z`), `2012/01/31`, `2012.01.31`,
//! `31.12.2019`, month names (`31 Dec 2019`, `31-Dec-19`, `31DEC2019`, `Dec 31, 2019`, `Tue, Dec 31st, 2019`, `Dec 2019`), months (`12/2019`,
//! `2019/12`, `2019M12`), quarters (`2012-Q1`, `Q1 2012`, `1Q2012`), each with or without a time of day and an offset from UTC; and times of day alone (`08:30`, `8:30`). Whether
//! `03/04/2019` is in March or in April only a whole column or the user can tell ([`DateOrder`]); that `31.12.19` ([`is_short`]) or a
//! number such as `20191231` or `201912` is a date only the user can, or that the column puts the rows in order. `Dec-19` may be a day or
//! a year, `2019-365` a number of anything: nobody reads these as dates. Year, month, weekday and hour are those written in the cell; the
//! instant, for putting rows in order, takes the offset into account.

use serde::{Deserialize, Serialize};

/// A date as written, and the instant it names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::data) struct Date {
    /// Seconds since 1970-01-01T00:00:00, in UTC where an offset was given.
    pub(in crate::data) seconds: i64,
    /// The same as the clock on the wall shows them.
    pub(in crate::data) local: i64,
    pub(in crate::data) year: i64,
    /// 0 = January.
    pub(in crate::data) month: u8,
    /// Whether a time of day is written.
    pub(in crate::data) timed: bool,
    /// Whether nothing but a time of day is.
    pub(in crate::data) clock: bool,
}

impl Date {
    /// Days since 1970-01-01.
    pub(in crate::data) fn days(self) -> i64 {
        self.local.div_euclid(DAY)
    }

    /// Hours after midnight.
    pub(in crate::data) fn hour(self) -> u8 {
        (self.local.rem_euclid(DAY) / 3600) as u8
    }

    /// 0 = Monday; 1970-01-01 was a Thursday.
    pub(in crate::data) fn weekday(self) -> u8 {
        (self.days() + 3).rem_euclid(7) as u8
    }
}

/// The seconds of a day.
pub(crate) const DAY: i64 = 86_400;

/// One of the variables that a date becomes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum DatePart {
    /// The calendar year.
    Year,
    /// January to December.
    Month,
    /// Monday to Sunday.
    Weekday,
    /// The hour of the day.
    Hour,
    /// The date itself, as a period of time.
    When,
}

impl DatePart {
    /// All of them.
    pub(in crate::data) const ALL: [DatePart; 5] =
        [DatePart::Year, DatePart::Month, DatePart::Weekday, DatePart::Hour, DatePart::When];

    /// How the variable's name ends.
    pub(in crate::data) fn word(self) -> &'static str {
        match self {
            DatePart::Year => "year",
            DatePart::Month => "month",
            DatePart::Weekday => "weekday",
            DatePart::Hour => "hour",
            DatePart::When => "when",
        }
    }

    /// How many values come round again and again; none if the part runs on.
    pub(in crate::data) fn cycle(self) -> Option<u8> {
        match self {
            DatePart::Month => Some(12),
            DatePart::Weekday => Some(7),
            DatePart::Hour => Some(24),
            DatePart::Year | DatePart::When => None,
        }
    }

    /// A value's label; of an hour, the first of `width` that share a state.
    pub(in crate::data) fn label(self, value: u8, width: u8) -> String {
        match self {
            DatePart::Weekday => WEEKDAYS[usize::from(value % 7)].to_string(),
            DatePart::Hour if width > 1 => format!("{value:02}-{:02}h", value + width - 1),
            DatePart::Hour => format!("{value:02}h"),
            _ => MONTHS[usize::from(value % 12)].to_string(),
        }
    }

    /// The value that a person means by a text: `14` or `14h` for an hour, `3` or `march` for a month, `monday` for a day. Weekdays have no
    /// numbers: some begin with Sunday.
    pub(in crate::data) fn spoken(self, text: &str) -> Option<u8> {
        let text = text.trim().to_lowercase();
        let named = |names: &[&str]| {
            let whole = |name: &&str| text.len() >= 3 && name.starts_with(&text);
            names.iter().position(whole).map(|place| place as u8)
        };
        match self {
            DatePart::Hour => text.trim_end_matches('h').trim_end().parse().ok().filter(|&hour| hour < 24),
            DatePart::Month => {
                let number = text.parse().ok().filter(|month| (1..=12).contains(month));
                named(&MONTHS_IN_FULL).or(number.map(|month: u8| month - 1))
            }
            DatePart::Weekday => named(&WEEKDAYS_IN_FULL),
            DatePart::Year | DatePart::When => None,
        }
    }

    /// The value of a part that comes round again.
    pub(in crate::data) fn of(self, date: Date) -> u8 {
        match self {
            DatePart::Weekday => date.weekday(),
            DatePart::Hour => date.hour(),
            _ => date.month,
        }
    }
}

/// The months as labels.
pub(in crate::data) const MONTHS: [&str; 12] =
    ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
const WEEKDAYS: [&str; 7] = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];
pub(super) const MONTHS_IN_FULL: [&str; 12] = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];
const WEEKDAYS_IN_FULL: [&str; 7] =
    ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];

/// Which number of `03/04/2019` is the day.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum DateOrder {
    /// The first.
    Dmy,
    /// The second.
    Mdy,
}

/// A stretch of the calendar.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::data) enum Unit {
    Year,
    Quarter,
    Month,
    Week,
    Day,
    Hour,
}

impl Unit {
    /// The first second of the stretch that an instant lies in, as the clock on the wall shows it.
    pub(in crate::data) fn start(self, local: i64) -> i64 {
        let days = local.div_euclid(DAY);
        let (year, month, _) = civil(days);
        DAY * match self {
            Unit::Year => days_since_epoch(year, 1, 1),
            Unit::Quarter => days_since_epoch(year, (month - 1) / 3 * 3 + 1, 1),
            Unit::Month => days_since_epoch(year, month, 1),
            Unit::Week => days - (days + 3).rem_euclid(7),
            Unit::Day => days,
            Unit::Hour => return local - local.rem_euclid(3600),
        }
    }

    /// What the stretch that begins then is called.
    pub(in crate::data) fn label(self, start: i64) -> String {
        let days = start.div_euclid(DAY);
        let (year, month, _) = civil(days);
        match self {
            Unit::Year => year.to_string(),
            Unit::Quarter => format!("{year} Q{}", (month + 2) / 3),
            Unit::Month => format!("{year} {}", MONTHS[month as usize - 1]),
            Unit::Week => {
                // A week belongs to the year of its Thursday.
                let (year, ..) = civil(days + 3);
                format!("{year} W{:02}", (days + 3 - days_since_epoch(year, 1, 1)) / 7 + 1)
            }
            Unit::Day => write(days * DAY),
            Unit::Hour => format!("{} {:02}h", write(days * DAY), start.rem_euclid(DAY) / 3600),
        }
    }
}

/// Reads a cell as a date; without an order, one whose day and month could be confused is none.
pub(in crate::data) fn read(cell: &[u8], order: Option<DateOrder>) -> Option<Date> {
    let (date, time) = split(cell);
    let (written, offset) = if time.is_empty() { (0, 0) } else { time_of_day(time)? };
    if date.is_empty() {
        // A time alone is one as clocks show it, in no other zone; with one digit for the hour it has no seconds, or it would be a duration.
        let seconds = time.iter().filter(|&&byte| byte == b':').count() > 1;
        let hours = time.len() >= 4 && (time[2] == b':' || time[1] == b':' && !seconds);
        let plain = offset == 0 && hours;
        let clock = Date { seconds: written, local: written, year: 0, month: 0, timed: true, clock: true };
        return plain.then_some(clock);
    }
    let days = calendar_day(date, order)?;
    let (year, month, _) = civil(days);
    let local = days * DAY + written;
    let timed = !time.is_empty();
    Some(Date { seconds: local - offset, local, year, month: month as u8 - 1, timed, clock: false })
}

/// Whether a cell is a date in any order of day and month.
pub(in crate::data) fn is_any(cell: &[u8]) -> bool {
    [None, Some(DateOrder::Dmy), Some(DateOrder::Mdy)].iter().any(|&order| read(cell, order).is_some())
}

/// Whether a cell is three numbers of two digits at most, of which the last may be a year.
pub(in crate::data) fn is_short(cell: &[u8]) -> bool {
    let (date, _) = split(cell);
    let parts: Vec<&[u8]> = date.split(|byte| matches!(byte, b'-' | b'/' | b'.')).collect();
    parts.len() == 3 && parts.iter().all(|part| (1..=2).contains(&part.len()) && digits(part).is_some())
}

/// Whether a cell is a time of day alone with one digit for the hour, such as `8:15`, that may as well be minutes and seconds.
pub(in crate::data) fn may_be_minutes(cell: &[u8]) -> bool {
    matches!(cell, [hour, b':', minutes @ ..] if hour.is_ascii_digit() && minutes.len() == 2)
}

/// Whether a cell is the name of a month and a number of two digits at most, such as `Dec-19`.
pub(in crate::data) fn may_be_day_or_year(cell: &[u8]) -> bool {
    let parts: Vec<&[u8]> = cell.split(|byte| matches!(byte, b'-' | b'/' | b'.' | b' ')).collect();
    let number = |part: &[u8]| (1..=2).contains(&part.len()) && digits(part).is_some();
    match parts[..] {
        [one, other] => {
            month_name(one).is_some() && number(other) || month_name(other).is_some() && number(one)
        }
        _ => false,
    }
}

/// Whether the dates of two cells are put together alike, whatever their numbers are. The time of day is no part of it.
pub(in crate::data) fn alike(one: &[u8], other: &[u8]) -> bool {
    /// A run of digits by how many there are, of letters, or of what stands between these.
    #[derive(PartialEq)]
    enum Run<'c> {
        Digits(usize),
        Letters,
        Signs(&'c [u8]),
    }
    fn runs(cell: &[u8]) -> impl Iterator<Item = Run<'_>> {
        let kind = |byte: &u8| (byte.is_ascii_digit(), byte.is_ascii_alphabetic());
        split(cell).0.chunk_by(move |a, b| kind(a) == kind(b)).map(move |run| match kind(&run[0]) {
            (true, _) => Run::Digits(run.len().max(2)),
            (_, true) => Run::Letters,
            _ => Run::Signs(run),
        })
    }
    runs(one).eq(runs(other))
}

/// Where the offset from UTC begins in a cell with a time of day: at its end, if there is none.
pub(super) fn zone_at(cell: &str) -> usize {
    let (_, time) = split(cell.as_bytes());
    let before = cell.len() - time.len();
    let end = time.iter().rposition(|byte| matches!(byte, b'+' | b'-' | b'Z' | b'z'));
    let named = || time.len().checked_sub(3).filter(|&at| is_utc(&time[at..]));
    match end.or_else(named) {
        Some(at) if at > 0 && time[at - 1] == b' ' => before + at - 1,
        Some(at) => before + at,
        None => cell.len(),
    }
}

fn is_utc(text: &[u8]) -> bool {
    text.eq_ignore_ascii_case(b"UTC") || text.eq_ignore_ascii_case(b"GMT")
}

/// The date and the time of a cell: the time begins with the digits before the first colon, behind a `T` or a blank; or behind the `T` of
/// `20120131T083000`.
fn split(cell: &[u8]) -> (&[u8], &[u8]) {
    if cell.len() >= 13 && matches!(cell[8], b'T' | b't') && digits(&cell[..8]).is_some() {
        return (&cell[..8], &cell[9..]);
    }
    let Some(colon) = cell.iter().position(|&byte| byte == b':') else { return (cell, &[]) };
    let digits = cell[..colon].iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
    let (date, time) = cell.split_at(colon - digits);
    match date {
        [date @ .., b'T' | b't' | b' '] => (date, time),
        _ => (date, time),
    }
}

/// The day that a text without a time of day names, or the first day of its week, month or quarter.
fn calendar_day(text: &[u8], order: Option<DateOrder>) -> Option<i64> {
    let parts: Vec<&[u8]> = text.split(|byte| matches!(byte, b'-' | b'/' | b'.' | b' ' | b',')).collect();
    let mut parts: Vec<&[u8]> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    // What the weekday says the date says too.
    if parts.len() == 4 && weekday_name(parts[0]) {
        parts.remove(0);
    }
    let signs: Vec<u8> = text.iter().copied().filter(|byte| matches!(byte, b'-' | b'/' | b'.')).collect();
    let same = |sign: u8, count: usize| signs.len() == count && signs.iter().all(|&s| s == sign);
    let dashed = |count: usize| {
        same(b'-', count) && text.len() == parts.iter().map(|p| p.len() + 1).sum::<usize>() - 1
    };
    match parts.as_slice() {
        // 20120131, of the years 1900 to 2100: other numbers of eight digits are more likely numbers.
        [whole] if signs.is_empty() && whole.len() == 8 => {
            let (year, month, day) = (digits(&whole[..4])?, digits(&whole[4..6])?, digits(&whole[6..])?);
            day_of(year, month, day).filter(|_| (1900..=2100).contains(&year))
        }
        // 2012-Q1, 2012Q1, Q1 2012, 2012M01, 201201, 31DEC2019, 2012-W05
        [whole] if signs.is_empty() && whole.first().is_some_and(u8::is_ascii_digit) => in_one(whole),
        // 201201.0, 20120131.0: as numbers of a column with gaps are written.
        [whole, b"0"] if same(b'.', 1) && matches!(whole.len(), 6 | 8) && text.ends_with(b".0") => {
            calendar_day(whole, order).filter(|_| digits(whole).is_some())
        }
        [year, part] if signs.is_empty() && year.len() == 4 && part.len() == 2 => quarter(year, part),
        [part, year]
            if signs.len() <= 1 && year.len() == 4 && part.len() == 2 && matches!(part[0], b'Q' | b'q') =>
        {
            quarter(year, part)
        }
        [year, part] if dashed(1) && year.len() == 4 && part.len() == 2 => {
            quarter(year, part).or_else(|| day_of(digits(year)?, digits(part)?, 1))
        }
        // 2019/12
        [year, month] if same(b'/', 1) && year.len() == 4 && month.len() == 2 => {
            day_of(digits(year)?, digits(month)?, 1)
        }
        [year, week] if dashed(1) && year.len() == 4 => week_day(year, week, b"1"),
        // 12/2019, 12-2019
        [month, year]
            if year.len() == 4 && (same(b'/', 1) && month.len() <= 2 || dashed(1) && month.len() == 2) =>
        {
            day_of(digits(year)?, digits(month)?, 1)
        }
        [year, week, day] if dashed(2) && year.len() == 4 && week.first() == Some(&b'W') => {
            week_day(year, week, day)
        }
        [year, month, day]
            if year.len() == 4
                && (dashed(2) || same(b'/', 2) || same(b'.', 2))
                && month.len() == 2
                && day.len() == 2 =>
        {
            day_of(digits(year)?, digits(month)?, digits(day)?)
        }
        [day, month, year] if matches!(year.len(), 2 | 4) && day.len() <= 2 && month.len() <= 2 => {
            let dotted = same(b'.', 2) && year.len() == 4;
            let order = if dotted { order.or(Some(DateOrder::Dmy)) } else { order };
            if !(same(b'.', 2) || same(b'/', 2) || same(b'-', 2)) {
                return None;
            }
            let (first, second) = (digits(day)?, digits(month)?);
            let year = year_of(year)?;
            match order? {
                DateOrder::Dmy => day_of(year, second, first),
                DateOrder::Mdy => day_of(year, first, second),
            }
        }
        [a, b, year] if year.len() == 4 => match (month_name(a), month_name(b)) {
            (Some(month), None) => day_of(digits(year)?, month, day_number(b)?),
            (None, Some(month)) => day_of(digits(year)?, month, day_number(a)?),
            _ => None,
        },
        // 31-Dec-19
        [day, name, year] if year.len() == 2 && day.len() <= 2 => {
            day_of(year_of(year)?, month_name(name)?, digits(day)?)
        }
        [name, year] if year.len() == 4 => day_of(digits(year)?, month_name(name)?, 1),
        _ => None,
    }
}

/// The day that a text without a sign or a blank names, or the first day of its month or quarter.
fn in_one(text: &[u8]) -> Option<i64> {
    // Other numbers are more likely numbers.
    let usual = |year: &i64| (1900..=2100).contains(year);
    if text.len() == 6
        && let Some(year) = digits(&text[..4]).filter(usual)
        && let Some(month) = digits(&text[4..])
    {
        return day_of(year, month, 1);
    }
    let first = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let name = text[first..].iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
    let (first, name, last) = (&text[..first], &text[first..first + name], &text[first + name..]);
    match (first.len(), name, last.len()) {
        (4, b"Q" | b"q", 1) => quarter(first, &text[4..]),
        (1, b"Q" | b"q", 4) => quarter(last, &[b'Q', first[0]]),
        (4, b"M" | b"m", 1 | 2) => day_of(digits(first)?, digits(last)?, 1),
        (1 | 2, name, 2 | 4) => day_of(year_of(last)?, month_name(name)?, digits(first)?),
        _ => None,
    }
}

/// A day of a month, `3` or `3rd`.
fn day_number(text: &[u8]) -> Option<i64> {
    let end = text.len().checked_sub(2).filter(|&end| end > 0);
    let ordinal = |&end: &usize| {
        [b"st", b"nd", b"rd", b"th"].iter().any(|suffix| text[end..].eq_ignore_ascii_case(*suffix))
    };
    let number = end.filter(ordinal).map_or(text, |end| &text[..end]);
    digits(number).filter(|_| number.len() <= 2)
}

/// Whether a text is the name of a weekday or the first three letters of it.
fn weekday_name(text: &[u8]) -> bool {
    WEEKDAYS_IN_FULL.iter().any(|name| {
        text.eq_ignore_ascii_case(name.as_bytes()) || text.eq_ignore_ascii_case(&name.as_bytes()[..3])
    })
}

/// A year of four digits, or of two: from 1970 to 2069.
fn year_of(text: &[u8]) -> Option<i64> {
    match digits(text)? {
        written if text.len() == 4 => Some(written),
        written @ 70.. => Some(1900 + written),
        written => Some(2000 + written),
    }
}

/// The first day of `Q1` of a year.
fn quarter(year: &[u8], text: &[u8]) -> Option<i64> {
    match text {
        [b'Q' | b'q', number @ b'1'..=b'4'] => day_of(digits(year)?, i64::from(number - b'1') * 3 + 1, 1),
        _ => None,
    }
}

/// A day of `W05` of a year: the first week is the one with January 4th in it.
fn week_day(year: &[u8], week: &[u8], day: &[u8]) -> Option<i64> {
    let [b'W', number @ ..] = week else { return None };
    let (year, week, day) = (digits(year)?, digits(number)?, digits(day)?);
    let fourth = days_since_epoch(year, 1, 4);
    let monday = fourth - (fourth + 3).rem_euclid(7) + (week - 1) * 7;
    // The last week's Thursday still lies in the year.
    let there = number.len() == 2 && week >= 1 && civil(monday + 3).0 == year && (1..=7).contains(&day);
    there.then_some(monday + day - 1)
}

/// The number of a month from its name or the first three letters of it.
fn month_name(text: &[u8]) -> Option<i64> {
    let text = std::str::from_utf8(text).ok()?.to_ascii_lowercase();
    let is = |name: &&str| **name == text || name[..3] == text;
    MONTHS_IN_FULL.iter().position(is).map(|place| place as i64 + 1)
}

fn day_of(year: i64, month: i64, day: i64) -> Option<i64> {
    let there = (1..=12).contains(&month) && (1..=days_in_month(year, month)).contains(&day);
    there.then(|| days_since_epoch(year, month, day))
}

/// Seconds after midnight, and seconds east of UTC, of `08:30`, `08:30:15`, `8:30 PM`, `08:30:15.25Z`, `08:30+02:00`, `083015` and their
/// like.
fn time_of_day(clock: &[u8]) -> Option<(i64, i64)> {
    // Without colons all have two digits.
    let dense = clock.iter().take_while(|byte| byte.is_ascii_digit()).count() >= 4;
    let (hour, sign) = match dense {
        true => (2, 0),
        false => (clock.iter().position(|&byte| byte == b':').filter(|at| (1..=2).contains(at))?, 1),
    };
    let minute = hour + sign;
    let (mut hour, mut rest) = (digits(&clock[..hour])?, clock.get(minute + 2..)?);
    let minute = digits(&clock[minute..minute + 2])?;
    let mut second = 0;
    let goes_on = |byte: &u8| if dense { byte.is_ascii_digit() } else { *byte == b':' };
    if rest.first().is_some_and(goes_on) {
        second = digits(rest.get(sign..sign + 2)?)?;
        rest = &rest[sign + 2..];
        if matches!(rest.first(), Some(b'.' | b',')) {
            let fraction = rest[1..].iter().take_while(|byte| byte.is_ascii_digit()).count();
            if fraction == 0 {
                return None;
            }
            rest = &rest[1 + fraction..];
        }
    }
    let half = rest.strip_prefix(b" ").unwrap_or(rest).to_ascii_lowercase();
    if let b"am" | b"pm" = half.as_slice() {
        if !(1..=12).contains(&hour) {
            return None;
        }
        hour = hour % 12 + if half == b"pm" { 12 } else { 0 };
        rest = &[];
    }
    // 60 is a leap second, and 24:00 the end of the day (ISO 8601-1:2019/Amd 1).
    let there = hour <= 23 && minute <= 59 && second <= 60 || (hour, minute, second) == (24, 0, 0);
    there.then_some((hour * 3600 + minute * 60 + second, offset(rest)?))
}

/// Seconds east of UTC of nothing, `Z`, `UTC`, `+02`, `+0200` or `+02:00`, behind a blank or none.
fn offset(text: &[u8]) -> Option<i64> {
    let text = match text {
        [b' ', rest @ ..] if !rest.is_empty() => rest,
        text => text,
    };
    if is_utc(text) {
        return Some(0);
    }
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
pub(crate) fn days_since_epoch(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let months_since_march = (month + 9) % 12;
    let day_of_year = (153 * months_since_march + 2) / 5 + day - 1;
    let leap_days = year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400);
    year * 365 + leap_days + day_of_year - 719_468
}

/// Year, month and day of a day: the inverse of `days_since_epoch`, by 400-year cycles of 146,097 days and years from March.
pub(crate) fn civil(days: i64) -> (i64, i64, i64) {
    let shifted = days + 719_468;
    let (cycle, day) = (shifted.div_euclid(146_097), shifted.rem_euclid(146_097));
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day_of_year = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day_of_year + 2) / 153;
    let day_of_month = day_of_year - (153 * month + 2) / 5 + 1;
    (year + cycle * 400 + i64::from(month >= 10), (month + 2) % 12 + 1, day_of_month)
}

/// A moment on the wall's clock and its offset from UTC as text that reads back as itself; of none, and of a whole day, only the date.
pub(in crate::data) fn write_zoned(local: i64, offset: i64) -> String {
    let text = write(local);
    if offset == 0 {
        return text;
    }
    let midnight = if local.rem_euclid(DAY) == 0 { "T00:00:00" } else { "" };
    let sign = if offset < 0 { '-' } else { '+' };
    format!("{text}{midnight}{sign}{:02}:{:02}", offset.abs() / 3600, offset.abs() / 60 % 60)
}

/// An instant as text that reads back as itself; of a whole day only the date.
pub(in crate::data) fn write(seconds: i64) -> String {
    let (days, clock) = (seconds.div_euclid(DAY), seconds.rem_euclid(DAY));
    let (year, month, day) = civil(days);
    let date = format!("{year:04}-{month:02}-{day:02}");
    if clock == 0 {
        return date;
    }
    format!("{date}T{:02}:{:02}:{:02}", clock / 3600, clock / 60 % 60, clock % 60)
}

#[cfg(test)]
mod tests;
