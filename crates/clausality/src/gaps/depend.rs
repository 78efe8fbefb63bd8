//! What goes with a gap: values and gaps of other columns, time, the order of rows.
//!
//! For a gap indicator R and a variable Y, over the rows where Y has a value:
//!
//! ```text
//! G² = 2 Σ_{r,y} n_ry ln(n_ry n / (n_r n_y)),  df = (states of Y that occur) − 1
//! V  = √(χ² / n)    Cramér's V of a table of two rows
//! ```
//!
//! States in which chance would give less than one gap (or less than one value) share a cell; of one such state by itself, with g gaps in
//! t rows where a share q of all rows are gaps, chance gives as many with probability `≤ C(t, g) q^g`, held against the level over the states. An order (the rows of the file, the
//! dates of a column) is a Y of ten equal parts. The p-values are held against the level over the number of tests (Bonferroni), and
//! effects under V = 0.1 are not told: in large tables trivia is significant too.

use super::blocks::Stretch;
use super::together::phi;
use super::{Course, Finding, Indicator, LEVEL, Share, Unit, With};
use crate::data::Dataset;
use crate::words::grouped;
use clausality_bn::math::{ln, ln_chi_square_tail, ln_gamma, x_ln_x};
use std::borrow::Cow;

/// Weaker effects are not told.
const LEAST_EFFECT: f64 = 0.1;
/// Findings that are told of a unit.
const TOLD: usize = 3;
/// A smaller difference between two shares is not seen where they are told.
const TOLD_RISE: f64 = 0.01;
/// Parts of an order.
const PARTS: usize = 10;
/// Cells that are looked at; of larger tables every k-th row.
const BUDGET: usize = 400_000_000;

/// A variable, an order or an indicator, as codes to be held against gaps.
struct Feature<'d> {
    with: With,
    /// The columns whose gaps it is no finding about: its own.
    own: Vec<usize>,
    codes: Cow<'d, [u8]>,
    /// What its codes are called; a code beyond them is no value.
    labels: Vec<String>,
    /// Rows by code.
    totals: Vec<usize>,
}

impl<'d> Feature<'d> {
    fn new(with: With, own: Vec<usize>, codes: Cow<'d, [u8]>, labels: Vec<String>) -> Self {
        let mut totals = vec![0; 256];
        codes.iter().for_each(|&code| totals[usize::from(code)] += 1);
        totals.truncate(labels.len());
        Feature { with, own, codes, labels, totals }
    }
}

pub(super) fn findings(
    dataset: &Dataset,
    columns: &[Indicator],
    units: &[Unit],
    blocks: &[Stretch],
) -> Vec<Finding> {
    let rows = dataset.table.rows();
    let cost =
        units.iter().map(|unit| unit.count).sum::<usize>().saturating_mul(dataset.table.schema().len());
    let step = cost.div_ceil(BUDGET).max(1);
    let mut features = values(dataset, columns, step);
    features.extend(orders(dataset, columns, step));
    let tests = units.len() * features.len() + units.len() * units.len().saturating_sub(1) / 2;
    let ln_level = ln(LEVEL) - ln(tests.max(1) as f64);
    let mut found = Vec::new();
    for (place, unit) in units.iter().enumerate() {
        let gaps: Vec<usize> = unit.rows().filter(|row| row % step == 0).map(|row| row / step).collect();
        let in_blocks: usize = blocks.iter().filter(|b| b.unit == place).map(|b| b.gaps).sum();
        let mut of_unit: Vec<Finding> = Vec::new();
        for feature in &features {
            let ordered = matches!(feature.with, With::Order(_) | With::Time(..));
            // Blocks say it better.
            let told = ordered && 2 * in_blocks >= unit.count;
            if told || unit.members.iter().any(|member| feature.own.contains(member)) {
                continue;
            }
            of_unit.extend(test(feature, &gaps, ln_level, unit.names(columns)));
        }
        for other in &units[place + 1..] {
            of_unit.extend(both(unit, other, rows, ln_level, columns));
        }
        of_unit.sort_by(|a, b| b.effect.total_cmp(&a.effect));
        found.extend(of_unit.into_iter().take(TOLD));
    }
    found.sort_by(|a, b| b.effect.total_cmp(&a.effect).then_with(|| a.columns.cmp(&b.columns)));
    found
}

