//! Networks in the format `net`.
#![no_main]

libfuzzer_sys::fuzz_target!(init: clausality_fuzz::begin("net"), |bytes: &[u8]| clausality_fuzz::stands("net", bytes));
