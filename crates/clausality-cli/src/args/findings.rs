//! Nodes and states as people type them: `A`, `A=a`, lists with commas between, and `A=a:0.7,b:0.3`.
//!
//! Names and states may themselves hold commas, `=` and colons (`Age=<= 5`, `"[1, 2)"`): a list is cut where the parts are
//! nodes and states of the network, the shortest part first. Where that leaves a doubt, double quotes around a name or
//! a state settle it; a quote within quotes is doubled. Where a network keeps the coding of its table, a value will do for a
//! state (`Age=51`); what can be read as a label is one. What was observed may also be several states (`Race=White|Black`) or a range
//! (`Age>=50`).

use crate::failure::Failure;
use clausality::bn::infer::Evidence;
use clausality::bn::{Schema, Variable};
use clausality::data::Coding;
use clausality::model::{self, Model, NameError, Said, no_state, not_one};
use std::cell::RefCell;

/// A node by its name, or a refusal with the name that may have been meant.
pub(crate) fn node(schema: &Schema, name: &str) -> Result<usize, Failure> {
    Ok(model::node(schema, &unquoted(name))?)
}

/// The nodes of all uses of an option that takes a list of them.
pub(crate) fn nodes(schema: &Schema, texts: &[String]) -> Result<Vec<usize>, Failure> {
    let mut found = vec![];
    for text in texts {
        each(text, |rest| {
            let part = pieces(rest, ',')
                .find_map(|(part, after)| Some((model::known(schema, &unquoted(part))?, after)));
            let Some((node, after)) = part else {
                return Err(self::node(schema, first(rest, ',')).err().unwrap_or_else(|| unreadable(rest)));
            };
            if found.contains(&node) {
                return Err(NameError::Twice(schema.name(node).to_string()).into());
            }
            found.push(node);
            Ok(after)
        })?;
    }
    Ok(found)
}

/// Takes the elements of a list one by one; `take` tells what is left behind the one it took.
pub(super) fn each<'t, E>(
    text: &'t str,
    mut take: impl FnMut(&'t str) -> Result<Option<&'t str>, E>,
) -> Result<(), E> {
    let mut rest = Some(text);
    while let Some(text) = rest {
        rest = take(text)?;
    }
    Ok(())
}

/// A list of nodes with their states, or with values that the coding knows the states of; what deserves to be said of those is
/// added to `told`.
fn states(
    schema: &Schema,
    coding: Option<&Coding>,
    text: &str,
    told: &RefCell<Vec<String>>,
) -> Result<Vec<(usize, u8)>, Failure> {
    let by_label = |variable: &Variable, state: &str| variable.code(state);
    let by_value = |variable: &Variable, value: &str| {
        let state = model::state(variable, coding, value)?;
        told.borrow_mut().extend(model::beyond(variable, coding?, value));
        Some(state)
    };
    let mut found = vec![];
    each(text, |rest| {
        let part = first_pair(schema, rest, by_label).or_else(|| first_pair(schema, rest, by_value));
        let (pair, after) =
            part.ok_or_else(|| wrong_pair(schema, rest, |v, text| not_one(v, coding, text)))?;
        found.push(pair);
        Ok::<_, Failure>(after)
    })?;
    Ok(found)
}

/// A list of nodes with what is said of them: a state or a value, several with `|` between, or a range (`Age>=50`).
fn findings(
    schema: &Schema,
    coding: Option<&Coding>,
    text: &str,
    told: &RefCell<Vec<String>>,
) -> Result<Vec<(usize, Said)>, Failure> {
    let by_label = |variable: &Variable, state: &str| variable.code(state).map(Said::State);
    let by_meaning = |variable: &Variable, text: &str| {
        let said = model::said(variable, coding, text)?;
        told.borrow_mut().extend(coding.and_then(|coding| model::beyond(variable, coding, text)));
        told.borrow_mut().extend(model::assumed(variable, coding, text));
        Some(said)
    };
    let mut found = vec![];
    let mut rest = text;
    loop {
        let part = first_pair(schema, rest, by_label)
            .or_else(|| first_pair(schema, rest, by_meaning))
            .or_else(|| first_range(schema, rest, by_meaning))
            .map(|(pair, after)| (vec![pair], after))
            .or_else(|| first_between(schema, rest, by_meaning));
        let Some((pairs, after)) = part else {
            return Err(wrong_pair(schema, rest, |v, text| no_state(v, coding, text)));
        };
        found.extend(pairs);
        match after {
            Some(after) => rest = after,
            None => return Ok(found),
        }
    }
}

