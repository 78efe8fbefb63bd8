//! Graphs in the DOT language of Graphviz.
//!
//! ```text
//! digraph asia { asia -> tub; smoke -> { lung bronc }; }
//! ```
//!
//! Read: one `digraph` with nodes, arcs, chains of arcs, groups and subgraphs, attributes (passed over), ports (passed over),
//! names bare, in quotes or in angle brackets, and comments. Undirected graphs, `--` and `dir` other than `forward` are
//! refused: an arc of a Bayesian network has one direction. DAGitty's `dag { … }` is read as well.
//!
//! **Our reading.** Inside quotes `\"` and `\\` are escapes, a backslash at the end of a line joins it with the next, and any
//! other backslash is itself. `"a" + "b"` is one name. Written: every node, then every arc, both in the order of the
//! graph, so that nodes without arcs are there as well. An arc that is known to live mostly from gaps has the label `gaps`.

use super::structure::Draft;
use super::{Limits, Structure, at, quotes, text};
use crate::Error;
use crate::error::shown;
use std::borrow::Cow;

/// Reads a graph from the bytes of a DOT file.
///
/// # Errors
/// [`Error::At`] with line and column for whatever is wrong with the text; [`Error::InputSize`] for what is too large.
pub fn read(bytes: &[u8], limits: &Limits) -> Result<Structure, Error> {
    let text = text(bytes, limits)?;
    let mut reader = Reader { lexer: Lexer { text, next: 0 }, draft: Draft::default(), depth: 0 };
    reader.graph()?;
    reader.draft.finish(text)
}

/// A graph as DOT; `name` is the graph's own.
pub fn write(name: &str, structure: &Structure) -> String {
    let mut out = format!("digraph {} {{\n", quoted(name));
    for node in structure.names() {
        out.push_str(&format!("  {};\n", quoted(node)));
    }
    for (parent, child, gaps) in structure.marked_arcs() {
        let mark = if gaps { " [label=gaps]" } else { "" };
        out.push_str(&format!("  {} -> {}{mark};\n", quoted(parent), quoted(child)));
    }
    out.push_str("}\n");
    out
}

const KEYWORDS: [&str; 6] = ["strict", "graph", "digraph", "node", "edge", "subgraph"];

fn is_keyword(word: &str) -> bool {
    KEYWORDS.iter().any(|keyword| word.eq_ignore_ascii_case(keyword))
}

/// A name as it must stand in the file: bare where every reader takes it so, else in quotes.
fn quoted(name: &str) -> Cow<'_, str> {
    let plain = name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
    let first = name.bytes().next();
    if plain && first.is_some_and(|b| !b.is_ascii_digit()) && !is_keyword(name) {
        return Cow::Borrowed(name);
    }
    Cow::Owned(format!("\"{}\"", name.replace('\\', "\\\\").replace('"', "\\\"")))
}

#[derive(Debug, Clone, PartialEq)]
enum Kind<'a> {
    /// A bare word, which may be a keyword.
    Word(&'a str),
    /// A name in quotes or angle brackets.
    Name(Cow<'a, str>),
    /// One of `{ } [ ] ; , = : +`.
    Mark(char),
    /// `->`
    Arrow,
    /// `--`
    Line,
    End,
}

impl Kind<'_> {
    fn describe(&self) -> String {
        match self {
            Kind::Word(word) => format!("'{}'", shown(word)),
            Kind::Name(name) => format!("\"{}\"", shown(name)),
            Kind::Mark(c) => format!("'{c}'"),
            Kind::Arrow => "'->'".into(),
            Kind::Line => "'--'".into(),
            Kind::End => "the end of the file".into(),
        }
    }

    fn is(&self, keyword: &str) -> bool {
        matches!(self, Kind::Word(word) if word.eq_ignore_ascii_case(keyword))
    }
}

#[derive(Debug, Clone)]
struct Lexer<'a> {
    text: &'a str,
    next: usize,
}

impl<'a> Lexer<'a> {
    fn fail<T>(&self, offset: usize, message: impl Into<String>) -> Result<T, Error> {
        Err(at(self.text, offset, Error::Syntax(message.into())))
    }

