//! Tables.
#![no_main]

libfuzzer_sys::fuzz_target!(init: clausality_fuzz::begin("csv"), |bytes: &[u8]| clausality_fuzz::stands("csv", bytes));