/// The variables with their values, in the order of names.
fn values<'d>(dataset: &'d Dataset, columns: &[Indicator], step: usize) -> Vec<Feature<'d>> {
    let (table, schema) = (&dataset.table, dataset.table.schema());
    let feature = |v: usize| {
        let variable = schema.variable(v);
        let states = variable.cardinality() - usize::from(variable.has_missing_state);
        let own = (0..columns.len()).filter(|&column| columns[column].variables.contains(&v)).collect();
        let codes = table.column(v);
        // All rows of a table need not be held twice.
        let codes = if step == 1 { codes.into() } else { codes.iter().copied().step_by(step).collect() };
        Feature::new(With::Values(variable.name.clone()), own, codes, variable.states[..states].to_vec())
    };
    schema.in_name_order().into_iter().map(feature).collect()
}

/// The order of rows, and time where a column has dates. Where the rows stand in the order of time, that is said instead.
fn orders<'d>(dataset: &Dataset, columns: &[Indicator], step: usize) -> Vec<Feature<'d>> {
    let looked = || (0..dataset.table.rows()).step_by(step);
    let part = |place: usize, all: usize| (place * PARTS / all.max(1)) as u8;
    let mut features = Vec::new();
    let mut rows_are_time = false;
    for index in &dataset.indexes {
        // Counted by their texts: of most columns there are far fewer than rows.
        let instants = index.instants();
        let mut counts = vec![0; instants.len()];
        looked().filter_map(|row| index.code(row)).for_each(|code| counts[code] += 1);
        let known = |(code, instant): (usize, &Option<i64>)| Some((*instant.as_ref()?, code));
        let mut dated: Vec<(i64, usize)> = instants.iter().enumerate().filter_map(known).collect();
        let all = dated.iter().map(|&(_, code)| counts[code]).sum();
        if all < PARTS {
            continue;
        }
        rows_are_time |= looked().filter_map(|row| index.at(row)).is_sorted();
        dated.sort_unstable();
        let mut parts = vec![u8::MAX; instants.len()];
        let mut place = 0;
        // Rows of one instant stay in one part.
        for same in dated.chunk_by(|one, other| one.0 == other.0) {
            same.iter().for_each(|&(_, code)| parts[code] = part(place, all));
            place += same.iter().map(|&(_, code)| counts[code]).sum::<usize>();
        }
        let codes = looked().map(|row| index.code(row).map_or(u8::MAX, |code| parts[code])).collect();
        let labels = (1..=PARTS).map(|k| format!("tenth {k} of the time")).collect();
        let own = (0..columns.len()).filter(|&column| columns[column].name == index.column).collect();
        let with = With::Time(index.column.clone(), Course::Uneven);
        features.push(Feature::new(with, own, codes, labels));
    }
    if !rows_are_time {
        let all = looked().len();
        let codes = (0..all).map(|place| part(place, all)).collect();
        let rows = dataset.table.rows();
        let label = |k: usize| {
            let (from, to) = ((k * rows).div_ceil(PARTS) + 1, ((k + 1) * rows).div_ceil(PARTS));
            format!("rows {} to {}", grouped(from), grouped(to))
        };
        let labels = (0..PARTS).map(label).collect();
        features.push(Feature::new(With::Order(Course::Uneven), vec![], codes, labels));
    }
    features
}

