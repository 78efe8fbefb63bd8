//! Facts in lines.

use crate::session::Session;
use crate::text::{self, clean};
use unicode_width::UnicodeWidthStr;

/// Lines of a label and a value, the values below each other and wrapped.
pub(crate) fn facts(facts: &[(&str, String)], session: &Session) -> String {
    let margin = facts.iter().map(|(label, _)| label.width()).max().unwrap_or(0) + 2;
    let mut out = String::new();
    for (label, value) in facts {
        let value = clean(value);
        for (k, line) in text::wrap(&value, session.width().saturating_sub(margin)).iter().enumerate() {
            let label = if k == 0 { label } else { "" };
            let blank = " ".repeat(margin - label.width());
            out.push_str(format!("{label}{blank}{line}").trim_end());
            out.push('\n');
        }
    }
    out
}
