//! From a file to codes: the rules of `docs/tables.md`, on small tables made for each and on real ones.

use clausality::bn::{Scale, Variable};
use clausality::data::{
    self, Absent, ByColumn, Coding, ColumnReport, ColumnType, DataSettings, Dataset, Decision, Discretize,
    Input, Kind, MissingRule, Notice, Role, together,
};
use clausality::{Bounds, Error, ErrorClass};
use std::path::{Path, PathBuf};

#[path = "data/any.rs"]
mod any;
#[path = "data/coding.rs"]
mod coding;
#[path = "data/dates.rs"]
mod dates;
#[path = "data/marks.rs"]
mod marks;
#[path = "data/memory.rs"]
mod memory;
#[path = "data/real.rs"]
mod real;
#[path = "data/rows.rs"]
mod rows;

fn read_with(text: &str, params: &DataSettings) -> Result<Dataset, Error> {
    data::read(Input::csv(text.as_bytes(), "t.csv"), params, &Bounds::default())
}

fn read(text: &str) -> Dataset {
    read_with(text, &DataSettings::default()).unwrap()
}

/// With gaps as states of their own.
fn stated() -> DataSettings {
    DataSettings { missing: ByColumn::all(MissingRule::State), ..DataSettings::default() }
}

fn refused(text: &str, params: &DataSettings) -> String {
    let error = read_with(text, params).unwrap_err();
    assert_eq!(error.class(), ErrorClass::Input, "{error}");
    error.to_string()
}

fn with_types(types: &[(&str, ColumnType)]) -> DataSettings {
    let types = types.iter().map(|(name, kind)| (name.to_string(), *kind)).collect();
    DataSettings { types, ..DataSettings::default() }
}

/// A table of `rows` rows from one function per column.
fn table(rows: usize, columns: &[(&str, &dyn Fn(usize) -> String)]) -> String {
    let header = columns.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(",");
    let row = |k| columns.iter().map(|(_, cell)| cell(k)).collect::<Vec<_>>().join(",");
    std::iter::once(header).chain((0..rows).map(row)).collect::<Vec<_>>().join("\n") + "\n"
}

fn column<'a>(dataset: &'a Dataset, name: &str) -> &'a ColumnReport {
    dataset.report.iter().find(|column| column.name == name).unwrap()
}

fn states<'a>(dataset: &'a Dataset, name: &str) -> &'a [String] {
    let schema = dataset.table.schema();
    &schema.variable(schema.index(name).unwrap()).states
}

fn warned(dataset: &Dataset, words: &[&str]) -> bool {
    let advice = |notice: &Notice| notice.advice.first().map(|a| format!("{}: {}", a.setting, a.value));
    let said = |notice: &Notice| format!("{notice} ({})", advice(notice).unwrap_or_default());
    dataset.notices.iter().map(said).any(|text| words.iter().all(|word| text.contains(word)))
}

/// Fills a table up to something that passes: a second column and 120 rows.
fn with_column(cell: impl Fn(usize) -> String) -> String {
    table(120, &[("x", &cell), ("y", &|k| (k % 2).to_string())])
}

#[test]
fn categories_go_from_rare_to_frequent_and_ties_by_name() {
    let dataset = read(&with_column(|k| ["b", "a", "c", "c"][k % 4].into()));
    assert_eq!(states(&dataset, "x"), ["a", "b", "c"]);
    assert_eq!(column(&dataset, "x").kind, Kind::Categorical);
    assert_eq!(&dataset.table.column(0)[..4], [1, 0, 2, 2]);
}