/// The first node with a range in a list (`Age>=50`), and what follows it.
fn first_range<'t>(
    schema: &Schema,
    text: &'t str,
    said: impl Fn(&Variable, &str) -> Option<Said>,
) -> Option<((usize, Said), Option<&'t str>)> {
    let pair = |part: &str| {
        part.match_indices(['<', '>', '!', '≤', '≥', '≠']).find_map(|(at, _)| {
            let node = model::known(schema, &unquoted(&part[..at]))?;
            Some((node, said(schema.variable(node), part[at..].trim())?))
        })
    };
    pieces(text, ',').find_map(|(part, after)| Some((pair(part)?, after)))
}

/// What is said of nodes, and what follows it in a list.
type Findings<'t> = (Vec<(usize, Said)>, Option<&'t str>);

/// The first node between two bounds in a list (`30<=Age<50`), as two ranges, and what follows it.
fn first_between<'t>(
    schema: &Schema,
    text: &'t str,
    said: impl Fn(&Variable, &str) -> Option<Said>,
) -> Option<Findings<'t>> {
    let both = |part: &str, sign: char, turned: char| {
        let part = &part.replace('≤', "<=").replace('≥', ">=");
        let (bound, rest) = part.split_once(sign)?;
        let (equal, rest) = rest.strip_prefix('=').map_or(("", rest), |rest| ("=", rest));
        rest.match_indices(sign).find_map(|(at, _)| {
            let node = model::known(schema, &unquoted(&rest[..at]))?;
            let variable = schema.variable(node);
            let first = said(variable, &format!("{turned}{equal}{}", bound.trim()))?;
            Some(vec![(node, first), (node, said(variable, rest[at..].trim())?)])
        })
    };
    pieces(text, ',')
        .find_map(|(part, after)| Some((both(part, '<', '>').or_else(|| both(part, '>', '<'))?, after)))
}

/// `A=a:0.7,b:0.3` as a node and a likelihood for each of its states; `*:0.1` stands for all states not listed.
pub(crate) fn likelihood(
    schema: &Schema,
    coding: Option<&Coding>,
    text: &str,
) -> Result<(usize, Vec<f64>), Failure> {
    let named =
        pieces(text, '=').find_map(|(name, after)| Some((model::known(schema, &unquoted(name))?, after?)));
    let Some((node, weights)) = named else {
        return Err(self::node(schema, first(text, '=')).err().unwrap_or_else(|| unreadable(text)));
    };
    let variable = schema.variable(node);
    let mut given: Vec<Option<f64>> = vec![None; variable.states.len()];
    let mut others = None;
    each(weights, |rest| {
        let part = pieces(rest, ',').find_map(|(part, after)| Some((weight(variable, coding, part)?, after)));
        let Some(((state, value), after)) = part else {
            return Err(wrong_weight(variable, coding, first(rest, ',')));
        };
        let place = state.map_or(&mut others, |state| &mut given[state]);
        if place.replace(value).is_some() {
            return Err(Failure::Input(format!("--likely: a state of '{}' is listed twice", variable.name)));
        }
        Ok(after)
    })?;
    let all: Option<Vec<f64>> = given.iter().map(|value| value.or(others)).collect();
    let missing = given.iter().position(Option::is_none).map(|s| variable.states[s].as_str());
    Ok((node, all.ok_or_else(|| {
        let missing = missing.unwrap_or_default();
        Failure::Input(format!(
            "--likely: '{}' has no number for its state '{missing}': list every state, or *:NUMBER for the rest",
            variable.name
        ))
    })?))
}

