use super::*;

fn texts(column: &Column) -> Vec<String> {
    match &column.cells {
        Cells::Words { words, codes } => codes
            .iter()
            .map(|code| {
                let word = words.word(code as usize);
                match column.numeral(word) {
                    Numeral::Finite(value) => number::write(value),
                    _ => String::from_utf8_lossy(word).into_owned(),
                }
            })
            .collect(),
        other => panic!("expected words, got {other:?}"),
    }
}

#[test]
fn turns_into_numbers_and_back_without_a_trace() {
    let cells: Vec<String> =
        (0..9000).map(|k| format!("{}.{}0", k, k % 10)).chain(["".into(), "late".into()]).collect();
    let mut column = Column::new("x".into(), Expected::Anything, DecimalComma(false));
    for (k, cell) in cells.iter().enumerate() {
        assert_eq!(column.add(cell.as_bytes(), &Marks::new(&vec![].into())), Added::Fine);
        match k {
            4095..=9000 => assert!(matches!(column.cells, Cells::Numbers { repeats: false, .. })),
            _ => assert!(matches!(column.cells, Cells::Words { .. })),
        }
    }
    let written = |cell: &String| match number::read(cell.as_bytes(), DecimalComma(false)) {
        Numeral::Finite(value) => number::write(value),
        _ => cell.clone(),
    };
    assert_eq!(texts(&column), cells.iter().map(written).collect::<Vec<_>>());
}

#[test]
fn declared_types_are_held() {
    let add = |expected: Expected, cell: &str| {
        Column::new("x".into(), expected, DecimalComma(false))
            .add(cell.as_bytes(), &Marks::new(&vec!["?".into()].into()))
    };
    assert_eq!(add(Expected::Numbers(None), "x"), Added::Unexpected);
    assert_eq!(add(Expected::Numbers(None), "007"), Added::Fine);
    assert_eq!(add(Expected::Numbers(None), "?"), Added::Fine);
    assert_eq!(add(Expected::Dates(None), "2012-13-01"), Added::Unexpected);
    assert_eq!(add(Expected::Dates(None), "31/12/2019"), Added::Fine);
    assert_eq!(add(Expected::Dates(Some(DateOrder::Mdy)), "31/12/2019"), Added::Unexpected);
    assert_eq!(add(Expected::Anything, "-inf"), Added::Infinite);
    assert_eq!(add(Expected::Text, "inf"), Added::Fine);
}

#[test]
fn marks_may_be_numbers() {
    let marks = Marks::new(&vec!["-999".into()].into());
    let mut column = Column::new("x".into(), Expected::Anything, DecimalComma(false));
    for number in 0..10_000 {
        column.add(format!("{number}").as_bytes(), &marks);
        column.add(b"-999", &marks);
    }
    assert!(matches!(column.cells, Cells::Numbers { repeats: false, .. }));
    assert_eq!(column.gaps(&marks).iter().filter(|&&gap| gap).count(), 10_000);
}

#[test]
fn marks_among_numbers_are_compared_by_value_and_among_texts_as_they_are_spelled() {
    for (mark, other) in [("-999.0", "-999"), ("-999", "-999.0"), ("1e3", "1000")] {
        let marks = Marks::new(&vec![mark.into()].into());
        let mut column = Column::new("x".into(), Expected::Anything, DecimalComma(false));
        let numbers = (0..9000).map(|k| format!("{k}.5"));
        let before = [other.to_string(), mark.to_string()];
        let after = ["late".to_string(), mark.to_string(), other.to_string()];
        let cells: Vec<String> = before.iter().cloned().chain(numbers).chain(after).collect();
        cells.iter().for_each(|cell| assert_eq!(column.add(cell.as_bytes(), &marks), Added::Fine));
        assert!(column.by_value());
        let gaps = column.gaps(&marks);
        for (cell, gap) in cells.iter().zip(gaps) {
            assert_eq!(gap, before.contains(cell), "{cell} where {mark} means no value");
        }
        let mut texts = Column::new("x".into(), Expected::Anything, DecimalComma(false));
        for cell in ["soon", mark, other] {
            assert_eq!(texts.add(cell.as_bytes(), &marks), Added::Fine);
        }
        assert_eq!(texts.gaps(&marks), [false, true, false]);
    }
}

#[test]
fn codes_widen() {
    let mut codes = Codes::Narrow(Vec::new());
    for code in [0, 255, 256, 65_535, 65_536] {
        codes.push(code);
    }
    assert_eq!(codes.iter().collect::<Vec<_>>(), [0, 255, 256, 65_535, 65_536]);
    let mut leap = Codes::Narrow(vec![7]);
    leap.push(70_000);
    assert_eq!(leap.iter().collect::<Vec<_>>(), [7, 70_000]);
}
