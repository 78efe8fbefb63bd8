//! Columns that say what others say: copies, near copies, and functions of one or two other columns.
//!
//! Two columns are **copies** if each value of one goes with one value of the other; **near copies** if that holds in nearly all rows
//! and little is left to say once the other is known,
//!
//! ```text
//! 1 − H(X|Y)/H(X) ≥ 0.95 and 1 − H(Y|X)/H(Y) ≥ 0.95, in 99 % of the rows
//! ```
//!
//! which agreement alone would not show where one state is rare: two columns that are "no" in 99 % of the rows agree often, and say
//! nothing about each other. X is a **function** of Y if `1 − H(X|Y)/H(X) ≥ 0.99` and Y's values repeat so often that this is no
//! accident: with p the largest share of a value of X, all repetitions of a value of Y agree by chance with probability
//! `p^(rows − values of Y)` at most. Numbers are also tried as `a = k·b + d`, `a = b + c` and `a = b·c`, each with the room that
//! rounding needs.
//!
//! Values are compared as they stand in the table: columns that merely fall into the same bins are not called copies. A few rows
//! tell which pairs are worth a look at all of them.

use crate::data::cells::column::{Cells, Column};
use crate::data::cells::number::{self, Numeral};
use crate::data::decide::verdict::Verdict;
use crate::data::read::raw::RawTable;
use crate::data::report::Kind;
use crate::data::twin::{Relation, Twin, settle};
use clausality_bn::{MISSING, math};
use std::collections::{BTreeMap, BTreeSet};

/// Rows that decide whether a pair of columns is looked at in all rows.
const GLANCE: usize = 256;
/// The same for numbers, which agree by chance far more rarely.
const NUMBERS_GLANCE: usize = 64;
/// Fewer rows than this show nothing.
const FEW_ROWS: usize = 20;
/// Columns with more different values are compared as numbers or not at all.
const MOST_VALUES: usize = 250;
/// Above this many columns of numbers sums and products of two are not searched for.
const MOST_NUMBERS: usize = 200;
/// The share of rows in which near copies, sums and products must hold.
const NEARLY_ALL: f64 = 0.99;
/// What near copies must know of each other, as a share of all there is to know.
const NEAR_COPY: f64 = 0.95;
/// What is known of a function's value.
const FUNCTION: f64 = 0.99;
/// Rows for each value of Y before X may be called its function.
const ROWS_PER_VALUE: usize = 5;
/// −ln of the probability of an accident, for one pair.
const NO_ACCIDENT: f64 = 20.0;
/// Rounding may blur a sum or product by this share of the range of each column, and no more.
const BLUR: f64 = 0.02;

/// The columns that say what others say, in the order of the table; each is named once.
pub(in crate::data) fn look(raw: &RawTable, verdicts: &[Verdict]) -> Vec<Twin> {
    if raw.rows < FEW_ROWS {
        return Vec::new();
    }
    // A date's parts are known to come from it, and a column that is left out misleads nobody.
    let whole = |verdict: &Verdict| matches!(verdict.variables.as_slice(), [one] if one.part.is_none());
    let kept: Vec<(&Column, &Verdict)> =
        raw.columns.iter().zip(verdicts).filter(|(_, verdict)| whole(verdict)).collect();
    let mut found = Found::default();
    numbers(raw, &kept, &mut found);
    values(raw, &kept, &mut found);
    cuts(raw, &kept, &mut found);
    let mut twins: Vec<Twin> = found.twins.into_values().collect();
    settle(&mut twins);
    twins
}

/// Twins by the place of the column that repeats others.
#[derive(Default)]
struct Found {
    twins: BTreeMap<usize, Twin>,
    /// Pairs that are tied as numbers.
    tied: BTreeSet<(usize, usize)>,
}

impl Found {
    fn add(&mut self, place: usize, twin: Twin) {
        self.twins.entry(place).or_insert(twin);
    }
}

/// Rows spread evenly over the table.
fn spread(rows: usize, most: usize) -> Vec<usize> {
    let count = rows.min(most);
    (0..count).map(|k| k * rows / count).collect()
}

// ---- numbers -------------------------------------------------------------------------------------------------------

/// A column of numbers.
struct Numbers<'c> {
    place: usize,
    column: &'c Column,
    /// The value of each distinct text, where the column holds texts.
    meanings: Vec<f64>,
    /// By what rounding may have changed a value: half of the last decimal; nothing for whole numbers.
    blur: f64,
    glance: Vec<f64>,
    range: f64,
    low: f64,
    distinct: usize,
}

