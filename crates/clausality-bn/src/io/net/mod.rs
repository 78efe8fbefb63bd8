//! Hugin's NET format: flat networks of chance nodes with states.
//!
//! ```text
//! net { name = "rain"; }
//! node A { states = ("yes" "no"); }
//! node B { label = "wet grass"; states = ("yes" "no"); }
//! potential (B | A) { data = ((0.1 0.9)(0.5 0.5)); }
//! ```
//!
//! `data` holds lists in one another, the first parent outermost and the states of the node innermost; a list that holds
//! numbers where it could hold lists is read in the same order. `%` begins a comment. Attributes that say nothing of the
//! distribution (labels, positions, colours, anything of other programs) are passed over.
//!
//! **Our reading.** A node is called by the word after `node`, not by its label. That word must be an identifier for
//! Hugin, so a node with any other name is written under a word made from it, with its name as `label` and in the
//! attribute `clausality_name`, which is taken for the name when it is there. Refused by name, because they would need more
//! than tables: continuous, decision, utility and function nodes, classes with instances, tables over several nodes,
//! and tables given as a model (`model_nodes`, `model_data`). A potential without `data` is refused too.

mod reader;
mod writer;

pub use reader::read;
pub use writer::write;

use super::tokens::{Comments, Dialect};

const DIALECT: Dialect = Dialect {
    marks: "{}()=;|",
    // Commas are no part of the format, but some programs put them between states.
    blanks: ",",
    comments: Comments::Percent,
    long_quotes: true,
    open_quotes: "a text begins with a quote and never ends: expected '\"'",
};

/// The attribute that holds a name which is no identifier.
const NAME: &str = "clausality_name";

#[cfg(test)]
mod tests;
