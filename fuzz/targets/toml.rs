//! Configurations.
#![no_main]

libfuzzer_sys::fuzz_target!(init: clausality_fuzz::begin("toml"), |bytes: &[u8]| clausality_fuzz::stands("toml", bytes));
