//! Dates and times, and what becomes of them.

use super::*;

#[test]
fn dates_become_parts_of_the_calendar() {
    let text = table(
        400,
        &[
            ("when", &|k| format!("2024-{:02}-{:02}", k % 12 + 1, k % 28 + 1)),
            ("when month", &|k| (k % 3).to_string()),
            ("monthly", &|k| format!("20{:02}-{:02}-01", k % 20 + 10, k % 12 + 1)),
            ("date", &|k| (k % 3).to_string()),
        ],
    );
    let dataset = read(&text);
    let report = column(&dataset, "when");
    assert_eq!(
        (report.kind, report.decision, report.role),
        (Kind::Date, Decision::Derived, Some(Role::Calendar))
    );
    let names: Vec<&str> = report.variables.iter().map(|variable| variable.name.as_str()).collect();
    assert_eq!(names, ["when month'", "when weekday"]);
    assert_eq!(states(&dataset, "when weekday"), ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]);
    // 2024-01-01 was a Monday.
    assert_eq!(dataset.table.column(dataset.table.schema().index("when weekday").unwrap())[0], 0);
    assert_eq!(
        report.reason,
        "became month and weekday; left out: year (all in 2024), when (month tells it)"
    );
    // Twenty years are too many to be named, and every date is on the first.
    assert_eq!(states(&dataset, "monthly when"), ["<= 2014", "2015 to 2019", "2020 to 2024", ">= 2025"]);
    assert_eq!(
        column(&dataset, "monthly").reason,
        "became month and when; left out: year (when tells it), weekday (no month has two dates)"
    );
    let scale =
        |name: &str| dataset.table.schema().variable(dataset.table.schema().index(name).unwrap()).scale;
    assert_eq!((scale("when month'"), scale("monthly when")), (Scale::Circular, Scale::Ordered));
    assert_eq!(column(&dataset, "date").kind, Kind::Ordered, "never by header");
    assert_eq!(dataset.indexes.len(), 2);
    assert_eq!(dataset.indexes[0].at(0), Some(1_704_067_200));
}

