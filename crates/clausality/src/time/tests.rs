use super::*;
use crate::data::{self, Bounds, DataSettings, Input};

fn read(csv: &str, entity: bool) -> Result<Dataset, Error> {
    let entity = entity.then(|| "who".to_string());
    let settings = DataSettings { time: Some("when".into()), entity, ..DataSettings::default() };
    data::read(Input::csv(csv.as_bytes(), "t.csv"), &settings, &Bounds::default())
}

/// Rows of two columns that vary, at these times.
fn at(times: impl IntoIterator<Item = String>) -> String {
    let row = |(k, time): (usize, String)| {
        format!("{time},{},{}\n", ["a", "b"][k * k % 3 % 2], ["x", "y", "z"][k * 7 % 5 % 3])
    };
    "when,one,two\n".to_string() + &times.into_iter().enumerate().map(row).collect::<String>()
}

fn timeline(csv: &str, settings: &TimeSettings) -> Result<Timeline, Error> {
    Timeline::new(&read(csv, false)?, settings)
}

fn step_of(times: impl IntoIterator<Item = String>) -> String {
    timeline(&at(times), &TimeSettings::default()).unwrap().course.step
}

#[test]
fn steps_are_found() {
    let days = |k: u32| format!("2024-{:02}-{:02}", 1 + k / 28, 1 + k % 28);
    assert_eq!(step_of((0..28).map(days)), "1d");
    assert_eq!(step_of((0..60).map(|k| format!("{}-{:02}-01", 2000 + k / 12, 1 + k % 12))), "1mo");
    assert_eq!(step_of((0..60).map(|k| format!("{}-{:02}-15", 2000 + k / 4, 1 + 3 * (k % 4)))), "1q");
    assert_eq!(step_of((0..60).map(|k| format!("{}-12-31", 1950 + k))), "1y");
    assert_eq!(step_of((0..60).map(|k| (1950 + k).to_string())), "1");
    assert_eq!(step_of((0..60).map(|k| (5 * k).to_string())), "5");
    assert_eq!(step_of((0..60).map(|k| format!("2024-01-01 {:02}:{:02}", k / 4, 15 * (k % 4)))), "15min");
    // Ends of months, and an hour that summer time takes away from a day.
    let ends = ["01-31", "02-29", "03-31", "04-30", "05-31", "06-30"];
    assert_eq!(step_of(ends.iter().map(|end| format!("2024-{end}"))), "1mo");
    let summer = |k: u32| format!("2024-03-{:02}T00:00+0{}:00", 20 + k, if k < 11 { 1 } else { 2 });
    assert_eq!(step_of((0..12).map(summer)), "1d");
}

#[test]
fn a_row_may_come_a_little_late_but_not_between_steps() {
    let late =
        |k: u32| format!("2024-01-01 {:02}:{:02}:{:02}", k / 4, 15 * (k % 4), k % 5 * u32::from(k > 30));
    let settings = TimeSettings { step: "15min".parse().ok(), ..TimeSettings::default() };
    assert_eq!(timeline(&at((0..60).map(late)), &settings).unwrap().course.holes, 0);
    let odd = (0..40).map(|k| (10 * k + if k == 30 { 4 } else { 0 }).to_string());
    let message = timeline(&at(odd), &TimeSettings::default()).unwrap_err().to_string();
    assert!(
        message.starts_with("t.csv:32: 304 and 290 (line 31) are no whole number of steps of 10 apart"),
        "{message}"
    );
}