/// Holds the gaps (places among the rows that are looked at) against a feature.
fn test(feature: &Feature, gaps: &[usize], ln_level: f64, columns: Vec<String>) -> Option<Finding> {
    let missing = gaps_by_state(feature, gaps);
    over_states(feature, &missing, ln_level, &columns)
        .or_else(|| in_a_rare_state(feature, &missing, ln_level, columns))
}

fn gaps_by_state(feature: &Feature, gaps: &[usize]) -> Vec<usize> {
    let mut missing = vec![0usize; 256];
    gaps.iter().for_each(|&place| missing[usize::from(feature.codes[place])] += 1);
    missing.truncate(feature.labels.len());
    missing
}

/// A state of few rows that are nearly all gaps: of 4 airports abroad none has a state.
fn in_a_rare_state(
    feature: &Feature,
    missing: &[usize],
    ln_level: f64,
    columns: Vec<String>,
) -> Option<Finding> {
    let (all, lost): (usize, usize) = (feature.totals.iter().sum(), missing.iter().sum());
    let ln_rate = ln(lost.max(1) as f64) - ln(all.max(1) as f64);
    let ln_chance = |state: usize| {
        let (total, gone) = (feature.totals[state] as f64, missing[state] as f64);
        ln_gamma(total + 1.0) - ln_gamma(gone + 1.0) - ln_gamma(total - gone + 1.0) + gone * ln_rate
    };
    let state = (0..missing.len())
        .filter(|&state| missing[state] > 1)
        .min_by(|&a, &b| ln_chance(a).total_cmp(&ln_chance(b)))?;
    let ln_p = ln_chance(state) + ln(missing.len() as f64);
    let here = (feature.totals[state], missing[state]);
    let elsewhere = (all - here.0, lost - here.1);
    let (_, chi) = dependence(&[here, elsewhere])?;
    let effect = (chi / all as f64).sqrt();
    let share = |of: &str, (rows, gone): (usize, usize)| Share {
        of: of.to_string(),
        rows,
        share: gone as f64 / rows as f64,
    };
    // Among the others, the one with most rows stands for what is usual.
    let usual =
        (0..missing.len()).filter(|&other| other != state).max_by_key(|&other| feature.totals[other])?;
    (ln_p <= ln_level && effect >= LEAST_EFFECT).then(|| Finding {
        columns,
        with: feature.with.clone(),
        least: share(&feature.labels[usual], (feature.totals[usual], missing[usual])),
        most: share(&feature.labels[state], here),
        effect,
        ln_p,
    })
}

/// All states that have rows enough, by G².
fn over_states(feature: &Feature, missing: &[usize], ln_level: f64, columns: &[String]) -> Option<Finding> {
    let (all, lost): (usize, usize) = (feature.totals.iter().sum(), missing.iter().sum());
    let rate = lost as f64 / all.max(1) as f64;
    let likely = |total: usize| total as f64 * rate >= 1.0 && total as f64 * (1.0 - rate) >= 1.0;
    let mut cells: Vec<(usize, usize)> = Vec::new();
    let mut rest = (0, 0);
    let mut shares: Vec<(usize, f64)> = Vec::new();
    for (state, (&total, &gone)) in feature.totals.iter().zip(missing).enumerate() {
        if likely(total) {
            cells.push((total, gone));
            shares.push((state, gone as f64 / total as f64));
        } else {
            rest = (rest.0 + total, rest.1 + gone);
        }
    }
    if rest.0 > 0 && likely(rest.0) {
        cells.push(rest);
    }
    let (g, chi) = dependence(&cells)?;
    let n: usize = cells.iter().map(|cell| cell.0).sum();
    let effect = (chi / n as f64).sqrt();
    let ln_p = ln_chi_square_tail(g, (cells.len() - 1) as f64);
    if ln_p > ln_level || effect < LEAST_EFFECT {
        return None;
    }
    let course = course(&shares, &feature.totals);
    let (with, along) = match &feature.with {
        With::Order(_) => (With::Order(course), course != Course::Uneven),
        With::Time(column, _) => (With::Time(column.clone(), course), course != Course::Uneven),
        other => (other.clone(), false),
    };
    let (least, most) = match along {
        true => (*shares.first()?, *shares.last()?),
        false => (
            shares.iter().copied().reduce(|a, b| if b.1 < a.1 { b } else { a })?,
            shares.iter().copied().reduce(|a, b| if b.1 > a.1 { b } else { a })?,
        ),
    };
    let share = |(state, share): (usize, f64)| Share {
        of: feature.labels[state].clone(),
        rows: feature.totals[state],
        share,
    };
    (least.0 != most.0).then(|| Finding {
        columns: columns.to_vec(),
        with,
        least: share(least),
        most: share(most),
        effect,
        ln_p,
    })
}

