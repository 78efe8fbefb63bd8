//! Functions of columns with many values: an occupation's prestige, whether a day is a holiday.
//!
//! X is a function of Y if it is so in every row and Y's values repeat so often that this is no accident, as everywhere here ([`Joint`]). Of Y with
//! more than 250 values a table of all pairs would be large, and a few rows show no repetition: the first row of each value of Y says what the others
//! must hold, and who is wrong too often is given up on, mostly within a few rows for each value.
//!
//! A number with decimals is an amount: that people of the same weight, to the gram, are of one town tells nothing. It must determine X in stretches, as
//! a date in decimals says when Christmas is near.

use super::{Found, MOST_VALUES, Numbers, ROWS_PER_VALUE, are_minority, codes, meanings};
use super::{Joint, are_enough};
use crate::data::cells::column::{Cells, Column};
use crate::data::decide::groups::is_time;
use crate::data::decide::verdict::Verdict;
use crate::data::read::raw::RawTable;
use crate::data::report::Kind;
use crate::data::twin::{Relation, Twin};
use crate::error::Error;
use clausality_bn::MISSING;

/// Columns of many values that are tried, the first in the table, and the most values that one may have.
const MOST_TRIED: (usize, usize) = (50, 1 << 16);
/// Rows that may contradict the first of their value before a pair is given up on: one in so many.
const GIVEN_UP: usize = 20;
/// Values of an amount for each stretch in which X is the same, on average.
const IN_STRETCH: usize = 10;
/// A row without a value.
const NONE: u32 = u32::MAX;

