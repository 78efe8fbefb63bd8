//! Text to tokens, for the formats that are made of names, numbers, quotes and marks.

use super::nodes::Placed;
use super::{at, quotes};
use crate::Error;
use crate::error::shown;
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
    /// A mark of the dialect.
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

/// What tells one format's tokens from another's.
#[derive(Debug)]
pub(super) struct Dialect {
    /// Tokens of one character.
    pub(super) marks: &'static str,
    /// What separates tokens beside white space.
    pub(super) blanks: &'static str,
    pub(super) comments: Comments,
    /// Whether a text in quotes may go on in the next line.
    pub(super) long_quotes: bool,
    /// What is said of quotes that never close.
    pub(super) open_quotes: &'static str,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Comments {
    /// `// …` and `/* … */`, not inside a word.
    Slashes,
    /// `% …`, which also ends a word.
    Percent,
}

impl Dialect {
    fn is_mark(&self, byte: u8) -> bool {
        self.marks.as_bytes().contains(&byte)
    }

    fn is_blank(&self, byte: u8) -> bool {
        matches!(byte, b' ' | b'\t' | b'\n' | b'\r' | 0x0b | 0x0c) || self.blanks.as_bytes().contains(&byte)
    }

    fn ends_word(&self, byte: u8) -> bool {
        self.is_blank(byte) || byte == b'"' || (byte == b'%' && self.comments == Comments::Percent)
    }
}

/// The text and how far it has been read.
#[derive(Debug, Clone)]
pub(super) struct Lexer<'a> {
    text: &'a str,
    next: usize,
    dialect: &'static Dialect,
}

impl<'a> Lexer<'a> {
    pub(super) fn new(text: &'a str, dialect: &'static Dialect) -> Self {
        Lexer { text, next: 0, dialect }
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

    pub(super) fn expected<T>(&self, what: &str, found: &Token<'a>) -> Result<T, Error> {
        Err(self.fail(found.at, format!("expected {what}, found {}", found.kind.describe())))
    }

    /// That mark, and where it stands.
    pub(super) fn mark(&mut self, mark: char, place: &str) -> Result<usize, Error> {
        let token = self.token()?;
        match token.kind {
            Kind::Mark(c) if c == mark => Ok(token.at),
            _ => self.expected(&format!("'{mark}' {place}"), &token),
        }
    }

    /// A word or a text in quotes.
    pub(super) fn name(&mut self, what: &str) -> Result<Placed<'a>, Error> {
        let token = self.token()?;
        self.as_name(token, what)
    }

    pub(super) fn as_name(&self, token: Token<'a>, what: &str) -> Result<Placed<'a>, Error> {
        match token.kind {
            Kind::Bare(word) => Ok((Cow::Borrowed(word), token.at)),
            Kind::Quoted(text) => Ok((text, token.at)),
            _ => self.expected(what, &token),
        }
    }

    pub(super) fn token(&mut self) -> Result<Token<'a>, Error> {
        self.token_without(None)
    }

    /// A token, where one of the marks is a letter like any other.
    pub(super) fn token_without(&mut self, letter: Option<u8>) -> Result<Token<'a>, Error> {
        self.skip_blanks_and_comments()?;
        let (start, dialect) = (self.next, self.dialect);
        let is_mark = |b: u8| dialect.is_mark(b) && Some(b) != letter;
        let kind = match self.rest() {
            [] => Kind::End,
            [b'"', ..] => Kind::Quoted(self.quoted()?),
            [b, ..] if is_mark(*b) => {
                self.next += 1;
                Kind::Mark(*b as char)
            }
            _ => Kind::Bare(self.bare(is_mark)?),
        };
        Ok(Token { kind, at: start })
    }

    /// A text in quotes, which open here.
    pub(super) fn quoted(&mut self) -> Result<Cow<'a, str>, Error> {
        let Some((text, length)) = quotes::read(&self.text[self.next..], self.dialect.long_quotes) else {
            return Err(self.fail(self.next, self.dialect.open_quotes));
        };
        self.next += length;
        Ok(text)
    }

    /// Passes over everything before one of these bytes; gives the one that was met.
    pub(super) fn skip_to(&mut self, stops: &[u8]) -> Option<u8> {
        self.next += self.rest().iter().take_while(|b| !stops.contains(b)).count();
        self.rest().first().copied()
    }

    fn rest(&self) -> &'a [u8] {
        &self.text.as_bytes()[self.next..]
    }

    fn bare(&mut self, is_mark: impl Fn(u8) -> bool) -> Result<&'a str, Error> {
        let ends = |b: u8| self.dialect.ends_word(b) || is_mark(b);
        let length = self.rest().iter().take_while(|&&b| !ends(b)).count();
        let word = &self.text[self.next..self.next + length];
        let comment = word.find("//").or_else(|| word.find("/*"));
        if let (Some(inside), Comments::Slashes) = (comment, self.dialect.comments) {
            let word = shown(word);
            let message =
                format!("a comment begins inside '{word}': put a blank before it, or quotes round the name");
            return Err(self.fail(self.next + inside, message));
        }
        self.next += length;
        Ok(word)
    }

    fn skip_blanks_and_comments(&mut self) -> Result<(), Error> {
        loop {
            self.next += self.rest().iter().take_while(|&&b| self.dialect.is_blank(b)).count();
            match (self.dialect.comments, self.rest()) {
                (Comments::Slashes, [b'/', b'/', ..]) | (Comments::Percent, [b'%', ..]) => {
                    self.skip_to(b"\n");
                }
                (Comments::Slashes, [b'/', b'*', ..]) => {
                    let Some(length) = self.text[self.next + 2..].find("*/") else {
                        let message = "a comment begins with '/*' and never ends: expected '*/'";
                        return Err(self.fail(self.next, message));
                    };
                    self.next += length + 4;
                }
                _ => return Ok(()),
            }
        }
    }
}
