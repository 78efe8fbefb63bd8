//! Columns in memory: decided like the cells of a file that holds the same.

use super::*;
use clausality::Frame;
use clausality::data::Values;
use proptest::prelude::*;

/// A cell of some kind, as a frame holds it and as a file would.
#[derive(Debug, Clone)]
enum Kinds {
    Text,
    Number,
    Integer,
    Boolean,
    Date,
}

/// A column of both: the values, and the texts of a file.
fn column_of(kind: &Kinds, numbers: &[Option<i64>]) -> (Values, Vec<String>) {
    let texts = |text: &dyn Fn(i64) -> String| -> Vec<String> {
        numbers.iter().map(|n| n.map_or(String::new(), text)).collect()
    };
    let day = |n: i64| (20_000 + n) * 86_400;
    match kind {
        Kinds::Text => {
            let text = |n: i64| format!("t{}", n % 5);
            (numbers.iter().map(|n| n.map(text)).collect(), texts(&text))
        }
        Kinds::Number => {
            let number = |n: i64| n as f64 / 4.0;
            (numbers.iter().map(|n| n.map(number)).collect(), texts(&|n| number(n).to_string()))
        }
        Kinds::Integer => (numbers.iter().copied().collect(), texts(&|n| n.to_string())),
        Kinds::Boolean => {
            (numbers.iter().map(|n| n.map(|n| n % 2 == 0)).collect(), texts(&|n| (n % 2 == 0).to_string()))
        }
        Kinds::Date => {
            let date = |n: i64| {
                // 20,000 days after 1970 is 2024-10-04: stay within that month.
                format!("2024-10-{:02}", 4 + n.rem_euclid(20))
            };
            let dates = numbers.iter().map(|n| n.map(|n| day(n.rem_euclid(20)))).collect();
            (Values::Dates(dates), texts(&date))
        }
    }
}

proptest! {
    #[test]
    fn a_frame_and_its_file_are_one_table(
        kinds in prop::collection::vec(
            prop_oneof![
                Just(Kinds::Text),
                Just(Kinds::Number),
                Just(Kinds::Integer),
                Just(Kinds::Boolean),
                Just(Kinds::Date)
            ],
            2..6
        ),
        rows in 20..120usize,
        seed: u64,
        gaps in 0..5u64,
    ) {
        let mut stream = clausality::bn::random::Stream::new(seed, "frame");
        let mut frame = Frame::new("t.csv");
        let mut texts = vec![];
        for (k, kind) in kinds.iter().enumerate() {
            let mut number = || (stream.below(20) >= gaps).then(|| stream.below(40) as i64 - 10);
            let numbers: Vec<Option<i64>> = (0..rows).map(|_| number()).collect();
            let (values, text) = column_of(kind, &numbers);
            frame = frame.with(format!("c{k}"), values);
            texts.push(text);
        }
        let header = (0..kinds.len()).map(|k| format!("c{k}")).collect::<Vec<_>>().join(",");
        // A quoted gap: a line of nothing but gaps would be blank.
        let cell = |text: &String| if text.is_empty() { "\"\"".to_string() } else { text.clone() };
        let line = |row: usize| texts.iter().map(|c| cell(&c[row])).collect::<Vec<_>>().join(",");
        let file = std::iter::once(header).chain((0..rows).map(line)).collect::<Vec<_>>().join("\n");
        let plain = DataSettings::default();
        let (one, other) = (
            data::inspect(&frame, &plain, &Bounds::default()).unwrap(),
            data::inspect(Input::csv(file.as_bytes(), "t.csv"), &plain, &Bounds::default()).unwrap(),
        );
        prop_assert_eq!(one.fingerprint, other.fingerprint);
        prop_assert_eq!(one.coding, other.coding);
        prop_assert_eq!(one.report, other.report);
        prop_assert_eq!(one.notices, other.notices);
    }
}

