//! How the run was made, and how to make it again.

use super::html::Html;
use super::{Subject, arcs};
use crate::assemble::Assembler;
use crate::run::Run;
use crate::words::{counted, grouped, percent};
use serde_json::Value;

/// Warnings that are shown at once.
const SHOWN: usize = 4;

pub(super) fn section(html: &mut Html, subject: &Subject<'_>) {
    let run = &subject.folder.run;
    html.markup("<section id=\"making\">\n<h2>How it was made</h2>\n");
    html.markup("<p class=\"note\">With the same table and version the command at the <a href=\"#next\">end of the page</a> makes the same network again, to the last bit.</p>\n");
    facts(html, run);
    warnings(html, &run.warnings);
    machines(html, run);
    params(html, run);
    html.markup("</section>\n");
}

fn facts(html: &mut Html, run: &Run) {
    html.markup("<dl>\n");
    let mut fact = |name: &'static str, value: String| {
        html.element("dt", name).element("dd", value).markup("\n");
    };
    fact("Table", format!("{}, {}", run.table, run.counted_rows()));
    fact("Fingerprint of its content", run.fingerprint.to_string());
    fact("Seed", run.seed.to_string());
    fact("Version", format!("clausality {}", run.version));
    fact("Time", format!("{:.1} seconds", run.seconds));
    if let Some(course) = &run.time {
        fact("Series", course.sentences().join(" "));
    }
    let network = &run.params.network;
    let assembler = network.assembler.map_or("unknown", Assembler::word);
    fact("Method", format!("profile {}, assembler {assembler}", run.params.profile.word()));
    fact("Score of the network", format!("{} ({})", arcs::score(run.score), network.score.title()));
    if let Some(probabilities) = &run.probabilities {
        fact("Probabilities", probabilities.sentence());
    }
    if let Some(again) = &run.bootstrap {
        let (tables, arcs) = (counted(again.rounds, "table"), counted(again.consensus.len(), "arc"));
        let share = percent(again.threshold);
        let text = format!(
            "from {tables} of rows drawn anew; consensus of pairs joined in at least {share} of them: {arcs}"
        );
        fact("Learned again", text);
    }
    html.markup("</dl>\n");
}

fn warnings(html: &mut Html, warnings: &[String]) {
    if warnings.is_empty() {
        return;
    }
    let list = |html: &mut Html| {
        html.markup("<ul>\n");
        for warning in warnings {
            html.element("li", warning).markup("\n");
        }
        html.markup("</ul>\n");
    };
    if warnings.len() <= SHOWN {
        html.markup("<h3>What deserved attention</h3>\n");
        return list(html);
    }
    html.markup("<details>\n<summary>")
        .text(format!("What deserved attention: {} notes", grouped(warnings.len())));
    html.markup("</summary>\n");
    list(html);
    html.markup("</details>\n");
}

fn machines(html: &mut Html, run: &Run) {
    html.markup("<details>\n<summary>").text(format!("The machines that learned: {}", run.machines.len()));
    html.markup(
        "</summary>\n<table class=\"narrow\">\n<thead><tr><th>Machine</th><th class=\"n\">Clauses</th>",
    );
    html.markup("<th class=\"n\">Threshold</th><th class=\"n\">Specificity</th><th class=\"n\">Literals</th></tr></thead>\n<tbody>\n");
    for model in &run.machines {
        let machine = &model.machine;
        html.markup("<tr>").element("td", &model.name);
        html.classed("td", "n", machine.clauses.to_string()).classed(
            "td",
            "n",
            machine.threshold.to_string(),
        );
        html.classed("td", "n", machine.specificity.to_string());
        html.classed("td", "n", machine.literal_budget.map_or("any".into(), |budget| budget.to_string()));
        html.markup("</tr>\n");
    }
    html.markup("</tbody></table>\n</details>\n");
}

fn params(html: &mut Html, run: &Run) {
    html.markup("<details>\n<summary>All parameters</summary>\n<dl class=\"params\">\n");
    for (name, value) in &run.params.fields() {
        let shown = match value {
            Value::Null => "by default".to_string(),
            Value::String(text) => text.clone(),
            Value::Array(list) if list.is_empty() => "none".to_string(),
            Value::Object(fields) if fields.is_empty() => "none".to_string(),
            other => other.to_string(),
        };
        html.markup("<div>").element("dt", name).element("dd", shown).markup("</div>\n");
    }
    html.markup("</dl>\n</details>\n");
}
