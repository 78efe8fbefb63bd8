//! NET text to tokens.

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
    /// Text in quotes.
    Quoted(Cow<'a, str>),
    /// One of `{ } ( ) = ; |`.
    Mark(char),
    End,
}

impl Kind<'_> {
    /// How a message names the token.
    pub(super) fn describe(&self) -> String {
        match self {
            Kind::Bare(word) => format!("'{}'", shown(word)),
            Kind::Quoted(text) => format!("\"{}\"", shown(text)),
            Kind::Mark(c) => format!("'{c}'"),
            Kind::End => "the end of the file".to_string(),
        }
    }
}

fn is_mark(byte: u8) -> bool {
    matches!(byte, b'{' | b'}' | b'(' | b')' | b'=' | b';' | b'|')
}

/// Commas are no part of the format, but some programs put them between states.
fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r' | 0x0b | 0x0c | b',')
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

    pub(super) fn token(&mut self) -> Result<Token<'a>, Error> {
        self.token_where(is_mark)
    }

    /// A token of a list of names, where no `=` can stand: some programs write `>=5` without quotes.
    pub(super) fn listed(&mut self) -> Result<Token<'a>, Error> {
        self.token_where(|b| is_mark(b) && b != b'=')
    }

    fn token_where(&mut self, is_mark: impl Fn(u8) -> bool) -> Result<Token<'a>, Error> {
        loop {
            self.next += self.rest().iter().take_while(|&&b| is_blank(b)).count();
            if self.rest().first() != Some(&b'%') {
                break;
            }
            self.next += self.rest().iter().take_while(|&&b| b != b'\n').count();
        }
        let start = self.next;
        let kind = match self.rest() {
            [] => Kind::End,
            [b'"', ..] => {
                let Some((text, length)) = quotes::read(&self.text[start..], true) else {
                    return Err(self.fail(start, "a text begins with a quote and never ends: expected '\"'"));
                };
                self.next += length;
                Kind::Quoted(text)
            }
            [b, ..] if is_mark(*b) => {
                self.next += 1;
                Kind::Mark(*b as char)
            }
            rest => {
                let ends = |b: u8| is_blank(b) || is_mark(b) || b == b'"' || b == b'%';
                let length = rest.iter().take_while(|&&b| !ends(b)).count();
                self.next += length;
                Kind::Bare(&self.text[start..start + length])
            }
        };
        Ok(Token { kind, at: start })
    }
}
