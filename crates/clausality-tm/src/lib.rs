//! The Tsetlin machine.