/// Cells from 2012-01-01 on, a step of so many hours apart.
fn from_2012(hours: usize) -> impl Fn(usize) -> String {
    move |k| {
        let (mut day, mut year) = (k * hours / 24, 2012);
        let length = |year: usize| if year.is_multiple_of(4) { 366 } else { 365 };
        while day >= length(year) {
            day -= length(year);
            year += 1;
        }
        let months = [31, length(year) - 337, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
        let mut month = 0;
        while day >= months[month] {
            day -= months[month];
            month += 1;
        }
        let date = format!("{year}-{:02}-{:02}", month + 1, day + 1);
        if hours.is_multiple_of(24) { date } else { format!("{date} {:02}:00", k * hours % 24) }
    }
}

#[test]
fn parts_are_kept_where_they_say_something() {
    let became = |rows: usize, hours: usize| {
        let text = table(rows, &[("x", &|k| (k % 3).to_string()), ("at", &from_2012(hours))]);
        column(&read(&text), "at").reason.clone()
    };
    assert_eq!(became(1461, 24), "became year, month and weekday; left out: when (year and month tell it)");
    assert_eq!(
        became(600, 24 * 7),
        "became year and month; left out: weekday (all on Sun), when (year and month tell it)"
    );
    // Three weeks of every hour: a day has come round, a month has not.
    assert_eq!(
        became(504, 1),
        "became weekday, hour and when; left out: year (all in 2012), month (all in Jan)"
    );
    assert_eq!(
        became(100, 24),
        "became month and weekday; left out: year (all in 2012), when (month tells it)"
    );
    assert_eq!(
        became(240, 6),
        "became weekday, hour and when; left out: year (all in 2012), month (no month comes twice, when tells it)"
    );
}

#[test]
fn parts_of_dates_can_be_asked_for() {
    let text = table(5000, &[("x", &|k| (k % 3).to_string()), ("at", &from_2012(5))]);
    let with = |kind: &str| read_with(&text, &with_types(&[("at", kind.parse().unwrap())])).unwrap();
    let dataset = with("date:year,hour");
    assert_eq!(states(&dataset, "at year"), ["2012", "2013", "2014"]);
    assert_eq!(states(&dataset, "at hour"), ["00-03h", "04-07h", "08-11h", "12-15h", "16-19h", "20-23h"]);
    assert_eq!(dataset.table.schema().len(), 3);
    let quarters = with("date:when");
    assert_eq!(states(&quarters, "at when")[..2], ["2012 Q1", "2012 Q2"]);
    let state = |text: &str| {
        quarters.coding.state("at when", text).map(|s| states(&quarters, "at when")[usize::from(s)].clone())
    };
    assert_eq!(state("2012-05-01").as_deref(), Some("2012 Q2"));
    assert_eq!(state("2011-05-01").as_deref(), Some("2012 Q1"), "beyond the range: the nearest");
    let daily = table(400, &[("x", &|k| (k % 3).to_string()), ("at", &from_2012(24))]);
    let dataset = read_with(&daily, &with_types(&[("at", "date:month,hour".parse().unwrap())])).unwrap();
    assert!(warned(&dataset, &["'at'", "hour left out: no time of day is written"]), "{:?}", dataset.notices);
    let none = read_with(&daily, &with_types(&[("at", "date:hour".parse().unwrap())]));
    assert!(none.is_err(), "nothing is left but x");
}

#[test]
fn day_and_month_are_told_apart_or_asked_for() {
    let cells = |most: usize| {
        table(
            300,
            &[
                ("x", &|k| (k % 3).to_string()),
                ("at", &move |k| format!("{}/{}/2019", k % most + 1, k % 11 + 1)),
            ],
        )
    };
    let dataset = read(&cells(28));
    assert!(
        column(&dataset, "at").reason.ends_with("; read as day, month, year"),
        "{:?}",
        column(&dataset, "at")
    );
    assert_eq!(dataset.coding.state("at month", "2/3/2019"), Some(2));
    let dataset = read(&cells(12));
    assert!(warned(&dataset, &["'1/1/2019' looks like a date", "'at=date:dmy'"]), "{:?}", dataset.notices);
    assert!(column(&dataset, "at").kind != Kind::Date, "nothing is guessed");
    let asked = |kind: &str| read_with(&cells(12), &with_types(&[("at", kind.parse().unwrap())]));
    assert_eq!(asked("date:mdy").unwrap().coding.state("at month", "2/3/2019"), Some(1));
    let error = asked("date").unwrap_err();
    assert!(error.to_string().contains("may have the day or the month first"), "{error}");
    let advice: Vec<String> = error.advice().into_iter().map(|advice| advice.value).collect();
    assert_eq!(advice, ["at=date:dmy", "at=date:mdy"]);
}

#[test]
fn what_keeps_a_column_from_being_dates_is_named() {
    let odd = |bad: &'static [&'static str], good: fn(usize) -> String| {
        table(
            300,
            &[
                ("x", &|k| (k % 3).to_string()),
                ("d", &move |k| bad.get(k.wrapping_sub(100)).map_or_else(|| good(k), |bad| bad.to_string())),
            ],
        )
    };
    let iso = |k: usize| format!("2020-{:02}-{:02}", k % 12 + 1, k % 28 + 1);
    let american = |k: usize| format!("{:02}/{:02}/2020", k % 12 + 1, k % 28 + 1);
    let advised = |text: &str, part: &str| {
        let dataset = read(text);
        let notice = dataset.notices.iter().find(|notice| notice.message.contains(part));
        let advice = notice.and_then(|notice| notice.advice.first().cloned());
        advice.unwrap_or_else(|| panic!("{part}: {:?}", dataset.notices)).value
    };
    for (bad, good, part, advice) in [
        (
            &["2020-02-30"][..],
            iso as fn(usize) -> String,
            "299 of 300 cells are dates, but '2020-02-30' (row 101) is none",
            "d=2020-02-30",
        ),
        (&["unknown", "later"], iso, "but 'later' (row 102), 'unknown' are none", "d=later,unknown"),
        (
            &["02/30/2020", "13/13/2020"],
            american,
            "are dates (month first), but '02/30/2020' (row 101), '13/13/2020'",
            "d=02/30/2020,13/13/2020",
        ),
    ] {
        let text = odd(bad, good);
        assert_eq!(advised(&text, part), advice);
        let na = DataSettings {
            na: serde_json::from_value(serde_json::json!({"*": [], "d": bad})).unwrap(),
            ..DataSettings::default()
        };
        assert_eq!(column(&read_with(&text, &na).unwrap(), "d").kind, Kind::Date);
    }
    let short = odd(&[], |k| format!("{:02}.{:02}.20", k % 28 + 1, k % 12 + 1));
    assert!(warned(&read(&short), &["its year has two digits"]));
    let declared = |text: &str, kind: &str| {
        let dataset = read_with(text, &with_types(&[("d", kind.parse().unwrap())])).unwrap();
        (column(&dataset, "d").kind, dataset)
    };
    assert_eq!(declared(&short, "date:dmy").0, Kind::Date);
    let plain = odd(&[], |k| format!("20{:02}{:02}{:02}", 18 + k % 3, k % 12 + 1, k % 28 + 1));
    assert_eq!(advised(&plain, "such as 20180101, may be dates"), "d=date");
    let (kind, dataset) = declared(&plain, "date");
    assert_eq!((kind, dataset.coding.state("d month", "20190306")), (Kind::Date, Some(2)));
    assert!(!warned(&read(&odd(&[], |k| (20_000_000 + k % 150 * 7).to_string())), &["may be dates"]));
}

#[test]
fn times_without_a_date_are_hours() {
    let text = table(
        300,
        &[("x", &|k| (k % 3).to_string()), ("at", &|k| format!("{:02}:{:02}", 7 + k % 6, k % 60))],
    );
    let dataset = read(&text);
    assert_eq!(states(&dataset, "at hour"), ["07h", "08h", "09h", "10h", "11h", "12h"]);
    assert_eq!(column(&dataset, "at").reason, "became hour");
}

