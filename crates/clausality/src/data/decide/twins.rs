//! Columns that say what others say: copies, near copies, and functions of other columns.
//!
//! Two columns are **copies** if each value of one goes with one value of the other; **near copies** if that holds in nearly all rows
//! and little is left to say once the other is known,
//!
//! ```text
//! 1 − H(X|Y)/H(X) ≥ 0.9 and 1 − H(Y|X)/H(Y) ≥ 0.9, in 99 % of the rows
//! ```
//!
//! which agreement alone would not show where one state is rare: two columns that are "no" in 99 % of the rows agree often, and say
//! nothing about each other. X is a **function** of Y if `1 − H(X|Y)/H(X) ≥ 0.99` and Y's values repeat so often that this is no
//! accident: with p the largest share of a value of X, all repetitions of a value of Y agree by chance with probability
//! `p^(rows − values of Y)` at most. Numbers are also tried as `a = k·b + d`, `a = b + c`, `a = b·c`, as weighted sums of more parts
//! (totals, means, indices) and as the largest or smallest of others, each with the room that rounding needs; columns of two states as what
//! turns a number on, and as either-or of others.
//!
//! Values are compared as they stand in the table: columns that merely fall into the same bins are not called copies. A few rows
//! tell which pairs are worth a look at all of them.
//!
//! Everything is judged on the rows that have a value in all columns concerned: half of the table, or a hundred. Where it is less than half,
//! gaps chose the rows, and in a block of them (three towns of sixty) what is the same for a town goes together by chance in however many rows.
//! Then a stretch of rows with the same two values counts as one row, and numbers must have twenty different values there.

mod extremes;
mod flags;
mod many;
mod numbers;
mod order;
mod sums;

pub(in crate::data) use numbers::{Seen, seen};

use crate::data::cells::column::{Cells, Column};
use crate::data::cells::number::{self, Numeral};
use crate::data::decide::groups::is_time;
use crate::data::decide::verdict::Verdict;
use crate::data::read::raw::RawTable;
use crate::data::report::{Kind, NoticeKind};
use crate::data::twin::{Relation, Twin, settle};
use crate::error::Error;
use clausality_bn::{MISSING, math};
use numbers::{Numbers, all, as_numbers, numbers};
use std::collections::{BTreeMap, BTreeSet};

/// Rows that decide whether a pair of columns is looked at in all rows.
const GLANCE: usize = 256;
/// The same for numbers, which agree by chance far more rarely.
const NUMBERS_GLANCE: usize = 64;
/// A column is sparse if all values but one stand in one of so many rows.
const SPARSE: usize = 8;
/// Rows that are remembered of all sparse columns together.
const MOST_SPARSE: usize = 2_000_000;
/// Fewer rows than this show nothing.
const FEW_ROWS: usize = 20;
/// The same of less than half of a table.
const ENOUGH_OF_MANY: usize = 100;
/// Columns with more different values are compared as numbers, and tried as what others follow from.
pub(in crate::data) const MOST_VALUES: usize = 250;
/// Above this many columns of numbers sums and products of two are not searched for.
const MOST_NUMBERS: usize = 200;
/// The share of rows in which near copies, sums and products must hold.
const NEARLY_ALL: f64 = 0.99;
/// What near copies must know of each other, as a share of all there is to know.
const NEAR_COPY: f64 = 0.9;
/// What is known of a function's value.
const FUNCTION: f64 = 0.99;
/// Rows for each value of Y before X may be called its function.
const ROWS_PER_VALUE: usize = 5;
/// The same of the values other than the most frequent.
const COME_AGAIN: usize = 2;
/// −ln of the probability of an accident, for one pair.
const NO_ACCIDENT: f64 = 20.0;
/// Rounding may blur a sum or product by this share of the range of each column, and no more.
const BLUR: f64 = 0.02;

