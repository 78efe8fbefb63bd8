//! Weighted sums of columns: totals of many parts, differences, means, shares that add up to a constant, indices (`0.3·math + 0.7·reading`).
//!
//! Columns are taken in the order of the table, those of whole numbers last, which may have been rounded. Each is written by those before it that are no
//! such sum themselves, by least squares on a few rows (Gram–Schmidt, twice: Giraud, Langou & Rozložník 2005),
//!
//! ```text
//! x_j = Σ_i c_i · x_i + start
//! ```
//!
//! and where no more is left than rounding leaves, weights with the fewest digits are looked for, and all rows are asked.

use super::numbers::{Apart, Numbers, Tally, plus, same, tidy};
use super::{BLUR, FEW_ROWS, Found, NUMBERS_GLANCE};
use crate::data::cells::number;
use crate::data::twin::{Relation, Twin};
use crate::error::Error;

/// Columns among which sums are looked for.
const MOST: usize = 40;
/// Small whole numbers add up by chance too often: a sum has at least so many values.
const VALUES: usize = 8;
/// Rows for each column, so that a fit is no accident.
const ROWS_FOR_EACH: f64 = 1.5;
/// The same where the weights are not one.
const ROWS_FOR_WEIGHTS: usize = 2;
/// A part that matters less than so many times what rounding does is none.
const SEEN: f64 = 4.0;
/// More digits than this are no weight that somebody chose.
const DIGITS: usize = 6;
/// Digits that are told of other weights.
const TOLD: usize = 4;

/// A column and its weight.
type Part = (usize, f64);

/// Weighted sums among columns that are tied to no others.
pub(super) fn sums(rows: usize, columns: &[Numbers<'_>], found: &mut Found) -> Result<(), Error> {
    // Columns that other rules explain are no news, and two that are tied would stand for each other.
    let tied = |place: usize| found.twins.contains_key(&place);
    let of = |values: usize| -> Vec<&Numbers<'_>> {
        columns.iter().filter(|one| one.distinct >= values && !tied(one.place)).take(MOST + 1).collect()
    };
    // Answers of few values make up many a score; where they are too many, sums of others may still be told.
    let mut free = of(0);
    if free.len() > MOST {
        free = of(VALUES);
    }
    if free.len() < 3 || free.len() > MOST {
        return Ok(());
    }
    free.sort_by_key(|one| one.is_whole());
    let is_gap = |one: &Numbers<'_>, row: usize| one.seen.values[row].is_nan();
    let glance = 0..free[0].seen.values.len();
    let complete = |free: &[&Numbers<'_>]| -> Vec<usize> {
        glance.clone().filter(|&row| !free.iter().any(|one| is_gap(one, row))).collect()
    };
    let mut known = complete(&free);
    while (known.len() as f64) < ROWS_FOR_EACH * free.len() as f64 {
        let gaps = |place: &usize| glance.clone().filter(|&row| is_gap(free[*place], row)).count();
        let Some(most) = (0..free.len()).max_by_key(gaps).filter(|place| gaps(place) > 0) else { break };
        free.remove(most);
        known = complete(&free);
    }
    known.truncate(NUMBERS_GLANCE);
    // A slip in one row spoils a fit, and then half of the rows may be without one.
    let half = |odd: usize| known.iter().copied().skip(odd).step_by(2).collect::<Vec<usize>>();
    for taken in [known.clone(), half(0), half(1)] {
        let mut seen = Vec::new();
        while taken.len() as f64 >= ROWS_FOR_EACH * free.len() as f64 {
            let sight = Sight { columns: &free, rows: &taken };
            let Some((whole, parts)) = sight.combination(&seen) else { break };
            seen.push(free[whole].place);
            let Some(sum) = sight.read(whole, &parts) else { continue };
            if let Some((place, twin)) = checked(&free, &sum, rows)? {
                found.add(place, twin);
                // What was computed explains nothing: others are told by what is left.
                free.retain(|one| one.place != place);
            }
        }
    }
    Ok(())
}

/// The rows in which sums are looked for.
struct Sight<'a> {
    columns: &'a [&'a Numbers<'a>],
    rows: &'a [usize],
}

/// A column as the weighted sum of others.
struct Sum {
    made: usize,
    parts: Vec<Part>,
    how: Weights,
}

/// What weights are, the simplest first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Weights {
    /// Each is one over their number.
    Mean,
    /// Of so many digits.
    Digits(usize),
    /// Of more digits than anybody would choose.
    Any,
}

