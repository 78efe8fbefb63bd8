//! Rows that stand in a table more than once: several files put below each other, a sample drawn with repetition, a join that multiplied them.
//!
//! Where columns have few values rows agree by chance, and nothing is wrong. They are taken for copies if
//!
//! ```text
//! every row stands there k, 2k, 3k, … times,  k > 1            or
//! half of the rows that repeat a value of the most varied column repeat a whole row,  a twentieth of all at least
//! ```
//!
//! Copies of one row lie on both sides of every split, so that what is judged on rows held out looks surer than it is.

use crate::data::cells::column::Cells;
use crate::data::decide::verdict::Verdict;
use crate::data::read::raw::RawTable;
use crate::data::report::Notice;
use crate::words::part_of;

/// Fewer different rows than this repeat for any reason.
const FEW: usize = 20;
/// A column of so many different values is varied.
const VARIED: usize = 50;
/// Copies are told of from this part of the rows on.
const PART: usize = 20;

/// What to say of rows that seem to be copies, if any do; of tables that are not held whole nothing can be said.
pub(super) fn look(raw: &RawTable, verdicts: &[Verdict]) -> Option<Notice> {
    let used = || raw.columns.iter().zip(verdicts).filter(|(_, verdict)| !verdict.variables.is_empty());
    if raw.drawn.of().is_some() || used().count() < 2 {
        return None;
    }
    let mut rows = vec![0u64; raw.rows];
    for (column, _) in used() {
        let mixed = |row: &mut u64, cell: u64| {
            *row = (row.rotate_left(23) ^ cell).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            *row ^= *row >> 29;
        };
        match &column.cells {
            Cells::Words { codes, .. } => {
                rows.iter_mut().zip(codes.iter()).for_each(|(row, code)| mixed(row, code.into()));
            }
            Cells::Numbers { values, .. } => {
                rows.iter_mut().zip(values.iter()).for_each(|(row, value)| mixed(row, value.to_bits()));
            }
            // Cells that were put apart are too many to repeat.
            Cells::Nothing => return None,
        }
    }
    rows.sort_unstable();
    let times = || rows.chunk_by(|a, b| a == b).map(<[u64]>::len);
    let (different, all) = (times().count(), raw.rows);
    let repeats = all - different;
    let common = times().fold(0, greatest_divisor);
    let (varied, gaps) = used()
        .map(|(_, verdict)| (verdict.distinct.0, verdict.missing))
        .max_by_key(|&(distinct, gaps)| (distinct, std::cmp::Reverse(gaps)))?;
    // Gaps repeat, too.
    let again = all.saturating_sub(varied + usize::from(gaps > 0));
    let by_value = varied >= VARIED && PART * repeats >= all && 2 * repeats >= again;
    if different < FEW || !(common > 1 || by_value) {
        return None;
    }
    Some(Notice::about_rows(format!(
        "{} repeat another in every column that is used{}: if these are copies, and not further cases, arcs and accuracies look surer than they are, also on \
         rows held out: leave all but one out",
        part_of(repeats, all, "row"),
        if common > 1 { format!(" (each stands there {common} times)") } else { String::new() }
    )))
}

fn greatest_divisor(a: usize, b: usize) -> usize {
    if b == 0 { a } else { greatest_divisor(b, a % b) }
}

#[cfg(test)]
mod tests {
    use crate::data::{self, Bounds, DataSettings, Input};
    use clausality_bn::random::Stream;

    fn told(rows: &[String]) -> bool {
        let text = format!("a,b,c\n{}", rows.concat());
        let input = Input::csv(text.as_bytes(), "t.csv");
        let dataset = data::read(input, &DataSettings::default(), &Bounds::default()).unwrap();
        dataset.notices.iter().any(|notice| notice.message.contains("repeat another in every column"))
    }

    #[test]
    fn copies_are_told_of_and_rows_that_agree_by_chance_are_not() {
        let mut stream = Stream::new(5, "copies");
        let mut row = |values: [u64; 3]| {
            let [a, b, c] = values.map(|values| stream.below(values));
            format!("{a},{b},{c}\n")
        };
        let few: Vec<String> = (0..600).map(|_| row([3, 4, 5])).collect();
        assert!(!told(&few), "60 different rows of 600");
        let varied: Vec<String> = (0..300).map(|_| row([3, 400, 500])).collect();
        assert!(!told(&varied));
        assert!(told(&[&few[..], &few[..]].concat()));
        assert!(told(&[&varied[..], &varied[..]].concat()));
        let some: Vec<String> = (0..300).map(|k| varied[k * k % 211].clone()).collect();
        assert!(told(&some), "drawn with repetition");
        assert!(!told(&[&varied[..], &varied[..10]].concat()), "a handful");
    }
}