/// The columns that say what others say, in the order of the table; each is named once.
/// Of columns that were put apart `seen` tells what was seen of them, by their place.
pub(in crate::data) fn look<'c>(
    raw: &'c RawTable,
    verdicts: &'c [Verdict],
    seen: &dyn Fn(usize) -> Option<&'c Seen>,
) -> Result<Vec<Twin>, Error> {
    if raw.rows < FEW_ROWS {
        return Ok(Vec::new());
    }
    // A date's parts are known to come from it, and a column that is left out misleads nobody.
    let whole = |verdict: &Verdict| matches!(verdict.variables.as_slice(), [one] if one.part.is_none());
    let places: Vec<usize> = (0..verdicts.len()).filter(|&place| whole(&verdicts[place])).collect();
    let kept: Vec<(&Column, &Verdict)> =
        places.iter().map(|&place| (&raw.columns[place], &verdicts[place])).collect();
    let glanced = spread(raw.rows, GLANCE);
    let numbers_seen: Vec<Numbers<'c>> = {
        let columns = places.iter().zip(&kept).enumerate();
        let number = |(place, (&in_table, &kept)): (usize, (&usize, &(&'c Column, &'c Verdict)))| {
            let (column, verdict) = kept;
            let (meanings, seen) = match seen(in_table) {
                Some(seen) => (Vec::new(), seen.clone()),
                None => {
                    let meanings = as_numbers(kept, raw)?;
                    let seen = Seen::at(all(column, &meanings), &glanced);
                    (meanings, seen)
                }
            };
            Some(Numbers { place, in_table, raw, column, meanings, seen, distinct: verdict.distinct.0 })
        };
        columns.filter_map(number).collect()
    };
    let mut found = Found { rows: raw.rows, ..Found::default() };
    numbers(raw, &numbers_seen, &mut found)?;
    values(raw, &kept, &mut found);
    cuts(raw, &kept, &numbers_seen, &mut found)?;
    many::functions(raw, &kept, &numbers_seen, &mut found)?;
    flags::flags(raw, &kept, &numbers_seen, &mut found)?;
    let mut twins = found.into_twins();
    for place in 0..twins.len() {
        if twins[place].relation != Relation::Function {
            continue;
        }
        let of = twins[place].of[0].clone();
        if is_score(&of, &twins, &kept, raw) {
            twins[place].leave_out = of;
        } else if is_key(&of, &twins, &kept) {
            (twins[place].key, twins[place].leave_out) = (true, of);
        }
    }
    twins.iter_mut().for_each(|twin| twin.tell_of_gaps(raw.rows));
    settle(&mut twins);
    Ok(twins)
}

/// Columns that follow from one of many values make a key of it: whatever is told of somebody once follows from who it is.
const FOLLOWING: usize = 3;
/// So many values are many.
const KEY_VALUES: usize = 20;

/// Whether a column seems to say whose the rows are: each of its values has equally many, or several columns follow from it.
fn is_key(name: &str, twins: &[Twin], kept: &[(&Column, &Verdict)]) -> bool {
    let Some((_, verdict)) = kept.iter().find(|(column, _)| column.name == name) else { return false };
    // Rows of nobody belong together by nothing, and whatever is so of a day is no sign of whose the rows are.
    if verdict.missing > 0 || is_time(name) {
        return false;
    }
    let following = |twin: &&Twin| twin.relation == Relation::Function && twin.of[0] == name;
    verdict.warnings.iter().any(|warning| warning.kind == NoticeKind::Groups)
        || verdict.distinct.0 > KEY_VALUES && twins.iter().filter(following).count() >= FOLLOWING
}

/// Answers that go into one score follow from it.
const IN_A_SCORE: usize = 2;

/// Whether a column is a score of several that follow from it: numbers with decimals name nobody. One that has a copy stays: were both to go,
/// nobody told what they say.
fn is_score(name: &str, twins: &[Twin], kept: &[(&Column, &Verdict)], raw: &RawTable) -> bool {
    let following = |twin: &&Twin| twin.relation == Relation::Function && twin.of[0] == name;
    let found = kept.iter().find(|(column, _)| column.name == name);
    let (Some((column, verdict)), IN_A_SCORE..) = (found, twins.iter().filter(following).count()) else {
        return false;
    };
    let has_copy = twins.iter().any(|twin| twin.is_copy() && twin.columns().any(|column| column == name));
    verdict.kind == Kind::Numeric
        && !has_copy
        && !is_time(name)
        && column.numbers(&raw.marks).into_iter().any(|value| !value.is_nan() && value.fract() != 0.0)
}

/// Twins by the place of the column that repeats others.
#[derive(Default)]
struct Found {
    /// The rows of the table.
    rows: usize,
    twins: BTreeMap<usize, Twin>,
    /// Those that are judged by less than half of the table.
    of_few: BTreeMap<usize, Twin>,
    /// Pairs that are tied as numbers.
    tied: BTreeSet<(usize, usize)>,
}

