//! Totals of three columns or more: `a = b + c + d`, differences, and shares that add up to a constant.
//!
//! Columns are taken in the order of the table. Each is written by those before it that are no such combination themselves, by least squares on a few rows
//! (Gram–Schmidt, twice: Giraud, Langou & Rozložník 2005),
//!
//! ```text
//! x_j = Σ_i c_i · x_i + start
//! ```
//!
//! and where nothing is left and every c_i is 0, 1 or −1 but for rounding, all rows are asked.

use super::numbers::{Apart, Numbers, Tally, plus, same, tidy};
use super::{BLUR, Found};
use crate::data::cells::number;
use crate::data::twin::{Relation, Twin};
use crate::error::Error;

/// Columns among which sums are looked for.
const MOST: usize = 40;
/// Rows for each column, so that a fit is no accident.
const ROWS_FOR_EACH: f64 = 1.5;
/// How far from a whole number a coefficient may be by rounding.
const OFF: f64 = 0.02;

/// Totals of three parts or more among columns that are tied to no others.
pub(super) fn sums(rows: usize, columns: &[Numbers<'_>], found: &mut Found) -> Result<(), Error> {
    // Columns that other rules explain are no news, and two that are tied would stand for each other.
    let tied = |place: usize| found.twins.contains_key(&place);
    let free: Vec<&Numbers<'_>> =
        columns.iter().filter(|one| one.distinct >= 8 && !tied(one.place)).take(MOST + 1).collect();
    if free.len() < 4 || free.len() > MOST {
        return Ok(());
    }
    let glance = 0..free[0].seen.values.len();
    let known: Vec<usize> =
        glance.filter(|&row| free.iter().all(|one| !one.seen.values[row].is_nan())).collect();
    // A slip in one row spoils a fit, and then half of the rows may be without one.
    let half = |odd: usize| known.iter().copied().skip(odd).step_by(2).collect::<Vec<usize>>();
    for taken in [known.clone(), half(0), half(1)] {
        if (taken.len() as f64) < ROWS_FOR_EACH * free.len() as f64 {
            return Ok(());
        }
        for (whole, parts) in combinations(&free, &taken) {
            if !found.twins.contains_key(&free[whole].place)
                && let Some((place, twin)) = checked(&free, whole, &parts, rows)?
            {
                found.add(place, twin);
            }
        }
    }
    Ok(())
}

/// Columns that others before them add up to in these rows, with the signs of three parts or more.
fn combinations(columns: &[&Numbers<'_>], rows: &[usize]) -> Vec<(usize, Vec<(usize, f64)>)> {
    let n = rows.len() as f64;
    let mut found = Vec::new();
    // Of each column that is no combination: its place, its direction, and how it is made of the directions.
    let mut kept: Vec<(usize, Vec<f64>, Vec<f64>)> = Vec::new();
    for (j, column) in columns.iter().enumerate() {
        let mut rest: Vec<f64> = rows.iter().map(|&row| column.seen.values[row]).collect();
        let mean = rest.iter().sum::<f64>() / n;
        rest.iter_mut().for_each(|value| *value -= mean);
        let size = norm(&rest);
        let mut made = vec![0.0; kept.len()];
        for _ in 0..2 {
            for (k, (_, direction, _)) in kept.iter().enumerate() {
                let along: f64 = rest.iter().zip(direction).map(|(a, b)| a * b).sum();
                rest.iter_mut().zip(direction).for_each(|(a, b)| *a -= along * b);
                made[k] += along;
            }
        }
        let left = norm(&rest);
        let blur = columns[..=j].iter().map(|one| one.seen.blur).fold(0.0, f64::max);
        if left > 1e-7 * size && left > 2.0 * blur * n.sqrt() {
            made.push(left);
            rest.iter_mut().for_each(|value| *value /= left);
            kept.push((j, rest, made));
            continue;
        }
        // From directions back to columns.
        let mut parts = Vec::new();
        for k in (0..kept.len()).rev() {
            let coefficient = made[k] / kept[k].2[k];
            kept[k].2.iter().zip(made.iter_mut()).for_each(|(part, made)| *made -= coefficient * part);
            parts.push((kept[k].0, coefficient));
        }
        parts.reverse();
        let whole = parts.iter().all(|(_, c)| (c - c.round()).abs() < OFF && c.abs() < 1.5);
        let parts: Vec<(usize, f64)> =
            parts.into_iter().map(|(i, c)| (i, c.round())).filter(|part| part.1 != 0.0).collect();
        if whole && parts.len() >= 3 {
            found.push((j, parts));
        }
    }
    found
}

fn norm(values: &[f64]) -> f64 {
    values.iter().map(|value| value * value).sum::<f64>().sqrt()
}

/// The same in all rows, told as a total where one column is the sum of the others.
fn checked(
    columns: &[&Numbers<'_>],
    whole: usize,
    parts: &[(usize, f64)],
    rows: usize,
) -> Result<Option<(usize, Twin)>, Error> {
    let mut signed: Vec<(&Numbers<'_>, f64)> = parts.iter().map(|&(i, sign)| (columns[i], sign)).collect();
    signed.push((columns[whole], -1.0));
    let blur: f64 = signed.iter().map(|(one, _)| one.seen.blur).sum();
    if signed.iter().any(|(one, _)| blur > BLUR * one.seen.range) {
        return Ok(None);
    }
    let mut sums = vec![0.0; rows];
    let mut sizes = vec![0.0f64; rows];
    for (one, sign) in &signed {
        for ((sum, size), value) in sums.iter_mut().zip(&mut sizes).zip(one.all()?) {
            *sum += sign * value;
            *size = size.max(value.abs());
        }
    }
    // The middle row tells the constant: most rows have it.
    let mut known: Vec<f64> = sums.iter().copied().filter(|sum| !sum.is_nan()).collect();
    if known.is_empty() {
        return Ok(None);
    }
    let middle = known.len() / 2;
    let start = -*known.select_nth_unstable_by(middle, f64::total_cmp).1;
    let start = if same(start, 0.0, blur) { 0.0 } else { tidy(start, 9) };
    let (mut tally, mut apart) = (Tally::default(), Apart::from(columns[whole]));
    for ((sum, size), value) in sums.iter().zip(&sizes).zip(columns[whole].all()?) {
        let held = (!sum.is_nan()).then(|| same(sum + size, size - start, blur));
        tally.add(held);
        apart.add(value, held);
    }
    if !tally.nearly_all(rows) || !apart.holds() {
        return Ok(None);
    }
    // Σ sign · x = −start. One column with a sign of its own is the total of the others; else the last was made.
    let alone = [1.0, -1.0].into_iter().find_map(|sign| {
        let mut own = signed.iter().filter(|(_, s)| *s == sign);
        own.next().filter(|_| own.next().is_none()).map(|(one, _)| one.place)
    });
    let total = signed.iter().all(|(one, _)| one.seen.low >= 0.0).then_some(alone).flatten();
    let made = total.unwrap_or(columns[whole].place);
    let sign_of_made = signed.iter().find(|(one, _)| one.place == made).map_or(-1.0, |(_, sign)| *sign);
    let (mut formula, mut of) = (String::new(), Vec::new());
    // What is added stands before what is taken away.
    let adds = |sign: f64| sign * sign_of_made < 0.0;
    signed.sort_by_key(|(_, sign)| !adds(*sign));
    for (one, sign) in signed.iter().filter(|(one, _)| one.place != made) {
        let adds = adds(*sign);
        match (formula.is_empty(), adds) {
            (true, true) => {}
            (true, false) => formula.push('-'),
            (false, true) => formula.push_str(" + "),
            (false, false) => formula.push_str(" - "),
        }
        formula.push_str(&one.column.name);
        of.push(one.column.name.as_str());
    }
    let name = columns.iter().find(|one| one.place == made).map_or("", |one| one.column.name.as_str());
    let start = -start * sign_of_made;
    // 100 - a - b rather than -a - b + 100.
    let formula = match formula.strip_prefix('-') {
        Some(rest) if start != 0.0 => format!("{name} = {} - {rest}", number::write(start)),
        _ => format!("{name} = {formula}{}", plus(start)),
    };
    Ok(Some((made, Twin::new(name, &of, Relation::Sum, tally.agree, tally.rows).saying(formula))))
}
