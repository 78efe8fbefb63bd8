//! Networks as JSON, in a format of our own with a version.
//!
//! ```text
//! { "format": "clausality-network/1",
//!   "name": "rain",
//!   "nodes": [
//!     { "name": "rain", "states": ["yes", "no"], "parents": [], "rows": [[0.2, 0.8]] },
//!     { "name": "wet", "states": ["yes", "no"], "parents": ["rain"], "rows": [[0.9, 0.1], [0, 1]] }
//!   ],
//!   "extra": { } }
//! ```
//!
//! `rows` holds one row per configuration of the parents, the first parent varying slowest and the last fastest. A node may
//! say `"scale": "ordered"` (its states run from low to high; or `"circular"`: after the last comes the first; else `"nominal"`) and `"missing_state": true` (its last
//! state stands for "no value was recorded"). `name`, `parents` (none) and `extra` may be left out; nodes may come in
//! any order. `extra` is an object of anything that its maker wants to keep with the network; readers of networks pass
//! it over. Any other key is refused.
//!
//! Networks over time have a format of their own, [`DYNAMIC_FORMAT`].
//!
//! Written: the shortest digits that read back as the same double; the same network gives the same bytes.

mod dynamic;
mod reader;
mod writer;

pub use dynamic::{DYNAMIC_FORMAT, is_dynamic, read_dynamic, write_dynamic};
pub use reader::{read, read_with_extra};
pub use writer::{write, write_with_extra};

/// The value of `format`.
pub const FORMAT: &str = "clausality-network/1";

/// What a maker keeps with a network.
pub type Extra = serde_json::Map<String, serde_json::Value>;

#[cfg(test)]
mod tests;
