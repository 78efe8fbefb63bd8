//! Gaps, what marks them, and what becomes of them.

use super::*;

#[test]
fn gaps_get_a_state_of_their_own_and_none_is_a_level() {
    let text = with_column(|k| ["a", "", "NA", "None", "?", "null", "NaN", "b"][k % 8].into());
    let unknown = read(&text);
    assert_eq!(states(&unknown, "x"), ["None", "a", "b"]);
    assert!(unknown.table.has_missing() && warned(&unknown, &["'x'", "75 of 120"]));
    let dataset = read_with(&text, &stated()).unwrap();
    assert_eq!(states(&dataset, "x"), ["None", "a", "b", "missing"]);
    let variable = dataset.table.schema().variable(0);
    assert!(variable.has_missing_state);
    assert_eq!(column(&dataset, "x").missing, 75);
    assert!(warned(&dataset, &["'x'", "75 of 120"]));
    assert!(!dataset.table.has_missing());
}

#[test]
fn a_level_called_missing_or_other_keeps_its_name() {
    let dataset = read_with(&with_column(|k| ["missing", "", "z"][k % 3].into()), &stated()).unwrap();
    assert_eq!(states(&dataset, "x"), ["missing", "z", "missing'"]);
    let text = table(
        300,
        &[
            ("x", &|k| if k % 3 == 0 { "other".into() } else { format!("c{}", k % 40) }),
            ("y", &|k| (k % 2).to_string()),
        ],
    );
    let dataset = read(&text);
    assert_eq!(states(&dataset, "x").len(), 20);
    assert_eq!(states(&dataset, "x")[0], "other'");
    assert_eq!(states(&dataset, "x")[19], "other");
}

#[test]
fn marks_for_gaps_can_be_chosen() {
    let params = DataSettings { na: vec!["-9".into()].into(), ..stated() };
    let dataset = read_with(&with_column(|k| ["-9", "1", "2", "?"][k % 4].into()), &params).unwrap();
    assert_eq!(states(&dataset, "x"), ["1", "2", "?", "missing"]);
}

#[test]
fn a_question_mark_inside_text_is_text() {
    let dataset = read(&with_column(|k| ["H?", "Y?an", "H?"][k % 3].into()));
    assert_eq!(states(&dataset, "x"), ["Y?an", "H?"]);
    assert_eq!(column(&dataset, "x").missing, 0);
}

#[test]
fn rows_with_gaps_can_be_dropped() {
    let params = DataSettings { missing: ByColumn::all(MissingRule::Drop), ..DataSettings::default() };
    let text = table(
        150,
        &[
            ("x", &|k| if k % 3 == 0 { String::new() } else { (k % 50).to_string() }),
            ("y", &|k| if k % 3 == 0 { "gone".into() } else { ["a", "b"][k % 2].into() }),
            ("id", &|k| if k % 2 == 0 { String::new() } else { format!("p{k}") }),
        ],
    );
    let dataset = read_with(&text, &params).unwrap();
    // The gaps of `id` do not count: it is dropped itself. The level that only stood in dropped rows is gone.
    assert_eq!(dataset.table.rows(), 100);
    assert_eq!(states(&dataset, "y"), ["a", "b"]);
    assert!(warned(&dataset, &["50 of 150 rows dropped", "'x' 50"]));
    let nothing = table(
        60,
        &[
            ("x", &|k| ["", "1", "2"][k % 3].into()),
            ("y", &|k| ["a", "", "b"][k % 3].into()),
            ("z", &|k| ["a", "b", ""][k % 3].into()),
        ],
    );
    assert!(refused(&nothing, &params).contains("no rows are left"));
}

#[test]
fn gaps_of_a_column_that_says_nothing_without_them_cost_no_rows() {
    let params = DataSettings { missing: ByColumn::all(MissingRule::Drop), ..DataSettings::default() };
    let text = table(
        120,
        &[
            // Where y is recorded, x is always 1; only both together show that x is of no use.
            ("x", &|k| ["1", "2", "", "2"][k % 4].into()),
            ("y", &|k| if k % 2 == 0 { ["a", "b", "c"][k % 3].into() } else { String::new() }),
            ("z", &|k| ["u", "v", "w"][k / 2 % 3].into()),
        ],
    );
    let dataset = read_with(&text, &params).unwrap();
    assert_eq!(dataset.table.rows(), 60);
    let x = column(&dataset, "x");
    assert_eq!(x.decision, Decision::Dropped);
    assert_eq!(x.reason, "in the rows without gaps, every cell holds '1'");
    assert!(warned(&dataset, &["60 of 120 rows dropped", "'y' 60"]));
}