impl Numbers<'_> {
    /// All values in row order; NaN for gaps.
    fn all(&self) -> Box<dyn Iterator<Item = f64> + '_> {
        match &self.column.cells {
            Cells::Words { codes, .. } => Box::new(codes.iter().map(|code| self.meanings[code as usize])),
            Cells::Numbers { values, .. } => Box::new(values.iter()),
            Cells::Nothing => Box::new(std::iter::empty()),
        }
    }
}

fn as_numbers<'c>(
    place: usize,
    (column, verdict): (&'c Column, &Verdict),
    raw: &RawTable,
    rows: &[usize],
) -> Option<Numbers<'c>> {
    let numeric = matches!(verdict.kind, Kind::Numeric | Kind::Ordered);
    if !numeric || verdict.distinct.0 < 3 {
        return None;
    }
    let meanings: Vec<f64> = match &column.cells {
        Cells::Words { words, .. } => {
            let value = |word: &[u8]| match column.numeral(word) {
                Numeral::Finite(value) if !column.is_gap(word, &raw.marks) => Some(value),
                _ if column.is_gap(word, &raw.marks) => Some(f64::NAN),
                _ => None,
            };
            words.iter().map(value).collect::<Option<_>>()?
        }
        Cells::Numbers { .. } => Vec::new(),
        Cells::Nothing => return None,
    };
    let mut this = Numbers {
        place,
        column,
        meanings,
        blur: 0.0,
        glance: Vec::new(),
        range: 0.0,
        low: 0.0,
        distinct: verdict.distinct.0,
    };
    let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
    let (mut glance, mut wanted) = (Vec::with_capacity(rows.len()), rows.iter().peekable());
    for (row, value) in this.all().enumerate() {
        if !value.is_nan() {
            (low, high) = (low.min(value), high.max(value));
        }
        if wanted.next_if(|&&next| next == row).is_some() {
            glance.push(value);
        }
    }
    let decimals =
        glance.iter().filter(|v| !v.is_nan()).filter_map(|&v| decimals(v)).max().unwrap_or_default();
    this.blur = if decimals == 0 { 0.0 } else { 0.5 * 0.1f64.powi(decimals) };
    (this.glance, this.range, this.low) = (glance, high - low, low);
    Some(this)
}

/// Digits behind the point.
fn decimals(value: f64) -> Option<i32> {
    let text = number::write(value);
    let digits = text.split_once('.')?.1;
    digits.bytes().all(|byte| byte.is_ascii_digit()).then_some(digits.len() as i32)
}

/// Whether two numbers are the same but for rounding of so much.
fn same(one: f64, other: f64, blur: f64) -> bool {
    (one - other).abs() <= 1.001 * blur + 1e-9 * one.abs().max(other.abs())
}

/// In how many rows something holds, of those in which it can be told.
#[derive(Clone, Copy, Default)]
struct Tally {
    agree: usize,
    rows: usize,
}

impl Tally {
    fn add(&mut self, holds: Option<bool>) {
        if let Some(holds) = holds {
            self.rows += 1;
            self.agree += usize::from(holds);
        }
    }

    fn misses(self) -> usize {
        self.rows - self.agree
    }

    /// Whether it holds in nearly all of enough rows.
    fn nearly_all(self, rows: usize) -> bool {
        self.rows >= FEW_ROWS && 2 * self.rows >= rows && self.agree as f64 >= NEARLY_ALL * self.rows as f64
    }
}

fn numbers(raw: &RawTable, kept: &[(&Column, &Verdict)], found: &mut Found) {
    let rows = spread(raw.rows, NUMBERS_GLANCE);
    let columns: Vec<Numbers<'_>> =
        kept.iter().enumerate().filter_map(|(place, &kept)| as_numbers(place, kept, raw, &rows)).collect();
    for (j, later) in columns.iter().enumerate() {
        for earlier in &columns[..j] {
            if let Some(twin) = line(earlier, later, raw.rows) {
                found.tied.insert((earlier.place, later.place));
                found.add(later.place, twin);
            }
        }
    }
    if columns.len() > MOST_NUMBERS {
        return;
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
                    && let Some((place, twin)) = of_two(three, raw.rows)
                {
                    found.add(place, twin);
                }
            }
        }
    }
}

