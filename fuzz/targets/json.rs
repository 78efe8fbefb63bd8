//! Networks in the format `json`.
#![no_main]

libfuzzer_sys::fuzz_target!(init: clausality_fuzz::begin("json"), |bytes: &[u8]| clausality_fuzz::stands("json", bytes));
