//! Rows that stand in a table more than once: several files put below each other, a sample drawn with repetition, a join that multiplied them.
//!
//! Where columns have few values rows agree by chance, and nothing is wrong. They are taken for copies if
//!
//! ```text
//! every row stands there k, 2k, 3k, … times,  k > 1            or
//! pairs(all) ≥ 10 · pairs(X) · pairs(rest) / pairs            rows that repeat others being a twentieth of all and half of those that repeat a value of X
//! ```
//!
//! with X the most varied column, and pairs of rows that agree in all columns, in X, in the others, and all pairs there are.
//!
//! Copies of one row lie on both sides of every split, so that what is judged on rows held out looks surer than it is.

use crate::data::cells::column::{Cells, Column};
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
/// So many times as often as by chance is no chance.
const TIMES: f64 = 10.0;

/// What to say of rows that seem to be copies, if any do; of tables that are not held whole nothing can be said.
pub(super) fn look(raw: &RawTable, verdicts: &[Verdict]) -> Option<Notice> {
    let pairs = raw.columns.iter().zip(verdicts);
    let used: Vec<(&Column, &Verdict)> = pairs.filter(|(_, verdict)| !verdict.variables.is_empty()).collect();
    // Cells that were put apart are too many to repeat.
    if raw.drawn.of().is_some()
        || used.len() < 2
        || used.iter().any(|(column, _)| matches!(column.cells, Cells::Nothing))
    {
        return None;
    }
    let whole = Agreeing::of(raw.rows, used.iter().map(|(column, _)| *column));
    let repeats = raw.rows - whole.different;
    let is_chance = || {
        let varied = (0..used.len()).max_by_key(|&k| used[k].1.distinct.0).unwrap_or(0);
        let all_but = used.iter().enumerate().filter(|&(k, _)| k != varied).map(|(_, (column, _))| *column);
        let (one, rest) =
            (Agreeing::of(raw.rows, [used[varied].0].into_iter()), Agreeing::of(raw.rows, all_but));
        let expected = one.pairs * rest.pairs / (raw.rows as f64 * (raw.rows - 1) as f64);
        one.different < VARIED
            || PART * repeats < raw.rows
            || 2 * repeats < raw.rows - one.different
            || whole.pairs < TIMES * expected
    };
    if whole.different < FEW || whole.common < 2 && is_chance() {
        return None;
    }
    let each = match whole.common {
        ..2 => String::new(),
        times if whole.different * times == raw.rows => format!(" (each stands there {times} times)"),
        times => format!(" (each stands there {times} times, or a multiple of that)"),
    };
    Some(Notice::about_rows(format!(
        "{} repeat another in every column that is used{each}: if these are copies, and not further cases, arcs and accuracies look surer than they are, \
         also on rows held out: leave all but one out",
        part_of(repeats, raw.rows, "row")
    )))
}

/// How the rows of a table agree in some columns.
struct Agreeing {
    different: usize,
    /// Ordered pairs of rows that agree.
    pairs: f64,
    /// What divides how often each stands there.
    common: usize,
}

impl Agreeing {
    fn of<'c>(rows: usize, columns: impl Iterator<Item = &'c Column>) -> Self {
        let mut keys = vec![0u64; rows];
        let mix = |key: &mut u64, cell: u64| {
            *key = (key.rotate_left(23) ^ cell).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            *key ^= *key >> 29;
        };
        for column in columns {
            match &column.cells {
                Cells::Words { codes, .. } => {
                    keys.iter_mut().zip(codes.iter()).for_each(|(key, code)| mix(key, code.into()));
                }
                Cells::Numbers { values, .. } => {
                    keys.iter_mut().zip(values.iter()).for_each(|(key, value)| mix(key, value.to_bits()));
                }
                Cells::Nothing => {}
            }
        }
        keys.sort_unstable();
        let mut found = Agreeing { different: 0, pairs: 0.0, common: 0 };
        for times in keys.chunk_by(|a, b| a == b).map(<[u64]>::len) {
            found.different += 1;
            found.pairs += times as f64 * (times - 1) as f64;
            found.common = greatest_divisor(found.common, times);
        }
        found
    }
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
        let ages: Vec<String> = (0..3000).map(|_| row([80, 2, 2])).collect();
        assert!(!told(&ages), "all that can be is there");
    }
}
