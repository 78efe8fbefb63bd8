//! Any table and any bytes: read or refused, and a coding says the same of its own file again.

use super::*;
use proptest::prelude::*;

fn cells() -> impl Strategy<Value = Vec<Vec<String>>> {
    let pool = prop_oneof![
        Just(vec!["a", "b", "c", "", "?"]),
        Just(vec!["1", "2", "2.5", "-7", "1e3", "1.0", "0.1", ""]),
        Just(vec!["1", "x", "1.50", "1.5", "007", "inf"]),
        Just(vec!["2024-01-01", "2024-02-29", "2023-12-31T10:00", "NA"]),
        Just(vec!["missing", "other", "", "None"]),
    ];
    let column = (
        pool,
        proptest::collection::vec(any::<prop::sample::Index>(), 40),
        proptest::option::of(any::<u16>()),
    );
    proptest::collection::vec(column, 2..6).prop_map(|columns| {
        columns
            .into_iter()
            .map(|(pool, picks, numbers)| match numbers {
                Some(seed) => {
                    picks.iter().map(|pick| (pick.index(60) * usize::from(seed)).to_string()).collect()
                }
                None => picks.iter().map(|pick| pick.get(&pool).to_string()).collect(),
            })
            .collect()
    })
}

fn params() -> impl Strategy<Value = DataSettings> {
    let ways = [Discretize::Width, Discretize::Quantile, Discretize::Mdl];
    (2usize..7, 0..ways.len(), any::<bool>(), 2usize..6).prop_map(move |(bins, way, drop, max_categories)| {
        DataSettings {
            bins: bins.into(),
            discretize: Some(ways[way]),
            missing: ByColumn::all(if drop { MissingRule::Drop } else { MissingRule::State }),
            max_categories: Some(max_categories),
            ..DataSettings::default()
        }
    })
}

proptest! {
    /// Applying the fitted coding to its own file gives the same codes (less the rows that were dropped).
    #[test]
    fn applying_the_coding_to_its_own_file_changes_nothing(columns in cells(), params in params()) {
        let rows = columns[0].len();
        let mut text = (0..columns.len()).map(|k| format!("c{k}")).collect::<Vec<_>>().join(",") + "\n";
        for row in 0..rows {
            text += &columns.iter().map(|column| column[row].as_str()).collect::<Vec<_>>().join(",");
            text += "\n";
        }
        // A row of nothing but empty cells is no blank line: it has separators.
        let Ok(dataset) = read_with(&text, &params) else { return Ok(()) };
        let dataset = if dataset.awaits_cuts() { dataset.recut(&[(0, 1)]).unwrap() } else { dataset };
        prop_assert!(!dataset.table.has_missing());
        let coded = dataset.coding.apply(Input::csv(text.as_bytes(), "t.csv"), &Bounds::default(), Absent::Refuse).unwrap();
        prop_assert_eq!(coded.table.rows(), rows);
        let whole: Vec<usize> = (0..rows)
            .filter(|&row| (0..coded.table.schema().len()).all(|v| coded.table.column(v)[row] != 255))
            .collect();
        prop_assert_eq!(&coded.table.select_rows(&whole), &dataset.table);
        if params.missing.all == MissingRule::State {
            prop_assert!(coded.unknown.is_empty() && coded.beyond.is_empty() && whole.len() == rows);
        }
        for (variable, report) in dataset.report.iter().flat_map(|column| &column.variables).enumerate() {
            let rows: usize = report.states.iter().map(|state| state.rows).sum();
            prop_assert_eq!(rows, dataset.table.rows());
            prop_assert!(dataset.table.schema().cardinality(variable) >= 2);
        }
    }

    #[test]
    fn any_bytes_are_read_or_refused(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
        let _ = data::read(Input::csv(&bytes[..], "t.csv"), &DataSettings::default(), &Bounds::default());
    }

    #[test]
    fn any_likely_text_is_read_or_refused(text in "[ab01.,\"\n;\t -]{0,200}") {
        let _ = read_with(&format!("x,y\n{text}"), &DataSettings::default());
        let _ = read_with(&text, &DataSettings::default());
    }
}
