//! Rows in the order of time, end to end: what is learned of series, what a run keeps of it, and what leaves no trace.

use clausality::bn::random::Stream;
use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

/// Three shops: sales follow the exclusive or of rain two days ago and the price of yesterday, leaks follow sales, and noise is slow and of
/// no consequence.
fn shops(days: usize, reverse: bool) -> String {
    let mut stream = Stream::new(5, "shops");
    let mut often = |share: f64| stream.unit() < share;
    let mut rows = Vec::new();
    for shop in ["A", "B", "C"] {
        let (mut rain, mut price, mut noise) = ([0usize; 3], [0usize; 2], 0usize);
        for day in 0..days {
            let weather = if often(0.75) { rain[0] } else { 1 - rain[0] };
            let acts = rain[1] ^ price[0];
            let sales = if often(0.92) { acts } else { 1 - acts };
            let leak = if often(0.85) { sales } else { 1 - sales };
            noise = if often(0.9) { noise } else { 1 - noise };
            (rain, price) = ([weather, rain[0], rain[1]], [usize::from(often(0.5)), price[0]]);
            let region = if shop == "B" { "south" } else { "north" };
            let (sales, leak) = (["low", "high"][sales], ["no", "yes"][leak]);
            let (rain, price, noise) =
                (["dry", "wet"][rain[0]], ["cheap", "dear"][price[0]], ["off", "on"][noise]);
            rows.push(format!("{day},{shop},{region},{rain},{sales},{price},{leak},{noise}\n"));
        }
    }
    if reverse {
        rows.reverse();
    }
    "day,shop,region,rain,sales,price,leak,noise\n".to_string() + &rows.concat()
}

fn run(at: &Path, line: &str) -> Output {
    Command::new(env!("CARGO_BIN_EXE_clausality")).current_dir(at).args(line.split(' ')).output().unwrap()
}

fn printed(at: &Path, line: &str) -> String {
    let done = run(at, line);
    assert!(done.status.success(), "{line}: {}", String::from_utf8_lossy(&done.stderr));
    String::from_utf8(done.stdout).unwrap()
}

fn arcs(document: &Value) -> Vec<String> {
    let arc = |arc: &Value| format!("{}>{}", arc["parent"].as_str().unwrap(), arc["child"].as_str().unwrap());
    document["arcs"].as_array().unwrap().iter().map(arc).collect()
}

#[test]
fn the_depth_is_found_though_hardly_a_window_is_whole() {
    // What two steps ago was, and eleven columns of noise; an eighth of the cells is missing, so that one window in 3,000 has all its 60 values.
    let mut stream = Stream::new(8, "gaps");
    let mut table = (0..12).fold("step".to_string(), |head, k| format!("{head},c{k:02}")) + "\n";
    let mut before = [0u64; 2];
    for step in 0..1500 {
        let stays = stream.unit() < 0.9;
        before = [before[1], if stays { before[0] } else { 1 - before[0] }];
        let cell = |k: u64, stream: &mut Stream| if k == 0 { before[1] } else { stream.below(2) };
        let cells: Vec<u64> = (0..12).map(|k| cell(k, &mut stream)).collect();
        let text = |state: u64| if stream.unit() < 0.125 { String::new() } else { format!("s{state}") };
        let cells: Vec<String> = cells.into_iter().map(text).collect();
        table += &format!("{step},{}\n", cells.join(","));
    }
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("t.csv"), table).unwrap();
    let found = printed(folder.path(), "learn t.csv --time step --lags auto:4 --json --quiet");
    let found: Value = serde_json::from_str(&found).unwrap();
    assert_eq!(found["time"]["lags"], 2, "{}", found["time"]["depths"]);
    assert!(arcs(&found).contains(&"c00@-2>c00".to_string()), "{:?}", arcs(&found));
}

