//! One module per command: its arguments, its help with an example, and what it does.

pub(crate) mod completions;
pub(crate) mod inspect;
