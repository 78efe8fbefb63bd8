//! NET text to a network.
//!
//! Two passes over the text, both linear: the first reads the nodes and notes where the potentials begin, the second
//! reads the potentials straight into their tables.

use super::{DIALECT, NAME};
use crate::error::shown;
use crate::io::nodes::{self, Declared, Family, Placed, Tables, Words};
use crate::io::tokens::{Kind, Lexer, Token};
use crate::io::{self, Limits};
use crate::{Error, Network};
use std::borrow::Cow;
use std::collections::HashMap;

const WORDS: Words = Words { variable: "a node block", table: "potential" };

/// Reads a network from the bytes of a NET file.
///
/// # Errors
/// [`Error::At`] with line and column for whatever is wrong with the text; [`Error::Limit`] (inside it) or
/// [`Error::InputSize`] for what is too large.
pub fn read(bytes: &[u8], limits: &Limits) -> Result<Network, Error> {
    let text = io::text(bytes, limits)?;
    let mut lexer = Lexer::new(text, &DIALECT);
    let outline = Outline::read(&mut lexer)?;
    let schema = nodes::schema(text, &outline.nodes, WORDS)?;
    let mut tables = Tables::new(text, &schema, WORDS, limits);
    for &offset in &outline.potentials {
        lexer.resume(offset);
        let (child, parents) = outline.header(&mut lexer)?;
        let family = tables.open(&child, &parents)?;
        let values = potential(&mut lexer, &tables, &family)?;
        tables.put(family, values)?;
    }
    let cpts = tables.finish(&outline.nodes)?;
    Network::new(outline.name.unwrap_or(Cow::Borrowed("unknown")), schema, cpts)
}

impl<'a> Lexer<'a> {
    /// The next attribute of a block, up to and with its `=`; nothing at the end of the block.
    fn attribute(&mut self, block: &str, open: usize) -> Result<Option<(&'a str, usize)>, Error> {
        let token = self.token()?;
        match token.kind {
            Kind::Mark('}') => Ok(None),
            Kind::Bare(key) => {
                self.mark('=', &format!("after '{}'", shown(key)))?;
                Ok(Some((key, token.at)))
            }
            Kind::End => Err(self.fail(open, format!("the {block} block never ends: expected '}}'"))),
            _ => self.expected(&format!("an attribute or '}}' in the {block} block"), &token),
        }
    }

    /// Passes over a value, up to and with its semicolon.
    fn skip_value(&mut self, start: usize) -> Result<(), Error> {
        loop {
            let token = self.token()?;
            match token.kind {
                Kind::Mark(';') => return Ok(()),
                Kind::Mark('{' | '}') | Kind::End => {
                    return Err(self.fail(start, "an attribute begins here and never ends: expected ';'"));
                }
                _ => {}
            }
        }
    }

    /// One name or text, up to and with its semicolon.
    fn text_value(&mut self, key: &str) -> Result<Cow<'a, str>, Error> {
        let (text, _) = self.name(&format!("a text for '{key}'"))?;
        self.mark(';', &format!("after the text of '{key}'"))?;
        Ok(text)
    }

    /// `( names )`.
    fn list(&mut self, what: &str) -> Result<Vec<Placed<'a>>, Error> {
        self.mark('(', &format!("before {what}"))?;
        let mut names = Vec::new();
        loop {
            // No `=` can stand here, and some programs write `>=5` without quotes.
            let token = self.token_without(Some(b'='))?;
            match token.kind {
                Kind::Mark(')') => return Ok(names),
                Kind::Bare(word) => names.push((Cow::Borrowed(word), token.at)),
                Kind::Quoted(text) => names.push((text, token.at)),
                _ => return self.expected(&format!("{what} or ')'"), &token),
            }
        }
    }
}

/// What the first pass finds.
#[derive(Default)]
struct Outline<'a> {
    name: Option<Cow<'a, str>>,
    nodes: Vec<Declared<'a>>,
    /// Which node the word after `node` stands for.
    words: HashMap<Cow<'a, str>, usize>,
    /// Offsets just after the word `potential`.
    potentials: Vec<usize>,
}

impl<'a> Outline<'a> {
    fn read(lexer: &mut Lexer<'a>) -> Result<Self, Error> {
        let mut outline = Outline::default();
        let mut head = false;
        loop {
            let token = lexer.token()?;
            match token.kind {
                Kind::End => return Ok(outline),
                Kind::Bare("net") if !head => {
                    head = true;
                    outline.net(lexer)?;
                }
                Kind::Bare("net") => {
                    let message = "a second net block: expected one network in a file";
                    return Err(lexer.fail(token.at, message));
                }
                Kind::Bare("node") => outline.node(lexer)?,
                Kind::Bare("potential") => {
                    outline.potentials.push(lexer.offset());
                    skip_potential(lexer, token.at)?;
                }
                Kind::Bare(kind) => outline.other(lexer, kind, &token)?,
                _ => return lexer.expected("'net', 'node' or 'potential'", &token),
            }
        }
    }

