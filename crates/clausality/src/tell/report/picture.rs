//! The network as a picture.

use super::html::Html;
use super::{FEW_NODES, Subject};
use crate::tell::picture;
use clausality_bn::draw::{Form, Picture, svg};

pub(super) fn section(html: &mut Html, subject: &Subject<'_>) {
    let run = &subject.folder.run;
    html.markup("<section id=\"picture\">\n<h2>The picture</h2>\n");
    html.markup("<p class=\"note\">Parents stand above their children; the wider an arc, the ");
    html.text(match run.bootstrap.is_some() {
        true => "surer it is: the more often the two were joined when rows were drawn anew.",
        false => "more the machines learned about the child from the parent.",
    });
    html.markup("</p>\n");
    if subject.network.len() > FEW_NODES {
        html.markup(
            "<input type=\"checkbox\" id=\"fit\"/> <label for=\"fit\">Fit it into the page</label>\n",
        );
    }
    if run.time.is_some() {
        html.markup("<p class=\"note\">A number on an arc says how many steps it takes, 0 that it acts within a step; behind a name (↺) stand the steps of its own past that it depends on.</p>\n");
        drawn(html, &picture::summary(run));
        html.markup("<details>\n<summary>Step by step</summary>\n");
        drawn(html, &picture::of_run(run));
        html.markup("</details>\n");
    } else {
        drawn(html, &picture::of_run(run));
    }
    html.markup("</section>\n");
}

fn drawn(html: &mut Html, picture: &Picture) {
    html.markup("<div class=\"scroll picture\">\n").drawing(&svg(picture, Form::Part));
    html.markup("</div>\n");
}