#[test]
fn what_pandas_reads_as_a_gap_is_one() {
    let marks = ["N/A", "n/a", "#N/A", "<NA>", "-nan", "1.#IND", "NA", ""];
    let dataset =
        read(&with_column(|k| if k % 2 == 0 { marks[k / 2 % 8].into() } else { (k % 9).to_string() }));
    assert_eq!(column(&dataset, "x").missing, 60);
    assert_ne!(column(&dataset, "x").kind, Kind::Categorical, "the rest are numbers");
}

#[test]
fn a_number_that_may_mean_no_value_is_named() {
    let of = |mark: &str, every: usize| {
        let rows = (0..200).map(|k| match k % every {
            0 => format!("{mark},yes\n"),
            _ => format!("{},no\n", 18 + k * 7919 % 60),
        });
        let dataset =
            read_with(&rows.fold("age,ill\n".to_string(), |text, row| text + &row), &DataSettings::default());
        let notices = dataset.unwrap().notices;
        let found =
            notices.into_iter().find(|notice| notice.message.contains("apart from all other numbers"));
        found.map(|notice| (notice.message, notice.advice[0].value.clone()))
    };
    let (message, advice) = of("-999", 20).unwrap();
    assert!(message.starts_with("column 'age': -999 in 10 rows"), "{message}");
    assert_eq!(advice, "age=-999");
    assert!(of("9999", 20).is_some());
    assert!(of("99", 20).is_none(), "somebody may be that old");
    assert!(of("400", 20).is_none(), "an odd number, but not one that is used as a mark");
    assert!(of("-999", 200).is_none(), "once is an error, not a habit");
}

#[test]
fn numbers_with_an_undeclared_mark_are_pointed_out() {
    let marked = |k: usize| if k.is_multiple_of(20) { "unknown".into() } else { (k * 13 % 97).to_string() };
    let text =
        table(120, &[("x", &marked), ("y", &|k| (k % 2).to_string()), ("z", &|k| (k % 3).to_string())]);
    assert!(warned(&read(&text), &["114 of 120 cells are numbers", "x=unknown)"]));
}

/// A slip in an option must not pass in silence: the codes would stay values.
#[test]
fn marks_that_no_cell_has_are_told() {
    let given = |mark: &str| {
        let mut params = DataSettings::default();
        params.na.columns.insert("x".into(), vec![mark.into()]);
        read_with(&with_column(|k| ["98", "1", "2", "3"][k % 4].into()), &params).unwrap()
    };
    assert!(warned(&given("99"), &["'x'", "no cell is '99'"]));
    assert!(!warned(&given("98"), &["no cell is"]));
    let mut params = DataSettings::default();
    params.missing.columns.insert("x".into(), MissingRule::State);
    let gapless = read_with(&with_column(|k| ["a", "b"][k % 2].into()), &params).unwrap();
    assert!(warned(&gapless, &["'x'", "no cell is without a value"]));
}