#[test]
fn many_categories_are_states_where_each_has_rows_enough() {
    // One of 1,000 rows, forty of 25, and as many names again that nobody else has.
    let text = table(
        2040,
        &[
            ("x", &|k| match k / 1000 {
                0 => "a".into(),
                1 => format!("c{}", k % 40),
                _ => format!("rare{k}"),
            }),
            ("y", &|k| (k % 2).to_string()),
            ("z", &|k| if k < 2030 { format!("d{}", k % 20) } else { "once".into() }),
        ],
    );
    let dataset = read(&text);
    assert_eq!(states(&dataset, "x").len(), 42);
    assert_eq!(states(&dataset, "x")[0], "other");
    assert!(warned(&dataset, &["'x'", "81 categories: the 41 most frequent are kept"]));
    assert_eq!(
        states(&dataset, "z")[0],
        "once",
        "one that would be alone under the name of all keeps its own"
    );
    let asked = DataSettings { max_categories: Some(20), ..DataSettings::default() };
    assert_eq!(states(&read_with(&text, &asked).unwrap(), "x").len(), 20);
    // A thousandth of the rows is asked for, too: 25 rows are not enough of 26,000.
    let many = table(
        26_000,
        &[
            ("x", &|k| if k < 750 { format!("c{}", k % 30) } else { format!("d{}", k % 10) }),
            ("y", &|k| (k % 2).to_string()),
        ],
    );
    assert_eq!(states(&read(&many), "x").len(), 20);
}

#[test]
fn few_numbers_are_states_and_many_are_cut() {
    let dataset = read(&with_column(|k| ["3", "1.0", "-2", "1"][k % 4].into()));
    assert_eq!(states(&dataset, "x"), ["-2", "1", "3"]);
    assert_eq!(column(&dataset, "x").kind, Kind::Ordered);
    // Up to ten whole numbers are what they are, unless somebody asks for fewer states.
    let answers = with_column(|k| (k % 5 + 1).to_string());
    let dataset = read(&answers);
    assert_eq!(states(&dataset, "x"), ["1", "2", "3", "4", "5"]);
    assert_eq!(column(&dataset, "x").kind, Kind::Ordered);
    let mut by_column = DataSettings::default();
    by_column.bins.columns.insert("x".into(), 4);
    for settings in [DataSettings { bins: 3.into(), ..DataSettings::default() }, by_column] {
        let dataset = read_with(&answers, &settings).unwrap();
        assert_eq!(column(&dataset, "x").kind, Kind::Numeric);
        assert!(states(&dataset, "x").len() < 5);
    }
    let fractions = read(&with_column(|k| format!("{}.5", k % 5 + 1)));
    assert_eq!(column(&fractions, "x").kind, Kind::Numeric, "fractions are measured, not counted");
}

#[test]
fn width_is_the_papers_rule() {
    let params = DataSettings { discretize: Some(Discretize::Width), ..DataSettings::default() };
    let text = with_column(|k| [0.0, 1.0, 2.5, 4.9, 5.0, 9.9, 20.0][k % 7].to_string());
    let dataset = read_with(&text, &params).unwrap();
    // Bins of width 5 from 0 to 20; the third (10 to 15) is empty and no state.
    assert_eq!(states(&dataset, "x"), ["< 5", "5 to 15", ">= 15"]);
    assert_eq!(&dataset.table.column(0)[..7], [0, 0, 0, 0, 1, 1, 2]);
}

#[test]
fn a_person_means_a_value_that_occurs() {
    let dataset = read(&with_column(|k| ["0", "1", "4"][k % 3].into()));
    let state = |text| dataset.coding.state("x", text);
    assert_eq!((state("1"), state("1.0"), state("4")), (Some(1), Some(1), Some(2)));
    assert_eq!((state("2"), state("9"), state("-1")), (None, None, None));
    // A row of a table is not turned away for that.
    let coded = dataset
        .coding
        .apply(Input::csv("x,y\n9,a\n".as_bytes(), "t.csv"), &Bounds::default(), Absent::Unknown)
        .unwrap();
    assert_eq!(coded.table.column(dataset.table.schema().index("x").unwrap()), [2]);
}