    /// `discrete node`, or what is refused by name.
    fn other(&mut self, lexer: &mut Lexer<'a>, kind: &str, token: &Token<'a>) -> Result<(), Error> {
        let (mut next, mut place) = match kind {
            "discrete" | "continuous" | "interval" | "boolean" | "number" | "decision" | "utility"
            | "function" => lexer.name("the name of a node")?,
            "class" => {
                let (name, _) = lexer.name("the name of a class")?;
                let message = format!(
                    "'{}' is a class of an object-oriented network: only flat networks are read",
                    shown(&name)
                );
                return Err(lexer.fail(token.at, message));
            }
            _ => return lexer.expected("'net', 'node' or 'potential'", token),
        };
        if kind == "discrete" && next == "node" {
            return self.node(lexer);
        }
        let mut kind = kind.to_string();
        if matches!(next.as_ref(), "node" | "decision" | "utility" | "function") {
            kind = format!("{kind} {next}");
            (next, place) = lexer.name("the name of a node")?;
        }
        let message = format!(
            "'{}' is a node of the kind '{kind}': only chance nodes with states are read",
            shown(&next)
        );
        Err(lexer.fail(place, message))
    }

    /// `net { attributes }`, after its first word.
    fn net(&mut self, lexer: &mut Lexer<'a>) -> Result<(), Error> {
        let open = lexer.mark('{', "after 'net'")?;
        while let Some((key, place)) = lexer.attribute("net", open)? {
            match key {
                "name" => self.name = Some(lexer.text_value(key)?),
                _ => lexer.skip_value(place)?,
            }
        }
        Ok(())
    }

    /// `node NAME { attributes }`, after its first word.
    fn node(&mut self, lexer: &mut Lexer<'a>) -> Result<(), Error> {
        let (word, at) = lexer.name("the name of a node")?;
        let open = lexer.mark('{', "after the name of the node")?;
        let (mut name, mut states) = (None, None);
        while let Some((key, place)) = lexer.attribute("node", open)? {
            match key {
                "states" if states.is_none() => {
                    states = Some(lexer.list("a state")?);
                    lexer.mark(';', "after the states")?;
                }
                "states" => {
                    let message = format!("node '{}' lists its states a second time", shown(&word));
                    return Err(lexer.fail(place, message));
                }
                NAME => name = Some(lexer.text_value(key)?),
                _ => lexer.skip_value(place)?,
            }
        }
        let Some(states) = states else {
            let message = format!("node '{}' has no states: expected 'states = ( … );'", shown(&word));
            return Err(lexer.fail(at, message));
        };
        self.nodes.push(Declared { name: name.unwrap_or(word.clone()), states, at });
        if self.words.insert(word.clone(), self.nodes.len() - 1).is_some() {
            let message = format!("a second node block for '{}': expected one for each node", shown(&word));
            return Err(lexer.fail(at, message));
        }
        Ok(())
    }

    /// `( child | parents )`.
    fn header(&self, lexer: &mut Lexer<'a>) -> Result<(Placed<'a>, Vec<Placed<'a>>), Error> {
        let open = lexer.mark('(', "after 'potential'")?;
        let mut names: [Vec<Placed<'a>>; 2] = Default::default();
        let mut side = 0;
        loop {
            let token = lexer.token()?;
            match token.kind {
                Kind::Mark(')') => break,
                Kind::Mark('|') if side == 0 => side = 1,
                Kind::Bare(word) => names[side].push(self.declared(lexer, Cow::Borrowed(word), token.at)?),
                Kind::Quoted(word) => names[side].push(self.declared(lexer, word, token.at)?),
                _ => return lexer.expected("the name of a node or ')'", &token),
            }
        }
        let [mut children, parents] = names;
        match (children.pop(), children.is_empty()) {
            (Some(child), true) => Ok((child, parents)),
            _ => {
                let message = "expected one node before '|': a table over several nodes is not read";
                Err(lexer.fail(open, message))
            }
        }
    }

    fn declared(&self, lexer: &Lexer<'a>, word: Cow<'a, str>, place: usize) -> Result<Placed<'a>, Error> {
        match self.words.get(&word) {
            Some(&node) => Ok((self.nodes[node].name.clone(), place)),
            None => {
                let message = format!("'{}' is not declared: expected a node block for it", shown(&word));
                Err(lexer.fail(place, message))
            }
        }
    }
}

/// Passes over a potential; the second pass reads it.
fn skip_potential(lexer: &mut Lexer<'_>, start: usize) -> Result<(), Error> {
    loop {
        match lexer.token()?.kind {
            Kind::Mark('}') => return Ok(()),
            Kind::End => return Err(lexer.fail(start, "the potential never ends: expected '}'")),
            _ => {}
        }
    }
}

