//! Networks in the format `bif`.
#![no_main]

libfuzzer_sys::fuzz_target!(init: clausality_fuzz::begin("bif"), |bytes: &[u8]| clausality_fuzz::stands("bif", bytes));
