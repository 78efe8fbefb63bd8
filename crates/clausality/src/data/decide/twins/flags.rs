//! What columns of two states make of others: `urb_educ = urban × educ`, and "any is yes where a or b is yes".
//!
//! A **number where a flag is on** is 0 in the rows of one state and what another number is in those of the other. An **either-or** is in one of its
//! states exactly where two or three other columns are in one of theirs, which says "both" as well: where neither is no, both are yes.
//!
//! No coincidence: each of the others must be the only reason in [`ALONE`] stretches of rows or more, and of all ways to choose these among the
//! stretches without any reason one is right,
//!
//! ```text
//! ln C(alone + none, alone) ≥ 20 + ln(ways to choose the columns)
//! ```
//!
//! Stretches, because what is the same for somebody is so in all rows about him. And it must be so in every row: an either-or with exceptions is an
//! opinion, which is what a network is for.

use super::numbers::{Numbers, Tally, same};
use super::{
    FEW_ROWS, Found, GLANCE, MOST_NUMBERS, NO_ACCIDENT, are_enough, are_minority, codes, few_first, meanings,
    spread,
};
use crate::data::cells::column::{Cells, Column};
use crate::data::cells::number::Numeral;
use crate::data::decide::verdict::Verdict;
use crate::data::read::raw::RawTable;
use crate::data::twin::{Relation, Twin};
use crate::error::Error;
use crate::words::{and, or};
use clausality_bn::{MISSING, math};

/// Columns of two states that are looked at, the first in the table.
const MOST_FLAGS: usize = 128;
/// Rows in which reasons are searched for; all rows decide.
const SEARCHED: usize = 1 << 15;
/// Stretches of rows in which a reason must be the only one, or there must be none.
const ALONE: usize = 8;
/// Reasons of an either-or.
const MOST_REASONS: usize = 3;
/// What a number is where its flag is on, and nothing where it is off, in this share of the rows of either.
const EITHER: f64 = 0.95;

/// Columns of two states, what they make of numbers, and what they make of each other.
pub(super) fn flags(
    raw: &RawTable,
    kept: &[(&Column, &Verdict)],
    numbers: &[Numbers<'_>],
    found: &mut Found,
) -> Result<(), Error> {
    let flags = (0..kept.len()).filter_map(|place| Flag::of(place, kept[place], raw));
    let flags: Vec<Flag<'_>> = flags.take(MOST_FLAGS).collect();
    gated(raw.rows, numbers, &flags, found)?;
    either(raw.rows, &flags, found);
    Ok(())
}

/// A column of two states.
struct Flag<'c> {
    place: usize,
    column: &'c Column,
    /// The state of each distinct text: 0, 1 or [`MISSING`].
    meanings: Vec<u8>,
    /// Of two numbers the smaller one first.
    labels: [String; 2],
    /// Whether the states are the numbers 0 and 1.
    is_number: bool,
}

