//! All fits become one answer: those of a target, in the order of their tasks, its list of features.

use super::bench::Bench;
use super::result::{Feature, Strengths, Target, Warning};
use super::sentences;
use super::settings::StrengthRule;
use super::signal::Accuracy;
use super::task::{Fit, Task, Trained};
use crate::Error;
use crate::data::Fingerprint;
use rayon::prelude::*;

impl Bench<'_> {
    /// The strengths from the fits of all tasks, in whatever order they come; those of a target that is settled without them may be left out.
    ///
    /// # Errors
    /// A fit that is missing, there twice, or of another table or other settings.
    pub fn merge(&self, mut fits: Vec<(Task, Fit)>) -> Result<Strengths, Error> {
        fits.sort_unstable_by(|a, b| a.0.cmp(&b.0));
        let settled = self.settled(&fits);
        let spared = |task: &Task| self.may_be_spared(task) && settled.contains(&task.target);
        self.check_complete(&fits, spared)?;
        let Bench { table, settings, models, .. } = self;
        let mut fits = fits.into_iter().filter(|(task, _)| !spared(task)).peekable();
        let fits: Vec<(usize, [Vec<Trained>; 2])> = self
            .targets()
            .map(|target| {
                let name = table.schema().name(target);
                let mut of = |null: bool| -> Vec<Trained> {
                    let own = |(task, _): &(Task, Fit)| task.target == name && task.null == null;
                    std::iter::from_fn(|| fits.next_if(own)).filter_map(|(_, fit)| fit.trained()).collect()
                };
                (target, [false, true].map(&mut of))
            })
            .collect();
        // The fits of a target go as soon as they are merged.
        let merged = |(target, [fits, null]): (usize, [Vec<Trained>; 2])| {
            merge_target(self, target, &fits, settings.null.then_some(&null))
        };
        let (targets, warnings): (Vec<Target>, Vec<Vec<Warning>>) = fits.into_par_iter().map(merged).unzip();
        let restricted =
            self.screen.restriction().map(|(literals, limit)| Warning::Restricted { literals, limit });
        Ok(Strengths {
            version: env!("CARGO_PKG_VERSION").to_string(),
            seed: self.seed,
            params: settings.filled(settings),
            models: models.clone(),
            fingerprint: Fingerprint::of(table),
            rows: table.rows(),
            targets,
            warnings: restricted.into_iter().chain(warnings.into_iter().flatten()).collect(),
        })
    }

    /// Refuses sorted fits that are not those of all tasks that nobody is spared, each once.
    fn check_complete(&self, fits: &[(Task, Fit)], spared: impl Fn(&Task) -> bool) -> Result<(), Error> {
        let wrong = |reason, task: &Task| Err(Error::Task { task: task.clone(), reason });
        for (task, fit) in fits {
            if !self.could_find(self.target(task)?, fit) {
                return wrong("its fit is of another table", task);
            }
        }
        if let Some(pair) = fits.windows(2).find(|pair| pair[0].0 == pair[1].0) {
            return wrong("its fit is there twice", &pair[0].0);
        }
        let missing = |task: &&Task| !spared(task) && fits.binary_search_by(|fit| fit.0.cmp(task)).is_err();
        self.tasks().iter().find(missing).map_or(Ok(()), |task| wrong("its fit is missing", task))
    }

    /// Whether all that a fit names exists: it may have been read from a file.
    fn could_find(&self, target: usize, fit: &Fit) -> bool {
        let Fit::Trained(Trained { values, verdicts, clauses, .. }) = fit else { return true };
        let variables = self.encoding.variables();
        let class = |class: u8| (class as usize) < self.encoding.values(target).len();
        let row = |&row: &u32| (row as usize) < self.table.rows();
        let literal = |&literal: &u32| (literal as usize) < self.encoding.len();
        values.is_sorted_by(|a, b| a.0 < b.0)
            && values.iter().all(|&(place, _)| variables.get(place as usize).is_some_and(|&v| v != target))
            && verdicts.iter().all(|v| class(v.class) && v.right.iter().chain(&v.wrong).all(row))
            && clauses.iter().all(|c| class(c.class) && c.weights.iter().all(|weight| class(weight.0)))
            && clauses.iter().all(|c| c.literals.iter().all(literal))
    }
}