#[test]
fn ids_are_dropped_and_measurements_are_not() {
    let scattered = |k: usize| (k * 7919 % 100_003 * 3).to_string();
    let text = table(
        2000,
        &[
            ("row", &|k| (k + 1).to_string()),
            ("customer", &|k| (15_000_000 + k * 7 % 2003 * 25 + k % 25).to_string()),
            ("name", &|k| format!("n{}", k % 1200)),
            ("price", &|k| format!("{}.{}", k * 31 % 2003, k % 7)),
            ("scattered", &|k| (k as u64 * 2_654_435_761 % 4_000_000_007).to_string()),
            ("surname", &|k| format!("s{}", k % 700)),
            // One frequent name among many is worth keeping.
            ("town", &|k| if k % 7 == 0 { "oslo".into() } else { format!("t{}", k % 600) }),
            ("repeats", &|k| scattered(k / 2)),
        ],
    );
    let dataset = read(&text);
    for (name, kind) in [
        ("row", Kind::Id),
        ("customer", Kind::Id),
        ("name", Kind::Id),
        ("price", Kind::Numeric),
        ("scattered", Kind::Numeric),
        ("surname", Kind::Names),
        ("town", Kind::Categorical),
        ("repeats", Kind::Numeric),
    ] {
        assert_eq!(column(&dataset, name).kind, kind, "{name}");
    }
    assert!(warned(&dataset, &["'row'", "(type: row=keep)"]));
    assert!(warned(&dataset, &["'surname'", "700 different values, and the 19", "(type: surname=keep)"]));
    let kept =
        read_with(&text, &with_types(&[("row", ColumnType::Keep), ("name", ColumnType::Keep)])).unwrap();
    assert_eq!(states(&kept, "row"), ["<= 500", "501 to 1000", "1001 to 1500", ">= 1501"]);
    assert_eq!(states(&kept, "name").len(), 20);
    let kept = read_with(&text, &with_types(&[("surname", ColumnType::Keep)])).unwrap();
    assert_eq!(column(&kept, "surname").kind, Kind::Categorical);
    let lines: Vec<String> = together(&dataset.notices).iter().map(ToString::to_string).collect();
    assert!(
        lines.contains(&"3 columns look like ids and are dropped: row, customer, name".into()),
        "{lines:?}"
    );
    // Two rows for each of a thousand values: pointed out, and kept.
    assert!(warned(
        &dataset,
        &["'repeats'", "each of 1,000 values stands in exactly 2 rows", "(entity: repeats)"]
    ));
    // Numbers from a wide range that never repeat: pointed out, and kept.
    assert!(warned(
        &dataset,
        &["'scattered'", "2,000 whole numbers and none occurs twice", "(type: scattered=ignore)"]
    ));
    assert_eq!(lines.len(), 5, "{lines:?}");
}

/// Ranks are as different as ids; what tells them apart is that nobody dealt them out to the rows in their order, or called them so.
#[test]
fn ranks_are_numbers() {
    let rank = |k: usize| (k * 37 % 86 + 1).to_string();
    let text = table(
        86,
        &[
            ("literacy", &rank),
            ("wealth", &|k| (k * 29 % 89 + 1).to_string()),
            ("grave", &|k| (k * 29 % 251 + 1).to_string()),
            ("dept", &|k| (k + 1 + k / 40).to_string()),
            ("down", &|k| (500 - k).to_string()),
            ("CaseNo", &rank),
            ("x", &|k| (k % 3).to_string()),
        ],
    );
    let dataset = read(&text);
    for (name, kind) in [
        ("literacy", Kind::Numeric),
        ("wealth", Kind::Numeric),
        ("grave", Kind::Id),
        ("dept", Kind::Id),
        ("down", Kind::Id),
        ("CaseNo", Kind::Id),
    ] {
        assert_eq!(column(&dataset, name).kind, kind, "{name}");
    }
}

