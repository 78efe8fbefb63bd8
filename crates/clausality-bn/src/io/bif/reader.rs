//! BIF text to a network.
//!
//! Two passes over the text, both linear: the first reads the variables and notes where the probability blocks begin
//! (blocks may come in any order), the second reads the blocks straight into their tables.

use super::DIALECT;
use crate::cpt::{RowFault, check_row, configuration_words};
use crate::error::shown;
use crate::io::nodes::{self, Declared, Family, Placed, Tables, Words};
use crate::io::tokens::{Kind, Lexer, Token};
use crate::io::{self, Limits, at};
use crate::{Cpt, Error, Network, Schema, Variable};
use std::borrow::Cow;
use std::collections::HashMap;

/// Reads a network from the bytes of a BIF file.
///
/// # Errors
/// [`Error::At`] with line and column for whatever is wrong with the text; [`Error::Limit`] (inside it) or
/// [`Error::InputSize`] for what is too large.
pub fn read(bytes: &[u8], limits: &Limits) -> Result<Network, Error> {
    let text = io::text(bytes, limits)?;
    let outline = Declarations::read(text)?;
    let schema = nodes::schema(text, &outline.variables, WORDS)?;
    let cpts = Blocks::new(text, &schema, limits).read(&outline)?;
    Network::new(outline.name.unwrap_or(Cow::Borrowed("unknown")), schema, cpts)
}

const WORDS: Words = Words { variable: "a variable block", table: "probability block" };

impl<'a> Lexer<'a> {
    /// Names up to `close`, with or without commas between them.
    fn names(&mut self, close: char, what: &str) -> Result<Vec<Placed<'a>>, Error> {
        let mut names = Vec::new();
        loop {
            let token = self.token()?;
            match token.kind {
                Kind::Mark(c) if c == close => return Ok(names),
                Kind::Mark(',') if !names.is_empty() => names.push(self.name(what)?),
                _ => names.push(self.as_name(token, &format!("{what} or '{close}'"))?),
            }
        }
    }

    /// Passes over a property, up to and with its semicolon.
    fn skip_property(&mut self, start: usize) -> Result<(), Error> {
        let lexer = self;
        while lexer.skip_to(b";\"") == Some(b'"') {
            lexer.quoted()?;
        }
        if lexer.token()?.kind == Kind::End {
            return Err(lexer.fail(start, "a property begins here and never ends: expected ';'"));
        }
        Ok(())
    }
}

/// What the first pass finds.
struct Declarations<'a> {
    name: Option<Cow<'a, str>>,
    variables: Vec<Declared<'a>>,
    /// Offsets just after the word `probability`.
    blocks: Vec<usize>,
}

impl<'a> Declarations<'a> {
    fn read(text: &'a str) -> Result<Self, Error> {
        let mut found = Declarations { name: None, variables: Vec::new(), blocks: Vec::new() };
        let mut lexer = Lexer::new(text, &DIALECT);
        loop {
            let token = lexer.token()?;
            match token.kind {
                Kind::End => return Ok(found),
                Kind::Bare("network") if found.name.is_some() => {
                    return Err(
                        lexer.fail(token.at, "a second network block: expected one network in a file")
                    );
                }
                Kind::Bare("network") => found.name = Some(network(&mut lexer)?),
                Kind::Bare("variable") => found.variables.push(variable(&mut lexer)?),
                Kind::Bare("probability") => {
                    found.blocks.push(lexer.offset());
                    skip_block(&mut lexer, token.at)?;
                }
                _ => return lexer.expected("'network', 'variable' or 'probability'", &token),
            }
        }
    }
}

