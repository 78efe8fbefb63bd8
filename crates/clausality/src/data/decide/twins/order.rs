//! Numbers that rise or fall with other numbers in every row: `a = f(b)` with f rising or falling, as a logarithm does.
//!
//! Sorted by one the other is sorted too, and equals go with equals. Of n different values that have nothing to do with each other one order in n!/2
//! is so. Where values come again often enough they are compared one by one instead, which also finds what neither rises nor falls.

use super::numbers::{Apart, Numbers, Tally, few_pairs};
use super::{FEW_ROWS, MOST_VALUES, NEARLY_ALL, ROWS_PER_VALUE};
use crate::data::twin::{Relation, Twin};
use crate::error::Error;

/// `later = f(earlier)` where f only rises or only falls. Two that both rise from row to row share the passing of time, not their content.
pub(super) fn same_order(
    earlier: &Numbers<'_>,
    later: &Numbers<'_>,
    rows: usize,
) -> Result<Option<(usize, Twin)>, Error> {
    let (least, most) = (earlier.distinct.min(later.distinct), earlier.distinct.max(later.distinct));
    let are_few = most <= MOST_VALUES;
    // Of few values every one must be told from the others, and a step that is off shows that they are two measures of one thing.
    let shown = if are_few { FEW_ROWS } else { 8 };
    if are_few && rows >= ROWS_PER_VALUE * most || least < shown {
        return Ok(None);
    }
    if steps(few_pairs(earlier, later)).is_none_or(|(steps, _)| steps.misses() > 2 || steps.rows < 8) {
        return Ok(None);
    }
    let pairs = earlier.all()?.zip(later.all()?);
    let both: Vec<(f64, f64)> = pairs.filter(|(x, y)| !x.is_nan() && !y.is_nan()).collect();
    let mut course = Tally::default();
    both.windows(2).for_each(|two| course.add(Some(two[0].0 <= two[1].0)));
    let onward = course.agree.max(course.misses()) as f64;
    let Some((tally, apart)) = steps(both.into_iter()) else { return Ok(None) };
    let may_be_chance = are_few && apart.different() < FEW_ROWS;
    if onward >= NEARLY_ALL * course.rows as f64 || may_be_chance || !apart.is_tie(tally, rows, FEW_ROWS) {
        return Ok(None);
    }
    // Rounding makes equals of what was different: the column with fewer values follows from the other.
    let (made, from) = if later.distinct <= earlier.distinct { (later, earlier) } else { (earlier, later) };
    let relation = match (tally.misses(), made.distinct == from.distinct) {
        (0, true) => Relation::Copy,
        (0, false) => Relation::Function,
        (_, _) if made.distinct > MOST_VALUES => Relation::NearCopy,
        _ => return Ok(None),
    };
    let twin = Twin::new(&made.column.name, &[&from.column.name], relation, tally.agree, tally.rows);
    Ok(Some((made.place, twin)))
}

/// Steps from row to row that may go the other way than most, in a few rows: each row that is off makes two of them, and rounding some.
const AGAINST: usize = 16;

/// Whether one number mostly rises where the other does, or mostly falls, from each of a few rows to the next: most pairs of columns show that they do
/// not before a line is worth drawing or rows are worth sorting.
pub(super) fn may_be_in_order(pairs: impl Iterator<Item = (f64, f64)>) -> bool {
    let (mut before, mut along, mut against) = (None, 0, 0);
    for (x, y) in pairs {
        if let Some((earlier_x, earlier_y)) = before.replace((x, y)) {
            let course: f64 = (x - earlier_x) * (y - earlier_y);
            along += usize::from(course > 0.0);
            against += usize::from(course < 0.0);
        }
        if along.min(against) > AGAINST {
            return false;
        }
    }
    true
}

/// How many steps from one pair to the next in the order of the first go the way of most, with equals to equals, and of those apart from pairs that come
/// again; nothing without pairs. The first pair counts as a step, so that as many are counted as there are pairs.
fn steps(pairs: impl Iterator<Item = (f64, f64)>) -> Option<(Tally, Apart)> {
    let mut known: Vec<(f64, f64)> = pairs.filter(|(x, y)| !x.is_nan() && !y.is_nan()).collect();
    known.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
    let falls = known.first()?.1 > known.last()?.1;
    let mut tally = Tally { agree: 1, rows: 1 };
    let mut apart = Apart::from_none();
    for two in known.windows(2) {
        let [(x, y), (next, after)] = [two[0], two[1]];
        let holds = Some(if x == next {
            y == after
        } else if falls {
            after <= y
        } else {
            y <= after
        });
        tally.add(holds);
        if (x, y) != (next, after) {
            apart.add(x, holds);
        }
    }
    Some((tally, apart))
}

#[cfg(test)]
mod tests {
    use super::super::tests::{told, twins};
    use super::*;

    #[test]
    fn logarithms_are_told_in_tables_of_any_length() {
        for rows in [60, 250, 251, 900] {
            let found = twins("pay,other,ln_pay", rows, |_, stream| {
                let (pay, other) = (9000 + stream.below(40_000), stream.below(40_000));
                format!("{pay},{other},{:.6}", (pay as f64).ln())
            });
            assert_eq!(told(&found), [("ln_pay", Relation::Copy, rows)]);
        }
    }

    #[test]
    fn what_is_merely_close_or_few_is_no_copy() {
        // One step in a hundred is the wrong way: two measures of one thing.
        let close = twins("one,two", 120, |k, stream| {
            let one = 1000 + 7 * k as u64 * 97 % 120 * 10 + stream.below(3);
            format!("{one},{}", (one as f64).ln() * if k == 60 { 1.4 } else { 1.0 })
        });
        assert_eq!(close, []);
        // Twelve classes and what stands for each.
        let few = twins("class,middle", 50, |_, stream| {
            let class = stream.below(12);
            format!("{class},{}", class * class * 10)
        });
        assert_eq!(few, []);
        // Both rise with the rows.
        let grown = twins("people,trees", 100, |k, _| format!("{}.5,{}.5", 100 + k * 3 + k % 3, 50 + k * k));
        assert_eq!(grown, []);
    }
}