/// Whoever says 99 means the number, however a file writes it.
#[test]
fn marks_among_numbers_are_numbers() {
    let hours = |k: usize| if k.is_multiple_of(10) { "99.0".into() } else { format!("{}.0", k % 17) };
    let text = with_column(hours);
    for marks in ["99", "99.0", "9.9e1"] {
        let mut params = DataSettings::default();
        params.na.columns.insert("x".into(), vec![marks.into()]);
        let dataset = read_with(&text, &params).unwrap();
        assert_eq!(column(&dataset, "x").missing, 12, "{marks}");
        assert!(!warned(&dataset, &["no cell is"]));
        // Rows that come later are read alike.
        let later = dataset.coding.apply(
            Input::csv(&b"x,y\n99,0\n99.00,1\n3,1\n"[..], "l.csv"),
            &Bounds::default(),
            Absent::Refuse,
        );
        assert_eq!(later.unwrap().missing["x"], 2);
        assert!(dataset.coding.is_gap("x", b"99.000") && !dataset.coding.is_gap("y", b"99.000"));
    }
    for given in [r#"{"na": {"x": 99}}"#, r#"{"na": {"x": [99.0]}}"#, r#"{"na": 99}"#, r#"{"na": ["", 99]}"#]
    {
        let params: DataSettings = serde_json::from_str(given).unwrap();
        assert_eq!(column(&read_with(&text, &params).unwrap(), "x").missing, 12, "{given}");
    }
    // Among texts a mark is a text, as it is where the user says that numbers are mere names.
    let mut params = DataSettings { na: vec!["1.1".into()].into(), ..DataSettings::default() };
    let versions = |last: &'static str| with_column(move |k| ["1.1", "1.10", last, "3"][k % 4].into());
    assert_eq!(column(&read_with(&versions("2.x"), &params).unwrap(), "x").missing, 30);
    assert_eq!(column(&read_with(&versions("2"), &params).unwrap(), "x").missing, 60);
    params.types.insert("x".into(), ColumnType::Categorical);
    assert_eq!(column(&read_with(&versions("2"), &params).unwrap(), "x").missing, 30);
}

/// The states that numbers have are levels of the same numbers.
#[test]
fn levels_of_numbers_are_numbers() {
    let text = with_column(|k| ["2500.0", "7500.0", "15000.0", ""][k % 4].into());
    assert_eq!(states(&read(&text), "x"), ["2500", "7500", "15000"]);
    let listed = |levels: &[&str]| {
        let mut params = DataSettings::default();
        params.levels.insert("x".into(), levels.iter().map(|level| level.to_string()).collect());
        read_with(&text, &params).unwrap()
    };
    let dataset = listed(&["2500", "7500", "15000"]);
    assert_eq!(states(&dataset, "x"), ["2500", "7500", "15000"]);
    assert!(!warned(&dataset, &["'x'", "level"]));
    assert_eq!(dataset.table.column(0)[..3], [0, 1, 2]);
    assert_eq!(dataset.coding.state("x", "7500.00"), Some(1));
    let later = Input::csv(&b"x,y\n15000,0\n7.5e3,1\n1,1\n"[..], "l.csv");
    let later = dataset.coding.apply(later, &Bounds::default(), Absent::Refuse).unwrap();
    assert_eq!((&later.table.column(0)[..2], later.unknown["x"]), (&[2, 1][..], 1));
    let dataset = listed(&["15000.0", "2500"]);
    assert_eq!(states(&dataset, "x"), ["15000.0", "2500", "7500"]);
    assert!(warned(&dataset, &["not among the levels listed, and put after them: '7500'"]));
    // What differs in spelling only was listed as texts.
    let text = with_column(|k| ["1.1", "1.10"][k % 2].into());
    let mut params = DataSettings::default();
    params.levels.insert("x".into(), vec!["1.10".into(), "1.1".into()]);
    assert_eq!(read_with(&text, &params).unwrap().table.column(0)[..2], [1, 0]);
}

#[test]
fn gaps_that_made_rows_go_were_there() {
    let mut params = DataSettings::default();
    params.missing.columns.insert("x".into(), MissingRule::Drop);
    params.na.columns.insert("x".into(), vec!["9".into()]);
    let dataset = read_with(&with_column(|k| ["a", "b", "", "9"][k % 4].into()), &params).unwrap();
    assert!(warned(&dataset, &["60 of 120 rows dropped"]));
    assert!(!warned(&dataset, &["no cell is"]));
}

/// Row names and numbers are written without a name of their own.
#[test]
fn the_first_column_needs_no_name() {
    let text: String = (0..60).map(|k| format!("{k},{},{}\n", k % 2, k % 3)).collect();
    let dataset = read(&format!(",a,b\n{text}"));
    assert_eq!(dataset.table.schema().len(), 2, "row numbers are an id");
    assert!(warned(&dataset, &["'column 1'", "id"]));
}

/// Of 142 towns with 12 rows each, nothing but the alphabet would choose 19.
#[test]
fn names_that_are_all_as_frequent_are_left_out() {
    let town = |k: usize| format!("town {:03}", k % 142);
    let text = table(
        142 * 12,
        &[("x", &town), ("y", &|k| (k % 142 % 5).to_string()), ("z", &|k| (k % 2).to_string())],
    );
    let dataset = read(&text);
    assert!(dataset.table.schema().index("x").is_none());
    assert!(dataset.twins.is_empty(), "{:?}", dataset.twins);
}