/// G² and χ² of gaps against the kinds of rows (rows, gaps among them).
pub(super) fn dependence(cells: &[(usize, usize)]) -> Option<(f64, f64)> {
    let (all, lost) = cells.iter().fold((0, 0), |sum, cell| (sum.0 + cell.0, sum.1 + cell.1));
    if cells.len() < 2 || lost == 0 || lost == all {
        return None;
    }
    let entropy = |n: usize| x_ln_x(n as f64);
    let (mut g, mut chi) = (entropy(all) - entropy(lost) - entropy(all - lost), 0.0);
    for &(total, gone) in cells {
        g += entropy(gone) + entropy(total - gone) - entropy(total);
        let expected = total as f64 * lost as f64 / all as f64;
        let off = gone as f64 - expected;
        chi += off * off / expected + off * off / (total as f64 - expected);
    }
    Some((2.0 * g, chi))
}

/// Whether gaps become more or fewer along the parts: the chance that of a gap and a value the gap comes later.
fn course(shares: &[(usize, f64)], totals: &[usize]) -> Course {
    let (mut earlier_values, mut later, mut gaps) = (0.0, 0.0, 0.0);
    for &(part, share) in shares {
        let (lost, kept) = (share * totals[part] as f64, (1.0 - share) * totals[part] as f64);
        later += lost * (earlier_values + 0.5 * kept);
        earlier_values += kept;
        gaps += lost;
    }
    // What begins and ends alike is not told by its beginning and its end.
    let rise = shares.last().zip(shares.first()).map_or(0.0, |(last, first)| last.1 - first.1);
    match later / (gaps * earlier_values).max(f64::MIN_POSITIVE) {
        chance if chance >= 0.6 && rise >= TOLD_RISE => Course::Later,
        chance if chance <= 0.4 && rise <= -TOLD_RISE => Course::Earlier,
        _ => Course::Uneven,
    }
}

/// Holds the gaps of two units against each other.
fn both(unit: &Unit, other: &Unit, rows: usize, ln_level: f64, columns: &[Indicator]) -> Option<Finding> {
    let both: usize = unit.bits.iter().zip(&other.bits).map(|(a, b)| (a & b).count_ones() as usize).sum();
    let effect = phi(rows, unit.count, other.count, both);
    let expected = unit.count as f64 * other.count as f64 / rows as f64;
    if effect < LEAST_EFFECT || expected < 1.0 && both < 5 {
        return None;
    }
    let cells = [(other.count, both), (rows - other.count, unit.count - both)];
    let (g, _) = dependence(&cells)?;
    let ln_p = ln_chi_square_tail(g, 1.0);
    let share = |of: &str, (rows, gone): (usize, usize)| Share {
        of: of.to_string(),
        rows,
        share: gone as f64 / rows.max(1) as f64,
    };
    let name = columns[other.members[0]].name.clone();
    (ln_p <= ln_level).then(|| Finding {
        columns: unit.names(columns),
        with: With::Gaps(name),
        least: share("value", cells[1]),
        most: share("gap", cells[0]),
        effect,
        ln_p,
    })
}
