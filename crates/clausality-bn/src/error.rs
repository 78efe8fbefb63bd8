//! Everything that can be wrong with a network, a table or a network file.

use thiserror::Error as ThisError;

/// What went wrong, with the values needed to say where and what to do.
#[derive(Debug, Clone, PartialEq, ThisError)]
#[non_exhaustive]
pub enum Error {
    /// Whoever was asked whether to go on said no.
    #[error("the work was called off")]
    Stopped,
    /// Two variables share a name.
    #[error("duplicate variable name '{}': give every variable a name of its own", shown(.0))]
    DuplicateVariable(String),
    /// A variable lists one state label twice.
    #[error("variable '{}' lists the state '{}' twice", shown(.variable), shown(.state))]
    DuplicateState {
        /// The variable.
        variable: String,
        /// The label that stands twice.
        state: String,
    },
    /// A variable has no state, or more than a code can name.
    #[error("variable '{}' has {states} states; between 1 and {max} are possible", shown(.variable))]
    StateCount {
        /// The variable.
        variable: String,
        /// How many states it has.
        states: usize,
        /// The most there can be.
        max: usize,
    },
    /// Columns and variables (of a schema, a graph or a network) that should be as many as each other and are not.
    #[error("there are {columns} columns for {variables} variables; one each is needed")]
    ColumnCount {
        /// Columns given.
        columns: usize,
        /// Variables they should stand for.
        variables: usize,
    },
    /// Columns of different lengths.
    #[error("column '{}' has {rows} rows where the others have {expected}", shown(.variable))]
    RowCount {
        /// The odd column.
        variable: String,
        /// Its length.
        rows: usize,
        /// The length of the first column.
        expected: usize,
    },
    /// A code that names no state.
    #[error("column '{}', row {row}: code {code} names no state (there are {states})", shown(.variable))]
    Code {
        /// The column.
        variable: String,
        /// The row, counted from 0.
        row: usize,
        /// The code found.
        code: u8,
        /// How many states the variable has.
        states: usize,
    },
    /// More findings than can be attributed one by one.
    #[error(
        "there are {findings} findings, and what each did is told of {most} at most: leave out those that matter least"
    )]
    FindingCount {
        /// The findings.
        findings: usize,
        /// The most there may be.
        most: usize,
    },
    /// A name that the schema does not hold.
    #[error("unknown variable '{}'", shown(.0))]
    UnknownVariable(String),
    /// Arcs that lead back to where they start.
    #[error("the arcs form a cycle: {}; remove or turn one of them", circle(.nodes))]
    Cycle {
        /// The nodes on the cycle in the direction of the arcs; the last is a parent of the first.
        nodes: Vec<String>,
    },
    /// A parent list with a node twice, with the node itself, or with an index outside the schema.
    #[error("node '{}' cannot have '{}' as a parent: {reason}", shown(.node), shown(.parent))]
    Parent {
        /// The child.
        node: String,
        /// The parent refused.
        parent: String,
        /// Why.
        reason: &'static str,
    },
    /// A probability table with too few or too many numbers.
    #[error("the table of '{}' expected {expected} probabilities, found {found}", shown(.node))]
    CellCount {
        /// The node.
        node: String,
        /// Parent configurations times states.
        expected: usize,
        /// Numbers given.
        found: usize,
    },
    /// A number that is no probability.
    #[error("{} in the table of '{}'{} is no probability: expected a number from 0 to 1",
            shown(.value), shown(.node), given(.configuration))]
    Probability {
        /// The node.
        node: String,
        /// The parent configuration, `parent=state` each.
        configuration: Vec<String>,
        /// The number as it was written.
        value: String,
    },
    /// A row of a probability table that does not sum to one.
    #[error("the probabilities of '{}'{} sum to {sum}, expected 1 (within {tolerance:e})",
            shown(.node), given(.configuration))]
    RowSum {
        /// The node.
        node: String,
        /// The parent configuration, `parent=state` each.
        configuration: Vec<String>,
        /// What the row sums to.
        sum: f64,
        /// How far from one it may be.
        tolerance: f64,
    },
    /// A network without exactly one table per variable.
    #[error("the network has {variables} variables and {tables} probability tables; one each is needed")]
    TableCount {
        /// Variables in the schema.
        variables: usize,
        /// Tables given.
        tables: usize,
    },
    /// A table and a network (or two networks) that do not speak of the same variables and states.
    #[error("variable '{}' does not match: {}", shown(.variable), shown(.reason))]
    Mismatch {
        /// The variable.
        variable: String,
        /// What differs.
        reason: String,
    },
    /// A cell without a value where every cell needs one.
    #[error("column '{}', row {row}: there is no value, and one is needed here", shown(.variable))]
    MissingValue {
        /// The column.
        variable: String,
        /// The row, counted from 0.
        row: usize,
    },
    /// More rows than can be counted.
    #[error("the table has {rows} rows; at most {max} can be counted")]
    Rows {
        /// Rows there are.
        rows: usize,
        /// The most there can be.
        max: usize,
    },
    /// A parameter outside its range.
    #[error("{parameter} is {value}: {expected}")]
    Parameter {
        /// The parameter.
        parameter: &'static str,
        /// Its value.
        value: f64,
        /// What would be accepted.
        expected: &'static str,
    },
    /// A probability table that would not fit in the memory allowed; nothing was allocated.
    #[error("the table of '{}' with {} needs {} cells ({}), over the limit of {}: \
             give it fewer parents or states, or raise the memory limit",
            shown(.node), parents_of(.parents), count(*.cells), size(*.bytes), size(u128::from(*.limit)))]
    Limit {
        /// The node.
        node: String,
        /// Its parents.
        parents: Vec<String>,
        /// Parent configurations times states (the largest `u128` if even that overflows).
        cells: u128,
        /// Bytes needed, together with the tables before it.
        bytes: u128,
        /// Bytes allowed for all tables of the network.
        limit: u64,
    },
    /// More steps of a network over time than fit in the memory allowed; nothing was allocated.
    #[error("{steps} steps written out need {}, over the limit of {}: write out fewer, or raise the memory limit",
            size(*.bytes), size(u128::from(*.limit)))]
    StepsLimit {
        /// The steps.
        steps: usize,
        /// Bytes needed.
        bytes: u128,
        /// Bytes allowed.
        limit: u64,
    },
    /// An exact answer that would not fit in the memory allowed; nothing was allocated.
    #[error("exact inference needs {}{}, {} in all, over the limit of {}: \
             ask for fewer targets, give more evidence, raise the memory limit, or sample instead",
            table_of(.nodes), cells_of(*.cells), size(*.bytes), size(u128::from(*.limit)))]
    InferenceLimit {
        /// The variables of the largest table on the way.
        nodes: Vec<String>,
        /// Its cells (the largest `u128` if even that overflows).
        cells: u128,
        /// Bytes needed in all, as far as that was worked out.
        bytes: u128,
        /// Bytes allowed.
        limit: u64,
    },
    /// Samples of series that would not fit in the memory allowed; nothing was allocated.
    #[error("{samples} sampled series need {}, over the limit of {}: draw fewer, ask about fewer steps or nodes, or raise the memory limit",
            size(*.bytes), size(u128::from(*.limit)))]
    SampleLimit {
        /// How many were to be drawn.
        samples: usize,
        /// Bytes needed.
        bytes: u128,
        /// Bytes allowed.
        limit: u64,
    },
    /// Evidence that the network says cannot be.
    #[error("evidence has probability 0: the network says that this cannot happen")]
    ImpossibleEvidence,
    /// Samples none of which agrees with the evidence.
    #[error("none of the {samples} samples agrees with the evidence: draw more, or ask for the exact answer")]
    NoSampleAgrees {
        /// How many were drawn.
        samples: usize,
    },
    /// A piece of evidence, or a target, that cannot be used as it is.
    #[error("node '{}': {}", shown(.variable), shown(.reason))]
    Evidence {
        /// The node.
        variable: String,
        /// What is wrong.
        reason: String,
    },
    /// An input larger than allowed.
    #[error("the input has {bytes} bytes, over the limit of {limit}")]
    InputSize {
        /// Its size.
        bytes: usize,
        /// The most that is read.
        limit: usize,
    },
    /// A name that a format has no way to write.
    #[error("'{}' holds the character U+{character:04X}, which {format} cannot hold: rename it, or write .json",
            shown(.text))]
    Unwritable {
        /// The name or state.
        text: String,
        /// The code point at fault.
        character: u32,
        /// The format.
        format: &'static str,
    },
    /// Text that is not the format it should be.
    #[error("{0}")]
    Syntax(String),
    /// Something wrong at a place in a file. Prints as `line:column: what is wrong`.
    #[error("{line}:{column}: {error}")]
    At {
        /// The physical line, counted from 1.
        line: usize,
        /// The character in the line, counted from 1.
        column: usize,
        /// What is wrong there.
        error: Box<Error>,
    },
}

