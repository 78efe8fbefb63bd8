//! Numbers that say what other numbers say: `a = k·b + d`, `a = b + c`, `a = (b + c)/2`, `a = b·c` (also in hundredths, as shares in per cent are),
//! and whole numbers that a ratio was rounded to.
//!
//! A figure is right to half a unit of its last decimal, and one that was kept in 24 bits (a `float` in most programs, here written with more digits than it
//! had) to 2⁻²⁴ of its size. A whole number that is made of others with decimals was rounded itself.

use super::extremes::extremes;
use super::order::{may_be_in_order, same_order};
use super::sums::sums;
use super::{
    BLUR, FEW_ROWS, Found, GLANCE, MOST_NUMBERS, NEARLY_ALL, NUMBERS_GLANCE, are_enough, are_minority,
    few_first, spread,
};
use crate::data::cells::column::{Cells, Column};
use crate::data::cells::number::{self, Numeral};
use crate::data::decide::verdict::Verdict;
use crate::data::read::raw::RawTable;
use crate::data::report::Kind;
use crate::data::twin::{Relation, Twin};
use crate::error::Error;
use std::collections::BTreeSet;

/// What is seen of a column of numbers while its cells are there; nothing of others.
pub(in crate::data) fn seen(kept: (&Column, &Verdict), raw: &RawTable) -> Option<Seen> {
    let meanings = as_numbers(kept, raw)?;
    Some(Seen::at(all(kept.0, &meanings), &spread(raw.rows, GLANCE)))
}

/// A column of numbers.
pub(super) struct Numbers<'c> {
    /// Among the columns that are compared.
    pub(super) place: usize,
    pub(super) in_table: usize,
    pub(super) raw: &'c RawTable,
    pub(super) column: &'c Column,
    /// The value of each distinct text, where the column holds texts.
    pub(super) meanings: Vec<f64>,
    pub(super) seen: Seen,
    pub(super) distinct: usize,
}

/// A few of the values of a column of numbers, and what one look at all of them tells.
#[derive(Debug, Clone)]
pub(in crate::data) struct Seen {
    /// In the order of [`few_first`]; NaN for gaps.
    pub(super) values: Vec<f64>,
    /// By what rounding may have changed a value: half of the last decimal, or of the last of 24 bits; nothing for whole numbers.
    pub(super) blur: f64,
    pub(super) range: f64,
    pub(super) low: f64,
}

/// All values in row order; NaN for gaps. `meanings` are those of the distinct texts.
pub(super) fn all<'c>(column: &'c Column, meanings: &'c [f64]) -> Box<dyn Iterator<Item = f64> + 'c> {
    match &column.cells {
        Cells::Words { codes, .. } => Box::new(codes.iter().map(|code| meanings[code as usize])),
        Cells::Numbers { values, .. } => Box::new(values.iter()),
        Cells::Nothing => Box::new(std::iter::empty()),
    }
}

impl Numbers<'_> {
    /// Whether none has decimals.
    pub(super) fn is_whole(&self) -> bool {
        self.seen.blur == 0.0
    }

    /// All values in row order; NaN for gaps.
    pub(super) fn all(&self) -> Result<Box<dyn Iterator<Item = f64> + '_>, Error> {
        if self.column.apart {
            let numbers = self.raw.whole(self.in_table)?.numbers(&self.raw.marks);
            return Ok(Box::new(numbers.into_iter()));
        }
        Ok(all(self.column, &self.meanings))
    }
}

impl Seen {
    pub(super) fn at(all: impl Iterator<Item = f64>, rows: &[usize]) -> Self {
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        let (mut values, mut wanted) = (Vec::with_capacity(rows.len()), rows.iter().peekable());
        for (row, value) in all.enumerate() {
            if !value.is_nan() {
                (low, high) = (low.min(value), high.max(value));
            }
            if wanted.next_if(|&&next| next == row).is_some() {
                values.push(value);
            }
        }
        let values = few_first(&values);
        let known = few_known(&values);
        let decimals = known.clone().filter_map(decimals).max().unwrap_or_default();
        let written = if decimals == 0 { 0.0 } else { 0.5 * 0.1f64.powi(decimals) };
        let blur = match are_single(known) {
            true => written.max(HALF_OF_24_BITS * high.abs().max(low.abs())),
            false => written,
        };
        Seen { values, blur, range: high - low, low }
    }
}

/// The first values that are no gaps, as many as numbers are looked at.
fn few_known(values: &[f64]) -> impl Iterator<Item = f64> + Clone {
    values.iter().copied().filter(|value| !value.is_nan()).take(NUMBERS_GLANCE)
}

