//! When a target has had rounds enough.
//!
//! Under context gain, with one machine and no permuted targets: after [`SURE`] rounds that name the same [`NAMED`] strongest features, in
//! whatever order, and that together predict the target better than chance. Whoever merges asks the same, so that fits of further rounds leave no trace,
//! whether somebody made them or not.
//!
//! Rounds are spent where lists are in doubt. `docs/paper-map.md` has the figures.

use super::bench::Bench;
use super::settings::StrengthRule;
use super::signal::Accuracy;
use super::task::{Fit, Task, Trained};
use std::collections::{BTreeMap, BTreeSet};

/// Rounds that every target has.
pub(super) const SURE: usize = 2;
/// Features that they must agree about.
const NAMED: usize = 2;

impl Bench<'_> {
    /// Whether targets may be settled before all rounds are made.
    pub(super) fn may_settle(&self) -> bool {
        self.settings.strength() == StrengthRule::Gain && self.models.len() == 1 && !self.settings.null
    }

    /// Whether a task need not be done if its target is settled before.
    pub(super) fn may_be_spared(&self, task: &Task) -> bool {
        self.may_settle() && task.round >= SURE
    }

    /// The targets that are settled by their first rounds.
    pub(super) fn settled(&self, fits: &[(Task, Fit)]) -> BTreeSet<String> {
        let mut first: BTreeMap<&str, [Option<&Trained>; SURE]> = BTreeMap::new();
        for (task, fit) in fits.iter().filter(|(task, _)| task.round < SURE && !task.null && task.model == 0)
        {
            if let Fit::Trained(trained) = fit {
                first.entry(&task.target).or_default()[task.round] = Some(trained);
            }
        }
        let settled = |rounds: &[Option<&Trained>; SURE]| {
            let rounds: Option<Vec<&Trained>> = rounds.iter().copied().collect();
            rounds.is_some_and(|rounds| agree(&rounds))
        };
        first
            .into_iter()
            .filter(|(_, rounds)| settled(rounds))
            .map(|(target, _)| target.to_string())
            .collect()
    }
}

fn agree(rounds: &[&Trained]) -> bool {
    let named: Vec<Vec<u32>> = rounds.iter().map(|round| strongest(round)).collect();
    let signal =
        || Accuracy::over(rounds.iter().map(|round| round.verdicts.as_slice())).is_some_and(|a| a.signal);
    named.windows(2).all(|pair| pair[0] == pair[1]) && signal()
}

/// The strongest features that have any strength, by place; the first name of equals.
fn strongest(round: &Trained) -> Vec<u32> {
    let mut values: Vec<(u32, f64)> = round.values.iter().copied().filter(|value| value.1 > 0.0).collect();
    values.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    values.truncate(NAMED);
    let mut named: Vec<u32> = values.into_iter().map(|value| value.0).collect();
    named.sort_unstable();
    named
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::folder::Kept;
    use crate::strengths::StrengthSettings;
    use crate::watch::Unwatched;
    use crate::{bn, embedded};

    #[test]
    fn settled_targets_are_spared_and_others_are_not() {
        let table = bn::sample(&embedded::network("child").unwrap(), 600, 1);
        let settings = StrengthSettings::default();
        let bench = Bench::new(&table, &settings, 1, &Unwatched).unwrap();
        let all = bench.fit_all(bench.tasks(), &Unwatched).unwrap();
        let asked = bench.fit_left(Kept::default(), &Unwatched).unwrap();
        let settled = bench.settled(&asked);
        assert!(!settled.is_empty() && settled.len() < table.schema().len(), "{settled:?}");
        let spared = |task: &Task| task.round >= SURE && settled.contains(&task.target);
        let expected: Vec<&Task> = all.iter().map(|(task, _)| task).filter(|task| !spared(task)).collect();
        let mut made: Vec<&Task> = asked.iter().map(|(task, _)| task).collect();
        made.sort_unstable();
        assert_eq!(made, expected);

        // One whose rounds disagree cannot do without its last.
        let lacking: Vec<(Task, Fit)> = asked
            .iter()
            .filter(|(task, _)| task.round < SURE || settled.contains(&task.target))
            .cloned()
            .collect();
        assert!(bench.merge(lacking).unwrap_err().to_string().contains("missing"));
        assert_eq!(bench.merge(all).unwrap(), bench.merge(asked).unwrap());
    }
}