#[test]
fn causes_that_act_together_across_lags_are_found_and_kept() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    fs::write(at.join("t.csv"), shops(400, false)).unwrap();
    fs::write(at.join("r.csv"), shops(400, true)).unwrap();
    let line = "--time day --entity shop --lags auto:3 --json --quiet";
    let once = printed(at, &format!("learn t.csv {line} --run run --threads 1"));
    let found: Value = serde_json::from_str(&once).unwrap();
    let arcs = arcs(&found);
    for expected in ["rain@-2>sales", "price@-1>sales", "rain@-1>rain", "noise@-1>noise"] {
        assert!(arcs.contains(&expected.to_string()), "{expected} in {arcs:?}");
    }
    assert!(arcs.contains(&"sales>leak".into()) || arcs.contains(&"leak>sales".into()), "{arcs:?}");
    assert!(arcs.len() <= 6, "{arcs:?}");
    assert_eq!(
        (&found["time"]["lags"], &found["time"]["statics"][0]),
        (&Value::from(2), &Value::from("region"))
    );
    assert!(found["time"]["own_past"].as_array().unwrap().contains(&"noise".into()));

    // Neither threads nor the order of rows and entities leave a trace.
    let bare = |text: &str| {
        let mut document: Value = serde_json::from_str(text).unwrap();
        for name in ["seconds", "table", "id", "files"] {
            document.as_object_mut().unwrap().remove(name);
        }
        document
    };
    assert_eq!(bare(&once), bare(&printed(at, &format!("learn t.csv {line} --threads 2"))));
    assert_eq!(bare(&once), bare(&printed(at, &format!("learn r.csv {line}"))));

    let edges = fs::read_to_string(at.join("run/edges.csv")).unwrap();
    assert!(edges.lines().next().unwrap().ends_with(",gaps,lag"));
    assert!(edges.lines().any(|line| line.starts_with("rain@-2,sales,") && line.ends_with(",2")), "{edges}");
    let network: Value = serde_json::from_slice(&fs::read(at.join("run/network.json")).unwrap()).unwrap();
    assert_eq!((&network["format"], &network["order"]), (&"clausality-dynamic/1".into(), &2.into()));
    let bif = fs::read_to_string(at.join("run/network.bif")).unwrap();
    assert!(bif.contains("sales_t2") && !bif.contains("sales_t3"));
    printed(at, "check run/network.bif");
    let told = printed(at, "explain run --arc rain@-2>sales");
    assert!(told.contains("rain@-2"), "{told}");
    let page = fs::read(at.join("run/report.html")).unwrap();
    printed(at, "report run -o again.html --quiet");
    assert_eq!(page, fs::read(at.join("again.html")).unwrap(), "the page of a kept run is the same");
}

#[test]
fn rules_over_time_are_kept() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    fs::write(at.join("t.csv"), shops(150, false)).unwrap();
    let line = "learn t.csv --time day --entity shop --lags 2 --rounds 1 --json --quiet";
    let learned = |more: &str| arcs(&serde_json::from_str(&printed(at, &format!("{line}{more}"))).unwrap());
    let lagged = |arc: &String| arc.contains("@-");
    assert!(learned(" --instant no").iter().all(lagged));
    let without = learned(" --forbid rain@-*>sales --forbid rain@-1>rain@0");
    assert!(
        !without
            .iter()
            .any(|arc| arc.starts_with("rain@") && (arc.ends_with(">sales") || arc == "rain@-1>rain"))
    );
    assert!(learned(" --require noise@-2>rain").contains(&"noise@-2>rain".to_string()));
    assert!(learned(" --bootstrap 3").iter().any(lagged));
    let strengths =
        printed(at, "strengths t.csv --time day --entity shop --lags 1 --rounds 1 --quiet --json");
    let strengths: Value = serde_json::from_str(&strengths).unwrap();
    let names: Vec<&str> = strengths["targets"]
        .as_array()
        .unwrap()
        .iter()
        .map(|target| target["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["leak", "noise", "price", "rain", "sales"], "only what is now is a target");
}

/// Readings that rise, with a season, and a column that only comes and goes.
fn rising(steps: usize, slope: f64) -> String {
    let mut stream = Stream::new(9, "rising");
    let row = |step: usize| {
        let season = (step as f64 * std::f64::consts::TAU / 12.0).sin();
        let level = 300.0 + slope * step as f64 + 3.0 * season + stream.unit();
        format!("{}-{:02},{level:.2},{:.2}\n", 1960 + step / 12, step % 12 + 1, 10.0 * season + stream.unit())
    };
    "month,level,warmth\n".to_string() + &(0..steps).map(row).collect::<String>()
}

#[test]
fn a_trend_is_told_and_a_season_is_none() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    fs::write(at.join("up.csv"), rising(400, 0.2)).unwrap();
    fs::write(at.join("flat.csv"), rising(400, 0.0)).unwrap();
    let told = |line: &str| {
        let done = run(at, line);
        assert!(done.status.success(), "{line}: {}", String::from_utf8_lossy(&done.stderr));
        String::from_utf8_lossy(&done.stderr).into_owned()
    };
    let learned = told("learn up.csv --time month --rounds 1 --run up");
    assert!(learned.contains("'level' has a trend") && !learned.contains("'warmth' has"), "{learned}");
    assert!(
        learned.contains("write its differences") && learned.contains("(--type 'level=ignore')"),
        "{learned}"
    );
    let ahead = told("forecast up up.csv --horizon 24 -o f.csv");
    assert!(ahead.contains("'level' has a trend"), "{ahead}");
    assert!(!told("forecast up up.csv --horizon 2 --target warmth").contains("trend"));
    let page = fs::read_to_string(at.join("up/report.html")).unwrap();
    assert!(page.contains("has a trend"));
    let flat = told("learn flat.csv --time month --rounds 1 --run flat");
    assert!(!flat.contains("trend"), "{flat}");
}

