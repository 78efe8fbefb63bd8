//! Everything that can be wrong with a network, a table or a network file.

use thiserror::Error as ThisError;

/// What went wrong, with the values needed to say where and what to do.
#[derive(Debug, Clone, PartialEq, ThisError)]
#[non_exhaustive]
pub enum Error {
    /// Two variables share a name.
    #[error("duplicate variable name '{0}': give every variable a name of its own")]
    DuplicateVariable(String),
    /// A variable lists one state label twice.
    #[error("variable '{variable}' lists the state '{state}' twice")]
    DuplicateState {
        /// The variable.
        variable: String,
        /// The label that stands twice.
        state: String,
    },
    /// A variable has no state, or more than a code can name.
    #[error("variable '{variable}' has {states} states; between 1 and {max} are possible")]
    StateCount {
        /// The variable.
        variable: String,
        /// How many states it has.
        states: usize,
        /// The most there can be.
        max: usize,
    },
    /// A table's columns do not match its schema.
    #[error("the table has {columns} columns and its schema {variables} variables")]
    ColumnCount {
        /// Columns given.
        columns: usize,
        /// Variables in the schema.
        variables: usize,
    },
    /// Columns of different lengths.
    #[error("column '{variable}' has {rows} rows where the others have {expected}")]
    RowCount {
        /// The odd column.
        variable: String,
        /// Its length.
        rows: usize,
        /// The length of the first column.
        expected: usize,
    },
    /// A code that names no state.
    #[error("column '{variable}', row {row}: code {code} names no state (there are {states})")]
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
    /// A name that the schema does not hold.
    #[error("unknown variable '{0}'")]
    UnknownVariable(String),
}
