//! BIF text to tokens.

use crate::Error;
use crate::error::shown;
use crate::io::{at, quotes};
use std::borrow::Cow;

/// A token and where it starts.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Token<'a> {
    pub(super) kind: Kind<'a>,
    pub(super) at: usize,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Kind<'a> {
    /// A bare word: a keyword, a name or a number.
    Bare(&'a str),
    /// A name in quotes.
    Quoted(Cow<'a, str>),
    /// One of `{ } ( ) [ ] , ; |`.
    Mark(char),
    End,
}

impl Kind<'_> {
    /// How a message names the token.
    pub(super) fn describe(&self) -> String {
        match self {
            Kind::Bare(word) => format!("'{}'", shown(word)),
            Kind::Quoted(name) => format!("\"{}\"", shown(name)),
            Kind::Mark(c) => format!("'{c}'"),
            Kind::End => "the end of the file".to_string(),
        }
    }
}

pub(super) fn is_mark(c: char) -> bool {
    matches!(c, '{' | '}' | '(' | ')' | '[' | ']' | ',' | ';' | '|')
}

fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r' | 0x0b | 0x0c)
}

/// The text and how far it has been read.
#[derive(Debug, Clone)]
pub(super) struct Lexer<'a> {
    text: &'a str,
    next: usize,
}

impl<'a> Lexer<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Lexer { text, next: 0 }
    }

    pub(super) fn offset(&self) -> usize {
        self.next
    }

    /// Reads on from an offset that [`Lexer::offset`] gave.
    pub(super) fn resume(&mut self, offset: usize) {
        self.next = offset;
    }

    pub(super) fn fail(&self, offset: usize, message: impl Into<String>) -> Error {
        at(self.text, offset, Error::Syntax(message.into()))
    }

    fn rest(&self) -> &'a [u8] {
        &self.text.as_bytes()[self.next..]
    }

    fn skip_blanks_and_comments(&mut self) -> Result<(), Error> {
        loop {
            let blanks = self.rest().iter().take_while(|&&b| is_blank(b)).count();
            self.next += blanks;
            match self.rest() {
                [b'/', b'/', ..] => {
                    self.next += self.rest().iter().take_while(|&&b| b != b'\n').count();
                }
                [b'/', b'*', ..] => {
                    let Some(length) = self.text[self.next + 2..].find("*/") else {
                        return Err(
                            self.fail(self.next, "a comment begins with '/*' and never ends: expected '*/'")
                        );
                    };
                    self.next += length + 4;
                }
                _ => return Ok(()),
            }
        }
    }

    pub(super) fn token(&mut self) -> Result<Token<'a>, Error> {
        self.skip_blanks_and_comments()?;
        let start = self.next;
        let kind = match self.rest() {
            [] => Kind::End,
            [b'"', ..] => Kind::Quoted(self.quoted()?),
            [b, ..] if is_mark(*b as char) => {
                self.next += 1;
                Kind::Mark(*b as char)
            }
            _ => Kind::Bare(self.bare()?),
        };
        Ok(Token { kind, at: start })
    }

    fn bare(&mut self) -> Result<&'a str, Error> {
        let ends = |b: u8| is_blank(b) || b == b'"' || is_mark(b as char);
        let length = self.rest().iter().take_while(|&&b| !ends(b)).count();
        let word = &self.text[self.next..self.next + length];
        if let Some(inside) = word.find("//").or_else(|| word.find("/*")) {
            return Err(self.fail(
                self.next + inside,
                format!(
                    "a comment begins inside '{}': put a blank before it, or quotes round the name",
                    shown(word)
                ),
            ));
        }
        self.next += length;
        Ok(word)
    }

    /// A name in quotes, on one line.
    fn quoted(&mut self) -> Result<Cow<'a, str>, Error> {
        let start = self.next;
        let Some((name, length)) = quotes::read(&self.text[start..], false) else {
            let message = "a name begins with a quote and never ends: expected '\"' on the same line";
            return Err(self.fail(start, message));
        };
        self.next = start + length;
        Ok(name)
    }

    /// Passes over a property, up to and with its semicolon.
    pub(super) fn skip_property(&mut self, start: usize) -> Result<(), Error> {
        loop {
            self.next += self.rest().iter().take_while(|&&b| b != b';' && b != b'"').count();
            match self.rest() {
                [b';', ..] => {
                    self.next += 1;
                    return Ok(());
                }
                [] => return Err(self.fail(start, "a property begins here and never ends: expected ';'")),
                _ => {
                    self.quoted()?;
                }
            }
        }
    }
}
