//! What was learned, told to people: in sentences, as a picture, as a page, as files.

mod explain;
mod files;
pub mod picture;
pub mod report;

pub use explain::{ArcExplanation, NodeExplanation, Rule, Verdict};
pub use files::{check_room, document, files, kept_files, save, seal};
pub use report::again;