#[test]
fn rows_are_judged_by_the_grid_and_not_by_their_neighbours() {
    // Up to fourteen minutes early or late: of two rows one may come 28 minutes later than an hour after the other.
    let stamp = |minutes: i64| {
        let (day, clock) = (minutes.div_euclid(1440), minutes.rem_euclid(1440));
        format!("2024-01-{:02}T{:02}:{:02}", 2 + day, clock / 60, clock % 60)
    };
    for most in [9, 14] {
        let jitter = |k: i64| (k * 7919 + k * k % 101) % (2 * most + 1) - most;
        let times = (0..200).filter(|k| k % 50 != 7).map(|k| stamp(60 * k + jitter(k)));
        let course = timeline(&at(times), &TimeSettings::default()).unwrap().course;
        assert_eq!((course.step.as_str(), course.holes), ("1h", 4), "{most}");
    }
    let wild = (0..200).map(|k| stamp(60 * k + if k == 90 { 40 } else { k * 7919 % 29 - 14 }));
    let message = timeline(&at(wild), &TimeSettings::default()).unwrap_err().to_string();
    assert!(message.contains("are no whole number of steps of"), "{message}");
}

/// Instants as a clock shows them whose offset from UTC changes with one of them, in hours.
fn shown(change: i64, offsets: [i64; 2], instants: impl Iterator<Item = i64>) -> Vec<String> {
    let write = |instant: i64| {
        let offset = if instant < change { offsets[0] } else { offsets[1] };
        let local = instant + 3600 * offset;
        let (year, month, day) = data::civil(local.div_euclid(data::DAY));
        let clock = local.rem_euclid(data::DAY);
        let sign = if offset < 0 { '-' } else { '+' };
        let time = format!("{:02}:{:02}{sign}{:02}:00", clock / 3600, clock / 60 % 60, offset.abs());
        format!("{year}-{month:02}-{day:02}T{time}")
    };
    instants.map(write).collect()
}

#[test]
fn hours_are_instants_and_days_are_those_of_the_calendar_where_clocks_change() {
    // 2023-10-29T01:00Z in Berlin, 2024-03-10T07:00Z in New York.
    for (change, offsets) in [(1_698_541_200, [2, 1]), (1_710_054_000, [-5, -4])] {
        let hours = shown(change, offsets, (-100..4).map(|k| change + 3600 * k));
        let course = timeline(&at(hours[..101].to_vec()), &TimeSettings::default()).unwrap().course;
        assert_eq!((course.step.as_str(), course.holes, course.rows), ("1h", 0, 101));
        assert_eq!(course.to, hours[100]);
        let (_, later) = after(hours[..101].to_vec(), 3);
        assert_eq!(later, hours[103], "with the offset of the last row");
        // Midnights of that clock.
        let midnight = (change + 3600 * offsets[0]).div_euclid(data::DAY) * data::DAY;
        let days = (-60..20).map(|k| {
            let local = midnight + data::DAY * k;
            local - 3600 * if local - 3600 * offsets[0] < change { offsets[0] } else { offsets[1] }
        });
        let course = timeline(&at(shown(change, offsets, days)), &TimeSettings::default()).unwrap().course;
        assert_eq!((course.step.as_str(), course.holes), ("1d", 0));
        // Every three hours on the wall.
        let watches = (-60..60).map(|k| midnight + 10_800 * k);
        let watches = watches.map(|local| {
            local - 3600 * if local - 3600 * offsets[0] < change { offsets[0] } else { offsets[1] }
        });
        let course = timeline(&at(shown(change, offsets, watches)), &TimeSettings::default()).unwrap().course;
        assert_eq!((course.step.as_str(), course.holes), ("3h", 0));
    }
}

#[test]
fn numbers_may_be_years_and_months() {
    let months = |k: u32| format!("{}{:02}", 2010 + (k + 1) / 12, 1 + (k + 1) % 12);
    let times: Vec<String> = (0..59).map(months).collect();
    let dataset = read(&at(times.clone()), false).unwrap();
    let told = &dataset.notices.iter().find(|notice| notice.message.contains("year and month")).unwrap();
    assert!(
        told.message.starts_with("column 'when': its numbers, such as 201002, were read as year and month")
    );
    assert_eq!(told.advice[0].value, "when=numeric");
    let course = Timeline::new(&dataset, &TimeSettings::default()).unwrap().course;
    assert_eq!((course.step.as_str(), course.holes, course.to.as_str()), ("1mo", 0, "201412"));
    assert_eq!(after(times, 1).1, "201501");
    // One that is no month, and they are numbers.
    let times = (0..59).map(months).chain(["201513".to_string()]);
    let course =
        timeline(&at(times), &TimeSettings { step: Some(Step::Of(1, Unit::One)), ..TimeSettings::default() });
    assert_eq!(course.unwrap().course.step, "1");
}