impl Found {
    fn add(&mut self, place: usize, twin: Twin) {
        let twins = if are_minority(twin.rows, self.rows) { &mut self.of_few } else { &mut self.twins };
        twins.entry(place).or_insert(twin);
    }

    /// Whether something is told of a column already.
    fn is_told(&self, place: usize) -> bool {
        self.twins.contains_key(&place) || self.of_few.contains_key(&place)
    }

    /// Whether two columns are tied as numbers.
    fn are_tied(&self, one: usize, other: usize) -> bool {
        self.tied.contains(&(one.min(other), one.max(other)))
    }

    /// One of each column: what most rows say before what few of them say.
    fn into_twins(mut self) -> Vec<Twin> {
        for (place, twin) in self.of_few {
            self.twins.entry(place).or_insert(twin);
        }
        self.twins.into_values().collect()
    }
}

/// Rows spread evenly over the table.
fn spread(rows: usize, most: usize) -> Vec<usize> {
    let count = rows.min(most);
    (0..count).map(|k| k * rows / count).collect()
}

/// What was seen in rows spread over the table, so ordered that the rows in which numbers are looked at come first: the others are
/// asked where those have gaps.
fn few_first<T: Copy>(seen: &[T]) -> Vec<T> {
    let few = spread(seen.len(), NUMBERS_GLANCE);
    let others = (0..seen.len()).filter(|k| few.binary_search(k).is_err());
    few.iter().copied().chain(others).map(|k| seen[k]).collect()
}

/// Whether so many rows have values in all columns concerned that they may be judged by.
fn are_enough(judged: usize, rows: usize) -> bool {
    judged >= FEW_ROWS && (!are_minority(judged, rows) || judged >= ENOUGH_OF_MANY)
}

