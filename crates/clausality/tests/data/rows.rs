//! Which rows count, and for how much: weights, and a part of them held.

use super::*;

#[test]
fn rows_may_have_weights() {
    // Of the unweighted rows half are "yes", of the weighted ones three in four.
    let weight = |k: usize| if k.is_multiple_of(2) { "3" } else { "1" };
    let text = table(
        800,
        &[
            ("x", &|k| ["yes", "no"][k % 2].into()),
            ("y", &|k| ["a", "b", "c"][k * 7 % 3].into()),
            ("w", &|k| weight(k).into()),
        ],
    );
    let data = DataSettings { row_weights: Some("w".into()), ..DataSettings::default() };
    let dataset = read_with(&text, &data).unwrap();
    assert_eq!(dataset.table.schema().len(), 2);
    assert_eq!(
        (column(&dataset, "w").decision, column(&dataset, "w").kind),
        (Decision::Dropped, Kind::Ignored)
    );
    assert_eq!(&dataset.weights.as_ref().unwrap()[..2], [1.5, 0.5]);
    assert!(warned(&dataset, &["weighed by column 'w'", "from 640 of them"]));
    let settings = clausality::Settings { data, ..clausality::Settings::default() };
    let found = clausality::learn(Input::csv(text.as_bytes(), "t.csv"), &settings).unwrap();
    let yes = found.model().posterior("x", &[]).unwrap()["yes"];
    assert!((yes - 0.75).abs() < 0.005, "{yes}");
    for (cell, part) in [
        ("-1", "row 1 with -1: weights are numbers from 0 on"),
        ("", "row 1 with nothing"),
        ("heavy", "'heavy'"),
    ] {
        let text = text.replacen(",3\n", &format!(",{cell}\n"), 1);
        let error = read_with(&text, &settings.data).unwrap_err().to_string();
        assert!(error.contains(part), "{error}");
    }
}

#[test]
fn that_all_rows_are_held_where_a_part_was_asked_for_is_told() {
    let rows: String = (0..1500).map(|k| format!("{},{}\n", k % 2, k % 3)).collect();
    let text = format!("a,b\n{rows}");
    let read = |rows_held| {
        let settings = DataSettings { rows_held, ..DataSettings::default() };
        data::read(Input::csv(text.as_bytes(), "t.csv"), &settings, &Bounds::default()).unwrap()
    };
    let told = "all 1,500 rows are held, not 1,000: only of files on a disk a part can be held";
    assert!(warned(&read(1000), &[told]));
    assert!(!warned(&read(1500), &["rows are held"]));
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.csv");
    std::fs::write(&path, &text).unwrap();
    let drop = DataSettings {
        rows_held: 1000,
        missing: ByColumn::all(MissingRule::Drop),
        ..DataSettings::default()
    };
    let dataset = data::read(path.as_path(), &drop, &Bounds::default()).unwrap();
    assert!(warned(&dataset, &["all 1,500 rows are held, not 1,000: missing drop asks for all of them"]));
    let some = DataSettings { rows_held: 1000, ..DataSettings::default() };
    let sheet = data::Uncoded::read(path.as_path(), &some, &Bounds::default()).unwrap();
    let told = ["all 1,500 rows are held, not 1,000: evaluating asks for all of them"];
    assert!(warned(&sheet.dataset(None, &[]).unwrap(), &told));
    assert!(!warned(&sheet.dataset(Some(&[true; 1500]), &[]).unwrap(), &told));
}

/// The first row of each of a column's first texts is held too: they stand at the start of a sorted table, and would outweigh its even part.
#[test]
fn rows_that_only_say_what_there_is_count_for_nothing_else() {
    let row = |k: usize| {
        let (place, number) = ((b'a' + (k / 1000) as u8) as char, (k * 7919 % 5000) as f64 / 10.0);
        // One row has a state of its own, and a value that is met once.
        let kind = if k == 3 { "rare" } else { ["x", "y"][k % 2] };
        let level = if k == 5 { 9 } else { k % 3 };
        format!("{place},{number},{:.2},{kind},{level}\n", (k as f64).sqrt())
    };
    let rows: String = (0..20_000).map(row).collect();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("sorted.csv");
    std::fs::write(&path, format!("place,number,rising,kind,level\n{rows}")).unwrap();
    let settings = DataSettings { rows_held: 1000, ..DataSettings::default() };
    let dataset = data::read(path.as_path(), &settings, &Bounds::default()).unwrap();
    // One of each stretch of 32 rows.
    let table = &dataset.table;
    assert_eq!(table.rows(), 625);
    assert!(warned(&dataset, &["20,000 rows are more than are held", "on 625 of them"]));
    let states = |name: &str| {
        let column = table.column(table.schema().index(name).unwrap());
        let mut counts = vec![0; table.schema().variable(table.schema().index(name).unwrap()).cardinality()];
        column.iter().for_each(|&code| counts[usize::from(code)] += 1);
        counts
    };
    assert!(states("place").iter().all(|count| (30..=32).contains(count)), "{:?}", states("place"));
    for name in ["number", "rising"] {
        let counts = states(name);
        assert!(
            counts.len() > 2 && counts.iter().all(|&count| count * counts.len() > 450),
            "{name} {counts:?}"
        );
    }
    assert!(dataset.coding.state("kind", "rare").is_some() && states("kind").contains(&0));
    assert!(dataset.coding.state("level", "9").is_some());
}
