//! How a column writes its dates, so that others can be written like them.
//!
//! ```text
//! cell     = runs of digits, of letters, of anything else             31.12.2019 08:30  →  31 . 12 . 2019 _ 08 : 30
//! meaning  = the part of a date whose text the run is in every cell   day . month . year _ hour : minute
//! ```
//!
//! Every part is meant once. A run that means none stays as it is; if it is not the same in all cells there is no layout. Offsets from UTC
//! may differ from cell to cell, as those of summer and winter do, if they are written alike.

use super::date::{self, DateOrder, MONTHS, MONTHS_IN_FULL, Unit, civil};

/// More cells than this say no more about how they are written.
const CELLS: usize = 1000;

/// How dates are written.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::data) struct Layout {
    pieces: Vec<Piece>,
    zone: Zone,
    order: Option<DateOrder>,
}

/// A date as it is written: the moment on the wall's clock, and how many seconds that is ahead of UTC.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::data) struct Written {
    pub(in crate::data) local: i64,
    pub(in crate::data) offset: i64,
}

/// How an offset from UTC is written.
#[derive(Debug, Clone, PartialEq)]
enum Zone {
    /// As in all cells; often not at all.
    Same(String),
    Offset {
        /// Behind a blank.
        apart: bool,
        minutes: Minutes,
        /// What stands for none.
        none: Option<&'static str>,
    },
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Minutes {
    None,
    Plain,
    Colon,
}

impl Zone {
    /// The way in which all of some offsets are written.
    fn of<'a>(cells: impl Iterator<Item = (&'a str, i64)> + Clone) -> Option<Self> {
        let (first, _) = cells.clone().next()?;
        if cells.clone().all(|(text, _)| text == first) {
            return Some(Zone::Same(first.to_string()));
        }
        let every = [false, true].into_iter().flat_map(|apart| {
            [Minutes::Colon, Minutes::Plain, Minutes::None].into_iter().flat_map(move |minutes| {
                let none = [None, Some("Z"), Some("UTC"), Some("GMT")];
                none.map(|none| Zone::Offset { apart, minutes, none })
            })
        });
        every.into_iter().find(|zone| cells.clone().all(|(text, offset)| zone.write(offset) == text))
    }

    fn write(&self, offset: i64) -> String {
        match self {
            Zone::Same(text) => text.clone(),
            Zone::Offset { apart, minutes, none } => {
                let blank = if *apart { " " } else { "" };
                if let Some(none) = none.filter(|_| offset == 0) {
                    return format!("{blank}{none}");
                }
                let sign = if offset < 0 { '-' } else { '+' };
                let (hour, minute) = (offset.abs() / 3600, offset.abs() / 60 % 60);
                let minutes = match minutes {
                    Minutes::None => String::new(),
                    Minutes::Plain => format!("{minute:02}"),
                    Minutes::Colon => format!(":{minute:02}"),
                };
                format!("{blank}{sign}{hour:02}{minutes}")
            }
        }
    }
}

#[derive(Debug, Clone, PartialEq)]
enum Piece {
    Part(Part),
    Same(String),
}

