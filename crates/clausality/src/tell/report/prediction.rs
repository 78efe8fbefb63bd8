//! How well the targets are predicted: class frequencies, network, machines and both, side by side.

use super::Subject;
use super::html::Html;
use crate::evaluate::Evaluated;
use crate::run::Prediction;
use crate::votes::tolerance;
use crate::words::counted;

pub(super) fn section(html: &mut Html, subject: &Subject<'_>) {
    let run = &subject.folder.run;
    html.markup("<section id=\"predictions\">\n<h2>Predicted columns</h2>\n<p class=\"note\">");
    html.text("On rows that took no part in learning, beside the mere frequencies of the classes. The best by log-loss predicts.");
    html.markup("</p>\n");
    for prediction in &run.predictions {
        let Prediction { target, won, held_out, .. } = prediction;
        html.markup("<h3>");
        html.link(target);
        html.markup(" <span class=\"faint\">");
        html.text(format!("five folds of {}", counted(held_out.first().map_or(0, |held| held.rows), "row")));
        html.markup("</span></h3>\n");
        let rows = held_out.iter().map(|held| {
            let figures = [
                Some(held.accuracy),
                Some(held.balanced_accuracy),
                Some(held.log_loss),
                Some(held.brier),
                held.auc,
                Some(held.calibration_error),
            ];
            (held.by.as_str(), figures, held.by == won.word())
        });
        table(html, rows, "predicts");
        if let Some(why) = tolerance(*won, held_out) {
            html.markup("<p class=\"note\">").text(why).markup("</p>\n");
        }
    }
    for evaluated in &run.evaluations {
        let Evaluated { target, folds, repeats, rows, results, winner, .. } = evaluated;
        html.markup("<h3>");
        html.link(target);
        html.markup(" <span class=\"faint\">");
        html.text(format!(
            "everything learned anew: {}, {}, dealt {repeats} ×",
            counted(*rows, "row"),
            counted(*folds, "fold")
        ));
        html.markup("</span></h3>\n");
        let rows = results.iter().map(|found| {
            let figures = [
                Some(found.accuracy.mean),
                Some(found.balanced_accuracy.mean),
                Some(found.log_loss.mean),
                Some(found.brier.mean),
                found.auc.map(|auc| auc.mean),
                Some(found.calibration_error),
            ];
            (found.by.as_str(), figures, found.by == winner.word())
        });
        table(html, rows, "best");
    }
    html.markup("</section>\n");
}

/// The figures of each; the mark stands behind whom it belongs to.
fn table<'a>(
    html: &mut Html,
    rows: impl Iterator<Item = (&'a str, [Option<f64>; 6], bool)>,
    mark: &'static str,
) {
    html.markup("<div class=\"scroll\"><table>\n<thead><tr><th>Predicted by</th>");
    for head in ["Accuracy", "Balanced", "Log-loss", "Brier", "AUC", "Calibration off by"] {
        html.classed("th", "n", head);
    }
    html.markup("<th></th></tr></thead>\n<tbody>\n");
    for (by, figures, best) in rows {
        let who = match by {
            "baseline" => "class frequencies",
            "both" => "both together",
            "chosen" => "who won in the fold",
            other => other,
        };
        html.markup("<tr>").element("th", who);
        for figure in figures {
            html.classed("td", "n", figure.map_or("–".to_string(), |figure| format!("{figure:.3}")));
        }
        html.classed("td", "faint", if best { mark } else { "" }).markup("</tr>\n");
    }
    html.markup("</tbody></table></div>\n");
}