/// `later = slope · earlier + start`.
fn line(earlier: &Numbers<'_>, later: &Numbers<'_>, rows: usize) -> Option<Twin> {
    if earlier.distinct < 8 || later.distinct < 8 {
        return None;
    }
    let known: Vec<(f64, f64)> = earlier
        .glance
        .iter()
        .copied()
        .zip(later.glance.iter().copied())
        .filter(|(x, y)| !x.is_nan() && !y.is_nan())
        .collect();
    let low = known.iter().copied().min_by(|a, b| a.0.total_cmp(&b.0))?;
    let high = known.iter().copied().max_by(|a, b| a.0.total_cmp(&b.0))?;
    let (slope, start) = {
        let slope = (high.1 - low.1) / (high.0 - low.0);
        (tidy(slope, 9), tidy(low.1 - slope * low.0, 9))
    };
    if !slope.is_finite() || slope == 0.0 {
        return None;
    }
    let blur = later.blur + slope.abs() * earlier.blur;
    if blur > BLUR * later.range || blur > BLUR * slope.abs() * earlier.range {
        return None;
    }
    let holds = |x: f64, y: f64, (slope, start): (f64, f64)| {
        let known = !x.is_nan() && !y.is_nan();
        known.then(|| same(y, slope * x + start, blur.max(1e-6 * later.range)))
    };
    let misses = |line: (f64, f64)| {
        let mut glance = Tally::default();
        known.iter().for_each(|&(x, y)| glance.add(holds(x, y, line)));
        glance.misses()
    };
    if known.len() < 8 || misses((slope, start)) > 2 {
        return None;
    }
    // Two rows of rounded numbers give a slope with too many digits: the fewest that do as well.
    let least = misses((slope, start));
    let rounded = (1..9).flat_map(|digits| {
        let slope = tidy(slope, digits);
        [0.0, tidy(start, digits), tidy(low.1 - slope * low.0, digits)].map(|start| (slope, start))
    });
    let (slope, start) =
        rounded.into_iter().find(|&line| line.0 != 0.0 && misses(line) <= least).unwrap_or((slope, start));
    let mut tally = Tally::default();
    earlier.all().zip(later.all()).for_each(|(x, y)| tally.add(holds(x, y, (slope, start))));
    let (name, of) = (&later.column.name, &earlier.column.name);
    let relation = match (slope == 1.0 && start == 0.0, tally.misses()) {
        (true, 0) => Relation::Copy,
        (true, _) => Relation::NearCopy,
        _ => Relation::Line,
    };
    let times = if slope == 1.0 { String::new() } else { format!("{} × ", number::write(slope)) };
    let formula = format!("{name} = {times}{of}{}", plus(start));
    tally.nearly_all(rows).then(|| Twin::new(name, &[of], relation, tally.agree, tally.rows).saying(formula))
}

/// The end of a formula.
fn plus(constant: f64) -> String {
    match constant {
        0.0 => String::new(),
        below if below < 0.0 => format!(" - {}", number::write(-below)),
        above => format!(" + {}", number::write(above)),
    }
}

/// So many digits: what division leaves behind nine is no part of a formula.
fn tidy(value: f64, digits: usize) -> f64 {
    let rounded: f64 = format!("{value:.*e}", digits - 1).parse().unwrap_or(value);
    if rounded.abs() < 1e-9 { 0.0 } else { rounded }
}

