//! What there is to tell of series.

use crate::session::Session;
use crate::text::{clean, wrap};
use clausality::time::Course;

/// The series of a table, in a few lines.
pub(crate) fn told(course: &Course, session: &Session) -> String {
    let mut text = String::from("\n");
    for line in course.sentences().iter().flat_map(|sentence| wrap(&clean(sentence), session.width())) {
        text.push_str(&line);
        text.push('\n');
    }
    text
}
