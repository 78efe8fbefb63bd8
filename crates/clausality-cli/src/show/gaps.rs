//! What the gaps of a table say, on the screen.

use super::twins::advised;
use crate::session::Session;
use crate::text::{Align, Grid, clean, grouped, wrap};
use clausality::data::{ColumnReport, Told, Twin};
use clausality::gaps::{Gaps, meaning};

/// Combinations of columns that are listed.
const PATTERNS: usize = 5;
/// Findings that are told; a document holds them all.
const FINDINGS: usize = 12;

/// A section of its own.
pub(crate) fn told(gaps: &Gaps, columns: &[ColumnReport], session: &Session) -> String {
    let mut text = format!("\n{}\n\n", session.paint().bold("Gaps"));
    let mut say = |start: &str, sentence: &str| {
        let lines = wrap(&clean(sentence), session.width().saturating_sub(2));
        for (k, line) in lines.iter().enumerate() {
            text.push_str(if k == 0 { start } else { "  " });
            text.push_str(line);
            text.push('\n');
        }
    };
    say("", &gaps.opening(columns));
    let sentences = gaps.sentences();
    sentences.iter().take(FINDINGS).for_each(|sentence| say("- ", sentence));
    if sentences.len() > FINDINGS {
        say("- ", &format!("and {} more, with --json", sentences.len() - FINDINGS));
    }
    if gaps.patterns.iter().any(|pattern| pattern.columns.len() > 1) {
        let mut grid = Grid::new([("rows", Align::Right), ("missing together", Align::Wrap)]);
        for pattern in gaps.patterns.iter().take(PATTERNS) {
            grid.row([grouped(pattern.rows), pattern.names()]);
        }
        let others = gaps.other_patterns + gaps.patterns.len().saturating_sub(PATTERNS);
        if others > 0 {
            grid.dim_row(["".to_string(), format!("and {} rarer combinations", grouped(others))]);
        }
        text.push('\n');
        text.push_str(&grid.render(session.width(), session.paint()));
    }
    text + &telling(gaps, columns, &[], session)
}

/// Gaps that seem to mean something, and the options that make them states; and those that no state should copy: a line each, or nothing.
/// Columns that give an answer away are told as too good.
pub(crate) fn telling(gaps: &Gaps, columns: &[ColumnReport], twins: &[Twin], session: &Session) -> String {
    let line =
        |line: &Told| format!("\n{}\n", wrap(&advised(line), session.width().saturating_sub(2)).join("\n  "));
    meaning(&gaps.telling(columns, twins)).iter().map(line).collect()
}
