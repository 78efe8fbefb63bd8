//! Columns that act only together, where machines see nothing: a second look at silent targets of windows of time.
//!
//! Every lag multiplies the features, and of three among eighty that say nothing alone, nor by two, small machines find nothing. Their parity says it
//! all. Every column is cut in two, as evenly as its states allow; of a target's bit y and all pairs and triples of other bits
//!
//! ```text
//! p = a ⊕ b (⊕ c)        χ² = n (n·n_py − n_p n_y)² / (n_p (n − n_p) n_y (n − n_y))
//! ```
//!
//! is large by luck with probability below e^(−χ²/2). A set is believed where that, times the number of sets, is below [`LUCK`]; the machines then look
//! again, at the columns of the best sets alone, and what they cannot predict stays silent.
//!
//! Other functions of three columns than parity have a part that one or two of them tell (Walsh 1923: a function of bits is a sum of parities of
//! some of them), and are left to the machines and the search.
//!
//! Complexity: O(f³ · n / 64) for f columns and n rows, with f ≤ [`MOST_COLUMNS`] and n ≤ [`ROWS`].

use super::bench::Bench;
use super::result::{Strengths, Target, Warning};
use super::screen::Screen;
use super::settings::StrengthSettings;
use crate::Error;
use crate::folder::Kept;
use crate::time::Runs;
use crate::watch::{Watch, go_on};
use clausality_bn::Table;
use clausality_bn::math::ln;
use rayon::prelude::*;

/// Words of 64 rows that are looked at.
const WORDS: usize = 32;
/// Rows that are looked at, at most, evenly spread: a parity that a network should have shows in so many.
const ROWS: usize = 64 * WORDS;
/// The most columns of which triples are looked at: the steps nearest to now that hold no more.
const MOST_COLUMNS: usize = 240;
/// The sets of a target that are believed, at most.
const MOST_SETS: usize = 3;
/// How probable it may be that any set of a target is believed by luck.
const LUCK: f64 = 1e-3;

/// A column cut in two: a bit a row.
type Bits = [u64; WORDS];

/// Columns that may act together, and how surely.
#[derive(Debug, Clone, PartialEq)]
struct Together {
    chi: f64,
    /// By place among the columns that are looked at, ascending.
    columns: Vec<u32>,
}

/// The strengths with another look at the targets that nothing predicts.
pub(super) fn look_again(
    mut found: Strengths,
    table: &Table,
    runs: &Runs,
    settings: &StrengthSettings,
    seed: u64,
    watch: &dyn Watch,
) -> Result<Strengths, Error> {
    let silent = found.targets.iter().filter(|target| target.accuracy.is_some_and(|a| !a.signal));
    let silent: Vec<usize> = silent.filter_map(|target| table.schema().index(&target.name)).collect();
    let shown = acting_together(table, runs, &silent, watch)?;
    if shown.is_empty() {
        return Ok(found);
    }
    let all = Bench::new(table, settings, seed, watch)?;
    let bench = Bench { runs: Some(runs), screen: Screen::only(shown), ..all };
    let again = bench.merge(bench.fit_left(Kept::default(), watch)?)?;
    for target in again.targets.into_iter().filter(Target::signal) {
        let silence = |warning: &Warning| matches!(warning, Warning::NoSignal { target: silent, .. } if *silent == target.name);
        found.warnings.retain(|warning| !silence(warning));
        if let Ok(place) = found.targets.binary_search_by(|known| known.name.cmp(&target.name)) {
            found.targets[place] = target;
        }
    }
    Ok(found)
}

