//! What stands before the first element: declaration, comments, instructions, document type.
//!
//! Scanned here and not by the XML parser, which would take a `<` in a comment of the document type for markup, and
//! which does not look into it.

use crate::Error;
use crate::error::shown;
use crate::io::at;

/// Checks everything before the first element and gives its offset (the end of the text if there is none).
pub(super) fn end(text: &str) -> Result<usize, Error> {
    let mut next = 0;
    let mut typed = false;
    loop {
        next += blanks(&text[next..]);
        let rest = &text[next..];
        if rest.starts_with("<!--") {
            next += closed(text, next, "-->", "comment")?;
        } else if rest.starts_with("<?") {
            let length = closed(text, next, "?>", "instruction")?;
            if rest.starts_with("<?xml") && rest[5..].starts_with(is_blank) {
                check_encoding(text, next, &rest[..length])?;
            }
            next += length;
        } else if rest.starts_with("<!DOCTYPE") && !typed {
            typed = true;
            next = document_type(text, next)?;
        } else {
            return Ok(next);
        }
    }
}

pub(super) fn is_blank(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\n' | '\r')
}

fn blanks(text: &str) -> usize {
    text.len() - text.trim_start_matches(is_blank).len()
}

fn fail<T>(text: &str, place: usize, message: impl Into<String>) -> Result<T, Error> {
    Err(at(text, place, Error::Syntax(message.into())))
}

/// The length of what begins at this offset and ends with `end`.
fn closed(text: &str, start: usize, end: &str, what: &str) -> Result<usize, Error> {
    match text[start + 2..].find(end) {
        Some(length) => Ok(2 + length + end.len()),
        None => fail(text, start, format!("the {what} that begins here never ends: expected '{end}'")),
    }
}

/// The text is UTF-8 already; another encoding would have other letters behind the same bytes.
fn check_encoding(text: &str, start: usize, declaration: &str) -> Result<(), Error> {
    let Some(place) = declaration.find("encoding") else { return Ok(()) };
    let value = declaration[place + "encoding".len()..].trim_start_matches(|c| is_blank(c) || c == '=');
    let encoding = value.split(['"', '\'']).nth(1).unwrap_or_default();
    let known =
        ["utf-8", "utf8", "us-ascii", "ascii"].iter().any(|known| encoding.eq_ignore_ascii_case(known));
    // Of these the first half is ASCII: a text that stays there means the same.
    let extends_ascii = ["iso-8859-", "iso8859-", "latin", "windows-125", "cp125"]
        .iter()
        .any(|known| encoding.get(..known.len()).is_some_and(|start| start.eq_ignore_ascii_case(known)));
    if known || extends_ascii && text.is_ascii() {
        return Ok(());
    }
    let message = format!("the encoding '{}' is not read: expected UTF-8", shown(encoding));
    fail(text, start + place, message)
}

/// `<!DOCTYPE name [ declarations ]>`: the offset after it.
fn document_type(text: &str, start: usize) -> Result<usize, Error> {
    let bytes = text.as_bytes();
    let mut next = start + "<!DOCTYPE".len();
    let mut inside = false;
    while next < bytes.len() {
        let rest = &text[next..];
        match bytes[next] {
            b'<' if rest.starts_with("<!--") => next += closed(text, next, "-->", "comment")?,
            b'<' if rest.starts_with("<?") => next += closed(text, next, "?>", "instruction")?,
            b'<' if rest.starts_with("<!ELEMENT") || rest.starts_with("<!ATTLIST") => next += 9,
            b'<' if rest.starts_with("<!NOTATION") => next += 10,
            b'<' => return fail(text, next, declared(rest)),
            b'"' | b'\'' => {
                let Some(length) = rest[1..].find(&rest[..1]) else {
                    return fail(text, next, "the quoted text that begins here never ends");
                };
                next += length + 2;
            }
            b'%' => return fail(text, next, "entities are refused: write the declarations themselves"),
            b'[' if !inside => (inside, next) = (true, next + 1),
            b']' if inside => (inside, next) = (false, next + 1),
            b'>' if !inside => return Ok(next + 1),
            _ if !inside && (rest.starts_with("SYSTEM") || rest.starts_with("PUBLIC")) => {
                let message = "the document type points outside the file (an external entity): this is refused; \
                               take it out";
                return fail(text, next, message);
            }
            _ => next += rest.chars().next().map_or(1, char::len_utf8),
        }
    }
    fail(text, start, "the document type that begins here never ends: expected ']>'")
}

fn declared(rest: &str) -> String {
    if rest.starts_with("<!ENTITY") {
        return "entity declarations are refused: write the text itself where it is used".to_string();
    }
    "expected '<!ELEMENT' or '<!ATTLIST' in the document type".to_string()
}