/// The merged result of a target's fits, and what deserves attention. `null` are the fits on the permuted target. From here
/// on a variable is its place in the order of names.
fn merge_target(
    bench: &Bench<'_>,
    target: usize,
    fits: &[Trained],
    null: Option<&Vec<Trained>>,
) -> (Target, Vec<Warning>) {
    let Bench { table, encoding, places, .. } = bench;
    let variable = table.schema().variable(target);
    let found = strengths(bench, fits);
    let under_null = null.map(|fits| strengths(bench, fits));
    let strength = |v: usize| found[v] - under_null.as_ref().map_or(0.0, |null| null[v]);
    let predictors = (0..places.len()).filter(|&v| v != places[target] as usize);
    let total: f64 = predictors.clone().map(|v| strength(v).max(0.0)).sum();
    let seen = count(bench, fits, |_, _| true);
    let hits = count(bench, fits, |fit, value| fit.best_shadow.is_some_and(|best| value > best));
    let shadowed = fits.iter().any(|fit| fit.best_shadow.is_some());

    let mut ranked: Vec<usize> = if fits.is_empty() { Vec::new() } else { predictors.collect() };
    // The sort keeps the order of names among equals.
    ranked.sort_by(|&a, &b| strength(b).total_cmp(&strength(a)));
    let features = (1..).zip(&ranked).map(|(rank, &v)| Feature {
        name: table.schema().name(encoding.variables()[v]).to_string(),
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
        classes: encoding.values(target).len(),
        rows: table.column(target).iter().filter(has_value).count(),
        fits: fits.len(),
        accuracy: Accuracy::over(fits.iter().map(|fit| fit.verdicts.as_slice())),
        shadow: shadow(bench, fits, null.is_some()),
        features: features.collect(),
        sentences: sentences::merge(bench, target, fits, &ranked),
    };
    let warnings = warnings(bench, target, fits, &merged);
    (merged, warnings)
}

/// S[f] of every variable. One that only some fits saw counts as if the others had found the same.
fn strengths(bench: &Bench<'_>, fits: &[Trained]) -> Vec<f64> {
    let rule = bench.settings.strength();
    let mut sums = vec![0.0; bench.places.len()];
    let top = 6.min((sums.len() - 1).div_ceil(2));
    for fit in fits {
        match rule {
            StrengthRule::Gain | StrengthRule::Sum => {
                fit.values.iter().for_each(|&(v, x)| sums[v as usize] += x);
            }
            StrengthRule::Votes => votes(fit, top, &mut sums),
        }
    }
    let wanted = if rule == StrengthRule::Votes { 1.0 } else { stands_for(bench, fits) };
    for (sum, seen) in sums.iter_mut().zip(count(bench, fits, |_, _| true)) {
        *sum *= if seen > 0 { wanted / seen as f64 } else { 0.0 };
    }
    sums
}

/// How many fits these stand for: where some may be spared, for as many as there could be.
fn stands_for(bench: &Bench<'_>, fits: &[Trained]) -> f64 {
    if bench.may_settle() { bench.rounds(false) as f64 } else { fits.len() as f64 }
}

/// What the best shadow of every fit adds up to: the strength that a column reaches by luck. Votes are not given to shadows,
/// and strengths above those of a permuted target have another zero.
fn shadow(bench: &Bench<'_>, fits: &[Trained], above_null: bool) -> Option<f64> {
    let best: Vec<f64> = fits.iter().filter_map(|fit| fit.best_shadow).collect();
    let measured = bench.settings.strength() != StrengthRule::Votes && !above_null && !best.is_empty();
    measured.then(|| best.iter().sum::<f64>().max(0.0) * stands_for(bench, fits) / best.len() as f64)
}

/// One fit's vote: a point for each of the strongest, and everybody's part of the whole.
fn votes(fit: &Trained, top: usize, sums: &mut [f64]) {
    let total: f64 = fit.values.iter().map(|&(_, x)| x).sum();
    if total <= 0.0 {
        return;
    }
    let mut ranked: Vec<&(u32, f64)> = fit.values.iter().collect();
    ranked.sort_by(|a, b| b.1.total_cmp(&a.1));
    for (rank, &&(v, x)) in ranked.iter().enumerate() {
        let point = if rank < top && x > 0.0 { 1.0 } else { 0.0 };
        sums[v as usize] += point + x / total;
    }
}

/// In how many fits something holds of a variable's value.
fn count(bench: &Bench<'_>, fits: &[Trained], holds: impl Fn(&Trained, f64) -> bool) -> Vec<usize> {
    let mut counts = vec![0; bench.places.len()];
    for fit in fits {
        for &(v, value) in &fit.values {
            counts[v as usize] += usize::from(holds(fit, value));
        }
    }
    counts
}

fn warnings(bench: &Bench<'_>, target: usize, fits: &[Trained], merged: &Target) -> Vec<Warning> {
    let name = || merged.name.clone();
    if fits.is_empty() {
        return vec![Warning::NoList { target: name() }];
    }
    let mut warnings = Vec::new();
    let column = bench.table.column(target);
    for (class, &code) in (0..=u8::MAX).zip(bench.encoding.values(target)) {
        let left_out = |fit: &&Trained| fit.verdicts.iter().all(|verdict| verdict.class != class);
        let without = fits.iter().filter(left_out).count();
        if without > 0 && column.contains(&code) {
            let state = bench.table.schema().variable(target).states[code as usize].clone();
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
