//! Networks in the format `xmlbif`.
#![no_main]

libfuzzer_sys::fuzz_target!(init: clausality_fuzz::begin("xmlbif"), |bytes: &[u8]| clausality_fuzz::stands("xmlbif", bytes));
