//! Text for a terminal: safe names, colours, wrapping and tables that fit the width.

pub(crate) use clausality::words::{clean, grouped, percent};
use std::borrow::Cow;
use std::io::{self, IsTerminal};
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Columns of the terminal: `COLUMNS`, else what the terminal says, else 80; never under 40.
pub(crate) fn terminal_width() -> usize {
    let told = std::env::var("COLUMNS").ok().and_then(|columns| columns.trim().parse().ok());
    let asked = || terminal_size::terminal_size().map(|(width, _)| usize::from(width.0));
    told.or_else(asked).unwrap_or(80).clamp(40, 400)
}

/// Colours, or their absence.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Paint {
    on: bool,
}

impl Paint {
    pub(crate) fn new(on: bool) -> Self {
        Paint { on }
    }

    /// For headings.
    pub(crate) fn bold(self, text: &str) -> String {
        self.wrap("1", text)
    }

    /// For what matters less.
    pub(crate) fn dim(self, text: &str) -> String {
        self.wrap("2", text)
    }

    fn wrap(self, code: &str, text: &str) -> String {
        if self.on && !text.is_empty() { format!("\u{1b}[{code}m{text}\u{1b}[0m") } else { text.to_string() }
    }
}

/// A probability with the digits that matter, the same width where they are of the same order.
pub(crate) fn chance(p: f64) -> String {
    match p {
        0.0 => "0".to_string(),
        1.0 => "1".to_string(),
        p if (0.0001..0.99995).contains(&p) => format!("{p:.4}"),
        p if p >= 0.99995 => format!("1 - {:.0e}", 1.0 - p),
        p => format!("{p:.1e}"),
    }
}

/// A blank at which no line breaks; shown as an ordinary one.
pub(crate) const TIED: char = '\u{a0}';

/// What is said on stderr: one line where a program reads it, and lines that break between words where a person does.
pub(crate) fn spoken(line: &str) -> String {
    match io::stderr().is_terminal() {
        true => wrap(line, terminal_width() - 2).join("\n  "),
        false => line.to_string(),
    }
}

/// Breaks text into lines of at most `width` columns, at blanks where possible.
pub(crate) fn wrap(text: &str, width: usize) -> Vec<String> {
    let width = width.max(1);
    let mut lines = Vec::new();
    let mut line = String::new();
    for word in text.split(' ') {
        let needed = word.width() + if line.is_empty() { 0 } else { 1 };
        if !line.is_empty() && line.width() + needed > width {
            lines.push(std::mem::take(&mut line));
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
        // A word may be a megabyte long: what is left of it is neither measured nor copied for each of its lines.
        let whole = std::mem::take(&mut line);
        let mut rest = whole.as_str();
        while fitting(rest, width) < rest.len() {
            let (first, others) = rest.split_at(breaking(rest, width));
            lines.push(first.to_string());
            rest = others;
        }
        line = rest.to_string();
    }
    lines.push(line);
    lines
}

/// A command in lines that a shell takes for one: broken at blanks that no quotes hold, each but the last with a backslash.
pub(crate) fn pasted(command: &str, width: usize) -> Vec<String> {
    let (mut quote, mut escaped) = (None, false);
    let words = command.split(|letter| {
        let literal = std::mem::take(&mut escaped);
        match (letter, quote) {
            _ if literal => {}
            ('\\', None | Some('"')) => escaped = true,
            ('\'' | '"', None) => quote = Some(letter),
            (_, Some(open)) if letter == open => quote = None,
            _ => {}
        }
        letter == ' ' && !literal && quote.is_none()
    });
    let mut lines: Vec<String> = Vec::new();
    for word in words {
        match lines.last_mut() {
            Some(line) if line.width() + 1 + word.width() + 2 <= width => {
                line.push(' ');
                line.push_str(word);
            }
            Some(line) => {
                line.push_str(" \\");
                lines.push(format!("  {word}"));
            }
            None => lines.push(word.to_string()),
        }
    }
    lines
}

/// Where to break a word that is too long: after the last joint that fits, else where the width ends.
fn breaking(word: &str, width: usize) -> usize {
    let end = fitting(word, width);
    let is_joint = |letter: char| matches!(letter, '_' | '-' | '/' | '.' | TIED);
    let joint = word[..end].char_indices().rfind(|&(_, letter)| is_joint(letter));
    match joint.map(|(at, letter)| at + letter.len_utf8()) {
        Some(at) if word[..at].width() * 2 > width => at,
        _ => end,
    }
}

/// The text, or its beginning and an ellipsis if it is wider than that.
pub(crate) fn shortened(text: &str, width: usize) -> Cow<'_, str> {
    if text.width() <= width {
        return Cow::Borrowed(text);
    }
    let room = width.saturating_sub(1).max(1);
    Cow::Owned(format!("{}…", text[..fitting(text, room)].trim_end()))
}

