//! Bodies sent to the explorer.
#![no_main]

libfuzzer_sys::fuzz_target!(init: clausality_fuzz::begin("http"), |bytes: &[u8]| clausality_fuzz::stands("http", bytes));