/// The columns that act together on each of these targets, by place in the schema; targets without any are left out.
fn acting_together(
    table: &Table,
    runs: &Runs,
    targets: &[usize],
    watch: &dyn Watch,
) -> Result<Vec<(usize, Vec<usize>)>, Error> {
    let columns = nearest(table, runs);
    let step = table.rows().div_ceil(ROWS).max(1);
    let rows: Vec<usize> = (0..table.rows()).step_by(step).collect();
    let halves: Vec<Bits> = columns.iter().map(|&v| halved(table, v, &rows)).collect();
    let heard: Vec<Heard> = targets.iter().map(|&v| Heard::new(table, v, &columns, &rows)).collect();
    if columns.len() < 2 || heard.is_empty() {
        return Ok(Vec::new());
    }
    let n = columns.len() as f64;
    let sets = n * (n - 1.0) / 2.0 * (1.0 + (n - 2.0) / 3.0);
    let least = 2.0 * ln(sets / LUCK);
    let with_first = |first: usize| {
        go_on(watch)?;
        Ok(sought(&halves, &heard, first, rows.len(), least))
    };
    let found: Vec<Vec<Vec<Together>>> =
        (0..columns.len()).into_par_iter().map(with_first).collect::<Result<_, Error>>()?;
    let of = |(place, heard): (usize, &Heard)| {
        let mut best: Vec<Together> = found.iter().flat_map(|by_target| by_target[place].clone()).collect();
        best.sort_by(stronger);
        best.truncate(MOST_SETS);
        let mut acting: Vec<usize> =
            best.iter().flat_map(|set| &set.columns).map(|&column| columns[column as usize]).collect();
        acting.sort_unstable();
        acting.dedup();
        (heard.target, acting)
    };
    Ok(heard.iter().enumerate().map(of).filter(|(_, acting)| !acting.is_empty()).collect())
}

/// The stronger first; equals in the order of names.
fn stronger(a: &Together, b: &Together) -> std::cmp::Ordering {
    b.chi.total_cmp(&a.chi).then_with(|| a.columns.cmp(&b.columns))
}

/// The columns of the steps nearest to now, as many whole steps as there is room for, in the order of names.
fn nearest(table: &Table, runs: &Runs) -> Vec<usize> {
    let all = table.schema().len();
    let from = match runs.now.len() {
        _ if all <= MOST_COLUMNS => 0,
        0 => all,
        width => all - MOST_COLUMNS / width * width,
    };
    table.schema().in_name_order().into_iter().filter(|&v| v >= from).collect()
}

/// The states of a column in two halves, as even as their order allows: whether each row is in the upper one. A gap is in the lower.
fn halved(table: &Table, column: usize, rows: &[usize]) -> Bits {
    let codes = table.column(column);
    let mut counts = vec![0usize; table.schema().variable(column).cardinality()];
    for &row in rows {
        if let Some(count) = counts.get_mut(usize::from(codes[row])) {
            *count += 1;
        }
    }
    let all: usize = counts.iter().sum();
    let mut below = 0;
    let unevenness = counts.iter().map(|count| {
        below += count;
        (2 * below).abs_diff(all)
    });
    let last = unevenness.enumerate().min_by_key(|&(_, uneven)| uneven).map_or(0, |(state, _)| state);
    let mut bits = [0; WORDS];
    for (place, &row) in rows.iter().enumerate() {
        let code = usize::from(codes[row]);
        bits[place / 64] |= u64::from(code > last && code < counts.len()) << (place % 64);
    }
    bits
}

/// A target that is listened to.
struct Heard {
    target: usize,
    /// Its place among the columns, which never acts on itself.
    own: Option<usize>,
    half: Bits,
    upper: u32,
}

impl Heard {
    fn new(table: &Table, target: usize, columns: &[usize], rows: &[usize]) -> Self {
        let half = halved(table, target, rows);
        Heard { target, own: columns.iter().position(|&v| v == target), half, upper: ones(&half) }
    }
}

fn ones(bits: &Bits) -> u32 {
    bits.iter().map(|word| word.count_ones()).sum()
}

/// The best sets that begin with a column, of every target.
fn sought(halves: &[Bits], heard: &[Heard], first: usize, rows: usize, least: f64) -> Vec<Vec<Together>> {
    let mut best: Vec<Vec<Together>> = vec![Vec::new(); heard.len()];
    let mut see = |parity: &Bits, columns: &[u32]| {
        let odd = ones(parity);
        for (best, heard) in best.iter_mut().zip(heard) {
            if heard.own.is_some_and(|own| columns.contains(&(own as u32))) {
                continue;
            }
            let both = parity.iter().zip(&heard.half).map(|(p, y)| (p & y).count_ones()).sum();
            let chi = chi_squared(rows, odd, heard.upper, both);
            if chi > best.last().filter(|_| best.len() == MOST_SETS).map_or(least, |worst| worst.chi) {
                best.push(Together { chi, columns: columns.to_vec() });
                best.sort_by(stronger);
                best.truncate(MOST_SETS);
            }
        }
    };
    for second in first + 1..halves.len() {
        let pair: Bits = std::array::from_fn(|word| halves[first][word] ^ halves[second][word]);
        see(&pair, &[first as u32, second as u32]);
        for (third, half) in halves.iter().enumerate().skip(second + 1) {
            let parity: Bits = std::array::from_fn(|word| pair[word] ^ half[word]);
            see(&parity, &[first as u32, second as u32, third as u32]);
        }
    }
    best
}