/// How many bytes of the text fit the width; at least one character.
fn fitting(text: &str, width: usize) -> usize {
    let mut used = 0;
    for (at, c) in text.char_indices() {
        used += c.width().unwrap_or(0);
        if used > width && at > 0 {
            return at;
        }
    }
    text.len()
}

/// How the cells of a column stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Align {
    Left,
    Right,
    /// To the left, and the first to give way where the line is too narrow.
    Wrap,
    /// The same; what goes on in another line stands in from the edge: for sentences that would else look like rows of their own.
    Hang,
}

/// A table that fits a width: columns are as wide as their cells, and where that is too much the wide ones wrap.
#[derive(Debug)]
pub(crate) struct Grid {
    columns: Vec<(String, Align)>,
    rows: Vec<Row>,
}

#[derive(Debug)]
struct Row {
    cells: Vec<String>,
    dim: bool,
}

const GAP: usize = 2;
const HANG: usize = 2;

impl Grid {
    /// An empty table with these headings.
    pub(crate) fn new<'a>(columns: impl IntoIterator<Item = (&'a str, Align)>) -> Self {
        let columns = columns.into_iter().map(|(name, align)| (name.to_string(), align)).collect();
        Grid { columns, rows: Vec::new() }
    }

    /// Adds a row; names from data may stand in it as they are.
    pub(crate) fn row(&mut self, cells: impl IntoIterator<Item = impl AsRef<str>>) {
        self.push(cells, false);
    }

    /// Adds a row that matters less.
    pub(crate) fn dim_row(&mut self, cells: impl IntoIterator<Item = impl AsRef<str>>) {
        self.push(cells, true);
    }

    fn push(&mut self, cells: impl IntoIterator<Item = impl AsRef<str>>, dim: bool) {
        let mut cells: Vec<String> =
            cells.into_iter().map(|cell| clean(cell.as_ref()).into_owned()).collect();
        cells.resize(self.columns.len(), String::new());
        self.rows.push(Row { cells, dim });
    }

    /// The table as text, each line ended.
    pub(crate) fn render(&self, width: usize, paint: Paint) -> String {
        let widths = self.widths(width);
        let head: Vec<String> = self.columns.iter().map(|(name, _)| name.clone()).collect();
        let mut text = String::new();
        for line in self.lines(&head, &widths) {
            text.push_str(&paint.bold(&line));
            text.push('\n');
        }
        let rule = widths.iter().sum::<usize>() + GAP * widths.len().saturating_sub(1);
        text.push_str(&paint.dim(&"─".repeat(rule)));
        text.push('\n');
        for row in &self.rows {
            for line in self.lines(&row.cells, &widths) {
                text.push_str(&if row.dim { paint.dim(&line) } else { line });
                text.push('\n');
            }
        }
        text
    }

    /// Natural widths; where the line is too narrow wrapping columns give way first, then those to the left.
    fn widths(&self, total: usize) -> Vec<usize> {
        let cells = |i: usize| self.rows.iter().map(move |row| &row.cells[i]);
        let mut widths: Vec<usize> = (0..self.columns.len())
            .map(|i| cells(i).map(|cell| cell.width()).max().unwrap_or(0).max(self.columns[i].0.width()))
            .collect();
        let room = total.saturating_sub(GAP * widths.len().saturating_sub(1));
        let wraps = |align| matches!(align, Align::Wrap | Align::Hang);
        for (wrapping, least) in [(true, 32), (false, 18), (true, 20), (false, 10), (true, 10)] {
            while widths.iter().sum::<usize>() > room {
                let may = |&i: &usize| {
                    let align = self.columns[i].1;
                    align != Align::Right && wraps(align) == wrapping && widths[i] > least
                };
                let Some(widest) = (0..widths.len()).filter(may).max_by_key(|&i| widths[i]) else { break };
                widths[widest] -= 1;
            }
        }
        widths
    }

    fn lines(&self, row: &[String], widths: &[usize]) -> Vec<String> {
        let cell = |((cell, &width), (_, align)): ((&String, &usize), &(String, Align))| match align {
            Align::Hang if cell.width() > width => {
                let mut lines = wrap(cell, width.saturating_sub(HANG).max(1));
                lines.iter_mut().skip(1).for_each(|line| line.insert_str(0, &" ".repeat(HANG)));
                lines
            }
            _ => wrap(cell, width),
        };
        let cells: Vec<Vec<String>> = row.iter().zip(widths).zip(&self.columns).map(cell).collect();
        let height = cells.iter().map(Vec::len).max().unwrap_or(1);
        let line = |k: usize| {
            let mut line = String::new();
            for ((cell, &width), (_, align)) in cells.iter().zip(widths).zip(&self.columns) {
                let part = cell.get(k).map_or("", String::as_str);
                let blank = " ".repeat(width.saturating_sub(part.width()));
                match align {
                    Align::Left | Align::Wrap | Align::Hang => line.extend([part, &blank]),
                    Align::Right => line.extend([&blank, part]),
                }
                line.push_str(&" ".repeat(GAP));
            }
            line.trim_end().replace(TIED, " ")
        };
        (0..height).map(line).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_wrap_at_blanks_and_break_long_words() {
        assert_eq!(wrap("the quick brown fox", 9), ["the quick", "brown fox"]);
        assert_eq!(wrap("abcdefgh ij", 3), ["abc", "def", "gh", "ij"]);
        assert_eq!(wrap("日本語", 4), ["日本", "語"]);
        assert_eq!(wrap("total_of_wines", 10), ["total_of_", "wines"]);
        assert_eq!(wrap("", 5), [""]);
    }

    #[test]
    fn long_texts_are_shortened() {
        assert_eq!(shortened("short", 5), "short");
        assert_eq!(shortened("a longer text", 9), "a longer…");
        assert_eq!(shortened("日本語", 5), "日本…");
    }

    #[test]
    fn what_hangs_goes_on_in_from_the_edge() {
        let mut grid = Grid::new([("rule", Align::Hang), ("n", Align::Right)]);
        grid.row(["a = 1 when b is more than three and c", "7"]);
        grid.row(["a = 2 when d", "12"]);
        let text = grid.render(36, Paint::new(false));
        let lines: Vec<&str> = text.lines().skip(2).map(str::trim_end).collect();
        let first = format!("{:<32}   7", "a = 1 when b is more than");
        let last = format!("{:<32}  12", "a = 2 when d");
        assert_eq!(lines, [&*first, "  three and c", &*last]);
    }

    #[test]
    fn commands_break_where_a_shell_goes_on() {
        assert_eq!(pasted("query run --target a", 40), ["query run --target a"]);
        let found = pasted("query run --target 'a long name' --next", 26);
        assert_eq!(found, ["query run --target \\", "  'a long name' --next"]);
        assert_eq!(
            pasted("explain 'it'\\''s a longer one'", 10),
            ["explain \\", "  'it'\\''s a longer one'"]
        );
    }

    #[test]
    fn tied_words_stay_together() {
        let tied = format!("one{TIED}two three");
        assert_eq!(wrap(&tied, 9), [format!("one{TIED}two"), "three".into()]);
        // Where they are too long for a line they break at their blanks, and no word does.
        let tied = format!("note{TIED}={TIED}Course{TIED}record");
        assert_eq!(wrap(&tied, 16), [format!("note{TIED}={TIED}Course{TIED}"), "record".into()]);
    }

    #[test]
    fn grids_fit_the_width() {
        let mut grid = Grid::new([("name", Align::Left), ("n", Align::Right), ("why", Align::Wrap)]);
        grid.row(["color", "12", "a rather long explanation that has to wrap onto a second line"]);
        grid.row(["日本", "7", "short"]);
        let text = grid.render(40, Paint::new(false));
        assert!(text.lines().all(|line| line.width() <= 40), "{text}");
        assert!(text.starts_with("name    n  why\n"), "{text}");
        assert!(text.contains("日本    7  short"), "{text}");
    }
}