#[test]
fn months_may_begin_and_end_with_a_day_of_work() {
    let day = |days: i64| {
        let (year, month, day) = data::civil(days);
        format!("{year}-{month:02}-{day:02}")
    };
    let first = |month: i64| data::days_since_epoch(2010 + month.div_euclid(12), month.rem_euclid(12) + 1, 1);
    let works = |days: &i64| (days + 3).rem_euclid(7) < 5;
    let last_workday = |month: i64| day((first(month)..first(month + 1)).rev().find(works).unwrap());
    let first_workday = |month: i64| day((first(month)..first(month + 1)).find(works).unwrap());
    for of in [&last_workday as &dyn Fn(i64) -> String, &first_workday, &|month| day(first(month + 1) - 1)] {
        let times: Vec<String> = (0..61).map(of).collect();
        let course = timeline(&at(times[..60].to_vec()), &TimeSettings::default()).unwrap().course;
        assert_eq!((course.step.as_str(), course.holes), ("1mo", 0));
        assert_eq!(after(times[..60].to_vec(), 1).1, times[60]);
    }
    // A holiday, and months that have no thirtieth.
    let holiday = (0..60).map(|k| if k == 2 { "2010-03-29".to_string() } else { last_workday(k) });
    assert_eq!(step_of(holiday), "1mo");
    let thirtieth = |month: i64| day((first(month) + 29).min(first(month + 1) - 1));
    assert_eq!(step_of((0..38).map(thirtieth)), "1mo");
    assert_eq!(after((0..38).map(thirtieth).collect(), 1).1, "2013-03-30", "not on the last of March");
    // Rows of a few days of one month are days.
    assert_eq!(step_of((1..5).map(|k| format!("2010-03-{:02}", k))), "1d");
}

#[test]
fn times_of_day_come_round() {
    let clock = |k: u32| format!("{:02}:{:02}", k / 60 % 24, k % 60);
    assert_eq!(
        after((0..144).map(|k| clock(10 * k)).collect(), 2),
        ("23:50".to_string(), "00:10".to_string())
    );
    // From the evening to the morning they cannot be sorted.
    let night = at((0..144).map(|k| clock(22 * 60 + 2 * k)));
    let message = timeline(&night, &TimeSettings::default()).unwrap_err().to_string();
    assert!(
        message.starts_with(
            "t.csv:62: column 'when': times of day without a date go past midnight here, from 23:58 to 00:00"
        ),
        "{message}"
    );
    let days = at((0..200).map(|k| clock(10 * k)));
    let message = timeline(&days, &TimeSettings::default()).unwrap_err().to_string();
    assert!(message.contains("write the dates too"), "{message}");
}