/// `network NAME { property … ; }`, after its first word.
fn network<'a>(lexer: &mut Lexer<'a>) -> Result<Cow<'a, str>, Error> {
    let mut token = lexer.token()?;
    let mut name = Cow::Borrowed("unknown");
    if token.kind != Kind::Mark('{') {
        name = lexer.as_name(token, "a name or '{' after 'network'")?.0;
        let brace = lexer.mark('{', "after the name of the network")?;
        token = Token { kind: Kind::Mark('{'), at: brace };
    }
    loop {
        let open = token.at;
        token = lexer.token()?;
        match token.kind {
            Kind::Mark('}') => return Ok(name),
            Kind::Bare("property") => lexer.skip_property(token.at)?,
            Kind::End => return Err(lexer.fail(open, "the network block never ends: expected '}'")),
            _ => return lexer.expected("'property' or '}' in the network block", &token),
        }
    }
}

/// `variable NAME { type discrete [ n ] { states }; property … ; }`, after its first word.
fn variable<'a>(lexer: &mut Lexer<'a>) -> Result<Declared<'a>, Error> {
    let (name, place) = lexer.name("the name of a variable")?;
    lexer.mark('{', "after the name of the variable")?;
    let mut states = None;
    loop {
        let token = lexer.token()?;
        match token.kind {
            Kind::Mark('}') => break,
            Kind::Bare("property") => lexer.skip_property(token.at)?,
            Kind::Bare("type") if states.is_none() => states = Some(state_list(lexer, &name)?),
            Kind::Bare("type") => {
                return Err(lexer.fail(token.at, format!("variable '{}' has a second type", shown(&name))));
            }
            _ => return lexer.expected("'type', 'property' or '}' in the variable block", &token),
        }
    }
    match states {
        Some(states) => Ok(Declared { name, states, at: place }),
        None => {
            Err(lexer
                .fail(place, format!("variable '{}' has no type: expected 'type discrete'", shown(&name))))
        }
    }
}

fn state_list<'a>(lexer: &mut Lexer<'a>, variable: &str) -> Result<Vec<Placed<'a>>, Error> {
    let token = lexer.token()?;
    if token.kind != Kind::Bare("discrete") {
        return lexer.expected(&format!("'discrete' as the type of variable '{}'", shown(variable)), &token);
    }
    lexer.mark('[', "after 'discrete'")?;
    let (number, place) = lexer.name("the number of states")?;
    let Ok(count) = number.parse::<usize>() else {
        let message = format!("expected the number of states, found '{}'", shown(&number));
        return Err(lexer.fail(place, message));
    };
    lexer.mark(']', "after the number of states")?;
    let open = lexer.mark('{', "before the states")?;
    let states = lexer.names('}', "a state")?;
    lexer.mark(';', "after the states")?;
    if states.len() != count {
        let message = format!(
            "variable '{}' expected {count} states as declared, found {} (quote names that hold blanks or brackets)",
            shown(variable),
            states.len()
        );
        return Err(lexer.fail(open, message));
    }
    Ok(states)
}

/// Passes over a probability block; the second pass reads it.
fn skip_block(lexer: &mut Lexer<'_>, start: usize) -> Result<(), Error> {
    let mut statement = false;
    loop {
        let token = lexer.token()?;
        match token.kind {
            Kind::Mark('}') => return Ok(()),
            Kind::End => {
                return Err(lexer.fail(start, "the probability block never ends: expected '}'"));
            }
            Kind::Bare("property") if statement => lexer.skip_property(token.at)?,
            kind => statement = matches!(kind, Kind::Mark('{' | ';')),
        }
    }
}

/// The second pass: one table per variable.
struct Blocks<'a, 's> {
    text: &'a str,
    lexer: Lexer<'a>,
    tables: Tables<'a, 's>,
    codes: Vec<HashMap<&'s str, u8>>,
    /// Numbers of the statement being read.
    numbers: Vec<f64>,
}

/// The table being filled; a row that is still missing begins with NaN.
struct Draft {
    family: Family,
    values: Vec<f64>,
    default: Option<Vec<f64>>,
}

