//! The end of the page: how to go on.

use super::html::Html;
use super::{Subject, command, summary};
use crate::learn::LearnedArc;
use crate::rules::Role;
use crate::run::Run;

pub(super) fn section(html: &mut Html, subject: &Subject<'_>) {
    let run = &subject.folder.run;
    html.markup("<section id=\"next\">\n<h2>What next</h2>\n<p class=\"note\">To look around in a browser, to ask, and to see why; RUN is the folder that <code>learn --run RUN</code> wrote:</p>\n<pre>");
    html.text_lines(&lines(run, "RUN")).markup("</pre>\n<p class=\"note\">To make it again, to the last bit with the same table and version:</p>\n<pre>");
    html.text_lines(&command::again(run)).markup("</pre>\n</section>\n");
}

/// Commands about what a run in a folder is about: what was to be predicted, else the end of the arc that gains most.
pub(super) fn lines(run: &Run, folder: &str) -> Vec<String> {
    let folder = command::quoted(folder);
    let mut lines = vec![format!("clausality explore {folder}")];
    let predicted = run.predictions.first().map(|prediction| &prediction.target);
    let sought =
        || run.targets.iter().find(|target| target.role == Role::Unobserved).map(|target| &target.name);
    // That a column repeats another is nothing to ask about.
    let own = |arc: &&LearnedArc| !summary::repeats(run, &arc.parent, &arc.child);
    let strongest =
        || run.arcs.iter().filter(own).max_by(|a, b| a.gain.total_cmp(&b.gain)).map(|arc| &arc.child);
    if let Some(name) = predicted.or_else(sought).or_else(strongest) {
        let name = command::quoted(name);
        lines.push(format!("clausality query {folder} --target {name} --next"));
        lines.push(format!("clausality explain {folder} --node {name}"));
    }
    lines
}