impl Sight<'_> {
    /// The first column that others before it add up to in these rows, with their weights; none of those that were seen.
    fn combination(&self, seen: &[usize]) -> Option<(usize, Vec<Part>)> {
        let mut kept = Vec::new();
        for j in 0..self.columns.len() {
            match self.written(j, &kept) {
                Some(parts) if parts.len() > 1 && !seen.contains(&self.columns[j].place) => {
                    return Some((j, parts));
                }
                Some(_) => {}
                None => kept.push(j),
            }
        }
        None
    }

    /// A column by others, where no more is left than rounding leaves.
    fn written(&self, j: usize, others: &[usize]) -> Option<Vec<Part>> {
        let (parts, left) = self.fit(j, others);
        let blur = self.blur(j, &parts);
        let n = (self.rows.len() as f64).sqrt();
        if left > n * blur.max(1e-7 * self.columns[j].seen.range) {
            return None;
        }
        let matters = |part: &&Part| {
            let moved = part.1.abs() * self.columns[part.0].seen.range;
            moved > (SEEN * blur).max(1e-6 * self.columns[j].seen.range)
        };
        let telling: Vec<usize> = parts.iter().filter(matters).map(|part| part.0).collect();
        Some(self.fit(j, &telling).0)
    }

    /// The weights with which others come nearest to a column, and the norm of what is left.
    fn fit(&self, j: usize, others: &[usize]) -> (Vec<Part>, f64) {
        let centred = |column: usize| {
            let values = self.rows.iter().map(|&row| self.columns[column].seen.values[row]);
            let mean = values.clone().sum::<f64>() / self.rows.len() as f64;
            values.map(|value| value - mean).collect::<Vec<f64>>()
        };
        // Of each of the others: its direction, and how it is made of the directions up to its own.
        let mut directions: Vec<(Vec<f64>, Vec<f64>)> = Vec::new();
        for &column in others {
            let (mut rest, mut made) = without(centred(column), &directions);
            let left = norm(&rest);
            rest.iter_mut().for_each(|value| *value /= left);
            made.push(left);
            directions.push((rest, made));
        }
        let (rest, mut made) = without(centred(j), &directions);
        // From directions back to columns.
        let mut parts = Vec::new();
        for (k, &column) in others.iter().enumerate().rev() {
            let weight = made[k] / directions[k].1[k];
            directions[k].1.iter().zip(made.iter_mut()).for_each(|(part, made)| *made -= weight * part);
            parts.push((column, weight));
        }
        parts.reverse();
        (parts, norm(&rest))
    }

    /// By what rounding may part a column from a sum of others. A whole number that is made of others with decimals was rounded itself.
    fn blur(&self, made: usize, parts: &[Part]) -> f64 {
        let (own, blur_of) =
            (&self.columns[made], |part: &Part| part.1.abs() * self.columns[part.0].seen.blur);
        let decimals =
            |part: &Part| !self.columns[part.0].is_whole() || (part.1 - part.1.round()).abs() > 1e-6;
        let rounded = own.is_whole() && parts.iter().any(decimals) && 0.5 <= BLUR * own.seen.range;
        own.seen.blur + parts.iter().map(blur_of).sum::<f64>() + if rounded { 0.5 } else { 0.0 }
    }

    /// What was computed, and how: where no number is negative the one column that stands against all others, else the one with the simplest weights.
    fn read(&self, whole: usize, parts: &[Part]) -> Option<Sum> {
        let mut signed = parts.to_vec();
        signed.push((whole, -1.0));
        let positive = signed.iter().all(|(column, _)| self.columns[*column].seen.low >= 0.0);
        let alone = [1.0, -1.0].into_iter().find_map(|sign| {
            let mut own = signed.iter().filter(|(_, weight)| weight * sign > 0.0);
            own.next().filter(|_| own.next().is_none()).map(|part| part.0)
        });
        let read = |made: usize| {
            let own = signed.iter().find(|part| part.0 == made)?.1;
            let others = signed.iter().filter(|part| part.0 != made);
            let parts: Vec<Part> = others.map(|&(column, weight)| (column, -weight / own)).collect();
            (self.columns[made].distinct >= VALUES).then(|| self.simplest(made, &parts)).flatten()
        };
        let total = alone.filter(|_| positive).and_then(read).filter(|sum| sum.how != Weights::Any);
        total.or_else(|| signed.iter().rev().filter_map(|part| read(part.0)).min_by_key(|sum| sum.how))
    }

    /// The simplest weights that do as well.
    fn simplest(&self, made: usize, parts: &[Part]) -> Option<Sum> {
        let mean = 1.0 / parts.len() as f64;
        let with = |weight: &dyn Fn(f64) -> f64| -> Vec<Part> {
            parts.iter().map(|&(column, of)| (column, weight(of))).collect()
        };
        let digits = (1..=DIGITS).map(|digits| (Weights::Digits(digits), with(&|of| tidy(of, digits))));
        let tried = [(Weights::Mean, with(&|_| mean))].into_iter().chain(digits);
        let mut tried = tried.chain([(Weights::Any, parts.to_vec())]);
        let (how, parts) = tried.find(|(_, parts)| self.holds(made, parts))?;
        let plain = parts.iter().all(|part| part.1.abs() == 1.0);
        let enough = plain || self.rows.len() >= ROWS_FOR_WEIGHTS * self.columns.len();
        enough.then_some(Sum { made, parts, how })
    }

    /// Whether what is left is the same in all of these rows, but for rounding.
    fn holds(&self, made: usize, parts: &[Part]) -> bool {
        let (mut low, mut high, mut size) = (f64::INFINITY, f64::NEG_INFINITY, 0.0f64);
        for &row in self.rows {
            let value = |column: usize| self.columns[column].seen.values[row];
            let left = parts.iter().fold(value(made), |left, part| left - part.1 * value(part.0));
            (low, high, size) = (low.min(left), high.max(left), size.max(value(made).abs()));
        }
        high - low <= 2.002 * self.blur(made, parts) + 1e-9 * size
    }
}

