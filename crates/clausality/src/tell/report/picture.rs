//! The network as a picture.

use super::Subject;
use super::html::Html;
use crate::tell::picture;
use clausality_bn::draw::{Form, Picture, svg};

/// The whole picture, scaled to fit beside what is said of it; at full size if the reader asks.
pub(super) fn beside(html: &mut Html, subject: &Subject<'_>) {
    let run = &subject.folder.run;
    html.markup("<div class=\"show\" id=\"picture\">\n");
    if run.time.is_some() {
        drawn(html, &picture::summary(run));
    } else {
        drawn(html, &picture::of_run(run));
    }
    html.markup("<p class=\"note\">Parents stand above their children; the wider an arc, the ");
    html.text(match run.bootstrap.is_some() {
        true => "surer it is: the more often the two were joined when rows were drawn anew.",
        false => "more the machines learned about the child from the parent.",
    });
    html.markup(" <label><input type=\"checkbox\" id=\"large\"/> Full size</label></p>\n");
    if run.time.is_some() {
        html.markup("<p class=\"note\">A number on an arc says how many steps it takes, 0 that it acts within a step; behind a name (↺) stand the steps of its own past that it depends on.</p>\n");
        html.markup("<details>\n<summary>Step by step</summary>\n");
        drawn(html, &picture::of_run(run));
        html.markup("</details>\n");
    }
    html.markup("</div>\n");
}

fn drawn(html: &mut Html, picture: &Picture) {
    html.markup("<div class=\"scroll picture\">\n").drawing(&svg(picture, Form::Part));
    html.markup("</div>\n");
}