/// All that is known, from the options of a command, and what deserves to be said of it.
pub(crate) fn evidence(
    model: &Model,
    given: &[String],
    set: &[String],
    likely: &[String],
) -> Result<(Evidence, Vec<String>), Failure> {
    let told = RefCell::new(vec![]);
    let schema = model.network.schema();
    let coding = model.coding()?;
    let mut evidence = Evidence::new(&model.network);
    let mut found = vec![];
    for text in given {
        found.extend(findings(schema, coding.as_ref(), text, &told)?);
    }
    for (node, said) in model::narrowed(schema, found)? {
        match said {
            Said::State(state) => evidence.observe(node, state)?,
            Said::Among(shares) => evidence.among(node, shares)?,
        }
    }
    for text in set {
        for (node, state) in states(schema, coding.as_ref(), text, &told)? {
            let reach = coding.as_ref().and_then(|coding| model::out_of_reach(schema.variable(node), coding));
            told.borrow_mut().extend(reach);
            evidence.intervene(node, state)?;
        }
    }
    for text in likely {
        let (node, likelihood) = likelihood(schema, coding.as_ref(), text)?;
        evidence.likelihood(node, likelihood)?;
    }
    Ok((evidence, told.into_inner()))
}

/// A list of names with commas between; a name with a comma in it stands in double quotes.
pub(crate) fn names(text: &str) -> Result<Vec<String>, String> {
    let mut names = vec![];
    each(text, |rest| {
        let quoted = rest.trim_start().starts_with('"');
        // Without quotes around the name a comma always ends it, and a quote is a letter like any other.
        let (name, after) = match quoted {
            true => pieces(rest, ',').next().unwrap_or((rest, None)),
            false => rest.split_once(',').map_or((rest, None), |(name, after)| (name, Some(after))),
        };
        if quoted && unquoted(name) == name.trim() {
            return Err(format!("the quotes of {} do not close where the name ends", name.trim()));
        }
        names.push(unquoted(name));
        Ok(after)
    })?;
    Ok(names)
}

/// Every way to cut a text in two at a separator outside quotes, the shortest first part first; last the whole text.
pub(super) fn pieces(text: &str, separator: char) -> impl Iterator<Item = (&str, Option<&str>)> {
    let mut quoted = false;
    let cuts = text.char_indices().filter(move |&(_, c)| {
        quoted ^= c == '"';
        c == separator && !quoted
    });
    let width = separator.len_utf8();
    cuts.map(move |(at, _)| (&text[..at], Some(&text[at + width..]))).chain([(text, None)])
}

/// The text up to the first separator outside quotes.
pub(super) fn first(text: &str, separator: char) -> &str {
    pieces(text, separator).next().map_or(text, |(part, _)| part)
}

/// The text without its surrounding blanks and quotes.
pub(super) fn unquoted(text: &str) -> String {
    let text = text.trim();
    match text.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) {
        Some(inner) => inner.replace("\"\"", "\""),
        None => text.to_string(),
    }
}

/// The first node with its state in a list, and what follows it.
fn first_pair<'t, T>(
    schema: &Schema,
    text: &'t str,
    code: impl Fn(&Variable, &str) -> Option<T>,
) -> Option<((usize, T), Option<&'t str>)> {
    let pair = |part: &str| {
        pieces(part, '=').find_map(|(name, state)| {
            let node = model::known(schema, &unquoted(name))?;
            Some((node, code(schema.variable(node), &unquoted(state?))?))
        })
    };
    pieces(text, ',').find_map(|(part, after)| Some((pair(part)?, after)))
}

/// A state (or none for `*`) and its number.
fn weight(variable: &Variable, coding: Option<&Coding>, text: &str) -> Option<(Option<usize>, f64)> {
    pieces(text, ':').find_map(|(state, value)| {
        let value = value?.trim().parse().ok()?;
        let label = unquoted(state);
        match model::state(variable, coding, &label) {
            Some(code) => Some((Some(usize::from(code)), value)),
            None if label == "*" => Some((None, value)),
            None => None,
        }
    })
}

