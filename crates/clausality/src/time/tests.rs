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

#[test]
fn steps_to_come_are_written_as_the_table_writes_its_own() {
    let after = |times: Vec<String>, steps: usize| {
        let sequence = read(&at(times), false).unwrap().sequence.unwrap();
        let tracks = Tracks::new(sequence, Step::Auto).unwrap();
        let now = tracks.now(&tracks.tracks[0]);
        (now, tracks.later(&tracks.tracks[0], steps))
    };
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