/// Whether gaps chose the rows that are judged by, so that they may be any block of the table.
fn are_minority(judged: usize, rows: usize) -> bool {
    2 * judged < rows
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

/// A column that holds one code in nearly all rows: the others, with their rows.
struct Sparse {
    usual: u8,
    others: Vec<(u32, u8)>,
}

impl Sparse {
    /// The column so, unless too many rows hold something else.
    fn of(codes: &[u8]) -> Option<Self> {
        let mut counts = [0usize; 256];
        codes.iter().for_each(|&code| counts[usize::from(code)] += 1);
        let usual = (0..=MISSING).max_by_key(|&code| counts[usize::from(code)])?;
        if SPARSE * (codes.len() - counts[usize::from(usual)]) > codes.len() {
            return None;
        }
        let others = (0..).zip(codes).filter(|(_, code)| **code != usual).map(|(row, &code)| (row, code));
        Some(Sparse { usual, others: others.collect() })
    }
}

/// The rows of each code that is a value, up to the largest.
fn totals(codes: &[u8]) -> Vec<usize> {
    let mut totals = Vec::new();
    for code in codes.iter().filter(|&&code| code != MISSING).map(|&code| usize::from(code)) {
        if totals.len() <= code {
            totals.resize(code + 1, 0);
        }
        totals[code] += 1;
    }
    totals
}

/// One more than the largest code that is a value.
fn states(codes: &[u8]) -> usize {
    codes.iter().filter(|&&code| code != MISSING).max().map_or(0, |&code| usize::from(code) + 1)
}

impl Joint {
    fn of(x: &[u8], y: &[u8]) -> Self {
        let mut joint = Joint::empty((states(x), states(y)));
        x.iter().zip(y).for_each(|(&x, &y)| joint.add(x, y, 1));
        joint
    }

    /// The same where a stretch of rows with the same two values is one: rows in blocks are no cases of their own.
    fn of_stretches(x: &[u8], y: &[u8]) -> Self {
        let mut joint = Joint::empty((states(x), states(y)));
        let mut before = (MISSING, MISSING);
        for (&x, &y) in x.iter().zip(y).filter(|(x, y)| **x != MISSING && **y != MISSING) {
            if std::mem::replace(&mut before, (x, y)) != (x, y) {
                joint.add(x, y, 1);
            }
        }
        joint
    }

    /// The same of a sparse column and any other, of which the rows of each value and the code in a row are known: of rows in which the first is as usual
    /// only how many there are is asked.
    fn of_one_sparse(x: &Sparse, x_states: usize, y_totals: &[usize], y_code: impl Fn(u32) -> u8) -> Self {
        let mut joint = Joint::empty((x_states, y_totals.len()));
        let mut usual = y_totals.to_vec();
        for &(row, code) in &x.others {
            let y = y_code(row);
            joint.add(code, y, 1);
            if y != MISSING {
                usual[usize::from(y)] -= 1;
            }
        }
        (0..).zip(usual).for_each(|(y, rows)| joint.add(x.usual, y, rows));
        joint
    }

    /// The same of two sparse columns with so many rows and states: those in which both are as usual are counted at once.
    fn of_sparse(x: &Sparse, y: &Sparse, rows: usize, states: (usize, usize)) -> Self {
        let mut joint = Joint::empty(states);
        let (mut i, mut j, mut unusual) = (0, 0, 0);
        while i < x.others.len() || j < y.others.len() {
            let row = |sparse: &Sparse, k: usize| sparse.others.get(k).map_or(u32::MAX, |other| other.0);
            let (in_x, in_y) = (row(x, i), row(y, j));
            let x_code = if in_x <= in_y { x.others[i].1 } else { x.usual };
            let y_code = if in_y <= in_x { y.others[j].1 } else { y.usual };
            (i, j) = (i + usize::from(in_x <= in_y), j + usize::from(in_y <= in_x));
            joint.add(x_code, y_code, 1);
            unusual += 1;
        }
        joint.add(x.usual, y.usual, rows - unusual);
        joint
    }

    fn empty(states: (usize, usize)) -> Self {
        Joint { counts: vec![0; states.0 * states.1], states }
    }

    /// So many rows with two codes; those without a value do not count.
    fn add(&mut self, x: u8, y: u8, rows: usize) {
        if x != MISSING && y != MISSING {
            self.counts[usize::from(x) * self.states.1 + usize::from(y)] += rows;
        }
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
        // Where one value is nearly all of Y, the others must come again as well: what occurs once goes with anything.
        let of_y = |y: usize| (0..r).map(|x| self.counts[x * s + y]).sum::<usize>();
        let others = n - (0..s).map(of_y).max().unwrap_or(0);
        n >= ROWS_PER_VALUE * values
            && others >= COME_AGAIN * values.saturating_sub(1)
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
    // Columns that are nearly always the same agree at every glance: wide tables of such are looked at in all rows, pair by pair.
    let mut room = MOST_SPARSE;
    let summed = |(place, meanings): &(usize, Vec<u8>)| {
        let codes = codes(kept[*place].0, meanings);
        let sparse = Sparse::of(&codes).filter(|found| found.others.len() <= room);
        room -= sparse.as_ref().map_or(0, |found| found.others.len());
        (totals(&codes), sparse)
    };
    let summed: Vec<(Vec<usize>, Option<Sparse>)> = columns.iter().map(summed).collect();
    let code = |k: usize, row: u32| {
        let (place, meanings) = &columns[k];
        let Cells::Words { codes, .. } = &kept[*place].0.cells else { return MISSING };
        codes.get(row as usize).and_then(|code| meanings.get(code as usize)).copied().unwrap_or(MISSING)
    };
    // Without gaps that leave fewer of its values nothing follows from a column whose values hardly repeat.
    let repeats = |(totals, _): &(Vec<usize>, Option<Sparse>)| {
        let values = totals.iter().filter(|&&rows| rows > 0).count();
        totals.iter().sum::<usize>() < raw.rows || raw.rows >= ROWS_PER_VALUE * values
    };
    let repeats: Vec<bool> = summed.iter().map(repeats).collect();
    let pairs = (columns.len() * columns.len()).max(1) as f64;
    // A function of several columns is told of the one with the fewest values, where most rows say so.
    let mut functions: BTreeMap<usize, ((bool, usize), Twin)> = BTreeMap::new();
    for (j, (later, later_meanings)) in columns.iter().enumerate() {
        for (i, (earlier, earlier_meanings)) in columns[..j].iter().enumerate() {
            if found.are_tied(*earlier, *later) || !repeats[i] && !repeats[j] {
                continue;
            }
            let small = Joint::of(&glances[j], &glances[i]);
            let worth = |joint: &Joint| joint.agree() as f64 >= 0.95 * joint.rows() as f64;
            if !worth(&small) && !worth(&small.turned()) {
                continue;
            }
            let (x, y) = (kept[*later].0, kept[*earlier].0);
            let ((of_j, sparse_j), (of_i, sparse_i)) = (&summed[j], &summed[i]);
            let joint = match (sparse_j, sparse_i) {
                (Some(x), Some(y)) => Joint::of_sparse(x, y, raw.rows, (of_j.len(), of_i.len())),
                (Some(x), None) => Joint::of_one_sparse(x, of_j.len(), of_i, |row| code(i, row)),
                (None, Some(y)) => Joint::of_one_sparse(y, of_i.len(), of_j, |row| code(j, row)).turned(),
                (None, None) => Joint::of(&codes(x, later_meanings), &codes(y, earlier_meanings)),
            };
            let turned = joint.turned();
            let n = joint.rows();
            let (Some(of_later), Some(of_earlier)) = (joint.known(), turned.known()) else { continue };
            if !are_enough(n, raw.rows) || of_later.max(of_earlier) < NEAR_COPY {
                continue;
            }
            let mut no_accident = [&joint, &turned].map(|joint| joint.is_no_accident(pairs));
            if are_minority(n, raw.rows) && no_accident != [false; 2] {
                let stretches = Joint::of_stretches(&codes(x, later_meanings), &codes(y, earlier_meanings));
                no_accident[0] &= stretches.is_no_accident(pairs);
                no_accident[1] &= stretches.turned().is_no_accident(pairs);
            }
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
                    let rank = (are_minority(n, raw.rows), joint.states.1);
                    match functions.get(place) {
                        Some((least, _)) if *least <= rank => {}
                        _ => drop(functions.insert(*place, (rank, twin))),
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
fn cuts(
    raw: &RawTable,
    kept: &[(&Column, &Verdict)],
    numbers: &[Numbers<'_>],
    found: &mut Found,
) -> Result<(), Error> {
    let rows = spread(raw.rows, GLANCE);
    let pairs = (numbers.len() * kept.len()).max(1) as f64;
    for (place, &(column, verdict)) in kept.iter().enumerate() {
        let few = verdict.distinct.1 && verdict.distinct.0 <= MOST_CUT;
        let Some(meanings) = meanings((column, verdict), raw).filter(|_| few) else { continue };
        let pieces = codes(column, &meanings);
        let glance = few_first(&rows.iter().map(|&row| pieces[row]).collect::<Vec<u8>>());
        for number in numbers.iter().filter(|number| number.place != place) {
            let seen = Ranges::of(number.seen.values.iter().copied(), &glance);
            // Where gaps leave hardly a row to look at, all are asked.
            let may_be = seen.are_apart() || seen.rows() < FEW_ROWS && !seen.overlap();
            if number.distinct < 4 * verdict.distinct.0 || !may_be {
                continue;
            }
            let ranges = Ranges::of(number.all()?, &pieces);
            let n = ranges.rows();
            if are_enough(n, raw.rows)
                && ranges.are_pieces()
                && ranges.are_apart()
                && ranges.are_no_accident(cases(number, &pieces, n, raw.rows)?, pairs)
            {
                let (name, of) = (&column.name, &number.column.name);
                found.add(place, Twin::new(name, &[of], Relation::Function, n, n));
                break;
            }
        }
    }
    Ok(())
}

/// Different numbers among the rows that have a piece too. Where gaps left few rows, no more than stretches of one piece: in a block of
/// rows numbers that rise with the rows hold any pieces apart.
fn cases(number: &Numbers<'_>, pieces: &[u8], judged: usize, rows: usize) -> Result<usize, Error> {
    if judged == rows {
        return Ok(number.distinct);
    }
    let both = number.all()?.zip(pieces).filter(|(value, piece)| !value.is_nan() && **piece != MISSING);
    let both: Vec<(f64, u8)> = both.map(|(value, &piece)| (value, piece)).collect();
    let stretches = both.chunk_by(|a, b| a.1 == b.1).count();
    let mut different: Vec<f64> = both.into_iter().map(|(value, _)| value).collect();
    different.sort_unstable_by(f64::total_cmp);
    different.dedup();
    let most = if are_minority(judged, rows) { stretches } else { judged };
    Ok(different.len().min(most))
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

    /// Two pieces at least are no single rows: any row at the end of a range is apart from all others.
    fn are_pieces(&self) -> bool {
        self.0.iter().filter(|&&(rows, ..)| rows >= ROWS_PER_VALUE).count() > 1
    }

    fn are_apart(&self) -> bool {
        self.0.len() > 1 && !self.overlap()
    }

    fn overlap(&self) -> bool {
        self.0.windows(2).any(|pair| pair[0].2 >= pair[1].1)
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