#[test]
fn dates_that_nobody_can_read_are_refused_with_what_can_be() {
    let refused = |times: Vec<String>| timeline(&at(times), &TimeSettings::default()).unwrap_err();
    let short = refused((0..60).map(|k| format!("{:02}.10.{:02}", 1 + k % 28, 20 + k / 28)).collect());
    assert!(short.to_string().contains("'01.10.20' has a year of two digits"), "{short}");
    let Error::Table { problem, .. } = &short else { panic!("{short}") };
    let advice: Vec<String> = problem.advice().into_iter().map(|advice| advice.value).collect();
    assert_eq!(advice, ["when=date:dmy"], "14 is no month");
    let spoken = refused((0..28).map(|k| format!("Feb-{:02}", 1 + k)).collect()).to_string();
    assert!(
        spoken.contains("'Feb-01' may be a day of a month or a month of a year")
            && spoken.contains("Jan 2024"),
        "{spoken}"
    );
    let ordinal = refused((0..28).map(|k| format!("2022-{:03}", 1 + k)).collect()).to_string();
    assert!(ordinal.contains("'2022-001' is no time") && ordinal.contains("2024-W05"), "{ordinal}");
    let orders = refused(vec!["13/01/2020".into(), "01/14/2020".into(), "01/02/2020".into()]).to_string();
    assert!(orders.contains("in '13/01/2020' the day comes first, in '01/14/2020' the month"), "{orders}");
    // Two ways that can be read are told.
    let two = (1..29).map(|k| if k % 2 == 0 { format!("2022-01-{k:02}") } else { format!("{k:02}.01.2022") });
    let dataset = read(&at(two), false).unwrap();
    let told = |notice: &Notice| {
        notice.message.contains("written in different ways, such as '01.01.2022' and '2022-01-02'")
    };
    assert!(dataset.notices.iter().any(told), "{:?}", dataset.notices);
}

#[test]
fn rows_that_are_numbered_are_counted_on() {
    let later = |times: Vec<String>| {
        let sequence = read(&at(times), false).unwrap().sequence.unwrap();
        let tracks = Tracks::new(sequence, Step::Rows).unwrap();
        tracks.later(&tracks.tracks[0], 2)
    };
    assert_eq!(later((1..60).map(|k| k.to_string()).collect()), "61");
    assert_eq!(later((1..60).filter(|k| k % 7 > 0).map(|k| k.to_string()).collect()), "+2");
}

#[test]
fn tables_of_another_step_are_told() {
    let weeks = |k: i64| {
        let (year, month, day) = data::civil(20_000 + 7 * k);
        format!("{year}-{month:02}-{day:02}")
    };
    let notices = |times: Vec<String>| {
        let sequence = read(&at(times), false).unwrap().sequence.unwrap();
        Tracks::new(sequence, "1d".parse().unwrap()).unwrap().notices
    };
    assert_eq!(
        notices((0..31).map(weeks).collect()),
        ["180 of 211 steps have no row: its rows are 1w apart, the steps of the network are 1d"]
    );
    assert_eq!(notices((0..31).map(|k| format!("2024-01-{:02}", 1 + k)).collect()), Vec::<String>::new());
}

#[test]
fn rows_that_come_early_and_late_keep_a_round_step() {
    // An hour, up to 200 seconds early or late; a minute, up to two.
    let jitter = |k: u32, most: u32| (k * 7919 + k * k % 101) % (2 * most + 1);
    let stamp = |seconds: u32| {
        let (day, clock) = (1 + seconds / 86_400, seconds % 86_400);
        format!("2024-01-{day:02}T{:02}:{:02}:{:02}", clock / 3600, clock / 60 % 60, clock % 60)
    };
    for (step, most, named) in [(3600, 200, "1h"), (60, 2, "1min")] {
        let times = (0..200).map(|k| stamp(step * k + 300 + jitter(k, most)));
        let course = timeline(&at(times), &TimeSettings::default()).unwrap().course;
        assert_eq!((course.step.as_str(), course.holes), (named, 0));
    }
    let numbers = (0..200).map(|k| (1_577_836_800 + 3600 * k + jitter(k, 200)).to_string());
    assert_eq!(timeline(&at(numbers), &TimeSettings::default()).unwrap().course.step, "3600");
    // What is finer than a second, or larger than a number can tell, is refused with a way out.
    let refused = |csv: String| timeline(&csv, &TimeSettings::default()).unwrap_err().to_string();
    let fine = refused(at((0..60).map(|k| format!("2024-01-01T00:00:{:02}.{}", k / 10, k % 10))));
    assert!(fine.starts_with("t.csv:3: ") && fine.contains("read to the second"), "{fine}");
    let large = refused(at((0..60).map(|k| (1_577_836_800_000_000_000i64 + k * 1_000_000_000).to_string())));
    assert!(large.contains("1577836800000000000 is too large") && large.contains("nanoseconds"), "{large}");
}