impl<'c> Flag<'c> {
    fn of(place: usize, kept: (&'c Column, &Verdict), raw: &RawTable) -> Option<Self> {
        let (column, verdict) = kept;
        let Cells::Words { words, .. } = &column.cells else { return None };
        if verdict.distinct != (2, true) {
            return None;
        }
        let mut meanings = meanings(kept, raw)?;
        // Rows that were left out may have left texts behind.
        let mut present: Vec<u8> = codes(column, &meanings);
        present.sort_unstable();
        present.dedup();
        present.retain(|&code| code != MISSING);
        let &[first, second] = present.as_slice() else { return None };
        let word = |code: u8| words.iter().zip(&meanings).find(|(_, meaning)| **meaning == code);
        let texts = [word(first)?.0, word(second)?.0];
        let values = texts.map(|text| match column.numeral(text) {
            Numeral::Finite(value) => Some(value),
            _ => None,
        });
        let [low, high] = texts.map(|text| String::from_utf8_lossy(text).into_owned());
        let turned = match values {
            [Some(one), Some(other)] => one > other,
            _ => is_negative(&high) && !is_negative(&low),
        };
        let (zero, one) = if turned { (second, first) } else { (first, second) };
        for meaning in &mut meanings {
            *meaning = if *meaning == zero {
                0
            } else if *meaning == one {
                1
            } else {
                MISSING
            };
        }
        let labels = if turned { [high, low] } else { [low, high] };
        let mut values = values.map(|value| value.unwrap_or(f64::NAN));
        values.sort_by(f64::total_cmp);
        Some(Flag { place, column, meanings, labels, is_number: values == [0.0, 1.0] })
    }

    fn states(&self) -> Vec<u8> {
        codes(self.column, &self.meanings)
    }

    fn name(&self) -> &str {
        &self.column.name
    }
}

/// Whether a state says that something is not so.
fn is_negative(label: &str) -> bool {
    let label = label.trim().to_lowercase();
    let digits = label.split(|c: char| !c.is_ascii_digit()).next().unwrap_or_default();
    digits.parse() == Ok(0u64)
        || ["no", "n", "not", "none", "never", "false", "f", "off", "absent", "negative"].contains(&&*label)
}

/// ln C(a + b, a).
fn ways(a: usize, b: usize) -> f64 {
    let factorial = |x: usize| math::ln_gamma(x as f64 + 1.0);
    factorial(a + b) - factorial(a) - factorial(b)
}

// ---- a number where a flag is on -----------------------------------------------------------------------------------

/// Numbers that are another number where a flag is on, and 0 where it is off.
fn gated(rows: usize, numbers: &[Numbers<'_>], flags: &[Flag<'_>], found: &mut Found) -> Result<(), Error> {
    if numbers.len() > MOST_NUMBERS || flags.is_empty() {
        return Ok(());
    }
    let glanced = spread(rows, GLANCE);
    let glance = |flag: &Flag<'_>| {
        let all = flag.states();
        few_first(&glanced.iter().map(|&row| all[row]).collect::<Vec<u8>>())
    };
    let glances: Vec<Vec<u8>> = flags.iter().map(glance).collect();
    let chosen = math::ln((numbers.len() * numbers.len() * flags.len()) as f64);
    for made in numbers {
        for of in numbers.iter().filter(|of| of.place != made.place) {
            if found.is_told(made.place) || found.are_tied(made.place, of.place) {
                continue;
            }
            let mut seen = Gated::default();
            let values = made.seen.values.iter().zip(&of.seen.values);
            values.for_each(|(&made, &of)| seen.add(made, of, None));
            if seen.tally.misses() > 2 || seen.on.rows < ALONE || seen.off.rows < ALONE {
                continue;
            }
            for (flag, glance) in flags.iter().zip(&glances) {
                for on in [1, 0] {
                    let mut seen = Gated::default();
                    let values = made.seen.values.iter().zip(&of.seen.values).zip(glance);
                    for ((&made, &of), &state) in values.filter(|(_, state)| **state != MISSING) {
                        seen.add(made, of, Some(state == on));
                    }
                    if seen.tally.misses() > 2 || seen.on.rows < ALONE || seen.off.rows < ALONE {
                        continue;
                    }
                    let mut all = Gated::default();
                    for ((made, of), state) in made.all()?.zip(of.all()?).zip(flag.states()) {
                        if state != MISSING {
                            all.add(made, of, Some(state == on));
                        }
                    }
                    if all.is_tie(rows, chosen, largest_share(&of.seen.values)) {
                        found.add(made.place, told_gated(made, of, flag, on, all.tally));
                    }
                }
            }
        }
    }
    Ok(())
}

/// How the rows of two numbers say that the first is the second where a flag is on, else 0.
#[derive(Default)]
struct Gated {
    tally: Tally,
    /// Rows in which the second number is not 0 and the flag is on, or off.
    on: Tally,
    off: Tally,
}

impl Gated {
    /// One row; without a flag the number itself shows whether it would be on.
    fn add(&mut self, made: f64, of: f64, on: Option<bool>) {
        if made.is_nan() || of.is_nan() {
            return;
        }
        let on = on.unwrap_or(made != 0.0);
        let holds = same(made, if on { of } else { 0.0 }, 0.0);
        self.tally.add(Some(holds));
        if of != 0.0 {
            if on { &mut self.on } else { &mut self.off }.add(Some(holds));
        }
    }

