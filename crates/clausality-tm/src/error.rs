//! Everything that can be wrong with a machine's parameters or data.

use thiserror::Error as ThisError;

/// What went wrong, with the value found and the range expected.
#[derive(Debug, Clone, PartialEq, ThisError)]
#[non_exhaustive]
pub enum Error {
    /// A parameter is outside its range.
    #[error("{name} is {value}; it must be {expected}")]
    Parameter {
        /// The parameter, as it is called in [`crate::Params`].
        name: &'static str,
        /// What was given.
        value: String,
        /// What is allowed.
        expected: &'static str,
    },
    /// The rows hold another number of literals than the machine.
    #[error("the rows hold {found} literals and the machine {expected}")]
    Literals {
        /// Literals in the data.
        found: usize,
        /// Literals of the machine.
        expected: usize,
    },
    /// As many labels as rows are needed.
    #[error("{labels} labels for {rows} rows")]
    Labels {
        /// Number of labels.
        labels: usize,
        /// Number of rows.
        rows: usize,
    },
    /// A label that is no class.
    #[error("row {row} has label {label}, but there are only {classes} classes")]
    Label {
        /// The row, counted from 0.
        row: usize,
        /// The label found.
        label: u32,
        /// The number of classes.
        classes: usize,
    },
    /// The machine would not fit into the address space.
    #[error("{clauses} clauses of {literals} literals in {classes} classes do not fit into memory")]
    TooLarge {
        /// Clauses asked for.
        clauses: usize,
        /// Literals asked for.
        literals: usize,
        /// Classes asked for.
        classes: usize,
    },
    /// An instruction set that there is not, or not on this processor.
    #[error("'{name}' is no instruction set of this machine: it has {available}")]
    Path {
        /// What was asked for.
        name: String,
        /// What there is.
        available: String,
    },
    /// A saved clause set that cannot be used.
    #[error("not a usable clause set: {0}")]
    Format(String),
}