#[test]
fn weekends_without_rows_are_told() {
    let day = |k: i64| {
        let (year, month, day) = crate::data::civil(19_723 + k);
        format!("{year}-{month:02}-{day:02}")
    };
    // 2024-01-01 was a Monday; the tenth Monday is a holiday.
    let working = |k: &i64| k % 7 < 5;
    let course = |keep: &dyn Fn(&i64) -> bool| {
        let times: Vec<String> = (0..140).filter(|k| keep(k)).map(day).collect();
        timeline(&at(times), &TimeSettings::default()).unwrap().course
    };
    let weeks = course(&|k| working(k) && *k != 63);
    assert_eq!((weeks.step.as_str(), weeks.holes, weeks.weekends), ("1d", 39, 38));
    let said = &weeks.notices()[0];
    assert!(said.message.contains("38 of 39 steps that are missing are Saturdays and Sundays"), "{said}");
    assert_eq!(said.advice[0].value, "rows");
    assert_eq!(course(&|k| working(k) || *k == 5).weekends, 0);
    assert_eq!(course(&|k| k % 9 > 0).weekends, 0);
}

#[test]
fn holes_break_carry_or_are_a_state() {
    let times = || (0..80).filter(|k| ![20, 50, 51, 52].contains(k)).map(|k: i32| k.to_string());
    let dataset = read(&at(times()), false).unwrap();
    let with = |holes: &str| {
        let settings = TimeSettings { holes: holes.parse().ok(), ..TimeSettings::default() };
        let timeline = Timeline::new(&dataset, &settings).unwrap();
        (timeline.stretches.len(), timeline.windows(&dataset, 2).unwrap())
    };
    let (stretches, windows) = with("break");
    assert_eq!((stretches, windows.dataset.table.rows()), (3, 18 + 27 + 25));
    assert_eq!((windows.course.holes, windows.course.gaps), (4, 2));
    assert_eq!(
        windows.course.notices()[0].message,
        "4 steps of 80 missing in 2 places: no window goes over them"
    );
    let (stretches, windows) = with("carry:1");
    assert_eq!((stretches, windows.dataset.table.rows()), (2, 49 + 25));
    let (stretches, windows) = with("state");
    assert_eq!((stretches, windows.dataset.table.rows()), (1, 78));
    let now = windows.dataset.table.schema().index("one").unwrap();
    assert_eq!(windows.dataset.table.schema().variable(now).states, ["a", "b", "missing"]);
    assert_eq!(windows.dataset.table.column(now).iter().filter(|&&code| code == 2).count(), 4);
}

#[test]
fn windows_hold_what_was_before() {
    let csv = at((0..60).map(|k| k.to_string()));
    let dataset = read(&csv, false).unwrap();
    let windows = Timeline::new(&dataset, &TimeSettings::default()).unwrap().windows(&dataset, 2).unwrap();
    let table = &windows.dataset.table;
    let names: Vec<&str> = table.schema().variables().iter().map(|v| v.name.as_str()).collect();
    assert_eq!(names, ["one@-2", "two@-2", "one@-1", "two@-1", "one", "two"]);
    let column = |name: &str| table.column(table.schema().index(name).unwrap());
    assert_eq!(column("two@-2")[2..], column("two")[..56]);
    assert_eq!(column("two@-1")[1..], column("two")[..57]);
    let raw = dataset.table.column(dataset.table.schema().index("two").unwrap());
    assert_eq!(column("two"), &raw[2..]);
    assert_eq!(windows.runs.apart, 5);
    assert!(matches!(&windows.runs.series[..], [all] if *all == (0..58)));
}