#[test]
fn codes_bring_their_order_along() {
    let codes: Vec<u32> = (0..60).map(|k| k % 3).collect();
    let sizes = ["small", "medium", "large"];
    let frame = |ordered| {
        Frame::new("sizes")
            .with("size", Values::codes(codes.clone(), sizes, ordered))
            .with("other", (0..60).map(|k| k % 2 == 0).collect::<Vec<_>>())
    };
    let read = |frame: &Frame, settings: &DataSettings| data::read(frame, settings, &Bounds::default());
    let ordered = read(&frame(true), &DataSettings::default()).unwrap();
    assert_eq!(states(&ordered, "size"), sizes);
    assert_eq!(ordered.table.schema().variable(0).scale, clausality::bn::Scale::Ordered);
    let names = read(&frame(false), &DataSettings::default()).unwrap();
    assert_eq!(names.table.schema().variable(0).scale, clausality::bn::Scale::Nominal);
    // The user's word comes first.
    let mut other_way = DataSettings::default();
    other_way.levels.insert("size".into(), ["large", "medium", "small"].map(String::from).to_vec());
    assert_eq!(states(&read(&frame(true), &other_way).unwrap(), "size"), ["large", "medium", "small"]);
    // New rows are coded by the same coding, from memory too.
    let new = Frame::new("new").with("size", ["large", "huge"]).with("other", [true, false]);
    let coded = ordered.coding.apply(&new, &Bounds::default(), Absent::Refuse).unwrap();
    assert_eq!(coded.table.column(0), [2, clausality::bn::MISSING]);
    assert_eq!(coded.unknown["size"], 1);
}

#[test]
fn numbers_that_are_codes_are_names() {
    let zones = ["10", "20", "30", "40", "50", "60"];
    let codes: Vec<u32> = (0..120).map(|k| k % 6).collect();
    let other: Vec<bool> = (0..120).map(|k| k % 2 == 0).collect();
    let frame = |ordered| {
        let zone = Values::codes(codes.clone(), zones, ordered);
        Frame::new("zones").with("zone", zone).with("other", other.clone())
    };
    let read =
        |frame: &Frame, settings: &DataSettings| data::read(frame, settings, &Bounds::default()).unwrap();
    let names = read(&frame(false), &DataSettings::default());
    assert_eq!(states(&names, "zone"), zones);
    assert_eq!(names.table.schema().variable(0).scale, clausality::bn::Scale::Nominal);
    let order = read(&frame(true), &DataSettings::default());
    assert_eq!(order.table.schema().variable(0).scale, clausality::bn::Scale::Ordered);
    // The user's word comes first.
    let mut cut = DataSettings::default();
    cut.bins.columns.insert("zone".into(), 3);
    assert_eq!(states(&read(&frame(false), &cut), "zone").len(), 3);
}

#[test]
fn a_listed_level_is_a_value_even_if_it_reads_like_a_gap() {
    let grades = ["NA", "B", "A"];
    let codes: Vec<u32> = (0..60).map(|k| k % 3).collect();
    let frame = Frame::new("grades")
        .with("grade", Values::codes(codes, grades, true))
        .with("other", (0..60).map(|k| if k % 2 == 0 { "x" } else { "NA" }).collect::<Vec<_>>());
    let gaps = DataSettings { missing: data::MissingRule::State.into(), ..DataSettings::default() };
    let read = |settings: &DataSettings| data::read(&frame, settings, &Bounds::default()).unwrap();
    let found = read(&gaps);
    assert_eq!(states(&found, "grade"), grades);
    assert_eq!(states(&found, "other"), ["x", "missing"], "elsewhere it is a gap");
    // New rows too, whatever they come in, unless somebody says what means "no value" in them.
    let text = "grade,other\nNA,x\nB,NA\n";
    let coded = |coding: &data::Coding| {
        let input = Input::csv(text.as_bytes(), "t");
        coding.apply(input, &Bounds::default(), Absent::Refuse).unwrap().table.column(0).to_vec()
    };
    assert_eq!(coded(&found.coding), [0, 1]);
    let said = found.coding.clone().reading(Some(vec!["NA".to_string()].into()), None);
    assert_eq!(coded(&said), [clausality::bn::MISSING, 1]);
    let said = DataSettings { na: vec!["NA".to_string()].into(), ..gaps };
    assert_eq!(states(&read(&said), "grade"), ["B", "A", "missing"]);
}

#[test]
fn frames_that_are_no_tables_are_refused_by_name() {
    let refused = |frame: Frame| {
        data::read(&frame, &DataSettings::default(), &Bounds::default()).unwrap_err().to_string()
    };
    let two = || Frame::new("f").with("a", ["x", "y"]);
    assert_eq!(refused(two().with("b", [1.0])), "f: column 'b' has 1 cells, but the first column has 2");
    assert!(refused(two().with("a", ["x", "y"])).contains("duplicate column name 'a'"));
    assert!(refused(two().with(" ", ["x", "y"])).contains("empty name"));
    assert!(refused(Frame::new("f")).contains("empty"));
    let infinite = two().with("b", [f64::INFINITY, 1.0]);
    assert!(refused(infinite).contains("column 'b': 'inf' is not a finite number"));
}
