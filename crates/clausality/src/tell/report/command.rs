//! The command that makes a run again, from its parameters: every option that is not what it would be anyway.
//!
//! What an option cannot say (tiers, levels with a `<`, cells with a comma) goes into a configuration file, which the first
//! line writes.

use crate::embedded;
use crate::run::{Run, STANDARD_INPUT};
use crate::settings::{Profile, Settings, config_line};
use crate::words::is_unsafe;
use serde_json::{Map, Value};

/// The file for what options cannot say.
const CONFIG: &str = "again.toml";

/// The lines to type.
pub(super) fn again(run: &Run) -> Vec<String> {
    let defaults = defaults(run);
    let (mut words, mut config) = (start(run), Vec::new());
    for (name, value) in &run.params.fields() {
        if value.is_null() || defaults.get(name) == Some(value) {
            continue;
        }
        match options(name, value) {
            Some(said) => words.extend(said),
            None => config.push(config_line(name, value)),
        }
    }
    let mut lines = Vec::new();
    if !config.is_empty() {
        let quoted: Vec<String> = config.iter().map(|line| quoted(line)).collect();
        lines.push(format!("printf '%s\\n' {} > {CONFIG}", quoted.join(" ")));
        words.extend(["--config".to_string(), CONFIG.to_string()]);
    }
    let words: Vec<String> = words.iter().map(|word| quoted(word)).collect();
    let input = if run.table == STANDARD_INPUT { " < TABLE" } else { "" };
    lines.push(format!("{}{input}", words.join(" ")));
    lines
}

/// The program, the command and the table.
fn start(run: &Run) -> Vec<String> {
    let sampled = run.table.strip_prefix('@').filter(|name| embedded::list().iter().any(|e| e.name == *name));
    let words = match sampled {
        Some(name) => {
            let profile = run.params.profile.word();
            vec![
                "demo".into(),
                name.into(),
                "--rows".into(),
                run.rows.to_string(),
                "--profile".into(),
                profile.into(),
            ]
        }
        None if run.table == STANDARD_INPUT => vec!["learn".into(), "-".into()],
        // A name that looks like an option.
        None if run.table.starts_with('-') => vec!["learn".into(), format!("./{}", run.table)],
        None => vec!["learn".into(), run.table.clone()],
    };
    let mut all = vec!["clausality".to_string()];
    all.extend(words);
    all
}

/// The settings of a run without options, but with this one's profile, machines and rounds, on which others depend. Which prior
/// suits a table is not seen without the table: a run always names its own.
fn defaults(run: &Run) -> Map<String, Value> {
    let plain = Settings::of(run.params.profile);
    let mut own = plain.clone();
    own.strengths.ensemble = run.params.strengths.ensemble;
    own.strengths.rounds = run.params.strengths.rounds;
    let (mut all, plain) = (own.by_profile().fields(), plain.by_profile().fields());
    // These were only there for others to follow.
    for key in ["ensemble", "rounds"] {
        all.insert(key.into(), plain[key].clone());
    }
    // A sample is learned back with both profiles: there the command names it.
    let profile = if run.table.starts_with('@') { run.params.profile } else { Profile::Hybrid };
    all.insert("profile".into(), profile.word().into());
    all
}

/// The words of an option; nothing if only a configuration file can say it.
fn options(name: &str, value: &Value) -> Option<Vec<String>> {
    let option = format!("--{name}");
    let each = |values: Vec<String>| Some(values.into_iter().flat_map(|v| [option.clone(), v]).collect());
    match (name, value) {
        (_, Value::Bool(true)) => Some(vec![option]),
        (_, Value::Bool(false)) => None,
        (_, Value::Number(number)) => each(vec![number.to_string()]),
        ("separator", Value::String(text)) if text == "\t" => each(vec!["tab".into()]),
        (_, Value::String(text)) => each(vec![text.clone()]),
        ("parameter" | "unobserved", Value::Array(names)) => {
            let names: Option<Vec<&str>> = names.iter().map(Value::as_str).collect();
            each(vec![names?.into_iter().map(listed).collect::<Vec<_>>().join(",")])
        }
        ("require" | "forbid", Value::Array(arcs)) => {
            each(arcs.iter().map(|arc| arc.as_str().map(String::from)).collect::<Option<_>>()?)
        }
        ("static", Value::Array(names)) if names.is_empty() => each(vec!["none".into()]),
        ("na" | "models" | "static", Value::Array(texts)) => {
            let texts: Option<Vec<&str>> = texts.iter().map(Value::as_str).collect();
            let plain = |text: &&str| !text.contains([',', '=']);
            let texts = texts.filter(|texts| !texts.is_empty() && texts.iter().all(plain))?;
            each(vec![texts.join(",")])
        }
        ("bins", Value::Object(columns)) => {
            each(columns.iter().map(|(column, bins)| format!("{column}={bins}")).collect())
        }
        ("cuts", Value::Object(columns)) => each(
            columns
                .iter()
                .map(|(column, cuts)| {
                    let cuts: Vec<String> = cuts.as_array()?.iter().map(Value::to_string).collect();
                    Some(format!("{column}={}", cuts.join(",")))
                })
                .collect::<Option<_>>()?,
        ),
        ("type", Value::Object(types)) => each(
            types
                .iter()
                .map(|(column, kind)| Some(format!("{column}={}", kind.as_str()?)))
                .collect::<Option<_>>()?,
        ),
        ("levels", Value::Object(columns)) => {
            each(columns.iter().map(|(column, levels)| levels_of(column, levels)).collect::<Option<_>>()?)
        }
        _ => None,
    }
}

/// A name in a list: in double quotes where the list could be cut in it.
fn listed(name: &str) -> String {
    match name.contains([',', '"']) || name.trim() != name {
        true => format!("\"{}\"", name.replace('"', "\"\"")),
        false => name.to_string(),
    }
}

/// `COL=a<b<c`, where that can be read back.
fn levels_of(column: &str, levels: &Value) -> Option<String> {
    let levels: Option<Vec<&str>> = levels.as_array()?.iter().map(Value::as_str).collect();
    let plain = |text: &&str| text.trim() == *text && !text.contains('<');
    let levels = levels.filter(|levels| levels.iter().all(plain) && !column.contains('='))?;
    Some(format!("{column}={}", levels.join("<")))
}

/// A word for a shell: in quotes unless it is plain, and with escapes if it holds what cannot be seen.
pub(super) fn quoted(word: &str) -> String {
    if word.contains(is_unsafe) {
        let letter = |c: char| match c {
            '\'' | '\\' => format!("\\{c}"),
            c if is_unsafe(c) => format!("\\u{:04x}", c as u32),
            c => c.to_string(),
        };
        return format!("$'{}'", word.chars().map(letter).collect::<String>());
    }
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:,@+%".contains(c);
    match !word.is_empty() && word.chars().all(plain) {
        true => word.to_string(),
        false => format!("'{}'", word.replace('\'', "'\\''")),
    }
}
