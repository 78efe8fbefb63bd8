//! How well columns are predicted, beside the class frequencies.

use crate::session::Session;
use crate::text::{Align, Grid, Paint, chance, clean, grouped, shortened, wrap};
use clausality::evaluate::{Evaluated, Figures, Spread};
use clausality::run::Prediction;
use clausality::votes::{HeldOut, tolerance};
use clausality::words::counted;

/// Who predicts, in words.
fn who(by: &str) -> &str {
    match by {
        "baseline" => "class frequencies",
        "both" => "both together",
        "chosen" => "who won in the fold",
        other => other,
    }
}

/// A cross-validation: the figures of each beside the baseline, who wins, and the calibration and the confusions of who won in each fold, as what stands
/// above them says.
pub(crate) fn evaluated(found: &Evaluated, session: &Session) -> String {
    let Evaluated { target, rows, folds, repeats, winner, results, states, rest } = found;
    let (paint, width) = (session.paint(), session.width());
    let times = if *repeats > 1 { format!(", dealt {repeats} times") } else { String::new() };
    let head = format!(
        "{}: {} rows in {folds} folds{times}, {}",
        clean(target),
        grouped(*rows),
        counted(states.len(), "class")
    );
    let mut text = format!("{}\n\n", paint.bold(&head));
    let mut grid = Grid::new([
        ("predicted by", Align::Left),
        ("accuracy", Align::Right),
        ("balanced", Align::Right),
        ("log-loss", Align::Right),
        ("Brier", Align::Right),
        ("AUC", Align::Right),
        ("off", Align::Right),
    ]);
    let spread = |s: &Spread| format!("{:.3} ±{:.3}", s.mean, s.deviation);
    for figures in results {
        let Figures { by, accuracy, balanced_accuracy, log_loss, brier, auc, calibration_error, .. } =
            figures;
        grid.row([
            who(by).to_string(),
            spread(accuracy),
            format!("{:.3}", balanced_accuracy.mean),
            spread(log_loss),
            format!("{:.3}", brier.mean),
            auc.map_or("-".into(), |auc| format!("{:.3}", auc.mean)),
            format!("{calibration_error:.3}"),
        ]);
    }
    text.push_str(&grid.render(width, paint));
    let Some((baseline, best)) = results.first().zip(results.iter().find(|r| r.by == winner.word())) else {
        return text;
    };
    let marks =
        "± is the standard deviation over the folds, 'off' how far confidence and accuracy are apart.";
    let chosen = results.last().unwrap_or(best);
    let verdict = if chosen.log_loss.mean < baseline.log_loss.mean - found.doubt() {
        format!(
            "Who won in the fold, as `predict` would use it: log-loss {:.4} against {:.4} of the class frequencies; it predicts {} % of the rows \
             rightly, those {} %. Best by log-loss over all folds: {}. {marks}",
            chosen.log_loss.mean,
            baseline.log_loss.mean,
            percent(chosen.accuracy.mean),
            percent(baseline.accuracy.mean),
            who(winner.word()),
        )
    } else {
        format!(
            "Nothing here predicts {} better than the class frequencies do: log-loss {:.4} against {:.4}. {marks}",
            clean(target),
            chosen.log_loss.mean,
            baseline.log_loss.mean,
        )
    };
    text.push('\n');
    wrap(&verdict, width).iter().for_each(|line| text.push_str(&format!("{line}\n")));
    if let Some(rest) = rest {
        text.push('\n');
        wrap(&clean(&rest.sentence()), width).iter().for_each(|line| text.push_str(&format!("{line}\n")));
    }
    text.push_str(&format!("\n{}", reliability(chosen).render(width, paint)));
    text.push_str(&format!("\n{}", confusion(chosen, states, width, paint)));
    text
}

fn percent(share: f64) -> String {
    format!("{:.1}", 100.0 * share)
}