#[test]
fn rows_in_the_order_of_time_are_pointed_out() {
    let days = |day: &dyn Fn(usize) -> usize| {
        let date = |r: usize| format!("2021-{:02}-{:02}", 1 + day(r) / 28, 1 + day(r) % 28);
        read(&table(120, &[("day", &date), ("a", &|r| (r % 2).to_string()), ("b", &|r| (r % 3).to_string())]))
    };
    let told = |dataset: &Dataset| warned(dataset, &["'day'", "order", "independent"]);
    assert!(told(&days(&|r| r)) && told(&days(&|r| 200 - r)) && told(&days(&|r| r / 4)));
    assert!(!told(&days(&|r| r * 7 % 120)));
}

/// Survey waves and quarters: two or three dates are states, by the coarsest name that tells them apart.
#[test]
fn a_few_dates_are_states() {
    let text = table(
        300,
        &[
            ("wave", &|k| ["2019-10-01", "2018-05-01", "2010-12-01"][k % 3].to_string()),
            ("quarter", &|k| ["2000Q1", "2000Q2"][k / 2 % 2].to_string()),
            ("day", &|k| ["2000-03-04", "2000-03-11", "2000-03-12"][k / 3 % 3].to_string()),
            ("season", &|k| format!("{}-{:02}", 2003 + k % 7, 4 + k % 7)),
        ],
    );
    let dataset = read(&text);
    assert_eq!(states(&dataset, "wave year"), ["2010", "2018", "2019"]);
    assert_eq!(states(&dataset, "quarter month"), ["Jan", "Apr"]);
    assert_eq!(column(&dataset, "day").decision, Decision::Derived);
    // A year and the next is no month.
    assert_eq!(column(&dataset, "season").kind, Kind::Categorical);
}

#[test]
fn durations_may_look_like_times_of_day() {
    let clock =
        |seconds: usize| format!("{:02}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60);
    let races = |first: usize, step: usize| {
        table(
            300,
            &[
                ("age", &|k| (20 + k % 50).to_string()),
                ("sex", &|k| (k % 2).to_string()),
                ("time", &|k| clock(first + step * (k * 7 % 300))),
            ],
        )
    };
    // Times of runners: the hours are said to be a guess, with the way out.
    let guessed = read(&races(7500, 31));
    assert!(warned(&guessed, &["'time'", "if they are durations", "time=numeric"]));
    let said = read_with(&races(7500, 31), &with_types(&[("time", ColumnType::Numeric)])).unwrap();
    assert_eq!(column(&said, "time").kind, Kind::Numeric);
    assert!(states(&said, "time").iter().all(|state| !state.contains(':')), "{:?}", states(&said, "time"));
    // Over a whole day nobody runs, and what is longer than a day is no time of day.
    assert!(!warned(&read(&races(0, 287)), &["durations"]));
    let long = races(7500, 31).replace("1,02:", "1,26:");
    assert!(warned(&read(&long), &["looks like a number", "time=numeric"]));
}

/// Too few days for periods of days, and no hour to tell them apart by.
#[test]
fn an_hour_that_does_not_vary_is_no_part_of_a_label() {
    let day = |k: usize| format!("{}-11-22", 1960 + k % 13);
    for clock in ["", " 00:00:00", " 06:30:00"] {
        let text = table(130, &[("when", &|k| day(k) + clock), ("x", &|k| (k % 3).to_string())]);
        let dataset = read(&text);
        let labels = states(&dataset, "when when");
        assert_eq!(
            labels,
            ["until 1962-11-22", "1963-11-22 to 1965-11-22", "1966-11-22 to 1969-11-22", "from 1970-11-22"],
            "{clock}"
        );
    }
}

/// One word makes names of a column of dates: also where its row is one of those that are let go.
#[test]
fn a_word_among_dates_is_met_whatever_rows_are_held() {
    let text = table(
        9000,
        &[
            ("day", &|k| match k {
                7123 => "unknown".into(),
                _ => format!("20{:02}-{:02}-{:02}", k % 20 + 10, k % 12 + 1, k * 7 % 28 + 1),
            }),
            ("x", &|k| (k % 3).to_string()),
        ],
    );
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("t.csv");
    std::fs::write(&file, text).unwrap();
    for rows_held in [1000, 1_000_000] {
        let settings = DataSettings { rows_held, ..DataSettings::default() };
        let dataset = data::inspect(&file, &settings, &Bounds::default()).unwrap();
        assert_ne!(column(&dataset, "day").kind, Kind::Date, "{rows_held}");
        let told: Vec<&str> = dataset.notices.iter().map(|notice| notice.message.as_str()).collect();
        let word = told.iter().find(|told| told.contains("'unknown' (row 7,124) is none"));
        assert!(word.is_some(), "{rows_held}: {told:?}");
        assert!(dataset.notices.iter().any(|notice| notice.advice.iter().any(|a| a.value == "day=unknown")));
    }
}