/// Pearson's statistic of two bits over n rows, from how many rows have each and both.
fn chi_squared(n: usize, one: u32, other: u32, both: u32) -> f64 {
    let [n, one, other, both] = [n as f64, f64::from(one), f64::from(other), f64::from(both)];
    let apart = n * both - one * other;
    let spread = one * (n - one) * other * (n - other);
    if spread > 0.0 { n * apart * apart / spread } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::watch::Unwatched;
    use clausality_bn::random::Stream;
    use clausality_bn::{Schema, Variable};

    /// Columns of coins and one target, the last: the parity of some of them, right in nine of ten rows.
    fn windows(coins: usize, acting: &[usize], rows: usize) -> (Table, Runs) {
        let mut stream = Stream::new(7, "coins");
        let names = (0..coins).map(|k| format!("x{k:02}@-1")).chain(["y".to_string()]);
        let schema = Schema::new(names.map(|name| Variable::new(name, ["a", "b", "c"])).collect()).unwrap();
        let mut columns: Vec<Vec<u8>> =
            (0..coins).map(|_| (0..rows).map(|_| stream.below(3) as u8).collect()).collect();
        let upper = |code: u8| code > 0;
        let y = |row: usize| {
            let odd = acting.iter().filter(|&&k| upper(columns[k][row])).count() % 2 == 1;
            u8::from(odd != (stream.below(10) == 0))
        };
        let y: Vec<u8> = (0..rows).map(y).collect();
        columns.push(y);
        let series = std::iter::once(0..rows).collect();
        (Table::new(schema, columns).unwrap(), Runs { series, apart: 3, now: coins..coins + 1 })
    }

    #[test]
    fn what_acts_only_together_is_found_and_luck_is_not() {
        for acting in [&[3, 17][..], &[2, 11, 24]] {
            let (table, runs) = windows(30, acting, 1500);
            let found = acting_together(&table, &runs, &[30], &Unwatched).unwrap();
            assert_eq!(found.len(), 1);
            assert!(acting.iter().all(|column| found[0].1.contains(column)), "{found:?}");
        }
        let (table, runs) = windows(30, &[], 1500);
        assert_eq!(acting_together(&table, &runs, &[30], &Unwatched).unwrap(), []);
    }

    #[test]
    fn of_wide_windows_whole_steps_are_looked_at() {
        let names = (0..5).rev().flat_map(|lag| (0..100).map(move |k| format!("x{k}@-{lag}")));
        let schema = Schema::new(names.map(|name| Variable::new(name, ["a", "b"])).collect()).unwrap();
        let table = Table::new(schema, vec![vec![0; 3]; 500]).unwrap();
        let runs = Runs { series: vec![], apart: 9, now: 400..500 };
        let mut columns = nearest(&table, &runs);
        columns.sort_unstable();
        assert_eq!(columns, (300..500).collect::<Vec<_>>());
    }

    #[test]
    fn the_statistic_is_pearsons() {
        // 30 of 100 have the one, 50 the other, 25 both: (25·50·…) by hand.
        let expected =
            |observed: f64, expected: f64| (observed - expected) * (observed - expected) / expected;
        let by_hand =
            expected(25.0, 15.0) + expected(5.0, 15.0) + expected(25.0, 35.0) + expected(45.0, 35.0);
        assert!((chi_squared(100, 30, 50, 25) - by_hand).abs() < 1e-9);
        assert_eq!(chi_squared(100, 100, 50, 50), 0.0);
    }
}