/// How often predictions of about the same probability are right.
fn reliability(figures: &Figures) -> Grid {
    let mut grid = Grid::new([
        ("mean probability of the prediction", Align::Left),
        ("rows", Align::Right),
        ("correct", Align::Right),
    ]);
    for bin in &figures.calibration {
        grid.row([chance(bin.confidence), grouped(bin.rows), chance(bin.accuracy)]);
    }
    grid
}

/// Letters of a class in the head of the table of confusions, and the room that it takes.
const LABEL: (usize, usize) = (10, 12);
/// What stands at the left of that table, and the most classes in it.
const FIRST: (&str, usize) = ("truth, then predicted as", 8);

/// Rows by truth and prediction: of the most frequent classes where not all fit on the screen; the JSON document has all.
fn confusion(figures: &Figures, states: &[String], width: usize, paint: Paint) -> String {
    let shown = (width.saturating_sub(FIRST.0.len()) / LABEL.1).clamp(2, FIRST.1);
    let rows = |class: &usize| figures.confusion[*class].iter().sum::<f64>();
    let mut classes: Vec<usize> = (0..states.len()).collect();
    let all = classes.len();
    if all > shown {
        classes.sort_by(|a, b| rows(b).total_cmp(&rows(a)).then(a.cmp(b)));
        classes.truncate(shown);
    }
    let (heads, labels) = named(&classes, states);
    let head = [(FIRST.0, Align::Left)].into_iter();
    let mut grid = Grid::new(head.chain(heads.iter().map(|label| (label.as_str(), Align::Right))));
    for (&class, label) in classes.iter().zip(&labels) {
        let row = &figures.confusion[class];
        let counts = classes.iter().map(|&other| grouped(row[other].round() as usize));
        grid.row([label.clone()].into_iter().chain(counts));
    }
    let rest = match all - classes.len() {
        0 => String::new(),
        more => {
            format!("The most frequent classes; {} more are in the JSON document (--json).\n", grouped(more))
        }
    };
    format!("{}{rest}", grid.render(width, paint))
}

/// What stands above and beside the table of confusions: labels, and numbers above where labels cut short are the same.
fn named(classes: &[usize], states: &[String]) -> (Vec<String>, Vec<String>) {
    let cut = |most: usize| -> Vec<String> {
        classes.iter().map(|&class| shortened(&clean(&states[class]), most).into_owned()).collect()
    };
    let (heads, labels) = (cut(LABEL.0), cut(FIRST.0.len()));
    let mut apart: Vec<&String> = heads.iter().collect();
    apart.sort_unstable();
    apart.dedup();
    if apart.len() == heads.len() {
        return (heads, labels);
    }
    let numbered = |(k, label): (usize, &String)| format!("{} {label}", k + 1);
    ((1..=heads.len()).map(|k| k.to_string()).collect(), labels.iter().enumerate().map(numbered).collect())
}

/// What learning found of its targets: held out, each beside the class frequencies.
pub(crate) fn held_out(found: &[Prediction], session: &Session) -> String {
    let mut grid = Grid::new([
        ("target", Align::Left),
        ("predicted by", Align::Left),
        ("accuracy", Align::Right),
        ("balanced", Align::Right),
        ("log-loss", Align::Right),
        ("AUC", Align::Right),
        ("", Align::Left),
    ]);
    for Prediction { target, won, held_out, .. } in found {
        for (k, HeldOut { by, accuracy, balanced_accuracy, log_loss, auc, .. }) in held_out.iter().enumerate()
        {
            grid.row([
                if k == 0 { clean(target).into_owned() } else { String::new() },
                who(by).to_string(),
                format!("{accuracy:.3}"),
                format!("{balanced_accuracy:.3}"),
                format!("{log_loss:.4}"),
                auc.map_or("-".into(), |auc| format!("{auc:.3}")),
                if by == won.word() { "predicts".into() } else { String::new() },
            ]);
        }
    }
    let why = found.iter().find_map(|found| tolerance(found.won, &found.held_out));
    let why: String =
        why.into_iter().flat_map(|why| wrap(why, session.width())).map(|line| line + "\n").collect();
    format!("\nOn rows held out (five folds):\n\n{}{why}", grid.render(session.width(), session.paint()))
}