/// Why the beginning of a list is no node with a state, where `why` says it of a node and a text.
fn wrong_pair(schema: &Schema, text: &str, why: impl Fn(&Variable, &str) -> NameError) -> Failure {
    let known =
        pieces(text, '=').find_map(|(name, state)| Some((model::known(schema, &unquoted(name))?, state?)));
    if let Some((node, rest)) = known {
        return why(schema.variable(node), &unquoted(first(rest, ','))).into();
    }
    let first = first(text, ',');
    let range = first
        .match_indices(['<', '>', '!'])
        .find_map(|(at, _)| Some((model::known(schema, &unquoted(&first[..at]))?, at)));
    if let Some((node, at)) = range {
        return why(schema.variable(node), first[at..].trim()).into();
    }
    // Of a range the sign before `=` is no part of the name.
    let sign = |c: char| "<>!≤≥≠".contains(c);
    let name = pieces(first, '=')
        .next()
        .filter(|(_, state)| state.is_some())
        .map(|(name, _)| name.trim_end_matches(sign));
    match name.or_else(|| first.split_once(sign).map(|(name, _)| name)) {
        Some(name) => node(schema, name).err().unwrap_or_else(|| unreadable(text)),
        _ => Failure::Input(format!("expected NODE=STATE, found '{first}'")),
    }
}

fn wrong_weight(variable: &Variable, coding: Option<&Coding>, part: &str) -> Failure {
    match part.rsplit_once(':') {
        Some((state, value)) if value.trim().parse::<f64>().is_ok() => {
            no_state(variable, coding, &unquoted(state)).into()
        }
        Some((_, value)) => Failure::Input(format!("--likely: '{value}' is no number")),
        None => Failure::Input(format!("--likely: expected STATE:NUMBER, found '{part}'")),
    }
}