/// The same of the rows in which two columns have values.
pub(super) fn few_pairs<'n>(
    one: &'n Numbers<'_>,
    other: &'n Numbers<'_>,
) -> impl Iterator<Item = (f64, f64)> + 'n {
    let pairs = one.seen.values.iter().copied().zip(other.seen.values.iter().copied());
    pairs.filter(|(x, y)| !x.is_nan() && !y.is_nan()).take(NUMBERS_GLANCE)
}

/// The value of each distinct text of a column of numbers (none where it holds no texts); nothing for other columns.
pub(super) fn as_numbers((column, verdict): (&Column, &Verdict), raw: &RawTable) -> Option<Vec<f64>> {
    let numeric = matches!(verdict.kind, Kind::Numeric | Kind::Ordered);
    if !numeric || verdict.distinct.0 < 3 {
        return None;
    }
    match &column.cells {
        Cells::Words { words, .. } => {
            let value = |word: &[u8]| match column.numeral(word) {
                Numeral::Finite(value) if !column.is_gap(word, &raw.marks) => Some(value),
                _ if column.is_gap(word, &raw.marks) => Some(f64::NAN),
                _ => None,
            };
            words.iter().map(value).collect()
        }
        Cells::Numbers { .. } => Some(Vec::new()),
        Cells::Nothing => None,
    }
}

/// Digits behind the point.
fn decimals(value: f64) -> Option<i32> {
    let text = number::write(value);
    let digits = text.split_once('.')?.1;
    digits.bytes().all(|byte| byte.is_ascii_digit()).then_some(digits.len() as i32)
}

/// By how much a number that is kept in 24 bits may be off, as a share of its size.
const HALF_OF_24_BITS: f64 = 1.0 / (1 << 24) as f64;
/// Figures that show in how many bits they were kept.
const SHOWING: usize = 8;

/// Whether numbers were kept in 24 bits: some are written with more digits than that has, and all are numbers of 24 bits, written in full
/// (`690.799987792969`) or as briefly as tells them from their neighbours (`17.88991`).
fn are_single(mut values: impl Iterator<Item = f64> + Clone) -> bool {
    let half_unit = |value: f64| decimals(value).map_or(0.0, |decimals| 0.5 * 0.1f64.powi(decimals));
    let shows = |value: &f64| {
        let half = half_unit(*value);
        half > 0.0 && half < value.abs() * HALF_OF_24_BITS / 4.0
    };
    let is_single = |value: f64| {
        let kept = value as f32;
        (f64::from(kept) - value).abs() <= 1.001 * half_unit(value) && shows(&value)
            || kept.to_string().parse() == Ok(value)
    };
    values.clone().filter(shows).count() >= SHOWING && values.all(is_single)
}

/// Whether two numbers are the same but for rounding of so much.
pub(super) fn same(one: f64, other: f64, blur: f64) -> bool {
    (one - other).abs() <= 1.001 * blur + 1e-9 * one.abs().max(other.abs())
}

/// In how many rows something holds, of those in which it can be told.
#[derive(Clone, Copy, Default)]
pub(super) struct Tally {
    pub(super) agree: usize,
    pub(super) rows: usize,
}

impl Tally {
    pub(super) fn add(&mut self, holds: Option<bool>) {
        if let Some(holds) = holds {
            self.rows += 1;
            self.agree += usize::from(holds);
        }
    }

    pub(super) fn misses(self) -> usize {
        self.rows - self.agree
    }

    /// Whether it holds in nearly all of enough rows.
    pub(super) fn nearly_all(self, rows: usize) -> bool {
        are_enough(self.rows, rows) && self.agree as f64 >= NEARLY_ALL * self.rows as f64
    }
}

/// What is told of rows that say something: in a column that is mostly 0 the zeros follow from the zeros of any other.
pub(super) struct Apart {
    usual: Option<f64>,
    others: Tally,
    /// Some of the different values.
    different: BTreeSet<u64>,
}

/// The share of rows apart from the usual ones in which what is told must hold, and how few of them show nothing.
const APART: (f64, usize) = (0.95, 8);
/// More different values than this are not counted.
const MOST_DIFFERENT: usize = 100;