impl<'a, 's> Blocks<'a, 's> {
    fn new(text: &'a str, schema: &'s Schema, limits: &Limits) -> Self {
        let code =
            |v: &'s Variable| v.states.iter().enumerate().map(|(k, s)| (s.as_str(), k as u8)).collect();
        Blocks {
            text,
            lexer: Lexer::new(text, &DIALECT),
            tables: Tables::new(text, schema, WORDS, limits),
            codes: schema.variables().iter().map(code).collect(),
            numbers: Vec::new(),
        }
    }

    fn read(mut self, outline: &Declarations<'a>) -> Result<Vec<Cpt>, Error> {
        for &offset in &outline.blocks {
            self.lexer.resume(offset);
            self.block()?;
        }
        self.tables.finish(&outline.variables)
    }

    fn block(&mut self) -> Result<(), Error> {
        let mut draft = self.header()?;
        loop {
            let token = self.lexer.token()?;
            match token.kind {
                Kind::Mark('}') => break,
                Kind::Bare("property") => self.lexer.skip_property(token.at)?,
                Kind::Bare("table") => self.table(&mut draft, token.at)?,
                Kind::Bare("default") => self.default(&mut draft, token.at)?,
                Kind::Mark('(') => self.row(&mut draft, token.at)?,
                _ => {
                    let wanted = "'table', 'default', '(', 'property' or '}' in the probability block";
                    return self.lexer.expected(wanted, &token);
                }
            }
        }
        self.fill_gaps(&mut draft)?;
        self.tables.put(draft.family, draft.values)
    }

    /// `( child | parents ) {`, with or without the bar.
    fn header(&mut self) -> Result<Draft, Error> {
        self.lexer.mark('(', "after 'probability'")?;
        let child = self.lexer.name("the name of a variable")?;
        let after_child = self.lexer.offset();
        if !matches!(self.lexer.token()?.kind, Kind::Mark('|' | ',')) {
            self.lexer.resume(after_child);
        }
        let parents = self.lexer.names(')', "the name of a parent")?;
        let family = self.tables.open(&child, &parents)?;
        self.lexer.mark('{', "after the parents")?;
        let values = vec![f64::NAN; family.cells];
        Ok(Draft { family, values, default: None })
    }

    fn name_of(&self, draft: &Draft) -> String {
        shown(self.tables.schema.name(draft.family.node))
    }

    /// The numbers up to the semicolon, exactly `expected` of them.
    fn numbers(&mut self, draft: &Draft, start: usize, expected: usize) -> Result<(), Error> {
        self.numbers.clear();
        let mut found = 0;
        let mut comma = None;
        loop {
            let token = self.lexer.token()?;
            match token.kind {
                Kind::Mark(';') if comma.is_none() => break,
                Kind::Mark(',') if comma.is_none() && found > 0 => comma = Some(token.at),
                Kind::Bare(word) => {
                    comma = None;
                    found += 1;
                    let number = self.tables.number(&draft.family, word, token.at)?;
                    if found <= expected {
                        self.numbers.push(number);
                    }
                }
                _ => return self.lexer.expected("a probability or ';'", &token),
            }
        }
        if found == expected {
            return Ok(());
        }
        Err(self.tables.wrong_count(&draft.family, expected, found, start))
    }

    /// `table numbers ;` in the order of BIF 0.15: the child varies slowest.
    fn table(&mut self, draft: &mut Draft, start: usize) -> Result<(), Error> {
        self.numbers(draft, start, draft.values.len())?;
        let configurations = draft.values.len() / draft.family.states;
        if let Some(j) = draft.first_row(false) {
            return Err(self.twice(draft, j, start));
        }
        for (i, &p) in self.numbers.iter().enumerate() {
            draft.values[i % configurations * draft.family.states + i / configurations] = p;
        }
        for (j, row) in draft.values.chunks_exact(draft.family.states).enumerate() {
            if let Err(fault) = check_row(row) {
                return Err(self.table_fault(draft, j, fault, start));
            }
        }
        Ok(())
    }

