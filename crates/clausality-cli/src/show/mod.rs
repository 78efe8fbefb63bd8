//! Tables and sentences that several commands share.

pub(crate) mod arcs;
pub(crate) mod confidence;
pub(crate) mod facts;
pub(crate) mod gaps;
pub(crate) mod insight;
pub(crate) mod prediction;
pub(crate) mod series;
pub(crate) mod strengths;
pub(crate) mod twins;
pub(crate) mod validation;
pub(crate) mod verdict;
