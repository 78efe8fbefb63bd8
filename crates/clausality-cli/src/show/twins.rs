//! Columns that say what others say, and the option that leaves one out.

use crate::failure::option;
use crate::text::{Paint, clean, wrap};
use clausality::data::{Told, Twin, told_briefly};

/// A line for each, of many like each other one for all of them, or nothing.
pub(crate) fn section(twins: &[Twin], width: usize, paint: Paint) -> String {
    if twins.is_empty() {
        return String::new();
    }
    let mut text = format!("\n{}\n", paint.bold("Too good to be a finding?"));
    for line in told_briefly(twins) {
        text.push_str(&format!("  {}\n", wrap(&advised(&line), width.saturating_sub(4)).join("\n    ")));
    }
    text
}

/// A line, and the options that do what it says.
pub(crate) fn advised(line: &Told) -> String {
    let options: Vec<String> = line.advice.iter().map(option).collect();
    let end = if options.is_empty() { ".".to_string() } else { format!(" {}", options.join(" ")) };
    clean(&format!("{}{end}", line.text)).into_owned()
}
