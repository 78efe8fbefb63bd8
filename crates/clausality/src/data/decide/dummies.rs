//! Columns that are one column written as several: of neighbours that hold 0 and 1 exactly one is 1 in every row (`pandas.get_dummies`).
//!
//! Each of them follows from the others together and from none alone, so that a network joins all with all, and says nothing by that.

use crate::data::cells::column::{Cells, Column};
use crate::data::cells::number::Numeral;
use crate::data::decide::verdict::Verdict;
use crate::data::read::raw::RawTable;
use crate::data::report::Notice;

/// Two such columns are each other's opposite, which is told as a copy.
const LEAST: usize = 3;
/// So many sets are told of.
const SHOWN: usize = 5;

/// What to say of columns that are one.
pub(super) fn look(raw: &RawTable, verdicts: &[Verdict]) -> Vec<Notice> {
    let columns = raw.columns.iter().zip(verdicts);
    let ones: Vec<Option<Ones<'_>>> = columns
        .map(|(column, verdict)| if verdict.variables.is_empty() { None } else { Ones::of(column) })
        .collect();
    let mut sets = Vec::new();
    let mut first = 0;
    while first < ones.len() {
        match set_from(&ones[first..], raw.rows) {
            Some(length) => {
                sets.push(first..first + length);
                first += length;
            }
            None => first += 1,
        }
    }
    let others = sets.len().saturating_sub(SHOWN);
    let told = |set: &std::ops::Range<usize>| {
        let (first, last) = (&raw.columns[set.start].name, &raw.columns[set.end - 1].name);
        Notice::about_rows(format!(
            "the {} columns '{first}' to '{last}' are one column: exactly one of them is 1 in every row. Write them as one; arcs between them say only that",
            set.len()
        ))
    };
    let more = (others > 0).then(|| {
        Notice::about_rows(format!("{others} more sets of columns are one column each, written as 0 and 1"))
    });
    sets.iter().take(SHOWN).map(told).chain(more).collect()
}

/// How many columns from the first on are one.
fn set_from(ones: &[Option<Ones<'_>>], rows: usize) -> Option<usize> {
    let (mut taken, mut count) = (vec![false; rows], 0);
    for (k, column) in ones.iter().enumerate() {
        for row in column.as_ref()?.rows() {
            if std::mem::replace(&mut taken[row], true) {
                return None;
            }
            count += 1;
        }
        if count == rows {
            return (k + 1 >= LEAST).then_some(k + 1);
        }
    }
    None
}

/// A column of 0 and 1.
enum Ones<'c> {
    /// Whether each text means 1, and the texts of the rows.
    Words(Vec<bool>, &'c Column),
    Numbers(&'c Column),
}

impl<'c> Ones<'c> {
    fn of(column: &'c Column) -> Option<Self> {
        match &column.cells {
            Cells::Words { words, .. } if words.len() <= 4 => {
                let ones = words.iter().map(|word| is_one(column, word)).collect::<Option<Vec<bool>>>()?;
                Some(Ones::Words(ones, column))
            }
            Cells::Numbers { values, .. } => {
                values.iter().all(|value| value == 0.0 || value == 1.0).then_some(Ones::Numbers(column))
            }
            _ => None,
        }
    }

    /// The rows that hold 1.
    fn rows(&self) -> Box<dyn Iterator<Item = usize> + '_> {
        match self {
            Ones::Words(ones, column) => match &column.cells {
                Cells::Words { codes, .. } => {
                    let row = |(row, code): (usize, u32)| ones[code as usize].then_some(row);
                    Box::new(codes.iter().enumerate().filter_map(row))
                }
                _ => Box::new(std::iter::empty()),
            },
            Ones::Numbers(column) => match &column.cells {
                Cells::Numbers { values, .. } => {
                    Box::new(values.iter().enumerate().filter(|(_, value)| *value == 1.0).map(|(row, _)| row))
                }
                _ => Box::new(std::iter::empty()),
            },
        }
    }
}

/// Whether a text means 1 or 0, if either.
fn is_one(column: &Column, word: &[u8]) -> Option<bool> {
    match (word, column.numeral(word)) {
        (b"true" | b"True" | b"TRUE", _) => Some(true),
        (b"false" | b"False" | b"FALSE", _) => Some(false),
        (_, Numeral::Finite(value)) if value == 0.0 || value == 1.0 => Some(value == 1.0),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use crate::data::{self, Bounds, DataSettings, Input};
    use clausality_bn::random::Stream;

    fn told(header: &str, row: impl Fn(u64, u64) -> String) -> Vec<String> {
        let mut stream = Stream::new(8, "dummies");
        let rows: String = (0..200).map(|_| row(stream.below(4), stream.below(3))).collect();
        let text = format!("{header}\n{rows}");
        let input = Input::csv(text.as_bytes(), "t.csv");
        let dataset = data::read(input, &DataSettings::default(), &Bounds::default()).unwrap();
        let is_told = |message: &String| message.contains("exactly one of them is 1");
        dataset.notices.into_iter().map(|notice| notice.message).filter(is_told).collect()
    }

    #[test]
    fn columns_of_which_one_is_1_in_every_row_are_one() {
        let is = |kind: u64, k: u64| u8::from(kind == k);
        let found = told("y,k_0,k_1,k_2,k_3,z_0,z_1,z_2", |k, z| {
            let y = if (k + z) % 3 == 0 { "a" } else { "b" };
            let of_k: Vec<String> = (0..4).map(|one| is(k, one).to_string()).collect();
            let of_z: Vec<&str> = (0..3).map(|one| if is(z, one) == 1 { "True" } else { "False" }).collect();
            format!("{y},{},{}\n", of_k.join(","), of_z.join(","))
        });
        assert_eq!(found.len(), 2, "{found:?}");
        assert!(found[0].starts_with("the 4 columns 'k_0' to 'k_3' are one column"), "{found:?}");
        assert!(found[1].starts_with("the 3 columns 'z_0' to 'z_2' are one column"), "{found:?}");
        // One that may be none of them, and columns that are 1 together.
        let none = told("y,k_1,k_2,k_3,w_0,w_1,w_2", |k, z| {
            format!("{z},{},{},{},{},{},{}\n", is(k, 1), is(k, 2), is(k, 3), is(z, 0), is(k, 2), is(z, 1))
        });
        assert!(none.is_empty(), "{none:?}");
    }
}