    fn is_tie(&self, rows: usize, chosen: f64, largest: f64) -> bool {
        let holds = |side: &Tally| side.rows >= FEW_ROWS && side.agree as f64 >= EITHER * side.rows as f64;
        let no_accident = NO_ACCIDENT + chosen;
        self.tally.nearly_all(rows)
            && !are_minority(self.tally.rows, rows)
            && holds(&self.on)
            && holds(&self.off)
            && ways(self.on.rows, self.off.rows) >= no_accident
            && -(self.on.rows as f64) * math::ln(largest) >= no_accident
    }
}

/// The share of the most frequent of some values.
fn largest_share(values: &[f64]) -> f64 {
    let mut known: Vec<f64> = values.iter().copied().filter(|value| !value.is_nan()).collect();
    known.sort_unstable_by(f64::total_cmp);
    let most = known.chunk_by(|a, b| a == b).map(<[f64]>::len).max().unwrap_or(0);
    most as f64 / known.len().max(1) as f64
}

fn told_gated(made: &Numbers<'_>, of: &Numbers<'_>, flag: &Flag<'_>, on: u8, tally: Tally) -> Twin {
    let (name, number, label) = (&made.column.name, &of.column.name, &flag.labels[usize::from(on)]);
    let formula = match flag.is_number && on == 1 {
        true => format!("{name} = {} × {number}", flag.name()),
        false => format!("{name} = {number} where {} is {label} and 0 elsewhere", flag.name()),
    };
    let of = [flag.name(), number];
    Twin::new(name, &of, Relation::Product, tally.agree, tally.rows).saying(formula)
}

// ---- either-or -----------------------------------------------------------------------------------------------------

/// A state of a column of two, which may be a reason: the flag's place among the flags, and the state.
type Reason = (usize, u8);

/// What a column of two states is in one of them for.
struct Either {
    made: Reason,
    reasons: Vec<Reason>,
}