/// A course of four quarters that nothing in the three before one tells: each year is the one before with a tenth of it thrown anew.
fn yearly(quarters: usize) -> String {
    let mut stream = Stream::new(3, "yearly");
    let mut states: Vec<u64> = (0..4).map(|_| stream.below(3)).collect();
    for quarter in 4..quarters {
        states.push(if stream.below(10) == 0 { stream.below(3) } else { states[quarter - 4] });
    }
    let row = |(step, state): (usize, &u64)| {
        format!("{}-Q{},{}\n", 1900 + step / 4, step % 4 + 1, ["low", "middle", "high"][*state as usize])
    };
    "quarter,use\n".to_string() + &states.iter().enumerate().map(row).collect::<String>()
}

#[test]
fn a_season_beyond_the_depth_is_told_with_the_depth_that_reaches_it() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    fs::write(at.join("gas.csv"), yearly(400)).unwrap();
    let told = |line: &str| String::from_utf8_lossy(&run(at, line).stderr).into_owned();
    let short = told("learn gas.csv --time quarter --rounds 1 --run short");
    let right = "\"as last season\" (4 steps ago) tells 'use' better than the network";
    assert!(short.contains(right) && short.contains("--lags auto:4"), "{short}");
    let long = told("learn gas.csv --time quarter --lags auto:4 --rounds 1 --run long");
    assert!(!long.contains("as last season"), "{long}");
    let forecast = printed(at, "forecast long gas.csv --horizon 2");
    assert!(forecast.contains("\n2000-Q1,1,use,") && forecast.contains("\n2000-Q2,2,use,"), "{forecast}");
}

#[test]
fn as_last_time_is_how_often_the_state_of_then_came_again() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let mut stream = Stream::new(3, "seldom the same");
    // It changes on eight of ten days, so that the likeliest state is never that of the day before.
    let mut states = vec![0];
    for day in 1..300 {
        states.push(if stream.below(10) < 8 { 1 - states[day - 1] } else { states[day - 1] });
    }
    let row = |(day, state): (usize, &u64)| {
        format!("2021-{:02}-{:02},{}\n", day / 28 + 1, day % 28 + 1, ["no", "yes"][*state as usize])
    };
    let rows: String = states.iter().enumerate().map(row).collect();
    fs::write(at.join("turns.csv"), "day,turns\n".to_string() + &rows).unwrap();
    run(at, "learn turns.csv --time day --step rows --lags 1 --rounds 1 --run turns");
    let text = fs::read_to_string(at.join("turns/run.json")).unwrap();
    let document: serde_json::Value = serde_json::from_str(&text).unwrap();
    let of = &document["time"]["ahead"]["processes"][0];
    let judged = of["values"].as_u64().unwrap() as usize;
    let again = (300 - judged..300).filter(|&day| states[day] == states[day - 1]).count();
    let right = of["last"]["right"].as_f64().unwrap();
    assert!((right - again as f64 / judged as f64).abs() < 1e-12, "{right}: {again} of {judged}");
}

#[test]
fn a_row_a_day_at_any_hour_is_a_step_of_a_day() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let mut stream = Stream::new(3, "any hour");
    let row = |day: usize| {
        let time = format!("{:02}:{:02}:{:02}", stream.below(24), stream.below(60), stream.below(60));
        let state = ["no", "yes"][stream.below(2) as usize];
        // Two days have none.
        let there = day != 100 && day != 150;
        let text = format!("2021-{:02}-{:02} {time},{state}\n", day / 28 + 1, day % 28 + 1);
        if there { text } else { String::new() }
    };
    let rows: String = (0..200).filter(|day| day % 28 != 27 || day / 28 > 6).map(row).collect();
    fs::write(at.join("any.csv"), "when,state\n".to_string() + &rows).unwrap();
    for (step, name) in [("", "auto"), (" --step 1d", "told")] {
        printed(at, &format!("learn any.csv --time when --lags 1 --rounds 1 --run {name}{step}"));
        let text = fs::read_to_string(at.join(name).join("run.json")).unwrap();
        let document: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(document["time"]["step"], "1d", "{text}");
    }
    let forecast = printed(at, "forecast auto any.csv --horizon 1");
    assert!(forecast.contains("\n2021-08-05"), "{forecast}");
}