/// The constant in `a = b + c + constant` (years at work = age − years at school − 6), by the first rows; 0 where they do not agree.
fn constant([a, b, c]: [&Numbers<'_>; 3]) -> f64 {
    let blur = a.blur + b.blur + c.blur;
    let rows = a.glance.iter().zip(&b.glance).zip(&c.glance);
    let mut rests = rows.map(|((a, b), c)| a - (b + c)).filter(|rest| !rest.is_nan()).take(4);
    let first = rests.next().unwrap_or(0.0);
    let agree = rests.all(|rest| same(first, rest, 2.0 * blur));
    if agree && !same(first, 0.0, blur) { tidy(first, 9) } else { 0.0 }
}

/// One of three columns as the sum or product of the others, and the place of the one that repeats the others.
fn of_two(three: [&Numbers<'_>; 3], rows: usize) -> Option<(usize, Twin)> {
    for (whole, one, other) in [(2, 0, 1), (0, 1, 2), (1, 0, 2)] {
        let parts @ [a, b, c] = [three[whole], three[one], three[other]];
        for product in [false, true] {
            let blur = |b_: f64, c_: f64| match product {
                false => a.blur + b.blur + c.blur,
                true => a.blur + c_.abs() * b.blur + b_.abs() * c.blur,
            };
            let start = if product { 0.0 } else { constant(parts) };
            let holds = |a_: f64, b_: f64, c_: f64| {
                let made = if product { b_ * c_ } else { b_ + c_ + start };
                (!made.is_nan() && !a_.is_nan()).then(|| same(a_, made, blur(b_, c_)))
            };
            let mut glance = Tally::default();
            for ((&x, &y), &z) in a.glance.iter().zip(&b.glance).zip(&c.glance) {
                glance.add(holds(x, y, z));
                if glance.misses() > 2 {
                    break;
                }
            }
            if glance.misses() > 2 || glance.rows < 8 {
                continue;
            }
            let (mut tally, mut blurred) = (Tally::default(), 0.0);
            for ((x, y), z) in a.all().zip(b.all()).zip(c.all()) {
                tally.add(holds(x, y, z));
                blurred += if (x + y + z).is_nan() { 0.0 } else { blur(y, z) };
            }
            let blurred = blurred / tally.rows.max(1) as f64;
            let sharp = match product {
                false => parts.iter().all(|part| blurred <= BLUR * part.range),
                true => blurred <= BLUR * a.range,
            };
            if sharp && tally.nearly_all(rows) {
                return Some(told(parts, product, start, tally));
            }
        }
    }
    None
}

/// A total is told as the sum of its parts; where numbers may be negative nothing tells total and part apart, and the last column
/// is taken to be the one that was computed.
fn told([whole, one, other]: [&Numbers<'_>; 3], product: bool, start: f64, tally: Tally) -> (usize, Twin) {
    let total = start == 0.0 && [whole, one, other].iter().all(|part| part.low >= 0.0);
    let (made, from, sign) = match (total || whole.place > other.place, product) {
        (true, false) => (whole, [one, other], "+"),
        (true, true) => (whole, [one, other], "×"),
        (false, false) => (other, [whole, one], "-"),
        (false, true) => (other, [whole, one], "/"),
    };
    let name = |part: &Numbers<'_>| part.column.name.clone();
    let end = plus(if sign == "-" { -start } else { start });
    let formula = format!("{} = {} {sign} {}{end}", name(made), name(from[0]), name(from[1]));
    let relation = if product { Relation::Product } else { Relation::Sum };
    let of = from.map(|part| part.column.name.as_str());
    (made.place, Twin::new(&made.column.name, &of, relation, tally.agree, tally.rows).saying(formula))
}

// ---- values --------------------------------------------------------------------------------------------------------

/// What each distinct text of a column with few values stands for.
fn meanings((column, verdict): (&Column, &Verdict), raw: &RawTable) -> Option<Vec<u8>> {
    let Cells::Words { words, .. } = &column.cells else { return None };
    if !verdict.distinct.1 || verdict.distinct.0 > MOST_VALUES {
        return None;
    }
    let numeric = matches!(verdict.kind, Kind::Numeric | Kind::Ordered);
    let mut values: BTreeMap<Vec<u8>, u8> = BTreeMap::new();
    let mut meaning = |word: &[u8]| {
        if column.is_gap(word, &raw.marks) {
            return Some(MISSING);
        }
        let key = match column.numeral(word) {
            Numeral::Finite(value) if numeric => number::write(value).into_bytes(),
            _ => word.to_vec(),
        };
        let next = values.len();
        // Rows that were left out may have left texts behind that nobody counts any more.
        u8::try_from(next).ok().filter(|&next| next < MISSING).map(|next| *values.entry(key).or_insert(next))
    };
    words.iter().map(&mut meaning).collect()
}

fn codes(column: &Column, meanings: &[u8]) -> Vec<u8> {
    match &column.cells {
        Cells::Words { codes, .. } => codes.translate(meanings),
        _ => Vec::new(),
    }
}

/// How two columns occur together, in the rows that have both.
struct Joint {
    counts: Vec<usize>,
    /// Of the first and the second column.
    states: (usize, usize),
}

impl Joint {
    fn of(x: &[u8], y: &[u8]) -> Self {
        let most = |codes: &[u8]| {
            codes.iter().filter(|&&code| code != MISSING).max().map_or(0, |&code| usize::from(code) + 1)
        };
        let states = (most(x), most(y));
        let mut counts = vec![0; states.0 * states.1];
        for (&x, &y) in x.iter().zip(y).filter(|&(&x, &y)| x != MISSING && y != MISSING) {
            counts[usize::from(x) * states.1 + usize::from(y)] += 1;
        }
        Joint { counts, states }
    }

    fn turned(&self) -> Joint {
        let (r, s) = self.states;
        let counts = (0..s).flat_map(|y| (0..r).map(move |x| self.counts[x * s + y])).collect();
        Joint { counts, states: (s, r) }
    }

    fn rows(&self) -> usize {
        self.counts.iter().sum()
    }

    /// Rows in which X is what it mostly is for Y's value.
    fn agree(&self) -> usize {
        let (r, s) = self.states;
        (0..s).map(|y| (0..r).map(|x| self.counts[x * s + y]).max().unwrap_or(0)).sum()
    }

    /// 1 − H(X|Y)/H(X); nothing where X has one value.
    fn known(&self) -> Option<f64> {
        let (r, s) = self.states;
        let phi = |count: usize| math::x_ln_x(count as f64);
        let n = self.rows();
        let of_x = (0..r).map(|x| self.counts[x * s..(x + 1) * s].iter().sum::<usize>());
        let of_y = (0..s).map(|y| (0..r).map(|x| self.counts[x * s + y]).sum::<usize>());
        let free = phi(n) - of_x.map(phi).sum::<f64>();
        let given = of_y.map(phi).sum::<f64>() - self.counts.iter().map(|&count| phi(count)).sum::<f64>();
        (free > 1e-9).then(|| 1.0 - given / free)
    }

    /// Whether Y's values repeat so often that X following them is no accident.
    fn is_no_accident(&self, pairs: f64) -> bool {
        let (r, s) = self.states;
        let n = self.rows();
        let values = (0..s).filter(|&y| (0..r).any(|x| self.counts[x * s + y] > 0)).count();
        let largest =
            (0..r).map(|x| self.counts[x * s..(x + 1) * s].iter().sum::<usize>()).max().unwrap_or(0);
        let repeated = n.saturating_sub(values) as f64;
        n >= ROWS_PER_VALUE * values
            && -repeated * math::ln(largest as f64 / n as f64) >= NO_ACCIDENT + math::ln(pairs)
    }
}

fn values(raw: &RawTable, kept: &[(&Column, &Verdict)], found: &mut Found) {
    let rows = spread(raw.rows, GLANCE);
    let columns: Vec<(usize, Vec<u8>)> = kept
        .iter()
        .enumerate()
        .filter_map(|(place, &kept)| meanings(kept, raw).map(|meanings| (place, meanings)))
        .collect();
    let glance = |(place, meanings): &(usize, Vec<u8>)| {
        let all = codes(kept[*place].0, meanings);
        rows.iter().map(|&row| all[row]).collect::<Vec<u8>>()
    };
    let glances: Vec<Vec<u8>> = columns.iter().map(glance).collect();
    let pairs = (columns.len() * columns.len()).max(1) as f64;
    // A function of several columns is told of the one with the fewest values.
    let mut functions: BTreeMap<usize, (usize, Twin)> = BTreeMap::new();
    for (j, (later, later_meanings)) in columns.iter().enumerate() {
        for (i, (earlier, earlier_meanings)) in columns[..j].iter().enumerate() {
            if found.tied.contains(&(*earlier, *later)) {
                continue;
            }
            let small = Joint::of(&glances[j], &glances[i]);
            let worth = |joint: &Joint| joint.agree() as f64 >= 0.95 * joint.rows() as f64;
            if !worth(&small) && !worth(&small.turned()) {
                continue;
            }
            let (x, y) = (kept[*later].0, kept[*earlier].0);
            let joint = Joint::of(&codes(x, later_meanings), &codes(y, earlier_meanings));
            let turned = joint.turned();
            let n = joint.rows();
            let (Some(of_later), Some(of_earlier)) = (joint.known(), turned.known()) else { continue };
            if n < FEW_ROWS || 2 * n < raw.rows {
                continue;
            }
            let no_accident = [&joint, &turned].map(|joint| joint.is_no_accident(pairs));
            let agree = joint.agree().min(turned.agree());
            if no_accident == [true; 2]
                && of_later.min(of_earlier) >= NEAR_COPY
                && agree as f64 >= NEARLY_ALL * n as f64
            {
                let relation = if agree == n { Relation::Copy } else { Relation::NearCopy };
                found.add(*later, Twin::new(&x.name, &[&y.name], relation, agree, n));
                continue;
            }
            let sides = [(&joint, of_later, (later, x), y), (&turned, of_earlier, (earlier, y), x)];
            for ((joint, known, (place, x), y), no_accident) in sides.into_iter().zip(no_accident) {
                if known >= FUNCTION && no_accident {
                    let twin = Twin::new(&x.name, &[&y.name], Relation::Function, joint.agree(), n);
                    let states = joint.states.1;
                    match functions.get(place) {
                        Some((fewest, _)) if *fewest <= states => {}
                        _ => drop(functions.insert(*place, (states, twin))),
                    }
                }
            }
        }
    }
    functions.into_iter().for_each(|(place, (_, twin))| found.add(place, twin));
}

// ---- cuts ----------------------------------------------------------------------------------------------------------

/// The most values of a column that is tried as the cut of a number.
const MOST_CUT: usize = 20;

/// Columns that are a number cut into pieces (`bwt < 2500`): every value holds a range of the number of its own, with nothing in between.
fn cuts(raw: &RawTable, kept: &[(&Column, &Verdict)], found: &mut Found) {
    let rows = spread(raw.rows, GLANCE);
    let numbers: Vec<Numbers<'_>> =
        kept.iter().enumerate().filter_map(|(place, &kept)| as_numbers(place, kept, raw, &rows)).collect();
    let pairs = (numbers.len() * kept.len()).max(1) as f64;
    for (place, &(column, verdict)) in kept.iter().enumerate() {
        let few = verdict.distinct.1 && verdict.distinct.0 <= MOST_CUT;
        let Some(meanings) = meanings((column, verdict), raw).filter(|_| few) else { continue };
        let pieces = codes(column, &meanings);
        let glance: Vec<u8> = rows.iter().map(|&row| pieces[row]).collect();
        for number in numbers.iter().filter(|number| number.place != place) {
            if number.distinct < 4 * verdict.distinct.0
                || !Ranges::of(number.glance.iter().copied(), &glance).are_apart()
            {
                continue;
            }
            let ranges = Ranges::of(number.all(), &pieces);
            let n = ranges.rows();
            if n >= FEW_ROWS
                && 2 * n >= raw.rows
                && ranges.are_apart()
                && ranges.are_no_accident(number.distinct, pairs)
            {
                let (name, of) = (&column.name, &number.column.name);
                found.add(place, Twin::new(name, &[of], Relation::Function, n, n));
                break;
            }
        }
    }
}

/// The range of a number for each value of another column: rows, smallest, largest.
struct Ranges(Vec<(usize, f64, f64)>);

impl Ranges {
    fn of(numbers: impl Iterator<Item = f64>, pieces: &[u8]) -> Self {
        let mut ranges = vec![(0, f64::INFINITY, f64::NEG_INFINITY); 256];
        for (value, &piece) in
            numbers.zip(pieces).filter(|(value, piece)| !value.is_nan() && **piece != MISSING)
        {
            let (rows, low, high) = &mut ranges[usize::from(piece)];
            (*rows, *low, *high) = (*rows + 1, low.min(value), high.max(value));
        }
        ranges.retain(|&(rows, ..)| rows > 0);
        ranges.sort_by(|a, b| a.1.total_cmp(&b.1));
        Ranges(ranges)
    }

    fn rows(&self) -> usize {
        self.0.iter().map(|&(rows, ..)| rows).sum()
    }

    fn are_apart(&self) -> bool {
        self.0.len() > 1 && self.0.windows(2).all(|pair| pair[0].2 < pair[1].1)
    }

    /// Of all ways to deal the distinct numbers to k pieces of these sizes, `k!` keep the pieces apart.
    fn are_no_accident(&self, distinct: usize, pairs: f64) -> bool {
        let n = self.rows().min(distinct) as f64;
        let factorial = |x: f64| math::ln_gamma(x + 1.0);
        let sizes = self.0.iter().map(|&(rows, ..)| factorial(rows as f64 / self.rows() as f64 * n));
        let ways = factorial(n) - sizes.sum::<f64>() - factorial(self.0.len() as f64);
        ways >= NO_ACCIDENT + math::ln(pairs)
    }
}

pub(in crate::data) mod calendar;
#[cfg(test)]
mod tests;
