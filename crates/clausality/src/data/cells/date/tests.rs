use super::*;
use proptest::prelude::*;

fn seconds(text: &str) -> Option<i64> {
    read(text.as_bytes(), None).map(|date| date.seconds)
}

#[test]
fn dates_and_times() {
    assert_eq!(seconds("1970-01-01"), Some(0));
    assert_eq!(seconds("2000-02-29"), Some(951_782_400));
    assert_eq!(seconds("2012-01-01T08:30"), Some(1_325_406_600));
    assert_eq!(seconds("2012-01-01 08:30:15.25Z"), Some(1_325_406_615));
    assert_eq!(seconds("2012-01-01T10:30+02:00"), seconds("2012-01-01T08:30Z"));
    assert_eq!(seconds("2012-01-01T04:00-0430"), seconds("2012-01-01T08:30Z"));
    let date = read(b"2026-11-15", None).unwrap();
    assert_eq!((date.year, date.month, date.weekday(), date.timed), (2026, 10, 6, false));
    let date = read(b"2012-01-01T23:30-02:00", None).unwrap();
    assert_eq!((date.hour(), date.days(), date.seconds - date.local), (23, 15_340, 7200), "as written");
}

#[test]
fn years_of_two_digits_and_dates_without_signs() {
    let day = |text: &str, order| read(text.as_bytes(), order).map(|date| write(date.seconds));
    let (dmy, mdy) = (Some(DateOrder::Dmy), Some(DateOrder::Mdy));
    assert_eq!(day("14.12.20", dmy).as_deref(), Some("2020-12-14"));
    assert_eq!(day("12/14/69", mdy).as_deref(), Some("2069-12-14"));
    assert_eq!(day("1-2-70", dmy).as_deref(), Some("1970-02-01"));
    assert_eq!(day("14.12.20", None), None);
    assert_eq!(day("14.12.20", mdy), None);
    assert!(is_short(b"14.12.20") && !is_short(b"14.12.2020") && !is_short(b"2020-12-14"));
    assert_eq!(day("20200106", None).as_deref(), Some("2020-01-06"));
    for text in ["20200230", "18991231", "21010101", "2020010", "202001060"] {
        assert_eq!(day(text, None), None, "{text}");
    }
}

#[test]
fn other_ways_to_write_a_date() {
    let day = seconds("2019-12-31");
    for text in [
        "2019/12/31",
        "31.12.2019",
        "31 Dec 2019",
        "Dec 31, 2019",
        "December 31 2019",
        "31-Dec-2019",
        "2020-W01-2",
    ] {
        assert_eq!(seconds(text), day, "{text}");
    }
    for (text, first) in [
        ("2012-04", "2012-04-01"),
        ("Apr 2012", "2012-04-01"),
        ("2012-Q2", "2012-04-01"),
        ("2012Q2", "2012-04-01"),
        ("2012-W01", "2012-01-02"),
        ("2012-01-02 1:05 PM", "2012-01-02T13:05"),
        ("12/31/2019 12:00 AM", "2019-12-31"),
    ] {
        let order = Some(DateOrder::Mdy);
        assert_eq!(read(text.as_bytes(), order).map(|d| d.seconds), seconds(first), "{text}");
    }
    let (dmy, mdy) = (Some(DateOrder::Dmy), Some(DateOrder::Mdy));
    assert_eq!(read(b"3/4/2019", None), None, "nothing is guessed");
    assert_eq!(read(b"3/4/2019", dmy).map(|d| d.seconds), seconds("2019-04-03"));
    assert_eq!(read(b"3/4/2019", mdy).map(|d| d.seconds), seconds("2019-03-04"));
    assert_eq!(read(b"31/12/2019", mdy), None);
    let clock = read(b"08:30", None).unwrap();
    assert!(clock.clock && clock.hour() == 8);
    assert_eq!(read(b"8:30", None), Some(clock));
    assert_eq!(read(b"8:30 AM", None), Some(clock));
    assert_eq!(read(b"8:30:15", None), None, "a duration");
    assert!(may_be_minutes(b"8:30") && !may_be_minutes(b"08:30") && !may_be_minutes(b"8:30 AM"));
}