/// Codes of schools and hospitals are told; years, ages, counts, schooling and round amounts are none.
#[test]
fn codes_that_are_cut_like_amounts_are_told() {
    let text = table(
        1200,
        &[
            ("schidkn", &|k| (k * 7 % 79 + 1).to_string()),
            ("ward", &|k| (30_000 + k * 11 % 54 * 3 + k * 11 % 54 % 2).to_string()),
            ("herd", &|k| (k / 70 + 1).to_string()),
            ("sorted", &|k| (k / 70 + 2).to_string()),
            ("school", &|k| (k * 5 % 14 + 3).to_string()),
            ("year", &|k| (1950 + k * 13 % 60).to_string()),
            ("age", &|k| (18 + k * 17 % 63).to_string()),
            ("family size", &|k| (k * 19 % 43).to_string()),
            ("wage", &|k| (10_000 + k * 23 % 50 * 10).to_string()),
            ("visits", &|k| (k * k % 83).to_string()),
            // A thousand people, some of whom came twice; and amounts of which some occur twice.
            ("subject_id", &|k| (k * 7919 % 1000 * 3 + k % 2).to_string()),
            ("limit", &|k| (k * 7919 % 1000 * 3 + k % 2).to_string()),
        ],
    );
    let told = |dataset: &Dataset| -> Vec<String> {
        let about = |notice: &&clausality::data::Notice| notice.message.contains("seem to be codes");
        dataset.notices.iter().filter(about).filter_map(|notice| notice.column.clone()).collect()
    };
    let dataset = read(&text);
    assert_eq!(told(&dataset), ["schidkn", "ward", "herd", "subject_id"]);
    assert!(warned(&dataset, &["'herd'", "18 different whole numbers", "(type: herd=categorical)"]));
    assert!(warned(&dataset, &["'ward'", "54 different whole numbers", "(entity: ward)"]));
    let lines: Vec<String> = together(&dataset.notices).iter().map(ToString::to_string).collect();
    assert!(
        lines.iter().any(|line| line.starts_with("4 columns hold whole numbers that seem to be codes")),
        "{lines:?}"
    );
    // Who said what they are is not asked again.
    let settings = DataSettings {
        entity: Some("schidkn".into()),
        ..with_types(&[
            ("ward", ColumnType::Numeric),
            ("herd", ColumnType::Categorical),
            ("subject_id", ColumnType::Numeric),
        ])
    };
    assert_eq!(told(&read_with(&text, &settings).unwrap()), Vec::<String>::new());
}

#[test]
fn warnings_of_one_kind_are_one_line() {
    let day = |k: usize| format!("2024-{:02}-{:02}", k / 28 % 12 + 1, k % 28 + 1);
    let text = table(
        200,
        &[
            ("q1", &|k| if k % 20 == 3 { "9".into() } else { (k % 5 + 1).to_string() }),
            ("q2", &|k| if k % 20 == 7 { "99".into() } else { (k % 4 + 1).to_string() }),
            ("price", &|k| format!("$1'{:03}", k % 7)),
            ("fee", &|k| format!("${}.5", k % 5)),
            ("hours", &|k| if k % 3 == 0 { "-".into() } else { (k * 7 % 40).to_string() }),
            ("pay", &|k| if k % 3 == 1 { "unknown".into() } else { (k * 11 % 50).to_string() }),
            ("sent", &day),
            ("got", &day),
        ],
    );
    let dataset = read(&text);
    let told = together(&dataset.notices);
    let line = |part: &str| {
        let lines: Vec<_> = told.iter().filter(|notice| notice.message.contains(part)).collect();
        assert_eq!(lines.len(), 1, "{part}: {told:?}");
        let advice = lines[0].advice.first().map(|a| format!("{}: {}", a.setting, a.value));
        (lines[0].message.clone(), advice.unwrap_or_default())
    };
    let (message, advice) = line("apart from all others");
    assert!(
        message.starts_with("2 columns have values apart") && message.contains("q1 (9 in 10 rows)"),
        "{message}"
    );
    assert!(message.contains("q2 (99 in 10 rows)") && advice == "na: NAME=VALUE", "{message} {advice}");
    let (message, advice) = line("look like numbers");
    assert!(
        message.starts_with("2 columns look like numbers") && message.contains("fee ('$0.5')"),
        "{message}"
    );
    assert_eq!(advice, "type: NAME=numeric");
    let (message, _) = line("are numbers but for some texts");
    assert!(message.contains("hours ('-'), pay ('unknown')"), "{message}");
    let (message, _) = line("in whose order the rows stand");
    assert!(message.starts_with("2 columns are dates") && message.ends_with(": sent, got"), "{message}");
}

