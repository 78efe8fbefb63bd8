//! Tables: from a file to codes, with every decision reported and none beyond recall.

mod names;
mod params;
mod problem;

pub use names::closest;
pub use params::{ColumnType, DataParams, Discretize, Limits, MissingRule};
pub use problem::Problem;