impl Apart {
    /// Apart from the value that a quarter of the rows have or more.
    pub(super) fn from(made: &Numbers<'_>) -> Self {
        let mut known: Vec<f64> = few_known(&made.seen.values).collect();
        known.sort_unstable_by(f64::total_cmp);
        let most = known.chunk_by(|a, b| a == b).max_by_key(|equal| equal.len());
        let usual = most.filter(|equal| 4 * equal.len() >= known.len()).map(|equal| equal[0]);
        Apart { usual, ..Apart::from_none() }
    }

    /// Apart from no value.
    pub(super) fn from_none() -> Self {
        Apart { usual: None, others: Tally::default(), different: BTreeSet::new() }
    }

    pub(super) fn add(&mut self, value: f64, holds: Option<bool>) {
        if holds.is_some() && self.different.len() < MOST_DIFFERENT {
            self.different.insert(value.to_bits());
        }
        if self.usual != Some(value) || holds == Some(false) {
            self.others.add(holds);
        }
    }

    /// How many different values there were, of those that are counted.
    pub(super) fn different(&self) -> usize {
        self.different.len()
    }

    /// Whether what holds in these rows is no chance: gaps may leave a few values that come again and again, which any formula fits.
    pub(super) fn is_tie(&self, tally: Tally, rows: usize, different: usize) -> bool {
        tally.nearly_all(rows)
            && self.others.rows >= APART.1
            && self.others.agree as f64 >= APART.0 * self.others.rows as f64
            && (!are_minority(tally.rows, rows) || self.different.len() >= different)
    }
}