#[test]
fn the_order_of_rows_leaves_no_trace_and_statics_are_found() {
    let mut rows = Vec::new();
    for who in ["anna", "bert", "cleo"] {
        for k in 0..30u32 {
            let sex = if who == "bert" { "m" } else { "f" };
            rows.push(format!("{who},{k},{sex},{},{}\n", ["a", "b"][(k * k % 3 % 2) as usize], k % 4));
        }
    }
    let csv = |rows: &[String]| "who,when,sex,one,two\n".to_string() + &rows.concat();
    let of = |rows: &[String]| {
        let dataset = read(&csv(rows), true).unwrap();
        Timeline::new(&dataset, &TimeSettings::default()).unwrap().windows(&dataset, 1).unwrap()
    };
    let one = of(&rows);
    assert_eq!((one.course.statics.as_slice(), one.course.series), (&["sex".to_string()][..], 3));
    assert_eq!(one.runs.series, [0..29, 29..58, 58..87]);
    let sex = one.dataset.table.column(0);
    assert!(sex[..29].iter().all(|code| code == &sex[0]) && sex[29] != sex[0] && sex[58] == sex[0]);
    rows.reverse();
    rows.rotate_left(17);
    let two = of(&rows);
    assert_eq!((&two.dataset.table, &two.runs, &two.course), (&one.dataset.table, &one.runs, &one.course));
    assert_eq!(two.dataset.fingerprint, one.dataset.fingerprint);
}

#[test]
fn what_cannot_be_put_in_order_is_refused_with_its_place() {
    let refused = |csv: String| timeline(&csv, &TimeSettings::default()).unwrap_err().to_string();
    let days = || (1..=60).map(|k| k.to_string());
    let equal = refused(at(days().chain(["7".to_string()])));
    assert!(
        equal.starts_with("t.csv:62: two rows at 7, this one and line 8; if the table holds several series"),
        "{equal}"
    );
    let text = refused(at(days().chain(["soon".to_string()])));
    assert!(text.starts_with("t.csv:62:1: column 'when': 'soon' is no time"), "{text}");
    let half = refused(at(days().chain(["7.5".to_string()])));
    assert!(half.contains("t.csv:62: column 'when': '7.5' is no time"), "{half}");
    let gap = refused(at(days().chain([String::new()])));
    assert!(gap.contains("t.csv:62: column 'when': no time"), "{gap}");
    let like = refused(at((0..40).map(|k| format!("202401{:02}", 1 + k % 28)).take(28)));
    assert!(like.contains("such as 20240101, look like dates"), "{like}");
    let mixed = refused(at((0..40).map(|k| k.to_string()).chain((1..40).map(|k| (40 + 7 * k).to_string()))));
    assert!(mixed.contains("mixes two steps, 1 (50") && mixed.contains("and 7 (49"), "{mixed}");
    let deep = read(&at((0..60).filter(|k| k % 6 > 0).map(|k| k.to_string())), false).unwrap();
    let deep =
        Timeline::new(&deep, &TimeSettings::default()).unwrap().windows(&deep, 5).unwrap_err().to_string();
    assert!(
        deep.starts_with("t.csv: 5 lags need series of 6 consecutive steps, and the longest has 5"),
        "{deep}"
    );
    let single = "who,when,one,two\n".to_string()
        + &(0..40).map(|k| format!("p{k},{},{},{}\n", k % 7, k % 2, k % 3)).collect::<String>();
    let single = read(&single, true).and_then(|dataset| Timeline::new(&dataset, &TimeSettings::default()));
    let single = single.unwrap_err().to_string();
    assert!(
        single.starts_with("t.csv: every who has one row only: there is no next step to learn from"),
        "{single}"
    );
}

/// The last stamp of a table, and that of so many steps later.
fn after(times: Vec<String>, steps: usize) -> (String, String) {
    let sequence = read(&at(times), false).unwrap().sequence.unwrap();
    let tracks = Tracks::new(sequence, Step::Auto).unwrap();
    let now = tracks.now(&tracks.tracks[0]);
    (now, tracks.later(&tracks.tracks[0], steps))
}

