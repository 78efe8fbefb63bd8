//! Several ES modules as one: a notebook gives a widget a single file.
//!
//! Each module becomes a function that is called once and gives what the module exports, so names of one never meet those of another:
//!
//! ```text
//! import { make } from './element.js';        const $element = (() => { …  return { make }; })();
//! export const walk = …                →      const $walk = (() => { const { make } = $element; … return { walk }; })();
//! ```
//!
//! It knows the two forms that the page uses, each on a line of its own, and refuses all others: `import { a, b as c } from './file.js';` and
//! `export` before a `const`, `function`, `async function` or `class`. The entry stands as it is, so it may `export default`.

use std::fmt::Write;

/// Joins a module with all that it imports, directly or not; `source` gives the text of a file.
pub(crate) fn join<'s>(entry: &str, source: impl Fn(&str) -> Option<&'s str>) -> Result<String, String> {
    let mut joined = Joined { source, done: vec![], open: vec![], out: String::new() };
    joined.add(entry)?;
    Ok(joined.out)
}

struct Joined<F> {
    source: F,
    /// Modules that stand in the result.
    done: Vec<String>,
    /// Modules whose imports are being added, each imported by the one before.
    open: Vec<String>,
    out: String,
}

impl<'s, F: Fn(&str) -> Option<&'s str>> Joined<F> {
    fn add(&mut self, name: &str) -> Result<(), String> {
        if self.done.iter().any(|done| done == name) {
            return Ok(());
        }
        if self.open.iter().any(|open| open == name) {
            return Err(format!("{name} imports itself, by way of {}", self.open.join(", ")));
        }
        let text = (self.source)(name).ok_or_else(|| format!("there is no {name}"))?;
        let is_entry = self.open.is_empty();
        self.open.push(name.to_string());
        let mut body = String::new();
        let mut exports = vec![];
        for (line, number) in text.lines().zip(1..) {
            let strange = || format!("{name}:{number}: cannot be joined: {line}");
            if line.starts_with("import") {
                let (names, file) = import(line).ok_or_else(strange)?;
                self.add(file)?;
                let _ = writeln!(body, "const {{ {} }} = {};", names.replace(" as ", ": "), variable(file));
            } else if let Some(declared) = line.strip_prefix("export ").filter(|_| !is_entry) {
                exports.push(declared_name(declared).ok_or_else(strange)?);
                body.push_str(declared);
                body.push('\n');
            } else {
                body.push_str(line);
                body.push('\n');
            }
        }
        let _ = match is_entry {
            true => writeln!(self.out, "// {name}\n{body}"),
            false => {
                let (variable, exports) = (variable(name), exports.join(", "));
                writeln!(
                    self.out,
                    "// {name}\nconst {variable} = (() => {{\n{body}return {{ {exports} }};\n}})();\n"
                )
            }
        };
        self.open.pop();
        self.done.push(name.to_string());
        Ok(())
    }
}

/// Names and file of `import { a, b } from './file.js';`.
fn import(line: &str) -> Option<(&str, &str)> {
    let (names, file) = line.strip_prefix("import { ")?.split_once(" } from './")?;
    Some((names, file.strip_suffix("';")?))
}

/// What a declaration declares.
fn declared_name(declaration: &str) -> Option<&str> {
    let rest = declaration.strip_prefix("async ").unwrap_or(declaration);
    let (kind, rest) = rest.split_once(' ')?;
    let is_known = matches!(kind, "const" | "function" | "class");
    let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
    (is_known && end > 0).then(|| &rest[..end])
}

/// The name under which a module is known to the others.
fn variable(file: &str) -> String {
    format!("${}", file.trim_end_matches(".js"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn joined(files: &[(&'static str, &'static str)]) -> Result<String, String> {
        join("a.js", |name| files.iter().find(|(file, _)| *file == name).map(|(_, text)| *text))
    }

    #[test]
    fn what_is_imported_stands_before_and_once() {
        let found = joined(&[
            (
                "a.js",
                "import { one, two as three } from './b.js';\nimport { four } from './c.js';\nexport default one;\n",
            ),
            (
                "b.js",
                "import { four } from './c.js';\nexport const one = four;\nexport async function two() {}\n",
            ),
            ("c.js", "const own = 4;\nexport class four {}\n"),
        ]);
        let expected = "// c.js\nconst $c = (() => {\nconst own = 4;\nclass four {}\nreturn { four };\n})();\n\n\
             // b.js\nconst $b = (() => {\nconst { four } = $c;\nconst one = four;\nasync function two() {}\nreturn { one, two };\n})();\n\n\
             // a.js\nconst { one, two: three } = $b;\nconst { four } = $c;\nexport default one;\n\n";
        assert_eq!(found.as_deref(), Ok(expected));
    }

    #[test]
    fn what_it_does_not_know_is_refused() {
        for (text, part) in [
            ("import b from './b.js';", "a.js:1: cannot be joined"),
            ("\nimport './b.js';", "a.js:2:"),
            ("import { b } from '../b.js';", "a.js:1:"),
            ("import { b } from './x.js';", "there is no x.js"),
            ("import { let } from './b.js';", "b.js:1: cannot be joined: export let"),
        ] {
            let refused = joined(&[("a.js", text), ("b.js", "export let b = 1;")]).unwrap_err();
            assert!(refused.contains(part), "{refused}");
        }
        let circle = [
            ("a.js", "import { b } from './b.js';"),
            ("b.js", "import { a } from './a.js';\nexport const b = 1;"),
        ];
        assert_eq!(joined(&circle).unwrap_err(), "a.js imports itself, by way of a.js, b.js");
    }
}