#[test]
fn constants_are_dropped() {
    let text = table(
        120,
        &[
            ("x", &|_| "oslo".into()),
            ("y", &|k| (k % 2).to_string()),
            ("z", &|k| (k % 3).to_string()),
            ("w", &|_| "?".into()),
        ],
    );
    let dataset = read(&text);
    assert_eq!(
        (column(&dataset, "x").kind, column(&dataset, "x").decision),
        (Kind::Constant, Decision::Dropped)
    );
    assert!(warned(&dataset, &["'x'", "'oslo'", "dropped"]));
    assert!(warned(&dataset, &["'w'", "no cell has a value"]));
    assert_eq!(dataset.table.schema().len(), 2);
    // One value and gaps are two states, if a gap is one.
    let text = with_column(|k| ["yes", ""][k % 2].into());
    assert!(refused(&text, &DataSettings::default()).contains("'x': every cell with a value holds 'yes'"));
    let dataset = read_with(&text, &stated()).unwrap();
    assert_eq!(states(&dataset, "x"), ["yes", "missing"]);
}

#[test]
fn types_and_levels_can_be_given() {
    let text = table(
        120,
        &[
            ("zip", &|k| format!("0{}", k % 5)),
            ("n", &|k| (k % 9).to_string()),
            ("size", &|k| ["M", "S", "L"][k % 3].into()),
        ],
    );
    let mut params = with_types(&[("n", ColumnType::Ordered)]);
    params.levels.insert("size".into(), ["S", "M", "L", "XL"].map(String::from).to_vec());
    let dataset = read_with(&text, &params).unwrap();
    assert_eq!(states(&dataset, "zip"), ["00", "01", "02", "03", "04"], "leading zeros make a code");
    assert_eq!(states(&dataset, "n").len(), 9);
    assert_eq!(states(&dataset, "size"), ["S", "M", "L", "XL"]);
    assert_eq!(column(&dataset, "size").kind, Kind::Ordered);
    let dataset = read_with(
        &text,
        &with_types(&[
            ("n", ColumnType::Categorical),
            ("zip", ColumnType::Numeric),
            ("size", ColumnType::Ignore),
        ]),
    )
    .unwrap();
    assert_eq!(column(&dataset, "n").kind, Kind::Categorical);
    assert_eq!(column(&dataset, "zip").kind, Kind::Numeric);
    assert_eq!(column(&dataset, "size").kind, Kind::Ignored);
}

#[test]
fn wrong_options_are_refused() {
    let text = with_column(|k| ["a", "b"][k % 2].into());
    let message = refused(&text, &with_types(&[("X", ColumnType::Keep)]));
    assert_eq!(message, "type names column 'X', which the table does not have; did you mean 'x'?");
    assert_eq!(
        refused(&text, &with_types(&[("x month", ColumnType::Ignore)])),
        "type names 'x month', which is made of column 'x': name that, and the parts to keep"
    );
    assert!(
        refused(&text, &with_types(&[("x", ColumnType::Numeric)]))
            .starts_with("t.csv:2:1: column 'x' was declared numeric")
    );
    assert!(
        refused(&text, &with_types(&[("x", ColumnType::Date(Default::default()))]))
            .starts_with("t.csv:2:1: column 'x' was declared date")
    );
    assert!(
        refused(&text, &with_types(&[("x", ColumnType::Ordered)])).contains("list them from low to high")
    );
    let mut params = DataSettings::default();
    params.levels.insert("x".into(), vec!["a".into(), "c".into()]);
    let dataset = read_with(&text, &params).unwrap();
    assert_eq!(states(&dataset, "x"), ["a", "c", "b"], "what is not listed follows");
    assert!(
        dataset
            .notices
            .iter()
            .any(|n| n.message.contains("not among the levels listed, and put after them: 'b'"))
    );
    params.levels.insert("x".into(), ["a", "b", "c", "d"].map(String::from).to_vec());
    let dataset = read_with(&text, &params).unwrap();
    assert!(dataset.notices.iter().any(|n| n.message.contains("no row has the level 'c', 'd'")));
    for params in [
        DataSettings { bins: 1.into(), ..DataSettings::default() },
        DataSettings { max_categories: Some(1000), ..DataSettings::default() },
        DataSettings { separator: Some('"'), ..DataSettings::default() },
    ] {
        assert!(read_with(&text, &params).is_err());
    }
}