#[test]
fn steps_to_come_are_written_as_the_table_writes_its_own() {
    let told = |now: &str, later: &str| (now.to_string(), later.to_string());
    let months = |k: u32| format!("{}-{:02}", 1950 + k / 12, 1 + k % 12);
    assert_eq!(after((0..60).map(months).collect(), 2), told("1954-12", "1955-02"));
    let quarters = |k: u32| format!("{} Q{}", 1950 + k / 4, 1 + k % 4).replace(' ', "-");
    assert_eq!(after((0..60).map(quarters).collect(), 1), told("1964-Q4", "1965-Q1"));
    let hours = |k: u32| format!("{}.1.2024 {:02}:00", 1 + k / 24, k % 24);
    assert_eq!(after((0..47).map(hours).collect(), 3), told("2.1.2024 22:00", "3.1.2024 01:00"));
    // R writes the months of a time series as years with decimals.
    for (decimals, last, next) in [(2, "1954.92", "1955.08"), (3, "1954.917", "1955.083")] {
        let years = |k: u32| format!("{:.decimals$}", 1950.0 + f64::from(k) / 12.0);
        assert_eq!(after((0..60).map(years).collect(), 2), told(last, next));
    }
    let all = |k: u32| format!("{:.3}", 1990.0 + f64::from(k) / 12.0);
    assert_eq!(after((0..120).map(all).collect(), 1), told("1999.917", "2000.000"));
    let quarters = |k: u32| (1950.0 + f64::from(k) / 4.0).to_string();
    assert_eq!(step_of((0..60).map(quarters)), "1q");
    assert_eq!(after((0..60).map(quarters).collect(), 1), told("1964.75", "1965"));
}

#[test]
fn rules_name_lags() {
    let dataset = read(&at((0..60).map(|k| k.to_string())), false).unwrap();
    let windows = Timeline::new(&dataset, &TimeSettings::default()).unwrap().windows(&dataset, 2).unwrap();
    let forbidden = |forbid: &[&str], time: &str| -> Result<Vec<String>, Error> {
        let given = serde_json::json!({ "forbid": forbid });
        let given = serde_json::from_value(given).unwrap();
        let settings: TimeSettings = serde_json::from_str(time).unwrap();
        Ok(over_windows(&given, &windows, &settings)?.forbid.iter().map(ToString::to_string).collect())
    };
    assert_eq!(forbidden(&["one@-1>two@0"], "{}").unwrap(), ["one@-1>two"]);
    assert_eq!(forbidden(&["one@-*>two"], "{}").unwrap(), ["one@-1>two", "one@-2>two"]);
    assert_eq!(forbidden(&["one>two"], "{}").unwrap(), ["one>two", "one@-1>two", "one@-2>two"]);
    assert_eq!(forbidden(&["one@-9>two"], "{}").unwrap(), Vec::<String>::new());
    assert_eq!(forbidden(&[], r#"{"instant": "no"}"#).unwrap(), ["one>two", "two>one"]);
    let message = forbidden(&["one>two@-1"], "{}").unwrap_err().to_string();
    assert!(message.contains("it must be an arc into the present"), "{message}");
    let idle = |forbid: &[&str]| {
        idle(&serde_json::from_value(serde_json::json!({ "forbid": forbid })).unwrap(), &windows)
    };
    assert_eq!(idle(&["one@-2>two", "one@-*>two", "one>two"]), Vec::<String>::new());
    let told = idle(&["one@-9>two", "one@1>two"]);
    assert!(told[0].contains("'one@-9>two' changes nothing: columns look back 2 steps only"), "{told:?}");
    assert!(told[1].contains("a later step"), "{told:?}");
    let unknown = forbidden(&["on>two"], "{}").unwrap();
    assert_eq!(unknown, ["on>two"], "left for the rules to refuse by name");
}
