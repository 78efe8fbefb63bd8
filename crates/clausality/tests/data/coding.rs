//! New rows: coded as the rows of the table were, whether they hold raw values or labels of states.

use super::*;

#[test]
fn new_rows_are_coded_the_same_way() {
    let text = table(
        200,
        &[
            ("n", &|k| (k % 50).to_string()),
            ("few", &|k| [1.0, 2.0, 4.0][k % 3].to_string()),
            ("c", &|k| ["a", "b"][k % 2].into()),
            ("wide", &|k| format!("w{}", k % 30)),
            ("gap", &|k| ["", "u", "v"][k % 3].into()),
        ],
    );
    let dataset = read_with(&text, &stated()).unwrap();
    let json = serde_json::to_string(&dataset.coding).unwrap();
    let coding: Coding = serde_json::from_str(&json).unwrap();
    assert_eq!(coding, dataset.coding);
    let new = "gap,c,n,few,wide,extra\n,a,-1000,3,w1,1\nu,z,1e9,99,never,2\nnew,,x,,w29,3\n";
    let coded =
        coding.apply(Input::csv(new.as_bytes(), "new.csv"), &Bounds::default(), Absent::Refuse).unwrap();
    let codes = |name: &str| coded.table.column(coded.table.schema().index(name).unwrap()).to_vec();
    assert_eq!(codes("n"), [0, 3, 255], "clamped, clamped, no number");
    assert_eq!(codes("few"), [1, 2, 255], "the nearest, ties to the lower");
    assert_eq!(codes("c"), [0, 255, 255]);
    assert_eq!(codes("wide")[1], 0, "a new category is other");
    assert_eq!(codes("gap"), [2, 1, 255], "the missing state, a level, an unknown level");
    let unknown: Vec<(&str, usize)> =
        coded.unknown.iter().map(|(name, &count)| (name.as_str(), count)).collect();
    assert_eq!(unknown, [("c", 1), ("gap", 1), ("n", 1)]);
    let missing: Vec<(&str, usize)> =
        coded.missing.iter().map(|(name, &count)| (name.as_str(), count)).collect();
    assert_eq!(missing, [("c", 1), ("few", 1), ("gap", 1)]);

    let absent = "c,n,few,wide\na,1,1,w1\n";
    let error = coding
        .apply(Input::csv(absent.as_bytes(), "new.csv"), &Bounds::default(), Absent::Refuse)
        .unwrap_err();
    assert!(error.to_string().contains("names column 'gap'"), "{error}");
    let coded =
        coding.apply(Input::csv(absent.as_bytes(), "new.csv"), &Bounds::default(), Absent::Unknown).unwrap();
    assert_eq!(coded.table.column(4), [255]);
}

/// The rows of a dataset in the labels of their states, under the names of its variables.
fn in_labels(dataset: &Dataset) -> String {
    let variables = dataset.table.schema().variables();
    let line = |cells: Vec<String>| cells.join(",") + "\n";
    let mut text = line(variables.iter().map(|v| data::csv_cell(&v.name)).collect());
    for row in 0..dataset.table.rows() {
        let label = |(v, variable): (usize, &Variable)| {
            data::csv_cell(&variable.states[usize::from(dataset.table.column(v)[row])])
        };
        text.push_str(&line(variables.iter().enumerate().map(label).collect()));
    }
    text
}

#[test]
fn rows_written_in_labels_come_back_as_they_went_out() {
    let text = table(
        300,
        &[
            ("age", &|r| if r % 11 == 0 { String::new() } else { (18 + r * 7 % 60).to_string() }),
            ("size", &|r| format!("{}.25", r * 37 % 300)),
            ("few", &|r| (r % 3).to_string()),
            ("town", &|r| format!("town {}", (r * r) % 67)),
            ("day", &|r| format!("2021-{:02}-{:02}", 1 + r % 12, 1 + r % 28)),
            ("flag", &|r| if r % 5 == 0 { "y,es" } else { "no" }.to_string()),
        ],
    )
    .replace("y,es", "\"y,es\"");
    let dataset = read_with(&text, &stated()).unwrap();
    let kinds: Vec<bool> = ["other", "missing", "<="]
        .iter()
        .map(|label| {
            let has = |v: &Variable| v.states.iter().any(|state| state.starts_with(label));
            dataset.table.schema().variables().iter().any(has)
        })
        .collect();
    assert_eq!(kinds, [true; 3], "a table with every sort of label");
    let labels = in_labels(&dataset);
    let back = dataset
        .coding
        .apply(Input::csv(labels.as_bytes(), "labels"), &Bounds::default(), Absent::Refuse)
        .unwrap();
    assert!(back.table == dataset.table && back.unknown.is_empty());
    assert_eq!(back.missing["age"], column(&dataset, "age").missing);
    let age = dataset.table.schema().variable(0);
    assert_eq!(dataset.coding.state("age", &age.states[1]), Some(1));
    assert_eq!(dataset.coding.state("age", "1e9"), Some(age.missing_state().unwrap() - 1));
    assert_eq!(dataset.coding.state("day month", "2021-03-09"), Some(2));
    assert_eq!(dataset.coding.state("town", "nowhere"), None, "may be a slip");
    assert_eq!(dataset.coding.state("age", "old"), None);
}

#[test]
fn a_coding_that_does_not_fit_its_states_is_refused() {
    let dataset = read(&with_column(|k| (k % 9).to_string()));
    let json = serde_json::to_string(&dataset.coding).unwrap();
    for (good, bad) in
        [("\"at\":[", "\"at\":[-5.0,"), ("\"at\":[", "\"at\":[1e300,"), ("\"<= 1\"", "\"2 to 4\"")]
    {
        assert!(json.contains(good), "{json}");
        assert!(serde_json::from_str::<Coding>(&json.replacen(good, bad, 1)).is_err(), "{bad}");
    }
}