#[test]
fn bad_files_are_refused_at_their_place() {
    let plain = DataSettings::default();
    for (text, message) in [
        ("", "t.csv: the table is empty: expected names of columns, and rows"),
        ("a,b\n", "t.csv: no data rows: there is nothing below the names of the columns"),
        (
            "a,b,a\n1,2,3\n",
            "t.csv:1:5: duplicate column name 'a' (also column 1): give every column a name of its own",
        ),
        (
            "a,,b\n1,2,3\n",
            "t.csv:1:3: column 2 has an empty name: the first row must name every column (but the first, which may hold row names); write one in there",
        ),
        ("a,b\n1,2\n\n3,4,5,6\n", "t.csv:4:5: this row has 4 fields, but the header names 2 columns"),
        ("a,b\n1,2\n3\n", "t.csv:3:1: this row has 1 field, but the header names 2 columns"),
        ("a,b\n\"1\n1\",2\n3,\"4\n", "t.csv:4:3: the quote opened here is never closed"),
    ] {
        assert_eq!(refused(text, &plain), message);
    }
    let infinite = with_column(|k| if k == 7 { "-inf".into() } else { k.to_string() });
    assert!(refused(&infinite, &plain).starts_with("t.csv:9:1: column 'x': '-inf' is not a finite number"));
    let huge = table(
        9000,
        &[
            ("x", &|k| if k == 8000 { "1e999".into() } else { format!("{k}.5") }),
            ("y", &|k| (k % 2).to_string()),
        ],
    );
    assert!(refused(&huge, &plain).starts_with("t.csv:8002:1: column 'x': '1e999' is not a finite number"));
    // Among words it is a word.
    assert_eq!(states(&read(&with_column(|k| ["inf", "a"][k % 2].into())), "x"), ["a", "inf"]);
    assert!(refused("a\n1\n2\n", &plain).contains("only 1 of 1 columns can be used"));
}

#[test]
fn limits_refuse() {
    let text = table(40_000, &[("x", &|k| format!("{k}.25")), ("y", &|k| (k % 2).to_string())]);
    let limits = Bounds { memory: Some(200_000), ..Bounds::default() };
    let error =
        data::read(Input::csv(text.as_bytes(), "t.csv"), &DataSettings::default(), &limits).unwrap_err();
    assert_eq!(error.class(), ErrorClass::Limit, "{error}");
    let limits = Bounds { memory: Some(20 << 20), ..Bounds::default() };
    assert!(data::read(Input::csv(text.as_bytes(), "t.csv"), &DataSettings::default(), &limits).is_ok());
}

#[test]
fn few_rows_are_warned_about() {
    assert!(warned(&read("a,b\n1,x\n2,y\n1,x\n"), &["only 3 rows", "chance"]));
    assert!(warned(
        &read(&table(60, &[("x", &|k| (k % 3).to_string()), ("y", &|k| (k % 2).to_string())])),
        &["only 60 rows"]
    ));
    assert!(read(&with_column(|k| (k % 3).to_string())).notices.is_empty());
}