    fn rest(&self) -> &'a str {
        &self.text[self.next..]
    }

    fn skip(&mut self) -> Result<(), Error> {
        loop {
            let rest = self.rest();
            self.next += rest.len() - rest.trim_start().len();
            let rest = self.rest();
            let at_line_start = self.next == 0 || self.text.as_bytes()[self.next - 1] == b'\n';
            if rest.starts_with("//") || (at_line_start && rest.starts_with('#')) {
                self.next += rest.find('\n').unwrap_or(rest.len());
            } else if let Some(comment) = rest.strip_prefix("/*") {
                let Some(length) = comment.find("*/") else {
                    return self.fail(self.next, "a comment begins with '/*' and never ends: expected '*/'");
                };
                self.next += length + 4;
            } else {
                return Ok(());
            }
        }
    }

    /// The next token and where it starts.
    fn token(&mut self) -> Result<(Kind<'a>, usize), Error> {
        self.skip()?;
        let start = self.next;
        let rest = self.rest();
        let kind = match rest.as_bytes() {
            [] => Kind::End,
            [b'-', b'>', ..] => self.take(2, Kind::Arrow),
            [b'-', b'-', ..] => self.take(2, Kind::Line),
            [b'{' | b'}' | b'[' | b']' | b';' | b',' | b'=' | b':' | b'+', ..] => {
                self.take(1, Kind::Mark(char::from(rest.as_bytes()[0])))
            }
            [b'"', ..] => Kind::Name(self.quoted()?),
            [b'<', ..] => Kind::Name(self.angled()?),
            _ => Kind::Word(self.word(start)?),
        };
        Ok((kind, start))
    }

    fn take(&mut self, length: usize, kind: Kind<'a>) -> Kind<'a> {
        self.next += length;
        kind
    }

    /// A word, or a number (which may begin with a minus).
    fn word(&mut self, start: usize) -> Result<&'a str, Error> {
        let rest = self.rest();
        let sign = usize::from(rest.starts_with('-'));
        let number = rest[sign..].starts_with(|c: char| c.is_ascii_digit() || c == '.');
        let belongs = |c: char| match number {
            true => c.is_ascii_digit() || c == '.',
            false => c.is_ascii_alphanumeric() || c == '_' || !c.is_ascii(),
        };
        let length = rest[sign..].find(|c| !belongs(c)).unwrap_or(rest.len() - sign);
        if length == 0 || (sign == 1 && !number) {
            let found = rest.chars().next().map(|c| shown(&c.to_string())).unwrap_or_default();
            return self.fail(start, format!("expected a name, an arc or '}}', found '{found}'"));
        }
        self.next += sign + length;
        Ok(&rest[..sign + length])
    }

    fn quoted(&mut self) -> Result<Cow<'a, str>, Error> {
        let text = self.rest();
        let Some(length) = quotes::length(text, true) else {
            return self.fail(self.next, "a name begins with a quote and never ends: expected '\"'");
        };
        self.next += length;
        let plain = |c| matches!(c, '"' | '\\' | '\n').then_some(Some(c).filter(|&c| c != '\n'));
        Ok(quotes::unescape(&text[1..length - 1], plain))
    }

    /// Text between angle brackets, which may hold more of them.
    fn angled(&mut self) -> Result<Cow<'a, str>, Error> {
        let start = self.next;
        let mut open = 0usize;
        for (i, b) in self.rest().bytes().enumerate() {
            match b {
                b'<' => open += 1,
                b'>' if open == 1 => {
                    self.next = start + i + 1;
                    return Ok(Cow::Borrowed(&self.text[start + 1..start + i]));
                }
                b'>' => open -= 1,
                _ => {}
            }
        }
        self.fail(start, "a name begins with '<' and never ends: expected '>'")
    }
}

/// Groups in groups deeper than this are refused: no graph needs them, and each takes some of the stack.
const MAX_DEPTH: usize = 100;

struct Reader<'a> {
    lexer: Lexer<'a>,
    draft: Draft,
    depth: usize,
}

/// What a statement's end of an arc stands for: one node, or all nodes of a group.
type Nodes = Vec<usize>;

