//! The Bayesian Interchange Format (BIF) and the dialects in circulation.
//!
//! ```text
//! network NAME { }
//! variable A { type discrete [ 2 ] { yes, no }; }
//! probability ( B | A ) { (yes) 0.1, 0.9; (no) 0.5, 0.5; }
//! ```
//!
//! Read: blanks or commas between names and between numbers; names in double quotes or bare; `//` and `/* */`
//! comments where a word could begin; `property … ;` anywhere (passed over, not kept); blocks in any order; `default`
//! rows; parents after `|` or, as in the 1990s, simply after the child; `table` with parents in the order of BIF 0.15,
//! where the state of the child varies slowest and the last parent fastest.
//!
//! **Our reading.** Inside quotes `\"`, `\\`, `\n`, `\r` and `\t` are escapes and any other backslash is itself; a bare
//! name may hold any character but blanks, quotes and `{ } ( ) [ ] , ; |`. A `table` that only makes sense in the
//! other order is refused, not guessed at. Written: one row per parent configuration (the first parent fastest, as
//! bnlearn writes them), the shortest digits that read back as the same double, quotes only where needed.

mod reader;
mod writer;

pub use reader::read;
pub use writer::write;

use super::tokens::{Comments, Dialect};

const DIALECT: Dialect = Dialect {
    marks: "{}()[],;|",
    blanks: "",
    comments: Comments::Slashes,
    long_quotes: false,
    open_quotes: "a name begins with a quote and never ends: expected '\"' on the same line",
};

#[cfg(test)]
mod tests;
