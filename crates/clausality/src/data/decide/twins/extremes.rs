//! The largest or smallest of other columns in every row: `best = max(first, second)`.

use super::numbers::{Apart, Numbers, Tally, same};
use super::{FEW_ROWS, Found, MOST_NUMBERS, NUMBERS_GLANCE};
use crate::data::twin::{Relation, Twin};
use crate::error::Error;

/// Every part is alone the largest in this share of the rows: else it could be left out.
const EACH: f64 = 0.05;

/// Columns that are the largest or smallest of others, among those that are tied to no others.
pub(super) fn extremes(rows: usize, columns: &[Numbers<'_>], found: &mut Found) -> Result<(), Error> {
    if columns.len() > MOST_NUMBERS {
        return Ok(());
    }
    let free: Vec<&Numbers<'_>> = columns.iter().filter(|one| one.distinct >= 8).collect();
    for made in free.iter().filter(|made| made.seen.values.len() >= 8) {
        for (function, sign) in [("max", 1.0), ("min", -1.0)] {
            let parts = parts(made, &free, sign);
            if found.twins.contains_key(&made.place) || parts.len() < 2 {
                continue;
            }
            if let Some((agree, counted)) = holds(made, &parts, sign, rows)? {
                let of: Vec<&str> = parts.iter().map(|part| part.column.name.as_str()).collect();
                let name = &made.column.name;
                let formula = format!("{name} = {function}({})", of.join(", "));
                found
                    .add(made.place, Twin::new(name, &of, Relation::Extreme, agree, counted).saying(formula));
            }
        }
    }
    Ok(())
}

/// Whether two numbers of these columns are the same but for rounding.
fn alike(one: &Numbers<'_>, x: f64, other: &Numbers<'_>, y: f64) -> bool {
    same(x, y, one.seen.blur.max(other.seen.blur))
}

/// Columns that are never larger in a few rows that have a value, and of which one is as large in each: those that are so most often, as few as there have to be.
fn parts<'n, 'c>(made: &Numbers<'_>, all: &[&'n Numbers<'c>], sign: f64) -> Vec<&'n Numbers<'c>> {
    let whole = &made.seen.values;
    let known: Vec<usize> =
        (0..whole.len()).filter(|&row| !whole[row].is_nan()).take(NUMBERS_GLANCE).collect();
    let never_larger = |one: &&&'n Numbers<'c>| {
        let mut cells =
            known.iter().map(|&row| (whole[row], one.seen.values[row])).filter(|(_, y)| !y.is_nan());
        one.place != made.place && cells.all(|(x, y)| sign * y <= sign * x || alike(made, x, one, y))
    };
    let mut bounded: Vec<&'n Numbers<'c>> = all.iter().filter(never_larger).copied().collect();
    let mut open = known.clone();
    let mut parts = Vec::new();
    while !open.is_empty() {
        let met = |one: &Numbers<'_>, row: usize| alike(made, whole[row], one, one.seen.values[row]);
        let most = |one: &&Numbers<'_>| open.iter().filter(|&&row| met(one, row)).count();
        // Of equals the first.
        let Some(place) = (0..bounded.len()).rev().max_by_key(|&place| most(&bounded[place])) else { break };
        let one = bounded.remove(place);
        let before = open.len();
        open.retain(|&row| !met(one, row) && !one.seen.values[row].is_nan());
        if open.len() == before {
            return Vec::new();
        }
        parts.push(one);
    }
    parts.sort_by_key(|part| part.place);
    parts
}

/// In how many rows it is so, of those in which it can be told; nothing where that is too few.
fn holds(
    made: &Numbers<'_>,
    parts: &[&Numbers<'_>],
    sign: f64,
    rows: usize,
) -> Result<Option<(usize, usize)>, Error> {
    // Of every row the largest so far and what comes next.
    let mut largest = vec![(f64::NEG_INFINITY, f64::NEG_INFINITY); rows];
    let mut whose = vec![0; rows];
    for (place, part) in parts.iter().enumerate() {
        for ((largest, whose), value) in largest.iter_mut().zip(&mut whose).zip(part.all()?) {
            let value = sign * value;
            if value.is_nan() || largest.0.is_nan() {
                *largest = (f64::NAN, f64::NAN);
            } else if value > largest.0 {
                (*largest, *whose) = ((value, largest.0), place);
            } else {
                largest.1 = largest.1.max(value);
            }
        }
    }
    let blur = parts.iter().map(|part| part.seen.blur).fold(made.seen.blur, f64::max);
    let (mut tally, mut apart, mut each) = (Tally::default(), Apart::from(made), vec![0; parts.len()]);
    for ((&(first, second), &whose), value) in largest.iter().zip(&whose).zip(made.all()?) {
        let held = (!value.is_nan() && !first.is_nan()).then(|| same(sign * value, first, blur));
        tally.add(held);
        apart.add(value, held);
        each[whose] += usize::from(held == Some(true) && first > second);
    }
    let needed = each.iter().all(|&alone| alone as f64 >= EACH * tally.rows as f64);
    Ok((needed && apart.is_tie(tally, rows, FEW_ROWS)).then_some((tally.agree, tally.rows)))
}
