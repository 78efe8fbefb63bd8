use super::*;
use crate::rules::{NamedArc, RuleSettings};
use crate::settings::Settings;
use crate::watch::Unwatched;
use crate::{bn, embedded};

struct Before {
    run: Run,
    model: Model,
    dataset: Dataset,
}

/// A run on rows drawn from asia, as the demo makes one.
fn before() -> Before {
    let dataset = Dataset::sampled(bn::sample(&embedded::network("asia").unwrap(), 1500, 1));
    let learned = learn_from(&dataset, &Settings::default(), &Bounds::default(), &Unwatched).unwrap();
    let run = Run::new(&learned, Made { table: "@asia".into(), ..Made::default() });
    Before { model: run.model(&learned), run, dataset }
}

fn edit(wish: Wish, parent: &str, child: &str) -> Edit {
    Edit { wish, parent: parent.into(), child: child.into() }
}

fn revised(Before { run, model, dataset }: &Before, edits: &[Edit]) -> Result<Revised, Error> {
    revise((run, model), dataset, None, edits, &Bounds::default(), &Unwatched)
}

#[test]
fn without_edits_nothing_changes() {
    let before = before();
    let same = revised(&before, &[]).unwrap();
    assert_eq!(same.model.network, before.model.network);
    assert_eq!((same.score.change, same.held_out.unwrap().change), (0.0, 0.0));
    assert!(same.differences.missing.is_empty() && same.differences.extra.is_empty());
    let again = rows_again(&before.run, &before.model, None, &Bounds::default()).unwrap();
    assert_eq!(again.fingerprint, before.dataset.fingerprint);
}

#[test]
fn an_arc_that_is_turned_removed_required_or_forbidden_is() {
    let before = before();
    let arc = before.run.arcs.iter().max_by(|a, b| a.gain.total_cmp(&b.gain)).unwrap();
    let (parent, child) = (arc.parent.as_str(), arc.child.as_str());
    let has = |found: &Revised, parent: &str, child: &str| {
        let at = |name: &str| found.model.network.schema().index(name).unwrap();
        found.model.network.dag().has(at(parent), at(child))
    };
    let turned = revised(&before, &[edit(Wish::Turn, parent, child)]).unwrap();
    assert!(has(&turned, child, parent) && !has(&turned, parent, child));
    assert!(turned.differences.turned.iter().any(|arc| arc.parent == child && arc.child == parent));
    let removed = revised(&before, &[edit(Wish::Remove, parent, child)]).unwrap();
    assert!(!has(&removed, child, parent) && !has(&removed, parent, child));
    assert!(removed.differences.missing.iter().any(|arc| arc.parent == parent && arc.child == child));
    // The strongest arc is missed: by the score, and by rows that took no part.
    let held_out = removed.held_out.unwrap();
    assert!(removed.score.change < -10.0, "{:?}", removed.score);
    assert!(held_out.change < -2.0 * held_out.standard_error.unwrap(), "{held_out:?}");
    assert!((held_out.after - held_out.before - held_out.change).abs() < 1e-9);
    let required = revised(&before, &[edit(Wish::Require, "asia", "smoke")]).unwrap();
    assert!(has(&required, "asia", "smoke") && required.score.change < 0.0);
    let forbidden = revised(&before, &[edit(Wish::Forbid, parent, child)]).unwrap();
    assert!(!has(&forbidden, parent, child));
    assert_eq!(
        forbidden.command,
        [format!(
            "clausality demo asia --rows 1500 --profile hybrid{} --forbid '{parent}>{child}'",
            ess(&before.run)
        )]
    );
}

/// What the run chose for its table, the command names.
fn ess(run: &Run) -> String {
    let said = tell::again(run).remove(0);
    said.strip_prefix("clausality demo asia --rows 1500 --profile hybrid").unwrap().to_string()
}

#[test]
fn later_edits_win_over_earlier_ones_and_over_the_rules() {
    let schema = embedded::network("asia").unwrap().schema().clone();
    let arc = |text: &str| NamedArc::try_from(text.to_string()).unwrap();
    let rules = RuleSettings {
        require: vec![arc("smoke>lung")],
        forbid: vec![arc("bronc > dysp")],
        ..RuleSettings::default()
    };
    let turned = amended(&rules, &[edit(Wish::Turn, "smoke", "lung")], &schema);
    assert_eq!((turned.require, turned.forbid.len()), (vec![arc("lung>smoke")], 1));
    let wishes = [
        edit(Wish::Remove, "smoke", "lung"),
        edit(Wish::Require, "bronc", "dysp"),
        edit(Wish::Require, "smoke", "lung"),
    ];
    let all = amended(&rules, &wishes, &schema);
    assert_eq!(all.require, [arc("bronc>dysp"), arc("smoke>lung")]);
    assert_eq!(all.forbid, [arc("lung>smoke")]);
}

#[test]
fn what_cannot_be_learned_again_is_said() {
    let before = before();
    let refused = |edits: &[Edit]| revised(&before, edits).unwrap_err().to_string();
    assert_eq!(refused(&[edit(Wish::Turn, "asia", "<b>")]), "there is no node '<b>' in this run");
    assert_eq!(refused(&[edit(Wish::Turn, "asia", "asia")]), "'asia' cannot be its own parent");
    let circle = [
        edit(Wish::Require, "asia", "smoke"),
        edit(Wish::Require, "smoke", "lung"),
        edit(Wish::Require, "lung", "asia"),
    ];
    assert!(matches!(revised(&before, &circle), Err(Error::Rules(_))));
    assert!(refused(&vec![edit(Wish::Turn, "asia", "tub"); MOST_EDITS + 1]).contains("at most 1000"));
    let other = Run { rows: 1499, ..before.run.clone() };
    let changed = rows_again(&other, &before.model, None, &Bounds::default()).unwrap_err();
    assert!(matches!(changed, Error::Revise(ReviseError::Changed { .. })), "{changed}");
    let gone = Run { table: "gone.csv".into(), ..before.run.clone() };
    let gone = rows_again(&gone, &before.model, None, &Bounds::default()).unwrap_err();
    assert_eq!(gone.to_string(), "the run's table 'gone.csv' is not found: name it with --table FILE");
}
