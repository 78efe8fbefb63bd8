//! Text in double quotes with backslashes, as BIF and NET files have it.
//!
//! `\"`, `\\`, `\n`, `\r` and `\t` are escapes; any other backslash is itself.

use std::borrow::Cow;

/// What stands in the quotes that open at `text[0]`, and the length with both quotes; nothing if they never close.
pub(super) fn read(text: &str, several_lines: bool) -> Option<(Cow<'_, str>, usize)> {
    let plain = |c| match c {
        'n' => Some(Some('\n')),
        'r' => Some(Some('\r')),
        't' => Some(Some('\t')),
        '"' | '\\' => Some(Some(c)),
        _ => None,
    };
    let length = length(text, several_lines)?;
    Some((unescape(&text[1..length - 1], plain), length))
}

/// The length, with both quotes, of what stands in the quotes that open at `text[0]`.
pub(super) fn length(text: &str, several_lines: bool) -> Option<usize> {
    let body = &text[1..];
    let mut escaped = false;
    for (i, b) in body.bytes().enumerate() {
        match b {
            b'\n' if !several_lines => return None,
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'"' => return Some(i + 2),
            _ => {}
        }
    }
    None
}

/// The text that is meant: `plain` says which letters behind a backslash stand with it for another one, or for none.
pub(super) fn unescape(body: &str, plain: impl Fn(char) -> Option<Option<char>>) -> Cow<'_, str> {
    if !body.contains('\\') {
        return Cow::Borrowed(body);
    }
    let mut out = String::with_capacity(body.len());
    let mut chars = body.chars().peekable();
    while let Some(c) = chars.next() {
        match chars.peek().filter(|_| c == '\\').and_then(|&next| plain(next)) {
            Some(meant) => {
                out.extend(meant);
                chars.next();
            }
            None => out.push(c),
        }
    }
    Cow::Owned(out)
}

/// The text in quotes.
pub(super) fn write(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}
