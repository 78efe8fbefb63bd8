//! Learning Bayesian networks with Tsetlin machines.
#![forbid(unsafe_code)]

pub use clausality_bn as bn;
pub use clausality_tm as tm;