#[test]
fn months_as_floats_are_read_again_as_they_were_learned() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let mut stream = Stream::new(3, "floats");
    for (name, write) in [
        ("floats", (|n: usize| format!("{}{:02}.0", 1990 + n / 12, n % 12 + 1)) as fn(usize) -> String),
        ("quarters", |n: usize| format!("{}q{}", 1930 + n / 4, n % 4 + 1)),
    ] {
        let row = |n: usize| format!("{},{}\n", write(n), ["no", "yes"][stream.below(2) as usize]);
        let rows: String = (0..240).map(row).collect();
        fs::write(at.join(format!("{name}.csv")), "when,state\n".to_string() + &rows).unwrap();
        printed(at, &format!("learn {name}.csv --time when --lags 1 --rounds 1 --run {name}"));
        let forecast = printed(at, &format!("forecast {name} {name}.csv --horizon 2"));
        let next = if name == "floats" { ["201001", "201002"] } else { ["1990q1", "1990q2"] };
        assert!(next.iter().all(|stamp| forecast.contains(&format!("\n{stamp}"))), "{forecast}");
    }
}

#[test]
fn what_is_said_of_series_is_so() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let mut stream = Stream::new(3, "said");
    // One column that stays, then one of pure luck.
    let mut state = 0;
    let mut step = |stays: u64| {
        state = if stream.below(10) < stays { state } else { stream.below(2) };
        state
    };
    for (name, stays) in [("slow", 8), ("luck", 0)] {
        let rows: String =
            (0..300).map(|day| format!("{day},{}\n", ["no", "yes"][step(stays) as usize])).collect();
        fs::write(at.join(format!("{name}.csv")), "day,alone\n".to_string() + &rows).unwrap();
    }
    let slow = printed(at, "learn slow.csv --time day --lags 2");
    assert!(slow.starts_with("slow.csv: 300 rows (298 windows of 3 steps)"), "{slow}");
    assert!(slow.contains("predicted from its own past better") && !slow.contains("others"), "{slow}");
    assert!(slow.contains("\"as usual\"") && slow.contains("\"as last time\""), "{slow}");
    let luck = printed(at, "learn luck.csv --time day --lags 1");
    assert!(luck.contains("the past tells nothing about the next step"), "{luck}");
    // Arcs from what holds for a whole series are counted with the others.
    let shop = |shop: usize| {
        let often = [9, 1][shop % 2];
        let region = ["north", "south"][shop % 2];
        let cell = |state: bool| if state { "yes" } else { "no" };
        (0..40)
            .map(|day| format!("{day},s{shop},{region},{}\n", cell(stream.below(10) < often)))
            .collect::<String>()
    };
    let rows: String = (0..10).map(shop).collect();
    fs::write(at.join("shops.csv"), "day,shop,region,sale\n".to_string() + &rows).unwrap();
    let shops = printed(at, "learn shops.csv --time day --entity shop --lags 1");
    assert!(shops.contains("1 from what holds for a whole series"), "{shops}");
}

#[test]
fn the_depth_steps_down_to_what_there_are_windows_for() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let mut stream = Stream::new(6, "short");
    let rows: Vec<String> =
        (0..300).map(|day| format!("{day},{},{}\n", stream.below(2), stream.below(3))).collect();
    let table = |keep: &dyn Fn(usize) -> bool| {
        "day,one,two\n".to_string()
            + &rows
                .iter()
                .enumerate()
                .filter(|(day, _)| keep(*day))
                .map(|(_, row)| row.as_str())
                .collect::<String>()
    };
    fs::write(at.join("short.csv"), table(&|day| day < 52)).unwrap();
    // Five of seven days: 84 windows of four steps, too few to judge by.
    fs::write(at.join("weeks.csv"), table(&|day| day % 7 < 5)).unwrap();
    for (name, lags, depths) in [("short.csv", 1, 0), ("weeks.csv", 2, 2)] {
        let done = run(at, &format!("learn {name} --time day --step 1 --rounds 1 --json"));
        let said = String::from_utf8_lossy(&done.stderr).into_owned();
        assert!(done.status.success(), "{said}");
        let found: Value = serde_json::from_slice(&done.stdout).unwrap();
        assert!(found["time"]["lags"].as_u64().unwrap() <= lags, "{}", found["time"]);
        assert_eq!(found["time"]["depths"].as_array().map_or(0, Vec::len), depths, "{}", found["time"]);
        assert!(
            said.contains(&format!("looks back {lags} step")) && said.contains("too few windows"),
            "{said}"
        );
        printed(at, &format!("strengths {name} --time day --step 1 --rounds 1"));
    }
}

