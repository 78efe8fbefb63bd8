//! One module per command: its arguments, its help with an example, and what it does.

pub(crate) mod check;
pub(crate) mod compare;
pub(crate) mod completions;
pub(crate) mod convert;
pub(crate) mod demo;
pub(crate) mod evaluate;
pub(crate) mod explain;
pub(crate) mod explore;
pub(crate) mod fit;
pub(crate) mod forecast;
pub(crate) mod impute;
pub(crate) mod inspect;
pub(crate) mod learn;
pub(crate) mod networks;
pub(crate) mod predict;
pub(crate) mod query;
pub(crate) mod report;
pub(crate) mod sample;
pub(crate) mod score;
pub(crate) mod strengths;
pub(crate) mod test;
pub(crate) mod validate;
