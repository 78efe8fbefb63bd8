//! The fits of a target become its list of features.

use super::StrengthRule;
use super::fit::{Fit, Plan};
use super::{Accuracy, Feature, Target, Warning, sentences};

/// The merged result of a target's fits, and what deserves attention. `null` are the fits on the permuted target.
pub(super) fn target(
    plan: &Plan<'_>,
    target: usize,
    fits: &[Fit],
    null: Option<&Vec<Fit>>,
) -> (Target, Vec<Warning>) {
    let schema = plan.table.schema();
    let variable = schema.variable(target);
    let predictors = plan.encoding.predictors(target);
    let found = strengths(plan, fits);
    let under_null = null.map(|fits| strengths(plan, fits));
    let strength = |v: usize| found[v] - under_null.as_ref().map_or(0.0, |null| null[v]);
    let total: f64 = predictors.iter().map(|&v| strength(v).max(0.0)).sum();
    let seen = count(plan, fits, |_, _| true);
    let hits = count(plan, fits, |fit, value| fit.best_shadow.is_some_and(|best| value > best));
    let shadowed = fits.iter().any(|fit| fit.best_shadow.is_some());

    let mut ranked = if fits.is_empty() { Vec::new() } else { predictors };
    // Predictors come in the order of names, and the sort keeps that order among equals.
    ranked.sort_by(|&a, &b| strength(b).total_cmp(&strength(a)));
    let features = (1..).zip(&ranked).map(|(rank, &v)| Feature {
        name: schema.name(v).to_string(),
        rank,
        strength: strength(v),
        share: if total > 0.0 { strength(v).max(0.0) / total } else { 0.0 },
        null: under_null.as_ref().map(|null| null[v]),
        fits: seen[v],
        hit_rate: (shadowed && seen[v] > 0).then(|| hits[v] as f64 / seen[v] as f64),
    });
    let gap = variable.missing_state();
    let has_value = |&&code: &&u8| (code as usize) < variable.cardinality() && Some(code) != gap;
    let merged = Target {
        name: variable.name.clone(),
        classes: plan.encoding.values(target).len(),
        rows: plan.table.column(target).iter().filter(has_value).count(),
        fits: fits.len(),
        accuracy: Accuracy::over(fits.iter().map(|fit| &fit.accuracy)),
        shadow: shadow(plan, fits, null.is_some()),
        features: features.collect(),
        sentences: sentences::merge(plan, target, fits, &ranked),
    };
    let warnings = warnings(plan, target, fits, &merged);
    (merged, warnings)
}

/// S[f] by place in the schema. A variable that only some fits saw counts as if the others had found the same.
fn strengths(plan: &Plan<'_>, fits: &[Fit]) -> Vec<f64> {
    let variables = plan.table.schema().len();
    let mut sums = vec![0.0; variables];
    let places = 6.min((variables - 1).div_ceil(2));
    for fit in fits {
        match plan.settings.strength() {
            StrengthRule::Gain | StrengthRule::Sum => fit.values.iter().for_each(|&(v, x)| sums[v] += x),
            StrengthRule::Votes => votes(fit, places, &mut sums),
        }
    }
    let all = fits.len() as f64;
    let wanted = if plan.settings.strength() == StrengthRule::Votes { 1.0 } else { all };
    for (sum, seen) in sums.iter_mut().zip(count(plan, fits, |_, _| true)) {
        *sum *= if seen > 0 { wanted / seen as f64 } else { 0.0 };
    }
    sums
}

/// What the best shadow of every fit adds up to: the strength that a column reaches by luck. Votes are not given to shadows,
/// and strengths above those of a permuted target have another zero.
fn shadow(plan: &Plan<'_>, fits: &[Fit], above_null: bool) -> Option<f64> {
    let best: Vec<f64> = fits.iter().filter_map(|fit| fit.best_shadow).collect();
    let measured = plan.settings.strength() != StrengthRule::Votes && !above_null && !best.is_empty();
    measured.then(|| best.iter().sum::<f64>().max(0.0) * fits.len() as f64 / best.len() as f64)
}

/// One fit's vote: a point for each of the strongest, and everybody's part of the whole.
fn votes(fit: &Fit, places: usize, sums: &mut [f64]) {
    let total: f64 = fit.values.iter().map(|&(_, x)| x).sum();
    if total <= 0.0 {
        return;
    }
    let mut ranked: Vec<&(usize, f64)> = fit.values.iter().collect();
    ranked.sort_by(|a, b| b.1.total_cmp(&a.1));
    for (place, &&(v, x)) in ranked.iter().enumerate() {
        let point = if place < places && x > 0.0 { 1.0 } else { 0.0 };
        sums[v] += point + x / total;
    }
}

/// In how many fits something holds of a variable's value, by place in the schema.
fn count(plan: &Plan<'_>, fits: &[Fit], holds: impl Fn(&Fit, f64) -> bool) -> Vec<usize> {
    let mut counts = vec![0; plan.table.schema().len()];
    for fit in fits {
        for &(v, value) in &fit.values {
            counts[v] += usize::from(holds(fit, value));
        }
    }
    counts
}

fn warnings(plan: &Plan<'_>, target: usize, fits: &[Fit], merged: &Target) -> Vec<Warning> {
    let name = || merged.name.clone();
    if fits.is_empty() {
        return vec![Warning::NoList { target: name() }];
    }
    let mut warnings = Vec::new();
    let column = plan.table.column(target);
    for (class, &code) in (0..=u8::MAX).zip(plan.encoding.values(target)) {
        let without = fits.iter().filter(|fit| !fit.classes.contains(&class)).count();
        if without > 0 && column.contains(&code) {
            let state = plan.table.schema().variable(target).states[code as usize].clone();
            warnings.push(Warning::RareState { target: name(), state, fits: without, of: fits.len() });
        }
    }
    match merged.accuracy {
        None => warnings.push(Warning::Unscored { target: name() }),
        Some(Accuracy { mean, chance, signal: false, .. }) => {
            warnings.push(Warning::NoSignal { target: name(), accuracy: mean, chance });
        }
        Some(_) => {}
    }
    warnings
}
