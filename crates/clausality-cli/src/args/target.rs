//! The options about columns one wants to predict, shared by `learn` and `evaluate`.

use super::network::{NameList, all_names};
use crate::failure::Failure;
use crate::session::{Given, written};
use clap::Args;
use serde::Serialize;

/// Which columns, and how it is found out how well that goes.
#[derive(Debug, Args, Serialize)]
#[serde(rename_all = "kebab-case")]
#[command(next_help_heading = "Predicting columns")]
pub(crate) struct TargetOptions {
    /// Columns to predict: their neighbourhoods are judged by that, and machines learn to predict them (names with commas
    /// in double quotes)
    #[arg(long, value_name = "Y,…", value_parser = NameList::parse)]
    #[serde(serialize_with = "all_names")]
    target: Option<Vec<NameList>>,
    /// Cross-validate the prediction in so many parts [default: 10 in evaluate, else not at all]
    #[arg(long, value_name = "N")]
    folds: Option<usize>,
    /// Deal the rows into parts so often [default: 1]
    #[arg(long, value_name = "N")]
    repeats: Option<usize>,
}

impl Given for TargetOptions {
    fn document(&self) -> Result<String, Failure> {
        written(self)
    }
}