#[test]
fn dates_as_programs_write_them() {
    for (text, same) in [
        ("05-Sep-22", "2022-09-05"),
        ("5-SEP-71", "1971-09-05"),
        ("01JAN2024", "2024-01-01"),
        ("01jan24", "2024-01-01"),
        ("2024.01.31", "2024-01-31"),
        ("02/2010", "2010-02-01"),
        ("2/2010", "2010-02-01"),
        ("02-2010", "2010-02-01"),
        ("2010M02", "2010-02-01"),
        ("2010M2", "2010-02-01"),
        ("201002", "2010-02-01"),
        ("201002.0", "2010-02-01"),
        ("20100203.0", "2010-02-03"),
        ("1990q2", "1990-04-01"),
        ("2Q1990", "1990-04-01"),
        ("2019/10", "2019-10-01"),
        ("1st January 2019", "2019-01-01"),
        ("Jan 22nd, 2019", "2019-01-22"),
        ("Tue, 01 Jan 2019", "2019-01-01"),
        ("Tuesday, January 1, 2019", "2019-01-01"),
        ("Tue Jan 1 2019 08:30", "2019-01-01T08:30"),
        ("2019-12-31 24:00", "2020-01-01"),
        ("1990-q2", "1990-04-01"),
        ("q2 1990", "1990-04-01"),
        ("Q2 1990", "1990-04-01"),
        ("1990 Q2", "1990-04-01"),
        ("Q2/1990", "1990-04-01"),
        ("2024-01-01 07:30:00 UTC", "2024-01-01T07:30"),
        ("2024-01-01 07:30:00 +0200", "2024-01-01T05:30"),
        ("20240101T220000Z", "2024-01-01T22:00"),
        ("20240101T2215", "2024-01-01T22:15"),
        ("20240101T220000.5+02:00", "2024-01-01T20:00"),
    ] {
        assert!(seconds(text).is_some() && seconds(text) == seconds(same), "{text}");
    }
    for text in [
        "Feb-10",
        "201002.5",
        "201002.00.0",
        "201013.0",
        "2022-248",
        "189912",
        "210101",
        "201013",
        "201000",
        "13/2010",
        "2010M13",
        "Q5 1990",
        "5Q1990",
        "2019/13",
        "1xx January 2019",
        "th January 2019",
        "Tug, 01 Jan 2019",
        "2019-12-31 24:01",
        "Q2",
        "20240101T22",
        "20240101T2460",
        "Sep-05-22",
        "2010X02",
    ] {
        assert_eq!(seconds(text), None, "{text}");
    }
}

#[test]
fn dates_are_put_together_in_ways() {
    let same = |a: &str, b: &str| alike(a.as_bytes(), b.as_bytes());
    assert!(same("31.12.2019", "1.1.2020") && same("2019-12-31", "2020-01-01T06:00:00"));
    assert!(same("May 1, 2019", "December 31, 2019") && same("08:30", "23:59:10"));
    assert!(
        !same("2019-12-31", "31.12.2019")
            && !same("2019-12-31", "2019/12/31")
            && !same("2019-12", "2019-12-31")
    );
}

#[test]
fn periods_have_names() {
    let name = |unit: Unit, text: &str| unit.label(unit.start(seconds(text).unwrap()));
    for (unit, label) in [
        (Unit::Year, "2012"),
        (Unit::Quarter, "2012 Q1"),
        (Unit::Month, "2012 Jan"),
        (Unit::Week, "2012 W04"),
        (Unit::Day, "2012-01-29"),
        (Unit::Hour, "2012-01-29 08h"),
    ] {
        assert_eq!(name(unit, "2012-01-29T08:30"), label);
    }
    assert_eq!(name(Unit::Week, "2021-01-03"), "2020 W53");
}

#[test]
fn what_is_no_date() {
    for text in [
        "",
        "2012",
        "18991231",
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
        "1.2.3",
        "2012-2013",
        "2012-W54",
        "10.1.2.3",
        "1:2",
        "3.12.99",
        "May",
        "May 12",
        "2012--01-01",
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
        prop_assert_eq!(read(write(seconds).as_bytes(), None).map(|date| date.seconds), Some(seconds));
    }

    #[test]
    fn what_is_written_with_an_offset_reads_back(local in -62_000_000_000i64..253_000_000_000, offset in -840i64..840) {
        let read = read(write_zoned(local, 60 * offset).as_bytes(), None).map(|date| (date.local, date.seconds));
        prop_assert_eq!(read, Some((local, local - 60 * offset)));
    }

    #[test]
    fn any_bytes_are_read(bytes in proptest::collection::vec(any::<u8>(), 0..32)) {
        is_any(&bytes);
        alike(&bytes, b"2012-01-31");
        may_be_day_or_year(&bytes);
        let text = String::from_utf8_lossy(&bytes);
        prop_assert!(text.is_char_boundary(zone_at(&text)));
    }
}