/// What is left of a column once all that lies along these directions is taken away, and how much that was.
fn without(mut rest: Vec<f64>, directions: &[(Vec<f64>, Vec<f64>)]) -> (Vec<f64>, Vec<f64>) {
    let mut made = vec![0.0; directions.len()];
    for _ in 0..2 {
        for ((direction, _), made) in directions.iter().zip(&mut made) {
            let along: f64 = rest.iter().zip(direction).map(|(a, b)| a * b).sum();
            rest.iter_mut().zip(direction).for_each(|(a, b)| *a -= along * b);
            *made += along;
        }
    }
    (rest, made)
}

fn norm(values: &[f64]) -> f64 {
    values.iter().map(|value| value * value).sum::<f64>().sqrt()
}

/// The same in all rows.
fn checked(columns: &[&Numbers<'_>], sum: &Sum, rows: usize) -> Result<Option<(usize, Twin)>, Error> {
    let made = columns[sum.made];
    let blur = Sight { columns, rows: &[] }.blur(sum.made, &sum.parts);
    let hidden = |&(column, weight): &Part| SEEN * blur > weight.abs() * columns[column].seen.range;
    if blur > BLUR * made.seen.range || sum.parts.iter().any(hidden) {
        return Ok(None);
    }
    let mut sums = vec![0.0; rows];
    let mut sizes = vec![0.0f64; rows];
    for &(column, weight) in sum.parts.iter().chain([&(sum.made, -1.0)]) {
        for ((sum, size), value) in sums.iter_mut().zip(&mut sizes).zip(columns[column].all()?) {
            *sum += weight * value;
            *size = size.max((weight * value).abs());
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
    let (mut tally, mut apart) = (Tally::default(), Apart::from(made));
    for ((sum, size), value) in sums.iter().zip(&sizes).zip(made.all()?) {
        let held = (!sum.is_nan()).then(|| same(sum + size, size - start, blur));
        tally.add(held);
        apart.add(value, held);
    }
    // As many as a fit needs rows, where gaps may have left the same few again and again.
    let different = FEW_ROWS.max(ROWS_FOR_WEIGHTS * columns.len());
    if !apart.is_tie(tally, rows, different) {
        return Ok(None);
    }
    // Parts are named in the order of the table, and what is added before what is taken away.
    let mut parts = sum.parts.clone();
    parts.sort_by_key(|part| (part.1 < 0.0, columns[part.0].place));
    let of: Vec<&str> = parts.iter().map(|part| columns[part.0].column.name.as_str()).collect();
    let name = &made.column.name;
    let twin = Twin::new(name, &of, Relation::Sum, tally.agree, tally.rows);
    Ok(Some((made.place, twin.saying(formula(name, &of, &parts, sum.how, start)))))
}

fn formula(name: &str, of: &[&str], parts: &[Part], how: Weights, start: f64) -> String {
    if how == Weights::Mean {
        return format!("{name} = ({}) / {}{}", of.join(" + "), of.len(), plus(start));
    }
    let mut sum = String::new();
    for (of, &(_, weight)) in of.iter().zip(parts) {
        sum.push_str(match (sum.is_empty(), weight < 0.0) {
            (true, false) => "",
            (true, true) => "-",
            (false, false) => " + ",
            (false, true) => " - ",
        });
        if weight.abs() != 1.0 {
            let told = if how == Weights::Any { tidy(weight.abs(), TOLD) } else { weight.abs() };
            sum.push_str(&format!("{} × ", number::write(told)));
        }
        sum.push_str(of);
    }
    let is = if how == Weights::Any { "≈" } else { "=" };
    // 100 - a - b rather than -a - b + 100.
    match sum.strip_prefix('-') {
        Some(rest) if start != 0.0 => format!("{name} {is} {} - {rest}", number::write(start)),
        _ => format!("{name} {is} {sum}{}", plus(start)),
    }
}
