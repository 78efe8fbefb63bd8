//! Columns that say what others say, and the option that leaves one out.

use crate::failure::option;
use crate::text::{Paint, clean, wrap};
use clausality::data::Twin;

/// A line for each, or nothing.
pub(crate) fn section(twins: &[Twin], width: usize, paint: Paint) -> String {
    if twins.is_empty() {
        return String::new();
    }
    let mut text = format!("\n{}\n", paint.bold("Too good to be a finding?"));
    for twin in twins {
        let line = format!("{}. Leave it out? {}", clean(&twin.sentence()), clean(&option(&twin.advice())));
        text.push_str(&format!("  {}\n", wrap(&line, width.saturating_sub(4)).join("\n    ")));
    }
    text
}