/// `{ data = … ; }`: the values of the table.
fn potential(lexer: &mut Lexer<'_>, tables: &Tables<'_, '_>, family: &Family) -> Result<Vec<f64>, Error> {
    let open = lexer.mark('{', "after the nodes of the potential")?;
    let mut values = None;
    let name = || shown(tables.schema.name(family.node));
    while let Some((key, place)) = lexer.attribute("potential", open)? {
        match key {
            "data" if values.is_none() => values = Some(Data::new(tables, family).read(lexer)?),
            "data" => {
                return Err(lexer.fail(place, format!("the data of '{}' are given a second time", name())));
            }
            "model_nodes" | "model_data" => {
                let message =
                    format!("the table of '{}' is given as a model ({key}): expected 'data'", name());
                return Err(lexer.fail(place, message));
            }
            _ => lexer.skip_value(place)?,
        }
    }
    values.ok_or_else(|| {
        lexer.fail(family.at, format!("the potential of '{}' has no data: expected 'data = ( … );'", name()))
    })
}

/// Lists in one another, as deep as there are parents and one more.
struct Data<'t, 's, 'f> {
    tables: &'t Tables<'t, 's>,
    family: &'f Family,
    /// How many parts a list has at each depth.
    parts: Vec<usize>,
    /// How many numbers a list holds at each depth.
    sizes: Vec<usize>,
    /// The lists that are open.
    open: Vec<List>,
    values: Vec<f64>,
    /// Where the row being read begins.
    row: usize,
}

struct List {
    at: usize,
    /// Numbers read before it.
    before: usize,
    /// Lists in it.
    lists: usize,
}

impl<'t, 's, 'f> Data<'t, 's, 'f> {
    fn new(tables: &'t Tables<'t, 's>, family: &'f Family) -> Self {
        let states = |&v: &usize| tables.schema.cardinality(v);
        let parts: Vec<usize> = family.parents.iter().chain([&family.node]).map(states).collect();
        // The product of all is the number of cells, which is known to fit.
        let mut sizes = parts.clone();
        for depth in (0..sizes.len() - 1).rev() {
            sizes[depth] *= sizes[depth + 1];
        }
        let values = Vec::with_capacity(family.cells);
        Data { tables, family, parts, sizes, open: Vec::new(), values, row: 0 }
    }

    /// The lists up to and with the semicolon.
    fn read(mut self, lexer: &mut Lexer<'_>) -> Result<Vec<f64>, Error> {
        loop {
            let token = lexer.token()?;
            match token.kind {
                Kind::Mark('(') if self.open.is_empty() && !self.values.is_empty() => {
                    return lexer.expected("';' after the data", &token);
                }
                Kind::Mark('(') => self.begin(token.at)?,
                Kind::Mark(')') if !self.open.is_empty() => self.end()?,
                Kind::Bare(word) if !self.open.is_empty() => self.number(word, token.at)?,
                Kind::Mark(';') if self.open.is_empty() && !self.values.is_empty() => return Ok(self.values),
                _ if self.open.is_empty() => {
                    return lexer.expected("the data: '(' and probabilities", &token);
                }
                _ => return lexer.expected("a probability, '(' or ')'", &token),
            }
        }
    }

    fn begin(&mut self, place: usize) -> Result<(), Error> {
        if self.open.len() == self.parts.len() {
            let message =
                format!("lists {} deep where {} are expected", self.parts.len() + 1, self.parts.len());
            return Err(self.tables.fail(place, message));
        }
        if let Some(list) = self.open.last_mut() {
            if list.lists == 0 && self.values.len() > list.before {
                return Err(self
                    .tables
                    .fail(place, "a list after a number: expected numbers or lists, not both"));
            }
            list.lists += 1;
        }
        self.open.push(List { at: place, before: self.values.len(), lists: 0 });
        Ok(())
    }

    fn number(&mut self, word: &str, place: usize) -> Result<(), Error> {
        let p = self.tables.number(self.family, word, place)?;
        let states = self.family.states;
        if self.open.last().is_some_and(|list| list.lists > 0) {
            return Err(self
                .tables
                .fail(place, "a number after a list: expected numbers or lists, not both"));
        }
        if self.values.len() == self.family.cells {
            return Err(self.tables.wrong_count(
                self.family,
                self.family.cells,
                self.values.len() + 1,
                place,
            ));
        }
        self.row = if self.values.len().is_multiple_of(states) { place } else { self.row };
        self.values.push(p);
        match self.values.len() % states {
            0 => {
                let j = self.values.len() / states - 1;
                self.tables.check_row(self.family, j, &self.values[j * states..], self.row)
            }
            _ => Ok(()),
        }
    }

    fn end(&mut self) -> Result<(), Error> {
        let Some(List { at, before, lists }) = self.open.pop() else { return Ok(()) };
        let depth = self.open.len();
        let found = self.values.len() - before;
        if lists > 0 && lists != self.parts[depth] {
            let parent = shown(self.tables.schema.name(self.family.parents[depth]));
            let message = format!(
                "expected {} lists, one for each state of '{parent}', found {lists}",
                self.parts[depth]
            );
            return Err(self.tables.fail(at, message));
        }
        if found != self.sizes[depth] {
            return Err(self.tables.wrong_count(self.family, self.sizes[depth], found, at));
        }
        Ok(())
    }
}
