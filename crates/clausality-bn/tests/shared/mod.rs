//! The folder of reference files. Tests that need it are ignored unless asked for: `scripts/test` does where it is at hand.

use std::io::Read;
use std::path::{Path, PathBuf};

/// The folder, which must be there.
#[allow(dead_code)]
pub(crate) fn folder() -> PathBuf {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared");
    let path = std::env::var_os("CLAUSALITY_SHARED").map_or(beside, PathBuf::from);
    assert!(path.is_dir(), "no reference files: set CLAUSALITY_SHARED to their folder");
    path
}

/// The bytes of a file, unpacked if it ends in `.gz`.
#[allow(dead_code)]
pub(crate) fn bytes(path: &Path) -> Vec<u8> {
    let raw = std::fs::read(path).unwrap();
    if path.extension().is_none_or(|e| e != "gz") {
        return raw;
    }
    let mut out = Vec::new();
    flate2::read::GzDecoder::new(raw.as_slice()).read_to_end(&mut out).unwrap();
    out
}

/// The files of a folder with this ending, sorted.
#[allow(dead_code)]
pub(crate) fn files(folder: &Path, ending: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap().map(|e| e.unwrap().path());
    let mut out: Vec<PathBuf> = entries.filter(|p| p.to_string_lossy().ends_with(ending)).collect();
    out.sort();
    out
}
