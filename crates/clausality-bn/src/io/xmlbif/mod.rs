//! XMLBIF 0.3, the Bayesian Interchange Format in XML.
//!
//! ```text
//! <BIF VERSION="0.3"><NETWORK><NAME>rain</NAME>
//! <VARIABLE TYPE="nature"><NAME>A</NAME><OUTCOME>yes</OUTCOME><OUTCOME>no</OUTCOME></VARIABLE>
//! <DEFINITION><FOR>B</FOR><GIVEN>A</GIVEN><TABLE>0.1 0.9 0.5 0.5</TABLE></DEFINITION>
//! </NETWORK></BIF>
//! ```
//!
//! `TABLE` holds one distribution after the other: the child's state varies fastest, then the last `GIVEN`, and the
//! first `GIVEN` slowest. Comments, `PROPERTY`, `DESCRIPTION` and `OBS` are passed over; parts may come in any order.
//!
//! **Our reading.** Blanks round a name are layout unless they are written as references (`&#32;`), which is how names
//! that begin or end with one are written. A document type may declare elements and attributes (files in circulation
//! carry it), but entities are refused, whether declared inside or to be fetched from outside: nothing is ever
//! expanded or opened. Decision and utility nodes are refused by name.

mod prolog;
mod reader;
mod writer;

pub use reader::read;
pub use writer::write;
pub(super) use writer::{attribute, text};

#[cfg(test)]
mod tests;