/// Lines, sums and products among the columns of numbers.
pub(super) fn numbers(raw: &RawTable, columns: &[Numbers<'_>], found: &mut Found) -> Result<(), Error> {
    for (j, later) in columns.iter().enumerate() {
        for earlier in &columns[..j] {
            if !may_be_in_order(few_pairs(earlier, later)) {
                continue;
            }
            let twin = match line(earlier, later, raw.rows)? {
                None => same_order(earlier, later, raw.rows)?,
                Some(line) => Some((later.place, line)),
            };
            if let Some((place, twin)) = twin {
                found.tied.insert((earlier.place, later.place));
                found.add(place, twin);
            }
        }
    }
    if columns.len() > MOST_NUMBERS {
        return Ok(());
    }
    let untied = |a: &Numbers<'_>, b: &Numbers<'_>, found: &Found| !found.tied.contains(&(a.place, b.place));
    for k in 0..columns.len() {
        for j in 0..k {
            for i in 0..j {
                let three = [&columns[i], &columns[j], &columns[k]];
                let free = untied(three[0], three[1], found)
                    && untied(three[0], three[2], found)
                    && untied(three[1], three[2], found);
                // Small whole numbers add up by chance too often.
                if free
                    && three.iter().filter(|one| one.distinct >= 8).count() >= 2
                    && let Some((place, twin)) = of_two(three, raw.rows)?
                {
                    found.add(place, twin);
                }
            }
        }
    }
    extremes(raw.rows, columns, found)?;
    sums(raw.rows, columns, found)
}

/// `later = slope · earlier + start`.
fn line(earlier: &Numbers<'_>, later: &Numbers<'_>, rows: usize) -> Result<Option<Twin>, Error> {
    if earlier.distinct < 8 || later.distinct < 8 {
        return Ok(None);
    }
    let known: Vec<(f64, f64)> = few_pairs(earlier, later).collect();
    let low = known.iter().copied().min_by(|a, b| a.0.total_cmp(&b.0));
    let high = known.iter().copied().max_by(|a, b| a.0.total_cmp(&b.0));
    let Some((low, high)) = low.zip(high) else { return Ok(None) };
    let (slope, start) = {
        let slope = (high.1 - low.1) / (high.0 - low.0);
        (tidy(slope, 9), tidy(low.1 - slope * low.0, 9))
    };
    if !slope.is_finite() || slope == 0.0 {
        return Ok(None);
    }
    let blur = later.seen.blur + slope.abs() * earlier.seen.blur;
    if blur > BLUR * later.seen.range || blur > BLUR * slope.abs() * earlier.seen.range {
        return Ok(None);
    }
    let holds = |x: f64, y: f64, (slope, start): (f64, f64)| {
        let known = !x.is_nan() && !y.is_nan();
        known.then(|| same(y, slope * x + start, blur.max(1e-6 * later.seen.range)))
    };
    let misses = |line: (f64, f64)| {
        let mut glance = Tally::default();
        known.iter().for_each(|&(x, y)| glance.add(holds(x, y, line)));
        glance.misses()
    };
    let least = misses((slope, start));
    if known.len() < 8 || least > 2 {
        return Ok(None);
    }
    // Two rows of rounded numbers give a slope with too many digits: the fewest that do as well.
    let mut rounded = (1..9).flat_map(|digits| {
        let slope = tidy(slope, digits);
        [0.0, tidy(start, digits), tidy(low.1 - slope * low.0, digits)].map(|start| (slope, start))
    });
    let (mut slope, mut start) =
        rounded.find(|&line| line.0 != 0.0 && misses(line) <= least).unwrap_or((slope, start));
    // Hours are seconds / 3600, which no decimals say.
    let parts = (1.0 / slope).round();
    let divides = tidy(slope, SPOKEN) != slope && parts.abs() >= 2.0 && misses((1.0 / parts, 0.0)) <= least;
    if divides {
        (slope, start) = (1.0 / parts, 0.0);
    }
    let (mut tally, mut apart) = (Tally::default(), Apart::from(later));
    for (x, y) in earlier.all()?.zip(later.all()?) {
        let held = holds(x, y, (slope, start));
        tally.add(held);
        apart.add(y, held);
    }
    let (name, of) = (&later.column.name, &earlier.column.name);
    let relation = match (slope == 1.0 && start == 0.0, tally.misses()) {
        (true, 0) => Relation::Copy,
        (true, _) => Relation::NearCopy,
        _ => Relation::Line,
    };
    let formula = match divides {
        true => format!("{name} = {of} / {}", number::write(parts)),
        false => format!("{name} = {}{of}{}", times(slope), plus(start)),
    };
    let twin = || Twin::new(name, &[of], relation, tally.agree, tally.rows).saying(formula);
    Ok(apart.is_tie(tally, rows, FEW_ROWS).then(twin))
}

/// Factors of more digits are said as divisors, if these are whole numbers.
const SPOKEN: usize = 3;

/// The end of a formula.
pub(super) fn plus(constant: f64) -> String {
    match constant {
        0.0 => String::new(),
        below if below < 0.0 => format!(" - {}", number::write(-below)),
        above => format!(" + {}", number::write(above)),
    }
}

/// So many digits: what division leaves behind nine is no part of a formula.
pub(super) fn tidy(value: f64, digits: usize) -> f64 {
    let rounded: f64 = format!("{value:.*e}", digits - 1).parse().unwrap_or(value);
    if rounded.abs() < 1e-9 { 0.0 } else { rounded }
}

/// The constant in `a = b + c + constant` (years at work = age − years at school − 6), by the first rows; 0 where they do not agree.
fn constant([a, b, c]: [&Numbers<'_>; 3]) -> f64 {
    let blur = a.seen.blur + b.seen.blur + c.seen.blur;
    let rows = a.seen.values.iter().zip(&b.seen.values).zip(&c.seen.values);
    let mut rests = rows.map(|((a, b), c)| a - (b + c)).filter(|rest| !rest.is_nan()).take(4);
    let first = rests.next().unwrap_or(0.0);
    let agree = rests.all(|rest| same(first, rest, 2.0 * blur));
    if agree && !same(first, 0.0, blur) { tidy(first, 9) } else { 0.0 }
}

/// How one of three columns may be made of the two others.
#[derive(Clone, Copy, PartialEq)]
enum Form {
    /// `a = b + c + start`.
    Sum { start: f64 },
    /// `a = (b + c) / 2`.
    Mean,
    /// `a = b · c / scale`, with a power of ten.
    Product { scale: f64 },
    /// `a = scale · b / c` as a whole number, the nearest or the one below.
    Ratio { scale: f64, down: bool },
}

impl Form {
    fn all(parts: [&Numbers<'_>; 3]) -> [Form; 3] {
        [Form::Sum { start: constant(parts) }, Form::Mean, Form::Product { scale: scale(parts) }]
    }

    /// Ratios that were rounded to whole numbers: these must be spread so widely that chance does not hit them.
    fn ratios(parts @ [a, ..]: [&Numbers<'_>; 3]) -> impl Iterator<Item = Form> {
        let wide = a.seen.blur == 0.0 && a.distinct >= 8 && a.seen.range >= WIDE;
        let scale = if wide { ratio_scale(parts) } else { None };
        scale.into_iter().flat_map(|scale| [false, true].map(|down| Form::Ratio { scale, down }))
    }

    fn made(self, b: f64, c: f64) -> f64 {
        match self {
            Form::Sum { start } => b + c + start,
            Form::Mean => (b + c) / 2.0,
            Form::Product { scale } => b * c / scale,
            // Nobody has a share of nothing.
            Form::Ratio { .. } if c == 0.0 => f64::NAN,
            Form::Ratio { scale, down } => scale * b / c - if down { 0.5 } else { 0.0 },
        }
    }

    /// By what rounding may have changed what is made of two values, and the value itself.
    fn blur(self, [a, b, c]: [&Numbers<'_>; 3], b_value: f64, c_value: f64) -> f64 {
        let (of_b, of_c) = (b.seen.blur, c.seen.blur);
        let divides = matches!(self, Form::Mean | Form::Ratio { .. });
        let rounded = a.seen.blur == 0.0 && (divides || of_b + of_c > 0.0);
        let of_a = if rounded { 0.5 } else { a.seen.blur };
        of_a + match self {
            Form::Sum { .. } => of_b + of_c,
            Form::Mean => (of_b + of_c) / 2.0,
            Form::Product { scale } => (c_value.abs() * of_b + b_value.abs() * of_c) / scale,
            Form::Ratio { .. } if c_value == 0.0 => 0.0,
            Form::Ratio { scale, .. } => scale * (of_b + (b_value / c_value).abs() * of_c) / c_value.abs(),
        }
    }
}

/// Whole numbers that a ratio was rounded to lie so far apart, or anything near the ratio would do.
const WIDE: f64 = 10.0;

/// The power of ten in `a = scale · b / c`, by the row in which rounding tells least; nothing where it is none.
fn ratio_scale([a, b, c]: [&Numbers<'_>; 3]) -> Option<f64> {
    let rows = a.seen.values.iter().zip(&b.seen.values).zip(&c.seen.values);
    let known = rows.filter(|((a, b), c)| !(*a + *b + *c).is_nan() && **b != 0.0 && **c != 0.0);
    let ((a, b), c) = known.max_by(|one, other| one.0.0.abs().total_cmp(&other.0.0.abs()))?;
    let scale = a * c / b;
    let is = |power: &f64| (scale / power - 1.0).abs() < 0.1;
    [1.0, 1e2, 1e1, 1e3, 1e4, 1e5, 1e6, 1e-1, 1e-2, 1e-3].into_iter().find(is)
}

/// The power of ten in `a = b · c / scale` (per cent, in thousands), by the first row that tells; 1 where it is none.
fn scale([a, b, c]: [&Numbers<'_>; 3]) -> f64 {
    const POWERS: [f64; 9] = [1e2, 1e3, 1e4, 1e5, 1e6, 1e1, 1e-1, 1e-2, 1e-3];
    let rows = a.seen.values.iter().zip(&b.seen.values).zip(&c.seen.values);
    let ratio = rows.map(|((a, b), c)| b * c / a).find(|ratio| ratio.is_finite() && *ratio > 0.0);
    let is = |power: &f64| ratio.is_some_and(|ratio| (ratio / power - 1.0).abs() < 0.05);
    POWERS.into_iter().find(is).unwrap_or(1.0)
}

/// One of three columns as the sum, mean, product or ratio of the others, and the place of the one that repeats the others. What was rounded to whole
/// numbers is tried last: of whole numbers without rounding it would be found as well.
fn of_two(three: [&Numbers<'_>; 3], rows: usize) -> Result<Option<(usize, Twin)>, Error> {
    let orders = [(2, 0, 1), (0, 1, 2), (1, 0, 2)].map(|(whole, one, other)| [whole, one, other]);
    let parts = |order: [usize; 3]| order.map(|place| three[place]);
    for parts in orders.map(parts) {
        for form in Form::all(parts) {
            if let Some(tally) = holds_in(parts, form, rows)? {
                return Ok(Some(told(parts, form, tally)));
            }
        }
    }
    for [a, b, c] in orders.map(parts) {
        for parts in [[a, b, c], [a, c, b]] {
            for form in Form::ratios(parts) {
                if let Some(tally) = holds_in(parts, form, rows)? {
                    return Ok(Some(told(parts, form, tally)));
                }
            }
        }
    }
    Ok(None)
}

/// In how many rows the first of three columns is made of the two others; nothing where that is too few, or too blurred to be meant.
fn holds_in(parts @ [a, b, c]: [&Numbers<'_>; 3], form: Form, rows: usize) -> Result<Option<Tally>, Error> {
    let is_ratio = matches!(form, Form::Ratio { .. });
    let holds = |a_: f64, b_: f64, c_: f64| {
        let made = form.made(b_, c_);
        // That nothing is hardly anything of something is no sign of a ratio.
        let hardly_any = is_ratio && made.abs() < 1.0 && a_.abs() <= 1.0;
        let unknown = made.is_nan() || a_.is_nan() || hardly_any;
        (!unknown).then(|| same(a_, made, form.blur(parts, b_, c_)))
    };
    let (mut glance, mut met) = (Tally::default(), Vec::new());
    for ((&x, &y), &z) in a.seen.values.iter().zip(&b.seen.values).zip(&c.seen.values) {
        if glance.rows == NUMBERS_GLANCE {
            break;
        }
        let held = holds(x, y, z);
        glance.add(held);
        if glance.misses() > 2 {
            return Ok(None);
        }
        if is_ratio && held == Some(true) && !met.contains(&x) {
            met.push(x);
        }
    }
    if glance.rows < 8 || is_ratio && met.len() < 8 {
        return Ok(None);
    }
    let (mut tally, mut exact) = (Tally::default(), Tally::default());
    let (mut apart, mut blurred) = (Apart::from(a), 0.0);
    for ((x, y), z) in a.all()?.zip(b.all()?).zip(c.all()?) {
        let held = holds(x, y, z);
        tally.add(held);
        exact.add(held.map(|_| same(x, form.made(y, z), 0.0)));
        apart.add(x, held);
        blurred += if (x + y + z).is_nan() { 0.0 } else { form.blur(parts, y, z) };
    }
    let blurred = blurred / tally.rows.max(1) as f64;
    let sharp = match form {
        Form::Product { .. } => blurred <= BLUR * a.seen.range,
        // Its own rounding takes half of one, and the others' no more than elsewhere.
        Form::Ratio { .. } => blurred <= 0.5 + BLUR * a.seen.range,
        // Figures that add up to the last digit were not rounded: prices are as sharp as whole numbers, however near they lie.
        Form::Sum { .. } if exact.nearly_all(rows) => true,
        _ => parts.iter().all(|part| blurred <= BLUR * part.seen.range),
    };
    Ok((sharp && apart.is_tie(tally, rows, FEW_ROWS)).then_some(tally))
}

/// A total is told as the sum of its parts, and a whole number with decimals beside it as what a ratio was made of; where numbers may be negative
/// nothing tells total and part apart, and the last column is taken to be the one that was computed.
fn told(parts @ [whole, one, other]: [&Numbers<'_>; 3], form: Form, tally: Tally) -> (usize, Twin) {
    let name = |part: &Numbers<'_>| part.column.name.clone();
    let last = whole.place > other.place;
    let total = parts.iter().all(|part| part.seen.low >= 0.0);
    let ratio = whole.seen.blur == 0.0 && one.seen.blur + other.seen.blur > 0.0;
    // Of two that may be the ratio the one with decimals, the later of both.
    let (from, part) = if other.seen.blur == 0.0 && ratio { (other, one) } else { (one, other) };
    let (made, of, formula) = match form {
        Form::Mean => (whole, [one, other], format!("({} + {}) / 2", name(one), name(other))),
        Form::Ratio { scale, down } => {
            let rounded = if down { "rounded down" } else { "rounded" };
            let formula = format!("{}{} / {}, {rounded}", times(scale), name(one), name(other));
            (whole, [one, other], formula)
        }
        Form::Sum { start } if last || total && start == 0.0 => {
            (whole, [one, other], format!("{} + {}{}", name(one), name(other), plus(start)))
        }
        Form::Sum { start } => {
            (other, [whole, one], format!("{} - {}{}", name(whole), name(one), plus(-start)))
        }
        Form::Product { scale } if last || total && scale == 1.0 && !ratio => {
            (whole, [one, other], format!("{} × {}{}", name(one), name(other), over(scale)))
        }
        Form::Product { scale } => {
            (part, [whole, from], format!("{}{} / {}", times(scale), name(whole), name(from)))
        }
    };
    let relation = match form {
        Form::Product { .. } | Form::Ratio { .. } => Relation::Product,
        Form::Sum { .. } | Form::Mean => Relation::Sum,
    };
    let formula = format!("{} = {formula}", name(made));
    let of = of.map(|part| part.column.name.as_str());
    (made.place, Twin::new(&made.column.name, &of, relation, tally.agree, tally.rows).saying(formula))
}

fn times(scale: f64) -> String {
    if scale == 1.0 { String::new() } else { format!("{} × ", number::write(scale)) }
}

fn over(scale: f64) -> String {
    if scale == 1.0 { String::new() } else { format!(" / {}", number::write(scale)) }
}