#[test]
fn series_are_told_and_bad_ones_refused() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let csv = shops(60, false);
    fs::write(at.join("t.csv"), &csv).unwrap();
    let told = printed(at, "inspect t.csv --time day --entity shop --quiet");
    assert!(
        told.contains("Time ('day'): 3 series by 'shop', steps of 1 from 0 to 59, 60 in the longest."),
        "{told}"
    );
    assert!(told.contains("One value for a whole series: 'region'"), "{told}");
    let refused = |line: &str, expected: &str| {
        let done = run(at, line);
        let said = String::from_utf8_lossy(&done.stderr).into_owned();
        assert_eq!(done.status.code(), Some(2), "{line}: {said}");
        assert!(said.contains(expected), "{line}: {said}");
        assert_eq!(said.lines().filter(|line| line.contains("error")).count(), 1, "{said}");
    };
    refused("learn t.csv --time day", "t.csv:62: two rows at 0, this one and line 2");
    refused("learn t.csv --time day", "name the column that tells them apart (--entity 'COL')");
    refused("learn t.csv --time rain --entity shop", "t.csv:2:11: column 'rain': ");
    refused("learn t.csv --time rain --entity shop", "is no time; every row needs a date");
    refused(
        "learn t.csv --time day --entity shop --lags 60",
        "(--lags 43, --holes 'carry:1', --step 'rows')",
    );
    refused("learn t.csv --time day --entity shop --lags 60", "60 lags need series of 61 consecutive steps");
    refused("learn t.csv --time day --entity shop --step 1d", "a number without a unit");
    refused("learn t.csv --lags 2", "lags is 2; it must be beside time");
    refused("learn t.csv --time day --entity shop --target rain", "contradict each other");
    let dates = (1..=9).flat_map(|month| (1..=9).map(move |day| format!("0{month}/0{day}/2020")));
    let rows: String =
        dates.zip(shops(81, false).lines().skip(1)).map(|(date, row)| format!("{date},{row}\n")).collect();
    let head = csv.lines().next().unwrap();
    fs::write(at.join("dates.csv"), format!("when,{head}\n{rows}")).unwrap();
    refused("learn dates.csv --time when", "(--type 'when=date:dmy', --type 'when=date:mdy')");
    // What was said of the dates is kept: forecasts need not be told again.
    printed(
        at,
        "learn dates.csv --time when --type when=date:mdy --step rows --lags 1 --rounds 1 --run dates --quiet",
    );
    printed(at, "forecast dates dates.csv --horizon 1");
    let idle = run(at, "learn t.csv --time day --entity shop --lags 1 --rounds 1 --forbid rain@-9>sales");
    let said = String::from_utf8_lossy(&idle.stderr).into_owned();
    assert!(said.contains("'rain@-9>sales' changes nothing: columns look back 1 step only"), "{said}");
    refused("learn t.csv --time dya --entity shop", "did you mean 'day'?");
    refused("learn t.csv --time day --entity shop --static rain", "it changes within a shop");
}

#[test]
fn what_is_done_in_a_run_over_time_is_not_told_to_repeat_the_learning_for_a_band() {
    let folder = tempfile::tempdir().unwrap();
    let table = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/data/seattle-weather.csv");
    fs::copy(table, folder.path().join("t.csv")).unwrap();
    let learned = "learn t.csv --time date --lags 1 --clauses 20 --rounds 1 --quiet --run";
    printed(folder.path(), &format!("{learned} once"));
    printed(folder.path(), &format!("{learned} again --bootstrap 2"));
    let asked = |run: &str| {
        let told =
            printed(folder.path(), &format!("query {run} --target weather@1 --do precipitation=0 --json"));
        serde_json::from_str::<Value>(&told).unwrap()["caution"].as_str().unwrap().to_string()
    };
    // There is no band over graphs learned again to be had, so none is promised.
    let (once, again) = (asked("once"), asked("again"));
    assert!(once.contains("How often they do, learn --bootstrap 100 tells"), "{once}");
    assert!(!again.contains("--bootstrap") && again.contains("there is no band over them"), "{again}");
    assert!(!once.contains("how much hangs on that"), "{once}");
}