impl Error {
    /// Line and column, both counted from 1, where the error has a place in a file.
    pub fn position(&self) -> Option<(usize, usize)> {
        match self {
            Error::At { line, column, .. } => Some((*line, *column)),
            _ => None,
        }
    }

    /// The error without its place.
    pub fn kind(&self) -> &Error {
        match self {
            Error::At { error, .. } => error.kind(),
            other => other,
        }
    }

    /// Whether a limit was met: the input may be right, but it is too large.
    pub fn is_limit(&self) -> bool {
        matches!(
            self.kind(),
            Error::Limit { .. }
                | Error::StepsLimit { .. }
                | Error::InferenceLimit { .. }
                | Error::SampleLimit { .. }
                | Error::InputSize { .. }
                | Error::FindingCount { .. }
        )
    }
}

/// The longest name shown in full.
const SHOWN_CHARS: usize = 120;

/// A name from data made safe to show: control characters, line separators and marks that turn the direction of
/// writing are escaped, and a very long name is cut.
pub fn shown(name: &str) -> String {
    let mut out = String::with_capacity(name.len().min(4 * SHOWN_CHARS));
    for (i, c) in name.chars().enumerate() {
        if i == SHOWN_CHARS {
            out.push('…');
            break;
        }
        let hidden = matches!(c,
            '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}');
        if c.is_control() || hidden {
            out.extend(c.escape_unicode());
        } else {
            out.push(c);
        }
    }
    out
}