/// Columns of two states that are in one of them where one of two or three others is.
fn either(rows: usize, flags: &[Flag<'_>], found: &mut Found) {
    let searched = spread(rows, SEARCHED);
    let bits: Vec<Bits> = flags.iter().map(|flag| Bits::of(&flag.states(), &searched)).collect();
    let mut all: Vec<Either> = Vec::new();
    for (place, flag) in flags.iter().enumerate() {
        if !found.is_told(flag.place) {
            all.extend([1, 0].into_iter().filter_map(|state| reasons((place, state), &bits)));
        }
    }
    // Where a column that is none of two others is told, that one of those is none of the rest need not be: what says yes because others do comes first,
    // and of two such the later column.
    let words = |either: &Either| {
        let negative = |&(place, state): &Reason| is_negative(&flags[place].labels[usize::from(state)]);
        let negatives = either.reasons.iter().filter(|reason| negative(reason)).count();
        let made = usize::from(negative(&either.made));
        // "Neither" is "both" of the opposites: what matters is that all say the same.
        let mixed = (made + negatives) % (1 + either.reasons.len()) != 0;
        (mixed, either.reasons.len(), std::cmp::Reverse(either.made.0))
    };
    all.sort_by_key(words);
    let chosen = |either: &Either| (1 + either.reasons.len()) as f64 * math::ln(2.0 * flags.len() as f64);
    let mut told: Vec<Vec<usize>> = Vec::new();
    for either in all {
        let mut columns: Vec<usize> = either.reasons.iter().map(|reason| reason.0).collect();
        columns.push(either.made.0);
        columns.sort_unstable();
        if told.contains(&columns) || found.is_told(flags[either.made.0].place) {
            continue;
        }
        let Some(judged) = holds(&either, flags, rows, chosen(&either)) else { continue };
        found.add(flags[either.made.0].place, told_either(&either, flags, judged));
        told.push(columns);
    }
}

/// Which rows are in either state of a column.
struct Bits([Vec<u64>; 2]);

impl Bits {
    fn of(states: &[u8], rows: &[usize]) -> Self {
        let mut bits = [vec![0u64; rows.len().div_ceil(64)], vec![0u64; rows.len().div_ceil(64)]];
        for (k, &row) in rows.iter().enumerate() {
            if let Some(state) = bits.get_mut(usize::from(states[row])) {
                state[k / 64] |= 1 << (k % 64);
            }
        }
        Bits(bits)
    }

    fn of_state(&self, state: u8) -> &[u64] {
        &self.0[usize::from(state)]
    }
}

fn both<'b>(one: &'b [u64], other: &'b [u64]) -> impl Iterator<Item = u64> + 'b {
    one.iter().zip(other).map(|(a, b)| a & b)
}

fn count(bits: impl Iterator<Item = u64>) -> usize {
    bits.map(|word| word.count_ones() as usize).sum()
}

/// Two or three states of others of which one is there exactly where this state is, as few and as frequent as there are.
fn reasons(made: Reason, bits: &[Bits]) -> Option<Either> {
    let (is, is_not) = (bits[made.0].of_state(made.1), bits[made.0].of_state(1 - made.1));
    let mut sufficient: Vec<(usize, Reason)> = Vec::new();
    for reason in (0..bits.len()).filter(|&other| other != made.0).flat_map(|other| [(other, 1), (other, 0)])
    {
        let state = bits[reason.0].of_state(reason.1);
        if both(state, is_not).all(|word| word == 0) {
            let rows = count(both(state, is));
            sufficient.extend((rows >= ALONE).then_some((rows, reason)));
        }
    }
    sufficient.sort_by_key(|&(rows, reason)| (std::cmp::Reverse(rows), reason));
    // A row in which another column has a gap shows nothing, so that only rows of the opposite state contradict.
    let open = |of: &[u64], (place, state): Reason| -> Vec<u64> {
        of.iter().zip(bits[place].of_state(1 - state)).map(|(open, not)| open & not).collect()
    };
    // Most columns are in their state in rows in which no other column says why.
    let mut left = is.to_vec();
    for &(_, reason) in &sufficient {
        left = open(&left, reason);
    }
    if sufficient.len() < 2 || left.iter().any(|&word| word != 0) {
        return None;
    }
    let mut chosen = Vec::new();
    (2..=MOST_REASONS).find_map(|most| {
        chosen.clear();
        covers(is.to_vec(), &sufficient, most, &open, &mut chosen)
            .then(|| Either { made, reasons: chosen.clone() })
    })
}

/// Whether so many of the reasons leave no row open; remembers which.
fn covers(
    is: Vec<u64>,
    reasons: &[(usize, Reason)],
    most: usize,
    open: &dyn Fn(&[u64], Reason) -> Vec<u64>,
    chosen: &mut Vec<Reason>,
) -> bool {
    let left = count(is.iter().copied());
    for (k, &(rows, reason)) in reasons.iter().enumerate() {
        // All that follow are in fewer rows.
        if left == 0 || rows * most < left {
            return false;
        }
        let rest = open(&is, reason);
        let still = count(rest.iter().copied());
        if left - still < ALONE {
            continue;
        }
        chosen.push(reason);
        let done = match most {
            1 => still == 0,
            _ => covers(rest, &reasons[k + 1..], most - 1, open, chosen),
        };
        if done {
            return true;
        }
        chosen.pop();
    }
    false
}

/// The rows that say so, which are all that have values in all columns; nothing where one does not, or where it may be chance.
fn holds(either: &Either, flags: &[Flag<'_>], rows: usize, chosen: f64) -> Option<usize> {
    let made = flags[either.made.0].states();
    let others: Vec<Vec<u8>> = either.reasons.iter().map(|reason| flags[reason.0].states()).collect();
    let (mut judged, mut before) = (0, None);
    // Stretches without a reason, and with one alone; rows with each.
    let (mut none, mut alone, mut single) = (0, vec![0; others.len()], 0);
    for row in 0..rows {
        if made[row] == MISSING || others.iter().any(|other| other[row] == MISSING) {
            continue;
        }
        judged += 1;
        let mut there = others.iter().zip(&either.reasons).map(|(other, reason)| other[row] == reason.1);
        let pattern =
            there.by_ref().enumerate().fold(0usize, |pattern, (k, is)| pattern | usize::from(is) << k);
        if (pattern != 0) != (made[row] == either.made.1) {
            return None;
        }
        single += usize::from(pattern.count_ones() == 1);
        if before.replace(pattern) != Some(pattern) {
            match pattern.count_ones() {
                0 => none += 1,
                1 => alone[pattern.trailing_zeros() as usize] += 1,
                _ => {}
            }
        }
    }
    let needed =
        |&alone: &usize| alone >= ALONE && none >= ALONE && ways(alone, none) >= NO_ACCIDENT + chosen;
    // Neighbours of which one is 1 in every row are told as one column.
    let exclusive = made.iter().filter(|&&state| state == either.made.1).count() == single;
    let is_dummy = exclusive && either.made.1 == 0 && either.reasons.iter().all(|reason| reason.1 == 1);
    let places = || either.reasons.iter().chain([&either.made]).map(|reason| flags[reason.0].place);
    let beside = places().max()? - places().min()? == either.reasons.len();
    (are_enough(judged, rows)
        && !are_minority(judged, rows)
        && alone.iter().all(needed)
        && !(is_dummy && beside))
        .then_some(judged)
}

fn told_either(either: &Either, flags: &[Flag<'_>], judged: usize) -> Twin {
    let label = |(place, state): Reason| flags[place].labels[usize::from(state)].as_str();
    let name = |(place, _): Reason| flags[place].name();
    // It is no where one of these is: it is yes where none of them is.
    let (made, mut reasons) = (either.made, either.reasons.clone());
    let opposite = |(place, state): Reason| (place, 1 - state);
    let turned = is_negative(label(made));
    let made = if turned { opposite(made) } else { made };
    if turned {
        reasons.iter_mut().for_each(|reason| *reason = opposite(*reason));
    }
    reasons.sort_by_key(|reason| flags[reason.0].place);
    let verb = if turned { "are" } else { "is" };
    let listed = |words: &[&str]| if turned { and(words) } else { or(words) };
    let alike = reasons.iter().all(|&reason| label(reason) == label(reasons[0]));
    let names: Vec<&str> = reasons.iter().map(|&reason| name(reason)).collect();
    let why = match alike {
        true => format!("{} {verb} {}", listed(&names), label(reasons[0])),
        false => {
            let each: Vec<String> =
                reasons.iter().map(|&reason| format!("{} is {}", name(reason), label(reason))).collect();
            listed(&each.iter().map(String::as_str).collect::<Vec<&str>>())
        }
    };
    let formula = format!("{} is {} where {why}", name(made), label(made));
    Twin::new(name(made), &names, Relation::Extreme, judged, judged).saying(formula)
}

#[cfg(test)]
mod tests {
    use super::super::tests::{told, twins};
    use super::*;
    use clausality_bn::random::Stream;

    fn formulas(found: &[Twin]) -> Vec<&str> {
        found.iter().filter_map(|twin| twin.formula.as_deref()).collect()
    }

    #[test]
    fn a_number_that_a_flag_turns_on_is_told() {
        let table = |slips: usize| {
            twins("urban,educ,urb_educ,price,promo,promo_price,age", 600, |k, stream| {
                let (urban, educ) = (stream.below(2), stream.below(20));
                let (price, promo) = (1.0 + stream.below(9000) as f64 / 100.0, stream.below(10) < 4);
                let slip = if k < slips { 1 } else { 0 };
                let of_promo = if promo { format!("{price:.2}") } else { "0".into() };
                let promo = ["no", "yes"][usize::from(promo)];
                format!(
                    "{urban},{educ},{},{price:.2},{promo},{of_promo},{}",
                    urban * educ + slip,
                    stream.below(60)
                )
            })
        };
        let both = ["urb_educ = urban × educ", "promo_price = price where promo is yes and 0 elsewhere"];
        assert_eq!(formulas(&table(0)), both);
        assert!(table(0).iter().all(|twin| ["urb_educ", "promo_price"].contains(&&*twin.leave_out)));
        assert_eq!(formulas(&table(4)), both, "a few slips are slips");
        assert_eq!(formulas(&table(60)), both[1..]);
    }

    /// Whoever smokes says how much: the zeros follow from the answer, and what is not zero from nothing.
    #[test]
    fn a_number_that_is_nothing_at_times_is_not_turned_on() {
        let found = twins("smokes,packs,other,sex", 800, |_, stream| {
            let smokes = stream.below(2);
            format!("{smokes},{},{},{}", smokes * (1 + stream.below(9)), 1 + stream.below(9), stream.below(2))
        });
        assert_eq!(formulas(&found), Vec::<&str>::new());
    }

    fn yes(is: bool) -> &'static str {
        if is { "yes" } else { "no" }
    }

    #[test]
    fn either_and_both_are_told() {
        let found = twins("a,b,c,any,both,age,three", 900, |_, stream| {
            let [a, b, c] = [0, 1, 2].map(|_| stream.below(4) == 0);
            let age = 20 + stream.below(50);
            format!(
                "{},{},{},{},{},{age},{}",
                yes(a),
                yes(b),
                yes(c),
                yes(a || b),
                yes(b && c),
                u8::from(a || b || c)
            )
        });
        assert_eq!(
            formulas(&found),
            [
                "any is yes where a or b is yes",
                "both is yes where b and c are yes",
                "three is 1 where c or any is yes",
            ]
        );
        assert_eq!(found[0].sentence(), "any is yes where a or b is yes in all 900 rows");
        assert_eq!(
            (found[0].of.as_slice(), &*found[0].leave_out),
            (&["a".to_string(), "b".to_string()][..], "any")
        );
        // Three reasons, gaps in one of them, and one that is a no.
        let found = twins("none,a,b,c,any", 900, |_, stream| {
            let [none, a, b, c] = [0, 1, 2, 3].map(|_| stream.below(4) == 0);
            let gap = if stream.below(10) == 0 { "" } else { yes(b) };
            format!("{},{},{gap},{},{}", yes(none), yes(a), yes(c), yes(a || b || !c))
        });
        assert_eq!(formulas(&found), ["any is yes where a is yes, b is yes or c is no"]);
    }

    /// A stent is of one kind or the other: that either kind is there where a stent is and the other kind is not says no more.
    #[test]
    fn kinds_are_told_as_the_whole_and_once() {
        let found = twins("early,stent,late,sex", 600, |_, stream| {
            let (kind, sex) = (stream.below(3), stream.below(2));
            format!("{},{},{},{sex}", yes(kind == 1), yes(kind != 0), yes(kind == 2))
        });
        assert_eq!(formulas(&found), ["stent is yes where early or late is yes"]);
        // One column written as three is told as that, where they stand together.
        let apart = |header: &str, cells: fn([u8; 3], u64) -> String| {
            twins(header, 600, |_, stream| {
                let (kind, sex) = (stream.below(3), stream.below(2));
                cells([0, 1, 2].map(|one| u8::from(kind == one)), sex)
            })
        };
        assert_eq!(apart("x,y,z,sex", |[x, y, z], sex| format!("{x},{y},{z},{sex}")), []);
        let found = apart("x,y,sex,z", |[x, y, z], sex| format!("{x},{y},{sex},{z}"));
        assert_eq!(formulas(&found), ["z is 1 where x and y are 0"]);
    }

    #[test]
    fn either_by_chance_is_none() {
        let silent = |rows: usize, row: fn(usize, &mut Stream) -> [bool; 4]| {
            let found = twins("a,b,any,d", rows, |k, stream| row(k, stream).map(yes).join(","));
            assert_eq!(told(&found), []);
        };
        // One row in a hundred says otherwise.
        silent(900, |k, stream| {
            let [a, b, d] = [0, 1, 2].map(|_| stream.below(3) == 0);
            [a, b, (a || b) ^ (k % 100 == 50), d]
        });
        // The second reason is alone in six rows.
        silent(200, |k, stream| {
            let (a, b) = (stream.below(3) == 0 && k % 33 != 7, k % 33 == 7);
            [a, b, a || b, stream.below(2) == 0]
        });
        // Ten people of ninety rows each, of whom as many have it as one would think.
        silent(900, |k, stream| {
            let person = k / 90;
            let (a, b) = (person % 5 == 0, person % 4 == 1);
            [a, b, a || b, stream.below(2) == 0]
        });
        // Two of three answers rule each other out.
        silent(900, |_, stream| {
            let kind = stream.below(4);
            [kind == 0, kind == 1, kind == 2, stream.below(2) == 0]
        });
    }
}