/// A part of a date and how it is written.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Part {
    Year,
    /// Of two digits.
    ShortYear,
    /// The year that a week belongs to.
    WeekYear,
    Quarter,
    Week,
    Weekday,
    /// Year, month and day in one.
    Whole,
    /// Year and month in one.
    YearMonth,
    /// Hour, minute and second in one.
    WholeClock,
    /// The same without seconds.
    HourMinute,
    Month(Digits),
    MonthName {
        full: bool,
        case: Case,
    },
    Day(Digits),
    Hour(Digits),
    /// One to twelve.
    HalfDayHour(Digits),
    Half(Case),
    Minute,
    Second,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Digits {
    Two,
    AsNeeded,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Case {
    Title,
    Upper,
    Lower,
}

impl Digits {
    const ALL: [Digits; 2] = [Digits::Two, Digits::AsNeeded];

    fn write(self, number: i64) -> String {
        match self {
            Digits::Two => format!("{number:02}"),
            Digits::AsNeeded => number.to_string(),
        }
    }
}

impl Case {
    const ALL: [Case; 3] = [Case::Title, Case::Upper, Case::Lower];

    /// A word of small letters in this case.
    fn write(self, word: &str) -> String {
        match self {
            Case::Title => word[..1].to_uppercase() + &word[1..],
            Case::Upper => word.to_uppercase(),
            Case::Lower => word.to_string(),
        }
    }
}

impl Part {
    /// Its text at a moment on the wall's clock.
    fn write(self, local: i64) -> String {
        let (days, clock) = (local.div_euclid(date::DAY), local.rem_euclid(date::DAY));
        let (year, month, day) = civil(days);
        let hour = clock / 3600;
        // `2012 W05`: the year is the one that the week belongs to.
        let week = || Unit::Week.label(Unit::Week.start(local));
        match self {
            Part::Year => format!("{year:04}"),
            Part::ShortYear => Digits::Two.write(year.rem_euclid(100)),
            Part::WeekYear => week().split(' ').next().unwrap_or_default().to_string(),
            Part::Week => week().split('W').nth(1).unwrap_or_default().to_string(),
            Part::Weekday => ((days + 3).rem_euclid(7) + 1).to_string(),
            Part::Quarter => ((month + 2) / 3).to_string(),
            Part::Whole => format!("{year:04}{month:02}{day:02}"),
            Part::YearMonth => format!("{year:04}{month:02}"),
            Part::WholeClock => format!("{:02}{:02}{:02}", hour, clock / 60 % 60, clock % 60),
            Part::HourMinute => format!("{:02}{:02}", hour, clock / 60 % 60),
            Part::Month(digits) => digits.write(month),
            Part::MonthName { full: true, case } => case.write(MONTHS_IN_FULL[month as usize - 1]),
            Part::MonthName { full: false, case } => case.write(&MONTHS[month as usize - 1].to_lowercase()),
            Part::Day(digits) => digits.write(day),
            Part::Hour(digits) => digits.write(hour),
            Part::HalfDayHour(digits) => digits.write((hour + 11) % 12 + 1),
            Part::Half(case) => case.write(if hour < 12 { "am" } else { "pm" }),
            Part::Minute => Digits::Two.write(clock / 60 % 60),
            Part::Second => Digits::Two.write(clock % 60),
        }
    }

    /// Of parts that say the same in two ways, a number: only one of them is meant.
    fn kind(self) -> u8 {
        match self {
            Part::Year | Part::ShortYear | Part::WeekYear | Part::Whole | Part::YearMonth => 0,
            Part::Month(_) | Part::MonthName { .. } | Part::Quarter | Part::Week => 1,
            Part::Day(_) | Part::Weekday => 2,
            Part::Hour(_) | Part::HalfDayHour(_) | Part::WholeClock | Part::HourMinute => 3,
            Part::Minute => 4,
            Part::Second => 5,
            Part::Half(_) => 6,
        }
    }

    /// The parts that a cell of such runs may have; where a run may be two of them, the first is meant.
    fn of(runs: &[&str], order: Option<DateOrder>) -> Vec<Part> {
        let is = |word: &str| runs.iter().any(|run| run.eq_ignore_ascii_case(word));
        let both = |part: fn(Digits) -> Part| Digits::ALL.map(part).to_vec();
        let year = vec![Part::Year, Part::ShortYear];
        let names =
            [false, true].into_iter().flat_map(|full| Case::ALL.map(|case| Part::MonthName { full, case }));
        let month = [both(Part::Month), names.collect()].concat();
        let numbers = runs[0].bytes().take_while(u8::is_ascii_digit).count();
        let date = if is("W") {
            vec![Part::WeekYear, Part::Week, Part::Weekday]
        } else if is("Q") {
            vec![Part::Year, Part::Quarter]
        } else if runs[0].len() == 4 {
            [year, month, both(Part::Day)].concat()
        } else if numbers == 6 {
            vec![Part::YearMonth]
        } else if numbers == 8 {
            return vec![
                Part::Whole,
                Part::WholeClock,
                Part::HourMinute,
                Part::Hour(Digits::Two),
                Part::Minute,
                Part::Second,
            ];
        } else if order == Some(DateOrder::Mdy) || (runs.len() == 3 && runs[2].len() == 4) {
            // Of two numbers, and of three with the day behind, the month comes first.
            [month, both(Part::Day), year].concat()
        } else {
            [both(Part::Day), month, year].concat()
        };
        let hour = if is("am") || is("pm") {
            [both(Part::HalfDayHour), Case::ALL.map(Part::Half).to_vec()].concat()
        } else {
            both(Part::Hour)
        };
        [date, hour, vec![Part::Minute, Part::Second]].concat()
    }
}

impl Layout {
    /// The one in which all cells are written, each with what it says.
    pub(in crate::data) fn of<'a>(
        cells: impl Iterator<Item = (&'a str, Written)>,
        order: Option<DateOrder>,
    ) -> Option<Self> {
        let cells: Vec<(&str, &str, Written)> = cells
            .take(CELLS)
            .map(|(cell, written)| {
                let (moment, zone) = cell.split_at(date::zone_at(cell));
                (moment, zone, written)
            })
            .collect();
        let zone = Zone::of(cells.iter().map(|(_, zone, written)| (*zone, written.offset)))?;
        let cells: Vec<(Vec<&str>, i64)> =
            cells.into_iter().map(|(moment, _, written)| (runs(moment), written.local)).collect();
        let (first, _) = cells.first().filter(|(runs, _)| !runs.is_empty())?;
        if cells.iter().any(|(runs, _)| runs.len() != first.len()) {
            return None;
        }
        let mut left = Part::of(first, order);
        let mut pieces = Vec::with_capacity(first.len());
        for place in 0..first.len() {
            let meant = |part: &&Part| cells.iter().all(|(runs, local)| part.write(*local) == runs[place]);
            match left.iter().find(meant).copied() {
                Some(part) => {
                    left.retain(|other| other.kind() != part.kind());
                    pieces.push(Piece::Part(part));
                }
                None if cells.iter().all(|(runs, _)| runs[place] == first[place]) => {
                    pieces.push(Piece::Same(first[place].to_string()));
                }
                None => return None,
            }
        }
        Some(Layout { pieces, zone, order })
    }

    /// A moment written like the cells, if that reads back as the moment.
    pub(in crate::data) fn write(&self, written: Written) -> Option<String> {
        let Written { local, offset } = written;
        let piece = |piece: &Piece| match piece {
            Piece::Part(part) => part.write(local),
            Piece::Same(text) => text.clone(),
        };
        let text: String = self.pieces.iter().map(piece).collect::<String>() + &self.zone.write(offset);
        let back = date::read(text.as_bytes(), self.order)?;
        (back.local == local && back.seconds == local - offset).then_some(text)
    }
}

/// A cell in runs of digits, of letters and of anything else.
fn runs(cell: &str) -> Vec<&str> {
    let kind = |byte: u8| (byte.is_ascii_digit(), byte.is_ascii_alphabetic());
    let cuts = cell.as_bytes().windows(2).enumerate().filter(|(_, pair)| kind(pair[0]) != kind(pair[1]));
    let ends: Vec<usize> = cuts.map(|(at, _)| at + 1).filter(|&at| cell.is_char_boundary(at)).collect();
    let starts = std::iter::once(0).chain(ends.iter().copied());
    let ends = ends.iter().copied().chain([cell.len()]);
    starts.zip(ends).map(|(start, end)| &cell[start..end]).filter(|run| !run.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn written(text: &str, order: Option<DateOrder>) -> Written {
        let date = date::read(text.as_bytes(), order).unwrap_or_else(|| panic!("{text}"));
        Written { local: date.local, offset: date.local - date.seconds }
    }

    fn next(cells: &[&str], order: Option<DateOrder>, then: &str) -> Option<String> {
        let layout = Layout::of(cells.iter().map(|cell| (*cell, written(cell, order))), order)?;
        layout.write(written(then, None))
    }

    #[test]
    fn dates_are_written_like_the_others() {
        let (dmy, mdy) = (Some(DateOrder::Dmy), Some(DateOrder::Mdy));
        for (cells, order, then, right) in [
            (&["1960-11", "1960-12"][..], None, "1961-01-01", "1961-01"),
            (&["2024-Q3", "2024-Q4"], None, "2025-01-01", "2025-Q1"),
            (&["2024Q3", "2024Q4"], None, "2025-01-01", "2025Q1"),
            (&["2024-W51", "2024-W52"], None, "2024-12-30", "2025-W01"),
            (&["2024-W52-6", "2024-W52-7"], None, "2024-12-30", "2025-W01-1"),
            (&["31.12.2019", "1.1.2020"], None, "2020-01-02", "2.1.2020"),
            (&["31.12.2019", "01.01.2020"], None, "2020-01-02", "02.01.2020"),
            (&["12/31/2019", "1/1/2020"], mdy, "2020-10-02", "10/2/2020"),
            (&["31/12/19", "01/01/20"], dmy, "2020-10-02", "02/10/20"),
            (&["Nov 2019", "Dec 2019"], None, "2020-01-01", "Jan 2020"),
            (&["NOVEMBER 2019", "DECEMBER 2019"], None, "2020-01-01", "JANUARY 2020"),
            (&["30-dec-2019", "31-dec-2019"], None, "2020-01-01", "01-jan-2020"),
            (&["Dec 31, 2019"], None, "2020-01-01", "Jan 01, 2020"),
            (&["2019/12/31"], None, "2020-01-01", "2020/01/01"),
            (&["20191230", "20191231"], None, "2020-01-01", "20200101"),
            (&["2019-12-31 22:00", "2019-12-31 23:00"], None, "2020-01-01", "2020-01-01 00:00"),
            (&["2019-12-31T23:00:00.000Z"], None, "2020-01-01", "2020-01-01T00:00:00.000Z"),
            (&["2019-12-31T23:00+02:00"], None, "2020-01-01T01:30+02:00", "2020-01-01T01:30+02:00"),
            (&["201911", "201912"], None, "2020-01-01", "202001"),
            (&["11/2019", "12/2019"], None, "2020-01-01", "01/2020"),
            (&["2019M11", "2019M12"], None, "2020-01-01", "2020M01"),
            (&["Q3 2019", "Q4 2019"], None, "2020-01-01", "Q1 2020"),
            (&["30-Dec-19", "31-Dec-19"], None, "2020-01-01", "01-Jan-20"),
            (&["30DEC2019", "31DEC2019"], None, "2020-01-01", "01JAN2020"),
            (&["2019.12.30", "2019.12.31"], None, "2020-01-01", "2020.01.01"),
            (&["20191231T220000Z", "20191231T230000Z"], None, "2020-01-01", "20200101T000000Z"),
            (&["20191231T2200", "20191231T2300"], None, "2020-01-01", "20200101T0000"),
            (&["2019-12-31 22:00:00 UTC"], None, "2020-01-01", "2020-01-01 00:00:00 UTC"),
            (
                &["2023-10-29T02:00+02:00", "2023-10-29T02:00+01:00"],
                None,
                "2023-10-29T03:00+01:00",
                "2023-10-29T03:00+01:00",
            ),
            (
                &["2023-10-29 01:00 +0100", "2023-10-29 01:00 UTC"],
                None,
                "2023-10-29T02:00",
                "2023-10-29 02:00 UTC",
            ),
            (&["12/31/2019 9:00 PM", "12/31/2019 10:00 PM"], mdy, "2020-01-01", "1/01/2020 12:00 AM"),
        ] {
            let written = next(cells, order, then);
            // One month of all cells does not tell whether January would be 1 or 01.
            let right = right.replace("1/01/2020 12", "01/01/2020 12");
            assert_eq!(written.as_deref(), Some(right.as_str()), "{cells:?}");
        }
    }

    #[test]
    fn what_cells_do_not_share_is_no_layout() {
        assert_eq!(next(&["2019-12-31", "2020-01-01T06:00:00"], None, "2020-01-02"), None);
        assert_eq!(next(&["2019-12-31T23:00+02:00", "2020-03-31T23:00+0100"], None, "2020-01-02"), None);
        assert_eq!(
            next(&["2019-12-31T23:00+02:00"], None, "2020-01-02T00:00+01:00"),
            None,
            "another instant"
        );
        let short = next(&["31/12/68", "31/12/69"], Some(DateOrder::Dmy), "2070-12-31");
        assert_eq!(short, None, "1970 would be read");
        assert_eq!(next(&["Nov 2019"], None, "2020-01-02"), None, "a day cannot be told");
    }

    proptest! {
        #[test]
        fn any_text_is_cut_into_all_of_its_runs(text in ".{0,40}") {
            prop_assert_eq!(runs(&text).concat(), text);
        }

        #[test]
        fn whatever_is_written_is_the_moment(days in prop::collection::vec(-20_000i64..40_000, 1..6), then in -20_000i64..40_000) {
            let cells: Vec<String> = days.iter().map(|day| date::write(day * date::DAY)).collect();
            let midnight = |day: i64| Written { local: day * date::DAY, offset: 0 };
            let layout = Layout::of(cells.iter().map(String::as_str).zip(days.iter().copied().map(midnight)), None).unwrap();
            prop_assert_eq!(layout.write(midnight(then)), Some(date::write(then * date::DAY)));
        }
    }
}