/// The most names listed in a message.
const LISTED: usize = 8;

fn listed(names: &[String], separator: &str) -> String {
    let mut out: Vec<String> = names.iter().take(LISTED).map(|n| shown(n)).collect();
    if names.len() > LISTED {
        out.push(format!("… ({} in all)", names.len()));
    }
    out.join(separator)
}

fn circle(nodes: &[String]) -> String {
    match nodes {
        [] => String::new(),
        [first, ..] if nodes.len() <= LISTED => format!("{} -> {}", listed(nodes, " -> "), shown(first)),
        _ => listed(nodes, " -> "),
    }
}

fn given(configuration: &[String]) -> String {
    match configuration {
        [] => String::new(),
        _ => format!(" for {}", listed(configuration, ", ")),
    }
}

fn parents_of(parents: &[String]) -> String {
    match parents.len() {
        0 => "no parents".to_string(),
        1 => format!("1 parent ({})", shown(&parents[0])),
        n => format!("{n} parents ({})", listed(parents, ", ")),
    }
}

fn table_of(nodes: &[String]) -> String {
    match nodes.len() {
        0 => "a table".to_string(),
        1 => format!("a table over '{}'", shown(&nodes[0])),
        n => format!("a table over {n} nodes ({})", listed(nodes, ", ")),
    }
}

fn cells_of(cells: u128) -> String {
    format!(" with {} cells", count(cells))
}

fn count(cells: u128) -> String {
    if cells == u128::MAX { "more than 10^38".to_string() } else { cells.to_string() }
}

fn size(bytes: u128) -> String {
    const UNITS: [&str; 5] = ["bytes", "KiB", "MiB", "GiB", "TiB"];
    let mut unit = 0;
    let mut value = bytes;
    while value >= 1024 && unit + 1 < UNITS.len() {
        value /= 1024;
        unit += 1;
    }
    if bytes == u128::MAX {
        "more than 10^38 bytes".to_string()
    } else if unit == 0 {
        format!("{bytes} bytes")
    } else {
        format!("{bytes} bytes, {} {}", value, UNITS[unit])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_shown_without_control_characters() {
        assert_eq!(shown("plain ünï"), "plain ünï");
        assert_eq!(shown("a\u{1b}[31m\u{202e}b\n"), "a\\u{1b}[31m\\u{202e}b\\u{a}");
        assert_eq!(shown(&"x".repeat(500)).chars().count(), SHOWN_CHARS + 1);
    }

    #[test]
    fn limits_are_told_from_faults_through_a_position() {
        let limit = Error::Limit {
            node: "X".into(),
            parents: vec![],
            cells: 1 << 31,
            bytes: 1 << 34,
            limit: 1 << 27,
        };
        let at = Error::At { line: 3, column: 4, error: Box::new(limit) };
        assert!(at.is_limit());
        assert_eq!(at.position(), Some((3, 4)));
        let text = at.to_string();
        assert!(text.starts_with("3:4: the table of 'X' with no parents needs 2147483648 cells"), "{text}");
        assert!(text.contains("16 GiB") && text.contains("128 MiB"), "{text}");
    }
}