#[test]
fn spellings_are_levels_of_their_own_among_texts() {
    let dataset = read(&with_column(|k| ["1E3", "1000", "A12", "1.50", "1.5"][k % 5].into()));
    assert_eq!(states(&dataset, "x"), ["1.5", "1.50", "1000", "1E3", "A12"]);
}

/// A text that strays into thousands of numbers: they are told apart by value from then on, in new rows too.
#[test]
fn a_late_text_turns_many_numbers_into_levels() {
    let cell = |k: usize| match k {
        9_000.. if k.is_multiple_of(3) => "stray".to_string(),
        9_000.. => format!("{}.50", k % 4),
        _ => format!("{k}.0"),
    };
    let text = table(30_000, &[("x", &cell), ("y", &|k| (k % 2).to_string())]);
    let dataset = read(&text);
    assert_eq!(column(&dataset, "x").kind, Kind::Categorical);
    assert_eq!(column(&dataset, "x").distinct, 9_005);
    assert!(states(&dataset, "x").ends_with(&["0.5", "1.5", "2.5", "3.5", "stray"].map(String::from)));
    let json = serde_json::to_string(&dataset.coding).unwrap();
    let coding: Coding = serde_json::from_str(&json).unwrap();
    let coded =
        coding.apply(Input::csv(text.as_bytes(), "t.csv"), &Bounds::default(), Absent::Refuse).unwrap();
    assert_eq!(coded.table, dataset.table);
}

#[test]
fn the_order_of_columns_does_not_change_the_fingerprint() {
    let a = table(120, &[("x", &|k| (k % 7).to_string()), ("y", &|k| (k % 3).to_string())]);
    let b = table(120, &[("y", &|k| (k % 3).to_string()), ("x", &|k| (k % 7).to_string())]);
    let c = table(120, &[("y", &|k| (k % 3).to_string()), ("x", &|k| (k % 6).to_string())]);
    assert_eq!(read(&a).fingerprint, read(&b).fingerprint);
    assert_ne!(read(&a).fingerprint, read(&c).fingerprint);
}

#[test]
fn whole_numbers_that_never_repeat_are_told() {
    let far: &dyn Fn(usize) -> String = &|k| (k * k * 7919 + 10_000_000).to_string();
    let text = table(150, &[("pidnum", far), ("visit", far), ("x", &|k| (k % 3).to_string())]);
    let dataset = read(&text);
    let said: Vec<String> = together(&dataset.notices)
        .iter()
        .filter(|notice| notice.message.contains("none occurs twice"))
        .map(|notice| format!("{} ({})", notice.message, notice.advice[0].value))
        .collect();
    assert_eq!(
        said,
        [
            "2 columns hold whole numbers of which none occurs twice; if they number or name the rows, leave them out: pidnum, visit (NAME=ignore)"
        ]
    );
    assert!(dataset.table.schema().index("pidnum").is_some(), "it may be a count of something large");
}

#[test]
fn money_and_percent_are_numbers_if_one_says_so() {
    let price: &dyn Fn(usize) -> String = &|k| format!("\"${},{:03}\"", k % 9 + 1, k * 7 % 1000);
    let text = table(
        150,
        &[("price", price), ("rate", &|k| format!("{}%", k % 37)), ("x", &|k| (k % 3).to_string())],
    );
    let types = [("price".to_string(), ColumnType::Numeric), ("rate".to_string(), ColumnType::Numeric)];
    let settings = DataSettings { types: types.into(), ..DataSettings::default() };
    let dataset = data::read(Input::csv(text.as_bytes(), "t"), &settings, &Bounds::default()).unwrap();
    for (name, text, other) in [("price", "$8,001", "8001"), ("rate", "36%", "36")] {
        let state = |text: &str| dataset.coding.state(name, text);
        assert!(state(text).is_some() && state(text) == state(other), "{name}");
        assert_eq!(
            dataset.table.schema().variable(dataset.table.schema().index(name).unwrap()).cardinality(),
            4
        );
    }
}