impl<'a> Reader<'a> {
    fn expected<T>(&self, what: &str, (kind, offset): &(Kind<'a>, usize)) -> Result<T, Error> {
        self.lexer.fail(*offset, format!("expected {what}, found {}", kind.describe()))
    }

    fn peek(&mut self) -> Result<(Kind<'a>, usize), Error> {
        let before = self.lexer.next;
        let token = self.lexer.token()?;
        self.lexer.next = before;
        Ok(token)
    }

    /// Takes the next token if it is this mark.
    fn take(&mut self, mark: char) -> Result<bool, Error> {
        let before = self.lexer.next;
        let found = self.lexer.token()?.0 == Kind::Mark(mark);
        if !found {
            self.lexer.next = before;
        }
        Ok(found)
    }

    /// `[strict] digraph [name] { … }` and nothing after it.
    fn graph(&mut self) -> Result<(), Error> {
        let mut token = self.lexer.token()?;
        if token.0.is("strict") {
            token = self.lexer.token()?;
        }
        if token.0.is("graph") {
            return self.lexer.fail(token.1, "expected 'digraph', found 'graph': arcs need a direction");
        }
        // DAGitty's dialect says "dag" for the same thing.
        if !token.0.is("digraph") && !token.0.is("dag") {
            return self.expected("'digraph'", &token);
        }
        token = self.lexer.token()?;
        if matches!(token.0, Kind::Name(_) | Kind::Word(_)) {
            token = self.lexer.token()?;
        }
        if token.0 != Kind::Mark('{') {
            return self.expected("'{' after 'digraph'", &token);
        }
        self.statements(token.1)?;
        let token = self.lexer.token()?;
        match token.0 {
            Kind::End => Ok(()),
            _ => self.expected("one graph and then the end of the file", &token),
        }
    }

    /// Statements up to the closing brace; every node met.
    fn statements(&mut self, open: usize) -> Result<Nodes, Error> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return self.lexer.fail(open, format!("more than {MAX_DEPTH} groups in one another"));
        }
        let mut met = Vec::new();
        loop {
            let token = self.peek()?;
            match token.0 {
                Kind::Mark('}') => {
                    self.lexer.token()?;
                    break;
                }
                Kind::Mark(';' | ',') => {
                    self.lexer.token()?;
                }
                Kind::End => {
                    return self.lexer.fail(open, "the group opened here never ends: expected '}'");
                }
                _ => self.statement(&mut met)?,
            }
        }
        self.depth -= 1;
        met.sort_unstable();
        met.dedup();
        Ok(met)
    }

    fn statement(&mut self, met: &mut Nodes) -> Result<(), Error> {
        let token = self.peek()?;
        if ["graph", "node", "edge"].iter().any(|keyword| token.0.is(keyword)) {
            self.lexer.token()?;
            return self.attributes(token.0.is("edge"));
        }
        let before = self.lexer.next;
        if matches!(token.0, Kind::Word(_) | Kind::Name(_)) && !token.0.is("subgraph") {
            self.name()?;
            if self.take('=')? {
                self.name()?;
                return Ok(());
            }
            self.lexer.next = before;
        }
        let mut parents = self.end(met)?;
        let mut is_arc = false;
        loop {
            let (kind, offset) = self.peek()?;
            match kind {
                Kind::Arrow => {
                    self.lexer.token()?;
                    let children = self.end(met)?;
                    for &parent in &parents {
                        for &child in &children {
                            self.draft.arc(self.lexer.text, parent, child, offset)?;
                        }
                    }
                    (parents, is_arc) = (children, true);
                }
                Kind::Line => {
                    return self.lexer.fail(offset, "expected '->', found '--': arcs need a direction");
                }
                _ => return self.attributes(is_arc),
            }
        }
    }

    /// One end of an arc, or a node or group alone.
    fn end(&mut self, met: &mut Nodes) -> Result<Nodes, Error> {
        let mut token = self.peek()?;
        let mut named_group = false;
        if token.0.is("subgraph") {
            self.lexer.token()?;
            named_group = true;
            token = self.peek()?;
            if matches!(token.0, Kind::Word(_) | Kind::Name(_)) {
                self.name()?;
                token = self.peek()?;
            }
        }
        let nodes = match &token.0 {
            Kind::Mark('{') => {
                self.lexer.token()?;
                self.statements(token.1)?
            }
            Kind::Word(_) | Kind::Name(_) if !named_group => {
                let name = self.name()?;
                // A port and a compass point.
                for _ in 0..2 {
                    if self.take(':')? {
                        self.name()?;
                    }
                }
                vec![self.draft.node(&name)]
            }
            _ if named_group => return self.expected("'{' after 'subgraph'", &token),
            _ => return self.expected("a node or a group", &token),
        };
        met.extend_from_slice(&nodes);
        Ok(nodes)
    }

    /// A name; quoted parts may be joined with `+`.
    fn name(&mut self) -> Result<Cow<'a, str>, Error> {
        let token = self.lexer.token()?;
        let mut name = match token.0 {
            Kind::Word(word) if !is_keyword(word) => return Ok(Cow::Borrowed(word)),
            Kind::Name(name) => name,
            _ => return self.expected("a name", &token),
        };
        while self.take('+')? {
            let token = self.lexer.token()?;
            let Kind::Name(more) = token.0 else {
                return self.expected("a name in quotes after '+'", &token);
            };
            name.to_mut().push_str(&more);
        }
        Ok(name)
    }

    /// Lists of attributes, as many as there are.
    fn attributes(&mut self, of_arcs: bool) -> Result<(), Error> {
        while self.take('[')? {
            loop {
                if self.take(']')? {
                    break;
                }
                if self.take(',')? || self.take(';')? {
                    continue;
                }
                let (_, offset) = self.peek()?;
                let key = self.name()?;
                if !self.take('=')? {
                    continue;
                }
                let value = self.name()?;
                if of_arcs && key.eq_ignore_ascii_case("dir") && !value.eq_ignore_ascii_case("forward") {
                    let value = shown(&value);
                    return self.lexer.fail(
                        offset,
                        format!("expected 'dir=forward', found 'dir={value}': arcs need a direction"),
                    );
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Dag;

    fn found(text: &str) -> (Vec<String>, Vec<String>) {
        let s = read(text.as_bytes(), &Limits::default()).unwrap_or_else(|e| panic!("{text:?}: {e}"));
        (s.names().to_vec(), s.named_arcs().map(|(p, c)| format!("{p}>{c}")).collect())
    }

    fn complaint(text: &str) -> String {
        read(text.as_bytes(), &Limits::default()).unwrap_err().to_string()
    }

    #[test]
    fn reads_the_language() {
        assert_eq!(found("digraph{}"), (vec![], vec![]));
        let (names, arcs) = found("strict digraph G { a; b -> c -> d [color=red, weight=2.5]; a->c }");
        assert_eq!((names.join(""), arcs.join(" ")), ("abcd".into(), "a>c b>c c>d".into()));
        assert_eq!(found("dag {\na [exposure,pos=\"1,2\"]\nb [outcome]\na -> b\n}\n").1, ["a>b"]);
        let (_, arcs) =
            found("digraph { {a b} -> subgraph cluster_x { label=\"x\"; c; d -> e } edge [dir=forward] }");
        assert_eq!(arcs.join(" "), "a>c a>d a>e b>c b>d b>e d>e");
        let text = "# made by hand\ndigraph \"g\" {\n rankdir=LR; node [shape=box]; // nodes\n \"x y\":p:n -> \"a\"\n  + \"b\" /* both */\n -1.5 -> <i<b>k</b>> \n \"q\\\"\\\\\" -> été }";
        let (names, arcs) = found(text);
        assert_eq!(names, ["x y", "ab", "-1.5", "i<b>k</b>", "q\"\\", "été"]);
        assert_eq!(arcs, ["x y>ab", "-1.5>i<b>k</b>", "q\"\\>été"]);
    }

    #[test]
    fn faults_have_a_place() {
        for (text, want) in [
            ("", "1:1: expected 'digraph', found the end"),
            ("graph { a -- b }", "1:1: expected 'digraph', found 'graph'"),
            ("digraph {\n a -- b }", "2:4: expected '->', found '--'"),
            ("digraph {\n a -> b [dir=none] }", "2:10: expected 'dir=forward'"),
            ("digraph { a -> b", "1:9: the group opened here never ends"),
            ("digraph { a -> ; }", "1:16: expected a node or a group, found ';'"),
            ("digraph { a -> b } x", "1:20: expected one graph"),
            ("digraph { \"a }", "1:11: a name begins with a quote"),
            ("digraph { <a }", "1:11: a name begins with '<'"),
            ("digraph { /* a }", "1:11: a comment begins"),
            ("digraph { a ! b }", "1:13: expected a name, an arc or '}', found '!'"),
            ("digraph { a [x=] }", "1:16: expected a name"),
            ("digraph {\n a -> b;\n b -> a }", "3:4: the arcs form a cycle: a -> b -> a"),
            ("digraph { subgraph x }", "1:22: expected '{' after 'subgraph'"),
        ] {
            let message = complaint(text);
            assert!(message.starts_with(want), "{text:?}: {message}");
        }
        let deep = format!("digraph {{ {} }}", "{".repeat(100_000));
        assert!(complaint(&deep).contains("groups in one another"));
        let all: Vec<String> = (0..4000).map(|i| format!("n{i}")).collect();
        let wide = format!("digraph {{ {{ {} }} -> {{ {} }} }}", all.join(" "), all.join("x "));
        assert!(complaint(&wide).contains("more than 4194304 arcs"));
    }

    #[test]
    fn what_is_written_reads_back() {
        let names = ["plain", "2nd", "with \"quote\"", "two\nlines", "back\\slash\\", "node", "été", ""];
        let dag = Dag::from_arcs(8, [(0, 1), (1, 2), (2, 3), (3, 4), (4, 5), (5, 6)]).unwrap();
        let structure = Structure::new(names.map(String::from).to_vec(), dag).unwrap();
        let text = write("a \"graph\"", &structure);
        assert_eq!(read(text.as_bytes(), &Limits::default()).unwrap(), structure, "{text}");
        let two = Structure::new(vec!["a".into(), "b".into()], Dag::from_arcs(2, [(0, 1)]).unwrap()).unwrap();
        assert_eq!(write("g", &two), "digraph g {\n  a;\n  b;\n  a -> b;\n}\n");
    }
}