    /// A table that does not sum to one, with a word on the other order where that would.
    fn table_fault(&self, draft: &Draft, configuration: usize, fault: RowFault, start: usize) -> Error {
        let error =
            fault.into_error(self.tables.schema, draft.family.node, &draft.family.parents, configuration);
        let turned = self.numbers.chunks_exact(draft.family.states).all(|row| check_row(row).is_ok());
        if !turned {
            return at(self.text, start, error);
        }
        let message = format!(
            "{error}; in a 'table' with parents the child's state varies slowest: \
             write one row for each configuration of the parents instead"
        );
        self.lexer.fail(start, message)
    }

    fn default(&mut self, draft: &mut Draft, start: usize) -> Result<(), Error> {
        self.numbers(draft, start, draft.family.states)?;
        if draft.default.is_some() {
            let name = self.name_of(draft);
            return Err(self.lexer.fail(start, format!("a second default for '{name}': expected one")));
        }
        self.checked(draft, None, start)?;
        draft.default = Some(self.numbers.clone());
        Ok(())
    }

    /// `( states ) numbers ;`, after the bracket.
    fn row(&mut self, draft: &mut Draft, start: usize) -> Result<(), Error> {
        let states = self.lexer.names(')', "a state")?;
        if states.len() != draft.family.parents.len() {
            let message = format!(
                "expected {} states, one for each parent of '{}', found {}",
                draft.family.parents.len(),
                self.name_of(draft),
                states.len()
            );
            return Err(self.lexer.fail(start, message));
        }
        let mut j = 0;
        for ((state, place), &parent) in states.iter().zip(&draft.family.parents) {
            let Some(&code) = self.codes[parent].get(state.as_ref()) else {
                let name = shown(self.tables.schema.name(parent));
                let message = format!("'{}' is no state of '{name}'", shown(state));
                return Err(self.lexer.fail(*place, message));
            };
            j = j * self.tables.schema.cardinality(parent) + usize::from(code);
        }
        self.numbers(draft, start, draft.family.states)?;
        if !draft.values[j * draft.family.states].is_nan() {
            return Err(self.twice(draft, j, start));
        }
        self.checked(draft, Some(j), start)?;
        draft.values[j * draft.family.states..][..draft.family.states].copy_from_slice(&self.numbers);
        Ok(())
    }

    fn checked(&self, draft: &Draft, configuration: Option<usize>, start: usize) -> Result<(), Error> {
        let parents = if configuration.is_some() { draft.family.parents.as_slice() } else { &[] };
        check_row(&self.numbers).map_err(|fault| {
            let error =
                fault.into_error(self.tables.schema, draft.family.node, parents, configuration.unwrap_or(0));
            at(self.text, start, error)
        })
    }

    fn twice(&self, draft: &Draft, configuration: usize, start: usize) -> Error {
        let words = configuration_words(self.tables.schema, &draft.family.parents, configuration);
        let place =
            if words.is_empty() { String::new() } else { format!(" for {}", shown(&words.join(", "))) };
        let name = self.name_of(draft);
        self.lexer.fail(start, format!("the probabilities of '{name}'{place} are given a second time"))
    }

    fn fill_gaps(&self, draft: &mut Draft) -> Result<(), Error> {
        let Some(gap) = draft.first_row(true) else { return Ok(()) };
        let Some(default) = &draft.default else {
            let words = configuration_words(self.tables.schema, &draft.family.parents, gap);
            let name = self.name_of(draft);
            let message = if words.is_empty() {
                format!("the table of '{name}' is missing: expected 'table' and its probabilities")
            } else {
                format!("no row for {} in the table of '{name}', and no default", shown(&words.join(", ")))
            };
            return Err(self.lexer.fail(draft.family.at, message));
        };
        for row in draft.values.chunks_exact_mut(draft.family.states).filter(|row| row[0].is_nan()) {
            row.copy_from_slice(default);
        }
        Ok(())
    }
}

impl Draft {
    /// The first row that is missing (or that is there).
    fn first_row(&self, missing: bool) -> Option<usize> {
        self.values.chunks_exact(self.family.states).position(|row| row[0].is_nan() == missing)
    }
}