/// Columns with few values that follow from one of many, unless they follow from another already.
pub(super) fn functions(
    raw: &RawTable,
    kept: &[(&Column, &Verdict)],
    numbers: &[Numbers<'_>],
    found: &mut Found,
) -> Result<(), Error> {
    let is_many = |verdict: &Verdict| {
        let (values, exact) = verdict.distinct;
        exact && (MOST_VALUES + 1..=MOST_TRIED.1).contains(&values) && raw.rows >= ROWS_PER_VALUE * values
    };
    let many = (0..kept.len()).filter(|&place| is_many(kept[place].1)).take(MOST_TRIED.0);
    let mut sources: Vec<Source> = Vec::new();
    for place in many {
        let number = numbers.iter().find(|number| number.place == place);
        let is_amount = number.is_some_and(|number| !number.is_whole());
        sources.extend(ranks(kept[place], number, raw)?.map(|ranks| Source { place, ranks, is_amount }));
    }
    // Of several the one that says when, and with the fewest values: what is dear at Christmas tells Christmas, too.
    sources.sort_by_key(|source| {
        let (column, verdict) = kept[source.place];
        (!is_time(&column.name), verdict.distinct.0)
    });
    let pairs = (kept.len() * kept.len()) as f64;
    for (place, &(column, verdict)) in kept.iter().enumerate() {
        if sources.is_empty() || found.twins.contains_key(&place) || found.of_few.contains_key(&place) {
            continue;
        }
        let Some(meanings) = meanings((column, verdict), raw) else { continue };
        let states = codes(column, &meanings);
        let others =
            sources.iter().filter(|other| other.place != place && !found.are_tied(other.place, place));
        let twin = others.filter(|other| other.may_tell(&states)).find_map(|other| {
            let (agree, judged) = follows(&states, &other.ranks, raw.rows, pairs)?;
            Some(Twin::new(&column.name, &[&kept[other.place].0.name], Relation::Function, agree, judged))
        });
        if let Some(twin) = twin {
            found.add(place, twin);
        }
    }
    Ok(())
}

/// A column of many values that others may follow from.
struct Source {
    /// Among the columns that are compared.
    place: usize,
    /// Of every row the place of its value among all of the column's, of numbers in rising order.
    ranks: Vec<u32>,
    is_amount: bool,
}

impl Source {
    /// Whether few rows contradict the first one of their value, and of an amount neighbouring values mostly tell the same.
    fn may_tell(&self, states: &[u8]) -> bool {
        let mut first: Vec<u8> = Vec::new();
        let most = states.len() / GIVEN_UP;
        let mut wrong = 0;
        let both = states.iter().zip(&self.ranks);
        for (&state, &rank) in both.filter(|(state, rank)| **state != MISSING && **rank != NONE) {
            let rank = rank as usize;
            if first.len() <= rank {
                first.resize(rank + 1, MISSING);
            }
            if first[rank] == MISSING {
                first[rank] = state;
            }
            wrong += usize::from(first[rank] != state);
            if wrong > most {
                return false;
            }
        }
        first.retain(|&state| state != MISSING);
        let values = first.len();
        first.dedup();
        !self.is_amount || IN_STRETCH * first.len() <= values
    }
}

/// Of every row the place of its value among all of the column's.
fn ranks(
    (column, verdict): (&Column, &Verdict),
    number: Option<&Numbers<'_>>,
    raw: &RawTable,
) -> Result<Option<Vec<u32>>, Error> {
    if let Some(number) = number {
        let all: Vec<f64> = number.all()?.collect();
        let mut values: Vec<f64> = all.iter().copied().filter(|value| !value.is_nan()).collect();
        values.sort_unstable_by(f64::total_cmp);
        values.dedup();
        let below = |value: f64| values.partition_point(|&other| other < value) as u32;
        let rank = |value: f64| if value.is_nan() { NONE } else { below(value) };
        return Ok(Some(all.into_iter().map(rank).collect()));
    }
    match &column.cells {
        Cells::Words { codes, .. } if verdict.kind == Kind::Categorical => {
            let gaps = column.gaps(&raw.marks);
            Ok(Some(codes.iter().zip(gaps).map(|(code, gap)| if gap { NONE } else { code }).collect()))
        }
        _ => Ok(None),
    }
}

/// In how many of the rows that have both the states follow from the values; nothing where they do not, or may by accident.
fn follows(states: &[u8], values: &[u32], rows: usize, pairs: f64) -> Option<(usize, usize)> {
    let joint = Joint::of_many(states.iter().copied().zip(values.iter().copied()));
    let judged = joint.rows();
    let no_accident = || match are_minority(judged, rows) {
        false => joint.is_no_accident(pairs),
        // Gaps chose the rows: a stretch of them with the same two values is one.
        true => {
            let both = states.iter().copied().zip(values.iter().copied());
            let mut stretches: Vec<(u8, u32)> = both.filter(|&(x, y)| x != MISSING && y != NONE).collect();
            stretches.dedup();
            Joint::of_many(stretches.into_iter()).is_no_accident(pairs)
        }
    };
    // Many weights that were drawn by region leave few rows to be wrong: what somebody computed is so in all.
    let holds = joint.agree() == judged && joint.known().is_some();
    (are_enough(judged, rows) && holds && no_accident()).then_some((judged, judged))
}

impl Joint {
    /// The same of a column with any number of values.
    fn of_many(both: impl Iterator<Item = (u8, u32)> + Clone) -> Self {
        let both = both.filter(|&(x, y)| x != MISSING && y != NONE);
        let (mut x_states, mut y_states) = (0, 0);
        for (x, y) in both.clone() {
            (x_states, y_states) = (x_states.max(usize::from(x) + 1), y_states.max(y as usize + 1));
        }
        let mut joint = Joint::empty((x_states, y_states));
        both.for_each(|(x, y)| joint.counts[usize::from(x) * y_states + y as usize] += 1);
        joint
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{told, twins};
    use super::*;

    #[test]
    fn what_many_values_determine_is_told() {
        for values in [240, 300] {
            let found = twins("work,prestige,union,age", 3000, |_, stream| {
                let work = stream.below(values) * 10 + 10;
                format!(
                    "{work},{},{},{}",
                    work * 7919 % 53,
                    ["no", "yes"][(work * 31 % 7 % 2) as usize],
                    stream.below(60)
                )
            });
            let all = [("prestige", Relation::Function, 3000), ("union", Relation::Function, 3000)];
            assert_eq!(told(&found), all, "{values}");
            assert_eq!(found[0].of, ["work"]);
        }
    }

    #[test]
    fn amounts_determine_stretches_or_nothing() {
        let found = twins("when,near,weight,south", 4000, |_, stream| {
            let (day, weight) = (stream.below(300), stream.below(300));
            let near = ["no", "yes"][usize::from((140..160).contains(&day) || day > 285)];
            format!("{}.25,{near},{}.5,{}", 2000 + day, 80 + weight, weight * 31 % 7 % 2)
        });
        assert_eq!(told(&found), [("near", Relation::Function, 4000)]);
        assert_eq!(found[0].of, ["when"]);
    }

    #[test]
    fn values_that_hardly_repeat_determine_nothing() {
        // Of 300 values in 1,000 rows most stand in three: so few show nothing.
        let found = twins("work,prestige", 1000, |k, _| format!("{},{}", k % 300 * 10, k % 300 * 7919 % 53));
        assert_eq!(found, []);
        // Rare whatever the value.
        let rare = twins("work,ill", 2000, |k, stream| {
            format!("{},{}", 10 * stream.below(300), if k == 77 { "yes" } else { "no" })
        });
        assert_eq!(rare, []);
        // One row in ten is otherwise.
        let loose = twins("work,prestige", 3000, |_, stream| {
            let work = stream.below(300);
            format!("{},{}", work * 10, if stream.below(10) == 0 { 1 } else { work * 7919 % 53 })
        });
        assert_eq!(loose, []);
    }
}
