//! The documents of a run folder.
#![no_main]

libfuzzer_sys::fuzz_target!(init: clausality_fuzz::begin("run"), |bytes: &[u8]| clausality_fuzz::stands("run", bytes));