fn unreadable(text: &str) -> Failure {
    Failure::Input(format!("'{text}' cannot be read; put names with commas or = in double quotes"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn schema() -> Schema {
        Schema::new(vec![
            Variable::new("Age", ["<= 5", "6 to 9", "[1, 2)"]),
            Variable::new("a=b", ["x", "y,z"]),
            Variable::new("a, b", ["x:1", "\"q\""]),
            Variable::new("plain", ["yes", "no"]),
            Variable::new("name", ["other", "Smith", "Hill"]),
        ])
        .unwrap()
    }

    fn message(failure: Failure) -> String {
        let Failure::Input(message) = failure else { panic!("{failure:?}") };
        message
    }

    #[test]
    fn lists_are_cut_where_names_and_states_end() {
        let s = schema();
        let pairs = |text| states(&s, None, text, &RefCell::default()).unwrap();
        assert_eq!(pairs("Age=<= 5,plain=no"), [(0, 0), (3, 1)]);
        assert_eq!(pairs("Age=[1, 2), a=b=y,z"), [(0, 2), (1, 1)]);
        assert_eq!(pairs("\"a, b\"=\"\"\"q\"\"\",\"plain\" = \"yes\""), [(2, 1), (3, 0)]);
        assert_eq!(nodes(&s, &["a, b,plain".into()]).unwrap(), [2, 3]);
        assert_eq!(nodes(&s, &["\"a, b\", Age".into()]).unwrap(), [2, 0]);
    }

    #[test]
    fn several_states_and_ranges_are_read() {
        let s = schema();
        let among = |shares: &[f64]| Said::Among(shares.to_vec());
        let found = findings(&s, None, "Age>=6,plain=yes|no, a=b=x", &RefCell::default()).unwrap();
        assert_eq!(found, [(0, among(&[0.0, 1.0, 0.0])), (3, among(&[1.0, 1.0])), (1, Said::State(0))]);
        assert_eq!(
            findings(&s, None, "Age=<= 5,Age < 3", &RefCell::default()).unwrap()[1],
            (0, among(&[1.0, 0.0, 0.0]))
        );
        let of = |text: &str| findings(&s, None, text, &RefCell::default()).unwrap();
        assert_eq!(of("3<=Age<8, plain=no")[1..], [(0, among(&[1.0, 0.5, 0.0])), (3, Said::State(1))]);
        assert_eq!(of("8 > Age >= 8")[0], of("Age<8")[0]);
        assert_eq!(of("3≤Age<8, plain=no"), of("3<=Age<8, plain=no"));
        assert_eq!(of("Age≥6,plain≠yes"), of("Age>=6,plain!=yes"));
        assert_eq!(of("Age=6..7,plain!=yes"), [(0, among(&[0.0, 0.5, 0.0])), (3, among(&[0.0, 1.0]))]);
        assert!(
            message(findings(&s, None, "plain!=ja", &RefCell::default()).unwrap_err())
                .contains("no state 'ja'")
        );
        let told = RefCell::default();
        findings(&s, None, "Age>=8", &told).unwrap();
        assert!(told.borrow()[0].contains("cuts the state '6 to 9'"), "{told:?}");
        assert!(
            message(findings(&s, None, "plain>=3", &RefCell::default()).unwrap_err())
                .contains("the states of 'plain' have no order, so '>=3' takes in none")
        );
    }

    #[test]
    fn names_with_commas_stand_in_quotes() {
        for (text, found) in [
            ("a,b", vec!["a", "b"]),
            ("\"a,b\",c", vec!["a,b", "c"]),
            (" c , \"a, \"\"b\"\"\" ", vec!["c", "a, \"b\""]),
            ("5\" pipe,b", vec!["5\" pipe", "b"]),
            ("a,", vec!["a", ""]),
        ] {
            assert_eq!(names(text), Ok(found.iter().map(ToString::to_string).collect()), "{text}");
        }
        assert!(names("\"a,b").is_err() && names("\"a\" b,c").is_err());
    }

    #[test]
    fn likelihoods_name_every_state() {
        let s = schema();
        assert_eq!(likelihood(&s, None, "plain=yes:0.7,no:0.3").unwrap(), (3, vec![0.7, 0.3]));
        assert_eq!(likelihood(&s, None, "Age=[1, 2):2,*:1e-3").unwrap(), (0, vec![1e-3, 1e-3, 2.0]));
        assert_eq!(likelihood(&s, None, "a, b=x:1:0.5,\"\"\"q\"\"\":1").unwrap(), (2, vec![0.5, 1.0]));
        for (text, part) in [
            ("plain=yes:0.7", "no number for its state 'no'"),
            ("plain=yes:0.7,yes:1,no:1", "listed twice"),
            ("plain=yes:much,no:1", "'much' is no number"),
            ("plain=yse:1,no:1", "did you mean 'yes'?"),
            ("plain=yes", "expected STATE:NUMBER"),
            ("plian=yes:1,no:1", "did you mean 'plain'?"),
        ] {
            let found = message(likelihood(&s, None, text).unwrap_err());
            assert!(found.contains(part), "{text}: {found}");
        }
    }

    #[test]
    fn mistakes_are_told_with_what_may_have_been_meant() {
        let s = schema();
        for (text, part) in [
            ("plian=yes", "no node 'plian'; did you mean 'plain'?"),
            ("plian>=yes", "no node 'plian'; did you mean 'plain'?"),
            ("plian<3", "no node 'plian'; did you mean 'plain'?"),
            ("plain=ja", "node 'plain' has no state 'ja'; it has yes, no"),
            ("plain=Yes", "did you mean 'yes'?"),
            // Without a coding nobody knows what "other" stands for.
            ("name=Hargrave", "no state 'Hargrave'; it has other, Smith, Hill"),
            ("name=smith", "did you mean 'Smith'?"),
            ("plain", "expected NODE=STATE, found 'plain'"),
            ("plain=yes,", "expected NODE=STATE, found ''"),
            ("", "expected NODE=STATE"),
            ("Age>=6", "node 'Age' can be set to one state only, and '>=6' may be several"),
            ("plain=yes|no", "'yes|no' may be several"),
            ("Age=7", "states <= 5, 6 to 9, [1, 2); this model file keeps no cut points"),
        ] {
            let found = message(states(&s, None, text, &RefCell::default()).unwrap_err());
            assert!(found.contains(part), "{text}: {found}");
        }
        assert!(message(nodes(&s, &["plain,plain".into()]).unwrap_err()).contains("twice"));
        assert!(message(nodes(&s, &["plain,".into()]).unwrap_err()).contains("no node ''"));
    }
}
